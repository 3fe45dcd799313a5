package kineto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// Work of operators stands for kernels in a trace that has none: of a CPU, or of a GPU that the
// profiler was not let watch. An operator whose shapes are known is one kernel, which is launched
// when it ends, behind the memory that it took; its time is left to the law of kernel times.

// A work is what an operator computes and moves.
type work struct {
	class   kerneltime.Class
	element unit.Bytes
	flops   int64
	bytes   unit.Bytes
	shape   *kerneltime.Kernel
}

// views are operators that touch no data themselves.
var views = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq("view reshape reshape_as _reshape_alias _unsafe_view view_as view_as_real view_as_complex as_strided as_strided_ t transpose permute expand expand_as " +
		"select slice narrow squeeze squeeze_ unsqueeze unsqueeze_ detach detach_ alias split split_with_sizes chunk unbind unfold diagonal flatten unflatten ravel movedim swapaxes swapdims mT numpy_T broadcast_to broadcast_tensors " +
		"empty empty_like empty_strided empty_quantized new_empty new_empty_strided resize_ set_ set_data result_type item _local_scalar_dense is_nonzero record_stream is_same_size is_pinned size stride numel " +
		"requires_grad_ retain_grad lift_fresh lift resolve_conj resolve_neg contiguous to type_as is_floating_point is_complex can_cast is_leaf output_nr _version sym_size sym_numel sym_stride sym_storage_offset " +
		"_has_compatible_shallow_copy_type equal unflatten_dense_tensors dropout feature_dropout") {
		views[name] = true
	}
}

// loads begins the annotation of what feeds a step on the host.
const loads = "enumerate(DataLoader)"

// imagine makes kernels of the operators of a trace that has none.
func (t *Trace) imagine() {
	t.numbers = make([]int32, len(t.Ops))
	for op := range t.Ops { // parents come before what is inside of them
		n := t.order[op].sequence
		if p := t.Ops[op].Parent; n < 0 && p >= 0 {
			n = t.numbers[p]
		}
		t.numbers[op] = n
	}
	begun := map[int32][2]int64{} // height and width of results, by number of the forward operator
	var rows []Kernel
	for op := 0; op < len(t.Ops); op++ {
		o := &t.Ops[op]
		if o.Kind != Operator || t.Strings[o.Name] != "aten::convolution_backward" {
			continue
		}
		if c := t.call(int32(op)); c != nil && len(c.inputs) > 2 && len(c.inputs[0].dims) == 4 {
			if s := t.numbers[op]; s >= 0 {
				begun[s] = [2]int64{c.inputs[0].dims[2], c.inputs[0].dims[3]}
			}
		}
	}
	works := t.working()
	for op := range t.Ops {
		if works[op] {
			k := Kernel{Name: t.Ops[op].Name, Op: int32(op), Start: t.Ops[op].end()}
			if collective(t.Strings[k.Name]) {
				k.Kind = recording.Communication
			}
			rows = append(rows, k)
		}
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b Kernel) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Op, b.Op)) })
	t.Kernels, t.estimated, t.begun, t.works = rows, true, begun, map[deed]*work{}
	t.launched, t.replayed = make([]unit.Time, len(rows)), make([]bool, len(rows))
	for i := range rows {
		t.launched[i] = rows[i].Start
	}
}

// working tells the operators that are kernels: products, convolutions and attentions whole, and of
// all others those with shapes inside of which none is one. What feeds a step is none.
func (t *Trace) working() []bool {
	works, hidden := make([]bool, len(t.Ops)), make([]bool, len(t.Ops))
	for op := range t.Ops { // parents come before what is inside of them
		o := &t.Ops[op]
		p := o.Parent
		hidden[op] = p >= 0 && (hidden[p] || works[p]) || strings.HasPrefix(t.Strings[o.Name], loads)
		short, _ := strings.CutPrefix(t.Strings[o.Name], "aten::")
		works[op] = !hidden[op] && o.Kind == Operator && multiplies(short) != others && t.call(int32(op)) != nil
	}
	within := make([]bool, len(t.Ops)) // there is a kernel
	for op := len(t.Ops) - 1; op >= 0; op-- {
		o := &t.Ops[op]
		if !works[op] && !hidden[op] && !within[op] && o.Kind == Operator && computes(t.Strings[o.Name]) && t.call(int32(op)) != nil {
			works[op] = true
		}
		if o.Parent >= 0 && (works[op] || within[op]) {
			within[o.Parent] = true
		}
	}
	return works
}

// computes reports whether an operator of a name may be work of its own.
func computes(name string) bool {
	space, short, ok := strings.Cut(name, "::")
	switch {
	case !ok || space == "autograd" || space == "torch" || space == "profiler":
		return false
	case space == "aten":
		return !views[short]
	}
	return true
}

// workOf is what the operator of an imagined kernel does.
func (t *Trace) workOf(op int32) *work {
	d := deed{op: t.Ops[op].Name, signature: t.order[op].signature}
	name, c := t.Strings[d.op], t.call(op)
	short := strings.TrimPrefix(name, "aten::")
	size, convolves := t.begun[t.numbers[op]], multiplies(short) == convolutions
	if w := t.works[d]; w != nil && !(convolves && size[0] > 0 && len(c.values) == 0) {
		return w
	}
	w := &work{class: recording.ClassOf(name), element: 4}
	largest, least := unit.Bytes(0), unit.Bytes(0)
	if name == short { // none of PyTorch's own
		least = c.leastMatrix()
	}
	for i := range c.inputs {
		in := &c.inputs[i]
		bytes := in.bytes
		if least > 0 && bytes > mostAlike*least {
			bytes = least
		}
		w.bytes, largest = w.bytes+bytes, max(largest, bytes)
		if i == 0 && in.item > 0 || in.item > 0 && in.item < int64(w.element) && len(in.dims) > 1 {
			w.element = unit.Bytes(in.item)
		}
	}
	made, _ := c.outputs(name, largest)
	for _, bytes := range made {
		w.bytes += bytes
	}
	if rest := w.bytes - largest; rows(short, w.class) && largest > rest {
		w.bytes = 2 * rest
	}
	w.bytes = min(w.bytes, workload.MaxTensor)
	if of := multiplies(short); of != others {
		w.shape = c.shape(short, of, w.class)
		if w.shape == nil && of == convolutions && short != "convolution_backward" && size[0] > 0 {
			w.shape = c.convolvedTo(size)
		}
		if w.shape != nil && of == convolutions {
			w.shape.Layout = kerneltime.NCHW // nobody says another
			if n := len(c.values); short == "convolution_backward" && n > 0 && strings.HasPrefix(strings.Trim(c.values[n-1], `"`), "[False") {
				w.class, w.shape.Class = kerneltime.ConvWeight, kerneltime.ConvWeight // the first layer's
			}
		}
		if w.shape == nil {
			w.flops = c.multiplications(short)
		}
	}
	t.works[d] = w
	return w
}

// mostAlike is how many times as large as the smallest matrix among its inputs one may be that an
// operator goes through whole; beyond, it is a table or a cache, of which some rows are touched.
const mostAlike = 64

// leastMatrix is the size of the smallest input with several dimensions, 0 if there is none.
func (c *call) leastMatrix() (size unit.Bytes) {
	for i := range c.inputs {
		if in := &c.inputs[i]; len(in.dims) > 1 && in.bytes > 0 && (size == 0 || in.bytes < size) {
			size = in.bytes
		}
	}
	return size
}

// rows reports whether an operator takes rows out of its largest input, or puts some there.
func rows(short string, class kerneltime.Class) bool {
	return class == kerneltime.Embedding || strings.HasPrefix(short, "index") || strings.HasPrefix(short, "_index") || strings.HasPrefix(short, "gather") || strings.HasPrefix(short, "scatter")
}

// convolvedTo is the shape of a convolution whose result has a height and width.
func (c *call) convolvedTo(size [2]int64) *kerneltime.Kernel {
	if len(c.inputs) < 2 {
		return nil
	}
	x, w := c.inputs[0].dims, c.inputs[1].dims
	if len(x) != 4 || len(w) != 4 || w[1] <= 0 || x[1]%w[1] != 0 || size[0] <= 0 {
		return nil
	}
	k := &kerneltime.Kernel{Class: kerneltime.ConvForward, Element: unit.Bytes(c.inputs[0].item)}
	k.Batch, k.C, k.H, k.W, k.K, k.R, k.S, k.Groups = x[0], x[1], x[2], x[3], w[0], w[2], w[3], x[1]/w[1]
	k.Stride = max(1, (k.H+size[0]/2)/size[0])
	k.Pad = max(0, ((size[0]-1)*k.Stride+k.R-k.H+1)/2)
	return k
}

// multiplications is how many operations products and convolutions take whose shape the law does not
// know; a product and a sum are two.
func (c *call) multiplications(short string) int64 {
	in := c.inputs
	if short == "convolution_backward" && len(in) > 2 {
		return operations(in[0].count, &in[2], 4)
	}
	if len(in) < 2 {
		return 0
	}
	if n, ok := c.convolved(); ok && multiplies(short) == convolutions {
		return operations(n, &in[1], 2)
	}
	return 0
}

// operations is how many a convolution takes for a result of so many elements.
func operations(count int64, weight *input, each int64) int64 {
	if len(weight.dims) < 2 || weight.dims[0] <= 0 {
		return 0
	}
	return unit.MulDiv(each*count, weight.count, weight.dims[0])
}

// imaginedNote says where kernels come from that nobody recorded.
func (t *Trace) imaginedNote() string {
	if t.launches > 0 {
		return fmt.Sprintf("Of %d launches no kernel was recorded, as the driver did not let CUPTI or roctracer watch: kernels are the operators, and their times are estimated. To measure them close other profilers, and allow it (NVIDIA: NVreg_RestrictProfilingToAdminUsers=0, in a container CAP_SYS_ADMIN).", t.launches)
	}
	return "Nothing of a GPU was recorded: the operators and tensors of a CPU are taken as those of a GPU, which would use other operators here and there, and run one after the other."
}
