package fscalls

import (
	"bytes"
	"strings"

	"spillway/sim/filesys/call"
	"spillway/sim/prose"
	"spillway/sim/unit"
)

// strace -f -ttt -y prints a system call a line (man strace):
//
//	697 1716900000.123456 openat(AT_FDCWD</home/u>, "a", O_RDWR|O_CREAT, 0644) = 3</home/u/a>
//	697 1716900000.123789 read(3</home/u/a>,  <unfinished ...>
//	697 1716900000.124012 <... read resumed>"text"..., 4096) = 4096
//
// with the process before the time, or [pid 697] where it prints to a terminal, and -y the
// path of every descriptor behind it.

// What is kept of processes at most.
const (
	maxOpen      = 1 << 16 // descriptors of a process
	maxProcesses = 4096    // at a time
	maxCopied    = 4 << 20 // descriptors copied by fork, in all
	maxPending   = 8 << 10 // bytes of a call that is not finished
	maxArgs      = 8
)

// An open is an open file: descriptors that were duplicated share it.
type open struct {
	node  int32
	refs  int32
	pos   int64
	flags call.Flags
	path  uint64 // hash of what -y says
}

// A process is a thread as strace has it: its table of descriptors, and where relative
// paths begin.
type process struct {
	table   int32 // of descriptors
	cwd     int32
	pending []byte // the beginning of a call that is not finished
	since   unit.Time
	// waits is how long it waited for others since its last call; blocked: it does since a moment, until its next line.
	waits, from unit.Time
	blocked     bool
}

// wait adds to what a process waited for others.
func (p *process) wait(t unit.Time) { p.waits += min(max(t, 0), maxAt-p.waits) }

// A table has the number of an open file by descriptor, -1 for none.
type table struct {
	fds   []int32
	users int // processes
}

// A trace is what is known of the processes of strace.
type trace struct {
	processes map[uint64]*process
	tables    []table
	unused    []int32 // tables of processes that ended
	opens     []open
	free      []int32
	copied    int
	forking   *process // the last that began to make another
	shares    bool     // which will have its descriptors
	daytime   unit.Time
}

func newTrace() trace { return trace{processes: map[uint64]*process{}} }

// process returns what is known of a process; nil if there is no room.
func (d *decoder) process(id uint64) *process {
	if p, ok := d.processes[id]; ok {
		return p
	}
	if len(d.processes) >= maxProcesses {
		return nil
	}
	p := &process{cwd: -1}
	if d.forking != nil {
		d.inherit(p, d.forking, d.shares)
	} else {
		p.table = d.newTable()
	}
	d.processes[id] = p
	return p
}

// newTable returns a table without descriptors.
func (d *decoder) newTable() int32 {
	if n := len(d.unused); n > 0 {
		t := d.unused[n-1]
		d.unused = d.unused[:n-1]
		d.tables[t].users = 1
		return t
	}
	d.tables = append(d.tables, table{users: 1})
	return int32(len(d.tables) - 1)
}

// inherit gives a new process the descriptors of another, the same or its own copies.
func (d *decoder) inherit(p, from *process, shares bool) {
	p.cwd = from.cwd
	if shares {
		p.table = from.table
		d.tables[p.table].users++
		return
	}
	p.table = d.newTable()
	fds := d.tables[from.table].fds
	if d.copied += len(fds); d.copied > maxCopied {
		d.copied -= len(fds)
		return
	}
	d.tables[p.table].fds = append(d.tables[p.table].fds, fds...)
	for _, o := range fds {
		if o >= 0 {
			d.opens[o].refs++
		}
	}
}

// leaveTable takes a process off its table, whose files are forgotten with the last.
func (d *decoder) leaveTable(p *process) {
	t := &d.tables[p.table]
	if t.users--; t.users > 0 {
		return
	}
	for fd := range t.fds {
		d.shut(p, int64(fd))
	}
	d.copied = max(d.copied-len(t.fds), 0)
	t.fds = t.fds[:0]
	d.unused = append(d.unused, p.table)
}

// ended forgets a process; another may make calls in its place.
func (d *decoder) ended(id uint64) {
	p := d.processes[id]
	if p == nil {
		return
	}
	if d.forking == p {
		d.forking = nil
	}
	d.leaveTable(p)
	delete(d.processes, id)
	if n, ok := d.threads[id]; ok {
		delete(d.threads, id)
		d.resting = append(d.resting, n)
	}
}

// straceLine takes a line of strace.
func (d *decoder) straceLine(b []byte) bool {
	b = blanks(b)
	id := uint64(0)
	if bytes.HasPrefix(b, []byte("[pid ")) {
		n, rest := word(b[5:])
		v, ok := decimal(bytes.TrimSuffix(n, []byte("]")))
		if !ok {
			return false
		}
		rest = blanks(rest)
		id, b = uint64(v), bytes.TrimPrefix(rest, []byte("]"))
	} else if w, rest := word(b); len(w) > 0 {
		if v, ok := decimal(w); ok && len(rest) > 0 {
			id, b = uint64(v), rest
		}
	}
	w, rest := word(b)
	if at, ok := d.clock(w); ok {
		d.at, b = at, blanks(rest)
	} else if b = blanks(b); !d.sure && (len(b) == 0 || b[0] < 'a' || b[0] > 'z') {
		return false
	}
	d.id = id
	switch {
	case bytes.HasPrefix(b, []byte("+++ ")) && bytes.HasSuffix(b, []byte("+++")):
		d.ended(id)
		return true
	case bytes.HasPrefix(b, []byte("--- ")) && bytes.HasSuffix(b, []byte("---")):
		return true
	case bytes.HasPrefix(b, []byte("strace: ")):
		return true
	case bytes.HasPrefix(b, []byte("<... ")):
		return d.resumed(b)
	}
	name := b
	for i, c := range b {
		if c == '(' {
			name = b[:i]
			break
		}
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	if len(name) == 0 || len(name) == len(b) || len(name) > 32 {
		return false
	}
	p := d.process(id)
	if p == nil {
		return d.leave("calls of processes beyond the first " + prose.Grouped(maxProcesses))
	}
	if p.blocked {
		p.blocked = false
		p.wait(d.at - p.from)
	}
	if at := bytes.LastIndex(b, []byte("<unfinished ...>")); at >= 0 && len(bytes.TrimSpace(b[at+16:])) == 0 {
		p.since = d.at
		p.pending = append(p.pending[:0], bytes.TrimRight(b[:min(at, maxPending)], " ")...)
		if isFork(name) {
			d.forking, d.shares = p, has(flagsOf(b[len(name):at]), '|', "CLONE_FILES")
		}
		if string(name) == "close" {
			// Another thread may get the descriptor before the call ends.
			a := args{n: 1, word: [maxArgs][]byte{bytes.TrimPrefix(p.pending, []byte("close("))}}
			d.closed(p, &a)
			p.pending = append(p.pending[:0], "close("...)
		}
		return true
	}
	if awaits(name) {
		if took, ok := lasted(b); ok {
			p.wait(took)
		} else {
			p.blocked, p.from = true, d.at
		}
	}
	return d.waited(p, string(name), b[len(name):])
}

// awaits reports whether a call is one in which a thread waits for what others do.
func awaits(name []byte) bool {
	switch string(name) {
	case "wait4", "waitid", "waitpid", "futex", "futex_wait", "futex_waitv", "poll", "ppoll", "select", "pselect6", "_newselect",
		"epoll_wait", "epoll_pwait", "epoll_pwait2", "pause", "rt_sigsuspend", "rt_sigtimedwait":
		return true
	}
	return false
}

// lasted is how long a call took, which -T writes at the end of its line.
func lasted(b []byte) (unit.Time, bool) {
	at := bytes.LastIndexByte(b, '<')
	if at < 0 || b[len(b)-1] != '>' {
		return 0, false
	}
	ps, ok := fraction(b[at+1:len(b)-1], 12)
	return unit.Time(min(ps, int64(maxAt))), ok
}

// waited takes a whole call of a process, and what it waited for before if that call is kept.
func (d *decoder) waited(p *process, name string, b []byte) bool {
	d.waits = p.waits
	ok := d.system(p, name, b)
	p.waits, d.waits = d.waits, 0
	return ok
}

// clock reads a time as -ttt or -tt prints it.
func (d *decoder) clock(w []byte) (unit.Time, bool) {
	if len(w) > 8 && w[2] == ':' && w[5] == ':' {
		h, ok1 := decimal(w[:2])
		m, ok2 := decimal(w[3:5])
		s, ok3 := fraction(w[6:], 12)
		if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 {
			return 0, false
		}
		at := d.daytime + unit.Time(h*3600+m*60)*unit.Second + unit.Time(min(s, int64(61*unit.Second)))
		if at < d.at-43200*unit.Second && d.daytime < maxAt { // past midnight
			d.daytime += 86400 * unit.Second
			at += 86400 * unit.Second
		}
		return at, true
	}
	dot := bytes.IndexByte(w, '.')
	if dot <= 0 {
		return 0, false
	}
	s, ok1 := decimal(w[:dot])
	part, ok2 := fraction(append([]byte("0"), w[dot:min(len(w), dot+13)]...), 12)
	if !ok1 || !ok2 || len(w) > dot+13 {
		return 0, false
	}
	// Seconds since 1970 in picoseconds have no room: those of the last 100 days do.
	return unit.Time(s%int64(maxAt/unit.Second))*unit.Second + unit.Time(part), true
}

// resumed takes the second part of a call.
func (d *decoder) resumed(b []byte) bool {
	name, _ := word(b[5:])
	_, after, ok := bytes.Cut(b, []byte("resumed>"))
	p := d.processes[d.id]
	if !ok {
		return false
	}
	if p == nil || len(p.pending) == 0 {
		return d.leave("ends of calls whose beginning is not there")
	}
	whole := append(p.pending, after...)
	p.pending = nil
	if !bytes.HasPrefix(whole, name) || len(whole) <= len(name) || whole[len(name)] != '(' {
		return d.leave("ends of calls whose beginning is not there")
	}
	if awaits(name) {
		p.wait(d.at - p.since)
	}
	d.at = p.since
	return d.waited(p, string(name), whole[len(name):])
}

// isFork reports whether a call makes a process or a thread.
func isFork(name []byte) bool {
	switch string(name) {
	case "clone", "clone3", "fork", "vfork":
		return true
	}
	return false
}

// flagsOf returns the flags of a clone or an openat2.
func flagsOf(b []byte) []byte {
	_, after, _ := bytes.Cut(b, []byte("flags="))
	end := bytes.IndexAny(after, ",} )")
	if end < 0 {
		end = len(after)
	}
	return after[:end]
}

// args are those of a call: their texts, and what it returned.
type args struct {
	n    int
	word [maxArgs][]byte
	ret  int64
	back []byte // what is returned, as text
}

// arguments cuts what stands behind the name of a call; ok is false if that is no call.
func arguments(b []byte) (a args, ok bool) {
	depth, from := 0, 1
	for i := 0; i < len(b); i++ {
		end := false
		switch c := b[i]; c {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '<': // a path behind a descriptor
			if i+1 < len(b) && b[i+1] == '<' { // a shift
				i++
				continue
			}
			i += 1 + pathEnd(b[i+1:])
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			end = depth == 0
		case ',':
			end = depth == 1
		}
		if i >= len(b) {
			return a, false
		}
		if !end {
			continue
		}
		if w := bytes.TrimSpace(b[from:i]); len(w) > 0 && a.n < maxArgs {
			a.word[a.n] = w
			a.n++
		}
		from = i + 1
		if depth == 0 {
			rest := blanks(b[from:])
			if len(rest) == 0 || rest[0] != '=' {
				return a, false
			}
			a.back = blanks(rest[1:])
			return a, a.returned()
		}
	}
	return a, false
}

// returned reads what a call returned.
func (a *args) returned() bool {
	b := a.back
	minus := len(b) > 0 && b[0] == '-'
	if minus {
		b = b[1:]
	}
	v, n := decOf(b)
	if n == 0 {
		a.ret = -1 // ?, or an address
		return len(a.back) > 0
	}
	if a.ret = v; minus {
		a.ret = -v
	}
	return true
}

// number reads the number that an argument begins with; ok is false if it is none, below 0
// or has more than 63 bits.
func (a *args) number(i int) (v int64, ok bool) {
	if i >= a.n {
		return 0, false
	}
	v, n := decOf(a.word[i])
	return v, n > 0
}

// noNumber is why a call is left out that has to have one.
const noNumber = "calls without a number that can be read"

// flag reports whether an argument has a flag.
func (a *args) flag(i int, name string) bool { return i < a.n && has(a.word[i], '|', name) }

// text returns the path in quotes that an argument is.
func (a *args) text(i int) ([]byte, bool) {
	if i >= a.n {
		return nil, false
	}
	w := a.word[i]
	if len(w) < 2 || w[0] != '"' || w[len(w)-1] != '"' {
		return nil, false
	}
	return unescape(w[1 : len(w)-1]), true
}

// pathEnd returns where a path ends that begins behind a <: at the first > that no more of
// a name follows; len(b) if there is none. In names strace writes \74 and \76 for both.
func pathEnd(b []byte) int {
	for i, c := range b {
		if c == '>' && (i+1 == len(b) || bytes.IndexByte([]byte(" \t,()[]{}"), b[i+1]) >= 0) {
			return i
		}
	}
	return len(b)
}

// pathOf returns the path that -y prints straight behind a descriptor; nil if there is
// none.
func pathOf(w []byte) []byte {
	n := 0
	for n < len(w) && (w[n] == '_' || w[n] >= '0' && w[n] <= '9' || w[n] >= 'A' && w[n] <= 'Z') {
		n++
	}
	if n == len(w) || w[n] != '<' {
		return nil
	}
	w = w[n+1:]
	return unescape(bytes.TrimSuffix(w[:pathEnd(w)], []byte(" (deleted)")))
}

// unescape undoes what strace does to characters of names: \n and the like, octal and
// hexadecimal digits.
func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	to := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c != '\\' || i+1 == len(b) {
			to = append(to, c)
			continue
		}
		i++
		if at := strings.IndexByte("abtnvfr", b[i]); at >= 0 {
			to = append(to, byte(7+at))
			continue
		}
		base, most, from := byte(8), 3, i
		if b[i] == 'x' {
			base, most, from = 16, 2, i+1
		}
		v, n := byte(0), 0
		for ; n < most && from+n < len(b); n++ {
			x := bytes.IndexByte([]byte("0123456789abcdef"), b[from+n])
			if x < 0 || x >= int(base) {
				break
			}
			v = v*base + byte(x)
		}
		if n == 0 {
			to = append(to, b[i])
			continue
		}
		to = append(to, v)
		i = from + n - 1
	}
	return to
}

// special reports whether a path is of no file system on an SSD.
func special(path []byte) bool {
	if len(path) == 0 || path[0] != '/' {
		return true
	}
	for _, s := range []string{"/dev/", "/proc/", "/sys/", "/memfd:", "/run/", "/anon_hugepage"} {
		if bytes.HasPrefix(path, []byte(s)) && !bytes.HasPrefix(path, []byte("/dev/shm/")) {
			return true
		}
	}
	return false
}

// open returns the open file of a descriptor; -1 if it is none, whose reason is counted.
func (d *decoder) open(p *process, w []byte) int32 {
	fd, n := decOf(w)
	if n == 0 || fd >= maxOpen {
		d.leave("calls of no descriptor")
		return -1
	}
	path := pathOf(w)
	if path != nil && special(path) {
		d.leave("calls of devices, pipes, sockets and the like")
		return -1
	}
	t := d.tables[p.table].fds
	if int(fd) < len(t) && t[fd] >= 0 {
		o := &d.opens[t[fd]]
		h := hashOf(path)
		if path == nil || o.path == h {
			return t[fd]
		}
		// Its file has another name, or it is another file: nobody saw it opened.
		if e, whole, ok := d.walk(0, path); ok {
			if at, found := d.byName[e]; found && at == o.node && !whole {
				o.path = h
				return t[fd]
			}
		}
	}
	if path == nil {
		d.leave("calls of descriptors that nobody opened (record with -y)")
		return -1
	}
	e, whole, ok := d.walk(0, path)
	if !ok {
		d.leave("paths through a file")
		return -1
	}
	node := d.find(e, whole, false)
	if node < 0 {
		return -1
	}
	return d.set(p, fd, open{node: node, path: hashOf(path)})
}

// set makes a descriptor that of an open file, and returns the file's number.
func (d *decoder) set(p *process, fd int64, o open) int32 {
	o.refs = 0
	at := int32(len(d.opens))
	if n := len(d.free); n > 0 {
		at, d.free = d.free[n-1], d.free[:n-1]
		d.opens[at] = o
	} else {
		d.opens = append(d.opens, o)
	}
	d.share(p, fd, at)
	return at
}

// share makes a descriptor that of an open file that there is.
func (d *decoder) share(p *process, fd int64, at int32) {
	if fd < 0 || fd >= maxOpen {
		return
	}
	d.opens[at].refs++
	d.shut(p, fd)
	t := &d.tables[p.table]
	for int64(len(t.fds)) <= fd {
		t.fds = append(t.fds, -1)
	}
	t.fds[fd] = at
}

// shut forgets a descriptor; it reports whether that was the file's last.
func (d *decoder) shut(p *process, fd int64) bool {
	t := d.tables[p.table].fds
	if fd < 0 || fd >= int64(len(t)) || t[fd] < 0 {
		return false
	}
	at := t[fd]
	t[fd] = -1
	d.opens[at].refs--
	if d.opens[at].refs == 0 {
		d.free = append(d.free, at)
		return true
	}
	return false
}

// home returns the directory that relative paths of a process begin in.
func (d *decoder) home(p *process) int32 {
	if p.cwd < 0 {
		p.cwd = d.find(edge{0, hashOf([]byte("."))}, false, true) // somewhere
	}
	return max(p.cwd, 0)
}

// named returns the directory and name of a path in argument i, relative to the directory in
// argument dir, or to that of the process if dir is negative.
func (d *decoder) named(p *process, a *args, dir, i int) (e edge, whole, ok bool) {
	path, ok := a.text(i)
	if !ok {
		d.leave("calls without a path that can be read")
		return e, false, false
	}
	from := int32(0)
	if dir >= 0 && dir < a.n {
		base := pathOf(a.word[dir])
		switch {
		case base != nil && !special(base):
			if x, all, fine := d.walk(0, base); fine {
				from = max(d.find(x, all, true), 0)
				if bytes.HasPrefix(a.word[dir], []byte("AT_FDCWD")) {
					p.cwd = from
				}
			}
		case len(path) > 0 && path[0] != '/':
			from = d.home(p)
		}
	} else if len(path) > 0 && path[0] != '/' {
		from = d.home(p)
	}
	if !d.nodes[from].dir {
		from = 0
	}
	if len(path) > 0 && path[0] == '/' && special(path) {
		d.leave("calls of devices, pipes, sockets and the like")
		return e, false, false
	}
	e, whole, ok = d.walk(from, path)
	if !ok {
		d.leave("paths through a file")
	}
	return e, whole, ok
}

// system takes a whole call.
func (d *decoder) system(p *process, name string, b []byte) bool {
	a, ok := arguments(b)
	if !ok {
		if bytes.HasPrefix(b, []byte("(")) && (name == "exit" || name == "exit_group") {
			return true
		}
		return false
	}
	d.sure = true
	if a.ret < 0 {
		return d.leave("calls that failed")
	}
	c := call.Call{Changed: call.Unknown}
	switch name {
	case "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2":
		return d.transfer(p, name, &a)
	case "open", "openat", "openat2", "creat":
		return d.opened(p, name, &a)
	case "close":
		d.closed(p, &a)
		return true
	case "fsync", "fdatasync":
		o := d.open(p, a.word[0])
		if o < 0 {
			return true
		}
		n := d.opens[o].node
		if !d.nodes[n].exists {
			return d.leave("accesses of files that are removed and still open")
		}
		c.Code, c.Node = call.Fsync, n
		if name == "fdatasync" {
			c.Code = call.Fdatasync
		}
		return d.emit(c)
	case "sync", "syncfs":
		return d.everything()
	case "sendfile", "sendfile64", "copy_file_range", "splice":
		return d.moved(p, name, &a)
	case "fallocate":
		o := d.open(p, a.word[0])
		if o < 0 {
			return true
		}
		return d.allocated(d.opens[o].node, &a)
	case "link", "linkat":
		dir, i, todir, to := -1, 0, -1, 1
		if name == "linkat" {
			dir, i, todir, to = 0, 1, 2, 3
		}
		e, whole, ok := d.named(p, &a, dir, i)
		if !ok {
			return true
		}
		n := d.find(e, whole, false)
		x, all, ok := d.named(p, &a, todir, to)
		if n < 0 || !ok || all {
			return true
		}
		return d.link(n, x)
	case "lseek", "_llseek":
		if o := d.open(p, a.word[0]); o >= 0 {
			at, whence := a.ret, 2
			if name == "_llseek" { // (descriptor, by, [place], whence)
				if whence = 3; a.n > 2 {
					at, _ = decOf(bytes.TrimPrefix(a.word[2], []byte("[")))
				}
			}
			d.opens[o].pos = at
			if v, ok := a.number(1); ok && v == 0 && a.flag(whence, "SEEK_END") {
				d.learn(d.opens[o].node, at)
			}
		}
		return true
	case "dup", "dup2", "dup3":
		if o := d.open(p, a.word[0]); o >= 0 {
			if fd, _ := a.number(0); fd != a.ret {
				d.share(p, a.ret, o)
			}
		}
		return true
	case "fcntl", "fcntl64":
		if a.n > 1 && bytes.HasPrefix(a.word[1], []byte("F_DUPFD")) {
			if o := d.open(p, a.word[0]); o >= 0 {
				d.share(p, a.ret, o)
			}
		}
		return true
	case "clone", "clone3", "fork", "vfork":
		d.forking = nil
		shares := has(flagsOf(b), '|', "CLONE_FILES")
		if child := d.processes[uint64(a.ret)]; child != nil { // it came first
			if shares && child.table != p.table {
				d.leaveTable(child)
				child.table = p.table
				d.tables[p.table].users++
			}
			return true
		}
		if len(d.processes) < maxProcesses {
			child := &process{}
			d.inherit(child, p, shares)
			d.processes[uint64(a.ret)] = child
		}
		return true
	case "chdir":
		if e, whole, ok := d.named(p, &a, -1, 0); ok {
			p.cwd = d.find(e, whole, true)
		}
		return true
	case "fchdir":
		if o := d.open(p, a.word[0]); o >= 0 {
			p.cwd = d.opens[o].node
		}
		return true
	case "unlink", "unlinkat", "rmdir":
		dir, i := -1, 0
		if name == "unlinkat" {
			dir, i = 0, 1
		}
		e, whole, ok := d.named(p, &a, dir, i)
		if !ok {
			return true
		}
		n := d.find(e, whole, name == "rmdir" || a.flag(2, "AT_REMOVEDIR"))
		if n < 0 {
			return true
		}
		if len(d.names[n]) > 0 {
			return d.unname(n, e)
		}
		return d.remove(n)
	case "mkdir", "mkdirat":
		dir, i := -1, 0
		if name == "mkdirat" {
			dir, i = 0, 1
		}
		e, whole, ok := d.named(p, &a, dir, i)
		if !ok || whole {
			return true
		}
		n, fresh := d.create(e, true)
		if !fresh {
			return true
		}
		c.Code, c.Node, c.Dir = call.Mkdir, n, e.dir
		return d.emit(c)
	case "rename", "renameat", "renameat2":
		dir, i, todir, to := -1, 0, -1, 1
		if name != "rename" {
			dir, i, todir, to = 0, 1, 2, 3
		}
		if a.flag(4, "RENAME_EXCHANGE") {
			return d.leave("renames that exchange two files")
		}
		e, whole, ok := d.named(p, &a, dir, i)
		if !ok {
			return true
		}
		n := d.find(e, whole, false)
		x, all, ok := d.named(p, &a, todir, to)
		if n < 0 || !ok || all && x.dir < 0 {
			return true
		}
		return d.rename(n, x)
	case "truncate", "truncate64":
		e, whole, ok := d.named(p, &a, -1, 0)
		if !ok {
			return true
		}
		n := d.find(e, whole, false)
		if n < 0 {
			return true
		}
		return d.resized(n, &a)
	case "ftruncate", "ftruncate64":
		o := d.open(p, a.word[0])
		if o < 0 {
			return true
		}
		return d.resized(d.opens[o].node, &a)
	case "stat", "lstat", "fstat", "newfstatat", "fstatat64", "stat64", "lstat64", "fstat64", "statx":
		return d.stat(p, name, &a, b)
	}
	if name == "mmap" || name == "mmap2" {
		return d.mapped(p, name, &a)
	}
	if ofFiles(name) {
		return d.leave(name)
	}
	return d.leave("calls of other kinds (memory, processes, signals, network)")
}

// ofFiles reports whether a call that is not used is one of files: it is counted by name.
func ofFiles(name string) bool {
	for _, s := range []string{"mmap", "msync", "tee", "link", "sync", "getdents", "io_", "access", "chmod", "chown", "utime", "xattr", "fadvise", "readahead", "mknod", "flock"} {
		if strings.Contains(name, s) && name != "io_destroy" && name != "io_setup" {
			return true
		}
	}
	return false
}

// closed takes a close: no other call of the file may follow.
func (d *decoder) closed(p *process, a *args) {
	fd, ok := a.number(0)
	t := d.tables[p.table].fds
	if !ok || fd >= int64(len(t)) || t[fd] < 0 {
		return // of what was never used
	}
	o := d.opens[t[fd]]
	if d.shut(p, fd) && d.nodes[o.node].exists && !d.nodes[o.node].dir {
		d.emit(call.Call{Code: call.Close, Node: o.node, Changed: call.Unknown})
	}
}

// resized takes a truncation to the size in argument 1.
func (d *decoder) resized(n int32, a *args) bool {
	size, ok := a.number(1)
	if !ok {
		return d.leave(noNumber)
	}
	return d.truncate(n, size)
}

// transfer takes a read or a write.
func (d *decoder) transfer(p *process, name string, a *args) bool {
	if a.n == 0 {
		return false
	}
	o := d.open(p, a.word[0])
	if o < 0 {
		return true
	}
	f := &d.opens[o]
	c := call.Call{Code: call.Read, Node: f.node, Flags: f.flags, Offset: f.pos, Length: a.ret, Changed: call.Unknown}
	at := false
	switch name {
	case "write", "writev":
		c.Code = call.Write
	case "pread64", "preadv", "preadv2":
		at = true
	case "pwrite64", "pwritev", "pwritev2":
		c.Code, at = call.Write, true
		if name == "pwritev2" && (a.flag(4, "RWF_DSYNC") || a.flag(4, "RWF_SYNC")) {
			c.Flags |= call.Sync
		}
	}
	if c.Code == call.Read {
		c.Flags &^= call.Append | call.Sync
	}
	switch {
	case at:
		var ok bool
		if c.Offset, ok = a.number(3); !ok {
			return d.leave(noNumber)
		}
	case c.Flags&call.Append != 0:
		f.pos = d.nodes[f.node].size + a.ret
	default:
		if f.pos += a.ret; f.pos < 0 {
			f.pos = 0
		}
	}
	return d.access(c)
}

// opened takes an open.
func (d *decoder) opened(p *process, name string, a *args) bool {
	dir, i, flags := -1, 0, 1
	if name == "openat" || name == "openat2" {
		dir, i, flags = 0, 1, 2
	}
	w := []byte(nil)
	if flags < a.n {
		w = a.word[flags]
	}
	if name == "openat2" {
		w = flagsOf(w)
	}
	if name == "creat" {
		w = []byte("O_WRONLY|O_CREAT|O_TRUNC")
	}
	path := pathOf(a.back)
	if path != nil && special(path) {
		return d.leave("calls of devices, pipes, sockets and the like")
	}
	e, whole, ok := d.named(p, a, dir, i)
	if !ok {
		return true
	}
	if path != nil { // what it was in the end, behind links
		if e, whole, ok = d.walk(0, path); !ok {
			return d.leave("paths through a file")
		}
	}
	o := open{path: hashOf(path)}
	if has(w, '|', "O_APPEND") {
		o.flags |= call.Append
	}
	if has(w, '|', "O_DIRECT") {
		o.flags |= call.Direct
	}
	if has(w, '|', "O_DSYNC") || has(w, '|', "O_SYNC") {
		o.flags |= call.Sync
	}
	c := call.Call{Code: call.Open, Changed: call.Unknown}
	old, there := d.byName[e]
	there = there && d.nodes[old].exists
	switch {
	case has(w, '|', "O_TMPFILE"), has(w, '|', "__O_TMPFILE"):
		return d.leave("files without a name (O_TMPFILE)")
	case whole || has(w, '|', "O_DIRECTORY") || there && d.nodes[old].dir:
		if o.node = d.find(e, whole, true); o.node >= 0 {
			d.set(p, a.ret, o)
		}
		return d.leave("opens of directories")
	case has(w, '|', "O_PATH"):
		if o.node = d.find(e, whole, false); o.node >= 0 {
			d.set(p, a.ret, o)
		}
		return d.leave("opens without access (O_PATH)")
	case !there && has(w, '|', "O_CREAT") && (d.certain(e) || has(w, '|', "O_EXCL") || has(w, '|', "O_TRUNC")):
		n, fresh := d.create(e, false)
		if n < 0 {
			return true
		}
		o.node = n
		d.set(p, a.ret, o)
		if fresh {
			c.Code, c.Dir = call.Create, e.dir
		}
		c.Node = n
		return d.emit(c)
	}
	if o.node = d.find(e, whole, false); o.node < 0 {
		return true
	}
	d.set(p, a.ret, o)
	c.Node = o.node
	n := d.count
	d.emit(c)
	if !there && has(w, '|', "O_CREAT") && d.count > n && !d.nodes[o.node].made {
		t := d.order[n]
		d.maybe[o.node] = opening{t, int32(len(d.calls[t]) - 1)}
	}
	if has(w, '|', "O_TRUNC") {
		return d.truncate(o.node, 0)
	}
	return true
}

// stat takes a question for attributes, which may say how large a file is.
func (d *decoder) stat(p *process, name string, a *args, b []byte) bool {
	var kind []byte
	if _, after, ok := bytes.Cut(b, []byte("_mode=")); ok {
		kind = after
	}
	dir := bytes.HasPrefix(kind, []byte("S_IFDIR"))
	if len(kind) > 0 && !dir && !bytes.HasPrefix(kind, []byte("S_IFREG")) && !bytes.HasPrefix(kind, []byte("S_IFLNK")) {
		return d.leave("calls of devices, pipes, sockets and the like")
	}
	n := int32(-1)
	empty := false
	switch name {
	case "newfstatat", "fstatat64", "statx":
		path, ok := a.text(1)
		empty = ok && len(path) == 0
	}
	if name == "fstat" || name == "fstat64" || empty && !bytes.HasPrefix(a.word[0], []byte("AT_FDCWD")) {
		if a.n == 0 {
			return false
		}
		o := d.open(p, a.word[0])
		if o < 0 {
			return true
		}
		n = d.opens[o].node
	} else {
		at, i := -1, 0
		if name == "newfstatat" || name == "fstatat64" || name == "statx" {
			at, i = 0, 1
		}
		e, whole, ok := d.named(p, a, at, i)
		if !ok {
			return true
		}
		n = d.find(e, whole, dir)
	}
	if n < 0 {
		return true
	}
	x := &d.nodes[n]
	if !x.exists {
		return d.leave("accesses of files that are removed and still open")
	}
	if dir && !x.dir && !x.used && !x.made {
		x.dir = true
	}
	if bytes.HasPrefix(kind, []byte("S_IFREG")) {
		if _, after, ok := bytes.Cut(b, []byte("_size=")); ok {
			if v, k := decOf(after); k > 0 {
				d.learn(n, v)
			}
		}
	}
	return d.emit(call.Call{Code: call.Stat, Node: n, Changed: call.Unknown})
}

// moved takes a call that moves data from one descriptor to another without the program
// seeing them: a read of the one and a write of the other, of those that are files.
func (d *decoder) moved(p *process, name string, a *args) bool {
	from, at, to, into := 0, 1, 2, 3 // arguments: descriptors, and where they have an offset
	if strings.HasPrefix(name, "sendfile") {
		from, at, to, into = 1, 2, 0, -1
	}
	if a.n <= max(from, to) {
		return false
	}
	if a.ret <= 0 {
		return d.leave("reads and writes of nothing")
	}
	d.half(p, a, call.Read, from, at)
	d.half(p, a, call.Write, to, into)
	return true
}

// half takes one end of such a call: a descriptor, and the offset in another argument, which
// strace prints as [from] or [from => to], and NULL where the file's own counts.
func (d *decoder) half(p *process, a *args, code call.Code, fd, offset int) {
	o := d.open(p, a.word[fd])
	if o < 0 {
		return
	}
	f := &d.opens[o]
	c := call.Call{Code: code, Node: f.node, Offset: f.pos, Length: a.ret, Changed: call.Unknown}
	if code == call.Write {
		c.Flags = f.flags
	} else {
		c.Flags = f.flags &^ (call.Append | call.Sync)
	}
	if given, ok := startOf(a, offset); ok {
		c.Offset = given
	} else if c.Flags&call.Append != 0 {
		f.pos = d.nodes[f.node].size + a.ret
	} else {
		f.pos += a.ret
	}
	d.access(c)
}

// startOf reads the offset that strace prints in brackets.
func startOf(a *args, i int) (int64, bool) {
	if i < 0 || i >= a.n || len(a.word[i]) == 0 || a.word[i][0] != '[' {
		return 0, false
	}
	v, n := decOf(a.word[i][1:])
	return v, n > 0
}

// allocated takes an fallocate: it makes a file larger, or changes nothing that counts.
func (d *decoder) allocated(n int32, a *args) bool {
	from, ok1 := a.number(2)
	size, ok2 := a.number(3)
	switch {
	case !ok1 || !ok2 || from > maxBytes || size > maxBytes:
		return d.leave(noNumber)
	case a.n > 1 && a.word[1][0] != '0': // FALLOC_FL_KEEP_SIZE, PUNCH_HOLE and others
		return d.leave("fallocate that keeps the size")
	case !d.nodes[n].known && d.nodes[n].size == 0 || from+size <= d.nodes[n].size:
		return d.leave("fallocate of what is there, as far as was seen")
	}
	return d.truncate(n, from+size)
}

// mapped leaves a mapping out: what a program stores there nobody sees. It weighs as much as
// it can write of a file that others see.
func (d *decoder) mapped(p *process, name string, a *args) bool {
	size, ok := a.number(1)
	if !ok || a.n < 5 || !a.flag(3, "MAP_SHARED") && !a.flag(3, "MAP_SHARED_VALIDATE") || !a.flag(2, "PROT_WRITE") || d.open(p, a.word[4]) < 0 {
		return d.leave(name)
	}
	return d.leaveData("mmap of files that is written", size)
}
