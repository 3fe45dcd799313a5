package ext4

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
	start     [actors]unit.Time
	events    []plan.Event
}

func (e *env) Wake(thread int32, _ unit.Time) { e.woken = append(e.woken, thread) }
func (e *env) Record(v plan.Event)            { e.events = append(e.events, v) }
func (e *env) Recording() bool                { return e.recording }
func (e *env) Start(actor int, at unit.Time) {
	if e.start[actor] == 0 || at < e.start[actor] {
		e.start[actor] = at
	}
}

func setup() *machine.Setup {
	s := machine.Default()
	s = s.Scaled()
	s.Payload = machine.Random
	return &s
}

// tree is a root, a directory 1 with a file 20 of 10 KB and an empty file 21, and an
// empty directory 32: nodes in blocks of inodes of their own.
func tree() *call.Workload {
	w := &call.Workload{Name: "tree", Threads: 1, Most: 1000, Nodes: []call.Node{{Parent: -1, Dir: true}, {Dir: true}}}
	for len(w.Nodes) < 48 {
		w.Nodes = append(w.Nodes, call.Node{Parent: 0})
	}
	w.Nodes[20] = call.Node{Parent: 1, Size: 10000}
	w.Nodes[21] = call.Node{Parent: 1}
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
		}
	}
	return strings.Join(list, ", ")
}

// do plans a call, and executes its marks.
func do(f *fs, c call.Call) []plan.Step {
	c.Changed = call.Unknown
	t := &plan.Thread{ID: 3, Call: 7}
	f.Plan(t, &c, 0)
	for i := range t.Steps {
		if t.Steps[i].Kind == plan.Mark {
			f.Marked(t, t.Steps[i].Note(), 0)
		}
	}
	return t.Steps
}

// blocks says what the running transaction has.
func blocks(f *fs) string {
	var n [plan.Structures]int
	for _, b := range f.next.blocks {
		if b != host.None {
			n[f.kind[b]]++
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

// commit lets the journal's thread commit, and returns what it writes.
func commit(f *fs) string {
	t := &plan.Thread{ID: 9}
	for _, actor := range [...]int{checkpoint, journal} {
		t.Steps, f.wanted = t.Steps[:0], true
		f.Act(t, actor, 1)
		for i := range t.Steps {
			if t.Steps[i].Kind == plan.Mark {
				f.Marked(t, t.Steps[i].Note(), 1)
			}
		}
	}
	return text(t.Steps)
}

// The steps of every call, and what joins the journal, from the rules of the specification:
// block by block.
func TestEveryCallHasTheStepsOfItsRules(t *testing.T) {
	for _, v := range []struct {
		name   string
		before []call.Call // and a commit
		call   call.Call
		steps  string
		joined string
		commit string
	}{
		{"open", nil, call.Call{Code: call.Open, Node: 20}, "", "", ""},
		{"stat", nil, call.Call{Code: call.Stat, Node: 20}, "", "", ""},
		{"close", nil, call.Call{Code: call.Close, Node: 20}, "", "", ""},
		{"create", nil, call.Call{Code: call.Create, Node: 60, Dir: 1}, "(, )", "blocks 1, inodes 1, inode 2, entry 1", "journal write 6, journal write 1"},
		{"mkdir", nil, call.Call{Code: call.Mkdir, Node: 60, Dir: 1}, "(, )", "blocks 2, inodes 1, inode 2, entry 2", "journal write 8, journal write 1"},
		{"unlink", nil, call.Call{Code: call.Unlink, Node: 20, Dir: 1}, "(, )", "superblock 1, blocks 2, inodes 1, inode 2, entry 1", "journal write 8, journal write 1"},
		{"unlink of an empty file", nil, call.Call{Code: call.Unlink, Node: 21, Dir: 1}, "(, )", "superblock 1, blocks 1, inodes 1, inode 2, entry 1", "journal write 7, journal write 1"},
		{"rmdir", nil, call.Call{Code: call.Rmdir, Node: 32}, "(, )", "superblock 1, blocks 2, inodes 1, inode 2, entry 1", "journal write 8, journal write 1"},
		{"rename", nil, call.Call{Code: call.Rename, Node: 20, Dir: 32}, "(, (, ), )", "inode 3, entry 2", "journal write 6, journal write 1"},
		{"cold read", nil, call.Call{Code: call.Read, Node: 20, Length: 10000}, "data read 3", "", ""},
		{"append", nil, call.Call{Code: call.Write, Node: 20, Flags: call.Append, Length: 8192}, "data read 1", "inode 1", "journal write 2, journal write 1"},
		{
			"fsync of an append",
			[]call.Call{{Code: call.Write, Node: 20, Flags: call.Append, Length: 8192}},
			call.Call{Code: call.Fsync, Node: 20},
			"data write 1, data write 2, wait", "blocks 2, inode 1", "journal write 4, journal write 1",
		},
		{
			"fsync of an overwrite",
			[]call.Call{{Code: call.Write, Node: 20, Length: 4096}},
			call.Call{Code: call.Fsync, Node: 20},
			"data write 1, wait", "", "",
		},
		{"fsync of nothing", nil, call.Call{Code: call.Fsync, Node: 20}, "wait", "", ""},
		{"synchronous overwrite", nil, call.Call{Code: call.Write, Node: 20, Flags: call.Sync, Length: 2048}, "data read 1, data write 1", "inode 1", "journal write 2, journal write 1"},
		{"synchronous append", nil, call.Call{Code: call.Write, Node: 20, Flags: call.Sync | call.Append, Length: 8192}, "data read 1, data write 1, data write 2, wait", "blocks 2, inode 1", "journal write 4, journal write 1"},
		{
			"fsync of a large file",
			[]call.Call{{Code: call.Write, Node: 21, Length: 3 << 20}},
			call.Call{Code: call.Fsync, Node: 21},
			"data write 768, wait", "blocks 2, inode 1, pointer 1", "journal write 5, journal write 1",
		},
		{"truncate", nil, call.Call{Code: call.Truncate, Node: 20, Length: 4096}, "", "blocks 2, inode 1", "journal write 4, journal write 1"},
		{"direct read", nil, call.Call{Code: call.Read, Flags: call.Direct, Node: 20, Length: 4096}, "data read 1", "", ""},
		{"direct write", nil, call.Call{Code: call.Write, Flags: call.Direct, Node: 20, Length: 4096}, "data write 1", "inode 1", "journal write 2, journal write 1"},
	} {
		f := New(host.New(setup(), tree(), 65536, &env{})).(*fs)
		for _, n := range []int32{20, 21, 32, 60} {
			do(f, call.Call{Code: call.Stat, Node: n}) // what they need is in the cache
		}
		do(f, call.Call{Code: call.Create, Node: 61, Dir: 1})
		do(f, call.Call{Code: call.Unlink, Node: 61, Dir: 1})
		for _, page := range []int32{f.blockBitmap, f.blockBitmap + 1, f.find(32, 0)} {
			f.meta(&plan.Thread{}, page)
		}
		for _, c := range v.before {
			do(f, c)
		}
		commit(f)
		steps := do(f, v.call)
		if got := text(steps); got != v.steps {
			t.Errorf("%s: %q, want %q", v.name, got, v.steps)
		}
		if got := blocks(f); got != v.joined {
			t.Errorf("%s: %q join, want %q", v.name, got, v.joined)
		}
		if got := commit(f); got != v.commit {
			t.Errorf("%s: the commit is %q, want %q", v.name, got, v.commit)
		}
	}
}

// TestCold: what a call needs and the cache lacks is read in blocks.
func TestCold(t *testing.T) {
	f := New(host.New(setup(), tree(), 65536, &env{})).(*fs)
	for _, v := range []struct {
		call call.Call
		want string
	}{
		{call.Call{Code: call.Stat, Node: 20}, "entry read 1, inode read 1"},
		{call.Call{Code: call.Stat, Node: 20}, ""},
		{call.Call{Code: call.Create, Node: 60, Dir: 1}, "inode read 1, inodes read 1, (, )"}, // its own block of inodes is empty
		{call.Call{Code: call.Unlink, Node: 20, Dir: 1}, "blocks read 1, (, )"},
	} {
		if got := text(do(f, v.call)); got != v.want {
			t.Errorf("%+v: %q, want %q", v.call, got, v.want)
		}
	}
}

// TestLeaves: a leaf more brings its root, itself and the block bitmap; every name is
// found in one of the leaves, and they have about as many each.
func TestLeaves(t *testing.T) {
	f := New(host.New(setup(), tree(), 65536, &env{})).(*fs)
	n := int32(100)
	for ; f.leaves(1) == 1; n++ {
		commit(f)
		do(f, call.Call{Code: call.Create, Node: n, Dir: 1})
	}
	if got, want := blocks(f), "blocks 2, inodes 1, inode 2, entry 3"; got != want {
		t.Errorf("the split joins %q, want %q: the old leaf, which is the root now, and two new ones", got, want)
	}
	for f.leaves(1) == 2 {
		commit(f)
		do(f, call.Call{Code: call.Create, Node: n, Dir: 1})
		n++
	}
	if got, want := blocks(f), "blocks 2, inodes 1, inode 2, entry 3"; got != want {
		t.Errorf("the next split joins %q, want %q: leaf, root, sibling", got, want)
	}
	for ; n < 1000; n++ {
		do(f, call.Call{Code: call.Create, Node: n, Dir: 1})
	}
	count := make(map[int32]int)
	for i := int32(100); i < 1000; i++ {
		count[f.find(1, i)]++
	}
	if len(count) != int(f.leaves(1)) || f.leaves(1) != (900+2+entriesPerLeaf-1)/entriesPerLeaf {
		t.Errorf("%d leaves of %d have names", len(count), f.leaves(1))
	}
	for leaf, n := range count {
		if n < entriesPerLeaf/4 || n > entriesPerLeaf*2 {
			t.Errorf("leaf %d has %d names", leaf, n)
		}
	}
}

// TestCommit: who waits for a transaction is woken when its commit block is written, a
// larger one has more descriptors, and events say what is durable when.
func TestCommit(t *testing.T) {
	e := &env{recording: true}
	f := New(host.New(setup(), tree(), 65536, e)).(*fs)
	do(f, call.Call{Code: call.Create, Node: 60, Dir: 1})
	if got := e.events; len(got) != 1 || got[0].Moment != plan.Joined || got[0].Tx != 1 || got[0].Call != 7 || got[0].Node != 60 {
		t.Errorf("the create records %+v", got)
	}
	steps := do(f, call.Call{Code: call.Fsync, Node: 60})
	e.start[journal] = 0
	if f.Wait(&plan.Thread{ID: 3}, &steps[len(steps)-1], 100) {
		t.Error("an fsync does not wait for the commit")
	}
	if want := 100 + f.h.Setup.Host.Wake; e.start[journal] != want {
		t.Errorf("the journal starts at %v, want %v", e.start[journal], want)
	}
	th := &plan.Thread{ID: 9}
	f.Act(th, journal, 200)
	do(f, call.Call{Code: call.Create, Node: 62, Dir: 1}) // joins the next
	if f.running != 2 || f.committing != 1 {
		t.Errorf("%d runs, %d commits", f.running, f.committing)
	}
	wait := plan.Step{Kind: plan.Wait, Page: 60, N: forData}
	if f.Wait(&plan.Thread{ID: 4}, &wait, 210) || f.wanted {
		t.Error("who comes while it commits has to wait for that commit, and for no other")
	}
	f.Marked(th, th.Steps[len(th.Steps)-1].Note(), 300)
	if !slices.Equal(e.woken, []int32{3, 4}) || len(f.waiters) != 0 {
		t.Errorf("woken: %v; left: %v", e.woken, f.waiters)
	}
	if last := e.events[len(e.events)-1]; last.Moment != plan.Durable || last.Tx != 1 {
		t.Errorf("the last event is %+v", last)
	}
	for i := range int32(400) {
		f.join(f.h.Pages() - 1 - i)
	}
	if got := commit(f); got != fmt.Sprintf("journal write %d, journal write 1", 405+1+1) {
		t.Errorf("a commit of 405 blocks is %q", got)
	}
}

// check is what holds at any time.
func check(f *fs) error {
	if f.usedLog < 0 || f.usedLog > f.logSize {
		return fmt.Errorf("%d pages of the journal in use, of %d", f.usedLog, f.logSize)
	}
	used := int32(0)
	for tx := f.tail; tx < f.running; tx++ {
		used += f.size[tx%f.logSize]
	}
	if used != f.usedLog {
		return fmt.Errorf("transactions have %d pages of the journal, not %d", used, f.usedLog)
	}
	live := make(map[int32]int32)
	going := make(map[int32]int32)
	for _, g := range f.going {
		going[g.page] = g.tx
	}
	for page := range f.h.Pages() {
		b := f.blocks.At(page)
		tx := b.latest
		if tx == 0 {
			if b.home.in() {
				return fmt.Errorf("block %d is to go home without a transaction", page)
			}
			continue
		}
		live[tx]++
		if tx < f.tail {
			return fmt.Errorf("block %d is of transaction %d, which has left the journal", page, tx)
		}
		if !b.home.in() && going[page] != tx {
			return fmt.Errorf("block %d of transaction %d is neither home nor on its way", page, tx)
		}
		if !f.h.Has(page) {
			return fmt.Errorf("block %d is not home and not in the cache", page)
		}
	}
	for tx := f.tail; tx < f.uncommitted(); tx++ {
		if f.live[tx%f.logSize] != live[tx] {
			return fmt.Errorf("transaction %d has %d blocks to go home, not %d", tx, live[tx], f.live[tx%f.logSize])
		}
	}
	owner := make(map[int32]string)
	own := func(page int32, who string) error {
		if was, ok := owner[page]; ok {
			return fmt.Errorf("page %d is of %s and of %s", page, was, who)
		}
		owner[page] = who
		return nil
	}
	for node := range f.h.Files {
		for i, s := range f.h.Files[node].Slots {
			if s.Home != host.None {
				if err := own(s.Home, fmt.Sprintf("page %d of %d", i, node)); err != nil {
					return err
				}
			}
		}
		if e := f.extent[node]; e != host.None {
			if err := own(e, fmt.Sprintf("extents of %d", node)); err != nil {
				return err
			}
		}
	}
	for _, tx := range []*transaction{&f.current, &f.next} {
		for _, page := range tx.freed {
			if err := own(page, "a transaction, which frees it"); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestRandom lets threads and actors take turns at random: what holds at any time does,
// files are as a plain model has them, and in the end every block that joined a
// transaction is home in its last version.
func TestRandom(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		m := setup()
		m.Host.Cache = 100 * unit.Page
		m.Host.Journal = unit.Bytes(40+r.IntN(200)) * unit.Page
		e := &env{}
		f := New(host.New(m, tree(), 8192, e)).(*fs)
		size := make(map[int32]int64)
		for i := range f.h.Files {
			if f.h.Files[i].Exists && !f.h.Files[i].Dir {
				size[int32(i)] = f.h.Files[i].Size
			}
		}
		type client struct {
			plan.Thread
			next   int
			parked bool
		}
		clients := make([]client, 6+actors)
		behind := make(map[int32]bool) // blocks that were committed since they were written home
		now := unit.Time(1)
		step := func(i int) bool {
			c := &clients[i]
			c.ID = int32(i)
			if c.parked {
				return false
			}
			if c.next == len(c.Steps) {
				c.Steps, c.next = c.Steps[:0], 0
				if i >= 6 {
					f.Act(&c.Thread, i-6, now)
					if len(c.Steps) == 0 {
						return false
					}
				}
			}
			if i < 6 && c.next == len(c.Steps) {
				n := r.Int32N(90) + 20
				cl := call.Call{Node: n, Changed: call.Unknown, Offset: r.Int64N(40000), Length: 1 + r.Int64N(40000)}
				_, exists := size[n]
				switch k := r.IntN(12); {
				case !exists && n != 32:
					cl.Code, cl.Dir = call.Create, []int32{0, 1, 32}[r.IntN(3)]
					size[n] = 0
				case n == 32:
					cl.Code = call.Stat
				case k < 3:
					cl.Code, cl.Dir = call.Unlink, f.h.Files[n].Parent
					delete(size, n)
				case k < 6:
					cl.Code = call.Write
					if k == 5 {
						cl.Flags = call.Sync
					}
					size[n] = max(size[n], cl.Offset+cl.Length)
				case k == 6:
					cl.Code = call.Truncate
					size[n] = cl.Length
				case k == 7:
					cl.Code, cl.Dir = call.Rename, []int32{0, 1, 32}[r.IntN(3)]
				case k == 8:
					cl.Code = call.Read
				default:
					cl.Code = call.Fsync
				}
				f.Plan(&c.Thread, &cl, now)
			}
			if c.next < len(c.Steps) {
				s := &c.Steps[c.next]
				c.next++
				switch s.Kind {
				case plan.Wait:
					c.parked = !f.Wait(&c.Thread, s, now)
				case plan.Mark:
					if s.N == committed {
						for _, b := range f.current.blocks {
							behind[b] = true
						}
					}
					f.Marked(&c.Thread, s.Note(), now)
				case plan.BlockWrite:
					for p := s.Page; p < s.Page+s.N; p++ {
						delete(behind, p)
					}
				}
			}
			for _, w := range e.woken {
				clients[w].parked = false
			}
			e.woken = e.woken[:0]
			return true
		}
		for n := range 6000 {
			now += unit.Time(r.Int64N(int64(20 * unit.Microsecond)))
			step(r.IntN(len(clients)))
			if n%50 == 0 {
				if err := check(f); err != nil {
					t.Fatalf("seed %d, after %d steps: %v", seed, n, err)
				}
			}
		}
		// All end, and then time goes by.
		for more := true; more; {
			more = false
			for i := range clients {
				for clients[i].next < len(clients[i].Steps) && step(i) {
					more = true
				}
			}
			for i := 6; i < 6+actors; i++ {
				if step(i) {
					more = true
				}
			}
			now += unit.Second
		}
		for i := range clients {
			if clients[i].parked {
				t.Fatalf("seed %d: thread %d waits for ever", seed, i)
			}
		}
		if f.usedLog != 0 || f.first != host.None || len(f.next.blocks) != 0 {
			t.Errorf("seed %d: in the end %d pages of the journal are in use, and %d blocks run", seed, f.usedLog, len(f.next.blocks))
		}
		for b := range behind {
			if b != host.None && f.blocks.At(b).joined != 0 { // not revoked
				t.Errorf("seed %d: block %d was not written home after its last commit", seed, b)
			}
		}
		for n := range f.h.Files {
			file := &f.h.Files[n]
			want, exists := size[int32(n)]
			if !file.Dir && (file.Exists != exists || file.Size != want) {
				t.Errorf("seed %d: file %d exists: %v, %d bytes; want %v, %d", seed, n, file.Exists, file.Size, exists, want)
			}
		}
		if err := check(f); err != nil {
			t.Fatalf("seed %d, in the end: %v", seed, err)
		}
	}
}

// BenchmarkVarmail is a steady state of creates, appends, fsyncs and unlinks with commits
// and checkpoints.
func BenchmarkVarmail(b *testing.B) {
	e := &env{}
	f := New(host.New(setup(), tree(), 131072, e)).(*fs)
	th, actor := &plan.Thread{ID: 1}, &plan.Thread{ID: 2}
	now := unit.Time(0)
	run := func(t *plan.Thread) {
		for i := range t.Steps {
			switch s := &t.Steps[i]; s.Kind {
			case plan.Mark:
				f.Marked(t, s.Note(), now)
			case plan.Wait:
				f.Wait(t, s, now)
			}
		}
		t.Steps = t.Steps[:0]
	}
	do := func(c call.Call) {
		c.Changed, f.h.Sent = call.Unknown, f.h.Sent[:0]
		f.Plan(th, &c, now)
		run(th)
		for i := range actors {
			f.Act(actor, i, now)
			run(actor)
		}
		e.woken = e.woken[:0]
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
