package filesys

import (
	"fmt"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/table"
	"spillway/sim/report"
	"spillway/sim/unit"
)

const (
	// longest is when a run is given up at last, so that no time overflows.
	longest = 20 * 24 * 3600 * unit.Second
	// often is after how many calls progress is told.
	often = 1 << 14
	// idle is how often in a row an actor may act without taking time, before that is
	// taken for a mistake.
	idle = 1 << 20
)

// Run runs a workload on a system. The error is about the setup or the workload, or says
// that the device is full. watch and p may be nil.
func Run(w *call.Workload, s *machine.Setup, system string, watch *Watch, p report.Progress) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	sys, err := Find(system)
	if err != nil {
		return nil, err
	}
	scaled := s.Scaled()
	r, err := newRun(w, &scaled, sys, watch, p)
	if err != nil {
		return nil, err
	}
	r.result.Scale = s.Scale
	return r.result, r.play()
}

// Find returns a system by its name.
func Find(name string) (*System, error) {
	for i := range Systems {
		if Systems[i].Name == name {
			return &Systems[i], nil
		}
	}
	if name == Alone.Name {
		return &Alone, nil
	}
	return nil, fmt.Errorf("there is no system %q; choose one such as %s", name, Systems[0].Name)
}

// A phase is what a client does next, or who sees to it that it goes on.
type phase uint8

const (
	asks               phase = iota // for a call
	waits                           // for the time of its call, and then for the benchmark program
	calls                           // begins a call
	blockedOnWriteBack              // waits until others have written back the call's file, or changed its name, and plans
	steps                           // executes
	locked                          // waits until who holds a lock releases it
	parked                          // waits until the file system wakes it
	absent                          // waits until the workload wakes it
	sleeps                          // an actor, until its start
	ended
)

// A client is a thread of the workload or an actor.
type client struct {
	thread plan.Thread // what is used whenever it goes on comes first
	next   int         // of its steps
	// Of the time since a moment, that until core went by waiting for one; the rest is
	// the cause's.
	since, core unit.Time
	cause       Cause
	phase       phase
	actor       bool
	idle        bool // it waits for others' calls, or has not begun
	failed      bool // the call is about what is not there
	sends       bool // its steps write files back
	names       bool // its steps change names
	full        bool // its store waits for room in the log
	// When the steps that it executes at the same time have ended so far, and the cause
	// of the last.
	end      unit.Time
	endCause Cause
	behind   unit.Time // of the last, how long it waited for programs that came before
	// Of an SSD by itself: how long the last waited for garbage collection, and all of its request.
	collecting, collected unit.Time
	waiter                int32 // the next client that waits for the same lock, and one, or nobody
	call                  call.Call
	began                 unit.Time // the call
	start                 unit.Time // when an actor has to act at last, if it works or sleeps
}

// A sending is a file that a client's steps write back.
type sending struct {
	host.Sent
	client int32
}

// A naming is a call under way that changes names: of a node, and of what it takes the name of (0:
// nothing), in one directory or two.
type naming struct {
	node, over, from, to int32
	makes                bool // a directory
	client               int32
}

// A lock is held by a client, or free (nobody). Others wait in the order in which they came.
type lock struct {
	holder, first, last int32     // numbers of clients, and one
	since               unit.Time // the holder has it
}

const none = -1

// nobody is no client where numbers of clients are one more, so that it is zero.
const nobody = 0

// run is one run.
type run struct {
	queue              schedule
	now                unit.Time
	clients            []client
	threads            int32             // of the clients, those of the workload
	flusher            int32             // the last actor
	running            int32             // threads that have not ended
	current            int32             // the client that goes on, for records
	cores              cores             // nil: there are more than clients
	locks              table.Table[lock] // by number
	serial             unit.Time         // when the benchmark program's section is free
	children           []int32           // by node: files and directories in it
	sending            []sending         // what is being written back
	naming             []naming          // names that are being changed
	blockedOnWriteBack []int32           // threads whose call waits for either, in the order in which they came
	over               []int32           // files of which a client's write-back has ended

	device *device.Device
	host   *host.Host
	fs     plan.FS
	source call.Source
	staged call.Staged // the source, if it goes through stages
	stage  call.Stage
	setup  *machine.Setup
	load   *call.Workload
	watch  *Watch
	tell   report.Progress // of calls

	frames            []plan.Frame
	background, limit int // dirty pages
	answered, until   int64
	last              unit.Time // when the run is given up
	made, warmed      int64     // calls begun; answered when the measured part began
	origin            unit.Time
	warm              bool // counters are of the warm-up
	spans             bool // somebody is told what clients spend time on
	result            *Result
	samples           sampler
	early             []unit.Time // when actors have to start, before there are any
	alone             *Requests   // of the result; nil of a file system
	err               error
}

func newRun(w *call.Workload, m *machine.Setup, sys *System, watch *Watch, p report.Progress) (r *run, err error) {
	if err := check(w, m); err != nil {
		return nil, err
	}
	if err := fits(w, sys); err != nil {
		return nil, err
	}
	own := *m // what is ByteFS' alone is not of others
	m = &own
	m.Host.BlindWrites = m.Host.BlindWrites && sys.reads("blind_writes")
	if m.Host.OwnCache > 0 && sys.reads("own_cache") {
		m.Host.Cache = m.Host.OwnCache
	}
	if !w.Generated {
		m.Host.Generator, m.Host.Serial = 0, 0
	}
	r = &run{
		setup: m, load: w, last: min(longest, never/unit.Time(w.Threads)), // sums over threads do not overflow
		watch: watch, tell: p, warm: w.Warm > 0,
		threads: int32(w.Threads), running: int32(w.Threads), current: none, source: w.Start(),
		children: make([]int32, w.Most),
		result:   &Result{System: sys.Name, Workload: w.Name, Threads: w.Threads},
	}
	if r.staged, _ = r.source.(call.Staged); r.staged != nil {
		r.warm = true
		r.enters(r.staged.Stage())
	}
	if watch == nil {
		r.watch = &Watch{}
	}
	if w.Blocks {
		r.alone = &Requests{}
		r.result.Requests = r.alone
	}
	r.until, r.spans = r.watch.Until, r.watch.Span != nil
	var record func(plan.Event)
	if r.watch.Record != nil {
		record = r.record
	}
	r.device = device.New(m, sys.Memory, m.Ack == machine.OnProgram || m.Ack == machine.AsArtifact && sys.Waits, record)
	if r.watch.Flash != nil {
		r.device.Worked = func(channel int32, begins, took unit.Time) {
			if !r.warm {
				r.watch.Flash(channel, begins-r.origin, begins-r.origin+took)
			}
		}
	}
	for _, n := range w.Nodes[1:] {
		r.children[n.Parent]++
	}
	defer r.full(&err)
	r.host = host.New(m, w, r.device.Pages(), r)
	r.fs = sys.New(r.host)
	if m.Loaded && w.Loads && !sys.Direct {
		r.host.Fill()
	}
	for _, page := range r.host.Mounted {
		if !w.Blocks {
			r.device.Preload(page)
		}
	}
	if w.Blocks {
		r.age()
	}
	r.background = max(1, r.host.Capacity()*int(m.Host.Background)/100)
	r.limit = max(1, r.host.Capacity()*int(m.Host.Limit)/100)
	actors := r.fs.Actors()
	r.flusher = r.threads + int32(actors)
	r.clients = make([]client, r.flusher+1)
	if len(r.clients) > mostClients {
		return nil, fmt.Errorf("%d threads and actors; a run has room for %d: fewer threads (threads, recipe_threads) would help", len(r.clients), mostClients)
	}
	r.queue = newSchedule(len(r.clients))
	for i := range r.clients {
		c := &r.clients[i]
		c.thread.ID, c.start = int32(i), never
		if c.actor = int32(i) >= r.threads; c.actor {
			c.phase = sleeps
		} else {
			r.queue.set(int32(i), 0)
		}
	}
	if int64(len(r.clients)) > m.Host.Cores {
		r.cores = make(cores, m.Host.Cores)
	}
	early := r.early
	r.early = nil
	for i, at := range early {
		if at != never {
			r.Start(i, at)
		}
	}
	return r, nil
}

// check reports workloads that cannot run on a machine.
func check(w *call.Workload, m *machine.Setup) error {
	switch {
	case w.Threads < 1:
		return fmt.Errorf("%s has no threads", w.Name)
	case len(w.Nodes) == 0 || !w.Nodes[0].Dir || int(w.Most) < len(w.Nodes):
		return fmt.Errorf("%s: node 0 has to be the root, and all %d nodes below %d", w.Name, len(w.Nodes), w.Most)
	}
	var pages int64
	for i, n := range w.Nodes {
		if n.Size < 0 || i > 0 && (n.Parent < 0 || n.Parent >= int32(i) || !w.Nodes[n.Parent].Dir) {
			return fmt.Errorf("%s: node %d of %d bytes is in %d, which is no directory before it", w.Name, i, n.Size, n.Parent)
		}
		pages += unit.Bytes(n.Size).Pages()
		if size := unit.Bytes(pages) * unit.Page; size > m.Device.Capacity {
			return &UnfitError{fmt.Sprintf("%s: its files take %v or more and do not fit into the SSD, which has %v at this scale: a larger capacity, fewer or smaller files, or for a recording more of the machine (a smaller divisor, scale) would help", w.Name, size, m.Device.Capacity)}
		}
	}
	return nil
}

// full makes an error of the device being full.
func (r *run) full(err *error) {
	switch p := recover().(type) {
	case nil:
	case *host.Full:
		*err = &UnfitError{fmt.Sprintf("%s on %s: the SSD of %v (at this scale) is full: %s. A larger capacity (capacity), less other data (old_data) or fewer blocks that collection keeps free (gc_stop), or fewer and smaller files would help", r.load.Name, r.result.System, r.setup.Device.Capacity, p)}
	default:
		panic(p)
	}
}

// play runs the workload until its last thread ends.
func (r *run) play() (err error) {
	defer r.full(&err)
	for r.running > 0 && r.err == nil {
		client, at := r.queue.first()
		if r.enough() && at > r.watch.Idle {
			break
		}
		if at == never {
			return fmt.Errorf("%s on %s: after %d calls all %d threads that are left wait for each other", r.load.Name, r.result.System, r.answered, r.running)
		}
		if due, ok := r.device.Due(); ok && due <= at {
			r.current = none
			r.advance(at)
		}
		r.now, r.current = at, client
		if r.now >= r.samples.next {
			r.sample()
		}
		r.queue.set(client, r.resume(&r.clients[client]))
	}
	if r.err != nil {
		return r.err
	}
	r.finish()
	return r.err
}

// advance lets the device do what is due until a time.
func (r *run) advance(to unit.Time) {
	for {
		due, ok := r.device.Due()
		if !ok || due > to {
			return
		}
		r.now = max(r.now, due)
		r.device.Act(due)
	}
}

// fail gives the run up.
func (r *run) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// charge accounts a thread's time until now.
func (r *run) charge(c *client) {
	if r.spans {
		r.tellSpans(c)
	}
	if c.actor {
		return
	}
	ledger := &r.result.Ledger
	if c.core > c.since {
		until := min(c.core, r.now)
		ledger[WaitsCore] += until - c.since
		c.since = until
	}
	took := r.now - c.since
	ledger[c.cause] += took
	c.since = r.now
	if c.idle {
		r.result.Idle += took
		c.idle = false
	}
	if c.behind == 0 && c.collecting == 0 {
		return
	}
	switch c.cause {
	case ReadsBlocks:
		r.result.Behind[device.Block] += min(c.behind, took)
		r.result.Collecting[device.Reads] += min(c.collecting, took)
	case WritesBlocks:
		r.result.Collecting[device.Writes] += min(c.collecting, took)
	case ReadsBytes:
		r.result.Behind[device.Byte] += min(c.behind, took)
	}
	c.collected += c.collecting
	c.behind, c.collecting = 0, 0
}

// tellSpans tells of what charge accounts, and of an actor's time, of which no ledger has
// anything.
func (r *run) tellSpans(c *client) {
	since := c.since
	if c.actor {
		if c.since = r.now; c.phase == sleeps {
			return
		}
	}
	if c.core > since {
		until := min(c.core, r.now)
		r.span(c, WaitsCore, since, until)
		since = until
	}
	r.span(c, c.cause, since, r.now)
}

// told is the number of a client as spans have it: the flusher is before other actors.
func (r *run) told(client int32) int32 {
	switch {
	case client < r.threads:
		return client
	case client == r.flusher:
		return r.threads
	}
	return client + 1
}

// span tells of a client's time.
func (r *run) span(c *client, cause Cause, from, until unit.Time) {
	if r.warm || until <= from {
		return
	}
	s := Span{Client: r.told(c.thread.ID), Cause: cause, Idle: c.idle, From: from - r.origin, To: until - r.origin}
	if c.phase == steps {
		at := c.next - 1
		if cause == WaitsLog { // it asks again
			at++
		}
		s.Call, s.Step = c.thread.Call, &c.thread.Steps[at]
	}
	r.watch.Span(s)
}

// compute takes a core and returns when its work is done.
func (r *run) compute(c *client, work unit.Time, cause Cause) unit.Time {
	c.cause = cause
	if r.cores == nil {
		return r.now + work
	}
	c.core = r.cores.take(r.now, work)
	return c.core + work
}

// serve takes a server that is free from a time on.
func serve(free *unit.Time, now, work unit.Time) unit.Time {
	*free = max(*free, now) + work
	return *free
}

// resume lets a client go on. It returns when it is to go on again: never if others see
// to that.
func (r *run) resume(c *client) unit.Time {
	r.charge(c)
	turns := 0
	for {
		switch c.phase {
		case asks:
			if r.enough() || !r.ask(c) {
				return never
			}
			h := &r.setup.Host
			c.phase = waits
			if work := c.call.Think + h.Generator; work > 0 {
				return r.compute(c, work, Thinks)
			}
		case waits:
			c.phase = calls
			if at := r.at(c); at > r.now {
				c.cause, c.phase = Thinks, waits
				c.idle = c.thread.Call == 0 && !r.load.Blocks
				if before := at - c.call.Waits; !c.idle && before > r.now {
					return before
				}
				c.idle = c.idle || c.call.Waits > 0
				return at
			}
			if work := r.setup.Host.Serial; work > 0 {
				c.cause = Thinks
				return serve(&r.serial, r.now, work)
			}
		case calls:
			if r.enough() {
				return never
			}
			c.began, c.phase = r.now, blockedOnWriteBack
			if r.load.Blocks && r.setup.OpenLoop { // it waits from its time on
				c.began = min(r.now, r.origin+c.call.At)
			}
		case blockedOnWriteBack:
			if r.bars(&c.call) {
				c.cause = WaitsLock
				r.blockedOnWriteBack = append(r.blockedOnWriteBack, c.thread.ID)
				return never
			}
			r.begin(c)
			if r.err != nil {
				return never
			}
			c.phase = steps
		case sleeps:
			if turns++; turns > idle {
				r.fail(fmt.Errorf("%s: actor %d takes no time", r.result.System, c.thread.ID-r.threads))
			}
			if r.err != nil {
				return never
			}
			if !r.act(c) {
				return c.start
			}
		case steps:
			if at := r.execute(c); at > r.now {
				return at
			}
			r.written(c)
			if c.phase = asks; c.actor {
				if c.phase = sleeps; r.running == 0 && c.thread.ID == r.flusher {
					return never
				}
			} else {
				r.answer(c)
			}
		default:
			r.fail(fmt.Errorf("client %d goes on in phase %d", c.thread.ID, c.phase))
			return never
		}
	}
}

// enough reports whether so many calls are answered as are wanted.
func (r *run) enough() bool { return r.until > 0 && r.answered >= r.until }

// at is when a thread may call at last: in an open loop the time of the recording.
func (r *run) at(c *client) unit.Time {
	if !r.setup.OpenLoop {
		return 0
	}
	return c.call.At
}

// ask asks the workload for a thread's next call and reports whether there is one.
func (r *run) ask(c *client) bool {
	c.call = call.Call{Changed: call.Unknown}
	state := r.source.Next(c.thread.ID, r.now, &c.call)
	if r.staged != nil && r.staged.Stage() != r.stage {
		r.enters(r.staged.Stage())
	}
	for _, t := range r.source.Woken() {
		if o := &r.clients[t]; o.phase == absent {
			o.phase = asks
			r.queue.set(t, r.now)
		}
	}
	switch state {
	case call.Ready:
		return true
	case call.Parked:
		c.phase, c.cause, c.idle = absent, Thinks, true
	default:
		c.phase = ended
		r.running--
	}
	return false
}

// begin plans a call.
func (r *run) begin(c *client) {
	if r.now > r.last {
		r.fail(fmt.Errorf("%s on %s: the run takes more than %d hours of simulated time, for which %d threads have no room: a recording without its pauses (open_loop off), or fewer calls or threads, would help", r.load.Name, r.result.System, r.last/(3600*unit.Second), r.threads))
		return
	}
	r.made++
	t := &c.thread
	t.Call, t.Steps = r.made, t.Steps[:0]
	c.next = 0
	possible, err := r.possible(&c.call)
	if err != nil {
		r.fail(fmt.Errorf("%s, call %d: %w", r.load.Name, r.made, err))
		return
	}
	if c.failed = !possible; c.failed {
		t.Add(plan.Step{Kind: plan.CPU, For: r.setup.Host.Open})
		return
	}
	if r.watch.Record != nil {
		r.watch.Record(plan.Event{At: r.now, Moment: plan.Began, Thread: t.ID, Call: t.Call, Of: c.call})
	}
	if changesNames(c.call.Code) {
		x := &c.call
		r.naming, c.names = append(r.naming, naming{x.Node, x.Over, r.host.Files[x.Node].Parent, x.Dir, x.Code == call.Mkdir, t.ID}), true
	}
	size := r.host.Files[c.call.Node].Size
	r.fs.Plan(t, &c.call, r.now)
	if promises(&c.call) && holds(t.Steps) && (c.call.Code != call.Write || r.host.Files[c.call.Node].Size > size) {
		r.host.Sent = append(r.host.Sent, host.Sent{Node: c.call.Node, Moved: true})
	}
	if c.call.Code == call.Write {
		r.dirtied(t)
	}
	r.sends(c)
	if r.watch.Steps != nil && (r.staged == nil || !r.warm) {
		r.watch.Steps(&c.call, t.Steps)
	}
}

// promises reports whether a call is answered only when data are durable.
func promises(c *call.Call) bool {
	return c.Code == call.Fsync || c.Code == call.Fdatasync || c.Code == call.Write && c.Flags&call.Sync != 0
}

// alters reports whether there are steps that change what the device holds.
func alters(steps []plan.Step) bool {
	for i := range steps {
		switch steps[i].Kind {
		case plan.BlockWrite, plan.ByteWrite, plan.Commit, plan.Trim, plan.Flush:
			return true
		}
	}
	return false
}

// holds reports whether others have to wait for the steps of a call that makes something
// durable: where they do it, or wait for what others do not wait for by themselves.
func holds(steps []plan.Step) bool {
	return alters(steps) || slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Kind == plan.Wait && !s.With })
}

// bars reports whether a call has to wait because others are writing back its file. An
// fsync has: those pages are not dirty any more but not durable yet. A synchronous write
// sends its own pages, and waits only where those are under way already, or get a home with
// which more has to be durable. Who gives pages back waits, else they would be written to
// when they belong to others. Calls that change names wait for those that they meet.
func (r *run) bars(c *call.Call) bool {
	if len(r.naming) > 0 && changesNames(c.Code) && slices.ContainsFunc(r.naming, func(n naming) bool { return n.meets(c) }) {
		return true
	}
	write, node := false, c.Node
	switch c.Code {
	case call.Fsync, call.Fdatasync, call.Unlink, call.Truncate:
	case call.Rename:
		if c.Over == 0 {
			return false
		}
		node = c.Over
	case call.Write:
		if write = true; c.Flags&call.Sync == 0 {
			return false
		}
	default:
		return false
	}
	for i := range r.sending {
		s := &r.sending[i]
		if s.Node != node {
			continue
		}
		if !write || s.Moved {
			return true
		}
		offset := c.Offset
		if c.Flags&call.Append != 0 {
			offset = r.host.Files[c.Node].Size
		}
		if c.Length > 0 && int64(s.First)*host.PageSize < offset+c.Length && int64(s.End)*host.PageSize > offset {
			return true
		}
	}
	return false
}

// changesNames reports whether a call changes names in directories.
func changesNames(c call.Code) bool {
	switch c {
	case call.Create, call.Mkdir, call.Unlink, call.Rmdir, call.Rename:
		return true
	}
	return false
}

// meets reports whether a call that changes names comes after one that is under way, as Linux'
// locks of directories have it (Documentation/filesystems/directory-locking.rst): they are about
// the same node, or the call removes a directory in which names are being changed, or makes a name
// in one that is being made.
func (n *naming) meets(c *call.Call) bool {
	gone := c.Over
	if c.Code == call.Rmdir {
		gone = c.Node
	}
	return c.Node == n.node || n.over != 0 && c.Node == n.over ||
		c.Over != 0 && (c.Over == n.node || c.Over == n.over) ||
		gone != 0 && (gone == n.from || gone == n.to) ||
		n.makes && c.Dir == n.node
}

// sends notes which files a client's steps write back.
func (r *run) sends(c *client) {
	for _, s := range r.host.Sent {
		r.sending, c.sends = append(r.sending, sending{s, c.thread.ID}), true
	}
	r.host.Sent = r.host.Sent[:0]
}

// written notes that a client's steps have done that, and lets those go on who waited for it.
func (r *run) written(c *client) {
	if !c.sends && !c.names {
		return
	}
	named := c.names
	if c.sends, c.names = false, false; named {
		r.naming = slices.DeleteFunc(r.naming, func(n naming) bool { return n.client == c.thread.ID })
	}
	kept := r.sending[:0]
	r.over = r.over[:0]
	for _, s := range r.sending {
		if s.client != c.thread.ID {
			kept = append(kept, s)
		} else {
			r.over = append(r.over, s.Node)
		}
	}
	r.sending = kept
	left := r.blockedOnWriteBack[:0]
	for _, t := range r.blockedOnWriteBack {
		if c := &r.clients[t].call; !named && !slices.Contains(r.over, c.Node) && (c.Over == 0 || !slices.Contains(r.over, c.Over)) || r.bars(c) {
			left = append(left, t)
		} else {
			r.queue.set(t, r.now)
		}
	}
	r.blockedOnWriteBack = left
}

// possible reports whether a call succeeds, keeps how many nodes directories have, and
// counts what is asked. The file system plans only calls that succeed: in recordings
// threads may come to files before others have made them. The error is about what no
// program can ask.
func (r *run) possible(c *call.Call) (bool, error) {
	files := r.host.Files
	if uint32(c.Node) >= uint32(len(files)) || uint32(c.Dir) >= uint32(len(files)) || c.Code >= call.Codes {
		return false, fmt.Errorf("code %d of node %d in %d; there are %d nodes", c.Code, c.Node, c.Dir, len(files))
	}
	most := int64(r.setup.Device.Capacity)
	if c.Offset < 0 || c.Length < 0 || c.Offset > most || c.Length > most {
		return false, fmt.Errorf("%d bytes from %d on do not fit into the SSD, which has %v at this scale: a larger capacity (capacity) or more of the machine (scale) would help", c.Length, c.Offset, r.setup.Device.Capacity)
	}
	f := &files[c.Node]
	file := f.Exists && !f.Dir
	into := files[c.Dir].Exists && files[c.Dir].Dir
	switch c.Code {
	case call.Create, call.Mkdir:
		if f.Exists || !into {
			return false, nil
		}
		r.children[c.Dir]++
	case call.Unlink, call.Rmdir:
		if !f.Exists || c.Node == 0 || f.Dir != (c.Code == call.Rmdir) || r.children[c.Node] > 0 {
			return false, nil
		}
		c.Dir = f.Parent
		r.children[f.Parent]--
	case call.Rename:
		if c.Over != 0 {
			if uint32(c.Over) >= uint32(len(files)) {
				return false, fmt.Errorf("a rename takes the name of node %d; there are %d nodes", c.Over, len(files))
			}
			switch o := &files[c.Over]; {
			case !o.Exists: // somebody removed it before
				c.Over = 0
			case c.Over == c.Node || o.Dir != f.Dir || r.children[c.Over] > 0:
				return false, nil
			default:
				c.Dir, into = o.Parent, true
			}
		}
		if !f.Exists || !into || c.Node == 0 {
			return false, nil
		}
		for d := c.Dir; d != 0; d = files[d].Parent {
			if d == c.Node {
				return false, nil
			}
		}
		if c.Over != 0 {
			r.children[c.Dir]--
		}
		r.children[f.Parent]--
		r.children[c.Dir]++
	case call.Read:
		if !file {
			return false, nil
		}
		r.result.Asked[device.Reads] += max(0, min(c.Offset+c.Length, f.Size)-c.Offset)
	case call.Write:
		if !file {
			return false, nil
		}
		r.result.Asked[device.Writes] += c.Length
	case call.Fsync, call.Fdatasync:
		return f.Exists, nil
	case call.Truncate:
		return file, nil
	case call.Open, call.Stat, call.Close:
		return f.Exists, nil
	}
	return true, nil
}

// dirtied makes a writer that finds too many dirty pages write some back, and the flusher
// begin in time.
func (r *run) dirtied(t *plan.Thread) {
	pages, since := r.host.DirtyPages()
	if pages == 0 {
		return
	}
	if pages > r.limit {
		r.frames = r.host.Oldest(int(r.setup.Host.Batch), r.now, r.frames[:0])
		r.fs.WriteBack(t, r.frames, r.now)
	}
	at := since + r.setup.Host.Expire
	if pages > r.background {
		at = r.now
	}
	r.Start(int(r.flusher-r.threads), at)
}

// flush plans what the flusher writes next: while there are too many dirty pages any,
// else those that expired.
func (r *run) flush(t *plan.Thread) bool {
	for {
		pages, since := r.host.DirtyPages()
		if pages == 0 {
			return false
		}
		until := r.now
		if pages <= r.background {
			if until -= r.setup.Host.Expire; since > until {
				r.Start(int(r.flusher-r.threads), since+r.setup.Host.Expire)
				return false
			}
		}
		r.frames = r.host.Oldest(int(r.setup.Host.Batch), until, r.frames[:0])
		r.fs.WriteBack(t, r.frames, r.now)
		if left, _ := r.host.DirtyPages(); left >= pages {
			r.fail(fmt.Errorf("%s: dirty pages stay dirty when they are written back", r.result.System))
			return false
		}
		if len(t.Steps) > 0 {
			return true
		}
	}
}

// act asks an actor for its next steps and reports whether there are any.
func (r *run) act(c *client) bool {
	t := &c.thread
	t.Steps, c.next, c.phase = t.Steps[:0], 0, steps
	if c.start <= r.now {
		c.start = never
	}
	if t.ID == r.flusher {
		r.flush(t)
	} else {
		r.fs.Act(t, int(t.ID-r.threads), r.now)
	}
	r.sends(c)
	if len(t.Steps) == 0 { // what it writes back is in blocks that others write
		r.written(c)
		c.phase = sleeps
	}
	return c.phase == steps
}

// answer ends a thread's call.
func (r *run) answer(c *client) {
	r.answered++
	if r.tell != nil && r.answered%often == 0 {
		all := r.load.Calls
		if r.staged != nil { // which are the calls after its warm-up, of which nobody knows how many it has
			if all += r.warmed; r.warm {
				all = r.load.Calls + r.answered
			}
		}
		r.tell(int(r.answered), int(max(r.answered, all)))
	}
	if r.watch.Called != nil && !r.warm {
		r.watch.Called(Called{c.thread.ID, c.thread.Call, &c.call, c.failed, c.began - r.origin, r.now - r.origin})
	}
	if r.watch.Record != nil && !c.failed {
		r.watch.Record(plan.Event{At: r.now, Moment: plan.Answered, Thread: c.thread.ID, Call: c.thread.Call})
	}
	if c.failed {
		r.result.Failed++
	} else {
		took := r.now - c.began
		if r.alone != nil {
			r.count(c, took)
		}
		tally := &r.result.Tallies[c.call.Code]
		tally.Count++
		tally.Time += took
		switch c.call.Code {
		case call.Read:
			r.result.ReadLatency.Add(took)
			r.result.Longest = max(r.result.Longest, took)
		case call.Write:
			r.result.WriteLatency.Add(took)
			r.result.LongestWrite = max(r.result.LongestWrite, took)
		}
	}
	if r.warm && r.staged == nil && r.answered >= r.load.Warm {
		r.reset()
	}
}

// enters begins a stage of a source that goes through them. What is counted of a preparation stays
// when the measured part begins, but for how long channels worked.
func (r *run) enters(stage call.Stage) {
	before := r.stage
	if r.stage = stage; stage == call.Warming {
		return
	}
	if r.device == nil { // the run begins with it
		r.warm = stage != call.Measured
		return
	}
	device, host, asked, names := r.device.Counts, r.host.Counts, r.result.Asked, r.result.Named()
	r.reset()
	if before == call.Preparing {
		device.Busy = r.device.Counts.Busy
		r.device.Counts, r.host.Counts, r.result.Asked, r.result.Prepared = device, host, asked, names
	}
	if r.warm = stage != call.Measured; !r.warm {
		r.made = 0
	}
}

// reset begins the measured part.
func (r *run) reset() {
	r.warm, r.origin, r.warmed = false, r.now, r.answered
	old := r.result
	*r.result = Result{System: old.System, Workload: old.Workload, Scale: old.Scale, Threads: old.Threads}
	busy := r.device.Counts.Busy
	clear(busy)
	r.device.Counts = device.Counts{Busy: busy}
	r.host.Counts = host.Counts{}
	r.samples = sampler{next: r.now}
	for i := range r.clients {
		r.clients[i].since = r.now
	}
}

// drain lets actors end what they have begun. The flusher begins nothing more.
func (r *run) drain() {
	for r.err == nil && slices.ContainsFunc(r.clients[r.threads:], func(c client) bool { return c.phase != sleeps }) {
		client, at := r.queue.first()
		if at == never {
			r.fail(fmt.Errorf("%s: what is under way at the end waits for somebody", r.result.System))
			return
		}
		r.advance(at)
		r.now, r.current = max(r.now, at), client
		c := &r.clients[client]
		if at = never; c.phase != sleeps || client != r.flusher {
			at = r.resume(c)
		}
		r.queue.set(client, at)
	}
}

// finish makes the result.
func (r *run) finish() {
	res := r.result
	res.Time, res.Calls = r.now-r.origin, r.answered-r.warmed
	for i := range r.clients[:r.threads] {
		if c := &r.clients[i]; c.phase == ended {
			res.Ended += r.now - c.since
		} else {
			r.charge(c)
		}
	}
	r.sample()
	r.device.Tell()
	h := &r.host.Counts
	res.Hits, res.Misses = h.Hits, h.Misses
	res.Through = [device.Directions]int64{device.Reads: h.ReadThrough, device.Writes: h.WrittenThrough}
	res.SentNothing, res.SentBytes, res.SentBlocks, res.Commits = h.SentNothing, h.SentBytes, h.SentBlocks, h.Commits
	res.Samples = r.samples.list
	for _, s := range res.Samples {
		res.Duplicates += s.Duplicates
		res.Cached += s.Cached
	}
	before := r.device.Counts
	before.Busy = slices.Clone(before.Busy)
	if r.running == 0 {
		r.drain()
		c := &r.clients[r.flusher]
		c.thread.Steps, c.next = c.thread.Steps[:0], 0
		r.fs.Finish(&c.thread, r.now)
		for c.next < len(c.thread.Steps) && r.err == nil {
			at := r.execute(c)
			if at == never {
				r.fail(fmt.Errorf("%s: what is written at the end waits for somebody", res.System))
				break
			}
			r.advance(at)
			r.now = max(r.now, at)
		}
	}
	res.Device = r.device.Counts
	res.Device.Busy = slices.Clone(res.Device.Busy)
	res.LeftInDRAM = r.device.Unwritten()
	if a := r.alone; a != nil {
		a.Least, a.Erases, a.Most, a.Blocks = r.device.Worn()
	}
	res.Left = difference(&res.Device, &before)
}
