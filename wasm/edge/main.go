//go:build js && wasm

// Edge is an optional host for the built site on Cloudflare Workers. The platform
// answers for every file that exists, without this program; what is left are the
// figures that package host computes, wrong addresses and wrong methods. The page
// never needs it: any host of static files will do.
package main

import (
	"bytes"
	"io"
	"net/http"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/cache"
	"github.com/syumai/workers/cloudflare/fetch"

	"spillway/wasm/edge/host"
)

// version is the site's, put in when the program is built.
var version string

func main() {
	workers.Serve(&host.Host{Version: version, Assets: assets, Get: get, Put: put})
}

// assets asks for a file of the site, the ASSETS binding. It looks at the path
// only, but wants a whole address.
func assets(r *http.Request) (*http.Response, error) {
	req, err := fetch.NewRequest(r.Context(), http.MethodGet, "https://assets.local"+r.URL.RequestURI(), nil)
	if err != nil {
		return nil, err
	}
	files := fetch.NewClient(fetch.WithBinding(cloudflare.GetBinding("ASSETS")))
	return files.Do(req, &fetch.RequestInit{Redirect: fetch.RedirectModeManual})
}

// get returns what put has kept in the data center that answers.
func get(address string) []byte {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	res, err := cache.New().Match(req, nil)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil
	}
	return body
}

// put keeps an answer for a day. Where the platform keeps nothing, as below
// workers.dev, it is computed again.
func put(address string, body []byte) {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return
	}
	_ = cache.New().Put(req, &http.Response{
		StatusCode: http.StatusOK, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {"image/svg+xml"}, "Cache-Control": {"public, max-age=86400"}},
	})
}
