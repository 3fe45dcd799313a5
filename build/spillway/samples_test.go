package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/traces/jsonx"
	"spillway/traces/recording"
)

// A sample is what SOURCES.md of the sample recordings says of files that are opened
// together. What is empty it does not say.
type sample struct {
	files   string // with blanks between
	taker   string // the laboratory, of what is not about training
	label   string
	steps   string // kernels/nanoseconds+copies of each; + only where it is known
	memory  string // level before, peak, allocations
	roles   string // tensors/bytes of a role, with commas between
	least   float64
	most    float64 // of coverage; 0 is 1
	refused string  // by Fold, or when it is opened
	note    string  // part of a note or warning
	why     string  // where numbers here are not SOURCES.md's
}

const (
	pair     = "et-kineto-pair/"
	mini     = "0 402753536 28"
	resnet   = "weight 161/102228128,gradient 161/102228128,optimizer 161/102228128"
	noTensor = "only the times of kernels are known, not what they read and write"
	picture  = "a picture of memory has no kernels"
	notMini  = "the segments' memory is not the history's, as SOURCES.md says: the level is negative, so the history is used alone"
)

var samples = []sample{
	{files: "kineto/h100-bert-small-infer-shapes-memory.json.gz", label: "L1m", steps: "60/307197+1", memory: "91360768 101305344 109", roles: "weight 75/88844916", least: 0.99, note: "idle for 92.1 % of the step"},
	{files: "kineto/mi300-bert-small-infer-shapes-memory.json.gz", label: "L1m", steps: "60/388344+1", memory: "57806336 146394112 117", roles: "weight 74/57590388", least: 0.99, note: "is taken to be"},
	{files: "kineto/mi300-resnet-ddp-checkpoint-train-shapes.json.gz", label: "L1", steps: "746/22299043 746/22264198", roles: "weight 102/23398224", least: 0.97, note: "968 launches outside every step", why: "757 kernels and, counted here too, 211 copies"},
	{files: "kineto/mi300-normalization-train-shapes-memory.json.gz", label: "L1m", steps: "168/991996", memory: "665600 8154624 213", least: 0.98},
	{files: "kineto/v100-ddp-train-memory-noshapes.json.gz", label: "L1m", steps: "3874/183614000 3874/183517000", memory: "4096614400 6629508096", least: 0.645, most: 0.646, note: "31.7 % of kernel time, is communication"},
	{
		files: "kineto/v100-train-shapes-integer-us.json.gz", label: "L1", steps: "1555/122197000 1555/124354000", least: 0.6, note: "18.0 % of kernel time, ran beside other kernels",
		why: "26.4 % overlap in the whole file, whose first 546 kernels are of work before the steps; 18.0 % in the step that is chosen, copies included",
	},
	{files: "kineto/v100-train-shapes-integer-us.json.gz --step ProfilerStep#1009", note: "614 launches outside every step", why: "546 kernels and 68 copies"},
	{files: "kineto/a100-ddp-train-noshapes.json.gz", label: "T", steps: "900/50495427 900/50729451", refused: noTensor},
	{files: "kineto/b200-eager-overlapping-kernels.json.gz", label: "L1", steps: "768/10862916+161", least: 0.99},
	{files: "kineto/mi300-vllm-decode-graph-replay.json.gz", label: "T", steps: "425/10674517", refused: noTensor},
	{files: "kineto/mi210-gpu-only.json.gz", label: "T", steps: "562/5343422", refused: noTensor},
	{files: "kineto/mi250-minitoy-train-shapes.json.gz", label: "L1", steps: "14/110881", least: 0.9, note: "ProfilerStep#2 launched nothing"},
	{files: "kineto/a100-triton-kernel.json.gz", label: "L1", steps: "1/1760", least: 1},
	{files: "kineto/a100-multi-stream.json.gz", label: "T", steps: "3/369000", refused: noTensor},
	{files: "kineto/cpu-only.json.gz", refused: "no work of a GPU"},
	{files: "kineto/old-category-names.json.gz", label: "T", steps: "4/30000", refused: noTensor},

	{files: "et/et-1.0.1-linear-gpu.json.gz", label: "E2", roles: "weight 42/88166400", least: 1},
	{files: "et/et-1.0.2-tiny-gpu.json.gz", label: "E2", least: 1},
	{files: "et/et-1.0.3-resnet50-1gpu.json.gz", label: "E2", roles: resnet, least: 1},
	{files: "et/et-1.1.0-resnet50-2gpu.json.gz", label: "E2", roles: resnet, least: 1},
	{files: "et/et-1.1.1-resnet50-1gpu.json.gz", label: "E2", roles: resnet, least: 1},
	{files: "et/et-1.1.1-compiled-triton.json.gz", label: "E2", least: 1},
	{
		files: "et/et-1.0.1-own-transformer-cpu.json.gz", label: "E2", roles: "weight 27/915872,optimizer 129/1832484", least: 1,
		why: "optimizer state is 632 bytes (0.03 %) and 48 tensors more than the true 81: Adam's scalars of the step are born and read there like state",
	},
	{
		files: "et/et-1.0.1-own-resblock-cpu.json.gz", label: "E2", roles: "weight 10/21160,optimizer 19/21232,buffer 7/280", least: 1,
		why: "momentum is 72 bytes (0.34 %) more than 21160, and buffers 8 more than 272: scalars that the optimizer and a loss keep",
	},
	{files: pair + "dlrm-rank0-et.json.gz " + pair + "dlrm-rank0-kineto.json.gz", label: "L2", steps: "245/6832000", roles: "weight 15/2485252,gradient 15/2485252,optimizer 16/2485252", least: 1},
	{files: pair + "dlrm-rank1-et.json.gz " + pair + "dlrm-rank1-kineto.json.gz", label: "L2", steps: "246/12379000", roles: "weight 15/2485252", least: 1, note: "64 launches outside every step"},
	{files: pair + "simple-add-et.json.gz " + pair + "simple-add-kineto.json.gz", label: "L2", steps: "4/16000", least: 1},
	{files: pair + "dlrm-rank0-et.json.gz " + pair + "dlrm-rank1-kineto.json.gz", label: "L1", steps: "246/12379000", note: "were not joined: they are of different processes"},

	{files: "chakra/resnet50-ddp-converted.et.gz", label: "L2", steps: "1216/329543000", roles: resnet, least: 1, note: "157 launches took less than the file can say"},
	{files: "chakra/small-workload-graph.json", refused: "a workload graph (JSON of Chakra), which has no tensors"},
	{files: "chakra/astra-sim-all-reduce.et", refused: "collectives alone"},

	{files: "jax/mi300-conv3d-8gpu.xplane.pb", label: "L2", least: 0.97, note: "579072256 bytes, of which 579072000"},

	{files: "snapshot/gpu-mini-trimmed.pickle", label: "M", memory: mini, refused: picture, why: notMini},
	{files: "snapshot/gpu-mini-protocol2.pickle", label: "M", memory: mini, refused: picture, why: notMini},
	{files: "snapshot/gpu-mini-protocol3.pickle", label: "M", memory: mini, refused: picture, why: notMini},
	{files: "snapshot/gpu-mini-protocol4.pickle", label: "M", memory: mini, refused: picture, why: notMini},
	{files: "snapshot/gpu-mini-protocol5.pickle", label: "M", memory: mini, refused: picture, why: notMini},
	{files: "snapshot/gpu-mini.json", label: "M", memory: mini, refused: picture, why: notMini},
	{files: "snapshot/synthetic-annotations.pickle", label: "M", memory: "8704 2255416320 520", refused: picture},
	{files: "snapshot/synthetic-resnet50-step.pickle.gz", label: "M", memory: "326331392 3090008064", refused: picture},
	{files: "snapshot/synthetic-resnet50-step-overflowed.pickle.gz", label: "M", refused: picture, note: "last 819 entries"},
	{files: "memory-timeline/memory-timeline.raw.json.gz", label: "M", refused: picture},
	{files: "hf/config.tiny-llama.json", taker: "llm serve train"},
	{files: "hf/tiny-llama.safetensors", taker: "compress"},
	{files: "hf/model.safetensors.index.json", refused: "drop its config.json too"},
}

// TestSamples holds inspect to the numbers of SOURCES.md.
func TestSamples(t *testing.T) {
	dir := artifact.Traces(t)
	for i := range samples {
		s := &samples[i]
		args := []string{"inspect", "--json"}
		for f := range strings.FieldsSeq(s.files) {
			if strings.Contains(f, "/") {
				f = filepath.Join(dir, f)
			}
			args = append(args, f)
		}
		code, out, errs := run(t, args...)
		if code != exitOK {
			if s.refused == "" || s.label != "" || !strings.Contains(errs, s.refused) {
				t.Errorf("%s: %s", s.files, errs)
			}
			continue
		}
		var x inspection
		err := jsonx.Unmarshal([]byte(out), &x)
		if s.taker != "" {
			var takers []string
			for _, taker := range x.Takers {
				takers = append(takers, taker.Lab)
				if len(taker.Entries) != 1 {
					t.Errorf("%s: %s finds %d entries", s.files, taker.Lab, len(taker.Entries))
				}
			}
			if got := strings.Join(takers, " "); err != nil || got != s.taker {
				t.Errorf("%s: %v: %s take it: %s", s.files, err, got, out)
			}
			continue
		}
		if err != nil || len(x.Workloads) == 0 || x.Takers[0].Lab != "train" {
			t.Fatalf("%s: %v: %s", s.files, err, out)
		}
		for _, wrong := range s.wrong(&x) {
			t.Errorf("%s: %s", s.files, wrong)
		}
	}
}

// wrong compares.
func (s *sample) wrong(x *inspection) (list []string) {
	w := &x.Workloads[0]
	check := func(what, got, want string) {
		if want != "" && got != want {
			list = append(list, fmt.Sprintf("%s: got %s, want %s", what, got, want))
		}
	}
	check("label", w.Label, s.label)
	var steps []string
	for _, one := range w.Steps {
		text := fmt.Sprintf("%d/%d", one.Kernels, one.Time)
		if strings.Contains(s.steps, "+") {
			text += fmt.Sprintf("+%d", one.Copies)
		}
		steps = append(steps, text)
	}
	check("steps", strings.Join(steps, " "), s.steps)
	if m := w.Memory; m != nil {
		if et := strings.HasPrefix(w.Format, "PyTorch ExecutionTrace"); et && w.Label == string(recording.E2) && !m.Rebuilt {
			list = append(list, "the memory of an ExecutionTrace is said to be counted")
		}
		text := fmt.Sprintf("%d %d %d", m.Before, m.Peak, m.Allocations)
		if strings.Count(s.memory, " ") == 1 {
			text = fmt.Sprintf("%d %d", m.Before, m.Peak)
		}
		check("memory", text, s.memory)
	} else if s.memory != "" {
		list = append(list, "no memory")
	}
	for want := range strings.SplitSeq(s.roles, ",") {
		role, _, _ := strings.Cut(want, " ")
		check("roles", fmt.Sprintf("%s %d/%d", role, w.Roles[role].Tensors, w.Roles[role].Bytes), want)
	}
	coverage := 0.0
	if w.Coverage != nil {
		coverage = *w.Coverage
	}
	if (w.Coverage == nil) != (w.Refused != "") {
		list = append(list, fmt.Sprintf("coverage is %v, refused %q", w.Coverage, w.Refused))
	}
	if most := s.most; coverage < s.least || most > 0 && coverage > most || coverage > 1 {
		list = append(list, fmt.Sprintf("coverage is %.4f, want at least %g", coverage, s.least))
	}
	if !strings.Contains(w.Refused, s.refused) || s.refused == "" && w.Refused != "" {
		list = append(list, fmt.Sprintf("refused: got %q, want %q", w.Refused, s.refused))
	}
	said := strings.Join(append(append(append(x.Notes, w.Notes...), w.Warnings...), w.Advice...), "\n")
	if !strings.Contains(said, s.note) {
		list = append(list, fmt.Sprintf("%q is not said: %s", s.note, said))
	}
	return list
}
