package hf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/model"
	"spillway/sim/prose"
	"spillway/traces/jsonx"
)

// A family is one model_type.
type family struct {
	name   string
	prefix string // of the classes that architectures names: "Llama" of LlamaForCausalLM
	class  string // whose defaults are those of missing keys
	read   func(*object, *model.Arch)
}

// families lists what is known, in the order of messages. Defaults are those of the classes in
// transformers 4.
var families = []family{
	{"llama", "Llama", "LlamaConfig", gated{
		vocab: 32000, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
		attentionBias: true, mlpBias: true,
	}.read},
	{"mistral", "Mistral", "MistralConfig", gated{
		vocab: 32000, hidden: 4096, ffn: 14336, layers: 32, heads: 32, kv: 8,
	}.read},
	{"mixtral", "Mixtral", "MixtralConfig", gated{
		vocab: 32000, hidden: 4096, ffn: 14336, layers: 32, heads: 32, kv: 8, experts: 8, active: 2,
	}.read},
	{"qwen2", "Qwen2", "Qwen2Config", qwen2.read},
	{"qwen2_vl", "Qwen2VL", "Qwen2VLConfig", qwen2.read},
	{"qwen2_vl_text", "Qwen2VL", "Qwen2VLTextConfig", qwen2.read},
	{"qwen2_5_vl", "Qwen2_5_VL", "Qwen2_5_VLConfig", qwen2.read},
	{"qwen2_5_vl_text", "Qwen2_5_VL", "Qwen2_5_VLTextConfig", qwen2.read},
	{"qwen2_moe", "Qwen2Moe", "Qwen2MoeConfig", gated{
		vocab: 151936, hidden: 2048, ffn: 1408, layers: 24, heads: 16, kv: 16, qkvBias: true, experts: 60, active: 4,
		with: func(o *object, a *model.Arch) {
			a.DenseFFN, a.FFN = a.FFN, o.count(1408, "moe_intermediate_size")
			a.Shared, a.SharedGate = o.count(5632, "shared_expert_intermediate_size"), true
			sparse(o, a)
		},
	}.read},
	{"qwen3", "Qwen3", "Qwen3Config", qwen3.read},
	{"qwen3_vl_text", "Qwen3VL", "Qwen3VLTextConfig", qwen3.read},
	{"qwen3_moe", "Qwen3Moe", "Qwen3MoeConfig", qwen3moe.read},
	{"qwen3_vl_moe_text", "Qwen3VLMoe", "Qwen3VLMoeTextConfig", qwen3moe.read},
	{"granite", "Granite", "GraniteConfig", gated{
		vocab: 32000, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
		attentionBias: true, mlpBias: true,
	}.read},
	{"granitemoe", "GraniteMoe", "GraniteMoeConfig", gated{
		vocab: 32000, hidden: 4096, ffn: 11008, layers: 32, heads: 32, experts: 8, active: 2,
		attentionBias: true,
	}.read},
	{"gemma", "Gemma", "GemmaConfig", gated{
		vocab: 256000, hidden: 3072, ffn: 24576, layers: 28, heads: 16, kv: 16, dim: 256, tied: true,
		attentionBias: true,
	}.read},
	{"gemma2", "Gemma2", "Gemma2Config", gated{
		vocab: 256000, hidden: 2304, ffn: 9216, layers: 26, heads: 8, kv: 4, dim: 256, tied: true,
		attentionBias: true, with: sandwiched,
	}.read},
	{"gemma3_text", "Gemma3", "Gemma3TextConfig", gemma3.read},
	{"gemma3", "Gemma3", "Gemma3Config", gemma3.read},
	{"phi3", "Phi3", "Phi3Config", gated{
		vocab: 32064, hidden: 3072, ffn: 8192, layers: 32, heads: 32,
	}.read},
	{"llama4_text", "Llama4", "Llama4TextConfig", gated{
		vocab: 202048, hidden: 5120, ffn: 8192, layers: 48, heads: 40, kv: 8, dim: 128, experts: 16, active: 1,
		attentionBias: true, with: llama4,
	}.read},
	{"deepseek_v2", "DeepseekV2", "DeepseekV2Config", deepseek{
		vocab: 32000, hidden: 4096, ffn: 11008, layers: 32, heads: 32, expert: 1407, experts: 64, active: 2, shared: 2,
		key: 512, query: 1536, plain: 128, rope: 64, value: 128,
	}.read},
	{"deepseek_v3", "DeepseekV3", "DeepseekV3Config", deepseekV3.read},
	{"kimi_k2", "DeepseekV3", "DeepseekV3Config", deepseekV3.read},
	{"gpt_oss", "GptOss", "GptOssConfig", gated{
		vocab: 201088, hidden: 2880, ffn: 2880, layers: 36, heads: 64, kv: 8, dim: 64, experts: 128, active: 4,
		with: func(o *object, a *model.Arch) {
			bias := o.yes("attention_bias", true)
			a.QKVBias, a.OutBias, a.FFNBias, a.RouterBias, a.Sinks = bias, bias, true, true, true
		},
	}.read},
	{"olmo", "Olmo", "OlmoConfig", gated{
		vocab: 50304, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
		attentionBias: true, with: func(_ *object, a *model.Arch) { a.Norm = model.BareNorm },
	}.read},
	{"olmo2", "Olmo2", "Olmo2Config", gated{
		vocab: 50304, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
		attentionBias: true, with: headsTogether,
	}.read},
	{"olmo3", "Olmo3", "Olmo3Config", gated{
		vocab: 50304, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
		attentionBias: true, with: headsTogether,
	}.read},
	{"olmoe", "Olmoe", "OlmoeConfig", gated{
		vocab: 50304, hidden: 2048, ffn: 2048, layers: 16, heads: 16, experts: 64, active: 8,
		attentionBias: true, with: headsTogether,
	}.read},
	{"glm", "Glm", "GlmConfig", gated{
		vocab: 151552, hidden: 4096, ffn: 13696, layers: 40, heads: 32, kv: 2, dim: 128,
		with: inputBias,
	}.read},
	{"glm4", "Glm4", "Glm4Config", gated{
		vocab: 151552, hidden: 4096, ffn: 13696, layers: 40, heads: 32, kv: 2, dim: 128,
		with: func(o *object, a *model.Arch) { inputBias(o, a); sandwiched(o, a) },
	}.read},
	{"glm4_moe", "Glm4Moe", "Glm4MoeConfig", gated{
		vocab: 151552, hidden: 4096, ffn: 10944, layers: 46, heads: 96, kv: 8, experts: 128, active: 8,
		with: func(o *object, a *model.Arch) {
			inputBias(o, a)
			if o.yes("use_qk_norm", false) {
				a.HeadNorms = model.EachHead
			}
			a.DenseFFN, a.FFN = a.FFN, o.count(1408, "moe_intermediate_size")
			a.Shared = a.FFN * o.count(1, "n_shared_experts")
			a.DenseFirst = o.count(1, "first_k_dense_replace")
			o.ahead()
		},
	}.read},
	{"seed_oss", "SeedOss", "SeedOssConfig", gated{
		vocab: 155136, hidden: 4096, ffn: 27648, layers: 64, heads: 80, kv: 8, dim: 128, mlpBias: true,
		with: func(o *object, a *model.Arch) {
			a.QKVBias, a.OutBias = o.yes("attention_bias", true), o.yes("attention_out_bias", false)
		},
	}.read},
	{"smollm3", "SmolLM3", "SmolLM3Config", gated{
		vocab: 128256, hidden: 2048, ffn: 11008, layers: 36, heads: 16, kv: 4, tied: true,
		attentionBias: true, mlpBias: true,
	}.read},
	{"internlm2", "InternLM2", "InternLM2Config", gated{
		vocab: 103168, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
		with: func(o *object, a *model.Arch) { a.QKVBias = o.yes("bias", true); a.OutBias = a.QKVBias },
	}.read},
	{"baichuan", "Baichuan", "BaichuanConfig", gated{
		vocab: 125696, hidden: 4096, ffn: 11008, layers: 32, heads: 32,
	}.read},
	{"cohere", "Cohere", "CohereConfig", command.read},
	{"cohere2", "Cohere2", "Cohere2Config", command.read},
	{"stablelm", "StableLm", "StableLmConfig", gated{
		vocab: 50304, hidden: 2560, ffn: 6912, layers: 32, heads: 32, kv: 32,
		with: func(o *object, a *model.Arch) {
			a.Norm, a.QKVBias = model.LayerNorm, o.yes("use_qkv_bias", false)
			if o.yes("use_parallel_residual", false) {
				a.Norms = 1
			}
			if o.yes("qk_layernorm", false) {
				o.lack("qk_layernorm", "a norm of each head of queries and keys with numbers of its own")
			}
		},
	}.read},
	{"dbrx", "Dbrx", "DbrxConfig", dbrx},
	{"gpt2", "GPT2", "GPT2Config", gpt2},
	{"gpt_bigcode", "GPTBigCode", "GPTBigCodeConfig", bigCode},
	{"gpt_neox", "GPTNeoX", "GPTNeoXConfig", gptNeoX},
	{"gptj", "GPTJ", "GPTJConfig", gptJ},
	{"phi", "Phi", "PhiConfig", phi},
	{"falcon", "Falcon", "FalconConfig", falcon},
	{"starcoder2", "Starcoder2", "Starcoder2Config", starcoder2},
	{"mpt", "MPT", "MptConfig", mosaic},
	{"opt", "OPT", "OPTConfig", opt},
	{"bloom", "Bloom", "BloomConfig", bloom},
	{"t5", "T5", "T5Config", t5{vocab: 32128, width: 512, ffn: 2048, layers: 6, heads: 8, tied: true}.read},
	{"mt5", "MT5", "MT5Config", t5{vocab: 250112, width: 512, ffn: 1024, layers: 8, heads: 6, gated: true}.read},
}

// Families whose classes share their defaults.
var (
	qwen2    = gated{vocab: 151936, hidden: 4096, ffn: 22016, layers: 32, heads: 32, kv: 32, qkvBias: true}
	qwen3    = gated{vocab: 151936, hidden: 4096, ffn: 22016, layers: 32, heads: 32, kv: 32, dim: 128, attentionBias: true, with: eachHead}
	qwen3moe = gated{
		vocab: 151936, hidden: 2048, ffn: 6144, layers: 24, heads: 32, kv: 4, experts: 128, active: 8, attentionBias: true,
		with: func(o *object, a *model.Arch) {
			eachHead(o, a)
			a.DenseFFN, a.FFN = a.FFN, o.count(768, "moe_intermediate_size")
			sparse(o, a)
		},
	}
	gemma3 = gated{
		vocab: 262208, hidden: 2304, ffn: 9216, layers: 26, heads: 8, kv: 4, dim: 256, tied: true, attentionBias: true,
		with: func(o *object, a *model.Arch) { eachHead(o, a); sandwiched(o, a) },
	}
	deepseekV3 = deepseek{
		vocab: 129280, hidden: 7168, ffn: 18432, layers: 61, heads: 128, expert: 2048, experts: 256, active: 8, shared: 1, dense: 3,
		key: 512, query: 1536, plain: 128, rope: 64, value: 128,
	}
	command = gated{
		vocab: 256000, hidden: 8192, ffn: 22528, layers: 40, heads: 64, tied: true, attentionBias: true,
		with: func(o *object, a *model.Arch) {
			a.Norms = 1
			if o.yes("use_qk_norm", false) {
				a.HeadNorms = model.AllHeads
			}
		},
	}
)

// lacks says of families that people try what of them has no place in a model.Arch.
var lacks = map[string]string{
	"qwen3_next": "its layers without attention",
	"gemma3n":    "its embeddings in every layer",
	"umt5":       "its table of relative positions in every layer",
	"mamba":      "its layers without attention",
	"mamba2":     "its layers without attention",
	"rwkv":       "its layers without attention",
	"jamba":      "its layers without attention",
	"bert":       "an encoder without a decoder, with token types",
	"roberta":    "an encoder without a decoder, with token types",
	"deberta":    "an encoder without a decoder",
	"deberta-v2": "an encoder without a decoder",
	"bart":       "its learned positions in both stacks",
	"whisper":    "its convolutions over sound",
	"vit":        "an encoder of pictures",
	"clip":       "two encoders side by side",
}

// heads are how names of classes go on behind the family's; those of training come first.
var heads = []string{
	"ForCausalLM", "LMHeadModel", "ForConditionalGeneration",
	"ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
	"DoubleHeadsModel", "EncoderModel", "PreTrainedModel", "Model",
}

// withHead is how many of heads predict words.
const withHead = 3

// find returns the family that an object names by its model_type or, where that is missing or
// not known, by its architectures. outer is the document's object.
func find(o, outer *object) (*family, error) {
	typ, class := o.str("model_type"), o.architecture()
	if o != outer && class == "" {
		class = outer.architecture()
		o.errs = append(o.errs, outer.errs...)
	}
	if err := o.err(); err != nil {
		return nil, err
	}
	key := strings.ReplaceAll(strings.ToLower(typ), "-", "_")
	named := slices.IndexFunc(families, func(f family) bool { return f.name == key })
	prefix, head := split(class)
	built := slices.IndexFunc(families, func(f family) bool { return f.prefix == prefix })
	found := named
	switch {
	case named >= 0 && built >= 0 && families[named].prefix != prefix:
		o.note("model_type is \"%s\", architectures says %s: read as %s.", called(typ), called(class), families[named].name)
	case named >= 0:
	case built >= 0:
		found = built
		if typ != "" {
			o.note("model_type \"%s\" is not known: read as %s, as architectures says.", called(typ), called(class))
		} else {
			o.note("model_type is missing: read as %s, as architectures says.", called(class))
		}
	case o != outer && typ == "" && outer.plain("model_type") == "llava":
		found = 0 // LlavaConfig
		o.note("text_config.model_type is missing: llama, the default of LlavaConfig.")
	default:
		return nil, unknown(o, typ, class)
	}
	if prefix != "" && head >= withHead && o == outer {
		o.note("%s has no head that predicts words; one is simulated.", called(class))
	}
	f := &families[found]
	o.class = f.class
	return f, nil
}

// split takes the name of a class apart: the family's prefix, and which of heads follows.
func split(class string) (prefix string, head int) {
	for i, h := range heads {
		if p, ok := strings.CutSuffix(class, h); ok {
			return p, i
		}
	}
	return "", -1
}

// unknown is the error about a family that is none of ours.
func unknown(o *object, typ, class string) error {
	known := names()
	if typ == "" && class == "" {
		where := ""
		if len(o.path) > 0 {
			where = " of " + o.path[0]
		}
		return jsonx.Of(o.data, fmt.Sprintf("neither model_type nor architectures%s says what model this is; known are %s", where, prose.List(known)), o.path...)
	}
	name, key := strconv.Quote(short(typ, 60)), "model_type"
	switch {
	case typ == "":
		name, key = strconv.Quote(short(class, 60)), "architectures"
	case class != "":
		name += " (" + called(class) + ")"
	}
	why := "its layers are not known here. If they are like those of a known one, set model_type to it"
	if w := lacks[strings.ToLower(typ)]; w != "" {
		why = "what this simulator does not have is " + w
	}
	return jsonx.Of(o.data, fmt.Sprintf("architecture %s: %s; known are %s", name, why, prose.List(known)), append(slices.Clone(o.path), key)...)
}

// names are those of all families, less what only says that a model reads pictures too.
func names() (list []string) {
	for _, f := range families {
		if !strings.HasSuffix(f.name, "_text") && !strings.Contains(f.name, "_vl") {
			list = append(list, f.name)
		}
	}
	return list
}

// called is a name out of a file, in a message.
func called(s string) string {
	s = strconv.Quote(short(s, 60))
	return s[1 : len(s)-1]
}

// gated are the defaults of a family with RMS norms, gated feed-forward blocks and rotary positions.
type gated struct {
	vocab, hidden, ffn, layers, heads int64
	kv, dim                           int64 // 0: that of heads, and hidden over heads
	experts, active                   int64
	qkvBias, tied                     bool
	attentionBias, mlpBias            bool                       // the class has these settings
	with                              func(*object, *model.Arch) // what else the family has
}

func (d gated) read(o *object, a *model.Arch) {
	a.Norm, a.FinalNorm, a.Gated = model.RMSNorm, true, true
	a.Vocab = o.count(d.vocab, "vocab_size")
	a.Hidden = o.count(d.hidden, "hidden_size")
	a.FFN = o.count(d.ffn, "intermediate_size")
	a.Layers = o.count(d.layers, "num_hidden_layers")
	a.Heads = o.count(d.heads, "num_attention_heads")
	if _, null := o.values["num_key_value_heads"]; null || d.kv == 0 {
		a.KVHeads = o.size(1, a.Heads, "num_key_value_heads")
	} else {
		a.KVHeads = o.count(d.kv, "num_key_value_heads")
	}
	a.HeadDim = o.size(1, d.dim, "head_dim")
	if a.HeadDim == 0 {
		a.HeadDim = divided(o, a)
	}
	if d.experts > 0 {
		a.Experts = o.count(d.experts, "num_local_experts", "num_experts", "n_routed_experts")
		a.Active = o.count(d.active, "num_experts_per_tok", "experts_per_token")
		if a.Active > a.Experts {
			o.wrong("num_experts_per_tok", "a token takes %d experts of %d", a.Active, a.Experts)
		}
	}
	a.QKVBias = d.qkvBias
	if d.attentionBias {
		a.QKVBias = o.yes("attention_bias", false)
		a.OutBias = a.QKVBias
	}
	if d.mlpBias {
		a.FFNBias = o.yes("mlp_bias", false)
	}
	a.Tied = o.yes("tie_word_embeddings", d.tied)
	a.Dropout = o.share(false, "attention_dropout", "resid_pdrop")
	if d.with != nil {
		d.with(o, a)
	}
}

// eachHead is a norm of queries and keys, the same numbers for all heads.
func eachHead(_ *object, a *model.Arch) { a.HeadNorms = model.EachHead }

// headsTogether is a norm of queries and keys with numbers for each head.
func headsTogether(_ *object, a *model.Arch) { a.HeadNorms = model.AllHeads }

// sandwiched is a norm behind each block besides the one before it.
func sandwiched(o *object, a *model.Arch) {
	a.Norms = 4
	if a.Dropout {
		a.Dropout = false
		o.note("attention_dropout: dropout before a norm behind a block is not simulated.")
	}
}

// inputBias is biases of query, key and value alone.
func inputBias(o *object, a *model.Arch) { a.QKVBias = o.yes("attention_bias", false) }

// sparse is which layers of Qwen's mixtures have experts.
func sparse(o *object, a *model.Arch) {
	a.Every = o.size(1, 1, "decoder_sparse_step")
	list, _ := o.values["mlp_only_layers"].([]any)
	for i, v := range list {
		if n, ok := v.(float64); !ok || n != float64(i) {
			o.lack("mlp_only_layers", "layers without experts that are not the first ones")
			return
		}
	}
	a.DenseFirst = int64(len(list))
	regular(a)
}

// regular takes out of a mixture what changes nothing.
func regular(a *model.Arch) {
	if a.Every == 1 {
		a.Every = 0
	}
	if a.Every == 0 && a.DenseFirst == 0 {
		a.DenseFFN = 0
	}
}

func llama4(o *object, a *model.Arch) {
	a.Shared = a.FFN
	a.DenseFFN = o.count(16384, "intermediate_size_mlp")
	a.Every = o.size(1, 1, "interleave_moe_layer_step")
	if list, ok := o.values["moe_layers"].([]any); ok {
		for i, v := range list {
			if n, ok := v.(float64); !ok || n != float64((int64(i)+1)*a.Every-1) {
				o.lack("moe_layers", "layers with experts at uneven distances")
				break
			}
		}
	}
	regular(a)
}

// ahead notes a layer that predicts a further word, which checkpoints may hold besides the model.
func (o *object) ahead() {
	if n := o.size(0, 0, "num_nextn_predict_layers"); n > 0 {
		o.note("num_nextn_predict_layers: the layer that predicts one word more is not simulated.")
	}
}

// deepseek are the defaults of a family with attention over a latent vector.
type deepseek struct {
	vocab, hidden, ffn, layers, heads      int64
	expert, experts, active, shared, dense int64
	key, query, plain, rope, value         int64
}

func (d deepseek) read(o *object, a *model.Arch) {
	a.Norm, a.FinalNorm, a.Gated = model.RMSNorm, true, true
	a.Vocab = o.count(d.vocab, "vocab_size")
	a.Hidden = o.count(d.hidden, "hidden_size")
	a.Layers = o.count(d.layers, "num_hidden_layers")
	a.Heads = o.count(d.heads, "num_attention_heads")
	a.KVHeads = a.Heads // all are made of the latent vector
	a.KeyLatent = o.count(d.key, "kv_lora_rank")
	if _, null := o.values["q_lora_rank"]; !null || o.has("q_lora_rank") {
		a.QueryLatent = o.count(d.query, "q_lora_rank")
	}
	a.RopeDim = o.count(d.rope, "qk_rope_head_dim")
	a.HeadDim = a.RopeDim + o.count(d.plain, "qk_nope_head_dim")
	a.ValueDim = o.count(d.value, "v_head_dim")
	a.QKVBias = o.yes("attention_bias", false)
	a.OutBias = a.QKVBias
	a.Tied = o.yes("tie_word_embeddings", false)
	a.Dropout = o.share(false, "attention_dropout")
	wide := o.count(d.ffn, "intermediate_size")
	if _, there := o.values["n_routed_experts"]; there && !o.has("n_routed_experts") {
		a.FFN = wide
		return
	}
	a.FFN, a.DenseFFN = o.count(d.expert, "moe_intermediate_size"), wide
	a.Experts = o.count(d.experts, "n_routed_experts")
	a.Active = o.count(d.active, "num_experts_per_tok")
	if a.Active > a.Experts {
		o.wrong("num_experts_per_tok", "a token takes %d experts of %d", a.Active, a.Experts)
	}
	a.Shared = a.FFN * o.size(0, d.shared, "n_shared_experts")
	a.DenseFirst = o.size(0, d.dense, "first_k_dense_replace")
	a.Every = o.size(1, 1, "moe_layer_freq")
	regular(a)
	o.ahead()
}

// divided is what a head has where nothing is said: its share of the width.
func divided(o *object, a *model.Arch) int64 {
	if a.Hidden%a.Heads != 0 {
		o.errs = append(o.errs, jsonx.Of(o.data, fmt.Sprintf("a width of %d cannot be cut into %d heads", a.Hidden, a.Heads), o.path...))
	}
	return max(1, a.Hidden/a.Heads)
}

// biased is a network with layer norms and biases everywhere, whose heads all have keys and values.
func biased(o *object, a *model.Arch) {
	a.Norm, a.FinalNorm = model.LayerNorm, true
	a.QKVBias, a.OutBias, a.FFNBias = true, true, true
	a.KVHeads = a.Heads
	a.HeadDim = divided(o, a)
	a.Tied = o.yes("tie_word_embeddings", true)
}

func gpt2(o *object, a *model.Arch) {
	a.Vocab = o.count(50257, "vocab_size")
	a.Positions = o.count(1024, "n_positions", "max_position_embeddings", "n_ctx")
	a.Hidden = o.count(768, "n_embd", "hidden_size")
	a.Layers = o.count(12, "n_layer", "num_hidden_layers")
	a.Heads = o.count(12, "n_head", "num_attention_heads")
	a.FFN = o.size(1, 4*a.Hidden, "n_inner")
	biased(o, a)
	a.Dropout = o.share(true, "resid_pdrop")
	if o.yes("add_cross_attention", false) {
		o.lack("add_cross_attention", "layers that look at another model's output")
	}
}

func bigCode(o *object, a *model.Arch) {
	gpt2(o, a)
	if o.yes("multi_query", true) {
		a.KVHeads = 1
	}
}

func opt(o *object, a *model.Arch) {
	a.Vocab = o.count(50272, "vocab_size")
	a.PadOffset = 2
	a.Positions = o.count(2048, "max_position_embeddings") + a.PadOffset
	a.Hidden = o.count(768, "hidden_size")
	a.FFN = o.count(3072, "ffn_dim", "intermediate_size")
	a.Layers = o.count(12, "num_hidden_layers")
	a.Heads = o.count(12, "num_attention_heads")
	biased(o, a)
	bias := o.yes("enable_bias", true)
	a.QKVBias, a.OutBias, a.FFNBias = bias, bias, bias
	if w := o.size(1, a.Hidden, "word_embed_proj_dim"); w != a.Hidden {
		a.EmbedWidth = w
	}
	a.FinalNorm = o.yes("do_layer_norm_before", true) && !o.yes("_remove_final_layer_norm", false)
	if !o.yes("layer_norm_elementwise_affine", true) {
		o.lack("layer_norm_elementwise_affine", "norms without weights")
	}
	a.Dropout = o.share(true, "dropout", "attention_dropout")
}

func bloom(o *object, a *model.Arch) {
	a.Vocab = o.count(250880, "vocab_size")
	a.Hidden = o.count(64, "n_embed", "hidden_size")
	a.Layers = o.count(2, "n_layer", "num_hidden_layers")
	a.Heads = o.count(8, "n_head", "num_attention_heads")
	a.FFN = 4 * a.Hidden // always
	a.EmbedNorm = true
	biased(o, a)
	a.Dropout = o.share(false, "hidden_dropout", "attention_dropout")
}

// t5 are the defaults of a family like T5.
type t5 struct {
	vocab, width, ffn, layers, heads int64
	tied, gated                      bool
}

func (d t5) read(o *object, a *model.Arch) {
	a.Norm, a.FinalNorm = model.RMSNorm, true
	a.Vocab = o.count(d.vocab, "vocab_size")
	a.Hidden = o.count(d.width, "d_model", "hidden_size")
	a.HeadDim = o.count(64, "d_kv")
	a.FFN = o.count(d.ffn, "d_ff")
	a.Encoder = o.count(d.layers, "num_layers", "num_hidden_layers")
	a.Layers = o.size(1, a.Encoder, "num_decoder_layers")
	a.Heads = o.count(d.heads, "num_heads", "num_attention_heads")
	a.KVHeads = a.Heads
	a.Buckets = o.size(1, 32, "relative_attention_num_buckets")
	a.Gated = d.gated
	if o.has("feed_forward_proj") {
		a.Gated = strings.HasPrefix(o.str("feed_forward_proj"), "gated-")
	}
	a.Tied = o.yes("tie_word_embeddings", d.tied)
	a.Dropout = o.share(true, "dropout_rate")
}

// inner is an object inside another.
func (o *object) inner(key string) *object {
	values, _ := o.values[key].(map[string]any)
	return &object{data: o.data, path: append(slices.Clone(o.path), key), values: values, class: o.class}
}

// takes adds what was wrong with an inner object, and its notes.
func (o *object) takes(inner *object) {
	o.errs = append(o.errs, inner.errs...)
	o.notes = append(o.notes, inner.notes...)
}

func dbrx(o *object, a *model.Arch) {
	a.Norm, a.FinalNorm, a.Gated = model.RMSNorm, true, true // layer norms without biases
	a.Vocab = o.count(32000, "vocab_size")
	a.Hidden = o.count(2048, "d_model")
	a.Layers = o.count(24, "n_layers")
	a.Heads = o.count(16, "n_heads")
	a.HeadDim = divided(o, a)
	attention, feed := o.inner("attn_config"), o.inner("ffn_config")
	a.KVHeads = attention.size(1, a.Heads, "kv_n_heads")
	a.FFN = feed.count(3584, "ffn_hidden_size")
	a.Experts = feed.count(4, "moe_num_experts")
	a.Active = feed.count(1, "moe_top_k")
	o.takes(attention)
	o.takes(feed)
	a.Tied = o.yes("tie_word_embeddings", false)
	a.Dropout = o.share(false, "resid_pdrop")
}

func mosaic(o *object, a *model.Arch) {
	a.Norm, a.FinalNorm = model.RMSNorm, true // layer norms without biases
	a.Vocab = o.count(50368, "vocab_size")
	a.Hidden = o.count(2048, "d_model")
	a.Layers = o.count(24, "n_layers")
	a.Heads = o.count(16, "n_heads")
	a.FFN = a.Hidden * o.size(1, 4, "expansion_ratio")
	a.HeadDim = divided(o, a)
	if !o.yes("no_bias", true) {
		a.Norm, a.QKVBias, a.OutBias, a.FFNBias = model.LayerNorm, true, true, true
	}
	attention := o.inner("attn_config")
	a.KVHeads = attention.size(1, a.Heads, "kv_n_heads")
	if attention.plain("attn_type") == "multiquery_attention" {
		a.KVHeads = 1
	}
	if !attention.yes("alibi", true) {
		a.Positions = o.size(1, 2048, "max_seq_len")
	}
	o.takes(attention)
	a.Tied = true
	a.Dropout = o.share(false, "resid_pdrop")
}

func gptNeoX(o *object, a *model.Arch) {
	a.Vocab = o.count(50432, "vocab_size")
	a.Hidden = o.count(6144, "hidden_size")
	a.FFN = o.count(24576, "intermediate_size")
	a.Layers = o.count(44, "num_hidden_layers")
	a.Heads = o.count(64, "num_attention_heads")
	biased(o, a)
	a.Tied = o.yes("tie_word_embeddings", false)
	a.QKVBias = o.yes("attention_bias", true)
	a.OutBias = a.QKVBias
	a.Dropout = o.share(false, "hidden_dropout", "attention_dropout")
}

func gptJ(o *object, a *model.Arch) {
	a.Vocab = o.count(50400, "vocab_size")
	a.Hidden = o.count(4096, "n_embd", "hidden_size")
	a.Layers = o.count(28, "n_layer", "num_hidden_layers")
	a.Heads = o.count(16, "n_head", "num_attention_heads")
	a.FFN = o.size(1, 4*a.Hidden, "n_inner")
	biased(o, a)
	a.Tied = o.yes("tie_word_embeddings", false)
	a.QKVBias, a.OutBias, a.Norms, a.HeadBias = false, false, 1, !a.Tied
	a.Dropout = o.share(false, "resid_pdrop")
}

func phi(o *object, a *model.Arch) {
	a.Vocab = o.count(51200, "vocab_size")
	a.Hidden = o.count(2048, "hidden_size")
	a.FFN = o.count(8192, "intermediate_size")
	a.Layers = o.count(24, "num_hidden_layers")
	a.Heads = o.count(32, "num_attention_heads")
	biased(o, a)
	a.KVHeads = o.size(1, a.Heads, "num_key_value_heads")
	a.Tied = o.yes("tie_word_embeddings", false)
	a.Norms, a.HeadBias = 1, !a.Tied
	a.Dropout = o.share(false, "resid_pdrop", "attention_dropout")
	if o.yes("qk_layernorm", false) {
		o.lack("qk_layernorm", "a norm of each head of queries and keys with numbers of its own")
	}
}

func falcon(o *object, a *model.Arch) {
	a.Vocab = o.count(65024, "vocab_size")
	a.Hidden = o.count(4544, "hidden_size")
	a.Layers = o.count(32, "num_hidden_layers", "n_layer")
	a.Heads = o.count(71, "num_attention_heads", "n_head")
	a.FFN = o.size(1, 4*a.Hidden, "ffn_hidden_size")
	biased(o, a)
	bias := o.yes("bias", false)
	a.QKVBias, a.OutBias, a.FFNBias = bias, bias, bias
	grouped := o.yes("new_decoder_architecture", false)
	switch {
	case grouped:
		a.KVHeads = o.size(1, a.Heads, "num_kv_heads", "n_head_kv")
	case o.yes("multi_query", true):
		a.KVHeads = 1
	}
	parallel := grouped || o.yes("parallel_attn", true)
	if parallel && (!grouped || o.size(1, 2, "num_ln_in_parallel_attn") == 1) {
		a.Norms = 1
	}
	a.Dropout = o.share(false, "hidden_dropout", "attention_dropout")
}

func starcoder2(o *object, a *model.Arch) {
	a.Vocab = o.count(49152, "vocab_size")
	a.Hidden = o.count(3072, "hidden_size")
	a.FFN = o.count(12288, "intermediate_size")
	a.Layers = o.count(30, "num_hidden_layers")
	a.Heads = o.count(24, "num_attention_heads")
	biased(o, a)
	a.KVHeads = o.count(2, "num_key_value_heads")
	bias := o.yes("use_bias", true)
	a.QKVBias, a.OutBias, a.FFNBias = bias, bias, bias
	a.Dropout = o.share(false, "residual_dropout", "attention_dropout")
}
