package skybyte

import "spillway/sim/study"

// What tests outside of the package read.
var (
	Doubted = doubted
	ScaleOf = scaleOf
	Elapsed = elapsed
)

// Reason is why a number is not reached, "" if nobody knows.
func Reason(r *study.Row) string {
	if cause(r) == "" && !doubted(r.Note) {
		return ""
	}
	return reason(r)
}
