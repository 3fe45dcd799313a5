package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

// large is a trace of the greatest length: clients that put and get tensors of
// several sizes at random, with what they say about the next use being true.
func large(clients int) *ops.Trace {
	r := rand.New(rand.NewPCG(1, 0))
	scripts := make([]*ops.Script, clients)
	for c := range scripts {
		s := &ops.Script{Client: fmt.Sprint("c", c)}
		scripts[c] = s
		const most = 3000
		var live []int32
		for s.Len() < ops.MaxOps/clients-1 {
			s.Think(unit.Time(r.Int64N(int64(100 * unit.Microsecond))))
			if len(live) < most && r.IntN(4) == 0 {
				x := s.Tensor(fmt.Sprintf("t%d", s.Len()))
				s.Add(ops.Create, x, unit.KiB<<r.IntN(14))
				s.Add(ops.Put, x, 0)
				live = append(live, x)
				continue
			}
			if len(live) == 0 {
				continue
			}
			i := r.IntN(len(live))
			s.Add(ops.Get, live[i], 0)
			if r.IntN(4) == 0 {
				s.Add(ops.Free, live[i], 0)
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
			} else {
				s.Add(ops.Put, live[i], 0)
			}
		}
		s.Foretell()
	}
	t, err := ops.Join(scripts...)
	if err != nil {
		panic(err)
	}
	return t
}

// BenchmarkRun runs the greatest trace where a tenth as many evictions as
// operations are usual, and where each operation evicts about twice, which is
// the worst: nearly everything that is brought back is evicted again.
func BenchmarkRun(b *testing.B) {
	for _, clients := range []int{1, 4, 64} {
		t := large(clients)
		for _, memory := range []unit.Bytes{3000 * unit.MiB, 1200 * unit.MiB} {
			s := Published()
			s.Prefetch = 0
			if memory < 2000*unit.MiB {
				s.Prefetch = 1
			}
			s.GPU = unit.Bytes(clients)*s.Client + memory
			for _, p := range all() {
				b.Run(fmt.Sprintf("clients=%d/prefetch=%d/policy=%s", clients, s.Prefetch, p.Name), func(b *testing.B) {
					b.ReportAllocs()
					var r *Result
					for b.Loop() {
						r, _ = Run(t, s, p)
					}
					if !r.Fits() {
						b.Fatal(r.Failure)
					}
					b.ReportMetric(float64(len(t.Ops))*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
					b.ReportMetric(float64(r.Evictions.Count), "evictions")
				})
			}
		}
	}
}

// BenchmarkOwn runs LRU as the store has it and as somebody writes it, by heap and by scan, on a mix.
func BenchmarkOwn(b *testing.B) {
	m := Mixes()[3]
	trace, s := m.Trace(), m.Setup()
	lru, err := Find("lru")
	if err != nil {
		b.Fatal(err)
	}
	const text = "evict = -last\nfetch = last"
	for _, x := range []struct {
		name string
		p    Policy
	}{{"built-in", lru}, {"heap", written(b, text, false)}, {"scan", written(b, text, true)}} {
		b.Run("lru="+x.name, func(b *testing.B) {
			for b.Loop() {
				if r, err := Run(trace, s, x.p); err != nil || !r.Fits() {
					b.Fatal(err)
				}
			}
		})
	}
}
