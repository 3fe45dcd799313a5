package store

import (
	"fmt"
	"strconv"

	core "spillway/sim/store"
	over "spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// Groups of tracks, and tracks of the link.
const (
	clientGroup = 1 + iota
	linkGroup

	outTrack  = 1
	backTrack = 2
)

func exports() []format {
	return timefiles.Of("What the time of every client goes to, every eviction and every way back, and memory in use", timelineTotals(), timed)
}

// recorded runs one policy and returns its title and what happened.
func recorded(v *view) (title string, c *chain, err error) {
	p, setup, err := v.Workload.policy(v.System, v.Settings, v.Progress)
	if err != nil {
		return "", nil, err
	}
	// The first run says how long the second is: a long one has millions of slices, of which
	// nobody keeps a list.
	var end unit.Time
	r, err := core.Watched(v.Workload.Trace, setup, p, &core.Watch{Move: func(m core.Move) { end = max(end, m.End) }})
	if err != nil {
		return "", nil, err
	}
	if r.Failure != nil {
		return "", nil, fmt.Errorf("%s cannot run it: %s", p.Title, r.Failure)
	}
	for i := range r.Clients {
		end = max(end, r.Clients[i].End)
	}
	c = &chain{w: v.Workload, clients: r.Clients, setup: setup}
	draws, watch := timeline(v.Workload, r, end, setup.Host, v.Window)
	watch.Evict = c.evicted
	alive := &lives{open: make([]life, len(v.Workload.Tensors))}
	watch.Place = alive.place
	if _, err := core.Watched(v.Workload.Trace, setup, p, watch); err != nil {
		return "", nil, err
	}
	alive.draw(draws, end)
	c.t = draws.End()
	return p.Title, c, nil
}

// timed is a run over time.
func timed(v *view) (*timefiles.Run, error) {
	policy, c, err := recorded(v)
	if err != nil {
		return nil, err
	}
	makes := why()
	return &timefiles.Run{
		Timeline: c.t, Chain: c.of, For: c.finder, Resources: makes.Resources(),
		Origin: v.Origin, System: policy, About: v.Workload.about, Workload: v.Workload.origin,
	}, nil
}

// timeline begins that of a run, which a watch fills: a State track a client, the link's two
// ways, and what the store does.
func timeline(w *trace, r *core.Result, end unit.Time, room unit.Bytes, window over.Window) (*over.Recorder, *core.Watch) {
	cats := make([]over.Category, core.Parts, over.Most)
	for p := range cats {
		cats[p] = over.Category{Key: partKey(core.Part(p)), Label: core.Part(p).String()}
		if core.Part(p).Waits() {
			cats[p].Style = over.Waiting
		}
	}
	cats = append(cats, over.Category{Key: "move", Label: "migration", Style: over.Moving})
	for i := range r.Clients[:min(len(r.Clients), mostOwners)] {
		cats = append(cats, over.Category{Key: "client-" + strconv.Itoa(i+1), Label: r.Clients[i].Name, Style: over.Holding})
	}
	if len(r.Clients) > mostOwners {
		cats[firstOwner+mostOwners-1].Label = "other clients"
	}
	t := over.Record(over.Picosecond, int64(end), cats...)
	t.Look(window)
	names := make([]uint32, len(w.Tensors))
	for i := range w.Tensors {
		name := w.Tensors[i].Name
		if name == "" {
			name = "tensor " + strconv.Itoa(i)
		}
		t.Object(name)
		names[i] = t.Name(name)
	}
	t.Group("Clients", false)
	for c := range r.Clients {
		t.Track(r.Clients[c].Name, over.State, "")
	}
	t.Group("Link to host memory", false)
	out, back := t.Track("Evictions", over.Link, "bytes"), t.Track("Back to the GPU", over.Link, "bytes")
	t.Group("Store", false)
	server := t.Track("Calls, one after the other", over.Work, "")
	callers := make([]uint32, len(r.Clients))
	for c := range r.Clients {
		callers[c] = t.Name(r.Clients[c].Name)
	}
	t.Group("Memory", false)
	gpu, host := t.Counter("GPU memory in use", "bytes", int64(r.Capacity)), t.Counter("Host memory in use", "bytes", int64(room))
	for i := range r.Timeline.GPU {
		at := int64(i) * int64(r.Timeline.Step)
		t.Count(gpu, at, int64(r.Timeline.GPU[i]))
		t.Count(host, at, int64(r.Timeline.Host[i]))
	}
	return t, &core.Watch{
		Slice: func(s core.Slice) {
			x := over.Slice{Begin: int64(s.Start), End: int64(s.End), Cat: uint8(s.Part), Ref: -1, Step: -1}
			t.Slice(int(s.Client), x)
			if s.Part.Store() {
				x.Name = callers[s.Client]
				t.Slice(server, x)
			}
		},
		Done: func(at unit.Time) { t.Reach("operation", int64(at)) },
		Move: func(m core.Move) {
			track := out
			if m.Back {
				track = back
			}
			t.Slice(track, over.Slice{Begin: int64(m.Start), End: int64(m.End), Name: names[m.Tensor], Cat: uint8(core.Parts), Ref: m.Tensor, Step: -1, Amount: int64(m.Bytes)})
		},
	}
}

// timelineTotals are the quantities that its slices add up to.
func timelineTotals() []lab.Total {
	moved := func(quantity string, track int) lab.Total {
		return lab.Total{Quantity: quantity, Column: "bytes", Where: map[string]string{"pid": strconv.Itoa(linkGroup), "tid": strconv.Itoa(track)}, Unit: 1}
	}
	list := []lab.Total{moved("evicted_bytes", outTrack), moved("returned_bytes", backTrack)}
	for _, p := range append(doings(), elsewhere...) {
		list = append(list, lab.Total{Quantity: partKey(p), Column: "ticks", Where: map[string]string{"pid": strconv.Itoa(clientGroup), "name": p.String()}, Unit: 1e12})
	}
	return list
}
