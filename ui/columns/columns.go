// Package columns writes what happened in a run as one buffer, as the page's canvas reads it
// (public/timeline.js): what is there by name, as JSON, and the columns of all tracks and
// counters, which only have to be looked at. Whoever carries it need not look inside.
//
//	0   4  "SPTL"
//	4   4  version of this layout
//	8   8  bytes of JSON, which follow
//	16     JSON (Head), then at multiples of 8, little endian:
//	       names of objects and of steps, uint32 each
//	       of each track with slices its begins and ends, float64; labels, uint32; objects
//	       and steps, int32, -1 for none; amounts, float64; categories, uint8, and where waits
//	       say what they are for resources, uint8
//	       of each track in bins the ticks of each category in each bin, float32, a bin a row
//	       of each counter its moments and values, float64
//	       of all lives of a memory begins and ends, float64; objects, int32; amounts and where
//	       they are drawn, float64; categories, uint8
//	       of each side of two runs when its steps begin in its run and in the picture, float64
//
// Ticks are whole numbers below 2⁵³, which float64 has exactly; in a longer run a tick is as
// many times as long.
package columns

import (
	"encoding/binary"
	"math"
	"math/bits"

	"spillway/sim/timeline"
	"spillway/ui/jsontext"
	"spillway/ui/lab"
)

// Version is that of the layout.
const Version = 3

const (
	magic = "SPTL"
	// exact is how many bits of a whole number a float64 has.
	exact = 53
)

// A Head is what a buffer is about.
type Head struct {
	Tick     [2]int64  `json:"tick"` // a tick is so many picoseconds: the first by the second
	End      int64     `json:"end"`
	From     int64     `json:"from"` // the slices of this part are there
	To       int64     `json:"to"`
	Bins     int       `json:"bins"`  // in which all of it is there, 0 if all slices are
	Width    float64   `json:"width"` // of a bin, in ticks; the last ends with the run
	Cats     []Cat     `json:"cats"`
	For      []string  `json:"for"` // what waits are for, the first of them nothing that is known
	Groups   []Group   `json:"groups"`
	Tracks   []Track   `json:"tracks"`
	Counters []Counter `json:"counters"`
	Lives    []Life    `json:"lives"`
	Names    []string  `json:"names"`
	Objects  int       `json:"objects"`
	Steps    int       `json:"steps"`
	Spent    []int64   `json:"spent"` // ticks of State tracks by category: the ledger
	Waits    []Wait    `json:"waits"` // the longest
	Sides    []Side    `json:"sides"` // of two runs in one picture; none of one
	Apart    []Why     `json:"apart"` // where the two part
}

// A Life is what objects take of a memory; High is how high they stand.
type Life struct {
	Group  int32  `json:"group"`
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Slices int    `json:"slices"`
	High   int64  `json:"high"`
	Used   []int  `json:"used"`
}

// A Side is one of two runs: Tracks is how many tracks are its own or of the side before it.
type Side struct {
	Name   string `json:"name"`
	Tracks int    `json:"tracks"`
	Steps  int    `json:"steps"` // 0 where picture and run have the same time
}

// A Cat is a category of time; Style is one of work, wait, migration and idle.
type Cat struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Style string `json:"style"`
}

// A Group is tracks that belong together.
type Group struct {
	Name   string `json:"name"`
	Folded bool   `json:"folded"`
}

// A Track is slices that follow each other; Kind counts [timeline.Kind].
type Track struct {
	Group  int32  `json:"group"`
	Name   string `json:"name"`
	Kind   uint8  `json:"kind"`
	Unit   string `json:"unit"`
	Slices int    `json:"slices"`
	For    int    `json:"for"`  // how many slices say what they are for: all or none
	Used   []int  `json:"used"` // the categories that occur in the run
}

// A Counter is a value that holds until the next.
type Counter struct {
	Group  int32  `json:"group"`
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Limit  int64  `json:"limit"`
	Values int    `json:"values"`
	Peak   int64  `json:"peak"`
}

// Encode writes what happened: all slices; of a run with too many bins; of a window its slices.
func Encode(h *lab.Happening) ([]byte, error) {
	t := h.Timeline
	e := encoder{t: t, shift: max(0, bits.Len64(uint64(t.End))-exact)}
	head := e.head(h)
	text, err := jsontext.Marshal(head)
	if err != nil {
		return nil, err
	}
	e.b = make([]byte, 0, 16+len(text)+64*t.Len()+8*(len(t.Objects)+len(t.Steps))+4096)
	e.b = append(e.b, magic...)
	e.b = binary.LittleEndian.AppendUint32(e.b, Version)
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(len(text)))
	e.b = append(e.b, text...)
	numbers(&e, t.Objects)
	numbers(&e, t.Steps)
	for i := range t.Tracks {
		if t.Bins != nil {
			e.bins(i, head.Tracks[i].Used)
		}
		e.track(&t.Tracks[i])
	}
	for i := range t.Counters {
		e.ticks(t.Counters[i].At)
		if t.Counters[i].Unit == "ticks" {
			e.ticks(t.Counters[i].Value)
		} else {
			e.floats(t.Counters[i].Value)
		}
	}
	for i := range t.Lives {
		l := &t.Lives[i]
		e.ticks(l.Begin)
		e.ticks(l.End)
		numbers(&e, l.Ref)
		e.floats(l.Amount)
		e.floats(l.Y)
		e.align()
		e.b = append(e.b, l.Cat...)
	}
	for _, s := range t.Sides {
		e.ticks(s.Own)
		e.ticks(s.At)
	}
	return e.b, nil
}

// An encoder writes one buffer.
type encoder struct {
	t     *timeline.Timeline
	shift int // a tick of the buffer is 2^shift of the timeline's
	b     []byte
}

func (e *encoder) head(h *lab.Happening) *Head {
	t := e.t
	head := &Head{
		Tick: [2]int64{t.Tick.Num << e.shift, t.Tick.Den}, End: t.End >> e.shift, To: t.End >> e.shift,
		Names: t.Names, Objects: len(t.Objects), Steps: len(t.Steps), Spent: t.Spent(), Waits: e.waits(h),
		Lives: []Life{}, Sides: []Side{}, Apart: e.links(h.Apart), For: []string{},
	}
	for _, r := range t.Resources {
		head.For = append(head.For, r.Label)
	}
	for _, s := range t.Sides {
		head.Sides = append(head.Sides, Side{s.Name, s.Tracks, len(s.Own)})
	}
	if t.Part {
		head.From, head.To = t.Window.From>>e.shift, t.Window.To>>e.shift
	}
	if t.Bins != nil {
		head.Bins, head.Width = t.Bins.Count, float64(t.Bins.Width)/float64(int64(1)<<e.shift)
	}
	for i := range head.Spent {
		head.Spent[i] >>= e.shift
	}
	for _, c := range t.Cats {
		head.Cats = append(head.Cats, Cat{c.Key, c.Label, c.Style.String()})
	}
	for _, g := range t.Groups {
		head.Groups = append(head.Groups, Group{g.Name, g.Folded})
	}
	for i := range t.Tracks {
		x := &t.Tracks[i]
		var binned [][]int64
		if t.Bins != nil {
			binned = t.Bins.Times[i]
		}
		y := Track{Group: x.Group, Name: x.Name, Kind: uint8(x.Kind), Unit: x.Unit, Slices: len(x.Begin), For: len(x.For), Used: e.used(x.Cat, binned)}
		head.Tracks = append(head.Tracks, y)
	}
	for i := range t.Lives {
		l := &t.Lives[i]
		head.Lives = append(head.Lives, Life{l.Group, l.Name, l.Unit, len(l.Begin), l.High, e.used(l.Cat, nil)})
	}
	for i := range t.Counters {
		c := &t.Counters[i]
		y := Counter{Group: c.Group, Name: c.Name, Unit: c.Unit, Limit: c.Limit, Values: len(c.At)}
		for _, v := range c.Value {
			y.Peak = max(y.Peak, v)
		}
		if c.Unit == "ticks" {
			y.Peak >>= e.shift
		}
		head.Counters = append(head.Counters, y)
	}
	return head
}

// used are the categories that occur.
func (e *encoder) used(cats []uint8, binned [][]int64) []int {
	var is [timeline.Most]bool
	for _, c := range cats {
		is[c] = true
	}
	for c, times := range binned {
		is[c] = is[c] || times != nil
	}
	list := []int{}
	for c, yes := range is {
		if yes {
			list = append(list, c)
		}
	}
	return list
}

// align begins what follows at a multiple of 8.
func (e *encoder) align() {
	for len(e.b)%8 != 0 {
		e.b = append(e.b, 0)
	}
}

func (e *encoder) float(x float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
}

func (e *encoder) floats(list []int64) {
	e.align()
	for _, x := range list {
		e.float(float64(x))
	}
}

func (e *encoder) ticks(list []int64) {
	e.align()
	for _, x := range list {
		e.float(float64(x >> e.shift))
	}
}

func numbers[T uint32 | int32](e *encoder, list []T) {
	e.align()
	for _, x := range list {
		e.b = binary.LittleEndian.AppendUint32(e.b, uint32(x))
	}
}

// track writes the slices of a track.
func (e *encoder) track(x *timeline.Track) {
	e.ticks(x.Begin)
	e.ticks(x.End)
	numbers(e, x.Label)
	numbers(e, x.Ref)
	numbers(e, x.Step)
	e.floats(x.Amount)
	e.align()
	e.b = append(e.b, x.Cat...)
	e.align()
	e.b = append(e.b, x.For...)
}

// bins writes a track in bins.
func (e *encoder) bins(track int, used []int) {
	e.align()
	times := e.t.Bins.Times[track]
	for b := range e.t.Bins.Count {
		for _, c := range used {
			e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(float32(times[c][b]>>e.shift)))
		}
	}
}
