package job

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An attention is the weights of one attention block on one GPU.
type attention struct {
	norm, q, k, v, o *weight
	relative         *weight // nil in most
	cross            bool
	causal           bool
}

// A mlp is the weights of a feed-forward block; those of a mixture's experts are stacked.
type mlp struct {
	norm, router, gate, up, down *weight
}

// A layer is a layer on one GPU.
type layer struct {
	unit    *block
	self    attention
	cross   *attention // of a decoder behind an encoder
	mlp     mlp
	encoder bool
	final   *weight // the norm behind the encoder, in its last layer
}

// What a norm, an attention block and a feed-forward block keep for the backward pass.
type (
	savedNorm struct {
		x, n, a workload.TensorID // input, normalized value, result
	}
	savedAttention struct {
		savedNorm
		q, k, v, lse, att workload.TensorID
		o, mask           workload.TensorID // of dropout
		y                 workload.TensorID // the block's result
	}
	savedMLP struct {
		savedNorm
		probabilities, moved   workload.TensorID // of a mixture
		gate, up, silu, hidden workload.TensorID
		each                   workload.TensorID // experts' results
		o, mask                workload.TensorID
		y                      workload.TensorID
	}
	savedLayer struct {
		self, cross savedAttention
		mlp         savedMLP
	}
)

// passed is a micro-batch on a stage, from its forward to its backward pass.
type passed struct {
	tokens      workload.TensorID
	embedNorm   savedNorm
	decoderNorm savedNorm
	narrow      [2]workload.TensorID // the embeddings before they are widened
	encoded     workload.TensorID    // the encoder's result
	encodedNorm savedNorm
	layers      []savedLayer
	final       savedNorm
	out         workload.TensorID // what enters the head, narrowed where the embedding is narrower
	loss        workload.TensorID // probabilities
	gradient    workload.TensorID // of the encoder's result
}

// newLayer makes the weights of a layer.
func (g *stage) newLayer(i int64) *layer {
	a := g.spec.Arch
	l := &layer{unit: g.unit(int16(i)), encoder: i < a.Encoder}
	u := l.unit
	attend := func(names [5]what) attention {
		h := a.Hidden
		return attention{
			norm: g.weight(u, names[0], g.norms),
			q:    g.weight(u, names[1], linear(h, g.q, a.QKVBias)),
			k:    g.weight(u, names[2], linear(h, g.kv, a.QKVBias)),
			v:    g.weight(u, names[3], linear(h, g.kv, a.QKVBias)),
			o:    g.weight(u, names[4], rows(g.q, h, a.OutBias)),
		}
	}
	l.self = attend([5]what{wNorm1, wQ, wK, wV, wO})
	l.self.causal = !l.encoder
	if a.Buckets > 0 && (i == 0 || i == a.Encoder) {
		l.self.relative = g.weight(u, wRelative, a.Buckets*ceil(a.Heads, g.spec.Tensor))
	}
	if a.Encoder > 0 && !l.encoder {
		cross := attend([5]what{wNormC, wCrossQ, wCrossK, wCrossV, wCrossO})
		cross.cross = true
		l.cross = &cross
	}
	experts := max(a.Experts, 1)
	l.mlp.norm = g.weight(u, wNorm2, g.norms)
	if a.Experts > 0 {
		l.mlp.router = g.weight(u, wRouter, a.Hidden*a.Experts)
	}
	if a.Gated {
		l.mlp.gate = g.weight(u, wGate, experts*linear(a.Hidden, g.ffn, a.FFNBias))
	}
	l.mlp.up = g.weight(u, wUp, experts*linear(a.Hidden, g.ffn, a.FFNBias))
	l.mlp.down = g.weight(u, wDown, experts*rows(g.ffn, a.Hidden, a.FFNBias))
	if l.encoder && i == a.Encoder-1 && a.FinalNorm {
		l.final = g.weight(u, wFinal, g.norms)
	}
	g.slices(u)
	return l
}

func linear(in, out int64, bias bool) int64 {
	if bias {
		return in*out + out
	}
	return in * out
}

// rows is a matrix that is cut by rows; its bias is whole on every GPU.
func rows(in, out int64, bias bool) int64 { return linear(in, out, bias) }

// norm normalises x. What it keeps is its input, the normalized value with one statistic a token,
// and its result, which products keep.
func (g *stage) norm(w what, weight *weight, s *savedNorm, f form) {
	h, tokens := g.spec.Arch.Hidden, g.tokens
	if g.spec.Split {
		tokens = ceil(tokens, g.spec.Tensor)
	}
	s.n = g.tensor(g.names.of(g.layer, tNormalized, plain), unit.Bytes(tokens)*(unit.Bytes(h)*g.element+4), workload.Intermediate, false)
	s.a = g.value(tScaled, plain, h)
	g.kernel(w, f, work{}, ids{s.x, weight.full}, ids{s.n, s.a})
}

// normBack returns the gradient of the norm's input: what comes through the norm and what goes by it.
func (g *stage) normBack(w what, weight *weight, u *block, s *savedNorm, d, by workload.TensorID) workload.TensorID {
	dx := g.value(tOut, gradient, g.spec.Arch.Hidden)
	grad, before := g.into(weight, u)
	g.kernel(w, backward, work{}, ids{d, s.x, s.n, weight.full, by, before}, ids{dx, grad})
	return dx
}

// project multiplies by a block's last matrix, and adds what goes by the block: in the product's
// epilogue, or behind dropout.
func (g *stage) project(w *weight, f form, by work, in, x workload.TensorID, o, mask *workload.TensorID) workload.TensorID {
	h := g.spec.Arch.Hidden
	if !g.spec.Arch.Dropout {
		y := g.value(tOut, plain, h)
		g.kernel(w.what, f, by, ids{in, w.full, x}, ids{y})
		g.reduce(y)
		return y
	}
	*o = g.value(tProjected, plain, h)
	g.kernel(w.what, f, by, ids{in, w.full}, ids{*o})
	g.reduce(*o)
	return g.drop(f, x, *o, mask)
}

// drop multiplies by a random mask and adds what goes by. It is taken as a product of two tensors,
// which keeps both for its backward pass (Departure 2 of the package).
func (g *stage) drop(f form, x, o workload.TensorID, mask *workload.TensorID) workload.TensorID {
	h := g.spec.Arch.Hidden
	*mask = g.value(tMask, plain, h)
	y := g.value(tOut, plain, h)
	g.kernel(kDrop, f, work{}, ids{o, x}, ids{*mask, y})
	return y
}

// dropBack returns the gradient of what was dropped from.
func (g *stage) dropBack(d, o, mask workload.TensorID) workload.TensorID {
	if !g.spec.Arch.Dropout {
		return d
	}
	do := g.value(tProjected, gradient, g.spec.Arch.Hidden)
	g.kernel(kDrop, backward, work{}, ids{d, o, mask}, ids{do})
	return do
}

// attend is the forward pass of an attention block.
func (g *stage) attend(b *attention, s *savedAttention, encoded workload.TensorID, f form) {
	h, n := g.spec.Arch.Hidden, g.tokens
	g.norm(b.norm.what, b.norm, &s.savedNorm, f)
	from := s.a
	if b.cross {
		from = encoded
	}
	s.q, s.k, s.v = g.value(b.q.what, plain, g.q), g.value(b.k.what, plain, g.kv), g.value(b.v.what, plain, g.kv)
	g.kernel(b.q.what, f, matrixOf(n, h, g.q, 1).forward, ids{s.a, b.q.full}, ids{s.q})
	g.kernel(b.k.what, f, matrixOf(n, h, g.kv, 1).forward, ids{from, b.k.full}, ids{s.k})
	g.kernel(b.v.what, f, matrixOf(n, h, g.kv, 1).forward, ids{from, b.v.full}, ids{s.v})
	g.score(b, s, f)
	s.y = g.project(b.o, f, matrixOf(n, g.q, h, 1).forward, s.att, s.x, &s.o, &s.mask)
}

// score is attention without a matrix of scores: only a statistic of each row is kept.
func (g *stage) score(b *attention, s *savedAttention, f form) {
	s.att = g.value(tAttention, plain, g.q)
	s.lse = g.tensor(g.names.of(g.layer, tLSE, plain), unit.Bytes(g.tokens*g.heads)*4, workload.Intermediate, false)
	g.kernel(b.scores(), f, g.scores(b, kerneltime.AttentionForward), ids{s.q, s.k, s.v, b.table()}, ids{s.att, s.lse})
}

func (b *attention) scores() what {
	if b.cross {
		return kCross
	}
	return kScores
}

func (b *attention) table() workload.TensorID {
	if b.relative == nil {
		return none
	}
	return b.relative.full
}

// scores is what the products with keys and values take, half of it where a token sees only those
// before it; the backward pass, which computes the scores again, takes 5/2 of the forward pass.
func (g *stage) scores(b *attention, class kerneltime.Class) work {
	n := 4 * g.tokens * g.spec.Sequence * g.q
	if b.causal {
		n /= 2
	}
	if class == kerneltime.AttentionBackward {
		n = n / 2 * 5
	}
	d := g.spec.Arch.HeadDim
	return work{n, kerneltime.Kernel{
		Class: class, Batch: g.spec.Micro, Heads: g.heads, KVHeads: g.kv / d, SeqQ: g.spec.Sequence, SeqKV: g.spec.Sequence, HeadDim: d, Causal: b.causal,
	}}
}

// attendBack is the backward pass of an attention block. It takes the gradient of the result, returns that
// of the input, and adds to that of the encoder's result.
func (g *stage) attendBack(b *attention, s *savedAttention, u *block, dy workload.TensorID, p *passed) workload.TensorID {
	h, n := g.spec.Arch.Hidden, g.tokens
	d := g.dropBack(dy, s.o, s.mask)
	datt := g.value(tAttention, gradient, g.q)
	q, kv, out := matrixOf(n, h, g.q, 1), matrixOf(n, h, g.kv, 1), matrixOf(n, g.q, h, 1)
	g.kernel(b.o.what, backward, out.input, ids{d, b.o.full}, ids{datt})
	g.gradient(b.o, u, out.weight, d, s.att)
	dq, dk, dv := g.value(b.q.what, gradient, g.q), g.value(b.k.what, gradient, g.kv), g.value(b.v.what, gradient, g.kv)
	grad, before := none, none
	if b.relative != nil {
		grad, before = g.into(b.relative, u)
	}
	g.kernel(b.scores(), backward, g.scores(b, kerneltime.AttentionBackward), ids{datt, s.q, s.k, s.v, s.att, s.lse, b.table(), before}, ids{dq, dk, dv, grad})
	from := s.a
	if b.cross {
		from = p.encoded
	}
	g.gradient(b.q, u, q.weight, dq, s.a)
	g.gradient(b.k, u, kv.weight, dk, from)
	g.gradient(b.v, u, kv.weight, dv, from)
	da := g.value(tScaled, gradient, h)
	if b.cross {
		g.kernel(b.q.what, backward, q.input, ids{dq, b.q.full}, ids{da})
		before := p.gradient
		if before == none {
			p.gradient = g.value(tEncoded, gradient, h)
		}
		g.kernel(b.k.what, backward, matrixOf(n, h, 2*g.kv, 1).input, ids{dk, dv, b.k.full, b.v.full, before}, ids{p.gradient})
	} else {
		g.kernel(b.q.what, backward, matrixOf(n, h, g.q+2*g.kv, 1).input, ids{dq, dk, dv, b.q.full, b.k.full, b.v.full}, ids{da})
	}
	g.reduce(da)
	return g.normBack(b.norm.what, b.norm, u, &s.savedNorm, da, dy)
}

// feed is the forward pass of a feed-forward block. Without last, its result is not made: it
// is computed again for what it keeps.
func (g *stage) feed(b *mlp, s *savedMLP, f form, last bool) {
	a := g.spec.Arch
	h, n := a.Hidden, g.tokens
	s.gate, s.silu = none, none
	g.norm(b.norm.what, b.norm, &s.savedNorm, f)
	in, times := s.a, int64(1)
	if b.router != nil {
		times = a.Active
		s.probabilities = g.value(tProbabilities, plain, a.Experts)
		g.kernel(b.router.what, f, matrixOf(n, h, a.Experts, 1).forward, ids{s.a, b.router.full}, ids{s.probabilities})
		s.moved = g.value(tMoved, plain, times*h)
		g.kernel(kMove, f, work{}, ids{s.a, s.probabilities}, ids{s.moved})
		in = s.moved
	}
	up, down := matrixOf(n*times, h, g.ffn, max(a.Experts, 1)), matrixOf(n*times, g.ffn, h, max(a.Experts, 1))
	if b.gate != nil {
		s.gate = g.value(wGate, plain, times*g.ffn)
		g.kernel(wGate, f, up.forward, ids{in, b.gate.full}, ids{s.gate})
	}
	s.up = g.value(wUp, plain, times*g.ffn)
	g.kernel(wUp, f, up.forward, ids{in, b.up.full}, ids{s.up})
	s.hidden = g.value(tProduct, plain, times*g.ffn)
	if b.gate != nil {
		s.silu = g.value(tSilu, plain, times*g.ffn)
		g.kernel(kAct, f, work{}, ids{s.gate, s.up}, ids{s.silu, s.hidden})
	} else {
		g.kernel(kAct, f, work{}, ids{s.up}, ids{s.hidden})
	}
	if b.router == nil {
		if last {
			s.y = g.project(b.down, f, down.forward, s.hidden, s.x, &s.o, &s.mask)
		} else if a.Dropout {
			g.project(b.down, f, down.forward, s.hidden, s.x, &s.o, &s.mask)
		}
		return
	}
	s.each = g.value(wDown, plain, times*h)
	g.kernel(wDown, f, down.forward, ids{s.hidden, b.down.full}, ids{s.each})
	switch {
	case a.Dropout:
		s.o = g.value(tProjected, plain, h)
		g.kernel(kCombine, f, work{}, ids{s.each, s.probabilities}, ids{s.o})
		g.reduce(s.o)
		s.y = g.drop(f, s.x, s.o, &s.mask)
	case last:
		s.y = g.value(tOut, plain, h)
		g.kernel(kCombine, f, work{}, ids{s.each, s.probabilities, s.x}, ids{s.y})
		g.reduce(s.y)
	}
}

// feedBack is the backward pass of a feed-forward block.
func (g *stage) feedBack(b *mlp, s *savedMLP, u *block, dy workload.TensorID) workload.TensorID {
	a := g.spec.Arch
	h, n, times := a.Hidden, g.tokens, int64(1)
	d := g.dropBack(dy, s.o, s.mask)
	in, dp := s.a, none
	if b.router != nil {
		times, in = a.Active, s.moved
		each := g.value(wDown, gradient, times*h)
		dp = g.value(tProbabilities, gradient, a.Experts)
		g.kernel(kCombine, backward, work{}, ids{d, s.each, s.probabilities}, ids{each, dp})
		d = each
	}
	up, down := matrixOf(n*times, h, g.ffn, max(a.Experts, 1)), matrixOf(n*times, g.ffn, h, max(a.Experts, 1))
	dh := g.value(tProduct, gradient, times*g.ffn)
	g.kernel(wDown, backward, down.input, ids{d, b.down.full}, ids{dh})
	g.gradient(b.down, u, down.weight, d, s.hidden)
	du, dg := g.value(wUp, gradient, times*g.ffn), none
	if b.gate != nil {
		dg = g.value(wGate, gradient, times*g.ffn)
	}
	g.kernel(kAct, backward, work{}, ids{dh, s.gate, s.silu, s.up}, ids{dg, du})
	g.gradient(b.up, u, up.weight, du, in)
	da := g.value(tScaled, gradient, times*h)
	g.kernel(wUp, backward, up.input, ids{du, b.up.full}, ids{da})
	if b.gate != nil {
		g.gradient(b.gate, u, up.weight, dg, in)
		g.kernel(wGate, backward, up.input, ids{dg, b.gate.full, da}, ids{da})
	}
	if b.router != nil {
		moved := da
		da = g.value(tScaled, gradient, h)
		g.gradient(b.router, u, matrixOf(n, h, a.Experts, 1).weight, dp, s.a)
		g.kernel(b.router.what, backward, matrixOf(n, h, a.Experts, 1).input, ids{dp, b.router.full}, ids{da})
		g.kernel(kMove, backward, work{}, ids{moved, s.probabilities, da}, ids{da})
	}
	g.reduce(da)
	return g.normBack(b.norm.what, b.norm, u, &s.savedNorm, da, dy)
}

// forward is a layer's forward pass: from x to its result.
func (g *stage) forward(l *layer, s *savedLayer, p *passed, x workload.TensorID, f form, last bool) workload.TensorID {
	s.self.x = x
	g.attend(&l.self, &s.self, none, f)
	x = s.self.y
	if l.cross != nil {
		s.cross.x = x
		g.attend(l.cross, &s.cross, p.encoded, f)
		x = s.cross.y
	}
	s.mlp.x = x
	g.feed(&l.mlp, &s.mlp, f, last)
	return s.mlp.y
}

// recompute makes again what the forward pass did not keep.
func (g *stage) recompute(l *layer, s *savedLayer, p *passed) {
	switch g.spec.Recompute {
	case Selective:
		redo := func(b *attention, s *savedAttention) {
			g.norm(b.norm.what, b.norm, &s.savedNorm, again)
			g.score(b, s, again)
		}
		redo(&l.self, &s.self)
		if l.cross != nil {
			redo(l.cross, &s.cross)
		}
		g.norm(l.mlp.norm.what, l.mlp.norm, &s.mlp.savedNorm, again)
	case Full:
		g.forward(l, s, p, s.self.x, again, false)
	}
}

// backward is a layer's backward pass: from the gradient of its result to that of its input.
func (g *stage) backward(l *layer, s *savedLayer, p *passed, d workload.TensorID) workload.TensorID {
	g.recompute(l, s, p)
	d = g.feedBack(&l.mlp, &s.mlp, l.unit, d)
	if l.cross != nil {
		d = g.attendBack(l.cross, &s.cross, l.unit, d, p)
	}
	return g.attendBack(&l.self, &s.self, l.unit, d, p)
}
