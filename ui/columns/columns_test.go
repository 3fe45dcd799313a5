package columns_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/columns"
	"spillway/ui/lab"
)

var update = flag.Bool("update", false, "write what the script's test reads into testdata")

// small is a run with everything that a buffer can have: two State tracks, a link, a counter,
// steps and objects.
func small() *lab.Happening {
	r := timeline.Record(timeline.Cycle(1_200_000_000), 1000,
		timeline.Category{Key: "compute", Label: "compute"}, timeline.Category{Key: "read", Label: "SSD read", Style: timeline.Waiting},
		timeline.Category{Key: "room", Label: "eviction", Style: timeline.Waiting}, timeline.Category{Key: "move", Label: "planned", Style: timeline.Moving}, timeline.Category{Key: "weight", Label: "weight", Style: timeline.Holding})
	for _, name := range []string{"weight <1>", "Ω"} {
		r.Object(name)
	}
	r.Step("conv")
	r.Step("relu")
	r.Group("GPU", false)
	a := r.Track("State", timeline.State, "")
	b := r.Track("Other", timeline.State, "")
	c := r.Counter("Memory", "bytes", 1<<40)
	m := r.Lives("Tensors", "bytes")
	for i, n := range []int64{40, 100} {
		r.Live(m, timeline.Slice{Begin: 100 * int64(i), End: 500, Cat: 4, Ref: int32(i), Amount: n})
	}
	r.Group("Link", true)
	l := r.Track("In", timeline.Link, "bytes")
	slice := func(track int, from, to int64, cat uint8, ref, step int32, name string, amount int64) {
		r.Slice(track, timeline.Slice{Begin: from, End: to, Cat: cat, Ref: ref, Step: step, Name: r.Name(name), Amount: amount})
	}
	slice(a, 0, 100, 0, -1, 0, "conv", 0)
	slice(a, 100, 300, 1, -1, 1, "", 0)
	slice(a, 301, 400, 1, -1, 1, "", 0)
	slice(a, 400, 900, 0, -1, 1, "relu", 0)
	slice(b, 50, 90, 2, -1, -1, "", 0)
	slice(l, 100, 390, 3, 1, -1, "Ω", 1<<33)
	slice(l, 390, 390, 3, 0, -1, "weight <1>", 7)
	r.Count(c, 0, 5)
	r.Count(c, 500, 1<<41)
	t := r.End()
	t.Attribute([]timeline.Resource{{Key: "ssd", Label: "the SSD"}}, func(track, slice int) uint8 {
		if track == 0 && (slice == 1 || slice == 2) {
			return 1
		}
		return 0
	})
	return &lab.Happening{Timeline: t, Chain: func(track, slice int) []lab.ChainLink {
		if track != 0 {
			return nil
		}
		return []lab.ChainLink{{Text: "It waits for Ω.", Track: 2, Begin: 100}, {Text: "Nobody asked.", Track: -1}}
	}}
}

// A reader reads a buffer as public/timeline.js does.
type reader struct {
	b    []byte
	at   int
	head columns.Head
}

func read(t *testing.T, b []byte) *reader {
	t.Helper()
	if string(b[:4]) != "SPTL" || binary.LittleEndian.Uint32(b[4:]) != columns.Version {
		t.Fatalf("begins with %q", b[:8])
	}
	n := int(binary.LittleEndian.Uint64(b[8:]))
	r := &reader{b: b, at: 16 + n}
	if err := json.Unmarshal(b[16:r.at], &r.head); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reader) align() { r.at = (r.at + 7) &^ 7 }

func (r *reader) floats(n int) (list []int64) {
	r.align()
	for range n {
		list = append(list, int64(math.Float64frombits(binary.LittleEndian.Uint64(r.b[r.at:]))))
		r.at += 8
	}
	return list
}

func (r *reader) numbers(n int) (list []int32) {
	r.align()
	for range n {
		list = append(list, int32(binary.LittleEndian.Uint32(r.b[r.at:])))
		r.at += 4
	}
	return list
}

// track reads the columns of a track.
func (r *reader) track(k int) timeline.Track {
	x := &r.head.Tracks[k]
	if r.head.Bins > 0 {
		r.align()
		r.at += 4 * r.head.Bins * len(x.Used)
	}
	n := x.Slices
	y := timeline.Track{Begin: r.floats(n), End: r.floats(n)}
	for _, v := range r.numbers(n) {
		y.Label = append(y.Label, uint32(v))
	}
	y.Ref, y.Step, y.Amount = r.numbers(n), r.numbers(n), r.floats(n)
	r.align()
	y.Cat = slices.Clone(r.b[r.at : r.at+n])
	r.at += n
	r.align()
	y.For = slices.Clone(r.b[r.at : r.at+x.For])
	r.at += x.For
	return y
}

// What is written is what happened, to the tick.
func TestEncode(t *testing.T) {
	h := small()
	b, err := columns.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, b)
	head := r.head
	if head.Bins != 0 || head.To != 1000 || !slices.Equal(head.Names, h.Names) || !slices.Equal(head.Spent, h.Spent()) || head.Tick != [2]int64{2500, 3} {
		t.Errorf("%+v", head)
	}
	if r.numbers(2); !slices.Equal(r.numbers(2), []int32{int32(h.Steps[0]), int32(h.Steps[1])}) {
		t.Error("other steps")
	}
	for k := range h.Tracks {
		x, y := &h.Tracks[k], r.track(k)
		if !slices.Equal(x.Begin, y.Begin) || !slices.Equal(x.End, y.End) || !slices.Equal(x.Label, y.Label) || !slices.Equal(x.Ref, y.Ref) || !slices.Equal(x.Step, y.Step) || !slices.Equal(x.Amount, y.Amount) || !bytes.Equal(x.Cat, y.Cat) || !bytes.Equal(x.For, y.For) {
			t.Errorf("track %d: %+v, want %+v", k, y, *x)
		}
	}
	if at, v := r.floats(2), r.floats(2); !slices.Equal(at, []int64{0, 500}) || !slices.Equal(v, []int64{5, 1 << 41}) {
		t.Errorf("counter %d at %d", v, at)
	}
	begin, end, ref, amount, y := r.floats(2), r.floats(2), r.numbers(2), r.floats(2), r.floats(2)
	if r.align(); !slices.Equal(begin, []int64{0, 100}) || !slices.Equal(end, []int64{500, 500}) || !slices.Equal(ref, []int32{0, 1}) || !slices.Equal(amount, []int64{40, 100}) || !slices.Equal(y, []int64{0, 40}) || r.at+2 != len(b) || b[r.at] != 4 {
		t.Errorf("lives from %d to %d of %d, %d at %d; %d of %d bytes read", begin, end, ref, amount, y, r.at, len(b))
	}
	// Two slices of one wait, a tick apart, are one.
	if w := head.Waits; len(w) != 2 || w[0].Begin != 100 || w[0].End != 400 || w[0].Step != 1 || len(w[0].Chain) != 2 || w[0].Chain[0].Track != 2 || w[0].For != 1 || w[1].Cat != 2 || w[1].For != 0 || !slices.Equal(head.For, []string{"", "the SSD"}) {
		t.Errorf("%+v", w)
	}
	if says := columns.Tell(h).Says; says != "31.8 % of the time of all together is SSD read; the longest single wait is 250 ns of SSD read in relu, at 83.33 ns. Most is due to the SSD." {
		t.Error(says)
	}
	// The script's test reads the same bytes.
	var text strings.Builder
	for line := range slices.Chunk(b, 32) {
		text.WriteString(fmt.Sprintf("%x\n", line))
	}
	const name = "testdata/small.txt"
	if *update {
		if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if was, err := os.ReadFile(name); err != nil || string(was) != text.String() {
		t.Errorf("%s has another buffer (%v); go test ./ui/columns -update writes it", name, err)
	}
}

// In a run of so many ticks that float64 has no room for them a tick is longer.
func TestLong(t *testing.T) {
	const day = int64(86_400 * unit.Second)
	r := timeline.Record(timeline.Picosecond, 50*day, timeline.Category{Key: "a"}, timeline.Category{Key: "b", Label: "b", Style: timeline.Waiting})
	r.Group("g", false)
	k := r.Track("t", timeline.State, "")
	r.Slice(k, timeline.Slice{Begin: day + 1, End: 3 * day, Cat: 1, Ref: -1, Step: -1})
	b, err := columns.Encode(&lab.Happening{Timeline: r.End()})
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, b)
	if got.head.End >= 1<<53 || got.head.End < 1<<52 {
		t.Errorf("%d ticks", got.head.End)
	}
	x := got.track(0)
	tick := got.head.Tick[0]
	if w := got.head.Waits[0]; x.Begin[0]*tick > day+1 || x.Begin[0]*tick < day-tick || x.End[0]*tick != 3*day || w.Begin != x.Begin[0] {
		t.Errorf("from %d to %d of %d ps, wait %+v", x.Begin[0], x.End[0], tick, w)
	}
}

// Of too many slices there are bins, which sum to the run; and of a window its slices.
func TestBins(t *testing.T) {
	const n = timeline.MostSlices + 10_000
	record := func(w timeline.Window) *lab.Happening {
		r := timeline.Record(timeline.Picosecond, 10*n, timeline.Category{Key: "a"}, timeline.Category{Key: "b"}, timeline.Category{Key: "c", Style: timeline.Waiting})
		r.Look(w)
		r.Group("g", false)
		k := r.Track("t", timeline.State, "")
		for i := range int64(n) {
			r.Slice(k, timeline.Slice{Begin: 10 * i, End: 10*i + 3 + i%7, Cat: uint8(2 * (i % 2)), Ref: -1, Step: -1})
		}
		return &lab.Happening{Timeline: r.End()}
	}
	h := record(timeline.Window{})
	b, err := columns.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, b)
	if x := got.head.Tracks[0]; got.head.Bins == 0 || got.head.Width*float64(got.head.Bins) < 10*n || x.Slices != 0 || got.head.To != 0 || !slices.Equal(x.Used, []int{0, 2}) {
		t.Fatalf("%+v", x)
	}
	sums := make([]int64, 2)
	got.align()
	for i := range 2 * got.head.Bins {
		sums[i%2] += int64(math.Float32frombits(binary.LittleEndian.Uint32(got.b[got.at+4*i:])))
	}
	if spent := h.Spent(); sums[0] != spent[0] || sums[1] != spent[2] {
		t.Errorf("bins sum to %d, the run is %d", sums, spent)
	}
	if b, err = columns.Encode(record(timeline.Window{From: 10_005, To: 20_000})); err != nil {
		t.Fatal(err)
	}
	got = read(t, b)
	x := got.track(0)
	if len(x.Begin) != 1000 || x.Begin[0] != 10_000 || x.Begin[999] != 19_990 || got.head.From != 10_005 || got.head.To != 20_000 || got.head.Bins != 0 {
		t.Errorf("%d slices, %d to %d; %d to %d", len(x.Begin), x.Begin[0], x.Begin[len(x.Begin)-1], got.head.From, got.head.To)
	}
}

// A run in which nothing waits says so.
func TestTell(t *testing.T) {
	r := timeline.Record(timeline.Picosecond, 10, timeline.Category{Key: "a"})
	if says := columns.Tell(&lab.Happening{Timeline: r.End()}).Says; !strings.Contains(says, "Nothing waits") {
		t.Error(says)
	}
}

// Waits that are one constant are one with a count: the first of them. Where only the longest are
// known there may be more.
func TestConstantWaits(t *testing.T) {
	list := func(n int64, others bool) []columns.Wait {
		r := timeline.Record(timeline.Picosecond, 100*(n+2), timeline.Category{Key: "a"}, timeline.Category{Key: "b", Style: timeline.Waiting}, timeline.Category{Key: "c", Style: timeline.Waiting})
		r.Group("g", false)
		tracks := []int{r.Track("Core 1", timeline.State, ""), r.Track("Core 2", timeline.State, "")}
		for i := range n {
			r.Slice(tracks[i%2], timeline.Slice{Begin: 100*i + 1, End: 100*i + 9, Cat: 1, Ref: -1, Step: -1})
			if others && i%50 == 49 {
				r.Slice(tracks[i%2], timeline.Slice{Begin: 100*i + 20, End: 100*i + 30 + i/50, Cat: 2, Ref: -1, Step: -1})
			}
		}
		b, err := columns.Encode(&lab.Happening{Timeline: r.End()})
		if err != nil {
			t.Fatal(err)
		}
		return read(t, b).head.Waits
	}
	if got := list(500, true); len(got) != 11 || got[0].Cat != 2 || got[0].Times != "" || got[10].Times != ", 500 times; first:" || got[10].Begin != 1 || got[10].Track != 0 {
		t.Errorf("%d waits: %+v", len(got), got)
	}
	if got := list(timeline.MostSlices+10_000, false); len(got) != 1 || got[0].Times != ", at least 1\u202f000 times; first:" {
		t.Errorf("%d waits: %+v", len(got), got)
	}
}
