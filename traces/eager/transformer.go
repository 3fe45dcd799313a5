package eager

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// words is the exponent of the frequencies of tokens, in thousandths: Zipf's law.
// Vocabularies list frequent tokens first, roughly.
const words = 1000

// A transformer is what the two families have in common.
type transformer struct {
	*tape
	layers, hidden, heads, length, vocabulary int64

	longest int64 // sequence of the published model
	rows    int64 // tokens in the batch
	// mask is added to attention scores: the data's, which hides what fills a sequence up.
	mask workload.TensorID
}

func newTransformer(t *tape, layers, hidden, heads, length, vocabulary, longest int64) *transformer {
	n := &transformer{t, layers, hidden, heads, length, vocabulary, longest, t.batch * length, none}
	given := t.input("attention_mask", unit.Bytes(length)*long)
	n.mask = t.scratch("extended_mask", unit.Bytes(n.rows)*element)
	t.move("extend_mask", ids(given), ids(n.mask))
	return n
}

// places is how many positions have a row of their own: the published model's, or more
// where the sequence is longer.
func (n *transformer) places() int64 { return max(n.longest, n.length) }

// gpt2 is GPT2LMHeadModel of Hugging Face's transformers.
func gpt2(layers, hidden, heads int64) func(*tape, int64, optimizer) {
	return func(t *tape, length int64, o optimizer) {
		n := newTransformer(t, layers, hidden, heads, length, 50257, 1024)
		tokens, labels := t.input("tokens", unit.Bytes(length)*long), t.input("labels", unit.Bytes(length)*long)
		places := t.scratch("positions", unit.Bytes(length)*long)
		t.move("arange", nil, ids(places))

		table, positions := t.param("wte.weight", n.vocabulary*hidden), t.param("wpe.weight", n.places()*hidden)
		x := t.embedding("wte", table, tokens, n.rows, hidden, words)
		p := t.embedding("wpe", positions, places, length, hidden, 0)
		x = t.dropout("embedding.dropout", t.add("embedding", x, p))
		for i := range layers {
			t.within("h"+digits(int(i)), func() { x = n.decoder(x) })
		}
		x = t.layerNorm("ln_f", x, hidden)
		logits := t.matmul("lm_head", x, table, n.rows, hidden, n.vocabulary)
		t.crossEntropy(t.shifted("lm_head.shifted", logits, length), labels)
		t.backward(0)
		t.step(o, t.params)
		t.zero(t.params)
	}
}

// decoder is a block of GPT-2, normalized first.
func (n *transformer) decoder(x *value) *value {
	y := n.layerNorm("ln_1", x, n.hidden)
	parts := n.split(n.addmm("attn.c_attn", y, n.rows, n.hidden, 3*n.hidden))
	query, key := n.contiguous("attn.q", parts[0]), n.contiguous("attn.k", parts[1])
	scores := n.scores(query, key)
	scores = n.scaled("div", "attn.scaled", scores)
	scores = n.plus("attn.masked", n.where("attn.causal", scores, n.causal()), n.mask)
	scores = n.dropout("attn.dropout", n.softmax("attn.softmax", scores))
	y = n.mix(scores, n.contiguous("attn.v", parts[2]))
	y = n.addmm("attn.c_proj", y, n.rows, n.hidden, n.hidden)
	x = n.add("attn.residual", n.dropout("attn.c_proj.dropout", y), x)

	y = n.layerNorm("ln_2", x, n.hidden)
	y = n.addmm("mlp.c_fc", y, n.rows, n.hidden, 4*n.hidden)
	y = n.addmm("mlp.c_proj", n.tanhGELU(y), n.rows, 4*n.hidden, n.hidden)
	return n.add("mlp.residual", x, n.dropout("mlp.dropout", y))
}

// causal makes the mask of a layer from its buffer; where keeps it.
func (n *transformer) causal() workload.TensorID {
	buffer := n.buffer("attn.bias", unit.Bytes(n.places()*n.places()))
	size := unit.Bytes(n.length * n.length)
	mask := n.scratch("attn.mask", size)
	n.kernel("to_bool", cost{bytes: 2 * size}, ids(buffer), ids(mask))
	return mask
}

func (n *transformer) scores(query, key *value) *value {
	return n.bmm("attn.scores", query, key, n.batch*n.heads, n.length, n.hidden/n.heads, n.length)
}

// mix weighs values by scores and puts the heads beside each other.
func (n *transformer) mix(scores, values *value) *value {
	y := n.bmm("attn.heads", scores, values, n.batch*n.heads, n.length, n.length, n.hidden/n.heads)
	return n.contiguous("attn.context", y)
}

// tanhGELU is x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), operator by operator. Five
// tensors are saved, x among them.
func (n *transformer) tanhGELU(x *value) *value {
	half := n.scaled("mul", "mlp.half", x)
	y := n.scaled("mul", "mlp.cubic", n.power("mlp.cube", x))
	y = n.scaled("mul", "mlp.argument", n.add("mlp.sum", x, y))
	y = n.plus("mlp.one_tanh", n.fromResult("tanh", "mlp.tanh", y))
	return n.multiply("mlp.gelu", half, y)
}

// shifted copies all but the last token's row of every sequence.
func (t *tape) shifted(name string, x *value, length int64) *value {
	y := t.result(name, x.n/length*(length-1), x)
	both := cost{bytes: unit.Bytes(2*y.n) * element}.is(kerneltime.Copy)
	t.kernel("copy", both, ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.as(kerneltime.Copy, "slice_backward", ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// bert is BertForMaskedLM of Hugging Face's transformers.
func bert(layers, hidden, heads int64) func(*tape, int64, optimizer) {
	return func(t *tape, length int64, o optimizer) {
		n := newTransformer(t, layers, hidden, heads, length, 30522, 512)
		each := unit.Bytes(length) * long
		tokens, types, labels := t.input("tokens", each), t.input("token_types", each), t.input("labels", each)
		places := t.buffer("embeddings.position_ids", unit.Bytes(n.places())*long)

		table := t.param("embeddings.word.weight", n.vocabulary*hidden)
		positions := t.param("embeddings.position.weight", n.places()*hidden)
		kinds := t.param("embeddings.token_type.weight", 2*hidden)
		x := t.embedding("embeddings.word", table, tokens, n.rows, hidden, words)
		y := t.embedding("embeddings.token_type", kinds, types, n.rows, hidden, 0)
		p := t.embedding("embeddings.position", positions, places, length, hidden, 0)
		x = t.addTo(t.add("embeddings.sum", x, y), p)
		x = t.dropout("embeddings.dropout", t.layerNorm("embeddings.norm", x, hidden))
		for i := range layers {
			t.within("layer"+digits(int(i)), func() { x = n.encoder(x) })
		}

		x = t.fromInput("gelu", "head.gelu", t.linear("head.transform", x, n.rows, hidden, hidden))
		x = t.layerNorm("head.norm", x, hidden)
		x = t.matmul("head.decoder", x, table, n.rows, hidden, n.vocabulary)
		x = t.bias(x, t.param("head.bias", n.vocabulary))
		t.crossEntropy(x, labels)
		t.backward(0)
		t.step(o, t.params)
		t.zero(t.params)
	}
}

// encoder is a block of BERT, normalized last.
func (n *transformer) encoder(x *value) *value {
	project := func(name string) *value {
		return n.linear("attn."+name, x, n.rows, n.hidden, n.hidden)
	}
	query, key, values := project("query"), project("key"), project("value")
	scores := n.scores(n.contiguous("attn.q", query), n.contiguous("attn.k", key))
	scores = n.plus("attn.masked", n.scaled("div", "attn.scaled", scores), n.mask)
	scores = n.dropout("attn.dropout", n.softmax("attn.softmax", scores))
	y := n.mix(scores, n.contiguous("attn.v", values))
	y = n.dropout("attn.output.dropout", n.linear("attn.output", y, n.rows, n.hidden, n.hidden))
	x = n.layerNorm("attn.norm", n.add("attn.residual", y, x), n.hidden)

	y = n.fromInput("gelu", "mlp.gelu", n.linear("mlp.intermediate", x, n.rows, n.hidden, 4*n.hidden))
	y = n.dropout("mlp.output.dropout", n.linear("mlp.output", y, n.rows, 4*n.hidden, n.hidden))
	return n.layerNorm("mlp.norm", n.add("mlp.residual", y, x), n.hidden)
}
