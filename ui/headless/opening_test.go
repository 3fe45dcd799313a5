package headless_test

import (
	"testing"

	"spillway/ui/exec"
	"spillway/ui/headless"
	labs "spillway/ui/lab/all"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
	"spillway/ui/wire"
)

// forgetful is a host that only asks what is known.
type forgetful struct {
	known   []exec.Known
	answers []*exec.Answer
	lacks   []*exec.Job
}

func (h *forgetful) Start(j *exec.Job, _ calls.Priority) {
	if a := exec.Recall(h.known, j); a != nil {
		h.answers = append(h.answers, a)
	} else {
		h.lacks = append(h.lacks, j)
	}
}
func (*forgetful) Raise(int, calls.Priority) {}
func (*forgetful) Stop([]int)                {}
func (*forgetful) Recorded(string)           {}
func (*forgetful) Answered(string)           {}

func (*forgetful) Fetch(string, bool)        {}
func (*forgetful) Stored(string) string      { return "" }
func (*forgetful) Store(string, string) bool { return false }

// TestOpening: a page that knows what a laboratory opens on asks a worker for nothing, also
// when it rests.
func TestOpening(t *testing.T) {
	for _, door := range labs.Labs {
		l := door.New()
		_, known, err := headless.Opening(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := wire.Marshal(&known)
		if err != nil {
			t.Fatal(err)
		}
		h := &forgetful{}
		if err := wire.Unmarshal(data, &h.known); err != nil {
			t.Fatal(err)
		}
		n := session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, "lab="+l.Name, h)
		info := l.Complete()
		n.Enter(&info, "")
		work := func() {
			for len(h.answers) > 0 {
				a := h.answers[0]
				h.answers = h.answers[1:]
				n.Answer(a)
			}
		}
		work()
		n.Runs.Idle()
		work()
		if len(h.lacks) > 0 || n.Runs.Active() || !n.Runs.Results() {
			t.Errorf("%s: %d jobs are not known, the first %+v; results %v", l.Name, len(h.lacks), h.lacks, n.Runs.Results())
		}
	}
}
