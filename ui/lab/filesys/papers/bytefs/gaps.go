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

// What several numbers are not reached for.
const (
	rotation = "Filebench takes files in rotation, so that Ext4 writes a block once for many deletes; where fresh pages are compared it is more than published"
	nodes    = "a node of F2FS is a block for every file, which is read before the file is removed or opened; what its cache held in the paper is not known"
	profile  = "the paper's profile is not known; here most of what is written in the macro workloads are data"
	another  = "a version under development: it appends an entry to a log where the paper's ByteFS changes lines in place, and loads what that reads in blocks and keeps"
	noData   = "the artifact's branch sends no data of files to the device, and reads no metadata in blocks"
	tree     = "reads of a store of sorted runs are the same on all block file systems, and its writes are large and sequential: nothing in the model makes a difference"
	freshly  = "with fresh pages compared with zeros ByteFS sends none of Filebench's pages: it gains more than published"
	filled   = "with random payload every page that is written changes, and ByteFS sends it: what it gains with zeros is gone"
	fastest  = "create's: what a create costs is CPU time, which nobody published; with fresh pages compared it is varmail's, and reached"
	buffered = "like for like a block write is answered by the buffer, and an fsync costs Ext4 two of them; where its writes wait for programs, as in the artifact, it is within the limit"
)

// causes are why numbers are not reached, the first that is about one.
var causes = []cause{
	{"switches", "random", pages, "", filled},
	{"switches", "fileserver / Ext4, random", speed, "", filled},
	{"switches", "varmail / F2FS, random", speed, "", filled},
	{"switches", "oltp / Ext4, random", speed, "", filled},
	{"switches", ", fresh", pages, "", freshly},
	{"switches", "both", pages, "", freshly},
	{"switches", "written / others, fresh", "", "", freshly},
	{"switches", "written / others, both", "", "", freshly},
	{"switches", "fileserver / Ext4, fresh", speed, "", freshly},
	{"switches", "fileserver / Ext4, both", speed, "", freshly},
	{"switches", "varmail / F2FS, fresh", speed, "", freshly},
	{"switches", "varmail / F2FS, both", speed, "", freshly},
	{"abstract", "", speed, "", fastest},
	{"switches", "best / others", "", "", fastest},
	{"abstract switches", "", written, "", "create's, over Ext4: which file system and which workload the paper means is not known; where only names change, and in oltp, another writes far more than ByteFS"},
	{"6 switches", "micro", "", "", "ratios of delete, rmdir and stat are 1 or less: Ext4 changes blocks in memory and writes them together, ByteFS stores lines for each. CPU costs of calls decide, which nobody published"},
	{"6 switches", "create", "", "", buffered},
	{"6 switches", "fileserver", "", "", "fresh pages are most of what is written, and count as changed: ByteFS writes them as Ext4 does. With fresh pages compared it is more than published"},
	{"6 switches", "oltp", "", "", "a page is read before half of it is written, on every file system, and the cache holds an eighth of the data: for each program of 60 µs that ByteFS is spared channels read twice for 40 µs, so that it gains about 1.9 at most (that at full length, calls=16000000). With more of the data in the cache cores bound both, and it gains less. An earlier model of the same workload had 3.55, and what it does otherwise is not known: if ByteFS did not read before it wrote, and Ext4 did, it would be 2.2 here. What else made the paper's Ext4 slow is not known"},
	{"7", "", "", "", tree},
	{"8 switches", "F2FS", metaBytes, "", nodes},
	{"8", "less than NOVA", "", "", "the mean of the seven workloads: of delete it is less, of mkdir nearly all. What each reads again is not known"},
	{"11 switches", "Ext4", pages, "", rotation},
	{"11 switches", "F2FS", pages, "", nodes},
	{"11 switches", "PMFS", pages, "", "PMFS changes few lines of few pages, and a page buffer of 256 MB holds them: it programs as little as ByteFS"},
	{"T2", "fileserver", "", "", "a loop writes 144 KB, which a few blocks of metadata cannot make six times as many"},
	{"T2", "varmail", writeAll, "", "within the limit over what programs wrote, which is less than the pages of data that it changes"},
	{"T2", "least", writeAmp, "", "webserver's: what it appended last is still in the cache at the end of so short a run"},
	{"T2", "", readAmp, "", "oltp's, which reads half a page, and reads pages that it writes half of"},
	{"T2", "", "", "", "oltp's and webserver's traffic has next to no metadata here; the paper does not say what it divides by"},
	{"mix", "", readShare + "pointer", "", "the table of node addresses is in memory here but for checkpoints, of which so short a run has at most one"},
	{"mix", "", writeShare + "pointer", "", "the table of node addresses is written at checkpoints, of which so short a run has at most one"},
	{"mix", "", totalShare + "journal", "", "in varmail it is near that, in the others little: they do not wait for the journal"},
	{"mix", "", writeShare + "inode", ext4, "blocks in the journal count as journal here; the paper may count them as what they hold"},
	{"mix", "micro", "", "", "which micro benchmarks the paper counts is not known"},
	{"mix", "", "", "", profile},
	{"costs switches", "", duplicates, "", "most dirty pages are new to their file and need no duplicate, and what fsync writes loses it at once"},
	{"runs", "", speed, "", another},
	{"runs", "", callTime, "", another},
	{"runs", "", blockReads, "", noData},
	{"runs", "", blockWrites, "", noData},
	{"runs", "", blockReadKB, "", noData},
	{"runs", "", blockWriteKB, "", noData},
	{"runs", "", namePrograms, "", "data of files are programmed here, and halves of the log are cleaned"},
	{"runs", "", cleanReads, "", "halves of the log are cleaned here, and a page of inodes or entries has many lines in them"},
	{"runs", "", "", "", another},
}
