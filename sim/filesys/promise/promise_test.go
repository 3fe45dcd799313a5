package promise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/crash"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

var systems = []string{"bytefs", "ext4", "f2fs", "nova", "pmfs"}

var names = [Kinds]string{"lost", "nameless", "mixed", "half", "foreign", "damaged"}

func way(t testing.TB, key string) *load.Recording {
	t.Helper()
	for _, w := range Ways() {
		if w.Key == key {
			return w.Recording
		}
	}
	t.Fatalf("there is no way %q", key)
	return nil
}

// setup is a machine with a kind of cache and a mistake.
func setup(cache machine.Cache, m machine.Mistake) *machine.Setup {
	s := machine.Default()
	s.Device.Cache, s.Mistake = cache, m
	return Machine(&s)
}

// broken says which promises a way of saving finds broken, at any pace.
func broken(t testing.TB, key, system string, s *machine.Setup, search Search) string {
	t.Helper()
	return breaks(t, way(t, key), system, s, search)
}

// breaks is broken for a recording.
func breaks(t testing.TB, r *load.Recording, system string, s *machine.Setup, search Search) string {
	t.Helper()
	list, err := Try(r, s, system, search, Paces(s)...)
	if err != nil {
		t.Fatalf("%s on %s: %v", r.Name, system, err)
	}
	var n [Kinds]bool
	for _, trial := range list {
		if trial.Found.Images == 0 {
			t.Errorf("%s on %s: nothing was looked at", r.Name, system)
		}
		for _, b := range trial.Found.Breaks {
			n[b.Kind] = true
		}
	}
	var said []string
	for k := range n {
		if n[k] {
			said = append(said, names[k])
		}
	}
	return strings.Join(said, " ")
}

// Who syncs as it should loses nothing, on any file system and device, however blocks are torn:
// but on PMFS, whose artifact has no journal, a rename over a file may leave neither. Who does
// not sync finds what that costs: Ext4 writes data before a rename that replaces, others do not.
func TestWays(t *testing.T) {
	want := map[string]string{
		"rename bytefs": "mixed", "git bytefs": "mixed", "rename f2fs": "mixed", "git f2fs": "mixed",
		"editor pmfs": "nameless", "rename pmfs": "nameless", "git pmfs": "nameless", "git-fsync pmfs": "nameless", "rocksdb pmfs": "nameless",
		"mv bytefs": "mixed", "mv f2fs": "mixed", "mv pmfs": "nameless",
		// The backup is gone before what took its place is written; F2FS' checkpoint comes after that.
		"vim-nofsync bytefs": "mixed", "vim-nofsync ext4": "mixed",
		// Vim writes pages of its swap file in place, under their old content.
		"vim bytefs torn": "half", "vim ext4 torn": "half", "vim f2fs torn": "half",
	}
	for _, cache := range []machine.Cache{machine.Protected, machine.Volatile} {
		for _, system := range systems {
			// Vim does not sync the copy before it cuts the file off.
			want["truncate "+system], want["dd "+system], want["vim-copy "+system] = "half", "half", "half"
			for _, w := range Ways() {
				for _, torn := range []bool{false, true} {
					if torn && (cache == machine.Protected || testing.Short()) {
						continue
					}
					search := Default()
					search.Torn = torn
					name := w.Key + " " + system
					breaks := want[name]
					if torn && breaks == "" {
						breaks = want[name+" torn"]
					}
					if got := broken(t, w.Key, system, setup(cache, machine.Faultless), search); got != breaks {
						t.Errorf("%s on %s, buffer %s, torn %t: %q, want %q", w.Key, system, cache, torn, got, breaks)
					}
				}
			}
		}
	}
}

// TestTables: the ways of saving break on the system Yours, by its table, what they break on ByteFS,
// and a rename over a file where its names or inodes go by blocks.
func TestTables(t *testing.T) {
	nameless := "nameless"
	for table, want := range map[machine.Table]string{
		machine.TableByteFS:           "",
		machine.TableBytes:            "",
		machine.TableBlocks:           nameless,
		"dentry.rename":               nameless,
		"inode.rename":                nameless,
		"inodes.rename":               "",
		"dentry.create,dentry.delete": "",
		"inode.sync,blocks.sync":      "",
		"data.sync,data.back":         "",
	} {
		for _, cache := range []machine.Cache{machine.Protected, machine.Volatile} {
			s := setup(cache, machine.Faultless)
			s.Table = table
			for _, w := range Ways() {
				before := broken(t, w.Key, "bytefs", s, Default())
				renames := slices.ContainsFunc(w.Recording.Threads[0], func(c call.Call) bool { return c.Code == call.Rename && c.Over != 0 })
				if want != "" && renames {
					before = strings.TrimSpace(want + " " + before)
				}
				if got := broken(t, w.Key, "own", s, Default()); got != before {
					t.Errorf("%s by block, %s, buffer %s: %q, want %q", table, w.Key, cache, got, before)
				}
			}
		}
	}
}

// Every mistake that is put into a file system is found, and those that hang on the order of
// blocks in the device's cache only where that is volatile.
func TestMistakesAreFound(t *testing.T) {
	for _, c := range []struct {
		mistake     machine.Mistake
		system, way string
		protected   string // kinds that have to be among those found
		volatile    string
	}{
		{machine.NoBarrier, "ext4", "editor", "", "lost mixed foreign damaged"},
		{machine.NoBarrier, "f2fs", "sqlite", "", "lost half foreign damaged"},
		{machine.NoBarrier, "bytefs", "rocksdb", "", "lost mixed foreign"},
		{machine.CommitFirst, "ext4", "rename", "mixed", "mixed"},
		{machine.CommitFirst, "ext4", "editor", "foreign", "lost foreign"},
		{machine.CommitFirst, "bytefs", "sqlite", "foreign", "foreign"},
		{machine.RenameInTwo, "ext4", "editor", "nameless", "nameless"},
		{machine.RenameInTwo, "bytefs", "rocksdb", "nameless", "nameless"},
		{machine.NodeFirst, "f2fs", "editor", "foreign", "lost foreign"},
		{machine.NodeFirst, "f2fs", "wal", "foreign", "lost foreign"},
	} {
		for cache, want := range map[machine.Cache]string{machine.Protected: c.protected, machine.Volatile: c.volatile} {
			if got := broken(t, c.way, c.system, setup(cache, c.mistake), Default()); got != want {
				t.Errorf("mistake %s of %s, %s, buffer %s: %q, want %q", c.mistake, c.system, c.way, cache, got, want)
			}
		}
	}
}

// mix is a recording of random calls that programs might make.
func mix(seed uint64) *load.Recording {
	r := rand.New(rand.NewPCG(seed, 33))
	s := begin("mix", 3000, 20_000, 0)
	files := []int32{2, 3, 4}
	for range 40 {
		n := files[r.IntN(len(files))]
		switch k := r.IntN(20); {
		case k < 3:
			files = append(files, s.create())
		case k < 11:
			s.write(n, r.Int64N(20_000), 1+r.Int64N(9000))
		case k < 14:
			s.fsync(n)
		case k < 15:
			s.fdatasync(n)
		case k < 16:
			s.fsync(directory)
		case k < 17 && len(files) > 1:
			files = slices.DeleteFunc(files, func(f int32) bool { return f == n })
			s.add(call.Call{Code: call.Unlink, Node: n, Dir: 1})
		case k < 18:
			s.truncate(n)
		case k < 20 && len(files) > 1:
			over := files[r.IntN(len(files))]
			if over != n {
				s.replace(n, over)
				files = slices.DeleteFunc(files, func(f int32) bool { return f == over })
			}
		}
	}
	return &s.r
}

// randomTable has every cell of the system Yours at random, or nearly all or none.
func randomTable(seed uint64) machine.Table {
	r := rand.New(rand.NewPCG(seed, 36))
	share := r.IntN(11)
	return machine.TableOf(func(machine.Cell) bool { return r.IntN(10) < share })
}

// hard are seeds that found a mistake: Ext4's fsync waited for a commit that had sent its barrier
// before the data came.
var hard = []uint64{3025, 3125, 3799, 3933}

// Whatever programs call, no file system without a mistake loses what was synced, shows what was
// not written, or replays half a commit.
func TestRandomCalls(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	for i := range seeds + uint64(len(hard)) {
		seed := i
		if i >= seeds {
			seed = hard[i-seeds]
		}
		r := mix(seed)
		for _, system := range append([]string{"own"}, systems...) {
			s := setup([]machine.Cache{machine.Protected, machine.Volatile}[seed%2], machine.Faultless)
			s.Table = randomTable(seed)
			search := Default()
			search.Most, search.Seed = 4000, seed
			list, err := Try(r, s, system, search, Paces(s)...)
			if err != nil {
				t.Fatalf("seed %d on %s: %v", seed, system, err)
			}
			for _, trial := range list {
				for _, b := range trial.Found.Breaks {
					if b.Kind == Lost || b.Kind == Foreign || b.Kind == Damaged || b.Kind == Nameless && system != "pmfs" && (system != "own" || !s.Table.In("dentry.rename") && !s.Table.In("inode.rename")) {
						t.Errorf("seed %d on %s, pace %v: %s, file %d page %d, call %d, before event %d of %d", seed, system, trial.Pace, names[b.Kind], b.Node, b.Page, b.Call, b.Event, len(trial.History.Events))
					}
				}
			}
		}
	}
}

// With few blocks all subsets are tried, and none twice.
func TestSubsets(t *testing.T) {
	for n := range 7 {
		x := &searcher{s: Search{Whole: 6}, state: make([]uint8, n)}
		seen := map[string]bool{}
		x.subsets(n, func() {
			lost := 0
			for _, s := range x.state {
				if s == gone {
					lost++
				}
			}
			if key := fmt.Sprint(x.state); seen[key] || lost != x.loss {
				t.Errorf("%d blocks: %s again, or %d lost, not %d", n, key, x.loss, lost)
			} else {
				seen[key] = true
			}
		})
		if len(seen) != 1<<n || len(seen) != x.s.images(n, 0) {
			t.Errorf("%d subsets of %d blocks; %d were announced", len(seen), n, x.s.images(n, 0))
		}
	}
}

// What is left of a recording still breaks the promise, and no call of it can be left out.
func TestShorten(t *testing.T) {
	s := setup(machine.Volatile, machine.NoBarrier)
	r := way(t, "sqlite")
	less, trial, err := Shorten(r, s, "ext4", Default(), Lost, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := len(less.Threads[0])
	if n >= 4 || n < 2 || !slices.ContainsFunc(trial.Found.Breaks, func(b Break) bool { return b.Kind == Lost && len(b.Lost) > 0 }) {
		t.Errorf("%d of %d calls are left: %+v", n, len(r.Threads[0]), less.Threads[0])
	}
}

// loop is a recording of so many calls of a program that saves again and again: fsync, rename
// over, sync of the directory, and a log beside.
func loop(calls int) *load.Recording {
	s := begin("loop", 20_000, 0)
	old := int32(2)
	for len(s.r.Threads[0]) < calls {
		n := s.create()
		s.write(n, 0, 12_000)
		s.fsync(n)
		s.replace(n, old)
		s.fsync(directory)
		s.add(call.Call{Code: call.Write, Node: 3, Flags: call.Append, Length: 200})
		s.fdatasync(3)
		old = n
	}
	return &s.r
}

func BenchmarkImages(b *testing.B) {
	for _, system := range []string{"bytefs", "ext4", "f2fs"} {
		b.Run("system="+system, func(b *testing.B) {
			h, err := Record(way(b, "sqlite"), setup(machine.Volatile, machine.NoBarrier), system, 0)
			if err != nil {
				b.Fatal(err)
			}
			images := int64(0)
			for b.Loop() {
				images += Look(h, Search{Whole: 12, Random: 3000, Most: 100_000, Seed: 1}).Images
			}
			b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
			b.ReportMetric(float64(images)/float64(b.N), "images")
		})
	}
}

func BenchmarkRecording(b *testing.B) {
	r := loop(10_000)
	for _, system := range []string{"bytefs", "ext4", "f2fs", "nova", "pmfs"} {
		b.Run("system="+system, func(b *testing.B) {
			for b.Loop() {
				h, err := Record(r, setup(machine.Volatile, machine.Faultless), system, 0)
				if err != nil {
					b.Fatal(err)
				}
				if f := Look(h, Default()); len(f.Breaks) > 0 && system != "pmfs" {
					b.Fatalf("%+v", f.Breaks[0])
				}
			}
		})
	}
}

// An engine's record without anything promises nothing.
func TestNothing(t *testing.T) {
	s := setup(machine.Volatile, machine.Faultless)
	h, err := New(&crash.Run{System: "ext4", Nodes: []call.Node{{Parent: -1, Dir: true}}, Most: 1}, s)
	if err != nil {
		t.Fatal(err)
	}
	if f := Look(h, Default()); f.Bad != 0 || f.Worst != -1 || h.Calls() != 0 {
		t.Errorf("%+v", f)
	}
	if _, err := New(&crash.Run{System: "none"}, s); err == nil {
		t.Error("a system that is not there has a history")
	}
	if p := Paces(s); len(p) != 3 || p[1] <= s.Host.Commit || p[2] <= s.Host.Checkpoint || p[0] != unit.Time(0) {
		t.Errorf("paces are %v", p)
	}
}
