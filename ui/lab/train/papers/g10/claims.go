package g10

import (
	"math"
	"slices"

	"spillway/sim/portable"
	"spillway/sim/study"
	"spillway/sim/workload"
)

// A value is how a claim is computed; see study.Claim.
type value = func(look study.Look, outcome func(run string) *study.Outcome) (float64, bool)

// claims returns the numbers that the paper's text states about the figures.
func claims(all []Point) []study.Claim {
	var (
		f11, f13, f14 = of(all, "11"), of(all, "13"), of(all, "14")
		f15, f17      = of(all, "15"), of(all, "17")
	)
	list := []study.Claim{
		{
			ID: "active-share", Figure: "2", Section: "§3", Stated: "1 %", Lo: 0, Hi: 1.5, Unit: "%",
			Text:  "Active tensors take on average this share of the peak (mean over kernels and networks)",
			Value: average(MeanActive, 100),
		},
		{
			ID: "largest-kernel", Figure: "2", Section: "§3", Stated: "5.7 GB", Lo: 5.65, Hi: 5.75, Unit: "GB",
			Text:  "The largest kernel of the studied networks uses",
			Value: over(studied, math.Max, Largest, 1e-9),
		},
		{
			ID: "long-cnn", Figure: "3", Section: "§3", Stated: "> 60 %", Lo: 60, Hi: 100, Unit: "%", Sharp: true,
			Text:  "Convolutional networks: inactive periods longer than 10⁷ µs, the smaller share of the two",
			Value: over(networksOf(true), math.Min, Over10s, 100),
		},
		{
			ID: "long-transformer", Figure: "3", Section: "§3", Stated: "about 50 %", Lo: 40, Hi: 60, Unit: "%",
			Text:  "Transformers: inactive periods longer than 10⁵ µs, mean of the two",
			Value: over(networksOf(false), mean2, Over100ms, 100),
		},
		{
			ID: "longest", Figure: "4", Section: "§3", Stated: "100 s", Lo: 50, Hi: 150, Unit: "s",
			Text:  "The longest inactive period of Inceptionv3-512, an order of magnitude",
			Value: over([]Need{{"inception-v3", 512}}, math.Max, Longest, 1e-6),
		},
		{
			ID: "swappable", Figure: "4", Section: "§3", Stated: "60 to 80 %", Lo: 60, Hi: 100, Unit: "%", Sharp: true,
			Text:  "Inactive periods in which the tensor can go to the SSD and come back, the smallest share of the four",
			Value: over(studied, math.Min, Swappable, 100),
		},
		{
			ID: "ideal", Figure: "11", Section: "abstract, §7.2", Stated: "90.3 %", Lo: 90.25, Hi: 90.35, Unit: "%",
			Text:  "G10 reaches this share of ideal performance (geometric mean)",
			Value: ratio(f11, "g10", "ideal", 100),
		},
		{
			ID: "over-flashneuron", Figure: "11", Section: "§7.2", Stated: "1.56×", Lo: 1.555, Hi: 1.565, Unit: "×",
			Text:  "Speedup of G10 over FlashNeuron where that runs (geometric mean)",
			Value: ratio(f11, "g10", "flashneuron", 1),
		},
		{
			ID: "over-deepum", Figure: "11", Section: "§7.2", Stated: "1.31×", Lo: 1.305, Hi: 1.315, Unit: "×",
			Text:  "Speedup of G10 over DeepUM+ (geometric mean)",
			Value: ratio(f11, "g10", "deepum+", 1),
		},
		{
			ID: "uvm-ideal", Figure: "11", Section: "§7.2", Stated: "4.55×", Lo: 4.545, Hi: 4.555, Unit: "×",
			Text:  "Speedup of ideal over Base UVM (geometric mean)",
			Value: ratio(f11, "ideal", "uvm", 1),
		},
		{
			ID: "flashneuron-uvm", Figure: "11", Section: "§7.2", Stated: "2.46×", Lo: 2.455, Hi: 2.465, Unit: "×",
			Text:  "Speedup of FlashNeuron over Base UVM where it runs (geometric mean)",
			Value: ratio(f11, "flashneuron", "uvm", 1),
		},
		{
			ID: "deepum-uvm", Figure: "11", Section: "§7.2", Stated: "3.12×", Lo: 3.115, Hi: 3.125, Unit: "×",
			Text:  "Speedup of DeepUM+ over Base UVM (geometric mean)",
			Value: ratio(f11, "deepum+", "uvm", 1),
		},
		{
			ID: "most", Figure: "11", Section: "abstract, §7.2", Stated: "1.75×", Lo: 1.745, Hi: 1.755, Unit: "×",
			Text:  "Largest speedup of G10 over FlashNeuron and DeepUM+",
			Value: best(f11, "flashneuron", "deepum+"),
		},
		{
			ID: "host-deepum", Figure: "11", Section: "§7.2", Stated: "1.23×", Lo: 1.225, Hi: 1.235, Unit: "×",
			Text:  "ResNet152: speedup of G10-Host over DeepUM+",
			Value: ratio(onModel(f11, "resnet-152"), "g10-host", "deepum+", 1),
		},
		{
			ID: "unfit", Figure: "11", Section: "§7.2", Stated: "both", Lo: 2, Hi: 2, Sharp: true,
			Text:  "Of ViT-1280 and Inceptionv3-1536, those that FlashNeuron cannot run",
			Value: unfit(f11, "flashneuron", "vit-s-32", "inception-v3"),
		},
		{
			ID: "slowed-g10", Figure: "13", Section: "§7.2", Stated: "1 to 6 %", Lo: 0, Hi: 6.5, Unit: "%", Sharp: true,
			Text:  "Kernels that G10 slows by over 1 %, the worst network",
			Value: slowedMost(f13, math.Max, "g10"),
		},
		{
			ID: "slowed-others", Figure: "13", Section: "§7.2", Stated: "4 to 30 %", Lo: 3.5, Hi: 30.5, Unit: "%", Sharp: true,
			Text:  "Kernels that FlashNeuron and DeepUM+ slow by over 1 %, the worst network",
			Value: slowedMost(f13, math.Max, "flashneuron", "deepum+"),
		},
		{
			ID: "slowed-uvm", Figure: "13", Section: "§7.2", Stated: "> 50 %", Lo: 50, Hi: 100, Unit: "%", Sharp: true,
			Text:  "Kernels that Base UVM slows by over 1 %, the best network",
			Value: slowedMost(f13, math.Min, "uvm"),
		},
		{
			ID: "batch-flashneuron", Figure: "15", Section: "§7.3", Stated: "2.67×", Lo: 2.665, Hi: 2.675, Unit: "×",
			Text:  "Largest speedup of G10 over FlashNeuron, any batch",
			Value: best(f15, "flashneuron"),
		},
		{
			ID: "batch-deepum", Figure: "15", Section: "§7.3", Stated: "1.45×", Lo: 1.445, Hi: 1.455, Unit: "×",
			Text:  "Largest speedup of G10 over DeepUM+, any batch",
			Value: best(f15, "deepum+"),
		},
		{
			ID: "no-host-deepum", Figure: "17", Section: "§7.4", Stated: "2.58×", Lo: 2.575, Hi: 2.585, Unit: "×",
			Text:  "No host memory: speedup of G10 over DeepUM+ (geometric mean)",
			Value: overHost(f17, "deepum+", func(h int64) bool { return h == 0 }),
		},
		{
			ID: "no-host-flashneuron", Figure: "17", Section: "§7.4", Stated: "1.04×", Lo: 1.035, Hi: 1.045, Unit: "×",
			Text:  "No host memory: speedup of G10 over FlashNeuron (geometric mean)",
			Value: overHost(f17, "flashneuron", func(h int64) bool { return h == 0 }),
		},
		{
			ID: "host-most-deepum", Figure: "17", Section: "§7.4", Stated: "1.26×", Lo: 1.255, Hi: 1.265, Unit: "×",
			Text:  "256 GiB of host memory: speedup of G10 over DeepUM+ (geometric mean)",
			Value: overHost(f17, "deepum+", func(h int64) bool { return h == 256 }),
		},
		{
			ID: "host-flashneuron", Figure: "17", Section: "§7.4", Stated: "1.33×", Lo: 1.325, Hi: 1.335, Unit: "×",
			Text:  "All host sizes: speedup of G10 over FlashNeuron (geometric mean)",
			Value: overHost(f17, "flashneuron", func(int64) bool { return true }),
		},
		{
			ID: "ssd", Figure: "18", Section: "§7.5", Stated: "90 to 100 %", Lo: 90, Hi: 100, Unit: "%", Sharp: true,
			Text:  "G10 at 12.8 GB/s of SSD bandwidth, worst network",
			Value: atSSD(of(all, "18")),
		},
		{
			ID: "noise", Figure: "19", Section: "§7.6", Stated: "< 0.5 %", Lo: -math.MaxFloat64, Hi: 0.5, Unit: "%", Sharp: true,
			Text:  "G10 loses through kernel times that are up to ±20 % off, the worst case",
			Value: noiseLoss(of(all, "19")),
		},
		{
			ID: "writes-deepum", Figure: "14", Section: "§7.7", Stated: "1.37×", Lo: 1.365, Hi: 1.375, Unit: "×",
			Text:  "SSD writes of DeepUM+ over those of G10 (geometric mean)",
			Value: writes(f14, "deepum+"),
		},
		{
			ID: "writes-flashneuron", Figure: "14", Section: "§7.7", Stated: "2.20×", Lo: 2.195, Hi: 2.205, Unit: "×",
			Text:  "SSD writes of FlashNeuron over those of G10 (geometric mean)",
			Value: writes(f14, "flashneuron"),
		},
	}
	for i := range list {
		if pair, ok := faulting[list[i].ID]; ok {
			if b := beside(workload.Measured, pair[0], pair[1]); b != "" {
				list[i].Beside = "Corrected, on the headline networks with measured times, " + b
			}
		}
		if list[i].Unit == "×" { // so many times as fast, or as much: once is the turning point
			list[i].Even = 1
		}
	}
	return list
}

// faulting are the claims about systems that fault, with the two that they
// compare. As published no page fault is handled in a batch; corrected it is.
var faulting = map[string][2]string{
	"uvm-ideal": {"ideal", "uvm"}, "flashneuron-uvm": {"flashneuron", "uvm"}, "deepum-uvm": {"deepum+", "uvm"}, "over-deepum": {"g10", "deepum+"},
}

func mean2(a, b float64) float64 { return (a + b) / 2 }

// average is the mean of a value of all analyses, times scale.
func average(at int, scale float64) value {
	return func(_ study.Look, outcome func(string) *study.Outcome) (mean float64, known bool) {
		for _, n := range studied {
			v, known := outcome(n.analysis()).Value(at)
			if !known {
				return 0, false
			}
			mean += scale * v / float64(len(studied))
		}
		return mean, true
	}
}

// over combines a value of some analyses, times scale.
func over(needs []Need, combine func(a, b float64) float64, at int, scale float64) value {
	return func(_ study.Look, outcome func(string) *study.Outcome) (value float64, known bool) {
		for i, n := range needs {
			v, known := outcome(n.analysis()).Value(at)
			if !known {
				return 0, false
			}
			if v *= scale; i > 0 {
				v = combine(value, v)
			}
			value = v
		}
		return value, true
	}
}

// networksOf returns the two studied convolutional networks, or the others.
func networksOf(convolutional bool) []Need {
	return slices.DeleteFunc(slices.Clone(studied), func(n Need) bool { return n.Convolutional() != convolutional })
}

// pairs calls yield with the times of two systems on the same workload and
// machine, wherever both run. It reports whether all values are known.
func pairs(ps []Point, look study.Look, a, b string, yield func(p *Point, ta, tb float64)) bool {
	for i := range ps {
		p := &ps[i]
		if p.System != a || p.Quantity != "iteration" {
			continue
		}
		ta, fits, known := look(&p.Point)
		if !known {
			return false
		}
		if !fits {
			continue
		}
		c := canvas{points: ps, look: look}
		tb, fits, known := c.find(func(q *Point) bool {
			return q.System == b && q.Quantity == p.Quantity && q.Model == p.Model && q.Batch == p.Batch && q.SSD == p.SSD &&
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

func (g *geomean) add(x float64) { g.logs, g.n = g.logs+portable.Log(x), g.n+1 }

func (g *geomean) value() float64 {
	if g.n == 0 {
		return 0
	}
	return portable.Exp(g.logs / float64(g.n))
}

// ratio is how fast a is compared with b, the geometric mean times scale.
func ratio(ps []Point, a, b string, scale float64) value {
	return func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
		var g geomean
		known := pairs(ps, look, a, b, func(_ *Point, ta, tb float64) { g.add(tb / ta) })
		return scale * g.value(), known && g.n > 0
	}
}

// best is the most that G10 is ahead of any of the systems.
func best(ps []Point, others ...string) value {
	return func(look study.Look, _ func(string) *study.Outcome) (most float64, known bool) {
		known = true
		for _, b := range others {
			known = known && pairs(ps, look, "g10", b, func(_ *Point, ta, tb float64) { most = math.Max(most, tb/ta) })
		}
		return most, known && most > 0
	}
}

// onModel returns the points on one model.
func onModel(ps []Point, model string) []Point {
	return slices.DeleteFunc(slices.Clone(ps), func(p Point) bool { return p.Model != model })
}

// unfit counts the models that a system cannot run.
func unfit(ps []Point, system string, models ...string) value {
	return func(look study.Look, _ func(string) *study.Outcome) (count float64, known bool) {
		for i := range ps {
			p := &ps[i]
			if p.System != system || p.Quantity != "iteration" || !slices.Contains(models, p.Model) {
				continue
			}
			_, fits, known := look(&p.Point)
			if !known {
				return 0, false
			}
			if !fits {
				count++
			}
		}
		return count, true
	}
}

// overHost is how fast G10 is compared with b, the geometric mean over networks
// and the host sizes wanted.
func overHost(ps []Point, b string, want func(gib int64) bool) value {
	return func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
		var g geomean
		known := pairs(ps, look, "g10", b, func(p *Point, ta, tb float64) {
			if want(p.HostGiB) {
				g.add(tb / ta)
			}
		})
		return g.value(), known && g.n > 0
	}
}

// slowedMost combines the shares of kernels that the systems slow by over 1 %.
func slowedMost(ps []Point, combine func(a, b float64) float64, systems ...string) value {
	return func(look study.Look, _ func(string) *study.Outcome) (value float64, known bool) {
		first := true
		for i := range ps {
			p := &ps[i]
			if p.Quantity != "slow_1" || !slices.Contains(systems, p.System) {
				continue
			}
			v, fits, known := look(&p.Point)
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

// atSSD is the least that G10 reaches of ideal at 12.8 GB/s.
func atSSD(ps []Point) value {
	return func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
		least := math.Inf(1)
		known := pairs(ps, look, "g10", "ideal", func(p *Point, ta, tb float64) {
			if p.SSD == 12_800_000_000 {
				least = math.Min(least, 100*tb/ta)
			}
		})
		return least, known && !math.IsInf(least, 1)
	}
}

// noiseLoss is the most that G10 loses by kernel times up to ±20 % off.
func noiseLoss(ps []Point) value {
	return func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
		loss := math.Inf(-1)
		for i := range ps {
			p := &ps[i]
			if p.Noise == 0 || p.Noise > 200 {
				continue
			}
			v, _, known := look(&p.Point)
			c := canvas{points: ps, look: look}
			base, _, also := c.find(func(q *Point) bool { return q.Noise == 0 && q.Model == p.Model && q.Batch == p.Batch })
			if !known || !also {
				return 0, false
			}
			loss = math.Max(loss, 100*(1-v/base))
		}
		return loss, !math.IsInf(loss, -1)
	}
}

// writes is how much more than G10 a system writes to the SSD.
func writes(ps []Point, system string) value {
	return func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
		var g geomean
		for i := range ps {
			p := &ps[i]
			if p.System != system || p.Quantity != "ssd_out" {
				continue
			}
			theirs, fits, known := look(&p.Point)
			c := canvas{points: ps, look: look}
			ours, _, also := c.find(func(q *Point) bool {
				return q.System == "g10" && q.Quantity == p.Quantity && q.Model == p.Model && q.Batch == p.Batch
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
