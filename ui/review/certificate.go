package review

import (
	"slices"
	"strconv"
)

// A Certificate is what a check of a bundle, or of results, found: one page for a review.
type Certificate struct {
	Name string // of the file that was checked
	// Finding is the verdict, Class its color: "ok", "warn" or "bad"; Says counts the parts.
	Finding, Class, Says string
	// Hash is that of all that the file has: of a bundle the root of its manifest, else of its
	// bytes. It may be empty.
	Hash    string
	Lab     string
	Paper   string // empty if it is of none
	Setup   string
	Written string // the version that wrote it, and the program that checked it
	Checked string
	Time    string // when, in UTC
	Damaged []string
	Parts   []Part
}

// A Part of what was checked.
type Part struct{ Name, Finding, Class, Says string }

// mostParts is how many parts a page has room for.
const mostParts = 24

// Certify writes the certificate as HTML.
func Certify(c *Certificate) string {
	w := &writer{}
	title := "Check of " + c.Name
	w.begin(title)
	w.element("h1", "", title)
	w.element("p", `class="`+c.Class+`"`, "Verdict: "+c.Finding+". "+c.Says)
	what := "paper " + c.Paper
	if c.Paper == "" {
		what = c.Setup
	}
	var rows [][]cell
	for _, x := range [][2]string{
		{"Laboratory", c.Lab}, {"Of", what}, {"SHA-256", c.Hash}, {"Written by version", orUnknown(c.Written)}, {"Checked by", c.Checked}, {"Checked at", c.Time},
	} {
		if x[1] != "" {
			rows = append(rows, []cell{{"", x[0]}, {"w", x[1]}})
		}
	}
	w.table("What was checked", []string{"Fact", "Value"}, rows)
	for _, text := range c.Damaged {
		w.element("p", `class="bad"`, "Damaged: "+text)
	}
	parts := slices.Clone(c.Parts)
	if len(parts) > mostParts { // what is wrong comes first, that it is not left out
		rank := map[string]int{"bad": 0, "warn": 1, "ok": 2}
		slices.SortStableFunc(parts, func(a, b Part) int { return rank[a.Class] - rank[b.Class] })
	}
	rows = nil
	left := 0
	for i := range parts {
		if p := &parts[i]; len(rows) < mostParts {
			rows = append(rows, []cell{{"", p.Name}, {p.Class, p.Finding}, {"w", p.Says}})
		} else {
			left++
		}
	}
	w.table("Parts, each computed again", []string{"Part", "Finding", "Says"}, rows)
	if left > 0 {
		w.element("p", "", "And "+strconv.Itoa(left)+" more.")
	}
	w.element("p", `class="weak"`, "Replayed: identical to the last byte. Agrees: not identical, but every value as near as its tolerance says. To check it again: spillway check "+c.Name+", or drop it on any Spillway. Nobody has signed this page.")
	w.raw("</main>\n</body>\n</html>\n")
	return w.b.String()
}
