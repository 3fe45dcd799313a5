package hf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/llm/model"
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
	{"qwen2", "Qwen2", "Qwen2Config", gated{
		vocab: 151936, hidden: 4096, ffn: 22016, layers: 32, heads: 32, kv: 32, qkvBias: true,
	}.read},
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
	{"phi3", "Phi3", "Phi3Config", gated{
		vocab: 32064, hidden: 3072, ffn: 8192, layers: 32, heads: 32,
	}.read},
	{"gpt2", "GPT2", "GPT2Config", gpt2},
	{"gpt_bigcode", "GPTBigCode", "GPTBigCodeConfig", bigCode},
	{"opt", "OPT", "OPTConfig", opt},
	{"bloom", "Bloom", "BloomConfig", bloom},
	{"t5", "T5", "T5Config", t5{vocab: 32128, width: 512, ffn: 2048, layers: 6, heads: 8, tied: true}.read},
	{"mt5", "MT5", "MT5Config", t5{vocab: 250112, width: 512, ffn: 1024, layers: 8, heads: 6, gated: true}.read},
}

// lacks says of families that people try what of them has no place in a model.Arch.
var lacks = map[string]string{
	"qwen3":       "its norms of queries and keys",
	"qwen3_moe":   "its norms of queries and keys",
	"qwen2_moe":   "its experts that every token uses",
	"olmo2":       "its norms of queries and keys",
	"gemma2":      "its norms behind attention and the feed-forward block",
	"gemma3":      "its norms behind attention and the feed-forward block",
	"gemma3_text": "its norms behind attention and the feed-forward block",
	"deepseek_v2": "its attention over a latent vector and experts that every token uses",
	"deepseek_v3": "its attention over a latent vector and experts that every token uses",
	"kimi_k2":     "its attention over a latent vector and experts that every token uses",
	"llama4":      "its expert that every token uses, in some of the layers",
	"llama4_text": "its expert that every token uses, in some of the layers",
	"gpt_oss":     "its biases of experts and learned sinks of attention",
	"falcon":      "its feed-forward block beside attention, behind one norm",
	"gpt_neox":    "its feed-forward block beside attention",
	"gptj":        "its feed-forward block beside attention, behind one norm",
	"phi":         "its feed-forward block beside attention, behind one norm",
	"cohere":      "its feed-forward block beside attention, behind one norm",
	"mpt":         "its norms without biases",
	"dbrx":        "its norms without biases",
	"umt5":        "its table of relative positions in every layer",
	"mamba":       "its layers without attention",
	"mamba2":      "its layers without attention",
	"rwkv":        "its layers without attention",
	"jamba":       "its layers without attention",
	"bert":        "an encoder without a decoder, with token types",
	"roberta":     "an encoder without a decoder, with token types",
	"deberta":     "an encoder without a decoder",
	"deberta-v2":  "an encoder without a decoder",
	"bart":        "its learned positions in both stacks",
	"whisper":     "its convolutions over sound",
	"vit":         "an encoder of pictures",
	"clip":        "two encoders side by side",
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
	case named >= 0 && built >= 0 && named != built:
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
	var known []string
	for _, f := range families {
		known = append(known, f.name)
	}
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
	attentionBias, mlpBias            bool // the class has these settings
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
		a.Experts = o.count(d.experts, "num_local_experts", "num_experts")
		a.Active = o.count(d.active, "num_experts_per_tok")
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
