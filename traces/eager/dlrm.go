package eager

import (
	"spillway/sim/unit"
	"spillway/sim/workload"
)

const (
	// hostTime is what the GPU waits for in each iteration, for each sample: loading and
	// sorting the data. It is fitted to the DLRM rows of the DeepUM paper's Figure 9(b),
	// where neither arithmetic nor memory explain most of the time.
	hostTime = 95 * unit.Microsecond
	// clicks is the exponent of the frequencies of a table's rows, in thousandths.
	clicks = 1050
	// vector is how many numbers a row has.
	vector = 128
)

// tables are the rows of the Criteo Kaggle data's 26 categorical features.
var tables = [...]int64{
	1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194,
	27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572,
}

// A sparse gradient is a list of rows and their numbers.
type sparse struct {
	index, values workload.TensorID
	count         int64
}

// dlrm is MLPerf's network with the dimensions of its Criteo Terabyte run, on the
// tables of Criteo Kaggle, with binary cross-entropy.
func dlrm(t *tape, _ int64, o optimizer) {
	each := unit.Bytes(t.batch) * long
	dense := t.tensor("dense", workload.Input, unit.Bytes(t.batch*13)*element)
	labels := t.tensor("labels", workload.Input, unit.Bytes(t.batch)*element)
	loaded := ids(dense, labels)
	var index, offsets [len(tables)]workload.TensorID
	for i := range tables {
		index[i] = t.tensor("indices"+digits(i), workload.Input, each)
		offsets[i] = t.tensor("offsets"+digits(i), workload.Input, each)
		loaded = append(loaded, index[i], offsets[i])
	}
	t.kernel("load_data", cost{}, nil, loaded).HostTime = hostTime * unit.Time(t.batch)

	var table [len(tables)]*param
	for i, rows := range tables {
		table[i] = t.table("embedding"+digits(i), rows*vector)
	}
	bottom := &value{id: dense, n: t.batch * 13, grad: none}
	bottom = t.tower("bottom", bottom, 13, 512, 256, vector)
	features := []*value{bottom}
	for i, p := range table {
		features = append(features, t.bag("embedding"+digits(i), p, index[i], offsets[i]))
	}
	x := t.tower("top", t.interact(features), vector+pairs, 1024, 1024, 512, 256)
	x = t.fromResult("sigmoid", "sigmoid", t.addmm("top.last", x, t.batch, 256, 1))
	t.lossOn("binary_cross_entropy", x, labels, t.scratch("loss", element))
	t.zero(t.params)
	t.backward(0)
	t.step(o, t.params)
}

// tower is a chain of products, each with a ReLU out of place.
func (t *tape) tower(name string, x *value, sizes ...int64) *value {
	for i, out := range sizes[1:] {
		layer := name + digits(i)
		x = t.fromResult("relu", layer+".relu", t.addmm(layer, x, t.batch, sizes[i], out))
	}
	return x
}

// table adds a parameter with a sparse gradient.
func (t *tape) table(name string, n int64) *param {
	p := &param{name: name + ".weight", value: value{n: n, grad: none, needs: true}, sum: none, rows: new(sparse)}
	p.id = t.global(p.name, workload.Weight, unit.Bytes(n)*element)
	t.params = append(t.params, p)
	return p
}

// touches are count rows of a table.
func touches(p *param, count int64) []workload.RowAccess {
	return []workload.RowAccess{{Tensor: p.id, Row: vector * element, Draws: count, Zipf: clicks}}
}

// bag looks up one row for each sample. Its gradient is a copy of those that come.
func (t *tape) bag(name string, p *param, index, offsets workload.TensorID) *value {
	n := t.batch
	y := t.result(name, n*vector, &p.value)
	bags, sizes := t.scratch(name+".offset2bag", unit.Bytes(n)*long), t.scratch(name+".bag_size", unit.Bytes(n)*long)
	both := unit.Bytes(2*n*vector)*element + unit.Bytes(n)*long
	k := t.kernel("embedding_bag_forward", cost{bytes: both}, ids(p.id, index, offsets), ids(y.id, bags, sizes))
	k.Rows = touches(p, n)
	t.onBackward(y, func(g workload.TensorID) {
		*p.rows = sparse{index, t.gradient(y), n}
		t.kernel("embedding_bag_backward", cost{bytes: both}, ids(g, index, offsets, bags, sizes), ids(p.rows.values))
	})
	return y
}

// update adds the rows of a sparse gradient to a table, times the learning rate, which
// takes a tensor of their size.
func (t *tape) update(p *param) {
	size := unit.Bytes(p.rows.count*vector) * element
	scaled := t.tensor(p.name+".step", workload.Workspace, size)
	k := t.kernel("sparse_sgd_step", cost{bytes: 5 * size}, ids(p.id, p.rows.values, p.rows.index), ids(p.id, scaled))
	k.Rows = touches(p, p.rows.count)
}

// pairs is how many products of two features there are.
const pairs = int64(len(tables)+1) * int64(len(tables)) / 2

// interact multiplies every feature's vector by every other's, and puts the products of
// pairs behind the first vector.
func (t *tape) interact(features []*value) *value {
	count := int64(len(features))
	all := t.cat("interact.features", features...)
	products := t.bmm("interact.products", all, all, t.batch, count, vector, count)
	flat := t.result("interact.pairs", t.batch*pairs, products)
	t.move("index", ids(products.id), ids(flat.id))
	t.onBackward(flat, func(g workload.TensorID) {
		dx := t.gradient(products)
		t.move("index_backward", ids(g), ids(dx))
		t.give(products, dx)
	})
	return t.cat("interact", features[0], flat)
}

// cat puts values beside each other; their gradients are views of its own.
func (t *tape) cat(name string, parts ...*value) *value {
	n, in := int64(0), make([]workload.TensorID, len(parts))
	for i, p := range parts {
		n, in[i] = n+p.n, p.id
	}
	y := t.result(name, n, parts...)
	t.move("cat", in, ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		for _, p := range parts {
			t.give(p, g)
		}
	})
	return y
}
