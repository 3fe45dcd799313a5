package job

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spillway/sim/model"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// launch is what a kernel takes before it does anything: about what one launch after the other in a
// stream takes on current GPUs. It is a thousandth of the kernels that matter here.
const launch = 5 * unit.Microsecond

// builder is what all stages share.
type builder struct {
	spec    *Spec
	names   *names
	element unit.Bytes // of weights, gradients and activations
	zero    int64      // 0 without replicas, and where the system does that work
	micros  int64
	tokens  int64 // of a micro-batch, on one GPU
	context int64 // GPUs that share a sequence
	expert  int64 // replicas that experts are split over
	copies  int64 // GPUs with the same weights, experts aside
	all     int64 // layers, of encoder and decoder
	// Widths on one GPU.
	q, kv, v, mixed, heads, vocab int64
	plain                         int64 // of keys, what is made of the latent vector
	norms                         int64 // numbers of a norm
	clock                         timer
	scratch                       ids
}

// An embedding is the tables of a stage that looks tokens up.
type embedding struct {
	unit      *block
	table     *weight
	positions *weight
	into      *weight // widens
	norm      *weight
}

// A head is what turns the last layer's result into a loss.
type head struct {
	unit   *block
	final  *weight
	outOf  *weight // narrows
	matrix *weight
}

// mostTime is the longest that a kernel takes; no workload may have it.
const mostTime = 2 * workload.MaxTime

// roofline is a kernel's operations at the rate of large products, or its bytes at four fifths of the
// memory's rate, whichever is longer.
func (t *timer) roofline(flops int64, bytes unit.Bytes) unit.Time {
	const second = int64(unit.Second)
	longer := max(unit.MulDiv(flops, second, t.rate), unit.MulDiv(int64(bytes), second, int64(t.hbm)))
	return launch + min(unit.Time(longer), mostTime)
}

// check reports what of a spec cannot be built, and fills in a micro-batch that is left open.
func check(s *Spec) error {
	if s.Arch == nil || s.Node == nil {
		return errors.New("a job needs a model and a node")
	}
	a, l := s.Arch, &s.Layout
	if err := a.Check(); err != nil {
		return err
	}
	for _, c := range [...]struct {
		what    string
		n, most int64
	}{
		{"pipeline stages", l.Pipeline, 1024},
		{"tensor-parallel GPUs", l.Tensor, 1024},
		{"replicas", l.Data, 1024},
		{"batch", l.Batch, 1 << 20},
		{"sequence", l.Sequence, 1 << 22},
	} {
		if c.n < 1 || c.n > c.most {
			return fmt.Errorf("%s: %d; want 1 to %d", c.what, c.n, c.most)
		}
	}
	gpus, context, expert := l.GPUs(), max(l.Context, 1), max(l.Expert, 1)
	switch {
	case context > 1024 || expert > 1024 || l.Context < 0 || l.Expert < 0:
		return fmt.Errorf("%d GPUs to a sequence, experts over %d replicas; want 1 to 1024", l.Context, l.Expert)
	case context > 1 && a.Encoder > 0:
		return fmt.Errorf("%s has an encoder; sequences are shared by GPUs in decoders only", title(a))
	case context > 1 && s.HostOptimizer:
		return errors.New("where the host has the optimizer GPUs share no sequences")
	case l.Sequence%(2*context) != 0 && context > 1:
		return fmt.Errorf("a sequence of %d tokens does not divide into two pieces for each of %d GPUs", l.Sequence, context)
	case expert > 1 && a.Experts <= 1:
		return fmt.Errorf("%s has no experts to be split over GPUs", title(a))
	case expert > 1 && (s.HostOptimizer || l.ZeRO > 1):
		return errors.New("experts that are split over replicas are cut no further: by ZeRO's stage 1 at most")
	case expert > 1 && a.Experts%expert != 0:
		return fmt.Errorf("%d experts cannot be split over %d GPUs equally", a.Experts, expert)
	case expert > 1 && l.Replicas()%expert != 0:
		return fmt.Errorf("experts are split over %d replicas, and there are %d; want a number that divides them", expert, l.Replicas())
	case expert > 1 && s.Node.InNode()%(expert*l.Pipeline*l.Tensor) != 0:
		return fmt.Errorf("experts are split over %d GPUs that are %d apart, of %d in a node; they must be in one, because all-to-all over the network is not modelled", expert, l.Pipeline*l.Tensor, s.Node.InNode())
	case l.ZeRO < 0 || l.ZeRO > 3:
		return fmt.Errorf("ZeRO stage %d; want 0 to 3", l.ZeRO)
	case l.Micro < 0:
		return fmt.Errorf("a micro-batch of %d sequences; want 1 or more, or 0 to have it chosen", l.Micro)
	case l.Precision > BF16 || l.Recompute > Full:
		return fmt.Errorf("precision %d and recomputation %d are not known", l.Precision, l.Recompute)
	case gpus > 1024:
		return fmt.Errorf("the layout takes %d GPUs; at most 1024 can be simulated", gpus)
	case gpus != s.Node.GPUs:
		return fmt.Errorf("%d stages x %d tensor-parallel GPUs x %d replicas make %d GPUs, but the node has %d", l.Pipeline, l.Tensor, l.Replicas(), gpus, s.Node.GPUs)
	case l.Pipeline > a.Layers+a.Encoder:
		return fmt.Errorf("%d layers cannot make %d pipeline stages; take fewer GPUs, or cut tensors or data too", a.Layers+a.Encoder, l.Pipeline)
	case a.Heads%l.Tensor != 0:
		return fmt.Errorf("%d heads cannot be split over %d GPUs equally", a.Heads, l.Tensor)
	case a.KVHeads%l.Tensor != 0 && l.Tensor%a.KVHeads != 0:
		return fmt.Errorf("%d heads of keys and values cannot be split over, or copied to, %d GPUs equally", a.KVHeads, l.Tensor)
	case a.FFN%l.Tensor != 0 || a.DenseFFN%l.Tensor != 0 || a.Shared%l.Tensor != 0:
		return fmt.Errorf("a feed-forward block of %d cannot be split over %d GPUs equally", a.FFN, l.Tensor)
	case a.Positions > 0 && l.Sequence > a.Positions-a.PadOffset:
		return fmt.Errorf("a sequence of %d tokens is longer than the %d positions that %s learns", l.Sequence, a.Positions-a.PadOffset, title(a))
	case l.Batch%l.Data != 0:
		return fmt.Errorf("a batch of %d sequences cannot be split over %d replicas equally", l.Batch, l.Data)
	}
	if l.Micro == 0 {
		l.Micro = ChooseMicro(l.Batch/l.Data, l.Sequence)
	}
	n := &s.Node.Config
	peak := n.GPU.FP32
	if l.Precision == BF16 {
		peak = n.GPU.BF16
	}
	switch {
	case l.Batch/l.Data%l.Micro != 0:
		return fmt.Errorf("%d sequences of a replica do not divide into micro-batches of %d", l.Batch/l.Data, l.Micro)
	case l.Batch*l.Sequence > 1<<32 || l.Micro*l.Sequence > 1<<24:
		return fmt.Errorf("%d sequences of %d tokens, %d at once, are too many; want at most 2^32 tokens, 2^24 at once", l.Batch, l.Sequence, l.Micro)
	case l.Batch/l.Data/l.Micro > math.MaxInt16:
		return fmt.Errorf("%d micro-batches are too many: at most %d can be simulated; take larger ones or a smaller batch", l.Batch/l.Data/l.Micro, math.MaxInt16)
	case a.Parameters() > 1<<61/(l.Micro*l.Sequence) || l.Sequence*l.Micro > 1<<60/(l.Sequence*a.Heads*a.HeadDim):
		return fmt.Errorf("a micro-batch of %d sequences of %d tokens is too much work for one kernel; take shorter sequences or a smaller model", l.Micro, l.Sequence)
	case peak < 1e9 || peak > 4e15:
		return fmt.Errorf("a GPU of %d operations a second; want 10^9 to 4·10^15", peak)
	case n.Efficiency < 0 || n.Efficiency > 1000:
		return fmt.Errorf("an efficiency of %d thousandths; want 1 to 1000, or 0 for the law of kernel times", n.Efficiency)
	case n.Efficiency == 0 && LawOf(&n.GPU) == nil:
		return fmt.Errorf("the law of kernel times does not know the GPU %q; give an efficiency of matrix products", n.GPU.Key)
	case l.FP8 && l.Precision != BF16:
		return errors.New("products in fp8 are of training in bf16")
	case l.FP8 && !HasFP8(&n.GPU):
		return fmt.Errorf("%s multiplies no numbers of 8 bits; take bf16, or a GPU of Ada, Hopper or Blackwell", n.GPU.Title)
	case n.GPU.HBM < unit.GBps || n.GPU.HBM > 1e6*unit.GBps:
		return fmt.Errorf("GPU memory of %v; want 1 GB/s to 10^6 GB/s", n.GPU.HBM)
	}
	return nil
}

func title(a *model.Arch) string {
	if a.Title != "" {
		return a.Title
	}
	return "the model"
}

// ChooseMicro is the micro-batch of a replica's sequences that Build takes where none is given:
// the largest that divides them with at most 8192 tokens, as large as the TERAIO paper's for
// Llama-3 8B, or one sequence.
func ChooseMicro(sequences, tokens int64) int64 {
	best := int64(1)
	for m := int64(2); m <= sequences && m*tokens <= 8192; m++ {
		if sequences%m == 0 {
			best = m
		}
	}
	return best
}

func newBuilder(s *Spec) *builder {
	a, t := s.Arch, s.Tensor
	b := &builder{spec: s, element: 4, micros: s.Batch / s.Data / s.Micro, all: a.Layers + a.Encoder, context: max(s.Context, 1), expert: max(s.Expert, 1), copies: s.Replicas()}
	b.tokens = s.Micro * (s.Sequence / b.context)
	if b.copies > 1 && !s.HostOptimizer {
		b.zero = s.ZeRO
	}
	b.names = newNames(b.all)
	n := &s.Node.Config
	peak := n.GPU.FP32
	if s.Precision == BF16 {
		b.element, peak = 2, n.GPU.BF16
	}
	b.clock = newTimer(s, peak, b.element)
	b.heads = a.Heads / t
	keys := max(a.KVHeads/t, 1)
	b.q, b.kv, b.v = a.Queries()/t, keys*a.HeadDim, keys*(a.Values()/a.KVHeads)
	b.mixed, b.plain, b.vocab = a.Mixed()/t, keys*(a.HeadDim-a.RopeDim), ceil(a.Vocab, t)
	b.norms = a.Gains()
	return b
}

// latent is how wide what keys and values are made of is, with the rotated part of keys.
func (b *builder) latent() int64 { return b.spec.Arch.KeyLatent + b.spec.Arch.RopeDim }

// bounds are the layers of a stage: as even as they can be, the first stages have one more.
func bounds(layers, stages, i int64) (first, last int64) {
	each, more := layers/stages, layers%stages
	first = i*each + min(i, more)
	last = first + each
	if i < more {
		last++
	}
	return first, last
}

// Build makes the iteration. The error says what does not divide, or is too large. A Micro of 0 is
// chosen by ChooseMicro; Job.Spec has what was chosen.
//
// Names of tensors and kernels begin with their layer: "layer 3 q", "layer 3 mlp up backward".
func Build(s *Spec) (*Job, error) {
	spec := *s
	if err := check(&spec); err != nil {
		return nil, err
	}
	b := newBuilder(&spec)
	stages := make([]*stage, spec.Pipeline)
	for i := range stages {
		g, err := b.stage(int64(i))
		if err != nil {
			return nil, err
		}
		stages[i] = g
	}
	return b.assemble(stages)
}

// embedding makes the tables of a stage.
func (g *stage) embedding() *embedding {
	a := g.spec.Arch
	e := &embedding{unit: g.unit(-1)}
	e.table = g.weight(e.unit, wTable, g.vocab*a.Width())
	if a.Positions > 0 && g.index == 0 {
		e.positions = g.weight(e.unit, wPositions, a.Positions*a.Hidden)
	}
	if a.Width() != a.Hidden {
		e.into = g.weight(e.unit, wInto, a.Width()*a.Hidden)
	}
	if a.EmbedNorm {
		e.norm = g.weight(e.unit, wEmbedNorm, g.norms)
	}
	g.slices(e.unit)
	return e
}

// newHead makes the head of the last stage.
func (g *stage) newHead() *head {
	a := g.spec.Arch
	h := &head{unit: g.unit(int16(g.all))}
	if a.FinalNorm {
		h.final = g.weight(h.unit, wFinal, g.norms)
	}
	if a.Width() != a.Hidden {
		h.outOf = g.weight(h.unit, wOutOf, a.Width()*a.Hidden)
	}
	if a.Tied && g.embed != nil {
		h.matrix = g.embed.table
	} else {
		n := g.vocab * a.Width()
		if a.HeadBias {
			n += g.vocab
		}
		h.matrix = g.weight(h.unit, wHead, n)
	}
	g.slices(h.unit)
	return h
}

// stage makes the kernels of one stage.
func (b *builder) stage(index int64) (*stage, error) {
	g := &stage{builder: b, index: index, sum: -1}
	g.first, g.last = bounds(b.all, b.spec.Pipeline, index)
	encoder := b.spec.Arch.Encoder
	if index == 0 || encoder > 0 && g.first <= encoder && encoder < g.last {
		g.embed = g.embedding()
	}
	for i := g.first; i < g.last; i++ {
		g.layers = append(g.layers, g.newLayer(i))
	}
	if g.last == b.all {
		g.head = g.newHead()
	}
	m := b.micros
	g.live = make([]*passed, m)
	g.in, g.out = make([]workload.KernelID, m), make([]workload.KernelID, m)
	g.backIn, g.backOut = make([]workload.KernelID, m), make([]workload.KernelID, m)
	// 1F1B: a stage runs ahead by as many micro-batches as there are stages behind it.
	ahead := min(b.spec.Pipeline-1-index, m)
	done := int64(0)
	forward := func() {
		if done < m {
			g.forwardMicro(done)
			done++
		}
	}
	weights := len(g.tensors)
	forward()
	kernels, tensors := len(g.kernels), len(g.tensors)-weights
	for done < ahead {
		forward()
	}
	for i := range m {
		if i > 0 || ahead > 0 {
			forward()
		}
		k, t := len(g.kernels), len(g.tensors)
		g.backwardMicro(i)
		if i == 0 {
			if err := g.fits(kernels+len(g.kernels)-k, tensors+len(g.tensors)-t); err != nil {
				return nil, err
			}
		}
	}
	g.phase, g.micro = Communicate, -1
	g.accumulate()
	for i, t := range g.kept {
		g.micro, g.layer = int16(i), int16(g.last-1)
		g.moving(kRelease, plain, 0, ids{t}, nil)
	}
	g.micro = -1
	g.sumTied()
	g.optimize()
	return g, nil
}

// fits reports whether all micro-batches fit, of which each has so many kernels and tensors, and makes room
// for them.
func (g *stage) fits(kernels, tensors int) error {
	adam := 0
	for _, u := range g.units {
		if adam += 4 * len(u.weights); g.zero < 2 {
			tensors -= len(u.weights) // gradients, which later micro-batches add to
		}
	}
	if most := int64(max(kernels, tensors)) * g.micros * g.spec.Pipeline; most > workload.MaxKernels {
		return fmt.Errorf("%d micro-batches of %d kernels and %d tensors on each of %d stages are too many: at most %d can be simulated; take larger micro-batches or a smaller batch",
			g.micros, kernels, tensors, g.spec.Pipeline, workload.MaxKernels)
	}
	rest := kernels*int(g.micros) + int(g.micros) + adam + 8
	g.kernels = slices.Grow(g.kernels, max(0, rest-len(g.kernels)))
	g.marks = slices.Grow(g.marks, max(0, rest-len(g.marks)))
	g.tensors = slices.Grow(g.tensors, tensors*int(g.micros))
	return nil
}
