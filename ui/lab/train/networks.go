package train

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/networks"
	"spillway/traces/zoo"
)

// Networks by their public names are further choices of the model. How they are run is
// settings of their own, and their kernel times are the law's.

// A running is how a network of package networks is run.
type running struct {
	Precision, Layout, Attention, PyTorch string
	Image, Accumulate                     int64
	Checkpoint, Compile                   bool
}

// asUsual is what the settings are where nothing is said.
func asUsual() running {
	return running{Precision: kerneltime.TF32.String(), Layout: layouts[0].Key, Attention: attentions[0].Key, PyTorch: versions[0].Key, Accumulate: 1}
}

// The choices of layout and attention, in the order of package kerneltime's values where
// they have any.
var (
	layouts = []knob.Choice{
		{Key: "nchw", Label: "NCHW", Help: "Channels first, PyTorch's default. Tensor cores take channels last, so every convolution changes the order and back."},
		{Key: "nhwc", Label: "NHWC", Help: "Channels last (memory_format=torch.channels_last)."},
	}
	attentions = []knob.Choice{
		{Key: "unfused", Label: "Operator by operator", Help: "Scores are in memory: two batched products and everything between them."},
		{Key: "flash1", Label: "FlashAttention 1", Help: "One kernel; scores are never in memory. Only in 16 bits."},
		{Key: "flash2", Label: "FlashAttention 2", Help: "PyTorch's scaled_dot_product_attention, which in 32 bits takes a slower kernel that keeps no scores either."},
		{Key: "flash3", Label: "FlashAttention 3", Help: "On Hopper; elsewhere as version 2. Only in 16 bits."},
	}
	versions = []knob.Choice{
		{Key: "2", Label: "PyTorch 2", Word: "PyTorch 2", Help: "Biases are added within products, gradients are dropped after the step, and the optimizer's kernels take many parameters at once."},
		{Key: "1.8", Label: "PyTorch 1.8", Word: "PyTorch 1.8", Help: "Biases are added afterwards, gradients stay, are cleared and added to, and every parameter has its own kernels in the step."},
	}
	attentionOf = map[string]kerneltime.Attention{
		"unfused": kerneltime.Unfused, "flash1": kerneltime.Flash1, "flash2": kerneltime.Flash2, "flash3": kerneltime.Flash3,
	}
	precisionHelp = map[kerneltime.Precision][2]string{
		kerneltime.FP32:     {"fp32", "All on FP32 units."},
		kerneltime.TF32:     {"TF32", "fp32 in memory; products and convolutions on TF32 tensor cores where the GPU has them, as PyTorch 1.7 to 1.11 did."},
		kerneltime.TF32Conv: {"TF32 in convolutions", "fp32 in memory, products on FP32 units, as PyTorch does since 1.12 unless told otherwise."},
		kerneltime.AMPFP16:  {"AMP, fp16", "Automatic mixed precision: parameters, gradients and norms in fp32, activations and copies of weights in fp16, and the loss is scaled."},
		kerneltime.AMPBF16:  {"AMP, bf16", "Automatic mixed precision with bfloat16."},
		kerneltime.FP16:     {"fp16", "Everything in fp16."},
		kerneltime.BF16:     {"bf16", "Everything in bfloat16, parameters and optimizer state too."},
	}
)

// runningKeys are the keys of the settings that only networks of package networks have.
var runningKeys = []string{"precision", "layout", "image", "attention", "accumulate", "checkpoint", "compile", "pytorch"}

// onlySequences and onlyImages are those that networks of the other kind do not have.
var (
	onlySequences = []string{sequenceKnob, "attention"}
	onlyImages    = []string{"layout", "image"}
)

// networkChoice offers a network of package networks.
func networkChoice(n *networks.Network) knob.Choice {
	batch, images := defaultBatch(n), n.Images()
	c := knob.Choice{
		Key: n.Name, Label: n.Title, Source: "torchvision, timm or Hugging Face, by this name",
		Help: fmt.Sprintf("%s, %s million parameters, for %s.", n.Family, millions(n.Parameters), sampleOf(n)),
		Set:  fmt.Sprintf("batch=%d sequence=%d optimizer=%s times=%s", batch, n.Sequence, n.Optimizer, workload.Estimated),
		Limits: []knob.Limit{
			{Key: "batch", Min: 1, Max: n.MostBatch(), Hint: batches(n.Sample(), []int{batch, 2 * batch, 4 * batch})},
			{Key: "times", Choices: []string{string(workload.Estimated)}, Why: "nobody has published a profile of its kernels"},
			{Key: "optimizer", Choices: []string{"sgd", "momentum", "adam"}, Why: "PyTorch has no training step without one"},
		},
		Hides: onlyImages,
	}
	switch {
	case !images && n.Sequence == 0:
		c.Hides = append(slices.Clone(onlySequences), onlyImages...)
	case !images:
		if !n.Attends() {
			c.Hides = append([]string{"attention"}, onlyImages...)
		}
		c.Limits = append(c.Limits, knob.Limit{Key: sequenceKnob, Min: networks.MinSequence, Max: networks.MaxSequence, Hint: fmt.Sprintf("Usually %d.", n.Sequence)})
	case n.Attends():
		c.Hides = []string{sequenceKnob}
	default:
		c.Hides = onlySequences
	}
	return c
}

func sampleOf(n *networks.Network) string {
	if n.Images() {
		return fmt.Sprintf("images of %d by %d", n.Side, n.Side)
	}
	if n.Sequence == 0 {
		return n.Sample()
	}
	return fmt.Sprintf("sequences of %d tokens", n.Sequence)
}

// defaultBatch is what people train with on a GPU of 24 to 80 GiB.
func defaultBatch(n *networks.Network) int {
	switch {
	case !n.Images() && n.Sequence == 0:
		return 2048
	case n.Parameters > 2e9:
		return 1
	case n.Parameters > 5e8:
		return 4
	case !n.Images():
		return 16
	case n.Side > 300:
		return 32
	}
	return 128
}

// yesOrNo are the texts of a switch.
var yesOrNo = []knob.Choice{{Key: "1", Label: "yes"}, {Key: "0", Label: "no"}}

// runningKnobs are the settings of how a network is run.
func runningKnobs() []knob.Knob[settings] {
	precision := knob.Info{Key: "precision", Label: "Precision", Kind: knob.One, Help: "Which numbers are in memory and which units multiply them."}
	for _, key := range kerneltime.Precisions() {
		p, _ := kerneltime.ParsePrecision(key)
		if help, ok := precisionHelp[p]; ok {
			precision.Choices = append(precision.Choices, knob.Choice{Key: key, Label: help[0], Word: "in " + help[0], Help: help[1]})
		}
	}
	word := func(i knob.Info, ref func(*running) *string) knob.Knob[settings] {
		return knob.Knob[settings]{Info: i, Word: func(s *settings) *string { return ref(&s.Running) }}
	}
	return []knob.Knob[settings]{
		word(precision, func(r *running) *string { return &r.Precision }),
		word(knob.Info{Key: "layout", Label: "Layout", Kind: knob.One, Choices: layouts, Help: "The order of an image's dimensions in memory."}, func(r *running) *string { return &r.Layout }),
		knob.Int(knob.Info{
			Key: "image", Label: "Image size", Unit: "pixels", Scale: 1, Min: networks.MinSide, Max: networks.MaxSide, Zero: "as usual for the network",
			Help: "Height and width of images.",
		}, func(s *settings) *int64 { return &s.Running.Image }),
		word(knob.Info{Key: "attention", Label: "Attention", Kind: knob.One, Choices: attentions, Help: "How attention runs, which decides whether scores are in memory."}, func(r *running) *string { return &r.Attention }),
		knob.Int(knob.Info{
			Key: "accumulate", Label: "Micro-batches", Scale: 1, Min: 1, Max: networks.MaxAccumulate,
			Help: "Parts of the batch that run one after the other; gradients add up, so only one part's activations are in memory.",
		}, func(s *settings) *int64 { return &s.Running.Accumulate }),
		knob.Bool(knob.Info{
			Key: "checkpoint", Label: "Checkpoint activations", Kind: knob.One, Choices: yesOrNo,
			Help: "Only each block's input is kept; the block runs again before its backward pass.",
		}, func(s *settings) *bool { return &s.Running.Checkpoint }),
		word(knob.Info{Key: "pytorch", Label: "Lists of kernels", Kind: knob.One, Choices: versions, Help: "Which version's kernels run."}, func(r *running) *string { return &r.PyTorch }),
		knob.Bool(knob.Info{
			Key: "compile", Label: "Compile", Kind: knob.One, Choices: yesOrNo,
			Help: "As torch.compile with CUDA graphs: consecutive pointwise kernels are one, and the processor does not start kernels one by one.",
		}, func(s *settings) *bool { return &s.Running.Compile }),
	}
}

// named builds a network of package networks.
func (s *settings) named(n *networks.Network) (Workload, error) {
	law, err := s.law()
	if err != nil {
		return Workload{}, err
	}
	optimizer, err := zoo.FindOptimizer(s.Optimizer)
	if err != nil {
		return Workload{}, err
	}
	r := &s.Running
	o := networks.Options{
		Batch: s.Batch, Sequence: s.Sequence, Side: r.Image, Attention: attentionOf[r.Attention], Accumulate: r.Accumulate,
		Checkpoint: r.Checkpoint, Compile: r.Compile, Optimizer: s.Optimizer,
	}
	o.Precision = law.Precision
	if r.Layout == "nhwc" {
		o.Layout = kerneltime.NHWC
	}
	if r.PyTorch == "1.8" {
		o.PyTorch = 1
	}
	switch {
	case o.Attention != kerneltime.Unfused && !n.Fuses(o):
		return Workload{}, fmt.Errorf("%s: attention is one kernel in 16 bits, with PyTorch 2 in 32, too, and never where a trained bias is added to scores; choose attention=%s", n.Title, attentions[0].Key)
	case o.Attention != kerneltime.Unfused && o.Attention != kerneltime.Flash2 && o.Precision.Element() > 2:
		return Workload{}, fmt.Errorf("%s: attention=%s works in 16 bits only; choose another precision, or attention=%s, PyTorch's kernel for 32", n.Title, r.Attention, attentions[2].Key)
	}
	l, err := n.Lower(o)
	if err != nil {
		return Workload{}, err
	}
	e := l.Fill(law.GPU, kerneltime.Today)
	if err := l.Workload.Validate(); err != nil {
		return Workload{}, fmt.Errorf("%s: %w", n.Name, err)
	}
	out := about(l.Workload)
	out.optimizer, out.parameters, out.lowered = optimizer, l.Parameters, true
	out.band, out.bound, out.instead = e.Band, e.Bound, law.GPU.Instead(o.Precision)
	return out, nil
}

// ran names the settings of how a network is run, empty for other models.
func (s *settings) ran() string {
	switch {
	case s.Times != string(workload.Estimated):
		return ""
	case s.Model == described:
		return fmt.Sprintf(" %s %+v sequence %d", s.Network, s.Running, s.Sequence)
	case namedNetwork(s.Model) == nil:
		return " " + s.Running.Precision
	}
	r := &s.Running
	return fmt.Sprintf(" precision=%s layout=%s attention=%s pytorch=%s image=%d accumulate=%d checkpoint=%v compile=%v sequence=%d",
		r.Precision, r.Layout, r.Attention, r.PyTorch, r.Image, r.Accumulate, r.Checkpoint, r.Compile, s.Sequence)
}

// namedNetwork is the network that a model is by exactly this name, nil for others:
// other spellings may be other models of the list.
func namedNetwork(model string) *networks.Network {
	if n, err := networks.Find(model); err == nil && n.Name == model {
		return n
	}
	return nil
}

// gpuNamed is the name and the memory rate of the GPU that times are estimated for.
func gpuNamed(key string) (name string, memory unit.Bandwidth, ok bool) {
	g := kerneltime.Find(key)
	if g == nil {
		return "", 0, false
	}
	for _, p := range gpuParts() {
		if p.Key == key {
			return p.Name, g.Bandwidth, true
		}
	}
	return g.Name, g.Bandwidth, true
}

// gpuParts are the GPUs that a machine can have, the first the G10 paper's.
func gpuParts() []machine.Part { return machine.Slots()[0].Parts }

// gpuChoices are the GPUs that kernel times can be estimated for: the machine's parts,
// then all others of the law.
func gpuChoices() (list []knob.Choice) {
	had := map[*kerneltime.GPU]bool{}
	add := func(key, name string, g *kerneltime.GPU) {
		had[g] = true
		list = append(list, knob.Choice{Key: key, Names: otherNames(g, key), Label: name, Word: "for " + name, Source: g.Source + "; " + g.Ground.String()})
	}
	for _, p := range gpuParts() {
		if g := kerneltime.Find(p.Key); g != nil {
			add(p.Key, p.Name, g)
		}
	}
	for _, g := range kerneltime.GPUs() {
		if of := kerneltime.Find(g.Key); !had[of] {
			add(g.Key, g.Name, of)
		}
	}
	return list
}

// otherNames are what else a GPU's key may be: the law's, and the short names of which it is the
// usual one.
func otherNames(g *kerneltime.GPU, key string) (names []string) {
	for _, name := range []string{g.Key, "p100", "v100", "a100", "h100", strings.TrimPrefix(g.Key, "rtx-"), strings.ReplaceAll(g.Key, "-sxm", "")} {
		if name != key && !slices.Contains(names, name) && kerneltime.Find(name) == g {
			names = append(names, name)
		}
	}
	return names
}

// bandNote says how far estimated times may be off, and what decides them.
func (w *Workload) bandNote() string {
	if w.band == 0 {
		return ""
	}
	text := fmt.Sprintf("Kernel times are estimated, ± %d %%: eight of ten measurements were within that", w.band)
	if w.bound == kerneltime.Host {
		text += "; the processor that starts kernels decides"
	}
	return text + "."
}

// says is how the network is run, in words, where that is not as usual.
func (r *running) says() string {
	var list []string
	usual := asUsual()
	if r.Precision != usual.Precision {
		list = append(list, r.Precision)
	}
	if r.Layout != usual.Layout {
		list = append(list, strings.ToUpper(r.Layout))
	}
	if r.Attention != usual.Attention {
		list = append(list, r.Attention)
	}
	if r.Accumulate > 1 {
		list = append(list, fmt.Sprintf("%d micro-batches", r.Accumulate))
	}
	if r.Checkpoint {
		list = append(list, "checkpoints")
	}
	if r.Compile {
		list = append(list, "compiled")
	}
	if r.PyTorch != usual.PyTorch {
		list = append(list, "PyTorch "+r.PyTorch)
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}
