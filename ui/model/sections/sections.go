// Package sections is a laboratory's own parts of the page, maps among them.
package sections

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/results"
	"spillway/ui/model/runs"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A sectionState is what is known of one of the laboratory's own sections.
type sectionState struct {
	open  bool
	call  *calls.Call
	key   string // what shown or the call is about
	shown *report.Section
	err   string

	// Of one that takes more runs: for what job, those that it wants to know of, how far they
	// are, and whether somebody said that they may take long.
	job    *exec.Job
	picks  []results.Run
	says   string
	agreed bool
}

// Sections are a laboratory's own parts of the page.
type Sections struct {
	room   *workspace.Workspace
	files  *files.Files
	form   *form.Form
	runs   *runs.Runs
	desk   *calls.Desk
	states map[string]*sectionState // by key
	asking
}

// New returns the sections of a laboratory.
func New(w *workspace.Workspace, f *files.Files, g *form.Form, r *runs.Runs, st *results.Store, d *calls.Desk) *Sections {
	s := &Sections{room: w, files: f, form: g, runs: r, desk: d, states: map[string]*sectionState{}}
	s.asks(st)
	r.Settled(s.Follow)
	return s
}

// IsOpen reports whether the section with this key is open.
func (s *Sections) IsOpen(key string) bool {
	x := s.room.Info.Section(key)
	return x != nil && s.isOpen(x)
}

// Open opens a folded section: what it lacks is asked for with the next change.
func (s *Sections) Open(key string) { s.section(key).open = true }

// Unfolded reports whether somebody opened the section with this key.
func (s *Sections) Unfolded(key string) bool { return s.section(key).open }

// Ready reports whether the section with this key has what it shows.
func (s *Sections) Ready(key string) bool {
	x := s.section(key)
	return !x.call.Active() && (x.shown != nil || x.err != "")
}

// A View is one of the laboratory's own sections as the page shows it.
type View struct {
	lab.Section
	Open   bool
	Shown  *report.Section // nil before it is computed
	Error  string
	Busy   bool
	Part   float64      // of what is computed, from 0 to 1; 0 if nobody says
	Fields []form.Field // its knobs
	Runs   string       // how far the runs are that it takes
	Act    string       // what can be done about them, empty if nothing
}

// Waits says that the section is being computed, and how far that is; nothing if it is not.
func (v *View) Waits() string {
	switch {
	case v.Runs != "":
		return v.Runs
	case !v.Busy:
		return ""
	case v.Part > 0:
		return "Computing… " + strconv.Itoa(int(100*min(v.Part, 1))) + " %"
	}
	return "Computing…"
}

// Views returns the sections that are there now.
func (s *Sections) Views() []View {
	var list []View
	base := s.room.State.Look.Base()
	for _, x := range s.room.Info.Sections {
		if !s.has(&x) {
			continue
		}
		is := s.section(x.Key)
		v := View{Section: x, Open: s.isOpen(&x), Shown: is.shown, Error: is.err, Busy: is.call.Active(), Part: is.call.Part()}
		if is.shown != nil && is.shown.Title != "" {
			v.Title = is.shown.Title
		}
		v.Runs, v.Act = is.says, s.act(is)
		for i := range x.Knobs {
			f := s.form.FieldOf(&x.Knobs[i], s.room.State.Look, base)
			offer(&f, is.shown)
			v.Fields = append(v.Fields, f)
		}
		list = append(list, v)
	}
	return list
}

func (s *Sections) section(key string) *sectionState {
	if s.states[key] == nil {
		s.states[key] = &sectionState{}
	}
	return s.states[key]
}

// has reports whether a section is there now.
func (s *Sections) has(x *lab.Section) bool {
	if x.Entry {
		e := s.files.Entry()
		return e != nil && slices.Contains(e.Sections, x.Key)
	}
	if len(x.Systems) > 0 && !slices.ContainsFunc(x.Systems, func(name string) bool { return slices.Contains(s.room.State.On, name) }) {
		return false
	}
	return x.If == "" || s.room.State.Setup.Text(x.If) != ""
}

// sectionSystem is the system that a section is about: the one in focus, or of its own one
// that is compared.
func (s *Sections) system(x *lab.Section) string {
	if len(x.Systems) == 0 || slices.Contains(x.Systems, s.room.Focus()) {
		return s.room.Focus()
	}
	for _, name := range x.Systems {
		if slices.Contains(s.room.State.On, name) {
			return name
		}
	}
	return s.room.Focus()
}

func (s *Sections) isOpen(x *lab.Section) bool { return !x.Folded || s.section(x.Key).open }

// Toggle opens a folded section or closes it, which stops what it computes.
func (s *Sections) Toggle(key string) {
	x := s.section(key)
	if x.open = !x.open; !x.open && x.call.Active() {
		calls.Stop(x.call)
		x.call, x.key = nil, ""
		s.room.Rev++
	}
	if !x.open {
		s.stop(x)
	}
	s.Follow()
}

// view is the text of a section's knobs.
func (s *Sections) view(x *lab.Section) string {
	pairs := make([]knob.Pair, len(x.Knobs))
	for i := range x.Knobs {
		pairs[i] = knob.Pair{Key: x.Knobs[i].Key, Text: s.room.State.Look.Text(x.Knobs[i].Key)}
	}
	return knob.Join(pairs, " ")
}

// Follow asks for what open sections lack. A section about a run waits
// until the run in focus is there.
func (s *Sections) Follow() {
	if s.room.State.View != state.Explore {
		return
	}
	for i := range s.room.Info.Sections {
		of := &s.room.Info.Sections[i]
		if !s.isOpen(of) || !s.has(of) {
			continue
		}
		x := s.section(of.Key)
		j := &exec.Job{Kind: exec.Section, Key: of.Key, View: s.view(of)}
		if of.Run {
			if s.runs.Blocked() != "" || s.runs.Active() {
				continue
			}
			j.Setup, j.System, j.Files = s.files.Runs(), s.system(of), s.files.NumberNow()
			if of.Key == lab.WhyKey {
				s.rival(j)
			}
		}
		key := fmt.Sprint(j.View, " ", j.Setup, " ", j.System, " ", j.Files, " ", j.Base)
		if x.key == key {
			continue
		}
		calls.Stop(x.call)
		s.stop(x)
		x.key = key
		s.start(x, j)
	}
}

// start asks for a section.
func (s *Sections) start(x *sectionState, j *exec.Job) {
	x.call = s.desk.Start(j, calls.Shown, func(a *exec.Answer) {
		x.call, x.err = nil, a.Error
		if len(j.Known) > 0 || x.shown == nil || a.Picks == nil {
			x.shown = a.Section
		}
		s.room.Rev++
		if a.Picks != nil {
			if x.picks = nil; j.Known == nil {
				s.begun, s.done = time.Time{}, 0
			}
			for _, p := range a.Picks {
				x.picks = append(x.picks, results.Run{Setup: p.Setup, System: p.System, Files: j.Files})
			}
			s.under, x.job = x, j
			s.feed(x)
		}
	})
}

// mapID is what a section's map is called among the charts of the page.
func mapID(section, m string) string { return "section-" + section + "-" + m }

// Maps returns the maps of a section as charts.
func (s *Sections) Maps(v *View) []chart.View {
	if v.Shown == nil {
		return nil
	}
	var list []chart.View
	for i := range v.Shown.Falls {
		f := &v.Shown.Falls[i]
		list = append(list, chart.Fall(mapID(v.Key, f.ID), f, s.room.Info.Timed))
	}
	for i := range v.Shown.Maps {
		m := &v.Shown.Maps[i]
		list = append(list, chart.Cells(mapID(v.Key, m.ID), m, s.room.State.Look))
	}
	for i := range list {
		list[i].Note = v.Title
	}
	return list
}

// PickCell does what picking a cell of the map with this ID does, and reports
// whether there is such a map.
func (s *Sections) PickCell(id string, n int64) bool {
	for key, x := range s.states {
		if x.shown == nil {
			continue
		}
		for i := range x.shown.Maps {
			if m := &x.shown.Maps[i]; mapID(key, m.ID) == id && m.Pick.Key != "" {
				s.pick(&m.Pick, n)
				return true
			}
		}
	}
	return false
}

// Pick gives a knob a text, and opens the section whose knob it is.
func (s *Sections) Pick(key, text string) {
	for _, x := range s.room.Info.Sections {
		if slices.ContainsFunc(x.Knobs, func(k knob.Info) bool { return k.Key == key }) {
			s.section(x.Key).open = true
		}
	}
	s.room.SetLook(key, text)
}

func (s *Sections) pick(p *report.Pick, n int64) {
	if s.room.Info.Section(p.Section) != nil {
		s.section(p.Section).open = true
	}
	s.room.Change("look "+p.Key, func() {
		pairs, err := knob.Pairs(p.Set)
		if err == nil {
			err = s.room.State.Look.Apply(append(pairs, knob.Pair{Key: p.Key, Text: strconv.FormatInt(n, 10)}))
		}
		if err != nil {
			s.room.Warn(err)
		}
	})
}

// offer makes a field for any text a list, where its section offers texts for it.
func offer(f *form.Field, s *report.Section) {
	if f.Kind != knob.Word || s == nil {
		return
	}
	at := slices.IndexFunc(s.Offers, func(o report.Offers) bool { return o.Key == f.Key })
	if at < 0 || len(s.Offers[at].Choices) == 0 {
		return
	}
	list := make([]knob.Choice, len(s.Offers[at].Choices))
	for i, o := range s.Offers[at].Choices {
		list[i] = knob.Choice{Key: o.Text, Label: o.Label}
	}
	text := f.Text
	if text == "" && !slices.ContainsFunc(list, func(c knob.Choice) bool { return c.Key == "" }) {
		text = list[0].Key // what a section shows where nobody chose
	}
	f.Kind, f.Options = knob.One, form.Offered(list, text)
}
