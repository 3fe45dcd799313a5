package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParameters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		want   int64
		source string
	}{
		{"llama3-8b", 8030261248, "models_summary.csv; Hugging Face says 8.03 B"},
		{"llama3-70b", 70553706496, "models_summary.csv; Hugging Face says 70.6 B"},
		{"granite-8b", 8053362688, "models_summary.csv; Hugging Face says 8.05 B"},
		{"gpt2-xl", 1557611200, "models_summary.csv; 1558 M in the code's README"},
		{"gpt2-40b", 39079927808, "39.1 B in Narayanan et al., Table 1"},
		{"gpt3-6.7b", 6658404352, "12Lh² + 13Lh + (V + 2048)h + 2h by hand; Brown et al. say 6.7 B"},
		{"gpt3-13b", 12936488380, "Brown et al. say 13.0 B"},
		{"gpt3-175b", 174604259328, "Brown et al. say 175.0 B"},
		{"t5-11b", 11307321344, "sum of the checkpoint's tensors"},
		{"mixtral-8x7b", 46702792704, "Jiang et al. say 47 B; Hugging Face says 46.7 B"},
		{"llama3.2-1b", 1235814400, "Hugging Face says 1.24 B"},
		{"llama3.2-3b", 3212749824, "Hugging Face says 3.21 B"},
		{"llama3.1-405b", 405853388800, "Hugging Face says 406 B"},
		{"llama2-7b", 6738415616, "sum of the checkpoint's tensors"},
		{"llama2-13b", 13015864320, "sum of the checkpoint's tensors"},
		{"llama2-70b", 68976648192, "sum of the checkpoint's tensors"},
		{"llama-65b", 65285660672, "Hugging Face says 65.3 B"},
		{"codellama-34b", 33743970304, "Hugging Face says 33.7 B"},
		{"tinyllama-1.1b", 1100048384, "Hugging Face says 1.1 B"},
		{"yi-34b", 34388917248, "Hugging Face says 34.4 B"},
		{"mistral-7b", 7241732096, "sum of the checkpoint's tensors"},
		{"mistral-nemo-12b", 12247782400, "Hugging Face says 12.2 B"},
		{"mistral-small-24b", 23572403200, "Hugging Face says 23.6 B"},
		{"mistral-large-123b", 122610069504, "Hugging Face says 123 B"},
		{"mixtral-8x22b", 140630071296, "Hugging Face says 141 B"},
		{"phi3-mini", 3821079552, "Hugging Face says 3.82 B"},
		{"phi4", 14659507200, "Hugging Face says 14.7 B"},
		{"smollm2-135m", 134515008, "Hugging Face says 135 M"},
		{"gemma-7b", 8537680896, "Hugging Face says 8.54 B"},
		{"qwen2.5-7b", 7615616512, "Hugging Face says 7.62 B"},
		{"qwen2.5-72b", 72706203648, "Hugging Face says 72.7 B"},
		{"qwen3-1.7b", 1720574976, "without its head, which is its embedding: 2.03 B less 311 M"},
		{"qwen3-4b", 4022468096, "Hugging Face says 4.02 B"},
		{"qwen3-8b", 8190735360, "Hugging Face says 8.19 B"},
		{"qwen3-14b", 14768307200, "Hugging Face says 14.8 B"},
		{"qwen3-30b-a3b", 30532122624, "Hugging Face says 30.5 B"},
		{"gemma2-9b", 9241705984, "Hugging Face says 9.24 B"},
		{"gemma3-1b", 999885952, "Hugging Face says 1.00 B"},
		{"llama4-maverick", 400711848960, "Hugging Face says 402 B, with what sees"},
		{"deepseek-v2-lite", 15706484224, "Hugging Face says 15.7 B"},
		{"deepseek-v3", 671026404352, "671 B, without what predicts one word more"},
		{"kimi-k2", 1026408209408, "Hugging Face says 1 026 408 232 448, with 384 numbers that no gradient moves in each of 60 layers"},
		{"gpt-oss-20b", 20914757184, "20.9 B in the model card"},
		{"gpt-oss-120b", 116829156672, "116.8 B in the model card"},
		{"olmo2-13b", 13716198400, "Hugging Face says 13.7 B"},
		{"olmo2-32b", 32234279936, "Hugging Face says 32.2 B"},
		{"glm4-9b", 9400279040, "Hugging Face says 9.4 B"},
		{"glm4-32b", 32566081536, "Hugging Face says 32.6 B"},
		{"falcon-40b", 41303293952, "Hugging Face says 41.8 B, with its head once more"},
		{"pythia-160m", 162322944, "Pythia, Table 1"},
		{"pythia-1b", 1011781632, "Pythia, Table 1"},
		{"pythia-1.4b", 1414647808, "Pythia, Table 1"},
		{"pythia-2.8b", 2775208960, "Pythia, Table 1"},
		{"pythia-6.9b", 6857302016, "Pythia, Table 1"},
		{"pythia-12b", 11846072320, "Pythia, Table 1"},
		{"gpt-neox-20b", 20554567680, "Black et al. 2022, 20 554 567 680"},
		{"phi2", 2779683840, "Hugging Face says 2.78 B"},
		{"gpt-j-6b", 6050882784, "Wang and Komatsuzaki, 6 053 381 344 with 42 thousand words"},
		{"opt-13b", 12853473280, "Hugging Face says 13 B"},
		{"starcoder2-15b", 15957889024, "Hugging Face says 16 B"},
		{"mpt-30b", 29957200896, "Hugging Face says 30.0 B"},
	} {
		a, err := Find(tt.name)
		if err != nil {
			t.Error(err)
		} else if got := a.Parameters(); got != tt.want {
			t.Errorf("%s has %d parameters, want %d (%s)", tt.name, got, tt.want, tt.source)
		}
	}
}

// Totals of families that only a file brings, from their checkpoints' tensors.
func TestFamilies(t *testing.T) {
	opt := Arch{Layers: 24, Hidden: 1024, Heads: 16, KVHeads: 16, HeadDim: 64, FFN: 4096, Vocab: 50272, Positions: 2050, PadOffset: 2, Norm: LayerNorm, QKVBias: true, OutBias: true, FFNBias: true, Tied: true, EmbedWidth: 512}
	bloom := Arch{Layers: 24, Hidden: 1024, Heads: 16, KVHeads: 16, HeadDim: 64, FFN: 4096, Vocab: 250880, Norm: LayerNorm, EmbedNorm: true, FinalNorm: true, QKVBias: true, OutBias: true, FFNBias: true, Tied: true}
	qwen := Arch{Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, HeadDim: 128, FFN: 18944, Vocab: 152064, FinalNorm: true, Gated: true, QKVBias: true}
	for _, tt := range []struct {
		name string
		a    Arch
		want int64
	}{
		{"facebook/opt-350m", opt, 331196416},
		{"bigscience/bloom-560m", bloom, 559214592},
		{"Qwen/Qwen2-7B", qwen, 7615616512},
	} {
		if got := tt.a.Parameters(); got != tt.want {
			t.Errorf("%s has %d parameters, want %d", tt.name, got, tt.want)
		}
		if err := tt.a.Check(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestModels(t *testing.T) {
	var names []string
	for _, a := range Models() {
		if err := a.Check(); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		if a.Title == "" || a.Source == "" || slices.Contains(names, a.Name) {
			t.Errorf("%s needs a title, a source and a name of its own", a.Name)
		}
		names = append(names, a.Name)
	}
	if _, err := Find("llama4"); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("unknown model \"llama4\"; of %d the most alike are llama4-scout, ", len(names))) {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		change func(a *Arch)
		want   string
	}{
		{func(a *Arch) { a.Layers = 0 }, "layers: 0; want 1 to 4096"},
		{func(a *Arch) { a.Hidden, a.FFN = -1, 1<<20+1 }, "hidden width: -1; want 1 to 131072\nfeed-forward width: 1048577; want 1 to 1048576"},
		{func(a *Arch) { a.KVHeads = 5 }, "32 heads cannot share 5 heads of keys and values equally; want a number of them that divides the heads"},
		{func(a *Arch) { a.Experts = 8 }, "a token takes 0 of 8 experts; want 1 to 8"},
		{func(a *Arch) { a.Experts, a.Active = 8, 9 }, "a token takes 9 of 8 experts; want 1 to 8"},
		{func(a *Arch) { a.Active = 1 }, "a token takes 1 of 0 experts; want 0 of a model without experts"},
		{func(a *Arch) { a.PadOffset = 1 }, "1 of 0 learned positions are unused; want fewer"},
		{func(a *Arch) { a.Heads, a.HeadDim = 4096, 4096 }, "4096 heads of 4096 elements make 16777216; want at most 131072"},
		{func(a *Arch) { a.Hidden, a.FFN, a.Layers, a.Experts, a.Active = 1<<17, 1<<20, 4096, 1024, 1 }, "the model has "},
	} {
		a, _ := Find("llama3-8b")
		tt.change(&a)
		if err := a.Check(); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestUsed: a token of a mixture is multiplied with the experts that it visits.
func TestUsed(t *testing.T) {
	mixtral, err := Find("mixtral-8x7b")
	if err != nil {
		t.Fatal(err)
	}
	if used := mixtral.Used(); used < 12e9 || used > 13e9 {
		t.Errorf("%s: %d parameters a token; its paper says 13·10⁹ with the embedding", mixtral.Name, used)
	}
	llama, err := Find("llama3-8b")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := llama.Used(), llama.Parameters()-128_256*4096; got != want {
		t.Errorf("%s: %d parameters a token, want %d", llama.Name, got, want)
	}
	if got := llama.Kept(); got != 65_536 {
		t.Errorf("%s keeps %d numbers of a token, want 65 536", llama.Name, got)
	}
}
