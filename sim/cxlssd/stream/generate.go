package stream

import (
	"math/bits"

	"spillway/sim/unit"
)

// Streams returns the workload's requests for so many threads; it remembers the last two
// streams. A recording has its own threads, whatever is asked for; more are made by
// [Stream.Split]. A workload is used by one goroutine at a time.
func (w *Workload) Streams(threads int) (*Stream, error) {
	if w.Recorded != nil {
		return w.Recorded, nil
	}
	for i, m := range w.made {
		if m.threads == threads {
			if i == 0 && len(w.made) > 1 {
				w.made[0], w.made[1] = w.made[1], w.made[0]
			}
			return m.stream, nil
		}
	}
	// Streams of a recipe have about the same size: room is made before, not after.
	if n := len(w.made); n > 0 {
		last := w.made[n-1]
		w.made = append(make([]made, 0, 2), last)
		if 2*last.stream.Count > mostKept {
			w.made = nil
		}
	}
	s, err := w.make(threads)
	if err != nil {
		return nil, err
	}
	w.made = append(w.made, made{threads, s})
	return s, nil
}

// mostKept is how many requests a workload remembers in more than one stream: 64 MB.
const mostKept = 8 << 20

func (w *Workload) make(threads int) (*Stream, error) {
	if err := checkThreads(threads); err != nil {
		return nil, err
	}
	if err := w.Recipe.Check(); err != nil {
		return nil, err
	}
	return generate(&w.Recipe, w.Seed, threads), nil
}

// At returns the workload with its recipe divided by scale, and remembers it, so that
// several runs at a scale share their streams; those of another scale it forgets. A
// recording is as it is at any scale.
func (w *Workload) At(scale int64) *Workload {
	if scale <= 1 || w.Recorded != nil {
		w.scaled = nil
		return w
	}
	w.made = nil
	if w.scaled == nil || w.scale != scale {
		small := *w
		small.Recipe, small.made, small.scaled = w.Recipe.Scaled(scale), nil, nil
		w.scale, w.scaled = scale, &small
	}
	return w.scaled
}

// Scaled returns the recipe divided by scale, rounded to the nearest: pages, visits, sizes
// of caches in what is resident, instructions. DemoteMost is of the full scale.
func (r Recipe) Scaled(scale int64) Recipe {
	if scale <= 1 {
		return r
	}
	least := func(n int64) int64 { // nothing that is there disappears
		if n == 0 {
			return 0
		}
		return max((n+scale/2)/scale, 1)
	}
	points := func(list []Resident) []Resident {
		if list == nil {
			return nil
		}
		out := make([]Resident, len(list))
		for i, p := range list {
			out[i] = Resident{least(p.Pages), p.Millionths}
		}
		return out
	}
	r.Instructions = least(r.Instructions)
	classes := make([]Class, len(r.Classes))
	for i, c := range r.Classes {
		pages := least(c.Pages)
		if c.Random {
			c.Visits = least(c.Visits)
		} else { // as many passes as before
			c.Visits = min(c.Visits, max(unit.MulDiv(c.Visits, pages, max(c.Pages, 1)), 1))
		}
		c.Pages = pages
		c.Warm, c.WarmLog = points(c.Warm), points(c.WarmLog)
		classes[i] = c
	}
	r.Classes = classes
	return r
}

// First returns the first page of a class: classes take consecutive ranges.
func (r *Recipe) First(class int) int64 {
	n := int64(0)
	for i := range r.Classes[:class] {
		n += r.Classes[i].Pages
	}
	return n
}

// Pages returns the pages of all classes.
func (r *Recipe) Pages() int64 { return r.First(len(r.Classes)) }

// Total returns how many visits there are to a class's pages.
func (c *Class) Total() int64 {
	if c.Visits == 0 {
		return c.Pages
	}
	return c.Visits
}

// length returns the lines of a visit on average, in millionths.
func (c *Class) length() int64 {
	twice := int64(0)
	for _, b := range c.Lines {
		twice += b.Millionths * int64(b.Low+b.High)
	}
	return twice / 2
}

// variance returns that of a visit's lines, rounded up; it is below 1000.
func (c *Class) variance() int64 {
	squares := int64(0) // in millionths
	for _, b := range c.Lines {
		sum := int64(0)
		for l := int64(b.Low); l <= int64(b.High); l++ {
			sum += l * l
		}
		squares += b.Millionths * sum / int64(b.High-b.Low+1)
	}
	mean := c.length()
	return max(squares-unit.MulDiv(mean, mean, 1e6)+999_999, 0) / 1e6
}

// parts returns the bounds of the threads' shares of n: thread t has from [t] to [t+1].
func (r *Recipe) parts(n int64, threads int) []int64 {
	heavy := 0
	for t := range threads {
		if int64(t%8) < r.Heavy {
			heavy++
		}
	}
	big, small := int64(1), int64(1)
	if light := threads - heavy; heavy > 0 && light > 0 {
		big, small = r.HeavyShare*int64(light), (1000-r.HeavyShare)*int64(heavy)
	}
	total := big*int64(heavy) + small*int64(threads-heavy)
	bounds := make([]int64, threads+1)
	at := int64(0)
	for t := range threads {
		if int64(t%8) < r.Heavy {
			at += big
		} else {
			at += small
		}
		bounds[t+1] = unit.MulDiv(n, at, total)
	}
	return bounds
}

// A kind is a class as a thread draws from it.
type kind struct {
	left        int64 // visits
	first, size uint32
	next        uint32 // of an ordered walk, from first on
	random      bool
	popular     Popularity
	buckets     []bucket
	write       uint64 // of 53 bits, below which a request writes
	certain     bool   // whether it writes is no matter of chance
}

type bucket struct {
	below uint64 // of 53 bits; the last one has all
	low   uint32
	span  int64
}

// A slot is a page visit under way.
type slot struct {
	request Request // the next one, without gap
	left    uint32
	certain bool
	write   uint64
}

// generate makes the requests of a recipe that was checked. Departures from the way the
// recipes were found with are numbered:
//
//  1. Requests are made before the run, so a gap stands before its request, not behind,
//     and is a whole number of cycles; what is cut off adds to the next one.
//  2. A popular page is drawn from 32 bits and a curve of straight pieces.
func generate(r *Recipe, seed int64, threads int) *Stream {
	s := &Stream{Pages: int32(r.Pages()), Threads: make([][]Request, threads)}
	popular := make([]Popularity, len(r.Classes))
	chunks, quotas := make([][]int64, len(r.Classes)), make([][]int64, len(r.Classes))
	for i := range r.Classes {
		c := &r.Classes[i]
		popular[i] = c.Popularity()
		chunks[i], quotas[i] = r.parts(c.Pages, threads), r.parts(c.Total(), threads)
	}
	group := int(max(r.Sharing, 1))
	kinds, slots := make([]kind, len(r.Classes)), make([]slot, r.Visits)
	for t := range threads {
		first, mean, variance := uint32(0), int64(0), int64(0)
		for i := range r.Classes {
			c := &r.Classes[i]
			k := &kinds[i]
			k.of(c)
			k.popular, k.first, k.size, k.left = popular[i], first, uint32(c.Pages), quotas[i][t+1]-quotas[i][t]
			if !c.Random {
				lead := t / group * group
				end := min(lead+group, threads)
				if end-lead > 1 {
					part := c.part(end - lead)
					c = &part
					k.of(c)
					k.popular = popular[i]
				}
				from, size := chunks[i][lead], chunks[i][end]-chunks[i][lead]
				k.first, k.size = first+uint32(from), uint32(size)
				switch {
				case size == 0:
					k.left = 0
				case c.Visits > 0:
					k.left = unit.MulDiv(size, c.Visits, c.Pages)
				default:
					k.left = size
				}
			}
			first += uint32(c.Pages)
			mean += unit.MulDiv(k.left, c.length(), 1e6)
			variance += k.left * c.variance()
		}
		// Six deviations of the sum are room enough, and append makes more if they are not.
		s.Threads[t] = draw(make([]Request, 0, mean+6*root(variance)), kinds, slots, threadSeed(seed, t), gap(r, threads, mean))
		s.Count += int64(len(s.Threads[t]))
	}
	return s
}

// part is the class as one of several threads that share its pages reads it: a part of the lines
// of every visit, one at least.
func (c Class) part(threads int) Class {
	lines := make([]Bucket, len(c.Lines))
	for i, b := range c.Lines {
		low := (int(b.Low) + threads - 1) / threads
		lines[i] = Bucket{b.Millionths, int32(low), int32(max(low, int(b.High)/threads))}
	}
	c.Lines = lines
	return c
}

// root is the square root, rounded down.
func root(n int64) int64 {
	r := int64(0)
	for b := int64(1) << 31; b > 0; b >>= 1 {
		if (r+b)*(r+b) <= n {
			r += b
		}
	}
	return r
}

// fine is into how many parts a cycle is cut while gaps are drawn.
const fine = 16

// gap returns the cycles before a request on average, in parts of 1<<fine: every thread
// has the same instructions.
func gap(r *Recipe, threads int, requests int64) uint64 {
	if requests == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(r.Instructions), uint64(r.CPI)<<fine)
	by := uint64(threads) * 1000 * uint64(requests)
	if hi >= by {
		return MaxGap << fine / 2
	}
	mean, _ := bits.Div64(hi, lo, by)
	return min(mean, MaxGap<<fine/2)
}

func (k *kind) of(c *Class) {
	*k = kind{random: c.Random, certain: c.Writes == 0 || c.Writes == 1000, buckets: k.buckets[:0], write: share(c.Writes, 1000)}
	sum := int64(0)
	for _, b := range c.Lines {
		sum += b.Millionths
		k.buckets = append(k.buckets, bucket{share(sum, 1e6), uint32(b.Low), int64(b.High - b.Low + 1)})
	}
	k.buckets[len(k.buckets)-1].below = 1 << 53
}

// draw appends a thread's requests.
func draw(out []Request, kinds []kind, slots []slot, rnd Random, mean uint64) []Request {
	left := int64(0) // visits
	for i := range kinds {
		left += kinds[i].left
	}
	clear(slots)
	busy, carry := 0, uint64(0)
	for left > 0 || busy > 0 {
		for i := range slots {
			s := &slots[i]
			if s.left == 0 {
				if left == 0 {
					continue
				}
				k := pick(kinds, &rnd, left)
				k.left--
				left--
				s.begin(k, &rnd)
				busy++
			}
			q := s.request
			s.request += 1 << 24
			if s.left--; s.left == 0 {
				busy--
			}
			if !s.certain && rnd.Next()>>11 < s.write {
				q |= 1 << 30
			}
			// Between 0 and twice the mean.
			carry += twice(rnd.Next()>>32, mean)
			out = append(out, q|Request(carry>>fine)<<31)
			carry &= 1<<fine - 1
		}
	}
	return out
}

// twice is f·2·mean, for f of 32 bits.
func twice(f, mean uint64) uint64 {
	if mean < 1<<31 {
		return f * mean >> 31
	}
	hi, lo := bits.Mul64(f, mean)
	return hi<<33 | lo>>31
}

// pick draws a kind by how many visits it has left.
func pick(kinds []kind, rnd *Random, left int64) *kind {
	var at int64
	if z := rnd.Next(); left < 1<<32 {
		at = int64(z >> 32 * uint64(left) >> 32)
	} else {
		hi, _ := bits.Mul64(z, uint64(left))
		at = int64(hi)
	}
	for i := range kinds {
		if at < kinds[i].left {
			return &kinds[i]
		}
		at -= kinds[i].left
	}
	return nil // at is below the sum
}

// begin starts a visit to a page of a kind.
func (s *slot) begin(k *kind, rnd *Random) {
	var page uint32
	if k.random {
		page = k.first + k.popular.Page(rnd)
	} else {
		page = k.first + k.next
		if k.next++; k.next == k.size {
			k.next = 0
		}
	}
	f := rnd.Next() >> 11
	b := &k.buckets[0]
	for i := 1; f >= b.below; i++ {
		b = &k.buckets[i]
	}
	length := b.low + uint32(rnd.Below(b.span))
	line := uint8(0)
	if length < Lines {
		line = uint8(rnd.Below(int64(Lines + 1 - length)))
	}
	*s = slot{request: NewRequest(page, line, k.certain && k.write > 0, 0), left: length, certain: k.certain, write: k.write}
}
