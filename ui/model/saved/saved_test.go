package saved

import (
	"strings"
	"testing"

	"spillway/ui/lab"
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
	for _, r := range s.List() {
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
	if got := names(s); got != "Oven: hot, Dream: hot, Oven: Rye" || strings.Count(stored[place], "\n") != 4 {
		t.Errorf("%s; stored %s", got, stored[place])
	}
	row := s.List()[2]
	s.Call(&row, "hot ")
	if got := names(s); !strings.HasSuffix(got, ", hot") {
		t.Error(got)
	}
	row = s.List()[1]
	if s.Act("stir", &row) || !s.Act("delete", &row) || names(s) != "Oven: hot, hot" {
		t.Error(names(s))
	}
	s.room.Undo()
	if names(s) != "Oven: hot, Dream: hot, hot" {
		t.Error(names(s))
	}
	if again := bakerySaved(stored); names(again) != "Oven: hot, Dream: hot, hot" { // the newest first
		t.Error(names(again))
	}
}

// Runs stand beside the one at hand: the newest choice is its other side, and one more than there
// is room for drives the oldest out.
func TestBesides(t *testing.T) {
	s := bakerySaved(shelf{})
	for _, watts := range []string{"100", "110", "120", "130", "140", "150", "160", "170", "180"} {
		s.room.Type("watts", watts)
		s.KeepShown(watts, false)
	}
	if len(s.Beside()) > 0 || s.room.State.Beside() != nil {
		t.Fatalf("%d stand beside what is kept last", len(s.Beside()))
	}
	for range 9 {
		row := s.List()[8]
		s.Act("against", &row)
	}
	beside, columns := s.Beside(), s.Columns()
	if len(beside) != state.MostShown || beside[0].Name != "180" || columns[0].System.Title != "180" || columns[0].Setup.Text("watts") != "180" {
		t.Errorf("%d, %q, %+v", len(beside), beside[0].Name, columns[0])
	}
	row := s.List()[0]
	if s.Act("release", &row); s.IsBeside(row.of) || len(s.Beside()) != state.MostShown-1 {
		t.Error("it still stands there")
	}
	for range state.MostShown - 1 {
		row = s.List()[0]
		s.Act("release", &row)
	}
	if s.room.State.Look.Text(lab.WhyKey) != lab.WhyUsual {
		t.Error("nothing stands beside, and the usual is not compared")
	}
	row = s.List()[0]
	s.Act("visit", &row)
	if s.room.State.Setup.Text("watts") != row.Name || s.room.State.View != state.Explore {
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
