package kineto

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/sim/unit"
)

// seeds are small traces of every kind.
func seeds(t testing.TB) (list [][]byte) {
	a := &author{}
	a.mark("ProfilerStep#1", 0, 1000)
	a.add(`{"ph":"X","cat":"python_function","name":"nn.Module: Linear_0","pid":1,"tid":1,"ts":5,"dur":80}`)
	a.op("aten::linear", 10, 50, `"External id":3,"Sequence number":4,"Input Dims":[[16,32],[32,32],[32]],"Input type":["float","float","float"],"Input Strides":[[32,1],[32,1],[1]],"Concrete Inputs":["","",""]`)
	a.memory(13, 4096, 2048, 10240)
	a.kernel("gemm", 1, 20)
	a.memory(400, 4096, -2048, 8192)
	list = append(list, []byte(a.text()), []byte(`[{"ph":"X","cat":"Kernel","ts":1.5e3,"dur":"7","args":{}},]`), []byte(`{"traceEvents":[{}`))
	return list
}

// check reads any bytes in several ways and holds what comes to the rules.
func check(t *testing.T, doc []byte) {
	tr, err := Read(bytes.NewReader(doc), nil)
	again, err2 := Read(iotest.OneByteReader(bytes.NewReader(doc)), nil)
	if fmt.Sprint(err) != fmt.Sprint(err2) || !reflect.DeepEqual(tr, again) {
		t.Fatalf("it depends on how the bytes come: %v, %v", err, err2)
	}
	if json.Valid(doc) && err == nil {
		slow, err := tolerantly(doc)
		if err != nil {
			t.Fatalf("the tolerant way refuses it: %v", err)
		}
		if len(slow.Ops) != len(tr.Ops) || !reflect.DeepEqual(slow.Kernels, tr.Kernels) || !reflect.DeepEqual(slow.Blocks, tr.Blocks) {
			t.Fatalf("both ways differ: %+v, %+v", tr, slow)
		}
	}
	if err != nil {
		return
	}
	list, err := tr.Recordings("x")
	if err != nil {
		return
	}
	in, out := unit.Time(0), unit.Time(0)
	for i := range tr.Kernels {
		in += tr.Kernels[i].Time
	}
	for _, r := range list {
		for _, l := range r.Missing {
			out += l.Time
		}
		for s := range r.Steps {
			for i := range r.Steps[s].Kernels {
				out += r.Steps[s].Kernels[i].Time
			}
			checkUses(t, "fuzzed", &r.Steps[s])
		}
	}
	if in != out && len(tr.Devices) < 256 {
		t.Fatalf("kernels took %d ps, steps and losses have %d", in, out)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	for _, name := range []string{"kineto-minimal-good", "kineto-two-devices", "kineto-dup-correlation", "kineto-nan-inf", "cpu-only"} {
		f.Add([]byte(strings.Clone(minimal[name])))
	}
	f.Fuzz(func(t *testing.T, doc []byte) { check(t, doc) })
}

// minimal has traces of a few events.
var minimal = map[string]string{
	"kineto-minimal-good":    `{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1.0, "dur": 9.0, "args": {"External id": 1, "Input Dims": [[4, 4], [4, 4]], "Input type": ["float", "float"]}}, {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 12.0, "dur": 5.0, "args": {"device": 0, "stream": 7, "correlation": 7, "External id": 1}}]}`,
	"kineto-two-devices":     `{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 5, "args": {"device": 0}}, {"ph": "X", "cat": "kernel", "name": "b", "ts": 2, "dur": 5, "args": {"device": 1}}]}`,
	"kineto-dup-correlation": `[{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 2, "args": {"correlation": 7}}, {"ph": "X", "cat": "kernel", "ts": 12, "dur": 5, "args": {"correlation": 7}}, {"ph": "X", "cat": "kernel", "ts": 13, "dur": 5, "args": {"correlation": 7}}]`,
	"cpu-only":               `{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {"Input Dims": [[2, 3, 8, 8], [4, 3, 3, 3]], "Input type": ["float", "c10::Half"], "Concrete Inputs": ["", "", "", "[2, 2]", "[1, 1]"], "Sequence number": 3}}, {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2, "args": {"Device Type": 0, "Device Id": -1, "Addr": 5, "Bytes": 900}}, {"ph": "X", "cat": "cpu_op", "name": "aten::convolution_backward", "pid": 1, "tid": 2, "ts": 21, "dur": 9, "args": {"Input Dims": [[2, 4, 4, 4], [2, 3, 8, 8], [4, 3, 3, 3]], "Input type": ["float", "float", "float"], "Sequence number": 3, "Fwd thread id": 1}}, {"ph": "X", "cat": "cpu_op", "name": "vllm::cache", "pid": 1, "tid": 1, "ts": 41, "dur": 2, "args": {"Input Dims": [[2, 4], [9000, 4]], "Input type": ["float", "float"]}}]}`,
	"kineto-nan-inf":         `[{"ph": "X", "cat": "kernel", "ts": Infinity, "dur": 5}, {"ph": "X", "cat": "kernel", "ts": 1, "dur": NaN}]`,
}

// TestPrefixes reads every beginning of small traces.
func TestPrefixes(t *testing.T) {
	for _, doc := range seeds(t) {
		for n := range doc {
			check(t, doc[:n])
		}
	}
}
