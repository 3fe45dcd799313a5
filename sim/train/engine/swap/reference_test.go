package swap

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	how "spillway/build/effort"
	"spillway/sim/train/caching"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// The reference does what a swap run does cycle by cycle: in each every lane moves its
// share of bytes. It finds what is where by looking at all of it.

// swapDriver is what the swapper of the tests needs of either.
type driver interface {
	OffloadTo(t workload.TensorID, to machine.Tier) bool
	Copy(t workload.TensorID, to machine.Tier) bool
	Forget(t workload.TensorID) bool
	Idle(tier machine.Tier, out bool) bool
	Fetch(t workload.TensorID) bool
	Want(t workload.TensorID)
	Discard(t workload.TensorID) bool
	Recompute(t workload.TensorID)
	Barrier()
	Movable(t workload.TensorID) bool
	NextUse(t workload.TensorID) int
	FreeBytes() unit.Bytes
	Iteration() int
	LowMemory() bool
	Now() unit.Cycles
	oldest() []workload.TensorID
	look(t workload.TensorID) string
}

type realRun struct{ *Run }

func (r realRun) oldest() []workload.TensorID { return slices.Collect(r.Oldest()) }

func (r realRun) look(t workload.TensorID) string {
	x := &r.tensors[t]
	word := [...]string{"nowhere", "here", "leaving", "away", "coming", "gone"}[x.state]
	is := func(yes bool) bool {
		for i, other := range []bool{r.IsLeaving(t), r.IsOffloaded(t), r.IsFetching(t), r.Discarded(t)} {
			yes = yes && other == (word == [...]string{"leaving", "away", "coming", "gone"}[i])
		}
		return yes
	}
	return fmt.Sprint(word, is(true), r.IsResident(t), r.Dirty(t), r.Size(t), x.copy, x.dest, r.Wanted(t), x.early, x.lent, r.Pinned(t), x.pins, r.Block(t))
}

// A tosser is a swapper that decides by drawing, and writes down what it sees.
type tosser struct {
	d     driver
	r     *rand.Rand
	n     int // tensors
	style int
	log   []string
}

func (s *tosser) note(format string, a ...any) {
	line := []string{fmt.Sprintf(format, a...) + fmt.Sprint(" at ", s.d.Now(), " free ", s.d.FreeBytes(), " iteration ", s.d.Iteration())}
	for t := range s.n {
		line = append(line, s.d.look(workload.TensorID(t)))
	}
	s.log = append(s.log, strings.Join(line, " | "))
}

func (s *tosser) Launch(k workload.KernelID) {
	s.note("launch %d", k)
	for range s.r.IntN(4) {
		t := workload.TensorID(s.r.IntN(s.n))
		switch op := s.r.IntN(12); op {
		case 0, 1:
			s.note("out %d %v", t, s.d.OffloadTo(t, machine.Host))
		case 2:
			s.note("out %d %v", t, s.d.OffloadTo(t, machine.SSD))
		case 3:
			s.note("in %d %v", t, s.d.Fetch(t))
		case 4, 5:
			s.d.Want(t)
		case 6:
			s.note("discard %d %v", t, s.d.Discard(t))
		case 7:
			s.d.Recompute(t)
		case 8:
			if s.r.IntN(4) == 0 {
				s.d.Barrier()
			}
		case 9:
			s.note("copy %d %v", t, s.d.Copy(t, machine.Host))
		case 10:
			s.note("copy %d %v %v", t, s.d.Copy(t, machine.SSD), s.d.Idle(machine.SSD, true))
		case 11:
			s.note("forget %d %v", t, s.d.Forget(t))
		}
	}
}

func (s *tosser) NoRoom(need unit.Bytes) (leave []workload.TensorID) {
	s.note("no room for %d %v", need, s.d.LowMemory())
	old := s.d.oldest()
	switch {
	case len(old) == 0 || s.style == 1 && !s.d.LowMemory() && s.r.IntN(3) == 0:
	case s.style == 1 && s.d.LowMemory():
		leave = old
	case s.r.IntN(2) == 0:
		leave = old[:1]
	default:
		leave = []workload.TensorID{slices.MaxFunc(old, func(a, b workload.TensorID) int { return s.d.NextUse(a) - s.d.NextUse(b) })}
	}
	s.note("leave %v", leave)
	return leave
}

func (s *tosser) Used(t workload.TensorID) {
	s.note("used %d", t)
	switch s.r.IntN(8) {
	case 0:
		s.d.OffloadTo(t, machine.Host)
	case 1:
		s.d.Discard(t)
	}
}

func (s *tosser) Late(t workload.TensorID, by unit.Cycles) { s.note("late %d by %d", t, by) }

func (s *tosser) Moved(t workload.TensorID) {
	s.note("moved %d", t)
	if s.r.IntN(3) == 0 {
		s.d.Want(workload.TensorID(s.r.IntN(s.n)))
	}
	if s.r.IntN(6) == 0 {
		s.d.Discard(workload.TensorID(s.r.IntN(s.n)))
	}
	if s.r.IntN(3) == 0 {
		s.d.Copy(workload.TensorID(s.r.IntN(s.n)), machine.Host)
	}
	if s.r.IntN(6) == 0 {
		s.d.OffloadTo(workload.TensorID(s.r.IntN(s.n)), machine.Host)
	}
}

// refMove is a tensor on its way. Its memory is its own when it is an orphan.
type refMove struct {
	t      workload.TensorID
	bytes  int64
	done   int64 // bytes times the clock
	told   int64 // bytes that are in the traffic
	after  int64 // when the latency is over
	moving bool
	orphan bool
	block  caching.ID
}

type refTensor struct {
	where               string
	copy, making        machine.Tier
	wanted, early, lent bool
	held                bool // lent, and needed by kernels that run again
	pins                int
	move                *refMove
	block               caching.ID
	last                int // use
}

type slowRun struct {
	w         *workload.Workload
	c         engine.Config
	life      *vitality.Analysis
	sets      [][]workload.TensorID
	exec      []unit.Cycles
	x         []refTensor
	alloc     *caching.Allocator
	capacity  unit.Bytes
	lanes     [4][]*refMove // SSD out, SSD in, host out, host in
	rates     [4]int64
	now       int64
	kernel    int
	iter      int
	ran       int64
	uses      int
	pending   []workload.TensorID
	needing   bool
	inMoved   bool
	rerunning bool
	tight     bool
	owed      unit.Cycles
	lent      []workload.TensorID
	err       error
	s         Swapper
	it        result.Iteration
	sw        result.Swapping
	overlap   bool
}

func (r *slowRun) size(t workload.TensorID) unit.Bytes { return r.w.Tensors[t].Bytes.Aligned() }

func (r *slowRun) onGPU(t workload.TensorID) bool {
	return slices.Contains([]string{"here", "leaving", "coming"}, r.x[t].where)
}

func (r *slowRun) used() (n unit.Bytes) {
	if r.alloc != nil {
		return r.alloc.Used()
	}
	for t := range r.x {
		if r.onGPU(workload.TensorID(t)) {
			n += r.size(workload.TensorID(t))
		}
	}
	for _, l := range r.lanes {
		for _, m := range l {
			if m.orphan {
				n += unit.Bytes(m.bytes)
			}
		}
	}
	return n
}

func (r *slowRun) hostUsed() unit.Bytes { return r.usedOf(machine.Host) }

func (r *slowRun) usedOf(place machine.Tier) (n unit.Bytes) {
	for t := range r.x {
		for _, tier := range []machine.Tier{r.x[t].copy, r.x[t].making} {
			if tier == place {
				n += r.size(workload.TensorID(t))
			}
		}
	}
	return n
}

func (r *slowRun) Now() unit.Cycles      { return unit.Cycles(r.now) }
func (r *slowRun) FreeBytes() unit.Bytes { return r.capacity - r.used() }
func (r *slowRun) Iteration() int        { return r.iter }
func (r *slowRun) LowMemory() bool       { return r.tight }

func (r *slowRun) Movable(t workload.TensorID) bool {
	return r.x[t].where == "here" && r.x[t].pins == 0
}

func (r *slowRun) oldest() (list []workload.TensorID) {
	for t := range r.x {
		if r.Movable(workload.TensorID(t)) {
			list = append(list, workload.TensorID(t))
		}
	}
	slices.SortFunc(list, func(a, b workload.TensorID) int { return r.x[a].last - r.x[b].last })
	return list
}

func (r *slowRun) look(t workload.TensorID) string {
	x := &r.x[t]
	block := unit.Bytes(0)
	if r.onGPU(t) {
		if block = r.size(t); r.alloc != nil {
			_, block = r.alloc.Range(x.block)
		}
	}
	here := x.where == "here" || x.where == "leaving"
	return fmt.Sprint(x.where, true, here, here && x.copy == machine.Nowhere, r.size(t), x.copy, x.making, x.wanted, x.early, x.lent, x.pins > 0, x.pins, block)
}

func (r *slowRun) NextUse(t workload.TensorID) int {
	n := len(r.exec)
	for d := range n {
		k := r.kernel + d
		if k >= n && !r.w.Tensors[t].Global {
			return Never
		}
		if slices.Contains(r.sets[k%n], t) {
			return d
		}
	}
	return Never
}

func (r *slowRun) pace() {
	m := &r.c.Machine
	read, write := r.c.SSDRates(len(r.lanes[0]) > 0 && len(r.lanes[1]) > 0)
	busy := func(lane int, rate unit.Bandwidth) int64 { return int64(rate) * int64(min(1, len(r.lanes[lane]))) }
	in, out := int64(m.GPULink), int64(m.GPULink)
	both := 2 * in * (1000 - m.DuplexLoss) / 1000
	if other := busy(0, write) + busy(2, m.HostLink); other > 0 && m.DuplexLoss > 0 {
		in = min(in, max(both/2, both-other))
	}
	if other := busy(1, read) + busy(3, m.HostLink); other > 0 && m.DuplexLoss > 0 {
		out = min(out, max(both/2, both-other))
	}
	rates := [4]int64{min(int64(write), out), min(int64(read), in), int64(m.HostLink), int64(m.HostLink)}
	rates[2] = min(rates[2], out-busy(0, unit.Bandwidth(rates[0])))
	rates[3] = min(rates[3], in-busy(1, unit.Bandwidth(rates[1])))
	// Half a byte is lost when the rate changes.
	for i := range rates {
		if rates[i] != r.rates[i] {
			r.cut(i)
		}
	}
	r.rates = rates
}

func (r *slowRun) cut(i int) {
	if len(r.lanes[i]) > 0 {
		m := r.lanes[i][0]
		m.done = min(m.done, m.bytes*int64(r.c.Machine.Clock))
		m.done -= m.done % int64(r.c.Machine.Clock)
	}
}

func (r *slowRun) enqueue(lane int, t workload.TensorID) {
	m := &refMove{t: t, bytes: int64(r.size(t))}
	r.x[t].move = m
	r.lanes[lane] = append(r.lanes[lane], m)
	if len(r.lanes[lane]) == 1 {
		m.moving, m.after = true, r.now+r.cost()
		if lane < 2 {
			m.after += int64(r.c.Machine.Clock.CyclesUp(r.c.Machine.SSDLatency))
		}
		r.pace()
	}
}

// cost is what every transfer takes before it moves anything.
func (r *slowRun) cost() int64 { return int64(r.c.Machine.Clock.CyclesUp(r.c.Machine.TransferCost)) }

func laneOf(tier machine.Tier, in int) int {
	if tier == machine.Host {
		return 2 + in
	}
	return in
}

// tick lets a cycle pass.
func (r *slowRun) tick() {
	busy := false
	for i, l := range r.lanes {
		if len(l) == 0 {
			continue
		}
		busy = true
		if r.now >= l[0].after {
			l[0].done += r.rates[i]
		}
	}
	if busy && r.overlap {
		r.it.Overlap++
	}
	r.now++
}

// ended ends one transfer that has moved all, if there is one.
func (r *slowRun) ended() bool {
	for i, l := range r.lanes {
		if len(l) == 0 || l[0].done < l[0].bytes*int64(r.c.Machine.Clock) {
			continue
		}
		m := l[0]
		r.tell(i, m)
		if r.lanes[i] = l[1:]; len(l) > 1 {
			l[1].moving, l[1].after = true, r.now+r.cost()
		}
		r.pace()
		x := &r.x[m.t]
		switch {
		case m.orphan:
			if r.alloc != nil {
				r.alloc.Free(m.block)
			}
		case i%2 == 0:
			x.copy, x.making, x.move = x.making, machine.Nowhere, nil
			if x.where == "leaving" {
				r.free(m.t)
				x.where = "away"
			} else if r.c.Runtime.(Memory).Copies {
				x.copy = machine.Nowhere
			}
		default:
			x.where, x.move = "here", nil
			r.use(m.t)
			if r.c.Runtime.(Memory).Copies {
				x.copy = machine.Nowhere
			}
		}
		r.serve()
		if !m.orphan {
			was := r.inMoved
			r.inMoved = true
			r.s.(Mover).Moved(m.t)
			r.inMoved = was
		}
		return true
	}
	return false
}

// tell counts what m has moved.
func (r *slowRun) tell(i int, m *refMove) {
	n := min(m.done/int64(r.c.Machine.Clock), m.bytes) - m.told
	m.told += n
	*[]*unit.Bytes{&r.it.Traffic.SSDOut, &r.it.Traffic.SSDIn, &r.it.Traffic.HostOut, &r.it.Traffic.HostIn}[i] += unit.Bytes(n)
}

func (r *slowRun) wait(cause result.Cause) bool {
	for !r.ended() {
		if r.idle() {
			return false
		}
		r.tick()
		*r.it.Ledger.At(cause)++
	}
	return true
}

func (r *slowRun) idle() bool {
	for _, l := range r.lanes {
		if len(l) > 0 {
			return false
		}
	}
	return true
}

func (r *slowRun) pass(d unit.Cycles, cause result.Cause) {
	until := r.now + int64(d)
	for {
		for r.ended() {
		}
		if r.now == until {
			return
		}
		r.tick()
		if cause != result.NumCauses {
			*r.it.Ledger.At(cause)++
		}
	}
}

func (r *slowRun) use(t workload.TensorID) {
	r.uses++
	r.x[t].last = r.uses
}

// free gives up t's memory.
func (r *slowRun) free(t workload.TensorID) {
	x := &r.x[t]
	if x.move != nil && x.move.moving {
		x.move.orphan, x.move.block = true, x.block
	} else if r.alloc != nil {
		r.alloc.Free(x.block)
	}
	r.unlist(t)
}

// unlist takes t's transfer out of its lane if it has not begun.
func (r *slowRun) unlist(t workload.TensorID) {
	x := &r.x[t]
	if m := x.move; m != nil && !m.moving {
		for i := range r.lanes {
			r.lanes[i] = slices.DeleteFunc(r.lanes[i], func(o *refMove) bool { return o == m })
		}
	}
	x.move = nil
}

func (r *slowRun) drop(t workload.TensorID, to string) {
	if r.onGPU(t) {
		r.free(t)
	}
	x := &r.x[t]
	x.copy, x.making, x.where = machine.Nowhere, machine.Nowhere, to
	x.wanted, x.early, x.lent = false, false, false
}

// memory gives t memory if there is some: with effort 0 of what the limit allows, with
// 1 wherever it fits, with 2 after trimming.
func (r *slowRun) memory(t workload.TensorID, effort int) bool {
	if r.alloc == nil {
		ok := r.used()+r.size(t) <= r.capacity
		return ok
	}
	s := r.c.Runtime.(Memory).Rules
	id, ok := r.alloc.Cached(r.size(t))
	if !ok {
		segment := caching.Segment(caching.Rounded(r.size(t)))
		limit := r.capacity
		if effort == 0 && r.size(t) >= s.Least && s.Reclaim {
			limit = unit.Bytes(unit.MulDiv(int64(r.capacity), s.Limit, 1e6))
		}
		if effort == 2 && r.alloc.Reserved()+segment > r.capacity {
			r.alloc.Trim()
		}
		if r.alloc.Reserved()+segment > limit {
			return false
		}
		if id, ok = r.alloc.Alloc(r.size(t)); !ok {
			return false
		}
		m := &r.c.Machine
		r.owed += m.Clock.CyclesUp(unit.Time(int64(segment) * m.AllocRate / 1000))
	}
	r.x[t].block = id
	return true
}

func (r *slowRun) spend() {
	reserved := r.used()
	if r.alloc != nil {
		reserved = r.alloc.Reserved()
	}
	r.sw.Reserved = max(r.sw.Reserved, reserved)
}

func (r *slowRun) least() int {
	if r.c.Runtime.(Memory).Reclaim {
		return 0
	}
	return 2
}

// leaving counts transfers that give memory back.
func (r *slowRun) leaving() bool {
	for t := range r.x {
		if r.x[t].where == "leaving" {
			return true
		}
	}
	for _, l := range r.lanes {
		for _, m := range l {
			if m.orphan {
				return true
			}
		}
	}
	return false
}

func (r *slowRun) room(t workload.TensorID, k int) error {
	was := r.needing
	r.needing = true
	defer func() { r.needing = was }()
	need := r.size(t)
	for effort := r.least(); !r.memory(t, effort); {
		if r.alloc != nil {
			if free := r.alloc.Reserved() - r.alloc.Used(); free >= need {
				r.sw.Fragmented = max(r.sw.Fragmented, free)
			}
		}
		if r.leaving() {
			r.wait(result.Eviction)
			continue
		}
		if r.dropLent() {
			continue
		}
		r.tight = effort > 0
		left := false
		for _, v := range r.s.NoRoom(need) {
			if r.leave(v, machine.Host) {
				r.sw.Forced++
				left = true
			}
		}
		if left {
			effort = r.least()
			continue
		}
		if effort < 2 {
			effort++
			continue
		}
		coming := false
		for u := range r.x {
			coming = coming || r.x[u].where == "coming"
		}
		if !coming {
			return &engine.DoesNotFit{Reason: "reference"}
		}
		r.wait(result.Eviction)
		effort = r.least()
	}
	return nil
}

func (r *slowRun) dropLent() bool {
	for i, t := range r.lent {
		if x := &r.x[t]; x.lent && x.pins == 0 && x.where == "here" {
			r.drop(t, "gone")
			r.lent = slices.Delete(r.lent, i, i+1)
			return true
		}
	}
	return false
}

func (r *slowRun) goneTo(t workload.TensorID) string {
	if !r.w.Tensors[t].Global && int(r.life.Death[t]) <= r.kernel {
		return "nowhere"
	}
	return "gone"
}

func (r *slowRun) leave(t workload.TensorID, to machine.Tier) bool {
	x := &r.x[t]
	if !r.Movable(t) {
		return false
	}
	x.early, x.lent = false, false
	if x.copy != machine.Nowhere {
		r.free(t)
		x.where = "away"
		r.serve()
		return true
	}
	x.where = "leaving"
	if x.making == machine.Nowhere {
		if to == machine.Host && r.hostUsed()+r.size(t) > r.c.Machine.HostMemory {
			to = machine.SSD
		}
		x.making = to
		r.enqueue(laneOf(to, 0), t)
	}
	return true
}

func (r *slowRun) stay(t workload.TensorID) {
	x := &r.x[t]
	x.where = "here"
	if x.move == nil || !x.move.moving {
		r.unlist(t)
		x.making = machine.Nowhere
	}
}

func (r *slowRun) fetch(t workload.TensorID) {
	r.x[t].where = "coming"
	r.spend()
	r.enqueue(laneOf(r.x[t].copy, 1), t)
}

// serve starts what is wanted.
func (r *slowRun) serve() {
	for !r.needing && len(r.pending) > 0 {
		t := r.pending[0]
		x := &r.x[t]
		if x.wanted && x.where == "away" {
			if len(r.lanes[laneOf(x.copy, 1)]) > 0 || !r.memory(t, r.least()) {
				return
			}
			x.early = true
			r.sw.Early++
			r.fetch(t)
		}
		x.wanted = false
		r.pending = r.pending[1:]
	}
}

func (r *slowRun) OffloadTo(t workload.TensorID, to machine.Tier) bool {
	if !r.leave(t, to) {
		return false
	}
	r.sw.Ahead++
	return true
}

func (r *slowRun) Copy(t workload.TensorID, to machine.Tier) bool {
	x := &r.x[t]
	writes := slices.Contains(r.w.Kernels[r.kernel].Outputs, t)
	if x.where != "here" || x.copy != machine.Nowhere || x.making != machine.Nowhere || x.pins > 0 && (r.rerunning || writes) {
		return false
	}
	if to == machine.Host && r.hostUsed()+r.size(t) > r.c.Machine.HostMemory {
		to = machine.SSD
	}
	x.making = to
	r.enqueue(laneOf(to, 0), t)
	return true
}

func (r *slowRun) Forget(t workload.TensorID) bool {
	x := &r.x[t]
	if x.where != "here" || x.move != nil && x.move.moving || x.copy == machine.Nowhere && x.making == machine.Nowhere {
		return false
	}
	r.unlist(t)
	x.copy, x.making = machine.Nowhere, machine.Nowhere
	return true
}

func (r *slowRun) Idle(tier machine.Tier, out bool) bool {
	side := 1
	if out {
		side = 0
	}
	return len(r.lanes[laneOf(tier, side)]) == 0
}

func (r *slowRun) Fetch(t workload.TensorID) bool {
	x := &r.x[t]
	switch x.where {
	case "leaving":
		r.stay(t)
		return true
	case "here", "coming":
		return true
	case "away":
		if r.needing || !r.memory(t, r.least()) {
			return false
		}
		x.wanted, x.early = false, true
		r.sw.Early++
		r.fetch(t)
		return true
	}
	return false
}

func (r *slowRun) Want(t workload.TensorID) {
	x := &r.x[t]
	if x.where == "leaving" {
		r.stay(t)
	}
	if x.where == "away" && !x.wanted {
		x.wanted = true
		r.pending = append(r.pending, t)
		r.serve()
	}
}

func (r *slowRun) writer(t workload.TensorID, before int) int {
	for k := before - 1; k >= 0; k-- {
		if slices.Contains(r.w.Kernels[k].Outputs, t) {
			return k
		}
	}
	return -1
}

func (r *slowRun) Discard(t workload.TensorID) bool {
	x := &r.x[t]
	if r.rerunning || x.pins > 0 || r.w.Tensors[t].Global || x.where == "nowhere" || x.where == "gone" || r.writer(t, r.kernel) < 0 {
		return false
	}
	r.drop(t, "gone")
	return true
}

func (r *slowRun) Recompute(t workload.TensorID) {
	if r.err == nil && !r.inMoved && r.x[t].where == "gone" {
		r.err = r.recompute(t, r.kernel)
	}
}

func (r *slowRun) Barrier() {
	if r.inMoved {
		return
	}
	for {
		cause := result.LatePrefetch
		if r.leaving() || len(r.lanes[0])+len(r.lanes[2]) > 0 {
			cause = result.Eviction
		}
		if !r.wait(cause) {
			return
		}
	}
}

func (r *slowRun) gone(t workload.TensorID) bool {
	return r.x[t].where == "gone" || r.x[t].where == "nowhere"
}

// recompute goes back over the kernels before k and finds those that write what is
// needed and gone, then runs them.
func (r *slowRun) recompute(t workload.TensorID, k int) error {
	r.rerunning = true
	defer func() { r.rerunning = false }()
	need := map[workload.TensorID]bool{t: true}
	var list []int
	for p := k - 1; p >= 0; p-- {
		again := false
		for _, u := range r.w.Kernels[p].Outputs {
			again = again || need[u]
			delete(need, u)
		}
		if again {
			list = slices.Insert(list, 0, p)
			for _, u := range r.w.Kernels[p].Inputs {
				if r.gone(u) {
					need[u] = true
				}
			}
		}
	}
	hold := func(u workload.TensorID) {
		r.x[u].held = true
		r.x[u].pins++
	}
	for u := range r.x {
		for _, p := range list {
			if r.x[u].lent && !r.x[u].held && slices.Contains(r.sets[p], workload.TensorID(u)) {
				hold(workload.TensorID(u))
			}
		}
	}
	for i, p := range list {
		for _, u := range r.sets[p] {
			r.x[u].pins++
		}
		for _, u := range r.sets[p] {
			input := slices.Contains(r.w.Kernels[p].Inputs, u)
			if r.gone(u) {
				if err := r.birth(u, p); err != nil {
					return err
				}
				r.x[u].lent = true
				hold(u)
				r.lent = append(r.lent, u)
			} else if input {
				if err := r.ask(u, p, true); err != nil {
					return err
				}
			}
		}
		for _, u := range r.w.Kernels[p].Inputs {
			r.await(u)
		}
		r.pay()
		r.pass(r.exec[p], result.Recomputation)
		r.sw.Recomputed++
		for _, u := range r.sets[p] {
			r.x[u].pins--
			if r.x[u].where == "here" || r.x[u].where == "leaving" {
				r.use(u)
			}
		}
		for _, u := range r.sets[p] {
			later := u == t
			for _, q := range list[i+1:] {
				later = later || slices.Contains(r.sets[q], u)
			}
			if x := &r.x[u]; x.lent && !later {
				if x.held {
					x.held = false
					x.pins--
				}
				if r.goneTo(u) == "nowhere" {
					r.drop(u, "nowhere")
				}
			}
		}
	}
	if r.x[t].held {
		r.x[t].held = false
		r.x[t].pins--
	}
	r.x[t].lent = false
	r.lent = slices.DeleteFunc(r.lent, func(u workload.TensorID) bool { return !r.x[u].lent })
	return nil
}

func (r *slowRun) birth(t workload.TensorID, k int) error {
	if err := r.room(t, k); err != nil {
		return err
	}
	r.x[t].where = "here"
	r.spend()
	r.use(t)
	return nil
}

func (r *slowRun) ask(t workload.TensorID, k int, reads bool) error {
	x := &r.x[t]
	switch x.where {
	case "leaving":
		r.stay(t)
	case "coming":
		if x.early {
			r.sw.Late++
		}
	case "away":
		if err := r.room(t, k); err != nil {
			return err
		}
		if x.wanted {
			x.wanted, x.early = false, true
			r.sw.Early++
			r.sw.Late++
		} else {
			r.sw.Demand++
		}
		r.fetch(t)
	case "gone":
		if reads {
			return r.recompute(t, k)
		}
		return r.birth(t, k)
	case "nowhere":
		return r.birth(t, k)
	}
	return nil
}

func (r *slowRun) await(t workload.TensorID) {
	x := &r.x[t]
	if x.where != "coming" {
		return
	}
	early, from := x.early, r.now
	cause := map[machine.Tier]result.Cause{machine.Host: result.HostRead, machine.SSD: result.SSDRead}[x.copy]
	if early {
		cause = result.LatePrefetch
	}
	for x.where == "coming" {
		r.wait(cause)
	}
	if early && r.now > from {
		r.s.Late(t, unit.Cycles(r.now-from))
	}
}

func (r *slowRun) pay() {
	for r.owed > 0 {
		d := r.owed
		r.owed = 0
		r.pass(d, result.Allocation)
	}
}

func refRun(w *workload.Workload, c engine.Config, swapper func(driver) Swapper) (*result.Result, error) {
	r := &slowRun{
		w: w, c: c, life: vitality.Analyze(w), sets: w.Sets().All, exec: engine.Ideal(w, c),
		x: make([]refTensor, len(w.Tensors)), iter: -1,
	}
	s := c.Runtime.(Memory).Rules
	held := unit.Bytes(w.HeldPages()) * unit.Page
	reserve := c.Machine.GPUMemory
	if s.Reserve > 0 {
		reserve = unit.Bytes(unit.MulDiv(int64(reserve), s.Reserve, 1e6)) / unit.Page * unit.Page
	}
	if r.capacity = reserve - held; r.capacity < 0 {
		return nil, &engine.DoesNotFit{Reason: "reference"}
	}
	if s.Allocator == PyTorch {
		r.alloc = caching.New(r.capacity)
	}
	for t := range r.x {
		x := &r.x[t]
		if x.where = "nowhere"; w.Tensors[t].Global && len(r.life.Uses(workload.TensorID(t))) > 0 {
			x.where, x.copy = "away", machine.SSD
			if r.hostUsed()+r.size(workload.TensorID(t)) <= c.Machine.HostMemory {
				x.copy = machine.Host
			}
		}
	}
	for _, set := range r.sets {
		var sum unit.Bytes
		for _, t := range set {
			sum += r.size(t)
		}
		if sum > r.capacity {
			return nil, &engine.DoesNotFit{Reason: "reference"}
		}
	}
	r.pace()
	r.s = swapper(r)
	res := engine.NewResult(c, r.exec)
	for i := range int(s.Warm) + c.Iterations {
		begun := r.now
		r.iter, r.it, r.sw = i, result.Iteration{}, result.Swapping{}
		r.spend()
		res.Kernels = nil
		for k := range r.exec {
			start := r.now
			r.kernel = k
			r.s.Launch(workload.KernelID(k))
			if r.err != nil {
				return nil, r.err
			}
			for _, t := range r.sets[k] {
				r.x[t].pins++
			}
			for _, t := range r.sets[k] {
				if err := r.ask(t, k, slices.Contains(w.Kernels[k].Inputs, t)); err != nil {
					return nil, err
				}
			}
			for _, t := range r.sets[k] {
				r.await(t)
			}
			for _, t := range w.Kernels[k].Outputs {
				if x := &r.x[t]; x.where == "here" && x.making != machine.Nowhere && !x.move.moving {
					r.unlist(t)
					x.making = machine.Nowhere
				}
			}
			for _, t := range w.Kernels[k].Outputs {
				for m := r.x[t].move; m != nil && m.moving && r.x[t].move == m; {
					r.wait(result.Eviction)
				}
			}
			r.pay()
			r.overlap = true
			r.pass(r.exec[k], result.NumCauses)
			r.overlap = false
			res.Kernels = append(res.Kernels, result.Kernel{
				Start: unit.Cycles(start - begun), End: unit.Cycles(r.now - begun), Ideal: r.exec[k], GPU: held + r.used(), Host: r.hostUsed(),
			})
			r.sw.SSD = max(r.sw.SSD, r.usedOf(machine.SSD))
			for _, t := range w.Kernels[k].Outputs {
				r.unlist(t)
				r.x[t].copy, r.x[t].making = machine.Nowhere, machine.Nowhere
			}
			dead := func(t workload.TensorID) bool { return !w.Tensors[t].Global && int(r.life.Death[t]) <= k+1 }
			for _, t := range r.sets[k] {
				r.x[t].pins--
				r.x[t].early, r.x[t].lent = false, false
				r.use(t)
				if dead(t) {
					r.drop(t, "nowhere")
				}
			}
			if r.ran++; s.Trim > 0 && r.ran%s.Trim == 0 && r.alloc != nil {
				r.alloc.Trim()
			}
			r.kernel = (k + 1) % len(r.exec)
			r.serve()
			for _, t := range r.sets[k] {
				if !dead(t) {
					r.s.Used(t)
				}
			}
			r.spend()
		}
		for i, l := range r.lanes {
			if len(l) > 0 {
				r.tell(i, l[0])
				r.cut(i)
			}
		}
		r.it.Time = unit.Cycles(r.now - begun)
		r.it.Stall = r.it.Time - res.Ideal
		r.it.Compute = res.Ideal - r.it.Overlap
		sw := r.sw
		r.it.Swapping = &sw
		res.Iterations = append(res.Iterations, r.it)
	}
	res.Reported = len(res.Iterations) - 1
	return res, nil
}

// slowMachine has a clock of 1 kHz and moves a page in some tens of cycles.
func slowMachine(r *rand.Rand, pages int64) machine.Machine {
	rate := func() unit.Bandwidth { return unit.Bandwidth(unit.Page) * 1000 / unit.Bandwidth(3+r.IntN(30)) }
	m := machine.Machine{GPUMemory: unit.Bytes(pages) * unit.Page, Clock: 1000, AllocRate: int64(r.IntN(3000))}
	m.HostLink = rate()
	m.GPULink = m.HostLink + unit.Bandwidth(r.Int64N(int64(m.HostLink)))
	m.SSDRead, m.SSDWrite = min(rate(), m.GPULink), min(rate(), m.GPULink)
	m.DuplexLoss = []int64{0, r.Int64N(501)}[r.IntN(2)]
	m.SSDLatency = unit.Time(r.IntN(20)) * unit.Millisecond
	m.HostMemory = []unit.Bytes{0, unit.Bytes(r.IntN(30)) * unit.Page, unit.GiB}[r.IntN(3)]
	m.TransferCost = []unit.Time{0, unit.Time(r.IntN(30)) * unit.Millisecond}[r.IntN(2)]
	return m
}

func slowWorkload(r *rand.Rand, scale int64) *workload.Workload {
	w := &workload.Workload{Name: "random", Batch: 1}
	for i := range 2 + r.IntN(10) {
		w.Tensors = append(w.Tensors, workload.Tensor{
			Name: fmt.Sprint("t", i), Bytes: unit.Bytes(1 + r.Int64N(6*scale*int64(unit.Page))), Global: r.IntN(4) == 0,
		})
	}
	for i := range 1 + r.IntN(14) {
		k := workload.Kernel{Name: fmt.Sprint("k", i), Time: unit.Time(1+r.IntN(60)) * unit.Millisecond}
		for _, t := range r.Perm(len(w.Tensors))[:1+r.IntN(min(4, len(w.Tensors)))] {
			side := r.IntN(3)
			if side != 0 {
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			}
			if side != 1 {
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			}
		}
		w.Kernels = append(w.Kernels, k)
	}
	return w
}

// TestSwapReference compares swap runs with the reference: every time and count, and
// all that the swapper saw on the way.
func TestReference(t *testing.T) {
	fits, not := 0, 0
	var seen result.Swapping
	for seed := range how.Seeds(960) {
		r := rand.New(rand.NewPCG(seed, 5))
		c := engine.Config{Iterations: 1 + r.IntN(3)}
		var w *workload.Workload
		s := &Rules{}
		s.Copies = r.IntN(3) == 0
		s.Warm = int64(r.IntN(2))
		if r.IntN(3) == 0 {
			s.Allocator, s.Trim = PyTorch, int64(r.IntN(4))
			s.Reclaim, s.Limit, s.Least = r.IntN(2) == 0, int64(r.IntN(1_000_001)), unit.Bytes(r.IntN(2))*64*unit.Page
			w = slowWorkload(r, 100)
			c.Machine = slowMachine(r, 2560+r.Int64N(10_000))
			for _, rate := range []*unit.Bandwidth{&c.Machine.GPULink, &c.Machine.HostLink, &c.Machine.SSDRead, &c.Machine.SSDWrite} {
				*rate *= 100
			}
			c.Machine.AllocRate = c.Machine.AllocRate * 1000
		} else {
			w = slowWorkload(r, 1)
			c.Machine = slowMachine(r, 8+r.Int64N(20))
		}
		if s.Reserve = 0; r.IntN(4) == 0 {
			s.Reserve = 950_000
		}
		if m := &c.Machine; r.IntN(3) == 0 {
			c.Drive = &engine.Drive{Read: m.SSDRead, Write: m.SSDWrite, MixedRead: m.SSDRead/2 + 1, MixedWrite: m.SSDWrite/3 + 1}
		}
		style := 0
		if s.Reclaim {
			style = 1
		}
		var real, ref *tosser
		c.Runtime = Memory{Rules: *s, Swapper: func(run *Run) (Swapper, error) {
			real = &tosser{d: realRun{run}, r: rand.New(rand.NewPCG(seed, 6)), n: len(w.Tensors), style: style}
			return real, nil
		}}
		got, err := engine.Run(w, &program.Program{}, c)
		want, wantErr := refRun(w, c, func(d driver) Swapper {
			ref = &tosser{d: d, r: rand.New(rand.NewPCG(seed, 6)), n: len(w.Tensors), style: style}
			return ref
		})
		if real != nil && ref != nil {
			for i := range min(len(real.log), len(ref.log)) {
				if real.log[i] != ref.log[i] {
					t.Fatalf("seed %d, %+v: call %d\n%s\nreference\n%s\nbefore\n%s", seed, *s, i, real.log[i], ref.log[i], strings.Join(ref.log[max(0, i-3):i], "\n"))
				}
			}
			if len(real.log) != len(ref.log) {
				t.Fatalf("seed %d, %+v: %d calls, the reference %d; %v, %v", seed, *s, len(real.log), len(ref.log), err, wantErr)
			}
		}
		var no *engine.DoesNotFit
		if (err == nil) != (wantErr == nil) || err != nil && !errors.As(err, &no) {
			t.Fatalf("seed %d: %v, the reference %v", seed, err, wantErr)
		}
		if err != nil {
			not++
			continue
		}
		fits++
		if warm := len(got.Notes) > 0 && strings.HasPrefix(got.Notes[0], "The first "); warm != (s.Warm > 0) {
			t.Fatalf("seed %d: warm-up of %d iterations, notes %q", seed, s.Warm, got.Notes)
		}
		got.Notes = nil
		if d := c.Drive; d != nil {
			if x := got.SSD; x.Read > d.Read || x.Read < d.MixedRead-1 || x.Write > d.Write || x.Write < d.MixedWrite-1 {
				t.Fatalf("seed %d: delivered %+v of %+v", seed, *x, *d)
			}
			got.SSD = nil
		}
		for i := range got.Iterations {
			a, b := got.Iterations[i], want.Iterations[i]
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, %+v: iteration %d\n%+v %+v\nreference\n%+v %+v", seed, *s, i, a, *a.Swapping, b, *b.Swapping)
			}
			seen.Demand += a.Swapping.Demand
			seen.Early += a.Swapping.Early
			seen.Late += a.Swapping.Late
			seen.Forced += a.Swapping.Forced
			seen.Ahead += a.Swapping.Ahead
			seen.Recomputed += a.Swapping.Recomputed
			seen.Fragmented += a.Swapping.Fragmented
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%+v\nreference\n%+v", seed, got, want)
		}
	}
	t.Logf("%d fit, %d do not; %+v", fits, not, seen)
	if fits < not || min(seen.Demand, seen.Early, seen.Late, seen.Forced, seen.Ahead, seen.Recomputed, int64(seen.Fragmented)) == 0 {
		t.Errorf("%d fit, %d do not; %+v: something is never tried", fits, not, seen)
	}
}
