package kerneltime

import "spillway/sim/unit"

// capabilities are the families by compute capability, major and minor.
var capabilities = map[[2]int64]Family{
	{6, 0}: Pascal, {6, 1}: Pascal, {7, 0}: Volta, {7, 5}: Turing, {8, 0}: Ampere, {8, 6}: GA102, {8, 9}: Ada,
	{9, 0}: Hopper, {10, 0}: Blackwell, {10, 3}: Blackwell, {12, 0}: GB202,
}

// Like is what a GPU that is not in the list is taken to be, by its compute capability, its number of
// multiprocessors and its memory: the nearest of its family with rates by multiprocessors. It is nil
// where there is none.
func Like(name string, major, minor, sms int64, memory unit.Bytes) *GPU {
	f, ok := capabilities[[2]int64{major, minor}]
	if !ok || sms < 1 || sms > 1024 {
		return nil
	}
	apart := func(a, b int64) int64 { return max(a-b, b-a) }
	var near *GPU
	for i := range gpus {
		g := &gpus[i]
		if g.Family != f {
			continue
		}
		if near != nil {
			is, was := apart(g.SMs, sms), apart(near.SMs, sms)
			if is > was || is == was && apart(int64(g.Memory), int64(memory)) >= apart(int64(near.Memory), int64(memory)) {
				continue
			}
		}
		near = g
	}
	own := *near
	for _, rate := range []*Rate{&own.FP32, &own.TF32, &own.FP16, &own.FP8, (*Rate)(&own.Bandwidth)} {
		*rate = Rate(unit.MulDiv(int64(*rate), sms, near.SMs))
	}
	own.Key, own.Name, own.Ground, own.SMs = "", name+", taken as the "+near.Name+" by its multiprocessors,", Guessed, sms
	if memory > 0 {
		own.Memory = memory
	}
	return &own
}
