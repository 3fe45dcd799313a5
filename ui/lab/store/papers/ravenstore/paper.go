package ravenstore

import (
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/store"
	"spillway/sim/study"
	"spillway/sim/unit"
)

// system is the policy that everything runs with: without a choice of victims
// all are the same.
const system = "fifo"

// Paper returns the report as the laboratory "store" reproduces it. Its setups
// name the laboratory's knobs.
func Paper() *study.Paper {
	p := &study.Paper{
		Key: "ravenstore", Short: "Ravenstore (2023)",
		Title:   "GPU Memory Harvesting for Global Memory Cache in Deep Learning Clusters",
		About:   "Tables 1 and 2 of the report.",
		Remark:  "The report publishes no end-to-end result: no training, no comparison of policies, no hit rate.",
		Systems: []string{system}, Names: map[string]string{system: "FIFO", "allocation": "time"},
		Tolerance: 0.04, Rebuilt: 0.04, ClaimTolerance: 0.04, Cannot: "does not fit",
		Fitted: study.FittedIn("T1", "T2"), // its costs are what these tables say
		Figures: []study.Figure{
			{
				ID: "T1", Title: "Pairs of allocation and free", Section: "§5.1", Kind: study.Table,
				Says:   "Through the store a pair takes about 1.6 times as long as with the driver's own allocator.",
				Remark: "Two parameters a system, fitted to four values each: how well a line fits is what this tests.",
			},
			{
				ID: "T2", Title: "Allocation with and without eviction", Section: "§5.2", Kind: study.Table,
				Says:   "An eviction takes 6 to 8 ms on top.",
				Remark: "Two sizes define two lines: this table is a definition of the costs, not a validation. Only the arithmetic is tested.",
			},
		},
	}
	for _, x := range Points() {
		p.Points = append(p.Points, x.point())
	}
	value := func(look study.Look, who string) (float64, bool) {
		for i := range p.Points {
			if x := &p.Points[i]; x.Of == who && x.At == "10000 pairs" {
				v, _, known := look(x)
				return v, known
			}
		}
		return 0, false
	}
	p.Claims = []study.Claim{{
		ID: "ratio", Figure: "T1", Section: "§5.1", Text: "A pair of allocation and free through the store takes, of the time that it takes natively",
		Stated: "1.6×", Lo: 1.55, Hi: 1.65, Unit: "×",
		Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
			ours, known := value(look, who["ravenstore"])
			native, also := value(look, who["cuda"])
			if !known || !also || native == 0 {
				return 0, false
			}
			return ours / native, true
		},
	}}
	return p
}

// Reader takes from reports what the tables print, in ms.
var Reader = study.Reader[struct{}, struct{}]{Measure: func(points []study.Point, quantity study.Values, _ struct{}) []float64 {
	values := make([]float64, len(points))
	for i := range points {
		s, _ := quantity("last_client_s")
		values[i] = 1000 * s
	}
	return values
}}

var who = map[string]string{"cuda": "CUDA's own allocator", "ravenstore": "Ravenstore"}

// point is a published value as the study of the laboratory knows it.
func (p Point) point() study.Point {
	s := store.Published()
	if p.System == "cuda" {
		s = store.Native()
	}
	pairs := []knob.Pair{{Key: "workload", Text: "pairs"}, {Key: "pairs", Text: fmt.Sprint(p.Count)}}
	x := study.Point{
		Figure: fmt.Sprintf("T%d", p.Table), Quantity: "allocation", System: system, Fits: true,
		Value: float64(p.Value) / float64(unit.Millisecond), Unit: "ms", Limit: float64(p.Tolerance()) / 1000,
		Of: who[p.System], At: fmt.Sprintf("%d pairs", p.Count),
	}
	if p.Table == 2 {
		s.Start = 0 // measured later in the process
		// Room for one tensor, and a text of it in GiB that is exact.
		const step = 16 * unit.MiB
		s.GPU = (2*s.Client + p.Bytes + step - 1) / step * step
		evicts := "0"
		x.At = fmt.Sprintf("%d MB", p.Bytes/unit.MB)
		if p.Eviction {
			evicts = "1"
			x.At += ", with eviction"
		}
		pairs = []knob.Pair{{Key: "workload", Text: "allocation"}, {Key: "evicts", Text: evicts}}
	}
	pairs = append(pairs, knob.Pair{Key: "bytes", Text: knob.Decimal(int64(p.Bytes), int64(unit.MB))})
	for _, k := range store.Knobs() {
		pairs = append(pairs, knob.Pair{Key: k.Key, Text: k.Text(&s)})
	}
	x.Set = knob.Join(pairs, " ")
	return x
}
