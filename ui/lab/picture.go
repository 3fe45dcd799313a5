package lab

import (
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/report"
)

// A Picture draws what a laboratory is about: places that hold bytes, and links
// between them. Its numbers are settings, and the report of the system in focus.
type Picture struct {
	// Apart is the key of the quantity of bytes that go over links which are not drawn;
	// it may be empty.
	Apart  string
	Places []Place
	Links  []Link
	// Scale is the key of a number by which a run makes everything smaller: sizes and what
	// is used of them are drawn as the run has them, though settings and quantities are of
	// full scale. It may be empty.
	Scale string
}

// Part is by how much a run makes everything smaller, 1 if it does not: a workload from a
// file runs as it is.
func (l *Info) Part(u *knob.Setup) float64 {
	if l.Picture == nil || l.Picture.Scale == "" || l.Entry != "" && u.Text(l.Entry) != "" {
		return 1
	}
	v, err := strconv.ParseFloat(u.Text(l.Picture.Scale), 64)
	if err != nil {
		return 1
	}
	return max(1, v)
}

// A Place holds bytes.
type Place struct {
	Key, Title string
	// Size is the key of the knob that says how much it holds, Used that of the
	// quantity that says how much of it was in use at most, Part that of the derived
	// knob with the products that it may be. Each may be empty.
	Size, Used, Part string
	// Room is the key of the quantity that says how much it holds where no setting does, in the unit of Used.
	Room string
	// Unbounded is set where a size of 0 means as much as it takes.
	Unbounded bool
	// Turn are keys of knobs that decide how much lies in a place that has no size.
	Turn []string
}

// A Link joins two places.
type Link struct {
	Key, Title string
	From, To   string // keys of places
	Part       string // as a Place's
	Lanes      []Lane
	Turn       []string // keys of further knobs that decide its rates
}

// A Lane is one direction of a link; a link has at most one each way. Rate is the key of the
// knob that limits it, Bytes and Busy are keys of quantities: what it carried, and the share
// of the time, from 0 to 1, in which it did.
type Lane struct {
	To                string // the place that bytes go to
	Rate, Bytes, Busy string
	// Reached is the key of the quantity that says the rate in a run, where that is
	// another with every system, or where Bytes are of several of what Rate is of one of;
	// it may be empty. Without a run nothing is said then.
	Reached string
	// Simulated is the key of the quantity that says the rate in runs that simulate what is
	// behind the lane, as a drive; others have the knob's. It may be empty.
	Simulated string
}

// Rate returns the rate of a lane as it is drawn: of the run where that decides, else what the
// knob says. It is false where nothing is known, or nothing limits it.
func (l *Info) Rate(u *knob.Setup, r *report.Report, lane *Lane) (v float64, unit string, ok bool) {
	if at := l.Quantity(lane.Reached); at >= 0 {
		if r == nil {
			return 0, "", false
		}
		v, ok := r.Value(at)
		q := &l.Quantities[at]
		return q.Shown(v), q.Unit, ok && v > 0
	}
	if at := l.Quantity(lane.Simulated); at >= 0 && r != nil {
		if v, ok := r.Value(at); ok && v > 0 {
			q := &l.Quantities[at]
			return q.Shown(v), q.Unit, true
		}
	}
	k := u.Knob(lane.Rate)
	if k == nil {
		return 0, "", false
	}
	v, err := strconv.ParseFloat(u.Text(lane.Rate), 64)
	return v, k.Unit, err == nil && v > 0
}
