package jsonstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// decode reads any value as encoding/json does, with numbers as they are written.
func decode(r *Reader) any {
	switch r.Peek() {
	case Object:
		m := map[string]any{}
		for r.Object(); ; {
			key, ok := r.Key()
			if !ok {
				return m
			}
			name := string(key)
			m[name] = decode(r)
		}
	case Array:
		list := []any{}
		for r.Array(); r.Elem(); {
			list = append(list, decode(r))
		}
		return list
	case String:
		s, _ := r.Text()
		return string(s)
	case Number:
		s, _ := r.Number()
		return json.Number(s)
	case True, False:
		is, _ := r.Bool()
		return is
	}
	r.Skip()
	return nil
}

func whole(src io.Reader) (any, *Reader) {
	r := NewReader(src, nil)
	v := decode(r)
	r.End()
	return v, r
}

var documents = []string{
	`{}`, `[]`, ` [ ] `, `null`, `true`, `-1.5e+3`, `"x"`, `"\u00e9\n\"\\\/"`,
	`{"a":[1,2,{"b":null}],"c":"d","e":{"f":[[],[{}]]}}`,
	`[` + strings.Repeat(`"\\\\\"",`, 500) + `1]`,
	"{\n\"a\" : 1 ,\n\"long\":\"" + strings.Repeat("x", 200_000) + "\"}",
}

func TestSameAsStandard(t *testing.T) {
	for _, doc := range documents {
		for _, src := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc)), iotest.DataErrReader(strings.NewReader(doc))} {
			got, r := whole(src)
			d := json.NewDecoder(strings.NewReader(doc))
			d.UseNumber()
			var want any
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if r.Err() != nil || r.Repairs.Any() || !reflect.DeepEqual(got, want) {
				t.Errorf("%.40s: %v, %+v", doc, r.Err(), r.Repairs)
			}
		}
	}
}

func TestRepairs(t *testing.T) {
	for _, tt := range []struct {
		doc, want string
		repairs   Repairs
	}{
		{`[1,2,]`, `[1 2]`, Repairs{Commas: 1}},
		{`[1,,2]`, `[1 2]`, Repairs{Commas: 1}},
		{`{"a":1,}`, `map[a:1]`, Repairs{Commas: 1}},
		{`{"a":"C:\Users"}`, `map[a:C:\Users]`, Repairs{Escapes: 1}},
		{"[\"a\x01b\"]", "[a\x01b]", Repairs{Controls: 1}},
		{`[NaN,-Infinity]`, `[ ]`, Repairs{NotFinite: 2}},
		{`{"a":[1`, `map[a:[1]]`, Repairs{Unclosed: 2}},
		{`{"a":"b`, `map[a:]`, Repairs{Unclosed: 1}},
		{`{"a":1,"b" `, `map[a:1]`, Repairs{Unclosed: 1}},
	} {
		got, r := whole(strings.NewReader(tt.doc))
		if r.Err() != nil || fmt.Sprint(got) != tt.want || r.Repairs != tt.repairs {
			t.Errorf("%s: %v, %v, %+v", tt.doc, got, r.Err(), r.Repairs)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{``, "line 1 (byte 0): want a value, found the end of the file"},
		{"[\n1 2]", `line 2 (byte 4): want ',' or ']', found '2'`},
		{`{a:1}`, `line 1 (byte 1): want a name in double quotes, found 'a'`},
		{`{"a" 1}`, `line 1 (byte 5): want ':' after the name, found '1'`},
		{`{"a":}`, `line 1 (byte 5): want a value, found '}'`},
		{`[1] x`, `line 1 (byte 4): want nothing after the end of the document, found 'x'`},
		{`[}`, `line 1 (byte 1): want a value, found '}'`},
		{"[\x00]", "line 1 (byte 1): want a value, found the byte 0x00"},
		{`[tru]`, `line 1 (byte 1): want a value, found "tru"`},
		{strings.Repeat("[", 20_000), "line 1 (byte 10000): brackets nest deeper than 10000 levels"},
		{`["` + strings.Repeat("x", 3<<20) + `"]`, "line 1 (byte 2): the string that begins here has more than 1048576 bytes"},
	} {
		r := NewReader(strings.NewReader(tt.doc), nil)
		decode(r)
		r.End()
		if r.Err() == nil || r.Err().Error() != tt.want {
			t.Errorf("%.20s: %v; want %s", tt.doc, r.Err(), tt.want)
		}
		// What is skipped need not be judged, but nothing may hang.
		s := NewReader(strings.NewReader(tt.doc), nil)
		s.Skip()
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		text  string
		scale int
		want  int64
		ok    bool
	}{
		{"0", 0, 0, true},
		{"-12", 0, -12, true},
		{"1419247332972.313", 6, 1419247332972313000, true},
		{"0.0005", 3, 1, true},
		{"0.0004", 3, 0, true},
		{"9223372036854775807", 0, 1<<63 - 1, true},
		{"9223372036854775808", 0, 0, false},
		{"9007199254740993", 3, 9007199254740993000, true},
		{"99223372036854775807", 0, 0, false},
		{"1e3", 0, 1000, true},
		{"1.5e3", 0, 1500, true},
		{"-2.5E+1", 1, -250, true},
		{"1500e-3", 3, 1500, true},
		{"25e-1", 0, 2, true},
		{"1e99", 0, 0, false},
		{"1e", 0, 0, false},
		{"", 0, 0, false},
		{"-", 0, 0, false},
		{"1.2.3", 0, 0, false},
	} {
		if got, ok := ParseDecimal([]byte(tt.text), tt.scale); got != tt.want || ok != tt.ok {
			t.Errorf("%s at %d: %d, %t", tt.text, tt.scale, got, ok)
		}
	}
}

// TestPrefixes reads every beginning of a document: it says that it was cut off,
// and never panics.
func TestPrefixes(t *testing.T) {
	doc := documents[8] + "\n"
	for n := range len(doc) - 1 {
		r := NewReader(iotest.OneByteReader(strings.NewReader(doc[:n])), nil)
		decode(r)
		if r.End(); n > 0 && n < len(documents[8]) && r.Err() == nil && !r.Cut() {
			t.Errorf("%q: nobody noticed", doc[:n])
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	f.Add([]byte(`[1,,NaN,"\x",]`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		a, ra := whole(bytes.NewReader(doc))
		b, rb := whole(iotest.OneByteReader(bytes.NewReader(doc)))
		if !reflect.DeepEqual(a, b) || ra.Repairs != rb.Repairs || fmt.Sprint(ra.Err()) != fmt.Sprint(rb.Err()) {
			t.Errorf("it depends on how the bytes come: %v, %v", ra.Err(), rb.Err())
		}
		if json.Valid(doc) && ra.Err() != nil && !strings.Contains(ra.Err().Error(), "deeper") && !strings.Contains(ra.Err().Error(), "more than") {
			t.Errorf("valid, but %v", ra.Err())
		}
		s := NewReader(bytes.NewReader(doc), nil)
		s.Skip()
		if s.End(); json.Valid(doc) && s.Err() != nil && !strings.Contains(s.Err().Error(), "deeper") && !strings.Contains(s.Err().Error(), "more than") {
			t.Errorf("skipped: %v", s.Err())
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	event := `{"ph":"X","cat":"cpu_op","name":"aten::as_strided","pid":19392,"tid":19392,"ts":1419247333308.738,"dur":1.66,"args":{"External id":3,"Record function id":0,"Concrete Inputs":["","[1, 512]","[512, 1]","0"],"Input type":["long int","ScalarList","ScalarList","Scalar"],"Input Strides":[[512,1],[],[],[]],"Input Dims":[[1,512],[],[],[]],"Ev Idx":2}},`
	doc := []byte("[" + strings.Repeat(event, 4000) + "{}]")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(doc), nil)
		for r.Array(); r.Elem(); {
			r.Skip()
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
	}
}
