package session_test

import (
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab/store"
)

// The floor of a laboratory is asked for behind all that is compared, though nobody compares it: charts
// have its line when it is known, and a change asks for another.
func TestFloorStandsBehind(t *testing.T) {
	h := hostOf(t, "v=4-by-hand&lab=store&workload=services&systems=lru,size-aware", map[string]string{}, store.New())
	if n := len(h.open(exec.Run)); n != 2 || h.picks() != 1 {
		t.Fatalf("%d runs, %d behind them", n, h.picks())
	}
	line := func() float64 {
		for _, v := range h.Charts() {
			if v.ID == "time" && v.Figure.Bars.Room != nil {
				return v.Figure.Bars.Room.Least
			}
		}
		return 0
	}
	h.do(exec.Run)
	if h.Runs.Active() || line() != 0 {
		t.Fatal("somebody waits for the floor, or it is known before it ran")
	}
	rev := h.Rev
	h.do(exec.Several)
	first := line()
	if first <= 0 || h.Rev == rev || h.picks() != 0 {
		t.Fatalf("the line is at %v", first)
	}
	for _, x := range h.Runs.ChartRuns() {
		if !x.On {
			continue
		}
		if v, ok := x.Report.Value(h.Info.Quantity("headroom")); !ok || v < 1 {
			t.Errorf("%s has headroom %v", x.System.Title, v)
		}
	}
	h.Type("link", "6")
	h.do(exec.Run)
	if h.picks() != 1 {
		t.Fatal("the floor of other settings is not asked for")
	}
	h.do(exec.Several)
	if line() < first {
		t.Errorf("the line is at %v with half the link, %v before", line(), first)
	}
	h.State.On = append(h.State.On, "bound")
	h.Refresh()
	h.do(exec.Run)
	if line() < first || h.picks() != 0 {
		t.Error("compared, it is asked for once more, or has no line")
	}
}

// A setting that is varied, and a ranking, ask for the floor too where they look at what it bounds: each
// point says how near its best system is.
func TestFloorInWhatIf(t *testing.T) {
	for of, want := range map[string]string{"time_s": "The best is", "evictions": "LRU"} {
		h := hostOf(t, "v=4-by-hand&lab=store&workload=services&systems=lru&view=whatif&ask=vary&ask-vary=link&ask-values=6,12&ask-of="+of, map[string]string{}, store.New())
		h.Question.Run()
		h.do(exec.Several)
		table := h.Question.Asked().Tables[0]
		if got := table.Head[len(table.Head)-1]; got != want {
			t.Errorf("%s: the table ends with %q", of, got)
		}
		for _, r := range table.Rows {
			if last := r.Cells[len(r.Cells)-1].Text; want == "The best is" && !strings.HasPrefix(last, "at ") {
				t.Errorf("%s: %q", r.Head, last)
			}
		}
	}
}
