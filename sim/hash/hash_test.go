package hash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestSum compares with the standard library's SHA-256: every length up to several blocks,
// and random ones.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		if n > 4*block {
			n = r.IntN(1 << 14)
		}
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		same(t, text)
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, text []byte) { same(t, text) })
}

func same(t *testing.T, text []byte) {
	t.Helper()
	want := sha256.Sum256(text)
	if got := Sum(text); got != hex.EncodeToString(want[:]) {
		t.Fatalf("of %d bytes, %.64x: got %s, want %x", len(text), text, got, want)
	}
}

func BenchmarkSum(b *testing.B) {
	text := make([]byte, 1<<16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		sum(text)
	}
}

// TestText writes one of everything and reads it as JSON.
func TestText(t *testing.T) {
	var x Text
	x.Open('{')
	x.String("name", `4 × "<a>"`)
	x.Bool("yes", true)
	x.Int("least", -1<<63)
	Ints(&x, "numbers", []int8{-1, 2})
	Ints(&x, "none", []uint32(nil))
	Rows(&x, "rows", [][]int32{{1}, nil, {}})
	Counts(&x, "counts", []int64{0, 7, 0, -1, 0})
	Strings(&x, "words", []string{"[", "{", ""})
	List(&x, "objects", []bool{true, false}, func(x *Text, v *bool) {
		x.Open('{')
		x.Bool("v", *v)
		x.Close('}')
	})
	x.Name("nothing")
	x.Null()
	x.Close('}')
	const want = `{"name":"4 × \"<a>\"","yes":true,"least":-9223372036854775808,"numbers":[-1,2],"none":null,"rows":[[1],null,[]],` +
		`"counts":{"1":7,"3":-1},"words":["[","{",""],"objects":[{"v":true},{"v":false}],"nothing":null}`
	if string(x) != want {
		t.Errorf("got  %s\nwant %s", x, want)
	}
	var got, back any
	if err := json.Unmarshal(x, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &back); err != nil || !reflect.DeepEqual(got, back) {
		t.Error(got, back, err)
	}
}

// TestCounts shows that a place for something new moves no hash without it.
func TestCounts(t *testing.T) {
	var a, b, c Text
	Counts(&a, "n", []int64{3, 0})
	Counts(&b, "n", []int64{3, 0, 0})
	Counts(&c, "n", []int64{3, 0, 1})
	if string(a) != string(b) || string(a) == string(c) {
		t.Error(string(a), string(b), string(c))
	}
}
