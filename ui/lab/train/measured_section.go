package train

import (
	"fmt"
	"strconv"

	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/workload"
	"spillway/traces/recording"
	"spillway/ui/lab"
)

// measuredKey is the key of the section about a table of measurements.
const measuredKey = "measured"

// measurements is what is known of such a table, in place of a recording's label.
const measurements recording.Label = "measurements"

// measuredEntry is a table of measurements among opened files: choosing it calibrates estimates to
// the GPU of most of its rows.
func measuredEntry(e *lab.Entry, list []kerneltime.Agreement) {
	e.Sections = []string{measuredKey}
	gpu := kerneltime.Mostly(list)
	own, _ := kerneltime.Mend(gpu, list)
	if text := own.String(); text != "" {
		e.Set = knob.Join([]knob.Pair{{Key: "times", Text: string(workload.Estimated)}, {Key: "gpu", Text: gpu}, {Key: "calibrate", Text: text}}, " ")
	}
}

// measuredWorkload is such an entry as a workload: there is nothing to run.
func measuredWorkload(name string, list []kerneltime.Agreement) Workload {
	return Workload{
		Workload: &workload.Workload{Name: name, Times: workload.Measured}, measured: list,
		imported: &imported{
			Recording: &recording.Recording{Format: "Table of measurements", Label: measurements},
			cannot:    "measurements are no workload; choose a model under Workload. What they say of estimates is below",
		},
	}
}

// agreements is the section that sets measurements beside the law.
func agreements(v *seen) (*report.Section, error) {
	list := v.Workload.measured
	s := &report.Section{Tables: []report.Table{{
		Key: "classes", Title: "Your measurements against the law", Head: []string{"", "Rows", "Measured over estimated", "Half are off by at most", "Nine of ten", "Inside the band"},
	}}}
	t := &s.Tables[0]
	rows, inside := int64(0), int64(0)
	for i := range list {
		a := &list[i]
		name := a.GPU
		if g := kerneltime.Find(a.GPU); g != nil {
			name = g.Name
		}
		t.Rows = append(t.Rows, report.Row{Head: a.Class, Sub: name, Cells: []report.Cell{
			report.Cell{Text: strconv.FormatInt(a.Rows, 10)}.Exactly(a.Rows),
			report.Textf("%s ×", knob.Decimal(a.Factor, 1000)).With(float64(a.Factor)/1000, ""),
			report.Textf("%d %%", a.Median).With(float64(a.Median), "%"),
			report.Textf("%d %%", a.Nine).With(float64(a.Nine), "%"),
			report.Cell{Text: fmt.Sprintf("%d of %d", a.Inside, a.Rows), Share: float64(a.Inside) / float64(max(a.Rows, 1))}.Exactly(a.Inside),
		}})
		rows, inside = rows+a.Rows, inside+a.Inside
	}
	s.Text = []string{fmt.Sprintf("Of %d measurements %d lie inside the band of their estimate.", rows, inside)}
	gpu := kerneltime.Mostly(list)
	switch own, of := kerneltime.Mend(gpu, list); {
	case own == kerneltime.Calibration{}:
		s.Text = append(s.Text, "A calibration takes three kernels of a class; no class of one GPU has them, so none is set.")
	default:
		s.Text = append(s.Text, fmt.Sprintf("The %d kernels of the %s call for calibrate=%s. Opening the table has set that (Options, Calibrated), and links have it.", of, kerneltime.Find(gpu).Name, own))
	}
	s.Notes = []string{"A factor is the median of its rows: with it half of them are slower than estimated and half faster. Whole networks mend no class. Estimates of single kernels are of kernels in a loop."}
	return s, nil
}
