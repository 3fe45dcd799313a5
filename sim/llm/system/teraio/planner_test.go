package teraio

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/llm/offload"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// random returns a small training step: globals that are used forward and backward and changed
// at the end, and activations.
func random(r *rand.Rand) *workload.Workload {
	w := &workload.Workload{Name: "random"}
	layers := 2 + r.IntN(12)
	size := func() unit.Bytes { return unit.Bytes(1+r.IntN(8)) * 4096 }
	tensor := func(global bool, kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: fmt.Sprint(len(w.Tensors)), Bytes: size(), Global: global, Kind: kind})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	kernel := func(in, out []workload.TensorID) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Time(1 + r.IntN(2000)), Inputs: in, Outputs: out})
	}
	type ids = []workload.TensorID
	weights, states, kept := make(ids, layers), make(ids, layers), make(ids, layers+1)
	for l := range layers {
		weights[l], states[l] = tensor(true, workload.Weight), tensor(true, workload.Optimizer)
	}
	kept[0] = tensor(false, workload.Input)
	kernel(ids{weights[0]}, ids{kept[0]})
	for l := range layers {
		kept[l+1] = tensor(false, workload.Intermediate)
		kernel(ids{weights[l], kept[l]}, ids{kept[l+1]})
	}
	grads := make(ids, layers)
	for l := layers - 1; l >= 0; l-- {
		grads[l] = tensor(false, workload.Gradient)
		kernel(ids{weights[l], kept[l], kept[l+1]}, ids{grads[l]})
	}
	for l := range layers {
		if r.IntN(4) > 0 {
			kernel(ids{weights[l], states[l], grads[l]}, ids{weights[l], states[l]})
		}
	}
	if r.IntN(2) == 0 { // the last kernel uses the first weight, so its period does not wrap
		kernel(ids{weights[r.IntN(layers)]}, ids{tensor(false, workload.Workspace)})
	}
	return w
}

// randomPlanner returns a planner for a random step that needs more or less help.
func randomPlanner(r *rand.Rand, mixed bool) (*planner, []int64) {
	g := newGraph(random(r), unit.Bytes(4096*r.IntN(4)))
	per := 41 * unit.Bandwidth(unit.Second) // bytes a picosecond
	p := &planner{graph: g, budget: budget{
		capacity: g.most() * unit.Bytes(20+r.IntN(75)) / 100, ssd: !mixed || r.IntN(8) > 0, host: mixed,
		limit: unit.Bytes(r.IntN(20) * 4096), delay: unit.Time(r.IntN(30)),
		read: per * unit.Bandwidth(1+r.IntN(8)) / 4, write: per * unit.Bandwidth(1+r.IntN(8)) / 4,
		hostIn: per * unit.Bandwidth(1+r.IntN(8)) / 4, hostOut: per * unit.Bandwidth(1+r.IntN(8)) / 4,
	}}
	var times []int64
	for _, k := range g.w.Kernels {
		times = append(times, int64(k.Time))
	}
	return p, times
}

// A scan is Algorithm 1 without any of the planner's structures: arrays by kernel, walked from
// end to end.
type scan struct {
	*planner
	n      int
	excess []int64
	free   [4][]int64 // drives read and write, host in and out
	held   []int64    // host memory
}

func newScan(p *planner, times []int64) *scan {
	s := &scan{planner: p, n: len(times)}
	for k := range times {
		s.excess = append(s.excess, int64(p.graph.live[k]-p.capacity))
	}
	for i := range s.free {
		s.free[i] = slices.Clone(times)
	}
	s.held = make([]int64, s.n)
	s.times = times
	return s
}

func (s *scan) needs(c int32, to offload.Tier) (out, in int64, read, write []int64) {
	size := s.graph.candidates[c].size
	if to == offload.SSD {
		return max(int64(s.delay+s.write.Time(size)), 1), max(int64(s.delay+s.read.Time(size)), 1), s.free[0], s.free[1]
	}
	return max(int64(s.hostOut.Time(size)), 1), max(int64(s.hostIn.Time(size)), 1), s.free[2], s.free[3]
}

// windowOf walks kernels from both ends of a period; taking takes the time.
func (s *scan) windowOf(c int32, to offload.Tier, taking bool) (away, back int, ok bool) {
	x := &s.graph.candidates[c]
	out, in, read, write := s.needs(c, to)
	for away = int(x.start); out > 0; away++ {
		if away == int(x.end) {
			return 0, 0, false
		}
		got := min(out, write[away%s.n])
		if out -= got; taking {
			write[away%s.n] -= got
		}
	}
	for back = int(x.end); in > 0; {
		if back == int(x.start) {
			return 0, 0, false
		}
		back--
		got := min(in, read[back%s.n])
		if in -= got; taking {
			read[back%s.n] -= got
		}
	}
	return away, back, away < back
}

func (s *scan) scoreOf(c int32, to offload.Tier) *big.Int {
	x := &s.graph.candidates[c]
	if to == offload.Host {
		for k := x.start; k < x.end; k++ {
			if s.held[int(k)%s.n]+int64(x.size) > int64(s.limit) {
				return new(big.Int)
			}
		}
	}
	away, back, ok := s.windowOf(c, to, false)
	if !ok {
		return new(big.Int)
	}
	var above int64
	for k := away; k < back; k++ {
		if s.excess[k%s.n] > 0 {
			above += s.times[k%s.n]
		}
	}
	out, in, _, _ := s.needs(c, to)
	score := new(big.Int).Mul(big.NewInt(above), big.NewInt(int64(x.size)))
	return score.Div(score, big.NewInt(out+in))
}

// run plans. With fresh, every score is found anew before each choice, and only a period that
// could go to one tier is looked at there; else scores are as last known.
func (s *scan) run(fresh bool) (moves []move) {
	n := len(s.graph.candidates)
	score, tier, gone := make([]*big.Int, n), make([]offload.Tier, n), make([]bool, n)
	first, second := offload.SSD, offload.Host
	if s.hostFirst {
		first, second = second, first
	}
	renew := func(c int) {
		score[c] = s.scoreOf(int32(c), tier[c])
		if score[c].Sign() == 0 && tier[c] == first && s.ssd && s.host {
			tier[c] = second
			score[c] = s.scoreOf(int32(c), second)
		}
		gone[c] = score[c].Sign() == 0
	}
	for c := range n {
		tier[c] = first
		if !s.ssd {
			tier[c] = offload.Host
		}
		if !s.host {
			tier[c] = offload.SSD
		}
		renew(c)
	}
	for slices.Max(s.excess) > 0 {
		best := -1
		for {
			was := best
			best = -1
			for c := range n {
				if gone[c] {
					continue
				}
				if fresh {
					if renew(c); gone[c] {
						continue
					}
				}
				if best < 0 || score[c].Cmp(score[best]) > 0 {
					best = c
				}
			}
			if best < 0 || fresh || best == was {
				break
			}
			old := score[best]
			if renew(best); !gone[best] && old.Cmp(score[best]) == 0 {
				break
			}
			best = -1
		}
		if best < 0 {
			break
		}
		x := &s.graph.candidates[best]
		away, back, _ := s.windowOf(int32(best), tier[best], true)
		for k := away; k < back; k++ {
			s.excess[k%s.n] -= int64(x.size)
		}
		if tier[best] == offload.Host {
			for k := x.start; k < x.end; k++ {
				s.held[int(k)%s.n] += int64(x.size)
			}
		}
		gone[best] = true
		moves = append(moves, move{int32(best), int32(away), int32(back), tier[best]})
	}
	return moves
}

// The lazy planner chooses what a scan over all periods chooses, in the same order.
func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all, host, fitted int
	for i := range 3000 {
		mixed := i%3 == 0
		p, times := randomPlanner(r, mixed)
		p.hostFirst = mixed && i%2 == 0
		fits := p.plan(times)
		s := newScan(p, times)
		want := s.run(!mixed)
		if !slices.Equal(p.moves, want) {
			t.Fatalf("case %d (mixed %v): moves are\n%v, a scan's\n%v", i, mixed, p.moves, want)
		}
		if fits != (slices.Max(s.excess) <= 0) {
			t.Fatalf("case %d: fits is %v, the most above the capacity %d", i, fits, slices.Max(s.excess))
		}
		left := make([]unit.Bytes, len(times))
		most := p.pressure.excess(left)
		for k := range left {
			if left[k] != unit.Bytes(max(s.excess[k], 0)) {
				t.Fatalf("case %d: kernel %d is %d above the capacity, want %d", i, k, left[k], s.excess[k])
			}
		}
		if most != unit.Bytes(max(slices.Max(s.excess), 0)) {
			t.Fatalf("case %d: most is %d", i, most)
		}
		for l, lane := range [4]*lane{&p.drives.read, &p.drives.write, &p.memory.read, &p.memory.write} {
			if (l < 2 && p.ssd || l >= 2 && p.host) && !slices.Equal(lane.free, s.free[l]) {
				t.Fatalf("case %d: lane %d has %v free, want %v", i, l, lane.free, s.free[l])
			}
		}
		all += len(want)
		if fits {
			fitted++
		}
		for _, m := range want {
			if m.tier == offload.Host {
				host++
			}
		}
	}
	if all < 10_000 || host < 500 || fitted < 300 || fitted > 2700 {
		t.Errorf("%d moves, %d to host, %d plans fit: the cases are too easy", all, host, fitted)
	}
}

// TestTry: whatever was planned and kept before, a stretch fits exactly if a planner that knows nothing of it says so.
func TestTry(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var kept, misfits int
	for i := range 300 {
		p, times := randomPlanner(r, i%3 == 0)
		a := &planning{parts: []*planner{p}, axes: [][]int64{times}, most: stretchMost}
		fits := make(map[int64]bool) // by a planner of its own
		check := func(factor int64) bool {
			want, ok := fits[factor]
			if !ok {
				b := &planning{parts: []*planner{{graph: p.graph, budget: p.budget}}, axes: a.axes, most: a.most}
				want = b.try(0, factor)
				fits[factor] = want
			}
			was := p.fit.factor == factor && p.factor != factor
			if was {
				kept++
			}
			got := a.try(0, factor)
			if got != want {
				t.Fatalf("case %d: stretch %d fits: %v, by a planner of its own %v", i, factor, got, want)
			}
			if was && !got {
				misfits++
			}
			return got
		}
		for range 40 {
			factor := unstretched + r.Int64N(4)*500
			if check(factor) && r.IntN(2) == 0 {
				p.latest, p.fit = p.fit, p.latest // as a search does, which leaves a misfit behind at times
			}
		}
	}
	if kept < 100 || misfits < 10 {
		t.Errorf("%d kept plans were asked for, %d of which do not fit: the cases are too easy", kept, misfits)
	}
}
