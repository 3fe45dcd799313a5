package kerneltime

import (
	"testing"

	"spillway/sim/unit"
)

// GPUs that are not in the list are as fast as their data sheets say, within a fifth.
func TestLike(t *testing.T) {
	for _, c := range []struct {
		name              string
		major, minor, sms int64
		memory            unit.Bytes
		fp16              Rate // dense, with sums in fp32, in 10^9 a second
		gbps              unit.Bandwidth
	}{
		{"NVIDIA A800-SXM4-80GB", 8, 0, 108, 80 * unit.GiB, 312_000, 2039},
		{"NVIDIA H800", 9, 0, 132, 80 * unit.GiB, 989_400, 3350},
		{"NVIDIA L20", 8, 9, 92, 48 * unit.GiB, 119_500, 864},
	} {
		g := Like(c.name, c.major, c.minor, c.sms, c.memory)
		if g == nil {
			t.Errorf("%s is like none", c.name)
			continue
		}
		far := func(is, want int64) bool { return 5*max(is-want, want-is) > want }
		if far(int64(g.FP16), int64(c.fp16*giga)) || far(int64(g.Bandwidth), int64(c.gbps*unit.GBps)) {
			t.Errorf("%s: %d operations and %v a second", c.name, g.FP16, g.Bandwidth)
		}
	}
	if g := Like("NVIDIA X", 5, 0, 20, 0); g != nil {
		t.Errorf("%+v", g)
	}
	if g := Like("NVIDIA X", 9, 0, 0, 0); g != nil {
		t.Errorf("%+v", g)
	}
}
