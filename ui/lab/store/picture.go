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
