package train

import (
	"slices"
	"testing"

	"spillway/sim/timeline"
	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Six kernels of which the fifth waits for a tensor that comes late, and the sixth until
// another has left: each step of what the waits came of.
func TestChain(t *testing.T) {
	r := timeline.Record(timeline.Cycle(unit.GHz), 1_000_000, categories()...)
	w := &workload.Workload{Tensors: make([]workload.Tensor, 3), Kernels: make([]workload.Kernel, 6)}
	w.Kernels[4].Inputs, w.Kernels[5].Outputs = []workload.TensorID{0}, []workload.TensorID{1}
	for _, name := range []string{"activation", "gradient", "weight"} {
		r.Object(name)
	}
	for _, track := range []struct {
		name string
		kind timeline.Kind
	}{{"Kernels", timeline.Work}, {"State", timeline.State}, {"SSD → GPU", timeline.Link}, {"GPU → SSD", timeline.Link}, {"Host → GPU", timeline.Link}, {"GPU → host", timeline.Link}} {
		r.Group("g", false)
		r.Track(track.name, track.kind, "bytes")
	}
	r.Counter("GPU memory", "bytes", 0)
	for k := range int64(6) {
		r.Step("kernel")
		r.Slice(kernelTrack, timeline.Slice{Begin: 100_000 * k, End: 100_000 * (k + 1), Name: r.Name("kernel"), Ref: -1, Step: int32(k)})
		r.Count(0, 100_000*(k+1), (k+1)*int64(unit.GiB))
	}
	wait := func(kernel int64, cause result.Cause) {
		r.Slice(stateTrack, timeline.Slice{Begin: 100_000 * kernel, End: 100_000*kernel + 50_000, Cat: firstCause + uint8(cause), Ref: -1, Step: int32(kernel)})
	}
	wait(4, result.LatePrefetch)
	wait(5, result.Eviction)
	move := func(track int, from, to int64, tensor int32, name string, why uint8) {
		r.Slice(track, timeline.Slice{Begin: from, End: to, Cat: firstReason + why, Ref: tensor, Step: -1, Name: r.Name(name), Amount: 100_000_000})
	}
	move(firstLink+1, 110_000, 140_000, 0, "activation", 0)
	move(firstLink, 300_000, 420_000, 2, "weight", 0)
	move(firstLink, 420_000, 450_000, 0, "activation", 0)
	move(firstLink+3, 500_000, 550_000, 2, "weight", 2)
	c := chain{t: r.End(), w: w, capacity: 40 * unit.GiB, planned: []program.Op{{At: 3, Kind: program.Prefetch, Tensor: 0}, {At: 5, Kind: program.Prefetch, Tensor: 0}}}
	if err := c.t.Check(); err != nil {
		t.Fatal(err)
	}
	said := func(slice int) (list []string) {
		for _, l := range c.of(stateTrack, slice) {
			list = append(list, l.Text)
			if l.Track >= 0 && !slices.Contains(c.t.Tracks[l.Track].Begin, l.Begin) {
				t.Errorf("%q is about no slice: track %d at %d", l.Text, l.Track, l.Begin)
			}
		}
		return list
	}
	want := [][]string{{
		"It waits for activation, SSD → GPU: 100 MB in 30 µs (3.33 TB/s), planned.",
		"It had left at 110 µs, during kernel 1, planned.",
		"Its prefetch is planned at kernel 3, 1 kernel and 100 µs ahead.",
		"Meanwhile the link was busy 100.0 %, most with weight (120 µs).",
	}, {
		"It waits until weight has left, GPU → host: 100 MB in 50 µs (2.00 TB/s), for room.",
		"Then 5 GiB of 40 GiB of GPU memory were in use.",
	}}
	for i := range want {
		if got := said(i); !slices.Equal(got, want[i]) {
			t.Errorf("wait %d:\n%q\nwant\n%q", i, got, want[i])
		}
	}
	// The first comes over the SSD's link, the second leaves for host memory.
	for _, tt := range []struct {
		ssd  unit.Bandwidth
		want []uint8
	}{{3 * unit.GBps, []uint8{forSSD, forLink}}, {16 * unit.GBps, []uint8{forLink, forLink}}} {
		of := c.resource(&machine.Machine{HostLink: 16 * unit.GBps, SSDRead: tt.ssd, SSDWrite: tt.ssd})
		if got := []uint8{of(stateTrack, 0), of(stateTrack, 1)}; !slices.Equal(got, tt.want) {
			t.Errorf("with an SSD of %v waits are for %d, want %d", tt.ssd, got, tt.want)
		}
	}
	if c.of(kernelTrack, 0) != nil {
		t.Error("a kernel waits for nothing")
	}
}
