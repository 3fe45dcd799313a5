package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/link"
	"spillway/ui/model/state"
)

// A Host does for a session what needs the browser.
type Host interface {
	// Host does jobs; their answers come back through Session.Answer.
	calls.Host
	// Fetch asks for a laboratory's Info; it comes back through Session.Enter.
	Fetch(lab string)
	// Stored returns the text that the browser keeps under a name, "" if none.
	Stored(name string) string
	// Store has the browser keep a text, and reports whether it does.
	Store(name, text string) bool
}

// A Tab is a laboratory as the head of the page lists it.
type Tab struct {
	Name, Title, About string
	// Lean says that its program does no Whole jobs: a second one does.
	Lean bool
}

// A Session is one visitor's work in all laboratories.
type Session struct {
	Tabs []Tab
	// Room is the laboratory that is shown, nil before its Info has come.
	*Room
	// Notice is said once at the top of the page, empty if nothing.
	Notice string
	// Version is that of the program, as bundles name it.
	Version string
	// Checking is the bundle that was opened last, nil if none.
	Checking *Checking

	host    Host
	calls   *calls.Table
	changed bool // since the newest answer came: what is shown is to be drawn
	rooms   map[string]*Room
	wanted  string     // the laboratory whose Info was asked for
	arrived *link.Link // the link that asked for it, nil if none did
	number  int        // of the newest set of files, in any room
	seed    *Seed
	memory  []memory
	brought *brought // files that come with the link that is being opened
}

// NewSession returns a session that shows what a link's fragment says.
func NewSession(tabs []Tab, fragment string, h Host) *Session {
	n := &Session{Tabs: tabs, host: h, calls: calls.NewTable(h), rooms: map[string]*Room{}}
	n.Visit(fragment)
	return n
}

// Wanted is the laboratory that is shown or asked for.
func (n *Session) Wanted() string {
	if n.wanted != "" {
		return n.wanted
	}
	if n.Room != nil {
		return n.Room.Info.Name
	}
	return ""
}

// Visit shows the state of a link.
func (n *Session) Visit(fragment string) {
	link, err := link.Parse(fragment)
	n.Notice = ""
	if err != nil {
		n.Notice = prose.Capital(err.Error()) + "."
	}
	name := link.Lab
	if name == "" {
		name = n.Tabs[0].Name
	}
	if !slices.ContainsFunc(n.Tabs, func(t Tab) bool { return t.Name == name }) {
		n.Notice = fmt.Sprintf("This link is about the laboratory %q, which this version does not have.", name)
		name, link.Pairs = n.Tabs[0].Name, nil
	}
	n.open(name, &link)
}

// Go shows another laboratory as it was left.
func (n *Session) Go(name string) { n.open(name, nil) }

func (n *Session) open(name string, link *link.Link) {
	r := n.rooms[name]
	if r == nil {
		n.wanted, n.arrived = name, link
		n.host.Fetch(name)
		return
	}
	n.wanted = ""
	if n.Room != nil && n.Room != r {
		n.Room.rest()
	}
	n.Room = r
	if link != nil {
		r.take()
		r.visit(link)
		return
	}
	r.resume()
	r.Refresh()
}

// Enter takes the Info that Fetch asked for. A non-empty problem says why it has
// only the name.
func (n *Session) Enter(info *lab.Info, problem string) {
	if problem != "" {
		if n.wanted == info.Name { // not another by now
			n.Notice = fmt.Sprintf("The laboratory cannot be opened: %s. Check the connection, then choose it again.", problem)
			n.wanted = ""
		}
		return
	}
	if n.rooms[info.Name] == nil {
		n.rooms[info.Name] = newRoom(n, info)
	}
	if n.wanted == info.Name {
		n.open(info.Name, n.arrived)
	}
}

// Answer takes what a worker said. Answers to jobs that nobody waits for any
// more are dropped; it reports whether something that is shown changed.
func (n *Session) Answer(a *exec.Answer) bool {
	n.changed = false
	n.calls.Answer(a)
	return n.changed
}

// A Run is one system's part of a comparison.
type Run struct {
	System *lab.System
	On     bool // compared

	// What is known. Stale is true when the settings have changed since.
	Report    *report.Report
	Error     string
	Cancelled bool
	Stale     bool
	// Seeded is true of a report that the site came with.
	Seeded bool

	call *calls.Call // what computes it
	key  string      // of the setup that Report, Error or the call is about
}

// Active reports whether the run waits or computes.
func (r *Run) Active() bool { return r.call.Active() }

// Nothing reports whether what is shown cannot be run by any system.
func (r *Room) Nothing() bool { return r.about != nil && r.about.Nothing && r.Entry() != "" }

// Shown reports whether the run has numbers to draw.
func (r *Run) Shown() bool { return r.On && r.Report != nil && r.Report.Fits }

// Status is what stands in place of a bar, empty if there is one.
func (r *Run) Status() string {
	switch {
	case r.Cancelled && r.Stale:
		return "cancelled"
	case r.Report != nil && !r.Report.Fits:
		return unfit(r.Report)
	case r.Report != nil:
		return ""
	case r.Error != "":
		return "failed"
	case r.Cancelled:
		return "cancelled"
	case r.Active():
		return "running…"
	}
	return "not run"
}

// RunState says in a word or two how a run stands.
func (r *Run) RunState() string {
	switch {
	case r.Active() && r.Seeded:
		return "done" // the same is computed here
	case r.Active() && r.call.Total > 0:
		return fmt.Sprintf("%d %%", r.Percent())
	case r.Active():
		return "waiting"
	case r.Error != "":
		return "failed"
	case r.Cancelled:
		return "cancelled"
	case r.Stale:
		return "outdated"
	case r.Report == nil:
		return ""
	case !r.Report.Fits:
		return unfit(r.Report)
	}
	return "done"
}

// unfit says in a few words why a report has no numbers.
func unfit(r *report.Report) string {
	if r.Nothing {
		return "nothing to run"
	}
	return "does not fit"
}

// Percent is the progress from 0 to 100.
func (r *Run) Percent() int { return int(100 * r.call.Part()) }

// A Room is the visitor's work in one laboratory: the state, what was typed,
// what runs, what came out, and the way back.
type Room struct {
	Info  *lab.Info
	State state.State
	Runs  []Run
	Files Files
	Paper *Papers
	Ask   *Ask
	Shelf *Shelf
	// Problems is what contradicts in the settings, so that nothing can run.
	Problems []string
	// Told is what the newest change did besides what was asked, empty if nothing.
	Told string
	// Rev counts changes of anything that charts depend on.
	Rev int

	begun      time.Time // when the newest run was asked for whose last result is shown
	session    *Session
	about      *report.Report // the newest, for what all have in common
	problemOf  string         // the setup that Problems is about
	drafts     map[string]string
	before     []string        // names of the files that were open before a reload
	wishes     map[string]wish // by key: what a knob had before another choice took it
	presets    []*knob.Setup
	sections   map[string]*sectionState
	cache      cache
	codec      *link.Codec
	exporting  *export
	writing    *calls.Call // a run on its way into a file of another format
	binding    *calls.Call // a bundle on its way into a file
	undo, redo []snapshot
	lastEdit   string // field of the newest undo step, to join keystrokes
	tour       int    // stop of the tour that is shown, from 1; 0 without one
	seeds      seeding
	toured     string // key of the section that the stop opened, empty if none
}

func newRoom(n *Session, i *lab.Info) *Room {
	r := &Room{Info: i, State: state.Opening(i), session: n, drafts: map[string]string{}, wishes: map[string]wish{}, sections: map[string]*sectionState{}, cache: cache{max: 128}, codec: link.For(i)}
	for k := range i.Systems {
		r.Runs = append(r.Runs, Run{System: &i.Systems[k]})
	}
	r.Paper, r.Ask, r.Shelf = newPapers(r), newAsk(r), newShelf(r)
	return r
}

// visit shows the state of a link.
func (r *Room) visit(l *link.Link) {
	s := state.Opening(r.Info)
	if !l.Empty {
		var err error
		if s, err = link.Read(r.Info, l.Pairs); err != nil {
			r.session.Notice = strings.TrimPrefix(r.session.Notice+" "+prose.Capital(err.Error())+".", " ")
		}
	}
	s.Keep(&r.State)
	if len(r.undo) == 0 && r.about == nil {
		r.State = s // nothing to come back to
		r.recall()
		r.Refresh()
		return
	}
	if s.Setup.Equal(r.State.Setup) && slices.Equal(s.On, r.State.On) && s.Look.Equal(r.State.Look) && s.Ask.Equal(r.State.Ask) && s.SameRuns(&r.State) {
		r.State.View, r.State.Figure, r.State.Zoom = s.View, s.Figure, s.Zoom // no settings, so nothing to undo
		r.Refresh()
		return
	}
	r.Change("", func() {
		r.State = s
		clear(r.drafts)
	})
}

// Link is the link to what is shown.
func (r *Room) Link() string { return r.codec.Encode(&r.State) }

// Entry is the entry of opened files that is shown, empty for a bundled
// workload.
func (r *Room) Entry() string {
	if r.Info.Entry == "" {
		return ""
	}
	return r.State.Setup.Text(r.Info.Entry)
}

// number is the set of files that jobs about the shown workload need.
func (r *Room) number() int { return r.filesOf(r.State.Setup) }

// Blocked says why nothing can run now, empty if it can.
func (r *Room) Blocked() string {
	switch bad := len(r.Wrong()); {
	case bad == 1:
		return "One setting is not valid. Correct it to run." + r.shownMeanwhile()
	case bad > 1:
		return fmt.Sprintf("%d settings are not valid. Correct them to run.", bad) + r.shownMeanwhile()
	case len(r.Problems) > 0:
		return r.Info.ContradictionHelp + r.shownMeanwhile() + " " + prose.Sentences(r.Problems)
	case r.lost() && r.Files.Opening:
		return "Files are being read."
	case r.lost():
		if len(r.before) > 0 {
			return fmt.Sprintf("After a reload the page no longer has your files. Drop %s again.", describe(r.before))
		}
		if e := r.entry(); e != nil {
			return fmt.Sprintf("%s cannot be run: %s. Choose another of the opened files, or drop the file or folder that holds %q.", e.Name, strings.TrimSuffix(e.Error, "."), e.Name)
		}
		if r.Files.Number > 0 {
			return fmt.Sprintf("The opened files have no %q. Choose what they have, or drop the file or folder that holds %q.", r.Entry(), r.Entry())
		}
		return fmt.Sprintf("This link is about a file. Drop the file or folder that holds %q on the page.", r.Entry())
	}
	return ""
}

// shownMeanwhile says what the charts show while the settings cannot run.
func (r *Room) shownMeanwhile() string {
	if slices.ContainsFunc(r.Runs, func(x Run) bool { return x.On && x.Report != nil }) {
		return " The charts show the last valid settings."
	}
	return ""
}

// lost reports whether what is shown is of a file that is not here.
func (r *Room) lost() bool { return r.Entry() != "" && !r.Files.Has(r.Entry()) }

// key is equal for equal runs.
func (r *Room) key(system string) string {
	return runKey(r.runs(), system, r.number())
}

// runKey is equal for equal runs: of a setup, a system and a set of files.
func runKey(setup, system string, files int) string {
	return setup + " system=" + system + " files=" + strconv.Itoa(files)
}

// Refresh starts what the state asks for and is neither known nor under way, and
// stops what it no longer asks for.
func (r *Room) Refresh() {
	r.Rev++
	if setup := r.State.Setup.String(); r.problemOf != setup {
		r.Problems, r.problemOf = nil, setup
	}
	if r.seeds.of != "" && r.seeds.of != r.seedsOf() {
		r.stopSeeds()
	}
	blocked := r.Blocked() != "" || r.State.View != state.Explore
	var stop []*calls.Call
	var start []*Run
	for i := range r.Runs {
		x := &r.Runs[i]
		x.On = slices.Contains(r.State.On, x.System.Name)
		key := r.key(x.System.Name)
		if x.Active() && (blocked || !x.On || x.key != key) {
			stop = append(stop, x.call)
			x.call, x.key = nil, ""
		}
		if !x.On || x.Active() || x.key == key && (x.Cancelled || !x.Stale) {
			continue
		}
		if blocked {
			x.Stale = x.key != key
			continue
		}
		if known := r.cache.get(key); known != nil {
			x.key, x.Report, x.Error, x.Cancelled, x.Stale = key, known, "", false, false
			r.about = known
			continue
		}
		start = append(start, x)
	}
	calls.Stop(stop...)
	for _, x := range start {
		r.start(x)
	}
	r.refreshSurvey() // behind what can be said without it
	r.Paper.refresh()
	r.Ask.refresh()
	r.Shelf.refresh()
	r.refreshSections()
}

func (r *Room) start(x *Run) {
	if x.Report != nil { // else there is nothing that could stand meanwhile
		r.begun = time.Now()
	}
	x.key, x.Stale, x.Cancelled = r.key(x.System.Name), x.Report != nil || x.Error != "", false
	if x.Seeded = false; !x.Stale {
		if known := r.session.sown(r.Info.Name, x.key); known != nil {
			x.Report, x.Seeded, r.about = known, true, known
		}
	}
	j := &exec.Job{Kind: exec.Run, Setup: r.runs(), System: x.System.Name, Files: r.number()}
	x.call = r.call(j, calls.Shown, func(a *exec.Answer) { r.ran(x, a) })
}

// call starts a job of this laboratory; ended gets its last answer. What is shown is drawn
// anew then, and whenever the job says how far it is.
func (r *Room) call(j *exec.Job, p calls.Priority, ended func(*exec.Answer)) *calls.Call {
	j.Lab = r.Info.Name
	return r.session.calls.Start(j, p, func(*calls.Call) { r.draw() }, func(a *exec.Answer) {
		ended(a)
		r.draw()
	})
}

// draw has the laboratory drawn anew, if it is shown.
func (r *Room) draw() {
	if r.session.Room == r {
		r.session.changed = true
	}
}

// rest stops what is under way in a room that is left.
func (r *Room) rest() {
	var stop []*calls.Call
	for i := range r.Runs {
		if x := &r.Runs[i]; x.Active() {
			stop = append(stop, x.call)
			x.call, x.key = nil, ""
		}
	}
	calls.Stop(stop...)
	r.stopSeeds()
	r.pauseAll()
	r.Ask.rest()
	r.Shelf.rest()
}

// ran takes what came of a run.
func (r *Room) ran(x *Run, a *exec.Answer) {
	r.Rev++
	if len(a.Problems) > 0 {
		r.Problems, r.problemOf = a.Problems, r.State.Setup.String()
		x.Stale, x.key = true, ""
		r.Refresh()
		return
	}
	x.Stale, x.Seeded, x.Report, x.Error = false, false, a.Report, a.Error
	if a.Report != nil {
		r.about = a.Report
		r.cache.put(x.key, a.Report)
	}
	r.refreshSections()
}

// grace is how long what was drawn before stands while new runs are under way:
// most are done by then, and are drawn once.
const grace = 700 * time.Millisecond

// Brewing reports whether runs have begun so lately that all their results may be
// there in a moment.
func (r *Room) Brewing() bool { return r.Active() && time.Since(r.begun) < grace }

// About describes what runs, and Origin where it came from; empty before the
// first report.
func (r *Room) About() (about, origin string) {
	if r.about == nil {
		return "", ""
	}
	return r.about.About, r.about.Origin
}

// Active reports whether anything waits or computes.
func (r *Room) Active() bool {
	return slices.ContainsFunc(r.Runs, func(x Run) bool { return x.Active() })
}

// Cancel stops everything that runs.
func (r *Room) Cancel() {
	var stop []*calls.Call
	for i := range r.Runs {
		if x := &r.Runs[i]; x.Active() {
			stop = append(stop, x.call)
			x.call, x.Cancelled = nil, true
		}
	}
	calls.Stop(stop...)
	r.Rev++
}

// RunAgain starts what was cancelled or failed, the baseline's runs too.
func (r *Room) RunAgain() {
	for i := range r.Runs {
		if x := &r.Runs[i]; x.On && !x.Active() && (x.Cancelled || x.Error != "") {
			x.key, x.Error = "", ""
		}
	}
	for _, name := range r.Shelf.baseAgain() {
		delete(r.Shelf.base, name)
	}
	r.Refresh()
}

// CanRunAgain reports whether something was cancelled or failed.
func (r *Room) CanRunAgain() bool {
	return len(r.Shelf.baseAgain()) > 0 || slices.ContainsFunc(r.Runs, func(x Run) bool { return x.On && !x.Active() && (x.Cancelled || x.Error != "") })
}

// Focus is the system in focus: the chosen one if it is compared, else the last
// that is.
func (r *Room) Focus() string {
	name := r.State.Look.Text(state.FocusKey)
	if slices.Contains(r.State.On, name) || len(r.State.On) == 0 {
		return name
	}
	return r.State.On[len(r.State.On)-1]
}

// A snapshot is everything that undo brings back.
type snapshot struct {
	state  state.State
	drafts map[string]string
}

func (r *Room) snapshot() snapshot {
	drafts := make(map[string]string, len(r.drafts))
	maps.Copy(drafts, r.drafts)
	return snapshot{r.State.Clone(), drafts}
}

func (r *Room) restore(s snapshot) {
	s.state.View, s.state.Figure, s.state.Zoom = r.State.View, r.State.Figure, r.State.Zoom // undo is about settings
	s.state.Keep(&r.State)
	r.State, r.drafts, r.lastEdit, r.Told = s.state, s.drafts, "", ""
	clear(r.wishes)
	r.Refresh()
}

// Change does a named step that Undo takes back. Steps of the same name in a row
// are one step when the name is not empty.
func (r *Room) Change(name string, do func()) {
	before := r.snapshot()
	r.Told = ""
	do()
	if name == "" || name != r.lastEdit || len(r.undo) == 0 {
		r.undo = append(r.undo, before)
		if len(r.undo) > 500 {
			r.undo = slices.Delete(r.undo, 0, 100)
		}
	}
	r.redo, r.lastEdit = nil, name
	r.Refresh()
}

// CanUndo reports whether there is a step to take back.
func (r *Room) CanUndo() bool { return len(r.undo) > 0 }

// CanRedo reports whether a step was taken back.
func (r *Room) CanRedo() bool { return len(r.redo) > 0 }

// Undo takes the newest step back.
func (r *Room) Undo() {
	if last := len(r.undo) - 1; last >= 0 {
		r.redo = append(r.redo, r.snapshot())
		s := r.undo[last]
		r.undo = r.undo[:last]
		r.restore(s)
	}
}

// Redo takes the newest undone step again.
func (r *Room) Redo() {
	if last := len(r.redo) - 1; last >= 0 {
		r.undo = append(r.undo, r.snapshot())
		s := r.redo[last]
		r.redo = r.redo[:last]
		r.restore(s)
	}
}

// Type types into a field.
func (r *Room) Type(key, text string) {
	r.Change(key, func() {
		r.drafts[key] = text
		if k := r.State.Setup.Knob(key); k != nil && k.Zero != "" && strings.TrimSpace(text) == "" {
			r.drafts[key], text = "", "0"
		}
		_ = r.State.Setup.Set(key, text) // the field shows the error
	})
}

// Choose gives a knob one of its choices. What was typed stays, except into
// fields that the choice sets. Choosing another workload leaves an opened file.
func (r *Room) Choose(key, choice string) {
	r.Change("", func() {
		before := r.State.Setup.Clone()
		if err := r.State.Setup.Set(key, choice); err != nil {
			r.session.Notice = prose.Capital(err.Error()) + "."
			return
		}
		r.settled(before, key)
		k := r.State.Setup.Knob(key)
		if r.Entry() != "" && r.Info.Leaves(key) || key == r.Info.Entry {
			_ = r.State.Setup.Set(r.Info.Entry, "")
			r.resetOwn()
		}
		if c := k.Choice(choice); c != nil && k.Kind == knob.One {
			pairs, _ := knob.Pairs(c.Set + " " + c.Also) // lab.New has checked it
			for _, p := range pairs {
				delete(r.drafts, p.Key)
			}
		}
	})
}

// A wish is what was chosen of a knob until another knob's choice did not allow
// it, and what it got instead.
type wish struct{ was, instead string }

// settled says which knobs a new choice of key gave another value because it does
// not allow theirs, and gives back what an earlier one had taken.
func (r *Room) settled(before *knob.Setup, key string) {
	u := r.State.Setup
	delete(r.wishes, key)
	var said []string
	for i := range u.Knobs() {
		k := &u.Knobs()[i]
		if k.Key == key || k.Derived || k.Kind != knob.One {
			continue
		}
		was, is := before.Text(k.Key), u.Text(k.Key)
		w, wished := r.wishes[k.Key]
		switch {
		case was != is && !allowed(u, k.Key, was):
			r.wishes[k.Key] = wish{cmp.Or(w.was, was), is}
			said = append(said, fmt.Sprintf("%s: now %s, because there is no %q with %s.", k.Label, choiceLabel(k, is), choiceLabel(k, was), limiter(u, k.Key)))
		case wished && is == w.instead && u.Valid(k.Key, w.was) == nil:
			delete(r.wishes, k.Key)
			_ = u.Set(k.Key, w.was) // it is valid
			said = append(said, fmt.Sprintf("%s: %s again, as chosen before.", k.Label, choiceLabel(k, w.was)))
		case was != is && k.Always && k.Panel != u.Knob(key).Panel: // where nobody would look
			said = append(said, fmt.Sprintf("%s: now %s.", k.Label, choiceLabel(k, is)))
		}
	}
	r.Told = strings.Join(said, " ")
}

// allowed reports whether the choices that stand allow a One this text.
func allowed(u *knob.Setup, key, text string) bool {
	l := u.Limit(key)
	return l == nil || len(l.Choices) == 0 || slices.Contains(l.Choices, text)
}

// limiter names the choice that limits a knob.
func limiter(u *knob.Setup, key string) string {
	for _, c := range u.Chosen() {
		if slices.ContainsFunc(c.Limits, func(l knob.Limit) bool { return l.Key == key }) {
			return label(c)
		}
	}
	return ""
}

// choiceLabel is the label of one of a knob's choices.
func choiceLabel(k *knob.Info, key string) string {
	if c := k.Choice(key); c != nil {
		return label(c)
	}
	return key
}

// Flip turns one member of a Many on or off.
func (r *Room) Flip(key, member string) {
	u := r.State.Setup
	list := slices.Clone(u.Knob(key).Members(u.Text(key)))
	if i := slices.Index(list, member); i >= 0 {
		list = slices.Delete(list, i, i+1)
	} else {
		list = append(list, member)
	}
	r.Choose(key, strings.Join(list, ","))
}

// Reset gives one field what it goes back to.
func (r *Room) Reset(key string) {
	r.Change("", func() {
		delete(r.drafts, key)
		r.State.Setup.Reset(key)
	})
}

// ResetPanel gives every field of a panel what it goes back to; presets stay.
func (r *Room) ResetPanel(panel string) {
	r.Change("", func() {
		for i := range r.Info.Knobs {
			k := &r.Info.Knobs[i]
			if k.Panel == panel && !k.Derived && !bringsOthers(k) {
				delete(r.drafts, k.Key)
				r.State.Setup.Reset(k.Key)
			}
		}
	})
}

// Preset is the key of the preset that the settings are, "" if none.
func (r *Room) Preset() string {
	if r.presets == nil {
		for i := range r.Info.Presets {
			r.presets = append(r.presets, state.OfPreset(r.Info, &r.Info.Presets[i]))
		}
	}
	for i, u := range r.presets {
		if u.Equal(r.State.Setup) {
			return r.Info.Presets[i].Key
		}
	}
	return ""
}

// UsePreset gives every setting what a preset says.
func (r *Room) UsePreset(key string) {
	for i := range r.Info.Presets {
		if p := &r.Info.Presets[i]; p.Key == key {
			r.Change("", func() {
				r.State.Setup = state.OfPreset(r.Info, p)
				r.State.CompareLike(r.Info, p)
				clear(r.drafts)
				clear(r.wishes)
			})
		}
	}
}

// OpenLine shows the run behind a row of the paper's figure that is shown, as it
// was published, with the system in focus.
func (r *Room) OpenLine(i int) {
	s := r.Paper.Sheet()
	if s == nil || i < 0 || i >= len(s.Rows) {
		return
	}
	line := &s.Rows[i]
	u, err := r.Info.Read(line.Set)
	if err != nil {
		r.session.Notice = prose.Capital(err.Error()) + "."
		return
	}
	r.State.View = state.Explore
	r.Change("", func() {
		r.State.Setup = u
		clear(r.drafts)
		if !slices.Contains(r.State.On, line.System) {
			r.State.Toggle(r.Info, line.System)
		}
		_ = r.State.Look.Set(state.FocusKey, line.System) // one of the laboratory's
	})
}

// ToggleSystem adds a system to the comparison or takes it out.
func (r *Room) ToggleSystem(name string) {
	r.Change("", func() { r.State.Toggle(r.Info, name) })
}

// SetLook gives a knob of the view a text.
func (r *Room) SetLook(key, text string) {
	r.Change("look "+key, func() {
		if err := r.State.Look.Set(key, text); err != nil {
			r.session.Notice = prose.Capital(err.Error()) + "."
		}
	})
}

// SetView shows another view.
func (r *Room) SetView(v state.View) {
	r.State.View = v
	r.Refresh()
}

// cache keeps the newest reports, so that undo and comparing back and forth need
// no second run.
type cache struct {
	max  int
	keys []string
	m    map[string]*report.Report
}

func (c *cache) get(key string) *report.Report { return c.m[key] }

func (c *cache) put(key string, r *report.Report) {
	if c.m == nil {
		c.m = map[string]*report.Report{}
	}
	if c.m[key] == nil {
		c.keys = append(c.keys, key)
	}
	c.m[key] = r
	if len(c.keys) > c.max {
		delete(c.m, c.keys[0])
		c.keys = slices.Delete(c.keys, 0, 1)
	}
}

// forget drops everything: what files mean has changed.
func (c *cache) forget() { c.keys, c.m = nil, nil }
