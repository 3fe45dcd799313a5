package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/sim/compress/sample"
	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/traces/archive"
	"spillway/traces/contents"
	"spillway/ui/exec"
	writer "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
	"spillway/ui/wire"
)

// streamed is a file that is read in slices, and counts what was read of it.
func streamed(name string, data []byte, read *int64) lab.File {
	return lab.File{Name: name, Size: int64(len(data)), Stream: func() (io.ReadCloser, error) {
		return &sliced{Reader: bytes.NewReader(data), read: read}, nil
	}}
}

type sliced struct {
	*bytes.Reader
	read *int64
}

func (s *sliced) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.Reader.ReadAt(p, off)
	*s.read += int64(n)
	return n, err
}

func (s *sliced) Close() error { return nil }

// open opens all files as package contents does, and takes them over.
func open(list []lab.File) (lab.Files, error) {
	var files []archive.File
	for _, f := range list {
		files = append(files, archive.File(f))
	}
	h, err := contents.Open(files)
	if err != nil {
		return nil, err
	}
	found, err := wire.Marshal(h)
	if err != nil {
		return nil, err
	}
	return accept(found, list)
}

// filesOf are the files of which a bundle is made.
func filesOf(found []byte, err error) ([]lab.File, error) {
	if err != nil || found == nil {
		return nil, err
	}
	return writer.Pack("compress", found)
}

// known are files in which what is known of a source is.
func known(f lab.Files) []lab.File {
	list, err := filesOf(hand(f.(*source).files, f.(*source).notes))
	if err != nil {
		panic(err)
	}
	return list
}

// source of a test.
func sourceOf(t *testing.T, files ...lab.File) *source {
	t.Helper()
	f, err := open(files)
	if err != nil {
		t.Fatal(err)
	}
	return f.(*source)
}

// Any cut and any order of the parts give the same, which is what all of a tensor at
// once gives.
func TestCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 1<<20)
	for i := range data {
		if i/5000%3 > 0 { // zeros, and entries of few bits
			data[i] = byte(r.IntN(1 + i/5000%7*40))
		}
	}
	f := &opened{at: bytes.NewReader(data), File: &sample.File{Name: "x"}}
	var at int64
	for _, n := range []int64{0, 1, 127, 128, pageBytes, pageBytes + 1, 300_000, 0, 5, 400_001, pageBytes * 3} {
		f.Tensors = append(f.Tensors, sample.Tensor{Name: "t", Offset: at, Bytes: unit.Bytes(n)})
		at += n
	}
	want := make([]sample.Counts, len(f.Tensors))
	for i := range f.Tensors {
		buf := data[f.Tensors[i].Offset:][:f.Tensors[i].Bytes]
		h := want[i].Histogram()
		h.Measure(buf)
		want[i].Set(&h)
	}
	for _, least := range []int64{1, 2, 7, 36, 1000} {
		p := f.cut(least)
		found := make([][]byte, p.count)
		var done int64
		for _, k := range r.Perm(p.count) {
			last := 0
			data, err := f.survey(&p, k, func(n, total int) {
				if last = n; n > total {
					t.Errorf("%d of %d", n, total)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			done += int64(last)
			found[k] = data
		}
		got, err := f.join(found)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parts of %d pages: %v\n%+v\n%+v", least, err, got, want)
		}
		if done != at {
			t.Errorf("parts of %d pages: told of %d bytes; there are %d", least, done, at)
		}
	}
}

// Parts that are wrong are found.
func TestWrongParts(t *testing.T) {
	s := sourceOf(t, lab.File{Name: "w", Data: weights(t)})
	part, err := s.Survey("w", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join("w", [][]byte{part}); err != nil {
		t.Fatal(err)
	}
	encode := func(list ...int64) []byte {
		data, err := wire.Marshal(&list)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	far := make([]int64, partNumbers)
	far[0] = 3
	for _, tt := range []struct {
		found [][]byte
		want  string
	}{
		{nil, "w has 1 parts, but 0 were gone through"},
		{[][]byte{part, part}, "has 1 parts, but 2"},
		{[][]byte{encode()}, `tensor "dense" has 8192 entries, but 0 were compressed`},
		{[][]byte{encode(1, 2)}, "part 0: it has 2 numbers"},
		{[][]byte{encode(far...)}, "part 0: it is about tensor 3 of 3"},
		{[][]byte{part[:len(part)/2]}, "part 0: "},
	} {
		if _, err := s.Join("w", tt.found); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
	for _, f := range []func() error{
		func() error { _, err := s.Survey("w", 1, nil); return err },
		func() error { _, err := s.Survey("w", -1, nil); return err },
		func() error { _, err := s.Survey("v", 0, nil); return err },
		func() error { _, err := s.Join("v", nil); return err },
	} {
		if f() == nil {
			t.Error("no error")
		}
	}
}

// What was measured stands for the opened files: the same entries and results, and
// none of their bytes, unless they follow.
func TestCondensed(t *testing.T) {
	l := New()
	data := weights(t)
	raw := sourceOf(t, lab.File{Name: "a/w", Data: data}, lab.File{Name: "b", Data: []byte("\x00bytes")})
	calls := 0
	small, err := filesOf(raw.Condensed(func(done, total int) {
		if calls++; done > total {
			t.Errorf("%d of %d", done, total)
		}
	}))
	if err != nil || len(small) != 1 || len(small[0].Data) > 5000 || calls == 0 {
		t.Fatal(err, len(small), calls)
	}
	var read int64
	along := sourceOf(t, small[0], streamed("a/w", data, &read), streamed("c", data, &read))
	alone := sourceOf(t, small[0])
	if again, err := filesOf(alone.Condensed(nil)); again != nil || err != nil {
		t.Error("what is measured is measured again")
	}
	if !reflect.DeepEqual(along.Entries()[0], raw.Entries()[0]) || !reflect.DeepEqual(alone.Notes(), raw.Notes()) {
		t.Errorf("%+v\n%+v", along.Entries(), raw.Entries())
	}
	if e := alone.Entries(); e[0].Survey != nil || e[0].Info != raw.Entries()[0].Info || along.Entries()[1].Survey != nil {
		t.Errorf("without the bytes: %+v", e)
	}
	u := labtest.Setup(t, &l, "entry=a/w")
	var hashes []string
	for _, s := range []*source{raw, along, alone} {
		r, x, err := l.Run(u, "per-allocation", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, l.Hash(x)+r.About+r.Origin+strings.Join(r.Notes, ""))
	}
	if hashes[0] != hashes[1] || hashes[0] != hashes[2] || read != 0 {
		t.Errorf("%q; %d bytes were read", hashes, read)
	}
	m, err := entry("a/w", false, along)
	if err != nil {
		t.Fatal(err)
	}
	page := make([]byte, 256)
	if err := m.bytes(0, 128, page); err != nil || !bytes.Contains(data, page) || read != 256 {
		t.Errorf("%v; %d bytes were read", err, read)
	}
	for _, at := range []int64{-1, 1<<20 - 255} {
		if err := m.bytes(0, at, page); err == nil {
			t.Errorf("bytes at %d", at)
		}
	}
	if err := m.bytes(3, 0, page); err == nil {
		t.Error("a tensor that is not there")
	}
	if m, _ := entry("a/w", false, alone); m.bytes != nil {
		t.Error("bytes that are not at hand")
	}
}

// All entries are the same whoever compresses them, and stay known beside others.
func TestSurvey(t *testing.T) {
	l := New()
	raw := sourceOf(t, lab.File{Name: "w", Data: weights(t)}, lab.File{Name: "v", Data: weights(t)})
	small, err := filesOf(raw.Condensed(nil))
	if err != nil {
		t.Fatal(err)
	}
	var read int64
	along := sourceOf(t, small[0], streamed("w", weights(t), &read), streamed("v", weights(t), &read))
	u := labtest.Setup(t, &l, "entry=w exact=yes")
	var hashes []string
	fresh := sourceOf(t, lab.File{Name: "w", Data: weights(t)}, lab.File{Name: "v", Data: weights(t)}) // no samples yet
	for _, s := range []*source{fresh, along} {
		all, err := exec.Surveyed(&l, u, s, nil, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := known(all)
		_, x, err := l.Run(u, "naive", all, nil)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, l.Hash(x))
		for _, name := range []string{"w", "v"} { // samples stay beside it
			u := labtest.Setup(t, &l, "entry="+name)
			_, want, err := l.Run(u, "naive", raw, nil)
			if err != nil {
				t.Fatal(err)
			}
			rep, got, err := l.Run(u, "naive", all, nil)
			if err != nil || l.Hash(got) != l.Hash(want) || l.Hash(got) == l.Hash(x) || !strings.Contains(strings.Join(rep.Notes, ""), "A sample: ") {
				t.Errorf("the sample of %s: %v", name, err)
			}
		}
		both := sourceOf(t, list[0], streamed("w", weights(t), &read), streamed("v", weights(t), &read))
		if e := both.Entries(); e[0].Survey != nil || e[1].Survey == nil {
			t.Errorf("%+v", e)
		}
		more, err := exec.Surveyed(&l, labtest.Setup(t, &l, "entry=v exact=yes"), both, nil, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range more.(*source).files {
			if f.All == nil || f.Sample == nil {
				t.Errorf("%s is not known", f.Name)
			}
		}
	}
	if hashes[0] != hashes[1] {
		t.Error(hashes)
	}
}

// A bundle has what was measured of the entry that it is about, and nothing else.
func TestCarry(t *testing.T) {
	l := New()
	s := sourceOf(t, lab.File{Name: "w", Data: weights(t)}, lab.File{Name: "other", Data: []byte("\x00bytes")})
	u := labtest.Setup(t, &l, "entry=w")
	list, err := filesOf(s.Carry(u))
	if err != nil || len(list) != 1 || len(list[0].Data) > 5000 || bytes.Contains(list[0].Data, []byte("other")) {
		t.Fatal(err, list)
	}
	_, want, err := l.Run(u, "naive", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := l.Run(u, "naive", sourceOf(t, list...), nil)
	if err != nil || l.Hash(got) != l.Hash(want) {
		t.Error(err)
	}
	if _, err := s.Carry(labtest.Setup(t, &l, "entry=w exact=yes")); err == nil {
		t.Error("all entries, without compressing them")
	}
	if _, _, err := l.Run(labtest.Setup(t, &l, "entry=w exact=yes"), "naive", sourceOf(t, list...), nil); err == nil || err.Error() != "of w only a sample was compressed, and its bytes are not at hand; choose the sample, or open the file itself" {
		t.Errorf("all entries of what a bundle has: %v", err)
	}
	if _, err := s.Carry(labtest.Setup(t, &l, "entry=x")); err == nil {
		t.Error("an entry that is not there")
	}
}

// failing is a file that cannot be read behind a byte.
type failing struct {
	*bytes.Reader
	end int64
	err error
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.end {
		return 0, f.err
	}
	return f.Reader.ReadAt(p, off)
}

func (f *failing) Close() error { return nil }

// A file that changes while it is read is said to, with the tensor.
func TestUnreadable(t *testing.T) {
	data := weights(t)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("the disk is gone"), `w: tensor "both": the disk is gone`},
		{io.EOF, `w: tensor "both" ends behind the end of the file. If it changed since it was opened, open it again`},
	} {
		f := lab.File{Name: "w", Size: int64(len(data)), Stream: func() (io.ReadCloser, error) {
			return &failing{bytes.NewReader(data), 5 << 19, tt.err}, nil
		}}
		s := sourceOf(t, f)
		if _, err := s.Survey("w", 0, nil); err == nil || err.Error() != tt.want {
			t.Errorf("%v", err)
		}
		s = sourceOf(t, f, lab.File{Name: "v", Data: data})
		if _, err := filesOf(s.Condensed(nil)); err != nil {
			t.Error(err)
		}
		if e, notes := s.Entries(), s.Notes(); len(e) != 1 || e[0].Name != "v" || len(notes) != 1 || notes[0] != tt.want {
			t.Errorf("%+v, %q", e, notes)
		}
		s = sourceOf(t, f)
		if _, err := filesOf(s.Condensed(nil)); err == nil || err.Error() != tt.want {
			t.Errorf("%v", err)
		}
		if _, err := s.Carry(knob.NewSetup(New().Knobs)); err == nil {
			t.Error("nothing is carried")
		}
	}
}

// Pages of a sample are few, whatever is opened.
func TestTakes(t *testing.T) {
	tensors := func(n int, bytes int64) (list []sample.Tensor) {
		for range n {
			list = append(list, sample.Tensor{Bytes: unit.Bytes(bytes)})
		}
		return list
	}
	for _, tt := range []struct {
		tensors []sample.Tensor
		each    int64
	}{
		{tensors(1, 0), 0},
		{tensors(1, 1), 1},
		{tensors(1, 64*pageBytes), 64},
		{tensors(1, 8192*pageBytes), 128},
		{tensors(1, 16<<30), 16384},
		{tensors(8, 2<<30), 2048},
		{tensors(256, 64<<20), 64},
		{tensors(300, 50<<20), 50},
		{tensors(1000, 16<<20), 16},
		{tensors(5000, 16<<30/5000), 4},
		{tensors(5000, 3*pageBytes), 3},
		{tensors(1<<17, 1<<20), 4},
	} {
		list := takes(tt.tensors)
		if sum := tt.each * int64(len(list)); sum > mostPages && tt.each > leastPages {
			t.Errorf("%d of %v: %d pages in all", len(tt.tensors), tt.tensors[0].Bytes, sum)
		}
		for _, n := range list {
			if n != tt.each {
				t.Errorf("%d of %v: %d pages of each; want %d", len(tt.tensors), tt.tensors[0].Bytes, n, tt.each)
				break
			}
		}
	}
}

// What there is to take is split by size, and small tensors leave it to large ones.
func TestTakesBySize(t *testing.T) {
	var list []sample.Tensor
	for range 1000 {
		list = append(list, sample.Tensor{Bytes: pageBytes}, sample.Tensor{Bytes: 64 * pageBytes}, sample.Tensor{Bytes: 4096 * pageBytes})
	}
	if got := takes(list)[:3]; !slices.Equal(got, []int64{1, 4, 8}) {
		t.Errorf("%d", got)
	}
	few := takes(append(list[:300:300], sample.Tensor{Bytes: 16 << 30}))
	if few[0] != 1 || few[1] != 64 || few[2] != 64 || few[300] < 1024 {
		t.Errorf("%d, and %d of the largest", few[:3], few[300])
	}
	var sum int64
	for _, n := range few {
		sum += n
	}
	if sum > mostPages {
		t.Errorf("%d pages", sum)
	}
}

// What was measured may come from anywhere.
func TestHostileMeasured(t *testing.T) {
	s := sourceOf(t, lab.File{Name: "w", Data: []byte("some bytes")})
	small, err := filesOf(s.Condensed(nil))
	if err != nil {
		t.Fatal(err)
	}
	good := string(small[0].Data)
	sourceOf(t, small...)
	for _, tt := range []struct{ old, new, want string }{
		{`"version":1`, `"version":2`, "version 2 of measured tensors; this program reads version 1"},
		{`"files":[`, `"files":[3,`, "cannot unmarshal"},
		{good[len(good)-2:], "", "invalid character"},
		{`"name":"w","format"`, `"name":"","format"`, `it has the name ""`},
		{`"bytes":10,"tensors"`, `"bytes":-1,"tensors"`, "-1 bytes"},
		{`"bytes":10,"tensors"`, `"bytes":9,"tensors"`, `tensor 0, "w": its 10 bytes at 0 are not in the file`},
		{`"offset":0`, `"offset":1`, "its 10 bytes at 1 are not"},
		{`"offset":0`, `"offset":-1`, "its 10 bytes at -1 are not"},
		{`"bytes":10,"sample"`, `"bytes":9223372036854775807,"sample"`, "are not in the file"},
		{`"sample":{`, `"sampel":{`, "its counts are missing"},
		{`"sectors":[0,`, `"sectors":[1,`, "the counts of its sample cannot be"},
		{`"sectors":[0,`, `"sectors":[-1,`, "the counts of its sample cannot be"},
		{`"zero":0`, `"zero":5`, "the counts of its sample cannot be"},
		{`"bits":`, `"bits":99999`, "the counts of its sample cannot be"},
		{`"standard_errors_thousandths":[0,`, `"standard_errors_thousandths":[1001,`, "the counts of its sample cannot be"},
		{`"sample":{`, `"all":{"sectors":[0,0,0,0,0]},"sample":{`, "the counts of all its entries cannot be"},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if text == good {
			t.Errorf("no %s in %s", tt.old, good)
		}
		if _, err := open([]lab.File{{Name: "m.json", Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "m.json: ") {
			t.Errorf("%s: %v; want %q", tt.new, err, tt.want)
		}
	}
	const large = `{"name":"%s","format":"","bytes":%d,"tensors":[%s]}`
	whole := fmt.Sprintf(`{"name":"t","bytes":%d,"sample":{"sectors":[1,0,0,0,0],"classes":[1,0,0,0,0,0,0,0]}}`, int64(1<<56))
	for _, tt := range []struct{ files, want string }{
		{fmt.Sprintf(large, "a", int64(1<<56), whole), ""},
		{fmt.Sprintf(large, "a", int64(1<<56)+1, ""), "file 0: with its 72057594037927937 bytes all files have more than 72057594037927936"},
		{fmt.Sprintf(large, "a", int64(math.MaxInt64), ""), "file 0: with its 9223372036854775807 bytes all files have more than"},
		{fmt.Sprintf(large, "a", int64(1<<56), whole) + "," + fmt.Sprintf(large, "b", 1, ""), "file 1: with its 1 bytes all files have more than"},
		{fmt.Sprintf(large, "a", int64(1<<56), whole+","+whole), `tensor 1, "t": with its 72057594037927936 bytes all tensors have more than 72057594037927936`},
	} {
		_, err := open([]lab.File{{Name: "m", Data: []byte(good[:strings.Index(good, `{"name"`)] + tt.files + "]}")}})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
	at := strings.Index(good, `{"name"`)
	file := good[at : len(good)-2]
	if _, err := open([]lab.File{{Name: "m", Data: []byte(good[:at] + file + "," + file + "]}")}}); err == nil || !strings.Contains(err.Error(), `there are two with the name "w"`) {
		t.Error(err)
	}
	if _, err := open([]lab.File{{Name: "m", Data: []byte(good[:at] + "]}")}}); err == nil || !strings.Contains(err.Error(), "nothing was measured") {
		t.Error(err)
	}
}
