package ui

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/chart"
	"spillway/ui/lab"
	"spillway/ui/model"
)

// Compare is the view with named runs side by side.
type Compare struct {
	*App
	keep    vugu.Builder
	figures []vugu.Builder

	quantity, chart string      // that are chosen
	renaming        *model.Kept // whose name is typed now
	name            string

	// What is shown, of a room at a Rev.
	of       *model.Room
	at       int
	shown    []model.ShownRun
	named    []lab.System // the runs as if they were systems
	side     []chart.Run
	views    [3]chart.View
	headline string
	text     [2]string // the tables as HTML
	tables   [2]markup
}

// newCompare returns the view.
func newCompare(a *App) *Compare {
	c := &Compare{App: a, keep: &Keep{App: a}}
	for i := range c.views {
		c.figures = append(c.figures, &Figure{App: a, source: func() *chart.View {
			c.Compute()
			return &c.views[i]
		}})
	}
	return c
}

// Compute makes what is shown when something changed.
func (c *Compare) Compute() {
	if c.of == c.Room && c.at == c.Rev {
		return
	}
	c.of, c.at = c.Room, c.Rev
	c.shown = c.Shelf.Shown()
	c.named, c.side = make([]lab.System, len(c.shown)), make([]chart.Run, len(c.shown))
	same := true
	for i := range c.shown {
		x := &c.shown[i]
		c.named[i] = chart.Named(i, x.Name)
		c.side[i] = chart.Run{System: &c.named[i], On: true, Report: x.Run.Report, Status: x.Run.Status(), Error: x.Run.Error}
		same = same && c.Of(x.Setup) == c.Of(c.shown[0].Setup)
	}
	ctx := &chart.Context{Info: c.Info, Note: "Runs side by side", Variant: map[string]string{}}
	for i := range c.Info.Charts {
		if same {
			ctx.Variant[c.Info.Charts[i].ID] = chart.ByKernel
		}
	}
	c.views[0] = chart.Single(ctx, c.quantityKey(), c.side)
	c.views[1] = chart.Beside(ctx, c.chosen(), c.side)
	c.views[1].By = nil
	aligned := c.side
	if !same {
		aligned = nil
	}
	c.views[2] = chart.Lag(ctx, aligned)
	if c.headline = chart.Compared(c.Info, c.side); c.headline == "" || !same {
		c.headline = chart.Headline(c.Info, c.side)
	}
	c.tabulate()
}

// tabulate makes the tables: what the runs' settings differ in, and all numbers
// with their change against the first run.
func (c *Compare) tabulate() {
	var setups []*knob.Setup
	system := chart.Number{Label: "System"}
	names := make([]string, len(c.shown))
	for i := range c.shown {
		x := &c.shown[i]
		setups, names[i] = append(setups, x.Setup), c.named[i].Title
		system.Cells = append(system.Cells, report.Cell{Text: x.Title})
	}
	c.text = [2]string{}
	if len(c.shown) == 0 {
		return
	}
	c.text[0] = numbersMarkup("settings", "Setting", names, append([]chart.Number{system}, chart.Settings(setups)...))
	against := make([]chart.Run, len(c.side))
	for i, r := range c.side {
		if i > 0 {
			r.Before = c.side[0].Report
		}
		against[i] = r
	}
	heads, rows := chart.Numbers(c.Info, against)
	c.text[1] = numbersMarkup("side-numbers", "Quantity", heads, rows)
}

func (c *Compare) quantityKey() string {
	if c.Info.Quantity(c.quantity) >= 0 {
		return c.quantity
	}
	return append(c.Info.Say.Change[:len(c.Info.Say.Change):len(c.Info.Say.Change)], c.Info.Say.Quantity)[0]
}

// charts are those that runs can share.
func (c *Compare) charts() (list []*report.Chart) {
	for i := range c.Info.Charts {
		if ch := &c.Info.Charts[i]; ch.Kind == report.Stacks || ch.Kind == report.Lines || ch.Kind == report.Steps {
			list = append(list, ch)
		}
	}
	return list
}

// chosen is the chart that is chosen: at first what the headline calls the loss.
func (c *Compare) chosen() *report.Chart {
	list := c.charts()
	for _, key := range []string{c.chart, c.Info.Say.Loss} {
		for _, ch := range list {
			if ch.ID == key {
				return ch
			}
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return &report.Chart{ID: "none", Title: "Nothing to draw", Kind: report.Lines}
}

func (c *Compare) pickQuantity(e vugu.DOMEvent) {
	c.quantity = e.PropString("target", "value")
	c.Room.Rev++
}

func (c *Compare) pickChart(e vugu.DOMEvent) {
	c.chart = e.PropString("target", "value")
	c.Room.Rev++
}

// An item is a run in the list.
type item struct {
	model.Kept
	N                                         string // its place, for IDs
	Shown, Here, First, Full, Renaming        bool   // Here: the browser keeps it
	Letter, SwatchClass, Swatch, About, State string
}

// items are the runs that are shown and those that the browser keeps.
func (c *Compare) items() (list []item) {
	c.Compute()
	shown := c.Shelf.Shown() // as it stands now, with its progress
	for i, k := range c.Shelf.All() {
		x := item{
			Kept: k, N: strconv.Itoa(i), Shown: i < len(c.shown), Here: c.Shelf.IsKept(k), First: i == 0 && len(c.shown) > 1,
			Full: len(c.shown) >= model.MostShown, Renaming: c.renaming != nil && *c.renaming == k, SwatchClass: "swatch off",
		}
		u := c.Shelf.Setup(k)
		about := []string{c.Of(u)}
		if sys, err := c.Info.System(k.System); err == nil {
			about = append(about, sys.Title)
		}
		if x.Shown {
			run := &shown[i]
			x.Letter, x.SwatchClass, x.Swatch, x.State = c.named[i].Title[:1], swatchClass(&c.named[i]), swatch(&c.named[i]), run.Run.RunState()
			if run.Needs != "" {
				x.State = "needs a file"
			}
		}
		x.About = strings.Join(about, " · ")
		list = append(list, x)
	}
	return list
}

func (c *Compare) rename(k model.Kept) { c.renaming, c.name = &k, k.Name }

func (c *Compare) typeName(e vugu.DOMEvent) { c.name = e.PropString("target", "value") }

func (c *Compare) renamed(k model.Kept) {
	c.renaming = nil
	c.Shelf.Rename(k, c.name)
}

// says is the headline, or how to begin.
func (c *Compare) says() string {
	c.Compute()
	if len(c.shown) == 0 {
		return "Nothing to compare yet. Keep a run, here or under Explore, change something, and keep another."
	}
	return c.headline
}

// announce is what screen readers hear: only finished comparisons.
func (c *Compare) announce() string {
	if c.Shelf.Busy() {
		return ""
	}
	return c.says()
}

// lacks asks for the files that runs need.
func (c *Compare) lacks() string {
	if list := c.Shelf.Lacking(); len(list) > 0 {
		return "Drop the file or folder that holds " + strings.Join(list, ", ") + " on the page to see the runs of it."
	}
	return ""
}

// troubles are the runs without numbers, and why.
func (c *Compare) troubles() (list []string) {
	for i := range c.side {
		switch r := &c.side[i]; {
		case r.Error != "":
			list = append(list, r.System.Title+": "+r.Error)
		case r.Report != nil && !r.Report.Fits:
			list = append(list, r.System.Title+" does not fit: "+r.Report.Reason)
		}
	}
	return list
}

func (c *Compare) saveDamaged() {
	c.Page.Save("spillway-damaged-runs.txt", "text/plain", c.Shelf.Damaged())
}

func (c *Compare) saveCSV() {
	c.Compute()
	var systems []*lab.System
	var setups []*knob.Setup
	for i := range c.shown {
		systems, setups = append(systems, c.shown[i].Run.System), append(setups, c.shown[i].Setup)
	}
	c.Page.Save("spillway-compare.csv", "text/csv", chart.SideCSV(&chart.Context{Info: c.Info}, c.side, systems, setups))
}

// A sideFile is the runs side by side as a file.
type sideFile struct {
	Format  string    `json:"format"` // "spillway-compare"
	Version int       `json:"version"`
	Lab     string    `json:"lab"`
	Link    string    `json:"link"` // fragment that shows the same
	Runs    []sideRun `json:"runs"`
}

type sideRun struct {
	Name   string             `json:"name"`
	System string             `json:"system"`
	Setup  string             `json:"setup"`
	Status string             `json:"status"`
	Values map[string]float64 `json:"values,omitempty"` // by quantity, in the quantities' own units
}

func (c *Compare) saveJSON() {
	c.Compute()
	f := sideFile{Format: "spillway-compare", Version: 1, Lab: c.Info.Name, Link: c.Room.State.Encode(c.Info)}
	for i := range c.shown {
		x := &c.shown[i]
		run := sideRun{Name: x.Name, System: x.System, Setup: x.Kept.Setup, Status: x.Run.Status(), Values: map[string]float64{}}
		if run.Status == "" {
			run.Status = "ok"
		}
		for k := range c.Info.Quantities {
			if x.Run.Report == nil {
				break
			}
			if v, ok := x.Run.Report.Value(k); ok && !math.IsInf(v, 0) {
				run.Values[c.Info.Quantities[k].Key] = v
			}
		}
		f.Runs = append(f.Runs, run)
	}
	text, err := json.MarshalIndent(&f, "", "  ")
	if err != nil {
		c.Notice = "The runs cannot be saved: " + err.Error() + "."
		return
	}
	c.Page.Save("spillway-compare.json", "application/json", string(text))
}
