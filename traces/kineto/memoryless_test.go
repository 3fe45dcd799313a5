package kineto

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// folded reads a trace and folds its first recording.
func folded(t *testing.T, data []byte) (*recording.Report, *recording.Recording, *workload.Workload) {
	t.Helper()
	tr, err := Read(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tr.Recordings("sample")
	if err != nil {
		t.Fatal(err)
	}
	w, rep, err := list[0].Fold(recording.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	return rep, list[0].Recording, w
}

// TestWithoutMemoryEvents hides a file's own counter and compares what is rebuilt from shapes with
// it: it is inside the range that is said then. Events that have sizes only, as those of 2021,
// give the difference between two levels.
func TestWithoutMemoryEvents(t *testing.T) {
	for name, want := range map[string]float64{
		"h100-bert-small-infer-shapes-memory":     0.96,
		"mi300-bert-small-infer-shapes-memory":    0.67, // MIOpen's workspace of 46 MiB has no shape
		"mi300-normalization-train-shapes-memory": 0.98,
	} {
		data := artifact.Sample(t, "kineto/"+name+".json.gz")
		whole, _, _ := folded(t, data)
		hidden, r, _ := folded(t, bytes.ReplaceAll(data, []byte(`"[memory]"`), []byte(`"[hidden]"`)))
		if got := float64(hidden.Rebuilt) / float64(whole.Counter); r.Label != recording.L1 || got < want-0.01 || got > want+0.01 {
			t.Errorf("%s: label %s, %v rebuilt, %v counted: %.3f; want %.2f", name, r.Label, hidden.Rebuilt, whole.Counter, got, want)
		}
		if hidden.Least > whole.Counter || hidden.Most < whole.Counter {
			t.Errorf("%s: %v counted, not in %v to %v", name, whole.Counter, hidden.Least, hidden.Most)
		}

		sized := bytes.ReplaceAll(data, []byte(`"Addr"`), []byte(`"Where"`))
		sized = bytes.ReplaceAll(sized, []byte(`"Total Allocated"`), []byte(`"Total Hidden"`))
		rep, r, _ := folded(t, sized)
		before, after := whole.Counter-r.Memory.LevelBefore, rep.Counter
		if r.Label != recording.L1 || !r.Memory.Known || !r.Memory.AtLeast || after == 0 {
			t.Errorf("%s with sizes only: label %s, %+v, %v of %v", name, r.Label, r.Memory, after, before)
		}
	}
}

// TestBackwardOf2021: a backward operator is known by its name or its number of a forward thread
// where nothing of the engine stands around it.
func TestBackwardOf2021(t *testing.T) {
	data := artifact.Sample(t, "kineto/mi300-normalization-train-shapes-memory.json.gz")
	data = bytes.ReplaceAll(data, []byte(`"[memory]"`), []byte(`"[hidden]"`))
	want, _, _ := folded(t, data)
	bare := bytes.ReplaceAll(data, []byte("autograd::engine::"), []byte("outermost "))
	for what, data := range map[string][]byte{
		"by names":   bytes.ReplaceAll(bare, []byte(`"Fwd thread id"`), []byte(`"Some thread id"`)),
		"by threads": bytes.ReplaceAll(bytes.ReplaceAll(bare, []byte(`Backward0"`), []byte(`Grad"`)), []byte(`Backward"`), []byte(`Grad"`)),
	} {
		if got, _, _ := folded(t, data); got.Rebuilt != want.Rebuilt || got.Roles != want.Roles {
			t.Errorf("%s: %v, roles %v; want %v, %v", what, got.Rebuilt, got.Roles, want.Rebuilt, want.Roles)
		}
	}
}

// TestTables: the tables of FBGEMM's embeddings, and what their optimizer keeps of them, are there
// before the step and stay; gradients are those of weights.
func TestTables(t *testing.T) {
	alone, _, _ := folded(t, artifact.Sample(t, "et-kineto-pair/dlrm-rank0-kineto.json.gz"))
	weights, gradients := alone.Roles[workload.Weight], alone.Roles[workload.Gradient]
	// The ExecutionTrace of the same run has 4.78 GiB of weights and buffers, and 2 485 252 bytes of gradients.
	if tables := 2 * 640649648 * unit.Bytes(4); weights.Bytes < tables || weights.Bytes > tables+8*unit.MiB {
		t.Errorf("weights %+v", weights)
	}
	if gradients.Bytes < 2485252 || gradients.Bytes > 2*2485252 {
		t.Errorf("gradients %+v", gradients)
	}
}

// TestKeptForLater: what autograd saves lives to the end of a step without backward, if a node of
// its graph was made of the operator; what it does not need does not.
func TestKeptForLater(t *testing.T) {
	const one = `"Input Dims":[[256,256]],"Input type":["float"]`
	lives := func(sequence bool) string {
		a := &author{}
		a.mark("ProfilerStep#1", 0, 1000)
		for i, name := range []string{"aten::gelu", "aten::relu", "aten::neg", "aten::clone", "aten::tanh"} {
			args := one
			if sequence {
				args += fmt.Sprintf(`,"Sequence number":%d`, 10+i)
			}
			a.op(name, float64(100*i+10), 50, args)
			a.kernel(name, i+1, float64(100*i+20))
		}
		_, r := a.read(t)
		var got []string
		for _, x := range r.Steps[0].Tensors {
			if x.Kind == workload.Intermediate {
				got = append(got, fmt.Sprintf("%s to %d", strings.Fields(x.Name)[0], x.Uses[len(x.Uses)-1].Kernel))
			}
		}
		return strings.Join(got, ", ")
	}
	// relu keeps its result; neg keeps its input, which is that of relu; the last operator's number is not known to be used up.
	if got, want := lives(true), "aten::gelu to 1, aten::relu to 4, aten::neg to 3, aten::clone to 4, aten::tanh to 4"; got != want {
		t.Errorf("with numbers: %s; want %s", got, want)
	}
	if got, want := lives(false), "aten::gelu to 1, aten::relu to 2, aten::neg to 3, aten::clone to 4, aten::tanh to 4"; got != want {
		t.Errorf("without: %s; want %s", got, want)
	}
}

// TestAccumulation: where several steps of the profiler accumulate gradients, iterations end with
// the optimizer; where there is but one such end, the step that has it is taken.
func TestAccumulation(t *testing.T) {
	written := func(steps int) Recorded {
		a := &author{}
		for i := range steps {
			at := float64(i) * 1000
			a.mark(fmt.Sprintf("ProfilerStep#%d", i+1), at, 900)
			a.op("aten::relu", at+10, 50, `"Input Dims":[[16,32]],"Input type":["float"]`)
			a.kernel("relu", 10*i+1, at+20)
			if i%4 == 3 {
				a.mark("Optimizer.step#SGD.step", at+500, 100)
				a.op("aten::add_", at+510, 50, `"Input Dims":[[16,32],[16,32]],"Input type":["float","float"]`)
				a.kernel("add", 10*i+2, at+520)
			}
		}
		_, r := a.read(t)
		return r
	}
	if r := written(12); len(r.Steps) != 3 || r.Steps[r.Chosen].Name != "iteration 3" || len(r.Steps[r.Chosen].Kernels) != 5 {
		t.Errorf("%d steps, chosen %d of %d kernels", len(r.Steps), r.Chosen, len(r.Steps[r.Chosen].Kernels))
	}
	r := written(6)
	if r.Steps[r.Chosen].Name != "ProfilerStep#4" || !strings.Contains(strings.Join(r.Notes, " "), "Of 6 steps 1 has a step of the optimizer; ProfilerStep#4 is taken.") {
		t.Errorf("%s chosen; %q", r.Steps[r.Chosen].Name, r.Notes)
	}
}

// TestAccumulationUnnamed: where no step has a name, what repeats before the only end of the
// optimizer is no iteration; where nothing names the optimizer, its kernels do.
func TestAccumulationUnnamed(t *testing.T) {
	const args = `"Input Dims":[[16,32]],"Input type":["float"]`
	a := &author{}
	for i := range 4 {
		for k := range 30 {
			at := float64(1000*i + 20*k)
			a.op("aten::relu", at, 10, args)
			a.kernel(fmt.Sprint("k", k), 100*i+k+1, at+1)
		}
	}
	a.mark("Optimizer.step#SGD.step", 3700, 100)
	a.op("aten::add_", 3710, 50, args)
	a.kernel("add", 999, 3720)
	if _, r := a.read(t); len(r.Steps) != 1 || len(r.Steps[0].Kernels) != 121 {
		t.Errorf("%d steps, %d kernels", len(r.Steps), len(r.Steps[r.Chosen].Kernels))
	}
	a = &author{}
	for i := range 4 {
		at := float64(1000 * i)
		a.mark(fmt.Sprintf("ProfilerStep#%d", i+1), at, 900)
		a.op("aten::relu", at+10, 50, args)
		a.kernel("relu", 10*i+1, at+20)
		if i == 3 {
			a.op("my::step", at+500, 50, args)
			a.kernel("multi_tensor_apply_kernel<AdamFunctor>", 10*i+2, at+510)
		}
	}
	if _, r := a.read(t); r.Steps[r.Chosen].Name != "ProfilerStep#4" {
		t.Errorf("%s is chosen", r.Steps[r.Chosen].Name)
	}
}

// TestTableIsWeight: a large tensor that one operator takes rows out of is a table, a batch is an
// input.
func TestTableIsWeight(t *testing.T) {
	for name, args := range map[string]string{
		"aten::index_select":   `"Input Dims":[[100000,64],[],[32]],"Input type":["float","Scalar","long int"]`,
		"aten::index":          `"Input Dims":[[100000,64],[[32]]],"Input type":["float","TensorList"]`,
		"aten::embedding":      `"Input Dims":[[100000,64],[32]],"Input type":["float","long int"]`,
		"aten::_embedding_bag": `"Input Dims":[[100000,64],[32],[8]],"Input type":["float","long int","long int"]`,
	} {
		a := &author{}
		a.mark("ProfilerStep#1", 0, 1000)
		a.op(name, 10, 50, args)
		a.kernel("lookup", 1, 20)
		a.op("aten::relu", 100, 50, `"Input Dims":[[4096,4096]],"Input type":["float"]`)
		a.kernel("relu", 2, 120)
		_, r := a.read(t)
		kinds := map[unit.Bytes]workload.Kind{}
		for _, x := range r.Steps[0].Tensors {
			if x.Uses[0].Read {
				kinds[x.Bytes] = x.Kind
			}
		}
		if kinds[25600000] != workload.Weight || kinds[64<<20] != workload.Input {
			t.Errorf("%s: %v", name, kinds)
		}
	}
}

// TestGradientsOfBefore: of events that have sizes only, gradients of the step before that go in
// this one are there before it, so the counter's peak has them, as that of the tensors has.
func TestGradientsOfBefore(t *testing.T) {
	const args = `"Input Dims":[[250,4]],"Input type":["float"]`
	a := &author{}
	memory := func(ts float64, address, size int) {
		a.add(`{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":%g,"args":{"Addr":%d,"Bytes":%d,"Device Type":1,"Device Id":0}}`, ts, address, size)
	}
	for i := range 2 {
		at := float64(1000 * i)
		a.mark(fmt.Sprintf("ProfilerStep#%d", i+1), at, 900)
		a.op("aten::relu", at+10, 50, args)
		memory(at+11, 4096, 2<<20)
		a.kernel("relu", 10*i+1, at+20)
		if i > 0 {
			memory(at+70, 1<<30, -1<<20)
		}
		a.op("autograd::engine::evaluate_function: ReluBackward0", at+100, 50, args)
		memory(at+110, 1<<30, 1<<20)
		a.kernel("backward", 10*i+2, at+120)
		memory(at+160, 4096, -2<<20)
	}
	tr, r := a.read(t)
	r.Chosen = 1
	_, rep, err := r.Fold(recording.Choices{})
	if err != nil || tr.totals || rep.Rebuilt != 3<<20 || rep.Counter != 3<<20 {
		t.Errorf("%v at once, the counter has %v: %v", rep.Rebuilt, rep.Counter, err)
	}
}

// TestPasses: a step that accumulates gradients over several passes has its weights once, which
// the counter has room for.
func TestPasses(t *testing.T) {
	a := &author{}
	a.add(`{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Addr":64,"Bytes":512,"Total Allocated":6291968,"Device Type":1,"Device Id":0}}`)
	a.mark("ProfilerStep#1", 10, 5000)
	for i := range 4 {
		for k, dims := range []string{"[[8,1024],[1024,1024]]", "[[8,1024],[512,1024]]"} {
			at := float64(1000*i + 100*k + 100)
			a.op("aten::linear", at, 50, fmt.Sprintf(`"Input Dims":%s,"Input type":["float","float"]`, dims))
			a.memory(at+1, int64(4096+1<<20*k), 32768>>k, 6291968+int64(32768+16384*k))
			a.kernel("gemm", 10*i+k+1, at+10)
		}
		a.memory(float64(1000*i+400), 4096, -32768, 6291968+16384)
		a.memory(float64(1000*i+401), 4096+1<<20, -16384, 6291968)
	}
	_, r := a.read(t)
	_, rep, err := r.Fold(recording.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Roles[workload.Weight].Bytes != 6<<20 || rep.Rebuilt != rep.Counter {
		t.Errorf("%v of weights; %v at once, the counter has %v", rep.Roles[workload.Weight], rep.Rebuilt, rep.Counter)
	}
}

// TestCapability: what NVIDIA says of a GPU is known, whatever the GPU's name; of other vendors the same words mean others.
func TestCapability(t *testing.T) {
	for own, want := range map[string]int64{
		`"regsPerMultiprocessor":65536,"sharedMemPerBlockOptin":101376,"sharedMemPerMultiprocessor":102400`: 92,
		`"maxSharedMemoryPerMultiProcessor":65536`:                                                          0, // ROCm's
	} {
		a := &author{}
		a.kernel("gemm", 1, 10)
		properties := fmt.Sprintf(`{"deviceProperties":[{"id":0,"name":"L20","computeMajor":8,"computeMinor":9,"warpSize":32,"numSms":92,%s}],`, own)
		tr, err := Read(strings.NewReader(properties+a.text()[1:]), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := tr.Devices[0]; d.SMs != want || (d.Major == 8) != (want > 0) || (d.Minor == 9) != (want > 0) {
			t.Errorf("%+v", d)
		}
	}
}

// TestCaptures: the making of a graph is no run.
func TestCaptures(t *testing.T) {
	a := &author{}
	a.op("aten::relu", 0, 500, `"Input Dims":[[16,32]],"Input type":["float"]`)
	a.add(`{"ph":"X","cat":"cuda_runtime","name":"cudaStreamBeginCapture","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":500}}`)
	for i := range 20 {
		a.add(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%d,"dur":1,"args":{"correlation":%d}}`, 10+i, 600+i)
	}
	a.kernel("relu", 1, 100)
	_, r := a.read(t)
	if r.Label != recording.T || !strings.Contains(strings.Join(r.Advice, " "), "This records the making of a graph, of which nothing ran: 21 launches, 1 kernel.") {
		t.Errorf("%s: %q", r.Label, r.Advice)
	}
}
