package columns_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/columns"
	"spillway/ui/lab"
)

// iteration is a run of three steps that take so many microseconds, with an object that moves in
// one of them, or in none.
func iteration(took [3]int64, moves int) *lab.Happening {
	const us = int64(unit.Microsecond)
	r := timeline.Record(timeline.Picosecond, (took[0]+took[1]+took[2])*us, timeline.Category{Key: "a"}, timeline.Category{Key: "m", Style: timeline.Moving})
	r.Object("weight")
	for _, name := range []string{"conv", "relu", "conv"} {
		r.Step(name)
	}
	r.Group("GPU", false)
	state, link := r.Track("State", timeline.State, ""), r.Track("GPU → SSD", timeline.Link, "bytes")
	at := int64(0)
	for i, n := range took {
		r.Reach("step", at)
		r.Slice(state, timeline.Slice{Begin: at, End: at + n*us, Ref: -1, Step: int32(i)})
		if i == moves {
			r.Slice(link, timeline.Slice{Begin: at + us, End: at + 2*us, Cat: 1, Ref: 0, Step: -1, Amount: 1})
		}
		at += n * us
	}
	return &lab.Happening{Timeline: r.End()}
}

// Where two runs part: at the first step of another length, at the first other decision, and
// what makes most of it, by name and for each side; and the steps that take longest more. What is
// about a step leads there.
func TestApart(t *testing.T) {
	a, b := iteration([3]int64{10, 20, 30}, 1), iteration([3]int64{10, 25, 90}, -1)
	want := []string{
		"A takes 60 µs, B 125 µs.",
		"The first step of another length is step 1, relu: 20 µs and 25 µs.",
		"They first decide otherwise at step 1, relu: A alone moves weight GPU → SSD.",
		"A hundredth of the difference is there after step 1, relu.",
		"With B longer: conv (60 µs, 2 times) and relu (5 µs, 1 time).",
		"Step 2, conv: 60 µs longer in B.",
		"Step 1, relu: 5 µs longer in B.",
	}
	beside := func(a, b *lab.Happening, nameB string, progress bool) (texts []string, h *lab.Happening) {
		h, err := columns.Beside(a, b, "A", nameB, progress)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range h.Apart {
			texts = append(texts, l.Text)
		}
		if _, err := columns.Encode(h); err != nil {
			t.Error(err)
		}
		return texts, h
	}
	got, h := beside(a, b, "B", true)
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	const us = int64(unit.Microsecond)
	if l := h.Apart[1]; l.Track != 0 || l.Begin != 10*us {
		t.Errorf("the first other step is at %+v", l)
	}
	if l := h.Apart[5]; l.Track != 4 || l.Begin != (10+25+30)*us || h.End != (10+25+90)*us {
		t.Errorf("the dearest step is at %+v of %d", l, h.End)
	}
	if got, _ := beside(a, b, "B", false); !slices.Equal(got, want[:5]) {
		t.Errorf("by time: %q", got)
	}
	if got, h := beside(a, a, "A", true); len(got) != 2 || got[1] != "Every step takes the same time in both." || h.Sides[1].Name != "A, again" {
		t.Errorf("a run and itself: %q", got)
	}
	if _, err := columns.Beside(a, small(), "A", "B", true); err == nil || !strings.Contains(err.Error(), "other ticks") {
		t.Errorf("other ticks: %v", err)
	}
	b.Steps = b.Steps[:2]
	if got, _ := beside(a, b, "B", false); len(got) != 2 || !strings.Contains(got[1], "no steps in common") {
		t.Errorf("other steps: %q", got)
	}
}
