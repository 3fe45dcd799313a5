// Package llm trains large language models on a node of GPUs and drives: TERAIO, ZeRO-Offload,
// ZeRO-Infinity and FSDP.
//
//	model.Arch ── job.Build ── system.Plan ── offload.Run ── Result
package llm

import (
	"errors"
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/own"
	"spillway/sim/llm/recipe"
	"spillway/sim/llm/system"
	"spillway/sim/llm/system/fsdp"
	"spillway/sim/llm/system/ideal"
	"spillway/sim/llm/system/teraio"
	"spillway/sim/llm/system/zero"
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/policy"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Systems are what is compared.
var Systems = []*system.System{&ideal.System, &teraio.SSD, &teraio.Mixed, &zero.Offload, &zero.Infinity, &fsdp.System}

// A Setup is everything a run depends on besides the system.
type Setup struct {
	Arch model.Arch
	// Layout cuts the model for ideal and TERAIO; ZeRO and FSDP cut it in their own way. A Micro
	// of 0 is chosen.
	Layout job.Layout
	// Auto: of Layout only the batch, its numbers and what is computed again count, and how systems that cut as
	// it says do so is found: the fastest of some that are run, of all that closed forms rank.
	Auto    bool
	Node    machine.Config
	Options system.Options
	// Recipe is what is trained and how: systems that move tensors by plan know the plain one alone.
	Recipe recipe.Choice
	// Policy is what the system [own.Name] does, one for [Asks]; nil is its default.
	Policy *policy.Chosen
}

// Standard is the TERAIO paper's machine with Llama-3 70B, sequences of 2048 and the smallest
// of its batches that Figure 7 has, in fp32, with two sequences in a micro-batch (inferred from
// the peak memory that it prints).
func Standard() Setup {
	arch, err := model.Find("llama3-70b")
	if err != nil {
		panic(err) // a test of model finds it
	}
	o := system.Standard()
	o.BufferElements = 540e6 // Table 4: buffers of ZeRO-Infinity for the largest model
	return Setup{
		Arch:   arch,
		Layout: job.Layout{Pipeline: 2, Tensor: 1, Data: 1, Context: 1, Expert: 1, Batch: 8, Micro: 2, Sequence: 2048, Precision: job.FP32, TimeScale: 100},
		Node:   machine.Standard(), Options: o, Recipe: recipe.Standard(),
	}
}

// A Result is a run of one system.
type Result struct {
	*offload.Result // nil if Reason says so before it ran
	System          string
	Job             *job.Job
	Node            *machine.Node
	Tokens          int64 // an iteration
	// Reason says why it does not run, empty if it does.
	Reason string
	Unmet  unit.Bytes // what the plan left above the capacity
	Moves  int64      // that programs ask for, of all GPUs
	Notes  []string
	// Recipe is what closed formulas say, of systems that have them; there is no Job then.
	Recipe *Formula
	// Policy is what the run says of the policy that somebody wrote; nil of other systems.
	Policy *policy.Account
	// Tried are all schedules of the system, and Plan is the fastest.
	Tried []Try
	Plan  *offload.Schedule
}

// A Try is how a schedule did.
type Try struct {
	Schedule string
	Time     unit.Time // an iteration, 0 if stuck
	Stuck    string
}

// Ran reports whether the system ran; all numbers of a result that did not are 0.
func (r *Result) Ran() bool { return r.Result != nil && r.Reason == "" && r.Time > 0 }

// MostSimulated is how many GPUs systems may have that are not closed formulas.
const MostSimulated = 64

// Progress is in thousandths of the whole: to build takes up to built, to plan at most up to
// planned, and to run all schedules what is left.
const (
	whole   = 1000
	built   = 50
	planned = 800
)

// steps is the progress of something that has parts. It never goes back.
type steps struct {
	p  report.Progress
	at int64
}

func begin(p report.Progress) *steps {
	s := &steps{p, -1}
	s.reach(0)
	return s
}

func (s *steps) reach(at int64) {
	if s.p != nil && at > s.at {
		s.at = at
		s.p(int(at), whole)
	}
}

// part is the progress of a part that begins now and ends at to.
func (s *steps) part(to int64) report.Progress {
	if s.p == nil {
		return nil
	}
	from := s.at
	return func(done, total int) {
		if total > 0 {
			s.reach(from + unit.MulDiv(to-from, int64(min(max(done, 0), total)), int64(total)))
		}
	}
}

// attempts is the progress of a part whose own progress begins anew nobody knows how often: the
// first time gets half of it, each other an eighth of what is left.
func (s *steps) attempts(to int64) report.Progress {
	if s.p == nil {
		return nil
	}
	left, share := to-s.at, int64(2)
	now := s.part(s.at + left/share)
	last := int64(-1)
	return func(done, total int) {
		if total <= 0 {
			return
		}
		at := unit.MulDiv(whole, int64(min(max(done, 0), total)), int64(total))
		if at < last {
			left, share = to-s.at, 8
			now = s.part(s.at + left/share)
		}
		last = at
		now(done, total)
	}
}

// Run runs one system. The error is about the setup; that a system cannot run it is Reason.
func Run(s *Setup, name string, curves bool, p report.Progress) (*Result, error) {
	return run(s, name, offload.Options{Curves: curves}, p)
}

// RunWith is Run with more schedules, made for setups with less of some part; those that are of another job are not
// looked at. The same plan on a faster machine is hardly ever slower, where one that is made anew may be.
func RunWith(s *Setup, name string, curves bool, p report.Progress, also ...*offload.Schedule) (*Result, error) {
	return run(s, name, offload.Options{Curves: curves}, p, also...)
}

// Handed are the schedules that a run with less of some part hands to one on another node: the fastest of its own and, where
// its GPUs had less memory, the same within that, since with more what comes back earlier may be in another's way.
func (r *Result) Handed(to *machine.Config) []*offload.Schedule {
	if !r.Ran() || r.Plan == nil || r.Plan.Programs == nil {
		return nil
	}
	list := []*offload.Schedule{r.Plan}
	had := r.Node.Usable()
	if r.Plan.Within > 0 {
		had = min(had, r.Plan.Within)
	}
	if had < to.Usable() {
		within := *r.Plan
		within.Within = had
		within.Name += fmt.Sprintf(", in %v of each GPU", had)
		list = append(list, &within)
	}
	return list
}

// Ideal is how long an iteration takes if all GPUs hold everything. Without offloading one
// iteration is as all.
func Ideal(s *Setup) (unit.Time, error) {
	r, err := run(s, ideal.System.Name, offload.Options{Iterations: 1}, nil)
	switch {
	case err != nil:
		return 0, err
	case !r.Ran():
		return 0, errors.New("ideal: " + r.Reason)
	}
	return r.Time, nil
}

// cut returns what a system builds, its options, and its job. A refusal is the last value.
func cut(s *Setup, sys *system.System) (node *machine.Node, j *job.Job, o system.Options, err error) {
	node, err = s.Node.Build()
	if err != nil {
		return nil, nil, o, err
	}
	if n := s.Node.GPUs; n > MostSimulated {
		return node, nil, o, &system.Refusal{Reason: fmt.Sprintf("%d GPUs are simulated at most, there are %d; One GPU, DDP and FSDP are closed formulas, and take any number.", MostSimulated, n)}
	}
	if no := s.unshared(sys); no != nil {
		return node, nil, o, no
	}
	arch := s.Arch
	o = s.Options
	spec := job.Spec{Arch: &arch, Layout: s.Layout, Node: node}
	own := func(err error) error { return err }
	if usual := spec; system.Pipeline(&usual, &o) == nil {
		own = func(err error) error { // the setup's cut is sound: it is the system's own that does not work
			if no := (*system.Refusal)(nil); errors.As(err, &no) || spec.Tensor == usual.Tensor && spec.Data == usual.Data {
				return err
			}
			return &system.Refusal{Reason: fmt.Sprintf("%s cuts the model in another way: %v.", sys.Title, err)}
		}
	}
	if err = sys.Cut(&spec, &o); err != nil {
		return node, nil, o, own(err)
	}
	if j, err = job.Build(&spec); err != nil {
		return node, nil, o, own(err)
	}
	return node, j, o, nil
}

// unshared is what a system says that shares no sequences and splits no experts where the layout does; nil where it does not.
func (s *Setup) unshared(sys *system.System) *system.Refusal {
	if s.Auto || !s.Layout.Own() || sys.Bound || sys.Offloads != nil {
		return nil
	}
	if s.ByFormula(sys) && s.Node.GPUs > 1 { // one GPU says that itself
		if s.Layout.Expert <= 1 {
			return nil
		}
		return &system.Refusal{Reason: fmt.Sprintf("%s splits no experts over GPUs: all share every layer. Set expert to 1, or take a system that is cut as the layout says.", sys.Title)}
	}
	return &system.Refusal{Reason: fmt.Sprintf("%s shares no sequences between GPUs and splits no experts: it cuts the model in its own way. Set context and expert to 1, or take a system that is cut as the layout says.", sys.Title)}
}

func run(s *Setup, name string, options offload.Options, p report.Progress, also ...*offload.Schedule) (*Result, error) {
	sys, policy, err := s.find(name)
	if err != nil {
		return nil, err
	}
	progress := begin(p)
	r := &Result{System: name}
	if policy != nil {
		defer func() { r.Policy = policy.Account() }()
	}
	switch {
	case s.unshared(sys) != nil:
		r.Reason = s.unshared(sys).Reason
		r.Node, err = s.Node.Build()
		return r, err
	case s.ByFormula(sys):
		return r, r.byFormula(s, sys)
	case s.Auto && s.Node.GPUs <= MostSimulated && (sys.Bound || sys.Offloads != nil) && (s.Recipe.Plain() || sys.Bound):
		return auto(s, sys, options, p)
	case !s.Recipe.Plain() && !sys.Bound:
		r.Reason = unknownRecipe(sys)
		r.Node, err = s.Node.Build()
		return r, err
	}
	refused := func(err error) (*Result, error) {
		var no *system.Refusal
		if !errors.As(err, &no) {
			return nil, err
		}
		r.Reason = no.Reason
		return r, nil
	}
	var o system.Options
	r.Node, r.Job, o, err = cut(s, sys)
	if err != nil {
		return refused(err)
	}
	r.Tokens = r.Job.Tokens
	progress.reach(built)
	plans, err := sys.Plan(r.Job, r.Node, &o, progress.attempts(planned))
	if err != nil {
		return refused(err)
	}
	if sys.Bound && options.Iterations == 0 {
		options.Iterations = 1 // without offloading one is as all
	}
	own := len(plans)
	for _, x := range also {
		if x != nil && len(x.Programs) == len(r.Job.Parts) {
			plans = append(plans, x)
		}
	}
	for i, plan := range plans {
		options.Progress = progress.part(progress.at + (whole-progress.at)/int64(len(plans)-i))
		got, err := offload.Run(r.Job, plan, r.Node, options)
		if err != nil && i >= own {
			continue // of another job
		}
		if err != nil {
			return nil, err
		}
		try := Try{Schedule: plan.Name, Stuck: got.Stuck}
		if got.Stuck == "" {
			try.Time = got.Time
		}
		r.Tried = append(r.Tried, try)
		if r.Result == nil || r.Stuck != "" && got.Stuck == "" || got.Stuck == "" && got.Time < r.Time {
			r.Result, r.Plan, r.Unmet, r.Notes, r.Moves = got, plan, plan.Unmet, plan.Notes, moves(plan)
		}
	}
	if r.Result == nil {
		return nil, fmt.Errorf("%s has no schedule", name)
	}
	r.Reason = r.Stuck
	if r.Ran() && options.Iterations == 0 && !r.Settled() {
		r.Notes = append(r.Notes, fmt.Sprintf("iterations are not alike: the one that is measured takes %v, the one before takes %v", r.Time, r.Before))
	}
	progress.reach(whole)
	return r, nil
}

// moves counts what a schedule's programs ask for.
func moves(s *offload.Schedule) (n int64) {
	for _, p := range s.Programs {
		n += int64(len(p.Ops))
	}
	return n
}

// Asks is what training of language models asks a policy of somebody's own, whose system is
// [own.Name].
func Asks() *policy.Place {
	p := own.Asks()
	for _, s := range slices.Concat(Systems, Recipes) {
		p.Taken = append(p.Taken, s.Title)
	}
	return p
}

// OwnLook is the color and the pattern of somebody's own policy in charts.
const OwnLook = own.Look

// find returns the system with a name, and somebody's own policy if it is that one's.
func (s *Setup) find(name string) (*system.System, *own.Ran, error) {
	if name == own.Name {
		sys, ran := own.System(s.Policy)
		return sys, ran, nil
	}
	sys, err := Find(name)
	return sys, nil, err
}

// Find returns the system with a name; that of somebody's own policy has the default.
func Find(name string) (*system.System, error) {
	if name == own.Name {
		s, _ := own.System(nil)
		return s, nil
	}
	names := make([]string, 0, len(Systems)+len(Recipes))
	for _, s := range slices.Concat(Systems, Recipes) {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("unknown system %q; want one of %v", name, names)
}
