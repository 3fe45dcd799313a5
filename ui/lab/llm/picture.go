package llm

import "spillway/ui/lab"

// picture draws where tensors are: host memory and drives are those of the node, GPU memory is
// that of each GPU. Links are those of all GPUs, as what they carry is.
func picture() *lab.Picture {
	return &lab.Picture{
		Places: []lab.Place{
			{Key: "host", Title: "Host memory", Size: "host_memory", Used: "host_gib"},
			{Key: "gpu", Title: "Memory of each GPU", Size: "gpu_memory", Used: "gpu_gib"},
			{Key: "drives", Title: "All drives", Used: "drives_gib", Turn: []string{"drives", "gpus"}},
		},
		Links: []lab.Link{
			{Key: "path", Title: "All GPUs to host memory", From: "host", To: "gpu", Turn: []string{"pinned"}, Lanes: []lab.Lane{
				{To: "gpu", Rate: "host_path", Reached: "host_read_rate", Bytes: "host_read_gb", Busy: "host_read_busy"},
				{To: "host", Rate: "host_path", Reached: "host_write_rate", Bytes: "host_written_gb", Busy: "host_write_busy"},
			}},
			{Key: "array", Title: "All GPUs to drives", From: "gpu", To: "drives", Lanes: []lab.Lane{
				{To: "gpu", Rate: "ssd_read", Reached: "read_rate", Bytes: "read_gb", Busy: "read_busy"},
				{To: "drives", Rate: "ssd_write", Reached: "write_rate", Bytes: "written_gb", Busy: "write_busy"},
			}},
		},
	}
}
