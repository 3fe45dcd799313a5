package capuchin

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A policy is passive in the first iteration and follows a plan from then on, unless that
// takes longer.
type policy struct {
	*swap.Run
	feedback int64 // percent
	plan     *planner
	// due are the gaps whose in-trigger is a kernel, by kernel, in order of their back
	// accesses; early is by how much each gap's begins earlier than planned.
	due   [][]int32
	early []unit.Cycles
	moved bool // some early has changed

	begun   unit.Cycles // the present iteration
	passive unit.Cycles // what the measured iteration took
	planned unit.Cycles // what a planned one took that was slower; 0: none, the plan is followed
}

func newPolicy(r *swap.Run, feedback int64) *policy {
	return &policy{Run: r, feedback: feedback}
}

// measured makes the plan from the measured iteration: when kernels ran, without what
// they waited.
func (c *policy) measured() {
	exec := make([]unit.Cycles, len(c.Workload.Kernels))
	for k := range exec {
		exec[k] = c.Exec(workload.KernelID(k))
	}
	rate := func(to machine.Tier) func(unit.Bytes) unit.Cycles {
		return func(n unit.Bytes) unit.Cycles {
			return max(c.TransferTime(n, to, true), c.TransferTime(n, to, false))
		}
	}
	held := unit.Bytes(c.Workload.HeldPages()) * unit.Page // which counts as alive
	c.plan = newPlanner(c.Workload, exec, swaps{rate(machine.Host), rate(machine.SSD), c.HostMemory()}, c.Capacity()+held)
	c.plan.tell = c.Progress
	c.plan.plan()
	c.early = make([]unit.Cycles, len(c.plan.gaps))
	c.moved = true
}

// Launch sends for the tensors whose in-trigger is kernel k.
func (c *policy) Launch(k workload.KernelID) {
	if k == 0 {
		c.begin()
	}
	if !c.guided() {
		return
	}
	for _, id := range c.due[k] {
		c.Want(c.plan.gaps[id].tensor)
	}
}

// begin makes the plan when the measured iteration has ended, and gives it up when an
// iteration that followed it took longer. The first one does not count: it begins with
// what passive mode left.
func (c *policy) begin() {
	took := c.Now() - c.begun
	c.begun = c.Now()
	switch i := c.Iteration(); {
	case i == 1:
		c.passive = took
		c.measured()
	case i > 2 && c.planned == 0 && took > c.passive:
		c.planned = took
	}
	if c.moved {
		c.due = c.plan.triggers(c.early)
		c.moved = false
	}
}

// guided reports whether the plan is followed.
func (c *policy) guided() bool { return c.plan != nil && c.planned == 0 }

// triggers returns the gaps whose in-trigger is a kernel, by kernel: the latest access at
// or before the start of the way back, earlier by as much as early says but not where
// memory is short.
func (p *planner) triggers(early []unit.Cycles) [][]int32 {
	n := len(p.exec)
	due := make([][]int32, n)
	for i := range p.gaps {
		g := &p.gaps[i]
		if g.choice != offload {
			continue
		}
		k := min(g.in, sort.Search(2*n, func(k int) bool { return p.start[k+1] > g.start-early[i] }))
		at := g.in
		for at > max(k, g.out+1) && p.over[(at-1)%n]+g.size <= 0 {
			at--
		}
		due[at%n] = append(due[at%n], int32(i))
	}
	for k := range due {
		slices.SortFunc(due[k], func(x, y int32) int {
			return cmp.Or(cmp.Compare(p.gaps[x].until(k, n), p.gaps[y].until(k, n)), cmp.Compare(x, y))
		})
	}
	return due
}

// until is how many kernels after kernel k the back access is.
func (g *gap) until(k, n int) int {
	if d := g.to%n - k; d >= 0 {
		return d
	}
	return g.to%n - k + n
}

// Used lets a tensor leave, or gives it up, at its evicted access.
func (c *policy) Used(t workload.TensorID) {
	if !c.guided() {
		return
	}
	n := len(c.plan.exec)
	k := (int(c.Kernel()) + n - 1) % n // the kernel that has ended
	for _, id := range c.plan.of[t] {
		switch g := &c.plan.gaps[id]; {
		case g.from != k:
		case g.choice == offload && g.onSSD:
			c.OffloadTo(t, machine.SSD)
		case g.choice == offload:
			c.Offload(t)
		case g.choice == recompute:
			c.Discard(t)
		}
	}
}

// NoRoom is passive mode.
func (c *policy) NoRoom(need unit.Bytes) []workload.TensorID {
	need -= c.FreeBytes()
	for t := range c.Oldest() {
		if size := c.Size(t); size >= need && size <= 2*need {
			return []workload.TensorID{t}
		}
	}
	var list []workload.TensorID
	for _, least := range [2]unit.Bytes{smallest(c.Capacity()), 0} {
		for t := range c.Oldest() {
			if need <= 0 {
				return list
			}
			if size := c.Size(t); size >= least && (least > 0 || size < smallest(c.Capacity())) {
				list = append(list, t)
				need -= size
			}
		}
	}
	return list
}

// Late moves an in-trigger earlier.
func (c *policy) Late(t workload.TensorID, _ unit.Cycles) {
	if !c.guided() {
		return
	}
	n := len(c.plan.exec)
	for _, id := range c.plan.of[t] {
		if g := &c.plan.gaps[id]; g.choice == offload && g.to%n == int(c.Kernel()) {
			c.early[id] += unit.Cycles(unit.MulDiv(int64(g.time), c.feedback, 100))
			c.moved = true
		}
	}
}

// Notes says what the plan is.
func (c *policy) Notes() []string {
	if c.plan == nil {
		return nil
	}
	var count [recompute + 1]int
	var bytes [recompute + 1]unit.Bytes
	for i := range c.plan.gaps {
		g := &c.plan.gaps[i]
		count[g.choice]++
		bytes[g.choice] += g.size
	}
	if count[offload]+count[recompute] == 0 {
		if slices.Max(c.plan.need()) > 0 {
			return []string{"No swap and no recomputation that could be planned is worth it, so all is passive mode."}
		}
		return []string{"The measured iteration's tensors fit into GPU memory, so nothing is planned."}
	}
	notes := []string{fmt.Sprintf("The plan swaps tensors %d times, %v in all, and computes tensors again %d times, %v in all.",
		count[offload], bytes[offload], count[recompute], bytes[recompute])}
	if c.planned > 0 {
		notes = append(notes, fmt.Sprintf("An iteration with the plan took %.2f times as long as the measured one without it, so the plan was given up, and what is reported is passive mode.",
			float64(c.planned)/float64(c.passive)))
	}
	return notes
}
