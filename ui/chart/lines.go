package chart

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"spillway/sim/study"
)

// A ClaimRow is a row of the table of claims.
type ClaimRow struct{ Text, Stated, Published, Ours, Verdict, Class string }

// ClaimOf is a claim as the table shows it.
func ClaimOf(l *study.ClaimLine) ClaimRow {
	value := func(v float64, known bool) string {
		if !known {
			return "–"
		}
		return With(Digits(v, 4), l.Unit)
	}
	r := ClaimRow{
		Text: strings.TrimSpace(l.Sentence() + " (" + l.Section + "). " + l.Beside), Stated: l.Stated,
		Published: value(l.Published, l.InPaper), Ours: value(l.Ours, l.Known), Verdict: string(l.Verdict), Class: "none",
	}
	switch {
	case !l.Known:
		r.Verdict = "not run"
	case l.Verdict == study.Differs:
		r.Class = "warn"
	default:
		r.Class = "ok"
	}
	return r
}

// valueDigits is how many digits values have that are not counted.
const valueDigits = 6

// lineValue prints a value in its unit.
func lineValue(v float64, fits bool, unit string) string {
	switch {
	case !fits:
		return Unfit
	case unit == "cycles" || unit == "pages":
		return Count(int64(v))
	}
	return Digits(v, valueDigits)
}

// A LineRow is a published number and ours beside it, as the page shows it.
type LineRow struct {
	About, System, Quantity           string
	Published, Ours, Unit, Difference string
	Verdict, Why                      string
	Class                             string
	Opens                             bool // a run yields it
}

// LineOf is a line of a figure as the page shows it.
func LineOf(l *study.Line) LineRow {
	r := LineRow{
		About: l.Of, System: l.Title, Quantity: l.Quantity, Published: lineValue(l.Published, l.Fits, l.Unit), Ours: "–", Unit: l.Unit,
		Verdict: l.Verdict, Why: strings.TrimSpace(l.Why + " " + l.Note), Class: string(l.Status), Opens: !l.Aside,
	}
	if l.At != "" {
		r.About += ", " + l.At
	}
	if l.Status != "" {
		r.Ours = lineValue(l.Ours, l.OursFits, l.Unit)
		if l.Fits && l.OursFits {
			r.Difference = relative(l.Diff)
		}
	}
	if study.Doubt(l.Note) != "" {
		r.Published += " " + Doubted
	}
	return r
}

// relative prints a relative difference in percent.
func relative(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x > 0:
		return "+" + Digits(100*x, 3) + " %"
	}
	return Digits(100*x, 3) + " %"
}

// Counted says how many numbers of a figure were published, and what came out of comparing them.
func Counted(s *study.Sheet) string {
	t := &s.Tally
	if t.Points == 0 {
		return ""
	}
	numbers := "numbers"
	if t.Points == 1 {
		numbers = "number"
	}
	text := fmt.Sprintf("%d published %s; %d compared: %d exact, %d within their limit, %d off.", t.Points, numbers, t.Compared, t.Exact, t.Within, t.Gap)
	if t.Again == t.Points {
		text = fmt.Sprintf("Numbers that other figures count, compared %d times: %d exact, %d within their limit, %d off.", t.Compared, t.Exact, t.Within, t.Gap)
	}
	if t.Aside > 0 {
		text += fmt.Sprintf(" Not computed here: %d.", t.Aside)
	}
	return text
}

// SheetCSV returns a figure's numbers, or all claims.
func SheetCSV(s *study.Sheet) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	num := func(v float64, known bool) string {
		if !known {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	fit := func(v float64, fits bool) string {
		if !fits {
			return "does-not-fit"
		}
		return num(v, true)
	}
	var table [][]string
	if s.Figure == study.AllClaims {
		table = append(table, []string{"figure", "section", "claim", "stated", "published_values_give", "ours", "unit", "verdict", "beside"})
		for _, l := range s.Claims {
			table = append(table, []string{l.Figure, l.Section, l.Text, l.Stated, num(l.Published, l.InPaper), num(l.Ours, l.Known), l.Unit, string(l.Verdict), l.Beside})
		}
	} else {
		table = append(table, []string{"figure", "about", "at", "system", "quantity", "unit", "published", "ours", "relative_difference", "verdict", "rebuilt", "explanation", "note", "setup", "source"})
		for _, r := range s.Rows {
			ours := ""
			if r.Status != "" {
				ours = fit(r.Ours, r.OursFits)
			}
			table = append(table, []string{
				s.Paper + "." + s.Figure, r.Of, r.At, r.System, r.Quantity, r.Unit, fit(r.Published, r.Fits), ours, num(r.Diff, r.Status != "" && r.Fits && r.OursFits),
				r.Verdict, strconv.FormatBool(r.Rebuilt), r.Why, r.Note, r.Set, r.Source,
			})
		}
	}
	_ = w.WriteAll(table) // a Builder takes everything
	return b.String()
}
