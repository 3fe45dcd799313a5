package jsontext

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"spillway/sim/compress/buddy"
)

type inner struct {
	Name string `json:"name"`
	Skip int    `json:"-"`
	own  int
}

type all struct {
	inner
	A      bool               `json:"a"`
	B      int8               `json:"b,omitempty"`
	C      uint64             `json:"c"`
	D      float64            `json:"d"`
	E      []string           `json:"e"`
	F      []inner            `json:"f,omitempty"`
	G      [3]int64           `json:"g"`
	H      map[string]float64 `json:"h"`
	I      *inner             `json:"i"`
	J      *float64           `json:"j,omitempty"`
	K      any                `json:"k"`
	L      buddy.Target       `json:"l"`
	M      []buddy.Target     `json:"m"`
	N      struct{}           `json:"n"`
	O      inner              `json:"o"`
	P      inner              `json:"p,omitzero"`
	Plain  string
	hidden int
}

// values are of every kind that is known.
func values() []any {
	x := 1e-9
	return []any{
		nil, true, -1, uint(7), "", "a<b>&\"\\\b\f\n\r\t\x00\x1f\x7fµ\u2028\u2029\ufffd\xffz", []int(nil),
		[]int{},
		map[string]int(nil),
		map[string]int{},
		map[string]any{"b": 1, "a": []any{nil, "x"}},
		all{},
		&all{hidden: 1},
		all{
			inner: inner{"n", 1, 2}, A: true, B: -5, C: math.MaxUint64, D: 0.1, E: []string{"x", "<"}, F: []inner{{}, {Name: "y"}}, G: [3]int64{1, -2, 3}, H: map[string]float64{"z": 1, "<": 2, "": 3},
			I: &inner{}, J: &x, K: map[string]any{"q": 1.5}, L: buddy.Target(2), M: []buddy.Target{0, 1}, Plain: "p",
		},
	}
}

func TestAsEncodingJSON(t *testing.T) {
	for _, v := range values() {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Marshal(v); err != nil || string(got) != string(want) {
			t.Errorf("%+v is %s, %v\nwant %s", v, got, err, want)
		}
		want, _ = json.MarshalIndent(v, "", "  ")
		if got, err := MarshalIndent(v); err != nil || string(got) != string(want) {
			t.Errorf("%+v is %s, %v\nwant %s", v, got, err, want)
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		if got, err := MarshalPlain(v); err != nil || string(got)+"\n" != b.String() {
			t.Errorf("%+v is %s, %v\nwant %s", v, got, err, b.String())
		}
	}
}

func FuzzNumbersAndStrings(f *testing.F) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1e-7, 1e-6, 1e20, 1e21, 1.5e-10, 1e-100, math.MaxFloat64, math.SmallestNonzeroFloat64, 123456789.25} {
		f.Add(x, "text")
	}
	f.Fuzz(func(t *testing.T, x float64, s string) {
		v := map[string]any{s: x, "s": s}
		want, err := json.Marshal(v)
		got, mine := Marshal(v)
		if (err == nil) != (mine == nil) || err == nil && string(got) != string(want) {
			t.Errorf("%v, %q: %s, %v; want %s, %v", x, s, got, mine, want, err)
		}
	})
}

func TestRaw(t *testing.T) {
	type file struct {
		Result  Raw `json:"result"`
		Missing Raw `json:"missing,omitempty"`
	}
	type mirror struct {
		Result  json.RawMessage `json:"result"`
		Missing json.RawMessage `json:"missing,omitempty"`
	}
	text, _ := MarshalIndent(values()[len(values())-1])
	for _, r := range []string{string(text), "{}", "3", "[]", `"a<b>&"`} {
		for _, indented := range []bool{true, false} {
			ours, theirs := MarshalIndent, func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }
			if !indented {
				r = strings.ReplaceAll(r, "\": ", "\":")
				ours, theirs = Marshal, json.Marshal
			}
			got, err := ours(file{Result: Raw(r)})
			want, _ := theirs(mirror{Result: json.RawMessage(r)})
			if err != nil || string(got) != string(want) {
				t.Errorf("%s, %v\nwant %s", got, err, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := Marshal([]float64{math.NaN()}); !errors.Is(err, ErrNumber) {
		t.Error(err)
	}
	for _, v := range []any{
		map[int]int{1: 1}, []byte("x"), make(chan int), struct {
			A int `json:"a,string"`
		}{},
	} {
		if got, err := Marshal(v); err == nil {
			t.Errorf("%T is %s", v, got)
		}
	}
}
