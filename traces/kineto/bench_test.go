package kineto

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"testing"
)

// A generator writes a trace that is shaped as real ones: for each layer an operator
// with a few inside it, launches, kernels, flows, memory events and, if asked for,
// Python's functions.
type generator struct {
	stacks bool
	out    bytes.Buffer
	at     int64 // ns
	id     int
}

// epoch is where a real trace's clock may stand, µs.
const epoch = 1_419_247_332_972

func (g *generator) stamp(ns int64) string {
	return fmt.Sprintf("%d.%03d", epoch+ns/1000, ns%1000)
}

func (g *generator) event(format string, a ...any) {
	fmt.Fprintf(&g.out, "  {\n    "+format+"\n  },\n", a...)
}

const kernelName = "void at::native::(anonymous namespace)::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)"

// layer writes the events of one layer.
func (g *generator) layer(n int) {
	g.id += 10
	at, id := g.at, g.id
	if g.stacks {
		for i, f := range []string{"torch/nn/modules/module.py(1747): _call_impl", "/somewhere/project/model/layers.py(214): forward", "nn.Module: Linear_" + fmt.Sprint(n), "torch/nn/functional.py(2905): linear", "<built-in function linear>"} {
			g.event(`"ph": "X", "cat": "python_function", "name": "%s", "pid": 19392, "tid": 19392,
    "ts": %s, "dur": %d.%03d,
    "args": {
      "Python parent id": %d, "Python id": %d, "Ev Idx": %d
    }`, f, g.stamp(at+int64(i)*100), 90-i, 137, id+i, id+i+1, id)
		}
	}
	op := func(name string, from, ns int64, dims, types, strides string) {
		g.event(`"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 19392, "tid": 19392,
    "ts": %s, "dur": %d.%03d,
    "args": {
      "External id": %d,"Record function id": 0, "Sequence number": %d, "Fwd thread id": 0, "Concrete Inputs": ["", "", ""], "Input type": %s, "Input Strides": %s, "Input Dims": %s, "Ev Idx": %d
    }`, name, g.stamp(at+from), ns/1000, ns%1000, id, id, types, strides, dims, id)
	}
	op("aten::linear", 1000, 60_123, "[[8, 141, 512], [512, 512], [512]]", `["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"]`, "[[72192, 512, 1], [512, 1], [1]]")
	op("aten::view", 2000, 900, "[[8, 141, 512], []]", `["c10::BFloat16", "ScalarList"]`, "[[72192, 512, 1], []]")
	op("aten::t", 4000, 3000, "[[512, 512]]", `["c10::BFloat16"]`, "[[512, 1]]")
	op("aten::addmm", 10_000, 40_000, "[[512], [1128, 512], [512, 512], [], []]", `["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"]`, "[[1], [512, 1], [1, 512], [], []]")
	op("aten::empty", 11_000, 3000, "[[], [], [], [], [], []]", `["ScalarList", "Scalar", "", "", "", ""]`, "[[], [], [], [], [], []]")
	memory := func(from int64, sign, total int) {
		g.event(`"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
    "pid": 19392, "tid": 19392,
    "ts": %s,
    "args": {
      "Total Reserved": 121634816, "Total Allocated": %d, "Bytes": %d, "Addr": %d, "Device Id": 0, "Device Type": 1, "Ev Idx": %d
    }`, g.stamp(at+from), total, sign*1_155_072, 128_184_607_182_336+n%7*1_155_072, id)
	}
	memory(12_000, 1, 92_000_000+1_155_072)
	g.event(`"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 19392, "tid": 19392,
    "ts": %s, "dur": 5.120,
    "args": {
      "External id": %d, "cbid": 211, "correlation": %d
    }`, g.stamp(at+20_000), id, id)
	g.event(`"ph": "s", "id": %d, "pid": 19392, "tid": 19392, "ts": %s,
    "cat": "ac2g", "name": "ac2g"`, id, g.stamp(at+20_000))
	g.event(`"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7,
    "ts": %s, "dur": 3.808,
    "args": {
      "External id": %d, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": %d, "registers per thread": 32, "shared memory": 0, "blocks per SM": 2.151515, "warps per SM": 8.606061, "grid": [284, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %%": 13
    }`, kernelName, g.stamp(at+30_000), id, id)
	g.event(`"ph": "f", "id": %d, "pid": 0, "tid": 7, "ts": %s,
    "cat": "ac2g", "name": "ac2g", "bp": "e"`, id, g.stamp(at+30_000))
	memory(70_000, -1, 92_000_000)
	g.at += 100_000
}

// stepText returns the text of the first step.
func (g *generator) stepText() []byte {
	g.id = 10_000_000
	for n := range 200 {
		g.layer(n)
	}
	g.event(`"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#10000000", "pid": 19392, "tid": 19392,
    "ts": %s, "dur": %d.000,
    "args": {
      "External id": 1,"Record function id": 0, "Ev Idx": 0
    }`, g.stamp(0), g.at/1000)
	return g.out.Bytes()
}

// A source yields a trace of many steps without making garbage, so that what is
// measured is the reader's.
type source struct {
	text   []byte // of the next step
	places []int  // of its times (17 digits and a point) and ids (8 digits)
	length int64  // of a step, ns
	head   string
	at     int // in text
}

var timesAndIDs = regexp.MustCompile(`\b14192473\d{5}\.\d{3}|\b10\d{6}\b`)

func newSource(stacks bool) *source {
	g := &generator{stacks: stacks}
	s := &source{head: `{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Some GPU", "totalGlobalMem": 85018279936}], "traceEvents": [`}
	s.text = g.stepText()
	s.length = g.at
	for _, m := range timesAndIDs.FindAllIndex(s.text, -1) {
		s.places = append(s.places, m[0])
	}
	return s
}

// next makes the next step of the text: later times, other ids.
func (s *source) next() {
	for _, at := range s.places {
		add, end := s.length, at+17
		if s.text[at+8] < '0' || s.text[at+8] > '9' {
			add, end = 2000, at+8
		}
		for i := end - 1; i >= at && add > 0; i-- {
			if s.text[i] == '.' {
				continue
			}
			add += int64(s.text[i] - '0')
			s.text[i] = byte('0' + add%10)
			add /= 10
		}
	}
	s.at = 0
}

// Read yields the trace, without end.
func (s *source) Read(p []byte) (int, error) {
	if s.head != "" {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	if s.at == len(s.text) {
		s.next()
	}
	n := copy(p, s.text[s.at:])
	s.at += n
	return n, nil
}

// generated returns a trace of about the given size.
func generated(size int64, stacks bool) []byte {
	b, err := io.ReadAll(io.LimitReader(newSource(stacks), size))
	if err != nil {
		panic(err)
	}
	b = b[:bytes.LastIndex(b, []byte("\n  },\n"))]
	return append(b, "\n  }\n]}\n"...)
}

// BenchmarkRead reads traces; with stacks, most of a trace is Python's functions.
func BenchmarkRead(b *testing.B) {
	for _, stacks := range []bool{false, true} {
		b.Run(fmt.Sprintf("stacks=%t", stacks), func(b *testing.B) {
			doc := generated(20<<20, stacks)
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(bytes.NewReader(doc), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRecordings makes recordings of a trace that is read.
func BenchmarkRecordings(b *testing.B) {
	doc := generated(20<<20, false)
	tr, err := Read(bytes.NewReader(doc), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		tr.calls, tr.outer = nil, nil
		if _, err := tr.Recordings("x"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory reads 300 MB that are never in memory as a whole, and reports what
// the tables take: 1 GB should not take more than 150 MB.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		peak := uint64(0)
		const size = 300 << 20
		tr, err := Read(io.LimitReader(newSource(false), size), func(n int64) {
			if n>>20%16 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapSys)
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "kept-MiB")
		b.ReportMetric(float64(max(peak, after.HeapSys))/(1<<20), "heap-MiB")
		b.ReportMetric(float64(len(tr.Ops)), "operators")
	}
}
