package load

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// An event is a thread that is to be asked at a time.
type event struct {
	at     unit.Time
	thread int32
}

// drive runs a workload on a file system that answers after random times, and shows every
// call to see when it is made and to answered when it is answered. It reports how many
// calls there were.
func drive(t testing.TB, w *call.Workload, see, answered func(thread int32, c *call.Call)) int64 {
	t.Helper()
	src := w.Start()
	rnd := seeded(99, 0)
	heap := make([]event, 0, w.Threads) // few threads: the smallest is searched
	for i := range w.Threads {
		heap = append(heap, event{0, int32(i)})
	}
	under := make([]call.Call, w.Threads)
	busy := make([]bool, w.Threads)
	parked := make([]bool, w.Threads)
	done, n := 0, int64(0)
	for len(heap) > 0 {
		best := 0
		for i := range heap {
			if heap[i].at < heap[best].at {
				best = i
			}
		}
		e := heap[best]
		heap[best] = heap[len(heap)-1]
		heap = heap[:len(heap)-1]
		if busy[e.thread] && answered != nil {
			answered(e.thread, &under[e.thread])
		}
		busy[e.thread] = false
		switch src.Next(e.thread, e.at, &under[e.thread]) {
		case call.Ready:
			c := &under[e.thread]
			n++
			busy[e.thread] = true
			if see != nil {
				see(e.thread, c)
			}
			heap = append(heap, event{max(e.at, c.At) + c.Think + unit.Time(1+rnd.below(100_000_000)), e.thread})
		case call.Parked:
			parked[e.thread] = true
		case call.Done:
			done++
		}
		for _, th := range src.Woken() {
			if !parked[th] {
				t.Fatalf("thread %d is woken and was not parked", th)
			}
			parked[th] = false
			heap = append(heap, event{e.at, th})
		}
	}
	if done != w.Threads {
		t.Fatalf("%s: %d of %d threads ended; the others wait for ever", w.Name, done, w.Threads)
	}
	return n
}

// A tree is what a file system would have: it refuses what cannot be.
type tree struct {
	t      *testing.T
	exists []bool
	dir    []bool
	open   []int
	size   []int64
	inside []int
	parent []int32
}

func newTree(t *testing.T, w *call.Workload) *tree {
	x := &tree{t: t, exists: make([]bool, w.Most), dir: make([]bool, w.Most), open: make([]int, w.Most), size: make([]int64, w.Most), inside: make([]int, w.Most), parent: make([]int32, w.Most)}
	if len(w.Nodes) == 0 || !w.Nodes[0].Dir {
		t.Fatal("node 0 is not the root")
	}
	for i, n := range w.Nodes {
		if i > 0 && (n.Parent < 0 || int(n.Parent) >= len(w.Nodes) || !w.Nodes[n.Parent].Dir) {
			t.Fatalf("node %d has the parent %d", i, n.Parent)
		}
		x.exists[i], x.dir[i], x.size[i], x.parent[i] = true, n.Dir, n.Size, n.Parent
		if i > 0 {
			x.inside[n.Parent]++
		}
	}
	return x
}

func (x *tree) see(thread int32, c *call.Call) {
	x.t.Helper()
	if c.Node < 0 || int(c.Node) >= len(x.exists) {
		x.t.Fatalf("a call of node %d of %d", c.Node, len(x.exists))
	}
	fresh := c.Code == call.Create || c.Code == call.Mkdir
	if x.exists[c.Node] == fresh {
		x.t.Fatalf("thread %d: call %d of node %d, which exists: %v", thread, c.Code, c.Node, x.exists[c.Node])
	}
	if c.Code == call.Read && (c.Length <= 0 || c.Offset < 0 || c.Offset+c.Length > x.size[c.Node]) {
		x.t.Fatalf("thread %d reads %d at %d of a file of %d", thread, c.Length, c.Offset, x.size[c.Node])
	}
	switch c.Code {
	case call.Create, call.Mkdir:
		if !x.exists[c.Dir] || !x.dir[c.Dir] {
			x.t.Fatalf("created in %d, which is no directory", c.Dir)
		}
		x.exists[c.Node], x.dir[c.Node], x.size[c.Node], x.parent[c.Node] = true, c.Code == call.Mkdir, 0, c.Dir
		x.inside[c.Dir]++
		if c.Code == call.Create {
			x.open[c.Node]++
		}
	case call.Open:
		x.open[c.Node]++
	case call.Close:
		if x.open[c.Node]--; x.open[c.Node] < 0 {
			x.t.Fatalf("node %d is closed and was not open", c.Node)
		}
	case call.Write:
		if c.Length <= 0 || c.Flags&call.Append != 0 && c.Offset != x.size[c.Node] {
			x.t.Fatalf("thread %d writes %d at %d of a file of %d", thread, c.Length, c.Offset, x.size[c.Node])
		}
		x.size[c.Node] = max(x.size[c.Node], c.Offset+c.Length)
	case call.Truncate:
		if c.Length >= x.size[c.Node] {
			x.t.Fatalf("thread %d cuts a file of %d to %d", thread, x.size[c.Node], c.Length)
		}
		x.size[c.Node] = c.Length
	case call.Unlink, call.Rmdir:
		if c.Dir != x.parent[c.Node] {
			x.t.Fatalf("node %d is removed from %d; it is in %d", c.Node, c.Dir, x.parent[c.Node])
		}
		if x.open[c.Node] > 0 || x.inside[c.Node] > 0 {
			x.t.Fatalf("node %d is removed while it is open or not empty", c.Node)
		}
		x.exists[c.Node] = false
		x.inside[c.Dir]--
	}
}

func setup(scale int64) *machine.Setup { return &machine.Setup{Scale: scale, Seed: 1} }

// bench are the workloads that are Filebench's and oltp.
var bench = []string{"create", "delete", "mkdir", "rmdir", "stat", "varmail", "fileserver", "webproxy", "webserver", "oltp"}

func generate(t testing.TB, name string, scale int64) *call.Workload {
	t.Helper()
	r, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Generate(r, setup(scale))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestEveryCallIsPossible(t *testing.T) {
	for _, name := range bench {
		for _, scale := range []int64{64, 600} {
			w := generate(t, name, scale)
			x := newTree(t, w)
			using := make([]int32, w.Most) // the thread that uses a file, +1
			n := drive(t, w, func(th int32, c *call.Call) {
				x.see(th, c)
				if name == "oltp" || c.Node == int32(len(w.Nodes))-1 && name == "webserver" {
					return
				}
				if u := using[c.Node]; u != 0 && u != th+1 {
					t.Fatalf("%s: threads %d and %d use node %d", name, th, u-1, c.Node)
				}
				using[c.Node] = th + 1
			}, func(_ int32, c *call.Call) {
				if c.Code == call.Close || c.Code == call.Stat || c.Code == call.Unlink || c.Code == call.Mkdir || c.Code == call.Rmdir {
					using[c.Node] = 0
				}
			})
			// Files above a mebibyte are read or written by several calls.
			if d := n - w.Calls; d != 0 && (name != "fileserver" || d < 0 || d > w.Calls/100) {
				t.Errorf("%s at %d: %d calls; %d announced", name, scale, n, w.Calls)
			}
			t.Logf("%s at %d: %d calls, %d nodes of %d", name, scale, n, len(w.Nodes), w.Most)
		}
	}
}

func TestSameCallsEveryTime(t *testing.T) {
	for _, name := range bench {
		w := generate(t, name, 600)
		var first, second []call.Call
		drive(t, w, func(_ int32, c *call.Call) { first = append(first, *c) }, nil)
		drive(t, w, func(_ int32, c *call.Call) { second = append(second, *c) }, nil)
		if !slices.Equal(first, second) {
			t.Errorf("%s: a second run makes other calls", name)
		}
	}
}

func TestEveryCallOfTheStoreIsPossible(t *testing.T) {
	for i := range mixes {
		for _, sync := range []int64{0, 1} {
			r, _ := Find(mixes[i].name)
			r.SyncLog = sync
			for _, scale := range []int64{64, 1000} {
				if scale == 1000 {
					r.Calls *= 50 // so that all levels are merged
				}
				w, err := Generate(r, setup(scale))
				if err != nil {
					t.Fatal(err)
				}
				x := newTree(t, w)
				var codes [call.Codes]int64
				var bytes [2]int64
				n := drive(t, w, func(th int32, c *call.Call) {
					// Runs that were merged stay until nobody reads them.
					if c.Code == call.Create {
						x.open[c.Node]--
					}
					if c.Code == call.Close {
						x.open[c.Node]++
					}
					x.see(th, c)
					codes[c.Code]++
					switch c.Code {
					case call.Read:
						bytes[0] += c.Length
					case call.Write:
						bytes[1] += c.Length
					}
				}, nil)
				t.Logf("%s at %d, sync %d: %d calls (%d), codes %v, read %d MB, written %d MB", r.Name, scale, sync, n, w.Calls, codes, bytes[0]>>20, bytes[1]>>20)
			}
		}
	}
}

// What threads write and read in a loop, against the sums of the addendum to the
// specification: varmail writes 16 KB, webproxy 8 KB, fileserver 144 KB with 8 KB appended.
func TestSums(t *testing.T) {
	for _, c := range []struct {
		name          string
		loop          int64 // calls
		write, append float64
	}{
		{"create", 4, 4096, 0},
		{"varmail", 13, 16384, 16384},
		{"fileserver", 11, 131072 + 8192, 8192},
		{"webproxy", 19, 8192, 8192},
		{"webserver", 31, 8192, 8192},
	} {
		w := generate(t, c.name, 8)
		var write, appended, read float64
		n := drive(t, w, func(_ int32, x *call.Call) {
			switch {
			case x.Code == call.Read:
				read += float64(x.Length)
			case x.Code == call.Write && x.Flags&call.Append != 0:
				appended += float64(x.Length)
				if x.Length < 1 || x.Length > 16384 {
					t.Fatalf("%s appends %d", c.name, x.Length)
				}
				write += float64(x.Length)
			case x.Code == call.Write:
				write += float64(x.Length)
			}
		}, nil)
		r, _ := Find(c.name)
		loops := float64(w.Calls / c.loop)
		if c.append > 0 {
			near(t, c.name+"'s appends in a loop", appended/loops, c.append, 0.02)
		}
		near(t, c.name+"'s writes in a loop", write/loops, c.write, 0.03)
		t.Logf("%s: %d calls of %d, %.0f bytes read in a loop, %d threads", c.name, n, w.Calls, read/loops, r.Threads)
	}
}

// Operations are what Filebench stops after: so many reads and writes.
func TestCounts(t *testing.T) {
	for name, want := range map[string]int64{
		"create": 500_000, "varmail": 500_000, "fileserver": 1_000_000, "webproxy": 500_000, "webserver": 500_000,
	} {
		w := generate(t, name, 16)
		n := int64(0)
		drive(t, w, func(_ int32, c *call.Call) {
			if c.Code == call.Read || c.Code == call.Write {
				n++
			}
		}, nil)
		near(t, name+"'s reads and writes", float64(n*16), float64(want), 0.01)
	}
	// oltp has a synchronous write for each read, but for the batches that are not full.
	w := generate(t, "oltp", 4)
	var codes [call.Codes]float64
	drive(t, w, func(_ int32, c *call.Call) {
		codes[c.Code]++
		if c.Code == call.Write && c.Flags != call.Sync {
			t.Fatalf("%+v", c)
		}
	}, nil)
	near(t, "oltp's writes", codes[call.Write], codes[call.Read], 0.01)
}

// Files are chosen in rotation: none again before all others that could be.
func TestRotation(t *testing.T) {
	w := generate(t, "stat", 1)
	seen := make([]int, w.Most)
	most := 0
	drive(t, w, func(_ int32, c *call.Call) {
		if seen[c.Node]++; seen[c.Node] > most {
			most = seen[c.Node]
			for i, n := range w.Nodes {
				// Files that another thread used just then were skipped.
				if !n.Dir && seen[i] < most-2 {
					t.Fatalf("file %d was asked %d times, another %d times", i, seen[i], most)
				}
			}
		}
	}, nil)
	w = generate(t, "delete", 64)
	last, back := int32(0), 0
	drive(t, w, func(_ int32, c *call.Call) {
		if c.Dir < last {
			back++
		}
		last = c.Dir
	}, nil)
	if back > 0 {
		t.Errorf("delete goes back to an earlier directory %d times", back)
	}
}

// What exists before is the share that the recipe says, in every directory.
func TestPreallocated(t *testing.T) {
	w := generate(t, "fileserver", 64)
	inside := make([]int, len(w.Nodes))
	sum, files := int64(0), 0
	for _, n := range w.Nodes {
		if !n.Dir {
			inside[n.Parent]++
			sum += n.Size
			files++
		}
	}
	for i, n := range inside {
		if n > 0 && (n < 12 || n > 17) { // of 20, and of 18 in the last
			t.Errorf("directory %d has %d files", i, n)
		}
	}
	near(t, "the mean size", float64(sum)/float64(files), 131072, 0.06)
	depth := 0
	for at := w.Nodes[len(w.Nodes)-1].Parent; at > 0; at = w.Nodes[at].Parent {
		depth++
	}
	if depth != 3 { // 938 files, 47 directories of 20, 3 of 20, 1
		t.Errorf("files are %d directories deep", depth)
	}
}

func TestSeed(t *testing.T) {
	r, _ := Find("varmail")
	one, _ := Generate(r, setup(64))
	two, _ := Generate(r, &machine.Setup{Scale: 64, Seed: 2})
	if slices.Equal(one.Nodes, two.Nodes) {
		t.Error("another seed makes the same files")
	}
}

func TestWrongRecipes(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(r *Recipe, s *machine.Setup)
	}{
		{"varmail", "there is no workload", func(r *Recipe, _ *machine.Setup) { r.Name = "mail" }},
		{"varmail", "scale is 0", func(_ *Recipe, s *machine.Setup) { s.Scale = 0 }},
		{"varmail", "threads are -1", func(_ *Recipe, s *machine.Setup) { s.Threads = -1 }},
		{"varmail", "raise scale, or lower files", func(r *Recipe, s *machine.Setup) { r.Files, s.Scale = 1<<30, 1 }},
		{"varmail", "raise preallocated or files", func(r *Recipe, _ *machine.Setup) { r.Preallocated = 0 }},
		{"stat", "lower scale", func(r *Recipe, s *machine.Setup) { r.Files, r.Preallocated, s.Scale = 16, 50, 64 }},
		{"create", "lower preallocated", func(r *Recipe, _ *machine.Setup) { r.Preallocated = 100 }},
		{"mkdir", "Directory width is 1", func(r *Recipe, _ *machine.Setup) { r.Width = 1 }},
		{"varmail", "Append is 0", func(r *Recipe, _ *machine.Setup) { r.Append = 0 }},
		{"oltp", "set threads to 12 or more", func(_ *Recipe, s *machine.Setup) { s.Threads = 11 }},
		{"oltp", "raise file_size", func(r *Recipe, _ *machine.Setup) { r.FileSize = 4096 }},
		{"ycsb-a", "Memtable is 0", func(r *Recipe, _ *machine.Setup) { r.Memtable = 0 }},
		{"ycsb-a", "raise files or lower scale", func(r *Recipe, s *machine.Setup) { r.Files, s.Scale = 1000, 1000 }},
		{"ycsb-a", "raise scale", func(r *Recipe, s *machine.Setup) { r.Files, s.Scale = 1<<30, 1 }},
	} {
		r, _ := Find(c.name)
		s := setup(64)
		c.change(r, s)
		if _, err := Generate(r, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q in it", c.name, err, c.want)
		}
	}
}

// Recipes at the ends of their knobs end, or say what is wrong.
func TestOddRecipes(t *testing.T) {
	rnd := seeded(5, 5)
	list := Recipes()
	made := 0
	for range 300 {
		r := list[rnd.below(int64(len(list)))]
		r.Files, r.Calls = 16+rnd.below(3000), 1+rnd.below(4000)
		r.Preallocated = rnd.below(101)
		r.Threads = 1 + rnd.below(40)
		r.Width = 2 + rnd.below(30)
		r.FileSize = unit.Bytes(rnd.below(3 << 20))
		r.IO = unit.Bytes(512 + rnd.below(1<<20))
		r.Append = unit.Bytes(1 + rnd.below(1<<16))
		r.Gamma, r.SyncLog, r.AIO = rnd.below(2), rnd.below(2), 1+rnd.below(100)
		w, err := Generate(&r, &machine.Setup{Scale: 1 + rnd.below(20), Seed: rnd.below(100)})
		if err != nil {
			continue
		}
		made++
		x := newTree(t, w)
		drive(t, w, func(th int32, c *call.Call) {
			if r.Store() { // runs that are written stay open here until nobody reads them
				switch c.Code {
				case call.Create:
					x.open[c.Node]--
				case call.Close:
					x.open[c.Node]++
				}
			}
			x.see(th, c)
		}, nil)
	}
	if made < 100 {
		t.Errorf("only %d of 300 recipes were taken", made)
	}
}

// recording is of two threads: one makes a file that the other reads, moves and removes.
func recording() *Recording {
	c := func(code call.Code, node, dir int32, at unit.Time) call.Call {
		return call.Call{Code: code, Node: node, Dir: dir, At: at, Length: 100, Changed: call.Unknown}
	}
	return &Recording{
		Name: "two", Nodes: []call.Node{{Parent: -1, Dir: true}, {Dir: true}}, Most: 4,
		Threads: [][]call.Call{
			{c(call.Read, 3, 0, 50), c(call.Rename, 3, 1, 60), c(call.Unlink, 3, 1, 80)},
			{c(call.Mkdir, 2, 1, 10), c(call.Create, 3, 2, 20), c(call.Write, 3, 0, 30), c(call.Close, 3, 0, 70), c(call.Rmdir, 2, 1, 90)},
		},
		Order: []int32{1, 1, 1, 0, 0, 1, 0, 1},
	}
}

func TestReplay(t *testing.T) {
	for _, open := range []bool{false, true} {
		s := setup(64)
		s.OpenLoop = open
		r := recording()
		w, err := Replay(r, s)
		if err != nil {
			t.Fatal(err)
		}
		if w.Scale != 1 || w.Threads != 2 || w.Calls != 8 {
			t.Errorf("%+v", w)
		}
		var codes []call.Code
		drive(t, w, func(_ int32, c *call.Call) {
			codes = append(codes, c.Code)
			if (c.At != 0) != open {
				t.Errorf("open loop %v: at %v", open, c.At)
			}
		}, nil)
		// What is done to the file follows in order. Its close waits for nothing, nor do the
		// write and the read for each other; its first directory goes when it has left that.
		at := func(c call.Code) int { return slices.Index(codes, c) }
		if len(codes) != 8 || at(call.Mkdir) != 0 || at(call.Create) != 1 || at(call.Rename) < max(at(call.Read), at(call.Write)) ||
			at(call.Unlink) < max(at(call.Rename), at(call.Close)) || at(call.Rmdir) < at(call.Rename) {
			t.Errorf("calls %v", codes)
		}
	}
}

func TestWrongRecordings(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(r *Recording)
	}{
		{"no calls", func(r *Recording) { r.Threads = nil }},
		{"Order", func(r *Recording) { r.Order = r.Order[1:] }},
		{"Order", func(r *Recording) { r.Order[0] = 7 }},
		{"Order", func(r *Recording) { r.Order[3] = 1 }},
		{"node 9", func(r *Recording) { r.Threads[0][0].Node = 9 }},
		{"node -1", func(r *Recording) { r.Threads[0][0].Node = -1 }},
		{"in 4", func(r *Recording) { r.Threads[0][1].Dir = 4 }},
		{"offset", func(r *Recording) { r.Threads[0][0].Offset = -1 }},
		{"length", func(r *Recording) { r.Threads[0][0].Length = 1 << 60 }},
		{"no call 13", func(r *Recording) { r.Threads[1][0].Code = call.Codes }},
		{"%", func(r *Recording) { r.Threads[1][2].Changed = 101 }},
		{"root", func(r *Recording) { r.Nodes = nil }},
		{"2 to", func(r *Recording) { r.Most = 1 }},
		{"parent", func(r *Recording) { r.Nodes[1].Parent = 2 }},
		{"size", func(r *Recording) { r.Nodes[1].Size = -1 }},
		{"threads", func(r *Recording) { r.Threads = append(r.Threads, make([][]call.Call, MaxThreads)...) }},
	} {
		r := recording()
		c.change(r)
		if _, err := Replay(r, setup(1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q in it", err, c.want)
		}
	}
}

func TestUses(t *testing.T) {
	for _, r := range Recipes() {
		for _, k := range Knobs() {
			if r.Uses(k.Key) && k.Check(&r) != nil {
				t.Errorf("%s: %v", r.Name, k.Check(&r))
			}
		}
	}
	r, _ := Find("stat")
	if r.Uses("memtable") || r.Uses("append") || !r.Uses("width") {
		t.Error("stat uses other knobs")
	}
}

func TestNoAllocation(t *testing.T) {
	for _, name := range append(bench, "ycsb-b", "ycsb-e") {
		w := generate(t, name, 16)
		src := w.Start()
		var c call.Call
		th := int32(0)
		if n := testing.AllocsPerRun(3000, func() {
			src.Next(th, 0, &c)
			src.Woken()
			th = (th + 1) % int32(w.Threads)
		}); n > 0 {
			t.Errorf("%s allocates %v times a call", name, n)
		}
	}
}

// BenchmarkCalls makes calls as an engine without a file system would ask for them.
func BenchmarkCalls(b *testing.B) {
	for _, name := range []string{"create", "varmail", "fileserver", "webproxy", "stat", "oltp", "ycsb-a", "ycsb-c", "ycsb-e"} {
		w := generate(b, name, 8)
		b.Run(name, func(b *testing.B) {
			calls := int64(0)
			var c call.Call
			ready := make([]int32, 0, 2*w.Threads)
			for b.Loop() {
				src := w.Start()
				ready = ready[:0]
				for i := range w.Threads {
					ready = append(ready, int32(i))
				}
				for at := 0; len(ready) > 0; {
					if at >= len(ready) {
						at = 0
					}
					switch src.Next(ready[at], 0, &c) {
					case call.Ready:
						calls++
						at++
					default:
						ready[at] = ready[len(ready)-1]
						ready = ready[:len(ready)-1]
					}
					ready = append(ready, src.Woken()...)
				}
			}
			b.ReportMetric(float64(calls)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
		})
	}
}

func BenchmarkGenerate(b *testing.B) {
	r, _ := Find("varmail")
	for b.Loop() {
		if _, err := Generate(r, setup(1)); err != nil {
			b.Fatal(err)
		}
	}
}
