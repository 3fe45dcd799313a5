package archive

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/traces/archive/archivetest"
)

func zipped(t testing.TB, files []File) []byte {
	t.Helper()
	return archivetest.Zip(t, len(files), func(i int) (string, []byte) { return files[i].Name, files[i].Data })
}

// TestStreams: large files come as streams, packed or not, as often as they are
// opened, with the same bytes; progress ends at all of them.
func TestStreams(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	want := []byte("\xef\xbb\xbf" + `{"traceEvents": [` + "\n")
	for len(want) < 5<<19 {
		want = fmt.Appendf(want, `{"ph":"X","ts":%d,"dur":%d,"name":"kernel %d"},`+"\n", r.Uint32(), r.Uint32(), r.IntN(1000))
	}
	packed := archivetest.Gzip(t, want)
	halves := append(archivetest.Gzip(t, want[:1000]), archivetest.Gzip(t, want[1000:])...) // members one behind the other
	handed := func(data []byte) File {
		return File{Name: "job.json", Data: data[:1<<20], Size: int64(len(data)), Stream: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	}
	stored := zipped(t, []File{{Name: "job.json", Data: want}})
	for _, tt := range []struct {
		name string
		file File
	}{
		{"gzip", File{Name: "job.json.gz", Data: packed}},
		{"gzip members", File{Name: "job.json.gz", Data: halves}},
		{"zip", File{Name: "job.zip", Data: stored}},
		{"zip of gzip", File{Name: "job.zip", Data: zipped(t, []File{{Name: "job.json.gz", Data: packed}})}},
		{"gzip of zip of gzip", File{Name: "job.zip.gz", Data: archivetest.Gzip(t, zipped(t, []File{{Name: "job.json.gz", Data: packed}}))}},
		{"stream", handed(want)},
		{"stream of gzip", handed(packed)},
		{"stream of zip", handed(stored)},
	} {
		var done, total int64
		u := unpacker{room: maxUnpacked, most: 2 << 20, meter: &meter{tell: func(d, all int64) {
			if d < done || d > all {
				t.Fatalf("%s: %d bytes of %d after %d", tt.name, d, all, done)
			}
			done, total = d, all
		}}}
		err := u.all([]File{tt.file})
		items := u.items
		if err != nil || len(items) != 1 {
			t.Fatalf("%s: %v, %d files", tt.name, err, len(items))
		}
		f := items[0]
		if f.Name != "job.json" || f.Stream == nil || len(f.Data) < HeadBytes-8 || len(f.Data) > 1<<20 {
			t.Errorf("%s: %s with %d bytes held", tt.name, f.Name, len(f.Data))
		}
		for range 2 {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || r.Close() != nil || !bytes.Equal(got, want[3:]) {
				t.Errorf("%s: %d bytes, %v; want %d", tt.name, len(got), err, len(want)-3)
			}
		}
		if whole, err := f.Whole(); err != nil || !bytes.Equal(whole.Data, want[3:]) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if done != total || done == 0 {
			t.Errorf("%s: %d of %d bytes are told", tt.name, done, total)
		}
	}
}

// TestTooLarge lowers the limit and unpacks more.
func TestTooLarge(t *testing.T) {
	data := make([]byte, 1<<20)
	for _, f := range []File{{Name: "a.gz", Data: archivetest.Gzip(t, data)}, {Name: "a.zip", Data: zipped(t, []File{{Name: "x", Data: data}})}, {Name: "a.zip", Data: zipped(t, []File{{Name: "x.gz", Data: archivetest.Gzip(t, data)}})}} {
		u := unpacker{room: 1<<20 - 1, most: mostHeld, meter: &meter{}}
		err := u.add(f.Name, source{data: f.Data, size: int64(len(f.Data))}, 0)
		if err == nil || !strings.Contains(err.Error(), "unpacks to more than 1 GiB; drop only the folders frontend, results and src/configs") {
			t.Errorf("%s: got %v", f.Name, err)
		}
	}
}

// TestTensors: an archive that is a file of tensors stays whole, and it is known which of
// the dropped files it is.
func TestTensors(t *testing.T) {
	checkpoint := zipped(t, []File{{Name: "m/data.pkl"}, {Name: "m/data/0", Data: []byte("weights")}})
	items, err := Open([]File{
		{Name: "a.zip", Data: zipped(t, []File{{Name: "x.npy"}, {Name: "notes.txt"}})},
		{Name: "m.pt", Data: checkpoint},
		{Name: "b.npz", Data: zipped(t, []File{{Name: "x.npy"}})},
		{Name: "c.npz.gz", Data: archivetest.Gzip(t, zipped(t, []File{{Name: "x.npy"}}))},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i := range items {
		fmt.Fprintf(&got, "%s %d, ", items[i].Name, items[i].Dropped)
	}
	if want := "x.npy -1, notes.txt -1, m.pt 1, b.npz 2, c.npz -1, "; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}
