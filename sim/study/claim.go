package study

import "math"

// A Claim is a number that the text of a paper states, computed again from the
// values that a figure shows.
type Claim struct {
	ID      string
	Figure  string // whose values it is computed from
	Section string // of the paper that states it
	Text    string // what is claimed, in our words
	Stated  string // the number as the paper prints it
	// Lo and Hi bound the values that agree with Stated: its rounding, or the
	// range that it gives.
	Lo, Hi float64
	Unit   string // "×", "%", "GB", "µs"
	// Sharp says that Stated is a threshold or a range: what misses it differs,
	// however little.
	Sharp bool
	// Even, if not 0, is where the statement turns into its opposite: 1 for "so many
	// times as fast". A value on its other side differs, however near, and how far a value may
	// be off is a share of what is beyond Even: 1.06 is not near 1.12, half of whose gain it has.
	Even float64
	// Beside is what must stand next to the value wherever it is shown, as that it
	// hangs on a number that nobody knows; may be empty.
	Beside string
	// Value computes the claim from the values that look finds; known is false as
	// long as one is missing. Of a claim about analyses, outcome finds them.
	Value func(look Look, outcome func(run string) *Outcome) (value float64, known bool)
}

// A Verdict says how a value agrees with a claim.
type Verdict string

// The verdicts on claims.
const (
	Holds   Verdict = "holds"   // to the rounding of the stated number, or within the stated range
	Near    Verdict = "near"    // off by at most the tolerance, of the gain where there is one, and says the same
	Differs Verdict = "differs" // farther off, a threshold missed, or the opposite said
)

// Judge says how value agrees with the number that the paper states.
func (c *Claim) Judge(value, tolerance float64) Verdict {
	switch {
	case value >= c.Lo && value <= c.Hi:
		return Holds
	case c.Sharp, c.Even != 0 && ((c.Lo > c.Even) != (value > c.Even)):
		return Differs
	case value >= c.Lo-float64(tolerance*math.Abs(c.Lo-c.Even)) && value <= c.Hi+float64(tolerance*math.Abs(c.Hi-c.Even)):
		return Near
	}
	return Differs
}

// Published computes the claim from the values that its paper published; known
// is false when these do not say.
func (c *Claim) Published() (value float64, known bool) {
	return c.Value(Published, func(string) *Outcome { return nil })
}
