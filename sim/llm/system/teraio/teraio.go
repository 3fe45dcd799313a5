// Package teraio plans where tensors are while they are not used: TERAIO-SSD and TERAIO-Mixed
// (TERAIO, NeurIPS 2025).
//
// # Source
//
// Cost-Efficient LLM Training with Lifetime-Aware Tensor Offloading via GPUDirect Storage, §3.2 and
// Algorithm 1 (arXiv 2506.06472).
//
// # Model
//
// Every GPU plans its own graph of kernels. An inactive period of a tensor (package vitality),
// also one of a global tensor that goes on in the next iteration, is a candidate. Drives have a
// channel each way that is free as long as kernels last. A candidate leaves in the first free time
// after its last use and comes back in the last free time before its next one; in between it
// is away. Its benefit is its size times the seconds in which memory is exceeded meanwhile, its cost
// the time of both transfers. The best benefit for its cost is taken, again and again, until
// no kernel is above the capacity or no candidate is left. With equal scores the larger tensor goes
// first, then the one with the smaller number, then the earlier period.
//
//   - Mixed: a period that drives have no time for may go to host memory, over a channel of its own,
//     if its limit holds; each GPU has an equal share of the limit.
//   - A GPU plans with the rates that links leave it when all GPUs move all the time (max-min).
//   - A kernel lasts as long as it does with all tensors on the GPUs, with what it then waits
//     for other GPUs.
//   - Tensors below Options.MinTensor stay, and Options.Target thousandths of the GPU's memory
//     are planned with: the rest is for what arrives while another leaves.
//
// Where the plan does not fit there are two schedules. "as published" keeps it: the engine evicts on
// demand what is too much (§3.2, "Minimize kernel stalls"). "stretched" (ours) plans for kernels that
// all take longer, by the smallest factor with which all fits, to 6 %; kernels then wait for
// transfers, and nothing is evicted on demand. In longer kernels drives have time for more, so Mixed
// uses host memory less.
//
// Fallback Better returns both and more of ours, of which the fastest counts:
//
//   - "half stretched": half of the way from one to the other, where the time has its smallest value for many. It gains
//     1 to 2 % on average over random setups that do not fit, up to 40 %.
//   - Of Mixed, whether it fits or not, "host memory first", which sends periods to host memory until it has no time
//     or room for them, and then to drives, for machines whose drives are slow beside it.
//   - Of Mixed all schedules of TERAIO-SSD ("drives only"), so that host memory never costs throughput. As published it
//     may: drives and host memory share a GPU's link, and without GPUDirect Storage the host's memory too, so that a
//     plan for both at once has slower drives; the optimizer's kernels are planned for both (departure 3). Of 564
//     random setups 93 are slower by more than 1 % with host memory than without in fallback Demand, one 1.9 times.
//   - All schedules of the same node with fewer drives, down to none; where the plan fits those that are not stretched.
//     A greedy plan for faster drives may be worse than one for slower ones, which the faster ones keep to as well.
//
// More of other resources may make an iteration longer (see TestFaster of sim/llm for how much): what is evicted on
// demand is another set of tensors with another plan.
//
// # How it is fast
//
// While a plan grows free times and pressure only fall, so in one channel scores only fall:
// candidates are in a heap with the scores they had last, and only the first is scored again
// (lazy greedy). A test compares the moves with those of a scan over all candidates. Times left
// are Fenwick trees, full kernels are skipped by union-find, and a kernel that comes below the
// capacity leaves the pressure's tree for good. A plan takes candidates and moves × log kernels.
//
// # Departures
//
//  1. The benefit counts the whole size for as long as memory is exceeded, not the smaller of size
//     and excess, as Figure 6(b) has it. The latter needs a look at every kernel; it changes
//     throughput by at most one point of a hundred (measured on three of the settings of Figure 7).
//  2. The paper does not say in which order its engine transfers. Here, of all prefetches that may
//     begin in a channel's busy time, the one that is used first begins first (earliest deadline).
//     It is in time whenever the plan is. In the order of the plan's times a long transfer holds up
//     a short one: with 8 GB/s to host memory TERAIO-Mixed then has 92 % of ideal of Granite and
//     72 of Llama-3 70B, here 98 and 74 (means of the settings of Figure 7).
//  3. The optimizer has next to no kernel time, so no plan could move what it uses. Before planning
//     its kernels are stretched to the time in which the share of their states that cannot stay on the
//     GPU comes and goes.
//  4. In Mixed a period is tried on the drives until it is found infeasible there when its turn
//     comes by its last known score; from then on it is a candidate for host memory, and its
//     score may be higher.
//     Drives take the longest periods, whose scores are best, and host memory what is left: it holds
//     less than 100 GB of Llama-3 70B, where the paper's throughput grows up to 1 TB of it (Figure 9). Three other
//     readings of "when the SSD bandwidth is saturated" were tried with the published settings: the tier with the
//     better score; host memory where waiting for drives takes half of the benefit; host memory where drives are busy
//     for two transfers' time. Llama-3 70B has 61.5, 61.6 and 61.4 % of ideal (here 61.3), Granite 89.3, 91.4
//     and 87.2 (88.8; nearly 100 is published), 2 drives and 512 GB for each GPU have 80, 80 and 82 % of the throughput of
//     4 and 1 TB (78; 73 is published). Only the last holds more, 410 to 510 GiB of 70B, and does not gain by it: none
//     is closer to the paper in all, so the text's order stays.
//  5. A prefetch begins as late as the plan says; nothing is pulled in to use time that is free.
//  6. Wait for other GPUs is known from a walk through the job without transfers; kernels that
//     wait for tensors on another GPU shift it.
//  7. Weights that leave unchanged are written again (Options.Rewrite): the paper does not say. Without
//     it the engine skips those writes; the plan still counts them.
//  8. What is evicted on demand leaves for the tier where a byte goes and comes back sooner; the paper does not say.
//     It is the drives on its machine. Where host memory is faster Mixed gains 6 % as published, on average over
//     random setups, against drives always.
package teraio

import (
	"fmt"
	"slices"

	"spillway/sim/llm/job"
	"spillway/sim/llm/offload"
	"spillway/sim/llm/system"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// SSD is TERAIO-SSD, Mixed is TERAIO-Mixed.
var (
	SSD = system.System{
		Name: "teraio-ssd", Title: "TERAIO-SSD", Family: "TERAIO", Look: 1, Paper: "TERAIO, NeurIPS 2025, §3",
		About: "Tensors leave for drives and come back by a plan made before training.",
		Cut:   system.Pipeline, Plan: plan(false), Drives: true, Planning: 30,
		Offloads: func(*machine.Node, *system.Options) unit.Bytes { return 0 },
	}
	Mixed = system.System{
		Name: "teraio-mixed", Title: "TERAIO-Mixed", Family: "TERAIO", Look: 2, Main: true, Paper: "TERAIO, NeurIPS 2025, §3",
		About: "As TERAIO-SSD; host memory takes what drives are too slow for.",
		Cut:   system.Pipeline, Plan: plan(true), Drives: true, Host: true, Planning: 55,
		Offloads: func(n *machine.Node, o *system.Options) unit.Bytes { return max(0, min(o.HostLimit, n.HostFree())) },
	}
)

// Names of the schedules.
const (
	AsPublished   = "as published"
	HalfStretched = "half stretched"
	Stretched     = "stretched"
	HostFirst     = "host memory first"
	// OnDrives is behind the name of a schedule of TERAIO-Mixed without host memory.
	OnDrives = ", drives only"
	// Fewer is behind the name of a schedule for a node with fewer drives, and says with how many.
	Fewer = ", as for %s a GPU"
)

func plan(mixed bool) func(*job.Job, *machine.Node, *system.Options, report.Progress) ([]*offload.Schedule, error) {
	return func(j *job.Job, n *machine.Node, o *system.Options, progress report.Progress) ([]*offload.Schedule, error) {
		return planBy(mixed, nil, j, n, o, progress)
	}
}

// planBy plans with a choice, which may be nil.
func planBy(mixed bool, c *Choice, j *job.Job, n *machine.Node, o *system.Options, progress report.Progress) ([]*offload.Schedule, error) {
	a, err := prepare(j, n, o, mixed, progress)
	if err != nil {
		return nil, err
	}
	for _, p := range a.parts {
		p.choice = c
	}
	list := a.schedules(o.Fallback)
	if o.Fallback == system.Better {
		fits := a.fits
		list = append(list, a.alone()...) // drives alone may be too small
		a.quick = fits
		list = append(list, a.fewer(mixed)...)
	}
	return list, nil
}

// A planning plans all parts of a job. GPUs that do the same at the same times over links of the same rates
// have one plan: such are those that share a matrix or a batch.
type planning struct {
	j        *job.Job
	n        *machine.Node // whose links and drives plans are made for
	o        *system.Options
	parts    []*planner
	first    []int     // of parts, the GPU that each was made of
	of       []int     // of GPUs, their part
	kernels  [][]int64 // of parts: how long kernels last, with waits
	axes     [][]int64 // and with the optimizer's transfers
	most     int64     // stretch, in thousandths
	fits     bool      // without stretch, as was planned last
	quick    bool      // nothing is stretched
	progress report.Progress
	steps    int64 // plans of parts so far
}

// prepare looks at all parts; the error says why the system cannot run them.
func prepare(j *job.Job, n *machine.Node, o *system.Options, mixed bool, progress report.Progress) (*planning, error) {
	a := &planning{j: j, n: n, o: o, progress: progress}
	times, err := timeline(j, n)
	if err != nil {
		return nil, err
	}
	alike, err := links(n)
	if err != nil {
		return nil, err
	}
	for i, w := range j.Parts {
		same := func(k int) bool {
			return j.Parts[k] == w && alike(k, i) && slices.Equal(j.Marks[k], j.Marks[i]) && slices.Equal(times[k], times[i])
		}
		if k := slices.IndexFunc(a.first, same); k >= 0 {
			a.of = append(a.of, k)
			continue
		}
		p := &planner{graph: newGraph(w, o.MinTensor)}
		if err := p.check(i, n.Usable()); err != nil {
			return nil, err
		}
		a.of = append(a.of, len(a.parts))
		a.parts, a.first, a.kernels = append(a.parts, p), append(a.first, i), append(a.kernels, times[i])
	}
	return a, a.equip(mixed)
}

// links returns whether two GPUs plan with the same rates, whatever else is used.
func links(n *machine.Node) (alike func(a, b int) bool, err error) {
	var all [3][]share
	for i, x := range [3]struct{ drives, host bool }{{true, true}, {true, false}, {false, true}} {
		if all[i], err = shares(n, x.drives, x.host); err != nil {
			return nil, err
		}
	}
	return func(a, b int) bool {
		return all[0][a] == all[0][b] && all[1][a] == all[1][b] && all[2][a] == all[2][b]
	}, nil
}

// equip says what parts plan with: drives, and in mixed host memory.
func (a *planning) equip(mixed bool) error {
	limit := max(min(a.o.HostLimit, a.n.HostFree()), 0) / unit.Bytes(len(a.of))
	mixed = mixed && limit > 0
	if !mixed && len(a.n.Arrays) == 0 {
		return &system.Refusal{Reason: "the node has no drives to move tensors to; add drives, or host memory for TERAIO-Mixed"}
	}
	of, err := shares(a.n, true, mixed)
	if err != nil {
		return err
	}
	a.axes = a.axes[:0]
	for i, p := range a.parts {
		s := &of[a.first[i]]
		if !s.ssd && !(s.host && mixed) {
			return &system.Refusal{Reason: fmt.Sprintf("GPU %d: its share of the links to drives and host memory is less than a byte a second; give the machine faster ones", a.first[i])}
		}
		p.forget()
		p.budget = budget{
			capacity: unit.Bytes(unit.MulDiv(int64(a.n.Usable()), a.o.Target, 1000)), limit: limit,
			ssd: s.ssd, host: s.host && mixed,
			read: s.read, write: s.write, delay: a.n.Drive.Latency, hostIn: s.hostIn, hostOut: s.hostOut,
		}
		times := slices.Clone(a.kernels[i])
		p.optimizer(a.j.Marks[a.first[i]], times)
		a.axes = append(a.axes, times)
	}
	if err := a.room(); err != nil {
		return err
	}
	return a.long()
}

// alone returns the schedules of TERAIO-Mixed without host memory; none if a part has no drives, or they are
// too small for it.
func (a *planning) alone() (list []*offload.Schedule) {
	if !a.both() || a.equip(false) != nil {
		return nil // Mixed is not refused because of what drives alone cannot do
	}
	for _, s := range a.schedules(system.Better) {
		s.Name += OnDrives
		list = append(list, s)
	}
	return list
}

// fewer returns the schedules of the same node with fewer drives, so that one more does not cost what another plan
// may be worse. Where an array is as fast without some of its drives, those without are the same.
func (a *planning) fewer(mixed bool) (list []*offload.Schedule) {
	whole := a.n
	defer func() { a.n = whole }()
	rates := func(n *machine.Node) (read, write unit.Bandwidth) {
		if len(n.Arrays) == 0 {
			return 0, 0
		}
		return n.Links[n.Arrays[0].Read].Rate, n.Links[n.Arrays[0].Write].Rate
	}
	lastRead, lastWrite := rates(whole)
	for drives := whole.Drives - 1; drives >= 0; drives-- {
		c := whole.Config
		c.Drives = drives
		n, err := c.Build()
		if err != nil {
			return list
		}
		read, write := rates(n)
		if read == lastRead && write == lastWrite {
			continue
		}
		lastRead, lastWrite = read, write
		if a.n = n; a.equip(mixed) != nil {
			return list // too few for this model
		}
		for _, s := range append(a.schedules(system.Better), a.alone()...) {
			s.Name += fmt.Sprintf(Fewer, prose.Count(drives, "drive"))
			list = append(list, s)
		}
	}
	return list
}

// both reports whether all parts have drives and host memory.
func (a *planning) both() bool {
	for _, p := range a.parts {
		if !p.ssd || !p.host {
			return false
		}
	}
	return true
}

// check refuses kernels that no plan can run.
func (p *planner) check(gpu int, usable unit.Bytes) error {
	held, w := unit.Bytes(0), p.graph.w
	for t, is := range w.Held() {
		if is {
			held += w.Tensors[t].Bytes.Aligned()
		}
	}
	var set []workload.TensorID
	for k := range w.Kernels {
		need := held
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			need += w.Tensors[t].Bytes.Aligned()
		}
		if need > usable {
			return &system.Refusal{Reason: fmt.Sprintf("GPU %d: kernel %d (%s) uses %v of tensors at once; the GPU has %v for tensors", gpu, k, w.Kernels[k].Name, need, usable)}
		}
	}
	return nil
}

// room refuses what drives and host memory cannot hold.
func (a *planning) room() error {
	var limit unit.Bytes
	for g, p := range a.parts {
		if p.host {
			limit = p.limit
		}
		if need := p.graph.most() - a.n.Usable(); !p.ssd && need > p.limit {
			return &system.Refusal{Reason: fmt.Sprintf("GPU %d: host memory would have to hold %v of tensors; its share of what it may hold is %v", a.first[g], need, p.limit)}
		}
	}
	for i := range a.n.Arrays {
		array := &a.n.Arrays[i]
		var need unit.Bytes
		for _, g := range array.GPUs {
			if int(g) < len(a.of) {
				need += max(a.parts[a.of[g]].graph.most()-a.n.Usable()-limit, 0)
			}
		}
		if have := a.n.Drive.Size * unit.Bytes(array.Drives); need > have {
			return &system.Refusal{Reason: fmt.Sprintf("drives would have to hold %v of tensors; they have %v", need, have)}
		}
	}
	return nil
}

// The stretches that are tried, in thousandths, and how long an iteration may be planned: the
// sums of two fit into 63 bits.
const (
	unstretched = 1000
	stretchMost = 64_000
	longest     = 1 << 61
)

// long finds how far the longest part can be stretched.
func (a *planning) long() error {
	a.most = stretchMost
	for _, times := range a.axes {
		var sum int64
		for _, t := range times {
			if sum += t; sum > longest || t > longest {
				return &system.Refusal{Reason: fmt.Sprintf("an iteration takes more than %v, too long to be planned; take fewer sequences", unit.Time(longest))}
			}
		}
		a.most = min(a.most, unit.MulDiv(longest, unstretched, max(sum, 1)))
	}
	return nil
}

// optimizer gives the optimizer's kernels the time that their states take to come and to go
// (departure 3): of each tensor the share that cannot stay comes before its first kernel there
// and goes after its last.
func (p *planner) optimizer(marks []job.Mark, times []int64) {
	w := p.graph.w
	var live unit.Bytes
	for k := range marks {
		if marks[k].Phase == job.Optimize {
			live = max(live, p.graph.live[k])
		}
	}
	if live <= p.capacity {
		return
	}
	read, write := p.read, p.write
	if p.host {
		read, write = read+p.hostIn, write+p.hostOut
	}
	share := func(of unit.Bytes) unit.Bytes {
		return unit.Bytes(unit.MulDiv(int64(of), int64(live-p.capacity), int64(live)))
	}
	first, last := make([]int32, len(w.Tensors)), make([]int32, len(w.Tensors))
	var set []workload.TensorID
	for k := range marks {
		if marks[k].Phase == job.Optimize {
			set = w.WorkingSet(set[:0], workload.KernelID(k))
			for _, t := range set {
				if last[t] = int32(k); first[t] == 0 {
					first[t] = int32(k)
				}
			}
		}
	}
	for k := range marks {
		if marks[k].Phase != job.Optimize {
			continue
		}
		var coming, going unit.Bytes
		set = w.WorkingSet(set[:0], workload.KernelID(k))
		for _, t := range set {
			if first[t] == int32(k) {
				coming += w.Tensors[t].Bytes.Aligned()
			}
			if last[t] == int32(k) && w.Tensors[t].Global {
				going += w.Tensors[t].Bytes.Aligned()
			}
		}
		times[k] = max(times[k], int64(read.Time(share(coming))), int64(write.Time(share(going))))
	}
}

// try plans a part for kernels that take a factor longer, and reports whether it fits.
func (a *planning) try(part int, factor int64) bool {
	p, times := a.parts[part], a.axes[part]
	if p.factor == factor {
		return p.pressure.left == 0 // it was the last that was tried
	}
	if p.fit.factor == factor {
		p.latest, p.fit = p.fit, p.latest
		return p.pressure.left == 0 // what it is exchanged for need not fit
	}
	p.factor = factor
	if factor != unstretched {
		p.stretched = p.stretched[:0]
		for _, t := range times {
			p.stretched = append(p.stretched, unit.MulDiv(t, factor, unstretched))
		}
		times = p.stretched
	}
	p.progress = a.told()
	return p.plan(times)
}

// all plans all parts, and returns the one that is most above its capacity, -1 if all fit.
func (a *planning) all(factor int64) int {
	misfit, most := -1, unit.Bytes(0)
	for i, p := range a.parts {
		if a.try(i, factor) {
			continue
		}
		if above := p.pressure.excess(make([]unit.Bytes, len(p.times))); above > most {
			misfit, most = i, above
		}
	}
	return misfit
}

// told returns what a part tells while it is planned. Nobody knows how many plans there will be:
// each is worth a tenth of what is left.
func (a *planning) told() report.Progress {
	a.steps++
	if a.progress == nil {
		return nil
	}
	const whole = 1 << 20
	left := int64(whole)
	for range min((a.steps-1)/int64(len(a.parts)), 100) {
		left -= left / 10
	}
	part := left / 10 / int64(len(a.parts))
	from := whole - left + (a.steps-1)%int64(len(a.parts))*part
	return func(done, total int) {
		a.progress(int(from+unit.MulDiv(part, int64(done), int64(max(total, 1)))), whole)
	}
}

// smallest returns the smallest stretch with which a part fits that does not fit with low, to 6 %,
// and reports whether there is one, whose plan is kept.
func (a *planning) smallest(part int, low int64) (int64, bool) {
	p := a.parts[part]
	high := min(low*5/4, a.most)
	for ; !a.try(part, high); high = min(high*3/2, a.most) {
		if low = high; high >= a.most {
			return high, false
		}
	}
	p.latest, p.fit = p.fit, p.latest
	for high-low > low/16 {
		if mid := (low + high) / 2; a.try(part, mid) {
			high = mid
			p.latest, p.fit = p.fit, p.latest
		} else {
			low = mid
		}
	}
	return high, true
}

// schedules are the plan, and what is to be done where it does not fit, as they were made before or anew.
func (a *planning) schedules(f system.Fallback) []*offload.Schedule {
	if a.o.Plans == nil || a.parts[0].choice != nil { // plans of a choice are its own
		return a.made(f)
	}
	mixed := slices.ContainsFunc(a.parts, func(p *planner) bool { return p.host })
	x := system.OccasionOf(a.j, &a.n.Config, a.o, mixed, a.quick)
	list, fits, ok := a.o.Plans.Find(&x)
	if ok {
		a.fits = fits
		return list
	}
	list = a.made(f)
	a.o.Plans.Keep(&x, list, a.fits)
	return list
}

// made makes schedules.
func (a *planning) made(f system.Fallback) []*offload.Schedule {
	misfit := a.all(unstretched)
	a.fits = misfit < 0
	if misfit < 0 && f != system.Better || f == system.Demand {
		return []*offload.Schedule{a.schedule(AsPublished)}
	}
	var list []*offload.Schedule
	if f == system.Better {
		list = append(list, a.schedule(AsPublished))
		list = append(list, a.hostFirst()...)
	}
	if misfit < 0 || a.quick {
		return list
	}
	// All GPUs wait for the slowest, so all have its factor.
	factor, fits := int64(unstretched), true
	for misfit >= 0 && fits {
		factor, fits = a.smallest(misfit, factor)
		misfit = a.all(factor)
	}
	if !fits && f == system.Better {
		return list
	}
	stretched := func(name string, by int64) {
		s := a.schedule(name)
		s.Notes = append(s.Notes, fmt.Sprintf("planned as if kernels took %d.%02d times as long", by/unstretched, by%unstretched/10))
		list = append(list, s)
	}
	stretched(Stretched, factor)
	if f == system.Better {
		half := (unstretched + factor) / 2
		a.all(half)
		stretched(HalfStretched, half)
	}
	return list
}

// hostFirst is a plan that fills host memory before it uses drives, for kernels as long as they are. It
// plans with the rate that host memory has when drives do nothing. There is none if there is only one of both, or if
// host memory takes more than three times as long as drives: then it gains next to nothing (0.02 % over random setups).
func (a *planning) hostFirst() []*offload.Schedule {
	alone, err := shares(a.n, false, true)
	if err != nil {
		return nil
	}
	for _, p := range a.parts {
		if !p.ssd || !p.host || p.slower() > 3000 {
			return nil
		}
	}
	was := make([]budget, len(a.parts))
	for i, p := range a.parts {
		was[i] = p.budget
		p.forget()
		p.hostFirst, p.hostIn, p.hostOut = true, alone[a.first[i]].hostIn, alone[a.first[i]].hostOut
	}
	a.all(unstretched)
	s := a.schedule(HostFirst)
	for i, p := range a.parts {
		p.forget()
		p.budget = was[i]
	}
	return []*offload.Schedule{s}
}

// schedule is what was planned last.
func (a *planning) schedule(name string) *offload.Schedule {
	s := &offload.Schedule{Name: name, Rewrite: a.o.Rewrite}
	programs := make([]*offload.Program, len(a.parts))
	for i, p := range a.parts {
		programs[i] = p.program(a.n.Usable())
		s.Unmet = max(s.Unmet, p.pressure.excess(make([]unit.Bytes, len(p.times))))
	}
	for _, i := range a.of {
		s.Programs = append(s.Programs, programs[i])
		if p := a.parts[i]; p.host {
			s.HostLimit += p.limit
		}
	}
	return s
}
