package view

import "github.com/vugu/vugu"

// Baseline pins what is shown as what everything is compared with.
type Baseline struct {
	*App
	keep, shelf vugu.Builder
}

func (c *Baseline) label() string {
	if c.Baseline.Pinned() {
		return "Unpin the baseline"
	}
	return "Pin as baseline"
}
