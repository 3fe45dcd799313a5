package offload

import (
	"fmt"
	"math"

	"spillway/sim/llm/flow"
	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// build makes a run that has not begun.
func build(j *job.Job, s *Schedule, n *machine.Node, o Options) (*run, error) {
	r := &run{job: j, s: s, node: n, o: o, gpus: make([]gpu, len(j.Parts)), known: map[[2]machine.Endpoint][]flow.LinkID{}}
	rates := make([]unit.Bandwidth, len(n.Links))
	for i := range rates {
		rates[i] = n.Links[i].Rate
	}
	r.sim = flow.New(rates, r)
	r.hostRoom = n.Host - s.Host
	if s.HostLimit > 0 {
		r.hostRoom = min(r.hostRoom, s.HostLimit)
	}
	arrays := unit.Bytes(len(n.Arrays))
	for i := range n.Arrays {
		static := (s.Drives + arrays - 1) / arrays
		r.driveRoom = append(r.driveRoom, unit.Bytes(n.Arrays[i].Drives)*n.Drive.Size-static)
	}
	r.drives = make([]unit.Bytes, arrays)

	cpu := r.sim.Queue(true)
	r.sends = r.sim.Queue(false)
	away := kinds(s.Away)
	for i := range r.gpus {
		g := &r.gpus[i]
		g.index, g.w, g.held = i, j.Parts[i], [2]int32{-1, -1}
		g.compute = r.sim.Queue(true)
		for q := range g.queues {
			g.queues[q] = cpu
			if QueueKind(q) != CPU {
				g.queues[q] = r.sim.Queue(true)
			}
		}
		r.beside = append(r.beside, g.queues[Peers])
		if err := r.routes(g); err != nil {
			return nil, fmt.Errorf("GPU %d: %w", i, err)
		}
		g.shape = r.shapeOf(g, &away)
		if g.room = math.MaxInt64; s.Programs == nil {
			continue
		}
		g.program, g.room = s.Programs[i], s.usable(n)-s.Static
		g.tensorsOf()
		if err := r.place(g); err != nil {
			return nil, fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	if err := r.connect(); err != nil {
		return nil, err
	}
	r.watch()
	if o.Curves {
		for i := range r.gpus {
			r.gpus[i].curve = newCurve(o.Points, len(j.Parts[i].Kernels))
		}
	}
	return r, nil
}

// route is a route in the numbers of package flow, one for all that take it.
func (r *run) route(from, to machine.Endpoint) ([]flow.LinkID, error) {
	if known, ok := r.known[[2]machine.Endpoint{from, to}]; ok {
		return known, nil
	}
	path, err := r.node.Route(from, to)
	if err != nil {
		return nil, err
	}
	out := make([]flow.LinkID, len(path))
	for i, l := range path {
		out[i] = flow.LinkID(l)
	}
	r.known[[2]machine.Endpoint{from, to}] = out
	return out, nil
}

// routes finds the ways of a GPU's tensors.
func (r *run) routes(g *gpu) (err error) {
	gpu, host := machine.Endpoint{Kind: machine.OnGPU, Index: int16(g.index)}, machine.Endpoint{Kind: machine.OnHost}
	if g.paths[HostRead], err = r.route(host, gpu); err != nil {
		return err
	}
	if g.paths[HostWrite], err = r.route(gpu, host); err != nil {
		return err
	}
	g.array = -1
	a := r.node.Array(g.index)
	if a == nil {
		return nil
	}
	for i := range r.node.Arrays {
		if a == &r.node.Arrays[i] {
			g.array = i
		}
	}
	array := machine.Endpoint{Kind: machine.OnArray, Index: int16(g.index)}
	if g.paths[SSDRead], err = r.route(array, gpu); err != nil {
		return err
	}
	g.paths[SSDWrite], err = r.route(gpu, array)
	return err
}

// A shape is what a run knows of a workload, once for all GPUs that have the same.
type shape struct {
	of     *workload.Workload
	a      *vitality.Analysis
	counts []bool // by tensor: it takes memory here
	// With programs: sets[first[k]:first[k+1]] are the tensors of kernel k that take memory here.
	sets, first []int32
	// Without: by kernel, the bytes of all tensors that are alive, and of its own.
	live, sizes []unit.Bytes
}

// shapeOf finds the shape of a GPU's workload, or makes it.
func (r *run) shapeOf(g *gpu, away *[256]bool) *shape {
	w := g.w
	for i := range r.gpus[:g.index] {
		if r.gpus[i].shape.of == w {
			return r.gpus[i].shape
		}
	}
	h := &shape{of: w, a: vitality.Analyze(w), counts: make([]bool, len(w.Tensors))}
	for t := range h.counts {
		h.counts[t] = !away[w.Tensors[t].Kind]
	}
	if r.s.Programs == nil {
		h.occupation()
		return h
	}
	h.first = make([]int32, len(w.Kernels)+1)
	var set []workload.TensorID
	for k := range w.Kernels {
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			if h.counts[t] {
				h.sets = append(h.sets, int32(t))
			}
		}
		h.first[k+1] = int32(len(h.sets))
	}
	return h
}

// occupation finds live and sizes.
func (h *shape) occupation() {
	w, n := h.of, len(h.of.Kernels)
	h.live, h.sizes = make([]unit.Bytes, n+1), make([]unit.Bytes, n)
	for t := range w.Tensors {
		if !h.counts[t] {
			continue
		}
		size := w.Tensors[t].Bytes.Aligned()
		for _, k := range h.a.Uses(workload.TensorID(t)) {
			h.sizes[k] += size
		}
		switch {
		case w.Tensors[t].Global:
			h.live[0] += size
		case h.a.Birth[t] >= 0:
			h.live[h.a.Birth[t]] += size
			h.live[h.a.Death[t]] -= size
		}
	}
	for k := 1; k < n; k++ {
		h.live[k] += h.live[k-1]
	}
	h.a = nil
}

// tensorsOf prepares the tensors of a GPU with a program.
func (g *gpu) tensorsOf() {
	g.far = newFar(len(g.w.Kernels))
	g.tensors = make([]tensor, len(g.w.Tensors))
	for t := range g.tensors {
		x := &g.w.Tensors[t]
		g.tensors[t] = tensor{
			size: x.Bytes.Aligned(), uses: g.a.Uses(workload.TensorID(t)), death: g.a.Death[t], own: -1, key: -1,
			global: x.Global, counts: g.counts[t],
		}
	}
}

// place puts a GPU's global tensors where they begin.
func (r *run) place(g *gpu) error {
	for t := range g.tensors {
		x := &g.tensors[t]
		if !x.global || !x.counts {
			continue
		}
		tier := GPU
		if len(g.program.Start) > 0 {
			tier = g.program.Start[t]
		}
		switch tier {
		case GPU:
			x.place = resident
			g.used += x.size
			r.keep(g, int32(t))
		case Host:
			x.place, x.tier = away, Host
			r.host += x.size
			g.onHost += x.size
		default:
			x.place, x.tier = away, SSD
			r.drives[g.array] += x.size
			r.all += x.size
			g.onDrives += x.size
		}
	}
	r.hostMost, r.drivesMost = r.host, r.all
	if g.room >= 0 && g.used > g.room {
		return fmt.Errorf("the program starts with %s of tensors in memory of %s; put the rest on drives or in host memory", g.used, g.room)
	}
	return nil
}

// tooLarge says what does not fit even before the first kernel, empty if all does.
func (r *run) tooLarge() string {
	if r.s.Host > r.node.Host || r.host > r.hostRoom {
		return fmt.Sprintf("host memory of %s is too small for %s of the system and %s of tensors (at most %s for these)", r.node.Host, r.s.Host, r.host, max(0, r.hostRoom))
	}
	if len(r.node.Arrays) == 0 && r.s.Drives > 0 {
		return fmt.Sprintf("the system needs %s of drives; there are none", r.s.Drives)
	}
	for a, room := range r.driveRoom {
		if r.drives[a] > room {
			return fmt.Sprintf("drives are too small: %s of tensors and what the system takes are %s too much", r.drives[a], r.drives[a]-room)
		}
	}
	for i := range r.gpus {
		g := &r.gpus[i]
		if g.program == nil {
			continue
		}
		var held unit.Bytes
		for t := range g.tensors {
			if x := &g.tensors[t]; x.place == resident && len(x.uses) == 0 {
				held += x.size
			}
		}
		for k := range g.w.Kernels {
			n := held + r.s.Static
			for _, t := range g.sets[g.first[k]:g.first[k+1]] {
				n += g.tensors[t].size
			}
			if has := r.s.usable(r.node); n > has {
				return fmt.Sprintf("GPU %d: %s needs %s at once; the GPU has %s", i, g.name(k), n, has)
			}
		}
	}
	return ""
}

// usable is what of each GPU's memory a schedule may use.
func (s *Schedule) usable(n *machine.Node) unit.Bytes {
	if s.Within > 0 {
		return min(s.Within, n.Usable())
	}
	return n.Usable()
}

// dependencyLists collect dependencies of kernels, or of extras.
type dependencyLists struct {
	at  []int32
	all []dependency
}

func (l *dependencyLists) add(at int, kind dependencyKind, id int) {
	l.at = append(l.at, int32(at))
	l.all = append(l.all, dependency{kind, int32(id)})
}

// sorted returns the lists of n, each in the order of add.
func (l *dependencyLists) sorted(n int) dependencies {
	out := dependencies{make([]int32, n+1), make([]dependency, len(l.all))}
	for _, at := range l.at {
		out.first[at+1]++
	}
	for i := range n {
		out.first[i+1] += out.first[i]
	}
	next := append([]int32(nil), out.first...)
	for i, at := range l.at {
		out.all[next[at]] = l.all[i]
		next[at]++
	}
	return out
}

// connect finds what waits for what.
func (r *run) connect() error {
	after, waits := make([]dependencyLists, len(r.gpus)), make([]dependencyLists, len(r.gpus))
	on := func(l []dependencyLists, ref job.Ref, kind dependencyKind, id int) {
		l[ref.Part].add(int(ref.Kernel), kind, id)
	}
	r.sent = make([]uint8, len(r.job.Sends))
	for i := range r.job.Sends {
		s := &r.job.Sends[i]
		on(after, s.From, ofSend, i)
		on(waits, s.To, ofSend, i)
		path, err := r.route(machine.Endpoint{Index: s.From.Part}, machine.Endpoint{Index: s.To.Part})
		if err != nil {
			return fmt.Errorf("send %d: %w", i, err)
		}
		r.sendPaths = append(r.sendPaths, path)
	}
	for i := range r.job.Collectives {
		if err := r.collect(i); err != nil {
			return fmt.Errorf("collective %d: %w", i, err)
		}
		c := &r.job.Collectives[i]
		for _, ref := range c.Wait {
			on(waits, ref, ofCollective, i)
		}
		for _, ref := range c.Members {
			if len(c.Wait) > 0 {
				on(after, ref, ofCollective, i)
				continue
			}
			g := &r.gpus[ref.Part]
			if g.meets == nil {
				g.meets = make([]int32, len(g.w.Kernels))
				for k := range g.meets {
					g.meets[k] = -1
				}
			}
			g.meets[ref.Kernel] = int32(i)
		}
	}
	n := len(r.s.Extras)
	r.pending, r.ended = make([]int32, n*r.o.Iterations), make([]bool, n*r.o.Iterations)
	var dependent, lasting dependencyLists
	for e := range r.s.Extras {
		x := &r.s.Extras[e]
		for _, ref := range x.After {
			on(after, ref, ofExtra, e)
		}
		for _, ref := range x.Before {
			on(waits, ref, ofExtra, e)
		}
		for _, ref := range x.Next {
			on(waits, ref, ofLast, e)
		}
		for _, d := range x.Extras {
			dependent.add(int(d), ofExtra, e)
		}
		for _, d := range x.Last {
			lasting.add(int(d), ofExtra, e)
		}
		for i := range r.o.Iterations {
			r.pending[i*n+e] = int32(len(x.After) + len(x.Extras))
			if i > 0 {
				r.pending[i*n+e] += int32(len(x.Last))
			}
		}
		if err := r.extra(x); err != nil {
			return fmt.Errorf("extra task %d (%s): %w", e, x.Name, err)
		}
	}
	r.dependent, r.lasting = dependent.sorted(n), lasting.sorted(n)
	for i := range r.gpus {
		g := &r.gpus[i]
		kernels := len(g.w.Kernels)
		g.after, g.waits = after[i].sorted(kernels), waits[i].sorted(kernels)
		g.waited = make([]int32, kernels)
		for k := range kernels {
			g.waited[k] = g.waits.first[k+1] - g.waits.first[k]
		}
		// Nothing comes before the first iteration.
		g.left[0] = append([]int32(nil), g.waited...)
		g.left[1] = append([]int32(nil), g.waited...)
		for k := range kernels {
			for _, l := range g.waits.of(k) {
				if l.kind == ofLast {
					g.left[0][k]--
				}
			}
		}
	}
	return nil
}

// collect finds the ways of a collective.
func (r *run) collect(i int) error {
	c := &r.job.Collectives[i]
	x := collective{members: c.Members, waits: c.Wait, bytes: c.Ring(), steps: unit.Time(c.Steps()) * r.node.Step, queues: r.beside}
	if c.Kind == job.PassOn {
		if r.passing == nil {
			for range r.gpus {
				r.passing = append(r.passing, r.sim.Queue(true))
			}
		}
		x.queues = r.passing
	}
	for m, from := range c.Members {
		to := c.Members[(m+1)%len(c.Members)]
		var path []flow.LinkID
		if x.bytes > 0 && from.Part != to.Part {
			var err error
			if path, err = r.route(machine.Endpoint{Index: from.Part}, machine.Endpoint{Index: to.Part}); err != nil {
				return err
			}
		}
		x.paths = append(x.paths, path)
	}
	r.collectives = append(r.collectives, x)
	return nil
}

// A mover is which of a GPU's sums an extra's bytes are in.
type mover uint8

const (
	still mover = iota // none
	reads
	writes
	readsHost
	writesHost
)

// extra finds the way of an extra's bytes.
func (r *run) extra(x *Extra) error {
	m := still
	var path []flow.LinkID
	if x.Bytes > 0 {
		var err error
		if path, err = r.route(x.From, x.To); err != nil {
			return err
		}
		switch from, to := x.From.Kind, x.To.Kind; {
		case from == machine.OnArray:
			m = reads
		case to == machine.OnArray:
			m = writes
		case from == machine.OnHost:
			m = readsHost
		case to == machine.OnHost:
			m = writesHost
		}
	}
	r.extraPaths = append(r.extraPaths, path)
	r.extraMoves = append(r.extraMoves, m)
	return nil
}

// moved counts bytes that have moved.
func (g *GPUResult) moved(m mover, n unit.Bytes) {
	switch m {
	case reads:
		g.Read += n
	case writes:
		g.Written += n
	case readsHost:
		g.HostRead += n
	case writesHost:
		g.HostWritten += n
	}
}
