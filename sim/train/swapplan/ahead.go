package swapplan

import (
	"slices"

	"spillway/sim/train/program"
	"spillway/sim/workload"
)

// CopyAhead returns p with a copy of everything that it evicts, from its last write on: what
// has its copy when it is to leave does so at once, without traffic.
func CopyAhead(w *workload.Workload, p *program.Program) *program.Program {
	n := len(w.Kernels)
	writers := make([][]int, len(w.Tensors))
	for k := range w.Kernels {
		for _, t := range w.Kernels[k].Outputs {
			if list := writers[t]; len(list) == 0 || list[len(list)-1] != k {
				writers[t] = append(list, k)
			}
		}
	}
	type value struct {
		tensor workload.TensorID
		writer int
	}
	copied := map[value]bool{}
	out := &program.Program{Ops: slices.Clone(p.Ops), Rounds: p.Rounds}
	for _, op := range p.Ops {
		list := writers[op.Tensor]
		if op.Kind != program.Evict || len(list) == 0 {
			continue
		}
		at, _ := slices.BinarySearch(list, int(op.At)) // writers before it
		if at == 0 {
			at = len(list) // the last of the iteration before
		}
		v := value{op.Tensor, list[at-1]}
		if !copied[v] {
			copied[v] = true
			out.Ops = append(out.Ops, program.Op{At: workload.KernelID((v.writer + 1) % n), Kind: program.Copy, Tensor: v.tensor, To: op.To})
		}
	}
	Sort(out)
	return out
}
