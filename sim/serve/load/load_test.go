package load

import (
	"strings"
	"testing"

	"spillway/sim/unit"
)

// What contradicts is said with the number of its request.
func TestCheck(t *testing.T) {
	sound := func() *Workload {
		return &Workload{Block: 16, Requests: []Request{
			{Prompt: 40, Output: 5, Blocks: []Block{0, 1}, After: -1},
			{At: unit.Second, Prompt: 40, Output: 5, After: 0},
		}}
	}
	w := sound()
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	if prompts, answers := w.Tokens(); prompts != 80 || answers != 10 {
		t.Errorf("%d and %d tokens", prompts, answers)
	}
	for _, tt := range []struct {
		change func(w *Workload)
		want   string
	}{
		{func(w *Workload) { w.Requests = nil }, "0 requests are not between"},
		{func(w *Workload) { w.Users = -1 }, "blocks of 16 tokens, -1 users"},
		{func(w *Workload) { w.Requests[1].Prompt = 0 }, "request 2: a prompt of 0 tokens"},
		{func(w *Workload) { w.Requests[1].Output = 0 }, "request 2: an answer of 0 tokens"},
		{func(w *Workload) { w.Requests[0].At = -1 }, "request 1: it arrives at"},
		{func(w *Workload) { w.Requests[0].At, w.Requests[1].After = 2*unit.Second, -1 }, "request 2: it arrives at 1 s, before"},
		{func(w *Workload) { w.Requests[1].Think = -1 }, "request 2: it waits"},
		{func(w *Workload) { w.Requests[1].After = 1 }, "request 2: it follows request 2"},
		{func(w *Workload) { w.Block = 0 }, "request 1: it has blocks"},
		{func(w *Workload) { w.Block = 32 }, "request 1: 2 blocks of 32 tokens are more"},
	} {
		w := sound()
		tt.change(w)
		if err := w.Check(); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
