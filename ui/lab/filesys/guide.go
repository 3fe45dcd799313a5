package filesys

import "spillway/ui/lab"

// Where several words come from.
const (
	byteFSPaper = "ByteFS, ASPLOS 2025"
	nvme        = "NVM Express specification"
)

// glossary are the laboratory's words.
func glossary() []lab.Term {
	return []lab.Term{
		{Name: "Acknowledgement", Is: "The answer to a write: once the device's protected buffer has it, or once flash has been programmed."},
		{Name: "Artifact", Is: "The programs that a paper's authors published, including what they do that the paper does not say.", Source: byteFSPaper + ", artifact appendix"},
		{Name: "Block", Is: "4 KiB, the least that a block command moves between host and SSD."},
		{Name: "Checkpoint", Is: "The moment at which F2FS writes down where everything is; what came after it is found again by scanning nodes.", Source: "Lee et al., F2FS, FAST 2015"},
		{Name: "Cleaning", Is: "Emptying half of the log: a page's lines are merged into the page, which is programmed once.", Source: byteFSPaper},
		{Name: "COMMIT", Is: "The command that makes all lines of a transaction durable together.", Source: byteFSPaper},
		{Name: "Coordinated caching", Is: "Pages that are read stay in the host's cache only, which leaves the SSD's memory to the log.", Source: byteFSPaper},
		{Name: "Duplicate", Is: "A copy of a cached page from before it was changed; comparing the two tells which lines changed.", Source: byteFSPaper},
		{Name: "Fresh page", Is: "A page that is new to its file, so nothing is known of what it held."},
		{Name: "fsync", Is: "The call that returns when all data of a file are durable.", Source: "POSIX"},
		{Name: "Garbage collection", Is: "Copying what is still valid of a block of flash, so that it can be erased and written again."},
		{Name: "Inode", Is: "What a file system knows of a file besides its name and its data: size, times, where the data are."},
		{Name: "Journal", Is: "An area to which changes of metadata are written before they are written in place, so that a crash leaves all of a change or none.", Source: "Ext4's jbd2"},
		{Name: "Line", Is: "64 bytes, the least that a load or a store moves between processor and SSD."},
		{Name: "Memory-semantic SSD", Is: "An SSD that takes loads and stores besides block commands, over PCIe or CXL.", Source: byteFSPaper},
		{Name: "Metadata", Is: "All that a file system writes besides data of files: inodes, names, bitmaps, pointers, a journal."},
		{Name: "Over-provisioning", Is: "Flash that an SSD has beyond its capacity, so that collection finds blocks with little to copy."},
		{Name: "Page buffer", Is: "The SSD's memory as a cache of pages for loads and stores; a miss reads the page from flash."},
		{Name: "Payload", Is: "What programs write; whether an overwrite changes anything decides what has to be sent."},
		{Name: "Program", Is: "Writing a page of flash, which takes longer than reading it."},
		{Name: "Stream", Is: "Writes that the SSD puts into blocks of their own, as they are expected to be overwritten together.", Source: "NVMe, Flexible Data Placement"},
		{Name: "Write amplification", Is: "What is written to a device over what programs asked to be written."},
		{Name: "Write log", Is: "The SSD's memory as a log of stored lines, which is cleaned into flash page by page.", Source: byteFSPaper},
	}
}

// of is a value at the stop itself.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// tour shows the laboratory in some three minutes.
func tour() []lab.Stop {
	return []lab.Stop{
		{
			Key: "create", Title: "A small file, made durable", Look: "figure-throughput",
			Say:   "Threads create files of one block each and call fsync. Ext4 answers {ext4 kops}, F2FS {f2fs kops}, ByteFS {bytefs kops}.",
			Facts: []lab.Fact{{Left: of("bytefs", "kops"), Right: of("ext4", "kops"), Times: 2}, {Left: of("bytefs", "kops"), Right: of("f2fs", "kops"), Times: 1.5}},
		},
		{
			Key: "operation", Title: "One create, in every file system", Look: "section-operation", Show: "focus=ext4",
			Say: "A create changes a few lines: an inode, a name, a bit. ByteFS stores those lines, {bytefs byte_write_mb} by bytes beside {bytefs block_write_mb} of data as blocks; Ext4 joins whole blocks to a transaction of its journal. Of metadata ByteFS moves {bytefs meta_mb} here, Ext4 {ext4 meta_mb}.",
			Facts: []lab.Fact{
				{Left: of("ext4", "meta_mb"), Right: of("bytefs", "meta_mb"), Times: 10},
				{Left: of("bytefs", "block_write_mb"), Right: of("bytefs", "byte_write_mb")},
				{Left: of("bytefs", "byte_write_mb")},
			},
		},
		{
			Key: "mail", Title: "The log gathers lines", Look: "section-log", Preset: "mail-server",
			Say:   "A mail server. Stored lines go into a log in the SSD's memory. When half of it is full, its pages are cleaned: each is programmed once, with {bytefs lines_per_program} on average.",
			Facts: []lab.Fact{{Left: of("bytefs", "swaps")}, {Left: of("bytefs", "kops"), Right: of("ext4", "kops")}},
		},
		{
			Key: "server", Title: "Where it does not help", Look: "headline", Preset: "file-server",
			Say:   "A file server writes larger files and never waits for them. Like for like ByteFS answers {bytefs kops}, F2FS {f2fs kops}: data decide, and they go as blocks everywhere.",
			Facts: []lab.Fact{{Left: of("f2fs", "kops"), Right: of("bytefs", "kops"), Times: 0.7}},
		},
		{
			Key: "zeros", Title: "What programs write", Look: "section-factors", Preset: "database",
			Say:   "A database as Filebench has it, which writes zeros over zeros. ByteFS compares each page with a copy of what it was and finds nothing changed, so it writes {bytefs host_write_mb} where Ext4 writes {ext4 host_write_mb}. The section shows what is left of that when every write differs, and turns two more settings: all eight combinations.",
			Facts: []lab.Fact{{Left: of("ext4", "host_write_mb"), Right: of("bytefs", "host_write_mb"), Times: 5}, {Left: of("bytefs", "kops"), Right: of("ext4", "kops"), Times: 1.2}},
		},
		{
			Key: "cxl", Title: "A faster link", Look: "figure-throughput", Preset: "cxl-link",
			Say:   "Over CXL a line takes {knob line_read} instead of microseconds, with the same flash. PMFS and NOVA, which load line by line, gain most: PMFS answers {pmfs kops}, NOVA {nova kops}. ByteFS stores a few lines a call and answers {bytefs kops}, as without it.",
			Facts: []lab.Fact{{Left: of("bytefs", "kops"), Right: of("pmfs", "kops")}, {Left: of("pmfs", "kops"), Right: of("nova", "kops")}},
		},
		{
			Key: "logs", Title: "What if: another log", Preset: "log-size", Look: "ask-run", Show: "view=whatif ask=vary ask-vary=ssd_dram ask-values=64,128,256,512",
			Say: "How large the log has to be, and what a page buffer makes of the same memory. The button runs it.",
		},
		{
			Key: "crash", Title: "When the power fails", Look: "section-crash", Preset: "mail-server", Show: "focus=bytefs",
			Say: "What fsync promised must be there after a power failure. The section below cuts the power at a moment that you choose, lets the file system recover, and says what is left.",
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce figure=bytefs.6",
			Say: "What the paper's text says in numbers and a simulator can measure is computed here and compared with what was published; the rest is listed with the reason. That was the tour: drop a trace of your own, Undo brings your settings back.",
		},
	}
}

func help() []lab.Help {
	return []lab.Help{
		{Title: "The SSD", Text: "It takes block commands of 4 KiB and, over the same link, loads and stores of lines of 64 bytes. Its memory is a log of lines (ByteFS), a buffer of pages (NOVA, PMFS), or not used (Ext4, F2FS). Flash is programmed by pages of 4 KiB."},
		{Title: "The file systems", Text: "ByteFS stores metadata by bytes and reads it as blocks, writes a page of data by bytes if fewer than 8 of its 64 lines changed, and ends each change with COMMIT. Ext4 has an ordered journal, F2FS writes everything to new places and a checkpoint now and then, NOVA has a log for every inode and copies on write, PMFS changes everything in place."},
		{Title: "What decides the comparison", Text: "How it is measured decides who is ahead. The paper's emulated SSD writes one channel at a time, its script leaves 4 GiB of memory and warms caches, Filebench writes zeros: each can be read in the artifact and is a setting with its source. The device “ByteFS as it was measured” sets them all; the section How it was measured adds them one after the other. At first they are off, because an SSD that you can buy writes all its channels at once."},
		{Title: "The SSD alone", Text: "Requests of blocks go to the same SSD without a file system: generated ones, at random, hot and cold or in a row, or a recording of a device. Choose The SSD alone as the system. Before the run it has been written for long; over-provisioning, streams and a frontier of its own decide what garbage collection costs, which latencies, write amplification and wear show."},
		{Title: "Scale", Text: "Files, calls, capacity, log, page cache, journal and all timers are divided alike; latencies, threads, directories and the first 64 pages of the write buffer are not. Rates and ratios hardly move from 1/256 to 1/16; amounts are those of the part that runs."},
		{Title: "Your own trace", Text: "strace -f -ttt -y of any program, fio's iolog, and Spillway's own text, a call a line. Requests of a device (blkparse text, fio on /dev, tables of MSR Cambridge and SPC) go to the SSD alone. Files that are not created in a trace existed before it. Lines that are not understood are counted and shown. What was written is not in a trace: Payload says how much of it changed."},
	}
}
