package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// A sample has one field of every kind that traces and results use.
type sample struct {
	Name   string             `json:"name"`
	Bytes  int64              `json:"bytes"`
	Small  int8               `json:"small,omitempty"`
	Count  uint32             `json:"count"`
	Ratio  float64            `json:"ratio"`
	Global bool               `json:"global"`
	IDs    []int32            `json:"ids"`
	Parts  []part             `json:"parts,omitempty"`
	Next   *sample            `json:"next,omitempty"`
	Any    any                `json:"any"`
	Map    map[string]float64 `json:"map"`
	Fixed  [3]int64           `json:"fixed"`
	part
}

type part struct {
	Role string `json:"role"`
	Size int64  `json:"size"`
}

var samples = []string{
	`{"name":"conv1","bytes":9223372036854775807,"small":-128,"count":4294967295,"ratio":0.1,"global":true,"ids":[1,2,3],"parts":[{"role":"weight","size":1}],"next":{"name":"é\u00e9\ud83d\ude00","ids":[]},"any":[null,{"a":1.5e3}],"map":{"x":1,"y":-0.0},"fixed":[1,2,3],"role":"r","size":2}`,
	"{\n  \"name\": \"a\\n\\\"b\\\"\",\n  \"ids\": [1, 2],\n  \"any\": {\"deep\": [[[[]]]]}\n}\n",
	`{"NAME":"other case","unknown":[1,{"x":null}],"ids":null,"parts":[],"fixed":[1],"map":null}`,
	`[{"name":"x"}]`,
	`"just text"`,
	`1e400`,
	`{}`,
}

// malformed are documents with one error each, and what is said about it.
var malformed = []struct{ doc, want string }{
	{``, `line 1, column 1 (byte 0): want a value, found the end of the file; the file is empty`},
	{"  \n ", `line 2, column 2 (byte 4): want a value, found the end of the file; the file is cut off`},
	{"\xef\xbb\xbf{}", `line 1, column 1 (byte 0): want a value, found '\ufeff'; save the file without a byte order mark`},
	{`{`, `line 1, column 2 (byte 1): want a field name in double quotes or '}', found the end of the file; the file is cut off`},
	{`}`, `line 1, column 1 (byte 0): want a value, found '}'`},
	{`[`, `line 1, column 2 (byte 1): want a value or ']', found the end of the file; the file is cut off`},
	{`]`, `line 1, column 1 (byte 0): want a value, found ']'`},
	{`[1,]`, `line 1, column 4 (byte 3): want a value, found ']'; the comma before it is one too many`},
	{`[,1]`, `line 1, column 2 (byte 1): want a value or ']', found ','`},
	{`[1 2]`, `line 1, column 4 (byte 3): want ',' or ']', found '2'`},
	{`[1}`, `line 1, column 3 (byte 2): want ',' or ']', found '}'`},
	{`{"name":"a"]`, `line 1, column 12 (byte 11): want ',' or '}', found ']'`},
	{"{\"name\":\"ä\",\n \"bytes\":1,}", `line 2, column 12 (byte 25): want a field name in double quotes, found '}'; the comma before it is one too many`},
	{"{\"name\":\"ä\", x}", `line 1, column 14 (byte 14): want a field name in double quotes, found 'x'`},
	{`{name:"a"}`, `line 1, column 2 (byte 1): want a field name in double quotes or '}', found 'n'`},
	{`{'name':"a"}`, `line 1, column 2 (byte 1): want a field name in double quotes or '}', found '\''; JSON uses double quotes`},
	{`{"name" "a"}`, `line 1, column 9 (byte 8): want ':' after the field name, found '"'`},
	{`{"name"}`, `line 1, column 8 (byte 7): want ':' after the field name, found '}'`},
	{`{"name":}`, `line 1, column 9 (byte 8): want a value, found '}'`},
	{`{"name":"a" // why`, `line 1, column 13 (byte 12): want ',' or '}', found '/'; JSON has no comments`},
	{`{"name":"a` + "\n" + `b"}`, `line 1, column 11 (byte 10): a string may not contain the control character U+000A as it is; write \u000a, or close the string before it`},
	{`{"name":"a`, `line 1, column 9 (byte 8): the string that begins here is not closed`},
	{`{"name":"a\`, `line 1, column 9 (byte 8): the string that begins here is not closed`},
	{`{"name":"C:\Users"}`, `line 1, column 12 (byte 11): a backslash in a string must begin one of \" \\ \/ \b \f \n \r \t \uXXXX; a backslash itself is \\`},
	{`{"name":"\u12g4"}`, `line 1, column 10 (byte 9): a backslash in a string must begin one of \" \\ \/ \b \f \n \r \t \uXXXX; a backslash itself is \\`},
	{`{"bytes":01}`, `line 1, column 10 (byte 9): a number may not begin with 0`},
	{`{"bytes":-}`, `line 1, column 11 (byte 10): want a digit, found '}'`},
	{`{"bytes":1.}`, `line 1, column 12 (byte 11): want a digit, found '}'`},
	{`{"bytes":.5}`, `line 1, column 10 (byte 9): want a value, found '.'`},
	{`{"bytes":+5}`, `line 1, column 10 (byte 9): want a value, found '+'`},
	{`{"bytes":1e}`, `line 1, column 12 (byte 11): want a digit, found '}'`},
	{`{"bytes":0x10}`, `line 1, column 11 (byte 10): want ',' or '}', found 'x'`},
	{`{"ratio":NaN}`, `line 1, column 10 (byte 9): want a value, found 'N'; JSON knows true, false, null and finite numbers`},
	{`{"any":None}`, `line 1, column 8 (byte 7): want a value, found 'N'; JSON knows true, false, null and finite numbers`},
	{`{"global":True}`, `line 1, column 11 (byte 10): want a value, found 'T'; JSON knows true, false, null and finite numbers`},
	{`{"global":tru}`, `line 1, column 11 (byte 10): want a value, found 't'`},
	{`{"any":nul`, `line 1, column 8 (byte 7): want a value, found 'n'`},
	{`{} {}`, `line 1, column 4 (byte 3): want nothing after the end of the document, found '{'`},
	{"{}\nx", `line 2, column 1 (byte 3): want nothing after the end of the document, found 'x'`},
	{"{}\x00", `line 1, column 3 (byte 2): want nothing after the end of the document, found '\x00'`},
	{"{}\xff", `line 1, column 3 (byte 2): want nothing after the end of the document, found the byte 0xff`},
	{`{"bytes":"12"}`, `line 1, column 10 (byte 9): bytes: want a whole number of at most 64 bits, found "12"`},
	{`{"bytes":1.5}`, `line 1, column 10 (byte 9): bytes: want a whole number of at most 64 bits, found 1.5`},
	{`{"bytes": 9223372036854775808 }`, `line 1, column 11 (byte 10): bytes: want a whole number of at most 64 bits, found 9223372036854775808`},
	{`{"small":128}`, `line 1, column 10 (byte 9): small: want a whole number of at most 8 bits, found 128`},
	{`{"count":-1}`, `line 1, column 10 (byte 9): count: want a whole number from 0, of at most 32 bits, found -1`},
	{`{"ratio":"a very long text that goes on and on"}`, `line 1, column 10 (byte 9): ratio: want a number, found "a very long text that g…`},
	{`{"name":7}`, `line 1, column 9 (byte 8): name: want a string, found 7`},
	{`{"name":{"a":1}}`, `line 1, column 9 (byte 8): name: want a string, found an object`},
	{`{"name":[1]}`, `line 1, column 9 (byte 8): name: want a string, found an array`},
	{`{"global":1}`, `line 1, column 11 (byte 10): global: want true or false, found 1`},
	{`{"ids":{}}`, `line 1, column 8 (byte 7): ids: want an array, found an object`},
	{`{"ids":[1, true]}`, `line 1, column 12 (byte 11): ids.1: want a whole number of at most 32 bits, found true`},
	{`{"next":[]}`, `line 1, column 9 (byte 8): next: want an object, found an array`},
	{"{\"parts\":[{\"size\":1},\n{\"size\":\"2\"}]}", `line 2, column 9 (byte 30): parts.1.size: want a whole number of at most 64 bits, found "2"`},
	{`[1]`, `line 1, column 1 (byte 0): want an object, found an array`},
	{`"x"`, `line 1, column 1 (byte 0): want an object, found "x"`},
	{strings.Repeat("[", 65), `line 1, column 65 (byte 64): arrays and objects nest deeper than 64 levels`},
	{`{"any":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, `line 1, column 71 (byte 70): arrays and objects nest deeper than 64 levels`},
}

func TestMessages(t *testing.T) {
	for _, tt := range malformed {
		for _, options := range [][]Option{nil, {Strict}} {
			var v sample
			err := Unmarshal([]byte(tt.doc), &v, options...)
			if err == nil {
				t.Errorf("%q %v: no error; want %s", tt.doc, options, tt.want)
			} else if err.Error() != tt.want {
				t.Errorf("%q %v:\n got %s\nwant %s", tt.doc, options, err, tt.want)
			}
		}
	}
}

func TestStrict(t *testing.T) {
	const fields = "name, bytes, small, count, ratio, global, ids, parts, next, any, map, fixed, role, size"
	tests := []struct{ doc, want string }{
		{`{"name":"a","role":"weight","any":{"x":1},"map":{"y":2}} `, ""},
		{`{"Name":"a"}`, ""},
		{`{"nam":"a"}`, `line 1, column 2 (byte 1): unknown field "nam"; want one of ` + fields},
		{`{"any":{"nam":1},"next":{"map":{"nam":2},` + "\n" + `"nam":3}}`, `line 2, column 1 (byte 42): unknown field "nam"; want one of ` + fields},
		{`{"parts":[{"role":"a"},{"n\u0061m":1}]}`, `line 1, column 25 (byte 24): unknown field "nam"; want one of role, size`},
		{`{"parts":[{"role":"a"}]} x`, `line 1, column 26 (byte 25): want nothing after the end of the document, found 'x'`},
	}
	for _, tt := range tests {
		var v sample
		err := Unmarshal([]byte(tt.doc), &v, Strict)
		if got := fmt.Sprint(err); err != nil && got != tt.want || err == nil && tt.want != "" {
			t.Errorf("%s:\n got %v\nwant %s", tt.doc, err, tt.want)
		}
		if err := Unmarshal([]byte(strings.TrimRight(tt.doc, " x")), &v); err != nil {
			t.Errorf("%s: not strict: %v", tt.doc, err)
		}
	}
}

func TestAt(t *testing.T) {
	doc := []byte(`{"a":[9,8],"b":{"c":[1,2]},"c":[` + "\n" + `{"c":[5]},[[6]],` + "\n" + ` "x",4]}`)
	tests := []struct {
		member string
		index  int
		want   string
	}{
		{"a", 1, "line 1, column 9 (byte 8): no"},
		{"c", 0, "line 2, column 1 (byte 33): no"},
		{"c", 1, "line 2, column 11 (byte 43): no"},
		{"c", 2, "line 3, column 2 (byte 51): no"},
		{"c", 3, "line 3, column 6 (byte 55): no"},
		{"c", 4, "line 1, column 1 (byte 0): no"},
		{"d", 0, "line 1, column 1 (byte 0): no"},
	}
	for _, tt := range tests {
		if got := At(doc, tt.member, tt.index, "no").Error(); got != tt.want {
			t.Errorf("%s[%d]: got %s, want %s", tt.member, tt.index, got, tt.want)
		}
	}
}

func TestOf(t *testing.T) {
	doc := `{"a": 9, "b":{"a":1,"c":{"a":[{"c":2}]}},` + "\n" + `"c" : "x", "\u0064":{"a":4}, "a":5, "e":{"a":{}}}`
	for _, tt := range []struct {
		keys string
		want string // what begins there
	}{
		{"", doc},
		{"a", `5, "e"`}, // the last of two
		{"b", `{"a":1`},
		{"b a", `1,"c"`},
		{"b c a", `[{"c"`},
		{"b x", `{"a":1`}, // what is there of the way
		{"c", `"x", `},
		{"c a", `"x", `}, // no object
		{"d a", `4}`},    // an escaped key
		{"e a", `{}}}`},
		{"x", doc},
	} {
		e := Of([]byte(doc), "no", strings.Fields(tt.keys)...)
		if !strings.HasPrefix(doc[e.Offset:], tt.want) {
			t.Errorf("%s: byte %d, where %s begins; want %s", tt.keys, e.Offset, doc[e.Offset:], tt.want)
		}
	}
	if got := Of([]byte(doc), "no", "c").Error(); got != "line 2, column 7 (byte 48): no" {
		t.Errorf("got %s", got)
	}
	if got := Of([]byte(`[{"a":1}]`), "no", "a").Error(); got != "line 1, column 1 (byte 0): no" {
		t.Errorf("no object: %s", got)
	}
}

func TestErrorIsFound(t *testing.T) {
	var v sample
	err := Unmarshal([]byte("{\n\"name\": 1}"), &v)
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Offset != 10 || e.Line != 2 || e.Column != 9 {
		t.Errorf("got %#v, want an *Error at line 2, column 9, byte 10", err)
	}
}

func TestDepthIsBoundedBeforeDecoding(t *testing.T) {
	for _, depth := range []int{1, MaxDepth - 1, MaxDepth, MaxDepth + 1, 1_000_000} {
		doc := strings.Repeat("[", depth) + `"[[["` + strings.Repeat("]", depth)
		var v any
		if err := Unmarshal([]byte(doc), &v); (err == nil) != (depth <= MaxDepth) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// standard is what encoding/json does, without its escapes for HTML.
func standard(v any, indent string) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

func TestMarshal(t *testing.T) {
	for _, doc := range samples {
		for _, v := range []any{new(any), new(sample)} {
			_ = json.Unmarshal([]byte(doc), v)
			for indent, marshal := range map[string]func(any) ([]byte, error){"": Marshal, "  ": MarshalIndent} {
				got, err := marshal(v)
				want, wantErr := standard(v, indent)
				if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
					t.Errorf("%s:\n got %s, %v\nwant %s, %v", doc, got, err, want, wantErr)
				}
			}
		}
	}
	if got, err := Marshal(map[string]any{"b<&>": "é\u2028\x01", "a": 1e21}); err != nil || string(got) != `{"a":1e+21,"b<&>":"é\u2028\u0001"}` {
		t.Errorf("got %s, %v", got, err)
	}
	for _, v := range []any{make(chan int), map[string]any{"f": func() {}}} {
		if _, err := Marshal(v); err == nil {
			t.Errorf("%T: no error", v)
		}
	}
}

// agree decodes doc with this package and with encoding/json and reports how
// they differ.
func agree(doc []byte) error {
	if at := tooDeep(doc); at >= 0 {
		return nil // ours alone refuses it, as TestDepthIsBoundedBeforeDecoding says
	}
	if valid, e := json.Valid(doc), check(doc); valid != (e == nil) {
		return fmt.Errorf("encoding/json says valid = %v, the scanner says %v", valid, e)
	}
	for _, strict := range []bool{false, true} {
		for _, fresh := range []func() any{func() any { return new(any) }, func() any { return new(sample) }} {
			got, want := fresh(), fresh()
			var options []Option
			if strict {
				options = []Option{Strict}
			}
			err, wantErr := Unmarshal(doc, got, options...), decodeStandard(doc, want, strict)
			if (err == nil) != (wantErr == nil) {
				return fmt.Errorf("into %T, strict %v: got error %v, encoding/json has %v", got, strict, err, wantErr)
			}
			if err == nil && !reflect.DeepEqual(got, want) {
				return fmt.Errorf("into %T, strict %v: got %+v, encoding/json has %+v", got, strict, got, want)
			}
			if err != nil {
				if e, ok := errors.AsType[*Error](err); !ok || e.Offset < 0 || e.Offset > int64(len(doc)) {
					return fmt.Errorf("into %T, strict %v: error %v has no place in the document", got, strict, err)
				}
			}
		}
	}
	return nil
}

func decodeStandard(doc []byte, v any, strict bool) error {
	if !strict {
		return json.Unmarshal(doc, v)
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// TestAgreesWithEncodingJSON decodes documents that are damaged at random.
func TestAgreesWithEncodingJSON(t *testing.T) {
	const seed = 20
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var docs []string
	docs = append(docs, samples...)
	for _, m := range malformed {
		docs = append(docs, m.doc)
	}
	for _, doc := range docs {
		if err := agree([]byte(doc)); err != nil {
			t.Errorf("%q: %v", doc, err)
		}
	}
	for range 6000 {
		doc := mutate(rnd, []byte(docs[rnd.IntN(len(docs))]))
		if err := agree(doc); err != nil {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// mutate damages a document in one to three places.
func mutate(rnd *rand.Rand, doc []byte) []byte {
	const alphabet = `{}[]",:\ue+-.019tfna` + "\x00\x1f\n \xc3\xff"
	for range 1 + rnd.IntN(3) {
		i := rnd.IntN(len(doc) + 1)
		j := min(len(doc), i+1+rnd.IntN(4))
		var middle []byte
		switch rnd.IntN(4) {
		case 0: // leave out
		case 1: // repeat
			middle = append(bytes.Clone(doc[i:j]), doc[i:j]...)
		case 2: // replace one
			j = min(len(doc), i+1)
			middle = []byte{alphabet[rnd.IntN(len(alphabet))]}
		case 3: // insert
			j = i
			middle = []byte{alphabet[rnd.IntN(len(alphabet))]}
		}
		doc = append(append(bytes.Clone(doc[:i]), middle...), doc[j:]...)
	}
	return doc
}

func FuzzAgreesWithEncodingJSON(f *testing.F) {
	for _, doc := range samples {
		f.Add([]byte(doc))
	}
	for _, m := range malformed {
		f.Add([]byte(m.doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if err := agree(doc); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	var list []sample
	for i := range 5000 {
		list = append(list, sample{Name: fmt.Sprint("tensor", i), Bytes: int64(i) << 12, IDs: []int32{1, int32(i)}, Parts: []part{{"weight", 5}}})
	}
	data, err := Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	for name, decode := range map[string]func([]byte, any) error{
		"jsonx":    func(d []byte, v any) error { return Unmarshal(d, v) },
		"strict":   func(d []byte, v any) error { return Unmarshal(d, v, Strict) },
		"standard": json.Unmarshal,
	} {
		b.Run("decoder="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var v []sample
				if err := decode(data, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWithoutNonFinite: what Python writes of numbers that are none is null, in place, and texts stay.
func TestWithoutNonFinite(t *testing.T) {
	for data, want := range map[string]string{
		`{"a": 1}`:                             `{"a": 1}`,
		`{"a": Infinity, "b": -Infinity}`:      `{"a": null    , "b": null     }`,
		`{"a": NaN,"b":NaN}`:                   `{"a":null,"b":null}`,
		`{"NaN": "Infinity \" NaN", "c": NaN}`: `{"NaN": "Infinity \" NaN", "c":null}`,
		`"NaN`:                                 `"NaN`,
		`["a\\", NaN`:                          `["a\\",null`,
	} {
		if got := string(WithoutNonFinite([]byte(data))); got != want {
			t.Errorf("%s: got %s, want %s", data, got, want)
		}
	}
}
