package door

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/build/artifact"
)

var update = flag.Bool("update", false, "write golden files")

// samples lists the samples of all formats: those of this repository, and recordings
// beside it where there are any.
func samples(t *testing.T) (list [][2]string) {
	t.Helper()
	folders := [][2]string{{"address", "../address/testdata"}, {"fscalls", "../fscalls/testdata"}, {"hf", "../hf/testdata"}, {"opstrace", "../opstrace/testdata"}, {"requests", "../requests/testdata"}, {"spillway", "../spillway/testdata"}, {"g10", "../g10/testdata"}}
	if dir := artifact.Traces(t); dir != "" {
		folders = append(folders, [2]string{"recordings", dir})
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder[1], func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "fuzz" {
				return fs.SkipDir
			}
			if err == nil && !d.IsDir() {
				name, _ := filepath.Rel(folder[1], p)
				list = append(list, [2]string{folder[0] + "/" + filepath.ToSlash(name), p})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestCorpus says of every sample which laboratory takes it, and compares with who did
// last time.
func TestCorpus(t *testing.T) {
	var b strings.Builder
	for _, s := range samples(t) {
		data, err := os.ReadFile(s[1])
		if err != nil {
			t.Fatal(err)
		}
		o, err := Open([]File{{Name: filepath.Base(s[1]), Data: data}}, "", 0)
		fmt.Fprintf(&b, "%s:", s[0])
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Fprintf(&b, " nobody: %.100s", first)
		} else {
			for _, x := range o.Takers {
				fmt.Fprintf(&b, " %s %d, %d found.", x.Lab, x.Sure, len(x.Found))
			}
		}
		b.WriteByte('\n')
	}
	const golden = "testdata/takers.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, got := range strings.Split(b.String(), "\n") {
		if i >= len(lines) || lines[i] != got {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, got, lines[min(i, len(lines)-1)])
		}
	}
}

// TestTogether: what belongs together reaches one reader, and of laboratories that are as
// sure the one that is shown comes first, or the one with more bytes.
func TestTogether(t *testing.T) {
	config := File{Name: "m/config.json", Data: []byte(`{"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":128,"vocab_size":1000}`)}
	weights := File{Name: "m/w.safetensors", Data: append([]byte("\x40\x00\x00\x00\x00\x00\x00\x00"+`{"w":{"dtype":"F32","shape":[1024],"data_offsets":[0,4096]}}   `), make([]byte, 4096)...)}
	lackey := File{Name: "a.txt", Data: []byte("==1== Lackey\nI  04001090,3\n L 1040,8\n S 1080,4\n")}
	letter := File{Name: "letter.txt", Data: []byte("Dear all,\n")}
	for _, tt := range []struct {
		files []File
		shown string
		want  string
	}{
		{[]File{config, weights}, "", "compress llm serve train"},
		{[]File{config, weights}, "llm", "llm compress serve train"},
		{[]File{config, weights}, "train", "train compress llm serve"},
		{[]File{config, weights}, "store", "compress llm serve train"},
		{[]File{config}, "filesys", "llm serve train"},
		{[]File{lackey, letter}, "compress", "cxlssd"},
		{[]File{letter}, "train", "compress?"},
		{[]File{{Name: "old.pt", Data: []byte("\x80\x02\x8a\x0a")}}, "compress", "old.pt: the file is a pickle"},
		{[]File{{Name: "cut.npz", Data: []byte("PK\x03\x04")}}, "compress", "cut.npz: "},
		{[]File{{Name: "x.png", Data: []byte("\x89PNG\r\n\x1a\n")}}, "compress", "compress"},
	} {
		o, err := Open(tt.files, tt.shown, 0)
		if err != nil {
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("shown %s: %v, want %s", tt.shown, err, tt.want)
			}
			continue
		}
		var got []string
		for _, x := range o.Takers {
			got = append(got, x.Lab)
		}
		text := strings.Join(got, " ")
		if o.Unknown != nil {
			text += "?"
		}
		if text != tt.want {
			t.Errorf("shown %s: got %s, want %s; notes %q", tt.shown, text, tt.want, o.Notes)
		}
	}
	if o, err := Open([]File{lackey, letter}, "", 0); err != nil || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "letter.txt") {
		t.Errorf("%v; a letter beside a trace: %+v", err, o)
	}
	if _, err := Open([]File{{Name: "x.png", Data: []byte("\x89PNG\r\n\x1a\n")}}, "cxlssd", 0); err == nil || !strings.HasPrefix(err.Error(), "x.png: an image (PNG), not a trace.\nWhat opens") {
		t.Error(err)
	}
}

// TestEmpty: of files with nothing in them the door says that, and no list of formats.
func TestEmpty(t *testing.T) {
	for _, tt := range []struct {
		files []File
		want  string
	}{
		{[]File{{Name: "run.json"}}, "run.json: an empty file. Was it written to the end?"},
		{[]File{{Name: "a.json"}, {Name: "b.json"}}, "all 2 files are empty. Were they written to the end?"},
	} {
		if _, err := Open(tt.files, "train", 0); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestMost: what a laboratory would have to hold has a limit, what it reads itself has none, nor has
// what is filtered while it is read.
func TestMost(t *testing.T) {
	lackey := []byte("==1== Lackey\nI  04001090,3\n L 1040,8\n S 1080,4\n")
	calls := []byte("execve(\"/bin/ls\", [\"ls\"], 0x7ffd /* 1 var */) = 0\nopenat(AT_FDCWD, \"a\", O_RDONLY) = 3\nread(3, \"\"..., 4096) = 4096\nclose(3) = 0\n")
	head := []byte(`{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 2, "pid": 0, "tid": 7}]}`)
	large := func(name string, head []byte) File {
		return File{Name: name, Data: head, Size: 3 << 30, Stream: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(head)), nil }}
	}
	if _, err := Open([]File{large("a.json", head)}, "", 1<<30); err == nil || err.Error() != "a.json is 3.0 GiB; a tab can take 1 GiB. Open less" {
		t.Error(err)
	}
	for lab, head := range map[string][]byte{"cxlssd": lackey, "filesys": calls} {
		if o, err := Open([]File{large("a.log", head)}, "", 1<<30); err != nil || o.Takers[0].Lab != lab || o.Takers[0].Bytes != 3<<30 {
			t.Errorf("%s, %v: %+v", lab, err, o)
		}
	}
	file, read := large("a.bin", []byte("\x93NUMPY")), int64(0)
	file.Stream = func() (io.ReadCloser, error) {
		return anywhere{io.NewSectionReader(array{&read}, 0, 3<<30)}, nil
	}
	if o, err := Open([]File{file}, "compress", 1<<30); err != nil || o.Takers[0].Lab != "compress" || o.Takers[0].Bytes != 3<<30 {
		t.Errorf("%v: %+v", err, o)
	}
	if read > 1<<20 {
		t.Errorf("%d bytes of it are read", read)
	}
}

// anywhere is a file any part of which can be read.
type anywhere struct{ *io.SectionReader }

func (anywhere) Close() error { return nil }

// array is a large array of one dimension, and counts what is read of it.
type array struct{ read *int64 }

func (a array) ReadAt(p []byte, off int64) (int, error) {
	*a.read += int64(len(p))
	head := "\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (3221225344,), }"
	text := head + strings.Repeat(" ", 127-len(head)) + "\n"
	for i := range p {
		if at := off + int64(i); at < int64(len(text)) {
			p[i] = text[at]
		}
	}
	return len(p), nil
}

// What several laboratories refuse alike is said once, and nobody is told to copy a file that
// is whole.
func TestOnce(t *testing.T) {
	_, err := Open([]File{{Name: "config.json", Data: []byte(`{"architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper"}`)}}, "", 0)
	if err == nil || strings.Count(err.Error(), "whisper\" (") != 1 || strings.Contains(err.Error(), Again) || !strings.Contains(err.Error(), "known are llama") {
		t.Errorf("%v", err)
	}
}

// A workbook is told what it is, and nobody takes it for tensors.
func TestOffice(t *testing.T) {
	for _, name := range []string{"book.xlsx", "empty.docx"} {
		_, err := Open([]File{{Name: name, Data: []byte("PK\x05\x06" + strings.Repeat("\x00", 18))}}, "", 0)
		if err == nil || strings.Contains(err.Error(), ".npy members") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"[Content_Types].xml", "xl/workbook.xml"} {
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Open([]File{{Name: "book.xlsx", Data: b.Bytes()}}, "", 0)
	if err == nil || !strings.HasPrefix(err.Error(), "book.xlsx: a document of an office program; save a table as CSV") {
		t.Errorf("%v", err)
	}
}
