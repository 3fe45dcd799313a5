package llm

import (
	"cmp"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/pretrain"
	"spillway/sim/llm/recipe"
	"spillway/sim/machine"
)

// A Way is a recipe that people choose between, each with the quickest details that fit.
type Way struct {
	Key, Title string
	Method     recipe.Method
	Optimizer  recipe.Optimizer
	InBackward bool
}

// Ways are what is ranked: all weights with states that take less and less, and adapters.
var Ways = []Way{
	{Key: "full", Title: "All weights, AdamW", Optimizer: recipe.AdamWFP32},
	{Key: "full-bf16", Title: "All weights, AdamW in bf16", Optimizer: recipe.AdamWBF16},
	{Key: "full-8bit", Title: "All weights, 8-bit AdamW", Optimizer: recipe.AdamW8},
	{Key: "full-backward", Title: "All weights, 8-bit AdamW, updated in the backward pass", Optimizer: recipe.AdamW8, InBackward: true},
	{Key: "full-paged", Title: "All weights, paged 8-bit AdamW", Optimizer: recipe.Paged8},
	{Key: "full-paged-backward", Title: "All weights, paged 8-bit AdamW, updated in the backward pass", Optimizer: recipe.Paged8, InBackward: true},
	{Key: "lora", Title: "LoRA", Method: recipe.LoRA, Optimizer: recipe.AdamWBF16},
	{Key: "qlora", Title: "QLoRA", Method: recipe.QLoRA, Optimizer: recipe.AdamWBF16},
}

// A Ranked is one way on one machine.
type Ranked struct {
	Way  *Way
	Node machine.Config
	// Job is the quickest variant that fits, or where none does the smallest; Memory and Step are of it.
	Job    recipe.Job
	Memory recipe.Memory
	Step   recipe.Step
	Fits   bool
	Reason string // why it cannot be, empty where it fits or only memory lacks
}

// System is the name of the system that trains so.
func (r *Ranked) System() string {
	if r.Job.Share == *sharded.Recipe {
		return sharded.Name
	}
	return single.Name
}

// Setup is that of a run with what was found.
func (r *Ranked) Setup(s *Setup) Setup {
	t := *s
	t.Node, t.Recipe, t.Layout.Micro = r.Node, r.Job.Choice, r.Job.Micro
	t.Layout.Recompute = map[pretrain.Recompute]job.Recompute{pretrain.Nothing: job.KeepAll, pretrain.Selective: job.Selective, pretrain.Full: job.Full}[r.Job.Recompute]
	return t
}

// Rank finds for each way the quickest of its variants that fits a machine: how the loss is computed, what is
// computed again, how many sequences a micro-batch has, up to the batch's. One GPU trains alone, several
// share all states, and update after the backward pass. What fits comes first, the fastest at the head, then what does not, the smallest first.
func Rank(s *Setup, node *machine.Config) []Ranked {
	var list []Ranked
	for i := range Ways {
		if w := &Ways[i]; !w.InBackward || node.GPUs == 1 {
			list = append(list, tried(s, node, w))
		}
	}
	slices.SortStableFunc(list, func(a, b Ranked) int {
		switch {
		case a.Fits != b.Fits:
			return map[bool]int{true: -1, false: 1}[a.Fits]
		case a.Fits:
			return cmp.Compare(b.Step.Milli, a.Step.Milli)
		}
		return cmp.Compare(a.Memory.Peak, b.Memory.Peak)
	})
	return list
}

// tried is one way with its best variant.
func tried(s *Setup, node *machine.Config, w *Way) Ranked {
	out := Ranked{Way: w, Node: *node}
	share := recipe.Alone
	if node.GPUs > 1 {
		share = recipe.Sharded
	}
	base := s.recipeOf(node, share)
	base.Method, base.Optimizer, base.InBackward, base.FP32, base.ActivationOffload = w.Method, w.Optimizer, w.InBackward, false, false
	if w.InBackward {
		base.Accumulate = 1
	}
	base.Micro = 1
	out.Job = base
	if err := base.Check(); err != nil {
		out.Reason = err.Error()
		return out
	}
	first := true
	for _, again := range []pretrain.Recompute{pretrain.Nothing, pretrain.Selective, pretrain.Full} {
		for loss := recipe.Whole; loss <= recipe.Fused; loss++ {
			for micro := int64(1); micro == 1 || micro <= s.Layout.Batch/max(node.GPUs/max(base.Context, 1), 1); micro *= 2 {
				j := base
				j.Recompute, j.Loss, j.Micro = again, loss, micro
				if j.Check() != nil {
					break
				}
				m := j.Needs()
				if m.Peak > j.Memory || m.Host > j.Host {
					if first || !out.Fits && m.Peak < out.Memory.Peak {
						out.Job, out.Memory, first = j, m, false
					}
					break // more sequences take more
				}
				step, err := j.Time()
				if err != nil {
					out.Reason = err.Error()
					return out
				}
				if !out.Fits || step.Milli > out.Step.Milli {
					out.Job, out.Memory, out.Step, out.Fits, first = j, m, step, true, false
				}
			}
		}
	}
	return out
}

// Others are machines like a node, with every other kind of GPU that the law of kernel times knows, as many of it.
func Others(node *machine.Config) []machine.Config {
	var list []machine.Config
	for _, g := range machine.GPUs() {
		if job.LawOf(&g) == nil || g.Key == node.GPU.Key {
			continue
		}
		n := *node
		n.GPU, n.Collective, n.Efficiency = g, 0, 0
		list = append(list, n)
	}
	return list
}
