package compress

import (
	"math/rand/v2"
	"testing"

	"spillway/sim/compress/buddy"
	"spillway/sim/unit"
)

// fits reports whether a program has what it needs in the setup's GPU memory.
func fits(r *Result, s *Setup) bool { return s.GPU == 0 || r.Device+r.Capacity.Metadata <= s.GPU }

// TestBound draws machines: no design is below the bound, and where it says that none fits
// none does.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	compared, tight := 0, 0
	for range 40 {
		s := Published()
		s.Link = unit.Bandwidth(1+rng.IntN(900)) * unit.GBps
		s.Threshold, s.Naive = Thousandths(rng.IntN(1001)), Thousandths(rng.IntN(1001))
		s.Bound, s.Written = Thousandths(rng.IntN(1001)), Thousandths(rng.IntN(1001))
		s.Pattern = Pattern{Thousandths(rng.IntN(1001)), Thousandths(rng.IntN(1001))}
		s.Alike = rng.IntN(2) == 0
		for _, suite := range Suites() {
			for _, p := range suite.Programs() {
				s.GPU = 0
				if rng.IntN(2) == 0 {
					s.GPU = unit.Bytes(rng.Int64N(int64(p.Bytes()) * 5 / 4))
				}
				least, ok := Bound(&p, &s)
				for _, v := range Variants() {
					r := Run(&p, &s, &v)
					if v.Ideal || !fits(r, &s) {
						continue
					}
					compared++
					time := 1 + r.Time.Slowdown()
					if !ok || time < least {
						t.Errorf("%s, %s, %+v: %.6f, the bound is %.6f, %v", p.Name, v.Name, s, time, least, ok)
					}
					if time < 1.01*least {
						tight++
					}
				}
			}
		}
	}
	t.Logf("%d runs, %d within 1 %% of the bound", compared, tight)
	if compared < 500 || tight < compared/10 {
		t.Error("of no use")
	}
}

// TestBoundTightness logs how near the best design comes, in the mean over the programs of the
// paper's suites that one fits, with enough memory and where something has to be compressed.
func TestBoundTightness(t *testing.T) {
	for _, suite := range Suites() {
		for _, eighths := range []int64{0, 7, 6, 5} {
			sum, worst, n := 0.0, 0.0, 0
			for _, p := range suite.Programs() {
				s := Published()
				s.GPU = unit.Bytes(eighths) * p.Bytes() / 8
				least, ok := Bound(&p, &s)
				best := 0.0
				for _, v := range Variants() {
					if r := Run(&p, &s, &v); !v.Ideal && fits(r, &s) {
						if time := 1 + r.Time.Slowdown(); best == 0 || time < best {
							best = time
						}
					}
				}
				if ok && best > 0 {
					sum, worst, n = sum+best/least, max(worst, best/least), n+1
				}
			}
			t.Logf("%s, GPU memory %d/8 of the footprint (0: all): %d programs fit, best over bound %.3f in the mean, at most %.3f", suite.Name, eighths, n, sum/float64(n), worst)
		}
	}
}

// TestBoundIsReached has one allocation that compresses to a quarter: traffic that is
// compressed takes a quarter of the time that waits for memory.
func TestBoundIsReached(t *testing.T) {
	h := buddy.Histogram{Entries: 100}
	h.Sectors[1] = 100
	p := Program{Name: "x", Allocations: []buddy.Allocation{{Name: "a", Bytes: 12800, Snapshots: []buddy.Histogram{h}}}}
	s := Published()
	s.Bound = 400
	if least, ok := Bound(&p, &s); !ok || least < 0.7-1e-9 || least > 0.7 {
		t.Errorf("%v %v, want 0.7", least, ok)
	}
	s.GPU = 1 // less than the smallest slots
	if _, ok := Bound(&p, &s); ok {
		t.Error("800 bytes of slots fit into one")
	}
}
