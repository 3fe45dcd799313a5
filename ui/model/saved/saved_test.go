package saved

import (
	"strings"
	"testing"

	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
	"spillway/ui/model/files"
	"spillway/ui/model/results"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// A shelf is what a browser stores; nil stores nothing.
type shelf map[string]string

func (s shelf) Stored(name string) string { return s[name] }

func (s shelf) Store(name, text string) bool {
	if s == nil {
		return false
	}
	s[name] = text
	return true
}

const place = "spillway-runs-bakery"

// bakerySaved is what a browser keeps of a laboratory.
func bakerySaved(stored shelf) *Saved {
	i := bakery.New().Info
	table := calls.NewTable(&bakery.Host{})
	w := workspace.New(&i, func() {}, func(string) {})
	s := New(w, files.New(w, calls.NewDesk(table, i.Name, func() {}), new(files.Count), nil), results.NewStore(i.Name, table), stored)
	w.Follow(s.Follow)
	w.Refresh()
	return s
}

// names are those of the list.
func names(s *Saved) string {
	var list []string
	for _, r := range s.List(s.SideBySide("", "")) {
		list = append(list, r.Name)
	}
	return strings.Join(list, ", ")
}

// A run is kept under the name that is suggested, renamed, deleted and undone, and the browser
// stores what is there then.
func TestKeep(t *testing.T) {
	stored := shelf{}
	s := bakerySaved(stored)
	if got := s.Suggest(false); got != "Oven: Rye" || s.Suggest(true) != "Rye" || s.Focused() != "Oven" {
		t.Error(got, s.Suggest(true))
	}
	s.KeepShown(s.Suggest(false), false)
	s.room.Type("watts", "200")
	if got := s.Suggest(true); got != "Watts 200" {
		t.Error(got)
	}
	s.KeepShown("hot", true)
	if got := names(s); got != "Oven: Rye, Dream: hot, Oven: hot" || strings.Count(stored[place], "\n") != 4 {
		t.Errorf("%s; stored %s", got, stored[place])
	}
	row := s.List(s.SideBySide("", ""))[0]
	s.Call(&row, "hot ")
	if got := names(s); !strings.HasPrefix(got, "hot, ") {
		t.Error(got)
	}
	row = s.List(s.SideBySide("", ""))[1]
	if s.Act("stir", &row) || !s.Act("delete", &row) || names(s) != "hot, Oven: hot" {
		t.Error(names(s))
	}
	s.room.Undo()
	if names(s) != "hot, Dream: hot, Oven: hot" {
		t.Error(names(s))
	}
	if again := bakerySaved(stored); names(again) != "Oven: hot, Dream: hot, hot" { // the newest first
		t.Error(names(again))
	}
}

// Runs side by side: the first is the reference, and one more than there is room for is not
// shown.
func TestShow(t *testing.T) {
	s := bakerySaved(shelf{})
	for _, watts := range []string{"100", "110", "120", "130", "140", "150", "160", "170", "180"} {
		s.room.Type("watts", watts)
		s.KeepShown(watts, false)
	}
	if !s.Full() || len(s.Shown()) != state.MostShown {
		t.Fatalf("%d are shown", len(s.Shown()))
	}
	row := s.List(s.SideBySide("", ""))[1]
	s.Act("first", &row)
	side := s.SideBySide("", "")
	if s.Shown()[0].Name != "110" || side.Names[0] != "A 110" || side.Settings[1].Label != "Watts" || side.Settings[1].Cells[0].Text != "110" {
		t.Errorf("%q, %+v", side.Names, side.Settings)
	}
	if csv, text := side.CSV(), side.JSON("v=4"); strings.Count(csv, "\n") != 9 || !strings.Contains(text, `"status": "not run"`) || !strings.Contains(text, `"link": "v=4"`) {
		t.Errorf("%s\n%s", csv, text)
	}
	row = s.List(side)[0]
	if s.Act("show", &row); s.Full() {
		t.Error("it is still shown")
	}
	s.Act("visit", &row)
	if s.room.State.Setup.Text("watts") != "110" || s.room.State.View != state.Explore {
		t.Error(s.room.State.Setup)
	}
}

// What the browser has that cannot be read stays there; what it does not store is said.
func TestDamaged(t *testing.T) {
	stored := shelf{place: "spillway runs 1\nnonsense\n"}
	s := bakerySaved(stored)
	if s.Damaged() != "nonsense" || !strings.Contains(s.Problem, "1 of the runs") {
		t.Error(s.Damaged(), s.Problem)
	}
	s.KeepShown("x", false)
	if !strings.Contains(stored[place], "nonsense") || !strings.Contains(stored[place], "name=x") {
		t.Error(stored[place])
	}
	if s = bakerySaved(nil); s.Problem != "" {
		t.Error(s.Problem)
	}
	if s.KeepShown("x", false); !strings.Contains(s.Problem, "stores nothing") {
		t.Error(s.Problem)
	}
	newer := shelf{place: "spillway runs 9\nx\n"}
	if s = bakerySaved(newer); !strings.Contains(s.Problem, "newer Spillway") {
		t.Error(s.Problem)
	}
	if s.KeepShown("x", false); newer[place] != "spillway runs 9\nx\n" {
		t.Error("what a newer version wrote is overwritten")
	}
}
