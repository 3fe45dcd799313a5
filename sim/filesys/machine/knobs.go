package machine

import (
	"errors"
	"fmt"

	"spillway/sim/knob"
	"spillway/sim/unit"
)

// Groups of knobs.
const (
	GroupRun     = "Run"
	GroupChoices = "What decides the comparison"
	// GroupMeasured are facts of how the paper was measured; each knob's source says where in the
	// artifact, or in Filebench, it can be read.
	GroupMeasured = "As the paper was measured"
	GroupFlash    = "Flash"
	GroupBlocks   = "Block commands"
	GroupBytes    = "Byte accesses and DRAM of the device"
	GroupCollect  = "Garbage collection and life"
	GroupStreams  = "Frontiers of the flash"
	GroupAlone    = "The SSD alone"
	GroupHost     = "Host"
	GroupCalls    = "CPU time of calls"
	GroupSystems  = "CPU time of file systems"
	GroupWriting  = "Write-back, journal and checkpoint"
	GroupTable    = "Your table"
)

// Sources of defaults, with how far they can be trusted.
const (
	paper    = "ByteFS, emulator parameters (medium confidence: from a reading note)"
	artifact = "ByteFS artifact (high confidence: read in its code)"
	general  = "general knowledge, not published (low confidence)"
	script   = "ByteFS artifact, utils/filebench_run.sh"
	branch   = "ByteFS artifact, branch bytefs, linux/ssd/cow.c"
)

// Limits of what a run may take, so that it fits into a browser's memory: after scaling.
const (
	mostThreads  = 1024
	mostCapacity = 32 * unit.GiB
	mostCache    = 16 * unit.GiB // which takes memory as it is used
	mostDRAM     = 8 * unit.GiB
	mostStreams  = 8
	mostDepth    = 1024
	// leastBlocks a channel needs, so that collection has blocks to choose from.
	leastBlocks = 8
	// leastPages is the least page cache, journal and buffer of the device that file
	// systems work with.
	leastPages = 32
)

// Knobs returns the list of every number and choice of a Setup, but for quirks.
func Knobs() []knob.Knob[Setup] {
	var ks []knob.Knob[Setup]
	group := ""
	add := func(k knob.Knob[Setup]) {
		k.Group = group
		ks = append(ks, k)
	}
	count := func(ref func(*Setup) *int64, k knob.Info) {
		k.Scale = 1
		add(knob.Int(k, ref))
	}
	span := func(ref func(*Setup) *unit.Time, scale unit.Time, name string, least, most unit.Time, k knob.Info) {
		k.Scale, k.Unit, k.Min, k.Max = int64(scale), name, int64(least), int64(most)
		add(knob.Int(k, ref))
	}
	size := func(ref func(*Setup) *unit.Bytes, scale unit.Bytes, name string, least, most unit.Bytes, k knob.Info) {
		k.Scale, k.Unit, k.Min, k.Max = int64(scale), name, int64(least), int64(most)
		add(knob.Int(k, ref))
	}
	choice := func(ref func(*Setup) *string, k knob.Info) {
		k.Kind = knob.One
		add(knob.Knob[Setup]{Info: k, Word: ref})
	}
	mechanism := func(ref func(*Setup) *bool, k knob.Info) {
		k.Kind, k.Choices = knob.One, []knob.Choice{{Key: "1", Label: "yes"}, {Key: "0", Label: "no"}}
		add(knob.Bool(k, ref))
	}
	const ns, us, ms, sec = unit.Nanosecond, unit.Microsecond, unit.Millisecond, unit.Second

	group = GroupRun
	scales := knob.Info{
		Key: "scale", Label: "Scale", Kind: knob.One, Scale: 1, Min: 1, Max: 256,
		Help:   "How much of the full workload runs. It divides files, calls, capacity, log, page cache, journal and all timers, but not latencies, threads, files in a directory or the first 64 pages of the write buffer. A recording is not divided, nor is its machine.",
		Source: "ours, for speed: from 1/256 to 1/16 the ratio of ByteFS to Ext4 is between 3.2 and 3.5 in create, and between 1.8 and 1.9 in oltp",
	}
	for n := int64(1); n <= 256; n *= 2 {
		label := "full"
		if n > 1 {
			label = fmt.Sprintf("1/%d", n)
		}
		scales.Choices = append(scales.Choices, knob.Choice{Key: fmt.Sprint(n), Label: label, Word: "scale " + label})
	}
	add(knob.Int(scales, func(s *Setup) *int64 { return &s.Scale }))
	count(func(s *Setup) *int64 { return &s.Seed }, knob.Info{Key: "seed", Label: "Seed", Max: 1 << 30, Help: "What random numbers begin with: another seed is another workload of the same kind.", Source: "ours"})
	count(func(s *Setup) *int64 { return &s.Threads }, knob.Info{Key: "threads", Label: "Threads", Max: mostThreads, Help: "How many threads call; 0 for as many as the workload has. A recording has its own.", Source: "0: as the workload", Zero: "as the workload has them"})
	mechanism(func(s *Setup) *bool { return &s.OpenLoop }, knob.Info{Key: "open_loop", Label: "Times of the recording", Help: "Whether a recording's calls come at their recorded times; else a thread calls again as soon as it is answered.", Source: "ours"})

	group = GroupChoices
	choice(func(s *Setup) *string { return (*string)(&s.Payload) }, knob.Info{
		Key: "payload", Label: "Payload", Help: "What programs write. Overwriting with what was there changes no line, and ByteFS then writes no data.",
		Source: "Filebench's source: its buffers are cleared and never filled (high confidence)",
		Choices: []knob.Choice{
			{Key: string(Zeros), Label: "zeros", Help: "As Filebench does: an overwrite changes nothing.", Word: "-"},
			{Key: string(Random), Label: "random", Help: "An overwrite changes every line.", Word: "random payload"},
			{Key: string(Share), Label: "a share of lines", Help: "An overwrite changes a part of its lines.", Word: "payload by share"},
		},
	})
	count(func(s *Setup) *int64 { return &s.Changed }, knob.Info{Key: "changed", Idle: []knob.Idle{{While: "payload=zeros,random", Why: "all lines change, or none: set payload to share"}}, Label: "Changed lines", Unit: "%", Max: 100, Help: "How many of the lines that an overwrite touches change. It matters only where the payload is a share of lines.", Source: "ours"})
	mechanism(func(s *Setup) *bool { return &s.Fresh }, knob.Info{Key: "fresh", Label: "Fresh pages are compared", Help: "Whether ByteFS compares a page that is new to a file with zeros; else all of it counts as changed.", Source: "how the text reads: off; " + branch + " (get_dup_page, sync_rbh_wr_new): on"})
	choice(func(s *Setup) *string { return (*string)(&s.Ack) }, knob.Info{
		Key: "ack", Label: "Block writes are answered", Help: "When the device answers a block write.",
		Source: "buffer: the same for all, of a device whose DRAM is protected; the artifact treats file systems differently",
		Choices: []knob.Choice{
			{Key: string(OnBuffer), Label: "by the buffer", Help: "Once it has a slot of the protected write buffer.", Word: "-"},
			{Key: string(OnProgram), Label: "by the program", Help: "Once its pages are programmed.", Word: "answered by the program"},
			{Key: string(AsArtifact), Label: "as the artifact", Help: "For Ext4 and F2FS once programmed, for all others by the buffer.", Word: "answered as the artifact"},
		},
	})

	group = GroupMeasured
	count(func(s *Setup) *int64 { return &s.FreshShare }, knob.Info{Key: "fresh_share", Idle: []knob.Idle{{While: "fresh=0", Why: "fresh pages are not compared: set fresh to 1"}}, Label: "Fresh pages that differ", Unit: "%", Max: 100, Help: "How many of the compared fresh pages differ entirely and are sent as blocks. It matters only where fresh pages are compared.", Source: "0: zeros; " + branch + " compares with memory that it does not clear, of which nobody published what is in it: 46 is fitted to fileserver"})
	choice(func(s *Setup) *string { return (*string)(&s.Device.Frontier) }, knob.Info{
		Key: "frontier", Label: "Flash is written", Help: "Which channel a page is programmed on.",
		Source: "striped: how SSDs are built; block: ByteFS artifact, branch baseline, linux/ssd/ftl.c:160-212 (ssd_advance_write_pointer) and bytefs_gc.c",
		Choices: []knob.Choice{
			{Key: string(Striped), Label: "on all channels", Help: "Page by page, so that all channels program at once.", Word: "-"},
			{Key: string(OneBlock), Label: "a block at a time", Help: "As the artifact's emulator does: a block's pages on one channel, then on the next, so only one channel programs at a time.", Word: "one channel programs at a time"},
		},
	})
	mechanism(func(s *Setup) *bool { return &s.Warm }, knob.Info{Key: "warm", Label: "Warm-up", Help: "Whether varmail, fileserver, webproxy, webserver and oltp run once before they are measured, and keep the page cache. YCSB always does; all others start with cold caches.", Source: script + ":93-110, 296-308"})
	span(func(s *Setup) *unit.Time { return &s.WarmTime }, sec, "s", 0, 3600*sec, knob.Info{Key: "warm_time", Idle: []knob.Idle{{While: "warm=0", Why: "nothing warms up: set warm to 1"}}, Label: "Warm-up lasts", Zero: "as long as the run", Help: "How long varmail, fileserver, webproxy and webserver warm up, but at most for 16 times the calls of the run; 0 for as long as the run. The scale divides it.", Source: "0: ours; 5: ByteFS artifact, branch baseline, utils/filebench_workloads/varmail_warm.f:33 and 59, fileserver_warm.f, webproxy_warm.f, webserver_warm.f (run 5)"})
	mechanism(func(s *Setup) *bool { return &s.Prepared }, knob.Info{Key: "prepared", Label: "Preparation counts", Help: "Whether the counters of bytes and of flash begin before Filebench prepares its files, which it does in every process: it asks for each, opens it, cuts it or writes it anew if it has not the drawn size, and makes what is not there. Time and calls begin after it, so what is moved or programmed a call or a day, and how long flash lasts, have its part, too.", Source: script + ":318 (ctrl 40: linux/ssd/ssd_stat.c clears the counters in turn_on_stat and in reset_ssd_stat alike) and 332 (filebench); Filebench, fileset.c (fileset_create, fileset_alloc_file). Nothing seeds what sizes and files are drawn with (rand, cvars/cvar-gamma.c: drand48), so every process draws the same"})
	mechanism(func(s *Setup) *bool { return &s.KeepF2FS }, knob.Info{Key: "f2fs_keeps", Label: "F2FS keeps its cache", Help: "Whether F2FS starts with its metadata in the page cache, as far as they fit: those of the newest files.", Source: script + ":208-211: caches are dropped for all but F2FS"})
	mechanism(func(s *Setup) *bool { return &s.Loaded }, knob.Info{Key: "loaded", Label: "What is loaded stays cached", Help: "Whether YCSB begins with its store in the page cache, as far as it fits, as loading it leaves it; else with a cold cache. NOVA and PMFS have none.", Source: script + ":208-212 (drop_cache_options is 0 for YCSB), 285-294 (load, then pin_mem.sh, which leaves 4096 MB that can be had, what is cached among them) and utils/rocksdb_option.ini (use_direct_writes=false)"})
	mechanism(func(s *Setup) *bool { return &s.Device.KeepsFreed }, knob.Info{Key: "keeps_freed", Label: "Freed pages stay in the SSD", Help: "Whether file systems do not tell the SSD which pages are free: what of a deleted file is in its DRAM is then programmed all the same, and a page that is used again is read before a part of it is stored.", Source: "ByteFS artifact, branch baseline, linux/block/ssd/bytefs_debug_bio.c (byte_fs_bio_issue): discards are refused; linux/fs/nova, linux/fs/pmfs: none is made"})
	mechanism(func(s *Setup) *bool { return &s.Host.FirstFit }, knob.Info{Key: "first_fit", Label: "NOVA and PMFS take the first free pages", Help: "Whether data get the free pages with the lowest numbers, so that what was just freed is soon used again; else those after the last that were taken.", Source: "ByteFS artifact, branch baseline, linux/fs/pmfs/balloc.c (pmfs_new_block) and linux/fs/nova/balloc.c (nova_alloc_blocks_in_free_list, for each core by itself)"})
	mechanism(func(s *Setup) *bool { return &s.Host.EntryLoads }, knob.Info{Key: "entry_loads", Label: "PMFS loads only entries that it finds", Help: "Whether searching a directory loads the entry that is found, of 272 bytes, and nothing where there is none; else the page of 4 KiB that is looked through.", Source: "ByteFS artifact, branch baseline, linux/fs/pmfs/namei.c (pmfs_search_dirblock, pmfs_check_dir_entry) and dir.c: all other loads are commented out"})
	mechanism(func(s *Setup) *bool { return &s.Host.InPlace }, knob.Info{Key: "in_place", Label: "NOVA overwrites in place", Help: "Whether NOVA stores what is overwritten where it is, and only that; else it writes whole pages to new places. A power failure is shown of the latter.", Source: "ByteFS artifact, branch baseline, linux/fs/nova/super.c (nova_parse_options, Opt_init: DATA_COW is commented out), utils/setnova.sh (mounted with init alone) and linux/fs/nova/dax.c (do_nova_inplace_file_write)"})
	mechanism(func(s *Setup) *bool { return &s.Host.AsIssued }, knob.Info{Key: "as_issued", Label: "NOVA and PMFS load and store as there", Help: "Whether NOVA and PMFS load and store only what the artifact's do, with names and inodes in the kernel's cache, and count the bytes that they ask for; else they load inodes and entries for every call, NOVA stores all that its journal needs, and whole lines count. A power failure is shown of the latter.", Source: "ByteFS artifact, branch baseline, linux/fs/nova/inode.h (nova_get_inode: its load is commented out), mprotect.h, log.c, namei.c, file.c; linux/fs/pmfs/inode.c (pmfs_find_data_block), wprotect.h; linux/ssd/ftl.c (byte_issue counts size; BYTE_ISSUE_64_ALIGN is 0 in ftl.h)"})
	mechanism(func(s *Setup) *bool { return &s.Device.CountsEmpty }, knob.Info{Key: "counts_empty", Label: "Empty pages count as read", Help: "Whether a page without content that the page buffer of NOVA and PMFS takes in counts as a page read from flash; it takes no time.", Source: "ByteFS artifact, branch baseline, linux/ssd/ftl.c (evict_or_promote_page: buffer_promote counts pages that are not mapped, too)"})
	mechanism(func(s *Setup) *bool { return &s.Host.Inline }, knob.Info{Key: "inline", Label: "F2FS keeps what is small in nodes", Help: "Whether F2FS keeps files of up to 3488 bytes and directories of up to 180 names in the block of their node, so that these have no data or leaves of their own; else each has. A power failure is shown of files outside their nodes.", Source: "Linux 5.1, fs/f2fs/super.c (default_options: INLINE_DATA, INLINE_DENTRY), f2fs.h (MAX_INLINE_DATA, NR_INLINE_DENTRY); ByteFS artifact, branch baseline, utils/setf2fs.sh mounts without options"})
	count(func(s *Setup) *int64 { return &s.Host.Batch }, knob.Info{Key: "write_batch", Label: "Written back at once", Unit: "pages", Min: 1, Max: 1 << 14, Help: "How many pages the background, or who has to write back, writes at once before it waits for them; also blocks that Ext4 writes in place and F2FS from its cache. On an SSD that programs one channel at a time (frontier) it decides how many are at work.", Source: "32: ours, enough to keep eight channels at work; Linux 5.1, fs/fs-writeback.c (MIN_WRITEBACK_PAGES): 1024, and it waits for none"})
	size(func(s *Setup) *unit.Bytes { return &s.Host.OwnCache }, unit.MiB, "MiB", 0, 1024*unit.GiB, knob.Info{Key: "own_cache", Label: "Page cache of ByteFS", Help: "ByteFS' own page cache, which nothing limits; 0 for the same as all others.", Zero: "as that of all others", Source: "ByteFS artifact, branch bytefs: 4,194,304 pages (16384) of its own, which neither drop_caches nor pin_mem touches"})
	mechanism(func(s *Setup) *bool { return &s.Host.BlindWrites }, knob.Info{Key: "blind_writes", Label: "ByteFS writes without reading", Help: "Whether ByteFS changes part of an uncached page without reading the page first. The rest of the page is then lost: no real file system can do that.", Source: branch + ":1012-1017: the read is commented out"})
	mechanism(func(s *Setup) *bool { return &s.FullSync }, knob.Info{Key: "full_sync", Label: "Synchronous writes are O_SYNC", Help: "Whether synchronous writes of oltp make an inode's times durable, too; else they are O_DSYNC.", Source: "Filebench, fileset.c: dsync is O_SYNC but on Solaris"})
	mechanism(func(s *Setup) *bool { return &s.Flowops }, knob.Info{Key: "flowops", Label: "All operations count", Help: "Whether operations of every kind count towards the end of a Filebench run, which makes it a half to a third as long; else only reads and writes count.", Source: "Filebench, flowop.c: flowop_endop counts every one (finishoncount)"})
	span(func(s *Setup) *unit.Time { return &s.ReaderBurn }, us, "µs", 0, sec, knob.Info{Key: "reader_burn", Label: "A reader of oltp computes", Help: "CPU time after every read.", Source: "Filebench, oltp.f: 200,000 rounds of a loop, a nanosecond each (low confidence); optimized, at a store a cycle, 80 at 2.5 GHz"})
	span(func(s *Setup) *unit.Time { return &s.WriterBurn }, us, "µs", 0, sec, knob.Info{Key: "writer_burn", Label: "A writer of oltp computes", Help: "CPU time before every batch of writes.", Source: "Filebench, oltp.f: 10,000 rounds of a loop, a nanosecond each (low confidence)"})
	span(func(s *Setup) *unit.Time { return &s.StoreCost }, us, "µs", 0, sec, knob.Info{Key: "store_cost", Label: "The store computes", Help: "CPU time of an operation of YCSB.", Source: general})

	group = GroupFlash
	size(func(s *Setup) *unit.Bytes { return &s.Device.Capacity }, unit.GiB, "GiB", unit.GiB, 1024*unit.GiB, knob.Info{Key: "capacity", Label: "Capacity", Help: "How much flash the SSD has.", Source: paper + "; as the artifact"})
	count(func(s *Setup) *int64 { return &s.Device.Channels }, knob.Info{Key: "channels", Label: "Channels", Min: 1, Max: 256, Help: "Flash channels; each works on one page at a time.", Source: paper + "; 16 in the artifact"})
	count(func(s *Setup) *int64 { return &s.Device.Pages }, knob.Info{Key: "block_pages", Label: "Pages a block", Min: 8, Max: 1 << 12, Help: "Pages of 4 KiB in a block, which is erased as a whole.", Source: artifact})
	span(func(s *Setup) *unit.Time { return &s.Device.Read }, us, "µs", 0, 10*ms, knob.Info{Key: "read_latency", Label: "Read", Help: "How long a channel needs to read a page.", Source: paper + "; as the artifact"})
	span(func(s *Setup) *unit.Time { return &s.Device.Program }, us, "µs", ns, 10*ms, knob.Info{Key: "program_latency", Label: "Program", Help: "How long a channel needs to program a page.", Source: paper + "; as the artifact"})
	span(func(s *Setup) *unit.Time { return &s.Device.Erase }, us, "µs", 0, 100*ms, knob.Info{Key: "erase_latency", Label: "Erase", Help: "How long a channel needs to erase a block.", Source: artifact + ", which defines but never charges it"})
	mechanism(func(s *Setup) *bool { return &s.Device.ReadsFirst }, knob.Info{Key: "reads_first", Label: "Reads first", Help: "Whether a channel serves reads before programs; else first come, first served.", Source: artifact + ": who comes first"})

	group = GroupBlocks
	span(func(s *Setup) *unit.Time { return &s.Device.Submit }, us, "µs", 0, ms, knob.Info{Key: "submit", Label: "Submission", Help: "Time from the host to the firmware, once a command.", Source: general})
	span(func(s *Setup) *unit.Time { return &s.Device.Firmware }, us, "µs", 0, ms, knob.Info{Key: "firmware", Label: "Firmware", Help: "Time of the firmware, which serves one command at a time, for each page of a block command.", Source: "artifact: one thread serves all commands and sums up each page; how long it takes is " + general})
	span(func(s *Setup) *unit.Time { return &s.Device.Transfer }, us, "µs", 0, ms, knob.Info{Key: "transfer", Label: "Transfer", Help: "Time on the link for each page of a block command, one after the other.", Source: "4 KiB at 3.5 GB/s, the read rate of the paper's Table 1 (medium confidence)"})
	span(func(s *Setup) *unit.Time { return &s.Device.Complete }, us, "µs", 0, ms, knob.Info{Key: "complete", Label: "Completion", Help: "Time from the firmware to the waiting program, once a command.", Source: general})
	count(func(s *Setup) *int64 { return &s.Device.Buffer }, knob.Info{Key: "write_buffer", Label: "Write buffer", Unit: "pages", Min: 1, Max: 1 << 16, Help: "Pages of block writes that the device's protected buffer holds until they are programmed. The scale divides only what is above 64: fewer could not keep the channels busy, which it does not divide.", Source: general + "; 16 MB on the paper's real board"})

	choice(func(s *Setup) *string { return (*string)(&s.Device.Cache) }, knob.Info{
		Key: "cache", Label: "Write buffer without power", Help: "Whether block writes in the write buffer outlive a power failure. Where they do not, Ext4, F2FS and ByteFS flush the buffer before what must not come first, and wait for it.",
		Source: paper + ": its DRAM has a battery; most SSDs of PCs have none",
		Choices: []knob.Choice{
			{Key: string(Protected), Label: "kept", Help: "Capacitors or a battery: a block is durable when it is in the buffer, and file systems mount without barriers."},
			{Key: string(Volatile), Label: "lost", Help: "Any of the blocks that are not flushed may be lost. What goes by bytes is in protected DRAM all the same.", Word: "volatile write buffer"},
		},
	})
	mechanism(func(s *Setup) *bool { return &s.Device.Serves }, knob.Info{Key: "buffer_reads", Label: "Buffer serves reads", Help: "Whether a read is served from the write buffer while the page is still there; else it waits until the page is programmed and reads flash.", Source: "off: " + artifact + "; a real SSD's buffer does"})

	group = GroupBytes
	span(func(s *Setup) *unit.Time { return &s.Device.LineRead }, ns, "ns", 0, ms, knob.Info{Key: "line_read", Label: "Load of a line", Help: "Time to load 64 bytes from the device, for each line of an access.", Source: paper + ", Table 1; 175 ns over CXL"})
	span(func(s *Setup) *unit.Time { return &s.Device.LineWrite }, ns, "ns", 0, ms, knob.Info{Key: "line_write", Label: "Store of a line", Help: "Time to store 64 bytes in the device.", Source: paper + ", Table 1; 175 ns over CXL"})
	span(func(s *Setup) *unit.Time { return &s.Device.Persist }, ns, "ns", 0, ms, knob.Info{Key: "persist", Label: "Persistence point", Help: "Time of the read that makes the posted stores of an access durable, once an access.", Source: "0: the paper does not say whether 0.6 µs a line has it"})
	span(func(s *Setup) *unit.Time { return &s.Device.Commit }, ns, "ns", 0, ms, knob.Info{Key: "commit_time", Label: "COMMIT", Help: "Time of the command that makes a transaction durable.", Source: general})
	size(func(s *Setup) *unit.Bytes { return &s.Device.DRAM }, unit.MiB, "MiB", unit.MiB, 64*unit.GiB, knob.Info{Key: "ssd_dram", Label: "DRAM for data", Help: "The log of ByteFS, or the page buffer of NOVA and PMFS.", Source: paper})
	mechanism(func(s *Setup) *bool { return &s.Device.Shared }, knob.Info{Key: "dram_shared", Label: "DRAM buffers block commands", Help: "Whether the page buffer serves block commands, too, even those of Ext4 and F2FS, which otherwise make no use of it.", Source: "off: the artifact buffers byte accesses only; 256 MB for every file system can be read as on"})
	count(func(s *Setup) *int64 { return &s.Device.LogAt }, knob.Info{Key: "log_at", Label: "Cleaning begins at", Unit: "%", Min: 1, Max: 100, Help: "How full the log, or its half, is when cleaning begins.", Source: paper + "; 75 % in the artifact"})
	mechanism(func(s *Setup) *bool { return &s.Device.Single }, knob.Info{Key: "log_single", Label: "One log buffer", Help: "Whether the log is one ring; else two halves take turns.", Source: paper + ": two; one in the artifact"})

	group = GroupCollect
	count(func(s *Setup) *int64 { return &s.Device.CollectAt }, knob.Info{Key: "gc_start", Label: "Collection begins at", Unit: "%", Max: 50, Help: "Share of a channel's blocks that are free when collection begins there.", Source: artifact})
	count(func(s *Setup) *int64 { return &s.Device.CollectUntil }, knob.Info{Key: "gc_stop", Label: "Collection ends at", Unit: "%", Max: 90, Help: "Share of them that are free when it ends.", Source: artifact})
	count(func(s *Setup) *int64 { return &s.Device.Old }, knob.Info{Key: "old_data", Label: "Other data", Unit: "%", Max: 90, Help: "How full the SSD is beforehand of data that the run does not use.", Source: "0: not published"})
	count(func(s *Setup) *int64 { return &s.Device.Endurance }, knob.Info{Key: "endurance", Label: "Endurance", Unit: "erases", Min: 1, Max: 1 << 30, Help: "How often a block can be erased.", Source: "assumed: cells with three bits"})

	group = GroupStreams
	count(func(s *Setup) *int64 { return &s.Device.Streams }, knob.Info{Key: "streams", Label: "Streams", Min: 1, Max: mostStreams, Help: "How many blocks a channel writes at a time, each for what is written together (Flexible Data Placement). Collected pages stay in their stream unless they have a frontier of their own.", Source: "ours; 1: as " + artifact})
	choice(func(s *Setup) *string { return (*string)(&s.Device.StreamsBy) }, knob.Info{
		Key: "streams_by", Idle: []knob.Idle{{While: "streams=1", Why: "one stream: set streams above 1"}}, Label: "Streams are told apart", Help: "Who says which stream a write belongs to, where there are several.", Source: "ours",
		Choices: []knob.Choice{
			{Key: string(Told), Label: "by the host", Help: "Each volume, file or device of a recording of requests has its own, in turns; the hot and the cold data of a generated one; of file systems data have one, and all else the next.", Word: "-"},
			{Key: string(ByHeat), Label: "by heat", Help: "The SSD tells by how many writes ago a page was written before: less than half the pages it has is one stream, an eighth of them the next, and so on.", Word: "streams by heat"},
		},
	})
	mechanism(func(s *Setup) *bool { return &s.Device.CollectOwn }, knob.Info{Key: "gc_frontier", Label: "Collection has its own frontier", Help: "Whether what garbage collection copies goes to blocks of its own; else beside what is written.", Source: "off: as " + artifact + "; SSDs have one"})

	group = GroupAlone
	add(knob.Int(knob.Info{Key: "spare", Label: "Over-provisioning", Unit: "%", Scale: 10, Min: 20, Max: 4000, Help: "Flash beyond the capacity, which collection works with. It decides for requests to the SSD alone; file systems have what “Collection ends at” keeps free.", Source: "ours: 7 is that of a consumer drive (GiB of flash sold as GB); 28 of one for servers"}, func(s *Setup) *int64 { return &s.Device.Spare }))
	choice(func(s *Setup) *string { return (*string)(&s.Device.History) }, knob.Info{
		Key: "history", Label: "Written before", Help: "What the SSD has behind it when the run begins, without time or counts. It decides for requests to the SSD alone.", Source: "ours; as SNIA's Performance Test Specification has it: preconditioning that depends on the workload",
		Choices: []knob.Choice{
			{Key: string(ByItself), Label: "the same, for long", Help: "Every page once, then the writes of the run over and over, three times what the flash holds: a steady state.", Word: "-"},
			{Key: string(Scattered), Label: "pages at random", Help: "Every page once, then pages at random, three times what the flash holds.", Word: "written at random before"},
			{Key: string(Filled), Label: "every page once", Help: "In the order of their numbers.", Word: "filled before"},
			{Key: string(Empty), Label: "nothing", Help: "A new SSD: pages that were not written are read without flash.", Word: "new"},
		},
	})
	count(func(s *Setup) *int64 { return &s.Device.Depth }, knob.Info{Key: "queue_depth", Label: "Queue depth", Unit: "requests", Min: 1, Max: mostDepth, Help: "How many requests are under way at once, at most: each that is answered makes room for the next. It decides for requests to the SSD alone.", Source: "ours: 32, as usual in data sheets"})

	group = GroupHost
	count(func(s *Setup) *int64 { return &s.Host.Cores }, knob.Info{Key: "cores", Label: "Cores", Min: 1, Max: 1024, Help: "Cores that run threads and file systems; a thread that finds none free waits. NOVA also keeps a journal for each.", Source: paper + ": 28-core Xeon"})
	size(func(s *Setup) *unit.Bytes { return &s.Host.Cache }, unit.MiB, "MiB", unit.MiB, 1024*unit.GiB, knob.Info{Key: "page_cache", Label: "Page cache", Help: "Host memory for pages of files and metadata.", Source: general + "; the artifact pins memory until 4096 are left (utils/filebench_run.sh:293)"})
	count(func(s *Setup) *int64 { return &s.Host.MetaShare }, knob.Info{Key: "meta_share", Label: "Metadata's share", Unit: "%", Min: 1, Max: 99, Help: "How much of the page cache metadata may take. Data never push them out below that.", Source: general + "; 75 of 4 GiB in two NUMA nodes, which its 28 cores suggest: Linux 4.19 and 5.4 alike, mm/vmscan.c (inactive_list_is_low), where pages that were used twice have three times what others have, in a node with one whole GiB of files"})

	group = GroupCalls
	cost := func(ref func(*Setup) *unit.Time, key, label, help, source string) {
		span(ref, us, "µs", 0, 10*ms, knob.Info{Key: key, Label: label, Help: help, Source: source})
	}
	cost(func(s *Setup) *unit.Time { return &s.Host.Generator }, "generator", "Benchmark program", "CPU time of the benchmark program itself around a call. A recording has none.", "from the artifact's run of stat: 2 µs a call, 565 thousand a second with 8 threads (low confidence)")
	cost(func(s *Setup) *unit.Time { return &s.Host.Serial }, "generator_serial", "Benchmark program, serial", "The part of it that only one thread at a time can do. A recording has none.", "from the artifact's run of stat (low confidence)")
	cost(func(s *Setup) *unit.Time { return &s.Host.Open }, "open_cost", "Open, stat", "CPU time of a call.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Close }, "close_cost", "Close", "CPU time of a call.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.ReadCall }, "read_cost", "Read", "CPU time of a call.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.ReadPage }, "read_page", "Read, a page", "CPU time for each page of a call.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.WriteCall }, "write_cost", "Write", "CPU time of a call.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.WritePage }, "write_page", "Write, a page", "CPU time for each page of a call.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Fsync }, "fsync_cost", "Fsync", "CPU time of a call.", general)

	group = GroupSystems
	cost(func(s *Setup) *unit.Time { return &s.Host.Section }, "section", "Lock of a directory", "CPU time of a create, delete or rename while it locks the directory.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.NamespaceByteFS }, "ns_bytefs", "Create, delete (ByteFS)", "CPU time of a create or delete outside the directory's lock.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.NamespaceExt4 }, "ns_ext4", "Create, delete (Ext4)", "CPU time of a create or delete outside the directory's lock.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.NamespaceF2FS }, "ns_f2fs", "Create, delete (F2FS)", "CPU time of a create or delete outside the directory's lock.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.NamespaceNOVA }, "ns_nova", "Create, delete (NOVA)", "CPU time of a create or delete outside the directory's lock.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.NamespacePMFS }, "ns_pmfs", "Create, delete (PMFS)", "CPU time of a create or delete outside the directory's lock.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Handle }, "handle", "Joining a transaction (Ext4)", "Time that a write takes to join a transaction of the journal.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Wake }, "wake", "Waking the journal (Ext4)", "Time from a thread to the journal's thread, and back.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Copy }, "journal_copy", "Copy into the journal (Ext4)", "CPU time for each block.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Duplicate }, "duplicate", "Duplicate of a page (ByteFS)", "CPU time to copy a clean page when it is first written.", general)
	cost(func(s *Setup) *unit.Time { return &s.Host.Compare }, "compare", "Comparison of a page (ByteFS)", "CPU time to compare a page with its duplicate before it is written back.", "ByteFS: 936 cycles (medium confidence)")

	group = GroupWriting
	count(func(s *Setup) *int64 { return &s.Host.Background }, knob.Info{Key: "dirty_background", Label: "Write-back begins at", Unit: "%", Min: 1, Max: 100, Help: "Share of dirty pages in the page cache at which they are written in the background.", Source: general + ": Linux's default"})
	count(func(s *Setup) *int64 { return &s.Host.Limit }, knob.Info{Key: "dirty_limit", Label: "Writers write back at", Unit: "%", Min: 1, Max: 100, Help: "Share of dirty pages at which writers have to write pages back themselves.", Source: general + ": Linux's default"})
	timer := func(ref func(*Setup) *unit.Time, key, label, help string) {
		span(ref, sec, "s", ms, 3600*sec, knob.Info{Key: key, Label: label, Help: help, Source: general + ": the system's default"})
	}
	timer(func(s *Setup) *unit.Time { return &s.Host.Expire }, "expire", "Pages expire after", "Age at which a dirty page is written in the background; at the same age Ext4 writes committed metadata in place. The scale divides it, as it does all timers.")
	timer(func(s *Setup) *unit.Time { return &s.Host.Commit }, "commit_interval", "Commit interval (Ext4)", "Time between commits of the journal.")
	timer(func(s *Setup) *unit.Time { return &s.Host.Checkpoint }, "checkpoint_interval", "Checkpoint interval (F2FS)", "Time between checkpoints. The bundled workloads end, or need one, earlier: it matters for recordings that last longer.")
	size(func(s *Setup) *unit.Bytes { return &s.Host.Journal }, unit.MiB, "MiB", unit.MiB, 16*unit.GiB, knob.Info{Key: "journal", Label: "Journal (Ext4)", Help: "How much of the SSD the journal takes.", Source: general + ": mkfs's default for this capacity"})
	count(func(s *Setup) *int64 { return &s.Host.ByteLimit }, knob.Info{Key: "byte_limit", Label: "By bytes below (ByteFS)", Unit: "lines", Max: 65, Help: "A page with fewer changed lines is written by bytes, any other as a block. Where programs write zeros, as in the bundled workloads, pages change entirely or not at all: it matters with a share of changed lines.", Source: paper + ": 8 of 64; 17 in the artifact"})
	size(func(s *Setup) *unit.Bytes { return &s.Host.DirectLimit }, 1, "bytes", 0, 4096, knob.Info{Key: "direct_limit", Label: "Direct by bytes up to (ByteFS)", Help: "Direct writes up to this size go by bytes, larger ones as blocks. No bundled workload makes direct writes; recordings may.", Source: paper + "; the artifact has no direct access"})

	group = GroupTable
	add(knob.Knob[Setup]{Info: tableKnob(), Word: func(s *Setup) *string { return (*string)(&s.Table) }})
	return ks
}

// known are the knobs, made once: every run asks.
var known = Knobs()

// Validate reports every number that is out of range, and what contradicts.
func (s *Setup) Validate() error {
	var errs []error
	for _, k := range known {
		if k.Key != "scale" || s.Scale < 1 || s.Scale > 4096 { // one that no form offers is as good
			errs = append(errs, k.Check(s))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if s.Quirks&^Quirks.All() != 0 {
		bad("quirks has bits of no quirk")
	}
	d, h, r := &s.Device, &s.Host, s.Scaled()
	const more = "more of the workload (scale) or a larger value would help"
	if blocks := int64(r.Device.Capacity/unit.Page) / (d.Channels * d.Pages); blocks < leastBlocks {
		bad("Capacity (capacity) of %v is %d blocks a channel at scale 1/%d; it needs %d: %s, or fewer channels or pages a block", d.Capacity, blocks, s.Scale, leastBlocks, more)
	}
	for _, v := range []struct {
		what        string
		full, size  unit.Bytes
		least, most unit.Bytes
	}{
		{"Capacity (capacity)", d.Capacity, r.Device.Capacity, 0, mostCapacity},
		{"DRAM for data (ssd_dram)", d.DRAM, r.Device.DRAM, leastPages * unit.Page, mostDRAM},
		{"Page cache (page_cache)", h.Cache, r.Host.Cache, 4 * leastPages * unit.Page, mostCache},
		{"Page cache of ByteFS (own_cache)", h.OwnCache, r.Host.OwnCache, 0, mostCache},
		{"Journal (journal)", h.Journal, r.Host.Journal, leastPages * unit.Page, mostCapacity / 4},
	} {
		if v.size < v.least {
			bad("%s of %v is %v at scale 1/%d; it needs %v: %s", v.what, v.full, v.size, s.Scale, v.least, more)
		}
		if v.size > v.most {
			bad("%s of %v is %v at scale 1/%d; a run has room for %v: less of the workload (scale) would help", v.what, v.full, v.size, s.Scale, v.most)
		}
	}
	if h.Journal > d.Capacity/4 {
		bad("Journal (journal) of %v takes more than a quarter of the capacity, %v: a smaller one or more capacity would help", h.Journal, d.Capacity)
	}
	if d.CollectAt > d.CollectUntil {
		bad("Collection begins with %d %% free blocks (gc_start) and ends with %d %% (gc_stop); it must end with as many or more", d.CollectAt, d.CollectUntil)
	}
	if d.Old+d.CollectUntil >= 100 {
		bad("Other data (old_data) of %d %% leaves no room for the %d %% free blocks that end collection (gc_stop): less of either would help", d.Old, d.CollectUntil)
	}
	if h.Background > h.Limit {
		bad("Write-back begins with %d %% dirty pages (dirty_background), after writers have to do it themselves at %d %% (dirty_limit); it must begin with as many or fewer", h.Background, h.Limit)
	}
	return errors.Join(errs...)
}
