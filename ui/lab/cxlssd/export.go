package cxlssd

import (
	"strconv"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
	"spillway/traces/chrometrace"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/wire"
)

// Formats of exports.
const (
	timelineExport   = "timeline"
	requestsExport   = "requests"
	compactionExport = "compactions"
)

func exports() []format {
	return []format{
		{Write: timeline, Totals: timelineTotals(), Export: lab.Export{
			Key: timelineExport, Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
			About: "What every core and every thread does, compactions, the log and flash; Perfetto and chrome://tracing open it.",
		}},
		{Write: requestTrace, Export: lab.Export{
			Format: handed.AddressTrace,
			Key:    requestsExport, Title: "Requests (address trace)", Ext: "address.txt", Mime: "text/plain", Workload: true,
			About: "All requests of all threads, a line each, as an address trace that this laboratory opens again.",
		}},
		{Write: compactionsCSV, Export: lab.Export{
			Key: compactionExport, Title: "Compactions (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every compaction of the write log: when, how many pages and lines.",
		}},
	}
}

// requestTrace writes what all threads ask for, with gaps in cycles. It is the same for
// all designs with as many threads.
func requestTrace(v *seen) ([]byte, error) {
	w, m := v.Workload, v.Settings.machine()
	r, err := v.Run()
	if err != nil {
		return nil, err
	}
	s, err := w.At(m.Scale).Streams(r.Threads)
	if err != nil {
		return nil, err
	}
	return wire.Marshal(&handed.Accesses{Recordings: []*stream.Recording{touched(s)}})
}

// touched is a stream as a recording. A trace has no pages but those that are asked for:
// they are numbered again in their order.
func touched(s *stream.Stream) *stream.Recording {
	number := make([]uint32, s.Pages)
	for _, t := range s.Threads {
		for _, q := range t {
			number[q.Page()] = 1
		}
	}
	pages := uint32(0)
	for p, asked := range number {
		number[p] = pages
		pages += asked
	}
	r := &stream.Recording{Threads: s.Threads, Pages: int32(pages), Count: s.Count, Gaps: stream.GapCycles, Missed: true}
	if r.Pages == s.Pages {
		return r
	}
	r.Threads = make([][]stream.Request, len(s.Threads))
	for i, t := range s.Threads {
		list := make([]stream.Request, len(t))
		for k, q := range t {
			list[k] = stream.NewRequest(number[q.Page()], q.Line(), q.Write(), q.Gap())
		}
		r.Threads[i] = list
	}
	return r
}

// compactionsCSV lists all compactions. Times are in ns from the beginning of the run.
func compactionsCSV(v *seen) ([]byte, error) {
	m := v.Settings.machine()
	b := []byte("from_ns,to_ns,pages,lines\n")
	_, err := core.Run(v.Workload.Workload, &m, v.System, &core.Watch{Compaction: func(from, to unit.Time, pages, lines int64) {
		for i, n := range []int64{int64(from / unit.Nanosecond), int64(to / unit.Nanosecond), pages, lines} {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, n, 10)
		}
		b = append(b, '\n')
	}}, nil)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Groups of tracks of a timeline.
const (
	coreGroup = 1 + iota
	threadGroup
	deviceGroup

	compactionTrack = 1
)

// grains is how finely a timeline is drawn: what is shorter than such a part of the
// run is drawn together with what follows it.
const grains = 5000

// A stretch is what a core or a thread did for some time, drawn as one slice.
type stretch struct {
	from, to unit.Time
	other    int // the thread on the core, or the core of the thread; -1 of several
	spent    [core.Causes]unit.Time
}

// A track collects what is drawn on it.
type track struct {
	now   stretch
	open  bool
	slice func(x *stretch)
}

// add adds a span. Short ones are collected until they are grain long.
func (t *track) add(other int, what core.Cause, from, to, grain unit.Time) {
	if to <= from {
		return
	}
	if t.open && (to-from >= grain || t.now.to-t.now.from >= grain || from-t.now.to >= grain) {
		t.end()
	}
	if !t.open {
		t.now, t.open = stretch{from: from, other: other}, true
	}
	if t.now.other != other {
		t.now.other = -1
	}
	t.now.to = to
	t.now.spent[what] += to - from
}

// end draws what was collected.
func (t *track) end() {
	if t.open {
		t.slice(&t.now)
	}
	t.open = false
}

// timeline draws a run. Slices say how long each cause took in ps: together as long as
// in the result.
func timeline(v *seen) ([]byte, error) {
	w, o, system := v.Workload, v.Origin, v.System
	m := v.Settings.machine()
	plain, err := v.Run()
	if err != nil {
		return nil, err
	}
	r := plain.Result
	title, generator := w.about, "Spillway"
	if o.Title != "" {
		title = o.Title
	}
	if o.Version != "" {
		generator += " " + o.Version
	}
	name := system
	for i := range core.Systems {
		if core.Systems[i].Name == system {
			name = core.Systems[i].Title
		}
	}
	out := chrometrace.New(lab.MostExport, []chrometrace.Arg{
		{Key: "title", Text: name + ", " + title},
		{Key: "mode", Text: o.Mode},
		{Key: "workload", Text: w.origin},
		{Key: "link", Text: o.Link},
		{Key: "generator", Text: generator},
	})
	number := func(key string, v int64) chrometrace.Arg { return chrometrace.Arg{Key: key, Number: v} }
	grain := max(1, r.Time/grains)
	tracks := func(pid, n int, group, one, other string) []track {
		out.Process(pid, group)
		list := make([]track, n)
		for i := range list {
			out.Track(pid, 1+i, one+" "+strconv.Itoa(i+1))
			list[i].slice = func(x *stretch) {
				most := core.Cause(0)
				var args []chrometrace.Arg
				for c, t := range x.spent {
					if t > x.spent[most] {
						most = core.Cause(c)
					}
					if t > 0 {
						args = append(args, number(causeKeys[c], int64(t)))
					}
				}
				if x.other >= 0 {
					args = append(args, number(other, int64(x.other)+1))
				}
				out.Slice(pid, 1+i, causeNames[most], "cause", x.from, x.to, args...)
			}
		}
		return list
	}
	cores := tracks(coreGroup, r.Cores, "Cores", "Core", "thread")
	threads := tracks(threadGroup, r.Threads, "Threads", "Thread", "core")
	out.Process(deviceGroup, "Device")
	out.Track(deviceGroup, compactionTrack, "Compactions")
	watch := core.Watch{
		Span: func(on, thread int, what core.Cause, from, to unit.Time) {
			cores[on].add(thread, what, from, to, grain)
			if thread >= 0 && what != core.Idle {
				threads[thread].add(on, what, from, to, grain)
			}
		},
		Compaction: func(from, to unit.Time, pages, lines int64) {
			out.Slice(deviceGroup, compactionTrack, "compaction", "log", from, to, number("pages", pages), number("lines", lines))
		},
	}
	if r, err = core.Run(w.Workload, &m, system, &watch, nil); err != nil {
		return nil, err
	}
	for _, list := range [][]track{cores, threads} {
		for i := range list {
			list[i].end()
		}
	}
	for _, x := range r.Samples {
		out.Counter(deviceGroup, "Log slots in use", x.At, number("slots", x.Log))
		out.Counter(deviceGroup, "Backlog of the busiest channel, ns", x.At, number("ns", int64(x.Backlog/unit.Nanosecond)))
		out.Counter(deviceGroup, "Flash reads so far", x.At, number("reads", x.Reads))
		out.Counter(deviceGroup, "Flash programs so far", x.At, number("programs", x.Programs))
	}
	data, ok := out.End()
	if !ok {
		return nil, lab.ErrLarge
	}
	return data, nil
}

// causeKeys are the names of causes in files, in picoseconds.
var causeKeys = [core.Causes]string{"computes_ps", "waits_dram_ps", "waits_ssd_ps", "waits_log_ps", "switches_ps", "stopped_ps", "idle_ps"}

// timelineTotals are the quantities that the slices of cores add up to. Instructions are not
// among them: those on the chip are a quantity of their own.
func timelineTotals() (list []lab.Total) {
	for c, x := range causes {
		if core.Cause(c) != core.Computes {
			list = append(list, lab.Total{Quantity: "core_" + x.key + "_ms", Column: causeKeys[c], Where: map[string]string{"pid": strconv.Itoa(coreGroup)}, Over: "tid", Unit: 1e9})
		}
	}
	return list
}
