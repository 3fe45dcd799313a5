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
// accesses, and two parameters to AlexNet's slowdowns: those rows show that the
// numbers are consistent with the rule by which targets are chosen, no more. All
// other slowdowns were held out. Numbers that nothing here computes are listed with
// the reason.
package buddy

import (
	"math"

	"spillway/sim/compress"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// The designs, and what the paper calls the two suites.
const (
	ideal, naive, each, final = "ideal", "naive", "per-allocation", Design
	traffic                   = "bandwidth-only"

	deep, hpc = "Deep learning", "HPC"
)

// Design is the paper's final design, of which it publishes slowdowns.
const Design = "per-allocation-16x"

// Paper returns the paper as the laboratory "compress" reproduces it. Its setups
// name the laboratory's knobs.
func Paper() *study.Paper {
	p := &study.Paper{
		Fitted: func(x *study.Point) bool { return x.Note == fitted || x.Note == alexnet },
		Key:    "buddy", Short: "Buddy Compression (ISCA 2020)",
		Title:   "Buddy Compression: Enabling Larger Memory for Deep Learning and HPC Workloads on GPUs",
		About:   "Every number in its text, and Tables 1 and 2.",
		Remark:  "The contents of its programs are not public. Those of its two suites are fitted to the published means of ratios and accesses, so agreement there says only that the numbers are consistent; slowdowns, but for AlexNet's, are held out.",
		Systems: []string{ideal, naive, each, final, traffic},
		Names: map[string]string{
			ideal: "enough memory", naive: "one target", each: "per allocation", final: "final design", traffic: "bandwidth only",
			"ratio": "ratio", "optimistic_ratio": "optimistic ratio", "buddy_access_percent": "accesses", "slowdown_percent": "slowdown", "footprint_bytes": "footprint",
			"correlation": "correlation", "speedup": "speedup", "batch": "batch", threshold: "threshold", wholeCache: "size", carveOut: "size", maxRatio: "ratio",
			l2Line: "size", l2Sector: "size", memoryRate: "rate", linkRate: "rate", cacheSlice: "size", metadataLine: "size", other: "parameter",
		},
		Tolerance: 0.15, Rebuilt: 0.15, ClaimTolerance: 0.15, Cannot: "does not fit",
		Figures: figures(), Claims: claims(), Why: why,
	}
	for _, n := range numbers() {
		p.Points = append(p.Points, n.point())
	}
	p.Points = append(p.Points, tables()...)
	return p
}

// Reader takes from runs what the paper publishes: values of reports, and parameters of the
// setup that ran; analyses are of programs.
var Reader = study.Reader[[]compress.Program, *compress.Setup]{Measure: measure, Analyze: analyze}

// measure takes the points' values from a run.
func measure(points []study.Point, quantity study.Values, setup *compress.Setup) []float64 {
	values := make([]float64, len(points))
	for i := range points {
		key := points[i].Quantity
		if v, ok := parameter(key, setup); ok {
			values[i] = v
			continue
		}
		v, ok := quantity(key)
		switch {
		case !ok:
			v = math.NaN()
		case key == "footprint_bytes":
			v /= float64(unit.GB)
		}
		values[i] = v
	}
	return values
}

// figures lists them in the order of the paper.
func figures() []study.Figure {
	runs := []study.Run{{Name: "dl", Set: "contents=dl"}, {Name: "hpc", Set: "contents=hpc"}}
	return []study.Figure{
		{
			ID: "T1", Title: "Programs and their footprints", Section: "§2.1", Kind: study.Table,
			Says: "Ten programs of high performance computing and six networks in training need 1 to 11 GB.",
		},
		{
			ID: "3", Title: "What compression could reach", Section: "§3.1", Kind: study.Bars, Axes: study.Axes{Y: "×"}, Marks: bars("3"),
			Says: "Deep learning could nearly double its memory, HPC more than that.", Remark: "Means alone: values of single programs are only in the paper's drawing.",
		},
		{
			ID: "5b", Title: "Metadata in the cache, over its size", Section: "§3.2", Kind: study.Curves, Analyses: runs, Panels: []string{deep, hpc},
			Axes: study.Axes{X: "metadata cache, KiB", Y: "%", LogX: true, Most: 100, Left: 16, Right: 1024},
			Says: "Most programs find nearly all metadata in a cache of 64 KB.", Remark: "Values are only in the paper's drawing. Here accesses that follow each other miss once a line, and scattered ones hit as far as the cache reaches; that a quarter of those of 351.palm and 355.seismic are scattered is assumed.",
		},
		{
			ID: "7a", Title: "What designs reach: ratios", Section: "§3.4, §3.5", Kind: study.Bars, Axes: study.Axes{Y: "×"}, Marks: bars("7a"), Analyses: runs[1:],
			Says: "Targets for each allocation, and 16x for those that are mostly zero, give more memory than one target for all.", Remark: "The paper draws ratios and accesses in one figure.",
		},
		{
			ID: "7b", Title: "What designs reach: accesses to the buddy memory", Section: "§3.4, §3.5", Kind: study.Bars, Axes: study.Axes{Y: "%"}, Marks: bars("7b"),
			Says: "Targets for each allocation need the buddy memory far less often than one target for all.", Remark: "As in the paper, of all entries alike.",
		},
		{
			ID: "8", Title: "Two networks over an iteration", Section: "§3.4", Kind: study.Bars, Axes: study.Axes{Y: "×"}, Marks: bars("8"),
			Says: "Ratios are constant, because targets are.", Remark: "The paper draws accesses over the iteration, without values; contents that change over it are not modeled.",
		},
		{
			ID: "9", Title: "Ratio and accesses over the Buddy Threshold", Section: "§3.4", Kind: study.Curves, Analyses: runs, Panels: []string{ratios, accesses},
			Axes: study.Axes{X: "Buddy Threshold, %", Left: thresholds[0], Right: thresholds[len(thresholds)-1]},
			Says: "A higher threshold gives deep learning more memory and more accesses to the buddy memory; HPC hardly changes.", Remark: "Values are only in the paper's drawing. Fitted contents are of six kinds, so something changes only where the threshold passes one of them: that HPC needs the buddy memory above 35 % is of the fit, not of the paper.",
		},
		{
			ID: "10", Title: "The paper's simulator", Section: "§4.1", Kind: study.Table,
			Says: "Its simulator correlates with a V100.", Remark: "Spillway has no such simulator: slowdowns here are those of memory traffic.",
		},
		{
			ID: "T2", Title: "Parameters of the simulation", Section: "§4.1", Kind: study.Table,
			Says: "A GPU like a P100 with the memory and the links of a V100.", Remark: "Parameters that this laboratory has, as a run by default has them; the others are not modeled.",
		},
		{
			ID: "11", Title: "Slowdown over the rate of the link", Section: "§4.2", Kind: study.Curves, Analyses: runs, Marks: overLink, Panels: []string{"AlexNet", deep, hpc},
			Axes: study.Axes{X: "link, GB/s", Y: "slowdown, %", Least: -10}, Colors: map[string]string{bandwidthSeries: "part-4"},
			Says: "At 150 GB/s the cost is 1 to 2 %, at 50 GB/s more than 20 %.", Remark: "With the 0.08 % of accesses that HPC programs are published to need, the link alone cannot cost them more than 1.5 % at 50 GB/s: the mean of more than 20 % must be that of deep learning, or of something that the text does not say. It does say that FF_HPGMG-FV copies over the link without Buddy Compression too, which is not modeled.",
		},
		{
			ID: "13", Title: "Larger batches in training", Section: "§4.4", Kind: study.Table,
			Says: "With more memory larger batches fit, which makes training 14 % faster in the mean.",
		},
	}
}

// bars draws a figure's points: a group for what they are about, a bar a design.
func bars(figure string) func(study.Look) []study.Mark {
	return func(look study.Look) []study.Mark {
		var marks []study.Mark
		for _, n := range numbers() {
			p := n.point()
			if p.Figure != figure || p.NotComputed != "" {
				continue
			}
			m := study.Mark{Panel: p.Of, Series: seriesOf[p.System], System: p.System}
			m.Y, m.Fits, m.Known = look(&p)
			marks = append(marks, m)
		}
		return marks
	}
}

var seriesOf = map[string]string{naive: "One target", each: "Per allocation", final: "Final design"}
