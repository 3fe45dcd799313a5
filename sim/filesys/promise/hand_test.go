package promise

import (
	"fmt"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
)

// Ways of saving as their documentation has them, to hold recordings to.

// begin returns a recording of one thread without calls. Node 0 is the root, 1 the directory; files
// of sizes are there before.
func begin(name string, sizes ...int64) *script {
	s := &script{load.Recording{Name: name, Format: "built in", Nodes: []call.Node{{Parent: -1, Dir: true}, {Dir: true}}, Threads: [][]call.Call{nil}}}
	for _, n := range sizes {
		s.r.Nodes = append(s.r.Nodes, call.Node{Parent: 1, Size: n})
	}
	s.r.Most = int32(len(s.r.Nodes))
	return s
}

// create makes a file and returns its number.
func (s *script) create() int32 {
	n := s.r.Most
	s.r.Most++
	s.add(call.Call{Code: call.Create, Node: n, Dir: 1})
	return n
}

func (s *script) write(n int32, from, size int64) {
	s.add(call.Call{Code: call.Write, Node: n, Offset: from, Length: size})
}
func (s *script) fsync(n int32)     { s.add(call.Call{Code: call.Fsync, Node: n}) }
func (s *script) fdatasync(n int32) { s.add(call.Call{Code: call.Fdatasync, Node: n}) }
func (s *script) truncate(n int32)  { s.add(call.Call{Code: call.Truncate, Node: n}) }
func (s *script) replace(n, over int32) {
	s.add(call.Call{Code: call.Rename, Node: n, Dir: 1, Over: over})
}
func (s *script) by(key, title, about string) Way { return Way{key, title, about, &s.r} }

// The directory, and the first file that is there before.
const (
	directory = 1
	first     = 2
)

// editor writes a new file and gives it the old one's name.
func editor(syncs bool) Way {
	s := begin("editor", 20_000)
	old := int32(first)
	for range 2 {
		n := s.create()
		s.write(n, 0, 20_000)
		if syncs {
			s.fsync(n)
		}
		if s.replace(n, old); syncs {
			s.fsync(directory)
		}
		old = n
	}
	if syncs {
		return s.by("editor", "Editor, safe save", "A new file is written and synced, takes the old one's name by a rename, and the directory is synced.")
	}
	return s.by("rename", "Editor, rename without fsync", "A new file is written and takes the old one's name by a rename; nothing is synced.")
}

// overwriting truncates a file and writes it anew.
func overwriting() Way {
	s := begin("overwrite", 20_000)
	for range 2 {
		s.truncate(first)
		s.write(first, 0, 20_000)
		s.fsync(first)
	}
	return s.by("truncate", "Editor, overwrites the file", "The file is opened with O_TRUNC, written and synced.")
}

// current is how RocksDB installs a new MANIFEST.
func current() Way {
	s := begin("rocksdb", 16)
	old := int32(first)
	for range 2 {
		m := s.create()
		s.write(m, 0, 3000)
		s.fdatasync(m)
		n := s.create()
		s.write(n, 0, 16)
		s.fdatasync(n)
		s.replace(n, old)
		s.fsync(directory)
		old = n
	}
	return s.by("rocksdb", "RocksDB, CURRENT", "A MANIFEST is written and synced, then a file with its name, which takes the name CURRENT by a rename; the directory is synced.")
}

// What programs do breaks the promises that their documentation's way breaks, and no others.
func TestRecordedAsByHand(t *testing.T) {
	for _, hand := range []Way{editor(true), editor(false), overwriting(), current()} {
		for _, cache := range []machine.Cache{machine.Protected, machine.Volatile} {
			for _, system := range systems {
				want := breaks(t, hand.Recording, system, setup(cache, machine.Faultless), Default())
				if got := broken(t, hand.Key, system, setup(cache, machine.Faultless), Default()); got != want {
					t.Errorf("%s on %s, buffer %s: recorded %q, by hand %q", hand.Key, system, cache, got, want)
				}
			}
		}
	}
}

// line is a call as Text has it.
func line(c *call.Call) string {
	r := load.Recording{Nodes: []call.Node{{Dir: true}}, Threads: [][]call.Call{{*c}}, Order: []int32{0}}
	return strings.TrimSpace(Text(&r))
}

// worst is the break that shows best what goes wrong, as the laboratory chooses it: of the kind that
// comes first, with the fewest blocks lost.
func worst(list []Trial) (trial *Trial, b *Break) {
	for i := range list {
		for k := range list[i].Found.Breaks {
			if x := &list[i].Found.Breaks[k]; b == nil || x.Kind < b.Kind || x.Kind == b.Kind && len(x.Lost) < len(b.Lost) {
				trial, b = &list[i], x
			}
		}
	}
	return trial, b
}

// TestMoments keeps of every way and system which promise breaks, the call that was the last to
// begin when the power failed, blocks that are lost of those that are not flushed, and the shortest
// list of calls that shows it.
func TestMoments(t *testing.T) {
	var out strings.Builder
	for _, w := range Ways() {
		for _, cache := range []machine.Cache{machine.Protected, machine.Volatile} {
			for _, system := range systems {
				s := setup(cache, machine.Faultless)
				list, err := Try(w.Recording, s, system, Default(), Paces(s)...)
				if err != nil {
					t.Fatal(err)
				}
				trial, b := worst(list)
				if b == nil {
					fmt.Fprintf(&out, "%s, %s, %s: safe\n", w.Key, system, cache)
					continue
				}
				under := int32(0)
				for i := b.Event - 1; i >= 0 && under == 0; i-- {
					if e := &trial.History.Events[i]; e.Moment == plan.Began {
						under = int32(e.Call)
					}
				}
				c, _ := trial.History.Call(under, b.Event)
				fmt.Fprintf(&out, "%s, %s, %s: %s, after call %d of %d (%s), paced by %v, %d of %d blocks lost\n", w.Key, system, cache, names[b.Kind], under, trial.History.Calls(), line(&c), trial.Pace, len(b.Lost), len(b.Lost)+len(b.Kept))
				less, _, err := Shorten(w.Recording, s, system, Default(), b.Kind, trial.Pace)
				if err != nil {
					t.Fatal(err)
				}
				for i := range less.Threads[0] {
					fmt.Fprintf(&out, "\t%s\n", line(&less.Threads[0][i]))
				}
			}
		}
	}
	golden.Compare(t, "testdata/moments.txt", []byte(out.String()))
}
