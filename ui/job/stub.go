package job

import (
	"fmt"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

func stub(s Source) *workload.Workload {
	w := &workload.Workload{Name: fmt.Sprintf("%s, batch %d", s.Model, s.Batch), Model: s.Model, Batch: s.Batch, Times: s.Times, Origin: "stub"}
	add := func(n string, b unit.Bytes, g bool) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: n, Bytes: b, Global: g})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	n := 200
	var acts, ws []workload.TensorID
	acts = append(acts, add("x", unit.Bytes(s.Batch)*unit.MiB, false))
	for i := range n {
		ws = append(ws, add(fmt.Sprint("w", i), 3*unit.MiB, true))
		acts = append(acts, add(fmt.Sprint("a", i), unit.Bytes(s.Batch)*unit.MiB, false))
		w.Kernels = append(w.Kernels, workload.Kernel{Name: fmt.Sprintf("L%d_Forward", i), Time: unit.Time(s.Batch) * 40 * unit.Microsecond, Inputs: []workload.TensorID{acts[i], ws[i]}, Outputs: []workload.TensorID{acts[i+1]}})
	}
	g := add("g", unit.Bytes(s.Batch)*unit.MiB, false)
	for i := n - 1; i >= 0; i-- {
		g2 := add(fmt.Sprint("g", i), unit.Bytes(s.Batch)*unit.MiB, false)
		w.Kernels = append(w.Kernels, workload.Kernel{Name: fmt.Sprintf("L%d_Backward", i), Time: unit.Time(s.Batch) * 80 * unit.Microsecond, Inputs: []workload.TensorID{acts[i], ws[i], g}, Outputs: []workload.TensorID{g2}})
		g = g2
	}
	return w
}
