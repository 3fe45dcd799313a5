package compress

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// weights is a safetensors file with a dense tensor, one of zeros, and one whose
// halves are one of each.
func weights(t *testing.T) []byte {
	t.Helper()
	const n = 1 << 20 // bytes of each
	r := rand.New(rand.NewPCG(1, 2))
	var data []byte
	var header strings.Builder
	header.WriteString("{")
	for i, name := range []string{"dense", "zeros", "both"} {
		if i > 0 {
			header.WriteByte(',')
		}
		fmt.Fprintf(&header, `"%s":{"dtype":"F32","shape":[%d],"data_offsets":[%d,%d]}`, name, n/4, i*n, (i+1)*n)
		for k := range n / 4 {
			var v float32
			if name == "dense" || name == "both" && k%4096 < 2048 { // pages of 2048 floats
				v = float32(r.NormFloat64())
			}
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	header.WriteString("}")
	out := binary.LittleEndian.AppendUint64(nil, uint64(header.Len()))
	return append(append(out, header.String()...), data...)
}

// TestFile compresses a file's tensors, all of them and a sample.
func TestFile(t *testing.T) {
	l := New()
	files, err := open([]lab.File{{Name: "a/w.safetensors", Data: weights(t)}, {Name: "notes.pdf.gz", Data: []byte("\x1f\x8b")}})
	if err != nil {
		t.Fatal(err)
	}
	if e := files.Entries(); len(e) != 1 || e[0].Info != "safetensors, 3 tensors, 3 MiB" || len(files.Notes()) != 1 {
		t.Errorf("%+v, %q", e, files.Notes())
	}
	for _, exact := range []string{"no", "yes"} {
		u := labtest.Setup(t, &l, "entry=a/w.safetensors exact="+exact)
		if exact == "yes" {
			if _, _, err := l.Run(u, "naive", files, nil); err == nil || !strings.Contains(err.Error(), "not all entries of a/w.safetensors have been compressed yet") {
				t.Error(err)
			}
			if files, err = exec.Surveyed(&l, u, files, nil, 2, nil); err != nil {
				t.Fatal(err)
			}
		}
		r, raw, err := l.Run(u, "per-allocation-16x", files, nil)
		if err != nil || !r.Fits {
			t.Fatal(err, r)
		}
		check(t, &l, "exact="+exact, r)
		var out struct {
			Tensors []tensor `json:"tensors"`
		}
		text, err := l.JSON(raw)
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		if err != nil || len(out.Tensors) != 3 {
			t.Fatal(err, len(out.Tensors))
		}
		const all = 8192
		for _, x := range out.Tensors {
			var sum int64
			for _, n := range x.Sectors {
				sum += n
			}
			dense := float64(x.Sectors[4]) / float64(x.Entries)
			want := map[string]float64{"dense": 1, "zeros": 0, "both": 0.5}[x.Name]
			off := float64(x.Error) / 1000
			switch {
			case sum != x.Entries || x.Type != "float32" || x.Bytes != 1<<20:
				t.Errorf("%+v", x)
			case exact == "yes" && (x.Entries != all || x.Error != 0 || dense != want):
				t.Errorf("all: %+v", x)
			case exact == "no" && (x.Entries != 4096 || math.Abs(dense-want) > 3*off+1e-9):
				t.Errorf("a sample: %+v; %.3f is dense", x, dense)
			}
		}
		if said := strings.Contains(strings.Join(r.Notes, " "), "standard error"); said == (exact == "yes") {
			t.Errorf("exact=%s: %q", exact, r.Notes)
		}
	}
}

func TestNoFile(t *testing.T) {
	l := New()
	if _, err := open([]lab.File{{Name: "x", Data: []byte("\x80\x04}")}}); err == nil || !strings.Contains(err.Error(), "x: the file is a pickle") {
		t.Error(err)
	}
	files, err := open([]lab.File{{Name: "x", Data: []byte("bytes")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Run(labtest.Setup(t, &l, "entry=y"), "naive", files, nil); err == nil || !strings.Contains(err.Error(), `no "y"`) {
		t.Error(err)
	}
}

// Arrays that are compressed in their file are counted as those that lie as they are.
func TestPackedArrays(t *testing.T) {
	pack := func(method uint16) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i, name := range []string{"a.npy", "b.npy"} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err != nil {
				t.Fatal(err)
			}
			header := fmt.Sprintf("{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }\n", 300_001+i)
			data := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
			data = append(data, header...)
			for k := range 300_001 + i {
				data = binary.LittleEndian.AppendUint32(data, uint32(k*k/(1+1000*i)))
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	l := New()
	var texts []string
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		files, err := open([]lab.File{{Name: "w.npz", Data: pack(method)}})
		if err != nil {
			t.Fatal(err)
		}
		u := labtest.Setup(t, &l, "entry=w.npz exact=yes")
		if method == zip.Store {
			if files, err = exec.Surveyed(&l, u, files, nil, 2, nil); err != nil {
				t.Fatal(err)
			}
		}
		_, raw, err := l.Run(u, "naive", files, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := l.JSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], `"a"`) {
		t.Errorf("stored\n%s\nand compressed\n%s", texts[0], texts[1])
	}
}
