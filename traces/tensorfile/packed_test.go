package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// legacy is a file of torch.save without the zip format: storages of so many elements of 4 bytes,
// under the numbers 0, 1, ...
func legacy(objects piece, counts ...int) []byte {
	keys := begin + "](" // a list
	for i := range counts {
		keys += text(string(rune('0' + i)))
	}
	data := []byte(legacyBegins + string(begin+"M\xe9\x03"+end) + string(begin+dict+text("little_endian")+"\x88"+filled+end) + string(objects) + string(keys+"e"+end))
	for i, n := range counts {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
		data = append(data, bytes.Repeat([]byte{byte(i + 1)}, 4*n)...)
	}
	return data
}

// A checkpoint of before 1.6 has the tensors of one since, where they lie.
func TestLegacy(t *testing.T) {
	objects := begin + dict + text("a.weight") + float("0", 6, 2, 3) + text("a.bias") + float("1", 3, 3) + filled + end
	data := legacy(objects, 6, 3)
	f, err := open("a.pt", data)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, data)
	if len(f.Tensors) != 2 || f.Tensors[0].Name != "a.weight" || f.Tensors[1].Name != "a.bias" || f.Tensors[0].Bytes != 24 || f.Tensors[1].Bytes != 12 {
		t.Fatalf("%+v", f.Tensors)
	}
	for i, x := range f.Tensors {
		if got, want := data[x.Offset:x.Offset+int64(x.Bytes)], bytes.Repeat([]byte{byte(i + 1)}, int(x.Bytes)); !bytes.Equal(got, want) {
			t.Errorf("%s lies at %d, where there is %x", x.Name, x.Offset, got)
		}
	}
	for n := range data { // cut anywhere it is refused
		if _, err := open("a.pt", data[:n]); n >= len(legacyBegins) && err == nil {
			t.Errorf("cut at %d of %d bytes it opens", n, len(data))
		}
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"another version": {[]byte(legacyBegins + string(begin+"M\xe8\x03"+end)), "its version is not 1001"},
		"huge":            {bytes.Replace(data, []byte{6, 0, 0, 0, 0, 0, 0, 0}, []byte{6, 0, 0, 0, 0, 0, 0, 0x80}, 1), `storage "0" has 9223372036854775814 elements of 4 bytes`},
		"no tensor":       {legacy(begin+dict+filled+end, 6), "no tensor says how large the elements"},
		"too few":         {legacy(objects, 6), `lies in storage "1", which is not in the archive`},
		"too many":        {legacy(objects, 7, 3), "should have 6 elements"},
	} {
		if _, err := open("a.pt", c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// Arrays that are compressed are gone through whole.
func TestPacked(t *testing.T) {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (600, 1000), }\n"
	big := array(1, header, 0)
	for i := range 600_000 {
		big = binary.LittleEndian.AppendUint32(big, uint32(i))
	}
	small := array(1, "{'descr': '<f4', 'shape': (2, 3), }\n", 24)
	f, err := open("w.npz", archive(member{name: "a.npy", data: big, method: zip.Deflate}, member{name: "readme.txt", data: []byte("x"), method: zip.Deflate}, member{name: "b.npy", data: small, method: zip.Deflate}))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Tensors) != 2 || f.Unpacked != int64(len(big)+len(small)) || f.Tensors[1].Offset != f.Unpacked-24 || f.Tensors[0].Bytes != 2_400_000 {
		t.Fatalf("%+v, %d", f.Tensors, f.Unpacked)
	}
	got := make([][]byte, 2)
	if err := f.Each(func(i int, data []byte) { got[i] = append(got[i], data...) }); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got[0], big[len(big)-2_400_000:]) || !bytes.Equal(got[1], small[len(small)-24:]) {
		t.Errorf("%d and %d bytes came out that are not those of the arrays", len(got[0]), len(got[1]))
	}
	if _, err := open("w.npz", archive(member{name: "a.npy", data: small, method: zip.Deflate}, member{name: "b.npy", data: small})); err == nil || !strings.Contains(err.Error(), "some of its arrays are compressed and some are not") {
		t.Error(err)
	}
}

// What lies behind an array in its member is not of the array, nor of the next.
func TestPackedBehind(t *testing.T) {
	header := "{'descr': '|u1', 'shape': (4,), }\n"
	first := append(array(1, header, 0), 1, 2, 3, 4, 9, 9)
	second := append(array(1, header, 0), 5, 6, 7, 8)
	f, err := open("w.npz", archive(member{name: "a.npy", data: first, method: zip.Deflate}, member{name: "b.npy", data: second, method: zip.Deflate}))
	if err != nil {
		t.Fatal(err)
	}
	var got [2][]byte
	if err := f.Each(func(i int, data []byte) { got[i] = append(got[i], data...) }); err != nil {
		t.Fatal(err)
	}
	if want := [2][]byte{{1, 2, 3, 4}, {5, 6, 7, 8}}; !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
		t.Errorf("%v; want %v", got, want)
	}
}

func FuzzLegacy(f *testing.F) {
	f.Add([]byte(begin+dict+text("a")+float("0", 6, 2, 3)+filled+end), uint16(6), uint16(3), []byte{}, 0)
	f.Add([]byte(begin+float("0", 6, 6)+end), uint16(6), uint16(0), []byte{0xff}, 130)
	f.Fuzz(func(t *testing.T, objects []byte, a, b uint16, damage []byte, at int) {
		file := legacy(piece(objects), int(a&255), int(b&255))
		copy(file[uint(at)%uint(len(file)):], damage)
		sound(t, file)
	})
}

func FuzzPacked(f *testing.F) {
	f.Add("{'descr': '<f4', 'shape': (2, 3), }", 24, []byte{}, 0)
	f.Add("{'descr': '<f4', 'shape': (2, 3), }", 24, []byte{0xff, 1}, 70)
	f.Fuzz(func(t *testing.T, header string, n int, damage []byte, at int) {
		file := archive(member{name: "w.npy", data: array(1, header[:min(len(header), 1<<15)], n&1023), method: zip.Deflate})
		copy(file[uint(at)%uint(len(file)):], damage)
		found, err := open("x.npz", file)
		if err != nil {
			return
		}
		sum := int64(0)
		if err := found.Each(func(_ int, data []byte) { sum += int64(len(data)) }); err == nil && found.Unpacked > 0 && sum != int64(found.Tensors[0].Bytes) {
			t.Errorf("%d bytes of %+v", sum, found.Tensors)
		}
	})
}
