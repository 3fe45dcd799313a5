package load

import (
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/unit"
)

// Why nothing is sure of a workload.
const (
	unsureWrites    = "it mostly writes, and how much of that has to reach flash depends on the file system"
	unsureStore     = "which blocks its store reads, and when it merges them, depends on who is answered first"
	unsureWaits     = "its readers wait for its writers, and these for what they write to be durable"
	unsureRecording = "a recording may write as it likes"
	unsurePrepared  = "it begins with what a warm-up and its preparation leave in caches"
	unsureFew       = "its files are too few for its threads, so how many calls there are depends on who is answered first"
)

// reads lists the personalities of Filebench of which something is sure: those that read.
var reads = []string{"stat", "webserver", "webproxy"}

// sure is what so many loops ask for in every order. Files are taken in rotation from those that
// nobody uses: what has been behind the cursor only is in use, so none that exists before is
// passed over in its first turn. Each of these is then the next that is taken, by a step that
// reads it or by one that deletes it; new files may be taken between them, each once.
func (s *set) sure(r *Recipe, loops int64, loop []step, threads int) (x *call.Sure, why string) {
	if !slices.Contains(reads, r.Name) {
		return nil, unsureWrites
	}
	var sizes []int64 // of the files that exist before, in the order of the rotation
	for i, node := range s.node {
		if s.exists.words[i>>6]>>(i&63)&1 != 0 {
			sizes = append(sizes, s.nodes[node].Size)
		}
	}
	if len(sizes) < threads {
		return nil, unsureFew
	}
	x = &call.Sure{Threads: threads, Most: loops * int64(len(loop))}
	count := func(code call.Code) { x.Calls[code] += loops }
	var taken, made, opened int64 // files, in a loop
	for _, step := range loop {
		switch step {
		case appendSome, appendLog:
			count(call.Write)
		case closeFile:
			count(call.Close)
		case openFile:
			count(call.Open)
			opened++
		case createFile:
			count(call.Create)
			made++
		case deleteFile:
			count(call.Unlink)
			taken++
		case statFile:
			count(call.Stat)
			taken++
		}
	}
	x.Pages = x.Calls[call.Write] // each at least a byte
	if opened == 0 {
		return x, ""
	}
	least := slices.Min(sizes)
	first := min(int64(len(sizes)), (opened+taken-made)*loops)
	if taken+made == 0 { // it is known which these are
		sizes = sizes[:first]
	} else { // they may be the smallest
		slices.Sort(sizes)
		sizes = sizes[:max(0, first-taken*loops)]
	}
	for _, size := range sizes {
		pages, calls := unit.Bytes(size).Pages(), (size+int64(r.IO)-1)/int64(r.IO)
		x.Cold += pages
		x.ColdReads += calls
		if calls > 1 {
			x.Most = 0
		}
	}
	x.Calls[call.Read] = x.ColdReads
	x.Pages += x.Cold
	// The others are read again, or are new: each has a byte at least, if all have.
	if least > 0 {
		again := opened*loops - int64(len(sizes))
		x.Calls[call.Read] += again
		x.Pages += again
	}
	return x, ""
}
