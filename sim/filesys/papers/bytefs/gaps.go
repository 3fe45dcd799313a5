package bytefs

import (
	"strconv"
	"strings"

	"spillway/sim/study"
)

// A gap is a number that this laboratory does not reach, as recorded in gaps.csv. Any
// other gap, and this one with another value, is not as recorded.
type gap struct{ figure, system, of, at, quantity, ours string }

// short is a value as gaps.csv has it: three digits.
func short(value float64) string { return strconv.FormatFloat(value, 'g', 3, 64) }

// gapOf is the gap that a row shows.
func gapOf(r *study.Row) gap {
	return gap{r.Figure, r.System, r.Of, r.At, r.Quantity, short(r.Ours)}
}

// recorded are the gaps of gaps.csv.
func recorded() map[gap]bool {
	all := map[gap]bool{}
	for _, f := range table("gaps.csv") {
		all[gap{f[0], f[1], f[2], f[3], f[4], f[5]}] = true
	}
	return all
}

// why explains a gap by its reason, if it is recorded with the value that it has.
func why(known map[gap]bool) func(r *study.Row) string {
	return func(r *study.Row) string {
		if r.Status == study.Gap && known[gapOf(r)] {
			return reason(r)
		}
		return ""
	}
}

// Why published numbers are doubted.
const (
	doubtful   = study.Doubtful
	secondHand = "known from a third party's notes on the paper alone, and not compared with it"
	early      = "an early development version on other rules, and no result of the paper"
)

// A cause is why numbers are not reached: those of the figures, workload, place, quantity
// and system that it names; what is empty is any, but a figure.
type cause struct {
	figures                  string // separated by spaces
	of, at, quantity, system string // of and at: what they begin with
	why                      string
}

func (c *cause) match(p *study.Point) bool {
	return strings.Contains(" "+c.figures+" ", " "+p.Figure+" ") && strings.HasPrefix(p.Of, c.of) && strings.HasPrefix(p.At, c.at) &&
		(c.quantity == "" || c.quantity == p.Quantity) && (c.system == "" || c.system == p.System)
}

// reason is why a number is not reached, "" if nobody knows.
func reason(r *study.Row) string {
	for i := range causes {
		if c := &causes[i]; c.match(r.Point) {
			return c.why
		}
	}
	return ""
}

// causes are why numbers are not reached, the first that is about one.
var causes = []cause{}
