package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	h := &files{
		root: fstest.MapFS{
			"index.html":   {Data: []byte("<page>")},
			"404.html":     {Data: []byte("<missing>")},
			"app.wasm":     {Data: []byte("program")},
			"app.wasm.br":  {Data: []byte("br")},
			"app.wasm.gz":  {Data: []byte("gz")},
			"boot.js":      {Data: []byte("script")},
			"capture.py":   {Data: []byte("recorder")},
			"_headers":     {Data: []byte("/*\n  Cache-Control: no-cache\n/data/*\n  X-Kind: data\n")},
			"data/a.spill": {Data: []byte("bytes")},
			".git/config":  {Data: []byte("secret")},
			"data/.key":    {Data: []byte("secret")},
		},
	}
	tests := []struct {
		name           string
		method, path   string
		accept         string
		status         int
		body           string
		mime, encoding string
	}{
		{"the page", "GET", "/", "br", 200, "<page>", "text/html; charset=utf-8", ""},
		{"with a query", "GET", "/?a=b", "", 200, "<page>", "text/html; charset=utf-8", ""},
		{"plain", "GET", "/app.wasm", "", 200, "program", "application/wasm", ""},
		{"brotli first", "GET", "/app.wasm", "gzip, deflate, br", 200, "br", "application/wasm", "br"},
		{"gzip", "GET", "/app.wasm", "gzip", 200, "gz", "application/wasm", "gzip"},
		{"refused", "GET", "/app.wasm", "br;q=0, gzip;q=0.5", 200, "gz", "application/wasm", "gzip"},
		{"no copy", "GET", "/boot.js", "br", 200, "script", "text/javascript; charset=utf-8", ""},
		{"for download", "GET", "/capture.py", "br", 200, "recorder", "text/x-python; charset=utf-8", ""},
		{"unknown type", "GET", "/data/a.spill", "", 200, "bytes", "application/octet-stream", ""},
		{"head", "HEAD", "/boot.js", "", 200, "", "text/javascript; charset=utf-8", ""},
		{"missing", "GET", "/nothing", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"folder", "GET", "/data/", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"rules", "GET", "/_headers", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"in a folder with a dot", "GET", "/.git/config", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"with a dot", "GET", "/data/.key", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"a folder's name", "GET", "/data", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"outside", "GET", "/../../etc/passwd", "", 404, "<missing>", "text/html; charset=utf-8", ""},
		{"post", "POST", "/", "", 405, "only GET and HEAD\n", "text/plain; charset=utf-8", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, nil)
			r.Header.Set("Accept-Encoding", tt.accept)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			got := []any{w.Code, w.Body.String(), w.Header().Get("Content-Type"), w.Header().Get("Content-Encoding")}
			want := []any{tt.status, tt.body, tt.mime, tt.encoding}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s: got %q, want %q", tt.method, tt.path, got, want)
			}
			if tt.status == 200 && w.Header().Get("Cache-Control") != "no-cache" {
				t.Errorf("%s %s: got Cache-Control %q", tt.method, tt.path, w.Header().Get("Cache-Control"))
			}
		})
	}
}

// TestLinksStayInside: a link in the site that leads out of it is not followed.
func TestLinksStayInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, filepath.Join(dir, "link.txt")),
		os.WriteFile(filepath.Join(dir, "page.txt"), []byte("page"), 0o600)); err != nil {
		t.Skip("no links here: ", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for path, want := range map[string]int{"/link.txt": http.StatusNotFound, "/page.txt": http.StatusOK} {
		w := httptest.NewRecorder()
		(&files{root.FS()}).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want {
			t.Errorf("GET %s: got %d, want %d", path, w.Code, want)
		}
	}
}

func TestUnchangedFileIsNotSentAgain(t *testing.T) {
	h := &files{root: fstest.MapFS{"boot.js": {Data: []byte("script")}}}
	first := httptest.NewRecorder()
	h.ServeHTTP(first, httptest.NewRequest("GET", "/boot.js", nil))
	again := httptest.NewRequest("GET", "/boot.js", nil)
	again.Header.Set("If-None-Match", first.Header().Get("Etag"))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, again)
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("got status %d and %d bytes, want 304 and none", w.Code, w.Body.Len())
	}
}

func TestParseHeaders(t *testing.T) {
	got, err := parseHeaders("_headers", "# comment\n/*\n  A: b: c\n\n/x.js\n\tD:e\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []rule{
		{path: "/*", fields: [][2]string{{"A", "b: c"}}},
		{path: "/x.js", fields: [][2]string{{"D", "e"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{"  A: b\n", "/*\n  no value\n"} {
		if _, err := parseHeaders("_headers", text); err == nil {
			t.Errorf("parseHeaders(%q) accepts a field that belongs to no path or has no value", text)
		}
	}
}

func TestListenTakesAFreePortWhenTheOneAskedForIsTaken(t *testing.T) {
	first, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := listen(first.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if first.Addr().String() == second.Addr().String() {
		t.Errorf("both listen on %s", first.Addr())
	}
}
