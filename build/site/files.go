package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"spillway/build/tree"
	"spillway/ui/cite"
	"spillway/ui/model/output"
)

// A site is the content of every file by its path below the root of the site.
type site map[string][]byte

// addPublic takes the hand-written files as they are.
func (s site) addPublic() error {
	return fs.WalkDir(os.DirFS("public"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join("public", name))
		if err != nil {
			return err
		}
		return tree.Add(s, name, data)
	})
}

// uncached files are not part of the offline copy: the worker itself, what only
// hosts, readers of licenses and the README look at, what is there a second time (all
// documents as one page, Markdown that is a page, too), and
// what is for other pages: figures' pages and the examples.
func uncached(name string) bool {
	if strings.HasPrefix(name, figures) || strings.HasPrefix(name, examples) {
		return true
	}
	if name == component || name == allDocuments || name == "index.html" { // that is kept as its folder
		return true
	}
	switch path.Base(name) {
	case "sw.js", "_headers", ".nojekyll", "versions.json", "404.html", "EMBED.md":
		return true
	}
	return strings.HasPrefix(path.Base(name), "screenshot") || strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".md")
}

// addVersion says in index.html which version this is, with the hash of its sources, as the
// command does; and for scripts which build: a hash of all else that was built of them, under
// which browsers keep it.
func (s site) addVersion(sources string) error {
	version := output.Version + "+" + sources
	for _, f := range []struct{ from, to string }{
		{` content="of a build by hand"`, ` content="` + version + `"`},
		{">of a build by hand<", ">" + version + "<"},
	} {
		if err := s.fill("index.html", f.from, f.to); err != nil {
			return err
		}
	}
	return s.fill("index.html", `<meta name="build" content="">`, `<meta name="build" content="`+s.sum()+`">`)
}

// sum is a hash of all files.
func (s site) sum() string {
	sum := sha256.New()
	for _, name := range tree.Names(s) {
		fmt.Fprintf(sum, "%s %d\n", name, len(s[name]))
		sum.Write(s[name])
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// version is what addVersion said.
func (s site) version() string { return s.says(` id="version">([^<]*)<`) }

// build is what addVersion said of it.
func (s site) build() string { return s.says(`<meta name="build" content="([^"]*)">`) }

func (s site) says(pattern string) string {
	m := regexp.MustCompile(pattern).FindSubmatch(s["index.html"])
	if m == nil {
		return ""
	}
	return string(m[1])
}

// addHashes tells boot.js the hashes of what it asks for after the start, so that it
// never takes another version's, and share.js the papers of systems.
func (s site) addHashes() error {
	files := map[string]string{}
	for name, data := range s {
		switch path.Ext(name) {
		case ".wasm", ".info":
			files[name] = integrity(data)
		}
	}
	for _, name := range []string{"worker.js", "wasm_exec.js", timelineScript, timelineFiles, chartLibrary, versionsScript} {
		files[name] = integrity(s[name])
	}
	if err := s.fillJSON("share.js", "PAPERS", cite.Entries()); err != nil {
		return err
	}
	return s.fillJSON("boot.js", "FILES", files)
}

// addCacheList fills the two constants of sw.js: the build, and the files to keep
// with their hashes.
func (s site) addCacheList() error {
	files := map[string]string{"./": integrity(s["index.html"])} // hosts redirect its own name to the folder
	for name, data := range s {
		if !uncached(name) {
			files[name] = integrity(data)
		}
	}
	if err := s.fill("sw.js", "const BUILD = '';", "const BUILD = '"+s.build()+"';"); err != nil {
		return err
	}
	return s.fillJSON("sw.js", "FILES", files)
}

// integrity is how the web names a content.
func integrity(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// fillJSON gives a constant of a script, which is an empty object there, its value.
func (s site) fillJSON(name, constant string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.fill(name, "const "+constant+" = {};", "const "+constant+" = "+string(text)+";")
}

// fill replaces a line of a script from public/, which must have it once.
func (s site) fill(name, line, by string) error {
	text, ok := s[name]
	if n := bytes.Count(text, []byte(line)); !ok || n != 1 {
		return fmt.Errorf("public/%s: want the line %q exactly once, there are %d", name, line, n)
	}
	s[name] = bytes.Replace(text, []byte(line), []byte(by), 1)
	return nil
}

// write brings the folder in line with the site. Unchanged files keep their
// time, so nothing downstream is redone; files of earlier builds go.
func (s site) write(out string) error {
	for name, data := range s {
		file := filepath.Join(out, filepath.FromSlash(name))
		if same(file, data) {
			continue
		}
		for _, ext := range packed {
			if err := os.Remove(file + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := replace(file, data); err != nil {
			return err
		}
	}
	return s.prune(out)
}

// same reports whether a file has this content.
func same(file string, data []byte) bool {
	old, err := os.ReadFile(file)
	return err == nil && bytes.Equal(old, data)
}

// replace writes a file, unless it has this content.
func replace(file string, data []byte) error {
	if same(file, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// prune removes what this site does not have. Compressed copies stay while
// their original does: write has removed those that are out of date.
func (s site) prune(out string) error {
	return filepath.WalkDir(out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		for _, ext := range packed {
			name = strings.TrimSuffix(name, ext)
		}
		if _, ok := s[name]; ok {
			return nil
		}
		return os.Remove(file)
	})
}
