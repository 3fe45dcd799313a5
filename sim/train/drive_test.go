package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/flash"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
)

// On a simulated drive every system runs every workload it runs otherwise, says
// what the drive delivered, does the same twice, and reports progress that
// never falls: a share of both, at night all.
func TestOnDrive(t *testing.T) {
	const seeds = 6
	t.Logf("seeds 0 to %d", seeds-1)
	for seed := range uint64(seeds) {
		drives := flash.Drives()
		d := drives[seed%uint64(len(drives))]
		for i, s := range train.Systems {
			if !effort.Takes(int(seed)+i, share) {
				continue
			}
			r := rand.New(rand.NewPCG(seed, 4))
			w, m := systemtest.Workload(r, float64(seed)/seeds), systemtest.Machine(r)
			q := train.Request{System: s.Name, Machine: m, Options: system.Published()}
			q.Options.Quirks = quirk.Corrected()
			fixed, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.SSD = d.Key
			before := -1
			got, err := train.Run(w, q, func(done, total int) {
				if done < before || done > total {
					t.Errorf("seed %d, %s: progress went from %d to %d of %d", seed, s.Name, before, done, total)
				}
				before = done
			})
			if err != nil {
				t.Fatalf("seed %d, %s on %s: %v", seed, s.Name, d.Key, err)
			}
			if got.Fits != fixed.Fits {
				t.Fatalf("seed %d, %s on %s: fits is %v; with fixed rates it is %v", seed, s.Name, d.Key, got.Fits, fixed.Fits)
			}
			if !got.Fits {
				continue
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "The SSD is a simulated "+d.Name) {
				t.Errorf("seed %d, %s: notes are %q", seed, s.Name, got.Notes)
			}
			said := train.DescribeSSD(got.SSD)
			rest := slices.DeleteFunc(slices.Clone(got.Notes), func(n string) bool { return slices.Contains(said, n) })
			if len(rest)+len(said) != len(got.Notes) || !slices.Equal(got.Remarks(), rest) {
				t.Errorf("seed %d, %s: remarks are %q, notes %q", seed, s.Name, got.Remarks(), got.Notes)
			}
			if x := got.SSD; x == nil || fixed.SSD != nil || x.Drive != d.Key || x.Read <= 0 || x.Amplification < 1000 ||
				x.Written != got.Main().Traffic.SSDOut || (x.Written > 0) != (x.Life > 0) {
				t.Errorf("seed %d, %s: the drive's report is %+v", seed, s.Name, x)
			}
			again, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := same(got, again); wrong != "" {
				t.Errorf("seed %d, %s: %s", seed, s.Name, wrong)
			}
		}
	}
}

// A drive that is worn out within days is said to be, not to live for 0 years.
func TestLifetimeInWords(t *testing.T) {
	for _, tt := range []struct {
		thousandths, daily int64
		want               string
	}{
		{40440, 37, " in 40.4 years: "},
		{1000, 548, " in 1 years: "},
		{999, 1_500, " in 365 days: "},
		{49, 30_600, " in 18 days: "},
		{8, 188_800, " in 2.9 days: "},
		{0, 5_475_000, " in 0.1 days: "},
		{0, 80_000_000, " in less than 0.1 days: "},
	} {
		notes := train.DescribeSSD(&result.SSD{Written: 1, Endurance: 1500 * 1000 * unit.GB, Life: tt.thousandths, Daily: tt.daily, Rated: 300, Warranty: 5})
		if last := notes[len(notes)-1]; !strings.Contains(last, tt.want) {
			t.Errorf("%d thousandths of a year: %q; want %q in it", tt.thousandths, last, tt.want)
		}
	}
}

// TestBERTOnDrive runs G10 on the paper's drive. Its rates emerge within 3 % of
// Table 2, so the time of an iteration changes little.
func TestBERTOnDrive(t *testing.T) {
	w, q := loadConfig(t, "BERT/256-sim_prefetch_lru.config")
	q.Options.Quirks = quirk.Corrected()
	q.Machine.SSDWrite = machine.G10().SSDWrite
	fixed, err := train.Run(w, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range flash.Drives() {
		q.SSD = d.Key
		r, err := train.Run(w, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d cycles, with fixed rates %d\n%s", d.Key, r.Time(), fixed.Time(), strings.Join(r.Notes, "\n"))
		if change := float64(r.Time())/float64(fixed.Time()) - 1; d.Key == "z-nand" && math.Abs(change) > 0.03 {
			t.Errorf("%s: time changes by %.1f %%; want within 3 %%", d.Key, 100*change)
		}
	}
}

// TestDriveByWhatItDoes runs Base UVM without host memory on a drive that writes
// a third slower while it reads as fast as it can. Here a page comes in only when
// another has gone out, which leaves the drive time to write; and FlashNeuron
// reads and writes by turns.
func TestDriveByWhatItDoes(t *testing.T) {
	w := bert(t)
	d, err := flash.Find("990-pro")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uvm", "flashneuron"} {
		q := train.Request{System: name, Machine: machine.G10(), Options: inCorrectedMode(), SSD: d.Key}
		q.Machine.HostMemory = 0
		r, err := train.Run(w, q, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%s: %v", name, err)
		}
		t1 := &r.Main().Traffic
		p := flash.Pattern{Utilization: 1000, Request: 64 * unit.MiB, Hot: 100, HotWrites: 1000, Cyclic: true, Reads: unit.MulDiv(1000, int64(t1.SSDIn), int64(t1.SSDIn+t1.SSDOut))}
		m, err := flash.Simulate(d.Spec, p)
		if err != nil {
			t.Fatal(err)
		}
		if m.MixedWrite > m.Write*8/10 {
			t.Fatalf("the drive writes %v alone and %v while it reads; it should be slower", m.Write, m.MixedWrite)
		}
		if x := r.SSD; x.Write < m.Write*95/100 || x.Write > m.Write*101/100 {
			t.Errorf("%s: the drive wrote at %v; alone it does %v, while it reads all it can %v", name, x.Write, m.Write, m.MixedWrite)
		}
	}
}

func TestRequestSSD(t *testing.T) {
	q := train.Request{System: "g10", Machine: machine.G10(), Options: system.Published()}
	if known, err := train.Configure(&q, "ssd", "tape"); !known || err == nil || q.SSD != "" {
		t.Errorf("an unknown drive was taken: %v, %v, %q", known, err, q.SSD)
	}
	for _, key := range []string{"p5800x", ""} {
		if known, err := train.Configure(&q, "ssd", key); !known || err != nil || q.SSD != key {
			t.Errorf("drive %q was not taken: %v, %v, %q", key, known, err, q.SSD)
		}
	}
	q.SSD = "tape"
	if err := q.Validate(); err == nil || !strings.Contains(err.Error(), `unknown drive "tape"`) {
		t.Errorf("got %v", err)
	}
}
