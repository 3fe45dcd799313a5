package session_test

import (
	"strings"
	"testing"

	"spillway/sim/study"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/calls"
	"spillway/ui/model/papers"
	"spillway/ui/model/state"
)

// published answers a run of the G10 paper with the values that it published,
// multiplied.
func published(p *study.Paper, j *exec.Job, factor float64) exec.Answer {
	o := &study.Outcome{Run: j.Name, Fits: true, Rebuilt: j.Rebuilt}
	points := p.Of(j.Name)
	if len(points) > 0 {
		o.Fits = points[0].Fits
	}
	for _, x := range points {
		if o.Fits {
			o.Values = append(o.Values, x.Value*factor)
		}
	}
	return exec.Answer{Outcome: o}
}

// reproduce answers all runs of the G10 paper that are asked for, does the rest,
// and returns how many runs there were.
func (h *host) reproduce(factor float64) (n int) {
	h.Helper()
	l := training()
	p, err := l.Paper("g10")
	if err != nil {
		h.Fatal(err)
	}
	for range 2000 {
		runs := h.open(exec.Measure)
		if len(runs) == 0 {
			h.do(exec.Outline, exec.Sheet, exec.Tallies)
			return n
		}
		if len(runs) > calls.MostAtOnce {
			h.Fatalf("%d runs at once", len(runs))
		}
		j := runs[0]
		if !h.bulk[j.ID] {
			h.Fatal("a run of a paper goes before others")
		}
		if !h.Answer(&exec.Answer{ID: j.ID, Done: 1, Total: 2}) {
			h.Fatal("progress was dropped")
		}
		a := published(p, j, factor)
		if len(p.Of(j.Name)) == 0 { // an analysis
			a.Outcome.Values = nil
		}
		if !h.say(j, a) {
			h.Fatal("an answer was dropped")
		}
		n++
	}
	h.Fatal("it does not end")
	return n
}

// reproducing returns a session that shows a figure of the G10 paper.
func reproducing(t *testing.T, figure string) *host {
	t.Helper()
	h := newHost(t, "v=2&lab=train&view=reproduce&figure="+figure)
	if len(h.open(exec.Run)) != 0 {
		t.Error("the comparison runs though a paper is shown")
	}
	h.do(exec.Outline, exec.Sheet, exec.Tallies)
	return h
}

// originals makes the session believe that files with all workloads are open.
func (h *host) originals() {
	h.Helper()
	h.Open([]string{"g10.zip"}, func(int, int) {})
	a := exec.Answer{}
	seen := map[string]bool{}
	for _, r := range h.outline().Runs {
		if r.Workload != "" && !seen[r.Workload] {
			seen[r.Workload] = true
			a.Entries = append(a.Entries, lab.Entry{Name: r.Workload, Is: r.Workload}, lab.Entry{Name: "2 " + r.Workload, Is: r.Workload, Set: "iterations=2"}, lab.Entry{Name: "3 " + r.Workload, Is: r.Workload, Error: "bad"})
		}
	}
	h.say(h.listing(), a)
	h.do(exec.Sheet, exec.Tallies)
}

func (h *host) outline() *study.Outline {
	h.Helper()
	v := h.Papers.Views()
	if v[0].Outline == nil {
		h.Fatal("no outline")
	}
	return v[0].Outline
}

func (h *host) verdict(name string) papers.Verdict { return h.Papers.Verdict(name) }

func TestReproduceShowsTheOutline(t *testing.T) {
	h := newHost(t, "v=2&lab=train&view=reproduce")
	if v := h.Papers.Views(); len(v) != 4 || v[0].Outline != nil || v[0].Title != "The G10 paper" || v[1].Title != "The DeepUM paper" || len(v[0].Items) != 0 || h.Papers.Sheet() != nil {
		t.Errorf("%+v", v)
	}
	h.Papers.Run("g10.11") // before there is anything to run
	h.do(exec.Outline)
	v := h.Papers.Views()[0]
	if len(v.Items) != len(v.Outline.Figures) || v.Items[0].Shown || v.Items[0].Name != "g10.2" || v.Items[0].Label != "Figure 2" || !v.Items[3].Shown || v.Items[3].Name != "g10.11" || v.All.Name != "g10.claims" || v.Need < 29 || v.Have != 0 {
		t.Errorf("%+v, %d of %d", v.Items, v.Have, v.Need)
	}
	for _, x := range append(v.Items, v.All) {
		if x.Verdict != (papers.Verdict{Text: "not run", Class: "none"}) || x.Running || x.Known || x.Percent != 0 {
			t.Errorf("%+v", x)
		}
	}
	h.do(exec.Sheet, exec.Tallies)
	if s := h.Papers.Sheet(); s == nil || s.Figure != "11" { // the first with published values
		t.Error("the first figure is not shown")
	}
	h.Papers.Show("g10.16")
	if h.Papers.Sheet() != nil {
		t.Error("another figure's sheet is shown")
	}
	h.do(exec.Sheet)
	if s := h.Papers.Sheet(); s == nil || s.Figure != "16" || len(s.Rows) == 0 || !strings.Contains(h.Link(), "&view=reproduce&figure=g10.16") {
		t.Error("Figure 16 is not shown")
	}
	h.SetView(state.Explore)
	if len(h.open(exec.Run)) != len(h.State.On) {
		t.Error("back at the comparison nothing runs")
	}
}

// A link to a figure that there is not shows the first, once.
func TestUnknownFigure(t *testing.T) {
	for _, name := range []string{"g10.99", "g10", "other.3", "nothing"} {
		h := reproducing(t, name)
		if s := h.Papers.Sheet(); s == nil || s.Figure != "11" || h.Papers.Shown() != "g10.11" {
			t.Errorf("%s: shown %q", name, h.Papers.Shown())
		}
	}
	h := reproducing(t, "g10.claims")
	if s := h.Papers.Sheet(); s == nil || s.Figure != study.AllClaims || len(s.Claims) == 0 {
		t.Error("the claims are not shown")
	}
}

func TestReproduceEverythingRunsEachRunOnce(t *testing.T) {
	h := reproducing(t, "g10.11")
	p := h.Papers
	p.Run("g10.claims")
	if !p.Active() || p.Elapsed() <= 0 {
		t.Fatal("nothing runs")
	}
	n := h.reproduce(1)
	o := h.outline()
	if n != len(o.Runs) {
		t.Errorf("%d runs; want %d", n, len(o.Runs))
	}
	st := p.Standing("g10.claims")
	if v := p.Views()[0]; p.Active() || st.Known != n || st.Percent() != 100 || v.Tally.Compared != o.Points || v.Tally.Gap != 0 || v.Tally.Rebuilt == 0 || !v.All.Known {
		t.Errorf("standing %+v, tally %+v", st, v.Tally)
	}
	for _, f := range o.Figures {
		if got := h.verdict(f.Name); f.Points > 0 && !strings.Contains(got.Text, "within 25 %") {
			t.Errorf("Figure %s: %+v", f.ID, got)
		}
	}
	if s := p.Sheet(); s == nil || s.Tally.Compared != len(s.Rows) || s.Tally.Known != s.Tally.Runs {
		t.Error("the sheet does not follow")
	}
	started := len(h.jobs)
	if p.Run("g10.11"); len(h.jobs) != started || p.Active() {
		t.Error("what is known was run again")
	}
	took := p.Elapsed()
	if took <= 0 || p.Elapsed() != took {
		t.Error("the clock goes on")
	}
}

func TestReproduceWithOriginalsIsExact(t *testing.T) {
	h := reproducing(t, "g10.11")
	h.originals()
	if v := h.Papers.Views()[0]; v.Have != v.Need || v.Need < 29 {
		t.Errorf("files have %d of %d workloads", v.Have, v.Need)
	}
	h.Papers.Run("g10.11")
	for _, j := range h.open(exec.Measure) {
		if !strings.Contains(j.Setup, " entry=model") || j.Files != 1 || j.Rebuilt || j.Lab != "train" || j.Paper != "g10" {
			t.Errorf("a bundled workload is used: %+v", j)
		}
	}
	h.reproduce(1)
	st := h.Papers.Standing("g10.11")
	// The paper's text has one number that its own values do not give.
	if v := h.verdict("g10.11"); v != (papers.Verdict{Text: "exact; claims that differ: 1 of 9", Class: "warn"}) || st.Errors != 0 {
		t.Errorf("%+v of %+v", v, st)
	}
	for _, c := range h.Papers.Sheet().Claims {
		if c.Ours != c.Published || !c.Known {
			t.Errorf("%s: published values give %v, ours %v", c.ID, c.Published, c.Ours)
		}
	}
	h.Papers.Run("g10.16")
	old := h.open(exec.Measure)[0]
	// Other files: what was measured with the old ones is forgotten, and what
	// runs starts again.
	h.Open([]string{"other"}, func(int, int) {})
	h.say(h.listing(), exec.Answer{Entries: []lab.Entry{{Name: "x"}, {Name: "y"}}})
	if st := h.Papers.Standing("g10.11"); st.Known != 0 || !h.over[old.ID] || !h.Papers.Active() {
		t.Errorf("after other files: %+v", st)
	}
	for _, j := range h.open(exec.Measure) {
		if j.Files != 0 || !j.Rebuilt {
			t.Errorf("the old files are used: %+v", j)
		}
	}
}

func TestReproduceVerdicts(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		files  bool
		want   string
		class  string
	}{
		{1.002, true, "2 exact, 33 within 0.5 %; claims that differ: 1 of 9", "warn"}, // see TestReproduceWithOriginalsIsExact
		{1.02, true, "off", "warn"},
		{1.2, false, "35 of 35 within 25 %; claims that differ: 1 of 9", "warn"}, // the same claim
		{1.3, false, "2 of 35 within 25 %", "warn"},                              // those that do not fit
	} {
		h := reproducing(t, "g10.11")
		if tt.files {
			h.originals()
		}
		h.Papers.Run("g10.11")
		if v := h.verdict("g10.11"); v.Class != "busy" || !strings.Contains(v.Text, "0 of 35 runs") {
			t.Errorf("while it runs: %+v", v)
		}
		h.reproduce(tt.factor)
		if v := h.verdict("g10.11"); !strings.Contains(v.Text, tt.want) || v.Class != tt.class {
			t.Errorf("factor %v: verdict %+v; want %q, %s", tt.factor, v, tt.want, tt.class)
		}
	}
}

func TestReproduceCancel(t *testing.T) {
	h := reproducing(t, "g10.11")
	p := h.Papers
	p.Run("g10.11")
	p.Run("g10.12") // shares runs
	p.Cancel("g10.11")
	if !p.Active() {
		t.Fatal("Figure 12 was cancelled too")
	}
	if st := p.Standing("g10.11"); st.Waiting != 0 {
		t.Errorf("Figure 11 still waits for %d", st.Waiting)
	}
	p.Cancel("g10.12")
	if p.Active() || len(h.open(exec.Measure)) != 0 {
		t.Errorf("still active, %d jobs", len(h.open(exec.Measure)))
	}
	if p.Elapsed() <= 0 {
		t.Error("no elapsed time")
	}
	p.Run("g10.claims")
	p.Cancel("g10.claims")
	if p.Active() || len(h.open(exec.Measure)) != 0 {
		t.Error("everything goes on")
	}
	p.Run("g10.19")
	h.reproduce(1)
	if st := p.Standing("g10.19"); st.Known != st.Runs || st.Runs == 0 {
		t.Errorf("%+v", st)
	}
	p.Forget("g10.19")
	if st := p.Standing("g10.19"); st.Known != 0 || p.Active() {
		t.Errorf("not forgotten: %+v", st)
	}
	h.do(exec.Sheet, exec.Tallies)
	if v := h.verdict("g10.19"); v.Text != "not run" {
		t.Errorf("%+v", v)
	}
}

func TestReproduceFailures(t *testing.T) {
	h := reproducing(t, "g10.2")
	h.Papers.Run("g10.2")
	runs := 0
	for len(h.open(exec.Measure)) > 0 {
		runs++
		h.say(h.open(exec.Measure)[0], exec.Answer{Error: "out of luck"})
	}
	st := h.Papers.Standing("g10.2")
	if v := h.verdict("g10.2"); v.Class != "bad" || st.Error != "out of luck" || st.Errors != runs || h.Papers.Active() {
		t.Errorf("%+v, %+v", v, st)
	}
	if v := h.Papers.Views()[0]; !strings.Contains(v.Problem, "runs failed. The first: out of luck") {
		t.Errorf("problem %q", v.Problem)
	}
	h.Papers.Run("g10.2") // tries again
	if n := h.reproduce(1); n != runs {
		t.Errorf("%d runs at the second try; want %d", n, runs)
	}
	h.Papers.Run("g10.11")
	h.say(h.open(exec.Measure)[0], exec.Answer{})
	if st := h.Papers.Standing("g10.11"); st.Error != "the worker answered something else" {
		t.Errorf("%+v", st)
	}
}

// What cannot be had is said, and asked for again only when something changes.
func TestPapersThatFail(t *testing.T) {
	h := newHost(t, "v=2&lab=train&view=reproduce")
	for _, j := range h.open(exec.Outline) {
		h.say(j, exec.Answer{Error: "no memory"})
	}
	if v := h.Papers.Views()[0]; v.Problem != "no memory" || len(h.open()) != 0 {
		t.Errorf("%q, %d jobs", v.Problem, len(h.open()))
	}
	h.SetView(state.Explore)
	h.Runs.Cancel()
	h.SetView(state.Reproduce)
	h.do(exec.Outline)
	h.say(h.one(exec.Sheet), exec.Answer{Error: "no ink"})
	for _, j := range h.open(exec.Tallies) {
		h.say(j, exec.Answer{Error: "no fingers"})
	}
	if v := h.Papers.Views()[0]; v.Problem != "no ink" || len(h.open()) != 0 || h.Papers.Sheet() != nil {
		t.Errorf("%q, %d jobs", v.Problem, len(h.open()))
	}
	h.Papers.Show("g10.3")
	h.do(exec.Sheet)
	if v := h.Papers.Views()[0]; v.Problem != "" || h.Papers.Sheet() == nil {
		t.Errorf("%q", v.Problem)
	}
	b := newHost(t, "v=2&lab=bakery&view=reproduce")
	b.do()
	vs := b.Papers.Views()
	if len(vs) != 2 || vs[0].Problem != "" || !strings.Contains(vs[1].Problem, "no such paper") || vs[1].Outline != nil {
		t.Errorf("%+v", vs)
	}
	b.Papers.Run("gone.claims")
	b.Papers.Cancel("gone.claims")
	b.Papers.Forget("gone.1")
	if len(b.open(exec.Measure)) != 0 {
		t.Error("a paper that is not there runs")
	}
}

// A small paper, done by a bench from outline to verdicts, with stand-ins, with
// its originals, and with a run that fails.
func TestSmallPaper(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&view=reproduce&figure=crumb.2")
	h.do(exec.Outline, exec.Sheet, exec.Tallies)
	h.Papers.Run("crumb.1")
	h.do()
	if v := h.verdict("crumb.1"); v.Text != "1 of 1 within 25 %" || v.Class != "ok" {
		t.Errorf("%+v", v)
	}
	if v := h.verdict("crumb.claims"); v.Text != "1 of 3 runs" {
		t.Errorf("%+v", v)
	}
	if v := h.verdict("crumb.2"); v.Text != "1 of 3 runs" { // it shares one
		t.Errorf("%+v", v)
	}
	h.drop("rye", "cake")
	if v := h.Papers.Views()[0]; v.Have != 2 || v.Need != 2 || v.All.Percent != 0 {
		t.Errorf("%d of %d", v.Have, v.Need)
	}
	h.Papers.Run("crumb.claims")
	for _, j := range h.open(exec.Measure) {
		if own := strings.Contains(j.Setup, "flour="); own != (j.Files == 1) || own == strings.Contains(j.Name, "watts") {
			t.Errorf("%+v", j)
		}
	}
	h.do()
	if v := h.verdict("crumb.1"); v.Text != "exact" {
		t.Errorf("%+v", v)
	}
	if v := h.verdict("crumb.2"); v.Text != "1 runs failed" || v.Class != "bad" {
		t.Errorf("%+v", v)
	}
	if s := h.Papers.Sheet(); s == nil || s.Rows[0].Verdict != "exact" || s.Rows[1].Verdict != "off" || s.Rows[2].Verdict != "not run" {
		t.Errorf("%+v", s.Rows)
	}
	h.Papers.Show("crumb.claims")
	h.do()
	if s := h.Papers.Sheet(); len(s.Claims) != 1 || s.Claims[0].Verdict != study.Holds {
		t.Errorf("%+v", s.Claims)
	}
}

// Papers go on in a room that is left.
func TestPapersGoOn(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&view=reproduce&figure=crumb.1")
	h.do(exec.Outline, exec.Sheet, exec.Tallies)
	h.Papers.Run("crumb.1")
	h.Go("train")
	h.enter()
	h.do(exec.Measure, exec.Sheet, exec.Tallies)
	h.Go("bakery")
	if v := h.verdict("crumb.1"); v.Class != "ok" || h.State.View != state.Reproduce {
		t.Errorf("%+v", v)
	}
}

// What the site came with fills all figures at once; what is computed confirms it, or not, and
// that is said aloud. Opened files have other workloads, of which it says nothing.
func TestShipped(t *testing.T) {
	ship := func(h *host) {
		l := training()
		p, err := l.Paper("g10")
		if err != nil {
			t.Fatal(err)
		}
		list := study.Recording{Paper: "g10"}
		for _, r := range p.Runs() {
			o := published(p, &exec.Job{Name: r.Name, Rebuilt: true}, 1).Outcome
			if len(p.Of(r.Name)) == 0 {
				o.Values = nil
			}
			list.Outcomes = append(list.Outcomes, *o)
		}
		h.Ship("train", []study.Recording{list})
		h.do(exec.Sheet, exec.Tallies)
	}
	item := func(h *host) papers.Item { return h.Papers.Views()[0].Items[3] } // Figure 11
	for _, tt := range []struct {
		factor          float64
		origin, problem string
		confirmed       int
	}{
		{1, "confirmed on this machine", "", 35},
		{1.5, "differs here", "33 runs differ on this machine", 2}, // two cannot run,
	} {
		h := reproducing(t, "g10.11")
		ship(h)
		if x, s := item(h), h.Papers.Sheet(); x.Origin != "shipped" || x.Known || x.Percent != 0 || !strings.Contains(x.Verdict.Text, "35 of 35 within") || s.Tally.Known != 35 {
			t.Errorf("shipped: %+v", x)
		}
		if text := h.Papers.State(h.Papers.Views()[0]); !strings.Contains(text, "0 of 411 runs. Shown is what this build came with.") {
			t.Error(text)
		}
		h.Papers.Run("g10.11")
		h.reproduce(tt.factor)
		v := h.Papers.Views()[0]
		if x := item(h); x.Origin != tt.origin || !x.Known || !strings.HasPrefix(v.Problem, tt.problem) || (v.Problem == "") != (tt.problem == "") {
			t.Errorf("%v times: %+v, %q", tt.factor, x, v.Problem)
		}
		if s := h.Papers.Standing("g10.11"); s.Shipped != 35 || s.Confirmed != tt.confirmed {
			t.Errorf("%+v", s)
		}
	}
	h := reproducing(t, "g10.11")
	ship(h)
	h.originals()
	if x := item(h); x.Origin != "" || x.Verdict.Text != "not run" {
		t.Errorf("with opened files: %+v", x)
	}
}
