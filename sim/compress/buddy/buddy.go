// Package buddy is Buddy Compression: GPU memory in which every entry of 128 bytes
// has a slot of a fixed size, and behind a link a second place, its buddy, for what
// does not fit into the slot when it is compressed. Nothing moves when contents
// change.
//
// Source: Choukse, Sullivan, O'Connor, Erez, Pool, Nellans, Keckler: Buddy
// Compression: Enabling Larger Memory for Deep Learning and HPC Workloads on GPUs
// (ISCA 2020).
//
// Model: allocations are histograms of what Bit-Plane Compression makes of their
// entries. A policy chooses the slot of each allocation from them (§3.4, §3.5);
// capacity is a sum over allocations; time is that of memory traffic, of which what
// comes from the buddy is added, not hidden.
//
// Departures, numbered:
//
//  1. Accesses go to all entries alike but those of allocations that nobody touches
//     (Allocation.Idle). The paper's own are of traces that are not public. How many
//     entries overflow is counted over all memory, as the paper does (§3.4).
//  2. The paper's simulator overlaps; its two points for AlexNet lie on a straight
//     line over the inverse of the link's rate, so the buddy's traffic is added.
//  3. When is an allocation "mostly zero"? The paper does not say; here when 99 % of
//     its entries take at most 8 bytes in every snapshot (Policy.Tiny).
//  4. Is an allocation with target 1x compressed on its way to GPU memory? The text
//     says both that its API saves the effort for what does not compress (§3.4), and
//     that Buddy Compression's costs come on top of bandwidth compression (§4.2).
//     Here it is.
//  5. An entry that takes all four sectors when it is compressed is stored as it is,
//     so that one sector of it can be moved alone; the text speaks of compressed
//     entries only (§4.2).
package buddy

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/compress/bpc"
	"spillway/sim/unit"
)

// Sizes of the hardware (§3.2).
const (
	EntryBytes  = bpc.Entry // 128 B
	SectorBytes = 32
	Sectors     = EntryBytes / SectorBytes
	// MetadataBits say of an entry how it is stored.
	MetadataBits = 4
	tinyBytes    = 8 // of an entry in a slot of a 16th
)

// A Target is the compression ratio that an allocation is given slots for.
type Target uint8

// The targets, by how much of an entry's memory they save.
const (
	X1 Target = iota
	X133
	X2
	X4
	X16
	Targets // how many there are
)

var targets = [Targets]struct {
	name string
	slot unit.Bytes
}{{"1x", 128}, {"1.33x", 96}, {"2x", 64}, {"4x", 32}, {"16x", tinyBytes}}

// String returns the ratio: "1.33x".
func (t Target) String() string {
	if t < Targets {
		return targets[t].name
	}
	return fmt.Sprintf("target(%d)", uint8(t))
}

// MarshalText writes the ratio, in JSON as elsewhere.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Slot returns what an entry has in GPU memory.
func (t Target) Slot() unit.Bytes { return targets[t].slot }

// Buddy returns what it has in the buddy memory: room for all that may not fit.
func (t Target) Buddy() unit.Bytes {
	if t == X16 {
		return EntryBytes // one that overflows lies there as a whole
	}
	return EntryBytes - t.Slot()
}

// classes are the sizes that the study of what compression could reach allows
// (§3.1); an entry of zeros has the first.
var classes = [...]unit.Bytes{0, 8, 16, 32, 64, 80, 96, 128}

// A Histogram counts the entries of an allocation by what compression makes of them.
type Histogram struct {
	Entries int64
	Bits    int64 // sum of the lengths of their bitstreams
	Zero    int64 // all bytes are zero: metadata alone says it
	Tiny    int64 // at most 8 bytes, zeros included
	Sectors [Sectors + 1]int64
	Classes [len(classes)]int64
}

// Stored returns the bytes that an entry of so many bits takes, at most an entry.
func Stored(bits int, zero bool) unit.Bytes {
	if zero {
		return 0
	}
	return unit.Bytes(min(bits, bpc.RawBits)+7) / 8
}

// Add counts n entries of so many bits. zero is true if all their bytes are.
func (h *Histogram) Add(bits int, zero bool, n int64) {
	stored := Stored(bits, zero)
	h.Entries += n
	h.Bits += int64(bits) * n
	if zero {
		h.Zero += n
	}
	if stored <= tinyBytes {
		h.Tiny += n
	}
	h.Sectors[(stored+SectorBytes-1)/SectorBytes] += n
	h.Classes[classOf[stored]] += n
}

// classOf is the class of an entry that takes so many bytes: the first that has as
// many.
var classOf = func() (list [EntryBytes + 1]uint8) {
	class := uint8(0)
	for stored := range list {
		if unit.Bytes(stored) > classes[class] {
			class++
		}
		list[stored] = class
	}
	return list
}()

// Measure counts the entries of data. What is left of an entry at the end is taken
// as if zeros followed.
func (h *Histogram) Measure(data []byte) {
	const two = 2 * bpc.Entry
	zeros := int64(0)
	for ; len(data) >= two; data = data[two:] {
		pair := (*[two]byte)(data)
		if bpc.Zero2(pair) {
			zeros += 2
			continue
		}
		a, b := bpc.Bits2(pair)
		h.entry(a, (*[bpc.Entry]byte)(pair[:]))
		h.entry(b, (*[bpc.Entry]byte)(pair[bpc.Entry:]))
	}
	for len(data) > 0 {
		var e [bpc.Entry]byte
		data = data[copy(e[:], data):]
		h.entry(bpc.Bits(&e), &e)
	}
	h.Add(bpc.ZeroBits, true, zeros)
}

// entry counts one entry. Few others have a code as short as one of zeros.
func (h *Histogram) entry(bits int, e *[bpc.Entry]byte) {
	h.Add(bits, bits == bpc.ZeroBits && *e == [bpc.Entry]byte{}, 1)
}

// Merge adds another histogram.
func (h *Histogram) Merge(o *Histogram) {
	h.Entries += o.Entries
	h.Bits += o.Bits
	h.Zero += o.Zero
	h.Tiny += o.Tiny
	for i := range h.Sectors {
		h.Sectors[i] += o.Sectors[i]
	}
	for i := range h.Classes {
		h.Classes[i] += o.Classes[i]
	}
}

// overflow counts the entries that do not fit into a target's slot, and the sectors
// of theirs that lie in the buddy memory.
func (h *Histogram) overflow(t Target) (entries, sectors int64) {
	if t == X16 {
		for c, n := range h.Sectors {
			sectors += int64(c) * n
		}
		// Those that fit have one sector, or none if they are zero.
		return h.Entries - h.Tiny, sectors - (h.Tiny - h.Zero)
	}
	slot := int(t.Slot() / SectorBytes)
	for c := slot + 1; c <= Sectors; c++ {
		entries += h.Sectors[c]
		sectors += int64(c-slot) * h.Sectors[c]
	}
	return entries, sectors
}

// Overflow returns the share of entries that do not fit into a target's slot.
func (h *Histogram) Overflow(t Target) float64 {
	n, _ := h.overflow(t)
	return share(n, h.Entries)
}

// Remote returns the share of an entry that, in the mean over all entries, comes
// from the buddy memory.
func (h *Histogram) Remote(t Target) float64 {
	_, n := h.overflow(t)
	return share(n, h.Entries*Sectors)
}

// Local returns the share of an entry that, in the mean, is moved to and from GPU
// memory: its sectors there, compressed.
func (h *Histogram) Local(t Target) float64 {
	var all int64
	for c, n := range h.Sectors {
		all += int64(c) * n
	}
	_, remote := h.overflow(t)
	return share(all-remote, h.Entries*Sectors)
}

// One returns, for a request for one sector of an entry, how much of an entry is
// moved in the mean from GPU and from buddy memory: all sectors of a compressed one
// (§4.2), the requested one of an entry that is stored as it is.
func (h *Histogram) One(t Target) (local, remote float64) {
	whole := h.Sectors[Sectors]
	rest := *h
	rest.Entries, rest.Sectors[Sectors] = h.Entries-whole, 0
	raw := Histogram{Entries: whole}
	raw.Sectors[Sectors] = whole
	_, far := rest.overflow(t)
	near := int64(0)
	for c, n := range rest.Sectors {
		near += int64(c) * n
	}
	near -= far
	local, remote = share(near, h.Entries*Sectors), share(far, h.Entries*Sectors)
	alone := share(whole, h.Entries*Sectors) // one sector of each
	away := raw.Remote(t)
	return local + float64(alone*(1-away)), remote + float64(alone*away)
}

// Optimistic returns the compression ratio if every entry could have the smallest of
// the eight sizes that it fits into (§3.1, Fig. 3), 0 for an allocation of zeros.
func (h *Histogram) Optimistic() float64 {
	var b int64
	for i, n := range h.Classes {
		b += int64(classes[i]) * n
	}
	if b == 0 {
		return 0
	}
	return float64(h.Entries*EntryBytes) / float64(b)
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// An Allocation is a piece of memory with one target.
type Allocation struct {
	Name  string
	Bytes unit.Bytes
	// Snapshots are its contents at several times, at least one. They may be samples:
	// only shares count.
	Snapshots []Histogram
	// Idle says that nobody accesses it: it takes memory and moves nothing.
	Idle bool
}

// Entries returns how many entries so many bytes take.
func Entries(n unit.Bytes) int64 { return int64((n + EntryBytes - 1) / EntryBytes) }

// entries is how many entries the allocation has.
func (a *Allocation) entries() int64 { return Entries(a.Bytes) }

// Worst returns the largest share of entries over the snapshots that overflow.
func (a *Allocation) Worst(t Target) (most float64) {
	for i := range a.Snapshots {
		most = max(most, a.Snapshots[i].Overflow(t))
	}
	return most
}

// Least returns the smallest share over the snapshots of entries of at most 8 bytes.
func (a *Allocation) Least() float64 {
	least := 1.0
	for i := range a.Snapshots {
		least = min(least, share(a.Snapshots[i].Tiny, a.Snapshots[i].Entries))
	}
	return least
}

// A Policy chooses targets. Shares are from 0 to 1.
type Policy struct {
	// Whole gives all allocations one target, the largest with which at most the
	// share Naive of all entries overflows (§3.4, the naive variant).
	Whole bool
	Naive float64
	// Threshold is the Buddy Threshold: how many of an allocation's entries may
	// overflow (§3.4).
	Threshold float64
	// Special allows 16x for allocations that are mostly zero: at least the share Tiny
	// of their entries takes at most 8 bytes in every snapshot (§3.5).
	Special bool
	Tiny    float64
	// MaxRatio bounds the ratio of the whole program, which the carve-out of buddy
	// memory is made for (§3.5): 4.
	MaxRatio float64

	// Where somebody else decides: whether an allocation, by its number, may have a target up to 4x
	// (for Threshold) or 16x (for Tiny), and who is told what it was given before 16x is asked. Nil
	// if nobody does.
	Allow func(allocation int, t Target) bool
	Given func(allocation int, t Target)
	Big   func(allocation int) bool
}

// Published is the policy of the paper's final design.
func Published() Policy {
	return Policy{Naive: 0.47, Threshold: 0.3, Special: true, Tiny: 0.99, MaxRatio: 4}
}

// Choose returns the target of each allocation.
func (p *Policy) Choose(list []Allocation) []Target {
	out := make([]Target, len(list))
	if p.Whole {
		t := p.whole(list)
		for i := range out {
			out[i] = t
		}
		return out
	}
	for i := range list {
		out[i] = largest(func(t Target) bool {
			if p.Allow != nil {
				return p.Allow(i, t)
			}
			return list[i].Worst(t) <= p.Threshold
		})
		if p.Given != nil {
			p.Given(i, out[i])
		}
	}
	if p.Special {
		p.special(list, out)
	}
	return out
}

// largest returns the largest target up to 4x that is allowed.
func largest(ok func(Target) bool) Target {
	for t := X4; t > X1; t-- {
		if ok(t) {
			return t
		}
	}
	return X1
}

// rounding is how far a sum of shares may be off because of rounding.
const rounding = 1e-12

// whole returns the one target of the naive variant.
func (p *Policy) whole(list []Allocation) Target {
	return largest(func(t Target) bool {
		var over, all float64
		for i := range list {
			n := float64(list[i].entries())
			over += float64(n * list[i].Worst(t))
			all += n
		}
		return over <= p.Naive*all*(1+rounding)
	})
}

// special gives 16x to those that are mostly zero, the largest first, as long as
// the program's ratio stays within what the buddy memory is made for.
func (p *Policy) special(list []Allocation, out []Target) {
	var order []int
	for i := range list {
		big := false
		if p.Big != nil {
			big = p.Big(i)
		} else {
			big = list[i].Least() >= p.Tiny
		}
		if big {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].Bytes, list[a].Bytes) })
	c := Sum(list, out)
	for _, i := range order {
		less := unit.Bytes(list[i].entries()) * (out[i].Slot() - X16.Slot())
		if c.Device -= less; c.Ratio() > p.MaxRatio {
			c.Device += less
			continue
		}
		out[i] = X16
	}
}

// A Capacity is what allocations take.
type Capacity struct {
	Bytes    unit.Bytes // uncompressed
	Device   unit.Bytes // slots in GPU memory
	Buddy    unit.Bytes // places in buddy memory
	Metadata unit.Bytes // 4 bits an entry, in GPU memory (§3.2)
}

// Ratio returns how much larger memory becomes, without metadata, as the paper
// counts it.
func (c *Capacity) Ratio() float64 { return share(int64(c.Bytes), int64(c.Device)) }

// Sum adds up what allocations take with their targets. Those with target 1x have
// metadata too: they are compressed on their way (departure 4).
func Sum(list []Allocation, t []Target) (c Capacity) {
	for i := range list {
		n := unit.Bytes(list[i].entries())
		c.Bytes += n * EntryBytes
		c.Device += n * t[i].Slot()
		c.Buddy += n * t[i].Buddy()
		c.Metadata += (n*MetadataBits + 7) / 8
	}
	return c
}

// Scale makes the histogram one of so many entries with the same shares, up to
// rounding. A histogram without entries stays.
func (h *Histogram) Scale(entries int64) {
	if h.Entries == 0 {
		return
	}
	was := h.Entries
	scale := func(n *int64) { *n = unit.MulDiv(*n, entries, was) }
	for _, n := range []*int64{&h.Bits, &h.Zero, &h.Tiny} {
		scale(n)
	}
	for i := range h.Sectors {
		scale(&h.Sectors[i])
	}
	for i := range h.Classes {
		scale(&h.Classes[i])
	}
	h.Entries = entries
}
