package promise

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"spillway/sim/filesys/plan"
)

// A Search says which images are looked at.
type Search struct {
	// Whole is up to how many unflushed blocks all subsets are tried.
	Whole int
	// Random subsets are tried where there are more.
	Random int
	// Torn: a block may also be there in part: it is larger than what the device writes at once.
	Torn bool
	// Most images are looked at, and Pages of files in them; of a history with more, moments are
	// left out evenly.
	Most  int
	Pages int64
	// Seed is what random subsets begin with.
	Seed uint64
}

// Default returns a search that ends within a second or so.
func Default() Search { return Search{Whole: 8, Random: 24, Most: 20_000, Pages: 20_000_000, Seed: 1} }

// A Break is a broken promise: the moment, the image, and what is not as promised.
type Break struct {
	Kind  Kind
	Event int   // the power fails before it
	Call  int32 // whose promise it is, from 1
	Node  int32
	Page  int32 // of the file; −1 is all of it
	// Lost are the events of blocks that were stored and not flushed, and are lost in this image;
	// Kept those that are there, Torn those that are there in part.
	Lost, Kept, Torn []int
}

// A Moment is what was found at one.
type Moment struct {
	Event       int
	Images, Bad int32
}

// Found is what a search found.
type Found struct {
	Images, Bad int64
	Moments     []Moment // in order
	// Skipped moments were left out, so that there are not more images than were allowed.
	Skipped int64
	// Breaks are one of each kind, call and file: the image with the fewest blocks lost, of these
	// the first. They stand in the order of kinds and of moments.
	Breaks []Break
	// Worst is the event before which most images break a promise; −1 if none does.
	Worst int
}

// The state of a block that is stored and not flushed.
const (
	gone uint8 = iota
	kept
	torn
)

// A searcher looks at images of a history.
type searcher struct {
	h      *History
	s      Search
	random *rand.Rand

	// What is durable before the moment.
	base    []content // by slot
	reach   []int32   // by node: so many changes
	fresh   []int32   // writes that are stored and not flushed
	cut     []int32   // transactions that nothing makes whole, under way
	active  []int32   // nodes that an image may have otherwise than the program
	renames []int32
	count   []int32 // by node: changes begun
	order   []int32 // transactions, as they begin to be durable
	next    int     // of them, not yet begun
	flying  []int32 // those that are durable in some images
	is      []bool  // by node: active
	// By node: vows that hold and that no newer one of the same page stands for, groups that are
	// open, and how many of each have come.
	vows   [][]int32
	at     [][]int32 // by page: where its vow is, from 1
	groups [][]int32
	came   [][2]int
	pages  int64 // looked at so far
	// Of unflushed writes: the last by slot, and the one of the same slot before each, from 1.
	last, before []int32
	rewrites     []int32 // by node: unflushed blocks of it

	// An image.
	state   []uint8 // by fresh write
	index   []int32 // by write: its place in fresh, from 1
	reached []int32
	ruined  []bool // by node
	loss    int
	losses  []int // by break

	found *Found
	seen  map[[3]int32]int // breaks by kind, call and node: where they are
	now   int32
}

// Look searches a history.
func Look(h *History, s Search) *Found {
	x := &searcher{
		h: h, s: s, random: rand.New(rand.NewPCG(s.Seed, 32)), found: &Found{Worst: -1}, seen: map[[3]int32]int{},
		base: make([]content, h.pages), reach: make([]int32, len(h.files)), count: make([]int32, len(h.files)),
		reached: make([]int32, len(h.files)), ruined: make([]bool, len(h.files)), index: make([]int32, len(h.writes)),
	}
	for i := range x.base {
		x.base[i].node = -1
	}
	x.is = make([]bool, len(h.files))
	x.at = make([][]int32, len(h.files))
	x.last, x.rewrites = make([]int32, h.pages), make([]int32, len(h.files))
	x.vows, x.groups, x.came = make([][]int32, len(h.files)), make([][]int32, len(h.files)), make([][2]int, len(h.files))
	for t := 1; t < len(h.txs); t++ {
		if h.txs[t].event > 0 {
			x.order = append(x.order, int32(t))
		}
	}
	slices.SortStableFunc(x.order, func(a, b int32) int { return int(h.begins(a) - h.begins(b)) })
	every := x.stride()
	x.run(every)
	slices.SortStableFunc(x.found.Breaks, func(a, b Break) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		return a.Event - b.Event
	})
	worst := int32(0)
	for _, m := range x.found.Moments {
		if m.Bad > worst {
			worst, x.found.Worst = m.Bad, m.Event
		}
	}
	return x.found
}

// images is how many are tried with so many unflushed blocks and changes that may be torn.
func (s *Search) images(fresh, cut int) int {
	n := 1
	switch {
	case fresh <= s.Whole:
		n = 1 << fresh
	default:
		n = 2 + 3*min(fresh, 64) + s.Random
	}
	if s.Torn {
		n += 2 * min(fresh, 64)
	}
	return n << min(cut, 4)
}

// matters reports whether the moment after an event differs from the one before it.
func matters(e *plan.Event) bool {
	switch e.Moment {
	case plan.Stored, plan.Flushed, plan.Committed, plan.Durable, plan.Answered, plan.Began:
		return true
	case plan.Appended:
		return e.Structure == plan.Data || e.Tx > 0
	}
	return false
}

// stride finds of how many moments one is looked at.
func (x *searcher) stride() int64 {
	total, fresh := int64(0), 0
	next := 0
	for i := range x.h.Events {
		switch e := &x.h.Events[i]; e.Moment {
		case plan.Stored:
			if x.h.writes[next].until > int32(i) {
				fresh++
			}
			next++
		case plan.Flushed:
			fresh = 0
		}
		if matters(&x.h.Events[i]) {
			total += int64(x.s.images(fresh, 0))
		}
	}
	return max(1, (total+int64(x.s.Most)-1)/int64(max(1, x.s.Most)))
}

// run goes through all moments and looks at every so many-th, and at those after answers.
func (x *searcher) run(every int64) {
	h := x.h
	write, line, rename := 0, 0, 0
	moments := int64(0)
	for i := 0; i <= len(h.Events); i++ {
		x.now = int32(i)
		if i > 0 && (matters(&h.Events[i-1]) || i == len(h.Events)) {
			enough := x.s.Pages > 0 && float64(x.pages) > float64(x.s.Pages)*float64(i)/float64(len(h.Events))
			if moments%every == 0 && !enough || i == len(h.Events) {
				x.moment()
			} else {
				x.found.Skipped++
			}
			moments++
		}
		if i == len(h.Events) {
			break
		}
		e := &h.Events[i]
		switch e.Moment {
		case plan.Stored:
			if w := &h.writes[write]; w.until > int32(i) {
				x.fresh = append(x.fresh, int32(write))
				x.before = append(x.before, x.last[w.slot])
				x.last[w.slot] = int32(len(x.fresh))
				if w.what.node >= 0 {
					x.rewrites[w.what.node]++
				}
			} else {
				x.base[w.slot] = w.what
			}
			write++
		case plan.Flushed:
			for _, n := range x.fresh { // a flush takes all
				w := &h.writes[n]
				x.base[w.slot] = w.what
				if x.last[w.slot] = 0; w.what.node >= 0 {
					x.rewrites[w.what.node] = 0
				}
			}
			x.fresh, x.before = x.fresh[:0], x.before[:0]
		case plan.Began:
			for rename < len(h.renames) && h.renames[rename].event <= int32(i) {
				x.renames = append(x.renames, int32(rename))
				rename++
			}
		}
		for line < len(h.lines) && h.lines[line].event <= int32(i) {
			x.base[h.lines[line].slot] = h.lines[line].what
			line++
		}
		x.touch(int32(i), e)
	}
}

// touch notes which nodes and transactions an event is about.
func (x *searcher) touch(at int32, e *plan.Event) {
	add := func(n int32) {
		if !x.is[n] {
			x.is[n] = true
			x.active = append(x.active, n)
		}
	}
	switch e.Moment {
	case plan.Began:
		add(e.Of.Node)
		if e.Of.Over != 0 {
			add(e.Of.Over)
		}
	case plan.Placed:
		add(e.Place.Node)
	case plan.Joined:
		add(e.Node)
	case plan.Appended:
		if x.h.recovery.Tears && e.Tx > 0 && x.h.txs[e.Tx].begun == at+1 {
			x.cut = append(x.cut, e.Tx)
		}
	case plan.Stored:
		if names := e.Structure == plan.Inode || e.Structure == plan.Dentry; names && x.h.recovery.By == plan.ByLines && e.Tx > 0 && !slices.Contains(x.cut, e.Tx) {
			x.cut = append(x.cut, e.Tx)
		}
	case plan.Committed, plan.Durable:
		if i := slices.Index(x.cut, e.Tx); i >= 0 {
			x.cut = slices.Delete(x.cut, i, i+1)
		}
	}
}

// begins is the first event of what makes a transaction durable.
func (h *History) begins(n int32) int32 {
	t := &h.txs[n]
	if len(t.writes) > 0 {
		return h.writes[t.writes[0]].event
	}
	return t.event - 1
}

// land finds which transactions are durable whatever is lost, and which are in part.
func (x *searcher) land() {
	h := x.h
	for x.next < len(x.order) && h.begins(x.order[x.next]) < x.now {
		x.flying = append(x.flying, x.order[x.next])
		x.next++
	}
	x.flying = slices.DeleteFunc(x.flying, func(n int32) bool {
		t := &h.txs[n]
		for _, w := range t.writes {
			if h.writes[w].until >= x.now {
				return false
			}
		}
		if (len(t.writes) == 0 || h.recovery.By == plan.ByLines) && t.event > x.now {
			return false
		}
		for _, j := range t.nodes {
			x.reach[j.tx] = max(x.reach[j.tx], j.changes)
		}
		return true
	})
}

// moment looks at the images of one moment.
func (x *searcher) moment() {
	x.land()
	x.retire()
	for _, n := range x.active {
		x.hold(n)
	}
	n := min(len(x.fresh), 64)
	x.state = x.state[:0]
	for range x.fresh {
		x.state = append(x.state, kept)
	}
	for i, w := range x.fresh {
		x.index[w] = int32(i + 1)
	}
	m := Moment{Event: int(x.now)}
	changes := x.halves()
	for torn := 0; torn < 1<<min(len(changes), 4); torn++ {
		x.subsets(n, func() {
			m.Images++
			if x.image(changes, torn) {
				m.Bad++
			}
		})
	}
	for _, w := range x.fresh {
		x.index[w] = 0
	}
	x.found.Images += int64(m.Images)
	x.found.Bad += int64(m.Bad)
	x.found.Moments = append(x.found.Moments, m)
}

// halves are the changes of transactions on several nodes that nothing makes whole, under way.
// Of a call on one file the inode's line is the last.
func (x *searcher) halves() (list []join) {
	for _, n := range x.cut {
		if nodes := x.h.txs[n].nodes; len(nodes) > 1 {
			list = append(list, nodes...)
		}
	}
	return list
}

// subsets calls f for every choice of what is kept of the last n unflushed blocks; those
// before are kept.
func (x *searcher) subsets(n int, f func()) {
	last := x.state[len(x.state)-n:]
	set := func(s uint8) {
		for i := range last {
			last[i] = s
		}
	}
	if n <= x.s.Whole {
		for mask := range uint64(1) << n {
			x.loss = n - bits.OnesCount64(mask)
			for i := range last {
				last[i] = uint8(mask >> i & 1)
			}
			f()
		}
	} else {
		x.loss = 0
		set(kept)
		f()
		x.loss = n
		set(gone)
		f()
		for i := range last {
			x.loss = n - 1
			set(gone)
			last[i] = kept
			f()
			x.loss = 1
			set(kept)
			last[i] = gone
			f()
			x.loss = n - i
			for k := i; k < n; k++ {
				last[k] = gone
			}
			f()
		}
		for range x.s.Random {
			x.loss = 0
			for i := range last {
				if last[i] = uint8(x.random.IntN(2)); last[i] == gone {
					x.loss++
				}
			}
			f()
		}
	}
	if !x.s.Torn {
		return
	}
	for i := range last {
		x.loss = 1
		set(kept)
		last[i] = torn
		f()
		x.loss = n
		set(gone)
		last[i] = torn
		f()
	}
}

// retire drops nodes and renames that no image has otherwise than the program.
func (x *searcher) retire() {
	h := x.h
	left := x.active[:0]
	for _, n := range x.active {
		if x.is[n] = x.busy(n); x.is[n] {
			left = append(left, n)
		}
	}
	x.active = left
	x.renames = slices.DeleteFunc(x.renames, func(n int32) bool {
		r := &h.renames[n]
		return x.reach[r.node] >= r.moved && x.reach[r.over] >= r.removed && !x.is[r.node] && !x.is[r.over]
	})
}

// hold finds which vows hold about a node, and which of its groups are open.
func (x *searcher) hold(n int32) {
	f, came := &x.h.files[n], &x.came[n]
	for ; came[0] < len(f.vows) && f.vows[came[0]].event < x.now; came[0]++ {
		page := f.vows[came[0]].page
		for int(page) >= len(x.at[n]) {
			x.at[n] = append(x.at[n], 0)
		}
		if at := x.at[n][page]; at == 0 {
			x.vows[n] = append(x.vows[n], int32(came[0]))
			x.at[n][page] = int32(len(x.vows[n]))
		} else {
			x.vows[n][at-1] = int32(came[0])
		}
	}
	for ; came[1] < len(f.groups) && f.groups[came[1]].from < x.now; came[1]++ {
		x.groups[n] = append(x.groups[n], int32(came[1]))
	}
	x.groups[n] = slices.DeleteFunc(x.groups[n], func(g int32) bool { return f.groups[g].to < x.now })
}

// busy reports whether an image may have a node otherwise than the program has it.
func (x *searcher) busy(n int32) bool {
	f := &x.h.files[n]
	if x.reach[n] < x.begun(n) {
		return true
	}
	s := f.at(x.reach[n])
	if !s.exists {
		return false
	}
	for i, v := range f.newest {
		if v == 0 || int64(i)*pageSize >= s.size {
			continue
		}
		home := f.home(int32(i), x.reach[n])
		if home == 0 {
			return true
		}
		if c := &x.base[home-1]; c.node != n || c.version < min(v, x.now) {
			return true
		}
	}
	return x.rewrites[n] > 0 // what is there may be written anew
}

// begun is how many changes of a node began before the moment.
func (x *searcher) begun(n int32) int32 {
	f := &x.h.files[n]
	k := x.count[n]
	for int(k) < len(f.changes) && f.changes[k].event < x.now {
		k++
	}
	x.count[n] = k
	return k
}
