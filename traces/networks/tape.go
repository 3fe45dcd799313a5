package networks

import (
	"fmt"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// single is the size of a number in fp32, long that of an index, as PyTorch's are int64.
const (
	single unit.Bytes = 4
	long   unit.Bytes = 8
)

// none is no tensor.
const none workload.TensorID = -1

// A tape writes kernels down as the program launches them, and with each operator of the
// forward pass how to undo it. What a backward kernel reads is what autograd saved; all
// else dies with its last use.
type tape struct {
	w       *workload.Workload
	kernels []kerneltime.Kernel // by kernel
	o       Options
	batch   int64      // samples of a micro-batch
	act     unit.Bytes // size of an activation's number where no rule of autocast wants another
	full    unit.Bytes // size of a parameter's number
	promote bool       // autocast's types by the rules of PyTorch 2; see [tape.result]
	float   unit.Bytes // size of a number that norms and softmax hand on, or a table: full with these rules, else act
	scope   string     // of names
	pass    string     // ends the names of what is not global, where a network runs several times
	undo    []func()   // the operators not yet undone
	params  []*param   // in the order in which they were made
	known   map[string]*param
	stats   map[string]workload.TensorID // buffers by name

	operators int64 // that Python calls, in one forward pass
	quiet     int   // above 0: what runs is not Python's to call, or has been counted
	lost      int   // above 0: inside of a checkpoint, so nothing is saved
}

// A value is a tensor at one point of the program. Operators that work in place give a
// new value in the same memory, views a value in a part of it.
type value struct {
	id    workload.TensorID
	n     int64             // numbers
	size  unit.Bytes        // of a number
	grad  workload.TensorID // none before the backward pass reaches it
	needs bool              // a gradient is wanted
}

func (v *value) bytes() unit.Bytes { return unit.Bytes(v.n) * v.size }

// A param is a tensor that training changes.
type param struct {
	value
	name string
	sum  workload.TensorID // its .grad; none before there is one
	cast *value            // its copy in 16 bits, which autocast keeps for a micro-batch
	uses int               // in the forward pass whose gradients have not come
	rows []sparse          // of a table: its gradients, one a micro-batch, in place of .grad
}

func ids(list ...workload.TensorID) []workload.TensorID { return list }

// kernel launches a kernel. A tensor listed twice is listed once. Where no bytes are
// given and the class counts them, every tensor is moved once.
func (t *tape) kernel(name string, k kerneltime.Kernel, in, out []workload.TensorID) *workload.Kernel {
	in, out = unique(in), unique(out)
	if k.Bytes == 0 {
		for _, list := range [2][]workload.TensorID{in, out} {
			for _, id := range list {
				k.Bytes += t.w.Tensors[id].Bytes
			}
		}
	}
	t.w.Kernels = append(t.w.Kernels, workload.Kernel{Name: name, Inputs: in, Outputs: out})
	t.kernels = append(t.kernels, k)
	return &t.w.Kernels[len(t.w.Kernels)-1]
}

// move launches a pointwise kernel, which moves every tensor once.
func (t *tape) move(name string, in, out []workload.TensorID) {
	t.kernel(name, kerneltime.Kernel{}, in, out)
}

// class launches a kernel of a class, which moves every tensor once.
func (t *tape) class(c kerneltime.Class, name string, in, out []workload.TensorID) {
	t.kernel(name, kerneltime.Kernel{Class: c}, in, out)
}

// unique removes repetitions, of which the lists have few, and what is no tensor.
func unique(list []workload.TensorID) []workload.TensorID {
	n := 0
next:
	for _, id := range list {
		if id == none {
			continue
		}
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

// call counts an operator that Python calls.
func (t *tape) call() {
	if t.quiet == 0 {
		t.operators++
	}
}

// silently runs f without counting operators.
func (t *tape) silently(f func()) {
	t.quiet++
	f()
	t.quiet--
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

// sized returns a new value of n numbers of a size, that one of from's gradient goes through.
func (t *tape) sized(name string, n int64, size unit.Bytes, from ...*value) *value {
	v := &value{id: t.scratch(name, unit.Bytes(n)*size), n: n, size: size, grad: none}
	for _, f := range from {
		v.needs = v.needs || f.needs
	}
	return v
}

// result returns a new value of n numbers in the widest type of from: a sum of 16 and 32 bits
// has 32. Where types are not promoted it has that of the first.
func (t *tape) result(name string, n int64, from ...*value) *value {
	size := from[0].size
	if t.promote {
		for _, f := range from {
			size = max(size, f.size)
		}
	}
	return t.sized(name, n, size, from...)
}

// same returns a value in x's memory.
func same(x *value) *value { return &value{id: x.id, n: x.n, size: x.size, grad: none, needs: x.needs} }

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
	p := &param{name: name, value: value{n: n, size: t.full, grad: none, needs: !t.o.Inference}, sum: none}
	p.id = t.global(name, workload.Weight, p.bytes())
	if t.o.PyTorch == 1 && p.needs {
		p.sum = t.global(name+".grad", workload.Gradient, p.bytes())
	}
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
	return t.tensor(t.w.Tensors[v.id].Name+".grad", workload.Gradient, v.bytes())
}

// onBackward says how the operator that has just been launched is undone: f gets the
// gradient of its result y, and is not called where nothing is wanted.
func (t *tape) onBackward(y *value, f func(g workload.TensorID)) {
	if !y.needs || t.lost > 0 {
		return
	}
	t.undo = append(t.undo, func() {
		if y.grad != none {
			f(y.grad)
		}
	})
}

// give hands v a gradient. A second one is added, out of place, as autograd does.
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
func (t *tape) use(p *param) workload.TensorID {
	if t.lost == 0 {
		p.uses++
	}
	return p.id
}

// lower returns p as products and convolutions take it: under autocast a copy in 16
// bits, which is made once a micro-batch and whose gradient is turned back.
func (t *tape) lower(p *param) *value {
	if p.size == t.act {
		t.use(p)
		return &p.value
	}
	if p.cast == nil {
		y := t.sized("", p.n, t.act, &p.value)
		t.w.Tensors[y.id].Name = p.name + ".half" + t.pass
		t.move("cast", ids(p.id), ids(y.id))
		p.cast = y
	}
	t.use(p)
	return p.cast
}

// finish hands p a gradient, in the type that lower gave. With the last of them its
// .grad is written, or grows where there is one.
func (t *tape) finish(p *param, g workload.TensorID) {
	if g == none {
		return
	}
	to := &p.value
	if p.cast != nil {
		to = p.cast
	}
	t.give(to, g)
	p.uses--
	if p.uses > 0 {
		return
	}
	g, to.grad = to.grad, none
	if to == p.cast {
		wide := t.gradient(&p.value)
		t.move("cast", ids(g), ids(wide))
		g, p.cast = wide, nil
	}
	if p.sum == none { // none is kept between iterations: what came is the gradient
		p.sum = g
		return
	}
	t.move("accumulate_grad", ids(p.sum, g), ids(p.sum))
}

// backward undoes the operators from the mark-th on, the last one first.
func (t *tape) backward(mark int) {
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

// block runs one block of a network, a function of x alone. With checkpointing only x is
// kept, and the block runs again before its backward pass.
func (t *tape) block(name string, x *value, f func(x *value) *value) *value {
	var y *value
	if !t.o.Checkpoint || t.o.Inference {
		t.within(name, func() { y = f(x) })
		return y
	}
	t.lost++
	t.within(name, func() { y = f(x) })
	t.lost--
	y = same(y) // its history is the block's
	y.needs = true
	outer := t.scope
	t.onBackward(y, func(g workload.TensorID) {
		scope, pass := t.scope, t.pass
		t.scope, t.pass = outer, t.pass+".again"
		mark := len(t.undo)
		x2 := same(x)
		t.silently(func() {
			t.within(name, func() {
				again := f(x2)
				again.needs = true
				again.grad = g
			})
		})
		t.scope, t.pass = scope, pass
		t.backward(mark)
		if x2.grad != none {
			t.give(x, x2.grad)
		}
	})
	return y
}

// input loads a tensor of bytes a sample from the host.
func (t *tape) input(name string, bytes unit.Bytes) workload.TensorID {
	id := t.tensor(t.named(name)+t.pass, workload.Input, unit.Bytes(t.batch)*bytes)
	t.class(kerneltime.Copy, "load_data", nil, ids(id))
	return id
}

// digits are the names of repeated parts.
func digits[T int | int64](i T) string { return fmt.Sprint(i) }
