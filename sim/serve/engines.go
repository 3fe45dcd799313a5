package serve

import (
	"fmt"
	"strings"

	"spillway/sim/machine"
	"spillway/sim/unit"
)

// An Engine is a server's software: what a step costs besides the GPU's work, and what it allows. Source says where the numbers
// are from, Band how far published rows that were not fitted are from the model.
type Engine struct {
	Key, Title string
	Step, Each unit.Time  // of each step, and more for each sequence in it
	Front      unit.Time  // of each request, one after the other: HTTP and tokenizer
	Share      int64      // of a GPU's memory, in thousandths
	Spare      unit.Bytes // of that, for neither weights, keys and values nor activations, of each GPU: what the driver and libraries take
	Scratch    Scratch    // activations
	Sequences  int64      // at once
	Tokens     int64      // of a step
	Small      [2]int64   // sequences and tokens on GPUs of less than 70 GiB, and on A100; 0: the same
	Whole      bool       // a sequence takes memory for its whole answer when it begins
	Source     string
	Band       string
}

// Engines lists them.
func Engines() []Engine {
	return []Engine{
		{
			Key: "trtllm", Title: "TensorRT-LLM 1.0", Step: 530 * unit.Microsecond, Each: 6300 * unit.Nanosecond,
			Share: 950, Spare: 1664 * unit.MiB, Scratch: Scratch{Number: 2}, Sequences: 1024, Tokens: 8192, Whole: true,
			Source: "fitted to 20 rows of TensorRT-LLM's performance overview (v1.0): Llama 3 8B and 70B in fp8 on H100. Activations: as vLLM's layers; no log of its own says them",
			Band:   "other models and GPUs of that table: half within 9 %, nine of ten within 30 %",
		},
		{
			Key: "vllm", Title: "vLLM 0.11", Step: 2700 * unit.Microsecond, Each: 43 * unit.Microsecond, Front: 20_800 * unit.Microsecond,
			Share: 900, Spare: 864 * unit.MiB, Scratch: Scratch{Number: 2, Choice: 38_600}, Sequences: 1024, Tokens: 8192, Small: [2]int64{256, 2048},
			Source: "fitted to gpustack's logs of vLLM 0.11 with Qwen3 14B on A100, and to Qwen2.5's page of one request at a time; on other GPUs it is assumed. Activations: shapes of a layer, and nine peaks that vLLM 0.6.5 to 0.11 prints",
			Band:   "loads of the fitted kind within 8 %; llm-d's tables within 35 %",
		},
		{
			Key: "llamacpp", Title: "llama.cpp", Step: 300 * unit.Microsecond, Each: 10 * unit.Microsecond,
			Share: 950, Spare: 160 * unit.MiB, Scratch: Scratch{Number: 4, Pass: 512, Choice: 4 * thousand, All: true}, Sequences: 4, Tokens: 2048,
			Source: "assumed, but for reading weights and for prompts, which are fitted to rows of one request at a time. Activations: logits of 512 tokens at once, its default",
			Band:   "one request at a time: half within 15 %, answers within 38 %, prompts within 28 %; nothing is known of more",
		},
	}
}

// FindEngine returns the engine with a key; the error says which there are.
func FindEngine(key string) (*Engine, error) {
	var keys []string
	for _, e := range Engines() {
		if e.Key == key {
			return &e, nil
		}
		keys = append(keys, e.Key)
	}
	return nil, fmt.Errorf("unknown engine %q; there are %s", key, strings.Join(keys, ", "))
}

// FindSystem returns the system with a key; the error says which there are.
func FindSystem(key string) (*System, error) {
	var keys []string
	for _, s := range Systems() {
		if s.Key == key {
			return &s, nil
		}
		keys = append(keys, s.Key)
	}
	return nil, fmt.Errorf("unknown system %q; there are %s", key, strings.Join(keys, ", "))
}

// A Chip is what steps reach of a GPU's data sheet, in thousandths: large matrix products, attention of prompts, reading of
// weights, and of keys and values.
type Chip struct {
	Products, Attention, Weights, Keys int64
	Fitted                             bool   // to published rows of this GPU; else taken from its kin
	Source                             string // in a sentence
}

// ChipOf is what is known of a GPU with an engine and weights of a precision. FlexGen unpacks weights before it multiplies with them,
// which a step counts by itself.
func ChipOf(g *machine.GPU, engine string, weights Precision, from Stream) Chip {
	c := chipOf(g)
	if weights == FP4 && g.FP4 > 0 {
		c.Products, c.Fitted = 400, false
		c.Source += " Products in fp4 reach 0.40 of their peak: assumed."
	}
	if _, own := peakOf(g, weights); !own && from != Blocked {
		c.Products = share(c.Products, unpacked)
		c.Source += " Weights are unpacked before they are multiplied with: 0.65 of the rate, by two rows of vLLM on A100."
	}
	if engine == "llamacpp" {
		c.llamacpp(g)
	}
	return c
}

// unpacked is what products reach whose weights are stored in another precision than they are computed in, in thousandths: Qwen3 14B in
// fp8 and with AWQ on A100 takes 1.18 and 1.05 times as long as in bf16 (gpustack's logs).
const unpacked = 650

// llamacpp puts into c what llama.cpp's own kernels reach of a GPU. They wait for memory with few reads under way, so that a GPU with a
// wide memory reads little more than one with a narrow, and they multiply as Ampere does, at a part of what later GPUs can.
func (c *Chip) llamacpp(g *machine.GPU) {
	c.Weights = 890 // 43.18 tokens a second of 8.8 GB on 448 GB/s
	if r, ok := llamaReads[g.Key]; ok {
		c.Weights = r
		c.Source += " llama.cpp reads weights at " + thousandths(r) + " of the memory's rate here, by rows of one request at a time on this GPU or its kin (llama-bench in 2024, llama-server in 2026)."
	} else {
		c.Source += " llama.cpp reads weights at 0.89 of the memory's rate: one row of an RTX 5060 Ti."
	}
	if r, ok := llamaProducts[g.Key]; ok {
		c.Products = unit.MulDiv(c.Products, r, thousand)
		c.Source += " Its products reach " + thousandths(r) + " of that rate: prompts of 1024 tokens on RTX 3090, A100 and H100 PCIe (llama-bench, May 2024)."
	}
}

// llamaReads is what llama.cpp reaches of the rate at which a GPU reads its memory, in thousandths. Dense models of 6 to 18 GB
// (pavlokhmel.com, 2026) and Llama 3 8B and 70B (testdata/llamacpp.csv, 2024) are read at 0.52 TB/s on V100, 0.68 on A100 40 GB, 0.8 on A100
// 80 GB, 0.97 on H100 PCIe, 1.23 on H100 SXM, 1.27 on H200 and 1.37 on B300; of the others it is assumed that they read as their kin.
var llamaReads = map[string]int64{
	"v100-32": 572, "a100-40": 437, "a100-80": 392, "h100-pcie": 476, "h100-nvl": 312, "h100-sxm": 367,
	"h200": 265, "h200-nvl": 265, "gh200": 310, "h20": 182, "b200": 171,
}

// llamaProducts is what llama.cpp's products reach of the rate of others', in thousandths: of RTX 3090, A100 and H100 PCIe by
// prompts of 1024 tokens; that the RTX 3060 is as the RTX 3090 (whose sums in 16 bits are twice as fast as its peak here), other GPUs of
// Hopper as the H100 PCIe and Blackwell's no faster than Hopper's is assumed.
var llamaProducts = map[string]int64{
	"rtx-3090": 1560, "rtx-3060": 1560, "a100-40": 760, "a100-80": 760, "h100-pcie": 390, "h100-nvl": 390, "h100-sxm": 390, "h200": 390, "h200-nvl": 390, "gh200": 390, "b200": 180,
}

// thousandths writes a share as 0.39.
func thousandths(n int64) string {
	return fmt.Sprintf("%d.%02d", n/thousand, (n%thousand+5)/10)
}

func chipOf(g *machine.GPU) Chip {
	switch {
	case strings.HasPrefix(g.Key, "h100"):
		return Chip{636, 310, 750, 1000, g.Key == "h100-sxm", "Fitted to 20 rows of TensorRT-LLM's table on H100 SXM in fp8; bf16 is assumed alike."}
	case strings.HasPrefix(g.Key, "h200"), g.Key == "h20", g.Key == "gh200":
		return Chip{636, 310, 750, 1000, false, "As the H100, of which it is kin."}
	case g.Key == "b200":
		return Chip{636, 310, 750, 1000, false, "As the H100: no row of a B200 was fitted."}
	case strings.HasPrefix(g.Key, "a100"):
		return Chip{580, 760, 630, 1000, g.Key == "a100-80", "Fitted to vLLM's loads of Qwen3 14B and to one request at a time of Qwen2.5 0.5B to 7B on A100 80 GB."}
	case g.Key == "t4":
		return Chip{460, 300, 750, 1000, true, "Products reach 30·10¹² operations a second in FlexGen's table."}
	case g.Key == "v100-32":
		return Chip{550, 300, 700, 1000, false, "Assumed: no row of it was fitted."}
	case g.Form == "PCIe" && g.FP8 > 0:
		return Chip{800, 450, 800, 1000, false, "As the RTX 4090 trains: products 0.84 and attention 0.45 of the peak with fp32 sums; that serving reaches as much is assumed."}
	}
	return Chip{600, 400, 750, 1000, false, "Assumed: no row of it was fitted."}
}

// limits are the sequences and the tokens of a step that an engine allows on a GPU.
func (e *Engine) limits(g *machine.GPU) (sequences, tokens int64) {
	if e.Small[0] > 0 && (g.Memory < 70*unit.GiB || strings.HasPrefix(g.Key, "a100")) {
		return e.Small[0], e.Small[1]
	}
	return e.Sequences, e.Tokens
}
