package g10

import (
	"sort"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/workload"
)

// A span is the kernels for which an intermediate tensor's memory is mapped.
type span struct {
	tensor    workload.TensorID
	size      int64
	at, death int32 // at to death-1
}

// allocate plans the life of intermediate tensors: memory is mapped just before
// birth and freed at death. It leaves the memory estimate with nothing moved.
func (s *planner) allocate() {
	total := int64(0)
	for t := range s.w.Tensors {
		if s.w.Tensors[t].Global || len(s.life.Uses(workload.TensorID(t))) > 0 {
			total += int64(s.w.Tensors[t].Bytes.Aligned())
		}
	}
	if s.quirks.Has(quirk.DoubleInput) && len(s.w.Tensors) > 0 {
		total += int64(s.w.Tensors[0].Bytes.Aligned())
	}
	spans := s.spans()
	if s.quirks.Has(quirk.DoubleInput) {
		// The published scheduler stops at the first tensor before which
		// memory is within the target. It only falls as tensors are added.
		enough := sort.Search(len(spans), func(i int) bool {
			s.estimate(total, spans[:i])
			return s.excess == 0
		})
		spans = spans[:enough]
	}
	s.estimate(total, spans)
	for _, p := range spans {
		switch {
		case s.arena:
		case s.quirks.Has(quirk.EagerOvershoot):
			s.emit(workload.KernelID(p.at), program.Prefetch, p.tensor, machine.Nowhere)
			s.emit(workload.KernelID(p.death), program.Free, p.tensor, machine.Nowhere)
		default:
			s.emit(workload.KernelID(p.death), program.Free, p.tensor, machine.Nowhere)
			s.ahead = append(s.ahead, p)
		}
	}
	for j, m := range s.memory {
		if m > s.memory[s.hill] {
			s.hill = j
		}
	}
	s.relief = newRelief(s)
}

// mapAhead maps memory as long before a tensor's birth as mapping it takes, and
// as there is room without a break until then: where moves have found none,
// mapping would take pages of tensors that are there.
func (s *planner) mapAhead() {
	for _, p := range s.ahead {
		at := int32(s.life.Birth[p.tensor])
		for at > p.at && s.memory[at-1] <= s.target {
			at--
		}
		s.release(p.size, p.at, at)
		s.emit(workload.KernelID(at), program.Prefetch, p.tensor, machine.Nowhere)
	}
}

// spans returns when memory of intermediate tensors is mapped, in tensor order.
func (s *planner) spans() []span {
	spans := make([]span, 0, len(s.w.Tensors))
	for t := range s.w.Tensors {
		birth, size := s.life.Birth[t], int64(s.w.Tensors[t].Bytes.Aligned())
		if birth < 0 || t == 0 && s.quirks.Has(quirk.DoubleInput) {
			continue
		}
		at := int32(0)
		if lead := s.clock[birth] - float64(float64(size)*s.allocRate); lead >= 0 {
			at = s.at(lead, 0, int32(birth)+1)
		}
		spans = append(spans, span{workload.TensorID(t), size, at, int32(s.life.Death[t])})
	}
	return spans
}

// estimate sets the memory estimate to total bytes, less each span's tensor
// while it is not mapped.
func (s *planner) estimate(total int64, spans []span) {
	clear(s.memory)
	s.memory[0] = total
	for _, p := range spans {
		s.memory[0] -= p.size
		s.memory[p.at] += p.size
		if int(p.death) < s.n {
			s.memory[p.death] -= p.size
		}
	}
	s.excess = 0
	for j := range s.memory {
		if j > 0 {
			s.memory[j] += s.memory[j-1]
		}
		if s.memory[j] > s.target {
			s.excess++
		}
	}
}
