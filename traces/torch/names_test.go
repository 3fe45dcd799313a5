package torch

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/workload"
	"spillway/traces/recording"
)

// A tiny run: mm of two resident tensors, relu, neg; the result of mm is kept until
// neg was launched. 1024 bytes more are resident.
const (
	tinyET = `{"schema": "1.1.1", "pid": 5, "nodes": [
{"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "attrs": []},
{"id": 2, "name": "ProfilerStep#3", "ctrl_deps": 1, "attrs": [{"name": "rf_id", "value": 1}]},
{"id": 3, "name": "aten::mm", "ctrl_deps": 2, "inputs": {"values": [[1, 1, 0, 1024, 4, "cuda:0"], [2, 2, 0, 512, 4, "cuda:0"]]}, "outputs": {"values": [[3, 3, 0, 256, 4, "cuda:0"]]}, "attrs": [{"name": "rf_id", "value": 2}]},
{"id": 4, "name": "aten::relu", "ctrl_deps": 2, "inputs": {"values": [[3, 3, 0, 256, 4, "cuda:0"]]}, "outputs": {"values": [[4, 4, 0, 256, 4, "cuda:0"]]}, "attrs": [{"name": "rf_id", "value": 3}]},
{"id": 5, "name": "aten::neg", "ctrl_deps": 2, "inputs": {"values": [[4, 4, 0, 256, 4, "cuda:0"]]}, "outputs": {"values": [[5, 5, 0, 256, 4, "cuda:0"]]}, "attrs": [{"name": "rf_id", "value": 4}]},
{"id": 6, "name": "spillway.roles", "ctrl_deps": 1, "attrs": [{"name": "rf_id", "value": 5}]},
{"id": 7, "name": "aten::detach", "ctrl_deps": 6, "inputs": {"values": [[2, 2, 0, 512, 4, "cuda:0"]]}, "outputs": {"values": [[8, 2, 0, 512, 4, "cuda:0"]]}, "attrs": [{"name": "rf_id", "value": 6}]}
]}`
	tinyRoles = `{"format": "spillway-roles", "version": 1, "torch": "2.6", "device": {"kind": "cuda", "index": 0, "name": "G"}, "batch": 4, "mark": "spillway.roles",
"tensors": [{"name": "fc.weight", "role": "parameter", "device": "cuda:0", "address": "0x2000", "bytes": 2048, "offset": 0}]}`
	tinySnapshot = `{"segments": [{"device": 0, "address": 4096, "total_size": 16384, "allocated_size": 8192, "active_size": 8192, "blocks": [
{"size": 4096, "requested_size": 4096, "state": "active_allocated", "address": 4096}, {"size": 2048, "requested_size": 2048, "state": "active_allocated", "address": 8192},
{"size": 1024, "requested_size": 1024, "state": "active_allocated", "address": 10240}, {"size": 1024, "requested_size": 1024, "state": "active_allocated", "address": 13312}]}],
"device_traces": [[{"action": "alloc", "addr": 13312, "size": 1024, "stream": 0, "frames": []}]]}`
)

// tinyTrace writes the profiler's trace.
func tinyTrace() string {
	var b strings.Builder
	b.WriteString(`{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "G", "totalGlobalMem": 1000000}], "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 5, "tid": 6, "ts": 100, "dur": 90, "args": {"Record function id": 1}}`)
	level := 4096 + 2048 + 1024
	memory := func(ts, addr, bytes int) {
		level += bytes
		fmt.Fprintf(&b, `,
{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 5, "tid": 6, "ts": %d, "args": {"Total Reserved": 16384, "Total Allocated": %d, "Bytes": %d, "Addr": %d, "Device Id": 0, "Device Type": 1}}`, ts, level, bytes, addr)
	}
	for i, op := range []string{"aten::mm", "aten::relu", "aten::neg"} {
		ts := 110 + 20*i
		fmt.Fprintf(&b, `,
{"ph": "X", "cat": "cpu_op", "name": %q, "pid": 5, "tid": 6, "ts": %d, "dur": 10, "args": {"External id": %d, "Record function id": %d}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 6, "ts": %d, "dur": 1, "args": {"correlation": %d}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": %d, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": %d}}`,
			op, ts, i+2, i+2, ts+5, i+1, ts+8, i+1)
		memory(ts+2, 11264+1024*i, 1024)
	}
	memory(170, 11264, -1024)
	memory(171, 12288, -1024)
	b.WriteString("]}")
	return b.String()
}

// byName finds a tensor of the chosen step.
func byName(r *recording.Recording, name string) *recording.Tensor {
	s := &r.Steps[r.Chosen]
	for i := range s.Tensors {
		if s.Tensors[i].Name == name {
			return &s.Tensors[i]
		}
	}
	return nil
}

// open opens documents as files of these names.
func open(t *testing.T, docs map[string]string, names ...string) (recs []*recording.Recording, notes []string) {
	t.Helper()
	var files []File
	for _, n := range names {
		files = append(files, content(n, []byte(docs[n])))
	}
	recs, notes, err := Open(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
	return recs, notes
}

var tiny = map[string]string{"et.json": tinyET, "trace.json": tinyTrace(), "roles.json": tinyRoles, "snapshot.json": tinySnapshot}

// TestFrees: a tensor lives until it is freed, not only until it is last used.
func TestFrees(t *testing.T) {
	recs, notes := open(t, tiny, "et.json", "trace.json")
	if len(recs) != 1 || len(notes) > 0 || recs[0].Label != recording.L2 {
		t.Fatalf("%d recordings, %q", len(recs), notes)
	}
	x := byName(recs[0], "intermediate 1, mm")
	want := []recording.Use{{Kernel: 0, Write: true}, {Kernel: 1, Read: true}, {Kernel: 2, Read: true}}
	if x == nil || !reflect.DeepEqual(x.Uses, want) {
		t.Errorf("the result of mm is %+v, want uses %+v", x, want)
	}
}

// TestNames: roles.json names resident tensors, a snapshot those that no operator
// mentions.
func TestNames(t *testing.T) {
	recs, notes := open(t, tiny, "roles.json", "trace.json", "et.json")
	if len(recs) != 1 || len(notes) > 0 {
		t.Fatalf("%d recordings, %q", len(recs), notes)
	}
	r := recs[0]
	if x := byName(r, "fc.weight"); r.Label != recording.L3 || r.Batch != 4 || x == nil || x.Kind != workload.Weight || !x.Global || x.Bytes != 2048 {
		t.Errorf("label %s, batch %d, fc.weight %+v", r.Label, r.Batch, x)
	}
	recs, notes = open(t, tiny, "snapshot.json", "trace.json", "et.json")
	if len(recs) != 1 || len(notes) > 0 || recs[0].Label != recording.L3 {
		t.Fatalf("%d recordings, %q, %s", len(recs), notes, recs[0].Label)
	}
	if got := recs[0].Files; !reflect.DeepEqual(got, []string{"trace.json", "et.json", "snapshot.json"}) {
		t.Errorf("files are %q", got)
	}
}

// TestOtherRun: names of another run are refused.
func TestOtherRun(t *testing.T) {
	docs := map[string]string{"trace.json": tiny["trace.json"], "et.json": tinyET}
	docs["snapshot.json"] = strings.ReplaceAll(tinySnapshot, "13312", "13824")
	recs, notes := open(t, docs, "trace.json", "et.json", "snapshot.json")
	want := []string{"trace.json + et.json and snapshot.json were not joined: the trace leaves 1 blocks of memory behind, and at none of their addresses the other file has one, so they are of different runs."}
	if len(recs) != 2 || recs[0].Label != recording.L2 || recs[1].Label != recording.M || !reflect.DeepEqual(notes, want) {
		t.Errorf("%d recordings, %q; want %q", len(recs), notes, want)
	}
	docs["roles.json"] = strings.Replace(tinyRoles, `]}`, `, {"name": "x", "role": "buffer", "device": "cuda:0", "address": "0x9000", "bytes": 1}]}`, 1)
	_, notes = open(t, docs, "trace.json", "et.json", "roles.json")
	if len(notes) == 0 || notes[0] != "roles.json and et.json do not belong together: the one lists 2 tensors, the other 1." {
		t.Errorf("notes are %q", notes)
	}
}
