package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name that promises another format is refused before anything runs, in words that say
// what can be written.
func TestFigureFormat(t *testing.T) {
	for _, name := range []string{"x.pdf", "x.png", "a/x.PNG", "x.svg.eps"} {
		file := filepath.Join(t.TempDir(), filepath.Base(name))
		code, out, errs := run(t, "figure", "lab=train", "preset=g10-paper", "batch=16", "-o", file)
		base := strings.TrimSuffix(file, filepath.Ext(file))
		if code != exitUsage || out != "" || !strings.Contains(errs, "a figure is written as SVG, as nothing else; take -o "+base+".svg") {
			t.Errorf("%s: exit code %d: %s%s", name, code, out, errs)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

// TestFigure writes a chart of settings to a file and reads from it what makes the
// same chart again.
func TestFigure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.svg")
	if code, out, errs := run(t, "figure", "lab=train", "preset=g10-paper", "batch=16", "system=g10,uvm", "by-memory=kernel", "--chart", "memory", "--theme", "dark", "-o", file, "--site", "https://example.org/s/"); code != exitOK || out != "" || errs != "" {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	attrs := map[string]string{}
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "view" {
			for _, a := range e.Attr {
				attrs[a.Name.Local] = a.Value
			}
		}
	}
	if attrs["chart"] != "memory" || !strings.Contains(attrs["setup"], "batch=16") || !strings.Contains(attrs["mode"], "as published") || !strings.HasPrefix(attrs["link"], "https://example.org/s/#v=") {
		t.Errorf("%q", attrs)
	}
	if code, out, errs := run(t, "figure", attrs["link"], "--chart", "memory", "--theme", "dark"); code != exitOK || out != string(text) {
		t.Errorf("the link draws something else: exit code %d, %s", code, errs)
	}
	code, there, errs := run(t, "figure", "lab=train", "preset=g10-paper", "batch=32", "system=g10,deepum", "--chart", "throughput")
	code2, here, errs2 := run(t, "figure", attrs["link"], "batch=32", "system=g10,deepum", "--chart", "throughput")
	numbers := func(text string) string {
		_, after, _ := strings.Cut(text, `type="text/csv">`)
		csv, _, _ := strings.Cut(after, "</")
		return csv
	}
	if code != exitOK || code2 != exitOK || numbers(here) == "" || numbers(here) != numbers(there) {
		t.Errorf("settings behind a link: exit codes %d and %d, %s%s", code, code2, errs, errs2)
	}
	if code, _, errs := run(t, "figure", attrs["link"], "bath=32"); code != exitUsage || !strings.Contains(errs, "bath") {
		t.Errorf("an unknown setting behind a link: exit code %d, %s", code, errs)
	}
}
