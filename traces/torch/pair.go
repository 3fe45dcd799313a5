package torch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spillway/sim/unit"
	"spillway/traces/et"
	"spillway/traces/kineto"
	"spillway/traces/recording"
)

// nodeOf returns the node of the innermost operator at or around op that is in the
// ExecutionTrace, -1 if there is none.
func nodeOf(j *join, k *kineto.Trace, op int32) int32 {
	for ; op >= 0; op = k.Ops[op].Parent {
		if n := j.node[op]; n >= 0 {
			return n
		}
	}
	return -1
}

// deviceOf returns the ExecutionTrace's index of a device of the profiler's trace,
// -1 if it has none. Where each has one, they are the same.
func deviceOf(e *et.Trace, k *kineto.Trace, id int32) int32 {
	used := e.Used()
	for _, d := range used {
		if _, number, ok := strings.Cut(e.Devices[d], ":"); ok && number == strconv.Itoa(int(id)) {
			return d
		}
	}
	if len(used) == 1 && len(k.Devices) == 1 && e.Devices[used[0]] != "cpu" {
		return used[0]
	}
	return -1
}

// pair makes recordings of a profiler's trace and an ExecutionTrace of the same run:
// times of the one, tensors of the other.
func pair(e *et.Trace, eName string, k *kineto.Trace, kName string, j *join) ([]*recording.Recording, error) {
	alone, err := k.Recordings(kName)
	if err != nil {
		return nil, err
	}
	var recs []*recording.Recording
	for i := range alone {
		if r := joinDevice(e, eName, k, &alone[i], j, len(alone)); r != nil {
			recs = append(recs, r)
		}
	}
	if len(recs) == 0 {
		return nil, errors.New("no kernel of the profiler's trace was launched by an operator of the ExecutionTrace that has tensors on the GPU")
	}
	return recs, nil
}

// joinDevice makes the recording of one device, nil if it has no step that both
// files have.
func joinDevice(e *et.Trace, eName string, k *kineto.Trace, alone *kineto.Recorded, j *join, devices int) *recording.Recording {
	device := deviceOf(e, k, int32(alone.Device.ID))
	if device < 0 {
		return nil
	}
	r := *alone.Recording
	r.Name = r.Files[0] + " + " + eName
	if devices > 1 {
		r.Name += fmt.Sprintf(", GPU %d", r.Device.ID)
	}
	r.Files = append(slices.Clone(r.Files), eName)
	r.Format = "PyTorch profiler and ExecutionTrace"
	r.Label = recording.L2
	r.Steps, r.Chosen = nil, 0
	r.Notes = append(slices.Clone(r.Notes), e.Notes...)
	r.Notes = append(r.Notes, fmt.Sprintf("%d of the ExecutionTrace's %d operators were found in the profiler's trace, %s.", j.matched, j.nodes, j.how))
	r.Advice = nil
	windows, _ := e.Windows()
	var left []string
	for s := range alone.Steps {
		step, ok := joinStep(e, k, alone, s, j, device, windows)
		if !ok {
			left = append(left, alone.Steps[s].Name)
			continue
		}
		r.Steps = append(r.Steps, step)
	}
	if len(r.Steps) == 0 {
		return nil
	}
	if n := len(left); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d steps of the profiler's trace are not in the ExecutionTrace and were left out (%s).", n, some(left)))
	}
	r.Chosen = recording.Middle(r.Steps)
	return &r
}

// some lists a few of many.
func some(list []string) string {
	if len(list) > 3 {
		return strings.Join(list[:3], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

// joinStep gives a step of the profiler's trace the tensors of the ExecutionTrace;
// not ok if that has less than half of the step's kernel time.
func joinStep(e *et.Trace, k *kineto.Trace, alone *kineto.Recorded, s int, j *join, device int32, windows []et.Window) (recording.Step, bool) {
	from := &alone.Steps[s]
	launches := make([]et.Launch, len(from.Kernels))
	in := make([]int, len(windows)) // launches by window
	var all, known unit.Time
	for i := range from.Kernels {
		op := k.Kernels[alone.Kernels[s][i]].Op
		launches[i] = et.Launch{Kernel: from.Kernels[i], Node: nodeOf(j, k, op)}
		all += from.Kernels[i].Time
		n := launches[i].Node
		if n < 0 || e.Owner(n, device) < 0 {
			continue
		}
		known += from.Kernels[i].Time
		for w := range windows {
			if n >= windows[w].From && n < windows[w].To {
				in[w]++
			}
		}
	}
	if len(windows) == 0 || 2*known < all || known == 0 {
		return recording.Step{}, false
	}
	best := 0
	for w := range in {
		if in[w] > in[best] {
			best = w
		}
	}
	step := e.Step(windows[best], device, launches, true, untils(e, k, alone, s, j, device))
	step.Name, step.Complete, step.Optimizes = from.Name, from.Complete, from.Optimizes
	if from.Memory.Known {
		step.Memory = from.Memory
	}
	step.Notes = append(slices.Clone(from.Notes), step.Notes...)
	return step, true
}

// untils returns the last kernel that was launched before each block was freed, by
// the profiler's memory events. A block of the ExecutionTrace is the one that the
// same operator took in the same order, of a size that fits.
func untils(e *et.Trace, k *kineto.Trace, alone *kineto.Recorded, s int, j *join, device int32) map[int32]int32 {
	if len(k.Blocks) == 0 {
		return nil
	}
	taken := map[int32][]int32{} // blocks of k by the node that took them
	for b := range k.Blocks {
		if x := &k.Blocks[b]; x.Device == int32(alone.Device.ID) {
			if n := nodeOf(j, k, x.Op); n >= 0 {
				taken[n] = append(taken[n], int32(b))
			}
		}
	}
	kernels := alone.Kernels[s]
	order := make([]started, 0, len(kernels)) // by launch
	for i, x := range kernels {
		if op := k.Kernels[x].Op; op >= 0 {
			order = append(order, started{k.Ops[op].Start, int32(i)})
		}
	}
	slices.SortStableFunc(order, func(a, b started) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(order); i++ { // the latest kernel launched so far
		order[i].kernel = max(order[i].kernel, order[i-1].kernel)
	}
	until := map[int32]int32{}
	for b := range e.Blocks {
		x := &e.Blocks[b]
		if x.Device != device || x.Born < 0 {
			continue
		}
		at := slices.IndexFunc(taken[x.Born], func(y int32) bool { return k.Blocks[y].Bytes >= x.Bytes && k.Blocks[y].Bytes < x.Bytes+slack(x.Bytes) })
		if at < 0 {
			continue
		}
		y := &k.Blocks[taken[x.Born][at]]
		taken[x.Born] = slices.Delete(taken[x.Born], at, at+1)
		if i, _ := slices.BinarySearchFunc(order, y.Free, func(o started, t unit.Time) int { return cmp.Compare(o.at, t) }); y.Free >= 0 && i > 0 {
			until[int32(b)] = order[i-1].kernel
		}
	}
	return until
}

// A started is a kernel and when the operator that launched it began.
type started struct {
	at     unit.Time
	kernel int32
}

// slack is how much larger a block may be than what was asked for: blocks are
// multiples of 512 bytes, and large ones may have up to a mebibyte that is not worth
// splitting off.
func slack(b unit.Bytes) unit.Bytes {
	if b > unit.MiB {
		return unit.MiB + 512
	}
	return 512
}
