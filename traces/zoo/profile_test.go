package zoo

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spillway/build/artifact"
	"spillway/build/golden"
	"spillway/sim/unit"
	"spillway/traces/g10"
)

// cold separates kernels that the profiler timed cold from warm ones: between
// them lies a gap.
const cold = 50 * unit.Millisecond

// TestProfile compares the as-paper times of the five networks with the files
// they model, for every batch the artifact has, and keeps the errors as golden
// text: sums of one iteration, R2 over all kernels, the median relative error
// of a kernel, and how many of the three products of convolutions are rightly
// called cold or warm.
func TestProfile(t *testing.T) {
	results := filepath.Join(artifact.Dir(t), "results")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-12s %5s %11s %11s %7s %6s %6s %7s %7s %7s\n",
		"model", "batch", "measured/ms", "modeled/ms", "error%", "R2", "median%", "fwd%", "input%", "weight%")
	for _, p := range published {
		for _, batch := range profiledBatches(t, filepath.Join(results, p.results)) {
			w, err := Build(p.model, batch, AsPaper())
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(results, p.results, g10.ResultName(batch, g10.TimesFile))
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := g10.ParseTimes(g10.File{Name: name, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]unit.Time, len(w.Kernels))
			names := make([]string, len(w.Kernels))
			for i := range w.Kernels {
				got[i], names[i] = w.Kernels[i].Time, w.Kernels[i].Name
			}
			text, off := quality(got, want)
			fmt.Fprintf(&b, "%-12s %5d %s", p.model, batch, text)
			if within := float64(comparisons[p.model].within); math.Abs(off) > within {
				t.Errorf("%s, batch %d: %+.1f %% off; Explain promises %.0f %%", p.model, batch, off, within)
			}
			for _, kernel := range []string{"Conv2d_Forward", "Conv2d_Backward_Input", "Conv2d_Backward_Weight"} {
				fmt.Fprintf(&b, " %7s", hits(kernel, names, got, want))
			}
			b.WriteByte('\n')
		}
	}
	golden.Compare(t, "testdata/profile.golden", b.Bytes())
}

// profiledBatches lists the batch sizes of a folder of results.
func profiledBatches(t *testing.T, folder string) []int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "cudnn*.txt"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no results: %v", folder, err)
	}
	var batches []int
	for _, name := range names {
		if batch, role, ok := g10.SplitName(name); ok && role == g10.TimesFile {
			batches = append(batches, batch)
		}
	}
	slices.Sort(batches)
	return batches
}

// quality formats sums, their difference in percent, R2 and the median relative
// error. It returns the difference, too.
func quality(got, want []unit.Time) (text string, off float64) {
	var sum, ideal, rest, spread float64
	for i := range want {
		sum += ms(got[i])
		ideal += ms(want[i])
	}
	mean := ideal / float64(len(want))
	relative := make([]float64, len(want))
	for i := range want {
		d := ms(got[i]) - ms(want[i])
		m := ms(want[i]) - mean
		rest, spread = rest+float64(d*d), spread+float64(m*m)
		relative[i] = math.Abs(d) / ms(want[i])
	}
	slices.SortFunc(relative, cmp.Compare[float64])
	off = 100 * (sum/ideal - 1)
	return fmt.Sprintf("%11.1f %11.1f %+7.1f %6.3f %7.1f",
		ideal, sum, off, 1-rest/spread, 100*relative[len(relative)/2]), off
}

// hits formats how many kernels are on the right side of cold.
func hits(kernel string, names []string, got, want []unit.Time) string {
	n, right := 0, 0
	for i, name := range names {
		if name == kernel {
			n++
			if (got[i] > cold) == (want[i] > cold) {
				right++
			}
		}
	}
	if n < 2 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(right)/float64(n))
}

func ms(t unit.Time) float64 { return float64(t) / float64(unit.Millisecond) }
