package compress

import "spillway/ui/lab"

// of is a value of a system's report at a stop.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// tour shows the laboratory in some two minutes.
func tour() []lab.Stop {
	const final, naive, each, only = "per-allocation-16x", "naive", "per-allocation", "bandwidth-only"
	return []lab.Stop{
		{
			Key: "ratio", Title: "More memory, in hardware", Look: "figure-ratio",
			Say:   "Hardware compresses GPU memory entry by entry. One target for a whole program makes it {naive ratio} as large, a target for each allocation {per-allocation ratio}, and a larger one for what is mostly zero {per-allocation-16x ratio}.",
			Facts: []lab.Fact{{Left: of(each, "ratio"), Right: of(naive, "ratio"), Times: 1.1}, {Left: of(final, "ratio"), Right: of(each, "ratio"), Times: 1.03}},
		},
		{
			Key: "overflow", Title: "What does not fit", Look: "figure-access",
			Say:   "An entry that does not compress to its target has the rest behind a link. With one target {naive buddy_access_percent} of the accesses need it, with one for each allocation {per-allocation buddy_access_percent}.",
			Facts: []lab.Fact{{Left: of(naive, "buddy_access_percent"), Right: of(each, "buddy_access_percent"), Times: 4}},
		},
		{
			Key: "time", Title: "What it costs", Look: "figure-time",
			Say:   "Compressed traffic is less traffic: without the buddy memory the change would be {bandwidth-only slowdown_percent}, which is faster. What comes over the link is added, and the final design takes {per-allocation-16x slowdown_percent} more time than a GPU that is large enough.",
			Facts: []lab.Fact{{Left: of(final, "slowdown_percent")}, {Right: of(only, "slowdown_percent")}},
		},
		{
			Key: "link", Title: "A slow link", Look: "figure-links", Preset: "alexnet-slow-link",
			Say:   "AlexNet over {knob link}: {per-allocation-16x slowdown_percent} more time, close to what the paper measured. The curve shows every rate, with the paper's points where it has any.",
			Facts: []lab.Fact{{Left: of(final, "slowdown_percent"), Right: of(only, "slowdown_percent")}},
		},
		{
			Key: "hpc", Title: "Other programs", Look: "figure-capacity", Preset: "hpc",
			Say:   "HPC programs hold more zeros: memory becomes {per-allocation-16x ratio} as large, and {per-allocation-16x buddy_access_percent} of the accesses need the buddy memory. Contents of both suites are fitted to the paper's means.",
			Facts: []lab.Fact{{Left: of(final, "ratio"), Right: of(naive, "ratio"), Times: 1.1}},
		},
		{
			Key: "inside", Title: "Inside one entry", Look: "section-inside",
			Say:   "How an entry becomes bits: a first word, and the planes of the differences. Open it, choose a kind of data, and see why dense floats do not compress. With a file of your own, any entry of it.",
			Facts: []lab.Fact{{Left: of(final, "ratio")}},
		},
		{
			Key: "whatif", Title: "What if", Look: "ask-run", Show: "view=whatif",
			Say: "Vary the threshold or the link, or find the slowest link that is enough; the button runs every design.",
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce figure=buddy.7",
			Say: "What the paper publishes, computed here and compared; the button runs it. That was the tour: drop a checkpoint of your own, Undo brings your settings back.",
		},
	}
}
