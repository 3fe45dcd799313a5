package serve

import (
	"math"

	"spillway/sim/report"
	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, *work, *result]

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	return report.Lift(report.Keep(list(), map[string]report.Law{
		"ttft_mean_s": {Parts: "bill"}, "time_s": {Parts: "engines"},
	}), func(r *ran) *result { return r.Result })
}

// phases are what the time of the first token goes to, in the order of their numbers.
var phases = [core.Phases]struct{ key, help, color string }{
	{"front_s", "The server's front end: HTTP and tokenizer, one request after the other.", "cause-4"},
	{"queue_s", "Waiting for a place: other requests, and the step under way.", "cause-1"},
	{"memory_s", "Waiting for memory for keys and values.", "cause-2"},
	{"load_host_s", "Keys and values come from host memory.", "host-in"},
	{"load_drive_s", "Keys and values come from drives.", "ssd-in"},
	{"prefill_s", "Its own prompt is computed.", "compute"},
	{"interference_s", "Tokens of others are computed in the same steps.", "cause-3"},
}

// phase is what requests spend on one in the mean. Sums of many long waits do not fit into a time.
func (r *result) phase(p core.Phase) unit.Time {
	n := unit.Time(max(1, len(r.Requests)))
	whole, rest := unit.Time(0), unit.Time(0)
	for i := range r.Requests {
		t := r.Requests[i].Phases[p]
		whole, rest = whole+t/n, rest+t%n
	}
	return whole + rest/n
}

// tiers are where the beginnings of prompts were found.
var tiers = [core.Tiers]struct{ key, label string }{
	{"hbm_hits", "in GPU memory"}, {"host_hits", "in host memory"}, {"drive_hits", "on drives"}, {"computed", "computed"},
}

// doings are the keys of what engines do, in the order of their numbers.
var doings = [core.Doings]string{"idle_s", "fetching_s", "prompts_s", "both_s", "answers_s"}

func list() []report.Measure[*result] {
	var ns []report.Measure[*result]
	add := func(key, label, unitName, help string, places, better int, f func(r *result) float64) {
		ns = append(ns, report.Number(report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Places: places, Better: better}, f))
	}
	share := func(key, label, help string, better int, f func(r *result) int64) { // of millionths
		add(key, label, "%", help, 1, better, func(r *result) float64 { return min(1, float64(f(r))/1e6) })
		ns[len(ns)-1].Scale = 0.01
	}
	known := func(r *result, v float64) float64 { // of what only other loads say
		if len(r.knee.points) == 0 {
			return report.None()
		}
		return v
	}
	add("users", "Users served", "users", "How many users there are at the largest load of which nine requests in ten keep both limits: each waits for an answer, and pauses before asking again (Little's law). None has more than the bound.", 1, 1, func(r *result) float64 { return known(r, r.knee.users()) })
	add("served_rps", "Rate within the limits", "1/s", "The largest rate of requests of which nine in ten keep both limits.", 3, 1, func(r *result) float64 { return known(r, float64(r.knee.best.rate)/1000) })
	add("output_tokens_s", "Throughput", "tokens/s", "Tokens of answers a second, until the last answer ends.", 1, 1, func(r *result) float64 { return float64(r.OutputRate()) / 1000 })
	add("total_tokens_s", "Throughput with prompts", "tokens/s", "Tokens of prompts and answers a second.", 1, 1, func(r *result) float64 { return float64(r.TotalRate()) / 1000 })
	add("requests_s", "Requests answered", "1/s", "Requests a second, until the last answer ends.", 3, 1, func(r *result) float64 { return float64(r.RequestRate()) / 1000 })
	add("goodput_rps", "Goodput", "1/s", "Requests a second that keep both limits.", 3, 1, func(r *result) float64 { return float64(r.Goodput()) / 1000 })
	for _, x := range []struct {
		key, label, help string
		of               func(r *result) *core.Spread
	}{
		{"ttft", "First token", "From a request's arrival to its first token.", func(r *result) *core.Spread { return &r.TTFT }},
		{"tpot", "Each further token", "Time of an answer behind its first token, over its further tokens.", func(r *result) *core.Spread { return &r.TPOT }},
		{"itl", "Between tokens", "Time between two tokens of an answer.", func(r *result) *core.Spread { return &r.ITL }},
		{"e2e", "Whole request", "From a request's arrival to its last token.", func(r *result) *core.Spread { return &r.E2E }},
	} {
		for _, p := range []struct {
			key, label string
			of         func(s *core.Spread) unit.Time
		}{
			{"mean", "mean", func(s *core.Spread) unit.Time { return s.Mean }},
			{"p50", "median", func(s *core.Spread) unit.Time { return s.P50 }},
			{"p90", "nine in ten within", func(s *core.Spread) unit.Time { return s.P90 }},
			{"p99", "99 in 100 within", func(s *core.Spread) unit.Time { return s.P99 }},
		} {
			add(x.key+"_"+p.key+"_s", x.label+", "+p.label, "s", x.help, 4, -1, func(r *result) float64 {
				if x.key == "itl" && r.System == bound() { // nothing is proven of it
					return report.None()
				}
				return seconds(p.of(x.of(r)))
			})
		}
	}
	for p, x := range phases {
		add(x.key, "To the first token: "+core.Phase(p).String(), "s", x.help+" Mean over the requests; the seven parts are the time to the first token.", 4, -1, func(r *result) float64 {
			return seconds(r.phase(core.Phase(p)))
		})
	}
	share("hit_rate", "Hit rate", "Tokens of prompts that some tier had, so that they were not computed.", 1, func(r *result) int64 { return r.HitRate() })
	for t, x := range tiers {
		better := 0
		if t == int(core.Computed) {
			better = -1
		}
		share(x.key, "Tokens of prompts: "+x.label, "Where the beginnings of prompts came from.", better, func(r *result) int64 { return r.HitRateOf(core.Tier(t)) })
	}
	add("kv_tokens", "Room for tokens", "tokens", "Tokens whose keys and values a copy of the model holds in GPU memory.", 0, 1, func(r *result) float64 { return float64(r.Memory.KVTokens) })
	add("kv_tokens_gib", "Tokens of one GiB more", "tokens", "How many more it would be with a GiB more on each of its GPUs.", 0, 0, func(r *result) float64 { return float64(r.Memory.GiB) })
	add("peak_tokens", "Tokens in use", "tokens", "Of requests under way, the most at once on a copy.", 0, 0, func(r *result) float64 {
		if r.System == bound() {
			return report.None()
		}
		return float64(r.PeakKV)
	})
	add("host_tokens", "Room in host memory", "tokens", "Tokens whose keys and values the host tier of a copy holds.", 0, 0, func(r *result) float64 { return float64(r.Memory.Host) })
	add("drive_tokens", "Room on drives", "tokens", "Tokens whose keys and values the drives of a copy hold.", 0, 0, func(r *result) float64 { return float64(r.Memory.Drive) })
	gib := func(key, label, help string, f func(m *core.Footprint) unit.Bytes) {
		add(key, label, "GiB", help, 1, 0, func(r *result) float64 { return float64(f(&r.Memory)) / float64(unit.GiB) })
	}
	gib("weights_gib", "Weights", "On the GPUs of a copy.", func(m *core.Footprint) unit.Bytes { return m.Weights })
	gib("activations_gib", "Activations", "On the GPUs of a copy: what the engine keeps free for a step, with what driver and libraries take.", func(m *core.Footprint) unit.Bytes { return m.Activations })
	gib("kv_gib", "Memory for keys and values", "On the GPUs of a copy.", func(m *core.Footprint) unit.Bytes { return m.KV })
	add("gpu_used_gib", "GPU memory in use", "GiB", "Weights and activations of a copy, and the most keys and values at once, those kept of prompts among them; mean over the copies.", 1, 0, func(r *result) float64 {
		return inGiB(r.Memory.Weights + r.Memory.Activations + r.running(core.OnGPU, func(x *core.Sample) int64 { return x.Used + x.Cached })/unit.Bytes(max(1, r.Replicas)))
	})
	add("host_used_gib", "Host memory in use", "GiB", "Weights that stream from there, and the most keys and values at once.", 1, 0, func(r *result) float64 {
		return inGiB(r.elsewhere(core.OnHost) + r.running(core.OnHost, func(x *core.Sample) int64 { return x.Used }) + r.most(func(x *core.Sample) int64 { return x.Host }))
	})
	add("drives_used_gib", "Drives in use", "GiB", "Weights that stream from there, and the most keys and values at once.", 1, 0, func(r *result) float64 {
		return inGiB(r.elsewhere(core.OnDrive) + r.running(core.OnDrive, func(x *core.Sample) int64 { return x.Used }) + r.most(func(x *core.Sample) int64 { return x.Drive }))
	})
	add("drives_gib", "Size of the drives", "GiB", "All of them.", 0, 0, func(r *result) float64 {
		n := &r.setting.Node
		return inGiB(n.Drive.Size * unit.Bytes(n.Drives*n.GPUs))
	})
	gib("given_gib", "Memory of a copy", "What the engine takes of its GPUs.", func(m *core.Footprint) unit.Bytes { return m.Given })
	add("copies", "Copies of the model", "", "How many stand behind the router.", 0, 0, func(r *result) float64 { return float64(r.Replicas) })
	add("preempted", "Begun again", "", "How often a request gave back its memory and began again.", 0, -1, func(r *result) float64 { return float64(r.Preempted) })
	add("time_s", "Time of the run", "s", "From the first arrival to the end of the last answer.", 2, -1, func(r *result) float64 { return seconds(r.Time) })
	for d, key := range doings {
		add(key, "Engine's time: "+core.Doing(d).String(), "s", "Mean over the copies; the five parts are the time of the run.", 3, 0, func(r *result) float64 {
			return seconds(r.Mean(core.Doing(d)))
		})
	}
	busy := func(key, label, help string, f func(r *result) core.Work) {
		share(key, label, help, 0, func(r *result) int64 { return r.Busy(f(r)) })
	}
	busy("compute_busy", "Of the GPUs' operations", "What is computed, over what the data sheet's operations a second would be.", func(r *result) core.Work { return r.Compute })
	busy("hbm_busy", "Of the GPUs' memory rate", "What is read of weights, keys and values, over what the data sheet's rate would be.", func(r *result) core.Work { return r.HBM })
	for _, x := range []struct {
		key, label, help string
		of               func(r *result) core.Work
	}{
		{"link_in", "From host memory", "To all GPUs.", func(r *result) core.Work { return r.In() }},
		{"link_out", "To host memory", "From all GPUs.", func(r *result) core.Work { return r.LinkOut }},
		{"read", "From drives", "From all of them.", func(r *result) core.Work { return r.FromDrives() }},
		{"write", "To drives", "To all of them.", func(r *result) core.Work { return r.Write }},
	} {
		add(x.key+"_gb", x.label, "GB", x.help, 1, -1, func(r *result) float64 { return float64(x.of(r).Bytes) / 1e9 })
		busy(x.key+"_busy", x.label+", busy", "Share of the time in which something moves there, mean over the copies.", x.of)
	}
	add("written_tb_day", "Written a day", "TB", "To all drives, in a day like the run.", 2, -1, func(r *result) float64 { return float64(r.WrittenPerDay()) / 1e12 })
	add("life_days", "Life of the drives", "days", "Until all drives have been written what their maker warrants, if it goes on as in the run; none where nothing is written.", 1, 1, func(r *result) float64 {
		if n := r.DriveLife(); n != math.MaxInt64 {
			return float64(n) / 1000
		}
		return report.None()
	})
	add("usd_per_million", "A million tokens cost", "$", "Machine and electricity, over the tokens of answers; prices are settings.", 3, -1, func(r *result) float64 { return dollars(r.PerMillion()) })
	add("kwh_per_million", "A million tokens take", "kWh", "With everything at work all the time, by data sheets.", 3, -1, func(r *result) float64 { return float64(r.EnergyPerMillion()) / 1000 })
	add("usd_at_knee", "A million tokens cost at most load", "$", "The same at the largest load that keeps the limits.", 3, -1, func(r *result) float64 {
		if r.knee.best.rate == 0 {
			return report.None()
		}
		return dollars(r.knee.best.perMill)
	})
	add("tokens_usd", "Tokens for a dollar", "tokens/$", "Tokens of answers for a dollar of machine and electricity.", 0, 1, func(r *result) float64 {
		if r.PerMillion() == 0 {
			return report.None()
		}
		return 1e6 / dollars(r.PerMillion())
	})
	add("price_usd", "Price of the machine", "$", "GPUs, drives, host memory and the rest.", 0, -1, func(r *result) float64 { return float64(r.setting.Node.Price()) / 100 })
	return ns
}

func inGiB(n unit.Bytes) float64 { return float64(n) / float64(unit.GiB) }

// most are the most bytes of keys and values that a sample has of some.
func (r *result) most(of func(*core.Sample) int64) unit.Bytes {
	n := int64(0)
	for i := range r.Samples {
		n = max(n, of(&r.Samples[i]))
	}
	return unit.Bytes(n) * r.Memory.KVToken
}

// running are the most bytes of keys and values of requests under way in a place: of FlexGen where it keeps them, else on the GPUs.
func (r *result) running(at core.Place, of func(*core.Sample) int64) unit.Bytes {
	place := core.OnGPU
	if r.from == core.Blocked {
		place = r.setting.KVPlace
	}
	if place != at {
		return 0
	}
	return r.most(of)
}

// elsewhere are the bytes of weights of all copies in a place.
func (r *result) elsewhere(at core.Place) unit.Bytes {
	of := r.Memory.HostWeights
	if at == core.OnDrive {
		of = r.Memory.DriveWeights
	}
	return of * unit.Bytes(max(1, r.Replicas))
}

// charts are the laboratory's figures.
func charts() []report.Chart {
	var bill, colors, hits []string
	for _, x := range phases {
		bill, colors = append(bill, x.key), append(colors, x.color)
	}
	for _, x := range tiers {
		hits = append(hits, x.key)
	}
	const rate = "requests a second"
	return []report.Chart{
		{ID: "users", Title: "Users within the limits", Kind: report.Bars, Of: []string{"users"}, Unit: "users", Say: "serves most", Help: "Users at the largest load of which nine requests in ten keep both limits; each pauses between questions (What users accept).", None: "No load keeps the limits."},
		{ID: "knee", Title: "Time to the first token, by load", Kind: report.Lines, X: rate, Y: "s", Unit: "s", LogY: true, Bound: true, Plain: true, Help: "Nine of ten requests have their first token within it. Where a line turns up, the load is more than the system gets done.", Limit: "ttft", LimitLabel: "accepted"},
		{ID: "pace", Title: "Time of each further token, by load", Kind: report.Lines, X: rate, Y: "ms", Unit: "ms", Bound: true, Plain: true, Limit: "tpot", LimitLabel: "accepted"},
		{ID: "goodput", Title: "Goodput, by load", Kind: report.Lines, X: rate, Y: "1/s", Unit: "1/s", Bound: true, Plain: true, Say: "gets most of them done within both limits", Help: "Requests a second that keep both limits."},
		{ID: "bill", Title: "Where the time to the first token goes", Kind: report.Stacks, Of: bill, Colors: colors, Sum: "ttft_mean_s", Unit: "s", Say: "waits longest", Help: "Mean over the requests of this load; the parts add up."},
		{ID: "hits", Title: "Where prompts come from", Kind: report.Stacks, Of: hits, Colors: []string{"compute", "host-in", "ssd-in", "cause-1"}, Unit: "%", Max: 100, Say: "computes most", Help: "Share of all tokens of prompts."},
		{ID: "tiers", Title: "Tokens in each tier", Kind: report.Bands, X: "time, s", Opens: report.OpensSecond, Y: "million tokens", Unit: "million tokens", Names: []string{"in use", "kept in GPU memory", "in host memory", "on drives"}, Colors: []string{"compute", "cause-3", "host-in", "ssd-in"}, None: "Nothing is kept."},
		{ID: "under-way", Title: "Requests under way", Kind: report.Bands, X: "time, s", Opens: report.OpensSecond, Y: "requests", Unit: "requests", Names: []string{"answered", "waiting"}},
		{ID: "engines", Title: "What engines do", Kind: report.Stacks, Of: doings[:], Colors: []string{"cause-4", "host-in", "compute", "cause-2", "cause-3"}, Sum: "time_s", Unit: "s", Say: "takes longest", Help: "Mean over the copies of the model; the parts are the time of the run."},
		{ID: "throughput", Title: "Tokens of answers a second", Kind: report.Bars, Of: []string{"output_tokens_s"}, Unit: "tokens/s", Say: "is fastest"},
		{ID: "cost", Title: "Cost of a million tokens", Kind: report.Bars, Of: []string{"usd_per_million"}, Unit: "$", Say: "costs most", Help: "Machine and electricity at this load; prices are settings."},
		{ID: "life", Title: "Written to drives a day", Kind: report.Bars, Of: []string{"written_tb_day"}, Unit: "TB", Say: "writes most", Help: "If it goes on as in the run; how long drives live so stands in the section below.", None: "No drive is written."},
	}
}

// curves draws what changes with the load, and over time.
func curves(r *result) []report.Curve {
	var x, ttft, tpot, good []float64
	for _, p := range r.knee.sorted() {
		x = append(x, float64(p.rate)/1000)
		ttft, tpot, good = append(ttft, seconds(p.ttft90)), append(tpot, 1000*seconds(p.tpot)), append(good, float64(p.goodput)/1000)
	}
	var out []report.Curve
	if len(x) > 1 {
		out = append(out, report.Curve{Chart: "knee", X: x, Y: ttft}, report.Curve{Chart: "pace", X: x, Y: tpot}, report.Curve{Chart: "goodput", X: x, Y: good})
	}
	if len(r.Samples) < 2 {
		return out
	}
	at := make([]float64, len(r.Samples))
	for i := range r.Samples {
		at[i] = seconds(r.Samples[i].At)
	}
	over := func(chart, name string, scale float64, of func(s *core.Sample) int64) {
		y := make([]float64, len(r.Samples))
		for i := range r.Samples {
			y[i] = float64(of(&r.Samples[i])) / scale
		}
		out = append(out, report.Curve{Chart: chart, Name: name, X: at, Y: y})
	}
	over("tiers", "in use", 1e6, func(s *core.Sample) int64 { return s.Used })
	over("tiers", "kept in GPU memory", 1e6, func(s *core.Sample) int64 { return s.Cached })
	over("tiers", "in host memory", 1e6, func(s *core.Sample) int64 { return s.Host })
	over("tiers", "on drives", 1e6, func(s *core.Sample) int64 { return s.Drive })
	over("under-way", "answered", 1, func(s *core.Sample) int64 { return s.Running })
	over("under-way", "waiting", 1, func(s *core.Sample) int64 { return s.Waiting })
	return out
}
