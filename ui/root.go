package ui

// Root is the whole page.
type Root struct {
	*App
	head     *Head
	workload *Workload
	systems  *Systems
	hardware *Hardware
	fidelity *Fidelity
	options  *Settings
	summary  *Summary
	figures  [chartCount]*Figure
	numbers  *Numbers
}

// chartCount is the number of charts on the page.
const chartCount = 6

// NewRoot returns the page.
func NewRoot(a *App) *Root {
	r := &Root{
		App: a, head: &Head{App: a}, workload: &Workload{App: a}, systems: &Systems{App: a},
		hardware: &Hardware{App: a}, fidelity: &Fidelity{App: a}, options: &Settings{App: a},
		summary: &Summary{App: a}, numbers: &Numbers{App: a},
	}
	for i := range r.figures {
		r.figures[i] = &Figure{App: a, Index: i}
	}
	return r
}
