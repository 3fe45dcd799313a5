package chart_test

import (
	"math"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

// none is a point without a value, and why.
func none(why string, unfit bool) chart.Trial {
	return chart.Trial{Known: true, Value: math.NaN(), Why: why, Unfit: unfit}
}

// table is a sweep of three systems, the first a bound, over numbers or names.
func table(dims []chart.Dim, rows map[string][]any) *chart.Sweep {
	systems := []*lab.System{{Name: "top", Title: "Top", Bound: true, Look: 9}, {Name: "a", Title: "A", Look: 1}, {Name: "b", Title: "B", Look: 2}}
	s := &chart.Sweep{Of: &report.Quantity{Key: "speed", Label: "Speed", Unit: "x", Better: 1, Places: 1}, Systems: systems, Dims: dims}
	high := 1
	if len(dims) == 2 {
		high = len(dims[1].Labels)
	}
	s.At = func(sys, i, k int) chart.Trial {
		switch v := rows[systems[sys].Name][i*high+k].(type) {
		case int:
			return chart.Trial{Known: true, Value: float64(v), Low: float64(v), High: float64(v)}
		case chart.Trial:
			return v
		}
		return chart.Trial{Value: math.NaN()}
	}
	return s
}

func numbers(labels ...string) chart.Dim {
	d := chart.Dim{Label: "Rate", Unit: "GB/s", Labels: labels, Now: "4", NowX: 4}
	for i := range labels {
		d.Xs = append(d.Xs, math.Pow(2, float64(i)))
	}
	return d
}

func TestSweepSays(t *testing.T) {
	d := numbers("1", "2", "4", "8", "16")
	for _, tt := range []struct {
		name string
		a, b []any
		want []string
		not  string
	}{
		{"crossing and knee", []any{20, 20, 20, 20, 20}, []any{5, 10, 40, 40, 40}, []string{"A is best at first; B overtakes A at about 2.5 GB/s.", "From 1 GB/s to 16 GB/s B gains most: a factor of 8.", "Beyond 4 GB/s nothing changes any more."}, ""},
		{"one leads", []any{10, 18, 20, 20, 20}, []any{5, 6, 8, 9, 10}, []string{"A is best throughout.", "Beyond 4 GB/s only B changes."}, "overtakes"},
		{"nothing", []any{20, 20, 20, 20, 20}, []any{20, 20, 20, 20, 20}, []string{"Rate changes nothing here."}, "best"},
		{"cannot", []any{20, 20, none("", true), none("", true), none("", true)}, []any{5, 6, 7, 8, 9}, []string{"B is best from 4 GB/s, where A cannot run it"}, "overtakes"},
		{"so far", []any{20, nil, nil, nil, 20}, []any{5, nil, nil, nil, 10}, []string{"So far: A is best throughout."}, ""},
		{"almost", []any{1000, 1000, 1000, 1000, 1000}, []any{990, 995, 1000, 1004, 1005}, []string{"A is best or within 1 % of it throughout."}, "overtakes"},
	} {
		if tt.name == "nothing" {
			d.Now = "3"
		}
		got := table([]chart.Dim{d}, map[string][]any{"top": {50, 50, 50, 50, 50}, "a": tt.a, "b": tt.b}).Answer()
		for _, want := range tt.want {
			if !strings.Contains(got.Says, want) {
				t.Errorf("%s: %q; want %q in it", tt.name, got.Says, want)
			}
		}
		if tt.not != "" && strings.Contains(got.Says, tt.not) {
			t.Errorf("%s: %q has %q", tt.name, got.Says, tt.not)
		}
	}
}

func TestSweepLines(t *testing.T) {
	d := numbers("1", "2", "4", "8", "16")
	a := table([]chart.Dim{d}, map[string][]any{
		"top": {50, 50, 50, 50, 50}, "a": {none("too small", true), 20, 20, none("they contradict", false), nil}, "b": {5, 6, 20, none("they contradict", false), nil},
	}).Answer()
	p := a.Figure.Panels
	if strings.Join(p.X.Labels, " ") != "1 2 4 8 16" || p.Here == nil || p.Here.At != 2 || len(p.Series) != 3 || a.Results != 10 {
		t.Errorf("%+v, here %+v, %d results", p.X, p.Here, a.Results)
	}
	text, data := a.Figure.Encode()
	if text == "{}" || len(data) != 26 || !math.IsNaN(data[11]) {
		t.Errorf("%s, %v", text, data)
	}
	if got := strings.Join(a.Gaps, " | "); got != "A cannot run it at 1 GB/s. | At 8 GB/s: They contradict." {
		t.Errorf("%q", got)
	}
	rows := a.Tables[0].Rows
	if r := rows[2]; r.Sub != "now" || r.Cells[1].Text != "20.0" || !r.Cells[1].Best || !r.Cells[2].Best || r.Cells[0].Best {
		t.Errorf("%+v", r)
	}
	if rows[0].Cells[1].Text != chart.Unfit || rows[3].Cells[1].Text != chart.Dash || rows[4].Cells[1].Text != "…" {
		t.Errorf("%+v", rows)
	}
	if a.Alt == "" || a.Empty != "" || a.Title != "Speed, by rate" {
		t.Errorf("%q, %q, %q", a.Alt, a.Empty, a.Title)
	}
	empty := table([]chart.Dim{d}, map[string][]any{"top": make([]any, 5), "a": make([]any, 5), "b": make([]any, 5)})
	if got := empty.Answer().Empty; got != "Not run yet." {
		t.Errorf("%q", got)
	}
	empty.Active = true
	if got := empty.Answer().Empty; got != "Computing…" {
		t.Errorf("%q", got)
	}
}

// TestSweepRoom has the band from the best possible to the best system, with gaps where
// either is missing or what is proved holds for nobody.
func TestSweepRoom(t *testing.T) {
	d := numbers("1", "2", "4", "8", "16")
	s := table([]chart.Dim{d}, map[string][]any{"top": {50, 50, none("no proof", false), 20, 50}, "a": {40, 25, 30, 30, 48}, "b": {25, 20, 20, 20, 20}})
	s.Floor = "top"
	a := s.Answer()
	p := a.Figure.Panels
	got := a.Figure.Data[p.Room[0] : p.Room[0]+p.Room[1]]
	for i, want := range [][2]float64{{40, 50}, {25, 50}, {math.NaN(), math.NaN()}, {math.NaN(), math.NaN()}, {48, 50}} {
		low, high := got[3*i+1], got[3*i+2]
		if got[3*i] != a.Figure.Data[p.Series[2].Points[0]+2*i] || low != want[0] && !math.IsNaN(want[0]) || high != want[1] && !math.IsNaN(want[1]) || math.IsNaN(low) != math.IsNaN(want[0]) {
			t.Errorf("point %d: from %g to %g, want %v", i, low, high, want)
		}
	}
	if want := "At its nearest the best is at 96 % of what is possible, at its farthest within a factor of 2."; !strings.Contains(a.Says, want) {
		t.Errorf("%q", a.Says)
	}
	s = table([]chart.Dim{d}, map[string][]any{"top": make([]any, 5), "a": {1, 2, 3, 4, 5}, "b": {1, 2, 3, 4, 5}})
	if s.Floor = "top"; s.Answer().Figure.Panels.Room != (chart.Column{}) {
		t.Error("there is a band though nothing is proved")
	}
}

func TestSweepChoices(t *testing.T) {
	d := chart.Dim{Label: "Drive", Labels: []string{"Slow", "Fast"}, Now: "Fast"}
	a := table([]chart.Dim{d}, map[string][]any{"top": {50, 50}, "a": {5, 20}, "b": {4, 9}}).Answer()
	if a.Says != "20.0 x is best of all: A with Fast. A is best with every choice." || a.Figure.Panels.Here.At != 1 {
		t.Errorf("%q, %+v", a.Says, a.Figure.Panels.Here)
	}
}

func TestSweepMaps(t *testing.T) {
	dims := []chart.Dim{numbers("1", "2"), {Label: "Drive", Labels: []string{"Slow", "Fast", "Odd"}, Now: "Fast"}}
	dims[0].Now = "2"
	rows := map[string][]any{
		"top": {50, 50, none("contradiction", false), 50, 50, none("contradiction", false)},
		"a":   {5, 20, none("contradiction", false), none("", true), 20, none("contradiction", false)},
		"b":   {9, 10, none("contradiction", false), 10, 20, none("contradiction", false)},
	}
	s := table(dims, rows)
	s.Show = "wins"
	a := s.Answer()
	h := a.Figure.Heat
	who := a.Figure.Data[h.Who[0] : h.Who[0]+h.Who[1]]
	want := []float64{2, 2, 1, 3, -1, -1} // by row: Slow, Fast, Odd
	for i := range want {
		if len(who) != 6 || who[i] != want[i] {
			t.Fatalf("who %v, want %v", who, want)
		}
	}
	if len(h.Looks) != 4 || h.Marks[4] != chart.Dash || len(h.Here) != 2 || h.Here[0] != 1 || h.Here[1] != 1 {
		t.Errorf("%+v", h)
	}
	if a.Says != "Best of 4 points: B at 2, A at 1 and several alike at 1. The best is 20.0 x, A with 1 GB/s and Fast." {
		t.Errorf("%q", a.Says)
	}
	s.Show = "each"
	if h := s.Answer().Figure.Heat; strings.Join(h.Names, " ") != "A B" || len(h.Looks) != 0 || h.Marks[1] != "×" {
		t.Errorf("%+v", h)
	}
	s.Show, s.Focus = "focus", "b"
	a = s.Answer()
	if h := a.Figure.Heat; strings.Join(h.Names, " ") != "B" || len(a.Tables) != 1 || a.Tables[0].Rows[1].Cells[0].Text != "10.0" {
		t.Errorf("%+v", a.Tables)
	}
	if text, _ := a.Figure.Encode(); text == "{}" {
		t.Error("it cannot be sent")
	}
}

// answers are drawings of questions, for the test of the page's script.
func answers() []chart.View {
	d := numbers("1", "2", "4")
	lines := table([]chart.Dim{d}, map[string][]any{"top": {50, 50, 50}, "a": {none("", true), 20, 30}, "b": {5, 6, 20}}).Answer().View
	dims := []chart.Dim{numbers("1", "2"), {Label: "Drive", Labels: []string{"Slow", "Fast"}, Now: "Fast"}}
	s := table(dims, map[string][]any{"top": {50, 50, 50, 50}, "a": {5, 20, none("", true), 7}, "b": {9, 10, none("", true), 20}})
	s.Show = "wins"
	wins := s.Answer().View
	s.Show = "each"
	each := s.Answer().View
	walks := walked().Answer().View
	list := []chart.View{lines, wins, each, walks}
	for i, id := range []string{"whatif-lines", "whatif-wins", "whatif-each", "whatif-walks"} {
		list[i].ID = id
	}
	return list
}

func walked() *chart.Walks {
	return &chart.Walks{
		Of: &report.Quantity{Key: "speed", Label: "Speed", Unit: "x", Better: 1, Places: 1}, Knob: &knob.Info{Key: "rate", Label: "Rate", Unit: "GB/s"},
		Bound: &lab.System{Name: "top", Title: "Top", Bound: true, Look: 9},
		Walks: []chart.Walk{
			{System: &lab.System{Name: "a", Title: "A", Look: 1}, Xs: []float64{1, 4, 64}, Ys: []float64{math.NaN(), 20, 30}, Than: []float64{30, 30, 30}, At: 2},
			{System: &lab.System{Name: "b", Title: "B", Look: 2}, Xs: []float64{1, 64}, Ys: []float64{1, 2}, Than: []float64{30, 30}, At: -1},
		},
	}
}

func TestWalks(t *testing.T) {
	a := walked().Answer()
	if a.Says != "Rate: A 64 GB/s. No rate from 1 to 64 GB/s is enough for B." || len(a.Tables[0].Rows) != 3 || !a.Tables[0].Rows[2].Cells[0].Best {
		t.Errorf("%q, %+v", a.Says, a.Tables)
	}
	if p := a.Figure.Panels; len(p.Series) != 4 || p.Series[1].Shape != chart.Rings || !p.X.Log {
		t.Errorf("%+v", p)
	}
	w := walked()
	w.None = func(systems string) string { return "that was tried runs with " + systems }
	if a := w.Answer(); !strings.HasSuffix(a.Says, "No rate from 1 to 64 GB/s that was tried runs with B.") {
		t.Errorf("%q", a.Says)
	}
	w.Walks = nil
	if a := w.Answer(); a.Empty == "" {
		t.Errorf("%+v", a)
	}
}

// TestBands: where random numbers move values the curve has a band, and a crossing is told only where bands part.
func TestBands(t *testing.T) {
	dims := []chart.Dim{{Label: "Rate", Unit: "GB/s", Labels: []string{"1", "2", "4", "8"}, Xs: []float64{1, 2, 4, 8}, Now: "1", NowX: 1}}
	with := func(spread float64) chart.Answer {
		s := table(dims, map[string][]any{"top": {40, 40, 40, 40}, "a": {20, 20, 20, 20}, "b": {18, 21, 19, 30}})
		plain := s.At
		s.At = func(sys, i, k int) chart.Trial {
			x := plain(sys, i, k)
			if sys > 0 && spread > 0 {
				x.Low, x.High = x.Value-spread, x.Value+spread
			}
			return x
		}
		return s.Answer()
	}
	if a := with(0); !strings.Contains(a.Says, "B overtakes A at about 1.6 GB/s; A overtakes B") || a.Figure.Panels.Series[1].Band != (chart.Column{}) {
		t.Errorf("%q, %+v", a.Says, a.Figure.Panels.Series[1])
	}
	a := with(2)
	band := a.Figure.Panels.Series[2].Band
	if strings.Contains(a.Says, "A overtakes") || !strings.Contains(a.Says, "A and B are level at first; B is better than A from 8 GB/s on, level before.") || band[1] != 12 || a.Figure.Data[band[0]+1] != 16 || a.Figure.Data[band[0]+2] != 20 {
		t.Errorf("%q, %v", a.Says, a.Figure.Data[band[0]:band[0]+band[1]])
	}
	if a.Figure.Panels.Series[0].Band != (chart.Column{}) {
		t.Error("a bound that is certain has a band")
	}
}

// TestLevel: what overlaps is called level, and no crossing is named where it is by chance who is better.
func TestLevel(t *testing.T) {
	for _, x := range []struct {
		name string
		a, b []int
		want []string
		not  string
		best [][2]bool // of the table, point by point
	}{
		{"everywhere", []int{20, 22, 24, 26}, []int{19, 23, 23, 27}, []string{"A and B are level throughout: other random numbers change their order."}, "overtakes", [][2]bool{{true, true}, {true, true}, {true, true}, {true, true}}},
		{"somewhere", []int{20, 24, 30, 40}, []int{19, 23, 20, 20}, []string{"A is best throughout, or level with B.", "A gains most"}, "overtakes", [][2]bool{{true, true}, {true, true}, {true, false}, {true, false}}},
		{"on the way", []int{40, 31, 30, 20}, []int{20, 30, 31, 40}, []string{"A is best at first; B overtakes A between 1 GB/s and 8 GB/s, level on the way."}, "about", nil},
		{"apart", []int{40, 40, 20, 20}, []int{20, 20, 40, 40}, []string{"B overtakes A at about 2.8 GB/s."}, "level", nil},
		{"nothing", []int{20, 21, 20, 21}, []int{40, 41, 42, 41}, []string{"Rate changes no more here than other random numbers do. B is best throughout."}, "gains", nil},
	} {
		dims := []chart.Dim{{Label: "Rate", Unit: "GB/s", Labels: []string{"1", "2", "4", "8"}, Xs: []float64{1, 2, 4, 8}, Now: "1", NowX: 1}}
		rows := map[string][]any{"top": {90, 90, 90, 90}}
		for i := range x.a {
			for name, v := range map[string]int{"a": x.a[i], "b": x.b[i]} {
				rows[name] = append(rows[name], chart.Trial{Known: true, Value: float64(v), Low: float64(v - 2), High: float64(v + 2)})
			}
		}
		got := table(dims, rows).Answer()
		for _, want := range x.want {
			if !strings.Contains(got.Says, want) {
				t.Errorf("%s: %q; want %q in it", x.name, got.Says, want)
			}
		}
		if strings.Contains(got.Says, x.not) {
			t.Errorf("%s: %q has %q", x.name, got.Says, x.not)
		}
		for i, want := range x.best {
			if cells := got.Tables[0].Rows[i].Cells; cells[1].Best != want[0] || cells[2].Best != want[1] {
				t.Errorf("%s: at point %d the best are marked %v and %v; want %v", x.name, i, cells[1].Best, cells[2].Best, want)
			}
		}
	}
}

// TestYardstick: what shares are of is not best beside others, here as in headlines.
func TestYardstick(t *testing.T) {
	dims := []chart.Dim{{Label: "Rate", Unit: "GB/s", Labels: []string{"1", "2"}, Xs: []float64{1, 2}, Now: "1", NowX: 1}}
	s := table(dims, map[string][]any{"top": {90, 90}, "a": {40, 50}, "b": {20, 30}})
	s.Systems[1].Yardstick = true
	if got := s.Answer(); strings.Contains(got.Says, "A is best") || got.Tables[0].Rows[0].Cells[1].Best || !got.Tables[0].Rows[0].Cells[2].Best {
		t.Errorf("%q, %+v", got.Says, got.Tables[0].Rows[0].Cells)
	}
	s.Systems[2].Bound = true
	if got := s.Answer(); !got.Tables[0].Rows[0].Cells[1].Best {
		t.Errorf("alone: %q, %+v", got.Says, got.Tables[0].Rows[0].Cells)
	}
}
