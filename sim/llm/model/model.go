// Package model describes transformers as numbers: what a Hugging Face config.json
// says, without JSON. It counts parameters and lists the models that come with the laboratory.
//
// What the description leaves out changes no count of parameters:
//  1. Attention with relative positions (T5, Bloom) takes its bias from a small table inside the
//     kernel; no matrix of scores is stored.
//  2. All networks are taken as pre-norm: OPT-350m norms behind its blocks, which moves two values
//     and no weight.
package model

import (
	"errors"
	"fmt"
	"strings"
)

// A Norm is how a network normalises.
type Norm uint8

// The norms.
const (
	RMSNorm   Norm = iota // a gain
	LayerNorm             // a gain and a bias
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
	PadOffset  int64 // position vectors that no position uses (OPT has 2), counted in Positions
	EmbedWidth int64 // elements of the embedding where it is narrower than Hidden (OPT-350m), 0 if the same
	// Dropout says that the model is trained with dropout behind attention and behind the
	// feed-forward block: attention_dropout, resid_pdrop, dropout or dropout_rate above 0.
	Dropout bool
}

// Models are those that come with the laboratory, in the order in which they are offered.
func Models() []Arch {
	llama := Arch{Norm: RMSNorm, FinalNorm: true, Gated: true}
	gpt := Arch{
		Vocab: 50257, Positions: 2048,
		Norm: LayerNorm, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true,
	}
	gpt2 := gpt
	gpt2.Positions, gpt2.Dropout = 1024, true
	granite := llama
	granite.Tied, granite.Dropout = true, true
	small, qwen := llama, llama
	small.Tied, qwen.QKVBias = true, true
	smallQwen := qwen
	smallQwen.Tied = true
	mixtral := llama
	mixtral.Experts, mixtral.Active = 8, 2
	t5 := Arch{Norm: RMSNorm, FinalNorm: true, Tied: true, Buckets: 32, Dropout: true}
	of := func(a Arch, name, title, source string, layers, hidden, heads, kv, dim, ffn int64) Arch {
		a.Name, a.Title, a.Source = name, title, source
		a.Layers, a.Hidden, a.Heads, a.KVHeads, a.HeadDim, a.FFN = layers, hidden, heads, kv, dim, ffn
		return a
	}
	vocab := func(a Arch, n int64) Arch {
		a.Vocab = n
		return a
	}
	const (
		meta    = "The Llama 3 Herd of Models, arXiv 2407.21783, Table 3"
		brown   = "Brown et al. 2020, Language Models are Few-Shot Learners, Table 2.1"
		herd    = "The Llama 3 Herd of Models, arXiv 2407.21783; config.json"
		touvron = "Touvron et al. 2023, Llama 2, arXiv 2307.09288; config.json"
		config  = "config.json of the model"
		google  = "Raffel et al. 2020, T5, section 3.7; config.json of google-t5/t5-11b"
	)
	t5 = vocab(of(t5, "t5-11b", "T5-11B", google, 24, 1024, 128, 128, 128, 65536), 32128)
	t5.Encoder = 24
	return []Arch{
		vocab(of(llama, "llama3-8b", "Llama-3 8B", meta, 32, 4096, 32, 8, 128, 14336), 128256),
		vocab(of(llama, "llama3-70b", "Llama-3 70B", meta, 80, 8192, 64, 8, 128, 28672), 128256),
		vocab(of(granite, "granite-8b", "Granite 8B Code", "Granite Code Models, arXiv 2405.04324, Table 2, without biases; that it is trained with dropout is inferred from its memory in the TERAIO paper", 36, 4096, 32, 8, 128, 14336), 49152),
		of(gpt2, "gpt2-xl", "GPT-2 XL", "Radford et al. 2019, Table 2; config.json of openai-community/gpt2-xl", 48, 1600, 25, 25, 64, 6400),
		of(gpt2, "gpt2-40b", "GPT-2 40B", "no dimensions are published; those of the 39.1 billion parameters in Narayanan et al. 2021, arXiv 2104.04473, Table 1", 48, 8192, 64, 64, 128, 32768),
		of(gpt, "gpt3-6.7b", "GPT-3 6.7B", brown, 32, 4096, 32, 32, 128, 16384),
		of(gpt, "gpt3-13b", "GPT-3 13B", brown+"; hidden width 5140 as printed, though 40 heads of 128 make 5120", 40, 5140, 40, 40, 128, 20560),
		of(gpt, "gpt3-175b", "GPT-3 175B", brown, 96, 12288, 96, 96, 128, 49152),
		t5,
		vocab(of(llama, "llama3.1-8b", "Llama 3.1 8B", herd, 32, 4096, 32, 8, 128, 14336), 128256),
		vocab(of(small, "llama3.2-1b", "Llama 3.2 1B", config, 16, 2048, 32, 8, 64, 8192), 128256),
		vocab(of(small, "llama3.2-3b", "Llama 3.2 3B", config, 28, 3072, 24, 8, 128, 8192), 128256),
		vocab(of(llama, "llama3.1-405b", "Llama 3.1 405B", herd, 126, 16384, 128, 8, 128, 53248), 128256),
		vocab(of(llama, "llama2-7b", "Llama 2 7B", touvron, 32, 4096, 32, 32, 128, 11008), 32000),
		vocab(of(llama, "llama2-13b", "Llama 2 13B", touvron, 40, 5120, 40, 40, 128, 13824), 32000),
		vocab(of(llama, "llama2-70b", "Llama 2 70B", touvron, 80, 8192, 64, 8, 128, 28672), 32000),
		vocab(of(llama, "mistral-7b", "Mistral 7B", "Jiang et al. 2023, Mistral 7B, arXiv 2310.06825", 32, 4096, 32, 8, 128, 14336), 32000),
		vocab(of(smallQwen, "qwen2.5-0.5b", "Qwen2.5 0.5B", config, 24, 896, 14, 2, 64, 4864), 151936),
		vocab(of(smallQwen, "qwen2.5-1.5b", "Qwen2.5 1.5B", config, 28, 1536, 12, 2, 128, 8960), 151936),
		vocab(of(smallQwen, "qwen2.5-3b", "Qwen2.5 3B", config, 36, 2048, 16, 2, 128, 11008), 151936),
		vocab(of(qwen, "qwen2.5-7b", "Qwen2.5 7B", config, 28, 3584, 28, 4, 128, 18944), 152064),
		vocab(of(qwen, "qwen2.5-14b", "Qwen2.5 14B", config, 48, 5120, 40, 8, 128, 13824), 152064),
		vocab(of(qwen, "qwen2.5-32b", "Qwen2.5 32B", config, 64, 5120, 40, 8, 128, 27648), 152064),
		vocab(of(qwen, "qwen2.5-72b", "Qwen2.5 72B", config, 80, 8192, 64, 8, 128, 29568), 152064),
		vocab(of(mixtral, "mixtral-8x7b", "Mixtral 8x7B", "Jiang et al. 2024, Mixtral of Experts, arXiv 2401.04088, Table 1", 32, 4096, 32, 8, 128, 14336), 32000),
	}
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
	return Arch{}, fmt.Errorf("unknown model %q; there are %s", name, strings.Join(names, ", "))
}

// norm is how many numbers a norm has.
func (a *Arch) norm() int64 {
	if a.Norm == LayerNorm {
		return 2 * a.Hidden
	}
	return a.Hidden
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
	q, kv := a.Heads*a.HeadDim, a.KVHeads*a.HeadDim
	return linear(a.Hidden, q, a.QKVBias) + 2*linear(a.Hidden, kv, a.QKVBias) + linear(q, a.Hidden, a.OutBias)
}

// ffn is how many numbers a feed-forward block has, all its experts, without its norm.
func (a *Arch) ffn() int64 {
	n := linear(a.Hidden, a.FFN, a.FFNBias) + linear(a.FFN, a.Hidden, a.FFNBias)
	if a.Gated {
		n += linear(a.Hidden, a.FFN, a.FFNBias)
	}
	if a.Experts > 0 {
		return a.Experts*n + a.Hidden*a.Experts // and the router
	}
	return n
}

// Width is how wide the embedding is.
func (a *Arch) Width() int64 {
	if a.EmbedWidth > 0 {
		return a.EmbedWidth
	}
	return a.Hidden
}

// Parameters is how many numbers training changes. A tied head counts once.
func (a *Arch) Parameters() int64 {
	layer := a.attention() + a.ffn() + 2*a.norm()
	n := (a.Layers + a.Encoder) * layer
	stacks := int64(1)
	if a.Encoder > 0 {
		stacks = 2
		n += a.Layers * (a.attention() + a.norm()) // what looks at the encoder
	}
	n += stacks * a.Buckets * a.Heads
	if a.FinalNorm {
		n += stacks * a.norm()
	}
	if a.EmbedNorm {
		n += a.norm()
	}
	n += a.Vocab*a.Width() + a.Positions*a.Hidden
	if a.Width() != a.Hidden {
		n += 2 * a.Width() * a.Hidden // into and out of the layers
	}
	if !a.Tied {
		n += a.Vocab * a.Width()
	}
	return n
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
