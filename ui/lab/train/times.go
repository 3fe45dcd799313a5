package train

import (
	"slices"

	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// usualScale is kernel times as they are, in percent.
const usualScale = 100

// timeKnobs are the settings that mend kernel times, or doubt them.
func timeKnobs() []knob.Knob[settings] {
	return []knob.Knob[settings]{
		{
			Info: knob.Info{
				Key: "calibrate", Label: "Calibrated", Kind: knob.Word,
				Help: "How much longer kernels of a class take on your GPU than the law says, as product:1.08,convolution:0.9. Drop a table of your own measurements here to get the factors.",
			},
			Word: func(s *settings) *string { return &s.Calibrate },
		},
		knob.Int(knob.Info{
			Key: "time_scale", Label: "Kernel times, scaled", Unit: "%", Scale: 1, Min: 10, Max: 1000,
			Help: "All kernels take this share of their time, wherever that comes from. It shows what a faster GPU changes, and whether the order of systems hangs on uncertain times.",
		}, func(s *settings) *int64 { return &s.Scale }),
	}
}

// scaled is the workload with all kernels' times at a percentage of what they are.
func (w Workload) scaled(percent int64) Workload {
	if percent == usualScale || w.Workload == nil {
		return w
	}
	of := *w.Workload
	of.Kernels = slices.Clone(of.Kernels)
	for i := range of.Kernels {
		k := &of.Kernels[i]
		for _, t := range []*unit.Time{&k.Time, &k.InputFault, &k.Fault} {
			if *t > 0 {
				*t = min(max(1, unit.Time(unit.MulDiv(int64(*t), percent, 100))), workload.MaxTime)
			}
		}
	}
	w.Workload = &of
	return w
}
