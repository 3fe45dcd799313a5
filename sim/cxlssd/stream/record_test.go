package stream

import (
	"math/bits"
	"slices"
	"testing"

	"spillway/sim/unit"
)

// recorded is a random stream of a few threads with some locality.
func recorded(rnd *Random, threads, pages, requests int, gaps int64) *Stream {
	s := &Stream{Pages: int32(pages), Threads: make([][]Request, threads)}
	last := uint32(0)
	for range requests {
		t := rnd.Below(int64(threads))
		page := uint32(rnd.Below(int64(pages)))
		if rnd.Chance(500) {
			page = last
		}
		last = page
		gap := unit.Cycles(0)
		if gaps > 0 {
			gap = unit.Cycles(rnd.Below(gaps))
		}
		s.Threads[t] = append(s.Threads[t], NewRequest(page, uint8(rnd.Below(Lines)), rnd.Chance(300), gap))
		s.Count++
	}
	return s
}

// An event is a request at its place in the order of time.
type event struct {
	clock, done, thread int
	q                   Request
}

// events sorts all requests by clock, turn and thread.
func events(s *Stream) []event {
	var list []event
	for t, requests := range s.Threads {
		clock := 0
		for i, q := range requests {
			clock += int(q.Gap())
			list = append(list, event{clock, i, t, q})
		}
	}
	slices.SortFunc(list, func(a, b event) int {
		if a.clock != b.clock {
			return a.clock - b.clock
		}
		if a.done != b.done {
			return a.done - b.done
		}
		return a.thread - b.thread
	})
	return list
}

// streams are a few kinds of random ones.
func streams(t *testing.T, each func(s *Stream)) {
	rnd := Random(7)
	n := 60
	if testing.Short() {
		n = 20
	}
	for i := range n {
		pages := []int{1, 3, 40, 200, 700}[i%5]
		each(recorded(&rnd, 1+i%7, pages, 30*(i+1), []int64{0, 1, 9, 400}[i%4]))
	}
	each(&Stream{Threads: make([][]Request, 2)})
	if t.Failed() {
		t.FailNow()
	}
}

func TestWalk(t *testing.T) {
	streams(t, func(s *Stream) {
		order := s.walk()
		for i, e := range events(s) {
			if q, thread := order.next(); q != e.q || thread != e.thread {
				t.Fatalf("request %d is %x of thread %d; want %x of %d", i, q, thread, e.q, e.thread)
			}
		}
		if _, thread := order.next(); thread != -1 {
			t.Fatal("there are too many")
		}
	})
}

// Splitting keeps every request in its place.
func TestSplit(t *testing.T) {
	streams(t, func(s *Stream) {
		for _, more := range []int{0, 1, 5, 30} {
			n := len(s.Threads) + more
			got, err := s.Split(n)
			if err != nil || len(got.Threads) != n {
				t.Fatalf("%d threads, %v; want %d", len(got.Threads), err, n)
			}
			if !slices.Equal(slices.Concat(got.Threads...), slices.Concat(s.Threads...)) || got.Count != s.Count || got.Pages != s.Pages {
				t.Fatal("the requests are not the same")
			}
			// The longest part is as short as it can be.
			longest, least := 0, 1
			for _, p := range got.Threads {
				longest = max(longest, len(p))
			}
			for ; ; least++ {
				parts := 0
				for _, p := range s.Threads {
					parts += max((len(p)+least-1)/least, 1)
				}
				if parts <= n {
					break
				}
			}
			if longest > least {
				t.Fatalf("a part has %d of %d requests in %d parts; want %d", longest, s.Count, n, least)
			}
		}
	})
	s := &Stream{Threads: [][]Request{make([]Request, 100), make([]Request, 20)}, Count: 120}
	got, _ := s.Split(6)
	for i, p := range got.Threads {
		if len(p) != 20 {
			t.Errorf("part %d has %d requests; want 20", i, len(p))
		}
	}
	for _, n := range []int{-1, 0, 1, maxThreads + 1} {
		if _, err := s.Split(n); err == nil {
			t.Errorf("two threads became %d", n)
		}
	}
}

// Filter against a cache of maps and times of use.
func TestFilter(t *testing.T) {
	type way struct {
		line  int
		used  int
		dirty bool
	}
	streams(t, func(s *Stream) {
		for _, shape := range [][2]int{{1, 1}, {4, 2}, {16, 16}, {64, 4}, {1 << 14, 16}} {
			lines, ways := shape[0], shape[1]
			got, err := s.Filter(unit.Bytes(lines)*64, ways)
			if err != nil {
				t.Fatal(err)
			}
			sets := make(map[int][]way)
			want := make([][]Request, len(s.Threads))
			gap := make([]unit.Cycles, len(s.Threads))
			back, missed, left := 0, 0, 0
			for now, e := range events(s) {
				line := int(e.q.Page())*64 + int(e.q.Line())
				set := sets[line%(lines/ways)]
				gap[e.thread] += e.q.Gap()
				at := slices.IndexFunc(set, func(w way) bool { return w.line == line })
				if at < 0 {
					missed++
					want[e.thread] = append(want[e.thread], NewRequest(e.q.Page(), e.q.Line(), false, gap[e.thread]))
					gap[e.thread] = 0
					if len(set) == ways {
						oldest := 0
						for i := range set {
							if set[i].used < set[oldest].used {
								oldest = i
							}
						}
						if o := set[oldest]; o.dirty {
							back++
							want[e.thread] = append(want[e.thread], NewRequest(uint32(o.line/64), uint8(o.line%64), true, 0))
						}
						set = slices.Delete(set, oldest, oldest+1)
					}
					set = append(set, way{line: line})
					at = len(set) - 1
				}
				set[at].used = now
				set[at].dirty = set[at].dirty || e.q.Write()
				sets[line%(lines/ways)] = set
			}
			for _, set := range sets {
				for _, w := range set {
					if w.dirty {
						left++
					}
				}
			}
			for i := range want {
				if !slices.Equal(got.Threads[i], want[i]) {
					t.Fatalf("%d lines of %d ways: thread %d has %v; want %v", lines, ways, i, got.Threads[i], want[i])
				}
			}
			if got.Misses != int64(missed) || got.WriteBacks != int64(back) || got.Left != int64(left) || got.Count != int64(missed+back) || got.Accesses != s.Count {
				t.Fatalf("%d misses, %d written back, %d left of %d; want %d, %d, %d", got.Misses, got.WriteBacks, got.Left, got.Accesses, missed, back, left)
			}
		}
	})
	for _, bad := range [][2]int64{{0, 1}, {64, 0}, {100, 1}, {2 << 30, 1}, {64, 2}} {
		if _, err := (&Stream{}).Filter(unit.Bytes(bad[0]), int(bad[1])); err == nil {
			t.Errorf("a cache of %d B with %d ways was taken", bad[0], bad[1])
		}
	}
}

// Profile against counting all over again for every request.
func TestProfile(t *testing.T) {
	streams(t, func(s *Stream) {
		got := s.Profile()
		list := events(s)
		type page struct {
			lines, written uint64
			asked          int
		}
		pages := make([]page, s.Pages)
		var want Profile
		var stack []uint32 // used last first
		for _, e := range list {
			p := &pages[e.q.Page()]
			p.lines |= 1 << e.q.Line()
			if e.q.Write() {
				want.Writes++
				p.written |= 1 << e.q.Line()
			}
			p.asked++
			at := slices.Index(stack, e.q.Page())
			if at < 0 {
				want.First++
			} else {
				bucket := 0
				for at >= 1<<bucket {
					bucket++
				}
				want.Reuse[bucket]++
				stack = slices.Delete(stack, at, at+1)
			}
			stack = slices.Insert(stack, 0, e.q.Page())
		}
		asked := make([]int, 0, len(pages))
		run, longest, runs := 0, 0, 0
		for _, p := range pages {
			if p.lines == 0 {
				run = 0
				continue
			}
			if run++; run == 1 {
				runs++
			}
			longest = max(longest, run)
			want.Touched++
			want.Lines[bits.OnesCount64(p.lines)]++
			want.Written[bits.OnesCount64(p.written)]++
			asked = append(asked, p.asked)
		}
		if got.Requests != int64(len(list)) || got.Writes != want.Writes || got.Touched != want.Touched || got.First != want.First || got.Lines != want.Lines || got.Written != want.Written {
			t.Fatalf("got %+v; want %+v", got, want)
		}
		if got.Reuse != want.Reuse {
			t.Fatalf("reuse is %v; want %v", got.Reuse, want.Reuse)
		}
		if got.RunCount != int64(runs) || (runs > 0 && got.Runs[0] != int64(longest)) {
			t.Fatalf("%d runs, %v; want %d up to %d", got.RunCount, got.Runs, runs, longest)
		}
		slices.SortFunc(asked, func(a, b int) int { return b - a })
		for i, share := range got.Hot {
			n := min(1<<i, len(asked))
			sum := 0
			for _, a := range asked[:n] {
				sum += a
			}
			if share != int64(sum)*1e6/int64(len(list)) {
				t.Fatalf("the %d hottest pages have %d millionths; want %d of %d", n, share, sum, len(list))
			}
		}
		if len(list) > 0 && got.Hot[len(got.Hot)-1] != 1e6 {
			t.Fatal("all pages have not all requests")
		}
	})
}

// Locality against a list that is searched.
func TestLocality(t *testing.T) {
	type stay struct {
		page           uint32
		lines, written uint64
	}
	streams(t, func(s *Stream) {
		profile := s.Profile()
		for _, size := range []int{1, 2, 16, 128} {
			got := s.Locality(size)
			var want Locality
			var list []stay
			for _, e := range events(s) {
				at := slices.IndexFunc(list, func(a stay) bool { return a.page == e.q.Page() })
				now := stay{page: e.q.Page()}
				if at >= 0 {
					want.Hits++
					now = list[at]
					list = slices.Delete(list, at, at+1)
				} else {
					want.Misses++
					if len(list) == size {
						old := list[size-1]
						list = list[:size-1]
						want.Lines[bits.OnesCount64(old.lines)]++
						want.Written[bits.OnesCount64(old.written)]++
					}
				}
				now.lines |= 1 << e.q.Line()
				if e.q.Write() {
					now.written |= 1 << e.q.Line()
				}
				list = slices.Insert(list, 0, now)
			}
			for _, l := range list {
				want.Left[bits.OnesCount64(l.lines)]++
				want.LeftWritten[bits.OnesCount64(l.written)]++
			}
			if *got != want {
				t.Fatalf("with %d pages %+v; want %+v", size, got, want)
			}
			// An LRU cache of 2^k pages hits what the profile says is reused within it.
			hits := int64(0)
			for i := range bits.Len(uint(size)) {
				hits += profile.Reuse[i]
			}
			if hits != got.Hits {
				t.Fatalf("%d pages hit %d times; the profile says %d", size, got.Hits, hits)
			}
		}
	})
}
