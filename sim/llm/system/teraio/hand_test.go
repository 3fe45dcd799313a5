package teraio

import (
	"slices"
	"testing"

	"spillway/sim/llm/offload"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// hand is ten kernels of 10 ps, with sizes in pages. Tensor 0 (40) is used by kernels 0 and 9, tensor 1 (20)
// by 1 and 8, tensor 2 (10, global) by 4; tensor 3 (50) lives in kernels 4 to 6.
func hand() *workload.Workload {
	w := &workload.Workload{Tensors: []workload.Tensor{
		{Name: "a", Bytes: 40 * unit.Page}, {Name: "b", Bytes: 20 * unit.Page}, {Name: "weight", Bytes: 10 * unit.Page, Global: true}, {Name: "most", Bytes: 50 * unit.Page}, {Name: "small", Bytes: 1},
	}}
	for range 10 {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: 10, Inputs: []workload.TensorID{4}})
	}
	out := func(k int, t workload.TensorID) { w.Kernels[k].Outputs = append(w.Kernels[k].Outputs, t) }
	in := func(k int, t workload.TensorID) { w.Kernels[k].Inputs = append(w.Kernels[k].Inputs, t) }
	out(0, 0)
	in(9, 0)
	out(1, 1)
	in(8, 1)
	in(4, 2)
	out(4, 3)
	in(6, 3)
	return w
}

// Pages over time are 51 71 71 71 121 121 121 71 71 51. At 80 three kernels of 10 ps are above.
// At 2 pages a picosecond both ways a takes 20 ps, leaves in kernels 1 and 2 and comes back in 7
// and 8: away in 3 to 6, its score is 40 × 30 / 40 = 30. That of b is 20 × 30 / 20 = 30 too: the
// larger goes first. Then b leaves in kernel 3 and comes back in 6, which is still 1 above: the
// weight leaves in 5 and comes back in 3 of the next iteration.
func TestHand(t *testing.T) {
	times := slices.Repeat([]int64{10}, 10)
	g := newGraph(hand(), 5*unit.Page)
	for k, want := range []unit.Bytes{51, 71, 71, 71, 121, 121, 121, 71, 71, 51} {
		if g.live[k] != want*unit.Page {
			t.Fatalf("at kernel %d %d bytes are alive, want %d pages", k, g.live[k], want)
		}
	}
	const rate = 2 * unit.Bandwidth(unit.Page) * unit.Bandwidth(unit.Second)
	p := &planner{graph: g, budget: budget{capacity: 80, ssd: true, read: rate, write: rate}}
	const slow = rate / 8
	for _, tt := range []struct {
		name      string
		capacity  unit.Bytes
		ssd, host unit.Bandwidth
		limit     unit.Bytes
		moves     []move
		most      unit.Bytes // above the capacity after all
	}{
		{"three", 80, rate, 0, 0, []move{{1, 3, 7, offload.SSD}, {2, 4, 6, offload.SSD}, {3, 6, 13, offload.SSD}}, 0},
		{"one", 81, rate, 0, 0, []move{{1, 3, 7, offload.SSD}}, 0},
		{"none", 121, rate, 0, 0, nil, 0},
		// Drives that take 160 ps for a and 80 ps for b are of no use for the periods of 80 and 60
		// ps. Those 40 ps for the weight leave no kernel above the capacity.
		{"slow", 80, slow, 0, 0, nil, 41},
		{"host", 80, slow, rate, 70, []move{{1, 3, 7, offload.Host}, {2, 4, 6, offload.Host}, {3, 6, 13, offload.Host}}, 0},
		{"host only", 80, 0, rate, 70, []move{{1, 3, 7, offload.Host}, {2, 4, 6, offload.Host}, {3, 6, 13, offload.Host}}, 0},
		// a and the weight fill host memory; b, whose turn is between, does not fit beside a.
		{"small host", 80, slow, rate, 50, []move{{1, 3, 7, offload.Host}, {3, 6, 13, offload.Host}}, 1},
	} {
		p.capacity, p.read, p.write, p.hostIn, p.hostOut, p.limit = tt.capacity*unit.Page, tt.ssd, tt.ssd, tt.host, tt.host, tt.limit*unit.Page
		p.ssd, p.host = tt.ssd > 0, tt.host > 0
		fits := p.plan(times)
		if most := p.pressure.excess(make([]unit.Bytes, 10)); most != tt.most*unit.Page || fits != (tt.most == 0) || !slices.Equal(p.moves, tt.moves) {
			t.Errorf("%s: moves %v, fits %v, %d above; want %v, %d", tt.name, p.moves, fits, most, tt.moves, tt.most)
		}
	}
}
