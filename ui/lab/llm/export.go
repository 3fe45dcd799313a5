package llm

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// Formats of exports.
const (
	waitsExport   = "waits"
	movesExport   = "moves"
	programExport = "plan"
	ledgerExport  = "ledger"
	linksExport   = "links"
	memoryExport  = "memory"
	planExport    = "kernels"
)

func exports() []format {
	return append(timefiles.Of("The iteration: every GPU's micro-batches, kernels and waits, what its queues to drives, host memory and other GPUs carry, and memory and links in use", timelineTotals(), timed), []format{
		{Write: rows(planCSV), Export: lab.Export{
			Key: programExport, Title: "Plan (CSV)", Ext: "csv", Mime: "text/csv",
			About: "What the system plans: offloads and prefetches of tensors by kernel, and its own tasks such as gathers and steps of the optimizer.",
		}},
		{Write: rows(waitsCSV), Totals: waitsTotals(), Export: lab.Export{
			Key: waitsExport, Title: "Ledger by kernel (CSV)", Ext: "csv", Mime: "text/csv",
			About: "When every kernel ran, for how long, and how long its GPU waited before it, by cause; the sums are the GPU's.",
		}},
		{Write: rows(movesCSV), Export: lab.Export{
			Key: movesExport, Title: "Transfers (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every tensor and task that a queue has brought to its end in the iteration, with its bytes.",
		}},
		{Write: sums(ledgerCSV), Totals: ledgerTotals(), Export: lab.Export{
			Key: ledgerExport, Title: "GPUs and links (CSV)", Ext: "csv", Mime: "text/csv",
			About: "What every GPU spends the iteration on, what it moves, and what every link carries.",
		}},
		{Write: sums(linksCSV), Export: lab.Export{
			Key: linksExport, Title: "Links over time (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Bytes that every link carries in each piece of the iteration.",
		}},
		{Write: sums(memoryCSV), Export: lab.Export{
			Key: memoryExport, Title: "Memory over time (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Where every GPU's tensors are over the iteration: on the GPU, in host memory, on drives.",
		}},
		{Write: sums(kernelsCSV), Export: lab.Export{
			Key: planExport, Title: "Kernels (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every kernel of every GPU as the system cuts the model: its layer, micro-batch, time and the bytes of its tensors.",
		}},
	}...)
}

// recording runs a system with a record and writes it.
func recording(write func(*seen, *recorded) ([]byte, error)) func(*seen) ([]byte, error) {
	return func(v *seen) ([]byte, error) {
		r, err := recordOf(v)
		if err != nil {
			return nil, err
		}
		return write(v, r)
	}
}

// rows is a file that is about the record alone.
func rows(write func(*recorded) ([]byte, error)) func(*seen) ([]byte, error) {
	return recording(func(_ *seen, x *recorded) ([]byte, error) { return write(x) })
}

// sums is a file that is about the result alone.
func sums(write func(*core.Result) ([]byte, error)) func(*seen) ([]byte, error) {
	return recording(func(_ *seen, x *recorded) ([]byte, error) { return write(x.Result) })
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

// ledgerTotals are the quantities that it adds up to.
func ledgerTotals() (list []lab.Total) {
	of := func(quantity, what, column, over string, unit float64) {
		list = append(list, lab.Total{Quantity: quantity, Column: column, Where: map[string]string{"what": what}, Over: over, Unit: unit})
	}
	for _, x := range causes {
		of(x.key+"_s", x.label, "time_ps", "of", 1e12)
	}
	of("read_gb", "from drives", "bytes", "", 1e9)
	of("written_gb", "to drives", "bytes", "", 1e9)
	of("host_read_gb", "from host memory", "bytes", "", 1e9)
	of("host_written_gb", "to host memory", "bytes", "", 1e9)
	of("demand", "evicted on demand", "count", "", 1)
	of("late", "kernels that waited for a tensor", "count", "", 1)
	return list
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
