package stretch

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/compress/buddy"
	"spillway/sim/compress/profile"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

type ids = []workload.TensorID

// of makes a histogram with entries of so many sectors; those of none are zeros.
func of(zero, one, two, three, four int64) *buddy.Histogram {
	var h buddy.Histogram
	h.Add(10, true, zero)
	for i, n := range []int64{one, two, three, four} {
		h.Add(256*(i+1), false, n)
	}
	return &h
}

// hand is an iteration of two kernels and four tensors: a weight of 1000 entries, a
// dense input of 500, an output of 2000, and a temporary of 10.
func hand() *workload.Workload {
	return &workload.Workload{
		Name: "by hand", Batch: 3,
		Tensors: []workload.Tensor{
			{Name: "weight", Bytes: 128_000, Global: true, Kind: workload.Weight},
			{Name: "in", Bytes: 64_000, Kind: workload.Input},
			{Name: "out", Bytes: 256_000},
			{Name: "scratch", Bytes: 1280, Kind: workload.Workspace},
		},
		Kernels: []workload.Kernel{
			{Name: "first", Time: 10 * unit.Microsecond, InputFault: 20 * unit.Microsecond, Inputs: ids{0, 1}, Outputs: ids{2, 3}},
			{Name: "second", Time: 5 * unit.Microsecond, Fault: 9 * unit.Microsecond, Inputs: ids{2}, Outputs: ids{0, 2}},
		},
	}
}

var (
	handTargets  = []buddy.Target{buddy.X2, buddy.X1, buddy.X4, buddy.X16}
	handProfiles = []*buddy.Histogram{
		of(40, 0, 46, 0, 14), // at 2x, 14 % have two sectors more: 7 % of all bytes
		of(0, 0, 0, 0, 100),
		of(0, 80, 0, 0, 20), // at 4x, 20 % have three more: 15 %
		of(100, 0, 0, 0, 0),
	}
)

func TestStretch(t *testing.T) {
	w, was := hand(), hand()
	s, err := Stretch(w, handTargets, handProfiles, 0, 10*unit.GBps)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(w, was) {
		t.Error("the workload, which others run too, was changed")
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	// Slots: 1000·64, uncompressed, 2000·32, 10·8. Metadata of the three that are
	// compressed: (1000 + 2000 + 10)/2 bytes, all alive during the first kernel.
	var sizes []unit.Bytes
	for _, x := range s.Tensors {
		sizes = append(sizes, x.Bytes)
	}
	if want := []unit.Bytes{64_000, 64_000, 64_000, 80, 1505}; !slices.Equal(sizes, want) {
		t.Errorf("%v, want %v", sizes, want)
	}
	if x := s.Tensors[4]; x.Name != Metadata || !x.Global || !s.Held()[4] {
		t.Errorf("metadata is not held: %+v", x)
	}
	// Places: 1000·64 + 2000·96 + 10·128.
	if want := (buddy.Capacity{Bytes: 449_280, Device: 192_080, Buddy: 257_280, Metadata: 1505}); s.Capacity != want {
		t.Errorf("%+v, want %+v", s.Capacity, want)
	}
	// In pages of 4 KiB: 16 + 16 + 16 + 1 and one of metadata, then without in and
	// scratch; uncompressed 32 + 16 + 63 + 1.
	if want := []unit.Bytes{50 * unit.Page, 33 * unit.Page}; !slices.Equal(s.Live, want) || s.Plain != 112*unit.Page {
		t.Errorf("%v alive, want %v; uncompressed %v", s.Live, want, s.Plain)
	}
	// The first reads the weight, 0.07·128,000 = 8960 bytes over the link, and writes
	// out, 0.15·256,000 = 38,400; the second reads out and writes both.
	if want := []unit.Bytes{47_360, 85_760}; !slices.Equal(s.Link, want) || s.Moved() != 133_120 {
		t.Errorf("%v over the link, want %v", s.Link, want)
	}
	// At 10 GB/s a byte takes 100 ps.
	for i, want := range []workload.Kernel{
		{Time: 14_736 * unit.Nanosecond, InputFault: 24_736 * unit.Nanosecond},
		{Time: 13_576 * unit.Nanosecond, Fault: 17_576 * unit.Nanosecond},
	} {
		if k := s.Kernels[i]; k.Time != want.Time || k.InputFault != want.InputFault || k.Fault != want.Fault {
			t.Errorf("kernel %d: %v, %v, %v", i, k.Time, k.InputFault, k.Fault)
		}
	}
}

// A kernel that is too short to have moved all of its tensors touched a part of each.
func TestTouched(t *testing.T) {
	// The first moves 449,280 bytes; at 22.464 GB/s 10 µs are half of that.
	s, err := Stretch(hand(), handTargets, handProfiles, 22_464*unit.MBps, 10*unit.GBps)
	if err != nil {
		t.Fatal(err)
	}
	// The second moves 256,000 twice and 128,000: 112,320 of 640,000 bytes.
	if want := []unit.Bytes{23_680, 85_760 * 112_320 / 640_000}; !slices.Equal(s.Link, want) {
		t.Errorf("%v over the link, want %v", s.Link, want)
	}
}

// Nothing compressed is nothing changed.
func TestUncompressed(t *testing.T) {
	w := hand()
	s, err := Stretch(w, make([]buddy.Target, 4), handProfiles, 0, unit.GBps)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Workload, w) || s.Moved() != 0 || s.Capacity != (buddy.Capacity{Bytes: 449_280, Device: 449_280}) {
		t.Errorf("%+v, %+v", s.Workload, s.Capacity)
	}
}

func TestTooSlow(t *testing.T) {
	w := hand()
	w.Tensors[2].Bytes = 1 << 42
	_, err := Stretch(w, handTargets, handProfiles, 0, 100*unit.MBps)
	if err == nil || !strings.Contains(err.Error(), "kernel 0 (first)") || !strings.Contains(err.Error(), "faster link") {
		t.Error(err)
	}
}

// random draws an iteration.
func random(r *rand.Rand) *workload.Workload {
	w := &workload.Workload{Name: "random"}
	for i := range 2 + r.IntN(20) {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: fmt.Sprint(i), Bytes: unit.Bytes(1 + r.Int64N(int64(unit.MiB))), Global: r.IntN(4) == 0})
	}
	for range 1 + r.IntN(20) {
		k := workload.Kernel{Name: []string{"ReLU", "Conv", "Dropout"}[r.IntN(3)], Time: 1 + unit.Time(r.Int64N(int64(unit.Millisecond)))}
		for _, t := range r.Perm(len(w.Tensors))[:1+r.IntN(min(5, len(w.Tensors)))] {
			if r.IntN(2) == 0 {
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			} else {
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			}
		}
		w.Kernels = append(w.Kernels, k)
	}
	return w
}

// TestLaws checks what holds for all workloads and contents: a larger threshold never
// takes more slots, a faster link is never slower, and no kernel becomes shorter.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		w := random(r)
		for _, c := range profile.All() {
			device := unit.Bytes(1 << 62)
			for _, threshold := range []float64{0, 0.1, 0.14, 0.3, 0.62, 1} {
				p := buddy.Published()
				p.Threshold = threshold
				targets, profiles := c.Choose(w, &p)
				before := make([]unit.Time, len(w.Kernels))
				for _, link := range []unit.Bandwidth{1000 * unit.GBps, 150 * unit.GBps, 10 * unit.GBps} {
					s, err := Stretch(w, targets, profiles, 900*unit.GBps, link)
					if err == nil {
						err = s.Validate()
					}
					if err != nil {
						t.Fatal(err)
					}
					for i := range s.Kernels {
						if k := s.Kernels[i].Time; k < before[i] || k < w.Kernels[i].Time {
							t.Fatalf("%s, threshold %g, link %v: kernel %d takes %v, %v with a faster link, %v uncompressed", c.Key, threshold, link, i, k, before[i], w.Kernels[i].Time)
						}
						before[i] = s.Kernels[i].Time
					}
					if link == 10*unit.GBps && s.Device > device {
						t.Fatalf("%s: threshold %g takes %v of slots, a smaller one %v", c.Key, threshold, s.Device, device)
					}
					device = min(device, s.Device)
				}
			}
		}
	}
}

func BenchmarkStretch(b *testing.B) {
	w := &workload.Workload{Name: "large"}
	for i := range 200_000 {
		w.Tensors = append(w.Tensors, workload.Tensor{Name: "t", Bytes: unit.Bytes(1 + i%1000*4096)})
		w.Kernels = append(w.Kernels, workload.Kernel{Name: "aten::convolution_backward", Time: unit.Millisecond, Inputs: ids{workload.TensorID(i / 2), workload.TensorID(i)}[i&1:], Outputs: ids{workload.TensorID(i)}})
	}
	c, p := profile.All()[1], buddy.Published()
	b.ReportAllocs()
	for b.Loop() {
		targets, profiles := c.Choose(w, &p)
		if _, err := Stretch(w, targets, profiles, 0, unit.GBps); err != nil {
			b.Fatal(err)
		}
	}
}
