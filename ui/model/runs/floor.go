package runs

import (
	"spillway/sim/report"
	"spillway/ui/model/results"
)

// floor is the run that proves how fast any system can be. It is there whether somebody
// compares it or not, and nobody waits for it.
type floor struct {
	runs  *Runs
	asker *results.Asker
	tried results.Run // that was asked for last: what failed is not asked for again
}

func newFloor(r *Runs) *floor {
	f := &floor{runs: r, asker: r.store.ValueAsker()}
	f.asker.Ended = func([]*results.Want) {
		r.room.Rev++
		r.room.Draw()
	}
	return f
}

// follow asks for the floor of what is shown.
func (f *floor) follow(blocked bool) {
	of := f.of()
	if of.System == "" {
		return
	}
	under := f.asker.Want(of).Active()
	switch {
	case blocked || len(f.runs.room.State.On) == 0 || f.runs.store.Outcome(of) != nil || !under && f.tried == of:
		f.asker.Wants(nil)
	default:
		f.tried = of
		f.asker.Wants([]results.Run{of})
	}
}

// of is its run with what is shown; it has no system in a laboratory without a floor.
func (f *floor) of() results.Run { return f.runs.of(f.runs.room.Info.Floor.System) }

// cancel gives it up until something else is shown.
func (f *floor) cancel() { f.asker.Wants(nil) }

// forget gives it up, so that it can be asked for again.
func (f *floor) forget() {
	f.cancel()
	f.tried = results.Run{}
}

// now is what it says of what is shown, nil where that is not known.
func (f *floor) now() *report.Report {
	of := f.of()
	switch known := f.runs.store.Outcome(of); {
	case of.System == "", known == nil, known.Error != "":
		return nil
	case known.Values == nil:
		return &report.Report{Reason: known.Problem}
	default:
		return &report.Report{Fits: true, Values: known.Values}
	}
}
