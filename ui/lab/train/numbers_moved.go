package train

import (
	"spillway/sim/report"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// pagingNumbers are what only the block memory model counts.
func pagingNumbers() []number {
	var ns []number
	has := func(_ Workload, r *result.Result) bool { return r.Mean().Paging != nil }
	add := func(key, label, unitName, help string, scale float64, places, better int, f func(*result.Paging) float64) *number {
		ns = append(ns, number{
			Quantity: report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Scale: scale, Places: places, Better: better},
			value:    func(_ Workload, _ *settings, r *result.Result) float64 { return f(r.Mean().Paging) },
			has:      has,
		})
		return &ns[len(ns)-1]
	}
	count := func(key, label, unitName, help string, better int, f func(*result.Paging) int64) {
		add(key, label, unitName, help, 0, 0, better, func(p *result.Paging) float64 { return float64(f(p)) })
	}
	const mebibytes = " A block is 2 MiB."
	count("page_faults", "Page faults, as the driver counts", "", "Missing pages over pages per counted fault.", -1, func(p *result.Paging) int64 { return p.Faults })
	count("missed_blocks", "Blocks missed", "blocks", "Needed, and neither on the GPU nor on their way."+mebibytes, -1, func(p *result.Paging) int64 { return p.Missed })
	count("late_blocks", "Blocks late", "blocks", "Needed while they waited to be brought or were on their way."+mebibytes, -1, func(p *result.Paging) int64 { return p.Late })
	count("prefetched_blocks", "Blocks prefetched", "blocks", "Brought before a kernel needed them."+mebibytes, 0, func(p *result.Paging) int64 { return p.Prefetched })
	count("useless_blocks", "Blocks prefetched in vain", "blocks", "Of those prefetched: left again before a kernel needed them."+mebibytes, -1, func(p *result.Paging) int64 { return p.Useless })
	count("dropped_blocks", "Blocks dropped", "blocks", "Left the GPU without a copy, because nothing alive was in them."+mebibytes, 0, func(p *result.Paging) int64 { return p.Dropped })
	gigabytes := func(key, label, help string, better int, f func(*result.Paging) unit.Bytes) {
		add(key, label, "GB", help+" In the reported iteration; 1 GB is 10⁹ bytes.", 1e9, 2, better, func(p *result.Paging) float64 { return float64(f(p)) })
	}
	gigabytes("alive_in_bytes", "Brought, alive", "Pages with a live tensor that came to the GPU.", 0, func(p *result.Paging) unit.Bytes { return p.In - p.GarbageIn })
	gigabytes("garbage_in_bytes", "Brought, garbage", "Pages without a live tensor that came to the GPU.", -1, func(p *result.Paging) unit.Bytes { return p.GarbageIn })
	gigabytes("alive_out_bytes", "Taken out, alive", "Pages with a live tensor that left the GPU.", 0, func(p *result.Paging) unit.Bytes { return p.Out - p.GarbageOut })
	gigabytes("garbage_out_bytes", "Taken out, garbage", "Pages without a live tensor that left the GPU with a copy.", -1, func(p *result.Paging) unit.Bytes { return p.GarbageOut })
	share := add("garbage_percent", "Garbage, of all traffic", "%", "Bytes of pages without a live tensor over all bytes moved.", 0, 1, -1, garbage)
	share.has = func(_ Workload, r *result.Result) bool { return r.Mean().Paging != nil && moved(r.Mean().Paging) > 0 }
	table := add("correlation_table_bytes", "Correlation tables", "MB", "Host memory of the tables that prefetching learns, at the end of the iteration; 1 MB is 10⁶ bytes.", 1e6, 1, -1, func(p *result.Paging) float64 { return float64(p.Tables) })
	table.has = func(_ Workload, r *result.Result) bool { return r.Mean().Paging != nil && r.Mean().Paging.Tables > 0 }
	return ns
}

// moved is all that an iteration moves in the block memory model.
func moved(p *result.Paging) unit.Bytes { return p.In + p.Out }

// garbage is the share of it without a live tensor, in percent.
func garbage(p *result.Paging) float64 {
	return 100 * float64(p.GarbageIn+p.GarbageOut) / float64(max(1, moved(p)))
}

// swappingNumbers are what only systems count that swap tensors while time passes,
// and what all count that have a model of an allocator.
func swappingNumbers() []number {
	var ns []number
	add := func(key, label, unitName, help string, better int, f func(*result.Swapping) float64) *number {
		ns = append(ns, number{
			Quantity: report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Better: better},
			value:    func(_ Workload, _ *settings, r *result.Result) float64 { return f(r.Mean().Swapping) },
			has:      func(_ Workload, r *result.Result) bool { return r.Mean().Swapping != nil },
		})
		return &ns[len(ns)-1]
	}
	count := func(key, label, unitName, help string, better int, f func(*result.Swapping) int64) {
		add(key, label, unitName, help, better, func(s *result.Swapping) float64 { return float64(f(s)) })
	}
	count("demand_fetches", "Fetches on demand", "tensors", "A kernel needed a tensor that was not on the GPU and that nobody had asked for.", -1, func(s *result.Swapping) int64 { return s.Demand })
	count("early_fetches", "Fetches ahead", "tensors", "Tensors that were asked for before a kernel needed them.", 0, func(s *result.Swapping) int64 { return s.Early })
	count("late_fetches", "Fetches ahead, late", "tensors", "Of those asked for ahead: a kernel had to wait for them.", -1, func(s *result.Swapping) int64 { return s.Late })
	count("forced_evictions", "Evictions for want of room", "tensors", "Tensors that left because something else needed their room.", -1, func(s *result.Swapping) int64 { return s.Forced })
	count("early_evictions", "Evictions ahead", "tensors", "Tensors that left before their room was needed.", 0, func(s *result.Swapping) int64 { return s.Ahead })
	count("recomputed_kernels", "Kernels run again", "kernels", "For results that had been given up instead of being moved.", -1, func(s *result.Swapping) int64 { return s.Recomputed })
	fragmented := add("fragmented_bytes", "Fragmented", "GiB", "The most that was free in the allocator while a request did not fit; 1 GiB is 2³⁰ bytes.", -1, func(s *result.Swapping) float64 { return float64(s.Fragmented) })
	fragmented.Scale, fragmented.Places = float64(unit.GiB), 2
	reserved := add("reserved_bytes", "Reserved by the allocator", "GiB", "What the allocator holds of GPU memory; of unified memory, of addresses; 1 GiB is 2³⁰ bytes.", -1, nil)
	reserved.Scale, reserved.Places = float64(unit.GiB), 2
	reserved.value = func(_ Workload, _ *settings, r *result.Result) float64 {
		if p := r.Mean().Paging; p != nil {
			return float64(p.Reserved)
		}
		return float64(r.Mean().Swapping.Reserved)
	}
	reserved.has = func(_ Workload, r *result.Result) bool { return r.Mean().Paging != nil || r.Mean().Swapping != nil }
	return ns
}

// learning are the curves over all iterations of a system that learns, or settles,
// while it runs; none of others.
func learning(r *result.Result) []report.Curve {
	if r.Mean().Paging == nil && r.Mean().Swapping == nil || len(r.Iterations) < 2 {
		return nil
	}
	time, faults, share := report.Curve{Chart: "warmup"}, report.Curve{Chart: "warmup_faults"}, report.Curve{Chart: "warmup_garbage"}
	for i := range r.Iterations {
		it, x := &r.Iterations[i], float64(i+1)
		time.X, time.Y = append(time.X, x), append(time.Y, seconds(r, it.Time))
		if p := it.Paging; p != nil {
			faults.X, faults.Y = append(faults.X, x), append(faults.Y, float64(p.Faults))
			share.X, share.Y = append(share.X, x), append(share.Y, garbage(p))
		}
	}
	list := []report.Curve{time}
	if len(faults.X) > 0 {
		list = append(list, faults, share)
	}
	return list
}
