package train_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// small draws the n-th of a series of small random runs.
func small(n uint64) (*workload.Workload, machine.Machine) {
	r := rand.New(rand.NewPCG(n, 7))
	w, m := systemtest.Workload(r, 0.2+0.8*float64(n%50)/50), systemtest.Machine(r)
	switch n % 4 { // what the hand-tuned constants look for
	case 0:
		w.Batch, w.Graph = 512, workload.Graph{Transformer: true, WeightIDs: 210}
	case 1:
		w.Batch, w.Graph = 1024, workload.Graph{Transformer: true, WeightIDs: 184}
	}
	if n%3 == 0 { // time to move tensors
		for i := range w.Kernels {
			w.Kernels[i].Time *= 40
		}
		m.GPUMemory = 20 * unit.MiB
	}
	return w, m
}

// modeless returns the result of a small run; what it says about its mode, which
// some notes do, is cleared.
func modeless(t *testing.T, w *workload.Workload, name string, m machine.Machine, o system.Options) *result.Result {
	t.Helper()
	r, err := train.Run(w, train.Request{System: name, Machine: m, Options: o}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Mode, r.Notes = "", nil
	return r
}

// TestQuirkScopes checks that a quirk changes nothing about the systems that do
// not declare it, in a share of random workloads, at night in all, and something about
// one that does.
func TestQuirkScopes(t *testing.T) {
	if testing.Short() {
		t.Skip("what systems declare is the same everywhere")
	}
	seeds := []uint64{1487, 121, 491, 91} // free-skips-moving and three of the planner's need a long search
	for seed := range uint64(60) {
		seeds = append(seeds, seed)
	}
	for _, q := range quirk.All() {
		seen := false
		for i, seed := range seeds {
			if seen && !effort.Takes(i, share) {
				continue
			}
			w, m := small(seed)
			for _, s := range train.Systems {
				listed := s.Quirks.Has(q.Quirk)
				if listed && seen || !listed && !effort.Takes(i, share) {
					continue
				}
				for _, pair := range [2][2]quirk.Set{
					{quirk.Published(), quirk.Published() &^ q.Quirk}, {quirk.Corrected(), q.Quirk},
				} {
					o := system.Published()
					o.Quirks = pair[0]
					if q.Quirk == quirk.ExactArena {
						o.Noise = 200
					}
					a := modeless(t, w, s.Name, m, o)
					o.Quirks = pair[1]
					if reflect.DeepEqual(a, modeless(t, w, s.Name, m, o)) {
						continue
					}
					if seen = true; !listed {
						t.Fatalf("%s changes %s (seed %d, %v), which does not declare it", q.Key, s.Name, seed, pair[0])
					}
				}
			}
		}
		if !seen {
			t.Errorf("%s changes none of its systems in %d random workloads", q.Key, len(seeds))
		}
	}
}

// TestEveryKnobMatters varies each knob in both modes: it changes the result of
// some system, unless quirk.Set.Inert says that it is not read. That it is not is tried
// on a share of random workloads, at night on all.
func TestEveryKnobMatters(t *testing.T) {
	if testing.Short() {
		t.Skip("what knobs are read is the same everywhere")
	}
	for _, mode := range []quirk.Set{quirk.Published(), quirk.Corrected()} {
		inert := mode.Inert()
		for _, k := range machine.Knobs() {
			varied(t, mode, k, slices.Contains(inert, k.Key), func(m *machine.Machine, _ *system.Options) *machine.Machine { return m })
		}
		for _, k := range train.Knobs() {
			varied(t, mode, k, slices.Contains(inert, k.Key), func(_ *machine.Machine, o *system.Options) *system.Options { return o })
		}
	}
}

// declaring are the systems that a setting may matter to: those that declare it as a
// parameter of theirs, or all where it is everybody's.
func declaring(key string) (list []system.System) {
	for _, s := range train.All() {
		if slices.ContainsFunc(s.Params, func(p *system.Param) bool { return p.Key == key }) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return train.All()
	}
	return list
}

func varied[S any](t *testing.T, mode quirk.Set, k knob.Knob[S], inert bool, of func(*machine.Machine, *system.Options) *S) {
	t.Helper()
	seeds := 90 // rarely read knobs need that many; what is never read needs fewer to be believed
	if inert {
		seeds = 20
	}
	systems := declaring(k.Key)
	if inert && effort.Nightly() {
		systems = train.All()
	}
	changes := ""
	for seed := range uint64(seeds) {
		if inert && !effort.Takes(int(seed), share) {
			continue
		}
		w, m := small(seed)
		o := system.Published()
		o.Quirks = mode
		if k.Key == "seed" {
			o.Noise = 200
		}
		base := map[string]*result.Result{}
		value := k.Get(of(&m, &o))
		for _, v := range []int64{value / 2, value * 2, value - value/10, value + 1, k.Min, k.Max, value * 20} {
			m2, o2 := m, o
			k.Set(of(&m2, &o2), v)
			if k.Check(of(&m2, &o2)) != nil || m2.Validate() != nil {
				continue
			}
			for _, s := range systems {
				if base[s.Name] == nil {
					base[s.Name] = modeless(t, w, s.Name, m, o)
				}
				if reflect.DeepEqual(base[s.Name], modeless(t, w, s.Name, m2, o2)) {
					continue
				}
				if changes = s.Name; !inert {
					return
				}
				t.Errorf("%s, %s: %s changes %s (seed %d) but is listed as inert", mode, k.Label, k.Text(of(&m2, &o2)), changes, seed)
				return
			}
		}
	}
	if !inert {
		t.Errorf("%s: %s changes nothing in %d random workloads and is not listed as inert", mode, k.Label, seeds)
	}
}
