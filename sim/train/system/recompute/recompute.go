// Package recompute gives activations up in the forward pass and computes them again in
// the backward pass; nothing leaves the GPU.
//
// Source: sublinear memory cost (Chen et al., arXiv 1604.06174, 2016) for segments, and
// selective activation recomputation (Korthikanti et al., MLSys 2023) for attention.
//
// Model: the forward pass is divided into segments of as many kernels. What crosses a
// boundary is a checkpoint and stays. Everything else that the backward pass needs is
// given up after its last use in the forward pass. When the backward pass reaches a
// segment, its kernels run again from the checkpoint before it, and what they write stays
// until its last use. Selective recomputation gives up attention scores, their softmax
// and its dropout only, and computes them again when they are needed.
//
// Parameters: [Segments]; [Selective].
//
// Departures from the papers:
//
//  1. A boundary is where least crosses it, within a quarter of a segment of its place.
//  2. The last segment keeps what it has: the backward pass begins with it.
//  3. What comes in from outside, weights and what outlives the iteration stay. Nobody
//     needs the state of a random generator to draw a dropout again.
//  4. A kernel that runs again takes as long as at first.
//  5. With more memory than the workload needs nothing else happens than with little.
//  6. With so little that the replay of a segment does not fit, what came back for the sake
//     of another value is given up for room and computed once more when it is needed, in the
//     worst case again and again. The papers' schedules do not fit there; the result says so.
package recompute

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Segments is how many parts the forward pass has.
var Segments = system.Param{
	Key: "recompute_segments", Label: "Recomputation, segments", Unit: "", Scale: 1, Min: 0, Max: 10000, Default: 0,
	Help:   "Into how many segments recomputation divides the forward pass; 0 for the square root of its number of kernels.",
	Source: "Chen et al. 2016: the square root of the number of layers",
}

// Selective gives up what attention has only.
var Selective = system.Param{
	Key: "recompute_selective", Label: "Recomputation, selective", Unit: "", Scale: 1, Min: 0, Max: 1, Default: 0,
	Help:   "1 recomputes only attention scores, their softmax and dropout.",
	Source: "Korthikanti et al. (MLSys 2023) recompute either",
}

// System is recomputation.
var System = system.System{
	Name:   "recompute",
	Title:  "Recomputation",
	Paper:  "Training Deep Nets with Sublinear Memory Cost (2016)",
	About:  "Activations between checkpoints are given up and computed again in the backward pass; nothing leaves the GPU.",
	Family: "DeepUM's comparison",
	Off:    true, Recomputes: true,
	Look:   17,
	Quirks: swap.Quirks,
	Params: []*system.Param{&Segments, &Selective},
	Plan:   plan,
	Runtime: func(*system.Options) engine.Runtime {
		return swap.Memory{Keeps: true, Swapper: func(r *swap.Run) (swap.Swapper, error) { return follower{swap.NewFollower(r)}, nil }}
	},
}

// A follower follows the program.
type follower struct{ *swap.Follower }

// Notes says where what happened is in no paper (departure 6).
func (f follower) Notes() []string {
	n := f.Run.Repeated()
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("There is less memory than the replay of a segment takes, so values were given up for room and computed once more: kernels ran again %s that had in the same iteration before. No paper has that.",
		prose.Count(n, "time"))}
}

func plan(w *workload.Workload, m *machine.Machine, o *system.Options) (*program.Program, error) {
	l := swapplan.LoadOf(w)
	if err := l.Fits(m.GPUMemory); err != nil {
		return nil, err
	}
	s := read(l)
	p := &program.Program{}
	if Selective.Of(o) != 0 {
		for _, a := range s.saved {
			if s.attention[a.Tensor] {
				p.Ops = append(p.Ops, program.Op{At: a.Last + 1, Kind: program.Free, Tensor: a.Tensor})
			}
		}
	} else {
		p.Ops = s.segments(int(Segments.Of(o)))
	}
	swapplan.Sort(p)
	return p, nil
}

// A schedule is a workload as recomputation sees it.
type schedule struct {
	load      *swapplan.Load
	forward   int   // kernels of the forward pass
	place     []int // of one among those
	saved     []swapplan.Saved
	attention []bool // by tensor
}

func read(l *swapplan.Load) *schedule {
	back := l.Backward()
	s := &schedule{load: l, place: make([]int, len(back)), attention: make([]bool, len(l.Size)), saved: l.Saved(back)}
	for k := range back {
		if !back[k] {
			s.place[k] = s.forward
			s.forward++
			s.attend(workload.KernelID(k))
		}
	}
	return s
}

// attend notes what of attention kernel k writes: scores that a softmax reads, what it
// writes, and what a dropout makes of that.
func (s *schedule) attend(k workload.KernelID) {
	x := &s.load.Workload.Kernels[k]
	name := strings.ToLower(x.Name)
	softmax := strings.Contains(name, "softmax")
	if !softmax && !(strings.Contains(name, "dropout") && slices.ContainsFunc(x.Inputs, func(t workload.TensorID) bool { return s.attention[t] })) {
		return
	}
	for _, t := range x.Outputs {
		s.attention[t] = true
	}
	if softmax {
		for _, t := range x.Inputs {
			s.attention[t] = true
		}
	}
}

// segments returns the operations that keep what crosses the boundaries of so many
// segments, and of the last one everything.
func (s *schedule) segments(n int) (ops []program.Op) {
	if n == 0 {
		n = int(math.Round(math.Sqrt(float64(s.forward))))
	}
	bounds := s.bounds(min(n, s.forward))
	for i := range len(bounds) - 2 {
		from, to := bounds[i], bounds[i+1]
		begin := workload.KernelID(-1) // of the segment's backward pass
		first := len(ops)
		for _, a := range s.saved {
			if s.place[a.Writer] < from || s.place[a.Last] >= to {
				continue
			}
			if begin < 0 || a.Back < begin {
				begin = a.Back
			}
			ops = append(ops, program.Op{At: a.Last + 1, Kind: program.Free, Tensor: a.Tensor})
		}
		for _, op := range ops[first:] {
			ops = append(ops, program.Op{At: begin, Kind: program.Recompute, Tensor: op.Tensor})
		}
	}
	return ops
}

// bounds returns where n segments begin, and the end: each where fewest bytes cross,
// within a quarter of a segment of an equal division.
func (s *schedule) bounds(n int) []int {
	cross := make([]unit.Bytes, s.forward+1) // that are written before a kernel and used from it on
	for _, a := range s.saved {
		cross[s.place[a.Writer]+1] += s.load.Size[a.Tensor]
		cross[s.place[a.Last]+1] -= s.load.Size[a.Tensor]
	}
	for k := 1; k < len(cross); k++ {
		cross[k] += cross[k-1]
	}
	list := []int{0}
	for i := 1; i < n; i++ {
		at, reach := i*s.forward/n, s.forward/n/4
		best := at
		for k := at - reach; k <= at+reach; k++ {
			if cross[k] < cross[best] {
				best = k
			}
		}
		list = append(list, best)
	}
	return append(list, s.forward)
}
