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

// TestStreams: where hot and cold pages have a stream each greedy collection takes blocks of both
// at the same count of valid pages, whatever their rates: a block stays as many of its own stream's
// writes at each count. So the closed form of uniform writes holds, within 2 % where both streams
// have hundreds of blocks. Of hot 5 % with 95 % of the writes a thousand blocks are 12 % below it,
// four thousand 6 %: why is not explained, but that it comes nearer with more blocks is tested.
func TestStreams(t *testing.T) {
	for _, tt := range []struct {
		blocks, pages int32
		hot, share    float64
		below, above  float64 // of the closed form
	}{{1000, 128, 0.5, 0.6, 0.02, 0.02}, {1000, 128, 0.5, 0.9, 0.02, 0.02}, {1000, 32, 0.05, 0.95, 0.15, -0.08}, {4000, 32, 0.05, 0.95, 0.08, 0}} {
		s := Shape{Units: 1, Pages: tt.pages, Streams: 2, Begin: 1, End: 2}
		s.Blocks = tt.blocks + s.Frontiers() + s.End
		s.Logical = int32(float64(tt.blocks*tt.pages) / 1.15)
		got, want := steady(&s, int32(float64(s.Logical)*tt.hot), tt.share), greedy(1.15, int(tt.pages))
		t.Logf("%+v: %.3f, closed form %.3f", tt, got, want)
		if got < want*(1-tt.below) || got > want*(1+tt.above) {
			t.Errorf("%+v: %.3f; the closed form is %.3f", tt, got, want)
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
