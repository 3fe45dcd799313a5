package filesys

import (
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// naive is a second engine, written as plainly as possible: every client is a coroutine
// that yields the time it sleeps until, and who wakes next is looked for in a list.
type naive struct {
	run     *run // possible, and the limits of dirty pages, are not written twice
	clients []*sleeper
	agenda  []alarm
	count   int
	cores   []unit.Time
	locks   map[int32][]int32 // who holds it, then who waits
	serial  unit.Time
	starts  map[int32]unit.Time
	absent  map[int32]bool
	barred  []int32
	sending map[int32][]host.Sent
	naming  map[int32]named
	ledger  [Causes]unit.Time
	ended   []unit.Time
	calls   int64
}

type alarm struct {
	at     unit.Time
	count  int
	client int32
}

type sleeper struct {
	thread plan.Thread
	next   func() (unit.Time, bool)
}

const forever = unit.Time(-1)

func (n *naive) set(client int32, at unit.Time) {
	n.count++
	n.agenda = append(n.agenda, alarm{at, n.count, client})
}

func (n *naive) Wake(thread int32, at unit.Time) { n.set(thread, max(at, n.run.now)) }

func (n *naive) Start(actor int, at unit.Time) {
	id := n.run.threads + int32(actor)
	at = max(at, n.run.now)
	if was, is := n.starts[id]; is && was <= at {
		return
	}
	n.starts[id] = at
	if n.absent[id] {
		n.agenda = slices.DeleteFunc(n.agenda, func(a alarm) bool { return a.client == id })
		n.set(id, at)
	}
}

func (*naive) Recording() bool   { return false }
func (*naive) Record(plan.Event) {}

// spend accounts time of a client.
func (n *naive) spend(id int32, cause Cause, from unit.Time) {
	if id < n.run.threads {
		n.ledger[cause] += n.run.now - from
	}
}

func (n *naive) compute(id int32, work unit.Time, cause Cause, yield func(unit.Time)) {
	if work == 0 {
		return
	}
	from, first := n.run.now, 0
	for i := range n.cores {
		if n.cores[i] < n.cores[first] {
			first = i
		}
	}
	start := max(from, n.cores[first])
	n.cores[first] = start + work
	yield(start + work)
	n.spend(id, cause, start)
	if id < n.run.threads {
		n.ledger[WaitsCore] += start - from
	}
}

// sleep waits until a time, or until others end that.
func (n *naive) sleep(id int32, at unit.Time, cause Cause, yield func(unit.Time)) {
	if from := n.run.now; at == forever || at > from {
		yield(at)
		n.spend(id, cause, from)
	}
}

// A named is a call that changes names, and the directory that it takes one from.
type named struct {
	call.Call
	from int32
}

// renaming reports whether names are being changed that a call would change too, or rests on.
func (n *naive) renaming(c *call.Call) bool {
	codes := []call.Code{call.Create, call.Mkdir, call.Unlink, call.Rmdir, call.Rename}
	if !slices.Contains(codes, c.Code) {
		return false
	}
	for _, u := range n.naming {
		for i, x := range []int32{c.Node, c.Over} {
			if x != 0 && (x == u.Node || x == u.Over) {
				return true
			}
			if removed := x != 0 && (i == 1 || c.Code == call.Rmdir); removed && (x == u.Dir || x == u.from) {
				return true
			}
		}
		if u.Code == call.Mkdir && c.Dir == u.Node {
			return true
		}
	}
	return false
}

// bars is what the engine calls so: a write-back of the file is under way, or a change of names.
func (n *naive) bars(c *call.Call) bool {
	if n.renaming(c) {
		return true
	}
	any, touches := false, false
	of := c.Node
	if c.Code == call.Rename {
		of = c.Over
	}
	for _, list := range n.sending {
		for _, s := range list {
			if s.Node != of {
				continue
			}
			any = true
			offset := c.Offset
			if c.Flags&call.Append != 0 {
				offset = n.run.host.Files[c.Node].Size
			}
			first, last := int32(offset/host.PageSize), int32((offset+c.Length-1)/host.PageSize)
			touches = touches || s.Moved || c.Length > 0 && first < s.End && last >= s.First
		}
	}
	switch c.Code {
	case call.Fsync, call.Fdatasync, call.Unlink, call.Truncate:
		return any
	case call.Rename:
		return c.Over != 0 && any
	case call.Write:
		return c.Flags&call.Sync != 0 && touches
	}
	return false
}

// holds reports whether a plan keeps others from its file: by what it writes or gives back,
// or by waiting alone.
func (n *naive) holds(list []plan.Step, but ...plan.Kind) bool {
	kinds := []plan.Kind{plan.BlockWrite, plan.ByteWrite, plan.Commit, plan.Trim, plan.Wait, plan.Flush}
	return slices.ContainsFunc(list, func(s plan.Step) bool {
		return slices.Contains(kinds, s.Kind) && !slices.Contains(but, s.Kind) && !(s.Kind == plan.Wait && s.With)
	})
}

// sent notes what a client's steps write back.
func (n *naive) sent(id int32) {
	n.sending[id] = slices.Clone(n.run.host.Sent)
	n.run.host.Sent = n.run.host.Sent[:0]
}

// calls waiting for what a client has written back go on.
func (n *naive) written(id int32) {
	if _, names := n.naming[id]; !names && len(n.sending[id]) == 0 {
		return
	}
	n.sending[id] = nil
	delete(n.naming, id)
	n.barred = slices.DeleteFunc(n.barred, func(t int32) bool {
		if n.bars(&n.run.clients[t].call) {
			return false
		}
		n.set(t, n.run.now)
		return true
	})
}

// coroutine is what a client does, which is given up where it sleeps when the run ends.
func (n *naive) coroutine(client func(yield func(unit.Time))) iter.Seq[unit.Time] {
	type over struct{}
	return func(yield func(unit.Time) bool) {
		defer func() {
			if p := recover(); p != nil && p != (over{}) {
				panic(p)
			}
		}()
		client(func(at unit.Time) {
			if !yield(at) {
				panic(over{})
			}
		})
	}
}

func (n *naive) thread(id int32) iter.Seq[unit.Time] {
	return n.coroutine(func(yield func(unit.Time)) {
		r := n.run
		t, c := &n.clients[id].thread, &r.clients[id].call
		for {
			*c = call.Call{Changed: call.Unknown}
			state := r.source.Next(id, r.now, c)
			for _, w := range r.source.Woken() {
				if n.absent[w] {
					n.absent[w] = false
					n.set(w, r.now)
				}
			}
			if state == call.Done {
				n.ended = append(n.ended, r.now)
				r.running--
				return
			}
			if state == call.Parked {
				n.absent[id] = true
				n.sleep(id, forever, Thinks, yield)
				continue
			}
			h := &r.setup.Host
			own := c.Think
			if r.load.Generated {
				own += h.Generator
			}
			n.compute(id, own, Thinks, yield)
			if r.setup.OpenLoop {
				n.sleep(id, c.At, Thinks, yield)
			}
			if r.load.Generated && h.Serial > 0 {
				n.serial = max(n.serial, r.now) + h.Serial
				n.sleep(id, n.serial, Thinks, yield)
			}
			began := r.now
			for n.bars(c) {
				n.barred = append(n.barred, id)
				n.sleep(id, forever, WaitsLock, yield)
			}
			t.Steps = t.Steps[:0]
			n.calls++
			t.Call = n.calls
			ok, err := r.possible(c)
			failed := !ok
			if err != nil {
				panic(err)
			} else if failed {
				r.result.Failed++
				n.compute(id, h.Open, Computes, yield)
			} else {
				if c.Code >= call.Unlink && c.Code <= call.Rename || c.Code == call.Create {
					n.naming[id] = named{*c, r.host.Files[c.Node].Parent}
				}
				size := r.host.Files[c.Node].Size
				r.fs.Plan(t, c, r.now)
				if promises(c) && n.holds(t.Steps) && (c.Code != call.Write || r.host.Files[c.Node].Size > size) {
					r.host.Sent = append(r.host.Sent, host.Sent{Node: c.Node, Moved: true})
				}
				if pages, since := r.host.DirtyPages(); c.Code == call.Write && pages > 0 {
					if pages > r.limit {
						r.fs.WriteBack(t, r.host.Oldest(int(h.Batch), r.now, nil), r.now)
					}
					if pages > r.background {
						since = r.now - h.Expire
					}
					n.Start(int(r.flusher-r.threads), since+h.Expire)
				}
				n.sent(id)
				n.steps(id, yield)
				n.written(id)
			}
			if failed {
				continue
			}
			tally := &r.result.Tallies[c.Code]
			tally.Count++
			tally.Time += r.now - began
			if c.Code == call.Read {
				r.result.ReadLatency.Add(r.now - began)
				r.result.Longest = max(r.result.Longest, r.now-began)
			}
		}
	})
}

func (n *naive) actor(id int32) iter.Seq[unit.Time] {
	return n.coroutine(func(yield func(unit.Time)) {
		r := n.run
		t := &n.clients[id].thread
		for {
			if at, is := n.starts[id]; is && at <= r.now {
				delete(n.starts, id)
			}
			t.Steps = t.Steps[:0]
			if id < r.flusher {
				r.fs.Act(t, int(id-r.threads), r.now)
			} else {
				for len(t.Steps) == 0 {
					pages, since := r.host.DirtyPages()
					until := r.now
					if pages > 0 && pages <= r.background {
						if until -= r.setup.Host.Expire; since > until {
							n.Start(int(id-r.threads), since+r.setup.Host.Expire)
							pages = 0
						}
					}
					if pages == 0 {
						break
					}
					r.fs.WriteBack(t, r.host.Oldest(int(r.setup.Host.Batch), until, nil), r.now)
				}
			}
			n.sent(id)
			if len(t.Steps) > 0 {
				n.steps(id, yield)
				n.written(id)
				continue
			}
			at, is := n.starts[id]
			if !is {
				at = forever
			}
			n.absent[id] = true
			yield(at)
			n.absent[id] = false
		}
	})
}

// steps executes a client's steps.
func (n *naive) steps(id int32, yield func(unit.Time)) {
	r, t := n.run, &n.clients[id].thread
	d := r.device
	for i := 0; i < len(t.Steps); i++ {
		var end unit.Time
		var cause Cause
	group:
		for {
			s := t.Steps[i]
			bytes, way, by := int64(0), device.Reads, device.Block
			var done unit.Time
			what := ReadsBlocks
			switch s.Kind {
			case plan.CPU:
				n.compute(id, s.For, Computes, yield)
			case plan.Hold:
				if n.locks[s.Page] = append(n.locks[s.Page], id); len(n.locks[s.Page]) > 1 {
					n.sleep(id, forever, WaitsLock, yield)
				}
			case plan.Release:
				if n.locks[s.Page] = n.locks[s.Page][1:]; len(n.locks[s.Page]) > 0 {
					n.set(n.locks[s.Page][0], r.now)
				}
			case plan.Wait:
				if s.With && !n.holds(t.Steps[i+1:], plan.Wait) {
					n.written(id)
				}
				if !r.fs.Wait(t, &t.Steps[i], r.now) {
					n.sleep(id, forever, WaitsJournal, yield)
				}
			case plan.Mark:
				r.fs.Marked(t, t.Steps[i].Note(), r.now)
			case plan.BlockRead:
				done, bytes = d.BlockRead(r.now, s.Structure, s.Page, s.N), int64(s.N)*4096
			case plan.BlockWrite:
				bytes, way, what = int64(s.N)*4096, device.Writes, WritesBlocks
				if s.GoesThrough() {
					done = d.WriteThrough(r.now, s.Structure, s.Page, s.N, s.Tx)
				} else {
					done = d.BlockWrite(r.now, s.Structure, s.Page, s.N, s.Tx)
				}
			case plan.Flush:
				done, what = d.Flush(r.now), WritesBlocks
			case plan.ByteRead:
				d.Asked = s.N
				done, bytes, by, what = d.ByteRead(r.now, s.Structure, s.Page, s.Lines), s.Bytes(), device.Byte, ReadsBytes
			case plan.ByteWrite:
				d.Asked = s.N
				for first := true; ; first = false {
					at, ok := d.ByteWrite(r.now, s.Structure, s.Page, s.Lines, s.Tx)
					if done = at; ok {
						break
					}
					if first {
						d.Counts.Full++
					}
					n.sleep(id, max(at, r.now+1), WaitsLog, yield)
				}
				bytes, by, way, what = s.Bytes(), device.Byte, device.Writes, WritesBytes
			case plan.Commit:
				done, what = d.Commit(r.now, s.Tx), WritesBytes
			case plan.Trim:
				for p := range s.N {
					d.Trim(r.now, s.Page+p)
				}
			}
			if id < r.threads {
				r.result.Tallies[r.clients[id].call.Code].Bytes[s.Structure][by][way] += bytes
			}
			if done > end {
				end, cause = done, what
			}
			if !s.With || i == len(t.Steps)-1 {
				break group
			}
			i++
		}
		n.sleep(id, end, cause, yield)
	}
}

// naively is runOf by the naive engine; nil if the run cannot be.
func naively(w *call.Workload, s *machine.Setup, sys *System) *Result {
	m := s.Scaled()
	n := &naive{
		cores: make([]unit.Time, m.Host.Cores), locks: map[int32][]int32{},
		starts: map[int32]unit.Time{}, absent: map[int32]bool{}, sending: map[int32][]host.Sent{}, naming: map[int32]named{},
	}
	r := &run{setup: &m, load: w, threads: int32(w.Threads), running: int32(w.Threads), source: w.Start(), children: make([]int32, w.Most), result: &Result{}}
	n.run = r
	for _, node := range w.Nodes[1:] {
		r.children[node.Parent]++
	}
	r.device = device.New(&m, sys.Memory, m.Ack == machine.OnProgram || m.Ack == machine.AsArtifact && sys.Waits, nil)
	r.host = host.New(&m, w, r.device.Pages(), n)
	r.fs = sys.New(r.host)
	if s.Loaded && w.Loads && !sys.Direct {
		r.host.Fill()
	}
	for _, page := range r.host.Mounted {
		r.device.Preload(page)
	}
	r.background, r.limit = max(1, r.host.Capacity()*int(m.Host.Background)/100), max(1, r.host.Capacity()*int(m.Host.Limit)/100)
	r.flusher = r.threads + int32(r.fs.Actors())
	r.clients = make([]client, r.threads)
	for id := range r.flusher + 1 {
		n.clients = append(n.clients, &sleeper{thread: plan.Thread{ID: id}})
		seq := n.actor(id)
		if id < r.threads {
			seq = n.thread(id)
			n.set(id, 0)
		} else if n.absent[id] = true; n.starts[id] != 0 {
			n.set(id, n.starts[id])
		}
		next, stop := iter.Pull(seq)
		defer stop()
		n.clients[id].next = next
	}
	for r.running > 0 {
		first := 0
		for i, a := range n.agenda {
			if f := n.agenda[first]; a.at < f.at || a.at == f.at && a.count < f.count {
				first = i
			}
		}
		a := n.agenda[first]
		n.agenda = slices.Delete(n.agenda, first, first+1)
		for {
			due, ok := r.device.Due()
			if !ok || due > a.at {
				break
			}
			r.device.Act(due)
		}
		r.now = a.at
		if a.client >= r.threads {
			n.absent[a.client] = false
		}
		if at, ok := n.clients[a.client].next(); ok && at != forever {
			n.set(a.client, at)
		}
	}
	res := r.result
	res.Time, res.Calls, res.Ledger = r.now, n.calls, n.ledger
	for _, at := range n.ended {
		res.Ended += r.now - at
	}
	res.Device = r.device.Counts
	return res
}

// TestNaive: both engines agree in every number.
func TestNaive(t *testing.T) {
	systems := slices.Clone(plains)
	for i := range Systems {
		systems = append(systems, &Systems[i])
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		w, s := randomCalls(r), randomSetup(r)
		w.Warm = 0
		sys := systems[seed%uint64(len(systems))]
		got, err := runOf(w, &s, sys, nil)
		if err != nil {
			continue // the SSD is full
		}
		want := naively(w, &s, sys)
		if got.Time != want.Time || got.Calls != want.Calls || got.Failed != want.Failed || got.Ended != want.Ended || got.Ledger != want.Ledger {
			t.Errorf("seed %d on %s: %v, %d calls, %d failed, %v; plainly %v, %d, %d, %v", seed, sys.Name, got.Time, got.Calls, got.Failed, got.Ledger, want.Time, want.Calls, want.Failed, want.Ledger)
			continue
		}
		if got.Tallies != want.Tallies || got.ReadLatency != want.ReadLatency || got.Longest != want.Longest {
			t.Errorf("seed %d on %s: tallies differ", seed, sys.Name)
		}
		if before := difference(&got.Device, &got.Left); !reflect.DeepEqual(before, want.Device) {
			t.Errorf("seed %d on %s: the device counts %+v; plainly %+v", seed, sys.Name, before, want.Device)
		}
	}
}
