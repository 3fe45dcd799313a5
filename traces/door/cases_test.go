package door

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/traces/handed"
)

// cases is a folder of small files of other programs, with what is known of them.
const cases = "../../../shared/data/cases4"

// missing are cases of which the truth is not said yet, with why.
var missing = map[string]string{
	"quantized/fp8-block":             "weights as they are quantized",
	"quantized/mxfp4-moe":             "weights as they are quantized",
	"kv-on-gpus/mla":                  "KV cache by kind of layer",
	"windows/six-in-one":              "KV cache by kind of layer",
	"families/minimax-like":           "the family minimax_m2",
	"families/gated-delta-hybrid":     "the family qwen3_5",
	"recipes/axolotl.yml":             "recipes as settings",
	"recipes/ds_config.json":          "recipes as settings",
	"gguf/tiny-Q4_K_M.gguf":           "GGUF's header",
	"refused/job.fio":                 "", // a sentence is right
	"together":                        "", // the laboratory's own test
	"conversations/lines.jsonl":       "",
	"conversations/system-first.json": "",
	"blocks/issued-completed.txt":     "",
	"blocks/disksim.trace":            "",
	"blocks/alibaba.csv":              "",
	"not-finite":                      "",
	"vendors/xpu.pt.trace.json":       "kernels and memory, which the test of the command inspect has",
}

// TestCases opens every file of the cases: what is known of them is what is read, and what is not read
// ends in one sentence.
func TestCases(t *testing.T) {
	data, err := os.ReadFile(path.Join(cases, "truth.json"))
	if err != nil {
		t.Skip("without the cases: ", err)
	}
	var truth map[string]map[string]any
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	truth = map[string]map[string]any{}
	for name, one := range raw {
		fields := map[string]any{}
		_ = json.Unmarshal(one, &fields) // some are sentences
		truth[name] = fields
	}
	for name, want := range truth {
		why, known := missing[name]
		if !known {
			t.Errorf("%s is a new case: say whether it is read, or why not", name)
			continue
		}
		o, err := Open(caseFiles(t, name), "", 0)
		if err != nil {
			sentence(t, name, err.Error())
		}
		got := said(o)
		right := err == nil
		for key, value := range want {
			number, isNumber := value.(float64)
			if v, ok := got[key]; isNumber && (!ok || math.Abs(v-number) > max(0.06, number/500)) {
				right = false
				if why == "" {
					t.Errorf("%s: %s is %v, want %v", name, key, v, number)
				}
			}
		}
		if numbers := slices.ContainsFunc(values(want), func(v any) bool { _, is := v.(float64); return is }); right && numbers && why != "" {
			t.Errorf("%s is read now: take it off the list of what is missing (%s)", name, why)
		}
	}
}

func values(m map[string]any) (list []any) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// caseFiles are the files of a case: one, or all of a folder.
func caseFiles(t *testing.T, name string) (files []File) {
	t.Helper()
	place := path.Join(cases, name)
	names := []string{place}
	if list, err := os.ReadDir(place); err == nil {
		names = nil
		for _, e := range list {
			names = append(names, path.Join(place, e.Name()))
		}
	}
	for _, file := range names {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Name: path.Base(file), Data: data})
	}
	return files
}

// sentence checks that what is said of a file is short, and says what to do.
func sentence(t *testing.T, name, says string) {
	t.Helper()
	first, _, _ := strings.Cut(says, "\n")
	if len(first) > 300 && !strings.Contains(first, known) {
		t.Errorf("%s: %d characters: %s", name, len(first), first)
	}
}

// said are numbers of what was opened, under the names that the truth has.
func said(o *Opened) map[string]float64 {
	got := map[string]float64{}
	if o == nil {
		return got
	}
	for _, taker := range o.Takers {
		switch w := taker.Workload.(type) {
		case *handed.Serving:
			for _, m := range w.Models {
				got["parameters"], got["model_parameters"] = float64(m.Arch.Parameters()), float64(m.Arch.Parameters())
			}
			for _, l := range w.Lists {
				prompts, answers := 0.0, 0.0
				for _, r := range l.Workload.Requests {
					prompts, answers = prompts+float64(r.Prompt), answers+float64(r.Output)
				}
				n := float64(len(l.Workload.Requests))
				got["requests"], got["prompts_mean"], got["answers_mean"] = n, prompts/n, answers/n
			}
		case *handed.Calls:
			for _, r := range w.Recordings {
				for _, c := range slices.Concat(r.Threads...) {
					switch c.Code {
					case call.Read:
						got["read_bytes"] += float64(c.Length)
					case call.Write:
						got["written_bytes"] += float64(c.Length)
					default:
						continue
					}
					got["requests"]++
				}
			}
		}
	}
	return got
}

// TestForeign: files of other programs are called what they are, in a short sentence with a way out.
func TestForeign(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"fio.json", `{"fio version" : "fio-3.36", "jobs" : [{"jobname": "j", "read": {"iops": 1}}]}`, "results of fio"},
		{"job.fio", "[global]\nioengine=libaio\nrw=randread\nbs=4k\n\n[job]\nsize=1g\n", "a job file of fio; run it with --write_iolog"},
		{"s.txt", "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n 50.00    0.000050           5        10           read\n", "a summary of strace (-c)"},
		{"ds.json", `{"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}`, "a configuration of DeepSpeed"},
		{"a.yml", "base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\nsequence_len: 4096\n", "a recipe of Axolotl"},
		{"l.yaml", "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: lora\n", "a recipe of LLaMA-Factory"},
		{"t.yaml", "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  lora_rank: 8\n", "a recipe of torchtune"},
		{"acc.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\n", "a configuration of accelerate"},
		{"adapter_config.json", `{"peft_type": "LORA", "r": 16, "base_model_name_or_path": "x"}`, "a PEFT adapter's configuration"},
		{"bench.json", `{"request_throughput": 4.2, "mean_ttft_ms": 103.5, "output_throughput": 800.1}`, "run it again with --save-result --save-detailed"},
		{"model_index.json", `{"_class_name": "StableDiffusionXLPipeline", "_diffusers_version": "0.19.0", "unet": ["diffusers", "UNet2DConditionModel"]}`, "the index of a Diffusers pipeline"},
		{"m.gguf", "GGUF\x03\x00\x00\x00", "GGUF"},
	} {
		for _, shown := range []string{"train", "serve", "filesys", "llm", "store", "cxlssd"} {
			o, err := Open([]File{{Name: tt.name, Data: []byte(tt.data)}}, shown, 0)
			says := fmt.Sprint(err)
			if err == nil && o.Unknown != nil {
				says = o.Unknown.Error()
			}
			if !strings.Contains(says, tt.want) {
				t.Errorf("%s, shown %s: %s; want %q", tt.name, shown, says, tt.want)
			}
			if len(says) > 300 {
				t.Errorf("%s: %d characters: %s", tt.name, len(says), says)
			}
		}
	}
}
