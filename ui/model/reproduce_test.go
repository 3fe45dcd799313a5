package model

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	study "spillway/sim/train/papers/g10"
	"spillway/sim/workload"
	"spillway/ui/job"
)

// paperJobs returns the jobs of the Reproduction that nobody has stopped or
// answered.
func paperJobs(d *desk, answered map[int]bool) []job.Job {
	var js []job.Job
	for _, j := range d.started {
		if (j.Study != "" || j.Memory) && !slices.Contains(d.stopped, j.ID) && !answered[j.ID] {
			js = append(js, j)
		}
	}
	return js
}

// perfect answers a job with the published values, multiplied.
func perfect(j job.Job, factor float64) job.Answer {
	a := job.Answer{ID: j.ID, Last: true}
	if j.Memory {
		a.Memory = &study.Memory{
			All: []float64{0.5, 1}, Active: []float64{0.01, 0.02}, Peak: 100, Largest: 2, MeanActive: 0.01,
			Periods: []study.Period{{Micros: 10, Bytes: 4096}, {Micros: 1e8, Bytes: 1 << 20}}, Over100ms: 0.5, Over10s: 0.5, Swappable: 0.7,
		}
		return a
	}
	points := study.Of(j.Study)
	a.Outcome = &study.Outcome{Run: j.Study, Fits: points[0].Fits}
	for _, p := range points {
		if p.Fits {
			a.Outcome.Values = append(a.Outcome.Values, p.Value*factor)
		}
	}
	return a
}

// reproduce answers everything that is asked for and returns how many jobs
// there were.
func reproduce(t *testing.T, d *desk, s *Session, factor float64) int {
	t.Helper()
	answered := map[int]bool{}
	for range 2000 {
		js := paperJobs(d, answered)
		if len(js) == 0 {
			return len(answered)
		}
		if len(js) > mostAtOnce {
			t.Fatalf("%d jobs at once", len(js))
		}
		answered[js[0].ID] = true
		if !s.Answer(job.Answer{ID: js[0].ID, Done: 1, Total: 2}) || !s.Answer(perfect(js[0], factor)) {
			t.Fatal("an answer was dropped")
		}
	}
	t.Fatal("it does not end")
	return 0
}

// measured makes the session believe that files with all workloads are open.
func measured(s *Session) {
	s.Files.Number, s.Files.Entries = 1, nil
	seen := map[study.Need]bool{}
	for _, p := range study.All() {
		seen[study.Need{Model: p.Model, Batch: p.Batch}] = true
	}
	for _, n := range study.Studied() {
		seen[n] = true
	}
	for n := range seen {
		s.Files.Entries = append(s.Files.Entries, job.Entry{Name: n.String(), Model: n.Model, Batch: n.Batch})
	}
	s.Paper.filesChanged()
}

func TestReproduceEverythingRunsEachRunOnce(t *testing.T) {
	d, s := newDesk()
	p := s.Paper
	runs := map[string]bool{}
	for _, x := range study.Published() {
		runs[x.Run()] = true
	}
	p.Run(ClaimsID)
	if !p.Active() {
		t.Fatal("nothing runs")
	}
	n := reproduce(t, d, s, 1)
	if want := len(runs) + len(study.Studied()); n != want {
		t.Errorf("%d jobs; want %d", n, want)
	}
	st := p.Standing(ClaimsID)
	if p.Active() || st.Known != n || st.Compared != len(study.All()) || st.Gap != 0 || st.Percent() != 100 || !st.Reconstructed() {
		t.Errorf("standing %+v", st)
	}
	for _, f := range p.Figures {
		v := p.Standing(f.ID)
		if got := v.Verdict(); f.Memory() != strings.Contains(got.Text, "hold") || !f.Memory() && !strings.Contains(got.Text, "within 25 %") {
			t.Errorf("Figure %s: %+v", f.ID, got)
		}
	}
	started := len(d.started)
	if p.Run("11"); len(d.started) != started || p.Active() {
		t.Error("what is known was run again")
	}
}

func TestReproduceWithFilesIsExact(t *testing.T) {
	d, s := newDesk()
	measured(s)
	if have, need := s.Paper.Measured(); have != need || need < 29 {
		t.Errorf("files have %d of %d workloads", have, need)
	}
	s.Paper.Run("11")
	for _, j := range paperJobs(d, nil) {
		if j.Source.Entry == "" || j.Source.Files != 1 {
			t.Errorf("bundled workload used: %+v", j)
		}
	}
	reproduce(t, d, s, 1)
	st := s.Paper.Standing("11")
	if v := st.Verdict(); v.Text != "exact" || v.Class != "ok" || st.Measured != st.Runs {
		t.Errorf("%+v of %+v", v, st)
	}
	for _, c := range s.Paper.Claims("11") {
		if c.Ours != c.Published || !c.Known {
			t.Errorf("%s: published values give %s, ours %s", c.ID, c.Published, c.Ours)
		}
	}
	// Other files: what was measured with the old ones is forgotten.
	s.Files.Number, s.Files.Entries = 2, nil
	s.Paper.filesChanged()
	if st := s.Paper.Standing("11"); st.Known != 0 || st.Compared != 0 {
		t.Errorf("after other files: %+v", st)
	}
}

func TestReproduceVerdicts(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		files  bool
		want   string
	}{
		{1.002, true, "2 exact, 33 within 0.5 %"},
		{1.02, true, "off"},
		{1.2, false, "35 of 35 within 25 %"},
		{1.3, false, "2 of 35 within 25 %"}, // those that do not fit
	} {
		d, s := newDesk()
		if tt.files {
			measured(s)
		}
		s.Paper.Run("11")
		reproduce(t, d, s, tt.factor)
		st := s.Paper.Standing("11")
		v := st.Verdict()
		if !strings.Contains(v.Text, tt.want) {
			t.Errorf("factor %v: verdict %+v; want %q in it", tt.factor, v, tt.want)
		}
	}
}

func TestReproduceCancel(t *testing.T) {
	d, s := newDesk()
	s.Paper.Run("11")
	s.Paper.Run("12") // shares 18 of its runs
	s.Paper.Cancel("11")
	if !s.Paper.Active() {
		t.Fatal("Figure 12 was cancelled too")
	}
	if st := s.Paper.Standing("11"); st.Waiting != 0 {
		t.Errorf("Figure 11 still waits for %d", st.Waiting)
	}
	s.Paper.Cancel("12")
	if s.Paper.Active() || len(paperJobs(d, nil)) != 0 {
		t.Errorf("still active, %d jobs", len(paperJobs(d, nil)))
	}
	if s.Paper.Elapsed() <= 0 {
		t.Error("no elapsed time")
	}
	s.Paper.Run("19")
	reproduce(t, d, s, 1)
	s.Paper.ForgetFigure("19")
	if st := s.Paper.Standing("19"); st.Known != 0 {
		t.Errorf("not forgotten: %+v", st)
	}
}

func TestReproduceFailures(t *testing.T) {
	d, s := newDesk()
	s.Paper.Run("2")
	for _, j := range paperJobs(d, nil) {
		s.Answer(job.Answer{ID: j.ID, Last: true, Error: "out of luck"})
	}
	st := s.Paper.Standing("2")
	if v := st.Verdict(); v.Class != "bad" || st.Error != "out of luck" || s.Paper.Active() {
		t.Errorf("%+v, %+v", v, st)
	}
	last := d.started[len(d.started)-1].ID
	s.Paper.Run("2") // tries again
	d.started = slices.DeleteFunc(d.started, func(j job.Job) bool { return j.ID <= last })
	if n := reproduce(t, d, s, 1); n != len(study.Studied()) {
		t.Errorf("%d jobs at the second try; want %d", n, len(study.Studied()))
	}
}

func TestPaperCharts(t *testing.T) {
	d, s := newDesk()
	p := s.Paper
	for _, known := range []bool{false, true} {
		if known {
			p.Run(ClaimsID)
			reproduce(t, d, s, 1.1)
		}
		for _, f := range p.Figures {
			c := p.Chart(f.ID)
			if !json.Valid([]byte(c.Option())) || c.Option() == "{}" || c.Height < 200 || c.Alt == "" || c.Note == "" || c.Text == "" {
				t.Errorf("Figure %s: %+v", f.ID, c.Chart)
			}
			if empty := f.Memory() && !known; empty != (c.Empty != "") {
				t.Errorf("Figure %s, known %v: empty says %q", f.ID, known, c.Empty)
			}
			rows, err := csv.NewReader(strings.NewReader(p.CSV(f.ID))).ReadAll()
			if err != nil {
				t.Errorf("Figure %s: %v", f.ID, err)
			}
			if want := 1 + len(f.Points()); !f.Memory() && len(rows) != want {
				t.Errorf("Figure %s: %d rows of CSV; want %d", f.ID, len(rows), want)
			}
			if table := p.RowsHTML(f.ID); known && strings.Count(table, "<tr") != 1+len(f.Points()) {
				t.Errorf("Figure %s: %d rows of table", f.ID, strings.Count(table, "<tr"))
			}
		}
		if rows, err := csv.NewReader(strings.NewReader(p.CSV(ClaimsID))).ReadAll(); err != nil || len(rows) != 1+len(study.Claims()) {
			t.Errorf("claims: %d rows, %v", len(rows), err)
		}
	}
}

func TestPaperRowsAreEscaped(t *testing.T) {
	d, s := newDesk()
	s.Paper.Run("11")
	for _, j := range paperJobs(d, nil) {
		s.Answer(job.Answer{ID: j.ID, Last: true, Outcome: &study.Outcome{Run: j.Study, Reason: `<b>"no"</b>`}})
	}
	if table := s.Paper.RowsHTML("11"); strings.Contains(table, "<b>") || !strings.Contains(table, "&lt;b&gt;") {
		t.Error("the reason is not escaped")
	}
}

func TestViewIsInTheLink(t *testing.T) {
	s := Default()
	s.View, s.Figure = Reproduce, "16"
	text := s.Encode()
	if !strings.Contains(text, "view=reproduce") || !strings.Contains(text, "figure=16") {
		t.Error(text)
	}
	back, err := Decode(text)
	if err != nil || back.View != Reproduce || back.Figure != "16" || back.Source.Times != workload.ColdModel {
		t.Errorf("%+v, %v", back, err)
	}
	for _, bad := range []string{"v=1&view=secret", "v=1&view=reproduce&figure=5"} {
		if _, err := Decode(bad); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	_, n := newDesk()
	n.SetAxis(ByKernel)
	n.State.View, n.State.Figure = Reproduce, "18"
	if n.Undo(); n.State.View != Reproduce || n.State.Figure != "18" || n.State.Axis != ByTime {
		t.Errorf("undo left the view: %+v", n.State)
	}
}
