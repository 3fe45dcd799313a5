package files

import (
	"slices"
	"testing"
	"time"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/bakery"
	"spillway/ui/model/calls"
	"spillway/ui/model/workspace"
)

// said is what was said at the top of the page, the newest last.
var said []string

// room is a laboratory without files, with what is asked for and who is answered.
func room() (*Files, *bakery.Host, *calls.Table) {
	i, h := bakery.New().Info, &bakery.Host{}
	table := calls.NewTable(h)
	w := workspace.New(&i, func() {}, func(text string) { said = append(said, text) })
	f := New(w, calls.NewDesk(table, i.Name, func() {}), new(Count), func(string, int, *exec.BundleInfo) {})
	w.Follow(f.Follow)
	return f, h, table
}

// open opens files of these names to the end, of which these entries come.
func open(f *Files, h *bakery.Host, t *calls.Table, entries ...lab.Entry) {
	f.Open([]string{"a.zip"}, func(int, int) {})
	t.Answer(&exec.Answer{ID: h.Jobs[len(h.Jobs)-1].ID, Last: true, Takers: []exec.Taker{{Lab: "bakery"}}})
	t.Answer(&exec.Answer{ID: h.Jobs[len(h.Jobs)-1].ID, Last: true, Entries: entries})
}

// Files are recognised, then listed; the only entry that can run is shown.
func TestOpen(t *testing.T) {
	f, h, table := room()
	f.Open([]string{"a.zip", "b.zip"}, func(number, _ int) {
		if number != 1 {
			t.Errorf("the set has number %d", number)
		}
	})
	if !f.Opening || f.Reading() != "Reading a.zip and 1 more…" || f.Heard() != "Reading a.zip and 1 more" || f.Has("rye") {
		t.Errorf("%+v says %s", f.Set, f.Reading())
	}
	table.Answer(&exec.Answer{ID: h.Jobs[0].ID, Done: 500_000, Total: 2_000_000})
	if f.Reading() != "Reading a.zip and 1 more: 0.5 MB of 2.0 MB" || f.Percent() != 25 || f.Heard() != "Reading a.zip and 1 more: 25 %" {
		t.Error(f.Reading(), f.Percent(), f.Heard())
	}
	f.CancelOpening()
	if f.Opening || !slices.Contains(h.Stopped, h.Jobs[0].ID) || f.Number != 0 {
		t.Errorf("it was cancelled and is %+v", f.Set)
	}
	open(f, h, table, lab.Entry{Name: "rye", Info: "of x", Set: "watts=700"}, lab.Entry{Name: "moldy", Error: "it is moldy"})
	if f.room.Entry() != "rye" || f.room.State.Setup.Text("watts") != "700" || f.NumberNow() != 2 || f.Holds() != "" || f.Lost() {
		t.Errorf("%s of %+v", f.room.State.Setup, f.Set)
	}
	if f.room.Undo(); f.room.Entry() != "" || f.NumberNow() != 0 || f.Holds() != "Opened a.zip: 2 workloads. Choose one to run it." {
		t.Error(f.room.Entry(), f.Holds())
	}
	if f.Hush(); f.Holds() != "" {
		t.Error(f.Holds())
	}
}

// What settings alone describe is shown once it was opened: nothing is left to choose.
func TestStands(t *testing.T) {
	f, h, table := room()
	open(f, h, table, lab.Entry{Name: "rye", Set: "watts=700", Stands: true})
	if f.room.Entry() != "" || f.room.State.Setup.Text("watts") != "700" || f.Holds() != "" {
		t.Errorf("%s, and says %q", f.room.State.Setup, f.Holds())
	}
	g, h, table := room()
	open(g, h, table, lab.Entry{Name: "rye", Set: "watts=700", Stands: true}, lab.Entry{Name: "oat", Set: "watts=600", Stands: true})
	if g.Holds() == "" {
		t.Error("of two nothing is said")
	}
}

// What cannot be opened takes nothing away.
func TestOpenFails(t *testing.T) {
	f, h, table := room()
	open(f, h, table, lab.Entry{Name: "rye"}, lab.Entry{Name: "cake"})
	f.Open([]string{"stone"}, func(int, int) {})
	table.Answer(&exec.Answer{ID: h.Jobs[len(h.Jobs)-1].ID, Last: true, Error: "stone: a stone"})
	if f.Error != "stone: a stone" || !f.Has("cake") || f.Opening {
		t.Errorf("%+v", f.Set)
	}
	// It is said where all look, whatever is shown, in place of what was said before.
	for _, shown := range []string{"rye", "cake"} {
		f.Pick(shown)
		if f.Holds() != "" {
			t.Errorf("%s is shown, and %q said", shown, f.Holds())
		}
		f.room.Say("something else")
		f.Open([]string{"stone"}, func(int, int) {})
		table.Answer(&exec.Answer{ID: h.Jobs[len(h.Jobs)-1].ID, Last: true, Error: "stone: a stone"})
		if f.Holds() != "stone: a stone" || said[len(said)-1] != "" || f.room.Entry() != shown {
			t.Errorf("%s is shown: %q, after %q", shown, f.Holds(), said)
		}
		if f.Hush(); f.Holds() != "" {
			t.Error(f.Holds())
		}
	}
}

// A part of others is not chosen beside them, and comes with them.
func TestPart(t *testing.T) {
	f, h, table := room()
	open(f, h, table, lab.Entry{Name: "jam", Part: true}, lab.Entry{Name: "rye", Set: "watts=700"})
	if f.room.Entry() != "rye" {
		t.Errorf("%q is shown", f.room.Entry())
	}
	if f.Pick("jam"); f.room.Entry() != "jam" {
		t.Errorf("%q is shown", f.room.Entry())
	}
	f, h, table = room()
	if open(f, h, table, lab.Entry{Name: "jam", Part: true}); f.room.Entry() != "jam" {
		t.Errorf("alone %q is shown", f.room.Entry())
	}
}

// The search is by all words, in names and details.
func TestSearch(t *testing.T) {
	f, h, table := room()
	open(f, h, table, lab.Entry{Name: "rye one", Info: "dark"}, lab.Entry{Name: "rye two", Info: "light"}, lab.Entry{Name: "cake"})
	for text, want := range map[string]string{
		"": "3 workloads found. Choose one below.", "RYE": "2 of 3 workloads match.", "rye light": "1 of 3 workloads match.", "stone": "0 of 3 workloads match.",
	} {
		if f.Search(text); f.Summary(60) != want {
			t.Errorf("%q: %s", text, f.Summary(60))
		}
	}
	if f.Search("rye"); f.Summary(1) != "2 of 3 workloads match; the first 1 are listed." {
		t.Error(f.Summary(1))
	}
}

// A survey says how far it is, and how to go on where it was stopped.
func TestSurveyWords(t *testing.T) {
	if s := (*Survey)(nil); s.Says() != "" || s.Heard() != "" || s.Button() != "Cancel" || s.Waits() {
		t.Error("no survey says something")
	}
	s := &Survey{Entry: "w", Bytes: 4e9, size: 1e9, known: 3, begun: time.Now()}
	if got := s.Says(); got != "w: 3.00 GB of 4.00 GB read. Until then the charts show a sample." || s.Heard() != "Reading all of w: 75 %" {
		t.Error(got, s.Heard())
	}
	s.Cancelled = true
	if got := s.Heard(); got != s.Says() || s.Button() != "Go on" || got != "w: 3.00 GB of 4.00 GB read, then it was cancelled. What was read is kept; the charts show a sample." {
		t.Error(got)
	}
	if s.Error = "it is gone."; s.Says() != "w: 3.00 GB of 4.00 GB read, then it broke off: it is gone. What was read is kept; the charts show a sample." {
		t.Error(s.Says())
	}
}
