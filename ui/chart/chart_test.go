package chart_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/ui/chart"
	"spillway/ui/lab"
)

// bakery is an invented laboratory with a chart of every kind.
func bakery() *lab.Info {
	return &lab.Info{
		Name: "bakery",
		Systems: []lab.System{
			{Name: "dream", Title: "Dream", Bound: true},
			{Name: "oven", Title: "Oven", Look: 1},
			{Name: "kiln", Title: "Kiln, old", Look: 12},
			{Name: "fire", Title: "Fire", Look: 23},
		},
		Quantities: []report.Quantity{
			{Key: "speed", Label: "Speed", Unit: "× dream", Help: "How fast.", Places: 3, Better: 1},
			{Key: "lost_ms_cold", Label: "Lost: cold dough", Unit: "s", Scale: 1000, Places: 2, Better: -1},
			{Key: "lost_ms_crowd", Label: "Lost: crowd", Unit: "s", Scale: 1000, Places: 2, Better: -1},
			{Key: "loaves", Label: "Loaves", Places: 0, Better: 1},
			{Key: "salt_g", Label: "Salt", Unit: "g", Places: 1},
		},
		Charts: []report.Chart{
			{ID: "speed", Title: "Speed", Kind: report.Bars, Of: []string{"speed"}, Max: 1, Say: "is fastest"},
			{ID: "salt", Title: "Salt", Kind: report.Bars, Of: []string{"salt_g"}},
			{ID: "lost", Title: "Time lost", Kind: report.Stacks, Of: []string{"lost_ms_cold", "lost_ms_crowd"}, Colors: []string{"stall"}, Say: "loses most", None: "nothing is lost"},
			{
				ID: "heat", Title: "Heat", Kind: report.Steps, X: "time, s", Y: "heat, GiB", Unit: "GiB", Limit: "fuel", LimitLabel: "capacity", Bound: true,
				Say: "is hottest", By: []report.Variant{{Key: "time", Label: "time"}, {Key: "loaf", Label: "loaf", X: "loaf"}},
			},
			{ID: "slow", Title: "Slowdown", Kind: report.Lines, X: "loaves, %", Y: "× dream (log)", Unit: "×", LogY: true, Say: "slows a loaf most", None: "nothing is slow"},
			{ID: "shelf", Title: "Shelf", Kind: report.Bands, X: "time, s", Y: "GiB", Unit: "GiB", Names: []string{"Rye", "Wheat"}, Limit: "fuel", LimitLabel: "capacity", Pick: "loaf", Say: "takes most"},
			{ID: "all", Title: "All", Kind: report.Values, Of: []string{"speed", "loaves", "salt_g"}},
		},
		Knobs: []knob.Info{{Key: "fuel", Label: "Fuel", Help: "How much.", Unit: "GiB", Scale: 1, Min: 1, Max: 1000, Default: "40"}},
		Say: lab.Say{
			Quantity: "speed", Of: "of ideal throughput", Percent: true, Than: "× as fast as", Most: "is fastest",
			Perfect: "as fast as a dream", Loss: "lost", LossSays: "What it still loses is mostly %[1]s (%[3]s of its time beyond ideal)", Cannot: "cannot run it",
		},
	}
}

func context() *chart.Context {
	i := bakery()
	return &chart.Context{Info: i, Setup: i.Setup(), Note: "Bread · corrected", Mode: "corrected"}
}

// runs are one of everything: a bound, a result, one of other settings with gaps
// in it, and one that does not fit.
func runs(i *lab.Info) []chart.Run {
	none := report.None()
	curve := func(id, by, name string, x, y []float64) report.Curve {
		return report.Curve{Chart: id, By: by, Name: name, X: x, Y: y}
	}
	return []chart.Run{
		{System: &i.Systems[0], On: true, Report: &report.Report{
			Fits: true, Values: []float64{1, 0, 0, 1e6, none},
			Curves: []report.Curve{curve("heat", "time", "", []float64{0, 1, 2}, []float64{10, 48, 20})},
		}},
		{System: &i.Systems[1], On: true, Report: &report.Report{
			Fits: true, Values: []float64{0.931, 61, 39, 12345, 0}, About: "bread", Origin: "grain",
			Curves: []report.Curve{
				curve("heat", "time", "", []float64{0, 1, 2.5}, []float64{10, 39.5, 20}),
				curve("heat", "loaf", "", []float64{0, 1, 2}, []float64{10, 39.5, 20}),
				curve("slow", "", "", []float64{0, 50, 100, 101}, []float64{1, 1, 32747, math.Inf(1)}),
				curve("shelf", "", "Wheat", []float64{0, 1, 2}, []float64{1, 4, 1}),
				curve("shelf", "", "Rye", []float64{0, 2}, []float64{2, 4}),
				{Chart: "shelf", Name: "Loaf waits", X: []float64{0.5, 1.5}, Y: []float64{5, 6}, Picks: []int32{7, 9}},
			},
		}},
		{System: &i.Systems[2], On: true, Stale: true, Status: chart.Running, Report: &report.Report{
			Fits: true, Values: []float64{0.71, 500, none, none, 3},
			Curves: []report.Curve{curve("heat", "time", "", []float64{0, 1}, []float64{5, 6}), curve("slow", "", "", []float64{0, 100}, []float64{0, 3})},
		}},
		{System: &i.Systems[3], On: true, Report: &report.Report{Reason: "The loaf is larger than the fire."}},
	}
}

// describe writes a view with its figure and numbers.
func describe(v *chart.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\ntitle: %s\nnote: %s\nmode: %s\nalt: %s\ntext: %s\nempty: %s\nrows %d, height %d, results %d, variant %q of %d, picks %t\n",
		v.ID, v.Title, v.Note, v.Mode, v.Alt, v.Text, v.Empty, v.Rows, v.Height, v.Results, v.Variant, len(v.By), v.Picks)
	fmt.Fprintf(&b, "\n| %s |\n", strings.Join(v.Table.Head, " | "))
	for _, r := range v.Table.Rows {
		fmt.Fprintf(&b, "| %s / %s |", r.Head, r.Sub)
		for _, c := range r.Cells {
			mark := ""
			if c.Best {
				mark = "*"
			}
			fmt.Fprintf(&b, " %s%s %.2f |", c.Text, mark, c.Share)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + v.CSV() + "\n")
	if v.Figure != nil {
		text, data := v.Figure.Encode()
		var x any
		if err := json.Unmarshal([]byte(text), &x); err != nil {
			return err.Error()
		}
		pretty, _ := json.MarshalIndent(x, "", " ")
		fmt.Fprintf(&b, "%s\n%v\n\n", pretty, data)
	}
	return b.String()
}

func TestViews(t *testing.T) {
	c := context()
	var b strings.Builder
	for _, v := range chart.Views(c, runs(c.Info)) {
		b.WriteString(describe(&v))
	}
	c.Variant, c.Focus = map[string]string{"heat": "loaf"}, "fire"
	v := chart.Draw(c, &c.Info.Charts[3], runs(c.Info))
	b.WriteString(describe(&v))
	v = chart.Draw(c, &c.Info.Charts[5], runs(c.Info))
	b.WriteString(describe(&v))
	golden.Compare(t, "testdata/views.txt", []byte(b.String()))
}

// sheets are a figure of every kind of an invented paper.
func sheets() []study.Sheet {
	mark := func(panel, series, system, part string, x, y float64, fits, known bool) study.Mark {
		return study.Mark{Panel: panel, Series: series, System: system, Part: part, X: x, Y: y, Fits: fits, Known: known}
	}
	two := []study.Series{{Name: "Oven", System: "oven"}, {Name: "Gas", System: "gas"}}
	doubted := func(m study.Mark) study.Mark {
		m.Doubted = true
		return m
	}
	row := study.Line{Of: "Bread", At: "hot", System: "oven", Title: "Oven", Quantity: "Speed", Unit: "×", Published: 0.9, Ours: 0.91, Diff: 0.0111, Fits: true, OursFits: true, Status: study.Within, Verdict: "within"}
	return []study.Sheet{
		{Paper: "p", Figure: "1", Title: "Bars", Note: "Rebuilt.", Tally: study.Tally{Verdict: "exact"}, Rows: []study.Line{row, {Of: "Cake", Title: "Gas", Published: 1, Fits: true}}, Drawing: study.Drawing{
			Kind: study.Bars, Axes: study.Axes{Y: "× ideal", Least: 0.5, Most: 1.5}, Panels: []string{"Bread", "Cake"}, Series: two, Read: "Look twice.",
			Published: []study.Mark{doubted(mark("Bread", "Oven", "oven", "", 0, 0.9, true, true)), mark("Bread", "Gas", "gas", "", 0, 0, false, true), mark("Cake", "Gas", "gas", "", 0, 1, true, true)},
			Ours:      []study.Mark{mark("Bread", "Oven", "oven", "", 0, 0.91, true, true), mark("Bread", "Gas", "gas", "", 0, 0.8, true, true), mark("Cake", "Gas", "gas", "", 0, 0, false, true)},
		}},
		{Paper: "p", Figure: "2", Title: "Stacks", Drawing: study.Drawing{
			Kind: study.Stacks, Axes: study.Axes{Y: "%"}, Whole: true, Panels: []string{"Bread"}, Series: two, Parts: []study.Series{{Name: "Bake", Color: "compute"}, {Name: "Wait"}},
			Published: []study.Mark{mark("Bread", "Oven", "oven", "Bake", 0, 60, true, true), mark("Bread", "Oven", "oven", "Wait", 0, 40, true, true), mark("Bread", "Gas", "gas", "Bake", 0, 0, false, true), mark("Bread", "Gas", "gas", "Wait", 0, 0, false, true)},
			Ours:      []study.Mark{mark("Bread", "Oven", "oven", "Bake", 0, 70, true, true), mark("Bread", "Oven", "oven", "Wait", 0, 30, true, true), mark("Bread", "Gas", "gas", "Bake", 0, 0, false, false), mark("Bread", "Gas", "gas", "Wait", 0, 0, false, false)},
		}},
		{Paper: "p", Figure: "3", Title: "Lines", Drawing: study.Drawing{
			Kind: study.Lines, Axes: study.Axes{X: "batch", Y: "loaves/s", FromZero: true}, Panels: []string{"A", "B", "C", "D"}, Series: two,
			Published: []study.Mark{mark("A", "Oven", "oven", "", 1, 10, true, true), doubted(mark("A", "Oven", "oven", "", 2, 20, true, true)), mark("B", "Gas", "gas", "", 1, 5, true, true)},
			Ours:      []study.Mark{mark("A", "Oven", "oven", "", 1, 11, true, true), mark("A", "Oven", "oven", "", 2, 0, false, true), mark("B", "Gas", "gas", "", 1, 0, false, false)},
		}},
		{Paper: "p", Figure: "4", Title: "Curves", Drawing: study.Drawing{
			Kind: study.Curves, Axes: study.Axes{X: "%", Y: "×", LogY: true, Least: 1, Left: 75, Right: 100}, Panels: []string{"A"}, Series: two[:1],
			Published: []study.Mark{mark("A", "Oven", "oven", "", 90, 3, true, true)},
			Ours:      []study.Mark{mark("A", "Oven", "oven", "", 90, 4, true, true)},
			Curves:    []report.Curve{{Chart: "4", By: "A", Name: "Oven", X: []float64{75, 80, 100}, Y: []float64{0, 2, 9}}},
		}},
		{Paper: "p", Figure: "5", Title: "Dots", Drawing: study.Drawing{
			Kind: study.Dots, Axes: study.Axes{X: "µs", Y: "bytes", LogX: true, LogY: true}, Panels: []string{"A"}, Series: []study.Series{{Name: "Period", Color: "system-6"}},
			Curves: []report.Curve{{Chart: "5", By: "A", Name: "Period", X: []float64{1, 1e6}, Y: []float64{1e3, 1e9}}},
		}},
		{Paper: "p", Figure: "T1", Title: "Table", Rows: []study.Line{row}, Drawing: study.Drawing{Kind: study.Table}},
		{Paper: "p", Figure: "6", Title: "Nothing yet", Drawing: study.Drawing{Kind: study.Lines}},
	}
}

func TestSheets(t *testing.T) {
	var b strings.Builder
	for _, s := range sheets() {
		v := chart.Sheet(&s, bakery())
		v.Table = chart.Differences(&s)
		b.WriteString(describe(&v))
	}
	golden.Compare(t, "testdata/sheets.txt", []byte(b.String()))
}

// TestEncoded keeps a figure of every kind as charts.js gets it, for its own test
// (build/e2e/unit). What is not a number is null there.
func TestEncoded(t *testing.T) {
	type encoded struct {
		ID     string          `json:"id"`
		Figure json.RawMessage `json:"figure"`
		Data   []*float64      `json:"data"`
	}
	c := context()
	views := chart.Views(c, runs(c.Info))
	for _, s := range sheets() {
		views = append(views, chart.Sheet(&s, c.Info))
	}
	c = context()
	for _, v := range chart.Views(c, rebaked(c)) {
		v.ID = "past " + v.ID
		views = append(views, v)
	}
	for _, v := range chart.Views(c, seeded(c, []float64{0.9, 0.8, 0.95}, []float64{0.7, 0.75, 0.6})) {
		if v.ID == "speed" || v.ID == "heat" {
			v.ID = "seeds " + v.ID
			views = append(views, v)
		}
	}
	views = append(views, answers()...)
	views = append(views, chart.Cells("cells", loaves(), plate()), limited(100), limited(0))
	var list []encoded
	for _, v := range views {
		if v.Figure == nil {
			continue
		}
		text, data := v.Figure.Encode()
		e := encoded{v.ID, json.RawMessage(text), make([]*float64, len(data))}
		for i := range data {
			if !math.IsNaN(data[i]) {
				e.Data[i] = &data[i]
			}
		}
		list = append(list, e)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/figures.json", []byte(strings.ReplaceAll(string(text), `{"id"`, "\n"+`{"id"`)+"\n"))
}

func BenchmarkViews(b *testing.B) {
	c, rs := many(18)
	for _, r := range rs {
		for i := range r.Report.Curves {
			k := &r.Report.Curves[i]
			if k.Picks == nil {
				k.X, k.Y = nil, nil
				for j := range 400 {
					k.X, k.Y = append(k.X, float64(j)), append(k.Y, 1+float64(j%7))
				}
			}
		}
	}
	for b.Loop() {
		for _, v := range chart.Views(c, rs) {
			if v.Figure != nil {
				v.Figure.Encode()
			}
		}
	}
}

// many is a laboratory with n systems and results for all of them.
func many(n int) (*chart.Context, []chart.Run) {
	c := context()
	one := runs(c.Info)[1].Report
	c.Info.Systems = nil
	rs := make([]chart.Run, n)
	for k := range n {
		c.Info.Systems = append(c.Info.Systems, lab.System{Name: fmt.Sprintf("s%d", k), Title: fmt.Sprintf("System %d", k), Look: k})
	}
	for k := range n {
		rs[k] = chart.Run{System: &c.Info.Systems[k], On: true, Report: one}
	}
	return c, rs
}

// TestFigures checks what charts.js takes for granted.
func TestFigures(t *testing.T) {
	var views []chart.View
	for _, change := range []func([]chart.Run){
		func([]chart.Run) {},
		func(rs []chart.Run) {
			for i := range rs {
				rs[i].Report, rs[i].Status = nil, chart.Running
			}
		},
		func(rs []chart.Run) {
			for i := range rs {
				rs[i].On = false
			}
		},
		func(rs []chart.Run) {
			for i := range rs {
				rs[i].Report = &report.Report{Fits: true}
			}
		},
		func(rs []chart.Run) {
			bad := []float64{math.Inf(1), math.NaN(), -1, math.Inf(-1), 1e300}
			rs[0].Report = &report.Report{Fits: true, Values: bad}
			rs[1].Report.Curves[0].Y[1] = math.NaN()
		},
	} {
		c := context()
		rs := runs(c.Info)
		change(rs)
		views = append(views, chart.Views(c, rs)...)
	}
	c, rs := many(18)
	views = append(views, chart.Views(c, rs)...)
	for _, s := range sheets() {
		views = append(views, chart.Sheet(&s, bakery()))
	}
	for _, v := range views {
		if v.Figure == nil {
			continue
		}
		text, data := v.Figure.Encode()
		if !json.Valid([]byte(text)) || text == "{}" || strings.Contains(text, "null") {
			t.Errorf("%s: no JSON: %s", v.ID, text)
		}
		if v.Height < 100 {
			t.Errorf("%s: %d pixels high", v.ID, v.Height)
		}
		inRange(t, v.ID, reflect.ValueOf(v.Figure), len(data))
		for _, x := range data {
			if math.IsInf(x, 0) || math.IsNaN(x) && v.Figure.Columns == nil {
				t.Errorf("%s: %v among the numbers", v.ID, x)
			}
		}
	}
}

// inRange checks every Column in v.
func inRange(t *testing.T, id string, v reflect.Value, n int) {
	if c, ok := v.Interface().(chart.Column); ok {
		if c[0] < 0 || c[1] < 0 || c[0]+c[1] > n {
			t.Errorf("%s: column %v of %d numbers", id, c, n)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			inRange(t, id, v.Elem(), n)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			inRange(t, id, field, n)
		}
	case reflect.Slice:
		for i := range v.Len() {
			inRange(t, id, v.Index(i), n)
		}
	}
}

// TestLooks checks that a system looks the same in every chart, whoever else is
// shown, and no two of eighteen look alike.
func TestLooks(t *testing.T) {
	c, rs := many(18)
	seen := map[chart.Look]string{}
	for k := range rs {
		l := chart.SystemLook(rs[k].System)
		l.Mark = 0
		if seen[l] != "" {
			t.Errorf("%s looks like %s", rs[k].System.Name, seen[l])
		}
		seen[l] = rs[k].System.Name
		rs[k].On = k > 12
	}
	for _, v := range chart.Views(c, rs) {
		if v.Figure == nil || v.ID == "shelf" {
			continue
		}
		for i := range 5 {
			want := chart.SystemLook(&c.Info.Systems[13+i])
			if v.Figure.Bars != nil && v.Figure.Bars.Rows[i].Look != nil && *v.Figure.Bars.Rows[i].Look != want {
				t.Errorf("%s: row %d has look %v, want %v", v.ID, i, *v.Figure.Bars.Rows[i].Look, want)
			}
			if v.Figure.Panels != nil && v.Figure.Panels.Series[i].Look != want {
				t.Errorf("%s: series %d has look %v, want %v", v.ID, i, v.Figure.Panels.Series[i].Look, want)
			}
		}
	}
}

// TestHeight checks that a drawing keeps its height while results come in.
func TestHeight(t *testing.T) {
	c := context()
	full := chart.Views(c, runs(c.Info))
	rs := runs(c.Info)
	for i := range rs {
		rs[i].Report, rs[i].Status = nil, chart.Running
	}
	for i, v := range chart.Views(c, rs) {
		if v.Height != full[i].Height {
			t.Errorf("%s: %d pixels while computing, %d then", v.ID, v.Height, full[i].Height)
		}
		if v.Empty != "Computing…" {
			t.Errorf("%s: empty because %q", v.ID, v.Empty)
		}
	}
}

// bySeeds makes random numbers decide, with these values of the first two at other seeds.
func bySeeds(a, b []float64) func([]chart.Run, *lab.Info) {
	return func(rs []chart.Run, i *lab.Info) {
		i.Say = lab.Say{Quantity: "speed", Most: "is fastest", Seed: "seed"}
		rs[1].Doubted, rs[2].Doubted = a, b
	}
}

// byBand makes estimates decide, with these values of the first two at both ends of the band.
func byBand(a, b []float64) func([]chart.Run, *lab.Info) {
	return func(rs []chart.Run, i *lab.Info) {
		i.Say = lab.Say{Quantity: "speed", Most: "is fastest", Band: "band", Doubt: "kernel times"}
		i.Quantities = append(i.Quantities, report.Quantity{Key: "band", Unit: "%"})
		rs[1].Doubted, rs[2].Doubted = a, b
		for _, r := range rs {
			for len(r.Report.Values) < len(i.Quantities)-1 {
				r.Report.Values = append(r.Report.Values, report.None())
			}
			r.Report.Values = append(r.Report.Values, 12)
		}
	}
}

// byPace has another quantity decide where all that decides is zero.
func byPace(rs []chart.Run, i *lab.Info) {
	i.Say = lab.Say{Quantity: "speed", Most: "serves most", Instead: lab.Instead{Quantity: "pace", Says: "Nobody is served.", Most: "is fastest", Than: "× as fast as"}}
	i.Quantities = append(i.Quantities, report.Quantity{Key: "pace", Unit: "1/s", Better: 1})
	for k, r := range rs {
		for len(r.Report.Values) < len(i.Quantities)-1 {
			r.Report.Values = append(r.Report.Values, report.None())
		}
		r.Report.Values = append(r.Report.Values, float64(int64(8)>>k))
	}
}

func TestHeadline(t *testing.T) {
	i := bakery()
	names := []string{"Ideal", "G10", "DeepUM+", "Base UVM", "FlashNeuron"}
	make1 := func(better int, values ...float64) ([]chart.Run, *lab.Info) {
		i := bakery()
		i.Quantities[0].Better = better
		i.Systems = nil
		for k, name := range names {
			i.Systems = append(i.Systems, lab.System{Name: name, Title: name, Bound: k == 0})
		}
		var rs []chart.Run
		for k, x := range values {
			r := &report.Report{Fits: x >= 0, Values: []float64{x, 61, 39}}
			rs = append(rs, chart.Run{System: &i.Systems[k], On: true, Report: r})
		}
		return rs, i
	}
	for _, x := range []struct {
		values []float64
		better int
		change func([]chart.Run, *lab.Info)
		want   string
	}{
		{values: []float64{1, 0.931, 0.711, 0.2328, -1}, better: 1, want: "G10 is fastest: 93.1 % of ideal throughput, 1.3× as fast as DeepUM+. What it still loses is mostly cold dough (61 % of its time beyond ideal). FlashNeuron cannot run it."},
		{values: []float64{1, 0.9997, 1, 0.5}, better: 1, want: "DeepUM+ and G10: as fast as a dream, 2× as fast as Base UVM."},
		{values: []float64{1, 1}, better: 1, want: "G10: as fast as a dream."},
		{values: []float64{1, 0, 0}, better: 1, change: byPace, want: "Nobody is served. G10 is fastest: 4 1/s, 2× as fast as DeepUM+."},
		{values: []float64{1, 0.5, 0.501}, better: 1, want: "DeepUM+ and G10 are level: 50.1 % of ideal throughput. What it still loses is mostly cold dough (61 % of its time beyond ideal)."},
		{values: []float64{1, -1, -1}, better: 1, want: "G10 and DeepUM+ cannot run it."},
		{values: []float64{1, -1, -1, -1}, better: 1, want: "None of the 3 that are compared can run it."},
		{values: []float64{1, 0.5, 0.4}, better: 1, change: func(_ []chart.Run, i *lab.Info) { i.Systems[2].Follows = "policy" }, want: "G10 is fastest: 50 % of ideal throughput, 1.2× as fast as DeepUM+. What it still loses is mostly cold dough (61 % of its time beyond ideal). DeepUM+ is 20 % below G10, the best of the others, and 60 % below Ideal, a bound, in speed."},
		{values: []float64{1, 0.5}, better: 1, change: func(_ []chart.Run, i *lab.Info) { i.Systems[1].Follows = "policy" }, want: "G10: 50 % of ideal throughput. What it still loses is mostly cold dough (61 % of its time beyond ideal). G10 is 50 % below Ideal, a bound, in speed."},
		{values: []float64{1, 0.5, 0.25}, better: 1, change: func(rs []chart.Run, _ *lab.Info) { rs[2].Stale = true }, want: "So far: G10 is fastest: 50 % of ideal throughput. What it still loses is mostly cold dough (61 % of its time beyond ideal)."},
		{values: []float64{1, 0.5}, better: 1, change: func(rs []chart.Run, _ *lab.Info) { rs[1].Report, rs[1].Status = nil, chart.Running }, want: "Computing…"},
		{values: []float64{1, 0.5, 0.25}, better: 1, change: func(rs []chart.Run, _ *lab.Info) {
			rs[1].Stale, rs[1].Status, rs[2].Stale, rs[2].Status = true, chart.Cancelled, true, chart.Cancelled
		}, want: "Cancelled: nothing was computed with these settings."},
		{values: []float64{1}, better: 1, want: "No system has a result to compare."},
		{values: []float64{2, 1, 0.5, 0.25}, better: 1, change: func(rs []chart.Run, i *lab.Info) {
			i.Say = lab.Say{Quantity: "speed", Besides: []lab.Beside{{Quantity: "lost_ms_cold", Says: "It bakes %s", Other: 1.5}, {Quantity: "lost_ms_crowd", Says: "It sells %s", Other: 3}}}
			rs[2].Report.Values = []float64{0.5, 183, 78}
		}, want: "G10 is first: 1 × dream, 2× as good as DeepUM+. It bakes 0.061 s (DeepUM+: 0.183 s). It sells 0.039 s."},
		{values: []float64{2, 1, 0.5}, better: 1, change: func(rs []chart.Run, i *lab.Info) {
			i.Say = lab.Say{Quantity: "speed", Most: "is fastest", Besides: []lab.Beside{{Quantity: "lost_ms_cold", Says: "It bakes %s", Other: -1.5}, {Quantity: "lost_ms_crowd", Says: "It sells %s", Other: -3}}}
			rs[1].Report.Answer, rs[2].Report.Answer = "Yes: one dream.", "Yes: half a dream."
			rs[2].Report.Values = []float64{0.5, 183, 78}
		}, want: "Yes: one dream. G10 is fastest, 2× as good as DeepUM+. It bakes 0.061 s (DeepUM+: 0.183 s)."},
		{values: []float64{2, 0.9, -1}, better: 1, change: func(rs []chart.Run, _ *lab.Info) {
			rs[0].On, rs[1].Report.Answer, rs[2].Report.Answer = false, "Yes: one dream.", "No, 7 GiB short."
		}, want: "Yes: one dream. What it still loses is mostly cold dough (61 % of its time beyond ideal). DeepUM+ cannot run it."},
		{values: []float64{2, -1, -1}, better: 1, change: func(rs []chart.Run, _ *lab.Info) {
			rs[2].Report.Answer = "No, 7 GiB short."
		}, want: "No, 7 GiB short. G10 and DeepUM+ cannot run it."},
		// The only one is no first of anything: it says what it does.
		{values: []float64{2, 0.5}, better: 1, want: "G10: 50 % of ideal throughput. What it still loses is mostly cold dough (61 % of its time beyond ideal)."},
		{values: []float64{2, 6000, -1}, better: -1, change: func(_ []chart.Run, i *lab.Info) {
			i.Quantities[0].Scale, i.Quantities[0].Unit = 1000, "s"
			i.Say = lab.Say{Quantity: "speed", Most: "waits least", Alone: []lab.Alone{{Quantity: "lost_ms_cold", Says: "%s in the cold"}, {Quantity: "lost_ms_crowd", Says: "%s in the crowd"}}}
		}, want: "G10: speed 6 s, 0.061 s in the cold, 0.039 s in the crowd. DeepUM+ cannot run it."},
		{want: "No system is selected."},
		{values: []float64{2, 6000, 3000, 12000}, better: -1, change: func(_ []chart.Run, i *lab.Info) {
			i.Quantities[0].Scale, i.Quantities[0].Unit = 1000, "s"
			i.Say = lab.Say{Quantity: "speed", Than: "× as short as", Most: "waits least", Of: "a request", Perfect: "as good as it gets"}
		}, want: "DeepUM+ waits least: 3 s a request, 2× as short as G10."},
		{values: []float64{2, 2, 3}, better: -1, change: func(_ []chart.Run, i *lab.Info) {
			i.Say.Than, i.Say.Percent = "× as short as", false
		}, want: "G10: as fast as a dream, 1.5× as short as DeepUM+."},
		{values: []float64{1, 1.0001, 1}, better: 1, change: func(_ []chart.Run, i *lab.Info) {
			i.Say = lab.Say{Quantity: "speed", Most: "is fastest", None: "no oven helps", NoneAt: 1}
		}, want: "No oven helps."},
		{values: []float64{1, 1.5, 1}, better: 1, change: func(_ []chart.Run, i *lab.Info) {
			i.Say = lab.Say{Quantity: "speed", Most: "is fastest", None: "no oven helps", NoneAt: 1}
		}, want: "G10 is fastest: 1.5 × dream, 1.5× as good as DeepUM+."},
		// What is below a hundredth of the time is not blamed.
		{values: []float64{1, 0.5}, better: 1, change: func(rs []chart.Run, i *lab.Info) {
			i.Say.LossOf = "speed"
			rs[1].Report.Values = []float64{0.5, 0.004, 0.001}
		}, want: "G10: 50 % of ideal throughput."},
		// Where random numbers decide there are two digits, and whom another seed puts first is level.
		{values: []float64{1, 0.8678, 0.8531, 0.2}, better: 1, change: bySeeds(nil, nil), want: "G10 and DeepUM+ are level: 0.87 × dream, 4.3× as good as Base UVM."},
		{values: []float64{1, 0.8678, 0.7531, 0.2}, better: 1, change: bySeeds([]float64{0.87, 0.88}, []float64{0.75, 0.8}), want: "G10 is fastest: 0.87 × dream, 1.2× as good as DeepUM+."},
		{values: []float64{1, 0.8678, 0.7531, 0.2}, better: 1, change: bySeeds([]float64{0.87, 0.78}, []float64{0.75, 0.8}), want: "G10 and DeepUM+ are level: 0.87 × dream, 4.3× as good as Base UVM."},
		// Where estimates decide, those that change places within the band are not told apart.
		{values: []float64{1, 0.8678, 0.8631}, better: 1, change: byBand([]float64{0.88, 0.85}, []float64{0.87, 0.86}), want: "Cannot tell: G10 (0.87 × dream) and DeepUM+ (0.86 × dream) change places within ± 12 % of kernel times."},
		{values: []float64{1, 0.8678, 0.8631}, better: 1, change: byBand([]float64{0.88, 0.86}, []float64{0.87, 0.86}), want: "G10 and DeepUM+ are level: 0.87 × dream."},
		{values: []float64{1, 0.8678, 0.8631}, better: 1, change: byBand([]float64{0.88, math.NaN()}, []float64{0.87, 0.86}), want: "G10 and DeepUM+ are level: 0.87 × dream."},
		{values: []float64{0, 0, 3}, better: -1, change: func(rs []chart.Run, i *lab.Info) {
			rs[0].On, i.Say.Percent, i.Say.Of, i.Say.Most, i.Say.Loss = false, false, "", "loses least", ""
		}, want: "G10 loses least: 0 × dream, before DeepUM+ at 3 × dream."},
	} {
		rs, i := make1(x.better, x.values...)
		if x.change != nil {
			x.change(rs, i)
		}
		if got := chart.Headline(i, rs); got != x.want {
			t.Errorf("%v:\n got %s\nwant %s", x.values, got, x.want)
		}
	}
	_ = i
}

func TestNumbers(t *testing.T) {
	c := context()
	rs := runs(c.Info)
	heads, rows := chart.Numbers(c.Info, rs)
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(heads, " | "))
	for _, r := range rows {
		fmt.Fprintf(&b, "%s, %s (%s):", r.Label, r.Unit, r.Help)
		for _, x := range r.Cells {
			fmt.Fprintf(&b, " %s", x.Text)
			if x.Best {
				b.WriteString("*")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + chart.CSV(c, rs))
	golden.Compare(t, "testdata/numbers.txt", []byte(b.String()))
}

func TestText(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{chart.Digits(0, 3), "0"},
		{chart.Digits(0.0012345, 3), "0.00123"},
		{chart.Digits(12345678, 3), "12\u202f345\u202f678"},
		{chart.Digits(1.30, 3), "1.3"},
		{chart.Digits(99.96, 3), "100"},
		{chart.Fixed(1234.5, 1), "1234.5"},
		{chart.Fixed(-12345.678, 2), "-12\u202f345.68"},
		{chart.Fixed(-0.001, 2), "0.00"},
		{chart.Fixed(math.NaN(), 2), chart.Dash},
		{chart.Count(-1234567), "-1\u202f234\u202f567"},
		{chart.Percent(1, 3), "33.3 %"},
		{chart.Percent(1, 0), "0 %"},
		{chart.Span(6.2481), "6.248 s"},
		{chart.Span(0.0062481), "6.248 ms"},
		{chart.Span(0.0000062), "6.200 µs"},
		{chart.Span(2e-9), "2.000 ns"},
		{chart.With("1.31", "×"), "1.31×"},
		{chart.With("1.31", "× ideal"), "1.31 × ideal"},
	} {
		if x.got != x.want {
			t.Errorf("got %q, want %q", x.got, x.want)
		}
	}
}

// A chart that is split has every system's curves in a small chart of its own,
// with the bound's in each; what it says and what its file has stay.
func TestSplit(t *testing.T) {
	c := context()
	rs := runs(c.Info)
	ch := &c.Info.Charts[3]
	whole := chart.Draw(c, ch, rs)
	ch.Split = true
	v := chart.Draw(c, ch, rs)
	p := v.Figure.Panels
	if !p.Together || !slices.Equal(p.Names, []string{"Oven", "Kiln, old"}) || !slices.Equal(p.Legend, []string{"Dream (demand)"}) {
		t.Errorf("together %v, small charts %q, legend %q", p.Together, p.Names, p.Legend)
	}
	var got []string
	for _, s := range p.Series {
		got = append(got, p.Names[s.Panel]+": "+s.Name)
	}
	if want := []string{"Oven: Dream (demand)", "Oven: Oven", "Kiln, old: Dream (demand)", "Kiln, old: Kiln, old"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if v.Text != whole.Text || v.Alt != whole.Alt || v.CSV() != whole.CSV() {
		t.Error("words or numbers changed")
	}
}

// Of the only system charts say no more than what it has.
func TestChartsOfOne(t *testing.T) {
	c := context()
	for _, r := range runs(c.Info) {
		if r.System.Bound || r.Report == nil || !r.Report.Fits {
			continue
		}
		for _, v := range chart.Views(c, []chart.Run{r}) {
			if ch := c.Info.Charts[slices.IndexFunc(c.Info.Charts, func(ch report.Chart) bool { return ch.ID == v.ID })]; ch.Say != "" && strings.Contains(v.Text, r.System.Title+" "+ch.Say) {
				t.Errorf("%s: %s", v.ID, v.Text)
			}
			if strings.HasPrefix(v.Text, r.System.Title+": ") {
				return
			}
		}
	}
	t.Error("no chart says what the only system has")
}

// TestCountedElsewhere: numbers that other figures count are not called so many published ones.
func TestCountedElsewhere(t *testing.T) {
	s := study.Sheet{Tally: study.Tally{Points: 6, Again: 5, Compared: 6, Within: 4, Gap: 2}}
	if got, want := chart.Counted(&s), "6 published numbers; 6 compared: 0 exact, 4 within their limit, 2 off."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	s.Tally.Again = 6
	if got, want := chart.Counted(&s), "Numbers that other figures count, compared 6 times: 0 exact, 4 within their limit, 2 off."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
