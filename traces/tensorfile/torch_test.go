package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Pieces of a pickle as torch.save writes it.
type piece string

const (
	begin  piece = "\x80\x02"
	end    piece = "."
	dict   piece = "}("
	filled piece = "u"
	hooks  piece = "ccollections\nOrderedDict\n)R"
)

// text is a text of a pickle.
func text(s string) piece {
	return piece("X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s)
}

func number(n int32) piece {
	return piece("J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n))))
}

// stored1 refers to a storage.
func refer(class, key string, numel int32) piece {
	return "(" + text("storage") + piece("c"+class+"\n") + text(key) + text("cpu") + number(numel) + "tQ"
}

// rebuilt is a tensor of a storage.
func rebuilt(storage piece, shape ...int32) piece {
	p := "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + "K\x00("
	for _, n := range shape {
		p += number(n)
	}
	return p + "t(t\x89" + hooks + "tR"
}

// checkpoint is a file of torch.save with this pickle and storages of so many bytes.
func checkpoint(pickle piece, bytes ...int) []byte {
	members := []member{{name: "x/data.pkl", data: []byte(pickle)}, {name: "x/byteorder", data: []byte("little")}}
	for i, n := range bytes {
		members = append(members, member{name: fmt.Sprintf("x/data/%d", i), data: make([]byte, n)})
	}
	return archive(members...)
}

func float(key string, numel int32, shape ...int32) piece {
	return rebuilt(refer("torch\nFloatStorage", key, numel), shape...)
}

func TestTorch(t *testing.T) {
	const lies = `(Tensors have the numbers of their storages in place of names: "x/data.pkl": `
	double := begin + "]\x94K\x01a"
	for i := range 60 {
		double += piece(fmt.Sprintf("]\x94(h%ch%[1]ce", i))
	}
	double = begin + "(" + double[2:] + "t."
	module := "c__main__\nNet\n)\x81}(" + text("training") + "\x88" + text("_modules") + dict +
		text("inner") + "c__main__\nNet\n)\x81}(" + text("_parameters") + dict + text("weight") + "ctorch._utils\n_rebuild_parameter\n(" + float("0", 6, 2, 3) + "\x88" + hooks + "tR" + filled + "ub" + filled + "ub"
	for _, tt := range []struct {
		name  string
		data  []byte
		want  string
		notes string
	}{
		{"state", checkpoint(begin+dict+text("a.weight")+float("0", 6, 2, 3)+text("a.bias")+float("1", 3, 3)+filled+end, 24, 12), "a.weight float32[2 3] 24 a.bias float32[3] 12", ""},
		{"ordered", checkpoint(begin+hooks+"("+text("a")+float("0", 6, 6)+filled+"}"+text("_metadata")+hooks+"sb"+end, 24), "a float32[6] 24", ""},
		{"nested", checkpoint(begin+dict+text("model")+hooks+"("+text("a")+float("0", 6, 6)+filled+text("optimizer")+dict+text("state")+dict+number(3)+dict+text("exp_avg")+float("1", 1)+filled+filled+text("groups")+"]}"+text("lr")+"G\x00\x00\x00\x00\x00\x00\x00\x00sa"+filled+text("epoch")+"K\x07"+filled+end, 24, 4), "model.a float32[6] 24 optimizer.state.3.exp_avg float32[] 4", ""},
		{"module", checkpoint(begin+module+end, 24), "inner.weight float32[2 3] 24", ""},
		{"list", checkpoint(begin+"]("+float("0", 6, 6)+float("1", 2, 2)+"e"+end, 24, 8), "0 float32[6] 24 1 float32[2] 8", ""},
		{"one", checkpoint(begin+float("0", 6, 6)+end, 24), "storage 0 float32[6] 24", ""},
		{"types", checkpoint(begin+dict+text("b")+rebuilt(refer("torch\nBFloat16Storage", "0", 5), 5)+text("i")+rebuilt(refer("torch\nLongStorage", "1", 1))+text("n")+rebuilt(refer("torch\nNewStorage", "2", 3), 3)+filled+end, 10, 8, 7), "b bfloat16[5] 10 i int64[] 8 n New[3] 7", ""},
		{"v3", checkpoint(begin+"ctorch._utils\n_rebuild_tensor_v3\n("+refer("torch.storage\nUntypedStorage", "0", 6)+"K\x00("+number(6)+"t(t\x89"+hooks+"ctorch\nfloat8_e4m3fn\n}tR"+end, 6), "storage 0 float8_e4m3[6] 6", ""},
		{"tied", checkpoint(begin+dict+text("in")+float("0", 6, 2, 3)+text("out")+float("0", 6, 3, 2)+text("row")+float("0", 6, 2)+filled+end, 24), "in float32[2 3] 24", `(2 tensors lie in storages that have the names of others, such as "out" in that of "in"; each storage counts once.)`},
		{"view", checkpoint(begin+dict+text("row")+float("0", 6, 2)+filled+end, 24), "row float32[6] 24", "(Of 1 tensors the storage is larger or smaller than their shape; it counts as a whole.)"},
		{"unnamed", checkpoint(begin+dict+text("a")+float("1", 6, 6)+filled+end, 4, 24), "storage 0 [] 4 a float32[6] 24", "(1 storages belong to no tensor, and have numbers in place of names.)"},
		{"empty", checkpoint(begin+dict+text("e")+float("0", 0, 0, 4)+text("a")+float("1", 6, 6)+filled+end, 0, 24), "a float32[6] 24", ""},
		{"bidi", checkpoint(begin+dict+text("a\x00\u202e")+float("0", 6, 6)+filled+end, 24), `"a\x00\u202e" float32[6] 24`, ""},

		// What cannot be read, or lies: storages keep their numbers.
		{"code", checkpoint(begin+"cos\nsystem\n("+text("true")+"tR"+end, 24), "storage 0 [] 24", "(1 storages belong to no tensor, and have numbers in place of names.)"},
		{"cut off", checkpoint(begin+dict, 24), "storage 0 [] 24", lies + "byte 4: the file ends inside the pickle; it was cut off, or is not whole yet.)"},
		{"no pickle", checkpoint("text", 24), "storage 0 [] 24", lies + "byte 0: this is no pickle of protocol 2 to 5, which begins with the byte 0x80.)"},
		{"no member", checkpoint(begin+float("9", 6, 6)+end, 24), "storage 0 [] 24", lies + `tensor "" lies in storage "9", which is not in the archive.)`},
		{"too long", checkpoint(begin+dict+text("a")+float("0", 7, 7)+filled+end, 24), "storage 0 [] 24", lies + `tensor "a" lies in storage "0", which should have 7 elements of 4 bytes, and has 24 bytes.)`},
		{"negative", checkpoint(begin+dict+text("a")+float("0", -6, 6)+filled+end, 24), "storage 0 [] 24", lies + `tensor "a": it is no reference to a storage.)`},
		{"negative shape", checkpoint(begin+dict+text("a")+float("0", 6, -6)+filled+end, 24), "storage 0 [] 24", lies + `tensor "a": its shape is no list of at most 64 whole numbers.)`},
		{"rank", checkpoint(begin+dict+text("a")+float("0", 6, make([]int32, 65)...)+filled+end, 24), "storage 0 [] 24", lies + `tensor "a": its shape is no list of at most 64 whole numbers.)`},
		{"shape overflows", checkpoint(begin+dict+text("a")+float("0", 6, 1<<30, 1<<30, 1<<30)+filled+end, 24), "a float32[6] 24", "(Of 1 tensors the storage is larger or smaller than their shape; it counts as a whole.)"},
		{"no reference", checkpoint(begin+dict+text("a")+rebuilt("K\x07Q", 6)+filled+end, 24), "storage 0 [] 24", lies + `tensor "a": it is no reference to a storage.)`},
		{"global", checkpoint(begin+piece("c"+strings.Repeat("x", 2000)), 24), "storage 0 [] 24", lies + "byte 2: a name of more than 1024 bytes.)"},
		{"no call", checkpoint(begin+"R"+end, 24), "storage 0 [] 24", lies + "byte 2: 2 values are wanted, but there are 0 on the stack.)"},
		{"build on nothing", checkpoint(begin+"]Nb"+end, 24), "storage 0 [] 24", lies + "byte 4: something is put into a list; want what a call returns.)"},
		{"itself", checkpoint(begin+hooks+"\x94h\x00b"+end, 24), "storage 0 [] 24", lies + "byte 32: a call contains itself; no recording does.)"},
		{"name", checkpoint(begin+dict+text(strings.Repeat("x", 5000))+float("0", 6, 6)+filled+end, 24), "storage 0 [] 24", lies + `tensor "` + strings.Repeat("x", 57) + `...": the name has 5000 bytes; at most 4096 are allowed.)`},
		{"doubling", checkpoint(double, 24), "storage 0 [] 24", lies + "it has more than 2097152 values.)"},
		{"deep", checkpoint(begin+piece(strings.Repeat("]", 80)+strings.Repeat("a", 79))+end, 24), "storage 0 [] 24", lies + "byte 146: nested more than 64 deep.)"},
	} {
		f, err := open("a.pt", tt.data)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got, notes strings.Builder
		for _, x := range f.Tensors {
			fmt.Fprintf(&got, "%s %s%v %d ", x.Name, x.Type, x.Shape, x.Bytes)
		}
		for _, n := range f.Notes {
			fmt.Fprintf(&notes, "(%s)", n)
		}
		if strings.TrimSpace(got.String()) != tt.want || notes.String() != tt.notes {
			t.Errorf("%s:\n %s %s\nwant\n %s %s", tt.name, got.String(), notes.String(), tt.want, tt.notes)
		}
	}
}

// TestLongKeys bounds time where a long key is there often.
func TestLongKeys(t *testing.T) {
	long := begin + dict + text(strings.Repeat("k", 1<<20-1)) + "q\x00]" + filled
	var many strings.Builder
	for range 100_000 {
		many.WriteString("h\x00)")
	}
	f, err := open("a.pt", checkpoint(begin+"("+long[2:]+dict+piece(many.String())+filled+"t"+end, 24))
	if err != nil || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "the name has 1048577 bytes") {
		t.Errorf("%v", err)
	}
}

func TestTorchRefused(t *testing.T) {
	little := member{name: "x/data.pkl", data: []byte(begin + float("0", 6, 6) + end)}
	data := member{name: "x/data/0", data: make([]byte, 24)}
	for _, tt := range []struct {
		members []member
		want    string
	}{
		{[]member{little, {name: "x/byteorder", data: []byte("big")}, data}, `"x/byteorder": numbers have their highest byte first, as no GPU has; load it and save it again on a machine that has the lowest first`},
		{[]member{little, data, data}, `"x/data/0" is there twice`},
		{[]member{little}, "the checkpoint holds no tensor"},
		{[]member{little, {name: "y/data/0", data: data.data}, {name: "x/data/"}, {name: "x/data/a/b", data: data.data}}, "the checkpoint holds no tensor"},
		{[]member{little, {name: "x/data/0", data: data.data, method: zip.Deflate}}, `"x/data/0": the member is compressed, so its bytes are not those of memory; torch.save never does that, so the checkpoint was packed again: unpack it, and zip it without compression (zip -0)`},
	} {
		if _, err := open("a.pt", archive(tt.members...)); err == nil || err.Error() != tt.want {
			t.Errorf("%v\nwant\n%s", err, tt.want)
		}
	}
}

// patched changes bytes of the n-th entry of a zip's directory.
func patched(data []byte, n, at int, to ...byte) []byte {
	data = bytes.Clone(data)
	place := 0
	for ; n >= 0; n-- {
		place++
		place += bytes.Index(data[place:], []byte("PK\x01\x02"))
	}
	copy(data[place+at:], to)
	return data
}

// wide is an end of a zip archive that says so many members in 64 bits.
func wide(members uint64) []byte {
	b := append([]byte("PK\x03\x04"), make([]byte, 100)...)
	end := append([]byte("PK\x06\x06"), make([]byte, 52)...)
	binary.LittleEndian.PutUint64(end[4:], 44)
	binary.LittleEndian.PutUint64(end[24:], members)
	binary.LittleEndian.PutUint64(end[32:], members)
	locator := append([]byte("PK\x06\x07"), make([]byte, 16)...)
	binary.LittleEndian.PutUint64(locator[8:], uint64(len(b)))
	binary.LittleEndian.PutUint32(locator[16:], 1)
	last := append([]byte("PK\x05\x06"), bytes.Repeat([]byte{0xff}, 18)...)
	last[20], last[21] = 0, 0
	return append(append(append(b, end...), locator...), last...)
}

func TestHostileZips(t *testing.T) {
	small := array(1, "{'descr': '<f4', 'shape': (2, 3), }", 24)
	two := archive(member{name: "a.npy", data: small}, member{name: "b.npy", data: small})
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"twice", archive(member{name: "a.npy", data: small}, member{name: "a.npy", data: small}), `"a.npy" is there twice`},
		{"encrypted", patched(two, 1, 8, 1), `"b.npy": the member is encrypted; unpack the archive, and zip it again without a password and without compression (zip -0)`},
		{"overlap", patched(two, 1, 42, 0, 0, 0, 0), `tensors "a" and "b" overlap: the second begins at byte 80, the first ends at 104`},
		{"other sizes", patched(two, 1, 20, 9, 0, 0, 0), `"b.npy": the directory says 69 bytes and 9 stored`},
		{"behind the end", patched(two, 1, 20, 0, 0, 0, 1, 0, 0, 0, 1), `"b.npy": it ends behind the file: 16777216 bytes from byte 155 of 364`},
		{"beginning elsewhere", patched(two, 1, 42, 9, 0, 0, 0), `"b.npy": its beginning is damaged: zip: not a valid zip file`},
		{"many members", wide(1 << 40), "the zip archive is said to have 1099511627776 members; at most 131072 are read"},
		{"members that are not there", wide(5), "the zip archive is damaged (zip: not a valid zip file); download it again"},
	} {
		if _, err := open("a.npz", tt.data); err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n %v\nwant\n %s", tt.name, err, tt.want)
		}
	}
	// A directory of more than is read.
	var files []member
	for i := range 200 {
		files = append(files, member{name: fmt.Sprintf("%d%s", i, strings.Repeat("x", 65000))})
	}
	var b bytes.Buffer
	b.Write(archive(files...))
	const most = "the zip archive has a directory of more than 16 MiB, or more than 131072 members"
	if _, err := open("a.npz", b.Bytes()); err == nil || !strings.HasPrefix(err.Error(), "a zip archive without") {
		t.Errorf("13 MB of directory: %v", err)
	}
	b.Reset()
	b.Write(archive(append(files, files[:100]...)...))
	if _, err := open("a.npz", b.Bytes()); err == nil || err.Error() != most {
		t.Errorf("20 MB of directory: %.200v", err)
	}
}

// TestManyTensors opens as many tensors as are read, and one more.
func TestManyTensors(t *testing.T) {
	var b strings.Builder
	for i := range MaxTensors {
		fmt.Fprintf(&b, `"layers.%d.weight":{"dtype":"U8","shape":[1],"data_offsets":[%d,%d]},`, i, i, i+1)
	}
	more := fmt.Sprintf(`"more":{"dtype":"U8","shape":[0],"data_offsets":[%d,%[1]d]}`, MaxTensors)
	f, err := open("x", tensors("{"+strings.TrimSuffix(b.String(), ",")+"}", MaxTensors))
	if err != nil || len(f.Tensors) != MaxTensors {
		t.Errorf("%.200v", err)
	}
	if _, err := open("x", tensors("{"+b.String()+more+"}", MaxTensors)); err == nil || err.Error() != "more than 131072 tensors" {
		t.Errorf("%.200v", err)
	}
}

// TestLargeHeaders opens headers that are large and say little: a bounded piece of
// them is held.
func TestLargeHeaders(t *testing.T) {
	const n = 4 << 20
	for header, want := range map[string]string{
		`{"` + strings.Repeat("x", n):                                                            "byte 10: the string that begins here has more than 1048576 bytes",
		`{"a":{"dtype":"` + strings.Repeat("F", n) + `"}}`:                                       "byte 23: the string that begins here has more than 1048576 bytes",
		`{"a":{"dtype":"U8","shape":[` + strings.Repeat("9", n):                                  "byte 36: a number has more than 4096 digits",
		`{"a":{"dtype":"U8","shape":[` + strings.Repeat("1,", n/2) + `1],"data_offsets":[0,0]}}`: `tensor "a": its shape is no list of at most 64 whole numbers`,
		`{"__metadata__":{` + strings.Repeat(`"a":"b",`, n/8) + `"c":"d"}}`:                      "the header names no tensor",
		`{"__metadata__":{"a":"` + strings.Repeat("x", n) + `"}}`:                                "the header names no tensor",
	} {
		data := tensors(header, 0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := open("x", data)
		runtime.ReadMemStats(&after)
		if err == nil || err.Error() != want {
			t.Errorf("%.30s: %.200v; want %s", header, err, want)
		}
		if held := after.TotalAlloc - before.TotalAlloc; held > 8<<20 {
			t.Errorf("%.30s: %d bytes are allocated", header, held)
		}
	}
}
