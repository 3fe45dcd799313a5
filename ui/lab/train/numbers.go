package train

import (
	"math"
	"slices"
	"strings"

	"spillway/sim/report"
	core "spillway/sim/train"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, Workload, *result.Result]

// A number is a measure that not every run has.
type number struct {
	report.Quantity
	value func(w Workload, s *settings, r *result.Result) float64
	has   func(w Workload, r *result.Result) bool // nil: every result has it
}

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	var list []report.Measure[*ran]
	for _, n := range numbers() {
		list = append(list, report.Number(n.Quantity, func(r *ran) float64 {
			if n.has != nil && !n.has(r.Workload, r.Result) {
				return report.None()
			}
			return n.value(r.Workload, r.Settings, r.Result)
		}))
	}
	return report.Keep(list, map[string]report.Law{"iteration_s": {Bounded: true}, "band_percent": {Ratio: true}})
}

// performance is throughput relative to a GPU that holds everything: 1 is as fast.
func performance(r *result.Result) float64 { return float64(r.Ideal) / float64(max(r.Time(), 1)) }

// seconds converts cycles of r's clock.
func seconds(r *result.Result, c unit.Cycles) float64 { return float64(c) / float64(r.Clock) }

// headroom is the key of how far a run is from the best possible, which no run knows of
// itself.
const headroom = "headroom"

// recomputing is the key of what the best possible says of systems that compute values again.
const recomputing = "recomputing_s"

func numbers() []number {
	var ns []number
	add := func(key, label, unit, help string, places, better int, f func(r *result.Result) float64) *number {
		ns = append(ns, number{
			Quantity: report.Quantity{Key: key, Label: label, Unit: unit, Help: help, Places: places, Better: better},
			value:    func(_ Workload, _ *settings, r *result.Result) float64 { return f(r) },
		})
		return &ns[len(ns)-1]
	}
	time := func(key, label, help string, better int, f func(r *result.Result) unit.Cycles) *number {
		return add(key+"_s", label, "s", help, 4, better, func(r *result.Result) float64 { return seconds(r, f(r)) })
	}
	bytes := func(key, label, unitName, help string, scale float64, better int, f func(r *result.Result) unit.Bytes) {
		add(key+"_bytes", label, unitName, help, 2, better, func(r *result.Result) float64 { return float64(f(r)) }).Scale = scale
	}
	add("normalized_throughput", "Throughput, normalized", "× ideal", "Ideal iteration time over iteration time.", 4, 1, performance)
	samples := add("throughput_samples_per_s", "Throughput", "samples/s", "Batch size over iteration time.", 2, 1, nil)
	samples.value = func(w Workload, _ *settings, r *result.Result) float64 {
		return float64(w.Batch) / seconds(r, r.Time())
	}
	samples.has = func(w Workload, _ *result.Result) bool { return w.Batch > 0 }
	alone := add("samples_s", "Throughput of the GPU alone", "samples/s", "Batch size over the ideal iteration time.", 2, 1, nil)
	alone.value = func(w Workload, _ *settings, r *result.Result) float64 { return float64(w.Batch) / seconds(r, r.Ideal) }
	alone.has = func(w Workload, _ *result.Result) bool { return w.band > 0 } // else it is in no result of before
	band := add("band_percent", "Band of the kernel times", "%", "Eight of ten measurements lie within this of the estimate; measured times have none.", 0, -1, nil)
	band.value = func(w Workload, _ *settings, _ *result.Result) float64 { return float64(w.band) }
	band.has = func(w Workload, _ *result.Result) bool { return w.band > 0 }
	time("iteration", "Iteration time", "From the end of the previous iteration to the end of the reported one; of UM and DeepUM the mean of all that are measured.", -1, (*result.Result).Time)
	add(headroom, "Time over the best possible", "×", "Iteration time over what Best possible proves of the system, where that is among the systems: less of those that compute values again. Compressed memory has none: moving tensors bounds no compression. Unified memory may be below 1 where kernels need only rows of a table, of which the bound moves all.", 3, -1,
		func(*result.Result) float64 { return report.None() })
	add(recomputing, "Least time with recomputation", "s", "Of Best possible: no system that also computes values again takes less. Nothing shows that it can be reached.", 4, -1,
		func(r *result.Result) float64 { return seconds(r, r.Recomputing) }).has = func(_ Workload, r *result.Result) bool { return r.Recomputing > 0 }
	time("ideal", "Ideal iteration time", "Sum of all kernels' execution times.", 0, func(r *result.Result) unit.Cycles { return r.Ideal })
	time("compute", "Compute", "Kernels run and nothing moves.", 0, func(r *result.Result) unit.Cycles { return r.Mean().Compute })
	time("overlap", "Overlap", "Kernels run while data moves.", 0, func(r *result.Result) unit.Cycles { return r.Mean().Overlap })
	time("stall", "Stall", "Kernels wait.", -1, func(r *result.Result) unit.Cycles { return r.Mean().Stall })
	time("doubled", "Counted twice by the artifact", "Waits in which nothing moves: as published they are part of both compute and stall, which here are without them.", 0,
		func(r *result.Result) unit.Cycles { return r.Mean().Doubled }).has = func(_ Workload, r *result.Result) bool { return r.Mean().Doubled > 0 }
	compressed := func(_ Workload, r *result.Result) bool { return r.Compressed != nil }
	for c := range result.NumCauses {
		n := time(causeKey(c), "Beyond ideal: "+c.String(), "Time beyond ideal that was spent on this; all sum to iteration time minus ideal time. Why it was is another question, and its answer other runs (section Why?).", -1,
			func(r *result.Result) unit.Cycles { return *r.Mean().Ledger.At(c) })
		switch c {
		case result.Compression:
			n.has = compressed
		case result.Recomputation:
			n.has = func(_ Workload, r *result.Result) bool {
				return r.Mean().Swapping != nil || r.Mean().Ledger.Recomputation > 0
			}
		}
	}
	traffic := func(key, label string, f func(*result.Traffic) unit.Bytes) {
		bytes(key, label, "GB", "Bytes moved in the reported iteration; 1 GB is 10⁹ bytes.", 1e9, -1, func(r *result.Result) unit.Bytes { return f(&r.Mean().Traffic) })
	}
	traffic("ssd_to_gpu", "SSD → GPU", func(t *result.Traffic) unit.Bytes { return t.SSDIn })
	traffic("gpu_to_ssd", "GPU → SSD", func(t *result.Traffic) unit.Bytes { return t.SSDOut })
	traffic("host_to_gpu", "Host → GPU", func(t *result.Traffic) unit.Bytes { return t.HostIn })
	traffic("gpu_to_host", "GPU → host", func(t *result.Traffic) unit.Bytes { return t.HostOut })
	traffic("to_gpu", "All → GPU", func(t *result.Traffic) unit.Bytes { return t.HostIn + t.SSDIn })
	traffic("from_gpu", "GPU → all", func(t *result.Traffic) unit.Bytes { return t.HostOut + t.SSDOut })
	for _, l := range lanes {
		n := add(l.busy, l.label, "%", "Bytes moved, as a share of what the link could move in the iteration.", 1, 0, nil)
		n.Scale = 0.01 // a share
		n.value = func(_ Workload, s *settings, r *result.Result) float64 { return l.share(s, r) }
	}
	fault := func(key, label string, f func(*result.Faults) int64) {
		add("faults_"+key+"_pages", label, "pages", "Pages not ready when a kernel wanted to start.", 0, -1, func(r *result.Result) float64 { return float64(f(&r.Mean().Faults)) })
	}
	fault("moving", "Faults on moving pages", func(f *result.Faults) int64 { return f.Moving })
	fault("host", "Faults on host pages", func(f *result.Faults) int64 { return f.Host })
	fault("ssd", "Faults on SSD pages", func(f *result.Faults) int64 { return f.SSD })
	fault("unallocated", "Faults on fresh pages", func(f *result.Faults) int64 { return f.Unallocated })
	peaks := func(key, label string, f func(*result.Result) unit.Bytes) {
		bytes(key, label, "GiB", "Most memory in use at the end of any kernel; 1 GiB is 2³⁰ bytes.", float64(unit.GiB), 0, f)
	}
	peaks("peak_gpu", "Peak GPU memory", func(r *result.Result) unit.Bytes { g, _ := peak(r); return g })
	peaks("peak_host", "Peak host memory", func(r *result.Result) unit.Bytes { _, h := peak(r); return h })
	ssd := add("peak_ssd_bytes", "Peak SSD use", "GiB", "At least: the most that was alive but neither on the GPU nor in host memory when a kernel ended.", 2, 0, nil)
	ssd.Scale = float64(unit.GiB)
	ssd.value = func(w Workload, _ *settings, r *result.Result) float64 { return float64(onSSD(w.liveIn(r), r)) }
	memory := func(key, label, help string, f func(w *Workload) unit.Bytes) *number {
		n := add(key+"_bytes", label, "GiB", help+" The same for every system; 1 GiB is 2³⁰ bytes.", 2, 0, nil)
		n.Scale = float64(unit.GiB)
		n.value = func(w Workload, _ *settings, _ *result.Result) float64 { return float64(f(&w)) }
		return n
	}
	memory("needed", "Memory needed", "The most that is alive at once.", func(w *Workload) unit.Bytes { return w.memory.Most })
	memory("parameters", "Parameters", "Numbers that training changes, 4 bytes each.", (*Workload).payload).has = func(w Workload, _ *result.Result) bool { return w.parameters > 0 }
	memory("gradients", "Gradients of weights", "The most at once; without an optimizer each is gone when its weight is updated.", func(w *Workload) unit.Bytes { return w.memory.Gradients })
	memory("optimizer", "Optimizer state", "Moments and momentum, fp32.", func(w *Workload) unit.Bytes { return w.memory.Optimizer })
	memory("activations", "Activations and workspace", "The most at once of all that is neither kept nor a gradient of a weight.", func(w *Workload) unit.Bytes { return w.memory.Rest })
	memory("persistent", "Kept between iterations", "Weights and optimizer state. Without an optimizer it is what the artifact counts as persistent: in BERT and ViT also biases, gains and constants as large as activations.",
		func(w *Workload) unit.Bytes { return w.memory.Weights + w.memory.Optimizer })
	add("kernels_slowed_percent", "Kernels slowed by more than 1 %", "%", "Share of the kernels that take more than 1.01 times their ideal time.", 1, -1, slowed)
	slow := func(key, label string, q float64) {
		add("kernel_slowdown_"+key, label, "×", "Kernel time over its ideal time.", 2, -1, func(r *result.Result) float64 { return result.Quantile(result.Slowdowns(r), q) })
	}
	slow("median", "Kernel slowdown, median", 0.5)
	slow("p90", "Kernel slowdown, 90th percentile", 0.9)
	slow("p99", "Kernel slowdown, 99th percentile", 0.99)
	slow("worst", "Kernel slowdown, worst", 1)
	// A drive that is not read, or not written, says nothing about it.
	const always, reads, writes = 0, 1, 2
	drive := func(key, label, unitName, help string, places, better, when int, f func(*result.SSD) float64) {
		add(key, label, unitName, help, places, better, func(r *result.Result) float64 { return f(r.SSD) }).has = func(_ Workload, r *result.Result) bool {
			return r.SSD != nil && (when != reads || r.Mean().Traffic.SSDIn > 0) && (when != writes || r.SSD.Written > 0)
		}
	}
	const sustains = "Mean rate of the simulated drive while it does so, garbage collection and all."
	drive("drive_read_gb_per_s", "SSD reads", "GB/s", sustains, 2, 1, reads, func(x *result.SSD) float64 { return float64(x.Read) / float64(unit.GBps) })
	drive("drive_write_gb_per_s", "SSD writes", "GB/s", sustains, 2, 1, writes, func(x *result.SSD) float64 { return float64(x.Write) / float64(unit.GBps) })
	drive("drive_latency_us", "SSD read latency", "µs", "One 4 KiB read of the idle drive.", 1, -1, always, func(x *result.SSD) float64 { return float64(x.Latency) / float64(unit.Microsecond) })
	drive("drive_write_amplification", "Write amplification", "×", "Bytes programmed to flash for each byte written to the drive.", 2, -1, writes, func(x *result.SSD) float64 { return float64(x.Amplification) / 1000 })
	drive("drive_writes_per_day", "Drive writes per day", "", "In units of the drive's capacity, if the workload never stops.", 1, -1, writes, func(x *result.SSD) float64 { return float64(x.Daily) / 1000 })
	drive("drive_life_years", "SSD lifetime", "years", "Until the rated endurance is used up if the workload never stops; a year has 365 days.", 3, 1, writes, func(x *result.SSD) float64 { return float64(x.Life) / 1000 })
	add("compression_ratio", "Compression, with metadata", "×", "The most in use at once, uncompressed over what it takes of GPU memory. Contents are assumed.", 2, 1,
		func(r *result.Result) float64 {
			return float64(r.Compressed.Plain) / float64(max(1, r.Compressed.Device))
		}).has = compressed
	held := func(key, label, unitName, help string, scale float64, better int, f func(*result.Compressed) unit.Bytes) {
		n := add(key+"_bytes", label, unitName, help, 2, better, func(r *result.Result) float64 { return float64(f(r.Compressed)) })
		n.Scale, n.has = scale, compressed
	}
	held("compressed", "Memory needed, compressed", "GiB", "The most in use at once, in slots of GPU memory, with metadata; 1 GiB is 2³⁰ bytes.", float64(unit.GiB), -1, func(x *result.Compressed) unit.Bytes { return x.Device })
	held("buddy", "Buddy memory", "GiB", "Places for what overflows, the most at once.", float64(unit.GiB), 0, func(x *result.Compressed) unit.Bytes { return x.Buddy })
	held("buddy_link", "To and from the buddy memory", "GB", "In an iteration; kernels wait for it. 1 GB is 10⁹ bytes.", 1e9, -1, func(x *result.Compressed) unit.Bytes { return x.Moved })
	ns = append(ns, pagingNumbers()...)
	ns = append(ns, swappingNumbers()...)
	price := add("price_usd", "Price of the machine", "$", "GPU, SSD, host memory and the rest; without energy. A GPU that holds everything has none.", 0, -1, nil)
	price.value = func(_ Workload, s *settings, r *result.Result) float64 { return s.price(r) }
	each := add("samples_per_s_per_kusd", "Throughput per $1000", "samples/s", "Samples a second for each 1000 dollars of the machine's price; without energy.", 3, 1, nil)
	each.value = func(w Workload, s *settings, r *result.Result) float64 {
		if w.Batch == 0 || s.price(r) == 0 {
			return report.None()
		}
		return 1000 * float64(w.Batch) / seconds(r, r.Time()) / s.price(r)
	}
	add("planned_migrations", "Planned migrations", "", "Instructions the planner issued.", 0, 0, func(r *result.Result) float64 { return float64(r.PlannedOps) }).has = func(_ Workload, r *result.Result) bool {
		return r.PlannedOps > 0 || r.Mean().Paging == nil && r.Mean().Swapping == nil // these decide while time passes
	}
	add("reported_iteration", "Reported iteration", "", "Which of the simulated iterations the numbers are about, counted from 1.", 0, 0, func(r *result.Result) float64 { return float64(r.Reported + 1) })
	for i := range ns {
		if slices.Contains([]string{"throughput_samples_per_s", "samples_s", "iteration_s", "ideal_s", "compute_s"}, ns[i].Key) {
			ns[i].Band = "band_percent"
		}
	}
	return ns
}

// price is what the machine costs in dollars, none for one that nobody sells.
func (s *settings) price(r *result.Result) float64 {
	o := s.options()
	if x, err := core.Find(r.System); err == nil && x.Bound(&o) {
		return report.None()
	}
	p := s.prices()
	return float64(p.Total(&s.Machine)) / 100
}

// causeKey is a cause's quantity without its unit.
func causeKey(c result.Cause) string {
	return "beyond_ideal_" + strings.ReplaceAll(strings.ToLower(c.String()), " ", "_")
}

// peak returns the most GPU and host memory in use at the end of any kernel.
func peak(r *result.Result) (gpu, host unit.Bytes) {
	for i := range r.Kernels {
		gpu, host = max(gpu, r.Kernels[i].GPU), max(host, r.Kernels[i].Host)
	}
	return gpu, host
}

// onSSD is the most of what was alive, kernel by kernel, that was in no other memory
// at the end of one: at least so much is on the SSD. As published the GPU also holds
// what is dead, and then it is more.
func onSSD(live []unit.Bytes, r *result.Result) (most unit.Bytes) {
	switch it := r.Mean(); {
	case it.Paging != nil:
		return 0 // all fits the host
	case it.Swapping != nil:
		return it.Swapping.SSD // what is in no memory may be computed again
	}
	for k := range min(len(live), len(r.Kernels)) {
		most = max(most, live[k]-r.Kernels[k].GPU-r.Kernels[k].Host)
	}
	return most
}

// slowed is the percentage of kernels slowed by more than 1 %.
func slowed(r *result.Result) float64 {
	xs := result.Slowdowns(r)
	i, _ := slices.BinarySearch(xs, math.Nextafter(1.01, 2))
	return 100 * float64(len(xs)-i) / float64(max(1, len(xs)))
}
