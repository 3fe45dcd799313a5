package teraio

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/llm"
	"spillway/sim/llm/offload"
	"spillway/sim/report"
	"spillway/sim/study"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A class is tensors from a size on, up to the next class, and what share of tensors the
// legend of Figure 2 prints for it, in percent.
type class struct {
	from  unit.Bytes
	name  string
	share float64
}

// legends are those of Figure 2, by model.
var legends = map[string][]class{
	llama8: {
		{0, "< 1 MB", 9.2}, {unit.MB, "1–10 MB", 4.6}, {10 * unit.MB, "10–100 MB", 22.3}, {100 * unit.MB, "100–200 MB", 47.2}, {200 * unit.MB, "> 200 MB", 16.7},
	},
	gpt2: {
		{0, "< 1 MB", 11.4}, {unit.MB, "1–10 MB", 13.6}, {10 * unit.MB, "10–100 MB", 44.6}, {100 * unit.MB, "100 MB–1 GB", 30.2}, {unit.GB, "> 1 GB", 0.1},
	},
	llama70: {
		{0, "< 1 MB", 9.9}, {unit.MB, "1–10 MB", 13.5}, {10 * unit.MB, "10–100 MB", 53.9}, {100 * unit.MB, "100 MB–1 GB", 22.8},
	},
	t5: {
		{0, "< 1 MB", 15.6}, {unit.MB, "1–10 MB", 28.3}, {10 * unit.MB, "10–50 MB", 14.3}, {50 * unit.MB, "50–100 MB", 39.8}, {100 * unit.MB, "> 100 MB", 2.0},
	},
}

// classOf is the place of a size among classes.
func classOf(list []class, size unit.Bytes) int {
	at := 0
	for i := range list {
		if size >= list[i].from {
			at = i
		}
	}
	return at
}

// tensors is what Figures 1 and 2 say of the tensors of GPU 0.
type tensors struct {
	capacity unit.Bytes
	w        *workload.Workload
	a        *vitality.Analysis
	classes  []class
	ends     []unit.Time // when each kernel ends, if nothing waits
}

func tensorsOf(r *llm.Result) *tensors {
	w := r.Job.Parts[0]
	t := &tensors{capacity: r.Node.Usable(), w: w, a: vitality.Analyze(w), classes: legends[r.Job.Spec.Arch.Name]}
	t.ends = make([]unit.Time, len(w.Kernels))
	now := unit.Time(0)
	for k := range w.Kernels {
		now += w.Kernels[k].Time + w.Kernels[k].HostTime
		t.ends[k] = now
	}
	return t
}

// ofTensors reports whether a quantity is one of Figures 1 and 2.
func ofTensors(quantity string) bool {
	return slices.Contains([]string{middle, idle, movable}, quantity) || strings.HasPrefix(quantity, sizes)
}

// length is how long a period lasts, in kernels' own times.
func (t *tensors) length(p *vitality.Period) unit.Time {
	before := func(k workload.KernelID) unit.Time {
		if k == 0 {
			return 0
		}
		return t.ends[k-1]
	}
	length := before(p.End) - before(p.Start)
	if p.Wraps {
		length += t.ends[len(t.ends)-1]
	}
	return length
}

// sized reports whether a tensor is of 10 MB to 1 GB, as the paper says most are.
func (t *tensors) sized(x workload.TensorID) bool {
	size := t.w.Tensors[x].Bytes
	return size >= 10*unit.MB && size <= unit.GB
}

// value is that of a quantity, in percent; NaN if there is none.
func (t *tensors) value(quantity string) float64 {
	switch quantity {
	case middle:
		n := 0
		for x := range t.w.Tensors {
			if t.sized(workload.TensorID(x)) {
				n++
			}
		}
		return 100 * float64(n) / float64(len(t.w.Tensors))
	case idle, movable:
		all, long, move := 0, 0, 0
		for i := range t.a.Periods {
			p := &t.a.Periods[i]
			if !t.sized(p.Tensor) {
				continue
			}
			all++
			if length := t.length(p); length > 10*unit.Millisecond {
				long++
				if length > (6500 * unit.MBps).Time(t.w.Tensors[p.Tensor].Bytes) {
					move++
				}
			}
		}
		if quantity == movable {
			return over(100*float64(move), float64(long))
		}
		return over(100*float64(long), float64(all))
	}
	at, err := strconv.Atoi(strings.TrimPrefix(quantity, sizes))
	if err != nil || at >= len(t.classes) {
		return math.NaN()
	}
	n := 0
	for x := range t.w.Tensors {
		if classOf(t.classes, t.w.Tensors[x].Bytes) == at {
			n++
		}
	}
	return 100 * float64(n) / float64(len(t.w.Tensors))
}

func over(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// points is how many points a curve has at most.
const points = 240

// curves takes from a run what figures draw besides points.
func curves(list []study.Point, r *llm.Result) []report.Curve {
	if r == nil || r.Job == nil {
		return nil
	}
	var out []report.Curve
	var t *tensors
	seen := map[string]bool{}
	for i := range list {
		p := &list[i]
		if seen[p.Figure] {
			continue
		}
		seen[p.Figure] = true
		if (p.Figure == "1" || p.Figure == "2") && t == nil {
			t = tensorsOf(r)
		}
		switch p.Figure {
		case "1":
			out = append(out, t.consumption(p.Of)...)
		case "2":
			out = append(out, t.distribution(p.Of)...)
		case "10":
			out = append(out, bandwidth(r, p.Of)...)
		case tiers:
			out = append(out, memory(r, p.Of)...)
		}
	}
	return out
}

// consumption are the bytes of all and of active tensors over kernels, in percent of the
// GPU's memory; of several kernels to a point the most.
func (t *tensors) consumption(panel string) []report.Curve {
	n := len(t.w.Kernels)
	list := [][]unit.Bytes{t.a.Live(t.w), t.a.Active(t.w)}
	var out []report.Curve
	for i, name := range []string{"all tensors", "active tensors"} {
		c := report.Curve{Chart: "1", By: panel, Name: name}
		for k := range min(n, points) {
			from, to := k*n/min(n, points), (k+1)*n/min(n, points)
			c.X = append(c.X, float64(from))
			c.Y = append(c.Y, 100*float64(slices.Max(list[i][from:to]))/float64(t.capacity))
		}
		out = append(out, c)
	}
	return out
}

// distribution is what share of inactive periods is no longer than a time, in µs, by class.
func (t *tensors) distribution(panel string) []report.Curve {
	by := make([][]unit.Time, len(t.classes))
	for i := range t.a.Periods {
		p := &t.a.Periods[i]
		at := classOf(t.classes, t.w.Tensors[p.Tensor].Bytes)
		by[at] = append(by[at], t.length(p))
	}
	var out []report.Curve
	for at, list := range by {
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		c := report.Curve{Chart: "2", By: panel, Name: t.classes[at].name}
		n := min(len(list), points)
		for k := range n {
			last := (k+1)*len(list)/n - 1
			c.X = append(c.X, float64(max(list[last], unit.Microsecond))/float64(unit.Microsecond))
			c.Y = append(c.Y, 100*float64(last+1)/float64(len(list)))
		}
		out = append(out, c)
	}
	return out
}

// bandwidth is what GPU 0's tensors move over an iteration, in GB/s over percent of it.
func bandwidth(r *llm.Result, panel string) []report.Curve {
	in, out := report.Curve{Chart: "10", By: panel, Name: "to the GPU"}, report.Curve{Chart: "10", By: panel, Name: "from the GPU"}
	every := max(1, (len(r.Rates)+points-1)/points)
	n := 0
	var at, length unit.Time
	var bytes [2]unit.Bytes
	add := func() {
		if length == 0 {
			return
		}
		x := 100 * float64(at) / float64(r.Time)
		in.X, in.Y = append(in.X, x), append(in.Y, float64(bytes[0])/seconds(length)/1e9)
		out.X, out.Y = append(out.X, x), append(out.Y, float64(bytes[1])/seconds(length)/1e9)
		length, bytes = 0, [2]unit.Bytes{}
	}
	spans(r, func(s *offload.Span, l unit.Time) {
		if n%every == 0 {
			add()
			at = s.At
		}
		n++
		length += l
		bytes[0] += moved(r, s, 0, true)
		bytes[1] += moved(r, s, 0, false)
	})
	add()
	return []report.Curve{in, out}
}

// memory is where GPU 0's tensors are over an iteration, in GB.
func memory(r *llm.Result, panel string) []report.Curve {
	if r.Result == nil || len(r.Memory) == 0 {
		return nil
	}
	var out []report.Curve
	list := r.Memory[0]
	every := max(1, (len(list)+points-1)/points)
	for _, tier := range []struct {
		tier offload.Tier
		name string
	}{{offload.GPU, "on the GPU"}, {offload.Host, "in host memory"}, {offload.SSD, "on drives"}} {
		c := report.Curve{Chart: tiers, By: panel, Name: tier.name}
		for i := 0; i < len(list); i += every {
			c.X = append(c.X, 100*float64(list[i].At)/float64(max(1, r.Time)))
			c.Y = append(c.Y, float64(list[i].Bytes[tier.tier])/float64(unit.GB))
		}
		out = append(out, c)
	}
	return out
}
