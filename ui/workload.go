package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vugu/vugu"

	"spillway/sim/workload"
	"spillway/ui/job"
)

// Workload chooses what the GPU is asked to do.
type Workload struct{ *App }

func (c *Workload) models() []job.Model { return job.Models() }

func (c *Workload) gpus() []job.GPU { return job.GPUs() }

func (c *Workload) pickGPU(e vugu.DOMEvent) { c.SetGPU(e.PropString("target", "value")) }

// estimated reports whether the GPU of the kernel times can be chosen.
func (c *Workload) estimated() bool { return c.State.Source.Times == workload.Estimated }

func (c *Workload) explain() string { return job.Explain(c.State.Source.Model) }

func (c *Workload) showSurvive() {
	c.open["survive"] = true
	c.Page.Show("survive")
}

func (c *Workload) fromFile() bool { return c.State.Source.Entry != "" }

func (c *Workload) pickModel(e vugu.DOMEvent) { c.SetModel(e.PropString("target", "value")) }

func (c *Workload) typeBatch(e vugu.DOMEvent) { c.SetBatch(e.PropString("target", "value")) }

func (c *Workload) search(e vugu.DOMEvent) { c.Files.Filter = e.PropString("target", "value") }

func (c *Workload) batches() string {
	m := c.modelOf()
	if len(m.Batches) == 0 {
		return ""
	}
	texts := make([]string, len(m.Batches))
	for i, b := range m.Batches {
		texts[i] = strconv.Itoa(b)
	}
	return "In " + m.Sample + ". Worth trying: " + strings.Join(texts, ", ") + "."
}

// timeChoices are the time sources a bundled workload can have.
func (c *Workload) timeChoices() []workload.TimeSource {
	return []workload.TimeSource{workload.ColdModel, workload.Estimated}
}

func (c *Workload) timesOff(t workload.TimeSource) any {
	return off(slices.Contains(c.modelOf().Sources(), t))
}

func (c *Workload) timesTitle(t workload.TimeSource) string {
	if t == workload.ColdModel {
		return "As the paper measured"
	}
	return "Estimated"
}

func (c *Workload) timesHelp() string { return timesHelp(c.Times()) }

// facts describes the workload in one line of numbers.
func (c *Workload) facts() string {
	s := c.Session.Summary
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d kernels, %d tensors; %v of weights (and optimizer state, where the trace has any), %v of everything else, each tensor counted once.",
		s.Kernels, s.Tensors, s.Global, s.Intermediate)
}

func (c *Workload) origin() string {
	if c.Session.Summary == nil {
		return ""
	}
	return c.Session.Summary.Origin
}

// mostEntries is how many entries of opened files are listed; search finds the others.
const mostEntries = 60

func (c *Workload) entries() []job.Entry {
	es, _ := c.Files.Shown(mostEntries)
	return es
}

func (c *Workload) filesSummary() string {
	f := &c.Files
	shown, matching := f.Shown(mostEntries)
	switch {
	case f.Opening:
		return "Reading…"
	case len(f.Entries) == 0:
		return ""
	case matching > len(shown):
		return fmt.Sprintf("%d of %d workloads match; the first %d are listed.", matching, len(f.Entries), len(shown))
	case matching < len(f.Entries):
		return fmt.Sprintf("%d of %d workloads match.", matching, len(f.Entries))
	}
	if len(f.Entries) == 1 {
		return "1 workload found. A config entry also sets hardware, options and fidelity."
	}
	return fmt.Sprintf("%d workloads found. A config entry also sets hardware, options and fidelity.", len(f.Entries))
}

func (c *Workload) current(name string) string {
	return boolText(c.State.Source.Entry == name)
}

// detail is the line under an entry's name.
func (c *Workload) detail(e job.Entry) string {
	if e.Error != "" {
		return e.Error
	}
	return e.Info
}
