//go:build js && wasm

// Edge is an optional host for the built site on Cloudflare Workers. The
// platform answers for every file that exists, without this program; what is
// left, wrong addresses and wrong methods, is answered here. The page never
// needs it: any host of static files will do.
package main

import (
	"io"
	"maps"
	"net/http"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/fetch"
)

func main() {
	workers.Serve(http.HandlerFunc(serve))
}

// serve passes a request on to the site's files, the ASSETS binding.
func serve(w http.ResponseWriter, r *http.Request) {
	// An unread body would block the connection's next request.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	// The binding looks at the path only, but wants a whole address.
	req, err := fetch.NewRequest(r.Context(), http.MethodGet, "https://assets.local"+r.URL.RequestURI(), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	assets := fetch.NewClient(fetch.WithBinding(cloudflare.GetBinding("ASSETS")))
	res, err := assets.Do(req, &fetch.RequestInit{Redirect: fetch.RedirectModeManual})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	maps.Copy(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	if r.Method == http.MethodGet {
		// Too late for another answer; the client sees a short body.
		_, _ = io.Copy(w, res.Body)
	}
}
