package llm

import (
	"math"

	core "spillway/sim/llm"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// day is its seconds, year its days.
const (
	day  = 24 * 3600
	year = 365
)

// drivesOf is how many drives a node has.
func drivesOf(c *machine.Config) int64 { return c.Drives * c.GPUs }

// lives is how many days the drives live that are written most, none if none is written.
func lives(r *core.Result) float64 {
	n := r.DriveLife()
	if n == math.MaxInt64 || !r.Ran() {
		return report.None()
	}
	return float64(n) / 1000
}

// worn is what drives cost in an iteration, in dollars, besides what their price is spread over
// the machine's years: they are replaced when they are worn out.
func worn(r *core.Result) float64 {
	c := &r.Node.Config
	own := float64(c.Prices.Years) * year
	days := lives(r)
	if math.IsNaN(days) || days >= own && own > 0 {
		return 0
	}
	perDay := 1 / max(days, 1e-6)
	if own > 0 {
		perDay -= 1 / own
	}
	return float64(drivesOf(c)*c.Drive.Cents) / 100 * perDay * inSeconds(r.Time) / day
}

// dollars is what an iteration costs: electricity, the machine over its years, and drives.
func dollars(r *core.Result) float64 { return float64(r.Cost())/1e9 + worn(r) }

// inSeconds is a time as a number.
func inSeconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// A share says what of a GPU's memory kernels use.
type share struct{ mean, most float64 }

// active is what the running kernel's tensors take of a GPU's memory.
func (r *result) active() share {
	if r.Job == nil {
		return share{report.None(), report.None()}
	}
	if r.used == nil {
		mean, most := core.Active(r.Job)
		r.used = &share{float64(mean) / 1e6, float64(most) / 1e6}
	}
	return *r.used
}
