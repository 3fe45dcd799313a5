package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vugu/vugu"
	"github.com/vugu/vugu/staticrender"

	"spillway/build/tree"
	"spillway/ui/headless"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/palette"
	"spillway/ui/model/session"
	"spillway/ui/view"
	"spillway/ui/wire"
)

// opening begins the name of the file that has what a laboratory opens on, and screen that of
// the file with its page as it will be drawn.
const (
	opening = "first-"
	screen  = "screen-"
)

// A still is a page that nobody uses: it needs nothing of the browser but its width.
type still struct{ view.Page }

func (still) Narrow() bool { return false }

// addFirst computes what every laboratory opens on: first-NAME.info has the answers to all
// that the page asks a worker for then, so that it need not ask. The page of each, as it will
// be drawn, is there before any program has come: that of the first laboratory in index.html,
// the others' in screen-NAME.html, which boot.js puts in its place.
func (s site) addFirst() error {
	var tabs []session.Tab
	if err := wire.Unmarshal(s["labs.info"], &tabs); err != nil {
		return err
	}
	var shown []screenOf
	var entries []palette.Entry
	for _, door := range labs.Labs {
		l := door.New()
		n, known, err := headless.Opening(l, tabs)
		if err != nil {
			return fmt.Errorf("what laboratory %s opens on: %w", door.Name, err)
		}
		data, err := wire.Marshal(&known)
		if err == nil {
			err = tree.Add(s, opening+door.Name+".info", data)
		}
		if err != nil {
			return err
		}
		entries = append(append(entries, palette.Entries(n)...), palette.Figures(l.Name, l.Studies())...)
		text, fragment, err := firstPage(n)
		if err != nil {
			return fmt.Errorf("the first screen of laboratory %s: %w", door.Name, err)
		}
		shown = append(shown, screenOf{door.Name, fragment, text})
	}
	data, err := wire.Marshal(&entries)
	if err == nil {
		err = tree.Add(s, "search.info", data)
	}
	if err != nil {
		return err
	}
	const place = "<div id=\"app\"></div>"
	if err := s.fill("index.html", place, `<div id="app" class="page" inert data-first="true"`+shown[0].page+"</div>"); err != nil {
		return err
	}
	for _, x := range shown[1:] {
		_, inside, _ := strings.Cut(x.page, ">")
		if err := tree.Add(s, screen+x.lab+".html", []byte(inside)); err != nil {
			return err
		}
	}
	return s.inline(shown)
}

// A screenOf is the page that a laboratory opens on: the link to it, and its element from the
// attributes behind its class to before its end.
type screenOf struct{ lab, fragment, page string }

// firstPage renders the page around what it opens on, and returns the link to that.
func firstPage(session *session.Session) (page, fragment string, err error) {
	root := view.NewRoot(view.NewApp(session, still{}))
	var b bytes.Buffer
	r := staticrender.New(&b)
	env, err := vugu.NewBuildEnv(r.EventEnv())
	if err != nil {
		return "", "", err
	}
	built := env.RunBuild(root)
	if err := settle(built, built.Out.Out[0]); err != nil {
		return "", "", err
	}
	if err := r.Render(built); err != nil {
		return "", "", err
	}
	text := b.String()
	for id, of := range root.Drawn() {
		drawn := svg(of)
		if drawn == "" {
			continue
		}
		at := strings.Index(text, `id="`+id+`"`)
		if at < 0 {
			return "", "", fmt.Errorf("the page has no place for the chart %q", id)
		}
		at += strings.Index(text[at:], "></div>") + 1
		text = text[:at] + strings.Replace(drawn, `<svg class="static"`, `<svg class="static" data-of="`+id+`"`, 1) + text[at:] // charts.js drops it where another chart is to be
	}
	const top = `<div class="page"`
	inside, begins := strings.CutPrefix(text, top)
	inside, ends := strings.CutSuffix(inside, "</div>")
	if !begins || !ends {
		return "", "", fmt.Errorf("the page is no element that begins with %q: %.40q", top, text)
	}
	return inside, session.Link(), nil
}

// settle makes attributes of the properties of fields, which a file cannot have.
func settle(all *vugu.BuildResults, n *vugu.VGNode) error {
	if n.Component != nil {
		out := all.ResultFor(n.Component)
		if out == nil || len(out.Out) != 1 {
			return errors.New("a component has no output")
		}
		return settle(all, out.Out[0])
	}
	for _, p := range n.Prop {
		text := string(p.JSONVal)
		switch {
		case text == "false" || text == "null":
		case text == "true":
			n.Attr = append(n.Attr, vugu.VGAttribute{Key: p.Key, Val: p.Key})
		default:
			n.Attr = append(n.Attr, vugu.VGAttribute{Key: p.Key, Val: strings.Trim(text, `"`)})
		}
	}
	// Of an attribute that is there twice the browser takes the first, the program
	// the last.
	slices.Reverse(n.Attr)
	seen := map[string]bool{}
	n.Attr = slices.DeleteFunc(n.Attr, func(a vugu.VGAttribute) bool {
		twice := seen[a.Key]
		seen[a.Key] = true
		return twice
	})
	slices.Reverse(n.Attr)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if err := settle(all, child); err != nil {
			return err
		}
	}
	return nil
}

// inline puts the style sheet and a short script into index.html, so that what is
// there is drawn without a second request. The script hides it when the link is
// about something else; the security policy names it by its hash.
func (s site) inline(shown []screenOf) error {
	css, ok := s["style.css"]
	if !ok {
		return errors.New("there is no style.css")
	}
	script := startScript(shown)
	sum := sha256.Sum256([]byte(script))
	hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	for _, f := range []struct{ name, line, by string }{
		{"index.html", "<link rel=\"stylesheet\" href=\"style.css\">", "<style>" + string(css) + "</style>"},
		{"index.html", "<script></script>", "<script>" + script + "</script>"},
		{"index.html", "script-src 'self' 'wasm-unsafe-eval'", "script-src 'self' 'wasm-unsafe-eval' " + hash},
		{"_headers", "script-src 'self' 'wasm-unsafe-eval'", "script-src 'self' 'wasm-unsafe-eval' " + hash},
	} {
		if err := s.fill(f.name, f.line, f.by); err != nil {
			return err
		}
	}
	delete(s, "style.css")
	return nil
}

// startScript is what runs before anything is drawn: it finds the theme, whether the settings stand beside the results and whether this is a first visit, hides what
// is drawn already when the link is about something else, or what another laboratory opens
// on, and notes that the page is a frame in another one. An engine draws nothing, so of this document it wants only
// the start: the rest is not even read.
func startScript(shown []screenOf) string {
	var others strings.Builder
	for _, x := range shown[1:] {
		fmt.Fprintf(&others, "%s:%s,%s:%[2]s,", quote(x.fragment), quote(x.lab), quote("lab="+x.lab))
	}
	return "{const d=document.documentElement.dataset,q=new URLSearchParams(location.search),e=q.get('embed'),t=q.get('theme');" +
		"if(e!==null){d.embed=e==='edit'||e==='engine'?e:'view';d.linked='';d.theme=d.wanted=t==='light'||t==='dark'?t:''}else{" +
		"const h=location.hash.slice(1),o={" + others.String() + "}[h];" +
		"if(o)d.opens=o;else if(h&&h!==" + quote(shown[0].fragment) + "&&h!==" + quote("lab="+shown[0].lab) + ")d.linked='';" +
		"if(innerWidth>=1600)d.docked='';" +
		"try{d.theme=localStorage.getItem('spillway-theme')||'';const k=localStorage.getItem('spillway-docked');if(k==='no')delete d.docked;else if(k)d.docked='';if(!localStorage.getItem('spillway-visited')){d.new='';localStorage.setItem('spillway-visited','yes')}}catch{}}" +
		"d.theme||=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light';" +
		"if(e==='engine'){window.stop();for(const f of['wasm_exec.js','boot.js']){const s=document.createElement('script');s.async=false;s.src=f;document.head.append(s)}}}"
}

// quote makes a JavaScript string of a fragment.
func quote(text string) string {
	return "'" + strings.NewReplacer("'", "%27", "\\", "%5C", "<", "%3C").Replace(text) + "'"
}
