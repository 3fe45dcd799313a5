package offload

import (
	"math"

	"spillway/sim/llm/flow"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A curve is a GPU's memory over the measured iteration. The kernels are cut into pieces; of each
// the samples with the least and with the most memory of the GPU stay, and that with the largest
// kernel.
type curve struct {
	kernels int
	pieces  []piece
}

type piece struct {
	used               bool
	least, most, large Sample
}

func newCurve(points, kernels int) *curve {
	return &curve{kernels, make([]piece, max(1, min(kernels, points/3)))}
}

// sample notes where a GPU's tensors are now.
func (r *run) sample(g *gpu) {
	if !r.measuring {
		return
	}
	g.result.Peak = max(g.result.Peak, g.used)
	if g.curve == nil {
		return
	}
	k := min(g.kernel, g.curve.kernels-1) // at the end
	s := Sample{At: r.sim.Now() - r.opened, Kernel: workload.KernelID(k), Bytes: [Tiers]unit.Bytes{SSD: g.onDrives, Host: g.onHost, GPU: g.used}}
	if g.mode == computing || g.mode == communicating {
		s.Active = g.active
	}
	p := &g.curve.pieces[k*len(g.curve.pieces)/g.curve.kernels]
	if !p.used {
		*p = piece{true, s, s, s}
		return
	}
	if s.Bytes[GPU] < p.least.Bytes[GPU] {
		p.least = s
	}
	if s.Bytes[GPU] > p.most.Bytes[GPU] {
		p.most = s
	}
	if s.Active > p.large.Active {
		p.large = s
	}
}

// samples returns the curve in order of time.
func (c *curve) samples() (out []Sample) {
	for i := range c.pieces {
		p := &c.pieces[i]
		if !p.used {
			continue
		}
		s := [3]Sample{p.least, p.most, p.large}
		for i := range s {
			for k := i; k > 0 && s[k].At < s[k-1].At; k-- {
				s[k], s[k-1] = s[k-1], s[k]
			}
		}
		for i, x := range s {
			if i == 0 || x != s[i-1] {
				out = append(out, x)
			}
		}
	}
	return out
}

// rates is what links carry in equal pieces of time, which become twice as long whenever there
// are too many.
type rates struct {
	links  int
	opened unit.Time
	width  unit.Time
	most   int
	bytes  []unit.Bytes // piece by piece, of all links
}

// add spreads bytes over the pieces of the time in which they moved.
func (r *rates) add(l flow.LinkID, from, to unit.Time, n unit.Bytes) {
	from, to = max(0, from-r.opened), to-r.opened
	if to <= from || n <= 0 {
		return
	}
	for (to-1)/r.width >= unit.Time(r.most) {
		r.halve()
	}
	last := int((to - 1) / r.width)
	for len(r.bytes) <= last*r.links+r.links-1 {
		r.bytes = append(r.bytes, 0)
	}
	var told unit.Bytes
	for p := int(from / r.width); p <= last; p++ {
		until := min(to, unit.Time(p+1)*r.width)
		sum := unit.Bytes(unit.MulDiv(int64(n), int64(until-from), int64(to-from)))
		r.bytes[p*r.links+int(l)] += sum - told
		told = sum
	}
}

// halve makes one piece of each two.
func (r *rates) halve() {
	r.width *= 2
	n := len(r.bytes) / r.links
	for p := range n {
		to := r.bytes[p/2*r.links : (p/2+1)*r.links]
		for l, b := range r.bytes[p*r.links : (p+1)*r.links] {
			if p&1 == 0 {
				to[l] = b
			} else {
				to[l] += b
			}
		}
	}
	r.bytes = r.bytes[:(n+1)/2*r.links]
}

func (r *rates) spans(time unit.Time) (out []Span) {
	for at := unit.Time(0); at < time && len(out) < r.most; at += r.width {
		s := Span{At: at, Bytes: make([]unit.Bytes, r.links)}
		if p := len(out); (p+1)*r.links <= len(r.bytes) {
			copy(s.Bytes, r.bytes[p*r.links:])
		}
		out = append(out, s)
	}
	return out
}

// measure begins the measured iteration.
func (r *run) measure() {
	r.measuring, r.opened = true, r.sim.Now()
	if r.watched != nil {
		r.watched.to.Begin(r.s)
	}
	for i := range r.gpus {
		g := &r.gpus[i]
		g.ledger, g.overlapped = [Causes]unit.Time{}, 0
		g.since, g.overAt = r.opened, r.opened
		g.result.Peak = g.used
		r.there(g)
	}
}

// close ends it.
func (r *run) close() {
	r.finished, r.closed = true, r.sim.Now()
	for i := range r.gpus {
		r.setStallCause(&r.gpus[i], Bubble)
	}
}

// openLinks begins to measure links; time has not gone on since measure.
func (r *run) openLinks() {
	r.before = r.linkUse()
	if !r.o.Curves || len(r.node.Links) == 0 {
		return
	}
	r.sim.Tell()
	width := r.opened
	if r.iteration > 0 {
		width /= unit.Time(r.iteration)
	} else {
		for i := range r.gpus {
			for k := range r.gpus[i].w.Kernels {
				width = max(width, r.gpus[i].w.Kernels[k].Time)
			}
		}
	}
	r.rates = &rates{links: len(r.node.Links), opened: r.opened, width: max(1, width/unit.Time(r.o.Points)), most: max(2, r.o.Points)}
	r.sim.Watch = r.rates.add
}

func (r *run) closeLinks() {
	if r.before == nil {
		return
	}
	r.uses = r.linkUse()
	for l := range r.uses {
		r.uses[l].Bytes -= r.before[l].Bytes
		r.uses[l].Busy -= r.before[l].Busy
	}
	if r.rates != nil {
		r.sim.Tell()
		r.sim.Watch = nil
	}
}

func (r *run) linkUse() []LinkUse {
	out := make([]LinkUse, len(r.node.Links))
	for l := range out {
		out[l].Bytes, out[l].Busy = r.sim.Use(flow.LinkID(l))
	}
	return out
}

// result is what the run came to.
func (r *run) result() *Result {
	out := &Result{Schedule: r.s.Name, Stuck: r.stuck, HostPeak: r.hostMost + r.s.Host, DrivePeak: r.drivesMost + r.s.Drives}
	if r.stuck != "" {
		return out
	}
	out.Time, out.Before, out.Links = r.closed-r.opened, r.ahead, r.uses
	for i := range r.gpus {
		g := &r.gpus[i]
		x := g.result
		x.Ledger, x.Overlapped = g.ledger, g.overlapped
		x.Peak = min(x.Peak, math.MaxInt64/2) + r.s.Static
		out.GPUs = append(out.GPUs, x)
		if g.curve != nil {
			out.Memory = append(out.Memory, g.curve.samples())
		}
	}
	if r.rates != nil {
		out.Rates = r.rates.spans(out.Time)
	}
	return out
}
