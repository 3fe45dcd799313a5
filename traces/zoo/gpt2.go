package zoo

var gpt2XL = Model{
	ID: "gpt2-xl", Title: "GPT-2 XL", Parameters: 1557611200,
	About: "Transformer decoder with 48 layers of width 1600 for sequences of 1024 tokens, 1.56 billion parameters. " +
		"Plain attention with causal mask, separate query, key and value, exact GELU, no dropout.",
	Source:       "Radford et al., Language Models are Unsupervised Multitask Learners, 2019, Table 2",
	Sample:       "sequences of 1024 tokens",
	DefaultBatch: 4, Batches: []int{1, 2, 4, 8, 16}, MinBatch: 1, MaxBatch: maxLong,
	define: gpt2,
}

// A decoder writes GPT-2's parts. It uses the operators of G10's lists, but
// views every operand at its own size: a bias is a vector, a mean is one number
// for each token, a constant is one number, and what it holds is never trained.
type decoder struct {
	*ops
	length, hidden, inner, heads int64
	full, wide, scores           shape
	norm                         normalization
	mask, width, root, one, half view
}

// gpt2Border is the number of weights: two tables, sixteen for each layer, and
// the last normalization.
const gpt2Border = 2 + 16*gpt2Layers + 2

const gpt2Layers = 48

func gpt2(samples int, _ bool) (graph, error) {
	const (
		length, hidden, heads = 1024, 1600, 25
		vocabulary            = 50257
	)
	d := &decoder{
		ops: &ops{border: gpt2Border}, length: length, hidden: hidden, inner: 4 * hidden, heads: heads,
		full: shape{batch, length, hidden}, wide: shape{batch, length, 4 * hidden},
		scores: shape{batch, heads, length, length},
	}
	number := func() view { return view{d.constant(), shape{1}} }
	column, size := shape{batch, length, 1}, number()
	d.norm = normalization{
		full: d.full, sums: column, column: column, spread: column, vector: shape{hidden}, scalar: shape{1},
		exponent: d.constant(), epsilon: number(), divisor: func() view { return size },
	}
	d.width, d.root, d.one, d.half = number(), number(), number(), number()
	d.mask = view{d.constant(), shape{length, length}}

	words, places := d.weight(vocabulary*hidden), d.weight(length*hidden)
	x := d.op("GatherV2", view{words, shape{vocabulary, hidden}}, view{d.constant(), shape{batch, length}})
	x = d.op("Add", view{x, d.full}, view{places, shape{length, hidden}})
	for range gpt2Layers {
		x = d.op("Add", view{x, d.full}, view{d.attention(d.normalize(x)), d.full})
		x = d.op("Add", view{x, d.full}, view{d.feedForward(d.normalize(x)), d.full})
	}
	logits := shape{batch, length, vocabulary}
	y := d.op("Dot", view{d.normalize(x), d.full}, view{words, shape{hidden, vocabulary}}) // tied to the embedding
	d.softmax(y, logits)
	return d.build("gpt2-xl", samples)
}

func (d *decoder) normalize(x int64) int64 {
	gain, bias := d.weight(d.hidden), d.weight(d.hidden)
	return d.norm.write(d.ops, x, gain, bias)
}

// project multiplies x by a new matrix and adds a new bias.
func (d *decoder) project(x view, out int64) int64 {
	in := x.as[len(x.as)-1]
	matrix, bias := d.weight(in*out), d.weight(out)
	y := d.op("Dot", x, view{matrix, shape{in, out}})
	return d.op("Add", view{y, shape{batch, d.length, out}}, view{bias, shape{out}})
}

func (d *decoder) attention(x int64) int64 {
	width := d.hidden / d.heads
	each, turned := shape{batch, d.heads, d.length, width}, shape{batch, d.heads, width, d.length}
	in := view{x, d.full}
	query, key, value := d.project(in, d.hidden), d.project(in, d.hidden), d.project(in, d.hidden)
	y := d.op("BatchMatMul", view{query, each}, view{key, turned})
	y = d.op("Divide", view{y, d.scores}, d.width)
	y = d.op("Add", view{y, d.scores}, d.mask)
	y = d.softmax(y, d.scores)
	y = d.op("BatchMatMul", view{y, d.scores}, view{value, each})
	return d.project(view{y, d.full}, d.hidden)
}

func (d *decoder) feedForward(x int64) int64 {
	y := view{d.project(view{x, d.full}, d.inner), d.wide}
	erf := d.op("Erf", view{d.op("Divide", y, d.root), d.wide})
	y.id = d.op("Multiply", y, view{d.op("Add", view{erf, d.wide}, d.one), d.wide})
	y.id = d.op("Multiply", y, d.half)
	return d.project(y, d.hidden)
}
