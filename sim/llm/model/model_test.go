package model

import (
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
	if _, err := Find("llama4"); err == nil || err.Error() != `unknown model "llama4"; there are `+strings.Join(names, ", ") {
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
