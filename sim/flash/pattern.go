package flash

import (
	"errors"
	"fmt"

	"spillway/sim/unit"
)

// A Pattern is what the host does to a drive. Shares are in thousandths.
type Pattern struct {
	// Utilization is the share of the capacity that is in use.
	Utilization int64
	// Request is the size of what is read or written in one piece: a tensor. It
	// counts in whole flash pages.
	Request unit.Bytes
	// Hot is the share of the data in use that gets HotWrites of the writes;
	// the rest is cold. Reads follow the writes.
	Hot, HotWrites int64
	// Cyclic rewrites hot and cold data each in turn, as the iterations of a
	// training do; otherwise they are drawn at random.
	Cyclic bool
	// Dead is the share of the data in use that is trimmed and not yet written
	// again, at any time.
	Dead int64
	// Reads is the share of reads in the host's outstanding commands when it
	// reads and writes at the same time.
	Reads int64
	// Fresh skips the preconditioning: the drive is as it left the factory, and
	// its write cache is empty.
	Fresh bool
}

// Default returns tensors of 64 MiB rewritten at random all over a drive that
// is nine tenths full, as many reads as writes (G10 paper, §7.7: almost 50 %).
func Default() Pattern {
	return Pattern{Utilization: 900, Request: 64 * unit.MiB, Hot: 1000, HotWrites: 1000, Reads: 500}
}

// Sheet returns the pattern behind the data sheet's sequential rates: 128 KiB
// requests in turn over the whole drive. Drives with a write cache are rated
// fresh, others in the steady state.
func Sheet(s *Spec) Pattern {
	return Pattern{Utilization: 1000, Request: 128 * unit.KiB, Hot: 1000, HotWrites: 1000, Cyclic: true, Reads: 500, Fresh: s.Burst > 0}
}

// Random returns the pattern behind a data sheet's sustained random rates:
// 4 KiB requests all over a full drive.
func Random() Pattern {
	return Pattern{Utilization: 1000, Request: unit.Page, Hot: 1000, HotWrites: 1000, Reads: 500}
}

// Validate reports everything that is out of range.
func (p Pattern) Validate() error {
	var errs []error
	share := func(name string, v, least int64) {
		if v < least || v > 1000 {
			errs = append(errs, fmt.Errorf("%s is %d thousandths; want %d to 1000", name, v, least))
		}
	}
	share("utilization", p.Utilization, 1)
	share("hot share", p.Hot, 1)
	share("hot writes", p.HotWrites, 0)
	share("dead share", p.Dead, 0)
	share("read share", p.Reads, 0)
	if p.Dead > 900 {
		errs = append(errs, fmt.Errorf("dead share is %d thousandths; at most 900 leave something to rewrite", p.Dead))
	}
	if p.Request <= 0 {
		errs = append(errs, fmt.Errorf("request is %d bytes; want 1 or more", p.Request))
	}
	return errors.Join(errs...)
}

// random is a small generator (SplitMix64): the same numbers everywhere.
type random uint64

// below returns a number from 0 to n-1.
func (r *random) below(n int32) int32 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return int32((z >> 32) * uint64(n) >> 32)
}

// A source yields the logical pages of a pattern one by one. Data in use are
// slots of size pages each; the first hot ones are hot.
type source struct {
	slots, size, hot int32
	hotWrites        int32
	cyclic           bool
	rnd              random

	dead []bool     // by slot: trimmed
	ring [2][]int32 // dead hot and dead cold slots, oldest at head
	head [2]int

	write, read cursor
}

// A cursor is a place in the slot being written or read, and in the turn of the
// hot and the cold slots.
type cursor struct {
	page, end int32
	turn      [2]int32
}

// newSource returns the source of p on a drive of logical pages, whose requests
// have size pages.
func newSource(p *Pattern, logical, size int32) *source {
	used := max(1, int32(unit.MulDiv(int64(logical), p.Utilization, 1000)))
	s := &source{size: min(size, used), hotWrites: int32(p.HotWrites), cyclic: p.Cyclic, rnd: 1}
	s.slots = used / s.size
	s.hot = max(1, int32(unit.MulDiv(int64(s.slots), p.Hot, 1000)))
	s.dead = make([]bool, s.slots)
	return s
}

// used is how many logical pages are in use.
func (s *source) used() int32 { return s.slots * s.size }

// slot draws the next slot for a cursor: hot or cold, in turn or at random. It
// passes over dead slots. side is 1 for a cold slot.
func (s *source) slot(c *cursor) (slot int32, side int) {
	from, n := int32(0), s.hot
	if s.hot < s.slots && s.rnd.below(1000) >= s.hotWrites {
		from, n, side = s.hot, s.slots-s.hot, 1
	}
	i := c.turn[side]
	if !s.cyclic {
		i = s.rnd.below(n)
	}
	for range n {
		if !s.dead[from+i] {
			break
		}
		i = (i + 1) % n
	}
	c.turn[side] = (i + 1) % n
	return from + i, side
}

// nextRead returns the next page to read.
func (s *source) nextRead() int32 {
	c := &s.read
	if c.page == c.end {
		i, _ := s.slot(c)
		c.page = i * s.size
		c.end = c.page + s.size
	}
	c.page++
	return c.page - 1
}

// nextWrite returns the next page to write. With dead data, beginning a request
// trims one slot and writes the one that has been dead longest, hot for hot and
// cold for cold.
func (s *source) nextWrite(f *Layer) int32 {
	c := &s.write
	if c.page == c.end {
		i, side := s.slot(c)
		if len(s.ring[side]) > 0 {
			i = s.kill(f, i, side)
		}
		c.page = i * s.size
		c.end = c.page + s.size
	}
	c.page++
	return c.page - 1
}

// kill trims slot i and returns the slot of the same side to write instead.
func (s *source) kill(f *Layer, i int32, side int) int32 {
	ring, head := s.ring[side], &s.head[side]
	oldest := ring[*head]
	ring[*head] = i
	*head = (*head + 1) % len(ring)
	s.dead[oldest] = false
	s.trim(f, i)
	return oldest
}

// trim marks slot i as dead and tells the drive.
func (s *source) trim(f *Layer, i int32) {
	s.dead[i] = true
	for l := i * s.size; f != nil && l < (i+1)*s.size; l++ {
		f.Trim(l)
	}
}

// bury makes the given share of the hot and of the cold slots dead, spread evenly.
func (s *source) bury(f *Layer, share int64) {
	from := int32(0)
	for side, n := range [2]int32{s.hot, s.slots - s.hot} {
		dead := int32(unit.MulDiv(int64(n), share, 1000))
		for i := range dead {
			slot := from + int32(int64(i)*int64(n)/int64(dead))
			s.trim(f, slot)
			s.ring[side] = append(s.ring[side], slot)
		}
		from += n
	}
}
