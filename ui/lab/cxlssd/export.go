package cxlssd

import (
	"strconv"

	core "spillway/sim/cxlssd"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/unit"
	"spillway/traces/handed"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
	"spillway/ui/wire"
)

// Formats of exports.
const (
	requestsExport   = "requests"
	compactionExport = "compactions"
)

func exports() []format {
	return append(timefiles.Of("What every core and every thread does, compactions, channels, the log and flash", timelineTotals(), timed), []format{
		{Write: requestTrace, Export: lab.Export{
			Format: handed.AddressTrace,
			Key:    requestsExport, Title: "Requests (address trace)", Ext: "address.txt", Mime: "text/plain", Workload: true,
			About: "All requests of all threads, a line each, as an address trace that this laboratory opens again.",
		}},
		{Write: compactionsCSV, Export: lab.Export{
			Key: compactionExport, Title: "Compactions (CSV)", Ext: "csv", Mime: "text/csv",
			About: "Every compaction of the write log: when, how many pages and lines.",
		}},
	}...)
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
