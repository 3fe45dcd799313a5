package ui

import "fmt"

// Alerts is what must be said before all else.
type Alerts struct{ *App }

// opened says what dropped files held, until that was chosen from or closed.
func (c *Alerts) opened() string {
	f := &c.Room.Files
	switch {
	case f.Number == 0 || f.Said || c.Entry() != "" && f.Has(c.Entry()):
		return ""
	case f.Opening:
		return "Reading " + f.What() + "…"
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
