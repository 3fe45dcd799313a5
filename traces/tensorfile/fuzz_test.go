package tensorfile

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode"
)

// sound checks what holds of every file that opens: its tensors lie in it, apart from
// each other, in order, and their names can be shown.
func sound(t *testing.T, data []byte) {
	t.Helper()
	soundAs(t, "x", data)
	soundAs(t, "x.safetensors", data)
}

func soundAs(t *testing.T, name string, data []byte) {
	t.Helper()
	found, err := open(name, data)
	if err != nil {
		if strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("a message with control characters: %q", err)
		}
		return
	}
	if found.Unpacked > 0 { // whose tensors lie in what they unpack to: FuzzPacked
		return
	}
	end := int64(0)
	for _, x := range found.Tensors {
		if x.Offset < 0 || x.Bytes < 0 || x.Offset+int64(x.Bytes) > int64(len(data)) {
			t.Errorf("%s lies outside of %d bytes: %+v", found.Format, len(data), x)
		}
		if x.Bytes > 0 && x.Offset < end {
			t.Errorf("%s: %q begins before the end of another", found.Format, x.Name)
		}
		end = max(end, x.Offset+int64(x.Bytes))
		if _, err := io.ReadFull(io.NewSectionReader(bytes.NewReader(data), x.Offset, int64(x.Bytes)), make([]byte, x.Bytes)); err != nil {
			t.Error(err)
		}
		if strings.ContainsFunc(x.Name, unicode.IsControl) || strings.ContainsRune(x.Name, '\u202e') {
			t.Errorf("a name with control characters: %q", x.Name)
		}
	}
	for _, n := range found.Notes {
		if strings.ContainsFunc(n, unicode.IsControl) {
			t.Errorf("a note with control characters: %q", n)
		}
	}
}

// samples has a file of each format.
func samples() [][]byte {
	small := array(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24)
	return [][]byte{
		tensors(two, 16), small, array(2, "{'descr':'<c8','shape':()}", 8), archive(member{name: "w.npy", data: small}),
		archive(member{name: "a/data.pkl"}, member{name: "a/data/0", data: small}),
		checkpoint(begin+dict+text("a.weight")+float("0", 6, 2, 3)+text("a.bias")+float("1", 3, 3)+filled+end, 24, 12),
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range samples() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { sound(t, data) })
}

// The next try headers whose frames are right.

func FuzzSafetensors(f *testing.F) {
	for _, header := range []string{two, entry(`"dtype":"F32","shape":[2],"data_offsets":[0,8]`), "{}", `{"__metadata__":{"a":"b"}}`, `{"a":{"shape":[`, `{"a\u202e":{"dtype":"U8","shape":[0],"data_offsets":[3,3]}}`, entry(`"dtype":"F64","shape":[288230376151711745],"data_offsets":[0,8]`)} {
		f.Add(header, 16)
	}
	f.Fuzz(func(t *testing.T, header string, n int) { sound(t, tensors(header, n&1023)) })
}

func FuzzNumPy(f *testing.F) {
	for _, header := range []string{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", "{'descr':'<M8[ns]','shape':()}", "{'shape':(3L,),'descr':'|V2'}", "{'descr': [('a','<f4')]}", "{'descr':'|V1048576','shape':(13194139533312,)}"} {
		f.Add(byte(1), header, 24)
		f.Add(byte(2), header, 8)
	}
	f.Fuzz(func(t *testing.T, version byte, header string, n int) {
		sound(t, array(version, header[:min(len(header), 1<<15)], n&1023))
	})
}

func FuzzArchive(f *testing.F) {
	small := array(1, "{'descr': '<f4', 'shape': (2, 3), }", 24)
	f.Add("w.npy", "v.npy", small, uint16(zip.Store), []byte{}, 0)
	f.Add("a/data.pkl", "a/data/0", small, uint16(zip.Store), []byte("PK\x06\x07"), 300)
	f.Add("w.npy", "w.npy", small, uint16(zip.Deflate), []byte{9}, 10)
	f.Fuzz(func(t *testing.T, a, b string, data []byte, method uint16, damage []byte, at int) {
		if method != zip.Store {
			method = zip.Deflate
		}
		name := func(s string) string { return strings.TrimRight(s[:min(len(s), 1000)], "/") } // a folder holds no data
		file := archive(member{name: name(a), data: data, method: method}, member{name: name(b), data: data})
		copy(file[uint(at)%uint(len(file)):], damage)
		sound(t, file)
	})
}

func FuzzTorch(f *testing.F) {
	for _, p := range []piece{
		begin + dict + text("a") + float("0", 6, 2, 3) + filled + end,
		begin + hooks + "(" + text("a") + float("0", 6, 6) + filled + "}" + text("_metadata") + hooks + "sb" + end,
		begin + "ctorch._utils\n_rebuild_tensor_v3\n(" + refer("torch.storage\nUntypedStorage", "0", 24) + "K\x00(" + number(6) + "t(t\x89" + hooks + "ctorch\nfloat32\n}tR" + end,
		"\x80\x04\x8c\x05torch\x8c\x0cFloatStorage\x93C\x02ab\x86.",
	} {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, p []byte) { sound(t, checkpoint(piece(p), 24, 12)) })
}
