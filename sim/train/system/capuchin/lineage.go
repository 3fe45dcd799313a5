package capuchin

import (
	"slices"

	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A lineage knows which kernel wrote every value of every tensor.
type lineage struct {
	w       *workload.Workload
	life    *vitality.Analysis
	writers [][]int32 // kernels that write a tensor, ascending
	pure    []bool    // kernels whose results depend on nothing but tensors of the iteration
}

func newLineage(w *workload.Workload) *lineage {
	l := &lineage{w: w, life: vitality.Analyze(w), writers: make([][]int32, len(w.Tensors)), pure: make([]bool, len(w.Kernels))}
	for k := range w.Kernels {
		// What has no input reads it from elsewhere, as training data; what writes a
		// global that others see would do so twice.
		l.pure[k] = len(w.Kernels[k].Inputs) > 0
		for _, t := range w.Kernels[k].Outputs {
			l.writers[t] = append(l.writers[t], int32(k))
			if w.Tensors[t].Global && !l.private(t) {
				l.pure[k] = false
			}
		}
	}
	return l
}

// private reports whether t is a statistic that one kernel alone uses: when that runs
// again nobody sees what it makes of it.
func (l *lineage) private(t workload.TensorID) bool {
	return l.w.Tensors[t].Global && len(l.life.Uses(t)) == 1
}

// before returns the last kernel before k that writes t, or -1.
func (l *lineage) before(t workload.TensorID, k int) int {
	list := l.writers[t]
	i, _ := slices.BinarySearch(list, int32(k))
	if i == 0 {
		return -1
	}
	return int(list[i-1])
}

// alive reports whether t has a value when kernel k begins that somebody will read.
func (l *lineage) alive(t workload.TensorID, k int) bool {
	return l.w.Tensors[t].Global || int(l.life.Birth[t]) < k && k < int(l.life.Death[t])
}

// reads reports whether kernel k reads t.
func (l *lineage) reads(k int, t workload.TensorID) bool {
	return slices.Contains(l.w.Kernels[k].Inputs, t)
}
