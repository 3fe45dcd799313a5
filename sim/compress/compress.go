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
	"spillway/sim/unit"
)

// A Program is what is compressed.
type Program struct {
	Name        string
	Allocations []buddy.Allocation
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
	// Random is the share of accesses that ask for one sector of an entry at random; all
	// others follow each other and take whole entries. A compressed entry is always
	// moved as a whole. Cache is the metadata cache, of lines of 32 bytes (§3.2).
	Random Thousandths
	Cache  unit.Bytes
}

// Published is the paper's machine: a V100 with NVLink2 (Table 2), and the
// parameters of §3.4 and §3.5.
//
// Bound is fitted: the two slowdowns that are published for AlexNet (§4.2) leave
// 0.9225 of its time on the GPU; with the sectors that its fitted contents move, that
// is a program that waits for memory 17 % of its time.
func Published() Setup {
	return Setup{
		Memory: 900 * unit.GBps, Link: 150 * unit.GBps,
		Threshold: 300, Naive: 450, Tiny: 990, MaxRatio: 4000, Bound: 170, Cache: 64 * unit.KiB,
	}
}

// Validate reports what contradicts.
func (s *Setup) Validate() error {
	if s.Link > s.Memory {
		return fmt.Errorf("the link to the buddy memory (%v) is faster than GPU memory (%v); then nobody would need the latter", s.Link, s.Memory)
	}
	return nil
}

// A Variant is one design of the paper's (§3.4, §3.5, Fig. 7).
type Variant struct {
	Name, Title, About, Section string
	Ideal, Whole, Special       bool
}

// Variants lists the designs.
func Variants() []Variant {
	return []Variant{
		{Name: "ideal", Title: "Enough memory", About: "A GPU that holds everything, uncompressed: what slowdowns are measured against.", Section: "§4.2", Ideal: true},
		{Name: "naive", Title: "One target", About: "One target ratio for the whole program.", Section: "§3.4", Whole: true},
		{Name: "per-allocation", Title: "Per allocation", About: "A target ratio for each allocation, the largest with which no more of its entries overflow than the Buddy Threshold.", Section: "§3.4"},
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
	// Overflow is the share of accesses that need the buddy memory, Remote the share
	// of an entry that comes from there in the mean, Local that from GPU memory.
	Overflow, Remote, Local float64
	Time                    Time
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
	r := &Result{Program: p.Name, Targets: make([]buddy.Target, len(p.Allocations))}
	var all buddy.Histogram
	for i := range p.Allocations {
		all.Merge(scaled(&p.Allocations[i]))
	}
	r.Optimistic = all.Optimistic()
	if v.Ideal {
		r.Capacity, r.Local = buddy.Sum(p.Allocations, r.Targets), 1
		r.Time.GPU = 1
		return r
	}
	policy := v.policy(s)
	r.Targets = policy.Choose(p.Allocations)
	r.Capacity = buddy.Sum(p.Allocations, r.Targets)
	var bytes float64
	for i := range p.Allocations {
		a := &p.Allocations[i]
		weight := float64(a.Bytes)
		bytes += weight
		for k := range a.Snapshots {
			share := weight / float64(len(a.Snapshots))
			r.Overflow += share * a.Snapshots[k].Overflow(r.Targets[i])
			r.Remote += share * a.Snapshots[k].Remote(r.Targets[i])
			r.Local += share * a.Snapshots[k].Local(r.Targets[i])
		}
	}
	if bytes > 0 {
		r.Overflow, r.Remote, r.Local = r.Overflow/bytes, r.Remote/bytes, r.Local/bytes
	}
	r.Time = s.time(r, p.Bytes())
	return r
}

// scaled returns an allocation's snapshots in one histogram, as large as the
// allocation is, so that samples count by what they stand for.
func scaled(a *buddy.Allocation) *buddy.Histogram {
	var h buddy.Histogram
	for i := range a.Snapshots {
		h.Merge(&a.Snapshots[i])
	}
	if h.Entries > 0 {
		h.Scale((int64(a.Bytes) + buddy.EntryBytes - 1) / buddy.EntryBytes)
	}
	return &h
}

// time returns the parts of a program's time.
//
// GPU: what is not bound by memory stays; the rest is as the sectors that are moved,
// compressed, to those that would be, of which random accesses take one and not four. Metadata: a line describes 64 entries, so one access in 64 that follow each
// other misses, and of those at random as many as the cache does not cover; a miss
// moves a line. Buddy: the sectors that lie there, at the link's rate, one after the
// other with the rest (departure 2 of package buddy).
func (s *Setup) time(r *Result, footprint unit.Bytes) Time {
	const lineEntries = 64
	bound := s.Bound.Float()
	covered := 1.0
	if reach := s.Cache / buddy.SectorBytes * lineEntries * buddy.EntryBytes; reach < footprint {
		covered = float64(reach) / float64(footprint)
	}
	random := s.Random.Float()
	misses := (1-random)/lineEntries + random*(1-covered)
	plain := 1 - random + random/buddy.Sectors // of an entry, moved uncompressed
	t := Time{GPU: 1 - bound + bound*r.Local/plain, Metadata: bound * misses / buddy.Sectors / plain}
	if s.Link > 0 {
		t.Buddy = r.Remote / plain * float64(s.Memory) / float64(s.Link)
	}
	return t
}

// A Summary is the mean over programs: geometric of ratios, arithmetic of shares and
// slowdowns, as the paper takes them. Bytes are sums.
type Summary struct {
	buddy.Capacity
	Optimistic, Ratio             float64
	Overflow, Remote, Local       float64
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
		s.Optimistic += math.Log(r.Optimistic)
		s.Ratio += math.Log(r.Ratio())
		s.Overflow += r.Overflow
		s.Remote += r.Remote
		s.Local += r.Local
		s.GPU += r.Time.GPU
		s.Metadata += r.Time.Metadata
		s.Link += r.Time.Buddy
		if d := r.Time.Slowdown(); d > s.WorstSlowdown {
			s.Worst, s.WorstSlowdown = r.Program, d
		}
	}
	for _, sum := range []*float64{&s.Optimistic, &s.Ratio, &s.Overflow, &s.Remote, &s.Local, &s.GPU, &s.Metadata, &s.Link} {
		*sum /= n
	}
	s.Optimistic, s.Ratio = math.Exp(s.Optimistic), math.Exp(s.Ratio)
	s.Slowdown = s.GPU + s.Metadata + s.Link - 1
	return s
}
