package flexgen

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
	{"FlexGen, four bits", "opt-6.7b, 512 in, batch 72", 24.129, "not explained: the batch of the GPU is not published, and was taken from other rows"},
	{"Accelerate", "opt-30b, 512 in, batch 8", 0.827, "not explained: how it copies weights, pinned or not, is not published, and makes up to twice as much"},
	{"ZeRO-Inference", "opt-6.7b, 512 in, batch 16", 7.282, "not explained: how it copies weights, pinned or not, is not published, and makes up to twice as much"},
	{"ZeRO-Inference", "opt-30b, 512 in, batch 4", 0.413, "not explained: how it copies weights, pinned or not, is not published, and makes up to twice as much"},
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
