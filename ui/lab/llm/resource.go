package llm

import (
	"slices"

	"spillway/sim/llm/offload"
	"spillway/sim/timeline"
	"spillway/sim/workload"
)

// What waits of GPUs are for, by the place of the cause in why, counted from 1.
const (
	forDrives = 1 + iota
	forHost
	forPeers
	forOptimizer
	resources = forOptimizer + 1
)

// A finder says what waits of GPUs are for: a bubble for what the GPU that has to send first waits
// for meanwhile, where that is most of what it does.
type finder struct {
	*chain
	from [][]int32 // by part and kernel: the part that sends to it, -1 for none
}

// finder makes what says it.
func (c *chain) finder() func(track, slice int) uint8 {
	f := &finder{chain: c}
	for part := range c.gpus {
		list := make([]int32, len(c.Job.Parts[part].Kernels)+1)
		for i := range list {
			list[i] = -1
		}
		f.from = append(f.from, list)
	}
	for i := range c.Job.Sends {
		s := &c.Job.Sends[i]
		f.from[s.To.Part][s.To.Kernel] = int32(s.From.Part)
	}
	return f.resource
}

// resource is what a slice of a State track is for.
func (f *finder) resource(track, slice int) uint8 {
	gpu := slices.IndexFunc(f.gpus, func(g gpuTracks) bool { return g.state == track })
	x := &f.t.Tracks[track]
	kernel := workload.KernelID(x.Step[slice] - f.gpus[gpu].kernel)
	return f.of(gpu, kernel, offload.Cause(x.Cat[slice]), x.Begin[slice], x.End[slice], len(f.gpus))
}

// of is what a part of a GPU's time is for. Bubbles are followed over so many GPUs.
func (f *finder) of(gpu int, kernel workload.KernelID, cause offload.Cause, from, to int64, far int) uint8 {
	switch cause {
	case offload.Fetch:
		return f.way(gpu, kernel, true, from, to)
	case offload.Space:
		return f.way(gpu, kernel, false, from, to)
	case offload.Communicate:
		return forPeers
	case offload.Optimizer:
		return f.optimizer(from, to)
	case offload.Bubble:
		if far > 0 {
			return f.bubble(gpu, kernel, from, to, far-1)
		}
	}
	return 0
}

// way is the drives or the host, whichever moves longest what a GPU waits for.
func (f *finder) way(gpu int, kernel workload.KernelID, in bool, from, to int64) uint8 {
	g, w := &f.gpus[gpu], f.Job.Parts[gpu]
	needs := func(x *timeline.Track, i int) bool {
		if !in || int(kernel) >= len(w.Kernels) || x.Ref[i] < 0 {
			return true
		}
		id := workload.TensorID(x.Ref[i] - g.tensor)
		return slices.Contains(w.Kernels[kernel].Inputs, id) || slices.Contains(w.Kernels[kernel].Outputs, id)
	}
	track, _ := f.longest(f.queued(gpu, in), from, to, needs)
	if track < 0 {
		track, _ = f.longest(f.queued(gpu, in), from, to, func(*timeline.Track, int) bool { return true })
	}
	switch {
	case track < 0:
		return 0
	case track == g.queues[offload.SSDRead] || track == g.queues[offload.SSDWrite]:
		return forDrives
	}
	return forHost
}

// optimizer is the processors where they work most of the time, else what brings them something.
func (f *finder) optimizer(from, to int64) uint8 {
	busy := int64(0)
	if f.processors >= 0 {
		f.t.Tracks[f.processors].During(from, to, func(_ int, ticks int64) bool {
			busy += ticks
			return true
		})
	}
	if 2*busy >= to-from {
		return forOptimizer
	}
	for gpu := range f.gpus {
		if r := f.way(gpu, 0, false, from, to); r != 0 {
			return r
		}
	}
	return forOptimizer
}

// bubble is what the GPU that has to send first waits for longest meanwhile, if it computes no
// longer.
func (f *finder) bubble(gpu int, kernel workload.KernelID, from, to int64, far int) uint8 {
	who := int32(-1)
	if int(kernel) < len(f.from[gpu]) {
		who = f.from[gpu][kernel]
	}
	if who < 0 || int(who) == gpu {
		return 0
	}
	g := &f.gpus[who]
	x := &f.t.Tracks[g.state]
	var sums [resources]int64
	x.During(from, to, func(i int, ticks int64) bool {
		begin, end := max(from, x.Begin[i]), min(to, x.End[i])
		sums[f.of(int(who), workload.KernelID(x.Step[i]-g.kernel), offload.Cause(x.Cat[i]), begin, end, far)] += ticks
		return true
	})
	waits := int64(0)
	for _, ticks := range sums[1:] {
		waits += ticks
	}
	if waits < sums[0] {
		return 0
	}
	return timeline.Largest(sums[:])
}
