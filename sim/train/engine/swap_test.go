package engine_test

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// restless is a swapper that draws what it does.
type restless struct {
	r    *engine.SwapRun
	rand *rand.Rand
}

func (s *restless) any() workload.TensorID {
	return workload.TensorID(s.rand.IntN(len(s.r.Workload.Tensors)))
}

func (s *restless) Launch(k workload.KernelID) {
	for range s.rand.IntN(4) {
		t := s.any()
		switch s.rand.IntN(8) {
		case 0, 1:
			s.r.Out(t)
		case 2:
			s.r.OutTo(t, machine.SSD)
		case 3:
			s.r.In(t)
		case 4:
			s.r.Want(t)
		case 5:
			s.r.Discard(t)
		case 6:
			s.r.Recompute(t)
		case 7:
			if s.rand.IntN(3) == 0 {
				s.r.Barrier()
			}
		}
	}
}

func (s *restless) NoRoom(need unit.Bytes) []workload.TensorID {
	if s.rand.IntN(2) == 0 {
		return s.r.Furthest(need)
	}
	return s.r.LeastRecent(need)
}

func (s *restless) Used(t workload.TensorID) {
	switch s.rand.IntN(6) {
	case 0:
		s.r.Out(t)
	case 1:
		s.r.Discard(t)
	}
}

func (s *restless) Late(workload.TensorID, unit.Cycles) {}

func (s *restless) Moved(workload.TensorID) {
	if s.rand.IntN(4) == 0 {
		s.r.Want(s.any())
	}
}

func restlessSystem(swap engine.Swap) system.System {
	return system.System{
		Name: "restless", Title: "restless",
		Runtime: func(o *system.Options) engine.Runtime {
			return engine.Runtime{Memory: engine.Arena, Pool: 1, Swap: swap, Swapper: func(r *engine.SwapRun) (engine.Swapper, error) {
				return &restless{r, rand.New(rand.NewPCG(uint64(o.Seed), uint64(len(r.Workload.Tensors))))}, nil
			}}
		},
	}
}

// follow draws a program and follows it, with victims by next use.
var follow = system.System{
	Name: "follow", Title: "follow",
	Plan: func(w *workload.Workload, _ *machine.Machine, o *system.Options) (*program.Program, error) {
		r, p := rand.New(rand.NewPCG(uint64(o.Seed), 1)), &program.Program{}
		for k := range len(w.Kernels) + 1 {
			for range r.IntN(4) {
				p.Ops = append(p.Ops, program.Op{
					At: workload.KernelID(k), Kind: program.Kind(r.IntN(5)), Tensor: workload.TensorID(r.IntN(len(w.Tensors))),
					To: []machine.Tier{machine.SSD, machine.Host}[r.IntN(2)],
				})
			}
		}
		return p, nil
	},
	Runtime: func(*system.Options) engine.Runtime {
		return engine.Runtime{Memory: engine.Arena, Pool: 1, Swapper: func(r *engine.SwapRun) (engine.Swapper, error) {
			f := engine.NewFollower(r)
			f.Room = r.Furthest
			return f, nil
		}}
	},
}

// Whatever a swapper does, the laws hold.
func TestSwapLaws(t *testing.T) {
	t.Run("bytes", func(t *testing.T) { systemtest.Run(t, restlessSystem(engine.Swap{})) })
	t.Run("copies", func(t *testing.T) { systemtest.Run(t, restlessSystem(engine.Swap{Copies: true, Warm: 2})) })
	t.Run("pytorch", func(t *testing.T) {
		systemtest.Run(t, restlessSystem(engine.Swap{Allocator: engine.PyTorch, Reserve: 990_000, Trim: 3}))
	})
	t.Run("reclaim", func(t *testing.T) {
		systemtest.Run(t, restlessSystem(engine.Swap{Allocator: engine.PyTorch, Reclaim: true, Limit: 400_000, Copies: true}))
	})
	t.Run("program", func(t *testing.T) { systemtest.Run(t, follow) })
}
