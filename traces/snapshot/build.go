package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spillway/sim/unit"
)

// Limits of what is kept.
const (
	maxEntries = 3 << 20
	maxActive  = 4 << 20
	maxDevices = 1024
	maxSize    = 1 << 46
)

// An action is what an entry of the history says.
type action uint8

// The actions that matter here.
const (
	unknown action = iota
	alloc
	free      // completed
	requested // a free, not completed yet
	grows     // the allocator takes memory of the driver
	shrinks   // it gives some back
	oom
	marker // a snapshot was taken, or what else is no allocation
)

func actionOf(s string) action {
	switch s {
	case "alloc":
		return alloc
	case "free_completed":
		return free
	case "free_requested":
		return requested
	case "segment_alloc", "segment_map":
		return grows
	case "segment_free", "segment_unmap":
		return shrinks
	case "oom":
		return oom
	case "snapshot", "user_defined":
		return marker
	}
	return unknown
}

// An entry is one of a device's history.
type entry struct {
	address uint64
	bytes   int64 // -1 if missing
	time    int64 // µs, 0 if missing
	action  action
	role    Role // Other if the stack tells nothing
	framed  bool // it has a call stack
}

// An active block is one that is in use at the end.
type active struct {
	address          uint64
	bytes, requested int64
}

// An annotation is one end of a range of time.
type annotation struct {
	start     bool
	optimizer bool // an optimizer steps in the range
	time      int64
}

// raw is what both ways of writing a snapshot have.
type raw struct {
	found    bool // anything that only a snapshot has
	traces   [][]entry
	entries  int
	active   map[int32][]active
	segments map[int32]int
	pieces   map[int32]Pieces
	actives  int
	wrong    int  // entries and blocks that cannot be
	overflow bool // the history lost its beginning
	most     int64
	named    int // annotations, all kinds
	spans    []annotation
}

func newRaw() *raw {
	return &raw{active: map[int32][]active{}, segments: map[int32]int{}, pieces: map[int32]Pieces{}}
}

// add adds an entry to the history of a device.
func (r *raw) add(device int, e entry) error {
	if r.entries++; r.entries > maxEntries {
		return fmt.Errorf("more than %d entries of history; record fewer with max_entries", maxEntries)
	}
	if sized := e.action == alloc || e.action == free || e.action == grows || e.action == shrinks; sized && (e.bytes < 0 || e.bytes > maxSize) {
		r.wrong++
		return nil
	}
	r.traces[device] = append(r.traces[device], e)
	return nil
}

// device makes room for one more history.
func (r *raw) device() (int, error) {
	if len(r.traces) == maxDevices {
		return 0, fmt.Errorf("more than %d devices", maxDevices)
	}
	r.traces = append(r.traces, nil)
	return len(r.traces) - 1, nil
}

// keep adds the blocks of a segment that are in use. Those of old files have no
// address; they stand one behind the other.
func (r *raw) keep(s *seg) error {
	if s.device < 0 || s.device >= maxDevices {
		r.wrong++
		return nil
	}
	r.segments[s.device]++
	at, pieces := s.address, r.pieces[s.device]
	defer func() { r.pieces[s.device] = pieces }()
	for _, b := range s.blocks {
		if !b.addressed {
			b.address = at
		}
		at = b.address + uint64(max(b.bytes, 0))
		if size := unit.Bytes(b.bytes); size > 0 && size <= maxSize {
			if pieces.Reserved += size; !b.inUse {
				pieces.Free += size
				pieces.Largest = max(pieces.Largest, size)
				pieces.Count++
			}
		}
		switch {
		case !b.inUse:
			continue
		case b.bytes <= 0 || b.bytes > maxSize:
			r.wrong++
			continue
		}
		if r.actives++; r.actives > maxActive {
			return fmt.Errorf("more than %d blocks", maxActive)
		}
		r.active[s.device] = append(r.active[s.device], b.active)
	}
	return nil
}

// A seg is a segment as it is written.
type seg struct {
	address uint64
	device  int32
	blocks  []block
}

type block struct {
	active
	addressed bool // it says where it is
	inUse     bool
}

// inUse reports whether a block of a state is in use, if only until a stream is
// done with it.
func inUse(state string) bool { return strings.HasPrefix(state, "active") }

// annotate keeps what says where an optimizer steps.
func (r *raw) annotate(a annotation) {
	r.named++
	if a.optimizer && len(r.spans) < maxEntries/8 {
		r.spans = append(r.spans, a)
	}
}

// snapshot makes a Snapshot of what was read.
func (r *raw) snapshot() (*Snapshot, error) {
	if !r.found {
		return nil, errors.New("not a CUDA memory snapshot: it has neither segments nor device_traces")
	}
	s := &Snapshot{}
	s.Annotations = r.named
	if r.wrong > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d entries and blocks of impossible sizes or devices were left out.", r.wrong))
	}
	for id := range int32(maxDevices) {
		var trace []entry
		if int(id) < len(r.traces) {
			trace = r.traces[id]
		}
		if len(trace) == 0 && len(r.active[id]) == 0 {
			continue
		}
		d, err := r.deviceOf(id, trace)
		if err != nil {
			return nil, err
		}
		s.Devices = append(s.Devices, *d)
	}
	if len(s.Devices) == 0 {
		return nil, errors.New("the memory snapshot is empty: no history and no block in use; call torch.cuda.memory._record_memory_history() before the work, and dump the snapshot after it")
	}
	return s, nil
}

// deviceOf pairs a device's history with the blocks in use at its end.
func (r *raw) deviceOf(id int32, trace []entry) (*Device, error) {
	d := &Device{ID: id, Segments: r.segments[id], Pieces: r.pieces[id], Entries: len(trace)}
	p := pairing{dev: d, trace: trace, live: map[uint64]int32{}}
	p.roles(r.spans)
	p.history()
	p.end(r.active[id])
	p.order()
	if err := p.draw(); err != nil {
		return nil, fmt.Errorf("device %d: %w", id, err)
	}
	p.notes(r)
	return d, nil
}

// A pairing finds the blocks of a history.
type pairing struct {
	dev   *Device
	trace []entry
	live  map[uint64]int32 // by address: the open block, or gone
	// Counts for notes: frees without an allocation, memory taken or freed twice,
	// sizes that change, what history and segments say differently.
	unpaired, twice, resized, differ int
	earlier                          unit.Bytes // of what is unpaired
	apart                            bool       // history and segments do not belong together
	stackless                        int        // allocations without a stack, taken for autograd's
	ooms, strange                    int
}

const gone = -1

// rounded is how many bytes the allocator takes for a request.
func rounded(n int64) unit.Bytes { return unit.Bytes(max(512, (n+511)/512*512)) }

// roles completes the roles of allocations: annotations say where an optimizer
// steps; and where others have a call stack those without come from autograd's
// own threads.
func (p *pairing) roles(spans []annotation) {
	framed := slices.ContainsFunc(p.trace, func(e entry) bool { return e.framed })
	ranges := optimizerRanges(spans)
	at := 0
	for i := range p.trace {
		e := &p.trace[i]
		if e.action != alloc || e.role != Other {
			continue
		}
		for at < len(ranges) && e.time > ranges[at][1] {
			at++
		}
		switch {
		case at < len(ranges) && e.time >= ranges[at][0]:
			e.role = Optimizer
		case framed && !e.framed:
			e.role = Backward
			p.stackless++
		}
	}
}

// optimizerRanges returns when optimizers step, in order and apart.
func optimizerRanges(spans []annotation) [][2]int64 {
	var list [][2]int64
	open := int64(-1)
	slices.SortStableFunc(spans, func(a, b annotation) int { return cmp.Compare(a.time, b.time) })
	for _, s := range spans {
		switch {
		case s.start:
			open = s.time
		case open >= 0:
			list = append(list, [2]int64{open, s.time})
			open = -1
		}
	}
	return list
}

// history follows allocations and frees by address.
func (p *pairing) history() {
	d := p.dev
	for i := range p.trace {
		e := &p.trace[i]
		at, known := p.live[e.address]
		switch e.action {
		case alloc:
			if known && at != gone {
				p.twice++
				d.Blocks[at].To = int32(i)
			}
			d.Allocations++
			p.live[e.address] = int32(len(d.Blocks))
			d.Blocks = append(d.Blocks, Block{e.address, rounded(e.bytes), unit.Bytes(e.bytes), e.role, false, int32(i), -1})
		case free:
			d.Frees++
			switch {
			case !known: // from before
				p.unpaired++
				p.earlier += rounded(e.bytes)
				d.Blocks = append(d.Blocks, Block{e.address, rounded(e.bytes), unit.Bytes(e.bytes), Earlier, true, -1, int32(i)})
			case at == gone:
				p.twice++
				continue
			default:
				if d.Blocks[at].Requested != unit.Bytes(e.bytes) {
					p.resized++
				}
				d.Blocks[at].To = int32(i)
			}
			p.live[e.address] = gone
		case oom:
			p.ooms++
		case unknown:
			p.strange++
		}
	}
}

// end adds the blocks in use that the history never mentions: they are from before
// it. What the history leaves alive must be among those in use; where that cannot
// be, the history is used alone.
func (p *pairing) end(blocks []active) {
	d := p.dev
	var net, held unit.Bytes
	for i := range d.Blocks {
		if b := &d.Blocks[i]; b.To < 0 {
			net += b.Bytes
		} else if b.Before {
			net -= b.Bytes
		}
	}
	for _, b := range blocks {
		held += unit.Bytes(b.bytes)
	}
	if p.apart = held < net; p.apart {
		return
	}
	matched := 0
	for i := range d.Blocks {
		if d.Blocks[i].To < 0 {
			matched--
		}
	}
	for _, b := range blocks {
		at, known := p.live[b.address]
		switch {
		case !known:
			d.Blocks = append(d.Blocks, Block{b.address, unit.Bytes(b.bytes), unit.Bytes(b.requested), Earlier, true, -1, -1})
			p.live[b.address] = gone // once
		case at == gone:
			p.differ++
		default:
			matched++
			d.Blocks[at].Bytes = unit.Bytes(b.bytes) // what it was given, which may be more than it needs
			p.live[b.address] = gone
		}
	}
	p.differ -= matched
}

// order puts blocks from before first.
func (p *pairing) order() {
	slices.SortStableFunc(p.dev.Blocks, func(a, b Block) int {
		if a.Before && b.Before {
			return cmp.Compare(a.Address, b.Address)
		}
		return cmp.Compare(a.From, b.From)
	})
}

// limit reports whether a history of so many entries is as long as somebody allowed: thousands, or
// a power of two from 1024 on.
func limit(entries int) bool {
	return entries >= 1000 && (entries%1000 == 0 || entries&(entries-1) == 0)
}

// notes says what was found besides.
func (p *pairing) notes(r *raw) {
	d := p.dev
	note := func(n int, format string, a ...any) {
		if n > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf(format, a...))
		}
	}
	switch {
	case len(p.trace) == 0:
		d.Notes = append(d.Notes, "The history was not recorded; only the blocks in use at the end are known. Call torch.cuda.memory._record_memory_history() before the work.")
	case r.overflow || r.most > 0 && int64(len(p.trace)) >= r.most || r.most == 0 && p.unpaired > 0 && limit(len(p.trace)):
		d.Notes = append(d.Notes, fmt.Sprintf("The beginning of the history is missing: it keeps the last %d entries, and %d blocks are freed in it that it does not see taken. Record with a larger max_entries.", len(p.trace), p.unpaired))
	default:
		note(p.unpaired, "%d blocks of %v were there before and were freed: recording began after them.", p.unpaired, p.earlier)
	}
	if p.apart {
		d.Notes = append(d.Notes, "History and segments do not belong together: the history leaves more memory in use than the segments have. The history is used alone, so memory from before it is not known.")
	}
	note(p.differ, "History and segments differ in %d blocks.", p.differ)
	note(p.twice, "%d blocks are taken or freed twice.", p.twice)
	note(p.resized, "%d blocks are freed with another size than they were taken with.", p.resized)
	note(p.stackless, "%d allocations have no call stack while others have one; they are taken for autograd's.", p.stackless)
	if x := d.Pieces; x.Count > 1 && x.Free >= x.Reserved/100 {
		says := fmt.Sprintf("At the end the allocator holds %v of the driver, of which %v are free in %d pieces", x.Reserved, x.Free, x.Count)
		if x.Free >= x.Reserved/10 {
			says += fmt.Sprintf(", the largest %v. With PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True pieces can become one", x.Largest)
		}
		d.Notes = append(d.Notes, says+".")
	}
	note(p.ooms, "The GPU ran out of memory %d times.", p.ooms)
	note(p.strange, "%d entries are of an unknown kind and were left out.", p.strange)
}
