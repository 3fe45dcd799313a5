package compress

import "spillway/sim/policy"

// The features of the place of compression, in its order.
const (
	featOverflow = iota
	featMean
	featStart
	featLocal
	featRemote
	featTiny
	featSize
	featIdle
	featRatio
	featFootprint
	featAllocations
	featThreshold
	featMostlyZero
	featMaxRatio
	featMemory
	featLink
	featBound
	featDials // p1 to p4
)

// thing is what policies here are about.
const thing = "allocation"

// Asks is what the choice of targets asks a policy of somebody's own, and what it lets it know. Names and
// meanings stay for ever: links have them.
func Asks() *policy.Place {
	p := &policy.Place{
		Lab: "compress", Title: "Compression",
		Rules: []policy.Rule{
			{Name: "allow", Thing: thing, Condition: true, Default: "overflow <= threshold", Help: "Whether an allocation may have a target: asked of 4x, then 2x, then 1.33x, until it says yes; if it never does, the target is 1x."},
			{Name: "big", Thing: thing, Condition: true, Default: "tiny >= mostly_zero", Help: "Whether it may have 16x instead: asked of all once the others are chosen. The largest of those that may come first, as long as the whole program stays within Largest ratio."},
		},
		Events: []policy.Event{
			{Name: "given", Thing: thing, Help: "allow has decided about the allocation: ratio is that of its target, and what hangs on a target is of that. Allocations come in the program's order."},
		},
		Features: append([]policy.Feature{
			featOverflow:    {Name: "overflow", Help: "Share of its entries that do not fit into the target's slot, 0 to 1, in the snapshot with most of them."},
			featMean:        {Name: "mean", Help: "The same in the mean over its snapshots."},
			featStart:       {Name: "start", Help: "The same in its first snapshot."},
			featLocal:       {Name: "local", Help: "Share of an entry that an access moves to or from GPU memory at the target, in the mean, 0 to 1."},
			featRemote:      {Name: "remote", Help: "Share of an entry that an access moves over the link at the target, in the mean, 0 to 1: what overflows by one sector of four moves a quarter."},
			featTiny:        {Name: "tiny", Help: "Share of its entries that take at most 8 bytes, 0 to 1, in the snapshot with fewest of them."},
			featSize:        {Name: "size", Unit: "bytes", Help: "Bytes of the allocation, uncompressed."},
			featIdle:        {Name: "idle", Condition: true, Help: "Nobody accesses it: it takes memory and moves nothing."},
			featRatio:       {Name: "ratio", Help: "Of the target that is asked about: 4, 2, 4/3 or 16."},
			featFootprint:   {Name: "footprint", Unit: "bytes", Help: "Bytes of all allocations of the program."},
			featAllocations: {Name: "allocations", Help: "How many it has."},
			featThreshold:   {Name: "threshold", Help: "The setting Buddy Threshold, 0 to 1."},
			featMostlyZero:  {Name: "mostly_zero", Help: "The setting Mostly zero, 0 to 1."},
			featMaxRatio:    {Name: "max_ratio", Help: "The setting Largest ratio."},
			featMemory:      {Name: "memory", Unit: "bytes/s", Help: "Rate of GPU memory."},
			featLink:        {Name: "link", Unit: "bytes/s", Help: "Rate of the link to the buddy memory."},
			featBound:       {Name: "bound", Help: "Share of its time that a program waits for GPU memory, 0 to 1."},
		}, policy.DialFeatures()...),
		Examples: []policy.Example{
			{Title: "Buddy", About: "Buddy Compression's own: as small a target as leaves no more entries overflowing than Buddy Threshold, and 16x where nearly all is zero.", Text: "allow = overflow <= threshold\nbig = tiny >= mostly_zero"},
			{Title: "Three targets", About: "Buddy with the three targets that need no second pass.", Text: "# Three targets\nallow = overflow <= threshold\nbig = 1 < 0"},
			{Title: "By the mean", About: "What overflows in the mean over the run counts, not in the worst snapshot.", Text: "# By the mean\nallow = mean <= threshold"},
			{Title: "By the first snapshot", About: "Profiling once, at the beginning: what a program becomes later is not looked at.", Text: "# By the first snapshot\nallow = start <= threshold"},
			{Title: "By what it costs", About: "The time that overflowing takes over the link, against what an access takes in GPU memory, must be at most p1. Set Dial 1 to 0.4 for a start.", Text: "# By what it costs\nallow = remote * memory / link <= p1"},
			{Title: "Idle first", About: "What nobody accesses is compressed as far as possible; all else as Buddy does.", Text: "# Idle first\nallow = idle or overflow <= threshold"},
		},
	}
	for i := featFootprint; i < len(p.Features); i++ {
		p.Features[i].Constant = true
	}
	for _, v := range Variants() {
		p.Taken = append(p.Taken, v.Title)
	}
	return p
}
