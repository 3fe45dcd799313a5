package train

import (
	"fmt"
	"slices"

	"spillway/sim/flash"
	"spillway/sim/knob"
	"spillway/sim/train/result"
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
	first, err := runFixed(w, q, halfOf(progress, 0))
	if err != nil || !first.Fits {
		return first, err // a result that says why
	}
	p := under(w, first, &d.Spec)
	m, err := flash.Simulate(d.Spec, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	limits := apply(&q.Machine, &m)
	r, err := runFixed(w, q, halfOf(progress, 1))
	if err != nil || !r.Fits {
		return r, err
	}
	r.SSD = report(&d, &m, r)
	r.Besides = slices.Concat(r.Notes, limits)
	r.Notes = slices.Concat(r.Notes, DescribeSSD(r.SSD), limits)
	return r, nil
}

// halfOf reports the progress of the first or second of two runs.
func halfOf(progress func(done, total int), which int) func(done, total int) {
	if progress == nil {
		return nil
	}
	return func(done, total int) { progress(which*total+done, 2*total) }
}

// report sums up what a drive delivered and how long it lasts under r.
func report(d *flash.Drive, m *flash.Measurement, r *result.Result) *result.SSD {
	x := &result.SSD{
		Drive: d.Key, Name: d.Name, Read: m.Read, Write: m.Write, Latency: m.ReadLatency, Amplification: m.Amplification,
		Written: r.Main().Traffic.SSDOut, Endurance: d.Spec.Endurance, Rated: d.Spec.DWPD(), Warranty: d.Spec.Years,
	}
	if m.MixedRead > 0 && m.MixedWrite > 0 {
		x.Read, x.Write, x.Mixed = m.MixedRead, m.MixedWrite, true
	}
	if x.Written > 0 {
		life := flash.Lifetime(&d.Spec, x.Written, r.Clock.Time(r.Time()), m.Amplification)
		x.Life, x.Daily = life.Years, life.DWPD
	}
	return x
}

// DescribeSSD says in sentences what x holds. They are among the notes of its result.
func DescribeSSD(x *result.SSD) []string {
	when := "reading or writing alone"
	if x.Mixed {
		when = "both at once"
	}
	notes := []string{fmt.Sprintf("The SSD is a simulated %s. Under this run's traffic, in its steady state, it reads %v and writes %v (%s); "+
		"latency %v, write amplification %s.", x.Name, x.Read, x.Write, when, x.Latency, decimal(x.Amplification, 10, 100))}
	if x.Written == 0 {
		return append(notes, "The run writes nothing to the SSD, which does not age.")
	}
	return append(notes, fmt.Sprintf("Run without pause, this workload uses up the SSD's endurance of %s TB in %s: %s drive writes a day, rated for %s over %d years.",
		knob.Decimal(int64(x.Endurance), 1000*int64(unit.GB)), lifetime(x),
		decimal(x.Daily, 100, 10), decimal(x.Rated, 100, 10), x.Warranty))
}

// lifetime words how long the endurance of x lasts: in years, below one year in
// days, below a tenth of a day as less than that.
func lifetime(x *result.SSD) string {
	if x.Life >= 1000 {
		return decimal(x.Life, 100, 10) + " years"
	}
	// Thousandths of years are coarse here. The rating is so many drive writes a day
	// for the warranty; so many more use it up so much faster.
	tenths := (unit.MulDiv(100*365*x.Warranty, x.Rated, max(1, x.Daily)) + 5) / 10
	switch {
	case tenths == 0:
		return "less than 0.1 days"
	case tenths < 100:
		return knob.Decimal(tenths, 10) + " days"
	}
	return knob.Decimal((tenths+5)/10, 1) + " days"
}

// decimal prints v rounded to a multiple of step, in units of step*scale.
func decimal(v, step, scale int64) string { return knob.Decimal((v+step/2)/step, scale) }
