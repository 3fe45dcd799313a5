package review_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"spillway/sim/study"
	"spillway/ui/lab/store"
	"spillway/ui/review"
)

// ravenstore is that paper with all of its runs done, or none.
func ravenstore(t *testing.T, done bool) review.Paper {
	t.Helper()
	l := store.New()
	p, err := l.Paper("ravenstore")
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []study.Outcome
	for _, r := range p.Runs() {
		o, _, err := l.Measure(p, r.Name, r.Set, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			outcomes = append(outcomes, *o)
		}
	}
	out := review.Paper{Outline: p.Outline()}
	for _, f := range p.Figures {
		s, err := p.Sheet(f.ID, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		out.Sheets = append(out.Sheets, s)
	}
	if out.All, err = p.Sheet(study.AllClaims, outcomes); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestHTML(t *testing.T) {
	p := ravenstore(t, true)
	text := review.HTML([]review.Paper{p}, review.Options{
		Version: "1 <2>", Environment: "a test", Link: func(f string) string { return "https://example.org/#" + f },
		Figure: func(s *study.Sheet) string { return "<svg><title>" + s.Figure + "</title></svg>" },
	})
	for _, want := range []string{
		"<title>Reproduced with Spillway: Ravenstore (2023)</title>", "1 &lt;2&gt;", "https://example.org/#ravenstore.T1", "<title>T2</title>",
		"✓ holds", "≈ within", review.Hash(&p), "prefers-color-scheme:dark", "@media print",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	want := 1 + 1 + 1 + len(p.All.Claims) // the summary and the claims with their heads
	for _, s := range p.Sheets {
		if len(s.Rows) > 0 {
			want += 1 + len(s.Rows)
		}
	}
	if n := strings.Count(text, "<tr>"); n != want || n < 1+1+1+1+12 {
		t.Errorf("%d rows, want %d", n, want)
	}
	if regexp.MustCompile(`<script|javascript:|\son\w+=|(src|href)="?http`).MatchString(text) {
		t.Error("it has a script, or asks for something")
	}
	// Its elements are nested as they should be: as XML, but for what is never closed.
	strict := regexp.MustCompile(`<(meta [^>]*)>`).ReplaceAllString(strings.TrimPrefix(text, "<!doctype html>"), "<$1/>")
	d := xml.NewDecoder(strings.NewReader(strict))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Dollars stand before the number.
func TestDollars(t *testing.T) {
	p := review.Paper{Outline: &study.Outline{}, All: &study.Sheet{}, Sheets: []*study.Sheet{{Rows: []study.Line{{Unit: "$", Published: 84140, Fits: true}}}}}
	if text := review.HTML([]review.Paper{p}, review.Options{}); !strings.Contains(text, "$84,140") || strings.Contains(text, "84140 $") {
		t.Errorf("the report says %s", text)
	}
}

func TestNothingRun(t *testing.T) {
	done, none := ravenstore(t, true), ravenstore(t, false)
	text := review.HTML([]review.Paper{none, done}, review.Options{})
	if !strings.Contains(text, "not run") || !strings.Contains(text, "Spillway: what was reproduced") || !strings.Contains(text, "version unknown") {
		t.Error("it does not say that nothing was run")
	}
	if review.Hash(&done) == review.Hash(&none) {
		t.Error("the hash is the same with and without numbers")
	}
}

// Counts stand with all of their digits.
func TestCounts(t *testing.T) {
	l := study.Line{Of: "x", Fits: true, OursFits: true, Published: 23580112345, Ours: 1.5, Unit: "cycles", Status: study.Gap, Verdict: "off", Diff: -1}
	text := review.HTML([]review.Paper{{Outline: &study.Outline{}, Sheets: []*study.Sheet{{Rows: []study.Line{l}}}, All: &study.Sheet{}}}, review.Options{})
	for _, want := range []string{"23\u202f580\u202f112\u202f345 cycles", "1.5 cycles", "-100 %", "≠ off"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
}

// What is left is said: nothing, or what has not run; and a certificate has what a reviewer asks for.
func TestRemains(t *testing.T) {
	done, begun := ravenstore(t, true), ravenstore(t, false)
	if text := review.Remains(&done, "1"); !strings.Contains(text, "12 of 12 runs are done") || !strings.HasSuffix(text, "What is left:\n\n- Nothing.\n") || !strings.Contains(text, review.Hash(&done)) {
		t.Error(text)
	}
	if text := review.Remains(&begun, ""); !strings.Contains(text, "Version unknown.") || !strings.Contains(text, "- 12 runs.\n") || !regexp.MustCompile(`(?m)^- \d+ published numbers, with which nothing here can be compared\.$`).MatchString(text) {
		t.Error(text)
	}
}

func TestCertify(t *testing.T) {
	c := review.Certificate{
		Name: "<x>.zip", Finding: "differs", Class: "warn", Says: "1 of 30 parts differs.", Hash: "abc", Lab: "store", Setup: "workload=pairs",
		Checked: "spillway 1 go1 linux/amd64", Time: "2026-01-02T03:04:05Z", Damaged: []string{"README.md: cut & off"},
	}
	for range 30 {
		c.Parts = append(c.Parts, review.Part{Name: "LRU", Finding: "differs", Class: "warn", Says: "time"})
	}
	text := review.Certify(&c)
	for _, want := range []string{
		"<title>Check of &lt;x&gt;.zip</title>", `<p class="warn">Verdict: differs. 1 of 30 parts differs.</p>`, ">abc<", ">unknown<", "spillway 1 go1 linux/amd64", "2026-01-02T03:04:05Z",
		"Damaged: README.md: cut &amp; off", "And 6 more.", "default-src 'none'",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in %s", want, text)
		}
	}
}

// What differs is on a certificate, however many parts it has.
func TestCertificateNamesWhatDiffers(t *testing.T) {
	c := review.Certificate{Name: "x", Finding: "differs", Class: "warn", Says: "1 of 60 parts differs."}
	for i := range 60 {
		p := review.Part{Name: fmt.Sprintf("run %d", i), Finding: "agrees", Class: "ok"}
		if i == 50 {
			p.Finding, p.Class = "differs", "warn"
		}
		c.Parts = append(c.Parts, p)
	}
	if text := review.Certify(&c); !strings.Contains(text, "run 50<") || c.Parts[50].Finding != "differs" {
		t.Error("the part that differs is left out, or the parts are in another order")
	}
}
