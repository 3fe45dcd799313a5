package chrometrace_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/timeline"
	"spillway/traces/chrometrace"
)

// An event is what Perfetto reads of one.
type event struct {
	Ph, Name, Cat string
	Pid, Tid, ID  int
	BP            string
	TS, Dur       json.Number
	Args          map[string]any
}

type file struct {
	DisplayTimeUnit string
	OtherData       map[string]string
	TraceEvents     []event
}

// read takes a file apart and checks what Perfetto relies on: every process and thread has a
// name before it has slices, slices of a thread follow each other or nest, a counter's values
// are in the order of time, and times are microseconds with three decimals at most.
func read(t *testing.T, data []byte) (f file, names map[string]string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.DisplayTimeUnit != "ns" {
		t.Errorf("unit %q", f.DisplayTimeUnit)
	}
	names = map[string]string{}
	open, last, counted := map[string][]int64{}, map[string]int64{}, map[string]int64{}
	for _, e := range f.TraceEvents {
		process, thread := fmt.Sprint(e.Pid), fmt.Sprint(e.Pid, "/", e.Tid)
		switch e.Ph {
		case "M":
			switch e.Name {
			case "process_name":
				names[process] = e.Args["name"].(string)
			case "thread_name":
				names[thread] = e.Args["name"].(string)
			}
		case "C":
			at := nanoseconds(t, e.TS)
			if key := process + e.Name; at < counted[key] || len(e.Args) != 1 || names[process] == "" {
				t.Errorf("counter %+v after %d", e, counted[key])
			} else {
				counted[key] = at
			}
		case "X":
			begin := nanoseconds(t, e.TS)
			end := begin + nanoseconds(t, e.Dur)
			for n := len(open[thread]); n > 0 && open[thread][n-1] <= begin; n-- {
				open[thread] = open[thread][:n-1]
			}
			if n := len(open[thread]); end < begin || begin < last[thread] || n > 0 && open[thread][n-1] < end || names[process] == "" || names[thread] == "" || e.Name == "" || e.Cat == "" {
				t.Errorf("%+v after %d, in %d", e, last[thread], open[thread])
			}
			last[thread], open[thread] = begin, append(open[thread], end)
			if exact := number(t, e.Args["begin_ps"]); exact/1000 != begin || number(t, e.Args["end_ps"])/1000 != end {
				t.Errorf("%+v is exactly at %d to %d ps", e, exact, number(t, e.Args["end_ps"]))
			}
		case "s", "f": // below
		default:
			t.Errorf("phase %q", e.Ph)
		}
	}
	checkFlows(t, f.TraceEvents)
	return f, names
}

// checkFlows checks that flows come in pairs, forward in time, and that each end lies in a slice of
// its thread, both of the same object.
func checkFlows(t *testing.T, events []event) {
	t.Helper()
	object := func(e *event) int64 {
		for i := range events {
			if x := &events[i]; x.Ph == "X" && x.Pid == e.Pid && x.Tid == e.Tid {
				if begin, at := nanoseconds(t, x.TS), nanoseconds(t, e.TS); at >= begin && at < begin+nanoseconds(t, x.Dur) {
					return number(t, x.Args["object"])
				}
			}
		}
		t.Errorf("%+v is in no slice", e)
		return -1
	}
	begun := map[int]*event{}
	for i := range events {
		switch e := &events[i]; e.Ph {
		case "s":
			if begun[e.ID] != nil {
				t.Errorf("two flows are %d", e.ID)
			}
			begun[e.ID] = e
		case "f":
			s := begun[e.ID]
			if s == nil || e.BP != "e" || nanoseconds(t, s.TS) > nanoseconds(t, e.TS) || s.Pid == e.Pid && s.Tid == e.Tid || object(s) != object(e) {
				t.Errorf("%+v after %+v", e, s)
			}
			delete(begun, e.ID)
		}
	}
	if len(begun) > 0 {
		t.Errorf("%d flows have no end", len(begun))
	}
}

func nanoseconds(t *testing.T, n json.Number) int64 {
	t.Helper()
	whole, decimals, _ := strings.Cut(n.String(), ".")
	if len(decimals) > 3 {
		t.Errorf("%s has more than three decimals", n)
	}
	return number(t, json.Number(whole+(decimals + "000")[:3]))
}

func number(t *testing.T, v any) int64 {
	t.Helper()
	n, err := v.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// drawn is a run of cycles of 1.2 GHz, of which three are 2500 ps.
func drawn() *timeline.Timeline {
	r := timeline.Record(timeline.Cycle(1_200_000_000), 9000,
		timeline.Category{Key: "run", Label: "runs"}, timeline.Category{Key: "wait", Label: `waits "long"`, Style: timeline.Waiting},
		timeline.Category{Key: "move", Label: "moves", Style: timeline.Moving})
	r.Object("tensor 0")
	r.Step("first")
	r.Step("second")
	r.Group("GPU", false)
	state, kernels := r.Track("does", timeline.State, ""), r.Track("kernels", timeline.Work, "")
	used := r.Counter("memory", "bytes", 100)
	r.Group("link", true)
	link := r.Track("in", timeline.Link, "bytes")
	name := r.Name("kernel <a>")
	at := int64(0)
	for i := range int64(40) {
		s := timeline.Slice{Begin: at, End: at + 1 + i*7, Cat: uint8(i % 2), Ref: -1, Step: int32(i % 2)}
		r.Slice(state, s)
		s.Name = name
		r.Slice(kernels, s)
		r.Slice(link, timeline.Slice{Begin: at, End: at + i%3, Cat: 2, Ref: 0, Step: -1, Amount: i + 1})
		r.Count(used, at, i*i%90)
		at = s.End + i%2
	}
	return r.End()
}

// What a timeline has is in its file: processes and threads, all slices with their exact times,
// what they carry, and State tracks that sum to the ledger.
func TestTimeline(t *testing.T) {
	x := drawn()
	about := []chrometrace.Arg{{Key: "title", Text: `a "title"`}}
	data, ok := chrometrace.Timeline(1<<20, about, x)
	if !ok {
		t.Fatal("too large")
	}
	f, names := read(t, data)
	if f.OtherData["title"] != about[0].Text || f.OtherData["tick_ps"] != "2500/3" || f.OtherData["grain_ps"] != "" || len(about) != 1 {
		t.Errorf("other data %v", f.OtherData)
	}
	if want := "map[1:GPU 1/1:does 1/2:kernels 2:link 2/1:in]"; fmt.Sprint(names) != want {
		t.Errorf("names %v, want %s", names, want)
	}
	spent, carried, slicesOf, counts := map[string]int64{}, int64(0), map[string]int{}, 0
	for _, e := range f.TraceEvents {
		if e.Ph == "C" {
			counts++
		}
		if e.Ph != "X" {
			continue
		}
		slicesOf[fmt.Sprint(e.Pid, "/", e.Tid)]++
		if e.Pid == 1 && e.Tid == 1 {
			spent[e.Args["category"].(string)] += number(t, e.Args["ticks"])
			if e.Name != e.Args["category"] || number(t, e.Args["step"]) != map[string]int64{"work": 0, "wait": 1}[e.Cat] {
				t.Errorf("%+v", e)
			}
		} else if e.Args["ticks"] != nil {
			t.Errorf("%+v counts in a ledger", e)
		}
		if e.Pid == 2 {
			carried += number(t, e.Args["bytes"])
			if e.Cat != "migration" || number(t, e.Args["object"]) != 0 {
				t.Errorf("%+v", e)
			}
		}
		if e.Tid == 2 && e.Name != "kernel <a>" {
			t.Errorf("%+v", e)
		}
	}
	for c, took := range x.Spent() {
		if spent[x.Cats[c].Label] != took {
			t.Errorf("%s: %d ticks, of %d", x.Cats[c].Label, spent[x.Cats[c].Label], took)
		}
	}
	if carried != 40*41/2 || slicesOf["1/1"] != len(x.Tracks[0].Begin) || slicesOf["2/1"] != len(x.Tracks[2].Begin) || counts != len(x.Counters[0].At) {
		t.Errorf("%d bytes, slices %v, %d counts", carried, slicesOf, counts)
	}
	if _, ok := chrometrace.Timeline(len(data)/2, nil, x); ok {
		t.Error("a file may be larger than allowed")
	}
}

// Moves of an object over links lead to each other; what is no move, or of no object, leads
// nowhere.
func TestFlows(t *testing.T) {
	r := timeline.Record(timeline.Picosecond, 1_000_000, timeline.Category{Label: "a", Style: timeline.Moving})
	r.Object("tensor 0")
	r.Object("tensor 1")
	r.Group("GPU", false)
	work := r.Track("kernels", timeline.Work, "")
	r.Group("links", false)
	out, in := r.Track("out", timeline.Link, "bytes"), r.Track("in", timeline.Link, "bytes")
	for _, s := range []struct {
		track      int
		begin, end int64
		object     int32
	}{{out, 0, 5000, 0}, {work, 1000, 9000, 0}, {in, 2000, 2100, 0}, {out, 5000, 9000, 1}, {in, 6000, 9000, 0}, {in, 9000, 12_000, -1}, {in, 20_000, 30_000, 1}, {in, 30_000, 31_000, 0}, {out, 40_000, 50_000, 0}} {
		r.Slice(s.track, timeline.Slice{Begin: s.begin, End: s.end, Ref: s.object, Step: -1})
	}
	data, _ := chrometrace.Timeline(1<<20, nil, r.End())
	f, _ := read(t, data)
	var got []string
	for _, e := range f.TraceEvents {
		if e.Ph == "s" || e.Ph == "f" {
			got = append(got, fmt.Sprint(e.Ph, e.ID, " ", e.Pid, "/", e.Tid, " ", e.TS))
		}
	}
	if want := []string{"s0 2/1 0", "f0 2/2 0.006", "s1 2/1 0.005", "f1 2/2 0.020", "s2 2/2 0.030", "f2 2/1 0.040"}; !slices.Equal(got, want) {
		t.Errorf("flows %q, want %q", got, want)
	}
}

// A run with too many slices has the time of every category in parts of the run.
func TestTimelineOfManySlices(t *testing.T) {
	r := timeline.Record(timeline.Picosecond, 3_000_000, timeline.Category{Label: "a"}, timeline.Category{Label: "b", Style: timeline.Waiting})
	r.Group("all", false)
	track := r.Track("one", timeline.State, "")
	for i := range int64(1_000_000) {
		r.Slice(track, timeline.Slice{Begin: 3 * i, End: 3*i + 1 + i%3, Cat: uint8(i % 2), Ref: -1, Step: int32(-1)})
	}
	x := r.End()
	data, ok := chrometrace.Timeline(1<<20, nil, x)
	if !ok {
		t.Fatal("too large")
	}
	f, _ := read(t, data)
	var spent [2]int64
	for _, e := range f.TraceEvents {
		if e.Ph == "X" {
			spent[strings.Index("ab", e.Name)] += number(t, e.Args["ticks"])
		}
	}
	if !slices.Equal(spent[:], x.Spent()) || f.OtherData["grain_ps"] != fmt.Sprint(x.Bins.Grain(timeline.Grains)) {
		t.Errorf("%d, of %d; %v", spent, x.Spent(), f.OtherData)
	}
}
