package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// tensors is a safetensors file with this header and so many bytes of data.
func tensors(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

// array is a .npy file.
func array(version byte, header string, data int) []byte {
	b := append([]byte(magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), make([]byte, data)...)
}

type member struct {
	name   string
	data   []byte
	method uint16
}

func archive(members ...member) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err == nil {
			_, err = w.Write(m.data)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// commented is a zip archive with a comment that is said to have so many bytes.
func commented(file []byte, n uint16, comment string) []byte {
	file = bytes.Clone(file)
	binary.LittleEndian.PutUint16(file[len(file)-2:], n)
	return append(file, comment...)
}

func open(name string, data []byte) (*File, error) {
	return Open(name, bytes.NewReader(data), int64(len(data)))
}

// print shows what was found.
func print(f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", f.Format)
	for _, t := range f.Tensors {
		fmt.Fprintf(&b, " %s %s%v@%d+%d", t.Name, t.Type, t.Shape, t.Offset, t.Bytes)
	}
	for _, n := range f.Notes {
		fmt.Fprintf(&b, " (%s)", n)
	}
	return b.String()
}

const two = `{"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},"__metadata__":{"key":"secret"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}  `

func TestOpen(t *testing.T) {
	small := array(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"x/model.safetensors", tensors(two, 16), fmt.Sprintf("safetensors: a float32[]@%d+4 b bfloat16[2 3]@%d+12", 8+len(two), 12+len(two))},
		{"m", tensors(two, 20), fmt.Sprintf("safetensors: a float32[]@%d+4 b bfloat16[2 3]@%d+12 (4 bytes at the end belong to no tensor.)", 8+len(two), 12+len(two))},
		{"m", tensors(`{"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}}`, 2), "safetensors: a float4[4]@61+2"},
		{`C:\w.npy`, small, "NumPy array: w float32[2 3]@70+24"},
		{"w.npy", array(2, "{'descr': '|b1', 'fortran_order': True, 'shape': (5,), }\n", 5), "NumPy array: w bool[5]@69+5"},
		{"w.npy", array(3, "{'descr':'<U3','shape':()}", 12), "NumPy array: w unicode[]@38+12"},
		{"w.npy", array(1, "{'descr':'|V2','shape':(3L,)}", 6), "NumPy array: w bytes2[3]@39+6"},
		{"a.npz", commented(archive(member{name: "w.npy", data: small}), 5, "notes"), "NumPy archive: w float32[2 3]@105+24"},
		{"a.npz", archive(member{name: "w.npy", data: small}, member{name: "readme.txt"}), `NumPy archive: w float32[2 3]@105+24 ("readme.txt" is no array and was left out.)`},
		{"a.pt", archive(member{name: "a/data.pkl", method: zip.Deflate, data: []byte("\x80\x02.")}, member{name: "a/data/0", data: make([]byte, 100)}, member{name: "a/data/1"}, member{name: "a/version"}), "PyTorch checkpoint: storage 0 []@"},
		{"w.npy", array(1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (0, 2), }", 0), "NumPy array: w datetime64[0 2]@73+0"},
		{"w.npy", array(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", 40), "NumPy array: w float64[2 2]@68+32 (8 bytes behind an array belong to nothing.) (An array lies column by column (Fortran order), and is taken as it lies.)"},
		{"m", tensors("{\"a\\u0000\\u202eb\":{\"dtype\":\"F8_E4M3\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3), `safetensors: "a\x00\u202eb" float8_e4m3[3]@79+3`},
		{"dump.bin", []byte("anything"), "raw bytes: dump.bin []@0+8"},
		{"a.b", make([]byte, 1000), "raw bytes: a.b []@0+1000"},
		{"a\u202e.b", make([]byte, 1000), `raw bytes: "a\u202e.b" []@0+1000`},
	} {
		f, err := open(tt.name, tt.data)
		if err != nil || !strings.HasPrefix(print(f), tt.want) {
			t.Errorf("%s: %v, %v; want %s", tt.name, f, err, tt.want)
		}
		if err == nil && strings.Contains(print(f), "secret") {
			t.Errorf("%s: metadata of the user is kept", tt.name)
		}
	}
}

// entry is a safetensors header with one tensor.
func entry(body string) string { return `{"a":{` + body + `}}` }

func TestHostile(t *testing.T) {
	ok := `"dtype":"F32","shape":[2],"data_offsets":[0,8]`
	length := func(n uint64) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, n), `{"a":1}`...)
	}
	npy := func(header string) []byte { return array(1, header, 24) }
	small := npy("{'descr': '<f4', 'shape': (2, 3), }\n")
	cutZip := archive(member{name: "w.npy", data: small})
	tests := []struct {
		what string
		data []byte
		want string
	}{
		{"nothing", nil, "the file is empty"},
		{"gzip", []byte("\x1f\x8b\x08"), "the file is compressed with gzip, so its bytes are not those of memory; unpack it first"},
		{"zstd", []byte("\x28\xb5\x2f\xfd"), "the file is compressed with Zstandard, so its bytes are not those of memory; unpack it first"},
		{"old torch", []byte("\x80\x02\x8a\x0a"), "the file is a pickle, which names code; save its tensors with torch.save, or as safetensors"},
		{"pickle 3", []byte("\x80\x03}"), "the file is a pickle, which names code; save its arrays with numpy.savez, or as safetensors"},
		{"pickle 4", []byte("\x80\x04}"), "the file is a pickle, which names code; save its arrays with numpy.savez, or as safetensors"},
		{"pickle 5", []byte("\x80\x05}"), "the file is a pickle, which names code; save its arrays with numpy.savez, or as safetensors"},
		{"HDF5", []byte("\x89HDF\r\n\x1a\n"), "HDF5 files are not read; save the arrays with numpy.savez, or as safetensors"},
		{"GGUF", []byte("GGUF\x03\x00\x00\x00"), "GGUF files hold weights that are quantized already; drop the config.json of the model that they were made of, or for compression its safetensors"},

		{"length 2^63", length(1 << 63), "byte 0: the header is said to have 9223372036854775808 bytes; at most 104857600 are allowed. Is this a safetensors file?"},
		{"length 2^64-1", length(1<<64 - 1), "byte 0: the header is said to have 18446744073709551615 bytes; at most 104857600 are allowed. Is this a safetensors file?"},
		{"length 100 MiB + 1", length(MaxHeader + 1), "byte 0: the header is said to have 104857601 bytes; at most 104857600 are allowed. Is this a safetensors file?"},
		{"length past the end", length(8), "byte 0: the header is said to have 8 bytes, but only 7 follow; the file is cut off or no safetensors file"},
		{"length 1", length(1), "the header's JSON is cut off"},
		{"no JSON", tensors("{nonsense}", 0), `byte 9: want a name in double quotes, found 'n'`},
		{"empty", tensors("{}", 0), "the header names no tensor"},
		{"metadata only", tensors(`{"__metadata__":{}}`, 0), "the header names no tensor"},
		{"two values", tensors("{}{}", 0), `byte 10: want nothing after the end of the document, found '{'`},
		{"comma", tensors(`{"a":{`+ok+`},}`, 8), "the header is not JSON: a comma too many"},
		{"backslash", tensors(`{"a\x":{`+ok+`}}`, 8), "the header is not JSON: a backslash that escapes nothing"},
		{"control", tensors("{\"a\x01\":{"+ok+"}}", 8), "the header is not JSON: a control character in a string"},
		{"NaN", tensors(`{"a":{"x":NaN,`+ok+`}}`, 8), "the header is not JSON: NaN or Infinity"},
		{"cut JSON", tensors(`{"a":{`+ok, 8), "the header's JSON is cut off"},
		{"deep", tensors(`{"a":{"x":`+strings.Repeat("[", 200_000), 0), "byte 10016: brackets nest deeper than 10000 levels"},
		{"a list", tensors(`{"a":[]}`, 0), `tensor "a": it is no object`},
		{"a number", tensors(`{"a":1}`, 0), `tensor "a": it is no object`},
		{"no dtype", tensors(entry(`"shape":[2],"data_offsets":[0,8]`), 8), `tensor "a": it has no dtype`},
		{"dtype a number", tensors(entry(`"dtype":4,"shape":[2],"data_offsets":[0,8]`), 8), `tensor "a": it has no dtype`},
		{"dtype unknown", tensors(entry(`"dtype":"F33","shape":[2],"data_offsets":[0,8]`), 8), `tensor "a": unknown dtype "F33"`},
		{"dtype of code", tensors(entry(`"dtype":"<b>","shape":[2],"data_offsets":[0,8]`), 8), `tensor "a": unknown dtype "<b>"`},
		{"no shape", tensors(entry(`"dtype":"F32","data_offsets":[0,8]`), 8), `tensor "a": its shape is no list of at most 64 whole numbers`},
		{"shape text", tensors(entry(`"dtype":"F32","shape":["2"],"data_offsets":[0,8]`), 8), `tensor "a": its shape is no list of at most 64 whole numbers`},
		{"shape broken", tensors(entry(`"dtype":"F32","shape":[2.5],"data_offsets":[0,8]`), 8), `tensor "a": its shape is no list of at most 64 whole numbers`},
		{"shape beyond 64 bits", tensors(entry(`"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8]`), 8), `tensor "a": its shape is no list of at most 64 whole numbers`},
		{"shape of 65", tensors(entry(`"dtype":"F32","shape":[`+strings.Repeat("1,", 64)+`1],"data_offsets":[0,4]`), 8), `tensor "a": its shape is no list of at most 64 whole numbers`},
		{"shape negative", tensors(entry(`"dtype":"F32","shape":[-2],"data_offsets":[0,8]`), 8), `tensor "a": the shape [-2] is not possible`},
		{"shape overflows", tensors(entry(`"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]`), 8), `tensor "a": the shape [4294967296 4294967296] is not possible`},
		{"shape overflows to 0", tensors(entry(`"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]`), 8), `tensor "a": the shape [4611686018427387904 4] is not possible`},
		{"no offsets", tensors(entry(`"dtype":"F32","shape":[2]`), 8), `tensor "a": its data_offsets are not two whole numbers`},
		{"one offset", tensors(entry(`"dtype":"F32","shape":[2],"data_offsets":[0]`), 8), `tensor "a": its data_offsets are not two whole numbers`},
		{"three offsets", tensors(entry(`"dtype":"F32","shape":[2],"data_offsets":[0,8,8]`), 8), `tensor "a": its data_offsets are not two whole numbers`},
		{"offset text", tensors(entry(`"dtype":"F32","shape":[2],"data_offsets":["0",8]`), 8), `tensor "a": its data_offsets are not two whole numbers`},
		{"offsets reversed", tensors(entry(`"dtype":"F32","shape":[2],"data_offsets":[8,0]`), 8), `tensor "a": its range is from byte 8 to 0`},
		{"offset negative", tensors(entry(`"dtype":"F32","shape":[2],"data_offsets":[-8,0]`), 8), `tensor "a": its range is from byte -8 to 0`},
		{"past the end", tensors(entry(`"dtype":"F32","shape":[4],"data_offsets":[0,16]`), 8), `tensor "a": its range ends at byte 16 of the data, which has 8; the file is cut off, or its header lies`},
		{"shorter than its shape", tensors(entry(`"dtype":"F32","shape":[3],"data_offsets":[0,8]`), 8), `tensor "a": its range has 8 bytes, but F32 of shape [3] takes 12`},
		{"shape of 2^65 bits", tensors(entry(`"dtype":"F64","shape":[288230376151711760],"data_offsets":[0,128]`), 128), `tensor "a": the shape [288230376151711760] is not possible`},
		{"shape of 2^64 bits", tensors(entry(`"dtype":"F64","shape":[288230376151711744],"data_offsets":[0,0]`), 0), `tensor "a": the shape [288230376151711744] is not possible`},
		{"shape of 2^62 bits", tensors(entry(`"dtype":"F64","shape":[72057594037927936],"data_offsets":[0,8]`), 8), `tensor "a": its range has 8 bytes, but F64 of shape [72057594037927936] takes 576460752303423488`},
		{"half a byte", tensors(entry(`"dtype":"F4","shape":[3],"data_offsets":[0,2]`), 8), `tensor "a": 3 elements of F4 end inside a byte`},
		{"overlap", tensors(`{"a":{`+ok+`},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), `tensors "a" and "b" overlap: the second begins at byte 4 of the data, the first ends at 8`},
		{"twice", tensors(`{"a":{`+ok+`},"a":{`+ok+`}}`, 8), `tensor "a" is there twice`},
		{"long name", tensors(`{"`+strings.Repeat("x", 5000)+`":{`+ok+`}}`, 8), `tensor "` + strings.Repeat("x", 57) + `...": the name has 5000 bytes; at most 4096 are allowed`},

		{"npy of 9 bytes", []byte(magic + "\x01\x00\x05"), "byte 9: the header of the array is cut off"},
		{"npy version", []byte(magic + "\x07\x01\x05\x00xxxxxx"), "byte 6: version 7.1 of the array format is not known; 1 to 3 are"},
		{"npy length", []byte(magic + "\x01\x00\xff\xffxx"), "byte 8: the header is said to have 65535 bytes; the file has 2, and at most 1048576 are read"},
		{"npy length 4 GiB", []byte(magic + "\x02\x00\xff\xff\xff\xffxx"), "byte 8: the header is said to have 4294967295 bytes; the file has 2, and at most 1048576 are read"},
		{"npy no descr", npy("{'shape': (2, 3)}"), "byte 10: the header has no simple 'descr'; arrays of records are not read: save their fields one by one, numpy.savez(file, **{n: a[n] for n in a.dtype.names})"},
		{"npy records", npy("{'descr': [('a', '<f4')], 'shape': (2,)}"), "byte 10: the header has no simple 'descr'; arrays of records are not read: save their fields one by one, numpy.savez(file, **{n: a[n] for n in a.dtype.names})"},
		{"npy code", npy("{'descr': __import__('os'), 'shape': (2,)}"), "byte 10: the header has no simple 'descr'; arrays of records are not read: save their fields one by one, numpy.savez(file, **{n: a[n] for n in a.dtype.names})"},
		{"npy objects", npy("{'descr': '|O', 'shape': (2,)}"), "byte 10: the array holds Python objects, which are pickles; save numbers"},
		{"npy objects of 8", npy("{'descr': '|O8', 'shape': (2,)}"), "byte 10: the array holds Python objects, which are pickles; save numbers"},
		{"npy order", npy("{'descr': '>f4', 'shape': (2,)}"), "byte 10: type \">f4\" has its highest byte first, as no GPU has; save it with astype(\"<f4\")"},
		{"npy type", npy("{'descr': '<q4', 'shape': (2,)}"), `byte 10: unknown type "<q4"`},
		{"npy width", npy("{'descr': '<f0', 'shape': (2,)}"), `byte 10: unknown type "<f0"`},
		{"npy width negative", npy("{'descr': '<f-4', 'shape': (2,)}"), `byte 10: unknown type "<f-4"`},
		{"npy no shape", npy("{'descr': '<f4'}"), "byte 10: the header has no 'shape'"},
		{"npy shape open", npy("{'descr': '<f4', 'shape': (2,"), "byte 10: the header has no 'shape'"},
		{"npy shape text", npy("{'descr': '<f4', 'shape': (a,)}"), `byte 10: the shape "(a,)" is no list of at most 64 whole numbers`},
		{"npy shape negative", npy("{'descr': '<f4', 'shape': (-1,)}"), `byte 10: the shape "(-1,)" is no list of at most 64 whole numbers`},
		{"npy shape overflows", npy("{'descr': '<f4', 'shape': (4294967296, 4294967296)}"), "byte 10: the shape [4294967296 4294967296] is not possible"},
		{"npy bytes overflow", npy("{'descr': '|V1048576', 'shape': (13194139533312,)}"), "byte 10: the shape [13194139533312] is not possible"},
		{"npy bytes overflow to 0", npy("{'descr': '|V1048576', 'shape': (17592186044416,)}"), "byte 10: the shape [17592186044416] is not possible"},
		{"npy of 2^62 bytes", npy("{'descr': '|V1048576', 'shape': (4398046511104,)}"), "the array needs 4611686018427387904 bytes behind the header, but 24 are there; the file is cut off"},
		{"npy cut off", npy("{'descr': '<f4', 'shape': (7,)}"), "the array needs 28 bytes behind the header, but 24 are there; the file is cut off"},

		{"zip cut off", cutZip[:len(cutZip)-30], "the zip archive is damaged (zip: not a valid zip file); download it again"},
		{"zip of too many, with a comment", commented(wide(1<<24), 4, "PK\x05\x06"), "the zip archive is said to have 16777216 members; at most 131072 are read"},
		{"zip with a cut comment", commented(cutZip, 4, "abc"), "the zip archive is damaged (zip: not a valid zip file); download it again"},
		{"zip of nothing", archive(), "a zip archive without .npy members, and no PyTorch checkpoint; unpack it, and open what is in it"},
		{"zip of texts", archive(member{name: "a.txt", data: []byte("x")}), "a zip archive without .npy members, and no PyTorch checkpoint; unpack it, and open what is in it"},
		{"npz of no array", archive(member{name: "w.npy", data: []byte("text, not an array")}), `"w.npy": no NumPy array`},
		{"npz of a bad array", archive(member{name: "w.npy", data: npy("{'descr': '<f4'}")}), `"w.npy": byte 10: the header has no 'shape'`},
		{"npz of a short array", archive(member{name: "w.npy", data: npy("{'descr': '<f4', 'shape': (7,)}")}), `"w.npy": the array needs 28 bytes behind the header, but 24 are there; the file is cut off`},
		{"torch compressed", archive(member{name: "a/data.pkl"}, member{name: "a/data/0", data: small, method: zip.Deflate}), `"a/data/0": the member is compressed, so its bytes are not those of memory; torch.save never does that, so the checkpoint was packed again: unpack it, and zip it without compression (zip -0)`},
		{"torch empty", archive(member{name: "a/data.pkl"}), "the checkpoint holds no tensor"},
	}
	if len(tests) < 60 {
		t.Errorf("%d cases", len(tests))
	}
	for _, tt := range tests {
		if _, err := open("file.safetensors", tt.data); err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n %v\nwant\n %s", tt.what, err, tt.want)
		}
	}
}

// Bytes of a dump are no safetensors file because a brace is where a header may begin;
// a file that may be one is.
func TestBrace(t *testing.T) {
	whole := tensors(two, 16)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"dump", append(bytes.Repeat([]byte{0xee}, 8), `{"a":1}`...), Raw},
		{"dump", append([]byte{8, 0, 0, 0, 0, 0, 0, 0}, `{"a":1}`...), Raw}, // ends behind the file
		{"dump", tensors("{\x01\x02\x03", 40), Raw},
		{"dump", tensors("{", 0), Raw},
		{"w", whole, "safetensors"},
		{"w", tensors("{ "+two[1:], 16), "safetensors"},
		{"w", tensors("{\n"+two[1:], 16), "safetensors"},
		{"w", tensors("{}", 0), ""},
		{"W.SafeTensors", append(bytes.Repeat([]byte{0xee}, 8), `{"a":1}`...), ""},
		{"w.safetensors", whole[:20], ""},
	} {
		f, err := open(tt.name, tt.data)
		if tt.want == "" && err == nil || tt.want != "" && (err != nil || f.Format != tt.want) {
			t.Errorf("%s %q: %v, %v; want %s", tt.name, tt.data, f, err, tt.want)
		}
	}
}

// TestPrefixes opens every beginning of a file of each format.
func TestPrefixes(t *testing.T) {
	small := array(1, "{'descr': '<f4', 'shape': (2, 3), }\n", 24)
	for _, data := range [][]byte{tensors(two, 16), small, archive(member{name: "w.npy", data: small}), archive(member{name: "a/data.pkl"}, member{name: "a/data/0", data: small})} {
		for n := range len(data) {
			if f, err := open("file", data[:n]); err == nil && f.Format != "raw bytes" {
				t.Errorf("%d of %d bytes are a whole %s", n, len(data), f.Format)
			}
		}
	}
}

// A broken reader fails at once.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, iotest.ErrTimeout }

func TestReading(t *testing.T) {
	if _, err := Open("a", broken{}, 100); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}
