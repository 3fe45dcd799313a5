package store

import (
	"strings"

	"spillway/sim/report"
	core "spillway/sim/store"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// A ran is a run of a system, with what went into it.
type ran = lab.Run[settings, *trace, *result]

// measures are the numbers of a run.
func measures() []report.Measure[*ran] {
	return report.Lift(list(), func(r *ran) *result { return r.Result })
}

func seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// partKey is a part of time as a quantity.
func partKey(p core.Part) string { return strings.ReplaceAll(p.String(), " ", "_") + "_s" }

// doings are the parts of time in which the store does something, for one client at a time.
func doings() (list []core.Part) {
	for p := range core.Part(core.Parts) {
		if p.Store() {
			list = append(list, p)
		}
	}
	return list
}

// elsewhere are the parts of clients' time in which the store does nothing for them.
var elsewhere = []core.Part{core.Thinking, core.WaitServer, core.WaitCompute}

func list() []report.Measure[*result] {
	var ns []report.Measure[*result]
	add := func(key, label, unitName, help string, places, better int, f func(r *result) float64) *report.Measure[*result] {
		ns = append(ns, report.Number(report.Quantity{Key: key, Label: label, Unit: unitName, Help: help, Places: places, Better: better}, f))
		return &ns[len(ns)-1]
	}
	share := func(part, whole int64) float64 {
		if whole == 0 {
			return report.None()
		}
		return 100 * float64(part) / float64(whole)
	}
	bytes := func(key, label, help string, better int, f func(r *result) unit.Bytes) {
		add(key+"_bytes", label, "GB", help, 3, better, func(r *result) float64 { return float64(f(r)) }).Scale = 1e9
	}
	add("time_s", "Time", "s", "Until the last client's last operation.", 3, -1, func(r *result) float64 { return seconds(r.Time) })
	ns = append(ns, lab.Headroom[*result]("No policy can be below 1."))
	add("hit_rate_percent", "Hit rate of get", "%", "Share of gets that found their tensor in GPU memory.", 1, 1, func(r *result) float64 {
		s := r.Sum()
		return share(s.Hits, s.Gets())
	})
	add("late_prefetches", "Late prefetches", "", "Gets whose tensor was on its way: neither hit nor miss.", 0, -1, func(r *result) float64 { return float64(r.Sum().Late) })
	add("misses", "Misses", "", "Gets whose tensor was in host memory.", 0, -1, func(r *result) float64 { return float64(r.Sum().Misses) })
	add("evictions", "Evictions", "", "Tensors moved to host memory.", 0, -1, func(r *result) float64 { return float64(r.Evictions.Count) })
	bytes("evicted", "Evicted", "Bytes moved to host memory; 1 GB is 10⁹ bytes.", -1, func(r *result) unit.Bytes { return r.Evicted })
	beaten := len(ns)
	bytes("regret", "Regret", "Bytes evicted beyond what Belady's order evicts; negative where a policy beats it.", -1, func(r *result) unit.Bytes { return r.Evicted - r.oracle.Evicted })
	add("lost_s", "Time lost against Belady's order", "s", "Negative where it is beaten.", 3, -1, func(r *result) float64 { return seconds(r.Time - r.oracle.Time) })
	for i := beaten; i < len(ns); i++ {
		ns[i].Signed = true
	}
	add("right_percent", "Right evictions", "%", "Evictions whose victim was needed no sooner than the one that Belady's order would have chosen.", 1, 1, func(r *result) float64 { return share(r.Right, r.Evictions.Count) })
	bytes("prefetched", "Prefetched", "Bytes brought back before their get.", 0, func(r *result) unit.Bytes { return r.Prefetched })
	add("wasted_prefetches", "Wasted prefetches", "", "Tensors brought back and evicted again before their get.", 0, -1, func(r *result) float64 { return float64(r.Wasted) })
	bytes("fetched", "Fetched on demand", "Bytes brought back by gets that missed.", -1, func(r *result) unit.Bytes { return r.Fetched })
	bytes("returned", "Brought back", "Bytes moved from host memory, before or at their get.", -1, func(r *result) unit.Bytes { return r.Prefetched + r.Fetched })
	busy := func(key, label string, f func(r *result) unit.Bytes) {
		add(key, label, "%", "Bytes moved, as a share of what the link could move during the run.", 1, 0, func(r *result) float64 {
			could := unit.MulDiv(int64(r.link), int64(r.Time), int64(unit.Second))
			return min(1, float64(f(r))/float64(max(1, could)))
		}).Scale = 0.01 // a share
	}
	busy("host_link_out_busy", "Host link busy, evictions", func(r *result) unit.Bytes { return r.Evicted })
	busy("host_link_in_busy", "Host link busy, returns", func(r *result) unit.Bytes { return r.Prefetched + r.Fetched })
	for _, p := range elsewhere {
		add(partKey(p), "Clients' time: "+p.String(), "s", "Sum over the clients, which compute and wait at the same time.", 3, -1, func(r *result) float64 { return seconds(r.Sum().Parts[p]) })
	}
	for _, p := range doings() {
		add(partKey(p), "Store's time: "+p.String(), "s", "The store does one thing at a time: what it does sums to no more than the time of the run.", 3, -1, func(r *result) float64 { return seconds(r.Sum().Parts[p]) })
	}
	add("store_works", "Store works", "%", "Time in which the store handles a call. Clients compute in the rest.", 1, -1, func(r *result) float64 {
		return min(1, float64(r.Busy())/float64(max(1, r.Time)))
	}).Scale = 0.01
	for _, x := range clientTime {
		add(x.key, "A client's time: "+x.label, "s", x.help+" Mean over the clients.", 3, -1, func(r *result) float64 {
			return seconds(x.of(r)) / float64(max(1, len(r.Clients)))
		})
	}
	add("gpu_busy_percent", "GPU computes", "%", "Time in which the GPU computes for at least one client.", 1, 1, func(r *result) float64 { return share(int64(r.InUse), int64(r.Time)) })
	add("slowest_client_s", "Slowest client", "s", "From a client's first operation to its last, the longest.", 3, -1, func(r *result) float64 {
		var most unit.Time
		for i := range r.Clients {
			most = max(most, r.Clients[i].End-r.Clients[i].Parts[core.Away])
		}
		return seconds(most)
	})
	add("last_client_s", "Last client", "s", "From the first operation of the client that is named last to its last.", 4, -1, func(r *result) float64 {
		c := &r.Clients[len(r.Clients)-1]
		return seconds(c.End - c.Parts[core.Away])
	})
	peak := func(key, label string, f func(r *result) unit.Bytes) {
		add(key+"_bytes", label, "GiB", "Most memory at any time; 1 GiB is 2³⁰ bytes.", 2, 0, func(r *result) float64 { return float64(f(r)) }).Scale = float64(unit.GiB)
	}
	peak("capacity", "Memory for tensors", func(r *result) unit.Bytes { return r.Capacity })
	peak("peak_gpu", "Peak GPU memory", func(r *result) unit.Bytes { return r.PeakGPU })
	peak("peak_host", "Peak host memory", func(r *result) unit.Bytes { return r.PeakHost })
	return ns
}

// clientTime is what the time of the clients goes to, all together.
var clientTime = []struct {
	key, label, help string
	of               func(*result) unit.Time
}{
	{"client_computes_s", "computing", "Its own computing.", func(r *result) unit.Time { return r.Sum().Parts[core.Thinking] }},
	{"client_shares_s", "others computing", "Waiting for the GPU, on which others compute.", func(r *result) unit.Time { return r.Sum().Parts[core.WaitCompute] }},
	{"client_calls_s", "its calls", "What the store does for it, evictions for its calls among it.", func(r *result) unit.Time { return r.Busy() }},
	{"client_queues_s", "others' calls", "Waiting until the store has handled calls of others.", func(r *result) unit.Time { return r.Sum().Parts[core.WaitServer] }},
}

func charts() []report.Chart {
	var parts, client []string
	for _, p := range doings() {
		parts = append(parts, partKey(p))
	}
	for _, x := range clientTime {
		client = append(client, x.key)
	}
	return []report.Chart{
		{ID: "time", Title: "Time until the last client ends", Kind: report.Bars, Of: []string{"time_s"}, Unit: "s", Say: "is slowest"},
		{ID: "causes", Title: "What the store does, one call after the other", Kind: report.Stacks, Opens: report.OpensWait, Of: parts, Unit: "s", Say: "works longest", None: "The store has nothing to do here."},
		{ID: "clients", Title: "A client's time, mean over the clients", Kind: report.Stacks, Of: client, Unit: "s", Say: "costs a client most"},
		{ID: "hits", Title: "Gets that find their tensor in GPU memory", Kind: report.Bars, Of: []string{"hit_rate_percent"}, Unit: "%", Max: 100, Say: "hits most", None: "No get finds its tensor there."},
		{ID: "evicted", Title: "Bytes evicted", Kind: report.Bars, Of: []string{"evicted_bytes"}, Unit: "GB", Say: "evicts most", None: "Nothing is evicted."},
		{
			ID: "memory", Title: "GPU memory by client and state", Kind: report.Bands, X: "time, s", Opens: report.OpensSecond, Y: "GiB", Unit: "GiB", Pick: "eviction",
			Help: "Each point is the fullest moment of its interval. Dots are evictions; pick one to see what left and whether that was the right choice.",
		},
		{ID: "host", Title: "Host memory by client", Kind: report.Bands, X: "time, s", Opens: report.OpensSecond, Y: "GiB", Unit: "GiB", None: "Nothing was evicted."},
	}
}

// curves draws memory over time.
func curves(w *trace, r *result) []report.Curve {
	t := &r.Timeline
	xs := make([]float64, len(t.GPU))
	for i := range xs {
		xs[i] = seconds(unit.Time(i) * t.Step)
	}
	gib := func(row []unit.Bytes) []float64 {
		ys := make([]float64, len(row))
		for i, b := range row {
			ys[i] = float64(b) / float64(unit.GiB)
		}
		return ys
	}
	var out []report.Curve
	for c, name := range w.Clients {
		for p := core.User; p <= core.InHost; p++ {
			chart, label := "memory", name+": "+p.String()
			if p == core.InHost {
				chart, label = "host", name
			}
			out = append(out, report.Curve{Chart: chart, Name: label, X: xs, Y: gib(t.Bytes[3*c+int(p)])})
		}
	}
	marks := report.Curve{Chart: "memory", Name: "eviction"}
	step := max(1, (len(r.Evictions.Kept)+mostMarks-1)/mostMarks)
	for i := 0; i < len(r.Evictions.Kept); i += step {
		e := &r.Evictions.Kept[i]
		at := min(int(e.Time/t.Step), len(t.GPU)-1)
		marks.X = append(marks.X, seconds(e.Time))
		marks.Y = append(marks.Y, float64(t.GPU[at])/float64(unit.GiB))
		marks.Picks = append(marks.Picks, int32(i)+1)
	}
	if len(marks.X) > 0 {
		out = append(out, marks)
	}
	return out
}

// mostMarks is how many evictions a chart marks.
const mostMarks = 400
