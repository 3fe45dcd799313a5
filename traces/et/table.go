package et

// chunk is how many rows a table grows by.
const chunk = 4096

// A table collects rows of which nobody knows how many come, without copying them
// again and again.
type table[T any] struct {
	chunks [][]T
	n      int
}

func (t *table[T]) add(row T) {
	if t.n%chunk == 0 {
		t.chunks = append(t.chunks, make([]T, 0, chunk))
	}
	last := &t.chunks[len(t.chunks)-1]
	*last = append(*last, row)
	t.n++
}

// rows returns all rows in one slice and gives the table up.
func (t *table[T]) rows() []T {
	all := make([]T, 0, t.n)
	for i, c := range t.chunks {
		all = append(all, c...)
		t.chunks[i] = nil
	}
	*t = table[T]{}
	return all
}
