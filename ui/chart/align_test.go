package chart_test

import (
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

// timed is a report whose kernels end at these seconds.
func timed(speed float64, ends ...float64) *report.Report {
	r := &report.Report{Fits: true, Values: []float64{speed, 1, 1, 1, 1}}
	kernels := make([]float64, len(ends))
	for i := range ends {
		kernels[i] = float64(2 * i)
	}
	level := make([]float64, len(ends))
	r.Curves = []report.Curve{{Chart: "heat", By: "time", X: ends, Y: level}, {Chart: "heat", By: "kernel", X: kernels, Y: level}}
	return r
}

// alongside are runs side by side.
func alongside(reports ...*report.Report) (*chart.Context, []chart.Run, []lab.System) {
	i := bakery()
	i.Charts[3].By = []report.Variant{{Key: "time"}, {Key: "kernel"}}
	systems := make([]lab.System, len(reports))
	var rs []chart.Run
	for k, r := range reports {
		systems[k] = chart.Named(k, strings.Repeat("long ", k*4)+"name")
		rs = append(rs, chart.Run{System: &systems[k], On: true, Report: r})
	}
	return &chart.Context{Info: i, Setup: i.Setup()}, rs, systems
}

func TestLag(t *testing.T) {
	c, rs, _ := alongside(timed(1, 1, 2, 3), timed(1, 1, 3, 5), timed(1, 1, 2, 2.5), timed(1, 1, 2), nil, &report.Report{Reason: "no"}, timed(1, 1, 2, 3))
	v := chart.Lag(c, rs)
	if want := "B ends 2.000 s later; C ends 500.0 ms earlier."; v.Text != want || v.Results != 3 {
		t.Errorf("%d results: %s", v.Results, v.Text)
	}
	text, data := v.Figure.Encode()
	p := v.Figure.Panels
	if len(p.Series) != 3 || !strings.Contains(text, "s later than A name") {
		t.Fatalf("%d series: %s", len(p.Series), text)
	}
	at := p.Series[0].Points
	for i, want := range []float64{0, 0, 2, 1, 4, 2} {
		if got := data[at[0]+i]; got != want {
			t.Errorf("number %d is %g, want %g", i, got, want)
		}
	}
	rs[4].Status = chart.Failed
	for _, none := range [][]chart.Run{nil, rs[:1], {rs[4], rs[1]}} {
		if v := chart.Lag(c, none); v.Results != 0 || !strings.HasPrefix(v.Empty, "Runs are compared kernel by kernel") {
			t.Errorf("of %d runs: %d results, empty because %q", len(none), v.Results, v.Empty)
		}
	}
	if !chart.Aligned(c.Info) || chart.Aligned(bakery()) {
		t.Error("whose kernels can be compared?")
	}
	if k, s := chart.Progress(c.Info, timed(1, 4, 5)); len(k) != 2 || s[1] != 5 || k[1] != 2 {
		t.Errorf("progress %v, %v", k, s)
	}
	if k, _ := chart.Progress(bakery(), timed(1, 4, 5)); k != nil {
		t.Error("a chart without kernels has progress")
	}
}

func TestCompared(t *testing.T) {
	c, rs, _ := alongside(timed(0.5, 1), timed(0.75, 1), timed(0.25, 1), timed(0.5, 1), timed(2, 1), &report.Report{Reason: "no"})
	if got, want := chart.Compared(c.Info, rs), "Against A name: B is 50 % better; C is 50 % worse; D is level; E is 4× as fast; F cannot run it."; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := chart.Compared(c.Info, rs[:1]); got != "" {
		t.Errorf("of one run: %s", got)
	}
	rs[1].Report, rs[1].Status = nil, chart.Running
	if got := chart.Compared(c.Info, rs); got != "" {
		t.Errorf("while one runs: %s", got)
	}
	if got := chart.Named(7, strings.Repeat("ä", 40)).Title; got != "H "+strings.Repeat("ä", 25)+"…" {
		t.Error(got)
	}
	v := chart.Single(c, "speed", rs)
	if v.ID != "side-quantity" || !v.Figure.Bars.Wide || v.Title != "Speed" {
		t.Errorf("%+v", v)
	}
	if v := chart.Single(c, "nothing", rs); v.Title != "Speed" {
		t.Errorf("an unknown quantity: %s", v.Title)
	}
}

func TestSettings(t *testing.T) {
	i := bakery()
	i.Knobs = append(i.Knobs, knob.Info{Key: "oven", Label: "Oven", Kind: knob.One, Default: "a", Choices: []knob.Choice{{Key: "a", Label: "Adobe"}, {Key: "b", Label: "Brick"}}})
	setup := func(text string) *knob.Setup {
		u := i.Setup()
		pairs, _ := knob.Pairs(text)
		if err := u.Apply(pairs); err != nil {
			t.Fatal(err)
		}
		return u
	}
	say := func(us ...*knob.Setup) string {
		var b strings.Builder
		for _, r := range chart.Settings(us) {
			b.WriteString(r.Label + " " + r.Unit + ":")
			for _, x := range r.Cells {
				b.WriteString(" " + x.Text)
			}
			b.WriteString(";")
		}
		return b.String()
	}
	if got := say(setup(""), setup("fuel=80"), setup("oven=b")); got != "Fuel GiB: 40 80 40;Oven : Adobe Adobe Brick;" {
		t.Error(got)
	}
	if got := say(setup("fuel=80"), setup("fuel=80")) + say(setup("")) + say(); got != "" {
		t.Error(got)
	}
	c, rs, _ := alongside(timed(0.5, 1), nil)
	rs[1].Status, rs[1].Error = chart.Failed, "why"
	got := chart.SideCSV(c, rs, []*lab.System{&i.Systems[1], &i.Systems[2]}, []*knob.Setup{setup("fuel=80"), setup("")})
	lines := strings.Split(got, "\n")
	if !strings.HasPrefix(lines[0], "run,lab,system,title,setup,") || !strings.HasPrefix(lines[1], "name,bakery,oven,Oven,fuel=80,,,ok,,0.5,") || !strings.Contains(lines[2], `,"Kiln, old",,,,failed,why,`) {
		t.Error(got)
	}
}
