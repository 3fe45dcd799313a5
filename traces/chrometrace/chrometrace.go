// Package chrometrace writes timelines in the trace event format that Perfetto and
// chrome://tracing read: JSON with complete events ("X"), counters ("C"), flows ("s"
// and "f") and names ("M"). Times are microseconds with three decimals.
//
// Source of the format: "Trace Event Format", the Chromium authors.
package chrometrace

import (
	"strconv"

	"spillway/sim/unit"
	"spillway/traces/quote"
)

// An Arg is one thing that is said of an event: a text, or a number.
type Arg struct {
	Key, Text string
	Number    int64 // counts if Text is empty
}

// A Writer makes one file. Slices of one track must nest or follow each other.
type Writer struct {
	most   int
	b      []byte
	some   bool // an event is there
	failed bool // it is larger than allowed
}

// New begins a file of at most most bytes. about says where it comes from.
func New(most int, about []Arg) *Writer {
	w := &Writer{most: most, b: []byte(`{"displayTimeUnit":"ns","otherData":{`)}
	for i, a := range about {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = quote.Append(w.b, a.Key)
		w.b = append(w.b, ':')
		w.b = quote.Append(w.b, a.Text)
	}
	w.b = append(w.b, `},"traceEvents":[`...)
	return w
}

// Process names a group of tracks. Groups stand in the order of their numbers.
func (w *Writer) Process(pid int, name string) {
	w.named("process_name", pid, 0, Arg{Key: "name", Text: name})
	w.named("process_sort_index", pid, 0, Arg{Key: "sort_index", Number: int64(pid)})
}

// Track names a track of a group. Tracks stand in the order of their numbers.
func (w *Writer) Track(pid, tid int, name string) {
	w.named("thread_name", pid, tid, Arg{Key: "name", Text: name})
	w.named("thread_sort_index", pid, tid, Arg{Key: "sort_index", Number: int64(tid)})
}

func (w *Writer) named(what string, pid, tid int, a Arg) {
	if w.begin("M", what, pid) {
		w.number("tid", int64(tid))
		w.args(a)
	}
}

// Slice is something that lasts.
func (w *Writer) Slice(pid, tid int, name, category string, start, end unit.Time, args ...Arg) {
	if !w.begin("X", name, pid) {
		return
	}
	w.number("tid", int64(tid))
	w.b = append(w.b, `,"cat":`...)
	w.b = quote.Append(w.b, category)
	w.time("ts", nanoseconds(start))
	w.time("dur", nanoseconds(end)-nanoseconds(start))
	w.args(args...)
}

// Flow is an arrow from the slice of a track that lasts at a time to that of another. id is its
// own.
func (w *Writer) Flow(id int, name string, pid, tid int, at unit.Time, toPid, toTid int, toAt unit.Time) {
	end := func(phase string, pid, tid int, at unit.Time) {
		if w.begin(phase, name, pid) {
			w.number("tid", int64(tid))
			w.b = append(w.b, `,"cat":"flow"`...)
			w.number("id", int64(id))
			w.time("ts", nanoseconds(at))
			if phase == "f" {
				w.b = append(w.b, `,"bp":"e"`...)
			}
			w.args()
		}
	}
	end("s", pid, tid, at)
	end("f", toPid, toTid, toAt)
}

// Counter is a value that holds until the next of the same name.
func (w *Writer) Counter(pid int, name string, at unit.Time, values ...Arg) {
	if w.begin("C", name, pid) {
		w.time("ts", nanoseconds(at))
		w.args(values...)
	}
}

// End returns the file; ok is false if it would be too large.
func (w *Writer) End() (data []byte, ok bool) {
	if w.failed {
		return nil, false
	}
	return append(w.b, "\n]}\n"...), true
}

func nanoseconds(t unit.Time) int64 { return int64(t / unit.Nanosecond) }

// begin begins an event and reports whether there is room for it.
func (w *Writer) begin(phase, name string, pid int) bool {
	if w.failed = w.failed || len(w.b) > w.most; w.failed {
		w.b = nil
		return false
	}
	if w.some {
		w.b = append(w.b, ',')
	}
	w.some = true
	w.b = append(w.b, "\n{\"ph\":\""+phase+"\",\"name\":"...)
	w.b = quote.Append(w.b, name)
	w.number("pid", int64(pid))
	return true
}

func (w *Writer) number(key string, v int64) {
	w.b = append(w.b, `,"`+key+`":`...)
	w.b = strconv.AppendInt(w.b, v, 10)
}

// time writes nanoseconds as microseconds.
func (w *Writer) time(key string, ns int64) {
	w.number(key, ns/1000)
	if rest := ns % 1000; rest != 0 {
		w.b = append(w.b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
}

// args ends an event.
func (w *Writer) args(args ...Arg) {
	w.b = append(w.b, `,"args":{`...)
	for i, a := range args {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = quote.Append(w.b, a.Key)
		w.b = append(w.b, ':')
		if a.Text != "" {
			w.b = quote.Append(w.b, a.Text)
		} else {
			w.b = strconv.AppendInt(w.b, a.Number, 10)
		}
	}
	w.b = append(w.b, "}}"...)
}
