package llm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/pretrain"
	"spillway/sim/llm/recipe"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/unit"
)

// Recipes are systems that hold what they need: a model fits as it is trained, or it does not. Their
// memory and time are closed formulas (package recipe).
var Recipes = []*system.System{&single, &replicated, &sharded}

var (
	alone, everything, parts = recipe.Alone, recipe.Replicated, recipe.Sharded

	single = system.System{
		Name: "single", Title: "One GPU", Family: "Nothing moves", Look: 6, Recipe: &alone, Paper: "PyTorch; closed formulas",
		About: "One GPU holds weights, gradients, optimizer and activations, as the recipe says: it fits, or it does not.",
	}
	replicated = system.System{
		Name: "ddp", Title: "DDP", Family: "Nothing moves", Look: 7, Recipe: &everything, Paper: "PyTorch DDP, VLDB 2020; closed formulas",
		About: "Every GPU holds everything and trains its part of the batch; gradients are summed.",
	}
	sharded = system.System{
		Name: "fsdp", Title: "FSDP", Family: "Nothing moves", Look: 8, Recipe: &parts, Paper: "PyTorch FSDP, VLDB 2023; closed formulas",
		About: "Every GPU holds its share of weights, gradients and optimizer, and gathers layers when they are used.",
	}
)

// A Formula is what closed formulas say of a recipe.
type Formula struct {
	Job    recipe.Job
	Memory recipe.Memory
	Step   recipe.Step
	// Lacks is what is missing, as an amount, empty if it fits. Mend is the smallest change with which it fits, as
	// settings, and Change in words; empty if it fits or nothing helps.
	Lacks, Mend, Change string
}

// edge is how much more than a GPU's memory an estimate may be and count as fitting, in percent: nine of
// ten measurements are within.
const edge = 8

// ByFormula says that a system's memory and time come from closed formulas here: nothing happens over time then.
func (s *Setup) ByFormula(sys *system.System) bool {
	return sys.Recipe != nil && (sys.Plan == nil || !s.Recipe.Plain())
}

// recipeOf is what closed formulas are asked of a setup; the micro-batch is 0 where it is to be chosen.
func (s *Setup) recipeOf(c *machine.Config, share recipe.Share) recipe.Job {
	arch := s.Arch
	j := recipe.Job{
		Arch: &arch, GPU: job.LawOf(&c.GPU), GPUs: c.GPUs, Link: c.HostPath, Collective: c.Peers(), Memory: c.GPU.Memory, Host: c.HostFree(), Adam: c.Adam, Step: cmp.Or(c.Step, pretrain.RingStep),
		Choice: s.Recipe, Share: share, FP8: s.Layout.FP8, Micro: s.Layout.Micro, Sequence: s.Layout.Sequence, Context: s.Layout.Context, Scale: s.Layout.TimeScale,
		Recompute: [...]pretrain.Recompute{job.KeepAll: pretrain.Nothing, job.Selective: pretrain.Selective, job.Full: pretrain.Full}[s.Layout.Recompute],
	}
	if c.Pinned > 0 {
		j.Link = c.Pinned
	}
	// A switch and host memory carry what all their GPUs move at the same time.
	j.Link = min(j.Link, c.GPU.Link/unit.Bandwidth(max(min(c.Switch, c.InNode()), 1)), c.HostRate/2/unit.Bandwidth(c.GPUs))
	if across := c.Between() * unit.Bandwidth(c.InNode()); c.Nodes > 1 {
		j.Collective = min(j.Collective, across)
	}
	return j
}

// byFormula is a run of closed formulas.
func (r *Result) byFormula(s *Setup, sys *system.System) (err error) {
	if r.Node, err = s.Node.Build(); err != nil {
		return err
	}
	j := s.recipeOf(&r.Node.Config, *sys.Recipe)
	if j.Micro == 0 { // the largest that fits, of those that the batch has
		for j.Micro = 1; 2*j.Micro <= s.Layout.Batch/max(j.GPUs/max(j.Context, 1), 1); j.Micro *= 2 {
			more := j
			more.Micro *= 2
			if m := more.Needs(); m.Peak > j.Memory || m.Host > j.Host {
				break
			}
		}
	}
	if err := j.Check(); err != nil {
		r.Reason = err.Error() + "."
		return nil
	}
	f := &Formula{Job: j, Memory: j.Needs()}
	r.Recipe = f
	if f.Lacks, r.Reason = short(&f.Memory, &j); r.Reason != "" {
		if f.Change, f.Mend = mended(j); f.Mend != "" {
			r.Reason += fmt.Sprintf(" The smallest change that makes it fit: %s (%s).", f.Change, f.Mend)
		} else {
			r.Reason += " No recipe makes it fit: share it among more GPUs, or take a system that moves tensors."
		}
		return nil
	}
	if f.Step, err = j.Time(); err != nil {
		return err
	}
	r.Tokens = j.Sequences() * j.Sequence
	gpu := offload.GPUResult{Peak: f.Memory.Peak, HostRead: f.Step.FromHost, HostWritten: f.Step.ToHost}
	t := &f.Step
	gpu.Ledger[offload.Computes] = t.Products + t.Attention + t.Moving + t.Host + t.Unpack
	gpu.Ledger[offload.Communicate] = t.Communication
	gpu.Ledger[offload.Fetch] = t.Paging
	if j.Share == recipe.Offloaded {
		gpu.Ledger[offload.Optimizer] = t.Optimizer
	} else {
		gpu.Ledger[offload.Computes] += t.Optimizer
	}
	r.Result = &offload.Result{Schedule: "by formula", Time: t.Time, GPUs: slices.Repeat([]offload.GPUResult{gpu}, int(j.GPUs)), Links: make([]offload.LinkUse, len(r.Node.Links)), HostPeak: f.Memory.Host}
	if err := r.carry(&f.Step); err != nil {
		return err
	}
	r.Notes = append(r.Notes, f.says()...)
	if s.Layout.Precision == job.FP32 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s multiplies in bf16 whatever Precision says; what weights and states take is the recipe's.", sys.Title))
	}
	return nil
}

// carry books what a step moves on the links that it crosses.
func (r *Result) carry(t *recipe.Step) error {
	if len(r.Node.Links) > math.MaxInt16 { // of so many nodes links have no numbers
		return nil
	}
	host := machine.Endpoint{Kind: machine.OnHost, Pinned: true}
	for g := range r.GPUs {
		gpu := machine.Endpoint{Kind: machine.OnGPU, Index: int16(g)}
		next := machine.Endpoint{Kind: machine.OnGPU, Index: int16((g + 1) % len(r.GPUs))}
		for _, x := range []struct {
			from, to machine.Endpoint
			bytes    unit.Bytes
		}{{gpu, host, t.ToHost}, {host, gpu, t.FromHost}, {gpu, next, t.Sent}} {
			if x.bytes == 0 {
				continue
			}
			path, err := r.Node.Route(x.from, x.to)
			if err != nil {
				return err
			}
			for _, l := range path {
				r.Links[l].Bytes += x.bytes
				r.Links[l].Busy = r.Node.Links[l].Rate.Time(r.Links[l].Bytes)
			}
		}
	}
	return nil
}

// short says how much is missing, and of what; empty if nothing is.
func short(m *recipe.Memory, j *recipe.Job) (lacks, why string) {
	switch {
	case m.Peak > j.Memory+j.Memory/100*edge:
		lacks = tenths(m.Peak-j.Memory) + " GiB"
		return lacks, fmt.Sprintf("%s short on each GPU: it needs %s of %v.", lacks, tenths(m.Peak), j.Memory)
	case m.Host > j.Host:
		lacks = tenths(m.Host-j.Host) + " GiB of host memory"
		return lacks, fmt.Sprintf("%s are missing: it needs %s of %v.", lacks, tenths(m.Host), j.Host)
	}
	return "", ""
}

// tenths writes an amount in GiB.
func tenths(n unit.Bytes) string { return prose.Fixed(float64(n)/float64(unit.GiB), 1) }

// A saving makes a recipe smaller, at a price that is only there to choose between them. Adapters cost more than all that keeps
// training every weight, which is another training.
type saving struct {
	word, set string
	price     int
	do        func(*recipe.Job)
}

var savings = []saving{
	{"a chunked loss", "loss=chunked", 2, func(j *recipe.Job) { j.Loss = max(j.Loss, recipe.Chunked) }},
	{"recomputation", "recompute=full", 3, func(j *recipe.Job) { j.Recompute = pretrain.Full }},
	{"8-bit AdamW", "optimizer=adamw-8bit", 4, func(j *recipe.Job) { j.Optimizer = recipe.AdamW8 }},
	{"updates in the backward pass", "optimizer_in_backward=1", 5, func(j *recipe.Job) { j.InBackward = true }},
	{"offloaded activations", "activation_offload=1", 6, func(j *recipe.Job) { j.ActivationOffload = true }},
	{"one sequence in a micro-batch", "micro=1", 6, func(j *recipe.Job) { j.Micro = 1 }},
	{"paged 8-bit AdamW", "optimizer=paged-8bit", 9, func(j *recipe.Job) { j.Optimizer = recipe.Paged8 }},
	{"LoRA", "method=lora", 40, func(j *recipe.Job) { j.Method, j.FP32 = recipe.LoRA, false }},
	{"QLoRA", "method=qlora", 60, func(j *recipe.Job) { j.Method, j.FP32 = recipe.QLoRA, false }},
}

// mended is the smallest change with which a job fits, of all that there are; empty if none does.
func mended(j recipe.Job) (words, set string) {
	least := 0
	for subset := 1; subset < 1<<len(savings); subset++ {
		x, price := j, 0
		for i := range savings {
			if subset>>i&1 == 1 {
				savings[i].do(&x)
				price += savings[i].price
			}
		}
		if least > 0 && price >= least || x.Check() != nil {
			continue
		}
		if m := x.Needs(); m.Peak > x.Memory || m.Host > x.Host {
			continue
		}
		least = price
		var said, sets []string
		for i := range savings {
			if subset>>i&1 == 1 {
				said, sets = append(said, savings[i].word), append(sets, savings[i].set)
			}
		}
		words, set = prose.List(said), strings.Join(sets, " ")
	}
	return words, set
}

// says is what is to be known of a run by formula.
func (f *Formula) says() []string {
	m, j := &f.Memory, &f.Job
	var list []string
	where := "ends"
	if m.Begins > m.Ends {
		where = "begins"
	}
	said := fmt.Sprintf("A GPU is fullest when the backward pass %s: weights %v, optimizer %v, gradients %v in the end, activations %v and logits %v at its beginning", where, m.Weights, m.States, m.Gradients, m.Activations, m.Logits)
	if m.Gathered > 0 {
		said += fmt.Sprintf(", %v gathered or cast", m.Gathered)
	}
	list = append(list, said+".", fmt.Sprintf("%d sequences of %d tokens an iteration: micro-batches of %d on each GPU, %d of them.", j.Sequences(), j.Sequence, j.Micro, j.Accumulate))
	if c := j.Context; c > 1 {
		list[1] = fmt.Sprintf("%d sequences of %d tokens an iteration, each on %d GPUs: micro-batches of %d on these, %d of them.", j.Sequences(), j.Sequence, c, j.Micro, j.Accumulate)
	}
	if m.Peak > j.Memory {
		list = append(list, fmt.Sprintf("It may not fit: %v of %v, within what estimates are off.", m.Peak, j.Memory))
	}
	if j.Micro*(j.Sequence/max(j.Context, 1)) < 2000 {
		list = append(list, "Small steps: below 2000 tokens on a GPU the processor that starts kernels decides, and is slower than this on many machines.")
	}
	return list
}

// unknownRecipe says that a system knows no recipe but the plain one.
func unknownRecipe(sys *system.System) string {
	return fmt.Sprintf("%s trains all weights by Adam with moments in 4 bytes; how it would train by another recipe is not modelled. Take single, ddp, fsdp or fsdp-offload, or go back to method=full optimizer=adamw-fp32 loss=full.", sys.Title)
}
