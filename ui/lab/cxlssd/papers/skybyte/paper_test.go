package skybyte

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/build/golden"
	"spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// TestSound checks that every point that is compared
// has a tolerance of its own and names for people.
func TestSound(t *testing.T) {
	p := Paper()
	for i := range p.Points {
		if x := &p.Points[i]; x.NotComputed == "" && (x.Limit < Tolerance || x.Below < 0 || x.Below >= 1 || math.IsNaN(x.Value)) {
			t.Errorf("%s %s %s %s: a tolerance of %v and %v, a value of %v", x.Figure, x.Of, x.At, x.System, x.Limit, x.Below, x.Value)
		}
	}
	for _, s := range systems {
		i := slices.IndexFunc(cxlssd.Systems, func(y cxlssd.System) bool { return y.Name == s })
		if i < 0 || !strings.EqualFold(cxlssd.Systems[i].Title, titles[s]) {
			t.Errorf("the laboratory has no system %q, or calls it otherwise than %q", s, titles[s])
		}
	}
	for _, w := range sizedOf {
		x, err := stream.Find(w)
		if err != nil {
			t.Fatal(err)
		}
		if int(x.Recipe.Switching) != switching(w) {
			t.Errorf("%s switches among %d threads, not %d", w, x.Recipe.Switching, switching(w))
		}
		if mib, ok := footprints[w]; ok && math.Abs(float64(x.Recipe.Pages())*4096/(1<<20)/float64(mib)-1) > 0.01 {
			t.Errorf("%s has a footprint of %d pages, not of %d MiB", w, x.Recipe.Pages(), mib)
		}
	}
}

// TestEveryCellIsThere counts the points of every figure and adds up some columns.
func TestEveryCellIsThere(t *testing.T) {
	type sum struct{ count, computed int }
	want := map[string]sum{
		"2": {21, 21}, "3": {39, 7}, "4": {14, 14}, "5": {48, 48}, "6": {48, 48}, "9": {44, 44}, "10": {44, 44}, "14": {105, 105}, "15": {136, 40}, "16": {28, 28}, "17": {252, 252},
		"18": {49, 49}, "19": {63, 63}, "20": {70, 70}, "21": {168, 168}, "22": {168, 168}, "23": {35, 35}, "raw": {11, 11}, "paper": {14, 14}, "paper2": {7, 7}, "mix": {98, 98}, "T1": {34, 20}, "T3": {42, 42}, "T4": {12, 0},
	}
	p := Paper()
	got := map[string]sum{}
	total := map[string]float64{}
	for i := range p.Points {
		x := &p.Points[i]
		s := got[x.Figure]
		s.count++
		if x.NotComputed == "" {
			s.computed++
		}
		got[x.Figure] = s
		total[x.Figure+" "+x.Quantity] += x.Value
	}
	for _, f := range p.Figures {
		if got[f.ID] != want[f.ID] {
			t.Errorf("figure %s: %+v; want %+v", f.ID, got[f.ID], want[f.ID])
		}
	}
	// Sums of whole columns as the shipped files have them, added up apart.
	for column, want := range map[string]float64{
		"14 cycles": 53687.756444, "18 programs": 1385726, "17 amat": 22297.235, "22 cycles": 268923.024162,
	} {
		if math.Abs(total[column]/want-1) > 1e-6 {
			t.Errorf("%s add up to %.3f; want %.3f", column, total[column], want)
		}
	}
}

// TestSharedData finds every row of the embedded tables in the files that they are
// from, where those are at hand.
func TestSharedData(t *testing.T) {
	entries, err := os.ReadDir("published")
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, e := range entries {
		own, err := os.ReadFile(filepath.Join("published", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		size += len(own)
		if !strings.HasPrefix(string(own), "# source: ") || len(table(e.Name())) == 0 {
			t.Errorf("%s has no source, or is empty", e.Name())
		}
	}
	if size > 60_000 {
		t.Errorf("%d bytes of tables", size)
	}
	dir := artifact.Data(t, "skybyte")
	for _, e := range entries {
		if e.Name() == differ {
			continue // put together of two: see TestRawWhereDiffers
		}
		own, theirs := rows(t, filepath.Join("published", e.Name())), rows(t, filepath.Join(dir, e.Name()))
		var columns []int
		for _, name := range own[0] {
			k := slices.Index(theirs[0], name)
			if k < 0 {
				t.Fatalf("%s has a column %q of its own", e.Name(), name)
			}
			columns = append(columns, k)
		}
		at := 1
		for _, row := range own[1:] {
			same := func(other []string) bool {
				for i, k := range columns {
					if row[i] != other[k] {
						return false
					}
				}
				return true
			}
			k := slices.IndexFunc(theirs[at:], same)
			if k < 0 {
				t.Errorf("%s: %v is not in the shared file, or not in its order", e.Name(), row)
				break
			}
			at += k + 1
		}
	}
}

// differ is the table of cells whose raw run has another number.
const differ = "raw_where_differs.csv"

// TestRawWhereDiffers finds both numbers of every row in the shared files, and the cell
// whose note has them.
func TestRawWhereDiffers(t *testing.T) {
	noted := 0
	for _, x := range Paper().Points {
		if strings.Contains(x.Note, " M cycles where the figure has ") {
			noted++
		}
	}
	own := table(differ)
	if noted != len(own) {
		t.Errorf("%d cells have the number of their raw run; %d rows", noted, len(own))
	}
	dir := artifact.Data(t, "skybyte")
	drawn, raw := rows(t, filepath.Join(dir, "provenance_figure_value_in_raw_runs.csv")), rows(t, filepath.Join(dir, "raw_runs.csv"))
	for _, f := range own {
		if !slices.ContainsFunc(drawn, func(d []string) bool { return slices.Equal(d[:5], f[:5]) && d[5] != "yes" }) {
			t.Errorf("%v: no such cell, or a raw run has it", f)
		}
		column := slices.Index(raw[0], "cycles_max")
		if f[0] == "fig19" || f[0] == "fig21" {
			column = slices.Index(raw[0], "cycles_avg")
		}
		at := slices.IndexFunc(raw, func(d []string) bool { return d[0] == f[5] })
		if at < 0 || math.Abs(study.Number(raw[at][column])-study.Number(f[6])) > 0.5 {
			t.Errorf("%v: no such run, or it has another number", f)
		}
	}
}

// rows are those of a CSV file, its heading among them; none of the files quotes a comma.
func rows(t *testing.T, path string) (list [][]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			list = append(list, strings.Split(strings.TrimRight(line, "\r\n"), ","))
		}
	}
	return list
}

// TestDoubts finds a cell for every doubt and remark.
func TestDoubts(t *testing.T) {
	p := Paper()
	for _, list := range [][]doubt{doubts, remarks} {
		for i := range list {
			if !slices.ContainsFunc(p.Points, func(x study.Point) bool { return x.NotComputed == "" && list[i].match(&x) }) {
				t.Errorf("no cell for %+v", list[i])
			}
		}
	}
	n := 0
	for i := range p.Points {
		if x := &p.Points[i]; doubted(x.Note) {
			n++
			if x.Figure == "9" || x.Figure == "4" {
				t.Errorf("%s is doubted: %s", x.Figure, x.Note)
			}
		}
	}
	if n < 50 || n > 120 {
		t.Errorf("%d cells are doubted", n)
	}
}

// TestClaimsOfPublished computes the text's numbers from the shipped data.
func TestClaimsOfPublished(t *testing.T) {
	want := map[string]float64{
		"speedup-p": 1.799, "speedup-w": 2.126, "speedup-cp": 2.786, "speedup-wp": 2.948, "speedup-full": 4.567, "speedup-most": 16.35, "speedup-least": 1.606,
		"switching": 1.549, "logging": 1.640, "of-dram": 77.5, "cheaper": 15.85, "cost-effective": 12.29, "traffic": 20.06, "amat": 12.96, "amat-dram": 1.376,
		"slowdown-least": 1.503, "slowdown-most": 24.53, "migration-mean": 1.0705, "migration-most": 1.352, "full-best": 7, "log-dlrm": 1.517, "flash-full": 28,
	}
	p := Paper()
	for i := range p.Claims {
		c := &p.Claims[i]
		v, known := c.Published()
		if !known {
			t.Errorf("%s is not known of the published values", c.ID)
		}
		if w, ok := want[c.ID]; ok && math.Abs(v/w-1) > 0.001 {
			t.Errorf("%s: %.4f of the published values; want %.4f", c.ID, v, w)
		}
	}
}

// result is one by hand: two cores, a quarter of bc.
func result() *cxlssd.Result {
	r := &cxlssd.Result{Workload: bc, Scale: 4, Threads: 8, Cores: 2, Time: 2 * unit.Second, CoreTimes: []unit.Time{2 * unit.Second, unit.Second}}
	r.Ledger[cxlssd.Switches] = unit.Second / 2
	r.Requests = [cxlssd.Kinds]int64{cxlssd.HostHit: 50, cxlssd.CacheHit: 20, cxlssd.LogRead: 10, cxlssd.LogWrite: 10, cxlssd.Merged: 4, cxlssd.Missed: 6}
	r.Bill = [cxlssd.Parts]unit.Time{cxlssd.PartHost: 100 * unit.Nanosecond, cxlssd.PartLink: 200 * unit.Nanosecond, cxlssd.PartFlash: 300 * unit.Nanosecond, cxlssd.PartQueue: 400 * unit.Nanosecond}
	r.EvictionPrograms, r.CompactionPrograms, r.DemotionPrograms, r.CollectionPrograms = 1, 2, 3, 4
	r.UserReads, r.UserReadTime = 6, 30*unit.Microsecond
	r.LinesRead[0], r.LinesRead[1], r.LinesRead[64] = 7, 3, 1
	r.LinesWritten[32] = 5
	return r
}

// TestMeasure takes quantities from a result by hand.
func TestMeasure(t *testing.T) {
	r := result()
	alone := 63.92 * 0.84 / 2 // millions of cycles of a core without memory
	for quantity, want := range map[string]float64{
		elapsed: 8, mean: 6, speed: 1. / 8, cycles: 32000, memoryBound: 1 - alone/24000, switchPart: 4000, computePart: alone, memoryPart: 32000 - 4000 - alone,
		amat: 10, amatHost: 1, amatLink: 2, amatIndex: 0, amatDRAM: 0, amatFlash: 7, hostPart: 50, hitPart: 30, writePart: 10, missPart: 10,
		programmed: 40, flashReads: 24, flashRead: 5, intensity: 400. / 63920, "read" + meanLines: 67. / 4 / 64, "write" + meanLines: 0.5, "read1": 0.75, "read63": 0.75, "write32": 1, "write4": 0,
	} {
		if got := measure([]study.Point{{Quantity: quantity}}, nil, r)[0]; math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("%s: %v, want %v", quantity, got, want)
		}
	}
	for _, raw := range []*cxlssd.Result{nil, r} {
		if v := measure([]study.Point{{Quantity: "nothing"}}, nil, raw)[0]; !math.IsNaN(v) {
			t.Errorf("nothing: %v", v)
		}
	}
	if n := ours(touchedPages, r); n < 145_000 || n > 155_000 {
		t.Errorf("%v pages", n)
	}
	drawn := curves([]study.Point{{Figure: "5", At: drawnRatio, Of: bc}}, r)
	if len(drawn) != 1 || len(drawn[0].X) != 64 || drawn[0].Y[0] != 0.75 || drawn[0].Y[63] != 1 {
		t.Errorf("%+v", drawn)
	}
	if curves([]study.Point{{Figure: "5", At: "1:2", Of: bc}}, r) != nil || curves(nil, nil) != nil {
		t.Error("curves of nothing")
	}
}

// asPublished answers every run with what is published.
func asPublished(p *study.Paper) (list []study.Outcome) {
	// What is relative has the value of its own run: 1 for those that it is relative to.
	for _, r := range p.Runs() {
		o := study.Outcome{Run: r.Name, Fits: true, Rebuilt: true}
		for _, x := range p.Of(r.Name) {
			v := x.Value
			at := slices.IndexFunc(p.Points, func(y study.Point) bool {
				return y.Run() == r.Name && y.Figure == x.Figure && y.Quantity == x.Quantity && y.NotComputed == ""
			})
			if at < 0 {
				v = 1
			}
			o.Values = append(o.Values, v)
		}
		list = append(list, o)
	}
	return list
}

// TestSheets draws every figure with what is published as if it were ours: all are at their
// places, and nothing is a gap.
func TestSheets(t *testing.T) {
	p := Paper()
	outcomes := asPublished(p)
	for _, f := range p.Figures {
		some, err := p.Sheet(f.ID, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range some.Drawing.Ours {
			m, u := some.Drawing.Published[i], some.Drawing.Ours[i]
			if !u.Known || !m.Known || math.Abs(m.Y-u.Y) > 1e-9*math.Abs(m.Y) {
				t.Errorf("%s draws %+v where %+v is published", f.ID, u, m)
			}
		}
		for i := range some.Rows {
			if l := &some.Rows[i]; l.Status == study.Gap {
				t.Errorf("%s: %+v is no gap", f.ID, l)
			}
		}
	}
}

// TestCauses finds a recorded gap for every cause: the first that is about a gap explains
// it, and none is there in vain.
func TestCauses(t *testing.T) {
	p := Paper()
	used := make([]bool, len(causes))
	for _, f := range table("gaps.csv") {
		at := slices.IndexFunc(p.Points, func(x study.Point) bool {
			return x.Figure == f[0] && x.System == f[1] && x.Of == f[2] && x.At == f[3] && x.Quantity == f[4]
		})
		if at < 0 {
			t.Errorf("%v is no point", f)
			continue
		}
		x := &p.Points[at]
		for i := range causes {
			if causes[i].match(x) {
				used[i] = used[i] || !doubted(x.Note) || x.Of == dlrm
				break
			}
		}
	}
	for i := range causes {
		if !used[i] {
			t.Errorf("no gap has the cause %+v", causes[i])
		}
	}
}

// TestGaps finds a reason for every recorded gap.
func TestGaps(t *testing.T) { golden.Explained(t, Paper(), table("gaps.csv")) }
