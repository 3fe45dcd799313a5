package g10_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/build/golden"
	"spillway/sim/study"
	paper "spillway/ui/lab/train/papers/g10"
)

// A logged kernel is one line of the artifact's slowdown logs.
type logged struct{ start, end, exec int64 }

// networkFiles are the names that Figure 13's logs begin with.
var networkFiles = map[string]string{
	"bert-base": "BERT_Base", "vit-s-32": "VIT", "inception-v3": "Inceptionv3", "resnet-152": "ResNet152", "senet-154": "SENet154",
}

func logName(t *testing.T, p *paper.Point) string {
	t.Helper()
	policy := strings.TrimSuffix(p.Source[strings.Index(p.Source, "sim_")+4:], ".config")
	return filepath.Join(artifact.Dir(t), "example_results/overall_slowdown_cdf", networkFiles[p.Model]+"-"+policy+".txt")
}

// readLog returns the kernels of both iterations, times from the iteration's
// start, or for FlashNeuron the stall ratios.
func readLog(t *testing.T, name string) (iterations [2][]logged, ratios []float64) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var begin [2]int64
	for s := bufio.NewScanner(strings.NewReader(string(data))); s.Scan(); {
		line := s.Text()
		if !strings.Contains(line, "+") || !strings.Contains(line, ":") {
			if x, err := strconv.ParseFloat(line, 64); err == nil && x >= 0 {
				ratios = append(ratios, x)
			}
			continue
		}
		var it, k int
		var l logged
		if _, err := fmt.Sscanf(line, "%d+%d:[%d,%d](%d", &it, &k, &l.start, &l.end, &l.exec); err != nil {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		if k == 0 {
			begin[it] = l.start
		}
		l.start -= begin[it]
		l.end -= begin[it]
		iterations[it] = append(iterations[it], l)
	}
	return iterations, ratios
}

// TestExtractSlowdowns writes slowdowns.csv from the artifact's logs with
// -update and otherwise checks that it says what the logs say.
func TestExtractSlowdowns(t *testing.T) {
	artifact.Dir(t) // or skip
	var b strings.Builder
	b.WriteString("# Figure 13 of the G10 artifact (commit de2c8c6), from example_results/overall_slowdown_cdf; facts, not the curves.\n" +
		"# Of each log the iteration that the artifact reports (the faster one): the share of kernels that took over 1 % and over\n" +
		"# 10 % longer than ideal, and quantiles of time over ideal time (the sorted kernel at round(q*(kernels-1))).\n" +
		"model,batch,system,config,iteration,slow_1,slow_10,slow_p75,slow_p90,slow_p95,slow_p99,slow_max\n")
	for _, p := range paper.Published() {
		if p.Figure != "12" || p.Quantity != "stall" || !p.Fits {
			continue
		}
		its, ratios := readLog(t, logName(t, &p))
		at, xs := 0, []float64(nil)
		if len(ratios) > 0 {
			for _, x := range ratios {
				xs = append(xs, 1+x)
			}
		} else {
			if last := len(its[0]) - 1; its[1][last].end < its[0][last].end {
				at = 1
			}
			for _, l := range its[at] {
				xs = append(xs, float64(l.end-l.start)/float64(l.exec))
			}
		}
		slices.Sort(xs)
		over := func(limit float64) float64 {
			n := 0
			for _, x := range xs {
				if x > limit {
					n++
				}
			}
			return float64(n) / float64(len(xs))
		}
		fmt.Fprintf(&b, "%s,%d,%s,%s,%d,%v,%v", p.Model, p.Batch, p.System, p.Source, at, over(1.01), over(1.1))
		for _, q := range []float64{0.75, 0.9, 0.95, 0.99, 1} {
			fmt.Fprintf(&b, ",%v", xs[int(math.Round(q*float64(len(xs)-1)))])
		}
		b.WriteString("\n")
	}
	golden.Compare(t, "slowdowns.csv", []byte(b.String()))
}

// TestFigures writes down what every figure draws of the published values,
// and what these values say about the numbers in the paper's text.
func TestFigures(t *testing.T) {
	var b strings.Builder
	p := paper.Paper()
	for _, f := range p.Figures {
		fmt.Fprintf(&b, "Figure %s: %s\n", f.ID, f.Title)
		sheet, err := p.Sheet(f.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sheet.Drawing.Published {
			if !m.Known {
				t.Errorf("Figure %s: %+v is not published", f.ID, m)
			}
			value := fmt.Sprintf("%.6g", m.Y)
			if !m.Fits {
				value = "does not fit"
			}
			fmt.Fprintf(&b, "  %s, %s %s %v: %s\n", m.Panel, m.Series, m.Part, m.X, value)
		}
		for _, c := range p.Claims {
			if c.Figure != f.ID {
				continue
			}
			v, known := c.Published()
			if known == (len(f.Analyses) > 0) {
				t.Errorf("claim %s computed from the values published of Figure %s: %v", c.ID, f.ID, known)
			}
			if known {
				fmt.Fprintf(&b, "  %s: stated %s, published values give %.4f %s: %s\n", c.Text, c.Stated, v, c.Unit, c.Judge(v, paper.ClaimTolerance))
			}
		}
	}
	golden.Compare(t, "testdata/figures.txt", []byte(b.String()))
}

// TestMemory writes down what the analysis of the artifact's workloads says
// about Figures 2, 3 and 4.
func TestMemory(t *testing.T) {
	artifact.Dir(t) // or skip
	folders := map[string]string{"bert-base": "BERT", "vit-s-32": "VIT", "inception-v3": "Inceptionv3", "resnet-152": "ResNet152"}
	p := paper.Paper()
	var outcomes []study.Outcome
	var b strings.Builder
	for _, n := range paper.Studied() {
		w, err := load(fmt.Sprintf("%s/%d-sim_prefetch_lru.config", folders[n.Model], n.Batch))
		if err != nil {
			t.Fatal(err)
		}
		m := paper.MemoryOf(w)
		o, err := paper.Reader.Analyze("lifetimes of "+n.String(), w)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, *o)
		fmt.Fprintf(&b, "%v: peak %v, largest kernel %v, active on average %.3f %%, %d periods from %.6g to %.6g µs, %.2f %% swappable\n",
			n, m.Peak, m.Largest, 100*m.MeanActive, len(m.Periods), m.Periods[0].Micros, m.Periods[len(m.Periods)-1].Micros, 100*m.Swappable)
		if thin := m.Thin(100); len(thin.All) != 100 || len(thin.Periods) != 100 || thin.Periods[99] != m.Periods[len(m.Periods)-1] || slices.Max(thin.All) != slices.Max(m.All) {
			t.Errorf("%v: thinning loses an end", n)
		}
		if m.All[0] <= 0 || slices.Max(m.All) != 1 || slices.Max(m.Active) > 1 {
			t.Errorf("%v: shares out of range", n)
		}
	}
	sheet, err := p.Sheet(study.AllClaims, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range sheet.Claims {
		if c.Known {
			fmt.Fprintf(&b, "Figure %s: %s: stated %s, ours %.4f %s: %s\n", c.Figure, c.Text, c.Stated, c.Ours, c.Unit, c.Verdict)
		}
	}
	golden.Compare(t, "testdata/memory.txt", []byte(b.String()))
}

// TestSlowdowns runs the 18 runs of Figure 13: our quantiles are the published
// ones, and every kernel of the unified-memory systems starts and ends when
// the artifact's log says.
func TestSlowdowns(t *testing.T) {
	artifact.Dir(t) // or skip
	if testing.Short() {
		t.Skip("long")
	}
	points := paper.Slowdowns()
	results := runAll(t, points)
	rows := compare(t, points, results)
	var b strings.Builder
	seen := map[string]bool{}
	for i, p := range points {
		r := results[p.Run()]
		if row := &rows[i]; row.Status != study.Exact {
			fmt.Fprintf(&b, "%s %s %s: %v, ours %v (%+.6f %%) %s\n", p.System, p.Source, p.Quantity, p.Value, row.Ours, 100*row.Diff, row.Status)
		}
		if seen[p.Run()] {
			continue
		}
		seen[p.Run()] = true
		its, ratios := readLog(t, logName(t, &p))
		if len(ratios) > 0 {
			continue
		}
		different := 0
		for k, l := range its[r.Reported] {
			if o := r.Kernels[k]; int64(o.Start) != l.start || int64(o.End) != l.end || int64(o.Ideal) != l.exec {
				different++
			}
		}
		fmt.Fprintf(&b, "%s %s: iteration %d, %d of %d kernels at other times\n", p.System, p.Source, r.Reported, different, len(r.Kernels))
	}
	golden.Compare(t, "testdata/slowdowns.txt", []byte(b.String()))
}
