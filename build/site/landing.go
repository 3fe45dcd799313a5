package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"html/template"
	"image/png"
	"net/url"
	"regexp"
	"strings"

	"spillway/build/tree"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/headless"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/state"

	_ "embed"
)

// landing is the page of one preset, below f/, and landings the list of them.
//
//go:embed landing.html
var landing string

//go:embed landings.html
var landings string

// figures is where presets have their pages, examples where documents with live
// figures are. Neither is part of the offline copy.
const (
	figures  = "f/"
	examples = "examples/"
)

// maxPicture is how large a picture may be that comes as a file. Curves with
// thousands of points are larger: of these the pages have the table, and the chart
// when it is run.
const maxPicture = 100_000

// A preset is what its page and the examples show of it. All addresses are
// relative to its folder, because the site may be in any, but those that begin
// with Origin.
type preset struct {
	Key, Title, About, Lab string
	Opens                  template.URL // the fragment of what it opens on
	Link                   template.URL // the fragment of its charts
	Says, Trust            string
	Policy                 *policy // that somebody wrote, nil without one
	Charts                 []drawn
	Version                string
	Origin                 string // where the site will be, with a slash at the end; empty if unknown
	Card                   card
}

// A policy is a text that a system follows, with its name and how long it is.
type policy struct{ Name, Text string }

// A drawn is a chart of a preset, as a file and as a table.
type drawn struct {
	*chart.View
	SVG           string // empty if it is too large
	Width, Height int
}

// Only is the attribute that names the chart to the component. It is whole here
// because a template takes every attribute that begins with "on" for a script, and
// would write the chart's name as one.
func (d *drawn) Only() template.HTMLAttr {
	return template.HTMLAttr(`only="` + html.EscapeString(d.ID) + `"`)
}

// A card is the picture that goes with a preset's address in other places, which
// take no SVG.
type card struct {
	File, Alt     string
	Width, Height int
}

// A shown is a preset and what the page shows of it, before a version and an address
// are known.
type shown struct {
	door   labs.Entry
	title  string // of the laboratory
	of     lab.Preset
	opens  string // the fragment of what the preset opens on
	link   string // the fragment of its charts
	says   string
	views  []chart.View
	policy *policy // that a compared system follows, nil without one
}

// showPresets runs what all laboratories offer to begin with.
func showPresets(ctx context.Context, say *progress) ([]shown, error) {
	var all []shown
	for _, door := range labs.Labs {
		list, err := presets(door)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	said := say.begin(fmt.Sprintf("running %d presets", len(all)), len(all))
	err := each(ctx, len(all), func(i int) error {
		defer said.add(1)
		return all[i].show()
	})
	if err == nil {
		said.end()
	}
	return all, err
}

// presets are those of a laboratory with their links, still to be shown.
func presets(door labs.Entry) ([]shown, error) {
	l := door.New()
	n, err := headless.Open(l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", door.Name, err)
	}
	var all []shown
	for _, x := range l.Presets {
		n.UsePreset(x.Key)
		opens := n.Link()
		n.SetView(state.Explore) // some open on a question
		all = append(all, shown{door: door, title: l.Title, of: x, opens: opens, link: n.Link()})
	}
	return all, nil
}

// show runs a preset. The laboratory is another one each time: it does one thing at a
// time.
func (x *shown) show() error {
	n, err := headless.Show(x.door.New(), nil, x.link)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", x.door.Name, x.of.Key, err)
	}
	x.says, x.views = chart.Headline(n.Info, n.Runs.ChartRuns()), n.Charts()
	if name, text := n.Proof.Brought(); text != "" {
		x.policy = &policy{name, text}
	}
	return nil
}

// addLandings writes f/PRESET/ for every preset of every laboratory: a page that
// needs no script, with the charts as SVG files, and fills in the examples.
func (s site) addLandings(from []shown, origin string) error {
	version := s.version()
	if version == "" {
		return errors.New("index.html names no version")
	}
	page, err := template.New("landing").Parse(landing)
	if err != nil {
		return err
	}
	index, err := template.New("landings").Parse(landings)
	if err != nil {
		return err
	}
	all := make([]*preset, len(from))
	err = each(context.Background(), len(from), func(i int) error {
		all[i] = from[i].draw(version, origin)
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := s.addLanding(page, p); err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
	}
	var b bytes.Buffer
	if err := index.Execute(&b, all); err != nil {
		return err
	}
	return errors.Join(tree.Add(s, figures+"index.html", b.Bytes()), s.fillExamples(all))
}

// size is how an SVG of package draw begins.
var size = regexp.MustCompile(`^<svg [^>]*\bwidth="(\d+)" height="(\d+)"`)

// draw draws what was shown, for a version of the site at its address.
func (x *shown) draw(version, origin string) *preset {
	p := &preset{
		Key: x.of.Key, Title: x.of.Title, About: x.of.About, Lab: x.title, Opens: template.URL(x.opens), Link: template.URL(x.link), Says: x.says,
		Version: version, Origin: origin, Card: card{File: "screenshot-" + x.door.Name + ".png"},
	}
	p.Policy = x.policy
	link := "#" + x.link
	if origin != "" {
		link = origin + link
	} else {
		link = "../../" + link
	}
	for i := range x.views {
		v := &x.views[i]
		p.Trust = v.Mode
		if v.Figure == nil || v.Empty != "" {
			continue
		}
		d := drawn{View: v, SVG: draw.SVG(v, draw.Options{Link: link, Version: version})}
		if m := size.FindStringSubmatch(d.SVG); m != nil {
			_, _ = fmt.Sscan(m[1], &d.Width) // it is digits
			_, _ = fmt.Sscan(m[2], &d.Height)
		}
		if len(d.SVG) > maxPicture {
			d.SVG = ""
		}
		p.Charts = append(p.Charts, d)
	}
	return p
}

// Data says what the page is about to programs that read schema.org.
func (p *preset) Data() any {
	of := map[string]any{"@type": "SoftwareApplication", "name": "Spillway", "softwareVersion": p.Version, "applicationCategory": "Simulator", "operatingSystem": "any, in a browser", "license": "https://www.apache.org/licenses/LICENSE-2.0"}
	data := map[string]any{
		"@context": "https://schema.org", "@type": "Dataset", "name": p.Title, "description": p.About + " " + p.Says, "isAccessibleForFree": true,
		"license": of["license"], "creator": map[string]any{"@type": "Organization", "name": "The Spillway authors"}, "version": p.Version, "isBasedOn": of,
	}
	if p.Origin != "" {
		of["url"], data["url"] = p.Origin, p.Address()
		var files []any
		for _, c := range p.Charts {
			if c.SVG == "" {
				continue
			}
			files = append(files, map[string]any{"@type": "DataDownload", "encodingFormat": "image/svg+xml", "name": c.Title, "contentUrl": p.Address() + c.ID + ".svg"})
		}
		data["distribution"] = files
	}
	return data
}

// Address is where the preset's page is, if the origin is known.
func (p *preset) Address() string { return p.Origin + figures + p.Key + "/" }

// Frame is what other pages show of it.
func (p *preset) Frame() string {
	site := cmp.Or(p.Origin, "https://SITE/")
	return fmt.Sprintf(`<iframe src="%s?embed=view#%s" title="%s" width="100%%" height="620" loading="lazy" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads" referrerpolicy="no-referrer"></iframe>`,
		html.EscapeString(site), html.EscapeString(string(p.Link)), html.EscapeString(p.Title))
}

// addLanding writes the files of one preset.
func (s site) addLanding(page *template.Template, p *preset) error {
	folder := figures + p.Key + "/"
	if err := s.addCard(p, folder); err != nil {
		return err
	}
	for _, c := range p.Charts {
		if c.SVG == "" {
			continue
		}
		if err := tree.Add(s, folder+c.ID+".svg", []byte(c.SVG)); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := page.Execute(&b, p); err != nil {
		return err
	}
	if err := tree.Add(s, folder+"index.html", b.Bytes()); err != nil || p.Origin == "" {
		return err // a card for other places needs whole addresses
	}
	data, err := json.MarshalIndent(map[string]any{
		"version": "1.0", "type": "rich", "provider_name": "Spillway", "provider_url": p.Origin, "title": p.Title, "author_name": "The Spillway authors",
		"width": 800, "height": 620, "html": p.Frame(), "cache_age": 86400,
		"thumbnail_url": p.Origin + p.Card.File, "thumbnail_width": p.Card.Width, "thumbnail_height": p.Card.Height,
	}, "", "  ")
	if err != nil {
		return err
	}
	return tree.Add(s, folder+"oembed.json", data)
}

// addCard gives a preset the picture that goes with its address: its first chart, or, where
// that is too large, the laboratory's page. Who knows no address can show neither.
func (s site) addCard(p *preset, folder string) error {
	if p.Origin == "" {
		return nil
	}
	for _, c := range p.Charts {
		if c.SVG == "" {
			continue
		}
		data, err := paint(c.SVG)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		p.Card = card{File: folder + "card.png", Alt: c.Title + ". " + c.Text, Width: cardWidth, Height: cardHeight}
		return tree.Add(s, p.Card.File, data)
	}
	if s[p.Card.File] == nil { // the first laboratory's, and of those that have none yet
		p.Card.File = "screenshot.png"
	}
	picture, err := png.DecodeConfig(bytes.NewReader(s[p.Card.File]))
	if err != nil {
		return fmt.Errorf("%s: %w", p.Card.File, err)
	}
	p.Card.Alt = "Spillway, the laboratory " + p.Lab
	p.Card.Width, p.Card.Height = picture.Width, picture.Height
	return nil
}

// asks is what an example leaves to be filled in: @link PRESET@, the same as @raw
// PRESET@ in a string of JSON, @alt PRESET/CHART@, @text PRESET/CHART@, @data PRESET/CHART@, @site@.
var asks = regexp.MustCompile(`@(link|raw|alt|text|data|site)( [\w-]+)?(/[\w-]+)?@`)

// fillExamples puts links, sentences and pictures of presets into the examples, so
// that they are those of this version.
func (s site) fillExamples(all []*preset) error {
	var errs []error
	for name, data := range s {
		if !strings.HasPrefix(name, examples) {
			continue
		}
		s[name] = asks.ReplaceAllFunc(data, func(ask []byte) []byte {
			m := asks.FindSubmatch(ask)
			text, err := answer(all, string(m[1]), strings.TrimSpace(string(m[2])), strings.TrimPrefix(string(m[3]), "/"))
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", name, ask, err))
			}
			if string(m[1]) == "raw" {
				quoted, _ := json.Marshal(text) // a string always can be
				return bytes.Trim(quoted, `"`)
			}
			return []byte(html.EscapeString(text))
		})
	}
	return errors.Join(errs...)
}

// answer is one thing that an example wants to know.
func answer(all []*preset, what, key, id string) (string, error) {
	if what == "site" {
		if all[0].Origin != "" {
			return all[0].Origin, nil
		}
		return "https://SITE/", nil // as in the code for frames
	}
	for _, p := range all {
		if p.Key != key {
			continue
		}
		if what == "link" || what == "raw" {
			return string(p.Link), nil
		}
		for _, c := range p.Charts {
			switch {
			case c.ID != id:
			case what == "alt":
				return c.Alt, nil
			case what == "text":
				return c.Text, nil
			case c.SVG != "":
				return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(c.SVG)), nil
			}
		}
	}
	return "", errors.New("there is no such preset or chart")
}

// origin checks where the site will be, and gives it a slash at the end.
func origin(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("-origin %q: want the address of the site, as https://example.org/spillway/", text)
	}
	return strings.TrimSuffix(u.String(), "/") + "/", nil
}
