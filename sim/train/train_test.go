package train_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/engine/blocks"
	"spillway/sim/train/engine/pool"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/deepumplus"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/zoo"
)

func TestSystems(t *testing.T) {
	for _, s := range train.Systems {
		t.Run(s.Name, func(t *testing.T) { systemtest.Run(t, s) })
	}
}

// Each system of the list describes itself, under a name of its own.
func TestSystemsDescribeThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range train.All() {
		if s.Name == "" || s.Title == "" || s.Paper == "" || s.About == "" || s.Runtime == nil {
			t.Errorf("system %q leaves something empty: %+v", s.Name, s)
		}
		if seen[s.Name] || seen[s.Title] || s.Name != strings.ToLower(s.Name) || strings.ContainsAny(s.Name, " ,") {
			t.Errorf("name %q or title %q is taken or cannot stand in a URL list", s.Name, s.Title)
		}
		seen[s.Name], seen[s.Title] = true, true
		for _, p := range s.Params {
			if p.Label == "" || p.Help == "" || p.Source == "" || p.Scale <= 0 || p.Default < p.Min || p.Default > p.Max {
				t.Errorf("%s: parameter %q leaves something empty, or its default is out of range: %+v", s.Name, p.Key, p)
			}
		}
		if got, err := train.Find(s.Name); err != nil || got.Name != s.Name {
			t.Errorf("Find(%q) = %q, %v", s.Name, got.Name, err)
		}
	}
	if _, err := train.Find("nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("Find of an unknown system: %v", err)
	}
}

// modes are the fidelity modes of the theorems below.
var modes = []quirk.Set{quirk.Published(), quirk.Corrected()}

// cases is how many random workloads each theorem is tried on, at night; share is one in
// how many it takes otherwise.
const cases, share = 40, 4

// taken reports whether a test tries a random case; with -short few are.
func taken(seed uint64) bool {
	if testing.Short() {
		return effort.Takes(int(seed), 4*share)
	}
	return effort.Takes(int(seed), share)
}

// A theorem changes a case in a way whose effect is known. It gets the
// unchanged result and reports what is wrong with the changed one, or "".
//
// What sounds like a theorem but is none:
//   - More memory or bandwidth never hurts: greedy prefetching and eviction in
//     recency order have Belady's and Graham's anomalies, and a batch of another
//     length puts the same moves at other times.
//   - Free links and enough memory give Ideal: only the warm iteration of a
//     system that frees nothing does (TestEnoughMemory). Pages that are freed
//     must be mapped again, at the next batch at the earliest.
//   - Times × k and rates ÷ k give time × k, as published: penalties are cut to
//     cycles, profiled slowdowns to seconds, shares to pages.
//   - Splitting a kernel or appending the workload to itself keeps or doubles
//     the time: only Ideal's. Others use the seams to move data.
//   - Permuting tensors changes nothing: as published the order of a kernel's
//     tensors follows their IDs (quirk pointer-order). Corrected planners break
//     ties by ID; of them only systems without a choice are tried.
type theorem func(c *caseOf) string

// A caseOf is one system's run of one workload.
type caseOf struct {
	w   *workload.Workload
	q   train.Request
	got *result.Result
}

func (c *caseOf) run(w *workload.Workload, q train.Request) *result.Result {
	r, err := train.Run(w, q, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// try runs th for every system that accepts it, in both modes.
func try(t *testing.T, accept func(s system.System, mode quirk.Set) bool, th theorem) {
	t.Helper()
	for _, s := range train.Systems {
		for _, mode := range modes {
			if !accept(s, mode) {
				continue
			}
			for seed := range uint64(cases) {
				if !effort.Takes(int(seed), share) {
					continue
				}
				r := rand.New(rand.NewPCG(seed, 1))
				w, m := systemtest.Workload(r, float64(seed)/cases), systemtest.Machine(r)
				o := system.Published()
				o.Quirks = mode
				c := caseOf{w: w, q: train.Request{System: s.Name, Machine: m, Options: o}}
				c.got = c.run(w, c.q)
				if wrong := th(&c); wrong != "" {
					t.Fatalf("%s, %v, seed %d: %s", s.Name, mode, seed, wrong)
				}
			}
		}
	}
}

func all(system.System, quirk.Set) bool { return true }

func only(names ...string) func(system.System, quirk.Set) bool {
	return func(s system.System, _ quirk.Set) bool { return slices.Contains(names, s.Name) }
}

func corrected(s system.System, q quirk.Set) bool { return q == quirk.Corrected() }

// same reports how b differs from a.
func same(a, b *result.Result) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return fmt.Sprintf("result changed from\n%s\nto\n%s", x, y)
}

// Ideal depends on kernel times and the clock only.
func TestIdealIgnoresTheMachine(t *testing.T) {
	try(t, only("ideal"), func(c *caseOf) string {
		q := c.q
		q.Machine = machine.Presets()[3].Machine
		q.Machine.Clock = c.q.Machine.Clock
		return same(c.got, c.run(c.w, q))
	})
}

// Looking does not disturb.
func TestProgressChangesNothing(t *testing.T) {
	try(t, all, func(c *caseOf) string {
		calls := 0
		r, err := train.Run(c.w, c.q, func(done, total int) {
			if calls++; done < 0 || done > total {
				panic(fmt.Sprintf("progress %d of %d", done, total))
			}
		})
		if err != nil {
			return err.Error()
		}
		return same(c.got, r)
	})
}

// The seed matters only with noise, but where a window of victims is drawn from and
// where a plan is searched with it.
func TestSeedWithoutNoise(t *testing.T) {
	try(t, func(s system.System, _ quirk.Set) bool { return s.Name != "swapadvisor" }, func(c *caseOf) string {
		q := c.q
		if s, _ := train.Find(q.System); engine.Is[blocks.Memory](s.Runtime(&q.Options)) {
			system.UMVictims.Set(&q.Options, 1)
			c.got = c.run(c.w, q)
		}
		q.Options.Seed = 17
		return same(c.got, c.run(c.w, q))
	})
}

// A result that does not fit has the ideal time of one that does: kernel-time
// error scales both by the same draws.
func TestIdealOfUnfit(t *testing.T) {
	unfit := 0
	try(t, all, func(c *caseOf) string {
		q := c.q
		q.Machine.GPUMemory = 16 * unit.MiB
		q.Options.Noise, q.Options.Seed = 300, 7
		r := c.run(c.w, q)
		if r.Fits {
			return ""
		}
		unfit++
		q.System = "ideal"
		s, _ := train.Find(c.q.System)
		if rt := s.Runtime(&q.Options); q.Options.Quirks.Has(quirk.ExactArena) && engine.Is[pool.Memory](rt) {
			q.Options.Noise = 0
		}
		if want := c.run(c.w, q).Ideal; r.Ideal != want {
			return fmt.Sprintf("ideal time of a result that does not fit is %d cycles, of one that does %d", r.Ideal, want)
		}
		return ""
	})
	if unfit == 0 {
		t.Error("every workload fits")
	}
}

// A tier that is not used changes nothing: not the host's memory and link, nor
// how fast an SSD is that nothing is written to. (The plan of a system that
// decides in advance may depend on them.)
func TestUnusedTier(t *testing.T) {
	tried := 0
	reactive := func(s system.System, q quirk.Set) bool {
		return q == quirk.Corrected() && slices.Contains([]string{"uvm", "deepum+"}, s.Name)
	}
	try(t, reactive, func(c *caseOf) string {
		if !c.got.Fits {
			return ""
		}
		for _, it := range c.got.Iterations {
			if it.Traffic.SSDOut > 0 {
				return ""
			}
		}
		for _, write := range []unit.Bandwidth{10 * unit.MBps, 100 * unit.MBps, c.q.Machine.SSDWrite / 3, c.q.Machine.HostLink} {
			tried++
			q := c.q
			q.Machine.SSDWrite = write
			if wrong := same(c.got, c.run(c.w, q)); wrong != "" {
				return fmt.Sprintf("SSD that writes %v instead of %v: %s", write, c.q.Machine.SSDWrite, wrong)
			}
		}
		return ""
	})
	if tried < cases/share {
		t.Errorf("only %d runs", tried)
	}
}

// As published a kernel time error does not reach the second simulator, which
// ends the program before it is drawn: FlashNeuron and the GDS variants have the
// same result with and without it. All other systems and corrected mode have it.
func TestNoiseOfArena(t *testing.T) {
	try(t, all, func(c *caseOf) string {
		if !c.got.Fits || c.got.Ideal < 1000 {
			return ""
		}
		q := c.q
		q.Options.Noise, q.Options.Seed = 250, 15
		r := c.run(c.w, q)
		exact := q.Options.Quirks == quirk.Published() && slices.Contains([]string{"flashneuron", "g10-gds", "g10-host"}, q.System)
		if exact {
			r.Notes = slices.DeleteFunc(r.Notes, func(n string) bool { return strings.Contains(n, "kernel time error") })
			return same(c.got, r)
		}
		if r.Ideal == c.got.Ideal {
			return fmt.Sprintf("ideal time is %d cycles with and without an error", r.Ideal)
		}
		return ""
	})
}

// Names are for people. A kernel's may carry meaning (FlashNeuron's loss), a
// tensor's may not.
func TestTensorNamesMeanNothing(t *testing.T) {
	try(t, all, func(c *caseOf) string {
		w := *c.w
		w.Name, w.Tensors = "other", slices.Clone(c.w.Tensors)
		for i := range w.Tensors {
			w.Tensors[i].Name = fmt.Sprint("x", -i)
		}
		return same(c.got, c.run(&w, c.q))
	})
}

// A tensor nobody uses takes no part, if it is the last one: as published the
// planner counts the first one twice, whatever it is.
func TestUnusedTensor(t *testing.T) {
	try(t, all, func(c *caseOf) string {
		w := *c.w
		w.Tensors = append(slices.Clone(c.w.Tensors), workload.Tensor{Name: "unused", Bytes: 3 * unit.MiB})
		return same(c.got, c.run(&w, c.q))
	})
}

// A longer run begins like a shorter one.
func TestMoreIterationsBeginAlike(t *testing.T) {
	try(t, all, func(c *caseOf) string {
		q := c.q
		q.Options.Iterations = 4
		long := c.run(c.w, q)
		if long.Fits != c.got.Fits || len(long.Iterations) < len(c.got.Iterations) {
			return fmt.Sprintf("fits %v with %d iterations, %v with %d", c.got.Fits, len(c.got.Iterations), long.Fits, len(long.Iterations))
		}
		for i, it := range c.got.Iterations {
			if !reflect.DeepEqual(it, long.Iterations[i]) {
				return fmt.Sprintf("iteration %d is %+v in a longer run, else %+v", i, long.Iterations[i], it)
			}
		}
		return ""
	})
}

// A system that frees nothing has everything where it belongs once it is warm.
func TestEnoughMemory(t *testing.T) {
	published := func(s system.System, q quirk.Set) bool {
		return q == quirk.Published() && (s.Name == "uvm" || s.Name == "deepum+")
	}
	try(t, published, func(c *caseOf) string {
		q := c.q
		q.Machine.GPUMemory = 4 * unit.GiB
		if r := c.run(c.w, q); r.Iterations[1].Time != r.Ideal {
			return fmt.Sprintf("the warm iteration takes %d cycles, ideal is %d", r.Iterations[1].Time, r.Ideal)
		}
		return ""
	})
}

// exact is 1/64 ms. Kernel times become cycles by way of milliseconds in
// floating point, as in the published simulator; multiples of it lose nothing.
const exact = unit.Millisecond / 64

// Two halves of a kernel take as long as the kernel; a workload twice in a row
// takes twice as long.
func TestIdealIsASum(t *testing.T) {
	try(t, only("ideal"), func(c *caseOf) string {
		q := c.q
		q.Machine.Clock = unit.GHz
		split, twice := *c.w, *c.w
		split.Kernels, twice.Kernels = nil, nil
		whole := *c.w
		whole.Kernels = slices.Clone(c.w.Kernels)
		for i := range whole.Kernels {
			k := &whole.Kernels[i]
			k.Time = (k.Time/(2*exact) + 1) * 2 * exact
			half := *k
			half.Time /= 2
			split.Kernels = append(split.Kernels, half, half)
		}
		twice.Kernels = append(slices.Clone(whole.Kernels), whole.Kernels...)
		a, b, d := c.run(&whole, q), c.run(&split, q), c.run(&twice, q)
		if a.Time() != b.Time() || 2*a.Time() != d.Time() {
			return fmt.Sprintf("%d cycles whole, %d in halves, %d twice", a.Time(), b.Time(), d.Time())
		}
		return ""
	})
}

// Twice the time for everything takes twice the time, where no number is
// rounded. It catches a forgotten unit conversion. A pager's threads work while a
// kernel's time passes in parts that are rounded.
func TestTimeScales(t *testing.T) {
	accept := func(s system.System, q quirk.Set) bool {
		o := system.Published()
		return corrected(s, q) && !hasPager(s.Runtime(&o))
	}
	try(t, accept, func(c *caseOf) string {
		w := *c.w
		w.Kernels = slices.Clone(c.w.Kernels)
		for i := range w.Kernels {
			k := &w.Kernels[i]
			k.Time = (k.Time/exact + 1) * exact
			k.InputFault, k.Fault = 0, 0
		}
		q := c.q
		m := &q.Machine
		m.Clock = unit.GHz
		m.BatchPages = 64
		// Cycles a page: 250 on the link, 1000 and 2000 to and from the SSD, 64 to map.
		page := unit.Bandwidth(unit.Page) * 1e9
		m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = page/250, page/250, page/1000, page/2000
		m.AllocRate = 15625
		m.FaultLatency, m.SSDLatency = 45*unit.Microsecond, 20*unit.Microsecond
		base := c.run(&w, q)

		slow := w
		slow.Kernels = slices.Clone(w.Kernels)
		for i := range slow.Kernels {
			slow.Kernels[i].Time *= 2
		}
		m.GPULink /= 2
		m.HostLink /= 2
		m.SSDRead /= 2
		m.SSDWrite /= 2
		m.AllocRate *= 2
		m.FaultLatency *= 2
		m.SSDLatency *= 2
		m.TransferCost *= 2
		for _, p := range []*system.Param{&system.UMFaultTime, &system.UMBlockTime} {
			p.Set(&q.Options, 2*p.Of(&q.Options))
		}
		r := c.run(&slow, q)
		if r.Fits != base.Fits || r.PlannedOps != base.PlannedOps {
			return fmt.Sprintf("fits %v with %d operations, %v with %d at half the speed", base.Fits, base.PlannedOps, r.Fits, r.PlannedOps)
		}
		for i := range r.Iterations {
			a, b := base.Iterations[i], r.Iterations[i]
			slack := unit.Cycles(0)
			if sys, err := train.Find(q.System); err == nil && hasPager(sys.Runtime(&q.Options)) {
				slack = a.Time / 1000 // a kernel's time is cut into visits, and what moves meanwhile depends on them
			} else if a.Traffic != b.Traffic || a.Faults != b.Faults {
				slack = -1
			}
			if max(b.Time-2*a.Time, 2*a.Time-b.Time) > slack {
				return fmt.Sprintf("iteration %d: %+v, at half the speed %+v", i, a, b)
			}
		}
		return ""
	})
}

// Numbering tensors differently changes nothing for systems that have no choice
// to make between tensors.
func TestTensorOrder(t *testing.T) {
	accept := func(s system.System, q quirk.Set) bool {
		return q == quirk.Corrected() && slices.Contains([]string{"ideal", "uvm", "deepum+"}, s.Name)
	}
	try(t, accept, func(c *caseOf) string {
		to := rand.New(rand.NewPCG(1, 2)).Perm(len(c.w.Tensors))
		w := *c.w
		w.Tensors, w.Kernels = make([]workload.Tensor, len(to)), slices.Clone(c.w.Kernels)
		for i, t := range c.w.Tensors {
			w.Tensors[to[i]] = t
		}
		rename := func(ids []workload.TensorID) []workload.TensorID {
			ids = slices.Clone(ids)
			for i, t := range ids {
				ids[i] = workload.TensorID(to[t])
			}
			return ids
		}
		for i := range w.Kernels {
			k := &w.Kernels[i]
			k.Inputs, k.Outputs = rename(k.Inputs), rename(k.Outputs)
		}
		return same(c.got, c.run(&w, c.q))
	})
}

// An invalid request is an error that names every problem.
func TestRequestErrors(t *testing.T) {
	q := train.Request{System: "nobody", Machine: machine.G10(), Options: system.Published()}
	q.Machine.GPUMemory = 0
	q.Options.Iterations = 0
	_, err := train.Run(&workload.Workload{}, q, nil)
	for _, want := range []string{`unknown system "nobody"`, "GPU memory is 0 GiB; want 0.015625 to 4096\n", "Iterations is 0; want 1 to 16"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v; want %q in it", err, want)
		}
	}
}

// The list of options is stable: forms, links and flags follow from it. A
// system's own are reached through it like the run's.
func TestKnobs(t *testing.T) {
	var keys []string
	for _, k := range train.Knobs() {
		if keys = append(keys, k.Key); k.Group != "Systems" || strings.ContainsAny(k.Key, " =") {
			t.Errorf("knob %+v", k)
		}
		a, b := system.Published(), system.Published()
		v := k.Get(&a)
		k.Set(&a, v+1)
		if k.Get(&a) != v+1 || k.Get(&b) != v || a == b {
			t.Errorf("%s: set from %d to %d; the copy has %d", k.Key, v, k.Get(&a), k.Get(&b))
		}
		if k.Set(&a, v); a != b {
			t.Errorf("%s: set back: %+v, want %+v", k.Key, a, b)
		}
	}
	if want := []string{"iterations", "lookahead", "safety"}; !slices.Equal(keys[:len(want)], want) {
		t.Errorf("knobs %v, want %v first", keys, want)
	}
	if i := slices.Index(keys, "noise"); i < 0 || keys[i+1] != "seed" || !strings.HasPrefix(keys[i+2], "buddy_") {
		t.Errorf("knobs %v, want noise and seed after those of systems, and compression's last", keys)
	}
}

func TestConfigure(t *testing.T) {
	q := train.Request{System: "g10", Machine: machine.G10(), Options: system.Published()}
	for _, tt := range []struct {
		key, value string
		known      bool
		err        string
		ok         func() bool
	}{
		{"GPU_memory_size_GB", "32", true, "", func() bool { return q.Machine.GPUMemory == 32*unit.GiB }},
		{"gpu_memory", "40", true, "", func() bool { return q.Machine.GPUMemory == 40*unit.GiB }},
		{"GPU_malloc_uspB", "0.000000814", true, "", func() bool { return q.Machine.AllocRate == 814 }},
		{"GPU_malloc_uspB", "8.14e-7", true, "", func() bool { return q.Machine.AllocRate == 814 }},
		{"kernel_time_std_dev", "0.15", true, "", func() bool { return q.Options.Noise == 150 }},
		{"prefetch_degree", "4", true, "", func() bool { return deepumplus.Lookahead.Of(&q.Options) == 4 }},
		{"nn_model_input_file", "x", false, "", func() bool { return true }},
		{"", "1", false, "", func() bool { return true }},
		{"SSD_PCIe_bandwidth_GBps", "fast", true, "is not a number", func() bool { return q.Machine.SSDRead == 3200*unit.MBps }},
	} {
		known, err := train.Configure(&q, tt.key, tt.value)
		if known != tt.known || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || !tt.ok() {
			t.Errorf("Configure(%q, %q) = %v, %v; machine %+v", tt.key, tt.value, known, err, q.Machine)
		}
	}
}

// The engine refuses to run without a memory model: a mistake in a
// system's package.
func TestNoMemoryModel(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_, _ = engine.Run(&workload.Workload{}, nil, engine.Config{})
}

// hasPager reports whether blocks come ahead of faults.
func hasPager(rt engine.Runtime) bool {
	memory, ok := rt.(blocks.Memory)
	return ok && memory.Pager != nil
}

// Where memory is less than the replay of a segment takes, kernels run again that had in the same
// iteration before; the result says so, and says nothing where it fits.
func TestRecomputeSaysRepeats(t *testing.T) {
	w, err := zoo.Build("inception-v3", 8, zoo.AsPaper())
	if err != nil {
		t.Fatal(err)
	}
	again := map[bool]int64{}
	for mib, repeats := range map[unit.Bytes]bool{1024: false, 410: true} {
		m := machine.G10()
		m.GPUMemory = mib * unit.MiB
		r, err := train.Run(w, train.Request{System: "recompute", Machine: m, Options: inCorrectedMode()}, nil)
		if err != nil || !r.Fits {
			t.Fatalf("%d MiB: %v, %v", mib, err, r)
		}
		again[repeats] = r.Main().Swapping.Recomputed
		said := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "No paper has that") })
		if said != repeats {
			t.Errorf("%d MiB: %d kernels ran again, notes %q", mib, again[repeats], r.Notes)
		}
	}
	if again[true] <= again[false] {
		t.Errorf("%d kernels ran again with little memory, %d with enough", again[true], again[false])
	}
}
