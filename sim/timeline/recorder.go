package timeline

// A Recorder fills a timeline. What it is told of a track must come in order of time. A
// laboratory makes one of its own record only where somebody looks, so a run pays nothing.
//
// It keeps [MostSlices] at most. Of a run with more it keeps none, but the time of every
// category in equal parts of the run ([Bins]); the slices of a part are those of a second
// recording that looks at a window ([Recorder.Look]). The longest waits are those of the whole
// run in both.
type Recorder struct {
	t     Timeline
	names map[string]uint32
	last  []Slice // by track: the one that may go on, without length where there is none
	kept  int     // slices in columns
	waits []Wait  // the longest, a heap
}

// Record begins a timeline of a run that takes end ticks.
func Record(tick Tick, end int64, cats ...Category) *Recorder {
	if len(cats) > Most {
		panic("timeline: too many categories")
	}
	return &Recorder{t: Timeline{Tick: tick, End: end, Names: []string{""}, Cats: cats}, names: map[string]uint32{"": 0}}
}

// A Window is a part of a run, in ticks from its beginning; the zero window is all of it.
type Window struct{ From, To int64 }

// Look makes a recorder keep no slices but those that touch a window, before there are any. If
// these are too many it keeps those around its middle. The zero window changes nothing.
func (r *Recorder) Look(w Window) {
	if w == (Window{}) {
		return
	}
	w.From = min(max(0, w.From), r.t.End)
	r.t.Part, r.t.Window = true, Window{w.From, min(max(w.From, w.To), r.t.End)}
}

// Name interns a name.
func (r *Recorder) Name(s string) uint32 {
	i, ok := r.names[s]
	if !ok {
		i = uint32(len(r.t.Names))
		r.names[s], r.t.Names = i, append(r.t.Names, s)
	}
	return i
}

// Group begins a group of tracks and counters: those that are begun next are in it.
func (r *Recorder) Group(name string, folded bool) {
	r.t.Groups = append(r.t.Groups, Group{name, folded})
}

// Track begins a track of the last group and returns its number. unit is that of amounts.
func (r *Recorder) Track(name string, k Kind, unit string) int {
	r.t.Tracks = append(r.t.Tracks, Track{Group: int32(len(r.t.Groups) - 1), Name: name, Kind: k, Unit: unit})
	r.last = append(r.last, none)
	if b := r.t.Bins; b != nil {
		b.Times = append(b.Times, make([][]int64, len(r.t.Cats)))
	}
	return len(r.t.Tracks) - 1
}

// Waits counts what waits on a track that no ledger has: requests of a server, say.
func (r *Recorder) Waits(track int) { r.t.Tracks[track].Waits = true }

// Counter begins a counter of the last group and returns its number. limit is 0 if it has none.
func (r *Recorder) Counter(name, unit string, limit int64) int {
	r.t.Counters = append(r.t.Counters, Counter{Group: int32(len(r.t.Groups) - 1), Name: name, Unit: unit, Limit: limit})
	return len(r.t.Counters) - 1
}

// Object adds an object, numbered from 0.
func (r *Recorder) Object(name string) { r.t.Objects = append(r.t.Objects, r.Name(name)) }

// Step adds a step, numbered from 0.
func (r *Recorder) Step(name string) { r.t.Steps = append(r.t.Steps, r.Name(name)) }

// Reach says that a moment of progress is reached, after those before it; word is what is
// counted, in the singular. It is cut to the run.
func (r *Recorder) Reach(word string, at int64) {
	if n := len(r.t.Progress); n > 0 {
		at = max(at, r.t.Progress[n-1])
	}
	r.t.Word, r.t.Progress = word, append(r.t.Progress, min(max(0, at), r.t.End))
}

// A Slice is something that lasts.
type Slice struct {
	Begin, End int64  // ticks
	Name       uint32 // as [Recorder.Name] gave it
	Cat        uint8
	Ref, Step  int32 // -1 for none
	Amount     int64
}

// Slice adds a slice to a track. It is cut to the run; what takes no time then is dropped and
// counted, but on a Link. One that goes on with the one before, alike in all but time and amount, makes that
// longer.
func (r *Recorder) Slice(track int, s Slice) {
	s.Begin, s.End = max(0, s.Begin), min(s.End, r.t.End)
	if s.Begin > s.End || s.Begin == s.End && r.t.Tracks[track].Kind != Link {
		r.t.Dropped++
		return
	}
	l := &r.last[track]
	if l.End == s.Begin && l.Name == s.Name && l.Cat == s.Cat && l.Ref == s.Ref && l.Step == s.Step {
		l.End = s.End
		l.Amount += s.Amount
		return
	}
	r.put(track)
	*l = s
}

// none is no slice: nothing goes on with it.
var none = Slice{End: -1}

// put keeps what a track had last, which goes on no more.
func (r *Recorder) put(track int) {
	s := r.last[track]
	if s == none {
		return
	}
	x := &r.t.Tracks[track]
	if r.t.IsWait(track, s.Cat) {
		r.wait(Wait{Track: int32(track), Cat: s.Cat, Label: s.Name, Ref: s.Ref, Step: s.Step, Begin: s.Begin, End: s.End})
	}
	if r.t.Bins != nil {
		r.t.Bins.add(track, s.Cat, s.Begin, s.End)
	}
	if r.t.Part && !r.t.Window.touches(s.Begin, s.End) {
		return
	}
	x.Begin, x.End = append(x.Begin, s.Begin), append(x.End, s.End)
	x.Label, x.Cat = append(x.Label, s.Name), append(x.Cat, s.Cat)
	x.Ref, x.Step, x.Amount = append(x.Ref, s.Ref), append(x.Step, s.Step), append(x.Amount, s.Amount)
	if r.kept++; r.kept > MostSlices {
		r.less()
	}
}

func (w *Window) touches(begin, end int64) bool {
	return begin < w.To && (end > w.From || begin >= w.From)
}

// less makes slices fewer.
func (r *Recorder) less() {
	t := &r.t
	if !t.Part {
		t.Part, t.Bins = true, newBins(t)
		for i := range t.Tracks {
			x := &t.Tracks[i]
			for k := range x.Begin {
				t.Bins.add(i, x.Cat[k], x.Begin[k], x.End[k])
			}
		}
	}
	for r.kept > MostSlices {
		half := (t.Window.To - t.Window.From) / 2
		t.Window.From += (half + 1) / 2
		t.Window.To = t.Window.From + half
		r.kept = 0
		for i := range t.Tracks {
			t.Tracks[i].cut(&t.Window)
			r.kept += len(t.Tracks[i].Begin)
		}
	}
}

// cut leaves the slices that touch a window.
func (x *Track) cut(w *Window) {
	n := 0
	for i := range x.Begin {
		if w.touches(x.Begin[i], x.End[i]) {
			x.Begin[n], x.End[n], x.Label[n], x.Cat[n] = x.Begin[i], x.End[i], x.Label[i], x.Cat[i]
			x.Ref[n], x.Step[n], x.Amount[n] = x.Ref[i], x.Step[i], x.Amount[i]
			n++
		}
	}
	x.Begin, x.End, x.Label, x.Cat = x.Begin[:n], x.End[:n], x.Label[:n], x.Cat[:n]
	x.Ref, x.Step, x.Amount = x.Ref[:n], x.Step[:n], x.Amount[:n]
}

// wait keeps a wait if it is among the longest: in a heap, the last of them on top.
func (r *Recorder) wait(w Wait) {
	h := r.waits
	if len(h) < MostWaits {
		h = append(h, w)
		for i := len(h) - 1; i > 0 && h[(i-1)/2].before(&h[i]); i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		r.waits = h
		return
	}
	if w.before(&h[0]) {
		h[0] = w
		sink(h)
	}
}

// sink moves the top of a heap of waits to where it belongs.
func sink(h []Wait) {
	for i := 0; ; {
		last := i
		for k := 2*i + 1; k < min(2*i+3, len(h)); k++ {
			if h[last].before(&h[k]) {
				last = k
			}
		}
		if last == i {
			return
		}
		h[i], h[last] = h[last], h[i]
		i = last
	}
}

// longest puts a heap of waits in order.
func longest(h []Wait) {
	for n := len(h) - 1; n > 0; n-- {
		h[0], h[n] = h[n], h[0]
		sink(h[:n])
	}
}

// Count says that a counter has a value from a moment on.
func (r *Recorder) Count(counter int, at, value int64) {
	c := &r.t.Counters[counter]
	at = min(max(0, at), r.t.End)
	if n := len(c.At) - 1; n >= 0 {
		if c.Value[n] == value {
			return
		}
		if c.At[n] == at {
			c.Value[n] = value
			return
		}
	}
	c.At, c.Value = append(c.At, at), append(c.Value, value)
}

// End returns the timeline. Nothing is recorded after it.
func (r *Recorder) End() *Timeline {
	for i := range r.last {
		r.put(i)
		r.last[i] = none
	}
	for i := range r.t.Lives {
		r.t.Lives[i].pack()
	}
	longest(r.waits)
	r.t.Waits = r.waits
	return &r.t
}
