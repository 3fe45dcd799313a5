package networks

import (
	"cmp"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// zipf is the exponent of the frequencies of tokens, in thousandths: Zipf's law.
// Vocabularies list frequent tokens first, roughly.
const zipf = 1000

// An attention is queries, keys and values of heads.
type attention struct {
	heads, kv, dim int64 // kv heads of keys and values
	samples        int64 // sequences, or windows of images
	length         int64
	keys           int64 // how many keys and values a sample has; 0: as many as queries
	causal         bool
	dropout        bool
	mask           workload.TensorID // of fp32 that is added to scores; none
	bias           *value            // that is added to scores and trained; nil
}

// attend is softmax(QKᵀ)V of values whose heads lie beside each other in rows.
func (t *tape) attend(a attention, q, k, v *value) *value {
	if t.o.Attention == kerneltime.Unfused || a.bias != nil {
		return t.attendUnfused(a, q, k, v)
	}
	t.call()
	q, k, v = t.narrow(q), t.narrow(k), t.narrow(v)
	y := t.result("attn.heads", q.n, q, k, v)
	lse := t.scratch("attn.logsumexp", unit.Bytes(a.samples*a.heads*a.length)*single)
	shape := kerneltime.Kernel{
		Class: kerneltime.AttentionForward, Batch: a.samples, Heads: a.heads, KVHeads: a.kv, SeqQ: a.length, SeqKV: cmp.Or(a.keys, a.length), HeadDim: a.dim,
		Causal: a.causal, Attention: t.o.Attention,
	}
	t.kernel("attention_forward", shape, ids(q.id, k.id, v.id, a.mask), ids(y.id, lse))
	t.onBackward(y, func(g workload.TensorID) {
		dq, dk, dv := t.gradient(q), t.gradient(k), t.gradient(v)
		shape.Class = kerneltime.AttentionBackward
		t.kernel("attention_backward", shape, ids(g, q.id, k.id, v.id, y.id, lse), ids(dq, dk, dv))
		t.give(q, dq)
		t.give(k, dk)
		t.give(v, dv)
	})
	return y
}

// attendUnfused is attention operator by operator: products of copies whose heads lie
// one after the other, and what is between them on every score.
func (t *tape) attendUnfused(a attention, q, k, v *value) *value {
	q, k, v = t.contiguous("attn.q", q), t.repeated(a, "attn.k", k), t.repeated(a, "attn.v", v)
	count, keys := a.samples*a.heads, cmp.Or(a.keys, a.length)
	x := t.scaled("attn.scaled", t.bmm("attn.scores", q, k, count, a.length, a.dim, keys))
	if a.bias != nil {
		x = t.add("attn.biased", x, a.bias)
	}
	if a.causal {
		mask := t.scratch("attn.causal", unit.Bytes(a.length*a.length))
		t.class(kerneltime.Copy, "to_bool", ids(t.buffer("attn.mask", unit.Bytes(a.length*a.length))), ids(mask))
		x = t.where("attn.causal", x, mask)
	}
	if a.mask != none {
		x = t.shift("attn.masked", x, a.mask)
	}
	x = t.to(t.softmax("softmax", "attn.softmax", x), t.float)
	if a.dropout {
		x = t.dropout("attn.dropout", x)
	}
	y := t.bmm("attn.heads", x, v, count, a.length, keys, a.dim)
	return t.contiguous("attn.context", y)
}

// repeated copies keys or values so that every head of queries has its own.
func (t *tape) repeated(a attention, name string, x *value) *value {
	if a.kv == a.heads {
		return t.contiguous(name, x)
	}
	y := t.result(name, x.n/a.kv*a.heads, x)
	t.class(kerneltime.Copy, "repeat", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.class(kerneltime.Reduction, "sum", ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// A visual is timm's Vision Transformer.
type visual struct {
	layers, hidden, heads, patch int64
	inner, classes, channels     int64 // 0: four times hidden, those of ImageNet, and colours
	unbiased                     bool  // queries, keys and values are
}

func (v visual) write(t *tape, s size) {
	pixels := t.loaded(s.side, cmp.Or(v.channels, 3))
	x := t.conv("patch_embed.proj", pixels, v.hidden, bare(v.patch, v.patch).biased())
	length := x.height*x.width + 1
	rows := t.batch * length
	token, places := t.param("cls_token", v.hidden), t.param("pos_embed", length*v.hidden)
	y := t.result("tokens", rows*v.hidden, x.value, &token.value)
	t.class(kerneltime.Copy, "cat", ids(x.id, t.use(token)), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx, dt := t.gradient(x.value), t.gradient(&token.value)
		t.class(kerneltime.Copy, "narrow", ids(g), ids(dx, dt))
		t.give(x.value, dx)
		t.finish(token, dt)
	})
	y = t.add("embedding", y, t.leaf(places))
	for i := range v.layers {
		y = t.block("blocks."+digits(i), y, func(y *value) *value { return v.block(t, y, rows, length) })
	}
	y = t.layerNorm("norm", y, v.hidden)
	t.loss(t.linear("head", t.firsts("pool", y, t.batch, v.hidden), t.batch, v.hidden, cmp.Or(v.classes, 1000)))
}

func (v visual) block(t *tape, x *value, rows, length int64) *value {
	h, inner := v.hidden, cmp.Or(v.inner, 4*v.hidden)
	y := t.layerNorm("norm1", x, h)
	qkv := t.linear
	if v.unbiased {
		qkv = t.matmul
	}
	parts := t.split(qkv("attn.qkv", y, rows, h, 3*h), 1, 1, 1)
	a := attention{heads: v.heads, kv: v.heads, dim: h / v.heads, samples: t.batch, length: length, mask: none}
	y = t.linear("attn.proj", t.attend(a, parts[0], parts[1], parts[2]), rows, h, h)
	x = t.add("residual1", x, y)
	y = t.layerNorm("norm2", x, h)
	y = t.pointwise("gelu", "mlp.act", t.linear("mlp.fc1", y, rows, h, inner))
	return t.add("residual2", x, t.linear("mlp.fc2", y, rows, inner, h))
}

// firsts takes the first row of every sample, whose gradient is zeros elsewhere.
func (t *tape) firsts(name string, x *value, samples, width int64) *value {
	y := t.result(name, samples*width, x)
	t.kernel("copy", kerneltime.Kernel{Class: kerneltime.Copy, Bytes: 2 * y.bytes()}, ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.class(kerneltime.Copy, "slice_backward", ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// A bidirectional is BERT of Hugging Face's transformers, with a head for answering
// questions, or with those of pre-training as NVIDIA's examples have them: only masked
// tokens are looked up in the vocabulary. With a head for words all tokens are.
type bidirectional struct {
	layers, hidden, heads               int64
	inner, vocabulary, positions, types int64
	pretraining, words                  bool
}

// bert is BERT as published.
func bert(layers, hidden, heads int64, pretraining bool) body {
	return bidirectional{layers, hidden, heads, 4 * hidden, 30522, 512, 2, pretraining, false}.write
}

func (b bidirectional) write(t *tape, s size) {
	h, rows := b.hidden, t.batch*s.length
	each := unit.Bytes(s.length) * long
	tokens, types := t.input("tokens", each), none
	if b.types > 0 {
		types = t.input("token_types", each)
	}
	mask := t.scratch("extended_mask", unit.Bytes(rows)*single)
	t.move("extend_mask", ids(t.input("attention_mask", each)), ids(mask))
	places := t.buffer("embeddings.position_ids", each)

	words := t.param("embeddings.word.weight", b.vocabulary*h)
	x := t.embedding("embeddings.word", words, tokens, rows, h, zipf)
	var y *value
	if b.types > 0 {
		y = t.embedding("embeddings.token_type", t.param("embeddings.token_type.weight", b.types*h), types, rows, h, 0)
	}
	p := t.embedding("embeddings.position", t.param("embeddings.position.weight", max(b.positions, s.length)*h), places, s.length, h, 0)
	if y == nil {
		x = t.add("embeddings.sum", x, p)
	} else {
		x = t.addTo(t.add("embeddings.sum", x, y), p)
	}
	x = t.dropout("embeddings.dropout", t.layerNorm("embeddings.norm", x, h))
	for i := range b.layers {
		x = t.block("layer"+digits(i), x, func(x *value) *value { return b.block(t, x, rows, s.length, mask) })
	}
	switch {
	case b.words:
		y = t.pointwise("gelu", "head.gelu", t.linear("head.transform", x, rows, h, h))
		logits := t.product("head.decoder", t.layerNorm("head.norm", y, h), words, t.param("head.bias", b.vocabulary), rows, h, b.vocabulary)
		if !t.o.Inference {
			t.crossEntropy(logits, t.input("labels", each))
		}
		return
	case !b.pretraining:
		t.loss(t.linear("qa_outputs", x, rows, h, 2))
		return
	}
	pooled := t.pointwise("tanh", "pooler.tanh", t.linear("pooler", t.firsts("pooler.first", x, t.batch, h), t.batch, h, h))
	t.loss(t.linear("seq_relationship", pooled, t.batch, h, 2))
	masked := t.batch * max(1, s.length*5/32)
	y = t.firsts("masked", x, masked, h)
	y = t.pointwise("gelu", "head.gelu", t.linear("head.transform", y, masked, h, h))
	y = t.layerNorm("head.norm", y, h)
	t.loss(t.product("head.decoder", y, words, t.param("head.bias", b.vocabulary), masked, h, b.vocabulary))
}

func (b bidirectional) block(t *tape, x *value, rows, length int64, mask workload.TensorID) *value {
	h := b.hidden
	q, k, v := t.linear("attn.query", x, rows, h, h), t.linear("attn.key", x, rows, h, h), t.linear("attn.value", x, rows, h, h)
	a := attention{heads: b.heads, kv: b.heads, dim: h / b.heads, samples: t.batch, length: length, mask: mask, dropout: true}
	y := t.linear("attn.output", t.attend(a, q, k, v), rows, h, h)
	x = t.layerNorm("attn.norm", t.add("attn.residual", t.dropout("attn.output.dropout", y), x), h)
	y = t.pointwise("gelu", "mlp.gelu", t.linear("mlp.intermediate", x, rows, h, b.inner))
	y = t.dropout("mlp.output.dropout", t.linear("mlp.output", y, rows, b.inner, h))
	return t.layerNorm("mlp.norm", t.add("mlp.residual", y, x), h)
}

// A decoder is a language model: GPT-2, MPT, Llama and their kin.
type decoder struct {
	layers, hidden, heads, kv, inner, vocabulary int64
	dim                                          int64 // numbers of a head; 0: hidden over heads
	positions                                    int64 // that have a trained row; 0: none
	rms, rotary, gated                           bool  // RMS norms, rotary positions, gated activation
	headNorms, embedNorm, noFinalNorm            bool  // norms of queries and keys, behind the embedding, and none at the end
	bias                                         biases
	activation                                   string // one of activations; empty: silu where gated, else gelu
	dropout, tied                                bool
}

// biases are where a decoder has any.
type biases struct{ qkv, out, inner, norms bool }

// everywhere are the biases of GPT-2.
var everywhere = biases{true, true, true, true}

func (d decoder) write(t *tape, s size) {
	h, rows := d.hidden, t.batch*s.length
	tokens := t.input("tokens", unit.Bytes(s.length)*long)
	table := t.param("wte.weight", d.vocabulary*h)
	x := t.embedding("wte", table, tokens, rows, h, zipf)
	if d.positions > 0 {
		places := t.scratch("positions", unit.Bytes(s.length)*long)
		t.class(kerneltime.Copy, "arange", nil, ids(places))
		x = t.add("embedding", x, t.embedding("wpe", t.param("wpe.weight", max(d.positions, s.length)*h), places, s.length, h, 0))
	}
	if d.embedNorm {
		x = d.norm(t, "embedding.norm", x, h)
	}
	if d.dropout {
		x = t.dropout("embedding.dropout", x)
	}
	for i := range d.layers {
		x = t.block("h"+digits(i), x, func(x *value) *value { return d.block(t, x, rows, s.length) })
	}
	if !d.noFinalNorm {
		x = d.norm(t, "ln_f", x, h)
	}
	if t.o.Inference {
		t.product("lm_head", x, d.head(t, table), nil, rows, h, d.vocabulary)
		return
	}
	logits := t.product("lm_head", x, d.head(t, table), nil, rows, h, d.vocabulary)
	t.crossEntropy(logits, t.input("labels", unit.Bytes(s.length)*long))
}

func (d decoder) head(t *tape, table *param) *param {
	if d.tied {
		return table
	}
	return t.param("lm_head.weight", d.vocabulary*d.hidden)
}

func (d decoder) norm(t *tape, name string, x *value, width int64) *value {
	switch {
	case d.rms:
		return t.rmsNorm(name, x, width)
	case d.bias.norms:
		return t.layerNorm(name, x, width)
	}
	return t.normalize(name, x, t.param(name+".weight", width), nil)
}

// linear is a product with a bias, or without one.
func linear(t *tape, bias bool, name string, x *value, rows, in, out int64) *value {
	if bias {
		return t.linear(name, x, rows, in, out)
	}
	return t.matmul(name, x, rows, in, out)
}

func (d decoder) block(t *tape, x *value, rows, length int64) *value {
	h, dim := d.hidden, cmp.Or(d.dim, d.hidden/d.heads)
	drop := func(name string, x *value) *value {
		if d.dropout {
			return t.dropout(name, x)
		}
		return x
	}
	y := d.norm(t, "ln_1", x, h)
	parts := t.split(linear(t, d.bias.qkv, "attn.qkv", y, rows, h, (d.heads+2*d.kv)*dim), d.heads, d.kv, d.kv)
	if d.headNorms {
		parts[0], parts[1] = d.norm(t, "attn.q_norm", parts[0], dim), d.norm(t, "attn.k_norm", parts[1], dim)
	}
	if d.rotary {
		parts[0], parts[1] = t.rotary("attn.q", parts[0]), t.rotary("attn.k", parts[1])
	}
	a := attention{heads: d.heads, kv: d.kv, dim: dim, samples: t.batch, length: length, mask: none, causal: true, dropout: d.dropout}
	y = linear(t, d.bias.out, "attn.proj", t.attend(a, parts[0], parts[1], parts[2]), rows, d.heads*dim, h)
	x = t.add("attn.residual", drop("attn.dropout", y), x)
	y = d.feed(t, d.norm(t, "ln_2", x, h), rows)
	return t.add("mlp.residual", drop("mlp.dropout", y), x)
}

// feed is the feed-forward block.
func (d decoder) feed(t *tape, y *value, rows int64) *value {
	up := func(name string) *value { return linear(t, d.bias.inner, name, y, rows, d.hidden, d.inner) }
	var z *value
	if d.gated {
		gate := t.curve(cmp.Or(d.activation, "silu"), up("mlp.gate"))
		z = t.multiply("mlp.gated", gate, up("mlp.up"))
	} else {
		z = t.curve(cmp.Or(d.activation, "gelu"), up("mlp.fc"))
	}
	return linear(t, d.bias.inner, "mlp.proj", z, rows, d.inner, d.hidden)
}

// curve is one of activations.
func (t *tape) curve(key string, x *value) *value {
	if key == "spelled-gelu" {
		return t.tanhGELU(x)
	}
	return t.pointwise(key, "mlp."+key, x)
}

// rotary turns pairs of numbers by their position: two products with tables, a copy with
// halves exchanged, and a sum, which compiling joins.
func (t *tape) rotary(name string, x *value) *value {
	t.call()
	y := t.result(name+".rotated", x.n, x)
	turn := func(from, to workload.TensorID) {
		if t.o.Compile {
			t.kernel("rotary", kerneltime.Kernel{Class: kerneltime.Rotary, Bytes: 2 * x.bytes()}, ids(from), ids(to))
			return
		}
		cosine, half, sine := t.scratch(name+".cosine", x.bytes()), t.scratch(name+".half", x.bytes()), t.scratch(name+".sine", x.bytes())
		t.kernel("mul", kerneltime.Kernel{Bytes: 2 * x.bytes()}, ids(from), ids(cosine))
		t.kernel("rotate_half", kerneltime.Kernel{Class: kerneltime.Copy, Bytes: 2 * x.bytes()}, ids(from), ids(half))
		t.move("mul", ids(half), ids(sine))
		t.move("add", ids(cosine, sine), ids(to))
	}
	turn(x.id, y.id)
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		turn(g, dx)
		t.give(x, dx)
	})
	return y
}

// tanhGELU is x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), operator by operator, as
// Hugging Face's GPT-2 has it.
func (t *tape) tanhGELU(x *value) *value {
	half := t.scaled("mlp.half", x)
	y := t.scaled("mlp.cubic", t.pointwise("pow", "mlp.cube", x))
	y = t.scaled("mlp.argument", t.add("mlp.sum", x, y))
	y = t.scaled("mlp.one_tanh", t.pointwise("tanh", "mlp.tanh", y))
	return t.multiply("mlp.gelu", half, y)
}
