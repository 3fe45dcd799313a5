// Package result holds what a run measured. It is the only thing charts see.
//
// Results travel as JSON between the worker, the page, the command and other
// programs. The names in the tags are stable. All numbers are integers; a name
// or its comment gives the unit, and cycles are ticks of clock_hz.
package result

import (
	"fmt"

	"spillway/sim/unit"
)

// A Cause names why a kernel took longer than its ideal time.
type Cause uint8

// The causes of stall. Every cycle of a kernel beyond its ideal time has
// exactly one.
const (
	FaultHandling Cause = iota // the host handles page faults
	HostRead                   // faulted data comes from host memory
	SSDRead                    // faulted data comes from the SSD
	LatePrefetch               // a prefetch was issued but has not arrived
	Allocation                 // fresh memory is being mapped
	Eviction                   // waiting for space: something must leave the GPU first
	Compression                // what overflows compressed memory comes from the buddy memory
	Recomputation              // kernels run again for results that were given up
	NumCauses
)

// String returns the cause in words.
func (c Cause) String() string {
	if c < NumCauses {
		return [...]string{"fault handling", "host read", "SSD read", "late prefetch", "allocation", "eviction", "compression", "recomputation"}[c]
	}
	return fmt.Sprintf("cause(%d)", uint8(c))
}

// A Ledger attributes stall cycles to causes, a member each.
type Ledger struct {
	FaultHandling unit.Cycles `json:"fault_handling"`
	HostRead      unit.Cycles `json:"host_read"`
	SSDRead       unit.Cycles `json:"ssd_read"`
	LatePrefetch  unit.Cycles `json:"late_prefetch"`
	Allocation    unit.Cycles `json:"allocation"`
	Eviction      unit.Cycles `json:"eviction"`
	// Compression is in systems with compressed memory only.
	Compression unit.Cycles `json:"compression,omitempty"`
	// Recomputation is in systems that give results up and compute them again.
	Recomputation unit.Cycles `json:"recomputation,omitempty"`
}

// At returns the member of a cause.
func (l *Ledger) At(c Cause) *unit.Cycles {
	switch c {
	case FaultHandling:
		return &l.FaultHandling
	case HostRead:
		return &l.HostRead
	case SSDRead:
		return &l.SSDRead
	case LatePrefetch:
		return &l.LatePrefetch
	case Allocation:
		return &l.Allocation
	case Eviction:
		return &l.Eviction
	case Compression:
		return &l.Compression
	case Recomputation:
		return &l.Recomputation
	}
	panic("result: a ledger has no " + c.String())
}

// Total returns the sum over all causes.
func (l *Ledger) Total() (n unit.Cycles) {
	for c := range NumCauses {
		n += *l.At(c)
	}
	return n
}

// Traffic counts bytes moved, seen from the GPU.
type Traffic struct {
	SSDIn   unit.Bytes `json:"ssd_in"`
	SSDOut  unit.Bytes `json:"ssd_out"`
	HostIn  unit.Bytes `json:"host_in"`
	HostOut unit.Bytes `json:"host_out"`
}

// Faults counts pages that were not ready when a kernel wanted to start.
type Faults struct {
	Moving      int64 `json:"moving"`      // already on their way
	Host        int64 `json:"host"`        // in host memory
	SSD         int64 `json:"ssd"`         // on the SSD
	Unallocated int64 `json:"unallocated"` // nowhere yet
}

// An Iteration is what one pass over the kernels measured.
type Iteration struct {
	// Time is from the end of the previous iteration to the end of this one.
	Time unit.Cycles `json:"time_cycles"`
	// Stall, Overlap and Compute split Time as the G10 paper's Figure 12 does:
	// waiting, kernels running while data moves, kernels running alone.
	// They add up to Time.
	Stall   unit.Cycles `json:"stall_cycles"`
	Overlap unit.Cycles `json:"overlap_cycles"`
	Compute unit.Cycles `json:"compute_cycles"`
	// Doubled is what the published simulator counts both as compute and as
	// stall: waits in which nothing moves (quirk overlap-faults).
	Doubled unit.Cycles `json:"doubled_cycles"`
	// Ledger splits Time minus ideal time by cause. Its total is exact.
	Ledger  Ledger  `json:"stall_by_cause_cycles"`
	Traffic Traffic `json:"traffic_bytes"`
	Faults  Faults  `json:"fault_pages"`
	// Paging is what only the block memory model counts; nil in the others.
	Paging *Paging `json:"paging,omitempty"`
	// Swapping is what only systems count that swap tensors while time passes; nil in
	// the others.
	Swapping *Swapping `json:"swapping,omitempty"`
}

// Paging is what one iteration did in the block memory model. A block is 2 MiB.
type Paging struct {
	Faults     int64 `json:"faults"`            // as the driver counts them: missing pages over pages per counted fault
	Missed     int64 `json:"missed_blocks"`     // needed and neither on the GPU nor queued
	Late       int64 `json:"late_blocks"`       // needed while queued or on their way
	Prefetched int64 `json:"prefetched_blocks"` // brought before they were needed
	Useless    int64 `json:"useless_blocks"`    // of these, left again unused
	Dropped    int64 `json:"dropped_blocks"`    // left without a copy, as nothing alive was in them
	// In and Out are all bytes moved; GarbageIn and GarbageOut those of pages whose value
	// is no live tensor's: freed memory, and memory not yet touched since.
	In         unit.Bytes `json:"in_bytes"`
	Out        unit.Bytes `json:"out_bytes"`
	GarbageIn  unit.Bytes `json:"garbage_in_bytes"`
	GarbageOut unit.Bytes `json:"garbage_out_bytes"`
	Tables     unit.Bytes `json:"table_bytes"`    // of correlation, at the end of the iteration
	Reserved   unit.Bytes `json:"reserved_bytes"` // by the allocator, at the end of the iteration
}

// Swapping is what one iteration did that swaps tensors while time passes.
type Swapping struct {
	Demand     int64      `json:"demand_fetches"`     // a kernel needed what was not on the GPU and had not been asked for
	Early      int64      `json:"early_fetches"`      // asked for before it was needed
	Late       int64      `json:"late_fetches"`       // of these, not there in time
	Forced     int64      `json:"forced_evictions"`   // because there was no room
	Ahead      int64      `json:"early_evictions"`    // before room was needed
	Recomputed int64      `json:"recomputed_kernels"` // run again
	Reserved   unit.Bytes `json:"reserved_bytes"`     // by the allocator, the most
	// Fragmented is the most that was free in the allocator while a request did not fit.
	Fragmented unit.Bytes `json:"fragmented_bytes"`
	// SSD is the most that had a copy on the SSD, or one in the making, when a kernel ended.
	SSD unit.Bytes `json:"ssd_bytes"`
}

// Published returns the split of Time as the artifact prints it. Its parts add
// up to Time plus Doubled.
func (it *Iteration) Published() (compute, overlap, stall unit.Cycles) {
	return it.Compute + it.Doubled, it.Overlap, it.Stall + it.Doubled
}

// A Kernel is one kernel of the reported iteration. Its names are short
// because there are thousands.
type Kernel struct {
	Start unit.Cycles `json:"start"` // cycles since the start of the iteration; when it could have begun
	End   unit.Cycles `json:"end"`   // cycles since the start of the iteration
	Ideal unit.Cycles `json:"ideal"` // cycles it takes with all data resident
	GPU   unit.Bytes  `json:"gpu"`   // bytes in use when it ended
	Host  unit.Bytes  `json:"host"`  // the same for host memory
}

// A Result is what a run measured.
type Result struct {
	System string `json:"system"` // stable name of the system
	Mode   string `json:"mode"`   // quirk set: "published", "corrected" or a list

	// Fits is false when the system cannot run the workload; Reason says why
	// and what would help, and everything below is empty.
	Fits   bool   `json:"fits"`
	Reason string `json:"reason"`

	Clock      unit.Frequency `json:"clock_hz"`     // the tick of all cycles here
	Ideal      unit.Cycles    `json:"ideal_cycles"` // sum of all kernels' execution times
	Iterations []Iteration    `json:"iterations"`
	Reported   int            `json:"reported"` // index of the iteration that figures show
	// Measured is how many iterations, the last ones, Time is the mean of, where they differ;
	// the reported one is then that nearest to it. 0: Time is that of the reported one.
	Measured int      `json:"measured,omitempty"`
	Kernels  []Kernel `json:"kernels"`
	// PlannedOps is how many migration instructions the planner issued.
	PlannedOps int      `json:"planned_ops"`
	Notes      []string `json:"notes"` // what the reader should know
	// SSD is what the simulated drive delivered; nil when the SSD is fixed rates.
	// Notes then say it in sentences, and Besides are the notes without these.
	SSD     *SSD     `json:"ssd,omitempty"`
	Besides []string `json:"notes_besides_ssd,omitempty"`
	// Policy is what the run says of the policy that somebody wrote; nil of other systems.
	Policy *Policy `json:"policy,omitempty"`
	// Compressed is what compression made of the workload; nil in systems without.
	Compressed *Compressed `json:"compressed,omitempty"`
	// Recomputing is, of the best possible, how long an iteration takes at least where values may
	// be computed again; 0 in all other results.
	Recomputing unit.Cycles `json:"recomputing_cycles,omitempty"`
}

// Compressed is a workload on compressed memory.
type Compressed struct {
	Contents string `json:"contents"` // what tensors are taken to hold: a key
	// Plain is the most that is alive at once uncompressed, Device what it takes of GPU
	// memory with Metadata, Buddy its places in the buddy memory.
	Plain    unit.Bytes `json:"uncompressed_bytes"`
	Device   unit.Bytes `json:"device_bytes"`
	Metadata unit.Bytes `json:"metadata_bytes"`
	Buddy    unit.Bytes `json:"buddy_bytes"`
	// Moved is what an iteration moves to and from the buddy memory.
	Moved unit.Bytes `json:"link_bytes"`
	// Live is what is alive during each kernel, compressed.
	Live []unit.Bytes `json:"-"`
}

// Remarks returns the notes without what SSD says.
func (r *Result) Remarks() []string {
	if r.SSD == nil {
		return r.Notes
	}
	return r.Besides
}

// An SSD is what a simulated drive delivered under a run, in its steady state,
// and how long it lasts when the run goes on without pause.
type SSD struct {
	Drive string `json:"drive"` // key of the drive
	Name  string `json:"name"`
	// Read and Write are the mean rates while it read and while it wrote, or would
	// have. Mixed: some of that was at the same time, which is slower.
	Read    unit.Bandwidth `json:"read_bytes_per_s"`
	Write   unit.Bandwidth `json:"write_bytes_per_s"`
	Mixed   bool           `json:"mixed"`
	Latency unit.Time      `json:"read_latency_ps"` // of one 4 KiB read
	// Amplification is bytes programmed per byte written, in thousandths.
	Amplification int64 `json:"write_amplification_thousandths"`
	// Written is what the reported iteration writes. When it is 0 the drive does
	// not age, and Life and Daily are 0.
	Written   unit.Bytes `json:"written_bytes"`
	Endurance unit.Bytes `json:"endurance_bytes"`                  // what the host may write
	Life      int64      `json:"life_thousandth_years"`            // until that is used up
	Daily     int64      `json:"drive_writes_per_day_thousandths"` // what the run amounts to
	Rated     int64      `json:"rated_drive_writes_per_day_thousandths"`
	Warranty  int64      `json:"warranty_years"` // what Rated is about
}

// Time returns the reported iteration's time, or the mean of those that are measured, or 0
// when the run does not fit.
func (r *Result) Time() unit.Cycles {
	switch {
	case !r.Fits:
		return 0
	case r.Measured > 0:
		return r.Mean().Time
	}
	return r.Iterations[r.Reported].Time
}

// Main returns the reported iteration. The result must fit.
func (r *Result) Main() *Iteration { return &r.Iterations[r.Reported] }
