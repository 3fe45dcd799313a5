package cxlssd

import (
	"fmt"

	"spillway/sim/knob"
)

// A deviation says how far the times of Fig. 14's 56 runs are from those at full scale,
// in thousandths: on average, at most and where, and at most elsewhere. The worst is
// where threads fill 384 pages of the log at a time, which do not become fewer as the log
// becomes smaller: they are compacted before they are full.
type deviation struct {
	scale, mean, worst, others int64
	where                      string
}

// deviations were measured with
//
//	go test ./sim/cxlssd -run TestScales -scales
var deviations = []deviation{
	{2, 6, 40, 32, "srad, skybyte-full"},
	{4, 12, 186, 65, "srad, skybyte-full"},
	{8, 24, 394, 61, "srad, skybyte-full"},
	{16, 38, 649, 131, "srad, skybyte-full"},
	{32, 65, 1226, 250, "srad, skybyte-full"},
	{64, 120, 1836, 367, "srad, skybyte-full"},
}

// deviationAt returns the deviation at a scale, nil of one that was not measured.
func deviationAt(scale int64) *deviation {
	for i := range deviations {
		if deviations[i].scale == scale {
			return &deviations[i]
		}
	}
	return nil
}

// Deviates says how far off times at a scale are.
func Deviates(scale int64) string {
	d := deviationAt(scale)
	if d == nil {
		return "Everything runs as it is."
	}
	return fmt.Sprintf("Times of Fig. 14 are %s %% off those at full scale on average, %s %% at most; in %s %s %%.",
		knob.Decimal(d.mean, 10), knob.Decimal(d.others, 10), d.where, knob.Decimal(d.worst, 10))
}
