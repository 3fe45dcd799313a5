// Package timeline holds what happened in a run over time: tracks of slices, and counters,
// in columns of integers with interned names. It knows no laboratory: each fills it from its
// own recorder, and pictures and files are made of it.
//
// Time is counted in ticks of a length that is exact for the run ([Tick]), so sums over a
// track are the ledger's, to the tick. [Sums] gives the exact share of every category in any
// window.
package timeline

import (
	"fmt"

	"spillway/sim/unit"
)

// A Tick is how long a tick is: Num/Den picoseconds.
type Tick struct{ Num, Den int64 }

// Picosecond is the tick of runs that count [unit.Time].
var Picosecond = Tick{1, 1}

// Cycle is the tick of runs that count cycles of a clock, 10¹²/clock picoseconds.
func Cycle(clock unit.Frequency) Tick {
	num, den := int64(unit.Second), int64(clock)
	common := unit.GCD(num, den)
	return Tick{num / common, den / common}
}

// Time is how long n ticks are, rounded down to picoseconds. n is not negative.
func (t Tick) Time(n int64) unit.Time { return unit.Time(unit.MulDiv(n, t.Num, t.Den)) }

// A Kind says what the slices of a track are.
type Kind uint8

// The kinds of tracks.
const (
	Work  Kind = iota // what runs, by name
	State             // one category at a time; sums are the ledger's
	Link              // what moves
	Note              // calls and other events that last; no ledger has them
)

// A Style says what time of a category is for who waits.
type Style uint8

// String returns the style in one word, as files have it.
func (s Style) String() string { return [...]string{"work", "wait", "migration", "idle", "held"}[s] }

// The styles of categories.
const (
	Working Style = iota
	Waiting
	Moving
	Idle    // nothing to do, which is no wait
	Holding // of lives: what takes memory
)

// Most is how many categories a timeline has at most.
const Most = 32

// A Category is what time goes to.
type Category struct {
	Key   string // stable
	Label string // in words
	Style Style
	Verb  bool // the label says what somebody does: "writes blocks", not "eviction"
}

// A Track is slices that follow each other. Slice i lasts from Begin[i] up to End[i]; columns
// are equally long, in order of Begin, and no two slices overlap. Those of a Link may take no
// time, as they carry something.
type Track struct {
	Group      int32 // index in Groups
	Name       string
	Kind       Kind
	Unit       string  // of Amount, as files name it: "bytes"; empty if amounts say nothing
	Begin, End []int64 // ticks, Begin < End
	Label      []uint32
	Cat        []uint8 // index in Cats
	Ref        []int32 // object, -1 if it is about none
	Step       []int32 // step, -1 if it belongs to none
	Amount     []int64 // by Unit
	// Waits: its slices that wait are waits, though it is no State track and no ledger has them.
	Waits bool
	// For is what slices of a State track are for, a place in Resources; 0 of what is for none of
	// them, and nil where nobody says ([Timeline.Attribute]).
	For []uint8
}

// A Group is tracks that belong together.
type Group struct {
	Name   string
	Folded bool // at first
}

// A Counter is a value that holds until the next.
type Counter struct {
	Group     int32
	Name      string
	Unit      string // "bytes", "pages", "slots"
	Limit     int64  // what it cannot exceed; 0 is none
	At, Value []int64
}

// A Timeline is what happened in a run from 0 to End. A [Recorder] makes it; nobody changes it.
type Timeline struct {
	Tick  Tick
	End   int64
	Names []string // of slices; 0 is ""
	Cats  []Category
	// Resources are what time is spent for, the first of them none; nil where nobody says.
	Resources []Resource
	Groups    []Group
	Tracks    []Track
	Counters  []Counter
	Lives     []Lives
	Objects   []uint32 // name of object i
	Steps     []uint32 // name of step i: a kernel, an operation
	// Progress are moments at which so much is done, in order: kernels begun, calls answered. Two
	// runs that have as many of one Word can be linked by them ([Beside]).
	Progress []int64
	Word     string // "kernel"
	Sides    []Side // of two runs in one picture; none of one
	Dropped  int64  // slices that took no time, or lay outside
	Waits    []Wait // the longest of State tracks, [MostWaits] at most: the longest first
	// Part is true if slices are only those that touch Window, as there are too many or nobody
	// asked for others. All else is of the whole run. The zero window has none: then Bins says
	// what tracks did.
	Part   bool
	Window Window
	Bins   *Bins // of runs with too many slices; nil where somebody asked for a window
}

// MostSlices is how many slices a timeline has at most, and MostWaits how many waits. 400 000
// slices are 15 MB in columns.
const (
	MostSlices = 400_000
	MostWaits  = 1000
)

// A Wait is a slice of a State track whose category waits.
type Wait struct {
	Track      int32
	Begin, End int64 // ticks
	Label      uint32
	Ref, Step  int32 // -1 for none
	Cat        uint8
}

// before reports whether a wait comes before another: the longer, then the earlier, then that
// of the first track.
func (w *Wait) before(o *Wait) bool {
	if a, b := w.End-w.Begin, o.End-o.Begin; a != b {
		return a > b
	}
	return w.Begin < o.Begin || w.Begin == o.Begin && w.Track < o.Track
}

// Len is how many slices there are.
func (t *Timeline) Len() (n int) {
	for i := range t.Tracks {
		n += len(t.Tracks[i].Begin)
	}
	return n
}

// Spent is how long State tracks are in each category, in ticks: the ledger of the run, or of
// the window that somebody asked for.
func (t *Timeline) Spent() []int64 {
	spent := make([]int64, len(t.Cats))
	for i := range t.Tracks {
		switch {
		case t.Tracks[i].Kind != State:
		case t.Bins != nil:
			t.Bins.Within(i, 0, t.Bins.Count, spent)
		case t.Part:
			part, s := make([]int64, len(t.Cats)), t.Sum(i)
			s.Within(t.Window.From, t.Window.To, part)
			for c, n := range part {
				spent[c] += n
			}
		default:
			t.Sum(i).Before(t.End, spent)
		}
	}
	return spent
}

// waits reports whether slices that wait are waits.
func (x *Track) waits() bool { return x.Kind == State || x.Waits }

// IsWait reports whether a slice of a category is a wait.
func (t *Timeline) IsWait(track int, cat uint8) bool {
	return t.Tracks[track].waits() && t.Cats[cat].Style == Waiting
}

// Check says what contradicts.
func (t *Timeline) Check() error {
	if t.Tick.Num <= 0 || t.Tick.Den <= 0 || len(t.Cats) > Most || len(t.Names) == 0 || t.Names[0] != "" {
		return fmt.Errorf("a tick of %d/%d ps, %d categories, %d names", t.Tick.Num, t.Tick.Den, len(t.Cats), len(t.Names))
	}
	for i := range t.Tracks {
		if err := t.checkTrack(&t.Tracks[i]); err != nil {
			return fmt.Errorf("track %d (%s): %w", i, t.Tracks[i].Name, err)
		}
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		if int(w.Track) >= len(t.Tracks) || !t.Tracks[w.Track].waits() || t.Cats[w.Cat].Style != Waiting || w.Begin >= w.End || i > 0 && !t.Waits[i-1].before(w) {
			return fmt.Errorf("wait %d: %+v", i, w)
		}
	}
	for i := range t.Counters {
		c := &t.Counters[i]
		if len(c.At) != len(c.Value) || int(c.Group) >= len(t.Groups) {
			return fmt.Errorf("counter %s has %d moments and %d values", c.Name, len(c.At), len(c.Value))
		}
		for k, at := range c.At {
			if at < 0 || at > t.End || k > 0 && at < c.At[k-1] {
				return fmt.Errorf("counter %s: value %d is at %d", c.Name, k, at)
			}
		}
	}
	for i := range t.Lives {
		if err := t.Lives[i].check(t); err != nil {
			return fmt.Errorf("lives %d (%s): %w", i, t.Lives[i].Name, err)
		}
	}
	return t.checkProgress()
}

// checkProgress says what contradicts in the moments of progress and in sides.
func (t *Timeline) checkProgress() error {
	for i, at := range t.Progress {
		if at < 0 || at > t.End || i > 0 && at < t.Progress[i-1] {
			return fmt.Errorf("progress %d is at %d of %d", i, at, t.End)
		}
	}
	return nil
}

func (t *Timeline) checkTrack(x *Track) error {
	n := len(x.Begin)
	for _, m := range []int{len(x.End), len(x.Label), len(x.Cat), len(x.Ref), len(x.Step), len(x.Amount)} {
		if m != n {
			return fmt.Errorf("columns of %d and %d", n, m)
		}
	}
	if int(x.Group) >= len(t.Groups) {
		return fmt.Errorf("no group %d", x.Group)
	}
	if x.For != nil && (len(x.For) != n || x.Kind != State) {
		return fmt.Errorf("of %d slices %d are for a resource", n, len(x.For))
	}
	for i, r := range x.For {
		if int(r) >= len(t.Resources) {
			return fmt.Errorf("slice %d is for resource %d", i, r)
		}
	}
	before := int64(0)
	for i := range n {
		if x.Begin[i] < before || x.End[i] < x.Begin[i] || x.End[i] == x.Begin[i] && x.Kind != Link || x.End[i] > t.End {
			return fmt.Errorf("slice %d from %d to %d, after %d, in a run of %d", i, x.Begin[i], x.End[i], before, t.End)
		}
		before = x.End[i]
		if int(x.Label[i]) >= len(t.Names) || int(x.Cat[i]) >= len(t.Cats) || int(x.Ref[i]) >= len(t.Objects) || int(x.Step[i]) >= len(t.Steps) {
			return fmt.Errorf("slice %d is of what is not there", i)
		}
	}
	return nil
}
