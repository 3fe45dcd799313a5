package eager

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

// v100 is the DeepUM paper's.
var v100 = AsDeepUM()

func mustBuild(t testing.TB, id string, batch, sequence int, optimizer string) *tape {
	t.Helper()
	g, err := build(id, batch, sequence, optimizer, v100)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// forEach runs f for every model as a subtest.
func forEach(t *testing.T, f func(t *testing.T, m *Model)) {
	t.Helper()
	for i := range Models {
		t.Run(Models[i].ID, func(t *testing.T) { f(t, &Models[i]) })
	}
}

// lists are the tensors of a kernel.
func lists(k *workload.Kernel) [2][]workload.TensorID {
	return [2][]workload.TensorID{k.Inputs, k.Outputs}
}

// A lifetime is a tensor's first and last kernel; -1: it has none.
type lifetime struct{ first, last int }

func lifetimes(w *workload.Workload) []lifetime {
	of := make([]lifetime, len(w.Tensors))
	for i := range of {
		of[i] = lifetime{-1, -1}
	}
	for i := range w.Kernels {
		for _, list := range lists(&w.Kernels[i]) {
			for _, id := range list {
				if of[id].first < 0 {
					of[id].first = i
				}
				of[id].last = i
			}
		}
	}
	return of
}

// A footprint is what an iteration takes of memory, payload only.
type footprint struct {
	states unit.Bytes // global: weights, gradients of weights, optimizer states
	saved  unit.Bytes // alive between the last forward kernel and the first of the backward pass, without states
	peak   unit.Bytes // most alive during a kernel, without states
}

func measure(t *tape) (f footprint) {
	// The loss splits the iteration; where there are several, it is the one with most.
	change, during := make([]unit.Bytes, len(t.w.Kernels)+1), unit.Bytes(0)
	of := lifetimes(t.w)
	for id, l := range of {
		if x := &t.w.Tensors[id]; x.Global {
			f.states += x.Bytes
		} else if l.first >= 0 {
			change[l.first] += x.Bytes
			change[l.last+1] -= x.Bytes
		}
	}
	split := make([]unit.Bytes, len(t.w.Kernels)) // alive across the start of a kernel
	for id, l := range of {
		if x := &t.w.Tensors[id]; !x.Global && l.first >= 0 {
			for _, i := range t.turns {
				if l.first < i && i <= l.last {
					split[i] += x.Bytes
				}
			}
		}
	}
	for i := range t.w.Kernels {
		during += change[i]
		f.peak = max(f.peak, during)
		f.saved = max(f.saved, split[i])
	}
	return f
}

// near reports whether got differs from want by at most a share.
func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// What a model takes of memory is what the DeepUM paper's rows need: the addendum to the
// simulator's specification, section 5, gives it as computed by another program. Sizes
// are decimal; where the table has a peak it is tested too.
func TestFootprints(t *testing.T) {
	for _, tt := range []struct {
		id                  string
		states, saved, peak float64 // bytes; the last two a sample
	}{
		{"gpt2-xl-pytorch", 24.9e9, 20.5e9, 0},
		{"gpt2-l-pytorch", 12.4e9, 12.4e9, 0},
		{"bert-large-pytorch", 5.4e9, 1.81e9, 0},
		{"bert-base-pytorch", 1.8e9, 0.72e9, 0.85e9},
		{"resnet-152-pytorch", 0.7e9, 177e6, 0},
		{"resnet-200-pytorch", 0.8e9, 255e6, 0},
		{"resnet-200-cifar-pytorch", 0.75e9, 20.2e6, 0},
		{"mobilenet-cifar-pytorch", 0.0397e9, 3.3e6, 0},
		// Not the table's 2.5 MB, which are right for one backward pass through the
		// discriminator's two runs; the example has one for each. By hand: the generator
		// saves 2*(8192 + 16384 + 32768 + 65536) + 12288 numbers, the discriminator 65536 +
		// 2*(32768 + 16384 + 8192).
		{"dcgan-pytorch", 0.101e9, 4 * 438272, 0},
		// Not the table's 48 KB, which count the looked up rows, 13 KB: their last use is
		// putting them together. By hand: the 27*128 numbers put together, the 479 that go
		// on, the layers' 512 + 256 + 128 and 1024 + 1024 + 512 + 256, and four lists of 26
		// indices of 8 bytes.
		{"dlrm-pytorch", 17.3e9, 4*(27*128+479+896+2816) + 26*4*8, 53e3},
	} {
		m, err := Find(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		b := m.DefaultBatch
		one, two := measure(mustBuild(t, m.ID, b, 0, m.Optimizer)), measure(mustBuild(t, m.ID, 2*b, 0, m.Optimizer))
		saved, peak := float64(two.saved-one.saved)/float64(b), float64(two.peak-one.peak)/float64(b)
		t.Logf("%s: states %.2f GB, saved %.2f MB a sample, peak %.2f MB a sample", m.ID, float64(one.states)/1e9, saved/1e6, peak/1e6)
		if got := float64(one.states); !near(got, tt.states, 0.04) {
			t.Errorf("%s: states are %.3g bytes, want %.3g", m.ID, got, tt.states)
		}
		if !near(saved, tt.saved, 0.03) {
			t.Errorf("%s: %.4g bytes a sample are saved, want %.4g", m.ID, saved, tt.saved)
		}
		if tt.peak > 0 && !near(peak, tt.peak, 0.05) {
			t.Errorf("%s: peak is %.4g bytes a sample, want %.4g", m.ID, peak, tt.peak)
		}
	}
}

// What a transformer saves is counted by hand, per block and in units of one row of
// hidden numbers for each token. GPT-2: input, normalized, q, k, v, context, residual,
// normalized, 5 of 4, and two masks of a byte. BERT: input, q, k, v, context, sum, normalized,
// 2 of 4, sum, and two masks. Both: 9 bytes for each attention score.
func TestSavedByHand(t *testing.T) {
	for _, tt := range []struct {
		id                                        string
		layers, hidden, heads, length, vocabulary float64
		units                                     float64
	}{
		{"gpt2-xl-pytorch", 48, 1600, 25, 1024, 50257, 8 + 5*4 + 2*0.25},
		{"gpt2-l-pytorch", 36, 1280, 20, 256, 50257, 8 + 5*4 + 2*0.25},
		{"bert-large-pytorch", 24, 1024, 16, 512, 30522, 8 + 2*4 + 2*0.25},
		{"bert-base-pytorch", 12, 768, 12, 2048, 30522, 8 + 2*4 + 2*0.25},
	} {
		m, _ := Find(tt.id)
		block := tt.units*4*tt.hidden*tt.length + 9*tt.heads*tt.length*tt.length
		want := tt.layers*block + 4*tt.length*tt.vocabulary
		one := measure(mustBuild(t, m.ID, 1, int(tt.length), m.Optimizer))
		two := measure(mustBuild(t, m.ID, 2, int(tt.length), m.Optimizer))
		// Embeddings and heads have a few units, rows' statistics 32 bytes a token.
		if got := float64(two.saved - one.saved); got < want || got > want+8*4*tt.hidden*tt.length+tt.layers*32*tt.length {
			t.Errorf("%s, %v tokens: %.0f bytes a sample are saved, want little more than %.0f", m.ID, tt.length, got, want)
		}
	}
}

func TestParameters(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		g := mustBuild(t, m.ID, m.MinBatch, 0, m.Optimizer)
		var got int64
		for _, p := range g.params {
			got += p.n
		}
		if got != m.Parameters {
			t.Errorf("%d parameters, want %d", got, m.Parameters)
		}
	})
}

// Every tensor is used and, but for globals, written before it is read; every gradient
// that comes is used up.
func TestTensors(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		g := mustBuild(t, m.ID, m.DefaultBatch, 0, m.Optimizer)
		written, read := make([]bool, len(g.w.Tensors)), make([]bool, len(g.w.Tensors))
		for i := range g.w.Kernels {
			k := &g.w.Kernels[i]
			for _, id := range k.Inputs {
				read[id] = true
				if x := &g.w.Tensors[id]; !written[id] && !x.Global {
					t.Errorf("kernel %d (%s) reads %s before it is written", i, k.Name, x.Name)
				}
			}
			for _, id := range k.Outputs {
				written[id] = true
			}
		}
		for id := range g.w.Tensors {
			x := &g.w.Tensors[id]
			switch {
			case !read[id] && !written[id]:
				t.Errorf("tensor %s is not used", x.Name)
			case x.Kind == workload.Gradient && !(read[id] && written[id]):
				t.Errorf("gradient %s is read: %v, written: %v", x.Name, read[id], written[id])
			case !read[id] && x.Bytes > 64 && x.Kind != workload.Workspace:
				t.Errorf("tensor %s of %v is written for nothing", x.Name, x.Bytes)
			}
		}
		if len(g.undo) > 0 {
			t.Errorf("%d operators are not undone", len(g.undo))
		}
	})
}

// Of what an iteration makes, only what an optimizer's step needs itself lives in it.
func TestLiveness(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		g := mustBuild(t, m.ID, m.DefaultBatch, 0, m.Optimizer)
		for id, l := range lifetimes(g.w) {
			x := &g.w.Tensors[id]
			if x.Global || x.Kind == workload.Workspace {
				continue
			}
			if last := &g.w.Kernels[l.last]; last.Name == "sparse_sgd_step" {
				if x.Kind != workload.Gradient && x.Kind != workload.Input { // rows and where they belong
					t.Errorf("%s (%v) is used in kernel %d (%s)", x.Name, x.Kind, l.last, last.Name)
				}
			} else if strings.HasSuffix(last.Name, "_step") {
				t.Errorf("%s (%v) is used in kernel %d (%s), after the backward pass", x.Name, x.Kind, l.last, last.Name)
			}
		}
	})
}

// Every dense parameter gets its gradient, is updated and has it cleared once an
// iteration.
func TestUpdates(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		for _, key := range m.Optimizers() {
			g := mustBuild(t, m.ID, m.MinBatch, 0, key)
			o, err := findOptimizer(key)
			if err != nil {
				t.Fatal(err)
			}
			type count struct{ grown, updated, cleared, states int }
			counts := make([]count, len(g.w.Tensors)) // by .grad
			for i := range g.w.Kernels {
				k := &g.w.Kernels[i]
				switch k.Name {
				case "accumulate_grad":
					counts[k.Outputs[0]].grown++
				case "zero_grad":
					counts[k.Outputs[0]].cleared++
				case o.kernel:
					counts[k.Inputs[1]].updated++
					counts[k.Inputs[1]].states += len(k.Inputs) - 2
				}
			}
			for _, p := range g.params {
				if p.rows != nil {
					continue
				}
				if c := counts[p.sum]; c.grown < 1 || c.updated != 1 || c.cleared != 1 || c.states != len(o.states) {
					t.Errorf("%s: %s: %+v", o.key, p.name, c)
				}
			}
		}
	})
}

// A sample of DLRM touches one row of every table, twice, and waits for the host.
func TestRows(t *testing.T) {
	const batch = 1000
	g := mustBuild(t, "dlrm-pytorch", batch, 0, "sgd")
	if got := g.w.Kernels[0].HostTime; got != 95*unit.Millisecond {
		t.Errorf("the first kernel waits %v for the host, want 95 ms", got)
	}
	touched := make([]int64, len(g.w.Tensors))
	for i := range g.w.Kernels {
		k := &g.w.Kernels[i]
		if i > 0 && k.HostTime != 0 {
			t.Errorf("kernel %d (%s) waits for the host", i, k.Name)
		}
		for _, r := range k.Rows {
			if r.Row != 512 || r.Zipf != 1050 {
				t.Errorf("kernel %d (%s): rows are %+v", i, k.Name, r)
			}
			touched[r.Tensor] += r.Draws
		}
	}
	for _, p := range g.params {
		if want := int64(2 * batch); p.rows != nil && touched[p.id] != want || p.rows == nil && touched[p.id] != 0 {
			t.Errorf("%s: %d rows are touched, want %d of a table", p.name, touched[p.id], want)
		}
	}
	// A kernel that touches rows takes the time of those.
	for i := range g.w.Kernels {
		if k := &g.w.Kernels[i]; len(k.Rows) > 0 && k.Time > 20*unit.Microsecond {
			t.Errorf("kernel %d (%s) takes %v for %d rows", i, k.Name, k.Time, batch)
		}
	}
}

func TestRange(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		if m.DefaultBatch < m.MinBatch || m.DefaultBatch > m.MaxBatch || !strings.HasSuffix(m.ID, "-pytorch") {
			t.Error("the model's description is wrong")
		}
		if !slices.Contains(m.Optimizers(), m.Optimizer) {
			t.Errorf("the usual optimizer %q is none of %q", m.Optimizer, m.Optimizers())
		}
		for _, b := range m.Batches {
			if b < m.MinBatch || b > m.MaxBatch {
				t.Errorf("batch %d is offered but cannot be built", b)
			}
		}
		kernels := 0
		for _, batch := range []int{m.MinBatch, m.DefaultBatch, m.MaxBatch} {
			for _, length := range []int{m.MinSequence, m.Sequence, m.MaxSequence} {
				for _, key := range m.Optimizers() {
					g := mustBuild(t, m.ID, batch, length, key) // which is validated
					if g.w.Model != m.ID || g.w.Batch != batch || g.w.Times != workload.Estimated || !strings.HasPrefix(g.w.Name, m.Title) {
						t.Errorf("batch %d: %q of %q, %d, %s", batch, g.w.Name, g.w.Model, g.w.Batch, g.w.Times)
					}
					if batch == 1 {
						continue // there is no sum over the batch
					}
					if kernels == 0 {
						kernels = len(g.w.Kernels)
					}
					if len(g.w.Kernels) != kernels {
						t.Errorf("batch %d, %d tokens, %s: %d kernels, but others have %d", batch, length, key, len(g.w.Kernels), kernels)
					}
				}
			}
		}
	})
}

// A tensor grows with the batch in proportion or not at all.
func TestBatch(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		b := max(m.MinBatch, 2) // one sample needs no sums over the batch
		one, three := mustBuild(t, m.ID, b, 0, m.Optimizer), mustBuild(t, m.ID, 3*b, 0, m.Optimizer)
		if len(one.w.Tensors) != len(three.w.Tensors) {
			t.Fatalf("%d tensors at batch %d, %d at %d", len(one.w.Tensors), b, len(three.w.Tensors), 3*b)
		}
		for id := range one.w.Tensors {
			x, y := &one.w.Tensors[id], &three.w.Tensors[id]
			if x.Global && x.Bytes != y.Bytes || y.Bytes != x.Bytes && y.Bytes != 3*x.Bytes {
				t.Errorf("%s has %v at batch %d and %v at %d", x.Name, x.Bytes, b, y.Bytes, 3*b)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		id              string
		batch, sequence int
		optimizer       string
		rates           Times
		want            string
	}{
		{"gpt", 1, 0, "adam", v100, `unknown model "gpt"; there are gpt2-xl-pytorch, `},
		{"gpt2-l-pytorch", 0, 0, "adam", v100, "gpt2-l-pytorch: batch 0; want 1 to 4096 sequences"},
		{"gpt2-l-pytorch", 5000, 0, "adam", v100, "batch 5000; want 1 to 4096"},
		{"gpt2-l-pytorch", 1, 31, "adam", v100, "a sequence of 31 tokens; want 32 to 2048"},
		{"gpt2-l-pytorch", 1, -1, "adam", v100, "a sequence of -1 tokens; want 32 to 2048"},
		{"resnet-152-pytorch", 1, 64, "momentum", v100, "no sequences, so give 0"},
		{"resnet-152-pytorch", 1, 0, "lamb", v100, `unknown optimizer "lamb"; take one of sgd, momentum, adam`},
		{"dlrm-pytorch", 1, 0, "adam", v100, `optimizer "adam" has no rule for the tables' sparse gradients; take "sgd"`},
		{"resnet-152-pytorch", 1, 0, "", v100, `unknown optimizer ""`},
		{"resnet-152-pytorch", 1, 0, "sgd", DeepUM{}, "both must be above 0"},
		{"resnet-152-pytorch", 1, 0, "sgd", DeepUM{FP32: math.NaN(), Memory: 1}, "both must be above 0"},
		{"resnet-152-pytorch", 1280, 0, "sgd", DeepUM{FP32: 1e8, Memory: unit.GBps}, "time is"},
	} {
		w, err := Build(tt.id, tt.batch, tt.sequence, tt.optimizer, tt.rates)
		if err == nil || w != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, batch %d, %d tokens, %q: got %v, want %q", tt.id, tt.batch, tt.sequence, tt.optimizer, err, tt.want)
		}
	}
}

func TestDeterministic(t *testing.T) {
	forEach(t, func(t *testing.T, m *Model) {
		a, b := mustBuild(t, m.ID, m.DefaultBatch, 0, m.Optimizer), mustBuild(t, m.ID, m.DefaultBatch, 0, m.Optimizer)
		if !reflect.DeepEqual(a.w, b.w) {
			t.Error("the same call built another workload")
		}
	})
}

// The row that the shares of the peaks are fitted to: kernels alone must be faster than
// the whole iteration, of which the DeepUM paper's Figure 9(b) has 100 in 129 s.
func TestComputeOnly(t *testing.T) {
	var sum unit.Time
	g := mustBuild(t, "bert-base-pytorch", 29, 0, "adam")
	for i := range g.w.Kernels {
		sum += g.w.Kernels[i].Time
	}
	if t.Logf("kernels of BERT-Base at batch 29: %v", sum); sum > 1290*unit.Millisecond || sum < unit.Second {
		t.Errorf("kernels take %v, want at most 1.29 s and not much less", sum)
	}
}

func BenchmarkBuild(b *testing.B) {
	for i := range Models {
		m := &Models[i]
		b.Run("model="+m.ID, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(m.ID, m.DefaultBatch, 0, m.Optimizer, v100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
