package session_test

import (
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab/cxlssd"
)

// When nobody waits for anything the two best designs run with other seeds, for the headline;
// another setting ends that, and a laboratory without chance does none of it.

func TestSeedsWhenIdle(t *testing.T) {
	h := hostOf(t, "v=4-by-hand&lab=cxlssd&workload=bc&scale=64&systems=dram-only,base-cssd,skybyte-p,skybyte-full", map[string]string{}, cxlssd.New())
	h.Runs.Idle()
	if n := len(h.open(exec.Run)); n != 4 {
		t.Fatalf("%d runs are asked for at first", n)
	}
	h.do(exec.Run)
	for _, x := range h.Runs.ChartRuns() {
		if x.Seeds != nil {
			t.Error("seeds are known before they ran")
		}
	}
	h.Runs.Idle()
	h.Runs.Idle()
	jobs := h.open(exec.Several)
	if h.picks() != 4 {
		t.Fatalf("%d runs with other seeds", len(jobs))
	}
	for _, j := range jobs {
		if !h.bulk[j.ID] {
			t.Error("others wait for runs with other seeds")
		}
	}
	rev := h.Rev
	h.do(exec.Several)
	known := 0
	for _, x := range h.Runs.ChartRuns() {
		if len(x.Seeds) == 2 && x.Seeds[0] > 0 && x.Seeds[1] > 0 && x.Seeds[0] != x.Seeds[1] {
			known++
		}
	}
	if known != 2 || h.Rev == rev {
		t.Errorf("%d systems have values with other seeds", known)
	}
	h.Type("seed", "7")
	for _, x := range h.Runs.ChartRuns() {
		if x.Seeds != nil {
			t.Error("seeds of other settings stay")
		}
	}
	h.do(exec.Run)
	h.Runs.Idle()
	h.Type("seed", "8")
	if n := len(h.open(exec.Run)); n != 4 {
		t.Errorf("%d runs wait after a change, not those compared alone", n)
	}

	plain := newHost(t, quick)
	plain.do(exec.Run)
	plain.Runs.Idle()
	if n := len(plain.open(exec.Run)); n != 0 {
		t.Errorf("%d runs where nothing is left to chance", n)
	}
}
