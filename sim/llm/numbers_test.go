package llm

import (
	"math"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// TestNumbers computes what follows from a run by hand: the TERAIO paper's node, an iteration of
// 100 s with 16,384 tokens in which array 1 is written 1.9 TB, array 0 half as much.
func TestNumbers(t *testing.T) {
	s := Standard()
	node, err := s.Node.Build()
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{
		Result: &offload.Result{Time: 100 * unit.Second, Links: make([]offload.LinkUse, len(node.Links))},
		Node:   node, Tokens: 16384, Job: &job.Job{FLOPs: 8_600_000, Parts: make([]*workload.Workload, 2)},
	}
	r.Links[node.Arrays[0].Write].Bytes = 950 * unit.GB
	r.Links[node.Arrays[1].Write].Bytes = 1900 * unit.GB
	want := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	want("tokens a second", r.TokenRate(), 163_840)
	want("operations a second of a GPU", r.FlopRate(), 43e12)
	want("share of ideal", r.OfIdeal(60*unit.Second), 600_000)
	// 2 · 400 W, 700 W, 8 · 5.5 W
	want("energy", r.Energy(), 1544*1000*100)
	want("tokens a kWh", r.TokensPerKWh(), 382_010) // 16384 · 3.6e9 / 1544e5, rounded down
	// 13 cents a kWh: $0.0055755..., and the node's price of 4 years for 100 s
	energy := int64(154_400_000) * 13 / 360
	price := node.Price()
	want("cost", r.Cost(), energy+int64(float64(price)*1e7*100/(4*365*86400)))
	want("tokens a dollar", r.TokensPerDollar(), 16384*1_000_000_000/r.Cost())
	want("written a day", int64(r.WrittenPerDay()), 2_850_000_000_000*864)
	// Four drives of 1200 TB at 19 GB/s, in thousandths of days.
	want("drive life", r.DriveLife(), 4*1_200_000_000/(19*86_400))

	for _, l := range node.Arrays {
		r.Links[l.Write].Bytes = 0
	}
	want("life of drives that nobody writes", r.DriveLife(), math.MaxInt64)

	r.Reason = "too large"
	for _, n := range []int64{r.TokenRate(), r.FlopRate(), r.OfIdeal(1), r.Energy(), r.TokensPerKWh(), r.Cost(), r.TokensPerDollar(), int64(r.WrittenPerDay()), r.DriveLife()} {
		want("a number of what did not run", n, 0)
	}
}

// TestActive has a kernel with a tensor that it reads and writes, and one with all.
func TestActive(t *testing.T) {
	s := Standard()
	node, err := s.Node.Build()
	if err != nil {
		t.Fatal(err)
	}
	node.GPU.Memory, node.Spare = 100*unit.MiB, 0
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: 10 * unit.MiB}, {Bytes: 20 * unit.MiB}},
		Kernels: []workload.Kernel{
			{Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{0}},
			{Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{1}},
		},
	}
	j := &job.Job{Spec: job.Spec{Node: node}, Parts: []*workload.Workload{w, {}}}
	if mean, most := Active(j); mean != 200_000 || most != 300_000 {
		t.Errorf("mean %d, most %d, want 200000, 300000", mean, most)
	}
}
