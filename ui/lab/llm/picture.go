//go:build !lean

package llm

import "spillway/ui/lab"

// picture draws where tensors are: GPU memory is that of one GPU, the other two are of all.
func picture() *lab.Picture {
	return &lab.Picture{
		Places: []lab.Place{
			{Key: "host", Title: "Host memory", Size: "host_memory", Used: "host_gib"},
			{Key: "gpu", Title: "Memory of a GPU", Size: "gpu_memory", Used: "gpu_gib"},
			{Key: "drives", Title: "Drives", Used: "drives_gib", Turn: []string{"drives", "gpus"}},
		},
		Links: []lab.Link{
			{Key: "path", Title: "GPU to host memory", From: "host", To: "gpu", Lanes: []lab.Lane{
				{To: "gpu", Rate: "host_path", Bytes: "host_read_gb", Busy: "host_read_busy"},
				{To: "host", Rate: "host_path", Bytes: "host_written_gb", Busy: "host_write_busy"},
				{To: "gpu", Rate: "pinned"}, // what ZeRO and FSDP copy goes at this rate
			}},
			{Key: "array", Title: "GPU to its drives", From: "gpu", To: "drives", Lanes: []lab.Lane{
				{To: "gpu", Rate: "ssd_read", Bytes: "read_gb", Busy: "read_busy"}, {To: "drives", Rate: "ssd_write", Bytes: "written_gb", Busy: "write_busy"},
			}},
		},
	}
}
