package networks

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/build/golden"
	"spillway/sim/kerneltime"
)

// measured returns the rows of end-to-end measurements that networks of this package
// have, with what was measured.
func measured(t testing.TB) (rows []Row, perSecond []float64) {
	t.Helper()
	for _, cell := range artifact.Table(t, artifact.Data(t, "kernel_times/e2e.csv")) {
		number := func(name string) int64 {
			n, _ := strconv.ParseInt(cell[name], 10, 64)
			return n
		}
		if cell["kind"] == "llm" {
			continue
		}
		rows = append(rows, Row{
			Kind: cell["kind"], GPU: cell["gpu"], Policy: cell["policy"], Layout: cell["layout"], Mode: cell["mode"], Net: cell["net"],
			Batch: number("batch"), Side: number("img"), Sequence: number("seq"), Source: cell["source"],
		})
		v, err := strconv.ParseFloat(cell["per_s_per_gpu"], 64)
		if err != nil {
			t.Fatal(err)
		}
		perSecond = append(perSecond, v)
	}
	return rows, perSecond
}

// A Rate is how fast a row should be.
type Rate struct {
	PerSecond float64 // samples: images or sequences
	Sample    string  // "images" or "sequences"
	Estimate  kerneltime.Estimate
	Note      string // what decides
}

// Rate estimates a row.
func (r *Row) Rate() (Rate, error) {
	g := kerneltime.Find(r.GPU)
	if g == nil {
		return Rate{}, fmt.Errorf("no GPU %q is known", r.GPU)
	}
	l, err := r.Lower()
	if err != nil {
		return Rate{}, err
	}
	e := l.Time(g, r.Processor())
	out := Rate{PerSecond: float64(l.Options.Batch) * 1e12 / float64(e.Time), Sample: l.Network.Sample(), Estimate: e}
	switch e.Bound {
	case kerneltime.Host:
		out.Note = "the processor that starts kernels decides"
	default:
		out.Note = "mostly " + e.Bound.String()
	}
	return out, nil
}

// A spread is how far estimates lie from measurements.
type spread struct{ ratios []float64 }

func (s *spread) String() string {
	var sum float64
	errors := make([]float64, len(s.ratios))
	for i, r := range s.ratios {
		sum += math.Log(r)
		errors[i] = math.Abs(r-1) * 100
	}
	slices.Sort(errors)
	return fmt.Sprintf("%d rows, bias x%.2f, median %.0f %%, 90 %% within %.0f %%, worst %.0f %%", len(errors),
		math.Exp(sum/float64(len(errors))), s.quantile(50), s.quantile(90), errors[len(errors)-1])
}

// quantile is the error in percent that so many percent of rows stay within.
func (s *spread) quantile(percent int) float64 {
	errors := make([]float64, len(s.ratios))
	for i, r := range s.ratios {
		errors[i] = math.Abs(r-1) * 100
	}
	slices.Sort(errors)
	return errors[min(len(errors)-1, len(errors)*percent/100)]
}

// Throughputs agree with published ones. The golden table has every row: on images the
// law's constants were fitted to such rows; nothing was fitted to BERT, of whose two lists
// those of PyTorch 1.8 were chosen; four networks of small batches were fitted.
func TestThroughput(t *testing.T) {
	rows, published := measured(t)
	sets := map[string]*spread{}
	var order []string
	add := func(set string, ratio float64) {
		if sets[set] == nil {
			sets[set] = new(spread)
			order = append(order, set)
		}
		sets[set].ratios = append(sets[set].ratios, ratio)
	}
	var table strings.Builder
	for i, r := range rows {
		rate, err := r.Rate()
		if err != nil {
			t.Errorf("row %d: %v", i+2, err)
			continue
		}
		ratio := rate.PerSecond / published[i]
		add(r.Kind, ratio)
		add(r.Kind+", "+r.GPU, ratio)
		add(r.Kind+", "+r.Policy, ratio)
		fmt.Fprintf(&table, "%s,%s,%s,%s,%s,%d,%d,%d,%.4g,%.4g,%.2f,%d\n", r.GPU, r.Policy, r.Layout, r.Mode, r.Net, r.Batch, r.Side, r.Sequence,
			published[i], rate.PerSecond, ratio, rate.Estimate.Band)
	}
	slices.Sort(order)
	var head strings.Builder
	for _, set := range order {
		fmt.Fprintf(&head, "# %s: %s\n", set, sets[set])
	}
	head.WriteString("gpu,precision,layout,mode,network,batch,side,sequence,published,estimated,ratio,band_percent\n")
	golden.Compare(t, "testdata/throughput.csv", []byte(head.String()+table.String()))
	for _, want := range []struct {
		set          string
		median, most float64 // percent, and what nine of ten stay within
	}{
		{"conv/vit", 8, 20}, {"bert", 16, 32}, {"small batch, host bound", 20, 40},
	} {
		if s := sets[want.set]; s.quantile(50) > want.median || s.quantile(90) > want.most {
			t.Errorf("%s: %s; want a median of %.0f %% and nine of ten within %.0f %%", want.set, s, want.median, want.most)
		}
	}
}

// For every network better GPUs are faster with large batches.
func TestOrderOfGPUs(t *testing.T) {
	for i := range networks {
		n := &networks[i]
		if n.Parameters > 2e9 {
			continue
		}
		for _, p := range []struct {
			precision kerneltime.Precision
			gpus      []string // the fastest first
		}{
			{kerneltime.AMPFP16, []string{"h100-sxm", "a100-sxm-80", "v100-sxm2-16"}},
			{kerneltime.AMPFP16, []string{"rtx-4090", "rtx-3090"}},
			{kerneltime.TF32, []string{"a100-sxm-80", "rtx-3090"}},
		} {
			l := lowered(t, n.Name, Options{Batch: 64, Precision: p.precision})
			for i := range p.gpus[1:] {
				fast, slow := l.Time(kerneltime.Find(p.gpus[i]), kerneltime.Graphs), l.Time(kerneltime.Find(p.gpus[i+1]), kerneltime.Graphs)
				if fast.Time > slow.Time {
					t.Errorf("%s in %s: %v on %s, %v on %s", n.Name, p.precision, fast.Time, p.gpus[i], slow.Time, p.gpus[i+1])
				}
			}
		}
	}
}
