package kerneltime

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"spillway/sim/unit"
)

// samples are kernels of every class.
func samples() []Kernel {
	ks := []Kernel{
		{Class: Product, M: 1, N: 1, K: 1},
		{Class: Product, M: 4096, N: 4096, K: 4096},
		{Class: Product, M: 16, N: 50257, K: 1600},
		{Class: BatchedProduct, Batch: 320, M: 1024, N: 1024, K: 64},
		{Class: AttentionForward, Batch: 8, Heads: 16, SeqQ: 2048, SeqKV: 2048, HeadDim: 128, Causal: true},
		{Class: AttentionForward, Batch: 1, Heads: 32, KVHeads: 8, SeqQ: 1, SeqKV: 4096, HeadDim: 96, Attention: Flash3},
		{Class: AttentionBackward, Batch: 2, Heads: 12, SeqQ: 512, SeqKV: 512, HeadDim: 256, Attention: Flash1},
	}
	for _, class := range []Class{ConvForward, ConvData, ConvWeight} {
		ks = append(
			ks,
			Kernel{Class: class, Batch: 64, C: 64, H: 56, W: 56, K: 64, R: 3, S: 3, Stride: 1, Pad: 1, Groups: 1},
			Kernel{Class: class, Batch: 64, C: 96, H: 56, W: 56, K: 96, R: 7, S: 7, Stride: 1, Pad: 3, Groups: 96, Layout: NHWC},
			Kernel{Class: class, Batch: 32, C: 256, H: 28, W: 28, K: 512, R: 1, S: 1, Stride: 2, Groups: 1, Layout: NHWC},
			Kernel{Class: class, Batch: 32, C: 128, H: 28, W: 28, K: 128, R: 3, S: 3, Stride: 1, Pad: 1, Groups: 32},
		)
	}
	for c := range Product {
		ks = append(ks, Kernel{Class: c, Bytes: unit.MiB}, Kernel{Class: c, Bytes: unit.GiB, Passes: 3.1, Element: 2})
	}
	return ks
}

// policies are all there are.
func policies() (ps []Policy) {
	for p := range precisions {
		for s := Inference; s <= Alone; s++ {
			ps = append(ps, Policy{p, s})
		}
	}
	return ps
}

// sound reports whether an estimate is one.
func sound(e Estimate) bool {
	return e.Time > 0 && e.Time >= max(e.Start, e.Compute, e.Memory) && min(e.Start, e.Compute, e.Memory) >= 0 &&
		e.Band > 0 && e.Band <= 100 && e.Time == most(e.Start, max(e.Compute, e.Memory))
}

// Every kernel takes some time on every GPU, whatever its sizes.
func TestEveryGPU(t *testing.T) {
	const huge = math.MaxInt64
	extreme := []int64{math.MinInt64, -1, 0, 1, 1 << 40, huge}
	for i := range gpus {
		g := &gpus[i]
		for _, p := range policies() {
			for _, k := range samples() {
				if e := Time(g, p, &k); !sound(e) || e.Time == longest {
					t.Fatalf("%s, %v, %+v: %+v", g.Key, p, k, e)
				}
			}
		}
		for c := range classes {
			for _, n := range extreme {
				k := Kernel{
					Class: c, Batch: n, M: n, N: n, K: n, C: n, H: n, W: n, R: n, S: n, Stride: n, Pad: n, Groups: n,
					Heads: n, KVHeads: n, SeqQ: n, SeqKV: n, HeadDim: n, Bytes: unit.Bytes(n), Element: unit.Bytes(n), Passes: float64(n),
				}
				if e := Time(g, Policy{BF16, Training}, &k); !sound(e) {
					t.Fatalf("%s, class %d, sizes %d: %+v", g.Key, c, n, e)
				}
			}
		}
	}
}

// A time never falls when a product grows by a tile, or an image by a batch.
func TestMoreTakesLonger(t *testing.T) {
	grow := []func(*Kernel){
		func(k *Kernel) { k.M += 256 },
		func(k *Kernel) { k.N += 256 },
		func(k *Kernel) { k.K += 256 },
		func(k *Kernel) { k.Batch += 256 },
		func(k *Kernel) { k.Bytes *= 2 },
		func(k *Kernel) { k.SeqQ += 256; k.SeqKV += 256 },
	}
	var ks []Kernel
	for _, m := range []int64{16, 128, 512, 1024, 4096} {
		for _, n := range []int64{64, 768, 4096, 50257} {
			for _, k := range []int64{64, 1024, 4096} {
				ks = append(ks, Kernel{Class: Product, M: m, N: n, K: k, Batch: 1})
			}
		}
	}
	ks = append(ks, samples()...)
	for i := range gpus {
		for _, p := range []Precision{FP32, TF32, FP16, FP8} {
			for _, k := range ks {
				before := Time(&gpus[i], Policy{Precision: p}, &k).Time
				for j, more := range grow {
					larger := k
					more(&larger)
					if after := Time(&gpus[i], Policy{Precision: p}, &larger).Time; after < before {
						t.Errorf("%s, %v, %+v grown by %d: %v to %v", gpus[i].Key, p, k, j, before, after)
					}
				}
			}
		}
	}
}

// More of a GPU never takes longer, but for more multiprocessors, which may lose a wave.
func TestMoreGPUTakesLess(t *testing.T) {
	better := []struct {
		allowed float64
		make    func(*GPU)
	}{
		{1, func(g *GPU) { g.FP32, g.TF32, g.FP16, g.Watts = g.FP32*3/2, g.TF32*3/2, g.FP16*3/2, g.Watts*3/2 }},
		{1, func(g *GPU) { g.Bandwidth = g.Bandwidth * 3 / 2 }},
		{1.05, func(g *GPU) {
			g.SMs = g.SMs * 5 / 4
			g.FP32, g.TF32, g.FP16, g.Watts = g.FP32*5/4, g.TF32*5/4, g.FP16*5/4, g.Watts*5/4
		}},
	}
	for i := range gpus {
		for _, p := range []Precision{FP32, TF32, FP16} {
			for _, k := range samples() {
				before := Time(&gpus[i], Policy{Precision: p}, &k).Time
				for j, b := range better {
					g := gpus[i]
					b.make(&g)
					if after := Time(&g, Policy{Precision: p}, &k).Time; float64(after) > float64(before)*b.allowed+1 {
						t.Errorf("%s, %v, %+v, better by %d: %v to %v", g.Key, p, k, j, before, after)
					}
				}
			}
		}
	}
}

// The law is homogeneous: twice the rates and half of the start take half of the time.
func TestTwiceAsFast(t *testing.T) {
	for i := range gpus {
		for _, e := range []Engine{FP32Units, TF32Cores, HalfCores} {
			x, _ := gpus[i].multiplier(e, Training)
			y := x
			y.peak, y.memory, y.start = 2*x.peak, 2*x.memory, x.start/2
			for _, s := range []shape{{1, 4096, 4096, 4096, 1e8, 32, 32}, {320, 1024, 64, 1024, 2e8, 32, 32}, {1, 3, 5, 7, 300, 0, 4}} {
				slow, moved := x.product(s)
				fast, moving := y.product(s)
				if fast != slow/2 || moving != moved/2 || y.start+max(fast, moving) != (x.start+max(slow, moved))/2 {
					t.Errorf("%s, %v: %g and %g, then %g and %g", gpus[i].Key, s, slow, moved, fast, moving)
				}
			}
		}
	}
}

// A step is the sum of its kernels, or what the processor takes to start them.
func TestStep(t *testing.T) {
	g := Find("a100")
	k := Kernel{Class: Product, M: 4096, N: 4096, K: 4096, Count: 3}
	s := Step{Kernels: []Kernel{k, {Bytes: unit.GiB}}, Operators: 4, Backward: 4}
	p := Policy{BF16, Training}
	want := 3*Time(g, p, &k).Time + Time(g, p, &s.Kernels[1]).Time
	if e := s.Time(g, p, Today); e.Time != want || e.Bound != Compute || e.Compute+e.Memory+e.Start != want || e.Host != 4*(24+60)*unit.Microsecond {
		t.Errorf("%+v, want %v", e, want)
	}
	s.Operators = 1000
	if e := s.Time(g, p, Today); e.Bound != Host || e.Time != e.Host {
		t.Errorf("%+v", e)
	}
	if e := s.Time(g, p, Graphs); e.Time != want {
		t.Errorf("%+v", e)
	}
}

func FuzzTime(f *testing.F) {
	f.Add(uint8(10), uint8(5), uint8(3), int64(1), int64(4096), int64(4096), int64(64), int64(3), int64(1), true)
	f.Add(uint8(14), uint8(1), uint8(9), int64(64), int64(64), int64(56), int64(64), int64(3), int64(2), false)
	f.Fuzz(func(t *testing.T, class, precision, gpu uint8, a, b, c, d, e, s int64, yes bool) {
		k := Kernel{
			Class: Class(class % uint8(classes)), Count: s, Batch: a, M: b, N: c, K: d, C: b, H: c, W: c, R: e, S: e, Stride: s, Pad: e / 2, Groups: s,
			Heads: e, KVHeads: s, SeqQ: b, SeqKV: c, HeadDim: d, Causal: yes, Attention: Attention(uint8(e) % 4), Bytes: unit.Bytes(a), Element: unit.Bytes(e), Passes: float64(d),
		}
		if yes {
			k.Layout = NHWC
		}
		p := Policy{Precision(precision % uint8(precisions)), Setting(precision / 8 % 4)}
		if e := Time(&gpus[int(gpu)%len(gpus)], p, &k); !sound(e) {
			t.Errorf("%+v: %+v", k, e)
		}
		step := Step{Kernels: []Kernel{k, k}, Operators: a, Backward: b}
		if e := step.Time(&gpus[int(gpu)%len(gpus)], p, Today); e.Time <= 0 || e.Host < 0 {
			t.Errorf("%+v: %+v", k, e)
		}
	})
}

// BenchmarkTenThousand is asked to take 5 ms an operation, natively on an ordinary core.
func BenchmarkTenThousand(b *testing.B) {
	ks := samples()
	g := Find("rtx-4090")
	for b.Loop() {
		for i := range 10_000 {
			Time(g, Policy{AMPBF16, Training}, &ks[i%len(ks)])
		}
	}
}

// Times have the same bits on every platform.
func TestSameEverywhere(t *testing.T) {
	h := fnv.New64a()
	for i := range gpus {
		for _, p := range policies() {
			for _, k := range samples() {
				e := Time(&gpus[i], p, &k)
				fmt.Fprintln(h, e.Time, e.Start, e.Compute, e.Memory, e.Bound)
			}
		}
	}
	if got, want := h.Sum64(), uint64(0xc5743ec02f0a7872); got != want {
		t.Errorf("%#x, want %#x: if the law was changed on purpose, this is its new sum", got, want)
	}
}

// The product with GPT-2's vocabulary, once 8.8 ms, is 534 MB of fp32 on a card of 1008 GB/s
// and 82.6 TFLOPS.
func TestVocabulary(t *testing.T) {
	k := Kernel{Class: Product, M: 1024, N: 50257, K: 1600}
	if e := Time(Find("rtx-4090"), Policy{FP32, Training}, &k); e.Time < 2500*unit.Microsecond || e.Time > 4*unit.Millisecond {
		t.Errorf("%v; want 2.5 to 4 ms", e.Time)
	}
}
