package chart_test

import (
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

// proven is a laboratory with a floor: how fast bread can be at best.
func proven() (*chart.Context, []chart.Run) {
	i := &lab.Info{
		Name: "bakery",
		Systems: []lab.System{
			{Name: "oven", Title: "Oven"},
			{Name: "kiln", Title: "Kiln", Look: 1},
			{Name: "magic", Title: "Magic", Look: 2},
			{Name: "bound", Title: "Best possible", Bound: true, Off: true, Look: 3},
			{Name: "dream", Title: "Dream", Bound: true, Look: 4},
		},
		Quantities: []report.Quantity{
			{Key: "time_s", Label: "Time", Unit: "s", Places: 1, Better: -1},
			{Key: "loaves", Label: "Loaves", Unit: "loaves/s", Places: 1, Better: 1},
			{Key: "headroom", Label: "Over the best", Unit: "×", Places: 3, Better: -1},
			{Key: "kneading", Label: "Kneading", Unit: "s", Places: 1},
			{Key: "baking", Label: "Baking", Unit: "s", Places: 1},
		},
		Charts: []report.Chart{
			{ID: "time", Title: "Time", Kind: report.Bars, Of: []string{"time_s"}},
			{ID: "loaves", Title: "Loaves", Kind: report.Bars, Of: []string{"loaves"}},
			{ID: "parts", Title: "Parts", Kind: report.Stacks, Of: []string{"kneading", "baking"}, Sum: "time_s", Unit: "s"},
			{ID: "baking", Title: "Baking", Kind: report.Bars, Of: []string{"baking"}},
		},
		Floor: lab.Floor{System: "bound", Of: "time_s", Headroom: "headroom", Also: []string{"loaves"}, Whom: "without yeast"},
		Say:   lab.Say{Quantity: "loaves", Than: "× as fast as", Most: "is fastest"},
	}
	none := report.None()
	c := &chart.Context{Info: i, Setup: i.Setup(), Floor: &report.Report{Fits: true, Values: []float64{4, 25, 1, none, none}}}
	of := func(at int, values ...float64) chart.Run {
		return chart.Run{System: &i.Systems[at], On: true, Report: &report.Report{Fits: true, Values: values}}
	}
	return c, []chart.Run{of(0, 5, 20, 1.25, 2, 3), of(1, 8, 12.5, 2, 4, 4), of(4, 1, 100, none, 1, 0)}
}

// TestRoom: charts of what the floor bounds have a line at it and a band to the best that is known, in
// the number's unit, and say so; others have none. Neither bounds nor those that the floor does not
// hold for end the band.
func TestRoom(t *testing.T) {
	c, runs := proven()
	room := func(id string) (*chart.Room, *chart.View) {
		for i := range c.Info.Charts {
			if c.Info.Charts[i].ID == id {
				v := chart.Draw(c, &c.Info.Charts[i], runs)
				return v.Figure.Bars.Room, &v
			}
		}
		t.Fatal(id)
		return nil, nil
	}
	for id, want := range map[string]chart.Room{
		"time": {4, 5, "best possible without yeast 4.0 s"}, "parts": {4, 5, "best possible without yeast 4.0 s"}, "loaves": {25, 20, "best possible without yeast 25.0 loaves/s"},
	} {
		r, v := room(id)
		if r == nil || *r != want {
			t.Errorf("%s: %+v, want %+v", id, r, want)
		}
		if !strings.Contains(v.Alt, "est possible without yeast") || !strings.Contains(v.Alt, "Oven is at 80 % of what is possible") {
			t.Errorf("%s says %q", id, v.Alt)
		}
	}
	if r, v := room("baking"); r != nil || strings.Contains(v.Alt, "possible") {
		t.Errorf("baking: %+v, %q", r, v.Alt)
	}
	if got := chart.Headline(c.Info, runs); !strings.Contains(got, "Oven is fastest: 20 loaves/s, 1.6× as fast as Kiln. Oven is at 80 % of what is possible.") {
		t.Error(got)
	}
	c.Info.Systems[0].Floor = "loaves" // what is proved of Oven alone is not what is drawn
	if got := chart.Headline(c.Info, runs); !strings.Contains(got, "Oven is at 80 % of what is possible for it.") {
		t.Error(got)
	}
	c.Info.Systems[0].Floor = ""
	runs = append(runs, chart.Run{System: &c.Info.Systems[2], On: true, Report: &report.Report{Fits: true, Values: []float64{2, 50, 0.5, 1, 1}}})
	if r, _ := room("time"); r == nil || r.Known != 5 {
		t.Errorf("magic ends the band: %+v", r)
	}
	if got := chart.Headline(c.Info, runs); strings.Contains(got, "possible") {
		t.Error(got)
	}
	c.Floor = &report.Report{Fits: true, Values: []float64{0.1, 1000, 1, report.None(), report.None()}}
	if r, v := room("loaves"); r != nil || !strings.Contains(v.Help, "Best possible without yeast 1000.0 loaves/s; Magic is within a factor of 20 of what is possible.") {
		t.Errorf("%+v, %q", r, v.Help)
	}
	c.Floor = &report.Report{Reason: "loose here, and not shown"}
	if r, v := room("time"); r != nil || !strings.Contains(v.Help, "Best possible: loose here, and not shown.") || !strings.Contains(v.Alt, "not shown") {
		t.Errorf("%+v, %q, %q", r, v.Help, v.Alt)
	}
	for i := range runs {
		runs[i].Stale = true
	}
	if r, _ := room("time"); r != nil {
		t.Error("a band of other settings")
	}
}

// TestSweepHeadroom: each point says how near its best system is to what is possible.
func TestSweepHeadroom(t *testing.T) {
	s := table([]chart.Dim{numbers("1", "2", "4")}, map[string][]any{"top": {10, 10, none("", false)}, "a": {8, 2, 2}, "b": {5, 1, 3}})
	s.Floor = "top"
	a := s.Answer()
	var got []string
	for _, r := range a.Tables[0].Rows {
		got = append(got, r.Cells[len(r.Cells)-1].Text)
	}
	if want := "at 80 % of what is possible|within a factor of 5 of what is possible|–"; strings.Join(got, "|") != want || a.Tables[0].Head[len(a.Tables[0].Head)-1] != "The best is" {
		t.Errorf("%q under %q", got, a.Tables[0].Head)
	}
}

// TestRankingHeadroom: a ranking with the floor shows each system's headroom, and the line.
func TestRankingHeadroom(t *testing.T) {
	c, _ := proven()
	none := report.None()
	k := &chart.Ranking{Info: c.Info, Setup: c.Setup, Of: &c.Info.Quantities[0], Systems: []chart.Ranked{
		{System: &c.Info.Systems[0], Known: true, Values: []float64{5, 20, none, 2, 3}}, {System: &c.Info.Systems[3], Known: true, Values: []float64{4, 25, none, none, none}},
	}}
	a := k.Answer()
	if r := a.Figure.Bars.Room; r == nil || r.Least != 4 || r.Known != 5 {
		t.Errorf("%+v", r)
	}
	rows := a.Tables[0].Rows
	if rows[0].Head != "Best possible" || rows[0].Cells[0].Text != "bound" || rows[1].Cells[0].Text != "1" || rows[1].Cells[2].Text != "1.250" {
		t.Errorf("%+v", rows)
	}
}

// What has half of what is possible is not within 93 % of it, whether more is better or less.
func TestHalfOfWhatIsPossible(t *testing.T) {
	for _, x := range []struct {
		time, loaves float64
		want         string
	}{
		{4 * 1.93, 25 / 1.93, "at 52 % of what is possible"},
		{5, 20, "at 80 % of what is possible"},
		{4.02, 24.876, "within 1 % of what is possible"},
		{4, 25, "as good as is possible"},
		{16, 6.25, "within a factor of 4 of what is possible"},
	} {
		c, runs := proven()
		runs[0].Report.Values[0], runs[0].Report.Values[1] = x.time, x.loaves
		for i := range c.Info.Charts[:2] {
			if v := chart.Draw(c, &c.Info.Charts[i], runs[:1]); !strings.Contains(v.Alt, "Oven is "+x.want) {
				t.Errorf("%g s of 4, %s: %q; want %q", x.time, c.Info.Charts[i].ID, v.Alt, x.want)
			}
		}
	}
}
