package device

import (
	"testing"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

const us, ns = unit.Microsecond, unit.Nanosecond

// TestTimes has accesses of the paper's device that can be computed by hand.
func TestTimes(t *testing.T) {
	m := machine.Default()
	for _, c := range []struct {
		name   string
		memory Memory
		waits  bool
		run    func(d *Device) unit.Time
		want   unit.Time
	}{
		// 4 to submit, 1.5 firmware, 40 flash, 1.17 link, 4 to complete.
		{"block read", NoMemory, false, func(d *Device) unit.Time { d.Preload(3); return d.BlockRead(0, plan.Data, 3, 1) }, 50670 * ns},
		{"block read of nothing", NoMemory, false, func(d *Device) unit.Time { return d.BlockRead(0, plan.Data, 3, 1) }, 10670 * ns},
		{"block write", NoMemory, false, func(d *Device) unit.Time { return d.BlockWrite(0, plan.Data, 3, 1, 0) }, 10670 * ns},
		{"block write, programmed", NoMemory, true, func(d *Device) unit.Time { return d.BlockWrite(0, plan.Data, 3, 1, 0) }, 70670 * ns},
		{"block write, programmed at once", NoMemory, false, func(d *Device) unit.Time { return d.WriteThrough(0, plan.Data, 3, 1, 0) }, 70670 * ns},
		{"flush of nothing", NoMemory, false, func(d *Device) unit.Time { return d.Flush(0) }, 9500 * ns},
		{"flush of what is programmed until 66.67 µs", NoMemory, false, func(d *Device) unit.Time {
			d.BlockWrite(0, plan.Data, 3, 1, 0)
			return d.Flush(10670 * ns)
		}, 70670 * ns},
		// Eight channels read at the same time; the last waits for 8 × 1.5 of the firmware.
		{"eight pages", NoMemory, false, func(d *Device) unit.Time {
			for p := range int32(8) {
				d.Preload(p)
			}
			return d.BlockRead(0, plan.Data, 0, 8)
		}, (4000 + 12000 + 40000 + 1170 + 4000) * ns},
		{"byte write", WriteLog, false, func(d *Device) unit.Time { t, _ := d.ByteWrite(0, plan.Inode, 3, 7, 0); return t }, 1800 * ns},
		{"byte read of the log", WriteLog, false, func(d *Device) unit.Time {
			d.Preload(3)
			d.ByteWrite(0, plan.Inode, 3, 7, 0)
			return d.ByteRead(0, plan.Inode, 3, 3)
		}, 9600 * ns},
		{"byte read of log and flash", WriteLog, false, func(d *Device) unit.Time {
			d.Preload(3)
			d.ByteWrite(0, plan.Inode, 3, 1, 0)
			return d.ByteRead(0, plan.Inode, 3, 3)
		}, 49600 * ns},
		{"commit", WriteLog, false, func(d *Device) unit.Time { return d.Commit(0, 1) }, us},
		{"load of a page that the buffer lacks", PageBuffer, false, func(d *Device) unit.Time { d.Preload(3); return d.ByteRead(0, plan.Inode, 3, 1) }, 44800 * ns},
		{"store into it", PageBuffer, false, func(d *Device) unit.Time {
			d.Preload(3)
			t, _ := d.ByteWrite(0, plan.Inode, 3, 1, 0)
			return t
		}, 40600 * ns},
		{"store of all of it", PageBuffer, false, func(d *Device) unit.Time {
			d.Preload(3)
			t, _ := d.ByteWrite(0, plan.Inode, 3, every, 0)
			return t
		}, 64 * 600 * ns},
	} {
		if got := c.run(New(&m, c.memory, c.waits, nil)); got != c.want {
			t.Errorf("%s: %d ps, want %d", c.name, got, c.want)
		}
	}
}
