package offload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/llm/job"
	"spillway/sim/machine"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
)

// dice is a small generator (splitmix64).
type dice uint64

func (d *dice) n(n int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// seeds is how many random jobs are tried, fewer of them with -short.
func seeds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// checkState reports what is wrong in the state of a run.
func (r *run) checkState() error {
	var host, drives unit.Bytes
	for i := range r.gpus {
		g := &r.gpus[i]
		var used, leave, onHost, onDrives unit.Bytes
		copies := 0
		for t := range g.tensors {
			x := &g.tensors[t]
			if !x.counts {
				continue
			}
			here := x.place == resident || x.place == leaving || x.place == coming && x.begun
			if here {
				used += x.size
			}
			if x.place == leaving {
				leave += x.size
			}
			if x.copied && (x.place == resident || x.place == leaving) {
				copies++
			}
			away := x.place == away || x.place == coming || x.place == leaving
			if away && x.tier == Host {
				onHost += x.size
			}
			if away && x.tier == SSD || x.copied {
				onDrives += x.size
			}
			if g.program != nil && x.place == resident && len(x.uses) > 0 && g.mode == waiting && int(x.key) != int(x.uses[x.at]) {
				return fmt.Errorf("GPU %d: tensor %d cannot be evicted", i, t)
			}
			if x.place != resident && x.key >= 0 {
				return fmt.Errorf("GPU %d: tensor %d is not here but can be evicted", i, t)
			}
		}
		if used != g.used || leave != g.leaving || onHost != g.onHost || onDrives != g.onDrives || copies != g.copies {
			return fmt.Errorf("GPU %d: sums are %d %d %d %d %d, tensors are %d %d %d %d %d", i, g.used, g.leaving, g.onHost, g.onDrives, g.copies, used, leave, onHost, onDrives, copies)
		}
		if used > g.room {
			return fmt.Errorf("GPU %d: %d used of %d", i, used, g.room)
		}
		host += onHost
		drives += onDrives
		if err := g.checkKernel(); err != nil {
			return fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	if host != r.host || drives != r.all || host > r.hostRoom {
		return fmt.Errorf("host has %d of %d, drives %d; tensors are %d and %d", r.host, r.hostRoom, r.all, host, drives)
	}
	for a, d := range r.drives {
		if d > r.driveRoom[a] {
			return fmt.Errorf("array %d has %d of %d", a, d, r.driveRoom[a])
		}
	}
	return nil
}

func (g *gpu) checkKernel() error {
	missing, reading := 0, 0
	var newborn, need unit.Bytes
	for _, t := range g.sets[g.first[g.kernel]:g.first[g.kernel+1]] {
		x := &g.tensors[t]
		if (g.mode == computing || g.mode == communicating) && x.place != resident {
			return fmt.Errorf("kernel %d runs without tensor %d", g.kernel, t)
		}
		switch x.place {
		case nowhere:
			newborn += x.size
			need += x.size
		case coming:
			missing++
			if x.begun {
				reading++
			} else {
				need += x.size
			}
		case away, leaving:
			missing++
			need += x.size
		}
	}
	if g.mode == waiting && (missing != g.missing || reading != g.reading || newborn != g.newborn || need != g.need) {
		return fmt.Errorf("kernel %d waits for %d %d %d %d; its tensors say %d %d %d %d", g.kernel, g.missing, g.reading, g.newborn, g.need, missing, reading, newborn, need)
	}
	return nil
}

// randomJob makes a job of up to three GPUs with sends, collectives and extras, and a schedule. What
// waits for a kernel has a later place in the order of all kernels, so that nothing waits in a circle.
func randomJob(t testing.TB, seed int) (*job.Job, *Schedule, *machine.Node) {
	d := dice(seed)
	gpus := 1 + d.n(3)
	j, s := &job.Job{}, &Schedule{Rewrite: d.n(2) == 0}
	largest, live := unit.Bytes(0), unit.Bytes(0)
	for range gpus {
		w := randomWorkload(&d)
		if err := w.Validate(); err != nil {
			t.Fatal(err)
		}
		a := vitality.Analyze(w)
		for _, b := range a.Active(w) {
			largest = max(largest, b)
		}
		for _, b := range a.Live(w) {
			live = max(live, b)
		}
		j.Parts = append(j.Parts, w)
		s.Programs = append(s.Programs, randomProgram(&d, w))
	}
	randomTies(&d, j, s)
	memory := int64((largest + unit.Bytes(d.n(int(live/page)+1))*page) / page)
	n := toy(t, int64(gpus), memory)
	n.Drive.Latency = unit.Time(d.n(3)) * us
	if d.n(3) == 0 {
		s.Static, s.Host, s.Drives = page, unit.Bytes(d.n(9))*page, unit.Bytes(d.n(9))*page
		n.GPU.Memory += page
	}
	if d.n(3) == 0 {
		s.Away = []workload.Kind{workload.Weight}
	}
	if d.n(4) == 0 {
		s.HostLimit = unit.Bytes(1+d.n(60)) * page
	}
	if d.n(3) == 0 {
		n.Host = unit.Bytes(d.n(100)) * page
	}
	if d.n(4) == 0 {
		n.Drive.Size = unit.Bytes(1+d.n(80)) * page
	}
	return j, s, n
}

func randomWorkload(d *dice) *workload.Workload {
	w := &workload.Workload{}
	for i := range 3 + d.n(12) {
		w.Tensors = append(w.Tensors, tensorOf(fmt.Sprint("t", i), int64(1+d.n(8)), d.n(3) == 0))
		if d.n(8) == 0 {
			w.Tensors[i].Kind = workload.Weight
		}
	}
	for range 3 + d.n(25) {
		k := workload.Kernel{Name: "k", Time: unit.Time(1+d.n(20)) * us}
		for t := range w.Tensors {
			if d.n(6) == 0 {
				k.Inputs = append(k.Inputs, workload.TensorID(t))
			}
			if d.n(12) == 0 {
				k.Outputs = append(k.Outputs, workload.TensorID(t))
			}
		}
		if len(k.Inputs)+len(k.Outputs) == 0 {
			k.Inputs = ids(workload.TensorID(d.n(len(w.Tensors))))
		}
		w.Kernels = append(w.Kernels, k)
	}
	return w
}

// randomProgram asks for whatever, whether it makes sense or not.
func randomProgram(d *dice, w *workload.Workload) *Program {
	p := &Program{Spill: SSD + Tier(d.n(2)), Start: make([]Tier, len(w.Tensors))}
	for t := range w.Tensors {
		if w.Tensors[t].Global {
			p.Start[t] = SSD + Tier(d.n(2))
		}
	}
	for k := range len(w.Kernels) + 1 {
		for d.n(3) == 0 {
			p.Ops = append(p.Ops, Op{workload.KernelID(k), workload.TensorID(d.n(len(w.Tensors))), SSD + Tier(d.n(3))})
		}
	}
	return p
}

// randomTies adds what GPUs wait for besides memory.
func randomTies(d *dice, j *job.Job, s *Schedule) {
	gpus := len(j.Parts)
	// pair finds kernels of which the first is earlier, of two GPUs if apart.
	pair := func(apart bool) (a, b job.Ref, ok bool) {
		from, to := d.n(gpus), d.n(gpus)
		x, y := d.n(len(j.Parts[from].Kernels)), d.n(len(j.Parts[to].Kernels))
		return ref(int16(from), workload.KernelID(x)), ref(int16(to), workload.KernelID(y)), x < y && !(apart && from == to)
	}
	for range d.n(6) * (gpus - 1) {
		if a, b, ok := pair(true); ok {
			j.Sends = append(j.Sends, job.Send{From: a, To: b, Bytes: unit.Bytes(d.n(40)) * page})
		}
	}
	if gpus > 1 && d.n(2) == 0 {
		c := job.Collective{Kind: job.Kind(d.n(4)), Bytes: unit.Bytes(d.n(30)) * page}
		k, last := workload.KernelID(0), workload.KernelID(1<<20)
		for g := range j.Parts {
			last = min(last, workload.KernelID(len(j.Parts[g].Kernels)-1))
		}
		if k = workload.KernelID(d.n(int(last) + 1)); k < last && d.n(2) == 0 {
			c.Wait = []job.Ref{ref(int16(d.n(gpus)), last)}
		}
		for g := range j.Parts {
			c.Members = append(c.Members, ref(int16(g), k))
		}
		j.Collectives = append(j.Collectives, c)
	}
	if d.n(2) == 0 {
		return
	}
	for i := range 1 + d.n(8) {
		g := int16(d.n(gpus))
		ends := []machine.Endpoint{{Kind: machine.OnGPU, Index: g}, {Kind: machine.OnHost}, {Kind: machine.OnArray, Index: g}}
		from := d.n(3)
		e := Extra{Name: fmt.Sprint("e", i), GPU: g, Queue: QueueKind(d.n(int(QueueKinds))), Time: unit.Time(d.n(5)) * us, Bytes: unit.Bytes(d.n(9)) * page, From: ends[from], To: ends[(from+1+d.n(2))%3], Cause: Cause(1 + d.n(int(Causes)-1))}
		a, b, ok := pair(false)
		if ok {
			e.After, e.Before = []job.Ref{a}, []job.Ref{b}
		}
		for i > 0 && !ok && d.n(2) == 0 { // extras in a chain that no kernel is in
			e.Extras = append(e.Extras, int32(d.n(i)))
		}
		if d.n(2) == 0 {
			e.Next = []job.Ref{a}
		}
		if d.n(2) == 0 {
			e.Last = []int32{int32(d.n(i + 1))}
		}
		s.Extras = append(s.Extras, e)
	}
}

// A present is who sums what tensors are told to take of each memory.
type present struct {
	t    *testing.T
	seed int
	sums map[int]*[Tiers]unit.Bytes // by GPU
	is   map[Presence]bool          // without times
	at   unit.Time
	told int
}

func (p *present) Begin(*Schedule)   { p.sums, p.is = map[int]*[Tiers]unit.Bytes{}, map[Presence]bool{} }
func (p *present) Spell(Spell)       {}
func (p *present) Transfer(Transfer) {}
func (p *present) End(*Result)       {}

func (p *present) Presence(x Presence) {
	if x.At < p.at {
		p.t.Fatalf("seed %d: %+v is told after %v", p.seed, x, p.at)
	}
	key := Presence{GPU: x.GPU, Tensor: x.Tensor, Tier: x.Tier}
	if p.at = x.At; p.is[key] == x.Is {
		p.t.Fatalf("seed %d: %+v is told twice", p.seed, x)
	}
	if p.sums[x.GPU] == nil {
		p.sums[x.GPU] = &[Tiers]unit.Bytes{}
	}
	n := x.Bytes
	if !x.Is {
		n = -n
	}
	p.is[key] = x.Is
	p.sums[x.GPU][x.Tier] += n
	p.told++
}

// check holds the sums against what the run has in use.
func (p *present) check(r *run) {
	if !r.measuring || r.finished {
		return
	}
	for i := range r.gpus {
		g := &r.gpus[i]
		if g.program == nil {
			continue
		}
		sums := p.sums[i]
		if sums == nil {
			sums = &[Tiers]unit.Bytes{}
		}
		if want := [Tiers]unit.Bytes{SSD: g.onDrives, Host: g.onHost, GPU: g.used}; *sums != want {
			p.t.Fatalf("seed %d, GPU %d at %v: tensors take %d, in use are %d", p.seed, i, r.sim.Now(), *sums, want)
		}
	}
}

func TestRandomJobsKeepTheLaws(t *testing.T) {
	stuck, told, demand, late := 0, 0, int64(0), int64(0)
	for seed := range seeds(2500) {
		j, s, n := randomJob(t, seed)
		there := &present{t: t, seed: seed}
		o := Options{Iterations: 1 + seed%3, Points: 30, Curves: true, Watch: there}
		r, err := build(j, s, n, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r.verify = func() {
			if err := r.checkState(); err != nil {
				t.Fatalf("seed %d, at %v: %v", seed, r.sim.Now(), err)
			}
			there.check(r)
		}
		if r.stuck = r.tooLarge(); r.stuck == "" {
			r.run()
		}
		got := r.result()
		told += there.told
		o.Curves, o.Watch = false, nil
		again, err := Run(j, s, n, o)
		if err != nil || again.Time != got.Time || !slices.Equal(again.GPUs, got.GPUs) || !slices.Equal(again.Links, got.Links) || again.Stuck != got.Stuck {
			t.Fatalf("seed %d: two runs differ: %+v, %+v, %v", seed, got, again, err)
		}
		if got.Stuck != "" {
			stuck++
			r.checkStuck(t, seed)
			continue
		}
		for i := range got.GPUs {
			g := &got.GPUs[i]
			demand += g.Demand
			late += g.Late
			checkLedger(t, seed, j, r, got, i)
		}
		if o.Iterations == 1 && len(s.Extras) == 0 {
			checkBytes(t, seed, s, j, got)
		}
	}
	if told == 0 {
		t.Error("nobody was told where tensors are")
	}
	t.Logf("%d stuck, %d evicted on demand, %d late", stuck, demand, late)
}

func checkLedger(t *testing.T, seed int, j *job.Job, r *run, got *Result, i int) {
	t.Helper()
	var sum, kernels unit.Time
	g := &got.GPUs[i]
	for c := range Causes {
		if g.Ledger[c] < 0 {
			t.Fatalf("seed %d: GPU %d: %v", seed, i, g.Ledger)
		}
		sum += g.Ledger[c]
	}
	for k := range j.Parts[i].Kernels {
		if m := r.gpus[i].meets; m == nil || m[k] < 0 {
			kernels += j.Parts[i].Kernels[k].Time
		}
	}
	if sum != got.Time || g.Ledger[Computes] != kernels || g.Overlapped > kernels || g.Peak > r.node.Usable() {
		t.Fatalf("seed %d: GPU %d: %+v is not of %v, %v", seed, i, g, got.Time, kernels)
	}
}

// checkBytes: what was read in the first iteration was written before, or was there at the start.
func checkBytes(t *testing.T, seed int, s *Schedule, j *job.Job, got *Result) {
	t.Helper()
	for i, g := range got.GPUs {
		var start [Tiers]unit.Bytes
		for t, tier := range s.Programs[i].Start {
			start[tier] += j.Parts[i].Tensors[t].Bytes
		}
		if s.Rewrite && g.Read > g.Written+start[SSD] || g.HostRead > g.HostWritten+start[Host] {
			t.Fatalf("seed %d: GPU %d: %+v, start %v", seed, i, g, start)
		}
	}
}

// checkStuck: a run is stuck only where host memory and drives are, and there is really no room.
func (r *run) checkStuck(t *testing.T, seed int) {
	t.Helper()
	if strings.Contains(r.stuck, "too small") && r.iteration == 0 && r.sim.Now() == 0 {
		return
	}
	if !strings.Contains(r.stuck, "full") {
		t.Fatalf("seed %d: %s", seed, r.stuck)
	}
	for i := range r.gpus {
		g := &r.gpus[i]
		if g.mode != waiting || g.need <= g.room-g.used {
			continue
		}
		left := r.sim.Left()
		if r.evict(g); !g.full || r.sim.Left() != left {
			t.Fatalf("seed %d: GPU %d could go on: %s", seed, i, r.stuck)
		}
	}
}

// Without a limit a run is the longest path through kernels and sends.
func TestWithoutALimitARunIsItsLongestPath(t *testing.T) {
	for seed := range seeds(300) {
		j, s, n := randomJob(t, seed)
		j.Collectives = nil
		for i := range j.Sends {
			j.Sends[i].Bytes = 0
		}
		end := make([][]unit.Time, len(j.Parts))
		for i := range end {
			end[i] = make([]unit.Time, len(j.Parts[i].Kernels))
		}
		var longest unit.Time
		for changed := true; changed; {
			changed = false
			for i, w := range j.Parts {
				for k := range w.Kernels {
					var at unit.Time
					if k > 0 {
						at = end[i][k-1]
					}
					for _, x := range j.Sends {
						if int(x.To.Part) == i && int(x.To.Kernel) == k {
							at = max(at, end[x.From.Part][x.From.Kernel])
						}
					}
					if at += w.Kernels[k].Time; at != end[i][k] {
						end[i][k], changed = at, true
						longest = max(longest, at)
					}
				}
			}
		}
		got, err := Run(j, &Schedule{}, n, Options{})
		if err != nil || got.Stuck != "" || got.Time != longest {
			t.Fatalf("seed %d: takes %v, %v %s; the longest path %v", seed, got.Time, err, got.Stuck, longest)
		}
		// Memory that is large enough is as good.
		n.GPU.Memory = 1 << 40
		for _, p := range s.Programs {
			p.Ops, p.Start = nil, nil
		}
		got, err = Run(j, &Schedule{Programs: s.Programs}, n, Options{})
		if err != nil || got.Stuck != "" || got.Time != longest {
			t.Fatalf("seed %d: in large memory takes %v, %v %s; the longest path %v", seed, got.Time, err, got.Stuck, longest)
		}
	}
}
