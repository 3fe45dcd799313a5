package g10_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"spillway/build/golden"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/g10"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// systems are the three planners.
var systems = []system.System{g10.GDS, g10.Host, g10.System}

// toy is a chain of layers: forward makes activations, backward reads them in
// reverse and updates a weight a layer.
func toy(layers int, activation, weight unit.Bytes, kernel unit.Time) *workload.Workload {
	w := &workload.Workload{Name: "toy", Batch: 1, Times: workload.Estimated}
	add := func(name string, size unit.Bytes, global bool) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: name, Bytes: size, Global: global})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	run := func(name string, in, out []workload.TensorID) {
		w.Kernels = append(w.Kernels, workload.Kernel{Name: name, Time: kernel, Inputs: in, Outputs: out})
	}
	type ids = []workload.TensorID
	x := ids{add("input", activation, false)}
	run("load", nil, ids{x[0]})
	var weights ids
	for l := range layers {
		weights = append(weights, add(fmt.Sprint("w", l), weight, true))
		x = append(x, add(fmt.Sprint("x", l), activation, false))
		run(fmt.Sprint("forward", l), ids{x[l], weights[l]}, ids{x[l+1]})
	}
	g := add("dloss", activation, false)
	run("loss", ids{x[layers]}, ids{g})
	for l := layers - 1; l >= 0; l-- {
		dx, dw := add(fmt.Sprint("dx", l), activation, false), add(fmt.Sprint("dw", l), weight, false)
		scratch := add(fmt.Sprint("scratch", l), activation/4, false)
		run(fmt.Sprint("backward", l), ids{x[l], weights[l], g}, ids{dx, dw, scratch})
		run(fmt.Sprint("apply", l), ids{dw, weights[l]}, ids{weights[l]})
		g = dx
	}
	return w
}

// toys are small workloads with the memory their machine has.
var toys = []struct {
	name   string
	w      *workload.Workload
	memory unit.Bytes
	host   unit.Bytes
}{
	{"fits", toy(4, 8*unit.MiB, unit.MiB, 2*unit.Millisecond), 256 * unit.MiB, unit.GiB},
	{"activations", toy(8, 64*unit.MiB, unit.MiB, 10*unit.Millisecond), 420 * unit.MiB, unit.GiB},
	{"weights", toy(8, 8*unit.MiB, 40*unit.MiB, 10*unit.Millisecond), 320 * unit.MiB, 64 * unit.MiB},
}

// TestPlans compares the plans for three toy workloads with golden text.
func TestPlans(t *testing.T) {
	for _, toy := range toys {
		if err := toy.w.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, q := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
			for _, s := range systems {
				name := fmt.Sprintf("%s-%s-%s.txt", toy.name, s.Name, q)
				t.Run(name, func(t *testing.T) {
					m, o := machine.G10(), system.Published()
					m.GPUMemory, m.HostMemory, o.Quirks = toy.memory, toy.host, q
					compare(t, name, plan(t, s, toy.w, &m, &o))
				})
			}
		}
	}
}

func plan(t testing.TB, s system.System, w *workload.Workload, m *machine.Machine, o *system.Options) *program.Program {
	t.Helper()
	p, err := s.Plan(w, m, o)
	if err != nil {
		t.Fatalf("%s: %v", s.Title, err)
	}
	return p
}

// compare compares p's text with testdata.
func compare(t *testing.T, name string, p *program.Program) {
	t.Helper()
	var got bytes.Buffer
	fmt.Fprintf(&got, "rounds %d\n", p.Rounds)
	if err := p.WriteText(&got); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", name), got.Bytes())
}

// TestPlanIsPure checks that planning twice gives the same and changes nothing.
func TestPlanIsPure(t *testing.T) {
	for _, s := range systems {
		w, fresh := toy(8, 64*unit.MiB, unit.MiB, 10*unit.Millisecond), toy(8, 64*unit.MiB, unit.MiB, 10*unit.Millisecond)
		m, o := machine.G10(), system.Published()
		m.GPUMemory = 420 * unit.MiB
		a, b := plan(t, s, w, &m, &o), plan(t, s, w, &m, &o)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two plans for the same input differ", s.Title)
		}
		if !reflect.DeepEqual(w, fresh) {
			t.Errorf("%s: planning changed the workload", s.Title)
		}
	}
}

// TestTiers checks where each system moves tensors to.
func TestTiers(t *testing.T) {
	w := toy(30, 256*unit.MiB, unit.MiB, 3*unit.Millisecond)
	for _, q := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		for _, s := range systems {
			for _, host := range []unit.Bytes{0, 64 * unit.GiB} {
				m, o := machine.G10(), system.Published()
				m.GPUMemory, m.HostMemory, o.Quirks = 2*unit.GiB, host, q
				p := plan(t, s, w, &m, &o)
				toHost := p.Count(program.Evict, machine.Host)
				if allowed := s.Name != g10.GDS.Name && host > 0; !allowed && toHost > 0 {
					t.Errorf("%s, %v, host %v: %d moves to the host, want none", s.Title, q, host, toHost)
				} else if allowed && toHost == 0 {
					t.Errorf("%s, %v, host %v: no move to the host; the SSD is too slow for this workload", s.Title, q, host)
				}
			}
		}
	}
}

// TestCorrectedFreesEverything checks that without quirks every intermediate
// tensor is allocated and freed once, and moved tensors return: what may have
// been evicted again is fetched once more at the end of an idle period.
func TestCorrectedFreesEverything(t *testing.T) {
	for _, toy := range toys {
		m, o := machine.G10(), system.Published()
		m.GPUMemory, m.HostMemory, o.Quirks = toy.memory, toy.host, quirk.Corrected()
		p := plan(t, g10.System, toy.w, &m, &o)
		fetched, gone, freed := make([]int, len(toy.w.Tensors)), make([]int, len(toy.w.Tensors)), make([]int, len(toy.w.Tensors))
		periods := make([]int, len(toy.w.Tensors))
		for _, period := range vitality.Analyze(toy.w).Periods {
			periods[period.Tensor]++
		}
		for _, op := range p.Ops {
			switch op.Kind {
			case program.Prefetch:
				fetched[op.Tensor]++
			case program.Evict:
				gone[op.Tensor]++
			case program.Free:
				freed[op.Tensor]++
			}
		}
		for i := range toy.w.Tensors {
			lives := 1
			if toy.w.Tensors[i].Global {
				lives = 0
			}
			if most := lives + gone[i] + periods[i]; freed[i] != lives || fetched[i] < lives+gone[i] || fetched[i] > most {
				t.Errorf("%s, tensor %d: fetched %d times, evicted %d, freed %d; want %d to %d, any, %d",
					toy.name, i, fetched[i], gone[i], freed[i], lives+gone[i], most, lives)
			}
		}
	}
}
