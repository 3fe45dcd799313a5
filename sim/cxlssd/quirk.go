package cxlssd

import "spillway/sim/quirk"

// The differences between the artifact and the paper, as switches. On is what the
// artifact does. The order is that of their numbers in documents.
const (
	EvictClean      quirk.Set = 1 << iota // without a log every victim of the cache is programmed, clean or dirty
	IntegerRatio                          // the promotion threshold adapts by an integer division
	OneLog                                // one circular log, compacted from half full, not two that take turns
	TrueLatency                           // the switch is triggered by the true latency, not by the estimate of the queue
	FreeIndex                             // a log write looks nothing up
	OneLUN                                // a channel works on one page at a time
	RunAhead                              // compaction is booked at once, and reads queue behind what begins later
	WarmCharged                           // what the log held after warming is compacted when the timed run begins
	DemotionLost                          // a dirty page that is demoted in a design with a log is not written
	StayArmed                             // TPP's sampled pages are never disarmed
	LostEighth                            // designs with a log have 7/8 of the device's DRAM
	UnlimitedMisses                       // any number of misses may be under way
	FixedHost                             // promoted pages cost Access, whatever DRAM costs the workload
)

// Quirks documents every switch.
var Quirks = quirk.List{
	{Key: "evict-clean", Source: "SkyByte artifact, SSD cache", Text: "Without a write log every victim of the cache is programmed, clean or dirty.", Paper: "Only dirty victims are programmed."},
	{Key: "integer-ratio", Source: "SkyByte artifact, promotion", Text: "The share of accesses to promoted pages is an integer division, 0 or at least 1, so the threshold hardly moves.", Paper: "It is a share."},
	{Key: "one-log", Source: "SkyByte artifact, write log", Text: "One circular log: compaction begins when half of it is full and ends when hardly a slot is taken, lines that come meanwhile included. Writers wait when all of it is full.", Paper: "Two logs of half the size take turns: the full one is compacted while the other takes lines. Writers wait when both are full."},
	{Key: "true-latency", Source: "SkyByte artifact, switch trigger", Text: "A read switches if its latency is at least the threshold.", Paper: "It switches if what is queued at its channel is estimated above the threshold."},
	{Key: "free-index", Source: "SkyByte artifact, latencies", Text: "A write into the log costs no look-up in the index.", Paper: "It costs one."},
	{Key: "one-lun", Source: "SkyByte artifact, flash configuration", Text: "A channel works on one page at a time.", Paper: "A channel has 8 chips of 8 dies, each of which works on its own page."},
	{Key: "run-ahead", Source: "SkyByte artifact, compaction", Text: "A compaction is booked on the channels at once: later reads queue behind work that has not begun.", Paper: "It is booked page after page as time passes."},
	{Key: "warm-charged", Source: "SkyByte artifact, warm-up", Text: "What the log holds after warming is compacted when the measured run begins, which starts with an empty log.", Paper: "The run starts with the log as warming left it."},
	{Key: "demotion-lost", Source: "SkyByte artifact, demotion", Text: "A dirty page that leaves host DRAM is not written in designs with a log.", Paper: "Its dirty lines go to the log."},
	{Key: "stay-armed", Source: "SkyByte artifact, TPP", Text: "A sampled page stays armed for good, so that nearly every page is promoted at its first ready hit.", Paper: "A scan arms a sample, and an armed page is disarmed by its access."},
	{Key: "lost-eighth", Source: "SkyByte artifact, configurations", Text: "Designs with a write log have 448 of the device's 512 MiB of DRAM.", Paper: "They have all of it."},
	{Key: "unlimited-misses", Source: "SkyByte artifact, miss handling", Text: "Any number of flash reads may be under way.", Paper: "The device tracks 2048."},
	{Key: "fixed-host", Source: "SkyByte artifact, latencies", Text: "A promoted page costs 46 ns (DRAM access), whatever the workload. In DRAM-only memory costs what the workload's DRAM latency says, 50 to 80 ns, so that designs that promote can pass it.", Paper: "Host DRAM costs the same in every design: the workload's DRAM latency."},
}

// concerns returns the switches that a run of a design can depend on.
func (s *Setup) concerns(d Design) quirk.Set {
	if d.Own {
		d = s.Own
	}
	if d.DRAM {
		return 0
	}
	q := OneLUN | UnlimitedMisses
	if !d.Log {
		q |= EvictClean
	}
	if d.Log {
		q |= OneLog | FreeIndex | RunAhead | WarmCharged | LostEighth
	}
	if d.Switch {
		q |= TrueLatency
	}
	if d.Log && d.Promote != NoPromotion {
		q |= DemotionLost
	}
	if d.Promote != NoPromotion {
		q |= FixedHost
	}
	switch d.Promote {
	case Adaptive, AstriFlash:
		q |= IntegerRatio
	case TPP:
		q |= StayArmed
	}
	return q
}
