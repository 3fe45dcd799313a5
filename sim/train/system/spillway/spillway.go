// Package spillway is this program's own planner: it comes near the bound of package bound.
//
// Source: none; what it builds on is named here. Whole tensors are moved, as by SwapAdvisor,
// Sentinel and G10, and chosen by an optimization over the whole iteration, as Checkmate, POET,
// MONeT and OLLA choose what to keep, compute again or place.
//
// Model:
//
//  1. The dual of a linear program gives prices of memory and links over the iteration, and
//     movements of fractions of tensors near the bound ([bound.Problem.Guide]).
//  2. Gaps in which a tensor is idle are candidates. Their score is what a byte earns at these
//     prices, or how much of tensors like it is away in those movements. The best that is
//     still needed somewhere is taken until every kernel has room; a tensor that has left once
//     has a copy, and its other gaps cost less. Then what turned out not to be needed stays.
//  3. Copies go to the host, while it has room for all the time that they are there, or to the
//     SSD.
//  4. Copying ahead: from a tensor's last write on its copy is made while the way out is idle.
//     When room is short it leaves at once, without traffic.
//  5. What is away comes back by its next use, as soon as there is room until then.
//  6. Tensors larger than a 64th of GPU memory are planned and moved in pieces.
//  7. Up to [most] programs that differ in score, tiers, spare memory and whether they copy
//     ahead are simulated, also one that plans nothing and those of other systems ([With]),
//     and the fastest is taken. Another's search goes on after its first generation only if
//     that is within a twentieth of the best.
//
// Parameters: each part can be switched off: [Prices], [Primal], [Tiers], [Ahead], [Others].
//
// What no price is about makes it slower than the bound: pieces are whole, a kernel waits for
// all of its tensors, and moments are 40. Where host memory is short beside a slow SSD it may
// be far from it.
package spillway

import (
	"errors"
	"strings"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/swap"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/swapplan"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// part is a part of the planner that can be switched off.
func part(key, label, help string) system.Param {
	return system.Param{
		Key: "spillway_" + key, Label: "Spillway: " + label, Unit: "", Scale: 1, Max: 1, Default: 1,
		Help: "With Spillway's planner: " + help, Source: "to see what each part of the planner brings",
	}
}

// The parts of the planner.
var (
	Prices = part("prices", "prices", "0 does not look at the prices of memory and links.")
	Primal = part("primal", "fractional movements", "0 does not look at the movements of fractions of tensors near the bound.")
	Tiers  = part("tiers", "choice of tiers", "0 fills the host with what leaves first, as long as it has room.")
	Ahead  = part("ahead", "copies made ahead", "0 begins to copy a tensor when it leaves.")
	Others = part("others", "others' plans", "0 does not try the plans of other systems.")
)

// parts are those that a planner uses.
type parts struct{ prices, primal, tiers, ahead, others bool }

func partsOf(o *system.Options) parts {
	return parts{Prices.Of(o) != 0, Primal.Of(o) != 0, Tiers.Of(o) != 0, Ahead.Of(o) != 0, Others.Of(o) != 0}
}

// System is the planner by itself.
var System = With()

// An Other is a system whose plans are candidates, as they are and with copies made ahead.
type Other struct {
	system.System
	// Generations, if not nil, is how long it searches; at 0 it has a plan soon.
	Generations *system.Param
}

// With is the planner that has plans of other systems among its candidates.
func With(others ...Other) system.System {
	var reads []string
	for i := range others {
		reads = append(reads, others[i].Reads)
	}
	return system.System{
		Name:   "spillway",
		Title:  "Spillway (ours)",
		Paper:  "Spillway, this program",
		About:  "Prices of the proven bound choose what leaves; it is copied ahead while the way out is idle, and then leaves without traffic. Some twenty plans are simulated, and the fastest is taken.",
		Note:   "The Spillway planner is nobody's publication: it is what this program's bound suggests, and no other has reviewed it.",
		Off:    true,
		Look:   16,
		Pieces: 64,
		Quirks: swap.Quirks,
		Params: []*system.Param{&Prices, &Primal, &Tiers, &Ahead, &Others},
		Reads:  strings.Join(reads, " "),
		Search: func(w *workload.Workload, m *machine.Machine, o *system.Options, progress func(done, total int)) (*program.Program, error) {
			return search(w, m, o, others, progress)
		},
		Runtime: func(*system.Options) engine.Runtime { return runtime },
	}
}

// runtime has an iteration of warm-up: at the end of the first, the GPU holds more of what
// the next needs than at the beginning.
var runtime = swap.Memory{Rules: swap.Rules{Warm: 1}, Swapper: follow}

// search makes programs and takes the fastest.
func search(w *workload.Workload, m *machine.Machine, o *system.Options, others []Other, progress func(done, total int)) (*program.Program, error) {
	if err := swapplan.LoadOf(w).Fits(m.GPUMemory); err != nil {
		return nil, err
	}
	if o.Quirks.Has(quirk.SymmetricSSD) { // plan for the drive that is simulated
		symmetric := *m
		symmetric.SSDWrite = m.SSDRead
		m = &symmetric
	}
	config := engine.Config{Machine: *m, Runtime: runtime, Quirks: o.Quirks, Iterations: 2}
	p := &planner{Problem: swapplan.Problem(w, engine.Ideal(w, config), m)}
	p.settle()
	use := partsOf(o)
	if !use.others {
		others = nil
	}
	s := &trials{planner: p, config: config, use: use, known: map[recipe]bool{}, total: most + 4*len(others), progress: progress}
	if err := s.own(); err != nil {
		return nil, err
	}
	for i := range others {
		if err := s.other(&others[i]); err != nil {
			return nil, err
		}
	}
	s.program.Rounds = s.done
	return s.program, nil
}

// promising is by how much the first generation of another's search may be behind for the
// search to go on. Of 60 random settings the search ended ahead of all other programs in three,
// and was ahead after its first generation in all of these.
const promising = 1.05

// other tries the plan of another system, with settings of its own, as it is and with copies
// made ahead. A search goes on if its first generation is promising.
func (s *trials) other(x *Other) error {
	o := system.Published()
	o.Quirks = quirk.Corrected()
	if x.Generations != nil {
		first := o
		x.Generations.Set(&first, 0)
		time, err := s.plans(x, &first)
		if err != nil || float64(time) > promising*float64(s.time) {
			return err
		}
	}
	_, err := s.plans(x, &o)
	return err
}

// plans tries what another system plans, and returns the better time.
func (s *trials) plans(x *Other, o *system.Options) (unit.Cycles, error) {
	if s.perfect() {
		return swapplan.Never, nil
	}
	p, err := x.Program(s.Workload, &s.config.Machine, o, nil)
	var no *system.DoesNotFit
	if errors.As(err, &no) {
		return swapplan.Never, nil
	}
	if err != nil {
		return 0, err
	}
	time, err := s.run(p)
	if err == nil && s.use.ahead {
		var ahead unit.Cycles
		ahead, err = s.run(swapplan.CopyAhead(s.Workload, p))
		time = min(time, ahead)
	}
	return time, err
}

// settle divides what nobody reads any more into what can be given up and what stays.
func (p *planner) settle() {
	p.need = append(p.need, p.Need...)
	for _, v := range p.Idle {
		if !p.Workload.Tensors[v.Tensor].Global {
			p.free = append(p.free, v)
			continue
		}
		for k := v.Gaps[0].From + 1; k < v.Gaps[0].To; k++ {
			p.need[k%p.Kernels] += v.Size
		}
	}
}

// most is how many programs of its own are simulated.
const most = 24

// Trials simulate programs.
type trials struct {
	*planner
	config   engine.Config
	use      parts
	known    map[recipe]bool
	recipe   recipe
	program  *program.Program
	time     unit.Cycles
	done     int
	total    int // as progress has it
	progress func(done, total int)
}

// own tries programs of its own: from what prices and movements near the bound say, one
// thing after the other is changed as long as that helps.
func (s *trials) own() error {
	if _, err := s.run(&program.Program{}); err != nil || s.perfect() { // nothing planned
		return err
	}
	for r := range rules {
		if err := s.try(recipe{rule: r, ahead: true}); err != nil {
			return err
		}
	}
	for was := unit.Cycles(0); was != s.time && !s.perfect() && s.done < most; {
		was = s.time
		for i := range 9 {
			x := s.recipe
			switch i {
			case 0, 1:
				x.order = (x.order + order(i) + 1) % orders
			case 2, 8:
				x.spare = (x.spare + uint8(i)/4 + 1) % uint8(len(spares))
			case 3:
				x.narrow = !x.narrow
			case 4, 5:
				x.rule = (x.rule + rule(i) - 3) % rules
			case 6:
				x.ahead = !x.ahead
			case 7:
				x.narrow, x.rule = !x.narrow, (x.rule+1)%rules
			}
			if err := s.try(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// perfect reports whether nothing can be faster.
func (s *trials) perfect() bool { return s.time > 0 && s.time <= s.Ideal()+s.Ideal()/2000 }

// try simulates the program of a recipe, unless that was done.
func (s *trials) try(x recipe) error {
	x = s.use.within(x)
	if s.known[x] || s.done >= most || s.perfect() {
		return nil
	}
	s.known[x] = true
	p := s.planner.program(x)
	if p == nil {
		return nil
	}
	was := s.time
	_, err := s.run(p)
	if s.time != was {
		s.recipe = x
	}
	return err
}

// within is a recipe, or the nearest, that needs nothing which is switched off.
func (u parts) within(x recipe) recipe {
	switch {
	case !u.prices && !u.primal:
		x.rule = byLength
	case !u.prices:
		x.rule = byShareAlone
	case !u.primal && x.rule == byShare:
		x.rule = byMargin
	}
	switch {
	case !u.tiers:
		x.order = asTheyLeave
	case x.order == byPrice && !u.prices, x.order == byMix && !u.primal:
		x.order = shortest
	}
	x.ahead = x.ahead && u.ahead
	x.narrow = x.narrow && (u.prices || u.primal)
	return x
}

// run simulates a program and keeps it if it is the fastest. It returns how long it takes,
// or Never.
func (s *trials) run(p *program.Program) (unit.Cycles, error) {
	s.done++
	if s.progress != nil {
		s.progress(s.done, s.total)
	}
	r, err := engine.Run(s.Workload, p, s.config)
	var no *engine.DoesNotFit
	if errors.As(err, &no) && s.done > 1 {
		return swapplan.Never, nil
	}
	if err != nil {
		return 0, err
	}
	t := r.Time()
	if s.program == nil || t < s.time {
		s.program, s.time = p, t
	}
	return t, nil
}
