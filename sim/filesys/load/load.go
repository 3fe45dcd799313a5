// Package load generates workloads of file systems: Filebench's personalities, YCSB over
// a store of sorted runs, and recordings.
//
// # Source
//
// Parameters are those of the ByteFS artifact's branch baseline (utils/filebench_workloads,
// utils/ycsb_workloads), for all systems. What they mean is Filebench's (filebench/filebench
// on GitHub: fileset.c, flowop.c, flowop_library.c), YCSB's (core workload) and, of its
// store, RocksDB's as its documentation describes it.
//
// As Filebench has it: files are chosen in rotation, by a cursor over the files that exist
// and one over those that do not, which all threads and all their calls share; what a
// thread uses is skipped. Only what exists before is drawn. A run ends after so many reads
// and writes: Calls has all calls of as many loops.
//
// # Departures
//
//  1. A directory has exactly Width entries, and the tree as many levels as that takes;
//     Filebench draws both around these.
//  2. A thread ends at the end of a loop, Filebench in its middle.
//  3. stat runs for a number of calls instead of 200 s, oltp for a tenth of the about
//     16 million calls of its 60 s.
//  4. oltp: a reader posts when its read is answered and computes after that, Filebench the
//     other way round. Files are drawn, Filebench takes the next of those it has open.
//     Its asynchronous writes are glibc's: threads, of which a process has AIO; each is a
//     thread here. What a writer waits for, and when readers do, is K.
//  5. The file that webserver appends to is open all the time, those of oltp and YCSB too.
//  6. YCSB's store is a model: see the comment of store.
//  7. Synchronous writes of oltp are those of files opened with O_DSYNC, which does not make
//     the times of an inode durable. Filebench takes O_SYNC, which does, except on Solaris
//     (fileset.c); so does Setup.FullSync.
//  8. A warm-up (Setup.Warm) is as long as the run and goes over into it, unless Setup.WarmTime says
//     how long it is, as the artifact's personalities do, and then at most as long as 16 runs; that of
//     oltp is always as long as the run.
//  9. Of what Filebench does before a run (fileset.c) Setup.Prepared has what it does to files and to
//     directories that calls make and remove, a call after the other. It maps each file and
//     invalidates the map, which in Linux does nothing; several threads prepare those of delete. The
//     directories that it makes for mkdir and create exist before, files of a process before that the
//     next has not drawn are only opened when they are to be made, and what rmdir removes in the
//     second of its warm-up, after which caches are dropped, is still there.
package load

import (
	"slices"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// A Recipe is a workload of Filebench or YCSB with all its parameters.
type Recipe struct {
	Name         string // key
	Title, About string // for people
	// Files (or directories, or records of YCSB) at full scale, and Preallocated percent
	// of them exist before.
	Files, Preallocated int64
	FileSize            unit.Bytes // mean, of a gamma distribution with shape 1.5 where Gamma is 1; of YCSB that of a sorted run
	Gamma               int64
	Width               int64 // entries of a directory
	Threads             int64
	Append              unit.Bytes // largest append, uniform from 1 byte; of YCSB what an update appends to the log
	IO                  unit.Bytes // largest read or write at once; of oltp and YCSB the size of each
	Calls               int64      // of the file system at full scale, about
	AIO                 int64      // of oltp: writes that a database writer has under way at once
	// Of YCSB: what is gathered in memory before it is written, the store's own cache, and
	// 1 where every update waits until the log has it.
	Memtable, BlockCache unit.Bytes
	SyncLog              int64
}

// Generate returns the workload of a recipe at a scale. The error says what contradicts.
func Generate(r *Recipe, s *machine.Setup) (*call.Workload, error) {
	if err := r.check(s); err != nil {
		return nil, err
	}
	threads := r.Threads
	if s.Threads > 0 {
		threads = s.Threads
	}
	switch {
	case r.Name == "oltp":
		return r.oltp(s, int(threads))
	case r.mix() != nil:
		return r.ycsb(s, int(threads))
	}
	return r.filebench(s, int(threads))
}

// scaled divides by the scale, to the nearest; nothing that is there disappears.
func scaled(n, scale int64) int64 {
	if n == 0 {
		return 0
	}
	return max((n+scale/2)/scale, 1)
}

// filebench returns the workload of a recipe whose threads all do the same.
func (r *Recipe) filebench(s *machine.Setup, threads int) (*call.Workload, error) {
	loop := loops[r.Name]
	entries, err := plant(r, scaled(r.Files, s.Scale), r.Name == "mkdir" || r.Name == "rmdir", s.Seed)
	if err != nil {
		return nil, err
	}
	log := int32(-1)
	if r.Name == "webserver" {
		// It exists before: numbers of entries that do not follow it.
		log = int32(len(entries.nodes))
		entries.nodes = append(entries.nodes, call.Node{})
		for i := range entries.node {
			if entries.node[i] >= log {
				entries.node[i]++
			}
		}
		entries.most++
	}
	n := scaled(r.Calls, s.Scale*int64(len(loop)))
	if f := flowops[r.Name]; s.Flowops && f[0] > 0 {
		n = max(1, n*f[0]/f[1])
	}
	first := int64(0) // loops of the warm-up
	if s.Warm && warmed(r.Name) {
		first = n
	}
	if last := s.Scaled().WarmTime; s.Prepared || first > 0 && last > 0 {
		if s.Prepared && r.Name == "create" { // its files are not used again
			entries.bares()
		}
		files, seed := s.Prepared, s.Seed
		return &call.Workload{
			Name: r.Name, Generated: true, Scale: s.Scale, Threads: threads, Nodes: entries.nodes, Most: entries.most,
			Calls: n * int64(len(loop)), Unsure: unsurePrepared,
			Start: func() call.Source {
				return entries.begin(loop, r, n, threads, seed, log).staged(files, first, n, last, seed)
			},
		}, nil
	}
	w := &call.Workload{
		Name: r.Name, Generated: true, Scale: s.Scale, Threads: threads, Nodes: entries.nodes, Most: entries.most,
		Calls: (first + n) * int64(len(loop)), Warm: first * int64(len(loop)),
		Start: func() call.Source { return entries.begin(loop, r, first+n, threads, s.Seed, log) },
	}
	w.Sure, w.Unsure = entries.sure(r, first+n, loop, threads)
	return w, nil
}

// flowops are of how many operations a run ends, and after how many calls it does here without
// Setup.Flowops, by workload. Filebench counts every operation (flowop.c, flowop_endop), and the
// artifact's personalities say after how many it is to end (finishoncount; create's million is
// half of what its files would last for).
var flowops = map[string][2]int64{
	"create": {1_000_000, 2_000_000}, "varmail": {500_000, 1_625_000}, "fileserver": {1_000_000, 3_666_667},
	"webproxy": {500_000, 1_583_333}, "webserver": {500_000, 1_409_091},
}

// warmed reports whether the artifact's script runs a workload once before it is measured, and
// keeps what the caches have then. The others have no warm-up (create, mkdir), or caches are
// dropped after it (delete, rmdir, stat). YCSB is always warm.
func warmed(workload string) bool {
	return slices.Contains([]string{"varmail", "fileserver", "webproxy", "webserver", "oltp"}, workload)
}

// A Recording is a trace of calls as a file has it: those of each thread in their order.
type Recording struct {
	Name   string
	Format string // what it was read from, for people
	Nodes  []call.Node
	Most   int32
	// Threads have their calls, with At counted from the recording's first.
	Threads [][]call.Call
	// Order has the thread of each call in the order in which they took effect, which is not
	// quite that of At, when they began.
	Order []int32
	// Blocks: it has requests of blocks, as [call.Workload].Blocks.
	Blocks bool
	Notes  []string // what was inferred, and what does not matter
	// Unmatched lines, or calls, that were left out, by what they are: those with most bytes first.
	Unmatched []Count
}

// LeftOut is how many bytes of data went by calls that were left out.
func (r *Recording) LeftOut() (n int64) {
	for _, c := range r.Unmatched {
		n += c.Bytes
	}
	return n
}

// A Count is how many there are of something.
type Count struct {
	What string
	N    int64
	// Bytes are of files' data that they would have read or written, as far as is known.
	Bytes int64
}
