package hashtest

import (
	"fmt"
	"strings"
	"testing"
)

type part struct{ A, B int64 }

type whole struct {
	Name  string
	Parts []part
	Other *part
	Kept  [2]bool
}

// faults counts what a test says.
type faults struct {
	testing.TB
	said []string
}

func (f *faults) Helper() {}

func (f *faults) Error(args ...any) { f.said = append(f.said, fmt.Sprint(args...)) }

func (f *faults) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func TestFields(t *testing.T) {
	all := func(w *whole) string { return fmt.Sprint(w.Name, w.Parts, *w.Other, w.Kept) }
	for _, x := range []struct {
		about string
		hash  func(*whole) string
		apart map[string]string
		says  string // of the first fault
	}{
		{"all", all, nil, ""},
		{"a field of elements is missing", func(w *whole) string {
			var b strings.Builder
			for _, p := range w.Parts {
				fmt.Fprint(&b, p.A, " ")
			}
			return fmt.Sprint(w.Name, b.String(), *w.Other, w.Kept)
		}, nil, "with another Parts.B the hash is another: false"},
		{"only a part of an array", func(w *whole) string { return fmt.Sprint(w.Name, w.Parts, *w.Other, w.Kept[0]) }, nil, "with another Kept the hash"},
		{"the number of elements", func(w *whole) string {
			return fmt.Sprint(w.Name, w.Parts[0], w.Parts[len(w.Parts)-1] != w.Parts[0], *w.Other, w.Kept)
		}, nil, "with another Parts.A the hash"},
		{"left out", func(w *whole) string { return fmt.Sprint(w.Name, w.Parts, w.Kept) }, map[string]string{"Other": "of no use"}, ""},
		{"left out, and in it", all, map[string]string{"Other.B": "of no use"}, "with another Other.B the hash is another: true"},
		{"left out, and not there", all, map[string]string{"Others": "of no use"}, "Others is left out, but there is no such field"},
		{"no reason", func(w *whole) string { return fmt.Sprint(w.Name, w.Parts, w.Kept) }, map[string]string{"Other": ""}, "Other is left out without a reason"},
	} {
		f := &faults{TB: t}
		Fields(f, x.hash, x.apart)
		if x.says == "" && len(f.said) > 0 || x.says != "" && (len(f.said) == 0 || !strings.HasPrefix(f.said[0], x.says)) {
			t.Errorf("%s: %q, want %q", x.about, f.said, x.says)
		}
	}
}
