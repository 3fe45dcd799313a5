package embed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// A Result is what came out of what is shown.
type Result struct {
	Link, Title, Mode, Says string
	Problems                []string
	Systems                 []System
	Figures                 []Figure
}

// A System is how one of those that are compared stands; an empty Status has a
// result.
type System struct{ Name, Title, Status string }

// A Figure is one chart, drawn and in words and numbers.
type Figure struct {
	ID, Title, Alt, Text, SVG string
	Head                      []string
	Rows                      [][]string
}

// A State is what is set.
type State struct {
	Link     string
	Problems []string
	Fields   []Field
}

// A Field is one setting.
type Field struct {
	Key, Label, Unit, Kind, Text string
	Min, Max                     float64 // of numbers
	Choices                      []Choice
}

// A Choice is what a field can be.
type Choice struct{ Key, Label string }

// link is the address of what the session shows.
func (d *Handler) link() string { return d.options.Link(d.session.Link()) }

// result says what came out.
func (d *Handler) result(q *Question) *Answer {
	r := d.session.Laboratory
	pieces, trust := r.Form.Brief()
	x := &Result{
		Link: d.link(), Title: r.Info.Title + ": " + strings.Join(pieces, " · "), Mode: strings.Join(trust, " · "),
		Says: says(r), Problems: Problems(d.session),
	}
	for i := range r.Runs.List {
		if run := &r.Runs.List[i]; run.On {
			x.Systems = append(x.Systems, System{run.System.Name, run.System.Title, run.Status()})
		}
	}
	only := q.Only
	if len(only) == 0 {
		only = d.options.Only
	}
	views := r.Charts()
	for i := range views {
		if v := &views[i]; len(only) == 0 || slices.Contains(only, v.ID) {
			x.Figures = append(x.Figures, d.figure(v, q.Theme, x.Link))
		}
	}
	if lacking := Lacking(only, views); lacking != "" {
		if len(x.Figures) == 0 {
			return &Answer{Code: badOnly, Message: lacking}
		}
		x.Problems = append(x.Problems, lacking)
	}
	return &Answer{Result: x}
}

// Lacking says which of the wanted charts there are not, "" if none lacks.
func Lacking(only []string, views []chart.View) string {
	var lacking, have []string
	for _, id := range only {
		if !slices.ContainsFunc(views, func(v chart.View) bool { return v.ID == id }) {
			lacking = append(lacking, fmt.Sprintf("%.64q", id))
		}
	}
	if len(lacking) == 0 {
		return ""
	}
	for i := range views {
		have = append(have, views[i].ID)
	}
	if len(have) == 0 {
		return "There is no chart " + strings.Join(lacking, ", ") + "; this link shows none."
	}
	return "There is no chart " + strings.Join(lacking, ", ") + "; this link shows " + strings.Join(have, ", ") + "."
}

// says is the headline.
func says(r *session.Laboratory) string {
	switch r.State.View {
	case state.Timeline:
		return r.Timeline.Says()
	case state.Reproduce:
		if s := r.Papers.Sheet(); s != nil {
			return s.Says
		}
		return ""
	case state.WhatIf:
		return r.Question.Asked().Says
	}
	runs := r.Runs.ChartRuns()
	if before := chart.Before(r.Runs.ChartContext(), runs); before != "" {
		return before
	}
	if beside := chart.Compared(r.Compared(runs), runs); beside != "" {
		return beside
	}
	return chart.Headline(r.Info, runs)
}

// Problems says why something is missing or not as a link wants it.
func Problems(n *session.Session) []string {
	var list []string
	add := func(text string) {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	add(n.Notice)
	if n.Laboratory == nil {
		return list
	}
	add(n.Runs.Blocked())
	for _, text := range n.Runs.Problems {
		add(text)
	}
	if n.State.View == state.WhatIf && n.Question.Asked().Figure == nil {
		add("This answer is shown in Spillway only.")
	}
	for i := range n.Runs.List {
		switch x := &n.Runs.List[i]; {
		case !x.On:
		case x.Error != "":
			add(x.System.Title + " failed: " + x.Error)
		case x.Report != nil && !x.Report.Fits:
			add(x.System.Title + " does not fit: " + x.Report.Reason)
		}
	}
	return list
}

// figure is one chart as the page around the frame gets it.
func (d *Handler) figure(v *chart.View, theme, link string) Figure {
	f := Figure{ID: v.ID, Title: v.Title, Alt: v.Alt, Text: v.Text, Head: v.Table.Head}
	if v.Figure != nil {
		f.SVG = d.program.Draw(v, theme, link)
	}
	if f.Text == "" {
		f.Text = v.Empty
	}
	for _, row := range v.Table.Rows {
		cells := []string{row.Head}
		for _, c := range row.Cells {
			cells = append(cells, cell(c))
		}
		f.Rows = append(f.Rows, cells)
	}
	return f
}

// cell is a number of a table, with its change since the baseline.
func cell(c report.Cell) string {
	if c.Change == "" {
		return c.Text
	}
	return c.Text + " (" + c.Change + ")"
}

// settings says what is set.
func (d *Handler) settings(q *Question) *Answer {
	r := d.session.Laboratory
	s := &State{Link: d.link()}
	if d.session.Notice != "" {
		s.Problems = []string{d.session.Notice}
	}
	for _, u := range []*knob.Setup{r.State.Setup, r.State.Look} {
		for i := range u.Knobs() {
			if k := &u.Knobs()[i]; len(q.Fields) == 0 && !u.Hidden(k.Key) && k.Key != r.Info.Entry || slices.Contains(q.Fields, k.Key) {
				s.Fields = append(s.Fields, field(k, u))
			}
		}
	}
	if len(q.Fields) == 0 || slices.Contains(q.Fields, "systems") {
		s.Fields = append(s.Fields, systems(r))
	}
	for _, key := range q.Fields {
		if !slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Key == key }) {
			return &Answer{Code: badValue, Message: fmt.Sprintf("unknown setting %q", key)}
		}
	}
	return &Answer{State: s}
}

// systems is the choice of what is compared, as a setting.
func systems(r *session.Laboratory) Field {
	f := Field{Key: "systems", Label: "Systems", Kind: "many", Text: strings.Join(r.State.On, ",")}
	for i := range r.Info.Systems {
		f.Choices = append(f.Choices, Choice{r.Info.Systems[i].Name, r.Info.Systems[i].Title})
	}
	return f
}

// field is a knob as the page around the frame gets it.
func field(k *knob.Info, u *knob.Setup) Field {
	f := Field{Key: k.Key, Label: k.Label, Unit: k.Unit, Text: u.Text(k.Key)}
	l := u.Limit(k.Key)
	switch k.Kind {
	case knob.Number:
		f.Kind = "number"
		least, most := k.Min, k.Max
		if l != nil && l.Max > l.Min {
			least, most = max(least, l.Min), min(most, l.Max)
		}
		f.Min, f.Max = plain(least, k.Scale), plain(most, k.Scale)
	case knob.One:
		f.Kind = "one"
	case knob.Many:
		f.Kind = "many"
	default:
		f.Kind = "word"
	}
	for _, c := range k.Choices {
		if k.Kind == knob.One && l != nil && len(l.Choices) > 0 && !slices.Contains(l.Choices, c.Key) {
			continue
		}
		label := c.Label
		if label == "" {
			label = c.Key
		}
		f.Choices = append(f.Choices, Choice{c.Key, label})
	}
	return f
}

// plain is a number of base units in the knob's own.
func plain(v, scale int64) float64 {
	x, err := strconv.ParseFloat(knob.Decimal(v, max(1, scale)), 64)
	if err != nil {
		return 0 // Decimal writes numbers
	}
	return x
}
