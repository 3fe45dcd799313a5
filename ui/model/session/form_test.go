package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/flash"
	"spillway/sim/kerneltime"
	"spillway/sim/knob"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/ui/model/state"
)

func TestFields(t *testing.T) {
	h := newHost(t, "")
	for _, tt := range []struct{ text, wrong, want string }{
		{"41", "", "41"},
		{"", "enter a number", "41"},
		{"1,5", "", "1.5"},
		{"1,024", "may be 1024 or 1.024", "1.5"},
		{"1e99", "too large", "1.5"},
		{"42 GB", "", "39.115548134"},
		{"41", "", "41"},
		{"4097", "want 0.015625 to 4096", "41"},
		{"0.5 ", "", "0.5"},
		{"24.", "", "24"},
		{"24.3", "", "24.3"},
	} {
		h.Type("gpu_memory", tt.text)
		f := h.field("gpu_memory")
		if f.Text != tt.text || !strings.Contains(f.Error, tt.wrong) || (f.Error == "") != (tt.wrong == "") || !f.Changed {
			t.Errorf("typed %q: got %+v; want error %q", tt.text, f, tt.wrong)
		}
		h.want("gpu_memory", tt.want)
	}
	h.Choose("part-gpu", "v100-32") // changed another way: what was typed is outdated
	if f := h.field("gpu_memory"); f.Text != "32" || f.Error != "" {
		t.Errorf("got %+v; want 32", f)
	}
	h.Type("gpu_memory", "x")
	if n := len(h.Form.Wrong()); n != 1 {
		t.Errorf("%d errors", n)
	}
	h.Reset("gpu_memory")
	if f := h.field("gpu_memory"); f.Text != "40" || f.Changed || len(h.Form.Wrong()) != 0 {
		t.Errorf("after reset: %+v", f)
	}
	f := h.field("ssd_read")
	for _, want := range []string{"Sustained", "Range: 0.01 to 10000 GB/s", "Source: G10 paper, Table 2", "SSD_PCIe_bandwidth_GBps"} {
		if !strings.Contains(f.Help, want) {
			t.Errorf("help is %q; want %q in it", f.Help, want)
		}
	}
	if f.Default != "3.2 GB/s" || f.Unit != "GB/s" || f.Group != "SSD" {
		t.Errorf("%+v", f)
	}
	h.Type("color", "red")
	h.Choose("mode", "perfect")
	if !strings.Contains(h.Notice, `Unknown fidelity "perfect"; there are published, corrected, or some of`) {
		t.Errorf("notice %q", h.Notice)
	}
}

// What is typed into one field stays whatever is chosen in others, also when it
// is wrong.
func TestDraftsStay(t *testing.T) {
	h := newHost(t, "")
	h.Type("ssd_latency", "20.")
	h.Type("batch", "many")
	h.Choose("times", "estimated")
	h.Choose("mode", "corrected")
	h.Flip("mode", "arrival-order")
	h.ToggleSystem("uvm")
	h.Choose("part-host", "host-64")
	h.SetLook(state.ByKey("memory"), "kernel")
	if f := h.field("ssd_latency"); f.Text != "20." {
		t.Errorf("%+v", f)
	}
	if f := h.field("batch"); f.Text != "many" || f.Error == "" {
		t.Errorf("%+v", f)
	}
	h.Choose("model", "vit-s-32") // comes with its batch size
	if f := h.field("batch"); f.Error != "" || f.Text != "1280" {
		t.Errorf("%+v", f)
	}
	h.Undo()
	if f := h.field("batch"); f.Text != "many" {
		t.Errorf("%+v", f)
	}
	h.Type("gpu_link", "fast")
	h.Choose("part-link", "pcie4")
	if f := h.field("gpu_link"); f.Text != "31.508" || f.Error != "" {
		t.Errorf("%+v", f)
	}
}

func TestForms(t *testing.T) {
	h := newHost(t, "")
	var keys []string
	seen := map[string]bool{}
	for _, f := range h.Form.Forms() {
		keys = append(keys, f.Key)
		if f.Title == "" || len(f.Groups) == 0 || f.Changed {
			t.Errorf("panel %s: %d groups, changed %t", f.Key, len(f.Groups), f.Changed)
		}
		for _, g := range f.Groups {
			for _, x := range g.Fields {
				if seen[x.Key] || x.Label == "" || x.Help == "" || x.Changed || x.Error != "" || x.Group != g.Name {
					t.Errorf("%+v", x)
				}
				seen[x.Key] = true
			}
		}
	}
	if !slices.Equal(keys, []string{"workload", "hardware", "fidelity", "options", "cost", "own"}) {
		t.Errorf("panels %q", keys)
	}
	for i := range h.Info.Knobs {
		k := &h.Info.Knobs[i]
		hidden := slices.Contains([]string{"entry", "network", "gpu", "calibrate", "sequence", "precision", "layout", "image", "attention", "accumulate", "checkpoint", "compile", "pytorch"}, k.Key) || slices.Contains(h.Info.EntryKnobs, k.Key) // an entry is picked; the paper's times are for one GPU
		if seen[k.Key] == hidden {
			t.Errorf("%s: shown %t", k.Key, seen[k.Key])
		}
	}
	h.Choose("times", "estimated")
	if f := h.field("gpu"); chosen(f) != "a100-40" {
		t.Errorf("%+v", f)
	}
	h.Type("iterations", "3")
	h.Type("gpu_memory", "9")
	for _, f := range h.Form.Forms() {
		if want := f.Key != "fidelity" && f.Key != "cost" && f.Key != "own"; f.Changed != want {
			t.Errorf("panel %s: changed %t", f.Key, f.Changed)
		}
	}
	h.ResetPanel("options")
	h.want("iterations", "2")
	h.want("gpu_memory", "9")
	h.ResetPanel("workload")
	h.want("times", "as-paper")
}

func TestLimits(t *testing.T) {
	h := newHost(t, "")
	h.Type("batch", "65537")
	if f := h.field("batch"); !strings.Contains(f.Error, "Batch size is 65537; want 1 to 65536") {
		t.Errorf("%+v", f)
	}
	h.Type("batch", "1.5")
	if f := h.field("batch"); !strings.Contains(f.Error, "whole number") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	h.Choose("model", "resnet-50") // has no times of the paper
	h.want("times", "estimated")
	if !strings.HasPrefix(h.SideEffects, "Kernel times: now Estimated, because") {
		t.Errorf("told %q", h.SideEffects)
	}
	h.Choose("model", "gpt2-xl") // nothing has to change
	if h.Notice != "" {
		t.Errorf("notice %q", h.Notice)
	}
	h.Choose("model", "resnet-50")
	f := h.field("times")
	for _, o := range f.Options {
		if want := "No other kernel times of ResNet-50 are known."; o.Off && (o.Why != want || f.Why != want) {
			t.Errorf("why: %q, %q", o.Why, f.Why)
		}
		if o.Off != (o.Key != "estimated") || o.Chosen != (o.Key == "estimated") {
			t.Errorf("%+v", o)
		}
	}
	h.Choose("times", "as-paper")
	if !strings.Contains(h.Notice, `Kernel times "as-paper" is not possible here: no other kernel times of ResNet-50 are known; there are estimated`) {
		t.Errorf("notice %q", h.Notice)
	}
	h.want("times", "estimated")
	b := newHost(t, "v=2&lab=bakery&portions=50")
	if f := b.field("portions"); f.Hint != "Try 4 or 8." {
		t.Errorf("%+v", f)
	}
	b.Choose("dish", "cake")
	b.want("portions", "12")
	b.want("oven", "gas")
	b.Undo()
	b.want("portions", "50")
	b.want("oven", "wood")
}

// A preset is what all goes back to.
func TestPresets(t *testing.T) {
	h := newHost(t, "")
	gpus := []string{"a100-40", "a100-80", "v100-32", "h100-80", "rtx-4090", "a100-40", "rtx-3060", "v100-32"}
	for i, p := range machine.Presets() {
		h.Type("gpu_memory", "x")
		h.Choose("machine", p.Key)
		for _, k := range machine.Knobs() {
			if f := h.field(k.Key); h.State.Setup.Text(k.Key) != k.Text(&p.Machine) || f.Text != "814 fs/B" && f.Text != k.Text(&p.Machine) || f.Changed || f.Error != "" {
				t.Errorf("%s: %+v", p.Key, f)
			}
		}
		if f := h.field("part-gpu"); chosen(f) != gpus[i] || h.State.Setup.Text("gpu") != gpus[i] {
			t.Errorf("%s: the slot has %q, times are for %q, want %q", p.Key, chosen(f), h.State.Setup.Text("gpu"), gpus[i])
		}
		if text := h.State.Setup.String(); strings.Contains(text, "gpu") && !strings.Contains(text, "gpu=a100-40") || !strings.Contains(text, "machine="+p.Key) {
			t.Errorf("%s: setup %s", p.Key, text)
		}
		h.Type("gpu_memory", "7")
		h.Type("ssd_read", "2")
		h.Choose("ssd", "z-nand")
		h.ResetPanel("hardware")
		h.want("machine", p.Key)
		h.want("ssd", "fixed")
		for _, k := range machine.Knobs() {
			h.want(k.Key, k.Text(&p.Machine))
		}
	}
}

// A part is a name for the numbers of a slot: choosing it sets them, and it shows
// while they hold.
func TestParts(t *testing.T) {
	for _, slot := range machine.Slots() {
		for _, p := range slot.Parts {
			h := newHost(t, "")
			m := machine.G10()
			p.Fit(&m)
			h.Choose("part-"+slot.Key, p.Key)
			for _, k := range machine.Knobs() {
				h.want(k.Key, k.Text(&m))
			}
			if f := h.field("part-" + slot.Key); chosen(f) != p.Key || f.Changed {
				t.Errorf("chose %s: %+v", p.Key, f)
			}
			if slot.Key == "gpu" && kerneltime.Find(p.Key) != nil {
				h.want("gpu", p.Key)
			}
			if link := h.Link(); strings.Contains(link, "part-") {
				t.Errorf("a part is in the link %s", link)
			}
		}
	}
	h := newHost(t, "")
	h.Type("gpu_memory", "41")
	f := h.field("part-gpu")
	if chosen(f) != "" || f.Options[0].Label != "custom" || !f.Options[0].Off || !strings.Contains(f.Help, "no listed part") {
		t.Errorf("%+v", f)
	}
	// A drive is as fast as its link; a faster link lets it go.
	h.Choose("part-ssd", "4x990-pro")
	h.want("ssd_read", "15.754")
	if f := h.field("part-ssd"); chosen(f) != "4x990-pro" {
		t.Errorf("%+v", f)
	}
	h.Choose("times", "estimated")
	h.Choose("part-gpu", "rtx-4090")
	if _, trust := h.Form.Brief(); trust[0] != "kernel times estimated for GeForce RTX 4090" {
		t.Errorf("brief %q", trust)
	}
}

// Fields that change nothing now say so.
func TestMoot(t *testing.T) {
	h := newHost(t, "")
	marked := func() map[string]string {
		m := map[string]string{}
		for _, f := range h.Form.Forms() {
			for _, g := range f.Groups {
				for _, x := range g.Fields {
					if x.Mark != "" {
						m[x.Key] = x.Mark
					}
				}
			}
		}
		return m
	}
	inert := map[string]bool{}
	for _, e := range quirk.All() {
		for _, key := range e.Quirk.Inert() {
			inert[key] = true
		}
	}
	got := marked()
	if got["optimizer"] != "the paper profiled no optimizer; take estimated kernel times" {
		t.Errorf("optimizer: %q", got)
	}
	h.Choose("times", "estimated")
	got = marked()
	if len(got) != len(inert) || !inert["ssd_write"] || got["ssd_write"] != "no effect with quirk symmetric-ssd" {
		t.Errorf("as published: %q; want %v", got, inert)
	}
	h.Choose("mode", "corrected")
	if got := marked(); len(got) != 0 {
		t.Errorf("corrected: %q", got)
	}
	h.Choose("ssd", flash.Drives()[0].Key)
	got = marked()
	for _, key := range []string{"part-ssd", "ssd_read", "ssd_write", "ssd_latency", "price_ssd"} {
		if got[key] != "set by the simulated drive" {
			t.Errorf("%s is marked %q", key, got[key])
		}
	}
	if len(got) != 5 {
		t.Errorf("with a drive: %q", got)
	}
	b := newHost(t, "v=2&lab=bakery&oven=gas")
	if f := b.field("watts"); f.Mark != "gas has none" {
		t.Errorf("%+v", f)
	}
	if pieces, _ := b.Form.Brief(); pieces[2] != "gas at 100, changed" {
		t.Errorf("brief %q", pieces)
	}
}

func TestMany(t *testing.T) {
	h := newHost(t, "")
	f := h.field("mode")
	if f.Kind != knob.Many || len(f.Options) != len(quirk.All()) || len(strings.Split(chosen(f), ",")) != len(f.Options) || len(f.Sets) != 2 || !f.Sets[0].Chosen {
		t.Errorf("%+v", f)
	}
	h.Flip("mode", "arrival-order")
	f = h.field("mode")
	count := fmt.Sprintf("%d of %d", len(f.Options)-1, len(f.Options))
	if f.Sets[0].Chosen || f.Sets[1].Chosen || f.Hint != count+" are on." || !f.Changed {
		t.Errorf("hint %q, sets %+v", f.Hint, f.Sets)
	}
	if _, trust := h.Form.Brief(); trust[1] != "custom, "+count {
		t.Errorf("brief %q", trust)
	}
	h.Flip("mode", "arrival-order")
	h.want("mode", "published")
	h.Choose("mode", "corrected")
	h.Flip("mode", "no-promotion")
	h.Flip("mode", "arrival-order")
	h.want("mode", "arrival-order,no-promotion")
	h.Flip("mode", "no-promotion")
	h.Flip("mode", "arrival-order")
	h.want("mode", "corrected")
	if _, trust := h.Form.Brief(); trust[1] != "corrected" {
		t.Errorf("brief %q", trust)
	}
}

// What a file decides is not said while it is not here.
func TestBriefWithoutFile(t *testing.T) {
	h := newHost(t, "v=3&lab=train&times=estimated&entry=gone.json")
	pieces, trust := h.Form.Brief()
	if pieces[0] != "gone.json" || slices.ContainsFunc(append(pieces, trust...), func(s string) bool { return strings.Contains(s, "kernel times") }) {
		t.Errorf("%q, %q", pieces, trust)
	}
}

// A GPU with as much memory as another is not that one where times are its own.
func TestBriefOfOtherMemory(t *testing.T) {
	h := newHost(t, "v=4-by-hand&lab=train&times=estimated&gpu=rtx-4090&machine=rtx-4090-pcie-4-990-pro&gpu_memory=12")
	pieces, _ := h.Form.Brief()
	if want := "GPU memory 12 GiB, PCIe 4.0 x16 (measured), Samsung 990 PRO 2 TB, 64 GiB host memory"; !slices.Contains(pieces, want) {
		t.Errorf("%q, want %q", pieces, want)
	}
}

func TestBrief(t *testing.T) {
	h := newHost(t, "")
	pieces, trust := h.Form.Brief()
	want := []string{"BERT-base, batch 256", "kernel times as the paper measured", "as published", "G10 Table 2: A100-40GB, PCIe 3, Z-NAND"}
	if !slices.Equal(pieces, want) || !slices.Equal(trust, want[1:3]) {
		t.Errorf("%q, %q", pieces, trust)
	}
	h.Type("gpu_memory", "39")
	h.Choose("ssd", "z-nand")
	pieces, _ = h.Form.Brief()
	if pieces[3] != "GPU memory 39 GiB, PCIe 3.0 x16, 128 GiB host memory" || !strings.HasPrefix(pieces[4], "simulated SSD ") {
		t.Errorf("%q", pieces)
	}
	h.Choose("part-gpu", "h100-80") // whose kernel times it brings along
	if h.SideEffects != "Kernel times: now Estimated." {
		t.Errorf("told %q", h.SideEffects)
	}
	h.Choose("part-ssd", "980-pro") // which is not the simulated one
	h.Type("fault_latency", "20")   // of no part
	pieces, _ = h.Form.Brief()
	if want := []string{"BERT-base, batch 256", "kernel times estimated for H100 80 GB", "as published", "H100 80 GB, PCIe 3.0 x16, Samsung 980 PRO 2 TB, 128 GiB host memory, changed"}; !slices.Equal(pieces, want) {
		t.Errorf("%q, want %q", pieces, want)
	}
}
