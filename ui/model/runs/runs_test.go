package runs

import (
	"slices"
	"testing"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/results"
	"spillway/ui/model/workspace"
)

// bakeryRuns are the runs of a laboratory that asks a host.
func bakeryRuns() (*Runs, *bakery.Host, *calls.Table) {
	i, h := bakery.New().Info, &bakery.Host{}
	table := calls.NewTable(h)
	w := workspace.New(&i, func() {}, func(string) {})
	f := files.New(w, calls.NewDesk(table, i.Name, func() {}), new(files.Count), nil)
	r := New(w, f, form.New(w, f), results.NewStore(i.Name, table))
	w.Follow(r.Follow)
	w.Follow(r.Baseline.Follow)
	w.Refresh()
	return r, h, table
}

// answer ends the newest job about a system.
func answer(t *testing.T, h *bakery.Host, table *calls.Table, system string, speed float64, problem string) {
	t.Helper()
	for _, j := range slices.Backward(h.Jobs) {
		if j.System == system {
			a := &exec.Answer{ID: j.ID, Last: true, Error: problem}
			if problem == "" {
				a.Report = &report.Report{Fits: speed > 0, Values: []float64{speed}, Reason: "too large", Notes: []string{"It was hot."}, Caveats: []string{"Estimated."}}
			}
			table.Answer(a)
			return
		}
	}
	t.Fatalf("nobody runs %s", system)
}

// Each compared system says how it stands, from waiting to what came out.
func TestStands(t *testing.T) {
	r, h, table := bakeryRuns()
	if len(h.Jobs) != 2 || !r.Active() || r.List[1].RunState() != "waiting" || r.List[2].RunState() != "" || r.Count() != "2 of 3" || len(r.Compared()) != 2 {
		t.Fatalf("%d jobs, %+v", len(h.Jobs), r.List)
	}
	answer(t, h, table, "oven", 25, "")
	answer(t, h, table, "dream", 0, "the fuse is gone")
	if r.List[1].RunState() != "done" || r.List[0].RunState() != "failed" || r.Active() || !r.Results() || !r.CanRunAgain() {
		t.Errorf("%+v", r.List)
	}
	if got := r.Troubles(); len(got) != 1 || got[0].Title != "Dream" || got[0].Text != "the fuse is gone" || got[0].Class != "error" {
		t.Errorf("%+v", got)
	}
	if r.Caveat() != "Estimated." || !slices.Equal(r.Notes(), []string{"Oven: It was hot."}) || r.Blank("oven", "speed") != "25" || r.Blank("kiln", "speed") != "…" || r.Blank("knob", "watts") != "100" {
		t.Error(r.Caveat(), r.Notes(), r.Blank("oven", "speed"), r.Blank("knob", "watts"))
	}
	r.RunAgain()
	answer(t, h, table, "dream", 50, "")
	r.room.Type("watts", "200")
	if !r.List[1].Stale || !r.Active() || r.Blank("oven", "speed") != "…" {
		t.Errorf("other settings: %+v", r.List[1])
	}
	r.Cancel()
	if r.Active() || r.List[1].Status() != "cancelled" || !r.CanRunAgain() {
		t.Errorf("cancelled: %+v", r.List[1])
	}
}

// A run that was cancelled is not said to be refused, and no error says its system twice.
func TestTroublesOfToday(t *testing.T) {
	r, h, table := bakeryRuns()
	answer(t, h, table, "oven", 0, "")
	answer(t, h, table, "dream", 0, "Dream would be much")
	got := r.Troubles()
	if len(got) != 2 || got[0].Title+" "+got[0].Text != "Dream would be much" || got[1].Text != "does not fit: too large" {
		t.Fatalf("%+v", got)
	}
	r.room.Type("watts", "200")
	r.Cancel()
	if got := r.Troubles(); len(got) != 1 || got[0].Class != "error" {
		t.Errorf("cancelled: %+v", got)
	}
}

// Settings that contradict run nothing, and say so.
func TestBlocked(t *testing.T) {
	r, h, _ := bakeryRuns()
	n := len(h.Jobs)
	r.room.Type("watts", "many")
	if r.Blocked() == "" || len(h.Jobs) != n || r.ChartContext().Waiting == "" {
		t.Errorf("%q, %d jobs", r.Blocked(), len(h.Jobs))
	}
}

// The baseline is compared with what differs, and says in what.
func TestBaseline(t *testing.T) {
	r, h, table := bakeryRuns()
	answer(t, h, table, "oven", 25, "")
	b := r.Baseline
	if b.Says() != "" || b.Away() {
		t.Error(b.Says())
	}
	if b.Toggle(); b.Says() != "This is the baseline. Change a setting to see what it does." || b.Base() != nil || b.Away() {
		t.Error(b.Says())
	}
	r.room.Type("watts", "200")
	if b.Base() == nil || !b.Away() || b.Says() != "Since the baseline: watts 100 → 200. Its runs are being computed…" {
		t.Error(b.Says())
	}
	answer(t, h, table, "oven", 50, "")
	if x := b.Before("oven"); x == nil || x.Values[0] != 25 || b.Before("kiln") != nil {
		t.Errorf("before: %+v", x)
	}
	r.room.Choose("dish", "cake")
	if b.Base() != nil || b.Says() != "The baseline is of another workload, Rye; it is compared again when you go back to that." {
		t.Error(b.Says())
	}
	b.Return()
	if b.Away() || r.room.State.Setup.Text("watts") != "100" {
		t.Error(r.room.State.Setup)
	}
	if b.Toggle(); b.Pinned() {
		t.Error("it is still pinned")
	}
}

// TestCalled: what a report calls its system is what cards and charts do, and one that foresees is a bound.
func TestCalled(t *testing.T) {
	r, _, _ := bakeryRuns()
	x := &r.List[0]
	was := x.System
	r.learn(x, &report.Report{Fits: true, Called: "Mine (knows the future)", Foresees: true})
	if x.System.Title != "Mine (knows the future)" || !x.System.Bound || r.ChartRuns()[0].System != x.System {
		t.Errorf("%+v", x.System)
	}
	if r.learn(x, &report.Report{Fits: true}); x.System != was {
		t.Errorf("%+v, was %+v", x.System, was)
	}
}
