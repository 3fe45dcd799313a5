package traces

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/artifact"
	"spillway/traces/archive/archivetest"
	"spillway/traces/spillway"
)

// artifactFiles returns the artifact's files as a dropped folder.
func artifactFiles(t testing.TB) []File {
	t.Helper()
	dir := artifact.Dir(t)
	var files []File
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		files = append(files, File{Name: "G10-main/" + filepath.ToSlash(name), Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func zipped(t testing.TB, files []File) []byte {
	t.Helper()
	return archivetest.Zip(t, len(files), func(i int) (string, []byte) { return files[i].Name, files[i].Data })
}

// TestArtifact opens the whole artifact, as a folder and as the repository's
// zip, and loads every network at every batch size and some configs.
func TestArtifact(t *testing.T) {
	files := artifactFiles(t)
	litter := append(slices.Clone(files), File{Name: "__MACOSX/G10-main/._BERT_Base.txt", Data: []byte("x")}, File{Name: "G10-main/.git/HEAD", Data: []byte("x")})
	for _, c := range []struct {
		name  string
		files []File
	}{
		{"folder", files},
		{"zip", []File{{Name: "G10-main.zip", Data: zipped(t, litter)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.files, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Format != "G10 artifact" || len(s.Entries) != 40+357 {
				t.Errorf("got %d entries of %s, want 40 profiles and 357 configs of G10 artifact", len(s.Entries), s.Format)
			}
			want := []string{"55 other files, such as G10-main/LICENCE, are not traces and were left out."}
			if !slices.Equal(s.Notes, want) {
				t.Errorf("notes: got %q, want %q", s.Notes, want)
			}
			for i, e := range s.Entries {
				if (e.Config != nil) != (i >= 40) {
					t.Errorf("entry %d: %s, config %v", i, e.Name, e.Config)
				}
				if c.name == "zip" && i%40 != 0 || e.Config != nil && i%20 != 0 {
					continue
				}
				w, err := e.Load()
				if err != nil {
					t.Fatal(err)
				}
				if w.Batch != e.Batch || w.Model != e.Model || e.Config == nil && w.Name != e.Name {
					t.Errorf("%+v loads %q, %q, batch %d", e, w.Name, w.Model, w.Batch)
				}
			}
			if e := s.Entries[1]; e.Name != "BERT-base, batch 256" || e.Detail != "BERT_Base.txt with G10-main/results/BERT_Base/cudnn256.txt" {
				t.Errorf("got %q, %q", e.Name, e.Detail)
			}
			at := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.Name == "VIT/1280-sim_deepUM" })
			if at < 0 || s.Entries[at].Detail != "ViT-S/32, batch 1280, deepum+" {
				t.Errorf("no or a wrong entry for VIT/1280-sim_deepUM at %d", at)
			}
		})
	}
}

const tinyNet = `Tiny(
  (conv): Conv2d(3, 2, kernel_size=(2, 2), stride=(2, 2))
  (fc): Linear(in_features=25088, out_features=5, bias=False)
)
`

// column returns a file of ten kernels.
func column(value string) []byte {
	var b []byte
	for k := range 10 {
		b = fmt.Appendf(b, "%04d %s\n", k, value)
	}
	return b
}

const tinyConfig = `batch_size 2
input_H 224
input_W 224
nn_model_input_file ../frontend/Nets/Tiny.txt
orig_kernel_time_file ../results/Tiny/cudnn2.txt
input_pf_kernel_time_file ../results/Tiny/cudnn2InputPF.txt
pf_kernel_time_file ../results/Tiny/cudnn2PF.txt
workspace_size_file ../results/Tiny/cudnn2Workspace.txt
use_prefetch 1
`

// tiny returns the files of a whole small artifact.
func tiny() []File {
	return []File{
		{Name: "frontend/Nets/Tiny.txt", Data: []byte(tinyNet)},
		{Name: "results/Tiny/cudnn2.txt", Data: column("0.1 ms")},
		{Name: "results/Tiny/cudnn2InputPF.txt", Data: column("0.2 ms")},
		{Name: "results/Tiny/cudnn2PF.txt", Data: column("0.3 ms")},
		{Name: "results/Tiny/cudnn2Workspace.txt", Data: column("0 B")},
		{Name: "src/configs/Tiny/2-sim_prefetch_lru.config", Data: []byte(tinyConfig)},
	}
}

// TestOpen drops parts of a small artifact in many ways.
func TestOpen(t *testing.T) {
	all := tiny()
	flat := func(files []File) []File {
		files = slices.Clone(files)
		for i := range files {
			files[i].Name = filepath.Base(files[i].Name)
		}
		return files
	}
	squeezed := slices.Clone(all)
	for i := range squeezed {
		squeezed[i] = File{Name: squeezed[i].Name + ".gz", Data: archivetest.Gzip(t, squeezed[i].Data)}
	}
	renamed := func(i int, name string) []File {
		files := slices.Clone(all)
		files[i].Name = name
		return files
	}
	marked := renamed(5, all[5].Name)
	marked[5].Data = append([]byte("\xef\xbb\xbf"), marked[5].Data...)
	const both = "Tiny, batch 2; Tiny/2-sim_prefetch_lru"
	for _, c := range []struct {
		name    string
		files   []File
		entries string
		notes   []string
	}{
		{"everything", all, both, nil},
		{"flat", flat(all), "Tiny, batch 2; 2-sim_prefetch_lru", nil},
		{"gzip", squeezed, both, nil},
		{"backslashes", renamed(1, `results\Tiny\cudnn2.txt`), both, nil},
		{"byte order mark", marked, both, nil},
		{"zip of gzip", []File{{Name: "a.zip", Data: zipped(t, squeezed)}}, both, nil},
		{"without config", all[:5], "Tiny, batch 2", nil},
		{
			"one missing", slices.Delete(slices.Clone(all), 3, 4), "Tiny/2-sim_prefetch_lru",
			[]string{
				"Tiny, batch 2: add results/Tiny/cudnn2PF.txt",
				"src/configs/Tiny/2-sim_prefetch_lru.config needs more files: results/Tiny/cudnn2PF.txt is not among the files; add it",
			},
		},
		{
			"config alone", all[5:], "Tiny/2-sim_prefetch_lru",
			[]string{"src/configs/Tiny/2-sim_prefetch_lru.config needs more files: " +
				"frontend/Nets/Tiny.txt is not among the files; add it; results/Tiny/cudnn2.txt is not among the files; add it; " +
				"results/Tiny/cudnn2InputPF.txt is not among the files; add it; results/Tiny/cudnn2PF.txt is not among the files; add it; " +
				"results/Tiny/cudnn2Workspace.txt is not among the files; add it"},
		},
		{
			"another file", append(slices.Clone(all), File{Name: "photo.png", Data: []byte("\x89PNG\r\n\x1a\n")}), both,
			[]string{"photo.png: an image (PNG), not a trace."},
		},
		{
			"unknown folder", renamed(1, "results/Other/cudnn2.txt"), "Tiny/2-sim_prefetch_lru",
			[]string{
				"results/Other/cudnn2.txt: kernel times of an unknown network; add its description, frontend/Nets/Other.txt",
				"Tiny, batch 2: add results/Tiny/cudnn2.txt",
				"src/configs/Tiny/2-sim_prefetch_lru.config needs more files: results/Tiny/cudnn2.txt is not among the files; add it",
			},
		},
		{
			"no batch in the name", renamed(1, "results/Tiny/times.txt"), "Tiny/2-sim_prefetch_lru",
			[]string{
				"results/Tiny/times.txt: holds one number for each kernel, but its name does not say for which batch size; name it like cudnn256.txt",
				"Tiny, batch 2: add results/Tiny/cudnn2.txt",
				"src/configs/Tiny/2-sim_prefetch_lru.config needs more files: results/Tiny/cudnn2.txt is not among the files; add it",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.files, nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, e := range s.Entries {
				names = append(names, e.Name)
				w, err := e.Load()
				if wantErr := len(c.notes) > 0 && strings.Contains(c.notes[len(c.notes)-1], "needs more files"); (err != nil) != wantErr {
					t.Errorf("%s: %v", e.Name, err)
				}
				if err == nil && (w.Name != "Tiny, batch 2" || len(w.Kernels) != 10) {
					t.Errorf("%s: loads %q with %d kernels", e.Name, w.Name, len(w.Kernels))
				}
			}
			if got := strings.Join(names, "; "); got != c.entries {
				t.Errorf("entries: got %s, want %s", got, c.entries)
			}
			if !slices.Equal(s.Notes, c.notes) {
				t.Errorf("notes: got %q\nwant %q", s.Notes, c.notes)
			}
		})
	}
}

// TestOpenNothing lists the exact messages for drops without any workload.
func TestOpenNothing(t *testing.T) {
	all := tiny()
	bomb := make([]byte, 1<<20)
	for _, c := range []struct {
		name  string
		files []File
		want  string
	}{
		{"nothing", nil, "no files. " + Takes()},
		{"PNG", []File{{Name: "a.png", Data: []byte("\x89PNG\r\n\x1a\n")}}, "a.png: an image (PNG), not a trace.\n" + Takes()},
		{"empty", []File{{Name: "a", Data: nil}}, "a: an empty file.\n" + Takes()},
		{"HTML", []File{{Name: "a", Data: []byte("\n<!DOCTYPE html><html>")}}, "a: a web page (HTML); use the site's download link instead of saving the page.\n" + Takes()},
		{"JSON", []File{{Name: "a", Data: []byte(`[1]`)}}, "a: JSON, but no recording or trace that is known.\n" + Takes()},
		{"text", []File{{Name: "a", Data: []byte(`hello`)}}, "a: text, but none that is known.\n" + Takes()},
		{"binary", []File{{Name: "a", Data: []byte("\x00\x01\x02")}}, "a: a binary file of an unknown kind.\n" + Takes()},
		{"tar", []File{{Name: "a", Data: append(make([]byte, 257), "ustar"...)}}, "a: a tar archive; unpack it and drop the folder, or use the zip download.\n" + Takes()},
		{"short gzip", []File{{Name: "a.gz", Data: []byte{0x1f, 0x8b}}}, "a.gz: damaged gzip data (unexpected EOF); compress or download it again"},
		{"cut gzip", []File{{Name: "a.gz", Data: archivetest.Gzip(t, bomb)[:40]}}, "a.gz: damaged gzip data (unexpected EOF); compress or download it again"},
		{"cut zip", []File{{Name: "a.zip", Data: zipped(t, all)[:400]}}, "a.zip: damaged zip archive (zip: not a valid zip file); download it again"},
		{"empty zip", []File{{Name: "a.zip", Data: zipped(t, nil)}}, "a.zip: an empty zip archive; download it again"},
		{"checkpoint", []File{{Name: "a.pt", Data: zipped(t, []File{{Name: "a/data.pkl", Data: nil}})}}, "a.pt: a PyTorch checkpoint, which holds weights, not what happens in a step: the laboratory Compression takes it; record a step with Spillway's capture.py.\n" + Takes()},
		{"folder of litter", []File{{Name: "x/.DS_Store", Data: []byte("x")}}, "no files. " + Takes()},
		{
			"network alone", all[:1],
			"Tiny.txt describes a network but there are no kernel times: add results/Tiny/cudnn256.txt, and cudnn256InputPF.txt, " +
				"cudnn256PF.txt and cudnn256Workspace.txt beside it (or those of another batch size)",
		},
		{
			"times alone",
			[]File{{Name: "cudnn2.txt", Data: all[1].Data}},
			"cudnn2.txt: kernel times of an unknown network; add its description, frontend/Nets/NAME.txt",
		},
		{
			"broken network",
			[]File{{Name: "Tiny.txt", Data: []byte("Tiny(\n(conv): Conv2d(")}},
			"Tiny.txt:2: the file ends; want \",\" or \")\"",
		},
		{"broken config", []File{{Name: "a.config", Data: []byte("batch_size 2\nfoo 1")}}, `a.config:2: unknown key "foo"; see the artifact's src/configs for the keys`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(c.files, nil)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestSpillway opens our own traces beside the artifact's files, and one that is broken.
func TestSpillway(t *testing.T) {
	s, err := Open(tiny(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Entries[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	trace, err := spillway.Encode(w)
	if err != nil {
		t.Fatal(err)
	}
	broken := File{Name: "b.json", Data: []byte(`{"format": "spillway-trace", "version": 1}`)}
	s, err = Open(append(tiny()[:5], File{Name: "a.json.gz", Data: archivetest.Gzip(t, trace)}, broken), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Format != "Spillway trace and G10 artifact" || len(s.Entries) != 2 || s.Entries[0].Detail != "a.json" || len(s.Notes) != 1 {
		t.Errorf("got %+v", s)
	}
	if got, err := s.Entries[0].Load(); err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("got %+v, %v; want %+v", got, err, w)
	}
	if _, err = Open([]File{broken}, nil); err == nil || !strings.HasPrefix(err.Error(), "b.json") {
		t.Errorf("a broken trace alone: got %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	all := tiny()
	f.Add("a.zip", zipped(f, all))
	f.Add("a.gz", archivetest.Gzip(f, all[0].Data))
	for _, file := range all {
		f.Add(file.Name, file.Data)
	}
	for _, text := range []string{
		`{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}]}`,
		`{"schema": "1.0.1", "nodes": [{"id": 1, "name": "a", "parent": 1, "inputs": [[1, 2, 0, 4, 4, "cuda:0"]], "outputs": []}]}`,
		`{"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 512}]]}`, "\x80\x02}.", "\x07\x0a\x050.0.4\x02\x08\x01", "[[1, 2, 3, 4]]",
		"\x0a\x20\x12\x0e/host:metadata",
	} {
		f.Add("job", []byte(text))
		f.Add("job.gz", archivetest.Gzip(f, []byte(text)))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		s, err := Open([]File{{Name: name, Data: data}}, nil)
		if (s == nil) == (err == nil) {
			t.Fatalf("got %v, %v", s, err)
		}
		if err != nil && err.Error() == "" {
			t.Error("an empty message")
		}
		if s != nil && len(s.Entries) == 0 {
			t.Error("no entries and no error")
		}
		for i := 0; s != nil && i < len(s.Entries); i++ {
			if w, err := s.Entries[i].Load(); err == nil && s.Entries[i].Recording != nil && w.Validate() != nil {
				t.Error(w.Validate())
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	files := artifactFiles(b)
	packed := []File{{Name: "G10-main.zip", Data: zipped(b, files)}}
	for name, files := range map[string][]File{"folder": files, "zip": packed} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Open(files, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNames: a name changes nothing of what is printed beside it.
func TestNames(t *testing.T) {
	const name, want = "a\x1b[31m\n\u009b\u202eb\\c é\xff.txt", "a[31mb/c é\ufffd.txt"
	for _, files := range [][]File{
		{{Name: name, Data: []byte("hello")}},
		{{Name: "x.zip", Data: zipped(t, []File{{Name: name, Data: []byte("hello")}})}},
	} {
		_, err := Open(files, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want+": text, but none that is known.") {
			t.Errorf("%q", err)
		}
	}
}
