package model

// Where models' sizes are from.
const (
	llama3  = "The Llama 3 Herd of Models, arXiv 2407.21783, Table 3"
	herd    = "The Llama 3 Herd of Models, arXiv 2407.21783; config.json"
	touvron = "Touvron et al. 2023, Llama 2, arXiv 2307.09288; config.json"
	brown   = "Brown et al. 2020, Language Models are Few-Shot Learners, Table 2.1"
	opts    = "Zhang et al. 2022, OPT, arXiv 2205.01068, Table 1; config.json"
	pythias = "Biderman et al. 2023, Pythia, arXiv 2304.01373, Table 1; config.json"
	foundry = "mosaicml/llm-foundry scripts/train/yamls/pretrain"
	config  = "config.json of the model"
)

// A row is a model of a family.
type row struct {
	name, title, source                        string
	layers, hidden, heads, kv, dim, ffn, vocab int64 // a vocab of 0 is the family's
}

// family makes models of what they share.
func family(base Arch, rows ...row) (list []Arch) {
	for _, r := range rows {
		a := base
		a.Name, a.Title, a.Source = r.name, r.title, r.source
		a.Layers, a.Hidden, a.Heads, a.KVHeads, a.HeadDim, a.FFN = r.layers, r.hidden, r.heads, r.kv, r.dim, r.ffn
		if r.vocab > 0 {
			a.Vocab = r.vocab
		}
		list = append(list, a)
	}
	return list
}

// with changes an architecture.
func with(a Arch, change func(*Arch)) Arch {
	change(&a)
	return a
}

// What families share.
var (
	llama = Arch{Norm: RMSNorm, FinalNorm: true, Gated: true}
	small = with(llama, func(a *Arch) { a.Tied = true })
	gpt   = Arch{
		Vocab: 50257, Positions: 2048,
		Norm: LayerNorm, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true,
	}
	gpt2      = with(gpt, func(a *Arch) { a.Positions, a.Dropout = 1024, true })
	opt       = with(gpt, func(a *Arch) { a.Vocab, a.Positions, a.PadOffset, a.Dropout = 50272, 2050, 2, true })
	granite   = with(small, func(a *Arch) { a.Dropout = true })
	t5        = Arch{Norm: RMSNorm, FinalNorm: true, Tied: true, Buckets: 32, Dropout: true, Encoder: 24}
	qwen      = with(llama, func(a *Arch) { a.QKVBias = true })
	smallQwen = with(qwen, func(a *Arch) { a.Tied = true })
	qwen3     = with(llama, func(a *Arch) { a.Vocab, a.HeadNorms = 151936, EachHead })
	small3    = with(qwen3, func(a *Arch) { a.Tied = true })
	gemma2    = with(small, func(a *Arch) { a.Vocab, a.Norms = 256000, 4 })
	gemma3    = with(gemma2, func(a *Arch) { a.Vocab, a.HeadNorms = 262208, EachHead })
	olmo      = with(llama, func(a *Arch) { a.Vocab, a.HeadNorms = 100352, AllHeads })
	glm4      = with(llama, func(a *Arch) { a.Vocab, a.Norms = 151552, 4 })
	falcon    = with(gpt, func(a *Arch) {
		a.Vocab, a.Positions, a.QKVBias, a.OutBias, a.FFNBias = 65024, 0, false, false, false
	})
	neox     = with(gpt, func(a *Arch) { a.Vocab, a.Positions, a.Tied = 50304, 0, false })
	starcode = with(gpt, func(a *Arch) { a.Vocab, a.Positions = 49152, 0 })
	mosaic   = Arch{Vocab: 50432, Norm: RMSNorm, FinalNorm: true, Tied: true} // layer norms without biases
)

// mixture is a family with so many experts, of which a token takes some.
func mixture(base Arch, experts, active int64) Arch {
	return with(base, func(a *Arch) { a.Experts, a.Active = experts, active })
}

// latent is DeepSeek's attention, and its experts behind so many dense layers.
func latent(query, experts, active, shared, dense, wide int64) Arch {
	return with(mixture(llama, experts, active), func(a *Arch) {
		a.KeyLatent, a.RopeDim, a.ValueDim, a.QueryLatent = 512, 64, 128, query
		a.Shared, a.DenseFirst, a.DenseFFN = shared, dense, wide
	})
}

// oss is gpt-oss.
func oss(experts int64) Arch {
	return with(mixture(llama, experts, 4), func(a *Arch) {
		a.QKVBias, a.OutBias, a.FFNBias, a.RouterBias, a.Sinks, a.Vocab = true, true, true, true, true, 201088
	})
}

// Models are those that come with the laboratory, in the order in which they are offered: the TERAIO
// paper's and those of the first tables of recipes, then by family.
func Models() (list []Arch) {
	for _, f := range [][]Arch{
		family(llama,
			row{"llama3-8b", "Llama-3 8B", llama3, 32, 4096, 32, 8, 128, 14336, 128256},
			row{"llama3-70b", "Llama-3 70B", llama3, 80, 8192, 64, 8, 128, 28672, 128256}),
		family(granite, row{"granite-8b", "Granite 8B Code", "Granite Code Models, arXiv 2405.04324, Table 2, without biases; that it is trained with dropout is inferred from its memory in the TERAIO paper", 36, 4096, 32, 8, 128, 14336, 49152}),
		family(gpt2,
			row{"gpt2-xl", "GPT-2 XL", "Radford et al. 2019, Table 2; config.json of openai-community/gpt2-xl", 48, 1600, 25, 25, 64, 6400, 0},
			row{"gpt2-40b", "GPT-2 40B", "no dimensions are published; those of the 39.1 billion parameters in Narayanan et al. 2021, arXiv 2104.04473, Table 1", 48, 8192, 64, 64, 128, 32768, 0}),
		family(gpt,
			row{"gpt3-6.7b", "GPT-3 6.7B", brown, 32, 4096, 32, 32, 128, 16384, 0},
			row{"gpt3-13b", "GPT-3 13B", brown + "; hidden width 5140 as printed, though 40 heads of 128 make 5120", 40, 5140, 40, 40, 128, 20560, 0},
			row{"gpt3-175b", "GPT-3 175B", brown, 96, 12288, 96, 96, 128, 49152, 0}),
		family(t5, row{"t5-11b", "T5-11B", "Raffel et al. 2020, T5, section 3.7; config.json of google-t5/t5-11b", 24, 1024, 128, 128, 128, 65536, 32128}),
		family(llama, row{"llama3.1-8b", "Llama 3.1 8B", herd, 32, 4096, 32, 8, 128, 14336, 128256}),
		family(small,
			row{"llama3.2-1b", "Llama 3.2 1B", config, 16, 2048, 32, 8, 64, 8192, 128256},
			row{"llama3.2-3b", "Llama 3.2 3B", config, 28, 3072, 24, 8, 128, 8192, 128256}),
		family(llama,
			row{"llama3.1-405b", "Llama 3.1 405B", herd, 126, 16384, 128, 8, 128, 53248, 128256},
			row{"llama2-7b", "Llama 2 7B", touvron, 32, 4096, 32, 32, 128, 11008, 32000},
			row{"llama2-13b", "Llama 2 13B", touvron, 40, 5120, 40, 40, 128, 13824, 32000},
			row{"llama2-70b", "Llama 2 70B", touvron, 80, 8192, 64, 8, 128, 28672, 32000},
			row{"mistral-7b", "Mistral 7B", "Jiang et al. 2023, Mistral 7B, arXiv 2310.06825", 32, 4096, 32, 8, 128, 14336, 32000}),
		family(smallQwen,
			row{"qwen2.5-0.5b", "Qwen2.5 0.5B", config, 24, 896, 14, 2, 64, 4864, 151936},
			row{"qwen2.5-1.5b", "Qwen2.5 1.5B", config, 28, 1536, 12, 2, 128, 8960, 151936},
			row{"qwen2.5-3b", "Qwen2.5 3B", config, 36, 2048, 16, 2, 128, 11008, 151936}),
		family(qwen,
			row{"qwen2.5-7b", "Qwen2.5 7B", config, 28, 3584, 28, 4, 128, 18944, 152064},
			row{"qwen2.5-14b", "Qwen2.5 14B", config, 48, 5120, 40, 8, 128, 13824, 152064},
			row{"qwen2.5-32b", "Qwen2.5 32B", config, 64, 5120, 40, 8, 128, 27648, 152064},
			row{"qwen2.5-72b", "Qwen2.5 72B", config, 80, 8192, 64, 8, 128, 29568, 152064}),
		family(mixture(llama, 8, 2), row{"mixtral-8x7b", "Mixtral 8x7B", "Jiang et al. 2024, Mixtral of Experts, arXiv 2401.04088, Table 1", 32, 4096, 32, 8, 128, 14336, 32000}),
		// By family.
		family(llama,
			row{"llama3.1-70b", "Llama 3.1 70B", herd, 80, 8192, 64, 8, 128, 28672, 128256},
			row{"llama3.3-70b", "Llama 3.3 70B", config, 80, 8192, 64, 8, 128, 28672, 128256},
			row{"llama-7b", "Llama 7B", touvron, 32, 4096, 32, 32, 128, 11008, 32000},
			row{"llama-13b", "Llama 13B", touvron, 40, 5120, 40, 40, 128, 13824, 32000},
			row{"llama-30b", "Llama 30B", touvron, 60, 6656, 52, 52, 128, 17920, 32000},
			row{"llama-65b", "Llama 65B", touvron, 80, 8192, 64, 64, 128, 22016, 32000},
			row{"codellama-34b", "Code Llama 34B", config, 48, 8192, 64, 8, 128, 22016, 32000},
			row{"tinyllama-1.1b", "TinyLlama 1.1B", config, 22, 2048, 32, 4, 64, 5632, 32000},
			row{"yi-6b", "Yi 6B", config, 32, 4096, 32, 4, 128, 11008, 64000},
			row{"yi-34b", "Yi 34B", config, 60, 7168, 56, 8, 128, 20480, 64000},
			row{"deepseek-llm-7b", "DeepSeek LLM 7B", config, 30, 4096, 32, 32, 128, 11008, 102400},
			row{"deepseek-llm-67b", "DeepSeek LLM 67B", config, 95, 8192, 64, 8, 128, 22016, 102400},
			row{"mistral-nemo-12b", "Mistral NeMo 12B", config, 40, 5120, 32, 8, 128, 14336, 131072},
			row{"mistral-small-24b", "Mistral Small 24B", config, 40, 5120, 32, 8, 128, 32768, 131072},
			row{"mistral-large-123b", "Mistral Large 123B", config, 88, 12288, 96, 8, 128, 28672, 32768},
			row{"phi3-mini", "Phi-3 mini", config, 32, 3072, 32, 32, 96, 8192, 32064},
			row{"phi3-medium", "Phi-3 medium", config, 40, 5120, 40, 10, 128, 17920, 32064},
			row{"phi4", "Phi-4", config, 40, 5120, 40, 10, 128, 17920, 100352}),
		family(small,
			row{"phi4-mini", "Phi-4 mini", config, 32, 3072, 24, 8, 128, 8192, 200064},
			row{"smollm2-135m", "SmolLM2 135M", config, 30, 576, 9, 3, 64, 1536, 49152},
			row{"smollm2-360m", "SmolLM2 360M", config, 32, 960, 15, 5, 64, 2560, 49152},
			row{"smollm2-1.7b", "SmolLM2 1.7B", config, 24, 2048, 32, 32, 64, 8192, 49152},
			row{"smollm3-3b", "SmolLM3 3B", config, 36, 2048, 16, 4, 128, 11008, 128256},
			row{"gemma-2b", "Gemma 2B", config, 18, 2048, 8, 1, 256, 16384, 256000},
			row{"gemma-7b", "Gemma 7B", config, 28, 3072, 16, 16, 256, 24576, 256000}),
		family(mixture(llama, 8, 2), row{"mixtral-8x22b", "Mixtral 8x22B", config, 56, 6144, 48, 8, 128, 16384, 32768}),
		family(small3,
			row{"qwen3-0.6b", "Qwen3 0.6B", config, 28, 1024, 16, 8, 128, 3072, 0},
			row{"qwen3-1.7b", "Qwen3 1.7B", config, 28, 2048, 16, 8, 128, 6144, 0},
			row{"qwen3-4b", "Qwen3 4B", config, 36, 2560, 32, 8, 128, 9728, 0}),
		family(qwen3,
			row{"qwen3-8b", "Qwen3 8B", config, 36, 4096, 32, 8, 128, 12288, 0},
			row{"qwen3-14b", "Qwen3 14B", config, 40, 5120, 40, 8, 128, 17408, 0},
			row{"qwen3-32b", "Qwen3 32B", config, 64, 5120, 64, 8, 128, 25600, 0}),
		family(mixture(qwen3, 128, 8),
			row{"qwen3-30b-a3b", "Qwen3 30B A3B", config, 48, 2048, 32, 4, 128, 768, 0},
			row{"qwen3-235b-a22b", "Qwen3 235B A22B", config, 94, 4096, 64, 4, 128, 1536, 0}),
		family(gemma2,
			row{"gemma2-2b", "Gemma 2 2B", config, 26, 2304, 8, 4, 256, 9216, 0},
			row{"gemma2-9b", "Gemma 2 9B", config, 42, 3584, 16, 8, 256, 14336, 0},
			row{"gemma2-27b", "Gemma 2 27B", config, 46, 4608, 32, 16, 128, 36864, 0}),
		family(gemma3,
			row{"gemma3-1b", "Gemma 3 1B", config, 26, 1152, 4, 1, 256, 6912, 262144},
			row{"gemma3-4b", "Gemma 3 4B (text)", config, 34, 2560, 8, 4, 256, 10240, 0},
			row{"gemma3-12b", "Gemma 3 12B (text)", config, 48, 3840, 16, 8, 256, 15360, 0},
			row{"gemma3-27b", "Gemma 3 27B (text)", config, 62, 5376, 32, 16, 128, 21504, 0}),
		family(with(mixture(llama, 16, 1), func(a *Arch) { a.Shared = 8192 }),
			row{"llama4-scout", "Llama 4 Scout (text)", config, 48, 5120, 40, 8, 128, 8192, 202048}),
		family(with(mixture(llama, 128, 1), func(a *Arch) { a.Shared, a.Every, a.DenseFFN = 8192, 2, 16384 }),
			row{"llama4-maverick", "Llama 4 Maverick (text)", config, 48, 5120, 40, 8, 128, 8192, 202048}),
		family(latent(0, 64, 6, 2816, 1, 10944), row{"deepseek-v2-lite", "DeepSeek-V2 Lite", config, 27, 2048, 16, 16, 192, 1408, 102400}),
		family(latent(1536, 160, 6, 3072, 1, 12288), row{"deepseek-v2", "DeepSeek-V2", config, 60, 5120, 128, 128, 192, 1536, 102400}),
		family(latent(1536, 256, 8, 2048, 3, 18432), row{"deepseek-v3", "DeepSeek-V3", config, 61, 7168, 128, 128, 192, 2048, 129280}),
		family(latent(1536, 384, 8, 2048, 1, 18432), row{"kimi-k2", "Kimi K2", config, 61, 7168, 64, 64, 192, 2048, 163840}),
		family(oss(32), row{"gpt-oss-20b", "gpt-oss 20B", config, 24, 2880, 64, 8, 64, 2880, 0}),
		family(oss(128), row{"gpt-oss-120b", "gpt-oss 120B", config, 36, 2880, 64, 8, 64, 2880, 0}),
		family(olmo,
			row{"olmo2-1b", "OLMo 2 1B", config, 16, 2048, 16, 16, 128, 8192, 0},
			row{"olmo2-7b", "OLMo 2 7B", config, 32, 4096, 32, 32, 128, 11008, 0},
			row{"olmo2-13b", "OLMo 2 13B", config, 40, 5120, 40, 40, 128, 13824, 0},
			row{"olmo2-32b", "OLMo 2 32B", config, 64, 5120, 40, 8, 128, 27648, 0}),
		family(mixture(olmo, 64, 8), row{"olmoe-1b-7b", "OLMoE 1B 7B", config, 16, 2048, 16, 16, 128, 1024, 50304}),
		family(with(glm4, func(a *Arch) { a.QKVBias = true }), row{"glm4-9b", "GLM-4 9B", config, 40, 4096, 32, 2, 128, 13696, 0}),
		family(glm4, row{"glm4-32b", "GLM-4 32B", config, 61, 6144, 48, 2, 128, 23040, 0}),
		family(with(falcon, func(a *Arch) { a.Norms = 1 }), row{"falcon-7b", "Falcon 7B", config, 32, 4544, 71, 1, 64, 18176, 0}),
		family(falcon, row{"falcon-40b", "Falcon 40B", config, 60, 8192, 128, 8, 64, 32768, 0}),
		family(neox,
			row{"pythia-160m", "Pythia 160M", pythias, 12, 768, 12, 12, 64, 3072, 0},
			row{"pythia-410m", "Pythia 410M", pythias, 24, 1024, 16, 16, 64, 4096, 0},
			row{"pythia-1b", "Pythia 1B", pythias, 16, 2048, 8, 8, 256, 8192, 0},
			row{"pythia-1.4b", "Pythia 1.4B", pythias, 24, 2048, 16, 16, 128, 8192, 0},
			row{"pythia-2.8b", "Pythia 2.8B", pythias, 32, 2560, 32, 32, 80, 10240, 0},
			row{"pythia-6.9b", "Pythia 6.9B", pythias, 32, 4096, 32, 32, 128, 16384, 50432},
			row{"pythia-12b", "Pythia 12B", pythias, 36, 5120, 40, 40, 128, 20480, 50688},
			row{"gpt-neox-20b", "GPT-NeoX 20B", config, 44, 6144, 64, 64, 96, 24576, 50432}),
		family(with(neox, func(a *Arch) { a.Norms, a.HeadBias = 1, true }), row{"phi2", "Phi-2", config, 32, 2560, 32, 32, 80, 10240, 51200}),
		family(with(neox, func(a *Arch) { a.QKVBias, a.OutBias, a.Norms, a.HeadBias = false, false, 1, true }),
			row{"gpt-j-6b", "GPT-J 6B", config, 28, 4096, 16, 16, 256, 16384, 50400}),
		family(gpt2,
			row{"gpt2", "GPT-2 124M", config, 12, 768, 12, 12, 64, 3072, 0},
			row{"gpt2-medium", "GPT-2 medium", config, 24, 1024, 16, 16, 64, 4096, 0},
			row{"gpt2-large", "GPT-2 large", config, 36, 1280, 20, 20, 64, 5120, 0}),
		family(opt,
			row{"opt-1.3b", "OPT 1.3B", opts, 24, 2048, 32, 32, 64, 8192, 0},
			row{"opt-6.7b", "OPT 6.7B", opts, 32, 4096, 32, 32, 128, 16384, 0},
			row{"opt-13b", "OPT 13B", opts, 40, 5120, 40, 40, 128, 20480, 0},
			row{"opt-30b", "OPT 30B", opts, 48, 7168, 56, 56, 128, 28672, 0},
			row{"opt-66b", "OPT 66B", opts, 64, 9216, 72, 72, 128, 36864, 0},
			row{"opt-175b", "OPT 175B", opts, 96, 12288, 96, 96, 128, 49152, 0}),
		family(starcode,
			row{"starcoder2-3b", "StarCoder2 3B", config, 30, 3072, 24, 2, 128, 12288, 0},
			row{"starcoder2-7b", "StarCoder2 7B", config, 32, 4608, 36, 4, 128, 18432, 0}),
		family(with(starcode, func(a *Arch) { a.Tied = false }), row{"starcoder2-15b", "StarCoder2 15B", config, 40, 6144, 48, 4, 128, 24576, 0}),
		family(mosaic,
			row{"mpt-7b", "MPT 7B", config, 32, 4096, 32, 32, 128, 16384, 0},
			row{"mpt-1b", "MPT 1B", foundry, 24, 2048, 16, 16, 128, 8192, 50368},
			row{"mpt-3b", "MPT 3B", foundry, 32, 2560, 20, 20, 128, 10240, 50368},
			row{"mpt-13b", "MPT 13B", foundry, 40, 5120, 40, 40, 128, 20480, 50368},
			row{"mpt-30b", "MPT 30B", config, 48, 7168, 64, 64, 112, 28672, 0}),
	} {
		list = append(list, f...)
	}
	return list
}
