package cxlssd

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
)

// share is one in how many like cases a test tries, but at night.
const share = 4

// many are the seeds below n that a test tries: a share of them, half as many where tests
// are to be short, all at night.
func many(n int) iter.Seq[uint64] {
	every := share
	if testing.Short() {
		every *= 2
	}
	return func(yield func(uint64) bool) {
		for seed := range n {
			if effort.Takes(seed, every) && !yield(uint64(seed)) {
				return
			}
		}
	}
}

// TestLaws runs random streams on random setups: what holds whatever the parameters are.
func TestLaws(t *testing.T) {
	for seed := range many(1500) {
		d := draw(seed)
		res := d.run(t)
		if broken := laws(t, d.w, &d.s, d.system, res); broken != "" {
			t.Errorf("%v:%s", d, broken)
		}
		if t.Failed() && seed > 400 {
			return
		}
	}
}

// laws returns what is wrong with a result, a line each.
func laws(t *testing.T, w *stream.Workload, s *Setup, system string, res *Result) (broken string) {
	t.Helper()
	d := design(t, s, system)
	is := func(ok bool, format string, args ...any) {
		if !ok {
			broken += "\n\t" + fmt.Sprintf(format, args...)
		}
	}
	all, err := w.Streams(res.Threads)
	if err != nil {
		t.Fatal(err)
	}

	// No request is lost, and none is counted twice, however often it was issued.
	var writes int64
	for _, of := range all.Threads {
		for _, r := range of {
			if r.Write() {
				writes++
			}
		}
	}
	is(sum(res.Requests[:]) == all.Count, "%d requests retired, the stream has %d", sum(res.Requests[:]), all.Count)
	is(res.Writes == writes, "%d writes retired, the stream has %d", res.Writes, writes)

	// Latencies are of all requests: of those that read and those that write. Work of the flash
	// is of all pages but those of collection.
	for i, n := range res.Latency {
		is(n == res.ReadTail.Latency[i]+res.WriteTail.Latency[i], "step %d: %d latencies, %d of reads and %d of writes", i, n, res.ReadTail.Latency[i], res.WriteTail.Latency[i])
	}
	is(sum(res.Latency[:]) == all.Count && sum(res.WriteTail.Latency[:]) == writes && sum(res.WritesOf[:]) == writes, "%d latencies, %d of %d writes", sum(res.Latency[:]), sum(res.WriteTail.Latency[:]), writes)
	is(res.Longest == max(res.ReadTail.Longest, res.WriteTail.Longest), "the longest takes %v, of reads %v, of writes %v", res.Longest, res.ReadTail.Longest, res.WriteTail.Longest)
	is(sum(res.ReadWork.Latency[:]) == res.UserReads && sum(res.ProgramWork.Latency[:]) == res.EvictionPrograms+res.DemotionPrograms && sum(res.CompactReadWork.Latency[:]) == res.CompactionReads && sum(res.CompactProgramWork.Latency[:]) == res.CompactionPrograms,
		"work of %d, %d, %d and %d pages", sum(res.ReadWork.Latency[:]), sum(res.ProgramWork.Latency[:]), sum(res.CompactReadWork.Latency[:]), sum(res.CompactProgramWork.Latency[:]))

	// Every request's bill: the fixed parts are what its kind costs, and the parts of all
	// kinds are the whole bill.
	var bill [Parts]unit.Time
	for kind := range res.BillOf {
		of, n := res.BillOf[kind], unit.Time(res.Requests[kind])
		for part, v := range of {
			is(v >= 0, "kind %d has %v of part %d", kind, v, part)
			bill[part] += v
		}
		host := w.Recipe.DRAM
		if !d.DRAM && s.Quirks.Has(FixedHost) {
			host = s.Access
		}
		want := [Parts]unit.Time{PartLink: n * s.Link, PartIndex: n * s.Index, PartDRAM: n * s.Access, PartFlash: of[PartFlash], PartQueue: of[PartQueue]}
		switch Kind(kind) {
		case HostHit:
			want = [Parts]unit.Time{PartHost: n * host, PartQueue: of[PartQueue]}
			is(of[PartQueue] == 0, "host DRAM has a queue of %v", of[PartQueue])
		case LogWrite:
			if s.Quirks.Has(FreeIndex) {
				want[PartIndex] = 0
			}
			is(of[PartFlash] == 0, "a log write waits %v for flash", of[PartFlash])
		case CacheHit, LogRead:
			is(of[PartFlash] == 0 && (of[PartQueue] == 0 || s.LinkRate > 0), "kind %d, a hit, waits %v for flash and %v in queues", kind, of[PartFlash], of[PartQueue])
		}
		if s.LinkRate > 0 {
			want[PartLink] = of[PartLink]
			is(kind == int(HostHit) || of[PartLink] >= n*s.Link, "kind %d has %v of the link, less than %v", kind, of[PartLink], n*s.Link)
		}
		is(of == want, "kind %d of %d requests is billed %v, want %v", kind, n, of, want)
	}
	is(bill == res.Bill, "bills by kind are %v together, the bill is %v", bill, res.Bill)

	// Every picosecond of every core has a cause.
	is(sum(res.Ledger[:]) == unit.Time(res.Cores)*res.Time, "the ledger is %v, %d cores for %v", sum(res.Ledger[:]), res.Cores, res.Time)
	is(len(res.CoreTimes) == res.Cores && slices.Max(res.CoreTimes) == res.Time, "times of the cores %v, of the run %v", res.CoreTimes, res.Time)
	var idle unit.Time
	for cause, v := range res.Ledger {
		is(v >= 0, "cause %d has %v", cause, v)
	}
	for _, at := range res.CoreTimes {
		idle += res.Time - at
	}
	is(res.Ledger[Idle] >= idle, "idle for %v, but cores ended %v before the last", res.Ledger[Idle], idle)

	// A dirty line is in exactly one place. There are as many as writes; where stores
	// block and switch, one that was squashed had reached the device before; where the
	// log is as warming left it, there are those in it.
	is(res.DirtyLines == res.LinesProgrammed+res.LinesInHost+res.LinesInDevice+res.LinesOverwritten+res.LinesLost,
		"%d dirty lines: %d programmed, %d in host DRAM, %d in the device, %d overwritten, %d lost",
		res.DirtyLines, res.LinesProgrammed, res.LinesInHost, res.LinesInDevice, res.LinesOverwritten, res.LinesLost)
	is(res.LinesLost == 0 || d.Log && s.Quirks.Has(DemotionLost), "%d lines lost", res.LinesLost)
	squashed := !d.Log && d.Switch && w.Recipe.Stores == stream.Blocking
	warmed := d.Log && !s.Quirks.Has(WarmCharged)
	is(res.DirtyLines >= writes, "%d dirty lines from %d writes", res.DirtyLines, writes)
	is(squashed && res.DirtyLines <= writes+res.Switches || warmed && res.DirtyLines <= writes+res.Slots || res.DirtyLines == writes, "%d dirty lines from %d writes", res.DirtyLines, writes)

	// A design does only what it has the mechanism for.
	if !d.Log {
		is(res.Appends+res.Replaced+res.Compactions+res.CompactionPrograms+res.CompactionReads+res.Requests[LogRead]+res.Requests[LogWrite] == 0, "a log is used that is not there")
	}
	if !d.Switch && s.Scheduler != CFS {
		is(res.Switches+res.Repeated == 0, "%d switches in a design without", res.Switches)
	}
	if d.Promote == NoPromotion {
		is(res.Promotions+res.Demotions+res.HostPages+res.DemotionPrograms == 0, "%d promotions in a design without", res.Promotions)
	}
	if d.DRAM {
		is(res.Requests[HostHit] == all.Count && res.UserReads+res.EvictionPrograms+res.DemotionPrograms+res.CompactionPrograms == 0, "DRAM-only uses the device")
	}
	is(res.Repeated <= res.Switches, "%d repeated of %d switches", res.Repeated, res.Switches)
	is(res.Demotions <= res.Promotions+res.HostPages, "%d demotions of %d promotions", res.Demotions, res.Promotions)
	is(res.HostPages <= int64(s.Host/unit.Page)/res.Scale || d.Promote == AstriFlash || d.Promote == OnMiss, "%d pages in host DRAM of %v", res.HostPages, s.Host)

	// The log: lines leave it once.
	if d.Log {
		is(res.Slots == int64(s.Log)/res.Scale/72, "%d slots in %v", res.Slots, s.Log)
		is(res.Replaced <= res.Appends, "%d of %d lines replaced", res.Replaced, res.Appends)
		is(res.Merged[0] == 0, "%d pages programmed without a line", res.Merged[0])
		var pages, lines int64
		for n, of := range res.Merged {
			pages, lines = pages+of, lines+of*int64(n)
		}
		is(pages == res.CompactionPrograms-res.WarmPrograms, "%d pages by lines, %d programs of compaction, %d of them of warming", pages, res.CompactionPrograms, res.WarmPrograms)
		is(res.CompactionReads <= res.CompactionPrograms, "%d reads for %d programs of compaction", res.CompactionReads, res.CompactionPrograms)
		is(lines == res.LinesProgrammed, "%d lines compacted, %d programmed", lines, res.LinesProgrammed)
		is(lines <= res.Appends-res.Replaced || warmed && lines <= res.Appends-res.Replaced+res.Slots, "%d lines compacted of %d appended", lines, res.Appends)
	}
	is(res.WarmPrograms <= res.CompactionPrograms && res.WarmReads <= res.CompactionReads, "warm %d programs and %d reads, of %d and %d",
		res.WarmPrograms, res.WarmReads, res.CompactionPrograms, res.CompactionReads)

	// Flash: a read that a request waited for took at least the flash's time.
	is(res.UserReadTime >= unit.Time(res.UserReads)*s.Read, "%d reads took %v", res.UserReads, res.UserReadTime)
	is(res.Requests[Missed] <= res.UserReads, "%d misses, %d reads", res.Requests[Missed], res.UserReads)
	is(d.DRAM || len(res.ChannelBusy) == int(s.Channels), "%d channels, want %d", len(res.ChannelBusy), s.Channels)
	if s.Quirks.Has(OneLUN) && !d.DRAM {
		busy := s.Read*unit.Time(res.UserReads+res.CompactionReads+res.CollectionReads) + s.Erase*unit.Time(res.Erases) +
			s.Program*unit.Time(res.EvictionPrograms+res.CompactionPrograms+res.DemotionPrograms+res.CollectionPrograms)
		is(s.ChannelRate > 0 || sum(res.ChannelBusy) == busy, "channels are busy %v, what they did takes %v", sum(res.ChannelBusy), busy)

		// No run ends before its channels can have done what is not queued any more.
		// Compaction has a clock of its own.
		last := res.Samples[len(res.Samples)-1]
		is(last.At == res.Time, "the last sample is of %v, the run took %v", last.At, res.Time)
		room := unit.Time(s.Channels) * (res.Time + last.Backlog)
		asked := s.Read*unit.Time(res.UserReads) + s.Program*unit.Time(res.EvictionPrograms+res.DemotionPrograms)
		compacted := s.Program * unit.Time(res.CompactionPrograms)
		if res.CompactionPrograms == 0 {
			asked = busy
		}
		is(asked <= room && compacted <= room, "%d channels work for %v, %v of it still queued: too short for %v that was asked for, or %v of compaction",
			s.Channels, res.Time+last.Backlog, last.Backlog, asked, compacted)
	}

	// The newest of every written line is somewhere: each page that was written is
	// programmed, or a line of it is in host DRAM or the device, or lost.
	if !d.DRAM {
		written := map[uint32]bool{}
		for _, of := range all.Threads {
			for _, r := range of {
				if r.Write() {
					written[r.Page()] = true
				}
			}
		}
		programs := res.EvictionPrograms + res.DemotionPrograms + res.CompactionPrograms - res.WarmPrograms
		left := res.LinesInHost + res.LinesInDevice + res.LinesLost
		is(programs+left >= int64(len(written)), "%d pages are written, %d programmed, %d lines are left", len(written), programs, left)
	}
	return broken
}

// TestSame runs everything twice: same seed, same bytes. And with a watch that is told
// everything: it changes nothing, and its spans are the ledger.
func TestSame(t *testing.T) {
	told := int64(0)
	for seed := range many(400) {
		d := draw(seed + 10_000)
		want := d.run(t)
		if got := d.run(t); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: another run differs:%s", d, differences(got, want))
		}
		var ledger [Causes]unit.Time
		at := make([]unit.Time, want.Cores)
		var switches, pages, retired, copied, erased int64
		var works [FlashWorks]int64
		var busy unit.Time
		ends := [2]map[int]unit.Time{{}, {}} // by who asks, of each server
		watch := &Watch{
			Retired: func(unit.Time) { retired++ },
			Collection: func(from, to unit.Time, pages, blocks int64) {
				if copied, erased = copied+pages, erased+blocks; to < from {
					t.Errorf("%v: collection from %v to %v", d, from, to)
				}
			},
			Flash: func(server int, what FlashWork, from, to unit.Time) {
				who := 0
				if what >= CompactRead {
					who = 1
				}
				if from < ends[who][server] || to <= from || server < 0 || server >= int(d.s.Servers()) {
					t.Errorf("%v: server %d works from %v to %v (%d), before until %v", d, server, from, to, what, ends[who][server])
				}
				ends[who][server] = to
				works[what]++
				busy += to - from
			},
			Span: func(core, _ int, what Cause, from, to unit.Time) {
				if from != at[core] || to < from {
					t.Errorf("%v: core %d's span is from %v to %v, the one before ended at %v", d, core, from, to, at[core])
				}
				ledger[what] += to - from
				at[core] = to
			},
			Switch: func(int, int, int, uint32, unit.Time, unit.Time) { switches++ },
			Page: func(_ uint32, what string, _ unit.Time) {
				if what == "promote" {
					pages++
				}
			},
			Compaction: func(from, to unit.Time, pages, lines int64) {
				if to < from || pages < 0 || lines < pages {
					t.Errorf("%v: a compaction from %v to %v of %d pages and %d lines", d, from, to, pages, lines)
				}
			},
		}
		last := 0
		got, err := simulate(d.w, &d.s, d.system, watch, func(done, total int) {
			if done < last || done > total || total != int(d.w.Recorded.Count) {
				t.Errorf("%v: progress %d of %d after %d", d, done, total, last)
			}
			last = done
		})
		if err != nil {
			t.Fatal(err)
		}
		got.Samples, want.Samples = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: a watched run differs:%s", d, differences(got, want))
		}
		for core, end := range at {
			ledger[Idle] += want.Time - end
			_ = core
		}
		if ledger != want.Ledger {
			t.Errorf("%v: spans sum to %v, the ledger is %v", d, ledger, want.Ledger)
		}
		if switches != want.Switches && d.s.Scheduler != CFS { // which ends turns without a page
			t.Errorf("%v: told of %d switches of %d", d, switches, want.Switches)
		}
		if retired != int64(d.w.Recorded.Count) || copied != want.CollectionPrograms || erased != want.Erases {
			t.Errorf("%v: told of %d requests of %d, of %d pages copied of %d and %d blocks erased of %d", d, retired, d.w.Recorded.Count, copied, want.CollectionPrograms, erased, want.Erases)
		}
		collected := unit.Time(want.CollectionReads)*d.s.Read + unit.Time(want.CollectionPrograms)*d.s.Program + unit.Time(want.Erases)*d.s.Erase
		if all := sum(want.ChannelBusy); busy+collected != all {
			t.Errorf("%v: told of %v of work and %v of collection, channels are busy for %v", d, busy, collected, all)
		}
		if works[ProgramPage] != want.EvictionPrograms+want.DemotionPrograms || works[ReadPage] < want.UserReads || works[CompactProgram] < want.CompactionPrograms {
			t.Errorf("%v: told of %d works: %d reads, %d evictions, %d demotions, %d compactions", d, works, want.UserReads, want.EvictionPrograms, want.DemotionPrograms, want.CompactionPrograms)
		}
		told += works[CompactProgram] - want.CompactionPrograms
		if pages != want.Promotions {
			t.Errorf("%v: told of %d promotions of %d", d, pages, want.Promotions)
		}
		if t.Failed() {
			return
		}
	}
	if told == 0 && effort.Nightly() { // few are, and a share of the draws may have none
		t.Error("nothing puts off a program of compaction that is under way")
	}
}

// fair gives a draw what a comparison with DRAM-only needs: host DRAM costs the same in
// both (FixedHost is off) and no more than the cheapest of the device, loads wait for
// each other, and stores are buffered in both or in neither.
func (d *drawn) fair(log bool) {
	d.s.Quirks &^= FixedHost
	d.w.Recipe.DRAM, d.w.Recipe.Overlap = min(d.w.Recipe.DRAM, d.s.Access+d.s.Link), 0
	if log {
		d.w.Recipe.Stores = stream.Buffered
	}
}

// TestBound: under these conditions DRAM-only with as many threads is never slower than
// a design that does not switch, where every thread has a core of its own.
func TestBound(t *testing.T) {
	compared := 0
	for seed := range many(800) {
		d := draw(seed + 20_000)
		mechanisms := design(t, &d.s, d.system)
		if mechanisms.Switch || mechanisms.DRAM {
			continue
		}
		d.fair(mechanisms.Log)
		d.s.Cores = int64(len(d.w.Recorded.Threads))
		res := d.run(t)
		bound, err := simulate(d.w, &d.s, "dram-only", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if compared++; res.Time < bound.Time {
			t.Errorf("%v: %v, DRAM-only takes %v", d, res.Time, bound.Time)
		}
	}
	if compared < 10 {
		t.Errorf("%d comparisons", compared)
	}
}

// TestWork: under the same conditions, with any number of threads and cores, scheduler
// and mechanisms, no design has less work for its cores than DRAM-only. So none is
// faster than DRAM-only would be if its work lay evenly on its cores. As it lies, one
// may be: threads that take turns lie more evenly than those that run to their end.
// Where threads switch, store buffers are never full here: another thread between two
// stores lets the second find room that it would wait for. So does a shoot-down, which stops
// a core and not its stores.
func TestWork(t *testing.T) {
	compared, switched, faster := 0, 0, 0
	for seed := range many(1200) {
		d := draw(seed + 60_000)
		mechanisms := design(t, &d.s, d.system)
		if mechanisms.DRAM {
			continue
		}
		d.fair(mechanisms.Log)
		if mechanisms.Switch || d.s.Scheduler == CFS || d.s.Shootdown > 0 {
			d.s.StoreSize = d.w.Recorded.Count
		}
		res := d.run(t)
		even, err := simulate(d.w, &d.s, "dram-only", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if mechanisms.Switch && res.Switches > 0 {
			switched++
		}
		if res.Time < even.Time {
			faster++
		}
		if res.Work() < even.Work() || res.Time*unit.Time(res.Cores) < even.Work() {
			t.Errorf("%v, stores %v: cores work %v of %v, those of DRAM-only %v", d, d.w.Recipe.Stores, res.Work(), res.Time*unit.Time(res.Cores), even.Work())
		}
	}
	if compared < 40 || switched < 10 || faster == 0 && effort.Nightly() { // few are
		t.Errorf("%d comparisons, %d with switches, %d faster than DRAM-only as its work lies", compared, switched, faster)
	}
}

// TestShorter: one thread that waits for every load, of a device that only serves it, is
// never slower when anything takes less time or when there are more channels or pages of
// cache in a set. Beyond that no order holds: what comes earlier may take the place of
// something else.
func TestShorter(t *testing.T) {
	faster := 0
	for seed := range many(400) {
		d := draw(seed + 30_000)
		threads := d.w.Recorded.Threads
		var one []stream.Request
		for _, of := range threads {
			one = append(one, of...)
		}
		d.w.Recorded.Threads = [][]stream.Request{one}
		d.w.Recipe.Stores, d.w.Recipe.Outstanding, d.w.Recipe.Classes = stream.Blocking, 1, nil
		d.w.Recipe.Fill = 0
		d.system, d.s.LinkRate, d.s.ChannelRate, d.s.Preconditioned = "base-cssd", 0, 0, 0
		for i, r := range one {
			one[i] = stream.NewRequest(r.Page(), r.Line(), false, r.Gap())
		}
		d.s.Quirks &^= EvictClean
		slow := d.run(t)
		for name, change := range map[string]func(s *Setup){
			"read":     func(s *Setup) { s.Read -= s.Read / 3 },
			"access":   func(s *Setup) { s.Access /= 2 },
			"link":     func(s *Setup) { s.Link /= 2 },
			"index":    func(s *Setup) { s.Index /= 2 },
			"clock":    func(s *Setup) { s.Clock *= 2 },
			"channels": func(s *Setup) { s.Channels *= 2 },
			"ways":     func(s *Setup) { s.Ways *= 2; s.DRAM *= 2 }, // of as many sets or more
		} {
			short := d
			change(&short.s)
			switch res := short.run(t); {
			case res.Time > slow.Time:
				t.Errorf("%v: %v, with less for %s %v", d, slow.Time, name, res.Time)
			case res.Time < slow.Time:
				faster++
			}
		}
	}
	if faster == 0 {
		t.Error("nothing became faster")
	}
}

// TestLinkWithoutWaiting: on a link that carries a line in 64 ps nobody waits, whoever
// switches: a request pays its latency and hardly more. A promoted page takes 4 ns of it.
func TestLinkWithoutWaiting(t *testing.T) {
	for i := range Systems {
		s := Default()
		s.Scale, s.LinkRate = 64, 1000*unit.GBps
		res, err := Run(recipe(t, "tpcc"), &s, Systems[i].Name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := unit.Time(sum(res.Requests[:]) - res.Requests[HostHit])
		if got := res.Bill[PartLink] - n*s.Link; got < 0 || got > n*unit.Nanosecond/2 {
			t.Errorf("%s: %d requests wait %v for a link that carries them in %v", Systems[i].Name, n, got, n*64)
		}
	}
}

// TestExtremes runs setups at the ends of what is allowed: none fails, hangs or
// overflows, and the laws hold.
func TestExtremes(t *testing.T) {
	one := func(n int, write func(i int) bool) *stream.Workload {
		s := &stream.Stream{Pages: 1}
		for k := range n {
			var of []stream.Request
			for i := range 70 {
				of = append(of, stream.NewRequest(0, uint8((i+k)%stream.Lines), write(i), unit.Cycles(i)))
			}
			s.Threads = append(s.Threads, of)
			s.Count += int64(len(of))
		}
		return &stream.Workload{Name: "one page", Recorded: s, Recipe: stream.Recipe{Outstanding: 8, Overlap: 500, DRAM: 50_000, DemoteDirty: 1000, DemoteMost: 1 << 30}}
	}
	lonely := one(1, func(int) bool { return false })
	lonely.Recorded.Threads[0] = lonely.Recorded.Threads[0][:1]
	lonely.Recorded.Count = 1
	wide := one(64, func(i int) bool { return i%2 == 0 })
	far := &stream.Stream{Pages: 1 << 14}
	for range 9 {
		r, of := rand.New(rand.NewPCG(uint64(len(far.Threads)), 1)), []stream.Request(nil)
		for i := range 40 {
			gap := unit.Cycles(0)
			if i == len(far.Threads) {
				gap = stream.MaxGap
			}
			of = append(of, stream.NewRequest(uint32(r.Int32N(far.Pages)), uint8(r.IntN(64)), r.IntN(3) == 0, gap))
		}
		far.Threads, far.Count = append(far.Threads, of), far.Count+40
	}
	workloads := []*stream.Workload{
		lonely, one(1, func(int) bool { return true }), one(3, func(int) bool { return false }), wide,
		{Name: "far", Recorded: far, Recipe: stream.Recipe{Outstanding: 1, DRAM: 50_000, Fill: 1000, FillPromote: 1000}},
		{Name: "empty threads", Recorded: &stream.Stream{Pages: 1, Threads: [][]stream.Request{nil, {stream.NewRequest(0, 1, true, 0)}, nil}, Count: 1}, Recipe: stream.Recipe{Outstanding: 1, DRAM: 50_000}},
	}
	setups := map[string]func(s *Setup){
		"default":               func(*Setup) {},
		"one core":              func(s *Setup) { s.Cores = 1 },
		"all cores":             func(s *Setup) { s.Cores = 64 },
		"log of one page":       func(s *Setup) { s.Log = 64 * 72 },
		"log of four lines":     func(s *Setup) { s.Log = 4 * 72 },
		"one set":               func(s *Setup) { s.Log = 7200; s.DRAM = (s.Log+16*unit.Page)*8/7 + 8 },
		"one way":               func(s *Setup) { s.Ways = 1; s.Log = 288; s.DRAM = (s.Log+unit.Page)*8/7 + 8 },
		"no host DRAM":          func(s *Setup) { s.Host = 0 },
		"host DRAM of a page":   func(s *Setup) { s.Host = unit.Page; s.PromoteAt = 1 },
		"host DRAM of a TiB":    func(s *Setup) { s.Host = 1 << 40 },
		"threshold 0":           func(s *Setup) { s.Threshold = 0 },
		"threshold of a second": func(s *Setup) { s.Threshold = unit.Second },
		"switches for nothing":  func(s *Setup) { s.Switch, s.Threshold = 0, 0 },
		"switches of a second":  func(s *Setup) { s.Switch = unit.Second },
		"one channel":           func(s *Setup) { s.Channels, s.Dies = 1, 1 },
		"slow flash":            func(s *Setup) { s.Read, s.Program, s.Erase = unit.Second/10, unit.Second/10, unit.Second/10 },
		"store buffer of one":   func(s *Setup) { s.StoreSize = 1 },
		"slow clock":            func(s *Setup) { s.Clock = 100 * unit.MHz },
		"slow link":             func(s *Setup) { s.LinkRate = unit.MBps },
		"all moves cost":        func(s *Setup) { s.PromoteAt = 1; s.Copy, s.Shootdown = unit.Millisecond, unit.Millisecond },
	}
	combination := 0
	for _, name := range slices.Sorted(maps.Keys(setups)) {
		change := setups[name]
		for _, w := range workloads {
			for _, quirks := range []uint32{0, 1<<len(Quirks) - 1} {
				for i := range Systems {
					if combination++; !effort.Takes(combination, share) {
						continue
					}
					s := Default()
					s.Scale, s.DRAM, s.Log, s.Host, s.Blocks = 1, 3*unit.MiB, 72*unit.KiB, 4*unit.MiB, 512
					s.Dies = 1
					s.Quirks = Quirks.All() & Default().Quirks
					if quirks == 0 {
						s.Quirks = 0
					}
					change(&s)
					if w.Name == "far" && (name == "slow flash" || name == "switches for nothing" || quirks == 0 && testing.Short()) {
						continue // threads that do nothing but switch, for long
					}
					res, err := simulate(w, &s, Systems[i].Name, nil, nil)
					if err != nil {
						t.Errorf("%s on %s with %s: %v", w.Name, Systems[i].Name, name, err)
						continue
					}
					if broken := laws(t, w, &s, Systems[i].Name, res); broken != "" {
						t.Errorf("%s on %s with %s, quirks %v:%s", w.Name, Systems[i].Name, name, quirks != 0, broken)
					}
				}
			}
		}
	}
}

// FuzzRun draws a run from a seed and changes single numbers of its setup: it ends
// with an error or within the laws.
func FuzzRun(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, int64(seed*3), int64(seed*5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, a, b int64) {
		d := draw(seed)
		for k, v := range []int64{a, b} {
			v &= 1<<30 - 1
			switch (v + int64(k)) % 12 {
			case 0:
				d.s.Cores = v % 65
			case 1:
				d.s.StoreSize = v % 300
			case 2:
				d.s.Ways = v % 40
			case 3:
				d.s.Log = unit.Bytes(v % (1 << 20))
			case 4:
				d.s.DRAM = unit.Bytes(v % (1 << 24))
			case 5:
				d.s.Channels = v % 40
			case 6:
				d.s.PromoteAt = v % 100
			case 7:
				d.s.PromoteReset = v % 100
			case 8:
				d.s.Scale = v % 70
			case 9:
				d.s.Threshold = unit.Time(v)
			case 10:
				d.s.Pages, d.s.Blocks = v%40, v%300
			case 11:
				d.s.Preconditioned = v % 1500
			}
		}
		if _, err := Run(d.w, &d.s, d.system, nil, nil); err == nil {
			t.Logf("%v is of a size that a user can choose", d)
		}
		if min(d.s.Cores, d.s.StoreSize, d.s.Ways, d.s.Channels, d.s.Pages, d.s.Blocks, d.s.PromoteAt, d.s.PromoteReset, d.s.Scale) < 1 {
			return // Run has refused it
		}
		res, err := simulate(d.w, &d.s, d.system, nil, nil)
		if err != nil {
			return
		}
		if broken := laws(t, d.w, &d.s, d.system, res); broken != "" {
			t.Errorf("%v:%s", d, broken)
		}
	})
}
