// Package networks lowers networks, by the names that torchvision, timm and Hugging Face
// give them, to the kernels that PyTorch launches: forward, backward and the optimizer's
// step, in the precisions and layouts that people train with, and with what autograd saves.
//
// A network is one small description, which writes its forward pass on a tape; the tape
// knows how operators are undone, what autocast does to types, and which kernel of the
// law of package kerneltime each of them is.
//
// Departures from PyTorch:
//
//  1. Workspaces of convolutions and reductions are left out.
//  2. Stochastic depth, label smoothing, moving averages of weights and gradient clipping
//     are left out.
//  3. An optimizer's kernels are one for each parameter or group of them, as long as all.
//  4. Batch normalization's counters are left out.
//  5. Inputs come at the speed of the GPU's memory.
//  6. Under autocast the copies of weights live from their first use in a micro-batch to
//     their last in its backward pass.
//  7. The lists of PyTorch 1.8 keep residuals and what norms save in 16 bits under autocast, as
//     NVIDIA's examples do, whose norms are fused. Those of PyTorch 2 follow its rules of types,
//     which peaks of memory on an H100 bear out. The law's constants were fitted to lists without
//     these casts, so they get a share of the time and add none: if they added theirs, Vision
//     Transformers in AMP would be 8 to 13 % slower on GeForce cards, and farther from measurements.
//  8. Autocast keeps its copies of weights in inference, too, which this package drops behind their
//     last use. With 32 bits PyTorch's attention is one kernel that keeps no scores; here it is
//     operator by operator.
package networks

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Options say how a network is run.
type Options struct {
	Batch int64 // samples of an iteration, all micro-batches together
	// Side is the height and width of images, Sequence the length in tokens; 0 is the
	// network's usual one.
	Side, Sequence int64
	Precision      kerneltime.Precision
	Layout         kerneltime.Layout
	Inference      bool
	// PyTorch is 1 for the lists of version 1.8 (bias added afterwards, gradients cleared
	// and added to, an optimizer of many kernels a parameter), 2 for those of today.
	PyTorch int
	// Attention is fused only in 16 bits.
	Attention kerneltime.Attention
	// Accumulate is over how many micro-batches gradients are added up; 0 is 1.
	Accumulate int64
	// Checkpoint computes the activations of a block again before its backward pass.
	Checkpoint bool
	// Compile joins pointwise kernels that follow each other, as torch.compile does.
	Compile bool
	// Optimizer is "sgd", "momentum" or "adam", or "none", which stops behind the gradients; empty is
	// the network's usual one.
	Optimizer string
}

// A Lowered is a network as kernels.
type Lowered struct {
	Network *Network
	Options Options // with what was left open filled in
	// Workload has the kernels without times, and their tensors.
	Workload *workload.Workload
	Step     kerneltime.Step // the same kernels as the law knows them
	// Fitted is the step as lists have it that the law's constants were fitted to, whose time it
	// takes: under autocast they lack casts; see departure 7.
	Fitted kerneltime.Step
	Policy kerneltime.Policy
	// Parameters is how many numbers training changes.
	Parameters int64
}

// Ends of settings. They keep tensors below [workload.MaxTensor]; of a batch of images and
// of tokens there is a limit besides.
const (
	MaxBatch      = 1 << 16
	MinSide       = 32
	MaxSide       = 2048
	MinSequence   = 16
	MaxSequence   = 1 << 17
	MaxAccumulate = 256

	maxTokens = 1 << 22
	maxPixels = 1 << 33
)

// resolve fills in what was left open and says what does not fit together.
func (n *Network) resolve(o Options) (Options, error) {
	if o.PyTorch == 0 {
		o.PyTorch = 2
	}
	if o.Accumulate == 0 {
		o.Accumulate = 1
	}
	if o.Side == 0 {
		o.Side = n.Side
	}
	if o.Sequence == 0 {
		o.Sequence = n.Sequence
	}
	if o.Optimizer == "" {
		o.Optimizer = n.Optimizer
	}
	switch {
	case !n.Fuses(o):
		o.Attention = kerneltime.Unfused
	case o.Attention != kerneltime.Unfused && o.Precision.Element() > 2:
		o.Attention = kerneltime.Efficient
	}
	switch {
	case o.Batch < 1 || o.Batch > MaxBatch:
		return o, fmt.Errorf("batch %d; want 1 to %d %s", o.Batch, MaxBatch, n.Sample())
	case o.Accumulate < 1 || o.Accumulate > MaxAccumulate:
		return o, fmt.Errorf("gradients of %d micro-batches; want 1 to %d", o.Accumulate, MaxAccumulate)
	case o.Batch%o.Accumulate != 0:
		return o, fmt.Errorf("batch %d cannot be cut into %d micro-batches of one size; take a multiple of %d", o.Batch, o.Accumulate, o.Accumulate)
	case n.Images() && (o.Side < MinSide || o.Side > MaxSide):
		return o, fmt.Errorf("images of %d pixels; want %d to %d", o.Side, MinSide, MaxSide)
	case n.Sequence > 0 && (o.Sequence < MinSequence || o.Sequence > MaxSequence):
		return o, fmt.Errorf("sequences of %d tokens; want %d to %d", o.Sequence, MinSequence, MaxSequence)
	case n.Images() && o.Batch*o.Side*o.Side > maxPixels:
		return o, fmt.Errorf("%d images of %d pixels; want at most %d pixels in all", o.Batch, o.Side, int64(maxPixels))
	case n.Sequence > 0 && o.Batch*o.Sequence > maxTokens:
		return o, fmt.Errorf("%d sequences of %d tokens; want at most %d tokens in all", o.Batch, o.Sequence, maxTokens)
	case o.Compile && o.PyTorch == 1:
		return o, errors.New("PyTorch 1.8 does not compile networks; choose the lists of PyTorch 2")
	case o.PyTorch != 1 && o.PyTorch != 2:
		return o, errors.New("kernels are known as PyTorch 1 (1.8) and as PyTorch 2 launch them")
	case n.multiple > 0 && o.Side%n.multiple != 0:
		return o, fmt.Errorf("images of %d pixels; %s wants a multiple of %d", o.Side, n.Title, n.multiple)
	case n.Images() && o.Side < n.least():
		return o, fmt.Errorf("images of %d pixels; %s wants at least %d", o.Side, n.Title, n.least())
	}
	_, err := findOptimizer(o.Optimizer)
	return o, err
}

// MostBatch is the largest batch of the usual size that can be lowered.
func (n *Network) MostBatch() int64 {
	switch {
	case n.Family == "U-Net": // scores of attention between all places of an image
		return 4096
	case n.Images():
		return min(MaxBatch, maxPixels/(n.Side*n.Side))
	case n.Sequence > 0:
		return min(MaxBatch, maxTokens/n.Sequence)
	}
	return MaxBatch
}

// Attends reports whether the network has attention that can be one kernel. In Swin and T5
// a trained bias is added to scores.
func (n *Network) Attends() bool {
	return n.Sequence > 0 && n.Family != "T5" || n.Family == "ViT" || n.Family == "U-Net"
}

// Fuses reports whether attention can be one kernel: in 16 bits, and in 32 since PyTorch 2.
func (n *Network) Fuses(o Options) bool {
	return n.Attends() && (o.Precision.Element() == 2 || o.PyTorch != 1)
}

// least is the smallest side that leaves something of every image.
func (n *Network) least() int64 {
	switch n.Family {
	case "Inception":
		return 96
	case "AlexNet", "ViT", "Swin", "ConvNeXt", "U-Net":
		return 64
	}
	return 32
}

// Lower lowers a network. The cost depends on its layers and micro-batches, not on the batch.
func (n *Network) Lower(o Options) (*Lowered, error) {
	o, err := n.resolve(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Name, err)
	}
	promote := o.Precision.Mixed() && o.PyTorch == 2
	t := n.record(o, promote)
	l := &Lowered{Network: n, Options: o, Workload: t.w, Policy: kerneltime.Policy{Precision: o.Precision, Setting: kerneltime.Training}, Step: t.whole()}
	for _, p := range t.params {
		l.Parameters += p.n
	}
	if l.Fitted = l.Step; promote {
		l.Fitted = n.record(o, false).whole()
	}
	if o.Inference {
		l.Policy.Setting = kerneltime.Inference
	}
	t.w.Name = fmt.Sprintf("%s, batch %d", n.Title, o.Batch)
	t.w.Model, t.w.Batch, t.w.Times = n.Name, int(o.Batch), workload.Estimated
	return l, nil
}

// record writes an iteration down, with autocast's types by the rules of PyTorch 2 or in 16 bits.
func (n *Network) record(o Options, promote bool) *tape {
	t := &tape{
		w: new(workload.Workload), o: o, batch: o.Batch / o.Accumulate, act: o.Precision.Element(), full: single, promote: promote,
		known: map[string]*param{}, stats: map[string]workload.TensorID{},
	}
	if !o.Precision.Mixed() {
		t.full = t.act
	}
	if t.float = t.act; promote {
		t.float = t.full
	}
	for i := range o.Accumulate {
		if o.Accumulate > 1 {
			t.pass = ".micro" + digits(i)
		}
		n.write(t, size{o.Side, o.Sequence})
		t.backward(0)
		t.quiet = 1 // the first micro-batch has counted
	}
	t.operators *= o.Accumulate
	if !o.Inference {
		t.step()
	}
	if o.Compile {
		t.fuse()
	}
	return t
}

// whole is what was written down as the law knows it.
func (t *tape) whole() kerneltime.Step {
	s := kerneltime.Step{Kernels: t.kernels, Operators: t.operators, Backward: t.operators}
	if t.o.Inference {
		s.Backward = 0
	}
	return s
}

// Fill gives the workload's kernels their times on a GPU that p starts the kernels of: together
// what [Lowered.Fitted] takes. If p decides, the GPU waits for it before every kernel as long.
func (l *Lowered) Fill(g *kerneltime.GPU, p kerneltime.Processor) kerneltime.Estimate {
	w := l.Workload
	const most = 2 * workload.MaxTime
	var sum, fitted unit.Time
	for k := range w.Kernels {
		w.Kernels[k].Time = min(max(1, kerneltime.Time(g, l.Policy, &l.Step.Kernels[k]).Time), most)
		sum += w.Kernels[k].Time
	}
	for k := range l.Fitted.Kernels {
		fitted += min(max(1, kerneltime.Time(g, l.Policy, &l.Fitted.Kernels[k]).Time), most)
	}
	if fitted != sum {
		for k := range w.Kernels {
			w.Kernels[k].Time = max(1, unit.Time(unit.MulDiv(int64(w.Kernels[k].Time), int64(fitted), int64(sum))))
		}
		sum = fitted
	}
	e := l.Time(g, p)
	if e.Bound == kerneltime.Host {
		wait := (e.Host - sum) / unit.Time(len(w.Kernels))
		for k := range w.Kernels {
			w.Kernels[k].HostTime = max(0, wait)
		}
	}
	w.Origin = fmt.Sprintf("Lowered as PyTorch %d trains %s with %s in %s, with kernel times of the law for %s, ± %d %%.",
		l.Options.PyTorch, l.Network.Title, l.Options.Optimizer, l.Options.Precision, g.Name, e.Band)
	return e
}

// step updates parameters, and clears gradients that stay.
func (t *tape) step() {
	o, _ := findOptimizer(t.o.Optimizer)
	if o.kernel != "" {
		t.updates(&o)
	}
	if t.o.PyTorch == 1 {
		for _, p := range t.params {
			if p.sum == none {
				continue
			}
			t.class(kerneltime.Copy, "zero_grad", nil, ids(p.sum))
		}
	}
}

// updates changes all parameters.
func (t *tape) updates(o *optimizer) {
	if t.o.Precision == kerneltime.AMPFP16 {
		for _, group := range t.groups() {
			var grads []workload.TensorID
			for _, p := range group {
				grads = append(grads, p.sum)
			}
			t.optimize("unscale", 2*t.bytesOf(grads), grads, slices.Clone(grads))
		}
	}
	passes := o.passes[t.o.PyTorch-1]
	type update struct {
		bytes                unit.Bytes
		params, grads, state []workload.TensorID
	}
	var updates []update
	for _, group := range t.groups() {
		var u update
		for _, p := range group {
			u.params, u.grads = append(u.params, p.id), append(u.grads, p.sum)
			u.bytes += p.bytes()
			for _, s := range o.states {
				u.state = append(u.state, t.global(p.name+"."+s, workload.Optimizer, p.bytes()))
			}
		}
		updates = append(updates, u)
	}
	if o.divides && t.o.PyTorch == 2 { // for all parameters, before the first of them changes
		passes /= 2
		for i := range updates {
			u := &updates[i]
			denominator := t.scratch(o.kernel+".denominator"+digits(i), u.bytes)
			t.optimize(o.kernel+"_moments", unit.Bytes(passes)*u.bytes, slices.Concat(u.grads, u.state), slices.Concat(u.state, ids(denominator)))
			u.grads = ids(denominator)
		}
	}
	for _, u := range updates {
		t.optimize(o.kernel, unit.Bytes(passes)*u.bytes, slices.Concat(u.params, u.grads, u.state), slices.Concat(u.params, u.state))
	}
	for _, p := range t.params {
		if p.rows != nil {
			t.update(p, o)
		}
	}
}

func (t *tape) optimize(name string, bytes unit.Bytes, in, out []workload.TensorID) {
	t.kernel(name, kerneltime.Kernel{Class: kerneltime.Optimizer, Bytes: bytes}, in, out)
}

func (t *tape) bytesOf(list []workload.TensorID) (n unit.Bytes) {
	for _, id := range list {
		n += t.w.Tensors[id].Bytes
	}
	return n
}

// groups are the parameters that one kernel updates: in PyTorch 2 as many as its
// multi-tensor kernels take, up to a size, in PyTorch 1.8 each by itself. What has no
// gradient is not updated.
func (t *tape) groups() (groups [][]*param) {
	const most, large = 48, 64 * unit.MiB
	var bytes unit.Bytes
	for _, p := range t.params {
		if p.sum == none {
			continue
		}
		last := len(groups) - 1
		if last < 0 || t.o.PyTorch == 1 || len(groups[last]) == most || bytes+p.bytes() > large {
			groups, bytes = append(groups, nil), 0
			last++
		}
		groups[last] = append(groups[last], p)
		bytes += p.bytes()
	}
	return groups
}

// An optimizer updates parameters.
type optimizer struct {
	key, kernel string
	states      []string
	// passes is how often its kernels read or write as many numbers as the parameter has,
	// in PyTorch 1.8 and in PyTorch 2.
	passes [2]int64
	// divides says that PyTorch 2 makes what it divides by for all parameters at once: as many
	// bytes as these.
	divides bool
}

var optimizers = []optimizer{
	{key: "none"},
	{"sgd", "sgd_step", nil, [2]int64{3, 3}, false},
	{"momentum", "momentum_step", []string{"momentum"}, [2]int64{11, 9}, false},
	{"adam", "adam_step", []string{"exp_avg", "exp_avg_sq"}, [2]int64{20, 20}, true}, // of PyTorch 2 measured on an H100: 23 with decay of weights, 9 of momentum
}

func findOptimizer(key string) (optimizer, error) {
	for _, o := range optimizers {
		if o.key == key {
			return o, nil
		}
	}
	return optimizer{}, fmt.Errorf("unknown optimizer %q; take sgd, momentum or adam", key)
}
