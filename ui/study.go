package ui

import (
	"strconv"

	"github.com/vugu/vugu"

	"spillway/ui/model"
)

// Study shows what was measured beforehand: whether the paper's conclusions
// survive, and what the published simulator's accidents do.
type Study struct {
	*App
	system            string // that the effects are shown of
	added             bool   // effects added to corrected mode
	findings, answers []string
	survive, effects  *model.StudyTable // nil until asked for
	surviveCorrected  bool
	effectsSystem     string
	effectsAdded      bool
}

// Compute fills what is open.
func (c *Study) Compute() {
	if c.answers == nil {
		c.findings, c.answers = model.Conclusions()
		c.system = "g10"
	}
	if corrected := c.IsOpen("survive corrected"); c.IsOpen("survive") && (c.survive == nil || c.surviveCorrected != corrected) {
		t := model.SurviveTable(corrected)
		c.survive, c.surviveCorrected = &t, corrected
	}
	if c.IsOpen("effects") && (c.effects == nil || c.effectsSystem != c.system || c.effectsAdded != c.added) {
		t := model.EffectsTable(c.system, c.added)
		c.effects, c.effectsSystem, c.effectsAdded = &t, c.system, c.added
	}
}

// share is the style of a cell's bar.
func (c *Study) share(x model.Cell) string {
	return "--share:" + strconv.FormatFloat(100*x.Share, 'f', 1, 64) + "%"
}

func (c *Study) class(x model.Cell) string {
	if x.Best {
		return "best"
	}
	return "other"
}

func (c *Study) corrected() bool { return c.IsOpen("survive corrected") }

func (c *Study) setCorrected(on bool) { c.open["survive corrected"] = on }

func (c *Study) pickSystem(e vugu.DOMEvent) { c.system = e.PropString("target", "value") }

func (c *Study) label(name, what string) string {
	if c.IsOpen(name) {
		return "Hide " + what
	}
	return "Show " + what
}
