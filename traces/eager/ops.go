package eager

import (
	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// embedding looks n rows of a table up; index holds their numbers. zipf is the exponent
// of the rows' frequencies in thousandths; all rows are read where it is 0.
func (t *tape) embedding(name string, table *param, index workload.TensorID, n, width, zipf int64) *value {
	y := t.result(name, n*width, &table.value)
	bytes := unit.Bytes(2*n*width)*element + unit.Bytes(n)*long
	k := t.kernel("embedding_forward", cost{bytes: bytes}.is(kerneltime.Embedding), ids(table.use(), index), ids(y.id))
	if zipf > 0 {
		k.Rows = []workload.RowAccess{{Tensor: table.id, Row: unit.Bytes(width) * element, Draws: n, Zipf: zipf}}
	}
	t.onBackward(y, func(g workload.TensorID) {
		dw := t.gradient(&table.value)
		t.as(kerneltime.Embedding, "embedding_backward", ids(g, index), ids(dw))
		t.finish(table, dw)
	})
	return y
}

// product multiplies rows of in numbers by a matrix. It saves both.
func (t *tape) product(kernel, name string, x *value, w, b *param, rows, in, out int64) *value {
	multiply := func(m, n, k int64) cost {
		return cost{class: gemm, flops: 2 * float64(rows) * float64(in) * float64(out), shape: kerneltime.Kernel{Class: kerneltime.Product, M: m, N: n, K: k}}
	}
	y := t.result(name, rows*out, x, &w.value)
	args := ids(x.id, w.use())
	if b != nil {
		args = append(args, b.use())
	}
	t.kernel(kernel+"_forward", multiply(rows, out, in), args, ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx, db := none, none
		if x.needs {
			dx = t.gradient(x)
			t.kernel(kernel+"_backward_input", multiply(rows, in, out), ids(g, w.id), ids(dx))
		}
		dw := t.gradient(&w.value)
		t.kernel(kernel+"_backward_weight", multiply(out, in, rows), ids(x.id, g), ids(dw))
		if b != nil {
			db = t.gradient(&b.value)
			t.as(kerneltime.Reduction, kernel+"_backward_bias", ids(g), ids(db))
		}
		t.give(x, dx)
		t.finish(w, dw)
		if b != nil {
			t.finish(b, db)
		}
	})
	return y
}

// addmm is a product with a bias in one kernel, as matrices have it.
func (t *tape) addmm(name string, x *value, rows, in, out int64) *value {
	w, b := t.param(name+".weight", in*out), t.param(name+".bias", out)
	return t.product("addmm", name, x, w, b, rows, in, out)
}

// matmul is a product without a bias.
func (t *tape) matmul(name string, x *value, w *param, rows, in, out int64) *value {
	return t.product("linear", name, x, w, nil, rows, in, out)
}

// linear is a product whose bias is added in place afterwards, as PyTorch 1.8 has it for
// sequences.
func (t *tape) linear(name string, x *value, rows, in, out int64) *value {
	w, b := t.param(name+".weight", in*out), t.param(name+".bias", out)
	return t.bias(t.matmul(name, x, w, rows, in, out), b)
}

// bias adds b in place.
func (t *tape) bias(x *value, b *param) *value {
	y := same(x)
	t.kernel("bias_add_", cost{bytes: unit.Bytes(2*x.n) * element}, ids(x.id, b.use()), ids(x.id))
	t.onBackward(y, func(g workload.TensorID) {
		db := t.gradient(&b.value)
		t.as(kerneltime.Reduction, "linear_backward_bias", ids(g), ids(db))
		t.finish(b, db)
		t.give(x, g)
	})
	return y
}

// layerNorm saves its input, and a mean and a reciprocal deviation for each row.
func (t *tape) layerNorm(name string, x *value, width int64) *value {
	w, b := t.param(name+".weight", width), t.param(name+".bias", width)
	y := t.result(name, x.n, x, &w.value)
	rows := unit.Bytes(x.n/width) * element
	mean, rstd := t.scratch(name+".mean", rows), t.scratch(name+".rstd", rows)
	t.as(kerneltime.Normalization, "layer_norm_forward", ids(x.id, w.use(), b.use()), ids(y.id, mean, rstd))
	t.onBackward(y, func(g workload.TensorID) {
		dx, dw, db := t.gradient(x), t.gradient(&w.value), t.gradient(&b.value)
		t.as(kerneltime.Normalization, "layer_norm_backward_input", ids(g, x.id, mean, rstd, w.id), ids(dx))
		t.as(kerneltime.Reduction, "layer_norm_backward_weight", ids(g, x.id, mean, rstd), ids(dw, db))
		t.give(x, dx)
		t.finish(w, dw)
		t.finish(b, db)
	})
	return y
}

// split returns three views of x, one beside the other in every row. Their gradients
// are put together again.
func (t *tape) split(x *value) [3]*value {
	var y [3]*value
	for i := range y {
		y[i] = same(x)
		y[i].n = x.n / 3
	}
	t.undo = append(t.undo, func() {
		dx := t.gradient(x)
		t.as(kerneltime.Copy, "cat", ids(y[0].grad, y[1].grad, y[2].grad), ids(dx))
		t.give(x, dx)
	})
	return y
}

// contiguous copies a permuted view; so does its gradient.
func (t *tape) contiguous(name string, x *value) *value {
	y := t.result(name, x.n, x)
	both := cost{bytes: unit.Bytes(2*x.n) * element}.is(kerneltime.Copy)
	t.kernel("copy", both, ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.tensor(t.w.Tensors[y.id].Name+".grad.copy", workload.Gradient, unit.Bytes(x.n)*element)
		t.kernel("copy", both, ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// bmm multiplies count pairs of matrices, m by k and k by n, and saves them.
func (t *tape) bmm(name string, a, b *value, count, m, k, n int64) *value {
	multiply := func(m, n, k int64) cost {
		return cost{class: batched, flops: 2 * float64(count) * float64(m) * float64(k) * float64(n), shape: kerneltime.Kernel{Class: kerneltime.BatchedProduct, Batch: count, M: m, N: n, K: k}}
	}
	y := t.result(name, count*m*n, a, b)
	t.kernel("bmm_forward", multiply(m, n, k), ids(a.id, b.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		da, db := t.gradient(a), t.gradient(b)
		t.kernel("bmm_backward", multiply(m, k, n), ids(g, b.id), ids(da))
		t.kernel("bmm_backward", multiply(k, n, m), ids(a.id, g), ids(db))
		t.give(a, da)
		t.give(b, db)
	})
	return y
}

// scaled multiplies or divides by a number, which is all that is saved.
func (t *tape) scaled(kernel, name string, x *value) *value {
	y := t.result(name, x.n, x)
	t.move(kernel, ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move(kernel, ids(g), ids(dx))
		t.give(x, dx)
	})
	return y
}

// where replaces what the mask hides, and saves the mask.
func (t *tape) where(name string, x *value, mask workload.TensorID) *value {
	y := t.result(name, x.n, x)
	t.move("where", ids(mask, x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		zeros := t.scratch(name+".zeros", unit.Bytes(x.n)*element)
		t.as(kerneltime.Copy, "fill", nil, ids(zeros))
		dx := t.gradient(x)
		t.move("where", ids(mask, g, zeros), ids(dx))
		t.give(x, dx)
	})
	return y
}

// plus adds what has no gradient, a constant or a mask; nothing is saved.
func (t *tape) plus(name string, x *value, constant ...workload.TensorID) *value {
	y := t.result(name, x.n, x)
	t.move("add", append(ids(x.id), constant...), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) { t.give(x, g) })
	return y
}

// add saves nothing. Where b is one sample for the whole batch its gradient is a sum.
func (t *tape) add(name string, a, b *value) *value {
	y := t.result(name, a.n, a, b)
	t.move("add", ids(a.id, b.id), ids(y.id))
	t.addBackward(a, b, y)
	return y
}

// addTo adds b to a in place.
func (t *tape) addTo(a, b *value) *value {
	y := same(a)
	t.move("add_", ids(a.id, b.id), ids(a.id))
	t.addBackward(a, b, y)
	return y
}

func (t *tape) addBackward(a, b, y *value) {
	t.onBackward(y, func(g workload.TensorID) {
		db := g
		if b.n < a.n {
			db = t.gradient(b)
			t.as(kerneltime.Reduction, "sum", ids(g), ids(db))
		}
		t.give(a, g)
		t.give(b, db)
	})
}

// multiply saves both factors.
func (t *tape) multiply(name string, a, b *value) *value {
	y := t.result(name, a.n, a, b)
	t.move("mul", ids(a.id, b.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		da, db := t.gradient(a), t.gradient(b)
		t.move("mul", ids(g, b.id), ids(da))
		t.move("mul", ids(g, a.id), ids(db))
		t.give(a, da)
		t.give(b, db)
	})
	return y
}

// power saves its input; the derivative is three kernels.
func (t *tape) power(name string, x *value) *value {
	y := t.result(name, x.n, x)
	t.move("pow", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		size := unit.Bytes(x.n) * element
		square, slope := t.scratch(name+".square", size), t.scratch(name+".slope", size)
		t.move("pow", ids(x.id), ids(square))
		t.move("mul", ids(square), ids(slope))
		dx := t.gradient(x)
		t.move("mul", ids(g, slope), ids(dx))
		t.give(x, dx)
	})
	return y
}

// fromInput is a function of one tensor that saves its input.
func (t *tape) fromInput(kernel, name string, x *value) *value {
	y := t.result(name, x.n, x)
	t.move(kernel+"_forward", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move(kernel+"_backward", ids(g, x.id), ids(dx))
		t.give(x, dx)
	})
	return y
}

// fromResult is a function of one tensor that saves its result.
func (t *tape) fromResult(kernel, name string, x *value) *value {
	y := t.result(name, x.n, x)
	t.move(kernel+"_forward", ids(x.id), ids(y.id))
	t.resultBackward(kernel, x, y)
	return y
}

// inPlace is fromResult in the memory of its input.
func (t *tape) inPlace(kernel string, x *value) *value {
	y := same(x)
	t.move(kernel+"_forward", ids(x.id), ids(x.id))
	t.resultBackward(kernel, x, y)
	return y
}

func (t *tape) resultBackward(kernel string, x, y *value) {
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move(kernel+"_backward", ids(g, y.id), ids(dx))
		t.give(x, dx)
	})
}

// softmax saves its result. PyTorch 1.8 multiplies it by the gradient in a kernel of its
// own.
func (t *tape) softmax(name string, x *value) *value {
	y := t.result(name, x.n, x)
	t.as(kerneltime.Normalization, "softmax_forward", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		weighted := t.scratch(name+".weighted", unit.Bytes(x.n)*element)
		t.move("mul", ids(g, y.id), ids(weighted))
		dx := t.gradient(x)
		t.as(kerneltime.Normalization, "softmax_backward", ids(weighted, y.id), ids(dx))
		t.give(x, dx)
	})
	return y
}

// dropout saves a mask of one byte a number.
func (t *tape) dropout(name string, x *value) *value {
	y, mask := t.result(name, x.n, x), t.scratch(name+".mask", unit.Bytes(x.n))
	t.move("dropout_forward", ids(x.id), ids(y.id, mask))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.move("dropout_backward", ids(g, mask), ids(dx))
		t.give(x, dx)
	})
	return y
}

// logSoftmax saves its result.
func (t *tape) logSoftmax(x *value) *value {
	y := t.result("log_softmax", x.n, x)
	t.as(kerneltime.Normalization, "log_softmax_forward", ids(x.id), ids(y.id))
	t.onBackward(y, func(g workload.TensorID) {
		dx := t.gradient(x)
		t.as(kerneltime.Normalization, "log_softmax_backward", ids(g, y.id), ids(dx))
		t.give(x, dx)
	})
	return y
}

// crossEntropy is the loss over rows of x: a logarithmic softmax, whose result is saved,
// and the likelihood of the labels.
func (t *tape) crossEntropy(x *value, labels workload.TensorID) {
	y := t.logSoftmax(x)
	loss, weight := t.scratch("loss", element), t.scratch("loss.weight", element)
	t.kernel("nll_loss_forward", cost{bytes: 2 * t.w.Tensors[labels].Bytes}.is(kerneltime.Reduction), ids(y.id, labels), ids(loss, weight))
	t.undo = append(t.undo, func() {
		dy := t.gradient(y)
		t.as(kerneltime.Copy, "nll_loss_backward", ids(labels, weight), ids(dy))
		t.give(y, dy)
	})
}
