package hf

import (
	"strings"
	"testing"

	"spillway/sim/model"
)

// shippedAs is what the laboratory calls a published model.
func shippedAs(name string) string {
	name, _, _ = strings.Cut(name, ",")
	return strings.NewReplacer("gemma-", "gemma", "olmo-2", "olmo2", "phi-2", "phi2", "glm-4-9b-0414", "glm4-9b").Replace(strings.ToLower(name))
}

// TestPublished: sizes as published models have them in their config.json, and how many parameters their
// checkpoints hold: total_size of the index, or the number that their pages give, without what is not trained with them
// (a layer that predicts one word more, encoders of pictures).
func TestPublished(t *testing.T) {
	same := 0
	for _, tt := range []struct {
		name, text string
		want       int64
	}{
		{"Qwen3-0.6B", `"qwen3","hidden_size":1024,"intermediate_size":3072,"num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,"head_dim":128,"vocab_size":151936,"tie_word_embeddings":true`, 596_049_920},
		{"Qwen3-8B", `"qwen3","hidden_size":4096,"intermediate_size":12288,"num_hidden_layers":36,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,"vocab_size":151936,"tie_word_embeddings":false`, 8_190_735_360},
		{"Qwen3-32B", `"qwen3","hidden_size":5120,"intermediate_size":25600,"num_hidden_layers":64,"num_attention_heads":64,"num_key_value_heads":8,"head_dim":128,"vocab_size":151936`, 32_762_123_264},
		{"Qwen3-30B-A3B", `"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"moe_intermediate_size":768,"num_hidden_layers":48,"num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,"num_experts":128,"num_experts_per_tok":8,"decoder_sparse_step":1,"mlp_only_layers":[],"vocab_size":151936`, 30_532_122_624},
		{"Qwen3-235B-A22B", `"qwen3_moe","hidden_size":4096,"intermediate_size":12288,"moe_intermediate_size":1536,"num_hidden_layers":94,"num_attention_heads":64,"num_key_value_heads":4,"head_dim":128,"num_experts":128,"num_experts_per_tok":8,"vocab_size":151936`, 235_093_634_560},
		{"Qwen1.5-MoE-A2.7B", `"qwen2_moe","hidden_size":2048,"intermediate_size":5632,"moe_intermediate_size":1408,"shared_expert_intermediate_size":5632,"num_hidden_layers":24,"num_attention_heads":16,"num_key_value_heads":16,"num_experts":60,"num_experts_per_tok":4,"vocab_size":151936`, 14_315_784_192},
		{"gemma-2-2b", `"gemma2","hidden_size":2304,"intermediate_size":9216,"num_hidden_layers":26,"num_attention_heads":8,"num_key_value_heads":4,"head_dim":256,"vocab_size":256000`, 2_614_341_888},
		{"gemma-2-9b", `"gemma2","hidden_size":3584,"intermediate_size":14336,"num_hidden_layers":42,"num_attention_heads":16,"num_key_value_heads":8,"head_dim":256,"vocab_size":256000`, 9_241_705_984},
		{"gemma-2-27b", `"gemma2","hidden_size":4608,"intermediate_size":36864,"num_hidden_layers":46,"num_attention_heads":32,"num_key_value_heads":16,"head_dim":128,"vocab_size":256000`, 27_227_128_320},
		{"gemma-3-1b", `"gemma3_text","hidden_size":1152,"intermediate_size":6912,"num_hidden_layers":26,"num_attention_heads":4,"num_key_value_heads":1,"head_dim":256,"vocab_size":262144`, 999_885_952},
		{"gemma-3-4b, its words", `"gemma3","text_config":{"model_type":"gemma3_text","hidden_size":2560,"intermediate_size":10240,"num_hidden_layers":34,"num_attention_heads":8,"num_key_value_heads":4,"head_dim":256,"vocab_size":262208}`, 3_880_263_168},
		{"DeepSeek-V2-Lite", `"deepseek_v2","hidden_size":2048,"intermediate_size":10944,"moe_intermediate_size":1408,"num_hidden_layers":27,"num_attention_heads":16,"num_key_value_heads":16,"n_routed_experts":64,"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"moe_layer_freq":1,"kv_lora_rank":512,"q_lora_rank":null,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":102400`, 15_706_484_224},
		{"DeepSeek-V2", `"deepseek_v2","hidden_size":5120,"intermediate_size":12288,"moe_intermediate_size":1536,"num_hidden_layers":60,"num_attention_heads":128,"n_routed_experts":160,"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"moe_layer_freq":1,"kv_lora_rank":512,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":102400`, 235_741_434_880},
		{"DeepSeek-V3", `"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"moe_intermediate_size":2048,"num_hidden_layers":61,"num_attention_heads":128,"n_routed_experts":256,"n_shared_experts":1,"num_experts_per_tok":8,"first_k_dense_replace":3,"moe_layer_freq":1,"kv_lora_rank":512,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":129280,"num_nextn_predict_layers":1`, 671_026_404_352},
		{"gpt-oss-20b", `"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":24,"num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"num_local_experts":32,"num_experts_per_tok":4,"attention_bias":true,"vocab_size":201088`, 20_914_757_184},
		{"gpt-oss-120b", `"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":36,"num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"num_local_experts":128,"num_experts_per_tok":4,"attention_bias":true,"vocab_size":201088`, 116_829_156_672},
		{"OLMo-2-7B", `"olmo2","hidden_size":4096,"intermediate_size":11008,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":32,"vocab_size":100352`, 7_298_617_344},
		{"OLMo-2-13B", `"olmo2","hidden_size":5120,"intermediate_size":13824,"num_hidden_layers":40,"num_attention_heads":40,"num_key_value_heads":40,"vocab_size":100352`, 13_716_198_400},
		{"OLMo-7B", `"olmo","hidden_size":4096,"intermediate_size":11008,"num_hidden_layers":32,"num_attention_heads":32,"vocab_size":50304`, 6_888_095_744},
		{"OLMoE-1B-7B", `"olmoe","hidden_size":2048,"intermediate_size":1024,"num_hidden_layers":16,"num_attention_heads":16,"num_key_value_heads":16,"num_experts":64,"num_experts_per_tok":8,"vocab_size":50304`, 6_919_161_856},
		{"GLM-4-9B-0414", `"glm4","hidden_size":4096,"intermediate_size":13696,"num_hidden_layers":40,"num_attention_heads":32,"num_key_value_heads":2,"head_dim":128,"attention_bias":true,"vocab_size":151552`, 9_400_279_040},
		{"falcon-7b, its head once", `"falcon","hidden_size":4544,"num_hidden_layers":32,"num_attention_heads":71,"multi_query":true,"parallel_attn":true,"bias":false,"new_decoder_architecture":false,"vocab_size":65024`, 6_921_720_704},
		{"falcon-40b, its head once", `"falcon","hidden_size":8192,"num_hidden_layers":60,"num_attention_heads":128,"num_kv_heads":8,"new_decoder_architecture":true,"bias":false,"vocab_size":65024`, 41_303_293_952},
		{"gpt-neox-20b", `"gpt_neox","hidden_size":6144,"intermediate_size":24576,"num_hidden_layers":44,"num_attention_heads":64,"vocab_size":50432`, 20_554_567_680},
		{"pythia-6.9b", `"gpt_neox","hidden_size":4096,"intermediate_size":16384,"num_hidden_layers":32,"num_attention_heads":32,"vocab_size":50432`, 6_857_302_016},
		{"gpt-j-6b", `"gptj","n_embd":4096,"n_layer":28,"n_head":16,"vocab_size":50400`, 6_050_882_784},
		{"phi-2", `"phi","hidden_size":2560,"intermediate_size":10240,"num_hidden_layers":32,"num_attention_heads":32,"vocab_size":51200`, 2_779_683_840},
		{"c4ai-command-r-v01", `"cohere","hidden_size":8192,"intermediate_size":22528,"num_hidden_layers":40,"num_attention_heads":64,"num_key_value_heads":64,"vocab_size":256000`, 34_980_831_232},
		{"stablelm-2-1_6b", `"stablelm","hidden_size":2048,"intermediate_size":5632,"num_hidden_layers":24,"num_attention_heads":32,"num_key_value_heads":32,"use_qkv_bias":true,"vocab_size":100352`, 1_644_515_328},
		{"starcoder2-3b", `"starcoder2","hidden_size":3072,"intermediate_size":12288,"num_hidden_layers":30,"num_attention_heads":24,"num_key_value_heads":2,"vocab_size":49152`, 3_030_371_328},
		{"mpt-7b", `"mpt","d_model":4096,"n_layers":32,"n_heads":32,"expansion_ratio":4,"no_bias":true,"attn_config":{"alibi":true},"vocab_size":50432`, 6_649_286_656},
		{"dbrx-base", `"dbrx","d_model":6144,"n_layers":40,"n_heads":48,"attn_config":{"kv_n_heads":8},"ffn_config":{"ffn_hidden_size":10752,"moe_num_experts":16,"moe_top_k":4},"vocab_size":100352`, 131_596_523_520},
		{"Qwen2-VL-7B, its words", `"qwen2_vl","hidden_size":3584,"intermediate_size":18944,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,"vocab_size":152064,"vision_config":{"depth":32}`, 7_615_616_512},
		{"Llama-4-Scout, its words", `"llama4","text_config":{"model_type":"llama4_text","hidden_size":5120,"intermediate_size":8192,"intermediate_size_mlp":16384,"num_hidden_layers":48,"num_attention_heads":40,"num_key_value_heads":8,"head_dim":128,"num_local_experts":16,"num_experts_per_tok":1,"interleave_moe_layer_step":1,"vocab_size":202048}`, 107_769_861_120},
	} {
		a, err := arch("config.json", []byte(`{"model_type":`+tt.text+`}`))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if got := a.Parameters(); got != tt.want {
			t.Errorf("%s: %d parameters, want %d (%+d)", tt.name, got, tt.want, got-tt.want)
		} else if shipped, err := model.Find(shippedAs(tt.name)); err == nil {
			a.Name, a.Title, a.Source = shipped.Name, shipped.Title, shipped.Source
			if a != shipped {
				t.Errorf("%s:\n got %+v\nship %+v", tt.name, a, shipped)
			}
			same++
		}
	}
	if same < 20 {
		t.Errorf("%d of them come with the laboratory", same)
	}
}
