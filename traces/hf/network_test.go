package hf

import (
	"os"
	"strings"
	"testing"

	"spillway/traces/networks"
)

// Networks of public models, as their config.json says them, have the numbers of parameters that
// their cards publish.
func TestNetworks(t *testing.T) {
	for config, want := range map[string]int64{
		`{"_name_or_path":"meta-llama/Llama-3.2-1B","architectures":["LlamaForCausalLM"],"model_type":"llama","head_dim":64,"hidden_size":2048,"intermediate_size":8192,"max_position_embeddings":131072,"num_attention_heads":32,"num_hidden_layers":16,"num_key_value_heads":8,"tie_word_embeddings":true,"vocab_size":128256}`: 1235814400,
		`{"_name_or_path":"Qwen/Qwen2.5-0.5B","model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_attention_heads":14,"num_hidden_layers":24,"num_key_value_heads":2,"tie_word_embeddings":true,"vocab_size":151936}`:                                                                                            494032768,
		`{"_name_or_path":"Qwen/Qwen3-0.6B","model_type":"qwen3","head_dim":128,"hidden_size":1024,"intermediate_size":3072,"num_attention_heads":16,"num_hidden_layers":28,"num_key_value_heads":8,"tie_word_embeddings":true,"vocab_size":151936}`:                                                                              596049920,
		`{"_name_or_path":"gpt2","model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,"vocab_size":50257,"activation_function":"gelu_new"}`:                                                                                                                                                               124439808,
		`{"_name_or_path":"mosaicml/mpt-7b","model_type":"mpt","d_model":4096,"n_heads":32,"n_layers":32,"expansion_ratio":4,"vocab_size":50432,"max_seq_len":2048,"no_bias":true,"attn_config":{"attn_type":"multihead_attention","alibi":true}}`:                                                                                6649286656,
		`{"_name_or_path":"bert-base-uncased","architectures":["BertForMaskedLM"],"model_type":"bert","hidden_size":768,"intermediate_size":3072,"max_position_embeddings":512,"num_attention_heads":12,"num_hidden_layers":12,"type_vocab_size":2,"vocab_size":30522}`:                                                           109514298,
		`{"_name_or_path":"FacebookAI/roberta-base","architectures":["RobertaForMaskedLM"],"model_type":"roberta","hidden_size":768,"intermediate_size":3072,"max_position_embeddings":514,"num_attention_heads":12,"num_hidden_layers":12,"type_vocab_size":1,"vocab_size":50265}`:                                               124697433,
		`{"_name_or_path":"distilbert-base-uncased","architectures":["DistilBertForMaskedLM"],"model_type":"distilbert","dim":768,"hidden_dim":3072,"max_position_embeddings":512,"n_heads":12,"n_layers":6,"vocab_size":30522}`:                                                                                                  66985530,
		`{"_name_or_path":"google/flan-t5-base","model_type":"t5","d_ff":2048,"d_kv":64,"d_model":768,"feed_forward_proj":"gated-gelu","num_decoder_layers":12,"num_heads":12,"num_layers":12,"tie_word_embeddings":false,"vocab_size":32128}`:                                                                                    247577856,
		`{"_name_or_path":"google/vit-base-patch16-224","architectures":["ViTForImageClassification"],"model_type":"vit","hidden_size":768,"image_size":224,"intermediate_size":3072,"num_attention_heads":12,"num_hidden_layers":12,"patch_size":16,"num_labels":1000}`:                                                          86567656,
		`{"_name_or_path":"google/vit-large-patch32-384","model_type":"vit","hidden_size":1024,"image_size":384,"intermediate_size":4096,"num_attention_heads":16,"num_hidden_layers":24,"patch_size":32,"num_labels":1000}`:                                                                                                      306632680,
		"mistral-7b.json": 7241732096,
		"opt-6.7b.json":   6658473984,
		"phi-3-mini.json": 3821079552,
		"qwen2-7b.json":   7615616512,
		"bloom-7b1.json":  7069016064,
		"starcoder.json":  15517456384,
		"gpt2-xl.json":    1557611200,
		"flan-t5-xl.json": 2849757184,
		"gemma-7b.json":   8537680896,
	} {
		name, data := "config.json", []byte(config)
		if strings.HasSuffix(config, ".json") {
			name = config
			var err error
			if data, err = os.ReadFile("testdata/" + name); err != nil {
				t.Fatal(err)
			}
		}
		m, err := ReadNetwork(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := networks.ParseDescription(m.String())
		if err != nil {
			t.Error(err)
			continue
		}
		n, err := d.Network()
		if err != nil {
			t.Fatal(err)
		}
		l, err := n.Lower(networks.Options{Batch: 1})
		if err != nil {
			t.Error(err)
			continue
		}
		if l.Parameters != want {
			t.Errorf("%s: %d parameters, published %d (%+d)", m.Title, l.Parameters, want, l.Parameters-want)
		}
	}
}

// What cannot be lowered says what is missing.
func TestNotLowered(t *testing.T) {
	for config, want := range map[string]string{
		`{"model_type":"mamba"}`: "what this simulator does not have is its layers without attention; known are llama,",
		`{"model_type":"mixtral","hidden_size":64,"num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":8,"num_hidden_layers":2,"vocab_size":9}`: "what is missing here is a mixture of experts; LLM training has that",
		`{"model_type":"gemma2"}`:                              "what is missing here is another number of norms in a layer than two",
		`{"model_type":"deepseek_v2","n_routed_experts":null}`: "what is missing here is attention over a latent vector",
		`{"model_type":"unheard-of"}`:                          "bert, roberta, distilbert and vit",
		`{"model_type":"bert","hidden_size":"x"}`:              "hidden_size: want a whole number",
		`{"model_type":"vit","patch_size":15}`:                 "cannot be cut into patches of 15",
		`{"model_type":"mpt","attn_config":{"kv_n_heads":-1}}`: "attn_config.kv_n_heads: want a whole number",
		`{"model_type":"bert"`:                                 "config.json",
	} {
		if _, err := ReadNetwork("config.json", []byte(config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", config, err, want)
		}
	}
}
