package kineto

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// TestHostile reads what is broken in one way each, and wants it said.
func TestHostile(t *testing.T) {
	for name, want := range map[string]string{
		"kineto-minimal-good":    "",
		"kineto-bad-backslash":   "Backslashes that escape nothing, taken as they are: 2.; Control characters in texts, taken as they are: 1.",
		"kineto-dup-correlation": "Kernels that share the number of their launch with others: 2.",
		"kineto-huge-dims":       "",
		"kineto-missing-bracket": "The file ends too early; what is there was read. Missing brackets: 2.",
		"kineto-nan-inf":         "Numbers that are NaN or Infinity, taken as missing: 2.; Events without a time, which were dropped: 1.; Events without a duration, taken as 0: 1.",
		"kineto-negative-dur":    "Negative durations, taken as 0: 1.",
		"kineto-string-dur":      "",
		"kineto-trailing-comma":  "Commas too many, which were ignored: 1.",
		"kineto-truncated":       "The file ends too early; what is there was read. Missing brackets: 4.",
		"kineto-two-devices":     "",
	} {
		tr, err := Read(bytes.NewReader(artifact.Sample(t, "hostile/"+name+".json")), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(tr.Notes, "; "); got != want {
			t.Errorf("%s: %s", name, got)
		}
		list, err := tr.Recordings(name)
		switch name {
		case "kineto-truncated":
			if err == nil || err.Error() != "kineto-truncated ends too early, before any work of a GPU: 1 operators and 1 launches are there. Record or copy it again" {
				t.Errorf("%s: %v", name, err)
			}
		case "kineto-two-devices":
			if len(list) != 2 || list[0].Name != name+", GPU 0" || list[1].Device.ID != 1 {
				t.Errorf("%s: %v", name, list)
			}
		case "kineto-string-dur":
			if k := list[0].Steps[0].Kernels[0]; k.Time != 5*unit.Microsecond {
				t.Errorf("%s: %v", name, k.Time)
			}
		case "kineto-huge-dims":
			if list[0].Label != recording.T {
				t.Errorf("%s: %s", name, list[0].Label)
			}
		default:
			if len(list) != 1 || len(list[0].Steps) != 1 {
				t.Errorf("%s: %v, %v", name, list, err)
			}
		}
	}
}

// An author writes traces for tests.
type author struct{ events []string }

func (a *author) add(format string, args ...any) {
	a.events = append(a.events, fmt.Sprintf(format, args...))
}

func (a *author) op(name string, ts, dur float64, args string) {
	a.add(`{"ph":"X","cat":"cpu_op","name":%q,"pid":1,"tid":1,"ts":%g,"dur":%g,"args":{%s}}`, name, ts, dur, args)
}

func (a *author) mark(name string, ts, dur float64) {
	a.add(`{"ph":"X","cat":"user_annotation","name":%q,"pid":1,"tid":1,"ts":%g,"dur":%g}`, name, ts, dur)
}

// kernel writes a launch and the kernel, which runs 100 µs later.
func (a *author) kernel(name string, id int, ts float64) {
	a.add(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%g,"dur":1,"args":{"correlation":%d}}`, ts, id)
	a.add(`{"ph":"X","cat":"kernel","name":%q,"pid":0,"tid":7,"ts":%g,"dur":2,"args":{"device":0,"stream":7,"correlation":%d}}`, name, ts+100, id)
}

func (a *author) memory(ts float64, address, size, total int64) {
	a.add(`{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":%g,"args":{"Addr":%d,"Bytes":%d,"Total Allocated":%d,"Device Type":1,"Device Id":0}}`, ts, address, size, total)
}

func (a *author) text() string {
	return `{"schemaVersion":1,"traceEvents":[` + strings.Join(a.events, ",\n") + `]}`
}

func (a *author) read(t *testing.T) (*Trace, Recorded) {
	t.Helper()
	tr, err := Read(strings.NewReader(a.text()), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tr.Recordings("x.json")
	if err != nil {
		t.Fatal(err)
	}
	return tr, list[0]
}

// TestCutByOptimizer cuts where no step has a name.
func TestCutByOptimizer(t *testing.T) {
	a := &author{}
	for i := range 4 {
		at := float64(i) * 1000
		for k := range 3 {
			a.kernel(fmt.Sprint("k", k), i*10+k+1, at+float64(k)*10)
		}
		a.mark("Optimizer.step#SGD.step", at+500, 100)
	}
	a.kernel("rest", 99, 3900)
	_, r := a.read(t)
	var got []string
	for _, s := range r.Steps {
		got = append(got, fmt.Sprintf("%s %t %d", s.Name, s.Complete, len(s.Kernels)))
	}
	want := []string{"iteration 1 false 3", "iteration 2 true 3", "iteration 3 true 3", "iteration 4 true 3", "iteration 5 false 1"}
	if !slices.Equal(got, want) || r.Chosen != 2 {
		t.Errorf("%q, chosen %d", got, r.Chosen)
	}
}

// TestCutByNames cuts where only the kernels' names repeat.
func TestCutByNames(t *testing.T) {
	a := &author{}
	for i := range 5 {
		for k := range 30 {
			at := float64(i*1000 + k*20)
			a.op("aten::op", at, 10, "")
			a.kernel(fmt.Sprint("k", k%29), i*100+k+1, at+1)
		}
	}
	_, r := a.read(t)
	if len(r.Steps) != 5 || len(r.Steps[2].Kernels) != 30 || r.Chosen != 2 || !r.Steps[4].Complete {
		t.Errorf("%d steps, chosen %d, %q", len(r.Steps), r.Chosen, r.Notes)
	}
	// The same inside one module is layers, not iterations.
	a.mark("forward", 0, 10_000)
	if _, r := a.read(t); len(r.Steps) != 1 || r.Steps[0].Name != "whole file" {
		t.Errorf("%d steps inside one annotation", len(r.Steps))
	}
}

// TestOverlappingSteps gives work to the step that began last.
func TestOverlappingSteps(t *testing.T) {
	a := &author{}
	a.mark("ProfilerStep#1", 0, 1000)
	a.mark("ProfilerStep#2", 500, 1000)
	a.mark("ProfilerStep#2", 600, 100)
	a.kernel("a", 1, 10)
	a.kernel("b", 2, 550)
	a.kernel("c", 3, 650)
	a.kernel("d", 4, 800)
	a.kernel("e", 5, 5000)
	_, r := a.read(t)
	var got []string
	for _, s := range r.Steps {
		for _, k := range s.Kernels {
			got = append(got, s.Name+" "+k.Name)
		}
	}
	want := []string{"ProfilerStep#1 a", "ProfilerStep#2 b", "ProfilerStep#2 d", "ProfilerStep#2 (2) c"}
	if !slices.Equal(got, want) || len(r.Missing) != 1 || r.Missing[0].Kernels != 1 || !strings.Contains(strings.Join(r.Notes, ""), "overlap") {
		t.Errorf("%q, %v, %q", got, r.Missing, r.Notes)
	}
}

// TestMemory follows blocks that are freed or taken twice, and believes the counter.
func TestMemory(t *testing.T) {
	a := &author{}
	a.op("aten::a", 0, 10, "")
	a.memory(1, 4096, 512, 1512)
	a.kernel("a", 1, 5)
	a.memory(20, 4096, 1024, 2536)  // not freed before
	a.memory(30, 4096, -1024, 1512) // the first one's 512 are gone, says nobody
	a.memory(31, 4096, -1024, 488)  // freed twice
	a.memory(40, 8192, 2048, 9999)  // a contradiction
	a.kernel("b", 2, 50)
	tr, r := a.read(t)
	want := []string{
		"Blocks taken where another was not freed, which counts as freed then: 1.",
		"Memory events whose total contradicts their sizes, where the total was believed: 1.",
		"Blocks freed that were not taken in the recording, so that they were there before: 1.",
	}
	if !slices.Equal(tr.Notes, want) || r.Memory != (recording.Memory{Known: true, LevelBefore: 1000, Peak: 9999, Allocations: 3}) {
		t.Errorf("%q, %+v", tr.Notes, r.Memory)
	}
	if len(tr.Blocks) != 3 || tr.Blocks[0].Op != 0 || tr.Blocks[0].Free != 20*unit.Microsecond || tr.Blocks[2].Free != -1 {
		t.Errorf("%+v", tr.Blocks)
	}
}

// TestHugeMemory does not believe what no device has.
func TestHugeMemory(t *testing.T) {
	a := &author{}
	a.op("aten::a", 0, 10, "")
	a.memory(1, 4096, 512, 512)
	a.memory(2, 8192, 512, 1<<63-1)
	a.memory(3, 16384, 1<<62, 1<<62)
	a.kernel("a", 1, 5)
	tr, r := a.read(t)
	want := []string{"Memory events of sizes or totals that no device has, which were not believed: 2."}
	if !slices.Equal(tr.Notes, want) || r.Memory != (recording.Memory{Known: true, Peak: 1024, Allocations: 2}) {
		t.Errorf("%q, %+v", tr.Notes, r.Memory)
	}
}

// TestLives follows the blocks of two operators of a training step.
func TestLives(t *testing.T) {
	const shapes = `"Input Dims":[[16,32],[32,32]],"Input type":["float","float"]`
	a := &author{}
	a.mark("ProfilerStep#1", 0, 1000)
	a.op("aten::mm", 10, 50, shapes)
	a.op("aten::empty", 12, 3, "")
	a.memory(13, 4096, 2048, 10240) // the product
	a.memory(15, 8192, 512, 10752)  // scratch
	a.kernel("gemm", 1, 20)
	a.memory(40, 8192, -512, 10240)
	a.op("aten::relu", 100, 50, `"Input Dims":[[16,32]],"Input type":["float"]`)
	a.memory(101, 12288, 2048, 12288)
	a.kernel("relu", 2, 120)
	a.kernel("late", 3, 190)
	a.memory(200, 4096, -2048, 10240)
	_, r := a.read(t)
	var got []string
	for _, x := range r.Steps[0].Tensors {
		got = append(got, fmt.Sprintf("%s %v %d %v", x.Name, x.Kind, x.Bytes, x.Uses))
	}
	want := []string{
		"aten::mm 0 intermediate 2048 [{0 false true} {1 true false} {2 true false}]",
		"aten::mm 1 workspace 512 [{0 false true}]",
		"aten::relu 2 intermediate 2048 [{1 false true} {2 true false}]",
	}
	if !slices.Equal(got, want) || r.Label != recording.L1m || r.Steps[0].Resident != 8192 {
		t.Errorf("%q\n%s, %v resident", got, r.Label, r.Steps[0].Resident)
	}
}

// TestOptimizerKeeps takes memory that the optimizer takes and keeps for its state.
func TestOptimizerKeeps(t *testing.T) {
	a := &author{}
	a.mark("ProfilerStep#1", 0, 1000)
	a.op("autograd::engine::evaluate_function: MmBackward0", 100, 50, "")
	a.op("aten::mm", 101, 40, "")
	a.memory(102, 4096, 2048, 2048)
	a.kernel("gemm", 1, 120)
	a.mark("Optimizer.step#Adam.step", 500, 100)
	a.op("aten::zeros_like", 510, 10, "")
	a.memory(511, 8192, 1024, 3072)
	a.kernel("fill", 2, 515)
	a.op("aten::mul", 530, 10, "")
	a.memory(531, 12288, 512, 3584)
	a.kernel("mul", 3, 532)
	a.memory(539, 12288, -512, 3072)
	_, r := a.read(t)
	var got []workload.Kind
	for _, x := range r.Steps[0].Tensors {
		got = append(got, x.Kind)
	}
	if want := []workload.Kind{workload.Gradient, workload.Optimizer, workload.Workspace}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// TestNothing refuses what has nothing to simulate, and says what to record.
func TestNothing(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{`{"traceEvents":[]}`, "x has neither operators nor work of a GPU, as a trace of another program than PyTorch's profiler: record with torch.profiler, or with Spillway's capture.py"},
		{`[]`, "x has neither operators nor work of a GPU, as a trace of another program than PyTorch's profiler: record with torch.profiler, or with Spillway's capture.py"},
		{`{"traceEvents": [ {"name": `, "x ends too early, before any operator or work of a GPU. Record or copy it again"},
		{`{"a":1}`, `this is no PyTorch trace: want an object with "traceEvents", or a list of events`},
		{`"x"`, `this is no PyTorch trace: want an object with "traceEvents", or a list of events`},
		{``, "this is no whole PyTorch trace: line 1 (byte 0): want a value, found the end of the file"},
		{"{\"traceEvents\":[\n{\"ph\" \"X\"}]}", "this is no whole PyTorch trace: line 2 (byte 23): want ':' after the name, found '\"'"},
		{"{\"traceEvents\":[{}]}\nmore", "this is no whole PyTorch trace: line 2 (byte 21): want nothing after the end of the document, found 'm'"},
	} {
		tr, err := Read(strings.NewReader(tt.doc), nil)
		if err == nil {
			_, err = tr.Recordings("x")
		}
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.doc, err)
		}
	}
	a := &author{}
	a.add(`{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7,"correlation":1,"bytes":5}}`)
	if _, r := a.read(t); r.Label != recording.T || r.Steps[0].Kernels[0].Kind != recording.HostToDevice {
		t.Errorf("only a copy: %s", r.Label)
	}
}

// TestPrivate puts secrets wherever people and their tools put them: none is kept.
func TestPrivate(t *testing.T) {
	a := &author{}
	a.add(`{"ph":"X","cat":"python_function","name":"/SECRET/train.py(12): forward","pid":1,"tid":1,"ts":1,"dur":2,"args":{"Call stack":"SECRET"}}`)
	a.add(`{"ph":"M","name":"process_name","pid":1,"tid":1,"ts":1,"args":{"name":"SECRET"}}`)
	a.op("aten::mm", 0, 50, `"Input Dims":[[4,4]],"Input type":["float"],"Concrete Inputs":["SECRET"],"Call stack":"SECRET","user":{"token":["SECRET"]}`)
	a.kernel("gemm", 1, 10)
	doc := `{"hostname":"SECRET","env":{"TOKEN":"SECRET","x":["SECRET"]},` + a.text()[1:]
	for _, src := range []string{doc, strings.Replace(doc, `"ph":"X"`, `"ph":"X","ph":"X",`, 1)} {
		for _, tolerant := range []bool{false, true} {
			rd := newReading(strings.NewReader(src), nil)
			rd.tolerant = tolerant
			tr, err := rd.read()
			if err != nil {
				continue // what is not JSON
			}
			list, err := tr.Recordings("x")
			if err != nil || strings.Contains(fmt.Sprintf("%+v %+v %+v", tr, *list[0].Recording, rd.names.texts), "SECRET") {
				t.Errorf("it is kept: %v", err)
			}
		}
	}
}

// TestSniff recognises traces by their keys.
func TestSniff(t *testing.T) {
	secret := `{"env":{` + strings.Repeat(`"A":"b, { [ \" x",`, 2000) + `"B":1},`
	for head, want := range map[string]bool{
		`{"schemaVersion":1,"traceEvents":[`: true,
		secret + `"traceEvents": [ {"ph"`:    true,
		secret:                               false,
		`[{"name":"x","ph":"X","ts":1`:       true,
		` [ {"name":"x"}]`:                   false,
		`{"schema":"1.0.1","nodes":[`:        false,
		`{"a":{"traceEvents":[]}}`:           false,
		`{"traceEvents":1}`:                  false,
		"":                                   false,
		"PK\x03\x04":                         false,
		`[[1,2,3,4]]`:                        false,
	} {
		if got := Sniff([]byte(head)); got != want {
			t.Errorf("%.40q: %t", head, got)
		}
	}
}

// TestPieces reads through readers that yield a byte at a time, and tells how far it
// is about every MiB.
func TestPieces(t *testing.T) {
	doc := generated(1<<20, true)
	want, err := Read(bytes.NewReader(doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(iotest.OneByteReader(bytes.NewReader(doc[:200_000])), nil); err != nil || len(got.Ops) == 0 {
		t.Error(err)
	}
	if got, err := Read(iotest.DataErrReader(bytes.NewReader(doc)), nil); err != nil || len(got.Ops) != len(want.Ops) || len(got.Kernels) != len(want.Kernels) {
		t.Errorf("%d operators, %d kernels, %v", len(got.Ops), len(got.Kernels), err)
	}
	calls, last := 0, int64(0)
	big := generated(10<<20, false)
	if _, err := Read(bytes.NewReader(big), func(n int64) { calls++; last = n }); err != nil || calls < 8 || calls > 12 || last != int64(len(big)) {
		t.Errorf("told %d times, at last %d of %d, %v", calls, last, len(big), err)
	}
}

// TestGenerated checks what the benchmarks read.
func TestGenerated(t *testing.T) {
	tr, err := Read(bytes.NewReader(generated(4<<20, true)), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tr.Recordings("x")
	if err != nil {
		t.Fatal(err)
	}
	r := list[0]
	s := &r.Steps[r.Chosen]
	if len(r.Steps) < 3 || len(s.Kernels) != 200 || len(s.Tensors) < 200 || r.Label != recording.L1m || len(tr.Notes) > 1 {
		t.Errorf("%d steps, %d kernels, %d tensors, %s, %q", len(r.Steps), len(s.Kernels), len(s.Tensors), r.Label, tr.Notes)
	}
}

// TestManySteps keeps the steps around the middle one where there are very many, and
// accounts for the others.
func TestManySteps(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"traceEvents":[`)
	const steps, each = 300, 500
	for s := range steps {
		fmt.Fprintf(&b, `{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":1,"tid":1,"ts":%d,"dur":9000},`, s, s*10_000)
		for k := range each {
			fmt.Fprintf(&b, `{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%d,"dur":1,"args":{"correlation":%d}},{"ph":"X","cat":"kernel","name":"k","ts":%d,"dur":1,"args":{"device":0,"correlation":%d}},`,
				s*10_000+k, s*each+k, s*10_000+k+5, s*each+k)
		}
	}
	b.WriteString("{}]}")
	tr, err := Read(strings.NewReader(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tr.Recordings("x")
	if err != nil {
		t.Fatal(err)
	}
	r := list[0]
	if len(r.Steps) != 200 || r.Steps[r.Chosen].Name != "ProfilerStep#150" || len(r.Missing) != 1 || r.Missing[0].Kernels != 100*each {
		t.Errorf("%d steps, chosen %s, missing %+v", len(r.Steps), r.Steps[r.Chosen].Name, r.Missing)
	}
}

// TestExtremes puts the largest and smallest numbers everywhere.
func TestExtremes(t *testing.T) {
	for _, n := range []string{"9223372036854775807", "-9223372036854775808", "999999999999999999", "2147483647", "4294967295", "-1", "1e18", "0"} {
		a := &author{}
		args := fmt.Sprintf(`"External id":%[1]s,"Sequence number":%[1]s,"Record function id":%[1]s,"Input Dims":[[%[1]s,4],[4,4],[4]],"Input type":["float","float","float"],"Input Strides":[[%[1]s,1],[%[1]s,1],[1]]`, n)
		a.op("autograd::engine::evaluate_function: MmBackward0", 0, 50, args)
		a.op("aten::mm", 1, 40, args)
		a.kernel("x", 1, 10)
		a.op("aten::linear", 60, 40, args)
		a.kernel("x", 2, 70)
		a.add(`{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":%[1]s,"tid":%[1]s,"ts":62,"args":{"Addr":%[1]s,"Bytes":%[1]s,"Total Allocated":%[1]s,"Device Type":1,"Device Id":%[1]s}}`, n)
		a.memory(63, 4096, 512, 1024)
		a.add(`{"ph":"X","cat":"kernel","name":"y","pid":%[1]s,"tid":%[1]s,"ts":%[1]s,"dur":%[1]s,"args":{"device":%[1]s,"stream":%[1]s,"correlation":%[1]s,"External id":%[1]s}}`, n)
		check(t, []byte(a.text()))
		check(t, []byte(strings.ReplaceAll(a.text(), `"ts":60`, `"ts":`+n)))
	}
}

// TestMTIA: traces of Meta's accelerators are refused as such.
func TestMTIA(t *testing.T) {
	a := &author{}
	a.op("aten::mm", 0, 10, "")
	a.add(`{"ph":"X","cat":"mtia_runtime","name":"launch","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}}`)
	a.add(`{"ph":"X","cat":"mtia_ccp_events","name":"fc","pid":0,"tid":7,"ts":2,"dur":2,"args":{"device":0,"correlation":1}}`)
	tr, err := Read(strings.NewReader(a.text()), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tr.Recordings("x.json")
	if want := "x.json was recorded on an MTIA accelerator (2 events), whose kernels are not read: record on a GPU with CUDA or ROCm"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
