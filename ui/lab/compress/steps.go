package compress

// steps is about how much work a run is: each allocation's kinds of entries are counted
// once for each target. What files hold was measured before.
func steps(w *memory, _ *settings, _ string) int {
	n := 0
	for i := range w.programs {
		n += len(w.programs[i].Allocations)
	}
	return n + 1
}
