package ui

import (
	"html"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vugu/vugu"

	"spillway/sim/train"
	"spillway/ui/job"
	"spillway/ui/model"
)

// direct runs every job at once, in the test's goroutine, when asked to.
type direct struct {
	bench job.Bench
	queue []job.Job
}

func (d *direct) Start(j job.Job) { d.queue = append(d.queue, j) }
func (d *direct) Stop(ids []int)  {}

func (d *direct) work(s *model.Session) {
	for len(d.queue) > 0 {
		j := d.queue[0]
		d.queue = d.queue[1:]
		s.Answer(d.bench.Do(j, nil))
	}
}

// silent is a page that remembers what it was asked.
type silent struct{ saved, copied, picked, help int }

func (s *silent) Save(name, mime, text string)    { s.saved++ }
func (s *silent) SaveChart(id, kind, name string) { s.saved++ }
func (s *silent) CopyLink()                       { s.copied++ }
func (s *silent) Pick(folder bool)                { s.picked++ }
func (s *silent) Theme()                          {}
func (s *silent) Narrow() bool                    { return false }
func (s *silent) Show(id string)                  {}
func (s *silent) Help()                           { s.help++ }

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
const small = "v=1&model=bert-base&batch=16&times=as-paper"

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{T: t, page: &silent{}, runner: &direct{}}
	var mu sync.RWMutex
	s.env = vugu.NewEventEnvImpl(&mu, make(chan bool, 1))
	var err error
	if s.build, err = vugu.NewBuildEnv(s.env); err != nil {
		t.Fatal(err)
	}
	state, err := model.Decode(small)
	if err != nil {
		t.Fatal(err)
	}
	s.root = NewRoot(NewApp(model.NewSession(state, s.runner), s.page))
	s.draw()
	return s
}

func (s *stage) draw() { s.drawn = s.build.RunBuild(s.root) }

// find returns the node with the id.
func (s *stage) find(id string) *vugu.VGNode {
	s.Helper()
	n := find(s.drawn, s.drawn.Out.Out[0], id)
	if n == nil {
		s.Fatalf("no element %q", id)
	}
	return n
}

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

// html returns the element with the id as HTML.
func (s *stage) html(id string) string {
	s.Helper()
	var sb strings.Builder
	markup(&sb, s.drawn, s.find(id))
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

// markup writes the node as HTML, components included.
func markup(sb *strings.Builder, br *vugu.BuildResults, n *vugu.VGNode) {
	switch {
	case n.Component != nil:
		for _, o := range br.ResultFor(n.Component).Out {
			markup(sb, br, o)
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
		markup(sb, br, c)
	}
	if n.Data != "" {
		sb.WriteString("</" + n.Data + ">")
	}
}

func (s *stage) want(id, text string) {
	s.Helper()
	if got := s.html(id); !strings.Contains(got, text) {
		s.Errorf("element %q:\n%s\nwant %q in it", id, got, text)
	}
}

func TestPageShowsEverySystem(t *testing.T) {
	s := newStage(t)
	s.want("headline", "Computing…")
	s.runner.work(s.root.Session)
	s.draw()
	for _, sys := range train.Systems {
		s.want("run-"+sys.Name, "done")
		s.want("numbers", sys.Title)
	}
	s.want("numbers", "samples/s")
	s.want("title-throughput", "normalized")
}

func TestFieldKeepsWhatWasTyped(t *testing.T) {
	s := newStage(t)
	s.runner.work(s.root.Session)
	s.fire("f-gpu_memory", "input", "40 apples")
	s.want("f-gpu_memory", `.value="40 apples"`)
	s.want("f-gpu_memory", `aria-invalid="true"`)
	s.want("err-gpu_memory", "not a number")
	s.want("blocked", "One setting is not valid")
	s.fire("f-gpu_memory", "input", "1e9")
	s.want("err-gpu_memory", "GiB; want")
	s.fire("f-gpu_memory", "input", "24.")
	s.want("f-gpu_memory", `.value="24."`)
	s.want("err-gpu_memory", "></p>")
	if got := s.root.State.Machine.GPUMemory.String(); got != "24 GiB" {
		t.Errorf("GPU memory is %s; want 24 GiB", got)
	}
	s.fire("reset-gpu_memory", "click", "")
	s.want("f-gpu_memory", `.value="40"`)
	s.fire("undo", "click", "")
	s.want("f-gpu_memory", `.value="24."`)
	s.fire("undo", "click", "")
	s.want("f-gpu_memory", `.value="40"`)
	s.fire("redo", "click", "")
	s.want("f-gpu_memory", `.value="24."`)
}

func TestContradictoryHardware(t *testing.T) {
	s := newStage(t)
	s.fire("f-ssd_read", "input", "20")
	s.want("hardware-problems", "faster than the host link")
	s.want("blocked", "contradict")
}

func TestSwitches(t *testing.T) {
	s := newStage(t)
	last := train.Systems[len(train.Systems)-1]
	s.fire("on-"+last.Name, "change", "")
	s.want("run-"+last.Name, "hidden")
	if s.root.State.On(last.Name) {
		t.Error("the system is still compared")
	}
	s.fire("mode-corrected", "change", "")
	s.want("context", "corrected")
	s.fire("quirks", "click", "")
	s.fire("quirk-arrival-order", "change", "")
	s.want("context", "custom, 1 of")
	s.fire("times-estimated", "change", "")
	s.want("context", "estimated")
	s.fire("info-"+last.Name, "click", "")
	s.fire("axis-kernel-memory", "click", "")
	if s.root.State.Axis != model.ByKernel {
		t.Error("the axis did not change")
	}
	s.fire("part-gpu", "change", "v100-32")
	s.want("f-gpu_memory", `.value="32"`)
	s.fire("preset", "change", model.Presets()[1].Key)
	s.want("f-gpu_memory", `.value="80"`)
}

func TestDownloads(t *testing.T) {
	s := newStage(t)
	s.runner.work(s.root.Session)
	s.draw()
	for _, id := range []string{"save-csv", "save-json", "png-memory", "svg-memory", "csv-memory"} {
		s.fire(id, "click", "")
	}
	s.fire("link", "click", "")
	s.fire("help", "click", "")
	s.fire("pick-files-button", "click", "")
	if *s.page != (silent{saved: 5, copied: 1, picked: 1, help: 1}) {
		t.Errorf("got %+v", *s.page)
	}
	s.fire("numbers-traffic", "click", "")
	s.want("figure-traffic", "SSD → GPU, GB")
}

func TestCancelAndRunAgain(t *testing.T) {
	s := newStage(t)
	s.fire("cancel", "click", "")
	s.want("run-"+train.Systems[0].Name, "cancelled")
	s.runner.queue = nil
	s.fire("again", "click", "")
	s.runner.work(s.root.Session)
	s.draw()
	s.want("run-"+train.Systems[0].Name, "done")
}

func TestNotesNameEverySystem(t *testing.T) {
	s := newStage(t)
	s.runner.work(s.root.Session)
	notes := (&Summary{s.root.App}).notes()
	if want := "FlashNeuron, G10-GDS, G10-Host: One iteration was run."; !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("no note begins with %q: %q", want, notes)
	}
}
