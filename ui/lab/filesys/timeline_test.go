package filesys

import (
	"testing"

	core "spillway/sim/filesys"
	"spillway/sim/timeline"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// State tracks are what threads spend time on, of every system; calls have their steps inside,
// and a window is that part of the whole.
func TestTimeline(t *testing.T) {
	l, named := New(), 0
	for i, system := range l.Running() {
		for k, set := range []string{"scale=256", "workload=varmail scale=256", "workload=oltp scale=256 mode=artifact"} {
			if testing.Short() && i%3 != k {
				continue
			}
			if system.Name == core.Alone.Name {
				set = []string{"workload=block-hot-cold scale=256 requests=1000000", "workload=block-uniform scale=256 requests=1000000 request_reads=60", "workload=block-sequential scale=256 request_size=32 requests=300000"}[k]
			}
			u := labtest.Setup(t, &l, set)
			_, raw, err := l.Run(u, system.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			record := func(w timeline.Window) *timeline.Timeline {
				h, err := l.Timeline(u, system.Name, nil, lab.Window(w), nil)
				if err != nil {
					t.Fatal(err)
				}
				return h.Timeline
			}
			x, r := record(timeline.Window{}), raw.(*result)
			ledger := make([]int64, len(x.Cats))
			for c, took := range r.Ledger {
				ledger[c] = int64(took)
			}
			ledger[core.Thinks] -= int64(r.Idle)
			ledger[idle] = int64(r.Idle)
			labtest.Timeline(t, system.Name+" "+set, x, ledger)
			labtest.Windows(t, system.Name+" "+set, x, record)
			named += checkCalls(t, system.Name+" "+set, x)
		}
	}
	if named == 0 {
		t.Error("no step has a name")
	}
}

// Of a run with too many slices there are bins, and windows that sum to them.
func TestTimelineOfManySlices(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million slices")
	}
	l := New()
	u := labtest.Setup(t, &l, "workload=varmail scale=8")
	record := func(w timeline.Window) *timeline.Timeline {
		h, err := l.Timeline(u, "ext4", nil, lab.Window(w), nil)
		if err != nil {
			t.Fatal(err)
		}
		return h.Timeline
	}
	_, raw, err := l.Run(u, "ext4", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := record(timeline.Window{})
	ledger := make([]int64, len(x.Cats))
	for c, took := range raw.(*result).Ledger {
		ledger[c] = int64(took)
	}
	idled := int64(raw.(*result).Idle)
	ledger[core.Thinks], ledger[idle] = ledger[core.Thinks]-idled, idled
	labtest.Timeline(t, "ext4", x, ledger)
	labtest.Bins(t, "ext4", x, record)
}

// checkCalls checks that what a thread does in a call lies inside the call with that number, and
// returns how many slices say which step they are of.
func checkCalls(t *testing.T, about string, x *timeline.Timeline) (named int) {
	t.Helper()
	for i := 0; i+1 < len(x.Tracks) && x.Tracks[i].Group == 0; i += 2 {
		calls, state := &x.Tracks[i], &x.Tracks[i+1]
		at := 0
		for k, step := range state.Step {
			if step < 0 {
				continue
			}
			for at < len(calls.Step) && calls.Step[at] < step {
				at++
			}
			if at == len(calls.Step) {
				break // nobody answers it any more
			}
			if calls.Step[at] != step || state.Begin[k] < calls.Begin[at] || state.End[k] > calls.End[at] || calls.Ref[at] < 0 {
				t.Fatalf("%s: %s: slice %d of call %d is not in it", about, state.Name, k, step)
			}
			if state.Label[k] > 0 {
				named++
			}
		}
	}
	return named
}

// An fsync of Ext4 unfolds into its steps: the slices of its thread below the call say what is
// written and that it waits for the commit, and they are no longer than the call.
func TestFsyncUnfolds(t *testing.T) {
	l := New()
	h, err := l.Timeline(labtest.Setup(t, &l, "workload=varmail scale=256"), "ext4", nil, lab.Window{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := h.Timeline
	calls, state := &x.Tracks[0], &x.Tracks[1]
	seen := map[string]int{}
	for i, label := range calls.Label {
		if x.Names[label] != "fsync" || x.Names[x.Steps[calls.Step[i]]] != "fsync" {
			continue
		}
		took := int64(0)
		for k, step := range state.Step {
			if step == calls.Step[i] {
				took += state.End[k] - state.Begin[k]
				seen[x.Cats[state.Cat[k]].Key+": "+x.Names[state.Label[k]]]++
			}
		}
		if took > calls.End[i]-calls.Begin[i] {
			t.Fatalf("an fsync of %d has steps of %d", calls.End[i]-calls.Begin[i], took)
		}
	}
	for _, want := range []string{"write_blocks: write a block of data", "journal: wait for the commit"} {
		if seen[want] == 0 {
			t.Errorf("no fsync has a step %q; there are %v", want, seen)
		}
	}
}
