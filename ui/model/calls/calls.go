// Package calls is the one table of jobs that somebody waits for: who, how far, and how
// to stop. Whoever wants something done starts a call and is told, once, how it ended;
// nobody is asked whether an answer is his.
package calls

import "spillway/ui/exec"

// A Priority says who goes first among jobs that wait.
type Priority uint8

// The priorities, the most urgent first.
const (
	Shown  Priority = iota // somebody looks at the place where its answer will stand
	Behind                 // one of many, or for later: all that is shown goes first
)

// MostAtOnce is how many jobs of many are handed to the workers: enough to keep them busy,
// few enough that other work does not wait long.
const MostAtOnce = 6

// A Host does jobs: the page's pool of workers, or a queue.
type Host interface {
	// Start does j as soon as there is room, in the order of the calls among jobs of one
	// priority. Its answers come back through Table.Answer, never before Start returns.
	Start(j *exec.Job, p Priority)
	// Raise lets a job that waits go first as one of this priority would; nothing happens if
	// it is under way.
	Raise(id int, p Priority)
	// Stop ends the jobs with these IDs; nobody waits for them any more.
	Stop(ids []int)
}

// A Table is the calls under way. Its zero value is of no use; see [NewTable].
type Table struct {
	host   Host
	newest int // number of the newest job
	active map[int]*Call
}

// NewTable returns an empty table of jobs that h does.
func NewTable(h Host) *Table { return &Table{host: h, active: map[int]*Call{}} }

// A Call is one job that somebody waits for. Of a nil call everything may be asked: it is
// not active.
type Call struct {
	// Done of Total is how far the job is, in a unit of its own; Total is 0 before
	// anything is known.
	Done, Total int

	id       int
	priority Priority
	table    *Table // nil when it has ended or was stopped
	told     func(*Call)
	ended    func(*exec.Answer)
}

// Start gives j its number and hands it to the host. told is called when the job says how
// far it is, and may be nil; ended once with its last answer, unless the call is stopped
// before. Neither is called before Start has returned.
func (t *Table) Start(j *exec.Job, p Priority, told func(*Call), ended func(*exec.Answer)) *Call {
	t.newest++
	j.ID = t.newest
	c := &Call{id: j.ID, priority: p, table: t, told: told, ended: ended}
	t.active[c.id] = c
	t.host.Start(j, p)
	return c
}

// Answer takes what a worker said, and reports whether somebody waits for it.
func (t *Table) Answer(a *exec.Answer) bool {
	c := t.active[a.ID]
	switch {
	case c == nil:
		return false
	case a.Last:
		delete(t.active, c.id)
		c.table = nil
		c.ended(a)
	default:
		c.Done, c.Total = a.Done, a.Total
		if c.told != nil {
			c.told(c)
		}
	}
	return true
}

// Raise gives the call a more urgent priority, if it has not got one.
func (c *Call) Raise(p Priority) {
	if c.Active() && p < c.priority {
		c.priority = p
		c.table.host.Raise(c.id, p)
	}
}

// Active reports whether the job waits or is computed.
func (c *Call) Active() bool { return c != nil && c.table != nil }

// Part is how much of the job is done, from 0 to 1; 0 if that is not known.
func (c *Call) Part() float64 {
	if c == nil || c.Total <= 0 {
		return 0
	}
	return min(1, float64(c.Done)/float64(c.Total))
}

// Stop ends calls of one table, with one message for all; ended and nil ones are fine.
func Stop(list ...*Call) {
	var table *Table
	var ids []int
	for _, c := range list {
		if c.Active() {
			table = c.table
			ids = append(ids, c.id)
			delete(table.active, c.id)
			c.table = nil
		}
	}
	if table != nil {
		table.host.Stop(ids)
	}
}
