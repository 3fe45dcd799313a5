// Package recipe says what fine-tuning takes: memory of a GPU by parts and at its two worst moments, and
// the time of a step, by closed formulas. Nothing is simulated and nothing moves but by the rules of a
// recipe: a job fits, or it does not.
//
// # Memory
//
// A step has two moments at which a GPU is fullest. When the backward pass begins, weights, states of
// the optimizer and all activations are there, and no gradients. When it ends, there are weights, states
// and gradients, and what one layer needs. The peak is the larger of the two; to add everything is 20 to
// 40 % too much where activations are kept.
//
// # Time
//
// Products, attention and what only moves by the law of kernel times (package pretrain); then what
// weights in four bits take to unpack, the optimizer, and what computing does not hide of what moves.
//
// # Source
//
// Formulas: published rows of torchtune, TorchTitan and PEFT, to which their constants were fitted; rows
// of an H200 of our own were held out, but for one number (VALIDATION.md).
package recipe

import (
	"errors"
	"fmt"
	"math/bits"

	"spillway/sim/kerneltime"
	"spillway/sim/llm/pretrain"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// A Method is what is trained.
type Method uint8

// The methods.
const (
	Full  Method = iota // all weights
	LoRA                // products of low rank beside frozen matrices: Hu et al. 2021
	QLoRA               // the same, frozen matrices of layers in four bits (NF4, double quantization): Dettmers et al. 2023
)

// Targets are the matrices of a layer that adapters stand beside.
type Targets uint8

// The targets.
const (
	QueryValue Targets = iota // of latent attention the matrices behind both latent vectors
	Attention                 // query, key, value and output
	Linear                    // these and the feed-forward block
	FeedForward
)

// An Optimizer is what keeps states of what is trained.
type Optimizer uint8

// The optimizers.
const (
	AdamWFP32 Optimizer = iota // two moments of 4 bytes
	AdamWBF16                  // two of 2
	AdamW8                     // two of 1, and a scale for each 256
	Paged8                     // the same in host memory that pages in
	Paged32                    // two of 4 in host memory that pages in
	SGD                        // none
)

// A Loss is how the logits are computed.
type Loss uint8

// The losses.
const (
	Whole   Loss = iota // logits of all tokens, and again in fp32
	Chunked             // logits of all tokens in 16 bit; in fp32 an eighth at a time
	Fused               // an eighth of the logits at a time
)

// A Share is what GPUs have in common.
type Share uint8

// The shares.
const (
	Alone      Share = iota // one GPU
	Replicated              // each has everything: distributed data parallelism
	Sharded                 // each has its part of all states: FSDP, ZeRO-3
	Offloaded               // the same, states in host memory
)

// A Choice is a recipe, but for what other systems know as well: recomputation, and how long sequences are.
type Choice struct {
	Method    Method
	Rank      int64 // of adapters
	Targets   Targets
	Optimizer Optimizer
	// InBackward: each matrix is updated as soon as its gradient is there, which is not kept.
	InBackward bool
	Loss       Loss
	Compile    bool
	// ActivationOffload: what layers keep for the backward pass goes to host memory.
	ActivationOffload bool
	// FP32: weights and gradients have 4 bytes and are cast, else 2.
	FP32       bool
	Accumulate int64 // micro-batches of a step
}

// Standard is what all systems do: all weights are trained by Adam with moments in 4 bytes.
func Standard() Choice { return Choice{Rank: 16, Targets: Linear, Accumulate: 1} }

// Plain says that a recipe trains what every system trains; how it computes may differ.
func (c Choice) Plain() bool {
	x := Standard()
	x.Rank, x.Targets, x.Compile, x.FP32, x.Accumulate = c.Rank, c.Targets, c.Compile, c.FP32, c.Accumulate
	return c == x
}

// A Job is one model, trained by one recipe on GPUs of one kind.
type Job struct {
	Arch *model.Arch
	GPU  *kerneltime.GPU
	GPUs int64
	// Link is what a GPU moves from and to host memory, Collective at which rate it gathers and reduces.
	Link, Collective unit.Bandwidth
	// Step is how much longer a collective takes, not hidden, for each time that bytes are passed on.
	Step unit.Time
	// Memory is a GPU's, Host the host's.
	Memory, Host unit.Bytes
	// Adam is how many parameters a second the host updates with weights, gradients and both moments in 4 bytes.
	Adam int64

	Choice
	// FP8: products of layers in 8 bits; weights, gradients and what layers keep as without.
	FP8       bool
	Recompute pretrain.Recompute
	Share     Share

	// Scale is what of their time kernels take, in percent; 0 is 100.
	Scale int64

	// Micro are sequences of a micro-batch of one GPU, or of the Context GPUs that share each; Context 0 is 1.
	Micro, Sequence, Context int64
}

// A Memory is what a GPU holds.
type Memory struct {
	Weights, Gradients, States unit.Bytes
	// Activations are those of all layers, Logits those of the loss, Gathered the layers of other GPUs
	// that are here for their kernels, Layer what one layer's backward pass needs.
	Activations, Logits, Gathered, Layer unit.Bytes
	// Begins and Ends are the sums when the backward pass begins and when it ends; Peak is the larger.
	Begins, Ends, Peak unit.Bytes
	// Host is what host memory holds, of all GPUs; Kept what of it are a GPU's activations, Paged its states.
	Host, Kept, Paged unit.Bytes
}

// A Step is how long a step takes and what of.
type Step struct {
	// Host is what the processor that starts kernels makes a step longer than its kernels are.
	Products, Attention, Moving, Host, Unpack, Optimizer, Communication, Paging unit.Time
	// ToHost and FromHost are what each GPU moves to host memory and back, Sent what it sends to the next GPU.
	ToHost, FromHost, Sent unit.Bytes
	Time                   unit.Time
	// Milli is thousandths of a token a second, of all GPUs.
	Milli int64
}

// Band is how far from an estimated speed eight of ten measurements are at most, in percent: of an H200's
// recipes, to which nothing was fitted (VALIDATION.md).
const Band = 30

// most is the largest of anything counted.
const most = 1 << 20

// Check says what of a job makes no sense.
func (j *Job) Check() error {
	switch {
	case j.Arch == nil || j.GPU == nil:
		return errors.New("a job needs a model and a GPU that the law of kernel times knows")
	case j.Arch.Encoder > 0:
		return fmt.Errorf("%s has an encoder; recipes are of decoders", j.Arch.Title)
	case j.Method != Full && (j.Rank < 1 || j.Rank > j.Arch.Hidden):
		return fmt.Errorf("adapters of rank %d; want 1 to %d", j.Rank, j.Arch.Hidden)
	case j.Method != Full && j.Targets != QueryValue && j.Targets != Attention && j.Arch.Experts > 0:
		return fmt.Errorf("adapters beside the experts of %s are not modelled; set targets to qv or attention", j.Arch.Title)
	case j.InBackward && j.Accumulate > 1:
		return errors.New("an update in the backward pass keeps no gradients, so micro-batches cannot be accumulated; set accumulate to 1 or optimizer_in_backward to 0")
	case j.InBackward && j.Share != Alone:
		return errors.New("an update in the backward pass is for one GPU; set optimizer_in_backward to 0")
	case j.Method == QLoRA && j.FP32:
		return errors.New("frozen weights of QLoRA have four bits; set state to bf16")
	case j.FP8 && j.GPU.FP8 == 0:
		return fmt.Errorf("%s multiplies no numbers of 8 bits; set precision to bf16", j.GPU.Name)
	case j.FP8 && j.Method == QLoRA:
		return errors.New("weights of four bits are unpacked to bf16, so there are no products in fp8; set precision to bf16")
	case j.Share == Alone && j.GPUs > 1:
		return fmt.Errorf("one GPU trains alone, there are %d; set gpus to 1, or take ddp or fsdp", j.GPUs)
	case j.Context > 1 && j.GPUs%j.Context != 0:
		return fmt.Errorf("%d GPUs to a sequence do not divide %d; set context to a number that does", j.Context, j.GPUs)
	case j.Context > 1 && j.Sequence%(2*j.Context) != 0:
		return fmt.Errorf("a sequence of %d tokens does not divide into two pieces for each of %d GPUs; set sequence to a multiple of %d", j.Sequence, j.Context, 2*j.Context)
	}
	for _, x := range [...]struct {
		what string
		n    int64
	}{{"GPUs", j.GPUs}, {"sequences of a micro-batch", j.Micro}, {"tokens of a sequence", j.Sequence}, {"micro-batches of a step", j.Accumulate}} {
		if x.n < 1 || x.n > most {
			return fmt.Errorf("%s: %d; want 1 to %d", x.what, x.n, most)
		}
	}
	if j.Micro*j.Sequence > 1<<24 {
		return fmt.Errorf("a micro-batch of %d tokens; want at most %d", j.Micro*j.Sequence, 1<<24)
	}
	return nil
}

// widest is how wide the feed-forward blocks are that a token passes in a layer, where that is most.
func (j *Job) widest() (most int64) {
	for _, f := range j.Arch.Feeds() {
		most = max(most, f.Width*f.Active+f.Shared)
	}
	return most
}

// Trained is how many parameters are trained.
func (j *Job) Trained() int64 {
	if j.Method == Full {
		return j.Arch.Parameters()
	}
	a := j.Arch
	var sides int64 // in + out of the matrices with adapters
	queryValue := (a.Hidden + a.Queries()) + (a.Hidden + a.Keys())
	attention := 2 * queryValue
	if a.KeyLatent > 0 { // the matrices behind the latent vectors, and those that make them and the output
		query, others := a.Hidden+a.Queries(), a.Hidden+a.KeyLatent+a.RopeDim+a.Mixed()+a.Hidden
		if a.QueryLatent > 0 {
			query, others = a.QueryLatent+a.Queries(), others+a.Hidden+a.QueryLatent
		}
		queryValue = query + a.KeyLatent + a.Unrotated() + a.Values()
		attention = queryValue + others
	}
	block := a.Hidden + a.FFN
	feed := 2 * block
	if a.Gated {
		feed = 3 * block
	}
	switch j.Targets {
	case QueryValue:
		sides = queryValue
	case Attention:
		sides = attention
	case Linear:
		sides = attention + feed
	case FeedForward:
		sides = feed
	}
	return a.Layers * j.Rank * sides
}

// width is how many bytes a weight or a gradient has.
func (j *Job) width() unit.Bytes {
	if j.FP32 {
		return 4
	}
	return 2
}

// shared is a GPU's part of what GPUs share.
func (j *Job) shared(n unit.Bytes) unit.Bytes {
	if j.Share == Sharded || j.Share == Offloaded {
		return (n + unit.Bytes(j.GPUs) - 1) / unit.Bytes(j.GPUs)
	}
	return n
}

// weights are all weights' bytes.
func (j *Job) weights() unit.Bytes {
	all, lin, trained := unit.Bytes(j.Arch.Parameters()), unit.Bytes(j.Arch.Linear()), unit.Bytes(j.Trained())
	switch j.Method {
	case LoRA:
		return j.width() * (all + trained)
	case QLoRA: // half a byte; a byte for each 64, and 4 bytes for each 256 of these
		return lin/2 + lin/64 + 4*lin/(64*256) + 2*(all-lin) + 2*trained
	}
	return j.width() * all
}

// states are the optimizer's bytes, wherever they are.
func (j *Job) states() unit.Bytes {
	n := unit.Bytes(j.Trained())
	switch j.Optimizer {
	case AdamWBF16:
		return 4 * n
	case AdamW8, Paged8:
		return 2*n + 2*n/64 // 4 bytes for each 256 of both moments
	case SGD:
		return 0
	}
	return 8 * n
}

// paged says that states may be in host memory.
func (j *Job) paged() bool { return j.Optimizer == Paged8 || j.Optimizer == Paged32 }

// kept is how many elements of 2 bytes a token and layer keep for the backward pass.
func (j *Job) kept() int64 {
	a := j.Arch
	h, kv, f := a.Hidden, a.Keys(), j.widest()
	n := a.Queries() + a.Mixed() - 2*a.Hidden // two of the h below where they are as wide
	n += a.KeyLatent + a.QueryLatent
	if a.HeadNorms != model.NoHeadNorm {
		n += a.Queries() + kv
	}
	switch {
	case a.Norm == model.LayerNorm || !a.Gated:
		// A layer norm, with biases or, as of nets without a gate, without: one kernel, which keeps what goes in, and neither
		// copies in fp32 nor the normalized value.
		n += 6*h + 2*kv
	case j.Compile:
		n += 7*h + 3*kv
	default:
		n += 12*h + 2*kv
	}
	switch {
	case !a.Gated: // what goes into the activation, and what comes out
		n += 2 * f
	case j.Compile:
		n += 3 * f
	default:
		n += 4 * f
	}
	if j.Method != Full && j.Targets != Linear && j.Targets != FeedForward {
		n -= h + f // inputs of frozen matrices are not needed
	}
	return n
}

// Sequences is how many an iteration trains: of all GPUs, and all micro-batches of a step.
func (j *Job) Sequences() int64 { return j.Micro * j.Accumulate * (j.GPUs / max(j.Context, 1)) }

// tokens are those of a GPU in a micro-batch.
func (j *Job) tokens() int64 { return j.Micro * (j.Sequence / max(j.Context, 1)) }

// passed is how many bytes keys and values of a layer are that GPUs pass on which share a sequence; 0 where none do.
func (j *Job) passed() unit.Bytes {
	if j.Context <= 1 {
		return 0
	}
	return 2 * unit.Bytes(j.tokens()*(j.Arch.Keys()+j.Arch.Values()))
}

// ring is what a micro-batch waits for keys and values that are passed on around the GPUs that share its sequences, and
// for their gradients, as far as attention to the block before does not hide them.
func (j *Job) ring(p *pretrain.Job, steps unit.Time) unit.Time {
	if j.Context <= 1 {
		return 0
	}
	others := j.Context - 1
	forward, backward := p.Other()
	came, went := j.Collective.Time(j.passed())+steps, j.Collective.Time(2*j.passed())+2*steps
	rounds := int64(1)
	if j.Recompute != pretrain.Nothing {
		rounds = 2
	}
	return times(j.Arch.Layers, times(rounds*others, max(0, came-forward))+times(others, max(0, went-backward))+came) // gradients go home last
}

// Needs is what a GPU holds.
func (j *Job) Needs() Memory {
	a := j.Arch
	tokens := unit.Bytes(j.tokens())
	var m Memory
	weights, states := j.weights(), j.states()
	gradients := j.width() * unit.Bytes(j.Trained())
	m.Weights, m.States, m.Gradients = j.shared(weights), j.shared(states), j.shared(gradients)
	if j.Accumulate > 1 && j.Share == Replicated {
		m.Gradients = gradients
	}
	matrix := max(unit.Bytes(a.Vocab*a.Width()), unit.Bytes(a.Hidden*a.FFN))
	if j.Method != Full {
		matrix = unit.Bytes(j.Rank * max(a.Hidden, a.FFN))
	}
	if j.InBackward {
		m.Gradients = j.width() * matrix
	}
	layer := unit.Bytes(j.Arch.Linear() / max(a.Layers, 1))
	if j.Share == Sharded || j.Share == Offloaded {
		m.Gathered = 2 * (2*layer + unit.Bytes(a.Vocab*a.Width())) // two layers and the embedding or the head, in 2 bytes
		if j.Method == Full {
			m.Gathered += 2 * layer // the gradient of one
		}
		if j.Method == QLoRA {
			m.Gathered = layer + 2*unit.Bytes(a.Vocab*a.Width())
		}
	} else if j.FP32 && j.Method == Full {
		m.Gathered = 2 * (unit.Bytes(j.Arch.Linear()) + unit.Bytes(a.Vocab*a.Width())) // autocast keeps its copies until the step ends
	} else if j.Method == QLoRA {
		m.Gathered = 2 * unit.Bytes(a.Hidden*a.FFN) // one matrix unpacked
	}
	one := 2 * unit.Bytes(j.kept()) * tokens
	boundary := 2 * unit.Bytes(a.Hidden) * tokens
	switch {
	case j.Recompute == pretrain.Full:
		m.Activations, m.Layer = unit.Bytes(a.Layers)*boundary, one
	case j.Recompute == pretrain.Selective: // of every second product and attention the results
		m.Activations, m.Layer = unit.Bytes(a.Layers)*(one/2), one
	default:
		m.Activations, m.Layer = unit.Bytes(a.Layers)*one, one
	}
	if j.ActivationOffload {
		all := m.Activations
		m.Activations = min(all, 2*all/unit.Bytes(max(a.Layers, 1)))
		m.Kept = all - m.Activations
		m.Host += unit.Bytes(j.GPUs) * m.Kept
	}
	passed := j.passed()
	m.Layer += 4 * passed // of others, in use and coming, with gradients
	v := unit.Bytes(a.Vocab) * tokens
	switch j.Loss {
	case Chunked:
		m.Logits = 2*v + 4*v/8
	case Fused:
		m.Logits = 12 * v / 8
	default:
		m.Logits = 10 * v
	}
	if j.Method == Full { // the head's gradient is the first
		m.Logits += 2 * unit.Bytes(a.Vocab*a.Width())
	}
	if j.paged() {
		free := max(0, j.Memory-m.Weights-m.Gradients-m.Activations-m.Layer-m.Logits)
		m.Paged = max(0, m.States-free)
		m.Host += unit.Bytes(j.GPUs) * m.Paged
		m.States = 0
	}
	if j.Share == Offloaded {
		m.Host += weights + gradients + states
		m.Weights, m.States, m.Gradients = 0, 0, 0
	}
	m.Begins = m.Weights + m.States + m.Gathered + m.Activations + m.Logits
	if j.Accumulate > 1 { // those of the micro-batches before
		m.Begins += m.Gradients
	}
	m.Ends = m.Weights + m.States + m.Gathered + m.Gradients + m.Layer
	if j.Recompute != pretrain.Nothing { // the last layer is computed again while gradients of the head are there
		m.Begins = max(m.Begins, m.Weights+m.States+m.Gathered+m.Activations+m.Layer)
	}
	m.Peak = max(m.Begins, m.Ends)
	return m
}

// unpacked is how many weights of four bits a GPU unpacks in a second: fitted to torchtune's rows of QLoRA on a
// 4090 and an A100, by memory bandwidth elsewhere.
func (j *Job) unpacked() int64 {
	switch j.GPU.Family {
	case kerneltime.Ada:
		return 57e9
	}
	return int64(j.GPU.Bandwidth) / 13
}

// pages is at what rate states page in and out, each way: a compromise between two published rows, 16 and 7 GB/s.
const pages = 10 * unit.GBps

// Time is how long a step takes. Needs says whether it fits.
func (j *Job) Time() (Step, error) {
	if err := j.Check(); err != nil {
		return Step{}, err
	}
	p := pretrain.Job{
		Arch: j.Arch, GPU: j.GPU, GPUs: j.GPUs, Batch: j.Micro, Sequence: j.Sequence, Accumulate: j.Accumulate,
		Recompute: j.Recompute, Context: j.Context, Compiled: true, Precision: kerneltime.BF16, Frozen: j.Method != Full, Fused: j.Loss == Chunked,
	}
	if j.FP8 {
		p.Precision = kerneltime.FP8
	}
	c, err := p.Computing()
	if err != nil {
		return Step{}, err
	}
	if j.GPUs == 1 {
		c.Attention /= alone
	}
	if j.Loss == Fused { // the logits are not kept
		c.Products += again(&p)
	}
	n := j.Accumulate
	s := Step{Products: times(n, c.Products), Attention: times(n, c.Attention), Moving: times(n, c.Moving)}
	passes := int64(2)
	if j.Recompute == pretrain.Full {
		passes = 3
	}
	parameters := j.Arch.Parameters()
	if j.Method != Full {
		s.Moving += times(n, j.adapters(passes))
	}
	if !j.Compile {
		whole := s.Products
		if j.Method != Full { // pieces that kernels come in are those of all passes
			whole += s.Products / unit.Time(passes)
		}
		s.Moving += (whole + s.Attention + s.Moving) / 100 * eager
	}
	if j.Scale > 0 {
		for _, t := range []*unit.Time{&s.Products, &s.Attention, &s.Moving} {
			*t = unit.Time(unit.MulDiv(int64(*t), j.Scale, 100))
		}
	}
	s.Host = max(0, times(n, j.started(passes))-s.Products-s.Attention-s.Moving)
	if j.Method == QLoRA {
		s.Unpack = times(n*passes, unit.Time(unit.MulDiv(j.Arch.Linear(), int64(unit.Second), max(j.unpacked(), 1))))
	}
	moves := func(b unit.Bytes) unit.Time {
		return kerneltime.Time(j.GPU, moving, &kerneltime.Kernel{Class: kerneltime.Optimizer, Bytes: b}).Time
	}
	if j.FP32 {
		s.Moving += times(n, moves(6*unit.Bytes(parameters))) // weights to 16 bit
	}
	own := j.shared(j.states())
	update := 2*own + 3*j.shared(j.width()*unit.Bytes(j.Trained())) // states read and written, weights too, gradients read
	if j.Share == Offloaded {
		s.Optimizer = unit.Time(unit.MulDiv(unit.MulDiv(j.Trained(), j.updated(), inFull), int64(unit.Second), max(j.Adam, 1)))
	} else {
		s.Optimizer = moves(update)
	}
	computing := s.Products + s.Attention + s.Moving + s.Host
	needs := j.Needs()
	if s.FromHost = needs.Paged; s.FromHost > 0 {
		s.Paging = min(pages, j.Link).Time(s.FromHost)
	}
	// Activations leave in the forward pass, and come in what follows it. So Qwen3 8B with LoRA and 8192 tokens takes 1.65 to 1.85
	// times as long with all that is saved in host memory as with checkpoints on an H100, 1.5 on an A100. One measurement says 1.85
	// (axolotl, pull request 3776), of a GPU that it does not name: an agreement if it is an H100, and no proof.
	if kept := unit.Bytes(n) * needs.Kept; kept > 0 {
		took, forward := j.Link.Time(kept), computing/unit.Time(passes)
		s.Paging += max(0, took-forward) + max(0, took-(computing-forward))
		s.FromHost += kept
	}
	s.ToHost = s.FromHost
	gathered := 2 * unit.Bytes(parameters)
	if j.Method == QLoRA {
		gathered = j.weights()
	}
	reduced := unit.Bytes(0)
	if j.Method == Full {
		reduced = 2 * unit.Bytes(parameters)
	}
	switch {
	case j.Share == Replicated && j.GPUs > 1:
		summed := 2 * j.width() * unit.Bytes(j.Trained())
		s.Sent = summed / unit.Bytes(j.GPUs) * unit.Bytes(j.GPUs-1)
		s.Communication = max(0, j.Collective.Time(summed)-computing/3) + times(2*int64(bits.Len64(uint64(j.GPUs-1)))*int64(1+summed/(2*bucket)), j.Step)
	case (j.Share == Sharded || j.Share == Offloaded) && j.GPUs > 1:
		moved := unit.Bytes(n) * (unit.Bytes(passes)*gathered + reduced)
		s.Sent = moved / unit.Bytes(j.GPUs) * unit.Bytes(j.GPUs-1)
		collectives := passes
		if j.Method == Full {
			collectives++
		}
		s.Communication = max(0, j.Collective.Time(moved)-computing/5*4) + times(n*collectives*j.Arch.Layers*(j.GPUs-1), j.Step)
	}
	s.Communication += times(n, j.ring(&p, j.Step))
	if j.Share == Offloaded {
		weights := unit.Bytes(n) * unit.Bytes(passes) * j.weights() / unit.Bytes(j.GPUs)
		gradients := j.width() * unit.Bytes(j.Trained()) / unit.Bytes(j.GPUs)
		s.FromHost, s.ToHost = s.FromHost+weights, s.ToHost+gradients
		s.Paging += max(0, j.Link.Time(weights+gradients)-computing/5*4)
	}
	s.Time = computing + s.Unpack + s.Optimizer + s.Communication + s.Paging
	if moved := max(s.FromHost, s.ToHost); moved > 0 { // each part hides by itself, and all share the link
		least := max(s.Time, j.Link.Time(moved))
		s.Paging, s.Time = s.Paging+least-s.Time, least
	}
	s.Milli = unit.MulDiv(j.tokens()*n*j.GPUs, 1000*int64(unit.Second), max(int64(s.Time), 1))
	return s, nil
}

// inFull is how many bytes of a parameter Adam passes over: weight and both moments read and written, the gradient read,
// each of 4 bytes.
const inFull = 28

// updated is the same of a host that updates by this recipe: its memory is what an update takes. States of a byte are made
// wider first, so they gain nothing; nor do moments of 4 bytes beside weights of 2, which systems that run event by event
// update as fast as the rest.
func (j *Job) updated() int64 {
	switch j.Optimizer {
	case AdamWBF16:
		return 4*2 + 3*int64(j.width())
	case SGD:
		return 3 * int64(j.width())
	}
	return inFull
}

// bucket is what DDP sums at a time, up and down a tree: PyTorch's default.
const bucket = 25 * unit.MiB

// eager is how much longer all computing takes without torch.compile, in percent: torchtune's pair of rows
// on an A100 says 27, TorchTitan's two on H100 16 and 16.
const eager = 22

// adapters is what the products of low rank take in a micro-batch: they are narrow, so what they move
// decides. Each pass reads what goes into a matrix and writes what comes out of it once more.
func (j *Job) adapters(passes int64) unit.Time {
	moved := 2 * unit.Bytes(j.tokens()) * unit.Bytes(j.Trained()/j.Rank)
	return times(passes+1, kerneltime.Time(j.GPU, moving, &kerneltime.Kernel{Class: kerneltime.Elementwise, Bytes: moved}).Time)
}

// operators is how many operators Python calls in a layer of Llama: seven products, two norms of four, two
// rotations of four, attention, activation, product, two sums and two copies of keys and values. Compiled,
// a quarter of it.
const operators = 28

// checkpoint is what the processor takes for a layer that is computed again, besides starting its kernels: states of random
// numbers are kept and brought back. From one row of the H200's, Llama 3.2 1B with 512 tokens, which nothing else decides.
const checkpoint = 5400 * unit.Microsecond

// started is what the processor takes to start the kernels of a micro-batch, by what the law of kernel
// times assumes of one.
func (j *Job) started(passes int64) unit.Time {
	n := int64(operators)
	if j.Method != Full {
		n += 4 * map[Targets]int64{QueryValue: 2, Attention: 4, Linear: 7, FeedForward: 3}[j.Targets]
	}
	if j.Compile {
		n /= 4
	}
	today := kerneltime.Today
	layer := times(n, unit.Time(passes-1)*today.Forward+today.Backward)
	if j.Recompute == pretrain.Full {
		again := checkpoint
		if j.Compile {
			again /= 4
		}
		layer += again
	}
	return times(j.Arch.Layers, layer)
}

// moving is what kernels run on that move bytes.
var moving = kerneltime.Policy{Precision: kerneltime.BF16, Setting: kerneltime.Training}

// times is n times t.
func times(n int64, t unit.Time) unit.Time { return unit.Time(unit.MulDiv(n, int64(t), 1)) }

// alone is how many times as fast attention is on one GPU as the law of kernel times has it in training: that is of
// llm-foundry's table. Fitted to torchtune's rows on an A100; of the H200's, which it was not, the two with
// the longest sequences were 39 and 24 % too slow without it, and are 12 and 8.
const alone = 2

// again is the product with the vocabulary once more.
func again(p *pretrain.Job) unit.Time {
	k := kerneltime.Kernel{Class: kerneltime.Product, M: p.Batch * p.Sequence / max(p.Context, 1), N: p.Arch.Vocab, K: p.Arch.Width()}
	return kerneltime.Time(p.GPU, kerneltime.Policy{Precision: p.Precision, Setting: kerneltime.Training}, &k).Time
}
