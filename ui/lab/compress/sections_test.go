package compress

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	core "spillway/sim/compress"
	"spillway/sim/compress/bpc"
	"spillway/sim/compress/buddy"
	"spillway/sim/knob"
	"spillway/sim/report"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// section computes one of the laboratory's sections.
func sectionOf(t *testing.T, l *lab.Lab, key, view, set, system string, files lab.Files) *report.Section {
	t.Helper()
	v := knob.NewSetup(l.Info.Section(key).Knobs)
	if err := v.Read(view); err != nil {
		t.Fatal(err)
	}
	s, err := l.Section(key, v, labtest.Setup(t, l, set), system, files, nil)
	if err != nil {
		t.Fatalf("%s, %s: %v", key, view, err)
	}
	for _, m := range s.Maps {
		if len(m.Cells) != len(m.Grids)*len(m.Rows)*m.Columns || len(m.Classes) > report.Levels || m.Pick.Key != "" && len(m.Pick.First) != len(m.Rows) {
			t.Errorf("%s, %s: map %s: %d cells, %d rows of %d", key, view, m.ID, len(m.Cells), len(m.Rows), m.Columns)
		}
	}
	for _, x := range s.Tables {
		for _, r := range x.Rows {
			if len(r.Cells) != len(x.Head)-1 {
				t.Errorf("%s, %s: %q has %d cells under %d heads", key, view, r.Head, len(r.Cells), len(x.Head))
			}
		}
	}
	return s
}

const final = "per-allocation-16x"

func TestGroups(t *testing.T) {
	for name, want := range map[string]string{
		"model.layers.31.mlp.down_proj.weight": "model.layers.*.mlp.down_proj.weight",
		"layer1.0.conv1.weight":                "layer1.*.conv1.weight",
		"block_12/w":                           "block_*/w", "7": "*", "": "", "a..b": "a..b", "x.12": "x.*", "h.3.": "h.*.", "Dot 3146": "Dot *",
	} {
		if got := pattern(name); got != want {
			t.Errorf("%q is of %q, want %q", name, got, want)
		}
	}
	l := New()
	s := sectionOf(t, &l, "allocations", "", "contents=alexnet", final, nil)
	if len(s.Tables) != 1 || len(s.Tables[0].Rows) != 4 || !strings.Contains(s.Text[0], "3 have 16x; memory becomes 1.51 times as large") {
		t.Errorf("%+v", s)
	}
	if r := s.Tables[0].Rows[0]; r.Head != "dense" || r.Sub != "× 9" || r.Cells[1].Text != "1x" || r.Cells[3].Text != "0 / 0 / 0 / 0 / 100" || !slices.Equal(r.Cells[3].Stack, []float64{0, 0, 0, 0, 1}) {
		t.Errorf("%+v", r)
	}
	if s = sectionOf(t, &l, "allocations", "allocations_by=single", "contents=alexnet", final, nil); len(s.Tables[0].Rows) != 21 {
		t.Errorf("%d rows", len(s.Tables[0].Rows))
	}
	// What decides stands first: of a wide table the last columns are out of sight.
	if head := s.Tables[0].Head; !slices.Equal(head[:4], []string{"Allocation", "Size", "Target", "Overflow"}) || len(head) != len(s.Tables[0].Rows[0].Cells)+1 {
		t.Errorf("%q", head)
	}
	if s = sectionOf(t, &l, "allocations", "", "", "naive", nil); len(s.Tables) != 6 || s.Tables[0].Rows[0].Cells[1].Text == "" {
		t.Errorf("%+v", s)
	}
}

// TestManyGroups has more allocations than a table has rows.
func TestManyGroups(t *testing.T) {
	l := New()
	var header, sep strings.Builder
	const n = 230
	for i := range n {
		fmt.Fprintf(&header, `%s"layers.%d.w%c":{"dtype":"U8","shape":[%d],"data_offsets":[%d,%d]}`, sep.String(), i, 'a'+i%2, 256, 256*i, 256*i+256)
		sep.Reset()
		sep.WriteByte(',')
	}
	text := "{" + header.String() + "}"
	data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	files, err := open([]lab.File{{Name: "w.safetensors", Data: append(data, make([]byte, 256*n)...)}})
	if err != nil {
		t.Fatal(err)
	}
	s := sectionOf(t, &l, "allocations", "", "entry=w.safetensors", final, files)
	if rows := s.Tables[0].Rows; len(rows) != 2 || rows[0].Head != "layers.*.wa" || rows[0].Sub != "× 115" || rows[0].Cells[0].Text != "28.75 KiB" || rows[0].Cells[7].Text != "uint8" {
		t.Errorf("%+v", rows)
	}
	s = sectionOf(t, &l, "allocations", "allocations_by=single", "entry=w.safetensors", final, files)
	if len(s.Tables[0].Rows) != mostRows || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "the largest 200 of 230 allocations; the other 30 have 7.5 KiB in all") {
		t.Errorf("%d rows, %q", len(s.Tables[0].Rows), s.Notes)
	}
}

// TestHeat draws what is made up, and a file's tensors.
func TestHeat(t *testing.T) {
	l := New()
	for _, m := range makers {
		s := sectionOf(t, &l, heatKey, "heat_of="+m.key, "", final, nil)
		if x := s.Maps[0]; len(x.Rows) != 32 || x.Columns != 64 || x.Pick.First[31] != 31*64 || !strings.Contains(s.Text[1], "Made-up data") {
			t.Errorf("%s: %+v", m.key, s.Text)
		}
		want := map[string]byte{"zeros": 0, "floats": 4, "relu": 4, "mask": 1, "ramp": 1, "indices": 1}
		if c, ok := want[m.key]; ok && slices.ContainsFunc(s.Maps[0].Cells, func(x byte) bool { return x != c }) {
			t.Errorf("%s: not all entries take %d sectors", m.key, c)
		}
	}
	files, err := open([]lab.File{{Name: "w.safetensors", Data: weights(t)}})
	if err != nil {
		t.Fatal(err)
	}
	const set = "entry=w.safetensors"
	s := sectionOf(t, &l, heatKey, "heat_of=both", set, final, files)
	m := s.Maps[0]
	for i, c := range m.Cells { // 8 KiB of noise, then as much of zeros
		if want := byte(4 * (1 - i/64%2)); c != want {
			t.Fatalf("cell %d is %d, want %d", i, c, want)
		}
	}
	if !strings.Contains(s.Text[0], "both, float32, 1 MiB: of its 8192 entries 50.0 % are zeros and 50.0 % take all 4 sectors. With “Buddy” its target is 1x") || len(s.Notes) != 0 {
		t.Errorf("%q %q", s.Text, s.Notes)
	}
	if o := s.Offers[0]; o.Key != heatOf || len(o.Choices) != 3 || o.Choices[0].Text != "" || o.Choices[0].Label != "dense" {
		t.Errorf("%+v", o)
	}
	for view, want := range map[string]string{"": "dense, float32", "heat_of=2": "zeros, float32", "heat_of=zer": "zeros, float32", "heat_of=nobody": "dense, float32"} {
		s := sectionOf(t, &l, heatKey, view, set, final, files)
		if !strings.HasPrefix(s.Text[0], want) || (len(s.Notes) > 0) != (view == "heat_of=nobody") {
			t.Errorf("%q: %q %q", view, s.Text, s.Notes)
		}
	}
}

// TestHeatOfPages has more pages than rows, and an end inside of a page.
func TestHeatOfPages(t *testing.T) {
	l := New()
	data := make([]byte, 300*pageBytes+130)
	files, err := open([]lab.File{{Name: "dump", Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	s := sectionOf(t, &l, heatKey, "", "entry=dump", final, files)
	if m := s.Maps[0]; len(m.Rows) != int(mapRows) || m.Rows[1] != "2" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "128 of 301 pages") {
		t.Errorf("%q %q", m.Rows, s.Notes)
	}
	files, err = open([]lab.File{{Name: "dump", Data: data[:pageBytes+130]}})
	if err != nil {
		t.Fatal(err)
	}
	m := sectionOf(t, &l, heatKey, "", "entry=dump", final, files).Maps[0]
	for i, c := range m.Cells {
		if want := i < 64+2; (c != report.NoCell) != want {
			t.Errorf("cell %d is %d", i, c)
		}
	}
}

// TestInside looks into entries.
func TestInside(t *testing.T) {
	l := New()
	for key, want := range map[string]string{
		"relu": "fits into a slot of 1x", "floats": "fits into a slot of 1x", "zeros": "10 bits of 1024; as all of it is zero", "ramp": "15 bits of 1024, 2 bytes, 1 sector: it fits into a slot of 16x",
		"mask": "a slot of 4x", "indices": "a slot of 4x",
	} {
		s := sectionOf(t, &l, insideKey, "inside_of="+key, "", "naive", nil)
		if !strings.Contains(s.Text[0], want) || len(s.Tables) != 3 || len(s.Tables[1].Rows) < 2 {
			t.Errorf("%s: %q; want %s", key, s.Text, want)
		}
	}
	files, err := open([]lab.File{{Name: "w.safetensors", Data: weights(t)}})
	if err != nil {
		t.Fatal(err)
	}
	s := sectionOf(t, &l, insideKey, "inside_of=both inside_entry=64", "entry=w.safetensors", final, files)
	if !strings.Contains(s.Text[0], "Entry 64 of 8192 of both, float32: 10 bits") {
		t.Errorf("%q", s.Text)
	}
	s = sectionOf(t, &l, insideKey, "inside_of=both inside_entry=99999", "entry=w.safetensors", final, files)
	if !strings.Contains(s.Text[0], "Entry 8191 of 8192") || !strings.Contains(s.Notes[0], "no entry 99999") {
		t.Errorf("%q %q", s.Text, s.Notes)
	}
}

// TestPlanes builds the differences of an entry again from the picture of its planes.
func TestPlanes(t *testing.T) {
	var e [bpc.Entry]byte
	for j := range 32 {
		binary.LittleEndian.PutUint32(e[4*j:], noise(j)^uint32(j%3)<<31)
	}
	m := planes(&e)
	word := func(j int) int64 { return int64(int32(binary.LittleEndian.Uint32(e[4*j:]))) }
	for j := range 31 {
		var d int64
		for row := range 33 {
			d = d<<1 | int64(m.Cells[row*31+j])
		}
		if d = d << 31 >> 31; d != word(j+1)-word(j) {
			t.Errorf("difference %d is %d, in the planes %d", j, word(j+1)-word(j), d)
		}
	}
	for i := range 31 {
		if m.Cells[i] != m.Cells[33*31+i] {
			t.Error("the highest plane has nothing above")
		}
	}
	for i := 31; i < 33*31; i++ {
		if m.Cells[33*31+i] != m.Cells[i]^m.Cells[i-31] {
			t.Fatalf("bit %d of DBX is not that of DBP and the one above", i)
		}
	}
}

func TestWords(t *testing.T) {
	var e [bpc.Entry]byte
	copy(e[:], []byte{0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b, 0, 0x7c, 0, 0xfe}) // of binary16: 1, -2, the least, the largest, infinite, none
	for dtype, want := range map[string][]string{
		"float16": {"1 -2", "5.96e-08 6.55e+04", "+Inf NaN"}, "int16": {"15360 -16384"}, "uint8": {"0 60 0 192"}, "int32": {"-1073726464"},
		"bfloat16": {"0.007812 -2"}, "int64": {"8934860193242561536", ""}, "int8": {"0 60 0 -64"}, "float32": {"-2.004"},
	} {
		x := words(&e, dtype)
		for i, w := range want {
			if got := x.Rows[1].Cells[i].Text; got != w {
				t.Errorf("%s, word %d: %q, want %q", dtype, i, got, w)
			}
		}
	}
	if x := words(&e, ""); len(x.Rows) != 4 || x.Rows[0].Cells[0].Text != "c0003c00" {
		t.Errorf("%+v", x)
	}
}

// TestThresholds checks the sweep against runs, and that the current one is marked.
func TestThresholds(t *testing.T) {
	l := New()
	s := sectionOf(t, &l, "thresholds", "", "threshold=22", final, nil)
	rows := s.Tables[0].Rows
	if len(rows) != 9 || rows[3].Head != "22 %" || !rows[3].Cells[0].Best || rows[4].Cells[0].Best || rows[8].Head != "no limit" {
		t.Fatalf("%+v", rows)
	}
	for _, x := range []struct {
		row int
		set string
	}{{0, "threshold=10"}, {5, "threshold=30"}, {7, "threshold=40"}, {8, "threshold=100"}} {
		r, _, err := l.Run(labtest.Setup(t, &l, x.set), final, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := r.Value(l.Quantity("ratio"))
		if got := rows[x.row].Cells[0].Text; got != times(v) {
			t.Errorf("%s: %s, a run says %s", x.set, got, times(v))
		}
	}
	for _, system := range []string{"naive", "ideal", "bandwidth-only"} {
		if s := sectionOf(t, &l, "thresholds", "", "threshold=30", system, nil); s.Tables[0].Rows[4].Cells[0].Text != rows[5].Cells[0].Text {
			t.Errorf("%s: %+v", system, s.Tables[0].Rows[4])
		}
		if s := sectionOf(t, &l, "thresholds", "", "threshold=5", system, nil); len(s.Tables[0].Rows) != 9 || s.Tables[0].Rows[0].Head != "5 %" || !strings.Contains(s.Notes[0], "has no Buddy Threshold") {
			t.Errorf("%s: %+v", system, s)
		}
	}
	if s := sectionOf(t, &l, "thresholds", "", "threshold=60", final, nil); s.Tables[0].Rows[7].Head != "60 %" {
		t.Errorf("%+v", s.Tables[0].Rows)
	}
}

// TestNoFileAtHand has numbers of a file, and not the file.
func TestNoFileAtHand(t *testing.T) {
	w := &memory{tensors: []tensor{{Name: "a", Bytes: 4096, Entries: 32}}}
	for _, key := range []string{heatKey, insideKey} {
		l := New()
		view := knob.NewSetup(l.Info.Section(key).Knobs)
		s := standard()
		v := &seen{System: final, Settings: &s, Workload: w, Look: view}
		out, err := heat(v)
		if key == insideKey {
			out, err = inside(v)
		}
		if err != nil || len(out.Maps) != 0 || !strings.Contains(out.Text[0], "open it again") {
			t.Errorf("%s: %+v, %v", key, out, err)
		}
	}
}

// A counter counts what is read of a file.
type counter struct {
	*bytes.Reader
	reads *int
}

func (c counter) ReadAt(p []byte, at int64) (int, error) {
	*c.reads++
	return c.Reader.ReadAt(p, at)
}

func (counter) Close() error { return nil }

// TestThresholdReadsNothing turns the threshold of a file that was measured: the
// answer comes from what was counted, and the file is not read again.
func TestThresholdReadsNothing(t *testing.T) {
	l := New()
	data, reads := weights(t), 0
	file := lab.File{Name: "w.safetensors", Data: data[:1024], Size: int64(len(data)), Stream: func() (io.ReadCloser, error) { return counter{bytes.NewReader(data), &reads}, nil }}
	files, err := open([]lab.File{file})
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	before := 0
	for _, threshold := range []string{"30", "10", "51", "30"} {
		set := "entry=w.safetensors threshold=" + threshold
		if _, _, err := l.Run(labtest.Setup(t, &l, set), final, files, nil); err != nil {
			t.Fatal(err)
		}
		targets[sectionOf(t, &l, "allocations", "allocations_by=single", set, final, files).Text[0]] = true
		sectionOf(t, &l, "thresholds", "", set, final, files)
		if before == 0 {
			before = reads
		}
		if reads != before {
			t.Errorf("threshold %s: %d reads, %d were enough", threshold, reads, before)
		}
	}
	if before == 0 || len(targets) < 2 {
		t.Errorf("%d reads; %v", before, targets)
	}
}

// Of one they are one, and several files hold.
func TestPlurals(t *testing.T) {
	m := &memory{programs: []core.Program{{Name: "all 2 files", Allocations: make([]buddy.Allocation, 1)}}, many: true}
	if got := about(m.programs); !strings.HasPrefix(got, "1 allocation, ") {
		t.Error(got)
	}
	s := standard()
	if got := lead(m, &s); !strings.HasPrefix(got, "all 2 files hold ") {
		t.Error(got)
	}
	r := &result{Programs: []*core.Result{{Targets: []buddy.Target{0}}}}
	for _, x := range []struct {
		more []buddy.Target
		want string
	}{{nil, ": the only allocation has 1x;"}, {[]buddy.Target{0}, ": all 2 allocations have 1x;"}, {[]buddy.Target{1}, ": of 2 allocations 1 has 1x, 1 has 1.33x;"}} {
		r.Programs[0].Targets = append([]buddy.Target{0}, x.more...)
		if got := summary(r); !strings.Contains(got, x.want) {
			t.Errorf("%q lacks %q", got, x.want)
		}
	}
}
