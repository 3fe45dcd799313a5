package session_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/bundle"
	"spillway/ui/exec"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
	"spillway/ui/model/form"
	"spillway/ui/model/runs"
	"spillway/ui/model/session"
	"spillway/ui/wire"
)

// A host of tests writes down what it is asked and does it when told to, on a
// bench for each laboratory, as workers do.
type host struct {
	*testing.T
	*session.Session
	labs    map[string]lab.Lab
	benches map[string]*bench
	jobs    []*exec.Job  // all that were started
	over    map[int]bool // stopped or answered
	bulk    map[int]bool
	fetched []string
	dropped map[int][]lab.File // files of sets, by number
	stored  map[string]string  // nil: the browser stores nothing
}

func (h *host) Start(j *exec.Job, priority calls.Priority) {
	h.jobs = append(h.jobs, j)
	h.bulk[j.ID] = priority == calls.Behind
}

func (h *host) Raise(id int, _ calls.Priority) { h.bulk[id] = false }

func (h *host) Stop(ids []int) {
	for _, id := range ids {
		h.over[id] = true
	}
}

func (h *host) Stored(name string) string { return h.stored[name] }

func (h *host) Store(name, text string) bool {
	if h.stored == nil {
		return false
	}
	h.stored[name] = text
	return true
}

// Fetch is a method of the host alone: a Session has none.
func (h *host) Recorded(string) {}
func (h *host) Answered(string) {}

func (h *host) Fetch(name string, _ bool) { h.fetched = append(h.fetched, name) }

// newHost returns a session with two laboratories that has got what it asked
// for first. Without a fragment it shows the first laboratory's defaults.
func newHost(t *testing.T, fragment string) *host {
	t.Helper()
	return visit(t, cmp.Or(fragment, "v=4-by-hand"))
}

// visit is newHost with exactly this fragment.
func visit(t *testing.T, fragment string) *host {
	t.Helper()
	return newHostWith(t, fragment, map[string]string{})
}

// newHostWith is visit in a browser that stores something already.
func newHostWith(t *testing.T, fragment string, stored map[string]string) *host {
	t.Helper()
	return hostOf(t, fragment, stored, training(), bakery.New())
}

// hostOf is newHostWith of these laboratories.
func hostOf(t *testing.T, fragment string, stored map[string]string, labs ...lab.Lab) *host {
	t.Helper()
	h := &host{T: t, labs: map[string]lab.Lab{}, benches: map[string]*bench{}, over: map[int]bool{}, bulk: map[int]bool{}, dropped: map[int][]lab.File{}, stored: stored}
	var tabs []session.Tab
	for _, l := range labs {
		h.labs[l.Name], h.benches[l.Name] = l, &bench{Executor: exec.Executor{Lab: l, Reader: bakery.Read}}
		tabs = append(tabs, session.Tab{Name: l.Name, Title: l.Title, About: l.About})
	}
	h.Session = session.New(tabs, fragment, h)
	h.enter()
	return h
}

// A bench does what is asked of a laboratory, and of the program that reads files.
type bench struct {
	exec.Executor
	desk   reader.Desk
	number int
	opened []lab.File
}

// Open gives both of them a set of files.
func (b *bench) Open(number int, list []lab.File) {
	b.number, b.opened = number, list
	b.Executor.Open(number, list)
	b.desk.Open(number, list)
}

// Do does a job. Nobody but the bakery knows flour.
func (b *bench) Do(j *exec.Job, p lab.Progress) exec.Answer {
	if !j.Kind.OfFiles() {
		return b.Executor.Do(j, p)
	}
	if j.Kind == exec.Open && (len(b.opened) != 1 || !bundle.Is(b.opened[0].Data)) {
		return exec.Answer{ID: j.ID, Last: true, Takers: []exec.Taker{{Lab: j.Lab}}, Joined: j.Joins > 0}
	}
	a := b.desk.Do(j, p)
	if a.Bundle != nil {
		a.Bundle.Wrong = ""
		x, err := bundle.Open(b.opened[0].Data)
		if err == nil && a.Bundle.Lab == b.Lab.Name {
			b.Executor.Open(b.number, x.Workload())
		}
	}
	return a
}

// quick is a link to a comparison that takes milliseconds.
const quick = "v=2&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&host_memory=0"

// enter answers what was fetched.
func (h *host) enter() {
	for _, name := range h.fetched {
		i := h.labs[name].Info
		h.Enter(&i, "")
	}
	h.fetched = nil
}

// open lists the jobs that wait for an answer, the oldest first.
func (h *host) open(kinds ...exec.Kind) []*exec.Job {
	var list []*exec.Job
	for _, j := range h.jobs {
		if !h.over[j.ID] && (kinds == nil || slices.Contains(kinds, j.Kind)) {
			list = append(list, j)
		}
	}
	return list
}

// one is the only waiting job of a kind.
func (h *host) one(kind exec.Kind) *exec.Job {
	h.Helper()
	list := h.open(kind)
	if len(list) != 1 {
		h.Fatalf("%d jobs of kind %d wait; want 1", len(list), kind)
	}
	return list[0]
}

// listing is the waiting job that lists files: they belong into the laboratory that is
// shown.
func (h *host) listing() *exec.Job {
	h.Helper()
	h.say(h.one(exec.Open), exec.Answer{Takers: []exec.Taker{{Lab: h.Info.Name}}})
	return h.one(exec.List)
}

// of is the waiting run of a system.
func (h *host) of(system string) *exec.Job {
	h.Helper()
	for _, j := range h.open(exec.Run) {
		if j.System == system {
			return j
		}
	}
	h.Fatalf("no run of %s waits", system)
	return nil
}

// say answers a job.
func (h *host) say(j *exec.Job, a exec.Answer) bool {
	a.ID, a.Last = j.ID, true
	h.over[j.ID] = true
	if a.Set != a.Of {
		h.benches[j.Lab].Open(a.Set, exec.Lent(a.Handed, nil))
	}
	return h.Answer(&a)
}

// do does the waiting jobs, and those that come of them, until none is left.
func (h *host) do(kinds ...exec.Kind) {
	h.Helper()
	for n := 0; ; n++ {
		list := h.open(kinds...)
		if len(list) == 0 {
			return
		}
		if n > 5000 {
			h.Fatal("it does not end")
		}
		var j exec.Job
		pass(h.T, list[0], &j)
		b := h.benches[j.Lab]
		if list := h.dropped[j.Files]; list != nil && b.number != j.Files {
			b.Open(j.Files, list) // as a worker gets them that had others
		}
		a := b.Do(&j, func(done, total int) { h.Answer(&exec.Answer{ID: j.ID, Done: done, Total: total}) })
		var got exec.Answer
		pass(h.T, &a, &got)
		if !a.Last || a.ID != j.ID {
			h.Fatalf("answer to job %d: %+v", j.ID, a)
		}
		h.say(&j, got)
	}
}

// pass sends v to *to as between page and worker.
func pass(t *testing.T, v, to any) {
	t.Helper()
	data, err := wire.Marshal(v)
	if err == nil {
		err = wire.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run returns how a system stands.
func (h *host) run(system string) *runs.Run {
	h.Helper()
	for i := range h.Runs.List {
		if h.Runs.List[i].System.Name == system {
			return &h.Runs.List[i]
		}
	}
	h.Fatalf("no system %q", system)
	return nil
}

// field returns a field of any panel or section.
func (h *host) field(key string) form.Field {
	h.Helper()
	for _, f := range h.Form.Forms() {
		for _, g := range f.Groups {
			for _, x := range g.Fields {
				if x.Key == key {
					return x
				}
			}
		}
	}
	for _, s := range h.Sections.Views() {
		for _, x := range s.Fields {
			if x.Key == key {
				return x
			}
		}
	}
	h.Fatalf("no field %q", key)
	return form.Field{}
}

func (h *host) want(key, text string) {
	h.Helper()
	if got := h.State.Setup.Text(key); got != text {
		h.Errorf("%s is %q, want %q", key, got, text)
	}
}

// wantBlocked checks why nothing runs.
func (h *host) wantBlocked(text string) {
	h.Helper()
	if got := h.Runs.Blocked(); !strings.Contains(got, text) || text == "" && got != "" {
		h.Errorf("blocked: %q; want %q in it", got, text)
	}
}

// chosen lists the chosen options of a field.
func chosen(f form.Field) string {
	var keys []string
	for _, o := range f.Options {
		if o.Chosen {
			keys = append(keys, o.Key)
		}
	}
	return strings.Join(keys, ",")
}

// good is a report with one value for everything.
func good(values ...float64) exec.Answer {
	return exec.Answer{Report: &report.Report{Fits: true, Values: values, About: "about it", Origin: "from there"}}
}
