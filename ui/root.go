package ui

import (
	"github.com/vugu/vugu"

	"spillway/ui/model"
)

// Root is the whole page.
type Root struct {
	*App
	head, workload, systems, hardware, fidelity, options, summary, drive, numbers, study, reproduce vugu.Builder

	figures [chartCount]vugu.Builder
}

// chartCount is the number of charts on the page.
const chartCount = 6

// NewRoot returns the page.
func NewRoot(a *App) *Root {
	r := &Root{
		App: a, head: &Head{App: a}, workload: &Workload{App: a}, systems: &Systems{App: a},
		hardware: &Hardware{App: a}, fidelity: &Fidelity{App: a}, options: &Settings{App: a},
		summary: &Summary{App: a}, numbers: &Numbers{App: a},
		drive: &Drive{App: a, rev: -1}, study: &Study{App: a},
		reproduce: &Reproduce{App: a},
	}
	for i := range r.figures {
		r.figures[i] = &Figure{App: a, Index: i}
	}
	return r
}

func (c *Root) exploring() bool { return c.State.View != model.Reproduce }
