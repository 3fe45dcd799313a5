//go:build !lean

package llm

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// export runs one system and writes what happened.
func export(key string, w *work, _ *settings, system string, o lab.Origin, p lab.Progress) ([]byte, error) {
	r, record, err := core.Record(&w.setup, system, told(p))
	if err != nil {
		return nil, err
	}
	if r.Reason != "" {
		return nil, errors.New("there is no run to write: " + r.Reason)
	}
	x := &recorded{r, record}
	switch key {
	case timelineExport:
		return timelineJSON(x, system, w.setup.Arch.Title, o)
	case movesExport:
		return movesCSV(x)
	case programExport:
		return planCSV(x)
	case waitsExport:
		return waitsCSV(x)
	case ledgerExport:
		return ledgerCSV(r)
	case linksExport:
		return linksCSV(r)
	case memoryExport:
		return memoryCSV(r)
	case planExport:
		return kernelsCSV(r)
	}
	return nil, fmt.Errorf("no export %q", key)
}

// A sheet is rows of text on their way into a file.
type sheet struct {
	b bytes.Buffer
	w *csv.Writer
}

func newSheet(head ...string) *sheet {
	s := &sheet{}
	s.w = csv.NewWriter(&s.b)
	_ = s.w.Write(head) // a buffer takes everything
	return s
}

// row writes cells: texts and whole numbers.
func (s *sheet) row(cells ...any) {
	list := make([]string, len(cells))
	for i, c := range cells {
		list[i] = fmt.Sprint(c)
	}
	_ = s.w.Write(report.Cells(list))
}

// bytes are all rows.
func (s *sheet) bytes() ([]byte, error) {
	s.w.Flush()
	return s.b.Bytes(), s.w.Error()
}

// ledgerCSV lists times and bytes of GPUs and links.
func ledgerCSV(r *core.Result) ([]byte, error) {
	s := newSheet("of", "what", "time_ps", "bytes", "count")
	for i := range r.GPUs {
		g, of := &r.GPUs[i], "GPU "+strconv.Itoa(i)
		for c, x := range causes {
			s.row(of, x.label, int64(g.Ledger[c]), "", "")
		}
		s.row(of, "kernels beside transfers", int64(g.Overlapped), "", "")
		s.row(of, "memory at most", "", int64(g.Peak), "")
		s.row(of, "from drives", "", int64(g.Read), "")
		s.row(of, "to drives", "", int64(g.Written), "")
		s.row(of, "from host memory", "", int64(g.HostRead), "")
		s.row(of, "to host memory", "", int64(g.HostWritten), "")
		s.row(of, "evicted on demand", "", "", g.Demand)
		s.row(of, "kernels that waited for a tensor", "", "", g.Late)
	}
	for i := range r.Links {
		s.row("link", r.Node.Links[i].Name, int64(r.Links[i].Busy), int64(r.Links[i].Bytes), "")
	}
	return s.bytes()
}

// linksCSV lists what links carry over time, in ns from the iteration's beginning.
func linksCSV(r *core.Result) ([]byte, error) {
	head := []string{"at_ns"}
	for i := range r.Node.Links {
		head = append(head, r.Node.Links[i].Name+" bytes")
	}
	s := newSheet(head...)
	for _, x := range r.Rates {
		cells := []any{int64(x.At / unit.Nanosecond)}
		for _, n := range x.Bytes {
			cells = append(cells, int64(n))
		}
		s.row(cells...)
	}
	return s.bytes()
}

// memoryCSV lists where tensors are over time.
func memoryCSV(r *core.Result) ([]byte, error) {
	s := newSheet("gpu", "at_ns", "kernel", "gpu_bytes", "host_bytes", "drive_bytes", "active_bytes")
	for g, list := range r.Memory {
		for _, x := range list {
			s.row(g, int64(x.At/unit.Nanosecond), x.Kernel, int64(x.Bytes[offload.GPU]), int64(x.Bytes[offload.Host]), int64(x.Bytes[offload.SSD]), int64(x.Active))
		}
	}
	return s.bytes()
}

// phases are the words for them, in the order of their numbers.
var phases = map[job.Phase]string{job.Forward: "forward", job.Backward: "backward", job.Optimize: "optimizer", job.Communicate: "communication"}

// kernelsCSV lists the kernels.
func kernelsCSV(r *core.Result) ([]byte, error) {
	s := newSheet("gpu", "kernel", "name", "phase", "layer", "micro_batch", "time_ps", "input_bytes", "output_bytes")
	for g, w := range r.Job.Parts {
		for k := range w.Kernels {
			x := &w.Kernels[k]
			var in, out unit.Bytes
			for _, t := range x.Inputs {
				in += w.Tensors[t].Bytes
			}
			for _, t := range x.Outputs {
				out += w.Tensors[t].Bytes
			}
			m := r.Job.Marks[g][k]
			s.row(g, k, x.Name, phases[m.Phase], m.Layer, m.Micro, int64(x.Time), int64(in), int64(out))
		}
	}
	return s.bytes()
}
