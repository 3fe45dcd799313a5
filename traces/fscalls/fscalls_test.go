package fscalls

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"spillway/build/golden"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

func samples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.[tc][xs][tv]")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	return files
}

func encode(t testing.TB, r *load.Recording) string {
	t.Helper()
	var b strings.Builder
	if err := Encode(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSamples(t *testing.T) {
	var all strings.Builder
	for _, file := range samples(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(filepath.Base(file), bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		sound(t, r)
		fmt.Fprintf(&all, "%s: %s, %d threads\n", filepath.Base(file), r.Format, len(r.Threads))
		for _, n := range r.Notes {
			fmt.Fprintln(&all, n)
		}
		fmt.Fprintln(&all, encode(t, r))
		again := roundTrip(t, r)
		if !slices.EqualFunc(r.Threads, again.Threads, slices.Equal) && filepath.Base(file) == "own.txt" {
			t.Errorf("%s: other calls:\n%+v\n%+v", file, r.Threads, again.Threads)
		}
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, _ = w.Write(data)
		_ = w.Close()
		zipped, err := Read("x", &z)
		if err != nil || encode(t, zipped) != encode(t, r) {
			t.Errorf("%s, compressed: %v", file, err)
		}
		crlf, err := Read("x", strings.NewReader("\xef\xbb\xbf"+strings.ReplaceAll(string(data), "\n", "\r\n")))
		if err != nil || encode(t, crlf) != encode(t, r) {
			t.Errorf("%s, with carriage returns: %v", file, err)
		}
	}
	golden.Compare(t, "testdata/samples.golden", []byte(all.String()))
}

// roundTrip writes a recording and reads it again.
func roundTrip(t testing.TB, r *load.Recording) *load.Recording {
	t.Helper()
	text := encode(t, r)
	again, err := Read("again", strings.NewReader(text))
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%.3000s", err, text)
	}
	if other := encode(t, again); other != text {
		t.Fatalf("written\n%.3000s\nread and written\n%.3000s", text, other)
	}
	if !slices.Equal(again.Nodes, r.Nodes) {
		t.Fatalf("nodes %v were %v", again.Nodes, r.Nodes)
	}
	return again
}

// sound goes through a recording as a replay would and checks that every call is possible.
func sound(t testing.TB, r *load.Recording) {
	t.Helper()
	w, err := load.Replay(r, &machine.Setup{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	exists, dir, size := make([]bool, r.Most), make([]bool, r.Most), make([]int64, r.Most)
	total := int64(0)
	for i, n := range r.Nodes {
		exists[i], dir[i], size[i] = true, n.Dir, n.Size
		if total += n.Size; n.Size < 0 || i > 0 && (n.Parent < 0 || int(n.Parent) >= len(r.Nodes) || !r.Nodes[n.Parent].Dir) {
			t.Fatalf("node %d is %+v", i, n)
		}
	}
	if total > maxBytes {
		t.Fatalf("files of %d bytes", total)
	}
	src := w.Start()
	queue := make([]int32, 0, w.Threads)
	for i := range w.Threads {
		queue = append(queue, int32(i))
	}
	done, calls := 0, int64(0)
	var c call.Call
	for len(queue) > 0 {
		th := queue[0]
		queue = queue[1:]
		switch src.Next(th, 0, &c) {
		case call.Done:
			done++
		case call.Ready:
			calls++
			fresh := c.Code == call.Create || c.Code == call.Mkdir
			if exists[c.Node] == fresh {
				t.Fatalf("%s of node %d, which exists: %v", ops[c.Code], c.Node, exists[c.Node])
			}
			switch c.Code {
			case call.Create, call.Mkdir, call.Rename:
				if !exists[c.Dir] || !dir[c.Dir] {
					t.Fatalf("%s in %d, which is no directory", ops[c.Code], c.Dir)
				}
				if fresh {
					size[c.Node] = 0
					dir[c.Node] = c.Code == call.Mkdir
				}
				exists[c.Node] = true
			case call.Unlink, call.Rmdir:
				exists[c.Node] = false
			case call.Read, call.Write:
				if dir[c.Node] || c.Length <= 0 || c.Offset < 0 || c.Offset+c.Length > 2*maxBytes {
					t.Fatalf("%+v", c)
				}
				if c.Code == call.Write {
					size[c.Node] = max(size[c.Node], c.Offset+c.Length)
				}
			case call.Truncate:
				size[c.Node] = c.Length
			}
			queue = append(queue, th)
		}
		queue = append(queue, src.Woken()...)
	}
	if done != w.Threads || calls != w.Calls {
		t.Fatalf("%d of %d threads ended, %d of %d calls were made", done, w.Threads, calls, w.Calls)
	}
}

func TestErrors(t *testing.T) {
	var all strings.Builder
	for _, c := range []struct{ name, text string }{
		{"empty", ""},
		{"blank", " \n\n"},
		{"prose", "Dear all,\nthe meeting is at 10.30 (room 4) = big.\n"},
		{"table", "a,b,c\n1,2,3\n"},
		{"addresses", "address 1\n0 1 4096 R\n"},
		{"json", `{"traceEvents": [{"name": "read", "ts": 1}]}`},
		{"elf", "\x7fELF\x02\x01"},
		{"blktrace", "\x07ave\x00\x00"},
		{"binary", strings.Repeat("\x00\xff\x01\n", 999)},
		{"version", "fscalls 2\n0 0 open /a\n"},
		{"iolog1", "fio version 1 iolog\n"},
		{"iolog9", "fio version 9 iolog\n/a open\n"},
		{"iologwait", "fio version 3 iolog\n0 /a wait 5\n"},
		{"iologwaits", "fio version 2 iolog\n/a wait soon\n"},
		{"utf16", "\xff\xfe1\x00"},
		{"utf16big", "\xfe\xff\x001"},
		{"iologshort", "fio version 2 iolog\n/a read 5\n"},
		{"words", "fscalls 1\n0 0 open\n0 0 read /a 1 2 d 3\n"},
		{"time", "fscalls 1\nnoon 0 open /a\n-5 0 open /a\n99999999999999999999 0 open /a\n"},
		{"op", "fscalls 1\n0 0 link /a\n"},
		{"offset", "fscalls 1\n0 0 read /a -1 5\n0 0 read /a 0x10 5\n0 0 read /a 99999999999999999999 5\n"},
		{"length", "fscalls 1\n0 0 read /a 5\n0 0 truncate /a\n0 0 write /a 0 -7\n"},
		{"flags", "fscalls 1\n0 0 write /a 0 5 x\n0 0 write /a 0 5 r101\n0 0 write /a 0 5 d,,s\n"},
		{"rename", "fscalls 1\n0 0 rename /a\n"},
		{"through", "fscalls 1\n0 0 read /a 0 5\n0 0 read /a/b 0 5\n"},
		{"late", "fscalls 1\n0 0 create /a\n- - dir /a\n"},
		{"many", "fscalls 1\n" + strings.Repeat("0 0 link /a\n", 50)},
		{"huge", "fscalls 1\n0 0 read /a 34359738367 1\n0 0 read /b 34359738367 1\n"},
		{"beyond", "fscalls 1\n0 0 read /a 34359738368 1\n0 0 write /b 9223372036854775807 9223372036854775807\n"},
		{"onlyfailed", "7 1716900000.1 open(\"/a\", O_RDONLY) = -1 ENOENT (No such file)\n7 1716900000.2 mmap(NULL, 1) = 0x5\n"},
		{"onlydiscards", "  8,0    3        1     0.000000000   697  Q   D 223490 + 8 [x]\n"},
		{"msr", "128166372003061629,hm,1,Read,383496192,32768,113736\n128166372003061629,hm,1,Trim,383496192,32768,113736\n128166372003061629,hm,1,Write,-5,32768,1\n"},
		{"spc", "0,20941264,8192,W,0.551706\n0,20941264,8192,X,0.551706\n0,20941264,8192,W,noon\n"},
		{"blockscreate", "fscalls 1\nblocks\n0 0 create /a\n"},
		{"blockslate", "fscalls 1\n0 0 write /a 0 5\nblocks\n"},
	} {
		_, err := Read(c.name, strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s is taken", c.name)
			continue
		}
		fmt.Fprintf(&all, "%v\n\n", err)
	}
	golden.Compare(t, "testdata/errors.golden", []byte(all.String()))
	_, err := Read("x", strings.NewReader("hello"))
	if !errors.As(err, new(*NotTraceError)) {
		t.Errorf("%v is no NotTraceError", err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(bytes.Repeat([]byte("fscalls 1\n0 0 open /a\n"), 999))
	_ = w.Close()
	if _, err := Read("x", bytes.NewReader(z.Bytes()[:z.Len()-9])); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("half a compressed file: %v", err)
	}
}

// What strace prints of one process, or two, is read as it is meant.
func TestStrace(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		left       []load.Count
	}{
		"-T and -y": {
			text: `1 1.0 openat(AT_FDCWD</h>, "a", O_RDONLY) = 3</h/a> <0.000012>
1 1.0 read(3</h/a>, "x"..., 4096) = 4096 <0.000010>
1 1.0 close(3</h/a>) = 0 <0.000005>
1 1.0 unlink("/h/a") = 0 <0.000100>`,
			want: "- - dir /1\n- - file /1/2 - 4096\n0 0 open /1/2\n0 0 read /1/2 0 4096\n0 0 close /1/2\n0 0 unlink /1/2\n",
		},
		"-T without -y": {
			text: "1 1.0 open(\"/a\", O_RDONLY) = 3 <0.000012>\n1 1.0 read(3, \"x\", 4096) = 7 <0.000010>",
			want: "- - file /1 - 7\n0 0 open /1\n0 0 read /1 0 7\n",
		},
		"-yy": {
			text: `1 1.0 open("/a", O_RDONLY) = 3</a>
1 1.0 dup2(4</dev/null<char 1:3>>, 1<pipe:[405910]>) = 1</dev/null<char 1:3>>
1 1.0 read(5<TCP:[127.0.0.1:1->127.0.0.1:2]>, "x", 1) = 1`,
			want: "- - file /1 - 0\n0 0 open /1\n",
			left: []load.Count{{What: "calls of devices, pipes, sockets and the like", N: 2}},
		},
		"names": {
			text: `1 1.0 openat(AT_FDCWD</h>, "a>b <c\"q\\t\303\251,)-", O_RDONLY) = 3</h/a\76b \74c\"q\\t\303\251,)-> <0.1>
1 1.0 read(3</h/a\76b \74c\"q\\t\303\251,)->, "x", 9) = 9
1 1.0 rename("a>b <c\"q\\t\xc3\xa9,)-", "z\n") = 0
1 1.0 stat("/h/z\12", {st_mode=S_IFREG|0644, st_size=9, ...}) = 0
1 1.0 unlink("/h/z\012") = 0`,
			want: "- - dir /1\n- - file /1/2 - 9\n0 0 open /1/2\n0 0 read /1/2 0 9\n0 0 rename /1/2 /1/2.1\n0 0 stat /1/2.1\n0 0 unlink /1/2.1\n",
		},
		"deleted": {
			text: `1 1.0 openat(AT_FDCWD</h>, "a", O_RDONLY) = 3</h/a>
1 1.0 unlink("a") = 0
1 1.0 read(3</h/a>(deleted), "x", 9) = 9
1 1.0 read(3</h/a (deleted)>, "x", 9) = 9`,
			want: "- - dir /1\n- - file /1/2 - 0\n0 0 open /1/2\n0 0 unlink /1/2\n",
			left: []load.Count{{What: "accesses of files that are removed and still open", N: 2}},
		},
		"numbers": {
			text: `1 1.0 open("/a", O_RDWR) = 3</a>
1 1.0 pwrite64(3</a>, "x", 1, -5) = 1
1 1.0 pread64(3</a>, "x", 1, 18446744073709551611) = 1
1 1.0 ftruncate(3</a>, 18446744073709551611) = 0
1 1.0 ftruncate(3</a>, -1) = 0
1 1.0 close(-1) = 0
1 1.0 close(3</a>) = 0`,
			want: "- - file /1 - 0\n0 0 open /1\n0 0 close /1\n",
			left: []load.Count{{What: noNumber, N: 4}},
		},
		"a database that is there": {
			text: `1 1.0 openat(AT_FDCWD</h>, "db", O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC, 0644) = 3</h/db>
1 1.0 fstat(3</h/db>, {st_mode=S_IFREG|0644, st_size=8192, ...}) = 0
1 1.0 pread64(3</h/db>, "SQLite"..., 100, 0) = 100
1 1.0 pread64(3</h/db>, ""..., 4096, 4096) = 4096`,
			want: "- - dir /1\n- - file /1/2 - 8192\n0 0 open /1/2\n0 0 stat /1/2\n0 0 read /1/2 0 100\n0 0 read /1/2 4096 4096\n",
		},
		"a database whose data prove it": {
			text: `1 1.0 open("/db", O_RDWR|O_CREAT, 0644) = 3</db>
1 1.0 pread64(3</db>, ""..., 4096, 4096) = 4096`,
			want: "- - file /1 - 8192\n0 0 open /1\n0 0 read /1 4096 4096\n",
		},
		"a new database": {
			text: `1 1.0 open("/db", O_RDWR|O_CREAT, 0644) = 3</db>
1 1.0 fstat(3</db>, {st_mode=S_IFREG|0644, st_size=0, ...}) = 0
1 1.0 pwrite64(3</db>, ""..., 4096, 0) = 4096
2 1.0 open("/db", O_RDWR|O_CREAT, 0644) = 3</db>
2 1.0 fstat(3</db>, {st_mode=S_IFREG|0644, st_size=4096, ...}) = 0`,
			want: "0 0 create /1\n0 0 stat /1\n0 0 write /1 0 4096\n0 1 open /1\n0 1 stat /1\n",
		},
		"a log that is there": {
			text: `1 1.0 open("/log", O_WRONLY|O_CREAT|O_APPEND, 0644) = 3</log>
1 1.0 write(3</log>, "line", 5) = 5
1 1.0 fstat(3</log>, {st_mode=S_IFREG|0644, st_size=1000005, ...}) = 0`,
			want: "- - file /1 - 1000000\n0 0 open /1\n0 0 write /1 - 5 a\n0 0 stat /1\n",
		},
		"a new log": {
			text: `1 1.0 open("/log", O_WRONLY|O_CREAT|O_APPEND, 0644) = 3</log>
1 1.0 lseek(3</log>, 0, SEEK_END) = 0
1 1.0 write(3</log>, "line", 5) = 5`,
			want: "0 0 create /1\n0 0 write /1 - 5 a\n",
		},
		"seeks": {
			text: `1 1.0 open("/a", O_RDWR) = 3
1 1.0 lseek(3, 0, SEEK_END) = 5000
1 1.0 write(3, "x", 10) = 10
1 1.0 _llseek(3, 100, [100], SEEK_SET) = 0
1 1.0 read(3, "x", 10) = 10`,
			want: "- - file /1 - 5000\n0 0 open /1\n0 0 write /1 5000 10\n0 0 read /1 100 10\n",
		},
		"removed and made again": {
			text: `1 1.0 unlink("/a") = 0
1 1.0 open("/a", O_WRONLY|O_CREAT, 0644) = 3</a>
1 1.0 mkdir("/d") = 0
1 1.0 open("/d/b", O_WRONLY|O_CREAT, 0644) = 4</d/b>`,
			want: "- - file /1 - 0\n0 0 unlink /1\n0 0 create /1\n0 0 mkdir /2\n0 0 create /2/3\n",
		},
		"renamed and made again": {
			text: `1 1.0 rename("/a", "/a~") = 0
1 1.0 open("/a", O_WRONLY|O_CREAT, 0644) = 3</a>
1 1.0 unlink("/a~") = 0
1 1.0 open("/a~", O_WRONLY|O_CREAT, 0644) = 4</a~>`,
			want: "- - file /1 - 0\n0 0 rename /1 /1.1\n0 0 create /2\n0 0 unlink /1.1\n0 0 create /1.1\n",
		},
		"a close that another thread overtakes": {
			text: `1 1.0 open("/a", O_RDONLY) = 3</a>
1 1.0 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2
1 1.1 close(3</a> <unfinished ...>
2 1.2 open("/b", O_RDONLY) = 3
1 1.3 <... close resumed>) = 0
2 1.4 read(3, "x", 9) = 9
2 1.5 close(3) = 0`,
			want: "- - file /1 - 0\n- - file /2 - 9\n0 0 open /1\n100000 0 close /1\n200000 1 open /2\n400000 1 read /2 0 9\n500000 1 close /2\n",
		},
	} {
		r, err := Read(name, strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sound(t, r)
		_, got, _ := strings.Cut(encode(t, r), "flags\n")
		if got != c.want || !slices.Equal(r.Unmatched, c.left) {
			t.Errorf("%s:\n%s\nwant\n%s\nleft out are %v, not %v", name, got, c.want, r.Unmatched, c.left)
		}
	}
}

// TestWaits: the time before a call that a thread spends in calls that wait for others is said of it: whole or interrupted, of a parent,
// of a lock, and of a thread that was not there; what else a thread does between its calls is its own. Written and read again it is the
// same.
func TestWaits(t *testing.T) {
	const text = `7 1716900000.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3
7 1716900000.000100 clone(child_stack=NULL, flags=SIGCHLD) = 8
7 1716900000.001000 wait4(-1,  <unfinished ...>
8 1716900000.002000 fsync(3) = 0
8 1716900000.002500 futex(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL) = -1 EAGAIN (Resource temporarily unavailable)
8 1716900000.002600 getpid() = 8
8 1716900000.004000 read(3, "x", 100) = 100
8 1716900000.005000 +++ exited with 0 +++
7 1716900000.005100 <... wait4 resumed>[{WIFEXITED(s)}], 0, NULL) = 8
7 1716900000.005200 nanosleep({tv_sec=0, tv_nsec=1000000}, NULL) = 0
7 1716900000.006300 clone(child_stack=NULL, flags=SIGCHLD) = 9
7 1716900000.006400 poll([{fd=9}], 1, -1) = 1
7 1716900000.006900 poll([{fd=9}], 1, -1) = 1 <0.000070>
7 1716900000.007000 fsync(3) = 0
9 1716900000.007500 stat("/a", {st_mode=S_IFREG|0644, st_size=5, ...}) = 0
`
	waits := func(r *load.Recording) (list [][]unit.Time) {
		for _, calls := range r.Threads {
			var of []unit.Time
			for _, c := range calls {
				of = append(of, c.Waits/unit.Microsecond)
			}
			list = append(list, of)
		}
		return list
	}
	r, err := Read("log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]unit.Time{{0, 4100 + 500 + 70}, {0, 100, 3500}} // process 9 makes its calls behind those of 8
	if got := waits(r); !reflect.DeepEqual(got, want) {
		t.Errorf("threads wait %v µs before their calls, want %v", got, want)
	}
	var own strings.Builder
	if err := Encode(&own, r); err != nil {
		t.Fatal(err)
	}
	again, err := Read("own", strings.NewReader(own.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := waits(again); !reflect.DeepEqual(got, want) {
		t.Errorf("written and read again they wait %v µs, want %v:\n%s", got, want, own.String())
	}
}

// A file that is made with the name of another, which has one of its own now, says so: until that is
// removed, or the name is somebody else's.
func TestMadeInstead(t *testing.T) {
	r, err := Read("saving", strings.NewReader(`1 1.0 rename("/a", "/a~") = 0
1 1.0 open("/a", O_WRONLY|O_CREAT, 0644) = 3</a>
1 1.0 rename("/b", "/b~") = 0
1 1.0 unlink("/b~") = 0
1 1.0 open("/b", O_WRONLY|O_CREAT, 0644) = 3</b>
1 1.0 rename("/c", "/c~") = 0
1 1.0 rename("/a", "/c") = 0
1 1.0 open("/c", O_WRONLY|O_TRUNC|O_CREAT, 0644) = 3</c>`))
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	var over []int32
	for _, c := range r.Threads[0] {
		if c.Code == call.Create {
			over = append(over, c.Over)
		}
	}
	if want := []int32{1, 0}; !slices.Equal(over, want) {
		t.Errorf("made instead of %v, want %v", over, want)
	}
}

// What is too much is counted, and memory does not grow with it.
func TestLimits(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"threads":   func(i int) string { return fmt.Sprintf("%d %d open /a\n", i, i) },
		"processes": func(i int) string { return fmt.Sprintf("%d 1.%06d open(\"/a\", O_RDONLY) = %d\n", i, i, i%70000) },
		"forks": func(i int) string {
			return fmt.Sprintf("%d 1.0 dup2(3</a>, %d) = %d\n%d 1.0 fork() = %d\n1 1.0 open(\"/a\", 0) = 3\n", i, i%65000, i%65000, i, i+1)
		},
		"kinds": func(i int) string { return fmt.Sprintf("1 1.0 link%d(\"/a\") = 0\n1 1.0 open(\"/a\", 0) = 3\n", i) },
		"pending": func(i int) string {
			return fmt.Sprintf("%d 1.0 write(3</a>, \"%s <unfinished ...>\n1 1.0 open(\"/a\", 0) = 3\n", i, strings.Repeat("x", 300))
		},
		"depth": func(i int) string {
			return fmt.Sprintf("1 1.0 chdir(\"d\") = 0\n1 1.0 open(\"a%d\", O_CREAT) = 3\n", i)
		},
	} {
		var b strings.Builder
		if name == "threads" {
			b.WriteString("fscalls 1\n")
		}
		for i := range 20_000 {
			b.WriteString(text(i))
		}
		start := time.Now()
		r, err := Read(name, strings.NewReader(b.String()))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.Threads) > load.MaxThreads || len(r.Unmatched) > maxKinds+1 || int(r.Most) > load.MaxNodes {
			t.Errorf("%s: %d threads, %d nodes, %v", name, len(r.Threads), r.Most, r.Unmatched)
		}
		t.Logf("%s: %v, %d threads, %d nodes, %.300s", name, time.Since(start), len(r.Threads), r.Most, fmt.Sprint(r.Unmatched[:min(len(r.Unmatched), 3)]))
	}
}

func TestLongLines(t *testing.T) {
	text := "1 1.0 open(\"/a\", O_RDONLY) = 3</a>\n1 1.5 write(3</a>, \"" + strings.Repeat("x", 9*maxLine) + "\", 9) = 9\n1 2.0 read(3</a>, \"\", 5) = 5\n"
	r, err := Read("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Threads) != 1 || len(r.Threads[0]) != 2 || len(r.Unmatched) != 1 || r.Threads[0][1].At != unit.Second {
		t.Errorf("%+v %v", r.Threads, r.Unmatched)
	}
}

// Names and contents do not remain.
func TestPrivacy(t *testing.T) {
	data, err := os.ReadFile("testdata/strace.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read("strace.txt", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s%+v", encode(t, r), r)
	for _, secret := range []string{"home", "mail", "From", "a@b", "prog"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q remains", secret)
		}
	}
}

func TestTakes(t *testing.T) {
	if list := Takes(); len(list) != 8 || !strings.Contains(list[0], "strace -f -ttt -y") {
		t.Error(list)
	}
}

func TestDocumentation(t *testing.T) {
	doc, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("testdata/own.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), string(own)) {
		t.Error("FORMAT.md does not show testdata/own.txt as it is")
	}
	for _, op := range ops {
		if !strings.Contains(string(doc), "`"+op+"`") {
			t.Errorf("FORMAT.md says nothing of %s", op)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range samples(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		if r, err := Read("x", bytes.NewReader(data)); err == nil {
			f.Add([]byte(encode(f, r)))
		}
	}
	f.Add([]byte("fscalls 1\n0 0 mkdir /a\n0 0 create /a/b\n0 0 rename /a /c\n0 0 create /a\n0 0 rename /c/b /a\n0 0 rmdir /c\n0 0 write /c/b - 5\n"))
	f.Add([]byte("1 1.0 fork( <unfinished ...>\n2 1.0 open(\"x\", O_CREAT) = 3</y/x>\n1 1.0 <... fork resumed>) = 2\n2 1.0 unlink(\"/y/x\") = 0\n2 1.0 write(3</y/x> (deleted), \"\", 5) = 5\n2 1.0 rename(\"/y\", \"/z\") = 0\n"))
	f.Add([]byte("1 1.0 open(\"/d\", O_CREAT) = 3</d> <0.1>\n2 1.0 stat(\"/d/b\", {st_mode=S_IFREG, st_size=0}) = 0\n1 1.0 fstat(3</d>, {st_mode=S_IFREG, st_size=0}) = 0\n1 1.0 open(\"/e\\76\", O_CREAT) = 4</e\\76>\n1 1.0 close(4 <unfinished ...>\n2 1.0 rename(\"/e\\76\", \"/d\") = 0\n1 1.0 <... close resumed>) = 0\n2 1.0 lseek(3, 0, SEEK_END) = 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read("x", bytes.NewReader(data))
		if err != nil {
			return
		}
		sound(t, r)
		roundTrip(t, r)
	})
}

func BenchmarkStrace(b *testing.B) {
	data, err := os.ReadFile("testdata/strace.txt")
	if err != nil {
		b.Fatal(err)
	}
	data = bytes.Repeat(data, 200)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Read("x", bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}

// Calls that programs live by: what an editor, cp, git and a database ask for comes in as calls
// that cost something, and what is left out weighs.
func TestCallsThatProgramsLiveBy(t *testing.T) {
	const home = "AT_FDCWD</h>, "
	text := strings.Join([]string{
		`1 1.000001 openat(` + home + `"a", O_RDONLY) = 3</h/a>`,
		`1 1.000002 fstat(3</h/a>, {st_mode=S_IFREG|0644, st_size=9000, ...}) = 0`,
		`1 1.000003 openat(` + home + `"t", O_RDWR|O_CREAT|O_EXCL, 0644) = 4</h/t>`,
		`1 1.000004 fallocate(4</h/t>, 0, 0, 4096) = 0`,
		`1 1.000005 copy_file_range(3</h/a>, NULL, 4</h/t>, NULL, 9223372035781033984, 0) = 9000`,
		`1 1.000006 sendfile(4</h/t>, 3</h/a>, [100] => [150], 50) = 50`,
		`1 1.000007 fsync(4</h/t>) = 0`,
		`1 1.000008 rename("/h/t", "/h/a") = 0`,
		`1 1.000009 openat(` + home + `".", O_RDONLY|O_DIRECTORY) = 5</h>`,
		`1 1.000010 fsync(5</h>) = 0`,
		`1 1.000011 link("/h/a", "/h/o") = 0`,
		`1 1.000012 unlink("/h/a") = 0`,
		`1 1.000013 sync() = 0`,
		`1 1.000014 mmap(NULL, 5000, PROT_READ|PROT_WRITE, MAP_SHARED, 4</h/o>, 0) = 0x7f0000000000`,
		`1 1.000015 unlink("/h/o") = 0`,
	}, "\n")
	r, err := Read("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	var got []string
	for _, c := range r.Threads[0] {
		said := fmt.Sprintf("%s %d", ops[c.Code], c.Node)
		switch {
		case c.Over != 0:
			said += fmt.Sprintf(" over %d", c.Over)
		case c.Code == call.Read || c.Code == call.Write:
			said += fmt.Sprintf(" %d+%d", c.Offset, c.Length)
		case c.Code == call.Truncate:
			said += fmt.Sprintf(" to %d", c.Length)
		}
		got = append(got, said)
	}
	want := "open 2, stat 2, create 3, truncate 3 to 4096, read 2 0+9000, write 3 0+9000, read 2 100+50, write 3 9000+50, fsync 3, rename 3 over 2, fsync 1, rename 3, stat 3, fsync 1, fsync 3, unlink 3"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("calls are\n%s, want\n%s", s, want)
	}
	if n := r.LeftOut(); n != 5000 || r.Unmatched[0].What != "mmap of files that is written" {
		t.Errorf("%d bytes are left out: %+v", n, r.Unmatched)
	}
	again := roundTrip(t, r)
	if !slices.EqualFunc(r.Threads, again.Threads, slices.Equal) {
		t.Errorf("read again:\n%+v\n%+v", r.Threads, again.Threads)
	}
}

// Ten thousand calls of a program that saves again and again.
func BenchmarkSaves(b *testing.B) {
	var text strings.Builder
	for i := range 1430 {
		at := fmt.Sprintf("7 17000%05d.", i)
		for k, line := range []string{
			`openat(AT_FDCWD</h>, "t", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4</h/t>`, `write(4</h/t>, "abc"..., 4096) = 4096`, `fsync(4</h/t>) = 0`, `close(4</h/t>) = 0`,
			`rename("/h/t", "/h/a") = 0`, `fsync(5</h>) = 0`, `fdatasync(6</h/log>) = 0`,
		} {
			fmt.Fprintf(&text, "%s%06d %s\n", at, k, line)
		}
	}
	for b.Loop() {
		if _, err := Read("x", strings.NewReader(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
