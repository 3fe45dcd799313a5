package recording

import (
	"fmt"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// fold gives every launch the time by which it makes the union of all longer.
func (f *folding) fold() error {
	f.times = make([]unit.Time, len(f.order))
	lasts := make([]unit.Time, len(f.order))
	for p, i := range f.order {
		k := &f.step.Kernels[i]
		lasts[p] = f.last(k)
		if f.rep.Summed > mostTime {
			return fmt.Errorf("the kernels of step %q take more than %v in all; record a smaller step", f.step.Name, mostTime)
		}
		if k.Time == 0 && f.rec.Times != workload.Estimated {
			f.rep.Rounded++
			f.rep.Added += lasts[p]
			f.rep.Summed -= lasts[p]
		}
		f.rep.Summed += lasts[p]
		if f.known[p] {
			f.rep.Covered += k.Time
		}
		if k.Kind == Communication {
			f.rep.Communication += k.Time
		}
	}
	if f.rec.Times == workload.Estimated {
		f.estimated(lasts)
		return nil
	}
	everything := make([]bool, len(f.order))
	for p := range everything {
		everything[p] = true
	}
	f.rep.Busy, f.rep.Span = f.union(lasts, everything)
	if f.c.Unknown == Drop { // what stays no longer shares its time with what goes
		busy, _ := f.union(lasts, f.known)
		f.rep.Lost = f.rep.Busy - busy
	}
	return nil
}

// last is how long a launch takes: as recorded, or half of what the file can say
// at least, or as estimated.
func (f *folding) last(k *Kernel) unit.Time {
	if f.rec.Times == workload.Estimated {
		p := kerneltime.Policy{Precision: kerneltime.TF32Conv, Setting: kerneltime.Training} // as PyTorch is by default
		if k.Element == 2 {
			p.Precision = kerneltime.FP16
		}
		return max(1, min(f.estimate(k, p), workload.MaxTime))
	}
	if k.Time == 0 {
		return max(1, k.Least/2)
	}
	return k.Time
}

// estimate is how long an operator takes by the law: by its shape where that is known, else by
// its work.
func (f *folding) estimate(k *Kernel, p kerneltime.Policy) unit.Time {
	if k.Shape == nil {
		return kerneltime.Unshaped(f.gpu, p, k.Class, k.Element, k.Flops, k.Bytes).Time
	}
	if at, ok := f.laws[shaped{k.Shape, p.Precision}]; ok {
		return at
	}
	t := min(kerneltime.Time(f.gpu, p, k.Shape).Time, workload.MaxTime)
	if k.Shape.Class == kerneltime.ConvData { // the operator is both gradients
		weight := *k.Shape
		weight.Class = kerneltime.ConvWeight
		t += min(kerneltime.Time(f.gpu, p, &weight).Time, workload.MaxTime)
	}
	f.laws[shaped{k.Shape, p.Precision}] = t
	return t
}

// estimated puts launches one behind the other.
func (f *folding) estimated(lasts []unit.Time) {
	f.rep.Covered = 0
	for p, i := range f.order {
		f.times[p] = lasts[p]
		f.rep.Busy += lasts[p]
		if f.known[p] {
			f.rep.Covered += lasts[p]
		} else if f.c.Unknown == Drop {
			f.rep.Lost += lasts[p]
		}
		if f.step.Kernels[i].Kind == Communication {
			f.rep.Communication += lasts[p]
		}
	}
	f.rep.Span = f.rep.Busy
}

// union folds launches and returns how long one of them ran, and how long it is
// from the first to the end of the last.
func (f *folding) union(lasts []unit.Time, which []bool) (busy, span unit.Time) {
	var from, end unit.Time
	first := true
	for p, i := range f.order {
		if !which[p] {
			f.times[p] = 0
			continue
		}
		start := f.step.Kernels[i].Start
		if first {
			from, end, first = start, start, false
		}
		f.times[p] = max(0, start+lasts[p]-max(start, end))
		end = max(end, start+lasts[p])
		busy += f.times[p]
	}
	return busy, end - from
}

// settle decides which launches become kernels, and where the time of the others
// goes.
func (f *folding) settle() error {
	f.at = make([]int32, len(f.order))
	n, before := int32(0), int32(-1) // kernels so far; place of the last one with tensors
	var early unit.Time              // of launches without tensors before the first with some
	for p := range f.order {
		f.at[p] = -1
		switch {
		case f.known[p] || f.c.Unknown == Follow:
			if !f.known[p] {
				f.rep.Followed++
			}
			f.at[p] = n
			n++
			f.times[p] += early
			early, before = 0, int32(p)
		case f.c.Unknown == Drop:
			f.rep.Dropped++
		case before < 0:
			f.rep.Merged++
			early += f.times[p]
		default:
			f.rep.Merged++
			f.times[before] += f.times[p]
		}
	}
	f.rep.Kernels = int(n)
	times := f.rec.Times
	if f.rep.Moved != nil {
		times = workload.Estimated
	}
	f.w = &workload.Workload{Times: times, Batch: f.rec.Batch, Name: f.title(), Kernels: make([]workload.Kernel, n)}
	for p, i := range f.order {
		if f.at[p] < 0 {
			continue
		}
		k := &f.w.Kernels[f.at[p]]
		k.Name = kernelName(&f.step.Kernels[i])
		if k.Time = f.times[p]; k.Time == 0 {
			k.Time = 1
			f.rep.Ticks++
		}
	}
	return nil
}

// title names the workload.
func (f *folding) title() string {
	if f.step == &f.rec.Steps[max(0, min(f.rec.Chosen, len(f.rec.Steps)-1))] {
		return f.rec.Name
	}
	return f.rec.Name + ", " + f.step.Name
}
