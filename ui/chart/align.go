package chart

import (
	"math"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
)

// The variants of a chart that say when each kernel ends: curves of both with the
// same name have the same points, by seconds and by kernel.
const (
	ByTime   = "time"
	ByKernel = "kernel"
)

// Aligned reports whether runs of a laboratory can be compared kernel by kernel.
func Aligned(info *lab.Info) bool { return slices.ContainsFunc(info.Charts, counts) }

// counts reports whether a chart has both variants.
func counts(ch report.Chart) bool {
	has := func(key string) bool {
		return slices.ContainsFunc(ch.By, func(v report.Variant) bool { return v.Key == key })
	}
	return has(ByTime) && has(ByKernel)
}

// Progress returns when, in seconds, each of a report's kernels ends, as far as
// its curves tell.
func Progress(info *lab.Info, r *report.Report) (kernels, seconds []float64) {
	if r == nil || !r.Fits {
		return nil, nil
	}
	for i := range info.Charts {
		ch := &info.Charts[i]
		if !counts(*ch) {
			continue
		}
		find := func(by string) []float64 {
			for k := range r.Curves {
				if c := &r.Curves[k]; c.Chart == ch.ID && c.By == by {
					return c.X
				}
			}
			return nil
		}
		kernels, seconds = find(ByKernel), find(ByTime)
		if len(kernels) > 1 && len(kernels) == len(seconds) {
			return kernels, seconds
		}
	}
	return nil, nil
}

// Lag is the chart of how much later than in the first run each kernel ends in
// the others: where a curve rises, time is lost, and where it falls, won back.
// It has nothing to draw where kernels are not the same.
func Lag(c *Context, runs []Run) View {
	ch := &report.Chart{
		ID: "lag", Title: "Where time is lost and won", Kind: report.Lines, X: "kernel", Y: "s later", Unit: "s", Bound: true,
		None: "Runs are compared kernel by kernel where two or more are of the same workload and have a result.",
	}
	var first []float64
	drawn := make([]Run, len(runs))
	if len(runs) > 0 {
		ch.Y = "s later than " + runs[0].System.Title
		ch.Help = "How much later a kernel ends than in " + runs[0].System.Title + ", counted from the iteration's beginning. Where a line rises that run loses time, where it falls it wins some back."
		_, first = Progress(c.Info, runs[0].Report)
	}
	for i := range runs {
		drawn[i] = runs[i]
		drawn[i].Before = nil
		kernels, seconds := Progress(c.Info, runs[i].Report)
		if runs[i].Report == nil {
			continue
		}
		r := &report.Report{Fits: runs[i].Report.Fits, Reason: runs[i].Report.Reason}
		if i > 0 && len(seconds) > 0 && len(seconds) == len(first) {
			late := make([]float64, len(seconds))
			for k := range seconds {
				late[k] = seconds[k] - first[k]
			}
			r.Curves = []report.Curve{{Chart: ch.ID, X: kernels, Y: late}}
		}
		drawn[i].Report = r
	}
	v := Draw(c, ch, drawn)
	if v.Results == 0 && !slices.ContainsFunc(drawn, func(r Run) bool { return r.waits() }) {
		v.Empty = ch.None
	}
	var said []string
	for _, p := range v.points {
		if n := len(p.ys); n > 0 && p.ys[n-1] != 0 {
			word := "later"
			if p.ys[n-1] < 0 {
				word = "earlier"
			}
			said = append(said, letterOf(runs, p.system)+" ends "+Span(math.Abs(p.ys[n-1]))+" "+word)
		}
	}
	if v.Text = sentence(strings.Join(said, "; ")); v.Text == "" && v.Results > 0 {
		v.Text = "They end at the same time."
	}
	return v
}

// Named returns a run side by side with others as charts show it: as a system of
// its own with a letter and the beginning of its name.
func Named(place int, name string) lab.System {
	const most = 26
	short := []rune(name)
	if len(short) > most {
		short = append(short[:most-1:most-1], '…')
	}
	return lab.System{Name: name, Title: string(rune('A'+place)) + " " + string(short), Look: place}
}

// letter is what sentences call a run that Named made.
func letter(s *lab.System) string {
	text, _, _ := strings.Cut(s.Title, " ")
	return text
}

// letterOf is the letter of the run with a name.
func letterOf(runs []Run, name string) string {
	for i := range runs {
		if runs[i].System.Name == name {
			return letter(runs[i].System)
		}
	}
	return name
}

// Single is the chart of one quantity.
func Single(c *Context, key string, runs []Run) View {
	q := &c.Info.Quantities[max(c.Info.Quantity(key), 0)]
	return Beside(c, &report.Chart{ID: "quantity", Title: q.Label, Help: q.Help, Kind: report.Bars, Of: []string{q.Key}, Unit: q.Unit}, runs)
}

// Beside is a chart of runs side by side, whose names are long. Where all are of
// one workload it counts kernels if it can.
func Beside(c *Context, ch *report.Chart, runs []Run) View {
	v := Draw(c, ch, runs)
	v.ID = "side-" + v.ID
	if v.Figure != nil && v.Figure.Bars != nil {
		v.Figure.Bars.Wide = true
	}
	return v
}

// Compared says how runs of one workload compare with the first of them.
func Compared(info *lab.Info, runs []Run) string {
	if len(runs) < 2 || !runs[0].shown() {
		return ""
	}
	var said []string
	for i := range runs[1:] {
		r := runs[1+i]
		r.Before = runs[0].Report
		s := &step{say: &info.Say}
		if r.waits() {
			return ""
		}
		if s.add(info, &r); len(s.moved) == 0 {
			if r.unfit() {
				said = append(said, letter(r.System)+" "+orElse(info.Say.Cannot, "cannot run it"))
			}
			continue
		}
		switch g := s.moved[0].gain; {
		case math.Abs(g-1) < still:
			said = append(said, letter(r.System)+" is level")
		case g > 1:
			said = append(said, letter(r.System)+" is "+s.more(g))
		default:
			said = append(said, letter(r.System)+" is "+s.less(g))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "Against " + runs[0].System.Title + ": " + strings.Join(said, "; ") + "."
}

// Settings returns in what the setups of runs differ, a row a knob.
func Settings(setups []*knob.Setup) []Number {
	if len(setups) < 2 {
		return nil
	}
	differ := map[string]bool{}
	for _, u := range setups[1:] {
		for _, d := range knob.Differ(setups[0], u) {
			differ[d.Knob.Key] = true
		}
	}
	var rows []Number
	for i := range setups[0].Knobs() {
		k := &setups[0].Knobs()[i]
		if !differ[k.Key] {
			continue
		}
		row := Number{Key: k.Key, Label: k.Label, Unit: k.Unit, Help: k.Help}
		for _, u := range setups {
			text := u.Text(k.Key)
			if k.Kind != knob.Number {
				text = Value(k, text)
			}
			if u.Hidden(k.Key) || text == "" {
				text = Dash
			}
			row.Cells = append(row.Cells, report.Cell{Text: text})
		}
		rows = append(rows, row)
	}
	return rows
}

// SideCSV returns all quantities of runs side by side with full precision, a row a
// run with its settings; names are those of the runs, systems those that ran.
func SideCSV(c *Context, runs []Run, systems []*lab.System, setups []*knob.Setup) string {
	rows := [][]string{append([]string{"run"}, csvHead(c.Info)...)}
	for i := range runs {
		r := runs[i]
		name := r.System.Name
		r.System = systems[i]
		rows = append(rows, append([]string{name}, csvRow(c, &r, setups[i])...))
	}
	return csvText(rows)
}
