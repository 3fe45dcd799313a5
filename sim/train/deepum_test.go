package train_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/deepum"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// inDeepUM returns a run with the memory that the DeepUM paper's runs have.
func inDeepUM(name string, iterations int64) train.Request {
	q := onV100(4300, 6)
	q.System, q.Options.Iterations = name, iterations
	return q
}

// BenchmarkDeepUM is UM and DeepUM on ResNet-152, ten iterations, over batches; GPT-2 L
// has more kernels and fewer blocks.
func BenchmarkDeepUM(b *testing.B) {
	for _, c := range []struct {
		model string
		batch int
	}{{"resnet-152-pytorch", 384}, {"resnet-152-pytorch", 768}, {"resnet-152-pytorch", 1536}, {"gpt2-l-pytorch", 5}} {
		w := trained(b, c.model, c.batch)
		for _, name := range []string{"um", "deepum"} {
			b.Run(fmt.Sprintf("model=%s/batch=%d/system=%s", c.model, c.batch, name), func(b *testing.B) {
				q := inDeepUM(name, 4)
				b.ReportAllocs()
				for b.Loop() {
					run(b, w, q)
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/10, "s/iteration")
			})
		}
	}
}

// What the DeepUM paper says of its parts, on one of its rows: nearly all faults are
// gone and it is more than twice as fast as plain unified memory (Figure 9); each part
// makes it faster (Figure 10); more look-ahead than 8 kernels gains a little (Figure
// 11), and tables that are too small lose (Figure 12).
func TestDeepUM(t *testing.T) {
	if testing.Short() {
		t.Skip("published numbers, natively")
	}
	w := trained(t, "gpt2-l-pytorch", 5)
	measure := func(name string, change func(*system.Options)) *result.Iteration {
		q := inDeepUM(name, 1)
		if change != nil {
			change(&q.Options)
		}
		r, err := train.Run(w, q, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Main()
	}
	off := func(list ...*system.Param) func(*system.Options) {
		return func(o *system.Options) {
			for _, p := range list {
				p.Set(o, 0)
			}
		}
	}
	um, all := measure("um", nil), measure("deepum", nil)
	if 2*all.Time > um.Time || all.Paging.Missed*50 > um.Paging.Missed {
		t.Errorf("DeepUM takes %d cycles and misses %d blocks; plain unified memory %d and %d", all.Time, all.Paging.Missed, um.Time, um.Paging.Missed)
	}
	if tables := all.Paging.Tables; tables < 150*unit.MB || tables > 270*unit.MB { // 213 MB in Table 4
		t.Errorf("tables take %v", tables)
	}
	prefetch := measure("deepum", off(&deepum.PreEvict, &deepum.Invalidate))
	evict := measure("deepum", off(&deepum.Invalidate))
	if prefetch.Time >= um.Time || evict.Time >= prefetch.Time*4/5 || all.Time > evict.Time {
		t.Errorf("UM %d, with prefetching %d, and pre-eviction %d, and invalidation %d", um.Time, prefetch.Time, evict.Time, all.Time)
	}
	if all.Paging.Out*3 > evict.Paging.Out*2 || evict.Paging.Dropped != 0 {
		t.Errorf("%v go out with invalidation, %v without", all.Paging.Out, evict.Paging.Out)
	}
	near := measure("deepum", func(o *system.Options) { deepum.Degree.Set(o, 8) })
	if all.Time > near.Time || near.Time*95/100 > all.Time {
		t.Errorf("look-ahead 8: %d, 32: %d", near.Time, all.Time)
	}
	small := measure("deepum", func(o *system.Options) { deepum.Rows.Set(o, 64) })
	if small.Time <= all.Time || small.Paging.Missed < 4*all.Paging.Missed {
		t.Errorf("64 rows: %d cycles, %d blocks missed; 2048 rows: %d and %d", small.Time, small.Paging.Missed, all.Time, all.Paging.Missed)
	}
}

// Where kernels touch single rows of a table DeepUM says that it moves whole blocks for them, and
// unified memory, which brings pages, does not.
func TestDeepUMSaysRows(t *testing.T) {
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: 64 * unit.MiB, Global: true}, {Bytes: 4 * unit.MiB}},
		Kernels: []workload.Kernel{{Time: unit.Millisecond, Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{1}}},
	}
	for _, rows := range []bool{false, true} {
		if rows {
			w.Kernels[0].Rows = []workload.RowAccess{{Tensor: 0, Row: 256, Draws: 100}}
		}
		for _, name := range []string{"um", "deepum"} {
			r, err := train.Run(w, train.Request{System: name, Machine: machine.G10(), Options: inCorrectedMode()}, nil)
			if err != nil {
				t.Fatal(err)
			}
			said := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "single rows") })
			if want := rows && name == "deepum"; said != want {
				t.Errorf("%s, rows %v: %q", name, rows, r.Notes)
			}
		}
	}
}
