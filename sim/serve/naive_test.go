package serve

import (
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/unit"
)

// simple is one replica without tiers, step by step, as the package's comment says it: lists that are searched, nothing that is kept up
// to date, no closed sums.
type simple struct {
	s     *Setting
	c     *cost
	w     *Workload
	room  int64
	block int64
	t     unit.Time

	wait []int // the first is next
	on   []*turn
	refs map[Block]int
	idle []Block // that nobody has, the one that was not used for the longest time first
	out  []Served
	made []int32
}

// turn is a request under way.
type turn struct {
	id           int
	mine         map[int]bool // blocks that it shares
	held         int64        // tokens of its own
	stored, left int64
	decodes      bool
	fresh, first bool
}

func (x *simple) used() (n int64) {
	for _, q := range x.on {
		n += q.held
	}
	return n + int64(len(x.refs))*x.block
}

func (x *simple) decoders() (n int64) {
	for _, q := range x.on {
		if q.decodes {
			n++
		}
	}
	return n
}

// shrink forgets blocks until so many tokens more fit.
func (x *simple) shrink(more int64) {
	for len(x.idle) > 0 && x.used()+int64(len(x.idle))*x.block+more > x.room {
		x.idle = x.idle[1:]
	}
}

func (x *simple) admit() {
	for len(x.wait) > 0 && int64(len(x.on)) < x.s.Sequences {
		id := x.wait[0]
		r := &x.w.Requests[id]
		total := int64(r.Prompt + x.made[id])
		need := total
		if x.s.Reserve == WholeText {
			need = int64(r.Prompt) + int64(r.Output)
		}
		hit := 0
		fresh := int64(0)
		for x.block > 0 && hit < len(r.Blocks) && int64(hit+1)*x.block < int64(r.Prompt) {
			b := r.Blocks[hit]
			if x.refs[b] == 0 && !slices.Contains(x.idle, b) {
				break
			}
			if x.refs[b] == 0 {
				fresh++
			}
			hit++
		}
		need -= int64(hit) * x.block
		more := int64(0)
		if x.s.Reserve != WholeText {
			more = x.decoders()
		}
		if x.used()+need+fresh*x.block+more > x.room {
			return
		}
		x.wait = x.wait[1:]
		q := &turn{id: id, mine: map[int]bool{}, held: need, stored: int64(hit) * x.block, left: total - int64(hit)*x.block}
		for i, b := range r.Blocks[:hit] {
			if at := slices.Index(x.idle, b); at >= 0 {
				x.idle = slices.Delete(x.idle, at, at+1)
			}
			x.refs[b]++
			q.mine[i] = true
		}
		x.on = append(x.on, q)
		x.shrink(0)
		q.fresh = true
		if v := &x.out[id]; v.Admit < 0 {
			q.first = true
			v.Admit = x.t
			v.Tokens[InHBM], v.Tokens[Computed] = int32(int64(hit)*x.block), int32(q.left)
		}
	}
}

// again shares what others computed since q was admitted, if its first chunk is next.
func (x *simple) again(q *turn) {
	r := &x.w.Requests[q.id]
	for q.fresh && x.block > 0 {
		i := int(q.stored / x.block)
		if i >= len(r.Blocks) || int64(i+1)*x.block >= int64(r.Prompt) || x.refs[r.Blocks[i]] == 0 && !slices.Contains(x.idle, r.Blocks[i]) {
			break
		}
		b := r.Blocks[i]
		x.idle = slices.DeleteFunc(x.idle, func(o Block) bool { return o == b })
		x.refs[b]++
		q.mine[i] = true
		q.held, q.stored, q.left = q.held-x.block, q.stored+x.block, q.left-x.block
		if q.first {
			x.out[q.id].Tokens[InHBM] += int32(x.block)
			x.out[q.id].Tokens[Computed] -= int32(x.block)
		}
	}
	q.fresh = false
}

func (x *simple) release(q *turn) {
	r := &x.w.Requests[q.id]
	for i := len(r.Blocks) - 1; i >= 0; i-- {
		if b := r.Blocks[i]; q.mine[i] {
			if x.refs[b]--; x.refs[b] == 0 {
				delete(x.refs, b)
				x.idle = append(x.idle, b)
			}
		}
	}
	x.on = slices.DeleteFunc(x.on, func(o *turn) bool { return o == q })
}

// keep makes known the blocks of so many tokens.
func (x *simple) keep(q *turn, from, to int64) {
	r := &x.w.Requests[q.id]
	if x.block == 0 {
		return
	}
	for i := from / x.block; i < min(int64(len(r.Blocks)), to/x.block); i++ {
		if b := r.Blocks[i]; !q.mine[int(i)] && x.refs[b] == 0 && !slices.Contains(x.idle, b) {
			x.refs[b] = 1
			q.mine[int(i)] = true
			q.held -= x.block
		}
	}
}

func (x *simple) end(q *turn) {
	r := &x.w.Requests[q.id]
	x.keep(q, int64(r.Prompt), int64(r.Prompt)+int64(r.Output)-1)
	x.out[q.id].Done = x.t
	x.release(q)
}

// step makes one step; it reports whether there was anything to do.
func (x *simple) step() bool {
	whole := x.s.Reserve == WholeText
	for !whole && x.used()+x.decoders() > x.room {
		q := x.on[len(x.on)-1]
		x.release(q)
		x.wait = slices.Insert(x.wait, 0, q.id)
		x.out[q.id].Preempted++
	}
	b, ctx, p, pairs := x.decoders(), int64(0), int64(0), int64(0)
	if !whole {
		x.shrink(b)
	}
	part := map[*turn]int64{}
	for _, q := range x.on {
		if q.decodes {
			ctx += q.stored + 1
		} else if x.s.Tokens-b-p > 0 {
			x.again(q)
			n := min(q.left, x.s.Tokens-b-p)
			if x.out[q.id].Start < 0 {
				x.out[q.id].Start = x.t
			}
			pairs += pairsOf(q.stored, n)
			p += n
			part[q] = n
		}
	}
	if b+p == 0 {
		return false
	}
	x.t += x.c.mixed(b, ctx, p, pairs)
	var over []*turn
	for _, q := range slices.Clone(x.on) {
		r := &x.w.Requests[q.id]
		switch {
		case q.decodes:
			q.stored++
			if !whole {
				q.held++
			}
			if x.made[q.id]++; x.made[q.id] == r.Output {
				over = append(over, q)
			}
		case part[q] > 0:
			q.stored, q.left = q.stored+part[q], q.left-part[q]
			if q.left > 0 {
				continue
			}
			x.keep(q, 0, int64(r.Prompt))
			if x.made[q.id] == 0 {
				x.out[q.id].First = x.t
			}
			if x.made[q.id]++; x.made[q.id] == r.Output {
				x.end(q)
			} else {
				q.decodes = true
			}
		}
	}
	slices.SortFunc(over, func(a, b *turn) int { return a.id - b.id })
	for _, q := range over {
		x.end(q)
	}
	return true
}

func (x *simple) run() []Served {
	n := len(x.w.Requests)
	x.refs, x.out, x.made = map[Block]int{}, make([]Served, n), make([]int32, n)
	front := make([]unit.Time, n)
	last := unit.Time(0)
	for i := range n {
		x.out[i].Arrive = x.w.Requests[i].At
		x.out[i].Admit, x.out[i].Start = -1, -1
		last = max(last, x.out[i].Arrive) + x.s.Front
		front[i] = last
	}
	for next := 0; ; {
		for ; next < n && front[next] <= x.t; next++ {
			x.wait = append(x.wait, next)
		}
		x.admit()
		if !x.step() {
			if next == n {
				return x.out
			}
			x.t = front[next]
		}
	}
}

// TestSimple: a plain program gives the same, request by request.
func TestSimple(t *testing.T) {
	ran, preempted, hits := 0, int32(0), int64(0)
	for seed := range effort.Seeds(1200) {
		w, s := random(t, seed)
		s.Node.GPUs = s.Tensor
		if s.System != "no-prefix" {
			s.System = "hbm"
		}
		if w.Users > 0 || slices.ContainsFunc(w.Requests, func(r Request) bool { return r.After >= 0 }) {
			continue
		}
		w.Requests = w.Requests[:min(len(w.Requests), 100)]
		r, err := Run(w, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Ran() {
			continue
		}
		full, sys, e, err := s.resolve()
		if err != nil {
			t.Fatal(err)
		}
		x := simple{s: full, c: newCost(full, e, ChipOf(&s.Node.GPU, s.Engine, s.Weights, sys.Stream), sys), w: w, room: r.Memory.KVTokens}
		if sys.Prefix {
			x.block = int64(w.Block)
		}
		ran++
		for i, want := range x.run() {
			got := r.Requests[i]
			got.Phases = [Phases]unit.Time{}
			preempted += got.Preempted
			hits += int64(got.Tokens[InHBM])
			if got != want {
				t.Fatalf("seed %d (%s): request %d:\n%+v, simply\n%+v", seed, s.System, i, got, want)
			}
		}
	}
	t.Logf("%d ran; %d preempted, %d tokens found", ran, preempted, hits)
}
