package saved

import (
	"strings"

	"spillway/sim/knob"
	"spillway/ui/chart"
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

// A Row is a run in the list of those that are kept.
type Row struct {
	Name, About string
	Stands      string // how it stands, of one that stands beside the one at hand
	Beside      bool   // it does
	Lasting     bool   // the browser keeps it
	of          state.Kept
}

// List is the runs: those beside the one at hand, as they stand now, then the others.
func (w words) List() []Row {
	s := w.saved
	beside := s.Beside()
	var rows []Row
	for _, k := range s.All() {
		r := Row{Name: k.Name, About: s.room.Of(s.Setup(k)) + " · " + s.title(k.System), Lasting: s.IsKept(k), of: k}
		for i := range beside {
			if x := &beside[i]; x.Kept == k {
				r.Beside, r.Stands = true, x.Run.RunState()
				switch {
				case x.Needs != "":
					r.Stands = "needs a file"
				case x.Run.Error != "":
					r.Stands = x.Run.Error
				case x.Run.Report != nil && !x.Run.Report.Fits:
					r.Stands = "does not fit: " + x.Run.Report.Reason
				}
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// Is reports whether both are of the same run.
func (r *Row) Is(of *Row) bool { return r.of == of.of }

// Act does with a run of the list what a word says: "against", "release", "visit", "adopt" or
// "delete". It reports whether there is such a word.
func (w words) Act(word string, r *Row) bool {
	do := map[string]func(state.Kept){"against": w.saved.Against, "release": w.saved.Release, "visit": w.saved.Visit, "adopt": w.saved.Adopt, "delete": w.saved.Delete}[word]
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
