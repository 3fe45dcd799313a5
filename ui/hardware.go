package ui

import (
	"fmt"

	"github.com/vugu/vugu"

	"spillway/sim/flash"
	"spillway/sim/train/machine"
	"spillway/ui/model"
)

// Hardware edits the machine.
type Hardware struct{ *App }

func (c *Hardware) groups() []model.Group {
	return c.MachineGroups()
}

func (c *Hardware) presets() []machine.Preset { return model.Presets() }

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

func (c *Hardware) drives() []flash.Drive { return model.Drives() }

func (c *Hardware) pickDrive(e vugu.DOMEvent) { c.SetSSD(e.PropString("target", "value")) }

// driveSource says where the numbers of the simulated drive come from.
func (c *Hardware) driveSource() string {
	if d, ok := c.Drive(); ok {
		return "Source: " + d.Source
	}
	return "The SSD is two rates and a latency."
}

func (c *Hardware) driveHint() string {
	if _, ok := c.Drive(); ok {
		return "Channels, dies, garbage collection and wear of this drive are simulated under each run's traffic; its rates and latency replace those below."
	}
	return "A device model lets rates, write amplification and lifetime come out of the drive's inside."
}

func (c *Hardware) canSimulate() bool { _, ok := c.Simulable(); return ok }

func (c *Hardware) simulateLabel() string {
	d, _ := c.Simulable()
	return "Simulate the " + d.Name
}

func (c *Hardware) simulate() {
	d, _ := c.Simulable()
	c.SetSSD(d.Key)
}

func (c *Hardware) changed() bool {
	if c.State.SSD != "" {
		return true
	}
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
	return c.OptionGroups()
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
