package buddy

import (
	"fmt"

	"spillway/sim/compress"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// A number is one that the text publishes.
type number struct {
	figure, of, at, quantity, system string
	contents                         string         // what runs
	link                             unit.Bandwidth // in GB/s, 0 for the paper's
	value                            float64
	unit                             string
	limit                            float64
	note                             string
	aside                            string // why nothing here computes it
}

const (
	fitted  = "the contents are fitted to this"
	heldOut = "held out"
	alexnet = "the share of time bound by memory, and how much of an overflowing entry lies in the buddy memory, are fitted to AlexNet's two slowdowns"
)

// numbers lists them in the order of the paper. Limits: ratios of deep learning 3 %,
// of HPC 15 %, accesses one point, slowdowns half a point.
func numbers() []number {
	ratio := func(figure, of, at, system, contents string, value, limit float64) number {
		return number{figure: figure, of: of, at: at, quantity: "ratio", system: system, contents: contents, value: value, unit: "×", limit: limit, note: fitted}
	}
	access := func(figure, of, at, system, contents string, value, limit float64) number {
		return number{figure: figure, of: of, at: at, quantity: "buddy_access_percent", system: system, contents: contents, value: value, unit: "%", limit: limit, note: fitted}
	}
	slow := func(of, contents string, link unit.Bandwidth, value float64, note string) number {
		at := "150 GB/s"
		if link > 0 {
			at = fmt.Sprintf("%d GB/s", link)
		}
		return number{figure: "11", of: of, at: at, quantity: "slowdown_percent", system: final, contents: contents, link: link, value: value, unit: "%", limit: 0.5 / value, note: note}
	}
	optimistic := func(of, contents string, value, limit float64) number {
		return number{figure: "3", of: of, at: "optimistic", quantity: "optimistic_ratio", system: final, contents: contents, value: value, unit: "×", limit: limit, note: fitted}
	}
	aside := func(figure, of, at, quantity string, value float64, unit, why string) number {
		return number{figure: figure, of: of, at: at, quantity: quantity, value: value, unit: unit, aside: why}
	}
	const simulator = "nothing here simulates the GPU's cores"
	return []number{
		optimistic(hpc, "hpc", 2.51, 0.15), optimistic(deep, "dl", 1.85, 0.03),
		ratio("7a", hpc, "naive: ratio", naive, "hpc", 1.57, 0.15), ratio("7a", deep, "naive: ratio", naive, "dl", 1.18, 0.03),
		access("7b", hpc, "naive: accesses", naive, "hpc", 8, 1./8), access("7b", deep, "naive: accesses", naive, "dl", 32, 1./32),
		ratio("7a", hpc, "per allocation: ratio", each, "hpc", 1.7, 0.15), ratio("7a", deep, "per allocation: ratio", each, "dl", 1.42, 0.03),
		ratio("7a", hpc, "final: ratio", final, "hpc", 1.9, 0.15), ratio("7a", deep, "final: ratio", final, "dl", 1.5, 0.03),
		access("7b", hpc, "final: accesses", final, "hpc", 0.08, 0.15), access("7b", deep, "final: accesses", final, "dl", 4, 1./4),
		ratio("7a", "354.cg", "per allocation: ratio", each, "354-cg", 1.1, 0.03), ratio("7a", "370.bt", "per allocation: ratio", each, "370-bt", 1.3, 0.03),
		ratio("8", "ResNet50", "ratio", final, "resnet50", 1.64, 0.03), ratio("8", "SqueezeNet", "ratio", final, "squeezenet-v1-1", 1.49, 0.03),
		aside("9", "FF_HPGMG-FV", "for its largest ratio, at least", threshold, 80, "%", "fitted contents have no stripes, which are why it would need that"),
		aside("10", "the paper's simulator", "with a V100", "correlation", 0.989, "r", simulator),
		aside("10", "GPGPU-Sim", "with a V100", "correlation", 0.948, "r", simulator),
		access("11", "AlexNet", "accesses", final, "alexnet", 5.4, 0.05),
		slow("AlexNet", "alexnet", 0, 6.5, alexnet), slow("AlexNet", "alexnet", 50, 35, alexnet),
		slow(deep, "dl", 0, 2.2, heldOut), slow(hpc, "hpc", 0, 1, heldOut),
		aside("13", "six networks", "mean", "speedup", 14, "%", caseStudy),
		aside("13", "BigLSTM", "", "speedup", 28, "%", caseStudy),
		aside("13", "VGG16", "", "speedup", 30, "%", caseStudy),
		aside("13", "AlexNet", "where its footprint grows", "batch", 96, "samples", caseStudy),
		aside("13", "the others", "where footprints grow, at most", "batch", 32, "samples", caseStudy),
	}
}

// caseStudy is why §4.4 is not computed.
const caseStudy = "it takes footprint and speed of each network over the batch, which are published as drawings only, the speed from a model that the text does not describe; the footprints of Table 1 come without their batches"

// point is the number as the study knows it.
func (n *number) point() study.Point {
	p := study.Point{
		Figure: n.figure, Quantity: n.quantity, System: n.system, Of: n.of, At: n.at,
		Fits: true, Value: n.value, Unit: n.unit, Limit: n.limit, Note: n.note, NotComputed: n.aside,
	}
	if n.aside == "" {
		p.Set = "contents=" + n.contents
	}
	if n.link > 0 {
		p.Set += fmt.Sprintf(" link=%d", n.link)
	}
	return p
}

// A Slowdown is a published one of the final design.
type Slowdown struct {
	Link    unit.Bandwidth
	Percent float64
}

// Slowdowns returns what is published about contents, by the name that they have in
// setups, over the rate of the link.
func Slowdowns(contents string) []Slowdown {
	var list []Slowdown
	for _, n := range numbers() {
		if n.quantity == "slowdown_percent" && n.contents == contents {
			list = append(list, Slowdown{n.rate(), n.value})
		}
	}
	return list
}

// rate is the link's of the number's run.
func (n *number) rate() unit.Bandwidth {
	if n.link == 0 {
		s := compress.Published()
		return s.Link
	}
	return n.link * unit.GBps
}

// overLink draws the published slowdowns over the rate of the link.
func overLink(look study.Look) []study.Mark {
	var marks []study.Mark
	for _, n := range numbers() {
		if n.quantity != "slowdown_percent" {
			continue
		}
		p := n.point()
		m := study.Mark{Panel: n.of, Series: buddySeries, System: final, X: float64(n.rate() / unit.GBps)}
		m.Y, m.Fits, m.Known = look(&p)
		marks = append(marks, m)
	}
	return marks
}
