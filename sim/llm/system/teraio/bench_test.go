package teraio

import (
	"fmt"
	"testing"

	"spillway/sim/llm/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// training is a stage of a network: every micro-batch goes forward and backward, then the optimizer
// changes all layers. A layer has 8 matrices and as many activations.
func training(layers, micros int) *workload.Workload {
	const matrices = 8
	w := &workload.Workload{Name: "stage"}
	tensor := func(size unit.Bytes, global bool, kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: "t", Bytes: size, Global: global, Kind: kind})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	kernel := func(ms int64, in, out []workload.TensorID) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "k", Time: unit.Time(ms) * unit.Millisecond, Inputs: in, Outputs: out})
	}
	type ids = []workload.TensorID
	type layer struct{ weight, first, second, gradient [matrices]workload.TensorID }
	net := make([]layer, layers)
	for l := range net {
		for m := range matrices {
			size := unit.Bytes(64+32*m) * unit.MiB
			net[l].weight[m] = tensor(size, true, workload.Weight)
			net[l].first[m] = tensor(size, true, workload.Optimizer)
			net[l].second[m] = tensor(size, true, workload.Optimizer)
			net[l].gradient[m] = tensor(size, false, workload.Gradient)
		}
	}
	kept := make([]workload.TensorID, layers*matrices+1)
	for i := range micros {
		kept[0] = tensor(128*unit.MiB, false, workload.Intermediate)
		kernel(1, ids{net[0].weight[0]}, ids{kept[0]})
		for l := range net {
			for m := range matrices {
				at := l*matrices + m
				kept[at+1] = tensor(unit.Bytes(96+16*m)*unit.MiB, false, workload.Intermediate)
				kernel(int64(8+m), ids{net[l].weight[m], kept[at]}, ids{kept[at+1]})
			}
		}
		for l := layers - 1; l >= 0; l-- {
			for m := matrices - 1; m >= 0; m-- {
				at, in := l*matrices+m, ids(nil)
				if i > 0 {
					in = ids{net[l].gradient[m]}
				}
				kernel(int64(16+2*m), append(in, net[l].weight[m], kept[at], kept[at+1]), ids{net[l].gradient[m]})
			}
		}
	}
	for l := range net {
		for m := range matrices {
			x := &net[l]
			kernel(40, ids{x.weight[m], x.first[m], x.second[m], x.gradient[m]}, ids{x.weight[m], x.first[m], x.second[m]})
		}
	}
	return w
}

// A plan of the paper's largest model takes moves × log kernels: ns/move grows with the batch by
// the logarithm only (3.5, 3.0, 4.2 and 3.7 µs of a processor where these lines were written).
func BenchmarkPlan(b *testing.B) {
	for _, batch := range []int64{8, 16, 32, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			j, n := paperJob(b, "llama3-70b", batch, 2048, 2)
			o := system.Standard()
			a, err := prepare(j, n, &o, false, nil)
			if err != nil {
				b.Fatal(err)
			}
			p := a.parts[0]
			b.ReportAllocs()
			for b.Loop() {
				p.plan(a.axes[0])
			}
			b.ReportMetric(float64(len(p.times)), "kernels")
			b.ReportMetric(float64(len(p.moves)), "moves")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p.moves)), "ns/move")
		})
	}
}
