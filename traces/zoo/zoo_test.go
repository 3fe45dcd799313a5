package zoo

import (
	"testing"
)

func TestX(t *testing.T) {
	for _, m := range Models {
		g, err := m.define(256)
		if err != nil {
			t.Fatal(err)
		}
		var macs int64
		for i, k := range g.w.Kernels {
			switch k.Name {
			case "Conv2d_Forward", "Linear_Forward", "BatchMatMul_Forward":
				macs += g.work[i].MACs
			}
		}
		t.Log(m.ID, len(g.w.Kernels), len(g.w.Tensors), g.parameters, float64(2*macs)/256e9, g.w.GlobalBytes(), g.w.IntermediateBytes())
		for _, b := range []int{m.MinBatch, m.MaxBatch} {
			if _, err := Build(m.ID, b, Clean(GPUs[0])); err != nil {
				t.Error(err)
			}
		}
	}
}
