package serve

import (
	"cmp"
	"slices"
	"strconv"

	"spillway/sim/report"
	"spillway/sim/timeline"
	"spillway/sim/unit"
)

// Decoding is what a request does behind its first token; it is no part of the ledger of that.
const Decoding = Phase(Phases)

// A Way is where keys and values move.
type Way uint8

// The ways.
const (
	ToGPU Way = iota
	ToHost
	FromDrives
	ToDrives
	ways = int(ToDrives) + 1
)

// String is the way's name.
func (w Way) String() string {
	return [...]string{"To the GPUs", "To host memory", "Read from drives", "Written to drives"}[w]
}

// lanes is how many requests at once have a track of their own.
const lanes = 30

// watch draws a run.
type watch struct {
	t       *timeline.Recorder
	begin   unit.Time
	names   []uint32 // of requests
	engines []int    // tracks of replicas
	moves   [][ways]int
	lane    []int32 // of requests: their lane from 1, 0 without
	owner   [lanes]int32
	tracks  [lanes]int
}

// categories are what engines do, then what requests wait for, then what moves.
func categories() []timeline.Category {
	list := make([]timeline.Category, 0, Doings+Phases+2)
	styles := [Doings]timeline.Style{Idle: timeline.Idle, Fetching: timeline.Waiting}
	keys := [Doings]string{"idle", "fetching", "prompts", "both", "answers"}
	for d := range Doings {
		list = append(list, timeline.Category{Key: keys[d], Label: Doing(d).String(), Style: styles[d]})
	}
	for p, key := range []string{"front", "queue", "memory", "load-host", "load-ssd", "prefill", "interference"} {
		style := timeline.Waiting
		switch Phase(p) {
		case LoadHost, LoadDrive:
			style = timeline.Moving
		case Prefill:
			style = timeline.Working
		}
		list = append(list, timeline.Category{Key: key, Label: Phase(p).String(), Style: style})
	}
	return append(list,
		timeline.Category{Key: "decode", Label: "answer"},
		timeline.Category{Key: "move", Label: "keys and values", Style: timeline.Moving})
}

// Record runs a workload as Run does, and writes down what happens: what every replica does, whose sums are Result.Doing; requests in
// lanes, of which those have none that come while all are taken; what moves; and what is in the tiers. Time is from the first arrival.
// There is no timeline of a run that was refused. The window is that of timeline.Recorder.Look.
func Record(w *Workload, s *Setting, window timeline.Window, p report.Progress) (*Result, *timeline.Timeline, error) {
	r, err := Run(w, s, p)
	if err != nil || !r.Ran() {
		return r, nil, err
	}
	begin := never
	for i := range r.Requests {
		begin = min(begin, r.Requests[i].Arrive)
	}
	l := &watch{t: timeline.Record(timeline.Picosecond, int64(r.Time), categories()...), begin: begin}
	l.t.Look(window)
	l.prepare(w, r)
	if _, err := run(w, s, nil, false, l); err != nil {
		return nil, nil, err
	}
	l.counters(r)
	for _, at := range ends(r) {
		l.t.Reach("request", int64(at-begin))
	}
	return r, l.t.End(), nil
}

// ends are when requests were answered, in order.
func ends(r *Result) []unit.Time {
	list := make([]unit.Time, len(r.Requests))
	for i := range list {
		list[i] = r.Requests[i].Done
	}
	spread(list)
	return list
}

// prepare begins tracks, and gives requests lanes: the first that is free when they come.
func (l *watch) prepare(w *Workload, r *Result) {
	l.names = make([]uint32, len(w.Requests))
	for i := range w.Requests {
		name := "request " + strconv.Itoa(i+1)
		l.names[i] = l.t.Name(name)
		l.t.Object(name)
	}
	l.lane = make([]int32, len(w.Requests))
	l.t.Group("Engines", false)
	for i := range r.Replicas {
		l.engines = append(l.engines, l.t.Track("Replica "+strconv.FormatInt(i+1, 10), timeline.State, ""))
	}
	l.t.Group("Requests", false)
	for i := range l.tracks {
		l.tracks[i] = l.t.Track("Lane "+strconv.Itoa(i+1), timeline.Note, "")
		l.t.Waits(l.tracks[i])
		l.owner[i] = -1
	}
	l.t.Group("Ways of keys and values", false)
	l.moves = make([][ways]int, r.Replicas)
	for i := range l.moves {
		for k := range ways {
			l.moves[i][k] = -1
			if used := [ways]unit.Bytes{r.LinkIn.Bytes, r.LinkOut.Bytes, r.Read.Bytes, r.Write.Bytes}; used[k] > 0 {
				name := Way(k).String()
				if r.Replicas > 1 {
					name += ", replica " + strconv.Itoa(i+1)
				}
				l.moves[i][k] = l.t.Track(name, timeline.Link, "bytes")
			}
		}
	}
}

// counters draws the samples of a run.
func (l *watch) counters(r *Result) {
	l.t.Group("Tokens of keys and values", false)
	used := l.t.Counter("Of requests under way, in GPU memory", "tokens", r.Memory.KVTokens*r.Replicas)
	cached := l.t.Counter("Kept of others, in GPU memory", "tokens", r.Memory.KVTokens*r.Replicas)
	host := l.t.Counter("In host memory", "tokens", r.Memory.Host*r.Replicas)
	drive := l.t.Counter("On drives", "tokens", r.Memory.Drive*r.Replicas)
	l.t.Group("Numbers of requests", true)
	running, waiting := l.t.Counter("Under way", "requests", 0), l.t.Counter("Waiting", "requests", 0)
	for i := range r.Samples {
		v := &r.Samples[i]
		at := int64(v.At - l.begin)
		l.t.Count(used, at, v.Used)
		l.t.Count(cached, at, v.Cached)
		l.t.Count(host, at, v.Host)
		l.t.Count(drive, at, v.Drive)
		l.t.Count(running, at, v.Running)
		l.t.Count(waiting, at, v.Waiting)
	}
}

// alone draws what Bound says: each request for itself, and engines that do one thing after the other.
func (l *watch) alone(r *Result) {
	for i := range r.Doing {
		at := l.begin
		for d, n := range r.Doing[i] {
			if n > 0 {
				l.step(int32(i), Doing(d), at, at+n)
			}
			at += n
		}
	}
	list := make([]int32, len(r.Requests))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(r.Requests[a].Arrive, r.Requests[b].Arrive) })
	for _, id := range list {
		v := &r.Requests[id]
		for k, o := range l.owner {
			if o >= 0 && r.Requests[o].Done <= v.Arrive {
				l.owner[k] = -1
			}
		}
		l.come(id)
		at := v.Arrive
		for p, n := range v.Phases {
			if n > 0 {
				l.phase(id, Phase(p), at, at+n)
			}
			at += n
		}
		if v.Done > v.First {
			l.phase(id, Decoding, v.First, v.Done)
		}
	}
}

// step is told what a replica did.
func (l *watch) step(replica int32, d Doing, from, to unit.Time) {
	l.t.Slice(l.engines[replica], timeline.Slice{Begin: int64(from - l.begin), End: int64(to - l.begin), Cat: uint8(d), Ref: -1, Step: -1})
}

// come is told of a request that comes, leave of its end.
func (l *watch) come(id int32) {
	for i, o := range l.owner {
		if o < 0 {
			l.owner[i], l.lane[id] = id, int32(i)+1
			return
		}
	}
}

func (l *watch) leave(id int32) {
	if k := l.lane[id]; k > 0 {
		l.owner[k-1] = -1
	}
}

// phase is told what a request waits for.
func (l *watch) phase(id int32, p Phase, from, to unit.Time) {
	if k := l.lane[id]; k > 0 {
		l.t.Slice(l.tracks[k-1], timeline.Slice{
			Begin: int64(from - l.begin), End: int64(to - l.begin), Name: l.names[id], Cat: uint8(Doings + int(p)), Ref: id, Step: -1,
		})
	}
}

// move is told what moves.
func (l *watch) move(replica int32, w Way, id int32, from, to unit.Time, n unit.Bytes) {
	if k := l.moves[replica][w]; k >= 0 {
		l.t.Slice(k, timeline.Slice{
			Begin: int64(from - l.begin), End: int64(to - l.begin), Name: l.names[id], Cat: uint8(Doings + Phases + 1), Ref: id, Step: -1, Amount: int64(n),
		})
	}
}
