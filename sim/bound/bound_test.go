package bound_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/build/prototype"
	"spillway/sim/bound"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/train/swapplan"
	"spillway/sim/unit"
	"spillway/sim/workload"
)

// problem returns a setting's.
func problem(t testing.TB, s *prototype.Setting) *bound.Problem {
	t.Helper()
	w, m := s.Workload(t), s.Machine()
	return swapplan.Problem(w, engine.Ideal(w, engine.Config{Machine: m}), &m)
}

// solve returns the certificate of a problem, checked.
func solve(t testing.TB, p *bound.Problem, moments int) *bound.Certificate {
	t.Helper()
	c, err := p.Solve(moments)
	if err == nil {
		_, err = c.Check(p.Workload, p.Exec, &p.Machine)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of the table's bounds none is missed by more than a hundredth.
func TestBoundNamed(t *testing.T) {
	for i := range prototype.Settings {
		s := &prototype.Settings[i]
		if testing.Short() && i%4 != 3 {
			continue
		}
		p := problem(t, s)
		c := solve(t, p, bound.Most)
		var ideal unit.Cycles
		for _, d := range p.Exec {
			ideal += d
		}
		for _, x := range []struct {
			what      string
			got, want float64
		}{{"ideal", float64(ideal) / float64(p.Machine.Clock), s.Ideal}, {"bound", float64(c.Cycles) / float64(p.Machine.Clock), s.Bound}} {
			if math.Abs(x.got/x.want-1) > 0.01 {
				t.Errorf("%s at batch %d: %s is %.4f s, the prototype's %.3f", s.Model, s.Batch, x.what, x.got, x.want)
			}
		}
		p.Recompute = true
		again := float64(solve(t, p, bound.Most).Cycles) / float64(p.Machine.Clock)
		t.Logf("%s at batch %d: %.4f s, %.4f s where values may be computed again", s.Model, s.Batch, float64(c.Cycles)/float64(p.Machine.Clock), again)
		if s.Recomputing > 0 && math.Abs(again/s.Recomputing-1) > 0.01 {
			t.Errorf("%s at batch %d: where values may be computed again the bound is %.4f s, the prototype's %.3f", s.Model, s.Batch, again, s.Recomputing)
		}
	}
}

// Fewer moments prove less, never more than a little.
func TestBoundMoments(t *testing.T) {
	p := problem(t, &prototype.Settings[7])
	last := unit.Cycles(0)
	for _, n := range []int{5, 10, 20, 40} {
		c := solve(t, p, n)
		if len(c.Moments) > n || c.Cycles < last-last/1000 {
			t.Errorf("%d moments prove %d cycles, fewer proved %d", len(c.Moments), c.Cycles, last)
		}
		last = c.Cycles
	}
}

// Two tensors of 4 MiB that a kernel writes each wait for a third of memory: a kernel
// between needs it all. By hand: 4 MiB go out and in again. Where kernels may run again, 1 MiB
// does beside kernels, and of the one that wrote the rest three quarters run again.
func TestBoundByHand(t *testing.T) {
	const mib = unit.MiB
	ids := func(ts ...workload.TensorID) []workload.TensorID { return ts }
	kernel := func(in, out []workload.TensorID) workload.Kernel {
		return workload.Kernel{Time: unit.Millisecond, Inputs: in, Outputs: out}
	}
	w := &workload.Workload{
		Tensors: []workload.Tensor{{Bytes: 4 * mib}, {Bytes: 8 * mib}},
		Kernels: []workload.Kernel{kernel(nil, ids(0)), kernel(nil, ids(1)), kernel(ids(1), nil), kernel(ids(0), nil)},
	}
	m := machine.G10()
	m.GPUMemory, m.HostMemory = 8*mib, unit.GiB
	m.GPULink, m.HostLink = unit.Bandwidth(1000*mib), unit.Bandwidth(1000*mib)
	p := swapplan.Problem(w, engine.Ideal(w, engine.Config{Machine: m}), &m)
	c := solve(t, p, bound.Most)
	// Out between the ends of kernels 0 and the beginning of 1, in between 2 and 3: twice 4 ms
	// beside nothing, but that kernel 0's time and kernel 2's may count.
	want := unit.Cycles(4*1.2e6 + 2*(4-1)*1.2e6)
	if d := c.Cycles - want; d > 1000 || d < -want/200 {
		t.Errorf("the bound is %d cycles, want %d", c.Cycles, want)
	}
	p.Recompute = true
	c, want = solve(t, p, bound.Most), unit.Cycles(4.75*1.2e6)
	if d := c.Cycles - want; d > 1000 || d < -want/200 {
		t.Errorf("where kernels may run again the bound is %d cycles, want %d", c.Cycles, want)
	}
	p.Machine.GPUMemory = 12 * mib
	if c := solve(t, p, bound.Most); c.Cycles != 4*1.2e6 {
		t.Errorf("all fits, and the bound is %d cycles", c.Cycles)
	}
}

// Whoever changes a price has another bound or none, and never a larger one that is checked.
func TestCertificateRefused(t *testing.T) {
	t.Run("moving", func(t *testing.T) { refused(t, false) })
	t.Run("computing again", func(t *testing.T) { refused(t, true) })
}

func refused(t *testing.T, recompute bool) {
	p := problem(t, &prototype.Settings[10])
	p.Recompute = recompute
	c := solve(t, p, 10)
	data, _ := json.Marshal(c)
	change := func(f func(c *bound.Certificate)) error {
		var x bound.Certificate
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatal(err)
		}
		f(&x)
		_, err := x.Check(p.Workload, p.Exec, &p.Machine)
		return err
	}
	if err := change(func(*bound.Certificate) {}); err != nil {
		t.Error("what is written and read again:", err)
	}
	for _, x := range []struct {
		want   string
		change func(c *bound.Certificate)
	}{
		{"earns more than a cycle", func(c *bound.Certificate) { c.Links[bound.LinkIn][3] += 1e12 }},
		{"its prices prove", func(c *bound.Certificate) { c.Memory[2] += 1e9 }},
		{"its prices prove", func(c *bound.Certificate) { c.Cycles++ }},
		{"its prices prove", func(c *bound.Certificate) { c.Recompute = !c.Recompute }},
		{"want 0 to", func(c *bound.Certificate) { c.Memory[0] = -1 }},
		{"want 0 to", func(c *bound.Certificate) { c.Host[0] = math.MaxInt64 }},
		{"want ascending", func(c *bound.Certificate) { c.Moments[1] = c.Moments[0] }},
		{"prices for", func(c *bound.Certificate) { c.Links[2] = c.Links[2][1:] }},
		{"no moments", func(c *bound.Certificate) { *c = bound.Certificate{} }},
	} {
		if err := change(x.change); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v; want %q", err, x.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var y bound.Certificate
		_ = json.Unmarshal(data, &y)
		list := append([][]int64{y.Memory, y.Host}, y.Links[:]...)[r.IntN(8)]
		i := r.IntN(len(list))
		list[i] += 1 + r.Int64N(1+list[i]/10+1e8)
		if got, err := y.Check(p.Workload, p.Exec, &p.Machine); err == nil && got > c.Cycles {
			t.Fatalf("a changed certificate proves %d instead of %d", got, c.Cycles)
		}
	}
}

// More memory and faster links never raise the bound by more than the search leaves.
func TestBoundMonotone(t *testing.T) {
	effort.Natively(t)
	for i := range prototype.Settings {
		s := &prototype.Settings[i]
		if !effort.Takes(i, 4) {
			continue
		}
		p := problem(t, s)
		base := solve(t, p, bound.Most).Cycles
		for name, better := range map[string]func(*bound.Machine){
			"GPU memory":  func(m *bound.Machine) { m.GPUMemory += m.GPUMemory / 10 },
			"host memory": func(m *bound.Machine) { m.HostMemory *= 2 },
			"links":       func(m *bound.Machine) { m.GPULink += m.GPULink / 5; m.HostLink = m.GPULink },
			"SSD":         func(m *bound.Machine) { m.SSDRead += m.SSDRead / 2; m.SSDWrite += m.SSDWrite / 2 },
		} {
			x := *p
			better(&x.Machine)
			if got := solve(t, &x, bound.Most).Cycles; got > base+base/200 {
				t.Errorf("%s at batch %d: better %s raises the bound from %d to %d", s.Model, s.Batch, name, base, got)
			}
		}
	}
}

// Prices are the same on every platform.
func TestBoundHash(t *testing.T) {
	for i, want := range map[int]string{10: "ea12d274d7ded67d", 6: "31f98c9093eaa26a"} {
		p := problem(t, &prototype.Settings[i])
		text, err := json.Marshal(solve(t, p, 20))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("certificate of %s has hash %s, want %s", prototype.Settings[i].Model, got, want)
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, i := range []int{4, 6, 7} {
		p := problem(b, &prototype.Settings[i])
		for _, n := range []struct {
			name    string
			moments int
		}{{"20", 20}, {"40", 40}} {
			b.Run(prototype.Settings[i].Model+"/"+n.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := p.Solve(n.moments); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCheck reads certificates, as they are exported, and checks them.
func BenchmarkCheck(b *testing.B) {
	for _, i := range []int{4, 6, 7} {
		p := problem(b, &prototype.Settings[i])
		c, err := p.Solve(bound.Most)
		if err != nil {
			b.Fatal(err)
		}
		text, err := json.Marshal(p.Document(c))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(prototype.Settings[i].Model, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var d bound.Document
				if err := json.Unmarshal(text, &d); err != nil {
					b.Fatal(err)
				}
				if _, err := d.Check(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
