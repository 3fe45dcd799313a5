package ui

import "fmt"

// Alerts is what must be said before all else.
type Alerts struct{ *App }

// opened says what dropped files held, until that was chosen from or closed.
func (c *Alerts) opened() string {
	f := &c.Room.Files
	switch {
	case f.Number == 0 || f.Opening || f.Said || c.Entry() != "" && f.Has(c.Entry()):
		return ""
	case f.Error != "":
		return f.Error
	}
	return fmt.Sprintf("Opened %s: %s. Choose one to run it.", f.What(), chosenOf(len(f.Entries)))
}

func chosenOf(n int) string {
	if n == 1 {
		return "1 workload"
	}
	return fmt.Sprintf("%d workloads", n)
}

// showOpened goes to the list of what was opened.
func (c *Alerts) showOpened() {
	c.OpenDrawer()
	id := "search"
	if len(c.Room.Files.Entries) == 0 {
		id = "files-summary"
	}
	c.Page.Show(id)
}

// reading says how far files have been read. It is empty when none are.
func (c *Alerts) reading() string {
	f := &c.Room.Files
	switch {
	case !f.Opening:
		return ""
	case f.Total == 0:
		return "Reading " + f.What() + "…"
	case f.Done >= f.Total:
		return fmt.Sprintf("Read %s, %s. Finding out what it holds…", f.What(), megabytes(f.Total))
	}
	return fmt.Sprintf("Reading %s: %s of %s", f.What(), megabytes(f.Done), megabytes(f.Total))
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// read is the percentage that has been read, nil while it is not known.
func (c *Alerts) read() any {
	if c.Room.Files.Total == 0 {
		return nil
	}
	return fmt.Sprint(c.Room.Files.Percent())
}

// announce is what screen readers hear of it: every quarter.
func (c *Alerts) announce() string {
	f := &c.Room.Files
	switch {
	case !f.Opening:
		return ""
	case f.Total == 0:
		return "Reading " + f.What()
	}
	return fmt.Sprintf("Reading %s: %d %%", f.What(), f.Percent()/25*25)
}

// cancel leaves the files alone. The button is gone then, so the focus moves on.
func (c *Alerts) cancel() {
	c.CancelOpening()
	c.Page.Focus("main")
}
