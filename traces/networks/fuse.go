package networks

import (
	"slices"

	"spillway/sim/kerneltime"
	"spillway/sim/workload"
)

// fusible reports whether torch.compile writes a kernel itself and can join it with its
// neighbours; products, convolutions and attention are libraries' kernels.
func fusible(k *kerneltime.Kernel) bool {
	switch k.Class {
	case kerneltime.Elementwise, kerneltime.Gated, kerneltime.Rotary, kerneltime.Normalization, kerneltime.Copy, kerneltime.Reduction:
		return k.Passes == 0
	}
	return false
}

// fuse joins kernels that follow each other where the later reads what the earlier wrote.
// What is only between them is never in memory.
func (t *tape) fuse() {
	last := make([]int, len(t.w.Tensors)) // kernels that touch a tensor last
	for k := range t.w.Kernels {
		for _, list := range [2][]workload.TensorID{t.w.Kernels[k].Inputs, t.w.Kernels[k].Outputs} {
			for _, id := range list {
				last[id] = k
			}
		}
	}
	kernels, shapes := t.w.Kernels, t.kernels
	t.w.Kernels, t.kernels = nil, nil
	for k := 0; k < len(kernels); {
		end := k + 1
		if fusible(&shapes[k]) {
			written := slices.Clone(kernels[k].Outputs)
			for end < len(kernels) && fusible(&shapes[end]) && overlap(written, kernels[end].Inputs) {
				written = append(written, kernels[end].Outputs...)
				end++
			}
		}
		t.joined(kernels[k:end], shapes[k:end], last, end)
		k = end
	}
	t.compact()
}

func overlap(a, b []workload.TensorID) bool {
	return slices.ContainsFunc(b, func(id workload.TensorID) bool { return slices.Contains(a, id) })
}

// joined launches kernels as one. end is the place after them.
func (t *tape) joined(kernels []workload.Kernel, shapes []kerneltime.Kernel, last []int, end int) {
	if len(kernels) == 1 {
		t.w.Kernels, t.kernels = append(t.w.Kernels, kernels[0]), append(t.kernels, shapes[0])
		return
	}
	var in, out, written []workload.TensorID
	one := kerneltime.Kernel{Class: kerneltime.Elementwise}
	for i := range kernels {
		for _, id := range kernels[i].Inputs {
			if !slices.Contains(written, id) {
				in = append(in, id)
			}
		}
		for _, id := range kernels[i].Outputs {
			written = append(written, id)
			if last[id] >= end || t.w.Tensors[id].Global {
				out = append(out, id)
			}
		}
		if shapes[i].Class == kerneltime.Normalization {
			one.Class, one.Element = kerneltime.Normalization, shapes[i].Element
		}
	}
	if len(in)+len(out) == 0 {
		in = kernels[0].Outputs
	}
	t.kernel("fused_"+kernels[0].Name, one, in, out)
}

// compact drops tensors that no kernel touches.
func (t *tape) compact() {
	to := make([]workload.TensorID, len(t.w.Tensors))
	for i := range to {
		to[i] = none
	}
	var kept []workload.Tensor
	for k := range t.w.Kernels {
		kernel := &t.w.Kernels[k]
		for _, list := range [2][]workload.TensorID{kernel.Inputs, kernel.Outputs} {
			for i, id := range list {
				if to[id] == none {
					to[id] = workload.TensorID(len(kept))
					kept = append(kept, t.w.Tensors[id])
				}
				list[i] = to[id]
			}
		}
		for i := range kernel.Rows {
			kernel.Rows[i].Tensor = to[kernel.Rows[i].Tensor]
		}
	}
	t.w.Tensors = kept
}
