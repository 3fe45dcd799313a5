package chakra

import (
	"strings"

	"spillway/sim/unit"
	"spillway/traces/recording"
)

// A Tensor is what one storage held from when it was taken until its number was
// given to another.
type Tensor struct {
	Bytes    unit.Bytes
	Resident bool // it was there before
	Device   int16
	Uses     []Use // ascending
	copied   bool  // it is the target of a copy from the host
	storage  int32
}

// A Use is a kernel's use of a tensor.
type Use struct {
	Kernel      int32
	Read, Write bool
}

// A builder collects a file's nodes, and follows storages through them.
//
// Numbers of storages are given again when memory is freed. An operator that has a
// storage among its outputs and not among its inputs took it anew, however many
// operators inside it mention it; what is first mentioned otherwise was there
// before.
type builder struct {
	f        *framer
	trace    *Trace
	one      raw
	names    map[string]string
	storages map[int64]int32
	ids      map[uint64]struct{} // of nodes
	wanted   []uint64            // nodes that others depend on
	mentions int
	seen     []state // by storage
	expanded map[int64]bool
	host     struct { // the last operator of the host, whose kernels follow
		name string
		key  uint64
	}
	hostOut int32 // storage of its first output, -1 if it has none
	kernels []gpuNode
	last    []place // by tensor: its last use
	odd     int     // lists that are none
	again   int     // ids that came before
	long    int     // durations that cannot be
	untimed int
}

// A state is a storage's while the file is read.
type state struct {
	tensor int32  // 1 + the one it holds, 0 before the first
	born   int    // node
	taken  int    // node of the host that has it as a new output, the last so far
	key    uint64 // inputs and outputs of the kernels that took it
	input  int    // the last node that has it as an input
	larger int    // the last node that has an expanded view of it as an input
}

// A gpuNode is a kernel with what it uses.
type gpuNode struct {
	Kernel
	id   uint64
	data []uint64
	key  uint64
	uses []use
}

// A use is one of a kernel's, of a tensor by index.
type use struct {
	tensor      int32
	read, write bool
}

func (b *builder) depends(id uint64) {
	if len(b.wanted) < maxMentions {
		b.wanted = append(b.wanted, id)
	}
}

// add adds a node.
func (b *builder) add(n *raw) error {
	if _, ok := b.ids[n.id]; ok {
		b.again++
	}
	b.ids[n.id] = struct{}{}
	for len(b.seen) < len(b.storages) {
		b.seen = append(b.seen, state{})
	}
	for _, i := range n.inputs {
		s := &b.seen[i.storage]
		s.input = b.trace.Nodes
		if b.expanded[i.tensor] {
			s.larger = b.trace.Nodes
		}
	}
	b.views(n)
	if n.gpu {
		return b.kernel(n)
	}
	if half, later := halfOf(n.name); !later {
		b.host.name, b.host.key = half, n.key
		b.hostOut = -1
		if len(n.outputs) > 0 {
			b.hostOut = n.outputs[0].storage
		}
		for _, o := range n.outputs {
			if s := &b.seen[o.storage]; s.input != b.trace.Nodes {
				s.taken = b.trace.Nodes
			}
		}
	}
	for _, list := range [2][]mention{n.inputs, n.outputs} {
		for _, m := range list {
			if s := &b.seen[m.storage]; s.tensor > 0 && s.taken <= s.born {
				b.grow(s.tensor-1, m)
			}
		}
	}
	return nil
}

// halfOf returns an operator's name, and whether the node is a later part of it:
// the converter splits operators at their launches into "add(0)", "add(1)", ...
func halfOf(name string) (op string, later bool) {
	open := strings.LastIndexByte(name, '(')
	if open <= 0 || !strings.HasSuffix(name, ")") {
		return name, false
	}
	n, ok := whole([]byte(name[open+1 : len(name)-1]))
	if !ok {
		return name, false
	}
	return name[:open], n > 0
}

// grow makes a tensor as large as a mention says, unless that is of an expanded
// view, which repeats what it shows.
func (b *builder) grow(tensor int32, m mention) {
	t := &b.trace.Tensors[tensor]
	if !b.expanded[m.tensor] {
		t.Bytes = max(t.Bytes, m.bytes)
	}
}

// views follows views that are larger than what they show.
func (b *builder) views(n *raw) {
	name, _ := halfOf(n.name)
	expands := strings.HasPrefix(name, "aten::expand") || strings.HasPrefix(name, "aten::broadcast_")
	for _, o := range n.outputs {
		larger := expands || b.seen[o.storage].larger == b.trace.Nodes
		switch {
		case larger && len(b.expanded) < maxNodes:
			if b.expanded == nil {
				b.expanded = map[int64]bool{}
			}
			b.expanded[o.tensor] = true
		case len(b.expanded) > 0:
			delete(b.expanded, o.tensor)
		}
	}
}

// kernel adds a node of the GPU.
func (b *builder) kernel(n *raw) error {
	k := gpuNode{id: n.id, key: n.key}
	k.Name, k.Type = n.name, n.kind
	if b.host.key == n.key || len(n.outputs) > 0 && b.hostOut == n.outputs[0].storage {
		k.Op = b.host.name
	}
	const most = 1000e6 // a thousand seconds
	if n.duration > most {
		b.long++
		n.duration = 0
	}
	k.Time = unit.Time(n.duration) * unit.Microsecond
	if n.start < 1<<62/uint64(unit.Microsecond)*4 {
		k.Start = unit.Time(n.start) // µs for now
	}
	k.Stream = int32(n.tid)
	k.data = append([]uint64(nil), n.data...)
	if len(b.kernels) == maxKernels {
		return tooMany("kernels", maxKernels)
	}
	// Operators that end in "_" change their first argument, collectives what they
	// are given; some do not list it as an output.
	changes := len(n.outputs) == 0 && strings.HasSuffix(k.Op, "_")
	collective := len(n.outputs) == 0 && kindOf(&k.Kernel) == recording.Communication
	for _, m := range n.inputs {
		if m.device >= 0 {
			b.use(&k, b.tensorOf(n, m, false), true, collective || changes && m.first)
		}
	}
	for _, m := range n.outputs {
		if m.device >= 0 {
			fresh := b.seen[m.storage].input != b.trace.Nodes
			t := b.tensorOf(n, m, fresh)
			b.use(&k, t, false, true)
			if kindOf(&k.Kernel) == recording.HostToDevice {
				b.trace.Tensors[t].copied = true
			}
		}
	}
	b.kernels = append(b.kernels, k)
	return nil
}

// use adds a use; each tensor has one of a kernel.
func (b *builder) use(k *gpuNode, tensor int32, read, write bool) {
	for int(tensor) >= len(b.last) {
		b.last = append(b.last, place{})
	}
	p := &b.last[tensor]
	if p.node != b.trace.Nodes {
		*p = place{b.trace.Nodes, int32(len(k.uses))}
		k.uses = append(k.uses, use{tensor, read, write})
		return
	}
	u := &k.uses[p.at]
	u.read, u.write = u.read || read, u.write || write
}

// A place is where among a node's uses a tensor's is.
type place struct {
	node int
	at   int32
}

// tensorOf returns what a storage holds when a kernel mentions it. fresh says that
// the kernel's operator has it as an output only.
func (b *builder) tensorOf(n *raw, m mention, fresh bool) int32 {
	s := &b.seen[m.storage]
	anew := s.taken > s.born || fresh && s.taken == 0 && s.key != n.key
	if s.tensor == 0 || anew {
		s.tensor = int32(len(b.trace.Tensors)) + 1
		s.born, s.key = b.trace.Nodes, n.key
		b.trace.Tensors = append(b.trace.Tensors, Tensor{Resident: !anew, Device: m.device, storage: m.storage})
	}
	b.grow(s.tensor-1, m)
	if t := &b.trace.Tensors[s.tensor-1]; t.Bytes == 0 { // only seen expanded so far
		t.Bytes = m.bytes
	}
	return s.tensor - 1
}
