package flexgen

import "spillway/sim/study"

// known are the numbers that are farther off than their limit.
var known = study.Gaps{
	{"T1", "flexgen", "FlexGen, four bits", "opt-6.7b, 512 in, batch 72", "output_tokens_s"}: "24.1",
	{"T1", "stream-host", "Accelerate", "opt-30b, 512 in, batch 8", "output_tokens_s"}:       "0.827",
	{"T1", "stream-host", "ZeRO-Inference", "opt-6.7b, 512 in, batch 16", "output_tokens_s"}: "7.28",
	{"T1", "stream-host", "ZeRO-Inference", "opt-30b, 512 in, batch 4", "output_tokens_s"}:   "0.413",
}

// tried is what came out where it was tried to meet them.
var tried = map[string]string{
	"FlexGen, four bits": "not explained: with smaller batches of the GPU it is slower still (14.7 with 24, 18.2 with 36)",
	"Accelerate":         "not explained: from pinned memory it would be 1.62",
	"ZeRO-Inference":     "whether it copies from pinned memory is not published: with it 6.7b has 13.8 and 30b 0.827, without it 7.28 and 0.413, and what is published lies between",
}

// why explains a difference: what agrees by its note, a gap by what was tried.
func why(r *study.Row) string {
	switch {
	case r.Status != study.Gap:
		return r.Note
	case known.Known(r):
		return tried[r.Of]
	}
	return ""
}
