package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// manySteps is a recording of more steps than people see, the last of them chosen,
// whose memory is rebuilt.
func manySteps(label recording.Label) *recording.Recording {
	r := &recording.Recording{Name: "job", Format: "PyTorch ExecutionTrace", Label: label, Times: workload.Measured, Chosen: mostSteps + 1}
	for i := range mostSteps + 2 {
		r.Steps = append(r.Steps, recording.Step{
			Name: fmt.Sprintf("step %d", i), Complete: true,
			Kernels: []recording.Kernel{{Name: "gemm", Time: unit.Millisecond, Least: unit.Nanosecond}, {Name: "gemm", Start: 3 * unit.Millisecond, Time: unit.Millisecond, Least: unit.Nanosecond}},
			Tensors: []recording.Tensor{{Name: "w", Bytes: unit.MiB, Kind: workload.Weight, Global: true, Uses: []recording.Use{{Kernel: 0, Read: true}, {Kernel: 1, Read: true}}}},
			Memory:  recording.Memory{Known: true, Rebuilt: true, Peak: 9 * unit.MiB, Allocations: 3},
		})
	}
	return r
}

// TestInspectMemory: what was rebuilt is no counter, for people and for programs.
func TestInspectMemory(t *testing.T) {
	x := lookRecording(manySteps(recording.L2), recording.Choices{})
	if x.Refused != "" || x.Memory == nil || !x.Memory.Rebuilt || x.Memory.Peak != 9<<20 {
		t.Fatalf("%+v", x)
	}
	if said := strings.Join(append(x.Warnings, x.Notes...), " "); strings.Contains(said, "counter") {
		t.Errorf("it says %s", said)
	}
	var b bytes.Buffer
	if err := x.print(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "memory, rebuilt  ") {
		t.Errorf("it says\n%s", b.String())
	}
}

// TestInspectChosen: people see the step that is chosen, however many there are.
func TestInspectChosen(t *testing.T) {
	for chosen, rows := range map[int]int{2: mostSteps, mostSteps: mostSteps + 1, mostSteps + 1: mostSteps + 1} {
		r := manySteps(recording.L2)
		r.Chosen = chosen
		x := lookRecording(r, recording.Choices{})
		var b bytes.Buffer
		if err := x.print(&b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Count(got, ", chosen\n") != 1 || strings.Count(got, " kernels, ") != rows || strings.Count(got, "and 2 more") != 1 {
			t.Errorf("step %d is chosen:\n%s", chosen, got)
		}
	}
}

// TestInspectUnknown: what was not found out is null, not 0.
func TestInspectUnknown(t *testing.T) {
	for label, known := range map[recording.Label]bool{recording.L2: true, recording.T: false} {
		x := lookRecording(manySteps(label), recording.Choices{})
		if (x.Coverage != nil) != known || (x.Idle != nil) != known {
			t.Errorf("%s: coverage %v, idle %v", label, x.Coverage, x.Idle)
		}
		var b bytes.Buffer
		if err := printJSON(&b, x); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), `"idle": null`) == known || strings.Contains(b.String(), `"coverage": null`) == known {
			t.Errorf("%s: it says\n%s", label, b.String())
		}
	}
}

// TestInspectOthers: of files about other things it says who takes them, and what is found.
func TestInspectOthers(t *testing.T) {
	for file, want := range map[string]string{
		"../../traces/hf/testdata/qwen2-7b.json":   "LLM training (lab=llm)\n  qwen2-7b: a model's architecture\n\nLLM serving (lab=serve)\n  qwen2-7b: a model's architecture\n\nTraining memory (lab=train)\n",
		"../../traces/address/testdata/lackey.txt": "CXL-SSD (lab=cxlssd)\n  lackey.txt: Valgrind Lackey\n",
		"../../traces/opstrace/testdata/tiny.csv":  "Object store (lab=store)\n  tiny.csv: operations on a store\n",
		"../../traces/fscalls/testdata/strace.txt": "File systems (lab=filesys)\n  strace.txt: strace\n",
		"../../traces/spillway/testdata/tiny.json": "Two layers, batch 32\n  format ",
		"inspect_test.go":                          "", // no trace at all
		"../../traces/hf/testdata/llama-3-8b.gone": "",
	} {
		code, out, errs := run(t, "inspect", file)
		if want == "" != (code != exitOK) || want == "" != (errs != "") || !strings.HasPrefix(out, want) {
			t.Errorf("%s: %d, %s%s; want %s", file, code, out, errs, want)
		}
	}
}
