package et

import (
	"bytes"
	"strings"
)

const accumulateGrad = "torch::autograd::AccumulateGrad"

// A rule is what an operator's schema says of its arguments.
type rule struct {
	known   bool
	view    bool   // what it returns is an argument, unchanged
	changes uint64 // bits of the arguments that it changes
	outs    uint64 // bits of those that only take the result
}

// ruleOf reads a schema, "aten::add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)".
func (d *reader) ruleOf(schema []byte) rule {
	if r, ok := d.rules[string(schema)]; ok || len(schema) == 0 {
		return r
	}
	r := parseRule(schema)
	if len(d.rules) < maxStrings {
		d.rules[string(schema)] = r
	}
	return r
}

func parseRule(schema []byte) rule {
	args, returns, _ := bytes.Cut(schema, []byte(" -> "))
	r := rule{known: true, view: bytes.Contains(returns, []byte("(a")) && !bytes.Contains(schema, []byte("!"))}
	open := bytes.IndexByte(args, '(')
	if open < 0 {
		return r
	}
	depth, arg, start := 0, 0, open+1
	for i := open; i < len(args) && arg < 64; i++ {
		switch c := args[i]; {
		case c == '(' || c == '[':
			depth++
			continue
		case c == ']' || c == ')' && depth > 1:
			depth--
			continue
		case c == ',' && depth == 1 || c == ')':
		default:
			continue
		}
		text := bytes.TrimSpace(args[start:i])
		start = i + 1
		if string(text) == "*" {
			continue // a mark between arguments, not one of them
		}
		if bytes.Contains(text, []byte("!)")) {
			r.changes |= 1 << arg
			if bytes.Contains(text, []byte("!) out")) {
				r.outs |= 1 << arg
			}
		}
		arg++
	}
	return r
}

// overwrites reports whether an operator changes its first argument without reading
// it.
func overwrites(name string) bool {
	switch name {
	case "aten::copy_", "aten::fill_", "aten::zero_", "aten::random_", "aten::uniform_", "aten::normal_", "aten::bernoulli_",
		"aten::exponential_", "aten::_foreach_zero_", "aten::_foreach_copy_":
		return true
	}
	return false
}

// idle are operators that touch no data.
var idle = map[string]bool{
	"aten::empty": true, "aten::empty_like": true, "aten::empty_strided": true, "aten::empty_quantized": true,
	"aten::new_empty": true, "aten::new_empty_strided": true, "aten::result_type": true, "aten::item": true,
	"aten::_local_scalar_dense": true, "aten::is_nonzero": true, "aten::set_": true, "aten::resize_": true,
	"aten::record_stream": true, "aten::is_same_size": true, "aten::is_pinned": true, "aten::size": true,
	"aten::numel": true, "aten::detach_": true, "aten::requires_grad_": true, "aten::lift_fresh": true,
	"aten::resolve_conj": true, "aten::resolve_neg": true, "aten::view_as_real": true, "aten::view_as_complex": true,
	"aten::contiguous": true, "aten::reshape": true, "aten::reshape_as": true, "aten::view_as": true,
	"aten::expand_as": true, "aten::broadcast_tensors": true, "aten::unflatten_dense_tensors": true,
	"aten::_unsafe_view": true, "aten::alias": true, "aten::to": true, "aten::as_strided": true, "aten::view": true,
	"aten::is_floating_point": true, "aten::can_cast": true, "aten::_has_compatible_shallow_copy_type": true,
	"aten::set_data": true, "aten::output_nr": true, "aten::_version": true, "aten::is_leaf": true,
	"aten::retain_grad": true, "aten::swapaxes": true, "aten::sym_size": true, "aten::sym_numel": true,
	"aten::sym_stride": true, "aten::sym_storage_offset": true, "aten::stride": true, "aten::is_complex": true,
	"detach": true, "detach_": true, accumulateGrad: true,
}

// marksOf returns what a name says of a node.
func marksOf(name string, r rule) (m mark) {
	if !r.known || strings.HasPrefix(name, "c10d::") {
		m |= unruled
	}
	if r.view || idle[name] || strings.HasPrefix(name, "nccl:") || strings.HasPrefix(name, "gloo:") ||
		strings.HasPrefix(name, "autograd::engine::") {
		m |= view
	}
	if !strings.Contains(name, "::") || strings.HasPrefix(name, "torch::autograd::") || strings.HasPrefix(name, "##") {
		m |= wrapper
	}
	if strings.HasPrefix(name, "triton_") {
		m |= triton
	}
	return m
}

// expands reports whether an operator's result has more elements than memory.
func expands(name string) bool {
	rest, ok := strings.CutPrefix(name, "aten::")
	return ok && (strings.HasPrefix(rest, "expand") || strings.HasPrefix(rest, "broadcast"))
}

// dataArg reports whether an operator takes activations or a batch there.
func dataArg(name string, arg int) bool {
	switch name {
	case "aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::convolution", "aten::_convolution", "aten::cudnn_convolution",
		"aten::miopen_convolution", "aten::mkldnn_convolution", "aten::linear", "aten::mm", "aten::bmm", "aten::matmul":
		return arg == 0
	case "aten::addmm", "aten::embedding", "aten::nll_loss", "aten::nll_loss_nd", "aten::nll_loss_forward", "aten::cross_entropy_loss",
		"aten::index_select":
		return arg == 1 || name == "aten::index_select" && arg == 2
	}
	return false
}

// flops estimates the floating-point operations of an operator from the dimensions
// of its inputs and outputs; a multiply-add is two. Where nothing else is known each
// element of the result is one.
// in has three shapes or more, out two.
func flops(name string, in, out []shape) int64 {
	rest, ok := strings.CutPrefix(name, "aten::")
	if !ok {
		return product(largest(in, out))
	}
	backward := strings.HasSuffix(rest, "backward")
	switch {
	case rest == "mm":
		return matmul(&in[0], &in[1])
	case rest == "addmm", rest == "baddbmm", rest == "_addmm_activation":
		return matmul(&in[1], &in[2])
	case rest == "bmm", rest == "matmul":
		return matmul(&in[0], &in[1])
	case rest == "linear" || rest == "mkldnn_linear":
		return times(2, product(&in[0]), in[1].dim[0])
	case strings.Contains(rest, "attention") && backward:
		return attention(rest, &in[1], &in[2]) / 2 * 5
	case strings.Contains(rest, "attention"):
		return attention(rest, &in[0], &in[1])
	case strings.Contains(rest, "convolution") && backward:
		sides := int64(0) // gradients of the input and of the weight
		for i := range out[:2] {
			if product(&out[i]) > 1 {
				sides++
			}
		}
		return times(max(sides, 1), convolution(&in[0], &in[2]))
	case strings.Contains(rest, "convolution"), rest == "conv1d", rest == "conv2d", rest == "conv3d":
		return convolution(&out[0], &in[1])
	}
	return product(largest(in, out))
}

// matmul is the work of [..., m, k] times [..., k, n].
func matmul(a, b *shape) int64 {
	if b.n == 0 {
		return product(a)
	}
	return times(2, product(a), b.dim[b.n-1])
}

// convolution is the work of a result and the weight that it was made with.
func convolution(result, weight *shape) int64 {
	if weight.n < 2 || weight.dim[0] <= 0 {
		return product(result)
	}
	return times(2, product(result), product(weight)/weight.dim[0])
}

// attention is the work of the two products of queries, keys and values.
func attention(name string, q, k *shape) int64 {
	if k.n < 3 {
		return product(q)
	}
	tokens := k.dim[k.n-2] // batch, heads, tokens, width
	if strings.Contains(name, "flash_attention_") && !strings.Contains(name, "scaled") ||
		strings.Contains(name, "efficient_attention_") && !strings.Contains(name, "scaled") {
		tokens = k.dim[1] // batch, tokens, heads, width
	}
	return times(4, product(q), tokens)
}

// largest returns the dimensions with the most elements, results first.
func largest(in, out []shape) *shape {
	best, most := &out[0], product(&out[0])
	for _, list := range [2][]shape{out, in} {
		for i := range list {
			if list[i].n == 0 {
				continue
			}
			if p := product(&list[i]); p > most {
				best, most = &list[i], p
			}
		}
	}
	return best
}

// product returns the number of elements.
func product(s *shape) int64 {
	if s.n == 0 {
		return 1
	}
	return times(s.dim[:s.n]...)
}

// mostWork is where estimates of work end: 2^60 operations take an hour.
const mostWork = 1 << 60

// times multiplies, up to mostWork.
func times(factors ...int64) int64 {
	p := int64(1)
	for _, f := range factors {
		if f <= 0 {
			return 0
		}
		if p > mostWork/f {
			return mostWork
		}
		p *= f
	}
	return p
}
