package embed

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/all"
	"spillway/ui/model/calls"
	"spillway/ui/model/session"
)

// quick is a link to a comparison that takes milliseconds, mixes to one in the
// other laboratory.
const (
	quick = "v=3&lab=train&model=bert-base&batch=16&times=as-paper&gpu_memory=2&systems=uvm,g10"
	mixes = "v=3&lab=store"
)

// A host is the program around a desk, without a browser: it does jobs when told.
type host struct {
	labs    map[string]lab.Info
	benches map[string]*exec.Executor
	tabs    []session.Tab
	session *session.Session
	jobs    []*exec.Job
	fetched []string
	begun   int
	refuse  bool // laboratories cannot be fetched
	lazy    bool // jobs are answered with an error instead of done
}

func newHost(tb testing.TB) *host {
	tb.Helper()
	h := &host{labs: map[string]lab.Info{}, benches: map[string]*exec.Executor{}}
	for _, l := range laboratories() {
		h.labs[l.Name], h.benches[l.Name] = l.Complete(), &exec.Executor{Lab: l}
		h.tabs = append(h.tabs, session.Tab{Name: l.Name, Title: l.Title})
	}
	return h
}

var laboratories = sync.OnceValue(func() (list []lab.Lab) {
	for _, door := range all.Labs {
		list = append(list, door.New())
	}
	return list
})

func (h *host) Start(j *exec.Job, _ calls.Priority) { h.jobs = append(h.jobs, j) }

func (*host) Raise(int, calls.Priority) {}

func (h *host) Stop(ids []int) {
	h.jobs = slices.DeleteFunc(h.jobs, func(j *exec.Job) bool { return slices.Contains(ids, j.ID) })
}

func (h *host) Recorded(string) {}
func (h *host) Answered(string) {}

func (h *host) Fetch(name string, _ bool) { h.fetched = append(h.fetched, name) }
func (*host) Stored(string) string        { return "" }
func (*host) Store(string, string) bool   { return false }
func (h *host) Idle() bool                { return len(h.jobs) == 0 }
func (*host) Draw(v *chart.View, theme, link string) string {
	return "<svg " + v.ID + " " + theme + " " + link
}

func (h *host) Begin(fragment string) *session.Session {
	h.begun++
	h.session = session.New(h.tabs, fragment, h)
	return h.session
}

// work does one thing that waits; false if there is none.
func (h *host) work() bool {
	switch {
	case len(h.fetched) > 0:
		info := h.labs[h.fetched[0]]
		h.fetched = h.fetched[1:]
		problem := ""
		if h.refuse {
			problem = "no network"
		}
		h.session.Enter(&info, problem)
	case len(h.jobs) > 0:
		j := h.jobs[0]
		h.jobs = h.jobs[1:]
		a := exec.Answer{ID: j.ID, Last: true, Error: "not done"}
		if !h.lazy {
			a = h.benches[j.Lab].Do(j, nil)
		}
		h.session.Answer(&a)
	default:
		return false
	}
	return true
}

// all puts questions and works until nothing is left to do.
func (h *host) all(d *Handler, questions ...Question) (answers []Answer) {
	for i := range questions {
		if a := d.Ask(&questions[i]); a != nil {
			answers = append(answers, *a)
		}
	}
	answers = append(answers, d.Step()...)
	for h.work() {
		answers = append(answers, d.Step()...)
	}
	return answers
}

func engine(tb testing.TB) (*host, *Handler) {
	tb.Helper()
	h := newHost(tb)
	return h, NewDesk(Read("engine", "", "", "https://spillway.example/"), nil, "", h)
}

// one is the only answer, which is no error.
func one(t *testing.T, answers []Answer) *Answer {
	t.Helper()
	if len(answers) != 1 || answers[0].Code != "" {
		t.Fatalf("%+v", answers)
	}
	return &answers[0]
}

func TestRun(t *testing.T) {
	h, d := engine(t)
	if d.Step() != nil || h.begun > 0 || len(h.fetched) > 0 {
		t.Error("an engine begins before it is asked")
	}
	a := one(t, h.all(d, Question{ID: 7, Type: "run", Link: "https://elsewhere.example/x/?a=b#" + quick, HasLink: true, Only: []string{"throughput", "memory"}, Theme: "dark"}))
	x := a.Result
	if a.ID != 7 || x == nil || len(x.Problems) > 0 || len(x.Systems) != 2 || len(x.Figures) != 2 {
		t.Fatalf("%+v", a)
	}
	if !strings.HasPrefix(x.Link, "https://spillway.example/#v=") || !strings.Contains(x.Link, "gpu_memory=2") {
		t.Errorf("link %q", x.Link)
	}
	for what, text := range map[string]string{"title": x.Title, "mode": x.Mode, "headline": x.Says} {
		if text == "" {
			t.Errorf("no %s", what)
		}
	}
	for _, s := range x.Systems {
		if s.Name == "" || s.Title == "" || s.Status != "" {
			t.Errorf("%+v", s)
		}
	}
	f := &x.Figures[0]
	if f.ID != "throughput" || f.Title == "" || !strings.Contains(f.Alt, "G10") || f.Text == "" || f.SVG != "<svg throughput dark "+x.Link || len(f.Head) < 2 || len(f.Rows) != 2 || len(f.Rows[0]) < 2 {
		t.Errorf("%+v", f)
	}
	// The same again needs no work, another setting does.
	if a := d.Ask(&Question{Type: "run"}); a != nil || len(d.Step()) != 1 || len(h.jobs) > 0 {
		t.Error("what is known is computed again")
	}
	again := one(t, h.all(d, Question{Type: "run", Values: []knob.Pair{{Key: "gpu_memory", Text: "24"}}})).Result
	if again.Figures[0].Rows[0][1] == f.Rows[0][1] || !strings.Contains(again.Link, "gpu_memory=24") {
		t.Errorf("%v is %v with another GPU", f.Rows[0], again.Figures[0].Rows[0])
	}
}

func TestOtherViews(t *testing.T) {
	h, d := engine(t)
	for link, figures := range map[string]int{
		"v=3&lab=train&view=reproduce&figure=g10.2": 1,
		"v=3&lab=train&view=compare&run=name%3DA+system%3Dg10+model%3Dbert-base+batch%3D16&run=name%3DB+system%3Duvm+model%3Dbert-base+batch%3D16": 15,
		"v=3&lab=train&model=bert-base&batch=16&view=whatif&ask-vary=gpu_memory&ask-values=1,2,4&systems=ideal,uvm,g10":                            1,
		"v=3&lab=train&model=bert-base&batch=16&view=whatif&ask=effects":                                                                           0,
	} {
		x := one(t, h.all(d, Question{Type: "run", Link: link, HasLink: true})).Result
		if n := len(x.Figures); n < figures || n > figures && figures <= 1 || figures > 0 && (x.Says == "" || len(x.Problems) > 0) || figures == 0 && len(x.Problems) == 0 {
			t.Errorf("%s: %d figures, %q, %q", link, len(x.Figures), x.Says, x.Problems)
		}
	}
}

// Two figures of a page take turns, in the order in which they ask.
func TestTurns(t *testing.T) {
	h, d := engine(t)
	answers := h.all(
		d, Question{ID: 1, Type: "set", Link: quick, HasLink: true}, Question{ID: 2, Type: "run", Only: []string{"throughput"}},
		Question{ID: 3, Type: "run", Link: "#" + mixes, HasLink: true, Only: []string{"time"}},
		Question{ID: 4, Type: "get", Fields: []string{"gpu_memory"}, Link: quick, HasLink: true},
	)
	var got []string
	for _, a := range answers {
		switch {
		case a.Result != nil:
			got = append(got, fmt.Sprint(a.ID, " ", a.Result.Figures[0].ID))
		case a.State != nil:
			got = append(got, fmt.Sprint(a.ID, " ", a.State.Fields[0].Text))
		}
	}
	if want := []string{"1 bert-base", "2 throughput", "3 time", "4 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestState(t *testing.T) {
	h, d := engine(t)
	s := one(t, h.all(d, Question{Type: "get", Link: quick, HasLink: true, Fields: []string{"gpu_memory", "ssd", "systems", "focus"}})).State
	kinds := map[string]string{}
	for _, f := range s.Fields {
		kinds[f.Key] = f.Kind
		if f.Label == "" || f.Kind == "number" && f.Min >= f.Max || f.Kind != "number" && len(f.Choices) < 2 {
			t.Errorf("%+v", f)
		}
	}
	if len(kinds) != 4 || kinds["gpu_memory"] != "number" || kinds["ssd"] != "one" || kinds["systems"] != "many" || kinds["focus"] != "one" {
		t.Errorf("%v", kinds)
	}
	// Every setting can be set to what it is said to be.
	for _, link := range []string{quick, mixes} {
		state := one(t, h.all(d, Question{Type: "get", Link: link, HasLink: true})).State
		for _, f := range state.Fields {
			if f.Kind == "one" && f.Text == "" {
				continue // of no listed part
			}
			after := one(t, h.all(d, Question{Type: "set", Values: []knob.Pair{{Key: f.Key, Text: f.Text}}})).State
			if after.Link != state.Link {
				t.Errorf("%s=%s: %s becomes %s", f.Key, f.Text, state.Link, after.Link)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	h, d := engine(t)
	before := one(t, h.all(d, Question{Type: "set", Link: quick, HasLink: true})).State.Link
	long := strings.Repeat("x", 1<<20)
	for _, x := range []struct {
		question Question
		code     string
	}{
		{Question{Type: "save"}, badType},
		{Question{Type: ""}, badType},
		{Question{Type: "set", Link: long}, badLimit},
		{Question{Type: "set", Values: []knob.Pair{{Key: long}}}, badLimit},
		{Question{Type: "set", Values: []knob.Pair{{Key: "batch", Text: long}}}, badLimit},
		{Question{Type: "run", Only: []string{long}}, badLimit},
		{Question{Type: "run", Only: make([]string, 33)}, badLimit},
		{Question{Type: "get", Fields: make([]string, 257)}, badLimit},
		{Question{Type: "set", Values: []knob.Pair{{Key: "gpu_memory", Text: "8"}, {Key: "__proto__", Text: "x"}}}, badValue},
		{Question{Type: "set", Values: []knob.Pair{{Key: "gpu_memory", Text: "8"}, {Key: "batch", Text: "<script>"}}}, badValue},
		{Question{Type: "set", Values: []knob.Pair{{Key: "gpu_memory", Text: "8"}, {Key: "systems", Text: "nobody"}}}, badValue},
		{Question{Type: "get", Fields: []string{"nothing"}}, badValue},
		{Question{Type: "run", Only: []string{"nothing"}}, badOnly},
	} {
		answers := h.all(d, x.question)
		if len(answers) != 1 || answers[0].Code != x.code || answers[0].Message == "" || len(answers[0].Message) > 500 {
			t.Errorf("%s: %+v", x.code, answers)
		}
	}
	if after := one(t, h.all(d, Question{Type: "get"})).State.Link; after != before {
		t.Errorf("what was refused changed %s to %s", before, after)
	}
}

// Whatever the link, there are words about it, and numbers where settings are.
func TestLinks(t *testing.T) {
	for link, says := range map[string]string{
		"v=3&lab=tr":                        `"tr"`,
		"%":                                 "names no version",
		"model=bert-base":                   "names no version",
		"v=99&lab=train":                    "newer",
		"v=3&lab=train&gpu_memory=tape":     "tape",
		quick + "&entry=resnet-of-somebody": "resnet-of-somebody",
	} {
		h, d := engine(t)
		h.lazy = true
		x := one(t, h.all(d, Question{Type: "run", Link: link, HasLink: true})).Result
		if !strings.Contains(strings.Join(x.Problems, "\n"), says) {
			t.Errorf("%s: %q", link, x.Problems)
		}
	}
	h, d := engine(t)
	h.refuse = true
	if a := h.all(d, Question{Type: "run", Link: quick, HasLink: true}); len(a) != 1 || a[0].Code != badLab || !strings.Contains(a[0].Message, "no network") {
		t.Errorf("%+v", a)
	}
}

// Many sets in a row are done once, with what the last of them says; one that cannot be spoils no other.
func TestSetsInARow(t *testing.T) {
	h, d := engine(t)
	one(t, h.all(d, Question{Type: "run", Link: quick, HasLink: true}))
	rev := h.session.Laboratory.Rev
	var list []Question
	for i := range 300 {
		list = append(list, Question{ID: i, Type: "set", Values: []knob.Pair{{Key: "gpu_memory", Text: fmt.Sprint(3 + i)}}})
	}
	for i := range list {
		if a := d.Ask(&list[i]); a != nil {
			t.Fatalf("%d: %+v", i, a)
		}
	}
	answers := d.Step()
	if len(answers) != 300 || answers[299].ID != 299 || answers[0].State == nil || h.session.Laboratory.Rev != rev+1 {
		t.Fatalf("%d answers, %d changes", len(answers), h.session.Laboratory.Rev-rev)
	}
	if got := h.session.Laboratory.State.Setup.Text("gpu_memory"); got != "302" || len(h.jobs) > 3 {
		t.Errorf("gpu_memory is %s, %d jobs", got, len(h.jobs))
	}
	for i, p := range []knob.Pair{{Key: "gpu_memory", Text: "5"}, {Key: "batch", Text: "apples"}, {Key: "gpu_memory", Text: "7"}} {
		if a := d.Ask(&Question{ID: i, Type: "set", Values: []knob.Pair{p}}); a != nil {
			t.Fatal(a)
		}
	}
	answers = d.Step()
	if len(answers) != 3 || answers[0].State == nil || answers[1].Code != badValue || answers[2].State == nil || h.session.Laboratory.State.Setup.Text("gpu_memory") != "7" {
		t.Errorf("%+v", answers)
	}
}

func TestBusyAndBye(t *testing.T) {
	h, d := engine(t)
	for i := range mostWaiting {
		if a := d.Ask(&Question{ID: i, Type: "run", Link: quick, HasLink: true}); a != nil {
			t.Fatalf("%d: %+v", i, a)
		}
	}
	if a := d.Ask(&Question{Type: "get"}); a == nil || a.Code != busy {
		t.Errorf("%+v", a)
	}
	for len(h.jobs) == 0 {
		d.Step()
		h.work()
	}
	d.Drop()
	if len(h.jobs) > 0 || len(h.all(d)) > 0 {
		t.Errorf("%d jobs go on after bye", len(h.jobs))
	}
	x := one(t, h.all(d, Question{Type: "run"})).Result
	if len(x.Figures) == 0 || x.Systems[0].Status != "" {
		t.Errorf("after bye nothing runs: %+v", x.Systems)
	}
}

func TestOptions(t *testing.T) {
	for _, x := range []struct {
		mode, only, hide string
		shows            string
	}{
		{"view", "", "", "head tables sections notes tools"},
		{"<b>", "", "", "head tables sections notes tools"},
		{"edit", "", "notes,picture", "head settings tables sections tools"},
		{"edit", "", "", "head picture settings tables sections notes tools"},
		{"edit", "memory", "", "head settings tools"},
		{"view", "memory,,time", "tools,head", ""},
	} {
		o := Read(x.mode, x.only, x.hide, "https://x/")
		var shows []string
		for _, part := range []string{Head, Picture, Settings, Tables, Sections, Notes, Tools} {
			if o.Shows(part) {
				shows = append(shows, part)
			}
		}
		if got := strings.Join(shows, " "); got != x.shows {
			t.Errorf("%v: %q, want %q", x, got, x.shows)
		}
		if o.Draws("memory") != true || o.Draws("nothing") != (x.only == "") {
			t.Errorf("%v draws something else", x)
		}
	}
}

// Whatever is asked, every question is answered once, with texts that are not
// longer than what may be asked with.
func FuzzDesk(f *testing.F) {
	for _, seed := range []string{
		"set\n" + quick + "\nrun\n\nget\n", "run\n#" + mixes + "\ngpu_memory=8\nonly=time", "set\n%00\n__proto__=1\nbye\n\nrun\n",
		"get\nv=3&view=reproduce&figure=g10.\x00\nfields=constructor", "run\nv=3&lab=train&view=compare&run=name%3D%3Cscript%3E\n", "run\nv=2&base=%26\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, d := engine(t)
		h.lazy = true
		asked, answered := 0, 0
		lines := strings.Split(text, "\n")
		for len(lines) >= 3 && asked < 40 {
			q := Question{ID: asked, Type: lines[0], Link: lines[1], HasLink: lines[1] != ""}
			key, value, _ := strings.Cut(lines[2], "=")
			switch key {
			case "only":
				q.Only = strings.Split(value, ",")
			case "fields":
				q.Fields = strings.Split(value, ",")
			default:
				q.Values = []knob.Pair{{Key: key, Text: value}}
			}
			lines = lines[3:]
			asked++
			for _, a := range h.all(d, q) {
				answered++
				if a.ID != asked-1 || (a.Code == "") == (a.Result == nil && a.State == nil) || len(a.Message) > 4*len(text)+1000 {
					t.Fatalf("%+v", a)
				}
			}
		}
		if asked != answered {
			t.Fatalf("%d questions, %d answers", asked, answered)
		}
	})
}
