package llm

import (
	"slices"
	"strconv"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/machine"
	"spillway/sim/llm/offload"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/chrometrace"
	"spillway/ui/lab"
)

// A recorded run is a result and what happened in its iteration.
type recorded struct {
	*core.Result
	*offload.Record
}

// tierWords are places of tensors.
var tierWords = [offload.Tiers]string{offload.SSD: "drives", offload.Host: "host memory", offload.GPU: "GPU"}

func endpoint(e machine.Endpoint) string {
	switch e.Kind {
	case machine.OnHost:
		return tierWords[offload.Host]
	case machine.OnArray:
		return "drives of GPU " + strconv.Itoa(int(e.Index))
	}
	return "GPU " + strconv.Itoa(int(e.Index))
}

// kernelName names a kernel of a GPU; the number after the last is the end of the iteration.
func (r *recorded) kernelName(gpu int, k workload.KernelID) string {
	if list := r.Job.Parts[gpu].Kernels; int(k) < len(list) {
		return list[k].Name
	}
	return "end of the iteration"
}

func (r *recorded) tensorName(gpu int, t int32) string {
	x := &r.Job.Parts[gpu].Tensors[t]
	if x.Name != "" {
		return x.Name
	}
	return x.Kind.String() + " " + strconv.Itoa(int(t))
}

// what names what a transfer moves.
func (r *recorded) what(t *offload.Transfer) string {
	switch t.What {
	case offload.Fetched, offload.Offloaded:
		return r.tensorName(t.GPU, t.ID)
	case offload.Sent:
		s := &r.Job.Sends[t.ID]
		return r.kernelName(int(s.From.Part), s.From.Kernel) + " to GPU " + strconv.Itoa(int(s.To.Part))
	case offload.Collected:
		return collectives[r.Job.Collectives[t.ID].Kind]
	}
	return r.Schedule.Extras[t.ID].Name
}

// collectives are the words for their kinds.
var collectives = map[job.Kind]string{job.AllReduce: "all-reduce", job.AllGather: "all-gather", job.ReduceScatter: "reduce-scatter", job.AllToAll: "all-to-all"}

// beside reports whether a transfer is not a kernel of the GPU itself.
func (r *recorded) beside(t *offload.Transfer) bool {
	return t.What != offload.Collected || len(r.Job.Collectives[t.ID].Wait) > 0
}

// planCSV lists the moves of tensors that programs ask for, by kernel, and the system's own tasks.
func planCSV(r *recorded) ([]byte, error) {
	s := newSheet("gpu", "before_kernel", "kernel", "what", "kind", "move", "from", "to", "bytes", "time_ps")
	for g, p := range r.Schedule.Programs {
		for _, op := range p.Ops {
			x := &r.Job.Parts[g].Tensors[op.Tensor]
			move, from := "offload", tierWords[offload.GPU]
			if op.To == offload.GPU {
				move, from = "prefetch", "" // where it is then
			}
			s.row(g, op.At, r.kernelName(g, op.At), r.tensorName(g, int32(op.Tensor)), x.Kind, move, from, tierWords[op.To], int64(x.Bytes.Aligned()), "")
		}
	}
	for i := range r.Schedule.Extras {
		x := &r.Schedule.Extras[i]
		at, name := "", ""
		for _, list := range [][]job.Ref{x.Before, x.Next} {
			if len(list) > 0 && at == "" {
				at, name = strconv.Itoa(int(list[0].Kernel)), r.kernelName(int(list[0].Part), list[0].Kernel)
			}
		}
		from, to, bytes := "", "", ""
		if x.Bytes > 0 {
			from, to, bytes = endpoint(x.From), endpoint(x.To), strconv.FormatInt(int64(x.Bytes), 10)
		}
		s.row(x.GPU, at, name, x.Name, "", "task of the system", from, to, bytes, int64(x.Time))
	}
	return s.bytes()
}

// waitsCSV lists what GPUs did: kernels, with what they waited for before they began, by cause. What
// takes no time and waits for nothing is not in it.
func waitsCSV(r *recorded) ([]byte, error) {
	head := []string{"gpu", "kernel", "name", "begin_ps", "end_ps", "runs_ps"}
	for _, c := range causes[offload.Computes+1:] {
		head = append(head, "wait_"+c.key+"_ps")
	}
	s := newSheet(head...)
	type row struct {
		kernel     workload.KernelID
		begin, end unit.Time
		runs       unit.Time
		waits      [offload.Causes]unit.Time
	}
	rows := make([][]row, len(r.GPUs))
	for _, x := range r.Spells {
		list := rows[x.GPU]
		if len(list) == 0 || list[len(list)-1].kernel != x.Kernel {
			list = append(list, row{kernel: x.Kernel})
		}
		k := &list[len(list)-1]
		if k.end = x.End; x.Runs {
			k.begin, k.runs = x.Begin, x.End-x.Begin
		} else {
			k.begin = x.End
			k.waits[x.Cause] += x.End - x.Begin
		}
		rows[x.GPU] = list
	}
	for g, list := range rows {
		for i := range list {
			k := &list[i]
			cells := []any{g, k.kernel, r.kernelName(g, k.kernel), int64(k.begin), int64(k.end), int64(k.runs)}
			for _, w := range k.waits[offload.Computes+1:] {
				cells = append(cells, int64(w))
			}
			s.row(cells...)
		}
	}
	return s.bytes()
}

// waitsTotals are the quantities that it adds up to: what every GPU waits for.
func waitsTotals() (list []lab.Total) {
	for _, c := range causes[offload.Computes+1:] {
		list = append(list, lab.Total{Quantity: c.key + "_s", Column: "wait_" + c.key + "_ps", Over: "gpu", Unit: 1e12})
	}
	return list
}

// movesCSV lists what moved, and what processors did, in the order in which it ended.
func movesCSV(r *recorded) ([]byte, error) {
	s := newSheet("gpu", "queue", "what", "begin_ps", "end_ps", "bytes", "counted_as")
	for i := range r.Transfers {
		t := &r.Transfers[i]
		s.row(t.GPU, queues[t.Queue].key, r.what(t), int64(t.Begin), int64(t.End), int64(t.Bytes), counted[t.Sum])
	}
	return s.bytes()
}

// queues are tracks of a GPU.
var queues = [offload.QueueKinds]struct{ key, label string }{
	{"drives-read", "Drives → GPU"},
	{"drives-write", "GPU → drives"},
	{"host-read", "Host memory → GPU"},
	{"host-write", "GPU → host memory"},
	{"peers", "GPU ↔ GPUs, beside kernels"},
	{"cpu", "Processors"},
}

// counted are the sums of a result.
var counted = [offload.QueueKinds + 1]string{offload.SSDRead: "from drives", offload.SSDWrite: "to drives", offload.HostRead: "from host memory", offload.HostWrite: "to host memory"}

// Tracks of a group: the stream, the queues, and sends in as many lanes as there are at once.
const (
	streamTrack = 1
	queueTrack  = 2
	sendTrack   = queueTrack + int(offload.QueueKinds)
)

// A timeline draws a record.
type timeline struct {
	*recorded
	out   *chrometrace.Writer
	host  int           // the group of the host
	lanes [][]unit.Time // by GPU: until when each lane of sends is taken
}

// lane finds room for a send.
func (l *timeline) lane(gpu int, begin, end unit.Time) int {
	for i, until := range l.lanes[gpu] {
		if until <= begin {
			l.lanes[gpu][i] = end
			return i
		}
	}
	l.lanes[gpu] = append(l.lanes[gpu], end)
	return len(l.lanes[gpu]) - 1
}

func figure(key string, v int64) chrometrace.Arg { return chrometrace.Arg{Key: key, Number: v} }

func (l *timeline) spell(s *offload.Spell) {
	name, category := "waits: "+causes[s.Cause].label, "wait"
	if s.Runs {
		name, category = l.kernelName(s.GPU, s.Kernel), "kernel"
	}
	l.out.Slice(s.GPU+1, streamTrack, name, category, s.Begin, s.End, figure("kernel", int64(s.Kernel)),
		chrometrace.Arg{Key: "cause", Text: causes[s.Cause].label}, figure("time_ps", int64(s.End-s.Begin)))
}

func (l *timeline) transfer(t *offload.Transfer) {
	group, track, begin := t.GPU+1, queueTrack+int(t.Queue), max(0, t.Begin)
	switch {
	case t.What == offload.Sent:
		track = sendTrack + l.lane(t.GPU, begin, t.End)
	case t.Queue == offload.CPU:
		group = l.host
	}
	l.out.Slice(group, track, l.what(t), queues[t.Queue].key, begin, t.End, figure("bytes", int64(t.Bytes)), figure("begin_ps", int64(t.Begin)), figure("end_ps", int64(t.End)))
}

// names names groups and tracks that have something in them.
func (l *timeline) names(transfers []offload.Transfer) {
	var used [][]bool
	for g := range l.GPUs {
		l.out.Process(g+1, "GPU "+strconv.Itoa(g))
		l.out.Track(g+1, streamTrack, "Kernels and waits")
		used = append(used, make([]bool, offload.QueueKinds))
	}
	cpu := false
	for i := range transfers {
		t := &transfers[i]
		if t.What == offload.Sent {
			continue
		}
		used[t.GPU][t.Queue] = true
		cpu = cpu || t.Queue == offload.CPU
	}
	for g := range used {
		for q, is := range used[g] {
			if is && offload.QueueKind(q) != offload.CPU {
				l.out.Track(g+1, queueTrack+q, queues[q].label)
			}
		}
	}
	if cpu {
		l.out.Process(l.host, "Host")
		l.out.Track(l.host, queueTrack+int(offload.CPU), queues[offload.CPU].label)
	}
}

// timelineJSON draws the measured iteration: what GPUs do and wait for, and what their queues carry.
func timelineJSON(v *seen, r *recorded) ([]byte, error) {
	system, title, o := v.System, v.Workload.setup.Arch.Title, v.Origin
	generator := "Spillway"
	if o.Version != "" {
		generator += " " + o.Version
	}
	if o.Title != "" {
		title = o.Title
	}
	if sys, err := core.Find(system); err == nil {
		system = sys.Title
	}
	l := &timeline{recorded: r, host: len(r.GPUs) + 1, lanes: make([][]unit.Time, len(r.GPUs))}
	l.out = chrometrace.New(lab.MostExport, []chrometrace.Arg{
		{Key: "title", Text: system + ", " + title},
		{Key: "mode", Text: o.Mode},
		{Key: "link", Text: o.Link},
		{Key: "generator", Text: generator},
		{Key: "iteration_ps", Text: strconv.FormatInt(int64(r.Time), 10)},
	})
	var moved []offload.Transfer
	for i := range r.Transfers {
		if r.beside(&r.Transfers[i]) {
			moved = append(moved, r.Transfers[i])
		}
	}
	// Sends overlap: their lanes are given by when they begin.
	slices.SortStableFunc(moved, func(a, b offload.Transfer) int { return int(min(1, max(-1, a.Begin-b.Begin))) })
	l.names(moved)
	for i := range r.Spells {
		l.spell(&r.Spells[i])
	}
	for i := range moved {
		l.transfer(&moved[i])
	}
	for g, lanes := range l.lanes {
		for i := range lanes {
			l.out.Track(g+1, sendTrack+i, "Sends "+strconv.Itoa(i+1))
		}
	}
	for g, list := range r.Memory {
		for i := range list {
			l.out.Counter(g+1, "Tensors on the GPU", list[i].At, figure("bytes", int64(list[i].Bytes[offload.GPU])))
		}
	}
	data, ok := l.out.End()
	if !ok {
		return nil, lab.ErrLarge
	}
	return data, nil
}
