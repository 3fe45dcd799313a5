package store

import (
	"fmt"
	"math/bits"
	"slices"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// A Policy says which tensor in the store is evicted first and which is
// brought back first. [Policies] lists them; [Oracle] is the measure.
type Policy struct {
	Name  string // stable, in links and files
	Title string
	About string // one sentence
	// Ours marks what the report does not have.
	Ours bool
	// Main marks the laboratory's answer to the report's three.
	Main bool
	// Usual marks what stores have where nobody thought of it.
	Usual bool

	by     order
	bySize bool    // weigh the distance with the bytes that help
	byCost bool    // and that with what an eviction and the way back take
	script *script // of what somebody wrote; nil of all others
}

// order is what a policy sorts by. A tensor's key is set by its put.
type order uint8

const (
	byPut       order = iota // number of the put
	byAccess                 // number of the last create or get
	byTime                   // declared time of the next get
	byOperation              // declared number of the next get among its client's operations
	byTruth                  // the next get of the trace
	byScript                 // what somebody wrote
)

// Policies returns the systems of the laboratory, the report's three first.
func Policies() []Policy {
	return []Policy{
		{Name: "fifo", Title: "FIFO", by: byPut, About: "What was put first is evicted first, and brought back first."},
		{Name: "lru", Title: "LRU", by: byAccess, Usual: true, About: "What was created or got longest ago is evicted first; what was so last is brought back first."},
		{Name: "latency-aware", Title: "Latency-aware", by: byTime, About: "What is needed last by the times that clients declare is evicted first; what is needed first is brought back first."},
		{Name: "latency-logical", Title: "Latency-aware, logical", by: byOperation, Ours: true, About: "As latency-aware, but clients declare the number of the operation that needs the tensor, which waiting cannot make wrong."},
		{Name: "size-aware", Title: "Size-aware", by: byOperation, bySize: true, Ours: true, Main: true, About: "As latency-aware, logical, but a victim's distance counts as often as it has bytes that help."},
	}
}

// Oracle returns the policy that knows the trace: the victim is the tensor whose
// next get is farthest, in its client's thinking time from where the client is.
// With tensors of one size and one client it is Belady's choice; with several
// sizes there is no better one that is easy to find, and it can be beaten.
func Oracle() Policy {
	return Policy{
		Name: "oracle", Title: "Belady's order", by: byTruth, Ours: true,
		About: "The tensor that the trace needs last is evicted first; what it needs first is brought back first. It orders by need, not by size or time: a policy that sees those can finish sooner.",
	}
}

// informed returns the policies that know the trace: Belady's order by time, by time and size, and
// by that over what leaving and coming back cost. None is best; [BestKnown] tries all.
func informed() []Policy {
	size, cost := Oracle(), Oracle()
	size.Name, size.bySize = "oracle-size", true
	cost.Name, cost.bySize, cost.byCost = "oracle-cost", true, true
	return []Policy{Oracle(), size, cost}
}

// Find returns the policy of a name, the oracle's included.
func Find(name string) (Policy, error) {
	for _, p := range append(Policies(), Oracle()) {
		if p.Name == name {
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("unknown policy %q; want fifo, lru, latency-aware, latency-logical, size-aware or oracle", name)
}

// never is the key of a tensor whose next use nobody told, or that has none.
const never = 1 << 62

// perClient reports whether keys are numbers of a client's operations, so that
// those of two clients cannot be compared.
func (o order) perClient() bool { return o == byOperation || o == byTruth }

// key returns the key of tensor x, just put by operation i.
func (r *run) key(by order, x *tensor, i int32) int64 {
	switch by {
	case byPut:
		return -int64(r.handled)
	case byAccess:
		return -int64(x.access)
	case byTime:
		if after, ok := r.plan.after(i); ok {
			return int64(r.arrival + after)
		}
	case byOperation:
		if n := r.plan.declared(i); n > 0 {
			return int64(n)
		}
	case byTruth:
		if n := r.plan.next[i]; n >= 0 {
			return int64(r.plan.number[n])
		}
	}
	return never
}

// distance says how far from now the key of a tensor of client c is; what is
// farther is evicted earlier.
func (r *run) distance(by order, c int32, key int64) int64 {
	switch {
	case key == never || !by.perClient():
		return key
	case by == byOperation:
		return key - int64(r.number[c])
	}
	own := r.plan.of(c)
	return int64(r.plan.clock[own[key-1]] - r.plan.clock[own[r.number[c]-1]])
}

// score is a distance times the bytes that help where short are missing.
func score(distance int64, size, short unit.Bytes) int64 {
	return min(max(distance, 1), ops.MaxOps) * int64(min(size, short))
}

// classes is how many classes of size there are: by powers of two.
const classes = 44

func class(b unit.Bytes) int { return bits.Len64(uint64(b)) }

// victims is what may be evicted, ready to find the first. Keys that cannot be
// compared are in groups, one a client; for a policy by size each group has one
// heap a class of size.
type victims struct {
	by     order
	bySize bool
	byCost bool
	heaps  []heap   // by group, then by class
	filled []uint64 // classes that may have a tensor, by group
	// What first has found in each group, unless stale has its bit; for
	// policies that do not weigh sizes.
	farthest []candidate
	stale    uint64
}

// A candidate is a tensor and how much it is wanted; tensor -1 is none.
type candidate struct {
	tensor int32
	value  int64
}

func newVictims(p *Policy, clients int) victims {
	v := victims{by: p.by, bySize: p.bySize, byCost: p.byCost}
	groups, per := 1, 1
	if v.by.perClient() {
		groups = clients
	}
	if v.bySize {
		per = classes
	}
	v.heaps, v.filled, v.farthest = make([]heap, groups*per), make([]uint64, groups), make([]candidate, groups)
	v.stale = 1<<groups - 1
	return v
}

// place returns a tensor's group and the class within it.
func (v *victims) place(x *tensor) (group, in int) {
	if v.by.perClient() {
		group = int(x.client)
	}
	if v.bySize {
		in = class(x.bytes)
	}
	return group, in
}

func (v *victims) heap(group, in int) *heap {
	if v.bySize {
		return &v.heaps[group*classes+in]
	}
	return &v.heaps[group]
}

func (v *victims) add(ts []tensor, t int32, key int64) {
	g, in := v.place(&ts[t])
	v.filled[g] |= 1 << in
	v.stale |= 1 << g
	h := v.heap(g, in)
	if h.live++; len(h.entries) > 2*h.live+64 {
		h.compact(ts)
	}
	h.push(entry{key, t, ts[t].stamp})
}

// drop counts a tensor out; its entry is stale once the tensor's stamp changes.
func (v *victims) drop(x *tensor) {
	g, in := v.place(x)
	v.stale |= 1 << g
	v.heap(g, in).live--
}

// victim returns what the policy evicts where short bytes are missing, -1 if there is nothing.
func (r *run) victim(short unit.Bytes) int32 {
	if r.own != nil && !r.own.heap {
		return r.own.victim(short)
	}
	return r.first(&r.victims, short).tensor
}

// first returns the victim where short bytes are missing and how far away its
// next use is (times bytes for a policy by size); tensor -1 if there is none.
func (r *run) first(v *victims, short unit.Bytes) candidate {
	best := candidate{tensor: -1}
	for g := range v.filled {
		c := &v.farthest[g]
		if v.bySize || v.stale>>g&1 != 0 {
			*c = r.firstOf(v, g, short)
		}
		if c.tensor >= 0 && (best.tensor < 0 || c.value > best.value || c.value == best.value && c.tensor < best.tensor) {
			best = *c
		}
	}
	v.stale = 0
	return best
}

// firstOf is first within a group.
func (r *run) firstOf(v *victims, g int, short unit.Bytes) candidate {
	best := candidate{tensor: -1}
	for mask := v.filled[g]; mask != 0; mask &= mask - 1 {
		in := bits.TrailingZeros64(mask)
		h := v.heap(g, in)
		if h.live == 0 {
			h.entries = h.entries[:0]
			v.filled[g] &^= 1 << in
			continue
		}
		e := h.top(r.tensors)
		d := r.distance(v.by, int32(g), e.key)
		if v.bySize {
			d = score(d, r.tensors[e.tensor].bytes, short)
		}
		if v.byCost {
			bytes := r.tensors[e.tensor].bytes
			d /= max(1, int64((r.setup.evict(bytes)+r.setup.fetch(bytes))/unit.Microsecond))
		}
		if best.tensor < 0 || d > best.value || d == best.value && e.tensor < best.tensor {
			best = candidate{e.tensor, d}
		}
	}
	return best
}

// An entry is a tensor as it was put; it is stale if the tensor's stamp is
// another by now.
type entry struct {
	key    int64
	tensor int32
	stamp  int32
}

// before: the greater key is first, among equals the smaller tensor number.
func (e *entry) before(f *entry) bool {
	return e.key > f.key || e.key == f.key && e.tensor < f.tensor
}

// A heap has the first entry at the front. Entries are deleted lazily.
type heap struct {
	entries []entry
	live    int // entries that are not stale
}

func (h *heap) push(e entry) {
	h.entries = append(h.entries, e)
	es, i := h.entries, len(h.entries)-1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&es[up]) {
			break
		}
		es[i], i = es[up], up
	}
	es[i] = e
}

// top returns the first entry that is not stale; there must be one.
func (h *heap) top(ts []tensor) entry {
	for {
		e := h.entries[0]
		if ts[e.tensor].stamp == e.stamp {
			return e
		}
		n := len(h.entries) - 1
		h.entries[0] = h.entries[n]
		h.entries = h.entries[:n]
		h.down(0)
	}
}

func (h *heap) down(i int) {
	es := h.entries
	if i >= len(es) {
		return
	}
	e := es[i]
	for {
		c := 2*i + 1
		if c >= len(es) {
			break
		}
		if c+1 < len(es) && es[c+1].before(&es[c]) {
			c++
		}
		if !es[c].before(&e) {
			break
		}
		es[i], i = es[c], c
	}
	es[i] = e
}

// fresh leaves out the entries that are stale.
func fresh(list []entry, ts []tensor) []entry {
	return slices.DeleteFunc(list, func(e entry) bool { return ts[e.tensor].stamp != e.stamp })
}

// compact removes the stale entries.
func (h *heap) compact(ts []tensor) {
	h.entries = fresh(h.entries, ts)
	for i := len(h.entries)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}
