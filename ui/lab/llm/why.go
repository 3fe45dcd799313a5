package llm

import (
	"spillway/sim/llm/system/ideal"
	"spillway/ui/lab"
)

// why is what makes systems slow, and the machine without it.
func why() lab.Why {
	return lab.Why{
		Time: "iteration_s", Bound: ideal.System.Name,
		Causes: []lab.Cause{
			{Key: "drives", Title: "the drives", Cured: "drives of 100 TB/s", Set: "ssd_read=100000 ssd_write=100000 array_share=100 array_cap=0", Color: "ssd-in"},
			{Key: "host", Title: "host memory", Cured: "host memory of 100 TB/s", Set: "host_path=100000 pinned=100000 host_rate=100000", Color: "host-in"},
			{Key: "peers", Title: "the links between GPUs", Cured: "links between GPUs of 100 TB/s", Set: "collective=100000", Color: "cause-3"},
			{Key: "optimizer", Title: "the host's optimizer", Cured: "an optimizer that takes no time", Set: "adam=1000000", Color: "compute"},
		},
	}
}
