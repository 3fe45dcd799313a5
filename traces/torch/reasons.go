package torch

import "fmt"

// Reasons say why a file was joined with none of others.
type reasons struct {
	n     int
	first string // name of the first of the others
	why   string
}

func (r *reasons) add(name, format string, a ...any) {
	if r.n++; r.n == 1 {
		r.first, r.why = name, fmt.Sprintf(format, a...)
	}
}

// refused notes why a file was joined with none of others: one note, however many
// there are. behind says that the file is named after the other one.
func (o *opener) refused(name string, behind bool, r reasons) {
	a, b := name, r.first
	if behind {
		a, b = b, a
	}
	switch r.n {
	case 0:
	case 1:
		o.note("%s and %s were not joined: %s.", a, b, r.why)
	default:
		o.note("%s was joined with none of %d other files. With %s for example: %s.", name, r.n, r.first, r.why)
	}
}
