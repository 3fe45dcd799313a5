package g10

import (
	"math"
	"slices"
)

// A Claim is a number that the text of the G10 paper states, computed again
// from the values that a figure shows.
type Claim struct {
	ID      string
	Figure  string // whose values it is computed from
	Section string // of the paper that states it
	Text    string // what is claimed, in our words
	Stated  string // the number as the paper prints it
	// Lo and Hi bound the values that agree with Stated: its rounding, or the
	// range that it gives.
	Lo, Hi float64
	Unit   string // "×", "%", "GB", "µs"
	value  func(ps []Point, look Look) (float64, bool)
	memory func(of func(Need) *Memory) (float64, bool)
}

// Value computes the claim from the values that look finds. known is false as
// long as one is missing.
func (c *Claim) Value(points []Point, look Look) (value float64, known bool) {
	if c.value == nil {
		return 0, false
	}
	return c.value(points, look)
}

// FromMemory reports whether the claim is about the tensors' lifetimes, so
// that ValueOf computes it and nothing was published besides the text.
func (c *Claim) FromMemory() bool { return c.memory != nil }

// ValueOf computes a claim of Figures 2 to 4. of returns nil for what is not known yet.
func (c *Claim) ValueOf(of func(Need) *Memory) (value float64, known bool) {
	if c.memory == nil {
		return 0, false
	}
	return c.memory(of)
}

// A Verdict says how a value agrees with a claim.
type Verdict string

// The verdicts on claims.
const (
	Holds   Verdict = "holds"   // to the rounding of the stated number, or within the stated range
	Near    Verdict = "near"    // off by at most the tolerance
	Differs Verdict = "differs" // farther off
)

// ClaimTolerance is the relative difference up to which a claim is Near.
const ClaimTolerance = 0.01

// Judge says how value agrees with the number that the paper states.
func (c *Claim) Judge(value, tolerance float64) Verdict {
	switch {
	case value >= c.Lo && value <= c.Hi:
		return Holds
	case value >= c.Lo-tolerance*math.Abs(c.Lo) && value <= c.Hi+tolerance*math.Abs(c.Hi):
		return Near
	}
	return Differs
}

// Claims returns the numbers that the paper's text states about the figures.
func Claims() []Claim {
	return []Claim{
		{
			ID: "active-share", Figure: "2", Section: "§3", Stated: "1 %", Lo: 0, Hi: 1.5, Unit: "%",
			Text:   "Active tensors take on average this share of the peak (mean over kernels and networks)",
			memory: average(func(m *Memory) float64 { return 100 * m.MeanActive }),
		},
		{
			ID: "largest-kernel", Figure: "2", Section: "§3", Stated: "5.7 GB", Lo: 5.65, Hi: 5.75, Unit: "GB",
			Text:   "The largest kernel of the studied networks uses",
			memory: extreme(math.Max, func(m *Memory) float64 { return float64(m.Largest) / 1e9 }),
		},
		{
			ID: "long-cnn", Figure: "3", Section: "§3", Stated: "> 60 %", Lo: 60, Hi: 100, Unit: "%",
			Text:   "Convolutional networks: inactive periods longer than 10⁷ µs, the smaller share of the two",
			memory: extremeOf(math.Min, true, func(m *Memory) float64 { return 100 * m.Over10s }),
		},
		{
			ID: "long-transformer", Figure: "3", Section: "§3", Stated: "about 50 %", Lo: 40, Hi: 60, Unit: "%",
			Text:   "Transformers: inactive periods longer than 10⁵ µs, mean of the two",
			memory: extremeOf(mean2, false, func(m *Memory) float64 { return 100 * m.Over100ms }),
		},
		{
			ID: "longest", Figure: "4", Section: "§3", Stated: "100 s", Lo: 50, Hi: 150, Unit: "s",
			Text:   "The longest inactive period of Inceptionv3-512, an order of magnitude",
			memory: one(Need{"inception-v3", 512}, func(m *Memory) float64 { return last(m.Periods).Micros / 1e6 }),
		},
		{
			ID: "swappable", Figure: "4", Section: "§3", Stated: "60 to 80 %", Lo: 60, Hi: 100, Unit: "%",
			Text:   "Inactive periods in which the tensor can go to the SSD and come back, the smallest share of the four",
			memory: extreme(math.Min, func(m *Memory) float64 { return 100 * m.Swappable }),
		},
		{
			ID: "ideal", Figure: "11", Section: "abstract, §7.2", Stated: "90.3 %", Lo: 90.25, Hi: 90.35, Unit: "%",
			Text: "G10 reaches this share of ideal performance (geometric mean)", value: ratio("g10", "ideal", 100),
		},
		{
			ID: "over-flashneuron", Figure: "11", Section: "§7.2", Stated: "1.56×", Lo: 1.555, Hi: 1.565, Unit: "×",
			Text: "Speedup of G10 over FlashNeuron where that runs (geometric mean)", value: ratio("g10", "flashneuron", 1),
		},
		{
			ID: "over-deepum", Figure: "11", Section: "§7.2", Stated: "1.31×", Lo: 1.305, Hi: 1.315, Unit: "×",
			Text: "Speedup of G10 over DeepUM+ (geometric mean)", value: ratio("g10", "deepum+", 1),
		},
		{
			ID: "uvm-ideal", Figure: "11", Section: "§7.2", Stated: "4.55×", Lo: 4.545, Hi: 4.555, Unit: "×",
			Text: "Speedup of ideal over Base UVM (geometric mean)", value: ratio("ideal", "uvm", 1),
		},
		{
			ID: "flashneuron-uvm", Figure: "11", Section: "§7.2", Stated: "2.46×", Lo: 2.455, Hi: 2.465, Unit: "×",
			Text: "Speedup of FlashNeuron over Base UVM where it runs (geometric mean)", value: ratio("flashneuron", "uvm", 1),
		},
		{
			ID: "deepum-uvm", Figure: "11", Section: "§7.2", Stated: "3.12×", Lo: 3.115, Hi: 3.125, Unit: "×",
			Text: "Speedup of DeepUM+ over Base UVM (geometric mean)", value: ratio("deepum+", "uvm", 1),
		},
		{
			ID: "most", Figure: "11", Section: "abstract, §7.2", Stated: "1.75×", Lo: 1.745, Hi: 1.755, Unit: "×",
			Text: "Largest speedup of G10 over FlashNeuron and DeepUM+", value: best("flashneuron", "deepum+"),
		},
		{
			ID: "host-deepum", Figure: "11", Section: "§7.2", Stated: "1.23×", Lo: 1.225, Hi: 1.235, Unit: "×",
			Text: "ResNet152: speedup of G10-Host over DeepUM+", value: one11("resnet-152", "g10-host", "deepum+"),
		},
		{
			ID: "slowed-g10", Figure: "13", Section: "§7.2", Stated: "1 to 6 %", Lo: 0, Hi: 6.5, Unit: "%",
			Text: "Kernels that G10 slows by over 1 %, the worst network", value: slowedMost(math.Max, "g10"),
		},
		{
			ID: "slowed-others", Figure: "13", Section: "§7.2", Stated: "4 to 30 %", Lo: 3.5, Hi: 30.5, Unit: "%",
			Text: "Kernels that FlashNeuron and DeepUM+ slow by over 1 %, the worst network", value: slowedMost(math.Max, "flashneuron", "deepum+"),
		},
		{
			ID: "slowed-uvm", Figure: "13", Section: "§7.2", Stated: "> 50 %", Lo: 50, Hi: 100, Unit: "%",
			Text: "Kernels that Base UVM slows by over 1 %, the best network", value: slowedMost(math.Min, "uvm"),
		},
		{
			ID: "batch-flashneuron", Figure: "15", Section: "§7.3", Stated: "2.67×", Lo: 2.665, Hi: 2.675, Unit: "×",
			Text: "Largest speedup of G10 over FlashNeuron, any batch", value: best("flashneuron"),
		},
		{
			ID: "batch-deepum", Figure: "15", Section: "§7.3", Stated: "1.45×", Lo: 1.445, Hi: 1.455, Unit: "×",
			Text: "Largest speedup of G10 over DeepUM+, any batch", value: best("deepum+"),
		},
		{
			ID: "no-host-deepum", Figure: "17", Section: "§7.4", Stated: "2.58×", Lo: 2.575, Hi: 2.585, Unit: "×",
			Text: "No host memory: speedup of G10 over DeepUM+ (geometric mean)", value: overHost("deepum+", func(h int64) bool { return h == 0 }),
		},
		{
			ID: "no-host-flashneuron", Figure: "17", Section: "§7.4", Stated: "1.04×", Lo: 1.035, Hi: 1.045, Unit: "×",
			Text: "No host memory: speedup of G10 over FlashNeuron (geometric mean)", value: overHost("flashneuron", func(h int64) bool { return h == 0 }),
		},
		{
			ID: "host-most-deepum", Figure: "17", Section: "§7.4", Stated: "1.26×", Lo: 1.255, Hi: 1.265, Unit: "×",
			Text: "256 GiB of host memory: speedup of G10 over DeepUM+ (geometric mean)", value: overHost("deepum+", func(h int64) bool { return h == 256 }),
		},
		{
			ID: "host-flashneuron", Figure: "17", Section: "§7.4", Stated: "1.33×", Lo: 1.325, Hi: 1.335, Unit: "×",
			Text: "All host sizes: speedup of G10 over FlashNeuron (geometric mean)", value: overHost("flashneuron", func(int64) bool { return true }),
		},
		{
			ID: "ssd", Figure: "18", Section: "§7.5", Stated: "90 to 100 %", Lo: 90, Hi: 100, Unit: "%",
			Text: "G10 at 12.8 GB/s of SSD bandwidth, worst network", value: atSSD,
		},
		{
			ID: "noise", Figure: "19", Section: "§7.6", Stated: "< 0.5 %", Lo: -math.MaxFloat64, Hi: 0.5, Unit: "%",
			Text: "G10 loses through kernel times that are up to ±20 % off, the worst case", value: noiseLoss,
		},
		{
			ID: "writes-deepum", Figure: "14", Section: "§7.7", Stated: "1.37×", Lo: 1.365, Hi: 1.375, Unit: "×",
			Text: "SSD writes of DeepUM+ over those of G10 (geometric mean)", value: writes("deepum+"),
		},
		{
			ID: "writes-flashneuron", Figure: "14", Section: "§7.7", Stated: "2.20×", Lo: 2.195, Hi: 2.205, Unit: "×",
			Text: "SSD writes of FlashNeuron over those of G10 (geometric mean)", value: writes("flashneuron"),
		},
	}
}

func last(gs []Period) Period {
	if len(gs) == 0 {
		return Period{}
	}
	return gs[len(gs)-1]
}

func mean2(a, b float64) float64 { return (a + b) / 2 }

func average(f func(*Memory) float64) func(func(Need) *Memory) (float64, bool) {
	return func(of func(Need) *Memory) (sum float64, known bool) {
		for _, n := range studied {
			m := of(n)
			if m == nil {
				return 0, false
			}
			sum += f(m) / float64(len(studied))
		}
		return sum, true
	}
}

func one(n Need, f func(*Memory) float64) func(func(Need) *Memory) (float64, bool) {
	return func(of func(Need) *Memory) (float64, bool) {
		m := of(n)
		if m == nil {
			return 0, false
		}
		return f(m), true
	}
}

// extreme combines the values of all studied workloads.
func extreme(combine func(a, b float64) float64, f func(*Memory) float64) func(func(Need) *Memory) (float64, bool) {
	return fold(studied[:], combine, f)
}

// extremeOf combines the values of the two convolutional networks or the two transformers.
func extremeOf(combine func(a, b float64) float64, cnn bool, f func(*Memory) float64) func(func(Need) *Memory) (float64, bool) {
	return fold(slices.DeleteFunc(slices.Clone(studied[:]), func(n Need) bool { return n.Convolutional() != cnn }), combine, f)
}

func fold(needs []Need, combine func(a, b float64) float64, f func(*Memory) float64) func(func(Need) *Memory) (float64, bool) {
	return func(of func(Need) *Memory) (value float64, known bool) {
		for i, n := range needs {
			m := of(n)
			switch {
			case m == nil:
				return 0, false
			case i == 0:
				value = f(m)
			default:
				value = combine(value, f(m))
			}
		}
		return value, true
	}
}

// pairs calls yield with the times of two systems on the same workload and
// machine, wherever both run. It reports whether all values are known.
func pairs(ps []Point, look Look, a, b string, yield func(p *Point, ta, tb float64)) bool {
	for i := range ps {
		p := &ps[i]
		if p.System != a || p.Metric != "iteration" {
			continue
		}
		ta, fits, known := look(p)
		if !known {
			return false
		}
		if !fits {
			continue
		}
		c := canvas{points: ps, look: look}
		tb, fits, known := c.find(func(q *Point) bool {
			return q.System == b && q.Metric == p.Metric && q.Model == p.Model && q.Batch == p.Batch && q.SSD == p.SSD &&
				(q.HostGiB == p.HostGiB || p.Figure != "17" || b == "flashneuron")
		})
		if !known {
			return false
		}
		if fits {
			yield(p, ta, tb)
		}
	}
	return true
}

// geomean collects a geometric mean.
type geomean struct {
	logs float64
	n    int
}

func (g *geomean) add(x float64) { g.logs, g.n = g.logs+math.Log(x), g.n+1 }

func (g *geomean) value() float64 {
	if g.n == 0 {
		return 0
	}
	return math.Exp(g.logs / float64(g.n))
}

// ratio is how fast a is compared with b, the geometric mean times scale.
func ratio(a, b string, scale float64) func([]Point, Look) (float64, bool) {
	return func(ps []Point, look Look) (float64, bool) {
		var g geomean
		known := pairs(ps, look, a, b, func(_ *Point, ta, tb float64) { g.add(tb / ta) })
		return scale * g.value(), known && g.n > 0
	}
}

// best is the most that G10 is ahead of any of the systems.
func best(others ...string) func([]Point, Look) (float64, bool) {
	return func(ps []Point, look Look) (most float64, known bool) {
		known = true
		for _, b := range others {
			known = known && pairs(ps, look, "g10", b, func(_ *Point, ta, tb float64) { most = math.Max(most, tb/ta) })
		}
		return most, known && most > 0
	}
}

// one11 is how fast a is compared with b on one model.
func one11(model, a, b string) func([]Point, Look) (float64, bool) {
	return func(ps []Point, look Look) (float64, bool) {
		return ratio(a, b, 1)(slices.DeleteFunc(slices.Clone(ps), func(p Point) bool { return p.Model != model }), look)
	}
}

// overHost is how fast G10 is compared with b, the geometric mean over networks and the
// host sizes wanted.
func overHost(b string, want func(gib int64) bool) func([]Point, Look) (float64, bool) {
	return func(ps []Point, look Look) (float64, bool) {
		var g geomean
		known := pairs(ps, look, "g10", b, func(p *Point, ta, tb float64) {
			if want(p.HostGiB) {
				g.add(tb / ta)
			}
		})
		return g.value(), known && g.n > 0
	}
}

func slowedMost(combine func(a, b float64) float64, systems ...string) func([]Point, Look) (float64, bool) {
	return func(ps []Point, look Look) (value float64, known bool) {
		first := true
		for i := range ps {
			p := &ps[i]
			if p.Metric != "slow_1" || !slices.Contains(systems, p.System) {
				continue
			}
			v, fits, known := look(p)
			switch {
			case !known:
				return 0, false
			case !fits:
			case first:
				value, first = 100*v, false
			default:
				value = combine(value, 100*v)
			}
		}
		return value, !first
	}
}

func atSSD(ps []Point, look Look) (float64, bool) {
	least := math.Inf(1)
	known := pairs(ps, look, "g10", "ideal", func(p *Point, ta, tb float64) {
		if p.SSD == 12_800_000_000 {
			least = math.Min(least, 100*tb/ta)
		}
	})
	return least, known && !math.IsInf(least, 1)
}

func noiseLoss(ps []Point, look Look) (float64, bool) {
	loss := math.Inf(-1)
	for i := range ps {
		p := &ps[i]
		if p.Noise == 0 || p.Noise > 200 {
			continue
		}
		v, _, known := look(p)
		c := canvas{points: ps, look: look}
		base, _, also := c.find(func(q *Point) bool { return q.Noise == 0 && q.Model == p.Model && q.Batch == p.Batch })
		if !known || !also {
			return 0, false
		}
		loss = math.Max(loss, 100*(1-v/base))
	}
	return loss, !math.IsInf(loss, -1)
}

// writes is how much more than G10 a system writes to the SSD.
func writes(system string) func([]Point, Look) (float64, bool) {
	return func(ps []Point, look Look) (float64, bool) {
		var g geomean
		for i := range ps {
			p := &ps[i]
			if p.System != system || p.Metric != "ssd_out" {
				continue
			}
			theirs, fits, known := look(p)
			c := canvas{points: ps, look: look}
			ours, _, also := c.find(func(q *Point) bool {
				return q.System == "g10" && q.Metric == p.Metric && q.Model == p.Model && q.Batch == p.Batch
			})
			if !known || !also {
				return 0, false
			}
			if fits && theirs > 0 && ours > 0 {
				g.add(theirs / ours)
			}
		}
		return g.value(), g.n > 0
	}
}
