package opstrace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/store/ops"
	"spillway/sim/unit"
)

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestExamplesInDocumentation decodes the examples in FORMAT.md, which are the
// sample files and the same trace, and sees that the table has every field.
func TestExamplesInDocumentation(t *testing.T) {
	text := string(read(t, "FORMAT.md"))
	var traces [2]*ops.Trace
	for form, file := range map[Form]string{CSV: "testdata/tiny.csv", JSONLines: "testdata/tiny.jsonl"} {
		data := read(t, file)
		if !strings.Contains(text, "\n"+string(data)+"```") {
			t.Errorf("%s is not an example in FORMAT.md", file)
		}
		if !Sniff(data) {
			t.Errorf("%s is not recognized", file)
		}
		trace, err := Decode(file, data)
		if err != nil {
			t.Fatal(err)
		}
		traces[form] = trace
		if again, err := Encode(trace, form); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s is written as %s, %v", file, again, err)
		}
	}
	if !reflect.DeepEqual(traces[CSV], traces[JSONLines]) {
		t.Errorf("the examples differ: %+v and %+v", traces[0], traces[1])
	}
	want := ops.Op{Think: 12 * unit.Millisecond, Next: ops.Next{Time: 28 * unit.Millisecond, Order: 3}, Kind: ops.Put}
	if got := traces[CSV].Ops[1]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, k := range keys {
		if !strings.Contains(text, "| `"+k+"` |") {
			t.Errorf("FORMAT.md does not describe %s", k)
		}
	}
}

// random returns a canonical trace; what its clients do makes no sense.
func random(r *rand.Rand, length int) *ops.Trace {
	letters := []rune("abXY 019\",\\/é€😀")
	used := map[string]bool{}
	word := func(kind string) string {
		for {
			w := make([]rune, 1+r.IntN(8))
			for i := range w {
				w[i] = letters[r.IntN(len(letters))]
			}
			if s := string(w); !used[kind+s] {
				used[kind+s] = true
				return s
			}
		}
	}
	var scripts []*ops.Script
	for range 1 + r.IntN(5) {
		s := &ops.Script{Client: word("client")}
		var names []string
		for range 1 + r.IntN(6) {
			names = append(names, word(s.Client+"/"))
		}
		for range 1 + r.IntN(length) {
			s.Think(unit.Time(r.Int64N(int64(unit.Second)) >> r.IntN(41)))
			k := ops.Kind(r.IntN(int(ops.Kinds)))
			size := unit.Bytes(0)
			if k.Allocates() {
				size = 1 + unit.Bytes(r.Int64N(int64(ops.MaxTensor))>>r.IntN(42))
			}
			s.Add(k, s.Tensor(names[r.IntN(len(names))]), size)
		}
		s.Foretell()
		scripts = append(scripts, s)
	}
	t, err := ops.Join(scripts...)
	if err != nil {
		panic(err)
	}
	for i := range t.Ops {
		switch o := &t.Ops[i]; r.IntN(4) {
		case 0:
			o.Next.Order = 0
		case 1:
			o.Next.Time = 0
		}
	}
	return t
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		want := random(rand.New(rand.NewPCG(seed, 0)), 40)
		for _, f := range []Form{CSV, JSONLines} {
			data, err := Encode(want, f)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if seed%3 == 0 {
				data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
			}
			if seed%5 == 0 {
				data = append([]byte("\ufeff"), data...)
			}
			if !Sniff(data) {
				t.Errorf("seed %d, form %d: not recognized", seed, f)
			}
			got, err := Decode("x", data)
			if err != nil {
				t.Fatalf("seed %d, form %d: %v", seed, f, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, form %d: read back as %+v, want %+v", seed, f, got, want)
			}
		}
	}
}

// malformed are changes to one of the samples, and what is said about them.
var malformed = []struct{ file, old, new, want string }{
	{"tiny.csv", "time_us,", "time,", `t:1: the first line is "time,client,op,tensor,bytes,next"; want the header time_us,client,op,tensor,bytes,next, or JSON Lines with these keys`},
	{"tiny.csv", "12000,a", "12e3,a", `t:3: time_us: "12e3" is not a time; want microseconds, 0 to 100000000000, with at most 6 decimals`},
	{"tiny.csv", "12000,a", "1.1234567,a", `t:3: time_us: "1.1234567" is not a time; want microseconds, 0 to 100000000000, with at most 6 decimals`},
	{"tiny.csv", "12000,a", "100000000000.1,a", `t:3: time_us: "100000000000.1" is not a time; want microseconds, 0 to 100000000000, with at most 6 decimals`},
	{"tiny.csv", "40000,a", "11999.5,a", `t:5: time_us: is 11999.5, before 12000 of this client's last operation`},
	{"tiny.csv", "a,put", "a,putt", `t:3: op: unknown operation "putt"; want create, get, put, free, malloc, mfree`},
	{"tiny.csv", "67108864", "64M", `t:2: bytes: "64M" is not a size; want a whole number of bytes, 1 to 4398046511104`},
	{"tiny.csv", "67108864", "", `t:2: bytes: "" is not a size; want a whole number of bytes, 1 to 4398046511104`},
	{"tiny.csv", "x1,,3+28ms", "x1,5,", `t:3: bytes: put has no size, found "5"`},
	{"tiny.csv", "3+28ms", "3+28", `t:3: next: "3+28" is neither the number of an operation (78, at most 1048576) nor a time from now (+36ms, at most 100000 s), nor both (78+36ms)`},
	{"tiny.csv", "3+28ms", "2", `t:3: next: is operation 2 of client a, but this is its operation 2 already`},
	{"tiny.csv", "x1,,\n64000", "x1,,9\n64000", `t:5: next: only put has one, found "9"`},
	{"tiny.csv", "12000,a", "12000,", `t:3: client: has no name`},
	{"tiny.csv", "put,x1", "put,\x01", `t:3: tensor: the name "\x01" has control characters`},
	{"tiny.csv", "put,x1", "put,\xff", `t:3: tensor: the name "\xff" is not UTF-8`},
	{"tiny.csv", "put,x1", "put," + strings.Repeat("x", 65), `t:3: tensor: the name "xxxxxxxxxxxxxxxx"... has 65 bytes; at most 64 are supported`},
	{"tiny.csv", "put,x1,", "put,x1", `t:3: has 5 fields; want 6: time_us,client,op,tensor,bytes,next`},
	{"tiny.csv", "put,x1,", "put,\"x1,", `t:3: the quote before "x1,,3+28ms" is not closed`},
	{"tiny.csv", "put,x1,", "put,\"x1\"y,", `t:3: want a comma after the quoted field 4, found "y,,3+28ms"`},
	{"tiny.csv", "12000,a,put", "x,a,putt", `t:3: time_us: "x" is not a time; want microseconds, 0 to 100000000000, with at most 6 decimals`},
	{"tiny.jsonl", `"op":"put"`, `"op":"putt"`, `t:2: op: unknown operation "putt"; want create, get, put, free, malloc, mfree`},
	{"tiny.jsonl", `"op":"put"`, `"operation":"put"`, `t:2: unknown field "operation"; want one of time_us, client, op, tensor, bytes, next`},
	{"tiny.jsonl", `"op":"put"`, `"op":"put","op":"put"`, `t:2: the field "op" is there twice`},
	{"tiny.jsonl", `"op":"put"`, `"op":put`, `t:2: op: want a string, found "put,\"tensor\":\"x1\",\"next\":\"3+28ms\"}"`},
	{"tiny.jsonl", `"time_us":12000`, `"time_us":-1`, `t:2: time_us: want a number without sign or exponent, found "-1,\"client\":\"a\",\"op\":\"put\",\"tensor\":\"x1\""`},
	{"tiny.jsonl", `"time_us":12000`, `"time_us":"1"`, `t:2: time_us: want a number, found "\"1\",\"client\":\"a\",\"op\":\"put\",\"tensor\":\"x1"`},
	{"tiny.jsonl", `"time_us":12000,`, ``, `t:2: time_us: "" is not a time; want microseconds, 0 to 100000000000, with at most 6 decimals`},
	{"tiny.jsonl", `28ms"}`, `28ms"`, `t:2: want '}', found the end of the line`},
	{"tiny.jsonl", `28ms"}`, `28ms`, `t:2: next: the string "3+28ms" is not closed`},
	{"tiny.jsonl", `28ms"}`, `28ms"}}`, `t:2: want nothing after the object, found "}"`},
	{"tiny.jsonl", `"x1","next"`, `"\x","next"`, `t:2: tensor: "\\x\",\"next\":\"" is not an escape`},
	{"tiny.jsonl", `"x1","next"`, `"\ud800","next"`, `t:2: tensor: "\\ud800\",\"nex" is not an escape`},
}

func TestMessages(t *testing.T) {
	for _, tt := range malformed {
		sample := string(read(t, "testdata/"+tt.file))
		doc := strings.Replace(sample, tt.old, tt.new, 1)
		if doc == sample {
			t.Errorf("%s: not in %s", tt.old, tt.file)
		}
		if _, err := Decode("t", []byte(doc)); fmt.Sprint(err) != tt.want {
			t.Errorf("%s instead of %s:\n got %v\nwant %s", tt.new, tt.old, err, tt.want)
		}
	}
	whole := []struct{ data, want string }{
		{"", "t: the file is empty; want the header " + Header + ", or JSON Lines with these keys"},
		{Header, "t: has no operations"},
		{Header + "\n\n \n", "t: has no operations"},
		{"{}", `t:1: time_us: "" is not a time; want microseconds, 0 to 100000000000, with at most 6 decimals`},
		{Header + "\n1,a,get,x,,\nx\n2,a,get,,,\n", "t:3: has 1 fields; want 6: " + Header + "\nt:4: tensor: has no name"},
	}
	for _, tt := range whole {
		if _, err := Decode("t", []byte(tt.data)); fmt.Sprint(err) != tt.want {
			t.Errorf("%.60q:\n got %v\nwant %s", tt.data, err, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	_, err := Decode("t", []byte(Header+"\n"+strings.Repeat("x\n", 100)))
	if got := strings.Count(fmt.Sprint(err), "\n") + 1; got != problems {
		t.Errorf("%d problems listed, want %d", got, problems)
	}
	var many strings.Builder
	many.WriteString(Header + "\n")
	for i := range ops.MaxClients + 1 {
		fmt.Fprintf(&many, "0,c%d,create,x,1,\n", i)
	}
	_, err = Decode("t", []byte(many.String()))
	if want := `t:66: client: "c64" is one more than the 64 clients that are supported`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err = Decode("t", make([]byte, MaxBytes+1)); err == nil {
		t.Error("a file that is too long is read")
	}
	if testing.Short() {
		return
	}
	long := Header + strings.Repeat("\n0,a,put,x,,", ops.MaxOps)
	if _, err := Decode("t", []byte(long)); err != nil {
		t.Errorf("the greatest number of operations: %v", err)
	}
	_, err = Decode("t", []byte(long+"\n0,a,put,x,,"))
	if want := "t:1048578: more than 1048576 operations"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEveryPrefix cuts the samples off everywhere: an error or a trace, no crash.
func TestEveryPrefix(t *testing.T) {
	for _, file := range []string{"testdata/tiny.csv", "testdata/tiny.jsonl"} {
		data := read(t, file)
		for n := range data {
			Sniff(data[:n])
			if trace, err := Decode("t", data[:n]); err == nil && trace.Validate() != nil {
				t.Errorf("%s up to %d: %v", file, n, trace.Validate())
			}
		}
	}
}

func TestSniff(t *testing.T) {
	for _, s := range []string{"", "time_us", Header + "x", "{", `{"format":"spillway-trace"}`, "\n" + Header, `[{"op":1,"tensor":2}]`} {
		if Sniff([]byte(s)) {
			t.Errorf("%q is taken for a trace of operations", s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, file := range []string{"testdata/tiny.csv", "testdata/tiny.jsonl"} {
		f.Add(read(f, file))
	}
	for _, m := range malformed {
		f.Add([]byte(strings.Replace(string(read(f, "testdata/"+m.file)), m.old, m.new, 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Sniff(data)
		trace, err := Decode("t", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if err := trace.Validate(); err != nil {
			t.Fatalf("read, but %v", err)
		}
		for _, form := range []Form{CSV, JSONLines} {
			again, err := Encode(trace, form)
			if err != nil {
				t.Fatal(err)
			}
			back, err := Decode("t", again)
			if err != nil || !reflect.DeepEqual(back, trace) {
				t.Errorf("read as %+v, written and read again as %+v, %v", trace, back, err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	t := random(rand.New(rand.NewPCG(1, 0)), 40000)
	for name, form := range map[string]Form{"csv": CSV, "jsonl": JSONLines} {
		data, err := Encode(t, form)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("form="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode("x", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
