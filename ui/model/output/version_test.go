package output

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CITATION.cff is of the Citation File Format 1.2.0, as far as that can be told
// without its schema, and has the version of the program.
func TestCitation(t *testing.T) {
	data, err := os.ReadFile("../../../CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	values, list := map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsAny(line, "\t\r") {
			t.Errorf("%q has more than blanks", line)
		}
		if strings.HasPrefix(line, "# ") {
			continue // a comment
		}
		if strings.HasPrefix(line, " ") {
			if list == "" {
				t.Errorf("%q belongs to nothing", line)
			}
			values[list] += strings.TrimSpace(line) + "\n"
			continue
		}
		key, text, ok := strings.Cut(line, ":")
		if _, twice := values[key]; !ok || twice {
			t.Errorf("%q is no key, or there twice", line)
		}
		text = strings.TrimSpace(text)
		if strings.Contains(text, ": ") && !strings.HasPrefix(text, `"`) {
			t.Errorf("%s: a colon needs quotes", key)
		}
		list = ""
		if values[key] = strings.Trim(text, `"`); text == "" {
			list = key
		}
	}
	for _, key := range []string{"authors", "cff-version", "message", "title"} {
		if values[key] == "" {
			t.Errorf("it lacks %s", key)
		}
	}
	known := strings.Fields("abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message preferred-citation references repository repository-artifact repository-code title type url version")
	for key := range values {
		if !slices.Contains(known, key) {
			t.Errorf("there is no key %s", key)
		}
	}
	for key, want := range map[string]string{
		"cff-version": `^1\.2\.0$`, "version": "^" + regexp.QuoteMeta(Version) + "$", "license": `^Apache-2\.0$`, "type": "^software$",
		"date-released": `^\d{4}-(0[1-9]|1[012])-(0[1-9]|[12]\d|3[01])$`, "authors": `^(- name: .+\n)+$`, "references": `(?s)- type: conference-paper\ntitle: ".+"\nauthors:\n- family-names: `,
	} {
		if !regexp.MustCompile(want).MatchString(values[key]) {
			t.Errorf("%s is %q; want %s", key, values[key], want)
		}
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(Version) {
		t.Errorf("version %s", Version)
	}
}
