package filesys

import (
	"math"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// trends runs workloads on systems and keeps what was run, since tests ask for the same
// again and again.
type trends struct {
	t     *testing.T
	setup machine.Setup
	loads map[string]*call.Workload
	done  map[string]*Result
}

func trendsOf(t *testing.T, change func(*machine.Setup)) *trends {
	if testing.Short() {
		t.Skip("runs at a 64th; natively only")
	}
	x := &trends{t, machine.Default(), map[string]*call.Workload{}, map[string]*Result{}}
	if change != nil {
		change(&x.setup)
	}
	return x
}

func (x *trends) run(load, system string) *Result {
	if x.loads[load] == nil {
		x.loads[load] = recipe(x.t, load, &x.setup)
	}
	key := load + " " + system
	if x.done[key] == nil {
		r, err := Run(x.loads[load], &x.setup, system, nil, nil)
		if err != nil {
			x.t.Fatal(err)
		}
		x.done[key] = r
	}
	return x.done[key]
}

// gain is how many times the calls a second of a system ByteFS answers.
func (x *trends) gain(load, system string) float64 {
	return float64(x.run(load, system).Time) / float64(x.run(load, "bytefs").Time)
}

// metadata are the bytes between host and device of all structures but data.
func metadata(r *Result) (n float64) {
	for s := range r.Device.Bytes {
		if plan.Structure(s) == plan.Data {
			continue
		}
		for _, i := range r.Device.Bytes[s] {
			for _, bytes := range i {
				n += float64(bytes)
			}
		}
	}
	return n
}

func programs(r *Result) (n int64) {
	for _, p := range r.Device.FlashPrograms {
		n += p
	}
	return n
}

func flashPages(r *Result) float64 {
	n := programs(r)
	for _, p := range r.Device.FlashReads {
		n += p
	}
	return float64(n)
}

// in reports a number that is not in a range.
func in(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	t.Logf("%s: %.3g", what, got)
	if !(got >= low && got <= high) {
		t.Errorf("%s is %.3g; want %.3g to %.3g", what, got, low, high)
	}
}

// TestTrends: what was published, or what a first model gave where that cannot be reached,
// with the same rules for all.
func TestTrends(t *testing.T) {
	x := trendsOf(t, nil)
	in(t, "create, ByteFS to Ext4", x.gain("create", "ext4"), 2.5, 3.6)
	in(t, "create, ByteFS to F2FS", x.gain("create", "f2fs"), 1.7, 3)
	in(t, "varmail, ByteFS to F2FS", x.gain("varmail", "f2fs"), 1.4, 2.4)
	in(t, "fileserver, ByteFS to Ext4", x.gain("fileserver", "ext4"), 0.95, 1.1)
	in(t, "webproxy, ByteFS to Ext4", x.gain("webproxy", "ext4"), 1.1, 1.6)
	in(t, "webserver, ByteFS to Ext4", x.gain("webserver", "ext4"), 0.98, 1.1)
	in(t, "stat, ByteFS to Ext4", x.gain("stat", "ext4"), 0.98, 1.02)
	most, mean := map[string]float64{}, map[string]float64{}
	for _, load := range []string{"create", "delete", "mkdir", "rmdir", "varmail", "fileserver", "webproxy"} {
		for _, system := range []string{"ext4", "f2fs"} {
			less := metadata(x.run(load, system)) / metadata(x.run(load, "bytefs"))
			most[system], mean[system] = max(most[system], less), mean[system]+less/7
		}
	}
	in(t, "metadata of Ext4, at most", most["ext4"], 20, 30)
	in(t, "metadata of Ext4, mean", mean["ext4"], 9, 14)
	in(t, "metadata of F2FS, at most", most["f2fs"], 17, 30)
	in(t, "metadata of F2FS, mean", mean["f2fs"], 5, 14)
	for system, low := range map[string]float64{"ext4": 1.5, "f2fs": 1.8, "nova": 1.7, "pmfs": 0.8} {
		product := 1.0
		for _, load := range compared {
			if load != "stat" {
				product *= flashPages(x.run(load, system)) / flashPages(x.run(load, "bytefs"))
			}
		}
		in(t, "pages of flash, "+system, math.Pow(product, 1.0/9), low, 4)
	}
	slower := 0
	for _, load := range compared {
		for _, system := range []string{"nova", "pmfs"} {
			if load != "stat" && x.run(load, system).Time > x.run(load, "f2fs").Time {
				slower++
			}
		}
	}
	in(t, "NOVA and PMFS slower than F2FS, of 18", float64(slower), 9, 18)
	// A page buffer of 256 MB holds nearly all metadata, so that the log alone gains little.
	in(t, "varmail, what the log gains", x.gain("varmail", "bytefs-dual"), 0.95, 1.25)
	in(t, "fileserver, what the log gains", x.gain("fileserver", "bytefs-dual"), 0.95, 1.1)
	in(t, "webproxy, what the log gains", x.gain("webproxy", "bytefs-dual"), 0.95, 1.1)
}

// TestAcknowledged: where Ext4 waits for programs and ByteFS does not, create gains what
// was published.
func TestAcknowledged(t *testing.T) {
	x := trendsOf(t, func(s *machine.Setup) { s.Ack = machine.AsArtifact })
	in(t, "create, ByteFS to Ext4", x.gain("create", "ext4"), 4, 8)
}

// TestFresh: where fresh pages are compared with zeros, fileserver gains what was published.
func TestFresh(t *testing.T) {
	x := trendsOf(t, func(s *machine.Setup) { s.Fresh = true })
	in(t, "fileserver, ByteFS to Ext4", x.gain("fileserver", "ext4"), 2, 3.2)
}

// TestScale: ratios hardly depend on the scale.
func TestScale(t *testing.T) {
	x := trendsOf(t, nil)
	small := trendsOf(t, func(s *machine.Setup) { s.Scale = 256 })
	for load, system := range map[string]string{"create": "ext4", "varmail": "f2fs", "webproxy": "ext4", "oltp": "ext4"} {
		in(t, load+", ByteFS to "+system+" at a 256th to that at a 64th", small.gain(load, system)/x.gain(load, system), 0.9, 1.1)
	}
}

// TestPayload: what ByteFS gains in oltp is that overwriting zeros with zeros writes
// nothing. 4.1 is published, which is out of reach: the page that is overwritten and the
// page that somebody else reads have to come from flash either way, and two reads and a
// program take 1.75 times as long as two reads.
func TestPayload(t *testing.T) {
	zeros := trendsOf(t, nil)
	random := trendsOf(t, func(s *machine.Setup) { s.Payload = machine.Random })
	in(t, "oltp with zeros", zeros.gain("oltp", "ext4"), 1.5, 2.2)
	in(t, "oltp with random payload", random.gain("oltp", "ext4"), 0.95, 1.05)
}

// TestFlashLatency: ByteFS is ahead of F2FS and NOVA whatever flash is like.
func TestFlashLatency(t *testing.T) {
	for _, us := range [][2]unit.Time{{20, 30}, {80, 120}, {3, 80}} {
		x := trendsOf(t, func(s *machine.Setup) {
			s.Device.Read, s.Device.Program = us[0]*unit.Microsecond, us[1]*unit.Microsecond
		})
		for _, load := range []string{"create", "varmail", "webproxy"} {
			in(t, load+", ByteFS to F2FS", x.gain(load, "f2fs"), 1, 4)
			in(t, load+", ByteFS to NOVA", x.gain(load, "nova"), 1, 8)
		}
	}
}

// TestLink: a link of 175 ns hardly helps ByteFS, and NOVA a lot, which stays behind.
func TestLink(t *testing.T) {
	slow := trendsOf(t, nil)
	fast := trendsOf(t, func(s *machine.Setup) {
		s.Device.LineRead, s.Device.LineWrite = 175*unit.Nanosecond, 175*unit.Nanosecond
	})
	for _, load := range []string{"varmail", "webproxy"} {
		ratio := func(system string) float64 {
			return float64(slow.run(load, system).Time) / float64(fast.run(load, system).Time)
		}
		in(t, load+", ByteFS with CXL", ratio("bytefs"), 0.94, 1.06)
		in(t, load+", NOVA with CXL", ratio("nova"), 1.3, 4)
		in(t, load+", ByteFS to NOVA with CXL", fast.gain(load, "nova"), 1, 4)
	}
}

// TestLog: a larger log programs less, and is no slower.
func TestLog(t *testing.T) {
	for _, load := range []string{"varmail", "mkdir"} {
		var last *Result
		for _, size := range []unit.Bytes{64, 128, 256, 512} {
			x := trendsOf(t, func(s *machine.Setup) { s.Device.DRAM = size * unit.MiB })
			r := x.run(load, "bytefs")
			t.Logf("%s with a log of %d MiB: %v, %d pages programmed", load, size, r.Time, programs(r))
			if last != nil {
				in(t, load+", time with twice the log", float64(r.Time)/float64(last.Time), 0.5, 1.08)
				if programs(r) > programs(last) {
					t.Errorf("%s: twice the log programs %d pages, not %d or fewer", load, programs(r), programs(last))
				}
			}
			last = r
		}
	}
}

// TestAmplification: what file systems of blocks write of what programs asked for is as
// published, in the workloads where that can be reached.
func TestAmplification(t *testing.T) {
	x := trendsOf(t, nil)
	for system, most := range map[string]float64{"ext4": 4.2, "f2fs": 2.2} {
		for load, low := range map[string]float64{"varmail": 1.5, "webproxy": 1.3, "oltp": 1.4} {
			r := x.run(load, system)
			var bytes int64
			for _, s := range r.Device.Bytes {
				bytes += s[device.Block][device.Writes] + s[device.Byte][device.Writes]
			}
			in(t, load+" on "+system+", written to asked", float64(bytes)/float64(r.Asked[device.Writes]), low, most)
		}
	}
}
