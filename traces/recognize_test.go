package traces

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/traces/archive"
	"spillway/traces/archive/archivetest"
)

// TestRecognize knows files by content, whatever they are called.
func TestRecognize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want kind
	}{
		{`{"traceEvents": []}`, profilerTrace},
		{"\ufeff \n{\"schemaVersion\": 1, \"user\": {\"traceEvents\": 1, \"segments\": []}}", profilerTrace},
		{`{"user": {"segments": [], "x": "\"}\\"}, "traceEvents": []}`, profilerTrace},
		{`{"env": "` + strings.Repeat("x", 30000) + `", "traceEvents": [`, profilerTrace},
		{`{"deviceProperties": [{"id": 0}], "u": "` + strings.Repeat("x", 2<<20), profilerTrace},
		{`[{"ph": "X", "name": "a", "ts": 1}]`, profilerTrace},
		{`[{"name": "a", "ph": "X", "ts": 1, "tid": 0, "pid": "CPU functions", "args": {}}]`, oldProfiler},
		{`[{"name": "a"}]`, unrecognized},
		{`{"schema": "1.0.1", "pid": 1, "nodes": [`, executionTrace},
		{`{"nodes": [{"id": 1, "ctrl_deps": 0}], "schema": "1.1.1"}`, executionTrace},
		{`{"nodes": [{"id": 1, "ctrl_deps": 0}], "ro`, executionTrace},
		{`{"nodes": [], "edges": []}`, unrecognized},
		{`{"segments": [], "device_traces": []}`, memorySnapshot},
		{"\x80\x02}", memorySnapshot},
		{"\x80\x05\x95", memorySnapshot},
		{"\x80\x01}", unrecognized},
		{`[[-1, 1, 37888, 7], [`, memoryTimeline},
		{`[[1, 2, 3]]`, unrecognized},
		{`[["a", 1, 2, 3]]`, unrecognized},
		{`{"format": "spillway-roles", "version": 1}`, rolesFile},
		{`{"format": "spillway-trace", "version": 1}`, unrecognized},
		{`{"workload_graph": []}`, workloadGraph},
		{`{"rocprofiler-sdk-tool": [{"metadata": {}}]}`, rocprofiler},
		{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e\x80\x02M\xe9\x03.", checkpoint},
		{`{"metadata": {"total_size": 1}, "weight_map": {}}`, weightIndex},
		{`{"architectures": ["x"], "model_type": "llama"}`, modelConfig},
		{"\x02\x00\x00\x00\x00\x00\x00\x00{}", safetensors},
		{"\x00\x00\x00\x00\x00\x00\x00\x80{}", safetensors},
		{"\x0a\x20\x12\x0e/host:metadata", xplaneTrace},
		{"\x07\x0a\x050.0.4\x02\x08\x01", chakraTrace},
		{"\x07\x0a\x050.0.4", chakraTrace},
		{"\x07\x0a\x050.0.4\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", chakraTrace},
		{"\x0a\x0a", unrecognized},
		{"hello", unrecognized},
		{"{", unrecognized},
		{`{"a`, unrecognized},
		{"[", unrecognized},
		{"[[", unrecognized},
		{"", unrecognized},
		{strings.Repeat("[", 200000), unrecognized},
		{strings.Repeat(`{"a":`, 200000), unrecognized},
		{strings.Repeat("\n", 100), unrecognized},
	} {
		if got := recognize([]byte(tt.text)); got != tt.want {
			t.Errorf("%.60q is recognized as %d, want %d", tt.text, got, tt.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 { // text of other kinds is not taken for binary ones
		data := make([]byte, 40)
		for i := range data {
			data[i] = "abcdefghij 0123\n\tXYZ:,.-"[r.IntN(24)]
		}
		if got := recognize(data); got != unrecognized {
			t.Fatalf("%q is recognized as %d", data, got)
		}
	}
}

// TestRecognizeSamples recognizes every sample, inflated.
func TestRecognizeSamples(t *testing.T) {
	dir := artifact.Traces(t)
	want := map[string]kind{
		"kineto": profilerTrace, "et": executionTrace, "snapshot": memorySnapshot, "memory-timeline": memoryTimeline,
		"jax": xplaneTrace, "chakra": chakraTrace,
	}
	n := 0
	for folder, kind := range want {
		list, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			data, err := os.ReadFile(filepath.Join(dir, folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			items, err := archive.Open([]File{{Name: e.Name(), Data: data}}, nil)
			if err != nil || len(items) != 1 {
				t.Fatalf("%s: %v, %d files", e.Name(), err, len(items))
			}
			want := kind
			switch {
			case strings.HasSuffix(e.Name(), ".truth.json"):
				want = unrecognized
			case e.Name() == "small-workload-graph.json":
				want = workloadGraph
			}
			if got := recognize(items[0].Data); got != want {
				t.Errorf("%s is recognized as %d, want %d", e.Name(), got, want)
			}
			n++
		}
	}
	if n < 38 {
		t.Errorf("only %d samples", n)
	}
}

// TestBombs: what only grows is refused early, whatever it is packed in.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 16<<20)
	bomb := archivetest.Gzip(t, zeros)
	const inflates = "unpacks to more than 250 times its size, as no recording does; compress it again"
	inZip := zipped(t, []File{{Name: "x", Data: zeros}})
	for _, tt := range []struct {
		name, want string
		file       File
	}{
		{"gzip", "a.gz: " + inflates, File{Name: "a.gz", Data: bomb}},
		{"zip of gzip", "x.gz: " + inflates, File{Name: "a.zip", Data: zipped(t, []File{{Name: "x.gz", Data: bomb}})}},
		{"gzip of zip", "a: x in it would unpack to 16777216 bytes from ", File{Name: "a.gz", Data: archivetest.Gzip(t, inZip)}},
		{"zip", "a.zip: x in it would unpack to 16777216 bytes from ", File{Name: "a.zip", Data: inZip}},
		{"twice", "a.gz: compressed twice; decompress it once.\n" + Takes(), File{Name: "a.gz.gz", Data: archivetest.Gzip(t, archivetest.Gzip(t, []byte("x")))}},
		{"zip in zip", "b.zip: a zip archive inside another; unpack the outer one.\n" + Takes(), File{Name: "a.zip", Data: zipped(t, []File{{Name: "b.zip", Data: inZip}})}},
	} {
		if _, err := Open([]File{tt.file}, nil); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// TestDescribe: what others write gets a sentence of its own.
func TestDescribe(t *testing.T) {
	checkpoint := zipped(t, []File{{Name: "model/data.pkl", Data: []byte("\x80\x02}.")}})
	for _, tt := range []struct {
		file File
		want string
	}{
		{File{Name: "job.nsys-rep", Data: []byte("\x01\x02report")}, "job.nsys-rep: a report, as Nsight Systems writes"},
		{File{Name: "job.json", Data: []byte(`{"data":["x"]}` + "\n" + `{"Type":48,"CudaEvent":{"startNs":"1"}}`)}, "job.json: lines of JSON, as Nsight Systems writes"},
		{File{Name: "book.xlsx", Data: zipped(t, []File{{Name: "[Content_Types].xml"}, {Name: "xl/workbook.xml"}})}, "book.xlsx: a document of an office program; save a table as CSV"},
		{File{Name: "all.zip", Data: zipped(t, []File{{Name: "model.pt", Data: checkpoint}})}, "model.pt: a PyTorch checkpoint, which holds weights"},
	} {
		if _, err := Open([]File{tt.file}, nil); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}
