package timeline

// A Recorder fills a timeline. What it is told of a track must come in order of time. A
// laboratory makes one of its own record only where somebody looks, so a run pays nothing.
type Recorder struct {
	t     Timeline
	names map[string]uint32
}

// Record begins a timeline of a run that takes end ticks.
func Record(tick Tick, end int64, cats ...Category) *Recorder {
	if len(cats) > Most {
		panic("timeline: too many categories")
	}
	return &Recorder{t: Timeline{Tick: tick, End: end, Names: []string{""}, Cats: cats}, names: map[string]uint32{"": 0}}
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
	return len(r.t.Tracks) - 1
}

// Counter begins a counter of the last group and returns its number. limit is 0 if it has none.
func (r *Recorder) Counter(name, unit string, limit int64) int {
	r.t.Counters = append(r.t.Counters, Counter{Group: int32(len(r.t.Groups) - 1), Name: name, Unit: unit, Limit: limit})
	return len(r.t.Counters) - 1
}

// Object adds an object, numbered from 0.
func (r *Recorder) Object(name string) { r.t.Objects = append(r.t.Objects, r.Name(name)) }

// Step adds a step, numbered from 0.
func (r *Recorder) Step(name string) { r.t.Steps = append(r.t.Steps, r.Name(name)) }

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
	x := &r.t.Tracks[track]
	if s.Begin > s.End || s.Begin == s.End && x.Kind != Link {
		r.t.Dropped++
		return
	}
	if n := len(x.Begin) - 1; n >= 0 && x.End[n] == s.Begin && x.Label[n] == s.Name && x.Cat[n] == s.Cat && x.Ref[n] == s.Ref && x.Step[n] == s.Step {
		x.End[n] = s.End
		x.Amount[n] += s.Amount
		return
	}
	x.Begin, x.End = append(x.Begin, s.Begin), append(x.End, s.End)
	x.Label, x.Cat = append(x.Label, s.Name), append(x.Cat, s.Cat)
	x.Ref, x.Step, x.Amount = append(x.Ref, s.Ref), append(x.Step, s.Step), append(x.Amount, s.Amount)
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

// End returns the timeline.
func (r *Recorder) End() *Timeline { return &r.t }
