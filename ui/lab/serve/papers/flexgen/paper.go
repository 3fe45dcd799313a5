// Package flexgen holds FlexGen's table of throughput on one T4, and the runs that reproduce it.
//
// # Source
//
// FMInference/FlexLLMGen, benchmark/batch_size_table.md and bench_suite.py, of Sheng et al.,
// FlexGen, ICML 2023: a T4 of 16 GB, 208 GB of host memory (of 2³⁰ bytes each, as that cloud counts), a 1.5 TB SSD.
//
// # What the comparison is worth
//
// Two rows decided constants: what products reach of the T4, and how fast its disk and the
// server's processors read. How ZeRO-Inference and Accelerate copy is not stated.
package flexgen

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/study"
)

//go:embed published.csv
var published string

// The systems, by the programs of the table.
var systems = map[string]string{
	"flexgen": "flexgen", "flexgen 4-bit": "flexgen", "zero-inference": "stream-host", "accelerate": "stream-host",
	"zero-inference from drives": "stream-ssd", "accelerate from drives": "stream-ssd",
}

// programs are their names, for people.
var programs = map[string]string{
	"flexgen": "FlexGen", "flexgen 4-bit": "FlexGen, four bits", "zero-inference": "ZeRO-Inference", "accelerate": "Accelerate",
	"zero-inference from drives": "ZeRO-Inference, disk", "accelerate from drives": "Accelerate, disk",
}

// machine is the table's: the rates of its disk and of its processors were fitted.
const machine = "workload=made arrivals=burst gpu=t4 gpus=1 host=208 link=12.4 processors=7.2 drives=1 drive=p5510 drive_read=2.4 engine=trtllm spare=1024"

// Paper returns the table as the laboratory "serve" reproduces it.
func Paper() *study.Paper {
	p := &study.Paper{
		Key: "flexgen", Short: "FlexGen (2023)",
		Title:   "FlexGen: High-Throughput Generative Inference of Large Language Models with a Single GPU",
		About:   "Tokens a second of OPT 6.7B, 30B and 175B on one T4.",
		Remark:  "Rows of an A6000 are left out: their policies are not stated.",
		Systems: []string{"flexgen", "stream-host", "stream-ssd"},
		Names:   map[string]string{"flexgen": "FlexGen", "stream-host": "Weights from host", "stream-ssd": "Weights from SSD", "output_tokens_s": "tokens of answers a second"},

		Tolerance: 0.15, Rebuilt: 0.15, ClaimTolerance: 0.15, Cannot: "does not fit", Why: why,
		Figures: []study.Figure{{
			ID: "T1", Title: "Throughput on a T4", Section: "benchmark/batch_size_table.md", Kind: study.Table,
			Says:   "A block of batches shares each pass over the weights, so that FlexGen is an order of magnitude faster than one batch a pass.",
			Remark: "Two rows of FlexGen were fitted: 30B with 512 tokens, and 175B with 512.",
		}},
	}
	decided := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(published), "\n") {
		if i < 2 { // source and header
			continue
		}
		f := strings.Split(line, ",")
		value, err := strconv.ParseFloat(f[11], 64)
		if err != nil {
			panic(fmt.Sprintf("published.csv: line %d: %v", i+1, err))
		}
		set := fmt.Sprintf("%s model=%s requests=%s sequences=%s input=%s output=%s", machine, f[1], f[2], f[2], f[3], f[4])
		switch systems[f[0]] {
		case "flexgen":
			set += fmt.Sprintf(" gpu_share=%s host_share=%s kv_place=%s cpu_attention=%s", f[5], f[6], f[7], f[8])
			if f[9] != "0" {
				set += " weights=w4 kv=w4 gpu_batch=" + f[9]
			}
		default:
			set += " pageable=1"
		}
		x := study.Point{
			Figure: "T1", Quantity: "output_tokens_s", System: systems[f[0]], Set: set, Fits: true, Value: value, Unit: "tokens/s",
			Of: programs[f[0]], At: f[1] + ", " + f[3] + " in, batch " + f[2],
		}
		if value < 0.1 { // two digits after the point are published: one of them
			x.Limit = 0.6
		}
		if systems[f[0]] != "flexgen" {
			x.Note = study.Doubtful + "how it copies weights is not stated; published rows of the same differ by a factor of 2"
		}
		decided[x.Of+x.At] = f[10] == "1"
		p.Points = append(p.Points, x)
	}
	p.Fitted = func(x *study.Point) bool { return decided[x.Of+x.At] }
	return p
}
