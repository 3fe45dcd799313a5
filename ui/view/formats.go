package view

import (
	"spillway/sim/report"
	"spillway/ui/table"
)

// Formats is the menu of the formats in which something can be saved: a button
// that shows the others.
type Formats struct {
	*App
	id    string // unique on the page
	about func() string
	list  func() []format
}

// A format is one entry of the menu.
type format struct {
	key, label string
	help       string // may be empty
	save       func()
}

func (c *Formats) name() string { return "save " + c.id }

// pick saves and closes the menu.
func (c *Formats) pick(f format) {
	c.ToggleOpen(c.name())
	c.Page.Focus("save-" + c.id)
	f.save()
}

// tableFormats are those of tables: what is the name of the file, own saves the numbers as CSV.
func (a *App) tableFormats(what string, own func(), file func() *table.File) []format {
	list := []format{{"csv", "CSV", "All digits, in plain units", own}}
	for i := range table.Formats {
		f := &table.Formats[i]
		list = append(list, format{f.Key, f.Label, "", func() { a.Page.SaveTables(a.Name(what, f.Key), f, file()) }})
	}
	return list
}

// file is tables as files have them.
func (a *App) file(title, mode string, tables ...report.Table) *table.File {
	return &table.File{Title: title, Mode: mode, Link: a.link(), Tables: tables}
}

// link is the address that shows the same, as it ran.
func (a *App) link() string { return a.Page.Address() + "#" + a.Files.RunLink() }
