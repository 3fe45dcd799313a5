package train_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/result"
	"spillway/sim/unit"
	"spillway/sim/vitality"
	"spillway/sim/workload"
	"spillway/traces/zoo"
)

var plannedSettings = flag.Uint64("planned.settings", 150, "random settings in which planned systems are compared with all others")

// TestPlannedWins runs systems in a share of random settings, at night in all, corrected,
// and compares those that plan with all that use no memory which they may not use. A
// planned system takes at most a half percent more time than any other, or there is a
// reason that is worked out, and the loss is within its bound.
func TestPlannedWins(t *testing.T) {
	settings := 0
	tally := map[string]int{}
	for seed := range *plannedSettings {
		if taken(seed) {
			settings++
			comparePlanned(t, seed, tally)
		}
	}
	for _, reason := range reasons {
		t.Logf("%d comparisons lost: %s", tally[reason.text], reason.text)
	}
	t.Logf("of %d comparisons in %d settings", tally["all"], settings)
	most := tally["all"] / 10
	if !effort.Nightly() {
		most *= 2 // of few settings
	}
	if lost := tally["all"] - tally["won"]; lost > most {
		t.Errorf("%d of %d comparisons lost; want at most %d", lost, tally["all"], most)
	}
}

// FuzzPlannedWins is TestPlannedWins of any settings but the largest, which take
// longer than a fuzzer waits.
func FuzzPlannedWins(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if len(drawSetting(seed).w.Kernels) < 2000 {
			comparePlanned(t, seed, map[string]int{})
		}
	})
}

// TestPlannedFound is TestPlannedWins of the settings that were found.
func TestPlannedFound(t *testing.T) {
	if testing.Short() {
		t.Skip("faults that were mended, natively")
	}
	for _, seed := range foundSettings {
		comparePlanned(t, seed, map[string]int{})
	}
}

// TestPlannedExamples runs settings of the bundled networks in which G10 once
// took up to 2.6 times too long: the plan ended when the SSD was busy, while the
// host was empty, so that a faster SSD could cost time.
func TestPlannedExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("whole networks, natively")
	}
	build := func(model string, batch int, times zoo.TimeModel) *workload.Workload {
		w, err := zoo.Build(model, batch, times)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	clean := zoo.Profiled(zoo.A100())
	run := func(w *workload.Workload, name string, change func(m *machine.Machine)) *result.Result {
		q := train.Request{System: name, Machine: machine.G10(), Options: inCorrectedMode()}
		change(&q.Machine)
		r, err := train.Run(w, q, nil)
		if err != nil || !r.Fits {
			t.Fatal(err, r)
		}
		return r
	}
	over := func(a, b *result.Result) float64 { return float64(a.Time()) / float64(b.Time()) }

	bert := build("bert-base", 256, clean)
	slowWrites := func(m *machine.Machine) { m.SSDWrite, m.HostMemory = unit.GBps, 512*unit.GiB }
	if r := run(bert, "g10", slowWrites); float64(r.Time()) > 1.01*float64(r.Ideal) { // was 1.59
		t.Errorf("BERT-256, SSD writes at 1 GB/s, 512 GiB of host memory: %d cycles, ideal is %d", r.Time(), r.Ideal)
	}

	senet := build("senet-154", 32, clean)
	small := func(write unit.Bandwidth) func(*machine.Machine) {
		return func(m *machine.Machine) {
			m.GPUMemory, m.HostMemory = 4*unit.GiB, 512*unit.GiB
			m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = 64*unit.GBps, 64*unit.GBps, unit.GBps, write
		}
	}
	slow, fast := run(senet, "g10", small(500*unit.MBps)), run(senet, "g10", small(550*unit.MBps))
	if x := over(fast, slow); x > 1.001 { // was 1.24
		t.Errorf("SENet154-32: an SSD that writes 10 %% faster makes it %.3f times as long", x)
	}
	if x := over(fast, run(senet, "deepum+", small(550*unit.MBps))); x > 1 { // was 1.81
		t.Errorf("SENet154-32 takes %.3f times as long as with DeepUM+", x)
	}

	resnet := build("resnet-50", 512, clean)
	reads := func(read unit.Bandwidth) func(*machine.Machine) {
		return func(m *machine.Machine) {
			m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = 32*unit.GBps, 32*unit.GBps, read, 3200*unit.MBps
			m.FaultLatency = 10 * unit.Microsecond
		}
	}
	if x := over(run(resnet, "g10", reads(12800*unit.MBps)), run(resnet, "g10", reads(3200*unit.MBps))); x > 1.03 { // was 1.28
		t.Errorf("ResNet50-512: an SSD that reads 4 times as fast makes it %.3f times as long", x)
	}

	// G10 paper, Figure 11: G10-GDS is faster than FlashNeuron, which was 1.4 times
	// as fast; and without host memory G10 is faster than what is reactive.
	resnet = build("resnet-152", 1280, zoo.AsPaper())
	for planned, others := range map[string][]string{"g10-gds": {"flashneuron"}, "g10": {"flashneuron", "uvm", "deepum+"}} {
		none := func(m *machine.Machine) { m.HostMemory = 0 }
		for _, other := range others {
			if x := over(run(resnet, planned, none), run(resnet, other, none)); x > 1 {
				t.Errorf("ResNet152-1280 without host memory: %s takes %.3f times as long as %s", planned, x, other)
			}
		}
	}
}

// foundSettings are settings in which planned systems once lost by more than a
// reason explains:
var foundSettings = []uint64{
	92, 103, 151, 187, // up to 5.7 times as long: all that the plan left over capacity faulted page by page
	184,  // 1.3 times as long as Base UVM, which has nothing to move here
	276,  // 38 times as long: the same with little host memory, full at one time of the iteration
	1495, // did not fit: prefetched and needed pages evicted each other
	327,  // 1.3 times as long: faults on pages that were evicted again after they had returned
}

// A reason says why a planned system may lose to another.
type reason struct {
	text string
	// most is the time that it may take, relative to the other system.
	most float64
	// holds is asked with the result of the planned system and the other's.
	holds func(s *setting, planned, other *result.Result) bool
}

var reasons = []reason{
	{"nearly ideal: single faults and batches decide", 1.05, func(_ *setting, planned, _ *result.Result) bool {
		return float64(planned.Time()) <= 1.05*float64(planned.Ideal)
	}},
	{
		"the links are late by more than the loss, whatever the plan: it moves whole tensors where others evict pages", 1.3,
		func(s *setting, planned, other *result.Result) bool {
			loss := s.m.Clock.Time(planned.Time() - other.Time())
			return loss <= max(s.forced(), s.links(other)-s.m.Clock.Time(other.Ideal))
		},
	},
}

// The systems that plan, and those that they are compared with: the G10 paper's.
var (
	plannedSystems = []string{"g10", "g10-host", "g10-gds"}
	otherSystems   = []string{"uvm", "flashneuron", "deepum+", "g10-gds", "g10-host"}
)

// comparePlanned compares the systems in one setting.
func comparePlanned(t *testing.T, seed uint64, tally map[string]int) {
	t.Helper()
	s := drawSetting(seed)
	results := map[string]*result.Result{}
	for _, name := range slices.Concat(plannedSystems, otherSystems) {
		if results[name] != nil {
			continue
		}
		r, err := train.Run(s.w, train.Request{System: name, Machine: s.m, Options: inCorrectedMode()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		results[name] = r
	}
	for _, planned := range plannedSystems {
		for _, other := range otherSystems {
			// G10-GDS has no host memory, and both pay more for a fault than G10.
			if other == planned || planned == "g10-gds" && other != "flashneuron" && s.m.HostMemory > 0 || !results[other].Fits {
				continue
			}
			a, b := results[planned], results[other]
			tally["all"]++
			if a.Fits && float64(a.Time()) <= 1.005*float64(b.Time()) {
				tally["won"]++
				continue
			}
			s.lost(t, seed, planned, other, a, b, tally)
		}
	}
}

// lost finds the reason why planned took longer than other.
func (s *setting) lost(t *testing.T, seed uint64, planned, other string, a, b *result.Result, tally map[string]int) {
	t.Helper()
	ratio := float64(a.Time()) / float64(b.Time())
	why := "without a reason"
	for i := range reasons {
		if r := &reasons[i]; a.Fits && r.holds(s, a, b) {
			tally[r.text]++
			if ratio <= r.most {
				return
			}
			why = fmt.Sprintf("more than %v, for the reason that %s", r.most, r.text)
			break
		}
	}
	if !a.Fits {
		t.Errorf("setting %d: %s does not fit, %s does: %s", seed, planned, other, a.Reason)
		return
	}
	t.Errorf("setting %d: %s takes %.3f times as long as %s, %s\n%s of %d kernels on %+v\n%+v\n%+v",
		seed, planned, ratio, other, why, s.w.Name, len(s.w.Kernels), s.m, a.Iterations[a.Reported], b.Iterations[b.Reported])
}

// A setting is a workload and a machine whose memory is too small for it.
type setting struct {
	w    *workload.Workload
	m    machine.Machine
	live []unit.Bytes
}

// forced returns how late, at least, kernels must be: what is alive beyond GPU
// memory must have left before it grows by more, and be back before it shrinks,
// at the rates of all links together; what host memory does not hold, at those of
// the SSD.
func (s *setting) forced() unit.Time {
	m := &s.m
	late := unit.Time(0)
	for _, tier := range []struct {
		room    unit.Bytes
		out, in unit.Bandwidth
	}{
		{m.GPUMemory, min(m.GPULink, m.SSDWrite+m.HostLink), min(m.GPULink, m.SSDRead+m.HostLink)},
		{m.GPUMemory + m.HostMemory, m.SSDWrite, m.SSDRead},
	} {
		if m.HostMemory == 0 && tier.room == m.GPUMemory {
			tier.out, tier.in = m.SSDWrite, m.SSDRead
		}
		late = max(late, s.backlog(tier.room, tier.out, 1), s.backlog(tier.room, tier.in, -1))
	}
	return late
}

// links returns for how long the busiest link is busy with what r moved.
func (s *setting) links(r *result.Result) unit.Time {
	t, m := r.Iterations[r.Reported].Traffic, &s.m
	busy := 0.0
	for _, link := range []struct {
		moved unit.Bytes
		rate  unit.Bandwidth
	}{
		{t.SSDIn, m.SSDRead},
		{t.SSDOut, m.SSDWrite},
		{t.HostIn, m.HostLink},
		{t.HostOut, m.HostLink},
		{t.SSDIn + t.HostIn, m.GPULink},
		{t.SSDOut + t.HostOut, m.GPULink},
	} {
		busy = max(busy, float64(link.moved)/float64(link.rate))
	}
	return unit.Time(busy * float64(unit.Second))
}

// backlog returns how long links of a rate need at most, beyond the kernels'
// time, to carry away what is alive beyond room, as it grows; in direction -1 to
// bring it back, seen from the end.
func (s *setting) backlog(room unit.Bytes, rate unit.Bandwidth, direction int) unit.Time {
	n := len(s.live)
	most, waiting, was := 0.0, 0.0, 0.0
	for i := range n {
		k := i
		if direction < 0 {
			k = n - 1 - i
		}
		over := float64(max(0, s.live[k]-room))
		waiting = max(0, waiting+over-was)
		was = over
		most = max(most, waiting)
		waiting -= float64(rate) * float64(s.w.Kernels[k].Time) / float64(unit.Second)
	}
	return unit.Time(most / float64(rate) * float64(unit.Second))
}

// drawSetting draws the setting with a number.
func drawSetting(seed uint64) *setting {
	r := rand.New(rand.NewPCG(seed, 19))
	s := &setting{}
	if r.IntN(4) == 0 {
		s.w = drawNetwork(r)
	} else {
		s.w = drawChain(r)
	}
	life := vitality.Analyze(s.w)
	s.live = life.Live(s.w)
	var peak, least unit.Bytes
	for k, active := range life.Active(s.w) {
		peak, least = max(peak, s.live[k]), max(least, active)
	}
	s.m = machine.G10()
	m := &s.m
	low := float64(least) * 1.1
	m.GPUMemory = max(16*unit.MiB, unit.Bytes(low+(float64(peak)-low)*r.Float64()*0.95))
	switch r.IntN(4) {
	case 0:
		m.HostMemory = 0
	case 1:
		m.HostMemory = unit.Bytes(float64(peak) * r.Float64() * 0.5)
	default:
		m.HostMemory = 4 * peak
	}
	m.SSDRead = unit.Bandwidth(logUniform(r, 0.5e9, 16e9))
	m.SSDWrite = unit.Bandwidth(float64(m.SSDRead) * logUniform(r, 0.15, 1))
	m.HostLink = unit.Bandwidth(logUniform(r, float64(m.SSDRead), 64e9))
	m.GPULink = m.HostLink
	if r.IntN(2) == 0 {
		m.GPULink += unit.Bandwidth(r.Float64() * float64(m.SSDRead))
	}
	m.FaultLatency = unit.Time(logUniform(r, 5, 100) * float64(unit.Microsecond))
	m.SSDLatency = unit.Time(logUniform(r, 5, 100) * float64(unit.Microsecond))
	if r.IntN(2) == 0 {
		m.FaultBatch = 1 << r.IntN(9)
	}
	if err := m.Validate(); err != nil {
		panic(err) // the generator is wrong
	}
	return s
}

// logUniform draws from a to b, each factor as likely as any.
func logUniform(r *rand.Rand, a, b float64) float64 { return a * math.Exp2(math.Log2(b/a)*r.Float64()) }

var networks = map[string]*workload.Workload{}

// drawNetwork draws a small batch of a network of the zoo, with estimated times
// or those of the G10 paper where there are any.
func drawNetwork(r *rand.Rand) *workload.Workload {
	names := []string{"bert-base", "vit-s-32", "resnet-50", "bert-base", "gpt2-xl", "inception-v3"}
	name, batch, asPaper := names[r.IntN(len(names))], []int{32, 64}[r.IntN(2)], false
	if name == "gpt2-xl" {
		batch = 1
	}
	if r.IntN(2) == 1 {
		asPaper = name != "resnet-50" && name != "gpt2-xl"
	}
	key := fmt.Sprint(name, batch, asPaper)
	if w := networks[key]; w != nil {
		return w
	}
	times := zoo.Profiled(zoo.A100())
	if asPaper {
		times = zoo.AsPaper()
	}
	w, err := zoo.Build(name, batch, times)
	if err != nil {
		panic(err)
	}
	networks[key] = w
	return w
}

// drawChain draws a network of layers, some of which read an earlier one: forward,
// backward, and the update of each weight.
func drawChain(r *rand.Rand) *workload.Workload {
	w := &workload.Workload{Name: "chain", Batch: 1, Times: workload.Estimated}
	type ids = []workload.TensorID
	add := func(size unit.Bytes, kind workload.Kind) workload.TensorID {
		w.Tensors = append(w.Tensors, workload.Tensor{
			Name: fmt.Sprint("t", len(w.Tensors)), Bytes: max(1, size), Kind: kind, Global: kind == workload.Weight,
		})
		return workload.TensorID(len(w.Tensors) - 1)
	}
	mean := logUniform(r, 1e5, 1e7)
	size := func(share float64) unit.Bytes { return unit.Bytes(mean * share * logUniform(r, 0.1, 10)) }
	ms := logUniform(r, 0.05, 5)
	run := func(in, out ids) {
		t := unit.Time(ms * logUniform(r, 0.1, 10) * float64(unit.Millisecond))
		w.Kernels = append(w.Kernels, workload.Kernel{Name: fmt.Sprint("k", len(w.Kernels)), Time: t, InputFault: t, Fault: t, Inputs: in, Outputs: out})
	}
	layers, weight := 4+r.IntN(60), logUniform(r, 0.01, 3)
	x, weights, skip := ids{add(size(1), workload.Intermediate)}, ids{}, make([]workload.TensorID, layers)
	run(nil, ids{x[0]})
	for l := range layers {
		weights = append(weights, add(size(weight), workload.Weight))
		x = append(x, add(size(1), workload.Intermediate))
		in := ids{x[l], weights[l]}
		if skip[l] = -1; l > 2 && r.IntN(3) == 0 {
			skip[l] = x[r.IntN(l-1)]
			in = append(in, skip[l])
		}
		run(in, ids{x[l+1]})
	}
	g := add(w.Tensors[x[layers]].Bytes, workload.Intermediate)
	run(ids{x[layers]}, ids{g})
	for l := layers - 1; l >= 0; l-- {
		dx, dw := add(w.Tensors[x[l]].Bytes, workload.Intermediate), add(w.Tensors[weights[l]].Bytes, workload.Intermediate)
		in := ids{x[l], weights[l], g}
		if skip[l] >= 0 {
			in = append(in, skip[l])
		}
		run(in, ids{dx, dw})
		run(ids{dw, weights[l]}, ids{weights[l]})
		g = dx
	}
	return w
}
