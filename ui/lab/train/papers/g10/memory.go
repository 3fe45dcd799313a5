package g10

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A Need is a workload that Figures 2, 3 and 4 analyze, by model and batch.
type Need struct {
	Model string
	Batch int
}

// studied are the workloads of Figures 2, 3 and 4.
var studied = []Need{{"bert-base", 128}, {"vit-s-32", 512}, {"resnet-152", 512}, {"inception-v3", 512}}

// Studied returns the workloads of Figures 2, 3 and 4.
func Studied() []Need { return studied }

// String names the workload as the paper does: "BERT-128".
func (n Need) String() string { return Network(n.Model, n.Batch) }

// Convolutional reports whether the workload is one of the convolutional networks.
func (n Need) Convolutional() bool { return n.Model != "bert-base" && n.Model != "vit-s-32" }

// analysis names the run that analyzes the workload.
func (n Need) analysis() string { return "lifetimes of " + n.String() }

// analyses returns the runs of Figures 2, 3 and 4.
func analyses() []study.Run {
	var runs []study.Run
	for _, n := range studied {
		runs = append(runs, study.Run{Name: n.analysis(), Set: is(n.Model, n.Batch) + mode, Workload: is(n.Model, n.Batch)})
	}
	return runs
}

// workloads returns the names of the workloads of Figures 2, 3 and 4.
func workloads() []string {
	var names []string
	for _, n := range studied {
		names = append(names, n.String())
	}
	return names
}

// The values of an analysis, in their order in study.Outcome.Values.
const (
	MeanActive = iota // Memory.MeanActive, a share
	Largest           // Memory.Largest, in bytes
	Over100ms         // Memory.Over100ms, a share
	Over10s           // Memory.Over10s, a share
	Swappable         // Memory.Swappable, a share
	Longest           // the longest inactive period, in µs
)

// The series of Figures 2 and 4.
const (
	allTensors, activeTensors = "All tensors", "Active tensors"
	periodDots                = "Inactive period"
)

// mostDrawn is how many values of a curve Figures 2 to 4 draw.
const mostDrawn = 700

// analyze computes what Figures 2, 3 and 4 show of one workload.
func analyze(run string, w *workload.Workload) (*study.Outcome, error) {
	at := slices.IndexFunc(studied, func(n Need) bool { return n.analysis() == run })
	if at < 0 {
		return nil, fmt.Errorf("g10: there is no analysis %q", run)
	}
	name := studied[at].String()
	m := MemoryOf(w)
	o := &study.Outcome{Run: run, Fits: true, Values: []float64{m.MeanActive, float64(m.Largest), m.Over100ms, m.Over10s, m.Swappable, 0}}
	if n := len(m.Periods); n > 0 {
		o.Values[Longest] = m.Periods[n-1].Micros
	}
	m = m.Thin(mostDrawn)
	kernels := func(series string, shares []float64) report.Curve {
		c := report.Curve{Chart: "2", By: name, Name: series}
		for i, x := range shares {
			c.X, c.Y = append(c.X, 100*float64(i)/float64(len(shares))), append(c.Y, 100*x)
		}
		return c
	}
	lengths, sizes := report.Curve{Chart: "3", Name: name}, report.Curve{Chart: "4", By: name, Name: periodDots}
	for i, p := range m.Periods {
		lengths.X, lengths.Y = append(lengths.X, 100*float64(i)/float64(max(1, len(m.Periods)-1))), append(lengths.Y, p.Micros)
		sizes.X, sizes.Y = append(sizes.X, p.Micros), append(sizes.Y, float64(p.Bytes))
	}
	o.Curves = []report.Curve{kernels(allTensors, m.All), kernels(activeTensors, m.Active), lengths, sizes}
	return o, nil
}

// A Period is an inactive period as Figures 3 and 4 show it.
type Period struct {
	Micros float64    // how long the tensor is not used
	Bytes  unit.Bytes // its size
}

// A Memory is what Figures 2, 3 and 4 show of one workload.
type Memory struct {
	// All and Active are, by kernel, the memory of the living tensors and of
	// the tensors the kernel uses, as shares of the largest All, after running
	// maxima over 6 and 12 kernels.
	All, Active []float64
	Peak        unit.Bytes // the largest All
	Largest     unit.Bytes // the largest Active
	MeanActive  float64    // of the kernels' unsmoothed Active, as a share of Peak
	Periods     []Period   // shortest first
	Over100ms   float64    // share of the periods that last longer than 10⁵ µs
	Over10s     float64    // the same for 10⁷ µs
	// Swappable is the share of the periods in which the tensor can leave to an
	// SSD with the paper's bandwidth and come back.
	Swappable float64
}

// swapRate is the SSD bandwidth of the G10 paper's Table 2, in bytes a
// microsecond, and swapLatency its latency in microseconds.
const (
	swapRate    = 3200
	swapLatency = 20
)

// MemoryOf analyzes w.
func MemoryOf(w *workload.Workload) *Memory {
	a := vitality.Analyze(w)
	all, active := a.Live(w), a.Active(w)
	m := &Memory{}
	for k := range all {
		// The artifact counts tensor 0 twice (quirk double-input).
		all[k] += w.Tensors[0].Bytes.Aligned()
		m.Peak, m.Largest = max(m.Peak, all[k], active[k]), max(m.Largest, active[k])
	}
	for k := range active {
		m.MeanActive += float64(active[k]) / float64(m.Peak) / float64(len(active))
	}
	m.All, m.Active = running(all, 6, m.Peak), running(active, 12, m.Peak)
	m.Periods = periods(w, a)
	able := 0
	for _, g := range m.Periods {
		if g.Micros >= 2*(float64(g.Bytes)/swapRate+swapLatency) {
			able++
		}
	}
	m.Over100ms, m.Over10s = longer(m.Periods, 1e5), longer(m.Periods, 1e7)
	m.Swappable = share(able, len(m.Periods))
	return m
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// running returns the maximum over each kernel and the n-1 before it, as a
// share of peak.
func running(xs []unit.Bytes, n int, peak unit.Bytes) []float64 {
	out := make([]float64, len(xs))
	for k := range xs {
		out[k] = float64(slices.Max(xs[max(0, k-n+1):k+1])) / float64(peak)
	}
	return out
}

// periods returns the inactive periods with the noise-free kernel times.
func periods(w *workload.Workload, a *vitality.Analysis) []Period {
	clock := make([]unit.Time, len(w.Kernels)+1)
	for k := range w.Kernels {
		clock[k+1] = clock[k] + w.Kernels[k].Time
	}
	gs := make([]Period, len(a.Periods))
	for i, p := range a.Periods {
		length := clock[p.End] - clock[p.Start]
		if p.Wraps {
			length += clock[len(w.Kernels)]
		}
		gs[i] = Period{float64(length) / float64(unit.Microsecond), w.Tensors[p.Tensor].Bytes}
	}
	slices.SortStableFunc(gs, func(a, b Period) int { return cmp.Compare(a.Micros, b.Micros) })
	return gs
}

// longer returns the share of the periods that last longer than micros.
func longer(ps []Period, micros float64) float64 {
	n := 0
	for _, p := range ps {
		if p.Micros > micros {
			n++
		}
	}
	return share(n, len(ps))
}

// Thin returns m with at most most values in each list, for drawing: maxima of
// neighboring kernels, every so many periods. Both ends of the periods stay.
func (m *Memory) Thin(most int) *Memory {
	t := *m
	t.All, t.Active = thinMax(m.All, most), thinMax(m.Active, most)
	if n := len(m.Periods); n > most {
		t.Periods = make([]Period, most)
		for i := range t.Periods {
			t.Periods[i] = m.Periods[int(math.Round(float64(i)*float64(n-1)/float64(most-1)))]
		}
	}
	return &t
}

func thinMax(xs []float64, most int) []float64 {
	if len(xs) <= most {
		return xs
	}
	out := make([]float64, most)
	for i := range out {
		out[i] = slices.Max(xs[i*len(xs)/most : (i+1)*len(xs)/most])
	}
	return out
}
