package view

import (
	"strings"
	"testing"

	"github.com/vugu/vugu"
)

func TestBaseline(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10")
	s.finish()
	plain := s.html("headline")
	if got := s.html("baseline"); !strings.Contains(got, "Pin as baseline") || strings.Contains(s.root.numbers.(*Numbers).table, `class="change`) {
		t.Errorf("without a baseline: %s", got)
	}
	s.click("pin")
	if got := s.html("baseline"); !strings.Contains(got, "This is the baseline.") || s.html("headline") != plain {
		t.Errorf("pinned: %s", got)
	}
	s.fire("f-ssd_read", "input", "12.8")
	s.finish()
	if got := s.html("headline"); !strings.Contains(got, "Four times the SSD read rate ") {
		t.Errorf("headline %s", got)
	}
	if got := s.html("baseline"); !strings.Contains(got, "Since the baseline: SSD read 3.2 → 12.8 GB/s.") {
		t.Errorf("baseline %s", got)
	}
	if got := s.root.numbers.(*Numbers).table; !strings.Contains(got, `%, better</span>`) || !strings.Contains(got, `class="change better"`) {
		t.Error("no number says its change")
	}
	s.click("numbers-breakdown")
	if got := s.html("figure-breakdown"); !strings.Contains(got, `class="change better"`) {
		t.Error("the table under a chart says no change")
	}
	s.click("return")
	if got := s.html("headline"); got != plain {
		t.Errorf("back at the baseline: %s", got)
	}
	s.click("pin")
	if got := s.html("baseline-says"); strings.Contains(got, "baseline.") {
		t.Errorf("unpinned: %s", got)
	}
}

// Kept runs are the other side of what is shown: of where the time goes, where it is lost and
// won, and all numbers; the list of them names, opens and forgets them.
func TestKeptRuns(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10&focus=g10")
	s.finish()
	if s.there("shelf-box") || !strings.Contains(s.html("kept"), "hidden") {
		t.Error("a list of nothing")
	}
	s.click("keep")
	if s.page.focused != "keep-name" {
		t.Errorf("the focus is on %q", s.page.focused)
	}
	if got := s.html("keep-name"); !strings.Contains(got, "G10: BERT-base") {
		t.Errorf("suggested %s", got)
	}
	s.fire("keep-name", "input", "stock <b>")
	s.click("keep-it")
	if s.there("keep-it") {
		t.Error("the form stays open")
	}
	s.fire("f-ssd_read", "input", "12.8")
	s.click("keep")
	s.fire("keep-which", "change", "all")
	if got := s.html("keep-name"); !strings.Contains(got, "SSD read 12.8 GB/s") || strings.Contains(got, "G10:") {
		t.Errorf("suggested %s", got)
	}
	s.click("keep-it")
	s.finish()
	if got := s.html("against"); strings.Count(got, "<option") != 6 || !strings.Contains(got, "kept: stock &lt;b&gt;") || s.there("figure-lag") {
		t.Errorf("to choose from %s", got)
	}
	s.fire("against", "change", "kept-3") // the oldest
	s.finish()
	if got := s.html("beside"); !strings.Contains(got, "faster than stock &lt;b&gt;. Since then: SSD read 3.2 → 12.8 GB/s.") && !strings.Contains(got, "as fast as stock &lt;b&gt;. Since then: SSD read 3.2 → 12.8 GB/s.") {
		t.Errorf("compared: %s", got)
	}
	if a := s.root.account; len(a.Rows) != 2 || a.Rows[1].Title != "stock <b>" || s.root.lag.(*Figure).view().Results != 1 || !strings.Contains(s.root.numbers.(*Numbers).table, "<th scope=\"col\">stock &lt;b&gt;</th>") {
		t.Errorf("%+v", a.Rows)
	}
	s.save("lag", "csv")
	s.click("kept")
	c := s.root.baseline.(*Baseline).shelf.(*Shelf)
	if got := c.text; strings.Count(got, "<li>") != 4 || !strings.Contains(got, "stock &lt;b&gt;") || strings.Contains(got, `id="against-0"`) || !strings.Contains(got, `id="release-0"`) {
		t.Errorf("list %s", got)
	}
	s.inBox("click", "against-1", "")
	s.inBox("click", "rename-0", "")
	if !strings.Contains(c.text, `id="name-0"`) {
		t.Error("there is no field for the name")
	}
	typing := c.text
	s.root.Saved.Problem = "It is damaged."
	s.draw()
	if c.text != typing {
		t.Error("the list is made anew while somebody types")
	}
	s.inBox("change", "name-0", "first")
	s.inBox("click", "delete-3", "")
	s.finish()
	if got := c.text; strings.Count(got, "<li>") != 3 || !strings.Contains(got, ">first<") || strings.Contains(got, `id="name-0"`) {
		t.Errorf("list %s", got)
	}
	s.click("undo")
	if got := c.text; strings.Count(got, "<li>") != 4 {
		t.Errorf("undo: list %s", got)
	}
	s.fire("against", "change", "ideal")
	if got := s.html("beside"); !strings.Contains(got, "hidden") || s.root.account.Rows[1].Title == "first" {
		t.Errorf("against a system: %s", got)
	}
	for _, id := range []string{"", "shelf", "against-99", "against--1", "nothing-0"} { // what does nothing
		s.inBox("click", id, "")
	}
	s.inBox("click", "visit-3", "")
	if s.root.State.Setup.Text("ssd_read") == "" || s.root.State.View != "explore" {
		t.Error("it does not open")
	}
}

// inBox sends an event to an element of the list of kept runs that is no virtual node.
func (s *stage) inBox(event, id, value string) {
	s.Helper()
	for _, h := range s.find("shelf-box").DOMEventHandlerSpecList {
		if h.EventType == event {
			h.Func(vugu.NewDOMEvent(s.env, map[string]any{"target": map[string]any{"id": id, "value": value}}))
			s.draw()
			return
		}
	}
	s.Fatalf("nobody hears %s", event)
}

// A link to the view that there was opens its second run beside its first.
func TestOldCompareView(t *testing.T) {
	s := newStage(t, small+"&view=compare")
	if s.there("shelf-box") || s.root.State.View != "explore" {
		t.Error("nothing was compared")
	}
	run := "&run=name%3Dx+system%3Dg10+model%3Dbert-base+batch%3D16+times%3Das-paper+machine%3Dg10-table-2-a100-40gb-pcie-3-z-nand+mode%3Dpublished"
	s = newStage(t, small+"&view=compare"+run+"+entry%3Dfile.json"+strings.ReplaceAll(run, "name%3Dx+system%3Dg10", "name%3Dy+system%3Duvm"))
	s.finish()
	s.click("kept")
	if got := s.root.baseline.(*Baseline).shelf.(*Shelf).text; !strings.Contains(got, "holds file.json on") || !strings.Contains(got, "needs a file") || s.root.Focus() != "uvm" {
		t.Errorf("%s", got)
	}
}
