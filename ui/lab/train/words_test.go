package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	core "spillway/sim/train"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// set returns the defaults with a setup text applied.
func set(t *testing.T, text string) *knob.Setup {
	t.Helper()
	l := New()
	u := l.Setup()
	pairs, err := knob.Pairs(text)
	if err == nil {
		err = u.Apply(pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestLead(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"model=bert-base batch=256", "BERT-base at batch 256 needs 47.8 GiB; the GPU has 40. What does that cost?"},
		{"model=bert-base batch=256 gpu_memory=49.5", "BERT-base at batch 256 needs 47.8 GiB; the GPU has 49.5, so it fits: nothing has to move."},
		{"model=gpt2-xl batch=2 times=estimated machine=rtx-4090-pcie-4-990-pro", "GPT-2 XL at batch 2 needs 43.3 GiB; the GPU has 24. What does that cost?"},
	} {
		s := filled(t, set(t, c.set))
		w, err := load(&s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.lead(w); got != c.want {
			t.Errorf("%s: got %q, want %q", c.set, got, c.want)
		}
	}
	s := settings{Entry: "x"}
	if got := s.lead(Workload{Workload: &workload.Workload{Name: "My net"}, memory: vitality.Footprint{Most: 3 * unit.GiB}}); got != "My net needs 3.00 GiB; the GPU has 0. What does that cost?" {
		t.Error(got)
	}
	for b, want := range map[unit.Bytes]string{unit.GiB / 100: "0.01", 1536 * unit.MiB: "1.50", 12 * unit.GiB: "12.0", 273*unit.GiB + 500*unit.MiB: "273"} {
		if got := gib(b); got != want {
			t.Errorf("%d bytes are %s GiB, want %s", b, got, want)
		}
	}
}

func TestCaveats(t *testing.T) {
	l := New()
	for _, c := range []struct{ set, system, want string }{
		{"model=bert-base batch=256", "uvm", "Kernel times are as the paper measured them, cold: 4.9 times those of warm kernels, which hides transfers."},
		{
			"model=bert-base batch=256", "g10-gds",
			"As published, G10-GDS has a pool 4 times the GPU's memory. Kernel times are as the paper measured them, cold: 4.9 times those of warm kernels, which hides transfers.",
		},
		{"model=bert-base batch=256 times=estimated", "g10-gds", "As published, G10-GDS has a pool 4 times the GPU's memory."},
		{"model=bert-base batch=256 times=estimated mode=corrected", "g10-gds", ""},
		{
			"model=bert-base batch=16 times=as-paper machine=h100-80gb-pcie-5-pm1743", "ideal",
			"Kernel times are the paper's, for an A100 40 GB: the H100 80 GB does not change them; estimated times would.",
		},
		{
			"model=bert-base batch=16 times=estimated machine=h100-80gb-pcie-5-pm1743 gpu=a100-40", "ideal",
			"Kernel times are estimated for the A100 40 GB, but the machine has the H100 80 GB.",
		},
		{
			"model=bert-base batch=256 times=estimated machine=h100-80gb-pcie-5-pm1743", "uvm",
			"Everything fits, yet Base UVM moves 318.1 GB, because as published it keeps dead tensors until they are evicted and writes them back (quirk dead-writeback).",
		},
		{"model=bert-base batch=256 times=estimated machine=h100-80gb-pcie-5-pm1743 mode=corrected", "uvm", ""},
	} {
		r, _, err := l.Run(set(t, c.set), c.system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(r.Caveats, " ") != c.want {
			t.Errorf("%s system=%s:\n got %q\nwant %q", c.set, c.system, strings.Join(r.Caveats, " "), c.want)
		}
	}
}

// Busy shares are bytes over rate times time, by hand.
func TestBusy(t *testing.T) {
	l := New()
	s := standard()
	r := fake(10, 2, result.SSDRead) // 20 ms; 2 GB from the SSD, 1 GB to the host
	s.Machine.GPULink, s.Machine.HostLink, s.Machine.SSDRead, s.Machine.SSDWrite = 400*unit.GBps, 100*unit.GBps, 200*unit.GBps, 50*unit.GBps
	r.Main().Traffic.SSDOut = 5e8
	check := func(want map[string]float64) {
		t.Helper()
		rep := reported(Workload{Workload: &workload.Workload{Batch: 1}}, &s, r)
		for key, share := range want {
			if got := value(t, &l, rep, key); math.Abs(got-share) > 1e-12 {
				t.Errorf("%s is %v, want %v", key, got, share)
			}
		}
	}
	check(map[string]float64{
		"gpu_link_in_busy": 2. / 8, "gpu_link_out_busy": 1.5 / 8, "host_link_in_busy": 0, "host_link_out_busy": 1. / 2,
		"ssd_read_busy": 2. / 4, "ssd_write_busy": 0.5 / 4, // as published it writes at the rate of reading
		"to_gpu_bytes": 2e9, "from_gpu_bytes": 1.5e9,
	})
	s.Mode = "corrected"
	check(map[string]float64{"ssd_write_busy": 0.5})
	r.SSD = &result.SSD{Read: 125 * unit.GBps, Write: 25 * unit.GBps}
	check(map[string]float64{"ssd_read_busy": 1, "ssd_write_busy": 1}) // no faster than the host link; never above 1
}

// Every preset runs as it says: the page opens on the first, and something has to
// move there; the second is the default, as links that say nothing have it.
func TestPresets(t *testing.T) {
	effort.Natively(t)
	l := New()
	for i, p := range l.Presets {
		u := set(t, p.Set)
		r, raw, err := l.Run(u, "ideal", nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", p.Key, err)
		}
		s := filled(t, u)
		if p.Title == "" || p.About == "" || strings.Contains(r.Lead, "fits") {
			t.Errorf("%s: %q", p.Key, r.Lead)
		}
		if raw.(*result.Result).Ideal == 0 {
			t.Errorf("%s has no time", p.Key)
		}
		if paper := p.Key == "g10-paper"; paper != (i == 1) || paper != u.Equal(l.Setup()) || paper == (s.Mode == "corrected") {
			t.Errorf("%d, %s: %s", i, p.Key, u)
		}
	}
	// The first is worth a look: systems differ.
	var times []string
	for _, x := range core.Systems {
		r, _, err := l.Run(set(t, l.Presets[0].Set), x.Name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch text := strings.Join(r.Caveats, " "); x.Name {
		case "uvm":
			if !strings.Contains(text, "how many faults are handled at a time") {
				t.Errorf("uvm: %q", text)
			}
		case "ideal", "flashneuron", "deepum+", "g10-gds", "g10-host", "g10":
			if text != "" {
				t.Errorf("%s: %s", x.Name, text)
			}
		}
		text := r.Reason
		if r.Fits {
			text = fmt.Sprint(value(t, &l, r, "iteration_s"))
		} else if !strings.Contains(text, noConvolutions) && !strings.Contains(text, "more GPU memory or a smaller batch would help") {
			t.Errorf("%s: %s", x.Name, text)
		}
		times = append(times, text)
	}
	if times[1] == times[0] || times[1] == times[len(times)-1] {
		t.Errorf("systems do not differ: %v", times)
	}
}

// What memory is for is said apart, and the artifact's way of counting with its
// reason.
func TestInNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"model=gpt2-xl batch=1 optimizer=adam times=estimated": "6137 kernels, 7978 tensors; 1558 million parameters of 4 bytes, 5.8 GiB, as much of gradients, 11.61 GiB of state of Adam; at most 18.77 GiB of activations and workspace at once; 36.18 GiB at once in all.",
		"model=bert-base batch=256 times=estimated":            "1369 kernels, 1463 tensors; 109 million parameters, 417.64 MiB. The artifact counts 16.6 GiB as persistent, because biases, gains and constants are as large as activations in it; an optimizer mends that. At most 31.16 GiB of everything else at once; 47.76 GiB at once in all.",
		"model=bert-base batch=256 optimizer=adam":             "1369 kernels, 1463 tensors; 109 million parameters, 417.64 MiB. The artifact counts 16.6 GiB as persistent, because biases, gains and constants are as large as activations in it; an optimizer mends that. At most 31.16 GiB of everything else at once; 47.76 GiB at once in all.", // the paper's times know none
		"model=resnet-50 batch=512 times=estimated":            "449 kernels, 999 tensors; 26 million parameters, 98.02 MiB with what stays beside them; no optimizer state; at most 51.11 GiB of activations and workspace at once; 51.2 GiB at once in all.",
		"model=bert-base batch=1 times=estimated gpu_memory=1": "1369 kernels, 1463 tensors; 109 million parameters, 453.57 MiB with what stays beside them; no optimizer state; at most 151.8 MiB of activations and workspace at once; 612.12 MiB at once in all.",
	} {
		s := filled(t, set(t, text))
		w, err := load(&s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.inNumbers(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// A machine's price is its parts', and more is done for it when it is half. Ideal
// has none.
func TestCost(t *testing.T) {
	l := New()
	at := func(system, text string) (price, worth float64) {
		r, _, err := l.Run(set(t, "model=resnet-50 batch=128 times=estimated machine=rtx-4090-pcie-4-990-pro mode=corrected "+text), system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		price, ok := r.Value(l.Quantity(l.Cost.Price))
		worth, _ = r.Value(l.Quantity(l.Cost.PerPrice))
		if !ok {
			return 0, 0
		}
		if price == 0 {
			return 0, 0
		}
		if want := 1000 * value(t, &l, r, "throughput_samples_per_s") / price; math.Abs(worth-want) > 1e-9*want {
			t.Errorf("%s: %v for the price, want %v", text, worth, want)
		}
		return price, worth
	}
	price, worth := at("g10", "")
	if price != 1599+325+64*3.52+1500 {
		t.Errorf("the machine costs %v", price)
	}
	half, better := at("g10", "price_gpu=0 price_ssd=0 price_host_gib=0 price_platform="+fmt.Sprint(price/2))
	if half != price/2 || math.Abs(better/worth-2) > 1e-9 {
		t.Errorf("%v for %v, %v for %v", worth, price, better, half)
	}
	if price, _ := at("ideal", ""); price != 0 {
		t.Errorf("Ideal costs %v", price)
	}
	if _, worth := at("g10", "price_gpu=0 price_ssd=0 price_host_gib=0 price_platform=0"); worth != 0 {
		t.Errorf("%v for nothing", worth)
	}
	u := set(t, "machine=rtx-4090-pcie-4-990-pro times=estimated")
	for _, part := range [][2]string{{"part-gpu", "rtx-3090"}, {"part-ssd", "980-pro"}, {"part-link", "pcie5"}} {
		if err := u.Set(part[0], part[1]); err != nil {
			t.Fatal(err)
		}
		if got := u.Text(part[0]); got != part[1] {
			t.Errorf("%s shows %s, want %s", part[0], got, part[1])
		}
	}
	if got := u.Text("price_gpu") + " " + u.Text("price_ssd") + " " + u.Text("price_platform"); got != "1499 460 2500" {
		t.Errorf("prices %s", got)
	}
}

// What is alive and in no other memory is on the SSD: nothing where nothing was
// written, no more than was written in an iteration, and something where the system
// has only the SSD.
func TestPeakSSD(t *testing.T) {
	l := New()
	for _, x := range core.Systems {
		r, _, err := l.Run(set(t, "model=bert-base batch=32 times=estimated mode=corrected gpu_memory=4"), x.Name, nil, nil)
		if err == nil && strings.Contains(r.Reason, noConvolutions) {
			continue
		}
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v, %+v", x.Name, err, r)
		}
		peak, written := value(t, &l, r, "peak_ssd_bytes"), value(t, &l, r, "gpu_to_ssd_bytes")
		if peak > written || peak < 0 || (peak > 0) != (written > 0) {
			t.Errorf("%s has %v bytes on the SSD and writes %v", x.Name, peak, written)
		}
		if x.Name == "flashneuron" && peak == 0 {
			t.Error("FlashNeuron puts nothing on the SSD")
		}
	}
	r := fake(3, 1, 0) // kernels that end with 0, 1 and 2 GiB on the GPU, and 1 on the host
	if got := onSSD([]unit.Bytes{unit.GiB, 5 * unit.GiB, 4 * unit.GiB}, r); got != 3*unit.GiB {
		t.Errorf("%v on the SSD, want 3 GiB", got)
	}
}

// A preset of a network that is there operator by operator too is that, but for the paper's
// own with the times that it measured: the other's estimates at batch 1 are twice as long.
func TestPresetsAreOperatorByOperator(t *testing.T) {
	l := New()
	for _, p := range l.Presets {
		u, err := l.Read(p.Set)
		if err != nil {
			t.Fatal(err)
		}
		twin := u.Text("model") + "-pytorch"
		if u.Text("times") == "estimated" && slices.ContainsFunc(u.Knob("model").Choices, func(c knob.Choice) bool { return c.Key == twin }) {
			t.Errorf("%s runs %s, and there is %s", p.Key, u.Text("model"), twin)
		}
	}
	u, _ := l.Read(l.Presets[0].Set)
	r, _, err := l.Run(u, "ideal", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := r.Value(l.Quantity("iteration_s")); s < 0.5 || s > 0.6 {
		t.Errorf("the first screen's ideal takes %v s", s)
	}
}

// A GPU without bf16 says what runs instead.
func TestWithoutBF16(t *testing.T) {
	l := New()
	for gpu, want := range map[string]bool{"v100-32": true, "a100-40": false} {
		r, _, err := l.Run(set(t, "model=resnet50 batch=8 precision=amp-bf16 gpu="+gpu), "ideal", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Notes, " "), "has no bf16"); got != want {
			t.Errorf("%s: %q", gpu, r.Notes)
		}
	}
}
