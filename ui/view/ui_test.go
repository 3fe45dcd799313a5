package view

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vugu/vugu"

	"spillway/sim/study"
	"spillway/sim/train/machine"
	"spillway/ui/draw"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/train"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
	"spillway/ui/model/state"
	"spillway/ui/table"
)

// direct does every job at once, in the test's goroutine, when asked to.
type direct struct {
	bench   exec.Executor
	queue   []*exec.Job
	stopped map[int]bool
	fetched []string
	stored  map[string]string
}

func (d *direct) Start(j *exec.Job, _ calls.Priority) { d.queue = append(d.queue, j) }

func (*direct) Raise(int, calls.Priority) {}

func (d *direct) Stop(ids []int) {
	for _, id := range ids {
		d.stopped[id] = true
	}
}

func (d *direct) Recorded(string) {}
func (d *direct) Answered(string) {}

func (d *direct) Fetch(name string, _ bool) { d.fetched = append(d.fetched, name) }

func (d *direct) Stored(name string) string { return d.stored[name] }

func (d *direct) Store(name, text string) bool {
	d.stored[name] = text
	return true
}

func (d *direct) work(s *session.Session) {
	for len(d.queue) > 0 {
		j := d.queue[0]
		d.queue = d.queue[1:]
		if !d.stopped[j.ID] {
			a := d.bench.Do(j, nil)
			s.Answer(&a)
		}
	}
}

// A file is what was offered for download.
type file struct{ name, mime, text string }

// silent is a page that remembers what it was asked.
type silent struct {
	saved                []file
	copied, picked, help int
	shown, focused       string
	narrow, docked       bool
}

func (s *silent) Save(name, mime, text string) { s.saved = append(s.saved, file{name, mime, text}) }

func (s *silent) SaveTables(name string, format *table.Format, f *table.File) {
	text, err := f.JSON()
	s.saved = append(s.saved, file{name, format.Mime, fmt.Sprint(text, err)})
}

func (s *silent) SaveZip(name string, files [][2]string) {
	for _, f := range files {
		s.saved = append(s.saved, file{name + "/" + f[0], "", f[1]})
	}
}

func (s *silent) SaveChart(id, name, _ string) { s.saved = append(s.saved, file{name, "png", id}) }

func (s *silent) Drawing(id string) draw.Options {
	return draw.Options{Theme: draw.Light, Link: "https://example.org/#v=3", Version: id}
}
func (s *silent) Share()          { s.copied++ }
func (s *silent) Pick(bool)       { s.picked++ }
func (s *silent) Theme()          {}
func (s *silent) Narrow() bool    { return s.narrow }
func (s *silent) Dock(shown bool) { s.docked = shown }
func (s *silent) Show(id string)  { s.shown = id }
func (s *silent) Focus(id string) { s.focused = id }
func (s *silent) Near(string)     {}
func (s *silent) Help()           { s.help++ }
func (s *silent) Find()           {}
func (s *silent) SaveBytes(name, mime string, data []byte) {
	s.saved = append(s.saved, file{name, mime, string(data)})
}

func (s *silent) Address() string { return "https://example.org/" }

// A stage is a page in a test.
type stage struct {
	*testing.T
	env    vugu.EventEnv
	build  *vugu.BuildEnv
	root   *Root
	page   *silent
	runner *direct
	drawn  *vugu.BuildResults
}

// small is a link to a workload that is quick to run.
const small = "v=2&lab=train&model=bert-base&batch=16&times=as-paper"

var training = sync.OnceValue(train.New)

// newStage returns a page that shows a link and has what it needs to.
func newStage(t *testing.T, fragment string) *stage {
	t.Helper()
	s := emptyStage(t, fragment, &silent{})
	i := training().Info
	s.root.Enter(&i, "")
	s.draw()
	clear(s.root.closed) // every setting is in sight
	s.draw()
	return s
}

// emptyStage returns a page whose laboratory is still to come.
func emptyStage(t *testing.T, fragment string, page *silent) *stage {
	t.Helper()
	s := &stage{T: t, page: page, runner: &direct{bench: exec.Executor{Lab: training()}, stopped: map[int]bool{}, stored: map[string]string{}}}
	var mu sync.RWMutex
	s.env = vugu.NewEventEnvImpl(&mu, make(chan bool, 1))
	var err error
	if s.build, err = vugu.NewBuildEnv(s.env); err != nil {
		t.Fatal(err)
	}
	tabs := []session.Tab{{Name: "train", Title: "Training memory", About: "One GPU."}, {Name: "other", Title: "Other"}}
	s.root = NewRoot(NewApp(session.New(tabs, fragment, s.runner), s.page))
	s.root.Version = "1234abcd"
	s.draw()
	return s
}

func (s *stage) draw() { s.drawn = s.build.RunBuild(s.root) }

// finish does all that waits and draws.
func (s *stage) finish() {
	s.runner.work(s.root.Session)
	s.draw()
}

// find returns the node with the id.
func (s *stage) find(id string) *vugu.VGNode {
	s.Helper()
	n := find(s.drawn, s.drawn.Out.Out[0], id)
	if n == nil {
		s.Fatalf("no element %q", id)
	}
	return n
}

// there reports whether there is an element with the id.
func (s *stage) there(id string) bool { return find(s.drawn, s.drawn.Out.Out[0], id) != nil }

// fire sends an event to the element with the id and draws again.
func (s *stage) fire(id, event, value string) {
	s.Helper()
	for _, h := range s.find(id).DOMEventHandlerSpecList {
		if h.EventType == event {
			h.Func(vugu.NewDOMEvent(s.env, map[string]any{"target": map[string]any{"value": value}}))
			s.draw()
			return
		}
	}
	s.Fatalf("element %q has no handler of %s", id, event)
}

// click clicks on each of the elements in turn.
func (s *stage) click(ids ...string) {
	s.Helper()
	for _, id := range ids {
		s.fire(id, "click", "")
	}
}

// html returns the element with the id as HTML.
func (s *stage) html(id string) string {
	s.Helper()
	var sb strings.Builder
	write(&sb, s.drawn, s.find(id))
	return sb.String()
}

func find(br *vugu.BuildResults, n *vugu.VGNode, id string) *vugu.VGNode {
	if n == nil {
		return nil
	}
	if n.Component != nil {
		if out := br.ResultFor(n.Component); out != nil {
			for _, o := range out.Out {
				if m := find(br, o, id); m != nil {
					return m
				}
			}
		}
	}
	for _, a := range n.Attr {
		if a.Key == "id" && a.Val == id {
			return n
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if m := find(br, c, id); m != nil {
			return m
		}
	}
	return nil
}

// write writes the node as HTML, components included.
func write(sb *strings.Builder, br *vugu.BuildResults, n *vugu.VGNode) {
	switch {
	case n.Component != nil:
		for _, o := range br.ResultFor(n.Component).Out {
			write(sb, br, o)
		}
		return
	case n.Type == vugu.TextNode:
		sb.WriteString(html.EscapeString(n.Data))
		return
	case n.Type == vugu.CommentNode:
		return
	}
	if n.Data != "" {
		sb.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			sb.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
		}
		for _, p := range n.Prop {
			sb.WriteString(" ." + p.Key + "=" + string(p.JSONVal))
		}
		sb.WriteString(">")
	}
	if n.InnerHTML != nil {
		sb.WriteString(*n.InnerHTML)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		write(sb, br, c)
	}
	if n.Data != "" {
		sb.WriteString("</" + n.Data + ">")
	}
}

// all returns the whole page as HTML.
func (s *stage) all() string {
	var sb strings.Builder
	write(&sb, s.drawn, s.drawn.Out.Out[0])
	return sb.String()
}

func (s *stage) want(id, text string) {
	s.Helper()
	if got := s.html(id); !strings.Contains(got, text) {
		s.Errorf("element %q:\n%.2000s\nwant %q in it", id, got, text)
	}
}

func TestPageBeforeItsLaboratory(t *testing.T) {
	s := emptyStage(t, small, &silent{})
	if text := s.all(); !strings.Contains(text, "Starting…") || s.there("headline") {
		t.Error("nothing says that the page starts")
	}
	s.want("lab-train", `aria-current="true"`)
	s.root.Enter(&lab.Info{Name: s.root.Wanted()}, "no network")
	s.draw()
	if text := s.all(); !strings.Contains(text, "no network") {
		t.Error("nothing says why the page does not start")
	}
	s.click("lab-train")
	i := training().Info
	s.root.Enter(&i, "")
	s.draw()
	s.find("headline")
}

func TestPageShowsEverySystem(t *testing.T) {
	s := newStage(t, small)
	s.want("headline", "Computing…")
	s.finish()
	for _, sys := range training().Systems {
		state := "done"
		if sys.Off {
			state = "hidden"
		}
		s.want("run-"+sys.Name, state)
	}
	s.find("numbers-table") // the browser fills it
	table := s.root.numbers.(*Numbers).content()
	for _, want := range append([]string{"samples/s"}, titles()...) {
		if !strings.Contains(table, html.EscapeString(want)) {
			t.Errorf("the table of numbers lacks %q", want)
		}
	}
	s.want("title-throughput", "normalized")
	s.want("facts", "kernels")
	for _, k := range training().Knobs {
		if hidden := s.root.State.Setup.Hidden(k.Key) || k.Key == "entry" || slices.Contains(training().EntryKnobs, k.Key); !hidden && k.Key != "times" && k.Key != "mode" && k.Key != "buddy_contents" { // radio buttons
			s.find("f-" + k.Key)
		}
	}
	if strings.Contains(s.all(), "%!") {
		t.Error("a text has a formatting error")
	}
}

// titles are those of the systems that are compared unless somebody chooses others.
func titles() (list []string) {
	for _, s := range training().Systems {
		if !s.Off {
			list = append(list, s.Title)
		}
	}
	return list
}

func TestFieldKeepsWhatWasTyped(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	s.fire("f-gpu_memory", "input", "40 apples")
	s.want("f-gpu_memory", `.value="40 apples"`)
	s.want("f-gpu_memory", `aria-invalid="true"`)
	s.want("err-gpu_memory", "is not a unit of it; use GiB")
	s.want("blocked", "One setting is not valid")
	s.click("fold-hardware")
	if s.there("f-gpu_memory") {
		t.Error("a folded panel is drawn")
	}
	s.click("jump-gpu_memory")
	if s.page.shown != "f-gpu_memory" || !s.there("f-gpu_memory") {
		t.Errorf("the banner leads to %q", s.page.shown)
	}
	s.fire("f-gpu_memory", "input", "1e9")
	s.want("err-gpu_memory", "GiB; want")
	s.fire("f-gpu_memory", "input", "24.")
	s.want("f-gpu_memory", `.value="24."`)
	s.want("err-gpu_memory", "></p>")
	if got := s.root.State.Setup.Text("gpu_memory"); got != "24" {
		t.Errorf("GPU memory is %s; want 24", got)
	}
	s.click("reset-gpu_memory")
	s.want("f-gpu_memory", `.value="40"`)
	s.click("undo")
	s.want("f-gpu_memory", `.value="24."`)
	s.click("undo")
	s.want("f-gpu_memory", `.value="40"`)
	s.click("redo")
	s.want("f-gpu_memory", `.value="24."`)
	s.click("reset-hardware")
	s.want("f-gpu_memory", `.value="40"`)
}

func TestContradictoryHardware(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	s.fire("f-ssd_read", "input", "20")
	s.finish()
	s.want("problems-hardware", "faster than the host link")
	s.want("blocked", "cannot go together")
	s.want("headline", "Not computed; the message above says why.")
	s.want("run-g10", "outdated")
	s.want("figure-throughput", "1.0000 × ideal") // the last valid settings
	if strings.Contains(s.html("problems-options"), "faster") {
		t.Error("the contradiction is said twice")
	}
	s.click("undo")
	if s.there("blocked") {
		t.Error("it is still blocked")
	}
	s = newStage(t, small+"&ssd_read=20")
	s.finish()
	s.want("blocked", "SSD read (20 GB/s) is faster than the host link")
	s.want("figure-throughput", "Not computed")
	if text := s.html("blocked"); strings.Contains(text, "last valid") {
		t.Errorf("there are no settings before these: %s", text)
	}
	s.want("headline", "Not computed; the message above says why.")
}

func TestSwitches(t *testing.T) {
	s := newStage(t, small)
	systems := training().Systems
	last := systems[slices.IndexFunc(systems, func(x lab.System) bool { return x.Off })-1]
	s.fire("on-"+last.Name, "change", "")
	s.want("run-"+last.Name, "hidden")
	if slices.Contains(s.root.State.On, last.Name) {
		t.Error("the system is still compared")
	}
	s.fire("f-mode-corrected", "change", "")
	s.want("context", "corrected")
	s.click("list-mode")
	s.fire("f-mode-arrival-order", "change", "")
	s.want("context", "arrival-order")
	s.fire("f-times-estimated", "change", "")
	s.want("context", "estimated")
	s.fire("f-gpu", "change", "h100-80")
	s.want("context", "estimated for H100")
	s.click("info-" + last.Name)
	s.want("body-systems", html.EscapeString(last.Paper))
	s.click("axis-kernel-memory")
	if s.root.State.Look.Text("by-memory") != "kernel" {
		t.Error("the axis did not change")
	}
	s.fire("f-part-gpu", "change", "v100-32")
	s.want("f-gpu_memory", `.value="32"`)
	s.fire("f-machine", "change", machine.Presets()[1].Key)
	s.want("f-gpu_memory", `.value="80"`)
	s.fire("f-ssd", "change", "z-nand")
	s.want("context", "simulated SSD")
	s.want("body-hardware", "set by the simulated drive")
	s.fire("f-model", "change", "resnet-50")
	s.want("f-batch", `.value="`+s.root.State.Setup.Text("batch")+`"`)
	for _, id := range []string{"fold-options", "i-gpu_memory", "fold-systems"} {
		before := s.html(id)
		s.click(id)
		if s.html(id) == before {
			t.Errorf("%s changes nothing", id)
		}
	}
}

// save chooses formats in the menu with an ID, one after the other.
func (s *stage) save(menu string, formats ...string) {
	s.T.Helper()
	for _, f := range formats {
		s.click("save-" + menu)
		if !s.there(f + "-" + menu) {
			s.T.Fatalf("the menu %s has no %s", menu, f)
		}
		s.click(f + "-" + menu)
		if s.there(f+"-"+menu) || s.page.focused != "save-"+menu {
			s.T.Errorf("the menu %s stays open, focus is on %q", menu, s.page.focused)
		}
	}
}

func TestDownloads(t *testing.T) {
	s := newStage(t, small+"&systems=ideal,flashneuron,g10")
	s.finish()
	s.save("results", "csv", "json", "md", "timeline")
	s.finish() // the results are computed again
	s.save("memory", "png", "svg", "csv", "tex")
	s.click("link", "help", "pick-files-button", "pick-folder-button")
	var names []string
	files := map[string]file{}
	for _, f := range s.page.saved {
		names = append(names, f.name)
		files[f.name] = f
	}
	slices.Sort(names)
	if tex := files["spillway-bert-base-batch-16-memory.tex"].text; !strings.Contains(tex, `"link":"https://example.org/#v=`) || !strings.Contains(tex, "as the paper measured") {
		t.Errorf("%s", tex)
	}
	if md := files["spillway-bert-base-batch-16-results.md"].text; !strings.Contains(md, `"head":["Quantity","Ideal","FlashNeuron","G10"]`) || !strings.Contains(md, `["Iteration time, `) {
		t.Errorf("%s", md)
	}
	if trace := files["spillway-bert-base-batch-16-g10-timeline.trace.json"].text; !strings.Contains(trace, `"generator":"Spillway 1234abcd"`) || !strings.Contains(trace, `"mode":"kernel times as the paper measured`) {
		t.Errorf("%.1000s", trace)
	}
	const base = "spillway-bert-base-batch-16-"
	if want := []string{base + "g10-timeline.trace.json", base + "memory.csv", base + "memory.png", base + "memory.svg", base + "memory.tex", base + "results.csv", base + "results.json", base + "results.md"}; !slices.Equal(names, want) {
		t.Errorf("saved %q", names)
	}
	if s.page.copied != 1 || s.page.picked != 2 || s.page.help != 1 {
		t.Errorf("got %+v", *s.page)
	}
	if svg := files[base+"memory.svg"]; svg.mime != "image/svg+xml" || !strings.HasPrefix(svg.text, "<svg ") || !strings.Contains(svg.text, `version="memory"`) || !strings.Contains(svg.text, "https://example.org/#v=3") {
		t.Errorf("the drawing is %s, %.300s", svg.mime, svg.text)
	}
	rows, err := csv.NewReader(strings.NewReader(files[base+"results.csv"].text)).ReadAll()
	if err != nil || len(rows) != 4 || rows[0][1] != "system" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		if row[3] != s.root.State.Setup.String() || row[6] != "ok" {
			t.Errorf("row %q", row[:8])
		}
	}
	var x struct {
		Link string
		Runs []struct{ System, Status string }
	}
	if err := json.Unmarshal([]byte(files[base+"results.json"].text), &x); err != nil || len(x.Runs) != len(rows)-1 || x.Runs[0].Status != "ok" || x.Link != s.root.Link() {
		t.Errorf("%v, %+v", err, x)
	}
	s.click("numbers-traffic")
	s.want("figure-traffic", "SSD → GPU, GB")
}

func TestCancelAndRunAgain(t *testing.T) {
	s := newStage(t, small)
	s.click("cancel")
	first := training().Systems[0].Name
	s.want("run-"+first, "cancelled")
	s.want("headline", "Cancelled: nothing was computed with these settings.")
	s.runner.queue = nil
	s.click("again")
	s.finish()
	s.want("run-"+first, "done")
}

func TestNotesNameEverySystem(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	notes := s.root.Runs.Notes()
	if want := "FlashNeuron, G10-GDS, G10-Host: One iteration was run."; !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("no note begins with %q: %q", want, notes)
	}
	s.want("notes", "FlashNeuron, G10-GDS, G10-Host: One iteration was run.")
}

func TestNotice(t *testing.T) {
	s := newStage(t, "v=9")
	s.want("notice", "newer Spillway")
	s.click("notice-close")
	if s.there("notice") {
		t.Error("the notice stays")
	}
}

func TestFiles(t *testing.T) {
	s := newStage(t, small)
	s.root.Open([]string{"a.zip"}, func(int, int) {})
	s.draw()
	s.want("files-summary", "Reading…")
	j := s.runner.queue[len(s.runner.queue)-1]
	s.runner.queue = nil
	a := exec.Answer{ID: j.ID, Last: true, Notes: []string{"a note"}}
	for _, name := range []string{"one", "two", "bad"} {
		a.Entries = append(a.Entries, lab.Entry{Name: name, Info: "of " + name, Set: "gpu_memory=7"})
	}
	a.Entries[2].Error = "it is broken"
	s.root.Answer(&a)
	s.draw()
	s.want("files-summary", "3 workloads found. Choose one below.")
	s.want("entries", "it is broken")
	s.fire("search", "input", "two")
	s.want("files-summary", "1 of 3 workloads match.")
	s.root.Files.Pick("two")
	s.draw()
	s.want("from-file", "From the opened files: two.")
	s.want("context", "two")
	s.want("f-gpu_memory", `.value="7"`)
	s.click("bundled")
	if s.there("from-file") || s.root.Entry() != "" {
		t.Error("the file is not left")
	}
}

// While another laboratory is on its way nothing of the one before is shown under its name.
func TestOtherLaboratory(t *testing.T) {
	s := newStage(t, small)
	s.want("labs", "Training memory")
	s.click("lab-other")
	if s.want("labs", "Other"); !strings.Contains(s.all(), "Loading Other…") || s.there("headline") || s.there("figure-throughput") || s.there("settings") {
		t.Errorf("shown: %s", s.all())
	}
	s.click("lab-train")
	s.want("figure-throughput", "Throughput")
}

func TestSectionOpens(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	s.want("open-survive", "Show")
	s.click("open-survive")
	s.finish()
	s.want("section-survive", "as the paper measured")
	s.fire("f-survive_mode-corrected", "change", "")
	s.finish()
	if !strings.Contains(s.root.Link(), "survive_mode=corrected") {
		t.Error("the choice is not in the link")
	}
	s.click("open-effects")
	s.finish()
	s.fire("f-effects_system", "change", "uvm")
	s.finish()
	s.want("section-effects", "arrival-order")
	s.click("open-effects")
	if strings.Contains(s.html("section-effects"), "arrival-order") {
		t.Error("the section does not close")
	}
}

func TestNarrowPage(t *testing.T) {
	s := emptyStage(t, small, &silent{narrow: true})
	i := training().Info
	s.root.Enter(&i, "")
	s.draw()
	for _, id := range []string{"settings", "main"} {
		if text := s.html(id); strings.Contains(text, "inert") || strings.Contains(text, "side open") {
			t.Errorf("%s is as if the drawer were open: %.200s", id, text)
		}
	}
	s.click("open-settings")
	s.want("settings", `class="side open"`)
	s.want("main", `inert="inert"`)
	if s.page.focused != "settings" {
		t.Errorf("the focus is on %q", s.page.focused)
	}
	s.click("close-settings")
	s.want("settings", `class="side"`)
	if strings.Contains(s.html("main"), "inert") || s.page.focused != "open-settings" {
		t.Errorf("closed, the focus is on %q", s.page.focused)
	}
	s.page.narrow = false
	s.click("open-settings")
	s.want("settings", `class="side"`) // they are in sight
}

func TestReproduceView(t *testing.T) {
	s := newStage(t, small)
	s.click("view-reproduce")
	if s.root.State.View != state.Reproduce {
		t.Fatal("the view did not change")
	}
	s.want("view-reproduce", `aria-pressed="true"`)
	s.finish()
	s.click("figure-entry-g10.2")
	if s.page.shown != "" {
		t.Errorf("%q is shown, though the list leaves it in sight", s.page.shown)
	}
	s.finish()
	s.want("verdict-g10.2", "not run")
	s.click("run-g10.2")
	if !s.root.Papers.Active() {
		t.Fatal("nothing runs")
	}
	s.want("run-g10.2", "Cancel")
	s.finish()
	s.want("verdict-g10.2", "hold")
	s.want("run-g10.2", "Again")
	if text := s.html("paper-claims"); !strings.Contains(text, "5.7 GB") || strings.Contains(text, "not run") {
		t.Errorf("claims: %.2000s", text)
	}
	s.save("paper", "csv")
	s.save("paper-chart", "png", "svg")
	if f := s.page.saved; len(f) != 3 || f[0].name != "spillway-g10-2.csv" || f[1].text != "paper" {
		t.Errorf("%d downloads", len(f))
	}
	s.click("figure-entry-g10.claims")
	s.finish()
	s.want("paper-title", "The numbers in the text")
	s.save("paper", "csv")
	f := s.page.saved[3]
	if rows, err := csv.NewReader(strings.NewReader(f.text)).ReadAll(); err != nil || len(rows) < 20 || rows[0][0] != "figure" || f.name != "spillway-g10-claims.csv" {
		t.Errorf("%s: %d rows, %v", f.name, len(rows), err)
	}
	s.click("figure-entry-g10.11")
	s.finish()
	s.want("paper-rows", "Show the differences")
	s.click("paper-rows")
	if text := s.root.papers.(*Papers).sheet.(*Sheet).rows(); strings.Count(text, "<tr class=") != 35 {
		t.Errorf("the table has %d rows", strings.Count(text, "<tr class="))
	}
	s.save("paper", "csv")
	if rows, err := csv.NewReader(strings.NewReader(s.page.saved[4].text)).ReadAll(); err != nil || len(rows) != 36 || rows[1][0] != "g10.11" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	s.click("run-g10.19", "run-g10.19") // now it says cancel
	if s.root.Papers.Active() {
		t.Error("cancel did not cancel")
	}
	s.click("reproduce-g10")
	s.want("reproduce-g10", "Computing…")
	s.click("cancel-g10", "forget-g10")
	s.finish()
	s.want("verdict-g10.2", "not run")
	s.click("view-explore")
	s.find("headline")
}

// A figure of a paper has the same texts and numbers before and after it is run.
// What is typed into a section's field stays while another field's change draws the
// page anew; it is set when the field is left.
func TestSectionFieldKeepsWhatIsTyped(t *testing.T) {
	s := newStage(t, small+"&systems=ideal,deepum&batch=4&gpu_memory=2")
	s.finish()
	s.click("open-learned")
	s.fire("f-learned_kernel", "change", "7")
	s.fire("f-learned_iteration", "input", "2")
	s.finish()
	s.want("f-learned_iteration", `.value="2"`)
	if got := s.root.State.Look.Text("learned_iteration"); got != "0" {
		t.Errorf("iteration %s is set before the field is left", got)
	}
	s.fire("f-learned_iteration", "change", "2")
	s.want("f-learned_iteration", `.value="2"`)
	if got := s.root.State.Look.Text("learned_iteration"); got != "2" {
		t.Errorf("iteration %s; want 2", got)
	}
	s.fire("f-learned_iteration", "input", "many")
	s.fire("f-learned_iteration", "change", "many")
	s.want("f-learned_iteration", `.value="2"`)
}

// A figure of which no number was published has no empty list of them.
func TestNothingPublished(t *testing.T) {
	c := &Sheet{of: &study.Sheet{Figure: "12"}}
	if c.counts() {
		t.Error("it lists no numbers")
	}
	c.of.Figure = study.AllClaims
	if !c.counts() {
		t.Error("claims have no list")
	}
	c.of = &study.Sheet{Figure: "12", Rows: []study.Line{{}}}
	if !c.counts() {
		t.Error("numbers have no list")
	}
}

func TestEveryFigure(t *testing.T) {
	s := newStage(t, small+"&view=reproduce")
	s.finish()
	for _, e := range s.root.Papers.Views()[0].Items {
		s.click("figure-entry-" + e.Name)
		s.finish()
		s.want("paper-title", html.EscapeString(e.Title))
		if text := s.html("chart-paper"); !strings.Contains(text, html.EscapeString(e.Title)) {
			t.Errorf("%s: no description of the drawing", e.Name)
		}
		if strings.Contains(s.all(), "%!") {
			t.Errorf("%s: a text has a formatting error", e.Name)
		}
	}
}

func TestWhatEachSettingBrings(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=1&systems=ideal,g10")
	s.finish()
	s.want("ask-effects", "What does 10 % more of each bring?")
	s.click("ask-effects")
	s.want("ask-effects", "Trying each setting: ")
	s.finish()
	s.want("ask-effects", "again")
	s.want("brings-gpu_memory", "+10 %: G10 +")
	s.fire("f-gpu_memory", "input", "2")
	if text := s.html("brings-gpu_memory"); strings.Contains(text, "+10 %") {
		t.Errorf("of other settings: %s", text)
	}
}
