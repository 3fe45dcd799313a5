package store

import "spillway/ui/lab"

// timelineExport is the format of one run.
const timelineExport = "timeline"

func exports() []lab.Export {
	return []lab.Export{{
		Key: timelineExport, Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
		About: "What the time of every client goes to, every eviction and every way back, and memory in use; Perfetto and chrome://tracing open it.",
	}}
}
