package flash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden"
	"spillway/sim/unit"
)

func simulate(t testing.TB, s Spec, p Pattern) Measurement {
	t.Helper()
	m, err := Simulate(s, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// off returns how far got is from want, in percent.
func off[T ~int64](got, want T) float64 { return 100 * (float64(got)/float64(want) - 1) }

// TestDatasheets compares what emerges with what vendors state.
func TestDatasheets(t *testing.T) {
	const rate, latency = 3.0, 1.0 // percent
	for _, d := range Drives() {
		m := simulate(t, d.Spec, Sheet(&d.Spec))
		check := func(what string, percent, tolerance float64) {
			t.Helper()
			if math.Abs(percent) > tolerance {
				t.Errorf("%s: %s is %+.1f %% off the data sheet; want within %v %%", d.Key, what, percent, tolerance)
			}
		}
		check("read rate", off(m.Read, d.Sheet.Read), rate)
		check("write rate", off(m.Write, d.Sheet.Write), rate)
		check("read latency", off(m.ReadLatency, d.Sheet.ReadLatency), latency)
		check("write latency", off(m.WriteLatency, d.Sheet.WriteLatency), latency)
	}
}

// TestZNANDRandomWrites is a number nothing here was fitted to: 170,000 random
// 4 KiB writes a second in the steady state (Samsung SZ985 data sheet, as
// reported by Tom's Hardware, January 2018).
func TestZNANDRandomWrites(t *testing.T) {
	m := simulate(t, zNAND().Spec, Random())
	if p := off(m.Write, 170_000*4096); math.Abs(p) > 12 {
		t.Errorf("random writes at %v, %+.1f %% off 170,000 a second; want within 12 %%", m.Write, p)
	}
}

// TestGolden records what the presets deliver.
func TestGolden(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-9s %12s %12s %12s %12s %9s %9s %9s %6s %7s\n", "drive", "pattern",
		"read/B/s", "write/B/s", "mixed-read", "mixed-write", "read/ns", "write/ns", "loaded/ns", "wa/‰", "erases")
	for _, d := range Drives() {
		training := Pattern{Utilization: 1000, Request: 64 * unit.MiB, Hot: 30, HotWrites: 1000, Cyclic: true, Reads: 500}
		trimmed := Default()
		trimmed.Dead = 300
		skewed := Random()
		skewed.Hot, skewed.HotWrites = 200, 800
		for _, p := range []struct {
			name    string
			pattern Pattern
		}{
			{"sheet", Sheet(&d.Spec)},
			{"default", Default()},
			{"training", training},
			{"trimmed", trimmed},
			{"random", Random()},
			{"80/20", skewed},
		} {
			m := simulate(t, d.Spec, p.pattern)
			fmt.Fprintf(&b, "%-8s %-9s %12d %12d %12d %12d %9d %9d %9d %6d %7d\n", d.Key, p.name,
				m.Read, m.Write, m.MixedRead, m.MixedWrite, m.ReadLatency/1000, m.WriteLatency/1000, m.LoadedRead/1000, m.Amplification, m.Erases)
		}
	}
	golden.Compare(t, "testdata/drives.txt", []byte(b.String()))
}

// TestBottlenecks builds drives with one narrow place each, whose rate is known.
func TestBottlenecks(t *testing.T) {
	wide := Spec{
		Capacity: 1000 * unit.GB, OverProvision: 100, Channels: 4, Dies: 4, Planes: 1, Pages: 64, Page: 4 * unit.KiB,
		Read: unit.Microsecond, Program: unit.Microsecond, Erase: unit.Microsecond,
		Channel: 100 * unit.GBps, Link: 100 * unit.GBps, Payload: 4096, Buffer: 64 * unit.MiB, Endurance: unit.GB, Years: 1,
	}
	const planes, page = 16, 4096
	tests := []struct {
		name        string
		narrow      func(*Spec)
		read, write unit.Bandwidth // 0: not the bottleneck
	}{
		{"link", func(s *Spec) { s.Link = unit.GBps }, unit.GBps * 4096 / 4122, unit.GBps * 4096 / 4122},
		{"channels", func(s *Spec) { s.Channel = 500 * unit.MBps }, 2 * unit.GBps, 2 * unit.GBps},
		{"sense", func(s *Spec) { s.Read = 100 * unit.Microsecond }, planes * page * 10_000, 0},
		{"program", func(s *Spec) { s.Program = 100 * unit.Microsecond }, 0, planes * page * 10_000},
		{"erase", func(s *Spec) { s.Erase = 6400 * unit.Microsecond }, 0, planes * page * 10_000 * 100 / 101},
	}
	for _, tt := range tests {
		s := wide
		tt.narrow(&s)
		m := simulate(t, s, Pattern{Utilization: 1000, Request: unit.MiB, Hot: 1000, HotWrites: 1000, Cyclic: true, Reads: 500})
		if m.Amplification != 1000 {
			t.Errorf("%s: amplification %d; want 1000", tt.name, m.Amplification)
		}
		for _, c := range []struct {
			what      string
			got, want unit.Bandwidth
		}{{"read", m.Read, tt.read}, {"write", m.Write, tt.write}} {
			if c.want > 0 && math.Abs(off(c.got, c.want)) > 2 {
				t.Errorf("%s: %s rate %v; want %v ± 2 %%", tt.name, c.what, c.got, c.want)
			}
		}
	}
}

// TestScaleHardlyMatters simulates the same drive at other scales.
func TestScaleHardlyMatters(t *testing.T) {
	for _, d := range Drives() {
		if d.Spec.InPlace() {
			continue
		}
		p := Random()
		chosen := d.Spec.scale()
		var first int64
		for _, c := range []Scale{chosen, {chosen.Slice / 2, chosen.Pages, chosen.Blocks}, {chosen.Slice, chosen.Pages / 2, chosen.Blocks}, {chosen.Slice, chosen.Pages, chosen.Blocks / 2}} {
			s := d.Spec.shrink(c, &p)
			m := Measurement{Scale: c}
			from := newSource(&p, s.logical, s.slots)
			s.precondition(NewLayer(&Shape{Units: s.units, Blocks: s.blocks, Pages: s.pages, Logical: s.logical}), from, &p, &m)
			t.Logf("%s at %+v: amplification %d", d.Key, c, m.Amplification)
			if first == 0 {
				first = m.Amplification
			}
			if math.Abs(off(m.Amplification, first)) > 6 {
				t.Errorf("%s at %+v: amplification %d; at %+v it is %d: more than 6 %% apart", d.Key, c, m.Amplification, chosen, first)
			}
		}
	}
}

// TestDeviceConserves runs random small drives dry: everything issued ends, once,
// no plane works more than there is time, and mappings stay whole.
func TestDeviceConserves(t *testing.T) {
	const seeds = 200
	t.Logf("seeds 0 to %d", seeds-1)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := zNAND().Spec
		s.Read = unit.Time(1 + r.IntN(1e7))
		s.Program = unit.Time(1 + r.IntN(1e8))
		s.Erase = unit.Time(1 + r.IntN(1e9))
		channels := int32(1 + r.IntN(3))
		units := channels * int32(1+r.IntN(4))
		f := NewLayer(&Shape{Units: units, Blocks: 8, Pages: 8, Logical: units * 40})
		p := Pattern{Utilization: int64(1 + r.IntN(1000)), Request: 1, Hot: int64(1 + r.IntN(1000)), HotWrites: int64(r.IntN(1001)), Cyclic: r.IntN(2) == 0, Dead: int64(r.IntN(500))}
		src := newSource(&p, units*40, int32(1+r.IntN(20)))
		for l := range src.used() {
			f.Write(l)
		}
		src.bury(f, p.Dead)
		moved, erases := f.moved, f.erases
		d := newDevice(&s, units, channels, s.Page, s.Rate())
		d.ftl, d.source, d.depth, d.buffer = f, src, int32(r.IntN(20)), int32(r.IntN(20))
		if d.depth+d.buffer == 0 {
			d.depth = 1
		}
		d.run(500)
		d.drain()
		if d.reading != 0 || d.inside != 0 {
			t.Fatalf("seed %d: %d reads and %d writes never ended", seed, d.reading, d.inside)
		}
		host := f.host - int64(src.used())
		if d.written != host {
			t.Fatalf("seed %d: %d pages written, %d mapped", seed, d.written, host)
		}
		work := s.Read*unit.Time(d.read+f.moved-moved) + s.Program*unit.Time(host+f.moved-moved) + s.Erase*unit.Time(f.erases-erases)
		if work > d.now*unit.Time(units) {
			t.Fatalf("seed %d: %v of plane work in %v of %d planes", seed, work, d.now, units)
		}
		if why := broken(f); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
	}
}

func TestSameTwice(t *testing.T) {
	for _, d := range Drives() {
		if a, b := simulate(t, d.Spec, Default()), simulate(t, d.Spec, Default()); a != b {
			t.Errorf("%s: %+v, then %+v", d.Key, a, b)
		}
	}
}

// TestLifetimePublished is the arithmetic of the G10 paper, §7.7: a drive for
// 30 drive writes a day over 5 years with 3.2 TB, written half of the time at
// 3 GB/s, lasts 3.7 years.
func TestLifetimePublished(t *testing.T) {
	s := zNAND().Spec
	if s.DWPD() != 30_000 {
		t.Errorf("rated %d thousandths of a drive write a day; want 30000", s.DWPD())
	}
	got := Lifetime(&s, 3*unit.GB, 2*unit.Second, 1000)
	want := Life{PerYear: 47_304 * 1000 * unit.GB, Years: 3703, DWPD: 40_500}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Lifetime(&s, 3*unit.GB, 2*unit.Second, 2000).Years; got != 1851 {
		t.Errorf("twice the amplification: %d thousandths of a year; want 1851", got)
	}
	if got := Lifetime(&s, 0, unit.Second, 1000); got.Years != math.MaxInt64 || got.PerYear != 0 {
		t.Errorf("without writes: %+v; want endless", got)
	}
}

// TestReadSuspendsProgram follows one write and one read on one plane.
func TestReadSuspendsProgram(t *testing.T) {
	s := zNAND().Spec
	d := newDevice(&s, 1, 1, s.Page, s.Rate())
	link, channel := s.Rate().Time(s.Page), s.Channel.Time(s.Page)
	d.issue(hostWrite, 0, 0)
	d.step() // in the buffer
	d.step() // over the channel; programs
	if want := link + channel; d.now != want || d.writeTime != link {
		t.Fatalf("programs at %v after %v; want %v, %v", d.now, d.writeTime, want, link)
	}
	begun := d.now
	d.issue(hostRead, 0, none)
	for d.read == 0 {
		d.step()
	}
	if want := s.Read + channel + link; d.readTime != want {
		t.Errorf("read took %v; want %v", d.readTime, want)
	}
	d.drain()
	if want := begun + s.Read + s.Program; d.written != 1 || d.now != want {
		t.Errorf("%d written at %v; want 1 at %v", d.written, d.now, want)
	}
}

func TestSpecs(t *testing.T) {
	for _, d := range Drives() {
		if err := d.Spec.Validate(); err != nil {
			t.Errorf("%s: %v", d.Key, err)
		}
		if got, err := Find(d.Key); err != nil || got.Name != d.Name {
			t.Errorf("Find(%q) = %q, %v", d.Key, got.Name, err)
		}
	}
	if _, err := Find("tape"); err == nil || err.Error() != `unknown drive "tape"; want one of ["z-nand" "990-pro" "p5800x" "980-pro"]` {
		t.Errorf("got %v", err)
	}
	keys := map[string]bool{}
	for _, k := range Knobs() {
		if keys[k.Key] || k.Help == "" || k.Source == "" {
			t.Errorf("knob %q: used twice or undocumented", k.Key)
		}
		keys[k.Key] = true
	}
}

func TestInvalid(t *testing.T) {
	tests := []struct {
		name string
		do   func(*Spec, *Pattern)
		want string
	}{
		{"range", func(s *Spec, _ *Pattern) { s.Channels = 0 }, "Channels is 0; want 1 to 256"},
		{"spare", func(s *Spec, _ *Pattern) { s.OverProvision = 5 }, "over-provisioning is 0.5 %; a drive with garbage collection needs at least 2 %"},
		{"cache", func(s *Spec, _ *Pattern) { s.Burst = unit.GB }, "a write cache needs both a size and a program time; set both or neither to 0"},
		{"tiny", func(s *Spec, _ *Pattern) { s.Capacity, s.Channels = 10*unit.GB, 256 }, "a plane has only 6 blocks; want 8 or more: raise the capacity or lower channels, dies, planes or pages per block"},
		{"full", func(_ *Spec, p *Pattern) { p.Utilization = 1001 }, "pattern: utilization is 1001 thousandths; want 1 to 1000"},
		{"request", func(_ *Spec, p *Pattern) { p.Request = 0 }, "pattern: request is 0 bytes; want 1 or more"},
		{"dead", func(_ *Spec, p *Pattern) { p.Dead = 950 }, "pattern: dead share is 950 thousandths; at most 900 leave something to rewrite"},
	}
	for _, tt := range tests {
		s, p := zNAND().Spec, Default()
		tt.do(&s, &p)
		_, err := Simulate(s, p)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestExtremes simulates valid drives at the corners of their ranges under odd
// patterns; nothing may panic or take long.
func TestExtremes(t *testing.T) {
	const seeds = 60
	t.Logf("seeds 0 to %d", seeds-1)
	ran := 0
	for seed := range uint64(seeds) {
		if !effort.Takes(int(seed), 4) {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 3))
		s := zNAND().Spec
		for _, k := range Knobs() {
			switch r.IntN(8) {
			case 0:
				k.Set(&s, k.Min)
			case 1:
				k.Set(&s, k.Max)
			}
		}
		if s.Validate() != nil {
			continue
		}
		ran++
		p := Pattern{
			Utilization: int64(1 + r.IntN(1000)), Request: unit.Bytes(1) << r.IntN(45), Hot: int64(1 + r.IntN(1000)), HotWrites: int64(r.IntN(1001)),
			Cyclic: r.IntN(2) == 0, Dead: int64(r.IntN(901)), Reads: int64(r.IntN(3) * 500), Fresh: r.IntN(4) == 0,
		}
		m := simulate(t, s, p)
		if m.Read <= 0 || m.Write <= 0 || m.Amplification < 1000 || m.Read > s.Rate()+s.Rate()/100 {
			t.Errorf("seed %d: %+v of %+v under %+v", seed, m, s, p)
		}
	}
	t.Logf("%d drives were valid", ran)
}

func BenchmarkSimulate(b *testing.B) {
	for _, d := range Drives() {
		for _, p := range []struct {
			name    string
			pattern Pattern
		}{{"default", Default()}, {"random", Random()}} {
			b.Run("drive="+d.Key+"/pattern="+p.name, func(b *testing.B) {
				for b.Loop() {
					simulate(b, d.Spec, p.pattern)
				}
			})
		}
	}
}

func BenchmarkLayer(b *testing.B) {
	const blocks, pages, logical = 64, 128, 7000
	f := NewLayer(&Shape{Units: 1, Blocks: blocks + 1, Pages: pages, Logical: logical})
	rnd := random(1)
	for b.Loop() {
		f.Write(rnd.below(logical))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(f.host+f.moved), "ns/page")
}
