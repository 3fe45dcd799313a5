package et

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// Format is what files of this package are called.
const Format = "PyTorch ExecutionTrace"

// A Launch is a kernel and the node that launched it, -1 if none is known.
type Launch struct {
	recording.Kernel
	Node int32
}

// Recordings returns one recording for each device on which operators worked. name
// is the file's, without folders.
func (t *Trace) Recordings(name string) ([]*recording.Recording, error) {
	devices := t.Used()
	if len(devices) == 0 {
		return nil, fmt.Errorf("%s: no operator of this ExecutionTrace works on a tensor, so there is nothing to simulate. Record it while a training step runs", name)
	}
	windows, note := t.Windows()
	var recs []*recording.Recording
	for _, device := range devices {
		r := t.Recording(device)
		r.Name, r.Files = name, []string{name}
		if len(devices) > 1 {
			r.Name = fmt.Sprintf("%s, %s", name, deviceTitle(t.Devices[device]))
		}
		t.fill(r, windows, device)
		r.Chosen = recording.Middle(r.Steps)
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
		if t.Devices[device] == "cpu" {
			r.Notes = append(r.Notes, "This was recorded on a CPU. Its operators and tensors are taken as those of a GPU, which would use other operators here and there.")
		}
		recs = append(recs, r)
	}
	return recs, nil
}

// fill adds steps: of kernels, where a tool added those to the file, or else of what
// operators work.
func (t *Trace) fill(r *recording.Recording, windows []Window, device int32) {
	r.Label, r.Times = recording.E2, workload.Estimated
	if len(t.linked) > 0 {
		r.Label, r.Times = recording.L2, workload.Measured
		r.Format += " with linked kernels"
	} else {
		r.Notes = append(r.Notes, "An ExecutionTrace has no times: each operator's time is estimated from its work, and operators run one after the other.")
	}
	for _, w := range windows {
		launches := t.Works(w, device)
		if len(t.linked) > 0 {
			launches = t.launched(w, device)
		}
		if len(launches) > 0 {
			r.Steps = append(r.Steps, t.Step(w, device, launches, len(t.linked) > 0, nil))
		}
	}
}

// launched returns the kernels that nodes of w launched, in order of their start.
func (t *Trace) launched(w Window, device int32) (launches []Launch) {
	first := t.linked[0].start
	for i := range t.linked {
		first = min(first, t.linked[i].start)
	}
	for i := range t.linked {
		l := &t.linked[i]
		at, ok := slices.BinarySearchFunc(t.Nodes, l.parent, func(n Node, id int64) int { return cmp.Compare(n.ID, id) })
		n := int32(at)
		if !ok || n < w.From || n >= w.To || t.Owner(n, device) < 0 {
			continue
		}
		start := min((l.start-first), workload.MaxTime/unit.Nanosecond) * unit.Nanosecond
		launches = append(launches, Launch{recording.Kernel{
			Name: t.Strings[l.name], Op: t.Name(n), Start: start, Time: l.time * unit.Nanosecond, Least: l.least,
			Stream: l.stream, Kind: l.kind,
		}, n})
	}
	slices.SortStableFunc(launches, func(a, b Launch) int { return cmp.Compare(a.Start, b.Start) })
	return launches
}

// Recording returns a recording of device that has no steps yet.
func (t *Trace) Recording(device int32) *recording.Recording {
	id := 0
	if _, number, ok := strings.Cut(t.Devices[device], ":"); ok {
		id, _ = strconv.Atoi(number)
	}
	return &recording.Recording{
		Format: Format,
		Device: recording.Device{ID: id},
		Notes:  slices.Clone(t.Notes),
	}
}

// deviceTitle is a device for people.
func deviceTitle(device string) string {
	if kind, number, ok := strings.Cut(device, ":"); ok && (kind == "cuda" || kind == "hip") {
		return "GPU " + number
	}
	return device
}

// Used returns the devices on which operators worked: GPUs, or else the CPU.
func (t *Trace) Used() []int32 {
	works := make([]bool, len(t.Devices))
	for i := range t.Mentions {
		if m := &t.Mentions[i]; m.Block >= 0 && m.flags&counted != 0 {
			works[t.Blocks[m.Block].Device] = true
		}
	}
	var gpus, hosts []int32
	for i, is := range works {
		switch {
		case is && t.Devices[i] == "cpu":
			hosts = append(hosts, int32(i))
		case is:
			gpus = append(gpus, int32(i))
		}
	}
	slices.SortFunc(gpus, func(a, b int32) int { return cmp.Compare(t.Devices[a], t.Devices[b]) })
	if len(gpus) > 0 {
		return gpus
	}
	return hosts
}

// Works returns one launch for each node of w that works on tensors of device
// itself, with its work instead of a time.
func (t *Trace) Works(w Window, device int32) (launches []Launch) {
	for n := w.From; n < w.To; n++ {
		node := &t.Nodes[n]
		var bytes unit.Bytes
		works, out, host := false, false, t.reads(node, device)
		for i := node.In; i < node.End; i++ {
			m := &t.Mentions[i]
			if m.Block < 0 || t.Blocks[m.Block].Device != device || m.flags&counted == 0 {
				continue
			}
			works = true
			out = out || m.flags&written != 0
			if i < node.Out || m.flags&written != 0 {
				bytes += min(m.bytes, t.Blocks[m.Block].Bytes)
			}
		}
		if !works {
			continue
		}
		name := t.Name(n)
		k := recording.Kernel{Name: name, Op: name, Flops: node.Flops, Bytes: bytes, Class: recording.ClassOf(name), Element: 4, Shape: node.shape}
		if node.half {
			k.Element = 2
		}
		switch {
		case name == "record_param_comms" || strings.HasPrefix(name, "c10d::"):
			k.Kind = recording.Communication
		case host && out:
			k.Kind = recording.HostToDevice
		case !out && name == "aten::copy_":
			k.Kind = recording.DeviceToHost
		}
		launches = append(launches, Launch{k, n})
	}
	return launches
}

// Owner returns the node whose tensors a kernel that n launched works on: n or the
// nearest around it that has tensors of device, -1 if there is none.
func (t *Trace) Owner(n, device int32) int32 {
	for ; n >= 0; n = t.Nodes[n].Parent {
		node := &t.Nodes[n]
		for _, m := range t.Mentions[node.In:node.End] {
			if m.Block >= 0 && t.Blocks[m.Block].Device == device {
				return n
			}
		}
	}
	return -1
}

// A touch is a kernel's use of a block.
type touch struct {
	block, kernel int32
	read, write   bool
}

// Step makes a step of the launches, which are in order. With whole an operator's
// kernels all read its inputs, and the last writes its results; otherwise a launch
// takes only what no operator inside of its node works on. until has the last kernel
// before each block was freed, where that is known.
func (t *Trace) Step(w Window, device int32, launches []Launch, whole bool, until map[int32]int32) recording.Step {
	s := recording.Step{Name: w.Name, Complete: w.Complete, Kernels: make([]recording.Kernel, len(launches))}
	b := builder{t: t, w: w, device: device, whole: whole}
	for i := range launches {
		s.Kernels[i] = launches[i].Kernel
		if n := launches[i].Node; n >= 0 && t.Nodes[n].marks&optimizer != 0 {
			s.Optimizes = true
		}
		if owner := t.Owner(launches[i].Node, device); launches[i].Node >= 0 && owner >= 0 {
			b.owners = append(b.owners, owned{owner, int32(i)})
		}
	}
	slices.SortFunc(b.owners, func(x, y owned) int { return cmp.Or(cmp.Compare(x.node, y.node), cmp.Compare(x.kernel, y.kernel)) })
	b.touches()
	b.keep(until)
	sights := t.look(w, device)
	var peak unit.Bytes
	s.Memory.LevelBefore, peak, s.Resident, s.Memory.Allocations = t.levels(w, device, sights)
	s.Memory.Known, s.Memory.Peak, s.Memory.Rebuilt = true, peak, true
	b.tensors(&s, sights)
	return s
}

// An owned is a kernel and the node whose tensors it works on.
type owned struct{ node, kernel int32 }

// A builder finds the tensors of one step.
type builder struct {
	t      *Trace
	w      Window
	device int32
	whole  bool
	owners []owned // by node, then kernel
	uses   []touch
}

// touches lists the uses of blocks by kernels.
func (b *builder) touches() {
	for i := 0; i < len(b.owners); {
		end := i + 1
		for end < len(b.owners) && b.owners[end].node == b.owners[i].node {
			end++
		}
		node := &b.t.Nodes[b.owners[i].node]
		for k := i; k < end; k++ {
			b.touch(node, b.owners[k].kernel, k == end-1)
		}
		i = end
	}
}

func (b *builder) touch(node *Node, kernel int32, last bool) {
	for i := node.In; i < node.End; i++ {
		m := &b.t.Mentions[i]
		if m.Block < 0 || b.t.Blocks[m.Block].Device != b.device || !b.whole && m.flags&counted == 0 {
			continue
		}
		u := touch{block: m.Block, kernel: kernel}
		u.write = m.flags&written != 0 && last
		u.read = i < node.Out && m.flags&fresh == 0 && !(node.marks&triton != 0 && m.flags&written != 0)
		if u.read || u.write {
			b.uses = append(b.uses, u)
		}
	}
}

// keep lets blocks live until they were freed.
func (b *builder) keep(until map[int32]int32) {
	if len(until) == 0 {
		return
	}
	last := map[int32]int32{}
	for _, u := range b.uses {
		if k, ok := last[u.block]; !ok || u.kernel > k {
			last[u.block] = u.kernel
		}
	}
	for block, k := range last {
		if end, ok := until[block]; ok && end > k {
			b.uses = append(b.uses, touch{block: block, kernel: end, read: true})
		}
	}
}

// tensors turns the blocks that were seen into the tensors of s.
func (b *builder) tensors(s *recording.Step, sights []sight) {
	t := b.t
	training := slices.ContainsFunc(sights, func(x sight) bool { return x&updated != 0 })
	used := make([]bool, len(t.Blocks))
	for i := range b.uses {
		used[b.uses[i].block] = true
	}
	for i := range t.Blocks {
		if sights[i]&seen != 0 && !used[i] && t.Blocks[i].Born >= b.w.From && t.Blocks[i].Bytes > 0 {
			b.attach(int32(i), s)
		}
	}
	slices.SortFunc(b.uses, func(x, y touch) int { return cmp.Or(cmp.Compare(x.block, y.block), cmp.Compare(x.kernel, y.kernel)) })
	left, at := 0, 0
	numbers := map[string]int{}
	for i := range t.Blocks {
		from := at
		for at < len(b.uses) && b.uses[at].block == int32(i) {
			at++
		}
		if sights[i]&seen == 0 || t.Blocks[i].Bytes <= 0 {
			continue
		}
		r := t.role(b.w, int32(i), sights[i], training)
		if at == from {
			if r.resident {
				s.Resident += t.Blocks[i].Bytes
			}
			continue
		}
		x := recording.Tensor{Bytes: t.Blocks[i].Bytes, Kind: r.kind, Global: r.global, From: recording.Joined, Uses: merge(b.uses[from:at])}
		if len(x.Uses) > 0 && !r.global && x.Kind == workload.Intermediate && b.inside(int32(i)) {
			x.Kind = workload.Workspace
		}
		if !b.whole {
			x.From = recording.Measured
		}
		x.Name, x.Buffer = title(x, r, s, numbers), r.buffer
		if n, ok := t.names[int32(i)]; ok {
			x.Name = n.Name
		}
		if r.left {
			left++
		}
		s.Tensors = append(s.Tensors, x)
	}
	if left > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d tensors of the optimizer's state are born in this step, as in the first of a run; a later step shows it resident.", left))
	}
}

// attach gives a block that no kernel mentions to those of the operator around it,
// or to the next kernel.
func (b *builder) attach(block int32, s *recording.Step) {
	t := b.t
	born := t.Blocks[block].Born
	for n := born; n >= 0; n = t.Nodes[n].Parent {
		i, ok := slices.BinarySearchFunc(b.owners, n, func(o owned, n int32) int { return cmp.Compare(o.node, n) })
		for ; ok && i < len(b.owners) && b.owners[i].node == n; i++ {
			b.uses = append(b.uses, touch{block, b.owners[i].kernel, false, true})
		}
		if ok {
			return
		}
	}
	i, _ := slices.BinarySearchFunc(b.owners, born, func(o owned, n int32) int { return cmp.Compare(o.node, n) })
	if i == len(b.owners) {
		i--
	}
	if i >= 0 {
		b.uses = append(b.uses, touch{block, b.owners[i].kernel, false, true})
	}
}

// inside reports whether a block lives in one operator that has kernels.
func (b *builder) inside(block int32) bool {
	x := &b.t.Blocks[block]
	for n := b.t.Nodes[x.Born].Parent; n >= 0; n = b.t.Nodes[n].Parent {
		if _, ok := slices.BinarySearchFunc(b.owners, n, func(o owned, n int32) int { return cmp.Compare(o.node, n) }); ok {
			return x.Last <= b.t.Nodes[n].Last && !b.mentions(n, block)
		}
	}
	return false
}

// mentions reports whether a node itself mentions a block.
func (b *builder) mentions(n, block int32) bool {
	node := &b.t.Nodes[n]
	return slices.ContainsFunc(b.t.Mentions[node.In:node.End], func(m Mention) bool { return m.Block == block })
}

// merge joins the touches of one block: one a kernel.
func merge(touches []touch) (uses []recording.Use) {
	for _, u := range touches {
		if k := len(uses); k > 0 && uses[k-1].Kernel == u.kernel {
			uses[k-1].Read = uses[k-1].Read || u.read
			uses[k-1].Write = uses[k-1].Write || u.write
			continue
		}
		uses = append(uses, recording.Use{Kernel: u.kernel, Read: u.read, Write: u.write})
	}
	return uses
}

// title names a tensor by its kind, a number and the operator that uses it first.
func title(x recording.Tensor, r role, s *recording.Step, numbers map[string]int) string {
	kind := x.Kind.String()
	if r.buffer {
		kind = "buffer"
	}
	numbers[kind]++
	op := strings.TrimPrefix(s.Kernels[x.Uses[0].Kernel].Op, "aten::")
	return fmt.Sprintf("%s %d, %s", kind, numbers[kind], op)
}
