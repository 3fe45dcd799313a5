package buddy

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/sim/compress"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// TestSound checks that every point says what agreement is worth.
func TestSound(t *testing.T) {
	p := Paper()
	for i := range p.Points {
		if x := &p.Points[i]; x.NotComputed == "" && (x.Note == "" && !strings.HasPrefix(x.Figure, "T") && x.Figure != "5b" && x.Figure != "9" || x.Limit <= 0) {
			t.Errorf("%s %s %s: no note on what agreement is worth, or no limit", x.Figure, x.Of, x.At)
		}
	}
}

// TestEveryNumberIsThere compares with a list of what is published, row by row: what
// the list has is a point or a claim, and every point and claim is in the list.
func TestEveryNumberIsThere(t *testing.T) {
	file, err := os.Open("testdata/published.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	p := Paper()
	points, claims := make([]int, len(p.Points)), make([]int, len(p.Claims))
	for _, row := range rows[1:] {
		value, err := strconv.ParseFloat(row[4], 64)
		if err != nil {
			t.Fatal(row, err)
		}
		found := false
		for i := range p.Points {
			x := &p.Points[i]
			if row[0] == "point" && x.Figure == row[1] && x.Of == row[2] && x.At == row[3] && x.Value == value && x.Unit == row[5] {
				points[i]++
				found = true
			}
		}
		for i := range p.Claims {
			c := &p.Claims[i]
			if row[0] == "claim" && c.Figure == row[1] && c.ID == row[2] && value >= c.Lo && value <= c.Hi && c.Unit == row[5] && c.Section == "§"+row[6] {
				claims[i]++
				found = true
			}
		}
		if !found {
			t.Errorf("neither a point nor a claim: %v", row)
		}
	}
	for i, n := range points {
		if n != 1 {
			t.Errorf("%s, %s %s: %d times in the list", p.Points[i].Figure, p.Points[i].Of, p.Points[i].At, n)
		}
	}
	for i, n := range claims {
		if n != 1 {
			t.Errorf("claim %s: %d times in the list", p.Claims[i].ID, n)
		}
	}
}

// outcomesOf analyzes both suites.
func outcomesOf(t *testing.T) func(string) *study.Outcome {
	t.Helper()
	found := map[string]*study.Outcome{}
	for _, name := range []string{"dl", "hpc"} {
		suite, err := compress.FindSuite(name)
		if err != nil {
			t.Fatal(err)
		}
		if found[name], err = analyze(name, suite.Programs()); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) *study.Outcome { return found[name] }
}

// TestClaims holds the verdict on every claim as it is recorded here, those that
// differ among them.
func TestClaims(t *testing.T) {
	outcome := outcomesOf(t)
	p := Paper()
	want := map[string]study.Verdict{
		"metadata": study.Holds, "naive-354.cg": study.Holds, "naive-370.bt": study.Holds, "all-bandwidth": study.Near, "all-200": study.Holds,
		"seismic-150": study.Holds, "dl-50": study.Holds,
		"cg-bandwidth": study.Differs, "ilbdc-bandwidth": study.Differs, "lulesh-bandwidth": study.Differs, "palm-150": study.Differs, "all-50": study.Differs, "spec-50": study.Differs,
	}
	for i := range p.Claims {
		c := &p.Claims[i]
		v, known := c.Value(study.Published, outcome)
		got := c.Judge(v, p.ClaimTolerance)
		t.Logf("%s: %s; here %.3f: %s", c.ID, c.Stated, v, got)
		if !known || got != want[c.ID] {
			t.Errorf("%s: %v, %s; recorded %s", c.ID, known, got, want[c.ID])
		}
		if got == study.Differs && c.Beside == "" {
			t.Errorf("%s differs, and nothing says why", c.ID)
		}
		if _, known := c.Published(); known {
			t.Errorf("%s: the published values are said to give it", c.ID)
		}
	}
}

// TestSweeps checks the curves of the analyses against runs.
func TestSweeps(t *testing.T) {
	outcome := outcomesOf(t)
	find := func(run, chart, by, name string) (xs, ys []float64) {
		t.Helper()
		for _, c := range outcome(run).Curves {
			if c.Chart == chart && c.By == by && c.Name == name {
				return c.X, c.Y
			}
		}
		t.Fatalf("no curve %s, %s, %s", chart, by, name)
		return nil, nil
	}
	at := func(xs, ys []float64, x float64) float64 {
		t.Helper()
		k := slices.Index(xs, x)
		if k < 0 {
			t.Fatalf("nothing at %g of %v", x, xs)
		}
		return ys[k]
	}
	// AlexNet's two points are on its curve, to half a point.
	xs, ys := find("dl", "11", "AlexNet", buddySeries)
	for _, s := range Slowdowns("alexnet") {
		if got := at(xs, ys, float64(s.Link/unit.GBps)); math.Abs(got-s.Percent) > 0.5 {
			t.Errorf("AlexNet at %v: %.2f %%, published %.1f", s.Link, got, s.Percent)
		}
	}
	if len(Slowdowns("alexnet")) != 2 || len(Slowdowns("dl")) != 1 || len(Slowdowns("vgg16")) != 0 {
		t.Error("not the published slowdowns")
	}
	// A larger threshold never takes memory away, and HPC hardly changes.
	for _, run := range []string{"dl", "hpc"} {
		_, r := find(run, "9", ratios, suiteTitles[run])
		_, a := find(run, "9", accesses, suiteTitles[run])
		if !slices.IsSorted(r) || !slices.IsSorted(a) || len(r) != len(thresholds) {
			t.Errorf("%s: ratios %v, accesses %v", run, r, a)
		}
		if usual := a[slices.Index(thresholds, 30)]; run == "hpc" && usual > 0.1 {
			t.Errorf("HPC needs the buddy memory for %.2f %%", usual)
		}
	}
	// Accesses that follow each other miss once a line of 256 entries, those of palm as
	// far as a quarter of them reaches.
	xs, ys = find("hpc", "5b", hpc, "8 programs whose accesses follow each other")
	if got := at(xs, ys, 128); math.Abs(got-100*255./256) > 1e-9 {
		t.Errorf("%.3f %% of the metadata are in the cache", got)
	}
	xs, ys = find("hpc", "5b", hpc, "351.palm")
	reach := 1024. * 1024 * 256 / (0.62 * 2.89e9)
	if got, want := at(xs, ys, 1024), 75*255./256+25*reach; math.Abs(got-want) > 1e-6 {
		t.Errorf("%.4f %% of palm's metadata are in the cache, want %.4f", got, want)
	}
	if !slices.IsSorted(ys) {
		t.Error("a larger cache has less")
	}
	if _, err := analyze("other", nil); err == nil {
		t.Error("an analysis that is not there")
	}
}

// TestGaps takes a recorded gap, and none that is not as recorded.
func TestGaps(t *testing.T) {
	p := Paper()
	at := slices.IndexFunc(p.Points, func(x study.Point) bool { return x.Of == hpc && x.Quantity == "slowdown_percent" })
	row := study.Row{Point: &p.Points[at], Status: study.Gap}
	for _, tt := range []struct {
		ours float64
		want bool
	}{{-3, true}, {-2.996, true}, {-3.1, false}, {4, false}} {
		row.Ours = tt.ours
		if got := why(&row) != ""; got != tt.want {
			t.Errorf("%g: explained %v", tt.ours, got)
		}
	}
	// A gap that nobody has recorded is not explained by what the contents are fitted to.
	row.Point = &p.Points[0]
	if text := why(&row); text != "" {
		t.Error(text)
	}
	row.Status = study.Within
	if text := why(&row); text != fitted {
		t.Error(text)
	}
}
