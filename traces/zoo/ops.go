package zoo

import (
	"spillway/sim/kerneltime"
	"spillway/traces/g10"
)

// batch stands for the batch size in a shape.
const batch = g10.BatchDim

// A shape is how an operator views one of its inputs.
type shape []int64

// A view is a tensor as an operator sees it.
type view struct {
	id int64
	as shape
}

// ops writes an operator list. Ids below border are weights, the others are
// results and constants.
type ops struct {
	records    []g10.Op
	border     int64
	weights    int64 // used so far
	others     int64 // ids from border up used so far
	parameters int64 // that training changes
	wholes     []whole
}

// A whole is what several operators spell and PyTorch runs as one kernel each way.
type whole struct {
	first, last int // operators, from 1
	class       kerneltime.Class
	trained     bool // a gain and a bias, whose gradients are one more kernel
}

// spelled appends what write does as one whole.
func (o *ops) spelled(class kerneltime.Class, trained bool, write func() int64) int64 {
	first := len(o.records) + 1
	id := write()
	o.wholes = append(o.wholes, whole{first, len(o.records), class, trained})
	return id
}

// weight returns the id of a new weight with a number of trained parameters.
func (o *ops) weight(parameters int64) int64 {
	o.parameters += parameters
	o.weights++
	return o.weights - 1
}

// constant returns the id of a new value that is neither trained nor computed.
func (o *ops) constant() int64 {
	o.others++
	return o.border + o.others - 1
}

// op appends an operator and returns the id of its result.
func (o *ops) op(kind string, inputs ...view) int64 {
	r := g10.Op{Kind: kind, ID: o.constant(), Inputs: make([]int64, len(inputs)), Dims: make([][]int64, len(inputs))}
	for i, in := range inputs {
		r.Inputs[i], r.Dims[i] = in.id, in.as
	}
	o.records = append(o.records, r)
	return r.ID
}

// softmax appends the group of four operators that spell one softmax over the
// last axis.
func (o *ops) softmax(x int64, as shape) int64 {
	rows := as[:len(as)-1]
	return o.spelled(kerneltime.Normalization, false, func() int64 {
		most := o.op("SoftmaxBasic", view{x, as})
		power := o.op("SoftmaxBasic", view{x, as}, view{most, rows})
		sum := o.op("SoftmaxBasic", view{power, as})
		return o.op("SoftmaxBasic", view{power, as}, view{sum, rows})
	})
}

// build builds the graph.
func (o *ops) build(name string, samples int) (graph, error) {
	s := g10.Setup{Transformer: true, Border: o.border, Batch: int64(samples)}
	w, work, err := g10.BuildOps(name, s, o.records)
	if err != nil {
		return graph{}, err
	}
	return graph{w: w, work: work, parameters: o.parameters, wholes: o.wholes}, nil
}

// A normalization writes layer normalizations as elementary operators: mean,
// difference, variance, quotient, gain and bias. Its shapes say how broadcast
// operands are viewed, which decides their size in memory.
type normalization struct {
	full     shape // the activation
	sums     shape // a sum over the last axis
	column   shape // the same, as the epsilon is added and the root is taken
	spread   shape // mean and deviation, as the activation meets them
	vector   shape // gain and bias
	scalar   shape // the exponent 2
	exponent int64
	epsilon  view
	divisor  func() view // the number that turns a sum into a mean
}

func (n *normalization) write(o *ops, x, gain, bias int64) int64 {
	return o.spelled(kerneltime.Normalization, true, func() int64 { return n.operators(o, x, gain, bias) })
}

func (n *normalization) operators(o *ops, x, gain, bias int64) int64 {
	mean := o.op("Divide", view{o.op("Sum", view{x, n.full}), n.sums}, n.divisor())
	centered := o.op("Subtract", view{x, n.full}, view{mean, n.spread})
	square := o.op("Power", view{centered, n.full}, view{n.exponent, n.scalar})
	variance := o.op("Divide", view{o.op("Sum", view{square, n.full}), n.sums}, n.divisor())
	root := o.op("Sqrt", view{o.op("Add", n.epsilon, view{variance, n.column}), n.column})
	unit := o.op("Divide", view{centered, n.full}, view{root, n.spread})
	scaled := o.op("Multiply", view{unit, n.full}, view{gain, n.vector})
	return o.op("Add", view{scaled, n.full}, view{bias, n.vector})
}

// An encoder writes the parts of a transformer encoder. As G10's operator lists
// have them biases, gains and constants are viewed broadcast to the batch, so that
// they are as large as activations; query, key and value are one fused result,
// which its consumers view a third as wide; and the output projection views its
// weight as the activation and the activation as the weight. An exact encoder
// views every tensor at its own size, and has three projections.
type encoder struct {
	*ops
	exact                        bool
	length, hidden, inner, heads int64
	full                         shape
	norm                         normalization
}

// room is the border of exact lists: more weights than any has.
const room = 1 << 10

// encode returns an encoder whose list has yet to be written. The exponent and
// epsilon of all normalizations are two constants below border, in exact lists two
// others.
func encode(border, length, hidden, heads int64, exact bool) *encoder {
	if exact {
		border = room
	}
	e := &encoder{
		ops: &ops{border: border}, exact: exact, length: length, hidden: hidden, inner: 4 * hidden, heads: heads,
		full: shape{batch, length, hidden},
	}
	column := shape{batch, length, 1}
	if exact {
		size := e.number(nil)
		e.norm = normalization{
			full: e.full, sums: column, column: column, spread: column, vector: shape{hidden}, scalar: shape{1},
			exponent: e.constant(), epsilon: e.number(nil), divisor: func() view { return size },
		}
		return e
	}
	e.norm = normalization{
		full: e.full, sums: shape{batch, length}, column: column, spread: e.full, vector: e.full, scalar: e.full,
		exponent: e.weight(0), epsilon: view{e.weight(0), column},
	}
	e.norm.divisor = func() view { return view{e.constant(), e.norm.sums} }
	return e
}

// number returns a new constant for an operand of a shape: a weight as large as
// that, exactly one number that is not trained.
func (e *encoder) number(as shape) view {
	if e.exact {
		return view{e.constant(), shape{1}}
	}
	return view{e.weight(0), as}
}

// at returns the shape of a vector that meets an operand of a shape: the same, or
// its own.
func (e *encoder) at(as, own shape) shape {
	if e.exact {
		return own
	}
	return as
}

// vector returns a new gain or bias as wide as the activation.
func (e *encoder) vector() int64 { return e.weight(e.hidden) }

// project multiplies the activation by a new matrix of in x out and adds a new
// bias.
func (e *encoder) project(x, in, out int64) int64 {
	matrix, bias := e.weight(in*out), e.weight(out)
	return e.shift(e.op("Dot", view{x, shape{batch, e.length, in}}, view{matrix, shape{in, out}}), bias, out)
}

func (e *encoder) shift(x, bias, width int64) int64 {
	as := shape{batch, e.length, width}
	return e.op("Add", view{x, as}, view{bias, e.at(as, shape{width})})
}

func (e *encoder) sum(a, b int64) int64 { return e.op("Add", view{a, e.full}, view{b, e.full}) }

// fuse returns query, key and value of x: one result, exactly three.
func (e *encoder) fuse(x int64) [3]int64 {
	if e.exact {
		return [3]int64{e.project(x, e.hidden, e.hidden), e.project(x, e.hidden, e.hidden), e.project(x, e.hidden, e.hidden)}
	}
	all := e.project(x, e.hidden, 3*e.hidden)
	return [3]int64{all, all, all}
}

// attention writes self-attention from query, key and value. weigh turns the raw
// scores into those whose softmax is taken.
func (e *encoder) attention(all [3]int64, weigh func(scores int64, as shape) int64) int64 {
	width := e.hidden / e.heads
	each := shape{batch, e.heads, e.length, width}
	turned := shape{batch, e.heads, width, e.length}
	scores := shape{batch, e.heads, e.length, e.length}
	raw := e.op("BatchMatMul", view{all[0], each}, view{all[1], turned})
	shares := e.softmax(weigh(raw, scores), scores)
	mixed := e.op("BatchMatMul", view{shares, scores}, view{all[2], each})
	if e.exact {
		return e.project(mixed, e.hidden, e.hidden)
	}
	matrix, bias := e.weight(e.hidden*e.hidden), e.vector()
	out := e.op("Dot", view{matrix, e.full}, view{mixed, shape{e.hidden, e.hidden}})
	return e.shift(out, bias, e.hidden)
}
