package train

import (
	"fmt"
	"slices"

	"spillway/sim/flash"
	"spillway/sim/knob"
	"spillway/sim/train/engine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// mostRuns is how often a workload is run on a drive at most, until what the
// drive delivers settles.
const mostRuns = 3

// runOnDrive runs w with the machine's fixed SSD rates to learn what traffic the
// drive gets, and again on what the simulated drive sustains under it: reads
// alone, writes alone, and both at the same time, as the run goes.
//
// The drive is measured with as much of both as it takes; a run that takes less of
// one, as when a page comes in only when another has gone out, leaves more to the
// other. And a system that plans did so with the rates of either alone. So it runs
// again with what the run before saw, until that changes by less than a hundredth.
// The notes of the result say what the drive delivered and how long it lasts.
func runOnDrive(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	d, err := flash.Find(q.SSD)
	if err != nil {
		return nil, err
	}
	s, _, err := q.system()
	if err != nil {
		return nil, err
	}
	first, err := runFixed(w, q, nil, partOf(progress, 0, 1+mostRuns))
	if err != nil || !first.Fits {
		return first, err // a result that says why
	}
	m, err := flash.Simulate(d.Spec, under(w, first, &d.Spec))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	full, limits := sustained(&q.Machine, &m)
	now := full
	var r *result.Result
	for i := range mostRuns {
		on := drive{rates: now}
		if r, err = runFixed(w, q, &on, partOf(progress, 1+i, 1+mostRuns)); err != nil || !r.Fits {
			return r, err
		}
		next := full.Taken(on.reads, on.writes)
		settled := near(next.MixedRead, now.MixedRead) && near(next.MixedWrite, now.MixedWrite)
		if s.Planned() {
			settled = settled && near(r.SSD.Read, q.Machine.SSDRead) && near(r.SSD.Write, q.Machine.SSDWrite)
			q.Machine.SSDRead, q.Machine.SSDWrite = r.SSD.Read, r.SSD.Write
		}
		if now = next; settled || !r.SSD.Mixed {
			break
		}
	}
	report(r.SSD, &d, &m, r)
	r.Besides = slices.Concat(r.Notes, limits)
	r.Notes = slices.Concat(r.Notes, DescribeSSD(r.SSD), limits)
	return r, nil
}

// near reports whether a is within a hundredth of b.
func near(a, b unit.Bandwidth) bool { return max(a, b)-min(a, b) <= b/100 }

// A drive is what a run gets from an SSD, and how much of the mixed rates it takes.
type drive struct {
	rates         engine.Drive
	reads, writes int64 // thousandths
}

// partOf reports the progress of one of several runs, or of a plan and a run: each has
// steps of its own, and all together go from 0 to runs times fine.
func partOf(progress func(done, total int), which, runs int) func(done, total int) {
	if progress == nil {
		return nil
	}
	const fine = 1000
	return func(done, total int) {
		progress(which*fine+int(unit.MulDiv(int64(done), fine, int64(max(1, total)))), runs*fine)
	}
}

// report adds to x, the rates that a drive delivered, how it did under r and how
// long it lasts.
func report(x *result.SSD, d *flash.Drive, m *flash.Measurement, r *result.Result) {
	x.Drive, x.Name, x.Latency, x.Amplification = d.Key, d.Name, m.ReadLatency, m.Amplification
	x.Written, x.Endurance, x.Rated, x.Warranty = r.Main().Traffic.SSDOut, d.Spec.Endurance, d.Spec.DWPD(), d.Spec.Years
	if x.Written > 0 {
		life := flash.Lifetime(&d.Spec, x.Written, r.Clock.Time(r.Time()), m.Amplification)
		x.Life, x.Daily = life.Years, life.DWPD
	}
}

// DescribeSSD says in sentences what x holds. They are among the notes of its result.
func DescribeSSD(x *result.SSD) []string {
	when := "one or the other at a time"
	if x.Mixed {
		when = "some of it at the same time"
	}
	notes := []string{fmt.Sprintf("The SSD is a simulated %s. Under this run's traffic, in its steady state, it reads at %v and writes at %v in the mean (%s); "+
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
