package deepumplus_test

import (
	"bytes"
	"reflect"
	"testing"

	"spillway/sim/train/engine/paged"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/train/system/deepumplus"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

func TestPlan(t *testing.T) {
	type ids = []workload.TensorID
	w := &workload.Workload{Tensors: make([]workload.Tensor, 16)}
	for _, k := range [][2]ids{{{0}, {1}}, {{1, 2}, {15, 3}}, {{3}, {3}}} {
		w.Kernels = append(w.Kernels, workload.Kernel{Time: unit.Microsecond, Inputs: k[0], Outputs: k[1]})
	}
	tests := []struct {
		name      string
		quirks    quirk.Set
		lookahead int64
		want      string
	}{
		{"argument order", quirk.Corrected(), 1, "0: prefetch 1 prefetch 2 prefetch 15 prefetch 3\n1: prefetch 3\n2: prefetch 0 prefetch 1\n"},
		{"pointer order", quirk.PointerOrder, 1, "0: prefetch 3 prefetch 1 prefetch 15 prefetch 2\n1: prefetch 3\n2: prefetch 1 prefetch 0\n"},
		{"farther than an iteration", quirk.Corrected(), 5, "0: prefetch 3\n1: prefetch 0 prefetch 1\n2: prefetch 1 prefetch 2 prefetch 15 prefetch 3\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, o := machine.G10(), system.Published()
			o.Quirks = tt.quirks
			deepumplus.Lookahead.Set(&o, tt.lookahead)
			p, err := deepumplus.System.Plan(w, &m, &o)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := p.WriteText(&got); err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("got\n%swant\n%s", got.String(), tt.want)
			}
		})
	}
}

func TestRuntime(t *testing.T) {
	o := system.Published()
	if got, want := deepumplus.System.Runtime(&o), (paged.Memory{Window: 8, DropDead: true, Rescue: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("runtime is %+v, want %+v", got, want)
	}
}
