// Package serve assembles the laboratory of serving language models: how many users a machine
// serves, and what keeping keys and values in host memory and on drives brings.
package serve

import (
	"fmt"
	"math"
	"strings"

	"spillway/sim/prose"
	"spillway/sim/report"
	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
	"spillway/ui/lab/own"
	"spillway/ui/lab/timefiles"
)

// A result is a run, and what the system does at other loads.
type result struct {
	*core.Result
	knee    *knee
	setting core.Setting
	from    core.Stream // of its weights
	work    int64       // that a policy may be, in millions of operations
}

// What sections are made of, with this laboratory's types.
type (
	view    = lab.View[settings, *work, *result]
	section = lab.Shown[settings, *work, *result]
)

// New returns the laboratory.
func New() lab.Lab {
	return lab.New(lab.Spec[settings, *work, *result]{
		Info: lab.Info{
			Name: "serve", Title: "LLM serving",
			About:   "Language models answer users, and keep what they computed of prompts in GPU memory, host memory and on SSDs (vLLM, TensorRT-LLM, LMCache, FlexGen).",
			Lead:    "How many users can this machine serve, and what would one more tier bring?",
			Systems: systems(),
			Panels: []lab.Panel{
				{Key: "requests", Title: "Requests"}, // who opens a list or a model keeps what is below
				{Key: "arrivals", Title: "Arrivals and lengths"},
				{Key: "limits", Title: "What users accept"},
				{Key: "model", Title: "Model"},
				{Key: "machine", Title: "Machine"},
				{Key: "engine", Title: "Engine and options of systems", Folded: true},
				own.Panel(),
			},
			Charts: charts(), Picture: picture(), Presets: presets(),
			Brief: []lab.Brief{
				{Text: "{model}"},
				{Text: "{weights} weights, {kv} keys and values", Trust: true},
				{Text: "{gpus} × {gpu}"},
				{Text: "{engine}", Trust: true},
				{Text: "{workload}, {arrivals}"},
				{Text: "{host} host memory"},
				{Text: "{drives} × {drive} for each GPU"},
				{Text: "limits {ttft} and {tpot}", Trust: true},
			},
			Say: lab.Say{
				Quantity: "users", Than: "× as many users as", Most: "serves most", Loss: "bill", LossOf: "ttft_mean_s",
				Spends: "%s spends %s of the %s to the first token %s, %s %s", LossSays: "The time to the first token goes mostly %[2]s (%[3]s of it)",
				Besides: []lab.Beside{
					{Quantity: "usd_at_knee", Says: "With so many users a million tokens of answers cost %s"},
					{Quantity: "life_days", Says: "At the load that is set its drives live %s if it never stops"},
				},
				Alone:   []lab.Alone{{Quantity: "usd_at_knee", Says: "%s for a million tokens with so many"}, {Quantity: "hit_rate", Says: "%s of prompts' tokens found in a tier"}},
				Seed:    "seed",
				Instead: lab.Instead{Quantity: "output_tokens_s", Says: "No system serves a user within the limits.", Most: "is fastest", Than: "× as fast as"},
				Cannot:  "cannot serve it", Change: []string{"users"}, Faster: "better", Slower: "worse",
			},
			Cost:     lab.Cost{Price: "price_usd", PerPrice: "tokens_usd"},
			Rank:     []string{"users", "ttft_p90_s", "tpot_mean_s", "output_tokens_s", "hit_rate", "usd_per_million", "life_days"},
			Hardware: strings.Fields("gpus host drives link processors drive_read"),
			Drop:     "Drop a list of requests (Mooncake, Azure, BurstGPT, vLLM) or a model's config.json anywhere on this page", Entry: "entry", EntryKnobs: []string{"own_model"}, Vary: "rate",
			Yields:         []string{"tensor", "arrivals", "shared"},
			Contradictions: "machine", ContradictionHelp: "The settings contradict each other. Each sentence names the setting to change.",
			Glossary: glossary(), Tour: tour(), Cards: cards(), Help: help(),
			Ways:  []lab.Way{{Label: "I serve a model"}},
			Asked: []lab.Asked{{Words: "latency slow wait first token", ID: "chart bill"}, {Words: "why cause", ID: "section why"}, {Words: "upgrade purchase buy tier", ID: "section next"}, {Words: "batch roofline", ID: "section steps"}, {Words: "kv cache keys values paged attention", ID: "knob kv"}, {Words: "endurance wear", ID: "section life"}},
		},
		Why:     why(),
		Asks:    asks,
		Default: standard(),
		Knobs:   knobs(),
		Check:   check,
		Unread:  func(s *settings, _ string) string { return s.Own.Unread(asks) },
		Accept:  accept,
		Source: func(s *settings) string {
			return fmt.Sprint(s.Workload, "|", s.Entry, "|", s.OwnModel, "|", s.Arrivals, s.Pace, s.Recipe)
		},
		Load:     load,
		Steps:    steps,
		Less:     "Fewer requests, or shorter ones, would help.",
		Run:      run,
		Measures: measures(),
		Report:   describe,
		Result:   outcome{},
		JSON:     func(r *result) ([]byte, error) { return jsontext.MarshalIndent(outcomeOf(r)) },
		Hash:     func(r *result) string { x := outcomeOf(r); return hashOf(&x, r.Result) },
		Sections: sections(),
		Exports:  timefiles.Of("What engines do, requests in lanes, what moves, and tokens in every tier", timelineTotals(), timed),
		Timeline: timefiles.Happening(timed),
		Studies:  studies(),
	})
}

// systems lists what is compared.
func systems() []lab.System {
	var list []lab.System
	for i, x := range core.Systems() {
		list = append(list, lab.System{
			Name: x.Key, Title: x.Title, About: x.About, Family: x.Family, Paper: x.Paper,
			Bound: x.Free, Off: x.Off, Main: x.Main, Usual: x.Usual, Look: i + 1, Unread: unread(&x),
		})
	}
	mine := own.System(asks, len(list)+1)
	mine.Unread = unread(&core.System{Prefix: true, Host: true, Drive: true})
	return append(list, mine)
}

// unread are settings that a system does not read: those of tiers and places that it does not have.
func unread(x *core.System) string {
	blocked, divided, whole := x.Stream == core.Blocked, x.Stream == core.Divided, x.Stream == core.Resident
	var keys []string
	for _, k := range []struct {
		of  string
		has bool
	}{
		{"zipf", x.Prefix || whole}, // who holds the weights runs at the loads of the bound
		{"affinity", x.Prefix && !x.Free},
		{"second", x.Drive},
		{"drive_read", x.Drive || blocked || x.Stream == core.FromDrive},
		{"link pageable", x.Host || x.Drive || !whole},
		{"processors", blocked || divided},
		{"layers", divided},
		{"gpu_share host_share kv_place gpu_batch cpu_attention", blocked},
		{"reserve", !x.Batch || whole},
		{"step_tokens", whole || divided}, // a pass over weights that stream serves all tokens
	} {
		if !k.has {
			keys = append(keys, k.of)
		}
	}
	return strings.Join(keys, " ")
}

// run runs a system, and at other loads.
func run(w *work, s *settings, system string, p lab.Progress) (*result, error) {
	x, err := s.setting(system, w.own)
	if err != nil {
		return nil, err
	}
	r, err := core.Run(w.Workload, &x, nil)
	if err != nil {
		return nil, err
	}
	r.System = system
	out := &result{Result: r, setting: x, knee: &knee{}, work: s.Own.Work}
	if of, err := s.system(system); err == nil {
		out.from = of.Stream
	}
	if r.Ran() {
		if out.knee, err = w.knee(s, system, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describe is the report of a result.
func describe(w *work, s *settings, r *result) *report.Report {
	rep := &report.Report{Fits: r.Ran(), About: w.about, Origin: w.origin, Lead: lead(w, s, r), Notes: append([]string(nil), w.notes...)}
	rep.Words = words(w, s, r)
	if x := &r.setting; x.Node.GPUs == x.Tensor {
		rep.SayIdle("affinity", "one copy of the model: set gpus above tensor")
	}
	if r.Ran() && r.Moved.In().Bytes == 0 && r.Moved.LinkOut.Bytes == 0 {
		switch {
		case s.Host == 0:
			rep.SayIdle("link pageable second drive_read", "no host memory to keep keys and values in: set host above 0")
		case !w.shares():
			rep.SayIdle("link pageable", "prompts share nothing that is kept: set groups and shared, or turns")
		}
	}
	r.tell(rep)
	if !r.Ran() {
		rep.Reason = r.Refused
		return rep
	}
	m := &r.Memory
	rep.Notes = append(rep.Notes,
		fmt.Sprintf("A copy holds keys and values of %s tokens in GPU memory, %s each; one GiB more on each of its GPUs holds %s more.", prose.Grouped(m.KVTokens), m.KVToken, prose.Grouped(m.GiB)), kept(s, r))
	if rate, less := r.setting.LinkOfHost(); less && r.Moved.In().Bytes > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("Copies between GPUs and host memory reach %v a replica: host memory moves no more, of whose %v a copy uses half. A faster link changes nothing.", rate, r.setting.Node.HostRate))
	}
	if e, err := core.FindEngine(s.Engine); err == nil {
		chip := core.ChipOf(&r.setting.Node.GPU, s.Engine, r.setting.Weights, r.from)
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %s. Band: %s.", e.Title, e.Source, e.Band), chip.Source)
		if !chip.Fitted {
			rep.Caveats = append(rep.Caveats, "No published row of this GPU was fitted: what steps reach of its data sheet is assumed.")
		}
	}
	if sys, err := s.system(r.System); err == nil && sys.Prefix && !w.shares() {
		rep.Caveats = append(rep.Caveats, "Prompts share nothing here, so there is nothing to keep of them and tiers are level: set Groups and Shared, or Turns, under Arrivals and lengths.")
	}
	switch {
	case s.Arrivals == "burst":
		rep.Caveats = append(rep.Caveats, "All requests come at once: the time to the first token is a queue here, and no latency.")
	case r.knee.best.rate > 0 && r.setting.TTFT > 0 && 10*r.TTFT.P90 > 9*r.setting.TTFT:
		rep.Caveats = append(rep.Caveats, "This load is near the knee of "+r.title()+": a few percent of memory or rate change the time to the first token by a factor.")
	}
	if r.knee.best.rate == 0 {
		rep.Notes = append(rep.Notes, "No load keeps the limits for nine requests of ten: the limits under What users accept are tighter than one request alone takes.")
	}
	if life := r.DriveLife(); life != math.MaxInt64 && life < 365_000 {
		rep.Caveats = append(rep.Caveats, fmt.Sprintf("At this load the drives take what their maker warrants in %s.", days(float64(life)/1000)))
	}
	if len(rep.Caveats) > 2 {
		rep.Caveats = rep.Caveats[:2]
	}
	rep.Curves = curves(r)
	return rep
}

// kept says what of GPU memory is for neither weights nor keys and values, and what decides how much.
func kept(s *settings, r *result) string {
	m, x := &r.Memory, &r.setting
	text := fmt.Sprintf("Besides weights, keys and values %v of each GPU are kept", m.Activations/unit.Bytes(x.Tensor))
	e, err := core.FindEngine(s.Engine)
	switch of, errS := s.system(r.System); {
	case err != nil || errS != nil || s.Spare >= 0:
		return text + ", as set."
	case of.Stream != core.Resident && of.Stream != core.Divided:
		return fmt.Sprintf("%s: %v for a layer of the tokens that the GPU computes at a time, the rest for driver and libraries.", text, m.Layers)
	case m.Choice > m.Layers:
		return fmt.Sprintf("%s: %v for driver and libraries, %v to choose tokens in a step, more than its layers take (%v).", text, e.Spare, m.Choice, m.Layers)
	case m.Choice > 0:
		return fmt.Sprintf("%s: %v for driver and libraries, %v for the layers of a step, more than choosing tokens takes (%v).", text, e.Spare, m.Layers, m.Choice)
	}
	return fmt.Sprintf("%s: %v for driver and libraries, %v for the layers of a step.", text, e.Spare, m.Layers)
}

// words are what settings do not say of a run: what opened files have, and times in the unit that people use.
func words(w *work, s *settings, r *result) []report.Word {
	list := []report.Word{{Key: "ttft", Text: s.Setting.TTFT.String()}, {Key: "tpot", Text: s.Setting.TPOT.String()}}
	if w.list != nil && s.Entry != "" {
		list = append(list, report.Word{Key: "workload", Text: s.Entry})
	}
	if w.own != nil {
		list = append(list, report.Word{Key: "model", Text: w.own.Title})
	}
	if r.from != core.Resident && r.from != core.Divided { // such programs are not the engine's
		if e, err := core.FindEngine(s.Engine); err == nil {
			list = append(list, report.Word{Key: "engine", Text: "steps as with " + e.Title})
		}
	}
	return list
}

// titleOf is a system's title.
func titleOf(key string) string {
	if sys, err := core.FindSystem(key); err == nil {
		return sys.Title
	}
	return key
}

// lead is the question.
func lead(w *work, s *settings, r *result) string {
	title := r.setting.Model.Title
	return fmt.Sprintf("%s on %s: the weights take %v of a copy's memory, keys and values of %s tokens have room in the rest. How many users is that?",
		title, prose.Count(s.GPUs, "GPU"), r.Memory.Weights.Aligned(), prose.Grouped(r.Memory.KVTokens))
}

// days writes how long drives live.
func days(n float64) string {
	switch {
	case n < 2:
		return prose.ThreeDigits(n*24) + " hours"
	case n < 730:
		return prose.ThreeDigits(n) + " days"
	}
	return prose.ThreeDigits(n/365) + " years"
}

// What requests and their blocks cost, in steps; a policy that somebody wrote is asked of a block as often as it is used, and an
// operation for one of many candidates costs less.
const (
	ofRequest   = 1.5
	ofBlock     = 0.06
	ofAsked     = 0.15
	ofCandidate = 1.0 / 800
	runs        = 2 // that a policy may work for: the load that is set, and all others together
)

// steps is about how much work a run is: its requests and those of the other loads, with their blocks.
func steps(w *work, s *settings, system string) int {
	n, blocks := float64(len(w.Requests)), 0.0
	for i := range w.Requests {
		blocks += float64(len(w.Requests[i].Blocks))
	}
	each, least := ofRequest+ofBlock*blocks/max(n, 1), 0.0
	if system == own.Name && s.Own.Text != "" {
		each += ofAsked * blocks / max(n, 1)
		least = ofCandidate * min(runs*float64(s.Own.Work*own.Million), runs*blocks*blocks)
	}
	more := float64(kneeRequests * (len(loads) + kneeSearch + 1))
	if sys, err := s.system(system); err == nil && sys.Stream == core.Resident && !sys.Free {
		more *= 1.3 // the bound's loads, too: four systems that share them take 0.33 s, one alone 0.15, the bound 0.085
	}
	return lab.Steps(1, float64((n+more)*each)+least)
}

// dollars is what something costs, in US dollars, of millionths.
func dollars(millionths int64) float64 { return float64(millionths) / 1e6 }
