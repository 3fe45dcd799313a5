package train_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/compress/buddy"
	"spillway/sim/compress/profile"
	"spillway/sim/compress/stretch"
	"spillway/sim/train"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/result"
	"spillway/sim/train/system"
	"spillway/sim/train/system/systemtest"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// Every system obeys the laws on what compression makes of workloads, too.
func TestCompressedSystems(t *testing.T) {
	if len(train.Compressed) != len(train.Systems)-1 { // the bound is none
		t.Fatalf("%d of %d systems are there on compressed memory", len(train.Compressed), len(train.Systems))
	}
	contents := profile.All()[0]
	for i, s := range train.Compressed {
		if plain := &train.Systems[i]; s.Name != "buddy-"+plain.Name || !s.Off || !s.Compressed || s.Look%10 != plain.Look%10 || s.Look == plain.Look || s.Family == plain.Family {
			t.Errorf("%+v", s)
		}
		t.Run(s.Name, func(t *testing.T) {
			systemtest.RunOn(t, s, 40, func(w *workload.Workload) *workload.Workload {
				p := buddy.Published()
				targets, profiles := contents.Choose(w, &p)
				x, err := stretch.Stretch(w, targets, profiles, 900*unit.GBps, 150*unit.GBps)
				if err != nil {
					t.Fatal(err)
				}
				return x.Workload
			})
		})
	}
}

// A result on compressed memory is measured against the workload as it is, and what
// compression costs has a cause of its own. By hand, on a clock of 1 GHz.
func TestCompressedByHand(t *testing.T) {
	m := machine.G10()
	m.Clock, m.GPUMemory = 1_000_000_000, 384*unit.MiB
	// The paper's mix deals 30 : 21 : 29 parts of dense, half empty and sparse: the first
	// of three equal tensors is dense, the second sparse, the third half empty.
	const size = 128 * unit.MiB
	w := &workload.Workload{
		Name: "by hand", Batch: 1,
		Tensors: []workload.Tensor{{Name: "a", Bytes: size, Global: true, Kind: workload.Weight}, {Name: "b", Bytes: size}, {Name: "c", Bytes: size}},
		Kernels: []workload.Kernel{
			{Name: "one", Time: unit.Millisecond, Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{1, 2}},
			{Name: "two", Time: 2 * unit.Millisecond, Inputs: []workload.TensorID{1, 2}, Outputs: []workload.TensorID{0}},
		},
	}
	o := system.Published()
	o.Quirks, o.Iterations = quirk.Corrected(), 1
	q := train.Request{System: "buddy-ideal", Machine: m, Options: o, Record: &engine.Record{}}
	r, err := train.Run(w, q, nil)
	if err != nil || !r.Fits {
		t.Fatalf("%+v, %v", r, err)
	}
	// The sparse one has 2^20 entries: slots of 64 MiB, half a MiB of metadata, as much
	// in the buddy memory as in slots, and 7 % of it is 9,395,241 bytes over the link,
	// which at 150 GB/s are 62,634.94 ns. The first kernel writes it, the second reads it.
	x := r.Compressed
	if x.Plain != 3*size || x.Device != 2*size+size/2+unit.MiB/2 || x.Metadata != unit.MiB/2 || x.Buddy != size/2 || x.Moved != 2*9_395_241 {
		t.Errorf("%+v", x)
	}
	if r.Ideal != 3_000_000 || r.Kernels[0].Ideal != 1_000_000 || r.Main().Ledger != (result.Ledger{Compression: r.Time() - r.Ideal}) || r.Time() < 3_125_268 || r.Time() > 3_125_272 {
		t.Errorf("ideal %d, time %d, %+v", r.Ideal, r.Time(), r.Main().Ledger)
	}
	if s := q.Record.Stalls; len(s) != 2 || s[0].Cause != result.Compression || s[0].Start != 0 || s[1].Kernel != 1 || s[1].End != r.Kernels[1].End-2_000_000 {
		t.Errorf("%+v", q.Record.Stalls)
	}
	if text := strings.Join(r.Notes, " "); !strings.Contains(text, "1.2 times as much fits") || !strings.Contains(text, "longer, 4.2 %") {
		t.Error(text)
	}
	// Uncompressed it fits exactly; with less than it takes compressed it does not.
	q.Machine.GPUMemory = x.Device - 1
	if r, err = train.Run(w, q, nil); err != nil || r.Fits || !strings.Contains(r.Reason, "metadata included; the GPU has") {
		t.Errorf("%+v, %v", r, err)
	}
	q.Machine.GPUMemory = 16 * unit.MiB // its threefold is less than the places in the buddy memory
	if r, err = train.Run(w, q, nil); err != nil || r.Fits || !strings.Contains(r.Reason, "3 times GPU memory") || r.System != "buddy-ideal" {
		t.Errorf("%+v, %v", r, err)
	}
	q.Contents = "guessed"
	if _, err = train.Run(w, q, nil); err == nil || !strings.Contains(err.Error(), "paper, by-kind") {
		t.Error(err)
	}
}

// TestCompressedLaws runs every system on compressed memory, with fixed rates and
// with noise: sums hold, the ideal is the plain system's, the workload stays, and the
// record's stalls are the ledger's.
func TestCompressedLaws(t *testing.T) {
	fits := map[string]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		w, m := systemtest.Workload(r, float64(seed)/60), systemtest.Machine(r)
		o := system.Published()
		o.Quirks, o.Noise = modes[seed%2], int64(seed%3)*100
		for _, s := range train.Compressed {
			q := train.Request{System: s.Name, Machine: m, Options: o, Contents: profile.All()[seed%2].Key, Record: &engine.Record{}}
			before := fmt.Sprintf("%+v", w)
			got, err := train.Run(w, q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprintf("%+v", w) != before {
				t.Fatalf("%s, seed %d: the workload was changed", s.Name, seed)
			}
			q.System, q.Record = strings.TrimPrefix(s.Name, "buddy-"), nil
			if plain, err := train.Run(w, q, nil); err != nil || plain.Ideal != got.Ideal || plain.Compressed != nil || plain.Fits && plain.Main().Ledger.Compression != 0 {
				t.Fatalf("%s, seed %d: ideal %d and %d, %v", s.Name, seed, plain.Ideal, got.Ideal, err)
			}
			if !got.Fits {
				continue
			}
			fits[s.Name]++
			q.System, q.Record = s.Name, &engine.Record{}
			wrong(t, w, q, got)
		}
	}
	for _, s := range train.Compressed {
		if fits[s.Name] < 10 {
			t.Errorf("%s runs %d of 60 workloads", s.Name, fits[s.Name])
		}
	}
}

// wrong reports what does not add up in a result.
func wrong(t *testing.T, w *workload.Workload, q train.Request, got *result.Result) {
	t.Helper()
	again, err := train.Run(w, q, nil)
	if err != nil || !reflect.DeepEqual(got, again) {
		t.Fatalf("%s: the same request gives another result: %v", q.System, err)
	}
	var sum unit.Cycles
	for i, k := range got.Kernels {
		if sum += k.Ideal; k.End-k.Start < k.Ideal {
			t.Fatalf("%s: kernel %d: %+v", q.System, i, k)
		}
	}
	main := got.Main()
	if sum != got.Ideal || main.Ledger.Total() != main.Time-got.Ideal || main.Ledger.Compression < 0 {
		t.Fatalf("%s: ideal %d, of kernels %d, time %d, %+v", q.System, got.Ideal, sum, main.Time, main.Ledger)
	}
	var ledger result.Ledger
	end := unit.Cycles(0)
	for _, s := range q.Record.Stalls {
		*ledger.At(s.Cause) += s.End - s.Start
		if k := got.Kernels[s.Kernel]; s.Start < end || s.Start < k.Start || s.End > k.End {
			t.Fatalf("%s: stall %+v begins before %d or is not in kernel %+v", q.System, s, end, k)
		}
		end = s.End
	}
	if ledger != main.Ledger {
		t.Fatalf("%s: stalls sum to %+v, the ledger is %+v", q.System, ledger, main.Ledger)
	}
}
