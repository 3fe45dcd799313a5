package wire

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"
)

type inner struct {
	Name string
	Xs   []float64
	Raw  []byte
}

type outer struct {
	On     bool
	N      int
	U      uint8
	F      float64
	Text   string
	Inners []inner
	Some   *inner
	Picks  []int32
	Counts [3]int64
	Pairs  [][2]inner
}

func example() outer {
	return outer{
		true, -300, 200, math.Pi, "→ text",
		[]inner{{Name: "a", Xs: []float64{1, math.Inf(1), -0.5}, Raw: []byte{0, 255}}, {}},
		&inner{Name: "b"},
		[]int32{-1, 1 << 30},
		[3]int64{1, -2, 1 << 40},
		[][2]inner{{{Name: "c"}, {Raw: []byte{7}}}},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, want := range []outer{{}, example()} {
		data, err := Marshal(&want)
		if err != nil {
			t.Fatal(err)
		}
		var got outer
		if err := Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", err, got, want)
		}
		for n := range data { // no beginning of a message is a message
			if Unmarshal(data[:n], &got) == nil {
				t.Errorf("%d of %d bytes are read without an error", n, len(data))
			}
		}
		if Unmarshal(append(data, 0), &got) == nil {
			t.Error("a byte too many is read without an error")
		}
	}
}

func TestRefused(t *testing.T) {
	for _, v := range []any{map[string]int{}, struct{ F func() }{}, struct{ A any }{}, float32(1), struct{ A, b int }{1, 2}, [2]func(){}} {
		if _, err := Marshal(v); err == nil {
			t.Errorf("%T is written", v)
		}
	}
	m := map[string]int{}
	if Unmarshal(head(&m), &m) == nil {
		t.Error("a map is read")
	}
	hidden := struct{ A, b int }{}
	if Unmarshal(append(head(&hidden), 0, 0), &hidden) == nil {
		t.Errorf("a field that is not exported is read: %+v", hidden)
	}
}

// head is how messages of v's type begin.
func head(v any) []byte {
	return binary.LittleEndian.AppendUint32(nil, fingerprint(reflect.TypeOf(v).Elem()))
}

func TestOther(t *testing.T) {
	type list struct {
		N    int
		Next *list
	}
	for _, tt := range []struct {
		written, read any
		same          bool
	}{
		{&struct{ A, B int }{1, 2}, &struct{ A, B int }{}, true},
		{&struct{ A, B int }{1, 2}, &struct{ A, C int }{}, false},
		{&struct{ A, B int }{1, 2}, &struct{ A int }{}, false},
		{&struct{ A int }{1}, &struct{ A int8 }{}, false},
		{&struct{ A []inner }{}, &struct{ A []outer }{}, false},
		{&struct{ A, B []inner }{}, &struct{ A, B []inner }{}, true},
		{&struct{ A [2]int }{}, &struct{ A [3]int }{}, false},
		{&struct{ A [2]int }{[2]int{1, 2}}, &struct{ A [2]int }{}, true},
		{&list{1, &list{N: 2}}, &list{}, true},
	} {
		data, err := Marshal(tt.written)
		if err != nil {
			t.Fatal(err)
		}
		want := ErrOther
		if tt.same {
			want = nil
		}
		if err := Unmarshal(data, tt.read); err != want {
			t.Errorf("%T read as %T: %v, want %v", tt.written, tt.read, err, want)
		} else if tt.same && !reflect.DeepEqual(tt.read, tt.written) {
			t.Errorf("got %+v, want %+v", tt.read, tt.written)
		}
	}
}

// FuzzUnmarshal reads any bytes: an error or a value, never a panic, and never
// more memory than the bytes could hold.
func FuzzUnmarshal(f *testing.F) {
	x := example()
	data, _ := Marshal(&x)
	f.Add(data[4:])
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		var v outer
		if Unmarshal(append(head(&v), data...), &v) != nil {
			return
		}
		again, err := Marshal(&v)
		if err != nil {
			t.Fatal(err)
		}
		var w outer
		if err := Unmarshal(again, &w); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	v := struct{ Curves [][]float64 }{}
	for range 14 {
		v.Curves = append(v.Curves, make([]float64, 1000))
	}
	data, err := Marshal(&v)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
	}
}
