package kineto

import (
	"math/bits"
	"slices"
	"strings"

	"spillway/sim/unit"
)

// An input is a tensor among an operator's arguments.
type input struct {
	place int     // of the argument
	list  bool    // it is one of a list of tensors
	dims  []int64 // nil for a single number
	count int64   // of elements
	item  int64   // bytes of an element, 0 if unknown
	bytes unit.Bytes
}

// A call is an operator's arguments, as far as they are known.
type call struct {
	inputs []input
	values []string // as written
}

// itemBytes has the sizes of elements. Other types are no tensor's.
var itemBytes = map[string]int64{
	"float": 4, "double": 8, "long int": 8, "long": 8, "int": 4, "short": 2, "short int": 2,
	"c10::Half": 2, "c10::BFloat16": 2, "bool": 1, "unsigned char": 1, "signed char": 1,
	"c10::complex<float>": 8, "c10::complex<double>": 16,
	"c10::Float8_e4m3fn": 1, "c10::Float8_e5m2": 1, "c10::Float8_e4m3fnuz": 1, "c10::Float8_e5m2fnuz": 1,
	"unsigned short": 2, "unsigned int": 4, "unsigned long": 8,
}

// mostInputs is how many tensors of an operator are looked at.
const mostInputs = 4096

// parseCall reads the arguments of a signature.
func parseCall(signature string) *call {
	parts := strings.SplitN(signature, "\x00", 4)
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	types := topLevel(parts[1])
	strides := topLevel(parts[2])
	c := &call{values: topLevel(parts[3])}
	for i, d := range topLevel(parts[0]) {
		kind, stride := "", ""
		if i < len(types) {
			kind = strings.Trim(types[i], `"`)
		}
		if i < len(strides) {
			stride = strides[i]
		}
		elems := topLevel(d)
		if kind != "TensorList" && (len(elems) == 0 || !strings.HasPrefix(elems[0], "[")) {
			c.add(i, false, d, stride, itemBytes[kind])
			continue
		}
		each := topLevel(stride)
		for k, e := range elems {
			if len(c.inputs) >= mostInputs {
				break
			}
			s := ""
			if k < len(each) {
				s = each[k]
			}
			c.add(i, true, e, s, itemBytes[kind])
		}
	}
	return c
}

// add appends a tensor with the given dimensions and strides, as written.
func (c *call) add(place int, list bool, dims, strides string, item int64) {
	in := input{place: place, list: list, item: item, dims: numbers(dims), count: 1}
	if in.dims == nil && len(topLevel(dims)) > 0 {
		return // no sizes of a tensor
	}
	if len(in.dims) == 0 && (item == 0 || list) {
		return // no tensor, or one whose dimensions were not recorded
	}
	if len(in.dims) > 0 && item == 0 && !list {
		return // a list of numbers
	}
	var ok bool
	if in.count, ok = product(in.dims); !ok {
		return
	}
	extent := in.count
	if s := numbers(strides); len(s) == len(in.dims) && in.count > 0 {
		extent = 1
		for i, d := range in.dims {
			hi, lo := bits.Mul64(uint64(d-1), uint64(s[i]))
			if s[i] < 0 || hi != 0 || lo > 1<<42 {
				extent = in.count
				break
			}
			extent += int64(lo)
		}
		extent = min(extent, 1<<42)
	}
	in.bytes = unit.Bytes(extent * max(item, 1))
	if item == 0 {
		in.bytes = 0
	}
	c.inputs = append(c.inputs, in)
}

// product multiplies dimensions; false where that is no size of a tensor.
func product(dims []int64) (int64, bool) {
	n := int64(1)
	for _, d := range dims {
		if d < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if hi != 0 || lo > 1<<42 {
			return 0, false
		}
		n = int64(lo)
	}
	return n, true
}

// topLevel splits an array into its elements, as written.
func topLevel(s string) (elems []string) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil
	}
	s = s[1 : len(s)-1]
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			elems = append(elems, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" || len(elems) > 0 {
		elems = append(elems, last)
	}
	return elems
}

// numbers reads an array of whole numbers; nil if it is none or empty.
func numbers(s string) []int64 {
	elems := topLevel(strings.Trim(s, `"`))
	if len(elems) == 0 || len(elems) > 64 {
		return nil
	}
	out := make([]int64, len(elems))
	for i, e := range elems {
		v, next, how := integer([]byte(e+","), 0)
		if how != whole || next != len(e) {
			return nil
		}
		out[i] = v
	}
	return out
}

// outputs returns the estimated sizes of what an operator writes anew; in place
// says that it writes its first input instead. largest is the size of the largest input that is no weight.
func (c *call) outputs(name string, largest unit.Bytes) (sizes []unit.Bytes, inPlace bool) {
	short := strings.TrimPrefix(name, "aten::")
	if inPlaceName(short) {
		return nil, true
	}
	in := c.inputs
	if len(in) == 0 {
		return nil, false
	}
	one := func(count, item int64) []unit.Bytes {
		if count <= 0 || count > 1<<42 {
			return nil
		}
		return []unit.Bytes{unit.Bytes(count * max(item, 1))}
	}
	switch {
	case strings.Contains(short, "convolution_backward") && len(in) >= 3:
		return []unit.Bytes{in[1].bytes, in[2].bytes}, false
	case strings.Contains(short, "conv") && len(in) >= 2:
		if n, ok := c.convolved(); ok {
			return one(n, in[0].item), false
		}
	case short == "mm" || short == "matmul" || short == "linear" || short == "bmm" || short == "addmm" || short == "baddbmm":
		if n, ok := c.multiplied(short); ok {
			return one(n, in[len(in)-1].item), false
		}
	case short == "embedding" && len(in) >= 2 && len(in[0].dims) == 2:
		return one(in[1].count*in[0].dims[1], in[0].item), false
	case short == "index_select" && len(in) >= 2 && len(in[0].dims) > 0 && in[0].dims[0] > 0:
		return one(in[0].count/in[0].dims[0]*in[1].count, in[0].item), false
	case short == "index" && len(in) == 2 && in[1].list && in[1].item != 1 && len(in[0].dims) > 0 &&
		in[1].count < in[0].dims[0]: // fewer than truth values would be
		return one(in[0].count/in[0].dims[0]*in[1].count, in[0].item), false
	case short == "gather" && len(in) >= 2:
		return one(in[1].count, in[0].item), false
	case short == "cat" || short == "stack" || short == "flatten_dense_tensors":
		n := int64(0)
		for _, i := range in {
			n += i.count
		}
		return one(n, max(in[0].item, 2)), false
	}
	if n, item, ok := c.broadcast(); ok {
		if comparing[short] {
			item = 1
		}
		return one(n, item), false
	}
	if largest == 0 {
		return nil, false
	}
	return []unit.Bytes{largest}, false
}

// beside returns the size of the largest of what an operator takes beside an input, or makes; 0
// where it takes nothing else.
func (c *call) beside(name string, of *input) (largest unit.Bytes) {
	for i := range c.inputs {
		if in := &c.inputs[i]; in != of && len(in.dims) > 0 {
			largest = max(largest, in.bytes, 1)
		}
	}
	if largest == 0 {
		return 0
	}
	sizes, _ := c.outputs(name, of.bytes)
	return slices.Max(append(sizes, largest))
}

// comparing has the operators whose output is of truth values.
var comparing = map[string]bool{"eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true, "isnan": true, "isinf": true, "logical_not": true, "logical_and": true, "logical_or": true}

// inPlaceName reports whether an operator writes its first input.
func inPlaceName(short string) bool {
	return strings.HasSuffix(short, "_") && !strings.HasSuffix(short, "__")
}

// multiplied returns the number of elements of a product of matrices.
func (c *call) multiplied(short string) (int64, bool) {
	in := c.inputs
	if short == "addmm" || short == "baddbmm" {
		in = in[min(1, len(in)):]
	}
	if len(in) < 2 || len(in[0].dims) == 0 || len(in[1].dims) == 0 {
		return 0, false
	}
	a, b := in[0].dims, in[1].dims
	if a[len(a)-1] == 0 {
		return 0, false
	}
	rows := in[0].count / a[len(a)-1]
	columns := b[len(b)-1]
	switch {
	case short == "linear":
		columns = b[0]
	case len(b) == 1:
		columns = 1
	}
	return product([]int64{rows, columns})
}

// convolved returns the number of elements that a convolution writes.
func (c *call) convolved() (int64, bool) {
	x, w := c.inputs[0].dims, c.inputs[1].dims
	if len(x) < 3 || len(w) != len(x) || len(c.values) < 6 {
		return 0, false
	}
	stride, padding, dilation := numbers(c.values[3]), numbers(c.values[4]), numbers(c.values[5])
	if len(c.values) > 6 && strings.Contains(c.values[6], "True") {
		return 0, false // transposed
	}
	dims := []int64{x[0], w[0]}
	pick := func(list []int64, i int, otherwise int64) int64 {
		switch {
		case i < len(list):
			return list[i]
		case len(list) == 1:
			return list[0]
		}
		return otherwise
	}
	for i := range len(x) - 2 {
		s, p, d := pick(stride, i, 1), pick(padding, i, 0), pick(dilation, i, 1)
		if s <= 0 || p < 0 || p > 1<<20 || d <= 0 || d > 1<<20 || w[i+2] > 1<<20 {
			return 0, false
		}
		n := (x[i+2]+2*p-d*(w[i+2]-1)-1)/s + 1
		if n <= 0 {
			return 0, false
		}
		dims = append(dims, n)
	}
	return product(dims)
}

// broadcast returns the elements of what inputs of fitting dimensions give
// together, and the bytes of the largest element.
func (c *call) broadcast() (count, item int64, ok bool) {
	var dims []int64
	for _, in := range c.inputs {
		if in.list {
			return 0, 0, false
		}
		item = max(item, in.item)
		if len(in.dims) > len(dims) {
			grown := make([]int64, len(in.dims))
			for i := range grown {
				grown[i] = 1
			}
			copy(grown[len(in.dims)-len(dims):], dims)
			dims = grown
		}
		for i, d := range in.dims {
			at := &dims[len(dims)-len(in.dims)+i]
			if *at == 1 {
				*at = d
			} else if d != 1 && d != *at {
				return 0, 0, false
			}
		}
	}
	count, ok = product(dims)
	return count, item, ok && count > 0
}

// smallest returns the size of the smallest input that is no number.
func (c *call) smallest() (size unit.Bytes) {
	for _, in := range c.inputs {
		if len(in.dims) > 0 && in.bytes > 0 && (size == 0 || in.bytes < size) {
			size = in.bytes
		}
	}
	return size
}
