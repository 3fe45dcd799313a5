// Package results is what is known of runs, and the only place that asks workers for
// them: two wants of one run make one job.
package results

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/model/calls"
)

// A Run is one system with the settings of a setup text, on a set of opened files; 0 is
// none.
type Run struct {
	Setup, System string
	Files         int
}

// Key is the run as a text, equal for equal runs.
func (r Run) Key() string { return fmt.Sprintf("%s system=%s files=%d", r.Setup, r.System, r.Files) }

// A Result is what came of a run: a report, or what contradicts in its settings, or what
// went wrong.
type Result struct {
	Report   *report.Report
	Problems []string
	Error    string
	Remedies []string // setup texts, with any of which it can be run
}

// How much is kept: reports with curves, so that undo and comparing back and forth need no
// second run; and values alone. Of the training laboratory, with 54 quantities and a setup
// text of 240 bytes, 860 bytes each were measured, which is ten megabytes.
const (
	mostReports = 128
	MostValues  = 12000
)

// What is under way for values alone: batches enough to keep the workers busy, and so many
// runs in each that one takes a sixth of a second.
const (
	batchesAtOnce  = 4
	mostInBatch    = 24
	batchesASecond = 6
)

// A Store is what is known of the runs of one laboratory, and what is under way for them.
type Store struct {
	lab     string
	table   *calls.Table
	reports shelf[*report.Report]
	values  shelf[*Outcome]

	under   map[Run]*job // of each run that waits or is computed the newest job
	queue   []*job       // for values alone, that no worker has got
	batches int          // of such jobs, under way

	begun time.Time                // when those that are under way began
	took  map[string]time.Duration // how long the last run of a system by itself was under way
	done  int                      // runs of such jobs since
	rate  float64                  // of such runs in a second, as last measured; 0 if never
}

// NewStore returns an empty store of a laboratory, which asks by way of a table.
func NewStore(lab string, t *calls.Table) *Store {
	return &Store{
		lab: lab, table: t, under: map[Run]*job{}, took: map[string]time.Duration{},
		reports: shelf[*report.Report]{most: mostReports}, values: shelf[*Outcome]{most: MostValues},
	}
}

// A job is one run that somebody wants.
type job struct {
	run    Run
	curves bool // its report will have them
	wants  []*Want
	batch  *batch // that does it, nil while it waits
}

// A batch is the jobs that a worker does with one call: one with curves, or several that
// are about values alone.
type batch struct {
	jobs []*job
	call *calls.Call
}

// A Want is one asker's wish for one run. Of a nil want everything may be asked.
type Want struct {
	Run Run
	// Result is what came of it, nil before.
	Result *Result

	asker *Asker
	job   *job // nil when it has ended
}

// Active reports whether the run waits or is computed.
func (w *Want) Active() bool { return w != nil && w.job != nil }

// Part is how much of the run is done, from 0 to 1; 0 if that is not known.
func (w *Want) Part() float64 {
	if !w.Active() || w.job.batch == nil {
		return 0
	}
	return w.job.batch.call.Part()
}

// Known reports whether the worker has said how far it is.
func (w *Want) Known() bool {
	return w.Active() && w.job.batch != nil && w.job.batch.call.Total > 0
}

// An Asker is somebody who wants runs: those of the newest Wants, and no others.
type Asker struct {
	// Told is called when one of its runs says how far it is, and may be nil; Ended with
	// those of its wants that have their results, once for each call of a worker. It may
	// want others.
	Told  func()
	Ended func([]*Want)
	// Passing: reports of what only such askers want are not kept.
	Passing bool

	store    *Store
	priority calls.Priority
	curves   bool
	wants    map[Run]*Want
	order    []*Want // of Wants; some may have ended
}

// Asker returns somebody who wants runs with their curves.
func (s *Store) Asker(p calls.Priority) *Asker {
	return &Asker{store: s, priority: p, curves: true, wants: map[Run]*Want{}}
}

// ValueAsker returns somebody who wants the values of many runs, behind all that is shown.
func (s *Store) ValueAsker() *Asker {
	return &Asker{store: s, priority: calls.Behind, wants: map[Run]*Want{}}
}

// Want is what the asker waits for of a run, nil if that is nothing.
func (a *Asker) Want(r Run) *Want { return a.wants[r] }

// Active reports whether any of its runs waits or is computed.
func (a *Asker) Active() bool { return len(a.wants) > 0 }

// Wants says which runs are wanted from now on, the most urgent first. What is under way
// for others too goes on; what nobody wants any more is stopped before anything begins.
func (a *Asker) Wants(list []Run) {
	was, wanted := a.order, make(map[Run]bool, len(list))
	a.order = make([]*Want, 0, len(list))
	var begin []*job
	for _, r := range list {
		if wanted[r] {
			continue
		}
		wanted[r] = true
		w := a.wants[r]
		if w == nil {
			w = &Want{Run: r, asker: a}
			a.wants[r] = w
			if a.store.join(w) {
				begin = append(begin, w.job)
			}
		}
		a.order = append(a.order, w)
	}
	var stop []*calls.Call
	for _, w := range was {
		if w.Active() && !wanted[w.Run] {
			delete(a.wants, w.Run)
			stop = append(stop, a.store.leave(w))
		}
	}
	calls.Stop(stop...)
	for _, j := range begin {
		a.store.begin(j, a.priority)
	}
	a.store.feed()
}

// join finds the job for a new want, and reports whether it is to begin.
func (s *Store) join(w *Want) (begin bool) {
	j := s.under[w.Run]
	switch {
	case j == nil || w.asker.curves && !j.curves:
		// What others wait for stays with them: it says too little.
		j = &job{run: w.Run, curves: w.asker.curves}
		s.under[w.Run] = j
		begin = true
	case j.batch != nil:
		j.batch.call.Raise(w.asker.priority)
	}
	w.job = j
	j.wants = append(j.wants, w)
	return begin
}

// begin has a job done: at once if it is by itself, else when its turn comes.
func (s *Store) begin(j *job, p calls.Priority) {
	if !j.curves {
		s.queue = append(s.queue, j)
		return
	}
	b := &batch{jobs: []*job{j}}
	j.batch = b
	x := &exec.Job{Lab: s.lab, Kind: exec.Run, Setup: j.run.Setup, System: j.run.System, Files: j.run.Files}
	begun := time.Now()
	b.call = s.table.Start(x, p, b.told, func(a *exec.Answer) {
		s.took[x.System] = time.Since(begun)
		s.ended(b, []Result{{a.Report, a.Problems, a.Error, a.Remedies}})
	})
}

// leave ends a want, and returns the call that nobody waits for any more, nil if somebody
// does.
func (s *Store) leave(w *Want) *calls.Call {
	j := w.job
	w.job = nil
	j.wants = slices.DeleteFunc(j.wants, func(o *Want) bool { return o == w })
	if len(j.wants) > 0 {
		return nil
	}
	if s.under[j.run] == j {
		delete(s.under, j.run)
	}
	b := j.batch
	if b == nil || slices.ContainsFunc(b.jobs, func(o *job) bool { return len(o.wants) > 0 }) {
		return nil
	}
	if !j.curves {
		s.batches--
	}
	return b.call
}

// feed hands jobs that wait to the workers, those of one set of files together.
func (s *Store) feed() {
	size := min(max(int(s.rate/batchesASecond), 1), mostInBatch)
	for s.batches < batchesAtOnce {
		b := &batch{}
		x := &exec.Job{Lab: s.lab, Kind: exec.Several}
		for len(s.queue) > 0 && len(b.jobs) < size {
			j := s.queue[0]
			if len(b.jobs) > 0 && len(j.wants) > 0 && j.run.Files != x.Files {
				break
			}
			s.queue = s.queue[1:]
			if len(j.wants) == 0 {
				continue // nobody waits for it any more
			}
			x.Files, j.batch = j.run.Files, b
			b.jobs = append(b.jobs, j)
			x.Picks = append(x.Picks, exec.Pick{Setup: j.run.Setup, System: j.run.System})
		}
		if len(b.jobs) == 0 {
			break
		}
		if s.begun.IsZero() {
			s.begun = time.Now()
		}
		s.batches++
		b.call = s.table.Start(x, calls.Behind, b.told, func(a *exec.Answer) { s.several(b, a) })
	}
	if s.batches == 0 && !s.begun.IsZero() {
		s.measure()
		s.begun, s.done = time.Time{}, 0
	}
}

// measure notes how fast runs come in.
func (s *Store) measure() {
	if spent := time.Since(s.begun).Seconds(); s.done >= 8 && spent > 0 {
		s.rate = float64(s.done) / spent
	}
}

// several takes what came of a batch of values.
func (s *Store) several(b *batch, a *exec.Answer) {
	list := make([]Result, len(b.jobs))
	for i := range list {
		switch {
		case a.Error != "":
			list[i].Error = a.Error
		case i < len(a.Parts):
			p := &a.Parts[i]
			list[i] = Result{Report: p.Report, Problems: p.Problems, Error: p.Error}
		}
	}
	s.batches--
	s.done += len(b.jobs)
	s.measure()
	s.ended(b, list)
	s.feed()
}

// told passes on that a batch has said how far it is.
func (b *batch) told(*calls.Call) {
	for _, a := range b.askers() {
		if a.Told != nil {
			a.Told()
		}
	}
}

// askers are those who wait for a batch.
func (b *batch) askers() (list []*Asker) {
	for _, j := range b.jobs {
		for _, w := range j.wants {
			if !slices.Contains(list, w.asker) {
				list = append(list, w.asker)
			}
		}
	}
	return list
}

// ended gives results to those who want them.
func (s *Store) ended(b *batch, list []Result) {
	askers := b.askers()
	wants := make([][]*Want, len(askers))
	for i, j := range b.jobs {
		r := &list[i]
		if r.Report == nil && len(r.Problems) == 0 && r.Error == "" {
			r.Error = "the worker answered something else"
		}
		s.remember(j, r)
		if s.under[j.run] == j {
			delete(s.under, j.run)
		}
		for _, w := range j.wants {
			w.job, w.Result = nil, r
			delete(w.asker.wants, w.Run)
			at := slices.Index(askers, w.asker)
			wants[at] = append(wants[at], w)
		}
		j.wants = nil
	}
	for i, a := range askers {
		a.Ended(wants[i])
	}
}

// remember keeps what came of a job.
func (s *Store) remember(j *job, r *Result) {
	if j.curves && r.Report != nil && slices.ContainsFunc(j.wants, func(w *Want) bool { return !w.asker.Passing }) {
		s.reports.put(j.run, r.Report)
	}
	if slices.ContainsFunc(j.wants, func(w *Want) bool { return !w.asker.curves }) {
		s.values.put(j.run, outcomeOf(r))
	}
}

// Report is the report of a run with its curves, nil if it is not known.
func (s *Store) Report(r Run) *report.Report { return s.reports.m[r] }

// Outcome is what is known of a run's values, nil if nothing.
func (s *Store) Outcome(r Run) *Outcome {
	if o := s.values.m[r]; o != nil {
		return o
	}
	if x := s.reports.m[r]; x != nil {
		o := outcomeOf(&Result{Report: x})
		s.values.put(r, o)
		return o
	}
	return nil
}

// Cheaper compares two systems by how long they took the last time; one that has not run comes first.
func (s *Store) Cheaper(a, b string) int { return cmp.Compare(s.took[a], s.took[b]) }

// Rate is how many runs a second come in where only their values are wanted, as last
// measured; 0 if never.
func (s *Store) Rate() float64 { return s.rate }

// ForgetReports drops the reports: what files mean has changed.
func (s *Store) ForgetReports() { s.reports.clear() }

// ForgetFailed forgets values of runs that failed, so that they can be tried again.
func (s *Store) ForgetFailed() { s.values.drop(func(o *Outcome) bool { return o.Error != "" }) }

// A shelf keeps the newest of what is put there.
type shelf[T any] struct {
	most int
	keys []Run // the oldest first
	m    map[Run]T
}

func (c *shelf[T]) put(r Run, x T) {
	if c.m == nil {
		c.m = map[Run]T{}
	}
	if _, ok := c.m[r]; !ok {
		c.keys = append(c.keys, r)
	}
	c.m[r] = x
	if len(c.keys) > c.most {
		old := c.keys[:1+c.most/100] // several, as taking one off a long list takes long
		for _, r := range old {
			delete(c.m, r)
		}
		c.keys = slices.Delete(c.keys, 0, len(old))
	}
}

func (c *shelf[T]) clear() { c.keys, c.m = nil, nil }

func (c *shelf[T]) drop(which func(T) bool) {
	c.keys = slices.DeleteFunc(c.keys, func(r Run) bool {
		out := which(c.m[r])
		if out {
			delete(c.m, r)
		}
		return out
	})
}
