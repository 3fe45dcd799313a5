package torch

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"spillway/build/artifact"
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

// samples returns files that lie beside the repository.
func samples(t testing.TB, names ...string) (files []File) {
	t.Helper()
	for _, n := range names {
		files = append(files, content(n, artifact.Sample(t, n)))
	}
	return files
}

// TestCapture: what capture.py writes on a CPU is a workload with names.
func TestCapture(t *testing.T) {
	var told, total int64
	recs, notes, err := Open(capture(t), func(a, b int64) { told, total = a, b })
	if err != nil {
		t.Fatal(err)
	}
	if total == 0 || told > total || total-told > 10<<10 {
		t.Errorf("%d of %d bytes were told", told, total)
	}
	want := []string{"trace.json has no work of a GPU, so there are no times in it that would say anything about one; it was left out."}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("notes are %q, want %q", notes, want)
	}
	if len(recs) != 1 {
		t.Fatalf("%d recordings, want 1", len(recs))
	}
	r := recs[0]
	if r.Name != "et.json" || r.Label != recording.E2 || r.Batch != 16 || !reflect.DeepEqual(r.Files, []string{"et.json", "roles.json"}) || len(r.Steps) != 2 {
		t.Errorf("found %s, %s, batch %d, %q, %d steps", r.Name, r.Label, r.Batch, r.Files, len(r.Steps))
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	// Six parameters, three buffers; three states for each parameter.
	count := map[workload.Kind]int{}
	named := map[string]recording.Tensor{}
	for _, x := range r.Steps[r.Chosen].Tensors {
		if !strings.Contains(x.Name, ", ") {
			count[x.Kind]++
			named[x.Name] = x
		}
	}
	if want := (map[workload.Kind]int{workload.Weight: 9, workload.Gradient: 6, workload.Optimizer: 18}); !reflect.DeepEqual(count, want) {
		t.Errorf("tensors with names are %v, want %v", count, want)
	}
	if x := named["0.weight"]; x.Bytes != 64*32*4 || !x.Global {
		t.Errorf("0.weight has %d bytes, global %t", x.Bytes, x.Global)
	}
	if x := named["0.weight.grad"]; x.Bytes != 64*32*4 || x.Global {
		t.Errorf("0.weight.grad has %d bytes, global %t", x.Bytes, x.Global)
	}
	if w, _, err := r.Fold(recording.Choices{}); err != nil || len(w.Kernels) < 90 {
		t.Errorf("it is no workload: %v", err)
	}
	again, _, err := Open(capture(t), nil)
	if err != nil || !reflect.DeepEqual(recs, again) {
		t.Errorf("opening twice differs, %v", err)
	}
}

// TestPairs: ranks that are dropped together find their own companions.
func TestPairs(t *testing.T) {
	recs, notes, err := Open(samples(t, "et-kineto-pair/dlrm-rank1-et.json.gz", "et-kineto-pair/dlrm-rank0-et.json.gz",
		"et-kineto-pair/dlrm-rank0-kineto.json.gz", "et-kineto-pair/dlrm-rank1-kineto.json.gz"), nil)
	if err != nil || len(notes) > 0 || len(recs) != 2 {
		t.Fatalf("%d recordings, %q, %v", len(recs), notes, err)
	}
	for i, want := range []struct {
		name            string
		kernels, before int
		time            unit.Time
	}{
		{"dlrm-rank1-kineto.json.gz + dlrm-rank1-et.json.gz", 246 + 16, 64, 12398 * unit.Microsecond},
		{"dlrm-rank0-kineto.json.gz + dlrm-rank0-et.json.gz", 245 + 16, 0, 6851 * unit.Microsecond},
	} {
		r := recs[i]
		s := &r.Steps[r.Chosen]
		before := 0
		for _, l := range r.Missing {
			before += l.Kernels
		}
		if r.Name != want.name || r.Label != recording.L2 || len(s.Kernels) != want.kernels || before != want.before {
			t.Errorf("%s, %s: %d kernels and %d before the step, want %+v", r.Name, r.Label, len(s.Kernels), before, want)
		}
		if n, b := tally(s, workload.Gradient); n != 15 || b != 2485252 {
			t.Errorf("%s: %d gradients of %d bytes, want 15 of 2485252", r.Name, n, b)
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		w, report, err := r.Fold(recording.Choices{})
		if err != nil || len(w.Kernels) != want.kernels || report.Covered != report.Summed || report.Summed != want.time {
			t.Errorf("%s: %d kernels, %v of %v covered, %v", r.Name, len(w.Kernels), report.Covered, report.Summed, err)
		}
	}
}

// TestRefusedPairs: files that do not belong together stay alone, with the reason.
func TestRefusedPairs(t *testing.T) {
	for _, tt := range []struct {
		files []string
		recs  []string
		notes []string
	}{
		{
			[]string{"et-kineto-pair/dlrm-rank0-et.json.gz", "et-kineto-pair/dlrm-rank1-kineto.json.gz"},
			[]string{"dlrm-rank1-kineto.json.gz L1", "dlrm-rank0-et.json.gz E2"},
			[]string{"dlrm-rank1-kineto.json.gz and dlrm-rank0-et.json.gz were not joined: they are of different processes: the profiler's trace of 59812, the ExecutionTrace of 59811."},
		},
		{
			[]string{"kineto/h100-bert-small-infer-shapes-memory.json.gz", "snapshot/synthetic-resnet50-step.pickle.gz"},
			[]string{"h100-bert-small-infer-shapes-memory.json.gz L1m", "synthetic-resnet50-step.pickle.gz M"},
			[]string{"h100-bert-small-infer-shapes-memory.json.gz and synthetic-resnet50-step.pickle.gz were not joined: of the 109 blocks that the trace takes only 0 are at addresses in the other file, so they are of different runs."},
		},
	} {
		recs, notes, err := Open(samples(t, tt.files...), nil)
		if err != nil {
			t.Errorf("%v: %v", tt.files, err)
			continue
		}
		var got []string
		for _, r := range recs {
			got = append(got, fmt.Sprintf("%s %s", r.Name, r.Label))
		}
		if !reflect.DeepEqual(got, tt.recs) || !reflect.DeepEqual(notes, tt.notes) {
			t.Errorf("%v: found %q, %q; want %q, %q", tt.files, got, notes, tt.recs, tt.notes)
		}
	}
}

// TestTwoOfAName: recordings of files of one name can be told apart.
func TestTwoOfAName(t *testing.T) {
	files := samples(t, "et/et-1.1.1-compiled-triton.json.gz")
	files = append(files, content(files[0].Name, append(artifact.Sample(t, files[0].Name), '\n')))
	recs, _, err := Open(files, nil)
	if err != nil || len(recs) != 2 || recs[0].Name == recs[1].Name {
		t.Errorf("%d recordings of one name, %v", len(recs), err)
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
}

func TestAlign(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"abcdefghij", "abcdefghij", 10},
		{"abcdefghij", "xxabcdefghijxx", 10},
		{"abcdefghijklmnop", "abcdefghiXjklmnop", 16},
		{"abcdefghiXjklmnop", "abcdefghijklmnop", 16},
		{"abcdefghijYklmnop", "abcdefghijXklmnop", 16},
		{"abcdefghijklm", "abcdefghijkabcdefghijklm", 13}, // the second time it is whole
		{"abc", "xabcx", 3},
		{"", "a", 0},
		{"abcdefgh", "zyxwvuts", 0},
	} {
		a, b := numbersOf(tt.a), numbersOf(tt.b)
		pairs := align(a, b).pairs
		for i, p := range pairs {
			if a[p[0]] != b[p[1]] || i > 0 && (p[0] <= pairs[i-1][0] || p[1] <= pairs[i-1][1]) {
				t.Errorf("%s in %s: %v", tt.a, tt.b, pairs)
				break
			}
		}
		if len(pairs) != tt.want {
			t.Errorf("%s in %s: %d are aligned, want %d", tt.a, tt.b, len(pairs), tt.want)
		}
	}
}

func numbersOf(s string) (n []int32) {
	for _, c := range s {
		n = append(n, c)
	}
	return n
}

// FuzzOpen: whatever two files say of each other, nothing crashes, and what is found
// can be relied on.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(tinyET), []byte(tinyTrace()))
	f.Add([]byte(tinyRoles), []byte(tinyTrace()))
	f.Add([]byte(tinySnapshot), []byte(tinyET))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		recs, _, err := Open([]File{content("a", a), content("b", b)}, nil)
		if err != nil {
			return
		}
		for _, r := range recs {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}
