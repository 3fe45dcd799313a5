package store

import "spillway/ui/lab"

// picture draws the two memories that a tensor can be in.
func picture() *lab.Picture {
	return &lab.Picture{
		Places: []lab.Place{
			{Key: "gpu", Title: "GPU memory of all clients", Size: "gpu_memory", Used: "peak_gpu_bytes"},
			{Key: "host", Title: "Host memory", Size: "host_memory", Used: "peak_host_bytes"},
		},
		Links: []lab.Link{{Key: "host-link", Title: "Host link", From: "gpu", To: "host", Lanes: []lab.Lane{
			{To: "gpu", Rate: "link", Bytes: "returned_bytes", Busy: "host_link_in_busy"},
			{To: "host", Rate: "link", Bytes: "evicted_bytes", Busy: "host_link_out_busy"},
		}}},
	}
}

// presets are what the page opens on, the first of them, and offers.
func presets() []lab.Preset {
	return []lab.Preset{
		{
			Key: "two-resnets", Title: "Two ResNet-50 on one V100", Set: "workload=networks model=resnet-50 batch=64 clients=2 gpu=v100-32 gpu_memory=12",
			About: "Both train at batch 64 in 12 GiB; each keeps in the store what it does not need now.",
		},
		{
			Key: "training-and-bursts", Title: "Training beside bursts", Set: "workload=training-and-bursts",
			About: "A training job shares its GPU with a program that needs memory now and then: every eviction and return is visible.",
		},
		{
			Key: "services", Title: "Services with periods of their own", Set: "workload=services",
			About: "Models serve requests at fixed intervals, so the model used last may be the one needed last.",
		},
	}
}
