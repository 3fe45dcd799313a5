package flash

import (
	"math"
	"testing"

	"spillway/build/effort"
)

// greedy is the write amplification of greedy collection under uniform random writes, of endless
// blocks of n pages that are α times the logical space. A block is written full, its pages become
// outdated one by one, each as likely as any other, and it is collected when it has j valid ones
// left; then A = n/(n−j), and as many blocks are at each count as they stay there, so that
// α = A·(1/n + … + 1/(j+1)). This is what Bux and Iliadis, "Performance of Greedy Garbage Collection
// in Flash-Based Solid-State Drives" (Performance Evaluation 67, 2010), and Desnoyers, "Analytic
// Modeling of SSD Write Performance" (SYSTOR 2012), have for endless drives; with endless n it is
// α = A·ln(A/(A−1)), the expression of Xiang and Kurkoski. Between two counts it is linear.
func greedy(alpha float64, n int) float64 {
	sum, before, last := 0.0, 0.0, 0.0
	for j := n - 1; j >= 0; j-- {
		sum += 1 / float64(j+1)
		a := float64(n) / float64(n-j)
		if at := a * sum; at >= alpha {
			return last + float64((a-last)*(alpha-before)/(at-before))
		} else {
			before, last = at, a
		}
	}
	return 1
}

// TestUniformAgainstGreedy: with each number of frontiers uniform random writes amplify as the
// closed form says, for blocks as small as those of the laboratories: a frontier of its own for
// what is collected, and streams that the writes are dealt to, change nothing where all pages are
// alike.
func TestUniformAgainstGreedy(t *testing.T) {
	if got := greedy(1.3, 1<<20); math.Abs(got-2.36) > 0.005 {
		t.Errorf("with endless blocks the closed form at 1.3 is %.3f; Xiang and Kurkoski say 2.36", got)
	}
	const tolerance = 0.02
	for i, tt := range []struct {
		pages, streams int32
		own            bool
	}{{128, 1, false}, {128, 1, true}, {128, 2, false}, {32, 1, false}, {32, 3, true}} {
		for k, spare := range []float64{0.07, 0.15, 0.28, 0.5} {
			if !effort.Takes(5*i+k, 4) {
				continue
			}
			s, blocks := Shape{Units: 1, Pages: tt.pages, Streams: tt.streams, Own: tt.own, Begin: 1, End: 2}, 128_000/tt.pages
			s.Blocks = blocks + s.Frontiers() + s.End // what is open or free is no spare
			s.Logical = int32(float64(blocks*tt.pages) / (1 + spare))
			got, want := steady(&s, s.Logical, 1), greedy(1+spare, int(tt.pages))
			t.Logf("%d pages, %d streams, own %v, over-provisioning %2.0f %%: %.3f, closed form %.3f", tt.pages, tt.streams, tt.own, 100*spare, got, want)
			if math.Abs(got-want) > tolerance*want {
				t.Errorf("%d pages, %d streams, own %v, over-provisioning %.2f: %.3f; want %.3f ± 2 %%", tt.pages, tt.streams, tt.own, spare, got, want)
			}
		}
	}
}

// finite is greedy for a finite number of blocks besides the open one. That holds pages too: of what is
// written to it those that were copied are there as soon as it is opened, and the host's come one by
// one, so that on the mean it is 1 − 1/(2·A) of a block.
func finite(alpha float64, blocks, n int32) float64 {
	a := greedy(alpha, int(n))
	for range 50 {
		a = greedy(alpha*(1+(1-1/(2*a))/float64(blocks)), int(n))
	}
	return a
}

// TestFewBlocks: the closed form is of endless blocks, and 25 are 15 % below it. The whole difference
// is the open block: with it counted all numbers of blocks are within 1 %.
func TestFewBlocks(t *testing.T) {
	for i, blocks := range []int32{25, 50, 100, 400} {
		pages := int32(32) << (i & 1 * 2)
		s := Shape{Units: 1, Blocks: blocks + 3, Pages: pages, Begin: 1, End: 2, Logical: int32(float64(blocks*pages) / 1.15)}
		got, want, endless := steady(&s, s.Logical, 1), finite(1.15, blocks, pages), greedy(1.15, int(pages))
		t.Logf("%d blocks of %d pages: %.3f, with the open block %.3f, endless %.3f", blocks, pages, got, want, endless)
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("%d blocks of %d pages: %.3f; want %.3f ± 1 %%", blocks, pages, got, want)
		}
	}
}

// apart is greedy for two streams that are told apart: a share of the pages is hot and gets a share of
// the writes. Greedy collection takes blocks of both at the same count of valid pages, whatever their
// rates, since a block stays as many of its own stream's writes at each count; and so it is greedy but
// for one thing. Counts are whole: blocks wait at count k until they are the oldest there, and those
// that lose a page meanwhile are collected at k−1. Of hot ones more do, the longer the wait the more.
func apart(alpha float64, n int, hot, writes float64) float64 {
	of := [2]struct{ pages, writes float64 }{{hot, writes}, {1 - hot, 1 - writes}}
	at := func(k int, wait float64) (need, a float64) {
		sum := 0.0
		for v := k + 1; v <= n; v++ {
			sum += 1 / float64(v)
		}
		for _, s := range of {
			waited := math.Exp(-float64(k) * s.writes / s.pages * wait)
			each := float64(n) / (float64(n-k+1) - waited)
			need += float64(each * s.pages * (sum + (1-waited)/float64(k)))
			a += float64(s.writes * each)
		}
		return need, a
	}
	for k := n; k > 0; k-- {
		if need, _ := at(k, math.Inf(1)); need < alpha {
			continue
		}
		lo, hi := -50.0, 50.0 // of the logarithm
		for range 100 {
			mid := (lo + hi) / 2
			if need, _ := at(k, math.Exp(mid)); need < alpha {
				lo = mid
			} else {
				hi = mid
			}
		}
		_, a := at(k, math.Exp(hi))
		return a
	}
	return 1
}

// TestStreams: hot and cold pages that have a stream each amplify as the closed form says, whose two
// open blocks hold as much as 1.7 others (see finite). Of hot 5 % with 95 % of the writes, in blocks of
// 32 pages, a thousand are 10 % below it and four thousand 5 % (below that of uniform writes 11 and 6:
// one per cent is that counts are whole). That is because the hot stream has but 50 or 200 blocks,
// the fewest valid pages among which come and go: greedy collection takes hot blocks while that is
// low and cold ones only at its peaks, which leaves hot pages more than their share of the room.
// Switched off it is gone: where the stream is collected whose fewest are less on the mean, all are
// within 2 %; and 32 thousand blocks are so by themselves.
func TestStreams(t *testing.T) {
	for i, tt := range []struct {
		blocks, pages int32
		hot, writes   float64
		smooth        bool
		below, above  float64 // of the closed form
	}{
		{1000, 128, 0.5, 0.6, false, 0.02, 0.02},
		{1000, 128, 0.5, 0.9, false, 0.02, 0.02},
		{1000, 32, 0.05, 0.95, false, 0.12, -0.07},
		{1000, 32, 0.05, 0.95, true, 0.02, 0.02},
		{4000, 32, 0.05, 0.95, false, 0.065, -0.025},
		{4000, 32, 0.05, 0.95, true, 0.02, 0.02},
		{1000, 128, 0.05, 0.95, true, 0.02, 0.02},
		{32000, 32, 0.05, 0.95, false, 0.02, 0.02},
	} {
		if i >= 5 && !effort.Nightly() {
			continue
		}
		s := Shape{Units: 1, Pages: tt.pages, Streams: 2, Begin: 1, End: 2}
		if tt.smooth {
			s.Stepped, s.Begin, s.End = true, 2, 3
		}
		s.Blocks = tt.blocks + s.Frontiers() + s.End
		s.Logical = int32(float64(tt.blocks*tt.pages) / 1.15)
		collect := func(*Layer) {}
		if tt.smooth {
			collect = smooth()
		}
		got, want := written(&s, int32(float64(s.Logical)*tt.hot), tt.writes, collect), apart(1.15*(1+1.7/float64(tt.blocks)), int(tt.pages), tt.hot, tt.writes)
		t.Logf("%+v: %.3f, closed form %.3f, of uniform writes %.3f", tt, got, want, greedy(1.15, int(tt.pages)))
		if got < want*(1-tt.below) || got > want*(1+tt.above) {
			t.Errorf("%+v: %.3f; the closed form is %.3f", tt, got, want)
		}
	}
	if got, want := apart(1.15, 32, 0.3, 0.3), greedy(1.15, 32); math.Abs(got-want) > 1e-6 {
		t.Errorf("two streams that are alike: %v; one has %v", got, want)
	}
}

// smooth returns collection of a layer with two streams, before a write may have to: of the stream
// whose blocks with the fewest valid pages had fewer on the mean of the last few thousand times.
func smooth() func(*Layer) {
	var mean [2]float64
	return func(f *Layer) {
		q := &f.planes[0]
		for q.due = q.due || q.free <= f.begin; q.due; {
			fewest := [2]int32{none, none}
			for v := int32(0); v < f.pages && (fewest[0] == none || fewest[1] == none); v++ {
				for b := f.first[f.list(0, v)]; b != none; b = f.next[b] {
					if s := f.stream[b]; fewest[s] == none {
						fewest[s] = b
					}
				}
			}
			at := 0
			for i, b := range fewest {
				if b == none {
					at = 1 - i
					continue
				}
				mean[i] += (float64(f.valid[b]) - mean[i]) / 2000
			}
			if fewest[0] != none && fewest[1] != none && mean[1] < mean[0] {
				at = 1
			}
			f.collect(0, fewest[at])
		}
	}
}

// TestHotAndCold: of hot 5 % with 95 % of the writes, which nobody tells apart. With one frontier hot
// and cold pages share blocks; one of its own for what is collected separates most of them. The
// numbers are of a second implementation, written for a review of this one.
func TestHotAndCold(t *testing.T) {
	const blocks, pages, tolerance = 1000, 128, 0.02
	for _, tt := range []struct{ spare, shared, own float64 }{{0.15, 5.65, 4.43}, {0.28, 3.73, 2.94}} {
		for _, own := range []bool{false, true} {
			s, want := Shape{Units: 1, Pages: pages, Own: own, Begin: 1, End: 2}, tt.shared
			if own {
				want = tt.own
			}
			s.Blocks = blocks + s.Frontiers() + s.End
			s.Logical = int32(float64(blocks*pages) / (1 + tt.spare))
			got := steady(&s, s.Logical/20, 0.95)
			t.Logf("own %v, over-provisioning %2.0f %%: %.3f, want %.3f", own, 100*tt.spare, got, want)
			if math.Abs(got-want) > tolerance*want {
				t.Errorf("own %v, over-provisioning %.2f: %.3f; want %.3f ± 2 %%", own, tt.spare, got, want)
			}
		}
	}
}

// steady fills a layer and writes pages at random, the first hot ones a share of the time, until
// what it has written no longer matters, and returns the amplification from there on. Hot pages are
// of the first stream, cold ones of the second.
func steady(s *Shape, hot int32, share float64) float64 {
	return written(s, hot, share, func(*Layer) {})
}

// written is steady with something that is done after every write.
func written(s *Shape, hot int32, share float64, after func(*Layer)) float64 {
	f, rnd := NewLayer(s), random(1)
	raw := int(s.Blocks) * int(s.Pages)
	next := func() {
		l, stream := int32(0), int32(0)
		switch {
		case hot == s.Logical:
			l = rnd.below(hot)
			stream = rnd.below(max(1, s.Streams))
		case float64(rnd.below(1<<20)) < share*(1<<20):
			l = rnd.below(hot)
		default:
			l, stream = hot+rnd.below(s.Logical-hot), min(1, max(1, s.Streams)-1)
		}
		f.WriteStream(0, l, stream)
		after(f)
	}
	for l := range s.Logical {
		stream := int32(0)
		if l >= hot {
			stream = min(1, max(1, s.Streams)-1)
		}
		f.WriteStream(0, l, stream)
	}
	for range 16 * raw {
		next()
	}
	f.Forget()
	for range 8 * raw {
		next()
	}
	return 1 + float64(f.moved)/float64(f.host)
}
