package g10

import (
	_ "embed"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/train/machine"
	"spillway/sim/train/result"
)

//go:embed slowdowns.csv
var slowdownsCSV string

// quantiles are the metrics of Figure 13's curves, and where on them they are.
var quantiles = [...]struct {
	metric string
	at     float64
}{{"slow_p75", 0.75}, {"slow_p90", 0.90}, {"slow_p95", 0.95}, {"slow_p99", 0.99}, {"slow_max", 1}}

func quantileOf(metric string) (at float64, ok bool) {
	for _, q := range quantiles {
		if q.metric == metric {
			return q.at, true
		}
	}
	return 0, false
}

// Slowdowns returns what the study keeps of Figure 13's published curves, as
// points: the share of kernels slowed by more than 1 % and by more than 10 %,
// and quantiles of kernel time over ideal time.
func Slowdowns() []Point {
	r := csv.NewReader(strings.NewReader(slowdownsCSV))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic("study: slowdowns.csv: " + err.Error())
	}
	g := machine.G10()
	var points []Point
	for _, f := range rows[1:] {
		for i, metric := range rows[0][5:] {
			p := Point{
				Figure: "13", Metric: metric, Model: f[0], Batch: int(integer(f[1])), System: f[2], Config: f[3], HostGiB: 128,
				Link: g.GPULink, SSD: g.SSDRead, Seed: 1, Fits: true, Unit: "×",
			}
			if _, ok := quantileOf(metric); !ok {
				p.Unit = "share"
			}
			if p.Value, err = strconv.ParseFloat(f[5+i], 64); err != nil {
				panic("study: slowdowns.csv: " + err.Error())
			}
			points = append(points, p)
		}
	}
	return points
}

// All returns every published number that figures show: Published, with
// Slowdowns where Figure 13 belongs.
func All() []Point {
	ps := append(Published(), Slowdowns()...)
	slices.SortStableFunc(ps, func(a, b Point) int { return order(a.Figure) - order(b.Figure) })
	return ps
}

func order(figure string) int { return int(integer(figure)) }

// An Outcome is what one simulation says about the points that share it. It is
// small, whatever the number of kernels.
type Outcome struct {
	Run    string // as Point.Run
	Fits   bool
	Reason string    // why not
	Values []float64 // by point, in the order of Of(Run); empty if it does not fit
	// Curve holds, for a run of Figure 13, the slowdowns of the worst quarter
	// of the kernels: the quantiles from 0.75 to 1 in equal steps.
	Curve []float64
}

// Of returns the points of the run with this name, in the order of All.
func Of(run string) []Point {
	return slices.DeleteFunc(All(), func(p Point) bool { return p.Run() != run })
}

// curveSteps is the number of steps of Outcome.Curve.
const curveSteps = 100

// Measure extracts from r, the result of the run that points share, what they
// publish.
func Measure(points []Point, r *result.Result) *Outcome {
	o := &Outcome{Run: points[0].Run(), Fits: r.Fits, Reason: r.Reason}
	if !r.Fits {
		return o
	}
	for i := range points {
		o.Values = append(o.Values, points[i].Ours(r))
	}
	if slices.ContainsFunc(points, func(p Point) bool { return p.Figure == "13" }) {
		xs := Slowdown(r)
		for k := range curveSteps + 1 {
			o.Curve = append(o.Curve, quantile(xs, 0.75+0.25*float64(k)/curveSteps))
		}
	}
	return o
}

// Slowdown returns every kernel's time over its ideal time in the reported
// iteration, smallest first.
func Slowdown(r *result.Result) []float64 {
	xs := make([]float64, len(r.Kernels))
	for i := range r.Kernels {
		k := &r.Kernels[i]
		xs[i] = float64(k.End-k.Start) / float64(k.Ideal)
		if single(r) { // printed as the stall's share, with six digits, small ones as 0
			x := float64(k.End-k.Start-k.Ideal) / float64(k.Ideal)
			if x < 1e-4 {
				x = 0
			}
			xs[i] = 1 + six(x)
		}
	}
	slices.Sort(xs)
	return xs
}

// six rounds x to the six digits the artifact prints.
func six(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return x
}

// slowed computes a metric of Figure 13 from sorted slowdowns.
func slowed(metric string, xs []float64) float64 {
	if at, ok := quantileOf(metric); ok {
		return quantile(xs, at)
	}
	limit := 1.01
	if metric == "slow_10" {
		limit = 1.1
	}
	i, _ := slices.BinarySearch(xs, math.Nextafter(limit, 2))
	return float64(len(xs)-i) / float64(len(xs))
}

// quantile returns the element of sorted xs at share q.
func quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	return xs[int(math.Round(q*float64(len(xs)-1)))]
}

// Reconstruction is the tolerance for bundled workloads: their networks are
// rebuilt and their kernel times come from a model of the paper's profile.
const Reconstruction = 0.25

// Rows compares the outcome with the points of its run. With reconstructed
// workloads a point is Within up to Reconstruction, and the parts of a sum are
// measured against the sum: time by activity against the iteration, traffic
// by link and direction against all traffic.
func (o *Outcome) Rows(points []Point, reconstructed bool) []Row {
	rows := make([]Row, len(points))
	for i, p := range points {
		ours := 0.0
		if o.Fits {
			ours = o.Values[i]
		}
		rows[i] = judge(p, ours, o.Fits, o.Reason)
		if !reconstructed || !p.Fits || !o.Fits {
			continue
		}
		r := &rows[i]
		if r.Status, r.Why = Within, "reconstruction: modelled kernel times"; math.Abs(r.Ours-r.Value) > Reconstruction*scale(&p, points) {
			r.Status = Gap
		}
	}
	return rows
}

// sums are the metrics that are parts of the same whole.
var sums = [...][]string{{"compute", "overlap", "stall"}, {"ssd_in", "ssd_out", "host_in", "host_out"}}

// scale is what a difference from p is measured against.
func scale(p *Point, points []Point) float64 {
	for _, parts := range sums {
		if !slices.Contains(parts, p.Metric) {
			continue
		}
		whole := 0.0
		for i := range points {
			if points[i].Figure == p.Figure && slices.Contains(parts, points[i].Metric) {
				whole += points[i].Value
			}
		}
		return whole
	}
	return p.Value
}
