package swap

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/program"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A gatherer makes neighbours leave, and checks that they make room.
type gatherer struct {
	t       *testing.T
	r       *Run
	expect  unit.Bytes
	used    unit.Bytes // when all has left
	several int        // times that more than one left
	checked int
}

func (g *gatherer) Launch(workload.KernelID)            {}
func (g *gatherer) Used(workload.TensorID)              {}
func (g *gatherer) Late(workload.TensorID, unit.Cycles) {}
func (g *gatherer) any() (list []workload.TensorID)     { return slices.Collect(g.r.Oldest()) }
func (g *gatherer) may(t workload.TensorID) bool        { return t%5 != 0 }
func (g *gatherer) NoRoom(n unit.Bytes) (leave []workload.TensorID) {
	if g.r.LowMemory() {
		return g.any()
	}
	for _, t := range g.any() {
		if leave = g.r.VictimsNear(t, n, g.may); leave == nil {
			continue
		}
		for i, u := range leave {
			if !g.r.Movable(u) || i > 0 && !g.may(u) || slices.Contains(leave[:i], u) {
				g.t.Fatalf("around %d: %v", t, leave)
			}
		}
		if len(leave) > 1 {
			g.several++
		}
		g.expect, g.used = n, g.r.mem.used
		for _, u := range leave {
			g.used -= g.r.Block(u)
		}
		return leave
	}
	return nil
}

func (g *gatherer) Moved(workload.TensorID) {
	if g.expect > 0 && g.r.freeing == 0 {
		if g.r.mem.used == g.used { // else there was room before all had left
			g.checked++
			if n := g.r.mem.alloc.Largest(); n < g.expect {
				g.t.Fatalf("%v free in one piece, want %v", n, g.expect)
			}
		}
		g.expect = 0
	}
}

// What VictimsNear gathers makes one free piece that is large enough.
func TestVictimsNear(t *testing.T) {
	several, checked := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 9))
		w := &workload.Workload{}
		for range 30 {
			w.Tensors = append(w.Tensors, workload.Tensor{Bytes: 2*unit.MiB + unit.Bytes(r.Int64N(int64(8*unit.MiB)))})
		}
		for range 60 {
			k := workload.Kernel{Time: unit.Millisecond}
			for i, x := range r.Perm(30)[:1+r.IntN(4)] {
				if i > 1 {
					k.Outputs = append(k.Outputs, workload.TensorID(x))
				} else {
					k.Inputs = append(k.Inputs, workload.TensorID(x))
				}
			}
			w.Kernels = append(w.Kernels, k)
		}
		m := slowMachine(r, 20_000)
		for _, rate := range []*unit.Bandwidth{&m.GPULink, &m.HostLink, &m.SSDRead, &m.SSDWrite} {
			*rate *= 100
		}
		var g *gatherer
		_, err := engine.Run(w, &program.Program{}, engine.Config{Machine: m, Iterations: 2, Runtime: Memory{
			Rules: Rules{Allocator: PyTorch, Reclaim: true, Copies: true},
			Swapper: func(run *Run) (Swapper, error) {
				g = &gatherer{t: t, r: run}
				return g, nil
			},
		}})
		if no := (*engine.DoesNotFit)(nil); err != nil && !errors.As(err, &no) { // what a kernel uses may lie in between
			t.Fatalf("seed %d: %v", seed, err)
		}
		several += g.several
		checked += g.checked
	}
	if several < 100 || checked < 1000 {
		t.Errorf("%d times several left, %d times it was checked", several, checked)
	}
}
