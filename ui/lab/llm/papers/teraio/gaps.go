package teraio

import (
	"strings"

	"spillway/sim/study"
)

// why explains differences: what agrees by its note, a gap by its reason, if it is recorded
// with the value that it has.
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

// reason is why a number is not reached, and why it is doubted; "" if nobody knows the first.
func reason(r *study.Row) string {
	for i := range causes {
		if c := &causes[i]; c.match(r.Point) {
			if r.Note != "" {
				return c.why + "; " + r.Note
			}
			return c.why
		}
	}
	return ""
}

// A cause is why numbers are not reached: those of the figures, quantity and system that it
// names, in whose cell its words stand; what is empty is any, but a figure.
type cause struct {
	figures, cell, quantity, system string // figures: separated by spaces
	why                             string
}

func (c *cause) match(p *study.Point) bool {
	return strings.Contains(" "+c.figures+" ", " "+p.Figure+" ") && strings.Contains(p.Of+", "+p.At, c.cell) &&
		strings.HasPrefix(p.Quantity, c.quantity) && (c.system == "" || c.system == p.System)
}

// causes are why numbers are not reached, the first that is about one.
var causes = []cause{
	{"1", "", activeMean, "", "the mean counts kernels, most of which are small here; with the settings of Figure 7, whose micro-batches are larger, it is as in the row of those"},
	{"1", "", kernels, "", "the paper's program runs 1.8 to 3.3 times as many: several of PyTorch's operators are one kernel here; and of GPT2-40B and T5-11B neither micro-batches nor, of the former, dimensions are published"},
	{"2 run", "< 1 MB", sizes, "", "small tensors of PyTorch's operators that are part of a kernel here: masks, statistics, scalars of the optimizer"},
	{"2", "Llama3", sizes, "", "which operators make a tensor differs: what several of PyTorch's keep is one tensor here"},
	{"2 run", "", sizes, "", "neither micro-batches nor, of GPT2-40B, dimensions are published"},
	{byGran, "", share, ssd, "arrays are faster here: with drives that have half of their rates where they read and write at once, 13 GB/s each way for four, it has 67 % in the setting of the figure of readings (but TERAIO-Mixed is slower than ZeRO-Infinity with Llama3-70B), and with arrays of 12 it has 60 in the mean"},
	{byLarge, "", speedup, "", "with 2048 tokens it is 1.11 to 1.25, with 3072 it is 1.04: ZeRO-Infinity streams all weights once for each sequence there, and a longer one makes them cost less; with arrays of 12 and a path of 8 it is 1.31, and with a path of 5 for the fitted 3 it is 1.26"},
	{slowed, "2 drives", share, mixed, "two drives that have half of their rates where they read and write at once move 6.5 GB/s each way, a little more than half of 12: with their full rates, as in Figure 9, it is within its limit"},
	{"10", "Llama3-70B", busy, "", "a GPU waits for the other one and for what it needs at once, and moves less then"},
	{"10 run", "Granite", busy, "", "drives are busy nearly all the time here: how much the paper's plan moves is not published"},
	{others, "", iteration, "", "the report's step takes 6.5 s for the optimizer, which is a billion parameters a second for the whole node; here its two processors update four, the lower end of what is published of them"},
}

// beside is what stands next to the value of a claim that differs, by its name.
var beside = map[string]string{
	"active-most":   "The optimizer's step of Llama3-70B's embedding: three tensors of 4.2 GB, of the 80 GiB that all shares of memory are of here.",
	"middle":        "T5-11B's, whose micro-batches are not known; of the others it is more than 80 %.",
	"movable":       "Llama3-8B's: a tensor of hundreds of megabytes takes tens of milliseconds, and some periods are between that and 10 ms.",
	"roof-48":       "GPT2-40B's, whose dimensions and micro-batches are not published; of the others it is 95 % or more.",
	"roof-32":       "GPT2-40B's, whose dimensions and micro-batches are not published; of the others it is 93 % or more.",
	"mixed-granite": "The mean of 80.7 %, with 59.7 % of Llama3-70B and nearly all of Llama3-8B, leaves 82 to 85 % for Granite in the paper too.",
	"ssd-70b":       "With 3072 tokens, where ZeRO-Infinity has the most of Ideal, it is 2 % slower.",
	"less-stall":    "Granite's: what ZeRO loses with both smaller models is here in waiting for the other GPU, because the rate of collectives is what its 65.9 % are fitted with.",
	"host-matters":  "At the fitted 3 GB/s little goes to host memory, whatever its size: with arrays of 12 GB/s and a path of 8 it is 116 %.",
	"run-roof-48":   "Llama3-70B's and GPT2-40B's, by a hundredth of a point: of all in memory it is 95.0 %.",
	"run-ssd-70b":   "ZeRO-Infinity, which streams weights once for each sequence, is faster than TERAIO-SSD but with 32 sequences of 2048 tokens: this reading does not give all of the text.",
	"run-similar":   "Llama3-70B's with 3072 tokens, beside ZeRO-Infinity.",
	"more-traffic":  "Three drives reach the 16 GB/s that an array moves at most.",
}
