package kerneltime

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// An Agreement is how measurements of one class of kernels on one GPU, or of whole networks,
// agree with the law.
type Agreement struct {
	GPU   string // its key
	Class string // [Class.Word], or what networks the rows are of
	Rows  int64
	// Factor is the median of measured time over estimated, in thousandths: with it as the
	// class's calibration half of the rows are faster and half slower than estimated.
	Factor int64
	// Median and Nine are how far off half and nine of ten of the estimates are at most, in
	// percent, and Inside how many rows lie inside the estimates' band.
	Median, Nine, Inside int64
	// Kernels is false of whole networks, which no class can mend.
	Kernels bool
}

// Agree says how times agree that a GPU and class have: longer is each row's measured time over
// its estimate, inside how many of them lie inside the band.
func Agree(gpu, class string, kernels bool, longer []float64, inside int64) Agreement {
	slices.Sort(longer)
	off := make([]float64, len(longer))
	for i, x := range longer {
		off[i] = math.Abs(1/x - 1) // the estimate over what was measured
	}
	slices.Sort(off)
	n := len(longer)
	percent := func(x float64) int64 { return int64(math.Round(x * 100)) }
	return Agreement{
		GPU: gpu, Class: class, Rows: int64(n), Inside: inside, Kernels: kernels,
		Factor: int64(math.Round(1000 * longer[n/2])), Median: percent(off[n/2]), Nine: percent(off[min(n-1, n*9/10)]),
	}
}

// Mend is the calibration of a GPU that agreements of its kernels call for, and of how many rows
// it is made. A class of fewer than three rows says nothing.
func Mend(gpu string, list []Agreement) (c Calibration, rows int64) {
	for i := range list {
		a := &list[i]
		if a.GPU != gpu || !a.Kernels || a.Rows < 3 {
			continue
		}
		for k := range calibrated {
			if calibrated[k].word != a.Class {
				continue
			}
			rows += a.Rows
			for _, class := range calibrated[k].of {
				c[class] = min(max(a.Factor, LeastFactor), MostFactor)
			}
		}
	}
	return c, rows
}

// Mostly is the GPU that most rows of kernels are of, empty where there are none.
func Mostly(list []Agreement) string {
	rows := map[string]int64{}
	for i := range list {
		if list[i].Kernels {
			rows[list[i].GPU] += list[i].Rows
		}
	}
	most := ""
	for gpu, n := range rows {
		if d := cmp.Compare(n, rows[most]); most == "" || d > 0 || d == 0 && strings.Compare(gpu, most) < 0 {
			most = gpu
		}
	}
	return most
}
