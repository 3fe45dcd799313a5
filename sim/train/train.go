// Package train is the simulator: pure Go, no browser, no files, no clock.
//
// The way of the data: a workload.Workload goes through a system's planner into
// a program.Program, through the engine into a result.Result.
package train

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/compress/profile"
	"spillway/sim/flash"
	"spillway/sim/knob"
	"spillway/sim/policy"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/machine"
	"spillway/sim/train/own"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/autotm"
	"spillway/sim/train/system/best"
	"spillway/sim/train/system/capuchin"
	"spillway/sim/train/system/deepum"
	"spillway/sim/train/system/deepumplus"
	"spillway/sim/train/system/flashneuron"
	"spillway/sim/train/system/g10"
	"spillway/sim/train/system/ideal"
	"spillway/sim/train/system/lms"
	"spillway/sim/train/system/recompute"
	"spillway/sim/train/system/sentinel"
	"spillway/sim/train/system/spillway"
	"spillway/sim/train/system/superneurons"
	"spillway/sim/train/system/swapadvisor"
	"spillway/sim/train/system/um"
	"spillway/sim/train/system/uvm"
	"spillway/sim/train/system/vdnn"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Systems lists every system in the order charts show them. Adding a system is
// one package and one line here.
var Systems = []system.System{
	ideal.System,
	uvm.System,
	flashneuron.System,
	deepumplus.System,
	g10.GDS,
	g10.Host,
	g10.System,
	um.System,
	deepum.System,
	lms.System,
	vdnn.System,
	autotm.System,
	swapadvisor.System,
	capuchin.System,
	sentinel.System,
	recompute.System,
	superneurons.System,
	spillway.With(spillway.Other{System: swapadvisor.System, Generations: &swapadvisor.Generations}, spillway.Other{System: g10.System}),
	best.System,
}

// Asks is what training asks a policy of somebody's own, whose system is [own.Name].
func Asks() *policy.Place {
	p := own.Asks()
	for _, s := range All() {
		p.Taken = append(p.Taken, s.Title)
	}
	return p
}

// Own is the system of somebody's own policy, one for [Asks]; nil is its default.
func Own(c *policy.Chosen) system.System {
	s, _ := own.System(c)
	return s
}

// OwnLook is its color and pattern in charts.
const OwnLook = own.Look

// Find returns the system with the given stable name; that of somebody's own policy has the
// default.
func Find(name string) (system.System, error) {
	if name == own.Name {
		s, _ := own.System(nil)
		return s, nil
	}
	all := All()
	names := make([]string, len(all))
	for i, s := range all {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return system.System{}, fmt.Errorf("unknown system %q; there are %s", name, strings.Join(names, ", "))
}

// Reading returns the names of the systems whose results a quirk may change.
func Reading(q quirk.Set) []string {
	var names []string
	for i := range Systems {
		if Systems[i].Quirks.Has(q) {
			names = append(names, Systems[i].Name)
		}
	}
	return names
}

// Knobs returns the list of all numeric options: those of any run and, after the
// first of them, those of single systems in the order of Systems; at the end those
// of compression.
func Knobs() []knob.Knob[system.Options] {
	seen := map[*system.Param]bool{}
	own := func(list []system.System) (ks []knob.Knob[system.Options]) {
		for i := range list {
			for _, p := range list[i].Params {
				if !seen[p] {
					seen[p] = true
					ks = append(ks, p.Knob())
				}
			}
		}
		return ks
	}
	ks := slices.Insert(system.RunKnobs(), 1, own(Systems)...)
	return append(ks, own(Compressed)...)
}

// A Request is one run of one system, without the workload.
type Request struct {
	System  string
	Machine machine.Machine
	Options system.Options
	// Policy is what the system [own.Name] does, one for [Asks]; nil is its default. Other systems
	// have none.
	Policy *policy.Chosen
	// SSD is the key of a drive to simulate ([flash.Drives]), whose rates and
	// latency then replace the machine's; empty leaves the machine's.
	SSD string
	// Contents is the key of what tensors hold ([profile.All]), for compressed systems;
	// empty for the usual. MemoryRate is that of the memory of the GPU whose times
	// kernels have, 0 if nobody knows.
	Contents   string
	MemoryRate unit.Bandwidth
	// Record, if not nil, gets what happened besides what the result sums up.
	Record *engine.Record
	// Inspect, if not nil, is shown the pager of a system that has one ([blocks.Memory]).
	Inspect func(r *blocks.Run, p blocks.Pager, k workload.KernelID)
}

// Validate reports every number that is out of range.
func (q *Request) Validate() error {
	_, err := Find(q.System)
	if q.SSD != "" {
		_, unknown := flash.Find(q.SSD)
		err = errors.Join(err, unknown)
	}
	if q.Contents != "" {
		_, unknown := profile.Find(q.Contents)
		err = errors.Join(err, unknown)
	}
	return errors.Join(err, q.Machine.Validate(), knob.CheckAll(Knobs(), &q.Options))
}

// system returns the system of a valid request, and its policy, nil if it has none.
func (q *Request) system() (system.System, *own.Ran, error) {
	if q.System == own.Name {
		s, ran := own.System(q.Policy)
		return s, ran, nil
	}
	s, err := Find(q.System)
	return s, nil, err
}

// Run plans and runs w. Its error is about the request; a system that cannot
// run the workload gives a result that says so. progress may be nil; it is told
// now and then how much of the run is done.
func Run(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if s, err := Find(q.System); err != nil || s.Compressed {
		return runCompressed(w, q, progress)
	}
	return run(w, q, progress)
}

// run is Run of a valid request as it is.
func run(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	s, _, err := q.system()
	switch {
	case err != nil:
		return nil, err
	case s.Floor:
		return runFloor(w, q)
	}
	if q.spares(&s) {
		return sparing(w, q, progress)
	}
	return alone(w, q, progress)
}

// alone is run with all that the machine has.
func alone(w *workload.Workload, q Request, progress func(done, total int)) (*result.Result, error) {
	if q.SSD != "" {
		return runOnDrive(w, q, progress)
	}
	return runFixed(w, q, nil, progress)
}

// runFixed is Run of a valid request with the machine's own SSD rates, or with
// those of a drive, where the plan sees the machine's.
func runFixed(w *workload.Workload, q Request, d *drive, progress func(done, total int)) (*result.Result, error) {
	s, policy, err := q.system()
	if err != nil {
		return nil, err
	}
	plan := progress
	if s.Search != nil {
		plan, progress = partOf(progress, 0, 2), partOf(progress, 1, 2)
	}
	w, of := pieces(w, &s, &q.Machine)
	p, err := s.Program(w, &q.Machine, &q.Options, plan)
	c := config(&s, &q)
	c.Progress, c.Record = progress, q.Record
	if d != nil {
		c.Drive, c.Mixed = &d.rates, func(reads, writes int64) { d.reads, d.writes = reads, writes }
	}
	var r *result.Result
	if err == nil {
		r, err = engine.Run(w, p, c)
	}
	var no *engine.DoesNotFit
	if policy != nil && policy.GaveUp() != "" {
		r, err = engine.Unfit(w, c, &engine.DoesNotFit{Reason: policy.GaveUp()}), nil
	} else if errors.As(err, &no) {
		r, err = engine.Unfit(w, c, no), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Title, err)
	}
	r.System = s.Name
	if policy != nil {
		r.Policy = result.PolicyOf(policy.Account())
	}
	q.Record.Join(of)
	if r.Fits {
		if s.Note != "" {
			r.Notes = append(r.Notes, s.Note)
		}
		r.Notes = append(r.Notes, beyond(&q, c.Runtime)...)
		if b, ok := c.Runtime.(blocks.Memory); ok && b.Rules.Whole && slices.ContainsFunc(w.Kernels, func(k workload.Kernel) bool { return len(k.Rows) > 0 }) {
			r.Notes = append(r.Notes, "Kernels touch single rows of tables. Blocks of 2 MiB are moved whole here, for a row too, which may be far more than rows need: unified memory that brings pages may be faster.")
		}
	}
	if p != nil {
		r.PlannedOps = len(p.Ops)
	}
	return r, nil
}

// mostPieces is about how many pieces a workload has at most: planning takes longer with
// each.
const mostPieces = 4096

// pieces is w as a system moves it, and which tensor each of its is of; nil where w is as
// it was.
func pieces(w *workload.Workload, s *system.System, m *machine.Machine) (*workload.Workload, []workload.TensorID) {
	if s.Pieces == 0 {
		return w, nil
	}
	return w.Divide(max(m.GPUMemory/unit.Bytes(s.Pieces), (w.GlobalBytes()+w.IntermediateBytes())/mostPieces))
}

// config is how the engine runs a system.
func config(s *system.System, q *Request) engine.Config {
	m := q.Machine
	if (s.Quirks & q.Options.Quirks).Has(quirk.LinkOvercommit) { // the published simulator counts each direction by itself
		m.DuplexLoss = 0
	}
	memory := s.Runtime(&q.Options)
	if b, ok := memory.(blocks.Memory); ok {
		b.Inspect = q.Inspect
		memory = b
	}
	return engine.Config{
		Machine: m, Runtime: memory, Quirks: q.Options.Quirks,
		Iterations: int(q.Options.Iterations), Noise: q.Options.Noise, Seed: q.Options.Seed,
	}
}

// FaultTime returns how long the kernels of w take one after the other when all
// their data faults, kernel time error included ([engine.FaultTime]).
func FaultTime(w *workload.Workload, q Request) (unit.Cycles, error) {
	s, _, err := q.system()
	if err != nil {
		return 0, err
	}
	if s.Compressed {
		x, _, err := compress(w, &q)
		if err != nil {
			return 0, err
		}
		w = x.Workload
	}
	return engine.FaultTime(w, config(&s, &q)), nil
}

// Configure applies one key and value of a G10 artifact .config file, or a
// knob's own key, to q. known is false when the key is about something else
// (files, the network description, profiling).
func Configure(q *Request, key, value string) (known bool, err error) {
	if key == "" { // the Config of knobs that the artifact does not have
		return false, nil
	}
	if key == "ssd" {
		if _, err := flash.Find(value); err != nil && value != "" {
			return true, err
		}
		q.SSD = value
		return true, nil
	}
	if key == "buddy_contents" {
		if _, err := profile.Find(value); err != nil {
			return true, err
		}
		q.Contents = value
		return true, nil
	}
	for _, k := range machine.Knobs() {
		if k.Key != key && k.Config != key {
			continue
		}
		if err := k.Parse(&q.Machine, value); err != nil {
			return true, err
		}
		if k.Config == key && k.Key == "ssd_read" {
			// A config has one SSD bandwidth. Writes keep Table 2's share of it.
			q.Machine.SSDWrite = machine.SSDWriteFor(q.Machine.SSDRead)
		}
		return true, nil
	}
	for _, k := range Knobs() {
		if k.Key == key || k.Config == key {
			return true, k.Parse(&q.Options, value)
		}
	}
	return false, nil
}
