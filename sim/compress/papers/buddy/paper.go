// Package buddy holds what the Buddy Compression paper publishes as numbers, and the
// runs that reproduce them.
//
// # Source
//
// Choukse, Sullivan, O'Connor, Erez, Pool, Nellans, Keckler: Buddy Compression:
// Enabling Larger Memory for Deep Learning and HPC Workloads on GPUs (ISCA 2020).
// What its plots show of single programs is not in its text and not here.
//
// # What the comparison is worth
//
// The contents of the two suites are fitted to the published means of ratios and
// accesses, and one parameter to AlexNet's slowdowns: those rows show that the
// numbers are consistent with the rule by which targets are chosen, no more. All
// other slowdowns were held out.
package buddy

import (
	"spillway/sim/compress"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// The paper's final design.
const final = "per-allocation-16x"

// A published number.
type published struct {
	figure, of, at, quantity, system, set string
	value                                 float64
	unit                                  string
	limit                                 float64
	note                                  string
}

const (
	fitted  = "The contents are fitted to this."
	latency = "Held out. The model has no latency: decompression and metadata cost nothing in it but traffic, so that programs which compress well become faster."
)

// numbers lists them in the order of the paper.
func numbers() []published {
	const (
		naive, each = "naive", "per-allocation"
		dl, hpc     = "Deep learning", "HPC"
	)
	ratio := func(figure, of, at, system, set string, value, limit float64) published {
		return published{figure, of, at, "ratio", system, "contents=" + set, value, "×", limit, fitted}
	}
	access := func(figure, of, at, system, set string, value, limit float64) published {
		return published{figure, of, at, "buddy_access_percent", system, "contents=" + set, value, "%", limit, fitted}
	}
	slow := func(of, at, set string, value, limit float64, note string) published {
		return published{"11", of, at, "slowdown_percent", final, "contents=" + set, value, "%", limit, note}
	}
	optimistic := func(of, set string, value, limit float64) published {
		return published{"3", of, "optimistic", "optimistic_ratio", final, "contents=" + set, value, "×", limit, fitted}
	}
	return []published{
		optimistic(hpc, "hpc", 2.51, 0.15), optimistic(dl, "dl", 1.85, 0.03),
		ratio("7", hpc, "naive: ratio", naive, "hpc", 1.57, 0.15), ratio("7", dl, "naive: ratio", naive, "dl", 1.18, 0.03),
		access("7", hpc, "naive: accesses", naive, "hpc", 8, 0.15), access("7", dl, "naive: accesses", naive, "dl", 32, 0.1),
		ratio("7", hpc, "per allocation: ratio", each, "hpc", 1.7, 0.15), ratio("7", dl, "per allocation: ratio", each, "dl", 1.42, 0.03),
		ratio("7", hpc, "final: ratio", final, "hpc", 1.9, 0.15), ratio("7", dl, "final: ratio", final, "dl", 1.5, 0.03),
		access("7", hpc, "final: accesses", final, "hpc", 0.08, 0.15), access("7", dl, "final: accesses", final, "dl", 4, 0.25),
		ratio("7", "354.cg", "per allocation: ratio", each, "354-cg", 1.1, 0.03), ratio("7", "370.bt", "per allocation: ratio", each, "370-bt", 1.3, 0.03),
		ratio("8", "ResNet50", "ratio", final, "resnet50", 1.64, 0.03), ratio("8", "SqueezeNet", "ratio", final, "squeezenet-v1-1", 1.49, 0.03),
		access("11", "AlexNet", "accesses", final, "alexnet", 5.4, 0.05),
		slow("AlexNet", "150 GB/s", "alexnet", 6.5, 0.08, "The share of time bound by memory is fitted to this and the next."),
		slow("AlexNet", "50 GB/s", "alexnet link=50", 35, 0.015, "The share of time bound by memory is fitted to this and the one before."),
		slow(dl, "150 GB/s", "dl", 2.2, 0.25, "Held out."),
		slow(hpc, "150 GB/s", "hpc", 1, 0.5, latency),
	}
}

// Paper returns the paper as the laboratory "compress" reproduces it. Its setups
// name the laboratory's knobs.
func Paper() *study.Paper {
	p := &study.Paper{
		Key: "buddy", Short: "Buddy Compression (ISCA 2020)",
		Title:     "Buddy Compression: Enabling Larger Memory for Deep Learning and HPC Workloads on GPUs",
		About:     "The numbers in its text: §3.1, §3.4, §3.5 and §4.2.",
		Remark:    "The contents of its programs are not public. Those of its two suites are fitted to the published means of ratios and accesses, so agreement there says only that the numbers are consistent; slowdowns, but for AlexNet's, are held out.",
		Systems:   []string{"naive", "per-allocation", "per-allocation-16x"},
		Names:     map[string]string{"naive": "one target", "per-allocation": "per allocation", "per-allocation-16x": "final design", "ratio": "ratio", "optimistic_ratio": "optimistic ratio", "buddy_access_percent": "accesses", "slowdown_percent": "slowdown"},
		Tolerance: 0.15, Rebuilt: 0.15, ClaimTolerance: 0.15, Cannot: "does not fit",
		Figures: []study.Figure{
			{ID: "3", Title: "What compression could reach", Section: "§3.1", Kind: study.Table, Says: "Deep learning could nearly double its memory, HPC more than that."},
			{ID: "7", Title: "What designs reach", Section: "§3.4, §3.5", Kind: study.Table, Says: "Targets for each allocation, and 16x for those that are mostly zero, give more memory with fewer accesses to the buddy memory than one target for all."},
			{ID: "8", Title: "Two networks over an iteration", Section: "§3.4", Kind: study.Table, Says: "Ratios are constant, because targets are.", Remark: "Contents that change over an iteration are not modeled."},
			{ID: "11", Title: "Slowdown", Section: "§4.2", Kind: study.Table, Says: "At 150 GB/s the cost is 1 to 2 %, at 50 GB/s more than 20 %.", Remark: "With the 0.08 % of accesses that HPC programs are published to need, the link alone cannot cost them more than 1.5 % at 50 GB/s: the mean of more than 20 % must be that of deep learning, or of something that the text does not say."},
		},
		Why: func(r *study.Row) string { return r.Note },
		Measure: func(points []study.Point, quantity func(string) (float64, bool), _ any) []float64 {
			values := make([]float64, len(points))
			for i := range points {
				values[i], _ = quantity(points[i].Quantity)
			}
			return values
		},
	}
	for _, n := range numbers() {
		p.Points = append(p.Points, study.Point{
			Figure: n.figure, Quantity: n.quantity, System: n.system, Set: n.set, Of: n.of, At: n.at,
			Fits: true, Value: n.value, Unit: n.unit, Limit: n.limit, Note: n.note,
		})
	}
	p.Figures[3].Analyses = []study.Run{{Name: "dl", Set: "contents=dl"}, {Name: "hpc", Set: "contents=hpc"}}
	p.Analyze = func(run string, w any) (*study.Outcome, error) { return overLinks(run, w.([]compress.Program)) }
	p.Claims = claims()
	return p
}

// links are the rates at which the text states means, GB/s.
var links = [...]unit.Bandwidth{50, 200}

// overLinks returns the mean slowdown of a suite in percent at each of links, and how
// many programs it has.
func overLinks(run string, programs []compress.Program) (*study.Outcome, error) {
	v, err := compress.Find(final)
	if err != nil {
		return nil, err
	}
	o := &study.Outcome{Run: run, Fits: true}
	for _, rate := range links {
		s := compress.Published()
		s.Link = rate * unit.GBps
		var list []*compress.Result
		for i := range programs {
			list = append(list, compress.Run(&programs[i], &s, &v))
		}
		o.Values = append(o.Values, 100*compress.Summarize(list).Slowdown)
	}
	o.Values = append(o.Values, float64(len(programs)))
	return o, nil
}

// claims are what the text states about means at other rates of the link.
func claims() []study.Claim {
	// mean is that over suites, weighted by their programs.
	mean := func(at int, suites ...string) func(study.Look, func(string) *study.Outcome) (float64, bool) {
		return func(_ study.Look, outcome func(string) *study.Outcome) (float64, bool) {
			var sum, count float64
			for _, s := range suites {
				v, known := outcome(s).Value(at)
				n, also := outcome(s).Value(len(links))
				if !known || !also {
					return 0, false
				}
				sum, count = sum+n*v, count+n
			}
			return sum / count, true
		}
	}
	return []study.Claim{
		{
			ID: "dl-50", Figure: "11", Section: "§4.2", Text: "At 50 GB/s the mean slowdown, of deep learning, is", Stated: "more than 20 %", Lo: 20, Hi: 100, Unit: "%",
			Value: mean(0, "dl"),
		},
		{
			ID: "all-50", Figure: "11", Section: "§4.2", Text: "At 50 GB/s the mean slowdown, of all programs, is", Stated: "more than 20 %", Lo: 20, Hi: 100, Unit: "%",
			Value: mean(0, "dl", "hpc"),
		},
		{
			ID: "all-200", Figure: "11", Section: "§4.2", Text: "At 200 GB/s the mean slowdown, of all programs, is", Stated: "2 % faster", Lo: -2.5, Hi: -1.5, Unit: "%",
			Value: mean(1, "dl", "hpc"),
		},
	}
}
