package calls

import "spillway/ui/exec"

// A Desk is a laboratory's place at the table.
type Desk struct {
	Table *Table

	lab  string
	draw func()
}

// NewDesk returns the place of a laboratory; draw has it drawn anew.
func NewDesk(t *Table, lab string, draw func()) *Desk {
	return &Desk{Table: t, lab: lab, draw: draw}
}

// Start starts a job of the laboratory; ended gets its last answer. What is shown is drawn
// anew then, and whenever the job says how far it is.
func (d *Desk) Start(j *exec.Job, p Priority, ended func(*exec.Answer)) *Call {
	j.Lab = d.lab
	return d.Table.Start(j, p, func(*Call) { d.draw() }, func(a *exec.Answer) {
		ended(a)
		d.draw()
	})
}
