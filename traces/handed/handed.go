// Package handed has what crosses from the program that reads files to a laboratory's:
// for each laboratory one type, in which everything that it needs of opened files is said,
// and nothing else. It has no reader and no writer, so that a laboratory's program has
// none either; package ui/wire carries it.
package handed

import (
	"spillway/sim/compress/sample"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/filesys/load"
	"spillway/sim/kerneltime"
	"spillway/sim/model"
	asked "spillway/sim/serve/load"
	"spillway/sim/store/ops"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// Formats in which the program that reads files writes what a laboratory hands over.
const (
	SpillwayTrace = "spillway-trace" // of Training, its first workload
	AddressTrace  = "address-trace"  // of Accesses, as text
	CallTrace     = "call-trace"     // of Calls
)

// Noted is what is said of files besides what they hold: what is missing or was left out.
type Noted struct{ Notes []string }

// Note adds notes.
func (n *Noted) Note(list ...string) { n.Notes = append(n.Notes, list...) }

// Training is what files hold of training jobs.
type Training struct {
	Noted
	Workloads []*workload.Workload // without their origins
	Jobs      []Job
}

// A Job is a recording, a workload as it is, a network to train, or a table of measurements.
type Job struct {
	Name, Detail string // for people; two may have the same name
	Model        string // stable ID as in workload.Workload, empty if unknown
	Batch        int    // 0 if unknown
	Recording    *recording.Recording
	// Measured is how measurements agree with the law of kernel times; of a table of them.
	Measured []kerneltime.Agreement
	// Network describes a network, in the text form of package networks.
	Network string
	// Workload is its place among the Workloads, where there is no Recording, and Origin
	// where it comes from. Error says why it cannot be built.
	Workload      int
	Origin, Error string
	// Config is the name of the G10 artifact's .config file that the job stands for, and
	// Lines what that sets; both are empty for all others.
	Config string
	Lines  []Line
}

// A Line is one of a .config file: its number and what it says.
type Line struct {
	Number     int
	Key, Value string
}

// Operations are traces of the operations on a store, by the names of their files.
type Operations struct {
	Noted
	Names  []string
	Traces []*ops.Trace
}

// Accesses are recordings of what programs asked of memory. Their names are those of
// their files, where they have none of their own; two may have the same.
type Accesses struct {
	Noted
	Recordings []*stream.Recording
	// Handed is true where they were written for others before: addresses are gone.
	Handed bool
}

// Contents are files of tensors, and files whose bytes are all that is known of them.
type Contents struct {
	Noted
	Files []*sample.File
}

// Calls are recordings of what programs asked of a file system, with names as Accesses.
type Calls struct {
	Noted
	Recordings []*load.Recording
}

// Models are architectures of language models.
type Models struct {
	Noted
	Models []Model
}

// A Model is the architecture that a file describes.
type Model struct {
	File  string // its name
	Arch  model.Arch
	Says  string   // of an index of weights beside it, empty if there is none
	Notes []string // what was assumed of it, or is not simulated
}

// Serving is what files hold of services of language models: what they were asked, and
// models that can answer.
type Serving struct {
	Noted
	Lists  []*RequestList
	Models []Model
}

// A RequestList is what a service was asked, without any text.
type RequestList struct {
	Name   string   // of its file; two may have the same
	Format string   // for people
	Timed  bool     // whether it says when requests came
	Notes  []string // what was left out, or guessed
	// Workload has its requests in the order in which they came, the first at 0. Their
	// blocks are whole, and have numbers in the order in which they first occur.
	Workload *asked.Workload
}
