package review

import (
	"fmt"
	"strings"

	"spillway/sim/study"
)

// Remains says what came out of a paper, and what is left, as Markdown.
func Remains(p *Paper, version string) string {
	o, t := p.Outline, &p.All.Tally
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, reproduced with Spillway\n\n", o.Short)
	fmt.Fprintf(&b, "Version %s. SHA-256 of all numbers as computed: %s.\n\n", orUnknown(version), Hash(p))
	fmt.Fprintf(&b, "- %d of %d runs are done.\n- Of %d published numbers %d were compared: %d exact, %d within their tolerance, %d off.\n- Of %d claims %d hold, %d are near, %d differ.\n",
		t.Known, t.Runs, t.Points, t.Compared, t.Exact, t.Within, t.Gap, t.Claims, t.Holds, t.Near, t.Differs)
	b.WriteString("\nWhat is left:\n\n")
	left := 0
	say := func(format string, a ...any) {
		left++
		fmt.Fprintf(&b, "- "+format+"\n", a...)
	}
	if n := t.Runs - t.Known; n > 0 {
		say("%d runs.", n)
	}
	if o.Standing != "" {
		say("The paper's own workloads, in whose place are bundled ones: %s.", o.Standing)
	}
	if n := t.Points - t.Compared; n > 0 {
		say("%d published numbers, with which nothing here can be compared.", n)
	}
	for _, s := range p.Sheets {
		if n := s.Tally.Gap; n > 0 {
			say("%s: %d of %d numbers are off; report.html and tables/%s.csv say which, and why where it is known.", study.Headed(s.Figure, s.Title), n, s.Tally.Points, s.Figure)
		}
	}
	for i := range p.All.Claims {
		if c := &p.All.Claims[i]; c.Known && c.Verdict == study.Differs {
			say("A claim that differs: %s.", c.Sentence())
		}
	}
	if left == 0 {
		b.WriteString("- Nothing.\n")
	}
	return b.String()
}
