package llm

import (
	"strconv"

	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
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
var collectives = map[job.Kind]string{job.AllReduce: "all-reduce", job.AllGather: "all-gather", job.ReduceScatter: "reduce-scatter", job.AllToAll: "all-to-all", job.PassOn: "keys and values passed on"}

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
