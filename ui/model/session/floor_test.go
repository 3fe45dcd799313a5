package session_test

import (
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
