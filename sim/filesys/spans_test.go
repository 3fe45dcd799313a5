package filesys

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A witness has what a run tells.
type witness struct {
	spans    []Span
	calls    []Called
	busy     []unit.Time
	flash    [][2]unit.Time // by channel: begin and end of the last
	held     map[int32]unit.Time
	problems []string
}

func (w *witness) watch() *Watch {
	w.held = map[int32]unit.Time{}
	bad := func(what string) { w.problems = append(w.problems, what) }
	return &Watch{
		Span: func(s Span) {
			if s.Step != nil {
				step := *s.Step // steps are those of another call soon
				s.Step = &step
			}
			w.spans = append(w.spans, s)
		},
		Called: func(c Called) {
			of := *c.Call
			c.Call = &of
			w.calls = append(w.calls, c)
		},
		Held: func(lock, client int32, from, to unit.Time, _ bool) {
			if last, ok := w.held[lock]; ok && from < last || to < from || client < 0 {
				bad("a lock is held by two")
			}
			w.held[lock] = to
		},
		Flash: func(channel int32, from, to unit.Time) {
			for int(channel) >= len(w.busy) {
				w.busy, w.flash = append(w.busy, 0), append(w.flash, [2]unit.Time{})
			}
			if from < w.flash[channel][1] && w.flash[channel][1] > 0 || to < from {
				bad("a channel works on two pages at once")
			}
			w.busy[channel] += to - from
			w.flash[channel] = [2]unit.Time{from, to}
		},
	}
}

// What a run tells changes nothing and is what its result sums up: spans of a thread follow each
// other from the beginning until it ends and are the ledger, calls are those that are counted and
// have what their thread does meanwhile, channels work as long as they are busy.
func TestSpansAreTheLedger(t *testing.T) {
	ended, waited := 0, 0
	check := func(about string, w *call.Workload, s *machine.Setup, sys *System) {
		t.Helper()
		want, err := runOf(w, s, sys, nil)
		if err != nil {
			return
		}
		var x witness
		got, err := runOf(w, s, sys, x.watch())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: watched it differs: %v", about, err)
		}
		if len(x.problems) > 0 {
			t.Fatalf("%s: %q", about, x.problems)
		}
		var ledger [Causes]unit.Time
		var idle unit.Time
		at := make([]unit.Time, got.Threads+100)
		var calls int64
		inside := map[int64]unit.Time{}
		for _, p := range x.spans {
			if p.To <= p.From || p.From < at[p.Client] || int(p.Client) < got.Threads && p.From != at[p.Client] {
				t.Fatalf("%s: %+v after %v", about, p, at[p.Client])
			}
			at[p.Client] = p.To
			if int(p.Client) >= got.Threads {
				if p.Call != 0 || p.Step == nil {
					t.Fatalf("%s: an actor: %+v", about, p)
				}
				continue
			}
			if ledger[p.Cause] += p.To - p.From; p.Idle {
				idle += p.To - p.From
			}
			if (p.Call == 0) != (p.Step == nil) || p.Cause == ReadsBlocks && p.Step.Kind != plan.BlockRead || p.Cause == WaitsLog && p.Step.Kind != plan.ByteWrite || p.Cause == WaitsJournal && p.Step.Kind != plan.Wait || p.Cause == WaitsLock && p.Step != nil && p.Step.Kind != plan.Hold {
				t.Fatalf("%s: %+v of %+v", about, p, p.Step)
			}
			if p.Call > 0 {
				inside[p.Call] += p.To - p.From
			}
		}
		if ledger != got.Ledger || idle != got.Idle || idle > ledger[Thinks] {
			t.Fatalf("%s: spans sum to %d, %d idle, the ledger is %d, %d", about, ledger, idle, got.Ledger, got.Idle)
		}
		for thread, last := range at[:got.Threads] {
			if last > got.Time || last < got.Time && got.Ended == 0 {
				t.Fatalf("%s: thread %d has spans until %v, of %v", about, thread, last, got.Time)
			}
			if last < got.Time {
				ended++
			}
		}
		var took unit.Time
		for _, c := range x.calls {
			if calls++; !c.Failed {
				took += c.To - c.From
			}
			if inside[c.Number] > c.To-c.From {
				t.Fatalf("%s: %+v, of which its thread spends %v", about, c, inside[c.Number])
			}
			if inside[c.Number] < c.To-c.From && c.From >= 0 {
				waited++ // until others had written back its file
			}
		}
		var all unit.Time
		for _, tally := range got.Tallies {
			all += tally.Time
		}
		if calls != got.Calls || took != all {
			t.Fatalf("%s: %d calls of %v, in the result %d of %v", about, calls, took, got.Calls, all)
		}
		if busy := got.Device.Busy; w.Warm == 0 && got.Left.FlashPrograms == [4]int64{} && got.Left.FlashReads == [4]int64{} && len(x.busy) == len(busy) && !slices.Equal(x.busy, busy) {
			t.Fatalf("%s: channels work %v, the result has %v", about, x.busy, busy)
		}
	}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		w, s := randomCalls(r), randomSetup(r)
		for i := range Systems {
			check(Systems[i].Name, w, &s, &Systems[i])
		}
	}
	s := machine.Default()
	s.Scale = 512
	for _, name := range []string{"varmail", "create", "oltp"} {
		w := recipe(t, name, &s)
		for i := range Systems[:5] {
			check(name+" "+Systems[i].Name, w, &s, &Systems[i])
		}
	}
	if ended == 0 || waited == 0 {
		t.Errorf("%d threads end early, %d calls wait for a file: too few to show anything", ended, waited)
	}
}
