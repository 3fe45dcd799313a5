package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/train"
	"spillway/sim/train/result"
	"spillway/traces/jsonx"
	"spillway/ui/exec"
	"spillway/ui/lab/all"
)

const tiny = "../../traces/spillway/testdata/tiny.json"

func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	s := shell{labs: all.Labs, out: &out, errs: &errs}
	code = s.command(args)
	return code, out.String(), errs.String()
}

// only1 reads JSON of a list of one thing.
func only1(out string, to any) error {
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("%d things, want one: %.200s", len(list), out)
	}
	return jsonx.Unmarshal(list[0], to)
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		says string // in either stream
	}{
		{[]string{}, exitUsage, "usage: spillway"},
		{[]string{"help"}, exitOK, "usage: spillway"},
		{[]string{"fly"}, exitUsage, `unknown command "fly"`},
		{[]string{"sweep", "-nope"}, exitUsage, "spillway sweep -h lists the flags"},
		{[]string{"run"}, exitUsage, "name a .config file"},
		{[]string{"run", "-h"}, exitOK, "override a config key"},
		{[]string{"run", "missing.config"}, exitUsage, "missing.config"},
		{[]string{"run", tiny, "--set", "gpu_memory"}, exitUsage, "want key=value"},
		{[]string{"run", tiny, "--set", "gpu_memory=-1"}, exitUsage, "want 0.015625 to 4096"},
		{[]string{"run", tiny, "--set", "warp=9"}, exitUsage, "unknown key"},
		{[]string{"run", tiny, "--mode", "perfect"}, exitUsage, `unknown quirk "perfect"`},
		{[]string{"run", tiny, "--system", "magic"}, exitUsage, `unknown system "magic"; there are ideal, uvm`},
		{[]string{"run", tiny, "bert-base@4", "--final", "unused"}, exitUsage, "run them one by one"},
		{[]string{"run", "bert-base"}, exitUsage, "MODEL@BATCH"},
		{[]string{"run", "bert-base@4", "--system", "ideal"}, exitOK, "estimated"},
		{[]string{"sweep", "-systems", "ideal, magic"}, exitUsage, `unknown system "magic"`},
		{[]string{"sweep", "-workloads", "bert-base@4, bert-base@4@as-paper", "-systems", "ideal, uvm"}, exitOK, "as-paper"},
		{[]string{"run", tiny, "--system", "ideal"}, exitOK, "100.00 % of ideal"},
		{[]string{"sweep", "-workloads", "bert-base@many"}, exitUsage, "is not a number"},
		{[]string{"sweep", "-workloads", tiny, "-systems", "ideal,uvm", "-vary", "gpu_memory=1,2"}, exitOK, "of ideal"},
		{[]string{"sweep", "extra"}, exitUsage, `unexpected argument "extra"`},
		{[]string{"run", "bert-base@4", "--system", "uvm"}, exitOK, "of ideal throughput"},
		{[]string{"run", "bert-base@4@as-paper", "--system", "ideal"}, exitOK, "100.00 % of ideal"},
		{[]string{"run", "resnet-50@4@h100-80", "--system", "ideal"}, exitOK, "100.00 % of ideal"},
		{[]string{"run", "bert-base-pytorch@2@v100-32", "--system", "ideal"}, exitOK, "100.00 % of ideal"},
		{[]string{"run", "bert-base-pytorch@2@as-paper"}, exitUsage, "has not profiled PyTorch's kernels; write bert-base-pytorch@2"},
		{[]string{"run", "resnet-50@4@abacus"}, exitUsage, `"abacus"; there are a100-40, `},
		{[]string{"models"}, exitOK, "bert-base"},
		{[]string{"convert"}, exitUsage, "convert: name one"},
		{[]string{"estimate"}, exitUsage, "FILE.csv"},
		{[]string{"estimate", "gemm", "m=4096", "n=4096", "k=4096", "gpu=rtx-4090", "precision=tf32"}, exitOK, "1.79 ms ± 15 %\n  bound by   compute, 7.1 times what memory takes"},
		{[]string{"estimate", "norm", "bytes=1000", "gpu=a100", "precision=bf16"}, exitOK, "start, "},
		{[]string{"estimate", "mpt-7b", "kind=llm", "batch=6", "seq=2048", "gpus=8", "gpu=a100-sxm-80", "precision=bf16"}, exitOK, "tokens/s and GPU"},
		{[]string{"estimate", "conv", "c=64", "h=56", "k=64", "r=3", "pad=1", "gpu=l4", "--json"}, exitOK, `"bound": "compute"`},
		{[]string{"estimate", "gemm", "m=1", "n=1", "k=x", "gpu=l4"}, exitUsage, `k: "x"; want a whole number`},
		{[]string{"estimate", "gemm", "m=1", "n=1", "gpu=l4"}, exitUsage, `k: ""; want a whole number from 1`},
		{[]string{"estimate", "gemm", "m=1", "n=1", "k=1", "gpu=abacus"}, exitUsage, `"abacus" is not known; there are p100-pcie`},
		{[]string{"estimate", "gemm", "m=1", "n=1", "k=1", "gpu=l4", "q=1"}, exitUsage, `unknown key "q"`},
		{[]string{"estimate", "gemm", "m"}, exitUsage, "want key=value"},
		{[]string{"estimate", "resnet50", "batch=256", "gpu=rtx-4090", "precision=amp-fp16", "layout=nhwc", "mode=train"}, exitOK, " images/s and GPU ± 12 %"},
		{[]string{"estimate", "resnet51", "gpu=rtx-4090"}, exitUsage, `network "resnet51" is not known`},
		{[]string{"estimate", "missing.csv"}, exitUsage, "missing.csv"},
		{[]string{"verify", "-artifact", "nowhere"}, exitUsage, "nowhere"},
		{[]string{"verify", "-artifact", "testdata"}, exitUsage, "no workload of G10 (MICRO 2023) in testdata"},
		{[]string{"verify", "-figures", "2"}, exitOK, "1 of 2 hold"},
		{[]string{"list"}, exitOK, "train"},
		{[]string{"list", "train"}, exitOK, "gpu_memory"},
		{[]string{"list", "-h"}, exitOK, "not compared unless it is named"},
		{[]string{"run", "lab=train"}, exitOK, "Base UVM"},
		{[]string{"run", "lab=train", "gpu_memory=0"}, exitUsage, "want 0.015625 to 4096"},
		{[]string{"run", "lab=train", "file=" + tiny, "system=ideal"}, exitOK, "Throughput"},
		{[]string{"run", "lab=train", "file=../../traces/hf/testdata/mistral-7b.json", "system=ideal", "batch=1", "precision=bf16"}, exitOK, "7242 million parameters"},
		{[]string{"run", "model=bert-base"}, exitUsage, "settings need lab=LAB"},
		{[]string{"figure"}, exitUsage, "want a link, or lab=LAB"},
		{[]string{"figure", "lab=train", "--theme", "pink"}, exitUsage, `unknown theme "pink"`},
		{[]string{"figure", "lab=train", "--width", "-1"}, exitUsage, "want 1 to"},
		{[]string{"figure", "lab=train", "preset=x"}, exitUsage, "there are gpt2-xl-rtx-4090, "},
		{[]string{"figure", "lab=train", "gpu_memory=0"}, exitUsage, "want 0.015625 to 4096"},
		{[]string{"figure", "lab=train", "model=bert-base", "batch=4", "--chart", "x"}, exitUsage, " throughput, breakdown, "},
		{[]string{"figure", "https://example.org/?x#v=3&lab=nowhere"}, exitUsage, `unknown laboratory "nowhere"`},
		{[]string{"figure", "v=3&lab=train&entry=mine"}, exitUsage, `a file, "mine"`},
		{[]string{"figure", "v=3&lab=train&ssd_read=20&ssd_write=30"}, exitUsage, "SSD write (30 GB/s) is faster"},
		{[]string{"figure", "lab=train", "view=whatif", "ask=effects", "batch=4", "system=ideal"}, exitUsage, "no chart that can be drawn"},
		{[]string{"figure", "https://example.org/?x#v=3&lab=train&model=bert-base&batch=4"}, exitOK, `link="https://example.org/?x#v=`},
		{[]string{"figure", "lab=store", "--chart", "memory", "--theme", "auto", "--site", "https://example.org/"}, exitOK, "prefers-color-scheme"},
	} {
		code, out, errs := run(t, tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.says) {
			t.Errorf("spillway %v: exit code %d, want %d; output must contain %q:\n%s%s", tt.args, code, tt.code, tt.says, out, errs)
		}
	}
}

// TestTraining holds what the two forms of run and the sweep print about a small
// trace; its time is hidden.
func TestTraining(t *testing.T) {
	took := regexp.MustCompile(`simulated in \S+`)
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"training", []string{"run", tiny}},
		{"training-json", []string{"run", tiny, "--json", "--system", "uvm", "--mode", "corrected"}},
		{"training-lab-json", []string{"run", "lab=train", "system=uvm", "mode=corrected", "file=" + tiny, "--json"}},
		{"training-sweep", []string{"sweep", "-workloads", tiny, "-systems", "ideal,uvm,g10", "-vary", "gpu_memory=1,2"}},
	} {
		code, out, errs := run(t, tt.args...)
		if code != exitOK || errs != "" {
			t.Errorf("spillway %v: exit code %d: %s", tt.args, code, errs)
		}
		golden(t, tt.name, took.ReplaceAllString(out, "simulated in TIME"))
	}
}

// TestFormsAgree runs a workload in both forms: the numbers are the same.
func TestFormsAgree(t *testing.T) {
	var old oldRun
	var lab exec.Record
	_, out, errs := run(t, "run", "bert-base@64@as-paper", "--system", "g10", "--set", "gpu_memory=8", "--json")
	if err := only1(out, &old); err != nil {
		t.Fatal(err, errs)
	}
	_, out, errs = run(t, "run", "lab="+trainingLab, "model=bert-base", "batch=64", "times=as-paper", "system=g10", "gpu_memory=8", "--json")
	if err := only1(out, &lab); err != nil {
		t.Fatal(err, errs)
	}
	seconds := float64(old.IterationCycles) / float64(old.ClockHz)
	if !old.Fits || old.Normalized >= 1 || lab.Values["normalized_throughput"] != old.Normalized || lab.Values["iteration_s"] != seconds {
		t.Errorf("%v of ideal in %v s; the laboratory says %v", old.Normalized, seconds, lab.Values)
	}
}

// TestJSONSSD checks the object about a simulated drive: its names, that it says
// what the notes say, and that it is there only when a drive was simulated.
func TestJSONSSD(t *testing.T) {
	var got struct {
		Fits  bool           `json:"fits"`
		Notes []string       `json:"notes"`
		SSD   map[string]any `json:"ssd"`
	}
	var typed struct {
		SSD *result.SSD `json:"ssd"`
	}
	read := func(args ...string) {
		t.Helper()
		code, out, errs := run(t, append([]string{"run", "bert-base@16", "--json", "--mode", "corrected"}, args...)...)
		if code != exitOK {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		got.SSD, typed.SSD = nil, nil
		if err := errors.Join(only1(out, &got), only1(out, &typed)); err != nil {
			t.Fatal(err)
		}
	}
	if read("--set", "gpu_memory=2"); got.SSD != nil || !got.Fits {
		t.Errorf("without a drive: fits %v, ssd %v", got.Fits, got.SSD)
	}
	if read("--set", "gpu_memory=0.1", "--set", "ssd=z-nand", "--system", "flashneuron"); got.SSD != nil || got.Fits {
		t.Errorf("what does not fit: fits %v, ssd %v", got.Fits, got.SSD)
	}
	read("--set", "gpu_memory=2", "--set", "ssd=z-nand", "--set", "host_memory=0")
	want := []string{
		"drive", "drive_writes_per_day_thousandths", "endurance_bytes", "life_thousandth_years", "mixed", "name",
		"rated_drive_writes_per_day_thousandths", "read_bytes_per_s", "read_latency_ps", "warranty_years",
		"write_amplification_thousandths", "write_bytes_per_s", "written_bytes",
	}
	if names := slices.Sorted(maps.Keys(got.SSD)); !slices.Equal(names, want) {
		t.Fatalf("the names are %q, want %q", names, want)
	}
	if got.SSD["drive"] != "z-nand" || got.SSD["endurance_bytes"] != 175.2e15 || typed.SSD.Written == 0 {
		t.Errorf("got %v", got.SSD)
	}
	for _, note := range train.DescribeSSD(typed.SSD) {
		if !slices.Contains(got.Notes, note) {
			t.Errorf("the object says %q, which is not among the notes %q", note, got.Notes)
		}
	}
}

func TestConvert(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json.gz")
	if code, _, errs := run(t, "convert", tiny, "-o", path); code != exitOK {
		t.Fatal(errs)
	}
	_, want, _ := run(t, "run", tiny, "--json")
	if _, got, errs := run(t, "run", path, "--json"); got != want {
		t.Errorf("a converted trace runs differently: %s\n%s\n%s", errs, got, want)
	}
}

// finalValue returns the number of iteration 1 that a sim_result.final gives a key.
func finalValue(t *testing.T, final []byte, key string) float64 {
	t.Helper()
	_, rest, _ := strings.Cut(string(final), "kernel_stat.iter1."+key+" = ")
	text, _, _ := strings.Cut(rest, "\n")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Errorf("%s: %v", key, err)
	}
	return v
}

// TestConfig runs an artifact config and checks the published cycle count.
func TestConfig(t *testing.T) {
	config := filepath.Join(artifact.Dir(t), "src/configs/BERT/256-sim_prefetch_lru.config")
	final := t.TempDir()
	code, out, errs := run(t, "run", config, "--json", "--final", final)
	if code != exitOK || !strings.Contains(out, `"iteration_cycles": 8773229325`) { // example_results/overall_performance
		t.Errorf("exit code %d, want the published 8773229325 cycles: %s%s", code, out, errs)
	}
	data, err := os.ReadFile(filepath.Join(final, "sim_result.final"))
	if err != nil || !strings.Contains(string(data), "kernel_stat.iter1.exe_time = 8773229325\n") {
		t.Errorf("sim_result.final lacks the published time (%v):\n%s", err, data)
	}
	noisy := filepath.Join(artifact.Dir(t), "src/configs/BERT/256-sim_prefetch_lru-var0_25.config")
	if code, _, errs := run(t, "run", noisy, "--final", final); code != exitOK {
		t.Error(errs)
	}
	with, err := os.ReadFile(filepath.Join(final, "sim_result.final"))
	if a, b := finalValue(t, data, "pf_exe_time"), finalValue(t, with, "pf_exe_time"); err != nil || a == b || math.Abs(b/a-1) > 0.05 {
		t.Errorf("pf_exe_time is %g without and %g with a kernel time error (%v)", a, b, err)
	}
	if code, _, errs := run(t, "run", config, "--set", "bogus=1"); code != exitUsage || !strings.Contains(errs, `unknown key "bogus"`) || !strings.Contains(errs, "-set bogus=1") {
		t.Errorf("an unknown key: exit code %d, %s", code, errs)
	}
	entry := "entry=BERT/256-sim_prefetch_lru"
	code, out, errs = run(t, "run", "lab=train", "system=g10", "file="+artifact.Dir(t), entry, "--json")
	var got exec.Record
	if err := only1(out, &got); err != nil || code != exitOK || got.Values["iteration_s"] != 8773229325/1.2e9 {
		t.Errorf("the same from the artifact's folder: exit code %d, %v: %s%s", code, err, out, errs)
	}
}

// TestFidelity: what nobody published is corrected where nobody says how it runs, and the
// first line says so, and truly what runs, of a file too.
func TestFidelity(t *testing.T) {
	for _, tt := range []struct {
		first string
		args  []string
	}{
		{"BERT-base, batch 16 · kernel times as the paper measured · as published · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{"lab=train", "batch=16"}},
		{"BERT-base, batch 16 · kernel times estimated (± 20 %) for A100 40 GB · corrected · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{"lab=train", "batch=16", "times=estimated"}},
		{"BERT-base, batch 16 · kernel times estimated (± 20 %) for A100 40 GB · as published · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{"lab=train", "batch=16", "times=estimated", "mode=published"}},
		{"Two layers, batch 32 · kernel times estimated · corrected · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{"lab=train", "file=" + tiny}},
		{"Two layers, batch 32, g10 (corrected) · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{tiny}},
		{"BERT-base, batch 4, g10 (corrected) · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{"bert-base@4"}},
		{"BERT-base, batch 4, g10 (published) · G10 Table 2: A100-40GB, PCIe 3, Z-NAND", []string{"bert-base@4@as-paper"}},
		{"BERT-base, batch 4, g10 (corrected) · G10 Table 2: A100-40GB, PCIe 3, Z-NAND, changed", []string{"bert-base@4", "--set", "gpu_memory=20"}},
	} {
		args := append([]string{"run"}, tt.args...)
		if strings.HasPrefix(tt.args[0], "lab=") {
			args = append(args, "system=g10")
		}
		code, out, errs := run(t, args...)
		if first, _, _ := strings.Cut(out, "\n"); code != exitOK || first != tt.first {
			t.Errorf("%q: exit code %d, %s\n got %s\nwant %s", tt.args, code, errs, first, tt.first)
		}
		if strings.Contains(strings.Join(tt.args, " "), "file=") && strings.Contains(out, "model=") {
			t.Errorf("%q: the lines name a model: %s", tt.args, out)
		}
	}
	// A sweep says it of each point.
	code, out, errs := run(t, "sweep", "lab=train", "system=ideal", "batch=16", "--vary", "times=*", "--json")
	var list []exec.Record
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitOK || len(list) != 2 || !strings.Contains(list[0].Setup, "mode=published") || !strings.Contains(list[1].Setup, "mode=corrected") {
		t.Errorf("exit code %d, %v, %s\n%s", code, err, errs, out)
	}
}
