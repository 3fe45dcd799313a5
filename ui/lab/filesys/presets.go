package filesys

import (
	core "spillway/sim/filesys"
	"spillway/ui/lab"
)

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	return []lab.Preset{
		{
			Key: "file-create", Title: "Create files", Set: "workload=create scale=64 mode=paper",
			About: "Twelve threads create files of 4 KiB and call fsync after each. A new file changes a few lines of metadata: ByteFS stores just those, Ext4 writes whole blocks, twice.",
		},
		{
			Key: "mail-server", Title: "Mail server", Set: "workload=varmail scale=64 mode=paper",
			About: "Small files are created, appended to with fsync, read and deleted. All threads meet in one directory and in the journal.",
		},
		{
			Key: "file-server", Title: "File server", Set: "workload=fileserver scale=64 mode=paper",
			About: "Larger files and no fsync: data decide, metadata hardly matter, and ByteFS gains nothing as long as new pages count as changed. The artifact compares them with memory that it never cleared, and about half of them differ: that share is the one number that is fitted (the device “ByteFS as it was measured”).",
		},
		{
			Key: "web-proxy", Title: "Web proxy", Set: "workload=webproxy scale=64 mode=paper",
			About: "Five files are read for each one replaced, more than the page cache holds: reads decide, so the gain is the smallest.",
		},
		{
			Key: "database", Title: "Database", Set: "workload=oltp scale=64 mode=paper",
			About: "Readers and synchronous writers of 2 KiB share the flash channels. Filebench writes zeros over zeros, so ByteFS finds nothing changed and writes no data at all.",
		},
		{
			Key: "database-measured", Title: "Database, as measured", Set: "workload=oltp scale=64 device=measured mode=paper",
			Was: []string{
				"workload=oltp scale=64 device=measured meta_share=25 keeps_freed=0 first_fit=0 entry_loads=0 in_place=0 as_issued=0 counts_empty=0 loaded=0 warm_time=0 inline=0 write_batch=32 mode=paper",
				"workload=oltp scale=64 device=measured meta_share=86 in_place=0 as_issued=0 counts_empty=0 loaded=0 warm_time=0 inline=0 write_batch=32 mode=paper",
				"workload=oltp scale=64 device=measured loaded=0 warm_time=0 inline=0 write_batch=32 mode=paper",
				"workload=oltp scale=64 device=measured warm_time=0 inline=0 write_batch=32 mode=paper",
			},
			About: "The same database, measured as ByteFS was: on an emulated SSD that writes one channel at a time, with 4 GiB of warm cache. ByteFS is four times as fast as Ext4 there; on an SSD that writes all its channels at once it gains less than half of that.",
		},
		{
			Key: "database-random", Title: "Database, not zeros", Set: "workload=oltp scale=64 payload=random mode=paper",
			About: "The same database, but every write differs: every line changes, pages go as blocks, and what ByteFS gained is gone.",
		},
		{
			Key: "make-directories", Title: "Make directories", Set: "workload=mkdir scale=64 mode=paper",
			About: "Metadata only. What Ext4 moves in blocks ByteFS moves in lines: less than a tenth of the bytes.",
		},
		{
			Key: "kv-store", Title: "Key-value store", Set: "workload=ycsb-a scale=64 mode=paper",
			About: "YCSB A over sorted runs: large sequential writes, and reads that no file system can make cheaper. The published gain is not reached here.",
		},
		{
			Key: "log-size", Title: "How large a log?", Set: "workload=varmail scale=64 ssd_dram=64 mode=paper",
			About:   "A quarter of the usual log. Vary DRAM for data under What if: the larger the log, the more lines it gathers before a page is programmed.",
			Systems: []string{"nova", "bytefs-dual", "bytefs-log", "bytefs"},
		},
		{
			Key: "own-table", Title: "By byte or by block?", Set: "workload=varmail scale=64 by_block=inode.lookup,dentry.lookup,dentry.rename,dentry.create mode=paper",
			About:   "Your table says for each structure and call whether ByteFS moves its bytes or the whole block. Here names go by blocks when files are made and renamed: press a cell of Your table to change it, and look at Is my program's way of saving safe?, which says the promise that it breaks.",
			Systems: []string{"ext4", "bytefs", core.Own},
		},
		{
			Key: "ssd-hot-cold", Title: "The SSD alone: hot and cold", Set: "workload=block-hot-cold scale=128 mode=paper",
			About:   "No file system: a twentieth of the data gets nearly all writes, of an SSD that is full. Each page written costs nearly nine programs of flash, since hot and cold pages share blocks. Vary Streams under What if, or give collection a frontier of its own.",
			Systems: []string{"raw"},
		},
		{
			Key: "ssd-uniform", Title: "How much over-provisioning?", Set: "workload=block-uniform scale=128 request_reads=30 spare=15 mode=paper",
			About:   "Reads and writes all over an SSD without a file system: vary Over-provisioning under What if, and see when garbage collection stops mattering to latency and to wear.",
			Systems: []string{"raw"},
		},
		{
			Key: "cxl-link", Was: []string{"workload=varmail scale=64 line_read=175 line_write=175 read_latency=3 program_latency=80 mode=paper"}, Title: "Over CXL", Set: "workload=varmail scale=64 line_read=175 line_write=175 mode=paper",
			About: "The mail server over a link on which a line takes 175 ns, with the same flash. NOVA and PMFS, which load line by line, answer a third and a half more calls; ByteFS, which stores a few lines a call, gains nothing and stays ahead.",
		},
	}
}
