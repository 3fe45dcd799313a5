package caching_test

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/train/caching"
	"spillway/sim/unit"
)

func TestSizes(t *testing.T) {
	for _, tt := range []struct{ size, rounded, segment unit.Bytes }{
		{1, 512, 2 * unit.MiB},
		{513, 1024, 2 * unit.MiB},
		{unit.MiB, unit.MiB, 2 * unit.MiB},
		{unit.MiB + 1, unit.MiB + 512, 20 * unit.MiB},
		{10*unit.MiB - 512, 10*unit.MiB - 512, 20 * unit.MiB},
		{10 * unit.MiB, 10 * unit.MiB, 10 * unit.MiB},
		{11 * unit.MiB, 11 * unit.MiB, 12 * unit.MiB},
	} {
		a := caching.New(0)
		id, ok := a.Alloc(tt.size)
		if at, size := a.Range(id); !ok || at != 0 || a.Reserved() != tt.segment || tt.size < unit.MiB && size != tt.rounded {
			t.Errorf("%v: block of %v at %v in %v, ok %v; want %v in %v", tt.size, size, at, a.Reserved(), ok, tt.rounded, tt.segment)
		}
	}
}

// A block of 3 MiB leaves 17 of a segment's 20 MiB; a second of 16.5 MiB needs its
// own, because what would be left is no more than 1 MiB and it gets its own size.
func TestSplitAndJoin(t *testing.T) {
	a := caching.New(0)
	x, _ := a.Alloc(3 * unit.MiB)
	y, _ := a.Alloc(9 * unit.MiB)
	z, _ := a.Alloc(8*unit.MiB - 512*unit.KiB)
	if a.Reserved() != 20*unit.MiB || a.Used() != 20*unit.MiB {
		t.Errorf("three blocks take %v of %v; want all of 20 MiB, as 512 KiB are not split off", a.Used(), a.Reserved())
	}
	a.Free(x)
	a.Free(z)
	if got := a.Largest(); got != 8*unit.MiB {
		t.Errorf("the largest free block has %v, want 8 MiB", got)
	}
	a.Free(y)
	if got := a.Largest(); got != 20*unit.MiB {
		t.Errorf("freed blocks join to %v, want 20 MiB", got)
	}
	if n := a.Trim(); n != 20*unit.MiB || a.Reserved() != 0 {
		t.Errorf("gave %v back, %v are left", n, a.Reserved())
	}
}

// Fragmentation: the bytes are there but no block, and no segment may be added.
func TestLimit(t *testing.T) {
	a := caching.New(40 * unit.MiB)
	x, _ := a.Alloc(12 * unit.MiB)
	y, _ := a.Alloc(12 * unit.MiB)
	if _, ok := a.Alloc(20 * unit.MiB); ok {
		t.Error("a third segment is above the limit")
	}
	a.Free(x)
	a.Free(y)
	if _, ok := a.Alloc(20 * unit.MiB); !ok {
		t.Error("whole free segments are not given back for a new one")
	}
}

// Random operations: given-out blocks never overlap, sums are right, and when all is
// free everything can be given back.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := caching.New(unit.Bytes(r.Int64N(2)) * 300 * unit.MiB)
		live := map[caching.ID]bool{}
		for range 300 {
			if r.IntN(2) == 0 {
				if id, ok := a.Alloc(unit.Bytes(1 + r.Int64N(int64(20*unit.MiB)>>r.IntN(12)))); ok {
					if live[id] {
						t.Fatalf("seed %d: block %d is given out twice", seed, id)
					}
					live[id] = true
				}
			} else {
				for id := range live {
					a.Free(id)
					delete(live, id)
					break
				}
			}
			var used unit.Bytes
			for x := range live {
				at, size := a.Range(x)
				used += size
				if at+size > a.Top() {
					t.Fatalf("seed %d: block at %v is beyond the top", seed, at)
				}
				for y := range live {
					if other, n := a.Range(y); x != y && at < other+n && other < at+size {
						t.Fatalf("seed %d: blocks overlap", seed)
					}
				}
			}
			if used != a.Used() || used > a.Reserved() {
				t.Fatalf("seed %d: %v given out, %v said, %v reserved", seed, used, a.Used(), a.Reserved())
			}
		}
		for id := range live {
			a.Free(id)
		}
		if a.Trim(); a.Reserved() != 0 || a.Used() != 0 || a.Top() != 0 {
			t.Fatalf("seed %d: %v reserved, %v used when all is given back", seed, a.Reserved(), a.Used())
		}
	}
}

func BenchmarkAllocator(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	a := caching.New(0)
	var live []caching.ID
	for b.Loop() {
		if len(live) < 1000 {
			id, _ := a.Alloc(unit.Bytes(1 + r.Int64N(int64(64*unit.MiB)>>r.IntN(14))))
			live = append(live, id)
			continue
		}
		i := r.IntN(len(live))
		a.Free(live[i])
		live[i] = live[len(live)-1]
		live = live[:len(live)-1]
	}
}
