package sentinel

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// trials is how many lengths of intervals are tried.
const trials = 5

// trial is how many iterations a length has: the last is timed, those before it begin
// with what another length left.
const trial = 2

// A policy brings what is needed in the profiled iteration, and moves intervals from
// then on.
type policy struct {
	*swap.Run
	*profile
	all     bool          // fits into GPU memory, and nothing moves
	tier    machine.Tier  // that moves are reckoned with: the SSD where the host does not hold what must be away
	lengths []int         // to try
	times   []unit.Cycles // of the last iterations that tried them
	begun   unit.Cycles
	length  int // of the present iteration; 0: none yet
	list    []interval
	next    int     // the interval that begins next
	keep    []int32 // by tensor, 1 + the last interval in or before which it is used
	leave   []leaver
	stamp   int32
}

// A leaver is a tensor that may leave, and how many kernels there are before its next
// use.
type leaver struct {
	tensor workload.TensorID
	next   int
}

func newPolicy(r *swap.Run, length int64) (*policy, error) {
	exec := make([]unit.Cycles, len(r.Workload.Kernels))
	for k := range exec {
		exec[k] = r.Exec(workload.KernelID(k))
	}
	held := unit.Bytes(r.Workload.HeldPages()) * unit.Page // which counts as alive
	s := &policy{Run: r, profile: newProfile(r.Workload, exec, longest), keep: make([]int32, len(r.Workload.Tensors)), tier: machine.Host}
	away := slices.Max(s.life.Live(r.Workload)) - r.Capacity() - held
	if away <= 0 {
		s.all = true
		return s, nil
	}
	if away > r.HostMemory() {
		s.tier = machine.SSD
	}
	for n := longest; s.missing() > 0; n /= 2 {
		if n == 0 {
			layer, size := s.largest()
			k := s.first[layer]
			return nil, &engine.DoesNotFit{Reason: fmt.Sprintf(
				"the pool for short-lived tensors needs %v and the layer at kernel %d (%s) uses %v of others; together that is more than the %v there are; more GPU memory or a smaller batch would help",
				s.pool, k, r.Workload.Kernels[k].Name, size, r.Capacity())}
		}
		s.profile = newProfile(r.Workload, exec, n)
	}
	if length > 0 {
		s.lengths = []int{int(min(length, int64(s.layers())))}
	}
	return s, nil
}

// missing is how much the largest layer and the pool need beyond GPU memory.
func (s *policy) missing() unit.Bytes {
	_, size := s.largest()
	return s.pool + size - s.Capacity()
}

// rate is how long a transfer takes.
func (s *policy) rate(n unit.Bytes) unit.Cycles {
	return max(s.TransferTime(n, s.tier, true), s.TransferTime(n, s.tier, false))
}

// begin chooses the length of an iteration's intervals.
func (s *policy) begin() {
	i := s.Iteration()
	if i == 0 || s.all {
		return
	}
	if s.lengths == nil {
		s.lengths = s.profile.lengths(s.Capacity(), s.rate)
	}
	if i > 1 && (i-1)%trial == 0 && len(s.times) < len(s.lengths) {
		s.times = append(s.times, s.Now()-s.begun)
	}
	length := s.lengths[min((i-1)/trial, len(s.lengths)-1)]
	if len(s.times) == len(s.lengths) {
		length = s.lengths[slices.Index(s.times, slices.Min(s.times))]
	}
	if length != s.length {
		s.length, s.list = length, s.intervals(length)
	}
	s.begun, s.next = s.Now(), 0
}

// Launch moves tensors when kernel k begins an interval.
func (s *policy) Launch(k workload.KernelID) {
	if k == 0 {
		s.begin()
	}
	if s.length == 0 || s.next == len(s.list) || s.list[s.next].first != int32(k) {
		return
	}
	now, next := &s.list[s.next], &s.list[(s.next+1)%len(s.list)]
	s.next++
	s.stamp++
	// What the two intervals and the pool need, and what else is on the GPU.
	need := s.pool
	for _, list := range [2][]workload.TensorID{now.uses, next.uses} {
		for _, t := range list {
			if s.keep[t] != s.stamp {
				s.keep[t] = s.stamp
				need += s.Size(t)
			}
		}
	}
	s.leave = s.leave[:0]
	for t := range s.Oldest() {
		if s.keep[t] != s.stamp && !s.short[t] {
			s.leave = append(s.leave, leaver{t, s.NextUse(t)})
			need += s.Size(t)
		}
	}
	if need > s.Capacity() {
		slices.SortStableFunc(s.leave, func(x, y leaver) int { return cmp.Compare(y.next, x.next) })
	}
	for _, x := range s.leave {
		if need <= s.Capacity() {
			break
		}
		if s.Offload(x.tensor) {
			need -= s.Size(x.tensor)
		}
	}
	for _, t := range next.uses {
		s.Want(t)
	}
}

// NoRoom lets the tensor leave whose next use is furthest away.
func (s *policy) NoRoom(need unit.Bytes) []workload.TensorID { return s.Furthest(need) }

// Used does nothing: tensors leave when an interval begins.
func (s *policy) Used(workload.TensorID) {}

// Late does nothing: the kernel waits.
func (s *policy) Late(workload.TensorID, unit.Cycles) {}

// Notes says what was found.
func (s *policy) Notes() []string {
	if s.all {
		return []string{"All tensors fit into GPU memory, so nothing moves."}
	}
	return []string{fmt.Sprintf("Intervals have %d of %d layers, found in %d trials; the pool for short-lived tensors takes %v.",
		s.length, s.layers(), len(s.lengths), s.pool)}
}
