package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"
)

// decode is what held.js does, of a document that a browser has read.
func decode(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == mark {
			i++
			c = text[i] ^ 0x40
		}
		out = append(out, c)
	}
	return out
}

// Whatever the bytes, the text has none that a browser would change or take for
// markup, and they come back.
func TestEncode(t *testing.T) {
	var data []byte
	for a := range 256 {
		for b := range 256 {
			data = append(data, byte(a), byte(b))
		}
	}
	text := encode(data)
	if i := bytes.IndexAny(text, "\x00\r<"); i >= 0 {
		t.Errorf("the text has %#x", text[i])
	}
	back := decode(text)
	for i := range 256 {
		if back[i] != byte(i) {
			t.Fatalf("byte %d comes back as %d", i, back[i])
		}
	}
	if !bytes.Equal(back[256:], data) {
		t.Error("the data do not come back")
	}
	if most := len(data)*102/100 + 256; len(text) > most {
		t.Errorf("%d bytes are %d as text, more than %d", len(data), len(text), most)
	}
}

const tinyPage = `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'">
<link rel="manifest" href="a.webmanifest">
<style>.a::after { content: "·"; }</style>
<script>theme()</script>
<script async src="boot.js"></script>
<script defer src="b.js" id="library"></script>
<script defer src="a.js"></script>
<body><p title="5 × 5">µs</p><a href="licenses.txt">L</a>
</body>`

// The files are inside, the scripts run in their order, and the policy allows them
// and nothing else.
func TestBundle(t *testing.T) {
	s := site{"boot.js": []byte("boot('é')"), "a.js": []byte("a()"), "b.js": []byte("b()"), "x.info": {0, 1, '<', 0xFF}}
	scripts := scriptsOf(tinyPage)
	if got := strings.Join(scripts, " "); got != "b.js a.js boot.js" {
		t.Errorf("the scripts run as %s", got)
	}
	file, err := s.bundle(tinyPage, scripts, newPacker(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = `id="pack">`, "</script>"
	before, rest, _ := strings.Cut(string(file), begin)
	packed, after, _ := strings.Cut(rest, end)
	for _, part := range []string{before, after} {
		if i := strings.IndexFunc(part, func(r rune) bool { return r >= 0x80 }); i >= 0 {
			t.Errorf("not in ASCII: %.20q", part[i:])
		}
		if scriptFile.MatchString(part) || strings.Contains(part, "manifest") {
			t.Errorf("asks for a file: %s", part)
		}
	}
	for _, want := range []string{`content: "\0000b7"`, `<p title="5 &#xD7; 5">&#xB5;s</p>`, `data-held="licenses.txt"`, `charset="windows-1252"`} {
		if !strings.Contains(before, want) {
			t.Errorf("lacks %s: %s", want, before)
		}
	}
	started := inlineScript.FindStringSubmatch(after)
	if started == nil {
		t.Fatal("nothing starts it")
	}
	for _, script := range []string{"theme()", "boot('é')", "a()", "b()", started[1]} {
		if !strings.Contains(before, hashOf(script)) {
			t.Errorf("the policy does not allow %.30q", script)
		}
	}
	for name, data := range s {
		if got := unpack(t, started[1], decode([]byte(packed))[256:], name); !bytes.Equal(got, data) {
			t.Errorf("%s comes out as %q", name, got)
		}
	}
}

// unpack takes a file out of the pack as the starting script says.
func unpack(t *testing.T, script string, pack []byte, name string) []byte {
	t.Helper()
	m := regexp.MustCompile(`"` + regexp.QuoteMeta(name) + `":\[(\d+),(\d+)\]`).FindStringSubmatch(script)
	if m == nil {
		t.Fatalf("no place of %s in %.200s", name, script)
	}
	at, length := number(t, m[1]), number(t, m[2])
	r, err := gzip.NewReader(bytes.NewReader(pack[at : at+length]))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A page that cannot be packed is refused, not written half.
func TestBundleRefuses(t *testing.T) {
	s := site{"boot.js": []byte("boot()"), "a.js": nil, "b.js": nil}
	for what, page := range map[string]string{
		"a script that is not in ASCII": strings.Replace(tinyPage, "theme()", "'é'", 1),
		"no body":                       strings.Replace(tinyPage, "</body>", "", 1),
		"no policy":                     strings.Replace(tinyPage, "Content-Security-Policy", "x", 1),
		"two character sets":            strings.Replace(tinyPage, "<style>", `<meta charset="utf-8"><style>`, 1),
	} {
		if _, err := s.bundle(page, scriptsOf(page), newPacker(t.TempDir())); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
