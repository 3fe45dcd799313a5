package promise

import (
	"slices"

	"spillway/sim/filesys/plan"
)

// Versions of a page that are none.
const (
	foreign = -1 // it is another's, or nobody's
	ragged  = -2 // it is there in part
)

// image looks at the image that is chosen and reports whether it breaks a promise. Of changes
// that nothing makes whole those are there whose bit is set.
func (x *searcher) image(changes []join, halves int) bool {
	h := x.h
	for _, n := range x.active {
		x.reached[n], x.ruined[n] = x.reach[n], false
	}
	bad := false
	x.transactions()
	for i, j := range changes {
		if halves>>i&1 == 1 && x.is[j.tx] {
			x.reached[j.tx] = max(x.reached[j.tx], j.changes)
		}
	}
	for _, n := range x.active {
		bad = x.node(n) || bad
	}
	for _, n := range x.renames {
		bad = x.renamed(&h.renames[n]) || bad
	}
	return bad
}

// is there reports whether a write is, in the image.
func (x *searcher) there(n int32) bool {
	w := &x.h.writes[n]
	if w.event >= x.now {
		return false
	}
	i := x.index[n]
	return i == 0 || x.state[i-1] == kept
}

// transactions finds which transactions are there, and what of a commit whose blocks are not
// all there the replay ruins.
func (x *searcher) transactions() {
	h := x.h
	for _, n := range x.flying {
		t := &h.txs[n]
		if len(t.writes) == 0 || h.recovery.By == plan.ByLines && t.event > x.now {
			continue // by lines: not yet
		}
		record := x.record(t)
		commits, whole := true, true
		for i, w := range t.writes {
			if !x.there(w) {
				whole = false
				commits = commits && i < record
			}
		}
		switch {
		case whole:
			for _, j := range t.nodes {
				if x.is[j.tx] {
					x.reached[j.tx] = max(x.reached[j.tx], j.changes)
				}
			}
			continue
		case h.recovery.By == plan.ByLines:
			continue // what of it is lost is old
		case commits:
			for _, j := range t.nodes {
				x.ruined[j.tx] = x.is[j.tx]
			}
		}
		if h.recovery.By == plan.ByJournal {
			return // the replay ends here
		}
	}
}

// record is the first of the last writes of a transaction that say that it is whole: the commit
// block of a journal, the pack of a checkpoint, and of an fsync's nodes all of them.
func (x *searcher) record(t *tx) int {
	last := len(t.writes) - 1
	if x.h.recovery.By == plan.ByJournal {
		return last
	}
	if x.h.writes[t.writes[last]].structure != plan.Superblock {
		return 0
	}
	for last > 0 && x.h.writes[t.writes[last-1]].structure == plan.Superblock {
		last--
	}
	return last
}

// has returns the version that a page of a node has in the image; 0 is that of before the run,
// or zeros.
func (x *searcher) has(n, page, reached int32) int32 {
	f := &x.h.files[n]
	home := f.home(page, reached)
	if home == 0 {
		return 0
	}
	c := &x.base[home-1]
	for i := x.last[home-1]; i > 0; i = x.before[i-1] {
		if x.state[i-1] == torn {
			return ragged
		}
		if x.state[i-1] == kept {
			c = &x.h.writes[x.fresh[i-1]].what
			break
		}
	}
	switch {
	case c.node == n && c.page == page:
		return c.version
	case c.node == -1 && f.origin[page] == home:
		return 0
	}
	return foreign
}

// node checks the promises about one node.
func (x *searcher) node(n int32) (bad bool) {
	f := &x.h.files[n]
	reached := x.reached[n]
	if x.ruined[n] {
		if f.first.exists || len(f.dues) > 0 && f.dues[0].event < x.now {
			x.broken(Damaged, 0, n, -1)
			return true
		}
		return false
	}
	for i := range f.dues {
		if d := &f.dues[i]; d.event < x.now && reached < d.changes {
			x.broken(Lost, d.call, n, -1)
			bad = true
			break
		}
	}
	s := f.at(reached)
	if !s.exists {
		return bad
	}
	x.pages += int64(len(x.vows[n]) + len(f.moves))
	for _, k := range x.vows[n] {
		v := &f.vows[k]
		if reached >= v.until || int64(v.page)*pageSize >= s.size {
			continue
		}
		if got := x.has(n, v.page, reached); got >= 0 && got < v.version || got == foreign {
			x.broken(Lost, v.call, n, v.page)
			bad = true
			break
		}
	}
	for i := range f.moves {
		if int64(i)*pageSize < s.size && x.has(n, int32(i), reached) == foreign {
			x.broken(Foreign, x.writer(f), n, int32(i))
			bad = true
			break
		}
	}
	for _, k := range x.groups[n] {
		g := &f.groups[k]
		x.pages += int64(len(g.pages))
		if !x.safe(n, f, g, s, reached) {
			x.broken(Half, g.call, n, -1)
			bad = true
		}
	}
	return bad
}

// writer is the last call that began to change a file before the moment.
func (x *searcher) writer(f *file) int32 {
	for i := len(f.changes) - 1; i >= 0; i-- {
		if c := &f.changes[i]; c.call > 0 && c.event < x.now {
			return c.call
		}
	}
	return 0
}

// safe reports whether what is overwritten in place is all old, or all new, or can be mended.
func (x *searcher) safe(n int32, f *file, g *group, s state, reached int32) bool {
	cut := g.cut > 0 && reached >= g.cut
	before, after := !cut, s.size >= g.size && (g.cut == 0 || cut)
	for _, p := range g.pages {
		v := int32(0)
		if int64(p.page)*pageSize < s.size {
			v = x.has(n, p.page, reached)
		}
		if v == ragged && p.sectors&(p.sectors-1) == 0 { // a sector is written at once
			v = p.last
		}
		if g.cut == 0 {
			before = before && v >= 0 && v <= p.first
		}
		after = after && v >= p.last
	}
	if before || after {
		return true
	}
	for i := range g.backups {
		if x.whole(&g.backups[i]) {
			return true
		}
	}
	return false
}

// whole reports whether a file has all that was promised of it when another began to be
// overwritten.
func (x *searcher) whole(b *backup) bool {
	f := &x.h.files[b.node]
	reached := x.reach[b.node]
	if x.is[b.node] {
		if reached = x.reached[b.node]; x.ruined[b.node] {
			return false
		}
	}
	s := f.at(reached)
	if reached < b.changes || !s.exists || len(b.pages) == 0 {
		return false
	}
	for _, p := range b.pages {
		if int64(p.page)*pageSize >= s.size || x.has(b.node, p.page, reached) < p.last {
			return false
		}
	}
	return true
}

// renamed checks the promises of a rename over a file.
func (x *searcher) renamed(r *renamed) bool {
	f := &x.h.files[r.node]
	reached := func(n int32) int32 {
		if x.is[n] {
			return x.reached[n]
		}
		return x.reach[n]
	}
	if x.is[r.node] && x.ruined[r.node] || x.is[r.over] && x.ruined[r.over] {
		return false // it is counted as damaged
	}
	if r.drops && reached(r.over) < r.removed {
		return false
	}
	at := reached(r.node)
	if at < r.moved {
		if reached(r.over) < r.removed {
			return false
		}
		x.broken(Nameless, r.call, r.over, -1)
		return true
	}
	if slices.ContainsFunc(f.changes[r.moved:at], func(c change) bool { return c.cut }) {
		return false
	}
	if f.at(at).size < r.size {
		x.broken(Mixed, r.call, r.node, -1)
		return true
	}
	for _, p := range r.pages {
		if x.has(r.node, p.page, at) < p.last {
			x.broken(Mixed, r.call, r.node, p.page)
			return true
		}
	}
	return false
}

// broken notes a broken promise, if the image has fewer blocks lost than one that is known.
func (x *searcher) broken(kind Kind, number, n, page int32) {
	key := [3]int32{int32(kind), number, n}
	at, known := x.seen[key]
	if known && x.losses[at] <= x.loss {
		return
	}
	b := Break{Kind: kind, Event: int(x.now), Call: number, Node: n, Page: page}
	for i, w := range x.fresh {
		event := int(x.h.writes[w].event)
		switch x.state[i] {
		case gone:
			b.Lost = append(b.Lost, event)
		case kept:
			b.Kept = append(b.Kept, event)
		default:
			b.Torn = append(b.Torn, event)
		}
	}
	if known {
		x.found.Breaks[at], x.losses[at] = b, x.loss
		return
	}
	x.seen[key] = len(x.found.Breaks)
	x.found.Breaks, x.losses = append(x.found.Breaks, b), append(x.losses, x.loss)
}
