package compress

import "spillway/ui/lab"

// why is what makes designs slow: nothing happens over time here, so a run says all of it.
func why() lab.Why {
	return lab.Why{
		Time: "time", Bound: "ideal", Parts: "time",
		Says: "From one run of each: sectors that are not read make the GPU's own memory faster; looking up what is compressed and the buddy memory's link are added.",
	}
}
