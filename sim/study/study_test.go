package study_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/sim/report"
	"spillway/sim/study"
)

// invented returns a small paper: a system "fast" and its baseline "slow" on two
// workloads; bars, stacks, lines and an analysis; two claims.
func invented() *study.Paper {
	set := func(work string) string { return "work=" + work + " mode=x" }
	point := func(figure, quantity, system, work string, value float64) study.Point {
		return study.Point{Figure: figure, Quantity: quantity, System: system, Set: set(work), Workload: "work=" + work, Of: strings.ToUpper(work), Fits: true, Value: value, Unit: "s"}
	}
	p := &study.Paper{
		Key: "inv", Short: "Invented", Systems: []string{"slow", "fast"},
		Names:     map[string]string{"slow": "Slow", "fast": "Fast", "time": "run time", "read": "time reading", "write": "time writing", "speedup": "speedup"},
		Tolerance: 0.01, Rebuilt: 0.2, ClaimTolerance: 0.02, Standing: "rebuilt: invented files", Originals: "Drop the files.", Cannot: "does not fit",
		Sums: [][]string{{"read", "write"}},
	}
	cannot := point("1", "time", "slow", "b", 0)
	cannot.Fits = false
	loose := point("2", "write", "fast", "a", 1)
	loose.Limit, loose.Below, loose.Note = 0.5, 0.25, "the figure says 1, the text 1.5"
	over := point("3", "speedup", "fast", "a", 2)
	over.RelativeTo = "slow"
	p.Points = []study.Point{
		point("1", "time", "slow", "a", 10), point("1", "time", "fast", "a", 5),
		cannot, point("1", "time", "fast", "b", 8),
		point("2", "read", "fast", "a", 4), loose,
		over,
	}
	bars := func(figure, part string) func(study.Look) []study.Mark {
		return func(look study.Look) []study.Mark {
			var ms []study.Mark
			for _, x := range p.PointsOf(figure) {
				m := study.Mark{Panel: x.Of, Series: p.Called(x.System), System: x.System}
				if part != "" {
					m.Part = x.Quantity
				}
				m.Y, m.Fits, m.Known = look(x)
				ms = append(ms, m)
			}
			return ms
		}
	}
	p.Figures = []study.Figure{
		{ID: "1", Title: "Times", Kind: study.Bars, Axes: study.Axes{Y: "s"}, Marks: bars("1", "")},
		{ID: "2", Title: "Parts", Kind: study.Stacks, Marks: bars("2", "part"), Whole: true, Colors: map[string]string{"read": "ssd-in"}},
		{ID: "3", Title: "Speedup", Kind: study.Lines, Marks: bars("3", "")},
		{
			ID: "4", Title: "Sizes", Kind: study.Dots, Panels: []string{"B", "A"},
			Analyses: []study.Run{{Name: "look at a", Set: "work=a", Workload: "work=a"}, {Name: "look at b", Set: "work=b", Workload: "work=b"}},
		},
	}
	p.Claims = []study.Claim{
		{ID: "twice", Figure: "1", Stated: "2×", Lo: 1.95, Hi: 2.05, Unit: "×", Value: func(look study.Look, _ func(string) *study.Outcome) (float64, bool) {
			slow, _, known := look(&p.Points[0])
			fast, _, also := look(&p.Points[1])
			return slow / fast, known && also
		}},
		{ID: "size", Figure: "4", Stated: "3 GB", Lo: 2.5, Hi: 3.5, Unit: "GB", Value: func(_ study.Look, outcome func(string) *study.Outcome) (float64, bool) {
			return outcome("look at a").Value(0)
		}},
	}
	p.Why = func(r *study.Row) string {
		if r.System == "slow" && r.Status == study.Gap && !r.Rebuilt {
			return "slow is known to be off"
		}
		return ""
	}
	return p
}

// ran is the outcome of a run with these values, in the order of Of.
func ran(run string, values ...float64) study.Outcome {
	return study.Outcome{Run: run, Fits: true, Values: values}
}

const (
	slowA, fastA = "slow work=a mode=x", "fast work=a mode=x"
	slowB, fastB = "slow work=b mode=x", "fast work=b mode=x"
)

func TestInventedIsSound(t *testing.T) {
	p := invented()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		spoil func(p *study.Paper)
		want  string
	}{
		{func(p *study.Paper) { p.Figures[1].ID = "1" }, "two figures"},
		{func(p *study.Paper) { p.Figures[0].ID = study.AllClaims }, "taken"},
		{func(p *study.Paper) { p.Points[0].Figure = "9" }, "not there"},
		{func(p *study.Paper) { p.Points[0].System = "other" }, "does not list"},
		{func(p *study.Paper) { p.Points[6].RelativeTo = "other" }, "does not list"},
		{func(p *study.Paper) { delete(p.Names, "time") }, "no names"},
		{func(p *study.Paper) { p.Points[1] = p.Points[0] }, "twice"},
		{func(p *study.Paper) {
			p.Points[0].Source, p.Points[4].Source, p.Points[4].System = "t", "t", "slow"
			p.Points[4].Set = "?"
		}, "two setups"},
		{func(p *study.Paper) { p.Claims[0].Figure = "9" }, "of no figure"},
	} {
		p := invented()
		tt.spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("want an error about %q; got %v", tt.want, err)
		}
	}
}

// TestDoubted marks what is drawn of a doubted value, and of what is relative to it, and
// names its cells once a reason. Reasons of gaps alone are no doubts.
func TestDoubted(t *testing.T) {
	p := invented()
	p.Points[0].Note = "the run is short; " + study.Doubtful + "the text says 11"
	p.Points[3].Note = study.Doubtful + "the text says 11"
	p.Points[1].Note = "an input"
	p.Figures = append(p.Figures, study.Figure{ID: "raw", Kind: study.Lines, Marks: func(look study.Look) []study.Mark {
		slow, _, _ := look(&p.Points[0])
		fast, _, known := look(&p.Points[1])
		return []study.Mark{{Panel: "A", Y: slow / fast, Fits: true, Known: known}, {Panel: "B", Y: fast, Fits: true, Known: known && slow >= 0}}
	}})
	s, err := p.Sheet("1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range s.Drawing.Published {
		if m.Doubted != (i == 0 || i == 3) || s.Drawing.Ours[i].Doubted {
			t.Errorf("mark %d: %+v", i, m)
		}
	}
	if s.Drawing.Published[0].Y != 10 || !slices.Equal(s.Whys, []string{"? A Slow, B Fast: the text says 11."}) || !strings.Contains(s.Drawing.Describe(), "doubted") {
		t.Errorf("%v, %q, %q", s.Drawing.Published[0], s.Whys, s.Drawing.Describe())
	}
	if s, err = p.Sheet("raw", nil); err != nil || !s.Drawing.Published[0].Doubted || !s.Drawing.Published[1].Doubted {
		t.Errorf("made of a doubted value: %+v, %v", s.Drawing.Published, err)
	}
	if s, err = p.Sheet("3", nil); err != nil || s.Drawing.Published[0].Doubted || len(s.Whys) > 0 || strings.Contains(s.Drawing.Describe(), "doubted") {
		t.Errorf("%+v, %q, %v", s.Drawing.Published, s.Whys, err)
	}
	p.Why = func(r *study.Row) string { return r.Note }
	if s, err = p.Sheet("1", []study.Outcome{ran(slowA, 20, 20), ran(fastA, 9, 4, 1, 2)}); err != nil || !slices.Equal(s.Whys, []string{"The run is short.", "An input.", "? A Slow, B Fast: the text says 11."}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSentence(t *testing.T) {
	for _, tt := range [][3]string{
		{"A is faster than B by", "2×", "A is faster than B by 2×"},
		{"A takes up to, of its time in B,", "31.4×", "A takes up to, of its time in B, 31.4×"},
		{"Speedup of A over B (geometric mean)", "1.5×", "Speedup of A over B (geometric mean): 1.5×"},
		{"Those that A cannot run", "", "Those that A cannot run"},
	} {
		if c := (study.ClaimLine{Text: tt[0], Stated: tt[1]}); c.Sentence() != tt[2] {
			t.Errorf("%q; want %q", c.Sentence(), tt[2])
		}
	}
}

func TestLabel(t *testing.T) {
	for id, want := range map[string]string{"11": "Figure 11: X", "5b": "Figure 5b: X", "T2": "Table 2: X", "raw": "X", "T": "X", "Two": "X", study.AllClaims: "X"} {
		if got := study.Headed(id, "X"); got != want {
			t.Errorf("%s: %q; want %q", id, got, want)
		}
	}
}

// TestAside lists a number that nothing here computes: no run is made for it, no
// verdict judges it, and it says why.
func TestAside(t *testing.T) {
	p := invented()
	runs := len(p.Runs())
	aside := study.Point{Figure: "2", Quantity: "time", Of: "C", Fits: true, Value: 7, Unit: "s", NotComputed: "nobody has C"}
	p.Points = append(p.Points, aside)
	p.Figures = append(p.Figures, study.Figure{ID: "5", Kind: study.Table})
	p.Points = append(p.Points, aside)
	p.Points[8].Figure = "5"
	if err := p.Check(); err != nil || len(p.Runs()) != runs {
		t.Fatalf("%v, %d runs; want %d", err, len(p.Runs()), runs)
	}
	s, err := p.Sheet("2", []study.Outcome{ran(fastA, 5, 4, 1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	last, tally := s.Rows[len(s.Rows)-1], s.Tally
	if !last.Aside || last.Status != "" || last.Verdict != "not computed" || last.Why != "nobody has C" || last.Published != 7 || !slices.Contains(s.Whys, "Nobody has C.") {
		t.Errorf("%+v, %v", last, s.Whys)
	}
	if tally.Points != 3 || tally.Compared != 2 || tally.Aside != 1 || tally.Verdict != "exact; 1 not computed" || !tally.Good {
		t.Errorf("%+v", tally)
	}
	p.Figures[3].Kind = study.Table
	p.Points[8].Figure = "4" // with analyses, and nothing to compare
	p.Claims = p.Claims[:1]
	if s, err = p.Sheet("4", []study.Outcome{{Run: "look at a", Fits: true}, {Run: "look at b", Fits: true}}); err != nil || s.Tally.Verdict != "nothing to compare" || !s.Tally.Good {
		t.Errorf("%+v, %v", s.Tally, err)
	}
	p.Points[8].Figure = "5"
	if s, err = p.Sheet("5", nil); err != nil || s.Tally.Verdict != "not computed" || s.Tally.Good {
		t.Errorf("%+v, %v", s.Tally, err)
	}
	rows, err := p.Rows(study.AllClaims, nil)
	if c := p.Record(&rows[8]); err != nil || c.Ours != nil || *c.Published != 7 || c.Verdict != "not computed" || len(study.Unexpected(rows)) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	p.Points[8].System = "slow"
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "is not computed, and has a system") {
		t.Error(err)
	}
}

// TestAgain judges a number that another point has too, and counts it in its figure and
// not among all.
func TestAgain(t *testing.T) {
	p := invented()
	outcomes := []study.Outcome{ran(fastA, 5, 4, 1, 2)}
	tally := func(figure string) study.Tally {
		s, err := p.Sheet(figure, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		return s.Tally
	}
	figure, all := tally("2"), tally(study.AllClaims)
	p.Points[4].Duplicate = true
	figure.Again = 1
	if again := tally("2"); again != figure || again.Compared != 2 {
		t.Errorf("of its figure %+v; want %+v", again, figure)
	}
	if again := tally(study.AllClaims); again.Points != all.Points-1 || again.Compared != all.Compared-1 || again.Exact != all.Exact-1 {
		t.Errorf("of all %+v; want one less than %+v", again, all)
	}
	for i := range p.Points {
		p.Points[i].Note = study.Doubtful + "nobody looked"
	}
	if s, err := p.Sheet("1", nil); err != nil || !slices.Equal(s.Whys, []string{"? All: nobody looked."}) {
		t.Errorf("%q, %v", s.Whys, err)
	}
}

func TestRuns(t *testing.T) {
	p := invented()
	var got []string
	for _, r := range p.Runs() {
		got = append(got, r.Name+" -> "+strings.Join(r.Figures, " "))
	}
	want := []string{
		"look at a -> 4", "look at b -> 4",
		slowA + " -> 1 3", // also what the speedup of Figure 3 is over
		fastA + " -> 1 2 3", slowB + " -> 1", fastB + " -> 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("runs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var measured []string
	for _, x := range p.Of(slowA) {
		measured = append(measured, x.Figure+" "+x.Quantity)
	}
	if want := []string{"1 time", "3 speedup"}; !slices.Equal(measured, want) {
		t.Errorf("measured of slow: %q; want %q", measured, want)
	}
	if p.Of("slow nothing") != nil {
		t.Error("points of a run that is not there")
	}
	o := p.Outline()
	if f := o.Figures[2]; f.Name != "inv.3" || f.Points != 1 || !slices.Equal(f.Runs, []int{2, 3}) || o.Claims != 2 || o.Figures[0].Claims != 1 {
		t.Errorf("outline %+v", o)
	}
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		outcomes []study.Outcome
		rebuilt  bool
		row      int // index in Points
		want     study.Status
		verdict  string
		why      string
	}{
		{"nothing known", nil, false, 0, "", "not run", ""},
		{"exact", []study.Outcome{ran(slowA, 10, 1)}, false, 0, study.Exact, "exact", ""},
		{"within", []study.Outcome{ran(slowA, 10.05, 1)}, false, 0, study.Within, "within 1 %", ""},
		{"explained gap", []study.Outcome{ran(slowA, 12, 1)}, false, 0, study.Gap, "off", "slow is known to be off"},
		{"unexplained gap", []study.Outcome{ran(fastA, 6, 4, 1, 2)}, false, 1, study.Gap, "off", ""},
		{"a limit of its own", []study.Outcome{ran(fastA, 5, 4, 1.4, 2)}, false, 5, study.Within, "within 50 %", ""},
		{"beyond it", []study.Outcome{ran(fastA, 5, 4, 1.6, 2)}, false, 5, study.Gap, "off", ""},
		{"another limit below", []study.Outcome{ran(fastA, 5, 4, 0.8, 2)}, false, 5, study.Within, "within 25 %", ""},
		{"below that", []study.Outcome{ran(fastA, 5, 4, 0.7, 2)}, false, 5, study.Gap, "off", ""},
		{"neither fits", []study.Outcome{{Run: slowB}}, false, 2, study.Exact, "same: does not fit", ""},
		{"fits only here", []study.Outcome{ran(slowB, 3)}, false, 2, study.Gap, "runs only here", "slow is known to be off"},
		{"does not fit here", []study.Outcome{{Run: fastB, Reason: "too small"}}, false, 3, study.Gap, "does not fit here", "one of the two says that it does not fit: too small"},
		{"rebuilt", []study.Outcome{ran(slowA, 11.9, 1)}, true, 0, study.Within, "within 20 %", "rebuilt: invented files"},
		{"rebuilt, by chance the same", []study.Outcome{ran(slowA, 10, 1)}, true, 0, study.Within, "within 20 %", "rebuilt: invented files"},
		{"rebuilt, off", []study.Outcome{ran(slowA, 12.1, 1)}, true, 0, study.Gap, "off", "rebuilt: invented files"},
		// A part is measured against the sum, 5 here: 4.9 is off by 0.9 of 5.
		{"rebuilt part", []study.Outcome{ran(fastA, 5, 4.9, 1, 2)}, true, 4, study.Within, "within 20 %", "rebuilt: invented files"},
		{"rebuilt part, off", []study.Outcome{ran(fastA, 5, 5.1, 1, 2)}, true, 4, study.Gap, "off", "rebuilt: invented files"},
		{"not measured", []study.Outcome{ran(slowA, math.NaN(), 1)}, false, 0, "", "not run", ""},
		{"relative, half known", []study.Outcome{ran(fastA, 5, 4, 1, 30)}, false, 6, "", "not run", ""},
		{"relative", []study.Outcome{ran(fastA, 5, 4, 1, 30), ran(slowA, 10, 15)}, false, 6, study.Exact, "exact", ""},
		{"relative to what does not fit", []study.Outcome{ran(fastA, 5, 4, 1, 30), {Run: slowA, Reason: "full"}}, false, 6, study.Gap, "does not fit here", "one of the two says that it does not fit: full"},
	} {
		p := invented()
		for i := range tt.outcomes {
			tt.outcomes[i].Rebuilt = tt.rebuilt
		}
		rows, err := p.Rows(study.AllClaims, tt.outcomes)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		r := &rows[tt.row]
		if c := p.Record(r); r.Status != tt.want || c.Verdict != tt.verdict || r.Why != tt.why {
			t.Errorf("%s: %v, %q, %q; want %q, %q, %q", tt.name, r, c.Verdict, r.Why, tt.want, tt.verdict, tt.why)
		}
		unexpected := slices.ContainsFunc(study.Unexpected(rows), func(u study.Row) bool { return u.Point == r.Point })
		if want := tt.want == study.Gap && !strings.HasPrefix(tt.why, "slow"); unexpected != want {
			t.Errorf("%s: unexpected %v; want %v", tt.name, unexpected, want)
		}
	}
}

func TestJudge(t *testing.T) {
	faster := study.Claim{Lo: 1.035, Hi: 1.045, Even: 1}
	slower := study.Claim{Lo: 0.95, Hi: 0.97, Even: 1}
	most := study.Claim{Lo: 60, Hi: 100, Sharp: true}
	loss := study.Claim{Lo: -1, Hi: -0.5}
	for _, tt := range []struct {
		name  string
		claim study.Claim
		value float64
		want  study.Verdict
	}{
		{"the rounding", faster, 1.035, study.Holds},
		{"near", faster, 1.05, study.Near},
		{"twice the gain", faster, 1.08, study.Differs},
		{"far", faster, 1.4, study.Differs},
		{"the opposite, though near", faster, 0.9185, study.Differs},
		{"neither faster nor slower", faster, 1, study.Differs},
		{"slower, near", slower, 0.94, study.Near},
		{"twice the loss", slower, 0.9, study.Differs},
		{"faster instead of slower", slower, 1.01, study.Differs},
		{"a threshold met", most, 60, study.Holds},
		{"a threshold missed", most, 59.9, study.Differs},
		{"no turning point", loss, -0.45, study.Near},
	} {
		if got := tt.claim.Judge(tt.value, 0.25); got != tt.want {
			t.Errorf("%s: %v is %s; want %s", tt.name, tt.value, got, tt.want)
		}
	}
}

// The worst that is said of a figure decides: a claim that differs spoils points
// that agree.
func TestWorstClaimDecides(t *testing.T) {
	p := invented()
	p.Claims[0].Lo, p.Claims[0].Hi = 3, 3.1
	s, err := p.Sheet("1", []study.Outcome{ran(slowA, 10, 1), ran(fastA, 5, 4, 1, 2), {Run: slowB}, ran(fastB, 8)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Tally.Good || s.Tally.ClaimsGood || s.Tally.Verdict != "exact; claims that differ: 1 of 1" || s.Tally.ClaimVerdict != "0 of 1 hold, 1 differs" {
		t.Errorf("%+v", s.Tally)
	}
}

func TestWrongOutcomes(t *testing.T) {
	p := invented()
	for _, o := range []study.Outcome{ran("other work=a mode=x", 1), ran(slowA, 1, 2, 3), ran(slowA)} {
		if _, err := p.Sheet("1", []study.Outcome{o}); err == nil {
			t.Errorf("%+v was taken", o)
		}
		if _, _, err := p.Tallies([]study.Outcome{o}); err == nil {
			t.Errorf("%+v was counted", o)
		}
	}
	if _, err := p.Sheet("9", nil); err == nil || !strings.Contains(err.Error(), "there are 1, 2, 3, 4") {
		t.Errorf("an unknown figure: %v", err)
	}
}

// everything is what a run of everything may say, one run left out.
func everything() []study.Outcome {
	return []study.Outcome{
		ran(fastA, 5, 4.02, 1, 30), ran(slowA, 10.3, 15),
		{Run: slowB, Reason: "too large"},
		{Run: "look at a", Fits: true, Values: []float64{3}, Curves: []report.Curve{{Chart: "4", By: "A", Name: "Size", X: []float64{1}, Y: []float64{2}}}},
	}
}

func TestSheet(t *testing.T) {
	p := invented()
	s, err := p.Sheet("1", everything())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Rows) != 4 || s.Rows[0].Title != "Slow" || s.Rows[0].Quantity != "run time" || s.Rows[0].Of != "A" || s.Rows[3].Status != "" || s.Rows[3].Verdict != "not run" {
		t.Errorf("rows %+v", s.Rows)
	}
	if c := s.Claims[0]; len(s.Claims) != 1 || c.Published != 2 || !c.InPaper || c.Ours != 10.3/5 || c.Verdict != study.Near {
		t.Errorf("claims %+v", s.Claims)
	}
	tally := study.Tally{
		Runs: 4, Known: 3, Points: 4, Compared: 3, Exact: 2, Gap: 1, Claims: 1, Near: 1,
		Verdict: "3 of 4 runs", ClaimVerdict: "0 of 1 hold, 1 near", ClaimsGood: true,
	}
	if s.Tally != tally {
		t.Errorf("tally %+v; want %+v", s.Tally, tally)
	}
	if !slices.Equal(s.Whys, []string{"Slow is known to be off."}) || s.Note != "With the paper's own workloads, from the opened files." {
		t.Errorf("whys %q, note %q", s.Whys, s.Note)
	}
	d := &s.Drawing
	if !slices.Equal(d.Panels, []string{"A", "B"}) || !slices.Equal(d.Series, []study.Series{{Name: "Slow", System: "slow"}, {Name: "Fast", System: "fast"}}) || d.Parts != nil {
		t.Errorf("draws %v %v %v", d.Panels, d.Series, d.Parts)
	}
	if m := d.Ours[3]; m.Known || m.Fits || m.Y != 0 || d.Published[3].Y != 8 {
		t.Errorf("a run that is not known is drawn: %+v", m)
	}
	if m := d.Ours[2]; !m.Known || m.Fits {
		t.Errorf("a run that does not fit: %+v", m)
	}
	if want := "4 published values; 3 of them computed here, 2 of these the same."; !strings.HasPrefix(d.Describe(), want) {
		t.Errorf("%q", d.Describe())
	}
}

func TestSheetOfParts(t *testing.T) {
	s, err := invented().Sheet("2", everything())
	if err != nil {
		t.Fatal(err)
	}
	if want := []study.Series{{Name: "read", Color: "ssd-in"}, {Name: "write"}}; !slices.Equal(s.Drawing.Parts, want) || !s.Drawing.Whole {
		t.Errorf("parts %+v", s.Drawing.Parts)
	}
	if s.Tally.Verdict != "1 exact, 1 within 1 %" || !s.Tally.Good {
		t.Errorf("tally %+v", s.Tally)
	}
	if s.Rows[1].Note == "" {
		t.Error("a doubt about a published number is lost")
	}
}

func TestSheetOfAnalyses(t *testing.T) {
	p := invented()
	s, err := p.Sheet("4", everything())
	if err != nil {
		t.Fatal(err)
	}
	if d := &s.Drawing; !slices.Equal(d.Panels, []string{"B", "A"}) || len(d.Curves) != 1 || len(d.Series) != 1 || d.Series[0].Name != "Size" {
		t.Errorf("draws %+v", s.Drawing)
	}
	if s.Tally.Verdict != "1 of 2 runs" || s.Claims[0].Verdict != study.Holds || s.Claims[0].InPaper {
		t.Errorf("%+v, %+v", s.Tally, s.Claims)
	}
	s, err = p.Sheet("4", append(everything(), study.Outcome{Run: "look at b", Fits: true}))
	if err != nil || s.Tally.Verdict != "1 of 1 hold" || !s.Tally.Good {
		t.Errorf("%+v, %v", s.Tally, err)
	}
}

func TestRebuiltSheet(t *testing.T) {
	p := invented()
	os := everything()
	for i := range os {
		os[i].Rebuilt = os[i].Run != fastA
	}
	s, err := p.Sheet("3", os)
	if err != nil {
		t.Fatal(err)
	}
	if s.Tally.Verdict != "1 of 1 within 20 %" || s.Note != "1 of 2 runs with the paper's own workloads, from the opened files. The others: rebuilt: invented files." || !s.Rows[0].Rebuilt {
		t.Errorf("%+v, %q", s.Tally, s.Note)
	}
	if s, err = p.Sheet("4", os); err != nil || s.Note != "Rebuilt: invented files; tolerance 20 %." {
		t.Errorf("%q, %v", s.Note, err)
	}
}

func TestAllClaims(t *testing.T) {
	p := invented()
	s, err := p.Sheet(study.AllClaims, everything())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Claims) != 2 || s.Rows != nil || s.Tally.Points != len(p.Points) || s.Tally.Runs != 6 || s.Tally.Known != 4 {
		t.Errorf("%+v, %+v", s.Claims, s.Tally)
	}
	list, _, err := p.Tallies(everything())
	if err != nil || len(list) != 5 || list[4] != s.Tally {
		t.Errorf("tallies %+v, %v", list, err)
	}
}

func TestOutcome(t *testing.T) {
	p := invented()
	var read study.Reader[int, string]
	quantity := func(key string) (float64, bool) { return 7, key == "time" }
	o, err := read.Outcome(p, slowA, &report.Report{Fits: true}, quantity, "")
	if err != nil || len(o.Values) != 2 || o.Values[0] != 7 || !math.IsNaN(o.Values[1]) {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = read.Outcome(p, slowA, &report.Report{Reason: "full"}, quantity, ""); err != nil || o.Fits || o.Reason != "full" {
		t.Errorf("%+v, %v", o, err)
	}
	read.Measure = func([]study.Point, study.Values, string) []float64 { return []float64{1} }
	read.Curves = func(points []study.Point, raw string) []report.Curve { return []report.Curve{{Name: raw}} }
	if _, err := read.Outcome(p, slowA, &report.Report{Fits: true}, quantity, "raw"); err == nil {
		t.Error("one value for two points was taken")
	}
	if o, err = read.Outcome(p, slowB, &report.Report{Fits: true}, quantity, "raw"); err != nil || o.Curves[0].Name != "raw" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := read.Outcome(p, "nothing", &report.Report{Fits: true}, quantity, ""); err == nil {
		t.Error("an unknown run was measured")
	}
}

func TestRecords(t *testing.T) {
	p := invented()
	rows, err := p.Rows("1", everything())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range rows {
		text, err := json.Marshal(p.Record(&rows[i]))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	want := []string{
		`{"figure":"inv.1","of":"A","system":"slow","setting":"work=a mode=x","quantity":"time","unit":"s","published":10,"ours":10.3,"difference":0.030000000000000027,"limit":0.01,"status":"gap","verdict":"off","why":"slow is known to be off"}`,
		`{"figure":"inv.1","of":"A","system":"fast","setting":"work=a mode=x","quantity":"time","unit":"s","published":5,"ours":5,"difference":0,"limit":0.01,"status":"exact","verdict":"exact"}`,
		`{"figure":"inv.1","of":"B","system":"slow","setting":"work=b mode=x","quantity":"time","unit":"s","published":null,"ours":null,"difference":null,"limit":0.01,"status":"exact","verdict":"same: does not fit"}`,
		`{"figure":"inv.1","of":"B","system":"fast","setting":"work=b mode=x","quantity":"time","unit":"s","published":8,"ours":null,"difference":null,"limit":0.01,"status":"","verdict":"not run"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("records\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestProbes measures what a figure needs besides points: it is drawn and claimed,
// nothing is said to be published of it, and it is no row.
func TestProbes(t *testing.T) {
	p := invented()
	probe := study.Point{Figure: "3", Quantity: "time", System: "fast", Set: "work=a n=2", Of: "A", Unpublished: true}
	p.Probes = []study.Point{probe}
	p.Figures[2].Marks = func(look study.Look) []study.Mark {
		m := study.Mark{Panel: "A", Series: "two"}
		m.Y, m.Fits, m.Known = look(&probe)
		return []study.Mark{m}
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if got := p.Of(probe.Run()); len(got) != 1 || got[0] != probe {
		t.Fatalf("the probe's run measures %v", got)
	}
	sheet, err := p.Sheet("3", []study.Outcome{{Run: probe.Run(), Fits: true, Values: []float64{7}}})
	if err != nil {
		t.Fatal(err)
	}
	d := &sheet.Drawing
	if d.Published[0].Known || !d.Ours[0].Known || d.Ours[0].Y != 7 || len(sheet.Rows) != 1 || sheet.Tally.Known != 1 || sheet.Tally.Points != 1 {
		t.Errorf("%+v, %d rows, %+v", d, len(sheet.Rows), sheet.Tally)
	}
	if text := d.Describe(); !strings.HasPrefix(text, "Computed for A") {
		t.Error(text)
	}
	for _, spoil := range []func(x *study.Point){
		func(x *study.Point) { x.Unpublished = false },
		func(x *study.Point) { x.NotComputed = "not computed" },
		func(x *study.Point) { x.RelativeTo = "slow" },
		func(x *study.Point) { x.Figure = "9" },
		func(x *study.Point) { x.System = "nobody" },
	} {
		p.Probes[0] = probe
		spoil(&p.Probes[0])
		if p.Check() == nil {
			t.Errorf("nothing is wrong with %+v", p.Probes[0])
		}
	}
}

// Without originals there is nothing to be within the tolerance of stand-ins for.
func TestNoOriginals(t *testing.T) {
	p := invented()
	p.Originals = ""
	os := everything()
	for i := range os {
		os[i].Rebuilt = true
	}
	sheet, err := p.Sheet("3", os)
	if err != nil {
		t.Fatal(err)
	}
	if n := sheet.Tally.Compared; sheet.Note != "Rebuilt: invented files." || sheet.Tally.Verdict != fmt.Sprintf("%d of %d within their limits", n-sheet.Tally.Gap, n) {
		t.Errorf("%q, %+v", sheet.Note, sheet.Tally)
	}
}

// TestOtherSetup measures what is relative to another setup, of the same system too.
func TestOtherSetup(t *testing.T) {
	p := invented()
	x := &p.Points[6]
	x.RelativeTo, x.RelativeToSet = "fast", "work=a mode=y"
	const base = "fast work=a mode=y"
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if got := p.Of(base); len(got) != 1 || got[0].Quantity != "speedup" || got[0].Set != x.RelativeToSet || got[0].RelativeToSet != "" {
		t.Fatalf("its run measures %+v", got)
	}
	rows, err := p.Rows("3", []study.Outcome{ran(fastA, 5, 4, 1, 30), ran(base, 10)})
	if err != nil || rows[0].Ours != 3 {
		t.Errorf("%v, %v; want 3", rows[0].Ours, err)
	}
	x.RelativeTo = ""
	if p.Check() == nil {
		t.Error("relative to a setup of no system")
	}
}

// TestMade judges a number that is published over several runs: the mean of two probes.
func TestMade(t *testing.T) {
	p := invented()
	for _, work := range []string{"a", "b"} {
		p.Probes = append(p.Probes, study.Point{Figure: "3", Quantity: "time", System: "fast", Set: "work=" + work + " n=2", Of: work, Unpublished: true})
	}
	mean := &study.Derivation{Value: func(look study.Look) (float64, bool) {
		a, _, known := look(&p.Probes[0])
		b, _, also := look(&p.Probes[1])
		return (a + b) / 2, known && also
	}}
	p.Points = append(p.Points, study.Point{Figure: "3", Quantity: "time", System: "fast", Of: "mean", Fits: true, Value: 8, Limit: 0.3, Unit: "s", Derived: mean})
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	runs := len(invented().Runs()) + 2
	if got := len(p.Runs()); got != runs {
		t.Errorf("%d runs; want %d: what is made has none of its own", got, runs)
	}
	one := study.Outcome{Run: p.Probes[0].Run(), Fits: true, Values: []float64{7}, Rebuilt: true}
	two := study.Outcome{Run: p.Probes[1].Run(), Fits: true, Values: []float64{11}, Rebuilt: true}
	for _, tt := range []struct {
		outcomes []study.Outcome
		ours     float64
		want     study.Status
	}{
		{[]study.Outcome{one}, 0, ""},
		{[]study.Outcome{one, two}, 9, study.Within},
		{[]study.Outcome{one, {Run: two.Run, Fits: true, Values: []float64{17}}}, 12, study.Gap},
	} {
		rows, err := p.Rows("3", tt.outcomes)
		if err != nil {
			t.Fatal(err)
		}
		if r := &rows[len(rows)-1]; r.Status != tt.want || r.Status != "" && r.Ours != tt.ours {
			t.Errorf("%v of %v; want %q", r, tt.outcomes, tt.want)
		}
	}
	for _, spoil := range []func(x *study.Point){
		func(x *study.Point) { x.Set = "work=a" },
		func(x *study.Point) { x.System = "nobody" },
		func(x *study.Point) { x.Quantity = "nothing" },
		func(x *study.Point) { x.RelativeTo = "slow" },
	} {
		x := &p.Points[len(p.Points)-1]
		was := *x
		spoil(x)
		if p.Check() == nil {
			t.Errorf("nothing is wrong with %+v", x)
		}
		*x = was
	}
}
