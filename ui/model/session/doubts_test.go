package session_test

import (
	"maps"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab/cxlssd"
	"spillway/ui/lab/train"
)

// When nobody waits for anything all designs run with other seeds, for the headline and the bands of
// bars and curves; another setting ends that, and a laboratory without chance does none of it.

func TestSeedsWhenIdle(t *testing.T) {
	h := hostOf(t, "v=4-by-hand&lab=cxlssd&workload=bc&scale=64&systems=dram-only,base-cssd,skybyte-p,skybyte-full", map[string]string{}, cxlssd.New())
	h.Runs.Idle()
	if n := len(h.open(exec.Run)); n != 4 {
		t.Fatalf("%d runs are asked for at first", n)
	}
	h.do(exec.Run)
	for _, x := range h.Runs.ChartRuns() {
		if x.Doubted != nil {
			t.Error("seeds are known before they ran")
		}
	}
	h.do(exec.Several) // the floor
	h.Runs.Idle()
	h.Runs.Idle()
	jobs := h.open(exec.Run)
	if len(jobs) != 8 {
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
	for _, x := range h.Runs.ChartRuns() {
		if len(x.Seeds) == 2 && len(x.Doubted) == 2 && x.System.Yardstick { // nothing is faster than itself
			known++
		}
		if len(x.Seeds) == 2 && len(x.Seeds[0].Curves) == len(x.Report.Curves) && len(x.Doubted) == 2 && x.Doubted[0] > 0 && x.Doubted[1] > 0 && x.Doubted[0] != x.Doubted[1] {
			known++
		}
	}
	if known != 4 || h.Rev == rev {
		t.Errorf("%d systems have values with other seeds", known)
	}
	h.Type("seed", "7")
	for _, x := range h.Runs.ChartRuns() {
		if x.Doubted != nil {
			t.Error("seeds of other settings stay")
		}
	}
	h.do(exec.Run)
	h.Runs.Idle()
	h.Type("seed", "8")
	if n := len(h.open(exec.Run)); n != 4 {
		t.Errorf("%d runs wait after a change, not those compared alone", n)
	}

	estimated := hostOf(t, "v=4-by-hand&lab=train&model=resnet50&batch=256&times=estimated&gpu=rtx-4090&gpu_memory=8&systems=ideal,g10,deepum", map[string]string{}, train.New())
	estimated.do(exec.Run)
	estimated.do(exec.Several) // the floor
	estimated.Runs.Idle()
	ends := map[string]int{}
	for _, j := range estimated.open(exec.Several) {
		for _, p := range j.Picks {
			_, scale, _ := strings.Cut(p.Setup, "time_scale=")
			ends[p.System+" "+strings.Fields(scale)[0]]++
		}
	}
	if want := map[string]int{"g10 88": 1, "g10 112": 1, "deepum 88": 1, "deepum 112": 1}; !maps.Equal(ends, want) {
		t.Errorf("the order is tried with %v; want %v", ends, want)
	}
	estimated.do(exec.Several)
	for _, x := range estimated.Runs.ChartRuns() {
		if tried := x.System.Name == "g10" || x.System.Name == "deepum"; tried != (len(x.Doubted) == 2) {
			t.Errorf("%s: %d values at the ends of the band", x.System.Name, len(x.Doubted))
		}
	}

	plain := newHost(t, quick)
	plain.do(exec.Run)
	plain.Runs.Idle()
	if n := len(plain.open(exec.Run)); n != 0 {
		t.Errorf("%d runs where nothing is left to chance", n)
	}
}
