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

// Lag is the chart of how much later than in the run that it is compared with each kernel of the
// run in focus ends: where the curve rises, time is lost, and where it falls, won back. It is
// absent where nobody chose what to compare with, and where kernels are not the same.
func Lag(c *Context, runs []Run) View {
	ch := &report.Chart{ID: "lag", Title: "Where time is lost and won", Kind: report.Lines, X: "kernel", Unit: "s", Bound: true}
	p := pair(c, runs)
	if c.Other == nil || len(p) < 2 {
		return View{ID: ch.ID, Absent: true}
	}
	kernels, seconds := Progress(c.Info, p[0].Report)
	_, first := Progress(c.Info, p[1].Report)
	if len(seconds) == 0 || len(seconds) != len(first) {
		return View{ID: ch.ID, Absent: true}
	}
	late := make([]float64, len(seconds))
	for k := range seconds {
		late[k] = seconds[k] - first[k]
	}
	ch.Y = "s later than " + p[1].System.Title
	ch.Help = "How much later a kernel ends than with " + p[1].System.Title + ", counted from the iteration's beginning. Where the line rises time is lost, where it falls some is won back."
	drawn := *p[0]
	drawn.Before, drawn.Report = nil, &report.Report{Fits: true, Curves: []report.Curve{{Chart: ch.ID, X: kernels, Y: late}}}
	v := Draw(c, ch, []Run{drawn})
	switch end := late[len(late)-1]; {
	case end > 0:
		v.Text = p[0].System.Title + " ends " + Span(end) + " later."
	case end < 0:
		v.Text = p[0].System.Title + " ends " + Span(-end) + " earlier."
	default:
		v.Text = "They end at the same time."
	}
	return v
}

// Single is the chart of one quantity.
func Single(c *Context, key string, runs []Run) View {
	q := &c.Info.Quantities[max(c.Info.Quantity(key), 0)]
	v := Draw(c, &report.Chart{ID: "quantity", Title: q.Label, Help: q.Help, Kind: report.Bars, Of: []string{q.Key}, Unit: q.Unit}, runs)
	if v.Figure != nil && v.Figure.Bars != nil {
		v.Figure.Bars.Wide = true
	}
	return v
}

// Compared says how the run in focus compares with the other, and in what their settings differ:
// "10 % faster than a run; SSD read 3.2 → 6.4 GB/s." It is empty while that is not known, and
// where what is compared has the same settings.
func Compared(c *Context, runs []Run) string {
	if c.Other == nil || c.Other.Setup == nil {
		return ""
	}
	says := "The same settings."
	if steps := Steps(knob.Differ(c.Other.Setup, c.Setup)); len(steps) > 0 {
		says = "Since then: " + strings.Join(steps, "; ") + "."
	}
	p := pair(c, runs)
	if len(p) < 2 {
		return says
	}
	r := *p[0]
	r.Before = p[1].Report
	s := &step{say: &c.Info.Say}
	if s.add(c.Info, &r); len(s.moved) == 0 {
		return says
	}
	than := r.System.Title + " is "
	switch g := s.moved[0].gain; {
	case math.Abs(g-1) < still:
		than += "level with "
	case g >= 2:
		than += Digits(g, 3) + orElse(s.say.Than, "× as good as") + " "
	case g > 1:
		than += s.more(g) + " than "
	default:
		than += s.less(g) + " than "
	}
	return than + p[1].System.Title + ". " + says
}
