package sections

import (
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/model/form"
)

// TestOffers lists what a section offers for a knob of its own.
func TestOffers(t *testing.T) {
	s := &report.Section{Offers: []report.Offers{{Key: "of", Choices: []report.Offer{{Text: "", Label: "the largest"}, {Text: "b"}}}}}
	for text, want := range map[string]string{"": "the largest", "b": "b", "c": "c (not there)"} {
		f := form.Field{Key: "of", Kind: knob.Word, Text: text}
		offer(&f, s)
		var chosen strings.Builder
		for _, o := range f.Options {
			if o.Chosen {
				chosen.WriteString(o.Label)
			}
		}
		if f.Kind != knob.One || chosen.String() != want {
			t.Errorf("%q: %+v", text, f)
		}
	}
	f := form.Field{Key: "of", Kind: knob.Word} // nobody chose, and no text of the list stands for that
	offer(&f, &report.Section{Offers: []report.Offers{{Key: "of", Choices: []report.Offer{{Text: "a"}, {Text: "b"}}}}})
	if len(f.Options) != 2 || !f.Options[0].Chosen {
		t.Errorf("%+v", f)
	}
	for _, f := range []form.Field{{Key: "of", Kind: knob.Number}, {Key: "other", Kind: knob.Word}} {
		was := f.Kind
		if offer(&f, s); f.Kind != was {
			t.Errorf("%+v", f)
		}
	}
}
