package model

import (
	"fmt"
	"slices"
	"strings"
)

// Headline says who wins and why, in one or two sentences made from the run.
func (n *Session) Headline() string {
	var done, refused []*Run
	waiting := 0
	for _, r := range n.visible() {
		switch {
		case r.Active() || r.Stale:
			waiting++
		case r.Shown() && !n.Bound(r):
			done = append(done, r)
		case r.Result != nil && !r.Result.Fits:
			refused = append(refused, r)
		}
	}
	if len(done) == 0 {
		return n.noWinner(waiting, refused)
	}
	slices.SortStableFunc(done, func(a, b *Run) int {
		switch pa, pb := performance(a.Result), performance(b.Result); {
		case pa > pb:
			return -1
		case pa < pb:
			return 1
		}
		return 0
	})
	s := n.winner(done)
	if len(refused) > 0 {
		s += fmt.Sprintf(" %s cannot run it.", list(refused))
	}
	if waiting > 0 {
		s = "So far: " + s
	}
	return s
}

func (n *Session) noWinner(waiting int, refused []*Run) string {
	switch {
	case waiting > 0 && n.Blocked() != "":
		return "Not computed; the message above says why."
	case waiting > 0:
		return "Computing…"
	case len(refused) > 0:
		return fmt.Sprintf("%s cannot run this workload on this hardware.", list(refused))
	case len(n.visible()) == 0:
		return "No system is selected."
	}
	return "No system has a result to compare."
}

func (n *Session) winner(done []*Run) string {
	best, last := done[0], done[len(done)-1]
	p := performance(best.Result)
	if p > 0.9995 {
		var ties []*Run
		for _, r := range done {
			if performance(r.Result) > 0.9995 {
				ties = append(ties, r)
			}
		}
		if len(ties) == len(done) {
			return fmt.Sprintf("%s: as fast as a GPU that holds everything.", list(ties))
		}
		return fmt.Sprintf("%s: as fast as a GPU that holds everything, %s.", list(ties), times(best, last))
	}
	s := fmt.Sprintf("%s is fastest, at %s of ideal throughput", best.System.Title, percent(p, 1))
	if len(done) > 1 {
		s += ", " + times(best, done[1])
		if len(done) > 2 {
			s += " and " + times(best, last)
		}
	}
	cause, share := worst(best.Result)
	if share > 0 {
		s += fmt.Sprintf(". What it still loses is mostly %s (%s of its time beyond ideal)", cause, percent(share, 1))
	}
	return s + "."
}

// times says how much faster a is than b.
func times(a, b *Run) string {
	ratio := performance(a.Result) / performance(b.Result)
	if ratio < 1.005 {
		return "level with " + b.System.Title
	}
	return fmt.Sprintf("%s× as fast as %s", digits(ratio, 3), b.System.Title)
}

// list names systems.
func list(rs []*Run) string {
	ts := names(rs)
	if len(ts) == 1 {
		return ts[0]
	}
	return strings.Join(ts[:len(ts)-1], ", ") + " and " + ts[len(ts)-1]
}
