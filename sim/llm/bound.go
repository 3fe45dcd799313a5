package llm

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/shard"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A Bound is how fast an iteration can be at best, for every system of [Systems] that has no
// more memory than the node: none is below Time.
//
// # Proof
//
// A system runs the kernels of the job that it cuts, so it takes at least the [Floor] of that
// job, and no system takes less than the least floor of all. Systems that refuse have none.
//
// A job's floor is the largest of times that each follow from one thing that works at most
// all the time, in an iteration like the one before:
//
//   - A GPU runs one kernel after the other, and waits for what others send: the longest way
//     through kernels, sends and collectives (job.Job.Shortest).
//   - A link carries at most its rate: bytes of sends and collectives, and of what follows.
//   - Where the GPUs hold the optimizer: while a kernel runs, values that a later kernel reads
//     are on the GPU or away. What its memory cannot hold is away, and comes back before its
//     reader, by the host's way or by the drives': through the links that both cross at their
//     rate, and over both at most at the sum of their rates. It was written by a kernel, so it
//     left in the same way as often; a weight that no kernel writes need not. What exceeds
//     host memory too, on all GPUs together, goes to the drives and comes back.
//   - Where tensors move by programs alone (system.System.Offloads): the linear program of package
//     bound for each GPU, which has all of the links and of the host memory that others use, too.
//   - Where the host has the optimizer: gradients leave once, weights come back once, and the
//     host's processors take their time for every parameter.
//
// It is not tight for other systems where activations leave again and again, and it credits the
// host's way and the drives' with all their rate at once. Nothing shows that it can be reached.
type Bound struct {
	Time unit.Time
	// Floors are those of the ways to cut the model, the least first. Systems that are cut alike have one,
	// but those with a linear program each their own.
	Floors []Floor
	// Reason says why there is none: every system refuses.
	Reason string
}

// A Floor is the least time of an iteration of a job, whatever moves when.
type Floor struct {
	Systems []*system.System // that run this job
	Time    unit.Time
	By      string // what takes so long: "kernels of GPU 1"
	// Own is true where the systems move tensors by programs alone, so that this and not only
	// Bound.Time is what they are measured against.
	Own bool
}

// Best returns the bound of a setup. The error is about the setup.
func Best(s *Setup, p report.Progress) (*Bound, error) {
	b := &Bound{}
	progress := begin(p)
	var jobs []*job.Job // of floors
	for i, sys := range Systems {
		progress.reach(whole * int64(i) / int64(len(Systems)))
		if sys.Bound {
			continue
		}
		node, j, o, err := cut(s, sys)
		var no *system.Refusal
		switch {
		case errors.As(err, &no):
			b.Reason = no.Reason
			continue
		case err != nil:
			return nil, err
		}
		own := sys.Offloads != nil && !j.Spec.HostOptimizer
		if at := slices.IndexFunc(jobs, func(o *job.Job) bool { return sameCut(o, j) }); at >= 0 && !own && !b.Floors[at].Own {
			b.Floors[at].Systems = append(b.Floors[at].Systems, sys)
			continue
		}
		f, err := floorOf(j, node)
		if err != nil {
			return nil, err
		}
		if own {
			if err := f.moving(sys.Offloads(node, &o)); err != nil {
				return nil, err
			}
		}
		f.best.Systems, f.best.Own = []*system.System{sys}, own
		jobs, b.Floors = append(jobs, j), append(b.Floors, f.best)
	}
	progress.reach(whole)
	if len(b.Floors) == 0 {
		return b, nil
	}
	b.Reason = ""
	slices.SortStableFunc(b.Floors, func(x, y Floor) int { return int(min(1, max(-1, x.Time-y.Time))) })
	b.Time = b.Floors[0].Time
	return b, nil
}

// sameCut reports whether two jobs of one setup are the same.
func sameCut(a, b *job.Job) bool {
	return a.Spec.Layout == b.Spec.Layout && a.Spec.HostOptimizer == b.Spec.HostOptimizer && a.Spec.Apart == b.Spec.Apart
}

// A floorer adds up what a job must do.
type floorer struct {
	j     *job.Job
	n     *machine.Node
	bytes []unit.Bytes  // by link
	exec  [][]unit.Time // by part and kernel, at least
	best  Floor
}

func floorOf(j *job.Job, n *machine.Node) (*floorer, error) {
	f := &floorer{j: j, n: n, bytes: make([]unit.Bytes, len(n.Links))}
	if err := f.kernels(); err != nil {
		return nil, err
	}
	if err := f.peers(); err != nil {
		return nil, err
	}
	move := f.memory
	if j.Spec.HostOptimizer {
		move = f.host
	}
	if err := move(); err != nil {
		return nil, err
	}
	for l, bytes := range f.bytes {
		f.takes(n.Links[l].Rate.Time(bytes), func() string { return fmt.Sprintf("what crosses the link %q", n.Links[l].Name) })
	}
	return f, nil
}

// takes notes that an iteration takes at least so long.
func (f *floorer) takes(t unit.Time, by func() string) {
	if t > f.best.Time {
		f.best.Time, f.best.By = t, by()
	}
}

// kernels are what GPUs run one after the other, and the longest way through them. A kernel that
// is a collective's takes what its bytes take.
func (f *floorer) kernels() error {
	var err error
	rate := func(from, to job.Ref) unit.Bandwidth {
		if from.Part == to.Part {
			return 0 // nothing is sent
		}
		r, e := f.rate(onGPU(int(from.Part)), onGPU(int(to.Part)))
		err = errors.Join(err, e)
		return r
	}
	f.exec = make([][]unit.Time, len(f.j.Parts))
	for g, w := range f.j.Parts {
		f.exec[g] = make([]unit.Time, len(w.Kernels))
		for k := range w.Kernels {
			f.exec[g][k] = w.Kernels[k].HostTime + w.Kernels[k].Time
		}
	}
	ring := make(map[*job.Collective]unit.Time, len(f.j.Collectives))
	for i := range f.j.Collectives {
		c := &f.j.Collectives[i]
		for m, from := range c.Members {
			if r := rate(from, c.Members[(m+1)%len(c.Members)]); r > 0 {
				ring[c] = max(ring[c], r.Time(c.Ring()))
			}
		}
		if len(c.Wait) == 0 {
			for _, m := range c.Members {
				f.exec[m.Part][m.Kernel] = ring[c]
			}
		}
	}
	sum := make([]unit.Time, len(f.exec))
	for g, list := range f.exec {
		for _, t := range list {
			sum[g] += t
		}
		f.takes(sum[g], func() string { return fmt.Sprintf("kernels of GPU %d", g) })
	}
	way, e := f.j.Shortest(&job.Durations{
		Kernel:     func(k job.Ref) unit.Time { return f.exec[k.Part][k.Kernel] },
		Send:       func(s *job.Send) unit.Time { return rate(s.From, s.To).Time(s.Bytes) },
		Collective: func(c *job.Collective) unit.Time { return ring[c] },
	})
	f.takes(way, func() string { return "the longest way through kernels and what GPUs send" })
	return errors.Join(err, e)
}

// rate is how many bytes a second cross all links between two places at best.
func (f *floorer) rate(from, to machine.Endpoint) (least unit.Bandwidth, err error) {
	path, err := f.n.Route(from, to)
	for i, l := range path {
		if r := f.n.Links[l].Rate; i == 0 || r < least {
			least = r
		}
	}
	return least, err
}

// move lets bytes cross all links between two places.
func (f *floorer) move(from, to machine.Endpoint, bytes unit.Bytes) error {
	path, err := f.n.Route(from, to)
	for _, l := range path {
		f.bytes[l] += bytes
	}
	return err
}

func onGPU(g int) machine.Endpoint {
	return machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)}
}

// peers is what GPUs send each other.
func (f *floorer) peers() error {
	for i := range f.j.Sends {
		s := &f.j.Sends[i]
		if err := f.move(onGPU(int(s.From.Part)), onGPU(int(s.To.Part)), s.Bytes); err != nil {
			return err
		}
	}
	for i := range f.j.Collectives {
		c := &f.j.Collectives[i]
		for m, from := range c.Members {
			to := c.Members[(m+1)%len(c.Members)]
			if err := f.move(onGPU(int(from.Part)), onGPU(int(to.Part)), c.Ring()); err != nil {
				return err
			}
		}
	}
	return nil
}

// host is what goes to a host that has the optimizer, and comes from it.
func (f *floorer) host() error {
	host := machine.Endpoint{Kind: machine.OnHost, Pinned: true}
	var adam unit.Time
	for g := range f.j.Parts {
		share := shard.Elements(f.j, g) / max(f.j.Spec.Data, 1)
		bytes := unit.Bytes(shard.Width(f.j.Spec.Precision) * share)
		adam += shard.Adam(f.n, share)
		if err := errors.Join(f.move(onGPU(g), host, bytes), f.move(host, onGPU(g), bytes)); err != nil {
			return err
		}
	}
	f.takes(adam, func() string { return "the optimizer on the host" })
	return nil
}

// memory is what the memory of GPUs that hold the optimizer cannot hold.
func (f *floorer) memory() error {
	known := map[*workload.Workload][2]unit.Bytes{}
	var all [2]unit.Bytes
	for g, w := range f.j.Parts {
		away, ok := known[w]
		if !ok {
			away = beyond(w, f.n.Usable())
			known[w] = away
		}
		for d, bytes := range away {
			all[d] += bytes
			if err := f.leaves(g, d == 1, bytes); err != nil {
				return err
			}
		}
	}
	if len(f.n.Arrays) == 0 {
		return nil
	}
	for d, bytes := range all { // what is on drives; one moment of each GPU, whenever it is
		var rate unit.Bandwidth
		for _, a := range f.n.Arrays {
			rate += f.n.Links[[2]machine.LinkID{a.Read, a.Write}[d]].Rate
		}
		if spare := bytes - f.n.Host*unit.Bytes(len(f.j.Parts)); spare > 0 {
			f.takes(rate.Time(spare), func() string { return "what neither GPUs nor host can hold, on drives" })
		}
	}
	return nil
}

// leaves lets bytes come to a GPU, or leave it, by the ways there are.
func (f *floorer) leaves(g int, out bool, bytes unit.Bytes) error {
	if bytes == 0 {
		return nil
	}
	var ways [][]machine.LinkID
	add := func(kind machine.EndpointKind) error {
		from, to := machine.Endpoint{Kind: kind, Index: int16(g)}, onGPU(g)
		if out {
			from, to = to, from
		}
		path, err := f.n.Route(from, to)
		ways = append(ways, path)
		return err
	}
	if f.n.Host > 0 {
		if err := add(machine.OnHost); err != nil {
			return err
		}
	}
	if len(f.n.Arrays) > 0 {
		if err := add(machine.OnArray); err != nil {
			return err
		}
	}
	if len(ways) == 0 {
		return nil // no system can run it
	}
	var rate unit.Bandwidth
	for _, way := range ways {
		least := f.n.Links[way[0]].Rate
		for _, l := range way {
			least = min(least, f.n.Links[l].Rate)
		}
		rate += least
	}
	f.takes(rate.Time(bytes), func() string {
		return fmt.Sprintf("what the memory of GPU %d cannot hold, by host and drives at once", g)
	})
	for _, l := range ways[0] {
		if slices.Contains(ways[len(ways)-1], l) {
			f.bytes[l] += bytes
		}
	}
	return nil
}

// beyond is how many bytes of values that are read later are away from a memory at one kernel
// at least, and how many of these a kernel has written since they were last away.
func beyond(w *workload.Workload, memory unit.Bytes) (away [2]unit.Bytes) {
	n := len(w.Kernels)
	need, clean := make([]unit.Bytes, n+1), make([]unit.Bytes, n+1)  // differences, by kernel
	hold := func(list []unit.Bytes, from, to int, size unit.Bytes) { // kernels from up to before to, counting on
		for from < to {
			end := min(to, n)
			list[from] += size
			list[end] -= size
			from, to = 0, to-n
		}
	}
	a := vitality.Analyze(w)
	for t := range w.Tensors {
		x := &w.Tensors[t]
		uses, size := a.Uses(workload.TensorID(t)), x.Bytes.Aligned()
		reads := func(k workload.KernelID) bool {
			return slices.Contains(w.Kernels[k].Inputs, workload.TensorID(t))
		}
		written := slices.ContainsFunc(uses, func(k workload.KernelID) bool {
			return slices.Contains(w.Kernels[k].Outputs, workload.TensorID(t))
		})
		for i, k := range uses {
			hold(need, int(k), int(k)+1, size)
			next := 0
			switch {
			case i+1 < len(uses):
				next = int(uses[i+1])
			case x.Global:
				next = int(uses[0]) + n
			default:
				continue
			}
			if !reads(workload.KernelID(next % n)) {
				continue
			}
			hold(need, int(k)+1, next, size)
			if x.Global && !written {
				hold(clean, int(k)+1, next, size)
			}
		}
	}
	var here, untouched unit.Bytes
	for k := range n {
		here, untouched = here+need[k], untouched+clean[k]
		away[0] = max(away[0], here-memory)
		away[1] = max(away[1], here-untouched-memory)
	}
	return away
}
