package view

import (
	"github.com/vugu/vugu"

	"spillway/ui/lab"
)

// Files says what runs, and opens files.
type Files struct{ *App }

// unfolded reports whether the panel is open: when it was opened, and when there
// are files.
func (c *Files) unfolded() bool {
	return !c.closed[c.folding("files")] || c.Laboratory.Files.Number > 0 || c.Entry() != ""
}

func (c *Files) fold() { c.closed[c.folding("files")] = c.unfolded() }

func (c *Files) about() string {
	about, _ := c.Runs.About()
	return about
}

func (c *Files) origin() string {
	_, origin := c.Runs.About()
	return origin
}

func (c *Files) search(e vugu.DOMEvent) { c.Laboratory.Files.Search(e.PropString("target", "value")) }

// mostEntries is how many entries of opened files are listed; search finds the others.
const mostEntries = 60

func (c *Files) entries() []lab.Entry {
	es, _ := c.Laboratory.Files.Shown(mostEntries)
	return es
}

func (c *Files) current(name string) string { return boolText(c.Entry() == name) }

// detail is the line under an entry's name.
func (c *Files) detail(e lab.Entry) string {
	if e.Error != "" {
		return e.Error
	}
	return e.Info
}
