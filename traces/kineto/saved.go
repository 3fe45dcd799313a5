package kineto

import (
	"cmp"
	"slices"
	"strings"

	"spillway/sim/workload"
)

// A saving is what autograd keeps of an operator until its backward.
type saving uint8

const (
	savesInputs saving = iota // and weights, which are there anyway
	savesResult
	savesBoth
	savesNothing // or no more than sizes and indices
)

// savings has the operators that keep something else than their inputs (PyTorch's
// tools/autograd/derivatives.yaml).
var savings = map[string]saving{}

func init() {
	for kept, names := range map[saving]string{
		savesResult: "relu relu_ clamp_min sigmoid tanh softmax _softmax _log_softmax log_softmax exp sqrt rsqrt reciprocal elu elu_ threshold leaky_relu_ hardtanh_ cumprod",
		savesBoth:   "scaled_dot_product_attention _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention _flash_attention_forward _efficient_attention_forward",
		savesNothing: "add add_ sub sub_ rsub sum mean cat stack view reshape _reshape_alias _unsafe_view transpose t permute expand unsqueeze squeeze select slice narrow split split_with_sizes chunk " +
			"to _to_copy clone copy_ contiguous embedding index_select gather roll flip repeat flatten zeros ones empty full zero_ fill_ zeros_like ones_like empty_like detach dropout masked_fill masked_fill_ pad constant_pad_nd",
	} {
		for name := range strings.FieldsSeq(names) {
			savings[name] = kept
		}
	}
}

// savedBy returns what autograd keeps of an operator.
func savedBy(name string) saving { return savings[strings.TrimPrefix(name, "aten::")] }

// keep has what autograd saved live to the end of a step that computes no gradients: their graph
// is there as long as its result is. The last operator with a number is that of which a node of
// the graph was made, and only if the number was not given again.
func (b *builder) keep() {
	if len(b.forward) == 0 || len(b.byLaunch) == 0 {
		return
	}
	last := b.byLaunch[len(b.byLaunch)-1]
	highest := b.t.order[b.forward[len(b.forward)-1]].sequence
	ops := make([]int32, 0, len(b.reads))
	for op := range b.reads {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	made := 0
	for _, op := range ops {
		node := op
		for b.t.order[node].sequence < 0 && b.t.Ops[node].Parent >= 0 {
			node = b.t.Ops[node].Parent
		}
		if s := b.t.order[node].sequence; s < 0 || s >= highest || b.t.phaseOf(op) != forward || b.again(node) {
			continue
		}
		var saved []int32
		switch kept := savedBy(b.t.Strings[b.t.Ops[op].Name]); kept {
		case savesNothing:
		case savesResult, savesInputs, savesBoth:
			if kept != savesInputs {
				saved = append(saved, b.made[op]...)
			}
			if r := b.reads[op]; kept != savesResult {
				saved = append(saved, b.readers[r[0]:r[1]]...)
			}
		}
		for _, id := range saved {
			if t := &b.step.Tensors[id]; !t.Global && t.Kind == workload.Intermediate {
				b.touch(id, last, true, false)
				made++
			}
		}
	}
	if made > 0 {
		b.step.Notes = append(b.step.Notes, "What autograd saves for a backward that is not in the step is taken to be there until its end.")
	}
}

// again reports whether an operator that begins after this one has ended has its number: then no
// node was made of this one. Those of one number are in the order of threads and of their begin.
func (b *builder) again(op int32) bool {
	s, thread := b.t.order[op].sequence, b.t.Ops[op].Thread
	n, _ := slices.BinarySearchFunc(b.forward, op, func(f, _ int32) int {
		if cmp.Or(cmp.Compare(b.t.order[f].sequence, s), cmp.Compare(b.t.Ops[f].Thread, thread)) <= 0 {
			return -1
		}
		return 1
	})
	if n == 0 {
		return false
	}
	last := b.forward[n-1]
	return b.t.order[last].sequence == s && b.t.Ops[last].Thread == thread && b.t.Ops[last].Start >= b.t.Ops[op].end()
}
