package compress

import (
	"slices"

	core "spillway/sim/compress"
	"spillway/ui/lab"
)

// why is what makes designs slow: nothing happens over time here, so a run says all of it.
func why() lab.Why {
	all := core.Variants()
	whole := slices.IndexFunc(all, func(v core.Variant) bool { return v.Ideal })
	return lab.Why{
		Time: "time", Bound: all[whole].Name, Parts: "time",
		Says: "From one run of each: sectors that are not read make the GPU's own memory faster; looking up what is compressed and the buddy memory's link are added.",
	}
}
