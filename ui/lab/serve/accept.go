package serve

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"spillway/sim/knob"
	"spillway/sim/model"
	"spillway/sim/prose"
	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/traces/handed"
	"spillway/traces/requests/conversation"
	"spillway/traces/requests/lengths"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// A source is opened lists of requests and models, by names of which no two are alike.
type source struct {
	list  []opened
	notes []string
}

// An opened is a list of requests or a model, one of both.
type opened struct {
	name  string
	asked *handed.RequestList
	model *handed.Model
}

// accept takes over what was found in files.
func accept(found []byte, _ []lab.File) (lab.Files, error) {
	h, err := wire.Read[handed.Serving](found)
	if err != nil {
		return nil, err
	}
	s := &source{notes: h.Notes}
	for _, l := range h.Lists {
		if err := l.Workload.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		s.add(opened{name: path.Base(l.Name), asked: l})
	}
	for i := range h.Models {
		m := &h.Models[i]
		s.add(opened{name: m.Arch.Title, model: m})
	}
	return s, nil
}

// add adds an entry, with a number if there is another of the same name.
func (s *source) add(o opened) {
	base := o.name
	for n := 2; slices.ContainsFunc(s.list, func(x opened) bool { return x.name == o.name }); n++ {
		o.name = fmt.Sprintf("%s (%d)", base, n)
	}
	s.list = append(s.list, o)
}

// Entries implements lab.Files.
func (s *source) Entries() []lab.Entry {
	list := make([]lab.Entry, len(s.list))
	models := []knob.Choice{{Key: "", Label: "none: one of the list"}} // that answer a list of requests
	for i := range s.list {
		o := &s.list[i]
		list[i].Name = o.name
		if o.asked != nil { // its lengths are its own, as the bundled list's are
			list[i].Info = o.asked.Format + ": " + about(o.asked.Workload)
			list[i].Set = "workload=" + mooncake + " arrivals=poisson requests=" + fmt.Sprint(min(len(o.asked.Workload.Requests), 100_000))
			if o.asked.Timed {
				list[i].Set = "workload=" + mooncake + " arrivals=file requests=" + fmt.Sprint(min(len(o.asked.Workload.Requests), 100_000))
			}
			continue
		}
		a := &o.model.Arch
		list[i].Part = true
		list[i].Info = fmt.Sprintf("%s billion parameters, %s of width %s", prose.ThreeDigits(float64(a.Parameters())/1e9), prose.Count(a.Layers, "layer"), prose.Grouped(a.Hidden))
		list[i].Error = unusable(o.model)
		if list[i].Error == "" {
			models = append(models, knob.Choice{Key: o.name, Help: list[i].Info})
		}
	}
	for i := range list {
		if !list[i].Part && len(models) > 1 {
			list[i].Knobs = []lab.EntryKnob{{Key: "own_model", Choices: models}}
			list[i].Set += " " + knob.Join([]knob.Pair{{Key: "own_model", Text: models[1].Key}}, "")
		}
	}
	return list
}

// unusable says why a model cannot be served, empty if it can.
func unusable(m *handed.Model) string {
	if err := m.Arch.Check(); err != nil {
		return err.Error()
	} else if m.Arch.Encoder > 0 {
		return "it has an encoder, and only models that decode are served; choose another"
	}
	return ""
}

// Notes implements lab.Files.
func (s *source) Notes() []string {
	list := slices.Clone(s.notes)
	for i := range s.list {
		o := &s.list[i]
		if o.asked != nil {
			for _, n := range o.asked.Notes {
				list = append(list, o.name+": "+n)
			}
			continue
		}
		for _, n := range o.model.Notes {
			list = append(list, o.name+": "+n)
		}
	}
	return list
}

var errNoFiles = errors.New("the files are no longer at hand; open them again")

// find returns the entry with a name.
func find(name string, f lab.Files) (*opened, error) {
	s, ok := f.(*source)
	if !ok {
		return nil, errNoFiles
	}
	for i := range s.list {
		if s.list[i].name == name {
			return &s.list[i], nil
		}
	}
	return nil, fmt.Errorf("the opened files hold no %q; choose another under Requests", name)
}

// A work is what runs: requests, with what stands for them at other loads, and the model of opened files.
type work struct {
	*core.Workload
	own           *model.Arch // of opened files; nil for that of the settings
	about, origin string
	notes         []string
	timed         bool // a list that says when requests come
	list          *core.Workload
	knees         map[string]*knee         // by system and setting
	rates         map[int64]*core.Workload // the requests at rates that knees asked for
	met           map[met]loadPoint        // what a run said of other systems, which do the same
	alike         int                      // 1 where prompts begin alike, -1 where none does, 0 before anybody looked
}

// load returns what the settings run.
func load(s *settings, f lab.Files) (*work, error) {
	var err error
	w := &work{knees: map[string]*knee{}, rates: map[int64]*core.Workload{}, met: map[met]loadPoint{}}
	if s.Entry != "" {
		o, err := find(s.Entry, f)
		if err != nil {
			return nil, err
		}
		answers := o // the model, if there is one
		if o.asked != nil {
			w.list, w.timed, w.origin, w.notes = o.asked.Workload, o.asked.Timed, "From "+o.name+".", slices.Clone(o.asked.Notes)
			if answers = nil; s.OwnModel != "" {
				if answers, err = find(s.OwnModel, f); err != nil {
					return nil, err
				}
			}
		}
		if answers != nil && answers.model == nil {
			return nil, fmt.Errorf("%s is a list of requests, no model; choose another under Model of the opened files", answers.name)
		}
		if answers != nil {
			if err := unusable(answers.model); err != "" {
				return nil, fmt.Errorf("%s: %s; choose another under Requests", answers.name, err)
			}
			w.own, w.origin = &answers.model.Arch, "The model is that of "+path.Base(answers.model.File)+". "+w.origin
			w.notes = append(w.notes, answers.model.Notes...)
		}
	}
	if w.list == nil && s.Workload == mooncake {
		w.list, w.timed = conversation.Workload(), true
		w.origin += fmt.Sprintf("Bundled: %d of %s requests of Mooncake's conversation trace (FAST 2025, Apache-2.0), of a sixth of the conversations all.", len(w.list.Requests), prose.Grouped(conversation.Whole))
	}
	if w.list == nil && s.Workload == azure {
		w.list = lengths.Workload(int(max(s.Recipe.Requests, kneeRequests)), s.Recipe.Seed)
		w.origin += fmt.Sprintf("Lengths are drawn of a histogram of the %s requests of Azure's trace of 2023, code (CC-BY 4.0).", prose.Grouped(lengths.Whole))
	}
	switch {
	case w.list == nil && s.Arrivals == recorded:
		return nil, errors.New("arrivals as a file has them need one; open a list of requests, or choose another under Arrivals and lengths")
	case w.list == nil:
		w.Workload, err = s.recipe().Workload()
		w.origin += "Made by a rule, always the same."
	case s.Arrivals == recorded && !w.timed:
		return nil, errors.New("the list does not say when requests came; choose other arrivals under Arrivals and lengths")
	default:
		w.Workload, err = w.paced(s, 0)
	}
	if err != nil {
		return nil, err
	}
	if err := w.Check(); err != nil {
		return nil, fmt.Errorf("%w; choose others under Requests", err)
	}
	w.about = about(w.Workload) + "."
	return w, nil
}

// paced is a list of requests with the arrivals of the settings, or so many thousandths a second in the mean.
func (w *work) paced(s *settings, rate int64) (*core.Workload, error) {
	n := int64(len(w.list.Requests))
	if rate > 0 {
		n = min(n, kneeRequests)
	} else {
		n = min(n, s.Recipe.Requests)
	}
	out := &core.Workload{Name: w.list.Name, Block: w.list.Block, Requests: slices.Clone(w.list.Requests[:n])}
	scale := func(num, den int64) {
		for i := range out.Requests {
			out.Requests[i].At = unit.Time(unit.MulDiv(int64(out.Requests[i].At), num, den))
		}
	}
	last := out.Requests[n-1].At
	switch {
	case rate > 0 && w.timed && last > 0: // n requests in n/rate seconds, as unevenly as they came
		scale(int64(unit.Time(n*1000)*unit.Second/unit.Time(rate)), int64(last))
		return out, nil
	case rate == 0 && s.Arrivals == recorded:
		scale(100, s.Pace)
		return out, nil
	}
	// Times are those of requests that are made by the rule.
	r := s.recipe()
	r.Requests, r.Turns, r.Groups, r.Shared = n, 1, 0, 0
	r.Input, r.Output = core.Length{Mean: 16}, core.Length{Mean: 1}
	if rate > 0 {
		r.Arrivals, r.Rate = core.Poisson, rate
	}
	times, err := r.Workload()
	if err != nil {
		return nil, err
	}
	out.Users, out.Think = times.Users, times.Think
	for i := range out.Requests {
		out.Requests[i].At = times.Requests[i].At
	}
	return out, nil
}

// shares reports whether a prompt begins as one before it.
func shares(w *core.Workload) bool {
	seen := map[core.Block]bool{}
	for i := range w.Requests {
		if b := w.Requests[i].Blocks; len(b) > 0 {
			if seen[b[0]] {
				return true
			}
			seen[b[0]] = true
		}
	}
	return false
}

// shares reports the same, and looks once.
func (w *work) shares() bool {
	if w.alike == 0 {
		if w.alike = -1; shares(w.Workload) {
			w.alike = 1
		}
	}
	return w.alike > 0
}

// about describes requests in numbers.
func about(w *core.Workload) string {
	prompts, answers := w.Tokens()
	n := int64(len(w.Requests))
	text := fmt.Sprintf("%s, prompts of %s tokens and answers of %s in the mean", prose.Count(n, "request"), prose.Grouped(prompts/n), prose.Grouped(answers/n))
	if shares(w) {
		text += ", with what they share"
	}
	return text
}
