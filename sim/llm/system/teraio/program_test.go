package teraio

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/llm/offload"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// What a program says can be done, iteration after iteration: a tensor leaves from the GPU,
// comes back from elsewhere, and is there, or on its way, when it is used.
func TestProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ops, away := 0, 0
	for i := range 1000 {
		p, times := randomPlanner(r, i%2 == 0)
		fits := p.plan(times)
		w := p.graph.w
		usable := p.capacity * 103 / 100
		g := p.program(usable)
		ops += len(g.Ops)
		at := make([]offload.Tier, len(w.Tensors))
		copy(at, g.Start)
		var here, working unit.Bytes
		for id, tier := range g.Start {
			switch global := w.Tensors[id].Global; {
			case global == (tier == offload.Nowhere):
				t.Fatalf("case %d: tensor %d (global %v) begins at %d", i, id, global, tier)
			case tier == offload.GPU:
				here += w.Tensors[id].Bytes
			case global:
				away++
			}
		}
		for _, id := range w.WorkingSet(nil, 0) {
			if at[id] != offload.GPU {
				working += w.Tensors[id].Bytes
			}
		}
		spilled := false
		for id := range at {
			spilled = spilled || fits && at[id] == g.Spill && !planned(p, workload.TensorID(id))
		}
		if spilled || here+working > usable && fits {
			t.Fatalf("case %d: %d + %d bytes begin in %d (plan fits %v, spilled %v)", i, here, working, usable, fits, spilled)
		}
		if !fits {
			continue
		}
		for range 2 {
			next := 0
			for k := range w.Kernels {
				for ; next < len(g.Ops) && int(g.Ops[next].At) == k; next++ {
					op := g.Ops[next]
					if on := at[op.Tensor] == offload.GPU; on == (op.To == offload.GPU) {
						t.Fatalf("case %d: op %d moves tensor %d from %d to %d", i, next, op.Tensor, at[op.Tensor], op.To)
					}
					at[op.Tensor] = op.To
				}
				for _, id := range w.WorkingSet(nil, workload.KernelID(k)) {
					if at[id] == offload.Nowhere {
						at[id] = offload.GPU // born
					}
					if at[id] != offload.GPU {
						t.Fatalf("case %d: kernel %d uses tensor %d, which is at %d", i, k, id, at[id])
					}
				}
			}
			if next != len(g.Ops) {
				t.Fatalf("case %d: ops are not in order", i)
			}
			for id := range at {
				if w.Tensors[id].Global && at[id] != g.Start[id] {
					t.Fatalf("case %d: tensor %d begins at %d and ends at %d", i, id, g.Start[id], at[id])
				}
				if !w.Tensors[id].Global {
					at[id] = offload.Nowhere
				}
			}
		}
	}
	if ops < 10_000 || away < 500 {
		t.Errorf("%d ops, %d tensors begin elsewhere: the cases are too easy", ops, away)
	}
}

// planned reports whether a move takes a tensor into the next iteration.
func planned(p *planner, t workload.TensorID) bool {
	for _, m := range p.moves {
		if p.graph.candidates[m.candidate].tensor == t && int(m.back) >= len(p.times) {
			return true
		}
	}
	return false
}

// Prefetches in order of use are in time: in the times that the plan has taken on its channels each
// ends before its kernel, and none begins before its tensor has left. So no channel is taken for
// more time than there is.
func TestStarts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	moved := 0
	for i := range 1000 {
		p, times := randomPlanner(r, i%2 == 0)
		p.plan(times)
		p.starts()
		n := len(times)
		for _, tier := range []offload.Tier{offload.SSD, offload.Host} {
			type job struct{ begun, due, left int64 } // in kernels; kernels over two iterations
			var jobs []job
			var work, busy int64
			for m, x := range p.moves {
				if x.tier != tier {
					continue
				}
				c := &p.graph.candidates[x.candidate]
				if p.begun[m] < x.away || p.begun[m] >= c.end {
					t.Fatalf("case %d: tensor %d leaves until %d and comes back from %d to be there at %d", i, c.tensor, x.away, p.begun[m], c.end)
				}
				if p.begun[m] != x.back {
					moved++
				}
				work += p.in[x.candidate]
				for turn := range int64(4) {
					jobs = append(jobs, job{int64(p.begun[m]) + turn*int64(n), int64(c.end) + turn*int64(n), p.in[x.candidate]})
				}
			}
			if len(jobs) == 0 {
				continue
			}
			free := p.channel(tier).read.free
			for k := range times {
				busy += times[k] - free[k]
			}
			if busy != work {
				t.Fatalf("case %d: the channel is busy for %d ps with transfers of %d", i, busy, work)
			}
			// The channel moves what is used first of what has begun.
			for k := range int64(4 * n) {
				for budget := times[k%int64(n)] - free[k%int64(n)]; budget > 0; {
					next := -1
					for j := range jobs {
						if jobs[j].left > 0 && jobs[j].begun <= k && (next < 0 || jobs[j].due < jobs[next].due) {
							next = j
						}
					}
					if next < 0 {
						break
					}
					got := min(budget, jobs[next].left)
					budget -= got
					if jobs[next].left -= got; jobs[next].left == 0 && k >= jobs[next].due {
						t.Fatalf("case %d: a transfer for kernel %d ends in %d", i, jobs[next].due, k)
					}
				}
				for j := range jobs {
					if jobs[j].left > 0 && jobs[j].due <= k {
						t.Fatalf("case %d: at kernel %d a transfer for %d has %d ps to go", i, k, jobs[j].due, jobs[j].left)
					}
				}
			}
		}
	}
	if moved < 500 {
		t.Errorf("only %d prefetches change places", moved)
	}
}
