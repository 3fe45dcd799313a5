package cxlssd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/sim/cxlssd/stream"
	"spillway/sim/knob"
	"spillway/sim/unit"
	"spillway/ui/exec"
	reader "spillway/ui/files"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// sampleFiles are the samples of all formats.
func sampleFiles(t *testing.T) []lab.File {
	t.Helper()
	names, err := filepath.Glob("../../../traces/address/testdata/*.txt")
	if err != nil || len(names) < 11 {
		t.Fatal(err, names)
	}
	var list []lab.File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, lab.File{Name: filepath.Base(name), Data: data})
	}
	return list
}

// TestFiles opens a file of every format, and what stands for them.
func TestFiles(t *testing.T) {
	l := New()
	var list []lab.File
	for _, f := range sampleFiles(t) {
		if !strings.HasPrefix(f.Name, "memtrace") { // two kinds do not go together
			list = append(list, f)
		}
	}
	list = append(list, list[0], lab.File{Name: "letter.txt", Data: []byte("Dear all,\n")})
	files, err := reader.Open(&l, list)
	if err != nil {
		t.Fatal(err)
	}
	entries := files.Entries()
	if len(entries) != len(list)-1 {
		t.Fatalf("%d entries of %d files", len(entries), len(list))
	}
	for i, want := range map[int][3]string{
		0: {"debug.txt", "gem5 MemoryAccess: 2 threads, 5 accesses, 40 % of them writes, 8 KiB touched", "scale=1 unsaid=neutral llc=16"},
		2: {"own.txt", "Spillway address trace: 2 threads, 5 misses of the last-level cache, 60 % of them writes, 12 KiB touched", "scale=1 unsaid=neutral"},
		9: {"debug.txt (2)", "gem5 MemoryAccess: 2 threads, 5 accesses, 40 % of them writes, 8 KiB touched", "scale=1 unsaid=neutral llc=16"},
	} {
		if i >= len(entries) {
			t.Fatal(len(entries))
		}
		if e := entries[i]; e.Name != want[0] || e.Info != want[1] || e.Set != want[2] {
			t.Errorf("%+v", e)
		}
	}
	for _, e := range entries {
		u := l.Setup()
		if err := u.Read(e.Set); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	notes := strings.Join(files.Notes(), "\n")
	for _, want := range []string{"letter.txt: text, but none that is known", "what the program prints", "Addresses do not leave this page", "perf.txt: The accesses are a sample"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
	var small []lab.File
	for _, e := range entries {
		u := l.Setup()
		if err := u.Set("entry", e.Name); err != nil {
			t.Fatal(err)
		}
		list, holds, err := reader.Carried(&l, u, nil, files)
		if err != nil || len(list) != 1 || fmt.Sprintf("%+v", holds.Entries()) != fmt.Sprintf("%+v", []lab.Entry{e}) {
			t.Fatal(err, list, holds)
		}
		small = append(small, list...)
	}
	again, err := reader.Open(&l, small)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprintf("%+v", entries), fmt.Sprintf("%+v", again.Entries()); a != b {
		t.Errorf("carried:\n%s\n%s", a, b)
	}
	for i := range entries {
		name := entries[i].Name
		a, err := files.(*source).find(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := again.(*source).find(name)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(a.Threads, a.Notes) != fmt.Sprint(b.Threads, b.Notes) {
			t.Errorf("%s is another after it was carried", name)
		}
	}
}

// TestEntry makes of a recording what runs.
func TestEntry(t *testing.T) {
	var text strings.Builder
	text.WriteString("address 1\n")
	for i := range 4000 {
		text.WriteString(fmt.Sprintf("%d 3 %d %c\n", i%2, i*64%(1<<17), "RRW"[i%3]))
	}
	raw := lab.File{Name: "dir/raw", Data: []byte(text.String())}
	l := New()
	files, err := reader.Open(&l, []lab.File{raw})
	if err != nil {
		t.Fatal(err)
	}
	made := func(change func(*settings)) *trace {
		s := standard()
		s.Entry = "dir/raw"
		s.Recipe.CPI = 500
		change(&s)
		w, err := entry(&s, files)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	all := made(func(*settings) {})
	if r := all.Recorded; r.Count != 4000 || len(r.Threads) != 2 || r.Pages != 32 || r.Threads[0][0].Gap() != 1 || r.Threads[0][1].Gap() != 2 || !strings.Contains(strings.Join(all.notes, " "), "no cache is in front of it") {
		t.Errorf("%+v %q", all.Recorded.Threads[0][:3], all.notes)
	}
	if all.Recipe.Classes != nil || all.Title != "raw" {
		t.Errorf("%+v", all.Workload)
	}
	// All of it fits into a cache of 1 MiB: lines are read once.
	cached := made(func(s *settings) { s.LLC = unit.MiB })
	if r := cached.Recorded; r.Count != 2048 || r.Pages != 32 || !strings.Contains(strings.Join(cached.notes, " "), "Of 4000 accesses 2048 missed the last-level cache of 1 MiB") {
		t.Errorf("%d requests, %q", r.Count, cached.notes)
	}
	if split := made(func(s *settings) { s.Split = 3 }); len(split.Recorded.Threads) != 6 || split.Recorded.Count != 4000 {
		t.Errorf("%d threads, %d requests", len(split.Recorded.Threads), split.Recorded.Count)
	}
	s := standard()
	if s.Entry = "other"; true {
		if _, err := entry(&s, files); err == nil || !strings.Contains(err.Error(), `no "other"`) {
			t.Error(err)
		}
	}
	if _, err := entry(&s, nil); err == nil {
		t.Error("no files are no error")
	}
	u := l.Setup()
	if err := u.Read("scale=1 entry=dir/raw"); err != nil {
		t.Fatal(err)
	}
	profile, err := l.Section(profileKey, knob.NewSetup(l.Info.Section(profileKey).Knobs), u, "base-cssd", files, nil)
	if err != nil {
		t.Fatal(err)
	}
	if table := profile.Tables[0]; table.Title != "What is asked for" || len(table.Head) != 2 || strings.Contains(fmt.Sprintf("%+v", profile), "Table I") {
		t.Errorf("beside a recording stands %+v", table)
	}
	labtest.Section(t, "profile of a recording", profile)
	for _, system := range []string{"base-cssd", "skybyte-full", "dram-only"} {
		r, _, err := l.Run(u, system, files, nil)
		if err != nil || !r.Fits {
			t.Errorf("%s: %v", system, err)
			continue
		}
		if v, ok := r.Value(l.Quantity("requests")); !ok || v != 4000 {
			t.Errorf("%s: %v requests", system, v)
		}
	}
}

// TestUnsaid brings neutral numbers with a recording, and takes them away with a
// bundled workload.
func TestUnsaid(t *testing.T) {
	l := New()
	files, err := reader.Open(&l, []lab.File{{Name: "counted", Data: []byte("address 1 missed\n0 9 4096 R\n")}, {Name: "timed", Data: []byte("address 1 ns missed\n0 9 4096 R\n")}})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range files.Entries() {
		u := l.Setup()
		if err := u.Read(e.Set + " entry=" + e.Name); err != nil {
			t.Fatal(err)
		}
		for _, n := range neutral {
			if got := u.Text(n.key); got != n.text || u.Changed(n.key) {
				t.Errorf("%s: %s is %s, want %s as what it goes back to", e.Name, n.key, got, n.text)
			}
		}
		for _, key := range []string{"insts", "classes", "heavy", "heavy_share", "visits", "switching"} {
			if !u.Hidden(key) {
				t.Errorf("%s: %s is shown and has no effect", e.Name, key)
			}
		}
		if u.Hidden("cpi") != (i == 1) || u.Hidden("fill") {
			t.Errorf("%s: cpi hidden %v, fill %v", e.Name, u.Hidden("cpi"), u.Hidden("fill"))
		}
		said := func(want string) {
			t.Helper()
			r, _, err := l.Run(u, "skybyte-full", files, nil)
			if err != nil || !strings.Contains(strings.Join(r.Notes, " "), want) {
				t.Errorf("%s: %v, no %q in %q", e.Name, err, want, r.Notes)
			}
		}
		said("a request costs 131 cycles, up to 8 loads in a row overlap, each with a probability of 0.25, and 0.0 % of the cache is full, with promotion 0.0 %: numbers that favour no bundled workload")
		if err := u.Set("fill", "0.5"); err != nil {
			t.Fatal(err)
		}
		said("50.0 % of the cache is full, with promotion 0.0 %, as Recipe has it")
		if err := u.Set("workload", "tpcc"); err != nil {
			t.Fatal(err)
		}
		said("as fitted to tpcc, which need not be like the recording")
		// As the page leaves a recording.
		if err := u.Set("entry", ""); err != nil {
			t.Fatal(err)
		}
		u.Reset(unsaid)
		want := setOf(t, &l, "workload=tpcc")
		for _, k := range u.Knobs() {
			if a, b := u.Text(k.Key), want.Text(k.Key); a != b {
				t.Errorf("%s after %s: %q, want %q", k.Key, e.Name, a, b)
			}
		}
	}
	// The mean of the recipes.
	var sum int64
	list := stream.Recipes()
	for i := range list {
		sum += list[i].Recipe.Overlap
	}
	if r := neutralRecipe(); r.Overlap != sum/int64(len(list)) {
		t.Errorf("overlap %d of %d in all", r.Overlap, sum)
	}
}

// TestHanded plants addresses and words in a trace and looks for them in what is
// handed on.
func TestHanded(t *testing.T) {
	secret := "==1== Lackey\nI  04001090,3\n L deadbeef40,8\nthe password is xyzzy\n S deadbeef80,4\n"
	l := New()
	files, err := reader.Open(&l, []lab.File{{Name: "a b", Data: []byte(secret)}})
	if err != nil {
		t.Fatal(err)
	}
	u := l.Setup()
	pair := knob.Pair{Key: "entry", Text: "a b"}
	if err := u.Set(pair.Key, pair.Text); err != nil {
		t.Fatal(err)
	}
	handed, _, err := reader.Carried(&l, u, []lab.File{{Name: "a b", Data: []byte(secret)}}, files)
	if err != nil || len(handed) != 1 || handed[0].Name != "a-b.address" {
		t.Fatal(err, handed)
	}
	for _, word := range []string{"xyzzy", "password", "deadbeef", "\xef\xbe\xad\xde"} {
		if bytes.Contains(handed[0].Data, []byte(word)) {
			t.Errorf("%q is handed on", word)
		}
	}
	one, _, err := l.Run(u, "skybyte-full", files, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v", one); strings.Contains(text, "xyzzy") {
		t.Error("the report has the file's words")
	}
}

// TestRefused says what is said of files that are none.
func TestRefused(t *testing.T) {
	l := New()
	_, err := reader.Open(&l, []lab.File{{Name: "letter.txt", Data: []byte("Dear all,\n")}})
	for _, want := range []string{"letter.txt: text, but none that is known", "What opens"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	_, err = reader.Open(&l, []lab.File{{Name: "x", Data: []byte("address 1\n0 1 2 X\n")}})
	if err == nil || err.Error() != `x:2: "X" is neither R nor W` {
		t.Error(err)
	}
	_, err = reader.Open(&l, []lab.File{{Name: "x", Size: 1 << 30, Data: []byte("address 1\n0 1 2 X\n"), Stream: func() (io.ReadCloser, error) { return nil, os.ErrPermission }}})
	if err == nil || !strings.Contains(err.Error(), "x cannot be read: permission denied") {
		t.Error(err)
	}
}

// TestTogether opens the files of a program's threads as one recording, streamed.
func TestTogether(t *testing.T) {
	l := New()
	var list []lab.File
	for i := range 3 {
		data := []byte("Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>\n" + strings.Repeat(fmt.Sprintf("0x7f00000%d000: 8, r\n", i), 100))
		list = append(list, lab.File{Name: fmt.Sprintf("memtrace.%d.log", i), Size: int64(len(data)), Data: data[:80], Stream: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }})
	}
	files, err := reader.Open(&l, list)
	if err != nil {
		t.Fatal(err)
	}
	e := files.Entries()
	if len(e) != 1 || e[0].Name != "memtrace.0.log and 2 more" || e[0].Info != "DynamoRIO memtrace_simple: 3 threads, 300 accesses, 0 % of them writes, 12 KiB touched" {
		t.Errorf("%+v", e)
	}
}

// TestLent goes the way of the page: one program reads a file by slices and says how far
// it is, another gets what it found and runs the same.
func TestLent(t *testing.T) {
	const accesses = 200_000
	var text bytes.Buffer
	text.WriteString("address 1 cycles missed\n")
	for i := range accesses {
		fmt.Fprintf(&text, "%d 40 0x%x %c\n", i%4, 0x7f0000000000+i*7919%(1<<22)*64, "RRRW"[i%4])
	}
	data := text.Bytes()
	opened := []lab.File{{Name: "big", Size: int64(len(data)), Data: data[:1000], Stream: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}}
	takers, err := reader.Takers(opened, "train")
	if err != nil || len(takers) != 1 || takers[0].Lab != "cxlssd" || len(takers[0].Handed) > 8*accesses {
		t.Fatal(err, takers)
	}
	reads, takes := &exec.Executor{Lab: New(), Reader: reader.Open}, &exec.Executor{Lab: New()}
	reads.Open(1, opened)
	told := 0
	a := reads.Do(&exec.Job{Kind: exec.List, Files: 1}, func(done, total int) {
		if done < told || total < len(data) {
			t.Errorf("%d of %d after %d", done, total, told)
		}
		told = done
	})
	if a.Error != "" || len(a.Entries) != 1 || told < len(data)*9/10 {
		t.Fatal(a.Error, a.Entries, told)
	}
	takes.Open(1, []lab.File{{Data: takers[0].Handed}})
	job := &exec.Job{Kind: exec.Run, Files: 1, Setup: "scale=1 entry=big ssd_dram=64 log=7", System: "skybyte-wp"}
	one, two := reads.Do(job, nil), takes.Do(job, nil)
	if one.Error != "" || two.Error != "" || one.Report == nil || fmt.Sprintf("%+v", one.Report) != fmt.Sprintf("%+v", two.Report) {
		t.Errorf("%s %s: %v", one.Error, two.Error, one.Problems)
	}
}
