package model

import (
	"reflect"
	"strings"
	"testing"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system/deepumplus"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/ui/job"
)

func TestLinkRoundTrip(t *testing.T) {
	change := func(f func(*State)) State {
		s := Default()
		f(&s)
		return s
	}
	preset := Presets()[1]
	tests := []struct {
		state State
		link  string
	}{
		{Default(), "v=1&model=bert-base&batch=256&times=as-paper"},
		{change(func(s *State) { s.Source.Batch, s.Source.Times = 32, workload.Estimated }), "v=1&model=bert-base&batch=32&times=estimated"},
		{
			change(func(s *State) { s.Machine.GPUMemory = 24*unit.GiB + 512*unit.MiB; s.Machine.AllocRate = 815 }),
			"v=1&model=bert-base&batch=256&times=as-paper&gpu_memory=24.5&alloc_rate=0.000000815",
		},
		{
			change(func(s *State) {
				s.Preset, s.Machine = preset.Key, preset.Machine
				s.Machine.HostMemory = 0
			}),
			"v=1&model=bert-base&batch=256&times=as-paper&machine=" + preset.Key + "&host_memory=0",
		},
		{
			change(func(s *State) { s.Source.Times, s.Source.GPU = workload.Estimated, job.GPUs()[1].Key }),
			"v=1&model=bert-base&batch=256&times=estimated&gpu=" + job.GPUs()[1].Key,
		},
		{change(func(s *State) { s.Options.Quirks = quirk.Corrected() }), "v=1&model=bert-base&batch=256&times=as-paper&mode=corrected"},
		{
			change(func(s *State) {
				s.Options.Quirks = quirk.ArrivalOrder | quirk.NoPromotion
				deepumplus.Lookahead.Set(&s.Options, 4)
			}),
			"v=1&model=bert-base&batch=256&times=as-paper&lookahead=4&mode=arrival-order,no-promotion",
		},
		{
			change(func(s *State) { s.Toggle(train.Systems[2].Name); s.Toggle(train.Systems[1].Name); s.Axis = ByKernel }),
			"v=1&model=bert-base&batch=256&times=as-paper&without=" + train.Systems[2].Name + "," + train.Systems[1].Name + "&axis=kernel",
		},
		{change(func(s *State) { s.Source = job.Source{Entry: "BERT/256 ü&=#,x"} }), "v=1&entry=BERT%2F256+%C3%BC%26%3D%23,x"},
	}
	for _, tt := range tests {
		if tt.state.Off != nil && tt.state.Off[0] > tt.state.Off[1] {
			t.Errorf("systems left out are not sorted: %v", tt.state.Off)
		}
		got := tt.state.Encode()
		if len(tt.state.Off) == 0 && got != tt.link {
			t.Errorf("Encode:\ngot  %s\nwant %s", got, tt.link)
		}
		back, err := Decode("#" + got)
		if err != nil || !reflect.DeepEqual(back, tt.state) {
			t.Errorf("Decode(%q)\ngot  %+v, %v\nwant %+v", got, back, err, tt.state)
		}
	}
}

// A link names a preset by its key, whatever the machine is called.
func TestLinkNamesPreset(t *testing.T) {
	for _, p := range Presets() {
		s, err := Decode("v=1&machine=" + p.Key)
		if err != nil || s.Preset != p.Key || s.Machine != p.Machine {
			t.Errorf("machine=%s: got %q, %+v, %v; want %+v", p.Key, s.Preset, s.Machine, err, p.Machine)
		}
	}
}

func TestLinkThatCannotBeRead(t *testing.T) {
	tests := []struct{ link, want string }{
		{"v=2&model=bert-base", "newer Spillway (format 2"},
		{"model=bert-base", "cut off"},
		{"v=0", "never existed"},
		{"v=one", "never existed"},
		{"v=1&model=alexnet", `unknown model "alexnet"`},
		{"v=1&batch=0", `batch size is "0"; BERT-base takes`},
		{"v=1&gpu=abacus", `GPU "abacus"`},
		{"v=1&model=resnet-50&batch=64&times=as-paper", `ResNet-50 has no "as-paper"`},
		{"v=1&times=guessed", "unknown time source"},
		{"v=1&machine=abacus", `names the machine "abacus"`},
		{"v=1&gpu_memory=lots", `"lots" is not a number`},
		{"v=1&gpu_memory=0", "GPU memory is 0 GiB; want"},
		{"v=1&mode=perfect", `unknown quirk "perfect"`},
		{"v=1&without=magic", `unknown system "magic"`},
		{"v=1&axis=up", "unknown axis"},
		{"v=1&color=red", `unknown setting "color"`},
		{"v=1&%zz", "damaged"},
	}
	for _, tt := range tests {
		s, err := Decode(tt.link)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Decode(%q): got error %v; want %q in it", tt.link, err, tt.want)
		}
		if s.Source.Model != "bert-base" {
			continue // another model is what the link asked for
		}
		if !reflect.DeepEqual(s, Default()) {
			t.Errorf("Decode(%q): what cannot be read must leave the default, got %+v", tt.link, s)
		}
	}
	s, err := Decode("v=1&batch=8&gpu_memory=x&host_memory=64")
	if err == nil || s.Source.Batch != 8 || s.Machine.HostMemory != 64*unit.GiB {
		t.Errorf("one bad value must not lose the others: %+v, %v", s, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("v=1&model=bert-base&batch=256&times=as-paper&gpu_memory=24.5")
	f.Add("v=1&mode=arrival-order,no-promotion&without=uvm&axis=kernel")
	f.Add("v=1&entry=a%20b&machine=x&%")
	f.Fuzz(func(t *testing.T, link string) {
		s, err := Decode(link)
		if err != nil {
			return
		}
		again, err := Decode(s.Encode())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%q: got %+v, %v\nwant %+v", link, again, err, s)
		}
	})
}

func TestForm(t *testing.T) {
	f := NewForm(machine.Knobs())
	base := machine.G10()
	m := base
	field := func(key string) Field {
		for _, g := range f.Groups(&m, &base) {
			for _, v := range g.Fields {
				if v.Key == key {
					return v
				}
			}
		}
		t.Fatalf("no field %q", key)
		return Field{}
	}
	for _, tt := range []struct {
		text, wrong string
		want        unit.Bytes
	}{
		{"41", "", 41 * unit.GiB},
		{"", "enter a number", 41 * unit.GiB},
		{"1,5", "is not a number", 41 * unit.GiB},
		{"4097", "want 0.015625 to 4096", 41 * unit.GiB},
		{"0.5 ", "", unit.GiB / 2},
	} {
		f.Edit(&m, "gpu_memory", tt.text)
		v := field("gpu_memory")
		if v.Text != tt.text || !strings.Contains(v.Error, tt.wrong) || (v.Error == "") != (tt.wrong == "") || m.GPUMemory != tt.want || !v.Changed {
			t.Errorf("typed %q: got %+v and %v; want error %q and %v", tt.text, v, m.GPUMemory, tt.wrong, tt.want)
		}
	}
	m.GPUMemory = 3 * unit.GiB // changed another way: the draft is stale
	if v := field("gpu_memory"); v.Text != "3" || v.Error != "" {
		t.Errorf("got %+v; want 3", v)
	}
	f.Edit(&m, "gpu_memory", "x")
	if n := f.Errors(&m); n != 1 {
		t.Errorf("got %d errors; want 1", n)
	}
	f.Reset(&m, &base, "gpu_memory")
	if v := field("gpu_memory"); v.Text != "40" || v.Changed || f.Errors(&m) != 0 {
		t.Errorf("after reset: %+v", v)
	}
	v := field("ssd_read")
	for _, want := range []string{"Sustained", "Range: 0.01 to 10000 GB/s", "Source: G10 paper, Table 2", "SSD_PCIe_bandwidth_GBps"} {
		if !strings.Contains(v.Help, want) {
			t.Errorf("help is %q; want %q in it", v.Help, want)
		}
	}
}
