package session_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/sections"
	"spillway/ui/model/state"
)

// All systems are ranked, also those that are not compared, when somebody says so.
func TestRank(t *testing.T) {
	h := asking(t, "&dish=cake&watts=300&systems=dream,oven")
	h.do()
	h.Question.Choose(state.AskKey, state.Rank)
	if h.Question.Active() || len(h.open(exec.Several)) != 0 {
		t.Fatal("systems that nobody compares run unasked")
	}
	if p := h.Question.Progress(); p.All != 3 || h.State.Ask.Text(state.AmongKey) != state.All {
		t.Fatalf("%+v", p)
	}
	h.Question.Run()
	h.Question.Cancel()
	if len(h.open(exec.Several)) != 0 || h.Question.Active() {
		t.Error("it cannot be stopped")
	}
	h.Question.Run()
	h.do()
	a := h.Question.Asked()
	if len(a.Tables) != 1 || len(a.Tables[0].Rows) != 3 {
		t.Fatalf("%+v", a.Tables)
	}
	rows := a.Tables[0].Rows
	var names, places []string
	for _, r := range rows {
		names, places = append(names, r.Head), append(places, r.Cells[0].Text)
	}
	if !slices.Equal(names, []string{"Dream", "Oven", "Kiln"}) || !slices.Equal(places, []string{"ideal", "1", "–"}) {
		t.Errorf("%q at %q", names, places)
	}
	if why := rows[2].Cells[len(rows[2].Cells)-1].Text; why != "too large" {
		t.Errorf("the kiln: %q", why)
	}
	if !strings.Contains(a.Says, "Oven has the best speed: ") || !strings.Contains(a.Says, "1 cannot run it") || a.Figure == nil {
		t.Errorf("%q", a.Says)
	}
	if n := strings.Count(h.Question.CSV(), "\n"); n != 4 {
		t.Errorf("%d lines of CSV", n)
	}
	h.Question.Choose(state.AmongKey, state.Compared)
	if p := h.Question.Progress(); p.All != 2 || p.Known != 2 {
		t.Errorf("%+v", p)
	}
	h.Question.Choose(state.AmongKey, state.All)
	h.Question.Choose(state.AskKey, state.Find) // searches are of what is compared unless asked
	if h.State.Ask.Text(state.AmongKey) != state.Compared {
		t.Errorf("among %s", h.State.Ask.Text(state.AmongKey))
	}
	h.do()
	h.Question.Choose(state.AmongKey, state.All)
	if h.Question.Active() || len(h.Question.Found()) != 2 {
		t.Errorf("%d searches, active %t", len(h.Question.Found()), h.Question.Active())
	}
}

// What is better when it is less is ranked the other way round; what nobody has
// said stays last.
func TestRankingOrder(t *testing.T) {
	i := &lab.Info{
		Systems:    []lab.System{{Name: "a", Title: "A"}, {Name: "b", Title: "B", Look: 1}, {Name: "c", Title: "C", Look: 2}, {Name: "d", Title: "D", Look: 3}},
		Quantities: []report.Quantity{{Key: "time", Label: "Time", Unit: "s", Places: 1, Better: -1}, {Key: "cups", Label: "Cups", Better: 1}},
		Say:        lab.Say{Quantity: "cups", Most: "pours most"},
	}
	k := &chart.Ranking{Info: i, Of: &i.Quantities[0], Columns: []*report.Quantity{&i.Quantities[1]}, Systems: []chart.Ranked{
		{System: &i.Systems[0]},
		{System: &i.Systems[1], Known: true, Unfit: true, Why: "no room"},
		{System: &i.Systems[2], Known: true, Values: []float64{3, 1}},
		{System: &i.Systems[3], Known: true, Values: []float64{2, report.None()}},
	}}
	a := k.Answer()
	var said []string
	for _, r := range a.Tables[0].Rows {
		texts := []string{r.Head}
		for _, c := range r.Cells {
			texts = append(texts, c.Text)
		}
		said = append(said, strings.Join(texts, "|"))
	}
	want := []string{"D|1|2.0|–|", "C|2|3.0|1|", "B|–|–|–|no room", "A|–|–|–|not run yet"}
	if !slices.Equal(said, want) {
		t.Errorf("got  %q\nwant %q", said, want)
	}
	if a.Says != "Of 2 systems D has the best time: 2.0 s. 1 cannot run it; the table says why." {
		t.Errorf("%q", a.Says)
	}
}

// A section of some systems is there while one of them is compared and is about that
// one; it says how far it is, and closing it stops it.
func TestSectionOfSystems(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&systems=dream,oven&focus=oven")
	h.do()
	i := h.Info
	i.Sections = append(slices.Clone(i.Sections), lab.Section{Key: "glaze", Title: "Glaze", Run: true, Folded: true, Systems: []string{"kiln"}})
	at := func() *sections.View {
		for _, s := range h.Sections.Views() {
			if s.Key == "glaze" {
				return &s
			}
		}
		return nil
	}
	if at() != nil {
		t.Error("it is there without its system")
	}
	h.ToggleSystem("kiln")
	h.SetLook(state.FocusKey, "oven")
	h.do()
	h.Sections.Toggle("glaze")
	j := h.one(exec.Section)
	if j.System != "kiln" {
		t.Errorf("it is about %s", j.System)
	}
	h.Session.Answer(&exec.Answer{ID: j.ID, Done: 1, Total: 4})
	if s := at(); s == nil || !s.Busy || s.Part != 0.25 {
		t.Errorf("%+v", s)
	}
	h.Sections.Toggle("glaze")
	if len(h.open(exec.Section)) != 0 || at().Busy {
		t.Error("closing does not stop it")
	}
	h.Sections.Toggle("glaze")
	h.one(exec.Section)
}
