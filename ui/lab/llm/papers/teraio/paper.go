// Package teraio is the evaluation of the TERAIO paper as data: what it publishes, how that
// is taken from a run, and how its figures are drawn.
//
// # Source
//
// Yuan, Zhang, Zhou, Mohan, Chung, Seelam, Huang: Cost-Efficient LLM Training with
// Lifetime-Aware Tensor Offloading via GPUDirect Storage (NeurIPS 2025, arXiv 2506.06472).
// Numbers are those of its text, of its tables, of the peaks that Figure 7 prints below its
// bars and of the legends of Figure 2. Heights of bars and curves are not public as numbers,
// and nobody here has measured them. Section numbers are those of the NeurIPS version.
//
// Some numbers of ZeRO that others published are beside them (figure zero): they test the
// same model.
//
// # What the comparison is worth
//
// Kernels, their times and what they keep are modelled (sim/llm/job). Fitted are
//
//	efficiency of matrix products    to the axes of Figure 7 (tokens a second of Ideal)
//	micro-batches, kept activations  to the fifteen peaks, one of each model
//	rate of collectives              to ZeRO-Offload with Llama3-8B, 65.9 % of Ideal
//	path between GPU and host        to TERAIO-Mixed with Llama3-70B, 59.7 % of Ideal
//
// Arrays move the 16 GB/s that are stated. The other numbers of Figure 7 follow, and were known when
// the model was made: 80.7 % on average, 43.0 % of ZeRO-Infinity, the speedups 1.33, 1.47 and 1.59,
// ZeRO with Granite, and which systems cannot run Llama3-70B. Of these 1.33 is missed, and that
// TERAIO-SSD with Granite is like ZeRO. Figures say of themselves what is fitted, held out and missed.
//
// # Which reading explains which number
//
// The text leaves things open; of each, readings were tried (figures readings and rate).
//
//  1. An array of four drives moves "approximately 16 GB/s", each way here. If drives that read and write
//     at once had half of their rates, 13 each way for four, TERAIO-SSD with Granite would be like
//     ZeRO, as the text says, but TERAIO-Mixed with Llama3-70B slower than ZeRO-Infinity. With 12 and a path to host memory of 8 for 3, TERAIO-Mixed would have the
//     same 59.7 %, and 1.31 times the speed of ZeRO-Infinity (published: 1.33); but TERAIO-SSD with Llama3-70B
//     would be slower than ZeRO-Infinity, and Figure 11's host memory would carry 96 GB/s, not over 100.
//  2. What two drives move decides Figure 9: 13 GB/s here, by their data sheet. With the first's halves they
//     move 6.5, and Llama3-70B keeps 60 %, not 73.1.
//  3. TERAIO's path to host memory is fitted; DeepSpeed pins its memory (Table 4), and has what PCIe
//     reaches, 50.4 GB/s. With one path for both, of 3, ZeRO-Infinity would have a fifth of what it
//     has; of 50.4, TERAIO-Mixed twice as much as ZeRO-Infinity. With 5 GB/s for 3 the speedup over
//     ZeRO-Infinity is 1.26, and TERAIO-Mixed has 65 % of Ideal for 59.7.
//  4. What ZeRO loses with the smaller models is the rate of collectives, 6 GB/s, which is fitted: with 12
//     ZeRO-Offload would have 84 % of Ideal with Granite, for 68.
//  5. The second row of Figure 7 has batch 16 for Llama3-70B, as its axis says (settings).
//  6. In §2 Llama3-70B has micro-batches of one sequence, by the legend of Figure 2 (studied).
//  7. 59.7 %, 43.0 % and 1.33 do not contradict each other if the first is a mean over all settings
//     and the others over those that ZeRO-Infinity runs: TERAIO-Mixed has 57 % of Ideal there.
//     Here the first two are taken so, and 1.33 is the mean of ratios.
//  8. The machine as it was run (figures run and steps): arrays of 12.6 GB/s, drives that reach 70 % of each rate
//     when they read and write at once, a path to host memory of 7.25, taken together. Nine of ten numbers of §4.2
//     to Appendix C are within their limits then, seven of which nothing was fitted to; one by one each of the three
//     looks refuted. TERAIO-SSD with Llama3-70B is slower than ZeRO-Infinity then.
//  9. What a plan does that does not fit, and whether unchanged weights are written again, is in
//     the figure of readings.
//
// Memory in the paper's text is taken for 10⁹ bytes (170 and 770 GB); the axis of Figure 9, in powers
// of two, for GiB.
//
// Runs are as published: where a plan does not fit, tensors are evicted on demand. Figures
// that change that say so.
//
// A number that is farther off than its limit is a gap; gaps.csv has each with its value,
// and gaps.go the reason.
package teraio

import (
	_ "embed"
	"maps"
	"math"

	"spillway/sim/llm"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// Tolerance is the relative difference up to which a point agrees that has no limit of
// its own. Up to ClaimTolerance a claim is near.
const (
	Tolerance      = 0.10
	ClaimTolerance = 0.05
	// ownLeast is the smallest limit of a point that has its own. All workloads here stand in for the
	// paper's, and what study grants such ones must not widen the limits.
	ownLeast = 0.02
)

// The systems of the laboratory that the paper compares.
const (
	ideal    = "ideal"
	ssd      = "teraio-ssd"
	mixed    = "teraio-mixed"
	zeroHost = "zero-offload"
	infinity = "zero-infinity"
)

// systems are in the order of Figure 7's bars, read from the right.
var (
	systems = []string{ideal, mixed, ssd, zeroHost, infinity}
	titles  = map[string]string{ideal: "Ideal", mixed: "TERAIO-Mixed", ssd: "TERAIO-SSD", zeroHost: "ZeRO-Offload", infinity: "ZeRO-Infinity"}
)

// The quantities that runs are measured for.
const (
	speed       = "tokens_s"
	share       = "of_ideal" // made of the speeds of two systems
	peak        = "peak_percent"
	activeMean  = "active_mean"
	activeMost  = "active_most"
	kernels     = "kernels"
	sizes       = "size_"  // before the place of a class in the model's legend
	middle      = "middle" // of tensors, those of 10 MB to 1 GB
	idle        = "idle"   // of their inactive periods, those longer than 10 ms
	movable     = "movable"
	stall       = "stall_s"
	overlapped  = "overlapped_s"
	waiting     = "waiting_s" // for other GPUs
	alone       = "alone_s"
	iteration   = "iteration_s"
	hostPeak    = "host_gb"
	busy        = "busy16"
	dramMost    = "dram_most"
	price       = "price_usd"
	speedup     = "speedup"
	saving      = "saving"
	efficiency  = "cost_efficiency"
	planTime    = "plan_s"
	hostCPU     = "host_cpu"
	decodeSpeed = "decode"
	largest     = "largest"
)

// names are what people read.
func names() map[string]string {
	list := map[string]string{
		speed: "throughput", share: "throughput of Ideal's", peak: "peak memory of a GPU's capacity",
		activeMean: "active tensors, mean over kernels", activeMost: "active tensors, most", kernels: "kernels of GPU 0",
		middle: "tensors of 10 MB to 1 GB", idle: "of their inactive periods, longer than 10 ms", movable: "of these, longer than a move takes at 6.5 GB/s",
		stall: "stalled by moves", overlapped: "kernels beside moves", waiting: "waits for the other GPU", alone: "kernels alone", iteration: "iteration",
		hostPeak: "host memory", busy: "time with more than 16 GB/s", dramMost: "traffic of host memory, busiest", price: "price",
		speedup: "speedup", saving: "cost saved", efficiency: "cost efficiency", planTime: "time to plan", hostCPU: "host processors",
		decodeSpeed: "tokens generated", largest: "largest model",
		"gpus": "GPUs", "gpu_memory": "memory of a GPU", "host_memory": "host memory", "drives": "drives", "drive_read": "a drive reads", "drive_write": "a drive writes", "array": "an array of four drives moves",
		"batches": "batches", "sequences": "lengths of sequences", "option": "setting of ZeRO", "per_gb": "price of a gigabyte",
		"spared": "traffic of host memory spared", "above100": "tensors of more than 100 MB", "shorter": "of their inactive periods, shorter by two orders of magnitude than in language models", "needed": "rate of drives for each GPU",
		"step": "optimizer step", "micro_gain": "gain by a larger micro-batch",
	}
	for i := range 5 {
		list[sizes+string(rune('0'+i))] = "tensors of the size"
	}
	maps.Copy(list, titles)
	return list
}

// Paper returns the TERAIO paper.
func Paper() *study.Paper {
	g := all()
	return &study.Paper{
		Fitted: isFitted,
		Key:    "teraio", Short: "TERAIO (NeurIPS 2025)",
		Title:   "Cost-Efficient LLM Training with Lifetime-Aware Tensor Offloading via GPUDirect Storage",
		About:   "The numbers of the TERAIO paper: the fifteen peaks and the throughput of Figure 7, active and inactive tensors, rates of drives and of host memory, cost; and what others published of ZeRO.",
		Remark:  known,
		Systems: systems, Names: names(),
		Points: g.list, Probes: g.probes,
		Figures: figures(g), Claims: claims(g),
		Tolerance: Tolerance, Rebuilt: ownLeast, ClaimTolerance: ClaimTolerance,
		Standing: "a model: kernels and their times are modelled, and heights of bars are not public",
		Cannot:   "cannot run",
		Why:      why(recorded()),
	}
}

//go:embed gaps.csv
var gaps string

// known says what is known of the paper, and what is fitted.
const known = "Numbers are those that the paper prints; heights of bars and curves are not public as numbers. Fitted are the efficiency of matrix products, to the axes of Figure 7; micro-batches and kept activations, to one peak of each model; the rate of collectives, to ZeRO-Offload with Llama3-8B (65.9 %); and the path to host memory, to TERAIO-Mixed with Llama3-70B (59.7 %). An array moves the 16 GB/s that the text states. All else follows, but it was known when the model was made; each figure says what of it is fitted and what is missed. What hangs on rates that nobody published is in the figure of readings."

// Reader takes from results what the paper publishes.
var Reader = study.Reader[struct{}, *llm.Result]{Measure: measure, Curves: curves}

// measure takes from a result what its points publish.
func measure(points []study.Point, _ study.Values, r *llm.Result) []float64 {
	values := make([]float64, len(points))
	var t *tensors
	for i := range points {
		p := &points[i]
		values[i] = math.NaN()
		if r == nil || r.Job == nil {
			continue
		}
		if ofTensors(p.Quantity) {
			if t == nil {
				t = tensorsOf(r)
			}
			values[i] = t.value(p.Quantity)
			continue
		}
		values[i] = ours(p.Quantity, r)
	}
	return values
}

func seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// ours is the value of a quantity, NaN if r does not have it.
func ours(quantity string, r *llm.Result) float64 {
	switch quantity {
	case price:
		return float64(r.Node.Price()) / 100
	case kernels:
		return float64(len(r.Job.Parts[0].Kernels))
	case peak:
		return float64(llm.PeakShare(r.Job)) / 1e4
	case activeMean, activeMost:
		mean, most := llm.Active(r.Job)
		if quantity == activeMean {
			return float64(mean) / 1e4
		}
		return float64(most) / 1e4
	}
	if !r.Ran() {
		return math.NaN()
	}
	switch quantity {
	case speed:
		return float64(r.Tokens) / seconds(r.Time)
	case iteration:
		return seconds(r.Time)
	case stall:
		return mean(r, func(g *offload.GPUResult) unit.Time {
			return g.Ledger[offload.Fetch] + g.Ledger[offload.Space] + g.Ledger[offload.Optimizer]
		})
	case waiting:
		return mean(r, func(g *offload.GPUResult) unit.Time { return g.Ledger[offload.Communicate] + g.Ledger[offload.Bubble] })
	case overlapped:
		return mean(r, func(g *offload.GPUResult) unit.Time { return g.Overlapped })
	case alone:
		return mean(r, func(g *offload.GPUResult) unit.Time { return g.Ledger[offload.Computes] - g.Overlapped })
	case hostPeak:
		return float64(r.HostPeak) / float64(unit.GB)
	case busy:
		return 100 * busier(r, 16*unit.GBps)
	case dramMost:
		return busiest(r, machine.HostDRAM) / float64(unit.GBps)
	}
	return math.NaN()
}

// mean is a time's mean over the GPUs, in seconds.
func mean(r *llm.Result, of func(*offload.GPUResult) unit.Time) float64 {
	sum := 0.0
	for i := range r.GPUs {
		sum += seconds(of(&r.GPUs[i]))
	}
	return sum / float64(len(r.GPUs))
}

// spans calls for each span of an iteration with how long it is.
func spans(r *llm.Result, each func(s *offload.Span, length unit.Time)) {
	for i := range r.Rates {
		end := r.Time
		if i+1 < len(r.Rates) {
			end = r.Rates[i+1].At
		}
		if length := end - r.Rates[i].At; length > 0 {
			each(&r.Rates[i], length)
		}
	}
}

// moves reports whether a link carries what moves between a GPU and its drives or host memory,
// in (true) or out.
func moves(l *machine.Link, in bool) bool {
	if in {
		return l.Kind == machine.ArrayRead || l.Kind == machine.HostIn
	}
	return l.Kind == machine.ArrayWrite || l.Kind == machine.HostOut
}

// moved is what a GPU's tensors moved in a span, in bytes.
func moved(r *llm.Result, s *offload.Span, gpu int16, in bool) (bytes unit.Bytes) {
	for i := range r.Node.Links {
		if l := &r.Node.Links[i]; l.GPU == gpu && moves(l, in) {
			bytes += s.Bytes[i]
		}
	}
	return bytes
}

// busier is the share of the iteration in which tensors of GPU 0 move, both ways together, at
// more than a rate; NaN without curves.
func busier(r *llm.Result, rate unit.Bandwidth) float64 {
	var over, all float64
	spans(r, func(s *offload.Span, length unit.Time) {
		all += float64(length)
		if float64(moved(r, s, 0, true)+moved(r, s, 0, false)) > float64(rate)*seconds(length) {
			over += float64(length)
		}
	})
	return over / all
}

// busiest is the most that links of a kind carry together, in bytes a second, over a span of
// the iteration; NaN without curves.
func busiest(r *llm.Result, kind machine.LinkKind) float64 {
	most := math.NaN()
	spans(r, func(s *offload.Span, length unit.Time) {
		var bytes unit.Bytes
		for i := range r.Node.Links {
			if r.Node.Links[i].Kind == kind {
				bytes += s.Bytes[i]
			}
		}
		if rate := float64(bytes) / seconds(length); !(rate <= most) {
			most = rate
		}
	})
	return most
}
