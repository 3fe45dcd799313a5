package store

import "spillway/ui/lab"

// why is what makes policies slow, and the store without it.
func why() lab.Why {
	return lab.Why{
		Time: "time_s", Bound: lab.Lowest("").System,
		Causes: []lab.Cause{
			{Key: "eviction", Title: "evicting", Cured: "evictions that cost nothing themselves", Set: "evict=0 evict_copy=0", Color: "cause-2"},
			{Key: "link", Title: "the link", Cured: "a link of 1000 GB/s", Set: "link=1000", Color: "host-in"},
			{Key: "alloc", Title: "allocating and calling", Cured: "calls, allocation and freeing at once", Set: "alloc=0 free=0 start=0 ipc=0", Color: "cause-4"},
			{Key: "sharing", Title: "sharing the GPU", Cured: "a GPU for each client to compute on", Set: "shared_compute=0", Color: "compute"},
		},
	}
}
