package door

import (
	"reflect"
	"testing"
)

// What a subject writes is of the type that it reads, and no format is written by two.
func TestWriters(t *testing.T) {
	of := map[string]string{}
	for _, s := range subjects {
		kind := ""
		for i, w := range s.writes {
			if was, twice := of[w.Format]; twice && w.Format != "" {
				t.Errorf("%s is written by %s and by %s", w.Format, was, s.lab)
			}
			of[w.Format] = s.lab
			if i > 0 && w.Format == "" {
				t.Errorf("%s: nobody can ask for format %d", s.lab, i)
			}
			is := reflect.TypeOf(w.Blank()).String()
			if kind != "" && is != kind {
				t.Errorf("%s hands over %s and %s", s.lab, kind, is)
			}
			kind = is
			if _, data, err := w.Write(w.Blank()); err == nil && len(data) == 0 {
				t.Errorf("%s: of nothing a file without bytes is written", s.lab)
			}
		}
		p, err := Packer(s.lab)
		if (err == nil) != (len(s.writes) > 0) || err == nil && p.Format != s.writes[0].Format {
			t.Errorf("%s: a bundle has %q, %v", s.lab, p.Format, err)
		}
	}
	if _, err := WriterOf("a format that nobody has"); err == nil {
		t.Error("a format that nobody has is written")
	}
	if _, err := WriterOf(""); err == nil {
		t.Error("a format without a name is written")
	}
}
