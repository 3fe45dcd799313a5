package teraio

import (
	"math"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// A Choice stands in for what TERAIO chooses by. Each may be nil.
type Choice struct {
	// Score orders inactive periods instead of the benefit for its cost; one of 0 or less leaves the
	// tensor where it is. It must be a number. Periods are scored again only as they come
	// first, so a plan is greedy where no score rises while a plan grows.
	Score func(*Candidate) float64
	// Host reports whether a period goes to host memory rather than to drives, which then take what
	// host memory cannot. It is asked once a period and plan.
	Host func(*Candidate) bool
	// Rises counts scores that had risen when they were found again, to the same place.
	Rises int64
}

// A Candidate is what is known of an inactive period while a plan grows. Times are in picoseconds.
type Candidate struct {
	Workload *workload.Workload
	Tensor   workload.TensorID
	Size     unit.Bytes
	// Start to End-1 are its kernels; End runs on into the next iteration.
	Start, End int32
	Idle       int64 // of its kernels, as planned with
	// DriveTime and HostTime are how long it takes there and back alone, 0 where there is no such
	// channel. Limit is how much host memory the GPU's plan may take, Capacity the GPU's own.
	DriveTime, HostTime int64
	Limit, Capacity     unit.Bytes
	// Only of a score: where it would go, how long the ways out and back take, during which
	// kernels it would be away, and for how long memory is exceeded then.
	Tier       offload.Tier
	Out, Back  int64
	Gone, Come int
	Relief     int64
}

// Choosing is TERAIO-Mixed that chooses in another way. It is for one run.
func Choosing(c *Choice) system.System {
	s := Mixed
	s.Plan = func(j *job.Job, n *machine.Node, o *system.Options, progress report.Progress) ([]*offload.Schedule, error) {
		return planBy(true, c, j, n, o, progress)
	}
	return s
}

// candidateOf is what a choice is told of a candidate.
func (p *planner) candidateOf(c int32) *Candidate {
	x := &p.graph.candidates[c]
	p.told = Candidate{
		Workload: p.graph.w, Tensor: x.tensor, Size: x.size, Start: x.start, End: x.end,
		Idle:  p.before[x.end] - p.before[x.start],
		Limit: p.limit, Capacity: p.capacity,
	}
	if p.ssd {
		p.told.DriveTime = p.drives.write.takes(x.size) + p.drives.read.takes(x.size)
	}
	if p.host {
		p.told.HostTime = p.memory.write.takes(x.size) + p.memory.read.takes(x.size)
	}
	return &p.told
}

// score is a choice's for a candidate that would be away from kernel away to back, as integers that
// stand in the same order.
func (p *planner) score(c int32, away, back int) uint64 {
	x := p.candidateOf(c)
	x.Tier, x.Out, x.Back, x.Gone, x.Come, x.Relief = p.tier[c], p.out[c], p.in[c], away, back, p.pressure.seconds(away, back)
	if v := p.choice.Score(x); v > 0 {
		return math.Float64bits(v)
	}
	return 0
}

// choose prepares a choice for a plan: where periods go first.
func (p *planner) choose(times []int64) {
	n := len(times)
	p.before = append(p.before[:0], 0)
	for k := range 2 * n {
		p.before = append(p.before, p.before[k]+times[k%n])
	}
	p.hosts = p.hosts[:0]
	if p.choice.Host == nil || !p.ssd || !p.host {
		return
	}
	for c := range p.graph.candidates {
		p.hosts = append(p.hosts, p.choice.Host(p.candidateOf(int32(c))))
	}
}

// orderOf is [planner.order] of a candidate.
func (p *planner) orderOf(c int32) (first, second offload.Tier) {
	switch {
	case len(p.hosts) == 0:
		return p.order()
	case p.hosts[c]:
		return offload.Host, offload.SSD
	}
	return offload.SSD, offload.Host
}
