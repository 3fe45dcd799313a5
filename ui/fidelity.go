package ui

import (
	"fmt"

	"spillway/sim/train/quirk"
	"spillway/ui/model"
)

// Fidelity chooses between the published simulator's accidents and the paper.
type Fidelity struct {
	*App
	texts map[string]string // by quirk, what its removal changes
}

// effect says what the removal of a quirk changes.
func (c *Fidelity) effect(e quirk.Entry) string {
	if c.texts == nil {
		c.texts = model.EffectTexts()
	}
	return c.texts[e.Key]
}

// showEffects opens the table of all effects.
func (c *Fidelity) showEffects() {
	c.open["effects"] = true
	c.Page.Show("survive")
}

func (c *Fidelity) published() bool { return c.State.Options.Quirks == quirk.Published() }

func (c *Fidelity) corrected() bool { return c.State.Options.Quirks == quirk.Corrected() }

func (c *Fidelity) quirks() []quirk.Entry { return quirk.All() }

func (c *Fidelity) has(e quirk.Entry) bool { return c.State.Options.Quirks.Has(e.Quirk) }

func (c *Fidelity) explain() string {
	switch {
	case c.published():
		return "The published G10 simulator with all its accidents: reproduces the artifact's numbers."
	case c.corrected():
		return "What the paper describes, on one engine for all systems, without the published simulator's accidents."
	}
	return "Some of the published simulator's accidents are on: " + c.State.Fidelity() + "."
}

func (c *Fidelity) listLabel() string {
	verb := "Show"
	if c.IsOpen("quirks") {
		verb = "Hide"
	}
	return fmt.Sprintf("%s the %d quirks one by one", verb, len(quirk.All()))
}
