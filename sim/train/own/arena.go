package own

import (
	"spillway/sim/policy"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A swapper asks a policy during one run in an arena.
type swapper struct {
	*policy.Asker
	run                       *swap.Run
	chosen                    *policy.Chosen
	evict, leave, host, ahead *policy.Code
	used, evicted, came       *policy.Code

	tensors    []seen
	wake       [][]workload.TensorID // by kernel: asked for before it
	candidates []int32
	victim     [1]workload.TensorID
	short      unit.Bytes
}

// A seen is what the policy knows of a tensor besides what the run does.
type seen struct {
	last  int64 // number of the kernel
	since unit.Cycles
	uses  int64
}

func newSwapper(r *swap.Run, c *policy.Chosen) *swapper {
	s := &swapper{
		run: r, chosen: c, tensors: make([]seen, len(r.Workload.Tensors)), wake: make([][]workload.TensorID, len(r.Workload.Kernels)),
		evict: c.Rule("evict"), leave: c.Rule("leave"), host: c.Rule("host"), ahead: c.Rule("ahead"),
		used: c.Event("used"), evicted: c.Event("evicted"), came: c.Event("came"),
	}
	s.Asker = policy.NewAsker(c, s, len(r.Workload.Tensors))
	return s
}

// Launch asks for what is to come before kernel k.
func (s *swapper) Launch(k workload.KernelID) {
	list := s.wake[k]
	s.wake[k] = list[:0]
	for _, t := range list {
		s.run.Want(t)
	}
}

// NoRoom returns the tensor with the greatest number; none, so that the run ends, where the
// policy works more than it may.
func (s *swapper) NoRoom(need unit.Bytes) []workload.TensorID {
	s.candidates = s.candidates[:0]
	for t := range s.run.Oldest() {
		s.candidates = append(s.candidates, int32(t))
	}
	s.short = max(0, need-s.run.FreeBytes())
	t := s.First(s.evict, s.candidates)
	s.short = 0
	if t < 0 || s.Over() {
		return nil
	}
	s.Happens(s.evicted, t)
	s.victim[0] = workload.TensorID(t)
	return s.victim[:]
}

// To says where t goes.
func (s *swapper) To(t workload.TensorID) machine.Tier {
	if s.host == nil || s.Over() || s.Yes(s.host, int32(t)) {
		return machine.Host
	}
	return machine.SSD
}

// Used asks whether t leaves, and how long before its next use it is asked for.
func (s *swapper) Used(t workload.TensorID) {
	x := &s.tensors[t]
	x.last, x.since = s.kernel(), s.run.Now()
	x.uses++
	if s.Over() {
		return
	}
	s.Happens(s.used, int32(t))
	if s.leave != nil && s.Yes(s.leave, int32(t)) && s.run.OffloadTo(t, s.To(t)) {
		s.Happens(s.evicted, int32(t))
	}
	next := s.run.NextUse(t)
	if s.ahead == nil || s.run.Iteration() == 0 || next == swap.Never || next == 0 {
		return
	}
	if ahead := s.Value(s.ahead, int32(t)); ahead >= 1 {
		n := len(s.wake)
		at := (int(s.run.Kernel()) + next - int(min(ahead, float64(next)))) % n
		s.wake[at] = append(s.wake[at], t)
	}
}

// kernel is the number, among all that ran, of the one that runs or has just ended.
func (s *swapper) kernel() int64 { return s.run.Ended() }

// Moved notes that t has come.
func (s *swapper) Moved(t workload.TensorID) {
	if !s.run.IsResident(t) || s.run.IsLeaving(t) {
		return
	}
	x := &s.tensors[t]
	x.last, x.since = s.kernel(), s.run.Now()
	if !s.Over() {
		s.Happens(s.came, int32(t))
	}
}

// Late does nothing: a policy is not told.
func (s *swapper) Late(workload.TensorID, unit.Cycles) {}

// Read implements policy.Reader.
func (s *swapper) Read(feature int, things []int32, out []float64) {
	r := s.run
	for i, t := range things {
		x, id := &s.tensors[t], workload.TensorID(t)
		var v float64
		switch feature {
		case featSize:
			v = float64(r.Size(id))
		case featLast:
			v = float64(x.last)
		case featUses:
			v = float64(x.uses)
		case featGlobal:
			v = policy.Truth(r.Workload.Tensors[t].Global)
		case featHostTime:
			v = s.trip(id, machine.Host)
		case featSSDTime:
			v = s.trip(id, machine.SSD)
		case featNext:
			v = s.distance(id, r.Iteration() > 0)
		case featTruth:
			v = s.distance(id, true)
		case featAge:
			v = policy.Seconds(r.Clock().Time(r.Now() - x.since))
		case featDirty:
			v = policy.Truth(r.Dirty(id))
		default:
			v = s.same(feature)
		}
		out[i] = v
	}
}

// same is a feature that is the same of all tensors.
func (s *swapper) same(feature int) float64 {
	r := s.run
	switch feature {
	case featCapacity:
		return float64(r.Capacity())
	case featKernels:
		return float64(len(s.wake))
	case featShort:
		return float64(s.short)
	case featFree:
		return float64(r.FreeBytes())
	case featHostFree:
		return float64(r.HostFree())
	case featKernel:
		return float64(r.Kernel())
	case featIteration:
		return float64(r.Iteration())
	}
	return s.chosen.Dials[feature-featDials]
}

// trip is how long t takes to a tier and back, in seconds.
func (s *swapper) trip(t workload.TensorID, to machine.Tier) float64 {
	n := s.run.Size(t)
	return policy.Seconds(s.run.Clock().Time(s.run.TransferTime(n, to, true) + s.run.TransferTime(n, to, false)))
}

// distance is how many kernels run before the next use of t, where that is known.
func (s *swapper) distance(t workload.TensorID, known bool) float64 {
	if d := s.run.NextUse(t); known && d != swap.Never {
		return float64(d)
	}
	return policy.Never
}
