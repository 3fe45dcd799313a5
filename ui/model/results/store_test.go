package results

import (
	"slices"
	"testing"
	"time"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
)

// asker is an asker that counts what it is told.
func asker(a *Asker, got *[]string) *Asker {
	a.Ended = func(list []*Want) {
		for _, w := range list {
			*got = append(*got, w.Run.System+" "+w.Result.Error)
		}
	}
	return a
}

func run(system string) Run { return Run{Setup: "x=1", System: system} }

func good(id int) *exec.Answer {
	return &exec.Answer{ID: id, Last: true, Report: &report.Report{Fits: true, Values: []float64{1}}}
}

// Two wants of one run make one job, which goes on while one of them is left; what is shown
// raises it.
func TestTwoWantsOneJob(t *testing.T) {
	h := &bakery.Host{}
	table := calls.NewTable(h)
	s := NewStore("bakery", table)
	var behind, shown, values []string
	a, b, c := asker(s.Asker(calls.Behind), &behind), asker(s.Asker(calls.Shown), &shown), asker(s.ValueAsker(), &values)
	a.Wants([]Run{run("oven"), run("kiln")})
	b.Wants([]Run{run("oven")})
	c.Wants([]Run{run("oven")})
	if len(h.Jobs) != 2 || !slices.Equal(h.Raised, []int{1}) || !a.Active() || !b.Want(run("oven")).Active() {
		t.Fatalf("%d jobs, %d raised", len(h.Jobs), h.Raised)
	}
	a.Wants([]Run{run("kiln")})
	if len(h.Stopped) != 0 {
		t.Error("what others want was stopped")
	}
	table.Answer(good(1))
	if len(behind) != 0 || !slices.Equal(shown, []string{"oven "}) || !slices.Equal(values, []string{"oven "}) {
		t.Errorf("%q, %q, %q", behind, shown, values)
	}
	if s.Report(run("oven")) == nil || s.Outcome(run("oven")).Values[0] != 1 || b.Active() || b.Want(run("oven")).Part() != 0 {
		t.Error("it is not known")
	}
	a.Wants(nil)
	if !slices.Equal(h.Stopped, []int{2}) || a.Active() {
		t.Errorf("stopped %d", h.Stopped)
	}
}

// A run for its values alone says too little for a chart: it is run anew, and stands for
// those who want no more.
func TestCurves(t *testing.T) {
	h := &bakery.Host{}
	table := calls.NewTable(h)
	s := NewStore("bakery", table)
	var values, shown []string
	a, b := asker(s.ValueAsker(), &values), asker(s.Asker(calls.Shown), &shown)
	a.Wants([]Run{run("oven")})
	b.Wants([]Run{run("oven")})
	if len(h.Jobs) != 2 || h.Jobs[0].Kind != exec.Several || h.Jobs[1].Kind != exec.Run {
		t.Fatalf("%+v", h.Jobs)
	}
	table.Answer(&exec.Answer{ID: 1, Last: true, Parts: []exec.Part{{Report: &report.Report{Reason: "too large"}}}})
	if o := s.Outcome(run("oven")); !o.Unfit || o.Problem != "too large" || s.Report(run("oven")) != nil || len(shown) != 0 {
		t.Errorf("%+v, %q", o, shown)
	}
	table.Answer(&exec.Answer{ID: 2, Last: true, Error: "burnt"})
	if !slices.Equal(shown, []string{"oven burnt"}) || s.Report(run("oven")) != nil {
		t.Errorf("%q", shown)
	}
}

// Many runs go a few batches at a time, in order; those that nobody wants any more are left
// out, and what failed can be forgotten.
func TestBatches(t *testing.T) {
	h := &bakery.Host{}
	table := calls.NewTable(h)
	s := NewStore("bakery", table)
	var got []string
	a := asker(s.ValueAsker(), &got)
	var list []Run
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		list = append(list, run(n))
	}
	a.Wants(list)
	if len(h.Jobs) != batchesAtOnce || h.Jobs[3].Picks[0].System != "d" {
		t.Fatalf("%d batches", len(h.Jobs))
	}
	a.Wants([]Run{run("a"), run("f")})
	if !slices.Equal(h.Stopped, []int{2, 3, 4}) || len(h.Jobs) != 5 || h.Jobs[4].Picks[0].System != "f" {
		t.Errorf("stopped %d, %d batches", h.Stopped, len(h.Jobs))
	}
	table.Answer(&exec.Answer{ID: 1, Last: true, Error: "the worker is gone"})
	if s.Outcome(run("a")).Error == "" {
		t.Error("the failure is not known")
	}
	s.ForgetFailed()
	if s.Outcome(run("a")) != nil || len(got) != 1 {
		t.Errorf("%+v, %q", s.Outcome(run("a")), got)
	}
}

func TestShelf(t *testing.T) {
	c := shelf[int]{most: 2}
	for i, n := range []string{"a", "b", "a", "c"} {
		c.put(run(n), i)
	}
	if _, ok := c.m[run("a")]; ok || c.m[run("b")] != 1 || c.m[run("c")] != 3 {
		t.Errorf("the oldest goes first: %v", c.m)
	}
	c.clear()
	if len(c.m) != 0 {
		t.Error("it is not empty")
	}
}

// What took longer the last time comes later; what has not run comes first.
func TestCheaper(t *testing.T) {
	s := &Store{took: map[string]time.Duration{"slow": time.Second, "quick": time.Millisecond}}
	if s.Cheaper("quick", "slow") >= 0 || s.Cheaper("slow", "quick") <= 0 || s.Cheaper("new", "quick") >= 0 || s.Cheaper("new", "other") != 0 {
		t.Error("not in the order of time")
	}
}
