package train

import (
	"cmp"
	"slices"

	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/chakra/write"
)

// A movement is one load or store: transfers of one tensor in one direction
// between two of its uses, with nothing of it going the other way meanwhile.
type movement struct {
	engine.Transfer
	uses int         // of the tensor that were over before
	busy unit.Cycles // in transfer
}

// execution is when kernel k executes.
func (x *exporting) execution(k int) (start, end unit.Cycles) {
	r := &x.r.Kernels[k]
	if x.hides {
		return r.Start, r.Start + r.Ideal
	}
	return r.End - r.Ideal, r.End
}

// movements joins transfers.
func (x *exporting) movements() []movement {
	uses := make([][]unit.Cycles, len(x.w.Tensors)) // ends of the kernels that use it
	var set []workload.TensorID
	for k := range x.w.Kernels {
		set = x.w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			uses[t] = append(uses[t], x.r.Kernels[k].End)
		}
	}
	list := slices.Clone(x.Transfers)
	slices.SortStableFunc(list, func(a, b engine.Transfer) int { return cmp.Compare(a.Start, b.Start) })
	var all []movement
	last := map[workload.TensorID]int{}
	for _, m := range list {
		over, _ := slices.BinarySearch(uses[m.Tensor], m.Start+1)
		if i, ok := last[m.Tensor]; ok {
			if y := &all[i]; y.From == m.From && y.To == m.To && y.uses == over {
				y.End, y.Bytes, y.busy = m.End, y.Bytes+m.Bytes, y.busy+m.End-m.Start
				if m.Reason == engine.OnFault { // somebody waited after all
					y.Reason = m.Reason
				}
				continue
			}
		}
		last[m.Tensor] = len(all)
		all = append(all, movement{m, over, m.End - m.Start})
	}
	return all
}

// chakra is the iteration as a graph. Kernels follow each other; a kernel needs
// the kernels that wrote what it reads, and what was loaded for it; a store needs
// the last use of its tensor and its load, a load the store.
func (x *exporting) chakra() []byte {
	moves := x.movements()
	g := &graph{exporting: x, writer: map[workload.TensorID]uint64{}, user: map[workload.TensorID]uint64{}, mover: map[workload.TensorID]uint64{}}
	text := func(name, v string) write.Attr { return write.Attr{Name: name, Text: v} }
	g.b = write.Head([]write.Attr{
		text("title", x.system+", "+x.Title), text("mode", x.Mode), text("kernel_times", string(x.w.Times)), text("workload", x.w.Origin),
		text("link", x.Link), text("generator", x.generator()),
	})
	for k := range x.w.Kernels {
		for len(moves) > 0 && moves[0].Start < x.r.Kernels[k].End {
			g.move(&moves[0])
			moves = moves[1:]
		}
		g.kernel(workload.KernelID(k))
	}
	for i := range moves { // what is on its way when the iteration ends
		g.move(&moves[i])
	}
	return g.b
}

// A graph is a Chakra file while it is made. Node 0 is none.
type graph struct {
	*exporting
	b        []byte
	nodes    uint64
	computed uint64                       // the last kernel
	writer   map[workload.TensorID]uint64 // the last kernel that wrote it
	user     map[workload.TensorID]uint64 // the last kernel that used it
	mover    map[workload.TensorID]uint64 // its last load or store
	set      []workload.TensorID
}

// micros is a time in whole microseconds, and at least one if it takes any.
func (g *graph) micros(start, end unit.Cycles) uint64 {
	t := g.time(end) - g.time(start)
	n := uint64((t + unit.Microsecond/2) / unit.Microsecond)
	if t > 0 {
		n = max(n, 1)
	}
	return n
}

// needs lists nodes once each, without 0.
func needs(nodes ...uint64) []uint64 {
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	if len(nodes) > 0 && nodes[0] == 0 {
		nodes = nodes[1:]
	}
	return nodes
}

func (g *graph) add(n *write.Node) uint64 {
	g.nodes++
	n.ID = g.nodes
	g.b = write.Append(g.b, n)
	return n.ID
}

func (g *graph) kernel(k workload.KernelID) {
	var data []uint64
	for _, t := range g.w.Kernels[k].Inputs {
		data = append(data, g.writer[t])
	}
	g.set = g.w.WorkingSet(g.set[:0], k)
	for _, t := range g.set {
		data = append(data, g.mover[t])
	}
	start, end := g.execution(int(k))
	g.computed = g.add(&write.Node{
		Name: g.w.Kernels[k].Name, Type: write.Compute, Control: needs(g.computed), Data: needs(data...),
		Start: uint64(g.time(start) / unit.Microsecond), Duration: g.micros(start, end),
		Attrs: []write.Attr{
			{Name: "is_cpu_op", Kind: write.No},
			{Name: "kernel", Kind: write.Count, Count: uint64(k)},
			{Name: "duration_ns", Kind: write.Count, Count: uint64((g.time(end) - g.time(start)) / unit.Nanosecond)},
		},
	})
	for _, t := range g.w.Kernels[k].Outputs {
		g.writer[t] = g.computed
	}
	for _, t := range g.set {
		g.user[t] = g.computed
	}
}

func (g *graph) move(m *movement) {
	n := write.Node{
		Name: "load " + tensorName(g.w, m.Tensor), Type: write.Load, Control: needs(g.computed), Data: needs(g.mover[m.Tensor]),
		Start: uint64(g.time(m.Start) / unit.Microsecond), Duration: g.micros(0, m.busy),
		Attrs: []write.Attr{
			{Name: "is_cpu_op", Kind: write.No},
			{Name: "tensor_size", Kind: write.Count, Count: uint64(m.Bytes)},
			{Name: "tensor", Kind: write.Count, Count: uint64(m.Tensor)},
			{Name: "from", Text: m.From.String()},
			{Name: "to", Text: m.To.String()},
			{Name: "reason", Text: m.Reason.String()},
		},
	}
	if m.From == machine.GPU {
		n.Name, n.Type = "store "+tensorName(g.w, m.Tensor), write.Store
		n.Data = needs(g.mover[m.Tensor], g.user[m.Tensor])
	}
	g.mover[m.Tensor] = g.add(&n)
}
