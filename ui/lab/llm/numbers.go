package llm

import (
	"slices"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/recipe"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, *work, *result]

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	return report.Lift(report.Keep(list(), map[string]report.Law{
		"iteration_s": {Parts: "ledger"}, "peak_percent": {Ratio: true}, bandKey: {Ratio: true},
		// ZeRO keeps what it needs though the spare memory leaves less to tensors.
		"active_mean": {Ratio: true}, "active_most": {Ratio: true},
	}), func(r *ran) *result { return r.Result })
}

// causes are what a GPU does or waits for, in the order of their numbers.
var causes = [offload.Causes]struct{ key, label, help string }{
	{"computes", "kernels", "Kernels run."},
	{"fetch", "waiting for tensors", "The next kernel waits for a tensor that is on its way from drives or host, or for a layer that is gathered."},
	{"space", "waiting for room", "The next kernel waits until something has left GPU memory."},
	{"communicate", "communication", "Sends and collectives between GPUs, and waiting for the others there."},
	{"optimizer", "the host's optimizer", "Waiting for the host to update weights."},
	{"bubble", "waiting for other stages", "Nothing to do: another stage of the pipeline is not done, or another GPU at the end."},
}

// gpu is a mean over GPUs.
func (r *result) gpu(of func(*offload.GPUResult) float64) float64 {
	sum := 0.0
	for i := range r.GPUs {
		sum += of(&r.GPUs[i])
	}
	return ratio(sum, float64(len(r.GPUs)))
}

// all is a sum over GPUs.
func (r *result) all(of func(*offload.GPUResult) unit.Bytes) (sum unit.Bytes) {
	for i := range r.GPUs {
		sum += of(&r.GPUs[i])
	}
	return sum
}

// gib is an amount as a number.
func gib(n unit.Bytes) float64 { return float64(n) / float64(unit.GiB) }

// ways are the links of a kind of all GPUs on the ways that the system takes. A GPU has several
// to host memory, of which a system takes one for all GPUs, though not every GPU's moves
// something; what a system does not use at all are the first of each.
func (r *result) ways(kind machine.LinkKind) (list []int) {
	number := map[int16]int{} // of links of a GPU so far
	var taken []int           // numbers of the ways that are used
	var all [][2]int          // links and their numbers
	for i := range r.Node.Links {
		l := &r.Node.Links[i]
		if l.Kind != kind {
			continue
		}
		n := number[l.GPU]
		number[l.GPU]++
		all = append(all, [2]int{i, n})
		if r.Links[i].Bytes > 0 && !slices.Contains(taken, n) {
			taken = append(taken, n)
		}
	}
	if len(taken) == 0 {
		taken = append(taken, 0)
	}
	for _, x := range all {
		if slices.Contains(taken, x[1]) {
			list = append(list, x[0])
		}
	}
	return list
}

// busy is the share of the time in which links of a kind carry anything, in the mean over those
// on the ways that the system takes.
func (r *result) busy(kind machine.LinkKind) float64 {
	ways, sum := r.ways(kind), 0.0
	for _, i := range ways {
		sum += float64(r.Links[i].Busy)
	}
	return min(1, ratio(sum, float64(len(ways))*float64(r.Time)))
}

// rate is what they can carry in a second all together, in GB/s.
func (r *result) rate(kind machine.LinkKind) float64 {
	var all unit.Bandwidth
	for _, i := range r.ways(kind) {
		all += r.Node.Links[i].Rate
	}
	return float64(all) / float64(unit.GBps)
}

func list() []report.Measure[*result] {
	var ns []report.Measure[*result]
	add := func(key, label, unitName, help string, places, better int, f func(r *result) float64) {
		ns = append(ns, report.Number(report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Places: places, Better: better}, f))
	}
	gb := func(key, label, help string, better int, f func(g *offload.GPUResult) unit.Bytes) {
		add(key, label, "GB", help, 1, better, func(r *result) float64 { return float64(r.all(f)) / 1e9 })
	}
	share := func(key, label, help string, f func(r *result) float64) { // from 0 to 1
		add(key, label, "%", help, 1, 0, f)
		ns[len(ns)-1].Scale = 0.01
	}
	add("tokens_s", "Throughput", "tokens/s", "Tokens a second, on all GPUs together.", 1, 1, func(r *result) float64 { return float64(r.TokenRate()) / 1000 })
	add("of_ideal", "Of all in memory", "%", "Throughput over that of the same pipeline on GPUs that hold everything. Systems without its bubble may be above 100 %.", 1, 1, func(r *result) float64 {
		if r.ideal == nil {
			return report.None()
		}
		return float64(r.OfIdeal(r.ideal.Time)) / 1e6
	})
	ns[len(ns)-1].Scale = 0.01
	add("iteration_s", "Iteration", "s", "Time of one iteration, after the first ones.", 2, -1, func(r *result) float64 { return inSeconds(r.Time) })
	ns = append(ns, lab.Headroom[*result]("No system can be below 1. TERAIO's are measured against a linear program of what each GPU moves."))
	for _, x := range core.Systems {
		if key := leastOf(x); key != "" {
			add(key, "Least time of "+x.Title, "s", "Of Best possible: "+x.Title+" takes no less, whatever it moves when. Nothing shows that it can be reached.", 2, -1, func(*result) float64 { return report.None() })
		}
	}
	add(recipeLeast, "Least time by recipe", "s", "Nothing is proven of systems by recipe: the bound is of training all weights.", 2, -1, func(*result) float64 { return report.None() })
	add("tflops", "Operations of a GPU", "TFLOPS", "Floating-point operations a second of one GPU, on average, recomputation included.", 1, 1, func(r *result) float64 {
		if r.Job == nil {
			return report.None()
		}
		return float64(r.FlopRate()) / 1e12
	})
	for c, x := range causes {
		add(x.key+"_s", "GPU time: "+x.label, "s", x.help+" Mean over the GPUs; the six parts are the iteration.", 2, 0, func(r *result) float64 {
			return r.gpu(func(g *offload.GPUResult) float64 { return inSeconds(g.Ledger[c]) })
		})
	}
	add("overlapped_s", "Kernels beside transfers", "s", "For how long kernels run while bytes of their GPU move to or from drives or host. Mean over the GPUs.", 2, 1, func(r *result) float64 {
		return r.gpu(func(g *offload.GPUResult) float64 { return inSeconds(g.Overlapped) })
	})
	add("peak_percent", "Memory that it would take", "%", "What all tensors of the first GPU would take at the worst if none was ever moved, as this system cuts the model and the batch, over the part of a GPU's memory that is for tensors. It is about the model, before anything is moved: above 100 % the rest has to be elsewhere. ZeRO and FSDP choose the micro-batch, and what their host updates is never on a GPU, so compare it between machines and models, not between systems. What a GPU really holds is GPU memory.", 1, 0, func(r *result) float64 {
		if r.Job == nil {
			return report.None()
		}
		return float64(core.PeakShare(r.Job)) / 1e4
	})
	add("gpu_gib", "GPU memory", "GiB", "The most that one GPU holds.", 1, 0, func(r *result) float64 {
		most := unit.Bytes(0)
		for i := range r.GPUs {
			most = max(most, r.GPUs[i].Peak)
		}
		return gib(most)
	})
	add("gpus_gib", "Memory of all GPUs", "GiB", "The sum of the most that each GPU holds.", 1, 0, func(r *result) float64 {
		return gib(r.all(func(g *offload.GPUResult) unit.Bytes { return g.Peak }))
	})
	add("host_gib", "Host memory", "GiB", "The most that host memory holds.", 1, -1, func(r *result) float64 { return gib(r.HostPeak) })
	add("drives_gib", "Space on drives", "GiB", "The most that all drives hold.", 1, -1, func(r *result) float64 { return gib(r.DrivePeak) })
	gb("read_gb", "From drives", "An iteration, of all GPUs.", -1, func(g *offload.GPUResult) unit.Bytes { return g.Read })
	gb("written_gb", "To drives", "An iteration, of all GPUs.", -1, func(g *offload.GPUResult) unit.Bytes { return g.Written })
	gb("host_read_gb", "From host memory", "An iteration, of all GPUs; what drives and GPUs move through host memory counts as of drives.", -1, func(g *offload.GPUResult) unit.Bytes { return g.HostRead })
	gb("host_written_gb", "To host memory", "An iteration, of all GPUs.", -1, func(g *offload.GPUResult) unit.Bytes { return g.HostWritten })
	add("life_days", "Life of the drives", "days", "Until the drives that are written most reach their warranted endurance, if training never stops.", 1, 1, func(r *result) float64 { return lives(r.Result) })
	add("written_tb_day", "Written a day", "TB", "To all drives, if training never stops.", 1, -1, func(r *result) float64 { return float64(r.WrittenPerDay()) / 1e12 })
	add("price_usd", "Price of the machine", "$", "GPUs, drives, host memory and the rest, by the prices under Prices.", 0, -1, func(r *result) float64 { return float64(r.setup.Node.Price()) / 100 })
	add("tokens_usd", "Tokens for a dollar", "tokens/$", "Tokens for a dollar of electricity, of the machine's price spread over the years in which it pays for itself, and of drives that wear out sooner.", 0, 1, func(r *result) float64 {
		if r.only() {
			return report.None()
		}
		return ratio(float64(r.Tokens), dollars(r.Result))
	})
	add("tokens_kwh", "Tokens for a kWh", "tokens/kWh", "Tokens for a kWh, with GPUs and drives at work all the time.", 0, 1, func(r *result) float64 {
		if r.only() {
			return report.None()
		}
		return float64(r.TokensPerKWh())
	})
	add("active_mean", "Tensors in use, mean", "%", "Share of a GPU's memory that the running kernel's tensors take, mean over kernels.", 2, 0, func(r *result) float64 { return 100 * r.active().mean })
	add("active_most", "Tensors in use, most", "%", "The same of the kernel with the largest tensors.", 1, 0, func(r *result) float64 { return 100 * r.active().most })
	add("demand", "Evicted on demand", "", "Tensors that left without a plan to, on all GPUs in an iteration.", 0, -1, func(r *result) float64 {
		return r.gpu(func(g *offload.GPUResult) float64 { return float64(g.Demand) }) * float64(len(r.GPUs))
	})
	add("late", "Kernels that waited", "", "For a tensor, of all GPUs in an iteration.", 0, -1, func(r *result) float64 {
		return r.gpu(func(g *offload.GPUResult) float64 { return float64(g.Late) }) * float64(len(r.GPUs))
	})
	add("moves", "Planned moves", "", "Offloads and prefetches of an iteration, of all GPUs.", 0, 0, func(r *result) float64 { return float64(r.Moves) })
	share("read_busy", "Drives are read", "Of the time, in the mean over all arrays.", func(r *result) float64 { return r.busy(machine.ArrayRead) })
	share("write_busy", "Drives are written", "Of the time, in the mean over all arrays.", func(r *result) float64 { return r.busy(machine.ArrayWrite) })
	share("host_read_busy", "Host memory is read", "Of the time, in the mean over all GPUs.", func(r *result) float64 { return r.busy(machine.HostIn) })
	share("host_write_busy", "Host memory is written", "Of the time, in the mean over all GPUs.", func(r *result) float64 { return r.busy(machine.HostOut) })
	for _, x := range []struct {
		key, label, help string
		kind             machine.LinkKind
	}{
		{"read_rate", "Rate of reads from drives", "What all arrays can read in a second.", machine.ArrayRead},
		{"write_rate", "Rate of writes to drives", "What all arrays can write in a second.", machine.ArrayWrite},
		{"host_read_rate", "Rate from host memory", "What all GPUs can read of host memory in a second, on the way that the system takes.", machine.HostIn},
		{"host_write_rate", "Rate to host memory", "What all GPUs can write to host memory in a second, on the way that the system takes.", machine.HostOut},
	} {
		add(x.key, x.label, "GB/s", x.help, 1, 0, func(r *result) float64 { return r.rate(x.kind) })
	}
	add(bandKey, "Band of the times", "%", "How far eight of ten measurements were at most: by recipe from a step, else from how long GPUs compute; none where a machine has an efficiency of its own.", 0, -1, (*result).band)
	for i := range ns {
		if q := &ns[i].Quantity; q.Key == "tokens_s" || q.Key == "iteration_s" {
			q.Band = bandKey
		}
	}
	return ns
}

// band is how far off times may be, in percent; none where nobody measured.
func (r *result) band() float64 {
	if r.Recipe != nil {
		return recipe.Band
	}
	if band, _, ok := job.Trust(&r.setup.Node, r.setup.Layout.Precision); ok {
		return float64(band)
	}
	return report.None()
}

// bandKey is the key of how far off kernel times may be.
const bandKey = "band_percent"

// charts are the laboratory's figures.
func charts() []report.Chart {
	var time []string
	for _, x := range causes {
		time = append(time, x.key+"_s")
	}
	return []report.Chart{
		{ID: "throughput", Title: "Throughput against GPUs that hold everything", Kind: report.Bars, Of: []string{"tokens_s"}, Unit: "tokens/s", Say: "is fastest"},
		{ID: "ledger", Title: "What GPUs spend an iteration on", Kind: report.Stacks, Opens: report.OpensWait, Of: time, Sum: "iteration_s", Unit: "s", Say: "takes longest", Help: "Mean over the GPUs; every moment of every GPU has one cause."},
		{ID: "tiers", Title: "Memory by tier, at its most", Kind: report.Stacks, Of: []string{"gpus_gib", "host_gib", "drives_gib"}, Unit: "GiB", Say: "takes most", Help: "Of all GPUs, of the host and of all drives: the peak of each, not at the same moment."},
		{
			ID: "traffic", Title: "Traffic per iteration, by link and direction", Kind: report.Stacks, Of: []string{"read_gb", "written_gb", "host_read_gb", "host_written_gb"},
			Colors: []string{"ssd-in", "ssd-out", "host-in", "host-out"}, Unit: "GB", Say: "moves most", None: "Nothing moves between GPUs and host or drives.",
		},
		{
			ID: "memory", Title: "Memory of the first GPU's tensors, by tier", Kind: report.Bands, X: "time in the iteration, s", Opens: report.OpensSecond, Y: "GiB", Unit: "GiB",
			Names: []string{"GPU", "host", "SSD array"}, None: "Nothing is recorded of its memory.", Help: "Where the tensors of the first GPU's share of the model are, over one iteration.",
		},
		{
			ID: "links", Title: "What drives and host memory carry for the GPUs", Kind: report.Bands, X: "time in the iteration, s", Opens: report.OpensSecond, Y: "GB/s", Unit: "GB/s",
			Names: []string{"from drives", "to drives", "from host", "to host"}, Colors: []string{"ssd-in", "ssd-out", "host-in", "host-out"},
			None: "Nothing moves between GPUs and host or drives.", Help: "Of all GPUs together, stacked.",
		},
		{ID: "life", Title: "Life of the drives", Kind: report.Bars, Of: []string{"life_days"}, Unit: "days", Say: "keeps its drives longest", Help: "Until their warranted endurance is used up, if training never stops.", None: "No drive is written."},
		{ID: "cost", Title: "Tokens for a dollar", Kind: report.Bars, Of: []string{"tokens_usd"}, Unit: "tokens/$", Say: "gets most for the money", Help: "Machine, electricity and worn-out drives; the prices are settings."},
	}
}

// curves draws what changes over an iteration: where the first GPU's tensors are, and what
// links carry.
func curves(r *result) []report.Curve {
	var out []report.Curve
	if len(r.Memory) > 0 && len(r.Memory[0]) > 1 {
		tiers := []struct {
			name string
			tier offload.Tier
		}{{"GPU", offload.GPU}, {"host", offload.Host}, {"SSD array", offload.SSD}}
		for _, x := range tiers {
			c := report.Curve{Chart: "memory", Name: x.name}
			for _, s := range r.Memory[0] {
				c.X, c.Y = append(c.X, inSeconds(s.At)), append(c.Y, gib(s.Bytes[x.tier]))
			}
			out = append(out, c)
		}
	}
	if len(r.Rates) < 2 {
		return out
	}
	ways := []struct {
		name string
		kind machine.LinkKind
	}{{"from drives", machine.ArrayRead}, {"to drives", machine.ArrayWrite}, {"from host", machine.HostIn}, {"to host", machine.HostOut}}
	step := inSeconds(r.Rates[1].At - r.Rates[0].At)
	for _, x := range ways {
		c := report.Curve{Chart: "links", Name: x.name}
		for _, s := range r.Rates {
			sum := unit.Bytes(0)
			for i, n := range s.Bytes {
				if r.Node.Links[i].Kind == x.kind {
					sum += n
				}
			}
			c.X, c.Y = append(c.X, inSeconds(s.At)), append(c.Y, ratio(float64(sum)/1e9, step))
		}
		out = append(out, c)
	}
	return out
}
