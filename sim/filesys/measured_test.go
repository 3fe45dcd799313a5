package filesys

import (
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// ran runs a recipe on a machine that a change makes of the one at first.
func ran(t *testing.T, workload, system string, change func(m *machine.Setup)) *Result {
	t.Helper()
	m := machine.Default()
	m.Scale = 256
	if change != nil {
		change(&m)
	}
	r, err := Run(recipe(t, workload, &m), &m, system, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With one write pointer a channel at a time programs, so that create takes longer; each channel
// still gets its turn.
func TestOneWritePointer(t *testing.T) {
	striped := ran(t, "create", "ext4", nil)
	one := ran(t, "create", "ext4", func(m *machine.Setup) { m.Device.Frontier = machine.OneBlock })
	if one.Time < striped.Time*11/10 || one.Device.FlashPrograms != striped.Device.FlashPrograms && one.Device.FlashPrograms[device.ByHost] < striped.Device.FlashPrograms[device.ByHost]/2 {
		t.Errorf("%v with one write pointer, %v striped", one.Time, striped.Time)
	}
	for i, busy := range one.Device.Busy {
		if busy == 0 {
			t.Errorf("channel %d never works", i)
		}
	}
}

// What threads compute and how long a run is are settings: times two are times two.
func TestNothingIsConstant(t *testing.T) {
	for _, workload := range []string{"oltp", "ycsb-a"} {
		once := ran(t, workload, "ext4", nil)
		twice := ran(t, workload, "ext4", func(m *machine.Setup) { doubled(m) })
		if d := twice.Time - 2*once.Time; d > once.Time/1000 || d < -once.Time/1000 {
			t.Errorf("%s takes %v, and with all times doubled %v", workload, once.Time, twice.Time)
		}
	}
}

// doubled doubles every time of a machine.
func doubled(m *machine.Setup) {
	d, h := &m.Device, &m.Host
	for _, x := range []*unit.Time{
		&m.ReaderBurn, &m.WriterBurn, &m.StoreCost, &d.Read, &d.Program, &d.Erase, &d.Submit, &d.Firmware, &d.Transfer, &d.Complete,
		&d.LineRead, &d.LineWrite, &d.Persist, &d.Commit, &h.Generator, &h.Serial, &h.Open, &h.Close, &h.ReadCall, &h.ReadPage,
		&h.WriteCall, &h.WritePage, &h.Fsync, &h.Section, &h.NamespaceByteFS, &h.NamespaceExt4, &h.NamespaceF2FS, &h.NamespaceNOVA,
		&h.NamespacePMFS, &h.Handle, &h.Wake, &h.Copy, &h.Duplicate, &h.Compare, &h.Expire, &h.Commit, &h.Checkpoint,
	} {
		*x *= 2
	}
}

// A run after a warm-up begins with what the cache has: reads hit that would not.
func TestWarm(t *testing.T) {
	cold := ran(t, "oltp", "ext4", func(m *machine.Setup) { m.Host.Cache = 4 * unit.GiB })
	warm := ran(t, "oltp", "ext4", func(m *machine.Setup) { m.Host.Cache, m.Warm = 4*unit.GiB, true })
	rate := func(r *Result) float64 { return float64(r.Hits) / float64(r.Hits+r.Misses) }
	if rate(warm) < 1.5*rate(cold) || warm.Calls < cold.Calls*9/10 || warm.Calls > cold.Calls*11/10 {
		t.Errorf("%.2f of %d calls hit, cold %.2f of %d", rate(warm), warm.Calls, rate(cold), cold.Calls)
	}
}

// F2FS that keeps its cache reads no node that fits there.
func TestF2FSKeeps(t *testing.T) {
	read := func(keeps bool) int64 {
		r := ran(t, "stat", "f2fs", func(m *machine.Setup) { m.KeepF2FS = keeps })
		return r.Device.FlashReads[device.ByHost]
	}
	if dropped, kept := read(false), read(true); dropped == 0 || kept != 0 {
		t.Errorf("%d reads, kept %d", dropped, kept)
	}
}

// A store that stays cached after it was loaded is read without the device where the cache has room
// for all of it; NOVA and PMFS, which have no page cache, do not feel it, nor does what loads none.
func TestLoaded(t *testing.T) {
	for _, system := range []string{"bytefs", "ext4", "f2fs", "nova", "pmfs"} {
		read := func(workload string, cache unit.Bytes, loaded bool) (*Result, int64) {
			r := ran(t, workload, system, func(m *machine.Setup) { m.Host.Cache, m.Loaded = cache, loaded })
			return r, r.Misses
		}
		empty, cold := read("ycsb-c", 8*unit.GiB, false)
		full, warm := read("ycsb-c", 8*unit.GiB, true)
		if system == "nova" || system == "pmfs" {
			if Hash(empty) != Hash(full) {
				t.Errorf("%s feels it", system)
			}
		} else if cold == 0 || warm != 0 || full.Time > empty.Time {
			t.Errorf("%s: %d pages missed in %v, from a cold cache %d in %v", system, warm, full.Time, cold, empty.Time)
		}
		_, cold = read("ycsb-c", 2*unit.GiB, false)
		if _, some := read("ycsb-c", 2*unit.GiB, true); system != "nova" && system != "pmfs" && (some == 0 || some > cold) {
			t.Errorf("%s: %d pages missed where half fit, from a cold cache %d", system, some, cold)
		}
		other, _ := read("varmail", 4*unit.GiB, false)
		if same, _ := read("varmail", 4*unit.GiB, true); Hash(other) != Hash(same) {
			t.Errorf("varmail on %s feels it", system)
		}
	}
}

// The share of fresh pages that differ decides how many go as blocks; none and all are what they
// were without it.
func TestFreshShare(t *testing.T) {
	sent := func(share int64) int64 {
		return ran(t, "create", "bytefs", func(m *machine.Setup) { m.Fresh, m.FreshShare = true, share }).SentBlocks
	}
	if none, half, all := sent(0), sent(50), sent(100); none != 0 || half < all*4/10 || half > all*6/10 {
		t.Errorf("%d, %d and %d blocks", none, half, all)
	}
}

// ByteFS' own cache and writes without a read are ByteFS' alone.
func TestByteFSAlone(t *testing.T) {
	change := func(m *machine.Setup) { m.Host.OwnCache, m.Host.BlindWrites = 16*unit.GiB, true }
	if a, b := ran(t, "oltp", "ext4", nil), ran(t, "oltp", "ext4", change); Hash(a) != Hash(b) {
		t.Error("Ext4 feels them")
	}
	was, is := ran(t, "oltp", "bytefs", nil), ran(t, "oltp", "bytefs", change)
	if is.Device.Accesses[0][device.Block][device.Reads] >= was.Device.Accesses[0][device.Block][device.Reads] {
		t.Error("ByteFS reads no less")
	}
}

// O_SYNC makes times durable, which costs more.
func TestFullSync(t *testing.T) {
	for _, system := range []string{"bytefs", "ext4", "f2fs"} {
		took := func(full bool) unit.Time {
			r := ran(t, "oltp", system, func(m *machine.Setup) { m.FullSync = full })
			return r.Tallies[call.Write].Time / unit.Time(r.Tallies[call.Write].Count)
		}
		if some, all := took(false), took(true); all <= some {
			t.Errorf("%s: %v a write with O_SYNC, %v with O_DSYNC", system, all, some)
		}
	}
}

// All operations count: a run of varmail has 500 thousand calls at full scale.
func TestFlowops(t *testing.T) {
	for workload, calls := range map[string]int64{"varmail": 500_000, "fileserver": 1_000_000, "webproxy": 500_000, "webserver": 500_000, "create": 1_000_000} {
		m := machine.Default()
		m.Flowops = true
		r, err := load.Find(workload)
		if err != nil {
			t.Fatal(err)
		}
		w, err := load.Generate(r, &m)
		if err != nil {
			t.Fatal(err)
		}
		if want := calls / m.Scale; w.Calls < want*97/100 || w.Calls > want*103/100 {
			t.Errorf("%s has %d calls; want about %d", workload, w.Calls, want)
		}
	}
}

// Reads wait behind programs where these are let in faster than they are done; reads that come
// first do not.
func TestBehind(t *testing.T) {
	of := func(change func(m *machine.Setup)) float64 {
		r := ran(t, "oltp", "ext4", change)
		if r.Behind[device.Block] > r.Ledger[ReadsBlocks] || r.Behind[device.Byte] > r.Ledger[ReadsBytes] {
			t.Errorf("%v of %v", r.Behind, r.Ledger)
		}
		return float64(r.Behind[device.Block]) / float64(r.Ledger[ReadsBlocks])
	}
	last, first := of(nil), of(func(m *machine.Setup) { m.Device.ReadsFirst = true })
	if last < 0.1 || first > last*3/4 {
		t.Errorf("%.2f of what block reads take, %.2f where they come first", last, first)
	}
}

// What the artifact's NOVA and PMFS do otherwise is theirs alone. In place, overwriting needs no
// reads and, but for what a page has not got yet, no new pages; names and inodes that the kernel
// has are not loaded; a page without content is counted and takes no time.
func TestAsIssued(t *testing.T) {
	all := func(m *machine.Setup) { m.Host.InPlace, m.Host.AsIssued, m.Device.CountsEmpty = true, true, true }
	for _, system := range []string{"bytefs", "ext4", "f2fs"} {
		if Hash(ran(t, "varmail", system, nil)) != Hash(ran(t, "varmail", system, all)) {
			t.Errorf("%s feels them", system)
		}
	}
	moved := func(r *Result, way device.Direction) (n int64) {
		for s := range r.Device.Bytes {
			n += r.Device.Bytes[s][device.Byte][way]
		}
		return n
	}
	copies := ran(t, "oltp", "nova", nil)
	kept := ran(t, "oltp", "nova", func(m *machine.Setup) { m.Host.InPlace = true })
	if moved(kept, device.Writes) > moved(copies, device.Writes)*3/4 || kept.Time >= copies.Time {
		t.Errorf("in place, %d bytes in %v; copied, %d in %v", moved(kept, device.Writes), kept.Time, moved(copies, device.Writes), copies.Time)
	}
	for _, system := range []string{"nova", "pmfs"} {
		if n := moved(ran(t, "stat", system, func(m *machine.Setup) { m.Host.AsIssued = true }), device.Reads); n != 0 {
			t.Errorf("%s loads %d bytes to say what it knows", system, n)
		}
		was, is := ran(t, "create", system, nil), ran(t, "create", system, func(m *machine.Setup) { m.Device.CountsEmpty = true })
		if was.Device.Promoted != 0 || is.Device.Promoted == 0 || is.Time != was.Time || Hash(is) == Hash(was) {
			t.Errorf("%s took in %d empty pages, uncounted %d, in %v and %v", system, is.Device.Promoted, was.Device.Promoted, is.Time, was.Time)
		}
	}
}

// Counters begin with the preparation, clocks after it: what it makes and moves is counted, and
// no call or time of it. What is prepared costs what laws allow, on every system.
func TestPreparationCounts(t *testing.T) {
	for i := range Systems {
		system := Systems[i].Name
		for _, workload := range []string{"create", "rmdir", "varmail", "webserver"} {
			m := machine.Default()
			m.Scale, m.Warm = 256, true
			was, err := Run(recipe(t, workload, &m), &m, system, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			m.Prepared, m.WarmTime = true, 5*unit.Second
			w := recipe(t, workload, &m)
			var told [Causes]unit.Time
			var calls, first int64
			is, err := Run(w, &m, system, &Watch{
				Span: func(s Span) {
					if int(s.Client) < w.Threads {
						told[s.Cause] += s.To - s.From
					}
				},
				Called: func(c Called) {
					if calls++; first == 0 || c.Number < first {
						first = c.Number
					}
				},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if told != is.Ledger || calls != is.Calls || first != 1 {
				t.Errorf("%s on %s: spans are %v of %v, and %d calls from number %d on of %d", workload, system, told, is.Ledger, calls, first, is.Calls)
			}
			if broken := laws(&m, w, is); broken != "" {
				t.Errorf("%s on %s:%s", workload, system, broken)
			}
			if d := is.Calls - was.Calls; d < -was.Calls/50 || d > was.Calls/50 {
				t.Errorf("%s on %s has %d calls, %d without", workload, system, is.Calls, was.Calls)
			}
			for channel, busy := range is.Device.Busy {
				if busy > is.Time+m.Device.Erase+m.Device.Program*unit.Time(m.Device.Pages) {
					t.Errorf("%s on %s: channel %d works %v of %v", workload, system, channel, busy, is.Time)
				}
			}
			if workload != "create" {
				continue
			}
			const made = 1_000_000 / 256 / 2
			wrote := is.Asked[device.Writes] - was.Asked[device.Writes]
			if is.Prepared < made*99/100 || is.Prepared > made*101/100 || wrote != is.Prepared*4096 {
				t.Errorf("%s on %s: %d files prepared of %d, and %d bytes", workload, system, is.Prepared, made, wrote)
			}
			a, b := is.Device.Bytes[plan.Data], was.Device.Bytes[plan.Data]
			if sum := a[device.Block][device.Writes] + a[device.Byte][device.Writes]; sum <= b[device.Block][device.Writes]+b[device.Byte][device.Writes] {
				t.Errorf("%s on %s: %d bytes of data written", workload, system, sum)
			}
		}
	}
}

// TestWarmUpProgress: while a warm-up of unknown length goes on, the whole run is still to come, and
// progress never goes back.
func TestWarmUpProgress(t *testing.T) {
	m := machine.Default()
	m.Scale, m.Warm, m.WarmTime = 256, true, 3600*unit.Second
	w := recipe(t, "varmail", &m)
	told, last := 0, 0.0
	_, err := Run(w, &m, "bytefs", nil, func(done, all int) {
		share := float64(done) / float64(all)
		if told++; done == all || int64(all-done) > w.Calls || share < last {
			t.Errorf("%d of %d calls are done, after %.3f", done, all, last)
		}
		last = share
	})
	if err != nil || told < 3 {
		t.Errorf("told %d times: %v", told, err)
	}
}
