package store

import (
	"fmt"
	"strconv"

	core "spillway/sim/store"
	"spillway/sim/unit"
	"spillway/traces/chrometrace"
	"spillway/ui/lab"
)

// Groups of tracks, and tracks of the link.
const (
	clientGroup = 1 + iota
	linkGroup
	memoryGroup

	outTrack  = 1
	backTrack = 2
)

func exports() []format {
	return []format{{Write: timelineOf, Totals: timelineTotals(), Export: lab.Export{
		Key: "timeline", Title: "Timeline (Perfetto)", Ext: "trace.json", Mime: "application/json",
		About: "What the time of every client goes to, every eviction and every way back, and memory in use; Perfetto and chrome://tracing open it.",
	}}}
}

// timelineOf runs one policy and writes what happened.
func timelineOf(v *view) ([]byte, error) {
	w, o := v.Workload, v.Origin
	p, setup, err := w.policy(v.System, v.Settings.Setup, v.Progress)
	if err != nil {
		return nil, err
	}
	var watch core.Watch
	r, err := core.Watched(w.Trace, setup, p, &watch)
	if err != nil {
		return nil, err
	}
	if r.Failure != nil {
		return nil, fmt.Errorf("%s cannot run it: %s", p.Title, r.Failure)
	}
	title, generator := w.about, "Spillway"
	if o.Title != "" {
		title = o.Title
	}
	if o.Version != "" {
		generator += " " + o.Version
	}
	out := chrometrace.New(lab.MostExport, []chrometrace.Arg{
		{Key: "title", Text: p.Title + ", " + title}, {Key: "mode", Text: o.Mode}, {Key: "workload", Text: w.origin}, {Key: "link", Text: o.Link}, {Key: "generator", Text: generator},
	})
	timeline(out, w, r, &watch)
	data, ok := out.End()
	if !ok {
		return nil, lab.ErrLarge
	}
	return data, nil
}

// timeline writes a run.
func timeline(out *chrometrace.Writer, w *trace, r *core.Result, watch *core.Watch) {
	number := func(key string, v int64) chrometrace.Arg { return chrometrace.Arg{Key: key, Number: v} }
	out.Process(clientGroup, "Clients")
	for c := range r.Clients {
		out.Track(clientGroup, 1+c, r.Clients[c].Name)
	}
	out.Process(linkGroup, "Link to host memory")
	out.Track(linkGroup, outTrack, "Evictions")
	out.Track(linkGroup, backTrack, "Back to the GPU")
	out.Process(memoryGroup, "Memory")
	for _, s := range watch.Slices {
		category := "work"
		if s.Part.Waits() {
			category = "wait"
		}
		out.Slice(clientGroup, 1+int(s.Client), s.Part.String(), category, s.Start, s.End, number("ps", int64(s.End-s.Start)))
	}
	for _, m := range watch.Moves {
		track := outTrack
		if m.Back {
			track = backTrack
		}
		name := w.Tensors[m.Tensor].Name
		if name == "" {
			name = "tensor " + strconv.Itoa(int(m.Tensor))
		}
		out.Slice(linkGroup, track, name, "migration", m.Start, m.End, number("bytes", int64(m.Bytes)), number("client", int64(m.Owner)))
	}
	for i := range r.Timeline.GPU {
		at := unit.Time(i) * r.Timeline.Step
		out.Counter(memoryGroup, "GPU memory in use", at, number("bytes", int64(r.Timeline.GPU[i])))
		out.Counter(memoryGroup, "Host memory in use", at, number("bytes", int64(r.Timeline.Host[i])))
	}
}

// timelineTotals are the quantities that its slices add up to.
func timelineTotals() []lab.Total {
	moved := func(quantity string, track int) lab.Total {
		return lab.Total{Quantity: quantity, Column: "bytes", Where: map[string]string{"pid": strconv.Itoa(linkGroup), "tid": strconv.Itoa(track)}, Unit: 1}
	}
	list := []lab.Total{moved("evicted_bytes", outTrack), moved("returned_bytes", backTrack)}
	for _, p := range append([]core.Part{core.Thinking}, costs...) {
		list = append(list, lab.Total{Quantity: partKey(p), Column: "ps", Where: map[string]string{"pid": strconv.Itoa(clientGroup), "name": p.String()}, Unit: 1e12})
	}
	return list
}
