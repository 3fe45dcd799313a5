// Package job is what the page and its workers say to each other, and the
// bench that does the work. It knows no browser: the worker, the native tests
// and the command-line check all run the same code.
package job

import (
	"spillway/sim/train"
	study "spillway/sim/train/papers/g10"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Source says which workload to run. It is a bundled model, or, when Entry
// is not empty, an entry of the files that were opened.
type Source struct {
	Model string              // a bundled model's stable name
	Batch int                 // samples an iteration
	Times workload.TimeSource // estimated or as-paper
	GPU   string              // key of the GPU that times are estimated for
	Entry string              // name of an entry of the opened files
	Files int                 // number of the set of files it is in
}

// A Job is one thing a worker is asked to do: run one system, reproduce a
// published run, analyze the workload, or, when none of these is set, list what
// the files it came with hold.
type Job struct {
	ID     int // never reused; answers carry it back
	Source Source
	Run    *train.Request
	Study  string // name of a published run: study.Point.Run
	Memory bool   // analyze the tensors' lifetimes
	Hash   bool   // also return the hash of the result
}

// A Summary describes the workload that ran.
type Summary struct {
	Name, Model, Origin  string
	Batch                int
	Times                workload.TimeSource
	Kernels, Tensors     int
	Global, Intermediate unit.Bytes
}

// An Entry is one workload found in opened files.
type Entry struct {
	Name  string         // unique among the files
	Info  string         // what it is, short
	Model string         // the network's stable name, empty if unknown
	Batch int            // samples an iteration, 0 if unknown
	Setup *train.Request // hardware and options that come with it, nil if none
	Error string         // why it cannot be used, empty if it can
}

// An Answer is what a worker says about a job. One job has any number of
// progress answers and one last one.
type Answer struct {
	ID          int
	Last        bool
	Done, Total int // progress, when not Last

	Error   string         // what went wrong, with what to do
	Result  *result.Result // of a run
	Summary *Summary       // of a run
	Hash    string         // of a run, when asked for
	Outcome *study.Outcome // of a published run
	Memory  *study.Memory  // of an analysis, thinned for drawing
	Entries []Entry        // of opened files
	Notes   []string       // about opened files
	Crash   string         // said by the page itself when a worker was lost
}
