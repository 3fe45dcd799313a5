package load

import (
	"spillway/sim/filesys/call"
	"spillway/sim/unit"
)

// A step is what a thread of Filebench does next.
type step uint8

// The steps. Those of the second group choose a file that no thread uses.
const (
	writeWhole step = iota
	readWhole
	appendSome
	fsync
	closeFile
	appendLog

	openFile
	createFile
	deleteFile
	statFile
	makeDir
	removeDir
)

// loops are what a thread does again and again, by workload (F).
var loops = map[string][]step{
	"create": {createFile, writeWhole, fsync, closeFile},
	"delete": {deleteFile},
	"mkdir":  {makeDir},
	"rmdir":  {removeDir},
	"stat":   {statFile},
	"varmail": {
		deleteFile,
		createFile, appendSome, fsync, closeFile,
		openFile, readWhole, appendSome, fsync, closeFile,
		openFile, readWhole, closeFile,
	},
	"fileserver": {
		createFile, writeWhole, closeFile,
		openFile, appendSome, closeFile,
		openFile, readWhole, closeFile,
		deleteFile, statFile,
	},
	"webproxy": {
		deleteFile, createFile, appendSome, closeFile,
		openFile, readWhole, closeFile, openFile, readWhole, closeFile, openFile, readWhole, closeFile,
		openFile, readWhole, closeFile, openFile, readWhole, closeFile,
	},
	"webserver": {
		openFile, readWhole, closeFile, openFile, readWhole, closeFile, openFile, readWhole, closeFile,
		openFile, readWhole, closeFile, openFile, readWhole, closeFile, openFile, readWhole, closeFile,
		openFile, readWhole, closeFile, openFile, readWhole, closeFile, openFile, readWhole, closeFile,
		openFile, readWhole, closeFile, appendLog,
	},
}

// A worker is a thread of Filebench.
type worker struct {
	rnd  random
	at   int   // of the loop
	file int32 // its entry, -1 for none
	// done is the step whose call is under way.
	under bool
	done  step
	pos   int64 // of a file that is read or written whole
}

// A filebench is a source of calls in Filebench's way.
type filebench struct {
	*set
	loop            []step
	io, append      int64
	present, absent bitset  // entries that no thread uses
	disk            bitset  // entries that exist, whatever Filebench knows of them
	size            []int64 // now
	next, nextNew   int32   // cursors over entries that exist, and that do not
	used            int     // entries that threads use
	left            int64   // loops that no thread has begun
	workers         []worker
	log             int32 // node
	logSize         int64
	parked, woken   []int32
}

// begin returns a source over a set.
func (s *set) begin(loop []step, r *Recipe, loops int64, threads int, seed int64, log int32) *filebench {
	f := &filebench{
		set: s, loop: loop, io: int64(r.IO), append: int64(r.Append), left: loops, log: log,
		present: s.exists.clone(), absent: s.absent.clone(), disk: s.exists.clone(), size: make([]int64, len(s.node)),
		workers: make([]worker, threads),
		parked:  make([]int32, 0, threads), woken: make([]int32, 0, threads),
	}
	for i := range s.node {
		if int(s.node[i]) < len(s.nodes) {
			f.size[i] = s.nodes[s.node[i]].Size
		}
	}
	for i := range f.workers {
		f.workers[i] = worker{rnd: seeded(seed, i+1), file: -1, at: len(loop)}
	}
	return f
}

// Woken implements call.Source.
func (f *filebench) Woken() []int32 {
	list := f.woken
	f.woken = f.woken[:0]
	return list
}

// free gives a thread's entry back.
func (f *filebench) free(w *worker, to *bitset) {
	to.add(w.file)
	w.file = -1
	f.used--
	if len(f.parked) > 0 {
		f.woken = append(f.woken, f.parked...)
		f.parked = f.parked[:0]
	}
}

// take chooses the next entry of those that no thread uses.
func (f *filebench) take(w *worker, from *bitset, cursor *int32) bool {
	e := from.from(*cursor)
	if e < 0 {
		return false
	}
	from.drop(e)
	*cursor = e + 1
	w.file = e
	f.used++
	return true
}

// Next implements call.Source.
func (f *filebench) Next(thread int32, _ unit.Time, c *call.Call) call.State {
	w := &f.workers[thread]
	if w.under {
		w.under = false
		switch w.done {
		case closeFile, statFile, makeDir:
			f.free(w, &f.present)
		case deleteFile, removeDir:
			f.size[w.file] = 0
			f.disk.drop(w.file)
			f.free(w, &f.absent)
		}
	}
	for {
		if w.at == len(f.loop) {
			if f.left == 0 {
				return call.Done
			}
			f.left--
			w.at = 0
		}
		s := f.loop[w.at]
		if s >= openFile {
			var found bool
			if s == createFile || s == makeDir {
				found = f.take(w, &f.absent, &f.nextNew)
			} else {
				found = f.take(w, &f.present, &f.next)
			}
			switch {
			case found:
			case f.used > 0:
				f.parked = append(f.parked, thread)
				return call.Parked
			default: // nothing is left to choose, and nobody will give anything back
				f.left = 0
				w.at = len(f.loop)
				return call.Done
			}
		}
		if f.make(w, s, c) {
			return call.Ready
		}
	}
}

// make writes the call of a step and goes on; it reports false if the step needs none, as
// reading an empty file does.
func (f *filebench) make(w *worker, s step, c *call.Call) bool {
	*c = call.Call{Changed: call.Unknown}
	w.under, w.done = true, s
	if s == appendLog {
		w.at++
		c.Code, c.Flags, c.Node = call.Write, call.Append, f.log
		c.Offset, c.Length = f.logSize, 1+w.rnd.below(f.append)
		f.logSize += c.Length
		return true
	}
	c.Node = f.node[w.file]
	switch s {
	case writeWhole, readWhole:
		size := f.size[w.file]
		c.Code = call.Read
		if s == writeWhole {
			size = f.whole[w.file]
			c.Code = call.Write
		}
		c.Offset, c.Length = w.pos, min(f.io, size-w.pos)
		w.pos += c.Length
		if s == writeWhole {
			f.size[w.file] = max(f.size[w.file], w.pos)
		}
		if w.pos == size {
			w.pos = 0
			w.at++
		}
		w.under = c.Length > 0
		return w.under
	case appendSome:
		c.Code, c.Flags = call.Write, call.Append
		c.Offset, c.Length = f.size[w.file], 1+w.rnd.below(f.append)
		f.size[w.file] += c.Length
	case fsync:
		c.Code = call.Fsync
	case closeFile:
		c.Code = call.Close
	case openFile:
		c.Code = call.Open
	case createFile:
		c.Code, c.Dir = call.Create, f.dir[w.file]
		if f.disk.has(w.file) { // of a process before
			c.Code = call.Open
		}
		f.disk.add(w.file)
	case deleteFile:
		c.Code, c.Dir = call.Unlink, f.dir[w.file]
	case statFile:
		c.Code = call.Stat
	case makeDir:
		f.disk.add(w.file)
		c.Code, c.Dir = call.Mkdir, f.dir[w.file]
	case removeDir:
		c.Code, c.Dir = call.Rmdir, f.dir[w.file]
	}
	w.at++
	return true
}
