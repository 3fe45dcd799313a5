package llm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/knob"
	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/recipe"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/prose"
	"spillway/sim/unit"
	teraiopaper "spillway/ui/lab/llm/papers/teraio"
	"spillway/ui/lab/own"
)

// A settings is everything a run depends on besides the system.
type settings struct {
	Model string // name of a model that comes with the laboratory
	Entry string // of opened files, instead of Model; empty for none
	GPU   string // key of the kind of GPU
	Drive string // key of the kind of drive
	// Precision, Recompute, Fallback and Cut are texts of knobs, which resolved reads.
	Precision, Recompute, Fallback, Cut, Cuts string
	// Recipes' texts, likewise.
	Method, Targets, Optimizer, Loss, State string
	// Setup is the rest. Of Arch only what knobs say counts, of Node.GPU and Node.Drive only
	// rates, prices and endurance that are knobs; resolved adds the others.
	core.Setup
	Own own.Setting
}

// standard is what links leave out: Llama-3 70B on the node of the TERAIO paper.
func standard() settings {
	s := settings{Precision: precisions[0], Recompute: recomputes[0], Fallback: fallbacks[0], Cut: "data", Cuts: "own", Method: methods[0], Targets: targets[recipe.Linear], Optimizer: optimizers[0], Loss: losses[0], State: states[0], Setup: core.Standard(), Own: own.Standard()}
	s.Model, s.GPU, s.Drive = s.Arch.Name, s.Node.GPU.Key, s.Node.Drive.Key
	if s.Options.Tensor {
		s.Cut = "tensor"
	}
	return s
}

// changed stands behind the title of a model whose architecture is not as it came.
const changed = " (changed)"

// resolved returns the setup of a run; own is the architecture of an entry, nil without.
func (s *settings) resolved(own *model.Arch) (core.Setup, error) {
	out := s.Setup
	base := own
	if base == nil {
		a, err := model.Find(s.Model)
		if err != nil {
			return out, err
		}
		base = &a
	}
	out.Arch = *base
	other := false
	for i := range archKnobs {
		k := &archKnobs[i]
		if to, from := *k.of(&s.Arch), k.of(&out.Arch); *from != to {
			*from, other = to, true
		}
	}
	if other {
		out.Arch.Title += changed
	}
	gpu := slices.IndexFunc(machine.GPUs(), func(g machine.GPU) bool { return g.Key == s.GPU })
	drive := slices.IndexFunc(machine.Drives(), func(d machine.Drive) bool { return d.Key == s.Drive })
	if gpu < 0 || drive < 0 {
		return out, fmt.Errorf("unknown GPU %q or drive %q; choose another under Machine", s.GPU, s.Drive)
	}
	g, d := machine.GPUs()[gpu], machine.Drives()[drive]
	g.Memory, g.Watts, g.Cents = s.Node.GPU.Memory, s.Node.GPU.Watts, s.Node.GPU.Cents
	d.Read, d.Write, d.Endurance, d.Cents = s.Node.Drive.Read, s.Node.Drive.Write, s.Node.Drive.Endurance, s.Node.Drive.Cents
	out.Node.GPU, out.Node.Drive = g, d
	l := &out.Layout
	l.Precision = min(job.Precision(slices.Index(precisions, s.Precision)), job.BF16)
	l.FP8 = s.Precision == precisions[2]
	l.Recompute = job.Recompute(slices.Index(recomputes, s.Recompute))
	out.Options.Fallback = system.Fallback(slices.Index(fallbacks, s.Fallback))
	out.Options.Tensor = s.Cut == "tensor"
	r := &out.Recipe
	r.Method, r.Targets = recipe.Method(slices.Index(methods, s.Method)), recipe.Targets(slices.Index(targets, s.Targets))
	r.Optimizer, r.Loss = recipe.Optimizer(slices.Index(optimizers, s.Optimizer)), recipe.Loss(slices.Index(losses, s.Loss))
	r.FP32 = s.State == states[1]
	if out.Auto = s.Cuts == "auto"; out.Auto {
		l.Tensor, l.Data, l.Context, l.Expert, l.ZeRO, l.Micro = 1, 1, 1, 1, 0, 0
	}
	if err := s.stand(&out); err != nil {
		return out, err
	}
	if parts := l.Tensor * l.Replicas(); l.Context > 1 && out.Node.GPUs%parts != 0 {
		return out, fmt.Errorf("%s of a matrix, %s and %s to a sequence take %d GPUs, which does not divide %d; set tensor, data and context under Training so that their product does", prose.Count(l.Tensor, "part"), prose.Count(l.Data, "replica"), prose.Count(l.Context, "GPU"), parts, out.Node.GPUs)
	} else if parts < 1 || out.Node.GPUs%parts != 0 {
		return out, fmt.Errorf("%s of a matrix and %s take %d GPUs, which does not divide %d; set tensor and data under Training so that their product does", prose.Count(l.Tensor, "part"), prose.Count(l.Data, "replica"), parts, out.Node.GPUs)
	}
	l.Pipeline = out.Node.GPUs / (l.Tensor * l.Replicas())
	return out, nil
}

// stand puts GPUs into nodes: as many nodes as settings say, or as eight in each make.
func (s *settings) stand(out *core.Setup) error {
	nodes, one := s.Node.Nodes, s.Node
	one.Nodes = 0
	if nodes == 0 && one.GPUs > machine.InNode {
		if one.GPUs%machine.InNode != 0 {
			return fmt.Errorf("%d GPUs do not stand in nodes of %d; set nodes under Machine, and gpus to those of one node", one.GPUs, machine.InNode)
		}
		nodes, one.GPUs = one.GPUs/machine.InNode, machine.InNode
	}
	gpu, drive := out.Node.GPU, out.Node.Drive
	out.Node = one
	if nodes > 1 {
		out.Node = one.Times(nodes)
		out.Options.HostLimit *= unit.Bytes(nodes)
	}
	out.Node.GPU, out.Node.Drive = gpu, drive
	return nil
}

// apart are a node's settings, of a machine that stand has made of them.
func (s *settings) apart(c *machine.Config) {
	was := s.Node
	s.Node = c.One()
	if c.Nodes > 1 {
		s.Node.Nodes = c.Nodes
		if was.Nodes == 0 {
			s.Node.Nodes, s.Node.GPUs = 0, c.GPUs
		}
	}
}

// check reports what contradicts in settings whose every value is allowed. Of an entry the
// architecture is checked when it is opened, and when it runs.
func check(s *settings) error {
	m, err := s.resolved(nil)
	if err != nil {
		return err
	}
	if s.Entry != "" {
		_, err := m.Node.Build()
		return err
	}
	return sound(&m)
}

// sound reports what contradicts in a setup.
func sound(m *core.Setup) error {
	if err := m.Arch.Check(); err != nil {
		return err
	}
	if _, err := m.Node.Build(); err != nil {
		return err
	}
	if m.Layout.FP8 && !job.HasFP8(&m.Node.GPU) {
		return fmt.Errorf("the %s multiplies no numbers of 8 bits; set precision under Training to bf16, or take a GPU of Ada, Hopper or Blackwell", m.Node.GPU.Title)
	}
	if m.Auto {
		l := m.Layout
		l.Pipeline = 1
		return divides(&m.Arch, &l)
	}
	if err := shareable(m); err != nil {
		return err
	}
	if m.Node.Nodes < 2 { // of several nodes systems by recipe need no pipeline
		if err := stages(&m.Arch, &m.Layout); err != nil {
			return err
		}
	}
	return divides(&m.Arch, &m.Layout)
}

// divides reports what of a model or a batch cannot be cut as the layout asks: what would stop
// the pipeline of Ideal and TERAIO, and with Ideal the share of it that all others reach.
func divides(a *model.Arch, l *job.Layout) error {
	switch {
	case a.Heads%l.Tensor != 0:
		return fmt.Errorf("%s cannot be cut into %d parts; set tensor under Training to a number that divides them", prose.Count(a.Heads, "head"), l.Tensor)
	case a.KVHeads%l.Tensor != 0 && l.Tensor%a.KVHeads != 0:
		return fmt.Errorf("%s of keys and values cannot be cut into %d parts, or copied to so many; set tensor under Training to a number that divides them or is a multiple", prose.Count(a.KVHeads, "head"), l.Tensor)
	case a.FFN%l.Tensor != 0 || a.DenseFFN%l.Tensor != 0 || a.Shared%l.Tensor != 0:
		return fmt.Errorf("a feed-forward width of %s cannot be cut into %d parts; set tensor under Training to a number that divides it", prose.Grouped(a.FFN), l.Tensor)
	case longest(a) > 0 && l.Sequence > longest(a):
		return fmt.Errorf("%s knows %s positions, fewer than a sequence of %s tokens; set sequence under Training to at most %d", a.Title, prose.Grouped(longest(a)), prose.Grouped(l.Sequence), longest(a))
	case l.Batch%l.Data != 0:
		return fmt.Errorf("a batch of %s does not divide among %d replicas; set batch under Training to a multiple of %d, or data to a number that divides it", prose.Count(l.Batch, "sequence"), l.Data, l.Data)
	}
	return nil
}

// shareable reports sequences that GPUs cannot share, and experts that cannot be split over them.
func shareable(m *core.Setup) error {
	a, l := &m.Arch, &m.Layout
	apart := l.Tensor * l.Pipeline
	switch {
	case l.Context > 1 && a.Encoder > 0:
		return fmt.Errorf("%s has an encoder, and GPUs share sequences of decoders only; set context under Training to 1", a.Title)
	case l.Context > 1 && l.Sequence%(2*l.Context) != 0:
		return fmt.Errorf("a sequence of %s tokens does not divide into two pieces for each of %d GPUs; set sequence under Training to a multiple of %d", prose.Grouped(l.Sequence), l.Context, 2*l.Context)
	case l.Expert > 1 && a.Experts <= 1:
		return fmt.Errorf("%s has no experts; set expert under Training to 1", a.Title)
	case l.Expert > 1 && a.Experts%l.Expert != 0:
		return fmt.Errorf("%s cannot be split over %d GPUs; set expert under Training to a number that divides them", prose.Count(a.Experts, "expert"), l.Expert)
	case l.Expert > 1 && l.Replicas()%l.Expert != 0:
		return fmt.Errorf("experts are split over %s, and there are %d of data and context together; set expert under Training to a number that divides them, or data to a multiple of it", prose.Count(l.Expert, "replica"), l.Replicas())
	case l.Expert > 1 && l.ZeRO > 1:
		return errors.New("experts that are split over replicas are cut no further than by ZeRO's stage 1; set zero under Training to 1, or expert to 1")
	case l.Expert > 1 && m.Node.InNode()%(l.Expert*apart) != 0:
		return fmt.Errorf("experts are split over GPUs that are %d apart, so that %d of them are not in a node of %d, and what tokens take over the network is not modelled; set expert under Training to fewer", apart, l.Expert, m.Node.InNode())
	}
	return nil
}

// stages reports a pipeline of more stages than there are layers. Systems by recipe have none.
func stages(a *model.Arch, l *job.Layout) error {
	layers := a.Layers + a.Encoder
	if layers >= l.Pipeline {
		return nil
	}
	return fmt.Errorf("%s cannot make the %d stages of a pipeline that %d GPUs make; set tensor or data under Training to %d or more, or take fewer GPUs",
		prose.Count(layers, "layer"), l.Pipeline, l.GPUs(), l.Tensor*l.Data*((l.Pipeline+layers-1)/max(layers, 1)))
}

// rounds reports a batch that a pipeline cannot cut into its micro-batches.
func rounds(l *job.Layout) error {
	if each := l.Batch / max(l.Data, 1); l.Micro > 0 && each%l.Micro != 0 {
		return fmt.Errorf("%s of a replica do not divide into micro-batches of %d; set micro under Training to a number that divides them, or to 0 to have one chosen", prose.Count(each, "sequence"), l.Micro)
	}
	return nil
}

// An archKnob is a knob of the architecture.
type archKnob struct {
	key, label, help string
	most             int64
	least            int64
	of               func(*model.Arch) *int64
}

var archKnobs = []archKnob{
	{"layers", "Layers", "Layers of the decoder, or of the only stack.", 1024, 1, func(a *model.Arch) *int64 { return &a.Layers }},
	{"encoder", "Layers of an encoder", "Layers of an encoder before it; 0 without one.", 1024, 0, func(a *model.Arch) *int64 { return &a.Encoder }},
	{"hidden", "Hidden width", "Elements of a token between layers.", 131072, 8, func(a *model.Arch) *int64 { return &a.Hidden }},
	{"heads", "Heads", "Heads of queries.", 1024, 1, func(a *model.Arch) *int64 { return &a.Heads }},
	{"kv_heads", "Heads of keys and values", "Fewer than heads where several queries share one.", 1024, 1, func(a *model.Arch) *int64 { return &a.KVHeads }},
	{"head_dim", "Width of a head", "Elements of a head.", 1024, 1, func(a *model.Arch) *int64 { return &a.HeadDim }},
	{"ffn", "Feed-forward width", "Width of a feed-forward block, of one expert's in a mixture.", 1 << 20, 1, func(a *model.Arch) *int64 { return &a.FFN }},
	{"vocab", "Vocabulary", "Tokens that there are.", 4 << 20, 1, func(a *model.Arch) *int64 { return &a.Vocab }},
	{"experts", "Experts", "Feed-forward blocks of a mixture; 0 for a dense model.", 1024, 0, func(a *model.Arch) *int64 { return &a.Experts }},
	{"active", "Experts of a token", "How many experts a token goes through.", 64, 0, func(a *model.Arch) *int64 { return &a.Active }},
}

// archText writes what knobs have of an architecture as settings.
func archText(a *model.Arch) string {
	var list []knob.Pair
	for i := range archKnobs {
		k := &archKnobs[i]
		list = append(list, knob.Pair{Key: k.key, Text: knob.Decimal(*k.of(a), 1)})
	}
	return knob.Join(list, " ")
}

// longest is how many tokens a sequence may have: as many as there are learned positions.
func longest(a *model.Arch) int64 {
	if a.Positions == 0 {
		return 0
	}
	return a.Positions - a.PadOffset
}

// modelText is what comes with a model: its architecture; the micro-batch that the peak memory
// which the TERAIO paper prints implies; buffers of ZeRO-Infinity that hold its largest matrix, cut
// for two GPUs as in the paper; a shorter sequence where it has no more positions.
func modelText(a *model.Arch) string {
	buffers := int64(300)
	if a.Vocab*a.Hidden > 600*million {
		buffers = 540
	}
	return textOf(a, map[string]int64{"llama3-70b": 2, "granite-8b": 4}[a.Name], buffers)
}

// entryText is what comes with a model of opened files: the same, but that a micro-batch is chosen,
// and so are buffers, as it is not known for how many GPUs its largest matrix will be cut.
func entryText(a *model.Arch) string { return textOf(a, 0, 0) }

func textOf(a *model.Arch, micro, buffers int64) string {
	sequence := int64(2048)
	if n := longest(a); n > 0 {
		sequence = min(sequence, n)
	}
	return fmt.Sprintf("%s micro=%d buffer_size=%d sequence=%d", archText(a), micro, buffers, sequence)
}

type setting = knob.Knob[settings]

// What switches other settings off: no second node, GPU or replica, and no drives.
var (
	oneNode = []knob.Idle{
		{While: "nodes=1", Why: "one node: set nodes above 1"},
		{While: "nodes=0 gpus=1..8", Why: "one node: set nodes or gpus higher"},
	}
	oneGPU   = []knob.Idle{{While: "nodes=0..1 gpus=1", Why: "one GPU: set gpus above 1"}}
	noHost   = []knob.Idle{{While: "host_memory=0", Why: "no host memory: set host_memory above 0"}}
	noDrives = []knob.Idle{{While: "drives=0", Why: "no drives: set drives above 0"}}
)

// idle makes settings ones that others leave nothing to change.
func idle(list []setting, why []knob.Idle, keys string) {
	for key := range strings.FieldsSeq(keys) {
		at := slices.IndexFunc(list, func(k setting) bool { return k.Key == key })
		list[at].Idle = append(list[at].Idle, why...)
	}
}

// numeric is a knob of an integer.
func numeric[T ~int64](key, label, group, unitName string, scale, least, most int64, source, help string, ref func(*settings) *T) setting {
	return knob.Int(knob.Info{Key: key, Label: label, Group: group, Unit: unitName, Scale: scale, Min: least, Max: most, Source: source, Help: help}, ref)
}

// chosen is a number that 0 leaves to the system.
func chosen(key, label, group string, most int64, source, help string, ref func(*settings) *int64) setting {
	k := numeric(key, label, group, "", 1, 0, most, source, help, ref)
	k.Zero = "as the system chooses"
	return k
}

// within makes a number of sequences one that the batch bounds.
func within(k setting) setting {
	k.Within, k.WithinWhy = "batch", "a micro-batch is a part of the batch"
	return k
}

// one is a knob of a word.
func one(key, label, group, source, help string, ref func(*settings) *string, choices ...knob.Choice) setting {
	return setting{Info: knob.Info{Key: key, Label: label, Group: group, Source: source, Help: help, Kind: knob.One, Choices: choices}, Word: ref}
}

// yes is a knob of what is so or not: 1 or 0.
func yes(key, label, group, source, help, word string, ref func(*settings) *bool) setting {
	return knob.Bool(knob.Info{
		Key: key, Label: label, Group: group, Source: source, Help: help, Kind: knob.One,
		Choices: []knob.Choice{{Key: "1", Label: "yes", Word: word}, {Key: "0", Label: "no", Word: "-"}},
	}, ref)
}

// Texts of knobs, in the order of the numbers that they mean.
var (
	precisions = []string{"fp32", "bf16", "fp8"}
	recomputes = []string{"none", "selective", "full"}
	fallbacks  = []string{"better", "demand", "stretch"}
	methods    = []string{"full", "lora", "qlora"}
	targets    = []string{"qv", "attention", "linear", "mlp"}
	optimizers = []string{"adamw-fp32", "adamw-bf16", "adamw-8bit", "paged-8bit", "paged-32bit", "sgd"}
	losses     = []string{"full", "chunked", "fused"}
	states     = []string{"bf16", "fp32"}
)

// Groups of settings, and where several come from.
const (
	groupLayout  = "How it is cut"
	groupRecipe  = "Recipe"
	groupDrives  = "Drives"
	groupHost    = "Host"
	groupLinks   = "Links"
	groupPrices  = "Prices"
	groupTeraIO  = "TERAIO"
	groupZero    = "ZeRO and FSDP"
	teraioPaper  = "TERAIO, NeurIPS 2025, §4.1"
	deepspeed    = "DeepSpeed's configuration, as the paper has it (§4.1) or by default"
	ofNode       = "comes with the machine"
	ofGPU        = "comes with the GPU: its data sheet"
	ofDrive      = "comes with the drive: its data sheet"
	elements     = "M"
	million      = 1_000_000
	mostGiB      = 1 << 16 * unit.GiB
	mostRate     = 100_000 * unit.GBps
	mostElements = 1_000_000 * million
)

// knobs lists all settings by panel.
func knobs() map[string][]setting {
	workload := []setting{
		modelKnob(),
		{Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which model of the opened files runs, by name.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.Entry }},
	}
	training := []setting{
		numeric("batch", "Batch", "", "", 1, 1, 65536, teraioPaper, "How many sequences an iteration trains, on all GPUs together.", func(s *settings) *int64 { return &s.Layout.Batch }),
		numeric("sequence", "Sequence", "", "tokens", 1, 1, 1<<20, teraioPaper, "Tokens of a sequence; of an encoder and a decoder each.", func(s *settings) *int64 { return &s.Layout.Sequence }),
		numeric("time_scale", "Kernel times, scaled", "", "%", 1, 10, 1000, "", "All kernels take this share of their time: what a faster GPU changes, and whether the order of systems rests on times that are not certain.", func(s *settings) *int64 { return &s.Layout.TimeScale }),
		one("precision", "Precision", "", teraioPaper, "In what numbers the model is trained.", func(s *settings) *string { return &s.Precision },
			knob.Choice{Key: "fp32", Label: "fp32", Word: "fp32", Help: "All in 4 bytes: 16 bytes a parameter with gradient and moments, on the GPU's fp32 units."},
			knob.Choice{Key: "bf16", Label: "bf16, mixed", Word: "bf16", Help: "Weights, gradients and activations in bf16; an fp32 copy and two fp32 moments: 16 bytes a parameter, on tensor cores."},
			knob.Choice{Key: "fp8", Label: "products in fp8", Word: "fp8", Help: "As bf16, but products of layers in 8 bits, with a scale for each tensor; logits, attention, norms and the optimizer stay. Of Ada, Hopper and Blackwell. Llama 3.1 8B on eight H100 gains 24 %, in TorchTitan 28: how much products gain was set with that and llm-foundry's rows in sight, and no measurement was held out."}),
		one("recompute", "Recomputation", "", "none: TERAIO, §4.1; selective: Korthikanti et al., MLSys 2023; full: Chen et al., 2016", "Which activations are computed again in the backward pass instead of being kept.", func(s *settings) *string { return &s.Recompute },
			knob.Choice{Key: "none", Label: "none", Word: "-", Help: "All activations are kept."},
			knob.Choice{Key: "selective", Label: "selective", Word: "selective recomputation", Help: "All are kept except those around attention and the norms."},
			knob.Choice{Key: "full", Label: "full", Word: "full recomputation", Help: "Only the inputs of layers are kept."}),
		one("layout", "Layout", groupLayout, "ours", "Whether Ideal and TERAIO are cut as the settings below say, or in the fastest way that is found: closed forms rank all, and the ten best of them run. ZeRO and FSDP cut in their own way.", func(s *settings) *string { return &s.Cuts },
			knob.Choice{Key: "own", Label: "as set", Word: "-", Help: "As the settings below say."},
			knob.Choice{Key: "auto", Label: "the fastest", Word: "cut in the fastest way", Ineffective: []string{"micro", "tensor", "data", "context", "expert", "zero"}, Why: "the layout is found", Help: "Ten layouts run, so that it takes ten times as long."}),
		within(chosen("micro", "Micro-batch of the pipeline", groupLayout, 65536, "0: about 8192 tokens, as inferred from the memory that the paper prints", "Sequences of a micro-batch of the pipeline, and of each GPU that trains by recipe; 0 chooses.", func(s *settings) *int64 { return &s.Layout.Micro })),
		numeric("tensor", "Parts of a matrix (tensor parallelism)", groupLayout, "", 1, 1, 256, teraioPaper, "In how many parts every matrix is cut. What GPUs remain are replicas and stages of a pipeline.", func(s *settings) *int64 { return &s.Layout.Tensor }),
		numeric("data", "Replicas (data parallelism)", groupLayout, "", 1, 1, 256, teraioPaper, "How many replicas of the model there are, each with its part of the batch.", func(s *settings) *int64 { return &s.Layout.Data }),
		numeric("context", "GPUs to a sequence (context parallelism)", groupLayout, "", 1, 1, 256, "Ring Attention, Liu et al., 2023; striped, Brandon et al., 2023", "How many GPUs share every sequence: each has two pieces of it, so that all compute alike, and keys and values go around them while the block before is multiplied. Of Ideal, TERAIO, DDP and FSDP; they divide what tensor and data leave. An estimate: no measurement was held out.", func(s *settings) *int64 { return &s.Layout.Context }),
		numeric("expert", "Replicas that share experts (expert parallelism)", groupLayout, "", 1, 1, 256, "GShard, Lepikhin et al., 2020", "Over how many replicas, of batch or sequence, the experts of a mixture are split: tokens go to them and back, which nothing hides. Of Ideal and TERAIO, inside a node. An estimate: no measurement was held out.", func(s *settings) *int64 { return &s.Layout.Expert }),
		numeric("zero", "ZeRO stage of replicas", groupLayout, "", 1, 0, 3, "0: nothing is cut; Rajbhandari et al., ZeRO, SC 2020", "What replicas share: 1 optimizer states, 2 and gradients, 3 and weights.", func(s *settings) *int64 { return &s.Layout.ZeRO }),
	}
	training = append(training, recipeKnobs()...)
	arch := make([]setting, len(archKnobs))
	for i := range archKnobs {
		k := &archKnobs[i]
		arch[i] = numeric(k.key, k.label, "", "", 1, k.least, k.most, "comes with the model", k.help, func(s *settings) *int64 { return k.of(&s.Arch) })
	}
	idle(training, []knob.Idle{{While: "data=1 context=1", Why: "one replica: set data above 1"}}, "zero")
	idle(training, []knob.Idle{{While: "method=full", Why: "no adapters: set method to lora or qlora"}}, "rank targets")
	idle(arch, []knob.Idle{{While: "experts=0", Why: "a dense model: set experts above 0"}}, "active")
	standing, prices := aroundKnobs(), priceKnobs()
	idle(standing, oneNode, "network")
	idle(standing, oneGPU, "ring_step")
	idle(standing, noDrives, "drive ssd_read ssd_write array_share array_cap shared gds bounce")
	idle(standing, noHost, "host_spare host_margin")
	idle(prices, noHost, "price_host")
	options := optionKnobs()
	idle(options, noHost, "host_limit")
	idle(prices, noDrives, "price_drive endurance")
	around := slices.Concat(standing, prices) // made once, for what comes with all nodes and GPUs
	nodes := append([]setting{nodeKnob(around), readingKnob(), nicKnob(), gpuKnob(around)}, standing...)
	return map[string][]setting{"workload": workload, "training": training, "arch": arch, "machine": nodes, "prices": append(prices, partKnobs()...), "options": options, own.Panel().Key: own.Knobs(core.Asks(), func(s *settings) *own.Setting { return &s.Own })}
}

// recipeKnobs are what is trained, and how. Systems that move tensors by plan know the plain recipe alone.
func recipeKnobs() []setting {
	const (
		hu       = "Hu et al. 2021, LoRA; torchtune's defaults"
		dettmers = "Dettmers et al.: 8-bit optimizers, ICLR 2022; paged optimizers, QLoRA 2023"
		tune     = "torchtune, README: memory and training speed"
	)
	choice := func(key, label, word, help string) knob.Choice {
		return knob.Choice{Key: key, Label: label, Word: word, Help: help}
	}
	return []setting{
		one("method", "What is trained", groupRecipe, hu, "All weights, or adapters of low rank beside frozen ones. With adapters only One GPU, DDP, FSDP and FSDP offload run.", func(s *settings) *string { return &s.Method },
			choice("full", "all weights", "-", "Every weight has a gradient and states of the optimizer."),
			choice("lora", "LoRA", "LoRA", "Products of low rank beside frozen matrices."),
			choice("qlora", "QLoRA", "QLoRA", "The same; frozen matrices of layers in four bits (NF4 with double quantization).")),
		numeric("rank", "Rank of adapters", groupRecipe, "", 1, 1, 4096, hu, "Width of the products beside a matrix; of LoRA and QLoRA.", func(s *settings) *int64 { return &s.Recipe.Rank }),
		one("targets", "Matrices with adapters", groupRecipe, hu, "Beside which matrices of a layer adapters stand; of LoRA and QLoRA.", func(s *settings) *string { return &s.Targets },
			choice("qv", "query and value", "adapters beside query and value", "Two of a layer."),
			choice("attention", "attention", "adapters beside attention", "Query, key, value and output."),
			choice("linear", "all", "-", "Attention and the feed-forward block."),
			choice("mlp", "feed-forward", "adapters beside the feed-forward block", "The feed-forward block alone.")),
		one("optimizer", "Optimizer", groupRecipe, dettmers, "What states each trained weight has.", func(s *settings) *string { return &s.Optimizer },
			choice("adamw-fp32", "AdamW", "-", "Two moments of 4 bytes."),
			choice("adamw-bf16", "AdamW in bf16", "AdamW in bf16", "Two moments of 2 bytes."),
			choice("adamw-8bit", "8-bit AdamW", "8-bit AdamW", "Two moments of a byte, and a scale for each 256."),
			choice("paged-8bit", "8-bit AdamW, paged", "paged 8-bit AdamW", "The same, in host memory where the GPU has no room."),
			choice("paged-32bit", "AdamW, paged", "paged AdamW", "Two moments of 4 bytes, in host memory where the GPU has no room."),
			choice("sgd", "SGD", "SGD", "No states.")),
		yes("optimizer_in_backward", "Update in the backward pass", groupRecipe, tune, "Whether each matrix is updated as soon as its gradient is there, so that gradients are not kept; on one GPU.", "updated in the backward pass", func(s *settings) *bool { return &s.Recipe.InBackward }),
		one("loss", "Loss", groupRecipe, tune, "How the logits of the vocabulary are computed.", func(s *settings) *string { return &s.Loss },
			choice("full", "all logits", "-", "Logits of all tokens, and again in fp32."),
			choice("chunked", "chunked", "chunked loss", "Logits of all tokens in 16 bits; in fp32 an eighth at a time."),
			choice("fused", "fused", "fused loss", "An eighth of the logits at a time, and never all.")),
		yes("compile", "Compiled", groupRecipe, tune, "Whether One GPU, DDP and FSDP run compiled (torch.compile); the others' kernels are the law's.", "compiled", func(s *settings) *bool { return &s.Recipe.Compile }),
		yes("activation_offload", "Activations to host memory", groupRecipe, tune, "Whether what layers keep for the backward pass goes to host memory.", "activations offloaded", func(s *settings) *bool { return &s.Recipe.ActivationOffload }),
		one("state", "Weights and gradients of recipes", groupRecipe, tune, "Of One GPU, DDP and FSDP, which compute in bf16: whether weights and gradients have 2 bytes, or 4 and are cast.", func(s *settings) *string { return &s.State },
			choice("bf16", "bf16", "-", "2 bytes each."),
			choice("fp32", "fp32, cast", "weights in fp32", "4 bytes each, and a copy in bf16 to compute with.")),
		numeric("accumulate", "Micro-batches of a step", groupRecipe, "", 1, 1, 65536, tune, "Of One GPU, DDP and FSDP: how many micro-batches each GPU sums up before an update. An iteration trains as many sequences as micro-batch, GPUs and this make; batch only bounds a micro-batch that is chosen.", func(s *settings) *int64 { return &s.Recipe.Accumulate }),
	}
}

// modelKnob chooses a model.
func modelKnob() setting {
	k := one("model", "Model", "", "", "Which network is trained.", func(s *settings) *string { return &s.Model })
	k.Always = true
	for _, a := range model.Models() {
		k.Choices = append(k.Choices, knob.Choice{Key: a.Name, Label: a.Title, Source: a.Source, Set: modelText(&a), Help: size(&a) + " parameters."})
	}
	return k
}

// gpuKnob is the kind of GPU, with the node in which it stands as a rule.
func gpuKnob(around []setting) setting {
	gpu := one("gpu", "GPU", "", "", "The kind of GPU; all are the same.", func(s *settings) *string { return &s.GPU })
	gpu.Product = true
	for _, g := range machine.GPUs() {
		var without []string
		why := ""
		if g.Bounce {
			without, why = []string{"gds"}, "drives cannot copy to a GeForce directly"
		}
		gpu.Choices = append(gpu.Choices, knob.Choice{
			Ineffective: without, Why: why, Kin: g.Form, Companions: companions(&g, around), Rates: linkRates(&g),
			Key: g.Key, Label: g.Title, Source: g.Source, Help: fmt.Sprintf("%v, %v; price: %s.", g.Memory, g.HBM, g.PriceOf),
			Set: fmt.Sprintf("gpu_memory=%s spare=%s price_gpu=%s watts_gpu=%d", knob.Decimal(int64(g.Memory), int64(unit.GiB)), knob.Decimal(machine.SpareOf(g), 10_000), knob.Decimal(g.Cents, 100), g.Watts),
		})
	}
	return gpu
}

// aroundKnobs are what stands around GPUs: how many there are, drives, host and links.
func aroundKnobs() []setting {
	drive := one("drive", "Drive", groupDrives, "", "The kind of SSD; all are the same.", func(s *settings) *string { return &s.Drive })
	drive.Product = true
	for _, d := range machine.Drives() {
		drive.Choices = append(drive.Choices, knob.Choice{
			Key: d.Key, Label: d.Title, Source: d.Source, Help: fmt.Sprintf("Reads %v, writes %v, endures %v; price: %s.", d.Read, d.Write, terabytes(d.Endurance), d.PriceOf),
			Set: driveText(&d),
		})
	}
	return []setting{
		numeric("gpus", "GPUs", "", "", 1, 1, 4096, ofNode, "How many GPUs a node has. Where Nodes does not say otherwise, more than eight stand in nodes of eight. Up to 64 in all are simulated, more only by recipe.", func(s *settings) *int64 { return &s.Node.GPUs }),
		nodesKnob(),
		numeric("gpu_memory", "Memory of a GPU", "", "GiB", int64(unit.GiB), int64(unit.GiB), 4096*int64(unit.GiB), ofGPU, "What each GPU has. ZeRO and FSDP may use all of it, TERAIO all but the spare part.", func(s *settings) *unit.Bytes { return &s.Node.GPU.Memory }),
		numeric("spare", "Memory of a GPU that is spare", "", "%", 10_000, 0, 990_000, "80 of 94 GiB are left of an H100 NVL: what the peaks that the paper prints (Figure 7) divide by; a tenth elsewhere is assumed", "What runtime, buffers of collectives and holes take where TERAIO plans. ZeRO and FSDP count their buffers themselves, and have the whole memory.", func(s *settings) *int64 { return &s.Node.Spare }),
		numeric("gemm", "Efficiency of matrix products", "", "%", 10, 0, 1000, "read from the axes of the TERAIO paper's Figure 7; elsewhere 0", "What of a GPU's peak products and attention reach, whatever their shape; 0: what the law of kernel times says of each kernel, which was fitted to public measurements. "+teraiopaper.ByLaw(), func(s *settings) *int64 { return &s.Node.Efficiency }),
		drive,
		numeric("drives", "Drives for each GPU", groupDrives, "", 1, 0, 64, teraioPaper, "How many SSDs each GPU's array has; 0 for none.", func(s *settings) *int64 { return &s.Node.Drives }),
		yes("shared", "All GPUs share one array", groupDrives, "each GPU has its own: TERAIO, §4.1", "Whether the drives of all GPUs are one array (RAID-0).", "one shared array", func(s *settings) *bool { return &s.Node.Shared }),
		numeric("ssd_read", "Reads of a drive", groupDrives, "GB/s", int64(unit.GBps), int64(unit.MBps), int64(mostRate), ofDrive, "Sequential reads of one drive.", func(s *settings) *unit.Bandwidth { return &s.Node.Drive.Read }),
		numeric("ssd_write", "Writes of a drive", groupDrives, "GB/s", int64(unit.GBps), int64(unit.MBps), int64(mostRate), ofDrive, "Sequential writes of one drive.", func(s *settings) *unit.Bandwidth { return &s.Node.Drive.Write }),
		numeric("array_share", "What an array reaches of its drives", groupDrives, "%", 10, 10, 1000, ofNode, "What of the sum of its drives' rates an array moves.", func(s *settings) *int64 { return &s.Node.ArrayShare }),
		numeric("array_cap", "The most that an array moves", groupDrives, "GB/s", int64(unit.GBps), 0, int64(mostRate), "16 GB/s a GPU: TERAIO, §4.1", "In each direction, whatever its drives; 0 is no limit.", func(s *settings) *unit.Bandwidth { return &s.Node.ArrayCap }),
		yes("gds", "GPUDirect Storage", groupDrives, teraioPaper, "Whether drives and GPUs talk directly; without it their bytes cross host memory twice.", "-", func(s *settings) *bool { return &s.Node.GDS }),
		numeric("host_memory", "Host memory", groupHost, "GiB", int64(unit.GiB), 0, int64(mostGiB), ofNode, "What the host has, all of it.", func(s *settings) *unit.Bytes { return &s.Node.Host }),
		numeric("host_spare", "Host memory that is not for training", groupHost, "GiB", int64(unit.GiB), 0, int64(mostGiB), "8 GiB are usual; 0 as papers count", "What the operating system and other programs have of it.", func(s *settings) *unit.Bytes { return &s.Node.HostSpare }),
		numeric("host_margin", "What systems take more than they count", groupHost, "%", 10, 0, 10_000, "30 %: 750 to 800 GB were used where states are 585 (DeepSpeed, issue 3448); 0: none, but ZeRO-Offload's half, which is DeepSpeed's estimate", "Of host memory, by all systems alike: pinned buffers are rounded up, and freed late.", func(s *settings) *int64 { return &s.Node.HostMargin }),
		numeric("host_rate", "Rate of host memory", groupHost, "GB/s", int64(unit.GBps), int64(unit.GBps), int64(mostRate), ofNode, "Reads and writes together.", func(s *settings) *unit.Bandwidth { return &s.Node.HostRate }),
		numeric("adam", "Parameters that the host updates", groupHost, "G/s", 1e9, million, 1e15, ofNode, "How many billion parameters a second all processors of the host update with Adam.", func(s *settings) *int64 { return &s.Node.Adam }),
		numeric("host_path", "Between a GPU and host memory", groupLinks, "GB/s", int64(unit.GBps), int64(unit.MBps), int64(mostRate), "fitted to TERAIO-Mixed with Llama-3 70B", "In each direction, as TERAIO's engine reaches it. ZeRO and FSDP have their own: The same, pinned.", func(s *settings) *unit.Bandwidth { return &s.Node.HostPath }),
		numeric("pinned", "The same, pinned (ZeRO, FSDP)", groupLinks, "GB/s", int64(unit.GBps), 0, int64(mostRate), ofNode, "The same for ZeRO and FSDP, which copy from and to pinned host memory only; 0: as TERAIO, at Between a GPU and host memory. At the paper's node 50.4 against 3 GB/s; with the same for all, TERAIO-Mixed gains or ZeRO loses most of its throughput.", func(s *settings) *unit.Bandwidth { return &s.Node.Pinned }),
		numeric("bounce", "Between drives and a GPU through host memory", groupLinks, "GB/s", int64(unit.GBps), 0, int64(mostRate), "0: no limit of its own; 12.5 is what two GPUs moved each way where host memory carried 100 GB/s (TERAIO, Figure 11)", "In each direction, where drives and GPUs do not talk directly: without GPUDirect Storage, and on a GeForce.", func(s *settings) *unit.Bandwidth { return &s.Node.BouncePath }),
		numeric("collective", "Rate of collectives", groupLinks, "GB/s", int64(unit.GBps), 0, int64(mostRate), "fitted to ZeRO-Offload with Llama-3 8B", "At which a GPU sends and receives in an all-reduce or all-gather, as a program reaches it; 0 is the rate of NVLink, or of PCIe without.", func(s *settings) *unit.Bandwidth { return &s.Node.Collective }),
		numeric("network", "Network of a GPU", groupLinks, "GB/s", int64(unit.GBps), int64(unit.MBps), int64(mostRate), ofNode+"; nine tenths of it are reached", "Between nodes, in each direction, a GPU's share of its node's adapters: 50 is 400 Gb/s for each GPU. All GPUs of a node send at once, in a ring for each adapter.", func(s *settings) *unit.Bandwidth { return &s.Node.Network }),
		stepKnob(),
		numeric("switch", "GPUs on a PCIe switch", groupLinks, "", 1, 1, 64, ofNode, "How many GPUs share one link to the host; 1: each has its own.", func(s *settings) *int64 { return &s.Node.Switch }),
	}
}

// priceKnobs are what the node costs.
func priceKnobs() []setting {
	cents := func(key, label, source, help string, ref func(*settings) *int64) setting {
		return numeric(key, label, "", "$", 100, 0, 1e9*100, source, help, ref)
	}
	return []setting{
		cents("price_gpu", "Price of a GPU", "comes with the GPU: a price that was asked on a day", "Of one.", func(s *settings) *int64 { return &s.Node.GPU.Cents }),
		cents("price_drive", "Price of a drive", "comes with the drive: a price that was asked on a day", "Of one.", func(s *settings) *int64 { return &s.Node.Drive.Cents }),
		cents("price_host", "Price of a GiB of host memory", ofNode, "Of one GiB.", func(s *settings) *int64 { return &s.Node.Prices.HostGiB }),
		cents("price_base", "Price of the rest", ofNode, "Chassis, board, processors and network.", func(s *settings) *int64 { return &s.Node.Prices.Base }),
		cents("price_kwh", "Price of a kWh", "13 cents: what businesses in the United States pay, 12.8 on average in 2024 (EIA)", "Of electricity.", func(s *settings) *int64 { return &s.Node.Prices.KWh }),
		numeric("watts_gpu", "Power of a GPU", "", "W", 1, 0, 100000, ofGPU, "While it works.", func(s *settings) *int64 { return &s.Node.GPU.Watts }),
		numeric("watts_base", "Power of the rest", "", "W", 1, 0, 100000, ofNode, "All but GPUs and drives.", func(s *settings) *int64 { return &s.Node.Prices.BaseWatt }),
		numeric("endurance", "Endurance of a drive", "", "TB", 1e12, 1e9, 1e18, ofDrive, "What its maker warrants to be written.", func(s *settings) *unit.Bytes { return &s.Node.Drive.Endurance }),
		numeric("years", "Years in which the machine pays", "", "years", 1, 1, 20, "ours: four years is usual", "So long its price is spread over the tokens that it trains.", func(s *settings) *int64 { return &s.Node.Prices.Years }),
	}
}

// optionKnobs are what systems can be told.
func optionKnobs() []setting {
	count := func(key, label, help string, ref func(*system.Options) *int64) setting {
		return numeric(key, label, groupZero, elements, million, 0, mostElements, deepspeed, help, func(s *settings) *int64 { return ref(&s.Options) })
	}
	return []setting{
		numeric("host_limit", "Host memory for TERAIO", groupTeraIO, "GiB", int64(unit.GiB), 0, int64(mostGiB), teraioPaper, "How much of it TERAIO-Mixed may use; the systems that work on the host have all of it.", func(s *settings) *unit.Bytes { return &s.Options.HostLimit }),
		one("fallback", "TERAIO's plan does not fit", groupTeraIO, "the paper says evict on demand; the rest is ours", "What TERAIO does where its plan leaves more than the GPU holds.", func(s *settings) *string { return &s.Fallback },
			knob.Choice{Key: "better", Label: "the best of several", Word: "-", Help: "Ours: the fastest of the other two, one stretched half as far, one that fills host memory first, and these on drives alone."},
			knob.Choice{Key: "demand", Label: "evict on demand", Word: "as published", Help: "As published: the plan is kept, and whatever it lacks room for is evicted when it is needed."},
			knob.Choice{Key: "stretch", Label: "plan for longer", Word: "stretched", Help: "Ours: it plans for a longer iteration, in which everything fits."}),
		numeric("min_tensor", "Smallest tensor that moves", groupTeraIO, "MiB", int64(unit.MiB), 0, int64(unit.GiB), "1 MiB: ours", "Smaller ones stay on the GPU.", func(s *settings) *unit.Bytes { return &s.Options.MinTensor }),
		numeric("target", "What TERAIO's plans fill", groupTeraIO, "%", 10, 500, 1000, "97 %: ours", "Up to what of a GPU's memory a plan goes.", func(s *settings) *int64 { return &s.Options.Target }),
		yes("rewrite", "TERAIO writes unchanged weights", groupTeraIO, "the paper does not say; without it 70B gains two points", "Whether a weight that did not change since it came is written when it leaves.", "-", func(s *settings) *bool { return &s.Options.Rewrite }),
		one("zero_cut", "What ZeRO and FSDP cut", groupZero, "tensors: TERAIO, §4.1; the batch: as DeepSpeed and FSDP do by themselves", "Whether GPUs share every matrix, or the batch.", func(s *settings) *string { return &s.Cut },
			knob.Choice{Key: "tensor", Label: "matrices", Word: "-", Help: "Tensor parallelism: an all-reduce behind each block."},
			knob.Choice{Key: "data", Label: "the batch", Word: "ZeRO cuts the batch", Help: "Data parallelism: every GPU gathers each layer."}),
		within(chosen("zero_micro", "Micro-batch of ZeRO and FSDP", groupZero, 65536, "0: the largest that fits", "Sequences of a micro-batch of ZeRO and FSDP, of one replica; 0 chooses.", func(s *settings) *int64 { return &s.Options.Micro })),
		numeric("stage", "ZeRO-Offload's stage", groupZero, "", 1, 2, 3, deepspeed, "2: weights stay on the GPU; 3: they are gathered when they are used.", func(s *settings) *int64 { return &s.Options.Stage }),
		yes("delayed", "ZeRO-Offload updates late", groupZero, "ZeRO-Offload, ATC 2021, §5.2", "Whether the host's step overlaps the next iteration, whose gradients are then of older weights.", "delayed update", func(s *settings) *bool { return &s.Options.Delayed }),
		yes("pipelined", "ZeRO-Infinity moves while it updates", groupZero, teraioPaper, "Whether ZeRO-Infinity moves states while the host computes (pipeline_read, pipeline_write).", "-", func(s *settings) *bool { return &s.Options.Pipelined }),
		count("sub_group", "Sub-group of an update", "How many million parameters the host updates at a time (sub_group_size).", func(o *system.Options) *int64 { return &o.SubGroup }),
		numeric("buffers", "Buffers for weights", groupZero, "", 1, 1, 4096, deepspeed, "How many pinned buffers there are (offload_param.buffer_count).", func(s *settings) *int64 { return &s.Options.Buffers }),
		count("buffer_size", "Size of a buffer", "Million elements of a pinned one (offload_param.buffer_size); 0: as many as the largest matrix.", func(o *system.Options) *int64 { return &o.BufferElements }),
		numeric("opt_buffers", "Buffers for the optimizer", groupZero, "", 1, 1, 4096, deepspeed, "How many sub-groups may be on their way (offload_optimizer.buffer_count).", func(s *settings) *int64 { return &s.Options.OptBuffers }),
		count("prefetch", "Parameters gathered ahead", "Million parameters that are gathered ahead (stage3_prefetch_bucket_size).", func(o *system.Options) *int64 { return &o.Prefetch }),
		count("live", "Parameters gathered at a time", "Million parameters that are gathered at a time (stage3_max_live_parameters).", func(o *system.Options) *int64 { return &o.Live }),
		count("reuse", "Reuse for which a layer stays", "A layer that is used again within so many million parameters stays (stage3_max_reuse_distance).", func(o *system.Options) *int64 { return &o.Reuse }),
		count("bucket", "Bucket of gradients", "So many million elements go together (reduce_bucket_size).", func(o *system.Options) *int64 { return &o.Bucket }),
	}
}

// driveText writes what comes with a drive.
func driveText(d *machine.Drive) string {
	return fmt.Sprintf("ssd_read=%s ssd_write=%s price_drive=%s endurance=%s",
		knob.Decimal(int64(d.Read), int64(unit.GBps)), knob.Decimal(int64(d.Write), int64(unit.GBps)), knob.Decimal(d.Cents, 100), knob.Decimal(int64(d.Endurance), 1e12))
}

// nodeKnob names machines as a whole.
func nodeKnob(around []setting) setting {
	k := setting{Info: knob.Info{Key: "node", Label: "Machine", Help: "All parts of a node at once.", Kind: knob.One, Derived: true}}
	for _, p := range machine.Presets() {
		k.Choices = append(k.Choices, knob.Choice{Key: p.Key, Label: p.Title, Help: p.About, Source: p.Source, Set: nodeText(&p.Config, around)})
	}
	return k
}

// readingKnob names what the TERAIO paper leaves open of its machine.
func readingKnob() setting {
	k := setting{Info: knob.Info{Key: "reading", Label: "The TERAIO machine", Group: groupDrives, Help: "What the paper leaves open of its machine, as a whole: array_cap, array_share and host_path.", Kind: knob.One, Derived: true}}
	text := func(r machine.Reading) string {
		return fmt.Sprintf("array_cap=%s array_share=%s host_path=%s", knob.Decimal(int64(r.ArrayCap), int64(unit.GBps)), knob.Decimal(r.ArrayShare, 10), knob.Decimal(int64(r.HostPath), int64(unit.GBps)))
	}
	k.Choices = []knob.Choice{
		{Key: "stated", Label: "as the text states it", Set: text(machine.AsStated()), Source: "TERAIO, §4.1; host_path is fitted to TERAIO-Mixed with Llama-3 70B", Help: "Arrays move 16 GB/s each way, drives read and write at once at their full rates, and the path to host memory has 3 GB/s."},
		{Key: "run", Label: "as it was run", Set: text(machine.AsRun()), Source: "12.6 GB/s: four fifths of 8 lanes of PCIe 4.0; 70 %: fitted to Figure 9's two drives; 7.25 GB/s: fitted to TERAIO-Mixed with Llama-3 70B", Help: "Arrays move 12.6 GB/s each way, a drive that reads and writes at once has 70 % of each rate, and the path to host memory has 7.25 GB/s. More of the paper's numbers hold at once, most of which nothing was fitted to."},
	}
	return k
}

// nicKnob names adapters.
func nicKnob() setting {
	k := setting{Info: knob.Info{Key: "nic", Label: "Network adapters", Group: groupLinks, Help: "What stands between nodes, for each GPU: network.", Kind: knob.One, Derived: true}}
	for _, n := range machine.Adapters() {
		k.Choices = append(k.Choices, knob.Choice{Key: n.Key, Label: n.Title, Source: n.Source, Set: "network=" + knob.Decimal(int64(n.Rate), int64(unit.GBps)), Help: fmt.Sprintf("%v for each GPU, in each direction.", n.Rate)})
	}
	return k
}

// nodesKnob is how many nodes there are.
func nodesKnob() setting {
	k := chosen("nodes", "Nodes", "", 4096, "8 GPUs stand in a server of DGX and HGX", "How many nodes there are, alike: GPUs, drives, host memory and prices are those of one. 0: one, or as many as GPUs need with eight in each.", func(s *settings) *int64 { return &s.Node.Nodes })
	k.Zero = "as many as GPUs need"
	return k
}

// stepKnob is what collectives take besides their bytes.
func stepKnob() setting {
	k := numeric("ring_step", "A step of a collective", groupLinks, "µs", int64(unit.Microsecond), 0, int64(unit.Second), "2.27 µs: fitted to llm-foundry's MPT 1B on 16 to 512 H100", "How much longer a collective takes for each time that bytes are passed on. 0: nothing where tensors move by plan, as papers have it, and 2.27 µs by recipe.", func(s *settings) *unit.Time { return &s.Node.Step })
	k.Zero = "as the system has it"
	return k
}

// notOfNode are knobs that a node as a whole does not decide: what electricity costs, and how
// long a machine is used, and how many of it there are.
var notOfNode = []string{"price_kwh", "years", "nodes", "ring_step"}

// nodeText writes a node as settings; around are the knobs of what stands around its GPUs.
func nodeText(c *machine.Config, around []setting) string {
	return "gpu=" + c.GPU.Key + " " + nodeSettings(c, around, notOfNode)
}

// companions are the settings of the node in which a GPU stands as a rule.
func companions(g *machine.GPU, around []setting) string {
	c := machine.SoldWith(*g)
	return nodeSettings(&c, around, notOfGPU)
}

// nodeSettings writes what knobs have of a node, but for some keys.
func nodeSettings(c *machine.Config, knobs []setting, without []string) string {
	s := settings{Drive: c.Drive.Key}
	s.Node = *c
	var list []knob.Pair
	for _, k := range knobs {
		if !slices.Contains(without, k.Key) {
			list = append(list, knob.Pair{Key: k.Key, Text: k.Text(&s)})
		}
	}
	return knob.Join(list, " ")
}

// linkRates are a GPU's links by themselves, by what programs reach of them in a node: machine.Config.With.
func linkRates(g *machine.GPU) string {
	text := func(b unit.Bandwidth) string { return knob.Decimal(int64(b), int64(unit.GBps)) }
	return fmt.Sprintf("host_path=%s pinned=%[1]s collective=%s", text(g.Copies()), text(cmp.Or(g.Peer, g.Link)))
}

// notOfGPU are knobs of a node that its GPU does not decide: how many there are, and what comes with
// the GPU and with the drive by themselves.
var notOfGPU = append([]string{"gpus", "gpu_memory", "spare", "price_gpu", "watts_gpu", "ssd_read", "ssd_write", "price_drive", "endurance"}, notOfNode...)
