package networks

import (
	"cmp"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A pair is T5 of Hugging Face's transformers: an encoder and a decoder, both of as many
// layers, without biases, and with a trained table of distances that is added to scores,
// so that attention is never one kernel.
type pair struct {
	layers, encoder           int64 // 0: the encoder has as many as the decoder
	hidden, inner, heads, dim int64
	vocabulary, rows          int64 // of the tables of words and of distances
	gated, untied             bool
}

// t5 is T5 as published.
func t5(layers, hidden, inner, heads, dim int64) body {
	return pair{layers: layers, hidden: hidden, inner: inner, heads: heads, dim: dim, vocabulary: 32128, rows: 32}.write
}

func (p pair) write(t *tape, s size) {
	rows := t.batch * s.length
	each := unit.Bytes(s.length) * long
	words := t.param("shared.weight", p.vocabulary*p.hidden)
	encoded := p.stack(t, "encoder", t.embedding("encoder.words", words, t.input("tokens", each), rows, p.hidden, zipf), nil, s.length)
	x := p.stack(t, "decoder", t.embedding("decoder.words", words, t.input("targets", each), rows, p.hidden, zipf), encoded, s.length)
	head := words
	if p.untied {
		head = t.param("lm_head.weight", p.vocabulary*p.hidden)
	} else {
		x = t.scaled("scaled", x)
	}
	logits := t.product("lm_head", x, head, nil, rows, p.hidden, p.vocabulary)
	if !t.o.Inference {
		t.crossEntropy(logits, t.input("labels", each))
	}
}

// stack is the layers of one side; the decoder reads what the encoder made.
func (p pair) stack(t *tape, name string, x, encoded *value, length int64) *value {
	rows, layers := t.batch*length, p.layers
	if encoded == nil {
		layers = cmp.Or(p.encoder, p.layers)
	}
	t.within(name, func() {
		x = t.dropout("dropout", x)
		bias := p.distances(t, length)
		for i := range layers {
			x = t.block("block"+digits(i), x, func(x *value) *value {
				y := t.rmsNorm("layer0.norm", x, p.hidden)
				x = t.add("layer0.residual", x, t.dropout("layer0.dropout", p.attend(t, "layer0", y, y, bias, length, encoded != nil)))
				if encoded != nil {
					y = t.rmsNorm("layer1.norm", x, p.hidden)
					x = t.add("layer1.residual", x, t.dropout("layer1.dropout", p.attend(t, "layer1", y, encoded, nil, length, false)))
				}
				y = t.dropout("ff.dropout", p.feed(t, t.rmsNorm("ff.norm", x, p.hidden), rows))
				return t.add("ff.residual", x, t.dropout("ff.output", t.matmul("ff.wo", y, rows, p.inner, p.hidden)))
			})
		}
		x = t.dropout("final.dropout", t.rmsNorm("final.norm", x, p.hidden))
	})
	return x
}

// feed is the first half of the feed-forward block.
func (p pair) feed(t *tape, x *value, rows int64) *value {
	if !p.gated {
		return t.pointwise("relu", "ff.relu", t.matmul("ff.wi", x, rows, p.hidden, p.inner))
	}
	gate := t.tanhGELU(t.matmul("ff.wi_0", x, rows, p.hidden, p.inner))
	return t.multiply("ff.gated", gate, t.matmul("ff.wi_1", x, rows, p.hidden, p.inner))
}

// distances are what is added to the scores of every layer: a row of the table for each
// distance of two tokens.
func (p pair) distances(t *tape, length int64) *value {
	table := t.leaf(t.param("distances.weight", p.rows*p.heads))
	y := t.sized("distances", p.heads*length*length, t.float, table)
	t.class(kerneltime.Embedding, "index", ids(table.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dt := t.gradient(table)
		t.class(kerneltime.Embedding, "index_backward", ids(g), ids(dt))
		t.give(table, dt)
	})
	return y
}

// attend is attention of x to y.
func (p pair) attend(t *tape, name string, x, y, bias *value, length int64, causal bool) *value {
	wide, rows := p.heads*p.dim, t.batch*length
	q := t.matmul(name+".q", x, rows, p.hidden, wide)
	k := t.matmul(name+".k", y, rows, p.hidden, wide)
	v := t.matmul(name+".v", y, rows, p.hidden, wide)
	a := attention{heads: p.heads, kv: p.heads, dim: p.dim, samples: t.batch, length: length, causal: causal, dropout: true, mask: none, bias: bias}
	return t.matmul(name+".o", t.attendUnfused(a, q, k, v), rows, wide, p.hidden)
}
