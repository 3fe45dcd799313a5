package chart_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

// rebaked are the runs with a baseline: what was slower, with lines of its own,
// nothing of a system that did not run, and one that did.
func rebaked(c *chart.Context) []chart.Run {
	c.Base = c.Setup.Clone()
	if err := c.Setup.Set("fuel", "80"); err != nil {
		panic(err)
	}
	rs := runs(c.Info)
	rs[2].Stale, rs[2].Status = false, ""
	rs[1].Before = &report.Report{
		Fits: true, Values: []float64{0.5, 122, 39, 0, 0},
		Curves: []report.Curve{
			{Chart: "heat", By: "time", X: []float64{0, 3}, Y: []float64{10, 60}},
			{Chart: "slow", X: []float64{0, 50, 100}, Y: []float64{1, 2, 9}},
			{Chart: "shelf", Name: "Rye", X: []float64{0, 2}, Y: []float64{3, 9}},
			{Chart: "shelf", Name: "Wheat", X: []float64{1}, Y: []float64{2}},
		},
	}
	rs[2].Before = &report.Report{Reason: "no"}
	rs[3].Before = &report.Report{Fits: true, Values: []float64{0.2, 1, 1, 1, 1}}
	return rs
}

func TestGhosts(t *testing.T) {
	c := context()
	rs := rebaked(c)
	var b strings.Builder
	for _, v := range chart.Views(c, rs) {
		fmt.Fprintf(&b, "## %s\nalt: %s\n", v.ID, v.Alt)
		for _, r := range v.Table.Rows {
			for _, x := range r.Cells {
				if x.Change != "" {
					fmt.Fprintf(&b, "%s: %s, %s\n", r.Head, x.Text, x.Change)
				}
			}
		}
		if v.Figure == nil {
			continue
		}
		_, data := v.Figure.Encode()
		of := func(c chart.Column) []float64 { return data[c[0] : c[0]+c[1]] }
		if x := v.Figure.Bars; x != nil {
			for _, r := range x.Rows {
				fmt.Fprintf(&b, "end: %s\n", r.End)
			}
			fmt.Fprintf(&b, "ghost: %v\n", of(x.Ghost))
		}
		if x := v.Figure.Panels; x != nil {
			for _, s := range x.Series {
				if s.Ghost {
					fmt.Fprintf(&b, "ghost: %s %s %v\n", s.Name, s.Shape, of(s.Points))
				}
			}
			fmt.Fprintf(&b, "legend: %s; x to %g\n", strings.Join(x.Legend, ", "), *x.X.Max)
		}
		for _, x := range data {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: %v among the numbers", v.ID, x)
			}
		}
	}
	_, rows := chart.Numbers(c.Info, rs)
	b.WriteString("## numbers\n")
	for _, r := range rows {
		for k, x := range r.Cells {
			if x.Change != "" {
				fmt.Fprintf(&b, "%s, %d: %s, %s\n", r.Label, k, x.Text, x.Change)
			}
		}
	}
	b.WriteString("## file\n" + chart.CSV(c, rs))
	golden.Compare(t, "testdata/ghosts.txt", []byte(b.String()))
}

// A chart has the same shape with and without reports of the baseline, but for
// the ghosts: nothing moves when they come.
func TestGhostsMoveNothing(t *testing.T) {
	c := context()
	rs := rebaked(c)
	full := chart.Views(c, rs)
	for i := range rs {
		rs[i].Before = nil
	}
	for i, v := range chart.Views(c, rs) {
		if v.Height != full[i].Height || v.Results != full[i].Results {
			t.Errorf("%s: %d pixels and %d results, with a baseline %d and %d", v.ID, v.Height, v.Results, full[i].Height, full[i].Results)
		}
	}
}

func TestBefore(t *testing.T) {
	names := []string{"Ideal", "G10", "DeepUM+", "FlashNeuron", "Base UVM"}
	i := bakery()
	i.Quantities[0].Better, i.Systems = 1, nil
	i.Say.Change, i.Say.Faster, i.Say.Slower = []string{"loaves", "speed"}, "faster", "slower"
	for k, name := range names {
		i.Systems = append(i.Systems, lab.System{Name: name, Title: name, Bound: k == 0, Look: k})
	}
	none := report.None()
	of := func(loaves float64) *report.Report {
		return &report.Report{Fits: loaves >= 0, Values: []float64{none, none, none, loaves, none}}
	}
	for _, x := range []struct {
		was, is []float64 // -1: does not run
		set     string
		change  func([]chart.Run)
		want    string
	}{
		{was: []float64{100, 90, 50, 40}, is: []float64{100, 97.2, 50, 52.4}, set: "80", want: "Twice the fuel makes G10 8 % faster; FlashNeuron gains most, 31 %."},
		{was: []float64{100, 90, 50, 40}, is: []float64{100, 72, 50, 52.4}, set: "20", want: "Half the fuel makes G10 20 % slower; FlashNeuron gains most, 31 %."},
		{was: []float64{100, 90, 50, 40}, is: []float64{100, 90, 50, 30}, set: "50", want: "25 % more fuel leaves G10 as it was; FlashNeuron loses 25 %."},
		{was: []float64{100, 90, 50}, is: []float64{100, 90, 50.1}, set: "36", want: "10 % less fuel changes next to nothing."},
		{was: []float64{100, 90, 50}, is: []float64{100, 95, 150}, set: "160", want: "Four times the fuel makes DeepUM+ 3× as fast; G10 gains 5.6 %; DeepUM+ is now ahead of G10."},
		{was: []float64{100, 90, -1, 40}, is: []float64{100, 99, 80, -1}, set: "4", want: "A tenth of the fuel makes G10 10 % faster; FlashNeuron no longer runs it; DeepUM+ now runs it."},
		{was: []float64{100, -1}, is: []float64{100, 50}, set: "80", want: "Twice the fuel makes it fit with G10."},
		{was: []float64{100, 5, 6}, is: []float64{100, -1, -1}, set: "8", want: "20 % of the fuel leaves G10 and DeepUM+ without a way to run it."},
		{was: []float64{100, 0}, is: []float64{100, 50}, set: "80"},  // no ratio
		{was: []float64{100, 90}, is: []float64{100, 50}, set: "40"}, // nothing was changed
		{was: []float64{100, 90}, is: []float64{100, 50}, set: "80", change: func(rs []chart.Run) { rs[1].Stale = true }},
		{was: []float64{100, 90}, is: []float64{100, 50}, set: "80", change: func(rs []chart.Run) { rs[1].Before = nil }}, // still to come
	} {
		c := &chart.Context{Info: i, Setup: i.Setup(), Base: i.Setup()}
		if err := c.Setup.Set("fuel", x.set); err != nil {
			t.Fatal(err)
		}
		var rs []chart.Run
		for k := range x.was {
			rs = append(rs, chart.Run{System: &i.Systems[k], On: true, Report: of(x.is[k]), Before: of(x.was[k])})
		}
		if x.change != nil {
			x.change(rs)
		}
		if got := chart.Before(c, rs); got != x.want {
			t.Errorf("%v, then %v:\n got %s\nwant %s", x.was, x.is, got, x.want)
		}
	}
	if got := chart.Before(&chart.Context{Info: i, Setup: i.Setup()}, nil); got != "" {
		t.Errorf("without a baseline: %s", got)
	}
}

func TestSubject(t *testing.T) {
	number := func(label, unit, was, is string) knob.Difference {
		return knob.Difference{Knob: &knob.Info{Label: label, Unit: unit}, Was: was, Is: is}
	}
	parts := knob.Info{Kind: knob.One, Derived: true, Label: "GPU", Choices: []knob.Choice{{Key: "a", Label: "A100"}, {Key: "b", Label: "GeForce RTX 4090"}}}
	times := knob.Info{Kind: knob.One, Label: "Kernel times", Choices: []knob.Choice{{Key: "a", Label: "As measured", Word: "as measured"}, {Key: "b", Label: "Estimated", Word: "estimated"}}}
	mode := knob.Info{Kind: knob.Many, Label: "Fidelity", Choices: []knob.Choice{{Key: "q1"}, {Key: "q2"}, {Key: "q3"}}, Sets: []knob.Choice{{Key: "published", Label: "As published", Word: "as published", Set: "q1,q2,q3"}, {Key: "corrected", Label: "Corrected", Word: "corrected"}}}
	preset := knob.Info{Kind: knob.One, Label: "Preset", Choices: []knob.Choice{{Key: "a", Label: "Old box", Set: "x=1"}, {Key: "b", Label: "New box", Set: "x=2"}}}
	for _, x := range []struct {
		ds   []knob.Difference
		want string
		many bool
	}{
		{[]knob.Difference{number("Host memory", "GiB", "128", "64")}, "Half the host memory", false},
		{[]knob.Difference{number("Buddy Threshold", "%", "30", "10")}, "33 % of the Buddy Threshold", false},
		{[]knob.Difference{number("Rate of GPU memory", "%", "30", "15")}, "Half the rate of GPU memory", false},
		{[]knob.Difference{number("SSD read", "GB/s", "3.2", "6.4"), number("SSD write", "GB/s", "3", "6")}, "Twice the SSD read rate and SSD write rate", true},
		{[]knob.Difference{number("SSD read", "GB/s", "3.2", "6.4"), number("SSD write", "GB/s", "3", "5")}, "These 2 changes together", true},
		{[]knob.Difference{number("Host memory", "GiB", "0", "64")}, "Host memory 64 GiB instead of 0 GiB", false},
		{[]knob.Difference{number("SSD latency", "µs", "20", "150")}, "7.5 times the SSD latency", false},
		{[]knob.Difference{number("SSD latency", "µs", "20", "19")}, "5 % less SSD latency", false},
		{[]knob.Difference{{Knob: &parts, Was: "a", Is: "b"}}, "GeForce RTX 4090 instead of A100", false},
		{[]knob.Difference{{Knob: &preset, Was: "a", Is: "b"}}, "New box instead of Old box", false},
		{[]knob.Difference{{Knob: &times, Was: "a", Is: "b"}}, "Kernel times estimated instead of as measured", false},
		{[]knob.Difference{{Knob: &mode, Was: "published", Is: "corrected"}}, "Fidelity corrected instead of as published", false},
		{[]knob.Difference{{Knob: &mode, Was: "published", Is: "q1,q3"}}, "Turning off q2", false},
		{[]knob.Difference{{Knob: &mode, Was: "q2", Is: "q1"}}, "Fidelity q1 instead of q2", false},
		{[]knob.Difference{{Knob: &mode, Was: "corrected", Is: "q1,q2"}}, "Turning on q1 and q2", false},
	} {
		if got, many := chart.Subject(x.ds); got != x.want || many != x.many {
			t.Errorf("got %q, %t, want %q, %t", got, many, x.want, x.many)
		}
	}
	if got := strings.Join(chart.Steps([]knob.Difference{number("Host memory", "GiB", "128", "64"), {Knob: &parts, Was: "", Is: "b"}, {Knob: &mode, Was: "q1", Is: "corrected"}}), "; "); got != "host memory 128 → 64 GiB; GPU custom → GeForce RTX 4090; fidelity q1 → corrected" {
		t.Error(got)
	}
}
