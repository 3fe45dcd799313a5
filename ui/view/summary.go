package view

import (
	"slices"
	"strings"

	"github.com/vugu/vugu"

	"spillway/ui/chart"
	"spillway/ui/model/runs"
)

// Summary says who wins and how the runs stand.
type Summary struct {
	*App
	baseline vugu.Builder
}

func (c *Summary) headline() string {
	c.fresh()
	if c.Runs.Blocked() != "" && !c.results() {
		return "Not computed; the message above says why."
	}
	if c.before != "" {
		return c.before
	}
	return chart.Headline(c.Info, c.runs)
}

// results reports whether there are any of these settings.
func (c *Summary) results() bool {
	for i := range c.Runs.List {
		if r := &c.Runs.List[i]; r.On && r.Report != nil && !r.Stale {
			return true
		}
	}
	return false
}

// caveat is what decides who wins besides the systems, each once.
func (c *Summary) caveat() string {
	var list []string
	for i := range c.Runs.List {
		r := &c.Runs.List[i]
		if !r.On || r.Report == nil || r.Stale && !c.Runs.Active() {
			continue
		}
		for _, text := range r.Report.Caveats {
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return strings.Join(list, " ")
}

// announce is what screen readers hear: only finished comparisons.
func (c *Summary) announce() string {
	if c.Runs.Active() {
		return ""
	}
	return c.headline()
}

type trouble struct {
	Title, Text, Class string
	Why                string // folded, where other systems run
	several            bool   // of more than one system
}

// troubles lists errors and refusals with their reasons; systems with the same
// one stand together.
func (c *Summary) troubles() []trouble {
	var ts []trouble
	some := slices.ContainsFunc(c.Runs.List, func(r runs.Run) bool { return r.On && r.Report != nil && r.Report.Fits })
	for i := range c.Runs.List {
		t := trouble{Title: c.Runs.List[i].System.Title}
		switch r := &c.Runs.List[i]; {
		case !r.On:
			continue
		case r.Error != "":
			t.Text, t.Class = r.Error, "error"
		case r.Report != nil && !r.Report.Fits:
			t.Text, t.Why, t.Class = r.Status(), r.Report.Reason, "refusal"
		default:
			continue
		}
		if k := slices.IndexFunc(ts, func(x trouble) bool { return x.Text == t.Text && x.Why == t.Why && x.Class == t.Class }); k >= 0 {
			ts[k].Title += ", " + t.Title
			ts[k].several = true
		} else {
			ts = append(ts, t)
		}
	}
	for i := range ts {
		if rest, ok := strings.CutPrefix(ts[i].Text, chart.Unfit); ok && ts[i].several && ts[i].Class == "refusal" {
			ts[i].Text = "do not fit" + rest
		}
		if !some && ts[i].Why != "" {
			ts[i].Text, ts[i].Why = ts[i].Text+": "+ts[i].Why, ""
		}
	}
	return ts
}
