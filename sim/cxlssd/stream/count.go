package stream

// Requests is about how many there are in a run at a scale; of a recording how many.
func (w *Workload) Requests(scale int64) int64 {
	if w.Recorded != nil {
		return w.Recorded.Count
	}
	n := int64(0)
	for i := range w.Recipe.Classes {
		c := &w.Recipe.Classes[i]
		n += c.Total() * c.length() / 1e6
	}
	return n / max(1, scale)
}
