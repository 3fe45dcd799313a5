package host_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"spillway/ui/draw"
	"spillway/ui/headless"
	"spillway/ui/lab/all"
	"spillway/ui/model/link"
	"spillway/wasm/edge/host"
)

const at = "https://spillway.test"

// quick is a figure that takes milliseconds.
const quick = "/figure/g10-paper.svg?batch=16&gpu_memory=2&systems=ideal,uvm&chart=throughput"

// newHost returns a host whose site has one file, and what it keeps.
func newHost() (*host.Host, map[string][]byte) {
	kept := map[string][]byte{}
	h := &host.Host{Version: "v1", Get: func(a string) []byte { return kept[a] }, Put: func(a string, b []byte) { kept[a] = b }}
	h.Assets = func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		switch r.URL.Path {
		case "/broken":
			return nil, errors.New("no binding")
		case "/f/there", "/f/there/picture.svg":
			_, _ = io.WriteString(w, "a file")
		default:
			http.Error(w, "no such file", http.StatusNotFound)
		}
		return w.Result(), nil
	}
	return h, kept
}

func ask(t *testing.T, h *host.Host, method, address string, headers ...string) (int, http.Header, string) {
	t.Helper()
	r := httptest.NewRequest(method, at+address, strings.NewReader(""))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Result().Header, w.Body.String()
}

// TestFigure computes a figure, which is the page's own drawing of the same state.
func TestFigure(t *testing.T) {
	h, kept := newHost()
	code, header, text := ask(t, h, "GET", quick)
	if code != 200 || header.Get("Content-Type") != "image/svg+xml; charset=utf-8" || header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") || len(kept) != 1 {
		t.Fatalf("%d %v %d kept: %.300s", code, header, len(kept), text)
	}
	link := regexp.MustCompile(` link="([^"]*)"`).FindStringSubmatch(text)
	if link == nil {
		t.Fatal("no link in the drawing")
	}
	page, fragment, _ := strings.Cut(html.UnescapeString(link[1]), "#")
	l, err := all.Find("train")
	if err != nil || page != at+"/" {
		t.Fatalf("link %q, %v", link[1], err)
	}
	n, err := headless.Show(l, nil, fragment)
	if err != nil {
		t.Fatal(err)
	}
	if n.State.Setup.Text("batch") != "16" || len(n.State.On) != 2 {
		t.Errorf("the link says %s, %q", n.State.Setup, n.State.On)
	}
	v := n.Charts()[0]
	if want := draw.SVG(&v, draw.Options{Link: at + "/#" + fragment, Version: "v1"}); want != text {
		t.Error("the page draws something else")
	}

	tag := header.Get("ETag")
	if ok := regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(tag); !ok {
		t.Errorf("ETag %s", tag)
	}
	if code, _, body := ask(t, h, "GET", quick, "If-None-Match", `"x", W/`+tag); code != 304 || body != "" {
		t.Errorf("again: %d %q", code, body)
	}
	// The same run, said in another way, is the same; another theme is not.
	code, header, again := ask(t, h, "GET", "/figure/g10-paper.svg?gpu_memory=2.0&chart=throughput&theme=auto&systems=uvm,ideal&batch=16")
	if code != 200 || again != text || len(kept) != 1 || header.Get("X-Spillway-Cache") != "hit" {
		t.Errorf("%d, %d kept, %s", code, len(kept), header.Get("X-Spillway-Cache"))
	}
	if _, header, dark := ask(t, h, "GET", quick+"&theme=dark&width=400"); dark == text || header.Get("ETag") == tag || len(kept) != 2 {
		t.Error("another theme is the same drawing")
	}
	if code, header, body := ask(t, h, "HEAD", quick); code != 200 || body != "" || header.Get("ETag") != tag {
		t.Errorf("HEAD: %d %q", code, body)
	}
	for _, name := range []string{"store", "services"} {
		if code, _, text := ask(t, h, "GET", "/figure/"+name+".svg?chart=hits"); code != 200 || !strings.HasPrefix(text, "<svg") {
			t.Errorf("%s: %d %.200s", name, code, text)
		}
	}
}

// TestOwnPolicy draws what a policy in the address does, as long as that is little work: one that
// asks for more is given up, and the link in the drawing has the work that it had.
func TestOwnPolicy(t *testing.T) {
	h, _ := newHost()
	for _, policy := range []string{"evict=-last", "evict=next*min(size,short)+sqrt(age)*uses/max(size,1)"} {
		code, _, text := ask(t, h, "GET", "/figure/store.svg?workload=table-and-blocks&systems=own,lru&policy_work=1000&policy="+url.QueryEscape(policy))
		link := regexp.MustCompile(` link="[^"]*#([^"]*)"`).FindStringSubmatch(text)
		if code != 200 || link == nil {
			t.Fatalf("%d %.300s", code, text)
		}
		l, err := all.Find("store")
		if err != nil {
			t.Fatal(err)
		}
		n, err := headless.Show(l, nil, html.UnescapeString(link[1]))
		if err != nil || n.State.Setup.Text("policy") != policy || n.State.Setup.Text("policy_work") != "10" {
			t.Errorf("%v, %s", err, n.State.Setup)
		}
	}
}

// TestRefused says in a sentence what is wrong with an address, and does no work.
func TestRefused(t *testing.T) {
	for _, x := range []struct {
		address string
		code    int
		want    string
	}{
		{"/figure/g10-paper.svg?gpu_memory=lots", 400, "GPU memory"},
		{"/figure/g10-paper.svg?gpu_memory=0", 400, "want 0.015625 to 4096"},
		{"/figure/g10-paper.svg?ssd_read=20&ssd_write=30", 400, "SSD write (30 GB/s) is faster"},
		{"/figure/g10-paper.svg?colour=red", 400, `unknown setting "colour"`},
		{"/figure/g10-paper.svg?entry=mine", 400, "opened files"},
		{"/figure/g10-paper.svg?batch=16&batch=17", 400, "says batch twice"},
		{"/figure/g10-paper.svg?chart=x", 400, "there are throughput, "},
		{"/figure/g10-paper.svg?theme=pink", 400, "auto, light, dark"},
		{"/figure/g10-paper.svg?width=1e9", 400, "240 to 2000"},
		{"/figure/store.svg?systems=own&policy=evict:1", 400, "Policy 1:6: here should be ="},
		{"/figure/store.svg?systems=lru&policy=evict:1", 400, "Policy 1:6: here should be ="}, // which nothing follows
		{"/figure/train.svg?systems=own&policy=score%3D((", 400, "Policy 1:"},
		{"/figure/llm.svg?systems=own&policy=nope", 400, "Policy 1:"},
		{"/figure/serve.svg?systems=host,own&policy=evict%3Dnope", 400, "Policy 1:7: nope is unknown"},
		{"/figure/g10-paper.svg?systems=", 400, "systems names none"},
		{"/figure/g10-paper.svg?systems=magic", 400, `"magic"`},
		{"/figure/g10-paper.svg?view=reproduce", 400, `unknown setting "view"`},
		{"/figure/g10-paper.svg?run=name%3DA", 400, `unknown setting "run"`},
		{"/figure/g10-paper.svg?%zz", 400, "damaged"},
		{"/figure/g10-paper.svg?" + strings.Repeat("a", host.MaxQuery+1), 414, "at most 1000"},
		{"/figure/g10-paper.svg?" + strings.Repeat("a=1&", host.MaxSettings+1), 400, "at most 32"},
		{"/figure/nothing.svg", 404, "there are gpt2-xl-rtx-4090, "},
		{"/figure/<script>alert(1)</script>.svg", 404, "no preset"},
		{"/figure/g10-paper.png", 404, "/figure/PRESET.svg"},
		{"/figure/", 404, "/figure/PRESET.svg"},
		{"/figure/store.svg?workload=networks&model=resnet-152&clients=8", 422, "too much work for this host: up to 19215096 steps of 6 systems are 25219811, and it does 300000"},
		{"/figure/gpt2-xl-rtx-4090.svg?ssd=990-pro", 422, "too much work"},
		{"/figure/g10-paper.svg?batch=4097", 422, "too much work"},
		{"/figure/filesys.svg?workload=varmail&calls=1000000000000&systems=bytefs", 422, "too much work"},
		{"/figure/llama3-70b.svg?layers=81&systems=teraio-mixed", 422, "too much work"},
		{"/figure/llama3-70b.svg?layers=1024&encoder=1024&systems=teraio-mixed", 422, "too much work"},
		{"/f/g10-paper?gpu_memory=lots", 400, "GPU memory"},
		{"/f/nothing", 404, "there are gpt2-xl-rtx-4090, "},
		{"/oembed", 404, "url is no address of this host"},
		{"/oembed?url=" + url.QueryEscape("https://elsewhere.test/f/g10-paper"), 404, "url is no address of this host"},
		{"/oembed?url=" + url.QueryEscape(at+"/"), 404, "behind a # did not arrive"},
		{"/oembed?url=" + url.QueryEscape(at+"/app.wasm"), 404, "nothing at this address"},
		{"/oembed?format=xml&url=" + url.QueryEscape(at+"/f/g10-paper"), 501, "json"},
		{"/oembed?url=" + url.QueryEscape(at+"/f/g10-paper?gpu_memory=lots"), 400, "GPU memory"},
		{"/oembed?maxwidth=no&url=" + url.QueryEscape(at+"/f/g10-paper"), 400, "maxwidth"},
		{"/oembed?url=" + url.QueryEscape(at+"/#v=99"), 400, "newer Spillway"},
		{"/broken", 502, "no binding"},
	} {
		h, kept := newHost()
		code, header, text := ask(t, h, "GET", strings.NewReplacer("<", "%3C", ">", "%3E").Replace(x.address))
		if code != x.code || !strings.Contains(text, x.want) || len(kept) > 0 {
			t.Errorf("%.80s: %d %q; want %d and %q", x.address, code, text, x.code, x.want)
		}
		if header.Get("Content-Type") != "text/plain; charset=utf-8" || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Cache-Control") != "no-store" || header.Get("ETag") != "" {
			t.Errorf("%.80s: %v", x.address, header)
		}
	}
	h, _ := newHost()
	r := httptest.NewRequest("POST", at+quick, strings.NewReader(strings.Repeat("x", host.MaxBody+1)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if text := w.Body.String(); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "takes at most 65536. Files are for the page") {
		t.Errorf("%d: %s", w.Code, text)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		if code, header, _ := ask(t, h, method, quick); code != 405 || header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, code)
		}
	}
}

// TestPage reads the page of a figure: what it shows and what it says about itself
// is there and is not markup.
func TestPage(t *testing.T) {
	h, kept := newHost()
	code, header, text := ask(t, h, "GET", "/f/g10-paper?batch=16&gpu_memory=2&chart=causes")
	if code != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") || strings.Contains(header.Get("Content-Security-Policy"), "script") || header.Get("ETag") == "" || len(kept) > 0 {
		t.Fatalf("%d %v", code, header)
	}
	for _, want := range []string{
		`<meta property="og:title" content="Time beyond ideal, by what it was spent on · As in the G10 paper">`, `<meta name="twitter:card" content="summary_large_image">`,
		`With Batch size 16`, `content="` + at + `/screenshot.png"`, `href="` + at + `/#v=`, `src="/figure/g10-paper.svg?batch=16&amp;gpu_memory=2&amp;chart=causes"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	f, err := os.Open("../../../public/screenshot.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := png.DecodeConfig(f)
	if err != nil || !strings.Contains(text, `og:image:width" content="`+itoa(size.Width)+`"`) || !strings.Contains(text, `og:image:height" content="`+itoa(size.Height)+`"`) {
		t.Errorf("the card is %d×%d, %v", size.Width, size.Height, err)
	}
	// What the page refers to is there.
	for _, m := range regexp.MustCompile(`(?:href|src)="(?:`+at+`)?(/(?:figure|oembed)[^"]*)"`).FindAllStringSubmatch(text, -1) {
		if code, _, body := ask(t, h, "GET", html.UnescapeString(m[1])); code != 200 {
			t.Errorf("%s: %d %s", m[1], code, body)
		}
	}
	if _, _, text := ask(t, h, "GET", "/f/there"); text != "a file" {
		t.Errorf("a page of the site: %q", text)
	}
	if _, _, text := ask(t, h, "GET", "/f/there/picture.svg?x"); text != "a file" {
		t.Errorf("a file of the site: %q", text)
	}
	if code, _, text := ask(t, h, "GET", "/f/there/none.svg"); code != 404 || text != "no such file\n" {
		t.Errorf("no file of the site: %d %q", code, text)
	}
	if code, _, _ := ask(t, h, "GET", "/f/g10-paper"); code != 200 {
		t.Errorf("a preset without a page of the site: %d", code)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// TestOEmbed reads answers as consumers do.
func TestOEmbed(t *testing.T) {
	h, _ := newHost()
	for _, x := range []struct{ of, title, src string }{
		{at + "/f/g10-paper?batch=16&chart=causes", "Time beyond ideal, by what it was spent on · As in the G10 paper", at + "/?embed=view&only=causes#v="},
		{at + "/f/store/", "", at + "/?embed=view&only="},
		{at + "/#v=3&lab=store&gpu_memory=6", "Object store", at + "/?embed=view#v="},
	} {
		code, header, text := ask(t, h, "GET", "/oembed?format=json&maxwidth=300&url="+url.QueryEscape(x.of))
		var a struct {
			Version, Type, Title, HTML string
			Width, Height              int
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil || code != 200 || header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d, %v: %s", x.of, code, err, text)
			continue
		}
		var frame struct {
			XMLName xml.Name `xml:"iframe"`
			Src     string   `xml:"src,attr"`
			Sandbox string   `xml:"sandbox,attr"`
		}
		if err := xml.Unmarshal([]byte(a.HTML), &frame); err != nil || !strings.HasPrefix(frame.Src, x.src) || strings.Contains(frame.Sandbox, "same-origin") {
			t.Errorf("%s: %v %+v", x.of, err, frame)
		}
		_, fragment, _ := strings.Cut(frame.Src, "#")
		if _, err := link.Parse(fragment); err != nil {
			t.Errorf("%s: %v", frame.Src, err)
		}
		if a.Version != "1.0" || a.Type != "rich" || a.Width != 300 || a.Height != 520 || x.title != "" && a.Title != x.title {
			t.Errorf("%+v", a)
		}
	}
}

// FuzzAddress asks for anything; every answer is one of those that there are, and
// what is markup can be read. Runs that are let through are not part of it.
func FuzzAddress(f *testing.F) {
	for _, a := range []string{"g10-paper?batch=16", "store?clients=\"><script>", "x'\"<>&?chart=%00", "train?systems=ideal&theme=dark&width=300", "g10-paper?gpu_memory=%3Cb%3E"} {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.Parse(at + "/f/" + address)
		if err != nil || u.Host != "spillway.test" {
			return
		}
		h, _ := newHost()
		for _, u := range []*url.URL{u, {Scheme: "https", Host: "spillway.test", Path: "/oembed", RawQuery: "url=" + url.QueryEscape(u.String())}} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, &http.Request{Method: "GET", URL: u, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))})
			body := w.Body.String()
			if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") && strings.Contains(strings.ToLower(body), "<script") || w.Code >= 500 && w.Code != 501 {
				t.Errorf("%s: %d %s", u, w.Code, body)
			}
		}
	})
}

// Pages that are isolated may show every answer, and frame those that are pages.
func TestIsolatedPagesTakeAnswers(t *testing.T) {
	h, _ := newHost()
	for _, address := range []string{quick, strings.Replace(strings.Replace(quick, "/figure/", "/f/", 1), ".svg", "", 1), "/oembed?url=" + at + "/f/g10-paper/", "/figure/nothing.svg"} {
		_, header, _ := ask(t, h, "GET", address)
		for key, want := range map[string]string{"Cross-Origin-Resource-Policy": "cross-origin", "Cross-Origin-Embedder-Policy": "require-corp"} {
			if got := header.Get(key); got != want {
				t.Errorf("%s: %s: %q", address, key, got)
			}
		}
	}
}

// TestPresets: every preset that the site has a page of has a figure here, a page with
// settings, and is told how to embed; whatever work it is as it stands.
func TestPresets(t *testing.T) {
	h, _ := newHost()
	n := 0
	for _, d := range all.Labs {
		l := d.New()
		for i := range l.Presets {
			p := &l.Presets[i]
			n++
			name, first := p.Key, l.Systems[0].Name
			if code, _, text := ask(t, h, "GET", "/figure/"+name+".svg?systems="+first); code != 200 || !strings.HasPrefix(text, "<svg") {
				t.Errorf("%s: %d %.200s", name, code, text)
			}
			if i > 0 {
				continue // the rest does not differ from preset to preset
			}
			if code, _, text := ask(t, h, "GET", "/f/"+name+"?theme=dark"); code != 200 || !strings.Contains(text, html.EscapeString(p.Title)) {
				t.Errorf("the page of %s: %d %.200s", name, code, text)
			}
			if code, _, text := ask(t, h, "GET", "/oembed?url="+url.QueryEscape(at+"/f/"+name+"/")); code != 200 {
				t.Errorf("oEmbed of %s: %d %.200s", name, code, text)
			}
		}
	}
	if n < 38 {
		t.Errorf("%d presets", n)
	}
	if code, _, text := ask(t, h, "GET", "/figure/llama3-70b.svg?systems=teraio-mixed"); code != 200 || !strings.HasPrefix(text, "<svg") {
		t.Errorf("a preset that is more work than a figure with settings may be: %d %.200s", code, text)
	}
}
