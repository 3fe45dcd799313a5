package train

import (
	"fmt"
	"slices"

	"spillway/sim/flash"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// under derives the pattern of a run from its reported iteration. The drive is
// full; what the run keeps on it is rewritten in turn, iteration after
// iteration, and all else is cold. The run's share is what it writes in an
// iteration, at most all its tensors; a request is the size of the tensor in
// which half of all bytes is reached; reads and writes are as the traffic.
func under(w *workload.Workload, r *result.Result, s *flash.Spec) flash.Pattern {
	p := flash.Pattern{Utilization: 1000, Request: typical(w), Hot: 1, HotWrites: 1000, Cyclic: true, Reads: 500}
	if !r.Fits {
		return p
	}
	t := &r.Main().Traffic
	if t.SSDIn+t.SSDOut > 0 {
		p.Reads = unit.MulDiv(int64(t.SSDIn), 1000, int64(t.SSDIn+t.SSDOut))
	}
	live := min(t.SSDOut, w.GlobalBytes()+w.IntermediateBytes(), s.Capacity)
	p.Hot = max(1, unit.MulDiv(int64(live), 1000, int64(s.Capacity)))
	return p
}

// typical returns the size of the tensor in which, in order of size, half of
// all tensors' bytes is reached.
func typical(w *workload.Workload) unit.Bytes {
	sizes := make([]unit.Bytes, 0, len(w.Tensors))
	var total unit.Bytes
	for i := range w.Tensors {
		b := w.Tensors[i].Bytes.Aligned()
		sizes = append(sizes, b)
		total += b
	}
	slices.Sort(sizes)
	var sum unit.Bytes
	for _, b := range sizes {
		if sum += b; sum >= total/2 {
			return b
		}
	}
	return unit.Page
}

// sustained returns what the measured drive sustains in a machine, to which it
// gives the rates of reading and writing alone, and the read latency: the engine
// does the queueing itself. Rates the machine cannot take are lowered to the host
// link; the notes say so. A valid machine stays valid.
func sustained(m *machine.Machine, meas *flash.Measurement) (d engine.Drive, notes []string) {
	fit := func(what string, b unit.Bandwidth) unit.Bandwidth {
		if b > m.HostLink {
			notes = append(notes, fmt.Sprintf("The SSD's %s rate of %v is more than the host link carries; the run uses %v.", what, b, m.HostLink))
			return m.HostLink
		}
		if b < slowest {
			notes = append(notes, fmt.Sprintf("The SSD's %s rate of %v is less than a machine can have; the run uses %v.", what, b, slowest))
			return slowest
		}
		return b
	}
	d.Read, d.Write = fit("read", meas.Read), fit("write", meas.Write)
	d.MixedRead, d.MixedWrite = d.Read, d.Write
	if meas.MixedRead > 0 && meas.MixedWrite > 0 {
		d.MixedRead, d.MixedWrite = max(slowest, min(meas.MixedRead, d.Read)), max(slowest, min(meas.MixedWrite, d.Write))
	}
	m.SSDRead, m.SSDWrite = d.Read, d.Write
	m.SSDLatency = min(meas.ReadLatency, unit.Second)
	if most := m.HostLink + m.SSDRead; m.GPULink > most {
		notes = append(notes, fmt.Sprintf("The GPU link of %v is faster than the host link and the SSD together; the run uses %v.", m.GPULink, most))
		m.GPULink = most
	}
	return d, notes
}

// slowest is the least SSD rate a machine can have (machine.Knobs).
const slowest = 10 * unit.MBps
