package store

import "spillway/ui/lab"

// picture draws the clients, the store, and the two memories that a tensor can be in. Beside calls
// stands what freeing takes, which most of them do longest.
func picture() *lab.Picture {
	return &lab.Picture{
		Places: []lab.Place{
			{Key: "clients", Title: "Clients"},
			{Key: "gpu", Title: "GPU memory of all clients", Size: "gpu_memory", Used: "peak_gpu_bytes"},
			{Key: "host", Title: "Host memory", Size: "host_memory", Used: "peak_host_bytes"},
		},
		Links: []lab.Link{{Key: "store", Title: "The store's calls", From: "clients", To: "gpu", Turn: []string{"alloc", "ipc"}, Lanes: []lab.Lane{{To: "gpu", Rate: "free", Busy: "store_works"}}}, {Key: "host-link", Title: "Host link", From: "gpu", To: "host", Lanes: []lab.Lane{
			{To: "gpu", Rate: "link", Bytes: "returned_bytes", Busy: "host_link_in_busy"},
			{To: "host", Rate: "link", Bytes: "evicted_bytes", Busy: "host_link_out_busy"},
		}}},
	}
}

// yields is that prefetch yields: links of before say nothing of it, and knew the published one.
const yields = " prefetch_yields=1"

// unsaid is that prefetch yields where nobody says that it holds its room, as published, but in the
// report's own benchmarks.
func unsaid() []lab.Unsaid {
	return []lab.Unsaid{{Key: "prefetch_yields", Text: "1", Unless: "workload=pairs"}}
}

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	return []lab.Preset{
		{
			Key: "two-resnets", Title: "Two ResNet-50 on one V100", Set: "workload=networks model=resnet-50 batch=64 clients=2 gpu=v100-32 gpu_memory=12" + yields,
			Was:   []string{"workload=networks model=resnet-50 batch=64 clients=2 gpu=v100-32 gpu_memory=12"},
			About: "Both train at batch 64 in 12 GiB; each keeps in the store what it does not need now. The store handles one call after the other, and mostly frees.",
		},
		{
			Key: "training-and-bursts", Title: "Training beside bursts", Set: "workload=training-and-bursts" + yields, Was: []string{"workload=training-and-bursts"},
			About: "A training job shares its GPU with a program that needs memory now and then: every eviction and return is visible.",
		},
		{
			Key: "services", Title: "Services with periods of their own", Set: "workload=services" + yields, Was: []string{"workload=services"},
			About: "Models serve requests at fixed intervals, so the model used last may be the one needed last.",
		},
	}
}
