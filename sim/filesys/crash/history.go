package crash

import (
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/unit"
)

// pageSize is that of a page of a file.
const pageSize = int64(unit.Page)

// A state is that of a node.
type state struct {
	exists bool
	parent int32
	size   int64
}

// A change is one of a node's state, or of where it has a page.
type change struct {
	kind  kind
	index int32 // of placed: the page of the file, and that of the device
	page  int32
	own   int32 // transaction of the call that made it, if that has one
	tx    int32 // that made it durable; 0 is none yet, or nobody asks any more
	state state // after it, but for placed
	// answered is the event that answered its call, from 1.
	answered int32
	promised bool // by an fsync or a synchronous write
}

// A kind is that of a change.
type kind uint8

const (
	created kind = iota
	removed      // with all its pages
	moved        // to another directory
	grown
	cut // the size, and pages beyond it are gone
	placed
)

// A facet is what file systems write of a node in a place of its own: metadata that a
// change needs on the media.
type facet uint8

const (
	name  facet = iota // the entry in its directory
	inode              // the line of its inode that has the size
	where              // where its pages are
	facets
)

// needs are the facets that have to be written for a change to be there.
var needs = [...][facets]bool{
	created: {name: true, inode: true}, removed: {name: true, inode: true},
	moved: {name: true}, grown: {inode: true}, cut: {inode: true}, placed: {where: true},
}

// A node is a file or directory with all that happened to it.
type node struct {
	dir        bool
	first, now state
	changes    []change
	durable    int         // so many changes are durable, or of before a durable removal
	done       [facets]int // up to so many changes a facet is durable
	made       int         // changes when an fsync last promised something, and 1; 0 is never
	gone       int         // changes up to the last removal
	cuts       int32       // how often it was shortened
	pages      []version   // by page
	vows       []vow
	// lines are the last events that wrote the lines of its inode durably, on a page.
	lines [2]int32
	home  int32
}

// A version is what was written to a page of a file. Versions are events, counted from 1.
type version struct {
	last     int32 // that was written to the cache
	settled  int32 // whose call is answered
	promised int32
	origin   int32 // page of the device before the run's first, from 1; 0 is unknown, −1 none
	places   []place
}

// A place is a version that was sent to the device, with the lines that have to be new
// there.
type place struct {
	version int32
	lines   uint64
}

// A vow is what was promised of a page before it was cut off: it holds as long as that is
// not durable, which it is with so many changes.
type vow struct {
	index, until int32
	page         version
}

// made is a call.
type made struct {
	began    int32 // event, from 1
	node     int32
	change   int32 // changes of the node with it; 0 if it made none
	cover    int32 // changes of the node when it began: an fsync promises those answered then
	tx       int32 // the last one that makes it durable
	over     int32 // whose name a rename takes, and the changes of that with its removal
	removal  int32
	code     call.Code
	promises bool
	from, to int32 // pages written
	cuts     int32 // of the node then
	// settled is what an fsync promises: the versions of pages whose writes were answered
	// when it began.
	settled []int32
}

// A tx is a transaction.
type tx struct {
	joined         int32 // the last of its joints, from 1
	inodes         int32 // the last of its writes of inodes, from 1
	own            int32 // joints of no call
	durable, wrote bool
	blocks         bool // some of its metadata are blocks, which no COMMIT makes whole
	again          bool // recovery has to bring it back from blocks
	wants          [plan.Structures]bool
}

// An inodes is a write of lines of inodes, for a transaction.
type inodes struct {
	page, before, event int32
	lines               uint64
}

// A joint says that a transaction makes changes of a node durable.
type joint struct {
	node, changes, before int32
	page                  int32 // of its inode
}

// A sent is a page of a file on its way to the device.
type sent struct {
	node, index, version int32
	thread               int32
	empty                bool
}

// A queue is what is on its way to a page of the device, and what came there last.
type queue struct {
	sent []int32
	last int32
}

// A history is a run up to an event.
type history struct {
	run      *Run
	setup    *machine.Setup
	hasLog   bool
	plain    bool // no transactions: what is stored is there
	recovery plan.Recovery
	at       int
	media    *Media
	truth    *Truth
	nodes    []node
	calls    []made
	txs      []tx
	joints   []joint
	inodes   []inodes
	// stored are by thread the blocks written since the last transaction that one ended.
	stored [][plan.Structures]int64
	sent   []sent
	// queues are by slot of the media what is on its way to a page, stamps by event what
	// it wrote, from 1.
	queues     []queue
	blocksSeen []int32 // a buffer
	stamps     []int32
	answered   int64
	blocks     int64
	tree       Tree
}

// step does the next event.
func (h *history) step() {
	n := h.at
	h.at++
	e := &h.run.Events[n]
	h.stamps = append(h.stamps, 0)
	if plain := *e; h.plain {
		plain.Tx = 0
		h.media.Step(n, &plain)
		h.truth.Step(n, &plain)
	} else {
		h.media.Step(n, e)
		h.truth.Step(n, e)
	}
	switch e.Moment {
	case plan.Began:
		h.began(int32(n+1), e)
	case plan.Answered:
		h.answer(int32(n+1), e)
	case plan.Appended, plan.Stored:
		if e.Tx > 0 {
			h.wrote(e)
			if h.plain {
				h.durable(e)
			}
		}
		if e.Structure == plan.Data {
			h.stamps[n] = h.arrived(e)
		}
		if e.Moment == plan.Stored {
			h.block(e.Structure)
			h.blocksOf(e.Thread)[e.Structure]++
		}
	case plan.Placed:
		h.place(e)
	case plan.Joined:
		h.join(e)
	case plan.Durable, plan.Committed:
		h.durable(e)
	}
}

// wrote notes lines, or a block, of a transaction.
func (h *history) wrote(e *plan.Event) {
	t := h.tx(e.Tx)
	t.wrote, t.wants[e.Structure] = true, true
	set := e.Lines
	if e.Moment == plan.Stored {
		set, t.blocks = ^uint64(0), true
	}
	if e.Structure == plan.Inode {
		h.inodes = append(h.inodes, inodes{e.Page, t.inodes, int32(h.at), set})
		t.inodes = int32(len(h.inodes))
	}
}

// blocksOf returns the blocks that a thread has stored.
func (h *history) blocksOf(thread int32) *[plan.Structures]int64 {
	at := int(max(thread, 0))
	for len(h.stored) <= at {
		h.stored = append(h.stored, [plan.Structures]int64{})
	}
	return &h.stored[at]
}

// durable ends a transaction: what it joined is durable, as far as what says so on the
// media has been written. The file system's word for it is not enough.
func (h *history) durable(e *plan.Event) {
	t := h.tx(e.Tx)
	stored := h.blocksOf(e.Thread)
	whole := true
	switch h.recovery.By {
	case plan.ByJournal:
		whole = h.journaled(t, e, stored[plan.Journal])
	case plan.ByNodes:
		if e.Call > 0 {
			whole = stored[plan.Inode] > 0
		} else {
			whole = stored[plan.Inode] >= int64(t.own) && stored[plan.Superblock] > 0
		}
	}
	*stored = [plan.Structures]int64{}
	if !whole {
		return
	}
	t.durable = true
	switch {
	case h.recovery.By == plan.ByJournal || h.recovery.By == plan.ByNodes && e.Call > 0:
		t.again = true
	case h.recovery.By == plan.ByNodes: // a checkpoint
		h.blocks = 0
		for i := range h.txs {
			h.txs[i].again = false
		}
	}
	for i := t.joined; i > 0; i = h.joints[i-1].before {
		j := &h.joints[i-1]
		n := &h.nodes[j.node]
		for f, wrote := range h.written(t, j) {
			if wrote {
				n.done[f] = max(n.done[f], int(j.changes))
			}
		}
		h.settle(n, e.Tx)
	}
}

// journaled reports whether so many blocks of a journal are enough for a transaction:
// as many as it says that it has, which are no less than the blocks of its nodes' inodes,
// their descriptors, and the commit block.
func (h *history) journaled(t *tx, e *plan.Event, stored int64) bool {
	h.blocksSeen = h.blocksSeen[:0]
	for i := t.joined; i > 0; i = h.joints[i-1].before {
		h.blocksSeen = append(h.blocksSeen, h.joints[i-1].node/h.recovery.Inodes)
	}
	slices.Sort(h.blocksSeen)
	n := max(int64(len(slices.Compact(h.blocksSeen))), int64(e.Lines))
	return stored >= n+1+n/int64(h.recovery.Tags)+1
}

// written says which facets of a node a transaction has written, and notes when its inode
// was. Who writes whole nodes has had durable look for them.
func (h *history) written(t *tx, j *joint) (w [facets]bool) {
	if h.plain || h.recovery.Whole() {
		return [facets]bool{true, true, true}
	}
	var lines uint64
	for i := t.inodes; i > 0; i = h.inodes[i-1].before {
		x := &h.inodes[i-1]
		if x.page != j.page {
			continue
		}
		own := x.lines >> (2 * (j.node % system.Inodes)) & 3
		lines |= own
		n := &h.nodes[j.node]
		n.home = x.page
		for line := range n.lines {
			if own>>line&1 == 1 {
				n.lines[line] = max(n.lines[line], x.event)
			}
		}
	}
	w[name] = t.wants[plan.Dentry]
	w[inode] = lines&1 != 0
	w[where] = lines&2 != 0
	if h.recovery.By == plan.ByEntries {
		w[where] = w[where] && t.wants[plan.Pointer]
	}
	return w
}

// settle finds which changes of a node a transaction has made durable. One whose own
// transaction is open is not, whoever else has written the same lines; but where
// nodes are rolled forward, which needs nothing of the checkpoint that a name was for.
func (h *history) settle(n *node, by int32) {
	before := n.durable
	for i := n.durable; i < len(n.changes); i++ {
		c := &n.changes[i]
		if c.tx > 0 || c.own > 0 && h.recovery.By != plan.ByNodes && !h.txs[c.own].durable {
			continue
		}
		ok := true
		for f, needed := range needs[c.kind] {
			ok = ok && (!needed || n.done[f] > i)
		}
		if !ok {
			continue
		}
		if c.tx = by; c.kind == removed || c.kind == created { // what was before does not matter any more
			n.durable = i
		}
	}
	for n.durable < len(n.changes) && n.changes[n.durable].tx > 0 {
		n.durable++
	}
	for i := before; i < n.durable; i++ {
		if n.changes[i].kind == removed && n.made <= i+1 {
			n.made = 0
		}
	}
	n.vows = slices.DeleteFunc(n.vows, func(v vow) bool { return int(v.until) <= n.durable || n.changes[v.until-1].tx > 0 })
}

// block counts the blocks that a replay, or the roll-forward, reads.
func (h *history) block(s plan.Structure) {
	switch {
	case h.recovery.By == plan.ByJournal && s == plan.Journal:
		h.blocks = min(h.blocks+1, int64(h.setup.Host.Journal/unit.Page)/h.setup.Scale)
	case h.recovery.By == plan.ByNodes && s == plan.Inode:
		h.blocks++
	}
}

// tx returns a transaction.
func (h *history) tx(number int32) *tx {
	if int(number) >= len(h.txs) {
		h.txs = append(h.txs, make([]tx, int(number)+1-len(h.txs))...)
	}
	return &h.txs[number]
}

// call returns a call.
func (h *history) call(number int64) *made {
	if int(number) >= len(h.calls) {
		h.calls = append(h.calls, make([]made, int(number)+1-len(h.calls))...)
	}
	return &h.calls[number]
}

// began has the namespace and the cache as a call leaves them.
func (h *history) began(at int32, e *plan.Event) {
	c, m := &e.Of, h.call(e.Call)
	n := &h.nodes[c.Node]
	*m = made{began: at, node: c.Node, code: c.Code, cover: int32(len(n.changes))}
	now := n.now
	switch c.Code {
	case call.Create, call.Mkdir:
		if !n.now.exists {
			n.dir = c.Code == call.Mkdir
			n.shorten(0, n.gone)
			n.change(m, created, state{exists: true, parent: c.Dir})
		}
	case call.Unlink, call.Rmdir:
		now.exists, now.size = false, 0
		n.change(m, removed, now)
		n.gone = len(n.changes)
	case call.Rename:
		if c.Over != 0 {
			o := &h.nodes[c.Over]
			left := o.now
			left.exists, left.size = false, 0
			o.change(m, removed, left)
			o.gone = len(o.changes)
			m.over, m.removal = c.Over, m.change
		}
		now.parent = c.Dir
		n.change(m, moved, now)
	case call.Truncate:
		if now.size != c.Length {
			now.size = c.Length
			n.change(m, cut, now)
			n.shorten(int((c.Length+pageSize-1)/pageSize), len(n.changes))
		}
	case call.Write:
		offset := c.Offset
		if c.Flags&call.Append != 0 {
			offset = n.now.size
		}
		end := offset + c.Length
		if end > now.size {
			now.size = end
			n.change(m, grown, now)
		}
		m.from, m.to = int32(offset/pageSize), int32((end+pageSize-1)/pageSize)
		m.promises = c.Flags&call.Sync != 0
		for i := m.from; i < m.to; i++ {
			n.page(int(i)).last = at
		}
	case call.Fsync, call.Fdatasync:
		m.promises = true
		for i := range n.pages {
			m.settled = append(m.settled, n.pages[i].settled)
		}
	}
	m.cuts = n.cuts
}

// change adds one to a node, made by a call.
func (n *node) change(m *made, k kind, s state) {
	n.now = s
	n.changes = append(n.changes, change{kind: k, state: s})
	m.change = int32(len(n.changes))
}

// page returns a page of a node.
func (n *node) page(i int) *version {
	if i >= len(n.pages) {
		n.pages = append(n.pages, make([]version, i+1-len(n.pages))...)
	}
	return &n.pages[i]
}

// shorten forgets what was written to pages from one on. What was promised of them is
// kept until so many changes are durable.
func (n *node) shorten(from, until int) {
	n.cuts++
	for i := from; i < len(n.pages); i++ {
		if v := n.pages[i]; v.promised > 0 && until > n.durable {
			n.vows = append(n.vows, vow{int32(i), int32(until), v})
		}
		n.pages[i] = version{origin: n.pages[i].origin}
	}
}

// answer ends a call: what it promises is promised.
func (h *history) answer(at int32, e *plan.Event) {
	m := h.call(e.Call)
	h.answered++
	n := &h.nodes[m.node]
	if m.change > 0 {
		n.changes[m.change-1].answered = at
	}
	if m.over != 0 {
		h.nodes[m.over].changes[m.removal-1].answered = at
	}
	if m.promises && n.now.exists {
		n.made = len(n.changes) + 1
		h.promise(n, m)
	}
	if m.cuts != n.cuts || !n.now.exists {
		return // its pages are gone, or not the same
	}
	for i := m.from; i < m.to; i++ {
		v := &n.pages[i]
		if v.settled = max(v.settled, m.began); m.promises {
			v.promised = max(v.promised, m.began)
		}
	}
	for i, settled := range m.settled {
		n.pages[i].promised = max(n.pages[i].promised, settled)
	}
	m.settled = nil
}

// promise notes which changes of a node a call promises: an fsync those that were answered
// when it began, fdatasync without names, a synchronous write its own. Of a node that was removed
// and made anew it promises nothing that was before.
func (h *history) promise(n *node, m *made) {
	if m.code == call.Write {
		if m.change > 0 {
			n.changes[m.change-1].promised = true
		}
		return
	}
	for i := max(n.durable, n.gone-1); i < int(m.cover); i++ {
		if c := &n.changes[i]; c.answered > 0 && c.answered < m.began && (c.kind != moved || m.code == call.Fsync) {
			c.promised = true
		}
	}
}

// place notes that a page of a file goes to a page of the device.
func (h *history) place(e *plan.Event) {
	n := &h.nodes[e.Place.Node]
	v := n.page(int(e.Place.Index))
	if v.origin == 0 {
		if v.origin = e.Place.Before + 1; e.Place.Before < 0 {
			v.origin = -1
		}
	}
	if e.Place.Before != e.Page {
		n.changes = append(n.changes, change{kind: placed, index: e.Place.Index, page: e.Page})
	}
	p := place{v.last, e.Lines}
	if e.Place.Before >= 0 && e.Place.Before != e.Page && e.Lines != 0 { // all of it moves
		p.lines = ^uint64(0)
	}
	v.places = append(v.places, p)
	slot := h.media.slot(e.Page)
	h.truth.slot(e.Page)
	for len(h.queues) <= int(slot) {
		h.queues = append(h.queues, queue{})
	}
	h.sent = append(h.sent, sent{e.Place.Node, e.Place.Index, v.last, e.Thread, e.Lines == 0})
	h.queues[slot].sent = append(h.queues[slot].sent, int32(len(h.sent)))
}

// arrived returns what a thread has written to a page of the device, from 1; 0 is nobody
// knows. What did not need to be sent may have been, or not.
func (h *history) arrived(e *plan.Event) int32 {
	slot := h.media.slot(e.Page)
	for len(h.queues) <= int(slot) {
		h.queues = append(h.queues, queue{})
	}
	q := &h.queues[slot]
	at := -1
	for i, x := range q.sent {
		if s := &h.sent[x-1]; s.thread == e.Thread {
			if at = i; !s.empty {
				break
			}
		}
	}
	if at < 0 {
		return q.last // the same once more
	}
	before := q.last
	q.last = q.sent[at]
	for _, x := range q.sent[at:] { // a block is what the page has when it is sent
		if a, b := &h.sent[x-1], &h.sent[q.last-1]; a.node == b.node && a.index == b.index {
			q.last = x
		}
	}
	left := q.sent[:0]
	for i, x := range q.sent {
		if i > at || h.sent[x-1].thread != e.Thread {
			left = append(left, x)
		}
	}
	q.sent = left
	if before > q.last && h.sent[before-1].node == h.sent[q.last-1].node && h.sent[before-1].index == h.sent[q.last-1].index {
		q.last = before
	}
	return q.last
}

// join notes that a transaction makes a node durable as it is now.
func (h *history) join(e *plan.Event) {
	t := h.tx(e.Tx)
	n := &h.nodes[e.Node]
	h.joints = append(h.joints, joint{e.Node, int32(len(n.changes)), t.joined, e.Page})
	t.joined = int32(len(h.joints))
	if e.Call == 0 {
		t.own++
		return
	}
	m := h.call(e.Call)
	if m.tx = e.Tx; m.change > 0 && m.node == e.Node {
		if c := &n.changes[m.change-1]; c.own == 0 {
			c.own = e.Tx
		}
	}
	if m.over != 0 && m.over == e.Node {
		if c := &n.changes[m.removal-1]; c.own == 0 {
			c.own = e.Tx
		}
	}
}

// found is what recovery finds of a node.
type found struct {
	state
	homes []int32 // by page of the file: that of the device, from 1; 0 is none, or none that the run has written
	// before: it is the one before the last that was made, whose making is not durable.
	// What was done to that since is to another inode.
	before bool
}

// recovered returns a node as its durable changes leave it.
func (n *node) recovered(homes []int32) found {
	f := found{state: n.first, homes: homes[:0]}
	for i := range n.pages {
		f.homes = append(f.homes, max(0, n.pages[i].origin))
	}
	for i := range n.changes {
		c := &n.changes[i]
		if i >= n.durable && c.tx == 0 {
			if c.kind == created {
				f.before = true
				return f
			}
			continue
		}
		switch c.kind {
		case placed:
			f.homes[c.index] = c.page + 1
			continue
		case moved:
			f.parent = c.state.parent
		case grown, cut:
			f.size = c.state.size
		default:
			f.state = c.state
		}
		if c.kind != grown && c.kind != moved {
			for i := int((f.size + pageSize - 1) / pageSize); i < len(f.homes); i++ {
				f.homes[i] = 0
			}
		}
	}
	return f
}

// has returns the version that page i of a node has after recovery: the last one of which
// every line that had changed is there, or something newer; −1 is none.
func (h *history) has(number int32, f *found, i int, v *version) int32 {
	home := f.homes[i]
	switch {
	case !f.exists || int64(i)*pageSize >= f.size || home == 0 && v.origin != 0:
		return -1
	case home == 0: // it has never had one
		return 0
	}
	var on [lines]int32 // versions that lines are of; −1 is none of this page
	if int(home) <= len(h.media.slots) && h.media.slots[home-1] != 0 {
		for line, value := range h.tree.Lines[h.media.slots[home-1]-1] {
			switch {
			case value == 0:
				continue
			case value < 0 || h.stamps[value-1] == 0:
				on[line] = -1
			default:
				on[line] = -1
				if s := &h.sent[h.stamps[value-1]-1]; s.node == number && int(s.index) == i {
					on[line] = s.version
				}
			}
		}
	}
	got := int32(0)
	for _, p := range v.places {
		for line := range on {
			if p.lines>>line&1 == 1 && on[line] < p.version {
				return got
			}
		}
		got = max(got, p.version)
	}
	return got
}

// report recovers from a failure before the next event.
func (h *history) report() *Report {
	r := &Report{Event: h.at, Answered: h.answered}
	if h.at > 0 {
		r.At = h.run.Events[min(h.at, len(h.run.Events)-1)].At
	}
	h.media.Recover(&h.tree, false)
	r.Lines, r.Applied, r.Thrown = h.tree.Scanned, h.tree.Applied, h.tree.Discarded
	r.Wrong, r.First = h.truth.Wrong(h.media, &h.tree)
	for i := range h.txs {
		if t := &h.txs[i]; !t.durable && (t.wrote || t.joined > 0) {
			r.Open++
		}
	}
	after := h.compare(r)
	h.fates(r, after)
	h.duration(r)
	return r
}

// lacks reports whether recovery finds a line of a node's inode older than it is durable.
func (h *history) lacks(number int32) bool {
	n := &h.nodes[number]
	for line, event := range n.lines {
		if event > 0 {
			value := h.tree.Lines[h.media.slot(n.home)][2*(number%system.Inodes)+int32(line)]
			if value < event {
				return true
			}
		}
	}
	return false
}

// compare lists the nodes that are not as they were, and returns all as they are.
func (h *history) compare(r *Report) []found {
	after := make([]found, len(h.nodes))
	for i := range h.nodes {
		after[i] = h.nodes[i].recovered(nil)
	}
	for i := range h.nodes {
		n, f := &h.nodes[i], &after[i]
		l := Lost{Node: int32(i), Dir: n.dir, Before: n.now.exists, After: f.exists, Moved: n.now.exists && f.exists && n.now.parent != f.parent, Size: n.now.size, Recovered: f.size}
		if n.made > 0 {
			r.Promises++
			l.Broken = f.exists && h.lacks(int32(i))
		}
		for k := n.durable; k < len(n.changes); k++ {
			l.Broken = l.Broken || n.changes[k].promised && n.changes[k].tx == 0
		}
		for k := range n.vows {
			if v := &n.vows[k]; f.exists {
				l.Promised++
				l.Broken = l.Broken || h.has(int32(i), f, int(v.index), &v.page) < v.page.promised
			}
		}
		for p := range n.pages {
			v := &n.pages[p]
			if v.last == 0 {
				continue
			}
			has := h.has(int32(i), f, p, v)
			if v.promised > 0 {
				l.Promised++
				l.Broken = l.Broken || f.exists && !f.before && has < v.promised
			}
			if l.Before {
				l.Pages++
				if has < v.last {
					l.Missing++
				}
			}
		}
		if f.exists && i > 0 && !after[f.parent].exists {
			r.Orphans++
		}
		if l.Broken {
			r.Broken++
		}
		if l.Broken || l.Moved || l.Missing > 0 || l.Before != l.After || l.Size != l.Recovered {
			r.Nodes = append(r.Nodes, l)
		}
	}
	h.names(r)
	slices.SortStableFunc(r.Nodes, func(a, b Lost) int {
		switch {
		case a.Broken == b.Broken:
			return 0
		case a.Broken:
			return -1
		}
		return 1
	})
	return after
}

// names checks that a name which another file took is the one's or the other's: a rename
// over a file promises that without any fsync.
func (h *history) names(r *Report) {
	for i := range h.calls {
		m := &h.calls[i]
		if m.began == 0 || m.over == 0 {
			continue
		}
		n, o := &h.nodes[m.node], &h.nodes[m.over]
		if int(m.change) <= n.durable || n.changes[m.change-1].tx > 0 || int(m.removal) > o.durable && o.changes[m.removal-1].tx == 0 {
			continue
		}
		r.Nameless++
		at := slices.IndexFunc(r.Nodes, func(l Lost) bool { return l.Node == m.over })
		if at < 0 {
			at = len(r.Nodes)
			r.Nodes = append(r.Nodes, Lost{Node: m.over})
		}
		if !r.Nodes[at].Broken {
			r.Nodes[at].Broken = true
			r.Broken++
		}
	}
}

// fates says what became of calls.
func (h *history) fates(r *Report, after []found) {
	replayed := h.replayed()
	for i := range h.calls {
		m := &h.calls[i]
		if m.began == 0 {
			continue
		}
		n := &h.nodes[m.node]
		fate := Kept
		switch m.code {
		case call.Create, call.Mkdir, call.Unlink, call.Rmdir, call.Rename, call.Truncate:
			if int(m.change) > n.durable && n.changes[m.change-1].tx == 0 {
				fate = Discarded
				if t := h.tx(m.tx); m.tx > 0 && t.wrote && (h.tears() || t.blocks && h.recovery.By == plan.ByLines) {
					fate = Torn
				}
			} else if m.change > 0 && replayed[n.changes[m.change-1].tx] {
				fate = Replayed
			}
		case call.Write:
			if !n.now.exists { // it does not matter any more
				continue
			}
			var there, gone int
			for p := m.from; p < m.to; p++ {
				if v := &n.pages[p]; v.last < m.began || h.has(m.node, &after[m.node], int(p), v) >= m.began {
					there++
				} else {
					gone++
				}
			}
			switch {
			case gone > 0 && there > 0:
				fate = Torn
			case gone > 0:
				fate = Discarded
			case replayed[m.tx] || m.change > 0 && replayed[n.changes[m.change-1].tx]:
				fate = Replayed
			}
		default:
			continue
		}
		r.Fates[m.code][fate]++
	}
}

// tears reports whether there is nothing that makes a transaction whole.
func (h *history) tears() bool { return h.recovery.Tears || h.plain }

// replayed are by transaction those that recovery brings back.
func (h *history) replayed() []bool {
	list := make([]bool, len(h.txs))
	for i := range h.txs {
		list[i] = h.txs[i].again
	}
	for half := range h.media.log {
		for i := range h.media.log[half] {
			if e := &h.media.log[half][i]; !e.void && int(e.tx) < len(list) && h.txs[e.tx].durable {
				list[e.tx] = true
			}
		}
	}
	return list
}

// The published recovery of ByteFS: so long for so much DRAM to be loaded, and to be
// scanned where it is full.
const (
	loaded  = 900 * unit.Millisecond
	scanned = 2700 * unit.Millisecond
	dram    = 256 * unit.MiB
)

// duration is how long recovery takes.
func (h *history) duration(r *Report) {
	d := &h.setup.Device
	r.Blocks = h.blocks
	if h.hasLog {
		size := int64(d.DRAM) / h.setup.Scale
		bytes := min(r.Lines*(64+4), size)
		r.Recovery = unit.Time(unit.MulDiv(int64(loaded), size, int64(dram)) + unit.MulDiv(int64(scanned), bytes, int64(dram)))
		return
	}
	r.Recovery = unit.Time((r.Blocks+d.Channels-1)/d.Channels) * d.Read
}
