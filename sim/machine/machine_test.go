package machine

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
)

func build(t *testing.T, c Config) *Node {
	t.Helper()
	n, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// names are the links of a route.
func names(t *testing.T, n *Node, from, to Endpoint) []string {
	t.Helper()
	path, err := n.Route(from, to)
	if err != nil {
		t.Fatalf("route %v to %v: %v", from, to, err)
	}
	var list []string
	for _, l := range path {
		list = append(list, n.Links[l].Name)
	}
	return list
}

func gpu(i int16) Endpoint { return Endpoint{Kind: OnGPU, Index: i} }

func array(i int16) Endpoint { return Endpoint{Kind: OnArray, Index: i} }

func TestRoutes(t *testing.T) {
	host := Endpoint{Kind: OnHost}
	bounce := Standard()
	bounce.GDS = false
	switched := must(FindPreset("eight-a100")).Config
	shared := switched
	shared.Shared = true
	through := shared
	through.GDS = false
	cards := switched // no NVLink
	cards.GPU.Peer = 0
	geforce := must(FindPreset("four-4090")).Config
	pinned := Endpoint{Kind: OnHost, Pinned: true}
	unpinned := Standard()
	unpinned.Pinned = 0
	for _, tt := range []struct {
		name     string
		c        Config
		from, to Endpoint
		want     string
	}{
		{"pinned memory to GPU", Standard(), pinned, gpu(1), "Host memory read, GPU 1 PCIe in, GPU 1 from pinned memory"},
		{"GPU to pinned memory", Standard(), gpu(0), pinned, "GPU 0 to pinned memory, GPU 0 PCIe out, Host memory written"},
		{"pinned memory without a rate", unpinned, pinned, gpu(1), "Host memory read, GPU 1 PCIe in, GPU 1 from host"},
		{"pinned memory to drives", Standard(), pinned, array(1), "Host memory read, Drives of GPU 1 written"},
		{"drives to GPU, direct", Standard(), array(1), gpu(1), "Drives of GPU 1 read, GPU 1 PCIe in"},
		{"GPU to drives, direct", Standard(), gpu(1), array(1), "GPU 1 PCIe out, Drives of GPU 1 written"},
		{"drives to GPU, through the host", bounce, array(0), gpu(0), "Drives of GPU 0 read, Host memory written, Host memory read, GPU 0 PCIe in"},
		{"GPU to drives, through the host", bounce, gpu(0), array(0), "GPU 0 PCIe out, Host memory written, Host memory read, Drives of GPU 0 written"},
		{"host to GPU", Standard(), host, gpu(1), "Host memory read, GPU 1 PCIe in, GPU 1 from host"},
		{"GPU to host", Standard(), gpu(1), host, "GPU 1 to host, GPU 1 PCIe out, Host memory written"},
		{"host to drives", Standard(), host, array(1), "Host memory read, Drives of GPU 1 written"},
		{"drives to host", Standard(), array(1), host, "Drives of GPU 1 read, Host memory written"},
		{"GPU to GPU over PCIe", Standard(), gpu(0), gpu(1), "GPU 0 to GPUs, GPU 1 from GPUs, GPU 0 PCIe out, GPU 1 PCIe in"},
		{"GPU to GPU over NVLink", switched, gpu(0), gpu(7), "GPU 0 to GPUs, GPU 7 from GPUs"},
		{"behind a switch, drives", switched, array(3), gpu(3), "Drives of GPU 3 read, GPU 3 PCIe in"},
		{"behind a switch, host", switched, host, gpu(3), "Host memory read, Switch 1 towards GPUs, GPU 3 PCIe in, GPU 3 from host"},
		{"behind a switch, to host", switched, gpu(7), host, "GPU 7 to host, GPU 7 PCIe out, Switch 3 from GPUs, Host memory written"},
		{"shared drives are at the host", shared, array(0), gpu(7), "Drives read, Switch 3 towards GPUs, GPU 7 PCIe in"},
		{"to shared drives", shared, gpu(2), array(2), "GPU 2 PCIe out, Switch 1 from GPUs, Drives written"},
		{"to shared drives through the host", through, gpu(2), array(2), "GPU 2 PCIe out, Switch 1 from GPUs, Host memory written, Host memory read, Drives written"},
		{"two of one switch", cards, gpu(2), gpu(3), "GPU 2 to GPUs, GPU 3 from GPUs, GPU 2 PCIe out, GPU 3 PCIe in"},
		{"two of two switches", cards, gpu(1), gpu(2), "GPU 1 to GPUs, GPU 2 from GPUs, GPU 1 PCIe out, Switch 0 from GPUs, Switch 1 towards GPUs, GPU 2 PCIe in"},
		{"GeForce to GeForce", geforce, gpu(3), gpu(0), "GPU 3 to GPUs, GPU 0 from GPUs, GPU 3 PCIe out, Host memory written, Host memory read, GPU 0 PCIe in"},
	} {
		if got := strings.Join(names(t, build(t, tt.c), tt.from, tt.to), ", "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestNoRoute: what is not there or not connected is an error that says so.
func TestNoRoute(t *testing.T) {
	bare := Standard()
	bare.Drives = 0
	for _, tt := range []struct {
		c        Config
		from, to Endpoint
		want     string
	}{
		{Standard(), gpu(0), gpu(0), "to itself"},
		{Standard(), Endpoint{Kind: OnHost}, Endpoint{Kind: OnHost}, "to itself"},
		{Standard(), array(0), array(1), "to itself"},
		{Standard(), gpu(0), gpu(2), "no GPU 2"},
		{Standard(), gpu(-1), gpu(1), "no GPU -1"},
		{Standard(), gpu(0), array(1), "not connected"},
		{Standard(), Endpoint{Kind: 9}, array(1), "no such endpoint"},
		{bare, gpu(0), array(0), "no drives"},
	} {
		path, err := build(t, tt.c).Route(tt.from, tt.to)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("route %v to %v: %v, %v; want an error with %q", tt.from, tt.to, path, err, tt.want)
		}
	}
}

// everywhere are all endpoints of a node.
func everywhere(n *Node) []Endpoint {
	list := []Endpoint{{Kind: OnHost}, {Kind: OnHost, Pinned: true}}
	for g := range n.gpus {
		list = append(list, gpu(int16(g)))
		if len(n.Arrays) > 0 {
			list = append(list, array(int16(g)))
		}
	}
	return list
}

// TestRouteOnce: no path of any preset, however it is switched, lists a link twice, and links
// of a GPU are only on its own paths.
func TestRouteOnce(t *testing.T) {
	for _, p := range Presets() {
		for variant := range 16 {
			c := p.Config
			c.Shared, c.GDS = variant&1 > 0, variant&2 > 0
			c.Switch = int64(1 + variant>>2)
			n := build(t, c)
			for _, from := range everywhere(n) {
				for _, to := range everywhere(n) {
					path, err := n.Route(from, to)
					if err != nil {
						continue
					}
					if len(path) < 2 {
						t.Errorf("%s: %v to %v: only %v", p.Key, from, to, path)
					}
					for i, l := range path {
						if slices.Contains(path[:i], l) {
							t.Errorf("%s: %v to %v: %s twice", p.Key, from, to, n.Links[l].Name)
						}
						if g := n.Links[l].GPU; g >= 0 && g != from.Index && g != to.Index {
							t.Errorf("%s: %v to %v goes over %s", p.Key, from, to, n.Links[l].Name)
						}
					}
				}
			}
		}
	}
}

// TestBounce: two GPUs that read and write 16 GB/s each through the host keep its memory
// busy with 128 GB/s, "over 100 GB/s" (TERAIO paper, Figure 11).
func TestBounce(t *testing.T) {
	c := Standard()
	c.GDS = false
	n := build(t, c)
	var moved unit.Bandwidth
	for g := range int16(2) {
		for _, path := range [][]Endpoint{{{Kind: OnGPU, Index: g}, {Kind: OnArray, Index: g}}, {{Kind: OnArray, Index: g}, {Kind: OnGPU, Index: g}}} {
			links, err := n.Route(path[0], path[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range links {
				if n.Links[l].Kind == HostDRAM {
					moved += n.Links[n.Array(int(g)).Read].Rate
				}
			}
		}
	}
	if moved != 128*unit.GBps {
		t.Errorf("host memory moves %v, want 128 GB/s", moved)
	}
}

// rates are the rates of links by name.
func rates(n *Node) map[string]unit.Bandwidth {
	m := map[string]unit.Bandwidth{}
	for _, l := range n.Links {
		m[l.Name] = l.Rate
	}
	return m
}

func TestRates(t *testing.T) {
	with := func(change func(*Config)) Config {
		c := Standard()
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name string
		c    Config
		link string
		want unit.Bandwidth
	}{
		{"array", Standard(), "Drives of GPU 0 read", 16 * unit.GBps},
		{"array", Standard(), "Drives of GPU 1 written", 16 * unit.GBps},
		{"two drives", with(func(c *Config) { c.Drives = 2 }), "Drives of GPU 0 read", 13400 * unit.MBps},
		{"two drives", with(func(c *Config) { c.Drives = 2 }), "Drives of GPU 0 written", 13 * unit.GBps},
		{"one drive", with(func(c *Config) { c.Drives = 1 }), "Drives of GPU 0 read", 6700 * unit.MBps},
		{"two drives by the other reading", with(func(c *Config) { c.Drives, c.ArrayCap, c.ArrayShare = 2, 0, 600 }), "Drives of GPU 0 read", 8040 * unit.MBps},
		{"no cap", with(func(c *Config) { c.ArrayCap = 0 }), "Drives of GPU 0 read", 26800 * unit.MBps},
		{"shared", with(func(c *Config) { c.Shared = true }), "Drives read", 32 * unit.GBps},
		{"shared, no cap", with(func(c *Config) { c.Shared, c.ArrayCap = true, 0 }), "Drives written", 52 * unit.GBps},
		{"PCIe", Standard(), "GPU 1 PCIe in", pcie5},
		{"host path", Standard(), "GPU 1 from host", 3 * unit.GBps},
		{"pinned", Standard(), "GPU 1 from pinned memory", 50_400 * unit.MBps},
		{"pinned", Standard(), "GPU 1 from pinned memory", 50_400 * unit.MBps},
		{"host path that nothing limits", with(func(c *Config) { c.HostPath = 0 }), "GPU 1 to host", pcie5},
		{"collectives", Standard(), "GPU 0 to GPUs", 6 * unit.GBps},
		{"collectives over NVLink", with(func(c *Config) { c.Collective, c.GPU.Peer = 0, 300*unit.GBps }), "GPU 0 from GPUs", 300 * unit.GBps},
		{"collectives over PCIe", with(func(c *Config) { c.Collective = 0 }), "GPU 0 from GPUs", pcie5},
		{"host memory", Standard(), "Host memory read", 460800 * unit.MBps},
		{"switch", must(FindPreset("eight-a100")).Config, "Switch 3 towards GPUs", pcie4},
	} {
		if got := rates(build(t, tt.c))[tt.link]; got != tt.want {
			t.Errorf("%s: %s has %v, want %v", tt.name, tt.link, got, tt.want)
		}
	}
}

// TestMore: more of anything lowers no link's rate. That makes it a theorem, for each link, that
// what a drive, a rate or a share adds can be left unused.
func TestMore(t *testing.T) {
	type step struct {
		name string
		do   func(*Config)
	}
	steps := []step{
		{"a drive", func(c *Config) { c.Drives++ }},
		{"a faster drive", func(c *Config) { c.Drive.Read *= 2; c.Drive.Write *= 2 }},
		{"a larger share", func(c *Config) { c.ArrayShare = min(1000, c.ArrayShare+100) }},
		{"a higher cap", func(c *Config) { c.ArrayCap *= 2 }},
		{"host memory", func(c *Config) { c.HostRate += unit.GBps }},
		{"a host path", func(c *Config) { c.HostPath *= 2 }},
		{"pinned copies", func(c *Config) { c.Pinned *= 2 }},
		{"a path to pinned memory", func(c *Config) { c.Pinned *= 2 }},
		{"collectives", func(c *Config) { c.Collective *= 2 }},
		{"a GPU link", func(c *Config) { c.GPU.Link *= 2 }},
		{"a GPU", func(c *Config) { c.GPUs++ }},
	}
	for _, p := range Presets() {
		for variant := range 8 {
			c := p.Config
			c.Shared = variant&1 > 0
			if variant&2 > 0 {
				c.ArrayCap, c.ArrayShare = 16*unit.GBps, 600
			}
			c.Drives = int64(1 + variant>>2*5)
			before := rates(build(t, c))
			for _, s := range steps {
				more := c
				s.do(&more)
				after := rates(build(t, more))
				for name, rate := range before {
					if after[name] < rate {
						t.Errorf("%s, variant %d: with %s, %s falls from %v to %v", p.Key, variant, s.name, name, rate, after[name])
					}
				}
			}
		}
	}
}

func TestArray(t *testing.T) {
	c := Standard()
	n := build(t, c)
	if a := n.Array(1); len(n.Arrays) != 2 || a.Drives != 4 || !slices.Equal(a.GPUs, []int16{1}) || n.Links[a.Write].GPU != 1 {
		t.Errorf("exclusive: %d arrays, that of GPU 1 %+v", len(n.Arrays), a)
	}
	c.Shared = true
	n = build(t, c)
	if a := n.Array(1); len(n.Arrays) != 1 || a != n.Array(0) || a.Drives != 8 || !slices.Equal(a.GPUs, []int16{0, 1}) || n.Links[a.Write].GPU != -1 {
		t.Errorf("shared: %d arrays, that of GPU 1 %+v", len(n.Arrays), a)
	}
	c.Drives = 0
	if a := build(t, c).Array(0); a != nil {
		t.Errorf("without drives: %+v", a)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*Config)
	}{
		{"GPUs: 0 is not", func(c *Config) { c.GPUs = 0 }},
		{"GPUs: 65 is not", func(c *Config) { c.GPUs = 65 }},
		{"spare memory", func(c *Config) { c.Spare = -1 }},
		{"nothing is left", func(c *Config) { c.Spare = million }},
		{"efficiency", func(c *Config) { c.Efficiency = 1001 }},
		{"drives of a GPU", func(c *Config) { c.Drives = -1 }},
		{"drives of a GPU", func(c *Config) { c.Drives = 1 << 40 }},
		{"reading of a drive", func(c *Config) { c.Drive.Read = 0 }},
		{"writing of a drive", func(c *Config) { c.Drive.Write = 1 << 62 }},
		{"share that an array", func(c *Config) { c.ArrayShare = 0 }},
		{"most of an array", func(c *Config) { c.ArrayCap = -1 }},
		{"host memory", func(c *Config) { c.Host = -1 }},
		{"bandwidth of host memory", func(c *Config) { c.HostRate = 1 }},
		{"path between GPU and host", func(c *Config) { c.HostPath = -1 }},
		{"path between GPU and pinned", func(c *Config) { c.Pinned = -1 }},
		{"pinned", func(c *Config) { c.Pinned = -1 }},
		{"Adam", func(c *Config) { c.Adam = 0 }},
		{"collectives", func(c *Config) { c.Collective = -1 }},
		{"on a switch", func(c *Config) { c.Switch = 0 }},
		{"link of the GPU", func(c *Config) { c.GPU.Link = 0 }},
		{"bf16", func(c *Config) { c.GPU.BF16 = 0 }},
		{"price of a drive", func(c *Config) { c.Drive.Cents = -1 }},
		{"years", func(c *Config) { c.Prices.Years = -1 }},
	} {
		c := Standard()
		tt.change(&c)
		n, err := c.Build()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("want an error with %q, got %v, %v", tt.want, n, err)
		}
	}
	var zero Config
	if err := zero.Check(); err == nil || strings.Count(err.Error(), "\n") < 8 {
		t.Errorf("all that is wrong is said at once, got %v", err)
	}
	c := Standard()
	c.Drives, c.Drive, c.ArrayShare, c.Host, c.Prices = 0, Drive{}, 0, 0, Prices{}
	if err := c.Check(); err != nil {
		t.Errorf("a node without drives needs no drive: %v", err)
	}
}

// TestExtremes: the largest node that Check lets through has rates and a price that did not overflow.
func TestExtremes(t *testing.T) {
	c := Standard()
	c.GPUs, c.Drives, c.Shared, c.ArrayCap = mostGPUs, mostDrives, true, mostRate
	c.Drive.Read, c.Drive.Write, c.HostRate, c.Host = mostRate, mostRate, mostRate, mostMemory
	c.GPU.Cents, c.Drive.Cents, c.Prices.Base, c.Prices.HostGiB = mostCents, mostCents, mostCents, mostCents
	n := build(t, c)
	if got, want := n.Links[n.Arrays[0].Read].Rate, mostGPUs*mostRate; got != want {
		t.Errorf("array of %v, want %v", got, want)
	}
	if got := c.Price(); got < mostGPUs*mostDrives*mostCents {
		t.Errorf("price %d", got)
	}
}

// TestStream: all GPUs read pinned host memory at their own paths, through their switches, at half of
// what host memory moves at most.
func TestStream(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   unit.Bandwidth
	}{
		{"pinned", func(*Config) {}, 100_800 * unit.MBps},
		{"as a program does", func(c *Config) { c.Pinned = 0 }, 6 * unit.GBps},
		{"as fast as PCIe", func(c *Config) { c.Pinned, c.HostPath = 0, 0 }, 126_030 * unit.MBps},
		{"one switch", func(c *Config) { c.Switch = 2 }, 63_015 * unit.MBps},
		{"slow host memory", func(c *Config) { c.HostRate = 100 * unit.GBps }, 50 * unit.GBps},
	} {
		c := Standard()
		tt.change(&c)
		if got := build(t, c).Stream(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestHostFree: of 128 GiB eight are the system's, and of what is left a system counts what a margin of 30 % leaves.
func TestHostFree(t *testing.T) {
	c := Standard()
	if c.Host = 128 * unit.GiB; c.HostFree() != c.Host {
		t.Errorf("%v of %v", c.HostFree(), c.Host)
	}
	c.HostSpare, c.HostMargin = 8*unit.GiB, 300
	if got, want := c.HostFree(), unit.Bytes(120*int64(unit.GiB)*10/13); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBouncePath: bytes between drives and a GPU cross it where they do not talk directly, and nowhere else.
func TestBouncePath(t *testing.T) {
	for _, direct := range []bool{true, false} {
		c := Standard()
		c.GDS, c.BouncePath = direct, 12*unit.GBps
		n, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		gpu, array := Endpoint{Kind: OnGPU, Index: 1}, Endpoint{Kind: OnArray, Index: 1}
		for _, way := range [][2]Endpoint{{gpu, array}, {array, gpu}} {
			path, err := n.Route(way[0], way[1])
			if err != nil {
				t.Fatal(err)
			}
			crosses := false
			for _, l := range path {
				crosses = crosses || n.Links[l].Rate == c.BouncePath
			}
			if crosses == direct {
				t.Errorf("GDS %v: the path crosses it: %v", direct, crosses)
			}
		}
	}
}
