// Package llm assembles the laboratory of training large language models on a node of GPUs
// whose memory is too small: TERAIO, ZeRO-Offload, ZeRO-Infinity and FSDP.
package llm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	core "spillway/sim/llm"
	"spillway/sim/llm/recipe"
	"spillway/sim/llm/system"
	planner "spillway/sim/llm/system/teraio"
	"spillway/sim/model"
	"spillway/sim/prose"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	teraiopaper "spillway/ui/lab/llm/papers/teraio"
	"spillway/ui/lab/own"
	"spillway/ui/lab/timefiles"
)

// A work is what runs.
type work struct {
	setup         core.Setup
	about, origin string
	notes         []string
	ideal         *core.Result            // what GPUs that hold everything do; nil until somebody asks
	kept          map[string]*core.Result // runs by system, for sections
}

// A result is a run with what it was of.
type result struct {
	*core.Result
	setup core.Setup
	ideal *core.Result
	used  *share // of active, once it is known
}

// What sections and exports are made of, with this laboratory's types.
type (
	seen    = lab.View[settings, *work, *result]
	section = lab.Shown[settings, *work, *result]
	format  = lab.Written[settings, *work, *result]
)

// New returns the laboratory. What runs of it plan it keeps for others of it.
func New() lab.Lab {
	plans := &system.Plans{}
	return lab.New(lab.Spec[settings, *work, *result]{
		Info: lab.Info{
			Name: "llm", Title: "LLM training",
			About:   "Training large language models on GPUs, host memory and SSDs (TERAIO, ZeRO, FSDP).",
			Lead:    "How fast a large language model trains on GPUs that cannot hold it, on what machine, and for what price.",
			Systems: systems(),
			Panels: []lab.Panel{
				{Key: "workload", Title: "Model"},
				{Key: "training", Title: "Training, and how it is cut"},
				{Key: "arch", Title: "Architecture", Folded: true},
				{Key: "machine", Title: "Machine"},
				{Key: "prices", Title: "Prices, power and endurance", Folded: true},
				{Key: "options", Title: "Options of systems", Folded: true},
				own.Panel(),
			},
			Charts: charts(), Picture: picture(), Presets: presets(),
			Brief: []lab.Brief{
				{Text: "{model}"}, // a report says that it is changed: an entry's is always another than what it goes back to
				{Text: "batch {batch}"},
				{Text: "{sequence} each"},
				{Text: "{precision}", Trust: true},
				{Text: "{recompute?}", Trust: true},
				{Text: "{method?}"},
				{Text: "{optimizer?}", Trust: true},
				{Text: "{loss?}", Trust: true},
				{Text: "{gpus} × {gpu}"},
				{Text: "{drives} × {drive} for each GPU"},
				{Text: "{host_memory} host memory"},
				{Text: "{fallback?}", Trust: true},
				{Text: "{delayed?}", Trust: true},
			},
			Say: lab.Say{
				Band: bandKey, Scaled: "time_scale", Doubt: "kernel times",
				Quantity: "tokens_s", Than: "× as fast as", Most: "is fastest", Perfect: "as fast as GPUs that hold everything",
				Besides: []lab.Beside{
					{Quantity: "tokens_usd", Says: "A billion tokens cost %s", Other: -1.1, Per: 1e9, Unit: "$"},
					{Quantity: "life_days", Says: "Its drives live %s if it never stops", Other: 1.5},
				},
				Loss: "ledger", LossOf: "iteration_s", Spends: "%s spends %s of its %s %s, %s %s", LossSays: "Its GPUs spend their time mostly %[2]s (%[3]s of it)", Cannot: "cannot run it",
				Change: []string{"tokens_s"}, Faster: "faster", Slower: "slower",
			},
			Cost:     lab.Cost{Price: "price_usd", PerPrice: "tokens_usd"},
			Rank:     []string{"tokens_s", "of_ideal", "life_days", "tokens_usd", "host_gib"},
			Floor:    lab.Lowest("iteration_s", "tokens_s").For("on this machine"),
			Drop:     dropped,
			Hardware: strings.Fields("gpu_memory gpus drives ssd_read ssd_write host_memory host_rate adam host_path collective network array_cap"),
			Entry:    "entry", EntryPanel: "arch", Vary: "drives",
			Yields:         []string{"tensor", "data", "context", "expert", "zero", "micro", "batch", "sequence", "precision"},
			Contradictions: "machine", ContradictionHelp: "The settings contradict each other. Each sentence names the setting to change.",
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Ways:  []lab.Way{{Label: "I train a model"}, {Label: "I weigh a machine", View: "whatif"}},
			Asked: []lab.Asked{{Words: "context length window", ID: "knob sequence"}, {Words: "ring attention sequence parallel cp", ID: "knob context"}, {Words: "moe ep", ID: "knob expert"}, {Words: "upgrade purchase buy which gpu", ID: "section next"}, {Words: "endurance wear", ID: "section life"}, {Words: "slow wait bottleneck", ID: "chart ledger"}, {Words: "why cause", ID: "section why"}, {Words: "lora qlora peft fine tune finetune", ID: "knob method"}},
		},
		Why:     why(),
		Default: standard(),
		Knobs:   knobs(),
		Check:   check,
		Unread:  func(s *settings, _ string) string { return s.Own.Unread(core.Asks()) },
		Accept:  accept,
		Load: func(s *settings, f lab.Files) (*work, error) {
			w, err := loaded(s, f)
			if err == nil {
				w.setup.Options.Plans = plans
			}
			return w, err
		},
		Asks:     core.Asks(),
		Run:      run,
		Bound:    proof,
		Measures: measures(),
		Report:   describe,
		Steps:    steps,
		Less:     less,
		Result:   outcome{},
		JSON:     func(r *result) ([]byte, error) { return jsontext.MarshalIndent(outcomeOf(r.Result)) },
		Hash:     func(r *result) string { x := outcomeOf(r.Result); return hashOf(&x) },
		Sections: sections(),
		Exports:  exports(),
		Timeline: timefiles.Happening(timed),
		Studies:  studies(),
	})
}

// dropped says what files the laboratory takes.
const dropped = "Drop a model's config.json (Hugging Face), with its safetensors index or without, anywhere on this page"

// systems lists what is compared.
func systems() []lab.System {
	var list []lab.System
	for _, s := range slices.Concat(core.Systems, core.Recipes) {
		list = append(list, lab.System{
			Name: s.Name, Title: s.Title, Family: s.Family, Paper: s.Paper, About: s.About,
			Bound: s.Bound, Off: s.Off || s.Plan == nil, Main: s.Main, Usual: s.Usual, Look: s.Look, Floor: leastOf(s), Unread: unread(s),
		})
	}
	mine := own.System(core.Asks(), core.OwnLook)
	mine.Floor, mine.Unread = leastOf(&planner.Mixed), unread(&planner.Mixed) // which it is, with another rule
	least := lab.Best(
		"No system can be faster, whatever it moves when: a proven bound, and nothing that runs. It is the least over the ways in which the systems cut the model of what their kernels, links and the host's processors must do. TERAIO's systems are measured against more: a linear program of what each GPU moves. Nothing shows that it can be reached: it is near where computing decides, and for other systems far where activations leave again and again.",
		"Spillway: sums over what works at most all the time", 10)
	least.Unread = ofRecipe + " " + ofBuffers + " gds ring_step switch fallback min_tensor target rewrite stage delayed pipelined " + ofPrices
	return append(list, mine, least)
}

// Settings that only some systems read.
const (
	ofAdapters = "rank targets"
	ofRecipe   = ofAdapters + " compile state accumulate" // of systems by recipe, beside any recipe
	ofTeraIO   = "host_limit fallback min_tensor target rewrite"
	ofPieces   = "sub_group prefetch live reuse bucket" // of systems that gather and update in pieces
	ofBuffers  = "buffers buffer_size opt_buffers"      // pinned
	ofZero     = "zero_cut zero_micro stage delayed pipelined " + ofPieces + " " + ofBuffers
	ofMargin   = "host_spare host_margin"
	ofPrices   = "price_gpu price_drive price_host price_base price_kwh watts_gpu watts_base endurance years" // of who says what a job costs
)

// unread are settings that a system does not read: how others cut a model and what they move, and
// recipes that it does not know.
func unread(s *system.System) string {
	switch {
	case s.Plan == nil && *s.Recipe == recipe.Alone:
		return "zero spare gemm network ring_step endurance adam " + ofTeraIO + " " + ofZero
	case s.Plan == nil:
		return "tensor data zero spare gemm gds endurance adam " + ofTeraIO + " " + ofZero
	case s.Recipe != nil: // FSDP with offload
		return "gds endurance zero_cut stage delayed pipelined " + ofTeraIO + " " + ofPieces + " " + ofBuffers
	case s.Bound:
		return "method optimizer optimizer_in_backward loss activation_offload gds endurance adam " + ofRecipe + " " + ofMargin + " " + ofTeraIO + " " + ofZero
	case s.Offloads != nil && !s.Host: // TERAIO on drives alone
		return "host_limit adam " + ofRecipe + " " + ofMargin + " " + ofZero
	case s.Offloads != nil:
		return "adam " + ofRecipe + " " + ofZero
	case s.Drives: // ZeRO
		return "gds stage delayed " + ofRecipe + " " + ofTeraIO
	}
	return "gds endurance pipelined " + ofRecipe + " " + ofTeraIO + " " + ofBuffers
}

// leastOf is the key of what the best possible says of a system whose tensors move by programs
// alone; empty of others.
func leastOf(s *system.System) string {
	switch {
	case s.Plan == nil:
		return recipeLeast
	case s.Offloads == nil:
		return ""
	}
	return strings.ReplaceAll(s.Name, "-", "_") + "_least_s"
}

// recipeLeast is what is proven of systems by recipe: nothing, because the bound is of training all weights
// in the numbers that precision says.
const recipeLeast = "recipe_least_s"

// proof is what no system can be faster than.
func proof(w *work, _ *settings, p lab.Progress) (*lab.Proof, error) {
	if !w.setup.Recipe.Plain() {
		return &lab.Proof{Reason: "the bound is of training all weights by Adam; of this recipe nothing is proven", About: w.about, Origin: w.origin}, nil
	}
	if r, err := uncut(w); r != nil {
		return &lab.Proof{Reason: r.Reason, About: w.about, Origin: w.origin}, err
	}
	b, err := core.Best(&w.setup, p)
	if err != nil {
		return nil, err
	}
	out := &lab.Proof{Reason: b.Reason, About: w.about, Origin: w.origin}
	if b.Reason != "" {
		return out, nil
	}
	out.Value = inSeconds(b.Time)
	out.Also = []float64{float64(w.setup.Layout.Batch*w.setup.Layout.Sequence) / out.Value}
	out.Notes = append(out.Notes, "A proven bound, not a run: no system of these can be faster. Nothing shows that it can be reached.")
	for _, f := range b.Floors {
		titles := make([]string, len(f.Systems))
		for i, x := range f.Systems {
			titles[i] = x.Title
		}
		out.Notes = append(out.Notes, fmt.Sprintf("Cut as by %s an iteration takes at least %s s: %s.", prose.List(titles), prose.ThreeDigits(inSeconds(f.Time)), f.By))
		for _, x := range f.Systems {
			if f.Own {
				out.Single = append(out.Single, lab.Single{Quantity: leastOf(x), Value: inSeconds(f.Time)})
			}
		}
	}
	return out, nil
}

// loaded returns what the settings run.
func loaded(s *settings, f lab.Files) (*work, error) {
	if s.Entry != "" {
		return entry(s, f)
	}
	m, err := s.resolved(nil)
	if err != nil {
		return nil, err
	}
	m.Policy, _ = s.Own.Read(core.Asks()) // what is wrong with its text, its run says
	return workOf(m, fmt.Sprintf("From %s.", m.Arch.Source))
}

// workOf is the work of a setup.
func workOf(m core.Setup, origin string, notes ...string) (*work, error) {
	if err := sound(&m); err != nil {
		return nil, err
	}
	w := &work{setup: m, origin: origin, notes: notes}
	w.about = about(&m.Arch, m.Layout.Batch, m.Layout.Sequence)
	return w, nil
}

// about says what an iteration trains: a model with so many sequences of so many tokens.
func about(a *model.Arch, sequences, tokens int64) string {
	return fmt.Sprintf("%s: %s parameters, %s of %s tokens an iteration.", a.Title, size(a), prose.Count(sequences, "sequence"), prose.Grouped(tokens))
}

// run runs a system.
func run(w *work, s *settings, name string, p lab.Progress) (*result, error) {
	of, err := core.Find(name)
	if err == nil && name == own.Name {
		_, err = s.Own.Read(core.Asks())
	}
	if err != nil {
		return nil, err
	}
	formula := w.setup.ByFormula(of)
	if !formula {
		if err := rounds(&w.setup.Layout); err != nil {
			return nil, err
		}
	}
	r, err := uncut(w)
	if r == nil || formula {
		r, err = core.Run(&w.setup, name, true, p)
	}
	if err != nil {
		return nil, err
	}
	r.System = name
	if formula || w.setup.Node.Nodes > 1 && !r.Ran() {
		return &result{Result: r, setup: w.setup}, nil
	}
	ideal, err := w.bound(name, r)
	if err != nil {
		return nil, err
	}
	w.keep(r)
	return &result{Result: r, setup: w.setup, ideal: ideal}, nil
}

// uncut is what systems that are no closed formulas say where several nodes make a pipeline of more stages than there are layers;
// nil where they do not. Of one node that is said before anything runs.
func uncut(w *work) (*core.Result, error) {
	n := &w.setup.Node
	err := stages(&w.setup.Arch, &w.setup.Layout)
	if n.Nodes < 2 || n.GPUs > core.MostSimulated || err == nil || w.setup.Auto {
		return nil, nil
	}
	r := &core.Result{Reason: prose.Capital(err.Error()) + "."}
	r.Node, err = n.Build()
	return r, err
}

// bound returns the run of GPUs that hold everything; r is that of the system with this name.
func (w *work) bound(name string, r *core.Result) (*core.Result, error) {
	if w.ideal != nil {
		return w.ideal, nil
	}
	if name != core.Systems[0].Name {
		var err error
		if r, err = core.Run(&w.setup, core.Systems[0].Name, false, nil); err != nil {
			return nil, err
		}
	}
	w.ideal = r
	return r, nil
}

// studies are the papers that can be reproduced.
func studies() []lab.Study[settings, *work, *result] {
	return []lab.Study[settings, *work, *result]{
		lab.Reproduce(lab.PaperInfo{
			Key: "teraio", Title: "The TERAIO paper",
			About: "What TERAIO (NeurIPS 2025) prints of its Figures 1 to 11 and its tables: memory at the peak, shares of ideal throughput, sweeps over drives and host memory.",
		}, teraiopaper.Paper, teraiopaper.Reader, nil, func(r *lab.Run[settings, *work, *result]) *core.Result { return r.Result.Result }),
	}
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")
