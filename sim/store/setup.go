package store

import (
	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A Setup is a GPU with its host, and what the store's doings cost on it. It
// is copied freely. [Published] has the report's values.
type Setup struct {
	// GPU and Host are the sizes of the two memories. Evicted tensors live in
	// Host.
	GPU, Host unit.Bytes
	// Link is the rate between them, each direction.
	Link unit.Bandwidth

	// Alloc is how long allocating a megabyte (10⁶ bytes) takes.
	Alloc unit.Time
	// Free is how long a call that frees takes.
	Free unit.Time
	// Start is what a client's first call takes in addition.
	Start unit.Time
	// IPC is how long a call takes that moves nothing: get of a tensor in GPU
	// memory, and put.
	IPC unit.Time
	// EvictFixed and EvictCopy are the time of an eviction: the callback to the
	// owner, and the copy of each megabyte (10⁶ bytes).
	EvictFixed, EvictCopy unit.Time
	// Pause is the time between an eviction and the allocation it was for.
	Pause unit.Time
	// Client is the GPU memory each client takes for its page tables.
	Client unit.Bytes

	// Parallel (0 or 1) lets callback and copy of an eviction go on at the same
	// time. As published, one follows the other.
	Parallel int64
	// Prefetch (0 or 1) brings tensors back after every free.
	Prefetch int64
	// Yields (0 or 1) lets what prefetch brings back yield to all else, as departure 11 says. As
	// published it does not.
	Yields int64
	// Headroom is what prefetch leaves free.
	Headroom unit.Bytes
	// Shared (0 or 1) lets the clients' computing share the GPU in equal parts;
	// else each computes as if alone.
	Shared int64
}

// Published returns the machine and costs of the report (§5), and where it has
// none, those that the knobs' sources name.
func Published() Setup {
	return Setup{
		GPU: 16 * unit.GiB, Host: 128 * unit.GiB, Link: 12 * unit.GBps,
		Alloc: 33_200 * unit.Nanosecond, Free: 6500 * unit.Microsecond, Start: 4 * unit.Millisecond, IPC: 10 * unit.Microsecond,
		EvictFixed: 3_712_500 * unit.Nanosecond, EvictCopy: 140_800 * unit.Nanosecond, Client: 300 * unit.MB,
		Prefetch: 1, Shared: 1,
	}
}

// Native returns the same machine without the store: what its own allocator
// costs. Nothing is evicted or intercepted there, so it can only run what fits.
func Native() Setup {
	s := Published()
	s.Free, s.Start, s.IPC, s.Client = 4*unit.Millisecond, 2500*unit.Microsecond, 0, 0
	return s
}

// Groups of knobs.
const (
	groupMachine = "Machine"
	groupCosts   = "Store costs"
	groupOptions = "Store options"
)

// Knobs returns the list of every parameter of a Setup.
func Knobs() []knob.Knob[Setup] {
	var ks []knob.Knob[Setup]
	size := func(ref func(*Setup) *unit.Bytes, k knob.Info) {
		ks = append(ks, knob.Int(k, ref))
	}
	span := func(ref func(*Setup) *unit.Time, scale unit.Time, k knob.Info) {
		k.Group, k.Scale = groupCosts, int64(scale)
		ks = append(ks, knob.Int(k, ref))
	}
	toggle := func(ref func(*Setup) *int64, k knob.Info) {
		k.Group, k.Scale, k.Max = groupOptions, 1, 1
		ks = append(ks, knob.Int(k, ref))
	}
	const report = "Ravenstore report, "
	size(func(s *Setup) *unit.Bytes { return &s.GPU }, knob.Info{
		Key: "gpu_memory", Label: "GPU memory", Group: groupMachine, Unit: "GiB", Scale: int64(unit.GiB), Min: int64(unit.MiB), Max: int64(unit.GiB) << 10,
		Help:   "Memory of the GPU, from which every client's page tables come first.",
		Source: "V100 with 16 GB; " + report + "§5.1, says V100 only",
	})
	size(func(s *Setup) *unit.Bytes { return &s.Host }, knob.Info{
		Key: "host_memory", Label: "Host memory", Group: groupMachine, Unit: "GiB", Scale: int64(unit.GiB), Max: int64(unit.GiB) << 13,
		Help: "Memory of the host for evicted tensors.", Source: "assumed; the report does not say",
	})
	ks = append(ks, knob.Int(knob.Info{
		Key: "link", Label: "Host link", Group: groupMachine, Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(100 * unit.MBps), Max: int64(1000 * unit.GBps),
		Help:   "Rate between GPU and host, each direction: tensors come back at it, and no eviction is faster.",
		Source: "assumed: what copies of pinned memory reach on the V100's PCIe 3.0 x16; the report measures evictions only",
	}, func(s *Setup) *unit.Bandwidth { return &s.Link }))
	span(func(s *Setup) *unit.Time { return &s.Alloc }, unit.Microsecond, knob.Info{
		Key: "alloc", Label: "Allocation", Unit: "µs/MB", Max: int64(unit.Millisecond),
		Help: "Time to allocate a megabyte (10⁶ bytes).", Source: report + "Table 2, without eviction: 0.52 and 1.0625 ms for 16 and 32 MB",
	})
	span(func(s *Setup) *unit.Time { return &s.Free }, unit.Millisecond, knob.Info{
		Key: "free", Label: "Free", Unit: "ms", Max: int64(unit.Second),
		Help:   "Time of a call that frees, which waits for the GPU: 6.5 ms through the store, 4 ms without it, 0 where memory is pooled.",
		Source: report + "Table 1: slope over pairs of 128 B, whose allocation costs next to nothing by Table 2",
	})
	span(func(s *Setup) *unit.Time { return &s.Start }, unit.Millisecond, knob.Info{
		Key: "start", Label: "First call", Unit: "ms", Max: int64(unit.Second),
		Help: "What a client's first call takes on top: 4 ms through the store, 2.5 ms without it.", Source: report + "Table 1: what the line through its values has at 0 pairs",
	})
	span(func(s *Setup) *unit.Time { return &s.IPC }, unit.Microsecond, knob.Info{
		Key: "ipc", Label: "Call without work", Unit: "µs", Max: int64(unit.Second),
		Help:   "Time of a put, and of a get that finds its tensor in GPU memory; the times of create and free include it.",
		Source: "assumed: two passes through shared memory; the report's create of 0.52 ms is a bound",
	})
	span(func(s *Setup) *unit.Time { return &s.EvictFixed }, unit.Millisecond, knob.Info{
		Key: "evict", Label: "Eviction callback", Unit: "ms", Max: int64(unit.Second),
		Help: "Fixed time of an eviction: its owner is called back to unmap the tensor.", Source: report + "Table 2, with less without eviction: constant of the line through two points",
	})
	span(func(s *Setup) *unit.Time { return &s.EvictCopy }, unit.Microsecond, knob.Info{
		Key: "evict_copy", Label: "Eviction copy", Unit: "µs/MB", Max: int64(10 * unit.Millisecond),
		Help: "Time to copy a megabyte (10⁶ bytes) of an evicted tensor, if the link is not slower.", Source: report + "Table 2, with less without eviction: slope of the line through two points, 7.1 GB/s",
	})
	span(func(s *Setup) *unit.Time { return &s.Pause }, unit.Millisecond, knob.Info{
		Key: "pause", Label: "Pause after eviction", Unit: "ms", Max: int64(unit.Second),
		Help:   "Time between an eviction and the allocation it was for. It outweighs everything else, so it is off by default.",
		Source: report + "§6.3.2: 100 ms around an error of unknown cause; 0 here",
	})
	size(func(s *Setup) *unit.Bytes { return &s.Client }, knob.Info{
		Key: "client_memory", Label: "Memory per client", Group: groupCosts, Unit: "MB", Scale: int64(unit.MB), Max: 1e5 * int64(unit.MB),
		Help: "GPU memory that each client's page tables take.", Source: report + "§6.3.1: approximately 300 MB",
	})
	toggle(func(s *Setup) *int64 { return &s.Parallel }, knob.Info{
		Key: "parallel_eviction", Label: "Parallel eviction",
		Help: "Whether an eviction's callback and copy run at the same time or one after the other.", Source: report + "§5.2: one after the other; parallel is future work",
	})
	toggle(func(s *Setup) *int64 { return &s.Prefetch }, knob.Info{Key: "prefetch", Label: "Prefetch", Help: "Whether tensors come back after every free, as many as fit, or only when they are asked for.", Source: report + "§4.3"})
	toggle(func(s *Setup) *int64 { return &s.Yields }, knob.Info{
		Key: "prefetch_yields", Label: "Prefetch yields",
		Help:   "Whether a tensor comes back early only if it is needed before what would be evicted for it, and is given up for nothing when room or the link is needed, since the host keeps its copy; or holds its room, so that others are evicted.",
		Source: "ours; " + report + "§4.3 has the other",
	})
	size(func(s *Setup) *unit.Bytes { return &s.Headroom }, knob.Info{
		Key: "headroom", Label: "Headroom", Group: groupOptions, Unit: "MiB", Scale: int64(unit.MiB), Max: int64(unit.GiB) << 10,
		Help: "GPU memory that prefetch leaves free for the next create.", Source: "0 as published; a reserve is ours",
	})
	toggle(func(s *Setup) *int64 { return &s.Shared }, knob.Info{
		Key: "shared_compute", Label: "Shared computing",
		Help: "Whether clients that compute at the same time get equal parts of the GPU, or each computes as if alone.", Source: "assumed: one GPU; the report has no end-to-end run",
	})
	return ks
}

// Validate reports every parameter that is out of range.
func (s Setup) Validate() error { return knob.CheckAll(Knobs(), &s) }

// capacity is what is left for tensors; it may be negative.
func (s *Setup) capacity(clients int) unit.Bytes { return s.GPU - unit.Bytes(clients)*s.Client }

// alloc is how long allocating n bytes takes, rounded up.
func (s *Setup) alloc(n unit.Bytes) unit.Time { return perMB(s.Alloc, n) }

// fetch is how long bringing n bytes back occupies the way in.
func (s *Setup) fetch(n unit.Bytes) unit.Time { return s.alloc(n) + s.Link.Time(n) }

// evict is how long evicting n bytes takes.
func (s *Setup) evict(n unit.Bytes) unit.Time {
	move := max(perMB(s.EvictCopy, n), s.Link.Time(n))
	if s.Parallel != 0 {
		return max(s.EvictFixed, move)
	}
	return s.EvictFixed + move
}

// perMB is n bytes' time where 10⁶ take t, rounded up.
func perMB(t unit.Time, n unit.Bytes) unit.Time {
	whole, rest := n/unit.MB, n%unit.MB
	return unit.Time(whole)*t + (unit.Time(rest)*t+unit.Time(unit.MB)-1)/unit.Time(unit.MB)
}
