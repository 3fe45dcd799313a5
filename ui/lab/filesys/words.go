package filesys

import (
	"fmt"
	"strconv"
	"strings"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/plan"
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

// fixed writes a number with so many decimals.
func fixed(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }

// part is a share, 0 of nothing.
func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// percent is a share as text.
func percent(x float64) string { return fixed(100*x, 1) + " %" }

// signed is a change as text.
func signed(x float64) string {
	switch {
	case x >= 0.0005:
		return "+" + percent(x)
	case x <= -0.0005:
		return "−" + percent(-x)
	}
	return "none"
}

// grouped writes a count with spaces between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}

// few writes a number of which three digits matter.
func few(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 0.0005:
		return "under 0.001"
	case x < 1:
		return fixed(x, 3)
	case x < 10:
		return fixed(x, 2)
	case x < 100:
		return fixed(x, 1)
	}
	return grouped(int64(x + 0.5))
}

// times writes a ratio.
func times(x float64) string { return few(x) + "×" }

// text is a cell.
func text(format string, a ...any) report.Cell { return report.Cell{Text: fmt.Sprintf(format, a...)} }

// dash is the cell of what is not there.
var dash = report.Cell{Text: "–"}

// shareCell is a share with its bar.
func shareCell(n, of int64) report.Cell {
	x := part(n, of)
	return report.Cell{Text: percent(x), Share: min(max(x, 0), 1)}
}

// bytesCell is an amount, of which nothing is a dash.
func bytesCell(n float64) report.Cell {
	if n == 0 {
		return dash
	}
	return report.Cell{Text: amount(n)}
}

// amount writes bytes, which may be a mean.
func amount(n float64) string {
	switch {
	case n == 0:
		return "nothing"
	case n < 1000:
		return fixed(n, 0) + " B"
	case n < 1e6:
		return few(n/1e3) + " kB"
	case n < 1e9:
		return few(n/1e6) + " MB"
	}
	return few(n/1e9) + " GB"
}

// long is a time.
func long(t unit.Time) report.Cell {
	if t == 0 {
		return dash
	}
	return report.Cell{Text: t.String()}
}

// listed joins words: "a", "a and b", "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// capital begins a text with a capital letter.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// many is a count with its word: "1 line", "2 lines".
func many(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(n) + " " + word + "s"
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
	return nil
}

// lowered is a sentence as the rest of one.
func lowered(s string) string { return strings.ToLower(s[:1]) + s[1:] }
