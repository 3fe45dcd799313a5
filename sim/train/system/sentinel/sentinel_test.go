package sentinel

import (
	"slices"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

type ids = []workload.TensorID

// layered returns n layers of two kernels: the first makes a short-lived tensor from the
// layer's input with the layer's weight, the second the layer's output of both. Backward
// kernels read input and weight, and write the weight. All tensors have so many pages.
func layered(n int, pages int64) *workload.Workload {
	w := &workload.Workload{Name: "layers", Batch: 1}
	add := func(kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{
			Name: kind.String(), Kind: kind, Global: kind == workload.Weight, Bytes: unit.Bytes(pages) * unit.Page,
		})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	run := func(name string, in, out ids) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: unit.Millisecond, Inputs: in, Outputs: out})
	}
	x := ids{add(workload.Input)}
	run("load", nil, x)
	var weights ids
	for i := range n {
		weights = append(weights, add(workload.Weight))
		short := add(workload.Intermediate)
		x = append(x, add(workload.Intermediate))
		run("first", ids{x[i], weights[i]}, ids{short})
		run("second", ids{x[i], short, weights[i]}, ids{x[i+1]})
	}
	g := x[n]
	for i := n - 1; i >= 0; i-- {
		next := add(workload.Gradient)
		run("backward", ids{g, x[i], weights[i]}, ids{next, weights[i]})
		g = next
	}
	return w
}

func profiled(w *workload.Workload, exec unit.Cycles) *profile {
	times := make([]unit.Cycles, len(w.Kernels))
	for k := range times {
		times[k] = exec
	}
	return newProfile(w, times, longest)
}

func TestLayers(t *testing.T) {
	p := profiled(layered(3, 1), 100)
	// The load goes with the first layer. The last layer's backward kernel uses the weight
	// that the forward pass used last.
	if want := []int32{0, 3, 5, 8, 9, 10}; !slices.Equal(p.first, want) {
		t.Errorf("layers begin at %v, want %v", p.first, want)
	}
	// 40 kernels without a weight are cut all the same.
	w := &workload.Workload{Tensors: []workload.Tensor{{Bytes: 1}}}
	for range 40 {
		w.Kernels = append(w.Kernels, workload.Kernel{Time: 1, Inputs: ids{0}, Outputs: ids{0}})
	}
	if p := profiled(w, 100); !slices.Equal(p.first, []int32{0, 16, 32, 40}) {
		t.Errorf("layers begin at %v", p.first)
	}
}

func TestShortLived(t *testing.T) {
	w := layered(3, 2)
	p := profiled(w, 100)
	for id := range w.Tensors {
		tensor := workload.TensorID(id)
		uses := p.life.Uses(tensor)
		want := !w.Tensors[id].Global && p.layer[uses[0]] == p.layer[uses[len(uses)-1]]
		if p.short[id] != want {
			t.Errorf("tensor %d (%s), used by %v: short-lived %v", id, w.Tensors[id].Name, uses, p.short[id])
		}
	}
	// The tensor between a layer's kernels; the last gradient, which nobody reads.
	if p.pool != 2*unit.Page*2 && p.pool != 2*unit.Page {
		t.Errorf("the pool has %v", p.pool)
	}
}

// A layer's kernels take 200 cycles forward, 100 backward; a page of the link takes 10 a
// page, so that what comes for a layer backward, input and weight, takes 20.
func TestLengths(t *testing.T) {
	w := layered(16, 1)
	p := profiled(w, 100)
	rate := func(each unit.Cycles) func(unit.Bytes) unit.Cycles {
		return func(n unit.Bytes) unit.Cycles { return unit.Cycles(n.Pages()) * each }
	}
	// Every length hides it, so that the smallest is computed; one half and one quarter
	// there are none.
	if got := p.lengths(unit.GiB, rate(10)); !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("fast link: lengths %v", got)
	}
	// Memory for the pool and two layers of three tensors each: no longer interval fits.
	room := p.pool
	for _, x := range p.intervals(1) {
		room = max(room, p.pool+2*unit.Bytes(len(x.uses))*unit.Page)
	}
	if got := p.lengths(room, rate(10)); got[0] != 1 || len(got) > 2 {
		t.Errorf("little memory: lengths %v", got)
	}
	// Nothing hides what comes: the least is exposed with one interval for all.
	if got := p.lengths(unit.GiB, rate(100_000)); got[0] == 1 {
		t.Errorf("slow link: lengths %v", got)
	}
	for _, got := range p.lengths(unit.GiB, rate(300)) {
		if ok, _ := p.fits(p.intervals(got), unit.GiB, rate(300)); !ok {
			t.Errorf("length %d does not fit", got)
		}
	}
}

// Intervals cover all kernels, and have the tensors of theirs.
func TestIntervals(t *testing.T) {
	w := layered(9, 1)
	p := profiled(w, 100)
	for length := 1; length <= p.layers(); length++ {
		list := p.intervals(length)
		var total unit.Cycles
		for i, x := range list {
			total += x.time
			end := len(w.Kernels)
			if i+1 < len(list) {
				end = int(list[i+1].first)
			}
			for k := int(x.first); k < end; k++ {
				for _, u := range w.WorkingSet(nil, workload.KernelID(k)) {
					if p.short[u] == slices.Contains(x.uses, u) {
						t.Fatalf("length %d, interval %d, kernel %d: tensor %d", length, i, k, u)
					}
				}
			}
		}
		if total != unit.Cycles(100*len(w.Kernels)) {
			t.Errorf("length %d: %d cycles", length, total)
		}
	}
}
