package torch

import (
	"archive/zip"
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/unit"
	"spillway/sim/workload"
	"spillway/traces/recording"
)

// content is a file in memory.
func content(name string, data []byte) File {
	return File{Name: name, Size: int64(len(data)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// capture returns the files of a recording made with capture.py on a CPU.
func capture(t testing.TB) (files []File) {
	t.Helper()
	z, err := zip.OpenReader("testdata/capture-cpu.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content("folder/"+f.Name, data))
	}
	return files
}

// tally counts the tensors of a kind.
func tally(s *recording.Step, kind workload.Kind) (n int, bytes unit.Bytes) {
	for _, x := range s.Tensors {
		if x.Kind == kind {
			n++
			bytes += x.Bytes
		}
	}
	return n, bytes
}

// TestCapture: what capture.py writes on a CPU is a workload with names.
func TestCapture(t *testing.T) {
	recs, notes, err := Open(capture(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		t.Log(r.Name, r.Label, r.Files, r.Notes, r.Advice, r.Batch)
		for i := range r.Steps {
			s := &r.Steps[i]
			t.Log(s.Name, len(s.Kernels), s.Memory, s.Resident)
			for k := workload.Intermediate; k <= workload.Input; k++ {
				n, b := tally(s, k)
				t.Log(k, n, int64(b))
			}
			for _, x := range s.Tensors { if x.Kind != workload.Intermediate {
				t.Log(x.Name, x.Kind, x.Bytes, x.Global) }
			}
		}
	}
	t.Log(notes)
	again, _, err := Open(capture(t), nil)
	if err != nil || !reflect.DeepEqual(recs, again) {
		t.Errorf("opening twice differs, %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		files []File
		want  string
	}{
		{nil, "there is no recording of PyTorch among the files"},
		{[]File{content("a/b.txt", []byte("hello"))}, "b.txt: this is none of PyTorch's recordings"},
		{[]File{content("et.json", []byte(`{"schema": "3", "nodes": []}`))}, `et.json: line 1 (byte 14): schema "3": known are the ExecutionTraces 1.0.1 to 1.1.1`},
	} {
		_, _, err := Open(tt.files, nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if !strings.Contains("x", "x") {
		t.Fatal()
	}
}
