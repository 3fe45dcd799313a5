package bpc

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// vectors are entries whose codes were computed by another program.
func vectors(t testing.TB) (names []string, entries [][Entry]byte, bits []int, streams [][]byte) {
	t.Helper()
	f, err := os.Open("testdata/vectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		in, err := hex.DecodeString(row[1])
		if err != nil || len(in) != Entry {
			t.Fatal(row[0], err)
		}
		n, _ := strconv.Atoi(row[2])
		out, err := hex.DecodeString(row[3])
		if err != nil {
			t.Fatal(row[0], err)
		}
		names, entries, bits, streams = append(names, row[0]), append(entries, [Entry]byte(in)), append(bits, n), append(streams, out)
	}
	return names, entries, bits, streams
}

func TestVectors(t *testing.T) {
	names, entries, bits, streams := vectors(t)
	if len(names) != 38 {
		t.Errorf("%d vectors", len(names))
	}
	for i := range names {
		if got := Bits(&entries[i]); got != bits[i] {
			t.Errorf("%s: %d bits, want %d", names[i], got, bits[i])
		}
		stream, n := Append(nil, &entries[i])
		if n != bits[i] || !bytes.Equal(stream, streams[i]) {
			t.Errorf("%s: bitstream %x of %d bits, want %x of %d", names[i], stream, n, streams[i], bits[i])
		}
		back, err := Decode(streams[i], bits[i])
		if err != nil || back != entries[i] {
			t.Errorf("%s: comes back as %x, %v", names[i], back, err)
		}
	}
}

// entry fills an entry with one of several kinds of data.
func entry(r *rand.Rand, kind int) (e [Entry]byte) {
	step, base := r.Int32N(2000)-1000, r.Uint32()
	for j := range 32 {
		var w uint32
		switch kind % 8 {
		case 0:
			w = r.Uint32()
		case 1:
			w = r.Uint32() >> r.IntN(32)
		case 2:
			w = uint32(r.Int32N(256) - 128)
		case 3:
			w = math.Float32bits(float32(r.NormFloat64() * math.Pow(10, float64(r.IntN(12)-6))))
		case 4:
			w = [...]uint32{0, 0x7fffffff, 0x80000000, 0xffffffff}[r.IntN(4)]
		case 5:
			if r.IntN(20) == 0 {
				w = r.Uint32()
			}
		case 6:
			w = base + uint32(step)*uint32(j)
		case 7:
			w = math.Float32bits(float32(max(0, r.NormFloat64()-0.5)))
		}
		binary.LittleEndian.PutUint32(e[4*j:], w)
	}
	return e
}

func agree(t *testing.T, a, b [Entry]byte) {
	t.Helper()
	var two [2 * Entry]byte
	copy(two[:], a[:])
	copy(two[Entry:], b[:])
	na, nb := Bits2(&two)
	for _, x := range []struct {
		e *[Entry]byte
		n int
	}{{&a, na}, {&b, nb}} {
		stream, n := Append(nil, x.e)
		if x.n != n || Bits(x.e) != n || n > MaxBits || n < ZeroBits || len(stream) != (n+7)/8 {
			t.Errorf("%x: %d bits in pairs, %d alone, %d written", *x.e, x.n, Bits(x.e), n)
		}
		if back, err := Decode(stream, n); err != nil || back != *x.e {
			t.Errorf("%x: comes back as %x, %v", *x.e, back, err)
		}
	}
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		agree(t, entry(r, i), entry(r, i/8))
	}
}

// TestDecodeRefuses damages bitstreams: an error or another entry, never a panic.
func TestDecodeRefuses(t *testing.T) {
	_, entries, bits, streams := vectors(t)
	for i, s := range streams {
		for n := range bits[i] {
			if back, err := Decode(s, n); err == nil && back == entries[i] {
				t.Errorf("vector %d: %d of %d bits are enough", i, n, bits[i])
			}
		}
		if _, err := Decode(append(bytes.Clone(s), 0), bits[i]+8); err == nil {
			t.Errorf("vector %d: what follows is not seen", i)
		}
	}
	if _, err := Decode(nil, 1); err == nil {
		t.Error("more bits than bytes")
	}
}

func TestCodes(t *testing.T) {
	var e [Entry]byte
	if c := Codes(&e); len(c) != 2 || c[0].Kind != Base || c[1].Kind != ZeroRun || c[1].Planes != planes {
		t.Errorf("zeros: %+v", c)
	}
	for k := Base; k <= Raw; k++ {
		if k.String() == Kind(99).String() || k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		e := entry(r, i)
		bits, left := 0, planes
		for _, c := range Codes(&e) {
			bits += c.Bits
			left -= c.Planes
		}
		if bits != Bits(&e) || left != 0 {
			t.Errorf("%x: codes of %d bits, %d planes without one", e, bits, left)
		}
	}
}

func FuzzAgree(f *testing.F) {
	_, entries, _, _ := vectors(f)
	for i := range entries {
		f.Add(entries[i][:], entries[len(entries)-1-i][:])
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var x, y [Entry]byte
		copy(x[:], a)
		copy(y[:], b)
		agree(t, x, y)
	})
}

func FuzzDecode(f *testing.F) {
	_, _, bits, streams := vectors(f)
	for i := range streams {
		f.Add(streams[i], bits[i])
	}
	f.Fuzz(func(t *testing.T, src []byte, bits int) {
		if e, err := Decode(src, bits); err == nil {
			agree(t, e, e)
		}
	})
}

// BenchmarkBits2 is the sizer alone; what else measuring a tensor costs, see
// BenchmarkMeasure of package buddy, which also has more kinds of data.
func BenchmarkBits2(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 1<<20)
	for j := range len(data) / 4 {
		binary.LittleEndian.PutUint32(data[4*j:], math.Float32bits(float32(r.NormFloat64()*0.02)))
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		for i := 0; i < len(data); i += 2 * Entry {
			Bits2((*[2 * Entry]byte)(data[i:]))
		}
	}
}
