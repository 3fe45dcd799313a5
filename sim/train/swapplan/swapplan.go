// Package swapplan is what planners share that decide before the run which tensors
// are in host memory when: how much each kernel needs to be on the GPU, what stays in
// host memory take off that, and how long a run with them takes when each direction of
// the link moves one tensor after the other. What is decided is each planner's own.
package swapplan

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/bound"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A Load is what a workload needs of GPU memory, in bytes of whole pages.
type Load struct {
	Workload *workload.Workload
	Life     *vitality.Analysis
	Sets     [][]workload.TensorID // every kernel's tensors in argument order
	Size     []unit.Bytes          // by tensor
	// Alive is, by kernel, what is on the GPU while it runs if nothing moves: tensors
	// that are alive and those that it uses. Own is what the kernel itself needs, with
	// what no kernel uses but all must keep ([workload.Workload.Held]).
	Alive, Own []unit.Bytes
	// Used reports tensors that a kernel uses.
	Used []bool
}

// LoadOf walks the kernels of w once.
func LoadOf(w *workload.Workload) *Load {
	l := &Load{
		Workload: w, Life: vitality.Analyze(w), Sets: w.Sets().All,
		Size: make([]unit.Bytes, len(w.Tensors)), Used: make([]bool, len(w.Tensors)),
		Own: make([]unit.Bytes, len(w.Kernels)),
	}
	for t := range w.Tensors {
		l.Size[t] = w.Tensors[t].Bytes.Aligned()
	}
	l.Alive = l.Life.Needed(w)
	held := unit.Bytes(w.HeldPages()) * unit.Page
	for k, set := range l.Sets {
		l.Own[k] = held
		for _, t := range set {
			l.Used[t] = true
			l.Own[k] += l.Size[t]
		}
	}
	return l
}

// Problem is how fast w can run at best on m if its kernels take exec.
func Problem(w *workload.Workload, exec []unit.Cycles, m *machine.Machine) *bound.Problem {
	return bound.Of(w, exec, &bound.Machine{
		Clock: m.Clock, GPUMemory: m.GPUMemory, HostMemory: m.HostMemory,
		GPULink: m.GPULink, HostLink: m.HostLink, SSDRead: m.SSDRead, SSDWrite: m.SSDWrite,
	})
}

// Fits returns why a kernel cannot run however much moves: what it needs at once is
// more than there is. It is a *DoesNotFit or nil.
func (l *Load) Fits(memory unit.Bytes) error {
	worst := 0
	for k := range l.Own {
		if l.Own[k] > l.Own[worst] {
			worst = k
		}
	}
	if l.Own[worst] <= memory {
		return nil
	}
	return &engine.DoesNotFit{Reason: fmt.Sprintf(
		"kernel %d (%s) needs %v on the GPU at once, which has %v; more GPU memory or a smaller batch would help",
		worst, l.Workload.Kernels[worst].Name, l.Own[worst], memory)}
}

// A Stay is a time that a tensor spends in host memory. It is evicted when kernel Out
// is about to run, which no longer needs it, and prefetched when In is. In comes
// after Out, or is in the next iteration: then it is at most Out.
type Stay struct {
	Tensor  workload.TensorID
	Out, In workload.KernelID
}

// Wraps reports whether the stay goes on into the next iteration, of n kernels.
func (s Stay) Wraps() bool { return s.In <= s.Out }

// With returns, by kernel, the bytes on the GPU and in host memory when the stays are kept.
func (l *Load) With(stays []Stay) (gpu, host []unit.Bytes) {
	n := len(l.Alive)
	away := make([]unit.Bytes, n+1)
	for _, s := range stays {
		size := l.Size[s.Tensor]
		away[s.Out] += size
		away[s.In] -= size
		if s.Wraps() {
			away[0] += size
		}
	}
	gpu, host = make([]unit.Bytes, n), make([]unit.Bytes, n)
	var sum unit.Bytes
	for k := range n {
		sum += away[k]
		gpu[k], host[k] = l.Alive[k]-sum, sum
	}
	return gpu, host
}

// Check returns why stays do not fit a machine: a *DoesNotFit or nil.
func (l *Load) Check(stays []Stay, m *machine.Machine) error {
	gpu, host := l.With(stays)
	for k := range gpu {
		name := l.Workload.Kernels[k].Name
		if gpu[k] > m.GPUMemory {
			return &engine.DoesNotFit{Reason: fmt.Sprintf(
				"while kernel %d (%s) runs, the plan leaves %v on the GPU, which has %v; more GPU memory or a smaller batch would help",
				k, name, gpu[k], m.GPUMemory)}
		}
		if host[k] > m.HostMemory {
			return &engine.DoesNotFit{Reason: fmt.Sprintf(
				"while kernel %d (%s) runs, the plan has %v in host memory, which has %v; more memory or a smaller batch would help",
				k, name, host[k], m.HostMemory)}
		}
	}
	return nil
}

// Program returns the operations of stays. Barriers are kernels before which everything
// that moves must have arrived.
func Program(stays []Stay, barriers []workload.KernelID) *program.Program {
	p := &program.Program{Ops: make([]program.Op, 0, 2*len(stays)+len(barriers))}
	for _, k := range barriers {
		p.Ops = append(p.Ops, program.Op{At: k, Kind: program.Barrier})
	}
	for _, s := range stays {
		p.Ops = append(p.Ops,
			program.Op{At: s.Out, Kind: program.Evict, Tensor: s.Tensor, To: machine.Host},
			program.Op{At: s.In, Kind: program.Prefetch, Tensor: s.Tensor})
	}
	Sort(p)
	return p
}

// Sort puts a program's operations in order: those of one kernel wait, then evict and
// free, then copy, then prefetch and compute again, of each kind in the order they are in.
func Sort(p *program.Program) {
	rank := [...]int{program.Barrier: 0, program.Evict: 1, program.Free: 1, program.Forget: 1, program.Copy: 2, program.Prefetch: 3, program.Recompute: 3}
	slices.SortStableFunc(p.Ops, func(a, b program.Op) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(rank[a.Kind], rank[b.Kind]))
	})
}

// Follow makes what executes a program in a swap run: nothing leaves but what is in it, and
// copies are made while nothing else leaves.
func Follow(r *swap.Run) (swap.Swapper, error) { return swap.NewFollower(r), nil }
