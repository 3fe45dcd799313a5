package machine

import (
	"slices"
	"strings"

	"spillway/sim/knob"
)

// A Cell is a place of the table by which the system Yours moves things: what of a structure
// calls of a kind move. It goes by bytes, or the whole block does.
type Cell struct{ Structure, Call string }

// Key is the cell's in a setting: "dentry.rename".
func (c Cell) Key() string { return c.Structure + "." + c.Call }

// A heading is that of a row or of a column of the table.
type heading struct{ key, label, help string }

// Columns and rows of the table, in the order in which they are shown.
var (
	cellStructures = []heading{
		{"data", "Data", "what of a page of a file has changed, if fewer lines than “By bytes below” did"},
		{"inode", "Inodes", "one or two lines of 64 bytes"},
		{"dentry", "Names", "a line for each entry of a directory"},
		{"inodes", "Inode bitmap", "a line for each inode"},
		{"blocks", "Block bitmap", "a line for each 512 blocks"},
	}
	cellCalls = []heading{
		{"lookup", "look-ups", "open, stat, and what other calls look up"},
		{"create", "create", "create and mkdir"},
		{"delete", "delete", "unlink and rmdir"},
		{"rename", "rename", "rename"},
		{"truncate", "truncate", "truncate"},
		{"sync", "fsync", "fsync, fdatasync and synchronous writes"},
		{"back", "write-back", "write-back in the background"},
	}
)

// cells by structure, by the kinds of calls that touch it.
var cells = map[string]string{
	"data":   "sync back",
	"inode":  "lookup create delete rename truncate sync back",
	"dentry": "lookup create delete rename",
	"inodes": "create delete rename",
	"blocks": "create delete rename truncate sync back",
}

// Cells are those of the table that anything moves, structure by structure.
func Cells() (list []Cell) {
	for _, s := range cellStructures {
		for c := range strings.FieldsSeq(cells[s.key]) {
			list = append(list, Cell{s.key, c})
		}
	}
	return list
}

// TableOf is the table with those cells by blocks that are chosen.
func TableOf(chosen func(Cell) bool) Table {
	var list []string
	for _, c := range Cells() {
		if chosen(c) {
			list = append(list, c.Key())
		}
	}
	return Table(strings.Join(list, ","))
}

// asByteFS is where ByteFS uses blocks: to look things up.
const asByteFS = "inode.lookup,dentry.lookup"

// Names of tables to start from.
const (
	TableByteFS = "as-bytefs"
	TableBlocks = "blocks"
	TableBytes  = "bytes"
)

// In reports whether a cell, by its key, is among those of a setting.
func (t Table) In(key string) bool {
	text := string(t)
	switch text {
	case TableByteFS:
		text = asByteFS
	case TableBytes:
		return false
	case TableBlocks:
		return true
	}
	return slices.Contains(strings.Split(text, ","), key)
}

// A Table is where the system Yours moves whole blocks: keys of cells with commas between, or the
// name of a table. All else goes by bytes.
type Table string

// tableKnob is the setting of the table.
func tableKnob() knob.Info {
	k := knob.Info{
		Key: "by_block", Label: "By block", Kind: knob.Many,
		Help:   "Where the system Yours moves whole blocks, for each structure and kind of call; it moves bytes elsewhere, as ByteFS does but for look-ups. What goes by bytes is a transaction, which COMMIT ends; what of names and inodes goes by blocks is not in it, and comes before.",
		Source: "ours; as ByteFS: " + paper,
	}
	k.Grid = &knob.Grid{Off: "byte", On: "block"}
	structures, calls := map[string]string{}, map[string]string{}
	for _, h := range cellStructures {
		k.Grid.Columns = append(k.Grid.Columns, knob.Line{Key: h.key, Label: h.label})
		structures[h.key] = h.help
	}
	for _, h := range cellCalls {
		k.Grid.Rows = append(k.Grid.Rows, knob.Line{Key: h.key, Label: h.label})
		calls[h.key] = h.help
	}
	var all []string
	for _, c := range Cells() {
		all = append(all, c.Key())
		k.Choices = append(k.Choices, knob.Choice{Key: c.Key(), Label: k.Grid.Name(c.Key()), Help: "By bytes: " + structures[c.Structure] + ". In " + calls[c.Call] + "."})
	}
	k.Sets = []knob.Choice{
		{Key: TableByteFS, Label: "As ByteFS", Word: "-", Set: asByteFS, Help: "All changes by bytes, in transactions; look-ups read blocks into the page cache."},
		{Key: TableBlocks, Label: "Blocks everywhere", Set: strings.Join(all, ","), Help: "As Ext4 and F2FS move things, without a journal or checkpoints: nothing makes a call whole."},
		{Key: TableBytes, Label: "Bytes everywhere", Set: "", Help: "As NOVA and PMFS look things up, but with ByteFS' transactions; data by bytes as far as “By bytes below” says: with 65 always."},
	}
	return k
}
