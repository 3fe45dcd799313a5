package serve

import "spillway/ui/lab"

// picture draws where keys and values are.
func picture() *lab.Picture {
	return &lab.Picture{
		Places: []lab.Place{
			{Key: "gpu", Title: "GPU memory of a copy", Used: "gpu_used_gib", Room: "given_gib", Turn: []string{"gpu", "gpus", "tensor"}},
			{Key: "host", Title: "Host memory", Size: "host", Used: "host_used_gib"},
			{Key: "drives", Title: "Drives", Used: "drives_used_gib", Room: "drives_gib", Turn: []string{"drive", "drives"}},
		},
		Links: []lab.Link{
			{Key: "path", Title: "GPUs to host memory", From: "host", To: "gpu", Turn: []string{"link"}, Lanes: []lab.Lane{
				{To: "gpu", Bytes: "link_in_gb", Busy: "link_in_busy"}, {To: "host", Bytes: "link_out_gb", Busy: "link_out_busy"},
			}},
			{Key: "array", Title: "Host memory to drives", From: "host", To: "drives", Turn: []string{"drive", "drives", "drive_read"}, Lanes: []lab.Lane{
				{To: "host", Bytes: "read_gb", Busy: "read_busy"}, {To: "drives", Bytes: "write_gb", Busy: "write_busy"},
			}},
		},
	}
}
