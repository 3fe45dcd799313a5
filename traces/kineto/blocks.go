package kineto

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// placeMemory makes blocks of the memory events and levels of their counter.
func (rd *reading) placeMemory(t *Trace) {
	rows := rd.memory.rows()
	slices.SortStableFunc(rows, func(a, b memoryRow) int { return cmp.Compare(a.at, b.at) })
	devices := memoryDevices(rows, t)
	f := following{t: t, open: map[place]int32{}, level: map[int32]unit.Bytes{}}
	taken := 0
	for i := range rows {
		if rows[i].bytes > 0 {
			taken++
		}
	}
	t.Blocks = make([]Block, 0, taken)
	t.levels = make([]level, 0, len(rows)+len(t.Devices))
	lost, large := 0, 0
	for i := range rows {
		if r := &rows[i]; !believed(r.bytes) || r.hasTotal && !believed(r.total) {
			large++
			if r.hasTotal = false; !believed(r.bytes) {
				continue
			}
		}
		dev, ok := devices[rows[i].device]
		if !ok {
			lost++
			continue
		}
		at := unit.Time(rows[i].at - rd.smallest)
		f.count(&rows[i], at, dev)
		t.totals = t.totals || rows[i].hasTotal
		if rows[i].placed {
			t.placed = true
			f.follow(&rows[i], at, dev)
		}
	}
	t.lift()
	note := func(n int, format string) {
		if n > 0 {
			rd.notes = append(rd.notes, fmt.Sprintf(format, n))
		}
	}
	note(f.twice, "Blocks taken where another was not freed, which counts as freed then: %d.")
	note(f.contrary, "Memory events whose total contradicts their sizes, where the total was believed: %d.")
	note(f.unknown, "Blocks freed that were not taken in the recording, so that they were there before: %d.")
	note(large, "Memory events of sizes or totals that no device has, which were not believed: %d.")
	note(lost, "Memory events of no device that ran something: %d.")
}

// lift raises levels that only sizes add up to, so that none is below nothing: what was there
// before the first event is that at least.
func (t *Trace) lift() {
	if t.totals {
		return
	}
	least := map[int32]unit.Bytes{}
	for _, l := range t.levels {
		least[l.device] = min(least[l.device], l.bytes)
	}
	for i := range t.levels {
		t.levels[i].bytes -= least[t.levels[i].device]
	}
}

// believed reports whether a number of bytes may be true.
func believed(bytes int64) bool {
	return unit.Bytes(bytes) <= workload.MaxTensor && unit.Bytes(bytes) >= -workload.MaxTensor
}

// A place is where a block of memory is.
type place struct {
	device  int32
	address uint64
}

// A following follows memory events in order of time.
type following struct {
	t     *Trace
	open  map[place]int32      // blocks that are not freed yet
	level map[int32]unit.Bytes // by device
	// Blocks taken twice, freed but never taken, and totals that contradict.
	twice, unknown, contrary int
}

// count keeps the level of a device's memory after an event.
func (f *following) count(r *memoryRow, at unit.Time, dev int32) {
	size := unit.Bytes(r.bytes)
	was, seen := f.level[dev]
	after := was + size
	if r.hasTotal {
		if seen && after != unit.Bytes(r.total) {
			f.contrary++
		}
		after = unit.Bytes(r.total)
	}
	after = min(max(after, -workload.MaxTensor), workload.MaxTensor)
	if !seen {
		f.t.levels = append(f.t.levels, level{at, after - size, dev}) // before the first event
	}
	f.level[dev] = after
	f.t.levels = append(f.t.levels, level{at, after, dev})
}

// follow opens or closes a block.
func (f *following) follow(r *memoryRow, at unit.Time, dev int32) {
	t, size, key := f.t, unit.Bytes(r.bytes), place{dev, r.address}
	b, open := f.open[key]
	switch {
	case size > 0:
		if open {
			f.twice++
			t.Blocks[b].Free = at
		}
		f.open[key] = int32(len(t.Blocks))
		t.Blocks = append(t.Blocks, Block{
			Address: r.address, Bytes: size, Device: dev, Op: t.at(r.thread, at), Taken: at, Free: -1,
		})
	case open:
		t.Blocks[b].Free = at
		delete(f.open, key)
		if t.Blocks[b].Bytes != -size {
			f.contrary++
		}
	default: // it was taken before the recording
		f.unknown++
		t.earlier = append(t.earlier, Block{Address: r.address, Bytes: -size, Device: dev, Op: -1, Taken: -1, Free: at})
	}
}

// memoryDevices says which of the kernels' devices memory events mean, which AMD
// counts otherwise.
func memoryDevices(rows []memoryRow, t *Trace) map[int32]int32 {
	var ids []int32
	for _, r := range rows {
		if !slices.Contains(ids, r.device) && len(ids) < 256 {
			ids = append(ids, r.device)
		}
	}
	slices.Sort(ids)
	to := map[int32]int32{}
	for _, id := range ids {
		for _, d := range t.Devices {
			if int32(d.ID) == id {
				to[id] = id
			}
		}
	}
	if len(to) == len(ids) || len(ids) > len(t.Devices) {
		return to
	}
	clear(to)
	if len(ids) == len(t.Devices) {
		for i, id := range ids {
			to[id] = int32(t.Devices[i].ID)
		}
	}
	return to
}
