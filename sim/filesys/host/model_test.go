package host

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A writer is a file system that writes dirty pages to any free page.
type writer struct {
	h     *Host
	list  []int32
	check func(plan.Frame, Page)
}

func (w *writer) Plan(*plan.Thread, *call.Call, unit.Time)      {}
func (w *writer) Wait(*plan.Thread, *plan.Step, unit.Time) bool { return true }
func (w *writer) Marked(*plan.Thread, plan.Note, unit.Time)     {}
func (w *writer) Actors() int                                   { return 0 }
func (w *writer) Act(*plan.Thread, int, unit.Time)              {}
func (w *writer) Finish(*plan.Thread, unit.Time)                {}

func (w *writer) WriteBack(t *plan.Thread, frames []plan.Frame, _ unit.Time) {
	for _, f := range frames {
		p := w.h.Page(f)
		if w.check != nil {
			w.check(f, p)
		}
		if p.Home == None {
			w.list = w.h.Alloc(1, None, w.list[:0])
			p.Home = w.list[0]
		}
		t.Add(plan.Step{Kind: plan.BlockWrite, Page: p.Home, N: 1})
		w.h.Clean(f, p.Home)
	}
}

// A key is a page of a file.
type key struct{ node, index int32 }

// A model is the plain one: what is cached and dirty, by maps, and who was used when.
type model struct {
	cached  map[key]bool // dirty?
	changed map[key]uint64
	since   map[key]unit.Time
	home    map[key]int32
	size    map[int32]int64
	order   []key // the least recently used first
}

func (m *model) use(k key) {
	if i := slices.Index(m.order, k); i >= 0 {
		m.order = slices.Delete(m.order, i, i+1)
	}
	m.order = append(m.order, k)
}

func (m *model) drop(k key) {
	if i := slices.Index(m.order, k); i >= 0 {
		m.order = slices.Delete(m.order, i, i+1)
	}
	delete(m.cached, k)
	delete(m.changed, k)
	delete(m.since, k)
}

// compare checks the host against the model and its own lists.
func compare(h *Host, m *model) error {
	c := &h.cache
	dirty, duplicates := 0, 0
	seen := make(map[int32]bool)
	for node := range h.Files {
		f := &h.Files[node]
		if f.Size != m.size[int32(node)] {
			return fmt.Errorf("file %d has %d bytes, not %d", node, f.Size, m.size[int32(node)])
		}
		inFile := 0
		for i, s := range f.Slots {
			k := key{int32(node), int32(i)}
			d, cached := m.cached[k]
			if cached != (s.Frame != None) {
				return fmt.Errorf("%v cached: %v, not %v", k, s.Frame != None, cached)
			}
			home, ok := m.home[k]
			if !ok {
				home = None
			}
			if s.Home != home {
				return fmt.Errorf("%v home %d, not %d", k, s.Home, home)
			}
			if s.Home != None {
				if seen[s.Home] {
					return fmt.Errorf("page %d has two owners", s.Home)
				}
				seen[s.Home] = true
				if c := h.space.taken[s.Home>>6] >> (s.Home & 63) & 1; c == 0 {
					return fmt.Errorf("page %d is free and used", s.Home)
				}
			}
			if !cached {
				continue
			}
			p := &c.frames[s.Frame]
			if p.dirty != d || p.node != int32(node) || p.index != int32(i) {
				return fmt.Errorf("%v dirty: %v, not %v", k, p.dirty, d)
			}
			if d {
				dirty++
				inFile++
				if p.copied {
					duplicates++
				}
				if p.changed != m.changed[k] || p.since != m.since[k] {
					return fmt.Errorf("%v changed %x since %v, not %x since %v", k, p.changed, p.since, m.changed[k], m.since[k])
				}
			}
		}
		if list := h.Dirty(int32(node), nil); len(list) != inFile || int(f.dirty) != inFile {
			return fmt.Errorf("file %d lists %d dirty pages and counts %d, not %d", node, len(list), f.dirty, inFile)
		} else if !slices.IsSortedFunc(list, func(a, b plan.Frame) int { return int(c.frames[a].index - c.frames[b].index) }) {
			return fmt.Errorf("dirty pages of %d are not in order", node)
		}
	}
	if n, _ := h.DirtyPages(); n != dirty || c.duplicate != duplicates {
		return fmt.Errorf("%d dirty, %d duplicates, not %d and %d", n, c.duplicate, dirty, duplicates)
	}
	old := h.Oldest(1<<30, 1<<60, nil)
	if len(old) != dirty || !slices.IsSortedFunc(old, func(a, b plan.Frame) int { return int(c.frames[a].since - c.frames[b].since) }) {
		return fmt.Errorf("by age there are %d dirty, not %d, or they are not in order", len(old), dirty)
	}
	if c.used != len(m.cached)+c.meta || c.used > c.size {
		return fmt.Errorf("%d frames used of %d, not %d", c.used, c.size, len(m.cached)+c.meta)
	}
	i := int32(dataList)
	for _, k := range m.order {
		i = c.frames[i].before
		if c.frames[i].node != k.node || c.frames[i].index != k.index {
			return fmt.Errorf("LRU has %d/%d where %v is due", c.frames[i].node, c.frames[i].index, k)
		}
	}
	if taken := len(seen); int(h.space.pages)-h.space.left != taken+int(h.space.reserved) {
		return fmt.Errorf("%d pages free of %d with %d in use", h.space.left, h.space.pages, taken)
	}
	return nil
}

// drive does random things to a host and to the model. The cache never has to evict: what
// leaves is another test's.
func drive(data []byte, fresh bool, payload machine.Payload) error {
	m := &machine.Setup{Scale: 1, Seed: 7, Payload: payload, Changed: 30, Fresh: fresh}
	m.Host.Batch = 32
	m.Host.Cache, m.Host.MetaShare = 450*PageSize, 10
	nodes := []call.Node{{Dir: true}, {Size: 9 * PageSize}, {Size: 5}, {Size: 3*PageSize + 1}}
	h := New(m, &call.Workload{Nodes: nodes, Most: 8}, 700, nil)
	h.Reserve(13)
	h.Place()
	m2 := &model{map[key]bool{}, map[key]uint64{}, map[key]unit.Time{}, map[key]int32{}, map[int32]int64{}, nil}
	for i, n := range nodes {
		m2.size[int32(i)] = n.Size
		for j, s := range h.Files[i].Slots {
			m2.home[key{int32(i), int32(j)}] = s.Home
		}
	}
	fs := &writer{h: h}
	var freed []int32
	var th plan.Thread
	var list []plan.Frame
	for at := 0; at+5 <= len(data); at += 5 {
		op, node := data[at]%8, int32(data[at+1]%7)+1
		offset, length := int64(data[at+2])*300, int64(data[at+3])*200+int64(data[at+4])
		now := unit.Time(at)
		th.Steps = th.Steps[:0]
		switch op {
		case 0, 1: // read
			end := min(offset+length, m2.size[node])
			lack := map[int32]bool{}
			for i := offset / PageSize; i*PageSize < end && offset < end; i++ {
				k := key{node, int32(i)}
				_, cached := m2.cached[k]
				home, has := m2.home[k]
				if !cached && has {
					lack[home] = true
					m2.cached[k] = false
					m2.use(k)
				}
			}
			// What was there is touched before what is brought.
			hits := slices.Clone(m2.order)
			for i := offset / PageSize; i*PageSize < end && offset < end; i++ {
				k := key{node, int32(i)}
				if home, has := m2.home[k]; slices.Contains(hits, k) && (!has || !lack[home]) {
					m2.use(k)
				}
			}
			for i := offset / PageSize; i*PageSize < end && offset < end; i++ {
				k := key{node, int32(i)}
				if home, has := m2.home[k]; has && lack[home] {
					m2.use(k)
				}
			}
			h.Read(&th, fs, node, offset, length, now)
			for i, s := range th.Steps {
				if s.Kind != plan.BlockRead || s.With != (i+1 < len(th.Steps)) {
					return fmt.Errorf("step %v", s)
				}
				for p := s.Page; p < s.Page+s.N; p++ {
					if !lack[p] {
						return fmt.Errorf("page %d is read and not wanted", p)
					}
					delete(lack, p)
				}
			}
			if len(lack) > 0 {
				return fmt.Errorf("not read: %v", lack)
			}
		case 2, 3, 4: // write
			if length == 0 || op == 4 && m2.size[node] > 40*PageSize { // all fits into the cache
				continue
			}
			c := call.Call{Code: call.Write, Node: node, Offset: offset, Length: length, Changed: call.Unknown}
			if op == 4 {
				c.Flags, offset = call.Append, m2.size[node]
			}
			if length%3 == 0 {
				c.Changed = 100
			}
			end := offset + length
			for i := offset / PageSize; i*PageSize < end; i++ {
				if k := (key{node, int32(i)}); slices.Contains(m2.order, k) {
					m2.use(k)
				}
			}
			reads, before, written := map[int32]bool{}, map[int64]uint64{}, map[int64]uint64{}
			for i := offset / PageSize; i*PageSize < end; i++ {
				k := key{node, int32(i)}
				home, has := m2.home[k]
				d, cached := m2.cached[k]
				mask := uint64(0)
				for b := max(offset, i*PageSize); b < min(end, (i+1)*PageSize); b++ {
					mask |= 1 << (b % PageSize / 64)
				}
				whole := offset <= i*PageSize && end >= min(m2.size[node], (i+1)*PageSize)
				if !cached && has && !whole {
					reads[home] = true
				}
				if !d {
					m2.since[k] = now
					m2.changed[k] = 0
					if !has && !fresh || has && !cached && whole {
						m2.changed[k] = ^uint64(0)
					}
				}
				m2.cached[k] = true
				if !cached {
					m2.use(k)
				}
				switch {
				case m2.changed[k] == ^uint64(0):
				case c.Changed == 100 || payload == machine.Random:
					m2.changed[k] |= mask
				case payload == machine.Share:
					before[i] = m2.changed[k] // what is chosen is the host's business, but it is of what is written
					written[i] = mask
				}
			}
			w := h.Write(&th, fs, &c, now)
			for i := offset / PageSize; i*PageSize < end; i++ {
				if mask, chosen := written[i]; chosen {
					now := h.Page(h.Files[node].Slots[i].Frame).Changed
					if now&before[i] != before[i] || now&^before[i]&^mask != 0 {
						return fmt.Errorf("lines %x changed, with %x before and %x written", now, before[i], mask)
					}
					m2.changed[key{node, int32(i)}] = now
				}
			}
			if w.Extended != (end > m2.size[node]) || w.First != int32(offset/PageSize) || w.End != int32((end-1)/PageSize)+1 {
				return fmt.Errorf("%+v", w)
			}
			m2.size[node] = max(m2.size[node], end)
			for _, s := range th.Steps {
				for p := s.Page; p < s.Page+s.N; p++ {
					if s.Kind != plan.BlockRead || !reads[p] {
						return fmt.Errorf("step %v", s)
					}
					delete(reads, p)
				}
			}
			if len(reads) > 0 {
				return fmt.Errorf("not read: %v", reads)
			}
		case 5: // fsync
			list = h.Dirty(node, list[:0])
			fs.WriteBack(&th, list, now)
			for _, s := range th.Steps {
				for i, slot := range h.Files[node].Slots {
					if slot.Home == s.Page {
						m2.home[key{node, int32(i)}] = s.Page
					}
				}
			}
			for i := range h.Files[node].Slots {
				if k := (key{node, int32(i)}); m2.cached[k] {
					m2.cached[k] = false
				}
			}
		case 6: // truncate
			if length%2 == 0 {
				offset = 0
			}
			freed = h.Resize(node, offset, freed[:0])
			pages := int32((offset + PageSize - 1) / PageSize)
			want := 0
			for i := pages; i < 400; i++ {
				k := key{node, i}
				if home, has := m2.home[k]; has {
					if !slices.Contains(freed, home) {
						return fmt.Errorf("page %d is not freed", home)
					}
					want++
					delete(m2.home, k)
				}
				m2.drop(k)
			}
			if len(freed) != want {
				return fmt.Errorf("%d freed, not %d", len(freed), want)
			}
			m2.size[node] = offset
			h.Free(freed)
		case 7: // metadata
			page := int32(data[at+2]) % 13
			had := h.Has(page)
			if h.Meta(&th, plan.Inode, page, true) != had || had != (len(th.Steps) == 0) || !h.Has(page) {
				return fmt.Errorf("metadata page %d", page)
			}
			switch length % 4 {
			case 0:
				h.Forget(page)
			case 1:
				h.Pin(page)
			case 2:
				h.Unpin(page)
			}
		}
		if err := compare(h, m2); err != nil {
			return fmt.Errorf("after %d (%d of node %d, %d+%d): %w", at/5, op, node, offset, length, err)
		}
	}
	return nil
}

// TestModel holds the host against a plain model over random sequences.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 150 {
		data := make([]byte, 5*120)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		payload := []machine.Payload{machine.Zeros, machine.Random, machine.Share}[n%3]
		if err := drive(data, n%2 == 0, payload); err != nil {
			t.Fatalf("sequence %d: %v", n, err)
		}
	}
}

func FuzzModel(f *testing.F) {
	f.Add([]byte{2, 1, 3, 200, 9, 5, 1, 0, 0, 0, 0, 1, 0, 255, 255, 6, 1, 1, 3, 3, 7, 0, 5, 0, 1}, true)
	f.Fuzz(func(t *testing.T, data []byte, fresh bool) {
		if err := drive(data[:min(len(data), 2000)], fresh, machine.Random); err != nil {
			t.Fatal(err)
		}
	})
}

// small returns a host with a cache of 64 pages and a file of 100.
func small(payload machine.Payload) (*Host, *writer) {
	m := &machine.Setup{Scale: 1, Payload: payload}
	m.Host.Batch = 32
	m.Host.Cache, m.Host.MetaShare = 64*PageSize, 25
	h := New(m, &call.Workload{Nodes: []call.Node{{Dir: true}, {Size: 100 * PageSize}, {}}, Most: 4}, 1000, nil)
	h.Reserve(100)
	h.Place()
	return h, &writer{h: h}
}

// TestEviction reads and writes more than the cache has: what leaves is written first if
// it is dirty, and the least recently used leaves.
func TestEviction(t *testing.T) {
	h, fs := small(machine.Random)
	var th plan.Thread
	write := func(node int32, page, n int64) {
		h.Write(&th, fs, &call.Call{Code: call.Write, Node: node, Offset: page * PageSize, Length: n * PageSize, Changed: call.Unknown}, 0)
	}
	h.Read(&th, fs, 1, 0, 10*PageSize, 0)
	write(1, 3, 1) // page 3 becomes dirty and the most recently used
	th.Steps = th.Steps[:0]
	h.Read(&th, fs, 1, 10*PageSize, 54*PageSize, 0)
	for _, s := range th.Steps {
		if s.Kind != plan.BlockRead {
			t.Fatalf("the cache has room, but %v", s)
		}
	}
	h.Read(&th, fs, 1, 64*PageSize, 9*PageSize, 0) // pushes out the nine that are clean
	if h.Files[1].Slots[3].Frame == None || h.Files[1].Slots[9].Frame != None {
		t.Error("not the least recently used left")
	}
	th.Steps = th.Steps[:0]
	h.Read(&th, fs, 1, 73*PageSize, PageSize, 0)
	if h.Files[1].Slots[3].Frame != None || len(th.Steps) != 2 || th.Steps[0].Kind != plan.BlockWrite || th.Steps[0].Page != 103 {
		t.Errorf("a dirty page left by %v", th.Steps)
	}
	th.Steps = th.Steps[:0]
	write(2, 0, 300) // much more than the cache
	writes := 0
	for _, s := range th.Steps {
		if s.Kind == plan.BlockWrite {
			writes += int(s.N)
		}
	}
	if n, _ := h.DirtyPages(); n+writes != 300 || h.cache.used > h.cache.size {
		t.Errorf("%d dirty and %d written of 300; %d frames of %d", n, writes, h.cache.used, h.cache.size)
	}
}

// TestMeta: metadata have their share, push out clean data only, and stay while pinned.
func TestMeta(t *testing.T) {
	h, fs := small(machine.Random)
	var th plan.Thread
	h.Read(&th, fs, 1, 0, 64*PageSize, 0)
	h.Write(&th, fs, &call.Call{Code: call.Write, Node: 1, Length: 50 * PageSize, Changed: call.Unknown}, 0)
	for p := range int32(20) {
		h.Meta(&th, plan.Inode, p, true)
		h.Pin(p)
	}
	if n, _ := h.DirtyPages(); n != 50 || h.cache.used != 70 || h.cache.meta != 20 {
		t.Errorf("%d dirty, %d used, %d of metadata: want 50 that no metadata write, 70 as nothing else can leave, 20", n, h.cache.used, h.cache.meta)
	}
	for p := range int32(20) {
		h.Unpin(p)
	}
	h.Meta(&th, plan.Inode, 50, true)
	if h.Has(0) || !h.Has(19) {
		t.Error("not the least recently used page of metadata left")
	}
	h.Read(&th, fs, 1, 60*PageSize, 20*PageSize, 0)
	if h.cache.used > 64 {
		t.Errorf("%d frames are used of 64", h.cache.used)
	}
}

// TestSpace: runs are contiguous where there are any, pieces else, no page twice, and Full.
func TestSpace(t *testing.T) {
	h, _ := small(machine.Zeros)
	r := rand.New(rand.NewPCG(3, 4))
	taken := make([]bool, 1000)
	for i := range 200 {
		taken[i] = true
	}
	var held [][]int32
	left := 800
	for range 20000 {
		if n := r.IntN(40); r.IntN(5) < 3 && n <= left {
			hint := int32(r.IntN(1100)) - 50
			list := h.Alloc(n, hint, nil)
			longest, run := 0, 0
			for _, b := range taken {
				run++
				if b {
					run = 0
				}
				longest = max(longest, run)
			}
			for i, p := range list {
				if taken[p] {
					t.Fatalf("page %d is taken twice", p)
				}
				taken[p] = true
				if i > 0 && longest >= n && p != list[i-1]+1 {
					t.Fatalf("%d pages in pieces, with %d in a row", n, longest)
				}
			}
			left -= n
			held = append(held, list)
		} else if len(held) > 0 {
			i := r.IntN(len(held))
			h.Free(held[i])
			for _, p := range held[i] {
				taken[p] = false
			}
			left += len(held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		if h.Left() != left {
			t.Fatalf("%d left, not %d", h.Left(), left)
		}
	}
	defer func() {
		if full, ok := recover().(*Full); !ok || full.Want != left+1 {
			t.Errorf("recovered %v", full)
		}
	}()
	h.Alloc(left+1, None, nil)
}

// TestShare: about the percent of lines changes, the same every time, and writing again
// changes other lines.
// TestFirst: who asks for the first free pages gets those with the lowest numbers, and leaves the
// others' place to go on from where it is.
func TestFirst(t *testing.T) {
	m := machine.Default()
	h := New(&m, &call.Workload{Threads: 1, Nodes: []call.Node{{Parent: -1, Dir: true}}, Most: 1}, 200, nil)
	all := h.Alloc(100, None, nil)
	h.Free([]int32{3, 4, 70})
	if got := h.Alloc(4, First, nil); !slices.Equal(got, []int32{3, 4, 70, 100}) {
		t.Errorf("the first free pages are %v", got)
	}
	h.Free([]int32{5})
	if got := h.Alloc(1, None, nil); got[0] != 101 {
		t.Errorf("after %d and one that was first comes %v", len(all), got)
	}
}

func TestShare(t *testing.T) {
	h, fs := small(machine.Share)
	h.Setup.Changed = 30
	var th plan.Thread
	c := call.Call{Code: call.Write, Node: 1, Length: 60 * PageSize, Changed: call.Unknown}
	count := func() (n int) {
		for i := range 60 {
			mask := h.Page(h.Files[1].Slots[i].Frame).Changed
			for ; mask != 0; mask &= mask - 1 {
				n++
			}
		}
		return n
	}
	h.Read(&th, fs, 1, 0, 64*PageSize, 0)
	h.Write(&th, fs, &c, 0)
	once := count()
	h.Write(&th, fs, &c, 0)
	if twice := count(); once < 60*64*27/100 || once > 60*64*33/100 || twice < 60*64*47/100 || twice > 60*64*55/100 {
		t.Errorf("%d and then %d of %d lines changed; want 30 %% and 51 %%", once, twice, 60*64)
	}
	if a, b := h.changes(&c, 3, 5, ^uint64(0)), h.changes(&c, 3, 5, ^uint64(0)); a != b || a == h.changes(&c, 4, 5, ^uint64(0)) {
		t.Error("the same write changes other lines")
	}
}

// BenchmarkCalls is a steady state of appends, reads and write-backs with eviction.
func BenchmarkCalls(b *testing.B) {
	m := &machine.Setup{Scale: 1, Payload: machine.Zeros}
	m.Host.Batch = 32
	m.Host.Cache, m.Host.MetaShare = unit.GiB/64, 25
	const files = 5000
	nodes := make([]call.Node, files)
	for i := range nodes {
		nodes[i].Size = 16384
	}
	h := New(m, &call.Workload{Nodes: nodes, Most: files}, 131072, nil)
	h.Reserve(1000)
	h.Place()
	fs := &writer{h: h}
	var th plan.Thread
	var list []plan.Frame
	var freed []int32
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		node := int32(i * 7919 % files)
		h.Sent = h.Sent[:0]
		th.Steps = th.Steps[:0]
		h.Read(&th, fs, node, 0, 1<<20, 0)
		h.Write(&th, fs, &call.Call{Code: call.Write, Flags: call.Append, Node: node, Length: 8192, Changed: call.Unknown}, 0)
		list = h.Dirty(node, list[:0])
		fs.WriteBack(&th, list, 0)
		h.Meta(&th, plan.Inode, node%1000, true)
		if h.Files[node].Size > 60000 {
			freed = h.Resize(node, 8000, freed[:0])
			h.Free(freed)
		}
	}
}
