package view

import (
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/ui/exec"
	"spillway/ui/model/question"
	"spillway/ui/model/state"
)

// asked is a link to a question about a workload that is quick to run.
const asked = small + "&gpu_memory=2&host_memory=0&systems=ideal,uvm,g10&view=whatif"

func (s *stage) question() *Question { return s.root.question.(*Question) }

func TestQuestionVaries(t *testing.T) {
	s := newStage(t, asked+"&ask-vary=ssd_read&ask-values=1.6,3.2,6.4,32")
	s.want("ask-says", "Computing…")
	s.want("ask-run", "Running…")
	s.finish()
	s.want("ask-state", "16 of 16 runs.")
	s.want("ask-run", "All runs are done")
	s.want("ask-gaps", "At 32 GB/s: SSD read (32 GB/s) is faster than the host link")
	s.want("title-whatif", "Throughput, normalized, by SSD read")
	if says := s.html("ask-says"); strings.Contains(says, "So far") || !strings.Contains(says, "best") {
		t.Errorf("%s", says)
	}
	table := s.question().rows()
	for _, want := range []string{"SSD read (GB/s)", "Base UVM", ">6.4<", `class="best"`} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	s.fire("f-ask-vary2", "change", "gpu_memory")
	s.fire("f-ask-show", "change", state.ShowEach)
	s.finish()
	s.want("f-ask-values2.from", `.value="0.5"`)
	if c := s.question(); len(c.shown.Answer.Tables) != 2 || c.shown.Answer.Figure.Heat == nil {
		t.Errorf("%d tables", len(c.shown.Answer.Tables))
	}
	s.fire("f-ask-values2.count", "input", "none")
	s.want("err-ask-values2.count", "no number of values")
	s.click("undo", "undo", "undo")
	if s.there("f-ask-values2.from") {
		t.Error("undo leaves the second setting")
	}
	s.save("ask", "csv", "json")
	s.save("ask-chart", "png")
	if n := len(s.page.saved); n != 3 || !strings.Contains(s.page.saved[0].text, "normalized_throughput") || !strings.Contains(s.page.saved[1].text, "spillway-question") {
		t.Errorf("%d files", n)
	}
}

func TestQuestionTakesProducts(t *testing.T) {
	s := newStage(t, asked+"&ask-vary=part-ssd")
	s.finish()
	s.want("ask-says", "best of all")
	s.fire("f-ask-values-980-pro", "change", "")
	s.finish()
	if table := s.question().rows(); strings.Contains(table, "980 PRO") || !strings.Contains(table, "Z-NAND") {
		t.Errorf("%s", table)
	}
}

func TestQuestionWaits(t *testing.T) {
	s := newStage(t, asked+"&ask-vary=ssd_read&ask-values=1..9/100")
	s.want("ask-says", "Not run yet: 400 runs answer this.")
	s.want("ask-run", "Run 400 runs")
	s.click("ask-run")
	s.want("ask-run", "Running…")
	s.click("ask-cancel")
	s.want("ask-run", "Run 400 runs")
	s = newStage(t, small+"&view=whatif&systems=")
	s.want("ask-says", "No system is selected")
}

func TestQuestionFinds(t *testing.T) {
	s := newStage(t, asked+"&ask=find&ask-find=most&ask-vary=batch")
	s.finish()
	s.want("ask-found", "Batch size")
	s.want("ask-says", "G10")
	value := s.question().shown.Found[1].Value
	if s.question().shown.Found[1].System.Name != "g10" || value == "" {
		t.Fatalf("%+v", s.question().shown.Found[1])
	}
	s.click("adopt-g10")
	if s.root.State.View != state.Explore || s.root.State.Setup.Text("batch") != value {
		t.Errorf("%s in %s", s.root.State.Setup, s.root.State.View)
	}
}

// A search that is cancelled says that it was stopped, not that it goes on.
func TestQuestionStops(t *testing.T) {
	s := newStage(t, asked+"&ask=find&ask-find=most&ask-vary=batch")
	s.want("ask-found", "searching…")
	s.click("ask-cancel")
	if found := s.html("ask-found"); strings.Contains(found, "searching") || !strings.Contains(found, "not run yet") {
		t.Errorf("%s", found)
	}
	c := s.question()
	f := question.Found{System: c.shown.Found[0].System}
	c.shown.Progress = question.Progress{Known: 20, All: 24}
	if got := c.shown.FoundText(f); got != f.System.Title+": stopped" {
		t.Errorf("%q", got)
	}
	f.SoFar = "24"
	if got := c.shown.FoundText(f); got != f.System.Title+": stopped; so far 24" {
		t.Errorf("%q", got)
	}
}

// Long texts of a table take several lines, and their heading stands over them.
func TestTableWords(t *testing.T) {
	why := strings.Repeat("too little memory ", 4)
	got := tablesHTML([]report.Table{{Head: []string{"System", "Place", "Why not"}, Rows: []report.Row{
		{Head: "A", Cells: []report.Cell{{Text: "1", Best: true}, {}}},
		{Head: "B", Cells: []report.Cell{{Text: "–"}, {Text: why}}},
	}}})
	for _, want := range []string{`<th scope="col" class="left">Why not</th>`, `<td class="left words">` + why, `<td class="best">1</td>`, `<td>–</td>`, `<th scope="col">Place</th>`} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %s:\n%s", want, got)
		}
	}
}

func TestQuestionWeighs(t *testing.T) {
	s := newStage(t, asked)
	if s.there("ask-rank") || !s.root.Question.Untouched() {
		t.Error("the form is there before somebody wants it")
	}
	s.click("ask-more", "ask-effects")
	s.want("ask-says", "Computing…")
	s.finish()
	s.want("ask-says", "10 % more ")
	table := s.question().rows()
	for _, want := range []string{"changes nothing here", "no effect with quirk", `<tr class="ask-none">`, "GPU memory"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	s.click("ask-buy")
	s.finish()
	s.want("ask-says", " instead of ")
	if table := s.question().rows(); !strings.Contains(table, "A100 80 GB") {
		t.Errorf("%s", table)
	}
	if strings.Contains(s.all(), "%!") {
		t.Error("a text has a formatting error")
	}
	before := s.root.State.Setup.Clone()
	s.want("adopt-part", "Use ")
	s.click("adopt-part")
	if s.root.State.View != state.Explore || s.root.State.Setup.Equal(before) {
		t.Errorf("%s: nothing was bought", before)
	}
}

// A link that is followed while another question is shown asks its own.
func TestQuestionOfLink(t *testing.T) {
	s := newStage(t, asked)
	s.finish()
	s.click("ask-more", "ask-buy")
	s.finish()
	s.root.Visit(asked + "&ask-vary=ssd_read&ask-values=1..9/100")
	s.draw()
	s.want("ask-run", "Run 400 runs")
}

// What failed is said, and can be tried again.
func TestQuestionFails(t *testing.T) {
	for _, ask := range []string{"&ask=find&ask-find=most&ask-vary=batch", "&ask=effects", "&ask=buy"} {
		s := newStage(t, asked+ask)
		for len(s.runner.queue) > 0 {
			j := s.runner.queue[0]
			s.runner.queue = s.runner.queue[1:]
			s.root.Answer(&exec.Answer{ID: j.ID, Last: true, Error: "the worker is gone"})
		}
		s.draw()
		s.want("ask-says", " of the runs failed: the worker is gone.")
		s.want("ask-run", "again")
		if says := s.html("ask-says"); strings.Contains(says, "changes nothing") || strings.Contains(says, "No ") {
			t.Errorf("%s: %s", ask, says)
		}
		s.click("ask-run")
		s.finish()
		s.want("ask-run", "All runs are done")
		if says := s.html("ask-says"); strings.Contains(says, "failed") {
			t.Errorf("%s: %s", ask, says)
		}
	}
}
