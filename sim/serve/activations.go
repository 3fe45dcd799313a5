package serve

import (
	"cmp"

	"spillway/sim/model"
	"spillway/sim/unit"
)

// A Scratch is what an engine allocates for a step on each GPU, besides weights, keys and values. Engines of vLLM's
// kind run a step of the most tokens when they start, keep its peak free, and give to keys and values only what is
// left.
type Scratch struct {
	Number int64 // bytes of a number that a layer makes
	Pass   int64 // tokens that go through the layers at once; 0: all of a step
	// Choice is what choosing the next token takes for each entry of the vocabulary, in thousandths of a byte. It
	// is not divided among GPUs: each has all logits.
	Choice int64
	All    bool // every token of a pass has logits; else the last of each sequence
}

// of is what a step of so many tokens of so many sequences takes on each of the GPUs of a replica, one after the
// other: in the widest layer, and to choose tokens.
func (x *Scratch) of(a *model.Arch, tokens, sequences, gpus int64) (layers, choice unit.Bytes) {
	if x.Pass > 0 {
		tokens = min(tokens, x.Pass)
	}
	rows := min(sequences, tokens)
	if x.All {
		rows = tokens
	}
	layers = unit.Bytes(unit.MulDiv(tokens*x.Number, width(a, gpus), 1))
	return layers, unit.Bytes(unit.MulDiv(rows*a.Vocab, x.Choice, thousand))
}

// scratch is what an engine's steps take on each GPU, of a setting that is filled in.
func (s *Setting) scratch(e *Engine, sys *System) (layers, choice unit.Bytes) {
	x := e.Scratch
	if sys.Stream != Resident && sys.Stream != Divided {
		// A pass serves all tokens, of which the GPU computes so many at a time.
		_, tokens := e.limits(&s.Node.GPU)
		x.Pass, x.Choice = cmp.Or(x.Pass, tokens), 0
	}
	return x.of(s.Model, s.Tokens, s.Sequences, s.Tensor)
}

// width is how many numbers of a token the widest layer holds at once on each of its GPUs: what goes into the layer,
// what passes it by and what the feed-forward block gives, which each GPU has whole, and inside the block what its
// first matrices make and what the last reads. Each expert that a token passes gives a result of its own, where
// another needs the first matrices' no longer.
func width(a *model.Arch, gpus int64) (most int64) {
	first := int64(1)
	if a.Gated {
		first = 2
	}
	for _, f := range a.Feeds() {
		n := (first + 1) * max(f.Width, f.Shared)
		if f.Experts > 0 {
			n = max((first+1)*f.Shared, f.Active*(first*f.Width+a.Hidden*gpus))
		}
		most = max(most, 3*a.Hidden+(n+gpus-1)/gpus)
	}
	return most
}
