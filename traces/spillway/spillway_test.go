package spillway

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// all is a workload that uses every field.
func all() *workload.Workload {
	return &workload.Workload{
		Name: "All <fields> & \"quotes\"", Model: "all-fields", Batch: 7, Times: workload.Measured, Origin: "This test, 3 µs ago.",
		Graph: workload.Graph{Transformer: true, WeightIDs: 2},
		Tensors: []workload.Tensor{
			{Name: "activation", Bytes: 1},
			{Name: "weight", Bytes: workload.MaxTensor, Global: true, Kind: workload.Weight},
			{Name: "gradient", Bytes: 4096, Kind: workload.Gradient},
			{Name: "momentum", Bytes: 4097, Global: true, Kind: workload.Optimizer},
			{Name: "scratch", Bytes: 5, Kind: workload.Workspace},
			{Name: "", Bytes: 6, Kind: workload.Input},
		},
		Kernels: []workload.Kernel{
			{Name: "Forward", Time: 1, InputFault: 2, Fault: 3, Inputs: []workload.TensorID{5, 1}, Outputs: []workload.TensorID{0}},
			{Name: "Backward", Time: workload.MaxTime, Inputs: []workload.TensorID{0}, Outputs: []workload.TensorID{2, 4}},
			{Name: "Update", Time: unit.Microsecond, Fault: unit.Second, Inputs: []workload.TensorID{2, 3, 1}, Outputs: []workload.TensorID{1, 3}},
			{Name: "Read", Time: 9, Inputs: []workload.TensorID{4}},
			{Name: "Write", Time: 9, Outputs: []workload.TensorID{4}},
		},
	}
}

func TestGolden(t *testing.T) {
	const file = "testdata/all.json"
	got, err := Encode(all())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, file); !bytes.Equal(got, want) {
		t.Errorf("%s: the format has changed: raise Version unless old files read the same.\n%s", file, got)
	}
	back, err := Decode(file, got)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, all()) {
		t.Errorf("read back as %+v, want %+v", back, all())
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestExampleInDocumentation decodes the example in FORMAT.md, which is the
// sample file, and sees that the tables name every field.
func TestExampleInDocumentation(t *testing.T) {
	text := string(read(t, "FORMAT.md"))
	_, example, _ := strings.Cut(text, "```json\n")
	example, _, closed := strings.Cut(example, "```")
	if !closed {
		t.Fatal("FORMAT.md has no example")
	}
	if tiny := string(read(t, "testdata/tiny.json")); example != tiny {
		t.Error("the example in FORMAT.md is not testdata/tiny.json")
	}
	w, err := Decode("FORMAT.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Tensors) != 9 || len(w.Kernels) != 8 || w.Kernels[0].Time != 41500*unit.Nanosecond || w.GlobalBytes() != (196+3)*unit.Page {
		t.Errorf("the example reads as %+v", w)
	}
	if again, err := Encode(w); err != nil || string(again) != example {
		t.Errorf("the example is written as %s, %v", again, err)
	}
	for _, v := range []any{head{}, graph{}, tensor{}, kernel{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(text, "| `"+name+"` |") {
				t.Errorf("FORMAT.md does not describe %s", name)
			}
		}
	}
}

// random returns a workload of random size and content.
func random(rnd *rand.Rand, tensors, kernels int) *workload.Workload {
	w := &workload.Workload{
		Name: word(rnd), Model: word(rnd), Batch: rnd.IntN(2000), Origin: word(rnd),
		Times:   []workload.TimeSource{workload.Measured, workload.Estimated, workload.ColdModel}[rnd.IntN(3)],
		Graph:   workload.Graph{Transformer: rnd.IntN(2) == 0, WeightIDs: rnd.IntN(3)},
		Tensors: make([]workload.Tensor, tensors), Kernels: make([]workload.Kernel, kernels),
	}
	for i := range w.Tensors {
		w.Tensors[i] = workload.Tensor{
			Name: word(rnd), Bytes: 1 + unit.Bytes(rnd.Int64N(int64(workload.MaxTensor))>>rnd.IntN(42)),
			Global: rnd.IntN(3) == 0, Kind: workload.Kind(rnd.IntN(6)),
		}
	}
	moment := func(least int64) unit.Time {
		return unit.Time(least + rnd.Int64N(int64(workload.MaxTime))>>rnd.IntN(50))
	}
	some := func(least int) []workload.TensorID {
		var ids []workload.TensorID
		for _, t := range rnd.Perm(min(tensors, 12))[:least+rnd.IntN(min(tensors, 5)-least+1)] {
			ids = append(ids, workload.TensorID(t+rnd.IntN(tensors/12+1)*12))
			if int(ids[len(ids)-1]) >= tensors {
				ids[len(ids)-1] = workload.TensorID(t)
			}
		}
		return ids
	}
	for i := range w.Kernels {
		w.Kernels[i] = workload.Kernel{Name: word(rnd), Time: moment(1), Inputs: some(1), Outputs: some(0)}
		if rnd.IntN(2) == 0 {
			w.Kernels[i].InputFault, w.Kernels[i].Fault = moment(0), moment(0)
		}
	}
	return w
}

func word(rnd *rand.Rand) string {
	letters := []rune("abc_XYZ 019\"\\/<>&'\n\t\x00\x7fé€\u2028😀\ufffd")
	r := make([]rune, rnd.IntN(8))
	for i := range r {
		r[i] = letters[rnd.IntN(len(letters))]
	}
	return string(r)
}

func TestRoundTrip(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range 300 {
		w := random(rnd, 1+rnd.IntN(40), 1+rnd.IntN(40))
		data, err := Encode(w)
		if err != nil {
			t.Fatalf("workload %d: %v", i, err)
		}
		if i%3 == 0 {
			data = compress(t, data)
		}
		if !Sniff(data) {
			t.Errorf("workload %d is not recognized", i)
		}
		back, err := Decode("w.json", data)
		if err != nil {
			t.Fatalf("workload %d: %v", i, err)
		}
		if !reflect.DeepEqual(back, w) {
			t.Fatalf("workload %d: read back as %+v, want %+v", i, back, w)
		}
	}
}

func compress(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestSniff(t *testing.T) {
	tiny := read(t, "testdata/tiny.json")
	zipped := compress(t, tiny)
	tests := []struct {
		name string
		data []byte
		want bool
	}{
		{"sample", tiny, true},
		{"one line", []byte(`{"format":"spillway-trace"`), true},
		{"newer version", []byte(`{"version":9, "format" : "spillway-trace"}`), true},
		{"byte order mark", append([]byte("\ufeff"), tiny...), true},
		{"compressed", zipped, true},
		{"compressed, cut off", zipped[:len(zipped)-20], true},
		{"compressed, something else", compress(t, []byte("{}")), false},
		{"header of gzip", []byte{0x1f, 0x8b}, false},
		{"empty", nil, false},
		{"results", []byte(`{"format":"spillway-results"}`), false},
		{"an array", []byte(`["spillway-trace"]`), false},
		{"too late", []byte(`{` + strings.Repeat(" ", sniffed) + `"format":"spillway-trace"}`), false},
	}
	for _, tt := range tests {
		if got := Sniff(tt.data); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// malformed are changes to the sample, and what is said about them.
var malformed = []struct{ old, new, want string }{
	{`"format": "spillway-trace",`, ``, `t.json: not a Spillway trace: it has no "format": "spillway-trace"`},
	{`"spillway-trace"`, `"spillway-results"`, `t.json: not a Spillway trace: "format" is "spillway-results"; want "spillway-trace"`},
	{`"spillway-trace"`, `1`, `t.json:2:13: format: want a string, found 1`},
	{`"version": 1,`, ``, `t.json: no "version"; add "version": 1`},
	{`"version": 1,`, `"version": 0,`, `t.json: version is 0; want 1`},
	{`"version": 1,`, `"version": 2, "shape": {},`, `t.json: the trace has version 2, which is newer than this Spillway (it reads version 1); use a newer Spillway, or save the trace as version 1`},
	{`"version": 1,`, `"version": "1",`, `t.json:3:14: version: want a whole number of at most 64 bits, found "1"`},
	{`"batch": 32`, `"batch": 3.2`, `t.json:6:12: batch: want a whole number of at most 64 bits, found 3.2`},
	{`"batch": 32`, `"batch": -1`, `t.json: batch is -1; want 0 (unknown) or more`},
	{`"batch": 32`, `"btach": 32`, `t.json:6:3: unknown field "btach"; want one of format, version, name, model, batch, times, origin, graph, tensors, kernels`},
	{`"estimated"`, `"guessed"`, `t.json: times is "guessed"; want measured, estimated or as-paper`},
	{`"times": "estimated",`, ``, `t.json: times is ""; want measured, estimated or as-paper`},
	{`"bytes":1280}`, `"bytes":0}`, `t.json:14:5: tensor 4 (fc2.out): size is 0 bytes; want 1 to 4398046511104`},
	{`"bytes":1280}`, `"bytes":1e3}`, `t.json:14:31: tensors.4.bytes: want a whole number of at most 64 bits, found 1e3`},
	{`"bytes":1280}`, `"size":1280}`, `t.json:14:23: unknown field "size"; want one of name, bytes, kind, global`},
	{`"kind":"input"`, `"kind":"data"`, `t.json:10:5: tensor 0 (images): unknown tensor kind "data"; want one of [intermediate weight gradient optimizer workspace input]`},
	{`"time_ps":5000000,`, ``, `t.json:23:5: kernel 2 (Loss): time is 0 ps; want 1 to 1000000000000000`},
	{`"time_ps":5000000,`, `"time_us":5,`, `t.json:23:20: unknown field "time_us"; want one of name, time_ps, input_fault_ps, fault_ps, in, out, host_ps, rows`},
	{`"in":[4],"out":[5]`, `"in":[]`, `t.json:23:5: kernel 2 (Loss): has no tensors`},
	{`"in":[4],"out":[5]`, `"in":[4,4],"out":[9]`, "t.json:23:5: kernel 2 (Loss): tensor 4 (fc2.out) is listed twice\nt.json:23:5: kernel 2 (Loss): tensor id 9 is not between 0 and 8"},
	{`"in":[4]`, `"in":4`, `t.json:23:43: kernels.2.in: want an array, found 4`},
	{`"in":[4]`, `"in":[4294967296]`, `t.json:23:44: kernels.2.in.0: want a whole number of at most 32 bits, found 4294967296`},
	{`"in":[4]`, `"fault_ps":-1,"in":[4]`, `t.json:23:5: kernel 2 (Loss): fault times are 0 and -1 ps; want 0 to 1000000000000000`},
	{`"bytes":1280}`, `"bytes":1280},`, `t.json:14:37: want a value, found ','`},
	{"  ]\n}\n", "  ]\n", `t.json:30:1: want ',' or '}', found the end of the file; the file is cut off`},
	{"  ]\n}\n", "  ]\n}}\n", `t.json:30:2: want nothing after the end of the document, found '}'`},
	{"{\n", "[\n", `t.json:2:11: want ',' or ']', found ':'`},
	{`"kernels": [`, `"kernels": [], "kernels": null, "origin": [`, `t.json:20:45: origin: want a string, found an array`},
}

func TestMessages(t *testing.T) {
	tiny := string(read(t, "testdata/tiny.json"))
	for _, tt := range malformed {
		doc := strings.Replace(tiny, tt.old, tt.new, 1)
		if doc == tiny {
			t.Errorf("%s: not in the sample", tt.old)
		}
		if _, err := Decode("t.json", []byte(doc)); fmt.Sprint(err) != tt.want {
			t.Errorf("%s instead of %s:\n got %v\nwant %s", tt.new, tt.old, err, tt.want)
		}
	}
	zipped := compress(t, []byte(tiny))
	broken := bytes.Clone(zipped)
	broken[len(broken)-6] ^= 1
	whole := []struct {
		data []byte
		want string
	}{
		{nil, `t.json:1:1: want a value, found the end of the file; the file is empty`},
		{[]byte(`{"format":"spillway-trace","version":1,"times":"measured"}`), `t.json: workload has no kernels`},
		{[]byte(`{"format":"spillway-trace","version":1,"x":` + strings.Repeat("[", 100)), `t.json:1:107: arrays and objects nest deeper than 64 levels`},
		{zipped[:40], `t.json: damaged gzip data (unexpected EOF); compress or download the file again`},
		{zipped[:5], `t.json: damaged gzip data (unexpected EOF); compress or download the file again`},
		{broken, `t.json: damaged gzip data (gzip: invalid checksum); compress or download the file again`},
		{compress(t, []byte("{")), `t.json:1:2: want a field name in double quotes or '}', found the end of the file; the file is cut off`},
	}
	for _, tt := range whole {
		if _, err := Decode("t.json", tt.data); fmt.Sprint(err) != tt.want {
			t.Errorf("%.60q:\n got %v\nwant %s", tt.data, err, tt.want)
		}
	}
}

func TestUnpackingIsBounded(t *testing.T) {
	bomb := compress(t, make([]byte, 1<<20))
	_, err := decompress(bomb, 1000)
	if want := "unpacks to more than 1000 bytes, the most that is read"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if data, err := decompress(bomb, 1<<20); err != nil || len(data) != 1<<20 {
		t.Errorf("exactly the limit: %d bytes, %v", len(data), err)
	}
}

func TestEncodeRefusesWhatItCannotKeep(t *testing.T) {
	tests := []struct {
		change func(w *workload.Workload)
		want   string
	}{
		{func(w *workload.Workload) { w.Times = "" }, `w cannot be saved as a Spillway trace: times is ""; want measured, estimated or as-paper`},
		{func(w *workload.Workload) { w.Origin = "\xff" }, `w cannot be saved as a Spillway trace: "\xff" is not UTF-8`},
		{func(w *workload.Workload) { w.Tensors[1].Name = "a\xff" }, `w cannot be saved as a Spillway trace: tensor 1: the name "a\xff" is not UTF-8`},
		{func(w *workload.Workload) { w.Kernels[1].Name = "\xff" }, `w cannot be saved as a Spillway trace: kernel 1: the name "\xff" is not UTF-8`},
		{func(w *workload.Workload) { w.Tensors[1].Kind = 77 }, `w cannot be saved as a Spillway trace: tensor 1 (weight): unknown kind 77`},
		{func(w *workload.Workload) { w.Kernels[1].Time = 0 }, `w cannot be saved as a Spillway trace: kernel 1 (Backward): time is 0 ps; want 1 to 1000000000000000`},
	}
	for _, tt := range tests {
		w := all()
		w.Name = "w"
		tt.change(w)
		if _, err := Encode(w); fmt.Sprint(err) != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	tiny := read(f, "testdata/tiny.json")
	f.Add(tiny)
	f.Add(read(f, "testdata/all.json"))
	f.Add(compress(f, tiny))
	for _, m := range malformed {
		f.Add([]byte(strings.Replace(string(tiny), m.old, m.new, 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Sniff(data)
		w, err := Decode("t.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.json:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		again, err := Encode(w)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode("t.json", again)
		if err != nil || !reflect.DeepEqual(back, w) {
			t.Errorf("read as %+v, written and read again as %+v, %v", w, back, err)
		}
	})
}

// large is a workload of about the size of ResNet-152's.
func large(b *testing.B) (*workload.Workload, []byte) {
	b.Helper()
	w := random(rand.New(rand.NewPCG(1, 0)), 4000, 3000)
	data, err := Encode(w)
	if err != nil {
		b.Fatal(err)
	}
	return w, data
}

func BenchmarkDecode(b *testing.B) {
	_, data := large(b)
	for name, data := range map[string][]byte{"plain": data, "gzip": compress(b, data)} {
		b.Run("tensors=4000/file="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode("w.json", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	w, data := large(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(w); err != nil {
			b.Fatal(err)
		}
	}
}
