package saved

import (
	"math"
	"slices"
	"strings"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// words is what the page says of runs that are kept, and how it names them.
type words struct{ saved *Saved }

// Focused is what the system in focus is called.
func (w words) Focused() string { return w.saved.title(w.saved.room.Focus()) }

// Suggest is a name for what is shown, of all systems or the one in focus: what it differs in
// from the baseline, from the newest kept run, or from its presets.
func (w words) Suggest(all bool) string {
	s, r := w.saved, w.saved.room
	u, from := r.State.Setup, r.State.Base
	if n := len(r.State.Kept); from == nil && n > 0 {
		from = s.Setup(r.State.Kept[n-1])
	}
	var said []string
	if from == nil || len(knob.Differ(from, u)) == 0 {
		from, said = u.Base(), append(said, r.Of(u))
	}
	for _, d := range knob.Differ(from, u) {
		text := chart.Value(d.Knob, d.Is)
		if d.Knob.Kind == knob.Number {
			text = d.Knob.Label + " " + text
		}
		if len(said) < 3 && text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		said = append(said, r.Of(u))
	}
	text := strings.Join(said, ", ")
	if !all {
		text = w.Focused() + ": " + text
	}
	return text
}

// KeepShown keeps what is shown under a name, of all compared systems or the one in focus.
func (w words) KeepShown(name string, all bool) {
	systems := []string{w.saved.room.Focus()}
	if all {
		systems = w.saved.room.State.On
	}
	w.saved.Keep(name, systems)
}

// A Row is a run in the list of the view Compare.
type Row struct {
	Name, About string
	Stands      string      // how it stands, of one that is shown
	Look        *lab.System // as if it were a system, of one that is shown; else nil
	Lasting     bool        // the browser keeps it
	of          state.Kept
}

// List is the runs: those that are shown, as they stand now, then the others. side is what is
// drawn of them.
func (w words) List(side *Side) []Row {
	s := w.saved
	shown := s.Shown()
	var rows []Row
	for i, k := range s.All() {
		r := Row{Name: k.Name, About: s.room.Of(s.Setup(k)), Lasting: s.IsKept(k), of: k}
		if sys, err := s.room.Info.System(k.System); err == nil {
			r.About += " · " + sys.Title
		}
		if i < len(shown) && i < len(side.Systems) {
			r.Look, r.Stands = &side.Systems[i], shown[i].Run.RunState()
			if shown[i].Needs != "" {
				r.Stands = "needs a file"
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// Is reports whether both are of the same run.
func (r *Row) Is(of *Row) bool { return r.of == of.of }

// Full reports whether no more runs can be shown.
func (w words) Full() bool { return len(w.saved.room.State.Shown) >= state.MostShown }

// Act does with a run of the list what a word says: "first", "visit", "adopt", "delete" or
// "show". It reports whether there is such a word.
func (w words) Act(word string, r *Row) bool {
	do := map[string]func(state.Kept){"first": w.saved.Refer, "visit": w.saved.Visit, "adopt": w.saved.Adopt, "delete": w.saved.Delete, "show": w.saved.Show}[word]
	if do == nil {
		return false
	}
	do(r.of)
	return true
}

// Call gives a run of the list another name.
func (w words) Call(r *Row, name string) { w.saved.Rename(r.of, name) }

// Lacks asks for the files that shown runs need, empty if none do.
func (w words) Lacks() string {
	if list := w.saved.Lacking(); len(list) > 0 {
		return "Drop the file or folder that holds " + strings.Join(list, ", ") + " on the page to see the runs of it."
	}
	return ""
}

// Troubles are the runs without numbers, and why.
func (v *Side) Troubles() (list []string) {
	for i := range v.Runs {
		switch r := &v.Runs[i]; {
		case r.Error != "":
			list = append(list, r.System.Title+": "+r.Error)
		case r.Report != nil && !r.Report.Fits:
			list = append(list, r.System.Title+" does not fit: "+r.Report.Reason)
		}
	}
	return list
}

// tabulate makes the numbers: what the runs' settings differ in, and all quantities with
// their change against the first run.
func (v *Side) tabulate() {
	if len(v.Shown) == 0 {
		return
	}
	var setups []*knob.Setup
	system := chart.Number{Label: "System"}
	for i := range v.Shown {
		x := &v.Shown[i]
		setups, v.Names = append(setups, x.Setup), append(v.Names, v.Systems[i].Title)
		system.Cells = append(system.Cells, report.Cell{Text: x.Title})
	}
	v.Settings = append([]chart.Number{system}, chart.Settings(setups)...)
	against := slices.Clone(v.Runs)
	for i := range against[1:] {
		against[i+1].Before = v.Runs[0].Report
	}
	v.Heads, v.Numbers = chart.Numbers(v.info, against)
}

// CSV returns all numbers with the settings of every run.
func (v *Side) CSV() string {
	var systems []*lab.System
	var setups []*knob.Setup
	for i := range v.Shown {
		systems, setups = append(systems, v.Shown[i].Run.System), append(setups, v.Shown[i].Setup)
	}
	return chart.SideCSV(&chart.Context{Info: v.info}, v.Runs, systems, setups)
}

// A sideFile is the runs side by side as a file.
type sideFile struct {
	Format  string    `json:"format"` // "spillway-compare"
	Version int       `json:"version"`
	Lab     string    `json:"lab"`
	Link    string    `json:"link"` // fragment that shows the same
	Runs    []sideRun `json:"runs"`
}

type sideRun struct {
	Name   string             `json:"name"`
	System string             `json:"system"`
	Setup  string             `json:"setup"`
	Status string             `json:"status"`
	Values map[string]float64 `json:"values,omitempty"` // by quantity, in the quantities' own units
}

// JSON returns the values of every run by quantity; link is that of what is shown.
func (v *Side) JSON(link string) string {
	f := sideFile{Format: "spillway-compare", Version: 1, Lab: v.info.Name, Link: link}
	for i := range v.Shown {
		x := &v.Shown[i]
		run := sideRun{Name: x.Name, System: x.System, Setup: x.Kept.Setup, Status: x.Run.Status(), Values: map[string]float64{}}
		if run.Status == "" {
			run.Status = "ok"
		}
		for k := range v.info.Quantities {
			if x.Run.Report == nil {
				break
			}
			if value, ok := x.Run.Report.Value(k); ok && !math.IsInf(value, 0) {
				run.Values[v.info.Quantities[k].Key] = value
			}
		}
		f.Runs = append(f.Runs, run)
	}
	text, err := jsontext.MarshalIndent(&f)
	if err != nil {
		return "{}" // only a value that is not finite could do that, and those are none
	}
	return string(text)
}
