package proof_test

import (
	"slices"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab/store"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/proof"
	"spillway/ui/model/workspace"
)

// A queue keeps jobs until they are done.
type queue struct{ jobs []*exec.Job }

func (q *queue) Start(j *exec.Job, _ calls.Priority) { q.jobs = append(q.jobs, j) }
func (q *queue) Raise(int, calls.Priority)           {}
func (q *queue) Stop(ids []int) {
	q.jobs = slices.DeleteFunc(q.jobs, func(j *exec.Job) bool { return slices.Contains(ids, j.ID) })
}

// A policy that is typed becomes the setting when it is right, and the system that follows it is
// compared then; while it is wrong the last right one stays, and its error stands at the field.
// Undo brings back what there was, comments stay, and only the newest text is read.
func TestTyping(t *testing.T) {
	l := store.New()
	b := exec.Executor{Lab: l}
	q := &queue{}
	table := calls.NewTable(q)
	w := workspace.New(&l.Info, func() {}, func(text string) { t.Error(text) })
	p := proof.New(w, calls.NewDesk(table, l.Name, func() {}))
	f := form.New(w, files.New(w, nil, nil, nil))
	w.Follow(p.Follow)
	read := func(jobs int) {
		t.Helper()
		if len(q.jobs) != jobs {
			t.Fatalf("%d jobs, want %d", len(q.jobs), jobs)
		}
		for _, j := range q.jobs {
			a := b.Do(j, nil)
			table.Answer(&a)
		}
		q.jobs = nil
	}
	want := func(setting, shown, wrong string) {
		t.Helper()
		if x := f.Field("policy"); w.State.Setup.Text("policy") != setting || x.Text != shown || x.Error != wrong {
			t.Errorf("%q, %q, %q; want %q, %q, %q", w.State.Setup.Text("policy"), x.Text, x.Error, setting, shown, wrong)
		}
	}
	w.Refresh()
	read(0) // nobody looks
	p.Look()
	read(1)
	if p.Words() == "" || p.Start() == "" {
		t.Error("nothing to write")
	}
	want("", "", "")
	for _, text := range []string{"e", "evict = -las", "evict = -last # oldest"} {
		w.Type("policy", text)
	}
	want("", "evict = -last # oldest", "")
	read(1)
	want("evict=-last", "evict = -last # oldest", "")
	if !slices.Contains(w.State.On, "own") {
		t.Error("Yours is not compared")
	}
	if name, text := p.Brought(); name != "A policy without a title · da98d2d4, 1 line" || text == "" {
		t.Error(name, text)
	}
	w.Type("policy", "evict = -last # oldest\nfetch = lost")
	read(1)
	wrong := "Line 2, column 9: lost is unknown; do you mean last?"
	want("evict=-last", "evict = -last # oldest\nfetch = lost", wrong)
	w.Choose("workload", "services") // what is typed stays
	read(0)
	want("evict=-last", "evict = -last # oldest\nfetch = lost", wrong)
	w.Type("policy", "evict = -last # oldest\nfetch = last")
	read(1)
	want("evict=-last@fetch=last", "evict = -last # oldest\nfetch = last", "")
	w.Undo()
	read(1)
	want("evict=-last", "evict = -last # oldest\nfetch = lost", wrong)
	w.Undo()
	w.Undo()
	read(1)
	want("", "", "")
	w.Redo()
	read(1)
	want("evict=-last", "evict = -last # oldest\nfetch = lost", wrong)
	w.Reset("policy")
	want("", "", "")
	w.UsePreset("own-policy")
	read(1)
	want("#Whoever asks@evict=next*min(size,short)*(p1 if mine else 1)@fetch=-next", "# Whoever asks\nevict = next * min(size, short) * (p1 if mine else 1)\nfetch = -next", "")
	w.Type("policy", " ")
	want("", " ", "")
}
