package machine

import (
	"slices"
	"strings"
	"testing"

	"spillway/sim/sustained"
	"spillway/sim/unit"
)

// The default machine is the G10 paper's, Table 2, with the artifact's configs.
// Parameters that these do not have are not listed.
func TestG10(t *testing.T) {
	want := map[string]string{
		"gpu_memory": "40", "gpu_clock": "1.2", "alloc_rate": "0.000000814", "host_memory": "128",
		"gpu_link": "15.754", "host_link": "15.754", "ssd_read": "3.2", "ssd_write": "3",
		"ssd_latency": "20", "fault_latency": "45", "fault_batch": "26", "batch_pages": "50",
	}
	m := G10()
	for _, k := range Knobs() {
		if got, stated := k.Text(&m), want[k.Key]; stated != "" && got != stated {
			t.Errorf("%s is %s %s, want %s", k.Key, got, k.Unit, stated)
		}
		delete(want, k.Key)
	}
	if len(want) > 0 {
		t.Errorf("no knobs %v", want)
	}
}

// Every knob is documented, and its text form is exact.
func TestKnobs(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Knobs() {
		if k.Key == "" || k.Label == "" || k.Help == "" || k.Source == "" || k.Group == "" || k.Unit == "" || k.Scale <= 0 || k.Min > k.Max {
			t.Errorf("%q leaves something empty: %+v", k.Key, k)
		}
		if seen[k.Key] || k.Config != "" && seen[k.Config] {
			t.Errorf("%q or %q is taken", k.Key, k.Config)
		}
		seen[k.Key], seen[k.Config] = true, true
		for _, preset := range Presets() {
			m := preset.Machine
			text := k.Text(&m)
			k.Set(&m, -1)
			if err := k.Parse(&m, text); err != nil || m != preset.Machine {
				t.Errorf("%s of %s: %q does not give the same machine: %v", k.Key, preset.Key, text, err)
			}
		}
		for _, limit := range []int64{k.Min, k.Max} {
			m := G10()
			k.Set(&m, limit)
			if err := k.Parse(&m, k.Text(&m)); err != nil || k.Get(&m) != limit {
				t.Errorf("%s: its limit %q cannot be entered: %v", k.Key, k.Text(&m), err)
			}
		}
	}
}

// Keys are in people's links: append to this list, never change or remove.
var presetKeys = []string{
	"g10-table-2-a100-40gb-pcie-3-z-nand",
	"a100-80gb-pcie-4-980-pro",
	"v100-32gb-pcie-3-z-nand",
	"h100-80gb-pcie-5-pm1743",
	"rtx-4090-pcie-4-990-pro",
	"a100-40gb-pcie-4-optane-p5800x",
	"rtx-3060-pcie-4-980-pro",
	"v100-32gb-pcie-3-deepum",
}

// The machine of the DeepUM paper: Table 1, with what a copy gets out of the link.
func TestDeepUM(t *testing.T) {
	want := map[string]string{
		"gpu_memory": "32", "host_memory": "512", "gpu_link": "12.5", "host_link": "12.5", "ssd_read": "3.2", "ssd_write": "3",
	}
	for _, p := range Presets() {
		if p.Key != "v100-32gb-pcie-3-deepum" {
			continue
		}
		for _, k := range Knobs() {
			if got := k.Text(&p.Machine); want[k.Key] != "" && got != want[k.Key] {
				t.Errorf("%s is %s %s, want %s", k.Key, got, k.Unit, want[k.Key])
			}
			delete(want, k.Key)
		}
		if p.GPU != "v100-32" || p.Prices.GPU != 1100000 || p.Prices.Platform != 100000 {
			t.Errorf("%s, %+v", p.GPU, p.Prices)
		}
	}
	if len(want) > 0 {
		t.Errorf("not looked at: %v", want)
	}
}

// Presets but those of papers have links as copies measure them, and drives that write what they
// do behind their cache, so that no answer is of the cache.
func TestPresetsSustain(t *testing.T) {
	papers := []string{"g10-table-2-a100-40gb-pcie-3-z-nand", "v100-32gb-pcie-3-deepum"}
	for _, p := range Presets() {
		if slices.Contains(papers, p.Key) {
			continue
		}
		for _, l := range sustained.Links() {
			if p.Machine.GPULink > l.Either()/100*102 && p.Machine.GPULink <= l.Protocol {
				t.Errorf("%s has a link of %v, which is %s by its protocol", p.Key, p.Machine.GPULink, l.Title)
			}
		}
		for _, d := range sustained.Drives() {
			words := strings.ReplaceAll(strings.ToLower(p.Machine.Name), " ", "-")
			if strings.Contains(words, d.Key) && d.Cache > 0 && p.Machine.SSDWrite%d.Write != 0 {
				t.Errorf("%s writes its drive at %v, which behind its cache of %v sustains %v", p.Key, p.Machine.SSDWrite, d.Cache, d.Write)
			}
		}
	}
}

func TestPresets(t *testing.T) {
	keys, names := map[string]bool{}, map[string]bool{}
	for i, p := range Presets() {
		m := p.Machine
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", p.Key, err)
		}
		if keys[p.Key] || names[m.Name] || p.Key == "" || m.Name == "" {
			t.Errorf("key %q or name %q is taken or empty", p.Key, m.Name)
		}
		keys[p.Key], names[m.Name] = true, true
		if !slices.Contains(presetKeys, p.Key) {
			t.Errorf("key %q is not in the list of those that must stay; add it", p.Key)
		}
		if i == 0 && m != G10() {
			t.Errorf("the default is %+v", m)
		}
	}
	for _, key := range presetKeys {
		if !keys[key] {
			t.Errorf("no preset has the key %q; links with it no longer work", key)
		}
	}
}

// Every combination of parts is a valid machine, in whatever order it is built.
func TestParts(t *testing.T) {
	slots := Slots()
	keys := map[string]bool{}
	for _, s := range slots {
		for _, p := range s.Parts {
			if keys[p.Key] || p.Key == "" || p.Name == "" || p.Source == "" {
				t.Errorf("%s: key %q is taken, or name or source is empty: %q, %q", s.Key, p.Key, p.Name, p.Source)
			}
			keys[p.Key] = true
		}
	}
	first := G10()
	for _, s := range slots {
		s.Parts[0].Fit(&first)
	}
	if first != G10() {
		t.Errorf("the first parts make %+v, want the G10 machine", first)
	}
	for _, a := range slots {
		for _, p := range a.Parts {
			for _, b := range slots {
				for _, q := range b.Parts {
					m := G10()
					p.Fit(&m)
					q.Fit(&m)
					if err := m.Validate(); err != nil {
						t.Errorf("%s, then %s: %v", p.Key, q.Key, err)
					}
				}
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *Machine)
		want   []string
	}{
		{"host link", func(m *Machine) { m.HostLink = 16 * unit.GBps }, []string{"host link (16 GB/s) is faster than the GPU link (15.75 GB/s); lower it or raise the GPU link"}},
		{"ssd read", func(m *Machine) { m.SSDRead = 16 * unit.GBps }, []string{"SSD read (16 GB/s) is faster than the host link (15.75 GB/s); lower it or raise the host link"}},
		{"ssd write", func(m *Machine) { m.SSDWrite = 16 * unit.GBps }, []string{"SSD write (16 GB/s) is faster than the host link (15.75 GB/s); lower it or raise the host link"}},
		{"idle link", func(m *Machine) { m.HostLink = 4 * unit.GBps }, []string{"GPU link (15.75 GB/s) is faster than host link and SSD read together (7.2 GB/s); nothing can fill it; lower it"}},
		{"no memory", func(m *Machine) { m.GPUMemory = 0 }, []string{"GPU memory is 0 GiB; want 0.015625 to 4096"}},
		{"all zero", func(m *Machine) { *m = Machine{} }, []string{
			"GPU memory is 0 GiB", "GPU clock is 0 GHz", "Allocation cost is 0 µs/B", "GPU link is 0 GB/s", "Migration batch is 0 pages",
		}},
		{"negative", func(m *Machine) { m.HostMemory = -1 * unit.GiB }, []string{"Host memory is -1 GiB; want 0 to 65536"}},
	} {
		m := G10()
		tt.change(&m)
		err := m.Validate()
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", tt.name, err, want)
			}
		}
		if tt.name != "all zero" && err != nil && strings.Count(err.Error(), "\n")+1 != len(tt.want) {
			t.Errorf("%s: more problems than %v: %v", tt.name, tt.want, err)
		}
	}
	if err := G10().Validate(); err != nil {
		t.Error(err)
	}
}

func TestTier(t *testing.T) {
	for tier, want := range map[Tier]string{Nowhere: "nowhere", SSD: "ssd", Host: "host", GPU: "gpu"} {
		if tier.String() != want {
			t.Errorf("%d is %q, want %q", uint8(tier), tier, want)
		}
	}
}

// Every part has a price with its time and source, or one that says that it is
// assumed; a machine costs what its parts do.
func TestPrices(t *testing.T) {
	for _, s := range Slots() {
		for _, p := range s.Parts {
			if p.Key != "host-0" && p.Price.Cents <= 0 || p.Price.Date == "" || p.Price.Source == "" {
				t.Errorf("%s: %+v", p.Key, p.Price)
			}
			if p.Price.Assumed != strings.Contains(p.Price.String(), "assumed: ") {
				t.Errorf("%s: %s", p.Key, p.Price)
			}
		}
	}
	if got, want := listed(1599, "October 2022", "at launch").String(), "$1599, at launch, October 2022"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, p := range Presets() {
		if p.Key != "rtx-4090-pcie-4-990-pro" {
			continue
		}
		// 1599 for the GPU, 325 for the SSD, 64 times 3.52 for memory, 1500 for the rest.
		if got := p.Prices.Total(&p.Machine); got != 159900+32500+64*352+150000 {
			t.Errorf("%s costs %d cents", p.Key, got)
		}
	}
	m := G10()
	p := PricesOf()
	with := p.Total(&m)
	if m.HostMemory = 0; with-p.Total(&m) != 128*352 {
		t.Errorf("128 GiB cost %d cents", with-p.Total(&m))
	}
}
