package buddy

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// contents are kinds of data that lie in GPU memory, word by word.
var contents = []struct {
	name string
	word func(r *rand.Rand, j int) uint32
}{
	{"dense-fp32", func(r *rand.Rand, _ int) uint32 { return math.Float32bits(float32(r.NormFloat64() * 0.02)) }},
	// Of activations behind a ReLU half are zero, many of them together.
	{"relu-half", func(r *rand.Rand, j int) uint32 {
		if j/64%2 == 0 {
			return 0
		}
		return math.Float32bits(float32(math.Abs(r.NormFloat64())))
	}},
	{"sparse-95", func(r *rand.Rand, _ int) uint32 {
		if r.IntN(20) > 0 {
			return 0
		}
		return math.Float32bits(float32(r.NormFloat64()))
	}},
	{"zeros", func(*rand.Rand, int) uint32 { return 0 }},
	{"bf16", func(r *rand.Rand, _ int) uint32 {
		a, b := math.Float32bits(float32(r.NormFloat64()*0.02)), math.Float32bits(float32(r.NormFloat64()*0.02))
		return a>>16 | b&0xffff0000
	}},
	// Token IDs of 64 bits.
	{"int-ids", func(r *rand.Rand, j int) uint32 {
		if j%2 == 1 {
			return 0
		}
		return r.Uint32N(50257)
	}},
}

// filled returns n bytes of a kind.
func filled(kind, n int) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, n)
	for j := range n / 4 {
		binary.LittleEndian.PutUint32(data[4*j:], contents[kind].word(r, j))
	}
	return data
}

// BenchmarkMeasure says how many bytes of each kind of data are measured in a second,
// of WebAssembly once its engine has compiled it for the second time, which it does
// with what runs often.
func BenchmarkMeasure(b *testing.B) {
	for range 64 {
		var h Histogram
		h.Measure(filled(4, 1<<18))
	}
	for i, c := range contents {
		b.Run(c.name, func(b *testing.B) {
			data := filled(i, 1<<20)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				var h Histogram
				h.Measure(data)
			}
		})
	}
}
