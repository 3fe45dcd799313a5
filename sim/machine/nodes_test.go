package machine

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
)

// TestNodes: what nodes have in common is of all, GPUs of different nodes are joined by the network, and a ring is as fast
// as the slower of what joins GPUs and its share of the adapters.
func TestNodes(t *testing.T) {
	preset, err := FindPreset("dgx-h100")
	if err != nil {
		t.Fatal(err)
	}
	one := preset.Config
	two := one.Times(2)
	if two.GPUs != 16 || two.Host != 2*one.Host || two.Adam != 2*one.Adam || two.Price() != 2*one.Price() || two.MilliWatts() != 2*one.MilliWatts() {
		t.Errorf("two nodes are %+v", two)
	}
	if back := two.One(); back != one {
		t.Errorf("one of them is %+v", back)
	}
	n, err := two.Build()
	if err != nil {
		t.Fatal(err)
	}
	names := func(from, to int16) (list []string) {
		path, err := n.Route(Endpoint{Kind: OnGPU, Index: from}, Endpoint{Kind: OnGPU, Index: to})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range path {
			list = append(list, n.Links[l].Name)
		}
		return list
	}
	if got := names(6, 7); len(got) != 2 {
		t.Errorf("inside a node bytes cross %q", got)
	}
	if got := names(7, 8); !slices.Equal(got, []string{"GPU 7 to GPUs", "GPU 8 from GPUs", "Node 0 to network", "Node 1 from network"}) {
		t.Errorf("between nodes bytes cross %q", got)
	}
	slow := two
	slow.Network = 10 * unit.GBps
	for _, tt := range []struct {
		c               *Config
		members, stride int64
		want            unit.Bandwidth
	}{
		{&two, 8, 1, 370 * unit.GBps},  // inside
		{&two, 16, 1, 360 * unit.GBps}, // eight adapters of 45
		{&two, 2, 8, 45 * unit.GBps},   // eight rings at once
		{&slow, 16, 1, 72 * unit.GBps},
		{&slow, 4, 4, 18 * unit.GBps},
	} {
		if got := tt.c.Ring(tt.members, tt.stride); got != tt.want {
			t.Errorf("%d GPUs, %d apart: %v, want %v", tt.members, tt.stride, got, tt.want)
		}
	}
	for want, change := range map[string]func(*Config){
		"do not divide":   func(c *Config) { c.GPUs = 15 },
		"without a netw":  func(c *Config) { c.Network = 0 },
		"one array":       func(c *Config) { c.Shared = true },
		"GPUs of a node:": func(c *Config) { c.GPUs = 200 },
	} {
		c := two
		change(&c)
		if _, err := c.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
