// Package compress assembles the laboratory of GPU memory whose contents hardware
// compresses: Buddy Compression, with Bit-Plane Compression of every entry.
package compress

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	core "spillway/sim/compress"
	"spillway/sim/knob"
	"spillway/sim/policy"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	paper "spillway/ui/lab/compress/papers/buddy"
	"spillway/ui/lab/own"
)

// A settings is everything a run depends on besides the design.
type settings struct {
	Contents string // a suite, one of its programs, or a network of the zoo
	Batch    int64  // of a network
	Entry    string // of opened files, instead of Contents; empty for none
	Exact    string // of files: "yes" measures every entry, "no" a sample
	Patterns string // "text" if programs access memory as the paper says, "alike" if all do as set
	Setup    core.Setup
	Own      own.Setting
}

// asks is what policies that people write can be asked.
var asks = core.Asks()

func standard() settings {
	return settings{Contents: core.Suites()[0].Name, Exact: "no", Patterns: "text", Batch: batch, Setup: core.Published(), Own: own.Standard()}
}

// A memory is what is compressed.
type memory struct {
	programs      []core.Program
	about, origin string
	caveat        string // what decides whether results can be trusted
	notes         []string
	many          bool     // the only program is of several files
	tensors       []tensor // of files, as the allocations of their only program
	// bytes fills p with a tensor's bytes from a place on, by its number among tensors;
	// nil where only what was measured of a file is at hand.
	bytes func(tensor int, at int64, p []byte) error
}

// A result is what came out for each program, and the means.
type result struct {
	Programs []*core.Result
	Tensors  []tensor
	sum      core.Summary
	memory   *memory
	setup    core.Setup
	variant  core.Variant

	// Script is what somebody wrote, nil of all other designs; reads says whether it goes by the
	// Buddy Threshold. GaveUp says why there is nothing else, where it asked for too much.
	Script *policy.Account
	reads  bool
	GaveUp string
}

// What sections are made of, with this laboratory's types.
type (
	seen    = lab.View[settings, *memory, *result]
	section = lab.Shown[settings, *memory, *result]
)

// New returns the laboratory.
func New() lab.Lab {
	return lab.New(lab.Spec[settings, *memory, *result]{
		Info: lab.Info{
			Name: "compress", Title: "Compression",
			About:   "Hardware compresses GPU memory, so more fits (Buddy Compression).",
			Lead:    "How much larger GPU memory becomes when hardware compresses it.",
			Systems: systems(),
			Panels:  []lab.Panel{{Key: "contents", Title: "Contents"}, {Key: "hardware", Title: "Machine"}, {Key: "policy", Title: "Policy", Folded: true}, own.Panel()},
			Charts:  charts(), Picture: picture(), Presets: presets(),
			Brief: []lab.Brief{{Text: "{contents}"}, {Text: "link {link}, memory {memory}", Panel: "hardware"}},
			Say: lab.Say{
				Quantity: "ratio", Than: "× the memory of", Most: "makes memory largest", Cannot: "cannot run it",
				Price: "slowdown_percent", More: "more time", Less: "less time",
				None: "No design makes memory larger", NoneAt: 1,
				Change: []string{"ratio", "time"}, Faster: "larger", Slower: "smaller",
			},
			Floor: lab.Lowest("time"),
			Drop:  "Drop safetensors, .npy, .npz, a PyTorch checkpoint or any bytes anywhere on this page", Sliced: true,
			Hardware: strings.Fields("gpu_memory memory link cache"),
			Entry:    "entry", EntryKnobs: []string{"exact"}, Vary: "threshold", Contradictions: "hardware", ContradictionHelp: "These settings contradict each other. Correct them under Machine.",
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Asked: []lab.Asked{{Words: "checkpoint safetensors own model", ID: "press pick-files-button"}},
		},
		Why:     why(),
		Asks:    asks,
		Default: standard(),
		Knobs:   knobs(),
		Check:   func(s *settings) error { return s.Setup.Validate() },
		Unread:  func(s *settings, _ string) string { return s.Own.Unread(asks) },
		Accept:  accept,
		Source: func(s *settings) string {
			if s.Entry != "" {
				return fmt.Sprint("entry ", s.Exact, " ", s.Entry)
			}
			return fmt.Sprint(s.Contents, " ", s.Batch)
		},
		Load:     load,
		Run:      run,
		Bound:    proof,
		Measures: measures(),
		Report:   describe,
		Steps:    steps,
		Less:     "Choose less contents.",
		Result:   written{},
		Inline:   true,
		JSON:     encode,
		Hash:     hashOf,
		Sections: sections(),
		Studies: []lab.Study[settings, *memory, *result]{lab.Reproduce(lab.PaperInfo{
			Key: "buddy", Title: "The Buddy Compression paper",
			About: "The numbers in the text of Buddy Compression: Enabling Larger Memory for Deep Learning and HPC Workloads on GPUs (ISCA 2020). Its contents are not public: those of the two suites are fitted to its means.",
		}, paper.Paper, paper.Reader, func(m *memory) []core.Program { return m.programs }, func(r *lab.Run[settings, *memory, *result]) *core.Setup { return &r.Result.setup })},
	})
}

// sections are the parts of the page that only this laboratory has.
func sections() []section {
	return []section{{Show: allocations, Section: lab.Section{
		Key: "allocations", Title: "Allocations and their targets", Run: true, Knobs: []knob.Info{groupsKnob()},
		About: "What each allocation holds, and how much GPU memory its entries of 128 bytes get.",
	}}, {Show: thresholds, Section: lab.Section{
		Key: "thresholds", Title: "Other Buddy Thresholds", Run: true,
		About: "How many entries may overflow, and what that brings (the paper's Figure 9).",
	}}, {Show: heat, Section: lab.Section{
		Key: heatKey, Title: "Heat map of one allocation", Run: true, Bytes: true, Knobs: heatKnobs(),
		About: "Where memory compresses, entry by entry in address order (the paper's Figure 6).",
	}}, {Show: inside, Section: lab.Section{
		Key: insideKey, Title: "Inside one entry", Folded: true, Run: true, Bytes: true, Knobs: insideKnobs(),
		About: "How Bit-Plane Compression sees 128 bytes: 32 words, their 31 differences, and the 33 bit planes of these. Pick a cell of the heat map, or type a number.",
	}}}
}

// systems lists the designs.
func systems() []lab.System {
	var list []lab.System
	for i, v := range core.Variants() {
		list = append(list, lab.System{Name: v.Name, Title: v.Title, About: v.About, Family: "Buddy Compression", Paper: "Buddy Compression, " + v.Section, Bound: v.Ideal, Main: v.Special, Usual: v.Whole, Look: i, Unread: unread(&v)})
	}
	mine, best := own.System(asks, len(list)), lab.Best(
		"No design can be faster that holds the same in the same GPU memory: every allocation has the target at which its accesses cost least, and metadata cost nothing. A proven bound; compression of traffic alone reaches it where everything fits.",
		"Spillway: Lagrangian duality over targets", 10)
	mine.Unread, best.Unread = unread(&core.Variant{Special: true}), unread(&core.Variant{Traffic: true})
	return append(list, mine, best)
}

// unread are settings that a design does not read: targets that it does not set, and, where memory
// is not compressed, the link to what does not fit.
func unread(v *core.Variant) string {
	const limits = "tiny max_ratio" // of targets
	switch {
	case v.Ideal || v.Traffic:
		keys := "memory link written scattered cache line threshold naive " + limits
		if v.Ideal {
			keys += " gpu_memory bound random"
		}
		return keys
	case v.Whole:
		return "threshold " + limits
	case !v.Special:
		return "naive " + limits
	}
	return "naive"
}

// proof is what no design can be faster than.
func proof(w *memory, s *settings, _ lab.Progress) (*lab.Proof, error) {
	setup := s.Setup
	setup.Alike = s.Patterns == "alike"
	sum := 0.0
	for i := range w.programs {
		least, ok := core.Bound(&w.programs[i], &setup)
		if !ok {
			return &lab.Proof{Reason: fmt.Sprintf("%s does not fit into %v with any targets. More GPU memory would help", w.programs[i].Name, setup.GPU)}, nil
		}
		sum += least
	}
	return &lab.Proof{
		Value: sum / float64(len(w.programs)), About: w.about, Origin: w.origin,
		Notes: []string{"A proven bound, not a design: no targets make it faster. Compression of traffic alone reaches it where everything fits."},
	}, nil
}

// programKey is the key of a program of a suite.
func programKey(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "-", ".", "-", "_", "-").Replace(name))
}

func knobs() map[string][]knob.Knob[settings] {
	contents := knob.Knob[settings]{
		Info: knob.Info{Key: "contents", Label: "Contents", Help: "What lies in GPU memory.", Kind: knob.One, Always: true},
		Word: func(s *settings) *string { return &s.Contents },
	}
	for _, s := range core.Suites() {
		contents.Choices = append(contents.Choices, knob.Choice{Key: s.Name, Label: s.Title, Help: s.About, Source: "Buddy Compression, Table 1; contents fitted"})
	}
	for _, s := range core.Suites() {
		for _, p := range s.Programs() {
			contents.Choices = append(contents.Choices, knob.Choice{Key: programKey(p.Name), Label: p.Name, Help: "One program of the " + s.Title + ".", Source: "Buddy Compression, Table 1; contents fitted"})
		}
	}
	for i := range contents.Choices {
		contents.Choices[i].Hides = []string{"batch"}
	}
	contents.Choices = append(contents.Choices, networks()...)
	file := []knob.Knob[settings]{
		batchKnob(),
		{Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which file's tensors are compressed, by name.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.Entry }},
		{
			Info: knob.Info{
				Key: "exact", Label: "Entries of files", Help: "Whether all entries of a file are compressed, or a sample, which has a standard error.", Kind: knob.One,
				Choices: []knob.Choice{{Key: "no", Label: "a sample"}, {Key: "yes", Label: "all"}},
			}, Word: func(s *settings) *string { return &s.Exact },
		},
	}
	rate := func(key, label, help, source string, ref func(*settings) *unit.Bandwidth) knob.Knob[settings] {
		return knob.Int(knob.Info{Key: key, Label: label, Help: help, Source: source, Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(unit.GBps), Max: 100_000 * int64(unit.GBps)}, ref)
	}
	share := func(key, label, help, source string, ref func(*settings) *core.Thousandths) knob.Knob[settings] {
		return knob.Int(knob.Info{Key: key, Label: label, Help: help, Source: source, Unit: "%", Scale: 10, Max: 1000}, ref)
	}
	without := func(k knob.Knob[settings], while, why string) knob.Knob[settings] {
		k.Idle = []knob.Idle{{While: while, Why: why}}
		return k
	}
	return map[string][]knob.Knob[settings]{
		own.Panel().Key: own.Knobs(asks, func(s *settings) *own.Setting { return &s.Own }),
		"contents":      append([]knob.Knob[settings]{contents}, file...),
		"hardware": {
			knob.Int(knob.Info{Key: "gpu_memory", Label: "GPU memory", Help: "Memory of the GPU; 0 for as much as each program needs.", Source: "the paper compares with a GPU that is large enough, §4.2", Unit: "GiB", Scale: int64(unit.GiB), Max: 1024 * int64(unit.GiB)}, func(s *settings) *unit.Bytes { return &s.Setup.GPU }),
			rate("memory", "Rate of GPU memory", "Of the GPU's own memory.", "Buddy Compression, Table 2", func(s *settings) *unit.Bandwidth { return &s.Setup.Memory }),
			rate("link", "Rate of the link", "To the buddy memory, in each direction.", "Buddy Compression, Table 2: NVLink2", func(s *settings) *unit.Bandwidth { return &s.Setup.Link }),
			share("bound", "Bound by memory", "The share of its time that a program waits for GPU memory; compressed traffic shortens only that.", "fitted to AlexNet's two slowdowns, §4.2", func(s *settings) *core.Thousandths { return &s.Setup.Bound }),
			share("written", "Written", "The share of buddy traffic that is writes, which use the link's other direction at the same time.", "0: AlexNet's two slowdowns, §4.2, leave no room for more than a quarter", func(s *settings) *core.Thousandths { return &s.Setup.Written }),
			{
				Info: knob.Info{
					Key: "patterns", Label: "Access patterns", Help: "Whether the four programs whose memory accesses the paper describes access memory that way.", Kind: knob.One,
					Choices: []knob.Choice{
						{Key: "text", Label: "as the paper says", Help: "354.cg and 360.ilbdc ask for one sector three times of four; 351.palm and 355.seismic jump once in four.", Source: "Buddy Compression, §4.2; shares assumed"},
						{Key: "alike", Label: "alike for all", Help: "All programs have the two shares below."},
					},
				},
				Word: func(s *settings) *string { return &s.Patterns },
			},
			share("random", "Accesses of one sector", "The share of accesses that ask for one sector of an entry; all others take whole entries. A compressed entry is always moved as a whole.", "0: most accesses take all sectors, §4.2", func(s *settings) *core.Thousandths { return &s.Setup.Pattern.Random }),
			without(share("scattered", "Scattered accesses", "The share of accesses that jump anywhere in memory and rarely find their metadata in the cache; all others are sequential.", "0: most programs have high hit rates, §3.2", func(s *settings) *core.Thousandths { return &s.Setup.Pattern.Scattered }), "cache=0", "no metadata cache, which all accesses miss: set cache above 0"),
			knob.Int(knob.Info{Key: "cache", Label: "Metadata cache", Help: "Of all slices together: 4 bits for each entry.", Source: "4 KB in each of 32 slices, Table 2; 64 KB in §3.2; 4 KB a DRAM channel in §3.5", Unit: "KiB", Scale: int64(unit.KiB), Max: int64(unit.GiB)}, func(s *settings) *unit.Bytes { return &s.Setup.Cache }),
			knob.Int(knob.Info{Key: "line", Label: "Line of the metadata cache", Help: "What a miss fetches: 64 entries for every 32 bytes.", Source: "128 B in Table 2; 32 B in §3.2", Unit: "B", Scale: 1, Min: 1, Max: int64(unit.KiB)}, func(s *settings) *unit.Bytes { return &s.Setup.Line }),
		},
		"policy": {
			share("threshold", "Buddy Threshold", "The share of an allocation's entries that may overflow to the buddy memory.", "Buddy Compression, §3.4: 30 %, swept from 10 to 40", func(s *settings) *core.Thousandths { return &s.Setup.Threshold }),
			share("naive", "Overflow of one target", "How many of all entries may overflow where the whole program has one target.", "fitted to the naive design's ratio and accesses, §3.4", func(s *settings) *core.Thousandths { return &s.Setup.Naive }),
			without(share("tiny", "Mostly zero", "How many of an allocation's entries must take at most 8 bytes for 16x.", "assumed; the paper says mostly zero", func(s *settings) *core.Thousandths { return &s.Setup.Tiny }), "max_ratio=1", "nothing may be larger: set max_ratio above 1"),
			knob.Int(knob.Info{Key: "max_ratio", Label: "Largest ratio", Help: "Of the whole program: what the carve-out of buddy memory is sized for.", Source: "Buddy Compression, §3.5", Unit: "×", Scale: 1000, Min: 1000, Max: 16000}, func(s *settings) *core.Thousandths { return &s.Setup.MaxRatio }),
		},
	}
}

// load returns what the settings compress.
func load(s *settings, f lab.Files) (*memory, error) {
	if s.Entry != "" {
		return entry(s.Entry, s.Exact == "yes", f)
	}
	m := &memory{
		origin: "The paper's programs and footprints (Table 1); contents fitted to its published means.",
		caveat: "Contents are fitted to the paper's means: its ratios come out by construction, its slowdowns, but for AlexNet's, do not.",
	}
	for _, suite := range core.Suites() {
		programs := suite.Programs()
		if s.Contents == suite.Name {
			m.programs = programs
		}
		for i := range programs {
			if s.Contents == programKey(programs[i].Name) {
				m.programs = programs[i : i+1]
			}
		}
	}
	if m.programs == nil {
		var err error
		if m, err = network(s.Contents, s.Batch); err != nil {
			return nil, fmt.Errorf("unknown contents %q: %w", s.Contents, err)
		}
	}
	m.about = about(m.programs)
	return m, nil
}

// about describes programs in numbers.
func about(list []core.Program) string {
	var bytes unit.Bytes
	n := 0
	for i := range list {
		bytes += list[i].Bytes()
		n += len(list[i].Allocations)
	}
	if len(list) == 1 {
		return fmt.Sprintf("%s, %v.", prose.Count(n, "allocation"), bytes)
	}
	return fmt.Sprintf("%d programs with %s, %v in all.", len(list), prose.Count(n, "allocation"), bytes)
}

func run(w *memory, s *settings, system string, _ lab.Progress) (*result, error) {
	if system == own.Name {
		return runOwn(w, s)
	}
	v, err := core.Find(system)
	if err != nil {
		return nil, err
	}
	r := &result{memory: w, setup: s.Setup, variant: v, Tensors: w.tensors}
	r.setup.Alike = s.Patterns == "alike"
	for i := range w.programs {
		r.Programs = append(r.Programs, core.Run(&w.programs[i], &r.setup, &v))
	}
	r.sum = core.Summarize(r.Programs)
	return r, nil
}

// whole makes an error of a run that was given up: there is nothing to show of it.
func whole(r *result, err error) (*result, error) {
	if err == nil && r.GaveUp != "" {
		return nil, errors.New(r.GaveUp)
	}
	return r, err
}

// variantOf is the design that a system is.
func variantOf(s *settings, system string) (core.Variant, error) {
	if system != own.Name {
		return core.Find(system)
	}
	c, err := s.Own.Read(asks)
	if err != nil {
		return core.Variant{}, err
	}
	return core.OwnVariant(c), nil
}

// reads reports whether what somebody wrote reads a feature.
func (s *settings) reads(feature string) bool {
	c, err := s.Own.Read(asks)
	return err == nil && c.Reads(feature)
}

// runOwn runs what somebody wrote.
func runOwn(w *memory, s *settings) (*result, error) {
	c, err := s.Own.Read(asks)
	if err != nil {
		return nil, err
	}
	r := &result{memory: w, setup: s.Setup, variant: core.OwnVariant(c), Tensors: w.tensors, reads: c.Reads("threshold")}
	r.setup.Alike = s.Patterns == "alike"
	o := core.NewOwn(c)
	for i := range w.programs {
		x := o.Run(&w.programs[i], &r.setup)
		if x == nil {
			r.Programs, r.GaveUp = nil, o.GaveUp()
			break
		}
		r.Programs = append(r.Programs, x)
	}
	account := o.Account()
	if r.Script = &account; r.GaveUp == "" {
		r.sum = core.Summarize(r.Programs)
	}
	return r, nil
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")

// unfit says which program the GPU's memory is too small for, the one that needs most,
// and what would help; it is empty if all fit.
func unfit(w *memory, s *settings, r *result) string {
	gpu := s.Setup.GPU
	most := worst(r)
	need := needs(most)
	if need <= gpu {
		return ""
	}
	loose, knob := *s, "a larger Buddy Threshold"
	loose.Setup.Threshold = 1000
	if r.variant.Whole {
		loose, knob = *s, "a larger overflow of one target"
		loose.Setup.Naive = 1000
	}
	help := "More GPU memory would help"
	if !r.variant.Traffic && (r.Script == nil || r.reads) {
		if o, err := whole(run(w, &loose, r.variant.Name, nil)); err == nil && needs(worst(o)) <= gpu {
			help = "More GPU memory or " + knob + " would help"
		}
	}
	with := " with its targets"
	if r.variant.Traffic {
		with = ""
	}
	return fmt.Sprintf("%s needs %v of GPU memory%s, the GPU has %v. %s", most.Program, need, with, gpu, help)
}

// worst is what came out for the program that needs most GPU memory.
func worst(r *result) *core.Result {
	return slices.MaxFunc(r.Programs, func(a, b *core.Result) int { return cmp.Compare(needs(a), needs(b)) })
}

// needs is the GPU memory that a program needs.
func needs(p *core.Result) unit.Bytes { return p.Device + p.Capacity.Metadata }

// describe is the report of a result.
func describe(w *memory, s *settings, r *result) *report.Report {
	rep := &report.Report{Fits: true, About: w.about, Origin: w.origin, Notes: slices.Clone(w.notes), Lead: lead(w, s)}
	if r.Script != nil {
		ran := own.Ran{Named: r.Script.Named, Spent: r.Script.Spent}
		ran.Tell(rep)
	}
	if r.GaveUp != "" {
		rep.Fits, rep.Reason = false, r.GaveUp
		return rep
	}
	if w.caveat != "" {
		rep.Caveats = []string{w.caveat}
	}
	if text := undecided(w, r); text != "" {
		rep.Caveats = append(rep.Caveats, text)
		rep.Notes = append(rep.Notes, text)
	}
	if s.Setup.GPU > 0 && !r.variant.Ideal {
		rep.Reason = unfit(w, s, r)
		rep.Fits = rep.Reason == ""
	}
	if len(r.Programs) > 1 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("Programs run one at a time: bytes are those of %s, the largest. Ratios, accesses and times are means over all.", r.largest().Program))
	}
	if !slices.ContainsFunc(r.Programs, func(p *core.Result) bool { return p.Remote > 0 }) {
		rep.SayIdle("memory link written", "nothing overflows to the buddy memory")
	}
	rep.Values = report.Measured(list(), r) // where it does not fit, too
	if rep.Fits {
		rep.Curves = curves(s, r)
	}
	return rep
}

// lead says the problem: what there is to hold, and in what.
func lead(w *memory, s *settings) string {
	var all, most unit.Bytes
	for i := range w.programs {
		n := w.programs[i].Bytes()
		all, most = all+n, max(most, n)
	}
	verb := "holds"
	if w.many {
		verb = "hold"
	}
	text := fmt.Sprintf("%s %s %v.", w.programs[0].Name, verb, all)
	if n := len(w.programs); n > 1 {
		text = fmt.Sprintf("%d programs hold up to %v each.", n, most)
	}
	if gpu := s.Setup.GPU; gpu > 0 {
		text = strings.TrimSuffix(text, ".") + fmt.Sprintf(", the GPU has %v.", gpu)
	}
	return text + " How much more fits where memory is compressed?"
}

func help() []lab.Help {
	return []lab.Help{
		{Title: "Entries and slots", Text: "Memory is compressed in entries of 128 bytes. Every allocation has a target, which is how much GPU memory an entry has there: 128, 96, 64, 32 or 8 bytes. What does not fit lies in the buddy memory behind the link, and is fetched from there. Nothing moves when contents change."},
		{Title: "What compresses", Text: "Dense floats do not: their lowest bits are noise. Zeros, masks, small integers and sorted indices do. Entries that are all zero or all dense never reach 2x: with up to 30 % dense entries the target is 4x, with more it is 1x. Activations after a ReLU, of which 39 % of the entries are zero, therefore gain nothing."},
		{Title: "Slowdown", Text: "Against a GPU that holds everything uncompressed: less traffic to GPU memory, but traffic to the buddy memory at the link's rate, which is added, not hidden. Negative is faster. Latencies are not modeled. Memory that nobody has touched moves nothing."},
		{Title: "The best possible", Text: "A proven bound on time. A design gives every allocation one of five targets, and its time is what does not wait for memory, and for each allocation what its accesses move at that target, from GPU memory and over the link, one after the other; misses of metadata only add. So nothing is faster than the sum over allocations of the least over targets. Where GPU memory has a limit all slots fit into it; then for any price on a byte of it, the sum of the least of time and price times slots, less the price of all GPU memory, is below every choice that fits, and the best price is searched. Compression of traffic alone reaches it where everything fits; with three quarters of the footprint the best design takes 1.02 (HPC) to 1.08 (deep learning) times as long. The ratio has no such bound: whoever lets everything overflow has 16, and pays in time."},
		{Title: "How programs access memory", Text: "A compressed entry is moved as a whole, also for one sector of it; an entry that takes all four sectors is stored as it is, and one of them can be moved alone. Of four HPC programs the paper says that they ask for single sectors, or often miss the cache of the metadata; by how much is assumed here, and can be switched off under Machine."},
		{Title: "What the paper publishes", Text: "Reproduce has every number of its text beside the one that is computed here, and says of each that is not reached, or not computed, why. Circles in the chart over the link's rate are the published slowdowns."},
		{Title: "Your own tensors", Text: "safetensors, NumPy arrays, PyTorch checkpoints and bytes of any kind. Files stay on this computer and are read in slices; by default a sample of every tensor."},
	}
}

func glossary() []lab.Term {
	const paper = "Buddy Compression, ISCA 2020"
	return []lab.Term{
		{Name: "Bandwidth-only compression", Is: "Compressing what moves between the L2 cache and GPU memory, and nothing that lies there: it saves time, not memory.", Source: paper},
		{Name: "Bit-Plane Compression", Is: "Compressing 32 words by the bits of their differences, plane by plane.", Source: "Kim et al., ISCA 2016"},
		{Name: "Buddy memory", Is: "Memory behind the link that holds what does not fit into an entry's slot.", Source: paper},
		{Name: "Buddy Threshold", Is: "The share of an allocation's entries that may overflow when its target is chosen.", Source: paper},
		{Name: "Memory entry", Is: "128 bytes that are compressed together.", Source: paper},
		{Name: "Metadata", Is: "4 bits that say of a memory entry in how many sectors it is stored; a cache in front of GPU memory holds those in use.", Source: paper},
		{Name: "Sector", Is: "32 bytes, the least that GPU memory reads.", Source: paper},
		{Name: "Target", Is: "The compression ratio that an allocation is given slots for.", Source: paper},
	}
}

func picture() *lab.Picture {
	return &lab.Picture{
		Places: []lab.Place{
			{Key: "gpu", Title: "GPU memory", Size: "gpu_memory", Unbounded: true, Used: "device_bytes"},
			{Key: "buddy", Title: "Buddy memory", Used: "buddy_bytes", Turn: []string{"threshold", "max_ratio"}},
		},
		Links: []lab.Link{{Key: "link", Title: "Link", From: "gpu", To: "buddy", Lanes: []lab.Lane{{To: "gpu", Rate: "link"}, {To: "buddy", Rate: "link"}}}},
	}
}

func presets() []lab.Preset {
	return []lab.Preset{
		{Key: "deep-learning", Title: "Six networks", Set: "contents=dl", About: "The paper's deep learning suite, with contents fitted to its means."},
		{Key: "hpc", Title: "Ten HPC programs", Set: "contents=hpc", About: "The paper's HPC suite, with contents fitted to its means."},
		{Key: "bert", Title: "BERT in training", Set: "contents=bert-base", About: "Everything alive at once at batch 256, with generated contents for each kind of tensor: dense floats gain nothing."},
		{
			Key: "own-targets", Title: "A policy of your own", Set: "contents=dl link=50 policy=%23By+what+it+costs@allow=remote*memory/link%3C=p1 p1=0.4",
			About:   "Buddy counts the entries that overflow. One line under Your policy counts what fetching them takes, which hangs on the link: at NVLink2's 150 GB/s both choose the same targets, at 50 the policy gives up a little memory and wins the time back. Dial 1 is how much it may take.",
			Systems: []string{"naive", paper.Design, own.Name},
		},
		{Key: "alexnet-slow-link", Title: "AlexNet on a slow link", Set: "contents=alexnet link=50", About: "At 50 GB/s, where the paper measured 35 % more time."},
	}
}
