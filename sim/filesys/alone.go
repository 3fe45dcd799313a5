package filesys

import (
	"fmt"
	"math/rand/v2"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system/raw"
	"spillway/sim/latency"
	"spillway/sim/unit"
)

// Alone is the SSD by itself: no file system, of which it is none of [Systems]. It takes
// workloads of requests, and they take nothing else ([call.Workload].Blocks).
var Alone = System{
	Name: "raw", Title: "The SSD alone",
	About:  "Requests of blocks go to the SSD as they are, without a file system.",
	Memory: device.Alone, New: raw.New, Look: 9, Off: true, Reads: "keeps_freed", // of recordings that discard
}

// An UnfitError says that a system does not take what a workload asks for.
type UnfitError struct{ Reason string }

// Error implements error.
func (e *UnfitError) Error() string { return e.Reason }

// fits reports why a system does not take a workload.
func fits(w *call.Workload, sys *System) error {
	switch alone := sys.Memory == device.Alone; {
	case w.Blocks && !alone:
		return &UnfitError{fmt.Sprintf("%s asks a device for blocks, and %s is for names and files. The SSD alone takes it (system=%s)", w.Name, sys.Title, Alone.Name)}
	case !w.Blocks && alone:
		return &UnfitError{fmt.Sprintf("%s calls a file system, and the SSD alone has none: choose a file system, or requests of blocks as the workload (workload=block-uniform, or a recording of blkparse, fio on a device, MSR or SPC)", w.Name)}
	}
	return nil
}

// Requests are what an SSD by itself did, besides what every result has.
type Requests struct {
	// Reads and writes, by [device.Reads] and [device.Writes].
	Of [device.Directions]Waits
	// How often blocks of the flash were erased: the one that was least, all in sum, the one that
	// was most; and how many blocks there are.
	Least, Erases, Most, Blocks int64
}

// Waits are what requests of a kind took, by the steps of their latency, and what of that they
// waited for garbage collection.
type Waits struct {
	Took, Collecting [len(latency.Counts{})]unit.Time
	Worst            unit.Time // the longest, of it collection, and when it was asked for
	WorstCollecting  unit.Time
	WorstAt          unit.Time
}

// add counts a request.
func (w *Waits) add(at, took, collecting unit.Time) {
	step := latency.Step(took)
	w.Took[step] += took
	w.Collecting[step] += collecting
	if took > w.Worst {
		w.Worst, w.WorstCollecting, w.WorstAt = took, collecting, at
	}
}

// Beyond is how much of the time of requests that take at least as long as a step of latency went by
// in waiting for garbage collection: in thousandths; 0 of none.
func (w *Waits) Beyond(least unit.Time) int64 {
	var took, collecting unit.Time
	for i := latency.Step(least); i < len(w.Took); i++ {
		took, collecting = took+w.Took[i], collecting+w.Collecting[i]
	}
	if took == 0 {
		return 0
	}
	return unit.MulDiv(int64(collecting), 1000, int64(took))
}

// A toucher says which pages a request touches.
type toucher interface {
	Touched(c *call.Call) (page, n int32, how plan.Writing)
}

// How much is written before a run, in what the flash holds, by its history.
const (
	atRandom = 3
	byItself = 3
)

// age writes to the flash what the run's history says.
func (r *run) age() {
	history, files := r.setup.Device.History, r.fs.(toucher)
	if history == machine.Empty {
		return
	}
	var pages int32
	for i := range r.host.Files {
		page, n, how := files.Touched(&call.Call{Node: int32(i), Length: r.host.Files[i].Size})
		for p := page; p < page+n; p++ {
			r.device.Rewrite(p, how)
		}
		pages += n
	}
	holds := int64(pages) * (1000 + r.setup.Device.Spare) / 1000
	switch history {
	case machine.Scattered:
		random := rand.New(rand.NewPCG(uint64(r.setup.Seed), 3))
		how := make([]plan.Writing, pages) // of each page
		for i := range r.host.Files {
			page, n, as := files.Touched(&call.Call{Node: int32(i), Length: r.host.Files[i].Size})
			for p := page; p < page+n; p++ {
				how[p] = as
			}
		}
		for range atRandom * holds {
			p := random.Int32N(pages)
			r.device.Rewrite(p, how[p])
		}
	case machine.ByItself:
		r.repeat(files, byItself*holds)
	}
	r.device.Forget()
}

// repeat writes what the workload writes, over and over, until so many pages are written. What it
// discards stays.
func (r *run) repeat(files toucher, left int64) {
	for pass := uint64(1); left > 0; pass++ {
		source, before := r.load.Start(), left
		if r.load.Before != nil {
			source = r.load.Before(pass)
		}
		for left > 0 {
			c := call.Call{Changed: call.Unknown}
			if source.Next(0, 0, &c) != call.Ready {
				break
			}
			page, n, how := files.Touched(&c)
			if c.Code == call.Write {
				for p := page; p < page+n; p++ {
					r.device.Rewrite(p, how)
				}
				left -= int64(n)
			}
		}
		if left == before {
			return // it writes nothing
		}
	}
}

// count counts a request that is answered.
func (r *run) count(c *client, took unit.Time) {
	switch c.call.Code {
	case call.Read:
		r.alone.Of[device.Reads].add(c.began-r.origin, took, min(c.collected, took))
	case call.Write:
		r.alone.Of[device.Writes].add(c.began-r.origin, took, min(c.collected, took))
	}
	c.collected = 0
}
