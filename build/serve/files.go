package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// files answers requests from a folder.
type files struct{ root fs.FS }

// types fixes what systems disagree about; everything else is known to mime.
var types = map[string]string{
	".js":          "text/javascript; charset=utf-8",
	".md":          "text/plain; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".py":          "text/x-python; charset=utf-8",
	".json":        "application/json",
	".svg":         "image/svg+xml",
	".ipynb":       "application/x-ipynb+json",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
}

func contentType(name string) string {
	ext := path.Ext(name)
	if t, ok := types[ext]; ok {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

// ServeHTTP implements [http.Handler].
func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	// Read every time: a site that was built again has another security policy.
	rules, err := readHeaders(f.root)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for _, rule := range rules {
		rule.apply(w.Header(), r.URL.Path)
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	if path.Base(name) == "_headers" || !f.send(w, r, name) {
		f.notFound(w, r)
	}
}

// send answers with the named file, compressed if there is such a copy and the
// browser takes it. It reports false when there is no such file.
func (f *files) send(w http.ResponseWriter, r *http.Request, name string) bool {
	file, err := openFile(f.root, name)
	if err != nil {
		return false
	}
	defer func() { file.Close() }()
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Add("Vary", "Accept-Encoding")
	for _, c := range [][2]string{{"br", ".br"}, {"gzip", ".gz"}} {
		if !accepts(r, c[0]) {
			continue
		}
		if small, err := openFile(f.root, name+c[1]); err == nil {
			h.Set("Content-Encoding", c[0])
			file.Close()
			file = small
			break
		}
	}
	tag, err := hashFile(file)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return true
	}
	h.Set("Etag", tag)
	http.ServeContent(w, r, name, time.Time{}, file)
	return true
}

// openFile opens a file of the site, and nothing else: no folder, and nothing whose name,
// or that of a folder around it, begins with a dot.
func openFile(root fs.FS, name string) (io.ReadSeekCloser, error) {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return nil, fs.ErrNotExist
		}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if c, ok := f.(io.ReadSeekCloser); ok {
			return c, nil
		}
	}
	f.Close()
	return nil, fs.ErrNotExist
}

// hashFile returns what identifies the content, and goes back to its beginning.
func hashFile(c io.ReadSeekCloser) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, c)
	if err == nil {
		_, err = c.Seek(0, io.SeekStart)
	}
	return `"` + hex.EncodeToString(sum.Sum(nil)[:12]) + `"`, err
}

// accepts reports whether the browser takes a content encoding. Browsers never
// send q=0, but a tester with curl may.
func accepts(r *http.Request, encoding string) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) == encoding {
			return strings.ReplaceAll(q, " ", "") != "q=0"
		}
	}
	return false
}

func (f *files) notFound(w http.ResponseWriter, r *http.Request) {
	page, err := fs.ReadFile(f.root, "404.html")
	if errors.Is(err, fs.ErrNotExist) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	if r.Method == http.MethodGet {
		w.Write(page) // a closed connection is the browser's affair
	}
}
