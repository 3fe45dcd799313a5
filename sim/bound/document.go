package bound

import (
	"fmt"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Document is a certificate with all that is needed to check it. Its JSON is stable.
type Document struct {
	Version  int                      `json:"spillway_bound"` // 1
	Workload string                   `json:"workload"`       // its name for people
	Clock    unit.Frequency           `json:"clock_hz"`
	Memory   unit.Bytes               `json:"gpu_memory_bytes"` // counts in whole pages of 4096 bytes
	Host     unit.Bytes               `json:"host_memory_bytes"`
	Rates    [Channels]unit.Bandwidth `json:"link_bytes_per_s"` // in the order of the prices
	Tensors  []DocumentTensor         `json:"tensors"`
	Kernels  []DocumentKernel         `json:"kernels"`
	Certificate
}

// mostCycles of a kernel keep the sum of as many as a workload may have inside int64.
const mostCycles = 1 << 42

// A DocumentTensor is a tensor of a document.
type DocumentTensor struct {
	Bytes  unit.Bytes `json:"bytes"`            // takes whole pages
	Global bool       `json:"global,omitempty"` // keeps its value from one iteration to the next
}

// A DocumentKernel is a kernel of a document. Tensors are numbers in the list of them.
type DocumentKernel struct {
	Cycles  unit.Cycles         `json:"cycles"` // it takes when all its data is there
	Inputs  []workload.TensorID `json:"inputs"`
	Outputs []workload.TensorID `json:"outputs"`
}

// Document returns c, a certificate of p, with what it is about.
func (p *Problem) Document(c *Certificate) *Document {
	w, m := p.Workload, &p.Machine
	d := &Document{Version: 1, Workload: w.Name, Clock: m.Clock, Memory: m.GPUMemory, Host: m.HostMemory, Rates: rates(m), Certificate: *c}
	for i := range w.Tensors {
		d.Tensors = append(d.Tensors, DocumentTensor{w.Tensors[i].Bytes, w.Tensors[i].Global})
	}
	for i := range w.Kernels {
		k := &w.Kernels[i]
		d.Kernels = append(d.Kernels, DocumentKernel{p.Exec[i], append([]workload.TensorID{}, k.Inputs...), append([]workload.TensorID{}, k.Outputs...)})
	}
	return d
}

// Check returns what the document proves, in cycles of its clock.
func (d *Document) Check() (unit.Cycles, error) {
	if d.Version != 1 {
		return 0, fmt.Errorf("this is version %d of the format; version 1 is known here", d.Version)
	}
	w := &workload.Workload{}
	for _, t := range d.Tensors {
		w.Tensors = append(w.Tensors, workload.Tensor{Bytes: t.Bytes, Global: t.Global})
	}
	exec := make([]unit.Cycles, len(d.Kernels))
	for i, k := range d.Kernels {
		if k.Cycles <= 0 || k.Cycles > mostCycles {
			return 0, fmt.Errorf("kernel %d takes %d cycles; want 1 to %d", i, k.Cycles, int64(mostCycles))
		}
		exec[i] = k.Cycles
		w.Kernels = append(w.Kernels, workload.Kernel{Time: 1, Inputs: k.Inputs, Outputs: k.Outputs})
	}
	if err := w.Validate(); err != nil {
		return 0, err
	}
	if d.Clock <= 0 || d.Memory < 0 || d.Host < 0 {
		return 0, fmt.Errorf("the clock is %d, GPU memory %d, host memory %d; want more than 0, 0 or more", d.Clock, d.Memory, d.Host)
	}
	m := &Machine{
		Clock: d.Clock, GPUMemory: d.Memory, HostMemory: d.Host,
		GPULink: d.Rates[LinkIn], HostLink: d.Rates[HostIn], SSDRead: d.Rates[SSDRead], SSDWrite: d.Rates[SSDWrite],
	}
	if rates(m) != d.Rates {
		return 0, fmt.Errorf("links carry %v: the GPU's and the host's are as fast in both directions", d.Rates)
	}
	return d.Certificate.Check(w, exec, m)
}
