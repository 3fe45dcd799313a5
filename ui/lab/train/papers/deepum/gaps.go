package deepum

import (
	"strings"

	"spillway/sim/study"
)

// why explains differences: what agrees by its note, a gap by its reason, if it is
// recorded with the value that it has.
func why(known study.Gaps) func(r *study.Row) string {
	return func(r *study.Row) string {
		switch {
		case r.Status != study.Gap:
			return r.Note
		case known.Known(r):
			return reason(r)
		}
		return ""
	}
}

// reason is why a number is not reached, as far as that is known, and why what is
// published is doubted; "" if nobody knows.
func reason(r *study.Row) string {
	text := cause(r)
	switch {
	case text == "" || r.Note == text:
		return text
	case r.Note != "":
		return text + "; " + r.Note
	}
	return text
}

// cause is why a number is not reached.
func cause(r *study.Row) string {
	f := familyOf(r.Of)
	switch {
	case r.System == lms && !r.Fits:
		return "why LMS runs out of memory here is not known: without the fragmentation that the paper blames, and with it as modeled, what it needs at once fits"
	case r.Of == "DLRM 96K" && r.System != lms:
		return almostFits
	case r.Quantity == faults && r.System == deepum:
		return "few blocks are missed at all: which, hangs on what the tables forget, and that each counts as 5 faults is fitted to all rows together"
	case f == gpt2 && r.Quantity == speedup && r.System == deepum:
		return "one cost of a fault is fitted to GPT-2 and ResNet together, with which UM is up to 10 % too fast where GPT-2 is large, and the speedup over it too small"
	case f != bertBase && r.Quantity == tables:
		return "there is a table for each kernel that ever faulted: which do, in the first iterations, hangs on addresses and on the order of eviction"
	case f == bertBase && r.Quantity == tables:
		return "more of BERT Base's kernels fault here in warm-up than did there: it needs hardly more than the usable memory, so that a small error of its size decides"
	case f == bertBase:
		return "BERT Base needs hardly more than the usable memory, which is fitted to its batch 29: a small error of its size decides how often it faults"
	case f == bertLarge:
		return "BERT Large needs little more than the usable memory, which is fitted to BERT Base: an error of its size weighs much"
	case f == dlrm:
		return uncalibrated
	case r.At == cleaning:
		return "how often LMS-mod gives memory back is not stated"
	case r.System == lms:
		return "what LMS does with free memory is not stated"
	}
	return ""
}

// almostFits is why DLRM hardly faults with its smallest batch.
const almostFits = "with batch 96K DLRM nearly fits the usable memory here, so that UM hardly faults and DeepUM does not; printed are faults as if it needed much more"

// familyOf is that of a row's label: "DLRM 128K".
func familyOf(label string) family {
	for i := range networks {
		if strings.HasPrefix(label, networks[i].name+" ") {
			return networks[i].family
		}
	}
	return gpt2
}
