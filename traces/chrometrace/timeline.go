package chrometrace

import (
	"fmt"
	"strconv"

	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// Timeline writes a timeline as a file of at most most bytes; ok is false if it would be
// larger. Groups are processes and tracks are threads, both numbered from 1, tracks in each
// group anew. The category of a slice is the style of its own ("wait"), which
// args.category names; args.begin_ps and args.end_ps are exact where ts and dur are rounded to
// nanoseconds; args.ticks is how long a slice of a State track lasts, so that sums are the
// ledger's, and otherData.tick_ps how long a tick is. Of a run with more slices than a timeline
// keeps it has those of [timeline.Timeline.Spread], which otherData.grain_ps says.
// Flows lead from one move of an object to its next over another Link.
func Timeline(most int, about []Arg, t *timeline.Timeline) (data []byte, ok bool) {
	about = append(about[:len(about):len(about)], Arg{Key: "tick_ps", Text: fmt.Sprintf("%d/%d", t.Tick.Num, t.Tick.Den)})
	if t.Bins != nil {
		about = append(about, Arg{Key: "grain_ps", Text: strconv.FormatInt(int64(t.Tick.Time(t.Bins.Grain(timeline.Grains))), 10)})
		t = t.Spread(timeline.Grains)
	}
	w := New(most, about)
	threads := make([]int, len(t.Tracks)) // of tracks
	for g := range t.Groups {
		w.Process(g+1, t.Groups[g].Name)
		tid := 0
		for i := range t.Tracks {
			if x := &t.Tracks[i]; int(x.Group) == g {
				tid++
				threads[i] = tid
				w.Track(g+1, tid, x.Name)
				w.track(g+1, tid, t, x)
			}
		}
		for i := range t.Counters {
			if c := &t.Counters[i]; int(c.Group) == g {
				for k, at := range c.At {
					w.Counter(g+1, c.Name, t.Tick.Time(at), Arg{Key: c.Unit, Number: c.Value[k]})
				}
			}
		}
	}
	w.flows(t, threads)
	return w.End()
}

// flows leads from each move of an object to its next over another Link: where it went, and where
// it came from. What takes less than a nanosecond has no arrow, since none could be bound to it.
func (w *Writer) flows(t *timeline.Timeline, threads []int) {
	type move struct {
		track int
		begin unit.Time
	}
	last := make([]move, len(t.Objects))
	for i := range last {
		last[i].track = -1
	}
	at := make([]int, len(t.Tracks))
	for id := 0; ; {
		next := -1
		for i := range t.Tracks {
			if x := &t.Tracks[i]; x.Kind == timeline.Link && at[i] < len(x.Begin) && (next < 0 || x.Begin[at[i]] < t.Tracks[next].Begin[at[next]]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		x, k := &t.Tracks[next], at[next]
		at[next]++
		begin := t.Tick.Time(x.Begin[k])
		if x.Ref[k] < 0 || nanoseconds(begin) == nanoseconds(t.Tick.Time(x.End[k])) {
			continue
		}
		l := &last[x.Ref[k]]
		if l.track >= 0 && l.track != next {
			w.Flow(id, "same object", int(t.Tracks[l.track].Group)+1, threads[l.track], l.begin, int(x.Group)+1, threads[next], begin)
			id++
		}
		*l = move{next, begin}
	}
}

// track writes the slices of a track.
func (w *Writer) track(pid, tid int, t *timeline.Timeline, x *timeline.Track) {
	var args []Arg
	for i := range x.Begin {
		cat := &t.Cats[x.Cat[i]]
		name := t.Names[x.Label[i]]
		if name == "" {
			name = cat.Label
		}
		begin, end := t.Tick.Time(x.Begin[i]), t.Tick.Time(x.End[i])
		args = append(args[:0], Arg{Key: "category", Text: cat.Label}, Arg{Key: "begin_ps", Number: int64(begin)}, Arg{Key: "end_ps", Number: int64(end)})
		if x.Step[i] >= 0 {
			args = append(args, Arg{Key: "step", Number: int64(x.Step[i])})
		}
		if x.Ref[i] >= 0 {
			args = append(args, Arg{Key: "object", Number: int64(x.Ref[i])})
		}
		if x.Kind == timeline.State {
			args = append(args, Arg{Key: "ticks", Number: x.End[i] - x.Begin[i]})
		}
		if x.Unit != "" {
			args = append(args, Arg{Key: x.Unit, Number: x.Amount[i]})
		}
		w.Slice(pid, tid, name, cat.Style.String(), begin, end, args...)
	}
}
