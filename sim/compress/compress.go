// Package compress answers how much larger GPU memory becomes when hardware
// compresses its contents (package buddy), and what that costs.
//
// A program's memory is a list of allocations; a suite is several programs. Nothing
// happens over time: a run chooses targets, adds up what they take, and says by how
// much a program slows down whose accesses go to all of its entries alike.
package compress

import (
	"fmt"
	"math"

	"spillway/sim/compress/buddy"
	"spillway/sim/portable"
	"spillway/sim/unit"
)

// A Program is what is compressed.
type Program struct {
	Name        string
	Allocations []buddy.Allocation
	Pattern     Pattern // that its own text says, if it says one
}

// A Pattern is how a program accesses its memory.
type Pattern struct {
	// Random is the share of accesses that ask for one sector of an entry; all others
	// take whole entries. A compressed entry is always moved as a whole.
	Random Thousandths
	// Scattered is the share of accesses that jump anywhere in the footprint; all
	// others follow each other, so that a line of metadata serves many of them.
	Scattered Thousandths
}

// Bytes returns the program's footprint.
func (p *Program) Bytes() (n unit.Bytes) {
	for i := range p.Allocations {
		n += p.Allocations[i].Bytes
	}
	return n
}

// Thousandths is a share or a ratio.
type Thousandths int64

// Float returns the share as a number.
func (x Thousandths) Float() float64 { return float64(x) / 1000 }

// A Setup is everything a run depends on besides program and variant.
type Setup struct {
	GPU    unit.Bytes     // memory, 0 for as much as the program takes
	Memory unit.Bandwidth // of that memory
	Link   unit.Bandwidth // to the buddy memory, in each direction
	// Threshold, Naive, Tiny and MaxRatio are those of buddy.Policy.
	Threshold, Naive, Tiny, MaxRatio Thousandths
	// Bound is the share of a program's time in which memory is what it waits for.
	Bound Thousandths
	// Pattern is that of programs that have none of their own, of all if Alike is true.
	Pattern Pattern
	Alike   bool
	// Cache is the metadata cache, all slices together, and Line its line, which a miss
	// brings.
	Cache, Line unit.Bytes
	// Written is the share of traffic to the buddy memory that goes there; the rest
	// comes from there, in the link's other direction at the same time.
	Written Thousandths
}

// Published is the paper's machine: a V100 with NVLink2 (Table 2), and the
// parameters of §3.4 and §3.5. The metadata cache is that of the evaluation, which
// has 4 KB in each of 32 slices of the L2 cache and lines of 128 bytes (Table 2); §3.2
// has 64 KB and lines of 32.
//
// Bound is fitted: the two slowdowns that are published for AlexNet (§4.2) leave
// 0.9225 of its time on the GPU; with the sectors that its fitted contents move, that
// is a program that waits for memory 23.5 % of its time.
//
// Written is 0, all traffic in one direction, because AlexNet's slowdowns nearly ask
// for it: with more than a quarter of it going the other way they would need more of
// each overflowing entry in the buddy memory than a target of 2x puts there.
func Published() Setup {
	return Setup{
		Memory: 900 * unit.GBps, Link: 150 * unit.GBps,
		Threshold: 300, Naive: 470, Tiny: 990, MaxRatio: 4000, Bound: 235, Cache: 128 * unit.KiB, Line: 128,
	}
}

// Validate reports what contradicts.
func (s *Setup) Validate() error {
	if s.Link > s.Memory {
		return fmt.Errorf("the link to the buddy memory (%v) is faster than GPU memory (%v); then nobody would need the latter; lower the link or raise the memory", s.Link, s.Memory)
	}
	return nil
}

// A Variant is one design of the paper's (§3.4, §3.5, Fig. 7).
type Variant struct {
	Name, Title, About, Section string
	Ideal, Whole, Special       bool
	Traffic                     bool // compresses traffic alone: no capacity, metadata or buddy memory
}

// compresses reports whether memory is compressed, which needs metadata.
func (v *Variant) compresses() bool { return !v.Ideal && !v.Traffic }

// Variants lists the designs.
func Variants() []Variant {
	return []Variant{
		{Name: "ideal", Title: "Enough memory", About: "A GPU that holds everything, uncompressed: what slowdowns are measured against.", Section: "§4.2", Ideal: true},
		{Name: "bandwidth-only", Title: "Bandwidth only", About: "Only what moves between the L2 cache and GPU memory is compressed: nothing more fits, and nothing lies in the buddy memory.", Section: "§4.1", Traffic: true},
		{Name: "naive", Title: "Naive Buddy", About: "One target ratio for the whole program.", Section: "§3.4", Whole: true},
		{Name: "per-allocation", Title: "Buddy without 16x", About: "A target ratio for each allocation, the largest with which no more of its entries overflow than the Buddy Threshold.", Section: "§3.4"},
		{Name: "per-allocation-16x", Title: "Buddy", About: "The final design: per allocation, and 16x for those that are mostly zero.", Section: "§3.5", Special: true},
	}
}

// Find returns the variant with a name.
func Find(name string) (Variant, error) {
	for _, v := range Variants() {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, fmt.Errorf("unknown design %q", name)
}

// policy is the variant's with the setup's parameters.
func (v *Variant) policy(s *Setup) buddy.Policy {
	return buddy.Policy{
		Whole: v.Whole, Naive: s.Naive.Float(), Threshold: s.Threshold.Float(),
		Special: v.Special, Tiny: s.Tiny.Float(), MaxRatio: s.MaxRatio.Float(),
	}
}

// A Result is what came out for one program. Shares are from 0 to 1.
type Result struct {
	Program string
	Targets []buddy.Target // by allocation
	buddy.Capacity
	// Optimistic is the ratio with eight sizes and no slots (Fig. 3).
	Optimistic float64
	// Overflow is the share of entries that need the buddy memory. Remote is the share
	// of an entry that comes from there in the mean over accesses, Local that from GPU
	// memory, and Whole what would come without compression.
	Overflow, Remote, Local, Whole float64
	// Hits is the share of accesses whose metadata is in the cache, 0 without metadata.
	Hits float64
	Time Time
}

// A Time is how long a program takes, in parts of what it takes on the ideal GPU.
type Time struct {
	GPU      float64 // computing, and compressed traffic to GPU memory
	Metadata float64 // lines of metadata that the cache did not have
	Buddy    float64 // traffic to the buddy memory
}

// Slowdown returns the time beyond the ideal GPU's, relative to it; negative where
// compression saves more than it costs.
func (t *Time) Slowdown() float64 { return t.GPU + t.Metadata + t.Buddy - 1 }

// Run compresses a program.
func Run(p *Program, s *Setup, v *Variant) *Result {
	policy := v.policy(s)
	return runWith(p, s, v, policy.Choose)
}

// runWith compresses a program with targets that somebody chooses.
func runWith(p *Program, s *Setup, v *Variant, choose func([]buddy.Allocation) []buddy.Target) *Result {
	r := &Result{Program: p.Name, Targets: make([]buddy.Target, len(p.Allocations))}
	var all buddy.Histogram
	for i := range p.Allocations {
		all.Merge(scaled(&p.Allocations[i]))
	}
	r.Optimistic = all.Optimistic()
	if v.compresses() {
		r.Targets = choose(p.Allocations)
	}
	r.Capacity = buddy.Sum(p.Allocations, r.Targets)
	if !v.compresses() {
		r.Metadata = 0
	}
	r.Local, r.Whole = 1, 1
	if v.Ideal {
		r.Time.GPU = 1
		return r
	}
	pattern := s.pattern(p)
	accessed := r.access(p, pattern.Random.Float())
	if v.compresses() {
		r.Hits = s.hits(accessed, pattern.Scattered.Float())
	}
	r.Time = s.time(r, v)
	return r
}

// pattern returns how a program accesses its memory.
func (s *Setup) pattern(p *Program) Pattern {
	own := p.Pattern
	if s.Alike {
		return s.Pattern
	}
	if own.Random == 0 {
		own.Random = s.Pattern.Random
	}
	if own.Scattered == 0 {
		own.Scattered = s.Pattern.Scattered
	}
	return own
}

// access sums what accesses move, of which the share random asks for one sector, and
// returns the bytes that are accessed. Overflow is counted over all memory.
func (r *Result) access(p *Program, random float64) (accessed unit.Bytes) {
	var overflow, remote, local float64
	for i := range p.Allocations {
		a := &p.Allocations[i]
		weight := float64(a.Bytes) / float64(max(1, len(a.Snapshots)))
		if !a.Idle {
			accessed += a.Bytes
		}
		for k := range a.Snapshots {
			h, t := &a.Snapshots[k], r.Targets[i]
			overflow += float64(weight * h.Overflow(t))
			if a.Idle {
				continue
			}
			near, far := h.One(t)
			local += float64(weight * (float64((1-random)*h.Local(t)) + float64(random*near)))
			remote += float64(weight * (float64((1-random)*h.Remote(t)) + float64(random*far)))
		}
	}
	if all := float64(p.Bytes()); all > 0 {
		r.Overflow = overflow / all
	}
	if accessed > 0 {
		r.Local, r.Remote = local/float64(accessed), remote/float64(accessed)
		r.Whole = 1 - random + float64(random/buddy.Sectors)
	}
	return accessed
}

// scaled returns an allocation's snapshots in one histogram, as large as the
// allocation is, so that samples count by what they stand for.
func scaled(a *buddy.Allocation) *buddy.Histogram {
	var h buddy.Histogram
	for i := range a.Snapshots {
		h.Merge(&a.Snapshots[i])
	}
	if h.Entries > 0 {
		h.Scale(buddy.Entries(a.Bytes))
	}
	return &h
}

// hits returns the share of accesses whose metadata the cache has: of those that
// follow each other all but the first to a line, of those that are scattered over the
// accessed bytes as many as the cache covers.
func (s *Setup) hits(accessed unit.Bytes, scattered float64) float64 {
	lines := s.Cache / max(1, s.Line)
	switch {
	case accessed == 0:
		return 1
	case lines == 0:
		return 0
	}
	entries := s.Line * 8 / buddy.MetadataBits // of a line
	covered := min(1, float64(lines*entries*buddy.EntryBytes)/float64(accessed))
	return float64((1-scattered)*(1-1/float64(entries))) + float64(scattered*covered)
}

// time returns the parts of a program's time.
//
// GPU: what is not bound by memory stays; the rest is as the sectors that are moved,
// compressed, to those that would be. Metadata: every miss moves a line. Buddy: the
// sectors that lie there, at the link's rate in the direction with more traffic, one
// after the other with the rest (departure 2 of package buddy).
func (s *Setup) time(r *Result, v *Variant) Time {
	bound := s.Bound.Float()
	t := Time{GPU: 1 - bound + bound*r.Local/r.Whole}
	if !v.compresses() {
		return t
	}
	line := float64(s.Line) / buddy.EntryBytes // in entries
	t.Metadata = bound * (1 - r.Hits) * line / r.Whole
	if s.Link > 0 {
		written := s.Written.Float()
		t.Buddy = r.Remote / r.Whole * max(written, 1-written) * float64(s.Memory) / float64(s.Link)
	}
	return t
}

// A Summary is the mean over programs: geometric of ratios, arithmetic of shares and
// slowdowns, as the paper takes them. Bytes are sums.
type Summary struct {
	buddy.Capacity
	Optimistic, Ratio             float64
	Overflow, Remote, Local, Hits float64
	GPU, Metadata, Link, Slowdown float64
	Worst                         string // the program with the largest slowdown
	WorstSlowdown                 float64
}

// Summarize returns the means over at least one result.
func Summarize(list []*Result) (s Summary) {
	n := float64(len(list))
	s.WorstSlowdown = math.Inf(-1)
	for _, r := range list {
		s.Bytes += r.Bytes
		s.Device += r.Device
		s.Buddy += r.Buddy
		s.Capacity.Metadata += r.Capacity.Metadata
		s.Optimistic += portable.Log(r.Optimistic)
		s.Ratio += portable.Log(r.Ratio())
		s.Overflow += r.Overflow
		s.Remote += r.Remote
		s.Local += r.Local
		s.Hits += r.Hits
		s.GPU += r.Time.GPU
		s.Metadata += r.Time.Metadata
		s.Link += r.Time.Buddy
		if d := r.Time.Slowdown(); d > s.WorstSlowdown {
			s.Worst, s.WorstSlowdown = r.Program, d
		}
	}
	for _, sum := range []*float64{&s.Optimistic, &s.Ratio, &s.Overflow, &s.Remote, &s.Local, &s.Hits, &s.GPU, &s.Metadata, &s.Link} {
		*sum /= n
	}
	s.Optimistic, s.Ratio = portable.Exp(s.Optimistic), portable.Exp(s.Ratio)
	s.Slowdown = s.GPU + s.Metadata + s.Link - 1
	return s
}
