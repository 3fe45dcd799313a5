package traces

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"spillway/sim/kerneltime"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
	"spillway/traces/torch"
	"spillway/traces/zoo"
)

// A recorder writes a workload as PyTorch would have recorded a job that runs it:
// an ExecutionTrace, and a trace of the profiler.
type recorder struct {
	w          *workload.Workload
	et, kineto bytes.Buffer
	id         int       // of the last node
	now        unit.Time // on the device
	event      int64     // µs on the host
	kernels    int
	storages   []int // of tensors that are alive, by TensorID; 0 for none
	free       []int // storages that are to be used again
	next       int
	uses       []int // of tensors, left in the step
	main       int   // the main thread's node
	autograd   int   // that of the other thread
	only       int   // the step that the ExecutionTrace has, -1 for all
	silent     bool  // no nodes are written
}

const iterations = 3

// record writes both files; the ExecutionTrace of one step only if that is 0 or more,
// and then without numbers of record functions.
func record(w *workload.Workload, only int) (et, kineto []byte) {
	r := &recorder{w: w, storages: make([]int, len(w.Tensors)), now: unit.Second, only: only}
	r.et.WriteString(`{"schema": "1.1.1-chakra.0.0.4", "pid": 77, "nodes": [`)
	r.kineto.WriteString(`{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Zoo", "totalGlobalMem": 42949672960}], "traceEvents": [`)
	root := r.node("[pytorch|profiler|execution_trace|process]", 1, 0, nil, nil)
	r.main = r.node("[pytorch|profiler|execution_trace|thread]", root, 1, nil, nil)
	r.autograd = r.node("[pytorch|profiler|execution_trace|thread]", root, 2, nil, nil)
	for s := range iterations {
		r.silent = only >= 0 && s != only
		r.step(s)
	}
	fmt.Fprint(&r.et, "]}\n")
	fmt.Fprint(&r.kineto, "]}\n")
	return r.et.Bytes(), r.kineto.Bytes()
}

// node writes a node and returns its id, which is also its record function's.
func (r *recorder) node(name string, parent, thread int, in, out []string) int {
	r.id++
	if r.silent {
		return r.id
	}
	if r.id > 1 {
		r.et.WriteString(",\n")
	}
	number := r.id
	if r.only >= 0 {
		number = 0
	}
	fmt.Fprintf(&r.et, `{"id": %d, "name": %q, "ctrl_deps": %d, "inputs": {"values": [%s], "shapes": [], "types": []}, "outputs": {"values": [%s], "shapes": [], "types": []}, `+
		`"attrs": [{"name": "rf_id", "type": "uint64", "value": %d}, {"name": "tid", "type": "uint64", "value": %d}, {"name": "op_schema", "type": "string", "value": ""}]}`,
		r.id, name, parent, strings.Join(in, ","), strings.Join(out, ","), number, thread)
	return r.id
}

// span writes the profiler's event of a node.
func (r *recorder) span(category, name string, thread int, from, to int64, id int) {
	if r.kineto.Len() > 200 {
		r.kineto.WriteString(",\n")
	}
	if r.only >= 0 {
		id = 0
	}
	fmt.Fprintf(&r.kineto, `{"ph": "X", "cat": %q, "name": %q, "pid": 77, "tid": %d, "ts": %d, "dur": %d, "args": {"External id": %d, "Record function id": %d}}`,
		category, name, 700+thread, from, to-from, id, id)
}

// step writes one iteration.
func (r *recorder) step(s int) {
	w := r.w
	r.uses = make([]int, len(w.Tensors))
	for k := range w.Kernels {
		for _, t := range w.WorkingSet(nil, workload.KernelID(k)) {
			r.uses[t]++
		}
	}
	begin := r.event
	name := fmt.Sprintf("ProfilerStep#%d", s)
	step := r.node(name, r.main, 1, nil, nil)
	r.batch(step)
	optimizer, began := 0, int64(0)
	for k := range w.Kernels {
		parent, thread := step, 1
		switch {
		case isOptimizer(w, k):
			if optimizer == 0 {
				optimizer, began = r.node("Optimizer.step#Adam.step", step, 1, nil, nil), r.event
			}
			parent = optimizer
		case strings.Contains(w.Kernels[k].Name, "_Backward"):
			parent, thread = r.autograd, 2
		}
		r.kernel(k, parent, thread)
	}
	r.span("user_annotation", "Optimizer.step#Adam.step", 1, began, r.event, optimizer)
	r.event += 10
	r.span("user_annotation", name, 1, begin, r.event, step)
	r.event += 10
}

// isOptimizer reports whether a kernel updates a weight.
func isOptimizer(w *workload.Workload, k int) bool {
	return strings.HasSuffix(w.Kernels[k].Name, "_Step")
}

// batch writes copies of the data that no kernel loads. They are copied before the
// step's kernels run, and their copies are not recorded.
func (r *recorder) batch(step int) {
	loaded := make([]bool, len(r.w.Tensors))
	for k := range r.w.Kernels {
		for _, t := range r.w.Kernels[k].Outputs {
			loaded[t] = true
		}
	}
	for t := range r.w.Tensors {
		if x := &r.w.Tensors[t]; x.Kind == workload.Input && !loaded[t] {
			r.node("aten::_to_copy", step, 1, []string{host}, []string{r.tensor(workload.TensorID(t))})
		}
	}
}

// host is a tensor in the host's memory.
const host = `[999999, 999999, 0, 1, 4, "cpu"]`

// tensor writes a tensor, in a storage that may have been another's before.
func (r *recorder) tensor(t workload.TensorID) string {
	if r.storages[t] == 0 {
		if n := len(r.free); n > 0 && !r.w.Tensors[t].Global {
			r.storages[t], r.free = r.free[n-1], r.free[:n-1]
		} else {
			r.next++
			r.storages[t] = r.next
		}
	}
	return fmt.Sprintf(`[%d, %d, 0, %d, 1, "cuda:0"]`, 10_000_000+int(t), r.storages[t], r.w.Tensors[t].Bytes)
}

// kernel writes an operator, its launch and what it launched.
func (r *recorder) kernel(k, parent, thread int) {
	x := &r.w.Kernels[k]
	var in, out []string
	name := "zoo::" + x.Name
	for _, t := range x.Inputs {
		in = append(in, r.tensor(t))
	}
	for _, t := range x.Outputs {
		out = append(out, r.tensor(t))
		if r.w.Tensors[t].Kind == workload.Input {
			name, in = "aten::_to_copy", append(in, host)
		}
	}
	id := r.node(name, parent, thread, in, out)
	for _, t := range r.w.WorkingSet(nil, workload.KernelID(k)) {
		if r.uses[t]--; r.uses[t] == 0 && !r.w.Tensors[t].Global {
			r.free = append(r.free, r.storages[t])
			r.storages[t] = 0
		}
	}
	r.kernels++
	r.span("cpu_op", name, thread, r.event, r.event+3, id)
	fmt.Fprintf(&r.kineto, `,
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": %d, "ts": %d, "dur": 1, "args": {"External id": %d, "correlation": %d}},
{"ph": "X", "cat": "kernel", "name": %q, "pid": 0, "tid": 7, "ts": %s, "dur": %s, "args": {"External id": %d, "device": 0, "stream": 7, "correlation": %d}}`,
		700+thread, r.event+1, id, r.kernels, x.Name, micros(r.now), micros(x.Time), id, r.kernels)
	r.event += 4
	r.now += x.Time + unit.Microsecond
}

// micros writes a time as the profiler does, but to the picosecond.
func micros(t unit.Time) string {
	return fmt.Sprintf("%d.%06d", t/unit.Microsecond, t%unit.Microsecond)
}

// A life is all of a tensor but its name and number.
type life struct {
	bytes  unit.Bytes
	kind   workload.Kind
	global bool
	uses   string // by kernel
}

// lives lists the tensors of a workload.
func lives(w *workload.Workload) []life {
	uses := make([]strings.Builder, len(w.Tensors))
	for k := range w.Kernels {
		for _, t := range w.Kernels[k].Inputs {
			fmt.Fprintf(&uses[t], " r%d", k)
		}
		for _, t := range w.Kernels[k].Outputs {
			fmt.Fprintf(&uses[t], " w%d", k)
		}
	}
	list := make([]life, len(w.Tensors))
	for t := range w.Tensors {
		x := &w.Tensors[t]
		list[t] = life{x.Bytes, x.Kind, x.Global, uses[t].String()}
	}
	slices.SortFunc(list, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.uses, b.uses), cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.kind, b.kind))
	})
	return list
}

// expected is a workload as an import can know it:
//   - gradients of activations are intermediate results, as nothing in a recording
//     tells them from others; those of weights are seen by the optimizer,
//   - a weight that is read once and never updated looks like a part of the batch,
//   - what is written last is also read then, as it lives that long for a reason,
//   - names, the order of arguments and what no kernel uses are not in a recording.
func expected(w *workload.Workload) *workload.Workload {
	e := *w
	e.Tensors = slices.Clone(w.Tensors)
	e.Kernels = slices.Clone(w.Kernels)
	last, count := make([]int, len(w.Tensors)), make([]int, len(w.Tensors))
	weights, written := make([]bool, len(w.Tensors)), make([]bool, len(w.Tensors))
	for k := range w.Kernels {
		for _, t := range w.Kernels[k].Outputs {
			written[t] = true
		}
		for _, t := range w.WorkingSet(nil, workload.KernelID(k)) {
			last[t] = k
			count[t]++
			weights[t] = weights[t] || isOptimizer(w, k)
		}
	}
	for t := range e.Tensors {
		x := &e.Tensors[t]
		if x.Kind == workload.Gradient && !weights[t] {
			x.Kind = workload.Intermediate
		}
		if x.Kind == workload.Weight && count[t] == 1 && !weights[t] && !written[t] {
			x.Kind = workload.Input
		}
		k := &e.Kernels[last[t]]
		id := workload.TensorID(t)
		if !x.Global && count[t] > 1 && !slices.Contains(k.Inputs, id) {
			k.Inputs = append(slices.Clone(k.Inputs), id)
		}
	}
	return &e
}

// TestRoundTrip: a network of the zoo, recorded and imported again, is the same.
func TestRoundTrip(t *testing.T) {
	for _, model := range []string{"resnet-50", "bert-base"} {
		if testing.Short() && model != "resnet-50" {
			continue
		}
		adam, err := zoo.FindOptimizer("adam")
		if err != nil {
			t.Fatal(err)
		}
		w, err := zoo.BuildFor(model, 2, zoo.ByLaw(kerneltime.Find("a100-40"), kerneltime.TF32), adam)
		if err != nil {
			t.Fatal(err)
		}
		et, kineto := record(w, -1)
		recs, notes, err := torch.Open(pair(et, kineto), nil)
		if err != nil || len(recs) != 1 || len(notes) > 0 {
			t.Fatalf("%s: %d recordings, %q, %v", model, len(recs), notes, err)
		}
		rec := recs[0]
		if rec.Label != recording.L2 || len(rec.Steps) != iterations {
			t.Errorf("%s: label %s, %d steps; want L2, %d", model, rec.Label, len(rec.Steps), iterations)
		}
		for _, s := range rec.Steps {
			got, report, err := rec.Fold(recording.Choices{Step: s.Name})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, model+", "+s.Name, got, expected(w))
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
			if report.Covered != report.Summed || report.Dropped+report.Merged > 0 {
				t.Errorf("%s, %s: %v of %v covered, %d kernels dropped, %d merged", model, s.Name, report.Covered, report.Summed, report.Dropped, report.Merged)
			}
		}
	}
}

// pair is two files.
func pair(et, kineto []byte) (files []torch.File) {
	for i, data := range [][]byte{et, kineto} {
		files = append(files, torch.File{
			Name: [2]string{"et.json", "trace.json"}[i], Size: int64(len(data)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		})
	}
	return files
}

// TestOneStep: an ExecutionTrace of one step finds it among the profiler's, by the
// order of operators.
func TestOneStep(t *testing.T) {
	adam, err := zoo.FindOptimizer("adam")
	if err != nil {
		t.Fatal(err)
	}
	w, err := zoo.BuildFor("resnet-50", 2, zoo.ByLaw(kerneltime.Find("a100-40"), kerneltime.TF32), adam)
	if err != nil {
		t.Fatal(err)
	}
	recs, notes, err := torch.Open(pair(record(w, 1)), nil)
	if err != nil || len(recs) != 1 || len(notes) > 0 {
		t.Fatalf("%d recordings, %q, %v", len(recs), notes, err)
	}
	r := recs[0]
	want := "2 steps of the profiler's trace are not in the ExecutionTrace and were left out (ProfilerStep#0, ProfilerStep#2)."
	if len(r.Steps) != 1 || r.Steps[0].Name != "ProfilerStep#1" || !slices.Contains(r.Notes, want) {
		t.Errorf("%d steps, the first %s; notes %q, want %q", len(r.Steps), r.Steps[0].Name, r.Notes, want)
	}
	got, _, err := r.Fold(recording.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "one step", got, expected(w))
}

// TestLongerExecutionTrace: where the profiler recorded one step of three, that is
// found too.
func TestLongerExecutionTrace(t *testing.T) {
	adam, err := zoo.FindOptimizer("adam")
	if err != nil {
		t.Fatal(err)
	}
	w, err := zoo.BuildFor("resnet-50", 2, zoo.ByLaw(kerneltime.Find("a100-40"), kerneltime.TF32), adam)
	if err != nil {
		t.Fatal(err)
	}
	et, kineto := record(w, -1)
	// Without numbers of record functions, and only the second step.
	kineto = bytes.ReplaceAll(kineto, []byte("Record function id"), []byte("not known"))
	events := bytes.Split(kineto, []byte(",\n"))
	var kept [][]byte
	from, to := -1, -1
	for i, e := range events {
		if bytes.Contains(e, []byte("ProfilerStep#0")) {
			from = i + 1
		}
		if bytes.Contains(e, []byte("ProfilerStep#1")) {
			to = i + 1
		}
	}
	head, _, _ := bytes.Cut(events[0], []byte(`{"ph"`))
	kept = append(kept, append(slices.Clone(head), events[from]...))
	kept = append(kept, events[from+1:to]...)
	kineto = append(bytes.Join(kept, []byte(",\n")), "]}"...)
	recs, notes, err := torch.Open(pair(et, kineto), nil)
	if err != nil || len(recs) != 1 || len(notes) > 0 {
		t.Fatalf("%d recordings, %q, %v", len(recs), notes, err)
	}
	got, _, err := recs[0].Fold(recording.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, recs[0].Steps[0].Name, got, expected(w))
}

// compare fails where two workloads differ in more than names and numbering.
func compare(t *testing.T, name string, got, want *workload.Workload) {
	t.Helper()
	if len(got.Kernels) != len(want.Kernels) {
		t.Fatalf("%s: %d kernels, want %d", name, len(got.Kernels), len(want.Kernels))
	}
	for k := range got.Kernels {
		if g, w := got.Kernels[k].Time, want.Kernels[k].Time; g != w {
			t.Fatalf("%s: kernel %d (%s) takes %d ps, want %d", name, k, want.Kernels[k].Name, g, w)
		}
	}
	a, b := lives(got), lives(want)
	wrong := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			if wrong++; wrong <= 5 {
				t.Errorf("%s: tensor %d is %+v, want %+v", name, i, a[i], b[i])
			}
		}
	}
	if len(a) != len(b) {
		t.Errorf("%s: %d tensors, want %d", name, len(a), len(b))
	}
}
