package filesys

import (
	"fmt"
	"slices"
	"strings"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/prose"
)

// standard is what links leave out. What only YCSB has is as its recipes have it.
func standard() settings {
	first, store := load.Recipes()[0], load.Recipe{}
	for _, r := range load.Recipes() {
		if r.Store() {
			store = r
			break
		}
	}
	first.Memtable, first.BlockCache, first.SyncLog = store.Memtable, store.BlockCache, store.SyncLog
	p := load.Patterns()[0] // the one with all numbers
	return settings{Workload: first.Name, Recipe: first, Pattern: p, Setup: machine.Default(), Mode: modePaper}
}

// Sets of quirks.
const (
	modeArtifact = "artifact"
	modePaper    = "paper"
)

// quirkKeys returns the keys of quirks that a text of the knob stands for.
func quirkKeys(mode string) string {
	switch mode {
	case modeArtifact:
		return machine.Quirks.Format(machine.Quirks.All())
	case modePaper:
		return ""
	}
	return mode
}

// ofStore are the keys of recipes' knobs that only YCSB has.
var ofStore = []string{"memtable", "block_cache", "sync_log"}

// recipeText writes a recipe as settings.
func recipeText(r *load.Recipe) string {
	var list []knob.Pair
	for _, k := range load.Knobs() {
		if r.Store() || !slices.Contains(ofStore, k.Key) {
			list = append(list, knob.Pair{Key: k.Key, Text: k.Text(r)})
		}
	}
	return knob.Join(list, " ")
}

// patternText writes a pattern as settings.
func patternText(p *load.Pattern) string {
	var list []knob.Pair
	for _, k := range load.PatternKnobs() {
		if p.Uses(k.Key) {
			list = append(list, knob.Pair{Key: k.Key, Text: k.Text(p)})
		}
	}
	return knob.Join(list, " ")
}

// Keys of knobs that only workloads of requests have, and that they have not.
func ofRequests() (only, not []string) {
	for _, k := range load.PatternKnobs() {
		only = append(only, k.Key)
	}
	for _, k := range load.Knobs() {
		not = append(not, k.Key)
	}
	return only, not
}

func knobs() map[string][]knob.Knob[settings] {
	panels := map[string][]knob.Knob[settings]{}
	add := func(panel string, ks ...knob.Knob[settings]) { panels[panel] = append(panels[panel], ks...) }
	add("workload", workloadKnob())
	add("device", deviceKnob())
	for _, k := range machine.Knobs() {
		x, panel := knob.Lift(k, func(s *settings) *machine.Setup { return &s.Setup }), "device"
		switch k.Group {
		case machine.GroupRun:
			x.Group, panel = "", "workload"
			x.Always = k.Key == "scale"
		case machine.GroupChoices, machine.GroupMeasured:
			if panel = "decides"; k.Group == machine.GroupChoices {
				x.Group = ""
			}
		case machine.GroupHost, machine.GroupCalls, machine.GroupSystems, machine.GroupWriting:
			panel = "host"
			if k.Group == machine.GroupHost {
				x.Group = ""
			}
		case machine.GroupTable:
			x.Group, panel = "", "table"
		}
		add(panel, x)
	}
	add("workload", knob.Knob[settings]{Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which recording of the opened files runs, by name.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.Entry }})
	for _, k := range load.Knobs() {
		add("recipe", knob.Lift(k, func(s *settings) *load.Recipe { return &s.Recipe }))
	}
	for _, k := range load.PatternKnobs() {
		add("recipe", knob.Lift(k, func(s *settings) *load.Pattern { return &s.Pattern }))
	}
	add("options", modeKnob())
	return panels
}

// workloadKnob chooses a recipe.
func workloadKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "workload", Label: "Workload", Help: "What programs ask the file system for.", Kind: knob.One, Always: true},
		Word: func(s *settings) *string { return &s.Workload },
	}
	only, not := ofRequests()
	for _, r := range load.Recipes() {
		c := knob.Choice{Key: r.Name, Label: r.Title, Help: r.About, Source: filebench, Set: recipeText(&r)}
		if r.Store() {
			c.Source = ycsb
		} else {
			c.Hides = ofStore
		}
		c.Hides = slices.Concat(c.Hides, only)
		k.Choices = append(k.Choices, c)
	}
	for _, p := range load.Patterns() {
		c := knob.Choice{Key: p.Name, Label: p.Title, Help: p.About + " For the SSD alone.", Source: "Spillway's own", Set: patternText(&p), Hides: slices.Clone(not)}
		for _, key := range only {
			if !p.Uses(key) {
				c.Hides = append(c.Hides, key)
			}
		}
		k.Choices = append(k.Choices, c)
	}
	return k
}

// Where workloads come from.
const (
	filebench = "Filebench, with the numbers of ByteFS' artifact (branch baseline)"
	ycsb      = "YCSB with the numbers of ByteFS' artifact (branch baseline), over a model of a store of sorted runs"
)

// board is the paper's real board, of what a run feels of it: its capacity of 1 TB
// stays out, because workloads fill a few GB.
func board() machine.Setup {
	m := machine.Default()
	m.Device.Channels, m.Device.Buffer = 16, 4096
	return m
}

// deviceKnob names the setups that were published.
func deviceKnob() knob.Knob[settings] {
	return knob.Knob[settings]{Info: knob.Info{
		Key: "device", Label: "SSD and rules", Help: "All settings of a published configuration at once.", Kind: knob.One, Derived: true,
		Choices: []knob.Choice{
			{Key: modePaper, Label: "ByteFS' emulator", Word: "the paper's emulator", Set: setupText(machine.Default(), modePaper), Help: "8 channels, 40 µs to read a page and 60 to program it, a log of two halves; the same rules for every file system."},
			{Key: "measured", Label: "ByteFS as it was measured", Word: "as the paper was measured", Set: setupText(machine.Measured(), modePaper) + " " + measuredText(machine.Measured()), Help: "The emulator as the paper's code, its scripts and Filebench show that it was measured; each setting below names its source. The paper's numbers are compared with this. For an SSD of your own choose another: none writes one channel at a time."},
			{Key: modeArtifact, Label: "ByteFS' artifact, with its rules", Word: "as the artifact has it", Set: setupText(machine.Artifact(), modeArtifact), Help: "16 channels and one log buffer; Ext4 and F2FS wait until flash is programmed, ByteFS does not; every switch under Fidelity is on. The paper did not measure this."},
			{Key: "cxl", Label: "CXL SSD", Word: "an SSD over CXL", Set: setupText(machine.CXL(), modePaper), Help: "175 ns a line, 3 µs to read a page and 80 to program it: the last point of the paper's sensitivity study."},
			{Key: "board", Label: "ByteFS' board", Word: "the paper's board", Set: setupText(board(), modePaper), Help: "16 channels and a write buffer of 16 MiB; the board's times are not published."},
		},
	}}
}

// setupText writes as settings what a published setup decides: the device, what decides
// the comparison, when ByteFS takes which interface, and the switches.
func setupText(m machine.Setup, mode string) string {
	return machineText(m, func(k *knob.Info) bool {
		switch k.Group {
		case machine.GroupFlash, machine.GroupBlocks, machine.GroupBytes, machine.GroupCollect:
			return true
		}
		return k.Key == "ack" || k.Key == "byte_limit" || k.Key == "frontier"
	}) + " mode=" + mode
}

// measuredText writes as settings what else the artifact shows of how the paper was measured.
func measuredText(m machine.Setup) string {
	return machineText(m, func(k *knob.Info) bool {
		return k.Group == machine.GroupMeasured && k.Key != "frontier" || k.Key == "fresh" || k.Key == "page_cache" || k.Key == "meta_share"
	})
}

// machineText writes some of a machine's numbers as settings.
func machineText(m machine.Setup, of func(*knob.Info) bool) string {
	var list []knob.Pair
	for _, k := range machine.Knobs() {
		if of(&k.Info) {
			list = append(list, knob.Pair{Key: k.Key, Text: k.Text(&m)})
		}
	}
	return knob.Join(list, " ")
}

// modeKnob chooses between the artifact and the paper.
func modeKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "mode", Label: "Fidelity", Help: "Which of the published artifact's departures from its paper are on.", Kind: knob.Many, Always: true},
		Word: func(s *settings) *string { return &s.Mode },
	}
	var all []string
	for _, e := range machine.Quirks {
		all = append(all, e.Key)
		k.Choices = append(k.Choices, knob.Choice{Key: e.Key, Label: e.Key, Help: e.Text + " Off: " + e.Paper, Source: e.Source})
	}
	k.Sets = []knob.Choice{
		{Key: modePaper, Label: "As the paper", Word: "as the paper says", Help: "Where paper and artifact differ, what the paper says."},
		{Key: modeArtifact, Label: "As the artifact", Word: "as the artifact", Set: strings.Join(all, ","), Help: "Everything as the published artifact does it. The paper's figures were not measured this way."},
	}
	return k
}

// check reports what contradicts in settings whose every value is allowed.
func check(s *settings) error {
	m := s.machine()
	if s.Entry != "" {
		m.Scale = 1 // neither a recording nor its machine is divided
	}
	return m.Validate()
}

// generate makes the workload of a recipe.
func generate(s *settings) (*work, error) {
	m := s.machine()
	if p, ok := load.FindPattern(s.Workload); ok {
		return requests(s, p, &m)
	}
	w, err := s.generated(&m)
	if err != nil {
		return nil, err
	}
	x := &work{Workload: w, origin: filebench + "."}
	if recipeOf(s.Workload).Store() {
		x.origin = ycsb + "."
	}
	x.about = fmt.Sprintf("%s %s files and directories exist beforehand; %d threads call", recipeOf(s.Workload).About, prose.Grouped(int64(len(w.Nodes))), w.Threads)
	if m.Scale > 1 {
		x.about += fmt.Sprintf(", at 1/%d of full scale", m.Scale)
	}
	x.about += "."
	return x, nil
}

// generated is the workload of the recipe on a machine.
func (s *settings) generated(m *machine.Setup) (*call.Workload, error) {
	r := s.Recipe
	r.Name = s.Workload
	return load.Generate(&r, m)
}

// requests makes the workload of a pattern.
func requests(s *settings, known *load.Pattern, m *machine.Setup) (*work, error) {
	p := s.Pattern
	p.Name, p.Title, p.About, p.Sequential = known.Name, known.Title, known.About, known.Sequential
	if known.Hot == 0 {
		p.Hot, p.HotWrites = 0, 0
	}
	w, err := load.Requests(&p, m)
	if err != nil {
		return nil, err
	}
	x := &work{Workload: w, origin: "Spillway's own.", about: fmt.Sprintf("%s %s requests of %v, %d %% of them reads, %d at a time", known.About, prose.Grouped(w.Calls), p.Size, p.Reads, w.Threads)}
	if p.Hot > 0 && (p.Hot != known.Hot || p.HotWrites != known.HotWrites) {
		x.about = fmt.Sprintf("%d %% of the data get %d %% of %s requests of %v, %d %% of them reads, %d at a time", p.Hot, p.HotWrites, prose.Grouped(w.Calls), p.Size, p.Reads, w.Threads)
	}
	if m.Scale > 1 {
		x.about += fmt.Sprintf(", at 1/%d of full scale", m.Scale)
	}
	x.about += "."
	return x, nil
}

// recipeOf returns the recipe of a name that a knob has checked.
func recipeOf(name string) *load.Recipe {
	r, err := load.Find(name)
	if err != nil {
		return &load.Recipe{}
	}
	return r
}
