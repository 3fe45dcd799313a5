package device

import (
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/quirk"
	"spillway/sim/unit"
)

// A dice decides what a random run does: bytes of a fuzzer, or of a generator.
type dice struct {
	data []byte
	more *rand.Rand
}

// roll returns a number below n.
func (r *dice) roll(n int) int {
	if r.more != nil {
		return r.more.IntN(n)
	}
	if len(r.data) == 0 {
		return 0
	}
	v := int(r.data[0])
	r.data = r.data[1:]
	return v % n
}

func (r *dice) over() bool { return r.more == nil && len(r.data) == 0 }

// small returns a device that is small enough for everything to happen often.
func small(r *dice) (m machine.Setup, memory Memory, waits bool) {
	m = machine.Default()
	m.Scale = 1
	m.Fresh = r.roll(4) == 0
	d := &m.Device
	d.Channels = int64(1 + r.roll(4))
	d.Pages = int64(2 + r.roll(6))
	d.Capacity = unit.Page * unit.Bytes(d.Channels*d.Pages*int64(8+r.roll(12)))
	d.Buffer = int64(1 + r.roll(6))
	d.DRAM = unit.Page * unit.Bytes(3+r.roll(4))
	d.LogAt = int64(10 + r.roll(91))
	d.Single = r.roll(4) == 0
	d.ReadsFirst = r.roll(4) == 0
	d.Shared = r.roll(4) == 0
	d.Serves = r.roll(4) == 0
	if r.roll(3) == 0 {
		d.Frontier = machine.OneBlock
	}
	d.Persist = unit.Time(r.roll(2)) * us
	d.CollectAt = int64(r.roll(30))
	d.CollectUntil = d.CollectAt + int64(r.roll(20))
	d.Old = int64(r.roll(2) * r.roll(30))
	if r.roll(2) == 0 {
		d.Erase = unit.Time(1+r.roll(200)) * us
	}
	if r.roll(3) == 0 {
		m.Quirks = quirk.Set(r.roll(1 << 7))
	}
	return m, Memory(r.roll(3)), r.roll(3) == 0
}

// both runs the same on both devices and holds them against each other.
func both(t *testing.T, r *dice, accesses int) {
	m, memory, waits := small(r)
	var events []plan.Event
	d := New(&m, memory, waits, func(e plan.Event) { events = append(events, e) })
	n := newNaive(&m, memory, waits)
	pages := d.Pages()
	if pages < 4 {
		return
	}
	now, tx := unit.Time(0), int32(1)
	for p := range min(pages, 64) {
		if r.roll(3) == 0 {
			d.Preload(p)
			u := n.next(p)
			for n.ftl.WriteTo(u, p); n.ftl.Due(u); {
				n.ftl.Collect(u)
			}
		}
	}
	act := func(until unit.Time) {
		for {
			at, ok := d.Due()
			if want, wantOK := n.due(); ok != wantOK || ok && at != want {
				t.Fatalf("due %d, %v; want %d, %v", at, ok, want, wantOK)
			}
			if !ok || at > until {
				return
			}
			d.Act(at)
			n.act(at)
		}
	}
	for range accesses {
		if r.over() {
			break
		}
		now += unit.Time(r.roll(4)) * unit.Time(r.roll(60)) * us / 4
		act(now)
		page := int32(r.roll(int(min(pages, 4+int32(r.roll(40))))))
		s := plan.Structure(r.roll(int(plan.Structures)))
		count := 1 + int32(r.roll(4))*int32(r.roll(2))
		count = min(count, pages-page)
		lines := uint64(1) << r.roll(64)
		switch r.roll(4) {
		case 0:
			lines = every
		case 1:
			lines |= lines << 1 >> r.roll(8)
		case 2:
			lines = uint64(r.roll(256)) << (8 * r.roll(8))
		}
		if lines == 0 {
			lines = 1
		}
		of := max(0, tx-int32(r.roll(3)+r.roll(2)*256)) // 0, or one that is open
		if n.committed[of] {
			of = 0
		}
		var got, want unit.Time
		ok, wantOK := true, true
		what := r.roll(12)
		if memory == NoMemory && !m.Device.Shared && what >= 4 && what <= 8 {
			what %= 4
		}
		switch what {
		case 0, 1:
			got, want = d.BlockRead(now, s, page, count), n.blockRead(now, s, page, count)
		case 2, 3:
			got, want = d.BlockWrite(now, s, page, count, of), n.blockWrite(now, s, page, count, of)
		case 4, 5:
			got, want = d.ByteRead(now, s, page, lines), n.byteRead(now, s, page, lines)
		case 6, 7, 8:
			for tries := 0; ; tries++ {
				got, ok = d.ByteWrite(now, s, page, lines, of)
				want, wantOK = n.byteWrite(now, s, page, lines, of)
				if ok || got != want || ok != wantOK {
					break
				}
				if got <= now || tries > 1000 {
					t.Fatalf("a full log says %d at %d", got, now)
				}
				now = got
				act(now)
			}
		case 9:
			d.Trim(now, page)
			n.trim(now, page)
		default:
			if of > 0 {
				got, want = d.Commit(now, of), n.commit(now, of)
			}
			tx += int32(r.roll(2) + r.roll(2)*255)
		}
		if got != want || ok != wantOK {
			t.Fatalf("access %d of page %d at %d: %d, %v; want %d, %v", what, page, now, got, ok, want, wantOK)
		}
		for p := range pages {
			if d.Mapped(p) != n.content(p) {
				t.Fatalf("page %d has content: %v, want %v", p, d.Mapped(p), n.content(p))
			}
		}
		if !reflect.DeepEqual(d.Counts, n.Counts) {
			t.Fatalf("after access %d at %d\n%+v, want\n%+v", what, now, d.Counts, n.Counts)
		}
		laws(t, d, n)
	}
	act(now + unit.Second)
	if !reflect.DeepEqual(d.Counts, n.Counts) || !slices.Equal(events, n.events) {
		t.Fatalf("at the end\n%+v, want\n%+v", d.Counts, n.Counts)
	}
}

// laws are what holds at any time.
func laws(t *testing.T, d *Device, n *naive) {
	used, size, cleaning := d.Log()
	if n.memory == WriteLog {
		active, old := n.bytes()
		if used != active+old || size != int64(n.d.DRAM) || cleaning != n.cleaning {
			t.Fatalf("the log has %d of %d bytes (cleaning %v); want %d of %d (%v)", used, size, cleaning, active+old, n.d.DRAM, n.cleaning)
		}
		there := int64(0)
		d.log.pages.All(func(p int32, l *logged) {
			there += int64(bits.OnesCount64(l.half[0]) + bits.OnesCount64(l.half[1]))
			if l.open&^l.has() != 0 {
				t.Fatalf("page %d has open lines %x, the log %x", p, l.open, l.has())
			}
		})
		merged := int64(0)
		for lines, pages := range d.Counts.Merged {
			merged += int64(lines) * pages
		}
		if c := &d.Counts; c.Appended != merged+c.Replaced+c.Voided+there {
			t.Fatalf("of %d lines %d were merged, %d replaced, %d void and %d are there", c.Appended, merged, c.Replaced, c.Voided, there)
		}
		for _, h := range n.halves { // what no commit covers is in the log still, or void
			for _, e := range h {
				if e.live && !n.committed[e.tx] && d.log.pages.At(e.page).open>>e.line&1 == 0 {
					t.Fatalf("line %d of page %d of open transaction %d is not in the log", e.line, e.page, e.tx)
				}
			}
		}
	}
	for u := range n.channels { // one thing at a time
		last := gap{}
		sum := unit.Time(0)
		for _, w := range n.channels[u].work {
			if w.from < last.to {
				t.Fatalf("channel %d works on two things at %d", u, w.from)
			}
			sum += w.to - w.from
			last = w
		}
		if sum != d.Counts.Busy[u] || sum > last.to {
			t.Fatalf("channel %d was busy %d of %d", u, d.Counts.Busy[u], last.to)
		}
	}
}

// TestRandom holds the device against the naive one.
func TestRandom(t *testing.T) {
	every := 4
	if testing.Short() {
		every = 8
	}
	for i := range 800 {
		if !effort.Takes(i, every) {
			continue
		}
		r := &dice{more: rand.New(rand.NewPCG(uint64(i), 1))}
		both(t, r, 150)
		if t.Failed() {
			t.Fatalf("run %d", i)
		}
	}
}

// FuzzDevice is the same with a fuzzer's choices.
func FuzzDevice(f *testing.F) {
	for i := range 8 {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		data := make([]byte, 2000)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { both(t, &dice{data: data}, 1000) })
}
