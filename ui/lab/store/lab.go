// Package store assembles the laboratory of Ravenstore's object store: several
// programs keep tensors in one store on one GPU, which evicts what they do not
// need now.
package store

import (
	"errors"
	"fmt"
	"strings"

	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	core "spillway/sim/store"
	"spillway/sim/store/ops"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/zoo"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
	"spillway/ui/lab/store/papers/ravenstore"
	"spillway/ui/lab/timefiles"
)

// A settings is everything a run depends on besides the policy.
type settings struct {
	Workload string // a mix, or one of those below
	Entry    string // of opened files, instead of Workload; empty for none

	// Of networks.
	Model, Other, GPU  string // Other: of every second client, same for Model
	Batch, Clients     int64
	Offset, Iterations int64 // ms; in each client
	// Of pairs and of one allocation.
	Pairs, Bytes, Evicts int64

	Setup core.Setup
	Own   own.Setting
}

// same is the choice of one network for all clients.
const same = "same"

// Workloads that are no mix.
const (
	networks   = "networks"
	pairs      = "pairs"
	allocation = "allocation"
)

func standard() settings {
	mix := core.Mixes()[0]
	return settings{
		Workload: mix.Name, Model: "resnet-50", Other: same, GPU: "v100-sxm2-32", Batch: 64, Clients: 2, Offset: 20, Iterations: 2,
		Pairs: 100, Bytes: int64(16 * unit.MB), Setup: mix.Setup(), Own: own.Standard(),
	}
}

// A trace is what runs, with what the oracle makes of it.
type trace struct {
	*ops.Trace
	about, origin string
	setup         core.Setup // that oracle is of
	oracle        *core.Result
	best          *core.Best // of bestOf but for prefetch; nil until somebody asks
	bestOf        core.Setup
}

// A result is a run, and the oracle's of the same trace.
type result struct {
	*core.Result
	oracle *core.Result
	link   unit.Bandwidth
	says   string // which policy it is, of the best known
}

// What sections and exports are made of, with this laboratory's types.
type (
	view    = lab.View[settings, *trace, *result]
	section = lab.Shown[settings, *trace, *result]
	format  = lab.Written[settings, *trace, *result]
)

// New returns the laboratory.
func New() lab.Lab {
	return lab.New(lab.Spec[settings, *trace, *result]{
		Info: lab.Info{
			Name: "store", Title: "Object store",
			About:   "Programs share a GPU through a store that evicts what they do not need now (Ravenstore).",
			Lead:    "What happens when programs share a GPU's memory through a store.",
			Systems: systems(),
			Panels:  []lab.Panel{{Key: "workload", Title: "Workload"}, {Key: "hardware", Title: "Machine"}, {Key: "prefetch", Title: "Prefetch", Folded: true}, {Key: "costs", Title: "Costs and options", Folded: true}, own.Panel()},
			Charts:  charts(), Picture: picture(), Presets: presets(), Challenge: own.Challenge(core.Asks()), Unsaid: unsaid(),
			Brief: []lab.Brief{{Text: "{workload}"}, {Text: "{clients} × {model} {other?}, batch {batch}"}, {Text: "GPU {gpu_memory}", Panel: "costs"}, {Text: "{prefetch} {prefetch_yields?}", Trust: true}},
			Say: lab.Say{
				Quantity: "time_s", Of: "", Than: "× as fast as", Most: "is fastest", Loss: "causes", Rest: "No call: clients compute", Spends: "With %s the store spends %s of %s %s, with %s %s",
				LossOf: "time_s", LossSays: "The store spends its time mostly %[2]s (%[3]s of it)", Cannot: "cannot run it",
				Alone:  []lab.Alone{{Quantity: "hit_rate_percent", Says: "%s of gets found their tensor in GPU memory"}, {Quantity: "evictions", Says: "%s evictions"}},
				Faster: "faster", Slower: "slower",
			},
			Floor:    lab.Lowest("time_s").Knowing(core.Known().Name),
			Drop:     "Drop a trace of store operations (CSV or JSON Lines) anywhere on this page",
			Hardware: strings.Fields("gpu_memory host_memory link"),
			Entry:    "entry", Contradictions: "hardware", ContradictionHelp: "These settings contradict each other. Correct them under Machine.",
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Asked: []lab.Asked{{Words: "wait slow busy own time freeing", ID: "chart causes"}, {Words: "why cause", ID: "section why"}, {Words: "fair share", ID: "section fairness"}},
		},
		Why:     why(),
		Asks:    core.Asks(),
		Default: standard(),
		Knobs:   knobs(),
		Check:   func(s *settings) error { return s.Setup.Validate() },
		Unread:  func(s *settings, _ string) string { return s.Own.Unread(core.Asks()) },
		Accept:  accept,
		Source: func(s *settings) string {
			switch {
			case s.Entry != "":
				return "entry " + s.Entry
			case s.Workload == networks:
				return fmt.Sprint(networks, s.Model, s.Other, s.GPU, s.Batch, s.Clients, s.Offset, s.Iterations)
			case s.Workload == pairs || s.Workload == allocation:
				return fmt.Sprint(s.Workload, s.Pairs, s.Bytes, s.Evicts)
			}
			return s.Workload
		},
		Load:  load,
		Steps: steps,
		Less:  "Fewer clients, iterations or pairs would help.",
		Run:   run,
		Bound: func(w *trace, s *settings, _ lab.Progress) (*lab.Proof, error) {
			return &lab.Proof{
				Value: seconds(core.Bound(w.Trace, s.Setup)), About: w.about, Origin: w.origin,
				Notes: []string{"A proven bound, not a run: no policy that fits is faster. Nothing shows that it can be reached."},
			}, nil
		},
		Measures: measures(),
		Report:   describe,
		Result:   core.Result{},
		JSON:     func(r *result) ([]byte, error) { return jsontext.MarshalIndent(r.Result) },
		Hash:     func(r *result) string { return core.Hash(r.Result) },
		Sections: sections(),
		Exports:  exports(),
		Timeline: timefiles.Happening(timed),
		Studies: []lab.Study[settings, *trace, *result]{
			lab.Reproduce[settings, *trace, *result](lab.PaperInfo{
				Key: "ravenstore", Title: "The Ravenstore report",
				About: "Tables 1 and 2 of GPU Memory Harvesting for Global Memory Cache in Deep Learning Clusters (Georgia Tech, 2023). The report publishes no training result.",
			}, ravenstore.Paper, ravenstore.Reader, nil, nil),
		},
	})
}

// run runs a policy, and the one that knows the trace, or finds the best that is known.
func run(w *trace, s *settings, system string, p lab.Progress) (*result, error) {
	if w.oracle == nil || w.setup != s.Setup {
		oracle, err := core.Run(w.Trace, s.Setup, core.Oracle())
		if err != nil {
			return nil, err
		}
		w.oracle, w.setup = oracle, s.Setup
	}
	if system == core.Known().Name {
		best, err := w.bestKnown(s.Setup, p)
		if err != nil {
			return nil, err
		}
		return &result{best.Result, w.oracle, s.Setup.Link, best.Says()}, nil
	}
	policy, err := s.policy(system)
	if err != nil {
		return nil, err
	}
	r, err := core.Run(w.Trace, s.Setup, policy)
	if err != nil {
		return nil, err
	}
	return &result{r, w.oracle, s.Setup.Link, ""}, nil
}

// policy is what a system does that is not looked for.
func (s *settings) policy(system string) (core.Policy, error) {
	if system != own.Name {
		return core.Find(system)
	}
	c, err := s.Own.Read(core.Asks())
	if err != nil {
		return core.Policy{}, err
	}
	return core.Own(system, c), nil
}

// policy is what a system does with settings: of the best known the policy that is, and with
// prefetch or without.
func (t *trace) policy(system string, s *settings, p lab.Progress) (core.Policy, core.Setup, error) {
	if system == core.Known().Name {
		best, err := t.bestKnown(s.Setup, p)
		if err != nil {
			return core.Policy{}, s.Setup, err
		}
		x := best.Policy
		x.Title = core.Known().Title
		return x, best.Setup, nil
	}
	x, err := s.policy(system)
	return x, s.Setup, err
}

// bestKnown is the best that is known with a setup.
func (t *trace) bestKnown(s core.Setup, p lab.Progress) (*core.Best, error) {
	if t.best == nil || t.bestOf != s {
		best, err := core.BestKnown(t.Trace, s, p)
		if err != nil {
			return nil, err
		}
		t.best, t.bestOf = best, s
	}
	return t.best, nil
}

// systems lists the policies, and those that know the trace.
func systems() []lab.System {
	var list []lab.System
	for i, p := range append(core.Policies(), core.Oracle()) {
		s := lab.System{Name: p.Name, Title: p.Title, About: p.About, Family: "Ravenstore", Paper: "Ravenstore report, §4.3", Main: p.Main, Usual: p.Usual, Look: i + 1}
		if p.Ours {
			s.Family, s.Paper = "Ours", "not in the report"
		}
		if p.Name == core.Oracle().Name { // it is beaten, and no store has it
			s.Look, s.Off = 11, true
		}
		list = append(list, s)
	}
	known := core.Known()
	best := lab.Best(
		"No policy can be faster: a proven bound, and nothing that runs. It is what the slowest client, the store and shared computing must do, with the least that each client's own evictions cost. Nothing shows that it can be reached: it ignores clients that are too large only together, and with prefetch it assumes that every copy back is hidden.",
		"Spillway: sums, and least covers of deficits", 10)
	best.Unread = "host_memory link prefetch prefetch_yields headroom evict evict_copy pause parallel_eviction evicts"
	return append(list, own.System(core.Asks(), 12), lab.System{
		Name: known.Name, Title: known.Title, About: known.About, Family: "Bounds", Paper: "Spillway: Belady's order by time, size and cost", Bound: true,
	}, best)
}

// only hides the named knobs.
func only(c knob.Choice, hides ...string) knob.Choice {
	c.Hides = hides
	return c
}

// What belongs to one kind of workload alone.
var (
	ofNetworks   = []string{"model", "other", "gpu", "batch", "clients", "offset", "iterations"}
	ofPairs      = []string{"pairs"}
	ofAllocation = []string{"evicts"}
)

// oneClient leaves nothing to change to what is between clients.
var oneClient = []knob.Idle{{While: "workload=networks clients=1", Why: "one client: set clients above 1"}}

func knobs() map[string][]knob.Knob[settings] {
	which := knob.Knob[settings]{
		Info: knob.Info{Key: "workload", Label: "Workload", Help: "What the clients of the store do.", Kind: knob.One, Always: true},
		Word: func(s *settings) *string { return &s.Workload },
	}
	all := func(lists ...[]string) (out []string) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	sized := []string{"bytes"}
	for _, m := range core.Mixes() {
		which.Choices = append(which.Choices, only(knob.Choice{
			Key: m.Name, Label: m.Title, Help: m.About, Set: "gpu_memory=" + knob.Decimal(int64(m.GPU), int64(unit.GiB)),
		}, all(ofNetworks, ofPairs, ofAllocation, sized)...))
	}
	which.Choices = append(which.Choices,
		only(knob.Choice{
			Key: networks, Label: "Networks that train", Set: "gpu_memory=12",
			Help: "Networks train side by side; each leaves in the store what it does not need now. What enters first is needed last, so LRU and both latency-aware policies evict alike.",
		}, all(ofPairs, ofAllocation, sized)...),
		only(knob.Choice{
			Key: pairs, Label: "Pairs of allocation and free", Set: "gpu_memory=16",
			Help: "The report's benchmark of Table 1: allocate and free, one after the other.",
		}, all(ofNetworks, ofAllocation)...),
		only(knob.Choice{
			Key: allocation, Label: "One allocation, with or without eviction", Set: "gpu_memory=16",
			Help: "The report's benchmark of Table 2: an allocation on a GPU with room for one tensor.",
		}, all(ofNetworks, ofPairs)...),
	)
	number := func(k knob.Info, ref func(*settings) *int64) knob.Knob[settings] {
		if k.Scale == 0 {
			k.Scale = 1
		}
		return knob.Int(k, ref)
	}
	model := knob.Knob[settings]{Info: knob.Info{Key: "model", Label: "Model", Help: "The network that every client trains.", Kind: knob.One}, Word: func(s *settings) *string { return &s.Model }}
	other := knob.Knob[settings]{
		Info: knob.Info{
			Key: "other", Label: "Every second client", Help: "The network that every second client trains.", Kind: knob.One, Idle: oneClient,
			Choices: []knob.Choice{{Key: same, Label: "the same", Word: "-"}},
		}, Word: func(s *settings) *string { return &s.Other },
	}
	least, most := int64(1<<30), int64(0)
	for i := range zoo.Models {
		m := &zoo.Models[i]
		least, most = min(least, int64(m.MinBatch)), max(most, int64(m.MaxBatch))
		other.Choices = append(other.Choices, knob.Choice{Key: m.ID, Label: m.Title, Help: m.About, Source: m.Source, Word: "and " + m.Title, Limits: []knob.Limit{{Key: "batch", Min: int64(m.MinBatch), Max: int64(m.MaxBatch)}}})
		model.Choices = append(model.Choices, knob.Choice{Key: m.ID, Label: m.Title, Help: m.About, Source: m.Source, Limits: []knob.Limit{{Key: "batch", Min: int64(m.MinBatch), Max: int64(m.MaxBatch)}}})
	}
	gpu := knob.Knob[settings]{Info: knob.Info{Key: "gpu", Label: "Kernel times of", Help: "The GPU that kernel times are estimated for, by the law of kernel times, in TF32 where it has that.", Kind: knob.One}, Word: func(s *settings) *string { return &s.GPU }}
	for _, g := range kerneltime.GPUs() {
		c := knob.Choice{Key: g.Key, Label: g.Name, Source: g.Source + "; " + g.Ground.String()}
		for _, older := range []string{"a100-40", "a100-80", "v100-32", "v100-16", "h100-80"} {
			if kerneltime.Find(older) == kerneltime.Find(g.Key) {
				c.Names = append(c.Names, older)
			}
		}
		gpu.Choices = append(gpu.Choices, c)
	}
	work := []knob.Knob[settings]{
		which, model, other,
		number(knob.Info{Key: "batch", Label: "Batch size", Help: "Samples in each client's training iteration.", Min: least, Max: most}, func(s *settings) *int64 { return &s.Batch }),
		gpu,
		number(knob.Info{Key: "clients", Label: "Clients", Help: "How many copies of the network train.", Min: 1, Max: 8}, func(s *settings) *int64 { return &s.Clients }),
		number(knob.Info{Key: "offset", Label: "Offset", Unit: "ms", Help: "How much later each client starts than the one before it.", Min: 0, Max: 1e6, Idle: oneClient}, func(s *settings) *int64 { return &s.Offset }),
		number(knob.Info{Key: "iterations", Label: "Iterations", Help: "Training iterations of every client.", Min: 1, Max: 8}, func(s *settings) *int64 { return &s.Iterations }),
		number(knob.Info{Key: "pairs", Label: "Pairs", Help: "How many times the benchmark allocates and frees.", Min: 1, Max: 100_000}, func(s *settings) *int64 { return &s.Pairs }),
		number(knob.Info{Key: "bytes", Label: "Size", Unit: "MB", Help: "What the benchmark allocates.", Source: "128 B in Table 1; 16 and 32 MB in Table 2", Scale: int64(unit.MB), Min: 1, Max: int64(4 * unit.GB)}, func(s *settings) *int64 { return &s.Bytes }),
		number(knob.Info{Key: "evicts", Label: "Needs an eviction", Help: "Whether the memory is full of another client's tensor, which must leave first, or that tensor was freed.", Max: 1, Kind: knob.One, Choices: []knob.Choice{{Key: "1", Label: "yes"}, {Key: "0", Label: "no"}}}, func(s *settings) *int64 { return &s.Evicts }),
		{Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which trace of the opened files runs, by name.", Kind: knob.Word}, Word: func(s *settings) *string { return &s.Entry }},
	}
	var machine, early, costs []knob.Knob[settings]
	for _, k := range core.Knobs() {
		lifted := knob.Knob[settings]{
			Info: knob.Info{Key: k.Key, Label: k.Label, Help: k.Help, Source: k.Source, Group: k.Group, Unit: k.Unit, Scale: k.Scale, Min: k.Min, Max: k.Max},
			Get:  func(s *settings) int64 { return k.Get(&s.Setup) }, Set: func(s *settings, v int64) { k.Set(&s.Setup, v) },
		}
		if k.Max == 1 && k.Scale == 1 { // a switch
			lifted.Kind, lifted.Choices = knob.One, []knob.Choice{{Key: "1", Label: "on"}, {Key: "0", Label: "off"}}
			switch k.Key {
			case "prefetch":
				lifted.Choices[0].Word, lifted.Choices[1].Word = "with prefetch", "without prefetch"
				lifted.Choices[1].Hides = []string{"prefetch_yields", "headroom"}
			case "prefetch_yields":
				lifted.Choices[0].Word, lifted.Choices[1].Word = "that yields", "as published"
			case "parallel_eviction":
				lifted.Idle = []knob.Idle{{While: "evict=0", Why: "the callback takes no time: set evict above 0"}}
			case "shared_compute":
				lifted.Idle = oneClient
			}
		}
		switch {
		case k.Group == "Machine":
			lifted.Group = ""
			machine = append(machine, lifted)
		case k.Key == "prefetch", k.Key == "prefetch_yields", k.Key == "headroom":
			lifted.Group = ""
			early = append(early, lifted)
		default:
			costs = append(costs, lifted)
		}
	}
	yours := own.Knobs(core.Asks(), func(s *settings) *own.Setting { return &s.Own })
	return map[string][]knob.Knob[settings]{"workload": work, "hardware": machine, "prefetch": early, "costs": costs, own.Panel().Key: yours}
}

// load returns the operations that the settings run.
func load(s *settings, f lab.Files) (*trace, error) {
	if s.Entry != "" {
		return entry(s.Entry, f)
	}
	t := &trace{origin: "Bundled: made by a rule, always the same."}
	switch s.Workload {
	case networks:
		if err := t.train(s); err != nil {
			return nil, err
		}
	case pairs:
		t.Trace, t.origin = ravenstore.Pairs(int(s.Pairs), unit.Bytes(s.Bytes)), "The benchmark of the report's Table 1."
	case allocation:
		t.Trace, t.origin = ravenstore.Allocation(unit.Bytes(s.Bytes), s.Evicts == 1), "The benchmark of the report's Table 2."
	default:
		m, err := core.FindMix(s.Workload)
		if err != nil {
			return nil, err
		}
		t.Trace = m.Trace()
	}
	t.about = about(t.Trace)
	return t, nil
}

// train makes clients of networks.
func (t *trace) train(s *settings) error {
	gpu := kerneltime.Find(s.GPU)
	if gpu == nil {
		return fmt.Errorf("no kernel times can be estimated for GPU %q; choose another", s.GPU)
	}
	models := []string{s.Model, s.Other}
	if s.Other == same {
		models = models[:1]
	}
	var nets []*workload.Workload
	for _, m := range models {
		w, err := zoo.Build(m, int(s.Batch), zoo.ByLaw(gpu, kerneltime.TF32))
		if err != nil {
			return err
		}
		nets = append(nets, w)
	}
	ws, offsets := make([]*workload.Workload, s.Clients), make([]unit.Time, s.Clients)
	for i := range ws {
		ws[i], offsets[i] = nets[i%len(nets)], unit.Time(i)*unit.Time(s.Offset)*unit.Millisecond
	}
	var err error
	t.Trace, err = core.FromWorkloads(ws, offsets, int(s.Iterations))
	t.origin = nets[0].Origin
	if err == nil && len(t.Ops) > ops.MaxOps {
		return fmt.Errorf("these networks make %d operations; a trace may have %d: fewer clients or iterations would help", len(t.Ops), ops.MaxOps)
	}
	return err
}

// about describes a trace in numbers.
func about(t *ops.Trace) string {
	var made unit.Bytes
	for i := range t.Ops {
		made += t.Ops[i].Bytes
	}
	return fmt.Sprintf("%d clients, %d tensors, %d operations; %v allocated in all.", len(t.Clients), len(t.Tensors), len(t.Ops), made)
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")

// describe is the report of a result.
func describe(w *trace, s *settings, r *result) *report.Report {
	rep := &report.Report{Fits: r.Fits(), About: w.about, Origin: w.origin, Lead: lead(w, s)}
	rep.Notes = append(rep.Notes, busy(r))
	if n := r.Prefetches.Count; n > 0 && s.Setup.Yields == 0 && 2*r.Wasted > n {
		rep.Caveats = append(rep.Caveats, "Most tensors that come back early leave again before their get, so prefetch that holds its room may cost more than it brings here. Try Prefetch yields, under Prefetch.")
		rep.Notes = append(rep.Notes, fmt.Sprintf("Of %s tensors that come back early %s leave again before their get.", prose.Grouped(n), prose.Grouped(r.Wasted)))
	}
	if r.Evictions.Stride > 1 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("Of %d evictions, one in %d is marked and can be picked.", r.Evictions.Count, r.Evictions.Stride))
	}
	if r.says != "" && r.Fits() {
		rep.Notes = append(rep.Notes, "Of all that were tried the fastest is "+r.says+".")
	}
	if x := r.Script; x != nil {
		ran := own.Ran{Named: x.Named, Spent: x.Spent}
		if x.EvictAsksAll {
			ran.All = append(ran.All, "evict")
		}
		if x.FetchAsksAll && s.Setup.Prefetch != 0 {
			ran.All = append(ran.All, "fetch")
		}
		ran.Tell(rep)
	}
	if !r.Fits() {
		rep.Reason = r.Failure.String() + remedy(r.Failure.Reason)
		return rep
	}
	rep.Curves = curves(w, r)
	return rep
}

// busy says what the store does, and what its link does meanwhile.
func busy(r *result) string {
	all := r.Sum()
	most := core.Starting
	for _, p := range doings() {
		if all.Parts[p] > all.Parts[most] {
			most = p
		}
	}
	could := float64(max(1, unit.MulDiv(int64(r.link), int64(r.Time), int64(unit.Second))))
	deed := map[core.Part]string{
		core.Starting: "first calls", core.Allocating: "allocating", core.Freeing: "freeing", core.Calling: "other calls",
		core.WaitEvict: "evicting", core.WaitPause: "pauses", core.WaitMiss: "bringing back", core.WaitLate: "waiting for prefetch",
	}
	return fmt.Sprintf("The store handles calls for %s of the time, most of that %s (%s of %s s); evictions keep the link busy for %s, returns for %s.",
		prose.Percent(float64(r.Busy())/float64(max(1, r.Time))), deed[most], fixed(seconds(all.Parts[most]), 1), fixed(seconds(r.Time), 1),
		prose.Percent(min(1, float64(r.Evicted)/could)), prose.Percent(min(1, float64(r.Prefetched+r.Fetched)/could)))
}

// lead is the question.
func lead(w *trace, s *settings) string {
	if n := len(w.Clients); n > 1 {
		return fmt.Sprintf("%d programs share %v of GPU memory. What should leave it when they need more?", n, s.Setup.GPU)
	}
	return fmt.Sprintf("A program has %v of GPU memory. What should leave it when it needs more?", s.Setup.GPU)
}

// remedy says what would help.
func remedy(why core.Reason) string {
	switch why {
	case core.OutOfMemory, core.NoCapacity:
		return ". More GPU memory or fewer clients would help"
	case core.GaveUp:
		return ""
	case core.OutOfHost:
		return ". More host memory would help"
	}
	return ". The trace asks for what the store forbids; correct it at this operation"
}

func help() []lab.Help {
	text := strings.Join
	return []lab.Help{
		{Title: "The store", Text: text([]string{
			"Clients create tensors, put what they do not need now into the store, and get it back.",
			"When memory is short, the store evicts tensors to host memory; a get of one of them waits until it is back.",
			"Memory in use by its client is never moved.",
		}, " ")},
		{Title: "Policies", Text: "They choose what to evict, and what to bring back after a free. Belady's order knows the trace and evicts what is needed last; that can be beaten. Best known is the fastest of all of them and of two more that know the trace, with prefetch and without where it is on."},
		{Title: "Regret", Text: "Bytes evicted beyond what Belady's order evicts. It can be negative: with tensors of several sizes, evicting what is needed last is not always best."},
		{Title: "Your own trace", Text: "CSV with the header time_us,client,op,tensor,bytes,next, or JSON Lines with the same keys. Operations: create, get, put, free, and malloc and mfree of programs that do not know the store."},
	}
}
