package lab

import "fmt"

// MostSteps is how much work one run may be. A step is what takes about 2.5 µs natively, so
// that the largest take some minutes in a page.
const MostSteps = 50_000_000

// Much is the error of a run that is too much work to begin.
type Much struct {
	System string // its title
	Steps  int    // at least so many
	Less   string // what would make it less
}

// Error implements error.
func (m *Much) Error() string {
	return fmt.Sprintf("%s would be about %s million steps of work here, and a run may have %d million, which take some minutes. %s", m.System, millions(m.Steps), MostSteps/1_000_000, m.Less)
}

// millions is a number of steps in millions.
func millions(n int) string {
	if n >= mostCounted {
		return "more than " + fmt.Sprint(mostCounted/1_000_000)
	}
	return fmt.Sprint((n + 999_999) / 1_000_000)
}

// mostCounted is up to what steps are counted.
const mostCounted = 1 << 50

// Steps makes a number of steps of a product of what costs: what is more than anybody would
// wait for is not told apart.
func Steps(factors ...float64) int {
	n := 1.0
	for _, f := range factors {
		n *= f
	}
	if !(n < mostCounted) {
		return mostCounted
	}
	return int(n)
}
