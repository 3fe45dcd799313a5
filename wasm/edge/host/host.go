// Package host is what the optional host answers besides the site's files: figures
// as SVG, computed for the asking by the same core as in the page, pages about them
// and oEmbed. It knows no platform; wasm/edge joins it to one.
//
// Everything in an address is untrusted: it is limited before it is read, read by
// the laboratories' own settings, and escaped wherever it is said again.
package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"spillway/ui/lab"
	"spillway/ui/lab/all"
)

// Limits. The platform has its own, of CPU time and memory; these are such that a
// request that is let through stays below those of a paid plan.
const (
	MaxQuery    = 1000      // bytes
	MaxSettings = 32        // in one address
	MaxSteps    = 300_000   // of work (lab.MostSteps says what one is), over all systems; presets as they are may be more
	MaxPolicy   = 10        // million operations of a policy that somebody wrote, as the setting counts them
	MaxAnswer   = 2_000_000 // bytes
	MaxBody     = 64 << 10  // bytes of a request, which nothing here reads
	MinWidth    = 240       // pixels
	MaxWidth    = 2000
)

// A Host answers requests.
type Host struct {
	Version string // of the site
	// Assets answers with a file of the site.
	Assets func(*http.Request) (*http.Response, error)
	// Get returns what Put has kept under an address, nil if nothing. Either may be nil.
	Get func(address string) []byte
	Put func(address string, body []byte)
}

// A problem is an answer that is none.
type problem struct {
	status int
	text   string
}

func refused(status int, format string, a ...any) *problem {
	return &problem{status, fmt.Sprintf(format, a...)}
}

func (p *problem) write(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	send(w, p.status, "text/plain; charset=utf-8", []byte(strings.TrimSuffix(p.text, ".")+".\n"), false)
}

// ServeHTTP answers a request.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if recover() != nil {
			refused(http.StatusInternalServerError, "this host has a bug; the site itself works without it").write(w)
		}
	}()
	// An unread body would block the connection's next request.
	switch n, err := io.Copy(io.Discard, r.Body); {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case n > MaxBody:
		refused(http.StatusRequestEntityTooLarge, "the request has a body of %d bytes; this host reads none, and takes at most %d. Files are for the page, which opens them without sending them anywhere", n, MaxBody).write(w)
		return
	}
	head := r.Method == http.MethodHead
	if r.Method != http.MethodGet && !head {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	var p *problem
	name, isFigure := strings.CutPrefix(r.URL.Path, "/figure/")
	switch {
	case isFigure:
		p = h.figure(w, r, name)
	case r.URL.Path == "/oembed":
		p = h.oembed(w, r)
	case strings.HasPrefix(r.URL.Path, "/f/"):
		p = h.page(w, r)
	default:
		p = h.file(w, r)
	}
	if p != nil {
		p.write(w)
	}
}

// file passes a request on to the site's files.
func (h *Host) file(w http.ResponseWriter, r *http.Request) *problem {
	res, err := h.Assets(r)
	if err != nil {
		return unanswered(err)
	}
	pass(w, r, res)
	return nil
}

func unanswered(err error) *problem {
	return refused(http.StatusBadGateway, "the site's files do not answer: %v", err)
}

// pass passes an answer on.
func pass(w http.ResponseWriter, r *http.Request, res *http.Response) {
	defer res.Body.Close()
	maps.Copy(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	if r.Method == http.MethodGet {
		// Too late for another answer; the client sees a short body.
		_, _ = io.Copy(w, res.Body)
	}
}

// send writes an answer that other sites may use.
func send(w http.ResponseWriter, status int, mime string, body []byte, head bool) {
	for key, text := range map[string]string{
		"Content-Type": mime, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin", "Cross-Origin-Embedder-Policy": "require-corp",
	} {
		w.Header().Set(key, text)
	}
	if w.Header().Get("Content-Security-Policy") == "" {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	}
	w.WriteHeader(status)
	if !head {
		_, _ = w.Write(body)
	}
}

// tagged sends an answer that may be kept and asked for again by what it is.
func tagged(w http.ResponseWriter, r *http.Request, mime string, body []byte) {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	for t := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == tag {
			send(w, http.StatusNotModified, mime, nil, true)
			return
		}
	}
	send(w, http.StatusOK, mime, body, r.Method == http.MethodHead)
}

// origin is where the host is, as its visitors see it.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// find returns the laboratory with a preset, or the one with that name, whose
// settings are then as by default.
func find(name string) (l lab.Lab, preset string, p *problem) {
	var names []string
	for _, d := range all.Labs {
		l := d.New()
		if d.Name == name {
			return l, "", nil
		}
		for i := range l.Presets {
			if l.Presets[i].Key == name {
				return l, name, nil
			}
			names = append(names, l.Presets[i].Key)
		}
	}
	for _, d := range all.Labs {
		names = append(names, d.Name)
	}
	return lab.Lab{}, "", refused(http.StatusNotFound, "there is no preset %q; there are %s", cut(name), strings.Join(names, ", "))
}

// cut is a text from outside, as far as it is said again.
func cut(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
