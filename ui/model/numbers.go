package model

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// Text forms of numbers. They are for people; nothing computes with them.

// digits prints x with about n significant digits and no exponent.
func digits(x float64, n int) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	d := max(0, n-1-int(math.Floor(math.Log10(math.Abs(x)))))
	s := strconv.FormatFloat(x, 'f', d, 64)
	if d > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// fixed prints x with d decimals.
func fixed(x float64, d int) string { return strconv.FormatFloat(x, 'f', d, 64) }

// percent prints part of whole.
func percent(part, whole float64) string {
	if whole == 0 {
		return "0 %"
	}
	return digits(100*part/whole, 3) + " %"
}

// count prints an integer with thin spaces between thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// seconds converts cycles of r's clock.
func seconds(r *result.Result, c unit.Cycles) float64 {
	return float64(c) / float64(r.Clock)
}

// gib converts bytes to GiB.
func gib(b unit.Bytes) float64 { return float64(b) / float64(unit.GiB) }

// gb converts bytes to decimal gigabytes.
func gb(b unit.Bytes) float64 { return float64(b) / float64(unit.GB) }

// span prints a duration given in seconds.
func span(s float64) string {
	switch a := math.Abs(s); {
	case a == 0:
		return "0 s"
	case a >= 1:
		return digits(s, 4) + " s"
	case a >= 1e-3:
		return digits(s*1e3, 4) + " ms"
	default:
		return digits(s*1e6, 4) + " µs"
	}
}

// performance is throughput relative to a GPU that holds everything: 1 is as fast.
func performance(r *result.Result) float64 {
	if t := r.Time(); t > 0 {
		return float64(r.Ideal) / float64(t)
	}
	return 0
}

// slowdowns returns every kernel's time over its ideal time, smallest first.
func slowdowns(r *result.Result) []float64 {
	xs := make([]float64, 0, len(r.Kernels))
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.Ideal > 0 {
			xs = append(xs, float64(k.End-k.Start)/float64(k.Ideal))
		}
	}
	slices.Sort(xs)
	return xs
}

// quantile of sorted xs, q from 0 to 1, the nearest one that exists.
func quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	return xs[int(math.Round(q*float64(len(xs)-1)))]
}

// peak returns the most GPU and host memory in use at the end of any kernel.
func peak(r *result.Result) (gpu, host unit.Bytes) {
	for i := range r.Kernels {
		gpu, host = max(gpu, r.Kernels[i].GPU), max(host, r.Kernels[i].Host)
	}
	return gpu, host
}
