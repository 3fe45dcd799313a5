package drawing

import (
	"testing"

	"spillway/sim/report"
	"spillway/ui/lab/all"
	"spillway/ui/model/runs"
	"spillway/ui/model/workspace"
)

// What is drawn as a place is one in words: only what holds nothing, and has nothing to turn,
// is passed through.
func TestPlacesHaveNames(t *testing.T) {
	for _, door := range all.Labs {
		i := door.New().Info
		if i.Picture == nil {
			continue
		}
		p := New(&workspace.Workspace{Info: &i}, nil, nil)
		for k := range i.Picture.Places {
			x := &i.Picture.Places[k]
			if got := p.end(x.Key); got != x.Title && x.Key != "pcie" {
				t.Errorf("%s: %s is called %s", i.Name, x.Title, got)
			}
		}
	}
}

// The problem that is said is that of the settings at hand; its place stays.
func TestLead(t *testing.T) {
	d := &Drawing{runs: &runs.Runs{List: []runs.Run{{On: true, Report: &report.Report{Lead: "Much."}}}}}
	if d.Lead() != "Much." || d.Mute() {
		t.Errorf("%q", d.Lead())
	}
	d.runs.List[0].Stale = true
	if d.Lead() != "" || d.Mute() {
		t.Errorf("of other settings: %q", d.Lead())
	}
}

// Amounts have few letters: boxes are narrow, and what does not fit is cut.
func TestAmounts(t *testing.T) {
	for _, x := range []struct {
		v    float64
		unit string
		want string
	}{
		{0.00854, "GiB", "8.74 MiB"},
		{0.125, "GiB", "128 MiB"},
		{0.0371, "MiB", "38 KiB"},
		{0.344, "MB", "344 kB"},
		{0.0004, "KiB", "0.0004 KiB"},
		{0, "GiB", "0 GiB"},
		{31.5, "GB", "31.5 GB"},
		{0.5, "GB/s", "0.5 GB/s"},
		{0.25, "µs", "0.25 µs"},
	} {
		if got := inFewLetters(x.v, x.unit); got != x.want {
			t.Errorf("%v %s is %q, want %q", x.v, x.unit, got, x.want)
		}
	}
}
