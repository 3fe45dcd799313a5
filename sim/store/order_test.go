package store

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/unit"
)

// TestHeap adds and withdraws thousands of tensors, so that stale entries are
// cleared away, and looks for the first by comparing all.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	ts := make([]tensor, 300)
	var h heap
	in := make([]bool, len(ts))
	longest := 0
	for step := range 50_000 {
		x := r.IntN(len(ts))
		ts[x].stamp++
		if in[x] {
			h.live--
		} else {
			ts[x].key = r.Int64N(40)
			if h.live++; len(h.entries) > 2*h.live+64 {
				h.compact(ts)
			}
			h.push(entry{ts[x].key, int32(x), ts[x].stamp})
		}
		in[x] = !in[x]
		longest = max(longest, len(h.entries))
		if h.live == 0 || r.IntN(3) > 0 {
			continue
		}
		best := -1
		for i, yes := range in {
			if yes && (best < 0 || ts[i].key > ts[best].key) {
				best = i
			}
		}
		if got := h.top(ts).tensor; int(got) != best {
			t.Fatalf("step %d: the first is %d, want %d", step, got, best)
		}
	}
	if most := 2*len(ts) + 66; longest > most {
		t.Errorf("the heap had %d entries, want at most %d", longest, most)
	}
}

// TestShelf adds and removes tensors and asks for the first that fits.
func TestShelf(t *testing.T) {
	for _, by := range []order{byPut, byTime, byOperation} {
		r := rand.New(rand.NewPCG(uint64(by), 8))
		ts := make([]tensor, 200)
		s := newShelf(by, 3, len(ts))
		in := make([]bool, len(ts))
		for step := range 20_000 {
			x := r.IntN(len(ts))
			if in[x] {
				s.remove(&ts[x], int32(x))
			} else {
				ts[x] = tensor{bytes: 1 + unit.Bytes(r.IntN(50)), key: r.Int64N(30), client: uint8(r.IntN(3))}
				s.add(&ts[x], int32(x), ts[x].key)
			}
			in[x] = !in[x]
			room := unit.Bytes(r.IntN(30))
			for g := range s.roots {
				best := int32(-1)
				for i, yes := range in {
					near := func(j int32) int64 { return s.sortKey(ts[j].key) }
					if yes && s.group(&ts[i]) == g && ts[i].bytes <= room && (best < 0 || near(int32(i)) < near(best)) {
						best = int32(i)
					}
				}
				got := int32(-1)
				if s.least[g] <= room {
					got = s.fitting(g, room)
				}
				if got != best {
					t.Fatalf("order %d, step %d, group %d: the first within %d is %d, want %d", by, step, g, room, got, best)
				}
			}
		}
	}
}
