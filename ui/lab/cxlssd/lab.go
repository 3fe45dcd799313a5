// Package cxlssd assembles the laboratory of the CXL-SSD: memory behind a CXL link
// whose backing store is flash, under a CPU whose threads ask it for cache lines
// (SkyByte).
package cxlssd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/lab/cxlssd/papers/skybyte"
	"spillway/ui/lab/own"
	"spillway/ui/lab/timefiles"
)

// A settings is everything a run depends on besides the system.
type settings struct {
	Workload string // name of a recipe
	Entry    string // of opened files, instead of Workload; empty for none
	// Of a recording: how many threads are made of each that was recorded, and the
	// last-level cache that is put before it, 0 for none.
	Split int64
	LLC   unit.Bytes
	// Unsaid is what stands in for what a recording does not say, a key of unsaids.
	Unsaid string

	Recipe  stream.Recipe // at full scale, but for its classes
	Classes string        // of the recipe, as stream.FormatClasses writes them

	Mode    string // quirks
	Promote string // key of promotions: how the own design promotes
	Setup   core.Setup
	Own     own.Setting
}

// asks is what policies that people write can be asked.
var asks = core.Asks()

// machine returns the setup of a run. The texts in s have been checked.
func (s *settings) machine() core.Setup {
	m := s.Setup
	m.Quirks, _ = core.Quirks.Parse(quirkKeys(s.Mode))
	for _, p := range promotions {
		if p.key == s.Promote {
			m.Own.Promote = p.is
		}
	}
	if s.Entry != "" {
		m.Scale = 1 // a recording runs as it is
	}
	m.Script, _ = s.Own.Read(asks) // what is wrong run says, of the system that has it
	return m
}

// A trace is what runs, with what it takes where all memory is DRAM.
type trace struct {
	*stream.Workload
	about, origin string
	notes         []string
	ideal         *core.Result // DRAM-only
	setup         core.Setup   // that ideal is of
}

// A result is a run, and that of DRAM-only on the same workload.
type result struct {
	*core.Result
	ideal *core.Result
	setup core.Setup
	w     *trace
}

// What sections and exports are made of, with this laboratory's types.
type (
	seen    = lab.View[settings, *trace, *result]
	section = lab.Shown[settings, *trace, *result]
	format  = lab.Written[settings, *trace, *result]
)

// New returns the laboratory.
func New() lab.Lab {
	return lab.New(lab.Spec[settings, *trace, *result]{
		Info: lab.Info{
			Name: "cxlssd", Title: "CXL-SSD",
			About:   "A CPU's memory is a CXL-SSD: flash behind a cache of pages and a log of lines (SkyByte).",
			Lead:    "What happens when a CPU's memory is flash behind a CXL link.",
			Systems: systems(),
			Panels: []lab.Panel{
				{Key: "workload", Title: "Workload"},
				{Key: "recipe", Title: "Recipe", Folded: true},
				{Key: "device", Title: "Device"},
				{Key: "host", Title: "Host"},
				{Key: "options", Title: "Fidelity", Folded: true},
				own.Panel(),
			},
			Charts: charts(), Picture: picture(), Presets: presets(),
			Brief: []lab.Brief{{Text: "{workload}", Panel: "recipe"}, {Text: "{scale}", Trust: true}, {Text: "{mode}", Trust: true}, {Text: "{device}"}, {Text: "{flash?}, {channels} channels, {ssd_dram} DRAM, {log} log"}},
			Say: lab.Say{
				Quantity: "of_ideal", Of: "of DRAM-only's speed", Percent: false, Than: "× as fast as", Over: "above 100 %: DRAM-only, with a thread a core, is no bound", Most: "is fastest",
				Seed: "seed", Loss: "cores", LossOf: "time_ms", Spends: "%s spends %s of its %s %s, %s %s", LossSays: "Its cores spend their time mostly %[2]s (%[3]s of it)", Cannot: "cannot run it",
				Alone:  []lab.Alone{{Quantity: "request_p99_ns", Says: "99 %% of requests within %s"}, {Quantity: "write_amplification", Says: "write amplification %s"}},
				Change: []string{"of_ideal", "time_ms"}, Faster: "faster", Slower: "slower",
			},
			Rank:     []string{"time_ms", "of_ideal", "amat_ns", "flash_programs", "flash_reads"},
			Floor:    lab.Lowest("time_ms", "of_ideal"),
			Drop:     "Drop an address trace (perf script, DynamoRIO, Valgrind Lackey, gem5, or Spillway's own) anywhere on this page",
			Hardware: strings.Fields("-flash_read -flash_program -flash_erase channels dies channel_rate ssd_dram log host_dram -link link_rate -index -access -dram_latency cores clock -switch"),
			Sliced:   true, Entry: "entry", EntryKnobs: []string{"split", "llc", unsaid}, Vary: "log",
			Contradictions: "device", ContradictionHelp: "The settings contradict each other. Correct classes under Recipe, everything else under Device.",
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Asked: []lab.Asked{{Words: "slow wait", ID: "chart cores"}, {Words: "why cause", ID: "section why"}, {Words: "latency breakdown percentile tail", ID: "section bill"}, {Words: "lost lose data", ID: "section dropped"}, {Words: "endurance wear price", ID: "section cost"}},
		},
		Why:     why(),
		Asks:    asks,
		Default: standard(),
		Knobs:   knobs(),
		Check:   check,
		Unread:  func(s *settings, _ string) string { return s.Own.Unread(asks) },
		Accept:  accept,
		Source: func(s *settings) string {
			if s.Entry != "" {
				return fmt.Sprintf("entry=%q split=%d llc=%d seed=%d clock=%d workload=%s %s", s.Entry, s.Split, s.LLC, s.Setup.Seed, s.Setup.Clock, s.Workload, recipeText(&s.Recipe))
			}
			return fmt.Sprintf("workload=%s scale=%d seed=%d classes=%q %s", s.Workload, s.Setup.Scale, s.Setup.Seed, s.Classes, recipeText(&s.Recipe))
		},
		Load:     load,
		Run:      run,
		Bound:    proof,
		Measures: measures(),
		Report:   describe,
		Steps:    steps,
		Less:     less,
		Result:   core.Result{},
		JSON:     func(r *result) ([]byte, error) { return jsontext.MarshalIndent(r.Result) },
		Hash:     func(r *result) string { return core.Hash(r.Result) },
		Sections: sections(),
		Exports:  exports(),
		Timeline: timefiles.Happening(timed),
		Studies:  studies(),
	})
}

// systems lists the designs.
func systems() []lab.System {
	var list []lab.System
	for _, s := range core.Systems {
		x := lab.System{Name: s.Name, Title: s.Title, About: s.About, Family: "SkyByte", Paper: "SkyByte, HPCA 2025, §5 and §6", Off: s.Off, Main: s.Main, Usual: s.Base, Yardstick: s.DRAM, Look: s.Look, Unread: unread(&s.Design)}
		switch {
		case s.DRAM || s.Base:
			x.Family = "Baselines"
		case s.Own:
			x.Family, x.Paper = "Ours", "not in the paper"
		case s.Promote == core.TPP || s.Promote == core.AstriFlash:
			x.Family = "Other migration"
		}
		list = append(list, x)
	}
	best := lab.Best(
		"A proven bound, not a run: no design can be faster, whatever its device has. It is the computing of all threads, and their loads at the lowest latency of any memory here. It knows nothing of flash, so it is loose where flash decides. DRAM-only is no bound.",
		"Spillway: sums over threads and requests", 10)
	best.Unread = ofOwn + " " + ofSwitch + " " + ofPromotion + " " + ofFlash + " log channels dies planes blocks pages dram_price flash_price"
	return append(list, own.System(asks, 13), best)
}

// Settings of one mechanism, and of flash and what leads to it.
const (
	ofSwitch    = "switch threshold"
	ofPromotion = "host_dram demote_dirty demote_most fill_promote promote_at promote_reset scan_period scan_pages promote_copy shootdown"
	ofOwn       = "own_log own_switch own_promote"
	ofFlash     = "fill flash_read flash_program flash_erase channel_rate ssd_dram ways link link_rate index access precondition collect_at collect_until endurance store_buffer mode"
)

// unread are settings that a design does not read: those of mechanisms that it does not have.
func unread(d *core.Design) string {
	if d.Own { // it has what its settings say
		return ""
	}
	return ofOwn + " " + lacking(d)
}

// lacking are settings of mechanisms that a design does not have.
func lacking(d *core.Design) string {
	var keys []string
	for _, x := range []struct {
		of   string
		lack bool
	}{
		{"switching " + ofSwitch, !d.Switch},
		{ofPromotion, d.Promote == core.NoPromotion},
		{"promote_reset", d.Promote == core.TPP},
		{"log", !d.Log},
		{ofFlash + " flash_price", d.DRAM},
	} {
		if x.lack {
			keys = append(keys, x.of)
		}
	}
	return strings.Join(keys, " ")
}

// proof is what no design can be faster than.
func proof(w *trace, s *settings, _ lab.Progress) (*lab.Proof, error) {
	m := s.machine()
	least, err := core.Bound(w.Workload, &m)
	if err != nil {
		return nil, err
	}
	dram, err := w.allInDRAM(&m, "", nil)
	if err != nil {
		return nil, err
	}
	return &lab.Proof{
		Value: ratio(int64(least), int64(unit.Millisecond)), Also: []float64{100 * ratio(int64(dram.Time), int64(least))}, About: w.about, Origin: w.origin,
		Notes: []string{"A proven bound, not a run: no design can be faster. Where flash decides, nobody knows whether it can be reached."},
	}, nil
}

// load returns what the settings run.
func load(s *settings, f lab.Files) (*trace, error) {
	if s.Entry != "" {
		return entry(s, f)
	}
	return generate(s)
}

// run runs a design, and DRAM-only where nobody has yet.
func run(w *trace, s *settings, system string, p lab.Progress) (*result, error) {
	if system == own.Name {
		if _, err := s.Own.Read(asks); err != nil {
			return nil, err
		}
	}
	m := s.machine()
	if system == ideal && w.ideal != nil && w.setup == dramOnly(m) {
		return &result{w.ideal, w.ideal, m, w}, nil
	}
	r, err := core.Run(w.Workload, &m, system, nil, p)
	if err != nil {
		return nil, err
	}
	ideal, err := w.allInDRAM(&m, system, r)
	if err != nil {
		return nil, err
	}
	return &result{r, ideal, m, w}, nil
}

// allInDRAM returns the run of DRAM-only with the same setup.
func (w *trace) allInDRAM(m *core.Setup, system string, r *core.Result) (*core.Result, error) {
	of := dramOnly(*m)
	if w.ideal != nil && w.setup == of {
		return w.ideal, nil
	}
	if system != ideal {
		var err error
		if r, err = core.Run(w.Workload, m, ideal, nil, nil); err != nil {
			return nil, err
		}
	}
	w.ideal, w.setup = r, of
	return r, nil
}

// ideal is the design that the paper compares others with.
var ideal = core.Systems[slices.IndexFunc(core.Systems, func(x core.System) bool { return x.DRAM })].Name

// dramOnly is a setup without what DRAM-only does not have, so that it need not run
// again when only that changes.
func dramOnly(m core.Setup) core.Setup {
	return core.Setup{Scale: m.Scale, Seed: m.Seed, Threads: m.Threads, Cores: m.Cores, Clock: m.Clock, StoreSize: m.StoreSize, Scheduler: m.Scheduler}
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")

// studies are the papers that can be reproduced.
func studies() []lab.Study[settings, *trace, *result] {
	return []lab.Study[settings, *trace, *result]{
		lab.Reproduce(lab.PaperInfo{
			Key: "skybyte", Title: "The SkyByte paper",
			About: "Figures 2 to 6, 9, 10 and 14 to 23 and Tables I, III and IV of SkyByte (HPCA 2025), with the artifact's settings. Its traces are not public: workloads are fitted to what was published of them.",
		}, skybyte.Paper, skybyte.Reader, nil, func(r *lab.Run[settings, *trace, *result]) *core.Result { return r.Result.Result }),
	}
}
