package serve

import (
	"spillway/sim/machine"
	"spillway/sim/model"
	"spillway/sim/policy"
	"spillway/sim/unit"
)

// A System is a way to serve, by its stable name.
type System struct {
	Key, Title, About string
	// Family and Paper are where it comes from.
	Family, Paper string
	// Main is in focus at first, Usual what everybody has, and Off not compared at first.
	Main, Usual, Off bool
	// Prefix: what was computed of a prompt stays in GPU memory while there is room, and is not computed again.
	Prefix bool
	// Host and Drive: it stays in host memory, and on drives, too.
	Host, Drive bool
	// Weigh: a prefix is loaded only where that takes less time than to compute it.
	Weigh bool
	// Free: every prefix that was there before is in GPU memory, and takes nothing of it: a bound.
	Free bool
	// Batch: requests come in whole batches; the next begins when the longest of the last has ended.
	Batch bool
	// Stream is where weights come from in each step that do not stay on the GPU.
	Stream Stream
}

// A Stream is where weights are that the GPU does not hold.
type Stream uint8

// The places of weights.
const (
	Resident  Stream = iota // all weights are on the GPUs
	FromHost                // they come from host memory, once a step (ZeRO-Inference)
	FromDrive               // they come from drives, once a step
	Blocked                 // FlexGen's schedule: weights and keys and values anywhere, attention on processors
	Divided                 // llama.cpp: some layers on the GPU, the rest on processors
)

// Systems lists them in the order in which they are offered.
func Systems() []System {
	return []System{
		{Key: "hbm", Title: "GPU memory", About: "Keys and values in pages of GPU memory, what was computed of prompts with them (vLLM, TensorRT-LLM).", Family: "Engines", Paper: "Kwon et al., vLLM, SOSP 2023; NVIDIA, TensorRT-LLM", Usual: true, Prefix: true},
		{Key: "no-prefix", Title: "No prefix cache", About: "The same, but every prompt is computed from its beginning.", Family: "Engines", Paper: "Yu et al., Orca, OSDI 2022"},
		{Key: "static", Title: "Whole batches", About: "A batch ends with its longest answer, and the next begins then: the yardstick of before 2022.", Family: "Engines", Paper: "before Orca, OSDI 2022", Off: true, Batch: true},
		{Key: "host", Title: "Host memory", About: "Keys and values of prompts are also written to host memory, and come back from there (LMCache, HiCache, vLLM's connector).", Family: "Tiers", Paper: "LMCache; SGLang HiCache; vLLM's offloading connector", Prefix: true, Host: true},
		{Key: "host-ssd", Title: "Host memory and SSD", About: "What host memory drops goes to drives.", Family: "Tiers", Paper: "Qin et al., Mooncake, FAST 2025; LMCache", Main: true, Prefix: true, Host: true, Drive: true},
		{Key: "ssd", Title: "SSD", About: "Keys and values of prompts go to drives, without host memory between.", Family: "Tiers", Paper: "LMCache, local disk", Off: true, Prefix: true, Drive: true},
		{Key: "recompute-or-load", Title: "Load or compute", About: "Host memory and SSD; of each prefix the part is loaded whose loading takes less time than computing it.", Family: "Tiers", Paper: "Spillway: the cheaper of both, for each request", Off: true, Prefix: true, Host: true, Drive: true, Weigh: true},
		{Key: "ideal", Title: "Every prefix at hand", About: "Every prefix that any request had before is in GPU memory and takes no room: a bound.", Family: "Bounds", Paper: "Spillway: every prefix at hand", Prefix: true, Free: true},
		{Key: "stream-host", Title: "Weights from host", About: "Weights stream through the GPU once a step, from host memory (ZeRO-Inference, Accelerate).", Family: "Weights elsewhere", Paper: "Aminabadi et al., DeepSpeed Inference (ZeRO-Inference), SC 2022", Off: true, Batch: true, Stream: FromHost},
		{Key: "stream-ssd", Title: "Weights from SSD", About: "Weights stream through the GPU once a step, from drives.", Family: "Weights elsewhere", Paper: "ZeRO-Inference, from drives", Off: true, Batch: true, Stream: FromDrive},
		{Key: "flexgen", Title: "FlexGen", About: "Weights, keys and values on GPU, host and drives by shares; one pass over the weights serves a block of batches; processors compute attention over keys and values in host memory.", Family: "Weights elsewhere", Paper: "Sheng et al., FlexGen, ICML 2023", Off: true, Batch: true, Stream: Blocked},
		{Key: "split", Title: "Layers on processors", About: "Some layers on the GPU, the rest on the processors (llama.cpp).", Family: "Weights elsewhere", Paper: "llama.cpp", Off: true, Stream: Divided},
	}
}

// A Precision is how a number of weights, or of keys and values, is stored.
type Precision uint8

// The precisions.
const (
	BF16 Precision = iota
	FP8
	FP4 // and computed with, on Blackwell
	W4  // four bits with scales, computed with in bf16 (AWQ, GPTQ, Q4_K_M)
)

// A Reserve says what a sequence takes of memory when it begins.
type Reserve uint8

// The kinds of Reserve.
const (
	ByEngine   Reserve = iota // as the engine does by default
	WholeText                 // its prompt and all that its answer may have
	PromptOnly                // its prompt; memory may be over later, and the youngest begins again
)

// A Setting is all that a run needs besides requests. A zero that says "the engine's" takes what the engine does.
type Setting struct {
	System string
	Model  *model.Arch
	// Node are all GPUs, and what stands around them; Tensor of them are one replica, which holds the whole model.
	Node   machine.Config
	Tensor int64
	Engine string // a key of Engines
	// Weights and KV are how they are stored; KV is BF16 or FP8, of flexgen also W4.
	Weights, KV Precision

	Sequences int64   // at once, of a replica; 0: the engine's
	Tokens    int64   // of a step, of a replica; 0: the engine's
	Reserve   Reserve // what a sequence takes of memory
	// Share is what of a GPU's memory the engine takes, in thousandths; 0: the engine's. Activations is what of that is for neither
	// weights nor keys and values, of each GPU; -1: what the engine takes for steps of so many tokens and sequences.
	Share       int64
	Activations unit.Bytes
	Front       unit.Time // a request's way through the server, one after the other; -1: the engine's

	// HostKV and DriveKV hold keys and values, of each replica; -1: what its share of the node leaves.
	HostKV, DriveKV unit.Bytes
	Pageable        bool // copies from and to host memory are not pinned: half of the rate
	WriteOnSecond   bool // a block goes to drives only when it was used again
	// Affinity is how many requests on the way a whole prefix at hand outweighs when a router chooses a replica, in
	// thousandths.
	Affinity int64

	// Layers on the GPU of the system split; -1: as many as fit.
	Layers int64
	// GPUShare and HostShare of the weights are on the GPUs and in host memory, the rest on drives, in thousandths, of flexgen.
	// KVPlace is where its keys and values are; CPUAttention: in host memory, and the processors compute attention over them.
	// GPUBatch is how many sequences the GPU computes at a time, which matters to weights of four bits; 0: all.
	GPUShare, HostShare int64
	KVPlace             Place
	CPUAttention        bool
	GPUBatch            int64

	// Policy is what somebody wrote for Asks, nil without: it decides instead of the order by use, WriteOnSecond, the order of
	// arrival and Affinity, each where it has a rule for it.
	Policy *policy.Chosen

	// TTFT and TPOT are what a request must keep to count as good.
	TTFT, TPOT unit.Time
}
