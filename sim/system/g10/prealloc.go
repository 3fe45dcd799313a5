package g10

import (
	"spillway/sim/machine"
	"spillway/sim/program"
	"spillway/sim/quirk"
	"spillway/sim/workload"
)

// allocate plans the life of intermediate tensors: memory is mapped just before
// birth and freed at death. It leaves the memory estimate with nothing moved.
func (s *planner) allocate() {
	first := 0
	total := int64(s.w.GlobalBytes() + s.w.IntermediateBytes())
	if s.quirks.Has(quirk.DoubleInput) && len(s.w.Tensors) > 0 {
		first = 1
		total += int64(s.w.Tensors[0].Bytes.Aligned())
	}
	for j := range s.memory {
		s.memory[j] = total
	}
	if total > s.target {
		s.excess = s.n
	}
	for t := range s.w.Tensors {
		if len(s.life.Uses(workload.TensorID(t))) == 0 {
			s.release(int64(s.w.Tensors[t].Bytes.Aligned()), 0, int32(s.n))
		}
	}
	for t := first; t < len(s.w.Tensors); t++ {
		if s.excess == 0 && s.quirks.Has(quirk.DoubleInput) {
			break
		}
		s.allocateTensor(workload.TensorID(t))
	}
	for j, m := range s.memory {
		if m > s.memory[s.hill] {
			s.hill = j
		}
	}
	s.relief = newRelief(s)
}

func (s *planner) allocateTensor(t workload.TensorID) {
	birth, death := s.life.Birth[t], s.life.Death[t]
	if birth < 0 {
		return
	}
	size := int64(s.w.Tensors[t].Bytes.Aligned())
	at := int32(0)
	if lead := s.clock[birth] - float64(float64(size)*s.allocRate); lead >= 0 {
		at = s.at(lead, 0, int32(birth)+1)
	}
	s.release(size, 0, at)
	s.release(size, int32(death), int32(s.n))
	if !s.arena {
		s.emit(workload.KernelID(at), program.Prefetch, t, machine.Nowhere)
		s.emit(death, program.Free, t, machine.Nowhere)
	}
}
