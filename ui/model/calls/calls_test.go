package calls

import (
	"slices"
	"testing"

	"spillway/ui/exec"
)

// A host writes down what it is asked.
type host struct {
	started []*exec.Job
	urgent  []Priority
	stopped [][]int
	raised  []int
}

func (h *host) Start(j *exec.Job, p Priority) {
	h.started, h.urgent = append(h.started, j), append(h.urgent, p)
}

func (h *host) Raise(id int, _ Priority) { h.raised = append(h.raised, id) }

func (h *host) Stop(ids []int) { h.stopped = append(h.stopped, ids) }

func TestCall(t *testing.T) {
	h := &host{}
	table := NewTable(h)
	var told, ended int
	var c *Call
	c = table.Start(&exec.Job{Kind: exec.Run}, Behind, func(*Call) { told++ }, func(a *exec.Answer) {
		ended++
		if c.Active() || a.Error != "no" {
			t.Errorf("ended with %+v, active %t", a, c.Active())
		}
	})
	if h.started[0].ID != 1 || h.urgent[0] != Behind || !c.Active() || c.Part() != 0 {
		t.Fatalf("%+v", h)
	}
	if table.Answer(&exec.Answer{ID: 2, Last: true}) || table.Answer(&exec.Answer{Last: true}) {
		t.Error("somebody waited for what nobody asked")
	}
	if !table.Answer(&exec.Answer{ID: 1, Done: 3, Total: 4}) || told != 1 || c.Done != 3 || c.Part() != 0.75 {
		t.Errorf("told %d times, %+v", told, c)
	}
	if !table.Answer(&exec.Answer{ID: 1, Last: true, Error: "no"}) || table.Answer(&exec.Answer{ID: 1, Last: true}) || ended != 1 {
		t.Errorf("ended %d times", ended)
	}
	if Stop(c, nil); len(h.stopped) > 0 {
		t.Errorf("stopped %v, which had ended", h.stopped)
	}
}

// Several calls are stopped with one message, are told nothing any more, and may stop each
// other while they end.
func TestStop(t *testing.T) {
	h := &host{}
	table := NewTable(h)
	start := func(ended func(*exec.Answer)) *Call { return table.Start(&exec.Job{}, Shown, nil, ended) }
	never := func(*exec.Answer) { t.Error("a stopped call ended") }
	a, b := start(never), start(never)
	c := start(func(*exec.Answer) { Stop(b, a) })
	if !table.Answer(&exec.Answer{ID: 3, Done: 1}) || !table.Answer(&exec.Answer{ID: 3, Last: true}) {
		t.Error("nobody waited")
	}
	if len(h.stopped) != 1 || !slices.Equal(h.stopped[0], []int{2, 1}) || a.Active() || b.Active() || c.Active() {
		t.Errorf("stopped %v", h.stopped)
	}
	if table.Answer(&exec.Answer{ID: 1, Last: true}) {
		t.Error("somebody waits for what was stopped")
	}
	if Stop(); len(h.stopped) != 1 || (*Call)(nil).Active() || (*Call)(nil).Part() != 0 {
		t.Error("of nothing nothing is stopped")
	}
}
