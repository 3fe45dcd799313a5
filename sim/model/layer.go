package model

// A Feed is the feed-forward block of a layer.
type Feed struct {
	Width   int64 // of one expert, or of the block
	Experts int64 // 0 without
	Active  int64 // experts that a token passes, 1 without
	Shared  int64 // width of the experts that every token passes besides
}

// Feed is the feed-forward block of a layer, from 0.
func (a *Arch) Feed(layer int64) Feed {
	if a.Experts > 0 && layer >= a.DenseFirst && (layer+1)%max(a.Every, 1) == 0 {
		return Feed{Width: a.FFN, Experts: a.Experts, Active: a.Active, Shared: a.Shared}
	}
	if a.Experts > 0 && a.DenseFFN > 0 {
		return Feed{Width: a.DenseFFN, Active: 1}
	}
	return Feed{Width: a.FFN, Active: 1}
}

// Alike is layers with the same feed-forward block.
type Alike struct {
	Layers int64
	Feed
}

// Feeds are the feed-forward blocks of all layers of the decoder, those that are alike as one.
func (a *Arch) Feeds() (list []Alike) {
	for i := range a.Layers {
		f, found := a.Feed(i), false
		for k := range list {
			if list[k].Feed == f {
				list[k].Layers++
				found = true
			}
		}
		if !found {
			list = append(list, Alike{1, f})
		}
	}
	return list
}

// Queries is the width of all heads' queries.
func (a *Arch) Queries() int64 { return a.Heads * a.HeadDim }

// Keys is the width of all heads' keys.
func (a *Arch) Keys() int64 { return a.KVHeads * a.HeadDim }

// Values is the width of all heads' values.
func (a *Arch) Values() int64 { return a.KVHeads * a.value() }

// Mixed is the width of what attention makes of all heads' values.
func (a *Arch) Mixed() int64 { return a.Heads * a.value() }

func (a *Arch) value() int64 {
	if a.ValueDim > 0 {
		return a.ValueDim
	}
	return a.HeadDim
}

// Unrotated is the width of all heads' keys that come of the latent vector.
func (a *Arch) Unrotated() int64 { return a.KVHeads * (a.HeadDim - a.RopeDim) }

// Gains is how many numbers a norm has.
func (a *Arch) Gains() int64 {
	switch a.Norm {
	case LayerNorm:
		return 2 * a.Hidden
	case BareNorm:
		return 0
	}
	return a.Hidden
}

// LayerNorms is how many norms a layer has.
func (a *Arch) LayerNorms() int64 {
	if a.Norms > 0 {
		return a.Norms
	}
	return 2
}

// HeadGains are how many numbers the norms of queries and of keys have.
func (a *Arch) HeadGains() (queries, keys int64) {
	switch a.HeadNorms {
	case EachHead:
		return a.HeadDim, a.HeadDim
	case AllHeads:
		return a.Queries(), a.Keys()
	}
	return 0, 0
}

// linear is how many numbers a matrix from in to out has.
func linear(in, out int64, bias bool) int64 {
	if bias {
		return in*out + out
	}
	return in * out
}

// attention is how many numbers an attention block has, without its norm.
func (a *Arch) attention() int64 {
	q, k := a.HeadGains()
	n := q + k + linear(a.Mixed(), a.Hidden, a.OutBias)
	if a.Sinks {
		n += a.Heads
	}
	if a.KeyLatent == 0 {
		return n + linear(a.Hidden, a.Queries(), a.QKVBias) + linear(a.Hidden, a.Keys(), a.QKVBias) + linear(a.Hidden, a.Values(), a.QKVBias)
	}
	n += linear(a.Hidden, a.KeyLatent+a.RopeDim, a.QKVBias) + a.KeyLatent + a.KeyLatent*(a.Unrotated()+a.Values())
	if a.QueryLatent == 0 {
		return n + a.Hidden*a.Queries()
	}
	return n + linear(a.Hidden, a.QueryLatent, a.QKVBias) + a.QueryLatent + a.QueryLatent*a.Queries()
}

// Block is how many numbers a feed-forward block of a width has, without its norm.
func (a *Arch) Block(width int64) int64 {
	n := linear(a.Hidden, width, a.FFNBias) + linear(width, a.Hidden, a.FFNBias)
	if a.Gated {
		n += linear(a.Hidden, width, a.FFNBias)
	}
	return n
}

// Router is how many numbers choose a token's experts, and weigh those that all pass.
func (a *Arch) Router() int64 {
	n := linear(a.Hidden, a.Experts, a.RouterBias)
	if a.SharedGate {
		n += a.Hidden
	}
	return n
}

// feed is how many numbers a feed-forward block has, all its experts, without its norm.
func (a *Arch) feed(f Feed) int64 {
	if f.Experts == 0 {
		return a.Block(f.Width)
	}
	n := f.Experts*a.Block(f.Width) + a.Router()
	if f.Shared > 0 {
		n += a.Block(f.Shared)
	}
	return n
}

// Linear is how many numbers the matrices inside the decoder's layers have: all but routers.
func (a *Arch) Linear() (n int64) {
	plain := *a
	plain.QKVBias, plain.OutBias, plain.FFNBias, plain.HeadNorms, plain.Sinks = false, false, false, NoHeadNorm, false
	attention := plain.attention() - a.KeyLatent - a.QueryLatent // norms of the latent vectors
	for _, f := range a.Feeds() {
		n += f.Layers * (attention + max(f.Experts, 1)*plain.Block(f.Width) + plain.Block(f.Shared))
	}
	return n
}

// Parameters is how many numbers training changes. A tied head counts once.
func (a *Arch) Parameters() int64 {
	layer := a.attention() + a.LayerNorms()*a.Gains()
	n := (a.Layers + a.Encoder) * layer
	for _, f := range a.Feeds() {
		n += f.Layers * a.feed(f.Feed)
	}
	stacks := int64(1)
	if a.Encoder > 0 {
		stacks = 2
		n += a.Encoder*a.feed(a.Feed(0)) + a.Layers*(a.attention()+a.Gains()) // and what looks at the encoder
	}
	n += stacks * a.Buckets * a.Heads
	if a.FinalNorm {
		n += stacks * a.Gains()
	}
	if a.EmbedNorm {
		n += a.Gains()
	}
	n += a.Vocab*a.Width() + a.Positions*a.Hidden
	if a.Width() != a.Hidden {
		n += 2 * a.Width() * a.Hidden // into and out of the layers
	}
	if !a.Tied {
		n += a.Vocab * a.Width()
	}
	if a.HeadBias {
		n += a.Vocab
	}
	return n
}

// Used is how many parameters a token is multiplied with where the model writes text: all, less the experts that it does not
// visit, and less an embedding that the head does not share.
func (a *Arch) Used() int64 {
	used := a.Parameters()
	for _, f := range a.Feeds() {
		used -= f.Layers * max(f.Experts-f.Active, 0) * a.Block(f.Width)
	}
	if !a.Tied {
		used -= a.Vocab * a.Width()
	}
	return max(used, 1)
}

// Kept is how many numbers a token of the decoder leaves behind in all layers: a key and a value in each, or the latent vector that
// they are made of and the rotated part of keys.
func (a *Arch) Kept() int64 {
	if a.KeyLatent > 0 {
		return a.Layers * (a.KeyLatent + a.RopeDim)
	}
	return a.Layers * (a.Keys() + a.Values())
}
