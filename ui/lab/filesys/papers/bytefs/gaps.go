package bytefs

import (
	"strings"

	"spillway/sim/study"
)

// why explains a gap by its reason, if it is recorded with the value that it has.
func why(known study.Gaps) func(r *study.Row) string {
	return func(r *study.Row) string {
		if r.Status == study.Gap && known.Known(r) {
			return reason(r)
		}
		return ""
	}
}

// Why published numbers are doubted.
const (
	doubtful   = study.Doubtful
	secondHand = "the number is from a third party's notes, which nobody here has checked against the paper"
	early      = "an early development version on other rules, and no result of the paper"
)

// A cause is why numbers are not reached: those of the figures, quantity and system that
// it names, in whose cell its words stand; what is empty is any, but a figure.
type cause struct {
	figures, cell, quantity, system string // figures: separated by spaces
	why                             string
}

func (c *cause) match(p *study.Point) bool {
	figure, _, _ := strings.Cut(p.Figure, "-") // of what is drawn in several charts
	return strings.Contains(" "+c.figures+" ", " "+figure+" ") && strings.Contains(p.Of+", "+p.At, c.cell) &&
		(c.quantity == "" || c.quantity == p.Quantity) && (c.system == "" || c.system == p.System)
}

// reason is why a number is not reached, "" if nobody knows.
func reason(r *study.Row) string {
	for i := range causes {
		if c := &causes[i]; c.match(r.Point) {
			return c.why
		}
	}
	return ""
}

// What several numbers are not reached for. A cause is named only where it was switched off and
// on, with the run that shows it; what that left open is not explained.
const (
	unexplained = "not explained: none of the facts that are switched brings it within the limit"
	alone       = "one fact turned over, to see what it does: what is known is said where the number is compared"
	pointer     = "one write pointer takes more from F2FS than from ByteFS: with all channels (frontier=striped) it is within the limit. Where Ext4 and F2FS wait for programs as well (frontier=striped ack=artifact) 11 of the text's 23 numbers are, create's over both among them, but oltp's over Ext4 is 2.0. Why the paper's F2FS lost less is not explained"
	another     = "a version under development, whose counters say what it did: it appends an entry to a log where the paper's ByteFS changes lines in place, loads what that reads in blocks, and sends no data of files. It cannot be switched on here"
	halfPages   = "oltp's, which reads and writes half pages: with accesses of whole ones (io=4) it is 1. What the paper counts is not explained"
)

// causes are why numbers are not reached, the first that is about one.
var causes = []cause{
	{"switches", "", "", "", alone},
	{"abstract", "", speed, "", "oltp's over F2FS. It is what the text says of oltp over Ext4, so that the paper's F2FS is faster in oltp than here; with all channels (frontier=striped) it is within the limit, with answers as in the branches (ack=artifact) farther off"},
	{"abstract", "", written, "", "create's, over Ext4: with runs as long as reads and writes say (flowops=0) or 1 GiB of page cache (page_cache=1024) it is within the limit, with nothing fitted (fresh=0) it is 3.4"},
	{"6", "F2FS", "", "", pointer},
	{"7", "", readTail, "", "F2FS' reads wait behind its programs, which one write pointer puts on one channel. Nothing was switched for it: not explained"},
	{"7", "", "", "", "not explained: a page cache of ByteFS' own (own_cache=16384) changes one of the six workloads, E from 1.1 to 1.5, and all channels (frontier=striped) another"},
	{"8", "F2FS", metaBytes, "", "cold (warm=0 f2fs_keeps=0) it is less, and the largest is within the limit: what the cache holds at the end of the warm-up is read and written again here. The mean is not explained by that. Without a quota for metadata (meta_share=99) it is 7.6: F2FS' nodes then fill the cache, more of them than fit beside what was written into the same files; with no more than that it was 11.6"},
	{"8", "NOVA", metaReads, "", unexplained},
	{"11", "F2FS", pages, "", "not explained: of what is switched, metadata without a quota (meta_share=99) brings it nearest, 2.8, as they do its metadata"},
	{"11", "PMFS", pages, "", "with what ByteFS' branch alone does it is within the limit: a cache of its own (own_cache=16384) or no read before a write (blind_writes=1). Whether the measured ByteFS did so is not known"},
	{"T2", "most", writeAmp, ext4, "webproxy's: a run is so short that most of what it writes is still in the cache at its end, but not its metadata; as long as reads and writes say (flowops=0) it is 2.7"},
	{"T2", "most", writeAll, ext4, "webproxy's, as above"},
	{"T2", "most", writeAmp, f2fs, "oltp's: O_SYNC writes a node for every write; with O_DSYNC (full_sync=0) it is 2.0"},
	{"T2", "", readAmp, "", halfPages},
	{"T2", "", "", "", "not explained"},
	{"mix", "", "", "", "not explained"},
	{"costs", "", duplicates, "", unexplained},
	{"runs", "", "", "", another},
}
