package runs

import (
	"cmp"
	"maps"
	"strings"
	"time"

	"spillway/sim/order"
	"spillway/sim/report"
	"spillway/ui/model/calls"
	"spillway/ui/model/results"
	"spillway/ui/model/workspace"
)

// Rows are runs that stand beside those of what is shown, each in its place, and are
// computed behind all that is shown itself.
type Rows struct {
	// Shown reports whether somebody looks at how far they are; it may be nil.
	Shown func() bool

	room  *workspace.Workspace
	store *results.Store
	asker *results.Asker
	list  map[string]*Row // by place
	begun time.Time       // when the newest was asked for
	news  bool            // there are results that were not drawn yet
}

// A Row is a run in its place.
type Row struct {
	Run       results.Run
	Want      *results.Want
	Report    *report.Report
	Error     string
	Cancelled bool

	contradicts bool // Error is of the settings: another run would say the same
}

// A Place is where a run is wanted.
type Place struct {
	Name string
	Run  results.Run
}

// NewRows returns no rows.
func NewRows(w *workspace.Workspace, s *results.Store) *Rows {
	x := &Rows{room: w, store: s, asker: s.Asker(calls.Behind), list: map[string]*Row{}}
	x.asker.Told, x.asker.Ended = x.draw, x.ended
	return x
}

// At is the row in a place, nil if there is none.
func (x *Rows) At(name string) *Row { return x.list[name] }

// Empty reports whether there are none.
func (x *Rows) Empty() bool { return len(x.list) == 0 }

// again reports whether it was cancelled or failed, so that it can be tried again.
func (r *Row) again() bool {
	return !r.Want.Active() && (r.Cancelled || r.Error != "" && !r.contradicts)
}

// Again reports whether a row was cancelled or failed, of those in places that count.
func (x *Rows) Again(counts func(name string) bool) bool {
	for name, r := range x.list {
		if r.again() && counts(name) {
			return true
		}
	}
	return false
}

// Forget forgets those that were cancelled or failed.
func (x *Rows) Forget(counts func(name string) bool) {
	maps.DeleteFunc(x.list, func(name string, r *Row) bool { return r.again() && counts(name) })
}

// Set sees to it that runs are there or under way in their places, and in no others.
func (x *Rows) Set(places []Place) {
	list := make(map[string]*Row, len(places))
	var wanted []results.Run
	for _, p := range places {
		r := x.list[p.Name]
		if r == nil || r.Run != p.Run {
			r = &Row{Run: p.Run, Report: x.store.Report(p.Run)}
			if r.Report == nil {
				x.begun = time.Now()
				wanted = append(wanted, p.Run)
			}
		} else if r.Want.Active() {
			wanted = append(wanted, p.Run)
		}
		list[p.Name] = r
	}
	x.list = list
	x.asker.Wants(wanted)
	for _, r := range list {
		if w := x.asker.Want(r.Run); w != nil {
			r.Want = w
		}
	}
}

// Keep keeps the rows in some places; what is under way in others ends.
func (x *Rows) Keep(which func(name string) bool) {
	x.end(func(name string, r *Row) bool { return which(name) })
}

// Pause ends what is under way.
func (x *Rows) Pause() { x.end(func(string, *Row) bool { return false }) }

// Cancel ends what is under way; it is not begun again by itself.
func (x *Rows) Cancel() {
	for _, r := range x.list {
		if r.Want.Active() {
			r.Cancelled = true
		}
	}
	x.end(func(_ string, r *Row) bool { return r.Cancelled })
}

// end ends what is under way but for some rows, and forgets it but for those that were
// cancelled.
func (x *Rows) end(but func(string, *Row) bool) {
	var wanted []results.Run
	maps.DeleteFunc(x.list, func(name string, r *Row) bool {
		switch {
		case !r.Want.Active():
		case !but(name, r):
			return true
		case !r.Cancelled:
			wanted = append(wanted, r.Run)
		}
		return false
	})
	order.Stable(wanted, func(a, b results.Run) int { return cmp.Compare(a.Key(), b.Key()) })
	x.asker.Wants(wanted)
}

// ended takes what came of runs.
func (x *Rows) ended(list []*results.Want) {
	for _, w := range list {
		for _, r := range x.list {
			if r.Want != w {
				continue
			}
			r.Report, r.Error = w.Result.Report, w.Result.Error
			if len(w.Result.Problems) > 0 {
				r.Error, r.contradicts = strings.Join(w.Result.Problems, "; "), true
			}
		}
	}
	x.news = true
	x.draw()
}

// draw has it drawn how far shown runs are, and what came out, once the others had the
// moment in which they may come, too.
func (x *Rows) draw() {
	if x.news && (!x.asker.Active() || time.Since(x.begun) >= grace) {
		x.news = false
		x.room.Rev++
		x.room.Draw()
	}
	if x.Shown != nil && x.Shown() {
		x.room.Draw()
	}
}

// Active reports whether any is still to come.
func (x *Rows) Active() bool { return x.asker.Active() }
