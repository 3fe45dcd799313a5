package cxlssd

import (
	"spillway/ui/lab"
	"spillway/ui/lab/own"
)

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	const artifact = " mode=artifact"
	return []lab.Preset{
		{
			Key: "key-value-store", Title: "Key-value store", Set: "workload=ycsb-a scale=16" + artifact, Sums: []string{"a9175"}, // visits were 2 by default
			About: "YCSB on a store whose records lie all over memory. On flash alone it is several times as slow as on DRAM; promotion wins most of that back, and with a write log or context switches nearly all of it.",
		},
		{
			Key: "radix-sort", Title: "Radix sort", Set: "workload=radix scale=8" + artifact,
			About: "Keys stream in and out page after page, and threads have unequal work: more threads than cores even it out, so a design with context switches can beat DRAM with eight threads. SkyByte-Full programs a sixteenth of what SkyByte-CP does and is ahead of it, because dirty pages that leave its host DRAM are lost, as in the artifact: without demotion-lost (Fidelity) both program as much and take as long.",
		},
		{
			Key: "graph-centrality", Title: "Graph centrality", Set: "workload=bc scale=4" + artifact,
			About: "Half of the visits to a page read one line of it, and pages are visited again and again: promotion to host DRAM wins nearly everything back.",
		},
		{
			Key: "skybyte-paper", Title: "As the SkyByte paper says", Set: "workload=srad scale=1 device=paper", Was: []string{"workload=srad scale=1 device=paper channel_rate=0"},
			About: "An image filter on the device that the paper describes, without what only its simulator does.",
		},
		{
			Key: "write-log-size", Title: "How large a log?", Set: "workload=srad scale=4 log=7" + artifact,
			About:   "An image filter writes whole pages. Vary the write log under What if: designs with a log should program less the larger it is.",
			Systems: []string{"dram-only", "base-cssd", "skybyte-w", "skybyte-wp", "skybyte-full"},
		},
		{
			Key: "slow-flash", Title: "Cheap, slow flash", Set: "workload=tpcc scale=1 flash=mlc" + artifact, Sums: []string{"deb29"}, // visits were 2 by default
			About: "Transactions on multi-level cells, which need 50 µs to read a page and 600 to program one. As in the artifact, the log that warming left is compacted when the run begins: every read queues behind 600 µs a page, so SkyByte-CP, without a log, is nearly twice as fast as SkyByte-Full. Without warm-charged (Fidelity) nothing is compacted here, and SkyByte-Full is ahead.",
		},
		{
			Key: "dram-or-flash", Title: "DRAM or flash?", Set: "workload=ycsb-b scale=8" + artifact, Sums: []string{"cbeb3"}, // visits were 2 by default
			About:   "A key-value store. Cost and lifetime says what memory costs and what it does for the price.",
			Systems: []string{"dram-only", "base-cssd", "skybyte-p", "skybyte-wp", "skybyte-full"},
		},
		{
			Key: "own-cxl-ssd", Title: "A design of your own", Set: "workload=bfs-dense scale=1 own_switch=0 own_promote=miss" + artifact,
			About:   "A log, no context switches, and a missed page goes to host DRAM at its next hit: choose mechanisms under Device, and compare.",
			Systems: []string{"dram-only", "base-cssd", "astriflash-cxl", "skybyte-wp", "skybyte-full", "own-design"},
		},
		{
			Key: "own-promotion", Title: "A policy of your own", Set: "workload=dlrm scale=16 promote_copy=1 shootdown=4 policy=%23After+more+hits@promote=hits%3E=p1 p1=32" + artifact, Sums: []string{"e904d"}, // visits were 2 by default
			About:   "One line under Your policy says which pages move to host DRAM. Here a move takes 1 µs and stops all cores for 4, which the artifact has for nothing: SkyByte's threshold moves nearly every page that is used seven times, and who waits for 32 hits is several times as fast. Dial 1 is that number; with moves for nothing (Device) the best is 1.",
			Systems: []string{"dram-only", "skybyte-cp", "skybyte-full", own.Name},
		},
	}
}
