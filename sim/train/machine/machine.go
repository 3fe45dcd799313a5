// Package machine describes the hardware a workload runs on: GPU, host memory,
// SSD and the links between them, as plain data.
package machine

import (
	"spillway/sim/knob"
	"spillway/sim/unit"
)

// A Tier is a place where a page or tensor can be.
type Tier uint8

// The tiers, nearest to the GPU last. Nowhere means not allocated.
const (
	Nowhere Tier = iota
	SSD
	Host
	GPU
)

// String returns the name used in programs and tables.
func (t Tier) String() string { return [...]string{"nowhere", "ssd", "host", "gpu"}[t] }

// A Machine is one GPU with host memory and an SSD (G10 paper, Figure 1 and
// Table 2). It is copied freely; presets are functions that return one.
type Machine struct {
	Name string

	// GPUMemory is what the GPU can hold.
	GPUMemory unit.Bytes
	// Clock is the tick of simulated time.
	Clock unit.Frequency
	// AllocRate is how fast the GPU driver maps fresh memory, in femtoseconds a byte.
	AllocRate int64
	// HostMemory is what of the host's memory may hold tensors.
	HostMemory unit.Bytes

	// GPULink is the link of the GPU, each direction; everything shares it.
	GPULink unit.Bandwidth
	// DuplexLoss is how much of its two rates the GPU's link loses while both directions
	// are busy, in thousandths; 0: they do not know of each other.
	DuplexLoss int64
	// TransferCost is what the driver needs for each transfer of a tensor, before its bytes
	// move; 0: a transfer costs its bytes alone.
	TransferCost unit.Time
	// HostLink is the path to host memory, each direction.
	HostLink unit.Bandwidth
	// SSDRead and SSDWrite are the sustained sequential rates of the SSD.
	SSDRead  unit.Bandwidth
	SSDWrite unit.Bandwidth

	// FaultLatency is how long the host takes to handle a batch of GPU page faults.
	FaultLatency unit.Time
	// SSDLatency is the latency of an SSD access as the planner and the fault model see it.
	SSDLatency unit.Time
	// FaultBatch is how many page faults share the driver's handling of a batch; its
	// true value is not known (Doubts).
	FaultBatch int64
	// BatchPages is how many pages one migration batch moves in a direction.
	BatchPages int64
}

const (
	table2   = "G10 paper, Table 2"
	g10conf  = "G10 artifact, src/configs"
	groupGPU = "GPU"
	groupMem = "Host memory"
	groupSSD = "SSD"
	groupLnk = "Links"
	groupUVM = "Unified memory"
)

// Knobs returns the list of every parameter of a Machine.
func Knobs() []knob.Knob[Machine] {
	var ks []knob.Knob[Machine]
	add := func(k knob.Knob[Machine]) { ks = append(ks, k) }
	add(knob.Int(knob.Info{
		Key: "gpu_memory", Config: "GPU_memory_size_GB", Label: "GPU memory", Group: groupGPU,
		Help: "Memory on the GPU that tensors may use.", Source: table2,
		Unit: "GiB", Scale: int64(unit.GiB), Min: int64(16 * unit.MiB), Max: int64(4096 * unit.GiB),
	}, func(m *Machine) *unit.Bytes { return &m.GPUMemory }))
	add(knob.Int(knob.Info{
		Key: "gpu_clock", Config: "GPU_frequency_GHz", Label: "GPU clock", Group: groupGPU,
		Help: "The tick of simulated time: kernel times are rounded down to whole ticks. A faster clock does not make kernels faster.", Source: g10conf,
		Unit: "GHz", Scale: int64(unit.GHz), Min: int64(100 * unit.MHz), Max: int64(10 * unit.GHz),
	}, func(m *Machine) *unit.Frequency { return &m.Clock }))
	add(knob.Int(knob.Info{
		Key: "alloc_rate", Config: "GPU_malloc_uspB", Label: "Allocation cost", Group: groupGPU,
		Help: "Time to map a byte of fresh GPU memory. It limits the allocations in a migration batch and sets how early the planner allocates.", Source: g10conf,
		Unit: "µs/B", Scale: 1e9, Min: 1, Max: 1e9,
	}, func(m *Machine) *int64 { return &m.AllocRate }))
	add(knob.Int(knob.Info{
		Key: "host_memory", Config: "CPU_memory_line_GB", Label: "Host memory", Group: groupMem,
		Help: "Host memory that may hold tensors; 0 leaves only the SSD.", Source: table2,
		Unit: "GiB", Scale: int64(unit.GiB), Min: 0, Max: int64(65536 * unit.GiB),
	}, func(m *Machine) *unit.Bytes { return &m.HostMemory }))
	add(knob.Int(knob.Info{
		Key: "gpu_link", Config: "GPU_PCIe_bandwidth_GBps", Label: "GPU link", Group: groupLnk,
		Help: "Bandwidth of the GPU's link, each direction, shared by host and SSD traffic.", Source: "PCIe 3.0 x16; " + g10conf,
		Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(10 * unit.MBps), Max: int64(10000 * unit.GBps),
	}, func(m *Machine) *unit.Bandwidth { return &m.GPULink }))
	add(knob.Int(knob.Info{
		Key: "duplex_loss", Label: "Lost both ways", Group: groupLnk,
		Help:   "How much of its two rates the GPU's link loses while both directions are busy; 0 if they do not disturb each other, as in systems of the G10 artifact as published.",
		Source: "nvbandwidth, copies both ways at once: 8 % over PCIe 3 and 5, 29 % over PCIe 4, 46 % over NVLink-C2C",
		Unit:   "%", Scale: 10, Min: 0, Max: 500,
	}, func(m *Machine) *int64 { return &m.DuplexLoss }))
	add(knob.Int(knob.Info{
		Key: "transfer_cost", Label: "Cost of a transfer", Group: groupLnk,
		Help:   "Time that the driver takes for each transfer of a tensor, while nothing else moves in its direction; small tensors pay it as large ones do. UM and DeepUM pay for each block of 2 MiB instead. The papers' machines have none, nor do systems of the G10 artifact as published.",
		Source: "our measurement: pinned copies of up to 64 KiB in a stream of an H100, less the time of their bytes, median of six (traces/measured/h100/copies.csv); one that is waited for takes 14 to 18 µs",
		Unit:   "µs", Scale: int64(unit.Microsecond), Min: 0, Max: int64(10 * unit.Millisecond),
	}, func(m *Machine) *unit.Time { return &m.TransferCost }))
	add(knob.Int(knob.Info{
		Key: "host_link", Config: "CPU_PCIe_bandwidth_GBps", Label: "Host link", Group: groupLnk,
		Help: "Bandwidth between host memory and the GPU, each direction; at most the GPU link.", Source: "PCIe 3.0 x16; " + g10conf,
		Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(10 * unit.MBps), Max: int64(10000 * unit.GBps),
	}, func(m *Machine) *unit.Bandwidth { return &m.HostLink }))
	add(knob.Int(knob.Info{
		Key: "ssd_read", Config: "SSD_PCIe_bandwidth_GBps", Label: "SSD read", Group: groupSSD, Ceiling: "host_link",
		Help: "Sustained sequential read rate. In as-published mode writes run at this rate too.", Source: table2,
		Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(10 * unit.MBps), Max: int64(10000 * unit.GBps),
	}, func(m *Machine) *unit.Bandwidth { return &m.SSDRead }))
	add(knob.Int(knob.Info{
		Key: "ssd_write", Label: "SSD write", Group: groupSSD, Ceiling: "host_link",
		Help: "Sustained sequential write rate. The published simulator has none and writes at the read rate.", Source: table2,
		Unit: "GB/s", Scale: int64(unit.GBps), Min: int64(10 * unit.MBps), Max: int64(10000 * unit.GBps),
	}, func(m *Machine) *unit.Bandwidth { return &m.SSDWrite }))
	add(knob.Int(knob.Info{
		Key: "ssd_latency", Config: "SSD_latency_us", Label: "SSD latency", Group: groupSSD,
		Help: "Access latency that the planner adds to moves from and to the SSD, and that page faults on its data pay.", Source: table2,
		Unit: "µs", Scale: int64(unit.Microsecond), Min: 0, Max: int64(unit.Second),
	}, func(m *Machine) *unit.Time { return &m.SSDLatency }))
	add(knob.Int(knob.Info{
		Key: "fault_latency", Config: "system_latency_us", Label: "Page fault latency", Group: groupUVM,
		Help: "Time the host needs to handle a batch of GPU page faults. The published simulator uses it in the planner but hardly at run time.", Source: table2,
		Unit: "µs", Scale: int64(unit.Microsecond), Min: 0, Max: int64(unit.Second),
	}, func(m *Machine) *unit.Time { return &m.FaultLatency }))
	add(knob.Int(knob.Info{
		Key: "fault_batch", Label: "Faults per batch", Group: groupUVM,
		Help:   "How many page faults share one page fault latency; not used in as-published mode. Nobody has published the true number: 9 to 256.",
		Source: "45 µs over 1.75 µs a fault, the median of DeepUM's Figure 9b and Table 5 less the pages' own transfers; the driver fetches up to 256 at a time, duplicates included",
		Unit:   "pages", Scale: 1, Min: 1, Max: 1 << 20,
	}, func(m *Machine) *int64 { return &m.FaultBatch }))
	add(knob.Int(knob.Info{
		Key: "batch_pages", Config: "PCIe_batch_size_page", Label: "Migration batch", Group: groupUVM,
		Help: "Pages that one migration batch moves each way: how finely links are shared.", Source: g10conf,
		Unit: "pages", Scale: 1, Min: 1, Max: 1 << 20,
	}, func(m *Machine) *int64 { return &m.BatchPages }))
	return ks
}

// Beside is the rate that one direction of the GPU's link has while the other wants a rate:
// what both share is halved, but what one of them leaves the other has.
func (m *Machine) Beside(other unit.Bandwidth) unit.Bandwidth {
	if other <= 0 || m.DuplexLoss == 0 {
		return m.GPULink
	}
	both := unit.Bandwidth(unit.MulDiv(2*int64(m.GPULink), 1000-m.DuplexLoss, 1000))
	return min(m.GPULink, max(both/2, both-other))
}

// Validate reports every parameter that is out of range and every relation
// between parameters that does not hold.
func (m Machine) Validate() error {
	if err := knob.CheckAll(Knobs(), &m); err != nil {
		return err
	}
	return m.relations()
}
