package networks

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A pair is T5 of Hugging Face's transformers: an encoder and a decoder, both of as many
// layers, without biases, and with a trained table of distances that is added to scores,
// so that attention is never one kernel.
type pair struct{ layers, hidden, inner, heads, dim int64 }

const t5Vocabulary, t5Distances = 32128, 32

func (p pair) write(t *tape, s size) {
	rows := t.batch * s.length
	each := unit.Bytes(s.length) * long
	words := t.param("shared.weight", t5Vocabulary*p.hidden)
	encoded := p.stack(t, "encoder", t.embedding("encoder.words", words, t.input("tokens", each), rows, p.hidden, zipf), nil, s.length)
	x := p.stack(t, "decoder", t.embedding("decoder.words", words, t.input("targets", each), rows, p.hidden, zipf), encoded, s.length)
	logits := t.product("lm_head", t.scaled("scaled", x), words, nil, rows, p.hidden, t5Vocabulary)
	if !t.o.Inference {
		t.crossEntropy(logits, t.input("labels", each))
	}
}

// stack is the layers of one side; the decoder reads what the encoder made.
func (p pair) stack(t *tape, name string, x, encoded *value, length int64) *value {
	rows := t.batch * length
	t.within(name, func() {
		x = t.dropout("dropout", x)
		bias := p.distances(t, length)
		for i := range p.layers {
			x = t.block("block"+digits(i), x, func(x *value) *value {
				y := t.rmsNorm("layer0.norm", x, p.hidden)
				x = t.add("layer0.residual", x, t.dropout("layer0.dropout", p.attend(t, "layer0", y, y, bias, length, encoded != nil)))
				if encoded != nil {
					y = t.rmsNorm("layer1.norm", x, p.hidden)
					x = t.add("layer1.residual", x, t.dropout("layer1.dropout", p.attend(t, "layer1", y, encoded, nil, length, false)))
				}
				y = t.matmul("ff.wi", t.rmsNorm("ff.norm", x, p.hidden), rows, p.hidden, p.inner)
				y = t.dropout("ff.dropout", t.pointwise("relu", "ff.relu", y))
				return t.add("ff.residual", x, t.dropout("ff.output", t.matmul("ff.wo", y, rows, p.inner, p.hidden)))
			})
		}
		x = t.dropout("final.dropout", t.rmsNorm("final.norm", x, p.hidden))
	})
	return x
}

// distances are what is added to the scores of every layer: a row of the table for each
// distance of two tokens.
func (p pair) distances(t *tape, length int64) *value {
	table := t.leaf(t.param("distances.weight", t5Distances*p.heads))
	y := t.sized("distances", p.heads*length*length, t.act, table)
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
