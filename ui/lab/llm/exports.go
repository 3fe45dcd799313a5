package llm

import "spillway/ui/lab"

// Formats of exports.
const (
	timelineExport = "timeline"
	waitsExport    = "waits"
	movesExport    = "moves"
	programExport  = "plan"
	ledgerExport   = "ledger"
	linksExport    = "links"
	memoryExport   = "memory"
	planExport     = "kernels"
)

func exports() []lab.Export {
	return []lab.Export{
		{
			Key: timelineExport, Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
			About: "The iteration: every GPU's kernels and waits, and what its queues to drives, host memory and other GPUs carry, for ui.perfetto.dev or chrome://tracing.",
		},
		{
			Key: programExport, Title: "Plan (CSV)", Ext: "csv", Mime: "text/csv",
			About: "What the system plans: offloads and prefetches of tensors by kernel, and its own tasks such as gathers and steps of the optimizer.",
		},
		{
			Key: waitsExport, Title: "Ledger by kernel (CSV)", Ext: "csv", Mime: "text/csv",
			About: "When every kernel ran, for how long, and how long its GPU waited before it, by cause; the sums are the GPU's.",
		},
		{
			Key: movesExport, Title: "Transfers (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every tensor and task that a queue has brought to its end in the iteration, with its bytes.",
		},
		{
			Key: ledgerExport, Title: "GPUs and links (CSV)", Ext: "csv", Mime: "text/csv",
			About: "What every GPU spends the iteration on, what it moves, and what every link carries.",
		},
		{
			Key: linksExport, Title: "Links over time (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Bytes that every link carries in each piece of the iteration.",
		},
		{
			Key: memoryExport, Title: "Memory over time (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Where every GPU's tensors are over the iteration: on the GPU, in host memory, on drives.",
		},
		{
			Key: planExport, Title: "Kernels (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every kernel of every GPU as the system cuts the model: its layer, micro-batch, time and the bytes of its tensors.",
		},
	}
}
