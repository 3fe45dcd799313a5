package et

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/jsonstream"
	"spillway/traces/recording"
)

// A reader turns a document into a Trace.
type reader struct {
	r        *jsonstream.Reader
	t        *Trace
	strings  map[string]int32
	devices  map[string]int32
	last     int32 // device
	storages map[storageKey]int32
	rules    map[string]rule // of operators' schemas
	rows     table[Node]
	mentions table[Mention]
	laws     laws
	node     nodeInProgress
	nodes    int // seen, with those that are left out
	bad      int // values that should be tensors and are none
	badAt    string
}

// A storageKey is how a file names a storage.
type storageKey struct {
	id     int64
	device int32
}

// maxArgs is how many arguments of an operator are looked at one by one.
const maxArgs = 32

// A nodeInProgress is what a node's keys said so far; their order is free.
type nodeInProgress struct {
	Node
	hasID   bool
	in, out []argMention
	args    [2]int            // how many of the following are in use
	dims    [2][maxArgs]shape // of inputs and outputs
	types   [2][maxArgs]bool  // the argument is a tensor by its type
	arrays  [2][maxArgs]bool  // its value is a list
	zero    bool              // a list of strides in the arguments has a zero
	rule    rule
	gpu     gpuFields
}

// gpuFields are what a node has that stands for a kernel.
type gpuFields struct {
	is          bool // of a category of the GPU's
	kind        recording.KernelKind
	stream      int32
	start, time unit.Time
	least       unit.Time
}

// An argMention is a tensor and the argument that it stands in.
type argMention struct {
	Mention
	arg int
}

// A shape is the dimensions of a tensor.
type shape struct {
	n   int
	dim [8]int64
}

// Read reads a trace. tell may be nil; it is told now and then how many bytes are
// read.
func Read(r io.Reader, tell func(bytes int64)) (*Trace, error) {
	d := &reader{
		r: jsonstream.NewReader(r, tell), t: &Trace{},
		strings: map[string]int32{}, devices: map[string]int32{},
		storages: map[storageKey]int32{}, rules: map[string]rule{}, laws: laws{},
	}
	d.intern(nil) // the name of what has none
	if err := d.document(); err != nil {
		return nil, err
	}
	if err := d.t.order(); err != nil {
		return nil, err
	}
	d.t.identify(len(d.storages))
	return d.t, nil
}

func (d *reader) document() error {
	r := d.r
	if r.Peek() != jsonstream.Object {
		return errors.New("line 1 (byte 0): this is no ExecutionTrace, which is a JSON object with schema and nodes")
	}
	r.Object()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		switch string(key) {
		case "schema":
			if s, ok := r.Text(); ok {
				d.schema(string(s))
			}
		case "pid":
			d.t.Process, _ = r.Int()
		case "nodes":
			if r.Peek() != jsonstream.Array {
				r.Fail("\"nodes\" of this ExecutionTrace is no list")
			}
			for r.Array(); r.Elem(); {
				d.readNode()
			}
		default:
			r.Skip()
		}
	}
	r.End()
	if err := r.Err(); err != nil {
		return err
	}
	if d.rows.n == 0 {
		return errors.New("this ExecutionTrace has no nodes. Record it while a training step runs")
	}
	d.notes()
	d.t.Nodes, d.t.Mentions = d.rows.rows(), d.mentions.rows()
	return nil
}

// schema judges the version.
func (d *reader) schema(s string) {
	if len(s) > 40 {
		s = s[:40]
	}
	d.t.Schema = s
	version, _, _ := strings.Cut(s, "-")
	switch version {
	case "1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.1.0", "1.1.1":
	default:
		if !strings.HasPrefix(version, "1.") {
			d.r.Fail("schema %q: known are the ExecutionTraces 1.0.1 to 1.1.1", s)
			return
		}
		d.t.Notes = append(d.t.Notes, fmt.Sprintf("Schema %q is not known; the file was read as 1.1.1.", s))
	}
}

func (d *reader) notes() {
	add := func(format string, a ...any) { d.t.Notes = append(d.t.Notes, fmt.Sprintf(format, a...)) }
	if d.r.Cut() {
		add("The file ends in the middle, after %d nodes; what is there was read.", d.rows.n)
	}
	if n := d.nodes - d.rows.n; n > 0 {
		add("%d nodes have no id and were left out.", n)
	}
	if d.bad > 0 {
		add("%d values should be tensors but are not [id, storage, offset, elements, bytes, device]; they were left out, the first at %s.", d.bad, d.badAt)
	}
	fixed := d.r.Repairs
	fixed.Unclosed = 0
	if fixed.Any() {
		add("The file is not quite JSON and was repaired: %d commas too many, %d stray backslashes, %d control characters, %d NaN or Infinity.",
			fixed.Commas, fixed.Escapes, fixed.Controls, fixed.NotFinite)
	}
}

// intern returns the index of a name.
func (d *reader) intern(s []byte) int32 {
	if i, ok := d.strings[string(s)]; ok {
		return i
	}
	if len(d.t.Strings) >= maxStrings {
		d.r.Fail("more than %d different names", maxStrings)
		return 0
	}
	i := int32(len(d.t.Strings))
	if len(s) > 500 {
		s = s[:500]
	}
	name := strings.ToValidUTF8(string(s), "�")
	d.t.Strings = append(d.t.Strings, name)
	d.strings[name] = i
	return i
}

// readNode reads one element of nodes.
func (d *reader) readNode() {
	r, n := d.r, &d.node
	if r.Peek() != jsonstream.Object {
		r.Skip()
		return
	}
	n.reset()
	n.at = r.Offset()
	d.nodes++
	r.Object()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		d.field(key)
	}
	if r.Err() != nil || r.Cut() {
		d.nodes--
		return
	}
	switch {
	case n.hasID && n.gpu.is:
		d.nodes--
		d.link()
	case n.hasID:
		d.keep()
	}
}

// reset forgets a node; the arguments that it had not are empty already.
func (n *nodeInProgress) reset() {
	n.Node = Node{Parent: -1}
	n.hasID, n.zero, n.rule, n.gpu = false, false, rule{}, gpuFields{}
	n.in, n.out = n.in[:0], n.out[:0]
	for side, count := range n.args {
		clear(n.dims[side][:count])
		clear(n.types[side][:count])
		clear(n.arrays[side][:count])
		n.args[side] = 0
	}
}

// use makes room for an argument and reports whether it is one that is looked at.
func (n *nodeInProgress) use(side, arg int) bool {
	if arg >= maxArgs {
		return false
	}
	n.args[side] = max(n.args[side], arg+1)
	return true
}

// field reads the value of one key of a node, in either dialect.
func (d *reader) field(key []byte) {
	r, n := d.r, &d.node
	switch string(key) {
	case "id":
		n.ID, n.hasID = d.identifier()
	case "ctrl_deps", "parent":
		if r.Peek() != jsonstream.Array {
			n.parentID, _ = d.identifier()
			return
		}
		for r.Array(); r.Elem(); {
			n.parentID, _ = d.identifier()
		}
	case "inputs":
		d.side(0)
	case "outputs":
		d.side(1)
	case "input_shapes":
		d.shapes(0)
	case "output_shapes":
		d.shapes(1)
	case "input_types":
		d.types(0)
	case "output_types":
		d.types(1)
	case "attrs":
		for r.Array(); r.Elem(); {
			d.attr()
		}
	default:
		d.attribute(key)
	}
}

// identifier reads a number that names something, exactly.
func (d *reader) identifier() (int64, bool) {
	if d.r.Peek() == jsonstream.Null {
		d.r.Skip()
		return 0, false
	}
	at := d.r.Offset()
	v, ok := d.whole()
	if !ok && d.r.Err() == nil && !d.r.Cut() {
		d.r.Fail("the node id at byte %d is no whole number below 2^63", at)
	}
	return v, ok
}

// whole reads a number without a fraction.
func (d *reader) whole() (int64, bool) {
	s, ok := d.r.Number()
	if !ok || bytes.ContainsAny(s, ".eE") {
		return 0, false
	}
	return jsonstream.ParseInt(s)
}

// attribute reads what stands in the node itself in the flat dialect, among its
// attrs in the others.
func (d *reader) attribute(key []byte) {
	r, n := d.r, &d.node
	switch string(key) {
	case "name":
		if s, ok := r.Text(); ok {
			n.Name = d.intern(s)
		}
	case "rf_id":
		n.RF, _ = r.Int()
	case "tid":
		n.Thread, _ = r.Int()
	case "op_schema":
		if s, ok := r.Text(); ok {
			n.rule = d.ruleOf(s)
		}
	case "cat":
		d.category()
	case "ts":
		n.gpu.start, _ = d.micros()
	case "inclusive_dur":
		n.gpu.time, n.gpu.least = d.micros()
	case "stream":
		stream, _ := r.Int()
		n.gpu.stream = int32(min(max(stream, -1), 1<<31-1))
	case "kernel_backend":
		if s, ok := r.Text(); ok && string(s) == "triton" {
			n.marks |= triton
		}
	default:
		r.Skip()
	}
}

// category reads what a linked node is.
func (d *reader) category() {
	s, _ := d.r.Text()
	g := &d.node.gpu
	switch string(s) {
	case "kernel":
		g.is = true
	case "gpu_memcpy":
		g.is, g.kind = true, recording.DeviceToDevice // until the name is known
	case "gpu_memset":
		g.is, g.kind = true, recording.Memset
	}
}

// micros reads a time in microseconds, and its resolution.
func (d *reader) micros() (t, least unit.Time) {
	s, ok := d.r.Number()
	if !ok {
		return 0, 0
	}
	least = unit.Microsecond
	if bytes.IndexByte(s, '.') >= 0 {
		least = unit.Nanosecond
	}
	// Picoseconds since 1970 do not fit; nanoseconds do.
	ns, _ := jsonstream.ParseDecimal(s, 3)
	return unit.Time(ns), least
}

// link keeps a kernel that a tool added.
func (d *reader) link() {
	n := &d.node
	if len(d.t.linked) >= maxNodes {
		d.r.Fail("more than %d kernels; record fewer steps", maxNodes)
		return
	}
	l := linked{parent: n.parentID, name: n.Name, kind: n.gpu.kind, stream: n.gpu.stream, start: n.gpu.start, time: n.gpu.time, least: n.gpu.least}
	name := d.t.Strings[n.Name]
	switch {
	case l.kind == recording.DeviceToDevice && strings.Contains(name, "HtoD"):
		l.kind = recording.HostToDevice
	case l.kind == recording.DeviceToDevice && strings.Contains(name, "DtoH"):
		l.kind = recording.DeviceToHost
	case l.kind == recording.Compute && (strings.HasPrefix(name, "nccl") || strings.HasPrefix(name, "rccl")):
		l.kind = recording.Communication
	}
	if l.time < 0 || l.time > workload.MaxTime/unit.Nanosecond {
		l.time = 0
	}
	d.t.linked = append(d.t.linked, l)
}

// attr reads {"name": "rf_id", "type": "uint64", "value": 7}.
func (d *reader) attr() {
	if !d.r.Object() {
		return
	}
	var name [24]byte
	length := 0
	for key, ok := d.r.Key(); ok; key, ok = d.r.Key() {
		switch string(key) {
		case "name":
			s, _ := d.r.Text()
			length = 0
			if len(s) <= len(name) {
				length = copy(name[:], s)
			}
		case "value":
			if attr := name[:length]; string(attr) == "name" {
				d.r.Skip() // of a node only
			} else {
				d.attribute(attr)
			}
		default:
			d.r.Skip()
		}
	}
}

// side reads inputs (0) or outputs (1): a list of values, or values with shapes and
// types.
func (d *reader) side(side int) {
	r := d.r
	if r.Peek() != jsonstream.Object {
		d.values(side)
		return
	}
	r.Object()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		switch string(key) {
		case "values":
			d.values(side)
		case "shapes":
			d.shapes(side)
		case "types":
			d.types(side)
		default:
			r.Skip()
		}
	}
}

// values reads arguments.
func (d *reader) values(side int) {
	r := d.r
	if !r.Array() {
		return
	}
	for arg := 0; r.Elem(); arg++ {
		if r.Peek() != jsonstream.Array {
			r.Skip()
			continue
		}
		if d.node.use(side, arg) {
			d.node.arrays[side][arg] = true
		}
		d.list(side, arg, 0)
	}
}

// list reads an argument's list: a tensor, a list of them, or something else.
func (d *reader) list(side, arg, depth int) {
	r := d.r
	if depth == maxNesting {
		r.Fail("lists of values nest deeper than %d levels", maxNesting)
		return
	}
	r.Array()
	var v [5]int64
	var device int32 = -1
	length, whole, zeros := 0, 0, 0
	for ; r.Elem(); length++ {
		switch r.Peek() {
		case jsonstream.Array:
			d.list(side, arg, depth+1)
		case jsonstream.Number:
			x, ok := d.whole()
			if ok && x == 0 {
				zeros++
			}
			if ok && length < 5 {
				v[length] = x
				whole++
			}
		case jsonstream.String:
			s, _ := r.Text()
			if deviceName(s) {
				device = d.device(s)
			}
		default:
			r.Skip()
		}
	}
	switch {
	case length == 6 && whole == 5 && device >= 0 && v[2] >= 0 && v[3] >= 0 && v[4] >= 0:
		d.tensor(side, arg, v, device)
	case device >= 0 && length > 1 && whole > 0 && d.t.Devices[device] != "":
		d.malformed()
	case arg == 2 && side == 0 && depth == 0 && zeros > 0:
		d.node.zero = true // as_strided's third argument
	}
}

// deviceName reports whether a text can be the device of a tensor; placeholders
// have none.
func deviceName(s []byte) bool {
	if len(s) > 20 {
		return false
	}
	if len(s) == 0 {
		return true
	}
	kind, _, _ := bytes.Cut(s, []byte(":"))
	switch string(kind) {
	case "cpu", "cuda", "hip", "xpu", "mtia", "privateuseone", "npu", "hpu", "mps", "xla", "maia", "meta":
		return true
	}
	return false
}

func (d *reader) device(s []byte) int32 {
	if int(d.last) < len(d.t.Devices) && d.t.Devices[d.last] == string(s) {
		return d.last
	}
	if i, ok := d.devices[string(s)]; ok {
		d.last = i
		return i
	}
	i := int32(len(d.t.Devices))
	d.t.Devices = append(d.t.Devices, string(s))
	d.devices[string(s)] = i
	return i
}

// malformed counts a value that should be a tensor.
func (d *reader) malformed() {
	if d.bad == 0 {
		d.badAt = fmt.Sprintf("line %d (byte %d)", d.r.Line(), d.r.Offset())
	}
	d.bad++
}

// tensor adds [id, storage, offset, elements, bytes of one, device].
func (d *reader) tensor(side, arg int, v [5]int64, device int32) {
	n := &d.node
	last := v[2] + v[3]
	if v[4] > 0 && (last < 0 || last > int64(maxBytes)/v[4]) {
		d.r.Fail("a tensor of %d elements of %d bytes from the %d-th on: at most %v is believed", v[3], v[4], v[2], maxBytes)
		return
	}
	m := Mention{Block: -1, storage: -1, tensor: v[0], extent: unit.Bytes(last * v[4]), bytes: unit.Bytes(v[3] * v[4])}
	if name := d.t.Devices[device]; v[3] > 0 && v[4] > 0 && name != "" && name != "meta" {
		key := storageKey{v[1], device}
		s, ok := d.storages[key]
		if !ok {
			s = int32(len(d.storages))
			d.storages[key] = s
			d.t.Blocks = append(d.t.Blocks, Block{Device: device}) // until identify
		}
		m.storage = s
	}
	if side == 0 {
		n.in = append(n.in, argMention{m, arg})
	} else {
		n.out = append(n.out, argMention{m, arg})
	}
}

// shapes reads the dimensions of arguments that are single tensors.
func (d *reader) shapes(side int) {
	r := d.r
	if !r.Array() {
		return
	}
	for arg := 0; r.Elem(); arg++ {
		if r.Peek() != jsonstream.Array || !d.node.use(side, arg) {
			r.Skip()
			continue
		}
		s := &d.node.dims[side][arg]
		for r.Array(); r.Elem(); {
			if r.Peek() != jsonstream.Number {
				r.Skip()
				continue
			}
			if x, ok := r.Int(); ok && s.n < len(s.dim) {
				s.dim[s.n] = x
				s.n++
			}
		}
	}
}

// types reads which arguments are single tensors.
func (d *reader) types(side int) {
	r := d.r
	if !r.Array() {
		return
	}
	for arg := 0; r.Elem(); arg++ {
		s, ok := r.Text()
		if ok && bytes.HasPrefix(s, []byte("Tensor(")) && d.node.use(side, arg) {
			d.node.types[side][arg] = true
			d.node.half = d.node.half || side == 0 && (bytes.Contains(s, []byte("Half")) || bytes.Contains(s, []byte("BFloat16")))
		}
	}
}

// keep adds the node that was read.
func (d *reader) keep() {
	n, t := &d.node, d.t
	d.checkTypes()
	if d.rows.n >= maxNodes {
		d.r.Fail("more than %d nodes; record fewer steps", maxNodes)
		return
	}
	if d.mentions.n+len(n.in)+len(n.out) > maxMentions {
		d.r.Fail("more than %d mentions of tensors; record fewer steps", maxMentions)
		return
	}
	name := t.Strings[n.Name]
	n.marks |= marksOf(name, n.rule)
	in, out := n.dims[0][:max(n.args[0], 3)], n.dims[1][:max(n.args[1], 2)]
	n.Flops, n.shape = flops(name, in, out), d.laws.of(name, in, out)
	lookup := strings.Contains(name, "embedding")
	n.In = int32(d.mentions.n)
	for i := range n.in {
		m := &n.in[i]
		if m.arg < 64 && n.rule.changes&(1<<m.arg) != 0 {
			m.flags |= written
			if overwrites(name) || n.rule.outs&(1<<m.arg) != 0 {
				m.flags |= fresh
			}
		}
		if dataArg(name, m.arg) {
			m.flags |= data
		} else if lookup {
			m.flags |= lookedUp
		}
		d.mentions.add(m.Mention)
	}
	n.Out = int32(d.mentions.n)
	for i := range n.out {
		m := &n.out[i]
		if expands(name) || name == "aten::as_strided" && n.zero {
			m.flags |= expanded
		}
		d.mentions.add(m.Mention)
	}
	n.End = int32(d.mentions.n)
	d.rows.add(n.Node)
}

// checkTypes counts arguments that are tensors by their type but not by their
// value.
func (d *reader) checkTypes() {
	n := &d.node
	for side, list := range [2][]argMention{n.in, n.out} {
		for arg, is := range n.types[side][:n.args[side]] {
			if is && n.arrays[side][arg] && !slices.ContainsFunc(list, func(m argMention) bool { return m.arg == arg }) {
				d.malformed()
			}
		}
	}
}

// order sorts nodes by id and finds their parents.
func (t *Trace) order() error {
	nodes := t.Nodes
	slices.SortStableFunc(nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	orphans, late := 0, 0
	for i := range nodes {
		n := &nodes[i]
		if i > 0 && nodes[i-1].ID == n.ID {
			return fmt.Errorf("byte %d: node id %d is there twice; ids must be unique, as they say what ran first", n.at, n.ID)
		}
		p, ok := slices.BinarySearchFunc(nodes, n.parentID, func(n Node, id int64) int { return cmp.Compare(n.ID, id) })
		switch {
		case ok && p != i:
			n.Parent = int32(p)
		case !ok && n.parentID != 0:
			orphans++
		}
	}
	if err := t.cycles(); err != nil {
		return err
	}
	for i := range nodes {
		if n := &nodes[i]; n.Parent > int32(i) {
			n.Parent = -1 // it would have begun before what it is inside of
			late++
		}
	}
	if orphans > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d nodes name parents that are not in the file.", orphans))
	}
	if late > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d nodes have smaller ids than their parents; the parents were ignored.", late))
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		n.Last = max(n.Last, int32(i))
		if n.Parent >= 0 {
			p := &nodes[n.Parent]
			p.Last = max(p.Last, n.Last)
		}
	}
	for i := range nodes {
		t.inherit(&nodes[i])
	}
	return nil
}

// cycles fails where following parents never ends.
func (t *Trace) cycles() error {
	done := make([]int32, len(t.Nodes)) // the walk that came by, from 1
	for i := range t.Nodes {
		walk := int32(i + 1)
		for n := int32(i); n >= 0 && done[n] == 0; n = t.Nodes[n].Parent {
			done[n] = walk
			if p := t.Nodes[n].Parent; p >= 0 && done[p] == walk {
				a := &t.Nodes[n]
				return fmt.Errorf("byte %d: node %d is inside itself: following its parents (%d first) leads back to it", a.at, a.ID, t.Nodes[p].ID)
			}
		}
	}
	return nil
}

// inherit gives a node the marks of what it is inside of.
func (t *Trace) inherit(n *Node) {
	name := t.Strings[n.Name]
	switch {
	case strings.HasPrefix(name, "Optimizer.step#"):
		n.marks |= optimizer
	case strings.HasPrefix(name, "Optimizer.zero_grad#"):
		n.marks |= zeroing
	case name == accumulateGrad:
		n.marks |= accumulate
	}
	if n.Parent >= 0 {
		n.marks |= t.Nodes[n.Parent].marks & (optimizer | zeroing | accumulate)
	}
}
