package tensorrt

import "spillway/sim/study"

// known is the number that is farther off than its limit.
var known = study.Gaps{{"T1", system, "Llama 3 8B, 1 × H200", "20000 in, 2000 out", "output_tokens_s"}: "1.61e+03"}

// why explains a difference: what agrees by its note, a gap by what was found of it.
func why(r *study.Row) string {
	switch {
	case r.Status != study.Gap:
		return r.Note
	case known.Known(r):
		return "not explained: held out, and the H100's row of the same lengths, which was fitted, is met"
	}
	return ""
}
