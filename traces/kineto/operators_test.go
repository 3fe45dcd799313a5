package kineto

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/kerneltime"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// onCPU takes everything of a GPU out of a trace, and says that memory was the host's.
func onCPU(t *testing.T, data []byte, memory bool) []byte {
	t.Helper()
	var top map[string]any
	if err := json.Unmarshal(data, &top); err != nil {
		t.Fatal(err)
	}
	var kept []any
	for _, event := range top["traceEvents"].([]any) {
		e := event.(map[string]any)
		category, _ := e["cat"].(string)
		args, _ := e["args"].(map[string]any)
		switch categoryOf([]byte(category)) {
		case kernel, copied, set, launch:
			continue
		}
		if e["name"] == "[memory]" {
			if !memory || args["Device Type"] == 0.0 {
				continue
			}
			args["Device Type"], args["Device Id"] = 0, -1
			delete(args, "Total Allocated")
		}
		kept = append(kept, e)
	}
	top["traceEvents"] = kept
	delete(top, "deviceProperties")
	out, err := json.Marshal(top)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOperators takes the GPU out of traces: kernels are then operators with the times of the law,
// to be compared with those that were recorded.
func TestOperators(t *testing.T) {
	for _, c := range []struct {
		name, gpu    string
		kernels      int
		least, most  float64 // estimated over recorded kernel time, without communication and what no operator launched
		peak, within float64 // with memory events over the counter's
	}{
		{"h100-bert-small-infer-shapes-memory", "h100-sxm", 60, 0.8, 1.1, 0.975, 0.01}, // 60 kernels were recorded
		{"mi300-bert-small-infer-shapes-memory", "h100-sxm", 60, 0.5, 1, 1.21, 0.01},   // on another GPU; tied weights count twice, as nothing says what was there before
		{"mi300-normalization-train-shapes-memory", "h100-sxm", 120, 0.2, 0.6, 0.934, 0.01},
	} {
		data := artifact.Sample(t, "kineto/"+c.name+".json.gz")
		was, _, _ := folded(t, data)
		for _, memory := range []bool{false, true} {
			tr, err := Read(bytes.NewReader(onCPU(t, data, memory)), nil)
			if err != nil || tr.Ran() {
				t.Fatalf("%s: %v", c.name, err)
			}
			list, err := tr.Recordings(c.name)
			if err != nil {
				t.Fatal(err)
			}
			r := list[0].Recording
			want := recording.E1
			if memory {
				want = recording.E1m
			}
			if r.Label != want || r.Times != workload.Estimated || len(r.Steps[r.Chosen].Kernels) != c.kernels {
				t.Errorf("%s: label %s, %s, %d kernels; want %s, %d", c.name, r.Label, r.Times, len(r.Steps[r.Chosen].Kernels), want, c.kernels)
			}
			_, rep, err := r.Fold(recording.Choices{GPU: c.gpu})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(rep.Summed) / float64(was.Summed-was.Communication); got < c.least || got > c.most {
				t.Errorf("%s: %v estimated, %v recorded: %.2f; want %.2f to %.2f", c.name, rep.Summed, was.Summed, got, c.least, c.most)
			}
			if got := float64(rep.Rebuilt) / float64(was.Counter); memory && (got < c.peak-c.within || got > c.peak+c.within) {
				t.Errorf("%s: %v at once, the counter said %v: %.3f; want %.3f", c.name, rep.Rebuilt, was.Counter, got, c.peak)
			}
			if rep.Band == 0 || !strings.Contains(strings.Join(rep.Says(), " "), "Kernel times are estimated for H100") {
				t.Errorf("%s: ± %d %%; %q", c.name, rep.Band, rep.Says())
			}
			if _, other, err := r.Fold(recording.Choices{GPU: "rtx-3060"}); err != nil || other.Summed < 2*rep.Summed {
				t.Errorf("%s: %v on an RTX 3060, %v on an H100 (%v)", c.name, other.Summed, rep.Summed, err)
			}
		}
	}
}

// TestCrowded: more memory events of the host than there is room for are no matter where a GPU's
// kernels or memory follow; only where the host's stand for a GPU's the trace is refused.
func TestCrowded(t *testing.T) {
	data := artifact.Sample(t, "kineto/h100-bert-small-infer-shapes-memory.json.gz")
	host := `{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":1419247332972,"args":{"Device Type":0,"Device Id":-1,"Addr":64,"Bytes":512}},`
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a GPU's":  {bytes.Replace(data, []byte(`"traceEvents":[`), []byte(`"traceEvents":[`+host), 1), ""},
		"a host's": {onCPU(t, data, true), "the trace has more than 4194304 memory events: record fewer steps"},
	} {
		rd := newReading(bytes.NewReader(c.data), nil)
		rd.hosted.n = mostRows // as if so many were read
		tr, err := rd.read()
		switch {
		case c.want == "" && (err != nil || !tr.Ran() || len(tr.Blocks) == 0 || !rd.crowded):
			t.Errorf("%s: %v, crowded %t", name, err, rd.crowded)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
}

// TestNumbers: an operator without a number has that of the nearest around it.
func TestNumbers(t *testing.T) {
	tr, err := Read(bytes.NewReader(onCPU(t, artifact.Sample(t, "kineto/mi300-normalization-train-shapes-memory.json.gz"), true)), nil)
	if err != nil || len(tr.numbers) != len(tr.Ops) {
		t.Fatal(len(tr.numbers), err)
	}
	inherited := 0
	for op := range tr.Ops {
		at := int32(op)
		for tr.order[at].sequence < 0 && tr.Ops[at].Parent >= 0 {
			at = tr.Ops[at].Parent
		}
		want := tr.order[at].sequence
		if tr.numbers[op] != want {
			t.Fatalf("operator %d: %d; want %d", op, tr.numbers[op], want)
		}
		if want >= 0 && at != int32(op) {
			inherited++
		}
	}
	if inherited == 0 {
		t.Error("no operator is inside of one with a number")
	}
}

// TestOperatorsShapes has the work of single operators.
func TestOperatorsShapes(t *testing.T) {
	a := &author{}
	op := func(ts, dur int, name, dims, types, values, more string) {
		a.add(`{"ph":"X","cat":"cpu_op","name":%q,"pid":1,"tid":1,"ts":%d,"dur":%d,"args":{"Input Dims":%s,"Input type":%s,"Concrete Inputs":%s%s}}`, name, ts, dur, dims, types, values, more)
	}
	halves := `["c10::BFloat16","c10::BFloat16","","","","",""]`
	op(10, 9, "aten::conv2d", `[[8,64,56,56],[128,64,3,3],[],[],[],[],[]]`, halves, `[]`, `,"Sequence number":7`)
	op(11, 6, "aten::convolution", `[[8,64,56,56],[128,64,3,3],[],[],[],[],[]]`, halves, `[]`, `,"Sequence number":7`)
	op(20, 9, "aten::matmul", `[[32,16],[16,8]]`, `["float","float"]`, `["",""]`, "")
	op(21, 3, "aten::mm", `[[32,16],[16,8]]`, `["float","float"]`, `["",""]`, "")
	op(30, 5, "aten::view", `[[32,8],[]]`, `["float",""]`, `["",""]`, "")
	op(40, 5, "aten::relu", `[[32,8]]`, `["float"]`, `[""]`, "")
	op(41, 2, "aten::clamp_min", `[[32,8],[]]`, `["float","Scalar"]`, `["","0"]`, "")
	op(50, 9, "autograd::engine::evaluate_function: ConvolutionBackward0", `[]`, `[]`, `[]`, `,"Sequence number":7,"Fwd thread id":1`)
	op(51, 7, "aten::convolution_backward", `[[8,128,28,28],[8,64,56,56],[128,64,3,3],[],[],[],[],[],[],[],[]]`, `["c10::BFloat16","c10::BFloat16","c10::BFloat16","","","","","","","",""]`, `["","","","[0]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1","[False, True, False]"]`, "")
	tr, err := Read(strings.NewReader(`{"traceEvents":[`+strings.Join(a.events, ",")+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tr.Recordings("x")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	kernels := list[0].Steps[0].Kernels
	for i := range kernels {
		names = append(names, kernels[i].Name)
	}
	if got, want := strings.Join(names, " "), "aten::conv2d aten::mm aten::clamp_min aten::convolution_backward"; got != want {
		t.Fatalf("kernels are %s; want %s", got, want)
	}
	conv := kerneltime.Kernel{Class: kerneltime.ConvForward, Element: 2, Batch: 8, C: 64, H: 56, W: 56, K: 128, R: 3, S: 3, Stride: 2, Pad: 1, Groups: 1}
	weight := conv
	weight.Class = kerneltime.ConvWeight
	if k := &kernels[0]; k.Shape == nil || *k.Shape != conv || k.Element != 2 {
		t.Errorf("the convolution, whose stride its gradient says, is %+v", k.Shape)
	}
	if k := &kernels[1]; k.Shape == nil || *k.Shape != (kerneltime.Kernel{Class: kerneltime.Product, M: 32, K: 16, N: 8, Element: 4}) || k.Element != 4 {
		t.Errorf("the product is %+v", k.Shape)
	}
	if k := &kernels[2]; k.Shape != nil || k.Bytes != 2*32*8*4 {
		t.Errorf("the activation moves %v, of shape %v", k.Bytes, k.Shape)
	}
	if k := &kernels[3]; k.Shape == nil || *k.Shape != weight {
		t.Errorf("the gradient, of the weight alone, is %+v", k.Shape)
	}
}

// FuzzOperators reads traces in which operators stand for kernels.
func FuzzOperators(f *testing.F) {
	f.Add([]byte(minimal["cpu-only"]))
	f.Fuzz(func(t *testing.T, doc []byte) {
		check(t, doc)
		tr, err := Read(bytes.NewReader(doc), nil)
		if err != nil {
			return
		}
		list, err := tr.Recordings("fuzzed")
		if err != nil {
			return
		}
		for i := range list {
			if w, rep, err := list[i].Fold(recording.Choices{GPU: "rtx-4090"}); err == nil && (len(w.Kernels) == 0 || rep.Least > rep.Most) {
				t.Errorf("%d kernels, %v to %v", len(w.Kernels), rep.Least, rep.Most)
			}
		}
	})
}
