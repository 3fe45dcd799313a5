package train

import (
	"fmt"

	"spillway/sim/train/engine"
	"spillway/sim/train/engine/paged"
	"spillway/sim/train/quirk"
	"spillway/sim/unit"
)

// beyond says where the original program gives no number for a request as
// published, so that there is nothing to compare a result with: seen by running
// the artifact's program on such settings. Its second simulator, the arena, has
// no batches and no faults.
func beyond(q *Request, memory engine.Runtime) (notes []string) {
	m := &q.Machine
	if q.Options.Quirks != quirk.Published() || !engine.Is[paged.Memory](memory) {
		return nil
	}
	if m.HostLink < m.GPULink {
		notes = append(notes, fmt.Sprintf("With a host link (%v) slower than the GPU link (%v) the original program stops with an assertion more often than not; then there is no published number like this one.",
			m.HostLink, m.GPULink))
	}
	if unit.MulDiv(int64(m.SSDRead), m.BatchPages, int64(m.GPULink)) == 0 {
		notes = append(notes, fmt.Sprintf("The SSD's share (%v) of a batch of %d pages is less than a page, at which the original program stops with an assertion; there is no published number like this one.",
			m.SSDRead, m.BatchPages))
	}
	if m.FaultLatency < unit.Microsecond && m.SSDLatency < unit.Microsecond {
		notes = append(notes, "With latencies of a page fault and of the SSD below 1 µs, which it cuts to 0, the original program never ends; there is no published number like this one.")
	}
	return notes
}
