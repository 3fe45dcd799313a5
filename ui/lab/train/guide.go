package train

import "spillway/ui/lab"

// Papers that several words come from.
const (
	g10Paper    = "Zhang et al., G10, MICRO 2023"
	deepumPaper = "Jung et al., DeepUM, ASPLOS 2023"
	cudaGuide   = "NVIDIA, CUDA C++ Programming Guide"
)

// glossary are the laboratory's words.
func glossary() []lab.Term {
	return []lab.Term{
		{Name: "Activation", Is: "What a layer computes on the way forward and its gradient needs on the way back."},
		{Name: "As published", Is: "With the published simulator's accidents on, so that numbers compare with the paper's."},
		{Name: "Buddy memory", Is: "Memory behind a link of its own that holds what does not fit into an entry's slot when it is compressed.", Source: "Choukse et al., Buddy Compression, ISCA 2020"},
		{Name: "Caching allocator", Is: "What gives tensors their addresses in PyTorch: it keeps freed memory in blocks for the next of that size.", Source: "PyTorch documentation, CUDA semantics"},
		{Name: "Corrected", Is: "What the paper describes, on one engine for all systems, with every accident off."},
		{Name: "Correlation prefetching", Is: "Bringing what came after the last fault the last time; tables remember which faults follow which.", Source: deepumPaper},
		{Name: "Garbage", Is: "Pages that move between GPU and host although no tensor in them is alive."},
		{Name: "Inactive period", Is: "The time between two uses of a tensor, in which it need not be in GPU memory.", Source: g10Paper},
		{Name: "Invalidation", Is: "Giving up a UM block without copying it, because none of its memory is in use.", Source: deepumPaper},
		{Name: "Kernel", Is: "One program that the GPU runs to its end; an iteration is a sequence of them."},
		{Name: "Look-ahead", Is: "How many kernels ahead a prefetcher brings data; DeepUM calls it the degree of prefetching.", Source: deepumPaper},
		{Name: "Normalized throughput", Is: "Ideal iteration time over iteration time; 1 is as fast as a GPU that holds everything.", Source: g10Paper},
		{Name: "Optimizer state", Is: "What an optimizer keeps for every parameter between iterations, such as Adam's two moments.", Source: "Kingma and Ba, Adam, ICLR 2015"},
		{Name: "Overlap", Is: "Time in which kernels run while data moves."},
		{Name: "Page fault", Is: "A kernel's wait for a page that is not in GPU memory, which the driver then brings.", Source: cudaGuide},
		{Name: "Pre-eviction", Is: "Making room before anything needs it, so that what comes does not wait for what goes.", Source: deepumPaper},
		{Name: "PT block", Is: "A block of PyTorch's caching allocator: a piece of memory that one tensor has or had.", Source: deepumPaper},
		{Name: "Quirk", Is: "One accident of the published simulator, with a name and a switch."},
		{Name: "Recomputation", Is: "Running kernels of the forward pass again instead of keeping, or moving, what they computed.", Source: "Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016"},
		{Name: "Roofline model", Is: "An estimate of a kernel's time from its arithmetic and its bytes, by whichever takes longer.", Source: "Williams, Waterman and Patterson, Roofline, CACM 2009"},
		{Name: "Stall", Is: "Time in which kernels wait for data."},
		{Name: "Tensor vitality", Is: "When each tensor is born, used and dead, known before an iteration runs.", Source: g10Paper},
		{Name: "UM block", Is: "2 MiB of addresses in unified memory, the driver's unit of migration.", Source: deepumPaper},
		{Name: "Unified memory", Is: "One address space of host and GPU whose pages move on demand; UVM is its driver.", Source: cudaGuide},
		{Name: "Write amplification", Is: "Bytes that an SSD writes to flash over bytes that it was given, above 1 because of garbage collection.", Source: "Hu et al., Write amplification analysis in flash-based solid state drives, SYSTOR 2009"},
	}
}

// of is a value at the stop itself.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// tour shows the laboratory in some two minutes.
func tour() []lab.Stop {
	return []lab.Stop{
		{
			Key: "short", Title: "It does not fit", Look: "drawing",
			Say:   "GPT-2 XL with Adam needs {g10 needed_bytes} at once; this card has {knob gpu_memory}. The rest must wait in host memory or on the SSD, and come back over the links.",
			Facts: []lab.Fact{{Left: of("g10", "needed_bytes"), Right: of("g10", "peak_gpu_bytes")}},
		},
		{
			Key: "who", Title: "Who keeps up", Look: "figure-throughput",
			Say: "A bar that reaches 1 is as fast as a GPU that holds everything. Base UVM brings data when a kernel already waits for it: {uvm normalized_throughput}. DeepUM+ guesses what comes next: {deepum+ normalized_throughput}. G10 knows, and brings it before: {g10 normalized_throughput}.",
			Facts: []lab.Fact{
				{Left: of("deepum+", "normalized_throughput"), Right: of("uvm", "normalized_throughput"), Times: 5},
				{Left: of("g10", "normalized_throughput"), Right: of("deepum+", "normalized_throughput"), Times: 1.2},
			},
		},
		{
			Key: "why", Title: "Why the others wait", Look: "figure-causes",
			Say: "Every moment beyond ideal has one cause. Base UVM spends most of its {uvm iteration_s} handling page faults, {uvm beyond_ideal_fault_handling_s}. G10-GDS, which has only the SSD, waits most for room on the card, {g10-gds beyond_ideal_eviction_s}: what must leave goes to a drive that sustains {knob ssd_write}.",
			Facts: []lab.Fact{
				{Left: of("uvm", "beyond_ideal_fault_handling_s"), Right: of("uvm", "iteration_s"), Times: 0.5},
				{Left: of("g10-gds", "beyond_ideal_eviction_s"), Right: of("g10-gds", "beyond_ideal_allocation_s")},
				{Left: of("g10-gds", "beyond_ideal_eviction_s"), Right: of("g10-gds", "beyond_ideal_ssd_read_s")},
				{Left: of("g10-gds", "beyond_ideal_eviction_s"), Right: of("g10-gds", "beyond_ideal_late_prefetch_s")},
				{Left: of("g10-gds", "beyond_ideal_eviction_s"), Right: of("g10-gds", "beyond_ideal_host_read_s")},
				{Left: of("g10-gds", "beyond_ideal_eviction_s"), Right: of("g10-gds", "beyond_ideal_fault_handling_s")},
			},
		},
		{
			Key: "bytes", Title: "When counts, not how much", Look: "figure-traffic",
			Say: "To the GPU G10 moves about as much as Base UVM, {g10 to_gpu_bytes} against {uvm to_gpu_bytes}. It moves it at the right time, and uses SSD and host memory at once.",
			Facts: []lab.Fact{
				{Left: of("g10", "to_gpu_bytes"), Right: of("uvm", "to_gpu_bytes"), Times: 0.8},
				{Left: of("g10", "ssd_to_gpu_bytes"), Right: of("uvm", "ssd_to_gpu_bytes")},
				{Left: of("g10", "host_to_gpu_bytes"), Right: of("g10-gds", "host_to_gpu_bytes")},
			},
		},
		{
			Key: "drive", Title: "A slow drive", Look: "figure-throughput", Set: "ssd_read=1 ssd_write=1",
			Say: "Now the SSD reads {knob ssd_read} and writes {knob ssd_write}. G10-GDS, which has only the SSD, falls to {g10-gds normalized_throughput}; G10 leans on host memory and keeps {g10 normalized_throughput}. Press the SSD in the drawing to try others.",
			Facts: []lab.Fact{
				{Left: lab.Value{System: "g10-gds", Quantity: "normalized_throughput", Back: 1}, Right: of("g10-gds", "normalized_throughput"), Times: 1.5},
				{Left: of("g10", "normalized_throughput"), Right: of("g10-gds", "normalized_throughput"), Times: 2},
				{Left: of("g10", "host_to_gpu_bytes"), Right: lab.Value{System: "g10", Quantity: "host_to_gpu_bytes", Back: 1}},
			},
		},
		{
			Key: "published", Title: "As the paper had it", Look: "caveat", Preset: "g10-paper",
			Say: "BERT on the paper's machine, with the published simulator's accidents on: G10-Host reaches {g10-host normalized_throughput} and G10 {g10 normalized_throughput}. The line below the headline says what decides that besides the systems.",
			Facts: []lab.Fact{
				{Left: of("g10", "normalized_throughput"), Right: of("g10-host", "normalized_throughput"), Times: 1.1},
			},
		},
		{
			Key: "corrected", Title: "Without the accidents", Look: "figure-throughput", Preset: "g10-paper", Set: "mode=corrected",
			Say: "The same, corrected: G10-Host now reaches {g10-host normalized_throughput}, as G10 does. Each accident has a switch of its own under Fidelity.",
			Facts: []lab.Fact{
				{Left: of("g10-host", "normalized_throughput"), Right: of("g10", "normalized_throughput"), Times: 0.99},
				{Left: of("g10-host", "normalized_throughput"), Right: lab.Value{System: "g10-host", Quantity: "normalized_throughput", Back: 1}, Times: 1.1},
			},
		},
		{
			Key: "whatif", Title: "What if", Look: "ask-run", Show: "view=whatif",
			Say: "Vary a setting, find the least that is enough, or ask which part would bring most; the button runs every system. This is the first machine again.",
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce figure=g10.11",
			Say: "Each figure of the paper is computed here and compared with what was published, point by point; its button runs it. That was the tour: Undo brings your own settings back.",
		},
	}
}
