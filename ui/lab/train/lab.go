// Package train assembles the laboratory of GPU training memory: one GPU trains
// a network whose data does not fit into its memory.
package train

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/compress/profile"
	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/report"
	core "spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/networks"
	"spillway/traces/recording"
	"spillway/traces/zoo"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
	"spillway/ui/lab/train/papers/deepum"
	"spillway/ui/lab/train/papers/g10"
	"spillway/ui/lab/train/papers/kerneltimes"
	"spillway/ui/lab/train/papers/planner"
)

// A settings is everything a run depends on besides the system.
type settings struct {
	Model     string // of the zoo, or of package eager
	Batch     int64
	Sequence  int64  // tokens, of models of package eager that have some
	Optimizer string // of the zoo
	Times     string // workload.TimeSource
	GPU       string // that times are estimated for
	Network   string // described, where the model is
	Calibrate string // classes of its kernels and how much longer they take: a kerneltime.Calibration
	Scale     int64  // of all kernels' times, in percent
	Entry     string // of opened files, instead of the six above; empty for none
	Step      string // of a recording among them, empty for the usual one
	Unknown   string // what becomes of a recording's kernels without tensors
	Roles     string // patterns for tensors of a recording
	Recorded  string // what becomes of a recording's kernel times: kept or moved
	Preset    string // of the machine
	SSD       string // drive to simulate, fixed for the machine's rates
	Mode      string // quirks
	Machine   machine.Machine
	Options   system.Options
	Contents  string // of tensors on compressed memory: profile.All
	Running   running
	Prices    machine.Prices
	Own       own.Setting
}

// fixed is the choice of no simulated drive.
const fixed = "fixed"

// standard is what the G10 paper's headline runs have.
func standard() settings {
	return settings{
		Model: "bert-base", Batch: 256, Optimizer: zoo.Optimizers[0].Key, Times: string(workload.ColdModel), GPU: gpuParts()[0].Key,
		Unknown: string(recording.Merge), Recorded: timesKept,
		Preset: machine.Presets()[0].Key, SSD: fixed, Mode: quirk.Published().String(),
		Machine: machine.Presets()[0].Machine, Options: system.Published(), Contents: profile.All()[0].Key, Prices: machine.Presets()[0].Prices,
		Running: asUsual(), Scale: usualScale, Network: example, Own: own.Standard(),
	}
}

// request returns the run of one system.
func (s *settings) request(name string) (core.Request, error) {
	q := core.Request{System: name, Machine: s.Machine, Options: s.Options}
	if x, err := core.Find(name); err == nil && x.Compressed {
		q.Contents, q.MemoryRate = s.Contents, s.memoryRate()
	}
	if s.SSD != fixed {
		q.SSD = s.SSD
	}
	var err error
	if q.Options.Quirks, err = quirk.Parse(s.Mode); err == nil && name == own.Name {
		q.Policy, err = s.Own.Read(core.Asks())
	}
	return q, err
}

// memoryRate is that of the memory of the GPU whose times kernels have, 0 for those
// of files.
func (s *settings) memoryRate() unit.Bandwidth {
	if s.Entry != "" {
		return 0
	}
	if _, memory, ok := gpuNamed(s.GPU); ok && s.Times != string(workload.ColdModel) {
		return memory
	}
	return zoo.A100().Memory // the paper's
}

// What sections and exports are made of, with this laboratory's types.
type (
	seen    = lab.View[settings, Workload, *result.Result]
	section = lab.Shown[settings, Workload, *result.Result]
	format  = lab.Written[settings, Workload, *result.Result]
)

// New returns the laboratory.
func New() lab.Lab {
	return lab.New(lab.Spec[settings, Workload, *result.Result]{
		Info: lab.Info{
			Name: "train", Title: "Training memory",
			About:   "One GPU trains a network that does not fit into its memory.",
			Lead:    "What happens when a training job does not fit into GPU memory.",
			Systems: systems(),
			Panels:  []lab.Panel{{Key: "workload", Title: "Workload"}, {Key: "hardware", Title: "Hardware"}, {Key: "fidelity", Title: "Fidelity"}, {Key: "options", Title: "Options", Folded: true}, {Key: "cost", Title: "Cost", Folded: true}, own.Panel()},
			Charts:  charts(), Picture: picture(), Presets: presets(), Older: older(), Unsaid: unsaid(),
			Brief: []lab.Brief{
				{Text: "{model?} {network?} {optimizer?}, batch {batch}"}, {Text: "kernel times {times} {gpu?}", Trust: true}, {Text: "{mode}", Trust: true}, {Text: "{machine}", Panel: "hardware", Parts: []string{"part-gpu", "part-link", "part-ssd", "part-host"}}, {Text: "{ssd}"},
			},
			Say: lab.Say{
				Quantity: "normalized_throughput", Of: "of ideal throughput", Percent: true, Than: "× as fast as", Most: "is fastest",
				Perfect: "as fast as a GPU that holds everything", Loss: "causes", Rest: "Computing", Spends: "%s spends %s of its %s %s, %s %s",
				LossOf: "iteration_s", LossSays: "Beyond ideal its time goes mostly %[2]s (%[3]s of that: where it waits; Why tries what makes it wait)", Cannot: "cannot run it",
				Band: "band_percent", Scaled: "time_scale", Doubt: "kernel times",
				Change: []string{"throughput_samples_per_s", "iteration_s"}, Faster: "faster", Slower: "slower",
			},
			Cost:     lab.Cost{Price: "price_usd", PerPrice: "samples_per_s_per_kusd"},
			Rank:     []string{"iteration_s", "normalized_throughput", "throughput_samples_per_s", "to_gpu_bytes", "from_gpu_bytes"},
			Floor:    lab.Floor{System: core.Bound, Of: "iteration_s", Headroom: headroom, Also: []string{"normalized_throughput", "throughput_samples_per_s"}, Whom: "by moving tensors"},
			Drop:     "Drop your own training job (PyTorch profiler, execution trace, memory snapshot), another trace, a folder or a zip anywhere on this page",
			Recorder: lab.Recorder{File: "capture.py", Says: "Record your own"},
			Hardware: strings.Fields("gpu_memory host_memory gpu_link host_link ssd_read ssd_write -ssd_latency -fault_latency buddy_link"),
			Entry:    "entry", EntryKnobs: ofRecordings(), EntryShares: []string{"gpu"},
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Ways:              []lab.Way{{Label: "I study a paper", View: "reproduce"}},
			Asked:             []lab.Asked{{Words: "slow wait stall bottleneck", ID: "chart causes"}, {Words: "why cause", ID: "section why"}, {Words: "how much memory does it need fit take smallest gpu", ID: "section take"}, {Words: "oom out of memory does not fit", ID: "knob gpu_memory"}},
			Contradictions:    "hardware",
			ContradictionHelp: "These settings cannot go together. Each sentence names one to change.",
		},
		Asks:    core.Asks(),
		Why:     why(),
		Default: standard(),
		Knobs:   knobs(),
		Check: func(s *settings) error {
			_, err := kerneltime.ParseCalibration(s.Calibrate)
			return errors.Join(err, s.Machine.Validate())
		},
		Unread: (*settings).unread,
		Accept: accept,
		Source: func(s *settings) string {
			if s.Entry != "" {
				return fmt.Sprintf("entry %q %q %q %q %q %q %q %d", s.Entry, s.Step, s.Unknown, s.Roles, s.Recorded, s.GPU, s.Calibrate, s.Scale)
			}
			return fmt.Sprint(s.Model, s.Batch, s.Optimizer, s.Times, s.GPU, s.sequenced()+s.ran(), s.Calibrate, s.Scale)
		},
		Load: func(s *settings, f lab.Files) (Workload, error) {
			w, err := load(s, f)
			return w.scaled(s.Scale), err
		},
		Run: func(w Workload, s *settings, system string, p lab.Progress) (*result.Result, error) {
			q, err := s.request(system)
			if err != nil {
				return nil, err
			}
			if w.imported != nil && w.imported.cannot != "" {
				return &result.Result{System: system, Mode: q.Options.Quirks.String(), Reason: w.imported.cannot}, nil
			}
			return core.Run(w.Workload, q, p)
		},
		Measures: measures(),
		Report:   describe,
		Steps:    steps,
		Less:     Less,
		JSON:     func(r *result.Result) ([]byte, error) { return jsontext.MarshalPlain(r) },
		Hash:     result.Hash,
		Sections: sections(),
		Exports:  exports(),
		Timeline: there(happening),
		Studies: []lab.Study[settings, Workload, *result.Result]{
			lab.Reproduce(lab.PaperInfo{
				Key: "g10", Title: "The G10 paper",
				About: "Figures 2 to 4 and 11 to 19 and the numbers in the text of G10: Enabling An Efficient Unified GPU Memory and Storage Architecture with Smart Tensor Migrations (MICRO 2023), computed here and compared with the published values.",
			}, g10.Paper, g10.Reader, func(w Workload) *workload.Workload { return w.Workload }, resultOf),
			lab.Reproduce(lab.PaperInfo{
				Key: "deepum", Title: "The DeepUM paper",
				About: "Figures 9 to 12, Tables 1 to 8 and the numbers in the text of DeepUM: Tensor Migration and Prefetching in Unified Memory (ASPLOS 2023), computed here and compared with the published values.",
			}, deepum.Paper, deepum.Reader, nil, resultOf),
			lab.Reproduce(lab.PaperInfo{
				Key: kerneltimes.Key, Title: "Kernel times",
				About: "Training rates that others measured on GPUs from V100 to H100, computed here by the law of kernel times and compared: which rows were fitted, which were held out, and how far off each is.",
			}, kerneltimes.Paper, kerneltimes.Reader, nil, resultOf),
			lab.Reproduce(lab.PaperInfo{
				Key: planner.Key, Title: "Spillway's planner",
				About: "What each part of Spillway's own planner brings, and what copying ahead brings to planners that were published: seven settings, run again here over the proven bound.",
			}, planner.Paper, planner.Reader, nil, resultOf),
		},
		Complete: func(i *lab.Info) {
			effects := effectTexts()
			for k := range i.Knobs {
				if i.Knobs[k].Key != "mode" {
					continue
				}
				i.Knobs[k].Choices = slices.Clone(i.Knobs[k].Choices)
				for c := range i.Knobs[k].Choices {
					i.Knobs[k].Choices[c].Source = effects[i.Knobs[k].Choices[c].Key]
				}
			}
		},
	})
}

// resultOf is what papers read.
func resultOf(r *lab.Run[settings, Workload, *result.Result]) *result.Result { return r.Result }

// load returns the workload: a model of the zoo, or an entry of opened files.
func load(s *settings, f lab.Files) (Workload, error) {
	if s.Entry != "" {
		return entry(s, f)
	}
	if m, err := eager.Find(s.Model); err == nil {
		return s.lowered(m)
	}
	if n, err := s.network(); n != nil || err != nil {
		if err != nil {
			return Workload{}, err
		}
		return s.named(n)
	}
	optimizer, err := zoo.FindOptimizer(s.Optimizer)
	if err != nil {
		return Workload{}, err
	}
	times := zoo.AsPaper()
	if workload.TimeSource(s.Times) == workload.ColdModel {
		optimizer = zoo.Optimizers[0] // the paper profiled none
	} else {
		law, err := s.law()
		if err != nil {
			return Workload{}, err
		}
		times = zoo.ByLaw(law.GPU, law.Precision)
	}
	w, err := zoo.BuildFor(s.Model, int(s.Batch), times, optimizer)
	if err != nil {
		return Workload{}, err
	}
	out := about(w)
	out.optimizer = optimizer
	if m, err := zoo.Find(s.Model); err == nil {
		out.parameters, out.band = m.Parameters, times.Band(m)
	}
	if w.Times == workload.ColdModel {
		// The artifact's products ran on FP32 units.
		warm, err := zoo.Build(s.Model, int(s.Batch), zoo.ByLaw(kerneltime.Find(gpuParts()[0].Key), kerneltime.TF32Conv))
		if err != nil {
			return Workload{}, err
		}
		out.slower = float64(duration(w)) / float64(duration(warm))
	}
	return out, nil
}

// systems lists the systems of the laboratory.
func systems() []lab.System {
	o := system.Published()
	all := core.All()
	list := make([]lab.System, len(all), len(all)+1)
	for i, s := range all {
		list[i] = lab.System{
			Name: s.Name, Title: s.Title, Family: s.Family, Paper: s.Paper, About: s.About, Off: s.Off, Look: s.Look,
			Bound: s.Bound(&o), Main: s.Main, Usual: s.Usual, Variant: s.Compressed, Unbounded: s.Compressed,
		}
		if s.Recomputes && !s.Compressed {
			list[i].Floor = recomputing
		}
	}
	return append(list, own.System(core.Asks(), core.OwnLook))
}

// unread are settings that a system does not read with the others: parameters of others, of the machine what neither
// memory nor plan depends on, prices of what nobody sells, what tensors hold where memory is not compressed, and dials
// that a policy does not name.
func (s *settings) unread(name string) string {
	x, err := s.system(name)
	if err != nil {
		return "" // nothing runs
	}
	o := system.Published() // whatever it is set to, a plan may be for the memory of another mode
	read := strings.Fields(x.Reads)
	for _, o.Quirks = range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		read = append(read, strings.Fields(x.Runtime(&o).Reads())...)
	}
	keys := []string{"buddy_contents", "iterations"}
	for _, k := range machine.Knobs() {
		keys = append(keys, k.Key)
	}
	for _, p := range x.Params {
		read = append(read, p.Key)
	}
	if s.Options.Noise == 0 { // the error of kernel times has no seed then
		keys = append(keys, "seed")
	}
	if x.Compressed {
		read = append(read, "buddy_contents")
	}
	for _, k := range machine.PriceKnobs() {
		if keys = append(keys, k.Key); !x.Bound(&o) {
			read = append(read, k.Key, "host_memory") // it is paid for
		}
	}
	for _, x := range core.All() {
		for _, p := range x.Params {
			keys = append(keys, p.Key)
		}
	}
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return slices.Contains(read, key) })
	return strings.Join(keys, " ") + " " + s.Own.Unread(core.Asks())
}

// system is the system of a result.
func (s *settings) system(name string) (system.System, error) {
	if name == own.Name {
		c, err := s.Own.Read(core.Asks())
		return core.Own(c), err
	}
	return core.Find(name)
}

// knobs returns the settings by panel.
func knobs() map[string][]knob.Knob[settings] {
	return map[string][]knob.Knob[settings]{"workload": workloadKnobs(), "hardware": hardwareKnobs(), "fidelity": {modeKnob()}, "options": optionKnobs(), "cost": costKnobs(), own.Panel().Key: own.Knobs(core.Asks(), func(s *settings) *own.Setting { return &s.Own })}
}

func workloadKnobs() []knob.Knob[settings] {
	model := knob.Knob[settings]{
		Info: knob.Info{Key: "model", Label: "Model", Help: "Which network is trained.", Kind: knob.One, Always: true},
		Word: func(s *settings) *string { return &s.Model },
	}
	least, most := 1<<30, 0
	for i := range zoo.Models {
		m := &zoo.Models[i]
		least, most = min(least, m.MinBatch), max(most, m.MaxBatch)
		var times []string
		for _, t := range m.Sources() {
			times = append(times, string(t))
		}
		set := fmt.Sprintf("batch=%d sequence=0", m.DefaultBatch)
		if !slices.Contains(times, string(workload.ColdModel)) { // what nobody names is possible
			set += " times=" + times[0]
		}
		model.Choices = append(model.Choices, knob.Choice{
			Key: m.ID, Label: m.Title, Help: m.About, More: zoo.Explain(m.ID), Source: m.Source, Set: set, Hides: append([]string{sequenceKnob}, inFP32...),
			Limits: []knob.Limit{
				singles,
				{Key: "batch", Min: int64(m.MinBatch), Max: int64(m.MaxBatch), Hint: batches(m.Sample, m.Batches)},
				{Key: "times", Choices: times, Why: "no other kernel times of " + m.Title + " are known"},
			},
		})
	}
	for i := range eager.Models {
		m := &eager.Models[i]
		least, most = min(least, m.MinBatch), max(most, m.MaxBatch)
		model.Choices = append(model.Choices, eagerChoice(m))
	}
	for _, n := range networks.Networks() {
		least, most = min(least, 1), max(most, networks.MaxBatch)
		model.Choices = append(model.Choices, networkChoice(&n))
	}
	for i := range model.Choices {
		c := &model.Choices[i]
		c.Hides = append([]string{networkKnob}, c.Hides...)
	}
	model.Choices = append(model.Choices, describedChoice())
	batch := knob.Knob[settings]{
		Info: knob.Info{Key: "batch", Label: "Batch size", Help: "Samples in one training iteration.", Scale: 1, Min: int64(least), Max: int64(most), Always: true},
		Get:  func(s *settings) int64 { return s.Batch }, Set: func(s *settings, v int64) { s.Batch = v },
	}
	optimizer := knob.Knob[settings]{
		Info: knob.Info{
			Key: "optimizer", Label: "Optimizer", Kind: knob.One,
			Help: "How weights are updated, and what training keeps for it: weights, gradients and state, all in fp32.",
		}, Word: func(s *settings) *string { return &s.Optimizer },
	}
	for i := range zoo.Optimizers {
		o := &zoo.Optimizers[i]
		c := knob.Choice{Key: o.Key, Label: o.Title, Help: o.About, Source: o.Source, Word: "with " + o.Title}
		if o.None() {
			c.Word = "-"
		}
		optimizer.Choices = append(optimizer.Choices, c)
	}
	times := knob.Knob[settings]{
		Info: knob.Info{
			Key: "times", Label: "Kernel times", Help: "Where kernel times come from. A file brings its own, measured.", Kind: knob.One, Always: true,

			Choices: []knob.Choice{
				{
					Key: string(workload.ColdModel), Label: "As the paper measured", Word: "as the paper measured", Hides: []string{"gpu", "precision", "calibrate"},
					Ineffective: []string{"optimizer"}, Why: "the paper profiled no optimizer; take estimated kernel times",
					Help: "A model of the paper's own profile, which timed every kernel cold. Iterations become 2 to 100 times longer; that hides transfers and decides conclusions, so compare with Estimated.",
				},
				{Key: string(workload.Estimated), Label: "Estimated", Word: "estimated", Help: "By a law fitted to public measurements of kernels and whole networks: warm kernels on this GPU, in this precision. Results say how close eight of ten measurements were to it."},
				{
					Key: asDeepUM, Label: "As fitted to the DeepUM paper", Word: "fitted to the DeepUM paper",
					Help:        "Shares of a V100's peaks in fp32 with which BERT-Base at batch 29 takes as long as in the paper's Figure 9(b). " + deepum.ByLaw(),
					Ineffective: []string{"precision", "calibrate"}, Why: "the paper's networks are in fp32, and its times are its own", Limits: []knob.Limit{{Key: "gpu", Choices: []string{"v100-32"}, Why: "the paper's GPU is a V100 32 GB; estimated times are for others"}},
				},
			},
		}, Word: func(s *settings) *string { return &s.Times },
	}
	gpu := knob.Knob[settings]{
		Info: knob.Info{Key: "gpu", Label: "Estimated for", Help: "The GPU that kernel times are estimated for; it need not be the one in the machine. A recording's times are converted to it.", Kind: knob.One},
		Word: func(s *settings) *string { return &s.GPU },
	}
	gpu.Choices = gpuChoices()
	file := knob.Knob[settings]{
		Info: knob.Info{Key: "entry", Label: "Entry of the opened files", Help: "Which workload of the opened files runs, by name.", Kind: knob.Word},
		Word: func(s *settings) *string { return &s.Entry },
	}
	list := slices.Concat([]knob.Knob[settings]{model, descriptionKnob(), batch, sequenceOf(), optimizer}, runningKnobs(), []knob.Knob[settings]{times, gpu, file})
	return append(list, recordedKnobs()...)
}

// batches says which batch sizes are worth trying.
func batches(sample string, list []int) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("In %s. Worth trying: %s.", sample, strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]"))
}

func hardwareKnobs() []knob.Knob[settings] {
	preset := knob.Knob[settings]{
		Info: knob.Info{
			Key: "machine", Label: "Preset", Kind: knob.One, Always: true,
			Help: "A whole machine to start from; a reset setting goes back to its value. Kernel times are then estimated for its GPU, unless that is the paper's.",
		}, Word: func(s *settings) *string { return &s.Preset },
	}
	for _, p := range machine.Presets() {
		preset.Choices = append(preset.Choices, knob.Choice{Key: p.Key, Label: p.Machine.Name, Set: numbersOf(&p.Machine, nil), Suggests: estimate(p.GPU) + " ssd=" + fixed + " " + pricesOf(&p.Prices)})
	}
	list := []knob.Knob[settings]{preset}
	for _, slot := range machine.Slots() {
		list = append(list, partKnob(&slot))
		if slot.Key == "ssd" {
			list = append(list, driveKnob())
		}
	}
	for _, k := range machine.Knobs() {
		list = append(list, knob.Lift(k, func(s *settings) *machine.Machine { return &s.Machine }))
	}
	return list
}

// numbersOf writes the numbers of a machine, or those that another does not have.
func numbersOf(m, not *machine.Machine) string {
	var pairs []knob.Pair
	for _, k := range machine.Knobs() {
		if not == nil || k.Get(m) != k.Get(not) {
			pairs = append(pairs, knob.Pair{Key: k.Key, Text: k.Text(m)})
		}
	}
	return knob.Join(pairs, " ")
}

// estimate is what a GPU brings along besides its memory: kernel times follow it
// where they can. The paper's own may keep the paper's times.
func estimate(gpu string) string {
	if kerneltime.Find(gpu) == nil {
		return ""
	}
	if gpu == gpuParts()[0].Key {
		return "gpu=" + gpu
	}
	return "gpu=" + gpu + " times=" + string(workload.Estimated)
}

// partKnob names the numbers of parts.
func partKnob(slot *machine.Slot) knob.Knob[settings] {
	part := knob.Knob[settings]{
		Info: knob.Info{Key: "part-" + slot.Key, Label: slot.Label, Help: "A part, with the numbers of its data sheet.", Kind: knob.One, Derived: true},
		Word: func(*settings) *string { return new(string) },
	}
	for _, p := range slot.Parts {
		// The part's own numbers: what it changes in a machine of ones, whose links
		// hold nothing back unless the part is one.
		m := machine.Machine{GPUMemory: 1, HostMemory: 1, SSDRead: 1, SSDWrite: 1, SSDLatency: 1, GPULink: 1000 * unit.GBps, HostLink: 1000 * unit.GBps}
		if slot.Key == "link" {
			m.GPULink, m.HostLink = 1, 1
		}
		before := m
		p.Fit(&m)
		c := knob.Choice{Key: p.Key, Label: p.Name, Source: p.Source + "; price: " + p.Price.String(), Set: numbersOf(&m, &before)}
		price := " price_" + slot.Key + "=" + knob.Decimal(p.Price.Cents, 100)
		switch slot.Key {
		case "host":
			c.Word = p.Name + " host memory"
		case "gpu":
			c.Suggests = estimate(p.Key) + price
		case "ssd":
			c.Suggests = "ssd=" + fixed + price // what was simulated may be another drive
		case "link":
			c.Suggests = "price_platform=" + knob.Decimal(p.Price.Cents, 100)
		}
		part.Choices = append(part.Choices, c)
	}
	return part
}

// pricesOf writes prices.
func pricesOf(p *machine.Prices) string {
	var pairs []knob.Pair
	for _, k := range machine.PriceKnobs() {
		pairs = append(pairs, knob.Pair{Key: k.Key, Text: k.Text(p)})
	}
	return knob.Join(pairs, " ")
}

func costKnobs() []knob.Knob[settings] {
	var list []knob.Knob[settings]
	for _, k := range machine.PriceKnobs() {
		list = append(list, knob.Lift(k, func(s *settings) *machine.Prices { return &s.Prices }))
	}
	return list
}

func optionKnobs() []knob.Knob[settings] {
	var list []knob.Knob[settings]
	for _, k := range core.Knobs() {
		list = append(list, knob.Lift(k, func(s *settings) *system.Options { return &s.Options }))
	}
	contents := knob.Knob[settings]{
		Info: knob.Info{
			Key: "buddy_contents", Label: "Contents of tensors", Group: list[len(list)-1].Group, Kind: knob.One,
			Help: "With Buddy Compression: what tensors are assumed to hold. A workload has no values, so ratios follow from this.",
		},
		Word: func(s *settings) *string { return &s.Contents },
	}
	for _, c := range profile.All() {
		contents.Choices = append(contents.Choices, knob.Choice{Key: c.Key, Label: c.Title, Help: c.About, Source: c.Source})
	}
	return slices.Concat(list, []knob.Knob[settings]{contents}, timeKnobs())
}

// modeKnob chooses between the published simulator's accidents and the paper.
func modeKnob() knob.Knob[settings] {
	k := knob.Knob[settings]{
		Info: knob.Info{Key: "mode", Label: "Fidelity", Help: "Which accidents of the published simulator are on.", Kind: knob.Many, Always: true},
		Word: func(s *settings) *string { return &s.Mode },
	}
	var all []string
	for _, e := range quirk.All() {
		all = append(all, e.Key)
		k.Choices = append(k.Choices, knob.Choice{
			Key: e.Key, Label: e.Key, Help: e.Text + " Off: " + e.Paper,
			Ineffective: e.Quirk.Inert(), Why: "no effect with quirk " + e.Key,
		})
	}
	k.Sets = []knob.Choice{
		{Key: "published", Label: "As published", Word: "as published", Set: strings.Join(all, ","), Help: "The published G10 simulator with all its accidents: reproduces the artifact's numbers."},
		{Key: "corrected", Label: "Corrected", Word: "corrected", Help: "What the paper describes, on one engine for all systems, without the published simulator's accidents."},
	}
	return k
}

// pairs writes a request as settings: every number, so that nothing depends on
// what was set before.
func pairs(q *core.Request) string {
	list := []knob.Pair{{Key: "machine", Text: machine.Presets()[0].Key}}
	for _, k := range machine.Knobs() {
		list = append(list, knob.Pair{Key: k.Key, Text: k.Text(&q.Machine)})
	}
	for _, k := range core.Knobs() {
		list = append(list, knob.Pair{Key: k.Key, Text: k.Text(&q.Options)})
	}
	drive := fixed
	if q.SSD != "" {
		drive = q.SSD
	}
	list = append(list, knob.Pair{Key: "ssd", Text: drive}, knob.Pair{Key: "mode", Text: q.Options.Quirks.String()})
	return knob.Join(list, " ")
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")

func help() []lab.Help {
	return []lab.Help{
		{Title: "Workload", Text: "Choose a bundled network and batch size, or open your own: a Spillway trace (JSON, also compressed), files of the G10 artifact (network description, kernel times, a .config file), a folder of them, or the artifact's zip. A config file also sets hardware, options and fidelity."},
		{Title: "Your own training job", Text: "Run capture.py in it, which needs nothing but PyTorch, and drop the zip that it writes; or drop what PyTorch's profiler, its ExecutionTraceObserver and its memory snapshots write. Files dropped together find each other. Each GPU of a recording is an entry of its own. Step, roles of tensors and what becomes of kernels with unknown tensors can be chosen under Workload; What was recorded says how far the result can be trusted. Recorded kernel times can be moved to another GPU, by how the law of kernel times has both; the result says how far off that may be. Only names of operators, modules and kernels are kept, and nothing leaves this computer. Numbers saves what runs as a Spillway trace, with or without names."},
		{Title: "Memory", Text: "Parameters, gradients and optimizer state are counted in fp32: 16 bytes a parameter with Adam. Without an optimizer networks are the artifact's: weights are updated as soon as their gradient is there, and in BERT and ViT biases, gains and constants are as large as activations, so that what the artifact counts as persistent grows with the batch."},
		{Title: "Kernel times", Text: "Estimated times come from a law fitted to public measurements. As the paper measured adds the profiling effects in the G10 paper's own data, where some kernels were timed cold; that makes its convolutional networks far too slow, hides transfers, and can decide who wins. Measured times came with the opened files."},
		{Title: "Labels of recordings", Text: "How much of your own job was measured. L3: times, tensors and lifetimes, and resident memory has names. L2: times and tensors. L1m: times, sizes and lifetimes; reads in between are estimated. L1: times; tensors are estimated from shapes. E2: tensors; times are estimated. E1m and E1: as L1m and L1, with times that are estimated, too. T: times only, and M: a picture of memory; neither can be simulated. capture.py records for L3 on a GPU."},
		{Title: "Fidelity", Text: "As published repeats the published simulator with its accidents, so numbers compare with the paper. Corrected is what the paper describes. Each difference is a named quirk that can be switched by itself."},
		{Title: "Throughput", Text: "Ideal iteration time over iteration time; 1 is as fast as a GPU that holds everything."},
		{Title: "Time beyond ideal", Text: "Every kernel's extra time has exactly one cause; the causes sum to the slowdown."},
		{Title: "Buddy Compression", Text: "Every system is there a second time, on GPU memory that hardware compresses; choose them under Systems. Tensors take the slots of their targets, so that fewer must move, and kernels take longer by what comes over the link to the buddy memory. A workload has no values, so what tensors hold is assumed: see Contents of tensors under Options. Throughput and time beyond ideal are against the same GPU that holds everything, uncompressed."},
		{Title: "Networks as PyTorch runs them", Text: "The zoo's networks are lowered as the G10 artifact does. Those with PyTorch in their name are lowered operator by operator: every kernel of the forward pass, what autograd saves for the backward pass, gradients that stay, and an optimizer's step for each parameter. Their kernel times are always estimated. DeepUM and what it was compared with were measured on such networks; every system runs both kinds."},
		{Title: "Networks by their public names", Text: "Networks that torchvision, timm and Hugging Face have are there by the names that these give them, as PyTorch runs them in the precision, layout and with the attention that you choose, with micro-batches, checkpoints or compiled. Their kernel times follow a law fitted to public measurements, on any of its GPUs; the result says how far eight of ten measurements were from it."},
		{Title: "DeepUM and what it was compared with", Text: "Ten further systems under Systems. UM and DeepUM move blocks of 2 MiB while kernels run, and DeepUM learns from faults what to bring next, so the first iterations are a warm-up that is not reported; charts show it. LMS, Capuchin and Sentinel decide while tensors are used; vDNN, AutoTM, SwapAdvisor, Superneurons and recomputation plan before. All are reconstructions from publications; results say what these leave open."},
		{Title: "Which system, and how large a batch", Text: "What if has both questions. Which system is best ranks all systems on this workload, and says of each that cannot run it why not. Find a setting searches the most that runs, or the most within some percent of the bound, of the compared systems or of all; with all of them an answer is exact to 1 %. A larger batch need not be worse: answers say where it was not."},
		{Title: "Cost", Text: "What the parts cost, each with date and source; prices are of different years and some are assumed, so put in your own. Energy, room and people are left out. A GPU that holds everything has no price, so Ideal has none."},
		{Title: "Traffic", Text: "Bytes moved in one iteration, seen from the GPU; 1 GB is 10⁹ bytes, 1 GiB is 2³⁰."},
	}
}

// describe is the report of a result.
func describe(w Workload, s *settings, r *result.Result) *report.Report {
	if w.imported != nil && w.imported.cannot != "" {
		says := w.Name + " has nothing to run: " + labelled[w.imported.Label] + "."
		answer := s.answer(w)
		if answer != "" {
			says = w.Name + " is " + labelled[w.imported.Label] + ": who holds it, over time, stands below."
		}
		return &report.Report{Reason: sentence(w.imported.cannot), Nothing: true, Answer: answer, Lead: says, About: w.imported.Format, Words: []report.Word{{Key: "times", Text: "not recorded"}, {Key: "gpu"}}}
	}
	rep := &report.Report{
		Fits: r.Fits, Reason: r.Reason, Notes: w.notes(r), Origin: w.Origin, Lead: s.lead(w), Caveats: s.caveats(w, r),
		About: w.inNumbers(),
	}
	if x := r.Policy; x != nil {
		a := x.Account()
		ran := own.Ran{Named: a.Named, Spent: a.Spent}
		ran.Tell(rep)
	}
	switch {
	case s.Entry != "":
		rep.Words = []report.Word{{Key: "times", Text: w.timesWords() + w.known()}, {Key: "gpu"}}
	case w.band > 0:
		rep.Words = []report.Word{{Key: "times", Text: fmt.Sprintf("estimated (± %d %%)", w.band)}}
	}
	if !r.Fits {
		return rep
	}
	rep.Curves = curves(r)
	return rep
}

// timesWords says where the times of an entry come from, behind "kernel times".
func (w *Workload) timesWords() string {
	if m := w.moved(); m != nil {
		return fmt.Sprintf("moved to %s (± %d %%)", m.To.Name, w.band)
	}
	if w.band > 0 {
		return fmt.Sprintf("estimated (± %d %%)", w.band)
	}
	switch w.Times {
	case workload.Estimated:
		return "estimated"
	case workload.ColdModel:
		return "as the paper measured"
	}
	return "measured"
}
