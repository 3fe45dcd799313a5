package f2fs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// An env is an engine that notes who is to go on.
type env struct {
	recording bool
	woken     []int32
	started   [actors]bool
	events    []plan.Event
}

func (e *env) Wake(thread int32, _ unit.Time) { e.woken = append(e.woken, thread) }
func (e *env) Record(v plan.Event)            { e.events = append(e.events, v) }
func (e *env) Recording() bool                { return e.recording }
func (e *env) Start(actor int, _ unit.Time)   { e.started[actor] = true }

func setup() *machine.Setup {
	s := machine.Default()
	s = s.Scaled()
	s.Payload = machine.Random
	return &s
}

// tree is a root, a directory 1 with a file 20 of 10 KB, an empty file 21 and a file 22 of
// 10 pages, and an empty directory 32.
func tree() *call.Workload {
	w := &call.Workload{Name: "tree", Threads: 1, Most: 1000, Nodes: []call.Node{{Parent: -1, Dir: true}, {Dir: true}}}
	for len(w.Nodes) < 48 {
		w.Nodes = append(w.Nodes, call.Node{Parent: 0})
	}
	w.Nodes[20] = call.Node{Parent: 1, Size: 10000}
	w.Nodes[21] = call.Node{Parent: 1}
	w.Nodes[22] = call.Node{Parent: 1, Size: 40960}
	w.Nodes[32] = call.Node{Parent: 0, Dir: true}
	return w
}

var names = [plan.Structures]string{"data", "superblock", "blocks", "inodes", "inode", "entry", "pointer", "journal"}

// text says what steps do at the device, and where they wait.
func text(steps []plan.Step) string {
	var list []string
	for _, s := range steps {
		switch s.Kind {
		case plan.BlockRead:
			list = append(list, fmt.Sprintf("%s read %d", names[s.Structure], s.N))
		case plan.BlockWrite:
			list = append(list, fmt.Sprintf("%s write %d", names[s.Structure], s.N))
		case plan.Hold:
			list = append(list, "(")
		case plan.Release:
			list = append(list, ")")
		case plan.Wait:
			list = append(list, "wait")
		case plan.Trim:
			list = append(list, fmt.Sprintf("trim %d", s.N))
		}
	}
	return strings.Join(list, ", ")
}

// do plans a call, and executes its marks.
func do(f *fs, c call.Call) []plan.Step {
	c.Changed = call.Unknown
	t := &plan.Thread{ID: 3, Call: 7}
	f.Plan(t, &c, 0)
	marks(f, t)
	return t.Steps
}

func marks(f *fs, t *plan.Thread) {
	for i := range t.Steps {
		if t.Steps[i].Kind == plan.Mark {
			f.Marked(t, t.Steps[i].Note(), 0)
		}
	}
}

// soiled says which blocks are dirty.
func soiled(f *fs) string {
	var n [plan.Structures]int
	for b, s := range f.state {
		if s == dirty {
			n[f.structure(int32(b))]++
		}
	}
	var list []string
	for s, n := range n {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s %d", names[s], n))
		}
	}
	return strings.Join(list, ", ")
}

// checkpoint makes one, and returns what it writes.
func checkpoint(f *fs) string {
	t := &plan.Thread{ID: 9}
	f.wanted = true
	f.Act(t, checkpointer, 1)
	marks(f, t)
	return text(t.Steps)
}

// The steps of every call, what becomes dirty, and what the next checkpoint writes, from
// the rules of the specification.
func TestEveryCallHasTheStepsOfItsRules(t *testing.T) {
	const tables = "blocks write 5, superblock write 8"
	for _, v := range []struct {
		name   string
		before []call.Call // and a checkpoint
		call   call.Call
		steps  string
		dirty  string
		after  string // the checkpoint
	}{
		{"open", nil, call.Call{Code: call.Open, Node: 20}, "", "", tables},
		{"stat", nil, call.Call{Code: call.Stat, Node: 20}, "", "", tables},
		{"close", nil, call.Call{Code: call.Close, Node: 20}, "", "", tables},
		{"create", nil, call.Call{Code: call.Create, Node: 60, Dir: 1}, "(, )", "inode 2, entry 1", "entry write 1, inode write 2, " + tables},
		{"mkdir", nil, call.Call{Code: call.Mkdir, Node: 60, Dir: 1}, "(, )", "inode 2, entry 2", "entry write 2, inode write 2, " + tables},
		{"unlink", nil, call.Call{Code: call.Unlink, Node: 20, Dir: 1}, "(, )", "inode 1, entry 1", "entry write 1, inode write 1, " + tables},
		{"rmdir", nil, call.Call{Code: call.Rmdir, Node: 32}, "(, )", "inode 1, entry 1", "entry write 1, inode write 1, " + tables},
		{"rename", nil, call.Call{Code: call.Rename, Node: 20, Dir: 32}, "(, (, ), )", "inode 3, entry 2", "entry write 2, inode write 3, " + tables},
		{"cold read", nil, call.Call{Code: call.Read, Node: 20, Length: 10000}, "data read 3", "", tables},
		{"overwrite", nil, call.Call{Code: call.Write, Node: 20, Length: 2048}, "data read 1", "", tables},
		{"append", nil, call.Call{Code: call.Write, Node: 20, Flags: call.Append, Length: 8192}, "data read 1", "inode 1", "inode write 1, " + tables},
		{"fsync of an append", []call.Call{{Code: call.Write, Node: 21, Flags: call.Append, Length: 8192}}, call.Call{Code: call.Fsync, Node: 21}, "data write 2, inode write 1", "", tables},
		{"fsync of a small overwrite", []call.Call{{Code: call.Write, Node: 22, Length: 8 * 4096}}, call.Call{Code: call.Fsync, Node: 22}, "data write 8", "", tables},
		{"fsync of a large overwrite", []call.Call{{Code: call.Write, Node: 22, Length: 9 * 4096}}, call.Call{Code: call.Fsync, Node: 22}, "data write 9, inode write 1", "", tables},
		{"fsync of nothing", nil, call.Call{Code: call.Fsync, Node: 20}, "", "", tables},
		{"synchronous overwrite", nil, call.Call{Code: call.Write, Node: 20, Flags: call.Sync, Length: 2048}, "data read 1, data write 1", "", tables},
		{"synchronous append", nil, call.Call{Code: call.Write, Node: 21, Flags: call.Sync | call.Append, Length: 8192}, "data write 2, inode write 1", "", tables},
		{
			"synchronous write beyond the first node", nil,
			call.Call{Code: call.Write, Node: 21, Flags: call.Sync, Offset: 922 * 4096, Length: 8192},
			"data write 2, inode write 2", "", tables,
		},
		{"fsync in a directory that no checkpoint has", []call.Call{{Code: call.Write, Node: 21, Length: 4096}, {Code: call.Mkdir, Node: 60}, {Code: call.Rename, Node: 21, Dir: 60}}, call.Call{Code: call.Fsync, Node: 21}, "data write 1", "inode 1", "inode write 1, " + tables},
		{"truncate", nil, call.Call{Code: call.Truncate, Node: 20, Length: 4096}, "", "inode 1", "inode write 1, " + tables},
		{"direct read", nil, call.Call{Code: call.Read, Flags: call.Direct, Node: 20, Length: 4096}, "data read 1", "", tables},
		{"direct write", nil, call.Call{Code: call.Write, Flags: call.Direct, Node: 20, Length: 4096}, "data write 1", "", tables},
	} {
		f := New(host.New(setup(), tree(), 65536, &env{})).(*fs)
		for _, n := range []int32{0, 1, 20, 21, 22, 32} {
			do(f, call.Call{Code: call.Stat, Node: n}) // what they need is in the cache
		}
		f.need(&plan.Thread{}, f.leaf(32, 0))
		for _, c := range v.before {
			do(f, c)
		}
		if v.name != "fsync in a directory that no checkpoint has" {
			checkpoint(f)
		}
		steps := do(f, v.call)
		if v.name == "fsync in a directory that no checkpoint has" {
			if got := text(steps); got != v.steps+", wait" {
				t.Errorf("%s: %q", v.name, got)
			}
			continue
		}
		if got := text(steps); got != v.steps {
			t.Errorf("%s: %q, want %q", v.name, got, v.steps)
		}
		if got := soiled(f); got != v.dirty {
			t.Errorf("%s: %q are dirty, want %q", v.name, got, v.dirty)
		}
		if got := checkpoint(f); got != v.after {
			t.Errorf("%s: the checkpoint is %q, want %q", v.name, got, v.after)
		}
	}
}

// TestCold: what a call needs and the cache lacks is read in blocks, a node by the table.
func TestCold(t *testing.T) {
	f := New(host.New(setup(), tree(), 65536, &env{})).(*fs)
	for _, v := range []struct {
		call call.Call
		want string
	}{
		{call.Call{Code: call.Stat, Node: 20}, "entry read 1, pointer read 1, inode read 1"},
		{call.Call{Code: call.Stat, Node: 20}, ""},
		{call.Call{Code: call.Create, Node: 60, Dir: 1}, "inode read 1, (, )"},
		{call.Call{Code: call.Unlink, Node: 21, Dir: 1}, "inode read 1, (, )"},
	} {
		if got := text(do(f, v.call)); got != v.want {
			t.Errorf("%+v: %q, want %q", v.call, got, v.want)
		}
	}
}

// TestCheckpoint: with more than 38 changed entries the table is written; what is not
// durable before is recorded, and who waits goes on.
func TestCheckpoint(t *testing.T) {
	e := &env{recording: true}
	f := New(host.New(setup(), tree(), 65536, e)).(*fs)
	for n := range int32(38) {
		do(f, call.Call{Code: call.Create, Node: 500 + n, Dir: 1})
	}
	if got := e.events[3]; got.Moment != plan.Joined || got.Tx != 1 || got.Call != 7 || got.Node != 503 {
		t.Errorf("a create records %+v", got)
	}
	e.events = nil
	do(f, call.Call{Code: call.Fsync, Node: 503})
	if got := e.events; len(got) != 2 || got[0].Moment != plan.Joined || got[1].Moment != plan.Durable || got[0].Tx != got[1].Tx || got[0].Node != 503 {
		t.Errorf("an fsync records %+v", got)
	}
	wait := plan.Step{Kind: plan.Wait, Tx: 1}
	if f.Wait(&plan.Thread{ID: 5}, &wait, 0) || !f.wanted {
		t.Error("nobody waits for a checkpoint, or it is not asked for")
	}
	got := checkpoint(f)
	if want := "entry write 1, inode write 32, inode write 6, pointer write 2, blocks write 5, superblock write 8"; got != want {
		t.Errorf("the checkpoint is %q, want %q", got, want)
	}
	if last := e.events[len(e.events)-1]; last.Moment != plan.Durable || last.Tx != 1 || len(e.woken) != 1 || e.woken[0] != 5 {
		t.Errorf("the last event is %+v; woken: %v", last, e.woken)
	}
}

// check is what holds at any time.
func check(f *fs) error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	owned := make(map[int32]owner)
	for node := range f.h.Files {
		file := &f.h.Files[node]
		for i, s := range file.Slots {
			if !file.Dir && s.Home != host.None {
				owned[s.Home] = owner{int32(node), int32(i)}
			}
		}
	}
	dirtyBlocks := 0
	for b, home := range f.home {
		if home != host.None {
			if was, ok := owned[home]; ok {
				bad("page %d is of %v and of block %d", home, was, b)
			}
			owned[home] = owner{int32(b), meta}
		}
		if f.state[b] == dirty {
			dirtyBlocks++
			if !f.h.Has(f.keys + int32(b)) {
				bad("dirty block %d is not in the cache", b)
			}
		}
	}
	if dirtyBlocks != f.dirty {
		bad("%d blocks are dirty, not %d", dirtyBlocks, f.dirty)
	}
	valid := make([]int32, len(f.valid))
	for page, o := range f.owners {
		if o.node == host.None {
			continue
		}
		valid[page/int(f.pages)]++
		if was, ok := owned[f.main+int32(page)]; !ok || was != o {
			bad("page %d is of %v, and not of %v", page, was, o)
		}
		delete(owned, f.main+int32(page))
	}
	if len(owned) > 0 {
		bad("%d pages are owned by who does not own them", len(owned))
	}
	count := [dead + 1]int{}
	for i, kind := range f.kind {
		count[kind]++
		if valid[i] != f.valid[i] || valid[i] > 0 && (kind == free || kind == dead) || valid[i] == 0 && kind == full {
			bad("segment %d is %d and has %d valid pages, not %d", i, kind, valid[i], f.valid[i])
		}
	}
	if count[free] != f.free || count[dead] != f.dead {
		bad("%d segments are free and %d dead, not %d and %d", count[free], count[dead], f.free, f.dead)
	}
	return errors.Join(errs...)
}

// TestRandom lets threads and actors take turns at random on a device that is nearly full:
// what holds at any time does, and cleaning makes room.
func TestRandom(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 4
	}
	moved, full := 0, 0
	for seed := range seeds {
		cleaned, fits := random(t, seed)
		moved += cleaned
		if !fits {
			full++
		}
	}
	if moved == 0 || full > int(seeds)/2 {
		t.Errorf("%d pages were cleaned, and %d of %d devices were full: the test is of nothing", moved, full, seeds)
	}
}

// random returns how many reads of cleaning there were, and false if the device was full.
func random(t *testing.T, seed uint64) (moved int, fits bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, full := p.(*host.Full); !full {
				panic(p)
			}
		}
	}()
	r := rand.New(rand.NewPCG(seed, 1))
	m := setup()
	m.Host.Cache = 150 * unit.Page
	m.Host.Inline = seed%2 == 0
	e := &env{}
	f := New(host.New(m, tree(), 1400+r.Int32N(1000), e)).(*fs)
	type client struct {
		plan.Thread
		next   int
		parked bool
	}
	clients := make([]client, 4+actors)
	for n := range 8000 {
		i := r.IntN(len(clients))
		c := &clients[i]
		c.ID = int32(i)
		now := unit.Time(n) * 20 * unit.Microsecond
		if c.parked {
			continue
		}
		if c.next == len(c.Steps) {
			c.Steps, c.next = c.Steps[:0], 0
			node := r.Int32N(90) + 20
			file := &f.h.Files[node]
			cl := call.Call{Node: node, Changed: call.Unknown, Offset: r.Int64N(80000), Length: 1 + r.Int64N(40000)}
			switch k := r.IntN(12); {
			case i >= 4:
				f.Act(&c.Thread, i-4, now)
				continue
			case !file.Exists:
				cl.Code, cl.Dir = call.Create, []int32{0, 1, 32}[r.IntN(3)]
			case file.Dir:
				cl.Code = call.Stat
			case k == 0:
				cl.Code = call.Unlink
			case k < 6:
				cl.Code = call.Write
				if k == 5 {
					cl.Flags = call.Sync
				}
			case k == 6:
				cl.Code = call.Truncate
			case k == 7:
				cl.Code, cl.Dir = call.Rename, []int32{0, 1, 32}[r.IntN(3)]
			case k == 8:
				cl.Code = call.Read
			default:
				cl.Code = call.Fsync
			}
			f.Plan(&c.Thread, &cl, now)
			for _, s := range c.Steps {
				if s.Kind == plan.BlockRead && cl.Code == call.Fsync {
					moved++ // only cleaning reads for an fsync
				}
			}
		} else {
			s := &c.Steps[c.next]
			c.next++
			switch s.Kind {
			case plan.Wait:
				c.parked = !f.Wait(&c.Thread, s, now)
			case plan.Mark:
				f.Marked(&c.Thread, s.Note(), now)
			}
		}
		for _, w := range e.woken {
			clients[w].parked = false
		}
		e.woken = e.woken[:0]
		if n%100 == 0 {
			if err := check(f); err != nil {
				t.Fatalf("seed %d, after %d steps: %v", seed, n, err)
			}
		}
	}
	return moved, true
}

// TestLeft: metadata that are dirty do not grow beyond what the cache has for them.
func TestLeft(t *testing.T) {
	f := New(host.New(setup(), tree(), 65536, &env{})).(*fs)
	f.most = int32(len(f.h.Files))
	for n := int32(60); n < 1000; n++ {
		do(f, call.Call{Code: call.Mkdir, Node: n})
		if f.dirty > f.h.MetaMost()+4 {
			t.Fatalf("%d blocks are dirty, of %d that fit", f.dirty, f.h.MetaMost())
		}
	}
	th := &plan.Thread{}
	f.Finish(th, 0)
	pages := int32(0)
	for _, s := range th.Steps {
		pages += s.N
	}
	if f.dirty != 0 || pages < 500 {
		t.Errorf("Finish writes %d pages and leaves %d dirty", pages, f.dirty)
	}
}

// BenchmarkVarmail is a steady state of creates, appends, fsyncs and unlinks with
// checkpoints and cleaning.
func BenchmarkVarmail(b *testing.B) {
	e := &env{}
	f := New(host.New(setup(), tree(), 65536, e)).(*fs)
	th, actor := &plan.Thread{ID: 1}, &plan.Thread{ID: 2}
	now := unit.Time(0)
	do := func(c call.Call) {
		c.Changed, f.h.Sent = call.Unknown, f.h.Sent[:0]
		f.Plan(th, &c, now)
		th.Steps = th.Steps[:0]
		for i := range actors {
			f.Act(actor, i, now)
			for j := range actor.Steps {
				if s := &actor.Steps[j]; s.Kind == plan.Mark {
					f.Marked(actor, s.Note(), now)
				}
			}
			actor.Steps = actor.Steps[:0]
		}
		now += 20 * unit.Microsecond
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := int32(100 + i*7%900)
		if f.h.Files[n].Exists {
			do(call.Call{Code: call.Unlink, Node: n})
		}
		do(call.Call{Code: call.Create, Node: n})
		do(call.Call{Code: call.Write, Node: n, Flags: call.Append, Length: 16384})
		do(call.Call{Code: call.Fsync, Node: n})
		do(call.Call{Code: call.Close, Node: n})
	}
}

// TestInline: a small file is written with its node until it becomes larger, when what it had is
// written first; a directory has leaves when its node has no room for its names.
func TestInline(t *testing.T) {
	s := setup()
	s.Host.Inline = true
	w := tree()
	w.Nodes[20].Size = 3000
	f := New(host.New(s, w, 65536, &env{})).(*fs)
	for _, v := range []struct {
		call  call.Call
		steps string
	}{
		{call.Call{Code: call.Stat, Node: 20}, "pointer read 1, inode read 1, inode read 1"}, // of 1, which has the name, and 20
		{call.Call{Code: call.Read, Node: 20, Length: 3000}, ""},
		{call.Call{Code: call.Write, Node: 20, Length: 3000}, ""},
		{call.Call{Code: call.Fsync, Node: 20}, "inode write 1"},
		{call.Call{Code: call.Write, Node: 20, Flags: call.Append, Length: 488}, ""},
		{call.Call{Code: call.Fsync, Node: 20}, "inode write 1"},
		{call.Call{Code: call.Write, Node: 20, Flags: call.Append, Length: 1}, "data write 1"},
		{call.Call{Code: call.Fsync, Node: 20}, "data write 1, inode write 1"},
		{call.Call{Code: call.Write, Node: 21, Length: 3489}, "inode read 1"},
		{call.Call{Code: call.Fsync, Node: 21}, "data write 1, inode write 1"},
		{call.Call{Code: call.Truncate, Node: 21, Length: 100}, ""},
		{call.Call{Code: call.Write, Node: 21, Length: 50}, ""},
		{call.Call{Code: call.Fsync, Node: 21}, "data write 1, inode write 1"}, // it stays out
		{call.Call{Code: call.Create, Node: 60, Dir: 32}, "inode read 1, (, )"},
		{call.Call{Code: call.Write, Node: 60, Length: 100}, ""},
		{call.Call{Code: call.Truncate, Node: 60, Length: 5000}, "data write 1"},
		{call.Call{Code: call.Mkdir, Node: 61, Dir: 32}, "(, )"},
	} {
		if got := text(do(f, v.call)); got != v.steps {
			t.Errorf("%+v: %q, want %q", v.call, got, v.steps)
		}
	}
	if n := len(f.h.Files[61].Slots) + len(f.h.Files[1].Slots); n != 0 {
		t.Errorf("small directories have %d leaves", n)
	}
	for n := range int32(180) {
		do(f, call.Call{Code: call.Create, Node: 700 + n, Dir: 61})
		if n := len(f.h.Files[61].Slots); n != 0 {
			t.Fatalf("%d leaves of %d names", n, f.entries[61])
		}
	}
	do(f, call.Call{Code: call.Create, Node: 900, Dir: 61})
	if n := len(f.h.Files[61].Slots); n != 2 {
		t.Errorf("%d leaves of %d names", n, f.entries[61])
	}
	if err := check(f); err != nil {
		t.Error(err)
	}

	f = New(host.New(s, w, 65536, &env{recording: true})).(*fs)
	if !f.large[20] || f.h.Files[20].Slots[0].Home == host.None {
		t.Error("a file whose content a crash looks for is in its node")
	}
}
