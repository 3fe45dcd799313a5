package train

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/bound"
	"spillway/sim/flash"
	"spillway/sim/prose"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/train/system/best"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Bound is the name of the system that is no system but the proof of how fast any can be.
var Bound = best.System.Name

// Floor returns the proof of how fast an iteration of w can be at best in q's setting, also
// for what computes values again if recompute, and what it is about: what kernels take there
// when nothing is missing, and the machine of q, on a drive with the rates that this has at
// best. The system of q does not count. The error is a *system.DoesNotFit where nothing can
// be proved.
func Floor(w *workload.Workload, q Request, recompute bool) (*bound.Problem, *bound.Certificate, error) {
	p, _, err := floor(w, &q)
	if err != nil {
		return nil, nil, err
	}
	p.Recompute = recompute
	c, _, err := prove(p, &q)
	return p, c, err
}

// prove solves p. With accidents of published simulators, in which links carry more than
// their rate, the time of all kernels is all that is proved.
func prove(p *bound.Problem, q *Request) (*bound.Certificate, bound.Waits, error) {
	if q.Options.Quirks&best.System.Quirks != 0 {
		return p.Nothing()
	}
	return p.Best(bound.Most)
}

// floor returns the problem that Floor solves, and the drive, nil if its rates are the
// machine's.
func floor(w *workload.Workload, q *Request) (*bound.Problem, *emptyDrive, error) {
	m := q.Machine
	if err := swapplan.LoadOf(w).Fits(m.GPUMemory); err != nil {
		return nil, nil, err
	}
	var d *emptyDrive
	if q.SSD != "" {
		var err error
		if d, err = atBest(&m, q.SSD, w); err != nil {
			return nil, nil, err
		}
	}
	exec := engine.Ideal(w, engine.Config{Machine: m, Noise: q.Options.Noise, Seed: q.Options.Seed})
	return swapplan.Problem(w, exec, &m), d, nil
}

// An emptyDrive is a drive that is empty but for what is written in turn, so that it need
// not collect garbage: what is said of it where nothing runs.
type emptyDrive struct {
	drive       flash.Drive
	measurement flash.Measurement
	rates       engine.Drive
}

// atBest gives m rates that a drive never exceeds, whatever is done to it ([flash.Spec.Most]).
// What any one pattern reaches is no bound: another may reach more.
func atBest(m *machine.Machine, key string, w *workload.Workload) (*emptyDrive, error) {
	d, err := flash.Find(key)
	if err != nil {
		return nil, err
	}
	x, err := flash.Simulate(d.Spec, flash.Pattern{Utilization: 1, Request: typical(w), Hot: 1000, HotWrites: 1000, Cyclic: true, Reads: 500})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	most := x
	most.Read, most.Write = d.Spec.Most()
	most.MixedRead, most.MixedWrite = most.Read, most.Write
	rates, _ := sustained(m, &most)
	return &emptyDrive{d, x, rates}, nil
}

// refused is the result of a system that the workload does not fit, or any other error.
func refused(w *workload.Workload, c engine.Config, name string, err error) (*result.Result, error) {
	var no *system.DoesNotFit
	if !errors.As(err, &no) {
		return nil, err
	}
	r := engine.Unfit(w, c, no)
	r.System = name
	return r, nil
}

// runFloor is the result of the bound: kernels as on a GPU that holds everything, with the
// bound's waits between them.
func runFloor(w *workload.Workload, q Request) (*result.Result, error) {
	s, err := Find(q.System)
	if err != nil {
		return nil, err
	}
	c := config(&s, &q)
	p, d, err := floor(w, &q)
	if err != nil {
		return refused(w, c, s.Name, err)
	}
	cert, waits, err := prove(p, &q)
	if err != nil {
		return nil, err
	}
	if d != nil {
		c.Drive = &d.rates
	}
	r, err := engine.Run(w, &program.Program{}, c)
	if err != nil {
		return nil, err
	}
	r.System, r.Notes = s.Name, append(r.Notes, s.Note)
	if q.Options.Quirks&s.Quirks != 0 {
		r.Notes = append(r.Notes, "As published, links carry more than their rate at times; then that kernels take their time is all that is proved. Corrected mode has more.")
	}
	stalls := waiting(r, cert, waits, &q.Machine)
	r.Recomputing = cert.Cycles
	if cert.Cycles > r.Ideal { // else nothing waits, and nothing is gained by computing again
		p.Recompute = true
		again, _, err := prove(p, &q)
		if err != nil {
			return nil, err
		}
		r.Recomputing = again.Cycles
	}
	if r.Recomputing < cert.Cycles {
		r.Notes = append(r.Notes, fmt.Sprintf("Systems that also compute values again are measured against %s s: none of them can be below, and nothing shows that it can be reached.",
			prose.ThreeDigits(float64(r.Recomputing)/float64(r.Clock))))
	}
	if q.Record != nil {
		q.Record.Insert(stalls)
	}
	if d != nil {
		report(r.SSD, &d.drive, &d.measurement, r)
		r.Besides = r.Notes
		r.Notes = slices.Concat(r.Notes, DescribeSSD(r.SSD))
	}
	return r, nil
}

// waiting adds to r, in which nothing waits, what cert says that it must, before the moments
// where waits are. What the GPU has no room for is taken to be in the host first.
func waiting(r *result.Result, cert *bound.Certificate, waits bound.Waits, m *machine.Machine) (stalls []engine.Stall) {
	total := cert.Cycles - r.Ideal
	for i := range r.Iterations {
		it := &r.Iterations[i]
		it.Time, it.Stall, it.Ledger.LatePrefetch = cert.Cycles, total, total
	}
	shares := waits.Share(total)
	var late unit.Cycles
	for k, x := 0, 0; k < len(r.Kernels); k++ {
		kernel := &r.Kernels[k]
		kernel.Start += late
		if x < len(cert.Moments) && cert.Moments[x] == k {
			if late += shares[x]; shares[x] > 0 {
				stalls = append(stalls, engine.Stall{Kernel: workload.KernelID(k), Cause: result.LatePrefetch, Start: kernel.Start, End: kernel.Start + shares[x]})
			}
			x++
		}
		kernel.End += late
		kernel.GPU, kernel.Host = min(kernel.GPU, m.GPUMemory), min(max(0, kernel.GPU-m.GPUMemory), m.HostMemory)
	}
	return stalls
}
