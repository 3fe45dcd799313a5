package deepum

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// TestSound checks that every point that is compared
// has a tolerance of its own.
func TestSound(t *testing.T) {
	p := Paper()
	for i := range p.Points {
		if x := &p.Points[i]; x.NotComputed == "" && (x.Limit <= Tolerance || x.Limit > 9 || x.Below < 0 || x.Below >= 1 || x.Below == 0 && x.Limit >= 1) {
			t.Errorf("%s %s %s %s: a tolerance of %v and %v", x.Figure, x.Of, x.At, x.System, x.Limit, x.Below)
		}
	}
	for _, r := range []struct {
		runs []row
		why  string
	}{{typical(), "typical"}, {swept(), "swept"}} {
		for _, x := range r.runs {
			if !slices.Contains(labelsOf(rows()), x.label()) {
				t.Errorf("%s: %s is no row of Figure 9(b)", r.why, x.label())
			}
		}
	}
	count := map[string]int{}
	for _, r := range rows() {
		count[r.name]++
	}
	for i := range networks {
		if n := &networks[i]; n.rows != count[n.name] {
			t.Errorf("%s has %d rows, not %d", n.name, count[n.name], n.rows)
		}
	}
	if n := len(typical()); n != len(networks) {
		t.Errorf("%d typical rows", n)
	}
}

func labelsOf(rows []row) (list []string) {
	for _, r := range rows {
		list = append(list, r.label())
	}
	return list
}

// TestSides judges DeepUM's faults by their order of magnitude, from a tenth to ten
// times as many, and UM's time of DLRM from 6 % too short to 29 % too long.
func TestSides(t *testing.T) {
	p := Paper()
	outcomes := invented(p)
	for _, tt := range []struct {
		figure, system, of string
		times              float64
		want               study.Status
	}{
		{"T5", deepum, "GPT-2 L 3", 9.9, study.Within},
		{"T5", deepum, "GPT-2 L 3", 10.1, study.Gap},
		{"T5", deepum, "GPT-2 L 3", 0.101, study.Within},
		{"T5", deepum, "GPT-2 L 3", 0.099, study.Gap},
		{"9b", um, "DLRM 96K", 1.28, study.Within},
		{"9b", um, "DLRM 96K", 1.3, study.Gap},
		{"9b", um, "DLRM 96K", 0.95, study.Within},
		{"9b", um, "DLRM 96K", 0.93, study.Gap},
	} {
		rows, err := p.Rows(tt.figure, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(rows, func(r study.Row) bool { return r.System == tt.system && r.Of == tt.of })
		x := rows[at].Point
		run := slices.IndexFunc(outcomes, func(o study.Outcome) bool { return o.Run == x.Run() })
		value := slices.IndexFunc(p.Of(x.Run()), func(y study.Point) bool { return y.Figure == x.Figure && y.Quantity == x.Quantity })
		old := outcomes[run].Values[value]
		outcomes[run].Values[value] = tt.times * x.Value
		if rows, err = p.Rows(tt.figure, outcomes); err != nil || rows[at].Status != tt.want {
			t.Errorf("%s %s %s, %v times: %s; want %s (%v)", tt.figure, tt.system, tt.of, tt.times, rows[at].Status, tt.want, err)
		}
		outcomes[run].Values[value] = old
	}
}

// TestTables counts what is transcribed and compares sums with those of the printed
// tables.
func TestTables(t *testing.T) {
	p := Paper()
	type sum struct {
		count, computed int
		value           float64
	}
	want := map[string]sum{
		"T1": {14, 0, 3297}, "T2": {9, 0, 11}, "9a": {34, 34, 0}, "9b": {92, 92, 0}, "9c": {2, 0, 133}, "T3": {14, 0, 0}, "T4": {23, 23, 2885},
		"10": {3, 0, 176}, "T5": {46, 46, 0}, "T6": {13, 0, 15232}, "11": {1, 0, 32}, "12": {}, "T7": {24, 0, 0}, "T8": {28, 0, 19},
	}
	got := map[string]sum{}
	for i := range p.Points {
		x := &p.Points[i]
		s := got[x.Figure]
		s.count++
		if x.NotComputed == "" {
			s.computed++
		}
		s.value += x.Value
		got[x.Figure] = s
	}
	for _, f := range p.Figures {
		w, g := want[f.ID], got[f.ID]
		if g.count != w.count || g.computed != w.computed || w.value != 0 && math.Abs(g.value-w.value) > 1e-6 {
			t.Errorf("figure %s: %+v; want %+v", f.ID, g, w)
		}
	}
	// Totals of the columns of Figure 9(b) and of Table 5, added up from the paper's own text.
	for _, tt := range []struct {
		figure, system, at string
		total              float64
		unfit              int
	}{
		{"9b", um, "", 303691, 0},
		{"9b", deepum, "", 53094, 0},
		{"9b", lms, "", 32670, 12},
		{"9b", lms, cleaning, 51674, 7},
		{"T5", um, "", 1031322447, 0},
		{"T5", deepum, "", 677255, 0},
	} {
		total, unfit := 0.0, 0
		for _, x := range of(p.Points, tt.figure) {
			if x.System == tt.system && x.At == tt.at {
				total += x.Value
				if !x.Fits {
					unfit++
				}
			}
		}
		if total != tt.total || unfit != tt.unfit {
			t.Errorf("%s %s %s: %v, %d cannot run; want %v, %d", tt.figure, tt.system, tt.at, total, unfit, tt.total, tt.unfit)
		}
	}
}

// TestClaimsOfPublished computes the text's numbers from the printed ones.
func TestClaimsOfPublished(t *testing.T) {
	p := Paper()
	want := map[string]float64{"over-um": 3.06, "over-lms": 1.11, "over-lms-alike": 1.32, "fastest": 0, "dlrm": 1.26, "left": 1.80}
	for i := range p.Claims {
		c := &p.Claims[i]
		v, known := c.Published()
		w, there := want[c.ID]
		if c.ID == "lms-over-um" {
			w, there = 2.75, true
		}
		if known != there || known && math.Abs(v-w) > 0.006 {
			t.Errorf("%s: %v, %v; want %v, %v", c.ID, v, known, w, there)
		}
	}
}

// TestMeasure takes quantities from a result by hand.
func TestMeasure(t *testing.T) {
	r := &result.Result{Fits: true, Clock: 1000}
	for i := range 6 {
		r.Iterations = append(r.Iterations, result.Iteration{
			Time:   unit.Cycles(1000 * (10 - i)), // the last four: 8, 7, 6 and 5 s
			Paging: &result.Paging{Faults: int64(100 * i), Missed: int64(i), Tables: unit.Bytes(1_000_000 * i)},
		})
	}
	for _, tt := range []struct {
		quantity, system string
		want             float64
	}{
		{elapsed, um, 650},
		{seconds, um, 6.5},
		{speedup, um, 1 / 6.5},
		{faults, um, 350},
		{faults, deepum, 350}, // as the driver counts them, not blocks
		{tables, deepum, 5},
	} {
		if got := measure([]study.Point{{Quantity: tt.quantity, System: tt.system}}, nil, r)[0]; got != tt.want {
			t.Errorf("%s of %s: %v, want %v", tt.quantity, tt.system, got, tt.want)
		}
	}
	for i := range r.Iterations {
		r.Iterations[i].Paging = nil // as in a system of tensors
	}
	for _, quantity := range []string{faults, tables, "nothing"} {
		if v := measure([]study.Point{{Quantity: quantity}}, nil, r)[0]; !math.IsNaN(v) {
			t.Errorf("%s without paging: %v", quantity, v)
		}
	}
	if v := measure([]study.Point{{Quantity: elapsed}}, nil, &result.Result{})[0]; !math.IsNaN(v) {
		t.Errorf("without iterations: %v", v)
	}
}

// invented answers every run: points as published, probes from a formula.
func invented(p *study.Paper) (list []study.Outcome) {
	for _, r := range p.Runs() {
		o := study.Outcome{Run: r.Name, Fits: true}
		for _, x := range p.Of(r.Name) {
			v := x.Value
			switch {
			case x.Quantity == speedup: // 1/s
				v = 1 / wanted(p, elapsed, r.Name)
			case x.Unpublished && strings.Contains(r.Set, "deepum_degree=32"):
				v = 9
			case x.Unpublished:
				v = 10
			case !x.Fits:
				v = 1
			}
			o.Values = append(o.Values, v)
		}
		list = append(list, o)
	}
	return list
}

// wanted is what is published of a quantity of a run.
func wanted(p *study.Paper, quantity, run string) float64 {
	for _, x := range p.Of(run) {
		if x.Quantity == quantity {
			return x.Value
		}
	}
	return math.NaN()
}

// TestSheets draws every figure with what is published as if it were ours.
func TestSheets(t *testing.T) {
	p := Paper()
	outcomes := invented(p)
	for _, f := range p.Figures {
		some, err := p.Sheet(f.ID, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range some.Drawing.Ours {
			m, u := some.Drawing.Published[i], some.Drawing.Ours[i]
			if !u.Known || m.Known && m.Fits && f.ID != "10" && math.Abs(m.Y/u.Y-1) > 1e-12 {
				t.Errorf("%s draws %+v where %+v is published", f.ID, u, m)
			}
		}
		for i := range some.Rows {
			if l := &some.Rows[i]; l.Status == study.Gap && l.Fits {
				t.Errorf("%s: %+v is no gap", f.ID, l)
			}
		}
	}
	// Only what LMS cannot run is a gap here, and it is not recorded as it is here.
	rows, err := p.Rows(study.AllClaims, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(study.Unexpected(rows)); n != 19 {
		t.Errorf("%d unexpected gaps", n)
	}
	sheet, err := p.Sheet("11", outcomes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sheet.Claims {
		c := &sheet.Claims[i]
		if c.ID == "degree" && (c.Ours != 32 || c.Verdict != study.Holds) || c.ID == "degree-32" && math.Abs(c.Ours-10./9) > 1e-12 {
			t.Errorf("%+v", c)
		}
	}
	// 45.6 % are drawn as published, and as ours what the runs say: nothing is saved.
	if sheet, err = p.Sheet("10", outcomes); err != nil {
		t.Fatal(err)
	}
	n := len(sheet.Drawing.Ours)
	if u, m := sheet.Drawing.Ours[n-1], sheet.Drawing.Published[n-1]; m.Panel != mean || m.Y != 66.7 || u.Panel != mean || math.Abs(u.Y) > 1e-12 || !u.Known || n != 24 {
		t.Errorf("%+v, %+v of %d", u, m, n)
	}
}

// TestGaps takes a recorded gap, and none that has another value.
func TestGaps(t *testing.T) {
	list := table("gaps.csv")
	seen := map[string]bool{}
	for _, f := range list {
		if key := strings.Join(f[:5], ","); seen[key] {
			t.Errorf("%s is there twice", key)
		} else {
			seen[key] = true
		}
	}
	p := Paper()
	why := p.Why
	for i := range p.Points {
		x := &p.Points[i]
		if x.Fits || x.NotComputed != "" {
			continue
		}
		r := study.Row{Point: x, Status: study.Gap, OursFits: true, Ours: 123456789}
		if text := why(&r); text != "" {
			t.Errorf("a gap that is not recorded has a reason: %s", text)
		}
		if reason(&r) == "" {
			t.Errorf("%s: no reason", r.String())
		}
	}
	// What is doubted stands after the reason and not in its place.
	for _, tt := range []struct {
		figure, of, system, quantity string
		starts, ends                 string
	}{
		{"T4", "BERT Base 29", deepum, tables, "more of BERT Base's kernels fault", "taken for the batch of Figure 9(b)"},
		{"T5", "DLRM 96K", um, faults, "with batch 96K DLRM nearly fits", "as if it needed much more"},
		{"T5", "ResNet200 1024", deepum, faults, "few blocks are missed", "late ones as none"},
		{"9b", "DLRM 192K", deepum, elapsed, uncalibrated, uncalibrated},
	} {
		at := slices.IndexFunc(p.Points, func(x study.Point) bool {
			return x.Figure == tt.figure && x.Of == tt.of && x.System == tt.system && x.Quantity == tt.quantity
		})
		if at < 0 {
			t.Fatalf("%+v is not there", tt)
		}
		text := reason(&study.Row{Point: &p.Points[at], Status: study.Gap, OursFits: true})
		if !strings.HasPrefix(text, tt.starts) || !strings.HasSuffix(text, tt.ends) || strings.Count(text, uncalibrated) > 1 {
			t.Errorf("%+v: %s", tt, text)
		}
	}
	if text := why(&study.Row{Point: &study.Point{Note: "doubtful"}, Status: study.Within}); text != "doubtful" {
		t.Error(text)
	}
}

// TestFilesAreThere finds every published table in the program, and nothing else.
func TestFilesAreThere(t *testing.T) {
	entries, err := os.ReadDir("published")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(table("published/"+e.Name())) == 0 {
			t.Errorf("%s is empty", e.Name())
		}
		text, err := os.ReadFile("published/" + e.Name())
		if err != nil || !strings.HasPrefix(string(text), "# DeepUM (ASPLOS 2023), ") {
			t.Errorf("%s: no source (%v)", e.Name(), err)
		}
	}
	if _, err := Reader.Outcome(Paper(), "nothing", &report.Report{}, nil, nil); err == nil {
		t.Error("a run that is not there")
	}
}
