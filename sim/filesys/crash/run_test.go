package crash

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// mixed is a workload of random calls on few files: all threads meet in them.
type mixed struct {
	rand  *rand.Rand
	left  int
	nodes int32
	dirs  int32
	// single: a file has one thread, as programs that write the same file usually agree on who does.
}

// mix returns a random workload of so many calls.
func mix(seed uint64, calls int) *call.Workload {
	r := rand.New(rand.NewPCG(seed, 17))
	w := &call.Workload{Name: "mix", Scale: 1, Threads: 1 + r.IntN(4), Most: 24, Calls: int64(calls), Nodes: []call.Node{{Dir: true}}}
	const dirs = 6
	for range dirs / 2 {
		w.Nodes = append(w.Nodes, call.Node{Dir: true})
	}
	for range r.IntN(8) {
		w.Nodes = append(w.Nodes, call.Node{}, call.Node{Parent: 1, Size: r.Int64N(65536)})
	}
	w.Nodes = w.Nodes[:min(len(w.Nodes), int(w.Most))]
	w.Start = func() call.Source {
		return &mixed{rand: rand.New(rand.NewPCG(seed, 18)), left: calls, nodes: w.Most, dirs: dirs / 2}
	}
	return w
}

func (m *mixed) Woken() []int32 { return nil }

func (m *mixed) Next(_ int32, _ unit.Time, c *call.Call) call.State {
	if m.left == 0 {
		return call.Done
	}
	m.left--
	r := m.rand
	file := func() int32 { return m.dirs + 1 + r.Int32N(m.nodes-m.dirs-4) }
	dir := func() int32 { return r.Int32N(m.dirs + 1) }
	*c = call.Call{Node: file(), Changed: call.Unknown}
	if r.IntN(3) == 0 {
		c.Changed = int16(r.IntN(101))
	}
	switch k := r.IntN(100); {
	case k < 20:
		c.Code, c.Dir = call.Create, dir()
	case k < 55:
		c.Code, c.Offset, c.Length = call.Write, r.Int64N(40000), 1+r.Int64N(16384)
		if r.IntN(2) == 0 {
			c.Flags |= call.Append
		}
		if r.IntN(4) == 0 {
			c.Flags |= call.Sync
		}
		if r.IntN(8) == 0 {
			c.Flags |= call.Direct
			c.Length = 1 + r.Int64N(512)
		}
	case k < 70:
		c.Code = call.Fsync
	case k < 75:
		c.Code = call.Fdatasync
	case k < 83:
		c.Code = call.Unlink
	case k < 86:
		c.Code, c.Node, c.Dir = call.Mkdir, m.nodes-1-r.Int32N(3), dir()
	case k < 88:
		c.Code, c.Node = call.Rmdir, m.nodes-1-r.Int32N(3)
	case k < 92:
		c.Code, c.Dir = call.Rename, dir()
	case k < 96:
		c.Code, c.Length = call.Truncate, r.Int64N(40000)
	case k < 98:
		c.Code, c.Length = call.Read, 1+r.Int64N(40000)
	default:
		c.Code = call.Stat
	}
	return call.Ready
}

// small is a machine on which everything happens within milliseconds.
func small(seed uint64) machine.Setup {
	r := rand.New(rand.NewPCG(seed, 19))
	s := tiny(r)
	s.Device.DRAM, s.Device.LogAt = 8*unit.MiB, 10+r.Int64N(50)
	s.Payload = []machine.Payload{machine.Zeros, machine.Random, machine.Share}[r.IntN(3)]
	s.Fresh = r.IntN(2) == 0
	s.Host.Cache = 64 * unit.MiB
	s.Host.Commit = unit.Time(64+r.Int64N(64*5)) * unit.Millisecond
	s.Host.Checkpoint = unit.Time(64+r.Int64N(64*9)) * unit.Millisecond
	s.Host.Expire = unit.Time(64+r.Int64N(64*9)) * unit.Millisecond
	s.Host.Journal = 64 * unit.MiB
	s.Host.Inline, s.Host.Batch = seed%2 == 1, []int64{4, 32, 1024}[seed%3]
	return s
}

var systems = []string{"bytefs", "ext4", "f2fs", "nova", "pmfs"}

// hard are seeds of random workloads that found mistakes. In both a directory was removed while
// another thread was making it: its first entry went to a page that was a file's by then.
var hard = []uint64{1247, 1322}

// TestPromisesAreKept runs random workloads on the file systems and cuts the power
// anywhere: what an acknowledged fsync promised is there, and the device has what
// committed transactions and blocks left there.
func TestPromisesAreKept(t *testing.T) {
	runs, every := uint64(60), 23
	if testing.Short() {
		runs = 6
	}
	for _, name := range append([]string{"own"}, systems...) {
		t.Run(name, func(t *testing.T) {
			n, promises := 0, int64(0)
			for i := range runs + uint64(len(hard)) {
				seed, every := i, every
				if i >= runs {
					seed, every = hard[i-runs], 1
				}
				s := small(seed)
				s.Table = randomTable(seed)
				r, err := Record(mix(seed, 300), &s, name, 0, 0)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				h, err := newHistory(r, &s, Correct)
				if err != nil {
					t.Fatal(err)
				}
				for h.at < len(r.Events) {
					if h.at%every == int(seed)%every {
						rep := h.report()
						n++
						promises += rep.Promises
						if fault := broken(r, rep); fault != "" {
							t.Fatalf("seed %d, a failure before event %d of %d, %+v: %s", seed, h.at, len(r.Events), r.Events[h.at], fault)
						}
					}
					if h.step(); h.media.problem != nil {
						t.Fatalf("seed %d: %v", seed, h.media.problem)
					}
				}
			}
			if t.Logf("%d crashes, %d promises", n, promises); promises == 0 {
				t.Error("nothing was promised")
			}
		})
	}
}

// randomTable has every cell of the system Yours at random, or nearly all or none.
func randomTable(seed uint64) machine.Table {
	r := rand.New(rand.NewPCG(seed, 36))
	share := r.IntN(11)
	return machine.TableOf(func(machine.Cell) bool { return r.IntN(10) < share })
}

// TestTableTears: where names or inodes go by blocks a call that is cut off may be torn, which it
// never is with ByteFS' table, and data by blocks tear nothing.
func TestTableTears(t *testing.T) {
	for table, tears := range map[machine.Table]bool{
		machine.TableByteFS: false, machine.TableBytes: false, machine.TableBlocks: true,
		"dentry.create": true, "inodes.delete": true, "data.sync,data.back": false, "inode.sync,inode.back": false,
	} {
		torn := int64(0)
		for seed := range uint64(4) {
			s := small(seed)
			s.Table = table
			r, err := Record(mix(seed, 200), &s, "own", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			h, err := newHistory(r, &s, Correct)
			if err != nil {
				t.Fatal(err)
			}
			for h.at < len(r.Events) {
				h.step()
				rep := h.report()
				for _, code := range []call.Code{call.Create, call.Mkdir, call.Unlink, call.Rmdir, call.Rename, call.Truncate} {
					torn += rep.Fates[code][Torn]
				}
			}
		}
		if (torn > 0) != tears {
			t.Errorf("by block %s: %d calls are torn", table, torn)
		}
	}
}

// broken says what is wrong with a report.
func broken(r *Run, rep *Report) string {
	switch {
	case rep.Wrong > 0:
		return fmt.Sprintf("%d lines are wrong: %s", rep.Wrong, rep.First)
	case rep.Broken > 0:
		return fmt.Sprintf("%d promises are broken, first %+v", rep.Broken, rep.Nodes[0])
	case rep.Orphans > 0:
		return fmt.Sprintf("%d nodes are in directories that are gone", rep.Orphans)
	}
	return ""
}

// TestMistakesAreFoundInRuns seeds mistakes into the SSD under ByteFS: lines are wrong, and
// promises are broken.
func TestMistakesAreFoundInRuns(t *testing.T) {
	runs := uint64(20)
	if testing.Short() {
		runs = 8
	}
	for _, m := range []Mistake{MergesOpen, IgnoresTx, KeepsLines, InIDOrder, MapsTooSoon} {
		wrong, broken, n := 0, 0, 0
		for seed := range runs {
			s := small(seed)
			s.Device.LogAt = 5
			r, err := Record(mix(seed, 600), &s, "bytefs", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			h, err := newHistory(r, &s, m)
			if err != nil {
				t.Fatal(err)
			}
			for h.at < len(r.Events) {
				if h.step(); h.at%11 == 0 {
					rep := h.report()
					n++
					if rep.Wrong > 0 {
						wrong++
					}
					if rep.Broken > 0 {
						broken++
					}
				}
			}
		}
		t.Logf("%s: lines are wrong in %d of %d crashes, promises broken in %d", m, wrong, n, broken)
		// ByteFS draws a transaction's number when it has all its locks: then their order is
		// that of the log. And its transactions are open for a few microseconds only, in
		// which a page of theirs is hardly ever cleaned.
		if (wrong == 0) != (m == InIDOrder) && m != MergesOpen {
			t.Errorf("mistake %q makes lines wrong in %d of %d crashes", m, wrong, n)
		}
		// What has not committed nobody has promised: lines of open transactions tear calls.
		if (broken == 0) != (m == InIDOrder || m == IgnoresTx) && m != MergesOpen {
			t.Errorf("mistake %q breaks promises in %d of %d crashes", m, broken, n)
		}
	}
}

// FuzzPromises cuts the power in random runs of the file systems.
func FuzzPromises(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, uint8(seed), uint16(50))
	}
	f.Add(uint64(208), uint8(4), uint16(191)) // a file is made and written while its unlink is under way
	f.Fuzz(func(t *testing.T, seed uint64, system uint8, calls uint16) {
		s := small(seed)
		name := systems[int(system)%len(systems)]
		r, err := Record(mix(seed, 1+int(calls)%512), &s, name, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		h, err := newHistory(r, &s, Correct)
		if err != nil {
			t.Fatal(err)
		}
		for h.at < len(r.Events) {
			if h.at%17 == 0 {
				if fault := broken(r, h.report()); fault != "" {
					t.Fatalf("%s, seed %d, before event %d: %s", name, seed, h.at, fault)
				}
			}
			h.step()
		}
	})
}

func BenchmarkReport(b *testing.B) {
	s := small(1)
	r, err := Record(mix(1, 600), &s, "bytefs", 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Crash(r, len(r.Events)/2, &s, Correct); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPromisesAreKeptByWorkloads cuts the power in the workloads of the paper.
func TestPromisesAreKeptByWorkloads(t *testing.T) {
	s := machine.Default()
	s.Scale, s.Payload = 256, machine.Random
	recipes := load.Recipes()
	for i := range recipes {
		w, err := load.Generate(&recipes[i], &s)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range systems {
			if testing.Short() && i%5 != 0 {
				continue
			}
			r, err := Record(w, &s, name, 2000, 0)
			if err != nil {
				t.Fatalf("%s on %s: %v", w.Name, name, err)
			}
			h, err := newHistory(r, &s, Correct)
			if err != nil {
				t.Fatal(err)
			}
			for h.at < len(r.Events) {
				if h.step(); h.at%(len(r.Events)/8) == 0 {
					if fault := broken(r, h.report()); fault != "" {
						t.Errorf("%s on %s, before event %d of %d: %s", w.Name, name, h.at, len(r.Events), fault)
						break
					}
				}
			}
		}
	}
}

// TestTimersGoOn: what a file system writes after some time is durable then, though the
// threads have stopped.
func TestTimersGoOn(t *testing.T) {
	s := machine.Default()
	recipes := load.Recipes()
	for i := range recipes {
		if recipes[i].Name != "create" {
			continue
		}
		w, err := load.Generate(&recipes[i], &s)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ext4", "f2fs"} {
			for _, idle := range []unit.Time{0, 2 * max(s.Host.Commit, s.Host.Checkpoint) / unit.Time(s.Scale)} {
				r, err := Record(w, &s, name, 500, idle)
				if err != nil {
					t.Fatal(err)
				}
				rep, err := Crash(r, len(r.Events), &s, Correct)
				if err != nil {
					t.Fatal(err)
				}
				if gone := rep.Fates[call.Create][Discarded]; (gone == 0) != (idle > 0) || rep.Answered < 500 || rep.Answered >= 500+int64(w.Threads) {
					t.Errorf("%s, idle until %v: %d creates of %d answered calls are gone", name, idle, gone, rep.Answered)
				}
			}
		}
	}
}
