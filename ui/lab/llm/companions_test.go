package llm

import (
	"errors"
	"fmt"
	"testing"

	"spillway/sim/knob"
	"spillway/sim/machine"
)

// TestGPUBringsItsNode: whoever names a GPU and no machine has the links of what it is sold with,
// whatever the settings that links leave out say; what is named beside it counts, and the
// text of the setup says the same again.
func TestGPUBringsItsNode(t *testing.T) {
	t.Parallel()
	l := New()
	read := func(text string) *knob.Setup {
		t.Helper()
		pairs, err := knob.Pairs(text)
		if err != nil {
			t.Fatal(err)
		}
		u := l.Setup()
		if err := u.Apply(u.WithCompanions(pairs)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return u
	}
	for _, g := range machine.GPUs() {
		usual := machine.SoldWith(g)
		for _, n := range []int{1, 2, 4, 8} {
			text := fmt.Sprintf("gpu=%s gpus=%d precision=bf16", g.Key, n)
			u := read(text)
			want := settings{Setup: standard().Setup}
			want.Node, want.Drive = usual, usual.Drive.Key
			for _, k := range aroundKnobs() {
				if k.Key != "gpus" && k.Key != "nodes" && k.Key != "ring_step" && u.Text(k.Key) != k.Text(&want) && k.Key != "gpu_memory" && k.Key != "spare" {
					t.Errorf("%s: %s is %s, want %s", text, k.Key, u.Text(k.Key), k.Text(&want))
				}
			}
			if back := read(l.SetupText(u)); !back.Equal(u) {
				t.Errorf("%s: its text %q says something else", text, l.SetupText(u))
			}
		}
	}
	for text, want := range map[string][2]string{
		"gpu=h100-sxm collective=6":           {"collective", "6"}, // as by default, but named
		"node=four-4090 gpu=b200":             {"collective", "12"},
		"gpu=b200 nic=ethernet-10":            {"network", "1.25"},
		"gpu=rtx-4090 drive=pm9a3":            {"drive", "pm9a3"},
		"gpu=h100-nvl":                        {"collective", "6"},
		"gpu=h100-nvl collective=6 drives=4":  {"host_path", "3"},
		"gpus=8":                              {"host_path", "3"}, // the TERAIO machine, of which nothing else is said
		"gpu=a100-80 gpus=8 nodes=4":          {"network", "25"},
		"gpu=gh200 gpus=1 host_memory=480":    {"host_memory", "480"},
		"gpu=rtx-5090 gpus=2 ssd_read=14":     {"ssd_read", "14"},
		"gpu=l40s gpus=4 gds=0 collective=10": {"gds", "0"},
	} {
		u := read(text)
		if got := u.Text(want[0]); got != want[1] {
			t.Errorf("%s: %s is %s, want %s", text, want[0], got, want[1])
		}
		if back := read(l.SetupText(u)); !back.Equal(u) {
			t.Errorf("%s: its text %q says something else", text, l.SetupText(u))
		}
	}
}

// TestExchanged: a GPU that takes the place of another that plugs in as it does has the same links whether it is
// picked, named beside the machine, or tried by "More and less of each part".
func TestExchanged(t *testing.T) {
	t.Parallel()
	l := New()
	for _, p := range machine.Presets() {
		for _, g := range machine.GPUs() {
			if g.Form != p.Config.GPU.Form {
				continue
			}
			picked, named := l.Setup(), l.Setup()
			pairs := []knob.Pair{{Key: "node", Text: p.Key}, {Key: "gpu", Text: g.Key}}
			if err := errors.Join(picked.Apply(pairs[:1]), named.Apply(named.WithCompanions(pairs))); err != nil {
				t.Fatal(err)
			}
			if _, err := picked.Choose("gpu", g.Key); err != nil {
				t.Fatal(err)
			}
			if !picked.Equal(named) {
				t.Errorf("%s in %s: picked %q, named %q", g.Key, p.Key, picked, named)
			}
			tried := settings{GPU: g.Key, Drive: p.Config.Drive.Key, Setup: standard().Setup}
			tried.Node = p.Config.With(g)
			for _, k := range aroundKnobs() {
				if k.Key != "nodes" && k.Key != "ring_step" && k.Key != "gpu_memory" && picked.Moot(k.Key) == "" && picked.Text(k.Key) != k.Text(&tried) {
					t.Errorf("%s in %s: %s is %s when it is picked, %s when it is tried", g.Key, p.Key, k.Key, picked.Text(k.Key), k.Text(&tried))
				}
			}
		}
	}
}

// TestCarriedOver: GPUs in a machine that is sold with others are said to be, and no others.
func TestCarriedOver(t *testing.T) {
	t.Parallel()
	for _, p := range machine.Presets() {
		for _, g := range machine.GPUs() {
			c := p.Config
			c.GPU = g
			usual := machine.SoldWith(g)
			same := c.HostPath == usual.HostPath && c.Pinned == usual.Pinned && c.Collective == usual.Collective
			if said := carriedOver(&c); (said == nil) != (same || g.Key == p.Config.GPU.Key) {
				t.Errorf("%s with %s: %q", p.Key, g.Key, said)
			}
			if said := carriedOver(&usual); said != nil {
				t.Errorf("%s as it is sold: %q", g.Key, said)
			}
		}
	}
}
