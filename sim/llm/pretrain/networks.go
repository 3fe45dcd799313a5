package pretrain

import (
	"strings"

	"spillway/sim/model"
)

// decoder is an architecture of the usual kind.
func decoder(base model.Arch, name, source string, hidden, layers, heads, kv, ffn, vocab int64) model.Arch {
	a := base
	a.Name, a.Title, a.Source = name, name, source
	a.Hidden, a.Layers, a.Heads, a.KVHeads, a.HeadDim, a.FFN, a.Vocab = hidden, layers, heads, kv, hidden/heads, ffn, vocab
	return a
}

// networks are those that tables of training rates name, besides those of the laboratory.
func networks() []model.Arch {
	mpt := model.Arch{Norm: model.LayerNorm, FinalNorm: true, Tied: true}
	llama := model.Arch{Norm: model.RMSNorm, FinalNorm: true, Gated: true}
	small := llama
	small.Tied = true
	const (
		foundry = "mosaicml/llm-foundry scripts/train/yamls/pretrain"
		touvron = "Touvron et al. 2023, Llama 2, arXiv 2307.09288; config.json"
		herd    = "The Llama 3 Herd of Models, arXiv 2407.21783; config.json"
		config  = "config.json of the model"
	)
	foundation := func(name string, hidden, layers, heads int64) model.Arch {
		return decoder(mpt, name, foundry, hidden, layers, heads, heads, 4*hidden, 50368)
	}
	return append(
		[]model.Arch{
			foundation("mpt-125m", 768, 12, 12), foundation("mpt-350m", 1024, 24, 16), foundation("mpt-760m", 1536, 24, 12),
			foundation("mpt-1b", 2048, 24, 16), foundation("mpt-3b", 2560, 32, 20), foundation("mpt-7b", 4096, 32, 32),
			foundation("mpt-13b", 5120, 40, 40), foundation("mpt-30b", 7168, 48, 56), foundation("mpt-70b", 8192, 80, 64),
			decoder(llama, "llama3-405b", herd, 16384, 126, 128, 8, 53248, 128256),
			decoder(small, "llama3-1b", config, 2048, 16, 32, 8, 8192, 128256),
			decoder(small, "llama3-3b", config, 3072, 28, 24, 8, 8192, 128256),
		},
		model.Models()...,
	)
}

// plain is a name without what spellings differ in: llama-3.1-8B, Meta-Llama-3-8B, llama3_8b.
var plain = strings.NewReplacer("-", "", "_", "", " ", "", ".", "", "/", "", "meta", "", "facebook", "", "mosaicml", "", "hf", "")

// releases are Llama's that have the shapes of 3, or sizes that 3 lacks.
var releases = strings.NewReplacer("3.1", "3", "3.2", "3", "3.3", "3", "3_1", "3", "3_2", "3", "3_3", "3")

// Find returns the architecture of a name in any of the usual spellings. Sizes such as 1.3b and
// 6.7b are MPT's 1b and 7b.
func Find(name string) (model.Arch, bool) {
	word := strings.ToLower(name)
	if strings.Contains(word, "llama") {
		word = releases.Replace(word)
	}
	word = plain.Replace(word)
	switch word { // GPT-3's sizes that MPT rounds
	case "mpt13b":
		if strings.Contains(name, "1.3") {
			word = "mpt1b"
		}
	case "mpt67b":
		word = "mpt7b"
	case "mpt27b":
		word = "mpt3b"
	}
	for _, a := range networks() {
		if plain.Replace(a.Name) == word {
			return a, true
		}
	}
	return model.Arch{}, false
}

// Names are the names of all networks, for messages.
func Names() (names []string) {
	for _, a := range networks() {
		names = append(names, a.Name)
	}
	return names
}
