package address

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/prose"
	"spillway/sim/unit"
)

// say writes all of a recording.
func say(r *stream.Recording) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d threads, %d accesses, %d pages, gaps %v, missed %v, sampled %v\n", r.Format, len(r.Threads), r.Count, r.Pages, r.Gaps, r.Missed, r.Sampled)
	for i, t := range r.Threads {
		for _, a := range t {
			kind := 'R'
			if a.Write() {
				kind = 'W'
			}
			fmt.Fprintf(&b, "%d: +%d page %d line %d %c\n", i, a.Gap(), a.Page(), a.Line(), kind)
		}
	}
	for _, n := range r.Notes {
		b.WriteString("- " + n + "\n")
	}
	if r.Passed != "" {
		b.WriteString("- " + r.Passed + "\n")
	}
	return b.String()
}

func samples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 11 {
		t.Fatal(err, files)
	}
	return files
}

// TestSamples reads a sample of every format.
func TestSamples(t *testing.T) {
	seen := map[string]bool{}
	var all strings.Builder
	for _, file := range samples(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(filepath.Base(file), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		seen[r.Format] = true
		text := say(r)
		fmt.Fprintf(&all, "%s\n%s\n", filepath.Base(file), text)
		// The same with the ends of lines of Windows, a mark in front, and compressed, in
		// pieces of a byte.
		marked := append(slices.Clone(bom), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(marked)
		z.Close()
		again, err := Read(filepath.Base(file), &drip{&packed})
		if err != nil || say(again) != text {
			t.Errorf("%s compressed: %v\n%s", file, err, say(again))
		}
	}
	golden.Compare(t, "testdata/samples.golden", []byte(all.String()))
	for _, f := range append(slices.Clone(foreign), own) {
		if !seen[f.title] {
			t.Errorf("no sample of %s", f.title)
		}
	}
}

// drip reads one byte at a time.
type drip struct{ r io.Reader }

func (d *drip) Read(p []byte) (int, error) { return d.r.Read(p[:min(len(p), 1)]) }

// TestRoundTrip writes recordings in both formats and reads them again.
func TestRoundTrip(t *testing.T) {
	rnd := uint64(1)
	next := func(n uint64) uint64 {
		rnd ^= rnd << 13
		rnd ^= rnd >> 7
		rnd ^= rnd << 17
		return rnd % n
	}
	for round := range 6 {
		r := &stream.Recording{Gaps: stream.Gaps(next(4)), Missed: next(2) == 0, Sampled: next(2) == 0, Pages: int32(next(500) + 1)}
		// Numbers of pages are arbitrary, as they are in the streams of recipes.
		for range next(20) + 1 {
			var th []stream.Request
			for range next(3*perBlock) + 1 {
				th = append(th, stream.NewRequest(uint32(next(uint64(r.Pages))), uint8(next(64)), next(3) == 0, unit.Cycles(next(1<<next(34)))&stream.MaxGap))
			}
			r.Threads = append(r.Threads, th)
		}
		_, r.Count = r.Requests()
		for _, form := range []Form{Text, Binary} {
			var b bytes.Buffer
			if err := Write(&b, r, form); err != nil {
				t.Fatal(err)
			}
			got, err := Read("x", &b)
			if err != nil {
				t.Fatal(round, form, err)
			}
			got.Format, got.Notes = "", nil
			if a, b := say(r), say(got); a != b {
				t.Fatalf("round %d, form %d: want\n%.2000s\ngot\n%.2000s", round, form, a, b)
			}
		}
	}
}

// TestErrors says what is said of files that cannot be read.
func TestErrors(t *testing.T) {
	var blank bytes.Buffer
	if err := Write(&blank, &stream.Recording{Pages: 2, Threads: [][]stream.Request{{stream.NewRequest(1, 3, true, 7), stream.NewRequest(0, 3, true, 7)}}}, Binary); err != nil {
		t.Fatal(err)
	}
	good := blank.Bytes()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(bytes.Repeat([]byte("address 1\n0 1 2 R\n"), 100))
	z.Close()
	cut := packed.Bytes()[:packed.Len()-9]
	patched := func(at int, b ...byte) []byte {
		p := slices.Clone(good)
		copy(p[at:], b)
		return p
	}
	var all strings.Builder
	for _, c := range []struct{ name, data string }{
		{"empty", ""},
		{"blank", " \n\n"},
		{"other", "Dear all,\nhere is a trace.\n"},
		{"json", `{"traceEvents": []}`},
		{"perf.data", "PERFILE2\x68\x00\x00\x00\x00\x00\x00\x00"},
		{"gem5.trc", "gem5\x0a\x12"},
		{"instrace", "Format: <instr address>,<opcode>\n0x7f59c2d002d3,call\n"},
		{"utf16", "\xff\xfea\x00d\x00"},
		{"version", "address 2\n0 1 2 R\n"},
		{"header", "address 1 hours pages=0\n0 1 2 R\n"},
		{"blanks", "address" + strings.Repeat(" ", 200_000) + "1" + strings.Repeat(" ", 100_000)},
		{"nothing", "address 1\n# nothing\n"},
		{"lines", "address 1\n0 1 2\n0 1 2 R\nx 1 2 R\n0 -1 2 R\n0 1 zz R\n0 1 2 read\n0 1 2 R 99999\n0 1 0x12345678123456789 R\n0 1 2 3 4 5 6\n"},
		{"twenty", "address 1\n" + strings.Repeat("0 1 2\n", 100)},
		{"pages", "address 1 pages=2\n0 1 0x2000 R\n"},
		{"lackey", "==1== Lackey, an example Valgrind tool\nI  04001090,3\n"},
		{"caches", "a 1 1.0: 10 l/P: 7ffdf1391b0c     10268100142 |OP LOAD|LVL L1 hit|SNP None|TLB N/A\n"},
		{"cut", string(cut)},
		{"gzip", "\x1f\x8b\x00\x00"},
		{"binary cut", string(good[:len(good)-2])},
		{"binary end", string(good[:len(good)-1])},
		{"binary more", string(good) + "x"},
		{"binary gaps", string(patched(len(magic), 9))},
		{"binary flags", string(patched(len(magic)+1, 9))},
		{"binary pages", string(patched(len(magic)+2, 1))},
		{"binary texts", magic + "\x00\x00\x00\x41"},
		{"binary text", magic + "\x00\x00\x00\x01\x05ab"},
		{"binary long text", magic + "\x00\x00\x00\x01\xff\x7f"},
		{"binary line", string(patched(len(magic)+6, 6))},
		{"binary varint", magic + strings.Repeat("\xff", 20)},
		{"binary threads", magic + "\x00\x00\x00\x00" + threads(MaxThreads+1) + "\x00"},
	} {
		_, err := Read(c.name, strings.NewReader(c.data))
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		var not *NotTraceError
		if is := errors.As(err, &not); is != (c.name == "other" || c.name == "json") {
			t.Errorf("%s: not a trace: %v", c.name, is)
		}
		fmt.Fprintf(&all, "%v\n", err)
	}
	golden.Compare(t, "testdata/errors.golden", []byte(all.String()))
}

// threads is a block with one access for each of so many threads.
func threads(n int) string {
	var b []byte
	last := uint64(0)
	for i := range n {
		last = 0
		b = appendBlock(b, uint64(i), []stream.Request{0}, &last)
	}
	return string(b)
}

// TestDocumentation finds the example and all words in FORMAT.md, and reads what it
// says of the binary format.
func TestDocumentation(t *testing.T) {
	doc, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("testdata/own.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "```text\n"+string(example)+"```") {
		t.Error("the example is not testdata/own.txt")
	}
	for _, want := range append(stream.GapNames[:], "missed", "sampled", "pages=N", strings.TrimSpace(magic), prose.Grouped(MaxKept), prose.Grouped(MaxPages), fmt.Sprint(MaxThreads), prose.Grouped(maxSize), fmt.Sprint(mostTexts), fmt.Sprint(mostText)) {
		if !strings.Contains(string(doc), strings.ReplaceAll(want, "\u202f", " ")) {
			t.Errorf("FORMAT.md does not say %q", want)
		}
	}
	// A block of thread 5: line 3 is written after 7, line 1 is read after 200.
	r, err := Read("x", strings.NewReader(magic+"\x02\x01\x00\x00"+"\x02\x05"+string([]byte{4*3 + 1, 7, 4*2 - 2, 0xc8, 1})+"\x00"))
	if want := "1 threads, 2 accesses, 1 pages, gaps cycles, missed true, sampled false\n0: +7 page 0 line 3 W\n0: +200 page 0 line 1 R\n"; err != nil || !strings.HasSuffix(say(r), want) {
		t.Error(err, r)
	}
}

// TestNamed keeps what a recording with a name says of itself, in the binary format.
func TestNamed(t *testing.T) {
	r := &stream.Recording{Name: "a/b.txt", Format: "perf script", Notes: []string{"One.", strings.Repeat("é", 3000)}, Sampled: true, Pages: 1, Count: 1, Threads: [][]stream.Request{{0}}, Passed: "secret"}
	var b bytes.Buffer
	if err := Write(&b, r, Binary); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("secret")) {
		t.Error("lines of the file are written")
	}
	got, err := Read("x", &b)
	if err != nil || got.Name != r.Name || got.Format != r.Format || len(got.Notes) != 2 || got.Notes[0] != "One." || got.Passed != "" || !got.Sampled {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestManyNotes keeps as many notes as are read again.
func TestManyNotes(t *testing.T) {
	r := &stream.Recording{Name: "a", Format: "perf script", Pages: 1, Count: 1, Threads: [][]stream.Request{{0}}}
	for i := range 2 * mostTexts {
		r.Notes = append(r.Notes, fmt.Sprint(i))
	}
	var b bytes.Buffer
	if err := Write(&b, r, Binary); err != nil {
		t.Fatal(err)
	}
	got, err := Read("x", &b)
	if err != nil || len(got.Notes) != mostTexts-2 || got.Notes[mostTexts-3] != "61" {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestThreads reads files of one thread each as one recording.
func TestThreads(t *testing.T) {
	one, err := os.ReadFile("testdata/memtrace.txt")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("testdata/memtracex.txt")
	if err != nil {
		t.Fatal(err)
	}
	two := []byte("Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>\n0x00007ffeacab1ec8:  8, w\n0x00007ffeacab0ec8:  8, r\n")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(one)
	z.Close()
	if !OfOneThread(one) || !OfOneThread(other) || !OfOneThread(packed.Bytes()) || OfOneThread([]byte("address 1\n0 1 2 R\n")) || OfOneThread(nil) {
		t.Error("files of one thread are not known as that")
	}
	read := func(files ...[]byte) (*stream.Recording, error) {
		return ReadThreads([]string{"a", "b"}[:len(files)], func(i int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[i])), nil })
	}
	r, err := read(packed.Bytes(), two)
	if err != nil {
		t.Fatal(err)
	}
	want := "DynamoRIO memtrace_simple: 2 threads, 4 accesses, 2 pages, gaps instructions, missed false, sampled false\n0: +1 page 0 line 59 W\n0: +1 page 0 line 59 R\n1: +0 page 1 line 59 W\n1: +0 page 0 line 59 R\n"
	if got := say(r); got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := read(one, other); err == nil || err.Error() != "b: has the format DynamoRIO memtrace_x86_text, the files before it DynamoRIO memtrace_simple" {
		t.Error(err)
	}
	if _, err := read([]byte("address 1\n0 1 2 R\n")); err == nil || err.Error() != "a: no file of one thread" {
		t.Error(err)
	}
	if _, err := read(); err == nil {
		t.Error("no files are no error")
	}
}

// TestLongLines passes over lines that nobody writes, and counts on.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*4*maxLine)
	for _, size := range []int{maxLine - 1, maxLine, maxLine + 1, 4 * maxLine, len(long)} {
		text := "I  04001090,3\n L 1000,8\n" + long[:size] + "\n L 2000,8\nbad\n" + long[:size]
		r, err := Read("x", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if r.Count != 2 || len(r.Notes) != 1 || r.Notes[0] != "Passed over as no part of the trace: 3 lines." || !strings.Contains(r.Passed, `line 5, "bad"`) || len(r.Passed) > 400 {
			t.Errorf("%d: %d accesses, %q %q", size, r.Count, r.Notes, r.Passed)
		}
	}
	_, err := Read("x", strings.NewReader("address 1\n"+long+"\n0 1 2 R\n0 1 2\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "x:2: 1 words") || !strings.Contains(err.Error(), "x:4: 3 words") {
		t.Errorf("%.300v", err)
	}
}

// TestSource decodes data sources as perf prints them, with the words that it prints
// beside them.
func TestSource(t *testing.T) {
	for _, c := range []struct {
		v     uint64
		says  string
		is    answer
		write bool
	}{
		{0x10268100142, "OP LOAD|LVL L1 hit", fromACache, false},
		{0x51080242, "OP LOAD|LVL LFB/MAB hit", fromACache, false},
		{0x51088842, "OP LOAD|LVL L3 or Remote Cache (1 hop) hit", fromACache, false},
		{0x49080442, "OP LOAD|LVL L2 hit", fromACache, false},
		{0x8688000842, "OP LOAD|LVL L3 or L3 hit", fromACache, false},
		{0x1e05080021, "OP N/A|LVL N/A or N/A", fromNobody, true},
		{0x68101042, "OP LOAD|LVL Local RAM hit", fromMemory, false},
		{0x1a68101042, "OP LOAD|LVL Local RAM or RAM hit", fromMemory, false},
		{0x68100882, "OP LOAD|LVL L3 miss", fromMemory, false},
		{0x68102042, "OP LOAD|LVL Remote RAM (1 hop) hit", fromMemory, false},
		{0x68108042, "OP LOAD|LVL Remote Cache (1 hop) hit", fromACache, false},
		{1<<33*9 | 2, "OP LOAD|LVL CXL hit", fromMemory, false},
		{1<<33*14 | 2, "OP LOAD|LVL PMEM hit", fromMemory, false},
		{0x20042, "OP LOAD|LVL I/O hit", fromDevice, false},
		{0x40044, "OP STORE|LVL Uncached hit", fromDevice, true},
		{0x184, "OP STORE|LVL L1 miss", fromNobody, true},
		{0x144, "OP STORE|LVL L1 hit", fromACache, true},
		{0x148, "OP PFETCH|LVL L1 hit", ofPrefetch, true},
		{0x150, "OP EXEC|LVL L1 hit", ofPrefetch, true},
	} {
		write := c.v&2 == 0 // what is not said stays
		if is := source(c.v, &write); is != c.is || write != c.write {
			t.Errorf("%x, %s: %d, write %v", c.v, c.says, is, write)
		}
	}
}

// TestPerfHead reads what stands before the address.
func TestPerfHead(t *testing.T) {
	for _, c := range []struct {
		line           string
		thread, period uint64
		whole, part    uint64
		timed          bool
		event          string
	}{
		{"prog 46572 [002] 544966.882384: 10000 ev:P: 7f", 46572, 10000, 544966, 882384e6, true, "ev:P:"},
		// After 115 days, and of a clock that began in 1970.
		{"prog 46572 [002] 12345678.000001: 10000 ev: 7f", 46572, 10000, 12345678, 1e6, true, "ev:"},
		{"prog 46572 1763825160.882384123: 10000 ev: 7f", 46572, 10000, 1763825160, 882384123e3, true, "ev:"},
		// Names with colons.
		{"tmux: server 46572 [002] 5.000000: 10000 ev: 7f", 46572, 10000, 5, 0, true, "ev:"},
		{"tmux 7: server 9 46572/46573 5.000000: 10000 ev: 7f", 46573, 10000, 5, 0, true, "ev:"},
		{"tmux 7 on: server 46572 5.000000: 10000 ev: 7f", 46572, 10000, 5, 0, true, "ev:"},
		{"tmux: server 46572 10000 ev: 7f", 46572, 10000, 0, 0, false, "ev:"},
		{"tmux: server 46572 ev: 7f", 46572, 0, 0, 0, false, "ev:"},
	} {
		var s perfSample
		rest, ok := s.head([]byte(c.line))
		if !ok || string(blanks(rest)) != "7f" || s.thread != c.thread || s.period != c.period || s.whole != c.whole || s.part != c.part || s.timed != c.timed || string(s.event) != c.event {
			t.Errorf("%s: %v, rest %q, %+v", c.line, ok, rest, s)
		}
	}
	for _, line := range []string{"tmux: server", "a: b: c: 7f", "x 12345678901234567890123.5: 7f"} {
		if rest, ok := new(perfSample).head([]byte(line)); ok {
			t.Errorf("%s: rest %q", line, rest)
		}
	}
	// Seconds count from the first, whatever the clock says.
	r, err := Read("x", strings.NewReader("a 1 1763825160.000000: 1 ev: 1000\na 1 1763825162.000001: 1 ev: 2000\na 1 1763825161.5: 1 ev: 2000\na 1 1.5: 1 ev: 2000\na 1 1763825162.000003: 1 ev: 2000\n"))
	if want := "0: +0 page 0 line 0 R\n0: +2000001000 page 1 line 0 R\n0: +0 page 1 line 0 R\n0: +0 page 1 line 0 R\n0: +2000 page 1 line 0 R\n"; err != nil || !strings.Contains(say(r), want) {
		t.Error(err, say(r))
	}
}

// TestNumbers reads decimal numbers below 2⁶⁴.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		v    uint64
		n    int
	}{
		{"", 0, 0},
		{"x", 0, 0},
		{"12,", 12, 2},
		{"9999999999999999999", 9999999999999999999, 19},
		{"10000000000000000000 ", 10000000000000000000, 20},
		{"18446744073709551615", 1<<64 - 1, 20},
		{"18446744073709551616", 0, 0},
		{"18446744073709551620", 0, 0},
		{"99999999999999999999", 0, 0},
		{"184467440737095516150", 0, 0},
		{"0000000000000000000000007", 7, 25},
	} {
		if v, n := decOf([]byte(c.text)); v != c.v || n != c.n {
			t.Errorf("%q is %d of %d digits", c.text, v, n)
		}
	}
	r, err := Read("x", strings.NewReader("address 1\n18446744073709551615 1 18446744073709551615 R\n"))
	if err != nil || r.Count != 1 {
		t.Error(err)
	}
}

// TestFailure hands on errors of reading.
func TestFailure(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, after := range []string{"", "address 1\n0 1 2 R\n", magic + "\x00\x00\x00\x00"} {
		_, err := Read("x", io.MultiReader(strings.NewReader(after), &failing{broken}))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "x cannot be read") {
			t.Errorf("%q: %v", after, err)
		}
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// TestGaps turns what gaps count into cycles.
func TestGaps(t *testing.T) {
	r := &stream.Recording{Threads: [][]stream.Request{{stream.NewRequest(0, 0, false, 1), stream.NewRequest(1, 0, true, 1), stream.NewRequest(2, 0, false, 3), stream.NewRequest(2, 0, false, stream.MaxGap)}}, Pages: 3, Count: 4}
	for _, c := range []struct {
		gaps   stream.Gaps
		cpi    int64
		want   [4]unit.Cycles
		capped int64
	}{
		{stream.NoGaps, 500, [4]unit.Cycles{1, 1, 3, stream.MaxGap}, 0},
		{stream.GapCycles, 500, [4]unit.Cycles{1, 1, 3, stream.MaxGap}, 0},
		{stream.GapInstructions, 500, [4]unit.Cycles{0, 1, 1, stream.MaxGap/2 + 1}, 0},
		{stream.GapInstructions, 1500, [4]unit.Cycles{1, 2, 4, stream.MaxGap}, 1},
		{stream.GapNanoseconds, 500, [4]unit.Cycles{2, 3, 7, stream.MaxGap}, 1},
	} {
		r.Gaps = c.gaps
		s, capped := r.Stream(c.cpi, 2500*unit.MHz)
		for i, a := range s.Threads[0] {
			b := r.Threads[0][i]
			if a.Gap() != c.want[i] || a.Page() != b.Page() || a.Line() != b.Line() || a.Write() != b.Write() {
				t.Errorf("%v: gap %d is %d, want %d", c.gaps, i, a.Gap(), c.want[i])
			}
		}
		if capped != c.capped || s.Pages != 3 || s.Count != 4 {
			t.Errorf("%v: %d capped, %+v", c.gaps, capped, s)
		}
	}
}

// TestMost keeps what may be kept and counts the rest.
func TestMost(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 6 million accesses")
	}
	const n = MaxKept + 1000
	r, err := Read("x", &made{head: "address 1\n", left: n, line: func(b []byte, i int) []byte { return fmt.Appendf(b, "0 1 %d R\n", i%4096*64) }})
	if err != nil || r.Count != 4096 || len(r.Notes) != 1 || r.Notes[0] != "There are more accesses than are kept: of the 4 195 304 that were read those are used that miss a cache of 256 KiB in each thread, 4 096 with the dirty lines that made room." {
		t.Error(err, r.Count, r.Notes)
	}
	r, err = Read("x", &made{head: "address 1\n", left: MaxPages + 10, line: func(b []byte, i int) []byte { return fmt.Appendf(b, "0 1 %d R\n", i*4096) }})
	if err != nil || r.Count != MaxPages || r.Pages != MaxPages || len(r.Notes) != 1 || r.Notes[0] != "Used are the first 2 097 152 accesses, which touch 2 097 152 pages, as many as are kept; the other 10 were only counted." {
		t.Error(err, r.Count, r.Notes)
	}
	r, err = Read("x", &made{head: "address 1\n", left: MaxThreads + 10, line: func(b []byte, i int) []byte { return fmt.Appendf(b, "%d 1 0 W\n", i) }})
	if err != nil || len(r.Threads) != MaxThreads || len(r.Notes) != 1 {
		t.Error(err, len(r.Threads), r.Notes)
	}
}

// TestLarge reads 200 MB by slices, with no more memory than what is kept needs.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200 MB")
	}
	const line = "I  04001090,3\n L 1ffefffe58,8\n"
	n := 200 << 20 / len(line)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := Read("x", &made{left: n, line: func(b []byte, _ int) []byte { return append(b, line...) }})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// Pieces, which are joined at last.
	if got := after.TotalAlloc - before.TotalAlloc; got > 8*MaxKept*5/2 {
		t.Errorf("%d MiB allocated for %d accesses of %d", got>>20, r.Count, n)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > 8*MaxKept*5/4 {
		t.Errorf("%d MiB held", got>>20)
	}
	runtime.KeepAlive(r)
}

// A made file is a head and lines that are made when they are read.
type made struct {
	head string
	left int
	line func(b []byte, i int) []byte
	i    int
	buf  []byte
}

func (m *made) Read(p []byte) (int, error) {
	if m.head != "" {
		m.buf, m.head = append(m.buf, m.head...), ""
	}
	if len(m.buf) == 0 {
		for m.left > 0 && len(m.buf) < 1<<16 {
			m.buf = m.line(m.buf, m.i)
			m.i++
			m.left--
		}
	}
	if len(m.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(p, m.buf)
	m.buf = m.buf[:copy(m.buf, m.buf[n:])]
	return n, nil
}

// FuzzRead reads anything without failing, and what it reads keeps what is promised.
func FuzzRead(f *testing.F) {
	for _, file := range samples(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		if r, err := Read("x", bytes.NewReader(data)); err == nil {
			var b bytes.Buffer
			_ = Write(&b, r, Binary)
			f.Add(b.Bytes())
		}
	}
	f.Add([]byte("address" + strings.Repeat(" ", 200_000) + "1" + strings.Repeat(" ", 100_000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read("x", bytes.NewReader(data))
		if err != nil {
			return
		}
		touched := make([]bool, r.Pages)
		count := int64(0)
		for _, th := range r.Threads {
			if len(th) == 0 {
				t.Error("an empty thread")
			}
			for _, a := range th {
				touched[a.Page()] = true
				count++
			}
		}
		numbered := bytes.HasPrefix(data, []byte(magic)) || bytes.Contains(data, []byte("pages="))
		if count != r.Count || !numbered && slices.Contains(touched, false) {
			t.Errorf("%d accesses, %d said; pages without one: %v", count, r.Count, slices.Contains(touched, false))
		}
		var b bytes.Buffer
		if err := Write(&b, r, Text); err != nil {
			t.Fatal(err)
		}
		again, err := Read("x", &b)
		if err != nil {
			t.Fatal(err)
		}
		again.Format, again.Notes, again.Passed = r.Format, r.Notes, r.Passed
		if a, b := say(r), say(again); a != b {
			t.Errorf("written and read again:\n%s\n%s", a, b)
		}
	})
}

// BenchmarkRead says how many bytes a second are read of each format.
func BenchmarkRead(b *testing.B) {
	for _, file := range samples(b) {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		head, body := []byte{}, data
		if name := filepath.Base(file); name == "own.txt" || strings.HasPrefix(name, "perfraw") || strings.HasPrefix(name, "memtrace") {
			at := bytes.IndexByte(data, '\n') + 1
			head, body = data[:at], data[at:]
		}
		text := append(head, bytes.Repeat(body, 16<<20/len(body))...)
		b.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Read("x", bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
