package model

import (
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab/cxlssd"
)

// When nobody waits for anything the two best designs run with other seeds, for the headline;
// another setting ends that, and a laboratory without chance does none of it.
func TestSeedsWhenIdle(t *testing.T) {
	h := hostOf(t, "v=4-by-hand&lab=cxlssd&workload=bc&scale=64&systems=dram-only,base-cssd,skybyte-p,skybyte-full", map[string]string{}, cxlssd.New())
	h.Idle()
	if n := len(h.open(exec.Run)); n != 4 {
		t.Fatalf("%d runs are asked for at first", n)
	}
	h.do(exec.Run)
	for i := range h.Runs {
		if h.seedValues(&h.Runs[i]) != nil {
			t.Error("seeds are known before they ran")
		}
	}
	h.Idle()
	h.Idle()
	jobs := h.open(exec.Run)
	if len(jobs) != 2*moreSeeds {
		t.Fatalf("%d runs with other seeds", len(jobs))
	}
	for _, j := range jobs {
		if !h.bulk[j.ID] {
			t.Error("others wait for runs with other seeds")
		}
	}
	rev := h.Rev
	h.do(exec.Run)
	known := 0
	for _, x := range h.ChartRuns() {
		if len(x.Seeds) == moreSeeds && x.Seeds[0] > 0 && x.Seeds[1] > 0 && x.Seeds[0] != x.Seeds[1] {
			known++
		}
	}
	if known != 2 || h.Rev == rev {
		t.Errorf("%d systems have values with other seeds", known)
	}
	h.Type("seed", "7")
	for _, x := range h.ChartRuns() {
		if x.Seeds != nil {
			t.Error("seeds of other settings stay")
		}
	}
	h.do(exec.Run)
	h.Idle()
	h.Type("seed", "8")
	if n := len(h.open(exec.Run)); n != 4 {
		t.Errorf("%d runs wait after a change, not those compared alone", n)
	}

	plain := newHost(t, quick)
	plain.do(exec.Run)
	plain.Idle()
	if n := len(plain.open(exec.Run)); n != 0 {
		t.Errorf("%d runs where nothing is left to chance", n)
	}
}
