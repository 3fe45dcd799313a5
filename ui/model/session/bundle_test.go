package session_test

import (
	"bytes"
	"strings"
	"testing"

	"spillway/ui/bundle"
	"spillway/ui/chart"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/store"
	"spillway/ui/model/bakery"
	"spillway/ui/model/papers"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// dropBundle opens a bundle in whatever laboratory is shown.
func (h *host) dropBundle(data []byte) {
	h.Helper()
	h.Open([]string{"x.spillway.zip"}, func(n, _ int) {
		for _, b := range h.benches {
			b.Open(n, []lab.File{{Name: "x.spillway.zip", Data: data}})
			b.Do(&exec.Job{Kind: exec.Open, Files: n}, nil) // each knows what is in it
		}
	})
	h.do()
}

// withBundles is a session whose programs know bundles.
func withBundles(t *testing.T, fragment string) *host {
	t.Helper()
	h := newHost(t, fragment)
	h.do()
	return h
}

// saved is a bundle of what is shown.
func (h *host) saved() []byte {
	h.Helper()
	var data []byte
	h.Laboratory.Output.Bundle([]chart.View{{ID: "a", Figure: &chart.Figure{}}}, func(*chart.View) string { return "<svg/>" }, func(d []byte, problem string) {
		if problem != "" {
			h.Fatal(problem)
		}
		data = d
	})
	h.do()
	return data
}

func TestBundle(t *testing.T) {
	h := withBundles(t, "v=2&lab=bakery")
	h.Open([]string{"rye"}, func(n, _ int) { h.benches["bakery"].Open(n, files("rye")) })
	h.do()
	h.want("flour", "rye")
	data := h.saved()

	// It is checked wherever it is dropped; what was open there still is.
	h = withBundles(t, quick)
	number := h.Files.Number
	h.dropBundle(data)
	c := h.Checking
	if c == nil || c.Active() || c.Finding() != exec.Replayed || c.Known() != 3 || !c.Info.Opened || h.Info.Name != "train" || h.Files.Number != number || h.Files.Opening {
		t.Fatalf("%+v; files %+v", c, h.Files)
	}
	if c.Says() != "Replayed. 3 of 3 replayed. Not checked here: figures/ (1); spillway check draws them again." {
		t.Error(c.Says())
	}
	// Its run is opened in its laboratory, with its workload.
	h.OpenChecked()
	h.enter()
	h.do()
	h.want("flour", "rye")
	if h.Info.Name != "bakery" || h.Runs.Blocked() != "" || !h.Runs.List[0].Shown() || !h.Files.Has("rye") {
		t.Errorf("%s, blocked %q, files %+v", h.Info.Name, h.Runs.Blocked(), h.Files)
	}
	// From there it can be saved again.
	if again := h.saved(); len(again) != len(data) {
		t.Errorf("%d bytes, then %d", len(data), len(again))
	}
	h.CloseChecking()
	if h.Checking != nil || h.Checking.Active() {
		t.Error("the check is still there")
	}
}

// Files that were open stay open when a bundle is dropped.
func TestBundleKeepsFiles(t *testing.T) {
	h := withBundles(t, "v=2&lab=bakery")
	bakery := h.saved()
	h.Open([]string{"rye"}, func(n, _ int) { h.benches["bakery"].Open(n, files("rye")) })
	h.do()
	number := h.Files.Number
	h.dropBundle(bakery)
	if h.Files.Number != number || !h.Files.Has("rye") || h.Entry() != "rye" || h.Runs.Blocked() != "" || h.Checking.Finding() != exec.Replayed {
		t.Errorf("%+v, blocked %q", h.Files, h.Runs.Blocked())
	}
	// One of what there is not, and one that is damaged.
	drop := func(info *exec.BundleInfo) {
		h.Open([]string{"x"}, func(int, int) {})
		h.say(h.one(exec.Open), exec.Answer{Bundle: info})
	}
	drop(&exec.BundleInfo{Lab: "smithy", Parts: []string{"a"}})
	if h.Checking.Active() || !strings.Contains(h.Checking.Says(), `the laboratory "smithy", which this version does not have`) {
		t.Error(h.Checking.Says())
	}
	h.OpenChecked() // nothing to open
	drop(&exec.BundleInfo{Lab: "bakery", Damaged: []string{"scenario.txt: it is missing"}})
	if h.Checking.Active() || h.Checking.Finding() != exec.Damaged || !strings.Contains(h.Checking.Says(), "nobody can say what ran") {
		t.Error(h.Checking.Says())
	}
}

// A paper's claims wait for its runs.
func TestBundleOfPaper(t *testing.T) {
	l := bakery.New()
	paper, err := l.Paper("crumb")
	if err != nil {
		t.Fatal(err)
	}
	var parts []bundle.Part
	for _, r := range paper.Runs() {
		if p, err := bundle.Measure(&l, paper, &r); err == nil { // gas ovens fail
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		t.Fatal("nothing can be run")
	}
	data, _, err := bundle.BindPaper(&l, paper, &exec.BundleRequest{}, parts)
	if err != nil {
		t.Fatal(err)
	}
	h := withBundles(t, quick)
	h.dropBundle(data)
	if c := h.Checking; c.Finding() != exec.Replayed || c.Known() != len(parts)+2 {
		t.Errorf("%s %+v", c.Says(), c)
	}
	h.OpenChecked()
	h.enter()
	h.do()
	if h.State.View != state.Reproduce || h.State.Figure != "crumb.claims" {
		t.Errorf("%s %s", h.State.View, h.State.Figure)
	}
}

// A report has all sheets of a paper, with what is known of it.
func TestCollect(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&view=reproduce")
	var got *papers.Sheets
	problem := ""
	take := func(s *papers.Sheets, p string) { got, problem = s, p }
	h.Papers.Collect("crumb", take)
	if problem == "" {
		t.Error("a paper that is not open has sheets")
	}
	h.do()
	h.Papers.Run("crumb.1")
	h.do()
	h.Papers.Collect("crumb", take)
	h.Papers.Collect("crumb", take) // asked twice it is answered once
	h.do()
	if got == nil || problem == "" && len(got.Figures) != 2 || got.All == nil || got.All.Tally.Known != 1 || got.Figures[0].Rows[0].Status == "" || got.Outline.Key != "crumb" {
		t.Errorf("%+v, %q", got, problem)
	}
}

// What the page keeps of a paper is what the command keeps: the same bundle and references, and,
// while not all of it is known, references and why there is no bundle.
func TestKeepPaper(t *testing.T) {
	h := hostOf(t, "v=3&lab=store&view=reproduce", map[string]string{}, store.New())
	h.Version = "1.0"
	h.do()
	keep := func() (got *papers.Sheets) {
		t.Helper()
		h.Papers.Keep("ravenstore", func(s *papers.Sheets, problem string) {
			if got = s; problem != "" {
				t.Error(problem)
			}
		})
		h.do()
		if got == nil || got.All == nil {
			t.Fatal("nothing is kept")
		}
		return got
	}
	before := keep()
	if before.Bundle != nil || before.Unbound != "it is of all runs, and not all are done" {
		t.Errorf("%d bytes, %q", len(before.Bundle), before.Unbound)
	}
	h.Papers.Run("ravenstore.claims")
	h.do()
	got := keep()
	l := store.New()
	paper, err := l.Paper("ravenstore")
	if err != nil {
		t.Fatal(err)
	}
	var parts []bundle.Part
	for _, r := range paper.Runs() {
		p, err := bundle.Measure(&l, paper, &r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	data, references, err := bundle.BindPaper(&l, paper, &exec.BundleRequest{Version: "1.0", Environment: workspace.Environment}, parts)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bundle, data) || got.Unbound != "" {
		t.Errorf("the page's bundle has %d bytes, the command's %d; %q", len(got.Bundle), len(data), got.Unbound)
	}
	if got.References != references || before.References != references || !strings.HasPrefix(references, "@techreport{ravenstore,") {
		t.Errorf("before and after its runs:\n%s\n%s\nthe command's:\n%s", before.References, got.References, references)
	}
}

// A bundle of a paper is of bundled workloads: with originals there is none, and its files say so.
func TestKeepOriginals(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&view=reproduce&figure=crumb.2")
	h.do()
	h.drop("rye", "cake")
	h.Papers.Run("crumb.1")
	h.do()
	var got *papers.Sheets
	h.Papers.Keep("crumb", func(s *papers.Sheets, problem string) { got = s })
	h.do()
	if got == nil || got.Bundle != nil || got.Unbound == "" {
		t.Errorf("%+v", got)
	}
}
