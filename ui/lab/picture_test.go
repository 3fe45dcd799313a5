package lab

import (
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// A lane's rate is that of the run where that decides, else that of the setting, which may be
// of one of several; nothing limits one of 0.
func TestLaneRate(t *testing.T) {
	i := Info{
		Knobs:      []knob.Info{{Key: "path", Unit: "GB/s", Scale: 1, Max: 99, Default: "3"}, {Key: "parts", Scale: 1, Max: 99, Default: "16"}},
		Quantities: []report.Quantity{{Key: "reached", Unit: "GB/s"}},
		Picture:    &Picture{Scale: "parts"},
	}
	u, l := i.Setup(), &Lane{Rate: "path", Reached: "reached"}
	rate := func(r *report.Report, want float64, known bool) {
		t.Helper()
		if v, unit, ok := i.Rate(u, r, l); ok != known || ok && (v != want || unit != "GB/s") {
			t.Errorf("%v %s, %v; want %v", v, unit, ok, want)
		}
	}
	rate(nil, 0, false)
	rate(&report.Report{Reason: "too large"}, 0, false)
	rate(&report.Report{Fits: true, Values: []float64{100.8}}, 100.8, true)
	rate(&report.Report{Fits: true, Values: []float64{0}}, 0, false)
	l.Reached = ""
	rate(nil, 3, true)
	rate(&report.Report{Reason: "too large"}, 3, true)
	if err := u.Set("path", "0"); err != nil {
		t.Fatal(err)
	}
	rate(nil, 0, false)
	if i.Part(u) != 16 {
		t.Errorf("a run is 1/%v", i.Part(u))
	}
	i.Picture.Scale = ""
	if i.Part(u) != 1 {
		t.Errorf("a run is 1/%v", i.Part(u))
	}
}
