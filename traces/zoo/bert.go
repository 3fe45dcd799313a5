package zoo

var bertBase = Model{
	ID: "bert-base", Title: "BERT-base", Parameters: 109482240,
	About: "Transformer encoder with 12 layers of width 768 for sequences of 128 tokens, 109 million parameters. " +
		"As G10 evaluates it: forward pass up to the pooled output, biases as large as activations.",
	Source:       "Devlin et al., BERT, NAACL 2019, section 3; evaluated in G10, MICRO 2023",
	Sample:       "sequences of 128 tokens",
	DefaultBatch: 256, Batches: []int{128, 256, 384, 512, 640, 768, 1024}, MinBatch: 1, MaxBatch: maxSequences,
	profiled: true,
	define:   bert,
}

func bert(samples int, exact bool) (graph, error) {
	const (
		border               = 210 // trans_borden in the artifact's configs
		length, hidden       = 128, 768
		heads, layers        = 12, 12
		vocabulary, segments = 30522, 2
		positions            = 512 // rows of the position table, of which length are used
	)
	e := encode(border, length, hidden, heads, exact)
	tokens := shape{batch, length}
	segment := e.op("GatherV2", view{e.weight(segments * hidden), shape{segments, hidden}}, view{e.constant(), tokens})
	word := e.op("GatherV2", view{e.weight(vocabulary * hidden), shape{vocabulary, hidden}}, view{e.constant(), tokens})
	place := view{e.weight(positions * hidden), e.full}
	if exact {
		place.id = e.op("GatherV2", view{place.id, shape{positions, hidden}}, view{e.constant(), shape{length}})
		place.as = shape{length, hidden}
	}
	placed := e.op("Add", view{word, e.full}, place)
	x := e.norm.write(e.ops, e.sum(placed, segment), e.vector(), e.vector())

	masked, scores := shape{batch, 1, 1, length}, shape{batch, heads, length, length}
	divisor, mask := e.number(scores), int64(0)
	shared := int64(0)
	if !exact {
		shared = e.vector()
	}
	for layer := range layers {
		all := e.fuse(x)
		switch {
		case layer == 0 && exact:
			mask = e.constant()
		case layer == 0:
			dropped := e.op("Subtract", view{e.weight(0), masked}, view{e.constant(), masked})
			mask = e.op("Multiply", view{dropped, masked}, view{e.weight(0), masked})
		}
		attended := e.attention(all, func(raw int64, as shape) int64 {
			scaled := e.op("Divide", view{raw, as}, divisor)
			return e.op("Add", view{scaled, as}, view{mask, e.at(as, masked)})
		})
		x = e.norm.write(e.ops, e.sum(attended, x), e.vector(), e.vector())
		inner := shape{batch, length, e.inner}
		active := e.op("Relu", view{e.project(x, hidden, e.inner), inner})
		out := e.project(active, e.inner, hidden)
		// The exporter numbered the weights, and every 16 of its text became the
		// placeholder 99 of the batch. So weight 16, the bias here in layer 0, is
		// one tensor with weight 99, the gain here in layer 7.
		gain, bias := e.vector(), e.vector()
		switch {
		case exact:
		case layer == 0:
			bias = shared
		case layer == 7:
			gain = shared
		}
		x = e.norm.write(e.ops, e.sum(out, x), gain, bias)
	}
	first := e.op("GatherV2", view{x, e.full}, view{e.weight(0), shape{1}})
	matrix := view{e.weight(hidden * hidden), shape{hidden, hidden}}
	pooled := e.op("Dot", view{first, shape{batch, hidden}}, matrix)
	pooled = e.op("Add", view{pooled, shape{batch, hidden}}, view{e.vector(), e.at(shape{batch, hidden}, shape{hidden})})
	e.op("Tanh", view{pooled, shape{batch, hidden}})
	if !exact {
		e.parameters -= hidden // shared stands for two vectors, but three were counted
	}
	return e.build("bert-base", samples)
}
