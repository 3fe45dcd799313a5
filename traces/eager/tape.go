package eager

import (
	"fmt"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// element is the size of a number: everything is fp32.
const element unit.Bytes = 4

// long is the size of an index: PyTorch's are int64.
const long unit.Bytes = 8

// none is no tensor.
const none workload.TensorID = -1

// A tape writes down kernels as the program launches them, and with each operator of
// the forward pass how to undo it. What a backward kernel reads is what autograd saved;
// all else dies with its last use.
type tape struct {
	w      *workload.Workload
	times  Times
	batch  int64
	scope  string   // of names
	pass   string   // ends the names of what is not global, where a network runs several times
	undo   []func() // the operators not yet undone
	params []*param // in the order in which they were made
	known  map[string]*param
	stats  map[string]workload.TensorID // buffers by name
	flops  []float64                    // by kernel
	turns  []int                        // the first kernels of backward passes
}

// A value is a tensor at one point of the program. Operators that work in place give a
// new value in the same memory, views a value in a part of it.
type value struct {
	id    workload.TensorID
	n     int64             // numbers
	grad  workload.TensorID // none before the backward pass reaches it
	needs bool              // a gradient is wanted
}

// A param is a tensor that training changes.
type param struct {
	value
	name string
	sum  workload.TensorID // its .grad, which zero_grad clears and backward adds to
	uses int               // in the forward pass whose gradients have not come
	rows *sparse           // of a table, whose gradient is a list of rows; nil: dense
}

// A cost is what a kernel's time depends on.
type cost struct {
	class class
	flops float64
	bytes unit.Bytes // moved; 0: every tensor once
	// shape is what the law of package kerneltime knows of it; its Bytes are filled in.
	shape kerneltime.Kernel
}

// ids is a list of tensors.
func ids(list ...workload.TensorID) []workload.TensorID { return list }

// kernel launches a kernel. A tensor listed twice is listed once.
func (t *tape) kernel(name string, c cost, in, out []workload.TensorID) *workload.Kernel {
	in, out = unique(in), unique(out)
	bytes := c.bytes
	if bytes == 0 {
		for _, list := range [2][]workload.TensorID{in, out} {
			for _, id := range list {
				bytes += t.w.Tensors[id].Bytes
			}
		}
	}
	if c.shape.Bytes == 0 {
		c.shape.Bytes = bytes
	}
	time := t.times.time(&c, bytes)
	t.w.Kernels = append(t.w.Kernels, workload.Kernel{Name: name, Time: time, Inputs: in, Outputs: out})
	t.flops = append(t.flops, c.flops)
	return &t.w.Kernels[len(t.w.Kernels)-1]
}

// is gives c the law's class.
func (c cost) is(class kerneltime.Class) cost {
	c.shape.Class = class
	return c
}

// as launches a kernel of one of the law's classes that moves every tensor once.
func (t *tape) as(class kerneltime.Class, name string, in, out []workload.TensorID) {
	t.kernel(name, cost{}.is(class), in, out)
}

// move launches a kernel that only moves data, every tensor once.
func (t *tape) move(name string, in, out []workload.TensorID) {
	t.kernel(name, cost{}, in, out)
}

// unique removes repetitions, of which the lists have few.
func unique(list []workload.TensorID) []workload.TensorID {
	n := 0
next:
	for _, id := range list {
		for _, other := range list[:n] {
			if other == id {
				continue next
			}
		}
		list[n] = id
		n++
	}
	return list[:n]
}

// tensor adds a tensor.
func (t *tape) tensor(name string, kind workload.Kind, bytes unit.Bytes) workload.TensorID {
	t.w.Tensors = append(t.w.Tensors, workload.Tensor{Name: name, Bytes: bytes, Kind: kind})
	return workload.TensorID(len(t.w.Tensors) - 1)
}

// global adds a tensor that keeps its value from one iteration to the next.
func (t *tape) global(name string, kind workload.Kind, bytes unit.Bytes) workload.TensorID {
	id := t.tensor(name, kind, bytes)
	t.w.Tensors[id].Global = true
	return id
}

// named returns a name within the scope.
func (t *tape) named(name string) string {
	if t.scope == "" {
		return name
	}
	return t.scope + "." + name
}

// result adds a value of n numbers that one of from's gradient goes through.
func (t *tape) result(name string, n int64, from ...*value) *value {
	v := &value{id: t.scratch(name, unit.Bytes(n)*element), n: n, grad: none}
	for _, f := range from {
		v.needs = v.needs || f.needs
	}
	return v
}

// same returns a value in x's memory.
func same(x *value) *value { return &value{id: x.id, n: x.n, grad: none, needs: x.needs} }

// detached returns x without its history.
func detached(x *value) *value { return &value{id: x.id, n: x.n, grad: none} }

// scratch adds a tensor that is neither a result nor a gradient: statistics, masks and
// indices that are saved, and what lives only between two kernels.
func (t *tape) scratch(name string, bytes unit.Bytes) workload.TensorID {
	return t.tensor(t.named(name)+t.pass, workload.Intermediate, bytes)
}

// param returns a parameter of n numbers; it is new where its name is.
func (t *tape) param(name string, n int64) *param {
	name = t.named(name)
	if p := t.known[name]; p != nil {
		return p
	}
	p := &param{name: name, value: value{n: n, grad: none, needs: true}}
	p.id = t.global(name, workload.Weight, unit.Bytes(n)*element)
	p.sum = t.global(name+".grad", workload.Gradient, unit.Bytes(n)*element)
	t.params = append(t.params, p)
	t.known[name] = p
	return p
}

// buffer returns a tensor that stays but is not trained; it is new where its name is.
func (t *tape) buffer(name string, bytes unit.Bytes) workload.TensorID {
	name = t.named(name)
	id, ok := t.stats[name]
	if !ok {
		id = t.global(name, workload.Weight, bytes)
		t.stats[name] = id
	}
	return id
}

// gradient adds a tensor for a gradient of v.
func (t *tape) gradient(v *value) workload.TensorID {
	return t.tensor(t.w.Tensors[v.id].Name+".grad", workload.Gradient, unit.Bytes(v.n)*element)
}

// onBackward says how the operator that has just been launched is undone: f gets the
// gradient of its result y, and is not called where nothing is wanted.
func (t *tape) onBackward(y *value, f func(g workload.TensorID)) {
	if !y.needs {
		return
	}
	t.undo = append(t.undo, func() {
		if y.grad != none {
			f(y.grad)
		}
	})
}

// give hands v a gradient. A second one is added, out of place, as the autograd engine
// of PyTorch 1.8 does.
func (t *tape) give(v *value, g workload.TensorID) {
	switch {
	case !v.needs:
	case v.grad == none:
		v.grad = g
	default:
		both := t.gradient(v)
		t.w.Tensors[both].Name += ".sum"
		t.move("add_gradients", ids(v.grad, g), ids(both))
		v.grad = both
	}
}

// use says that an operator of the forward pass reads p.
func (p *param) use() workload.TensorID {
	p.uses++
	return p.id
}

// finish hands p a gradient. With the last of them its .grad grows, in place.
func (t *tape) finish(p *param, g workload.TensorID) {
	t.give(&p.value, g)
	p.uses--
	if p.uses > 0 {
		return
	}
	t.move("accumulate_grad", ids(p.sum, p.grad), ids(p.sum))
	p.grad = none
}

// backward undoes the operators from the mark-th on, the last one first.
func (t *tape) backward(mark int) {
	t.turns = append(t.turns, len(t.w.Kernels))
	for i := len(t.undo) - 1; i >= mark; i-- {
		t.undo[i]()
	}
	t.undo = t.undo[:mark]
}

// within runs f with a name for what it makes.
func (t *tape) within(name string, f func()) {
	outer := t.scope
	t.scope = t.named(name)
	f()
	t.scope = outer
}

// input loads a tensor of bytes a sample from the host.
func (t *tape) input(name string, bytes unit.Bytes) workload.TensorID {
	id := t.tensor(t.named(name), workload.Input, unit.Bytes(t.batch)*bytes)
	t.move("load_data", nil, ids(id))
	return id
}

// digits are the names of repeated parts.
func digits(i int) string { return fmt.Sprint(i) }
