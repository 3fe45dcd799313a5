// Package engine runs a program on a machine. It is the only place where
// simulated time passes.
//
// How memory behaves is said by a memory model, each in a package of its own below this
// one: paged is unified memory as the G10 artifact has it, blocks unified memory as the
// driver has it, pool and swap are arenas without faults, unlimited holds everything. A
// system has one of them as its [Runtime]. The engine knows none; it has what they share:
// kernel times, the rates of a drive, the record of a run, and what a result begins with.
package engine

import (
	"fmt"
	"math"
	"slices"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Runtime is a memory model: how memory behaves under a system, with what the system
// decides while time passes.
type Runtime interface {
	// String says what the memory is, in a few words.
	String() string
	// Executes are the kinds of operation of a program that it executes.
	Executes() []program.Kind
	// NoHost reports whether nothing may go to host memory.
	NoHost() bool
	// Reads are the keys of the settings that a run depends on, of the machine's and of the
	// run's, with blanks between. What a plan reads besides is the system's (system.System).
	Reads() string
	// ExactTimes reports whether kernels take their time without the error of c.Noise, by an
	// accident among q.
	ExactTimes(q quirk.Set) bool
	// Run executes p, which it executes whole, on c's machine. The workload and the machine
	// are valid. The error is a *DoesNotFit when w cannot run.
	Run(w *workload.Workload, p *program.Program, c Config) (*result.Result, error)
}

// Forever is when something ends that does not, such as a kernel that is not running.
const Forever unit.Cycles = math.MaxInt64

// Is reports whether r is of a kind.
func Is[M Runtime](r Runtime) bool {
	_, ok := r.(M)
	return ok
}

// A Config is everything a run depends on besides workload and program.
type Config struct {
	Machine machine.Machine
	// Drive, if not nil, is how the SSD reads and writes, whatever rates the
	// machine has: those are what the planner reckoned with. The result's SSD then
	// has the mean rates of the reported iteration.
	Drive *Drive
	// Mixed, if not nil, is told by a run on a Drive how much of its mixed rates it
	// took while it read and wrote at the same time, in thousandths; 1000 is all.
	// What is less than that leaves time to do one thing alone.
	Mixed      func(reads, writes int64)
	Runtime    Runtime
	Quirks     quirk.Set
	Iterations int
	Noise      int64 // see system.Options
	Seed       int64
	// Progress, if not nil, is told now and then how much of the run is done.
	Progress func(done, total int)
	// Record, if not nil, is told what happens in the run, which stays the same.
	Record *Record
}

// DoesNotFit says why a system cannot run a workload.
type DoesNotFit struct{ Reason string }

// Error returns the reason.
func (e *DoesNotFit) Error() string { return e.Reason }

// Run executes p, the program a system planned for w. The workload and the
// machine must be valid. The error is a *DoesNotFit when the system cannot run
// the workload, another when p has what the memory model does not execute
// ([Runtime]'s Executes).
func Run(w *workload.Workload, p *program.Program, c Config) (*result.Result, error) {
	if err := refused(c.Runtime, w, p); err != nil {
		return nil, err
	}
	if c.Record != nil {
		c.Record.begin(p)
	}
	return c.Runtime.Run(w, p, c)
}

// Unfit returns the result of a system that cannot run w. Its ideal time is that
// of a run with c.
func Unfit(w *workload.Workload, c Config, why *DoesNotFit) *result.Result {
	r := NewResult(c, Ideal(w, c))
	r.Fits, r.Reason = false, why.Reason
	return r
}

// refused returns an error where p has an operation that is not executed, or one of a
// kernel or a tensor that is not there: a mistake in a system's plan.
func refused(r Runtime, w *workload.Workload, p *program.Program) error {
	can := r.Executes()
	for i := range p.Ops {
		switch op := &p.Ops[i]; {
		case !slices.Contains(can, op.Kind):
			return fmt.Errorf("operation %d of the program is %v, before kernel %d; %v executes none: plan for another memory model (engine.Runtime.Executes)", i, op.Kind, op.At, r)
		case op.At < 0 || int(op.At) > len(w.Kernels):
			return fmt.Errorf("operation %d of the program is before kernel %d; there are %d", i, op.At, len(w.Kernels))
		case op.Kind != program.Barrier && (op.Tensor < 0 || int(op.Tensor) >= len(w.Tensors)):
			return fmt.Errorf("operation %d of the program is about tensor %d; there are %d", i, op.Tensor, len(w.Tensors))
		}
	}
	return nil
}
