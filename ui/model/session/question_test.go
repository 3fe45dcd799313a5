package session_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/sweep"
	"spillway/ui/exec"
	"spillway/ui/model/bakery"
	"spillway/ui/model/form"
	"spillway/ui/model/question"
	"spillway/ui/model/state"
)

// asking returns a session about the bakery that shows a question.
func asking(t *testing.T, rest string) *host {
	t.Helper()
	return newHost(t, "v=2&lab=bakery&view=whatif"+rest)
}

// fieldOf returns a control of the question.
func (h *host) fieldOf(key string) form.Field {
	h.Helper()
	for _, f := range h.Question.Fields() {
		if f.Key == key {
			return f
		}
	}
	h.Fatalf("the question has no control %q", key)
	return form.Field{}
}

// picks counts the runs that wait.
func (h *host) picks() (n int) {
	for _, j := range h.open(exec.Several) {
		n += len(j.Picks)
	}
	return n
}

// What the store of runs has under way at once: batches, and runs in each.
const (
	jobsAtOnce = 4
	mostPicks  = 24
)

func TestVaryOne(t *testing.T) {
	h := asking(t, "&watts=300&ask-vary=watts&systems=dream,oven")
	if n := len(h.open(exec.Run)); n != 0 {
		t.Errorf("%d runs of Explore wait", n)
	}
	if j := h.open(exec.Several); len(j) != jobsAtOnce || !h.bulk[j[0].ID] || !h.Question.Active() {
		t.Fatalf("%d jobs", len(j))
	}
	h.do()
	x := h.Question.Axes()[0]
	if len(x.Texts) != 9 || x.Texts[0] != "75" || x.Texts[8] != "1200" || !slices.Contains(x.Texts, "300") || x.Now != "300" {
		t.Fatalf("%+v", x)
	}
	for i, v := range x.Xs {
		if c := h.Question.At("oven", i, 0); !c.Known || math.Abs(c.Value-v/4) > 1e-9 || c.Problem != "" {
			t.Errorf("at %v: %+v", v, c)
		}
	}
	if p := h.Question.Progress(); p.Known != 18 || p.All != 18 || p.Active || p.Percent() != 100 {
		t.Errorf("%+v", p)
	}
	// What is known is not run again, whatever else is asked meanwhile.
	jobs := len(h.jobs)
	h.Question.Choose(state.VaryKey, "portions")
	h.do()
	more := len(h.jobs)
	if more == jobs {
		t.Error("another knob needs no runs")
	}
	h.Question.Choose(state.VaryKey, "watts")
	h.Undo()
	h.Redo()
	if len(h.jobs) != more || h.Question.At("oven", 0, 0).Value != 75.0/4 {
		t.Errorf("%d jobs, then %d", more, len(h.jobs))
	}
}

// Points that cannot be have a reason, and others go on.
func TestVaryGaps(t *testing.T) {
	h := asking(t, "&portions=2&ask-vary=watts&ask-values=100,1000,2000,14,13&systems=oven")
	h.do()
	for i, want := range []question.Cell{
		{Known: true, Value: 50},
		{Known: true, Value: 500},
		{Known: true, Problem: "Too hot. Too few."},
		{Known: true, Problem: "the fuse is gone"},
		{Known: true, Problem: "the simulator has a bug"},
	} {
		c := h.Question.At("oven", i, 0)
		if !c.Known || want.Problem == "" && c.Value != want.Value || want.Problem != "" && !math.IsNaN(c.Value) || !strings.HasPrefix(c.Problem, want.Problem) || c.Unfit {
			t.Errorf("point %d: %+v, want %+v", i, c, want)
		}
	}
	jobs := len(h.jobs)
	h.Question.Run() // tries what failed again, and nothing else
	if n := h.picks(); n != 2 || len(h.jobs) == jobs {
		t.Errorf("%d runs again", n)
	}
	h = asking(t, "&dish=cake&oven=gas&ask-vary=oven&ask-values=wood,gas&systems=kiln")
	h.do()
	if c := h.Question.At("kiln", 0, 0); c.Problem == "" || c.Unfit { // a cake needs gas
		t.Errorf("%+v", c)
	}
	if c := h.Question.At("kiln", 1, 0); !c.Unfit || c.Problem != "too large" {
		t.Errorf("%+v", c)
	}
}

func TestVaryTwo(t *testing.T) {
	h := asking(t, "&ask-vary=watts&ask-values=100..400/4&ask-vary2=portions&ask-values2=2,4&systems=dream,oven,kiln")
	h.do()
	axes := h.Question.Axes()
	if len(axes) != 2 || strings.Join(axes[0].Texts, " ") != "100 200 300 400" {
		t.Fatalf("%+v", axes)
	}
	for i, w := range axes[0].Xs {
		for k, p := range axes[1].Xs {
			if c := h.Question.At("kiln", i, k); c.Value != w/p {
				t.Errorf("%v watts, %v portions: %+v", w, p, c)
			}
		}
	}
	h.Question.Choose(state.Vary2Key, "watts") // twice the same is one
	if len(h.Question.Axes()) != 1 {
		t.Error("a knob is varied against itself")
	}
	h.Question.Choose(state.Vary2Key, "dish")
	h.do()
	if x := h.Question.Axes()[1]; strings.Join(x.Labels, " ") != "Rye Cake" || x.Xs != nil {
		t.Errorf("%+v", x)
	}
	h.Question.Flip(state.Values2Key, "rye")
	if x := h.Question.Axes()[1]; strings.Join(x.Labels, " ") != "Cake" {
		t.Errorf("%+v", x)
	}
	h.Question.Flip(state.Values2Key, "cake")
	if x := h.Question.Axes(); len(x) != 2 || len(x[1].Texts) == 0 {
		t.Errorf("without a point: %q, %+v", h.Question.Problem(), x)
	}
}

// A long question waits for the button, and says how long it takes.
func TestVaryMany(t *testing.T) {
	h := asking(t, "&ask-vary=watts&ask-values=100..999/300&systems=oven")
	if n := h.picks(); n != 0 || h.Question.Progress().All != 300 {
		t.Fatalf("%d runs wait", n)
	}
	h.Question.Run()
	h.do()
	if p := h.Question.Progress(); p.Known != 300 {
		t.Errorf("%+v", p)
	}
	largest := 0
	for _, j := range h.jobs {
		largest = max(largest, len(j.Picks))
	}
	if largest < 2 || largest > mostPicks {
		t.Errorf("jobs of at most %d runs", largest)
	}
	h.Question.Choose(state.Vary2Key, "portions")
	h.Question.Type(state.ValuesKey+".to", "5000")
	h.Question.Type(state.ValuesKey+".count", "99999")
	if h.Question.Problem() == "" || h.Question.Active() {
		t.Errorf("%q", h.Question.Problem())
	}
}

func TestAskCancel(t *testing.T) {
	h := asking(t, "&ask-vary=watts&systems=oven")
	j := h.open(exec.Several)[0]
	h.say(j, exec.Answer{Parts: []exec.Part{{Report: good(7).Report}}})
	h.Question.Cancel()
	if h.Question.Active() || len(h.open()) != 0 {
		t.Error("after cancelling something runs")
	}
	known := h.Question.Progress().Known
	if known != 1 {
		t.Errorf("%d known; partial results stay", known)
	}
	h.Refresh()
	if h.Question.Active() {
		t.Error("what was cancelled begins by itself")
	}
	h.Question.Run()
	if !h.Question.Active() {
		t.Error("what was cancelled cannot be run")
	}
	h.SetView(state.Explore)
	if h.Question.Active() || len(h.open(exec.Several)) != 0 {
		t.Error("the view was left, and its runs go on")
	}
	h.do()
	h.SetView(state.WhatIf)
	if h.Question.Progress().Known < known || !h.Question.Active() {
		t.Error("coming back, what was known is gone, or nothing goes on")
	}
	h.Go("train")
	h.enter()
	if slices.ContainsFunc(h.open(exec.Several), func(j *exec.Job) bool { return j.Lab != "train" }) {
		t.Error("the laboratory was left, and its runs go on")
	}
}

// Answers about what is no longer asked are taken by nobody.
func TestAskStale(t *testing.T) {
	h := asking(t, "&ask-vary=watts&systems=oven")
	old := h.open(exec.Several)[0]
	h.Question.Choose(state.VaryKey, "portions")
	if !h.over[old.ID] {
		t.Error("the old question goes on")
	}
	if h.Answer(&exec.Answer{ID: old.ID, Last: true}) {
		t.Error("an old answer is taken")
	}
	h.do()
	h.say(&exec.Job{ID: 999}, exec.Answer{})
	short := asking(t, "&ask-vary=watts&ask-values=100,200&systems=oven")
	for _, j := range short.open(exec.Several) {
		short.say(j, exec.Answer{Error: "the worker is gone"})
	}
	if c := short.Question.At("oven", 0, 0); c.Problem != "the worker is gone" {
		t.Errorf("%+v", c)
	}
}

func TestAskForm(t *testing.T) {
	h := asking(t, "&watts=300&ask-vary=watts&systems=oven")
	values := func() string { return h.State.Ask.Text(state.ValuesKey) }
	if f := h.fieldOf(state.ValuesKey + ".from"); f.Text != "75" {
		t.Errorf("%+v", f)
	}
	h.Question.Type(state.ValuesKey+".from", "100")
	if values() != "100..1200x9" {
		t.Errorf("values %q", values())
	}
	h.Question.Type(state.ValuesKey+".to", "")
	if f := h.fieldOf(state.ValuesKey + ".to"); f.Text != "" || f.Error == "" || values() != "100..1200x9" {
		t.Errorf("%+v, values %q", f, values())
	}
	h.Question.Type(state.ValuesKey+".to", "500.0")
	if f := h.fieldOf(state.ValuesKey + ".to"); f.Error != "" || f.Text != "500.0" || values() != "100..500x9" {
		t.Errorf("%+v, values %q", f, values())
	}
	h.Question.Choose(state.ValuesKey+".how", "/")
	h.Question.Type(state.ValuesKey+".count", "3")
	h.Question.Choose(state.ValuesKey+".how", "list")
	if values() != "100,300,500" {
		t.Errorf("values %q", values())
	}
	h.Question.Type(state.ValuesKey+".list", "100,what")
	if f := h.fieldOf(state.ValuesKey + ".list"); !strings.Contains(f.Error, "not a number") {
		t.Errorf("%+v", f)
	}
	h.Question.Choose(state.ValuesKey+".how", "x")
	if values() != "100..500x3" {
		t.Errorf("values %q", values())
	}
	h.Undo()
	h.Undo()
	if f := h.fieldOf(state.ValuesKey + ".list"); f.Error != "" || f.Text != "100,300,500" {
		t.Errorf("after undo %+v", f)
	}
	h.Question.Choose(state.VaryKey, "portions")
	if values() != "" {
		t.Errorf("values of another knob: %q", values())
	}
	h.Question.Choose(state.VaryKey, "nothing")
	if h.Notice == "" {
		t.Error("an unknown knob is taken")
	}
}

func TestAskLink(t *testing.T) {
	for _, rest := range []string{
		"", "&ask-vary=watts&ask-values=100..200x3", "&ask-vary=dish&ask-vary2=watts&ask-values2=100,200&ask-show=each",
		"&ask=find&ask-find=close&ask-range=2..40&ask-within=2.5", "&ask=effects", "&ask=buy",
	} {
		h := asking(t, rest)
		link := h.Link()
		if !strings.HasSuffix(link[:strings.Index(link, "&end=")], "view=whatif&focus=oven"+rest) || h.Notice != "" {
			t.Errorf("%q becomes %q (%s)", rest, link, h.Notice)
		}
	}
	h := asking(t, "&ask-vary=flour")
	if !strings.Contains(h.Notice, `"flour"`) {
		t.Errorf("%q", h.Notice)
	}
	h = asking(t, "&ask-vary=watts&ask-values=much")
	if h.Question.Problem() == "" || h.picks() != 0 {
		t.Errorf("%q", h.Question.Problem())
	}
	h = asking(t, "&systems=")
	if !strings.Contains(h.Question.Problem(), "No system") {
		t.Errorf("%q", h.Question.Problem())
	}
	h = asking(t, "&flour=x")
	if h.Question.Problem() != h.Runs.Blocked() || h.Runs.Blocked() == "" {
		t.Errorf("%q", h.Question.Problem())
	}
}

func TestFindMost(t *testing.T) {
	h := asking(t, "&ask=find&ask-find=most&ask-vary=portions&systems=dream,oven,kiln")
	h.do()
	found := h.Question.Found()
	if len(found) != 2 || !found[1].Over || found[1].Value != "10" || found[0].Value != "50" {
		t.Fatalf("%+v", found)
	}
	if !strings.Contains(found[1].Says, "too large") || len(found[1].Xs) < 8 || found[1].Texts[found[1].At] != "10" {
		t.Errorf("%+v", found[1])
	}
	if found[1].Than != nil || found[1].SoFar != "" {
		t.Errorf("of the bound, which was not asked: %v; so far %q", found[1].Than, found[1].SoFar)
	}
	for _, s := range h.Question.Asked().Figure.Panels.Series {
		if s.Name == h.Question.Bound().Title {
			t.Error("the bound has a line and did not run")
		}
	}
	h.Question.Adopt(found[1].Value)
	if h.State.View != state.Explore || h.State.Setup.Text("portions") != "10" {
		t.Errorf("%s in %s", h.State.Setup, h.State.View)
	}
	h.Undo()
	h.want("portions", "4")
}

// What is said of systems of which nothing was found fits what was asked.
func TestFindNone(t *testing.T) {
	for find, want := range map[string]string{
		state.Most:  "No portions from 20 to 50 that was tried runs with Kiln.",
		state.Close: "No portions from 20 to 50 that was tried brings Kiln within 5 % of Dream.",
		state.Least: "No portions from 20 to 50 is enough for Kiln.",
	} {
		h := asking(t, "&ask=find&ask-find="+find+"&ask-vary=portions&ask-range=20..50&systems=dream,kiln")
		h.do()
		if got := h.Question.Asked().Says; got != want {
			t.Errorf("%s: %q, want %q", find, got, want)
		}
	}
}

func TestFindLeast(t *testing.T) {
	h := asking(t, "&ask=find&ask-vary=watts&ask-range=20..80&systems=oven")
	h.do()
	f := h.Question.Found()[0]
	if f.Value != "20" || f.Than[0] != f.Ys[0] || h.Question.Bound().Name != "dream" {
		t.Errorf("%+v", f)
	}
	h.Question.Type(state.RangeKey+".from", "90")
	if f := h.fieldOf(state.RangeKey + ".from"); f.Error == "" {
		t.Errorf("%+v", f)
	}
	h.Question.Choose(state.VaryKey, "dish")
	if !strings.Contains(h.Question.Problem(), "no number") {
		t.Errorf("%q", h.Question.Problem())
	}
	h.Question.Choose(state.FindKey, state.Most) // of what runs
	if h.State.Ask.Text(state.VaryKey) != "portions" {
		t.Errorf("%s", h.State.Ask)
	}
}

func TestEffects(t *testing.T) {
	h := asking(t, "&ask=effects&systems=dream,oven")
	h.do()
	gains := h.Question.Gains()
	if len(gains) != 2 || gains[0].Key != "portions" || gains[1].Key != "watts" {
		t.Fatalf("%+v", gains)
	}
	if p := gains[0].Parts[1]; math.Abs(p.Relative+0.2) > 1e-9 || p.Say() != "−20 %" || gains[0].Best != -1 {
		t.Errorf("%+v", gains[0])
	}
	if g := gains[1]; g.Best != 1 || g.Parts[1].Say() != "+10 %" || g.To != "110" {
		t.Errorf("%+v", g)
	}
	if got := h.Question.Effect("watts"); got != "+10 %: Oven +10 %" {
		t.Errorf("%q", got)
	}
	h.Choose("oven", "gas")
	h.do()
	g := h.Question.Gains()[1]
	if g.Key != "watts" || g.Reason != "gas has none" || h.Question.Effect("watts") != "gas has none" {
		t.Errorf("%+v", g)
	}
}

// The settings panel asks in Explore.
func TestEffectsInExplore(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&systems=dream,oven")
	h.do()
	h.Question.AskEffects()
	if h.Question.EffectsProgress().All == 0 || h.Question.Effect("watts") != "" {
		t.Errorf("%+v, %q", h.Question.EffectsProgress(), h.Question.Effect("watts"))
	}
	h.Question.CancelEffects()
	if len(h.open()) != 0 || h.Question.EffectsProgress().All != 0 {
		t.Error("it cannot be cancelled")
	}
	h.Question.AskEffects()
	h.do()
	if h.Question.Effect("watts") == "" || h.Question.Effect("dish") != "" {
		t.Errorf("%q", h.Question.Effect("watts"))
	}
	h.Type("watts", "200")
	if h.Question.Effect("watts") != "" {
		t.Error("effects of other settings are shown")
	}
}

func TestBuy(t *testing.T) {
	h := newHost(t, quick+"&view=whatif&ask=buy&systems=ideal,uvm")
	h.do()
	gains := h.Question.Gains()
	p := h.Question.Progress()
	if len(gains) < 8 || p.Known != p.All || p.All != 2*(len(gains)+1) {
		t.Fatalf("%d parts, %+v", len(gains), p)
	}
	top := gains[0]
	if top.Best < 0 || top.Reason != "" || top.Parts[top.Best].System == "ideal" || top.Choice == "" {
		t.Errorf("%+v", top)
	}
	// Only what has a price is bought, for the system that is best now; most for the money first.
	forMoney := func(e *question.Effect) float64 {
		if e.Best < 0 {
			return math.Inf(-1)
		}
		return e.Parts[e.Best].Gain / e.Price
	}
	for i := range gains {
		e := &gains[i]
		if e.Reason == "" && !(e.Price > 0) || e.Best >= 0 && e.Parts[e.Best].System != top.Parts[top.Best].System {
			t.Errorf("%s for %g more: %+v", e.To, e.Price, e)
		}
		if i > 0 && e.Reason == "" && e.Best >= 0 && forMoney(e) > forMoney(&gains[i-1]) {
			t.Errorf("%s after %s", e.To, gains[i-1].To)
		}
	}
	var shown question.Shown
	shown.Follow(h.Question)
	shown.Conclude()
	if says := shown.Says(); !strings.Contains(says, top.To+" instead of "+top.From+" brings most for the money: ") || !strings.Contains(shown.Part(), top.To) {
		t.Errorf("it says %s and offers %q", says, shown.Part())
	}
	// With a budget the dearer parts, and those without a price, say why they are no answer.
	h.Question.Choose(state.BudgetKey, "500")
	h.do()
	left := 0
	for _, e := range h.Question.Gains() {
		if e.Reason == "" {
			left++
		}
		if e.Reason == "" && !(e.Price <= 500) || e.Reason == "costs more than that" && !(e.Price > 500) {
			t.Errorf("%s for %g more: %q", e.To, e.Price, e.Reason)
		}
	}
	shown.Conclude()
	if says := shown.Says(); left == 0 || left == len(gains) || !strings.Contains(says, " for up to $500") {
		t.Errorf("%d of %d parts are left; it says %s", left, len(gains), says)
	}
	h.Question.Choose(state.BudgetKey, state.AnyPrice)
	h.do()
	shown.Conclude()
	shown.AdoptPart()
	if h.State.View != state.Explore || h.State.Setup.Text(top.Key) != top.Choice {
		t.Errorf("%s", h.State.Setup)
	}
}

func TestAskFiles(t *testing.T) {
	h := asking(t, "&portions=2&ask-vary=watts&ask-values=100,2000&systems=oven")
	h.do()
	rows, err := csv.NewReader(strings.NewReader(h.Question.CSV())).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[1], "|") != "oven|ok||50|20|dish=rye portions=2" || rows[2][1] != "contradicts" || !strings.Contains(rows[2][5], "watts=2000") {
		t.Errorf("%q, %v", rows, err)
	}
	var file struct {
		Format, Link, Question string
		Runs                   []struct {
			Setup, Status, Reason string
			Values                map[string]float64
		}
	}
	if err := json.Unmarshal([]byte(h.Question.JSON()), &file); err != nil || file.Format != "spillway-question" || len(file.Runs) != 2 || file.Runs[0].Values["speed"] != 50 || file.Runs[1].Reason == "" || !strings.Contains(file.Link, "ask-values=100,2000") {
		t.Errorf("%+v, %v", file, err)
	}
	h.Question.Choose(state.AskKey, state.Find)
	h.do()
	if rows, err := csv.NewReader(strings.NewReader(h.Question.CSV())).ReadAll(); err != nil || len(rows) < 5 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestAskFilesSpeakAsTheCommand: what came of a run has the names that the command
// gives it.
func TestAskFilesSpeakAsTheCommand(t *testing.T) {
	for rest, want := range map[string]string{
		"&portions=2&ask-vary=watts&ask-values=100,1000,2000,13&systems=oven": "ok|ok|contradicts|failed",
		"&dish=cake&oven=gas&ask-vary=oven&ask-values=wood,gas&systems=kiln":  "contradicts|cannot run",
	} {
		h := asking(t, rest)
		h.do()
		rows, err := csv.NewReader(strings.NewReader(h.Question.CSV())).ReadAll()
		if err != nil || len(rows) < 2 || strings.Join(rows[0][:3], " ") != "system status reason" {
			t.Fatalf("%q, %v", rows, err)
		}
		var got []string
		for _, row := range rows[1:] {
			got = append(got, row[1])
			if (row[2] == "") != (row[1] == sweep.OK) {
				t.Errorf("%s: %q", rest, row)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", rest, got, want)
		}
	}
}

func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.1: "+10 %", -0.2: "−20 %", 0.0001: "< 0.1 %", 0.1234: "+12.3 %", 42.4: "×43", -0.00049: "< 0.1 %"} {
		if got := question.Signed(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

// A run that failed is no answer: a search stops there and says so, and Run tries
// it again.
func TestFindFails(t *testing.T) {
	h := asking(t, "&ask=find&ask-find=most&ask-vary=portions&systems=dream,kiln")
	fail := func() {
		for list := h.open(exec.Several); len(list) > 0; list = h.open(exec.Several) {
			h.say(list[0], exec.Answer{Error: "the worker is gone"})
		}
	}
	fail()
	f := h.Question.Found()[0]
	if f.Over || f.Value != "" || f.Failed != "the worker is gone" {
		t.Errorf("%+v", f)
	}
	if p := h.Question.Progress(); p.Failed == 0 || p.Error != f.Failed || p.Active {
		t.Errorf("%+v", p)
	}
	h.Refresh()
	if h.Question.Active() {
		t.Error("what failed begins by itself")
	}
	h.Question.Run()
	h.do()
	if f := h.Question.Found()[0]; !f.Over || f.Value != "10" || h.Question.Progress().Failed != 0 {
		t.Errorf("again: %+v", f)
	}
}

// What failed of the effects says so, is not taken for a contradiction, and is
// tried again.
func TestEffectsFail(t *testing.T) {
	h := asking(t, "&ask=effects&systems=oven")
	for _, j := range h.open(exec.Several) {
		h.say(j, exec.Answer{Error: "the worker is gone"})
	}
	for _, j := range h.open(exec.Several) {
		h.say(j, exec.Answer{Error: "the worker is gone"})
	}
	for _, g := range h.Question.Gains() {
		if g.Reason != "" || g.To == "" || len(g.Parts) != 1 || g.Parts[0].Say() != "failed" {
			t.Errorf("%+v", g)
		}
	}
	h.Question.Run()
	h.do()
	if got := h.Question.Effect("watts"); got != "+10 %: Oven +10 %" {
		t.Errorf("%q", got)
	}
	h = newHost(t, "v=2&lab=bakery&systems=oven")
	h.do()
	h.Question.AskEffects()
	for _, j := range h.open(exec.Several) {
		h.say(j, exec.Answer{Error: "the worker is gone"})
	}
	h.do()
	h.Question.AskEffects()
	h.do()
	if got := h.Question.Effect("watts"); got != "+10 %: Oven +10 %" {
		t.Errorf("in Explore: %q", got)
	}
}

// Where no knob is always said, the text of all defaults is empty; they run like
// others.
func TestAskDefaults(t *testing.T) {
	l := bakery.New()
	for i := range l.Knobs {
		l.Knobs[i].Always = false
	}
	const link = "v=2&lab=bakery&view=whatif&systems=oven"
	h := hostOf(t, link+"&ask-vary=watts&ask-values=100,200", map[string]string{}, l)
	h.do()
	if c := h.Question.At("oven", 0, 0); h.State.Setup.String() != "" || !c.Known || c.Value != 25 {
		t.Errorf("%q: %+v", h.State.Setup, c)
	}
	h = hostOf(t, link+"&ask=vary&ask-vary=watts&ask-values=100,200&watts=200", map[string]string{}, l)
	h.do()
	if rows := strings.Split(strings.TrimSpace(h.Question.CSV()), "\n"); len(rows) != 3 || !strings.HasPrefix(rows[1], "oven,ok,,25,") {
		t.Errorf("%q", rows)
	}
}

// A comma or a unit in an end of the points is a part of that number.
func TestAskEnds(t *testing.T) {
	h := newHost(t, quick+"&view=whatif&ask-vary=ssd_read&ask-values=1.6..12.8x4")
	for _, x := range []struct{ part, typed, values, problem string }{
		{".to", "12.8 GB/s", "1.6..12.8x4", ""},
		{".to", "6400 MB/s", "1.6..6.4x4", ""},
		{".from", "0,8", "0.8..6.4x4", ""},
		{".from", "0.8, 1.6", "0.8..6.4x4", "not clear"},
		{".from", "2..3x2,1", "0.8..6.4x4", "not a unit"},
		{".count", "4,8", "0.8..6.4x4", "no number of values"},
		{".count", "5", "0.8..6.4x5", ""},
	} {
		h.Question.Type(state.ValuesKey+x.part, x.typed)
		f := h.fieldOf(state.ValuesKey + x.part)
		if got := h.State.Ask.Text(state.ValuesKey); got != x.values || f.Text != x.typed || !strings.Contains(f.Error, x.problem) || x.problem == "" && f.Error != "" {
			t.Errorf("%q: values %q, field %+v", x.typed, got, f)
		}
	}
}

// A knob that has no value near a tenth more is turned by more; that is said, and
// it stands behind what can be compared.
func TestEffectsOfCoarseSteps(t *testing.T) {
	h := asking(t, "&portions=1&watts=115&ask=effects&systems=oven")
	h.do()
	if got := h.Question.Effect("portions"); got != "+100 %: Oven −50 %" {
		t.Errorf("%q", got)
	}
	if got := h.Question.Effect("watts"); got != "+10.4 %: Oven +10.4 %" {
		t.Errorf("%q", got)
	}
	g := h.Question.Gains()
	if g[0].Key != "watts" || g[0].Coarse() || !g[1].Coarse() || g[1].To != "2 (+100 %, its smallest step)" {
		t.Errorf("%+v", g)
	}
}

// A plan is about the settings that it was made of, whatever is set before it goes
// on: here to try less watts, because more contradicts.
func TestPlanKeepsItsSettings(t *testing.T) {
	h := asking(t, "&portions=2&watts=1000&systems=dream,oven&ask=effects")
	h.SetView(state.Explore)
	h.Type("portions", "4")
	h.Undo()
	begun := len(h.jobs)
	h.SetView(state.WhatIf)
	h.do()
	for _, j := range h.jobs[begun:] {
		for _, p := range j.Picks {
			if strings.Contains(p.Setup, "portions=4") {
				t.Errorf("runs %s", p.Setup)
			}
		}
	}
	if got := h.Question.Effect("watts"); got != "−10 %: Dream −10 %" {
		t.Errorf("%q", got)
	}
}

// Half and twice as much of a setting, of the system in focus alone.
func TestMatters(t *testing.T) {
	h := asking(t, "&watts=300&ask=matters&systems=dream,oven&focus=oven")
	h.do()
	var s question.Shown
	s.Follow(h.Question)
	s.Conclude()
	list, zone := s.Matters()
	if len(list) == 0 || list[1].Label != "Watts" || list[1].Says != [2]string{"−50 %", "+100 %"} || list[1].Bars[0] != "left:calc(50% + -50.0%);width:50.0%" || zone != "" {
		t.Fatalf("%+v, %q", list, zone)
	}
	if got := s.Says(); !strings.HasPrefix(got, "Portions matters most to Oven: half of it +100 %, twice as much −50 %. Then watts: half of it −50 %, twice as much +100 %.") {
		t.Errorf("%q", got)
	}
	if n := len(s.Tables[0].Rows); n != len(list) {
		t.Errorf("%d rows of %d", n, len(list))
	}
}

// Along a curve each point says who is best there; another question begins where the settings are.
func TestAlong(t *testing.T) {
	h := asking(t, "&watts=300&ask-vary=watts&ask-values=150,300,600&systems=dream,oven,kiln&focus=oven")
	h.do()
	if p := h.Question.Along(); h.Question.Points() != 3 || h.Question.Place() != 1 || p.Text != "300" || len(p.Rows) != 3 {
		t.Fatalf("%d, %+v", h.Question.Place(), p)
	}
	h.Question.Look("2")
	p := h.Question.Along()
	if p.Text != "600" || !strings.Contains(p.Says, "is best") || p.Rows[0].Style != "width:100.0%" {
		t.Errorf("%+v", p)
	}
	var s question.Shown
	s.Follow(h.Question)
	s.Conclude()
	if here := s.Answer.Figure.Panels.Here; here == nil || here.Text != p.Label {
		t.Errorf("%+v", here)
	}
	h.Question.Look("7")
	h.Question.Look("x")
	if h.Question.Place() != 2 {
		t.Error("it went to a place that is none")
	}
	h.Question.Choose(state.ValuesKey, "100,300")
	if h.Question.Place() != 1 {
		t.Errorf("%d", h.Question.Place())
	}
	h.Question.Choose(state.Vary2Key, "portions")
	if h.Question.Points() != 0 {
		t.Error("a map is no curve")
	}
}
