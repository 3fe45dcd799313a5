package tensorrt

import (
	"math"

	"spillway/sim/study"
)

// A gap is a number that the laboratory does not reach, as recorded: with another value it is not.
type gap struct {
	of, at string
	ours   float64 // tokens of answers a second
	why    string
}

var gaps = []gap{
	{"Llama 3 8B, 1 × H200", "20000 in, 2000 out", 1611.6, "held out, and not explained: the H100's row of the same lengths was fitted and is met"},
}

// why explains a difference: a recorded gap by its reason, what agrees by its note.
func why(r *study.Row) string {
	if r.Status != study.Gap {
		return r.Note
	}
	for i := range gaps {
		if g := &gaps[i]; g.of == r.Of && g.at == r.At && math.Abs(r.Ours-g.ours) <= g.ours/1000 {
			return g.why
		}
	}
	return ""
}
