package roles

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"spillway/sim/workload"
)

// tiny is a file with everything that is read, and things that are not.
const tiny = `{
 "format": "spillway-roles",
 "version": 1,
 "torch": "2.6.0",
 "device": {"kind": "cuda", "index": 1, "name": "NVIDIA H100 80GB HBM3", "memory": 85052030976},
 "batch": 32, "warmup": 3, "steps": 2,
 "mark": "spillway.roles",
 "label": "L3", "notes": ["a", {"b": []}],
 "tensors": [
  {"name": "fc.weight", "role": "parameter", "device": "cuda:1", "address": "0x7f2c40000000", "bytes": 802816, "offset": 256, "shape": [1024, 196], "type": "float32"},
  {"name": "fc.weight.grad", "role": "gradient", "device": "cuda:1", "address": "0xffffffffffffffff", "bytes": 802816},
  {"name": "norm.mean", "role": "buffer", "device": "cuda:1", "address": "0x0", "bytes": 0},
  {"name": "fc.weight.step", "role": "optimizer", "device": "cpu", "address": "0x10", "bytes": 4}
 ]
}
`

func TestRead(t *testing.T) {
	want := &Roles{
		Torch: "2.6.0", Device: "NVIDIA H100 80GB HBM3", Index: 1, Batch: 32, Mark: "spillway.roles",
		Tensors: []Tensor{
			{Name: "fc.weight", Kind: workload.Weight, Device: 1, Address: 0x7f2c40000000, Bytes: 802816, Offset: 256},
			{Name: "fc.weight.grad", Kind: workload.Gradient, Device: 1, Address: 1<<64 - 1, Bytes: 802816},
			{Name: "norm.mean", Kind: workload.Weight, Device: 1},
			{Name: "fc.weight.step", Kind: workload.Optimizer, Device: CPU, Address: 16, Bytes: 4},
		},
	}
	for name, src := range map[string]io.Reader{
		"whole":       strings.NewReader(tiny),
		"bit by bit":  iotest.OneByteReader(strings.NewReader(tiny)),
		"on one line": strings.NewReader(strings.ReplaceAll(tiny, "\n", "")),
	} {
		got, err := Read(src)
		if err != nil {
			t.Fatal(name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", name, got, want)
		}
	}
}

// What is wrong is refused with its line and with what to do.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{`"spillway-roles"`, `"spillway-trace"`, `line 2 (byte 29): format is "spillway-trace", want "spillway-roles"`},
		{`"version": 1`, `"version": 2`, "line 3 (byte 44): this is version 2 of the format; version 1 is known here: update Spillway, or record with the capture.py that it offers"},
		{`"batch": 32`, `"batch": -1`, `line 6 (byte 174): "batch", before this, is no whole number from 0 to 1099511627776`},
		{`"batch": 32`, `"batch": "many"`, "line 6 (byte 172): want a number as batch"},
		{`"kind": "cuda", `, ``, `line 5 (byte 144): "kind" is missing in the object that ends here`},
		{`"role": "buffer"`, `"role": "filter"`, `line 12 (byte 613): the role before this is none of "parameter", "buffer", "gradient" and "optimizer"`},
		{`"device": "cpu"`, `"device": "gpu"`, `line 13 (byte 731): the device before this, "gpu", is not like "cuda:0" or "cpu"`},
		{`"0x10"`, `"10"`, `line 13 (byte 748): the address before this, "10", is no hexadecimal number of at most 64 bits`},
		{`"0x10"`, `"0x10000000000000000"`, `line 13 (byte 765): the address before this, "0x10000000000000000", is no hexadecimal number of at most 64 bits`},
		{`"bytes": 4`, `"bytes": 9223372036854775808`, `line 13 (byte 780): "bytes", before this, is no whole number from 0 to 1125899906842624`},
		{`"bytes": 4`, `"more": 4`, `line 13 (byte 762): "bytes" is missing in the object that ends here`},
		{`"tensors": [`, `"more": [`, `line 15 (byte 765): "tensors" is missing in the object that ends here`},
		{`"name": "norm.mean"`, `"name": "` + strings.Repeat("n", maxName+1) + `"`, `line 12 (byte 4683): "name", before this, has 4097 bytes; 4096 are allowed`},
		{`4}`, `4},`, "this is not quite JSON, so the file was changed or damaged: record again"},
		{"\n}\n", "\n", "line 15: the file ends before its brackets do: record again"},
		{"\n}\n", "\n}\n{", "line 16 (byte 769): want nothing after the end of the document, found '{'"},
	} {
		text := strings.Replace(tiny, c.was, c.is, 1)
		if text == tiny {
			t.Fatalf("%s is not in the file", c.was)
		}
		if _, err := Read(strings.NewReader(text)); err == nil || err.Error() != c.want {
			t.Errorf("%s instead of %s: %v, want\n%s", c.is, c.was, err, c.want)
		}
	}
	for _, text := range []string{"", "[]", "{}", "7", `{"format"`, "PK\x03\x04"} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if _, err := Read(iotest.ErrReader(io.ErrUnexpectedEOF)); err == nil {
		t.Error("a file that cannot be read was")
	}
}

// No prefix is read, and none does harm.
func TestPrefixes(t *testing.T) {
	whole := strings.TrimRight(tiny, "\n")
	for n := range len(whole) {
		if r, err := Read(strings.NewReader(whole[:n])); err == nil {
			t.Fatalf("the first %d bytes were read: %+v", n, r)
		}
	}
}

func TestLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("a file of 90 MB")
	}
	head, tail, _ := strings.Cut(tiny, `  {"name": "fc.weight"`)
	row := `{"name": "w", "role": "parameter", "device": "cuda:0", "address": "0x10", "bytes": 4}`
	text := head + strings.Repeat(row+",\n", maxTensors-3) + `  {"name": "fc.weight"` + tail
	if _, err := Read(strings.NewReader(text)); err == nil || !strings.HasSuffix(err.Error(), ": there are more than 1048576 tensors") {
		t.Error(err)
	}
}

// The recording of testdata was made by capture.py.
func TestRecording(t *testing.T) {
	archive, err := zip.OpenReader("../torch/testdata/capture-cpu.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := archive.Open("roles.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	// Two linear layers and a normalization: 32*64 + 64 + 2*64 + 64*8 + 8 numbers, with
	// two statistics and a counter, and two moments and a step for each parameter.
	const weights = 4 * (32*64 + 64 + 2*64 + 64*8 + 8)
	count := map[string]int{}
	for _, x := range r.Tensors {
		count[x.Kind.String()] += int(x.Bytes)
		if x.Device != CPU || x.Address == 0 {
			t.Errorf("%+v", x)
		}
	}
	want := map[string]int{"weight": weights + 2*4*64 + 8, "gradient": weights, "optimizer": 2*weights + 6*4}
	if fmt.Sprint(count) != fmt.Sprint(want) || r.Batch != 16 || r.Index != CPU || r.Device != "CPU" || r.Mark == "" {
		t.Errorf("%v, want %v; %+v", count, want, r)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(tiny))
	f.Add([]byte(`{"format":"spillway-roles","version":1,"tensors":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := Read(bytes.NewReader(data))
		if (first == nil) == (err == nil) {
			t.Fatal("neither or both", err)
		}
		again, err2 := Read(bytes.NewReader(data))
		if !reflect.DeepEqual(first, again) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("read twice: %+v %v, %+v %v", first, err, again, err2)
		}
		if err == nil {
			for _, x := range first.Tensors {
				if x.Bytes < 0 || x.Offset < 0 || x.Device < CPU || len(x.Name) > maxName {
					t.Errorf("%+v", x)
				}
			}
		}
	})
}
