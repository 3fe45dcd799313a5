package view

import "strconv"

// Alerts is what must be said before all else.
type Alerts struct {
	*App
	held string // what was said last of dropped files
}

// Compute brings into sight what is said of files, which may be dropped far below it.
func (c *Alerts) Compute() {
	held := c.Laboratory.Files.Holds()
	if held != "" && held != c.held {
		c.Page.Near("opened")
	}
	c.held = held
}

// showOpened goes to the list of what was opened.
func (c *Alerts) showOpened() {
	c.OpenDrawer()
	id := "search"
	if len(c.Laboratory.Files.Entries) == 0 {
		id = "files-summary"
	}
	c.Page.Show(id)
}

// read is the percentage that has been read, nil while it is not known.
func (c *Alerts) read() any {
	if _, total := c.Laboratory.Files.Read(); total == 0 {
		return nil
	}
	return strconv.Itoa(c.Laboratory.Files.Percent())
}

// cancel leaves the files alone. The button is gone then, so the focus moves on.
func (c *Alerts) cancel() {
	c.Files.CancelOpening()
	c.Page.Focus("main")
}

// surveyed is the percentage that has been gone through, nil if nothing waits for it.
func (c *Alerts) surveyed() any {
	s := c.Files.Survey()
	if s == nil {
		return nil
	}
	return strconv.Itoa(s.Percent())
}

// numbered is the end of an id.
func numbered(i int) string { return strconv.Itoa(i) }
