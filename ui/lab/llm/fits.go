package llm

import (
	"fmt"

	core "spillway/sim/llm"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// fits says what every system can run on this machine.
func (v *view) fits() (*report.Section, error) {
	t := report.Table{Key: "most", Title: "The most that runs on " + briefly(&v.s.Node), Head: []string{"System", "Largest micro-batch of " + v.s.Arch.Title, "Deepest model of its widths", "Parameters"}}
	var fits []*core.Fit
	var names []string
	n := len(core.Systems)
	most := int64(1)
	for i, x := range core.Systems {
		if x.Bound {
			continue
		}
		f, err := core.Fits(v.s, x.Name, func(done, total int) {
			if v.p != nil {
				v.p(i*parts+min(parts, done*parts/max(1, total)), n*parts)
			}
		})
		if err != nil {
			return nil, err
		}
		fits, names = append(fits, f), append(names, x.Title)
		most = max(most, f.Parameters)
	}
	var none, some []string
	for i, f := range fits {
		row := report.Row{Head: names[i]}
		micro := report.Textf("%s%s", least(&f.Micro), prose.Count(f.Micro.Most, "sequence")).With(float64(f.Micro.Most), "sequences")
		if f.Micro.Most == 0 {
			micro = report.Textf("none")
			none = append(none, names[i])
			row.Sub = f.Micro.Reason
		} else {
			some = append(some, fmt.Sprintf("%s (%s%s)", names[i], upTo(&f.Micro), prose.Grouped(f.Micro.Most)))
		}
		layers, size := report.Textf("none"), report.DashCell()
		if f.Layers.Most > 0 {
			layers = report.Textf("%s%s", least(&f.Layers), prose.Count(f.Layers.Most, "layer")).With(float64(f.Layers.Most), "layers")
			size = report.Cell{Text: billions(f.Parameters), Share: part(f.Parameters, most), Best: f.Parameters == most}.With(float64(f.Parameters), "")
		}
		row.Cells = []report.Cell{micro, layers, size}
		t.Rows = append(t.Rows, row)
	}
	finding := fmt.Sprintf("On this machine no system can train %s.", v.s.Arch.Title)
	if len(some) > 0 {
		finding = fmt.Sprintf("%s runs with these systems, with so many sequences in a micro-batch: %s.", v.s.Arch.Title, prose.List(some))
		if len(none) > 0 {
			finding += " " + prose.List(none) + " cannot run it, not even with one sequence in a micro-batch."
		}
	}
	return &report.Section{Text: []string{finding}, Tables: []report.Table{t}, Notes: []string{
		"As every system counts by itself: GPU memory, host memory and drives. With as many micro-batches as GPUs; numbers above 32 are exact to 3 %, and “at least” is the most that was tried. ZeRO-Offload's need of host memory has DeepSpeed's margin of a half, FSDP's has none. What TERAIO accepts may be slow: its plan may have to evict on demand.",
		"The deepest model has the widths of " + v.s.Arch.Title + " and more layers or fewer. A batch is any number of micro-batches; each sequence more only keeps what stages of a pipeline send each other until the end of the iteration.",
	}}, nil
}

// upTo says whether more is impossible or was not tried.
func upTo(l *core.Limit) string {
	if x := least(l); x != "" {
		return x
	}
	return "up to "
}

// least says that more was not tried.
func least(l *core.Limit) string {
	if l.Most > 0 && l.Reason == "" {
		return "at least "
	}
	return ""
}

// billions writes a count of parameters.
func billions(n int64) string {
	if n < 1e9 {
		return prose.ThreeDigits(float64(n)/1e6) + " million"
	}
	return prose.ThreeDigits(float64(n)/1e9) + " billion"
}
