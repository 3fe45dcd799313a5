package load

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// What a recording may have at most.
const (
	MaxCalls   = 2 << 20 // 56 bytes each, and 24 more while it is replayed
	MaxThreads = 1024
	MaxNodes   = 1 << 20
	MaxSize    = 1 << 40 // bytes of a file
)

// A need is what must have happened to a node before a call: so many of its changes (it
// was created, removed, renamed, replaced) answered; and of a change, as many calls of it at all.
type need struct{ changes, calls int32 }

// A replayed is a recording with what its calls wait for: three needs a call, of its node,
// of the directory that it names, and of what it replaces.
type replayed struct {
	rec   *Recording
	needs [][]need
	open  bool
}

// Replay makes a workload of a recording. Threads call as soon as they can, or under
// Setup.OpenLoop not before the time that the recording says. A call that needs what
// another thread did in the recording before it, as creating its file, waits for that.
func Replay(r *Recording, s *machine.Setup) (*call.Workload, error) {
	w := &call.Workload{Name: r.Name, Scale: 1, Threads: len(r.Threads), Nodes: r.Nodes, Most: r.Most, Unsure: unsureRecording}
	for _, t := range r.Threads {
		w.Calls += int64(len(t))
	}
	switch {
	case w.Calls == 0:
		return nil, errors.New("the recording has no calls; open another")
	case w.Calls > MaxCalls:
		return nil, fmt.Errorf("the recording has %d calls; %d are possible: cut it", w.Calls, MaxCalls)
	case w.Threads > MaxThreads:
		return nil, fmt.Errorf("the recording has %d threads; %d are possible: record fewer", w.Threads, MaxThreads)
	case len(r.Nodes) == 0 || !r.Nodes[0].Dir || int(r.Most) < len(r.Nodes) || r.Most > MaxNodes:
		return nil, fmt.Errorf("the recording's node 0 is not the root, or it has not %d to %d nodes as it says", len(r.Nodes), MaxNodes)
	case slices.ContainsFunc(r.Nodes, func(n call.Node) bool { return int(n.Parent) >= len(r.Nodes) || n.Size < 0 || n.Size > MaxSize }):
		return nil, fmt.Errorf("a node of the recording has a parent beyond the %d that exist, or a size of more than %v", len(r.Nodes), unit.Bytes(MaxSize))
	}
	for i, t := range r.Threads {
		for k := range t {
			if err := valid(&t[k], r.Most); err != nil {
				return nil, fmt.Errorf("thread %d, call %d: %w", i, k+1, err)
			}
		}
	}
	p := &replayed{rec: r, open: s.OpenLoop}
	if !p.order() {
		return nil, errors.New("the recording's Order has not every call of every thread once")
	}
	if r.Blocks {
		return w, requests(w, r, s)
	}
	w.Start = p.start
	return w, nil
}

// valid reports what is wrong with a call of a recording with so many nodes.
func valid(c *call.Call, most int32) error {
	switch {
	case c.Code >= call.Codes:
		return fmt.Errorf("there is no call %d", c.Code)
	case c.Node < 0 || c.Node >= most || c.Dir < 0 || c.Dir >= most || c.Over < 0 || c.Over >= most:
		return fmt.Errorf("it is of node %d in %d over %d; numbers are 0 to %d", c.Node, c.Dir, c.Over, most-1)
	case c.Offset < 0 || c.Length < 0 || c.Offset > MaxSize || c.Length > MaxSize:
		return fmt.Errorf("offset %d and length %d; want 0 to %d", c.Offset, c.Length, int64(MaxSize))
	case c.Changed < call.Unknown || c.Changed > 100:
		return fmt.Errorf("%d %% of its lines are changed", c.Changed)
	}
	return nil
}

// changing reports whether a call changes which names there are.
func changing(c call.Code) bool {
	switch c {
	case call.Create, call.Unlink, call.Mkdir, call.Rmdir, call.Rename:
		return true
	}
	return false
}

// order finds what every call needs: it goes through all calls in the order in which they
// took effect. It reports false if that is not said of all.
func (p *replayed) order() bool {
	threads := p.rec.Threads
	p.needs = make([][]need, len(threads))
	for i, t := range threads {
		p.needs[i] = make([]need, 3*len(t))
	}
	at := make([]int, len(threads))
	counts, dir := make([]need, p.rec.Most), p.dirs()
	for _, t := range p.rec.Order {
		if t < 0 || int(t) >= len(threads) || at[t] == len(threads[t]) {
			return false
		}
		c := &threads[t][at[t]]
		n := p.needs[t][3*at[t]:]
		at[t]++
		n[0] = counts[c.Node]
		counts[c.Node].calls++
		if changing(c.Code) {
			n[1], n[2] = counts[c.Dir], counts[c.Over]
			count(counts, dir, c)
		} else {
			n[0].calls = 0
		}
	}
	for i, t := range threads {
		if at[i] < len(t) {
			return false
		}
	}
	return true
}

// dirs returns in which directory nodes are at the beginning.
func (p *replayed) dirs() []int32 {
	dir := make([]int32, p.rec.Most)
	for i := range p.rec.Nodes {
		dir[i] = max(p.rec.Nodes[i].Parent, 0)
	}
	return dir
}

// count notes a change of names, which is also a call of the directories.
func count(counts []need, dir []int32, c *call.Call) {
	counts[c.Node].changes++
	counts[c.Dir].calls++
	if old := dir[c.Node]; c.Code == call.Rename && old != c.Dir {
		counts[old].calls++
	}
	dir[c.Node] = c.Dir
	if c.Over != 0 {
		counts[c.Over].changes++
		counts[c.Over].calls++
	}
}

// A replay is a source of a recording's calls.
type replay struct {
	*replayed
	at            []int // of each thread
	under         []bool
	happened      []need  // to nodes
	dir           []int32 // that they are in
	parked, woken []int32
}

func (p *replayed) start() call.Source {
	n := len(p.rec.Threads)
	return &replay{
		replayed: p, at: make([]int, n), under: make([]bool, n), happened: make([]need, p.rec.Most), dir: p.dirs(),
		parked: make([]int32, 0, n), woken: make([]int32, 0, n),
	}
}

// Woken implements call.Source.
func (p *replay) Woken() []int32 {
	list := p.woken
	p.woken = p.woken[:0]
	return list
}

// ready reports whether a thread's next call has what it needs.
func (p *replay) ready(thread int32) bool {
	k := p.at[thread]
	c := &p.rec.Threads[thread][k]
	n := p.needs[thread][3*k : 3*k+3]
	h := &p.happened[c.Node]
	if h.changes < n[0].changes || h.calls < n[0].calls {
		return false
	}
	if o := &p.happened[c.Over]; c.Over != 0 && (o.changes < n[2].changes || o.calls < n[2].calls) {
		return false
	}
	return !changing(c.Code) || p.happened[c.Dir].changes >= n[1].changes
}

// Next implements call.Source.
func (p *replay) Next(thread int32, _ unit.Time, c *call.Call) call.State {
	calls := p.rec.Threads[thread]
	if p.under[thread] {
		p.under[thread] = false
		done := &calls[p.at[thread]]
		p.at[thread]++
		p.happened[done.Node].calls++
		if changing(done.Code) {
			count(p.happened, p.dir, done)
		}
		still := p.parked[:0]
		for _, t := range p.parked {
			if p.ready(t) {
				p.woken = append(p.woken, t)
			} else {
				still = append(still, t)
			}
		}
		p.parked = still
	}
	if p.at[thread] == len(calls) {
		return call.Done
	}
	if !p.ready(thread) {
		p.parked = append(p.parked, thread)
		return call.Parked
	}
	p.under[thread] = true
	*c = calls[p.at[thread]]
	if !p.open {
		c.At = 0
	}
	return call.Ready
}
