package compress

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// shards is a checkpoint of so many files beside what is not one of them.
func shards(n int, data []byte) []lab.File {
	list := []lab.File{{Name: "m/config.json", Data: []byte(`{"model_type": "x"}`)}}
	for i := range n {
		renamed := bytes.Replace(data, []byte(`"both"`), fmt.Appendf(nil, `"b%03d"`, i), 1)
		list = append(list, lab.File{Name: fmt.Sprintf("m/model-%05d-of-%05d.safetensors", i+1, n), Data: renamed})
	}
	return append(list, lab.File{Name: "m/model.safetensors.index.json", Data: []byte(`{"weight_map":{}}`)}, lab.File{Name: "m/README.md", Data: []byte("# A model\n")}, lab.File{Name: "m/LICENSE", Data: []byte("free")})
}

// Several files are one entry too, with what was measured of each.
func TestTogether(t *testing.T) {
	l := New()
	raw := sourceOf(t, shards(3, weights(t))...)
	list := raw.Entries()
	if len(list) != 4 || list[0].Name != "m/all 3 files" || list[0].Info != "safetensors, 9 tensors, 9 MiB" || list[0].Survey == nil || list[0].Survey.Bytes != 9<<20 {
		t.Fatalf("%+v", list)
	}
	if n := raw.Notes(); len(n) != 1 || n[0] != "Left out, as they hold text: config.json, model.safetensors.index.json, README.md, 1 more." {
		t.Errorf("%q", n)
	}
	small, err := filesOf(raw.Condensed(nil))
	if err != nil {
		t.Fatal(err)
	}
	var hashes []string
	files := append(slices.Clone(small), shards(3, weights(t))...)
	for _, exact := range []string{"no", "yes"} {
		u := labtest.Setup(t, &l, "exact="+exact)
		if err := u.Set("entry", "m/all 3 files"); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*source{raw, sourceOf(t, files...)} {
			all, err := exec.Surveyed(&l, u, s, nil, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, x, err := l.Run(u, "per-allocation", all, nil)
			if err != nil || !r.Fits {
				t.Fatal(err, r)
			}
			res := x.(*result)
			var sum, entries int64
			for i, one := range res.Tensors {
				sum, entries = sum+one.Bytes, entries+one.Entries
				if want := []string{"dense", "zeros", fmt.Sprintf("b%03d", i/3)}[i%3]; !strings.HasSuffix(one.Name, "/"+want) {
					t.Errorf("tensor %d is %q", i, one.Name)
				}
			}
			if sum != 9<<20 || exact == "yes" && entries != sum/128 {
				t.Errorf("%d bytes, %d entries", sum, entries)
			}
			hashes = append(hashes, l.Hash(x))
			carried, err := filesOf(s.Carry(u))
			if exact == "yes" {
				// Each of the files is known then, too.
				for _, f := range all.(*source).files {
					if f.All == nil {
						t.Errorf("%s is not known", f.Name)
					}
				}
				carried, err = filesOf(all.(*source).Carry(u))
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, x, err := l.Run(u, "per-allocation", sourceOf(t, carried...), nil); err != nil || l.Hash(x) != hashes[len(hashes)-1] {
				t.Errorf("a bundle: %v", err)
			}
		}
	}
	if hashes[0] != hashes[1] || hashes[2] != hashes[3] || hashes[0] == hashes[2] {
		t.Error(hashes)
	}
}

// Bytes of the entry of all files are those of its files.
func TestTogetherBytes(t *testing.T) {
	data := weights(t)
	s := sourceOf(t, lab.File{Name: "a.safetensors", Data: data}, lab.File{Name: "b.bin", Data: []byte("\x00bytes")}, lab.File{Name: "c.safetensors", Data: data})
	list := s.Entries()
	if len(list) != 4 || list[3].Name != "all 2 files" {
		t.Fatalf("%+v", list)
	}
	m, err := entry("all 2 files", false, s)
	if err != nil {
		t.Fatal(err)
	}
	got, want := make([]byte, 4096), make([]byte, 4096)
	for i := range 6 {
		one, err := entry(fmt.Sprintf("%c.safetensors", "ac"[i/3]), false, s)
		if err != nil || m.tensors[i].Bits != one.tensors[i%3].Bits {
			t.Fatal(err)
		}
		if err := m.bytes(i, 8192, got); err != nil || one.bytes(i%3, 8192, want) != nil || !bytes.Equal(got, want) {
			t.Errorf("tensor %d: %v", i, err)
		}
	}
	if err := m.bytes(6, 0, got); err == nil {
		t.Error("a tensor that is not there")
	}
	for _, alone := range [][]lab.File{{{Name: "a", Data: data}}, {{Name: "a", Data: data}, {Name: "t", Data: []byte("text")}}} {
		if e := sourceOf(t, alone...).Entries(); len(e) != 1 {
			t.Errorf("%+v", e)
		}
	}
	if e := sourceOf(t, lab.File{Name: "x/a", Data: []byte("text")}, lab.File{Name: "y/b", Data: []byte("text")}).Entries(); len(e) != 3 || e[2].Name != "all 2 files" || e[2].Info != "raw bytes, 2 tensors, 8 B" {
		t.Errorf("%+v", e)
	}
}
