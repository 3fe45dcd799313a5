package networks

import (
	"strings"
	"testing"

	"spillway/sim/kerneltime"
)

// Descriptions of published models have the published numbers of parameters, survive their text
// form, and make valid workloads.
func TestDescriptions(t *testing.T) {
	for text, want := range map[string]int64{
		"Llama-3.2-1B|decoder,layers:16,hidden:2048,heads:32,kv:8,dim:64,inner:8192,vocabulary:128256,rms,gated,rotary,tied":                                    1235814400,
		"Mistral-7B|decoder,layers:32,hidden:4096,heads:32,kv:8,dim:128,inner:14336,vocabulary:32000,rms,gated,rotary":                                          7241732096,
		"Qwen2.5-0.5B|decoder,layers:24,hidden:896,heads:14,kv:2,inner:4864,vocabulary:151936,rms,gated,rotary,qkv-bias,tied":                                   494032768,
		"Qwen3-0.6B|decoder,layers:28,hidden:1024,heads:16,kv:8,dim:128,inner:3072,vocabulary:151936,rms,gated,rotary,head-norms,tied":                          596049920,
		"Gemma-2B|decoder,layers:18,hidden:2048,heads:8,kv:1,dim:256,inner:16384,vocabulary:256000,rms,gated,rotary,tied,gelu":                                  2506172416,
		"GPT-2|decoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:50257,positions:1024,qkv-bias,out-bias,ffn-bias,norm-bias,tied,dropout,spelled-gelu": 124439808,
		"OPT-125M|decoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:50272,positions:2050,qkv-bias,out-bias,ffn-bias,norm-bias,tied,dropout,relu":      125239296,
		"BLOOM-560M|decoder,layers:24,hidden:1024,heads:16,inner:4096,vocabulary:250880,qkv-bias,out-bias,ffn-bias,norm-bias,embed-norm,tied,spelled-gelu":      559214592,
		"MPT-7B|decoder,layers:32,hidden:4096,heads:32,inner:16384,vocabulary:50432,tied":                                                                       6649286656,
		"BERT|encoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:30522,positions:512,types:2,masked":                                                   109514298,
		"BERT pre-training|encoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:30522,positions:512,types:2,pooled":                                      110106428,
		"RoBERTa|encoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:50265,positions:514,types:1,masked":                                                124697433,
		"DistilBERT|encoder,layers:6,hidden:768,heads:12,inner:3072,vocabulary:30522,positions:512,masked":                                                      66985530,
		"T5|pair,layers:6,encoder:6,hidden:512,heads:8,dim:64,inner:2048,vocabulary:32128,distances:32,tied,dropout":                                            60506624,
		"Flan-T5|pair,layers:12,encoder:12,hidden:768,heads:12,dim:64,inner:2048,vocabulary:32128,distances:32,gated":                                           247577856,
		"ViT|picture,layers:12,hidden:768,heads:12,inner:3072,side:224,patch:16,channels:3,classes:1000,qkv-bias":                                               86567656,
	} {
		d, err := ParseDescription(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if again, err := ParseDescription(d.String()); err != nil || *again != *d || d.String() != text {
			t.Errorf("%s is written as %s, %v", text, d, err)
		}
		n, err := d.Network()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{Batch: 2, Precision: kerneltime.TF32}, {Batch: 4, Precision: kerneltime.AMPBF16, Attention: kerneltime.Flash2, Accumulate: 2, Checkpoint: true}} {
			l, err := n.Lower(o)
			if err != nil {
				t.Fatal(err)
			}
			l.Fill(kerneltime.Find("a100-80"), kerneltime.Today)
			if err := l.Workload.Validate(); err != nil {
				t.Errorf("%s: %v", d.Title, err)
			}
			checkWrites(t, l.Workload)
			if l.Parameters != want {
				t.Errorf("%s: %d parameters, published %d (%+d)", d.Title, l.Parameters, want, l.Parameters-want)
			}
		}
	}
}

// A description takes as long as the network of the same name that comes with the program.
func TestDescribedTwins(t *testing.T) {
	for name, text := range map[string]string{
		"llama-3.2-1b":          "x|decoder,layers:16,hidden:2048,heads:32,kv:8,dim:64,inner:8192,vocabulary:128256,sequence:2048,rms,gated,rotary,tied",
		"gpt2-small":            "x|decoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:50257,positions:1024,sequence:1024,qkv-bias,out-bias,ffn-bias,norm-bias,tied,dropout,spelled-gelu",
		"mpt-1b":                "x|decoder,layers:24,hidden:2048,heads:16,inner:8192,vocabulary:50368,sequence:2048,tied",
		"t5-small":              "x|pair,layers:6,hidden:512,heads:8,dim:64,inner:2048,vocabulary:32128,distances:32,sequence:512,tied",
		"vit_base_patch16_224":  "x|picture,layers:12,hidden:768,heads:12,inner:3072,side:224,patch:16,channels:3,classes:1000,qkv-bias",
		"bert-base-pretraining": "x|encoder,layers:12,hidden:768,heads:12,inner:3072,vocabulary:30522,positions:512,types:2,sequence:128,pooled",
	} {
		d, err := ParseDescription(text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := d.Network()
		if err != nil {
			t.Fatal(err)
		}
		of := func(n *Network) kerneltime.Estimate {
			l, err := n.Lower(Options{Batch: 4, Precision: kerneltime.AMPBF16})
			if err != nil {
				t.Fatal(err)
			}
			return l.Time(kerneltime.Find("a100-80"), kerneltime.Today)
		}
		own, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := of(n), of(own); got.Time != want.Time {
			t.Errorf("%s: %v described, %v by name", name, got.Time, want.Time)
		}
	}
}

// What is missing or contradicts itself is said.
func TestDescriptionErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     `want a name, "|", and decoder`,
		"x|robot":              `want a name`,
		"x|decoder":            "layers is missing",
		"x|decoder,layers:0":   `layers is "0"; want 1 to 512`,
		"x|decoder,layers:1e3": `want 1 to 512`,
		"x|decoder,wings:2":    `"wings:2" is nothing that a description has`,
		"x|decoder,tied:1":     "nothing that a description has",
		"x|decoder,layers:2,hidden:10,heads:4,inner:8,vocabulary:9":                            "a width of 10 cannot be cut into 4 heads",
		"x|decoder,layers:2,hidden:12,heads:4,kv:3,inner:8,vocabulary:9":                       "4 heads of queries cannot share 3",
		"x|picture,layers:2,hidden:12,heads:4,inner:8,side:224,patch:15,channels:3,classes:10": "cannot be cut into patches of 15",
		"x|encoder,layers:2,hidden:12,heads:4,inner:8,vocabulary:99":                           "positions is missing",
		"x|pair,layers:2,hidden:12,heads:4,inner:8,vocabulary:99,dim:4":                        "distances is missing",
	} {
		if _, err := ParseDescription(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
