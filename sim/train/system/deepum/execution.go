package deepum

import (
	"slices"

	"spillway/sim/train/engine"
)

// none of the execution IDs: before the first launch.
const noExec engine.ExecID = -1

// A history is the last launches, that of longest ago first. The last of them is the
// running kernel, or the one that is to be predicted from.
type history [4]engine.ExecID

func (h *history) push(id engine.ExecID) {
	copy(h[:], h[1:])
	h[len(h)-1] = id
}

// A Record of the execution table says that after three kernels and the one that the
// record belongs to came Next.
type Record struct {
	Before [3]engine.ExecID // that of longest ago first; -1 before the first launch
	Next   engine.ExecID
}

// An executionTable holds which kernel came after which: records by execution ID, that
// of the last time first, none twice.
type executionTable [][]Record

// learn notes that after h came next.
func (t *executionTable) learn(h *history, next engine.ExecID) {
	id := h[3]
	if id < 0 {
		return
	}
	for int(id) >= len(*t) {
		*t = append(*t, nil)
	}
	list, r := (*t)[id], Record{[3]engine.ExecID(h[:3]), next}
	i := slices.Index(list, r)
	if i < 0 {
		i = len(list)
		list = append(list, r)
	}
	copy(list[1:i+1], list[:i])
	list[0] = r
	(*t)[id] = list
}

// predict returns what came after h the last time, or noExec.
func (t executionTable) predict(h *history) engine.ExecID {
	if id := h[3]; id >= 0 && int(id) < len(t) {
		for i := range t[id] {
			if t[id][i].Before == [3]engine.ExecID(h[:3]) {
				return t[id][i].Next
			}
		}
	}
	return noExec
}
