package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	native "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"spillway/build/effort"
	"spillway/build/tree"
	"spillway/ui/exec"
	"spillway/ui/lab"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/output"
	"spillway/ui/model/session"
	"spillway/ui/wire"
)

// The service worker keeps what the page needs, and knows every content by its hash.
func TestCacheList(t *testing.T) {
	sw, boot := []byte(read(t, "sw.js")), []byte(read(t, "boot.js"))
	make := func(a string) site {
		s := site{
			"sw.js": sw, "boot.js": boot, "share.js": []byte("const PAPERS = {};"), "index.html": []byte(versionless), "_headers": nil, "a.wasm": []byte(a),
			"b/c.json": nil, recorder: nil, "licenses.txt": nil, "worker.js": nil, "wasm_exec.js": nil, docs + "index.html": nil,
		}
		if err := errors.Join(s.addHashes(), s.addVersion("0123456789ab"), s.addCacheList()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := make("1")
	for _, name := range []string{"sw.js", "boot.js"} {
		if want := `"a.wasm":"` + integrity([]byte("1")) + `"`; !strings.Contains(string(s[name]), want) {
			t.Errorf("%s lacks %s", name, want)
		}
	}
	m := regexp.MustCompile(`const FILES = (.*);`).FindSubmatch(s["sw.js"])
	var files map[string]string
	if err := json.Unmarshal(m[1], &files); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, []string{"./", "a.wasm", "b/c.json", "boot.js", recorder, docs + "index.html", "share.js", "wasm_exec.js", "worker.js"}) {
		t.Errorf("keeps %q", got)
	}
	if files["./"] != integrity(s["index.html"]) {
		t.Error("the page is not kept as it is")
	}
	if !strings.Contains(string(s["sw.js"]), "const BUILD = '"+s.build()+"'") || !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(s.build()) {
		t.Errorf("its build is not the page's, %q", s.build())
	}
	// Another content, another build, so that browsers fetch it; of the same sources.
	if other := make("2"); bytes.Equal(other["sw.js"], s["sw.js"]) || other.build() == s.build() || other.version() != s.version() {
		t.Error("the build stays when a file changes, or the version does not")
	}
}

// versionless has what a page says of its version, in a page without it.
const versionless = `<meta name="version" content="of a build by hand"><meta name="build" content=""><b id="version">of a build by hand</b>`

// The page finds every laboratory's description, and can read it.
func TestLabs(t *testing.T) {
	s := site{"boot.js": []byte(read(t, "boot.js"))}
	if err := s.addLabs(); err != nil {
		t.Fatal(err)
	}
	var tabs []session.Tab
	if err := wire.Unmarshal(s["labs.info"], &tabs); err != nil || len(tabs) != len(labs.Labs) {
		t.Fatalf("%v, %v", tabs, err)
	}
	for i, tab := range tabs {
		var info lab.Info
		err := wire.Unmarshal(s[tab.Name+".info"], &info)
		if err != nil || tab.Name != labs.Labs[i].Name || info.Name != tab.Name || tab.Title == "" || tab.About == "" {
			t.Errorf("%+v, %q: %v", tab, info.Name, err)
		}
		if !strings.Contains(string(s["boot.js"]), strconv.Quote(tab.Name)) {
			t.Errorf("boot.js does not know %s", tab.Name)
		}
	}
}

// Before any program has come there is the page, drawn, in one small file.
func TestFirst(t *testing.T) {
	s := site{}
	for _, name := range []string{"boot.js", "index.html", "style.css", "_headers"} {
		s[name] = []byte(read(t, name))
	}
	if err := errors.Join(s.addLabs(), s.addFirst()); err != nil {
		t.Fatal(err)
	}
	text := string(s["index.html"])
	if bars := strings.Count(text, `<svg class="static"`); bars == 0 {
		t.Error("no chart is drawn")
	}
	for _, script := range regexp.MustCompile(`<script[^>]*src[^>]*>`).FindAllString(text, -1) {
		if !strings.Contains(script, "async") && !strings.Contains(script, "defer") {
			t.Errorf("%s holds up what is drawn", script)
		}
	}
	if strings.Contains(text, `rel="stylesheet"`) {
		t.Error("a style sheet holds up what is drawn")
	}
	// Half a second at 1.6 Mbit/s has room for 100 kB; the connection takes some of it.
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	if _, err := w.Write(s["index.html"]); err != nil || w.Close() != nil || b.Len() > 40_000 {
		t.Errorf("index.html has %d bytes with brotli, %v", b.Len(), err)
	}
	_, script, _ := strings.Cut(text, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if !strings.Contains(text, hash) || !strings.Contains(string(s["_headers"]), hash) {
		t.Errorf("the policies do not allow the inline script: want %s", hash)
	}
	// What the program begins with is what it would compute itself.
	for i, door := range labs.Labs {
		if page, ok := s[screen+door.Name+".html"]; ok != (i > 0) || ok && (!bytes.HasPrefix(bytes.TrimSpace(page), []byte("<header")) || !strings.Contains(script, "'"+door.Name+"'")) {
			t.Errorf("%s opens on a page of its own: %t, %.40q", door.Name, ok, page)
		}
		name := opening + door.Name + ".info"
		var known []exec.Known
		if err := wire.Unmarshal(s[name], &known); err != nil || len(known) == 0 {
			t.Fatalf("%s: %v, %d answers", name, err, len(known))
		}
		for i := range known {
			a := exec.Recall(known, &known[i].Job)
			if a == nil {
				t.Fatalf("%s: what is known of %+v is not found", name, known[i].Job)
			}
			if r := a.Report; a.Error != "" || r != nil && (r.Fits != (len(r.Values) > 0) || !r.Fits && r.Reason == "") {
				t.Errorf("%s: neither values nor a reason, or %s", name, a.Error)
			}
		}
		t.Logf("%s: %d answers, %d bytes", name, len(known), len(s[name]))
	}
}

// A program that grows has to be recorded, and a first visit has a limit.
func TestTooHeavy(t *testing.T) {
	was := map[string]int64{}
	for _, name := range programNames() {
		was[name] = 1_000_000
	}
	if back, err := recorded(record(was)); err != nil || !maps.Equal(back, was) {
		t.Errorf("%v, %v", back, err)
	}
	for _, tt := range []struct {
		name string
		size int64
		want string
	}{
		{"llm.wasm", 1_020_000, ""},
		{"llm.wasm", 100, ""},
		{"llm.wasm", 1_020_001, "llm.wasm: 1020001 bytes with brotli, 2.0 % more than was recorded (1000000). go run ./build/site -weigh llm shows"},
		{"app.wasm", maxFirst, "app.wasm: "},
	} {
		is := maps.Clone(was)
		is[tt.name] = tt.size
		if err := weigh(is, was, nil); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s of %d: %v; want %q", tt.name, tt.size, err, tt.want)
		}
	}
	for sum, want := range map[int64]bool{maxFirst: true, maxFirst + 1: false} {
		if err := weighFirst(map[string]int64{"app.wasm": sum}, nil); (err == nil) != want {
			t.Errorf("a first visit of %d bytes: %v", sum, err)
		}
	}
	more := maps.Clone(was)
	delete(more, "files.wasm")
	more["old.wasm"] = 1
	if err := weigh(was, more, nil); err == nil || !strings.Contains(err.Error(), "files.wasm is not in") || !strings.Contains(err.Error(), "old.wasm, which is no program") {
		t.Error(err)
	}
	if _, err := recorded("app.wasm\n"); err == nil {
		t.Error("a line without a number is read")
	}
}

// What is recorded is of programs that there are; one that is new is weighed when the site
// is packed, which says how to record it.
func TestRecordedSizes(t *testing.T) {
	data, err := os.ReadFile("../../" + sizesFile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	is, err := recorded(text)
	if err != nil || record(is) != text {
		t.Errorf("%v: %s has\n%s", err, sizesFile, text)
	}
}

// The site works in any folder of a host.
func TestNoLinkToTheRoot(t *testing.T) {
	for _, name := range []string{"404.html", "index.html", "style.css"} {
		for _, link := range regexp.MustCompile(`(?:href="|src="|url\(['"]?)/[^'")]*`).FindAllString(read(t, name), -1) {
			t.Errorf("%s: %s is the root of the host, not of the site", name, link)
		}
	}
}

// 404.html cannot have a script file, as it does not know where the site is. Its
// inline script runs because the policy names its hash.
func TestPolicyAllowsTheScriptOf404(t *testing.T) {
	_, script, _ := strings.Cut(read(t, "404.html"), "<script>")
	script, _, ok := strings.Cut(script, "</script>")
	if !ok {
		t.Fatal("404.html has no inline script")
	}
	sum := sha256.Sum256([]byte(script))
	want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if !strings.Contains(read(t, "_headers"), want) {
		t.Errorf("_headers: want %s in script-src", want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../public", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAddTwice(t *testing.T) {
	s := site{}
	if err := tree.Add(s, "a", nil); err != nil {
		t.Fatal(err)
	}
	if err := tree.Add(s, "a", nil); err == nil {
		t.Error("one path with two sources is accepted")
	}
}

func TestWriteKeepsReplacesAndRemoves(t *testing.T) {
	dir := t.TempDir()
	s := site{"a.js": bytes.Repeat([]byte("abc"), 1000), "sub/b.css": []byte("x")}
	for _, p := range list() {
		s[p.file] = []byte("program")
	}
	for _, step := range []error{s.write(dir), s.compress(dir, newPacker(t.TempDir()))} {
		if step != nil {
			t.Fatal(step)
		}
	}
	checkCopies(t, filepath.Join(dir, "a.js"), s["a.js"])

	next := site{"a.js": s["a.js"], "app.wasm": []byte("changed")}
	if err := next.write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"a.js": true, "a.js.br": true, "a.js.gz": true, // unchanged: its copies are good
		"app.wasm": true, "app.wasm.br": false, "app.wasm.gz": false, // changed: they are not
		"sub/b.css": false, "sub/b.css.br": false, // gone
	} {
		_, err := os.Stat(filepath.Join(dir, name))
		if got := err == nil; got != want {
			t.Errorf("%s exists: got %v, want %v", name, got, want)
		}
	}
}

func checkCopies(t *testing.T, file string, want []byte) {
	t.Helper()
	for _, ext := range packed {
		f, err := os.Open(file + ext)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var r io.Reader = brotli.NewReader(f)
		if ext == ".gz" {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s%s: got %d bytes, error %v, want %d bytes", file, ext, len(got), err, len(want))
		}
	}
}

func TestStringVar(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nvar a = 1\nvar js = `let x;`\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := stringVar(tree, "js"); got != "let x;" || err != nil {
		t.Errorf("got %q, %v, want the literal", got, err)
	}
	for _, name := range []string{"a", "b"} {
		if _, err := stringVar(tree, name); err == nil {
			t.Errorf("stringVar(%s) finds a string where there is none", name)
		}
	}
}

// What shares compiled packages is compiled one after the other, what has the same flags
// at once, and no two programs go to one place.
func TestAlike(t *testing.T) {
	all := append(list(), program{singleProgram, "./wasm", workFlags(profiled)})
	places := map[string]bool{}
	n := 0
	for _, line := range alike(all) {
		for _, like := range line {
			for _, p := range like {
				n++
				places[p.path(like[0], len(like) == 1)] = true
				if !slices.Equal(p.flags, like[0].flags) {
					t.Errorf("%s is compiled like %s", p.file, like[0].file)
				}
				if slices.Contains(p.flags, "-pgo=off") != slices.Contains(line[0][0].flags, "-pgo=off") {
					t.Errorf("%s shares no package with %s", p.file, line[0][0].file)
				}
			}
		}
	}
	if n != len(all) || len(places) != n {
		t.Errorf("%d programs, %d are compiled, to %d places", len(all), n, len(places))
	}
}

// Every laboratory's program compiles: at night, and in a copy of the repository whose
// site nobody builds.
func TestPrograms(t *testing.T) {
	if !effort.Nightly() && os.Getenv(effort.Outsider) == "" {
		t.Skip("compiles for the browser, which who builds the site does anyway")
	}
	t.Chdir("../..")
	if err := writeSources(); err != nil {
		t.Fatal(err)
	}
	for _, p := range list() {
		if _, err := run(t.Context(), []string{"GOOS=js", "GOARCH=wasm"}, "go", "vet", p.folder); err != nil {
			t.Error(err)
		}
	}
}

// The page names the version that the command has of the same sources (make native), and
// another build when anything differs.
func TestVersion(t *testing.T) {
	sources, err := tree.Hash("../..")
	if err != nil {
		t.Fatal(err)
	}
	page := func(other string) site {
		s := site{"index.html": []byte(versionless), "app.wasm": []byte(other)}
		if err := s.addVersion(sources); err != nil {
			t.Fatal(err)
		}
		return s
	}
	text, err := native.Command("go", "-C", "../..", "run", "./build/sources").Output()
	want := output.Version + "+" + strings.TrimSpace(string(text))
	a, b, again := page("a"), page("b"), page("a")
	if got := a.version(); err != nil || got != want || !strings.Contains(string(a["index.html"]), `name="version" content="`+want+`"`) {
		t.Errorf("the page is of version %s, the command of %s (%v)", got, want, err)
	}
	if a.build() == b.build() || a.build() != again.build() || b.version() != want {
		t.Errorf("builds %s, %s, %s", a.build(), b.build(), again.build())
	}
}
