package systemtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Swaps checks plans of a system that swaps to host memory before the run, over random
// workloads and convolutional networks: nothing is evicted that is in use, everything
// comes back before its use, and what the planner accepts the engine runs.
func Swaps(t *testing.T, s system.System, seeds int) {
	t.Helper()
	planned, moved := 0, 0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 7))
		size := float64(seed+1) / float64(seeds)
		w, m := Workload(r, size), Machine(r)
		if seed%2 == 0 {
			w = Convolutional(r, size)
			Squeeze(r, w, &m)
		}
		m.HostMemory = []unit.Bytes{unit.GiB, unit.Bytes(r.Int64N(8192)) * unit.Page}[r.IntN(2)]
		o := system.Published()
		o.Quirks = quirk.Corrected()
		p, err := s.Program(w, &m, &o, nil)
		var no *system.DoesNotFit
		switch {
		case errors.As(err, &no):
			continue
		case err != nil:
			t.Fatalf("%s, seed %d: %v", s.Name, seed, err)
		}
		planned++
		moved += min(1, len(p.Ops))
		if err := swapplan.LoadOf(w).Verify(p, m.GPUMemory); err != nil {
			t.Fatalf("%s, seed %d: %v", s.Name, seed, err)
		}
		res, err := engine.Run(w, p, engine.Config{Machine: m, Runtime: s.Runtime(&o), Quirks: o.Quirks, Iterations: 3})
		if err != nil {
			t.Fatalf("%s, seed %d: the planner accepts what the engine does not: %v", s.Name, seed, err)
		}
		if n := res.Main().Swapping; n.Demand > 0 || n.Forced > 0 {
			t.Fatalf("%s, seed %d: %d tensors were needed that nobody had asked for, %d left for want of room", s.Name, seed, n.Demand, n.Forced)
		}
	}
	if planned < seeds/3 || moved < seeds/8 {
		t.Errorf("%s: of %d workloads %d have a plan, %d one that moves anything", s.Name, seeds, planned, moved)
	}
}

// Squeeze gives m between what the largest kernel of w needs and what everything does,
// and kernels of w times of which some hide moves and some do not.
func Squeeze(r *rand.Rand, w *workload.Workload, m *machine.Machine) {
	l := swapplan.LoadOf(w)
	var least, most unit.Bytes
	for k := range l.Alive {
		least, most = max(least, l.Own[k]), max(most, l.Alive[k])
	}
	m.GPUMemory = max(16*unit.MiB, least+unit.Bytes(r.Int64N(int64(most-least)+1)))
	for k := range w.Kernels {
		w.Kernels[k].Time = 1 + unit.Time(r.Int64N(int64(2*m.HostLink.Time(l.Own[k]))))
	}
}

// Convolutional draws a network of convolutions, normalisations, activations in place,
// additions that skip some of them and a classifier, with its backward pass and
// optimizer. Its largest tensors have 16 MiB.
func Convolutional(r *rand.Rand, size float64) *workload.Workload {
	n := &builder{w: &workload.Workload{Name: "convolutional", Batch: 1}, r: r, largest: int64(16 * unit.MiB)}
	n.convolutional(1 + int(size*12))
	if err := n.w.Validate(); err != nil {
		panic(err) // the generator is wrong
	}
	return n.w
}

// A builder writes a network down.
type builder struct {
	w       *workload.Workload
	r       *rand.Rand
	largest int64
	updates []func()
}

func (n *builder) tensor(kind workload.Kind, bytes unit.Bytes) workload.TensorID {
	global := kind == workload.Weight || kind == workload.Optimizer
	n.w.Tensors = append(n.w.Tensors, workload.Tensor{Name: fmt.Sprint("t", len(n.w.Tensors)), Bytes: bytes, Kind: kind, Global: global})
	return workload.TensorID(len(n.w.Tensors) - 1)
}

func (n *builder) bytes() unit.Bytes { return unit.Bytes(1 + n.r.Int64N(n.largest)) }

func (n *builder) size(t workload.TensorID) unit.Bytes { return n.w.Tensors[t].Bytes }

func (n *builder) kernel(name string, in, out []workload.TensorID) {
	n.w.Kernels = append(n.w.Kernels, workload.Kernel{Name: name, Time: unit.Millisecond, Inputs: in, Outputs: out})
}

func (n *builder) convolutional(blocks int) {
	type ids = []workload.TensorID
	x := n.tensor(workload.Input, n.bytes())
	var back []func(g workload.TensorID) workload.TensorID // a gradient of the output to one of the input
	for range blocks {
		in := x
		weight := n.tensor(workload.Weight, n.bytes()/8+1)
		y := n.tensor(workload.Intermediate, n.bytes())
		z := n.tensor(workload.Intermediate, n.size(y))
		n.kernel("conv2d_forward", ids{in, weight}, ids{y})
		n.kernel("batch_norm_forward", ids{y}, ids{z})
		n.kernel("relu_", ids{z}, ids{z})
		x = z
		skip := n.r.IntN(3) == 0 && n.size(in) == n.size(z)
		if skip {
			x = n.tensor(workload.Intermediate, n.size(z))
			n.kernel("add_forward", ids{in, z}, ids{x})
		}
		back = append(back, func(g workload.TensorID) workload.TensorID {
			gz, gy := n.tensor(workload.Gradient, n.size(z)), n.tensor(workload.Gradient, n.size(y))
			n.kernel("relu_backward", ids{g, z}, ids{gz})
			n.kernel("batch_norm_backward", ids{gz, y}, ids{gy})
			dw, gx := n.tensor(workload.Gradient, n.size(weight)), n.tensor(workload.Gradient, n.size(in))
			n.kernel("conv2d_backward", ids{gy, weight}, ids{gx})
			n.kernel("conv2d_backward", ids{gy, in}, ids{dw})
			if skip {
				n.kernel("add_backward", ids{gx, g}, ids{gx})
			}
			m := n.tensor(workload.Optimizer, n.size(weight))
			n.updates = append(n.updates, func() { n.kernel("momentum", ids{dw, m, weight}, ids{m, weight}) })
			return gx
		})
	}
	weight := n.tensor(workload.Weight, n.bytes()/8+1)
	out := n.tensor(workload.Intermediate, 4*unit.KiB)
	n.kernel("linear_forward", ids{x, weight}, ids{out})
	g, gx := n.tensor(workload.Gradient, 4*unit.KiB), n.tensor(workload.Gradient, n.size(x))
	n.kernel("loss", ids{out}, ids{g})
	n.kernel("linear_backward", ids{g, weight}, ids{gx})
	for i := len(back) - 1; i >= 0; i-- {
		gx = back[i](gx)
	}
	for _, update := range n.updates {
		update()
	}
}
