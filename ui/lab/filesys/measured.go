package filesys

import (
	"fmt"
	"math"
	"slices"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// Knobs of the section: what is added first, and the order of the rest.
const (
	factFirst = "fact_first"
	factOrder = "fact_order"
	asListed  = "listed"
	backwards = "backwards"
)

// A fact is one thing that can be read of how ByteFS was measured.
type fact struct {
	key, name, where string
	set              func(m *machine.Setup, to *machine.Setup) // as to has it
}

// facts are all of them, in the order in which they are added at first: of the emulated SSD, of
// the script, of Filebench, and what is fitted; and then those that are in no comparison.
var facts = []fact{
	{"pointer", "one write pointer", "The emulated SSD fills a block of one channel, then one of the next (frontier): at any time one program is under way.", func(m, to *machine.Setup) { m.Device.Frontier = to.Device.Frontier }},
	{"freed", "freed pages kept", "The emulated SSD refuses discards, and NOVA and PMFS make none (keeps_freed).", func(m, to *machine.Setup) { m.Device.KeepsFreed = to.Device.KeepsFreed }},
	{"branch", "NOVA and PMFS as there", "In the branch that has them they take the first free pages (first_fit), load and store what its code does (entry_loads, as_issued), NOVA overwrites in place (in_place), and pages that hold nothing count as read (counts_empty).", func(m, to *machine.Setup) {
		m.Host.FirstFit, m.Host.EntryLoads, m.Host.InPlace, m.Host.AsIssued = to.Host.FirstFit, to.Host.EntryLoads, to.Host.InPlace, to.Host.AsIssued
		m.Device.CountsEmpty = to.Device.CountsEmpty
	}},
	{"memory", "4 GiB of cache", "The script pins memory until 4096 MB are left (page_cache).", func(m, to *machine.Setup) { m.Host.Cache = to.Host.Cache }},
	{"warm", "warm caches", "The script runs some workloads for five seconds before it measures them (warm, warm_time), does not drop the caches of F2FS (f2fs_keeps), and none after it has loaded YCSB's store (loaded).", func(m, to *machine.Setup) {
		m.Warm, m.WarmTime, m.KeepF2FS, m.Loaded = to.Warm, to.WarmTime, to.KeepF2FS, to.Loaded
	}},
	{"share", "as Linux does", "Linux lets pages that were used twice, as metadata are, have three quarters of the cache where a NUMA node has between one and two GiB of it (meta_share); its F2FS keeps small files and directories in their nodes (inline), and it writes back 1024 pages before it looks further (write_batch).", func(m, to *machine.Setup) {
		m.Host.MetaShare, m.Host.Inline, m.Host.Batch = to.Host.MetaShare, to.Host.Inline, to.Host.Batch
	}},
	{"sync", "O_SYNC", "Filebench's dsync makes times durable, too (full_sync).", func(m, to *machine.Setup) { m.FullSync = to.FullSync }},
	{"count", "all operations count", "Filebench ends a run after so many operations of any kind (flowops).", func(m, to *machine.Setup) { m.Flowops = to.Flowops }},
	{"fresh", "fresh pages compared", "ByteFS' branch compares pages that are new to a file with memory that it does not clear (fresh, fresh_share; fitted to fileserver alone).", func(m, to *machine.Setup) { m.Fresh, m.FreshShare = to.Fresh, to.FreshShare }},
}

func measuredKnobs() []knob.Info {
	first := knob.Info{Key: factFirst, Label: "First", Help: "Which fact is added first. What each brings depends on those before it.", Kind: knob.One, Default: facts[0].key}
	for _, f := range facts {
		first.Choices = append(first.Choices, knob.Choice{Key: f.key, Label: f.name})
	}
	return []knob.Info{first, {
		Key: factOrder, Label: "Then", Help: "The order in which the others are added.", Kind: knob.One, Default: asListed,
		Choices: []knob.Choice{{Key: asListed, Label: "as listed"}, {Key: backwards, Label: "backwards"}},
	}}
}

// ordered are the facts in the order that is chosen.
func ordered(look *knob.Setup) []*fact {
	var list []*fact
	for i := range facts {
		list = append(list, &facts[i])
	}
	if look.Text(factOrder) == backwards {
		slices.Reverse(list)
	}
	at := slices.IndexFunc(list, func(f *fact) bool { return f.key == look.Text(factFirst) })
	if at > 0 {
		f := list[at]
		list = slices.Insert(slices.Delete(list, at, at+1), 0, f)
	}
	return list
}

// rated runs both systems on a machine, whose workload may be another, and returns thousand calls
// a second of each.
func (v *view) rated(m *machine.Setup, systems [2]*core.System) (rates [2]float64, err error) {
	w := v.w.Workload
	if !v.w.recorded {
		if w, err = v.said.generated(m); err != nil {
			return rates, err
		}
	}
	for i, x := range systems {
		r, err := core.Run(w, m, x.Name, nil, nil)
		if err != nil {
			return rates, err
		}
		rates[i] = rate(r)
	}
	return rates, nil
}

// measured adds the facts of the measurement one after the other.
func (v *view) measured() (*report.Section, error) {
	byteFS, rival := v.rival()
	off, on := machine.Default(), machine.Measured()
	m := *v.s
	for i := range facts {
		facts[i].set(&m, &off)
	}
	list := ordered(v.look)
	systems := [2]*core.System{byteFS, rival}
	said := 0.0
	for _, p := range published {
		if p.workload == v.said.Workload && p.rival == rival.Name && byteFS.Main && v.said.Entry == "" {
			said = p.ratio
		}
	}
	t := report.Table{Key: "steps", Title: fmt.Sprintf("Throughput of %s over that of %s, as facts are added", byteFS.Title, rival.Title), Head: []string{"With", byteFS.Title, rival.Title, "Ratio"}}
	if said > 0 {
		t.Head = append(t.Head, "Ours over published")
	}
	fall := report.Fall{ID: "facts", Title: "What of the measurement makes the gain", Unit: "×", Help: fmt.Sprintf("From the SSD of the settings to how the paper was measured: what each fact adds to the ratio of %s to %s, those above it being there.", byteFS.Title, rival.Title)}
	var before, first, least, most float64
	which := ""
	for k := -1; k < len(list); k++ {
		name := "Settings at first"
		if k >= 0 {
			list[k].set(&m, &on)
			name = prose.Capital(list[k].name)
		}
		rates, err := v.rated(&m, systems)
		if err != nil {
			return nil, err
		}
		x := rates[0] / max(rates[1], 1e-9)
		row := report.Row{Head: name, Cells: []report.Cell{report.Textf("%s k/s", prose.ThreeDigits(rates[0])).With(1000*rates[0], "1/s"), report.Textf("%s k/s", prose.ThreeDigits(rates[1])).With(1000*rates[1], "1/s"), report.Cell{Text: times(x)}.With(x, "")}}
		if said > 0 {
			row.Cells = append(row.Cells, report.Textf("%s", prose.Signed(x/said-1)).WithShare(x/said-1))
		}
		t.Rows = append(t.Rows, row)
		if k < 0 {
			fall.Steps = append(fall.Steps, report.Step{Key: "first", Name: name, Text: times(x), Value: x, Total: true, Color: "compute"})
			first = x
		} else {
			d := x - before
			sign := "+"
			if d < 0 {
				sign = "−"
			}
			fall.Steps = append(fall.Steps, report.Step{Key: list[k].key, Name: name, Text: sign + times(math.Abs(d)), Value: d, Color: fmt.Sprintf("part-%d", slices.IndexFunc(facts, func(f fact) bool { return f.key == list[k].key }))})
			if math.Abs(d) > most {
				most, which = math.Abs(d), list[k].name
			}
		}
		before, least = x, x
		if v.p != nil {
			v.p(k+2, len(list)+1)
		}
	}
	fall.Steps = append(fall.Steps, report.Step{Key: "measured", Name: "As measured", Text: times(least), Value: least, Total: true, Color: "compute"})
	out := &report.Section{Falls: []report.Fall{fall.Told()}, Tables: []report.Table{t}}
	text := fmt.Sprintf("%s has %s the throughput of %s before any fact of the measurement, and %s with all of them.", byteFS.Title, times(first), rival.Title, times(least))
	if which != "" && most >= 0.01 {
		text += fmt.Sprintf(" What changes the ratio most, in this order, is %s.", which)
	} else {
		text += " None of them matters here."
	}
	if said > 0 {
		text += fmt.Sprintf(" The paper's text says %s.", times(said))
	} else {
		text += " No ratio of these two is published for this workload."
	}
	out.Text = []string{text}
	for i := range facts {
		out.Notes = append(out.Notes, prose.Capital(facts[i].name)+": "+facts[i].where)
	}
	out.Notes = append(out.Notes, "Each row runs both with all other settings as they are; the last is the device “ByteFS as it was measured” if they are as they were at first. An SSD that you can buy writes all its channels at once: for it the first row counts.")
	return out, nil
}
