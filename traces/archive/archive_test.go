package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz"

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
		return File{Name: "job.json", Data: data[:min(1<<20, len(data))], Size: int64(len(data)), Stream: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	}
	tarred := archivetest.Tar(t, 1, func(int) (string, []byte) { return "job.json", want })
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
		{"Zstandard", File{Name: "job.json.zst", Data: archivetest.Zstandard(t, want)}},
		{"xz", File{Name: "job.json.xz", Data: archivetest.XZ(t, want)}},
		{"xz streams", File{Name: "job.json.xz", Data: append(archivetest.XZ(t, want[:1000]), archivetest.XZ(t, want[1000:])...)}},
		{"tar", File{Name: "job.tar", Data: tarred}},
		{"gzip of tar", File{Name: "job.tgz", Data: archivetest.Gzip(t, tarred)}},
		{"stream of Zstandard of tar", handed(archivetest.Zstandard(t, tarred))},
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
		if err == nil || !strings.Contains(err.Error(), "unpacks to more than 192 MiB; drop only the folders frontend, results and src/configs") {
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

// TestPacked: small files are held, whatever they were packed with; what is damaged says with what.
func TestPacked(t *testing.T) {
	text := []byte(`{"traceEvents": []}` + "\n")
	bzip := []byte("\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x33\x16\x59\x09\x00\x00\x09\x5f\x80\x00\x10\x50\x00\x00\x10\x02\x00\x00\x0a\x2a\x01\x1d\x0a\x20\x00\x31\x43\x4d\x30\x00\x53\x41\xa3\x46\x4d\xea\x86\x20\x57\xd3\x79\xe0\x52\x9b\x26\x4f\x8b\xb9\x22\x9c\x28\x48\x19\x8b\x2c\x84\x80")
	two := archivetest.Tar(t, 2, func(i int) (string, []byte) { return fmt.Sprintf("run/%d.json", i), text })
	for name, want := range map[string]string{
		"a.json.bz2": "a.json", "a.json.zst": "a.json", "a.json.xz": "a.json",
		"a.tar": "run/0.json run/1.json", "a.tar.gz": "run/0.json run/1.json", "a.tar.xz": "run/0.json run/1.json",
	} {
		data := map[string][]byte{
			"a.json.bz2": bzip, "a.json.zst": archivetest.Zstandard(t, text), "a.json.xz": archivetest.XZ(t, text),
			"a.tar": two, "a.tar.gz": archivetest.Gzip(t, two), "a.tar.xz": archivetest.XZ(t, two),
		}[name]
		items, err := Open([]File{{Name: name, Data: data}}, nil)
		var got []string
		for i := range items {
			if got = append(got, items[i].Name); !bytes.Equal(items[i].Data, text) {
				t.Errorf("%s: %q", name, items[i].Data)
			}
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %s", name, got, err, want)
		}
		if _, err := Open([]File{{Name: name, Data: data[:len(data)/2]}}, nil); err == nil || !strings.Contains(err.Error(), "damaged ") {
			t.Errorf("%s cut: %v", name, err)
		}
	}
}

// TestPointer: a pointer of Git LFS says how large its file is.
func TestPointer(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 4999999999\n"
	if n, ok := Pointer([]byte(pointer)); !ok || n != 4999999999 {
		t.Errorf("%d, %t", n, ok)
	}
	if _, ok := Pointer([]byte(pointer[:30])); ok {
		t.Error("a part of one is taken for one")
	}
}

// TestWindow: data that refers further back than there is memory for is refused before any is
// taken: a header alone can ask for 4 GiB.
func TestWindow(t *testing.T) {
	small := archivetest.XZ(t, []byte("{}"))
	header := small[12 : 12+4*(int(small[12])+1)]
	if n := xzWindow(header); n != 8<<20 {
		t.Errorf("%d bytes", n)
	}
	for end := range header {
		_ = xzWindow(header[:end]) // whatever is missing
	}
	at := bytes.Index(small, []byte{0x21, 1}) + 2
	within := func(code byte) []byte { // with the sum of what it then says
		data := bytes.Clone(small)
		data[at] = code
		binary.LittleEndian.PutUint32(data[12+len(header)-4:], crc32.ChecksumIEEE(data[12:12+len(header)-4]))
		return data
	}
	for code, want := range map[byte]int64{0: 4096, 1: 6144, 22: 8 << 20, 28: 64 << 20, 29: 96 << 20} {
		if n := xzWindow(within(code)[12:]); n != want {
			t.Errorf("code %d: %d bytes; want %d", code, n, want)
		}
	}
	var out bytes.Buffer
	z, err := xz.WriterConfig{BlockSize: 2}.NewWriter(&out) // blocks of one stream
	if err == nil {
		_, err = z.Write([]byte("{  }"))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	two := out.Bytes()
	second := 12 + len(header) + bytes.Index(two[12+len(header):], header)
	two[second+at-12] = 40
	binary.LittleEndian.PutUint32(two[second+len(header)-4:], crc32.ChecksumIEEE(two[second:second+len(header)-4]))
	large, gap := within(40), make([]byte, 8)
	for name, data := range map[string][]byte{
		"alone": large, "behind another": slices.Concat(small, large), "behind a gap": slices.Concat(small, gap, large), "in the second block": two,
	} {
		if _, err := Open([]File{{Name: "a.xz", Data: data}}, nil); err == nil || !strings.Contains(err.Error(), "a.xz: it is xz data that refers more than 64 MiB back") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestXZ: xz files one behind the other are one, also with a gap of zeros between them.
func TestXZ(t *testing.T) {
	a, b := archivetest.XZ(t, []byte("[1,")), archivetest.XZ(t, bytes.Repeat([]byte("2 "), 100_000))
	for name, data := range map[string][]byte{"together": slices.Concat(a, b), "apart": slices.Concat(a, make([]byte, 8), b, make([]byte, 4))} {
		r, err := xzed.reader(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || len(got) != 200_003 || string(got[:6]) != "[1,2 2" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// A document of an office program is one file, as people know it.
func TestOffice(t *testing.T) {
	list, err := Open([]File{
		{Name: "a.xlsx", Data: zipped(t, []File{{Name: "[Content_Types].xml", Data: []byte("<Types/>")}, {Name: "xl/workbook.xml"}})},
		{Name: "b.ods", Data: zipped(t, []File{{Name: "mimetype", Data: []byte("application/vnd.oasis.opendocument.spreadsheet")}, {Name: "content.xml"}})},
	}, nil)
	if err != nil || len(list) != 2 || list[0].Name != "a.xlsx" || list[1].Name != "b.ods" {
		t.Errorf("%v, %v", list, err)
	}
}
