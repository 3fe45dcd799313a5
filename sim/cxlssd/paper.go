package cxlssd

import "spillway/sim/unit"

// Paper returns the configuration of the paper's Table II and text, where the artifact
// has another: no switch is on. QUIRKS.md has every difference to [Default].
//
// It has 64 dies a channel, of which the artifact lets one work at a time, and says nothing of the
// bus that they share. Without one Base-CSSD would be 3 to 8 times as near to DRAM-only as
// published; 0.8 GB/s, 800 million transfers a second of a byte, is what channels of such flash
// have (general knowledge).
//
// What the paper leaves open is as in [Default]: what a promotion costs (it names the
// copy, the interrupt and the shoot-down without a number), the associativity of the
// cache, how often counters of promotion begin anew. It says that garbage is collected
// from 80 % used on and that 19,660 blocks are erased, which is from 20 to 35 % of the
// blocks free; how full of valid pages the device is it does not say, and so it is fresh
// here too (see Preconditioned). It measured a look-up of 49 ns for a cache without a
// log; Index is that with a log, 72 ns, in every design.
func Paper() Setup {
	s := Default()
	s.Scheduler = CFS
	s.LinkRate = 16 * unit.GBps
	s.Log = 64 * unit.MiB
	s.ChannelRate = 800 * unit.MBps
	s.Program = 100 * unit.Microsecond
	s.Quirks = 0
	return s
}
