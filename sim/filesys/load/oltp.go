package load

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// How readers and writers of oltp wait for each other (F; K for the log).
const (
	batch       = 1000 // posts for which a database writer waits
	batchWrites = 100  // and its writes for them
	mostPosts   = 2000 // at which readers wait
	logBatch    = 3200 // for which the log's writer waits
)

// An oltp is a source of the calls of Filebench's oltp: its first thread writes the log,
// then come the database writers, each with as many threads as it has writes under way at
// once, and the others read.
type oltp struct {
	files, first  int64 // data files, and the node of the first
	nodes         []call.Node
	io, log       int64        // of an access, of a write of the log
	burns         [2]unit.Time // of a reader after a read, of a writer before a batch
	flags         call.Flags   // of writes
	left          int64        // reads that no thread has begun
	readers       int          // that have not ended
	aio           int
	rnds          []random
	posts         [dbWriters]int64
	logPosts      int64
	writes        [dbWriters]int64 // of a batch that no thread has begun
	under         [dbWriters]int   // writes under way
	thinks        [dbWriters]bool  // the next write is the first of a batch
	logNow        bool             // the log's writer has a write to do
	busy          []bool           // the thread has a call under way
	asleep        []bool           // it is a writer's, and waits
	parked, woken []int32          // readers; woken has writers too
}

func (r *Recipe) oltp(s *machine.Setup, threads int) (*call.Workload, error) {
	entries, err := plant(r, scaled(r.Files, s.Scale), false, s.Seed)
	if err != nil {
		return nil, err
	}
	nodes := entries.nodes
	files := int64(0)
	for i := range nodes {
		if !nodes[i].Dir {
			files++
		}
	}
	first := int64(len(nodes)) - files
	nodes = append(nodes, call.Node{Size: int64(r.FileSize)})
	reads := max(scaled(r.Calls, s.Scale)/2, 1)
	warm := int64(0) // calls, about twice as many as reads
	if s.Warm {
		warm = 2 * reads
		reads *= 2
	}
	readers := threads - oltpOther
	threads = 1 + dbWriters*int(r.AIO) + readers
	flags := call.Sync
	if s.FullSync {
		flags |= call.Full
	}
	return &call.Workload{
		Name: r.Name, Generated: true, Scale: s.Scale, Threads: threads, Nodes: nodes, Most: int32(len(nodes)),
		Calls: reads + dbWriters*batchWrites*(1+reads/batch) + 1 + reads/logBatch, Warm: warm, Unsure: unsureWaits,
		Start: func() call.Source {
			o := &oltp{
				files: files, first: first, nodes: nodes, io: int64(r.IO), log: int64(r.Append),
				burns: [2]unit.Time{s.ReaderBurn, s.WriterBurn}, flags: flags, left: reads, readers: readers, aio: int(r.AIO), rnds: make([]random, threads),
				busy: make([]bool, threads), asleep: make([]bool, threads),
				parked: make([]int32, 0, threads), woken: make([]int32, 0, 2*threads), logNow: true,
			}
			for i := range o.writes {
				o.writes[i] = batchWrites
			}
			for i := range o.rnds {
				o.rnds[i] = seeded(s.Seed, i+1)
			}
			return o
		},
	}, nil
}

// Woken implements call.Source.
func (o *oltp) Woken() []int32 {
	list := o.woken
	o.woken = o.woken[:0]
	return list
}

// wake asks threads of writers again that wait.
func (o *oltp) wake(from, end int) {
	for i := from; i < end; i++ {
		if o.asleep[i] {
			o.asleep[i] = false
			o.woken = append(o.woken, int32(i))
		}
	}
}

// threads are those of a database writer.
func (o *oltp) threads(writer int) (from, end int) { return 1 + writer*o.aio, 1 + (writer+1)*o.aio }

// Next implements call.Source.
func (o *oltp) Next(thread int32, _ unit.Time, c *call.Call) call.State {
	*c = call.Call{Changed: call.Unknown}
	answered := o.busy[thread]
	o.busy[thread] = false
	switch {
	case thread == 0:
		return o.logWriter(c)
	case int(thread) <= dbWriters*o.aio:
		return o.writer(thread, answered, c)
	}
	if answered { // it posts to all
		o.logPosts++
		if o.logPosts == logBatch {
			o.wake(0, 1)
		}
		for i := range o.posts {
			o.posts[i]++
			if o.posts[i] == batch {
				o.wake(o.threads(i))
			}
		}
	}
	if o.left == 0 {
		if o.readers--; o.readers == 0 {
			o.wake(0, 1+dbWriters*o.aio)
		}
		return call.Done
	}
	for i := range o.posts {
		if o.posts[i] >= mostPosts {
			o.parked = append(o.parked, thread)
			return call.Parked
		}
	}
	o.left--
	o.busy[thread] = true
	c.Code, c.Think = call.Read, o.burns[0]
	o.place(thread, c)
	return call.Ready
}

// place chooses where an access of data goes.
func (o *oltp) place(thread int32, c *call.Call) {
	rnd := &o.rnds[thread]
	c.Node = int32(o.first + rnd.below(o.files))
	size := o.nodes[c.Node].Size
	c.Offset, c.Length = rnd.below(max(size/o.io, 1))*o.io, min(o.io, size)
}

// rest parks a writer's thread that waits for posts, or ends it: the writer has done its
// part of all reads.
func (o *oltp) rest(thread int) call.State {
	if o.readers == 0 {
		return call.Done
	}
	o.asleep[thread] = true
	return call.Parked
}

func (o *oltp) logWriter(c *call.Call) call.State {
	if !o.logNow {
		if o.logPosts < logBatch {
			return o.rest(0)
		}
		o.logPosts -= logBatch
	}
	o.logNow = false
	c.Code, c.Flags, c.Node = call.Write, o.flags, int32(o.first+o.files)
	c.Offset, c.Length = o.rnds[0].below(o.nodes[c.Node].Size/o.log)*o.log, o.log
	return call.Ready
}

func (o *oltp) writer(thread int32, answered bool, c *call.Call) call.State {
	i := (int(thread) - 1) / o.aio
	if answered {
		o.under[i]--
	}
	if o.writes[i] == 0 {
		if o.under[i] > 0 { // the last of the batch begins the next
			o.asleep[thread] = true
			return call.Parked
		}
		if o.posts[i] < batch {
			if o.readers == 0 {
				o.wake(o.threads(i))
			}
			return o.rest(int(thread))
		}
		o.posts[i] -= batch
		o.woken = append(o.woken, o.parked...)
		o.parked = o.parked[:0]
		o.writes[i] = batchWrites
		o.thinks[i] = true
		o.wake(o.threads(i))
	}
	if o.thinks[i] {
		o.thinks[i] = false
		c.Think = o.burns[1]
	}
	o.writes[i]--
	o.under[i]++
	o.busy[thread] = true
	c.Code, c.Flags = call.Write, o.flags
	o.place(thread, c)
	return call.Ready
}
