package host

import (
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"spillway/ui/lab/all"
	"spillway/ui/model/link"
)

// The picture that goes with an address in places that take no SVG: one for all
// figures, because the host has nothing that makes pixels of a drawing.
const (
	card       = "/screenshot.png"
	cardWidth  = 1280
	cardHeight = 900
)

// The size of an embedded figure, in pixels, if nobody says otherwise.
const (
	frameWidth  = 800
	frameHeight = 520
)

// page answers with the page of one figure: a picture that needs no script, what
// other places need to show a card or an embed, and the way into the simulator. A
// preset as it is has a page among the site's files, if these have it.
func (h *Host) page(w http.ResponseWriter, r *http.Request) *problem {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/f/"), "/")
	if file := name == "" || strings.Contains(name, "/"); file || r.URL.RawQuery == "" {
		res, err := h.Assets(r)
		if err != nil {
			return unanswered(err)
		}
		if file || res.StatusCode < http.StatusBadRequest {
			pass(w, r, res)
			return nil
		}
		_ = res.Body.Close()
	}
	x, p := read(name, r.URL.RawQuery)
	if p != nil {
		return p
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
	tagged(w, r, "text/html; charset=utf-8", []byte(x.html(origin(r.URL))))
	return nil
}

// html is the page of a figure.
func (x *want) html(at string) string {
	e := html.EscapeString
	here := at + "/f/" + url.PathEscape(x.name) + "?" + x.query()
	picture := "/figure/" + url.PathEscape(x.name) + ".svg?" + x.query()
	link := at + "/#" + x.fragment()
	card, oembed := at+card, at+"/oembed?format=json&url="+url.QueryEscape(here)
	var b strings.Builder
	meta := func(kind, name, content string) {
		b.WriteString("<meta " + kind + `="` + name + `" content="` + e(content) + "\">\n")
	}
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + e(x.title()) + " · Spillway</title>\n")
	meta("name", "description", x.about())
	meta("name", "color-scheme", "light dark")
	meta("property", "og:type", "website")
	meta("property", "og:site_name", "Spillway")
	meta("property", "og:title", x.title())
	meta("property", "og:description", x.about())
	meta("property", "og:url", here)
	meta("property", "og:image", card)
	meta("property", "og:image:width", strconv.Itoa(cardWidth))
	meta("property", "og:image:height", strconv.Itoa(cardHeight))
	meta("property", "og:image:alt", "The simulator's page, with another figure")
	meta("name", "twitter:card", "summary_large_image")
	meta("name", "twitter:title", x.title())
	meta("name", "twitter:description", x.about())
	meta("name", "twitter:image", card)
	b.WriteString(`<link rel="canonical" href="` + e(here) + "\">\n" +
		`<link rel="alternate" type="application/json+oembed" href="` + e(oembed) + `" title="` + e(x.title()) + "\">\n" +
		"<link rel=\"icon\" href=\"/icon.svg\" type=\"image/svg+xml\">\n" +
		"<style>:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:50rem;margin:2rem auto;padding:0 1rem}img{max-width:100%;height:auto}</style>\n</head>\n<body>\n<main>\n" +
		"<h1>" + e(x.title()) + "</h1>\n<p>" + e(x.about()) + "</p>\n" +
		`<p><img src="` + e(picture) + `" alt="` + e(x.chart.Title+", simulated. The picture's own description says its values.") + "\"></p>\n" +
		`<p><a href="` + e(link) + "\">Open it in Spillway</a>, to see all charts and change the settings. " +
		`<a href="` + e(picture) + "\">The picture</a> has its data inside.</p>\n</main>\n</body>\n</html>\n")
	return b.String()
}

// An embed is an oEmbed answer of the type rich.
type embed struct {
	Version         string `json:"version"`
	Type            string `json:"type"`
	Title           string `json:"title"`
	ProviderName    string `json:"provider_name"`
	ProviderURL     string `json:"provider_url"`
	CacheAge        int    `json:"cache_age"`
	ThumbnailURL    string `json:"thumbnail_url"`
	ThumbnailWidth  int    `json:"thumbnail_width"`
	ThumbnailHeight int    `json:"thumbnail_height"`
	Width           int    `json:"width"`
	Height          int    `json:"height"`
	HTML            string `json:"html"`
}

// oembed answers how to embed one of this host's figures. Whoever asks never sees
// what is behind a #, so that it works with /f/PRESET?SETTINGS, and with a link of
// the page only where that comes whole.
func (h *Host) oembed(w http.ResponseWriter, r *http.Request) *problem {
	if len(r.URL.RawQuery) > 2*MaxQuery {
		return refused(http.StatusRequestURITooLong, "the address has %d bytes behind its ?; want at most %d", len(r.URL.RawQuery), 2*MaxQuery)
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refused(http.StatusBadRequest, "the address is damaged: %v", err)
	}
	if format := q.Get("format"); format != "" && format != "json" {
		return refused(http.StatusNotImplemented, "the format %q is not there; ask for json", cut(format))
	}
	of, err := url.Parse(q.Get("url"))
	if err != nil || of.Host != r.URL.Host || of.Scheme != "http" && of.Scheme != "https" {
		return refused(http.StatusNotFound, "url is no address of this host; want url=%s/f/PRESET?SETTINGS, escaped", origin(r.URL))
	}
	title, src, p := embedded(of, origin(r.URL))
	if p != nil {
		return p
	}
	a := embed{
		Version: "1.0", Type: "rich", Title: title, ProviderName: "Spillway", ProviderURL: origin(r.URL) + "/", CacheAge: 86400,
		ThumbnailURL: origin(r.URL) + card, ThumbnailWidth: cardWidth, ThumbnailHeight: cardHeight,
	}
	if a.Width, p = least(&q, "maxwidth", frameWidth); p != nil {
		return p
	}
	if a.Height, p = least(&q, "maxheight", frameHeight); p != nil {
		return p
	}
	a.HTML = `<iframe src="` + html.EscapeString(src) + `" title="` + html.EscapeString(title) + `" width="` + strconv.Itoa(a.Width) + `" height="` + strconv.Itoa(a.Height) +
		`" style="border:0;max-width:100%" loading="lazy" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads"></iframe>`
	body, err := json.Marshal(&a)
	if err != nil {
		return refused(http.StatusInternalServerError, "%v", err)
	}
	tagged(w, r, "application/json; charset=utf-8", body)
	return nil
}

// embedded is what a frame about an address shows.
func embedded(of *url.URL, at string) (title, src string, p *problem) {
	name, ok := strings.CutPrefix(of.Path, "/f/")
	if ok {
		x, p := read(strings.Trim(name, "/"), of.RawQuery)
		if p != nil {
			return "", "", p
		}
		return x.title(), at + "/?embed=view&only=" + url.QueryEscape(x.chart.ID) + "#" + x.fragment(), nil
	}
	if of.Path != "/" && of.Path != "/index.html" && of.Path != "" {
		return "", "", refused(http.StatusNotFound, "nothing at this address can be embedded; figures are at /f/PRESET?SETTINGS")
	}
	if of.Fragment == "" {
		return "", "", refused(http.StatusNotFound, "this address does not say which figure; what is behind a # did not arrive. Use /f/PRESET?SETTINGS")
	}
	fragment, err := link.Parse(of.EscapedFragment())
	if err != nil {
		return "", "", refused(http.StatusBadRequest, "%v", err)
	}
	l, preset, p := find(cmp.Or(fragment.Lab, all.Labs[0].Name))
	if p != nil {
		return "", "", p
	}
	if preset != "" {
		return "", "", refused(http.StatusNotFound, "there is no laboratory %q", cut(fragment.Lab))
	}
	info := l.Complete()
	s, err := link.Read(&info, fragment.Pairs)
	if err != nil {
		return "", "", refused(http.StatusBadRequest, "%v", err)
	}
	return info.Title, at + "/?embed=view#" + link.Encode(&info, &s), nil
}

// least is a size, or what the question allows if that is less.
func least(q *url.Values, key string, usual int) (int, *problem) {
	text := q.Get(key)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, refused(http.StatusBadRequest, "%s is %q; want pixels", key, cut(text))
	}
	return min(n, usual), nil
}
