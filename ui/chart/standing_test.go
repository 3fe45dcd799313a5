package chart_test

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
)

// TestStandings: the best comes first and has the longest bar, also where less is better; what
// has no value comes last and says why; the line is at what is possible.
func TestStandings(t *testing.T) {
	c, runs := proven()
	runs = append(runs, chart.Run{System: &c.Info.Systems[2], On: true, Report: &report.Report{Reason: "no flour"}}, chart.Run{System: &c.Info.Systems[3]})
	b := chart.Standings(c, runs)
	want := []struct {
		place       int
		text, style string
	}{
		{2, "20 loaves/s", "--place:2;--bar:20.00%"},
		{3, "12.5 loaves/s", "--place:3;--bar:12.50%"},
		{1, "100 loaves/s", "--place:1;--bar:100.00%"},
		{4, chart.Unfit, "--place:4"},
		{0, "", ""},
	}
	for i, w := range want {
		if s := b.Rows[i]; s.Place != w.place || s.Text != w.text || s.Style != w.style {
			t.Errorf("%d: %+v, want %+v", i, s, w)
		}
	}
	if b.Title != "Loaves" || b.Room != "best possible" || b.Style != "--least:25.00%" || b.Note != "" {
		t.Errorf("%+v", b)
	}
	c.Info.Say.Quantity = "time_s"
	runs[0].Doubted = []float64{4, 8, math.NaN()}
	b = chart.Standings(c, runs[:2]) // 4 s are possible
	if s := b.Rows[0]; s.Style != "--place:1;--bar:80.00%;--low:50.00%;--high:100.00%" || s.Text != "5 s" {
		t.Errorf("%+v", s)
	}
	if s := b.Rows[1]; s.Style != "--place:2;--bar:50.00%" {
		t.Errorf("%+v", s)
	}
	if b.Note != "Bars show speed: longer is better." || b.Style != "--least:100.00%" {
		t.Errorf("%+v", b)
	}
	runs[1].Stale, runs[1].Status = true, chart.Cancelled
	if s := chart.Standings(c, runs[:2]).Rows[1]; s.Bar || s.Text != chart.Cancelled {
		t.Errorf("cancelled: %+v", s)
	}
	c.Floor = &report.Report{Fits: true, Values: []float64{0.1, 1000, 1, report.None(), report.None()}}
	if b := chart.Standings(c, runs[:1]); b.Room != "" {
		t.Errorf("a line that is far away: %+v", b)
	}
}

// TestAccountOf: two systems' time on one scale, with what the account has not as the rest.
func TestAccountOf(t *testing.T) {
	c, runs := proven()
	c.Info.Systems[1].Usual = true
	c.Info.Say.Loss, c.Info.Say.LossOf, c.Info.Say.Rest, c.Focus = "parts", "time_s", "waiting for dough", "oven"
	runs[0].Report.Values[0] = 6 // a second more than its parts
	a := chart.AccountOf(c, runs)
	var said []string
	for _, r := range a.Rows {
		said = append(said, r.Says)
	}
	if got := strings.Join(said, "; "); got != "Oven, 6 s: waiting for dough 1 s, kneading 2 s, baking 3 s; Kiln, 8 s: kneading 4 s, baking 4 s" {
		t.Error(got)
	}
	if s := a.Rows[1].Segments[0]; s.Style != "--look:var(--part-0);--share:50.00%" || len(a.Key) != 3 || a.Of != "" {
		t.Errorf("%+v, %+v", s, a.Key)
	}
	c.Focus = "kiln" // then beside the best
	if a := chart.AccountOf(c, runs); len(a.Rows) != 2 || a.Rows[0].Title != "Kiln" || a.Rows[1].Title != "Oven" {
		t.Errorf("%+v", a.Rows)
	}
	c.Info.Say.Loss = ""
	if a := chart.AccountOf(c, runs); len(a.Rows) != 0 {
		t.Errorf("%+v", a.Rows)
	}
}

// TestVerdictSpends says on what the one that everybody knows spends its time, unless that is
// little of the difference.
func TestVerdictSpends(t *testing.T) {
	c, runs := proven()
	c.Info.Systems[1].Usual = true
	c.Info.Say.Loss, c.Info.Say.LossOf, c.Info.Say.Spends = "parts", "time_s", "%s spends %s of its %s %s, %s %s"
	says, why := chart.Verdict(c.Info, runs)
	if says != "Oven is fastest: 20 loaves/s, 1.6× as fast as Kiln." || why != "Kiln spends 4 s of its 8 s on kneading, Oven 2 s. Oven is at 80 % of what is possible." {
		t.Errorf("%s | %s", says, why)
	}
	runs[1].Report.Values[3], runs[1].Report.Values[4] = 2, 3 // its parts are as those of the best
	if _, why := chart.Verdict(c.Info, runs); strings.Contains(why, "spends") {
		t.Error(why)
	}
}
