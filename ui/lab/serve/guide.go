package serve

import "spillway/ui/lab"

// glossary are the laboratory's words.
func glossary() []lab.Term {
	return []lab.Term{
		{Name: "Batch", Is: "Requests whose next tokens an engine computes in one step."},
		{Name: "Block", Is: "A part of a prompt whose keys and values are kept or dropped as one, named by its tokens and all before them.", Source: "Kwon et al., PagedAttention, SOSP 2023"},
		{Name: "Chunk", Is: "A part of a prompt that is computed in one step beside tokens of others.", Source: "Agrawal et al., Sarathi-Serve, OSDI 2024"},
		{Name: "Copy", Is: "One model on as many GPUs as hold it; a router chooses among several."},
		{Name: "Decode", Is: "Computing an answer token by token: each step reads all weights, and the keys and values of all requests under way."},
		{Name: "Goodput", Is: "Requests a second that keep the limits of their users.", Source: "Zhong et al., DistServe, OSDI 2024"},
		{Name: "Keys and values", Is: "What a model keeps of each token for the tokens behind it, the KV cache."},
		{Name: "Knee", Is: "The load at which waiting begins to grow without end."},
		{Name: "Little's law", Is: "Requests under way are their rate times the time of each.", Source: "Little, Operations Research 1961"},
		{Name: "Prefill", Is: "Computing the keys and values of a prompt, all of its tokens at once."},
		{Name: "Prefix", Is: "The beginning of a prompt; what was computed of one serves every prompt that begins alike."},
		{Name: "TPOT", Is: "Time for each output token behind the first, in the mean of an answer."},
		{Name: "TTFT", Is: "Time to the first token."},
	}
}

// of is a value at the stop itself.
func of(system, quantity string) lab.Value { return lab.Value{System: system, Quantity: quantity} }

// tour shows the laboratory in some two minutes.
func tour() []lab.Stop {
	return []lab.Stop{
		{
			Key: "question", Title: "How many users", Look: "headline", Preset: "mooncake",
			Say:   "{knob gpus} GPUs answer a chat's conversations. With GPU memory alone {hbm users} are served within the limits, with host memory behind it {host users}, and with drives behind that {host-ssd users}.",
			Facts: []lab.Fact{{Left: of("host", "users"), Right: of("no-prefix", "users")}},
		},
		{
			Key: "tiers", Title: "What was there before", Look: "figure-hits", Preset: "mooncake",
			Say:   "A prompt of a conversation begins with what was said before. GPU memory still has {hbm hit_rate} of all tokens, with host memory and drives {host-ssd hit_rate} need not be computed again.",
			Facts: []lab.Fact{{Left: of("host-ssd", "hit_rate"), Right: of("hbm", "hit_rate")}},
		},
		{
			Key: "bill", Title: "Where the first token's time goes", Look: "figure-bill", Preset: "mooncake",
			Say:   "A request waits {hbm ttft_mean_s} for its first token with GPU memory alone, {host-ssd ttft_mean_s} with all tiers; computing its own prompt takes {hbm prefill_s} and {host-ssd prefill_s} of that.",
			Facts: []lab.Fact{{Left: of("hbm", "prefill_s"), Right: of("host-ssd", "prefill_s")}},
		},
		{
			Key: "knee", Title: "One number says little", Look: "figure-knee", Preset: "mooncake",
			Say:   "Every system is run at many rates. Where a line turns up, requests come faster than they are answered; the largest rate within the limits is {hbm served_rps} with GPU memory alone and {host-ssd served_rps} with all tiers.",
			Facts: []lab.Fact{{Left: of("host-ssd", "served_rps"), Right: of("no-prefix", "served_rps")}},
		},
		{
			Key: "life", Title: "What it does to the drives", Look: "figure-life", Preset: "mooncake",
			Say:   "All that is computed of prompts is written to the drives once host memory drops it: {host-ssd written_tb_day} a day, so they live {host-ssd life_days}. Written on second use, under Engine, is the setting to try.",
			Facts: []lab.Fact{{Left: of("host-ssd", "written_tb_day")}},
		},
		{
			Key: "reproduce", Title: "Is it right?", Look: "paper-title", Show: "view=reproduce", Preset: "mooncake",
			Say: "TensorRT-LLM's and FlexGen's tables are computed here and compared; rows that decided a constant are drawn apart. That was the tour: drop a list of requests of your own.",
		},
	}
}

func help() []lab.Help {
	return []lab.Help{
		{Title: "What is simulated", Text: "Requests wait in order, get memory for keys and values, and are computed in steps: each running request one token, and the rest of a step's tokens for prompts, in chunks. A step takes what its matrix products, weights, attention, collectives and the engine cost, by a rounded roofline that was fitted to published tables. Steps that are alike are added up, not skipped over: the result is the same to the picosecond."},
		{Title: "Tiers", Text: "What was computed of a prompt stays in GPU memory while there is room, and with tiers also in host memory and on drives. A prompt that begins alike loads it from there, over a link and drives that have queues. The router prefers the copy that has the beginning of a prompt."},
		{Title: "Users", Text: "The page runs every system at rates from a twentieth to more than all that it gets done, finds the largest of which nine requests in ten keep both limits, and counts how many users that are, who wait for answers and pause between questions (Little's law). One number near the knee says little, so the knee is drawn."},
		{Title: "Cost and life", Text: "A million tokens cost the machine's price spread over its years, and electricity. Drives live until what their maker warrants has been written, if the load never stops."},
		{Title: "Your own requests", Text: "Drop Mooncake's traces (JSON Lines with hash_ids), Azure's or BurstGPT's tables, or lengths as vLLM's benchmark writes them; and the config.json of a model. Texts are never needed."},
	}
}
