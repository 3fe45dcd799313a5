package ui

import "spillway/ui/chart"

// Values is a chart that is a table: quantities that only some runs have.
type Values struct {
	*App
	Index int
}

func (c *Values) view() *chart.View { return &c.views[c.Index] }

// some reports whether any run has one of the quantities.
func (c *Values) some() bool {
	for i := range c.runs {
		for _, key := range c.Info.Charts[c.Index].Of {
			if r := &c.runs[i]; r.On && r.Report != nil {
				if _, ok := r.Report.Value(c.Info.Quantity(key)); ok {
					return true
				}
			}
		}
	}
	return false
}
