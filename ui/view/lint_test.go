package view

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Mistakes that Vugu accepts and that show only in a browser.
var traps = []struct {
	name, why string
	pattern   *regexp.Regexp
}{
	{
		"conditional only child", "an element keeps its old children when all of them go; put a line break or <!-- keep --> before the first",
		regexp.MustCompile(`<(div|ul|ol|p|section|span|tbody|tr|select)\b[^>]*><[^!>]*vg-(if|for)`),
	},
	{"template", "an empty vg-template crashes the program", regexp.MustCompile(`<vg-template`)},
	{"self-closing component", "it swallows all that follows; write <ui:X></ui:X>", regexp.MustCompile(`<\w+:\w+[^>]*/>`)},
	{"component in a table", "the HTML parser moves it out of the table", regexp.MustCompile(`<(tbody|tr|thead|table)[^>]*>\s*<(vg-comp|\w+:\w+)`)},
	{"blur and focus", "they fire while the page is drawn, when an element goes, and the program waits for itself", regexp.MustCompile(`@(blur|focus|focusin|focusout)=`)},
	{"frequent events", "every event costs milliseconds", regexp.MustCompile(`@(mousemove|pointermove|scroll|wheel)=`)},
}

var rootTag = regexp.MustCompile(`(?m)^<(\w+)`)

func TestComponents(t *testing.T) {
	files, err := filepath.Glob("*.vugu")
	if err != nil || len(files) == 0 {
		t.Skip("the .vugu files are not here:", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, trap := range traps {
			for _, at := range trap.pattern.FindAllIndex(text, -1) {
				line := 1 + strings.Count(string(text[:at[0]]), "\n")
				t.Errorf("%s:%d: %s: %s", file, line, trap.name, trap.why)
			}
		}
		for _, m := range rootTag.FindAllStringSubmatch(string(text), -1) {
			if m[1] == "tr" || m[1] == "td" {
				t.Errorf("%s: a component that is a <%s> shows nothing", file, m[1])
			}
		}
		gen := strings.TrimSuffix(file, ".vugu") + "_gen.go"
		if _, err := os.Stat(gen); err != nil {
			t.Errorf("%s is missing: run go generate ./ui/view", gen)
		}
	}
	if _, err := os.Stat("0_missing_gen.go"); err == nil {
		t.Error("0_missing_gen.go exists: a .vugu file has no Go type of its name")
	}
}
