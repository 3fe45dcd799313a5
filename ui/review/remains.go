package review

import (
	"fmt"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/study"
)

// Files are what there is to keep of a reproduction, as name and content, in order: what is left,
// the report, each figure's numbers and drawing, the bundle, if there is one, and references. csv
// writes a sheet; o.Figure draws one.
func Files(p *Paper, o Options, csv func(*study.Sheet) string) [][2]string {
	key := p.Outline.Key
	check := "To check it: spillway check " + key + bundleExt + "."
	if o.Bundle == nil {
		check = "There is no bundle: " + o.Unbound + "."
	}
	list := [][2]string{{"README.md", Remains(p, o.Version) + "\n" + check + "\n"}, {"report.html", HTML([]Paper{*p}, o)}, {"tables/claims.csv", csv(p.All)}}
	for _, s := range p.Sheets {
		list = append(list, [2]string{"tables/" + s.Figure + ".csv", csv(s)})
		if svg := o.Figure(s); svg != "" {
			list = append(list, [2]string{"figures/" + s.Figure + ".svg", svg})
		}
	}
	if o.Bundle != nil {
		list = append(list, [2]string{key + bundleExt, string(o.Bundle)})
	}
	return append(list, [2]string{"references.bib", o.References})
}

// bundleExt ends the name of a bundle's file, as everywhere.
const bundleExt = ".spillway.zip"

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
		say("%s.", prose.Count(n, "run"))
	}
	if o.Standing != "" {
		say("The paper's own workloads, in whose place are bundled ones: %s.", o.Standing)
	}
	if n := t.Points - t.Compared; n > 0 {
		say("%s, with which nothing here can be compared.", prose.Count(n, "published number"))
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
