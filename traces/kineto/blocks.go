package kineto

import (
	"cmp"
	"fmt"
	"slices"

	"spillway/sim/unit"
)

// placeMemory makes blocks of the memory events and levels of their counter.
func (rd *reading) placeMemory(t *Trace) {
	rows := rd.memory.rows()
	slices.SortStableFunc(rows, func(a, b memoryRow) int { return cmp.Compare(a.at, b.at) })
	devices := memoryDevices(rows, t)
	type place struct {
		device  int32
		address uint64
	}
	open := map[place]int32{}
	before := map[int32]unit.Bytes{} // level, by device
	var twice, unknown, contrary, lost int
	for _, r := range rows {
		dev, ok := devices[r.device]
		if !ok {
			lost++
			continue
		}
		at := unit.Time(r.at - rd.smallest)
		size := unit.Bytes(r.bytes)
		was, seen := before[dev]
		level := level{at, was + size, dev}
		if r.hasTotal {
			if seen && level.bytes != unit.Bytes(r.total) {
				contrary++
			}
			level.bytes = unit.Bytes(r.total)
		}
		if !seen {
			t.levels = append(t.levels, level)
			t.levels[len(t.levels)-1].bytes -= size // before the first event
		}
		before[dev] = level.bytes
		t.levels = append(t.levels, level)
		key := place{dev, r.address}
		b, isOpen := open[key]
		switch {
		case r.bytes > 0:
			if isOpen {
				twice++
				t.Blocks[b].Free = at
			}
			open[key] = int32(len(t.Blocks))
			t.Blocks = append(t.Blocks, Block{
				Address: r.address, Bytes: size, Device: dev, Op: t.at(r.thread, at), Taken: at, Free: -1,
			})
		case isOpen:
			t.Blocks[b].Free = at
			delete(open, key)
			if t.Blocks[b].Bytes != -size {
				contrary++
			}
		default:
			unknown++
			// Taken before the recording: it is there from the beginning.
			t.earlier = append(t.earlier, Block{Address: r.address, Bytes: -size, Device: dev, Op: -1, Taken: -1, Free: at})
		}
	}
	note := func(n int, format string) {
		if n > 0 {
			rd.notes = append(rd.notes, fmt.Sprintf(format, n))
		}
	}
	note(twice, "%d blocks were taken where another was not freed; the other counts as freed then.")
	note(contrary, "At %d memory events the trace's own total contradicts the sizes; the total was believed.")
	note(unknown, "%d blocks were freed whose allocation is not in the recording: they were there before.")
	note(lost, "%d memory events belong to no device that ran something.")
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
