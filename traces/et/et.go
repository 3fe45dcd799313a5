// Package et reads PyTorch's ExecutionTrace: every operator with the tensors that
// it read and wrote, and their storage. It has no times. Read keeps of a file what
// a workload is made of; Blocks tell the storages apart that carried the same
// number one after the other; Steps, roles and uses follow from those.
package et

import (
	"bytes"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/jsonstream"
	"spillway/traces/recording"
)

// Limits of a file.
const (
	maxNodes    = 4 << 20
	maxMentions = 6 << 20
	maxStrings  = 1 << 20
	maxNesting  = 16 // of lists of tensors
)

// A Trace is what is kept of a file. Names are indices into Strings.
type Trace struct {
	Schema   string
	Process  int64 // number of the process, 0 if unknown
	Strings  []string
	Devices  []string // "cuda:0", "cpu"
	Nodes    []Node   // by ID, which is the order in which operators began
	Mentions []Mention
	Blocks   []Block
	Notes    []string // what was repaired, left out or is not known, with counts

	names  map[int32]Named // of blocks
	linked []linked        // kernels that a tool added to the file
}

// A linked is a kernel in a file to which the profiler's times were added.
type linked struct {
	parent      int64 // ID of the node that launched it
	name        int32
	kind        recording.KernelKind
	stream      int32
	start, time unit.Time
	least       unit.Time // the resolution of time
}

// A Named is what is known of a block from elsewhere.
type Named struct {
	Name string
	Kind workload.Kind // Weight, Gradient or Optimizer
}

// A Node is an operator, or an annotation around operators.
type Node struct {
	ID     int64
	RF     int64 // number of its record function, 0 if unknown
	Thread int64
	Name   int32
	Parent int32 // index, -1 for none
	Last   int32 // index of the last node inside
	// Mentions[In:Out] are its inputs, Mentions[Out:End] its outputs.
	In, Out, End int32
	Flops        int64
	at           int64 // bytes before it in the file
	parentID     int64
	marks        mark
	half         bool // some input has 16 bits an element
	shape        *kerneltime.Kernel
}

// A mark is what is known of a node.
type mark uint8

const (
	view       mark = 1 << iota // it works on no data: views, empty tensors, bookkeeping
	triton                      // outputs stand among the inputs
	optimizer                   // it is inside Optimizer.step
	zeroing                     // inside Optimizer.zero_grad
	accumulate                  // it is or is inside AccumulateGrad
	wrapper                     // an annotation or a step of autograd, which may do nothing itself
	unruled                     // it has no schema that says what it changes
)

// A Mention is a tensor in an operator's inputs or outputs.
type Mention struct {
	Block   int32 // index into Blocks, -1 if it has no memory
	storage int32
	tensor  int64
	extent  unit.Bytes // from the beginning of the storage to the end of the tensor
	bytes   unit.Bytes // of its elements
	flags   flag
}

// A flag is what is known of a mention.
type flag uint8

const (
	written  flag = 1 << iota // the operator changes it
	expanded                  // it has more elements than memory
	counted                   // no operator inside does the work
	data                      // it stands where operators take activations, not weights
	fresh                     // what was there before is not read
	lookedUp                  // an embedding is looked up in it, perhaps
)

// A Block is a piece of memory from its first to its last mention. Storage numbers
// are used again and again; each use is a Block.
type Block struct {
	Bytes  unit.Bytes
	Device int32 // index into Devices
	Born   int32 // the node that took it, -1 if it was there before the recording
	First  int32 // the first and the last node that mention it
	Last   int32
}

// Name returns a node's name.
func (t *Trace) Name(n int32) string { return t.Strings[t.Nodes[n].Name] }

// Sniff reports whether a document that begins with head is an ExecutionTrace.
func Sniff(head []byte) bool {
	r := jsonstream.NewReader(bytes.NewReader(head), nil)
	if r.Peek() != jsonstream.Object || !r.Object() {
		return false
	}
	schema := false
	for {
		key, ok := r.Key()
		if !ok {
			return false
		}
		switch string(key) {
		case "schema":
			schema = r.Peek() == jsonstream.String
		case "nodes":
			return r.Peek() == jsonstream.Array && (schema || firstNode(r))
		}
		r.Skip()
	}
}

// firstNode reports whether the first element of the next array can be a node.
func firstNode(r *jsonstream.Reader) bool {
	if !r.Array() || !r.Elem() || r.Peek() != jsonstream.Object || !r.Object() {
		return false
	}
	id, parent := false, false
	for {
		key, ok := r.Key()
		if !ok {
			return id && parent
		}
		id = id || string(key) == "id"
		parent = parent || string(key) == "ctrl_deps" || string(key) == "parent"
		r.Skip()
	}
}

// Marked returns the blocks that the operators below the annotation called mark are
// given, one for each of those operators called op, in order; -1 where it is given
// none.
func (t *Trace) Marked(mark, op string) (blocks []int32) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Parent < 0 || t.Name(int32(i)) != op || t.Name(n.Parent) != mark {
			continue
		}
		block := int32(-1)
		if n.In < n.Out {
			block = t.Mentions[n.In].Block
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// SetName says what a block is. Where several tensors share it the first counts.
func (t *Trace) SetName(block int32, n Named) {
	if t.names == nil {
		t.names = map[int32]Named{}
	}
	if _, ok := t.names[block]; !ok {
		t.names[block] = n
	}
}

// sized reports whether a mention's tensor can have memory.
func (m *Mention) sized() bool { return m.storage >= 0 }

// maxBytes is the largest tensor that is believed.
const maxBytes = workload.MaxTensor
