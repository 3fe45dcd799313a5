package teraio

import (
	"fmt"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An axis walks a job as if all tensors were on their GPUs.
type axis struct {
	j *job.Job
	n *machine.Node
	// By part and kernel, a list of the sends that come, and of the collectives it is a member
	// of and waits for: the first of a list, -1 if there is none.
	sends, members, waits [][]int32
	nextSend              []int32
	nextMember, nextWait  []link
	// Of each collective, how many members have come, and when it ends.
	come []int
	ends []unit.Time
	done []bool
	end  [][]unit.Time // of kernels
}

// A link is an entry of a list of collectives.
type link struct{ collective, next int32 }

// timeline returns how long each kernel of each part lasts if all tensors are on their GPUs,
// with what it waits for other GPUs; the wait until the next iteration is the first kernel's.
// Waits are time in which transfers go on.
func timeline(j *job.Job, n *machine.Node) ([][]int64, error) {
	a := &axis{j: j, n: n, nextSend: make([]int32, len(j.Sends)), come: make([]int, len(j.Collectives)), ends: make([]unit.Time, len(j.Collectives)), done: make([]bool, len(j.Collectives))}
	a.index()
	if err := a.walk(); err != nil {
		return nil, err
	}
	var last unit.Time
	for p := range a.end {
		last = max(last, a.end[p][len(a.end[p])-1])
	}
	times := make([][]int64, len(a.end))
	for p, end := range a.end {
		times[p] = make([]int64, len(end))
		before := end[len(end)-1] - last
		for k, e := range end {
			times[p][k] = max(int64(e-before), 1)
			before = e
		}
	}
	return times, nil
}

// index fills the lists.
func (a *axis) index() {
	for p := range a.j.Parts {
		n := len(a.j.Parts[p].Kernels)
		lists := make([]int32, 3*n)
		for i := range lists {
			lists[i] = -1
		}
		a.sends, a.members, a.waits = append(a.sends, lists[:n]), append(a.members, lists[n:2*n]), append(a.waits, lists[2*n:])
		a.end = append(a.end, make([]unit.Time, n))
	}
	for i := range a.j.Sends {
		to := a.j.Sends[i].To
		a.nextSend[i] = a.sends[to.Part][to.Kernel]
		a.sends[to.Part][to.Kernel] = int32(i)
	}
	for i := range a.j.Collectives {
		for _, m := range a.j.Collectives[i].Members {
			a.nextMember = append(a.nextMember, link{int32(i), a.members[m.Part][m.Kernel]})
			a.members[m.Part][m.Kernel] = int32(len(a.nextMember) - 1)
		}
		for _, m := range a.j.Collectives[i].Wait {
			a.nextWait = append(a.nextWait, link{int32(i), a.waits[m.Part][m.Kernel]})
			a.waits[m.Part][m.Kernel] = int32(len(a.nextWait) - 1)
		}
	}
}

// walk goes through the parts by turns, each as far as it comes.
func (a *axis) walk() error {
	at, left := make([]int, len(a.end)), 0
	arrived := make([]bool, len(a.end)) // the part's next kernel has told its collectives
	for p := range a.end {
		left += len(a.end[p])
	}
	for left > 0 {
		before := left
		for p := range a.end {
			for at[p] < len(a.end[p]) {
				ok, err := a.try(p, workload.KernelID(at[p]), &arrived[p])
				if err != nil {
					return err
				}
				if !ok {
					break
				}
				at[p]++
				left--
				arrived[p] = false
			}
		}
		if left == before {
			return a.stuck(at)
		}
	}
	return nil
}

// stuck says which kernel waits for something that never comes.
func (a *axis) stuck(at []int) error {
	for p, k := range at {
		if k < len(a.end[p]) {
			return fmt.Errorf("GPU %d: kernel %d (%s) waits for another GPU, which waits for it", p, k, a.j.Parts[p].Kernels[k].Name)
		}
	}
	return nil
}

// try ends a kernel if all that it waits for has happened.
func (a *axis) try(p int, k workload.KernelID, arrived *bool) (bool, error) {
	var begin unit.Time
	if k > 0 {
		begin = a.end[p][k-1]
	}
	for i := a.sends[p][k]; i >= 0; i = a.nextSend[i] {
		s := &a.j.Sends[i]
		sent := a.end[s.From.Part][s.From.Kernel]
		if sent == 0 {
			return false, nil
		}
		rate, err := a.rate(s.From.Part, s.To.Part)
		if err != nil {
			return false, err
		}
		begin = max(begin, sent+rate.Time(s.Bytes))
	}
	for i := a.waits[p][k]; i >= 0; i = a.nextWait[i].next {
		c := a.nextWait[i].collective
		if !a.done[c] {
			return false, nil
		}
		begin = max(begin, a.ends[c])
	}
	kernel := &a.j.Parts[p].Kernels[k]
	end := begin + kernel.HostTime + kernel.Time
	together := false
	for i := a.members[p][k]; i >= 0; i = a.nextMember[i].next {
		if c := a.nextMember[i].collective; len(a.j.Collectives[c].Wait) == 0 {
			together = true
			if !*arrived {
				a.arrive(c, begin)
			}
		}
	}
	*arrived = true
	if together {
		for i := a.members[p][k]; i >= 0; i = a.nextMember[i].next {
			if c := a.nextMember[i].collective; len(a.j.Collectives[c].Wait) == 0 {
				if !a.done[c] {
					return false, nil
				}
				end = max(end, a.ends[c])
			}
		}
	}
	a.end[p][k] = end
	for i := a.members[p][k]; i >= 0; i = a.nextMember[i].next {
		if c := a.nextMember[i].collective; len(a.j.Collectives[c].Wait) > 0 {
			a.arrive(c, end)
		}
	}
	return true, nil
}

// arrive counts a member; with the last one the collective's end is known.
func (a *axis) arrive(i int32, at unit.Time) {
	c := &a.j.Collectives[i]
	a.ends[i] = max(a.ends[i], at)
	if a.come[i]++; a.come[i] == len(c.Members) {
		a.ends[i] += a.ring(c).Time(c.Ring()) + unit.Time(c.Steps())*a.n.Step
		a.done[i] = true
	}
}

// ring is the rate at which the GPUs of a collective pass bytes on.
func (a *axis) ring(c *job.Collective) unit.Bandwidth {
	if len(c.Members) < 2 {
		return a.n.Peers()
	}
	return a.n.Ring(int64(len(c.Members)), int64(c.Members[1].Part-c.Members[0].Part))
}

// rate is that of sends between two GPUs.
func (a *axis) rate(from, to int16) (unit.Bandwidth, error) {
	path, err := a.n.Route(machine.Endpoint{Kind: machine.OnGPU, Index: from}, machine.Endpoint{Kind: machine.OnGPU, Index: to})
	if err != nil {
		return 0, err
	}
	var rate unit.Bandwidth
	for _, l := range path {
		if r := a.n.Links[l].Rate; rate == 0 || r < rate {
			rate = r
		}
	}
	return max(rate, 1), nil
}
