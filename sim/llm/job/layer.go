package job

import (
	"spillway/sim/kerneltime"
	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// An attention is the weights of one attention block on one GPU.
type attention struct {
	norm, q, k, v, o *weight
	// nil in most: a table of relative positions, the matrices that make latent vectors, norms of
	// queries and keys, a norm behind the block, sinks.
	relative, latentQ, latent, normQ, normK, post, sinks *weight
	cross                                                bool
	causal                                               bool
}

// A mlp is the weights of a feed-forward block.
type mlp struct {
	norm, post, router *weight // norm and router are nil in some
	own                *expert // of a mixture's experts, stacked
	shared             *expert // nil in most
}

// An expert is a feed-forward block without its norm: of so many that are stacked, of which a token passes
// some, each as wide.
type expert struct {
	gate, up, down  *weight
	w               [3]what // of gate, up and down
	silu, product   what    // of what it keeps
	stacked, active int64
	width           int64 // on one GPU
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
		cq, ckv           workload.TensorID // latent vectors
		rawQ, rawK        workload.TensorID // before their norms
		q, k, v, lse, att workload.TensorID
		o, mask           workload.TensorID // of dropout
		y                 workload.TensorID // the block's result
	}
	savedMLP struct {
		savedNorm
		probabilities, moved workload.TensorID // of a mixture
		arrived              workload.TensorID // the tokens that its experts here get
		own, shared          savedExpert
		each                 workload.TensorID // experts' results
		all                  workload.TensorID // what every token passes
		o, mask              workload.TensorID
		y                    workload.TensorID
	}
	savedExpert struct {
		gate, up, silu, hidden workload.TensorID
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
	attend := func(names [5]what) (b attention) {
		h := a.Hidden
		b.norm = g.weight(u, names[0], g.norms)
		if a.KeyLatent > 0 {
			if a.QueryLatent > 0 {
				b.latentQ = g.weight(u, wLatentQ, linear(h, a.QueryLatent, a.QKVBias)+a.QueryLatent)
				b.q = g.weight(u, names[1], a.QueryLatent*g.q)
			} else {
				b.q = g.weight(u, names[1], h*g.q)
			}
			b.latent = g.weight(u, wLatent, linear(h, g.latent(), a.QKVBias)+a.KeyLatent)
			b.k = g.weight(u, names[2], a.KeyLatent*g.plain)
			b.v = g.weight(u, names[3], a.KeyLatent*g.v)
		} else {
			b.q = g.weight(u, names[1], linear(h, g.q, a.QKVBias))
			b.k = g.weight(u, names[2], linear(h, g.kv, a.QKVBias))
			b.v = g.weight(u, names[3], linear(h, g.v, a.QKVBias))
		}
		b.o = g.weight(u, names[4], rows(g.mixed, h, a.OutBias))
		if q, k := a.HeadGains(); q > 0 {
			if a.HeadNorms == model.AllHeads {
				q, k = g.q, g.kv
			}
			b.normQ, b.normK = g.weight(u, wNormQ, q), g.weight(u, wNormK, k)
		}
		if a.Sinks {
			b.sinks = g.weight(u, wSinks, g.heads)
		}
		if a.LayerNorms() == 4 {
			b.post = g.weight(u, wPost1, g.norms)
		}
		return b
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
	if a.LayerNorms() > 1 {
		l.mlp.norm = g.weight(u, wNorm2, g.norms)
	}
	f := a.Feed(max(i-a.Encoder, 0))
	if f.Experts > 0 {
		l.mlp.router = g.weight(u, wRouter, a.Router())
	}
	own, stacked := u, max(f.Experts, 1)
	if g.expert > 1 && f.Experts > 0 {
		own, stacked = g.unit(int16(i)), f.Experts/g.expert
		own.group, own.copies, own.what = overSame, g.copies/g.expert, wExperts
		u.experts = own
	}
	l.mlp.own = g.newExpert(own, [3]what{wGate, wUp, wDown}, tSilu, tProduct, stacked, f.Active, f.Width/g.spec.Tensor)
	if f.Shared > 0 {
		l.mlp.shared = g.newExpert(u, [3]what{wSharedGate, wSharedUp, wSharedDown}, tSharedSilu, tSharedProduct, 1, 1, f.Shared/g.spec.Tensor)
	}
	if a.LayerNorms() == 4 {
		l.mlp.post = g.weight(u, wPost2, g.norms)
	}
	if l.encoder && i == a.Encoder-1 && a.FinalNorm {
		l.final = g.weight(u, wFinal, g.norms)
	}
	g.slices(u)
	if u.experts != nil {
		g.slices(u.experts)
	}
	return l
}

// newExpert makes the weights of so many stacked blocks.
func (g *stage) newExpert(u *block, w [3]what, silu, product what, stacked, active, width int64) *expert {
	a := g.spec.Arch
	e := &expert{w: w, silu: silu, product: product, stacked: stacked, active: active, width: width}
	if a.Gated {
		e.gate = g.weight(u, w[0], stacked*linear(a.Hidden, width, a.FFNBias))
	}
	e.up = g.weight(u, w[1], stacked*linear(a.Hidden, width, a.FFNBias))
	e.down = g.weight(u, w[2], stacked*rows(width, a.Hidden, a.FFNBias))
	return e
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
	if weight == nil { // it is shared with the block before
		s.a = s.x
		return
	}
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
	if weight == nil {
		g.kernel(kSum, backward, work{}, ids{d, by}, ids{dx})
		return dx
	}
	grad, before := g.into(weight, u)
	g.kernel(w, backward, work{}, ids{d, s.x, s.n, weight.full, by, before}, ids{dx, grad})
	return dx
}

// project multiplies by a block's last matrix, and adds what goes by the block: in the product's
// epilogue, or behind dropout or a norm.
func (g *stage) project(w, post *weight, f form, by work, in, x workload.TensorID, o, mask *workload.TensorID) workload.TensorID {
	h := g.spec.Arch.Hidden
	if !g.spec.Arch.Dropout && post == nil {
		y := g.value(tOut, plain, h)
		g.kernel(w.what, f, by, ids{in, w.full, x}, ids{y})
		g.reduce(y)
		return y
	}
	*o = g.value(tProjected, plain, h)
	g.kernel(w.what, f, by, ids{in, w.full}, ids{*o})
	g.reduce(*o)
	return g.behind(post, f, x, *o, mask)
}

// behind is what comes behind a block's last product: dropout, or a norm.
func (g *stage) behind(post *weight, f form, x, o workload.TensorID, mask *workload.TensorID) workload.TensorID {
	if post == nil {
		return g.drop(f, x, o, mask)
	}
	y := g.value(tOut, plain, g.spec.Arch.Hidden)
	g.kernel(post.what, f, work{}, ids{o, post.full, x}, ids{y})
	return y
}

// behindBack returns the gradient of a block's last product.
func (g *stage) behindBack(post *weight, u *block, d, o, mask workload.TensorID) workload.TensorID {
	if post == nil {
		return g.dropBack(d, o, mask)
	}
	do := g.value(tProjected, gradient, g.spec.Arch.Hidden)
	grad, before := g.into(post, u)
	g.kernel(post.what, backward, work{}, ids{d, o, post.full, before}, ids{do, grad})
	return do
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
	from, asks := s.a, s.a
	if b.cross {
		from = encoded
	}
	in := h
	if b.latentQ != nil {
		in = g.spec.Arch.QueryLatent
		s.cq = g.value(wLatentQ, plain, in)
		g.kernel(wLatentQ, f, matrixOf(n, h, in, 1).forward, ids{s.a, b.latentQ.full}, ids{s.cq})
		asks = s.cq
	}
	of, keys := h, g.kv
	if b.latent != nil {
		of, keys = g.spec.Arch.KeyLatent, g.plain
		s.ckv = g.value(wLatent, plain, g.latent())
		g.kernel(wLatent, f, matrixOf(n, h, g.latent(), 1).forward, ids{s.a, b.latent.full}, ids{s.ckv})
		from = s.ckv
	}
	s.q, s.k, s.v = g.value(b.q.what, plain, g.q), g.value(b.k.what, plain, g.kv), g.value(b.v.what, plain, g.v)
	g.kernel(b.q.what, f, matrixOf(n, in, g.q, 1).forward, ids{asks, b.q.full}, ids{s.q})
	g.kernel(b.k.what, f, matrixOf(n, of, keys, 1).forward, ids{from, b.k.full}, ids{s.k})
	g.kernel(b.v.what, f, matrixOf(n, of, g.v, 1).forward, ids{from, b.v.full}, ids{s.v})
	if b.normQ != nil {
		s.rawQ, s.rawK = s.q, s.k
		s.q, s.k = g.value(wNormQ, plain, g.q), g.value(wNormK, plain, g.kv)
		g.kernel(wNormQ, f, work{}, ids{s.rawQ, b.normQ.full}, ids{s.q})
		g.kernel(wNormK, f, work{}, ids{s.rawK, b.normK.full}, ids{s.k})
	}
	g.score(b, s, f)
	s.y = g.project(b.o, b.post, f, matrixOf(n, g.mixed, h, 1).forward, s.att, s.x, &s.o, &s.mask)
}

// score is attention without a matrix of scores: only a statistic of each row is kept.
func (g *stage) score(b *attention, s *savedAttention, f form) {
	s.att = g.value(tAttention, plain, g.mixed)
	s.lse = g.tensor(g.names.of(g.layer, tLSE, plain), unit.Bytes(g.tokens*g.heads)*4, workload.Intermediate, false)
	g.around(s, func(k, v workload.TensorID, first bool) {
		in := ids{s.q, k, v, b.table()}
		if !first {
			in = append(in, s.att, s.lse)
		}
		g.kernel(b.scores(), f, g.scores(b, kerneltime.AttentionForward, first), in, ids{s.att, s.lse})
	})
}

// around calls multiply for the keys and values of this GPU, and for those of the others that share its sequence, in
// the order in which they come, as one tensor each. While a block is multiplied the next one is on its way.
func (g *stage) around(s *savedAttention, multiply func(k, v workload.TensorID, first bool)) {
	k, v, coming := s.k, s.v, -1
	for i := range g.context {
		next, way := none, -1
		if i+1 < g.context {
			next = g.block(s, plain)
			way = g.pass(0, ids{k, v}, ids{next})
		}
		g.await(coming)
		multiply(k, v, i == 0)
		k, v, coming = next, none, way
	}
}

// block makes a tensor for keys and values, or gradients of them.
func (g *stage) block(s *savedAttention, f form) workload.TensorID {
	return g.tensor(g.names.of(g.layer, tPassed, f), g.tensors[s.k].Bytes+g.tensors[s.v].Bytes, workload.Intermediate, false)
}

// pass adds a kernel that touches so many bytes, and whose result, the first of out, then goes to the next GPU that shares the
// sequence, beside other kernels. It returns the collective.
func (g *stage) pass(touched unit.Bytes, in, out ids) int {
	phase := g.phase
	g.phase = Communicate
	k := g.moving(kPass, plain, touched, in, out)
	g.phase = phase
	g.locals = append(g.locals, local{overContext, PassOn, k, -1, g.tensors[out[0]].Bytes})
	return len(g.locals) - 1
}

// await lets the next kernel wait for a collective; of -1 there is none.
func (g *stage) await(collective int) {
	if collective >= 0 {
		g.locals[collective].wait = workload.KernelID(len(g.kernels))
	}
}

// aroundBack is the backward pass of attention: the gradients of a block follow it around, and each GPU
// adds its own. It adds those of queries to dq, and to grad, and leaves those of keys and values.
func (g *stage) aroundBack(b *attention, s *savedAttention, datt, grad, before, dq, dk, dv workload.TensorID) {
	travelling, way := none, -1
	g.around(s, func(k, v workload.TensorID, first bool) {
		in, out := ids{datt, s.q, k, v, s.att, s.lse, b.table(), before}, ids{dq, dk, dv, grad}
		part := none
		if g.context > 1 {
			part = g.block(s, gradient)
			out = ids{dq, part, grad}
		}
		if !first {
			in = append(in, dq)
		}
		g.kernel(b.scores(), backward, g.scores(b, kerneltime.AttentionBackward, first), in, out)
		before = grad
		if part == none {
			return
		}
		touched := unit.Bytes(0)
		if !first {
			touched = 3 * g.tensors[part].Bytes
		}
		g.await(way)
		sum := g.block(s, gradient)
		way = g.pass(touched, ids{part, travelling}, ids{sum})
		travelling = sum
	})
	if g.context > 1 {
		g.await(way)
		phase := g.phase
		g.phase = Communicate
		g.moving(kPass, backward, 0, ids{travelling}, ids{dk, dv})
		g.phase = phase
	}
}

func (b *attention) scores() what {
	if b.cross {
		return kCross
	}
	return kScores
}

func (b *attention) table() workload.TensorID {
	switch {
	case b.relative != nil:
		return b.relative.full
	case b.sinks != nil:
		return b.sinks.full
	}
	return none
}

// scores is what the products with keys and values take, half of it where a token sees only those
// before it; the backward pass, which computes the scores again, takes 5/2 of the forward pass. Of GPUs that share a
// sequence each has one piece from its beginning and one from its end, so that of another's block half of all pairs are seen.
func (g *stage) scores(b *attention, class kerneltime.Class, own bool) work {
	asks, keys, causal := g.spec.Sequence/g.context, g.spec.Sequence/g.context, b.causal && own
	n := 2 * g.tokens * keys * (g.q + g.mixed)
	if b.causal {
		n /= 2
	}
	if class == kerneltime.AttentionBackward {
		n = n / 2 * 5
	}
	d := g.spec.Arch.HeadDim
	if b.causal && !own {
		keys /= 2
	}
	return work{n, kerneltime.Kernel{
		Class: class, Batch: g.spec.Micro, Heads: g.heads, KVHeads: g.kv / d, SeqQ: asks, SeqKV: keys, HeadDim: d, Causal: causal,
	}}
}

// attendBack is the backward pass of an attention block. It takes the gradient of the result, returns that
// of the input, and adds to that of the encoder's result.
func (g *stage) attendBack(b *attention, s *savedAttention, u *block, dy workload.TensorID, p *passed) workload.TensorID {
	h, n := g.spec.Arch.Hidden, g.tokens
	d := g.behindBack(b.post, u, dy, s.o, s.mask)
	datt := g.value(tAttention, gradient, g.mixed)
	out := matrixOf(n, g.mixed, h, 1)
	g.kernel(b.o.what, backward, out.input, ids{d, b.o.full}, ids{datt})
	g.gradient(b.o, u, out.weight, d, s.att)
	nameQ, nameK := b.q.what, b.k.what
	if b.normQ != nil {
		nameQ, nameK = wNormQ, wNormK
	}
	dq, dk, dv := g.value(nameQ, gradient, g.q), g.value(nameK, gradient, g.kv), g.value(b.v.what, gradient, g.v)
	grad, before := none, none
	switch {
	case b.relative != nil:
		grad, before = g.into(b.relative, u)
	case b.sinks != nil:
		grad, before = g.into(b.sinks, u)
	}
	g.aroundBack(b, s, datt, grad, before, dq, dk, dv)
	if b.normQ != nil {
		dq, dk = g.normHeads(b.normQ, u, b.q.what, g.q, dq, s.rawQ), g.normHeads(b.normK, u, b.k.what, g.kv, dk, s.rawK)
	}
	if b.latent != nil {
		return g.latentBack(b, s, u, dq, dk, dv, dy)
	}
	q, k, v := matrixOf(n, h, g.q, 1), matrixOf(n, h, g.kv, 1), matrixOf(n, h, g.v, 1)
	from := s.a
	if b.cross {
		from = p.encoded
	}
	g.gradient(b.q, u, q.weight, dq, s.a)
	g.gradient(b.k, u, k.weight, dk, from)
	g.gradient(b.v, u, v.weight, dv, from)
	da := g.value(tScaled, gradient, h)
	if b.cross {
		g.kernel(b.q.what, backward, q.input, ids{dq, b.q.full}, ids{da})
		before := p.gradient
		if before == none {
			p.gradient = g.value(tEncoded, gradient, h)
		}
		g.kernel(b.k.what, backward, matrixOf(n, h, g.kv+g.v, 1).input, ids{dk, dv, b.k.full, b.v.full, before}, ids{p.gradient})
	} else {
		g.kernel(b.q.what, backward, matrixOf(n, h, g.q+g.kv+g.v, 1).input, ids{dq, dk, dv, b.q.full, b.k.full, b.v.full}, ids{da})
	}
	g.reduce(da)
	return g.normBack(b.norm.what, b.norm, u, &s.savedNorm, da, dy)
}

// normHeads returns the gradient of what a norm of queries or keys took.
func (g *stage) normHeads(w *weight, u *block, of what, width int64, d, raw workload.TensorID) workload.TensorID {
	dx := g.value(of, gradient, width)
	grad, before := g.into(w, u)
	g.kernel(w.what, backward, work{}, ids{d, raw, w.full, before}, ids{dx, grad})
	return dx
}

// latentBack is the rest of attendBack where keys and values, and perhaps queries, are made of latent vectors.
func (g *stage) latentBack(b *attention, s *savedAttention, u *block, dq, dk, dv, dy workload.TensorID) workload.TensorID {
	a, n := g.spec.Arch, g.tokens
	h := a.Hidden
	k, v := matrixOf(n, a.KeyLatent, g.plain, 1), matrixOf(n, a.KeyLatent, g.v, 1)
	g.gradient(b.k, u, k.weight, dk, s.ckv)
	g.gradient(b.v, u, v.weight, dv, s.ckv)
	dckv := g.value(wLatent, gradient, g.latent())
	g.kernel(b.k.what, backward, matrixOf(n, a.KeyLatent, g.plain+g.v, 1).input, ids{dk, dv, b.k.full, b.v.full}, ids{dckv})
	g.reduce(dckv)
	g.gradient(b.latent, u, matrixOf(n, h, g.latent(), 1).weight, dckv, s.a)
	asks, wide := b.q, g.q
	if b.latentQ == nil {
		g.gradient(b.q, u, matrixOf(n, h, g.q, 1).weight, dq, s.a)
	} else {
		q := matrixOf(n, a.QueryLatent, g.q, 1)
		g.gradient(b.q, u, q.weight, dq, s.cq)
		dcq := g.value(wLatentQ, gradient, a.QueryLatent)
		g.kernel(b.q.what, backward, q.input, ids{dq, b.q.full}, ids{dcq})
		g.reduce(dcq)
		g.gradient(b.latentQ, u, matrixOf(n, h, a.QueryLatent, 1).weight, dcq, s.a)
		asks, wide, dq = b.latentQ, a.QueryLatent, dcq
	}
	da := g.value(tScaled, gradient, h)
	g.kernel(wLatent, backward, matrixOf(n, h, wide+g.latent(), 1).input, ids{dq, dckv, asks.full, b.latent.full}, ids{da})
	if b.latentQ == nil {
		g.reduce(da)
	}
	return g.normBack(b.norm.what, b.norm, u, &s.savedNorm, da, dy)
}

// feed is the forward pass of a feed-forward block. Without last, its result is not made: it
// is computed again for what it keeps.
func (g *stage) feed(b *mlp, s *savedMLP, f form, last bool) {
	a := g.spec.Arch
	h, n := a.Hidden, g.tokens
	g.norm(wNorm2, b.norm, &s.savedNorm, f)
	in := s.a
	if b.router != nil {
		s.probabilities = g.value(tProbabilities, plain, a.Experts)
		g.kernel(b.router.what, f, matrixOf(n, h, a.Experts, 1).forward, ids{s.a, b.router.full}, ids{s.probabilities})
		s.moved = g.value(tMoved, plain, b.own.active*h)
		g.kernel(kMove, f, work{}, ids{s.a, s.probabilities}, ids{s.moved})
		s.arrived = g.dispatch(b.own, s.moved, plain)
		in = s.arrived
	}
	g.widen(b.own, &s.own, in, f)
	made := last || a.Dropout || b.post != nil
	down := b.own.products(n, h, false).forward
	if b.router == nil {
		if made {
			s.y = g.project(b.own.down, b.post, f, down, s.own.hidden, s.x, &s.o, &s.mask)
		}
		return
	}
	s.each, s.all = g.value(wDown, plain, b.own.active*h), none
	g.kernel(wDown, f, down, ids{s.own.hidden, b.own.down.full}, ids{s.each})
	s.each = g.dispatch(b.own, s.each, plain)
	if b.shared != nil {
		g.widen(b.shared, &s.shared, s.a, f)
		if made {
			s.all = g.value(wSharedDown, plain, h)
			g.kernel(wSharedDown, f, b.shared.products(n, h, false).forward, ids{s.shared.hidden, b.shared.down.full}, ids{s.all})
		}
	}
	switch {
	case a.Dropout || b.post != nil:
		s.o = g.value(tProjected, plain, h)
		g.kernel(kCombine, f, work{}, ids{s.each, s.all, s.probabilities}, ids{s.o})
		g.reduce(s.o)
		s.y = g.behind(b.post, f, s.x, s.o, &s.mask)
	case last:
		s.y = g.value(tOut, plain, h)
		g.kernel(kCombine, f, work{}, ids{s.each, s.all, s.probabilities, s.x}, ids{s.y})
		g.reduce(s.y)
	}
}

// dispatch sends tokens to the GPUs that have their experts, or back: each has as many afterwards.
func (g *stage) dispatch(e *expert, tokens workload.TensorID, f form) workload.TensorID {
	if g.expert == 1 {
		return tokens
	}
	there := g.value(tArrived, f, e.active*g.spec.Arch.Hidden)
	g.collective(overExperts, AllToAll, g.tensors[tokens].Bytes, ids{tokens}, ids{there})
	return there
}

// products are those of a block's matrices into it, or out of it.
func (e *expert) products(tokens, hidden int64, into bool) matrix {
	if into {
		return matrixOf(tokens*e.active, hidden, e.width, e.stacked)
	}
	return matrixOf(tokens*e.active, e.width, hidden, e.stacked)
}

// widen is a block up to its last product.
func (g *stage) widen(e *expert, s *savedExpert, in workload.TensorID, f form) {
	up, wide := e.products(g.tokens, g.spec.Arch.Hidden, true), e.active*e.width
	s.gate, s.silu = none, none
	if e.gate != nil {
		s.gate = g.value(e.w[0], plain, wide)
		g.kernel(e.w[0], f, up.forward, ids{in, e.gate.full}, ids{s.gate})
	}
	s.up = g.value(e.w[1], plain, wide)
	g.kernel(e.w[1], f, up.forward, ids{in, e.up.full}, ids{s.up})
	s.hidden = g.value(e.product, plain, wide)
	if e.gate != nil {
		s.silu = g.value(e.silu, plain, wide)
		g.kernel(kAct, f, work{}, ids{s.gate, s.up}, ids{s.silu, s.hidden})
	} else {
		g.kernel(kAct, f, work{}, ids{s.up}, ids{s.hidden})
	}
}

// widenBack takes the gradient d of a block's result and adds to that of its input: to da, or to a new one
// where that is none.
func (g *stage) widenBack(e *expert, s *savedExpert, u *block, d, in, da workload.TensorID) workload.TensorID {
	h, wide := g.spec.Arch.Hidden, e.active*e.width
	up, down := e.products(g.tokens, h, true), e.products(g.tokens, h, false)
	dh := g.value(e.product, gradient, wide)
	g.kernel(e.w[2], backward, down.input, ids{d, e.down.full}, ids{dh})
	g.gradient(e.down, u, down.weight, d, s.hidden)
	du, dg := g.value(e.w[1], gradient, wide), none
	if e.gate != nil {
		dg = g.value(e.w[0], gradient, wide)
	}
	g.kernel(kAct, backward, work{}, ids{dh, s.gate, s.silu, s.up}, ids{dg, du})
	g.gradient(e.up, u, up.weight, du, in)
	before := da
	if da == none {
		da = g.value(tScaled, gradient, e.active*h)
	}
	g.kernel(e.w[1], backward, up.input, ids{du, e.up.full, before}, ids{da})
	if e.gate != nil {
		g.gradient(e.gate, u, up.weight, dg, in)
		g.kernel(e.w[0], backward, up.input, ids{dg, e.gate.full, da}, ids{da})
	}
	return da
}

// feedBack is the backward pass of a feed-forward block.
func (g *stage) feedBack(b *mlp, s *savedMLP, u *block, dy workload.TensorID) workload.TensorID {
	a := g.spec.Arch
	h, n := a.Hidden, g.tokens
	d := g.behindBack(b.post, u, dy, s.o, s.mask)
	of, in, dp := d, s.a, none
	if b.router != nil {
		in = s.arrived
		of = g.value(wDown, gradient, b.own.active*h)
		dp = g.value(tProbabilities, gradient, a.Experts)
		g.kernel(kCombine, backward, work{}, ids{d, s.each, s.probabilities}, ids{of, dp})
		of = g.dispatch(b.own, of, gradient)
	}
	da := g.widenBack(b.own, &s.own, u, of, in, none)
	if b.router != nil {
		moved := g.dispatch(b.own, da, gradient)
		da = g.value(tScaled, gradient, h)
		g.gradient(b.router, u, matrixOf(n, h, a.Experts, 1).weight, dp, s.a)
		g.kernel(b.router.what, backward, matrixOf(n, h, a.Experts, 1).input, ids{dp, b.router.full}, ids{da})
		g.kernel(kMove, backward, work{}, ids{moved, s.probabilities, da}, ids{da})
	}
	if b.shared != nil {
		da = g.widenBack(b.shared, &s.shared, u, d, s.a, da)
	}
	g.reduce(da)
	return g.normBack(wNorm2, b.norm, u, &s.savedNorm, da, dy)
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
		g.norm(wNorm2, l.mlp.norm, &s.mlp.savedNorm, again)
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
