package cards

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/report"
)

func line(name, role string, values ...float64) Line {
	l := Line{Name: name, Role: role}
	for _, v := range values {
		if v < 0 {
			l.Values = append(l.Values, nil)
			continue
		}
		l.Values = append(l.Values, &v)
	}
	return l
}

// An answer begins with what was asked for, and says who leads.
func TestAnswer(t *testing.T) {
	speed := &report.Quantity{Label: "Speed", Unit: "× ideal", Better: 1}
	time := &report.Quantity{Label: "Time", Unit: "s", Better: -1}
	for _, tt := range []struct {
		q     *report.Quantity
		lines []Line
		want  string
	}{
		{speed, []Line{line("G10", A, 0.2, 0.8, 0.99, 1)}, "16 GiB. Beyond that G10 gains under 5 %; at 4 GiB it loses a factor of 5."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1.01), line("UVM", B, 0.5, 0.5, 0.5, 0.5)}, "G10 changes by under 2 %. It leads everywhere."},
		{speed, []Line{line("G10", A, 1, 1, 0.9, 0.8)}, "Up to 8 GiB G10 loses under 5 %; at 32 GiB, 20 %."},
		{speed, []Line{line("G10", A, 0.1, 0.2, 0.4, 0.8)}, "The more the better: 32 GiB instead of 4 GiB brings G10 a factor of 8."},
		{time, []Line{line("G10", A, 8, 4, 2, 1)}, "The more the better: 32 GiB instead of 4 GiB brings G10 a factor of 8."},
		{speed, []Line{line("G10", A, 95, 64, 64, 64)}, "The less the better: 32 GiB instead of 4 GiB costs G10 33 %."},
		{speed, []Line{line("G10", A, 64, 70, 80, 95)}, "The more the better: 32 GiB instead of 4 GiB brings G10 48 %."},
		{time, []Line{line("G10", A, 95, 80, 70, 64)}, "The more the better: 32 GiB instead of 4 GiB brings G10 33 %."},
		{time, []Line{line("G10", A, 64, 80, 90, 95)}, "The less the better: 32 GiB instead of 4 GiB costs G10 48 %."},
		{time, []Line{line("G10", A, 1, 1.5, 2, 1.2)}, "The less the better: 32 GiB instead of 4 GiB costs G10 20 %."},
		{speed, []Line{line("G10", A, 0.5, 1, 0.9, 0.5)}, "8 GiB is best for G10; at 4 GiB it loses a factor of 2, at 32 GiB a factor of 2."},
		{speed, []Line{line("G10", A, -1, 0.9, 0.99, 1)}, "16 GiB. Beyond that G10 gains under 5 %; at 8 GiB it loses 10 %. At 4 GiB it does not run."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1), line("UVM", B, 2, 2, 0.5, 0.5)}, "G10 changes by under 2 %. Below 16 GiB, UVM leads; from there on, G10."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1), line("UVM", B, 1, 1, 1, 1)}, "G10 changes by under 2 %. UVM is level with it everywhere."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1), line("UVM", B, 1, 1, 1, 0.5), line("LRU", "", 0, 0, 1, 0)}, "G10 changes by under 2 %. It leads in 1 of 4; others are level with it in the rest."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1), line("UVM", B, 2, 1, 1, 0.5)}, "G10 changes by under 2 %. None is better in 3 of 4; UVM leads in the rest."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1), line("UVM", B, 2, 2, 2, 2), line("LRU", "", 2, 2, 2, 1)}, "G10 changes by under 2 %. It leads in 0 of 4."},
		{speed, []Line{line("G10", A, 1, 1, 1, 1), line("UVM", B, 2, 2, 2, 2)}, "G10 changes by under 2 %. UVM leads everywhere."},
		{speed, []Line{line("G10", A, 0, 0, 0, 0), line("UVM", B, 0, 0, 0, 0)}, "G10: 0 × ideal with all of these."},
		{speed, []Line{line("G10", A, 0, 0, 0, 8), line("UVM", B, 0, 0, 0, 5)}, "The more the better: G10 has 8 × ideal at 32 GiB, and 0 × ideal at 4 GiB. It leads wherever any has more than 0."},
		{speed, []Line{line("G10", A, -1, -1, -1, -1)}, "G10 cannot run with any of these."},
	} {
		p := &Picture{X: "Memory, GiB", Labels: []string{"4", "8", "16", "32"}, Lines: tt.lines}
		if got := answer(p, tt.q, amounts("Memory", "GiB"), true); got != tt.want {
			t.Errorf("%q; want %q", got, tt.want)
		}
	}
}

// Other seeds are a band behind a line; one that lacks an end is not drawn.
func TestBand(t *testing.T) {
	l, ends := line("SkyByte-Full", A, 1, 2), line("", "", 0.5, 1, 2, 3).Values
	l.Low, l.High = ends[:2], ends[2:]
	p := &Picture{X: "Log, MiB", Labels: []string{"14", "28"}, Lines: []Line{l}}
	if got := SVG(p); !strings.Contains(got, `<path class="band a" d="M38.0 `) || strings.Index(got, "band a") > strings.Index(got, "line a") {
		t.Errorf("no band behind the line in %s", got)
	}
	p.Lines[0].Low = line("", "", -1, 1).Values
	if got := SVG(p); strings.Contains(got, "band") {
		t.Errorf("a band without an end in %s", got)
	}
}

// Every recorded card is a drawing inside its frame with few nodes.
func TestDrawn(t *testing.T) {
	files, _ := filepath.Glob("../lab/*/cards.json")
	if len(files) == 0 {
		t.Skip("nothing is recorded")
	}
	number := regexp.MustCompile(`[ML ]?(-?[\d.]+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []Picture
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		for i := range list {
			svg := SVG(&list[i])
			d := xml.NewDecoder(strings.NewReader(svg))
			nodes := 0
			for {
				x, err := d.Token()
				if err != nil {
					break
				}
				e, ok := x.(xml.StartElement)
				if !ok {
					continue
				}
				nodes++
				for _, a := range e.Attr {
					if a.Name.Local != "x" && a.Name.Local != "y" && a.Name.Local != "d" {
						continue
					}
					for _, m := range number.FindAllStringSubmatch(a.Value, -1) {
						if v, err := strconv.ParseFloat(m[1], 64); err == nil && (v < 0 || v > width) {
							t.Errorf("%s, %s: %s=%s", file, list[i].Question, a.Name.Local, a.Value)
						}
					}
				}
			}
			if !strings.HasSuffix(svg, "</svg>") || nodes < 5 || nodes > 60 || strings.Contains(svg, "NaN") {
				t.Errorf("%s, %s: %d nodes\n%s", file, list[i].Question, nodes, svg)
			}
			if words := len(strings.Fields(list[i].Says)); words > 52 {
				t.Errorf("%s, %s: %d words: %s", file, list[i].Question, words, list[i].Says)
			}
		}
	}
}

// A unit stands behind the last label, in lines that fit beside it; no name stands on it.
func TestUnit(t *testing.T) {
	p := &Picture{Quantity: "Slowdown, %", X: "Drives for each GPU", Labels: []string{"1", "2", "4"}, Now: -1, Lines: []Line{
		{Name: "Buddy", Role: A, Values: line("", "", 9, 4, 0).Values}, {Name: "Naive Buddy", Role: B, Values: line("", "", 9, 4, 0.1).Values},
	}}
	svg := SVG(p)
	for _, want := range []string{`y="134">Drives for<`, `y="146">each GPU<`, `y="122" class="a">Buddy<`, `y="109" class="b">Naive Buddy<`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	p.X, p.Labels = "Context, tokens", []string{"1024", "4096", "8192"}
	if svg = SVG(p); !strings.Contains(svg, `<text x="255" y="140">tokens<`) {
		t.Errorf("8192 and its unit in %s", svg)
	}
	p.Lines[0].Name = "Host memory and SSD"
	if svg = SVG(p); !strings.Contains(svg, ">Host memory<") || !strings.Contains(svg, ">and SSD<") {
		t.Errorf("a long name in %s", svg)
	}
	if got := inLines("4 drives of a GPU", 16, 2); !slices.Equal(got, []string{"4 drives of a", "GPU"}) {
		t.Errorf("%q", got)
	}
}

// What has no unit is called by its setting.
func TestAmounts(t *testing.T) {
	for _, x := range []struct{ label, unit, value, want string }{
		{"Memory", "GiB", "4", "4 GiB"},
		{"Channels", "", "16", "16 channels"},
		{"Channels", "", "1", "1 channel"},
		{"Threads of the workload", "", "8", "8 threads of the workload"},
		{"Batch size", "", "8", "batch size 8"},
		{"GPUs in all", "", "2", "2 GPUs in all"},
		{"Loss", "", "3", "loss 3"},
	} {
		if got := amounts(x.label, x.unit)(x.value); got != x.want {
			t.Errorf("%q; want %q", got, x.want)
		}
	}
}
