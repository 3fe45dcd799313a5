package crash

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/filesys/device"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// An ssd is the device of the laboratory as the driver uses it, with a clock.
type ssd struct {
	*device.Device
	rand *rand.Rand
	now  unit.Time
}

func (f *ssd) write(page int32, set uint64, tx int32) bool {
	_, ok := f.ByteWrite(f.now, plan.Inode, page, set, tx)
	if !ok {
		f.Counts.Full++ // as the engine counts who waits
	}
	return ok
}
func (f *ssd) store(page int32) { f.BlockWrite(f.now, plan.Data, page, 1, 0) }
func (f *ssd) trim(page int32)  { f.Trim(f.now, page) }
func (f *ssd) commit(tx int32)  { f.Commit(f.now, tx) }

func (f *ssd) idle() {
	next := f.now + unit.Time(f.rand.Int64N(int64(20*unit.Microsecond)))
	for due, ok := f.Due(); ok && due <= next; due, ok = f.Due() {
		f.Act(due)
	}
	f.now = next
}

// tiny is a device whose log has room for 60 to some hundred lines.
func tiny(r *rand.Rand) machine.Setup {
	s := machine.Default()
	s.Device.Capacity, s.Device.Channels = 4*unit.GiB, 1+r.Int64N(4)
	s.Device.DRAM = unit.MiB/4 + unit.Bytes(r.Int64N(1<<19)) // that of 64 such devices
	s.Device.LogAt = 30 + r.Int64N(70)
	s.Device.Single = r.IntN(4) == 0
	return s
}

// onDevice is a random run on the device.
func onDevice(seed uint64) (events []plan.Event, d *device.Device) {
	r := rand.New(rand.NewPCG(seed, 16))
	s := tiny(r)
	s = s.Scaled()
	d = device.New(&s, device.WriteLog, false, func(e plan.Event) { events = append(events, e) })
	pages := 2 + r.IntN(8)
	drive(r, &ssd{Device: d, rand: r}, pages, 200+r.IntN(1500))
	return events, d
}

func TestCrashesOnTheDevice(t *testing.T) {
	want := 100_000
	if testing.Short() {
		want = 20_000
	}
	var sum tally
	var swaps, commits, full int64
	for seed := uint64(0); sum.crashes < want; seed++ {
		events, d := onDevice(seed)
		crashes(t, events, 1, Correct, &sum)
		swaps, commits, full = swaps+d.Counts.Swaps, commits+d.Counts.Commits, full+d.Counts.Full
	}
	t.Logf("%d crashes, %d commits, %d swaps, %d waits for room", sum.crashes, commits, swaps, full)
	if swaps == 0 || full == 0 {
		t.Errorf("%d swaps, %d waits for room: the log is not small enough to test it", swaps, full)
	}
	for _, m := range []Mistake{MergesOpen, IgnoresTx, KeepsLines, InIDOrder, MapsTooSoon} {
		var sum tally
		for seed := uint64(0); sum.crashes < want/5; seed++ {
			events, _ := onDevice(seed)
			crashes(t, events, 1, m, &sum)
		}
		t.Logf("%s: found in %d of %d crashes (%d %%)", m, sum.wrong, sum.crashes, 100*sum.wrong/sum.crashes)
		if 200*sum.wrong < sum.crashes {
			t.Errorf("mistake %q is found in %d of %d crashes only", m, sum.wrong, sum.crashes)
		}
	}
}
