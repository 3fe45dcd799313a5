package networks

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A recommender is DLRM (facebookresearch/dlrm): small networks over numbers, a row of a table
// for each of 26 categories, and products of all pairs between them. Tables have sparse
// gradients: only the rows that a batch reads are updated.
type recommender struct {
	rows        []int64 // of each table
	width       int64   // of a row
	bottom, top []int64 // widths of the networks before and after the pairs
}

// The tables of the Criteo data: of its Kaggle challenge, and of its terabyte with no table above
// 40 million rows, as in MLPerf Training 0.7 to 2.1.
var (
	criteoKaggle = []int64{
		1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194,
		27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572,
	}
	criteoTerabyte = []int64{
		39884406, 39043, 17289, 7420, 20263, 3, 7120, 1543, 63, 38532951, 2953546, 403346, 10,
		2208, 11938, 155, 4, 976, 14, 39979771, 25641295, 39664984, 585935, 12972, 108, 36,
	}
)

const (
	criteoNumbers = 13
	// criteoZipf is the exponent of the frequencies of a table's rows, in thousandths.
	criteoZipf = 1050
)

// parameters is how many numbers training changes.
func (d recommender) parameters() int64 {
	var n int64
	for _, rows := range d.rows {
		n += rows * d.width
	}
	tower := func(in int64, widths []int64) {
		for _, out := range widths {
			n += (in + 1) * out
			in = out
		}
	}
	tower(criteoNumbers, d.bottom)
	tower(d.width+d.pairs(), d.top)
	return n
}

// pairs is how many products of two features there are.
func (d recommender) pairs() int64 {
	n := int64(len(d.rows) + 1)
	return n * (n - 1) / 2
}

func (d recommender) write(t *tape, _ size) {
	n := int64(criteoNumbers)
	numbers := t.input("numbers", unit.Bytes(n)*t.full)
	x := &value{id: numbers, n: t.batch * n, size: t.full, grad: none}
	features := []*value{d.tower(t, "bot_l", x, n, d.bottom, "relu")}
	for i, rows := range d.rows {
		features = append(features, t.bag("emb_l."+digits(i), rows, d.width))
	}
	x = d.tower(t, "top_l", d.interact(t, features), d.width+d.pairs(), d.top, "sigmoid")
	if !t.o.Inference {
		t.squaredError(x, t.input("labels", t.full)) // binary cross-entropy reads and writes as much
	}
}

// tower is a chain of products, all but the last with a ReLU.
func (d recommender) tower(t *tape, name string, x *value, in int64, widths []int64, last string) *value {
	for i, out := range widths {
		x = t.linear(name+"."+digits(i), x, t.batch, in, out)
		if kind := "relu"; i < len(widths)-1 || last == kind {
			x = t.inPlace(kind, x)
		} else {
			x = t.inPlace(last, x)
		}
		in = out
	}
	return x
}

// interact multiplies every feature's vector by every other's, and puts the products of pairs
// behind the first vector.
func (d recommender) interact(t *tape, features []*value) *value {
	count := int64(len(features))
	for i, f := range features {
		features[i] = t.narrow(f)
	}
	all := t.beside("interact.features", features...)
	products := t.bmm("interact.products", all, all, t.batch, count, d.width, count)
	flat := t.result("interact.pairs", t.batch*d.pairs(), products)
	t.call()
	t.move("index", ids(products.id), ids(flat.id))
	t.onBackward(flat, func(g workload.TensorID) {
		dx := t.gradient(products)
		t.move("index_backward", ids(g), ids(dx))
		t.give(products, dx)
	})
	return t.beside("interact", features[0], flat)
}

// beside puts values beside each other in every sample; their gradients are cut out again.
func (t *tape) beside(name string, parts ...*value) *value {
	images := make([]image, len(parts))
	for i, p := range parts {
		images[i] = image{p, p.n / t.batch, 1, 1}
	}
	return t.cat(name, images...).value
}

// A sparse gradient is a list of rows and their numbers.
type sparse struct {
	index, values workload.TensorID
	count, width  int64
}

// bag looks up one row of a table for each sample. The table's gradient is a copy of what comes.
func (t *tape) bag(name string, rows, width int64) *value {
	t.call()
	n := t.batch
	p := t.known[t.named(name+".weight")]
	if p == nil {
		p = &param{name: t.named(name + ".weight"), value: value{n: rows * width, size: t.full, grad: none, needs: !t.o.Inference}, sum: none}
		p.id = t.global(p.name, workload.Weight, p.bytes())
		t.params, t.known[p.name] = append(t.params, p), p
	}
	index, offsets := t.input(name+".indices", long), t.input(name+".offsets", long)
	y := t.sized(name, n*width, t.full, &p.value)
	bags := t.scratch(name+".offset2bag", unit.Bytes(n)*long)
	both := kerneltime.Kernel{Class: kerneltime.Embedding, Bytes: 2*y.bytes() + 3*unit.Bytes(n)*long}
	k := t.kernel("embedding_bag_forward", both, ids(p.id, index, offsets), ids(y.id, bags))
	k.Rows = p.touched(n, width)
	t.onBackward(y, func(g workload.TensorID) {
		s := sparse{index, t.gradient(y), n, width}
		t.kernel("embedding_bag_backward", both, ids(g, index, offsets, bags), ids(s.values))
		p.rows = append(p.rows, s)
	})
	return y
}

// touched are count rows of a table.
func (p *param) touched(count, width int64) []workload.RowAccess {
	return []workload.RowAccess{{Tensor: p.id, Row: unit.Bytes(width) * p.size, Draws: count, Zipf: criteoZipf}}
}

// update changes the rows of a table that had gradients, and the optimizer's state of these.
func (t *tape) update(p *param, o *optimizer) {
	states := make([]workload.TensorID, len(o.states))
	for i, s := range o.states {
		states[i] = t.global(p.name+"."+s, workload.Optimizer, p.bytes())
	}
	for _, s := range p.rows {
		size := unit.Bytes(s.count*s.width) * p.size
		k := t.kernel("sparse_"+o.kernel, kerneltime.Kernel{Class: kerneltime.Embedding, Bytes: unit.Bytes(5+2*len(states)) * size},
			append(ids(p.id, s.values, s.index), states...), append(ids(p.id), states...))
		k.Rows = p.touched(s.count, s.width)
		for _, id := range states {
			row := k.Rows[0]
			row.Tensor = id
			k.Rows = append(k.Rows, row)
		}
	}
}

func recommenders() []Network {
	clicks := func(name, title string, d recommender, also ...string) Network {
		return Network{Name: name, Title: title, Also: also, Family: "DLRM", Parameters: d.parameters(), Optimizer: "sgd", write: d.write}
	}
	return []Network{
		clicks("dlrm-kaggle", "DLRM, Criteo Kaggle", recommender{criteoKaggle, 16, []int64{512, 256, 64, 16}, []int64{512, 256, 1}}, "dlrm"),
		clicks("dlrm-terabyte", "DLRM, Criteo Terabyte (MLPerf)", recommender{criteoTerabyte, 128, []int64{512, 256, 128}, []int64{1024, 1024, 512, 256, 1}}, "dlrm-mlperf"),
	}
}
