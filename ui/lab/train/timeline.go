package train

import (
	"strconv"

	"spillway/sim/timeline"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/workload"
)

// Groups of tracks in files, and tracks of links.
const (
	gpuGroup = 1 + iota
	ssdGroup
	hostGroup

	inTrack  = 1
	outTrack = 2
)

// Categories of time: kernels that run, then what they wait for by cause, then why something
// moves.
const (
	computes = uint8(iota)
	firstCause
	firstReason = firstCause + uint8(result.NumCauses)
	firstKind   = firstReason + uint8(engine.ForRoom) + 1 // of tensors
	others      = firstKind + uint8(workload.Input) + 1
)

// categories are the categories of training's timeline.
func categories() []timeline.Category {
	list := []timeline.Category{{Key: "compute", Label: "compute", Style: timeline.Working}}
	for c := range result.NumCauses {
		list = append(list, timeline.Category{Key: causeKey(c), Label: c.String(), Style: timeline.Waiting})
	}
	for why := engine.Planned; why <= engine.ForRoom; why++ {
		list = append(list, timeline.Category{Key: why.String(), Label: why.String(), Style: timeline.Moving})
	}
	for k := workload.Intermediate; k <= workload.Input; k++ {
		list = append(list, timeline.Category{Key: "tensor-" + k.String(), Label: k.String(), Style: timeline.Holding})
	}
	return append(list, timeline.Category{Key: "tensor-none", Label: "no tensor", Style: timeline.Holding})
}

// over is what happened in the reported iteration of a run that was recorded. What
// moves may end after it. Of a window there are its slices.
func (x *exporting) over(window timeline.Window) *timeline.Timeline {
	w, r := x.w, x.r
	end := r.Main().Time
	for i := range r.Kernels {
		end = max(end, r.Kernels[i].End)
	}
	for i := range x.Transfers {
		end = max(end, x.Transfers[i].End)
	}
	t := timeline.Record(timeline.Cycle(r.Clock), int64(end), categories()...)
	t.Look(window)
	for i := range w.Tensors {
		t.Object(tensorName(w, workload.TensorID(i)))
	}
	for i := range w.Kernels {
		t.Step(w.Kernels[i].Name)
	}
	t.Group("GPU", false)
	kernels, state := t.Track("Kernels", timeline.Work, "ideal_cycles"), t.Track("Computes and waits", timeline.State, "")
	gpu := t.Counter("GPU memory in use", "bytes", int64(x.machine.GPUMemory))
	var links [2][2]int
	t.Group("SSD", false)
	links[0] = [2]int{t.Track("SSD → GPU", timeline.Link, "bytes"), t.Track("GPU → SSD", timeline.Link, "bytes")}
	t.Group("Host memory", false)
	links[1] = [2]int{t.Track("Host → GPU", timeline.Link, "bytes"), t.Track("GPU → host", timeline.Link, "bytes")}
	host := t.Counter("Host memory in use", "bytes", int64(x.machine.HostMemory))
	stalls := x.Stalls
	for i := range r.Kernels {
		k := &r.Kernels[i]
		slice := timeline.Slice{Begin: int64(k.Start), End: int64(k.End), Ref: -1, Step: int32(i)}
		t.Reach("kernel", slice.Begin)
		whole := slice
		whole.Name, whole.Amount = t.Name(w.Kernels[i].Name), int64(k.Ideal)
		t.Slice(kernels, whole)
		for ; len(stalls) > 0 && stalls[0].Kernel == workload.KernelID(i); stalls = stalls[1:] {
			s := &stalls[0]
			wait := slice
			wait.Begin, wait.End, wait.Cat = int64(s.Start), int64(s.End), firstCause+uint8(s.Cause)
			if slice.End = wait.Begin; slice.Begin < slice.End {
				t.Slice(state, slice)
			}
			t.Slice(state, wait)
			slice.Begin = wait.End
		}
		if slice.End = int64(k.End); slice.Begin < slice.End {
			t.Slice(state, slice)
		}
		t.Count(gpu, slice.End, int64(k.GPU))
		t.Count(host, slice.End, int64(k.Host))
	}
	for i := range x.Transfers {
		m := &x.Transfers[i]
		link, way := 0, 0
		if m.From == machine.Host || m.To == machine.Host {
			link = 1
		}
		if m.From == machine.GPU {
			way = 1
		}
		t.Slice(links[link][way], timeline.Slice{
			Begin: int64(m.Start), End: int64(m.End), Name: t.Name(tensorName(w, m.Tensor)), Cat: firstReason + uint8(m.Reason),
			Ref: int32(m.Tensor), Step: -1, Amount: int64(m.Bytes),
		})
	}
	if len(x.Residents) > 0 {
		t.Group("Tensors on the GPU", false)
		x.lives(t, t.Lives("By kind", "bytes"))
	}
	return t.End()
}

// lives draws what every tensor has of GPU memory, as it is when kernels end, up to the end of the
// iteration. What is in use and no tensor's is held for the whole run, or by a transfer.
func (x *exporting) lives(t *timeline.Recorder, lives int) {
	kernels := x.r.Kernels
	end := int64(kernels[len(kernels)-1].End)
	open := make([]timeline.Slice, len(x.w.Tensors)+1)
	for i := range open {
		open[i] = timeline.Slice{Ref: -1, Cat: others}
		if i < len(x.w.Tensors) {
			open[i].Ref, open[i].Cat = int32(i), firstKind+uint8(x.w.Tensors[i].Kind)
		}
	}
	now := func(i int, at, bytes int64) {
		if s := &open[i]; s.Amount != bytes {
			s.End = at
			t.Live(lives, *s)
			s.Begin, s.Amount = at, bytes
		}
	}
	var sum int64
	rest := x.Residents
	for k := range kernels {
		for ; len(rest) > 0 && rest[0].At <= kernels[k].End; rest = rest[1:] {
			sum += int64(rest[0].Bytes) - open[rest[0].Tensor].Amount
			now(int(rest[0].Tensor), int64(rest[0].At), int64(rest[0].Bytes))
		}
		now(len(open)-1, int64(kernels[k].End), int64(kernels[k].GPU)-sum)
	}
	for i := range open {
		now(i, end, 0)
	}
}

// tensorName names a tensor, each by a name of its own.
func tensorName(w *workload.Workload, t workload.TensorID) string {
	if name := w.Tensors[t].Name; name != "" {
		return name
	}
	return w.Tensors[t].Kind.String() + " " + strconv.Itoa(int(t))
}
