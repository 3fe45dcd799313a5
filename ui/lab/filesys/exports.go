package filesys

import "spillway/ui/lab"

// Formats of exports.
const (
	trafficExport = "traffic"
	samplesExport = "samples"
	callsExport   = "calls"
)

func exports() []lab.Export {
	return []lab.Export{
		{
			Key: trafficExport, Title: "Traffic (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Bytes and accesses between host and SSD by structure, interface and direction, and pages of flash by reason.",
		},
		{
			Key: samplesExport, Title: "Log over time (CSV)", Ext: "csv", Mime: "text/csv",
			About: "The log, dirty pages, calls and flash over the run, a row for each sample.",
		},
		{
			Key: callsExport, Title: "Calls (trace)", Ext: "fscalls.txt", Mime: "text/plain", Workload: true,
			About: "All calls of all threads in the order in which they are made, as a trace that this laboratory opens again.",
		},
	}
}
