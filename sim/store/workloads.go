package store

import (
	"fmt"
	"strings"
	"unicode"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// FromWorkloads lets training workloads use the store, each as a client that
// comes at its offset and trains for so many iterations. A kernel's inputs are
// got and its outputs created, or got if they live already; its time is the
// client's thinking; then what is used again is put, with the true number and
// the undisturbed time of its next get, and all else freed. Weights and
// optimizer state are created at their first use and freed after their last;
// in between they are put after every kernel like all others.
func FromWorkloads(ws []*workload.Workload, offset []unit.Time, iterations int) (*ops.Trace, error) {
	if len(ws) != len(offset) {
		return nil, fmt.Errorf("%d workloads have %d offsets", len(ws), len(offset))
	}
	if iterations < 1 {
		return nil, fmt.Errorf("%d iterations; want 1 or more", iterations)
	}
	var scripts []*ops.Script
	for i, w := range ws {
		name := w.Model
		if name == "" {
			name = w.Name
		}
		s := &ops.Script{Client: label(fmt.Sprintf("%d ", i+1) + name)}
		s.Think(offset[i])
		if err := train(s, w, iterations); err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		scripts = append(scripts, s)
	}
	return ops.Join(scripts...)
}

// train writes the operations of one client.
func train(s *ops.Script, w *workload.Workload, iterations int) error {
	id := make([]int32, len(w.Tensors))
	last := make([]int, len(w.Tensors)) // kernel of the last use in an iteration
	for i := range w.Tensors {
		// The number makes names unique that were not, or were cut.
		id[i] = s.Tensor(label(fmt.Sprintf("%d ", i) + w.Tensors[i].Name))
	}
	var set []workload.TensorID
	for k := range w.Kernels {
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			last[t] = k
		}
	}
	alive := make([]bool, len(w.Tensors))
	for n := range iterations {
		for k := range w.Kernels {
			set = w.WorkingSet(set[:0], workload.KernelID(k))
			if s.Len()+2*len(set) > ops.MaxOps {
				return fmt.Errorf("%d iterations are more than %d operations", iterations, ops.MaxOps)
			}
			for _, t := range set {
				if alive[t] {
					s.Add(ops.Get, id[t], 0)
				} else {
					s.Add(ops.Create, id[t], w.Tensors[t].Bytes)
				}
				alive[t] = true
			}
			s.Think(w.Kernels[k].Time)
			for _, t := range set {
				if last[t] > k || w.Tensors[t].Global && n+1 < iterations {
					s.Add(ops.Put, id[t], 0)
				} else {
					s.Add(ops.Free, id[t], 0)
					alive[t] = false
				}
			}
		}
	}
	s.Foretell()
	return nil
}

// label makes a name that a trace can have: no control characters, at most 64 bytes.
func label(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	if len(s) > ops.MaxName {
		s = strings.ToValidUTF8(s[:ops.MaxName], "")
	}
	return s
}
