package filesys

import "spillway/ui/lab"

// why is what makes file systems slow, and the machine without it.
func why() lab.Why {
	return lab.Why{
		Time: "time_ms", Bound: lab.Lowest("").System,
		Causes: []lab.Cause{
			{Key: "flash", Title: "flash", Cured: "flash that answers at once", Set: "read_latency=0 program_latency=0.001 erase_latency=0", Color: "ssd-in"},
			{Key: "interface", Title: "the SSD's interface", Cured: "an interface that takes no time", Set: "submit=0 firmware=0 transfer=0 complete=0 line_read=0 line_write=0 persist=0 commit_time=0", Color: "host-in"},
			{
				Key: "cpu", Title: "its own code", Cured: "code that takes no time", Color: "compute",
				Set: "generator=0 generator_serial=0 open_cost=0 close_cost=0 read_cost=0 read_page=0 write_cost=0 write_page=0 fsync_cost=0 section=0 ns_bytefs=0 ns_ext4=0 ns_f2fs=0 ns_nova=0 ns_pmfs=0 handle=0 wake=0 duplicate=0 compare=0",
			},
			{Key: "journal", Title: "copying into the journal", Cured: "a journal that copies at once and commits only when asked", Set: "journal_copy=0 commit_interval=3600", Color: "cause-3"},
		},
	}
}
