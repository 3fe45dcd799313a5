package et

// A table grows by as many rows as it has, from least to most.
const (
	leastRows = 32
	mostRows  = 4096
)

// A table collects rows of which nobody knows how many come, without copying them
// again and again.
type table[T any] struct {
	chunks [][]T
	n      int
}

func (t *table[T]) add(row T) {
	if k := len(t.chunks); k == 0 || len(t.chunks[k-1]) == cap(t.chunks[k-1]) {
		t.chunks = append(t.chunks, make([]T, 0, min(max(t.n, leastRows), mostRows)))
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
