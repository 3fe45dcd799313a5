package eager

// A sparse gradient is a list of rows.
type sparse struct{}

// update adds the rows of a sparse gradient to a table.
func (t *tape) update(*param) {}
