package load

import (
	"slices"
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
	users  []int // threads in a call or between open and close that must be alone
	alone  bool
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
