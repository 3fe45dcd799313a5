package filesys

import (
	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// structureNames, codeNames and whyNames are the words for what belongs to a page, what
// is called, and why flash is used, in the order of their numbers.
var (
	structures = [plan.Structures]struct{ key, label string }{
		{"data", "data"},
		{"super", "superblock"},
		{"bitmap", "block bitmaps"},
		{"ibitmap", "inode bitmaps"},
		{"inode", "inodes"},
		{"dentry", "directory entries"},
		{"pointer", "pointers"},
		{"journal", "journal"},
	}
	codeNames = [call.Codes]string{"open", "create", "read", "write", "fsync", "fdatasync", "close", "unlink", "mkdir", "rmdir", "rename", "stat", "truncate"}
	whys      = [device.Whys]struct{ key, label string }{{"host", "the host"}, {"buffer", "the page buffer"}, {"cleaning", "cleaning of the log"}, {"collection", "garbage collection"}}
)

// part is a share, 0 of nothing.
func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// times writes a ratio.
func times(x float64) string { return prose.ThreeDigits(x) + "×" }

// shareCell is a share with its bar.
func shareCell(n, of int64) report.Cell {
	x := part(n, of)
	return report.Cell{Text: prose.Percent(x), Share: min(max(x, 0), 1)}.WithShare(x)
}

// rate is thousand calls answered a second.
func rate(r *core.Result) float64 {
	if r.Time == 0 {
		return 0
	}
	return float64(r.Calls) / float64(r.Time) * float64(unit.Second) / 1000
}

// moved sums bytes between host and device of structures from first, by direction;
// byInterface sums those of one interface.
func moved(c *device.Counts, first plan.Structure, d device.Direction) (n int64) {
	for s := first; s < plan.Structures; s++ {
		n += c.Bytes[s][device.Block][d] + c.Bytes[s][device.Byte][d]
	}
	return n
}

func byInterface(c *device.Counts, i device.Interface, d device.Direction) (n int64) {
	for s := range c.Bytes {
		n += c.Bytes[s][i][d]
	}
	return n
}

// meta is all that is no data, in both directions.
func meta(c *device.Counts) int64 {
	return moved(c, plan.Data+1, device.Reads) + moved(c, plan.Data+1, device.Writes)
}

// sum adds counts.
func sum(list [device.Whys]int64) (n int64) {
	for _, x := range list {
		n += x
	}
	return n
}

// flashPages is how many pages of flash were read and programmed.
func flashPages(c *device.Counts) int64 { return sum(c.FlashReads) + sum(c.FlashPrograms) }

// find returns a system of the core.
func find(name string) *core.System {
	for i := range core.Systems {
		if core.Systems[i].Name == name {
			return &core.Systems[i]
		}
	}
	if name == core.Alone.Name {
		return &core.Alone
	}
	return nil
}
