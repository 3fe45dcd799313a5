package train

import (
	"spillway/sim/train/system/ideal"
	"spillway/ui/lab"
)

// why is what makes systems slow, and the machine without it. An SSD alone is as fast as its link:
// a faster one is refused, because nothing could come of it.
func why() lab.Why {
	return lab.Why{
		Time: "iteration_s", Bound: ideal.System.Name,
		Set:     "mode=corrected",
		SetSays: "Compared as the papers read (corrected): with the published simulator's rules some runs without a cause get stuck.",
		Causes: []lab.Cause{
			{Key: "ssd", Title: "the SSD", Cured: "an SSD as fast as its link", Set: "ssd=fixed ssd_latency=0 ssd_read={host_link} ssd_write={host_link}", Color: "ssd-in"},
			{Key: "link", Title: "the link", Cured: "links of 10 TB/s", Set: "gpu_link=10000 host_link=10000 duplex_loss=0 transfer_cost=0", Color: "host-in"},
			{Key: "fault", Title: "page faults", Cured: "faults that cost nothing", Set: "fault_latency=0 um_fault_time=0 um_block_time=0", Color: "cause-0"},
			{Key: "alloc", Title: "allocation", Cured: "allocation at once", Set: "alloc_rate=0.000000001", Color: "cause-4"},
		},
	}
}
