package ui

import (
	"strconv"

	"spillway/ui/model"
)

// Figure shows one chart with its title, text and downloads.
type Figure struct {
	*App
	Index int
	canvas
}

func (c *Figure) chart() *model.Chart { return c.Chart(c.Index) }

func (c *Figure) id() string { return "chart-" + c.chart().ID }

func (c *Figure) tableName() string { return "table " + c.chart().ID }

// plotStyle gives a chart of bars the height its rows need.
func (c *Figure) plotStyle() string {
	if rows := c.chart().Rows; rows > 0 {
		return "height:" + strconv.Itoa(max(180, 62+30*rows)) + "px"
	}
	return "height:300px"
}

func (c *Figure) byTime() string { return boolText(c.State.Axis == model.ByTime) }

func (c *Figure) byKernel() string { return boolText(c.State.Axis == model.ByKernel) }

// hasAxis reports whether the figure's axis can be chosen.
func (c *Figure) hasAxis() bool { return c.chart().ID == "memory" }

func (c *Figure) save(kind string) {
	ch := c.chart()
	if kind == "csv" {
		c.Page.Save(c.Name(ch.ID, kind), "text/csv", ch.Table.CSV())
		return
	}
	c.Page.SaveChart(ch.ID, kind, c.Name(ch.ID, kind))
}

func (c *Figure) label(kind string) string { return "Save " + c.chart().Title + " as " + kind }

// Destroy lets go of the drawing.
func (c *Figure) Destroy() { c.dispose() }
