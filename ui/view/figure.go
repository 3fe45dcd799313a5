package view

import (
	"strconv"

	"github.com/vugu/vugu"

	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/table"
)

// Figure shows one chart with its title, text and downloads.
type Figure struct {
	*App
	Index int
	canvas
	// source is where the chart comes from, if not from the laboratory's charts.
	source func() *chart.View
	saving *Formats
}

func (c *Figure) view() *chart.View {
	if c.source != nil {
		return c.source()
	}
	return &c.views[c.Index]
}

func (c *Figure) id() string { return "chart-" + c.view().ID }

func (c *Figure) tableName() string { return "table " + c.view().ID }

// alt is the chart in words, or why there is none.
func (c *Figure) alt() string {
	v := c.view()
	if v.Empty != "" {
		return v.Title + ". " + v.Empty
	}
	return v.Title + ". " + v.Alt
}

func (c *Figure) plotStyle() string { return "height:" + strconv.Itoa(c.view().Height) + "px" }

func (c *Figure) setAxis(key string) { c.SetAxis(c.view().ID, key) }

// focused reports whether the chart is about one system that can be chosen.
func (c *Figure) focused() bool {
	return c.source == nil && c.Info.Charts[c.Index].Kind == report.Bands
}

func (c *Figure) setFocus(e vugu.DOMEvent) {
	c.SetFocus(e.PropString("target", "value"))
}

func (c *Figure) save(kind string) {
	v := c.view()
	if kind == "csv" {
		c.Page.Save(c.Name(v.ID, kind), "text/csv", v.CSV())
		return
	}
	c.saveChart(v.ID, kind, c.Name(v.ID, kind), v, "")
}

// menu has the formats of the chart and of its numbers.
func (c *Figure) menu() vugu.Builder {
	if c.saving == nil {
		c.saving = &Formats{App: c.App, id: c.view().ID, about: func() string { return c.view().Title }, list: c.formats}
	}
	return c.saving
}

func (c *Figure) formats() []format {
	v := c.view()
	return append(c.pictures(c.save), c.tableFormats(v.ID, func() { c.save("csv") }, func() *table.File { return c.file(v.Title, v.Mode, v.Table) })...)
}

// pictures are the formats of a chart.
func (a *App) pictures(save func(kind string)) []format {
	return []format{{"png", "PNG", "", func() { save("png") }}, {"svg", "SVG", "", func() { save("svg") }}}
}

// Destroy lets go of the drawing.
func (c *Figure) Destroy() { c.dispose() }

// drawn is what the canvas of the figure draws.
func (c *Figure) drawn() (name string, rev int, v *chart.View) {
	c.fresh() // it may be asked for before the page is drawn again
	return c.view().ID, c.Rev, c.view()
}
