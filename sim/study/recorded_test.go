package study_test

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/study"
)

// What is recorded comes back to the last bit, and a text of another paper is refused with the
// line where it stands.
func TestRecordedRuns(t *testing.T) {
	p := invented()
	all := []study.Outcome{
		{Run: "look at a", Fits: true, Values: []float64{3, 1. / 3, math.NaN()}, Rebuilt: true},
		{Run: slowA, Fits: true, Values: []float64{10, 2.5e-7}, Rebuilt: true},
		{Run: slowB, Reason: "needs  40 GB", Rebuilt: true},
	}
	if len(p.Of(slowA)) != 2 {
		t.Fatalf("%d points", len(p.Of(slowA)))
	}
	text, err := p.WriteRecorded("Two\nlines", all)
	if err != nil || !strings.HasPrefix(text, "# Two\n# lines\n") {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := p.ReadRecorded("file", text)
	if err != nil || len(got) != len(all) {
		t.Fatalf("%v\n%s", err, text)
	}
	for i := range got {
		if !got[i].Same(&all[i]) {
			t.Errorf("%+v came back as %+v", all[i], got[i])
		}
	}
	if got[2].Reason != "needs 40 GB" {
		t.Errorf("%q", got[2].Reason)
	}
	other := got[1]
	other.Values = []float64{10, 2.6e-7}
	if other.Same(&all[1]) || got[0].Same(&all[1]) {
		t.Error("others are the same")
	}
	lines := strings.SplitAfter(text, "\n")
	for bad, want := range map[string]string{
		"zz slow 1 2\n":         "file:1: ",
		"00000001 slow 1 2\n":   "no run of inv",
		text + lines[3]:         "twice",
		lines[3][:14] + "1\n":   "1 values",
		lines[3][:9] + "fast 1": "is of slow",
		lines[3][:14] + "1 x":   "no number",
	} {
		if _, err := p.ReadRecorded("file", bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", bad, err, want)
		}
	}
	if _, err := p.WriteRecorded("", []study.Outcome{{Run: "other"}}); err == nil {
		t.Error("written with a run of another paper")
	}
}

// A score counts what has two numbers: how many are how close, what half of them are within, and
// how many systems are in the order that was published.
func TestScore(t *testing.T) {
	p := invented()
	p.Fitted = study.FittedIn("2")
	p.Points[1].Note = study.Doubtful + "printed twice"
	_, scores, err := p.Tallies([]study.Outcome{
		ran(slowA, 10.4, 8), ran(fastA, 5.4, 4, 1.5, 4), {Run: slowB, Reason: "too large"}, ran(fastB, 16),
	})
	if err != nil {
		t.Fatal(err)
	}
	first, parts, all := scores[0], scores[1], scores[len(scores)-1]
	if first.Of != 3 || first.Close[0] != 1 || first.Close[1] != 2 || first.Close[2] != 2 || math.Abs(first.Median-0.08) > 1e-9 {
		t.Errorf("%+v", first)
	}
	if first.Pairs != 1 || first.Agree != 1 {
		t.Errorf("%d of %d pairs", first.Agree, first.Pairs)
	}
	if first.Dots[0].Basis != study.HeldOut || first.Dots[1].Basis != study.Doubted || parts.Dots[0].Basis != study.Fitted || first.Dots[2].Row != 3 || first.Dots[2].Ratio != 2 {
		t.Errorf("%+v, %+v", first.Dots, parts.Dots)
	}
	if all.Of != 6 || all.Dots != nil || all.Pairs != 1 {
		t.Errorf("%+v", all)
	}
}
