// Package superneurons keeps what is dear to compute, in a cache that host memory
// backs, and computes the rest again.
//
// Source: SuperNeurons (Wang et al., PPoPP 2018) and its public code.
//
// Model: three techniques on top of each other. Liveness: what nobody needs any more is
// freed. Tensor cache: what checkpoint layers write (convolutions, fully connected
// layers, joins and forks) stays on the GPU until room is needed; then what was used
// longest ago leaves for host memory. In the backward pass it comes back at the
// convolution before the layer that needs it. Cost-aware recomputation: what other layers
// write (activations, normalisation, pooling, dropout, softmax) is given up in the
// forward pass, and replayed from the checkpoint before it. A segment between two
// checkpoints whose replay takes no more memory than the largest layer of the backward
// pass needs is replayed once and stays (speed-centric); of another each value is given
// up again as soon as a kernel has used it (memory-centric).
//
// Parameters: none of its own but [system.Spare].
//
// Departures from the paper:
//
//  1. A layer is a kernel of the forward pass, known by its name; kernels with other
//     names are checkpoints. A tensor that a checkpoint and another layer write in
//     place is a checkpoint's.
//  2. Convolution algorithms and workspaces are not chosen: a kernel has one time.
//  3. Memory is bytes: the paper's pool of blocks does not fragment either, it says.
//  4. What is less than a sixteenth of the largest tensor that its layer writes stays.
//  5. In graphs that branch a replay also runs what it needs besides its segment, if
//     that was given up.
//  6. When host memory is full, what leaves goes to the SSD, as with every system
//     here; the paper has none.
package superneurons

import (
	"slices"
	"strings"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// System is SuperNeurons.
var System = system.System{
	Name:   "superneurons",
	Title:  "SuperNeurons",
	Paper:  "SuperNeurons (PPoPP 2018)",
	About:  "Outputs of convolutions and the like are cached on the GPU and backed by host memory; the rest is computed again. Built from the paper and its public code.",
	Note:   "SuperNeurons chooses no convolution algorithms here: a kernel has one time.",
	Family: "DeepUM's comparison",
	Off:    true, Recomputes: true,
	Look:   18,
	Quirks: swap.Quirks,
	Params: []*system.Param{&system.Spare},
	Plan:   plan,
	Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{Swapper: cache}
	},
}

// cache follows the program; what needs room takes that of the data used longest ago.
func cache(r *swap.Run) (swap.Swapper, error) {
	f := swap.NewFollower(r)
	f.Room = func(need unit.Bytes) (leave []workload.TensorID) {
		free := r.FreeBytes()
		for t := range r.Oldest() {
			if r.Workload.Tensors[t].Global {
				continue
			}
			leave = append(leave, t)
			if free += r.Block(t); free >= need {
				break
			}
		}
		return leave
	}
	return f, nil
}

func plan(w *workload.Workload, m *machine.Machine, _ *system.Options) (*program.Program, error) {
	l := swapplan.LoadOf(w)
	if err := l.Fits(m.GPUMemory); err != nil {
		return nil, err
	}
	back := l.Backward()
	cheap := cheapTensors(w, back)
	p := &program.Program{}
	var segment []swapplan.Saved // given up, since the last checkpoint
	next := 0                    // of the checkpoints
	checkpoints := checkpoints(w, back)
	end := func() {
		p.Ops = append(p.Ops, replay(l, segment, peak(l, back))...)
		segment = segment[:0]
	}
	for _, s := range l.Saved(back) {
		for ; next < len(checkpoints) && checkpoints[next] <= s.Writer; next++ {
			end()
		}
		if cheap[s.Tensor] {
			if small(l, s) {
				continue
			}
			segment = append(segment, s)
		} else if at, ok := before(w, back, s); ok {
			p.Ops = append(p.Ops, program.Op{At: at, Kind: program.Prefetch, Tensor: s.Tensor})
		}
	}
	end()
	swapplan.Sort(p)
	return p, nil
}

// others are parts of names of layers that are no checkpoints.
var others = []string{"norm", "relu", "gelu", "tanh", "sigmoid", "softmax", "dropout", "pool", "lrn"}

// isCheckpoint reports whether kernel k's layer is one, by its name.
func isCheckpoint(w *workload.Workload, k workload.KernelID) bool {
	name := strings.ToLower(w.Kernels[k].Name)
	return !slices.ContainsFunc(others, func(s string) bool { return strings.Contains(name, s) })
}

// cheapTensors reports what no checkpoint writes in the forward pass.
func cheapTensors(w *workload.Workload, back []bool) []bool {
	cheap := make([]bool, len(w.Tensors))
	for t := range cheap {
		cheap[t] = true
	}
	for k := range back {
		if !back[k] && isCheckpoint(w, workload.KernelID(k)) {
			for _, t := range w.Kernels[k].Outputs {
				cheap[t] = false
			}
		}
	}
	return cheap
}

// small reports whether a tensor is a by-product of its layer, as the statistics of a
// normalisation are: it stays.
func small(l *swapplan.Load, s swapplan.Saved) bool {
	var most unit.Bytes
	for _, t := range l.Workload.Kernels[s.Writer].Outputs {
		most = max(most, l.Size[t])
	}
	return l.Size[s.Tensor] < most/16
}

// checkpoints lists the kernels of the forward pass that are checkpoints.
func checkpoints(w *workload.Workload, back []bool) (list []workload.KernelID) {
	for k := range back {
		if !back[k] && isCheckpoint(w, workload.KernelID(k)) {
			list = append(list, workload.KernelID(k))
		}
	}
	return list
}

// peak is what the largest layer of the backward pass needs.
func peak(l *swapplan.Load, back []bool) (most unit.Bytes) {
	for k, need := range l.Own {
		if back[k] {
			most = max(most, need)
		}
	}
	return most
}

// replay gives the values of a segment up in the forward pass, and has them computed
// again: all at once if they take at most peak, else each when it is needed.
func replay(l *swapplan.Load, segment []swapplan.Saved, peak unit.Bytes) (ops []program.Op) {
	if len(segment) == 0 {
		return nil
	}
	var bytes unit.Bytes
	begin := segment[0].Back
	for _, s := range segment {
		bytes += l.Size[s.Tensor]
		begin = min(begin, s.Back)
		ops = append(ops, program.Op{At: s.Last + 1, Kind: program.Free, Tensor: s.Tensor})
	}
	for _, s := range segment {
		if bytes <= peak {
			ops = append(ops, program.Op{At: begin, Kind: program.Recompute, Tensor: s.Tensor})
			continue
		}
		uses := l.Life.Uses(s.Tensor)
		first, _ := slices.BinarySearch(uses, s.Back)
		for i, k := range uses[first:] {
			if next := first + i + 1; next < len(uses) && uses[next] > k+1 && uses[next] < l.Life.Death[s.Tensor] {
				ops = append(ops, program.Op{At: k + 1, Kind: program.Free, Tensor: s.Tensor})
			}
		}
	}
	return ops
}

// before returns the kernel at which a checkpoint's value is to come back: the first of
// the convolution of the backward pass before the layer that needs it. ok is false when
// there is none after its last use.
func before(w *workload.Workload, back []bool, s swapplan.Saved) (at workload.KernelID, ok bool) {
	conv := func(k workload.KernelID) bool {
		return back[k] && swapplan.Convolution(w.Kernels[k].Name)
	}
	k := s.Back
	for k > s.Last && conv(k) { // the layer itself
		k--
	}
	for k > s.Last && !conv(k) {
		k--
	}
	for k > s.Last+1 && conv(k-1) {
		k--
	}
	return k, k > s.Last && conv(k)
}
