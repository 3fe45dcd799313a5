package load

import (
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// spied is a staged source that says in which stage it gives each call.
type spied struct {
	call.Staged
	stages []call.Stage
}

func (s *spied) Next(thread int32, now unit.Time, c *call.Call) call.State {
	state := s.Staged.Next(thread, now, c)
	if state == call.Ready {
		s.stages = append(s.stages, s.Stage())
	}
	return state
}

// Stages follow each other, every call of them is possible, and when a run is measured each file that
// was drawn exists with the size that was drawn, or as much later as threads have got since.
func TestPrepared(t *testing.T) {
	for _, name := range bench {
		if name == "oltp" {
			continue
		}
		for _, s := range []machine.Setup{
			{Scale: 64, Seed: 1, Prepared: true},
			{Scale: 600, Seed: 2, Prepared: true, Warm: true, Flowops: true},
			{Scale: 64, Seed: 1, Prepared: true, Warm: true, WarmTime: 5 * unit.Second},
			{Scale: 64, Seed: 1, Warm: true, WarmTime: 2 * unit.Second},
		} {
			r, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := Generate(r, &s)
			if err != nil {
				t.Fatal(err)
			}
			s.Prepared = false // as they are drawn
			old, err := Generate(r, &s)
			if err != nil {
				t.Fatal(err)
			}
			var spy *spied
			start := w.Start
			w.Start = func() call.Source {
				x, ok := start().(call.Staged)
				if !ok {
					return start()
				}
				spy = &spied{Staged: x}
				return spy
			}
			x := newTree(t, w)
			var count [1 + call.Measured]int64
			last := call.Warming
			drive(t, w, func(th int32, c *call.Call) {
				if spy != nil {
					at := spy.stages[len(spy.stages)-1]
					if at < last {
						t.Fatalf("%s: stage %d after %d", name, at, last)
					}
					if at == call.Measured && last < at && spy.Staged.(*prepared).files {
						for i, n := range old.Nodes {
							if n.Dir {
								continue
							}
							if !x.exists[i] || x.size[i] != n.Size {
								t.Fatalf("%s: node %d exists: %v, %d bytes of %d", name, i, x.exists[i], x.size[i], n.Size)
							}
						}
					}
					last = at
					count[at]++
				}
				x.see(th, c)
			}, nil)
			if spy == nil {
				if w.Unsure == unsurePrepared {
					t.Errorf("%s has no stages", name)
				}
				continue
			}
			files := spy.Staged.(*prepared).files
			if count[call.Measured] < w.Calls || count[call.Measured] > w.Calls*101/100 ||
				(count[call.Preparing] > 0) != (files && name != "mkdir") || (count[call.Warming] > 0) != (s.Warm && warmed(name)) {
				t.Errorf("%s: %d calls of the stages, %d announced", name, count, w.Calls)
			}
		}
	}
}

// A warm-up that lasts for a time is over when it has passed, in whatever time calls are answered.
func TestWarmTime(t *testing.T) {
	r, err := Find("varmail")
	if err != nil {
		t.Fatal(err)
	}
	warm := func(s *machine.Setup) (n int64) {
		w, err := Generate(r, s)
		if err != nil {
			t.Fatal(err)
		}
		x := w.Start().(call.Staged)
		w.Start = func() call.Source { return x }
		drive(t, w, func(int32, *call.Call) {
			if x.Stage() == call.Warming {
				n++
			}
		}, nil)
		return n
	}
	one := warm(&machine.Setup{Scale: 64, Seed: 1, Warm: true, WarmTime: unit.Second})
	two := warm(&machine.Setup{Scale: 64, Seed: 1, Warm: true, WarmTime: 2 * unit.Second})
	half := warm(&machine.Setup{Scale: 128, Seed: 1, Warm: true, WarmTime: 2 * unit.Second})
	if one == 0 || two < one*17/10 || two > one*23/10 || half < one*9/10 || half > one*11/10 {
		t.Errorf("%d calls in a second, %d in two, %d at half the scale", one, two, half)
	}
	run := warm(&machine.Setup{Scale: 64, Seed: 1, Warm: true, WarmTime: 1 << 61}) / longestWarm
	if w, err := Generate(r, &machine.Setup{Scale: 64, Seed: 1}); err != nil || run < w.Calls*99/100 || run > w.Calls*101/100 {
		t.Errorf("%v: a warm-up without an end has %d calls for each of a run's %d; want %d", err, run*longestWarm, w.Calls, longestWarm)
	}
}
