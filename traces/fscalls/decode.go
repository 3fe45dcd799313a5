package fscalls

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/prose"
	"spillway/sim/unit"
	"spillway/traces/lines"
)

const (
	problems = 20       // errors that are listed before reading stops
	maxLine  = 64 << 10 // bytes
	maxKinds = 64       // kinds of what is left out
	// maxBytes bounds what the files that exist before have together, and the end of each:
	// the SSD of the paper.
	maxBytes = 32 << 30
	maxDepth = 128 // of directories in each other
	maxAt    = 100 * 86400 * unit.Second
)

// An edge is a name in a directory.
type edge struct {
	dir  int32
	name uint64 // a hash of it
}

// A node is a file or directory as it is known so far.
type node struct {
	edge
	parent int32 // at the start, of one that was there
	dir    bool
	exists bool  // now
	made   bool  // it occurred first when it was created
	known  bool  // its size is, not only how far it was accessed
	used   bool  // its data are
	again  bool  // it was removed, and made again
	device bool  // it is a block device
	height int32 // levels below it, or more
	inside int32 // nodes in it
	size   int64
	first  int64 // its size at the start
}

// An opening is a call by its thread and its number there.
type opening struct{ thread, n int32 }

// A decoder turns lines into calls.
type decoder struct {
	name   string
	format *format
	line   int64
	title  string // of the recording, where it has one
	// maybe has the first open of files that it may have created, as long as nothing that is
	// known of the file says whether.
	maybe map[int32]opening
	sure  bool // a call was seen, used or not

	nodes   []node
	byName  map[edge]int32
	threads map[uint64]int32
	calls   [][]call.Call
	resting []int32 // threads of processes that ended
	order   []int32 // the thread of each call
	count   int64
	from    unit.Time // time of the first call
	timed   bool
	unseen  int64 // files that nobody was seen to create
	crowded int64 // calls of threads for which there is no room

	// Whose call is read, and when it was made, in any clock.
	id uint64
	at unit.Time

	left   map[string]load.Count
	errs   []error
	direct bool // there is no metadata

	waits   unit.Time        // how long the thread at hand waited for others before the next call
	trace                    // of strace
	version int64            // of fio's iolog
	action  byte             // blkparse: the action of a request that counts
	extents map[edge]int     // of block devices
	names   map[int32][]edge // of files with several, those that are not the node's own
	former  map[edge]int32   // by name: the file that a rename took it from, until another has it
	dirty   map[int32]bool   // files and directories that changed since they were last made durable
	after   map[int32]int64  // of Spillway's text: where the last access of a file ended
	ticking bool             // of MSR's tables: a first time was seen
	ticks   int64            // that is
	word    []byte           // a buffer
	blocks  bool             // of Spillway's text: all files are devices
	pieces  map[int32]int    // how many extents a block device has
}

func newDecoder(name string, f *format) *decoder {
	d := &decoder{name: name, format: f, byName: map[edge]int32{}, threads: map[uint64]int32{}, maybe: map[int32]opening{}, left: map[string]load.Count{}, names: map[int32][]edge{}, former: map[edge]int32{}, dirty: map[int32]bool{}, extents: map[edge]int{}, after: map[int32]int64{}}
	d.nodes = append(d.nodes, node{edge: edge{dir: -1}, parent: -1, dir: true, exists: true})
	d.trace = newTrace()
	return d
}

// lines takes all lines of a text.
func (d *decoder) lines(r io.Reader) error {
	err := lines.Each(r, maxLine, func(line []byte, cut bool) bool {
		if d.line++; cut {
			return d.leave("lines longer than 64 KiB")
		}
		d.one(line)
		return len(d.errs) < problems
	})
	if err != nil {
		return unread(d.name, err)
	}
	return nil
}

// one takes one line.
func (d *decoder) one(line []byte) {
	if len(blanks(line)) > 0 && !d.format.line(d, line) {
		d.leave("lines that are no part of the recording")
	}
}

// bad enters an error about the line at hand.
func (d *decoder) bad(format string, a ...any) bool {
	d.errs = append(d.errs, fmt.Errorf("%s:%d: %w", d.name, d.line, fmt.Errorf(format, a...)))
	return true
}

// leave counts something that is not used. It reports true: the line is of the format.
func (d *decoder) leave(what string) bool { return d.leaveData(what, 0) }

// leaveData counts something that is not used and would have moved so many bytes of data.
func (d *decoder) leaveData(what string, size int64) bool {
	if _, ok := d.left[what]; !ok && len(d.left) >= maxKinds {
		what = "other calls"
	}
	n := d.left[what]
	n.What = what
	n.N++
	n.Bytes = min(n.Bytes+max(size, 0), maxBytes)
	d.left[what] = n
	return true
}

// walk returns the directory and the name that a path ends with, from a directory on
// unless it begins with a slash; whole is true where it names the directory itself.
// Directories on the way are there, as is one that nothing said of.
func (d *decoder) walk(from int32, path []byte) (e edge, whole, ok bool) {
	at := from
	if len(path) > 0 && path[0] == '/' {
		at = 0
	}
	for {
		for len(path) > 0 && path[0] == '/' {
			path = path[1:]
		}
		if len(path) == 0 {
			return d.nodes[at].edge, true, true
		}
		n := bytes.IndexByte(path, '/')
		if n < 0 {
			n = len(path)
		}
		part := path[:n]
		path = path[n:]
		switch string(part) {
		case ".":
			continue
		case "..":
			at = max(d.nodes[at].above(), 0)
			continue
		}
		e = edge{at, hashOf(part)}
		rest := bytes.TrimLeft(path, "/")
		if len(rest) == 0 {
			return e, false, true
		}
		next, found := d.byName[e]
		if !found || !d.nodes[next].exists {
			if next = d.before(e, true); next < 0 {
				return e, false, false
			}
		}
		if x := &d.nodes[next]; !x.dir {
			if x.used || x.made {
				return e, false, false // a path through a file
			}
			x.dir = true
		}
		at = next
	}
}

// above is the directory that a node is in.
func (n *node) above() int32 { return n.edge.dir }

// room reports whether another node may be, in this directory.
func (d *decoder) room(dir int32) bool {
	if len(d.nodes) >= load.MaxNodes {
		d.leave("calls of files beyond the first " + prose.Grouped(load.MaxNodes))
		return false
	}
	return d.fits(dir, 0)
}

// fits reports whether a node with so many levels below it may be in a directory.
func (d *decoder) fits(dir, height int32) bool {
	depth := int32(0)
	for at := dir; at >= 0; at = d.nodes[at].edge.dir {
		depth++
	}
	if depth+height > maxDepth {
		return !d.leave("calls of files more than " + prose.Grouped(maxDepth) + " directories deep")
	}
	for at := dir; at >= 0; at = d.nodes[at].edge.dir {
		height++
		d.nodes[at].height = max(d.nodes[at].height, height)
	}
	return true
}

// certain reports whether a name that is not there cannot have been there at the start: it
// was removed or renamed here, or it is in a directory that was made here, or made again: one that
// was removed held nothing.
func (d *decoder) certain(e edge) bool {
	_, ok := d.byName[e]
	_, left := d.former[e]
	p := &d.nodes[e.dir]
	return ok || left || p.made || p.again || !p.exists
}

// before adds a node that was there at the start. One that certainly was not is created
// now, as if that had been seen. It returns -1 if there is no room.
func (d *decoder) before(e edge, dir bool) int32 {
	if d.certain(e) {
		n, fresh := d.create(e, dir)
		if fresh {
			d.unseen++
			code := call.Create
			if dir {
				code = call.Mkdir
			}
			d.emit(call.Call{Code: code, Node: n, Dir: e.dir, Changed: call.Unknown})
		}
		return n
	}
	if !d.room(e.dir) {
		return -1
	}
	return d.add(node{edge: e, parent: e.dir, dir: dir, exists: true})
}

func (d *decoder) add(n node) int32 {
	at := int32(len(d.nodes))
	d.nodes = append(d.nodes, n)
	d.byName[n.edge] = at
	d.nodes[n.edge.dir].inside++
	return at
}

// find returns the node of a name, which was there at the start if it is not known; -1 if
// that cannot be.
func (d *decoder) find(e edge, whole, dir bool) int32 {
	if whole && e.dir < 0 {
		return 0
	}
	if at, ok := d.byName[e]; ok && d.nodes[at].exists {
		return at
	}
	return d.before(e, dir)
}

// create returns the node of a name that is created; -1 if there is no room, or it is
// there. fresh says that it is.
func (d *decoder) create(e edge, dir bool) (at int32, fresh bool) {
	at, ok := d.byName[e]
	switch {
	case ok && d.nodes[at].exists:
		return at, false
	case !d.nodes[e.dir].exists || !d.nodes[e.dir].dir:
		d.leave("files made in a directory that is not there")
		return -1, false
	case ok && d.nodes[at].dir == dir:
		n := &d.nodes[at]
		n.exists, n.again, n.size, n.known = true, true, 0, true
		d.nodes[e.dir].inside++
		return at, true
	case !d.room(e.dir):
		return -1, false
	}
	return d.add(node{edge: e, parent: -1, dir: dir, exists: true, made: true, known: true}), true
}

// thread returns the number of a thread. Those for which there is no room are others: what
// they do must not be missing, or files would be that nobody makes.
func (d *decoder) thread(id uint64) int32 {
	if n, ok := d.threads[id]; ok {
		return n
	}
	if k := len(d.resting); k > 0 {
		n := d.resting[k-1]
		d.resting = d.resting[:k-1]
		d.threads[id], d.waits = n, maxAt // it was not there
		return n
	}
	if len(d.calls) >= load.MaxThreads {
		d.crowded++
		return int32(id % load.MaxThreads)
	}
	n := int32(len(d.calls))
	d.threads[id] = n
	d.calls = append(d.calls, nil)
	return n
}

// emit adds a call of the thread at hand.
func (d *decoder) emit(c call.Call) bool {
	d.sure = true
	if d.count >= load.MaxCalls {
		return d.leave("calls beyond the first " + prose.Grouped(load.MaxCalls))
	}
	t := d.thread(d.id)
	if !d.timed {
		d.timed, d.from = true, d.at
	}
	if e := d.nodes[c.Node].edge; c.Code == call.Create {
		if o, ok := d.former[e]; ok && d.nodes[o].exists {
			c.Over = o
		}
		delete(d.former, e)
	}
	c.At = min(max(d.at-d.from, 0), maxAt)
	list := d.calls[t]
	if n := len(list); n > 0 {
		c.At = max(c.At, list[n-1].At)
		c.Waits = min(d.waits, c.At-list[n-1].At)
	}
	d.waits = 0
	d.calls[t] = append(list, c)
	d.order = append(d.order, t)
	d.count++
	d.changed(&c)
	return true
}

// changed notes what a call leaves to be made durable.
func (d *decoder) changed(c *call.Call) {
	switch c.Code {
	case call.Write, call.Truncate:
		d.dirty[c.Node] = true
	case call.Create, call.Mkdir, call.Rename:
		d.dirty[c.Node], d.dirty[c.Dir] = true, true
	case call.Unlink, call.Rmdir:
		delete(d.dirty, c.Node)
		d.dirty[c.Dir] = true
	case call.Fsync, call.Fdatasync:
		delete(d.dirty, c.Node)
	}
}

// everything makes all durable that changed, as sync and syncfs do: a call for each file and
// directory, in the order of their numbers.
func (d *decoder) everything() bool {
	for _, n := range slices.Sorted(maps.Keys(d.dirty)) {
		if d.nodes[n].exists {
			d.emit(call.Call{Code: call.Fsync, Node: n, Changed: call.Unknown})
		}
	}
	clear(d.dirty)
	return true
}

// learn notes how large a file is said to be.
func (d *decoder) learn(at int32, size int64) {
	n := &d.nodes[at]
	if n.known || n.dir || size < 0 || size > maxBytes {
		return
	}
	if o, ok := d.maybe[at]; ok && size == 0 {
		c := &d.calls[o.thread][o.n]
		c.Code, c.Dir = call.Create, n.edge.dir
		n.made, n.parent = true, -1
	}
	delete(d.maybe, at)
	if size > n.size {
		n.first += size - n.size
		n.size = size
	}
	n.known = true
}

// access adds a read or a write of a file.
func (d *decoder) access(c call.Call) bool {
	d.sure = true
	n := &d.nodes[c.Node]
	if n.dir {
		return d.leave("reads and writes of directories")
	}
	if !n.exists {
		return d.leave("accesses of files that are removed and still open")
	}
	if c.Flags&call.Append != 0 {
		c.Offset = n.size
	}
	if c.Offset < 0 || c.Length <= 0 {
		return d.leave("reads and writes of nothing")
	}
	if c.Offset > maxBytes || c.Length > maxBytes-c.Offset {
		return d.leave("accesses beyond 32 GiB of a file")
	}
	n.used = true
	delete(d.maybe, c.Node)
	end := c.Offset + c.Length
	switch {
	case end <= n.size:
	case c.Flags&call.Append != 0:
		n.size = end
	case !n.known: // it was there
		n.first += end - n.size
		n.size = end
	case c.Code == call.Write:
		n.size = end
	case c.Offset >= n.size:
		return d.leave("reads behind the end of a file")
	default:
		c.Length = n.size - c.Offset
	}
	return d.emit(c)
}

// remove removes a node.
func (d *decoder) remove(n int32) bool {
	if n == 0 {
		return d.leave("removals of the root")
	}
	x := &d.nodes[n]
	if x.inside > 0 {
		return d.leave("removals of directories that are not empty, as far as was seen")
	}
	x.exists = false
	delete(d.maybe, n)
	d.nodes[x.edge.dir].inside--
	code := call.Unlink
	if x.dir {
		code = call.Rmdir
	}
	return d.emit(call.Call{Code: code, Node: n, Dir: x.edge.dir, Changed: call.Unknown})
}

// rename gives a node another name; what has it is removed.
func (d *decoder) rename(n int32, to edge) bool {
	for up := to.dir; up >= 0; up = d.nodes[up].edge.dir {
		if up == n {
			return d.leave("renames of a directory into itself")
		}
	}
	if n == 0 || d.nodes[n].edge == to {
		return d.leave("renames that change nothing")
	}
	if !d.nodes[to.dir].exists || !d.nodes[to.dir].dir {
		return d.leave("files made in a directory that is not there")
	}
	if !d.fits(to.dir, d.nodes[n].height) {
		return true
	}
	over := int32(0)
	if old, ok := d.byName[to]; ok && d.nodes[old].exists {
		o := &d.nodes[old]
		switch {
		case old == n:
			return d.leave("renames that change nothing")
		case o.inside > 0:
			return d.leave("removals of directories that are not empty, as far as was seen")
		case len(d.names[old]) > 0: // it has another name, and stays
			d.unname(old, to)
		case o.dir == d.nodes[n].dir || !o.used && !o.made:
			o.dir = d.nodes[n].dir
			o.exists, over = false, old
			delete(d.maybe, old)
			delete(d.dirty, old)
			d.nodes[to.dir].inside--
		default:
			return d.leave("renames of a file over a directory")
		}
	}
	if from := d.nodes[n].edge; d.byName[from] == n {
		delete(d.byName, from)
		if !d.nodes[n].dir {
			d.former[from] = n
		}
	}
	delete(d.former, to)
	delete(d.maybe, n)
	d.nodes[d.nodes[n].edge.dir].inside--
	d.nodes[to.dir].inside++
	d.nodes[n].edge = to
	d.byName[to] = n
	return d.emit(call.Call{Code: call.Rename, Node: n, Dir: to.dir, Over: over, Changed: call.Unknown})
}

// link gives a file another name. It costs what a rename to that name costs.
func (d *decoder) link(n int32, to edge) bool {
	x := &d.nodes[n]
	if x.dir || !x.exists {
		return d.leave("links to what is no file")
	}
	if old, ok := d.byName[to]; ok && d.nodes[old].exists {
		return d.leave("links to names that are there, as far as was seen")
	}
	if !d.nodes[to.dir].exists || !d.nodes[to.dir].dir {
		return d.leave("files made in a directory that is not there")
	}
	if !d.fits(to.dir, 0) {
		return true
	}
	d.names[n] = append(d.names[n], x.edge)
	d.nodes[x.edge.dir].inside--
	d.nodes[to.dir].inside++
	x.edge = to
	d.byName[to] = n
	return d.emit(call.Call{Code: call.Rename, Node: n, Dir: to.dir, Changed: call.Unknown})
}

// unname takes a name from a file that has others. The call for it was made when it got them.
func (d *decoder) unname(n int32, e edge) bool {
	list := d.names[n]
	if x := &d.nodes[n]; x.edge == e {
		x.edge = list[len(list)-1]
		list = list[:len(list)-1]
		d.nodes[e.dir].inside--
		d.nodes[x.edge.dir].inside++
	} else if i := slices.Index(list, e); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	delete(d.byName, e)
	if d.names[n] = list; len(list) == 0 {
		delete(d.names, n)
	}
	return d.emit(call.Call{Code: call.Stat, Node: n, Changed: call.Unknown})
}

// truncate changes the size of a file.
func (d *decoder) truncate(n int32, size int64) bool {
	x := &d.nodes[n]
	switch {
	case x.dir || !x.exists:
		return d.leave("truncations of what is no file")
	case size < 0 || size > maxBytes:
		return d.leave("accesses beyond 32 GiB of a file")
	}
	x.size, x.known, x.used = size, true, true
	delete(d.maybe, n)
	return d.emit(call.Call{Code: call.Truncate, Node: n, Length: size, Changed: call.Unknown})
}

// finish makes a recording of what was read.
func (d *decoder) finish() (*load.Recording, error) {
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	r := &load.Recording{Name: d.title, Format: d.format.title, Most: int32(len(d.nodes))}
	r.Blocks = d.blocks || d.direct && !slices.ContainsFunc(d.nodes, func(n node) bool { return !n.dir && !n.device })
	d.onlyFiles(r)
	for _, what := range slices.Sorted(maps.Keys(d.left)) {
		r.Unmatched = append(r.Unmatched, d.left[what])
	}
	slices.SortStableFunc(r.Unmatched, func(a, b load.Count) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.N, a.N))
	})
	if d.count == 0 {
		why := ""
		if len(r.Unmatched) > 0 {
			why = "; left out: " + listed(r.Unmatched[:min(len(r.Unmatched), 8)])
		}
		return nil, fmt.Errorf("%s: it has the format %s, but no call that can be used%s. Record with %s", d.name, d.format.title, why, d.format.takes)
	}
	// Those that are there at the start come first.
	number := make([]int32, len(d.nodes))
	total := int64(0)
	for i := range d.nodes {
		if n := &d.nodes[i]; !n.made {
			if n.dir {
				n.first = 0 // a name that was taken for a file
			}
			number[i] = int32(len(r.Nodes))
			total += n.first
			r.Nodes = append(r.Nodes, call.Node{Parent: n.parent, Dir: n.dir, Size: n.first})
		}
	}
	if total > maxBytes {
		return nil, fmt.Errorf("%s: the files that exist before have %v together, and %v are possible: record fewer files", d.name, unit.Bytes(total), unit.Bytes(maxBytes))
	}
	next := int32(len(r.Nodes))
	for i := range d.nodes {
		if d.nodes[i].made {
			number[i] = next
			next++
		}
	}
	for i := range r.Nodes {
		if p := r.Nodes[i].Parent; p >= 0 {
			r.Nodes[i].Parent = number[p]
		}
	}
	for _, list := range r.Threads {
		for i := range list {
			list[i].Node = number[list[i].Node]
			list[i].Dir = number[list[i].Dir]
			list[i].Over = number[list[i].Over]
		}
	}
	d.notes(r)
	return r, nil
}

// onlyFiles gives a recording the calls, with threads in the order of their first, whose
// time is 0. It leaves out what was asked of files that turned out to be directories.
func (d *decoder) onlyFiles(r *load.Recording) {
	at, number := make([]int, len(d.calls)), make([]int32, len(d.calls))
	for i := range number {
		number[i] = -1
	}
	from := unit.Time(0)
	for _, t := range d.order {
		c := d.calls[t][at[t]]
		at[t]++
		switch c.Code {
		case call.Truncate:
			if !r.Blocks && d.nodes[c.Node].device {
				d.count--
				d.leave("discards of a device beside files")
				continue
			}
		case call.Open, call.Close:
			if d.nodes[c.Node].dir {
				d.count--
				d.leave("opens of directories")
				continue
			}
		}
		if number[t] < 0 {
			number[t] = int32(len(r.Threads))
			r.Threads = append(r.Threads, d.calls[t][:0])
		}
		if len(r.Order) == 0 {
			from = c.At
		}
		c.At = max(c.At-from, 0)
		n := number[t]
		r.Threads[n] = append(r.Threads[n], c)
		r.Order = append(r.Order, n)
	}
}

// notes says what was inferred, and what is not as it seems.
func (d *decoder) notes(r *load.Recording) {
	if d.direct {
		r.Notes = append(r.Notes, "Of the addresses of block devices only the order within 1 MiB remains: pieces of that size are numbered as they are first accessed, and a request over the end of one counts once in each.")
	}
	if d.direct && !r.Blocks {
		r.Notes = append(r.Notes, "Beside files there are block devices, each taken as one file with direct access, of which no metadata are known.")
	}
	if n := len(r.Nodes) - 1; n > 0 && !d.direct && !r.Blocks {
		r.Notes = append(r.Notes, fmt.Sprintf("Files and directories that are not created in the recording: %s. They exist before it, files as large as they are said to be or as far as they are accessed.", prose.Grouped(int64(n))))
	}
	if d.crowded > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Calls of threads beyond the first %s: %s. These make them.", prose.Grouped(load.MaxThreads), prose.Grouped(d.crowded)))
	}
	if d.unseen > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Files and directories that appear without having been created: %s. They are created when they are first used.", prose.Grouped(d.unseen)))
	}
	if len(r.Unmatched) > 0 {
		r.Notes = append(r.Notes, "Left out: "+listed(r.Unmatched)+".")
	}
}

// listed says what there is, and how many.
func listed(counts []load.Count) string {
	list := make([]string, len(counts))
	for i, c := range counts {
		list[i] = c.What + " (" + prose.Grouped(c.N)
		if c.Bytes > 0 {
			list[i] += fmt.Sprintf(", %v", unit.Bytes(c.Bytes))
		}
		list[i] += ")"
	}
	return strings.Join(list, ", ")
}
