package cxlssd

import (
	"fmt"

	core "spillway/sim/cxlssd"
	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// Categories of time beside what cores spend it on.
const (
	firstWork = uint8(core.Causes)
	compacts  = firstWork + uint8(core.FlashWorks)
	collects  = compacts + 1
	holds     = collects + 1
)

// categories are the categories of this laboratory's timeline.
func categories() []timeline.Category {
	styles := [core.Causes]timeline.Style{core.WaitsDRAM: timeline.Waiting, core.WaitsSSD: timeline.Waiting, core.WaitsLog: timeline.Waiting, core.Switches: timeline.Waiting, core.Stopped: timeline.Waiting, core.Idle: timeline.Idle}
	var list []timeline.Category
	for c, label := range causeNames {
		list = append(list, timeline.Category{Key: causeKeys[c], Label: label, Style: styles[c], Verb: true})
	}
	for _, x := range [core.FlashWorks][2]string{{"flash_read", "reads a page"}, {"flash_program", "programs what was evicted"}, {"compact_read", "reads for compaction"}, {"compact_program", "programs a compacted page"}} {
		list = append(list, timeline.Category{Key: x[0], Label: x[1], Style: timeline.Working})
	}
	return append(list, timeline.Category{Key: "compaction", Label: "compaction", Style: timeline.Working}, timeline.Category{Key: "collection", Label: "garbage collection", Style: timeline.Working}, timeline.Category{Key: "there", Label: "the page is there", Style: timeline.Holding})
}

// causeKeys are the stable names of causes.
var causeKeys = [core.Causes]string{"computes", "waits_dram", "waits_ssd", "waits_log", "switches", "stopped", "idle"}

// mostServers is how many pieces of work at the same time have tracks of their own, and channels: of
// a device whose dies work by themselves, of which there are a thousand, a track shows what a
// channel's dies do.
const mostServers = 64

// timed runs the system in focus again and draws what it tells.
func timed(v *seen) (*timefiles.Run, error) {
	w := v.Workload
	m := v.Settings.machine()
	r, err := v.Run()
	if err != nil {
		return nil, err
	}
	t := timeline.Record(timeline.Picosecond, int64(r.Time), categories()...)
	t.Look(v.Window)
	for i := range r.Threads {
		t.Object(fmt.Sprintf("Thread %d", i+1))
	}
	for i := range r.Cores {
		t.Object(fmt.Sprintf("Core %d", i+1))
	}
	cores := tracks(t, "Cores", false, "Core", timeline.State, r.Cores)
	threads := tracks(t, "Threads", false, "Thread", timeline.Note, r.Threads)
	watch := core.Watch{Span: spans(t, cores, threads, r.Threads)}
	retired := 0
	watch.Retired = func(at unit.Time) {
		if retired++; retired <= timeline.MostSlices { // of longer runs there are not all slices
			t.Reach("request", int64(at))
		}
	}
	t.Group("Device", false)
	compactions := t.Track("Compactions", timeline.Note, "pages")
	c := chain{cores: [2]int{cores, cores + r.Cores}, compactions: compactions}
	var compacted unit.Time
	watch.Compaction = func(from, to unit.Time, pages, _ int64) {
		// With RunAhead the work of one begins only after that of the one before.
		t.Slice(compactions, timeline.Slice{Begin: int64(max(from, compacted)), End: int64(to), Cat: compacts, Ref: -1, Step: -1, Amount: pages})
		compacted = max(compacted, to)
	}
	slots, backlog := t.Counter("Log slots in use", "slots", r.Slots), t.Counter("Backlog of the busiest channel", "ns", 0)
	reads, programs := t.Counter("Flash reads so far", "reads", 0), t.Counter("Flash programs so far", "programs", 0)
	if m.Preconditioned > 0 {
		collections := t.Track("Garbage collection", timeline.Note, "pages")
		var collected unit.Time
		watch.Collection = func(from, to unit.Time, pages, _ int64) {
			t.Slice(collections, timeline.Slice{Begin: int64(max(from, collected)), End: int64(to), Cat: collects, Ref: -1, Step: -1, Amount: pages})
			collected = max(collected, to)
		}
	}
	var work *channels
	if n := int(m.Servers()); r.ChannelBusy != nil && (n <= mostServers || m.Channels <= mostServers) {
		name := "Channel"
		if n > mostServers {
			n, name = int(m.Channels), "Dies of channel"
		}
		asked := tracks(t, "Channels, for requests", true, name, timeline.Work, n)
		own := tracks(t, "Channels, for compaction", true, name, timeline.Work, n)
		c.asked, c.own = [2]int{asked, asked + n}, [2]int{own, own + n}
		if work = newChannels(t, asked, n); int(m.Servers()) > n {
			watch.Flash = work.note
		} else {
			watch.Flash = work.draw
		}
	}
	life, err := livesOf(t, w, m.Scale, r.Threads)
	if err != nil {
		return nil, err
	}
	if life != nil {
		watch.Page = life.told
	}
	again, err := core.Run(w.Workload, &m, v.System, &watch, v.Progress)
	if err != nil {
		return nil, err
	}
	if work != nil {
		work.merge()
	}
	if life != nil {
		life.end(r.Time)
	}
	for _, x := range again.Samples {
		t.Count(slots, int64(x.At), x.Log)
		t.Count(backlog, int64(x.At), int64(x.Backlog/unit.Nanosecond))
		t.Count(reads, int64(x.At), x.Reads)
		t.Count(programs, int64(x.At), x.Programs)
	}
	name := v.System
	if x, err := core.Find(name); err == nil {
		name = x.Title
	}
	c.t, c.read, c.dies = t.End(), int64(m.Read), int(m.Servers()) > c.asked[1]-c.asked[0]
	makes := why()
	return &timefiles.Run{
		Timeline: c.t, Chain: c.of, For: c.finder, Resources: makes.Resources(),
		Origin: v.Origin, System: name, About: w.about, Workload: w.origin,
	}, nil
}

// tracks begins a group of n tracks and returns the first.
func tracks(t *timeline.Recorder, group string, folded bool, name string, kind timeline.Kind, n int) (first int) {
	t.Group(group, folded)
	for i := range n {
		k := t.Track(fmt.Sprintf("%s %d", name, i+1), kind, "")
		if i == 0 {
			first = k
		}
	}
	return first
}

// spans draws what cores do, which is the ledger, and of what thread that is; and what threads do
// on which core: nothing while they are on none. It is the same time, so only cores' tracks are
// of the kind that sums to the ledger. Objects are threads, then cores.
func spans(t *timeline.Recorder, cores, threads, count int) func(on, thread int, what core.Cause, from, to unit.Time) {
	left := make([]unit.Time, count) // when a thread was on a core last
	return func(on, thread int, what core.Cause, from, to unit.Time) {
		s := timeline.Slice{Begin: int64(from), End: int64(to), Cat: uint8(what), Ref: int32(thread), Step: -1}
		t.Slice(cores+on, s)
		if thread < 0 || what == core.Idle {
			return
		}
		// While one core still pays for the switch another may have taken the thread.
		s.Begin, s.Ref = int64(max(from, left[thread])), int32(count+on)
		left[thread] = max(left[thread], to)
		t.Slice(threads+thread, s)
	}
}

// timelineTotals are the quantities that its slices add up to, means over cores. Instructions are
// not among them: those on the chip are a quantity of their own.
func timelineTotals() (list []lab.Total) {
	for c, x := range causes {
		if core.Cause(c) != core.Computes {
			list = append(list, lab.Total{Quantity: "core_" + x.key + "_ms", Column: "ticks", Where: map[string]string{"category": causeNames[c], "kind": "state"}, Among: map[string]string{"kind": "state"}, Over: "tid", Unit: 1e9})
		}
	}
	return list
}
