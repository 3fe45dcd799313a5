package teraio

import (
	"fmt"
	"slices"

	"spillway/sim/llm/decode"
	"spillway/sim/llm/system/zero"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/unit"
)

// A stream is a row of DeepNVMe's table: drives that weights stream from, and what Llama3-70B
// generates with them (DeepSpeed, blogs/deepnvme/06-2025): prompts of 512 tokens, 32 new ones,
// batch 96, bf16.
type stream struct {
	drives string
	rate   unit.Bandwidth
	gpu    string
	tokens float64
}

var streams = []stream{
	{"4 drives, PCIe 4", 10 * unit.GBps, "a100-80", 7},
	{"4 drives, PCIe 5", 27 * unit.GBps, "h200", 17},
	{"8 drives, PCIe 5", 48 * unit.GBps, "h200", 26},
}

// rate is what a stream generates here, in tokens a second; the error says what cannot be.
func (s *stream) generate() (float64, error) {
	arch, err := model.Find(llama70)
	if err != nil {
		return 0, err
	}
	gpus := machine.GPUs()
	i := slices.IndexFunc(gpus, func(g machine.GPU) bool { return g.Key == s.gpu })
	if i < 0 {
		return 0, fmt.Errorf("no GPU %q", s.gpu)
	}
	reached := unit.MulDiv(gpus[i].BF16, machine.Standard().Efficiency, 1000)
	c := decode.Case{Arch: &arch, Bytes: 2, Batch: 96, Prompt: 512, Output: 32, Stream: s.rate, FLOPS: reached}
	r, err := c.Run()
	if err != nil {
		return 0, err
	}
	return float64(r.MilliTokens) / 1000, nil
}

// zenflow is the job of ZenFlow's report: Llama-2 7B on four A100. It says no batch; four
// sequences of 2048 take about the half second that it says computing takes.
const zenflow = "gpu=a100-80 gpus=4 drive=pm9a3 drives=1 array_cap=0 host_memory=2048 host_rate=409.6 host_path=25.2 pinned=0 collective=240 switch=2 watts_base=3192 model=llama3-8b kv_heads=32 ffn=11008 vocab=32000 precision=bf16 batch=4 sequence=2048 zero_cut=data stage=2"

// zeroNumbers are those that others published of ZeRO.
func zeroNumbers() (list []stated) {
	const blog = "DeepSpeed, blogs/deepnvme/06-2025"
	for i := range streams {
		s := &streams[i]
		list = append(list, stated{
			figure: others, quantity: decodeSpeed, of: called[llama70], at: fmt.Sprintf("%s, %v", s.drives, s.rate), unit: "tokens/s", source: blog, value: s.tokens, limit: 0.25,
			compute: func(*finder) float64 {
				v, err := s.generate()
				if err != nil {
					return nan
				}
				return v
			},
		})
	}
	const offloadPaper = "ZeRO-Offload, ATC 2021, abstract"
	return append(list, stated{
		figure: others, quantity: largest, system: zeroHost, of: "one V100, 32 GB", at: "before activations", unit: "G parameters", source: offloadPaper, value: 13, limit: 0.2,
		note:    "weights in bf16 and two buckets of gradients; activations take what is left",
		compute: func(*finder) float64 { return float64(zero.Parameters(32*unit.GB, 5e8)) / 1e9 },
	}, stated{
		figure: others, quantity: iteration, system: zeroHost, of: "Llama-2 7B, 4 A100", at: "an iteration", unit: "s", source: "DeepSpeed, blogs/deepspeed-zenflow", value: 7, limit: 0.25,
		compute: func(f *finder) float64 { return f.must(iteration, zeroHost, zenflow) },
	})
}
