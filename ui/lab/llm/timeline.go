package llm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/timeline"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/chrometrace"
	"spillway/ui/lab"
	"spillway/ui/lab/timefiles"
)

// Categories of time: what GPUs do and wait for by cause, then kernels by phase, then what
// moves, or works for the host, by queue, then sends.
const (
	firstPhase = uint8(offload.Causes)
	firstQueue = firstPhase + uint8(job.Communicate) + 1
	sends      = firstQueue + uint8(offload.QueueKinds)
	firstKind  = sends + 1 // of tensors
)

// categories are the categories of this laboratory's timeline.
func categories() []timeline.Category {
	var list []timeline.Category
	for c, x := range causes {
		style := timeline.Waiting
		if offload.Cause(c) == offload.Computes {
			style = timeline.Working
		}
		list = append(list, timeline.Category{Key: x.key, Label: x.label, Style: style})
	}
	for p := job.Forward; p <= job.Communicate; p++ {
		list = append(list, timeline.Category{Key: "phase-" + phases[p], Label: phases[p], Style: timeline.Working})
	}
	for q, x := range queues {
		style := timeline.Moving
		if offload.QueueKind(q) == offload.CPU {
			style = timeline.Working
		}
		list = append(list, timeline.Category{Key: x.key, Label: x.label, Style: style})
	}
	list = append(list, timeline.Category{Key: "sends", Label: "Sends", Style: timeline.Moving})
	for k := workload.Intermediate; k <= workload.Input; k++ {
		list = append(list, timeline.Category{Key: "tensor-" + k.String(), Label: k.String(), Style: timeline.Holding})
	}
	return list
}

// A gpuTracks is the tracks of a GPU, and the micro-batch that is under way.
type gpuTracks struct {
	micro, kernels, state, tensors int
	queues                         [offload.QueueKinds]int // 0 of those that it does not use
	sends                          []int                   // lanes
	until                          []unit.Time             // when each of them is free
	tensor, kernel                 int32                   // numbers of the first
	open                           timeline.Slice
	mark                           job.Mark
	busy                           bool              // a micro-batch is under way
	runs                           workload.KernelID // the last that began
}

// A drawing makes a timeline of a record.
type drawing struct {
	*recorded
	*timeline.Recorder
	gpus       []gpuTracks
	processors int
	begun      []int64   // when kernels began
	sent       int32     // the object of the first send
	received   [][]int32 // by GPU and kernel: the object of what is sent to it, -1 for none
}

// timelineOf is the measured iteration of a run that was recorded.
func timelineOf(r *recorded, w timeline.Window) *chain {
	d := &drawing{recorded: r, Recorder: timeline.Record(timeline.Picosecond, int64(r.Time), categories()...), gpus: make([]gpuTracks, len(r.GPUs)), processors: -1}
	d.Look(w)
	moved := slices.Clone(r.Transfers)
	moved = slices.DeleteFunc(moved, func(t offload.Transfer) bool { return !r.beside(&t) })
	// Those of a track follow each other, but for sends: their lanes are given by when they begin.
	slices.SortStableFunc(moved, func(a, b offload.Transfer) int { return cmp.Compare(a.Begin, b.Begin) })
	d.named()
	d.tracks(moved)
	for i := range r.Spells {
		d.spell(&r.Spells[i])
	}
	slices.Sort(d.begun)
	for _, at := range d.begun {
		d.Reach("kernel", at)
	}
	for g := range d.gpus {
		d.close(&d.gpus[g])
	}
	for i := range moved {
		d.transfer(&moved[i])
	}
	for g, list := range r.Memory {
		for i := range list {
			d.Count(d.gpus[g].tensors, int64(list[i].At), int64(list[i].Bytes[offload.GPU]))
		}
	}
	d.shared()
	d.lives()
	return &chain{d, d.End()}
}

// named adds objects, the tensors of all GPUs and what these send each other, and steps, their
// kernels.
func (d *drawing) named() {
	tensors, kernels := int32(0), int32(0)
	for g := range d.gpus {
		w := d.Job.Parts[g]
		d.gpus[g].tensor, d.gpus[g].kernel = tensors, kernels
		for t := range w.Tensors {
			d.Object(d.tensorName(g, int32(t)))
		}
		for k := range w.Kernels {
			d.Step(w.Kernels[k].Name)
		}
		d.Step(d.kernelName(g, workload.KernelID(len(w.Kernels))))
		tensors += int32(len(w.Tensors))
		kernels += int32(len(w.Kernels)) + 1
		list := make([]int32, len(w.Kernels)+1)
		for k := range list {
			list[k] = -1
		}
		d.received = append(d.received, list)
	}
	d.sent = tensors
	for i := range d.Job.Sends {
		s := &d.Job.Sends[i]
		d.Object("what " + d.kernelName(int(s.From.Part), s.From.Kernel) + " of GPU " + strconv.Itoa(int(s.From.Part)) + " sends")
		if to := &d.received[s.To.Part][s.To.Kernel]; *to < 0 {
			*to = tensors + int32(i)
		}
	}
}

// tracks begins a group of each GPU with the tracks that have something in them, and the host.
func (d *drawing) tracks(moved []offload.Transfer) {
	var queued [offload.QueueKinds][]bool
	for q := range queued {
		queued[q] = make([]bool, len(d.gpus))
	}
	lanes := make([]int, len(d.gpus))
	for i := range moved {
		t := &moved[i]
		if t.What != offload.Sent {
			queued[t.Queue][t.GPU] = true
			continue
		}
		g := &d.gpus[t.GPU]
		if free := slices.IndexFunc(g.until, func(at unit.Time) bool { return at <= max(0, t.Begin) }); free >= 0 {
			g.until[free] = t.End
		} else {
			g.until = append(g.until, t.End)
		}
		lanes[t.GPU] = len(g.until)
	}
	for i := range d.gpus {
		g := &d.gpus[i]
		g.runs = -1
		d.Group("GPU "+strconv.Itoa(i), false)
		g.micro = d.Track("Micro-batches", timeline.Note, "")
		g.kernels = d.Track("Kernels", timeline.Work, "")
		g.state = d.Track("Computes and waits", timeline.State, "")
		for q := range g.queues {
			if queued[q][i] && offload.QueueKind(q) != offload.CPU {
				g.queues[q] = d.Track(queues[q].label, timeline.Link, "bytes")
			}
		}
		clear(g.until)
		for n := range lanes[i] {
			g.sends = append(g.sends, d.Track("Sends "+strconv.Itoa(n+1), timeline.Link, "bytes"))
		}
		g.tensors = d.Counter("Tensors on the GPU", "bytes", int64(d.room()))
	}
	d.Group("Host and drives", false)
	if slices.ContainsFunc(queued[offload.CPU], func(is bool) bool { return is }) {
		d.processors = d.Track(queues[offload.CPU].label, timeline.Work, "bytes")
	}
}

// room is what each GPU has for tensors; 0 without a limit.
func (d *drawing) room() unit.Bytes {
	if d.Record.Schedule.Programs == nil {
		return 0
	}
	return max(0, d.Node.Usable()-d.Record.Schedule.Static)
}

// spell draws what a GPU did or waited for.
func (d *drawing) spell(s *offload.Spell) {
	g := &d.gpus[s.GPU]
	slice := timeline.Slice{Begin: int64(s.Begin), End: int64(s.End), Cat: uint8(s.Cause), Ref: -1, Step: g.kernel + int32(s.Kernel)}
	d.Slice(g.state, slice)
	if !s.Runs {
		if s.Cause == offload.Bubble {
			d.close(g)
		}
		return
	}
	if g.runs != s.Kernel {
		g.runs = s.Kernel
		d.begun = append(d.begun, slice.Begin)
	}
	m := d.Job.Marks[s.GPU][s.Kernel]
	slice.Name, slice.Cat = d.Name(d.kernelName(s.GPU, s.Kernel)), firstPhase+uint8(m.Phase)
	slice.Ref = d.received[s.GPU][s.Kernel]
	d.Slice(g.kernels, slice)
	if m.Phase == job.Communicate && g.busy { // among the kernels of the micro-batch
		m.Phase = g.mark.Phase
	}
	if m.Layer = 0; !g.busy || m != g.mark {
		d.close(g)
		name := phases[m.Phase]
		if m.Micro >= 0 {
			name += " " + strconv.Itoa(int(m.Micro)+1)
		}
		g.busy, g.mark = true, m
		g.open = timeline.Slice{Begin: slice.Begin, Name: d.Name(name), Cat: firstPhase + uint8(m.Phase), Ref: -1, Step: -1}
	}
	g.open.End = slice.End
}

// close ends the micro-batch that is under way: the GPU begins another or has nothing to do.
func (d *drawing) close(g *gpuTracks) {
	if g.busy {
		d.Slice(g.micro, g.open)
	}
	g.busy = false
}

// transfer draws what a queue, or processors, did.
func (d *drawing) transfer(t *offload.Transfer) {
	g := &d.gpus[t.GPU]
	slice := timeline.Slice{Begin: int64(t.Begin), End: int64(t.End), Name: d.Name(d.what(t)), Cat: firstQueue + uint8(t.Queue), Ref: -1, Step: -1, Amount: int64(t.Bytes)}
	track := g.queues[t.Queue]
	switch {
	case t.What == offload.Sent:
		lane := slices.IndexFunc(g.until, func(at unit.Time) bool { return at <= max(0, t.Begin) })
		g.until[lane] = t.End
		track, slice.Cat, slice.Step, slice.Ref = g.sends[lane], sends, g.kernel+int32(d.Job.Sends[t.ID].From.Kernel), d.sent+t.ID
	case t.Queue == offload.CPU:
		track = d.processors
	case t.What == offload.Fetched || t.What == offload.Offloaded:
		slice.Ref = g.tensor + t.ID
	}
	d.Slice(track, slice)
}

// shared counts what GPUs have together elsewhere, and what links carry.
func (d *drawing) shared() {
	s := d.Record.Schedule
	host, drives := d.Node.Host-s.Host, -s.Drives
	if s.HostLimit > 0 {
		host = min(host, s.HostLimit)
	}
	for i := range d.Node.Arrays {
		drives += unit.Bytes(d.Node.Arrays[i].Drives) * d.Node.Drive.Size
	}
	for _, x := range []struct {
		name  string
		tier  offload.Tier
		limit unit.Bytes
	}{{"Tensors in host memory", offload.Host, host}, {"Tensors on drives", offload.SSD, drives}} {
		d.sum(d.Counter(x.name, "bytes", int64(max(0, x.limit))), x.tier)
	}
	d.Group("Links", true)
	for l := range d.Node.Links {
		if d.Links[l].Bytes == 0 {
			continue
		}
		c := d.Counter(d.Node.Links[l].Name, "bytes/s", int64(d.Node.Links[l].Rate))
		for i := range d.Rates {
			x, end := &d.Rates[i], d.Time
			if i+1 < len(d.Rates) {
				end = d.Rates[i+1].At
			}
			d.Count(c, int64(x.At), unit.MulDiv(int64(x.Bytes[l]), int64(unit.Second), int64(max(1, end-x.At))))
		}
	}
}

// sum counts a tier over all GPUs: each as it was at its last sample.
func (d *drawing) sum(counter int, tier offload.Tier) {
	at, held, all := make([]int, len(d.Memory)), make([]unit.Bytes, len(d.Memory)), unit.Bytes(0)
	for {
		next := -1
		for g, list := range d.Memory {
			if at[g] < len(list) && (next < 0 || list[at[g]].At < d.Memory[next][at[next]].At) {
				next = g
			}
		}
		if next < 0 {
			return
		}
		x := &d.Memory[next][at[next]]
		at[next]++
		all += x.Bytes[tier] - held[next]
		held[next] = x.Bytes[tier]
		d.Count(counter, int64(x.At), int64(all))
	}
}

// mostLives is how many lives of tensors are drawn at most; of a run with more none are.
const mostLives = 60_000

// lives draws what every tensor takes of each memory, by GPU.
func (d *drawing) lives() {
	if len(d.Presences) == 0 || len(d.Presences) > 2*mostLives {
		return
	}
	names := [offload.Tiers]string{offload.GPU: "On the GPU", offload.Host: "In host memory", offload.SSD: "On drives"}
	for g := range d.gpus {
		w := d.Job.Parts[g]
		d.Group("Tensors of GPU "+strconv.Itoa(g), g > 0)
		var into [offload.Tiers]int
		var since [offload.Tiers][]unit.Time // by tensor; -1 while it is not there
		for tier := range since {
			into[tier] = -1
			since[tier] = make([]unit.Time, len(w.Tensors))
			for i := range since[tier] {
				since[tier][i] = -1
			}
		}
		end := func(tier offload.Tier, t workload.TensorID, bytes unit.Bytes, at unit.Time) {
			from := since[tier][t]
			if from < 0 {
				return
			}
			if into[tier] < 0 {
				into[tier] = d.Lives(names[tier], "bytes")
			}
			since[tier][t] = -1
			d.Live(into[tier], timeline.Slice{Begin: int64(from), End: int64(at), Cat: firstKind + uint8(w.Tensors[t].Kind), Ref: d.gpus[g].tensor + int32(t), Step: -1, Amount: int64(bytes)})
		}
		for i := range d.Presences {
			switch p := &d.Presences[i]; {
			case p.GPU != g:
			case p.Is:
				since[p.Tier][p.Tensor] = p.At
			default:
				end(p.Tier, p.Tensor, p.Bytes, p.At)
			}
		}
		for tier := range since {
			for t := range since[tier] {
				end(offload.Tier(tier), workload.TensorID(t), w.Tensors[t].Bytes.Aligned(), d.Time)
			}
		}
	}
}

// recordOf runs the system in focus with a record.
func recordOf(v *seen) (*recorded, error) {
	r, record, err := core.Record(&v.Workload.setup, v.System, v.Progress)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Reason != "":
		return nil, errors.New("there is no run to write: " + r.Reason)
	case r.Recipe != nil:
		return nil, fmt.Errorf("%w: this system moves nothing and runs by closed formulas; choose one that moves tensors", lab.ErrNothingHappens)
	}
	return &recorded{r, record}, nil
}

// timed is a run over time.
func timed(v *seen) (*timefiles.Run, error) {
	r, err := recordOf(v)
	if err != nil {
		return nil, err
	}
	system := v.System
	if sys, err := core.Find(system); err == nil {
		system = sys.Title
	}
	c := timelineOf(r, v.Window)
	makes := why()
	return &timefiles.Run{
		Timeline: c.t, Chain: c.of, For: c.finder, Resources: makes.Resources(), Origin: v.Origin,
		System: system, About: v.Workload.setup.Arch.Title, Workload: v.Workload.origin,
		More: []chrometrace.Arg{{Key: "iteration_ps", Text: strconv.FormatInt(int64(r.Time), 10)}},
	}, nil
}

// timelineTotals are the quantities that its slices add up to, means over GPUs.
func timelineTotals() (list []lab.Total) {
	for _, c := range causes {
		list = append(list, lab.Total{Quantity: c.key + "_s", Column: "ticks", Where: map[string]string{"category": c.label}, Among: map[string]string{"kind": "state"}, Over: "pid", Unit: 1e12})
	}
	return list
}
