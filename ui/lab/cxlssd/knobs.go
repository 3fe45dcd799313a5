package cxlssd

import (
	"errors"
	"fmt"
	"strings"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/ui/lab/own"
)

// standard is what links leave out.
func standard() settings {
	first := stream.Recipes()[0]
	return settings{
		Workload: first.Name, Split: 1, Unsaid: unsaidRecipe, Recipe: first.Recipe, Classes: stream.FormatClasses(first.Recipe.Classes),
		Mode: modeArtifact, Promote: promotions[1].key, Setup: core.Default(), Own: own.Standard(),
	}
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
		return core.Quirks.Format(core.Quirks.All())
	case modePaper:
		return ""
	}
	return mode
}

// promotions are the ways in which the own design may promote.
var promotions = []struct {
	key, label, help string
	is               core.Promotion
}{
	{"none", "none", "Pages stay in the device.", core.NoPromotion},
	{"adaptive", "SkyByte's", "After as many hits as the adaptive threshold says.", core.Adaptive},
	{"tpp", "TPP's", "By sampling, as TPP does.", core.TPP},
	{"astriflash", "AstriFlash-CXL's", "SkyByte's, into host DRAM of 8 ways.", core.AstriFlash},
	{"miss", "at every miss", "A missed page goes to host DRAM at its first hit once it is there; AstriFlash itself brings in every page.", core.OnMiss},
}

// scaleOf is the default scale of a workload: those of few requests run in full.
func scaleOf(name string) int64 {
	switch name {
	case "bfs-dense", "tpcc", "srad":
		return 1
	}
	return 4
}

// recipeText writes a recipe as settings.
func recipeText(r *stream.Recipe) string {
	var list []knob.Pair
	for _, k := range stream.Knobs() {
		list = append(list, knob.Pair{Key: k.Key, Text: k.Text(r)})
	}
	list = append(list, knob.Pair{Key: "classes", Text: stream.FormatClasses(r.Classes)})
	return knob.Join(list, " ")
}

func knobs() map[string][]knob.Knob[settings] {
	panels := map[string][]knob.Knob[settings]{}
	add := func(panel string, ks ...knob.Knob[settings]) { panels[panel] = append(panels[panel], ks...) }
	add("workload", workloadKnob())
	add("device", deviceKnob(), flashKnob())
	for _, k := range core.Knobs() {
		x, panel := knob.Lift(k, func(s *settings) *core.Setup { return &s.Setup }), "device"
		switch k.Group {
		case core.GroupRun:
			x.Group, panel = "", "workload"
			x.Always = k.Key == "scale" // it has a default of each workload's own
		case core.GroupCores:
			x.Group, panel = "", "host"
		}
		add(panel, x)
	}
	add("workload",
		knob.Knob[settings]{Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which recording of the opened files runs, by name.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.Entry }},
		knob.Int(knob.Info{Key: "split", Label: "Threads for each recorded one", Scale: 1, Min: 1, Max: 64, Help: "How many threads each recorded one becomes; its work is dealt out to them in consecutive pieces.", Source: "1: as recorded"}, func(s *settings) *int64 { return &s.Split }),
		knob.Int(knob.Info{Key: "llc", Label: "Last-level cache in front of it", Unit: "MiB", Scale: int64(unit.MiB), Max: int64(unit.GiB), Help: "A cache in front of a recording of all accesses, so that only its misses are left; 0 for none.", Source: "0: recordings are after the cache; SkyByte, Table II, has 16 MiB"}, func(s *settings) *unit.Bytes { return &s.LLC }),
	)
	add("workload", unsaidKnob())
	for _, k := range stream.Knobs() {
		add("recipe", knob.Lift(k, func(s *settings) *stream.Recipe { return &s.Recipe }))
	}
	add("recipe", knob.Knob[settings]{
		Info: knob.Info{
			Key: "classes", Label: "Classes of page visits", Kind: knob.Word,
			Help: stream.ClassesHelp, Source: "the workload's recipe",
		}, Word: func(s *settings) *string { return &s.Classes },
	})
	add("device", ownPromoteKnob())
	add("options", modeKnob())
	add(own.Panel().Key, own.Knobs(asks, func(s *settings) *own.Setting { return &s.Own })...)
	return panels
}

// unsaid is the knob that says what stands in for what a recording does not say. The
// page has no field for it: entries bring it, and other workloads take it away.
const unsaid = "unsaid"

// What may stand in.
const (
	unsaidRecipe       = "recipe"
	unsaidNeutral      = "neutral"
	unsaidInstructions = "instructions"
)

// neutral are the numbers that stand in, with the reason for each.
var neutral = []struct{ key, text, why string }{
	{"fill", "0", "the device's cache is empty at the start"},
	{"fill_promote", "0", "so it is where pages are promoted"},
	{"demote_most", "0", "and so is host DRAM"},
	{"demote_dirty", "0", "no page of others leaves it"},
	{"overlap", "0.25", "the mean of the bundled recipes, which have 0 to 0.6"},
	{"outstanding", "8", "as in all recipes"},
	{"stores", "0", "as in all recipes but one"},
	{"onchip", "131", "SkyByte artifact: look-ups in L1, L2 and last-level cache, 3 and 8 cycles and 30 of a clock four times as slow"},
	{"dram_latency", "46", "as a line of host DRAM takes with SkyByte"},
	{"cpi", "1", "an instruction a cycle"},
}

// neutralText writes these numbers as settings.
func neutralText() string {
	var list []knob.Pair
	for _, n := range neutral {
		list = append(list, knob.Pair{Key: n.key, Text: n.text})
	}
	return knob.Join(list, " ")
}

func unsaidKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{
			Key: unsaid, Label: "What a recording does not say", Kind: knob.One,
			Help: "How loads overlap, what a request costs on the chip and how full the device is at the start: no recording says so. The numbers are set under Recipe.",
		}, Word: func(s *settings) *string { return &s.Unsaid },
	}
	var why []string
	for _, n := range neutral {
		why = append(why, n.key+" "+n.text+": "+n.why)
	}
	source := strings.Join(why, "; ")
	// What generates requests means nothing here, nor how many threads do.
	hides := []string{"insts", "classes", "heavy", "heavy_share", "visits", "switching"}
	k.Choices = []knob.Choice{
		{Key: unsaidRecipe, Label: "as the workload's recipe has it", Word: "-", Help: "The numbers that are fitted to the bundled workload."},
		{Key: unsaidNeutral, Label: "neutral numbers", Word: "-", Help: "Numbers that favour no bundled workload.", Source: source, Set: neutralText(), Hides: append(hides, "cpi")},
		{Key: unsaidInstructions, Label: "neutral numbers, gaps are instructions", Word: "-", Help: "The same for a recording that counts instructions, so that cycles an instruction matter.", Source: source, Set: neutralText(), Hides: hides},
	}
	return k
}

func workloadKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "workload", Label: "Workload", Help: "What the threads ask for: a stream of cache lines that missed the last-level cache.", Kind: knob.One, Always: true},
		Word: func(s *settings) *string { return &s.Workload },
	}
	for _, w := range stream.Recipes() {
		k.Choices = append(k.Choices, knob.Choice{
			Key: w.Name, Label: w.Title, Help: w.About, Source: w.Origin,
			Set: fmt.Sprintf("scale=%d %s", scaleOf(w.Name), recipeText(&w.Recipe)),
		})
	}
	return k
}

// deviceKnob names the setups that were published.
func deviceKnob() knob.Knob[settings] {
	return knob.Knob[settings]{Info: knob.Info{
		Key: "device", Label: "Device and host", Help: "All settings of a published configuration at once.", Kind: knob.One, Derived: true,
		Choices: []knob.Choice{
			{Key: modeArtifact, Label: "as the artifact has it", Word: "device as the artifact has it", Set: setupText(core.Default(), modeArtifact), Help: "The published simulator's configuration with all its switches on. The paper's figures are compared with this."},
			{Key: modePaper, Label: "as the paper says", Word: "device as the paper says", Set: setupText(core.Paper(), modePaper), Help: "Where paper and simulator differ, what the paper describes."},
		},
	}}
}

// setupText writes a setup as settings: every number of it that is not of the run.
func setupText(s core.Setup, mode string) string {
	var list []knob.Pair
	for _, k := range core.Knobs() {
		if k.Group != core.GroupRun && k.Group != core.GroupOwn && k.Group != core.GroupPrices {
			list = append(list, knob.Pair{Key: k.Key, Text: k.Text(&s)})
		}
	}
	return knob.Join(append(list, knob.Pair{Key: "mode", Text: mode}), " ")
}

// flashKnob names kinds of flash.
func flashKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{Info: knob.Info{Key: "flash", Label: "Flash", Help: "A kind of flash, with its times to read, program and erase.", Kind: knob.One, Derived: true}}
	for _, f := range []struct {
		key, label, word     string
		read, program, erase int64 // µs
		source               string
	}{
		{"ull", "ULL", "ULL flash", 3, 80, 1000, "SkyByte artifact; 100 µs to program in Table IV"},
		{"ull-paper", "ULL, as in the paper", "ULL flash as in the paper", 3, 100, 1000, "SkyByte, Table IV"},
		{"ull2", "ULL2", "ULL2 flash", 4, 75, 850, "SkyByte, Table IV"},
		{"slc", "SLC", "SLC flash", 25, 200, 1500, "SkyByte, Table IV"},
		{"mlc", "MLC", "MLC flash", 50, 600, 3000, "SkyByte, Table IV"},
	} {
		k.Choices = append(k.Choices, knob.Choice{Key: f.key, Label: f.label, Word: f.word, Source: f.source, Set: fmt.Sprintf("flash_read=%d flash_program=%d flash_erase=%d", f.read, f.program, f.erase)})
	}
	return k
}

func ownPromoteKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "own_promote", Label: "Promotion (P)", Group: core.GroupOwn, Help: "Which pages the system Own design moves to host DRAM, and Yours where a policy does not say.", Source: "all of SkyByte's mechanisms at first", Kind: knob.One},
		Word: func(s *settings) *string { return &s.Promote },
	}
	for _, p := range promotions {
		k.Choices = append(k.Choices, knob.Choice{Key: p.key, Label: p.label, Help: p.help})
	}
	return k
}

// modeKnob chooses between the published simulator and the paper.
func modeKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "mode", Label: "Fidelity", Help: "Which of the published simulator's departures from its paper are on.", Kind: knob.Many, Always: true},
		Word: func(s *settings) *string { return &s.Mode },
	}
	var all []string
	for _, e := range core.Quirks {
		all = append(all, e.Key)
		k.Choices = append(k.Choices, knob.Choice{Key: e.Key, Label: e.Key, Help: e.Text + " Off: " + e.Paper, Source: e.Source})
	}
	k.Sets = []knob.Choice{
		{Key: modeArtifact, Label: "As the artifact", Word: "as the artifact", Set: strings.Join(all, ","), Help: "Everything as the published simulator does it, so that results compare with the paper's figures."},
		{Key: modePaper, Label: "As the paper", Word: "as the paper says", Help: "Where paper and simulator differ, what the paper says."},
	}
	return k
}

// check reports what contradicts in settings whose every value is allowed.
func check(s *settings) error {
	m := s.machine()
	errs := []error{m.Validate()}
	if s.Entry == "" {
		_, err := recipe(s)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// recipe returns the recipe that the settings say, at full scale.
func recipe(s *settings) (stream.Recipe, error) {
	r := s.Recipe
	classes, err := stream.ParseClasses(s.Classes)
	if err != nil {
		return r, fmt.Errorf("the classes of page visits: %w", err)
	}
	r.Classes = classes
	return r, r.Check()
}

// generate makes the workload of a recipe.
func generate(s *settings) (*trace, error) {
	w, err := stream.Find(s.Workload)
	if err != nil {
		return nil, err
	}
	r, err := recipe(s)
	if err != nil {
		return nil, err
	}
	made := *w
	made.Seed, made.Recipe = s.Setup.Seed, r
	return &trace{Workload: &made, about: about(&made, s.Setup.Scale), origin: w.Origin}, nil
}
