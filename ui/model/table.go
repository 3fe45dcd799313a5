package model

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/traces/jsonx"
	"spillway/ui/job"
)

// A metric is one number of a result.
type metric struct {
	key   string // column in files, with the unit
	label string // row in the page's table
	unit  string
	help  string
	show  func(*result.Result) string // for people
	write func(*result.Result) string // for files, full precision
	// has reports whether a result has the number; nil if all have. The page
	// shows the row only when one has, and files leave the cell empty.
	has func(*result.Result) bool
}

func (m *metric) known(r *result.Result) bool { return m.has == nil || m.has(r) }

// number makes a metric from a float.
func number(key, label, unit, help string, places int, f func(*result.Result) float64) metric {
	return metric{
		key: key, label: label, unit: unit, help: help,
		show:  func(r *result.Result) string { return fixed(f(r), places) },
		write: func(r *result.Result) string { return strconv.FormatFloat(f(r), 'g', -1, 64) },
	}
}

// whole makes a metric from an integer.
func whole(key, label, unit, help string, f func(*result.Result) int64) metric {
	return metric{
		key: key, label: label, unit: unit, help: help,
		show:  func(r *result.Result) string { return count(f(r)) },
		write: func(r *result.Result) string { return strconv.FormatInt(f(r), 10) },
	}
}

// metrics lists every number of a result, batch samples an iteration.
func metrics(batch int) []metric {
	ms := []metric{
		number("normalized_throughput", "Throughput, normalized", "× ideal", "Ideal iteration time over iteration time.", 4, performance),
	}
	if batch > 0 {
		ms = append(ms, number("throughput_samples_per_s", "Throughput", "samples/s", "Batch size over iteration time.", 2,
			func(r *result.Result) float64 { return float64(batch) / seconds(r, r.Time()) }))
	}
	time := func(key, label, help string, f func(*result.Result) unit.Cycles) {
		ms = append(ms, number(key+"_s", label, "s", help, 4, func(r *result.Result) float64 { return seconds(r, f(r)) }))
	}
	time("iteration", "Iteration time", "From the end of the previous iteration to the end of the reported one.", (*result.Result).Time)
	time("ideal", "Ideal iteration time", "Sum of all kernels' execution times.", func(r *result.Result) unit.Cycles { return r.Ideal })
	time("compute", "Compute", "Kernels run and nothing moves.", func(r *result.Result) unit.Cycles { return r.Main().Compute })
	time("overlap", "Overlap", "Kernels run while data moves.", func(r *result.Result) unit.Cycles { return r.Main().Overlap })
	time("stall", "Stall", "Kernels wait.", func(r *result.Result) unit.Cycles { return r.Main().Stall })
	twice := number("doubled_s", "Counted twice by the artifact", "s",
		"Waits in which nothing moves: as published they are part of both compute and stall, which here are without them.", 4,
		func(r *result.Result) float64 { return seconds(r, r.Main().Doubled) })
	twice.has = func(r *result.Result) bool { return r.Main().Doubled > 0 }
	ms = append(ms, twice)
	for c := range result.NumCauses {
		key := "beyond_ideal_" + strings.ReplaceAll(strings.ToLower(c.String()), " ", "_")
		time(key, "Beyond ideal: "+c.String(), "Time beyond ideal with this cause; the causes sum to iteration time minus ideal time.",
			func(r *result.Result) unit.Cycles { return *r.Main().Ledger.At(c) })
	}
	traffic := func(key, label string, f func(*result.Traffic) unit.Bytes) {
		ms = append(ms, metric{
			key: key + "_bytes", label: label, unit: "GB", help: "Bytes moved in the reported iteration; 1 GB is 10⁹ bytes.",
			show:  func(r *result.Result) string { return fixed(gb(f(&r.Main().Traffic)), 2) },
			write: func(r *result.Result) string { return strconv.FormatInt(int64(f(&r.Main().Traffic)), 10) },
		})
	}
	traffic("ssd_to_gpu", "SSD → GPU", func(t *result.Traffic) unit.Bytes { return t.SSDIn })
	traffic("gpu_to_ssd", "GPU → SSD", func(t *result.Traffic) unit.Bytes { return t.SSDOut })
	traffic("host_to_gpu", "Host → GPU", func(t *result.Traffic) unit.Bytes { return t.HostIn })
	traffic("gpu_to_host", "GPU → host", func(t *result.Traffic) unit.Bytes { return t.HostOut })
	fault := func(key, label string, f func(*result.Faults) int64) {
		ms = append(ms, whole("faults_"+key+"_pages", label, "pages", "Pages not ready when a kernel wanted to start.",
			func(r *result.Result) int64 { return f(&r.Main().Faults) }))
	}
	fault("moving", "Faults on moving pages", func(f *result.Faults) int64 { return f.Moving })
	fault("host", "Faults on host pages", func(f *result.Faults) int64 { return f.Host })
	fault("ssd", "Faults on SSD pages", func(f *result.Faults) int64 { return f.SSD })
	fault("unallocated", "Faults on fresh pages", func(f *result.Faults) int64 { return f.Unallocated })
	peaks := func(key, label string, f func(*result.Result) unit.Bytes) {
		ms = append(ms, metric{
			key: key + "_bytes", label: label, unit: "GiB", help: "Most memory in use at the end of any kernel; 1 GiB is 2³⁰ bytes.",
			show:  func(r *result.Result) string { return fixed(gib(f(r)), 2) },
			write: func(r *result.Result) string { return strconv.FormatInt(int64(f(r)), 10) },
		})
	}
	peaks("peak_gpu", "Peak GPU memory", func(r *result.Result) unit.Bytes { g, _ := peak(r); return g })
	peaks("peak_host", "Peak host memory", func(r *result.Result) unit.Bytes { _, h := peak(r); return h })
	slow := func(key, label string, q float64) {
		ms = append(ms, number("kernel_slowdown_"+key, label, "×", "Kernel time over its ideal time.", 2,
			func(r *result.Result) float64 { return quantile(slowdowns(r), q) }))
	}
	slow("median", "Kernel slowdown, median", 0.5)
	slow("p99", "Kernel slowdown, 99th percentile", 0.99)
	slow("worst", "Kernel slowdown, worst", 1)
	ms = append(ms, driveMetrics()...)
	return append(ms,
		whole("planned_migrations", "Planned migrations", "", "Instructions the planner issued.", func(r *result.Result) int64 { return int64(r.PlannedOps) }),
		metric{
			key: "reported_iteration", label: "Reported iteration", help: "Which of the simulated iterations the numbers are about.",
			show:  func(r *result.Result) string { return fmt.Sprintf("%d of %d", r.Reported+1, len(r.Iterations)) },
			write: func(r *result.Result) string { return strconv.Itoa(r.Reported + 1) },
		},
	)
}

// A NumberRow is one row of the table of all numbers.
type NumberRow struct {
	Label, Unit, Help string
	Cells             []string // by compared system
}

// Numbers returns the heads and rows of the table of all numbers: one column a
// compared system.
func (n *Session) Numbers() (systems []string, rows []NumberRow) {
	rs := n.visible()
	systems = names(rs)
	state := NumberRow{Label: "Status", Help: "Whether the system can run the workload."}
	for _, r := range rs {
		s := r.status()
		if s == "" {
			s = "ok"
		}
		if r.Stale && r.Result != nil {
			s += " (outdated)"
		}
		state.Cells = append(state.Cells, s)
	}
	rows = append(rows, state)
	for _, m := range metrics(n.samples()) {
		row := NumberRow{Label: m.label, Unit: m.unit, Help: m.help}
		some := m.has == nil
		for _, r := range rs {
			cell := "–"
			if r.Shown() && m.known(r.Result) {
				cell, some = m.show(r.Result), true
			}
			row.Cells = append(row.Cells, cell)
		}
		if some {
			rows = append(rows, row)
		}
	}
	return systems, rows
}

// samples is the batch size of what is shown, 0 if unknown.
func (n *Session) samples() int {
	if n.State.Source.Entry == "" {
		return n.State.Source.Batch
	}
	if n.Summary != nil {
		return n.Summary.Batch
	}
	return 0
}

// CSV returns all numbers: one row a system, units in the heads.
func (n *Session) CSV() (string, error) {
	var sb strings.Builder
	w := csv.NewWriter(&sb)
	ms := metrics(n.samples())
	head := []string{"system", "title", "workload", "kernel_times", "mode", "machine", "ssd", "status", "reason"}
	for _, m := range ms {
		head = append(head, m.key)
	}
	if err := w.Write(head); err != nil {
		return "", err
	}
	for _, r := range n.visible() {
		status, reason := r.status(), r.Error
		if status == "" {
			status = "ok"
		}
		if r.Result != nil && !r.Result.Fits {
			reason = r.Result.Reason
		}
		row := []string{r.System.Name, r.System.Title, n.WorkloadName(), string(n.Times()), n.State.Options.Quirks.String(), n.MachineName(), n.State.SSD, status, reason}
		for _, m := range ms {
			cell := ""
			if r.Shown() && m.known(r.Result) {
				cell = m.write(r.Result)
			}
			row = append(row, cell)
		}
		if err := w.Write(row); err != nil {
			return "", err
		}
	}
	w.Flush()
	return sb.String(), w.Error()
}

// CSV returns the chart's numbers as CSV.
func (t *Table) CSV() string {
	var sb strings.Builder
	w := csv.NewWriter(&sb)
	w.Write(t.Head)
	w.WriteAll(t.Rows)
	return sb.String()
}

// Export is what the JSON download holds.
type Export struct {
	Format   string       `json:"format"` // "spillway-results"
	Version  int          `json:"version"`
	Link     string       `json:"link"` // fragment that shows the same settings
	State    State        `json:"state"`
	Workload *job.Summary `json:"workload"`
	Runs     []ExportRun  `json:"runs"`
}

// An ExportRun is one system's result.
type ExportRun struct {
	System string         `json:"system"`
	Title  string         `json:"title"`
	Status string         `json:"status"`
	Error  string         `json:"error,omitempty"`
	Result *result.Result `json:"result,omitempty"`
}

// JSON returns the settings and all results. Times are in cycles of the
// result's clock, sizes in bytes.
func (n *Session) JSON() (string, error) {
	x := Export{Format: "spillway-results", Version: version, Link: n.State.Encode(), State: n.State, Workload: n.Summary}
	for _, r := range n.visible() {
		status := r.status()
		if status == "" {
			status = "ok"
		}
		x.Runs = append(x.Runs, ExportRun{r.System.Name, r.System.Title, status, r.Error, r.Result})
	}
	text, err := jsonx.MarshalIndent(x)
	return string(text), err
}
