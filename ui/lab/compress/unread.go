package compress

import "spillway/ui/lab"

// unread is what designs do not read: targets that they do not set, and memory of which they need nothing.
func unread() []lab.Unread {
	return []lab.Unread{
		{Systems: "ideal bandwidth-only bound", Keys: "memory link written scattered cache line threshold tiny max_ratio naive"},
		{Systems: "ideal", Keys: "gpu_memory bound random"},
		{Systems: "naive", Keys: "threshold tiny max_ratio"},
		{Systems: "per-allocation per-allocation-16x own", Keys: "naive"},
		{Systems: "per-allocation", Keys: "tiny max_ratio"},
	}
}
