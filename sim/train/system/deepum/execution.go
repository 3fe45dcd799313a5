package deepum

import (
	"cmp"
	"slices"

	"spillway/sim/train/engine/blocks"
)

// none of the execution IDs: before the first launch.
const noExec blocks.ExecID = -1

// A history is the last launches, that of longest ago first. The last of them is the
// running kernel, or the one that is to be predicted from.
type history [4]blocks.ExecID

func (h *history) push(id blocks.ExecID) {
	copy(h[:], h[1:])
	h[len(h)-1] = id
}

// A Record of the execution table says that after three kernels and the one that the
// record belongs to came Next.
type Record struct {
	Before [3]blocks.ExecID // that of longest ago first; -1 before the first launch
	Next   blocks.ExecID
}

// An executionTable holds which kernel came after which. The zero value is empty.
type executionTable struct {
	lists [][]dated // records by execution ID, in order of first appearance, none twice
	index map[sequel]int32
	last  map[history]blocks.ExecID // what came after four launches the last time
	clock int64                     // records learned so far, again ones included
}

// A dated record was learned the last time when the table's clock showed a number.
type dated struct {
	Record
	at int64
}

// A sequel is four launches and the one that came after, of which there is one record.
type sequel struct {
	history history
	next    blocks.ExecID
}

// learn notes that after h came next.
func (t *executionTable) learn(h *history, next blocks.ExecID) {
	id := h[3]
	if id < 0 {
		return
	}
	if t.index == nil {
		t.index, t.last = map[sequel]int32{}, map[history]blocks.ExecID{}
	}
	for int(id) >= len(t.lists) {
		t.lists = append(t.lists, nil)
	}
	t.clock++
	t.last[*h] = next
	key := sequel{*h, next}
	i, ok := t.index[key]
	if !ok {
		i = int32(len(t.lists[id]))
		t.index[key] = i
		t.lists[id] = append(t.lists[id], dated{Record: Record{[3]blocks.ExecID(h[:3]), next}})
	}
	t.lists[id][i].at = t.clock
}

// predict returns what came after h the last time, or noExec.
func (t *executionTable) predict(h *history) blocks.ExecID {
	if next, ok := t.last[*h]; ok {
		return next
	}
	return noExec
}

// records returns those of an execution ID, that of the last time first.
func (t *executionTable) records(id blocks.ExecID) []Record {
	if id < 0 || int(id) >= len(t.lists) {
		return nil
	}
	list := slices.Clone(t.lists[id])
	slices.SortFunc(list, func(a, b dated) int { return cmp.Compare(b.at, a.at) })
	records := make([]Record, len(list))
	for i := range list {
		records[i] = list[i].Record
	}
	return records
}
