package question

import (
	"fmt"
	"slices"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model/state"
)

// score says what the policy at hand scores, where the question is the laboratory's challenge: its
// fixed set of workloads, with nothing else set but the policy. Empty of any other question, and as
// long as runs are missing.
func (c *Shown) score() string {
	h, axes := c.room.Info.Challenge, c.vary.Axes()
	if h == nil || c.Kind() != state.Vary || c.Progress.Known < c.Progress.All || len(axes) != 1 || axes[0].Knob.Key != h.Vary || !slices.Equal(axes[0].Texts, h.Workloads) || c.asked().Key != h.Quantity || !c.plain(h) {
		return ""
	}
	best := c.room.Info.Floor.Known
	mean := func(system string) float64 {
		sum := 0.0
		for i := range axes[0].Texts {
			sum += c.vary.At(system, i, 0).Value / c.vary.At(best, i, 0).Value
		}
		return sum / float64(len(h.Workloads))
	}
	says := ""
	for _, x := range c.Compared() {
		v := mean(x.Name)
		switch {
		case v != v || x.Bound || x.Name == best:
		case x.Follows != "":
			says = fmt.Sprintf("Score of %s: %.4f, the mean of its times over those of the best known; less is better. ", x.Title, v) + says
		default:
			says += fmt.Sprintf("%s has %.4f. ", x.Title, v)
		}
	}
	return says
}

// plain reports whether nothing is set but what a challenge leaves free.
func (c *Shown) plain(h *lab.Challenge) bool {
	info := c.room.Info
	script := info.Script()
	if script == nil {
		return false
	}
	for _, d := range knob.Differ(state.SetupOf(info, h.Setup), c.room.State.Setup) {
		if d.Knob.Panel != script.Panel && d.Knob.Key != h.Vary {
			return false
		}
	}
	return true
}
