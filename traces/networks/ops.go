package networks

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// narrow returns x as products take it: under autocast in 16 bits, to which its gradient
// is cast back.
func (t *tape) narrow(x *value) *value { return t.to(x, t.act) }

// wide returns x as norms and softmax take it: no narrower than what they hand on.
func (t *tape) wide(x *value) *value { return t.to(x, max(x.size, t.float)) }

// to returns x in numbers of a size; its gradient is cast back.
func (t *tape) to(x *value, size unit.Bytes) *value {
	if x.size == size {
		return x
	}
	y := t.sized("cast", x.n, size, x)
	t.move("cast", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move("cast", ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// linear multiplies rows of in numbers by a matrix and adds a bias, which PyTorch 1.8
// does afterwards, in place, for sequences.
func (t *tape) linear(name string, x *value, rows, in, out int64) *value {
	w, b := t.param(name+".weight", in*out), t.param(name+".bias", out)
	return t.product(name, x, w, b, rows, in, out)
}

// matmul is linear without a bias.
func (t *tape) matmul(name string, x *value, rows, in, out int64) *value {
	return t.product(name, x, t.param(name+".weight", in*out), nil, rows, in, out)
}

// product saves both factors.
func (t *tape) product(name string, x *value, weight, bias *param, rows, in, out int64) *value {
	t.call()
	x = t.narrow(x)
	w := t.lower(weight)
	y := t.result(name, rows*out, x, w)
	args := ids(x.id, w.id)
	var b *value
	if bias != nil {
		b = t.lower(bias)
		args = append(args, b.id)
	}
	t.kernel("linear_forward", kerneltime.Kernel{Class: kerneltime.Product, M: rows, N: out, K: in}, args, ids(y.id))
	if b != nil && t.o.PyTorch == 1 && rows > t.batch {
		t.move("bias_add", ids(y.id, b.id), ids(y.id))
	}
	t.onBackward(y, func(g workload.TensorID) {
		if x.needs {
			dx := t.gradient(x)
			t.kernel("linear_backward_input", kerneltime.Kernel{Class: kerneltime.Product, M: rows, N: in, K: out}, ids(g, w.id), ids(dx))
			t.give(x, dx)
		}
		dw := t.gradient(w)
		t.kernel("linear_backward_weight", kerneltime.Kernel{Class: kerneltime.Product, M: out, N: in, K: rows}, ids(x.id, g), ids(dw))
		t.finish(weight, dw)
		if b != nil {
			db := t.gradient(b)
			t.class(kerneltime.Reduction, "linear_backward_bias", ids(g), ids(db))
			t.finish(bias, db)
		}
	})
	return y
}

// layerNorm runs in fp32 under autocast. It saves its input, and a mean and a reciprocal deviation
// for each row.
func (t *tape) layerNorm(name string, x *value, width int64) *value {
	return t.normalize(name, x, t.param(name+".weight", width), t.param(name+".bias", width))
}

// normalize is layerNorm with given parameters; MPT has no bias.
func (t *tape) normalize(name string, x *value, w, b *param) *value {
	t.call()
	x = t.wide(x)
	y := t.sized(name, x.n, t.full, x, &w.value)
	rows := unit.Bytes(x.n/w.n) * single
	mean, rstd := t.scratch(name+".mean", rows), t.scratch(name+".rstd", rows)
	given := ids(x.id, t.use(w))
	if b != nil {
		given = append(given, t.use(b))
	}
	t.norm("layer_norm_forward", y.size, given, ids(y.id, mean, rstd))
	t.onBackward(y, func(g workload.TensorID) {
		dw, db := t.gradient(&w.value), none
		if b != nil {
			db = t.gradient(&b.value)
		}
		if x.needs {
			dx := t.gradient(x)
			t.norm("layer_norm_backward_input", y.size, ids(g, x.id, mean, rstd, w.id), ids(dx))
			t.give(x, dx)
		}
		t.class(kerneltime.Reduction, "layer_norm_backward_weight", ids(g, x.id, mean, rstd), ids(dw, db))
		t.finish(w, dw)
		if b != nil {
			t.finish(b, db)
		}
	})
	return t.to(y, t.float)
}

// rmsNorm is layerNorm without mean and bias. PyTorch has no kernel for it: networks
// write it as six pointwise ones, which compiling joins.
func (t *tape) rmsNorm(name string, x *value, width int64) *value {
	t.call()
	w := t.param(name+".weight", width)
	y := t.sized(name, x.n, t.float, x, &w.value)
	rstd := t.scratch(name+".rstd", unit.Bytes(x.n/width)*single)
	if t.o.Compile {
		t.norm("rms_norm_forward", x.size, ids(x.id, t.use(w)), ids(y.id, rstd))
	} else {
		wide := t.sized(name+".wide", x.n, single, x)
		t.move("cast", ids(x.id), ids(wide.id))
		square := t.scratch(name+".square", wide.bytes())
		t.move("pow", ids(wide.id), ids(square))
		t.class(kerneltime.Reduction, "mean", ids(square), ids(rstd))
		scaled, half := t.scratch(name+".scaled", wide.bytes()), t.scratch(name+".half", y.bytes())
		t.move("mul", ids(wide.id, rstd), ids(scaled))
		t.move("cast", ids(scaled), ids(half))
		t.move("mul", ids(half, t.use(w)), ids(y.id))
	}
	t.onBackward(y, func(g workload.TensorID) {
		dx, dw := t.gradient(x), t.gradient(&w.value)
		if !t.o.Compile {
			slope := t.scratch(name+".slope", unit.Bytes(x.n)*single)
			t.move("mul", ids(g, w.id), ids(slope))
			t.move("mul", ids(slope, rstd), ids(slope))
			t.move("mul", ids(slope, x.id), ids(slope))
		}
		t.norm("rms_norm_backward_input", x.size, ids(g, x.id, rstd, w.id), ids(dx))
		t.class(kerneltime.Reduction, "rms_norm_backward_weight", ids(g, x.id, rstd), ids(dw))
		t.give(x, dx)
		t.finish(w, dw)
	})
	return y
}

// norm launches a kernel that works on rows.
func (t *tape) norm(name string, size unit.Bytes, in, out []workload.TensorID) {
	t.kernel(name, kerneltime.Kernel{Class: kerneltime.Normalization, Element: size}, in, out)
}

// bmm multiplies count pairs of matrices, m by k and k by n, and saves them.
func (t *tape) bmm(name string, a, b *value, count, m, k, n int64) *value {
	t.call()
	a, b = t.narrow(a), t.narrow(b)
	y := t.result(name, count*m*n, a, b)
	launch := func(kernel string, m, n, k int64, in, out []workload.TensorID) {
		t.kernel(kernel, kerneltime.Kernel{Class: kerneltime.BatchedProduct, Batch: count, M: m, N: n, K: k}, in, out)
	}
	launch("bmm_forward", m, n, k, ids(a.id, b.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		da, db := t.gradient(a), t.gradient(b)
		launch("bmm_backward", m, k, n, ids(g, b.id), ids(da))
		launch("bmm_backward", k, n, m, ids(a.id, g), ids(db))
		t.give(a, da)
		t.give(b, db)
	})
	return y
}

// split returns parts of x, one beside the other in every row, as views. Their gradients
// are put together again.
func (t *tape) split(x *value, parts ...int64) []*value {
	y := make([]*value, len(parts))
	var sum int64
	for _, p := range parts {
		sum += p
	}
	for i := range y {
		y[i] = same(x)
		y[i].n = x.n / sum * parts[i]
	}
	if t.lost > 0 || !x.needs {
		return y
	}
	t.undo = append(t.undo, func() {
		dx, in := t.gradient(x), []workload.TensorID(nil)
		for _, v := range y {
			in = append(in, v.grad)
		}
		t.class(kerneltime.Copy, "cat", in, ids(dx))
		t.give(x, dx)
	})
	return y
}

// contiguous copies a permuted view; so does its gradient.
func (t *tape) contiguous(name string, x *value) *value {
	y := t.result(name, x.n, x)
	both := kerneltime.Kernel{Class: kerneltime.Copy, Bytes: 2 * x.bytes()}
	t.kernel("copy", both, ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.tensor(t.w.Tensors[y.id].Name+".grad.copy", workload.Gradient, x.bytes())
		t.kernel("copy", both, ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// scaled multiplies by a number, which is all that is saved.
func (t *tape) scaled(name string, x *value) *value {
	t.call()
	y := t.result(name, x.n, x)
	t.move("mul", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move("mul", ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// shift adds a mask that has no gradient.
func (t *tape) shift(name string, x *value, mask workload.TensorID) *value {
	t.call()
	y := t.result(name, x.n, x)
	t.move("add", ids(x.id, mask), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) { t.give(x, g) })
	return y
}

// where replaces what a mask of bytes hides, and saves the mask.
func (t *tape) where(name string, x *value, mask workload.TensorID) *value {
	t.call()
	y := t.result(name, x.n, x)
	t.move("where", ids(x.id, mask), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move("where_backward", ids(g, mask), ids(dx))
		t.give(x, dx)
	})
	return y
}

// add saves nothing. Where b is one sample for the whole
// batch its gradient is a sum.
func (t *tape) add(name string, a, b *value) *value {
	t.call()
	y := t.result(name, a.n, a, b)
	t.move("add", ids(a.id, b.id), ids(y.id))
	t.addBackward(a, b, y)
	return y
}

// addTo adds b to a in place.
func (t *tape) addTo(a, b *value) *value {
	t.call()
	y := same(a)
	y.needs = a.needs || b.needs
	t.move("add_", ids(a.id, b.id), ids(a.id))
	t.addBackward(a, b, y)
	return y
}

func (t *tape) addBackward(a, b, y *value) {
	t.onBackward(y, func(g workload.TensorID) {
		for _, v := range [2]*value{a, b} {
			dv := g
			switch {
			case !v.needs:
			case v.n < y.n:
				dv = t.gradient(v)
				t.class(kerneltime.Reduction, "sum", ids(g), ids(dv))
			case v.size != y.size:
				dv = t.gradient(v)
				t.move("cast", ids(g), ids(dv))
			}
			t.give(v, dv)
		}
	})
}

// leaf is a parameter that no rule of autocast changes, as a value; what its gradient
// adds up to is the parameter's. It comes before the operator that reads it.
func (t *tape) leaf(p *param) *value {
	v := same(&p.value)
	t.use(p)
	if v.needs && t.lost == 0 {
		t.undo = append(t.undo, func() { t.finish(p, v.grad) })
	}
	return v
}

// multiply saves both factors. Where b has fewer numbers it is broadcast, and its
// gradient is a product and a sum.
func (t *tape) multiply(name string, a, b *value) *value {
	t.call()
	y := t.result(name, a.n, a, b)
	t.move("mul", ids(a.id, b.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		if a.needs {
			da := t.gradient(a)
			t.move("mul", ids(g, b.id), ids(da))
			t.give(a, da)
		}
		if !b.needs {
			return
		}
		db := t.gradient(b)
		if b.n == a.n {
			t.move("mul", ids(g, a.id), ids(db))
		} else {
			each := t.scratch(name+".each", a.bytes())
			t.move("mul", ids(g, a.id), ids(each))
			t.class(kerneltime.Reduction, "sum", ids(each), ids(db))
		}
		t.give(b, db)
	})
	return y
}

// pointwise is a function of one tensor that saves its input.
func (t *tape) pointwise(kernel, name string, x *value) *value {
	t.call()
	y := t.result(name, x.n, x)
	t.move(kernel+"_forward", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move(kernel+"_backward", ids(g, x.id), ids(dx))
		t.give(x, dx)
	})
	return y
}

// inPlace is a function of one tensor in its memory that saves its result.
func (t *tape) inPlace(kernel string, x *value) *value { return t.overwrite(kernel, x, x.id) }

// overwrite is a function of one tensor in its memory, whose backward pass reads what was saved.
func (t *tape) overwrite(kernel string, x *value, saved workload.TensorID) *value {
	t.call()
	y := same(x)
	t.kernel(kernel+"_forward", kerneltime.Kernel{Bytes: 2 * x.bytes()}, ids(x.id), ids(x.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move(kernel+"_backward", ids(g, saved), ids(dx))
		t.give(x, dx)
	})
	return y
}

// softmax runs in fp32 under autocast, as layerNorm does, and saves its result.
func (t *tape) softmax(kernel, name string, x *value) *value {
	t.call()
	x = t.wide(x)
	y := t.sized(name, x.n, t.full, x)
	t.norm(kernel+"_forward", y.size, ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.norm(kernel+"_backward", y.size, ids(g, y.id), ids(dx))
		t.give(x, dx)
	})
	return y
}

// dropout saves a mask of one byte a number; there is none in inference.
func (t *tape) dropout(name string, x *value) *value {
	t.call()
	if t.o.Inference {
		return x
	}
	y, mask := t.result(name, x.n, x), t.scratch(name+".mask", unit.Bytes(x.n))
	t.move("dropout_forward", ids(x.id), ids(y.id, mask))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move("dropout_backward", ids(g, mask), ids(dx))
		t.give(x, dx)
	})
	return y
}

// embedding looks n rows of a table up; index holds their numbers. zipf is the exponent
// of the rows' frequencies in thousandths; all rows are read where it is 0.
func (t *tape) embedding(name string, table *param, index workload.TensorID, n, width, zipf int64) *value {
	t.call()
	y := t.sized(name, n*width, t.float, &table.value)
	both := kerneltime.Kernel{Class: kerneltime.Embedding, Bytes: unit.Bytes(n*width)*(table.size+y.size) + unit.Bytes(n)*long}
	k := t.kernel("embedding_forward", both, ids(t.use(table), index), ids(y.id))
	if zipf > 0 {
		k.Rows = []workload.RowAccess{{Tensor: table.id, Row: unit.Bytes(width) * table.size, Draws: n, Zipf: zipf}}
	}
	t.onBackward(y, func(g workload.TensorID) {
		dw := t.gradient(&table.value)
		t.class(kerneltime.Embedding, "embedding_backward", ids(g, index), ids(dw))
		t.finish(table, dw)
	})
	return y
}

// crossEntropy is the loss over rows of x: a logarithmic softmax, whose result is saved,
// and the likelihood of the labels.
func (t *tape) crossEntropy(x *value, labels workload.TensorID) {
	t.call()
	y := t.softmax("log_softmax", "log_softmax", x)
	loss := t.scratch("loss", single)
	t.kernel("nll_loss_forward", kerneltime.Kernel{Class: kerneltime.Reduction, Bytes: 2 * t.w.Tensors[labels].Bytes}, ids(y.id, labels), ids(loss))
	if t.lost > 0 || !y.needs {
		return
	}
	t.undo = append(t.undo, func() {
		dy := t.gradient(y)
		t.class(kerneltime.Copy, "nll_loss_backward", ids(labels, loss), ids(dy))
		t.give(y, dy)
	})
}
