package system_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system/nova"
	"spillway/sim/filesys/system/pmfs"
	"spillway/sim/unit"
)

// most is how many nodes a random run has, devicePages how large its device is.
const (
	most        = 48
	devicePages = 4096
)

// A node is one of the model: what calls make of it, whatever the file system does.
type node struct {
	dir    bool
	parent int32
	size   int64
}

// A world runs calls of some threads on a file system, one step of anyone at a time, and
// keeps what it should have made.
type world struct {
	t       *testing.T
	seed    uint64
	rand    *rand.Rand
	env     *env
	h       *host.Host
	fs      plan.FS
	model   map[int32]node
	busy    map[int32]int // nodes that a call is about
	threads []*worker     // the last writes back
	locks   map[int32]int // by number: the worker
	waiting map[int32][]int
	gone    map[int32]bool             // pages that hold nothing, until somebody owns them again
	open    map[int32]map[[2]int32]int // transactions: lines that they wrote
	done    map[int32]bool
	now     unit.Time
	ids     bool // transactions have numbers
}

type worker struct {
	thread plan.Thread
	next   int
	blocks bool
	call   call.Call
	from   int32 // the directory that a rename takes the node from
	sends  []host.Sent
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: %s", w.seed, fmt.Sprintf(format, args...))
}

// pick chooses a node that no call is about, of those that are right.
func (w *world) pick(right func(n int32, v node) bool) (int32, bool) {
	var list []int32
	for n, v := range w.model {
		if w.busy[n] == 0 && right(n, v) {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	slices.Sort(list)
	return list[w.rand.IntN(len(list))], true
}

// think chooses a call and changes the model. Nodes of a call are busy until it ends; many
// calls may change the names of one directory.
func (w *world) think() (c call.Call, ok bool) {
	r := w.rand
	c.Changed = int16([]int{-1, 0, 3, 10, 50, 100}[r.IntN(6)])
	dir := func(n int32, v node) bool { return v.dir }
	file := func(n int32, v node) bool { return !v.dir }
	// As the engine does it, nobody gives pages back that others are writing back.
	idle := func(n int32, v node) bool {
		for _, o := range w.threads {
			if o.next < len(o.thread.Steps) && slices.ContainsFunc(o.sends, func(s host.Sent) bool { return s.Node == n }) {
				return false
			}
		}
		return !v.dir
	}
	folder := func() (int32, bool) {
		var list []int32
		for n, v := range w.model {
			if v.dir && w.busy[n] == 0 { // neither being made nor removed
				list = append(list, n)
			}
		}
		if len(list) == 0 {
			return 0, false
		}
		slices.Sort(list)
		return list[r.IntN(len(list))], true
	}
	switch c.Code = call.Code(r.IntN(int(call.Codes))); c.Code {
	case call.Create, call.Mkdir:
		for n := int32(1); n < most; n++ {
			if _, has := w.model[n]; !has && w.busy[n] == 0 {
				c.Node, ok = n, true
				break
			}
		}
		c.Dir, _ = folder()
		if ok = ok && w.busy[c.Dir] == 0; ok {
			w.model[c.Node] = node{dir: c.Code == call.Mkdir, parent: c.Dir}
		}
	case call.Unlink:
		if c.Node, ok = w.pick(idle); ok {
			c.Dir = w.model[c.Node].parent
			delete(w.model, c.Node)
		}
	case call.Rmdir:
		c.Node, ok = w.pick(func(n int32, v node) bool {
			for _, o := range w.model {
				if o.parent == n {
					return false
				}
			}
			// Nor may calls be under way in it: who removes it has seen them end.
			for _, o := range w.threads {
				if o.next < len(o.thread.Steps) && (o.call.Dir == n || o.from == n) {
					return false
				}
			}
			return v.dir && n != 0
		})
		if ok {
			c.Dir = w.model[c.Node].parent
			delete(w.model, c.Node)
		}
	case call.Rename:
		if c.Node, ok = w.pick(file); ok {
			if c.Dir, ok = folder(); ok {
				v := w.model[c.Node]
				if over, has := w.pick(idle); has && over != c.Node && r.IntN(2) == 0 {
					c.Over, c.Dir = over, w.model[over].parent
					delete(w.model, over)
				}
				v.parent = c.Dir
				w.model[c.Node] = v
			}
		}
	case call.Stat, call.Open, call.Close:
		if c.Node, ok = w.pick(file); !ok {
			c.Node, ok = w.pick(dir)
		}
	default:
		right := file
		if c.Code == call.Truncate {
			right = idle
		}
		if c.Node, ok = w.pick(right); !ok {
			return c, false
		}
		v := w.model[c.Node]
		c.Length = 1 + r.Int64N(3*host.PageSize)
		c.Offset = r.Int64N(v.size + host.PageSize)
		if r.IntN(4) == 0 {
			c.Length, c.Offset = 1+r.Int64N(600), r.Int64N(v.size+1)
		}
		c.Flags = []call.Flags{0, 0, 0, call.Append, call.Sync, call.Direct, call.Direct | call.Sync}[r.IntN(7)]
		switch c.Code {
		case call.Write:
			if c.Flags == call.Append {
				c.Offset = 1 << 40
				v.size += c.Length
			} else {
				v.size = max(v.size, c.Offset+c.Length)
			}
		case call.Truncate:
			c.Length--
			v.size = c.Length
		}
		w.model[c.Node] = v
	}
	return c, ok
}

func newWorld(t *testing.T, seed uint64, s *machine.Setup, make func(*host.Host) plan.FS, ids, recording bool) *world {
	w := &world{
		t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 1)), env: &env{recording: recording}, ids: ids,
		model: map[int32]node{}, busy: map[int32]int{}, locks: map[int32]int{}, waiting: map[int32][]int{},
		gone: map[int32]bool{}, open: map[int32]map[[2]int32]int{}, done: map[int32]bool{},
	}
	load := &call.Workload{Name: "random", Most: most, Nodes: []call.Node{{Dir: true}, {Dir: true}}}
	for range w.rand.IntN(10) {
		load.Nodes = append(load.Nodes, call.Node{Parent: int32(w.rand.IntN(2)), Size: w.rand.Int64N(5 * host.PageSize)})
	}
	for i, n := range load.Nodes {
		w.model[int32(i)] = node{n.Dir, n.Parent, n.Size}
	}
	w.model[0] = node{dir: true, parent: -1}
	w.h = host.New(s, load, devicePages, w.env)
	w.fs = make(w.h)
	for i := range 4 {
		w.threads = append(w.threads, &worker{thread: plan.Thread{ID: int32(i)}})
	}
	return w
}

// begin gives a worker something to do.
func (w *world) begin(i int) {
	o := w.threads[i]
	t := &o.thread
	t.Steps, o.next = t.Steps[:0], 0
	w.now++
	if i == len(w.threads)-1 {
		t.Call = 0
		w.fs.WriteBack(t, w.h.Oldest(1+w.rand.IntN(8), w.now, nil), w.now)
	} else {
		c, ok := w.think()
		if !ok {
			return
		}
		t.Call++
		o.call, o.from = c, w.h.Files[c.Node].Parent
		w.busy[c.Node]++
		if c.Over != 0 {
			w.busy[c.Over]++
		}
		if c.Code == call.Rmdir {
			w.busy[c.Node] = -1
		}
		w.fs.Plan(t, &c, w.now)
	}
	o.sends = append(o.sends[:0], w.h.Sent...)
	w.h.Sent = w.h.Sent[:0]
	w.ordered(i)
	w.taken(t)
}

// taken notes that pages have an owner again: those of files, and those that steps write.
func (w *world) taken(t *plan.Thread) {
	for _, p := range w.owned() {
		delete(w.gone, p)
	}
	for _, s := range t.Steps { // logs and trees, which the host does not know
		if s.Kind == plan.ByteWrite && s.Structure != plan.Data {
			delete(w.gone, s.Page)
		}
	}
}

// ordered checks that a plan takes locks in ascending order, and gives all of them up.
func (w *world) ordered(i int) {
	var held []int32
	for _, s := range w.threads[i].thread.Steps {
		switch s.Kind {
		case plan.Hold:
			if len(held) > 0 && held[len(held)-1] >= s.Page {
				w.fail("lock %d is taken after %d", s.Page, held)
			}
			held = append(held, s.Page)
		case plan.Release:
			at := slices.Index(held, s.Page)
			if at < 0 {
				w.fail("lock %d is given up and not held", s.Page)
			}
			held = slices.Delete(held, at, at+1)
		}
	}
	if len(held) > 0 {
		w.fail("locks %d stay", held)
	}
}

// owned lists the pages of files and directories.
func (w *world) owned() (list []int32) {
	for i := range w.h.Files {
		for _, s := range w.h.Files[i].Slots {
			if s.Home != host.None {
				list = append(list, s.Home)
			}
		}
	}
	return list
}

// step executes one step of a worker, and reports whether there was one. Locks are given up
// in no time: with what comes at once after that, a COMMIT above all, it is one step.
func (w *world) step(i int) bool {
	o := w.threads[i]
	t := &o.thread
	if o.blocks {
		return false
	}
	if o.next == len(t.Steps) {
		if i < len(w.threads)-1 && t.Call > 0 && len(t.Steps) > 0 {
			w.busy[o.call.Node] = max(0, w.busy[o.call.Node]-1)
			if over := o.call.Over; over != 0 {
				w.busy[over] = max(0, w.busy[over]-1)
			}
		}
		w.begin(i)
		return true
	}
	s := &t.Steps[o.next]
	o.next++
	switch s.Kind {
	case plan.Hold:
		if _, held := w.locks[s.Page]; held {
			w.waiting[s.Page] = append(w.waiting[s.Page], i)
			o.blocks = true
		} else {
			w.locks[s.Page] = i
		}
	case plan.Release:
		if list := w.waiting[s.Page]; len(list) > 0 {
			w.locks[s.Page], w.waiting[s.Page] = list[0], list[1:]
			w.threads[list[0]].blocks = false
		} else {
			delete(w.locks, s.Page)
		}
	case plan.Mark:
		w.fs.Marked(t, s.Note(), w.now)
		if n := len(w.env.events); n > 0 && w.env.events[n-1].Moment == plan.Durable {
			delete(w.open, w.env.events[n-1].Tx)
		}
	case plan.BlockWrite:
		for p := s.Page; p < s.Page+s.N; p++ {
			w.written(p)
		}
		if w.ids && s.Structure != plan.Data {
			whole := *s
			whole.Lines = ^uint64(0)
			w.line(i, &whole)
		}
	case plan.ByteWrite:
		w.written(s.Page)
		if s.Structure == plan.Inode && s.Page == 1 {
			break // PMFS's list of truncated files: 16 bytes of a line at once
		}
		if s.Tx != 0 {
			w.line(i, s)
		} else if w.ids && s.Structure != plan.Data {
			w.fail("a line of structure %d has no transaction", s.Structure)
		}
	case plan.Commit:
		if s.Tx == 0 || w.done[s.Tx] {
			w.fail("transaction %d commits", s.Tx)
		}
		w.done[s.Tx] = true
		delete(w.open, s.Tx)
	case plan.Trim:
		for p := s.Page; p < s.Page+s.N; p++ {
			if w.gone[p] || slices.Contains(w.owned(), p) {
				w.fail("page %d is given back and has an owner or none", p)
			}
			w.gone[p] = true
		}
	}
	if s.Kind == plan.Release && o.next < len(t.Steps) {
		switch t.Steps[o.next].Kind {
		case plan.Release, plan.Commit, plan.Mark:
			return w.step(i)
		}
	}
	return true
}

func (w *world) written(page int32) {
	if w.gone[page] {
		w.fail("page %d is written after it was given back", page)
	}
}

// line notes a line of a transaction; no other that is open may have written it.
func (w *world) line(i int, s *plan.Step) {
	if w.done[s.Tx] {
		w.fail("transaction %d writes after its commit", s.Tx)
	}
	if w.open[s.Tx] == nil {
		w.open[s.Tx] = map[[2]int32]int{}
	}
	for l := range int32(64) {
		if s.Lines>>l&1 == 0 {
			continue
		}
		at := [2]int32{s.Page, l}
		for tx, lines := range w.open {
			if _, has := lines[at]; has && tx != s.Tx {
				w.fail("line %d of page %d is written by transactions %d and %d", l, s.Page, tx, s.Tx)
			}
		}
		w.open[s.Tx][at] = i
	}
}

// check compares the host's files with the model, and counts the pages. others are those
// that the file system keeps for itself.
func (w *world) check() {
	for i := range w.h.Files {
		f := &w.h.Files[i]
		v, has := w.model[int32(i)]
		switch {
		case f.Exists != has:
			w.fail("node %d exists: %v, in the model: %v", i, f.Exists, has)
		case has && (f.Dir != v.dir || !f.Dir && f.Size != v.size || i > 0 && f.Parent != v.parent):
			w.fail("node %d is %v of %d bytes in %d; in the model %v", i, f.Dir, f.Size, f.Parent, v)
		}
	}
	seen := map[int32]bool{}
	for _, p := range w.owned() {
		if seen[p] {
			w.fail("page %d has two owners", p)
		}
		seen[p] = true
	}
}

// empty removes all files and directories, one after the other, and lets everything end.
func (w *world) empty() {
	for len(w.model) > 1 {
		for _, n := range slices.Sorted(maps.Keys(w.model)) {
			v := w.model[n]
			full := slices.ContainsFunc(slices.Collect(maps.Values(w.model)), func(o node) bool { return o.parent == n })
			if n == 0 || full {
				continue
			}
			c := call.Call{Code: call.Unlink, Node: n, Dir: v.parent}
			if v.dir {
				c.Code = call.Rmdir
			}
			delete(w.model, n)
			o := w.threads[0]
			o.thread.Steps, o.next = o.thread.Steps[:0], 0
			w.fs.Plan(&o.thread, &c, w.now)
			w.taken(&o.thread)
			for o.next < len(o.thread.Steps) {
				w.step(0)
			}
		}
	}
}

// randomTable has every cell at random, or nearly all or none.
func randomTable(seed uint64) machine.Table {
	r := rand.New(rand.NewPCG(seed, 36))
	share := r.IntN(11)
	return machine.TableOf(func(machine.Cell) bool { return r.IntN(10) < share })
}

// Random calls of several threads, step by step in any order, with pages written back in
// between: files are as the model has them, no page has two owners or is used after it was
// given back, locks ascend, nobody waits for ever, no two open transactions write the same
// line, and in the end every page has come back but those of the root.
func TestRandomCalls(t *testing.T) {
	systems := []struct {
		name string
		make func(*host.Host) plan.FS
		ids  bool
	}{{"bytefs", full, true}, {"bytefs-log", logOnly, true}, {"bytefs-dual", dualOnly, false}, {"own", own, true}, {"nova", nova.New, false}, {"pmfs", pmfs.New, false}}
	seeds := uint64(60)
	if testing.Short() {
		seeds = 5
	}
	for _, v := range systems {
		t.Run(v.name, func(t *testing.T) {
			for seed := range seeds {
				s := setup()
				s.Fresh = seed%3 == 0
				s.Host.FirstFit, s.Host.EntryLoads = seed%4 >= 2, seed%8 >= 4
				s.Host.InPlace, s.Host.AsIssued = seed%3 == 1, seed%5 >= 3
				s.Host.Cache = 80 * unit.Page
				s.Table = randomTable(seed)
				w := newWorld(t, seed, s, v.make, v.ids, seed%2 == 0)
				slow := 0 // a worker that stands still for a while
				for n := range 3000 {
					if n%32 == 0 {
						slow = w.rand.IntN(2 * len(w.threads))
					}
					moved := false
					for _, i := range append(slices.DeleteFunc(w.rand.Perm(len(w.threads)), func(i int) bool { return i == slow }), slow%len(w.threads)) {
						if moved = w.step(i); moved {
							break
						}
					}
					if !moved {
						w.fail("all wait: locks %v", w.locks)
					}
				}
				for left := true; left; {
					left = false
					for i, o := range w.threads {
						for o.next < len(o.thread.Steps) && !o.blocks {
							w.step(i)
						}
						left = left || o.next < len(o.thread.Steps)
					}
				}
				w.check()
				w.empty()
				w.check()
				// What is left is the root's: its pages, its log.
				fresh := host.New(s, &call.Workload{Most: most, Nodes: []call.Node{{Dir: true}}}, devicePages, w.env)
				v.make(fresh)
				root := len(w.h.Files[0].Slots) - len(fresh.Files[0].Slots)
				if lost := fresh.Left() - w.h.Left() - root; lost != 0 && v.name != "nova" || lost < 0 || lost > 30 {
					w.fail("%d pages did not come back", lost)
				}
				if len(w.open) > 0 && v.ids {
					w.fail("transactions %v are open", w.open)
				}
			}
		})
	}
}
