package llm

import (
	"math"

	"spillway/sim/llm/job"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

const (
	million = 1_000_000
	day     = 86_400 * unit.Second
	year    = 365 * 86_400 // seconds
)

// TokenRate is how many tokens a second are trained, in thousandths.
func (r *Result) TokenRate() int64 {
	if !r.Ran() {
		return 0
	}
	return unit.MulDiv(r.Tokens*1000, int64(unit.Second), int64(r.Time))
}

// FlopRate is how many operations a second each GPU does, on average over the iteration and the
// GPUs, recomputation too (job.Job.FLOPs).
func (r *Result) FlopRate() int64 {
	if !r.Ran() {
		return 0
	}
	// FLOPs are billions; a millisecond has as many picoseconds.
	return unit.MulDiv(r.Job.FLOPs, 1000*int64(unit.Second), int64(r.Time)) / int64(len(r.Job.Parts)) * million
}

// OfIdeal is a run's share of the throughput of an ideal iteration of the same batch, in
// millionths (TERAIO paper, §4.2). Ideal is a pipeline; other layouts may be above it.
func (r *Result) OfIdeal(ideal unit.Time) int64 {
	if !r.Ran() {
		return 0
	}
	return unit.MulDiv(int64(ideal), million, int64(r.Time))
}

// PeakShare is what all tensors of the first stage would take at the worst if none was ever moved, in
// millionths of a GPU's usable memory: M of Figure 7 of the TERAIO paper. It is about the job as a
// system cuts it, not about what a GPU then holds (offload.GPUResult.Peak), so that it is above a million
// wherever offloading is needed.
func PeakShare(j *job.Job) int64 {
	return unit.MulDiv(int64(j.Peak(0)), million, int64(max(j.Spec.Node.Usable(), 1)))
}

// Active is what tensors of the kernel that runs take of a GPU's usable memory, in millionths:
// the mean and the most over the kernels of all GPUs (Figure 1 of the TERAIO paper, whose text says
// 1.7 % and less than 14 %).
func Active(j *job.Job) (mean, most int64) {
	usable := int64(max(j.Spec.Node.Usable(), 1))
	var set []workload.TensorID
	var kernels, sum int64 // of KiB
	var worst unit.Bytes
	for _, w := range j.Parts {
		for k := range w.Kernels {
			set = w.WorkingSet(set[:0], workload.KernelID(k))
			var bytes unit.Bytes
			for _, t := range set {
				bytes += w.Tensors[t].Bytes
			}
			worst = max(worst, bytes)
			sum += int64(bytes / unit.KiB)
			kernels++
		}
	}
	if kernels == 0 {
		return 0, 0
	}
	return unit.MulDiv(sum*int64(unit.KiB)/kernels, million, usable), unit.MulDiv(int64(worst), million, usable)
}

// Energy is what an iteration takes, in millijoules: the node's power while everything works
// (machine.Config.MilliWatts: data sheets) for as long as the iteration lasts. GPUs and drives that
// wait take less, so that systems that wait a lot are overrated in energy, and all are bounded.
func (r *Result) Energy() int64 {
	if !r.Ran() {
		return 0
	}
	return unit.MulDiv(r.Node.MilliWatts(), int64(r.Time), int64(unit.Second))
}

// TokensPerKWh is how many tokens a kilowatt hour trains.
func (r *Result) TokensPerKWh() int64 {
	if !r.Ran() {
		return 0
	}
	const kWh = 3_600_000_000 // millijoules
	return unit.MulDiv(r.Tokens, kWh, max(r.Energy(), 1))
}

// Cost is what an iteration costs, in billionths of a US dollar: the price of the node, spread
// evenly over its years (machine.Prices.Years; 0: only energy), and the energy.
func (r *Result) Cost() int64 {
	if !r.Ran() {
		return 0
	}
	// A cent is 10⁷ billionths of a dollar, a kWh 3.6·10⁹ mJ.
	cost := unit.MulDiv(r.Energy(), r.Node.Prices.KWh, 360)
	if n := r.Node.Prices.Years; n > 0 {
		cost += unit.MulDiv(r.Node.Price(), int64(r.Time/unit.Nanosecond), n*year*100)
	}
	return cost
}

// TokensPerDollar is how many tokens a US dollar trains.
func (r *Result) TokensPerDollar() int64 {
	if !r.Ran() {
		return 0
	}
	return unit.MulDiv(r.Tokens, 1_000_000_000, max(r.Cost(), 1))
}

// WrittenPerDay is how many bytes are written to all drives in a day of training.
func (r *Result) WrittenPerDay() unit.Bytes {
	if !r.Ran() {
		return 0
	}
	var n unit.Bytes
	for _, a := range r.Node.Arrays {
		n += r.Links[a.Write].Bytes
	}
	return perDay(n, r.Time)
}

func perDay(n unit.Bytes, t unit.Time) unit.Bytes {
	return unit.Bytes(unit.MulDiv(int64(n), int64(day), int64(t)))
}

// DriveLife is after how many days, in thousandths, the drives have been written as often as
// their maker warrants: all drives of the array that is written most, which RAID-0 wears alike, over
// what a day of training writes to it. It is math.MaxInt64 if nothing is written.
func (r *Result) DriveLife() int64 {
	least := int64(math.MaxInt64)
	if !r.Ran() {
		return 0
	}
	for _, a := range r.Node.Arrays {
		if n := perDay(r.Links[a.Write].Bytes, r.Time); n > 0 {
			least = min(least, unit.MulDiv(int64(r.Node.Drive.Endurance), 1000*a.Drives, int64(n)))
		}
	}
	return least
}
