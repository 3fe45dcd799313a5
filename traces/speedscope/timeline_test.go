package speedscope_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"spillway/sim/timeline"
	"spillway/traces/speedscope"
)

// A State track is a profile whose events open and close in order, as speedscope reads them, and
// whose frames take the time of the ledger; no other track is one.
func TestTimeline(t *testing.T) {
	r := timeline.Record(timeline.Cycle(1_200_000_000), 500, timeline.Category{Label: "runs"}, timeline.Category{Label: "waits", Style: timeline.Waiting})
	for _, s := range []string{"first", "second", "first"} {
		r.Step(s)
	}
	r.Group("GPU", false)
	a, none, b := r.Track("a", timeline.State, ""), r.Track("kernels", timeline.Work, ""), r.Track("b", timeline.State, "")
	for i, s := range []timeline.Slice{
		{Begin: 0, End: 10, Step: 0}, {Begin: 10, End: 30, Cat: 1, Step: 0}, {Begin: 35, End: 40, Step: 1}, {Begin: 40, End: 41, Cat: 1, Step: 2}, {Begin: 50, End: 93, Cat: 1, Step: -1}, {Begin: 93, End: 500, Step: 0},
	} {
		s.Ref = -1
		r.Slice(a, s)
		if r.Slice(none, s); i > 3 {
			s.Step = -1
			r.Slice(b, s)
		}
	}
	var f struct {
		Schema         string `json:"$schema"`
		Name, Exporter string
		Shared         struct{ Frames []struct{ Name string } }
		Profiles       []struct {
			Type, Unit, Name     string
			StartValue, EndValue float64
			Events               []struct {
				Type  string
				Frame int
				At    float64
			}
		}
	}
	x := r.End()
	if err := json.Unmarshal(speedscope.Timeline(`a "name"`, "us", x), &f); err != nil {
		t.Fatal(err)
	}
	if f.Name != `a "name"` || f.Exporter != "us" || !strings.HasSuffix(f.Schema, "file-format-schema.json") || len(f.Profiles) != 2 || f.Profiles[0].Name != "GPU: a" || f.Profiles[1].Name != "GPU: b" {
		t.Fatalf("%+v", f)
	}
	spent := map[string]float64{}
	for _, p := range f.Profiles {
		if p.Type != "evented" || p.Unit != "nanoseconds" || p.StartValue != 0 || p.EndValue != 416.666 {
			t.Errorf("%s: %s in %s from %v to %v", p.Name, p.Type, p.Unit, p.StartValue, p.EndValue)
		}
		var open []int
		last := 0.0
		for _, e := range p.Events {
			if e.At < last || e.At > p.EndValue {
				t.Errorf("%s: %+v after %v", p.Name, e, last)
			}
			name := f.Shared.Frames[e.Frame].Name
			if e.Type == "O" {
				open = append(open, e.Frame)
				spent[name] -= e.At
			} else {
				if n := len(open) - 1; n < 0 || open[n] != e.Frame || e.Type != "C" {
					t.Fatalf("%s: %+v closes what is not open: %d", p.Name, e, open)
				}
				open = open[:len(open)-1]
				spent[name] += e.At
			}
			last = e.At
		}
		if len(open) > 0 {
			t.Errorf("%s: %d stay open", p.Name, open)
		}
	}
	for c, took := range x.Spent() {
		if want := float64(took) / 1.2; math.Abs(spent[x.Cats[c].Label]-want) > 0.01 {
			t.Errorf("%s takes %v ns, of %v", x.Cats[c].Label, spent[x.Cats[c].Label], want)
		}
	}
	if got := spent["second"]; math.Abs(got-5/1.2) > 0.01 {
		t.Errorf("the second step takes %v ns", got)
	}
}
