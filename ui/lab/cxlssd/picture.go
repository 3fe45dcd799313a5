package cxlssd

import "spillway/ui/lab"

// picture draws where a line may be, at the scale of the run. Beside links stand latencies, not rates: these are 0 for
// no limit, which would read as nothing.
func picture() *lab.Picture {
	return &lab.Picture{
		Scale: "scale",
		Places: []lab.Place{
			{Key: "host", Title: "CPU and host DRAM", Size: "host_dram", Used: "host_bytes"},
			{Key: "dram", Title: "Page cache and write log", Size: "ssd_dram", Turn: []string{"log"}},
			{Key: "flash", Title: "Flash", Part: "flash"},
		},
		Links: []lab.Link{
			{Key: "cxl", Title: "CXL link, both ways", From: "host", To: "dram", Lanes: []lab.Lane{{To: "host", Rate: "link", Bytes: "link_bytes"}}},
			{Key: "channels", Title: "Flash channels", From: "dram", To: "flash", Lanes: []lab.Lane{{To: "dram", Rate: "flash_read", Bytes: "read_bytes", Busy: "channel_busy"}, {To: "flash", Rate: "flash_program", Bytes: "programmed_bytes"}}},
		},
	}
}
