package runs

import (
	"fmt"
	"slices"
	"strings"

	"spillway/ui/chart"
)

// words is what the page says of the compared systems.
type words struct{ runs *Runs }

// A Family is systems that belong together.
type Family struct {
	Name string
	Runs []*Run
}

// Families are the systems by family, in the laboratory's order.
func (w words) Families() []Family {
	var fs []Family
next:
	for i := range w.runs.List {
		x := &w.runs.List[i]
		for k := range fs {
			if fs[k].Name == x.System.Family {
				fs[k].Runs = append(fs[k].Runs, x)
				continue next
			}
		}
		fs = append(fs, Family{x.System.Family, []*Run{x}})
	}
	return fs
}

// Count says how many are compared, if not all are.
func (w words) Count() string {
	if len(w.runs.room.State.On) == len(w.runs.List) {
		return ""
	}
	return fmt.Sprintf("%d of %d", len(w.runs.room.State.On), len(w.runs.List))
}

// Compared are the compared systems.
func (w words) Compared() []*Run {
	var list []*Run
	for i := range w.runs.List {
		if w.runs.List[i].On {
			list = append(list, &w.runs.List[i])
		}
	}
	return list
}

// Notes are what the results say that the reader should know, each once with the systems it is about.
func (w words) Notes() []string {
	var texts []string
	about := map[string][]string{}
	for i := range w.runs.List {
		if x := &w.runs.List[i]; x.Shown() {
			for _, t := range x.Report.Notes {
				if about[t] == nil {
					texts = append(texts, t)
				}
				about[t] = append(about[t], x.System.Title)
			}
		}
	}
	for i, t := range texts {
		texts[i] = strings.Join(about[t], ", ") + ": " + t
	}
	return texts
}

// Results reports whether there are any of these settings.
func (w words) Results() bool {
	for i := range w.runs.List {
		if x := &w.runs.List[i]; x.On && x.Report != nil && !x.Stale {
			return true
		}
	}
	return false
}

// Caveat is what decides who wins besides the systems, each once. While other settings are
// computed it stays as it was.
func (w words) Caveat() string {
	if w.runs.Active() && w.runs.caveat != "" {
		return w.runs.caveat
	}
	var list []string
	for i := range w.runs.List {
		x := &w.runs.List[i]
		if !x.On || x.Report == nil || x.Stale && !w.runs.Active() {
			continue
		}
		for _, text := range x.Report.Caveats {
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	text := strings.Join(list, " ")
	if !w.runs.Active() {
		w.runs.caveat = text
	}
	return text
}

// A Trouble is why systems have no numbers.
type Trouble struct {
	Title, Text, Class string
	Why                string // folded, where other systems run
	several            bool   // of more than one system
}

// Troubles lists errors and refusals with their reasons; systems with the same
// one stand together.
func (w words) Troubles() []Trouble {
	var ts []Trouble
	some := slices.ContainsFunc(w.runs.List, func(r Run) bool { return r.On && r.Report != nil && r.Report.Fits })
	for i := range w.runs.List {
		t := Trouble{Title: w.runs.List[i].System.Title}
		switch x := &w.runs.List[i]; {
		case !x.On:
			continue
		case x.Error != "":
			t.Text, t.Class = strings.TrimPrefix(x.Error, t.Title+" "), "error"
		case x.Report != nil && !x.Report.Fits && !(x.Cancelled && x.Stale):
			t.Text, t.Why, t.Class = x.Status(), x.Report.Reason, "refusal"
		default:
			continue
		}
		if k := slices.IndexFunc(ts, func(x Trouble) bool { return x.Text == t.Text && x.Why == t.Why && x.Class == t.Class }); k >= 0 {
			ts[k].Title += ", " + t.Title
			ts[k].several = true
		} else {
			ts = append(ts, t)
		}
	}
	for i := range ts {
		if rest, ok := strings.CutPrefix(ts[i].Text, chart.Unfit); ok && ts[i].several && ts[i].Class == "refusal" {
			ts[i].Text = "do not fit" + rest
		}
		if !some && ts[i].Why != "" {
			ts[i].Text, ts[i].Why = ts[i].Text+": "+ts[i].Why, ""
		}
	}
	return ts
}

// Blank is a setting, or a quantity of a system's run, as texts of a tour have it.
func (w words) Blank(what, key string) string {
	if what == "knob" {
		f := w.runs.form.Field(key)
		return strings.TrimSpace(f.Text + " " + f.Unit)
	}
	at := w.runs.room.Info.Quantity(key)
	for i := range w.runs.List {
		x := &w.runs.List[i]
		if x.System.Name != what || x.Report == nil || x.Stale || at < 0 {
			continue
		}
		if v, ok := x.Report.Value(at); ok {
			q := &w.runs.room.Info.Quantities[at]
			return chart.With(chart.Digits(q.Shown(v), 3), q.Unit)
		}
	}
	return "…"
}
