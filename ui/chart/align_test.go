package chart_test

import (
	"strings"
	"testing"

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

// against is an oven in focus, and what it is compared with.
func against(is, was *report.Report) (*chart.Context, []chart.Run) {
	i := bakery()
	i.Charts[3].By = []report.Variant{{Key: "time"}, {Key: "kernel"}}
	then := i.Setup()
	_ = then.Set("fuel", "80")
	other := &chart.Run{System: &lab.System{Name: "kiln", Title: "stock"}, On: true, Report: was, Setup: then}
	return &chart.Context{Info: i, Setup: i.Setup(), Focus: i.Systems[1].Name, Other: other}, []chart.Run{{System: &i.Systems[1], On: true, Report: is}}
}

func TestLag(t *testing.T) {
	for _, x := range []struct {
		is, was *report.Report
		want    string
	}{
		{timed(1, 1, 3, 5), timed(1, 1, 2, 3), "Oven ends 2.000 s later."},
		{timed(1, 1, 2, 2.5), timed(1, 1, 2, 3), "Oven ends 500.0 ms earlier."},
		{timed(1, 1, 2, 3), timed(1, 1, 2, 3), "They end at the same time."},
		{timed(1, 1, 2), timed(1, 1, 2, 3), ""},
		{timed(1, 1, 2, 3), nil, ""},
		{&report.Report{Reason: "no"}, timed(1, 1, 2, 3), ""},
	} {
		c, rs := against(x.is, x.was)
		v := chart.Lag(c, rs)
		if v.Absent != (x.want == "") || v.Text != x.want {
			t.Errorf("got %q, absent %t, want %q", v.Text, v.Absent, x.want)
		}
		if c.Other = nil; !chart.Lag(c, rs).Absent {
			t.Error("it is there where nobody chose what to compare with")
		}
	}
	c, rs := against(timed(1, 1, 3, 5), timed(1, 1, 2, 3))
	v := chart.Lag(c, rs)
	text, data := v.Figure.Encode()
	p := v.Figure.Panels
	if len(p.Series) != 1 || !strings.Contains(text, "s later than stock") {
		t.Fatalf("%d series: %s", len(p.Series), text)
	}
	at := p.Series[0].Points
	for i, want := range []float64{0, 0, 2, 1, 4, 2} {
		if got := data[at[0]+i]; got != want {
			t.Errorf("number %d is %g, want %g", i, got, want)
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
	const differ = "Since then: fuel 80 → 40 GiB."
	for _, x := range []struct {
		is, was *report.Report
		want    string
	}{
		{timed(0.75, 1), timed(0.5, 1), "Oven is 50 % better than stock. " + differ},
		{timed(0.25, 1), timed(0.5, 1), "Oven is 50 % worse than stock. " + differ},
		{timed(0.5, 1), timed(0.5, 1), "Oven is level with stock. " + differ},
		{timed(2, 1), timed(0.5, 1), "Oven is 4× as fast as stock. " + differ},
		{timed(2, 1), nil, differ},
		{nil, timed(2, 1), differ},
	} {
		c, rs := against(x.is, x.was)
		if got := chart.Compared(c, rs); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
	c, rs := against(timed(0.5, 1), timed(0.5, 1))
	c.Other.Setup = c.Setup
	if got, want := chart.Compared(c, rs), "Oven is level with stock. The same settings."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c.Other.Setup = nil; chart.Compared(c, rs) != "" {
		t.Error("two systems of one run differ in settings")
	}
}

// A run with settings of its own is a row with these, and a column.
func TestOwnSettings(t *testing.T) {
	c, rs := against(timed(0.5, 1), timed(0.25, 1))
	rs = append(rs, *c.Other)
	lines := strings.Split(chart.CSV(c, rs), "\n")
	if !strings.HasPrefix(lines[1], "bakery,oven,Oven,,,,ok,,0.5,") || !strings.HasPrefix(lines[2], "bakery,kiln,stock,fuel=80,,,ok,,0.25,") {
		t.Error(lines)
	}
	if heads, _ := chart.Numbers(c.Info, rs); len(heads) != 2 || heads[1] != "stock" {
		t.Error(heads)
	}
}
