package cite_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"spillway/ui/cite"
	"spillway/ui/lab/all"
)

// field is a line of an entry.
var field = regexp.MustCompile(`^  ([a-z]+) *= \{(.*)\}(,?)$`)

// needs are the fields that BibTeX wants of each kind of entry.
var needs = map[string][]string{
	"inproceedings": {"author", "title", "booktitle", "year"}, "article": {"author", "title", "journal", "year"},
	"techreport": {"author", "title", "institution", "year"}, "misc": {"author", "title"},
}

// Entries are BibTeX: a kind with the fields that it needs, braces that close, keys that are
// unique, and nothing that TeX takes for its own.
func TestEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range cite.Entries() {
		if e.Key == "" || seen[e.Key] || e.Short == "" || e.Name == "" {
			t.Errorf("%+v is not named, or twice", e)
		}
		seen[e.Key] = true
		lines := strings.Split(e.BibTeX, "\n")
		kind, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "@"), "{")
		has := map[string]bool{}
		for i, line := range lines[1 : len(lines)-1] {
			m := field.FindStringSubmatch(line)
			if m == nil || has[m[1]] || (m[3] == ",") != (i < len(lines)-3) || strings.ContainsAny(m[2], "&%$#_^~\\\"") {
				t.Errorf("%s: %q is no field", e.Key, line)
				continue
			}
			has[m[1]] = true
			if m[1] == "author" {
				for name := range strings.SplitSeq(m[2], " and ") {
					if !strings.HasPrefix(name, "{") && strings.Count(name, ", ") != 1 {
						t.Errorf("%s: %q is no author", e.Key, name)
					}
				}
			}
		}
		for _, want := range needs[kind] {
			if !has[want] {
				t.Errorf("%s has no %s", e.Key, want)
			}
		}
		depth := 0
		for _, r := range e.BibTeX {
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth < 0 {
				break
			}
		}
		if depth != 0 || lines[len(lines)-1] != "}" || len(needs[kind]) == 0 {
			t.Errorf("%s does not close: %s", e.Key, e.BibTeX)
		}
	}
}

// What the examples of seams.md name, which nobody published.
const others, othersPaper = "nobody's", "Nobody's paper"

// Every system that names a publication, and every paper that is reproduced, has its entry;
// what has none is Spillway's own.
func TestSystems(t *testing.T) {
	for _, d := range all.Labs {
		l := d.New()
		for i := range l.Systems {
			x := &l.Systems[i]
			own := strings.HasPrefix(x.Paper, "Spillway") && !strings.Contains(x.Paper, "; ") || strings.HasPrefix(x.Paper, "not in the ") || strings.HasPrefix(x.Paper, "PyTorch; ")
			if list := cite.Of(x.Paper); (len(list) == 0) != own && x.Paper != others {
				t.Errorf("%s of %s is from %q, which is %d entries", x.Name, l.Name, x.Paper, len(list))
			}
		}
		for _, p := range l.Papers {
			if !slices.ContainsFunc(cite.Entries(), func(e cite.Entry) bool { return e.Key == p.Key }) && p.Key != "kerneltimes" && p.Key != "planner" && p.Title != othersPaper {
				t.Errorf("paper %s has no entry", p.Key)
			}
		}
	}
	keys := func(texts ...string) (list []string) {
		for _, e := range cite.Of(texts...) {
			list = append(list, e.Key)
		}
		return list
	}
	if got := keys("FlashNeuron (FAST 2021), as run in G10 (MICRO 2023), §7.1", "not in the report", "G10 (MICRO 2023)"); !slices.Equal(got, []string{"flashneuron", "g10"}) {
		t.Errorf("%q", got)
	}
	if text := cite.BibTeX(cite.Of("Ravenstore report, §4.3")); text != "" && strings.Count(text, "@") != 1 {
		t.Error(text)
	}
}
