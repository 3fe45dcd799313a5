package form

import (
	"strings"
	"testing"

	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/workspace"
)

func bakeryForm() *Form {
	i := bakery.New().Info
	w := workspace.New(&i, func() {}, func(string) {})
	return New(w, files.New(w, calls.NewDesk(calls.NewTable(&bakery.Host{}), i.Name, func() {}), new(files.Count), nil))
}

// What cannot be read stays in the field, which says why; the setting stays as it was.
func TestDrafts(t *testing.T) {
	f := bakeryForm()
	f.room.Type("portions", "many")
	if x := f.Field("portions"); x.Text != "many" || !strings.Contains(x.Error, "not a number") || !x.Changed || f.room.State.Setup.Text("portions") != "4" {
		t.Errorf("%+v", x)
	}
	if list := f.Wrong(); len(list) != 1 || list[0].Key != "portions" {
		t.Errorf("%+v", list)
	}
	if f.room.Type("portions", "60"); !strings.Contains(f.Field("portions").Error, "50") {
		t.Errorf("more than rye allows: %+v", f.Field("portions"))
	}
	if f.room.Type("portions", "8"); len(f.Wrong()) != 0 || f.room.State.Setup.Text("portions") != "8" || f.Field("portions").Hint != "Try 4 or 8." {
		t.Errorf("%+v", f.Field("portions"))
	}
}

// Choices that others shut out are off, and say why; what changes nothing has a mark.
func TestChoices(t *testing.T) {
	f := bakeryForm()
	f.room.Choose("dish", "cake")
	x := f.Field("oven")
	if x.Text != "gas" || len(x.Options) != 2 || !x.Options[0].Off || !strings.Contains(x.Why, `There is no "wood" with`) {
		t.Errorf("%+v", x)
	}
	if x := f.Field("watts"); x.Mark != "gas has none" {
		t.Errorf("%+v", x)
	}
	if x := f.Field("spice"); len(x.Sets) != 2 || !x.Sets[0].Chosen || !x.Options[1].Chosen {
		t.Errorf("%+v", x)
	}
	// What is a workload of its own is no change of its panel; the oven came with it.
	panels := f.Forms()
	if len(panels) != 2 || panels[0].Changed || !panels[1].Changed || panels[0].Groups[0].Fields[0].Key != "dish" {
		t.Errorf("%+v", panels)
	}
}

// A slider goes from a sixteenth to sixteen times the usual, its ends are within what is allowed,
// and a small step changes the second digit.
func TestDial(t *testing.T) {
	f := bakeryForm()
	d := f.Dial("watts", "")
	if d.At != SliderSteps/2 {
		t.Errorf("the usual is at %d", d.At)
	}
	for at, want := range map[int]string{0: "6", SliderSteps: "1600", SliderSteps / 2: "100"} {
		if f.Turn("watts", "", at); f.room.State.Setup.Text("watts") != want {
			t.Errorf("at %d: %s", at, f.room.State.Setup.Text("watts"))
		}
	}
	for by, want := range map[int]string{1: "110", -2: "80"} {
		f.room.Type("watts", "100")
		if f.Step("watts", by); f.room.State.Setup.Text("watts") != want {
			t.Errorf("by %d: %s", by, f.room.State.Setup.Text("watts"))
		}
	}
	if f.Step("portions", -9); f.room.State.Setup.Text("portions") != "1" {
		t.Errorf("below the least: %s", f.room.State.Setup.Text("portions"))
	}
	if m := (&Mark{At: SliderSteps / 8}); m.Style() != "left:12.5%" {
		t.Error(m.Style())
	}
}

// The brief says what the numbers are of, and what they rest on.
func TestBrief(t *testing.T) {
	f := bakeryForm()
	pieces, trust := f.Brief()
	if strings.Join(pieces, "|")+"/"+strings.Join(trust, "|") != "Rye, 4|hot|wood at 100/hot" {
		t.Errorf("%q %q", pieces, trust)
	}
}
