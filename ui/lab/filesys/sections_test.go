package filesys

import (
	"slices"
	"strings"
	"testing"

	core "spillway/sim/filesys"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/filesys/papers/bytefs"
	"spillway/ui/lab/labtest"
)

// small is a workload of all kinds of calls that runs in no time.
const small = "workload=varmail scale=256"

// sectionKnobs are a view's, as they are at first.
func sectionKnobs(l *lab.Lab, key string) *knob.Setup {
	return knob.NewSetup(l.Info.Section(key).Knobs)
}

// shown computes a section.
func shown(t *testing.T, l *lab.Lab, key, knobs, set, system string) *report.Section {
	t.Helper()
	view := sectionKnobs(l, key)
	pairs, err := knob.Pairs(knobs)
	if err == nil {
		err = view.Apply(pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Section(key, view, labtest.Setup(t, l, set), system, nil, nil)
	if err != nil {
		t.Fatalf("%s of %s, %s: %v", key, system, set, err)
	}
	return s
}

// What sections say of settings and systems that matter to them.
func TestSectionsSay(t *testing.T) {
	l := New()
	for _, x := range []struct{ key, view, set, system, want string }{
		{operationKey, "op_call=mkdir", small, "bytefs", "never calls mkdir"},
		{operationKey, "op_call=fsync", small, "ext4", "For each fsync the run moves"},
		{operationKey, "", "workload=stat scale=256", "bytefs", "A call of stat itself moves"},
		{operationKey, "op_call=close", small, "bytefs", "moves nothing"},
		{logKey, "", small, "ext4", "block commands alone"},
		{logKey, "", small, "nova", "a buffer of pages"},
		{logKey, "", small, "bytefs", "in a log of"},
		{factorsKey, "", "workload=varmail", "f2fs", "The paper's text says 1.90×; closest is"},
		{factorsKey, "", small, "f2fs", "The paper's text says 1.90×; that is compared only where"},
		{factorsKey, "", small, "nova", "No ratio of these two"},
		{sensitivityKey, "sensitive_to=log", small, "bytefs", "From 64 MiB to 512 MiB"},
		{quirksKey, "", small, "ext4", "none of these switches"},
		{lifeKey, "", small, "bytefs", "a call"},
	} {
		s := shown(t, &l, x.key, x.view, x.set, x.system)
		if !strings.Contains(strings.Join(s.Text, " "), x.want) {
			t.Errorf("%s of %s, %s: %q lacks %q", x.key, x.system, x.set, s.Text, x.want)
		}
	}
}

// TestOneCount: what a finding says is in the table below it.
func TestOneCount(t *testing.T) {
	l := New()
	s := shown(t, &l, logKey, "", "workload=varmail scale=64", "bytefs")
	for _, r := range s.Tables[0].Rows {
		if r.Head == "Pages programmed by cleaning" {
			if want := "cleaning programs " + r.Cells[0].Text + " page"; !strings.Contains(s.Text[0], want) {
				t.Errorf("%q lacks %q", s.Text[0], want)
			}
		}
	}
	s = shown(t, &l, sensitivityKey, "", small, "bytefs")
	if n := len(s.Tables[0].Rows); n != 5 {
		t.Errorf("%d file systems are varied", n)
	}
	for _, system := range []string{"bytefs", "f2fs"} {
		s = shown(t, &l, operationKey, "op_call=mkdir", "workload=mkdir scale=64", system)
		for _, r := range s.Tables[0].Rows {
			if r.Head == "Flash pages, programmed in the run for each" && r.Cells[2].Text < "1.5" {
				t.Errorf("F2FS programs %s pages for a directory", r.Cells[2].Text)
			}
		}
	}
}

// TestFactorsShareRuns: payload and fresh pages change nothing for others than ByteFS,
// and acknowledgement as the artifact has it nothing for those that do not wait, which is
// why factors run fewer than sixteen times.
func TestFactorsShareRuns(t *testing.T) {
	l := New()
	for _, x := range []struct {
		change  string
		systems []string
		same    bool
	}{
		{"payload=random", []string{"ext4", "f2fs", "nova", "pmfs"}, true},
		{"fresh=1", []string{"ext4", "f2fs", "nova", "pmfs"}, true},
		{"ack=artifact", []string{"bytefs", "nova", "pmfs", "bytefs-dual", "bytefs-log", "bytefs-select"}, true},
		{"payload=random", []string{"bytefs"}, false},
		{"ack=artifact", []string{"ext4", "f2fs"}, false},
	} {
		for _, s := range x.systems {
			_, a, err := l.Run(labtest.Setup(t, &l, small), s, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, b, err := l.Run(labtest.Setup(t, &l, small+" "+x.change), s, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if same := l.Hash(a) == l.Hash(b); same != x.same {
				t.Errorf("%s, %s: the same result: %v", x.change, s, same)
			}
		}
	}
}

// Switches that a system is said not to be concerned by change nothing for it.
func TestConcerns(t *testing.T) {
	l := New()
	for i := range machine.Quirks {
		for k := range core.Systems {
			x := &core.Systems[k]
			if concerns(1<<i, x) {
				continue
			}
			_, a, err := l.Run(labtest.Setup(t, &l, small), x.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, b, err := l.Run(labtest.Setup(t, &l, small+" mode="+machine.Quirks[i].Key), x.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if l.Hash(a) != l.Hash(b) {
				t.Errorf("%s concerns %s", machine.Quirks[i].Key, x.Title)
			}
		}
	}
}

// Ratios that factors show as published are those of Figure 6 in the paper's table, all of
// them, and are compared with the usual settings alone.
func TestPublished(t *testing.T) {
	want := map[string]float64{}
	for _, p := range bytefs.Paper().Points {
		if rival, ok := strings.CutPrefix(p.At, "over "); ok && (p.Figure == "6" || p.Figure == "6-ratios") && !strings.HasPrefix(p.Of, "mean") {
			want[p.Of+" "+strings.ToLower(rival)] = p.Value
		}
	}
	for _, p := range published {
		if key := p.workload + " " + p.rival; want[key] != p.ratio {
			t.Errorf("%s: %v, and %v in the table", key, p.ratio, want[key])
		}
	}
	if len(want) != len(published) {
		t.Errorf("%d of %d ratios", len(published), len(want))
	}
	l := New()
	for _, p := range published {
		for more, want := range map[string]bool{
			"": true, " payload=random": true, " fresh=1 ack=artifact": true,
			" scale=128": false, " device=cxl": false, " calls=100000": false, " mode=no-commit": false, " payload=random cores=4": false,
		} {
			s := standard()
			u := labtest.Setup(t, &l, "workload="+p.workload+more)
			var ks []knob.Knob[settings]
			for _, list := range knobs() {
				ks = append(ks, list...)
			}
			if err := knob.Fill(ks, &s, u); err != nil {
				t.Fatal(err)
			}
			if s.usual() != want {
				t.Errorf("%s%s: the usual settings: %v", p.workload, more, !want)
			}
		}
	}
}

// Points of what is varied are in order, so that their first and last are its ends.
func TestVariationsInOrder(t *testing.T) {
	for _, x := range variations {
		var last int64
		for i, p := range x.points {
			m := machine.Setup{}
			p.set(&m)
			at := max(int64(m.Device.Read), int64(m.Device.DRAM))
			if m.Device.LineRead > 0 {
				at = -int64(m.Device.LineRead) // the fastest link is last
			}
			if i > 0 && at <= last {
				t.Errorf("%s: %s is not in order", x.key, p.label)
			}
			last = at
		}
	}
}

// The busiest channel: what Finish wrote is not of the run, and work beyond its end is
// all of it.
func TestChannelBusy(t *testing.T) {
	at := slices.IndexFunc(list(), func(n report.Measure[*result]) bool { return n.Key == "channel_busy" })
	for _, x := range []struct {
		busy, left []unit.Time
		want       float64
	}{
		{[]unit.Time{30, 110, 50}, []unit.Time{0, 90, 0}, 0.5},
		{[]unit.Time{30, 170}, []unit.Time{0, 0}, 1},
		{nil, nil, 0},
	} {
		r := &result{Result: &core.Result{Time: 100, Device: device.Counts{Busy: x.busy}, Left: device.Counts{Busy: x.left}}}
		if got := list()[at].Of(r); got != x.want {
			t.Errorf("busy %v, of it left %v: %v, want %v", x.busy, x.left, got, x.want)
		}
	}
}

// Directories: what the preset says of how many bytes are moved.
func TestDirectories(t *testing.T) {
	l := New()
	at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return p.Key == "make-directories" })
	if !strings.Contains(l.Presets[at].About, "less than a tenth of the bytes") {
		t.Errorf("it says %q", l.Presets[at].About)
	}
	var moved [2]float64
	for i, system := range []string{"bytefs", "ext4"} {
		r, _, err := l.Run(labtest.Setup(t, &l, l.Presets[at].Set), system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		moved[i], _ = r.Value(l.Quantity("meta_mb"))
	}
	if moved[0] == 0 || moved[0]*10 >= moved[1] {
		t.Errorf("ByteFS moves %v MB, Ext4 %v", moved[0], moved[1])
	}
}

// What can be read of the measurement makes oltp's gain: 1.8 at first, 3.1 with the write pointer,
// 4.1 with all, with nothing fitted; and in another order it ends where it ended.
func TestFactsFall(t *testing.T) {
	l := New()
	s := shown(t, &l, measuredKey, "", "workload=oltp", "ext4")
	f := s.Falls[0]
	if got := f.Says; !strings.HasPrefix(got, "Settings at first 1.81×, One write pointer +1.28×,") || !strings.HasSuffix(got, "As measured 4.09×.") {
		t.Errorf("oltp: %q", got)
	}
	other := shown(t, &l, measuredKey, "fact_order=backwards fact_first=sync", "workload=oltp", "ext4").Falls[0]
	first, last := other.Steps[1], other.Steps[len(other.Steps)-1]
	if first.Key != "sync" || last.Text != f.Steps[len(f.Steps)-1].Text || len(other.Steps) != len(f.Steps) {
		t.Errorf("backwards: %q", other.Says)
	}
}

// The rules that the paper is compared with are the device of that name.
func TestMeasuredDevice(t *testing.T) {
	l := New()
	for _, p := range bytefs.Paper().Probes {
		if p.Figure == "6" && p.System == "bytefs" {
			if got := labtest.Setup(t, &l, p.Set).Text("device"); got != "measured" {
				t.Errorf("%s is device %q", p.Set, got)
			}
		}
	}
}
