package profile

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// generated makes data of each kind.
func generated(kind uint8) []byte {
	r := rand.New(rand.NewPCG(2020, uint64(kind)))
	data := make([]byte, 4096*buddy.EntryBytes)
	float := func(i int, v float64) { binary.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(v))) }
	zero := false
	for i := 0; i < len(data); i += 4 {
		switch kind {
		case dense:
			float(i, 0.02*r.NormFloat64())
		case relu: // runs of 128 floats in the mean, of which every second is zero
			if r.IntN(128) == 0 {
				zero = !zero
			}
			if v := math.Abs(r.NormFloat64()); !zero {
				float(i, v)
			}
		case dropped:
			if v := r.NormFloat64(); r.IntN(2) == 0 {
				float(i, 2*v)
			}
		case maskKind:
			for k := range 4 {
				if r.IntN(10) > 0 {
					data[i+k] = 1
				}
			}
		case idKind:
			if i%8 == 0 {
				binary.LittleEndian.PutUint64(data[i:], uint64(r.IntN(30522)))
			}
		}
	}
	return data
}

// The table of kinds is what compression makes of generated data.
func TestKinds(t *testing.T) {
	policy := buddy.Published()
	want := []buddy.Target{dense: buddy.X1, relu: buddy.X1, dropped: buddy.X1, maskKind: buddy.X2, idKind: buddy.X133}
	for i, k := range kinds() {
		var h buddy.Histogram
		h.Measure(generated(uint8(i)))
		if h != k.Histogram {
			t.Errorf("%s: measured %s", k.Name, literal(&h))
		}
		got := policy.Choose([]buddy.Allocation{{Name: k.Name, Bytes: unit.MiB, Snapshots: []buddy.Histogram{k.Histogram}}})
		if got[0] != want[i] {
			t.Errorf("%s gets %v, want %v", k.Name, got[0], want[i])
		}
	}
	// What the addendum measured of a ReLU's output: 39 % of its entries are zero.
	if h := kinds()[relu].Histogram; math.Abs(float64(h.Zero)/float64(h.Entries)-0.39) > 0.02 {
		t.Errorf("%d of %d entries of a ReLU are zero", h.Zero, h.Entries)
	}
}

func literal(h *buddy.Histogram) string {
	return fmt.Sprintf("buddy.Histogram{Entries: %d, Bits: %d, Zero: %d, Tiny: %d, Sectors: %s, Classes: %s}", h.Entries, h.Bits, h.Zero, h.Tiny,
		fmt.Sprintf("%#v", h.Sectors), fmt.Sprintf("%#v", h.Classes))
}

// With the memory that nobody touched the mix gives the published means.
func TestMixIsThePapers(t *testing.T) {
	var list []buddy.Allocation
	kinds := append(mixed(), Kind{Name: "never touched"})
	kinds[3].Add(10, true, 1000)
	var over float64
	for i, share := range append(shares[:], 20) {
		list = append(list, buddy.Allocation{Name: kinds[i].Name, Bytes: unit.Bytes(share) * unit.MiB, Snapshots: []buddy.Histogram{kinds[i].Histogram}})
	}
	p := buddy.Published()
	for _, tt := range []struct {
		special bool
		ratio   float64
		want    string
	}{{false, 1.42, "[1x 1x 2x 4x]"}, {true, 1.50, "[1x 1x 2x 16x]"}} {
		p.Special = tt.special
		targets := p.Choose(list)
		c := buddy.Sum(list, targets)
		if fmt.Sprint(targets) != tt.want || math.Abs(c.Ratio()/tt.ratio-1) > 0.03 {
			t.Errorf("special %v: %v, ratio %.3f, published %.2f", tt.special, targets, c.Ratio(), tt.ratio)
		}
		over = 0
		for i := range list {
			over += float64(list[i].Bytes) / float64(100*unit.MiB) * list[i].Snapshots[0].Overflow(targets[i])
		}
	}
	if math.Abs(over-0.04) > 0.01 {
		t.Errorf("%.4f of the accesses overflow, published 0.04", over)
	}
}

// Every stretch of tensors has the kinds by their shares.
func TestMixIsEven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	w := &workload.Workload{}
	for range 3000 {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: unit.Bytes(1 + r.Int64N(int64(unit.MiB)))})
	}
	c, err := Find("paper")
	if err != nil {
		t.Fatal(err)
	}
	of := c.Deal(w)
	for from := 0; from < len(of); from += 500 {
		var bytes [3]float64
		var sum float64
		for i, k := range of[from : from+500] {
			bytes[k] += float64(w.Tensors[from+i].Bytes)
			sum += float64(w.Tensors[from+i].Bytes)
		}
		for k, share := range shares {
			if got, want := bytes[k]/sum, float64(share)/80; math.Abs(got-want) > 0.02 {
				t.Errorf("tensors %d to %d: %.3f of the bytes are %s, want %.3f", from, from+499, got, c.Kinds[k].Name, want)
			}
		}
	}
}

func TestByKind(t *testing.T) {
	type ids = []workload.TensorID
	w := &workload.Workload{Kernels: []workload.Kernel{
		{Name: "GatherV2_Forward", Inputs: ids{0, 1}, Outputs: ids{2}},
		{Name: "Conv2d_Forward", Inputs: ids{2, 1}, Outputs: ids{3}},
		{Name: "ReLU_Forward", Inputs: ids{3}, Outputs: ids{3}}, // in place
		{Name: "aten::max_pool2d_with_indices", Inputs: ids{3}, Outputs: ids{4, 5}},
		{Name: "aten::native_dropout", Inputs: ids{4}, Outputs: ids{6, 7}},
		{Name: "aten::leaky_relu", Inputs: ids{6}, Outputs: ids{8}},
		{Name: "MaxPool2d_Backward", Inputs: ids{8}, Outputs: ids{9, 10}},
		{Name: "threshold_backward", Inputs: ids{9}, Outputs: ids{11}},
		{Name: "fused_ReLU_update", Inputs: ids{11}, Outputs: ids{1}}, // weights are dense whatever writes them
	}}
	for i, b := range []unit.Bytes{8, 400, 400, 400, 100, 200, 100, 25, 100, 400, 800, 400} {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: fmt.Sprint(i), Bytes: b, Global: i == 1})
	}
	w.Tensors[0].Kind, w.Tensors[1].Kind = workload.Input, workload.Weight
	c, err := Find("by-kind")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(c.Deal(w)), fmt.Sprint([]uint8{idKind, dense, dense, relu, dense, idKind, dropped, maskKind, dense, dense, dense, relu}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p := buddy.Published()
	targets, profiles := c.Choose(w, &p)
	if targets[7] != buddy.X2 || profiles[7] != &c.Kinds[maskKind].Histogram || targets[3] != buddy.X1 {
		t.Errorf("%v", targets)
	}
	if _, err := Find("nothing"); err == nil {
		t.Error("unknown contents were found")
	}
}
