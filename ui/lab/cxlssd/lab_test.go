package cxlssd

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/lab/own"
)

// setups are every workload, much smaller than usual, and other devices.
func setups() []string {
	list := []string{"workload=radix scale=64 mode=paper", "workload=srad scale=64 threads=16 log=0.5 threshold=20", "workload=bc scale=64 precondition=30 channels=4 dies=1 blocks=256 pages=64 log=8"}
	for _, w := range stream.Recipes() {
		list = append(list, "workload="+w.Name+" scale=64")
	}
	return list
}

// TestRuns runs every design on every workload.
func TestRuns(t *testing.T) {
	l := New()
	values := []string{"time_ms", "amat_ns", "switches", "flash_reads", "flash_programs", "promotions", "link_bytes"}
	labtest.Runs(t, &l, setups(), values, func(about string, r *report.Report, raw any) { consistent(t, &l, about, r, raw.(*result)) })
}

// consistent checks what every report must hold.
func consistent(t *testing.T, l *lab.Lab, name string, r *report.Report, raw *result) {
	t.Helper()
	if !r.Fits {
		t.Fatalf("%s: %+v", name, r)
	}
	value := labtest.Value(t, l, name, r)
	sum := labtest.Sum(t, l, name, r)
	near := labtest.Near(t, name, 1e-6)
	near("the time of cores", sum("cores"), value("time_ms"))
	shares := 0.0
	for _, k := range kinds {
		shares += value("share_" + k.key)
	}
	near("shares", shares, 100)
	near("speed", value("of_ideal")*value("time_ms"), 100*float64(raw.ideal.Time)/1e9)
	if even := value("of_even"); even > value("of_ideal")+1e-9 {
		t.Errorf("%s: DRAM-only spread evenly is slower than as it is: %v %%", name, even)
	}
	said := strings.Contains(strings.Join(r.Caveats, " "), "DRAM-only is no bound here: ") && strings.Contains(strings.Join(r.Notes, " "), "is faster than DRAM-only: ")
	if said != (raw.Time < raw.ideal.Time) {
		t.Errorf("%s: %v of DRAM-only's %v, and says %q, %q", name, raw.Time, raw.ideal.Time, r.Caveats, r.Notes)
	}
	for _, c := range r.Curves {
		if c.Chart == "merged" && math.Abs(c.Y[len(c.Y)-1]-100) > 1e-9 {
			t.Errorf("%s: %v %% of pages have at most 64 lines", name, c.Y[len(c.Y)-1])
		}
	}
}

// TestPasses: a design that is faster than DRAM-only says why with its own numbers, and
// all that are say the same of the workload.
func TestPasses(t *testing.T) {
	l := New()
	for _, c := range []struct {
		set, system string
		own, common []string
		not         string
	}{
		{"workload=bc scale=32", "skybyte-p", []string{"SkyByte-P is faster", "promoted pages take 46 ns against 73.6 ns (switch fixed-host)", "were spread evenly"}, []string{"slowest core takes 1.3", "its memory 73.6 ns", "waits for stores"}, "threads load"},
		{"workload=bc scale=32", "skybyte-full", []string{"its 24 threads load the cores more evenly than DRAM-only's 8 (slowest core over mean ", "46 ns against 73.6 ns", "it buffers stores"}, []string{"its memory 73.6 ns"}, "none"},
		{"workload=bc scale=32 mode=paper", "skybyte-full", []string{"24 threads"}, []string{"threads that take turns"}, "46 ns"},
		{"workload=bc scale=32 mode=paper stores=2", "skybyte-cp", []string{"24 threads"}, nil, "stores"},
	} {
		r, _, err := l.Run(labtest.Setup(t, &l, c.set), c.system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		own, common := strings.Join(r.Notes, " "), strings.Join(r.Caveats, " ")
		for _, x := range c.own {
			if !strings.Contains(own, x) {
				t.Errorf("%s, %s: the notes lack %q: %s", c.set, c.system, x, own)
			}
		}
		for _, x := range c.common {
			if !strings.Contains(common, x) {
				t.Errorf("%s, %s: the caveats lack %q: %s", c.set, c.system, x, common)
			}
		}
		if strings.Contains(own+common, c.not) {
			t.Errorf("%s, %s: %q is no reason: %s %s", c.set, c.system, c.not, own, common)
		}
	}
}

// TestLosses: with demotion-lost a design with a log that demotes says how much is not
// written, and as many programs come back without the switch.
func TestLosses(t *testing.T) {
	l := New()
	var programs [2]int64
	for i, mode := range []string{"artifact", strings.ReplaceAll(quirkKeys(modeArtifact), ",demotion-lost", "")} {
		r, raw, err := l.Run(labtest.Setup(t, &l, "workload=radix scale=32 mode="+mode), "skybyte-full", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		is := raw.(*result)
		programs[i] = is.programs()
		said := strings.Contains(strings.Join(r.Caveats, " "), "lose data here") && strings.Contains(strings.Join(r.Notes, " "), prose.Grouped(is.Demotions)+" pages leave host DRAM")
		if said != (i == 0) {
			t.Errorf("%s: %q, %q", mode, r.Caveats, r.Notes)
		}
		if pages, lines := lost(is); i == 0 {
			programs[0] += pages
			if pages == 0 || lines != 0 {
				t.Errorf("%d pages and %d lines are lost", pages, lines)
			}
		}
	}
	if programs[0] != programs[1] {
		t.Errorf("with what is lost %d programs, without the switch %d", programs[0], programs[1])
	}
	if _, raw, err := l.Run(labtest.Setup(t, &l, "workload=radix scale=32"), "skybyte-cp", nil, nil); err != nil {
		t.Error(err)
	} else if pages, lines := lost(raw.(*result)); pages+lines != 0 {
		t.Error("a design without a log loses data")
	}
}

// TestEveryKnobActs changes each setting and sees a value change.
func TestEveryKnobActs(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	l := New()
	// What each setting needs to have an effect stands before it.
	other := map[string]string{
		"workload": "workload=radix", "scale": "scale=16", "threads": "threads=16", "seed": "seed=2",
		"insts": "insts=600", "cpi": "cpi=2", "onchip": "onchip=100", "dram_latency": "dram_latency=100", "overlap": "overlap=0.9", "outstanding": "overlap=0.9 outstanding=2",
		"visits": "visits=4", "stores": "stores=2", "heavy": "heavy_share=0.8 heavy=2", "heavy_share": "heavy=2 heavy_share=0.8", "demote_dirty": "own_log=0 host_dram=0.1 demote_dirty=0.1", "demote_most": "own_log=0 demote_most=4000",
		"fill": "fill=0.1", "fill_promote": "own_log=0 ssd_dram=72 fill_promote=0.1", "switching": "switching=32", "classes": "classes=data+pages:20000+random+lines:4+writes:0.5",
		"flash_read": "flash_read=10", "flash_program": "flash_program=200", "flash_erase": "%s flash_erase=3000", "channels": "channels=8", "dies": "mode=paper dies=1", "planes": "mode=paper dies=1 planes=4",
		"blocks": "%s blocks=200", "pages": "%s pages=48", "channel_rate": "channel_rate=1",
		"ssd_dram": "ssd_dram=128", "log": "log=7", "ways": "ssd_dram=72 ways=1", "host_dram": "own_log=0 host_dram=0.01",
		"promote_at": "promote_at=2", "promote_reset": "mode=paper promote_reset=100", "scan_period": "mode=paper own_promote=tpp scan_period=5", "scan_pages": "mode=paper own_promote=tpp scan_period=5 scan_pages=200", "promote_copy": "promote_copy=5", "shootdown": "shootdown=5",
		"link": "link=100", "link_rate": "link_rate=1", "index": "index=200", "access": "access=100",
		"precondition": "channels=4 dies=1 blocks=256 pages=64 precondition=40", "collect_at": "%s collect_at=34",
		"endurance": "endurance=1000", "dram_price": "dram_price=10", "flash_price": "flash_price=1",
		"own_log": "own_log=0", "own_switch": "own_switch=0", "own_promote": "own_promote=miss",
		"sharing": "sharing=2", "cores": "cores=4", "clock": "clock=2", "store_buffer": "stores=2 store_buffer=1", "scheduler": "scheduler=random", "switch": "switch=10", "threshold": "threshold=50",
		"mode":   "mode=paper",
		"policy": "policy=promote=hits>1", "p1": "policy=promote=hits>p1 p1=9", "p2": "policy=promote=hits>p2 p2=9", "p3": "policy=promote=hits>p3 p3=9", "p4": "policy=promote=hits>p4 p4=9",
		"policy_work": "workload=ycsb-b policy=keep+n=0@when+access:n=min(n,now)%2Bhits*read%2Bwritten*age%2Bdirty%2Blogged%2Bwaiting%2Bbacklog@promote=hits>n policy_work=1",
	}
	const collecting = "channels=4 dies=1 blocks=256 pages=64 precondition=40"
	for key, typed := range other {
		other[key] = strings.Replace(typed, "%s", collecting, 1)
	}
	values := func(typed string) string {
		u := labtest.Setup(t, &l, "workload=tpcc scale=32 "+typed) // the last one counts
		var b strings.Builder
		for _, s := range []string{"base-cssd", "skybyte-full", "own-design", own.Name} {
			r, _, err := l.Run(u, s, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", typed, err)
			}
			fmt.Fprintln(&b, r.Fits, r.Reason, r.Values)
		}
		return b.String()
	}
	for i := range l.Knobs {
		k := &l.Knobs[i]
		if k.Key == "entry" || slices.Contains(l.EntryKnobs, k.Key) || k.Derived || k.Key == "collect_until" {
			continue // of files; names for others; runs this small end before a collection does
		}
		typed, ok := other[k.Key]
		if !ok {
			t.Errorf("no other value for %s", k.Key)
			continue
		}
		before := typed[:strings.LastIndex(" "+typed, " ")]
		if values(typed) == values(before) {
			t.Errorf("%s changes nothing", typed)
		}
	}
}

func TestErrors(t *testing.T) {
	l := New()
	for _, tt := range []struct{ set, system, want string }{
		{"entry=x", "base-cssd", "no longer at hand"},
		{"", "magic", `unknown system "magic"`},
		{"log=600", "skybyte-w", "leaves 0 B of the device's 512 MiB"},
		{"collect_at=50", "skybyte-w", "it must end with as many or more"},
		{"ssd_dram=65536 host_dram=256", "skybyte-w", "less of the workload (Scale) would help"},
		{"classes=", "skybyte-w", "the classes of page visits: there is no class"},
	} {
		_, _, err := l.Run(labtest.Setup(t, &l, tt.set), tt.system, nil, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.set, err)
		}
	}
}

// The parts with names are what the core says of them.
func TestParts(t *testing.T) {
	l := New()
	u := l.Setup()
	if u.Text("device") != modeArtifact || u.Text("flash") != "ull" {
		t.Errorf("at first: %q, %q", u.Text("device"), u.Text("flash"))
	}
	var s settings
	for _, x := range []struct {
		set  string
		want core.Setup
	}{{"device=artifact", core.Default()}, {"device=paper", core.Paper()}} {
		s = standard()
		u := labtest.Setup(t, &l, x.set)
		if err := filled(&s, u); err != nil {
			t.Fatal(err)
		}
		if got := s.machine(); got != x.want {
			t.Errorf("%s: %+v, want %+v", x.set, got, x.want)
		}
	}
}

// filled stores a setup's texts in s.
func filled(s *settings, u *knob.Setup) error {
	var all []knob.Knob[settings]
	for _, list := range knobs() {
		all = append(all, list...)
	}
	return knob.Fill(all, s, u)
}
