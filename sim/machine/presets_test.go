package machine

import (
	"strings"
	"testing"

	"spillway/sim/sustained"
	"spillway/sim/unit"
)

// TestPaperPrices: the node costs what the TERAIO paper's Table 3 says, in cents. A GiB is a
// rounded number of cents, so a terabyte may be 16 cents off.
func TestPaperPrices(t *testing.T) {
	for _, tt := range []struct {
		name string
		host unit.Bytes
		gpus int64
		want int64
	}{
		{"2 GPUs, 128 GB", 128 * unit.GiB, 2, 8_413_990},
		{"2 GPUs, 1 TB", 1024 * unit.GiB, 2, 9_104_790},
		{"8 GPUs, 128 GB", 128 * unit.GiB, 8, 49_959_140 / 2},
	} {
		c := Standard()
		c.Host, c.GPUs, c.Drives = tt.host, tt.gpus, 0
		if got := c.Price(); got < tt.want-20 || got > tt.want+20 {
			t.Errorf("%s: %d cents, want %d", tt.name, got, tt.want)
		}
		c.Drives = 4
		if got, want := c.Price(), tt.want+4*tt.gpus*17_000; got < want-20 || got > want+20 {
			t.Errorf("%s with drives: %d cents, want %d", tt.name, got, want)
		}
	}
}

// TestPresets is the table of presets: what they cost, take and hold.
func TestPresets(t *testing.T) {
	type row struct {
		gpus, drives  int64 // all drives
		usable, host  unit.Bytes
		dollars       int64
		watts         int64
		read, written unit.Bandwidth // of one array
	}
	want := map[string]row{
		"teraio":     {2, 8, 160 * unit.GiB, 1536 * unit.GiB, 96_355, 1544, 16 * unit.GBps, 16 * unit.GBps},
		"eight-a100": {8, 8, 576 * unit.GiB, 2048 * unit.GiB, 139_324, 6500, 6800 * unit.MBps, 4000 * unit.MBps},
		"four-4090":  {4, 8, 4 * 22118 * unit.MiB, 512 * unit.GiB, 15_558, 2344, 14900 * unit.MBps, 2800 * unit.MBps},
		"one-4090":   {1, 2, 22118 * unit.MiB, 128 * unit.GiB, 3889, 711, 14900 * unit.MBps, 2800 * unit.MBps},
		"dgx-h100":   {8, 8, 576 * unit.GiB, 2048 * unit.GiB, 268_198, 10_200, 6800 * unit.MBps, 4000 * unit.MBps},
	}
	if Presets()[0].Config != Standard() {
		t.Error("the first preset is not the paper's node")
	}
	for _, p := range Presets() {
		w, ok := want[p.Key]
		if !ok {
			t.Errorf("%s is not in the table", p.Key)
			continue
		}
		delete(want, p.Key)
		c := p.Config
		n := build(t, c)
		got := row{
			c.GPUs, c.GPUs * c.Drives, c.Usable() * unit.Bytes(c.GPUs), c.Host, c.Price() / 100, c.MilliWatts() / 1000,
			n.Links[n.Arrays[0].Read].Rate, n.Links[n.Arrays[0].Write].Rate,
		}
		if got != w {
			t.Errorf("%s:\n got %+v\nwant %+v", p.Key, got, w)
		}
		for _, s := range []string{p.Title, p.About, p.Source} {
			if s == "" {
				t.Errorf("%s: without title, text or source", p.Key)
			}
		}
	}
	for key := range want {
		t.Errorf("%s is gone", key)
	}
}

// TestParts: every part can be in a node and says where its numbers and its price are from.
func TestParts(t *testing.T) {
	seen := map[string]bool{}
	once := func(key string) {
		if key == "" || seen[key] || strings.ToLower(key) != key {
			t.Errorf("key %q", key)
		}
		seen[key] = true
	}
	for _, g := range GPUs() {
		once(g.Key)
		c := Standard()
		c.GPU, c.Spare = g, 0
		build(t, c)
		if g.Title == "" || g.Source == "" || g.PriceOf == "" || g.Cents == 0 || g.Watts == 0 || g.Form == "" {
			t.Errorf("%s: title, source, price, power or form is missing", g.Key)
		}
		if g.BF16 < g.TF32 || g.TF32 < g.FP32 {
			t.Errorf("%s: bf16 %d, TF32 %d, FP32 %d", g.Key, g.BF16, g.TF32, g.FP32)
		}
		if found, err := FindGPU(g.Key); err != nil || found != g {
			t.Errorf("%s is not found: %v", g.Key, err)
		}
	}
	for _, d := range Drives() {
		once(d.Key)
		c := Standard()
		c.Drive = d
		build(t, c)
		if d.Title == "" || d.Source == "" || d.PriceOf == "" || d.Cents == 0 || d.MilliWatts == 0 || d.Latency == 0 {
			t.Errorf("%s: title, source, price, power or latency is missing", d.Key)
		}
		if writes := d.Endurance / d.Size; writes < 300 || writes > 200_000 {
			t.Errorf("%s: warranted for %d drive writes", d.Key, writes)
		}
		if found, err := FindDrive(d.Key); err != nil || found != d {
			t.Errorf("%s is not found: %v", d.Key, err)
		}
	}
	if _, err := FindGPU("h100"); err == nil || !strings.Contains(err.Error(), "h100-nvl") {
		t.Errorf("an unknown GPU: %v; want the list of those that are known", err)
	}
	if _, err := FindPreset(""); err == nil || !strings.Contains(err.Error(), "teraio") {
		t.Errorf("an unknown node: %v; want the list of those that are known", err)
	}
}

// TestSoldWith: what a GPU is sold in, by what its data sheet says of it.
func TestSoldWith(t *testing.T) {
	for _, tt := range []struct {
		gpu      string
		gpus     int64
		host     unit.Bytes
		hostRate unit.Bandwidth
	}{
		{"a100-80", 8, 2048 * unit.GiB, 0},
		{"h100-sxm", 8, 2048 * unit.GiB, 0},
		{"gh200", 1, 480 * unit.GiB, 512 * unit.GBps},
		{"rtx-4090", 1, 0, 0},
		{"l40s", 4, 512 * unit.GiB, 0},
	} {
		g, err := FindGPU(tt.gpu)
		if err != nil {
			t.Error(err)
			continue
		}
		c := SoldWith(g)
		if c.GPU.Key != tt.gpu || c.GPUs != tt.gpus || tt.host > 0 && c.Host != tt.host || tt.hostRate > 0 && c.HostRate != tt.hostRate {
			t.Errorf("%s: %d %s, %v of host memory at %v", tt.gpu, c.GPUs, c.GPU.Key, c.Host, c.HostRate)
		}
		if _, err := c.Build(); err != nil {
			t.Errorf("%s: %v", tt.gpu, err)
		}
	}
}

// TestOneRateOfALink: whatever node a GPU stands in, copies over its link reach what was measured of the link, but for the TERAIO
// paper's own engine; the link of every GPU was measured, and no copy is faster than what the data sheet says.
func TestOneRateOfALink(t *testing.T) {
	measured := map[unit.Bandwidth]bool{}
	for _, l := range sustained.Links() {
		measured[l.Either()], measured[l.Either()/2] = true, true
	}
	for _, g := range GPUs() {
		rate := g.Copies()
		if !measured[rate] || rate > g.Link {
			t.Errorf("copies of a %s reach %v of %v; nobody measured that", g.Key, rate, g.Link)
		}
		if c := SoldWith(g); c.HostPath != rate && g.Key != Standard().GPU.Key {
			t.Errorf("in what a %s is sold with copies reach %v, elsewhere %v", g.Key, c.HostPath, rate)
		}
		for _, p := range Presets()[1:] {
			if c := p.Config.With(g); c.HostPath != rate {
				t.Errorf("%s in %s: copies reach %v, elsewhere %v", g.Key, p.Key, c.HostPath, rate)
			}
		}
	}
	g := GPUs()[0]
	if g.Link = unit.GBps; g.Copies() != unit.GBps/5*4 {
		t.Errorf("of a link of 1 GB/s that nobody measured copies reach %v", g.Copies())
	}
}
