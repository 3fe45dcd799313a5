package cxlssd

import "spillway/ui/lab"

// Formats of exports.
const (
	timelineExport   = "timeline"
	requestsExport   = "requests"
	compactionExport = "compactions"
)

func exports() []lab.Export {
	return []lab.Export{
		{
			Key: timelineExport, Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
			About: "What every core and every thread does, compactions, the log and flash; Perfetto and chrome://tracing open it.",
		},
		{
			Key: requestsExport, Title: "Requests (address trace)", Ext: "address.txt", Mime: "text/plain", Workload: true,
			About: "All requests of all threads, a line each, as an address trace that this laboratory opens again.",
		},
		{
			Key: compactionExport, Title: "Compactions (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every compaction of the write log: when, how many pages and lines.",
		},
	}
}
