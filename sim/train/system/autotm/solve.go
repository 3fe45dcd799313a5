package autotm

import (
	"cmp"
	"math/bits"
	"slices"

	"spillway/sim/unit"
)

// small is the share of GPU memory below which a tensor moves only when larger ones do
// not suffice.
const small = 4096

// budget is how many kernels of candidates 1-opt looks at, at most.
const budget = 20e6

// patience is how many kernels of candidates are looked at before those to come are
// taken without comparing them again, and 1-opt ends.
const patience = 400e6

// often is after how many kernels of candidates progress is told: less than 10 ms.
const often = 1e6

// A candidate is a choice for a gap with what it costs and does.
type candidate struct {
	gap    int32
	choice choice
	cost   unit.Cycles // added to the objective
	relief unit.Bytes  // bytes times kernels that did not fit
}

// better compares cost by relief: least first, then most relief, then the first gap.
func (a *candidate) better(b *candidate) bool {
	// a.cost/a.relief < b.cost/b.relief without rounding: costs are not negative here
	// (less than nothing counts as nothing), reliefs positive.
	ah, al := bits.Mul64(uint64(max(0, a.cost)), uint64(b.relief))
	bh, bl := bits.Mul64(uint64(max(0, b.cost)), uint64(a.relief))
	switch {
	case ah != bh:
		return ah < bh
	case al != bl:
		return al < bl
	case a.relief != b.relief:
		return a.relief > b.relief
	}
	return a.gap < b.gap
}

// solve finds choices with which everything fits, if there are, and then better ones.
func (p *problem) solve(progress func(done, total int)) {
	var large, all []int32
	for i := range p.gaps {
		all = append(all, int32(i))
		if p.load.Size[p.gaps[i].tensor] >= p.memory/small {
			large = append(large, int32(i))
		}
	}
	start := p.over
	p.tell = func() {
		if progress == nil {
			return
		}
		if p.improving {
			progress(700+p.improved, 1000)
		} else {
			progress(700*(start-p.over)/start, 1000)
		}
	}
	p.fill(large)
	p.fill(all)
	p.improve()
}

// fill moves gaps of the list until every kernel fits, the best first. What a gap
// relieves by shrinks, and what it costs grows, as others move, so the best of a heap
// is looked at again before it is taken, and taken if it is within an eighth of what the
// next was, or if patience is at its end.
func (p *problem) fill(list []int32) {
	if p.over == 0 {
		return
	}
	var h heap
	for _, i := range list {
		if c, ok := p.best(i); ok {
			h.push(c)
		}
	}
	for p.over > 0 && len(h) > 0 {
		top := h.pop()
		c, ok := p.best(top.gap)
		if !ok {
			continue
		}
		near := c
		near.cost -= near.cost / 8
		if len(h) > 0 && h[0].better(&near) && p.work < p.patience {
			h.push(c)
			continue
		}
		p.set(c.gap, c.choice)
		if c, ok = p.best(c.gap); ok { // for longer
			h.push(c)
		}
	}
}

// looked counts kernels that were looked at, and tells progress often.
func (p *problem) looked(kernels int) {
	p.work += kernels
	if p.work-p.told >= often {
		p.told = p.work
		if p.tell != nil {
			p.tell()
		}
	}
}

// best returns the best choice for gap i that relieves kernels which do not fit, and
// none that did fit of less than now. ok is false when there is none.
func (p *problem) best(i int32) (best candidate, ok bool) {
	g, was := &p.gaps[i], p.chosen[i]
	size := p.load.Size[g.tensor]
	lo, hi := g.end, g.at // relieved already: none
	if was.moved {
		lo, hi = was.from(), was.to()
	}
	if was.moved && lo == g.at && hi == g.end {
		return best, false
	}
	// relief[k-g.at] sums up what kernels g.at to k-1 are relieved by, full in how many of
	// them host memory has no room: in none if it has room for everything.
	n := g.end - g.at
	p.looked(int(n))
	relief, full := p.relief[:n+1], p.full[:n+1]
	at := p.kernel(g.at)
	var sum unit.Bytes
	var fulls int32
	for j := range n {
		if k := g.at + j; k < lo || k >= hi {
			if e := p.excess[at]; e > 0 {
				sum += min(size, e)
			}
			if !p.roomy && p.away(at)+size > p.host {
				fulls++
			}
		}
		relief[j+1] = sum
		if !p.roomy {
			full[j+1] = fulls
		}
		if at++; int(at) == len(p.exec) {
			at = 0
		}
	}
	p.tried++
	if sum == 0 {
		return best, false
	}
	alone := p.without(i)
	old := alone.of(p, was)
	p.ends(g, was, alone)
	for _, out := range p.outs {
		for _, in := range p.ins {
			c := choice{true, out.sync, in.sync, out.at, in.at}
			if c.from() >= c.to() {
				break
			}
			r := relief[c.to()-g.at] - relief[c.from()-g.at]
			if r <= 0 || full[c.to()-g.at] > full[c.from()-g.at] {
				continue
			}
			x := candidate{i, c, out.cost + in.cost - alone.saved - old, r}
			if !ok || x.better(&best) {
				best, ok = x, true
			}
		}
	}
	p.with(i, was)
	return best, ok
}

// A price is what choices for a gap cost when it is not moved yet.
type price struct{ write, read, saved unit.Cycles }

// without takes gap i's moves off the time, but not its memory, and returns what choices
// for it would cost. An earlier gap of the value saves the copy out; a later one is
// saved its own.
func (p *problem) without(i int32) price {
	g := &p.gaps[i]
	p.charge(g.value, -1)
	p.chosen[i].moved = false
	p.charge(g.value, +1)
	d := p.move[g.tensor]
	a := price{write: d, read: d}
	if p.clean[g.tensor] {
		a.write = 0
		return a
	}
	for j := p.first[g.value]; j < p.first[g.value+1]; j++ {
		c := p.chosen[j]
		switch {
		case !c.moved:
			continue
		case j < i:
			a.write = 0
		case c.syncOut:
			a.saved = d
		default:
			a.saved = -p.cost(c.out, -d)
		}
		break
	}
	return a
}

// with undoes without.
func (p *problem) with(i int32, was choice) {
	g := &p.gaps[i]
	p.charge(g.value, -1)
	p.chosen[i] = was
	p.charge(g.value, +1)
}

// of is by how much choice c lengthens the iteration.
func (a price) of(p *problem, c choice) unit.Cycles {
	if !c.moved {
		return 0
	}
	at := func(k int32, sync bool, d unit.Cycles) unit.Cycles {
		if sync {
			return d
		}
		return p.cost(k, d)
	}
	if !c.syncOut && !c.syncIn && c.out == c.in {
		return p.cost(c.out, a.write+a.read) - a.saved
	}
	return at(c.out, c.syncOut, a.write) + at(c.in, c.syncIn, a.read) - a.saved
}

// price is what the moves of gap i cost.
func (p *problem) price(i int32) unit.Cycles {
	was := p.chosen[i]
	a := p.without(i)
	d := a.of(p, was)
	p.with(i, was)
	return d
}

// An end is one way of a choice, and what it costs.
type end struct {
	at   int32
	sync bool
	cost unit.Cycles
}

// ends lists ways out and ways in for a gap that give its memory back for as long as now
// at least, best in that respect first; others only if they cost less than those.
func (p *problem) ends(g *gap, was choice, a price) {
	lastOut, firstIn := g.end-1, g.at
	if was.moved {
		lastOut, firstIn = was.from()-1, was.to()
	}
	p.outs = append(p.outs[:0], end{g.at, true, a.write})
	for k, least := g.at, a.write; k <= lastOut && least > 0; k++ {
		if d := p.cost(k, a.write); d < least {
			least = d
			p.outs = append(p.outs, end{k, false, d})
		}
	}
	p.ins = append(p.ins[:0], end{g.end, true, a.read})
	for k, least := g.end-1, a.read; k >= firstIn && least > 0; k-- {
		if d := p.cost(k, a.read); d < least {
			least = d
			p.ins = append(p.ins, end{k, false, d})
		}
	}
}

// improve takes every moved gap back in turn, most expensive first, and fills anew
// with those that share a kernel with it; what is not faster is undone.
func (p *problem) improve() {
	if p.over > 0 {
		return
	}
	p.improving = true
	list := p.moved()
	prices := make([]unit.Cycles, len(p.gaps))
	for _, i := range list {
		prices[i] = p.price(i)
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(prices[b], prices[a]) })
	work := 0
	var undo state
	for done, i := range list {
		if p.improved = 300 * done / len(list); done%16 == 0 {
			p.tell()
		}
		if work > budget || p.work > p.patience {
			break
		}
		before := p.objective()
		undo.save(p)
		p.set(i, choice{})
		near := p.near(&p.gaps[i])
		for _, j := range near {
			work += int(p.gaps[j].end - p.gaps[j].at)
		}
		work += len(p.exec)
		p.looked(len(p.gaps) + len(p.exec))
		if p.fill(near); p.over > 0 || p.objective() >= before {
			undo.restore(p)
		}
	}
}

// near lists the gaps that have a kernel in common with g that does not fit.
func (p *problem) near(g *gap) []int32 {
	lo, hi := int32(-1), int32(-1)
	for k := g.at; k < g.end; k++ {
		if p.excess[p.kernel(k)] > 0 {
			if lo < 0 {
				lo = k
			}
			hi = k + 1
		}
	}
	var list []int32
	if lo < 0 {
		return nil
	}
	n := int32(len(p.exec))
	for j := range p.gaps {
		x := &p.gaps[j]
		if x.at < hi && lo < x.end || x.at < hi-n && lo-n < x.end || x.at < hi+n && lo+n < x.end {
			list = append(list, int32(j))
		}
	}
	return list
}

// A state is a solution to come back to.
type state struct {
	chosen  []choice
	beside  []unit.Cycles
	between unit.Cycles
	excess  []unit.Bytes
	over    int
}

func (s *state) save(p *problem) {
	s.chosen = append(s.chosen[:0], p.chosen...)
	s.beside = append(s.beside[:0], p.beside...)
	s.excess = append(s.excess[:0], p.excess...)
	s.between, s.over = p.between, p.over
}

func (s *state) restore(p *problem) {
	copy(p.chosen, s.chosen)
	copy(p.beside, s.beside)
	copy(p.excess, s.excess)
	p.between, p.over = s.between, s.over
}

// A heap has its best candidate first.
type heap []candidate

func (h *heap) push(c candidate) {
	a := append(*h, c)
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !a[i].better(&a[up]) {
			break
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
	*h = a
}

func (h *heap) pop() candidate {
	a := *h
	top := a[0]
	last := len(a) - 1
	a[0] = a[last]
	a = a[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && a[c+1].better(&a[c]) {
			c++
		}
		if !a[c].better(&a[i]) {
			break
		}
		a[i], a[c] = a[c], a[i]
		i = c
	}
	*h = a
	return top
}
