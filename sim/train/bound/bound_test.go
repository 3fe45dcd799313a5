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
	"spillway/sim/train/bound"
	"spillway/sim/train/engine"
	"spillway/sim/train/machine"
	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/zoo"
)

// A setting has a name in the model's table: what was measured there with a prototype of
// the same linear program, in seconds.
type setting struct {
	model        string
	batch        int
	gpu          string // whose times are estimated, or "" for the paper's
	memory, host float64
	link         float64
	read, write  float64
	ideal, bound float64
}

var settings = []setting{
	{"bert-base", 256, "", 40, 128, 15.754, 3.2, 3, 6.248, 6.248},
	{"vit-s-32", 1280, "", 40, 128, 15.754, 3.2, 3, 4.001, 4.001},
	{"vit-s-32", 1280, "a100-40", 20, 128, 15.754, 3.2, 3, 1.604, 3.856},
	{"inception-v3", 512, "a100-40", 30, 128, 15.754, 3.2, 3, 1.149, 2.053},
	{"gpt2-l-pytorch", 3, "rtx-3090", 24, 128, 15.754, 3.2, 3, 1.242, 2.759},
	{"resnet-152-pytorch", 128, "rtx-3090", 12, 64, 25, 6.4, 5, 0.585, 0.786},
	{"resnet-50", 256, "h100-80", 16, 64, 50, 12, 6, 0.239, 0.426},
	{"bert-base", 384, "h100-80", 16, 64, 25, 6.4, 3, 1.184, 3.674},
	{"gpt2-xl-pytorch", 2, "a100-80", 40, 32, 25, 6.4, 5, 1.783, 2.025},
	{"senet-154", 32, "h100-80", 9.6124, 128, 15.754, 1, 1, 0.454, 0.454},
	{"bert-base", 192, "h100-80", 16, 64, 25, 6.4, 3, 0.643, 1.159},
	{"gpt2-l-pytorch", 4, "rtx-3090", 16, 64, 25, 6.4, 3, 1.613, 3.445},
}

// problem returns a setting's workload, kernel times and machine.
func (s setting) problem(t testing.TB) (*workload.Workload, []unit.Cycles, machine.Machine) {
	t.Helper()
	m := machine.G10()
	rate := func(gb float64) unit.Bandwidth { return unit.Bandwidth(gb * float64(unit.GBps)) }
	m.GPUMemory, m.HostMemory = unit.Bytes(s.memory*float64(unit.GiB)), unit.Bytes(s.host*float64(unit.GiB))
	m.GPULink, m.HostLink, m.SSDRead, m.SSDWrite = rate(s.link), rate(s.link), rate(s.read), rate(s.write)
	times, g := zoo.AsPaper(), zoo.GPUs[0]
	if s.gpu != "" {
		var err error
		if g, err = zoo.FindGPU(s.gpu); err != nil {
			t.Fatal(err)
		}
		times = zoo.Clean(g)
	}
	var w *workload.Workload
	e, err := eager.Find(s.model)
	if err == nil {
		w, err = eager.Build(e.ID, s.batch, e.Sequence, e.Optimizer, eager.Rates{Name: g.Name, FP32: g.FP32, Memory: g.Memory})
	} else {
		w, err = zoo.BuildFor(s.model, s.batch, times, zoo.Optimizers[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	return w, engine.Ideal(w, engine.Config{Machine: m}), m
}

// solve returns the certificate of a problem, checked.
func solve(t testing.TB, w *workload.Workload, exec []unit.Cycles, m *machine.Machine, moments int) *bound.Certificate {
	t.Helper()
	c, err := bound.Of(w, exec, m).Solve(moments)
	if err == nil {
		_, err = c.Check(w, exec, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of the table's bounds none is missed by more than a hundredth.
func TestBoundNamed(t *testing.T) {
	for i, s := range settings {
		if testing.Short() && i%4 != 3 {
			continue
		}
		w, exec, m := s.problem(t)
		c := solve(t, w, exec, &m, bound.Most)
		var ideal unit.Cycles
		for _, d := range exec {
			ideal += d
		}
		for _, x := range []struct {
			what      string
			got, want float64
		}{{"ideal", float64(ideal) / float64(m.Clock), s.ideal}, {"bound", float64(c.Cycles) / float64(m.Clock), s.bound}} {
			if math.Abs(x.got/x.want-1) > 0.01 {
				t.Errorf("%s at batch %d: %s is %.4f s, the prototype's %.3f", s.model, s.batch, x.what, x.got, x.want)
			}
		}
	}
}

// Fewer moments prove less, never more than a little.
func TestBoundMoments(t *testing.T) {
	w, exec, m := settings[7].problem(t)
	last := unit.Cycles(0)
	for _, n := range []int{5, 10, 20, 40} {
		c := solve(t, w, exec, &m, n)
		if len(c.Moments) > n || c.Cycles < last-last/1000 {
			t.Errorf("%d moments prove %d cycles, fewer proved %d", len(c.Moments), c.Cycles, last)
		}
		last = c.Cycles
	}
}

// Two tensors of 4 MiB that a kernel writes each wait for a third of memory: a kernel
// between needs it all. By hand: 4 MiB go out and in again.
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
	exec := engine.Ideal(w, engine.Config{Machine: m})
	c := solve(t, w, exec, &m, bound.Most)
	// Out between the ends of kernels 0 and the beginning of 1, in between 2 and 3: twice 4 ms
	// beside nothing, but that kernel 0's time and kernel 2's may count.
	want := unit.Cycles(4*1.2e6 + 2*(4-1)*1.2e6)
	if d := c.Cycles - want; d > 1000 || d < -want/200 {
		t.Errorf("the bound is %d cycles, want %d", c.Cycles, want)
	}
	m.GPUMemory = 12 * mib
	if c := solve(t, w, exec, &m, bound.Most); c.Cycles != 4*1.2e6 {
		t.Errorf("all fits, and the bound is %d cycles", c.Cycles)
	}
}

// Whoever changes a price has another bound or none, and never a larger one that is checked.
func TestCertificateRefused(t *testing.T) {
	w, exec, m := settings[10].problem(t)
	c := solve(t, w, exec, &m, 10)
	data, _ := json.Marshal(c)
	change := func(f func(c *bound.Certificate)) error {
		var x bound.Certificate
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatal(err)
		}
		f(&x)
		_, err := x.Check(w, exec, &m)
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
		if got, err := y.Check(w, exec, &m); err == nil && got > c.Cycles {
			t.Fatalf("a changed certificate proves %d instead of %d", got, c.Cycles)
		}
	}
}

// More memory and faster links never raise the bound by more than the search leaves.
func TestBoundMonotone(t *testing.T) {
	effort.Natively(t)
	for i, s := range settings {
		if !effort.Takes(i, 4) {
			continue
		}
		w, exec, m := s.problem(t)
		base := solve(t, w, exec, &m, bound.Most).Cycles
		for name, better := range map[string]func(*machine.Machine){
			"GPU memory":  func(m *machine.Machine) { m.GPUMemory += m.GPUMemory / 10 },
			"host memory": func(m *machine.Machine) { m.HostMemory *= 2 },
			"links":       func(m *machine.Machine) { m.GPULink += m.GPULink / 5; m.HostLink = m.GPULink },
			"SSD":         func(m *machine.Machine) { m.SSDRead += m.SSDRead / 2; m.SSDWrite += m.SSDWrite / 2 },
		} {
			x := m
			better(&x)
			if got := solve(t, w, exec, &x, bound.Most).Cycles; got > base+base/200 {
				t.Errorf("%s at batch %d: better %s raises the bound from %d to %d", s.model, s.batch, name, base, got)
			}
		}
	}
}

// Prices are the same on every platform.
func TestBoundHash(t *testing.T) {
	for i, want := range map[int]string{10: "ea42e33b6e912f8a", 6: "cc41a59f6d713e78"} {
		w, exec, m := settings[i].problem(t)
		text, err := json.Marshal(solve(t, w, exec, &m, 20))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("certificate of %s has hash %s, want %s", settings[i].model, got, want)
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, i := range []int{4, 6, 7} {
		w, exec, m := settings[i].problem(b)
		for _, n := range []struct {
			name    string
			moments int
		}{{"20", 20}, {"40", 40}} {
			b.Run(settings[i].model+"/"+n.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := bound.Of(w, exec, &m).Solve(n.moments); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
