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

func TestCompareView(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10&focus=g10")
	s.finish()
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
	s.click("view-compare")
	s.finish()
	if got := s.html("compare-headline"); !strings.Contains(got, "Against A stock") || !strings.Contains(got, "B is ") || !strings.Contains(got, "D is ") {
		t.Errorf("headline %s", got)
	}
	c := s.root.compare.(*Compare)
	if got := c.text[0]; strings.Count(got, "<li>") != 4 || !strings.Contains(got, "stock &lt;b&gt;") || !strings.Contains(got, "reference") {
		t.Errorf("list %s", got)
	}
	for i, id := range []string{"side-quantity", "side-causes", "lag"} {
		if !s.there("figure-"+id) || c.side.Views[i].Results < 3 {
			t.Errorf("%s: %d results", id, c.side.Views[i].Results)
		}
	}
	if got := c.text[1]; !strings.Contains(got, "<td class=\"other\">12.8</td>") || strings.Contains(got, "Host memory") || !strings.Contains(got, "stock &lt;b&gt;") || !strings.Contains(got, "%, better</span>") {
		t.Errorf("tables %s", got)
	}
	_, rev, _ := c.figures[0].(*Figure).drawn()
	s.inBox("change", "side-of", "iteration_s")
	if _, now, _ := c.figures[0].(*Figure).drawn(); now == rev {
		t.Error("the chart is not drawn anew")
	}
	s.inBox("change", "side-chart", "memory")
	if c.side.Views[0].Title != "Iteration time" || c.side.Views[1].Variant != "kernel" || !s.there("figure-side-memory") || !strings.Contains(c.text[0], `value="iteration_s" selected`) {
		t.Errorf("%s, %s", c.side.Views[0].Title, c.side.Views[1].Variant)
	}
	s.inBox("click", "first-1", "")
	s.inBox("click", "rename-0", "")
	if !strings.Contains(c.text[0], `id="name-0"`) {
		t.Error("there is no field for the name")
	}
	typing := c.text[0]
	s.root.Saved.Problem = "It is damaged."
	s.draw()
	if c.text[0] != typing {
		t.Error("the list is made anew while somebody types")
	}
	s.inBox("change", "name-0", "first")
	s.inBox("click", "delete-3", "")
	s.finish()
	if got := c.text[0]; strings.Count(got, "<li>") != 3 || !strings.Contains(got, ">first<") || strings.Contains(got, `id="name-0"`) {
		t.Errorf("list %s", got)
	}
	s.click("undo")
	if got := c.text[0]; strings.Count(got, "<li>") != 4 {
		t.Errorf("undo: list %s", got)
	}
	for _, key := range []string{"csv", "json", "tex"} {
		s.inBox("click", "save-side", "")
		s.inBox("click", key+"-side", "")
	}
	s.save("lag", "csv")
	if n := len(s.page.saved); n != 4 || !strings.Contains(s.page.saved[2].text, `\caption{All numbers, with their change against the reference.`) || !strings.Contains(s.page.saved[0].text, "ssd_read=12.8") || !strings.Contains(s.page.saved[1].text, `"system": "g10"`) {
		t.Errorf("%d files", n)
	}
	s.inBox("change", "show-0", "")
	s.finish()
	if got := c.text[0]; strings.Count(got, "<li>") != 4 || strings.Count(got, " checked") != 3 {
		t.Errorf("taken away: %s", got)
	}
	for _, id := range []string{"", "shelf", "first-99", "first--1", "nothing-0"} { // what does nothing
		s.inBox("click", id, "")
	}
	s.inBox("click", "visit-0", "")
	if s.root.State.View != "explore" {
		t.Error("it does not open")
	}
}

// inBox sends an event to an element of the view Compare that is no virtual node.
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

func TestEmptyCompareView(t *testing.T) {
	s := newStage(t, small+"&view=compare")
	if got := s.html("compare-headline"); !strings.Contains(got, "Nothing to compare yet.") || s.there("side-box") {
		t.Errorf("%s", got)
	}
	s = newStage(t, small+"&view=compare&run=name%3Dx+system%3Dg10+model%3Dbert-base+batch%3D16+times%3Das-paper+machine%3Dg10-table-2-a100-40gb-pcie-3-z-nand+mode%3Dpublished+entry%3Dfile.json")
	s.finish()
	if got := s.root.compare.(*Compare).text[0]; !strings.Contains(got, "holds file.json on") || !strings.Contains(got, "needs a file") {
		t.Errorf("%s", got)
	}
}
