package capuchin

import (
	"fmt"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// network returns n layers: kernel 0 loads tensor 0, kernel i makes tensor i from tensor
// i-1, kernel n+1 is the loss, and then each layer's backward kernel reads the input of
// its forward kernel. All tensors are a page.
func network(n int) *workload.Workload {
	type ids = []workload.TensorID
	w := &workload.Workload{Name: "layers"}
	add := func(name string) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: name, Bytes: unit.Page})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	run := func(name string, in, out ids) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: unit.Microsecond, Inputs: in, Outputs: out})
	}
	x := add("x0")
	run("load", nil, ids{x})
	for i := range n {
		add(fmt.Sprint("x", i+1))
		run("forward", ids{workload.TensorID(i)}, ids{workload.TensorID(i + 1)})
	}
	g := add("g")
	run("loss", ids{workload.TensorID(n)}, ids{g})
	for i := n - 1; i >= 0; i-- {
		next := add("g")
		run("backward", ids{g, workload.TensorID(i)}, ids{next})
		g = next
	}
	return w
}

// planned returns a plan of w in which a kernel takes 100 cycles, and a page so many on
// the link, when the GPU has room for so many pages.
func planned(w *workload.Workload, link unit.Cycles, pages int, change func(*planner)) *planner {
	exec := make([]unit.Cycles, len(w.Kernels))
	for k := range exec {
		exec[k] = 100
	}
	p := newPlanner(w, exec, func(n unit.Bytes) unit.Cycles { return unit.Cycles(n.Pages()) * link }, unit.Bytes(pages)*unit.Page)
	if change != nil {
		change(p)
	}
	p.plan()
	return p
}

// choices prints what was chosen, tensor by tensor.
func choices(p *planner) (s string) {
	for i := range p.gaps {
		switch g := &p.gaps[i]; g.choice {
		case swap:
			s += fmt.Sprintf("swap %d away %d-%d cost %d; ", g.tensor, g.out+1, g.in-1, g.cost)
		case recompute:
			s += fmt.Sprintf("recompute %d cost %d; ", g.tensor, g.cost)
		}
	}
	return s
}

// Six layers: tensors 0 to 5 wait for kernels 8 to 13. With what kernel 6 makes, seven
// are alive while it runs, eight with a gradient during the loss, kernel 7, and during
// kernel 8 eight: 0 to 5 and two gradients.
func TestChoices(t *testing.T) {
	w := network(6)
	for _, tt := range []struct {
		name  string
		link  unit.Cycles
		pages int
		want  string
	}{
		{"all fits", 100, 8, ""},
		// Tensor 0 has the longest gap: it leaves during kernel 2 and is back before 13.
		{"one is hidden", 100, 7, "swap 0 away 3-11 cost 0; "},
		{"two are hidden", 100, 6, "swap 0 away 3-11 cost 0; swap 1 away 4-10 cost 0; "},
		// The link takes five kernels for a page: 0 has left after 6, 1 has no time.
		{"slow link", 500, 7, "swap 0 away 7-7 cost 0; recompute 1 cost 100; "},
	} {
		if got := choices(planned(w, tt.link, tt.pages, nil)); got != tt.want {
			t.Errorf("%s: %s want %s", tt.name, got, tt.want)
		}
	}
}
