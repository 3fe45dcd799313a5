package ui

import (
	"fmt"

	"github.com/vugu/vugu"

	"spillway/sim/machine"
	"spillway/ui/model"
)

// Hardware edits the machine.
type Hardware struct{ *App }

func (c *Hardware) groups() []model.Group {
	base := c.State.Base()
	return c.Machine.Groups(&c.State.Machine, &base)
}

func (c *Hardware) presets() []model.Preset { return model.Presets() }

func (c *Hardware) pick(e vugu.DOMEvent) { c.SetPreset(e.PropString("target", "value")) }

func (c *Hardware) slots() []machine.Slot { return machine.Slots() }

func (c *Hardware) fit(slot string, e vugu.DOMEvent) {
	c.SetPart(slot, e.PropString("target", "value"))
}

// partSource says where the numbers of the part in the slot come from.
func (c *Hardware) partSource(slot machine.Slot) string {
	p := c.Part(slot)
	if p.Key == "" {
		return "The numbers below are those of no listed part."
	}
	return "Source: " + p.Source
}

func (c *Hardware) typed(key string, e vugu.DOMEvent) {
	c.SetMachine(key, e.PropString("target", "value"))
}

func (c *Hardware) changed() bool {
	for _, g := range c.groups() {
		for _, f := range g.Fields {
			if f.Changed {
				return true
			}
		}
	}
	return false
}

// Settings edits the options of the systems and of the run.
type Settings struct{ *App }

func (c *Settings) groups() []model.Group {
	base := model.Default().Options
	return c.Options.Groups(&c.State.Options, &base)
}

func (c *Settings) typed(key string, e vugu.DOMEvent) {
	c.SetOption(key, e.PropString("target", "value"))
}

func (c *Settings) changed() bool {
	for _, g := range c.groups() {
		for _, f := range g.Fields {
			if f.Changed {
				return true
			}
		}
	}
	return false
}

// swatch is the style of the i-th system's color patch.
func swatch(i int) string { return fmt.Sprintf("background:var(--system-%d)", i%10) }

// describedBy names the texts that explain a field.
func describedBy(key string) string { return "help-" + key + " err-" + key }

// hidden is the value of a hidden attribute: nil leaves the attribute out.
func hidden(b bool) any {
	if b {
		return "hidden"
	}
	return nil
}
