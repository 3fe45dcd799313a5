// Package model describes transformers as numbers: what a Hugging Face config.json
// says, without JSON. It counts parameters and lists the models that come with the laboratory.
//
// What the description leaves out changes no count of parameters:
//  1. Attention with relative positions (T5, Bloom) takes its bias from a small table inside the
//     kernel; no matrix of scores is stored.
//  2. All networks are taken as pre-norm: OPT-350m and OLMo 2 norm behind their blocks, which moves
//     two values and no weight.
//  3. Blocks beside each other (Falcon, GPT-NeoX) are taken one after the other: as many weights and
//     as many operations.
//  4. The norm of a latent vector belongs to the matrix that makes it (DeepSeek).
package model

import (
	"errors"
	"fmt"

	"spillway/sim/prose"
)

// A Norm is how a network normalises.
type Norm uint8

// The norms.
const (
	RMSNorm   Norm = iota // a gain; layer norms without a bias count as this
	LayerNorm             // a gain and a bias
	BareNorm              // no numbers (OLMo)
)

// A HeadNorm is how queries and keys are normalised before they meet.
type HeadNorm uint8

// The norms of queries and keys.
const (
	NoHeadNorm HeadNorm = iota
	EachHead            // one gain of a head's width for all heads (Qwen3, Gemma 3)
	AllHeads            // a gain of all heads' width (OLMo 2, Command R+)
)

// An Arch is a transformer's architecture. All counts are of the whole model.
type Arch struct {
	Name   string // stable: "llama3-8b"
	Title  string // "Llama-3 8B"
	Source string // publication or file that it comes from

	Layers  int64 // of the decoder, or of the only stack
	Encoder int64 // layers of an encoder before it, 0 in a decoder-only model
	Hidden  int64 // elements of a token between layers
	Heads   int64 // of queries
	KVHeads int64 // of keys and values
	HeadDim int64 // elements of a head; Hidden/Heads in most
	FFN     int64 // width of a feed-forward block, of one expert's in a mixture
	Vocab   int64
	// Positions is how many learned position vectors there are, 0 for rotary or relative
	// positions; Buckets is how many relative ones each head of each stack's first layer has (T5).
	Positions, Buckets int64

	// Norms is how many norms a layer has: 2, or 1 where attention and feed-forward block share it
	// (Falcon 7B), or 4 with one behind each (Gemma 2); 0 is 2. An encoder-decoder's second attention has its own.
	Norms     int64
	HeadNorms HeadNorm
	Sinks     bool // a learned number of each head in its softmax (gpt-oss)
	// ValueDim is elements of a head's value, 0 where as many as HeadDim.
	ValueDim int64
	// KeyLatent is how wide the vector is that keys and values are made of (DeepSeek's latent attention);
	// RopeDim elements of HeadDim are rotated and come beside it, the same for all heads.
	// QueryLatent is the same of queries, 0 where they are made of the layer's input.
	KeyLatent, QueryLatent, RopeDim int64

	Norm       Norm
	EmbedNorm  bool  // a norm behind the embedding (Bloom)
	FinalNorm  bool  // a norm before the head; of the encoder too
	Gated      bool  // SwiGLU or GeGLU: three matrices, not two
	QKVBias    bool  // biases of query, key and value
	OutBias    bool  // bias behind attention
	FFNBias    bool  // biases of the feed-forward block
	Tied       bool  // the head is the embedding's matrix
	Experts    int64 // of a mixture, 0 without
	Active     int64 // experts of a token
	RouterBias bool  // of the matrix that chooses experts
	Shared     int64 // width of the experts that every token passes beside its own, 0 without
	SharedGate bool  // a number of each token that weighs them (Qwen2-MoE)
	DenseFirst int64 // layers before the first with experts (DeepSeek)
	Every      int64 // of the layers behind, each so manyth has experts (Llama 4: 2); 0 is 1
	DenseFFN   int64 // feed-forward width of layers without experts in a mixture, 0 if that of an expert
	HeadBias   bool  // of the matrix that predicts words (Phi, GPT-J)
	PadOffset  int64 // position vectors that no position uses (OPT has 2), counted in Positions
	EmbedWidth int64 // elements of the embedding where it is narrower than Hidden (OPT-350m), 0 if the same
	// Dropout says that the model is trained with dropout behind attention and behind the
	// feed-forward block: attention_dropout, resid_pdrop, dropout or dropout_rate above 0.
	Dropout bool
}

// Find returns the model with a name; the error says which there are.
func Find(name string) (Arch, error) {
	var names []string
	for _, a := range Models() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Arch{}, fmt.Errorf("unknown model %q; %s", name, prose.Among(name, names))
}

// Width is how wide the embedding is.
func (a *Arch) Width() int64 {
	if a.EmbedWidth > 0 {
		return a.EmbedWidth
	}
	return a.Hidden
}

// Largest numbers that a simulator takes; products of them stay inside int64.
const (
	maxLayers     = 4096
	maxHidden     = 1 << 17
	maxHeads      = 1 << 12
	maxHeadDim    = 1 << 12
	maxFFN        = 1 << 20
	maxVocab      = 1 << 22
	maxPositions  = 1 << 24
	maxExperts    = 1024
	maxParameters = 1 << 44
)

// Check reports what contradicts in an architecture that was read or typed: a count below 1,
// heads that do not divide, more than a simulator can hold.
func (a *Arch) Check() error {
	var errs []error
	for _, c := range [...]struct {
		what         string
		n, low, high int64
	}{
		{"layers", a.Layers, 1, maxLayers},
		{"encoder layers", a.Encoder, 0, maxLayers},
		{"hidden width", a.Hidden, 1, maxHidden},
		{"heads", a.Heads, 1, maxHeads},
		{"heads of keys and values", a.KVHeads, 1, maxHeads},
		{"elements of a head", a.HeadDim, 1, maxHeadDim},
		{"feed-forward width", a.FFN, 1, maxFFN},
		{"vocabulary", a.Vocab, 1, maxVocab},
		{"learned positions", a.Positions, 0, maxPositions},
		{"relative positions", a.Buckets, 0, maxPositions},
		{"experts", a.Experts, 0, maxExperts},
		{"embedding width", a.EmbedWidth, 0, maxHidden},
		{"norms of a layer", a.Norms, 0, 4},
		{"elements of a head's value", a.ValueDim, 0, maxHeadDim},
		{"width of the latent vector of keys", a.KeyLatent, 0, maxHidden},
		{"width of the latent vector of queries", a.QueryLatent, 0, maxHidden},
		{"rotated elements of a head", a.RopeDim, 0, maxHeadDim},
		{"width of shared experts", a.Shared, 0, maxFFN},
		{"layers before the first with experts", a.DenseFirst, 0, maxLayers},
		{"distance of layers with experts", a.Every, 0, maxLayers},
		{"feed-forward width of layers without experts", a.DenseFFN, 0, maxFFN},
	} {
		if c.n < c.low || c.n > c.high {
			errs = append(errs, fmt.Errorf("%s: %d; want %d to %d", c.what, c.n, c.low, c.high))
		}
	}
	switch {
	case len(errs) > 0:
		return errors.Join(errs...)
	case a.Heads%a.KVHeads != 0:
		return fmt.Errorf("%d heads cannot share %d heads of keys and values equally; want a number of them that divides the heads", a.Heads, a.KVHeads)
	case a.Experts > 0 && (a.Active < 1 || a.Active > a.Experts):
		return fmt.Errorf("a token takes %d of %d experts; want 1 to %d", a.Active, a.Experts, a.Experts)
	case a.Experts == 0 && a.Active != 0:
		return fmt.Errorf("a token takes %d of 0 experts; want 0 of a model without experts", a.Active)
	case a.Norms == 3:
		return errors.New("norms of a layer: 3; want 1, 2 or 4")
	case a.HeadBias && a.Tied:
		return errors.New("a bias of a head that is the embedding is not simulated")
	case a.Norms == 4 && a.Dropout:
		return errors.New("dropout before a norm behind a block is not simulated")
	case a.KeyLatent > 0 && (a.RopeDim >= a.HeadDim || a.Encoder > 0):
		return fmt.Errorf("%d of %d elements of a head are rotated; want fewer, and no encoder, where keys come of a latent vector", a.RopeDim, a.HeadDim)
	case a.PadOffset < 0 || a.PadOffset > 0 && a.PadOffset >= a.Positions:
		return fmt.Errorf("%d of %d learned positions are unused; want fewer", a.PadOffset, a.Positions)
	case a.Heads*a.HeadDim > maxHidden:
		return fmt.Errorf("%d heads of %d elements make %d; want at most %d", a.Heads, a.HeadDim, a.Heads*a.HeadDim, maxHidden)
	}
	if p := a.Parameters(); p > maxParameters {
		return fmt.Errorf("the model has %d parameters; want at most %d", p, int64(maxParameters))
	}
	return nil
}
