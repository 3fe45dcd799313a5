package device

import (
	"testing"

	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/quirk"
	"spillway/sim/unit"
)

// at checks a time in nanoseconds.
func at(t *testing.T, what string, got unit.Time, want int64) {
	t.Helper()
	if got != unit.Time(want)*ns {
		t.Errorf("%s: %v, want %v", what, got, unit.Time(want)*ns)
	}
}

// TestChannel has a channel that two ask for: who comes first is served first.
func TestChannel(t *testing.T) {
	m := machine.Default()
	d := New(&m, NoMemory, false, nil)
	d.Preload(0)
	at(t, "first read", d.BlockRead(0, plan.Data, 0, 1), 50_670)
	at(t, "second read", d.BlockRead(0, plan.Data, 0, 1), 5_500+80_000+1_170+4_000)
	if d.Counts.Busy[0] != 80*us {
		t.Errorf("busy %v", d.Counts.Busy)
	}
}

// TestWriteBuffer has more writes than slots: the third waits for the first program.
func TestWriteBuffer(t *testing.T) {
	m := machine.Default()
	m.Device.Buffer = 2
	d := New(&m, NoMemory, false, nil)
	at(t, "first", d.BlockWrite(0, plan.Data, 0, 1, 0), 10_670)
	at(t, "second", d.BlockWrite(0, plan.Data, 8, 1, 0), 12_170)
	at(t, "third", d.BlockWrite(0, plan.Data, 16, 1, 0), 5_500+1_170+60_000+1_170+4_000)
}

// TestArrival has reads of a channel for which a write is booked that waits for its slot:
// they come first.
func TestArrival(t *testing.T) {
	m := machine.Default()
	m.Device.Buffer = 1
	d := New(&m, NoMemory, false, nil)
	d.Preload(9)
	d.BlockWrite(0, plan.Data, 0, 1, 0)
	d.BlockWrite(0, plan.Data, 1, 1, 0) // to be programmed from 67.84 to 127.84
	at(t, "first read", d.BlockRead(10*us, plan.Data, 9, 1), 10_000+50_670)
	at(t, "second read", d.BlockRead(12*us, plan.Data, 9, 1), 15_500+80_000+5_170) // the program begins at 95.5 now
	at(t, "third read", d.BlockRead(70*us, plan.Data, 9, 1), 95_500+60_000+40_000+5_170)
}

// TestReadsFirst: a read waits for the program under way, and for no other. What it puts
// off has its slot of the write buffer longer.
func TestReadsFirst(t *testing.T) {
	for _, c := range []struct {
		first bool
		want  int64
		slot  int64 // is free
	}{{true, 66_670 + 40_000 + 5_170, 166_670}, {false, 126_670 + 40_000 + 5_170, 126_670}} {
		m := machine.Default()
		m.Device.Buffer = 2
		m.Device.ReadsFirst = c.first
		d := New(&m, NoMemory, false, nil)
		d.Preload(16)
		d.BlockWrite(0, plan.Data, 0, 1, 0) // to 66.67
		d.BlockWrite(0, plan.Data, 8, 1, 0) // to 126.67
		at(t, "read", d.BlockRead(10*us, plan.Data, 16, 1), c.want)
		d.BlockWrite(20*us, plan.Data, 24, 1, 0) // has the first slot
		at(t, "fourth write", d.BlockWrite(20*us, plan.Data, 1, 1, 0), c.slot+1_170+4_000)
	}
}

// TestPageBuffer has a buffer of one page, which is dirty when another is loaded.
func TestPageBuffer(t *testing.T) {
	for _, c := range []struct {
		quirks   quirk.Set
		want     int64
		programs int64
	}{
		{0, 40_000 + 4_800, 1},
		{machine.ShortMisses, 60_000 + 40_000 - 65_000 + 4_800, 1}, // it waits for the program, too
		{machine.FreeBytes, 40_000, 1},
		{machine.StaleDirty, 40_000 + 4_800, 0}, // nothing was dirty before
	} {
		m := machine.Default()
		m.Scale, m.Device.DRAM, m.Quirks = 1, unit.Page, c.quirks
		m.Device.Capacity = unit.GiB
		d := New(&m, PageBuffer, false, nil)
		d.Preload(1)
		d.ByteWrite(0, plan.Inode, 0, 1, 0)
		at(t, machine.Quirks.Format(c.quirks), d.ByteRead(0, plan.Inode, 1, 1), c.want)
		if p := d.Counts.FlashPrograms[ByBuffer]; p != c.programs || d.Counts.BufferMisses != 2 {
			t.Errorf("%s: %d programs, %d misses", machine.Quirks.Format(c.quirks), p, d.Counts.BufferMisses)
		}
	}
}

// TestShared: block commands find pages in the buffer and leave them there.
func TestShared(t *testing.T) {
	m := machine.Default()
	m.Device.Shared = true
	d := New(&m, NoMemory, false, nil)
	d.Preload(3)
	at(t, "miss", d.BlockRead(0, plan.Data, 3, 1), 50_670)
	at(t, "hit", d.BlockRead(100*us, plan.Data, 3, 1), 110_670)
	d.BlockWrite(200*us, plan.Data, 4, 1, 0)
	if p := d.Counts.FlashPrograms; p != [Whys]int64{} || !d.Mapped(4) {
		t.Errorf("programs %d, mapped %v", p, d.Mapped(4))
	}
}

// logOf returns a device whose log has two halves of so many lines.
func logOf(lines int, set func(m *machine.Setup)) *Device {
	m := machine.Default()
	m.Scale, m.Device.Capacity, m.Device.DRAM = 1, unit.GiB, unit.Bytes(2*lines*entry)
	if set != nil {
		set(&m)
	}
	return New(&m, WriteLog, false, nil)
}

// settle lets the device do what it has to.
func settle(d *Device) (now unit.Time) {
	for at, ok := d.Due(); ok; at, ok = d.Due() {
		d.Act(at)
		now = at
	}
	return now
}

// TestSwap fills a half of 100 lines: at 85 % it is cleaned, a page with a read of what
// flash has of it, one that is whole without.
func TestSwap(t *testing.T) {
	d := logOf(100, nil)
	d.Preload(0)
	d.Preload(1)
	d.ByteWrite(0, plan.Inode, 0, every, 0)
	d.ByteWrite(0, plan.Inode, 1, 1<<20-1, 0)
	if d.Counts.Swaps != 0 {
		t.Fatal("swapped at 84 lines")
	}
	d.ByteWrite(0, plan.Inode, 2, 1, 0)
	if d.Counts.Swaps != 1 {
		t.Fatal("not swapped at 85")
	}
	if used, size, cleaning := d.Log(); used != 85*68 || size != 200*68 || !cleaning {
		t.Errorf("%d of %d bytes, cleaning %v", used, size, cleaning)
	}
	at(t, "page 1 is read and programmed", settle(d), 100_000)
	if r, p := d.Counts.FlashReads[ByCleaning], d.Counts.FlashPrograms[ByCleaning]; r != 1 || p != 3 {
		t.Errorf("%d reads, %d programs", r, p)
	}
	if m := d.Counts.Merged; m[64] != 1 || m[20] != 1 || m[1] != 1 {
		t.Errorf("merged %v", m)
	}
	if used, _, cleaning := d.Log(); used != 0 || cleaning {
		t.Errorf("%d bytes, cleaning %v", used, cleaning)
	}
}

// TestFull: while one half is cleaned the other fills up, and then writers wait.
func TestFull(t *testing.T) {
	d := logOf(100, nil)
	d.ByteWrite(0, plan.Inode, 0, every, 0)
	d.ByteWrite(0, plan.Inode, 8, 1<<36-1, 0) // the same channel: two programs
	d.Act(0)
	d.ByteWrite(0, plan.Inode, 1, every, 0)
	if _, ok := d.ByteWrite(0, plan.Inode, 2, 1<<36-1, 0); !ok {
		t.Fatal("100 lines do not fit")
	}
	again, ok := d.ByteWrite(us, plan.Inode, 3, 1, 0)
	if ok {
		t.Fatal("101 lines fit")
	}
	at(t, "the first page is clean", again, 60_000)
	d.Act(again)
	again, ok = d.ByteWrite(again, plan.Inode, 3, 1, 0)
	if ok {
		t.Fatal("a half that is not clean has room")
	}
	at(t, "the second page is clean", again, 120_000)
	d.Act(again)
	if _, ok := d.ByteWrite(again, plan.Inode, 3, 1, 0); !ok || d.Counts.Swaps != 2 {
		t.Errorf("ok %v, %d swaps", ok, d.Counts.Swaps)
	}
}

// TestSingle: one log of 200 lines is cleaned from 170 on, and writers go on meanwhile.
func TestSingle(t *testing.T) {
	d := logOf(100, func(m *machine.Setup) { m.Device.Single = true })
	for p := range int32(4) {
		d.ByteWrite(0, plan.Inode, p, 1<<42-1, 0)
	}
	if d.Counts.Swaps != 0 {
		t.Fatal("cleaned at 168 lines")
	}
	d.ByteWrite(0, plan.Inode, 4, 3, 0)
	if d.Counts.Swaps != 1 {
		t.Fatal("not cleaned at 170")
	}
	if _, ok := d.ByteWrite(0, plan.Inode, 5, 1<<30-1, 0); !ok {
		t.Error("200 lines do not fit")
	}
	if _, ok := d.ByteWrite(0, plan.Inode, 5, 1, 0); ok {
		t.Error("201 lines fit")
	}
}

// TestOpen: lines of a transaction that has not committed are carried, and not merged.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		quirks          quirk.Set
		commit          bool
		merged, carried int64
	}{{0, false, 84, 1}, {0, true, 85, 0}, {machine.NoCommit, false, 85, 0}} {
		d := logOf(100, func(m *machine.Setup) { m.Quirks = c.quirks })
		d.ByteWrite(0, plan.Inode, 0, 1, 7)
		if c.commit {
			d.Commit(0, 7)
		}
		d.ByteWrite(0, plan.Inode, 0, 6, 0)
		d.ByteWrite(0, plan.Inode, 1, every, 0)
		d.ByteWrite(0, plan.Inode, 2, 1<<18-1, 0)
		settle(d)
		merged := int64(0)
		for lines, pages := range d.Counts.Merged {
			merged += int64(lines) * pages
		}
		used, _, _ := d.Log()
		if merged != c.merged || d.Counts.Carried != c.carried || used != c.carried*68 {
			t.Errorf("%+v: %d merged, %d carried, %d bytes left", c, merged, d.Counts.Carried, used)
		}
	}
}

// TestNeverCommitted: a log full of lines that nobody commits takes more, and is not
// carried to and fro.
func TestNeverCommitted(t *testing.T) {
	for _, single := range []bool{false, true} {
		d := logOf(100, func(m *machine.Setup) { m.Device.Single = single })
		for p := range int32(10_000) {
			if _, ok := d.ByteWrite(unit.Time(p)*us, plan.Inode, p, 1, 1+p); !ok {
				t.Fatalf("page %d has to wait", p)
			}
			settle(d)
		}
		if c := &d.Counts; c.Carried > 2*c.Appended || c.FlashPrograms != [Whys]int64{} {
			t.Errorf("single %v: %d lines, %d carried, programs %d", single, c.Appended, c.Carried, c.FlashPrograms)
		}
	}
}

// TestVoid: a block write makes the lines of its page void, a trim those and the page.
func TestVoid(t *testing.T) {
	for _, c := range []struct {
		quirks quirk.Set
		trim   bool
		voided int64
		hits   int64 // of a read of the line afterwards
		mapped bool
	}{
		{0, false, 3, 0, true},
		{machine.KeepsLines, false, 0, 1, true},
		{0, true, 3, 0, false},
		{machine.KeepsLines, true, 3, 0, false},
	} {
		d := logOf(100, func(m *machine.Setup) { m.Quirks = c.quirks })
		d.ByteWrite(0, plan.Inode, 0, 7, 1)
		if c.trim {
			d.Trim(0, 0)
		} else {
			d.BlockWrite(0, plan.Inode, 0, 1, 0)
		}
		mapped := d.Mapped(0)
		d.ByteRead(0, plan.Inode, 0, 1)
		if d.Counts.Voided != c.voided || d.Counts.LogHits != c.hits || mapped != c.mapped {
			t.Errorf("%+v: %d void, %d hits, mapped %v", c, d.Counts.Voided, d.Counts.LogHits, mapped)
		}
	}
}

// TestKeepsFreed: an SSD that nobody tells which pages are free keeps what is in them.
func TestKeepsFreed(t *testing.T) {
	d := logOf(100, func(m *machine.Setup) { m.Device.KeepsFreed = true })
	d.Preload(0)
	d.ByteWrite(0, plan.Inode, 0, 1, 0)
	d.Trim(0, 0)
	if d.Counts.Voided != 0 || !d.Mapped(0) {
		t.Errorf("a trim voids %d lines; mapped %v", d.Counts.Voided, d.Mapped(0))
	}
	at(t, "in the log", d.ByteRead(0, plan.Inode, 0, 1), 4_800)
}

// TestInverted: the artifact reads flash for what the log has, and not for what it lacks.
func TestInverted(t *testing.T) {
	d := logOf(100, func(m *machine.Setup) { m.Quirks = machine.Inverted })
	d.Preload(0)
	at(t, "in flash", d.ByteRead(0, plan.Inode, 0, 1), 4_800)
	d.ByteWrite(0, plan.Inode, 0, 1, 0)
	at(t, "in the log", d.ByteRead(0, plan.Inode, 0, 1), 44_800)
}

// TestFresh: data pages that hold zeros are read from flash, others without content not.
func TestFresh(t *testing.T) {
	m := machine.Default()
	m.Fresh = true
	d := New(&m, WriteLog, false, nil)
	at(t, "data", d.BlockRead(0, plan.Data, 0, 1), 50_670)
	at(t, "an inode", d.BlockRead(10*us, plan.Inode, 1, 1), 20_670)
}

// TestCollection overwrites a small device many times: collection goes on in the
// background, in pieces, and other data are copied with the rest.
func TestCollection(t *testing.T) {
	for _, old := range []int64{0, 30} {
		m := machine.Default()
		m.Scale, m.Device.Capacity, m.Device.Pages, m.Device.Old = 1, 32*unit.MiB, 16, old
		d := New(&m, NoMemory, false, nil)
		now := unit.Time(0)
		for i := range 40_000 {
			for at, ok := d.Due(); ok && at <= now; at, ok = d.Due() {
				d.Act(at)
			}
			now = d.BlockWrite(now, plan.Data, int32(i)*7919%d.Pages(), 1, 0)
		}
		end := max(now, settle(d))
		c := &d.Counts
		if c.Erases == 0 || c.FlashReads[ByCollection] != c.FlashPrograms[ByCollection] {
			t.Errorf("old %d: %d erases, copies %d and %d", old, c.Erases, c.FlashReads[ByCollection], c.FlashPrograms[ByCollection])
		}
		// What is written is free again but for what the flash holds of it.
		if free := c.Erases * 16; free < 40_000+c.FlashPrograms[ByCollection]-int64(m.Device.Capacity/unit.Page) {
			t.Errorf("old %d: %d pages erased for %d written", old, free, 40_000+c.FlashPrograms[ByCollection])
		}
		for u, busy := range c.Busy {
			if busy > end {
				t.Errorf("channel %d was busy %v of %v", u, busy, end)
			}
		}
	}
}
