package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spillway/build/effort"
	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// randomTrace draws a trace of a few clients. Most are legal; one in eight has
// an operation that is not.
func randomTrace(r *rand.Rand, length int) *ops.Trace {
	var scripts []*ops.Script
	thinks := []unit.Time{0, 0, unit.Microsecond, 700*unit.Microsecond + 1, 10 * unit.Millisecond}
	equal := r.IntN(3) == 0
	for c := range 1 + r.IntN(4) {
		s := &ops.Script{Client: fmt.Sprintf("c%d", c)}
		var held, stored, mallocs []int32
		take := func(l *[]int32) int32 {
			i := r.IntN(len(*l))
			x := (*l)[i]
			*l = append((*l)[:i], (*l)[i+1:]...)
			return x
		}
		if r.IntN(2) == 0 {
			s.Think(unit.Time(r.Int64N(int64(50 * unit.Millisecond))))
		}
		for range 1 + r.IntN(length) {
			size := unit.MiB
			if !equal {
				size = 1 + unit.Bytes(r.Int64N(1<<(10+r.IntN(13))))
			}
			switch k := r.IntN(20); {
			case k < 6 && len(held) < 5:
				x := s.Tensor(fmt.Sprintf("t%d", r.IntN(40)))
				if slices.Contains(held, x) || slices.Contains(stored, x) {
					continue
				}
				s.Add(ops.Create, x, size)
				held = append(held, x)
			case k < 12 && len(held) > 0:
				x := take(&held)
				s.Add(ops.Put, x, 0)
				stored = append(stored, x)
			case k < 15 && len(stored) > 0:
				x := take(&stored)
				s.Add(ops.Get, x, 0)
				held = append(held, x)
			case k < 16 && len(held) > 0:
				s.Add(ops.Free, take(&held), 0)
			case k == 16 && len(mallocs) < 2:
				x := s.Tensor(fmt.Sprintf("m%d", s.Len()))
				s.Add(ops.Malloc, x, size)
				mallocs = append(mallocs, x)
			case k >= 17 && len(mallocs) > 0:
				s.Add(ops.MFree, take(&mallocs), 0)
			case len(held) > 0 && r.IntN(10) == 0:
				s.Add(ops.Get, held[0], 0) // allowed
			}
			s.Think(thinks[r.IntN(len(thinks))])
		}
		if s.Len() == 0 || r.IntN(16) == 0 {
			k, size := ops.Kind(r.IntN(int(ops.Kinds))), unit.Bytes(0)
			if k.Allocates() {
				size = 1
			}
			x := s.Tensor(fmt.Sprintf("t%d", r.IntN(40)))
			if known := slices.Concat(stored, held, mallocs); len(known) > 0 && r.IntN(4) > 0 {
				x = known[0]
			}
			s.Add(k, x, size)
		}
		s.Foretell()
		scripts = append(scripts, s)
	}
	t, err := ops.Join(scripts...)
	if err != nil {
		panic(err)
	}
	number := make([]int32, len(t.Clients))
	for i := range t.Ops { // clients lie, or say one thing only, or nothing
		o := &t.Ops[i]
		number[o.Client]++
		if o.Kind != ops.Put {
			continue
		}
		switch r.IntN(8) {
		case 0:
			o.Next = ops.Next{}
		case 1:
			o.Next.Time = 0
		case 2:
			o.Next.Order = 0
		case 3:
			o.Next.Time = unit.Time(r.Int64N(int64(40 * unit.Millisecond)))
		case 4:
			o.Next.Order = number[o.Client] + 1 + int32(r.IntN(50))
		}
	}
	if err := t.Validate(); err != nil {
		panic(err)
	}
	return t
}

// randomSetup draws a GPU that is too small for some of the time.
func randomSetup(r *rand.Rand) Setup {
	s := Published()
	s.Client = unit.Bytes(r.IntN(3)) * unit.KiB
	s.GPU = 4*unit.MiB + unit.Bytes(r.Int64N(int64(24*unit.MiB)))
	if r.IntN(20) == 0 {
		s.Host = unit.Bytes(r.Int64N(int64(4 * unit.MiB)))
	}
	s.Link = unit.Bandwidth(100*unit.MBps) * unit.Bandwidth(1+r.IntN(100))
	s.Free = []unit.Time{0, s.Free, 4 * unit.Millisecond}[r.IntN(3)]
	s.IPC = []unit.Time{0, s.IPC}[r.IntN(2)]
	s.Start = []unit.Time{0, s.Start}[r.IntN(2)]
	s.Pause = []unit.Time{0, 0, 0, 100 * unit.Millisecond}[r.IntN(4)]
	s.Headroom = []unit.Bytes{0, 0, 3 * unit.MiB}[r.IntN(3)]
	s.Parallel, s.Prefetch, s.Shared = r.Int64N(2), min(1, r.Int64N(4)), r.Int64N(2)
	s.Yields = r.Int64N(2)
	return s
}

func all() []Policy { return append(Policies(), Oracle()) }

// TestAgainstNaive compares every field of the result.
func TestAgainstNaive(t *testing.T) {
	const traces = 300
	every := 4
	if testing.Short() {
		every = 8
	}
	tried := 0
	var fits, evictions, late, wasted, waited int64
	reasons := map[Reason]int{}
	for seed := range uint64(traces) {
		if !effort.Takes(int(seed), every) {
			continue
		}
		tried++
		r := rand.New(rand.NewPCG(seed, 1))
		trace, s := randomTrace(r, 20+int(100*seed/traces)), randomSetup(r)
		for _, p := range all() {
			got, err := Run(trace, s, p)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			want := runNaive(trace, s, p.Name)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s, %+v:\n got %+v\nwant %+v\n%v %v", seed, p.Name, s, got, want, got.Failure, want.Failure)
			}
			if got.Fits() {
				fits++
			} else {
				reasons[got.Failure.Reason]++
			}
			evictions += got.Evictions.Count
			sum := got.Sum()
			late += sum.Late
			wasted += got.Wasted
			waited += int64(sum.Parts[WaitCompute])
		}
	}
	t.Logf("%d of %d runs fit, %d evictions, %d late, %d wasted, failures %v", fits, tried*6, evictions, late, wasted, reasons)
	if fits < int64(tried) || evictions == 0 || effort.Nightly() && (evictions < 10*traces || wasted == 0 || waited == 0 || late == 0 || len(reasons) < 6) {
		t.Error("the random traces do not reach everything")
	}
}
