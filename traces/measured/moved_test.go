package measured

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
)

// A move is one thing that was measured on two GPUs, either of them as what was recorded.
type move struct{ from, to *measurement }

// moves are all of them among measurements, in the order of the table.
func moves(ms []measurement) (list []move) {
	groups := map[string][]int{}
	for i := range ms {
		var key []string
		for column, cell := range ms[i].Row {
			if column != "gpu" && column != "source" && column != columnTime && column != columnRate {
				key = append(key, column+"="+cell)
			}
		}
		slices.Sort(key)
		text := strings.Join(key, ",")
		for _, k := range groups[text] {
			if ms[k].Row["gpu"] != ms[i].Row["gpu"] {
				list = append(list, move{&ms[k], &ms[i]}, move{&ms[i], &ms[k]})
			}
		}
		groups[text] = append(groups[text], i)
	}
	return list
}

// byShape is the moved time over the measured one: of kernels and, turned around, of rates.
func (m *move) byShape() float64 {
	ratio := m.from.published * m.to.result.Value / m.from.result.Value / m.to.published
	if m.from.Row["class"] == "" {
		return 1 / ratio
	}
	return ratio
}

// byClass is the same where only a kernel's class is known.
func (m *move) byClass() float64 {
	p, _ := kerneltime.ParsePrecision(m.from.Row["precision"])
	ks, _, _ := kernels(p, m.from.Row)
	was := unit.Time(m.from.published * float64(unit.Microsecond))
	is := kerneltime.MovedByClass(was, m.from.result.GPU, m.to.result.GPU, kerneltime.Policy{Precision: p, Setting: kerneltime.Alone}, ks[0].Class, p.Element())
	return microseconds(is) / m.to.published
}

// movedSets are what is judged together.
var movedSets = []struct {
	name, file string
	of         func(Row) bool
}{
	{"products, fp32, between P100 and V100, and V100, A100 and H100", "micro.csv", is("class=gemm", "precision=fp32")},
	{"products, 16 bit, A100 and H100", "micro.csv", is("class=gemm", "precision=fp16")},
	{"pointwise, P100, V100, A100 and H100", "micro.csv", is("class=elementwise", points)},
	{"norm and softmax", "micro.csv", is("class=elementwise", norms)},
	{"FlashAttention, A100 and H100", "micro.csv", is("class=attention", "op=fa1|fa2|fa3")},
	{"networks of images, RTX 3090 and 4090, V100, A100 and H100", "e2e.csv", is("kind=conv/vit")},
	{"BERT", "e2e.csv", is("kind=bert")},
	{"MPT, A100 and H100", "e2e.csv", is("kind=llm")},
}

const movedHead = `
## Times moved from one GPU to another

What was measured on one GPU, times the law of another over the law of the first, over what was measured there: how recordings are moved to another GPU. Nothing was fitted to such pairs. "By class" is where shapes are not known, "law alone" what the law says of the same rows without a measurement.

| rows | pairs | by shape: bias | median | 80 % | 90 % | by class: bias | median | 80 % | 90 % | law alone: median | 80 % | 90 % |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`

// movedTable is the table of moved times.
func movedTable(t *testing.T, all map[string][]measurement) string {
	var text strings.Builder
	text.WriteString(movedHead)
	for _, x := range movedSets {
		var ms []measurement
		for _, m := range all[x.file] {
			if x.of(m.Row) {
				ms = append(ms, m)
			}
		}
		var shape, class, alone []float64
		for _, m := range moves(ms) {
			shape, alone = append(shape, m.byShape()), append(alone, m.to.ratio())
			if m.from.Row["class"] != "" {
				class = append(class, m.byClass())
			}
		}
		if len(shape) == 0 {
			t.Errorf("%s: no pairs", x.name)
			continue
		}
		s, c, a := spreadOfRatios(shape), spreadOfRatios(class), spreadOfRatios(alone)
		by := "| | | | "
		if len(class) > 0 {
			by = fmt.Sprintf("| x%.2f | %.0f | %.0f | %.0f ", c.bias(), c.within(0.5), c.within(0.8), c.within(0.9))
		}
		fmt.Fprintf(&text, "| %s | %d | x%.2f | %.0f | %.0f | %.0f %s| %.0f | %.0f | %.0f |\n", x.name, len(shape)/2, s.bias(), s.within(0.5), s.within(0.8), s.within(0.9), by, a.within(0.5), a.within(0.8), a.within(0.9))
	}
	return text.String()
}

// Eight of ten networks that were measured on two GPUs lie inside the band of a moved time.
func TestMovedBand(t *testing.T) {
	for kind, of := range map[string]kerneltime.Kind{"conv/vit": kerneltime.Images, "bert": kerneltime.Transformer, "llm": kerneltime.Language} {
		var ms []measurement
		for _, m := range measurements(t, "e2e.csv", columnRate) {
			if m.Row["kind"] == kind {
				ms = append(ms, m)
			}
		}
		var off []float64
		for _, m := range moves(ms) {
			off = append(off, 100*max(m.byShape()-1, 1-m.byShape())/float64(kerneltime.MovedBand(of, m.from.result.GPU, m.to.result.GPU, 0)))
		}
		slices.Sort(off)
		if at := off[max(0, (len(off)*8+9)/10-1)]; at > 1 || at < 0.4 {
			t.Errorf("%s: eight of ten of %d are within %.2f of the band", kind, len(off), at)
		}
	}
}

// Eight of ten kernels that were measured on two GPUs lie inside the band of their class, by shape and
// where only the class is known, and the band is not twice as wide as that.
func TestClassBand(t *testing.T) {
	for _, x := range movedSets[:5] {
		var ms []measurement
		for _, m := range measurements(t, x.file, columnTime) {
			if x.of(m.Row) {
				ms = append(ms, m)
			}
		}
		for _, shaped := range []bool{true, false} {
			var off []float64
			for _, m := range moves(ms) {
				p, _ := kerneltime.ParsePrecision(m.from.Row["precision"])
				ks, _, _ := kernels(p, m.from.Row)
				ratio := m.byClass()
				if shaped {
					ratio = m.byShape()
				}
				off = append(off, 100*max(ratio-1, 1-ratio)/float64(kerneltime.ClassBand(ks[0].Class, m.from.result.GPU, m.to.result.GPU, shaped)))
			}
			slices.Sort(off)
			if at := off[max(0, (len(off)*8+9)/10-1)]; at > 1 || at < 0.5 {
				t.Errorf("%s, shaped %v: eight of ten of %d are within %.2f of the band", x.name, shaped, len(off), at)
			}
		}
	}
}
