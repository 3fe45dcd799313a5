package model

import "spillway/sim/report"

// A Seed is what was computed when the site was built: reports of what the page
// opens on. They stand until the visitor's own computer has computed the same.
type Seed struct {
	Lab  string // stable name of the laboratory
	Runs []Sown
}

// A Sown is one report of a seed. Key names the run as Room does.
type Sown struct {
	Key    string
	Report *report.Report
}

// Sow gives the session a seed.
func (n *Session) Sow(s *Seed) { n.seed = s }

// sown returns the report that the site came with, or nil.
func (n *Session) sown(lab, key string) *report.Report {
	if n.seed == nil || n.seed.Lab != lab {
		return nil
	}
	for i := range n.seed.Runs {
		if n.seed.Runs[i].Key == key {
			return n.seed.Runs[i].Report
		}
	}
	return nil
}

// Harvest returns the finished runs of the room that is shown as a seed.
func (n *Session) Harvest() *Seed {
	s := &Seed{Lab: n.Info.Name}
	for i := range n.Runs {
		if x := &n.Runs[i]; x.Report != nil && !x.Stale {
			s.Runs = append(s.Runs, Sown{x.key, x.Report})
		}
	}
	return s
}
