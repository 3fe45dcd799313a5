package session_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/sections"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
)

// usual is how many systems are compared unless somebody chooses others.
func usual(l *lab.Info) (n int) {
	for i := range l.Systems {
		if !l.Systems[i].Off {
			n++
		}
	}
	return n
}

func TestEverySystemStarts(t *testing.T) {
	h := newHost(t, quick)
	jobs := h.open(exec.Run)
	if len(jobs) != len(h.State.On) || len(jobs) != usual(h.Info) {
		t.Fatalf("%d jobs for %d systems that are compared", len(jobs), len(h.State.On))
	}
	for i, j := range jobs {
		if j.ID == 0 || j.Lab != "train" || j.Kind != exec.Run || j.System != h.State.On[i] || j.Setup != h.State.Setup.String() || j.Files != 0 || h.bulk[j.ID] {
			t.Errorf("job %d: %+v", i, j)
		}
	}
	x := h.run("uvm")
	if x.RunState() != "waiting" || x.Status() != "running…" || !h.Runs.Active() {
		t.Errorf("%q, %q", x.RunState(), x.Status())
	}
	j := h.of("uvm")
	if !h.Answer(&exec.Answer{ID: j.ID, Done: 1, Total: 4}) || x.RunState() != "25 %" || x.Percent() != 25 {
		t.Errorf("%q, %d", x.RunState(), x.Percent())
	}
	rev := h.Rev
	if !h.say(j, good(1)) || x.RunState() != "done" || x.Status() != "" || !x.Shown() || h.Rev == rev {
		t.Errorf("%q, %q", x.RunState(), x.Status())
	}
	if about, origin := h.Runs.About(); about != "about it" || origin != "from there" {
		t.Errorf("%q, %q", about, origin)
	}
	h.say(h.of("g10"), exec.Answer{Report: &report.Report{Reason: "large"}})
	if x := h.run("g10"); x.RunState() != "does not fit" || x.Status() != "does not fit" || x.Shown() {
		t.Errorf("%q, %q", x.RunState(), x.Status())
	}
	h.say(h.of("ideal"), exec.Answer{Error: "bad luck"})
	if x := h.run("ideal"); x.RunState() != "failed" || x.Status() != "failed" || !h.Runs.CanRunAgain() {
		t.Errorf("%q, %q", x.RunState(), x.Status())
	}
	h.Runs.RunAgain()
	if x := h.run("ideal"); x.RunState() != "waiting" || h.run("uvm").Active() {
		t.Errorf("%q", x.RunState())
	}
}

func TestSystemsThatAreOffStartNothing(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	if got := h.State.On; !slices.Equal(got, []string{"dream", "oven"}) || len(h.open(exec.Run)) != 2 || h.run("kiln").On {
		t.Errorf("on: %v", got)
	}
	h.ToggleSystem("kiln")
	h.ToggleSystem("dream")
	if got := h.State.On; !slices.Equal(got, []string{"oven", "kiln"}) || len(h.open(exec.Run)) != 2 || h.run("dream").Active() {
		t.Errorf("on: %v", got)
	}
	h.do()
	if f := h.Focus(); f != "oven" || h.run("kiln").RunState() != "done" {
		t.Errorf("focus %q, %q", f, h.run("kiln").RunState())
	}
	h.ToggleSystem("oven")
	if f := h.Focus(); f != "kiln" {
		t.Errorf("what is in focus is not compared: %q", f)
	}
}

func TestOutdatedAnswersAreDropped(t *testing.T) {
	h := newHost(t, quick)
	old := h.of("uvm")
	h.Type("gpu_memory", "20")
	if !h.over[old.ID] {
		t.Error("the outdated job was not stopped")
	}
	if h.say(old, exec.Answer{Error: "late"}) || h.run("uvm").Error != "" {
		t.Error("an answer to an outdated job was taken")
	}
	young := h.of("uvm")
	if young.ID == old.ID || !strings.Contains(young.Setup, "gpu_memory=20") {
		t.Errorf("got %+v", young)
	}
	h.say(young, good(1))
	n := len(h.jobs)
	h.Type("gpu_memory", "20.0") // the same number
	if len(h.jobs) != n {
		t.Error("the same settings ran again")
	}
	if h.Answer(&exec.Answer{ID: 0, Last: true, Error: "nobody's"}) || h.Answer(&exec.Answer{ID: 12345, Last: true}) {
		t.Error("nobody's answer was taken")
	}
}

func TestInvalidSettingsRunNothing(t *testing.T) {
	h := newHost(t, quick)
	h.do()
	for _, x := range []struct{ key, text string }{{"gpu_memory", "much"}, {"batch", "0"}, {"iterations", ""}, {"seed", "1.5"}} {
		n := len(h.jobs)
		h.Type(x.key, x.text)
		h.wantBlocked("One setting is not valid")
		if len(h.jobs) != n || h.Runs.Active() || h.run("uvm").Report == nil {
			t.Errorf("%s=%s: %d jobs; want %d", x.key, x.text, len(h.jobs), n)
		}
		h.Undo()
		h.wantBlocked("")
		if len(h.jobs) != n {
			t.Errorf("%s: undo needs runs", x.key)
		}
	}
	h.Type("batch", "x")
	h.Type("host_memory", "9")
	h.Type("gpu_memory", "y")
	h.wantBlocked("2 settings are not valid. Correct them to run. The charts show the last valid settings.")
	if x := h.run("uvm"); x.RunState() != "outdated" || x.Report == nil {
		t.Errorf("%q", x.RunState())
	}
	h.Type("batch", "16")
	h.Type("gpu_memory", "2")
	h.wantBlocked("")
	if !h.Runs.Active() {
		t.Error("correct settings do not run")
	}
}

func TestContradictingSettings(t *testing.T) {
	h := newHost(t, quick)
	h.do()
	before := h.run("uvm").Report
	h.Type("ssd_read", "20")
	h.do()
	h.wantBlocked("These settings cannot go together. Each sentence names one to change. The charts show the last valid settings. SSD read (20 GB/s) is faster")
	if w := h.Runs.ChartContext().Waiting; !strings.HasPrefix(w, "Not computed") {
		t.Errorf("charts wait: %q", w)
	}
	if len(h.Runs.Problems) != 1 || !strings.Contains(h.Runs.Problems[0], "SSD read (20 GB/s) is faster than the host link (15.75 GB/s)") {
		t.Errorf("problems: %q", h.Runs.Problems)
	}
	if x := h.run("uvm"); x.Report != before || !x.Stale || x.RunState() != "outdated" || h.Runs.Active() {
		t.Errorf("the last valid report is gone: %+v", x)
	}
	n := len(h.jobs)
	h.SetLook(state.ByKey("memory"), "kernel")
	h.SetView(state.Reproduce)
	h.SetView(state.Explore)
	if len(h.open(exec.Run)) != 0 || len(h.Runs.Problems) != 1 {
		t.Errorf("what contradicts runs again: %d jobs", len(h.jobs)-n)
	}
	h.Type("host_link", "16")
	h.do()
	if len(h.Runs.Problems) != 2 {
		t.Errorf("problems: %q", h.Runs.Problems)
	}
	for range 3 {
		h.Undo()
	}
	h.wantBlocked("")
	if x := h.run("uvm"); h.Runs.Problems != nil || x.Stale || x.Report != before || h.Runs.Active() {
		t.Errorf("undo: %q, %+v", h.Runs.Problems, x)
	}
}

func TestUndoRedo(t *testing.T) {
	h := newHost(t, quick)
	if h.CanUndo() || h.CanRedo() {
		t.Error("there is nothing to take back")
	}
	first := h.Link()
	for _, text := range []string{"2", "24", "24."} {
		h.Type("gpu_memory", text)
	}
	h.Type("batch", "8x")
	h.Undo()
	if f := h.field("batch"); f.Text != "16" || f.Error != "" {
		t.Errorf("batch %q, %q", f.Text, f.Error)
	}
	if f := h.field("gpu_memory"); f.Text != "24." {
		t.Errorf("GPU memory %q", f.Text)
	}
	h.Undo() // the keystrokes of one field are one step
	if h.Link() != first || h.CanUndo() {
		t.Errorf("got %s; want %s", h.Link(), first)
	}
	h.Redo()
	h.Redo()
	if f := h.field("batch"); f.Text != "8x" || f.Error == "" || h.CanRedo() {
		t.Errorf("batch %q, %q", f.Text, f.Error)
	}
	h.Undo()
	h.Type("gpu_memory", "25") // after undo a new step begins, and there is nothing to redo
	if h.CanRedo() {
		t.Error("redo after a change")
	}
	h.Undo()
	h.want("gpu_memory", "24")
	for range 600 {
		h.ToggleSystem("uvm")
	}
	undo, _ := h.Steps()
	if n := len(undo); n < 400 || n > 500 {
		t.Errorf("%d steps are remembered", n)
	}
}

// Undo is about settings: the view stays.
func TestUndoLeavesTheView(t *testing.T) {
	h := newHost(t, quick)
	h.SetLook(state.ByKey("memory"), "kernel")
	h.State.View, h.State.Figure = state.Reproduce, "g10.18"
	h.Undo()
	if h.State.View != state.Reproduce || h.State.Figure != "g10.18" || h.State.Look.Text(state.ByKey("memory")) != "time" {
		t.Errorf("%s", h.Link())
	}
}

func TestReportsAreRemembered(t *testing.T) {
	h := newHost(t, quick)
	h.do()
	old := h.run("g10").Report
	h.Type("gpu_memory", "20")
	h.do()
	n := len(h.jobs)
	h.Undo()
	if x := h.run("g10"); x.Active() || x.Report != old || x.Stale || len(h.jobs) != n {
		t.Errorf("undo did not bring the report back: %+v", x)
	}
	h.Redo()
	if len(h.jobs) != n || h.run("g10").Report == old {
		t.Error("redo ran again")
	}
}

func TestCancel(t *testing.T) {
	h := newHost(t, quick)
	h.say(h.of("ideal"), good(1))
	h.Runs.Cancel()
	if x := h.run("uvm"); h.Runs.Active() || len(h.open()) != 0 || x.RunState() != "cancelled" || x.Status() != "cancelled" || !h.Runs.CanRunAgain() {
		t.Errorf("%q, %q, %d jobs", x.RunState(), x.Status(), len(h.open()))
	}
	h.SetLook(state.ByKey("memory"), "kernel")
	h.SetView(state.Reproduce)
	h.SetView(state.Explore)
	if len(h.open(exec.Run)) != 0 {
		t.Error("what was cancelled started by itself")
	}
	h.Runs.RunAgain()
	if len(h.open(exec.Run)) != len(h.State.On)-1 || h.run("uvm").RunState() != "waiting" {
		t.Errorf("%d jobs", len(h.open(exec.Run)))
	}
	h.do()
	if h.Runs.CanRunAgain() {
		t.Error("nothing failed")
	}
	h.Type("gpu_memory", "3")
	h.Runs.Cancel()
	h.Type("gpu_memory", "4")
	if len(h.open(exec.Run)) != len(h.State.On) {
		t.Error("other settings do not run after a cancel")
	}
}

func TestVisit(t *testing.T) {
	h := newHost(t, "v=5&lab=train")
	if !strings.HasPrefix(h.Notice, "This link was made by a newer Spillway") || h.Info.Name != "train" || h.CanUndo() {
		t.Errorf("notice %q", h.Notice)
	}
	h.Visit("v=2&model=bert-base&batch=16&gpu_memory=x")
	if !strings.HasPrefix(h.Notice, "In this link: ") || !strings.Contains(h.Notice, `"x" is not a number`) || !strings.HasSuffix(h.Notice, ".") {
		t.Errorf("notice %q", h.Notice)
	}
	h.want("batch", "16")
	h.Visit("v=1&without=uvm,magic")
	if h.Notice != `In this link: unknown system "magic".` || slices.Contains(h.State.On, "uvm") {
		t.Errorf("notice %q, %v", h.Notice, h.State.On)
	}
	h.do()
	h.Type("batch", "q")
	h.Visit("v=2&model=bert-base&batch=8&view=reproduce&figure=g10.14")
	if f := h.field("batch"); h.Notice != "" || f.Text != "8" || h.State.View != state.Reproduce || h.Papers.Shown() != "g10.14" {
		t.Errorf("notice %q, batch %q, %s", h.Notice, f.Text, h.Link())
	}
	h.Undo() // a visit is a step
	if f := h.field("batch"); f.Text != "q" {
		t.Errorf("batch %q", f.Text)
	}
	h.Visit("v=2&lab=smithy&anvil=3")
	if !strings.Contains(h.Notice, `"smithy", which this version does not have`) || h.Info.Name != "train" {
		t.Errorf("notice %q", h.Notice)
	}
}

func TestGoingToAnotherLaboratory(t *testing.T) {
	h := newHost(t, quick)
	h.do()
	h.Type("gpu_memory", "3")
	h.Type("batch", "x")
	link := h.Link()
	h.Undo()
	left := h.of("g10")
	if h.Wanted() != "train" {
		t.Errorf("wanted %q", h.Wanted())
	}
	h.Go("bakery")
	if h.Wanted() != "bakery" || h.Info.Name != "train" || h.over[left.ID] {
		t.Error("the room that is shown is left before the other has come")
	}
	h.enter()
	if h.Info.Name != "bakery" || !h.over[left.ID] || h.CanUndo() {
		t.Errorf("shown: %s", h.Info.Name)
	}
	if h.say(left, good(1)) {
		t.Error("an answer to the other room changed this one")
	}
	h.do()
	h.Type("watts", "300")
	h.do()
	h.Go("train") // as it was left, and what was under way starts again
	if h.Info.Name != "train" || len(h.fetched) != 0 || !h.CanRedo() || len(h.open(exec.Run)) != len(h.State.On) {
		t.Errorf("%s, %d jobs", h.Info.Name, len(h.open(exec.Run)))
	}
	h.Redo()
	if got := h.Link(); got != link || h.field("batch").Text != "x" {
		t.Errorf("got %s, want %s", got, link)
	}
	n := len(h.jobs)
	h.Go("bakery")
	h.want("watts", "300")
	if len(h.jobs) != n || h.run("oven").RunState() != "done" {
		t.Error("what is known ran again")
	}
	h.Visit("v=2&lab=train&batch=4")
	if h.Info.Name != "train" || h.State.Setup.Text("batch") != "4" {
		t.Errorf("a link to another room shows %s", h.Link())
	}
}

func TestLaboratoryThatDoesNotCome(t *testing.T) {
	h := newHost(t, quick)
	h.Go("bakery")
	h.fetched = nil
	h.Enter(&lab.Info{Name: h.Wanted()}, "no network")
	if !strings.Contains(h.Notice, "no network") || h.Wanted() != "train" {
		t.Errorf("notice %q, wanted %q", h.Notice, h.Wanted())
	}
	h.Go("bakery")
	h.Go("train") // the visitor changed their mind
	h.enter()
	if h.Info.Name != "train" || h.Wanted() != "train" {
		t.Errorf("shown: %s", h.Info.Name)
	}
	h.Go("bakery")
	if h.Info.Name != "bakery" || len(h.fetched) != 0 {
		t.Error("it came meanwhile")
	}
	lone := session.New([]session.Tab{{Name: "train"}}, "", h)
	lone.Open([]string{"a"}, func(int, int) { t.Error("files were taken") })
	if lone.Laboratory != nil || !strings.Contains(lone.Notice, "before the page was ready") {
		t.Errorf("notice %q", lone.Notice)
	}
}

func TestExport(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&dish=cake&systems=dream,oven,kiln")
	h.do()
	h.Type("watts", "14")
	h.do()
	h.Undo()
	var text, problem string
	calls := 0
	done := func(a, b string) { text, problem = a, b; calls++ }
	h.Laboratory.Output.Export("", done)
	first := h.open(exec.Raw)
	h.Laboratory.Output.Export("", done) // again: the first is not wanted any more
	if len(first) != 3 || !h.over[first[0].ID] || len(h.open(exec.Raw)) != 3 || calls != 0 {
		t.Fatalf("%d jobs", len(first))
	}
	link := h.Link()
	h.Type("watts", "900") // changed before the results are there
	h.do(exec.Raw)
	var f struct {
		Format, Lab, Link, Setup, Workload, Origin string
		Version                                    int
		Runs                                       []struct {
			System, Title, Status, Error string
			Result                       *struct{ Speed float64 }
		}
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil || problem != "" || calls != 1 {
		t.Fatalf("%v, %q, %d calls: %s", err, problem, calls, text)
	}
	if f.Format != "spillway-results" || f.Version != 3 || f.Lab != "bakery" || f.Link != link || f.Setup != "dish=cake oven=gas" || f.Workload != "Cake, 12" {
		t.Errorf("%+v\nwant link %s", f, link)
	}
	if len(f.Runs) != 3 || f.Runs[1].Title != "Oven" || f.Runs[1].Status != "ok" || f.Runs[1].Result.Speed < 8.3 || f.Runs[1].Result.Speed > 8.4 || f.Runs[2].Status != "does not fit" {
		t.Errorf("%+v", f.Runs)
	}
	h.Undo()
	h.Runs.Cancel()
	h.Type("watts", "14")
	h.do() // all fail
	h.Laboratory.Output.Export("", done)
	if err := json.Unmarshal([]byte(text), &f); err != nil || calls != 2 || f.Runs[0].Status != "failed" || f.Runs[0].Error != "the fuse is gone" || f.Runs[0].Result != nil && strings.Contains(text, `"result"`) {
		t.Errorf("%v: %s", err, text)
	}
	h.Undo()
	h.Choose("dish", "rye")
	h.do()
	h.Type("watts", "2000")
	h.Type("portions", "1")
	h.do()
	h.wantBlocked("That contradicts.")
	if !slices.Equal(h.Runs.Problems, []string{"too hot", "too few"}) {
		t.Errorf("problems %q", h.Runs.Problems)
	}
	h.Laboratory.Output.Export("", done)
	h.do(exec.Raw)
	if problem != "too hot; too few" || text != "" {
		t.Errorf("contradicting settings were exported: %q, %q", text, problem)
	}
}

// A bug in the simulator is an answer like others.
func TestFailures(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&watts=13")
	h.do()
	if x := h.run("oven"); !strings.Contains(x.Error, "the simulator has a bug: burnt") || x.RunState() != "failed" {
		t.Errorf("%+v", x)
	}
	h.Type("watts", "15")
	if x := h.run("oven"); x.RunState() != "waiting" {
		t.Errorf("%q", x.RunState())
	}
	h.do()
	if x := h.run("oven"); x.Error != "" || x.RunState() != "done" {
		t.Errorf("%+v", x)
	}
}

func TestSections(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery")
	names := func() (list []string) {
		for _, s := range h.Sections.Views() {
			list = append(list, s.Key)
		}
		return list
	}
	section := func(key string) sections.View {
		t.Helper()
		for _, s := range h.Sections.Views() {
			if s.Key == key {
				return s
			}
		}
		t.Fatalf("no section %q", key)
		return sections.View{}
	}
	if got := names(); !slices.Equal(got, []string{"why", "crust", "menu"}) {
		t.Errorf("there are %q", got)
	}
	h.Sections.Open("label")
	h.Sections.Toggle("menu")
	if j := h.one(exec.Section); j.Key != "menu" || j.Setup != "" || !section("menu").Busy || section("crust").Open {
		t.Errorf("%+v", j)
	}
	h.do(exec.Section)
	if s := section("menu"); s.Busy || s.Error != "" || s.Shown.Text[0] != "menu  of nothing by " {
		t.Errorf("%+v", s.Shown)
	}
	h.Sections.Toggle("crust") // waits for the run in focus
	if len(h.open(exec.Section)) != 0 {
		t.Error("a section about a run did not wait for it")
	}
	h.do()
	want := func(text string) {
		t.Helper()
		if s := section("crust"); s.Shown == nil || s.Shown.Text[0] != text || s.Error != "" || s.Busy {
			t.Errorf("%+v; want %q", s, text)
		}
	}
	want("crust 0 of rye by oven")
	h.SetLook("slice", "3")
	h.SetLook(state.FocusKey, "dream")
	if s := section("crust"); s.Fields[0].Text != "3" || !s.Busy || s.Shown == nil {
		t.Errorf("%+v", s)
	}
	h.do()
	want("crust 3 of rye by dream")
	if link := h.Link(); !strings.Contains(link, "&focus=dream&slice=3") {
		t.Errorf("link %s", link)
	}
	n := len(h.jobs)
	h.Type("watts", "x")
	h.Undo()
	h.Sections.Toggle("crust")
	h.Sections.Toggle("crust")
	if len(h.jobs) != n {
		t.Error("what is known was computed again")
	}
	h.SetLook("slice", "9")
	h.do()
	if s := section("crust"); s.Error != "there are nine slices" {
		t.Errorf("%+v", s)
	}
	h.SetLook("slice", "10")
	if h.Notice == "" || section("crust").Fields[0].Text != "9" {
		t.Errorf("notice %q", h.Notice)
	}
	h.SetLook("slice", "1")
	h.Open([]string{"rye"}, func(n, _ int) { h.benches["bakery"].Open(n, files("rye")) })
	h.do()
	if got := names(); !slices.Equal(got, []string{"why", "crust", "menu", "label"}) {
		t.Errorf("with files there are %q", got)
	}
	if s := section("label"); s.Shown == nil || s.Shown.Text[0] != "label  of ryerye by dream" {
		t.Errorf("%+v", s)
	}
	h.Open([]string{"rye"}, func(n, _ int) { h.benches["bakery"].Open(n, files("rye")) })
	h.do()
	if got := h.jobs[len(h.jobs)-1]; got.Kind != exec.Section || got.Files != 2 {
		t.Errorf("a section still shows the old files: %+v", got)
	}
}
