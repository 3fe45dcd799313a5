package train

import (
	"fmt"

	"spillway/sim/report"
	"spillway/sim/train/result"
	"spillway/sim/unit"
)

// charts are the laboratory's figures.
func charts() []report.Chart {
	var causes, colors []string
	for c := range result.NumCauses {
		causes, colors = append(causes, causeKey(c)+"_s"), append(colors, fmt.Sprintf("cause-%d", c))
	}
	return []report.Chart{
		{
			ID: "throughput", Title: "Throughput, normalized to a GPU that holds everything", Kind: report.Bars,
			Of: []string{"normalized_throughput"}, Unit: "× ideal", Max: 1, Say: "is fastest",
		},
		{
			ID: "breakdown", Title: "Iteration time, by activity", Kind: report.Stacks, Sum: "iteration_s",
			Of: []string{"compute_s", "overlap_s", "stall_s"}, Colors: []string{"compute", "overlap", "stall"}, Unit: "s", Say: "takes longest",
		},
		{
			ID: "causes", Title: "Time beyond ideal, by what it was spent on", Kind: report.Stacks, Of: causes, Colors: colors, Unit: "s", Say: "spends most beyond ideal", Opens: report.OpensWait,
			None: "Nothing takes longer than ideal.",
		},
		{
			ID: "traffic", Title: "Traffic per iteration, by link and direction", Kind: report.Stacks,
			Of:     []string{"ssd_to_gpu_bytes", "gpu_to_ssd_bytes", "host_to_gpu_bytes", "gpu_to_host_bytes"},
			Colors: []string{"ssd-in", "ssd-out", "host-in", "host-out"}, Unit: "GB", Say: "moves most", None: "Nothing moves.",
		},
		{
			ID: "memory", Title: "GPU memory in use over an iteration", Kind: report.Steps, Y: "GiB", Unit: "GiB",
			By:    []report.Variant{{Key: "time", Label: "time", X: "time in the iteration, s", Opens: report.OpensSecond}, {Key: "kernel", Label: "kernel", X: "kernel", Opens: report.OpensStep}},
			Limit: "gpu_memory", LimitLabel: "capacity", Bound: true, Split: true, Of: []string{"peak_gpu_bytes", "peak_host_bytes"}, Say: "peaks highest",
		},
		{
			ID: "slowdown", Title: "Kernel time over its ideal, kernels sorted", Kind: report.Lines, X: "kernels, %", Y: "× ideal time (log)", Unit: "×", LogY: true,
			Of:  []string{"kernels_slowed_percent", "kernel_slowdown_median", "kernel_slowdown_p90", "kernel_slowdown_p99", "kernel_slowdown_worst"},
			Say: "has the slowest kernel", None: "Nothing to compare: only systems without stalls have a result.",
		},
		{
			ID: "drive", Title: "What the simulated SSD delivered", Kind: report.Values,
			Help: "Rates are those that the drive sustains under this traffic, garbage collection included. Lifetime is the rated endurance over what the workload writes if it runs without pause.",
			Of:   []string{"drive_read_gb_per_s", "drive_write_gb_per_s", "drive_latency_us", "drive_write_amplification", "drive_writes_per_day", "drive_life_years"},
		},
		{
			ID: "compressed", Title: "What compression makes of it", Kind: report.Values,
			Help: "With Buddy Compression. What tensors hold is assumed (Options, Contents of tensors), and ratios follow from that.",
			Of:   []string{"compression_ratio", "compressed_bytes", "buddy_bytes", "buddy_link_bytes", "beyond_ideal_compression_s"},
		},
		{
			ID: "warmup", Title: "Iteration time while systems learn", Kind: report.Lines, Rare: true, X: "iteration", Y: "s", Unit: "s",
			Help: "Iterations one after the other, from the first, which knows nothing; warm-up iterations are not reported.",
			Of:   []string{"iteration_s"}, Say: "takes longest",
		},
		{
			ID: "warmup_faults", Title: "Page faults while systems learn", Kind: report.Lines, Rare: true, X: "iteration", Y: "page faults (log)", LogY: true,
			Of: []string{"page_faults", "missed_blocks", "late_blocks"}, Say: "faults most", None: "Nothing faults.",
		},
		{
			ID: "warmup_garbage", Title: "Garbage in the traffic while systems learn", Kind: report.Lines, Rare: true, X: "iteration", Y: "% of the bytes moved", Unit: "%",
			Help: "Garbage: pages that move although no tensor in them is alive.",
			Of:   []string{"garbage_percent"}, Say: "moves most garbage", None: "No garbage moves.",
		},
		{
			ID: "garbage", Title: "Bytes moved, alive and garbage", Kind: report.Stacks, Rare: true,
			Of: []string{"alive_in_bytes", "garbage_in_bytes", "alive_out_bytes", "garbage_out_bytes"}, Unit: "GB", Say: "moves most", None: "Nothing moves.",
		},
		{
			ID: "paging", Title: "What paging did", Kind: report.Values,
			Help: "Of systems on unified memory in blocks of 2 MiB, in the reported iteration.",
			Of:   []string{"page_faults", "missed_blocks", "late_blocks", "prefetched_blocks", "useless_blocks", "dropped_blocks", "garbage_percent", "correlation_table_bytes"},
		},
		{
			ID: "swapping", Title: "What swapping did", Kind: report.Values,
			Help: "Of systems that swap whole tensors while time passes, in the reported iteration.",
			Of:   []string{"demand_fetches", "early_fetches", "late_fetches", "forced_evictions", "early_evictions", "recomputed_kernels", "fragmented_bytes", "reserved_bytes"},
		},
	}
}

// Most points of a curve. A chart has fewer pixels than this.
const (
	mostSteps  = 700
	mostSorted = 400
)

// curves are what lines draw of a result.
func curves(r *result.Result) []report.Curve {
	byTime, byKernel := report.Curve{Chart: "memory", By: "time"}, report.Curve{Chart: "memory", By: "kernel"}
	n := len(r.Kernels)
	step := max(1, (n+mostSteps-1)/mostSteps)
	for i := 0; i < n; i += step {
		var most unit.Bytes // of the kernels that share a point, so that no peak is lost
		last := min(i+step, n) - 1
		for k := i; k <= last; k++ {
			most = max(most, r.Kernels[k].GPU)
		}
		y := float64(most) / float64(unit.GiB)
		byTime.X, byTime.Y = append(byTime.X, seconds(r, r.Kernels[last].End)), append(byTime.Y, y)
		byKernel.X, byKernel.Y = append(byKernel.X, float64(last)), append(byKernel.Y, y)
	}
	sorted := report.Curve{Chart: "slowdown"}
	xs := result.Slowdowns(r)
	step = max(1, len(xs)/mostSorted)
	for i := range xs {
		if i%step == 0 || i == len(xs)-1 {
			sorted.X = append(sorted.X, 100*float64(i+1)/float64(len(xs)))
			sorted.Y = append(sorted.Y, max(xs[i], 1))
		}
	}
	return append([]report.Curve{byTime, byKernel, sorted}, learning(r)...)
}
