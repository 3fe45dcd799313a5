package promise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
)

// words are the calls that Text writes; others promise nothing.
var words = [call.Codes]string{
	call.Create: "create", call.Mkdir: "mkdir", call.Write: "write", call.Fsync: "fsync", call.Fdatasync: "fdatasync",
	call.Unlink: "unlink", call.Rmdir: "rmdir", call.Rename: "rename", call.Truncate: "truncate",
}

// Text writes what of a recording promises rest on, a line a file or directory that is there
// before, and a line a call, in the order in which they took effect, as if one thread made them:
//
//	dir PARENT
//	file PARENT SIZE
//	create NODE DIRECTORY OVER; without OVER nothing had the name
//	mkdir|unlink|rmdir NODE DIRECTORY
//	write NODE OFFSET LENGTH; -1 is the end of the file
//	fsync|fdatasync NODE
//	rename NODE DIRECTORY OVER
//	truncate NODE SIZE
func Text(r *load.Recording) string {
	var b strings.Builder
	for _, n := range r.Nodes[1:] {
		if n.Dir {
			fmt.Fprintf(&b, "dir %d\n", n.Parent)
		} else {
			fmt.Fprintf(&b, "file %d %d\n", n.Parent, n.Size)
		}
	}
	next := make([]int, len(r.Threads))
	for _, t := range r.Order {
		c := &r.Threads[t][next[t]]
		next[t]++
		name := words[c.Code]
		switch c.Code {
		case call.Create, call.Mkdir, call.Unlink, call.Rmdir:
			fmt.Fprintf(&b, "%s %d %d", name, c.Node, c.Dir)
			if c.Code == call.Create && c.Over != 0 {
				fmt.Fprintf(&b, " %d", c.Over)
			}
			b.WriteByte('\n')
		case call.Write:
			offset := c.Offset
			if c.Flags&call.Append != 0 {
				offset = -1
			}
			fmt.Fprintf(&b, "%s %d %d %d\n", name, c.Node, offset, c.Length)
		case call.Fsync, call.Fdatasync:
			fmt.Fprintf(&b, "%s %d\n", name, c.Node)
		case call.Rename:
			fmt.Fprintf(&b, "%s %d %d %d\n", name, c.Node, c.Dir, c.Over)
		case call.Truncate:
			fmt.Fprintf(&b, "%s %d %d\n", name, c.Node, c.Length)
		}
	}
	return b.String()
}

// read reads what Text wrote. It is only given texts of this package.
func read(name, text string) *load.Recording {
	s := &script{load.Recording{Name: name, Format: "recorded", Nodes: []call.Node{{Parent: -1, Dir: true}}, Threads: [][]call.Call{nil}}}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		var n [3]int64
		for i, word := range f[1:] {
			n[i], _ = strconv.ParseInt(word, 10, 64)
		}
		node := int32(n[0])
		switch f[0] {
		case "dir":
			s.r.Nodes = append(s.r.Nodes, call.Node{Parent: node, Dir: true})
			continue
		case "file":
			s.r.Nodes = append(s.r.Nodes, call.Node{Parent: node, Size: n[1]})
			continue
		}
		c := call.Call{Code: call.Code(slices.Index(words[:], f[0])), Node: node}
		switch c.Code {
		case call.Write:
			if c.Offset, c.Length = n[1], n[2]; c.Offset < 0 {
				c.Offset, c.Flags = 0, call.Append
			}
		case call.Truncate:
			c.Length = n[1]
		case call.Create, call.Mkdir, call.Unlink, call.Rmdir, call.Rename:
			c.Dir, c.Over = int32(n[1]), int32(n[2])
		}
		s.add(c)
		s.r.Most = max(s.r.Most, node+1)
	}
	s.r.Most = max(s.r.Most, int32(len(s.r.Nodes)))
	return &s.r
}
