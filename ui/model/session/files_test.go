package session_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/bakery"
	"spillway/ui/model/sections"
)

// files are flour for the bakery.
func files(names ...string) []lab.File {
	var list []lab.File
	for _, n := range names {
		list = append(list, lab.File{Name: n, Data: []byte("field " + n)})
	}
	return list
}

// drop opens files and does what comes of it.
func (h *host) drop(names ...string) {
	h.Helper()
	h.Open(names, func(n, behind int) {
		list := slices.DeleteFunc(slices.Clone(h.dropped[behind]), func(f lab.File) bool { return slices.Contains(names, f.Name) })
		h.dropped[n] = append(list, files(names...)...)
		h.benches[h.Info.Name].Open(n, h.dropped[n])
	})
	if !h.Files.Opening || h.one(exec.Open).Files != h.Files.Number {
		h.Errorf("opening: %+v", h.Files)
	}
	h.do()
}

func TestOpenFiles(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.do()
	h.drop("rye", "wheat", "moldy")
	if f := h.Files; f.Number != 1 || f.Opening || f.Error != "" || len(f.Entries) != 3 || !slices.Equal(f.Notes, []string{"a note"}) || h.Entry() != "" {
		t.Errorf("%+v, entry %q", f, h.Entry())
	}
	h.Files.Filter = "FIELD whe"
	if es, n := h.Files.Shown(9); n != 1 || es[0].Name != "wheat" {
		t.Errorf("search found %v", es)
	}
	h.Files.Filter = ""
	if es, n := h.Files.Shown(2); n != 3 || len(es) != 2 {
		t.Errorf("%d of %d", len(es), n)
	}
	n := len(h.jobs)
	h.Files.Pick("moldy")
	h.Files.Pick("oats")
	if h.Entry() != "" || len(h.jobs) != n {
		t.Error("an entry that cannot be used was picked")
	}
	h.Type("portions", "7")
	h.Files.Pick("rye") // with its settings
	h.want("flour", "rye")
	h.want("watts", "700")
	h.want("spice", "salt")
	h.want("portions", "7")
	if j := h.of("oven"); j.Files != 1 || j.Setup != "dish=rye portions=7 flour=rye watts=700 spice=salt" {
		t.Errorf("%+v", j)
	}
	h.wantBlocked("")
	h.do()
	if pieces, _ := h.Form.Brief(); pieces[0] != "rye" || !strings.HasPrefix(pieces[2], "file's oven at 700") {
		t.Errorf("brief %q", pieces)
	}
	h.Undo()
	h.want("watts", "100")
	if h.Entry() != "" {
		t.Error("undo left the entry")
	}
	h.Redo()
	h.Choose("dish", "cake") // another workload leaves the file
	if h.Entry() != "" {
		t.Error("a bundled workload was chosen, and the file stayed")
	}
}

func TestOneEntryIsShownAtOnce(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.drop("wheat", "moldy")
	h.want("flour", "wheat")
	if h.run("oven").RunState() != "done" {
		t.Error(h.run("oven").RunState())
	}
	old := h.run("oven").Report
	h.drop("wheat") // other content, perhaps
	if h.run("oven").Report == old || h.Files.Number != 2 {
		t.Error("new files show the old report")
	}
	h.Type("watts", "50")
	j := h.of("oven")
	h.Open([]string{"oats", "rye"}, func(n, _ int) { h.benches["bakery"].Open(n, files("oats", "rye")) })
	if !h.over[j.ID] || h.Runs.Active() {
		t.Error("runs of the old files go on")
	}
	h.do()
	h.want("flour", "oats") // the first that can be used, in place of what is gone
	if x := h.run("oven"); x.Stale || x.Report == nil {
		t.Errorf("%+v", x)
	}
	h.Undo()
	h.want("flour", "wheat") // with the files that have it
	h.wantBlocked("")
	h.do()
	if x := h.run("oven"); x.Stale || x.Report == nil {
		t.Errorf("%+v", x)
	}
}

// Files that are dropped later join those that are open, in a step that Undo takes back and
// a sentence says; what they belong together with is read anew, and what has their name goes.
func TestLaterFilesJoin(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.drop("wheat")
	first := h.Files.Number
	undo, _ := h.Steps()
	h.drop("rye", "moldy")
	if !slices.Equal(h.Files.Names, []string{"wheat", "rye", "moldy"}) {
		t.Errorf("%v are open", h.Files.Names)
	}
	h.want("flour", "rye")
	if got, want := h.SideEffects, "rye and 1 more: added to wheat, with 2 workloads to choose from now. Undo leads back."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if now, _ := h.Steps(); len(now) != len(undo)+1 {
		t.Errorf("%d steps, there were %d", len(now), len(undo))
	}
	h.Files.Pick("wheat") // it is still there
	h.wantBlocked("")
	h.Undo()
	h.Undo()
	h.want("flour", "wheat")
	if h.Files.Number != first || !slices.Equal(h.Files.Names, []string{"wheat"}) {
		t.Errorf("after undo %v are open", h.Files.Names)
	}
	h.Redo()
	h.want("flour", "rye")
	h.wantBlocked("")
	if len(h.Files.Entries) != 3 {
		t.Errorf("after redo there are %v", h.Files.Entries)
	}
	h.drop("rye") // other content
	if len(h.Files.Entries) != 3 || len(h.Files.Names) != 3 {
		t.Errorf("%v are open", h.Files.Names)
	}
	h.want("flour", "rye")
}

func TestLinkAboutAFile(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&dish=rye&portions=9&flour=wheat&watts=77")
	h.wantBlocked(`This link is about a file. Drop the file or folder that holds "wheat" on the page.`)
	if len(h.open(exec.Run)) != 0 {
		t.Error("it runs without the file")
	}
	h.drop("rye", "wheat")
	h.wantBlocked("")
	h.want("watts", "77")
	if h.run("oven").RunState() != "done" || h.CanUndo() {
		t.Errorf("%q", h.run("oven").RunState())
	}
	h.Visit("v=2&lab=bakery&flour=oats")
	h.wantBlocked(`holds "oats"`)
	h.drop("rye")
	h.want("flour", "rye") // the only one that can be used
	h.Visit("v=2&lab=bakery&flour=moldy")
	h.drop("moldy", "rye", "wheat")
	h.wantBlocked(`moldy cannot be run: `)
	h.wantBlocked(`holds "moldy"`)
	h.Visit("v=2&lab=bakery&flour=spelt")
	h.drop("rye", "wheat")
	h.wantBlocked(`The opened files have no "spelt".`) // the link is about it: nothing else is chosen
}

func TestBadFiles(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.do()
	h.drop("stone")
	if f := h.Files; f.Error != "stone: a stone; want flour" || f.Opening {
		t.Errorf("%+v", f)
	}
	h.drop("moldy")
	if h.Files.Error != "Nothing to run was found in moldy." || h.Entry() != "" {
		t.Errorf("%+v", h.Files)
	}
	h.Open([]string{"a", "b", "c"}, func(int, int) {})
	first := h.listing()
	h.Open(nil, func(int, int) {})
	if !h.over[first.ID] || h.say(first, exec.Answer{Entries: []lab.Entry{{Name: "a"}}}) {
		t.Error("the first files are still read")
	}
	h.say(h.listing(), exec.Answer{})
	if h.Files.Error != "Nothing to run was found in the files." {
		t.Errorf("%+v", h.Files)
	}
	h.Open([]string{"a", "b", "c"}, func(int, int) {})
	h.say(h.listing(), exec.Answer{})
	if h.Files.Error != "Nothing to run was found in a and 2 more." {
		t.Errorf("%+v", h.Files)
	}
	h.Open([]string{"rye"}, func(int, int) {}) // nobody got the files
	h.do()
	if !strings.Contains(h.Files.Error, "no longer at hand") {
		t.Errorf("%+v", h.Files)
	}
}

func TestLaboratoryWithoutFiles(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.Info.Entry = ""
	h.Open([]string{"a"}, func(int, int) { t.Error("files were taken") })
	if h.Notice != "Bakery takes no files. Choose another laboratory at the top, then drop them again." {
		t.Errorf("notice %q", h.Notice)
	}
}

// Sets of files have numbers of their own in all laboratories.
func TestFilesOfTwoLaboratories(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.drop("wheat")
	h.Go("train")
	h.enter()
	h.Open([]string{"x"}, func(int, int) {})
	if h.Files.Number != 2 {
		t.Errorf("number %d", h.Files.Number)
	}
	h.Go("bakery")
	if h.Files.Number != 1 || h.Entry() != "wheat" || h.Runs.Blocked() != "" {
		t.Errorf("%+v", h.Files)
	}
}

// Reading large files tells how far it is, and can be given up: what was open
// before is open again, and what is shown stays.
func TestCancelOpening(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.drop("wheat")
	report, state := h.run("oven").Report, h.Link()
	h.Open([]string{"large"}, func(int, int) {})
	j := h.listing()
	if !h.Answer(&exec.Answer{ID: j.ID, Done: 250, Total: 1000}) || h.Files.Percent() != 25 || !h.Files.Opening {
		t.Errorf("%+v", h.Files)
	}
	h.Files.CancelOpening()
	if !h.over[j.ID] || h.Files.Opening || h.Files.Number != 1 || h.SideEffects != "Cancelled: large was not opened." {
		t.Errorf("%+v, told %q", h.Files, h.SideEffects)
	}
	h.do()
	if h.Entry() != "wheat" || h.Runs.Blocked() != "" || h.run("oven").Report != report || h.Link() != state {
		t.Errorf("entry %q, blocked %q", h.Entry(), h.Runs.Blocked())
	}
	h.SideEffects = ""
	if h.Files.CancelOpening(); h.SideEffects != "" || h.Files.Percent() != 0 {
		t.Error("there was nothing to cancel")
	}
}

// Files that cannot be opened take nothing away from what is open.
func TestRefused(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	h.drop("wheat")
	report := h.run("oven").Report
	h.Open([]string{"letter"}, func(int, int) {})
	j := h.listing()
	if c := h.Runs.ChartContext(); c.Waiting == "" {
		t.Error("while files are opened charts are said to be computed")
	}
	h.Answer(&exec.Answer{ID: j.ID, Last: true, Error: "letter: not a sack"})
	h.do()
	if f := h.Files; f.Number != 1 || f.Error != "letter: not a sack" || !f.Has("wheat") || f.Opening || h.Entry() != "wheat" || h.Runs.Blocked() != "" || h.run("oven").Report != report {
		t.Errorf("%+v, entry %q, blocked %q", h.Files, h.Entry(), h.Runs.Blocked())
	}
	if h.Runs.ChartContext().Waiting != "" {
		t.Error("charts wait for a file that is there")
	}
	h.drop("rye")
	if h.Files.Error != "" || h.Files.Number != 3 {
		t.Errorf("%+v", h.Files)
	}
}

// Who leaves an opened file has the bundled workload as it is, not what came with the file.
func TestLeaveFile(t *testing.T) {
	l := bakery.New()
	l.EntryPanel = "how"
	h := hostOf(t, "v=2&lab=bakery", nil, l)
	h.drop("wheat")
	h.Files.Pick("wheat")
	h.Type("watts", "77")
	h.Type("portions", "9")
	h.Choose(h.Info.Entry, "")
	h.want("watts", "100")
	h.want("portions", "9")
}

// fields are opened files one of whose entries has a knob and a section of its own.
type fields struct{}

func (fields) Notes() []string { return nil }

func (fields) Entries() []lab.Entry {
	return []lab.Entry{
		{Name: "rye"},
		{Name: "wheat", Sections: []string{"soil"}, Knobs: []lab.EntryKnob{{Key: "harvest", Choices: []knob.Choice{{Label: "the newest"}, {Key: "spring"}, {Key: "autumn"}}}, {Key: "weeds"}, {Key: "mill"}}},
	}
}

// What only some entries have is shown with those, is in the link, can be undone,
// and goes back when something else is shown.
func TestOwnKnobs(t *testing.T) {
	l := bakery.New()
	panel := l.Setup().Knob(l.Entry).Panel
	l.Knobs = append(slices.Clone(l.Knobs),
		knob.Info{Key: "harvest", Label: "Harvest", Help: "Which.", Kind: knob.Word, Panel: panel},
		knob.Info{Key: "weeds", Label: "Weeds", Help: "What they are.", Kind: knob.Rules, Panel: panel, Choices: []knob.Choice{{Key: "out"}, {Key: "in"}}},
		knob.Info{Key: "mill", Label: "Mill", Help: "Where.", Kind: knob.One, Panel: panel, Default: "near", Choices: []knob.Choice{{Key: "near"}, {Key: "far"}}})
	l.EntryKnobs, l.EntryShares = []string{"harvest", "weeds"}, []string{"mill"}
	l.Sections = append(slices.Clone(l.Sections), lab.Section{Key: "soil", Title: "Soil", Entry: true})
	h := hostOf(t, "v=2&lab=bakery", nil, l)
	h.benches["bakery"].Reader = func(*lab.Lab, []lab.File) (lab.Files, error) { return fields{}, nil }
	shown := func() (keys []string) {
		for _, f := range h.Form.Forms() {
			for _, g := range f.Groups {
				for _, x := range g.Fields {
					if f.Key == panel {
						keys = append(keys, x.Key)
					}
				}
			}
		}
		return keys
	}
	soil := func() bool {
		return slices.ContainsFunc(h.Sections.Views(), func(s sections.View) bool { return s.Key == "soil" })
	}
	bundled := shown()
	if slices.Contains(bundled, "harvest") || soil() {
		t.Errorf("without files: %q", bundled)
	}
	h.drop("rye", "wheat")
	h.Files.Pick("rye")
	if len(shown()) != 0 || soil() {
		t.Errorf("of an entry without: %q", shown())
	}
	h.Files.Pick("wheat")
	if !slices.Equal(shown(), []string{"harvest", "weeds", "mill"}) || !soil() {
		t.Errorf("of an entry with: %q", shown())
	}
	if f := h.Form.Field("harvest"); f.Kind != knob.One || len(f.Options) != 3 || !f.Options[0].Chosen || f.Changed {
		t.Errorf("%+v", f)
	}
	h.Choose("mill", "far") // which bundled recipes have as well: it leaves no entry
	if h.Entry() != "wheat" || !slices.Contains(bundled, "mill") {
		t.Errorf("it shows %q; bundled has %q", h.Entry(), bundled)
	}
	h.Choose("harvest", "autumn")
	h.Type("weeds", "dock*=out, *=perhaps")
	if f := h.Form.Field("weeds"); !strings.Contains(f.Error, `unknown "perhaps" behind *=; there are out, in`) || h.Entry() != "wheat" {
		t.Errorf("%+v", f)
	}
	h.Type("weeds", "dock*=out, *=in")
	h.want("weeds", "dock*=out,*=in")
	if link := h.Link(); !strings.Contains(link, "harvest=autumn") || !strings.Contains(link, "weeds=") {
		t.Error(link)
	}
	h.Undo()
	h.want("harvest", "autumn")
	h.Undo()
	h.want("harvest", "")
	h.Redo()
	h.Files.Pick("rye")
	h.want("harvest", "")
	h.Undo()
	h.want("harvest", "autumn")
	h.Choose(h.Info.Entry, "")
	h.want("harvest", "")
	if !slices.Equal(shown(), bundled) || soil() {
		t.Errorf("bundled again: %q", shown())
	}
	_ = h.State.Setup.Set("harvest", "winter")
	h.Files.Pick("wheat")
	_ = h.State.Setup.Set("harvest", "winter")
	if f := h.Form.Field("harvest"); len(f.Options) != 4 || f.Options[3].Label != "winter (not there)" {
		t.Errorf("%+v", f.Options)
	}
}

// Files that another laboratory takes are opened there, with one step that leads back.
func TestElsewhere(t *testing.T) {
	h := newHost(t, "v=2&lab=train&model=bert-base&batch=16")
	h.do()
	before := h.Link()
	const number = 1
	h.Open([]string{"wheat"}, func(n, _ int) { h.benches["bakery"].Open(n, files("wheat")) })
	h.say(h.one(exec.Open), exec.Answer{Takers: []exec.Taker{{Lab: "bakery", Title: "Bakery"}}})
	h.enter()
	h.do()
	if h.Info.Name != "bakery" || h.Entry() != "wheat" || h.Files.Number != number || h.Notice != "wheat is for the laboratory Bakery, which is shown now; Undo leads back to Training memory." {
		t.Errorf("%s shows %q of %+v: %s", h.Info.Name, h.Entry(), h.Files.Set, h.Notice)
	}
	if !h.CanUndo() {
		t.Fatal("nothing leads back")
	}
	h.Undo()
	if h.Info.Name != "train" || h.Link() != before || h.Files.Number != 0 || h.Files.Opening || h.CanUndo() {
		t.Errorf("%s shows %s with %+v", h.Info.Name, h.Link(), h.Files.Set)
	}
	h.Go("bakery")
	if h.Entry() != "" || !h.CanRedo() {
		t.Errorf("the bakery still shows %q", h.Entry())
	}
	h.Redo()
	h.want("flour", "wheat")

	// Where an entry was shown there, another is, and later steps are undone first.
	h.Go("train")
	h.Open([]string{"rye", "oats"}, func(n, _ int) { h.benches["bakery"].Open(n, files("rye", "oats")) })
	h.say(h.one(exec.Open), exec.Answer{Takers: []exec.Taker{{Lab: "bakery", Title: "Bakery"}}})
	h.do()
	if h.Info.Name != "bakery" || len(h.Files.Entries) != 2 {
		t.Errorf("%s has %+v", h.Info.Name, h.Files.Set)
	}
	h.want("flour", "rye")
	h.Type("watts", "70")
	h.Undo()
	h.want("watts", "700")
	h.Undo()
	if h.Info.Name != "train" {
		t.Errorf("%s is shown", h.Info.Name)
	}
}

// What several laboratories take opens in the one that is shown; the others are offered, and
// one step leads back from there. So is who takes any bytes at all, where nobody else does.
func TestOffered(t *testing.T) {
	h := newHost(t, "v=2&lab=train&model=bert-base&batch=16")
	h.do()
	bakes := exec.Taker{Lab: "bakery", Title: "Bakery"}
	drop := func(name string, a exec.Answer) {
		h.Open([]string{name}, func(n, _ int) {
			h.benches["bakery"].Open(n, files(name))
			h.benches["train"].Open(n, files(name))
		})
		h.say(h.one(exec.Open), a)
		h.enter()
		h.do()
	}
	drop("wheat", exec.Answer{Takers: []exec.Taker{{Lab: "train", Title: "Training memory"}, bakes}})
	if h.Info.Name != "train" || len(h.Files.Takers()) != 1 || h.Files.Offering() != "wheat can also be opened in Bakery." {
		t.Fatalf("%s offers %q", h.Info.Name, h.Files.Offering())
	}
	h.OpenIn("smithy")
	h.OpenIn("bakery")
	h.enter()
	h.do()
	if h.Info.Name != "bakery" || h.Entry() != "wheat" || h.Files.Offering() != "wheat can also be opened in Training memory." {
		t.Errorf("%s shows %q and offers %q", h.Info.Name, h.Entry(), h.Files.Offering())
	}
	if h.Undo(); h.Info.Name != "train" || h.Entry() != "wheat" {
		t.Errorf("undo leads to %s", h.Info.Name)
	}
	if h.Undo(); h.Info.Name != "train" || h.Entry() != "" || h.CanUndo() {
		t.Errorf("before what was dropped %s has %q", h.Info.Name, h.Entry())
	}
	drop("letter", exec.Answer{Error: "letter: text, but none that is known", Takers: []exec.Taker{bakes}})
	if h.Info.Name != "train" || !strings.HasPrefix(h.Files.Error, "letter: text") || h.Files.Offering() != "Nothing here is a trace. Look at how its bytes compress?" {
		t.Errorf("%s, %q, %q", h.Info.Name, h.Files.Error, h.Files.Offering())
	}
	if h.Files.Decline(); h.Files.Offering() != "" {
		t.Error(h.Files.Offering())
	}
	drop("letter", exec.Answer{Error: "letter: text, but none that is known", Takers: []exec.Taker{bakes}})
	h.OpenIn("bakery")
	h.do()
	if h.Info.Name != "bakery" || h.Entry() != "letter" {
		t.Errorf("%s shows %q", h.Info.Name, h.Entry())
	}
	if h.Undo(); h.Info.Name != "train" {
		t.Errorf("undo leads to %s", h.Info.Name)
	}
}

// An entry that stands for its settings is chosen by them: no entry stays open, and the link has
// all of it.
func TestEntryThatStands(t *testing.T) {
	h := hostOf(t, "v=2&lab=bakery", nil, bakery.New())
	h.drop("recipe")
	h.want("dish", "rye")
	h.want("watts", "600")
	if h.Entry() != "" || len(h.Needs()) > 0 || strings.Contains(h.Link(), "recipe") || h.Files.Error != "" {
		t.Errorf("entry %q, needs %q, link %s, %s", h.Entry(), h.Needs(), h.Link(), h.Files.Error)
	}
	h.Undo()
	if h.State.Setup.Text("watts") == "600" {
		t.Error("what a file brought is not undone")
	}
}

// An entry that only some systems take is compared with these; another workload with those that
// are compared at first again.
func TestEntryOfSystems(t *testing.T) {
	h := hostOf(t, "v=2&lab=bakery", nil, bakery.New())
	first := strings.Join(h.State.On, " ")
	on := func(want string) {
		t.Helper()
		if got := strings.Join(h.State.On, " "); got != want {
			t.Errorf("%s are compared, want %s", got, want)
		}
	}
	h.drop("clay")
	on("kiln")
	if h.Focus() != "kiln" || h.Entry() != "clay" {
		t.Errorf("%s in focus, entry %q", h.Focus(), h.Entry())
	}
	h.Undo()
	on(first)
	h.Redo()
	on("kiln")
	h.Choose("dish", "cake")
	on(first)
	h.drop("clay", "wheat")
	h.Files.Pick("clay")
	on("kiln")
	h.Files.Pick("wheat")
	on(first)
	h.Files.Pick("clay")
	h.ToggleSystem("oven")
	h.Files.Pick("wheat") // what somebody chose stays
	on("oven kiln")

	h = hostOf(t, "v=2&lab=bakery&flour=clay", nil, bakery.New()) // a link by hand that names no systems
	h.drop("clay")
	on("kiln")
	h = hostOf(t, "v=2&lab=bakery&flour=clay&systems=oven,kiln", nil, bakery.New())
	h.drop("clay")
	on("oven kiln")
}
