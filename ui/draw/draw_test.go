package draw_test

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/draw"
	"spillway/ui/lab"
)

var update = flag.Bool("update", false, "write the golden files")

// drawn are invented charts, one of each kind and of what is seldom in them.
func drawn() map[string]*chart.View {
	look := func(color string, pattern, mark int) chart.Look {
		return chart.Look{Color: color, Pattern: pattern, Mark: mark}
	}
	at := func(x float64) *float64 { return &x }
	s1, s2, p0, p1 := look("--system-1", 0, 1), look("--system-12", 1, 2), look("--stall", 0, 0), look("--part-1", 2, 0)
	nan := math.NaN()
	view := func(id string, f *chart.Figure, height int) *chart.View {
		return &chart.View{
			ID: id, Title: "A chart of <" + id + "> & \"more\"", Note: "Bread · oven", Mode: "oven", Alt: "Oven: 3 loaves.", Text: "Oven is best.", Height: height, Results: 1, Figure: f,
		}
	}
	return map[string]*chart.View{
		"bars": view("bars", &chart.Figure{
			Bars: &chart.Bars{Unit: "× dream", Max: 1, Rows: []chart.Row{
				{Name: "Oven", End: "0.9 (+8 %)", Look: &s1}, {Name: "Kiln, old", End: "0.7", Faded: true, Look: &s2}, {Name: "Fire", End: "does not fit", Look: &s1},
			}, Parts: []chart.Part{{Name: "Speed", Values: chart.Column{0, 3}}}, Ghost: chart.Column{3, 2}},
			Data: []float64{0.9, 0.7, 0, 0, 0.95},
		}, 180),
		"spread": view("spread", &chart.Figure{
			Bars: &chart.Bars{Unit: "s", Rows: []chart.Row{{Name: "Oven", End: "3 s", Look: &s1}, {Name: "Kiln", End: "5 s", Look: &s2}}, Parts: []chart.Part{
				{Name: "Time", Values: chart.Column{0, 2}},
			}, Band: chart.Column{2, 6}},
			Data: []float64{3, 5, 0, 2.5, 3.25, 1, 4.5, 5.5},
		}, 180),
		"cells": view("cells", &chart.Figure{
			Heat: &chart.Heat{
				Names: []string{"left", "right"}, X: chart.Axis{Name: "place", Labels: []string{"1", "2", "3"}}, Y: chart.Axis{Name: "board", Labels: []string{"10", "20"}},
				Who: chart.Column{0, 12}, Looks: []chart.Part{{Name: "empty", Look: new(look("--level-0", 0, 0))}, {Name: "rye", Look: new(look("--level-4", 0, 0))}}, Here: []int{2, 0}, Dense: true,
			},
			Data: []float64{0, 0, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1},
		}, 200),
		"limited": view("limited", &chart.Figure{
			Bars: &chart.Bars{Unit: "GiB", Rows: []chart.Row{{Name: "Oven", End: "3 GiB"}, {Name: "Kiln", End: "needs 5 GiB"}}, Parts: []chart.Part{
				{Name: "Cold", Look: &p0, Values: chart.Column{0, 2}}, {Name: "Crowd", Look: &p1, Values: chart.Column{2, 2}},
			}, Limit: &chart.Limit{At: 4, Text: "memory 4 GiB"}},
			Data: []float64{1, 2, 2, 3},
		}, 180),
		"possible": view("possible", &chart.Figure{
			Bars: &chart.Bars{
				Unit: "s", Rows: []chart.Row{{Name: "Oven", End: "3 s", Look: &s1}, {Name: "Kiln", End: "5 s", Look: &s2}}, Parts: []chart.Part{{Name: "Time", Values: chart.Column{0, 2}}},
				Room: &chart.Room{Least: 2.2, Known: 3, Text: "best possible 2.2 s"},
			},
			Data: []float64{3, 5},
		}, 180),
		"reachable": view("reachable", &chart.Figure{
			Bars: &chart.Bars{
				Unit: "loaves/s", Rows: []chart.Row{{Name: "Oven", End: "3 loaves/s", Look: &s1}, {Name: "Kiln", End: "2 loaves/s", Look: &s2}}, Parts: []chart.Part{{Name: "Speed", Values: chart.Column{0, 2}}},
				Room: &chart.Room{Least: 4, Known: 3, Text: "best possible without yeast 4 loaves/s"},
			},
			Data: []float64{3, 2},
		}, 180),
		"stacks": view("stacks", &chart.Figure{
			Bars: &chart.Bars{Unit: "s", Rows: []chart.Row{{Name: "Oven", End: "12 345 s"}, {Name: "Kiln", End: "3 s"}}, Parts: []chart.Part{
				{Name: "Cold", Look: &p0, Values: chart.Column{0, 2}}, {Name: "Crowd", Look: &p1, Values: chart.Column{2, 2}},
			}, Ghost: chart.Column{4, 2}},
			Data: []float64{345, 1, 12000, 2, 1, 400},
		}, 180),
		"columns": view("columns", &chart.Figure{
			Columns: &chart.Columns{
				Y: chart.Axis{Name: "time, s", Unit: "s", Log: true}, Labels: []string{"Oven", "Kiln", "", "Oven", "Kiln", ""}, Groups: []chart.Group{{Name: "Rye", At: 0, N: 2}, {Name: "Wheat", At: 3, N: 2}},
				Kinds: []chart.Part{{Name: "Oven", Look: &s1, Values: chart.Column{0, 6}}, {Name: "Kiln", Look: &s2, Values: chart.Column{6, 6}}},
				Ticks: chart.Column{12, 4}, Names: []string{"Rye Oven", "Wheat Oven"}, Notes: []chart.Note{{At: 4, Text: "does not fit"}, {At: 1, Over: 90, Text: "–"}, {At: 3, Over: 90000, Text: "fits only here"}, {At: 0, Over: 5, Text: chart.Doubted}},
			},
			Data: []float64{3, nan, nan, 90000, nan, nan, nan, 90, nan, nan, nan, nan, 0, 2.5, 3, 70000},
		}, 300),
		"lines": view("lines", &chart.Figure{
			Panels: &chart.Panels{
				Names: []string{""}, X: chart.Axis{Name: "time, s", Min: at(0), Max: at(2.5)}, Y: chart.Axis{Name: "GiB", Unit: "GiB", Min: at(0)}, Legend: []string{"Oven", "Loaf waits"},
				Limit: &chart.Limit{At: 40, Text: "capacity"}, Here: &chart.Limit{At: 2, Text: "now"},
				Series: []chart.Series{
					{Name: "Oven", Shape: chart.Step, Look: s1, Points: chart.Column{0, 8}},
					{Name: "Oven", Shape: chart.Step, Look: s1, Ghost: true, Points: chart.Column{8, 4}},
					{Name: "Loaf waits", Shape: chart.Marks, Look: s2, Faded: true, Points: chart.Column{12, 2}},
				},
			},
			Data: []float64{0, 10, 1, 39, 1.5, nan, 2.5, 20, 0, 12, 2, 13, 0.5, 5},
		}, 240),
		"room": view("room", &chart.Figure{
			Panels: &chart.Panels{
				Names: []string{""}, X: chart.Axis{Name: "fuel, l", Labels: []string{"1", "2", "4", "8"}}, Y: chart.Axis{Name: "loaves", Min: at(0)}, Legend: []string{"Oven"}, Room: chart.Column{8, 12},
				Series: []chart.Series{{Name: "Oven", Shape: chart.Line, Look: s1, Points: chart.Column{0, 8}}},
			},
			Data: []float64{0, 8, 1, 6, 2, 5, 3, 5, 0, 7, 8, 1, 5, 6, 2, nan, nan, 3, 4, 5},
		}, 240),
		"seeds": view("seeds", &chart.Figure{
			Panels: &chart.Panels{
				Names: []string{""}, X: chart.Axis{Name: "fuel, l", Labels: []string{"1", "2", "4"}}, Y: chart.Axis{Name: "loaves", Min: at(0)}, Legend: []string{"Oven"},
				Series: []chart.Series{{Name: "Oven", Shape: chart.Line, Look: s1, Points: chart.Column{0, 6}, Band: chart.Column{6, 9}}},
			},
			Data: []float64{0, 4, 1, 5, 2, 6, 0, 3, 5, 1, 5, 5.5, 2, 4, 7},
		}, 240),
		"bands": view("bands", &chart.Figure{
			Panels: &chart.Panels{
				Names: []string{""}, X: chart.Axis{Name: "time, s"}, Y: chart.Axis{Name: "GiB"}, Legend: []string{"Rye", "Wheat"},
				Series: []chart.Series{{Name: "Rye", Shape: chart.Area, Look: p0, Points: chart.Column{0, 4}}, {Name: "Wheat", Shape: chart.Area, Look: p1, Faded: true, Points: chart.Column{4, 4}}},
			},
			Data: []float64{0, 1, 2, 3, 0, 2, 2, 5},
		}, 240),
		"panels": view("panels", &chart.Figure{
			Panels: &chart.Panels{
				Names: []string{"Rye", "Wheat"}, X: chart.Axis{Name: "size", Labels: []string{"small", "large"}}, Y: chart.Axis{Name: "s", Log: true}, Legend: []string{"Oven"},
				Series: []chart.Series{
					{Name: "Oven", Shape: chart.Line, Look: s2, Points: chart.Column{0, 4}},
					{Name: "Oven, published", Shape: chart.Rings, Look: s2, Points: chart.Column{4, 2}},
					{Name: "Oven, published", Shape: chart.Rings, Look: s2, Doubted: true, Points: chart.Column{12, 2}},
					{Panel: 1, Name: "Kiln", Shape: chart.Dots, Look: s1, Points: chart.Column{6, 6}},
				},
			},
			Data: []float64{0, 0.001, 1, 200000, 0, 0.002, 0, 1, 1, 0, 1, 5, 1, 90},
		}, 240),
		"heat": view("heat", &chart.Figure{
			Heat: &chart.Heat{Names: []string{"Oven", "Kiln"}, X: chart.Axis{Name: "batch", Labels: []string{"1", "2"}}, Y: chart.Axis{Name: "fuel", Labels: []string{"10", "20"}}, Values: chart.Column{0, 8}, Marks: []string{"", "", "", "×", "", "", "", ""}, Here: []int{1, 0}},
			Data: []float64{1, 2, 3, nan, 4, 5, 6, 7},
		}, 310),
		"wins": view("wins", &chart.Figure{
			Heat: &chart.Heat{Names: []string{"Who is best"}, X: chart.Axis{Name: "batch", Labels: []string{"1", "2"}}, Y: chart.Axis{Name: "fuel", Labels: []string{"10"}}, Values: chart.Column{0, 2}, Who: chart.Column{2, 2}, Looks: []chart.Part{{Name: "Oven", Look: &s1}, {Name: "Kiln", Look: &s2}}, Marks: []string{"", "–"}},
			Data: []float64{1, nan, 1, -1},
		}, 250),
		"empty": {ID: "empty", Title: "Nothing", Empty: "No system is selected.", Height: 180, Figure: &chart.Figure{Bars: &chart.Bars{}}},
	}
}

// read goes through an SVG as XML: it is well formed, every ID is its own and every
// reference is to one of them. It returns what the elements contain, by name.
func read(t *testing.T, name, text string) map[string]string {
	t.Helper()
	in := map[string]string{}
	ids, refs := map[string]bool{}, map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(text))
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			open = append(open, x.Name.Local)
			for _, a := range x.Attr {
				if a.Name.Local == "id" {
					if ids[a.Value] {
						t.Errorf("%s: two elements have the ID %s", name, a.Value)
					}
					ids[a.Value] = true
				}
				if ref, ok := strings.CutPrefix(a.Value, "url(#"); ok {
					refs[strings.TrimSuffix(ref, ")")] = true
				}
				if a.Name.Local == "aria-labelledby" {
					for id := range strings.FieldsSeq(a.Value) {
						refs[id] = true
					}
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(open); n > 0 {
				in[open[n-1]] += string(x)
			}
		}
	}
	for id := range refs {
		if !ids[id] {
			t.Errorf("%s: nothing has the ID %s", name, id)
		}
	}
	if regexp.MustCompile(`NaN|Inf|undefined|%!`).MatchString(text) {
		t.Errorf("%s: not a number among the numbers", name)
	}
	return in
}

// TestKinds draws every kind of chart and compares with the golden files.
func TestKinds(t *testing.T) {
	for name, v := range drawn() {
		o := draw.Options{Link: "https://example.org/#v=3&a=\"1\"", Version: "v1", Data: "a,b\n1,<2>\n"}
		got := draw.SVG(v, o)
		in := read(t, name, got)
		if in["title"] != v.Title || in["view"] != o.Data || !strings.Contains(in["desc"], o.Link) || v.Mode != "" && !strings.Contains(in["desc"], "Fidelity: "+v.Mode) {
			t.Errorf("%s: title %q, description %q, data %q", name, in["title"], in["desc"], in["view"])
		}
		if got != draw.SVG(v, o) {
			t.Errorf("%s is not always the same", name)
		}
		path := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || string(want) != got {
			t.Errorf("%s has changed (%v): make golden, then look at it", path, err)
		}
		for _, o.Theme = range []string{draw.Light, draw.Dark} {
			for _, o.Width = range []int{1, 320, 2000} {
				one := draw.SVG(v, o)
				read(t, name+" "+o.Theme, one)
				if strings.Contains(one, "<style") || strings.Contains(one, "class=") {
					t.Errorf("%s: one theme needs no style", name)
				}
			}
		}
	}
}

// TestHide leaves out what a reader has switched off.
func TestHide(t *testing.T) {
	for name, hide := range map[string]string{"stacks": "Cold", "lines": "Loaf waits", "columns": "Kiln", "panels": "Oven", "bands": "Rye"} {
		v := drawn()[name]
		all, some := draw.SVG(v, draw.Options{}), draw.SVG(v, draw.Options{Hide: []string{hide}})
		if len(some) >= len(all) || strings.Count(some, ">"+hide+"<") >= strings.Count(all, ">"+hide+"<") && name != "columns" {
			t.Errorf("%s: %q is still there", name, hide)
		}
	}
}

// TestHostile draws what comes from files and links: text that is no XML.
func TestHostile(t *testing.T) {
	v := drawn()["bars"]
	bad := "]]>--><script>alert(1)</script>\x00\x1b\xff\u202e'\"&amp;"
	v.ID, v.Title, v.Note, v.Mode, v.Alt, v.Text, v.Figure.Bars.Unit = bad, bad, bad, bad, bad, bad, bad
	v.Figure.Bars.Rows[0].Name, v.Figure.Bars.Rows[1].End = bad, bad
	got := draw.SVG(v, draw.Options{Link: "javascript:" + bad, Version: bad, Data: bad, Hide: []string{bad}})
	read(t, "hostile", got)
	if strings.Contains(got, "<script") || strings.Contains(got, "<a ") {
		t.Error("text has become markup")
	}
}

// TestData checks that everything a chart shows stands in its file, with what it is
// of.
func TestData(t *testing.T) {
	info := &lab.Info{
		Name: "bakery", Systems: []lab.System{{Name: "oven", Title: "Oven"}, {Name: "kiln", Title: "Kiln", Look: 11}}, Quantities: []report.Quantity{{Key: "speed", Label: "Speed"}},
		Charts: []report.Chart{{ID: "speed", Title: "Speed", Kind: report.Bars, Of: []string{"speed"}}, {ID: "heat", Title: "Heat", Kind: report.Lines, X: "s", Y: "K"}, {ID: "all", Title: "All", Kind: report.Values, Of: []string{"speed"}}},
		Knobs:  []knob.Info{{Key: "fuel", Label: "Fuel", Help: "How much.", Scale: 1, Min: 1, Max: 9, Default: "4"}},
	}
	u := info.Setup()
	_ = u.Set("fuel", "7")
	of := func(x float64) *report.Report {
		return &report.Report{Fits: true, Values: []float64{x}, Curves: []report.Curve{{Chart: "heat", X: []float64{0, x}, Y: []float64{x, 1.0 / 3}}}}
	}
	runs := []chart.Run{{System: &info.Systems[0], On: true, Report: of(0.1 + 0.2)}, {System: &info.Systems[1], On: true, Report: of(1e9)}}
	for _, v := range chart.Views(&chart.Context{Info: info, Setup: u}, runs) {
		got := draw.SVG(&v, draw.Options{})
		in := read(t, v.ID, got)
		rows, err := csv.NewReader(strings.NewReader(in["view"])).ReadAll()
		want, errWant := csv.NewReader(strings.NewReader(v.CSV())).ReadAll()
		if err != nil || errWant != nil || len(rows) != len(want) || len(rows) < 3 {
			t.Fatalf("%s: %v, %v, %d rows", v.ID, err, errWant, len(rows))
		}
		for i := range rows {
			for k := range rows[i] {
				if rows[i][k] != want[i][k] {
					t.Errorf("%s: row %d has %q, want %q", v.ID, i, rows[i][k], want[i][k])
				}
			}
		}
		if !strings.Contains(got, `setup="fuel=7"`) {
			t.Errorf("%s does not say what it is of", v.ID)
		}
	}
}

// TestPalette compares the colors with the page's.
func TestPalette(t *testing.T) {
	text, err := os.ReadFile("../../public/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(text), `:root[data-theme="dark"] {`)
	dark, _, _ = strings.Cut(dark, "}")
	light, _, _ = strings.Cut(light, "}")
	if !ok {
		t.Fatal("style.css has no dark theme")
	}
	of := func(css, name string) string {
		m := regexp.MustCompile(name + `: (#[0-9a-f]+);`).FindStringSubmatch(css)
		if m == nil {
			return ""
		}
		if c := m[1]; len(c) == 4 {
			return "#" + strings.Repeat(c[1:2], 2) + strings.Repeat(c[2:3], 2) + strings.Repeat(c[3:4], 2)
		}
		return m[1]
	}
	for name, c := range draw.Palette() {
		if of(light, name) != c[0] || of(dark, name) != c[1] {
			t.Errorf("%s is %q, style.css has %q and %q", name, c, of(light, name), of(dark, name))
		}
	}
}
