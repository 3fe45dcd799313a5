package filesys

import "spillway/ui/lab"

// picture draws where data are, at the scale of the run. What is used of the SSD's DRAM is known of a log alone, and
// flash has no bar: a run writes little of it. Beside links stand latencies, not rates: what a line
// or a page takes decides here, not how many go at a time.
func picture() *lab.Picture {
	return &lab.Picture{
		Scale: "scale",
		Places: []lab.Place{
			{Key: "host", Title: "Host's page cache", Size: "page_cache", Used: "cache_used"},
			{Key: "dram", Title: "DRAM of the SSD", Size: "ssd_dram", Used: "log_used"},
			{Key: "flash", Title: "Flash", Turn: []string{"capacity", "channels"}},
		},
		Links: []lab.Link{
			{Key: "link", Title: "Lines and blocks", From: "host", To: "dram", Lanes: []lab.Lane{{To: "dram", Rate: "line_write", Bytes: "host_write_mb"}, {To: "host", Rate: "line_read", Bytes: "host_read_mb"}}},
			{Key: "channels", Title: "Flash channels", From: "dram", To: "flash", Lanes: []lab.Lane{{To: "flash", Rate: "program_latency", Bytes: "programmed_mb", Busy: "channel_busy"}, {To: "dram", Rate: "read_latency", Bytes: "flash_read_mb"}}},
		},
	}
}
