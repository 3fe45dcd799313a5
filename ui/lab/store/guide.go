package store

import "spillway/ui/lab"

// ravenstorePaper is where several words come from.
const ravenstorePaper = "Ravenstore report, Georgia Tech 2023"

// glossary are the laboratory's words.
func glossary() []lab.Term {
	return []lab.Term{
		{Name: "Belady's order", Is: "A policy that knows the whole trace and evicts what is needed last: a yardstick, not a bound, since it can be beaten.", Source: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966"},
		{Name: "Best known", Is: "The fastest of all policies and of three that know the trace, found by running them."},
		{Name: "Client", Is: "A program that shares the GPU's memory with others through the store.", Source: ravenstorePaper},
		{Name: "FIFO", Is: "Evicts first what entered the store first."},
		{Name: "Hit", Is: "A get whose tensor is in GPU memory."},
		{Name: "LRU", Is: "Evicts first what was used least recently."},
		{Name: "Miss", Is: "A get whose tensor is in host memory and has to come back first."},
		{Name: "Policy", Is: "The rule by which the store chooses what to evict, and what to bring back.", Source: ravenstorePaper},
		{Name: "Regret", Is: "Bytes evicted beyond what Belady's order evicts; negative where a policy beats it."},
	}
}

// of is a value at the stop itself.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// withOracle compares Belady's order too.
const withOracle = "systems=fifo,lru,latency-aware,latency-logical,size-aware,oracle,best-known focus=size-aware"

// tour shows the laboratory in some two minutes.
func tour() []lab.Stop {
	return []lab.Stop{
		{
			Key: "share", Title: "Two programs, one GPU", Look: "drawing", Preset: "training-and-bursts",
			Say:   "A training and a program with bursts share {knob gpu_memory} of GPU memory. What a client puts into the store and does not need now may leave for host memory, where at most {lru peak_host_bytes} wait under LRU.",
			Facts: []lab.Fact{{Left: of("lru", "peak_host_bytes")}, {Left: of("lru", "evictions")}},
		},
		{
			Key: "which", Title: "Which tensor goes", Look: "figure-hits", Preset: "training-and-bursts",
			Say:   "Policies differ in what they evict, and in what they bring back before it is needed. Under FIFO {fifo hit_rate_percent} of the tensors that clients get are in GPU memory, under Latency-aware, which asks when a tensor will be needed, {latency-aware hit_rate_percent}.",
			Facts: []lab.Fact{{Left: of("latency-aware", "hit_rate_percent"), Right: of("fifo", "hit_rate_percent"), Times: 1.2}},
		},
		{
			Key: "waits", Title: "One call after the other", Look: "figure-causes", Preset: "training-and-bursts",
			Say: "The store handles one call at a time, and every other waits. Under FIFO it works for {fifo store_works} of the time, of which evicting takes {fifo eviction_s} and bringing back what a get misses {fifo miss_s}; under Size-aware for {size-aware store_works}, with {size-aware eviction_s} and {size-aware miss_s}.",
			Facts: []lab.Fact{
				{Left: of("fifo", "eviction_s"), Right: of("size-aware", "eviction_s"), Times: 1.15},
				{Left: of("fifo", "miss_s"), Right: of("size-aware", "miss_s"), Times: 5},
			},
		},
		{
			Key: "services", Title: "Used last, needed last", Look: "figure-hits", Preset: "services",
			Say:   "Services that wake in periods of their own: what was used last can be what is needed last. LRU finds {lru hit_rate_percent} of the tensors in GPU memory, Latency-aware {latency-aware hit_rate_percent}.",
			Facts: []lab.Fact{{Left: of("latency-aware", "hit_rate_percent"), Right: of("lru", "hit_rate_percent"), Times: 1.2}},
		},
		{
			Key: "regret", Title: "The measure", Look: "figure-evicted", Preset: "services", Show: withOracle,
			Say: "Belady's order knows the whole trace; how much more a policy evicts is its regret: {lru regret_bytes} for LRU, {size-aware regret_bytes} for Size-aware.",
			Facts: []lab.Fact{
				{Left: of("lru", "regret_bytes"), Right: of("size-aware", "regret_bytes"), Times: 2},
				{Left: of("size-aware", "regret_bytes")},
			},
		},
		{
			Key: "sizes", Title: "When even that is beaten", Look: "figure-time", Preset: "two-resnets", Show: withOracle,
			Say: "With tensors of many sizes, choosing what is needed last is not best: Belady's order evicts {oracle evictions} times and takes {oracle time_s}, Size-aware {size-aware evictions} times and {size-aware time_s}.",
			Facts: []lab.Fact{
				{Left: of("oracle", "time_s"), Right: of("size-aware", "time_s"), Times: 1.02},
				{Left: of("oracle", "evictions"), Right: of("size-aware", "evictions"), Times: 5},
			},
		},
		{
			Key: "one", Title: "One eviction", Look: "section-eviction", Preset: "training-and-bursts",
			Say:   "Back on the first workload. Each dot in the memory chart is an eviction; pick one, or type its number here, to see who left, who had to wait, and what Belady's order would have taken.",
			Facts: []lab.Fact{{Left: of("size-aware", "evictions")}},
		},
		{
			Key: "whatif", Title: "What if", Look: "ask-run", Show: "view=whatif", Preset: "training-and-bursts",
			Say: "Vary a setting, or find the least that is enough; the button runs every policy.",
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce figure=ravenstore.T1", Preset: "training-and-bursts",
			Say: "The report's two tables, computed here and compared with what it published; the button runs it. That was the tour: Undo brings your own settings back.",
		},
	}
}
