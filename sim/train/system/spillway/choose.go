package spillway

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"spillway/sim/bound"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A rule says which gaps are best.
type rule uint8

const (
	byShare  rule = iota // what movements near the bound have away
	byMargin             // what prices say that it earns
	bySteps              // the same in steps of a tenth, and the longest of equals
	rules

	// Where a part is switched off:
	byShareAlone = rules     // by share, and prices say nothing where it is none
	byLength     = rules + 1 // the longest
)

// An order says what goes to the host.
type order uint8

const (
	byPrice  order = iota // what costs most on the SSD in comparison
	byMix                 // as movements near the bound divide it
	shortest              // what stays for the shortest time
	orders
	asTheyLeave = orders // what leaves first; where tiers are not chosen
)

// spares are hundredths of memory that a program leaves free, for what returns late and
// leaves early.
var spares = [...]unit.Bytes{0, 3, 6, 10}

// A recipe is how a program is made.
type recipe struct {
	rule   rule
	order  order
	ahead  bool
	spare  uint8 // plan for a little less memory: of spares
	narrow bool  // prices are those of slower links
}

// A planner makes programs of one problem.
type planner struct {
	*bound.Problem
	need   []unit.Bytes // what kernels need of memory if nothing is away that anybody reads
	free   []bound.Value
	guides [2]*bound.Guide // of links as they are, and of slower ones
}

// A choice is a gap in which a value is away.
type choice struct {
	value, gap int
	from, to   int // the gap
	back       int // the kernel at which it may come back
}

// guide returns what prices say.
func (p *planner) guide(narrow bool) *bound.Guide {
	i := 0
	if narrow {
		i = 1
	}
	if p.guides[i] == nil {
		x := *p.Problem
		if narrow {
			for _, rate := range []*unit.Bandwidth{&x.Machine.GPULink, &x.Machine.HostLink, &x.Machine.SSDRead, &x.Machine.SSDWrite} {
				*rate = *rate / 10 * 7
			}
		}
		p.guides[i] = x.Guide(bound.Most)
	}
	return p.guides[i]
}

// A candidate is a gap with its score.
type candidate struct {
	hint  int
	score float64
	span  int
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(c[j].score, c[i].score), cmp.Compare(c[j].span, c[i].span), cmp.Compare(c[i].hint, c[j].hint)) < 0
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}

// score is how good it is that a gap's value is away.
func (r rule) score(h *bound.Hint, paid bool) float64 {
	switch {
	case r == byLength:
		return 0
	case r == byShareAlone && h.Share == 0:
		return -2
	case r == byShareAlone:
		return h.Share - h.Position
	}
	margin := max(h.Margin[0], h.Margin[1])
	if paid {
		margin = max(h.Paid[0], h.Paid[1])
	}
	switch {
	case r == byShare && h.Share == 0:
		return -2 + max(-1, min(1, margin)) // none is away like this one; the prices know best
	case r == byShare:
		return h.Share - h.Position
	case r == bySteps:
		return math.Floor(margin * 10)
	}
	return margin
}

// choose returns gaps with which every kernel has room, best first, and the memory that is
// used then; nil if there are none.
func (p *planner) choose(x recipe, memory unit.Bytes) ([]choice, *ring) {
	g, use := p.guide(x.narrow), newRing(p.need)
	first := make([]int, len(p.Values)) // hint of each value's first gap
	var list candidates
	for i := range g.Gaps {
		h := &g.Gaps[i]
		if h.Gap == 0 {
			first[h.Value] = i
		}
		gap := p.Values[h.Value].Gaps[h.Gap]
		list = append(list, candidate{i, x.rule.score(h, false), gap.To - gap.From})
	}
	heap.Init(&list)
	taken := make([]bool, len(g.Gaps))
	var chosen []choice
	for use.all() > memory && len(list) > 0 {
		c := heap.Pop(&list).(candidate)
		h := &g.Gaps[c.hint]
		v := &p.Values[h.Value]
		gap := v.Gaps[h.Gap]
		if taken[c.hint] || use.max(gap.From+1, gap.To) <= memory {
			continue
		}
		taken[c.hint] = true
		use.add(gap.From+1, gap.To, -v.Size)
		chosen = append(chosen, choice{value: h.Value, gap: h.Gap, from: gap.From, to: gap.To})
		for i := range v.Gaps { // the others need no second copy
			if at := first[h.Value] + i; !taken[at] {
				list.Push(candidate{at, x.rule.score(&g.Gaps[at], true), v.Gaps[i].To - v.Gaps[i].From})
				heap.Fix(&list, len(list)-1)
			}
		}
	}
	if use.all() > memory {
		return nil, nil
	}
	for i := len(chosen) - 1; i >= 0; i-- {
		c := &chosen[i]
		if size := p.Values[c.value].Size; use.max(c.from+1, c.to)+size <= memory {
			use.add(c.from+1, c.to, size)
			chosen = slices.Delete(chosen, i, i+1)
		}
	}
	return chosen, use
}

// returns sets when what is away may come back: as soon as there is room from then on.
func (p *planner) returns(chosen []choice, use *ring, memory unit.Bytes) []choice {
	slices.SortStableFunc(chosen, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.to%p.Kernels, b.to%p.Kernels), cmp.Compare(a.value, b.value), cmp.Compare(a.gap, b.gap))
	})
	kept := chosen[:0]
	for _, c := range chosen {
		size := p.Values[c.value].Size
		c.back = use.since(c.from+1, c.to, size, memory)
		use.add(c.back, c.to, size)
		if c.back > c.from+1 {
			kept = append(kept, c)
		}
	}
	return kept
}

// A stay is a copy outside of the GPU: of one value, or of a global that nobody writes.
type stay struct {
	choices []int
	from    int // kernels in which it takes its tier's memory
	to      int
	size    unit.Bytes
	gain    float64 // of the host over the SSD
	share   float64 // of the host
	clean   bool
}

// stays returns the copies that choices need.
func (p *planner) stays(chosen []choice, x recipe) []stay {
	g := p.guide(x.narrow)
	hints := map[[2]int]*bound.Hint{}
	for i := range g.Gaps {
		hints[[2]int{g.Gaps[i].Value, g.Gaps[i].Gap}] = &g.Gaps[i]
	}
	at := map[int]int{} // by value, or below 0 by tensor
	var list []stay
	for i, c := range chosen {
		v := &p.Values[c.value]
		key := c.value
		if v.Born < 0 {
			key = -1 - int(v.Tensor)
		}
		k, ok := at[key]
		if !ok {
			k = len(list)
			at[key] = k
			s := stay{size: v.Size, from: c.from + 1, to: c.to, clean: v.Born < 0}
			if x.ahead && !s.clean {
				s.from = v.Born + 1
			}
			if s.clean {
				s.from, s.to = 0, p.Kernels
			}
			list = append(list, s)
		}
		s := &list[k]
		s.choices = append(s.choices, i)
		if !s.clean {
			s.from, s.to = min(s.from, c.from+1), max(s.to, c.to)
		}
		h := hints[[2]int{c.value, c.gap}]
		s.gain += h.Margin[0] - h.Margin[1]
		s.share = max(s.share, h.InHost)
	}
	return list
}

// host chooses what goes to the host, while it has room; the result is by choice.
func (p *planner) host(chosen []choice, x recipe) []bool {
	list := p.stays(chosen, x)
	inHost := make([]bool, len(chosen))
	index := make([]int, len(list))
	for i := range index {
		index[i] = i
	}
	switch x.order {
	case byPrice:
		slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(list[b].gain, list[a].gain) })
	case shortest:
		slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(list[a].to-list[a].from, list[b].to-list[b].from) })
	case asTheyLeave:
		slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(list[a].from, list[b].from) })
	}
	use := newRing(make([]unit.Bytes, p.Kernels))
	const golden = 0.6180339887498949
	turn := 0.0
	for _, i := range index {
		s := &list[i]
		if turn += golden; turn >= 1 {
			turn--
		}
		if x.order == byPrice && s.gain < -1e-6 || x.order == byMix && turn >= s.share {
			continue
		}
		end := min(s.to, s.from+p.Kernels)
		if use.max(s.from, end)+s.size > p.Machine.HostMemory {
			continue
		}
		use.add(s.from, end, s.size)
		for _, c := range s.choices {
			inHost[c] = true
		}
	}
	return inHost
}

// program returns the program of a recipe, nil if it finds none.
func (p *planner) program(x recipe) *program.Program {
	memory := p.Machine.GPUMemory / unit.Page * unit.Page
	memory -= memory / 100 * spares[x.spare]
	chosen, use := p.choose(x, memory)
	if chosen == nil {
		return nil
	}
	chosen = p.returns(chosen, use, memory)
	inHost := p.host(chosen, x)
	last, copied := map[int]int{}, map[int]bool{}
	for _, c := range chosen {
		last[c.value] = max(last[c.value], c.to)
	}
	var ops []program.Op
	add := func(at int, kind program.Kind, t workload.TensorID, to machine.Tier) {
		ops = append(ops, program.Op{At: workload.KernelID(at % p.Kernels), Kind: kind, Tensor: t, To: to})
	}
	for i, c := range chosen {
		v, to := &p.Values[c.value], machine.SSD
		if inHost[i] {
			to = machine.Host
		}
		add(c.from+1, program.Evict, v.Tensor, to)
		add(c.back, program.Prefetch, v.Tensor, machine.Nowhere)
		if v.Born < 0 {
			continue
		}
		if x.ahead && !copied[c.value] {
			copied[c.value] = true
			add(v.Born+1, program.Copy, v.Tensor, to)
		}
		if c.to == last[c.value] {
			add(c.to+1, program.Forget, v.Tensor, machine.Nowhere)
		}
	}
	for i := range p.free {
		add(p.free[i].Gaps[0].From+1, program.Free, p.free[i].Tensor, machine.Nowhere)
	}
	sortOps(ops)
	return &program.Program{Ops: ops}
}

// sortOps orders operations as they are carried out; of one kernel, what makes room first.
func sortOps(ops []program.Op) {
	rank := func(k program.Kind) int {
		return slices.Index([]program.Kind{program.Free, program.Forget, program.Evict, program.Copy, program.Prefetch}, k)
	}
	slices.SortStableFunc(ops, func(a, b program.Op) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(rank(a.Kind), rank(b.Kind)))
	})
}
