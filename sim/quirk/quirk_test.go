package quirk

import (
	"strings"
	"testing"
)

// three is a list.
var three = List{{Key: "one"}, {Key: "two"}, {Key: "three"}}

func TestEverySetIsReadBack(t *testing.T) {
	for s := range three.All() + 1 {
		text := three.Format(s)
		got, err := three.Parse(text)
		if err != nil || got != s {
			t.Errorf("%03b is written %q and read as %03b, %v", s, text, got, err)
		}
	}
	if got := three.Format(0b101); got != "one,three" {
		t.Errorf("the first and the third are written %q", got)
	}
}

func TestParse(t *testing.T) {
	if got, err := three.Parse(",three,,one,three"); err != nil || got != 0b101 {
		t.Errorf("repeated and empty names are read as %b, %v", got, err)
	}
	if _, err := three.Parse("one,four"); err == nil || !strings.Contains(err.Error(), `"four"`) {
		t.Errorf("an unknown name gives %v", err)
	}
	if three.All() != 0b111 {
		t.Errorf("all three are %b", three.All())
	}
}

func TestHas(t *testing.T) {
	s := Set(0b110)
	for q, want := range map[Set]bool{0: true, 0b010: true, 0b110: true, 0b001: false, 0b011: false} {
		if s.Has(q) != want {
			t.Errorf("%b has %b: %v", s, q, !want)
		}
	}
}
