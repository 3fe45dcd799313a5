package chart_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
)

// loaves is a map of two shelves with three boards of four places.
func loaves() *report.Map {
	const none = report.NoCell
	return &report.Map{
		ID: "shelves", Title: "Shelves", X: "place", Y: "board", From: 1, Columns: 4, Grids: []string{"left", "right"}, Rows: []string{"10", "20", "30"},
		Cells: []byte{
			0, 1, 2, 2, 0, 0, 0, 1, 2, none, none, none,
			2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
		},
		Classes: []string{"empty", "rye", "wheat"},
		Pick:    report.Pick{Section: "crumb", Set: "shelf=left", Key: "place", First: []int64{40, 80, 120}},
	}
}

// plate are knobs of a view.
func plate() *knob.Setup {
	u := knob.NewSetup([]knob.Info{{Key: "shelf", Kind: knob.Word}, {Key: "place", Scale: 1, Max: 1000, Default: "0"}})
	_ = u.Read("shelf=left place=82")
	return u
}

func TestCells(t *testing.T) {
	v := chart.Cells("cells", loaves(), plate())
	h := v.Figure.Heat
	if !h.Dense || !v.Picks || !slices.Equal(h.Here, []int{2, 1}) || h.X.Labels[0] != "1" || len(h.Looks) != 3 {
		t.Errorf("%+v", h)
	}
	for i, want := range []string{"--level-0", "--level-2", "--level-4"} {
		if got := h.Looks[i].Look.Color; got != want {
			t.Errorf("class %d has %s, want %s", i, got, want)
		}
	}
	who := v.Figure.Data[h.Who[0] : h.Who[0]+h.Who[1]]
	if who[2] != 2 || who[9] != -1 || len(who) != 24 {
		t.Errorf("%v", who)
	}
	if v.Text != "Left, 9 cells: empty 44.4 %, rye 22.2 % and wheat 33.3 %; right, 12 cells: wheat 100 %." || v.Alt != v.Text {
		t.Errorf("%q", v.Text)
	}
	if rows := v.Table.Rows; len(rows) != 3 || rows[2].Cells[0].Text != "3" || rows[2].Cells[1].Text != "12" {
		t.Errorf("%+v", v.Table)
	}
	if lines := strings.Split(v.CSV(), "\n"); lines[0] != "grid,board,1,2,3,4" || lines[1] != "left,10,empty,rye,wheat,wheat" || lines[3] != "left,30,wheat,,," || lines[4] != "right,10,wheat,wheat,wheat,wheat" {
		t.Errorf("%q", lines)
	}
	look := plate()
	for _, text := range []string{"shelf=right", "shelf=left place=5", "place=121"} {
		if err := look.Read(text); err != nil {
			t.Fatal(err)
		}
		if v := chart.Cells("cells", loaves(), look); len(v.Figure.Heat.Here) != 0 {
			t.Errorf("%s: here is %v", text, v.Figure.Heat.Here)
		}
	}
	for _, spoil := range []func(*report.Map){
		func(m *report.Map) { m.Cells = nil }, func(m *report.Map) { m.Rows = nil }, func(m *report.Map) { m.Columns = 3 }, func(m *report.Map) { m.Classes = make([]string, 6) },
	} {
		m := loaves()
		spoil(m)
		if v := chart.Cells("cells", m, nil); v.Empty == "" || v.Figure != nil {
			t.Errorf("a map that is none is drawn: %+v", m)
		}
	}
}

// limited is a chart of sums with so much fuel.
func limited(fuel int) chart.View {
	c := context()
	c.Info.Knobs = slices.Clone(c.Info.Knobs)
	c.Info.Knobs[0].Min = 0
	c.Setup = c.Info.Setup()
	if err := c.Setup.Set("fuel", map[int]string{100: "100", 0: "0"}[fuel]); err != nil {
		panic(err)
	}
	ch := report.Chart{ID: "limited", Title: "Time lost", Kind: report.Stacks, Of: []string{"lost_ms_cold", "lost_ms_crowd"}, Limit: "fuel", LimitLabel: "time", Unit: "s", Say: "loses most"}
	if fuel == 0 {
		ch.ID += "0"
	}
	return chart.Draw(c, &ch, []chart.Run{
		{System: &c.Info.Systems[0], On: true, Report: &report.Report{Fits: true, Values: []float64{0, 150e3, 0, 0, 0}}},
		{System: &c.Info.Systems[1], On: true, Report: &report.Report{Fits: true, Values: []float64{0, 40e3, 20e3, 0, 0}}},
		{System: &c.Info.Systems[2], On: true, Report: &report.Report{Reason: "it is too slow", Values: []float64{0, 80e3, 40e3, 0, 0}}},
	})
}

// TestLimit draws a limit across sums, and what would be needed.
func TestLimit(t *testing.T) {
	v := limited(100)
	b := v.Figure.Bars
	if b.Limit == nil || b.Limit.At != 100 || b.Limit.Text != "time 100 s" || b.Rows[2].End != "needs 120.0 s" {
		t.Errorf("%+v %+v", b.Limit, b.Rows)
	}
	if !strings.HasSuffix(v.Text, "Time 100 s; it is enough for Oven; too little for what others need: Kiln, old 120.0 s.") {
		t.Errorf("%q", v.Text)
	}
	if v := limited(0); v.Figure.Bars.Limit != nil || strings.Contains(v.Text, "enough") {
		t.Errorf("without a limit: %q", v.Text)
	}
}

// TestPrice says what the best costs.
func TestPrice(t *testing.T) {
	c := context()
	c.Info.Say.Price, c.Info.Say.More, c.Info.Say.Less = "salt_g", "more salt", "less salt"
	for x, want := range map[float64]string{2.54: "with 2.5 % more salt", -3: "with 3 % less salt", 0.01: "with no more salt"} {
		rs := []chart.Run{{System: &c.Info.Systems[1], On: true, Report: &report.Report{Fits: true, Values: []float64{0.5, 0, 0, 0, x}}}}
		if got := chart.Headline(c.Info, rs); !strings.Contains(got, want) {
			t.Errorf("%v: %s", x, got)
		}
	}
}
