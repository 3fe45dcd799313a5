package cxlssd

import (
	"strings"

	core "spillway/sim/cxlssd"
	"spillway/ui/lab"
)

// Where several words come from.
const (
	skybytePaper = "SkyByte, HPCA 2025"
	cxlSpec      = "Compute Express Link specification"
)

// glossary are the laboratory's words.
func glossary() []lab.Term {
	return []lab.Term{
		{Name: "AMAT", Is: "Average memory access time: the sum of the latencies of all requests over their number.", Source: "Hennessy and Patterson, Computer Architecture"},
		{Name: "Artifact", Is: "The simulator that a paper's authors published, including what it does that the paper does not say.", Source: skybytePaper + ", artifact appendix"},
		{Name: "Channel", Is: "One of the device's buses to its flash chips; all of them work at once."},
		{Name: "Coalescing read", Is: "The read of a page from flash by a compaction, because not all its lines are in the log.", Source: skybytePaper},
		{Name: "Compaction", Is: "Taking lines out of the write log: all those of a page are merged with the page, which is programmed once.", Source: skybytePaper},
		{Name: "Context switch threshold", Is: "How long a read of the device must take for the thread to leave its core while it waits.", Source: skybytePaper},
		{Name: "Cost-effectiveness", Is: "A design's share of the speed of DRAM alone over its share of the cost."},
		{Name: "CXL.mem", Is: "The protocol with which a processor reads and writes the memory of a device as its own, line by line.", Source: cxlSpec},
		{Name: "CXL-SSD", Is: "Flash with a cache of DRAM that a processor uses as memory over CXL.mem.", Source: skybytePaper},
		{Name: "Demotion", Is: "Moving a page from host DRAM back to the device, to make room for another."},
		{Name: "Die", Is: "A piece of flash that works on one operation at a time."},
		{Name: "Garbage collection", Is: "Copying what is valid out of flash blocks so that they can be erased and written again."},
		{Name: "Line", Is: "A cache line of a processor, 64 bytes: what it asks memory for."},
		{Name: "LUN", Is: "Logical unit: a part of a flash chip that takes commands of its own, here a die.", Source: "ONFI specification"},
		{Name: "MLP", Is: "Memory-level parallelism: how many requests of a thread are under way at a time."},
		{Name: "Program", Is: "Writing a page of flash, which takes many times as long as reading it."},
		{Name: "Promotion", Is: "Moving a page that is asked for often from the device to host DRAM.", Source: skybytePaper},
		{Name: "Repeated trigger", Is: "A context switch on a read that switched before and is still not there when its thread runs again."},
		{Name: "TPP", Is: "Transparent page placement: promotion of pages that a sampling scan of the system finds in use.", Source: "Maruf et al., TPP, ASPLOS 2023"},
		{Name: "Write log", Is: "A part of the device's DRAM that takes written lines one after the other, so that a write needs no flash.", Source: skybytePaper},
	}
}

// of is a value at the stop itself.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// tour shows the laboratory in some three minutes.
func tour() []lab.Stop {
	const base, full = "base-cssd", "skybyte-full"
	return []lab.Stop{
		{
			Key: "flash", Title: "Memory that is flash", Look: "drawing",
			Say:   "A key-value store whose memory is a CXL-SSD: {knob ssd_dram} of DRAM in front of flash that needs {knob flash_read} to read a page and {knob flash_program} to program one. Without more help, as Base-CSSD, it reaches {base-cssd of_ideal} of the speed of DRAM.",
			Facts: []lab.Fact{{Left: of("dram-only", "of_ideal"), Right: of(base, "of_ideal"), Times: 2}},
		},
		{
			Key: "bill", Title: "The bill of a request", Look: "section-bill", Show: "focus=base-cssd",
			Say: "Few requests miss, {base-cssd share_missed}, but they cost so much that the average request takes {base-cssd amat_ns}. Of that {base-cssd amat_flash_ns} is the flash itself; {base-cssd amat_queue_ns} is its queue, where reads wait behind programs of pages that leave the cache.",
			Facts: []lab.Fact{
				{Left: of(base, "amat_queue_ns"), Right: of(base, "amat_flash_ns"), Times: 3},
				{Left: of(base, "amat_queue_ns"), Right: of(base, "amat_ns"), Times: 0.4},
			},
		},
		{
			Key: "promote", Title: "Pages that come closer", Look: "section-page", Preset: "graph-centrality", Show: "focus=skybyte-p",
			Say: "A graph program visits the same pages again and again. SkyByte-P moves a page to host DRAM after some hits, and then {skybyte-p share_host} of the requests never reach the device: {skybyte-p time_ms} instead of {base-cssd time_ms}. Open the section to follow one page.",
			Facts: []lab.Fact{
				{Left: of("skybyte-p", "share_host"), Right: of(base, "share_host")},
				{Left: of(base, "time_ms"), Right: of("skybyte-p", "time_ms"), Times: 4},
			},
		},
		{
			Key: "log", Title: "A log for writes", Look: "section-log", Preset: "radix-sort", Show: "focus=skybyte-w",
			Say: "A sort of keys. Base-CSSD programs every page that leaves its cache, as the published simulator has it: {base-cssd flash_programs} times. SkyByte-W, which drops nothing, appends written lines to a log, and programs a page once for all of them: {skybyte-w flash_programs} times, and {skybyte-w left_pages} more pages are still in its log at the end. The queue falls from {base-cssd amat_queue_ns} a request to {skybyte-w amat_queue_ns}. Open the section to see the log fill.",
			Facts: []lab.Fact{
				{Left: of(base, "flash_programs"), Right: of("skybyte-w", "flash_programs"), Times: 10},
				{Left: of(base, "amat_queue_ns"), Right: of("skybyte-w", "amat_queue_ns"), Times: 4},
				{Left: of(base, "time_ms"), Right: of("skybyte-w", "time_ms"), Times: 1.3},
			},
		},
		{
			Key: "switch", Title: "Another thread while one waits", Look: "section-threads", Preset: "radix-sort", Show: "focus=skybyte-c",
			Say: "SkyByte-C tells the core that a read will take long, and the core runs another of more threads: the time falls from {base-cssd time_ms} to {skybyte-c time_ms}. It switches {skybyte-c switches} times for {skybyte-c flash_reads} reads, because many pages are not there yet when their thread runs again.",
			Facts: []lab.Fact{
				{Left: of(base, "time_ms"), Right: of("skybyte-c", "time_ms"), Times: 1.5},
				{Left: of("skybyte-c", "switches"), Right: of("skybyte-c", "flash_reads"), Times: 3},
				{Left: of(base, "imbalance"), Right: of("skybyte-c", "imbalance"), Times: 1.5},
			},
		},
		{
			Key: "all", Title: "All three", Look: "figure-speed", Preset: "key-value-store",
			Say: "Each mechanism removes what another leaves, and some of it twice. SkyByte-Full has {skybyte-full of_ideal} of DRAM's speed, without switches {skybyte-wp of_ideal}, with the log alone {skybyte-w of_ideal}; without the log it is level, {skybyte-cp of_ideal}. Designs with a log and promotion drop dirty pages, as the published simulator does: the section What is dropped has both ends.",
			Facts: []lab.Fact{
				{Left: of(full, "of_ideal"), Right: of("skybyte-wp", "of_ideal"), Times: 1.05},
				{Left: of(full, "of_ideal"), Right: of("skybyte-w", "of_ideal"), Times: 1.2},
				{Left: of("skybyte-cp", "of_ideal"), Right: of(base, "of_ideal"), Times: 2},
			},
		},
		{
			Key: "cost", Title: "DRAM or flash", Look: "section-cost", Preset: "dram-or-flash",
			Say: "For a key-value store: DRAM as large as the flash costs {dram-only price}, SkyByte-Full {skybyte-full price}, and for its price it does {skybyte-full cost_effect} what DRAM does. Written without pause as by Base-CSSD the flash lasts {base-cssd life_years}; of designs with a log that is said only where the log is compacted within the run, which here only fills it.",
			Facts: []lab.Fact{
				{Left: of("dram-only", "price"), Right: of(full, "price"), Times: 10},
				{Left: of(full, "cost_effect"), Right: of("dram-only", "cost_effect"), Times: 5},
				{Left: of(base, "life_years")},
			},
		},
		{
			Key: "threads", Title: "What if: more threads", Preset: "radix-sort", Look: "ask-run", Show: "view=whatif ask=vary ask-vary=threads ask-values=8,16,24,32,48",
			Say: "How many threads it takes to hide flash: the button runs the question for every design. How large the log has to be, how much DRAM the device needs, or what cheaper flash costs is asked in the same way, of any setting.",
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce figure=skybyte.14",
			Say: "Each figure of the paper is computed here and compared with what was published, cell by cell; the button runs it. The published simulator does not do all that its paper says: each difference is a numbered switch under Fidelity. That was the tour: drop an address trace of your own, Undo brings your settings back.",
		},
	}
}

func help() []lab.Help {
	return []lab.Help{
		{Title: "The device", Text: "A processor asks for lines of 64 bytes over the CXL link. The device looks them up in its DRAM, a cache of pages and, in some designs, a log of written lines; what is in neither is read from flash, a page of 4 KiB at a time."},
		{Title: "Three mechanisms", Text: "The log takes writes without flash and programs a page once for all its lines (W). A long read makes the core switch to another thread (C). Pages that are hit often move to host DRAM (P). SkyByte-Full has all three; under Device any combination can be made."},
		{Title: "Scale", Text: "Footprint, cache, log, host DRAM and instructions are divided alike, latencies and threads are not. Times are those of the part that runs. How much they change: at a quarter, where most workloads run, " + lowered(core.Deviates(4)) + " At 1/64, " + lowered(core.Deviates(64))},
		{Title: "Artifact and paper", Text: "The published simulator differs from its paper in some places. Each is a numbered switch under Fidelity; a section below shows what each does to the run."},
		{Title: "Your own trace", Text: "Address traces of perf, DynamoRIO, Valgrind's Lackey and gem5, and Spillway's own text: a line for each request with thread, gap, address and R or W. The profile says what is in it."},
	}
}

// lowered is a sentence as the rest of one.
func lowered(s string) string { return strings.ToLower(s[:1]) + s[1:] }
