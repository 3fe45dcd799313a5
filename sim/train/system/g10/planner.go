package g10

import (
	"cmp"
	"slices"

	"spillway/sim/train/machine"
	"spillway/sim/train/program"
	"spillway/sim/train/published"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// A planner holds the estimates and the plan so far. Times are double
// precision microseconds and rates bytes per microsecond, because the published
// scheduler's decisions depend on their rounding. Kernel numbers may run on
// into the next iteration: kernel n+k is kernel k one iteration later.
type planner struct {
	w      *workload.Workload
	quirks quirk.Set
	arena  bool // plan for the published arena run of G10-GDS and G10-Host
	life   *vitality.Analysis
	n      int       // kernels
	clock  []float64 // start of kernel 0 to 2n: two iterations

	capacity, target int64 // bytes of GPU memory, and what the plan aims at
	hostCapacity     int64
	both             bool                     // a move is weighed by both destinations
	score            func(*Candidate) float64 // of somebody's own; nil: the benefit is the sum
	ssdOut, ssdIn    rate
	hostLink         rate
	gpuLink          float64 // bytes a µs
	margin           float64 // share added to transfer times
	allocRate        float64 // µs a byte

	memory   []int64 // estimated bytes in GPU memory during each kernel
	excess   int     // how many kernels are over the target
	hill     int     // first kernel with most memory after allocation is planned
	host     []int64 // planned bytes in host memory
	hostPeak int64
	out, in  path

	periods []period
	order   []published.Key // of periods, by benefit; kept from round to round
	weight  []float64       // of periods: length times size
	was     []published.Key // order before it was last sorted; reused
	again   []int32         // what sorting does while benefits stay the same, if known
	moot    bool            // the last candidate's benefit became moot
	shut    bool            // the last candidate cannot go where it was to go
	ahead   []span          // whose memory may be mapped ahead
	moved   []*period       // periods with a planned move and a prefetch to place
	relief  relief
	open    []int32   // periods that may help, by size and kernels
	stale   []*period // whose benefit is out of date; reused
	first   []*period // of stale ones with the same sum; reused
	rounds  int
	ops     []program.Op
}

// A rate is what one transfer costs.
type rate struct {
	latency   float64 // µs
	bandwidth float64 // bytes a µs
}

// time returns how long n bytes take.
func (r rate) time(n int64) float64 { return r.latency + float64(n)/r.bandwidth }

// A period is an idle period and what is known about moving its tensor away.
type period struct {
	start, end int32 // end runs on past n when the period wraps
	wraps      bool
	state      state
	tensor     workload.TensorID
	size       int64
	length     float64 // µs
	clear      int32   // the kernel during which the tensor would have left to an idle SSD
	// While being examined: the kernel during which the tensor would have left,
	// and the kernel at which it must start to return. Once moved: the same for
	// the chosen destination, and in the end the kernel at which it is prefetched.
	gone, back int32
	sum        float64 // bytes times µs over capacity that would be relieved
	benefit    float64 // by which periods are ordered: the sum, or the score that it gets
	// With planner.both: where it would go, and what is known of the SSD and the host.
	to   machine.Tier
	ways [machine.GPU]way
}

// A way is when a tensor would be away by one destination.
type way struct {
	gone, back int32 // as in period; -1: not known yet
	shut       bool  // there is no such way, and never will be
}

// A state is how far the planner is with a period. It only ever grows.
type state uint8

const (
	open    state = iota // moving the tensor may help
	spent                // moving it would relieve no kernel
	settled              // examined: it stays
	moved                // examined: it moves
)

// newPlanner sets up the estimates before anything is planned. wait, if not nil,
// is by how many µs each kernel will be late.
func newPlanner(v variant, w *workload.Workload, m *machine.Machine, o *system.Options, wait []float64) *planner {
	n := len(w.Kernels)
	q := o.Quirks
	s := &planner{
		w: w, quirks: q, n: n,
		score:     v.score,
		arena:     v.direct && q.Has(quirk.ArenaForGDS),
		life:      vitality.Analyze(w),
		capacity:  int64(m.GPUMemory),
		target:    target(v, w, m, q),
		margin:    float64(Safety.Of(o)) / 1000,
		allocRate: float64(m.AllocRate) / 1e9,
		memory:    make([]int64, n),
		host:      make([]int64, n),
	}
	if v.host {
		s.hostCapacity = int64(m.HostMemory)
	}
	s.both = s.hostCapacity > 0 && !q.Has(quirk.SSDBenefit)
	s.setRates(m)
	s.setClock(m.Clock, wait)
	s.out = newPath(s.clock[:n+1], s.ssdOut.bandwidth, s.hostLink.bandwidth, s.gpuLink, q.Has(quirk.WeightsIgnoreLanes))
	s.in = newPath(s.clock[:n+1], s.ssdIn.bandwidth, s.hostLink.bandwidth, s.gpuLink, q.Has(quirk.WeightsIgnoreLanes))
	s.setPeriods()
	return s
}

// target returns how many bytes the plan may leave on the GPU: 99 % of its
// memory, times the published scheduler's constants for single workloads.
func target(v variant, w *workload.Workload, m *machine.Machine, q quirk.Set) int64 {
	t := int64(float64(0.99 * float64(m.GPUMemory)))
	if !q.Has(quirk.HandTuned) {
		return t
	}
	g, ssd := w.Graph, float64(m.SSDRead)/1e9
	bert, vit := g.Transformer && g.WeightIDs > 200, g.Transformer && g.WeightIDs < 200
	loosen := 1.0
	switch {
	case v.direct && v.host && vit:
		loosen = 1.269366
	case v.direct:
		loosen = 1.060606
	case bert && w.Batch == 512 && ssd < 6.3:
		loosen = 1.394
	case vit && w.Batch == 1280 && ssd > 6.3 && ssd < 6.5:
		loosen = 1.1
	}
	return int64(float64(loosen * float64(t)))
}

func (s *planner) setRates(m *machine.Machine) {
	perMicro := func(b unit.Bandwidth) float64 {
		gb := float64(b) / 1e9
		if s.quirks.Has(quirk.BinaryGigabytes) {
			return float64(gb*(1<<30)) / 1e6
		}
		return float64(gb*1e9) / 1e6
	}
	write := m.SSDWrite
	if s.quirks.Has(quirk.SymmetricSSD) {
		write = m.SSDRead
	}
	fault := float64(m.FaultLatency) / float64(unit.Microsecond)
	if !s.quirks.Has(quirk.LinkOvercommit) {
		fault += float64(m.TransferCost) / float64(unit.Microsecond)
	}
	ssd := float64(m.SSDLatency)/float64(unit.Microsecond) + fault
	s.ssdOut = rate{ssd, perMicro(write)}
	s.ssdIn = rate{ssd, perMicro(m.SSDRead)}
	s.hostLink = rate{fault, perMicro(m.HostLink)}
	if !s.quirks.Has(quirk.OneLink) {
		s.gpuLink = perMicro(m.GPULink)
	}
}

// setClock adds up kernel times, and waits if any, over two iterations.
func (s *planner) setClock(f unit.Frequency, wait []float64) {
	s.clock = make([]float64, 2*s.n+1)
	perMicro := float64(f) / 1e9 * 1000
	for i := range 2 * s.n {
		c := max(1, f.PublishedCycles(s.w.Kernels[i%s.n].Time))
		s.clock[i+1] = s.clock[i] + float64(c)/perMicro
		if wait != nil {
			s.clock[i+1] += wait[i%s.n]
		}
	}
}

// setPeriods copies the idle periods in tensor order and weighs them.
func (s *planner) setPeriods() {
	s.periods = make([]period, len(s.life.Periods))
	s.order = make([]published.Key, len(s.periods))
	s.weight = make([]float64, len(s.periods))
	for i, p := range s.life.Periods {
		c := &s.periods[i]
		*c = period{start: int32(p.Start), end: int32(p.End), wraps: p.Wraps, tensor: p.Tensor, gone: -1, back: -1}
		if p.Wraps {
			c.end += int32(s.n)
		}
		c.size = int64(s.w.Tensors[p.Tensor].Bytes.Aligned())
		c.length = s.clock[c.end] - s.clock[c.start]
		c.clear = s.at(s.clock[c.start]+s.ssdOut.time(c.size), c.start, c.end)
		s.weight[i] = float64(c.length * float64(c.size))
		c.ways[machine.SSD] = way{-1, -1, c.length <= s.safe(s.ssdOut, s.ssdIn, c.size)}
		c.ways[machine.Host] = way{-1, -1, c.length <= s.safe(s.hostLink, s.hostLink, c.size) || c.size > s.hostCapacity}
		s.order[i].Index = int32(i)
		s.open = append(s.open, int32(i))
	}
	slices.SortFunc(s.open, func(i, j int32) int {
		c, d := &s.periods[i], &s.periods[j]
		return cmp.Or(cmp.Compare(c.size, d.size), cmp.Compare(c.start, d.start), cmp.Compare(c.end, d.end))
	})
}

// kernel returns the kernel in its own iteration.
func (s *planner) kernel(j int32) workload.KernelID {
	if int(j) >= s.n {
		j -= int32(s.n)
	}
	return workload.KernelID(j)
}

// release takes size bytes off the memory estimate of kernels from to end-1.
func (s *planner) release(size int64, from, end int32) {
	for j := from; j < end; j++ {
		m := &s.memory[s.kernel(j)]
		if *m > s.target && *m-size <= s.target {
			s.excess--
		}
		if *m > s.capacity && *m-size <= s.capacity {
			s.relief.relieved(int(s.kernel(j)))
		}
		*m -= size
	}
}

// keep adds size bytes to the host estimate over the period.
func (s *planner) keep(c *period) {
	for j := c.start; j < c.end; j++ {
		h := &s.host[s.kernel(j)]
		*h += c.size
		s.hostPeak = max(s.hostPeak, *h)
	}
}

// hostFits reports whether host memory has room for c while it would be there,
// or with [quirk.HostPeak] at any time.
func (s *planner) hostFits(c *period) bool {
	room := s.hostCapacity - c.size
	if s.hostPeak <= room || s.quirks.Has(quirk.HostPeak) {
		return s.hostPeak <= room
	}
	for j := c.start; j < c.end; j++ {
		if s.host[s.kernel(j)] > room {
			return false
		}
	}
	return true
}

// fits reports whether memory is within the target during the whole period.
func (s *planner) fits(c *period) bool {
	for j := c.start; j < c.end; j++ {
		if s.memory[s.kernel(j)] > s.target {
			return false
		}
	}
	return true
}

// at returns the kernel j in [from, end) during which the clock shows t.
func (s *planner) at(t float64, from, end int32) int32 {
	i, exact := slices.BinarySearch(s.clock[from:end], t)
	if !exact {
		i--
	}
	return from + int32(max(i, 0))
}

// emit appends an operation to the plan.
func (s *planner) emit(at workload.KernelID, k program.Kind, t workload.TensorID, to machine.Tier) {
	s.ops = append(s.ops, program.Op{At: at, Kind: k, Tensor: t, To: to})
}
