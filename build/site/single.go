package main

import (
	"bytes"
	_ "embed" // the script of the single file
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	labs "spillway/ui/lab/all"

	"spillway/build/tree"
)

// The single file is the page with everything inside: it opens by double click,
// from a stick or a mail, without a server. In it are
//
//   - index.html with the first screen, all in ASCII, so that the character set does
//     not matter to what is read,
//   - the pack: every other file with gzip, one after the other, as the text of an
//     element. The document is in windows-1252, which has a character for each of
//     the 256 bytes, so a byte is a character. Four of them a document cannot have
//     as they are (NUL, CR, < and the mark itself): those are = and the byte with
//     bit 6 turned. That costs 2 %, base64 would cost 33 %. The pack begins with all
//     256 bytes in order, by which the script sees whether they survived;
//   - held.js, which unpacks and starts it.
//
// Its security policy allows the scripts by their hashes, workers from Blobs, and
// no connections but to the file itself. It has one program for the page and all
// laboratories: each program by itself has the Go runtime in it.

// maxSingle is the most that the single file may weigh, so that it can be mailed. It was
// 6 MB with three laboratories and 7 with five; the sixth is 0.4, and networks by public
// names with the law of kernel times are 0.2; bounds, the planner and the door for files 0.2;
// bounds of the other laboratories and recordings moved to other GPUs 0.1; what all papers'
// runs say, and runs that can be seen over time, 0.2; causes of waits, a hundred models, ByteFS as
// it was measured, 0.2; Zstandard, xz, bzip2 and tar 0.25; the SSD by itself, ways of saving that are
// safe, how models are cut 0.25; checkpoints of before 1.6, kernels of operators, recorded ways of
// saving and what papers are cited by 0.1; serving 0.4, policies that people write in five laboratories 0.2; six more recorded ways of saving, file
// systems as Linux keeps them, three seeds of ByteFS' runs 0.1.
const maxSingle = 10_150_000

// single is the name of the single file, and singleProgram of the program in it.
const (
	single        = "spillway.html"
	singleProgram = "spillway.wasm"
)

// heldDocuments is the page with all documents, which the help leads to.
const heldDocuments = "docs.html"

// toDocument is a link to a document.
var toDocument = regexp.MustCompile(`href="docs/([\w-]+)\.html"( target="_blank")?`)

// recorder is the script that records training jobs, for download.
const recorder = "capture.py"

//go:embed held.js
var heldScript string

// everything returns the program of the single file: the page's, with a file more
// that has the laboratories, and with the address of the icon.
func everything(icon string) (program, error) {
	var imports, news []string
	for _, door := range labs.Labs {
		imports = append(imports, fmt.Sprintf("\tlab_%s \"spillway/ui/lab/%s\"\n", door.Package, door.Package))
		news = append(news, fmt.Sprintf("lab_%s.New()", door.Package))
	}
	text := fmt.Sprintf(`// Written by build/site from ui/lab/all.
package main

import (
%s	"spillway/ui/files"
	jobs "spillway/wasm/worker"
)

func init() { laboratories = func() { jobs.Run(&files.Desk{}, %s) } }
`, strings.Join(imports, ""), strings.Join(news, ", "))
	folder := filepath.Join(programs, "single")
	file := filepath.Join(folder, "labs_js.go.txt") // no Go file by itself
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		return program{}, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join("wasm", "labs_js.go"): file}})
	if err != nil {
		return program{}, err
	}
	list := filepath.Join(folder, "overlay.json")
	flags := append(workFlags(profiled), "-gcflags=github.com/vugu/...=-l", "-overlay="+list, "-ldflags=-s -w -X spillway/ui/view.icon="+icon)
	return program{singleProgram, "./wasm", flags}, os.WriteFile(list, overlay, 0o644)
}

// single returns the single file of the assembled site s with its program.
func (s site) single(code []byte, p *packer) ([]byte, error) {
	inside := s.inside(code)
	page := string(s["index.html"])
	return inside.bundle(strings.ReplaceAll(page, `"icon.svg"`, `"`+s.icon()+`"`), scriptsOf(page), p)
}

// icon is the address of an icon that needs no file.
func (s site) icon() string {
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(s["icon.svg"])
}

// inside are the files that are in the single file. Of what laboratories open on it has the
// first's: the others are computed there.
func (s site) inside(code []byte) site {
	scripts := scriptsOf(string(s["index.html"]))
	inside := site{singleProgram: code}
	for _, name := range []string{"worker.js", "licenses.txt", recorder, timelineScript, timelineFiles, chartLibrary} {
		inside[name] = s[name]
	}
	inside[heldDocuments] = s[allDocuments]
	for name, data := range s {
		later := strings.HasPrefix(name, opening) && name != opening+labs.Labs[0].Name+".info"
		if slices.Contains(scripts, name) || filepath.Ext(name) == ".info" && !later {
			inside[name] = data
		}
	}
	return inside
}

var scriptFile = regexp.MustCompile(`<script [^>]*\bsrc="([^"]+)"[^>]*></script>\n?`)

// scriptsOf lists the files of the page's scripts in the order they are to run:
// boot.js, which the document asks for first, starts the rest.
func scriptsOf(page string) []string {
	var names []string
	for _, m := range scriptFile.FindAllStringSubmatch(page, -1) {
		if m[1] != "boot.js" {
			names = append(names, m[1])
		}
	}
	return append(names, "boot.js")
}

// bundle returns the page with the files of s inside.
func (s site) bundle(page string, scripts []string, p *packer) ([]byte, error) {
	pack, places, err := s.pack(p)
	if err != nil {
		return nil, err
	}
	starter, err := starterOf(places, scripts)
	if err != nil {
		return nil, err
	}
	policy := s.policy(page, starter, scripts)

	page = scriptFile.ReplaceAllString(page, "")
	page = toDocument.ReplaceAllString(page, `href="#" data-held="`+heldDocuments+`#$1"`)
	page = regexp.MustCompile(`<link rel="manifest"[^>]*>\n?`).ReplaceAllString(page, "")
	for _, e := range [][2]string{
		{`<meta charset="utf-8">`, `<meta charset="windows-1252">`},
		{policyTag.FindString(page), `<meta http-equiv="Content-Security-Policy" content="` + policy + `">`},
		{`href="licenses.txt"`, `href="#" data-held="licenses.txt"`},
	} {
		if page, err = exchange(page, e[0], e[1]); err != nil {
			return nil, fmt.Errorf("index.html: %w", err)
		}
	}
	if page, err = asciiPage(page); err != nil {
		return nil, err
	}
	end := "</body>"
	before, after, ok := strings.Cut(page, end)
	if !ok {
		return nil, errors.New("index.html has no " + end)
	}
	var b bytes.Buffer
	b.WriteString(before + `<script type="application/octet-stream" id="pack">`)
	b.Write(encode(pack))
	b.WriteString("</script>\n<script>" + starter + "</script>\n" + end + after)
	return b.Bytes(), nil
}

// starterOf is held.js for these files and scripts.
func starterOf(places map[string][2]int, scripts []string) (string, error) {
	starter := heldScript
	for _, f := range []struct {
		name, empty string
		value       any
	}{{"FILES", "{}", places}, {"SCRIPTS", "[]", scripts}} {
		text, err := json.Marshal(f.value)
		if err == nil {
			line := "const " + f.name + " = "
			starter, err = exchange(starter, line+f.empty+";", line+string(text)+";")
		}
		if err != nil {
			return "", fmt.Errorf("held.js: %w", err)
		}
	}
	return starter, nil
}

// policy is the security policy of the single file.
func (s site) policy(page, starter string, scripts []string) string {
	hashes := []string{hashOf(starter)}
	for _, m := range inlineScript.FindAllStringSubmatch(page, -1) {
		hashes = append(hashes, hashOf(m[1]))
	}
	for _, name := range scripts {
		hashes = append(hashes, hashOf(string(s[name])))
	}
	for _, name := range []string{timelineScript, timelineFiles, chartLibrary} {
		if text, ok := s[name]; ok {
			hashes = append(hashes, hashOf(string(text)))
		}
	}
	return "default-src 'none'; script-src 'wasm-unsafe-eval' " + strings.Join(hashes, " ") +
		"; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'"
}

var (
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	policyTag    = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	ownText      = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>`)
)

// exchange replaces what must be there once.
func exchange(text, old, by string) (string, error) {
	if n := strings.Count(text, old); old == "" || n != 1 {
		return "", fmt.Errorf("want %q exactly once, there are %d", old, n)
	}
	return strings.Replace(text, old, by, 1), nil
}

// hashOf is how a security policy names a script.
func hashOf(script string) string { return "'" + integrity([]byte(script)) + "'" }

// ascii replaces every other character.
func ascii(text string, by func(rune) string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteString(by(r))
		}
	}
	return b.String()
}

// asciiPage writes the document's other characters as references, and those of its
// styles as escapes. Its scripts have a hash and cannot be changed.
func asciiPage(page string) (string, error) {
	reference := func(r rune) string { return fmt.Sprintf("&#x%X;", r) }
	escape := func(r rune) string { return fmt.Sprintf(`\%06x`, r) }
	var b strings.Builder
	at := 0
	for _, m := range ownText.FindAllStringSubmatchIndex(page, -1) {
		b.WriteString(ascii(page[at:m[0]], reference))
		part := page[m[0]:m[1]]
		if page[m[2]:m[3]] == "style" {
			part = ascii(part, escape)
		} else if ascii(part, escape) != part {
			return "", fmt.Errorf("index.html: an inline script is not in ASCII: %.60q", html.UnescapeString(part))
		}
		b.WriteString(part)
		at = m[1]
	}
	b.WriteString(ascii(page[at:], reference))
	return b.String(), nil
}

// pack compresses the files and says where each is.
func (s site) pack(p *packer) (pack []byte, places map[string][2]int, err error) {
	places = map[string][2]int{}
	for _, name := range tree.Names(s) {
		file, err := p.pack(s[name], ".gz")
		if err != nil {
			return nil, nil, err
		}
		places[name] = [2]int{len(pack), len(file)}
		pack = append(pack, file...)
	}
	return pack, places, nil
}

// mark comes before a byte that a document cannot have as it is.
const mark = '='

// encode writes all bytes in order and then the data as text of a document in
// windows-1252.
func encode(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/50)
	put := func(c byte) {
		if c == 0 || c == '\r' || c == '<' || c == mark {
			out = append(out, mark)
			c ^= 0x40
		}
		out = append(out, c)
	}
	for c := range 256 {
		put(byte(c))
	}
	for _, c := range data {
		put(c)
	}
	return out
}
