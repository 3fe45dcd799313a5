package serve

import "spillway/ui/lab"

// why is what makes systems slow, and the machine without it.
func why() lab.Why {
	return lab.Why{
		Time: "ttft_mean_s", Bound: bound(),
		Causes: []lab.Cause{
			{Key: "link", Title: "the link to host memory", Cured: "a link of 10 TB/s", Set: "link=10000", Color: "host-in"},
			{Key: "memory", Title: "GPU memory", Cured: "keys and values in half of the room", Set: "kv=fp8", Color: "cause-2"},
			{Key: "server", Title: "the server's front end", Cured: "a server of TensorRT-LLM's speed", Set: "engine=trtllm", Color: "cause-4"},
		},
	}
}
