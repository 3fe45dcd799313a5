package pmfs

import (
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
)

// A looked is where entries would lie if each were in the first page of its directory that has
// room, as in the artifact: how many pages a call looks through.
type looked struct {
	pages [][]uint8 // by directory: entries of each page
	low   []int32   // by directory: no page before it has room
	at    []int32   // by node: the page of its entry
	known []bool    // by node: the kernel has its name, if only as one that is not there
}

// newLooked puts the entries of all nodes that exist where they would be.
func newLooked(h *host.Host) *looked {
	n := len(h.Files)
	l := &looked{pages: make([][]uint8, n), low: make([]int32, n), at: make([]int32, n), known: make([]bool, n)}
	for i := 1; i < n; i++ {
		if h.Files[i].Exists {
			l.known[i] = true
			l.add(int32(i), h.Files[i].Parent)
		}
	}
	return l
}

// lookup is how many pages the kernel looks through for a name that is not there: all, once.
func (l *looked) lookup(node, dir int32) int {
	if l.known[node] {
		return 0
	}
	l.known[node] = true
	return max(1, len(l.pages[dir]))
}

// add puts an entry into the first page that has room, and is how many pages were looked through.
func (l *looked) add(node, dir int32) int {
	pages, i := l.pages[dir], l.low[dir]
	for int(i) < len(pages) && pages[i] == perPage {
		i++
	}
	if int(i) == len(pages) {
		l.pages[dir] = append(pages, 0)
	}
	l.pages[dir][i]++
	l.low[dir], l.at[node] = i, i
	return int(i) + 1
}

// remove takes an entry out, and is how many pages were looked through until it was found.
func (l *looked) remove(node, dir int32) int {
	i := l.at[node]
	l.pages[dir][i]--
	l.low[dir] = min(l.low[dir], i)
	return int(i) + 1
}

// look loads the inode of a directory for each page that is looked through.
func (f *fs) look(t *plan.Thread, dir int32, pages int) {
	for range pages {
		f.LoadInode(t, dir)
	}
}
