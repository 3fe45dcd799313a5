package system_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/filesys/system"
	"spillway/sim/filesys/system/bytefs"
	"spillway/sim/filesys/system/nova"
	"spillway/sim/filesys/system/pmfs"
	"spillway/sim/unit"
)

// env is an engine that only listens.
type env struct {
	recording bool
	events    []plan.Event
}

func (*env) Wake(int32, unit.Time) {}
func (*env) Start(int, unit.Time)  {}
func (e *env) Record(v plan.Event) { e.events = append(e.events, v) }
func (e *env) Recording() bool     { return e.recording }
func setup() *machine.Setup {
	s := machine.Default()
	s = s.Scaled()
	s.Payload = machine.Random
	return &s
}

func full(h *host.Host) plan.FS    { return bytefs.New(h, bytefs.Options{Log: true, Select: true}) }
func logOnly(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{Log: true}) }
func own(h *host.Host) plan.FS {
	return bytefs.New(h, bytefs.Options{Log: true, Select: true, Own: true})
}
func dualOnly(h *host.Host) plan.FS { return bytefs.New(h, bytefs.Options{}) }

// tree is a workload with a root, a directory 1 with a file 2 of 10 KB and a file 3 of one
// page, and a directory 4 that is empty. 5 to 9 do not exist.
var tree = &call.Workload{Name: "tree", Threads: 1, Most: 10, Nodes: []call.Node{
	{Dir: true}, {Dir: true}, {Parent: 1, Size: 10000}, {Parent: 1, Size: 4096}, {Dir: true},
}}

var (
	names      = [plan.Structures]string{"data", "superblock", "blocks", "inodes", "inode", "entry", "pointer", "journal"}
	interfaces = [plan.Kinds]string{plan.BlockRead: "read %d pages", plan.BlockWrite: "write %d pages", plan.ByteRead: "load %d", plan.ByteWrite: "store %d", plan.Trim: "trim %d"}
)

// text says what steps do at the device and who is excluded meanwhile.
func text(steps []plan.Step) string {
	var list []string
	for _, s := range steps {
		switch s.Kind {
		case plan.BlockRead, plan.BlockWrite, plan.Trim:
			list = append(list, names[s.Structure]+" "+fmt.Sprintf(interfaces[s.Kind], s.N))
		case plan.ByteRead, plan.ByteWrite:
			list = append(list, names[s.Structure]+" "+fmt.Sprintf(interfaces[s.Kind], bits.OnesCount64(s.Lines)))
		case plan.Commit:
			list = append(list, "commit")
		case plan.Hold:
			list = append(list, "(")
		case plan.Release:
			list = append(list, ")")
		}
	}
	return strings.Join(list, ", ")
}

// warm are calls after which everything that the tests use is in the cache.
var warm = []call.Call{
	{Code: call.Stat, Node: 2}, {Code: call.Stat, Node: 4},
}

const (
	newName   = "( ( ( inode store 2, entry store 1, inode store 1, inodes store 1 ) ) ), commit"
	pmfsPages = "data store 64, pointer store 1, "
)

// The steps of every call, from the rules that the specification gives for each file system.
func TestEveryCallHasTheStepsOfItsRules(t *testing.T) {
	const append8K, whole = 8192, 4096
	for _, v := range []struct {
		name   string
		before []call.Call // besides warm
		call   call.Call
		want   [3]string // of ByteFS, NOVA, PMFS
	}{
		{"open", nil, call.Call{Code: call.Open, Node: 2}, [3]string{
			"", "entry load 2, inode load 2", "inode load 2",
		}},
		{"stat", nil, call.Call{Code: call.Stat, Node: 2}, [3]string{
			"", "entry load 2, inode load 2", "inode load 2",
		}},
		{"close", nil, call.Call{Code: call.Close, Node: 2}, [3]string{}},
		{"create", nil, call.Call{Code: call.Create, Node: 5, Dir: 1}, [3]string{
			newName,
			"inode load 2, inode store 2, ( entry store 2, journal store 2, journal store 1, inode store 2, journal store 1 )",
			"inode load 2, entry load 64, inode store 2, ( entry store 2, inode store 2 )",
		}},
		{"mkdir", nil, call.Call{Code: call.Mkdir, Node: 5, Dir: 1}, [3]string{
			"( ( ( ( inode store 2, entry store 1, entry store 1, inode store 1, inodes store 1, blocks store 1 ) ) ) ), commit",
			"inode load 2, inode store 2, pointer store 1, entry store 2, ( entry store 2, journal store 2, journal store 1, inode store 2, journal store 1 )",
			"inode load 2, entry load 64, inode store 2, entry store 1, ( entry store 2, inode store 2 )",
		}},
		{"unlink", nil, call.Call{Code: call.Unlink, Node: 2, Dir: 1}, [3]string{
			"( ( ( ( entry store 1, inode store 1, inode store 1, inodes store 1, blocks store 1 ) ) ) ), commit, data trim 3",
			"inode load 2, entry load 2, inode store 1, ( ( entry store 2, journal store 2, journal store 1, inode store 2, inode store 2, journal store 1, data trim 3, pointer trim 1 ) )",
			"entry load 64, ( ( entry store 1, inode store 2, inode store 1, inode store 2, data trim 3, pointer trim 1 ) )",
		}},
		{"unlink of an empty file", []call.Call{{Code: call.Create, Node: 5, Dir: 1}}, call.Call{Code: call.Unlink, Node: 5, Dir: 1}, [3]string{
			"( ( ( entry store 1, inode store 1, inode store 1, inodes store 1 ) ) ), commit",
			"inode load 2, entry load 2, pointer store 1, inode store 1, ( ( entry store 2, journal store 2, journal store 1, inode store 2, inode store 2, journal store 1, pointer trim 1 ) )",
			"entry load 64, ( ( entry store 1, inode store 2, inode store 1, inode store 2 ) )",
		}},
		{"rmdir", nil, call.Call{Code: call.Rmdir, Node: 4, Dir: 0}, [3]string{
			"( ( ( ( entry store 1, inode store 1, inode store 1, inodes store 1, blocks store 1 ) ) ) ), commit, entry trim 1",
			"inode load 2, entry load 2, inode store 1, ( ( entry store 2, journal store 2, journal store 1, inode store 2, inode store 2, journal store 1, pointer trim 1 ) )",
			"entry load 64, ( ( entry store 1, inode store 2, inode store 1, inode store 2, entry trim 1 ) )",
		}},
		{"rename within a directory", nil, call.Call{Code: call.Rename, Node: 2, Dir: 1}, [3]string{
			"( entry store 1, inode store 1 ), commit",
			"inode load 2, entry load 2, inode store 1, ( ( entry store 2, entry store 2, journal store 2, journal store 1, inode store 2, inode store 2, journal store 1 ) )",
			"inode load 2, entry load 64, ( ( entry store 2, entry store 1, inode store 2 ) )",
		}},
		{"rename to another directory", nil, call.Call{Code: call.Rename, Node: 2, Dir: 4}, [3]string{
			"( ( entry store 1, inode store 1, entry store 1, inode store 1 ) ), commit",
			"inode load 2, inode load 2, entry load 2, inode store 1, ( ( ( entry store 2, entry store 2, journal store 2, journal store 1, inode store 2, inode store 2, inode store 2, journal store 1 ) ) )",
			"inode load 2, entry load 64, inode load 2, entry load 64, ( ( ( entry store 2, entry store 1, inode store 2, inode store 2 ) ) )",
		}},
		{"read of what is not in the cache", nil, call.Call{Code: call.Read, Node: 2, Length: 10000}, [3]string{
			"data read 3 pages", "inode load 2, data load 64, data load 64, data load 29", "inode load 2, data load 64, data load 64, data load 29",
		}},
		{"read of what is in the cache", []call.Call{{Code: call.Read, Node: 2, Length: 10000}}, call.Call{Code: call.Read, Node: 2, Offset: 100, Length: 100}, [3]string{
			"", "inode load 2, data load 3", "inode load 2, data load 3",
		}},
		{"write of part of a page", nil, call.Call{Code: call.Write, Node: 2, Offset: 64, Length: 128}, [3]string{
			"data read 1 pages",
			"( inode load 2, inode load 1, data load 62, data store 64, pointer store 1, inode store 2, data trim 1 )",
			"( inode load 2, data store 2, inode store 2 )",
		}},
		{"append of two pages to a page", nil, call.Call{Code: call.Write, Node: 3, Flags: call.Append, Length: append8K}, [3]string{
			"",
			"( inode load 2, inode load 1, data store 64, data store 64, pointer store 1, inode store 2 )",
			"( inode load 2, " + pmfsPages + pmfsPages + "inode store 2 )",
		}},
		{"write of a file's first page", []call.Call{{Code: call.Create, Node: 5, Dir: 1}}, call.Call{Code: call.Write, Node: 5, Length: whole}, [3]string{
			"",
			"( inode load 2, inode load 1, data store 64, pointer store 1, pointer store 1, inode store 2 )",
			"( inode load 2, data store 64, inode store 2 )",
		}},
		{"fsync of nothing", nil, call.Call{Code: call.Fsync, Node: 2}, [3]string{}},
		{"fsync of new pages", []call.Call{{Code: call.Write, Node: 3, Flags: call.Append, Length: append8K}}, call.Call{Code: call.Fsync, Node: 3}, [3]string{
			"data write 2 pages, ( ( inode store 2, blocks store 1 ) ), commit", "", "",
		}},
		{"fsync of a larger file without new pages", []call.Call{{Code: call.Write, Node: 2, Offset: 10000, Length: 100}}, call.Call{Code: call.Fdatasync, Node: 2}, [3]string{
			"data store 2, ( inode store 1 ), commit", "", "",
		}},
		{"fsync of seven lines and of eight", []call.Call{{Code: call.Write, Node: 2, Length: 7 * 64}, {Code: call.Write, Node: 2, Offset: 4096, Length: 8 * 64}}, call.Call{Code: call.Fsync, Node: 2}, [3]string{
			"data store 7, data write 1 pages", "", "",
		}},
		{"fsync of what did not change", []call.Call{{Code: call.Write, Node: 2, Length: 64, Changed: -2}}, call.Call{Code: call.Fsync, Node: 2}, [3]string{}},
		{"synchronous write", nil, call.Call{Code: call.Write, Node: 2, Length: 2048, Flags: call.Sync}, [3]string{
			"data read 1 pages, data write 1 pages",
			"( inode load 2, inode load 1, data load 32, data store 64, pointer store 1, inode store 2, data trim 1 )",
			"( inode load 2, data store 32, inode store 2 )",
		}},
		{"small direct write", nil, call.Call{Code: call.Write, Node: 2, Length: 512, Flags: call.Direct}, [3]string{
			"data store 8",
			"( inode load 2, inode load 1, data load 56, data store 64, pointer store 1, inode store 2, data trim 1 )",
			"( inode load 2, data store 8, inode store 2 )",
		}},
		{"direct write of a page, which changes nothing", nil, call.Call{Code: call.Write, Node: 2, Length: whole, Flags: call.Direct, Changed: -2}, [3]string{
			"data write 1 pages",
			"( inode load 2, inode load 1, data store 64, pointer store 1, inode store 2, data trim 1 )",
			"( inode load 2, data store 64, inode store 2 )",
		}},
		{"small direct read", nil, call.Call{Code: call.Read, Node: 2, Length: 512, Flags: call.Direct}, [3]string{
			"data load 8", "inode load 2, data load 8", "inode load 2, data load 8",
		}},
		{"direct read of two pages", nil, call.Call{Code: call.Read, Node: 2, Length: 8192, Flags: call.Direct}, [3]string{
			"data read 2 pages", "inode load 2, data load 64, data load 64", "inode load 2, data load 64, data load 64",
		}},
		{"truncate to a page", nil, call.Call{Code: call.Truncate, Node: 2, Length: whole}, [3]string{
			"( ( inode store 2, blocks store 1 ) ), commit, data trim 2",
			"( inode load 2, inode load 1, inode store 1, inode store 2, data trim 2 )",
			"( inode load 2, inode store 1, inode store 2, data trim 2 )",
		}},
		{"truncate to more", nil, call.Call{Code: call.Truncate, Node: 2, Length: 20000}, [3]string{
			"( inode store 1 ), commit",
			"( inode load 2, inode load 1, inode store 1, inode store 2 )",
			"( inode load 2, inode store 1, inode store 2 )",
		}},
	} {
		for i, make := range []func(*host.Host) plan.FS{full, nova.New, pmfs.New} {
			h := host.New(setup(), tree, 1<<16, &env{})
			fs := make(h)
			thread := &plan.Thread{}
			for _, c := range append(slices.Clone(warm), v.before...) {
				step(h, fs, thread, c)
			}
			step(h, fs, thread, v.call)
			if got := strings.NewReplacer("(, ", "( ", ", )", " )").Replace(text(thread.Steps)); got != v.want[i] {
				t.Errorf("%s of %T\nhas  %s\nwant %s", v.name, fs, got, v.want[i])
			}
		}
	}
}

// step plans a call; Changed −2 is one that changes nothing, 0 leaves it to the setup.
func step(h *host.Host, fs plan.FS, t *plan.Thread, c call.Call) {
	switch c.Changed {
	case 0:
		c.Changed = call.Unknown
	case -2:
		c.Changed = 0
	}
	t.Steps = t.Steps[:0]
	t.Call++
	fs.Plan(t, &c, unit.Time(t.Call))
}

// What is not in the cache is read in blocks, once.
func TestColdMetadataAreReadInBlocks(t *testing.T) {
	h := host.New(setup(), tree, 1<<16, &env{})
	fs, thread := full(h), &plan.Thread{}
	for _, v := range []struct {
		call call.Call
		want string
	}{
		{call.Call{Code: call.Stat, Node: 2}, "entry read 1 pages, inode read 1 pages"},
		{call.Call{Code: call.Stat, Node: 3}, ""},
		{call.Call{Code: call.Stat, Node: 4}, "entry read 1 pages"},
		{call.Call{Code: call.Stat}, ""},
	} {
		step(h, fs, thread, v.call)
		if got := text(thread.Steps); got != v.want {
			t.Errorf("%v has %q, want %q", v.call, got, v.want)
		}
	}
}

// The ablations: always blocks, no COMMIT without the log.
func TestAblations(t *testing.T) {
	for _, v := range []struct {
		make func(*host.Host) plan.FS
		want string
	}{
		{full, "( inode store 1 ), commit"},
		{logOnly, "data write 1 pages, ( inode store 1 ), commit"},
		{dualOnly, "data write 1 pages, ( inode store 1 )"},
	} {
		h := host.New(setup(), tree, 1<<16, &env{})
		fs, thread := v.make(h), &plan.Thread{}
		step(h, fs, thread, call.Call{Code: call.Read, Node: 2, Length: 10000})
		step(h, fs, thread, call.Call{Code: call.Write, Node: 2, Offset: 10000, Length: 64, Changed: -2})
		step(h, fs, thread, call.Call{Code: call.Fsync, Node: 2})
		if got := strings.NewReplacer("(, ", "( ", ", )", " )").Replace(text(thread.Steps)); got != v.want {
			t.Errorf("has %s, want %s", got, v.want)
		}
	}
}

// A fresh page that is compared with zeros gets its place and is not written.
func TestFreshPagesAreComparedWithZeros(t *testing.T) {
	s := setup()
	s.Fresh = true
	h := host.New(s, tree, 1<<16, &env{})
	fs, thread := full(h), &plan.Thread{}
	step(h, fs, thread, call.Call{Code: call.Create, Node: 5, Dir: 1})
	step(h, fs, thread, call.Call{Code: call.Write, Node: 5, Length: 8192, Changed: -2})
	step(h, fs, thread, call.Call{Code: call.Fsync, Node: 5})
	if got, want := text(thread.Steps), "(, (, inode store 2, blocks store 1, ), ), commit"; got != want {
		t.Errorf("fsync has %s, want %s", got, want)
	}
	if h.Counts.SentNothing != 2 {
		t.Errorf("%d pages were not sent; want 2", h.Counts.SentNothing)
	}
}

// The accidents of the artifact that are ByteFS's own.
func TestQuirks(t *testing.T) {
	s := setup()
	s.Quirks = machine.NoData | machine.NoCommit
	h := host.New(s, tree, 1<<16, &env{})
	fs, thread := full(h), &plan.Thread{}
	step(h, fs, thread, call.Call{Code: call.Read, Node: 2, Length: 10000})
	if got := text(thread.Steps); got != "" {
		t.Errorf("read has %q", got)
	}
	step(h, fs, thread, call.Call{Code: call.Write, Node: 3, Flags: call.Append, Length: 4096})
	step(h, fs, thread, call.Call{Code: call.Fsync, Node: 3})
	if got, want := text(thread.Steps), "(, (, inode store 2, blocks store 1, ), )"; got != want {
		t.Errorf("fsync has %q, want %q", got, want)
	}
}

// Linear hashing: with a leaf more, names move to that one only, and from one leaf.
func TestLeaf(t *testing.T) {
	for n := 1; n < 300; n++ {
		from := map[uint32]bool{}
		for node := range int32(3000) {
			was, is := system.Leaf(node, n), system.Leaf(node, n+1)
			if was == is {
				continue
			}
			if from[was] = true; is != uint32(n) {
				t.Fatalf("with leaf %d, node %d moves to %d", n, node, is)
			}
		}
		if len(from) != 1 {
			t.Fatalf("with leaf %d, nodes of %d leaves move", n, len(from))
		}
	}
}
