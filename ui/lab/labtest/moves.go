package labtest

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// moves holds a run to this: nothing moves for free. What the lanes of the laboratory's picture carry takes time there,
// and the run takes at least what a lane carries over its rate; and what lies in another place than at home has moved.
func moves(t *testing.T, l *lab.Lab, q Quick, u *knob.Setup, system string, r *report.Report) {
	const (
		slack = 1.02 // what was on its way when a run began
		least = 1e-3 // GB: inputs lie in host memory when a run begins
	)
	if l.Picture == nil || !r.Fits || l.Floor.System == system || !strings.Contains(u.String(), q.Tight) {
		return
	}
	about := l.Name + ", " + system + " with " + u.String()
	carried := map[string]float64{} // by place
	known := map[string]bool{}
	for _, link := range l.Picture.Links {
		for i := range link.Lanes {
			lane := &link.Lanes[i]
			bytes, ok := shown(l, r, lane.Bytes)
			if !ok {
				continue
			}
			for _, place := range []string{link.From, link.To} {
				carried[place] += bytes
				known[place] = true
			}
			if busy, ok := shown(l, r, lane.Busy); ok && bytes > least && busy == 0 {
				t.Errorf("%s: %s carries %v GB in no time", about, link.Title, bytes)
			}
			rate, unit, limited := l.Rate(u, r, lane)
			time, timed := shown(l, r, q.Time)
			if limited && timed && unit == "GB/s" && bytes > slack*rate*time+least {
				t.Errorf("%s: %s to %s carries %v GB in %v s, at %v GB/s", about, link.Title, lane.To, bytes, time, rate)
			}
		}
	}
	for _, place := range l.Picture.Places {
		used, ok := shown(l, r, place.Used)
		if ok && known[place.Key] && !slices.Contains(strings.Fields(q.Home), place.Key) && used > least && carried[place.Key] == 0 {
			t.Errorf("%s: %s holds %v GB, and nothing has moved there", about, place.Title, used)
		}
	}
}

// shown is the value of a quantity in GB or seconds, as it has it, whatever people see it in.
func shown(l *lab.Lab, r *report.Report, key string) (float64, bool) {
	at := l.Quantity(key)
	v, ok := r.Value(at)
	if !ok {
		return 0, false
	}
	q := &l.Quantities[at]
	of := map[string]float64{"GiB": 1.073741824, "MiB": 1.048576e-3, "MB": 1e-3, "ms": 1e-3}[q.Unit]
	if of == 0 {
		of = 1
	}
	return q.Shown(v) * of, true
}
