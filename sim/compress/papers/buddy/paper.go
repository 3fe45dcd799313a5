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
	"spillway/sim/study"
)

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
		naive, each, final = "naive", "per-allocation", "per-allocation-16x"
		dl, hpc            = "Deep learning", "HPC"
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
		Names:     map[string]string{"ratio": "ratio", "optimistic_ratio": "optimistic ratio", "buddy_access_percent": "accesses", "slowdown_percent": "slowdown"},
		Tolerance: 0.15, Rebuilt: 0.15, ClaimTolerance: 0.15, Cannot: "does not fit",
		Figures: []study.Figure{
			{ID: "3", Title: "What compression could reach", Section: "§3.1", Kind: study.Table, Says: "Deep learning could nearly double its memory, HPC more than that."},
			{ID: "7", Title: "What designs reach", Section: "§3.4, §3.5", Kind: study.Table, Says: "Targets for each allocation, and 16x for those that are mostly zero, give more memory with fewer accesses to the buddy memory than one target for all."},
			{ID: "8", Title: "Two networks over an iteration", Section: "§3.4", Kind: study.Table, Says: "Ratios are constant, because targets are.", Remark: "Contents that change over an iteration are not modeled."},
			{ID: "11", Title: "Slowdown", Section: "§4.2", Kind: study.Table, Says: "At 150 GB/s the cost is 1 to 2 %, at 50 GB/s more than 20 %."},
		},
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
	// Runs that only claims need.
	p.Claims = []study.Claim{claim(p, "dl-50", "Deep learning at 50 GB/s slows down by", "> 20 %", "%", 20, 40, "dl link=50"), claim(p, "dl-200", "Deep learning at 200 GB/s slows down by", "about −2 % over all programs", "%", -4, 1, "dl link=200")}
	return p
}

// claim is one about the slowdown of a run. Its point publishes nothing itself.
func claim(p *study.Paper, id, text, stated, unit string, lo, hi float64, set string) study.Claim {
	at := len(p.Points)
	p.Points = append(p.Points, study.Point{
		Figure: "11", Quantity: "slowdown_percent", System: "per-allocation-16x", Set: "contents=" + set, Of: "Deep learning", At: id,
		Fits: true, Value: (lo + hi) / 2, Unit: unit, Limit: (hi - lo) / (hi + lo), Note: "A bound in the text.",
	})
	return study.Claim{
		ID: id, Figure: "11", Section: "§4.2", Text: text, Stated: stated, Lo: lo, Hi: hi, Unit: unit,
		Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
			v, _, known := look(&p.Points[at])
			return v, known
		},
	}
}
