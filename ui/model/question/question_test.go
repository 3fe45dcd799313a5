package question

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/form"
	"spillway/ui/model/results"
	"spillway/ui/model/runs"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// bakeryQuestion is the question of an invented laboratory, with systems that are compared.
func bakeryQuestion(on ...string) *Question {
	i := bakery.New().Info
	table := calls.NewTable(&bakery.Host{})
	w := workspace.New(&i, func() {}, func(string) {})
	w.State.On = on
	f := files.New(w, calls.NewDesk(table, i.Name, func() {}), new(files.Count), nil)
	g, s := form.New(w, f), results.NewStore(i.Name, table)
	return New(w, f, g, runs.New(w, f, g, s), s, nil)
}

// Twins are among all systems only when they are asked for.
func TestAmong(t *testing.T) {
	a := bakeryQuestion("dream", "oven")
	i := a.room.Info
	i.Systems = append(slices.Clone(i.Systems), lab.System{Name: "ice-oven", Title: "Oven in ice", Look: 3, Family: "In ice", Variant: true})
	if got := a.among(state.Rank); !slices.Equal(got, []string{"dream", "oven"}) {
		t.Errorf("%q", got)
	}
	_ = a.room.State.Ask.Set(state.AmongKey, state.All)
	if got := a.among(state.Rank); !slices.Equal(got, []string{"dream", "oven", "kiln"}) {
		t.Errorf("%q", got)
	}
	if got := a.among(state.Vary); !slices.Equal(got, []string{"dream", "oven"}) {
		t.Errorf("%q", got)
	}
}

// Where all systems are searched the answer is less exact.
func TestPrecision(t *testing.T) {
	a := bakeryQuestion("oven")
	_, _ = a.room.State.Ask.Set(state.AskKey, state.Find), a.room.State.Ask.Set(state.FindKey, state.Most)
	_ = a.room.State.Ask.Set(state.AmongKey, state.All)
	p := a.make(state.Find)
	if len(p.adaptive) != 2 || p.adaptive[0].search.Goal().Precision != manyPrecision {
		t.Errorf("%d searches, %s", len(p.adaptive), p.problem)
	}
}

// What is typed into a field may have a colon; what is said of it is not cut there.
func TestTextProblem(t *testing.T) {
	a := bakeryQuestion()
	u := a.room.State.Setup
	if _, err := sweepRange(u, "watts", "1: 2"); err == nil || err.Error() != "Want watts=FIRST..LAST" {
		t.Errorf("%v", err)
	}
	if _, err := a.axis("watts", "1: 2"); err == nil || !strings.HasPrefix(err.Error(), `Watts: "1: 2" is not a number`) {
		t.Errorf("%v", err)
	}
}

func TestLevel(t *testing.T) {
	var order []int
	for l := range 9 {
		for i := range 9 {
			if level(i, 9) == l {
				order = append(order, i)
			}
		}
	}
	if want := []int{0, 8, 4, 2, 6, 1, 3, 5, 7}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// A question as large as one may be is not forgotten while it runs.
func TestMostRuns(t *testing.T) {
	if mostRuns > results.MostValues {
		t.Errorf("%d runs, of which %d are kept", mostRuns, results.MostValues)
	}
}

// Where something is random a curve has other seeds, once it is there; where the seed itself is varied, or nothing is
// random, it has none.
func TestOtherSeeds(t *testing.T) {
	a := bakeryQuestion("oven")
	_, _ = a.room.State.Ask.Set(state.VaryKey, "watts"), a.room.State.Ask.Set(state.ValuesKey, "1000,2000,3000")
	plain := a.make(state.Vary)
	if plain.problem != "" || len(plain.variants) != 3 {
		t.Fatalf("%q, %d variants", plain.problem, len(plain.variants))
	}
	a.room.Info.Say.Seed = "portions" // any number will do
	p := a.make(state.Vary)
	each := 1 + otherSeeds
	if len(p.variants) != 3*each || len(p.order) != len(p.variants) || !slices.Equal(p.order[:3], []int{0, 2 * each, each}) {
		t.Errorf("%d variants, order %v", len(p.variants), p.order)
	}
	for i := range p.variants {
		u, err := a.room.Info.Read(p.variants[i].setup)
		if err != nil || u.Text("watts") != []string{"1000", "2000", "3000"}[i/each] || (u.Text("portions") == p.setup.Text("portions")) != (i%each == 0) {
			t.Errorf("variant %d: %s, %v", i, p.variants[i].setup, err)
		}
	}
	a.room.Info.Say.Seed = "watts"
	if p := a.make(state.Vary); len(p.variants) != 3 {
		t.Errorf("the seed itself is varied, and has %d variants", len(p.variants))
	}
}

// A value is more hardware where the laboratory says in which direction it is.
func TestCompared(t *testing.T) {
	hardware := []string{"memory", lab.Less + "latency"}
	for _, tt := range []struct {
		key, less, more string
		want            int
	}{
		{"memory", "8", "16", 1},
		{"memory", "16", "8", -1},
		{"memory", "8", "8", 0},
		{"latency", "20", "10", 1},
		{"latency", "10", "20", -1},
		{"batch", "1", "2", -1},
		{"memory", "8", "much", -1},
	} {
		if got := compared(hardware, &knob.Info{Key: tt.key, Scale: 1}, tt.less, tt.more); got != tt.want {
			t.Errorf("%s from %s to %s: got %d, want %d", tt.key, tt.less, tt.more, got, tt.want)
		}
	}
}
