// Package load generates workloads of file systems: Filebench's personalities, YCSB over
// a store of sorted runs, and recordings.
package load

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// A Recipe is a workload of Filebench or YCSB with all its parameters.
type Recipe struct {
	Name string // key
	// Files (or directories, or records of YCSB) at full scale, and Preallocated percent
	// of them exist before.
	Files, Preallocated int64
	FileSize            unit.Bytes // mean, of a gamma distribution with shape 1.5 where Gamma
	Gamma               bool
	Width               int64 // files of a directory, in the mean
	Threads             int64
	Append, IO          unit.Bytes // largest append (uniform from 1 byte... see the generator), size of one access
	Calls               int64      // operations at full scale
}

// Recipes are the workloads at full scale, as the paper's artifact has them (branch
// baseline), in the order of the paper.
func Recipes() []Recipe { panic("stub") }

// Generate returns the workload of a recipe at a scale. The error says what contradicts.
func Generate(r *Recipe, s *machine.Setup) (*call.Workload, error) { panic("stub") }

// A Recording is a trace of calls as a file has it: those of each thread in their order.
type Recording struct {
	Name  string
	Nodes []call.Node
	Most  int32
	// Threads have their calls, with At counted from the recording's first.
	Threads [][]call.Call
	Notes   []string // what was inferred, and what does not matter
	// Unmatched lines, or calls, that were left out, by what they are.
	Unmatched []Count
}

// A Count is how many there are of something.
type Count struct {
	What string
	N    int64
}

// Replay makes a workload of a recording.
func Replay(r *Recording, s *machine.Setup) (*call.Workload, error) { panic("stub") }
