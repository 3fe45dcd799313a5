package chakra

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/build/artifact"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/protobuf"
	"spillway/traces/recording"
)

func TestSample(t *testing.T) {
	data := artifact.Sample(t, "chakra/resnet50-ddp-converted.et.gz")
	tr, err := Read(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum unit.Time
	zero := 0
	for i := range tr.Kernels {
		sum += tr.Kernels[i].Time
		if tr.Kernels[i].Time == 0 {
			zero++
		}
	}
	got := []int{tr.Nodes, len(tr.Kernels), int(sum / unit.Microsecond), tr.Storages, zero, tr.Unknown, tr.Forward}
	if want := []int{3664, 1216, 329543, 1031, 157, 210, 53}; !reflect.DeepEqual(got, want) {
		t.Errorf("nodes, kernels, µs, storages, of duration 0, unknown targets, forward: %d; want %d", got, want)
	}
	used := make([]bool, len(tr.Kernels))
	for i := range tr.Tensors {
		for _, u := range tr.Tensors[i].Uses {
			used[u.Kernel] = true
		}
	}
	for i, is := range used {
		if !is {
			t.Errorf("kernel %d (%s) has no tensors", i, tr.Kernels[i].Name)
		}
	}
	r := tr.Recording("x.et")
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	checkRoles(t, &r.Steps[0])
	again, err := Read(iotest.OneByteReader(bytes.NewReader(data)), nil)
	if err != nil || !reflect.DeepEqual(again, tr) || !reflect.DeepEqual(again.Recording("x.et"), r) {
		t.Errorf("read twice: %v", err)
	}
}

// checkRoles holds the sample's tensors to what the network has.
func checkRoles(t *testing.T, s *recording.Step) {
	t.Helper()
	var tensors [6]int
	var size [6]unit.Bytes
	var updated [2]unit.Bytes // of weights and optimizer state, by the optimizer
	change := make([]unit.Bytes, len(s.Kernels)+1)
	for _, x := range s.Tensors {
		tensors[x.Kind]++
		size[x.Kind] += x.Bytes
		last := x.Uses[len(x.Uses)-1]
		if last.Kernel >= 1207 && last.Write && x.Kind == workload.Weight {
			updated[0] += x.Bytes
		}
		if x.Kind == workload.Optimizer {
			updated[1] += x.Bytes
		}
		if !x.Global {
			change[x.Uses[0].Kernel] += x.Bytes
			change[last.Kernel+1] -= x.Bytes
		} else {
			change[0] += x.Bytes
		}
	}
	var level, peak unit.Bytes
	for _, c := range change {
		level += c
		peak = max(peak, level)
	}
	// ResNet-50 as in the execution traces: 161 weights of 102228128 bytes, as many
	// gradients and as much momentum.
	if tensors[workload.Gradient] != 161 || size[workload.Gradient] != 102228128 || tensors[workload.Optimizer] != 161 ||
		updated[0] != 102228128 || updated[1] != 102228128 {
		t.Errorf("tensors %d, bytes %d, updated %d", tensors, size, updated)
	}
	// The execution traces of the same network have a peak of 3089965864 bytes; this
	// one's first iteration makes do without 127576 of them.
	if peak != 3089838288 {
		t.Errorf("the peak is %d", peak)
	}
}

// A node of a made file.
func node(id uint64, name string, gpu bool, duration uint64, inputs, outputs string) []byte {
	m := protobuf.AppendText(protobuf.AppendNumber(nil, 1, id), 2, name)
	m = protobuf.AppendNumber(m, 7, duration)
	m = protobuf.AppendMessage(m, 8, protobuf.AppendText(nil, 1, inputs))
	m = protobuf.AppendMessage(m, 9, protobuf.AppendText(nil, 1, outputs))
	is := byte(1)
	if gpu {
		is = 0
	}
	return protobuf.AppendMessage(m, 10, append(protobuf.AppendText(nil, 1, "is_cpu_op"), 0xd8, 1, is))
}

func file(nodes ...[]byte) []byte {
	b := protobuf.Framed(nil, protobuf.AppendText(nil, 1, "0.0.4"))
	for _, n := range nodes {
		b = protobuf.Framed(b, n)
	}
	return b
}

// shown is a trace in one line.
func shown(tr *Trace) string {
	var b strings.Builder
	for i := range tr.Kernels {
		fmt.Fprintf(&b, "%s<%s ", tr.Kernels[i].Name, tr.Kernels[i].Op)
	}
	for i := range tr.Tensors {
		x := &tr.Tensors[i]
		fmt.Fprintf(&b, "| %d", x.Bytes)
		if x.Resident {
			b.WriteByte('R')
		}
		for _, u := range x.Uses {
			fmt.Fprintf(&b, " %d%.*s%.*s", u.Kernel, bit(u.Read), "r", bit(u.Write), "w")
		}
	}
	return b.String()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Storages are followed through their generations.
func TestGenerations(t *testing.T) {
	tensor := func(id, storage, n int) string { return fmt.Sprintf("[%d, %d, 0, %d, 4, 'cuda:0']", id, storage, n) }
	in := func(l ...string) string { return "[" + strings.Join(l, ", ") + "]" }
	x, w, y := tensor(1, 2, 10), tensor(3, 4, 20), tensor(5, 6, 30)
	for _, tt := range []struct {
		name  string
		nodes [][]byte
		want  string
	}{
		{"one operator, two kernels", [][]byte{
			node(1, "mm(0)", false, 1, in(x, w), in(y)), node(2, "a", true, 1, in(x, w), in(y)),
			node(3, "mm(1)", false, 1, in(x, w), in(y)), node(4, "b", true, 1, in(x, w), in(y)), node(5, "mm(2)", false, 1, in(x, w), in(y)),
			node(6, "relu_(0)", false, 1, in(y), in(y)), node(7, "c", true, 1, in(y), in(y)),
		}, "a<mm b<mm c<relu_ | 40R 0r 1r| 80R 0r 1r| 120 1w 2rw"},
		{"a number given again", [][]byte{
			node(1, "mm(0)", false, 1, in(x, w), in(y)), node(2, "a", true, 1, in(x, w), in(y)),
			node(3, "mm(0)", false, 1, in(x, w), in(y)), node(4, "b", true, 1, in(x, w), in(y)), node(5, "mm(1)", false, 1, in(x, w), in(y)),
		}, "a<mm b<mm | 40R 0r 1r| 80R 0r 1r| 120 0w| 120 1w"},
		{"taken without a kernel", [][]byte{
			node(1, "empty", false, 1, "[[2], 6]", in(y)), node(2, "fill_(0)", false, 1, in(y), in(y)), node(3, "f", true, 1, in(y), in(y)),
		}, "f<fill_ | 120 0rw"},
		{"taken inside", [][]byte{
			node(1, "outer", false, 1, in(x), in(y)), node(2, "inner(0)", false, 1, in(y, x), in(y)), node(3, "f", true, 1, in(y, x), in(y)),
		}, "f<inner | 120 0rw| 40R 0r"},
		{"without operators", [][]byte{
			node(1, "a", true, 1, in(x), in(y)), node(2, "b", true, 1, in(x), in(y)), node(3, "c", true, 1, in(y), in(x)),
		}, "a< b< c< | 40R 0r 1r| 120 1w 2r| 40 2w"},
		{"an expanded view", [][]byte{
			node(1, "aten::expand", false, 1, in(x), in(tensor(9, 2, 1000))), node(2, "aten::view", false, 1, in(tensor(9, 2, 1000)), in(tensor(10, 2, 1000))),
			node(3, "a", true, 1, in(x, tensor(10, 2, 1000)), in(y)),
		}, "a< | 40R 0r| 120 0w"},
		{"a list changed in place", [][]byte{
			node(1, "_foreach_add_(0)", false, 1, in(in(x, w), in(y)), "[]"), node(2, "a", true, 1, in(in(x, w), in(y)), "[]"),
		}, "a<_foreach_add_ | 40R 0rw| 80R 0rw| 120R 0r"},
		{"a collective", [][]byte{node(1, "ncclKernel", true, 1, in(x), "[]")}, "ncclKernel< | 40R 0rw"},
		{"memory of the host", [][]byte{node(1, "a", true, 1, in(x, "[7, 8, 0, 5, 4, 'cpu']"), in(x))}, "a< | 40R 0rw"},
	} {
		tr, err := Read(bytes.NewReader(file(tt.nodes...)), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := shown(tr); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
		}
		if err := tr.Recording("x").Check(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestTuples(t *testing.T) {
	for in, want := range map[string]string{
		"[]": "[]", "": "[]", "[1, None, 'a]b', \"[\", True, inf, 1e-5]": "[]",
		"[[1, 2, 3, 4, 5, 'cuda:1']]":                   "[{1 0 1 true 35}]",
		"[1, [[1, 2, 0, 4, 5, 'cuda']]]":                "[{1 0 0 false 20}]",
		"[[1, 2, 0, 4, 5, 'cpu']]":                      "[{1 0 -1 true 20}]",
		"[[1, 2, 0, 0, 5, 'cuda:0']]":                   "[]",
		"[[1, 2, 0, 4, 5, '']]":                         "[]",
		"[[1, 2, 0, 4, 'cuda:0']]":                      "[]",
		"[[1, 2, 0, 4, 5, 6, 'cuda:0']]":                "[]",
		"[[1, 2, 0.5, 4, 5, 'cuda:0']]":                 "[]",
		"[[9007199254740993, 2, 0, 4, 5, 'cpu']]":       "[{9007199254740993 0 -1 true 20}]",
		"[[1, 2, 0, 9223372036854775807, 4, 'cuda:0']]": "[]",
		"[[1, 2, 0, 4000000000000, 4, 'cuda:0']]":       "[] odd",
		"[[1, 2, -1, 4, 4, 'cuda:0']]":                  "[] odd",
		"[[1, 2, 0, 4, 5, 'cuda:0'":                     "[] odd",
		"hello":                                         "[] odd",
		"]":                                             "[] odd",
		"['":                                            "[] odd",
		strings.Repeat("[", 200) + "1, 2, 0, 4, 5, 'cuda:0'" + strings.Repeat("]", 200): "[]",
	} {
		b := builder{storages: map[int64]int32{}}
		list, odd := b.tuples([]byte(in), []mention{})
		got := fmt.Sprint(list)
		if odd {
			got += " odd"
		}
		if got != want {
			t.Errorf("%.60s: %s; want %s", in, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	good := node(1, "a", true, 1, "[[1, 2, 0, 4, 5, 'cuda:0']]", "[]")
	for in, want := range map[string]string{
		"":                      "byte 0: the file is empty",
		string(file()):          "the Chakra trace has no nodes",
		string(file(good[:4])):  "byte 11: field 2 is 1 bytes long, but its message ends after 0",
		string(file(good)[:20]): "byte 8: a message of 60 bytes, but the file ends after 11",
		string(file(append(good[:len(good):len(good)], 0x0b))):             "byte 69: field 1 is a group",
		string(file(append(good[:len(good):len(good)], 0x42, 2, 0x0a, 9))): "byte 71: field 1 is 9 bytes long",
		string(file(node(1, "a", false, 1, "[]", "[]"))):                   "none of the Chakra trace's 1 nodes ran on a GPU",
		string(file(node(1, "a", true, 1, "[]", "[]"))):                    "none of the Chakra trace's 1 GPU nodes names tensors",
		"\xff\xff\xff\xff\x7f":                                             "byte 0: a message of 34359738367 bytes; at most",
	} {
		if _, err := Read(strings.NewReader(in), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", in, err, want)
		}
	}
	for name, want := range map[string]string{
		"chakra/astra-sim-all-reduce.et":    "the Chakra trace holds collectives alone (1)",
		"chakra/small-workload-graph.json":  "a Chakra workload graph as JSON has no tensors",
		"hostile/chakra-endless-varint.et":  "byte 0: a message's length: a number (varint) that does not end",
		"hostile/chakra-length-past-end.et": "byte 6: a message of 4294967295 bytes; at most 67108864 are read",
	} {
		if _, err := Read(bytes.NewReader(artifact.Sample(t, name)), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

// What is odd is noted.
func TestNotes(t *testing.T) {
	x := "[[1, 2, 0, 4, 5, 'cuda:0']]"
	tr, err := Read(bytes.NewReader(file(node(1, "a", true, 1, x, "[["), node(1, "b", true, 1<<60, x, "[]"),
		protobuf.AppendNumber(protobuf.AppendList(node(3, "c", true, 0, x, "[]"), 5, []uint64{9, 10, 9}), 6, 77))), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(tr.Notes, "\n")
	for _, want := range []string{
		"2 nodes that others depend on are not in the file", "1 lists of inputs", "1 nodes have a number that another has",
		"1 durations are longer", "2 kernels do not say when they start",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\ndo not say %s", got, want)
		}
	}
	tr, err = Read(bytes.NewReader(file(protobuf.AppendNumber(node(1, "a", true, 5, x, x), 6, 200), protobuf.AppendNumber(node(2, "b", true, 7, x, x), 6, 100))), nil)
	if err != nil || !tr.Timed || tr.Kernels[0].Name != "b" || tr.Kernels[1].Start != 100*unit.Microsecond {
		t.Errorf("%+v, %v", tr, err)
	}
}

// No beginning of a file crashes; only whole messages are a file.
func TestPrefixes(t *testing.T) {
	small := file(node(1, "mm(0)", false, 1, "[[1, 2, 0, 4, 5, 'cuda:0']]", "[]"), node(2, "k", true, 1, "[[1, 2, 0, 4, 5, 'cuda:0']]", "[]"))
	for n := range small {
		if _, err := Read(bytes.NewReader(small[:n]), nil); err == nil {
			t.Errorf("the first %d of %d bytes were read", n, len(small))
		}
	}
	data := artifact.Sample(t, "chakra/resnet50-ddp-converted.et.gz")
	for n := 0; n < len(data); n += len(data)/20 + 1 {
		Read(bytes.NewReader(data[:n]), nil)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(node(1, "mm(0)", false, 1, "[[1, 2, 0, 4, 5, 'cuda:0']]", "[]"), node(2, "k", true, 1, "[[1, 2, 0, 4, 5, 'cuda:0']]", "[]")))
	f.Add(file(protobuf.AppendNumber(protobuf.AppendList(node(3, "c_", true, 0, "[[[1, 2, 0, 4, 5, 'cuda:0']]]", "[]"), 5, []uint64{9, 10, 9}), 6, 77)))
	f.Add([]byte("\x05\x0a\x030.4\xff\xff\xff\x0fxx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Read(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		r := tr.Recording("x")
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		again, err := Read(iotest.OneByteReader(bytes.NewReader(data)), nil)
		if err != nil || !reflect.DeepEqual(again.Recording("x"), r) {
			t.Fatalf("read twice: %v", err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data := artifact.Sample(b, "chakra/resnet50-ddp-converted.et.gz")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(data), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// A workload is made of the sample, with all of its time and no time twice.
func TestFold(t *testing.T) {
	tr, err := Read(bytes.NewReader(artifact.Sample(t, "chakra/resnet50-ddp-converted.et.gz")), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, rep, err := tr.Recording("x").Fold(recording.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Kernels != 1216 || rep.Rounded != 157 || rep.Busy != 329543*unit.Microsecond+157*unit.Microsecond/2 || rep.Busy != rep.Span || rep.Covered < 329543*unit.Microsecond {
		t.Errorf("%+v", *rep)
	}
}

// Reading stops with the reader's own error, as when it is cancelled.
func TestCancelled(t *testing.T) {
	data := file(node(1, "a", true, 1, "[[1, 2, 0, 4, 5, 'cuda:0']]", "[]"))
	stop := errors.New("stopped")
	for _, n := range []int{0, 1, 5, len(data) / 2, len(data) - 1} {
		r := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(stop))
		if _, err := Read(r, nil); err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("stopped after %d bytes: %v", n, err)
		}
	}
}
