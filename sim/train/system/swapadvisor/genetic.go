package swapadvisor

import (
	"cmp"
	"slices"

	"spillway/sim/train/swapplan"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// mostClasses is how many pools there are at most.
const mostClasses = 8

// An individual is what a plan depends on.
type individual struct {
	cuts   []int32 // first size of each class, ascending from 0
	share  [mostClasses]uint8
	ahead  uint8 // tensors come at most 1<<ahead kernels early
	weight []int8
	time   unit.Cycles // of its plan
	lacks  unit.Bytes  // if it has none: memory
}

// A geneticSearch holds a population, the fittest first.
type geneticSearch struct {
	*planner
	all      []individual
	size     int
	random   random
	tried    int
	ideal    unit.Cycles // what kernels take alone
	still    int         // generations without a better plan
	stuck    bool        // nobody has a plan: who lacks least is fittest
	worth    int         // the search ends when the planner's work is that
	tell     func()      // tells progress, if not nil
	furthest uint8       // value of ahead

	alloc allocation // scratch
	count []int32
}

// newSearch returns a search without a population.
func newSearch(p *planner, size int, seed uint64) *geneticSearch {
	s := &geneticSearch{planner: p, size: size, random: random(seed), worth: budget}
	for _, d := range p.timer.Exec() {
		s.ideal += d
	}
	for 1<<s.furthest < p.n {
		s.furthest++
	}
	return s
}

// plan returns the plan of an individual and its time.
func (s *geneticSearch) plan(x *individual) ([]swapplan.Stay, unit.Cycles) {
	if !s.divide(x) {
		return nil, swapplan.Never
	}
	return s.planner.plan(&s.alloc, x.weight, 1<<x.ahead)
}

// judge plans for x and notes how fit it is.
func (s *geneticSearch) judge(x *individual) {
	s.lacks = 0
	_, x.time = s.plan(x)
	x.lacks = max(0, s.lacks)
	s.tried++
	if s.tell != nil {
		s.tell()
	}
}

// begin draws the first generation.
func (s *geneticSearch) begin() {
	for _, cost := range []func(from, to int) unit.Bytes{s.needs(), s.wastes()} {
		for _, cuts := range s.divisions(cost) {
			x := individual{cuts: cuts, ahead: min(s.furthest, 6), weight: make([]int8, s.used)}
			for c := range x.share {
				x.share[c] = 8
			}
			s.all = append(s.all, x)
		}
	}
	for len(s.all) < s.size {
		x := &s.all[s.random.below(len(s.all))]
		y := s.child(x, x)
		s.mutateCuts(&y)
		s.all = append(s.all, y)
	}
	for i := range s.all {
		if i > 0 && s.tired() {
			s.all = s.all[:i]
			break
		}
		s.judge(&s.all[i])
	}
	s.sort()
}

// sort puts the fittest first; of equals those that were first.
func (s *geneticSearch) sort() {
	slices.SortStableFunc(s.all, func(a, b individual) int {
		if c := cmp.Compare(a.time, b.time); c != 0 || !s.stuck {
			return c
		}
		return cmp.Compare(a.lacks, b.lacks)
	})
	s.all = s.all[:min(len(s.all), s.size)]
}

// generation lets the two best survive and replaces the others by children.
func (s *geneticSearch) generation() {
	was := s.all[0].time
	next := slices.Clone(s.all[:min(2, len(s.all))])
	for len(next) < s.size && !s.tired() {
		y := s.child(s.tournament(), s.tournament())
		s.mutate(&y)
		s.judge(&y)
		next = append(next, y)
	}
	s.all = next
	s.sort()
	if s.still++; s.all[0].time < was {
		s.still = 0
	}
}

// enough is how many individuals are tried before a search gives up that has no plan.
const enough = 6000

// persist goes on until an individual has a plan. Who lacks least memory is fittest then.
func (s *geneticSearch) persist() {
	s.stuck = true
	s.sort()
	for s.all[0].time == swapplan.Never && s.tried < enough && !s.tired() {
		s.generation()
	}
}

// patience is how many generations may find nothing better.
const patience = 10

// done reports whether more generations are not worth their time.
func (s *geneticSearch) done() bool {
	return s.all[0].time <= s.ideal || s.still >= patience || s.tired()
}

// budget is how much work a search is worth: some three seconds.
const budget = 1500e6

// tired reports whether the budget is used up.
func (s *geneticSearch) tired() bool { return s.work >= s.worth }

// tournament returns the fittest of three.
func (s *geneticSearch) tournament() *individual {
	n := len(s.all)
	return &s.all[min(s.random.below(n), s.random.below(n), s.random.below(n))]
}

// child has the classes of one parent up to a size and of the other from there on, and
// the priorities of one up to a tensor and of the other from there on.
func (s *geneticSearch) child(a, b *individual) individual {
	y := individual{ahead: a.ahead, weight: slices.Clone(a.weight)}
	at := int32(s.random.below(len(s.sizes) + 1))
	for c, from := range a.cuts {
		if from == 0 || from < at {
			y.share[len(y.cuts)] = a.share[c]
			y.cuts = append(y.cuts, from)
		}
	}
	for c, from := range b.cuts {
		if from > 0 && from >= at && len(y.cuts) < mostClasses {
			y.share[len(y.cuts)] = b.share[c]
			y.cuts = append(y.cuts, from)
		}
	}
	if s.random.below(2) == 0 {
		y.ahead = b.ahead
	}
	t := s.random.below(len(y.weight) + 1)
	copy(y.weight[t:], b.weight[t:])
	return y
}

// mutate changes one gene in ten: a cut, a share, the depth, priorities.
func (s *geneticSearch) mutate(y *individual) {
	if s.random.below(10) == 0 {
		s.mutateCuts(y)
	}
	for c := range y.cuts {
		if s.random.below(10) == 0 {
			y.share[c] = uint8(1 + s.random.below(16))
		}
	}
	if s.random.below(10) == 0 {
		y.ahead = uint8(s.random.below(int(s.furthest) + 1))
	}
	for n := s.random.below(1 + len(y.weight)/10); n > 0; n-- {
		y.weight[s.random.below(len(y.weight))] = int8(s.random.below(even+1) - even/2)
	}
}

// mutateCuts adds a cut, takes one away or moves one.
func (s *geneticSearch) mutateCuts(y *individual) {
	n := len(s.sizes)
	y.cuts = slices.Clone(y.cuts)
	if len(y.cuts) > 1 && s.random.below(3) > 0 {
		i := 1 + s.random.below(len(y.cuts)-1)
		y.cuts = slices.Delete(y.cuts, i, i+1)
	}
	if at := int32(s.random.below(n)); len(y.cuts) < mostClasses && s.random.below(3) > 0 && !slices.Contains(y.cuts, at) {
		y.cuts = append(y.cuts, at)
		slices.Sort(y.cuts)
	}
	for c := range y.share {
		y.share[c] = max(1, y.share[c])
	}
}

// divide gives every class of x the chunks that single kernels need, and what is left
// of memory by shares, up to what is ever alive at once. ok is false when the first
// does not fit.
func (s *geneticSearch) divide(x *individual) (ok bool) {
	k := len(x.cuts)
	a := &s.alloc
	a.cuts = x.cuts
	classes := make([]int32, len(s.sizes))
	for c, from := range x.cuts {
		for i := int(from); i < len(classes); i++ {
			classes[i] = int32(c)
		}
	}
	a.chunks = append(a.chunks[:0], make([]int32, k)...)
	s.most(classes, a.chunks)
	rest := s.capacity
	want := make([]unit.Bytes, k)
	chunk := make([]unit.Bytes, k)
	var shares unit.Bytes
	need := make([]int32, k)
	s.least(classes, need)
	for c := range k {
		end := len(s.sizes)
		if c+1 < k {
			end = int(x.cuts[c+1])
		}
		chunk[c] = s.sizes[end-1]
		rest -= chunk[c] * unit.Bytes(need[c])
		want[c] = unit.Bytes(a.chunks[c] - need[c])
		a.chunks[c] = need[c]
		if want[c] > 0 {
			shares += unit.Bytes(x.share[c])
		}
	}
	if rest < 0 {
		s.lacks = -rest
		return false
	}
	give := func(c int, most unit.Bytes) {
		n := min(want[c], most/chunk[c])
		a.chunks[c] += int32(n)
		want[c] -= n
		rest -= n * chunk[c]
	}
	whole := rest
	for c := range k {
		if want[c] > 0 {
			give(c, min(rest, unit.Bytes(unit.MulDiv(int64(whole), int64(x.share[c]), int64(shares)))))
		}
	}
	for c := k - 1; c >= 0; c-- {
		give(c, rest)
	}
	return true
}

// least sets, by class, how many chunks a single kernel needs at most.
func (s *geneticSearch) least(classes, need []int32) {
	s.count = append(s.count[:0], make([]int32, len(need))...)
	for _, set := range s.load.Sets {
		for _, t := range set {
			c := classes[s.sizeOf[t]]
			s.count[c]++
			need[c] = max(need[c], s.count[c])
		}
		for _, t := range set {
			s.count[classes[s.sizeOf[t]]] = 0
		}
	}
}

// most sets, by class, how many chunks are in use at most when nothing leaves.
func (s *geneticSearch) most(classes, most []int32) {
	for t, i := range s.sizeOf {
		if i >= 0 {
			s.class[t] = classes[i]
		}
	}
	s.stays, s.chunks = s.stays[:0], most
	s.occupy()
	for c := range most {
		most[c] = slices.Max(s.occupied[c][:s.n])
	}
}

// needs returns how much memory a class of sizes from to to-1 takes at least.
func (s *geneticSearch) needs() func(from, to int) unit.Bytes {
	n := len(s.sizes)
	of := make([][]workload.KernelID, n) // uses by size
	for k, set := range s.load.Sets {
		for _, t := range set {
			of[s.sizeOf[t]] = append(of[s.sizeOf[t]], workload.KernelID(k))
		}
	}
	least := make([][]int32, n)
	count := make([]int32, s.n)
	for from := range n {
		clear(count)
		var most int32
		for _, uses := range of[from:] {
			for _, k := range uses {
				count[k]++
				most = max(most, count[k])
			}
			least[from] = append(least[from], most)
		}
	}
	return func(from, to int) unit.Bytes { return unit.Bytes(least[from][to-1-from]) * s.sizes[to-1] }
}

// wastes returns how many bytes, over all kernels, chunks of a class have more than
// their tensors when nothing leaves.
func (s *geneticSearch) wastes() func(from, to int) unit.Bytes {
	n := len(s.sizes)
	alive, bytes := make([]unit.Bytes, n+1), make([]unit.Bytes, n+1)
	life := s.load.Life
	for t, i := range s.sizeOf {
		if i >= 0 {
			kernels := unit.Bytes(s.n)
			if !s.load.Workload.Tensors[t].Global {
				kernels = unit.Bytes(life.Death[t] - life.Birth[t])
			}
			// In units of 4 KiB pages times kernels, as sums of bytes would be large.
			alive[i+1] += kernels
			bytes[i+1] += kernels * (s.load.Size[t] / unit.Page)
		}
	}
	for i := range n {
		alive[i+1] += alive[i]
		bytes[i+1] += bytes[i]
	}
	return func(from, to int) unit.Bytes {
		return (alive[to]-alive[from])*(s.sizes[to-1]/unit.Page) - (bytes[to] - bytes[from])
	}
}

// divisions returns, for each number of classes, that division of sizes whose classes
// cost least together.
func (s *geneticSearch) divisions(cost func(from, to int) unit.Bytes) (list [][]int32) {
	n := len(s.sizes)
	best := make([]unit.Bytes, n+1) // of sizes 0 to i-1 in k classes
	for i := 1; i <= n; i++ {
		best[i] = cost(0, i)
	}
	from := [][]int32{make([]int32, n+1)} // where the last class begins
	for k := 1; k <= min(n, mostClasses); k++ {
		cuts := make([]int32, k)
		for end, c := int32(n), k-1; c >= 0; c-- {
			cuts[c] = from[c][end]
			end = cuts[c]
		}
		list = append(list, cuts)
		next, begin := slices.Clone(best), make([]int32, n+1)
		for to := n; to > k; to-- {
			next[to] = -1
			for i := k; i < to; i++ {
				if x := best[i] + cost(i, to); next[to] < 0 || x < next[to] {
					next[to], begin[to] = x, int32(i)
				}
			}
		}
		best, from = next, append(from, begin)
	}
	return list
}

// A random generator: SplitMix64 (Steele, Lea, Flood 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() >> 33 % uint64(n)) }
