// Package tensorrt holds TensorRT-LLM's performance table, and the runs that reproduce it.
//
// # Source
//
// NVIDIA/TensorRT-LLM, docs/source/performance/perf-overview.md at 00f37686aa85 (v1.0): output
// tokens a second of Llama 3 8B and 70B in fp8, all requests at once.
//
// # What the comparison is worth
//
// The twenty rows on H100 decided the constants of the engine and of the GPU (sim/serve). Those
// of an H200 were looked at by nobody who fitted: the same constants, another memory.
package tensorrt

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/study"
)

//go:embed published.csv
var published string

// system is what everything runs with: nothing is shared, so that none has a prefix.
const system = "no-prefix"

// titles are the models', for people.
var titles = map[string]string{"llama3-8b": "Llama 3 8B", "llama3-70b": "Llama 3 70B"}

// gpus are the GPUs', for people.
var gpus = map[string]string{"h100-sxm": "H100", "h200": "H200"}

// fitted is the GPU whose rows decided constants.
const fitted = "H100"

// Paper returns the table as the laboratory "serve" reproduces it. Its setups name the
// laboratory's knobs.
func Paper() *study.Paper {
	p := &study.Paper{
		Key: "tensorrt", Short: "TensorRT-LLM 1.0 (2025)",
		Title:   "TensorRT-LLM's performance overview",
		About:   "Output tokens a second of Llama 3 in fp8, all requests at once.",
		Remark:  "Of such a table the time to the first token is a queue, and nothing is published of it.",
		Systems: []string{system}, Names: map[string]string{system: "No prefix cache", "output_tokens_s": "tokens of answers a second"},
		Tolerance: 0.1, Rebuilt: 0.1, ClaimTolerance: 0.1, Cannot: "does not fit", Why: why,
		Fitted: func(x *study.Point) bool { return strings.HasSuffix(x.Of, fitted) },
		Figures: []study.Figure{{
			ID: "T1", Title: "Throughput", Section: "Performance overview", Kind: study.Table,
			Says:   "Short prompts and answers give most; long prompts cost most.",
			Remark: "Rows of the H100 were fitted, those of the H200 were not.",
		}},
	}
	for i, line := range strings.Split(strings.TrimSpace(published), "\n") {
		if i < 2 { // source and header
			continue
		}
		f := strings.Split(line, ",")
		value, err := strconv.ParseFloat(f[6], 64)
		if err != nil {
			panic(fmt.Sprintf("published.csv: line %d: %v", i+1, err))
		}
		p.Points = append(p.Points, study.Point{
			Figure: "T1", Quantity: "output_tokens_s", System: system, Fits: true, Value: value, Unit: "tokens/s",
			Of: titles[f[0]] + ", " + f[2] + " × " + gpus[f[1]], At: f[3] + " in, " + f[4] + " out",
			Set: fmt.Sprintf("workload=made arrivals=burst model=%s gpu=%s gpus=%s tensor=%s input=%s output=%s requests=%s engine=trtllm weights=fp8 kv=fp8", f[0], f[1], f[2], f[2], f[3], f[4], f[5]),
		})
	}
	return p
}
