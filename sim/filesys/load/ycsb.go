package load

import (
	"fmt"
	"math/bits"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// A mix is what YCSB's workload does, in percent.
type mix struct {
	name, title, about                 string
	read, update, insert, scan, modify int64
	latest                             bool // the newest records are asked for most, else some records all over
}

// mixes are YCSB's six core workloads.
var mixes = []mix{
	{name: "ycsb-a", title: "YCSB-A", about: "Half reads, half updates.", read: 50, update: 50},
	{name: "ycsb-b", title: "YCSB-B", about: "19 reads to one update.", read: 95, update: 5},
	{name: "ycsb-c", title: "YCSB-C", about: "Reads only.", read: 100},
	{name: "ycsb-d", title: "YCSB-D", about: "19 reads of new records to one insert.", read: 95, insert: 5, latest: true},
	{name: "ycsb-e", title: "YCSB-E", about: "19 scans of up to 100 records to one insert.", scan: 95, insert: 5},
	{name: "ycsb-f", title: "YCSB-F", about: "Half reads, half reads that are followed by an update.", read: 50, modify: 50},
}

// mix returns what the recipe's workload does if it is one of YCSB, else nil.
func (r *Recipe) mix() *mix {
	for i := range mixes {
		if mixes[i].name == r.Name {
			return &mixes[i]
		}
	}
	return nil
}

// What RocksDB 6.2 does if nobody sets anything (its documentation), and K for the rest.
const (
	levels        = 6  // below level 0
	levelGrowth   = 10 // a level may have so many times what the one above has
	levelBase     = 4  // files that level 1 may have
	compactAt     = 4  // files of level 0
	stopAt        = 20 // files of level 0, at which flushing waits
	maxRuns       = stopAt + levels
	falsePositive = 100       // one of so many bloom filters says yes and is wrong
	readAhead     = 128 << 10 // bytes that merging reads at once
	writeChunk    = 1 << 20   // bytes that a sorted run is written with at once
	mostScanned   = 100       // records of a scan
	scrambled     = 1e10      // ranks of YCSB's scrambled generator, whatever there are of records
)

// Where the newest version of a record is: in a level from 1 on, or here.
const (
	inMemory    = 0
	inFlush     = levels + 1
	inLevelZero = levels + 2 // and the slot of its run
)

// A store is the part of a RocksDB that its calls come from, for YCSB.
//
// An update appends to the log and goes into memory. What is full there becomes a run of
// level 0, written in sequence with fsync, and the log is removed. From compactAt runs on
// level 0 is merged with the whole of level 1; a level that is too large is merged file by
// file into the next, one merge at a time. A read asks the runs from the newest on: filters
// are in memory and say yes falsely once in a hundred; a block that the store's own cache
// has is not read. A scan reads its share of every run. Departures of its own:
//
//  1. Files of a level share its keys evenly. Bytes of a merge follow from how many keys are
//     likely to be in both.
//  2. All records have one size. There are no manifest, no compression, no trivial moves.
//  3. The last level to be filled has what is left of the records at the start.
type store struct {
	storeShape
	where   []uint8 // by record
	records int64
	left    int64 // operations that no client has begun
	cl      []client
	running int // clients that have not ended
	cache   blockCache

	fresh, flushed []int32 // records in memory, and in what is written
	flushing       bool
	wal, oldWAL    int32
	walSize        int64
	walReady       bool

	zero   []run // level 0, the oldest first; its slots in where are those of run.slot
	slots  uint32
	level  [levels + 1][]run
	turn   [levels + 1]int // the next file of a level to be merged downwards
	spare  []int32         // nodes that no file has
	pins   []int16
	flush  flush
	merge  merge
	dead   []int32 // runs that are merged and were read when they should have been removed
	idle   [2]bool // flusher, merger
	parked []int32 // clients
	woken  []int32
}

// storeShape is what does not change.
type storeShape struct {
	*mix
	clients        int
	memtable, file int64
	block, record  int64
	sync           bool
	operation      unit.Time // what an operation of the store computes
	zipf           *zipf
}

// A run is a sorted run: a file.
type run struct {
	node int32
	slot uint8 // of level 0
	keys int64
}

// A piece is a range of a file that is to be read.
type piece struct {
	node   int32
	length int32
	offset int64
}

// stage is where a client is in its operation.
type stage uint8

const (
	between stage = iota
	getting
	putting
	logged
	synced
	switching
)

// A client is a thread of YCSB.
type client struct {
	rnd    random
	stage  stage
	puts   bool // the operation ends with an update
	key    int32
	think  unit.Time
	at, n  int
	pieces [maxRuns]piece
	pinned int32 // node of the read under way, 0 for none
}

// ycsb returns the workload of a recipe of YCSB.
func (r *Recipe) ycsb(s *machine.Setup, clients int) (*call.Workload, error) {
	m := r.mix()
	n := scaled(r.Files, s.Scale)
	ops := scaled(r.Calls, s.Scale)
	warm := ops / 2
	shape := storeShape{
		mix: m, clients: clients, block: int64(r.IO), record: int64(r.Append), sync: r.SyncLog != 0, operation: s.StoreCost,
	}
	shape.file = max(int64(r.FileSize)/s.Scale, 16*shape.block, shape.record)
	shape.memtable = max(int64(r.Memtable)/s.Scale, 16*shape.record)
	if m.latest {
		shape.zipf = newZipf(n)
	} else {
		shape.zipf = newZipf(scrambled)
	}
	per := shape.file / shape.record // records of a file
	// Room for what is merged, twice, and for what is written.
	files := 2*(n/per+1) + 2*(ops+warm)*shape.record/shape.file + 64
	if n+ops > 1<<27 || files > maxNodes {
		return nil, fmt.Errorf("%d records and %d operations are too many: raise scale, or lower files and calls", n, ops)
	}
	nodes := []call.Node{{Parent: -1, Dir: true}, {Dir: true}, {Parent: 1}} // the root, the store, its log
	var filled [levels + 1][]run
	rest := n
	for l, may := 1, int64(levelBase); l <= levels && rest > 0; l, may = l+1, may*levelGrowth {
		keys := min(rest, may*per)
		if l == levels {
			keys = rest
		}
		rest -= keys
		k := (keys + per - 1) / per
		for i := range k {
			c := keys*(i+1)/k - keys*i/k
			filled[l] = append(filled[l], run{node: int32(len(nodes)), keys: c})
			nodes = append(nodes, call.Node{Parent: 1, Size: c * shape.record})
		}
	}
	// How many runs a scan reads, and calls of an operation, about.
	calls := (m.read + m.update + m.insert + m.scan*3 + 2*m.modify) * ops / 100
	return &call.Workload{
		Name: r.Name, Generated: true, Loads: true, Scale: s.Scale, Threads: clients + 2, Nodes: nodes, Most: int32(int64(len(nodes)) + files),
		Calls: calls + calls/2, Warm: calls / 2, Unsure: unsureStore,
		Start: func() call.Source {
			st := &store{
				storeShape: shape, where: make([]uint8, n, n+(ops+warm)*m.insert/100*5/4+1024), records: n, left: ops + warm, running: clients,
				cl: make([]client, clients), cache: newBlockCache(int64(r.BlockCache) / s.Scale / shape.block),
				wal: 2, walReady: true, pins: make([]int16, int64(len(nodes))+files),
				parked: make([]int32, 0, clients), woken: make([]int32, 0, 4*(clients+2)),
			}
			for i := range st.cl {
				st.cl[i].rnd = seeded(s.Seed, i+1)
			}
			for i := files - 1; i >= 0; i-- {
				st.spare = append(st.spare, int32(int64(len(nodes))+i))
			}
			var below [levels + 1]int64 // records up to a level
			last := 0
			for l := 1; l <= levels && len(filled[l]) > 0; l++ {
				st.level[l] = append(make([]run, 0, 4*len(filled[l])+16), filled[l]...)
				below[l] = below[l-1] + keysOf(filled[l])
				last = l
			}
			rnd := seeded(s.Seed, 0)
			for i := range st.where {
				at, l := rnd.below(n), 1
				for l < last && at >= below[l] {
					l++
				}
				st.where[i] = uint8(l)
			}
			return st
		},
	}, nil
}

func keysOf(runs []run) (n int64) {
	for i := range runs {
		n += runs[i].keys
	}
	return n
}

// Woken implements call.Source.
func (s *store) Woken() []int32 {
	list := s.woken
	s.woken = s.woken[:0]
	return list
}

// wake asks the clients again that wait.
func (s *store) wake() {
	s.woken = append(s.woken, s.parked...)
	s.parked = s.parked[:0]
}

// rouse asks the flusher (0) or the merger (1) again if it sleeps.
func (s *store) rouse(which int) {
	if s.idle[which] {
		s.idle[which] = false
		s.woken = append(s.woken, int32(s.clients+which))
	}
}

// Next implements call.Source.
func (s *store) Next(thread int32, _ unit.Time, c *call.Call) call.State {
	*c = call.Call{Changed: call.Unknown}
	switch int(thread) - s.clients {
	case 0:
		return s.flusher(c)
	case 1:
		return s.merger(c)
	}
	cl := &s.cl[thread]
	if cl.pinned != 0 {
		s.pins[cl.pinned]--
		cl.pinned = 0
	}
	for {
		switch cl.stage {
		case between:
			if s.left == 0 {
				if s.running--; s.running == 0 {
					s.rouse(0)
					s.rouse(1)
				}
				return call.Done
			}
			s.left--
			cl.think += s.operation
			s.draw(cl)
		case getting:
			if cl.at == cl.n {
				cl.stage = between
				if cl.puts {
					cl.stage = putting
				}
				continue
			}
			p := cl.pieces[cl.at]
			cl.at++
			if s.cache.has(p, s.block) {
				s.pins[p.node]--
				continue
			}
			cl.pinned = p.node
			c.Code, c.Node, c.Offset, c.Length = call.Read, p.node, p.offset, int64(p.length)
			return cl.call(c)
		case putting:
			if !s.walReady || s.flushing && int64(len(s.fresh))*s.record >= s.memtable {
				s.parked = append(s.parked, thread)
				return call.Parked
			}
			cl.stage = logged
			c.Code, c.Flags, c.Node, c.Offset, c.Length = call.Write, call.Append, s.wal, s.walSize, s.record
			s.walSize += s.record
			return cl.call(c)
		case logged:
			cl.stage = synced
			if s.sync {
				c.Code, c.Node = call.Fdatasync, s.wal
				return cl.call(c)
			}
		case synced:
			cl.stage = between
			if s.where[cl.key] != inMemory {
				s.where[cl.key] = inMemory
				s.fresh = append(s.fresh, cl.key)
			}
			if int64(len(s.fresh))*s.record < s.memtable || s.flushing || !s.walReady {
				continue
			}
			cl.stage, s.walReady, s.flushing = switching, false, true
			s.oldWAL, s.wal, s.walSize = s.wal, s.take(), 0
			s.fresh, s.flushed = s.flushed[:0], s.fresh
			for _, key := range s.flushed {
				s.where[key] = inFlush
			}
			c.Code, c.Node, c.Dir = call.Create, s.wal, 1
			return cl.call(c)
		case switching:
			cl.stage, s.walReady = between, true
			s.rouse(0)
			s.wake()
		}
	}
}

// call makes a client's call, behind what it has computed.
func (cl *client) call(c *call.Call) call.State {
	c.Think, cl.think = cl.think, 0
	return call.Ready
}

// take returns a node that no file has.
func (s *store) take() int32 {
	n := s.spare[len(s.spare)-1]
	s.spare = s.spare[:len(s.spare)-1]
	return n
}

// draw begins an operation.
func (s *store) draw(cl *client) {
	rank := s.zipf.rank(&cl.rnd)
	if s.latest {
		cl.key = int32(s.records - 1 - rank%s.records)
	} else {
		at, _ := bits.Mul64(spread(uint64(rank)), uint64(s.records))
		cl.key = int32(at)
	}
	cl.at, cl.n, cl.puts, cl.stage = 0, 0, false, getting
	kind := cl.rnd.below(100)
	switch {
	case kind < s.read:
		s.get(cl)
	case kind < s.read+s.modify:
		s.get(cl)
		cl.puts = true
	case kind < s.read+s.modify+s.scan:
		s.seek(cl, 1+cl.rnd.below(mostScanned))
	default:
		cl.puts = true
		if kind >= s.read+s.modify+s.scan+s.update && len(s.where) < cap(s.where) {
			cl.key = int32(s.records)
			s.where = append(s.where, inFlush) // until it is in memory
			s.records++
		}
	}
}

// add lets a client read length bytes of a run, from where a key would be.
func (s *store) add(cl *client, f *run, at uint64, length int64) {
	size := f.keys * s.record
	hi, _ := bits.Mul64(at, uint64(size))
	offset := int64(hi) / s.block * s.block
	end := min(offset+(length+s.block-1)/s.block*s.block, size)
	cl.pieces[cl.n] = piece{f.node, int32(end - offset), offset}
	cl.n++
	s.pins[f.node]++
}

// holder returns which file of a level a key is in, and where in it.
func (s *store) holder(l int, key uint64) (f *run, at uint64) {
	i, at := bits.Mul64(key, uint64(len(s.level[l])))
	return &s.level[l][i], at
}

// get finds what reading a record reads: a block of the run that has it, and of those
// before it that seem to.
func (s *store) get(cl *client) {
	at := int(s.where[cl.key])
	if at == inMemory || at == inFlush {
		return
	}
	key := spread(uint64(cl.key))
	for i := len(s.zero) - 1; i >= 0; i-- {
		f := &s.zero[i]
		has := at == inLevelZero+int(f.slot)
		if has || cl.rnd.below(falsePositive) == 0 {
			s.add(cl, f, key, s.block)
		}
		if has {
			return
		}
	}
	for l := 1; l <= levels; l++ {
		if len(s.level[l]) == 0 {
			continue
		}
		if at == l || cl.rnd.below(falsePositive) == 0 {
			f, in := s.holder(l, key)
			s.add(cl, f, in, s.block)
		}
		if at == l {
			return
		}
	}
}

// seek finds what a scan of so many records reads: of every run a block, and the share of
// the records that it has.
func (s *store) seek(cl *client, records int64) {
	key := spread(uint64(cl.key))
	for i := range s.zero {
		f := &s.zero[i]
		s.add(cl, f, key, s.block+records*f.keys/s.records*s.record)
	}
	for l := 1; l <= levels; l++ {
		if len(s.level[l]) == 0 {
			continue
		}
		f, in := s.holder(l, key)
		s.add(cl, f, in, s.block+records*keysOf(s.level[l])/s.records*s.record)
	}
}

// A flush is the writing of what was gathered in memory.
type flush struct {
	step    uint8
	node    int32
	size    int64
	written int64
}

// flusher is the thread that writes runs of level 0.
func (s *store) flusher(c *call.Call) call.State {
	f := &s.flush
	for {
		if s.running == 0 {
			return call.Done
		}
		switch f.step {
		case 0:
			if !s.flushing || !s.walReady || len(s.zero) >= stopAt {
				s.idle[0] = true
				return call.Parked
			}
			*f = flush{step: 1, node: s.take(), size: int64(len(s.flushed)) * s.record}
			c.Code, c.Node, c.Dir = call.Create, f.node, 1
			return call.Ready
		case 1:
			if f.written < f.size {
				c.Code, c.Node, c.Offset, c.Length = call.Write, f.node, f.written, min(writeChunk, f.size-f.written)
				f.written += c.Length
				return call.Ready
			}
			f.step = 2
			c.Code, c.Node = call.Fsync, f.node
			return call.Ready
		case 2:
			f.step = 3
			c.Code, c.Node = call.Close, f.node
			return call.Ready
		case 3:
			slot := uint8(bits.TrailingZeros32(^s.slots))
			s.slots |= 1 << slot
			s.zero = append(s.zero, run{f.node, slot, int64(len(s.flushed))})
			for _, key := range s.flushed {
				if s.where[key] == inFlush {
					s.where[key] = inLevelZero + slot
				}
			}
			s.flushed = s.flushed[:0]
			f.step = 4
			c.Code, c.Node, c.Dir = call.Unlink, s.oldWAL, 1
			return call.Ready
		case 4:
			s.spare = append(s.spare, s.oldWAL)
			f.step, s.flushing = 0, false
			s.rouse(1)
			s.wake()
		}
	}
}

// A merge is the merging of runs into a level.
type merge struct {
	step       uint8
	from, to   int
	zero       int // runs of level 0
	low, count int // files of level to
	pick       int // file of level from
	in         []run
	out        []run
	read, all  int64 // bytes of in
	at         int   // of in, being read
	offset     int64
	written    int64 // bytes of out
	total      int64
	node       int32
	outOffset  int64
	outSize    int64
	outs       int64
}

// merger is the thread that merges runs.
func (s *store) merger(c *call.Call) call.State {
	m := &s.merge
	for {
		if s.running == 0 {
			return call.Done
		}
		switch m.step {
		case 0:
			if !s.choose() {
				s.idle[1] = true
				return call.Parked
			}
			m.step = 1
		case 1: // reads and writes in turn
			if m.written == m.total && m.read == m.all {
				s.merged()
				m.step, m.at = 5, 0
				continue
			}
			if m.read < m.all && (m.written == m.total || unit.MulDiv(m.read, m.total, m.all) < min(m.written+writeChunk, m.total)) {
				f := &m.in[m.at]
				c.Code, c.Node, c.Offset, c.Length = call.Read, f.node, m.offset, min(readAhead, f.keys*s.record-m.offset)
				m.offset += c.Length
				m.read += c.Length
				if m.offset == f.keys*s.record {
					m.at, m.offset = m.at+1, 0
				}
				return call.Ready
			}
			m.step = 2
			if m.outOffset == 0 {
				i := int64(len(m.out))
				keys := m.total / s.record
				n := keys*(i+1)/m.outs - keys*i/m.outs
				m.node, m.outSize = s.take(), n*s.record
				m.out = append(m.out, run{node: m.node, keys: n})
				c.Code, c.Node, c.Dir = call.Create, m.node, 1
				return call.Ready
			}
		case 2:
			m.step = 1
			c.Code, c.Node, c.Offset, c.Length = call.Write, m.node, m.outOffset, min(writeChunk, m.outSize-m.outOffset)
			m.outOffset += c.Length
			m.written += c.Length
			if m.outOffset == m.outSize {
				m.step, m.outOffset = 3, 0
			}
			return call.Ready
		case 3:
			m.step = 4
			c.Code, c.Node = call.Fsync, m.node
			return call.Ready
		case 4:
			m.step = 1
			c.Code, c.Node = call.Close, m.node
			return call.Ready
		case 5: // removes what was merged and nobody reads
			if m.node != 0 {
				s.spare = append(s.spare, m.node)
				m.node = 0
			}
			for i, n := range s.dead {
				if s.pins[n] == 0 {
					s.dead[i] = s.dead[len(s.dead)-1]
					s.dead = s.dead[:len(s.dead)-1]
					m.node = n
					c.Code, c.Node, c.Dir = call.Unlink, n, 1
					return call.Ready
				}
			}
			m.step = 0
			s.rouse(0)
		}
	}
}

// choose finds what is to be merged next.
func (s *store) choose() bool {
	m := &s.merge
	in, out := m.in[:0], m.out[:0]
	*m = merge{}
	if len(s.zero) >= compactAt {
		m.from, m.to, m.zero = 0, 1, len(s.zero)
		in = append(in, s.zero...)
		m.count = len(s.level[1])
	} else {
		for l, may := 1, levelBase; l < levels; l, may = l+1, may*levelGrowth {
			if n := len(s.level[l]); n > may {
				m.from, m.to = l, l+1
				m.pick = s.turn[l] % n
				s.turn[l]++
				in = append(in, s.level[l][m.pick])
				k := len(s.level[l+1])
				m.low = m.pick * k / n
				m.count = min((m.pick+1)*k/n+1, k) - m.low
				break
			}
		}
	}
	if m.to == 0 {
		m.in, m.out = in, out
		return false
	}
	upper := keysOf(in)
	in = append(in, s.level[m.to][m.low:m.low+m.count]...)
	lower := keysOf(in) - upper
	both := unit.MulDiv(upper, lower, s.records) // as likely as not they are the same keys
	if k := len(s.level[m.to]); k > 0 && m.count > 0 {
		// Keys of the range that they are merged in.
		both = unit.MulDiv(upper, lower, max(s.records*int64(m.count)/int64(k), lower, upper))
	}
	keys := upper + lower - both
	m.in, m.out = in, out
	m.all, m.total = (upper+lower)*s.record, keys*s.record
	m.outs = max((m.total+s.file-1)/s.file, 1)
	return true
}

// merged puts what a merge has written in the place of what it has read.
func (s *store) merged() {
	m := &s.merge
	for i := range m.in {
		s.dead = append(s.dead, m.in[i].node)
	}
	lower := s.level[m.to]
	rest := len(lower) - m.low - m.count
	tail := m.in[:0] // its files are in dead now
	tail = append(tail, lower[len(lower)-rest:]...)
	s.level[m.to] = append(append(lower[:m.low], m.out...), tail...)
	m.in = tail[:0]
	m.node = 0
	if m.from == 0 {
		gone := uint32(0)
		for i := range m.zero {
			gone |= 1 << s.zero[i].slot
		}
		for i, at := range s.where {
			if at >= inLevelZero && gone>>(at-inLevelZero)&1 != 0 {
				s.where[i] = 1
			}
		}
		s.slots &^= gone
		s.zero = append(s.zero[:0], s.zero[m.zero:]...)
		return
	}
	upper := s.level[m.from]
	n := uint64(len(upper))
	for i, at := range s.where {
		if int(at) == m.from {
			if in, _ := bits.Mul64(spread(uint64(i)), n); int(in) == m.pick {
				s.where[i] = uint8(m.to)
			}
		}
	}
	s.level[m.from] = append(upper[:m.pick], upper[m.pick+1:]...)
}

// ways is how many blocks of the store's cache may be in the place of a block.
const ways = 8

// A blockCache is the store's own cache: sets of blocks, the last used first.
type blockCache struct{ tags []uint64 }

func newBlockCache(blocks int64) blockCache {
	return blockCache{make([]uint64, blocks/ways*ways)}
}

// has reports whether the cache has all of a piece; what it lacks it keeps.
func (b *blockCache) has(p piece, block int64) bool {
	if len(b.tags) == 0 {
		return false
	}
	all := true
	for at := p.offset; at < p.offset+int64(p.length); at += block {
		tag := uint64(p.node)<<32 | uint64(at/block)
		set, _ := bits.Mul64(spread(tag), uint64(len(b.tags)/ways))
		in := b.tags[set*ways:][:ways]
		i := 0
		for i < ways-1 && in[i] != tag {
			i++
		}
		all = all && in[i] == tag
		copy(in[1:i+1], in[:i])
		in[0] = tag
	}
	return all
}
