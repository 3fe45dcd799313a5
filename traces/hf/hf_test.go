package hf

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/model"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// arch is ReadConfig without notes.
func arch(name string, data []byte) (model.Arch, error) {
	m, err := ReadConfig(name, data)
	if err != nil {
		return model.Arch{}, err
	}
	return m.Arch, nil
}

// TestTotals: the parameters of published models, as their checkpoints have them (index files
// and model cards), exactly.
func TestTotals(t *testing.T) {
	want := map[string]int64{
		"llama-3-8b":      8_030_261_248,
		"llama-3-70b":     70_553_706_496,
		"granite-8b-code": 8_053_362_688,
		"granite-3.0-2b":  2_533_531_648,
		"mistral-7b":      7_241_732_096,
		"mixtral-8x7b":    46_702_792_704,
		"qwen2-7b":        7_615_616_512,
		"gpt2-xl":         1_557_611_200,
		"opt-6.7b":        6_658_473_984,
		"opt-350m":        331_196_416,
		"bloom-7b1":       7_069_016_064,
		"t5-11b":          11_307_321_344,
		"flan-t5-xl":      2_849_757_184,
		"starcoder":       15_517_456_384,
		"phi-3-mini":      3_821_079_552,
		"gemma-7b":        8_537_680_896,
		"llava-1.5-7b":    6_738_939_904, // the language model of 32064 words, without the tower of pictures
	}
	for name, parameters := range want {
		m, err := ReadConfig(name+".json", sample(t, name+".json"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := m.Arch.Parameters(); got != parameters {
			t.Errorf("%s: %d parameters, want %d", name, got, parameters)
		}
		if m.Arch.Title != name || m.Arch.Name != name {
			t.Errorf("%s: called %q, %q", name, m.Arch.Title, m.Arch.Name)
		}
		if !IsConfig(sample(t, name+".json")) || IsIndex(sample(t, name+".json")) {
			t.Errorf("%s is not recognized", name)
		}
	}
}

// TestShipped: a file says of a model what the laboratory's own has.
func TestShipped(t *testing.T) {
	for file, name := range map[string]string{
		"llama-3-8b": "llama3-8b", "llama-3-70b": "llama3-70b", "granite-8b-code": "granite-8b",
		"gpt2-xl": "gpt2-xl", "t5-11b": "t5-11b", "mixtral-8x7b": "mixtral-8x7b",
	} {
		want, err := model.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := arch(file, sample(t, file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got.Name, got.Title, got.Source = want.Name, want.Title, want.Source
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", file, got, want)
		}
	}
}

// TestDefaults: a file that says only its family is the model that the class of transformers
// makes without arguments, and every number that it takes is noted.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		family string
		arch   model.Arch
		noted  int
	}{
		{"llama", model.Arch{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Vocab: 32000, FinalNorm: true, Gated: true}, 5},
		{"mistral", model.Arch{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 32000, FinalNorm: true, Gated: true}, 6},
		{"mixtral", model.Arch{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 32000, FinalNorm: true, Gated: true, Experts: 8, Active: 2}, 8},
		{"qwen2", model.Arch{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 22016, Vocab: 151936, FinalNorm: true, Gated: true, QKVBias: true}, 6},
		{"granite", model.Arch{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Vocab: 32000, FinalNorm: true, Gated: true}, 5},
		{"granitemoe", model.Arch{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Vocab: 32000, FinalNorm: true, Gated: true, Experts: 8, Active: 2}, 7},
		{"gemma", model.Arch{Layers: 28, Hidden: 3072, Heads: 16, KVHeads: 16, HeadDim: 256, FFN: 24576, Vocab: 256000, FinalNorm: true, Gated: true, Tied: true}, 6},
		{"phi3", model.Arch{Layers: 32, Hidden: 3072, Heads: 32, KVHeads: 32, HeadDim: 96, FFN: 8192, Vocab: 32064, FinalNorm: true, Gated: true}, 5},
		{"gpt2", model.Arch{
			Layers: 12, Hidden: 768, Heads: 12, KVHeads: 12, HeadDim: 64, FFN: 3072, Vocab: 50257, Positions: 1024,
			Norm: model.LayerNorm, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true, Dropout: true,
		}, 5},
		{"gpt_bigcode", model.Arch{
			Layers: 12, Hidden: 768, Heads: 12, KVHeads: 1, HeadDim: 64, FFN: 3072, Vocab: 50257, Positions: 1024,
			Norm: model.LayerNorm, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true, Dropout: true,
		}, 5},
		{"opt", model.Arch{
			Layers: 12, Hidden: 768, Heads: 12, KVHeads: 12, HeadDim: 64, FFN: 3072, Vocab: 50272, Positions: 2050, PadOffset: 2,
			Norm: model.LayerNorm, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true, Dropout: true,
		}, 6},
		{"bloom", model.Arch{
			Layers: 2, Hidden: 64, Heads: 8, KVHeads: 8, HeadDim: 8, FFN: 256, Vocab: 250880, EmbedNorm: true,
			Norm: model.LayerNorm, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true,
		}, 4},
		{"t5", model.Arch{Layers: 6, Encoder: 6, Hidden: 512, Heads: 8, KVHeads: 8, HeadDim: 64, FFN: 2048, Vocab: 32128, Buckets: 32, FinalNorm: true, Tied: true, Dropout: true}, 6},
		{"mt5", model.Arch{Layers: 8, Encoder: 8, Hidden: 512, Heads: 6, KVHeads: 6, HeadDim: 64, FFN: 1024, Vocab: 250112, Buckets: 32, FinalNorm: true, Gated: true, Dropout: true}, 6},
	} {
		m, err := ReadConfig("config.json", fmt.Appendf(nil, `{"model_type": %q}`, tt.family))
		if err != nil {
			t.Errorf("%s: %v", tt.family, err)
			continue
		}
		if len(m.Notes) != tt.noted {
			t.Errorf("%s: %d notes, want %d: %q", tt.family, len(m.Notes), tt.noted, m.Notes)
		}
		got := m.Arch
		if want := fmt.Sprintf("%s, %d layers of %d", tt.family, got.Layers+got.Encoder, got.Hidden); got.Title != want {
			t.Errorf("%s: called %q, want %q", tt.family, got.Title, want)
		}
		got.Name, got.Title, got.Source = "", "", ""
		if got != tt.arch {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.family, got, tt.arch)
		}
	}
}

func TestTitle(t *testing.T) {
	a := model.Arch{Layers: 3, Encoder: 2, Hidden: 64}
	for _, tt := range []struct{ file, path, want, name string }{
		{"config.json", "", "fam, 5 layers of 64", "fam-5-layers-of-64"},
		{"config.json", "meta-llama/Llama-2-7b-hf", "Llama-2-7b-hf", "llama-2-7b-hf"},
		{"config.json", "/models/out/", "out", "out"},
		{"config.json", "./", "fam, 5 layers of 64", "fam-5-layers-of-64"},
		{"My Model/config.json", "", "My Model", "my-model"},
		{`C:\models\x_1\config.json`, "", "x_1", "x-1"},
		{"/config.json", "", "fam, 5 layers of 64", "fam-5-layers-of-64"},
		{"config.tiny.json", "", "tiny", "tiny"},
		{"llama-config.json", "", "llama", "llama"},
		{"<b>&\"é.json", "12/34", "b", "b"},
		{strings.Repeat("x", 99), "", strings.Repeat("x", 60), strings.Repeat("x", 60)},
	} {
		got := title(tt.file, tt.path, "fam", &a)
		if got != tt.want || slug(got) != tt.name {
			t.Errorf("%q, %q: %q, %q; want %q, %q", tt.file, tt.path, got, slug(got), tt.want, tt.name)
		}
	}
}

// TestSettings: settings beside the sizes.
func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		text string
		fits func(*model.Arch) bool
	}{
		{`"llama", "attention_bias": true`, func(a *model.Arch) bool { return a.QKVBias && a.OutBias && !a.FFNBias }},
		{`"llama", "mlp_bias": true`, func(a *model.Arch) bool { return !a.QKVBias && !a.OutBias && a.FFNBias }},
		{`"mistral", "attention_bias": true`, func(a *model.Arch) bool { return !a.QKVBias && !a.OutBias }}, // no such setting
		{`"llama", "tie_word_embeddings": true`, func(a *model.Arch) bool { return a.Tied }},
		{`"llama", "head_dim": 100, "hidden_size": 4099`, func(a *model.Arch) bool { return a.HeadDim == 100 }},
		{`"llama", "num_key_value_heads": null`, func(a *model.Arch) bool { return a.KVHeads == 32 }},
		{`"llama", "attention_dropout": 0.1`, func(a *model.Arch) bool { return a.Dropout }},
		{`"gpt2", "tie_word_embeddings": false`, func(a *model.Arch) bool { return !a.Tied }},
		{`"gpt2", "hidden_size": 96, "num_hidden_layers": 3`, func(a *model.Arch) bool { return a.Hidden == 96 && a.FFN == 384 && a.Layers == 3 }},
		{`"gpt2", "resid_pdrop": 0, "attn_pdrop": 0.1`, func(a *model.Arch) bool { return !a.Dropout }},
		{`"opt", "attention_dropout": 0.0`, func(a *model.Arch) bool { return a.Dropout }},
		{`"opt", "dropout": 0.0`, func(a *model.Arch) bool { return !a.Dropout }},
		{`"opt", "dropout": 0, "attention_dropout": 0.1`, func(a *model.Arch) bool { return a.Dropout }},
		{`"mistral", "num_key_value_heads": null`, func(a *model.Arch) bool { return a.KVHeads == 32 }},
		{`"gpt_bigcode", "multi_query": false`, func(a *model.Arch) bool { return a.KVHeads == 12 }},
		{`"opt", "enable_bias": false`, func(a *model.Arch) bool { return !a.QKVBias && !a.FFNBias && a.Norm == model.LayerNorm }},
		{`"opt", "_remove_final_layer_norm": true`, func(a *model.Arch) bool { return !a.FinalNorm }},
		{`"opt", "word_embed_proj_dim": 512`, func(a *model.Arch) bool { return a.EmbedWidth == 512 }},
		{`"t5", "num_decoder_layers": 3`, func(a *model.Arch) bool { return a.Layers == 3 && a.Encoder == 6 }},
		{`"mt5", "feed_forward_proj": "relu"`, func(a *model.Arch) bool { return !a.Gated }},
		{`"GPT-2", "architectures": ["GPT2Model"]`, func(a *model.Arch) bool { return a.Norm == model.LayerNorm }}, // by its architecture
		{`"my-yi", "architectures": ["LlamaForCausalLM"]`, func(a *model.Arch) bool { return a.Gated }},
		{`"LLAMA"`, func(a *model.Arch) bool { return a.Gated }},
		{`"gpt-bigcode"`, func(a *model.Arch) bool { return a.KVHeads == 1 }},
		{`"", "_name_or_path": "someone/My-Model_7B/"`, func(a *model.Arch) bool { return a.Title == "My-Model_7B" && a.Name == "my-model-7b" }},
	} {
		text := `{"model_type": ` + tt.text + `}`
		if strings.HasPrefix(tt.text, `""`) {
			text = `{"model_type": "llama"` + tt.text[2:] + `}`
		}
		a, err := arch("config.json", []byte(text))
		if err != nil || !tt.fits(&a) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}

// TestNotes: what is read otherwise than it is written, or not at all, is said.
func TestNotes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"model_type":"llama"}`, "hidden_size is not in the file: 4096, the default of LlamaConfig."},
		{`{"model_type":"mistral","sliding_window":4096}`, "sliding_window: attention is simulated over the whole sequence."},
		{`{"model_type":"llama","quantization_config":{"bits":4}}`, "quantization_config"},
		{`{"architectures":["OPTForCausalLM"]}`, "model_type is missing: read as OPTForCausalLM"},
		{`{"model_type":"x","architectures":["OPTForCausalLM"]}`, `model_type "x" is not known: read as OPTForCausalLM`},
		{`{"model_type":"mistral","architectures":["LlamaForCausalLM"]}`, "read as mistral"},
		{`{"model_type":"llama","architectures":["LlamaForSequenceClassification"]}`, "LlamaForSequenceClassification has no head that predicts words"},
		{string(sample(t, "llava-1.5-7b.json")), "Of the model only text_config is read; vision_config is not simulated."},
		{`{"model_type":"llava","text_config":{"vocab_size":32064}}`, "default of LlavaConfig"},
		{`{"model_type":"mistral"}`, "num_key_value_heads is not in the file: 8, the default of MistralConfig."},
	} {
		m, err := ReadConfig("config.json", []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.Contains(n, tt.want) }) {
			t.Errorf("%s: notes %q, want %q", tt.text, m.Notes, tt.want)
		}
	}
	m, err := ReadConfig("config.json", sample(t, "qwen2-7b.json"))
	if err != nil || len(m.Notes) > 0 {
		t.Errorf("a complete file with its sliding window switched off: %v, %q", err, m.Notes)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, "line 1, column 1 (byte 0)"},
		{`{"model_type": "llama"`, "line 1, column 23 (byte 22)"},
		{`[1]`, "want an object"},
		{`{}`, "neither model_type nor architectures says what model this is; known are llama, mistral,"},
		{"{\n\"model_type\": \"mamba2\", \"architectures\":[\"Mamba2ForCausalLM\"]}", `line 2, column 15 (byte 16): architecture "mamba2" (Mamba2ForCausalLM): what this simulator does not have is its layers without attention; known are llama,`},
		{`{"model_type":"qwen3_moe","mlp_only_layers":[3]}`, "mlp_only_layers: layers without experts that are not the first ones; this is not simulated"},
		{`{"model_type":"phi","qk_layernorm":true}`, "qk_layernorm: a norm of each head"},
		{`{"model_type":"dbrx","attn_config":{"kv_n_heads":"8"}}`, `attn_config.kv_n_heads: want a whole number from 1 to 16777216, found "8"`},
		{`{"architectures":["FooForBar"]}`, `byte 17): architecture "FooForBar": its layers are not known here. If they are like those of a known one, set model_type to it; known are llama,`},
		{`{"model_type":"llava","text_config":{"model_type":"foo"}}`, `byte 50): architecture "foo": its layers`},
		{`{"model_type":"foo","text_config":{"a":1}}`, `neither model_type nor architectures of text_config says`},
		{`{"model_type":7}`, "byte 14): model_type: want a string, found 7"},
		{`{"architectures":7}`, "architectures: want an array of strings, found 7"},
		{`{"architectures":[{}]}`, "architectures: want strings, found an object"},
		{"{\"model_type\":\"llama\",\n \"hidden_size\": \"4096\"}", `line 2, column 17 (byte 39): hidden_size: want a whole number from 1 to 16777216, found "4096"`},
		{`{"model_type":"llama","hidden_size":-4096}`, "hidden_size: want a whole number from 1 to 16777216, found -4096"},
		{`{"model_type":"llama","hidden_size":0}`, "found 0"},
		{`{"model_type":"llama","hidden_size":4096.5}`, "found 4096.5"},
		{`{"model_type":"llama","hidden_size":1e300}`, "found 1e+300"},
		{`{"model_type":"llama","hidden_size":[1]}`, "found an array"},
		{`{"model_type":"llama","num_hidden_layers":true}`, "num_hidden_layers: want a whole number from 1 to 16777216, found true"},
		{`{"model_type":"llama","num_hidden_layers":99999999999999999999}`, "num_hidden_layers: want a whole number"},
		{`{"model_type":"llama","num_hidden_layers":100000}`, "layers: 100000"},
		{`{"model_type":"llama","hidden_size":100}`, "a width of 100 cannot be cut into 32 heads"},
		{`{"model_type":"llama","num_key_value_heads":5}`, "32 heads"},
		{`{"model_type":"llama","tie_word_embeddings":1}`, "tie_word_embeddings: want true or false, found 1"},
		{`{"model_type":"llama","attention_dropout":2}`, "attention_dropout: want a number from 0 to 1, found 2"},
		{`{"model_type":"mixtral","num_experts_per_tok":9}`, "num_experts_per_tok: a token takes 9 experts of 8"},
		{`{"model_type":"gpt2","add_cross_attention":true}`, "add_cross_attention: layers that look at another model's output; this is not simulated"},
		{`{"model_type":"opt","layer_norm_elementwise_affine":false}`, "norms without weights; this is not simulated"},
		{`{"model_type":"t5","feed_forward_proj":3}`, "feed_forward_proj: want a string, found 3"},
		{`{"model_type":"llava","text_config":{"model_type":"llama","vocab_size":"x"}}`, `text_config.vocab_size: want a whole number from 1 to 16777216, found "x"`},
		{`{"model_type":"llama","hidden_size":{},"vocab_size":"` + strings.Repeat("x", 99) + `"}`, `found "xxxxxxxxxxxxxxxxxxxxxxxx…"` + "\n"},
		{string(sample(t, "llama-3-8b.index.json")), "this is the index of a checkpoint; the model is in the config.json beside it"},
		{strings.Repeat(" ", maxConfig+1), "a config.json of a model has at most 16777216"},
		{`{"model_type":` + strings.Repeat("[", 100_000), "nest deeper"},
	} {
		a, err := arch("here.json", []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "here.json: ") {
			t.Errorf("%.200s:\n got %v\nwant %s\n(%+v)", tt.text, err, tt.want, a)
		}
	}
}

// TestLacks: nothing is said to be missing of a family that is known.
func TestLacks(t *testing.T) {
	for _, f := range families {
		if lacks[f.name] != "" {
			t.Errorf("%s is known and lacks %s", f.name, lacks[f.name])
		}
		if p, head := split(f.prefix + "ForCausalLM"); p != f.prefix || head < 0 {
			t.Errorf("%s: %q, %d", f.name, p, head)
		}
	}
}

func TestIndex(t *testing.T) {
	data := sample(t, "llama-3-8b.index.json")
	if !IsIndex(data) || IsConfig(data) {
		t.Error("the index is not recognized")
	}
	x, err := ReadIndex("index.json", data)
	if err != nil || *x != (Index{Bytes: 16_060_522_496, Tensors: 6, Files: 4, Layers: 32}) {
		t.Fatalf("%+v, %v", x, err)
	}
	for _, tt := range []struct{ text, want string }{
		{`{`, "line 1, column 2"},
		{`{"metadata":{"total_size":8}}`, "weight_map, which says where each tensor is, is missing or empty"},
		{`{"metadata":{"total_size":8},"weight_map":{}}`, "weight_map"},
		{`{"weight_map":{"a":"b"}}`, "metadata.total_size: want a whole number from 1 to 2^53, found null"},
		{`{"metadata":{"total_size":"8"},"weight_map":{"a":"b"}}`, `byte 26): metadata.total_size: want a whole number from 1 to 2^53, found "8"`},
		{`{"metadata":{"total_size":-8},"weight_map":{"a":"b"}}`, "found -8"},
		{`{"metadata":{"total_size":1e99},"weight_map":{"a":"b"}}`, "found 1e+99"},
		{`{"metadata":{"total_size":8,"total_parameters":0.5},"weight_map":{"a":"b"}}`, "metadata.total_parameters"},
		{`{"metadata":{"total_size":8},"weight_map":{"a":1}}`, "want a string, found 1"},
		{`{"metadata":7,"weight_map":{"a":"b"}}`, "want an object, found 7"},
	} {
		x, err := ReadIndex("here.json", []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "here.json: ") {
			t.Errorf("%s:\n got %v\nwant %s\n(%+v)", tt.text, err, tt.want, x)
		}
	}
}

func TestCompare(t *testing.T) {
	read := func(name string) *model.Arch {
		a, err := arch(name, sample(t, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return &a
	}
	for _, tt := range []struct {
		x    Index
		a    *model.Arch
		ok   bool
		want string
	}{
		{
			Index{Bytes: 16_060_522_496, Tensors: 291, Files: 4, Layers: 32},
			read("llama-3-8b"), true,
			"The checkpoint, 291 tensors in 4 files, has 16,060,522,496 bytes: 8,030,261,248 parameters of 2 bytes, exactly those of llama-3-8b.",
		},
		{Index{Bytes: 4 * 8_030_261_248}, read("llama-3-8b"), true, "of 4 bytes, exactly"},
		{Index{Bytes: 8_030_261_248, Tensors: 1, Files: 1}, read("llama-3-8b"), true, "1 tensor in 1 file, has 8,030,261,248 bytes: 8,030,261,248 parameters of 1 byte, exactly"},
		{Index{Bytes: 2*8_030_261_248 + 4096}, read("llama-3-8b"), true, "4,096 more than the 8,030,261,248 parameters of llama-3-8b of 2 bytes each: buffers, say."},
		{Index{Bytes: 2*8_030_261_248 - 4096}, read("llama-3-8b"), true, "4,096 fewer than"},
		{Index{Bytes: 2 * (8_053_362_688 + 49152*4096)}, read("granite-8b-code"), true, "its head, which is its embedding, once more"},
		{
			Index{Bytes: 141_107_412_992, Tensors: 723, Files: 30},
			read("llama-3-8b"), false,
			"; the 8,030,261,248 parameters of llama-3-8b would be 7.48 GiB, 14.96 GiB or 29.92 GiB with 1, 2 or 4 bytes each.",
		},
		{Index{Bytes: 141_107_412_992, Layers: 80}, read("llama-3-8b"), false, "its tensors are of 80 layers, and llama-3-8b has 32."},
		{Index{Bytes: 5_000_000_000, Parameters: 8_030_261_248}, read("llama-3-8b"), true, "by its own word 8,030,261,248 parameters, as many as llama-3-8b."},
		{Index{Bytes: 16_060_522_496, Parameters: 7}, read("llama-3-8b"), false, "by its own word 7 parameters; llama-3-8b has 8,030,261,248."},
	} {
		got, ok := tt.x.Compare(tt.a)
		if ok != tt.ok || !strings.Contains(got, tt.want) {
			t.Errorf("%+v:\n got %v, %s\nwant %v, %s", tt.x, ok, got, tt.ok, tt.want)
		}
	}
}

func TestLayer(t *testing.T) {
	for name, want := range map[string]int64{
		"model.layers.79.mlp.up_proj.weight":            80,
		"h.11.attn.c_attn.bias":                         12,
		"transformer.h.0.ln_1.weight":                   1,
		"decoder.block.23.layer.0.x":                    24,
		"encoder.block.30.layer.0.x":                    0,
		"vision_tower.vision_model.encoder.layers.30.x": 0,
		"lm_head.weight":                                0,
		"a.-3.b":                                        0,
		"":                                              0,
	} {
		if got := layer(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// TestRecordings: the samples of recordings have models and an index, whose parameters SOURCES.md lists.
func TestRecordings(t *testing.T) {
	dir := filepath.Join(artifact.Traces(t), "hf")
	var tiny *model.Arch
	for name, want := range map[string]int64{
		"config.llama-8b-shape.json": 8_030_261_248, "config.qwen2-0.5b-shape.json": 494_032_768,
		"config.gpt2-large-shape.json": 774_030_080, "config.tiny-llama.json": 158_016,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		a, err := arch(name, data)
		if err != nil || a.Parameters() != want {
			t.Errorf("%s: %d parameters, want %d; %v", name, a.Parameters(), want, err)
		}
		if want == 158_016 {
			tiny = &a
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.safetensors.index.json"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := ReadIndex("model.safetensors.index.json", data)
	if err != nil {
		t.Fatal(err)
	}
	if says, ok := x.Compare(tiny); !ok || !strings.Contains(says, "exactly those of tiny-llama") {
		t.Errorf("%v, %s", ok, says)
	}
}

func TestIsConfig(t *testing.T) {
	for text, want := range map[string][2]bool{
		"":                     {false, false},
		`{"model_type" : "x"}`: {true, false},
		"\xef\xbb\xbf\n{\"a\":1,\"architectures\":[": {true, false},
		`{"a":"model_type"}`:                         {false, false},
		`{"a":"model_type","model_type":1}`:          {true, false},
		`["model_type":1]`:                           {false, false},
		`{"weight_map":{"model_type":""`:             {false, true},
	} {
		if got := [2]bool{IsConfig([]byte(text)), IsIndex([]byte(text))}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// FuzzConfig: nothing panics, and what is accepted is an architecture that passes its check, has a
// name and the same again when it is read again.
func FuzzConfig(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		f.Add(sample(f, filepath.Base(name)))
	}
	for _, m := range families {
		f.Add(fmt.Appendf(nil, `{"model_type":%q,"text_config":{"model_type":%q}}`, m.name, m.name))
	}
	f.Add([]byte(`{"model_type":"llama","text_config":{"model_type":"llama","text_config":null},"vocab_size":1e9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = IsConfig(data), IsIndex(data)
		if m, err := ReadConfig("f.json", data); err == nil {
			if err := m.Arch.Check(); err != nil {
				t.Errorf("accepted: %v", err)
			}
			if m.Arch.Parameters() < 1 || m.Arch.Name == "" || m.Arch.Title == "" {
				t.Errorf("accepted: %+v", m.Arch)
			}
			again, err := ReadConfig("f.json", data)
			if err != nil || again.Arch != m.Arch || !slices.Equal(again.Notes, m.Notes) {
				t.Errorf("read twice: %+v, %+v, %v", m, again, err)
			}
			if !json.Valid(text(data)) {
				t.Error("accepted what is no JSON")
			}
		}
		if x, err := ReadIndex("f.json", data); err == nil {
			if x.Bytes < 1 || x.Tensors < 1 || x.Files < 1 || x.Files > x.Tensors || x.Layers < 0 {
				t.Errorf("accepted: %+v", x)
			}
			for _, a := range model.Models()[:3] {
				if says, _ := x.Compare(&a); !strings.HasSuffix(says, ".") {
					t.Errorf("says %q", says)
				}
			}
		}
	})
}
