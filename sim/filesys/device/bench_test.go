package device

import (
	"testing"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// bench runs accesses one after another, and what the device does meanwhile.
func bench(b *testing.B, memory Memory, access func(d *Device, now unit.Time, i uint32) unit.Time) {
	m := machine.Default()
	d := New(&m, memory, false, nil)
	for p := range d.Pages() / 2 {
		d.Preload(p)
	}
	now, i := unit.Time(0), uint32(1)
	run := func(n int) {
		for range n {
			i = i*1664525 + 1013904223
			for at, ok := d.Due(); ok && at <= now; at, ok = d.Due() {
				d.Act(at)
			}
			now = access(d, now, i>>8)
		}
	}
	run(100_000) // lists have grown
	b.ReportAllocs()
	b.ResetTimer()
	run(b.N)
}

// BenchmarkBlockRead, and so on, are one access of one page or line each.
func BenchmarkBlockRead(b *testing.B) {
	bench(b, NoMemory, func(d *Device, now unit.Time, i uint32) unit.Time {
		return d.BlockRead(now, plan.Data, int32(i%90_000), 1)
	})
}

func BenchmarkBlockWrite(b *testing.B) {
	bench(b, NoMemory, func(d *Device, now unit.Time, i uint32) unit.Time {
		return d.BlockWrite(now, plan.Data, int32(i%50_000), 1, 0)
	})
}

// BenchmarkBlockWrites is 32 pages at once, as the flusher writes them.
func BenchmarkBlockWrites(b *testing.B) {
	bench(b, NoMemory, func(d *Device, now unit.Time, i uint32) unit.Time {
		return d.BlockWrite(now, plan.Data, int32(i%50_000), 32, 0)
	})
}

// BenchmarkByteWrite is a line into one of 2000 pages, which the log merges; cleaning is
// part of it.
func BenchmarkByteWrite(b *testing.B) {
	tx := int32(0)
	bench(b, WriteLog, func(d *Device, now unit.Time, i uint32) unit.Time {
		if i&3 == 0 {
			tx++
			now = d.Commit(now, tx)
		}
		end, _ := d.ByteWrite(now, plan.Inode, int32(i>>6%2000), 1<<(i&63), tx+1)
		return end
	})
}

// BenchmarkCleaning is a line each of pages that the log never merges: every line is
// a page to be read and programmed.
func BenchmarkCleaning(b *testing.B) {
	bench(b, WriteLog, func(d *Device, now unit.Time, i uint32) unit.Time {
		end, _ := d.ByteWrite(now, plan.Inode, int32(i%90_000), 1, 0)
		return end + 20*us
	})
}

func BenchmarkByteRead(b *testing.B) {
	bench(b, WriteLog, func(d *Device, now unit.Time, i uint32) unit.Time {
		return d.ByteRead(now, plan.Inode, int32(i%50_000), 3)
	})
}

// BenchmarkPageBuffer is a store into one of 3000 pages, of which the buffer has 1024.
func BenchmarkPageBuffer(b *testing.B) {
	bench(b, PageBuffer, func(d *Device, now unit.Time, i uint32) unit.Time {
		end, _ := d.ByteWrite(now, plan.Inode, int32(i%3000), 3, 0)
		return end
	})
}
