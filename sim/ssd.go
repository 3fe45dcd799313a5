package sim

import (
	"fmt"
	"slices"

	"spillway/sim/device/flash"
	"spillway/sim/knob"
	"spillway/sim/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// runOnDrive runs w twice: with the machine's fixed SSD rates to learn what
// traffic the drive gets, then with what the simulated drive delivers under it.
// The notes of the result say what that is and how long the drive lasts.
func runOnDrive(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	d, err := flash.Find(q.SSD)
	if err != nil {
		return nil, err
	}
	first, err := runFixed(w, q, half(progress, 0))
	if err != nil || !first.Fits {
		return first, err // a result that says why
	}
	p := flash.Under(w, first, &d.Spec)
	m, err := flash.Simulate(d.Spec, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	limits := flash.Apply(&q.Machine, &m)
	r, err := runFixed(w, q, half(progress, 1))
	if err != nil || !r.Fits {
		return r, err
	}
	r.Notes = slices.Concat(r.Notes, describe(&d, &m, r), limits)
	return r, nil
}

// half reports the progress of the first or second of two runs.
func half(progress func(done, total int), which int) func(done, total int) {
	if progress == nil {
		return nil
	}
	return func(done, total int) { progress(which*total+done, 2*total) }
}

// describe says what a drive delivered and how long it lasts under r.
func describe(d *flash.Drive, m *flash.Measurement, r *result.Result) []string {
	read, write, when := m.Read, m.Write, "reading or writing alone"
	if m.MixedRead > 0 && m.MixedWrite > 0 {
		read, write, when = m.MixedRead, m.MixedWrite, "both at once"
	}
	notes := []string{fmt.Sprintf("The SSD is a simulated %s. Under this run's traffic, in its steady state, it reads %v and writes %v (%s); "+
		"latency %v, write amplification %s.", d.Name, read, write, when, m.ReadLatency, decimal(m.Amplification, 10, 100))}
	written := r.Main().Traffic.SSDOut
	if written == 0 {
		return append(notes, "The run writes nothing to the SSD, which does not age.")
	}
	life := flash.Lifetime(&d.Spec, written, r.Clock.Time(r.Time()), m.Amplification)
	return append(notes, fmt.Sprintf("Run without pause, this workload uses up the SSD's endurance of %s TB in %s years: %s drive writes a day, rated for %s over %d years.",
		knob.Decimal(int64(d.Spec.Endurance), 1000*int64(unit.GB)), decimal(life.Years, 100, 10),
		decimal(life.DWPD, 100, 10), decimal(d.Spec.DWPD(), 100, 10), d.Spec.Years))
}

// decimal prints v rounded to a multiple of step, in units of step*scale.
func decimal(v, step, scale int64) string { return knob.Decimal((v+step/2)/step, scale) }
