package g10

import (
	"bytes"
	"fmt"
	"strconv"

	"spillway/sim/workload"
)

// An op is one record of a numeric operator list.
type op struct {
	kind   string
	line   int
	id     int64
	inputs []int64
	dims   [][]int64 // of each input; batchDim stands for the batch

	// Filled by the builder.
	out   workload.TensorID
	in    []workload.TensorID
	dIn   []workload.TensorID // gradient of each input, none where it has none
	dOuts []workload.TensorID // gradients of the result, from its consumers
}

const (
	batchDim = 99 // a dimension of 99 stands for the batch size
	rule     = "-------------------"
	maxOps   = 1 << 17
	maxRank  = 16
)

// opKinds are the operator types the format knows and how many inputs they
// take. The second and fourth operator of a softmax have one more.
var opKinds = map[string]int{
	"Add": 2, "BatchMatMul": 2, "Convolution": 2, "Divide": 2, "Dot": 2, "Erf": 1, "GatherV2": 2, "Multiply": 2,
	"Power": 2, "Relu": 1, "SoftmaxBasic": 1, "Sqrt": 1, "Subtract": 2, "Sum": 1, "Tanh": 1,
}

// words reads blank-separated words and counts lines.
type words struct {
	name string
	rest []byte
	line int // of the last word
	next int // line of the rest
}

func (w *words) errorf(format string, a ...any) error {
	return fmt.Errorf("%s:%d: %w", w.name, w.line, fmt.Errorf(format, a...))
}

// word returns the next word, nil at the end.
func (w *words) word() []byte {
	for len(w.rest) > 0 {
		switch w.rest[0] {
		case '\n':
			w.next++
		case ' ', '\t', '\r', '\v', '\f':
		default:
			w.line = w.next
			end := bytes.IndexAny(w.rest, " \t\r\n\v\f")
			if end < 0 {
				end = len(w.rest)
			}
			word := w.rest[:end]
			w.rest = w.rest[end:]
			return word
		}
		w.rest = w.rest[1:]
	}
	w.line = w.next
	return nil
}

func (w *words) number(what string, low, high int64) (int64, error) {
	text := w.word()
	if text == nil {
		return 0, w.errorf("the file ends where %s should be", what)
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < low || n > high {
		return 0, w.errorf("%s is %q; want a whole number from %d to %d", what, clip(text), low, high)
	}
	return n, nil
}

// parseOps reads every record of a numeric operator list.
func parseOps(f File) ([]op, error) {
	w := words{name: f.Name, rest: f.Data, next: 1}
	var ops []op
	for {
		if rest := bytes.TrimLeft(w.rest, " \t\r\n\v\f"); len(rest) == 0 {
			break
		}
		o, err := w.op()
		if err != nil {
			return nil, err
		}
		if len(ops) == maxOps {
			return nil, w.errorf("more than %d operators", maxOps)
		}
		ops = append(ops, o)
	}
	if len(ops) == 0 {
		return nil, fmt.Errorf("%s: no operators", f.Name)
	}
	return ops, nil
}

func (w *words) op() (op, error) {
	var o op
	var err error
	if o.id, err = w.number("an operator's id", 0, maxNumber); err != nil {
		return o, err
	}
	o.line = w.line
	o.kind = string(w.word())
	want, ok := opKinds[o.kind]
	if !ok {
		return o, w.errorf("operator %d has the unknown type %q; known are Add, BatchMatMul, Convolution, Divide, Dot, Erf, "+
			"GatherV2, Multiply, Power, Relu, SoftmaxBasic, Sqrt, Subtract, Sum and Tanh", o.id, clip(o.kind))
	}
	most := want
	if o.kind == "SoftmaxBasic" {
		most++
	}
	n, err := w.number("the number of inputs of "+o.kind, int64(want), int64(most))
	if err != nil {
		return o, err
	}
	o.inputs, o.dims = make([]int64, n), make([][]int64, n)
	for i := range o.inputs {
		if o.inputs[i], err = w.number("an input's id", 0, maxNumber); err != nil {
			return o, err
		}
	}
	for i := range o.dims {
		rank, err := w.number("an input's rank", 0, maxRank)
		if err != nil {
			return o, err
		}
		o.dims[i] = make([]int64, rank)
		for j := range o.dims[i] {
			if o.dims[i][j], err = w.number("a dimension", 1, maxNumber); err != nil {
				return o, err
			}
		}
	}
	if text := w.word(); string(text) != rule {
		return o, w.errorf("operator %d (%s) is followed by %q; want a line of %d dashes", o.id, o.kind, clip(text), len(rule))
	}
	return o, nil
}

// A tensorInfo is what the list says about one tensor id.
type tensorInfo struct {
	elements int64 // as its last consumer views it; 0 if nobody reads it
	tensor   workload.TensorID
	producer int32 // index into ops, -1 for weights, inputs and constants
}

// A list is an operator list while its tensors and kernels are built.
type list struct {
	*builder
	name   string
	batch  int64
	border int64
	ops    []op
	info   map[int64]*tensorInfo
}

// transformer builds tensors and kernels of a numeric operator list.
func (b *builder) transformer(f File, s Setup) error {
	all, err := parseOps(f)
	if err != nil {
		return err
	}
	return b.operators(f.Name, s, all)
}

// operators builds tensors and kernels of the records of an operator list.
func (b *builder) operators(name string, s Setup, all []op) error {
	l := &list{builder: b, name: name, batch: s.Batch, border: s.Border, info: make(map[int64]*tensorInfo, 2*len(all))}
	l.sizes(all, s.Batch)
	if err := l.fold(all); err != nil {
		return err
	}
	if err := l.tensors(); err != nil {
		return err
	}
	if err := l.kernels(); err != nil {
		return err
	}
	b.w.Graph = workload.Graph{Transformer: true, WeightIDs: int(s.Border)}
	b.w.Model = listModel(all)
	return nil
}

// sizes notes every tensor's size: the one with which it is mentioned last.
func (l *list) sizes(all []op, batch int64) {
	for i := range all {
		for j, id := range all[i].inputs {
			l.at(id).elements = elements(all[i].dims[j], batch)
		}
	}
}

func (l *list) at(id int64) *tensorInfo {
	t := l.info[id]
	if t == nil {
		t = &tensorInfo{tensor: none, producer: -1}
		l.info[id] = t
	}
	return t
}

func elements(dims []int64, batch int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d == batchDim {
			d = batch
		}
		n = product(n, d)
	}
	return n
}

// fold keeps one operator of every softmax: the list spells one as four, and
// the first takes the place of the last.
func (l *list) fold(all []op) error {
	const parts = 4
	for i := 0; i < len(all); i++ {
		o := all[i]
		if o.kind == "SoftmaxBasic" {
			if i+parts > len(all) {
				return l.errorf(&o, "a softmax is a group of %d operators, but the file ends", parts)
			}
			i += parts - 1
			o.id = all[i].id
		}
		t := l.at(o.id)
		if t.producer >= 0 {
			return l.errorf(&o, "the same id as the operator in line %d", l.ops[t.producer].line)
		}
		t.producer = int32(len(l.ops))
		l.ops = append(l.ops, o)
	}
	return nil
}

func (l *list) errorf(o *op, format string, a ...any) error {
	return fmt.Errorf("%s:%d: operator %d (%s): %w", l.name, o.line, o.id, o.kind, fmt.Errorf(format, a...))
}

// tensors creates, operator by operator, the result, the inputs and the inputs'
// gradients; at the end the gradient that the loss produces.
func (l *list) tensors() error {
	for i := range l.ops {
		o := &l.ops[i]
		if t := l.at(o.id); t.elements > 0 {
			o.out = l.shared(o.id, t)
		} else {
			first := l.at(o.inputs[0])
			o.out = l.tensor(opName(o), first.elements, false, workload.Intermediate)
		}
		o.in = make([]workload.TensorID, len(o.inputs))
		o.dIn = make([]workload.TensorID, len(o.inputs))
		for j, id := range o.inputs {
			o.in[j] = l.shared(id, l.at(id))
		}
		for j, id := range o.inputs {
			o.dIn[j] = none
			t := l.at(id)
			global := l.w.Tensors[o.in[j]].Global
			if o.kind == "Power" && global || !global && t.producer < 0 {
				continue
			}
			o.dIn[j] = l.like(opName(o)+" d_input"+strconv.Itoa(j), o.in[j])
			if t.producer >= 0 {
				p := &l.ops[t.producer]
				p.dOuts = append(p.dOuts, o.dIn[j])
			}
		}
		if l.err != nil {
			return l.errorf(o, "%w", l.err)
		}
	}
	last := &l.ops[len(l.ops)-1]
	last.dOuts = append(last.dOuts, l.like("loss d_input", last.out))
	return nil
}

// shared returns the tensor of an id and creates it at its first mention.
func (l *list) shared(id int64, t *tensorInfo) workload.TensorID {
	if t.tensor != none {
		return t.tensor
	}
	switch {
	case id < l.border:
		t.tensor = l.tensor("weight "+strconv.FormatInt(id, 10), t.elements, true, workload.Weight)
	case t.producer >= 0:
		t.tensor = l.tensor(opName(&l.ops[t.producer]), t.elements, false, workload.Intermediate)
	default:
		t.tensor = l.tensor("input "+strconv.FormatInt(id, 10), t.elements, false, workload.Input)
	}
	return t.tensor
}

func opName(o *op) string { return o.kind + " " + strconv.FormatInt(o.id, 10) }

// kernelName is the name of an operator in kernel names.
func kernelName(kind string) string {
	switch kind {
	case "Dot":
		return "Linear"
	case "Convolution":
		return "Conv2d"
	case "Relu":
		return "ReLU"
	}
	return kind
}

func (l *list) kernels() error {
	for i := range l.ops {
		o := &l.ops[i]
		l.doing = o.work(l.batch)
		l.doing.Op = o.line
		l.kernel(kernelName(o.kind)+"_Forward", o.in, ids(o.out))
	}
	l.doing = Work{}
	last := &l.ops[len(l.ops)-1]
	l.kernel("makeLoss", ids(last.out), ids(last.dOuts[0]))
	for i := len(l.ops) - 1; i >= 0; i-- {
		o := &l.ops[i]
		if len(o.dOuts) == 0 {
			return l.errorf(o, "nothing that trains uses its result; only the last operator may end a network")
		}
		l.doing = o.work(l.batch)
		l.doing.Op = o.line
		if len(o.dOuts) > 1 {
			l.kernel("Add_MultiGredient", o.dOuts, ids(o.dOuts[0]))
		}
		if err := l.backward(o, o.dOuts[0]); err != nil {
			return err
		}
	}
	return nil
}

// backward appends the kernels that turn g, the gradient of o's result, into
// the gradients of its inputs and apply those of its weights.
func (l *list) backward(o *op, g workload.TensorID) error {
	w, dw := l.last(o, true)
	x, dx := l.last(o, false)
	name := kernelName(o.kind)
	switch o.kind {
	case "GatherV2", "Dot", "Convolution":
		if w == none {
			return l.errorf(o, "none of its inputs is a weight; trans_borden (ids below are weights) is %d: is it right?", l.border)
		}
		if x == none {
			return l.errorf(o, "all its inputs are weights; trans_borden (ids below are weights) is %d: is it right?", l.border)
		}
	case "Relu", "SoftmaxBasic", "Sqrt", "Sum", "Tanh", "Erf", "Power":
		if o.dIn[0] == none {
			return l.errorf(o, "its first input %d needs no gradient; it must be a weight or another operator's result", o.inputs[0])
		}
	}
	switch o.kind {
	case "GatherV2":
		l.kernel("GatherV2_Backward", ids(g, x), ids(dw, dx))
		l.kernel("Apply_Grad", ids(dw, w), ids(w))
	case "Dot", "Convolution":
		l.kernel(name+"_Backward_Weight", ids(g, x), ids(dw))
		if dx != none {
			l.kernel(name+"_Backward_Input", ids(w, g), ids(dx))
		}
		if o.kind == "Dot" {
			l.kernel("Linear_Apply_Grad_Weight", ids(dw, w), ids(w))
		} else {
			l.kernel("Apply_Grad", ids(dw, w), ids(w))
		}
	case "Relu", "SoftmaxBasic":
		l.kernel(name+"_Backward", ids(o.in[0], g), ids(o.dIn[0]))
	case "Sqrt", "Sum", "Tanh", "Erf":
		l.kernel(name+"_Backward", ids(g, o.in[0]), ids(o.dIn[0]))
	case "Power":
		l.kernel("Power_Backward", ids(g, o.in[0], o.in[1]), ids(o.dIn[0]))
	default:
		l.elementwise(o, g, name)
		if w != none {
			l.kernel("Apply_Grad", ids(dw, w), ids(w))
		}
	}
	return nil
}

// elementwise appends the backward kernels of operators with two equal inputs.
func (l *list) elementwise(o *op, g workload.TensorID, name string) {
	a, b := o.in[0], o.in[1]
	switch o.kind {
	case "Add", "Subtract":
		l.kernel(name+"_Backward", ids(g), o.dIn)
	case "Divide":
		l.ifNeeded("Divide_Backward_A", ids(b, g), o.dIn[0])
		l.ifNeeded("Divide_Backward_B", ids(b, o.out, g), o.dIn[1])
	default:
		l.ifNeeded(name+"_Backward", ids(g, b), o.dIn[0])
		l.ifNeeded(name+"_Backward", ids(g, a), o.dIn[1])
	}
}

// ifNeeded appends a kernel if the gradient it computes exists.
func (l *list) ifNeeded(name string, in []workload.TensorID, gradient workload.TensorID) {
	if gradient != none {
		l.kernel(name, in, ids(gradient))
	}
}

// last returns the last input that is a weight, or the last that is not, and
// its gradient.
func (l *list) last(o *op, weight bool) (t, gradient workload.TensorID) {
	for j := len(o.in) - 1; j >= 0; j-- {
		if l.w.Tensors[o.in[j]].Global == weight {
			return o.in[j], o.dIn[j]
		}
	}
	return none, none
}

// listModel recognizes the two published networks by the first operators and
// the number of attention products.
func listModel(ops []op) string {
	products := 0
	vocabulary := false
	for i := range ops {
		o := &ops[i]
		switch o.kind {
		case "BatchMatMul":
			products++
		case "GatherV2":
			d := o.dims[0]
			vocabulary = vocabulary || len(d) == 2 && d[0] == 30522 && d[1] == 768
		}
	}
	const layers = 12
	d := ops[0].dims[len(ops[0].dims)-1]
	switch {
	case products != 2*layers:
	case vocabulary:
		return "bert-base"
	case ops[0].kind == "Convolution" && len(d) == 4 && d[0] == 384 && d[2] == 32 && d[3] == 32:
		return "vit-s-32"
	}
	return ""
}
