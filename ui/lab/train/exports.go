package train

import "spillway/ui/lab"

// Formats of one run.
const (
	timelineExport = "timeline"
	stallsExport   = "stalls"
	chakraExport   = "chakra"
	traceExport    = "trace"
	namelessExport = "trace-anonymous"
)

// exports are the formats in which one run can be had.
func exports() []lab.Export {
	return []lab.Export{
		{
			Key: timelineExport, Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
			About: "Kernels with their stalls, every migration by link and direction, and memory in use, over one iteration; Perfetto and chrome://tracing open it.",
		},
		{
			Key: stallsExport, Title: "Stalls (speedscope)", Ext: "speedscope.json", Mime: "application/json",
			About: "Time beyond ideal by cause and kernel, and by kernel and cause; speedscope opens it.",
		},
		{
			Key: chakraExport, Title: "Loads and stores (Chakra)", Ext: "et", Mime: "application/octet-stream",
			About: "Kernels, and every move to and from GPU memory as a load or store with what it depends on: a Chakra execution trace, as ASTRA-sim reads.",
		},
		{
			Key: traceExport, Title: "Spillway trace", Ext: "spillway.json", Mime: "application/json", Workload: true,
			About: "What runs: kernels with their times, tensors with their sizes. Dropped here it runs again with the same results.",
		},
		{
			Key: namelessExport, Title: "Spillway trace without names", Ext: "spillway.json", Mime: "application/json", Workload: true,
			About: "The same with numbers in place of all names, to be shown to others. Systems that know layers by their names, as vDNN does, then do something else.",
		},
	}
}
