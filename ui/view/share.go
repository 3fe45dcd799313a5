package view

import (
	"slices"
	"strings"

	"spillway/ui/chart"
)

// A Shared is what can be said of what is shown to those who shall see it
// elsewhere.
type Shared struct {
	Link   string // the fragment
	Lab    string // the laboratory's title
	About  string // workload and settings in a line
	Charts []chart.View
	Papers []string // of the compared systems
	// Entries are those of opened files that it needs, which no link carries.
	Entries []string
}

// Shared returns what the share dialog shows, nil before there is a laboratory.
func (a *App) Shared() *Shared {
	if a.Laboratory == nil {
		return nil
	}
	s := &Shared{Link: a.Link(), Lab: a.Info.Title, About: a.Note(), Charts: a.Charts(), Entries: a.Needs()}
	for i := range a.Info.Systems {
		x := &a.Info.Systems[i]
		paper, _, _ := strings.Cut(x.Paper, ", §") // the whole of it is cited
		if a.Compares(x.Name) && paper != "" && !slices.Contains(s.Papers, paper) {
			s.Papers = append(s.Papers, paper)
		}
	}
	return s
}
