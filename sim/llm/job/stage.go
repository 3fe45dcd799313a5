package job

import (
	"strconv"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A what is a name of a kernel or a tensor, after its layer.
type what uint8

// The names. Matrices and their biases are one tensor.
const (
	wNorm1 what = iota
	wQ
	wK
	wV
	wO
	wNormC
	wCrossQ
	wCrossK
	wCrossV
	wCrossO
	wNorm2
	wRouter
	wGate
	wUp
	wDown
	wRelative
	wFinal
	wTable
	wPositions
	wInto
	wOutOf
	wHead
	wAll
	wExperts
	wEmbedNorm
	wLatentQ
	wLatent
	wNormQ
	wNormK
	wSinks
	wPost1
	wPost2
	wSharedGate
	wSharedUp
	wSharedDown
	tNormalized
	tScaled
	tLSE
	tAttention
	tProjected
	tMask
	tOut
	tSilu
	tProduct
	tLogits
	tProbabilities
	tTokens
	tMoved
	tArrived
	tPassed
	tReceived
	tEncoded
	tSharedSilu
	tSharedProduct
	kSum
	kScores
	kCross
	kDrop
	kAct
	kMove
	kCombine
	kReduce
	kEmbed
	kLoss
	kReceive
	kRelease
	kGather
	kAccumulate
	kDispatch
	kPass
	whats
)

var whatNames = [whats]string{
	"norm", "q", "k", "v", "attention out", "cross norm", "cross q", "cross k", "cross v", "cross out", "mlp norm", "router", "mlp gate", "mlp up", "mlp down",
	"relative positions", "final norm", "table", "positions", "into layers", "out of layers", "matrix", "weights", "experts", "embedding norm",
	"latent q", "latent k and v", "q norm", "k norm", "sinks", "norm behind attention", "norm behind mlp", "shared gate", "shared up", "shared down",
	"normalized", "norm out", "row statistics", "attention", "projection", "dropout mask", "output", "mlp silu", "mlp product", "logits", "probabilities", "tokens", "expert tokens", "expert tokens there", "keys and values of others", "received", "encoder output", "shared silu", "shared product", "gradients summed",
	"attention", "cross attention", "dropout", "mlp activation", "expert tokens", "expert sum", "all-reduce", "lookup", "loss", "receive", "output released", "gather", "gradients added", "all-to-all", "keys and values passed on",
}

// A form is what a name is of.
type form uint8

const (
	plain form = iota
	forward
	again
	backward       // of a value or an operator
	backwardWeight // of an operator's matrix
	gradient       // of a value
	weightGradient
	firstMoment
	secondMoment
	master
	adamFirst
	adamSecond
	adamUpdate
	shard
	forms
)

var formNames = [forms]string{
	"", " forward", " again", " backward", " backward weight", " gradient", " weight gradient", " first moment", " second moment", " fp32 weight",
	" Adam first moment", " Adam second moment", " Adam update", " shard",
}

// names makes each name once.
type names struct {
	layers int64
	table  []string // by layer+1, what, form
}

func newNames(layers int64) *names {
	return &names{layers, make([]string, (layers+2)*int64(whats)*int64(forms))}
}

func (n *names) of(layer int16, w what, f form) string {
	s := &n.table[(int(layer)+1)*int(whats)*int(forms)+int(w)*int(forms)+int(f)]
	if *s == "" {
		switch {
		case layer < 0:
			*s = "embedding " + whatNames[w] + formNames[f]
		case int64(layer) >= n.layers:
			*s = "head " + whatNames[w] + formNames[f]
		default:
			*s = "layer " + strconv.Itoa(int(layer)) + " " + whatNames[w] + formNames[f]
		}
	}
	return *s
}

// none is no tensor; lists of a kernel's tensors may hold it.
const none workload.TensorID = -1

// A weight is a matrix or a norm on one GPU.
type weight struct {
	what      what
	n         int64             // elements
	full      workload.TensorID // that kernels read; with ZeRO-3 of this visit only
	grad      workload.TensorID // that kernels add to
	begun     bool              // grad holds something
	m, v, own workload.TensorID // optimizer states, without ZeRO
}

// A block is what ZeRO cuts and gathers as one: a layer, the embedding, the head.
type block struct {
	layer   int16
	place   int // in the stage's units
	weights []*weight
	n       int64 // elements
	// With ZeRO: the slices of this GPU.
	shard, grad, m, v, own workload.TensorID
	begun                  bool
	// Of the GPUs of a stage that have the same: all replicas, or those with the same experts.
	group           group
	copies          int64
	what            what
	experts         *block            // those of a layer, where they are a block of their own
	ready           bool              // its weights are gathered, or on their way
	last            workload.KernelID // of the latest backward pass
	gather, scatter int               // collectives under way, -1: none
}

// A group is which GPUs take part in a collective.
type group uint8

const (
	overTensor group = iota
	overData
	overContext // a sequence
	overExperts // all experts of a layer
	overSame    // replicas with the same experts
)

// A local is a collective as every GPU of a stage sees it.
type local struct {
	group  group
	kind   Kind
	member workload.KernelID
	wait   workload.KernelID // -1: the member is its kernel
	bytes  unit.Bytes
}

// A stage is a part of the model while its kernels are made. All GPUs of a stage have the same.
type stage struct {
	*builder
	index       int64
	first, last int64 // layers
	tensors     []workload.Tensor
	kernels     []workload.Kernel
	marks       []Mark
	arena       []workload.TensorID
	flops, rest int64 // billions of operations, and less than one
	phase       Phase
	layer       int16
	micro       int16

	units  []*block // in the order of the forward pass
	embed  *embedding
	head   *head
	layers []*layer
	live   []*passed // by micro-batch
	locals []local
	sum    workload.KernelID // adds the gradients of a tied matrix, -1 if there is nothing to add
	kept   []workload.TensorID
	cut    []bool // by tensor: a slice of the tokens (Layout.Split)

	in, out, backIn, backOut []workload.KernelID // by micro-batch: kernels that receive and that end what is sent
	pending                  []*block            // with reduce-scatters under way
}

// tensor adds a tensor.
func (g *stage) tensor(name string, bytes unit.Bytes, kind workload.Kind, global bool) workload.TensorID {
	g.tensors = append(g.tensors, workload.Tensor{Name: name, Bytes: bytes, Kind: kind, Global: global})
	return workload.TensorID(len(g.tensors) - 1)
}

// value adds an activation of some elements a token.
func (g *stage) value(w what, f form, elements int64) workload.TensorID {
	if g.spec.Split && between[w] {
		t := g.tensor(g.names.of(g.layer, w, f), unit.Bytes(ceil(g.tokens, g.spec.Tensor)*elements)*g.element, workload.Intermediate, false)
		g.cut = append(g.cut, make([]bool, int(t)+1-len(g.cut))...)
		g.cut[t] = true
		return t
	}
	return g.tensor(g.names.of(g.layer, w, f), unit.Bytes(g.tokens*elements)*g.element, workload.Intermediate, false)
}

// between are the values between blocks, which every tensor-parallel GPU has whole, or with Split a slice
// of the tokens of.
var between = [whats]bool{tOut: true, tScaled: true, tProjected: true, tMask: true, tEncoded: true, tReceived: true}

// kernel adds a kernel whose time follows from its operations and the bytes of its tensors.
func (g *stage) kernel(w what, f form, x work, in, out []workload.TensorID) workload.KernelID {
	var bytes unit.Bytes
	for _, t := range in {
		if t != none {
			bytes += g.tensors[t].Bytes
		}
	}
	for _, t := range out {
		if t != none {
			bytes += g.tensors[t].Bytes
		}
	}
	return g.add(w, f, &x, bytes, in, out)
}

// moving adds a kernel that computes nothing and touches so many bytes.
func (g *stage) moving(w what, f form, bytes unit.Bytes, in, out []workload.TensorID) workload.KernelID {
	return g.add(w, f, &work{}, bytes, in, out)
}

// add adds a kernel that computes x and touches so many bytes.
func (g *stage) add(w what, f form, x *work, bytes unit.Bytes, in, out []workload.TensorID) workload.KernelID {
	if cap(g.arena)-len(g.arena) < len(in)+len(out) {
		g.arena = make([]workload.TensorID, 0, max(1<<14, len(in)+len(out)))
	}
	list := func(ids []workload.TensorID) []workload.TensorID {
		from := len(g.arena)
		for _, t := range ids {
			if t != none {
				g.arena = append(g.arena, t)
			}
		}
		return g.arena[from:len(g.arena):len(g.arena)]
	}
	g.kernels = append(g.kernels, workload.Kernel{
		Name: g.names.of(g.layer, w, f), Time: g.clock.time(w, g.phase, x, bytes), Inputs: list(in), Outputs: list(out),
	})
	g.marks = append(g.marks, Mark{Phase: g.phase, Layer: g.layer, Micro: g.micro})
	g.rest += x.flops % billion
	g.flops += x.flops/billion + g.rest/billion
	g.rest %= billion
	return workload.KernelID(len(g.kernels) - 1)
}

const billion = 1e9

// ids is a list of tensors.
type ids = []workload.TensorID

// latest is the kernel added last.
func (g *stage) latest() workload.KernelID { return workload.KernelID(len(g.kernels) - 1) }

// weight makes a weight of n elements; of none, as norms without numbers have, it is nowhere.
func (g *stage) weight(u *block, w what, n int64) *weight {
	x := &weight{what: w, n: n, full: none, grad: none, m: none, v: none, own: none}
	if n == 0 {
		return x
	}
	if g.zero < 3 {
		x.full = g.tensor(g.names.of(u.layer, w, plain), unit.Bytes(n)*g.element, workload.Weight, true)
	}
	if g.zero == 0 && !g.spec.HostOptimizer {
		if g.spec.Precision == BF16 {
			x.own = g.tensor(g.names.of(u.layer, w, master), unit.Bytes(n)*4, workload.Optimizer, true)
		}
		x.m = g.tensor(g.names.of(u.layer, w, firstMoment), unit.Bytes(n)*4, workload.Optimizer, true)
		x.v = g.tensor(g.names.of(u.layer, w, secondMoment), unit.Bytes(n)*4, workload.Optimizer, true)
	}
	u.weights = append(u.weights, x)
	u.n += n
	return x
}

// unit begins a block of weights.
func (g *stage) unit(layer int16) *block {
	u := &block{layer: layer, place: len(g.units), group: overData, copies: g.copies, what: wAll, shard: none, grad: none, m: none, v: none, own: none, gather: -1, scatter: -1}
	g.units = append(g.units, u)
	return u
}

// slices makes what ZeRO leaves of a unit on this GPU, once all its weights are known.
func (g *stage) slices(u *block) {
	if g.zero == 0 || u.n == 0 {
		return
	}
	n := unit.Bytes(ceil(u.n, u.copies))
	name := func(f form) string { return g.names.of(u.layer, u.what, f) }
	if g.zero >= 3 {
		u.shard = g.tensor(name(shard), n*g.element, workload.Weight, true)
	}
	if g.spec.Precision == BF16 {
		u.own = g.tensor(name(master), n*4, workload.Optimizer, true)
	}
	u.m = g.tensor(name(firstMoment), n*4, workload.Optimizer, true)
	u.v = g.tensor(name(secondMoment), n*4, workload.Optimizer, true)
}

// gradient adds to a weight's gradient with one kernel that reads a, and b if there is one.
func (g *stage) gradient(w *weight, u *block, x work, a, b workload.TensorID) {
	id, before := g.into(w, u)
	g.kernel(w.what, backwardWeight, x, ids{a, b, before}, ids{id})
}

// into returns the tensor that a gradient is added to, and the same as an input where it holds
// something already.
func (g *stage) into(w *weight, u *block) (id, before workload.TensorID) {
	if w.n == 0 {
		return none, none
	}
	if w.grad == none {
		w.grad = g.tensor(g.names.of(u.layer, w.what, weightGradient), unit.Bytes(w.n)*g.element, workload.Gradient, false)
	}
	id, before = w.grad, none
	if w.begun {
		before = id
	}
	w.begun = true
	return id, before
}

// reduce adds an all-reduce over the tensor-parallel GPUs, in place.
func (g *stage) reduce(t workload.TensorID) {
	if g.spec.Tensor > 1 {
		bytes := g.tensors[t].Bytes
		if int(t) < len(g.cut) && g.cut[t] {
			bytes *= unit.Bytes(g.spec.Tensor) // a reduce-scatter here and an all-gather where it is read move as much
		}
		g.collective(overTensor, AllReduce, bytes, ids{t}, ids{t})
	}
}

// collective adds a kernel that is a collective: what it takes is what its bytes take.
func (g *stage) collective(over group, kind Kind, bytes unit.Bytes, in, out ids) {
	phase := g.phase
	g.phase = Communicate
	w := [...]what{AllReduce: kReduce, AllGather: kGather, ReduceScatter: kReduce, AllToAll: kDispatch, PassOn: kPass}[kind]
	k := g.moving(w, plain, 0, in, out)
	g.locals = append(g.locals, local{over, kind, k, -1, bytes})
	g.phase = phase
}

// enter begins a unit's part of a pass: its weights have to be there. Those of the unit that
// comes next, by its place, begin to be gathered.
func (g *stage) enter(u *block, next int) {
	g.gather(u)
	if 0 <= next && next < len(g.units) && (next > 0 || g.index == 0) {
		g.gather(g.units[next]) // a table in a later stage is read in the middle of it
	}
	g.layer = u.layer
	if u.gather >= 0 {
		g.locals[u.gather].wait = workload.KernelID(len(g.kernels))
		u.gather = -1
	}
}

// leave ends a unit's part of a forward pass: gathered weights are dropped.
func (g *stage) leave(u *block) { u.ready = false }

// leaveBack ends a unit's part of a backward pass: its gradients begin to be added over the
// replicas (ZeRO-2 and 3), and those of the unit before, which had time to arrive, are taken in.
func (g *stage) leaveBack(u *block) {
	u.ready = false
	u.last = g.latest()
	if u.experts != nil {
		u.experts.last = u.last
	}
	if g.zero < 2 || u.n == 0 {
		return
	}
	g.locals = append(g.locals, local{overData, ReduceScatter, u.last, -1, unit.Bytes(u.n) * g.element})
	u.scatter = len(g.locals) - 1
	g.accumulate()
	g.pending = append(g.pending, u)
}

// gather begins to gather a unit's weights (ZeRO-3).
func (g *stage) gather(u *block) {
	if g.zero < 3 || u.n == 0 || u.ready {
		return
	}
	u.ready = true
	if g.phase == Backward && u.layer < 0 && g.embed.into == nil && g.embed.norm == nil {
		return // tables are not read
	}
	phase, was := g.phase, g.layer
	g.phase, g.layer = Communicate, u.layer
	out := g.scratch[:0]
	for _, w := range u.weights {
		w.full = g.tensor(g.names.of(u.layer, w.what, plain), unit.Bytes(w.n)*g.element, workload.Weight, false)
		out = append(out, w.full)
	}
	g.scratch = out
	k := g.moving(kGather, plain, 0, ids{u.shard}, out)
	u.gather = len(g.locals)
	g.locals = append(g.locals, local{overData, AllGather, k, -1, unit.Bytes(u.n) * g.element})
	g.phase, g.layer = phase, was
}

// accumulate adds what reduce-scatters brought to the slices of this GPU.
func (g *stage) accumulate() {
	was := g.layer
	for _, u := range g.pending {
		g.layer = u.layer
		in := g.scratch[:0]
		for _, w := range u.weights {
			in = append(in, w.grad)
			w.grad, w.begun = none, false
		}
		n := unit.Bytes(ceil(u.n, u.copies)) * g.element
		if u.grad == none {
			u.grad = g.tensor(g.names.of(u.layer, wAll, weightGradient), n, workload.Gradient, false)
		}
		if u.begun {
			in = append(in, u.grad)
		}
		g.scratch = in
		g.locals[u.scatter].wait = workload.KernelID(len(g.kernels))
		g.moving(kAccumulate, plain, 3*n, in, ids{u.grad})
		u.begun = true
	}
	g.pending = g.pending[:0]
	g.layer = was
}

// optimize ends the iteration: gradients are added over replicas, and Adam changes the weights.
func (g *stage) optimize() {
	if g.spec.HostOptimizer {
		return
	}
	g.phase, g.micro = Optimize, -1
	for _, u := range g.units {
		g.layer = u.layer
		if u.n == 0 {
			continue
		}
		if u.copies > 1 && g.zero < 2 && !g.spec.Apart {
			kind := AllReduce
			if g.zero == 1 {
				kind = ReduceScatter
			}
			g.locals = append(g.locals, local{u.group, kind, u.last, workload.KernelID(len(g.kernels)), unit.Bytes(u.n) * g.element})
		}
		if g.zero > 0 {
			g.adamSlices(u)
			continue
		}
		for _, w := range u.weights {
			g.adam(w.what, ids{w.grad}, w.m, w.v, w.own, ids{w.full}, unit.Bytes(w.n))
		}
	}
}

// adam adds the three kernels of Adam: the moments' and the weights'.
func (g *stage) adam(w what, grads ids, m, v, own workload.TensorID, weights ids, n unit.Bytes) {
	in := append(g.scratch[:0], grads...)
	g.moving(w, adamFirst, n*(8+g.element), append(in, m), ids{m})
	in = append(g.scratch[:0], grads...)
	g.moving(w, adamSecond, n*(8+g.element), append(in, v), ids{v})
	in = append(g.scratch[:0], m, v, own)
	out := append(ids{own}, weights...)
	if own == none {
		in = append(in, weights...)
	}
	g.scratch = in
	g.moving(w, adamUpdate, n*(16+g.element), in, out)
}

// adamSlices is adam for a unit of which this GPU has a slice of the states.
func (g *stage) adamSlices(u *block) {
	var grads, weights ids
	if g.zero >= 2 {
		grads = append(grads, u.grad)
	}
	if g.zero >= 3 {
		weights = append(weights, u.shard)
	}
	for _, w := range u.weights {
		if g.zero < 2 {
			grads = append(grads, w.grad)
		}
		if g.zero < 3 {
			weights = append(weights, w.full)
		}
	}
	g.adam(u.what, grads, u.m, u.v, u.own, weights, unit.Bytes(ceil(u.n, u.copies)))
	if g.zero < 3 && u.copies > 1 {
		g.collective(u.group, AllGather, unit.Bytes(u.n)*g.element, weights, weights)
	}
}

func ceil(n, d int64) int64 { return (n + d - 1) / d }
