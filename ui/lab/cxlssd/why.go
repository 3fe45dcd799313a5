package cxlssd

import "spillway/ui/lab"

// why is what makes designs slow, and the device without it.
func why() lab.Why {
	return lab.Why{
		Time: "time_ms", Bound: lab.Lowest("").System,
		Causes: []lab.Cause{
			{Key: "read", Title: "reading flash", Cured: "flash that is read in a nanosecond", Set: "flash_read=0.001", Color: "ssd-in"},
			{Key: "program", Title: "programming flash", Cured: "flash that is programmed in a nanosecond and erased at once", Set: "flash_program=0.001 flash_erase=0", Color: "cause-2"},
			{Key: "link", Title: "the link's latency", Cured: "a link, index and DRAM of the device that answer at once", Set: "link=0 link_rate=0 index=0 access=0", Color: "host-in"},
			{Key: "switch", Title: "switching threads", Cured: "context switches of 0.1 µs", Set: "switch=0.1", Color: "cause-3"},
		},
	}
}
