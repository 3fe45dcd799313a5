package llm

import "spillway/ui/lab"

// Where several words come from.
const (
	teraio = "Yuan et al., TERAIO, NeurIPS 2025"
	zero   = "Rajbhandari et al., ZeRO, SC 2020"
)

// glossary are the laboratory's words.
func glossary() []lab.Term {
	return []lab.Term{
		{Name: "1F1B", Is: "A pipeline's order: each stage takes one forward and one backward pass in turn, so that few micro-batches are under way.", Source: "Narayanan et al., PipeDream, SOSP 2019"},
		{Name: "Activation", Is: "What a layer computes in the forward pass and the backward pass needs again."},
		{Name: "Active tensor", Is: "A tensor that the running kernel reads or writes.", Source: teraio},
		{Name: "Adam", Is: "An optimizer that keeps two moments for every parameter.", Source: "Kingma and Ba, ICLR 2015"},
		{Name: "All-gather", Is: "Every GPU sends its part to all others, so that each has the whole."},
		{Name: "All-reduce", Is: "All GPUs end with the sum of what each has; in a ring each sends nearly twice the buffer."},
		{Name: "bf16", Is: "Numbers of 16 bits with the range of fp32, which tensor cores multiply fast."},
		{Name: "Bubble", Is: "The time in which a stage of a pipeline has nothing to do.", Source: "Huang et al., GPipe, NeurIPS 2019"},
		{Name: "Data parallelism", Is: "Each GPU trains on a part of the batch, and gradients are summed."},
		{Name: "Delayed update", Is: "The host's step of one iteration runs beside the next, whose gradients are of older weights.", Source: "Ren et al., ZeRO-Offload, ATC 2021"},
		{Name: "Endurance", Is: "How much a drive's maker warrants to be written to it."},
		{Name: "FSDP", Is: "Fully sharded data parallelism: each GPU keeps a part of every layer and gathers a layer when it is used.", Source: "Zhao et al., PyTorch FSDP, VLDB 2023"},
		{Name: "GPUDirect Storage", Is: "Drives and GPUs exchange data without a copy in host memory.", Source: "NVIDIA"},
		{Name: "Gradient", Is: "How the loss changes with a parameter, one number for each of them."},
		{Name: "Inactive period", Is: "The time between two kernels that use a tensor, in which it could be elsewhere.", Source: "G10, MICRO 2023"},
		{Name: "Ledger", Is: "A list of causes on which every moment of a GPU is booked once."},
		{Name: "Micro-batch", Is: "The part of a batch that goes through the model at once; gradients of several are added."},
		{Name: "Mixture of experts", Is: "A layer with many feed-forward blocks, of which each token takes a few."},
		{Name: "NVLink", Is: "NVIDIA's link between GPUs, several times as fast as PCIe."},
		{Name: "Offload", Is: "Moving a tensor from a GPU to host memory or drives."},
		{Name: "Optimizer state", Is: "What an optimizer keeps for each parameter from one iteration to the next."},
		{Name: "Pipeline parallelism", Is: "Each GPU has some of the layers, and micro-batches go from one to the next."},
		{Name: "Recomputation", Is: "Computing activations again in the backward pass instead of keeping them.", Source: "Chen et al., 2016"},
		{Name: "Tensor parallelism", Is: "Every matrix is cut, and GPUs sum their results behind each block.", Source: "Shoeybi et al., Megatron-LM, 2019"},
		{Name: "Token", Is: "What a language model reads at a time: a word, or a part of one."},
		{Name: "ZeRO stage", Is: "What replicas share: optimizer states (1), gradients too (2), weights too (3).", Source: zero},
	}
}

// of is a value at the stop itself.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// tour shows the laboratory in some three minutes.
func tour() []lab.Stop {
	return []lab.Stop{
		{
			Key: "question", Title: "A model that does not fit", Look: "headline", Preset: "llama3-70b",
			Say:   "If nothing was ever moved, a GPU's part of a large model would take {teraio-mixed peak_percent} of its memory. So TERAIO-Mixed keeps up to {teraio-mixed drives_gib} on drives, where all GPUs hold {teraio-mixed gpus_gib}. It trains {teraio-mixed tokens_s}, ZeRO-Infinity {zero-infinity tokens_s}; GPUs that hold everything would train {ideal tokens_s}.",
			Facts: []lab.Fact{{Left: of("teraio-mixed", "tokens_s"), Right: of("zero-infinity", "tokens_s")}, {Left: of("ideal", "tokens_s"), Right: of("teraio-mixed", "tokens_s"), Times: 1.05}, {Left: of("teraio-mixed", "drives_gib"), Right: of("teraio-mixed", "gpus_gib"), Times: 2}, {Left: of("teraio-mixed", "peak_percent"), Right: of("ideal", "of_ideal"), Times: 200}}, // percent over a one
		},
		{
			Key: "ledger", Title: "Where the time goes", Look: "figure-ledger", Preset: "llama3-70b",
			Say:   "Every moment of every GPU has one cause. TERAIO-Mixed computes for {teraio-mixed computes_s} of {teraio-mixed iteration_s} and waits for tensors for {teraio-mixed fetch_s}; ZeRO-Infinity waits for its collectives for {zero-infinity communicate_s}.",
			Facts: []lab.Fact{{Left: of("zero-infinity", "communicate_s"), Right: of("teraio-mixed", "communicate_s"), Times: 2}},
		},
		{
			Key: "tiers", Title: "Where the bytes are", Look: "figure-memory", Show: "focus=teraio-mixed", Preset: "llama3-70b",
			Say:   "Over one iteration tensors of the first GPU go to drives and host and come back before they are used. At most {teraio-mixed drives_gib} are on all drives and {teraio-mixed host_gib} in host memory.",
			Facts: []lab.Fact{{Left: of("teraio-mixed", "drives_gib"), Right: of("teraio-mixed", "gpus_gib")}},
		},
		{
			Key: "life", Title: "What it does to the drives", Look: "figure-life", Preset: "llama3-70b",
			Say:   "In a day without pause TERAIO-Mixed writes {teraio-mixed written_tb_day}, so its drives have had what their maker warrants after {teraio-mixed life_days}, TERAIO-SSD's after {teraio-ssd life_days}. ZeRO-Infinity writes only states, weights and gradients: its drives live {zero-infinity life_days}.",
			Facts: []lab.Fact{{Left: of("zero-infinity", "life_days"), Right: of("teraio-ssd", "life_days"), Times: 1.5}, {Left: of("teraio-mixed", "written_tb_day"), Right: of("zero-infinity", "written_tb_day"), Times: 1.5}},
		},
		{
			Key: "cost", Title: "What it costs", Look: "figure-cost", Preset: "llama3-70b",
			Say:   "A GPU costs {knob price_gpu}, the whole machine {teraio-mixed price_usd}. With electricity and drives that wear out TERAIO-Mixed trains {teraio-mixed tokens_usd} and ZeRO-Infinity, slower but easier on drives, {zero-infinity tokens_usd}: the fastest is not the cheapest.",
			Facts: []lab.Fact{{Left: of("zero-infinity", "tokens_usd"), Right: of("teraio-mixed", "tokens_usd"), Times: 1.1}, {Left: of("teraio-mixed", "tokens_s"), Right: of("zero-infinity", "tokens_s")}, {Left: of("zero-infinity", "life_days"), Right: of("teraio-mixed", "life_days")}},
		},
		{
			Key: "small", Title: "A smaller model", Look: "figure-throughput", Preset: "llama3-8b",
			Say:   "A model of fewer parameters: drives alone keep up. TERAIO-SSD trains {teraio-ssd tokens_s} where GPUs that hold everything train {ideal tokens_s}, and most of what ZeRO-Offload loses are its collectives, {zero-offload communicate_s} of {zero-offload iteration_s}.",
			Facts: []lab.Fact{{Left: of("teraio-ssd", "of_ideal"), Right: of("zero-offload", "of_ideal"), Times: 1.2}, {Left: of("teraio-ssd", "tokens_s"), Right: of("ideal", "tokens_s"), Times: 0.9}, {Left: of("zero-offload", "communicate_s"), Right: of("zero-offload", "fetch_s")}, {Left: of("zero-offload", "communicate_s"), Right: of("zero-offload", "optimizer_s")}},
		},
		{
			Key: "drives", Title: "What if: fewer drives", Look: "ask-run", Preset: "llama3-8b", Show: "view=whatif ask=vary ask-vary=drives ask-values=1,2,4",
			Say: "How many drives a GPU needs. The button runs it; the section Drives and host memory shows both at once.",
		},
		{
			Key: "fits", Title: "What else fits", Look: "section-fits", Preset: "llama3-70b", Show: "focus=teraio-mixed",
			Say: "The sections below say which models and batches every system can run on this machine, and what to buy next: what another drive, more host memory or a faster link would do to throughput, for each dollar.",
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce", Preset: "llama3-70b",
			Say: "What the paper prints is computed here and compared: memory at its peak, shares of the throughput with all in memory, sweeps over drives and host memory. What is not reached stands there too. That was the tour: drop a config.json of your own model, Undo brings your settings back.",
		},
	}
}

func help() []lab.Help {
	return []lab.Help{
		{Title: "What is simulated", Text: "One training iteration on every GPU: its kernels in order, with times from the GPU's data sheet; tensors that are on the GPU, in host memory or on drives; links that are shared fairly by what moves over them at the same time. Three iterations run, and the last is measured."},
		{Title: "The systems", Text: "Pipeline, all in memory has GPUs that hold everything; the paper calls it Ideal, but ZeRO and FSDP can be faster, which have no pipeline. Best possible is proven: no system can be faster. TERAIO plans before training which tensor leaves when, and for where, from the times in which they are not used: TERAIO-SSD to drives, TERAIO-Mixed to host memory too. ZeRO-Offload keeps optimizer states in host memory and lets the host update weights; ZeRO-Infinity keeps everything on drives; FSDP offload keeps each GPU's shard in host memory. One GPU, DDP and FSDP move nothing: they hold what their recipe needs, or say how much is missing and the smallest change with which it fits."},
		{Title: "How a model is cut", Text: "TERAIO, and the pipeline with all in memory, cut it into a pipeline of all GPUs unless tensors or data are cut too (Training). ZeRO and FSDP cut matrices, as in the TERAIO paper, or the batch, as they do by themselves (Options of systems)."},
		{Title: "Cost and life", Text: "A dollar pays for electricity, for the machine over the years in which it pays for itself, and for drives, which are replaced when they have taken what their maker warrants. All prices are settings with their source."},
		{Title: "Adapters (LoRA, QLoRA)", Text: "Set What is trained under Training. An adapter trains a hundredth of the weights or less and leaves the others as they are, so a GPU needs little more than the weights and the activations; QLoRA keeps frozen matrices in four bits. One GPU, DDP, FSDP and FSDP offload train so, by closed formulas: of 31 recipes that an H200 ran, to which one number was fitted, memory was within 8 % for nine of ten, speed within 13 % for half. Systems that move tensors train all weights."},
		{Title: "Your own model", Text: "Drop the config.json that lies beside any Hugging Face model (llama, mistral, qwen2, granite, gpt2, opt, bloom, t5, mixtral). model.safetensors.index.json beside it checks the number of parameters. No weights are read."},
	}
}
