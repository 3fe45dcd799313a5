package memory

import (
	"slices"
	"strings"
	"testing"

	"spillway/ui/model/bakery"
	"spillway/ui/model/workspace"
)

func room() *workspace.Workspace {
	i := bakery.New().Info
	return workspace.New(&i, func() {}, func(string) {})
}

// What Write returns gives a fresh laboratory at the same link the way back and forth, what
// was typed and the names of files.
func TestRemembers(t *testing.T) {
	w := room()
	w.Type("watts", "200")
	w.Choose("dish", "cake")
	w.Undo()
	w.Type("portions", "a few")
	text := Write([]Room{{w, []string{"a b.zip", "c=d"}}})

	list := Read(text)
	if len(list) != 1 || list[0].Lab != "bakery" {
		t.Fatalf("%+v", list)
	}
	again := room()
	again.State.Setup = w.State.Setup.Clone()
	names, ok := list[0].Restore(again)
	if !ok || !slices.Equal(names, []string{"a b.zip", "c=d"}) || again.Drafts["portions"] != "a few" || !again.CanUndo() {
		t.Fatalf("%v %q %v", ok, names, again.Drafts)
	}
	for again.CanUndo() {
		again.Undo()
	}
	if again.State.Setup.Text("watts") != "100" {
		t.Errorf("undo leads to %s", again.State.Setup)
	}
	if _, ok := list[0].Restore(room()); ok {
		t.Error("it is about another state")
	}
}

// What cannot be read is as if it had not been there, and no text is longer than what is read.
func TestForgets(t *testing.T) {
	for _, text := range []string{"", "spillway memory 9\nlab bakery\n", memoryFormat + "\nnow v=4", strings.Repeat("x", mostMemory+1)} {
		if list := Read(text); len(list) != 0 {
			t.Errorf("%.40s: %+v", text, list)
		}
	}
	m := Read(memoryFormat + "\nlab bakery\nnow v=4&lab=smithy\nundo nonsense x\nfile name=%\n")
	if _, ok := m[0].Restore(room()); ok || len(m[0].files) != 0 {
		t.Errorf("%+v", m)
	}
	w := room()
	for n := range 3 * mostRemembered {
		w.Choose("oven", []string{"gas", "wood"}[n%2])
	}
	text := Write([]Room{{w, slices.Repeat([]string{strings.Repeat("n", 1000)}, 3*mostRemembered)}})
	if n := strings.Count(text, "\nundo "); n == 0 || n > mostRemembered || strings.Count(text, "\nfile ") != mostRemembered {
		t.Errorf("%d steps", n)
	}
	if text := Write([]Room{{w, slices.Repeat([]string{strings.Repeat("n", 20_000)}, mostRemembered)}}); len(text) > mostMemory {
		t.Errorf("%d bytes are written", len(text))
	}
}
