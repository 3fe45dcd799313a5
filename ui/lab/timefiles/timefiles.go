// Package timefiles offers what happens in a run over time as files of other programs: the same
// files in every laboratory that has a timeline.
package timefiles

import (
	"strings"

	"spillway/sim/timeline"
	"spillway/traces/chrometrace"
	"spillway/traces/slicetable"
	"spillway/traces/speedscope"
	"spillway/ui/lab"
)

// Keys of the formats.
const (
	TimelineKey = "timeline"
	SlicesKey   = "slices"
	StatesKey   = "states"
)

// A Run is what happened, and what files say about where it comes from.
type Run struct {
	*timeline.Timeline
	lab.Origin
	System   string            // its title
	About    string            // what ran, where nobody says a title
	Workload string            // where that comes from
	More     []chrometrace.Arg // what a laboratory says besides
	// Chain says what a wait came of ([lab.Happening]); nil in a laboratory that does not say.
	Chain func(track, slice int) []lab.ChainLink
	// For makes what says of a slice of a State track which of Resources it is for, counted from 1, 0
	// for none; nil in a laboratory that does not say.
	For       func() func(track, slice int) uint8
	Resources []timeline.Resource
}

// Of returns the formats. about says in a sentence what tracks hold, totals what the slices of
// the Perfetto file add up to; record runs the system in focus, and looks at the view's window.
func Of[S, W, R any](about string, totals []lab.Total, record func(*lab.View[S, W, R]) (*Run, error)) []lab.Written[S, W, R] {
	// Little is in here: it is compiled for every laboratory.
	list := make([]lab.Written[S, W, R], len(formats))
	for i := range formats {
		list[i].Export = formats[i].Export
		list[i].Write = func(v *lab.View[S, W, R]) ([]byte, error) { return written(i)(record(v)) }
	}
	list[0].About = about + list[0].About
	list[0].Totals = totals
	return list
}

// formats are what runs are written in. That for Perfetto is the first.
var formats = []struct {
	lab.Export
	write func(*Run) (data []byte, ok bool)
}{
	{lab.Export{
		Key: TimelineKey, Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
		About: "; Perfetto and chrome://tracing open it.",
	}, (*Run).Perfetto},
	{lab.Export{
		Key: SlicesKey, Title: "Slices (CSV)", Ext: "csv", Mime: "text/csv",
		About: "The timeline as a table, a row a slice: track, begin, end, name, category, step, object, amount.",
	}, (*Run).slices},
	{lab.Export{
		Key: StatesKey, Title: "Where time goes (speedscope)", Ext: "speedscope.json", Mime: "application/json",
		About: "What every track that computes and waits does, by step and cause, in order of time; speedscope opens it.",
	}, (*Run).states},
}

// written writes a run in a format, if there is one.
func written(format int) func(*Run, error) ([]byte, error) {
	return func(r *Run, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		data, ok := formats[format].write(r)
		if !ok {
			return nil, lab.ErrLarge
		}
		return data, nil
	}
}

// Happening records what the page shows, by the function that records for files.
func Happening[S, W, R any](record func(*lab.View[S, W, R]) (*Run, error)) func(*lab.View[S, W, R]) (*lab.Happening, error) {
	return func(v *lab.View[S, W, R]) (*lab.Happening, error) {
		r, err := record(v)
		if err != nil {
			return nil, err
		}
		if r.For != nil {
			r.Attribute(r.Resources, r.For())
		}
		return &lab.Happening{Timeline: r.Timeline, Chain: r.Chain}, nil
	}
}

// title is what files are called inside.
func (r *Run) title() string {
	if r.Title != "" {
		return r.System + ", " + r.Title
	}
	return r.System + ", " + r.About
}

// generator names the program.
func (r *Run) generator() string {
	if r.Version == "" {
		return "Spillway"
	}
	return "Spillway " + r.Version
}

// Perfetto is the file for Perfetto; ok is false if it would be too large.
func (r *Run) Perfetto() (data []byte, ok bool) {
	return chrometrace.Timeline(lab.MostExport, append([]chrometrace.Arg{
		{Key: "title", Text: r.title()}, {Key: "mode", Text: r.Mode}, {Key: "workload", Text: r.Workload}, {Key: "link", Text: r.Link}, {Key: "generator", Text: r.generator()},
	}, r.More...), r.Timeline)
}

// origin says in a line where a file comes from.
func (r *Run) origin() string {
	said := []string{r.name(), r.exporter()}
	for _, a := range r.More {
		said = append(said, a.Key+" "+a.Text)
	}
	return strings.Join(said, "; ")
}

// name is the title with how far it can be trusted.
func (r *Run) name() string {
	if r.Mode == "" {
		return r.title()
	}
	return r.title() + " (" + r.Mode + ")"
}

// exporter is the program, with the link that shows the same and what is said of the workload.
func (r *Run) exporter() string {
	var said strings.Builder
	said.WriteString(r.generator())
	for _, more := range []string{r.Link, r.Workload} {
		if more != "" {
			said.WriteString(" " + more)
		}
	}
	return said.String()
}

// slices is the table; ok is false if it would be too large.
func (r *Run) slices() (data []byte, ok bool) {
	return slicetable.Write(lab.MostExport, r.origin(), r.Timeline)
}

// states is the file for speedscope.
func (r *Run) states() (data []byte, ok bool) {
	return speedscope.Timeline(r.name(), r.exporter(), r.Timeline), true
}
