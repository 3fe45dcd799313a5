package kineto

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// TestShapes reads operators' inputs: extents of views, lists, single numbers.
func TestShapes(t *testing.T) {
	for _, tt := range []struct{ dims, types, strides, want string }{
		{"[[4, 8], [8], []]", `["float", "c10::Half", "Scalar"]`, "", "[128 16]"},
		{"[[4, 8]]", `["float"]`, "[[16, 1]]", "[224]"},      // a view of wider rows
		{"[[128, 1000]]", `["float"]`, "[[0, 1]]", "[4000]"}, // a bias that was expanded
		{"[[0, 8]]", `["float"]`, "[[8, 1]]", "[0]"},         // nothing
		{"[[]]", `["bool"]`, "[[]]", "[1]"},                  // one number on the device
		{"[[], []]", `["Scalar", ""]`, "", "[]"},             // numbers of the host
		{"[[[2, 2], [3]], []]", `["TensorList", "Scalar"]`, "", "[4x 3x]"},
		{"[[1048576, 1048576, 1048576]]", `["float"]`, "", "[]"}, // larger than any memory
		{"[[9223372036854775807, 2], [-1, 4]]", `["float", "float"]`, "", "[]"},
		{"[[4, 4]]", `["float"]`, "[[9223372036854775807, 1]]", "[64]"},
		{"[[4, 4]", "", "", "[]"},
		{"7", "[", "]", "[]"},
	} {
		var got []string
		for _, in := range parseCall(strings.Join([]string{tt.dims, tt.types, tt.strides, ""}, "\x00")).inputs {
			if in.list {
				got = append(got, fmt.Sprintf("%dx", in.count))
			} else {
				got = append(got, fmt.Sprint(int64(in.bytes)))
			}
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", tt.dims, got, tt.want)
		}
	}
}

// TestOutputs estimates what operators write.
func TestOutputs(t *testing.T) {
	for _, tt := range []struct{ op, dims, types, values, want string }{
		{"aten::mm", "[[16, 32], [32, 8]]", `["float", "float"]`, "", "[512]"},
		{"aten::addmm", "[[8], [16, 32], [32, 8]]", `["c10::Half", "c10::Half", "c10::Half"]`, "", "[256]"},
		{"aten::bmm", "[[4, 16, 32], [4, 32, 8]]", `["float", "float"]`, "", "[2048]"},
		{"aten::linear", "[[2, 3, 32], [8, 32], [8]]", `["float", "float", "float"]`, "", "[192]"},
		{"aten::conv2d", "[[10, 3, 224, 224], [64, 3, 7, 7], []]", `["c10::BFloat16", "c10::BFloat16", ""]`, `["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"]`, "[16056320]"},
		{"aten::convolution_backward", "[[2, 8, 4, 4], [2, 3, 4, 4], [8, 3, 3, 3]]", `["float", "float", "float"]`, "", "[384 864]"},
		{"aten::embedding", "[[30522, 512], [1, 141]]", `["c10::BFloat16", "long int"]`, "", "[144384]"},
		{"aten::add", "[[8, 1, 512], [141, 1]]", `["float", "float"]`, "", "[2310144]"},
		{"aten::eq", "[[8, 8], []]", `["long int", "Scalar"]`, "", "[64]"},
		{"aten::cat", "[[[2, 4], [3, 4]], []]", `["TensorList", "Scalar"]`, "", "[40]"},
		{"aten::add_", "[[8], [8]]", `["float", "float"]`, "", "in place"},
		{"some::kernel", "[[16, 32], [9, 9]]", `["float", "float"]`, "", "[77]"}, // the largest that is no weight
		{"aten::mm", "[]", "[]", "", "[]"},
	} {
		sizes, inPlace := parseCall(strings.Join([]string{tt.dims, tt.types, "", tt.values}, "\x00")).outputs(tt.op, 77)
		got := "in place"
		if !inPlace {
			var list []int64
			for _, s := range sizes {
				list = append(list, int64(s))
			}
			got = fmt.Sprint(list)
		}
		if got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.op, tt.dims, got, tt.want)
		}
	}
}

// TestWeights names weights by module, by turn, and those of norms that are written
// as products; the optimizer changes them in their order.
func TestWeights(t *testing.T) {
	const (
		linear = `"Sequence number":1,"Input Dims":[[16,32],[64,32],[64]],"Input type":["float","float","float"]`
		mul    = `"Input Dims":[[64],[16,64]],"Input type":["float","float"]`
		update = `"Input Dims":[[[64,32],[64]],[[64,32],[64]],[]],"Input type":["TensorList","TensorList","Scalar"]`
		grad   = `"Sequence number":1,"Input Dims":[[16,64],[64,32]],"Input type":["float","float"]`
	)
	write := func(modules bool) Recorded {
		a := &author{}
		module := func(name string, ts, dur float64) {
			if modules {
				a.add(`{"ph":"X","cat":"python_function","name":"nn.Module: %s","pid":1,"tid":1,"ts":%g,"dur":%g,"args":{}}`, name, ts, dur)
			}
		}
		a.mark("ProfilerStep#1", 0, 1000)
		module("Block_0", 5, 300)
		module("Linear_3", 10, 90)
		a.op("aten::linear", 20, 60, linear)
		a.kernel("gemm", 1, 30)
		module("RMSNorm_1", 110, 90)
		a.op("aten::mul", 120, 60, mul)
		a.kernel("mul", 2, 130)
		a.op("autograd::engine::evaluate_function: AddmmBackward0", 400, 90, `"Sequence number":1`)
		a.op("aten::mm", 410, 60, grad)
		a.kernel("gemm", 3, 420)
		a.mark("Optimizer.step#SGD.step", 600, 100)
		a.op("aten::_foreach_add_", 610, 50, update)
		a.kernel("add", 4, 620)
		_, r := a.read(t)
		return r
	}
	for modules, want := range map[bool][]string{
		true: {
			"Block_0.Linear_3.weight 8192 [{0 true false} {2 true false} {3 true true}]",
			"Block_0.Linear_3.bias 256 [{0 true false} {3 true true}]",
			"Block_0.RMSNorm_1.weight 256 [{1 true false}]",
		},
		false: {
			"linear 1.weight 8192 [{0 true false} {2 true false} {3 true true}]",
			"linear 1.bias 256 [{0 true false} {3 true true}]",
		},
	} {
		var got []string
		for _, x := range write(modules).Steps[0].Tensors {
			if x.Kind == workload.Weight && !strings.HasPrefix(x.Name, "input of") {
				got = append(got, fmt.Sprintf("%s %d %v", x.Name, x.Bytes, x.Uses))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("modules %t: %q", modules, got)
		}
	}
}

// TestExternal finds operators of kernels without a launch by their external ids,
// but only where such ids are right elsewhere.
func TestExternal(t *testing.T) {
	for right, want := range map[bool]string{true: "aten::b", false: ""} {
		a := &author{}
		a.op("aten::a", 0, 50, `"External id":5`)
		a.op("aten::b", 60, 50, `"External id":6`)
		id := 5
		if !right {
			id = 6
		}
		a.add(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":1,"args":{"correlation":1}}`)
		a.add(`{"ph":"X","cat":"kernel","name":"x","ts":100,"dur":2,"args":{"device":0,"correlation":1,"External id":%d}}`, id)
		a.add(`{"ph":"X","cat":"kernel","name":"y","ts":110,"dur":2,"args":{"device":0,"External id":6}}`)
		_, r := a.read(t)
		got := ""
		for _, k := range r.Steps[0].Kernels {
			if k.Name == "y" {
				got = k.Op
			}
		}
		if got != want {
			t.Errorf("right %t: %q", right, got)
		}
	}
}

// TestCommunication marks collectives by their kernels and by their operators.
func TestCommunication(t *testing.T) {
	a := &author{}
	a.op("c10d::allreduce_", 0, 50, "")
	a.kernel("some_custom_kernel", 1, 10)
	a.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 2, 70)
	a.kernel("gemm", 3, 80)
	_, r := a.read(t)
	var got []recording.KernelKind
	for _, k := range r.Steps[0].Kernels {
		got = append(got, k.Kind)
	}
	if want := []recording.KernelKind{recording.Communication, recording.Communication, recording.Compute}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// TestTimes reads decimals and whole numbers at the scale of today's clocks without
// losing a picosecond.
func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		first, second string
		start, least  unit.Time
	}{
		{"1419247332972.313", "1419247332972.314", unit.Nanosecond, unit.Nanosecond},
		{"1669783687815755", "1669783687815756", unit.Microsecond, unit.Microsecond},
		{"1669783687815755.0005", "1669783687815755.001", 500, unit.Nanosecond},
		{"1.6697836878157550e15", "1.669783687815757e15", 2 * unit.Microsecond, unit.Microsecond},
		{`"12.5"`, "13", 500 * unit.Nanosecond, unit.Nanosecond},
		{"-3", "4", 7 * unit.Microsecond, unit.Microsecond},
	} {
		tr, err := Read(strings.NewReader(fmt.Sprintf(`[{"ph":"X","cat":"kernel","name":"b","ts":%s,"dur":1},{"ph":"X","cat":"kernel","name":"a","ts":%s,"dur":1}]`, tt.second, tt.first)), nil)
		if err != nil || len(tr.Kernels) != 2 || tr.Kernels[0].Start != 0 || tr.Kernels[1].Start != tt.start || tr.least != tt.least {
			t.Errorf("%s and %s: %+v, %v, %v", tt.first, tt.second, tr.Kernels, tr.least, err)
		}
	}
}
