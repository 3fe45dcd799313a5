package traces

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/archive/archivetest"
	"spillway/traces/recording"
	"spillway/traces/spillway"
)

// job is a recording of n layers, forward and back, with resident memory that
// nobody names.
func job(n int) *recording.Recording {
	const us = unit.Microsecond
	s := recording.Step{Name: "secret step", Complete: true, Resident: 3 * unit.MiB}
	at := unit.Time(0)
	launch := func(op string, d unit.Time) int32 {
		s.Kernels = append(s.Kernels, recording.Kernel{Name: "void secret::" + op + "<float>(int)", Op: op, Start: at, Time: d, Least: us})
		at += d - us/4
		return int32(len(s.Kernels) - 1)
	}
	for i := range n {
		k := launch("aten::secret_linear", 90*us)
		s.Tensors = append(s.Tensors,
			recording.Tensor{Name: fmt.Sprint("secret.weight.", i), Bytes: unit.MiB, Kind: workload.Weight, Global: true, Uses: []recording.Use{{Kernel: k, Read: true}}},
			recording.Tensor{Name: fmt.Sprint("secret.out.", i), Bytes: 4 * unit.MiB, Uses: []recording.Use{{Kernel: k, Write: true}}})
		if i > 0 {
			t := &s.Tensors[2*i-1]
			t.Uses = append(t.Uses, recording.Use{Kernel: k, Read: true})
		}
	}
	for i := n - 1; i >= 0; i-- {
		k := launch("aten::secret_backward", 150*us)
		s.Tensors[2*i].Uses = append(s.Tensors[2*i].Uses, recording.Use{Kernel: k, Read: true, Write: true})
		s.Tensors[2*i+1].Uses = append(s.Tensors[2*i+1].Uses, recording.Use{Kernel: k, Read: true})
	}
	return &recording.Recording{
		Name: "secret.json, GPU 0", Format: "PyTorch profiler (Kineto)", Files: []string{"secret.json"}, Label: recording.L1m,
		Device: recording.Device{Name: "NVIDIA H100"}, Times: workload.Measured, Steps: []recording.Step{s}, Notes: []string{"secret"},
	}
}

// hashes runs w on every system and returns what they measured.
func hashes(t *testing.T, w *workload.Workload, memory unit.Bytes) (list []string) {
	t.Helper()
	for _, s := range train.Systems {
		if slices.Contains([]string{"vdnn", "recompute", "superneurons"}, s.Name) {
			continue // they know layers by the names of kernels
		}
		q := train.Request{System: s.Name, Machine: machine.G10(), Options: system.Published()}
		q.Machine.GPUMemory = memory
		r, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatalf("%s: %s: %v", w.Name, s.Name, err)
		}
		list = append(list, result.Hash(r))
	}
	return list
}

// saved writes a workload as a Spillway trace and opens it again.
func saved(t *testing.T, w *workload.Workload) *workload.Workload {
	t.Helper()
	data, err := spillway.Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open([]File{{Name: "saved.json.gz", Data: archivetest.Gzip(t, data)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := s.Entries[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// A recording's workload that was saved is the same, with or without names: every
// system does the same with it.
func TestSaved(t *testing.T) {
	s := fromRecordings([]*recording.Recording{job(20)}, nil)
	w, err := s.Entries[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Entries[0].Detail; d != "PyTorch profiler (Kineto), label L1m: secret.json" {
		t.Error(d)
	}
	const memory = 48 * unit.MiB
	want := hashes(t, w, memory)
	back := saved(t, w)
	if !reflect.DeepEqual(back, w) || !reflect.DeepEqual(hashes(t, back, memory), want) {
		t.Error("a saved workload is another")
	}
	anonymous := saved(t, recording.Anonymous(w))
	if !reflect.DeepEqual(hashes(t, anonymous, memory), want) {
		t.Error("without names systems do something else")
	}
	text := fmt.Sprintf("%+v", *anonymous)
	if strings.Contains(text, "secret") || anonymous.Origin != w.Origin || !strings.Contains(text, "weight 3") || anonymous.Kernels[20].Name != "kernel 2" {
		t.Errorf("%.2000s", text)
	}
	if strings.Contains(fmt.Sprintf("%+v", *w), "aten::secret_linear") != true {
		t.Error("the original was changed")
	}
	w.Origin = "From " + filepath.Join("home", "me")
	if got := recording.Anonymous(w).Origin; got != "Its names were removed." {
		t.Error(got)
	}
}
