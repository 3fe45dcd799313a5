package filesys

import (
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// recorded returns the workload of a recording of threads on files of so many bytes.
func recorded(t testing.TB, s *machine.Setup, files int, size int64, threads [][]call.Call) *call.Workload {
	t.Helper()
	r := load.Recording{Name: "recording", Nodes: []call.Node{{Dir: true}}, Threads: threads}
	for range files {
		r.Nodes = append(r.Nodes, call.Node{Size: size})
	}
	r.Most = int32(len(r.Nodes))
	for i, calls := range threads {
		for range calls {
			r.Order = append(r.Order, int32(i))
		}
	}
	w, err := load.Replay(&r, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A recording pays for no benchmark program: 16 threads that stat take what stat takes.
func TestNoBenchmarkProgram(t *testing.T) {
	s := machine.Default()
	s.Scale = 1
	s.Device.Capacity = unit.GiB
	threads := make([][]call.Call, 16)
	for i := range threads {
		for range 100 {
			threads[i] = append(threads[i], call.Call{Code: call.Stat, Node: int32(i + 1)})
		}
	}
	for _, generated := range []bool{false, true} {
		w := recorded(t, &s, 16, 100, threads)
		if w.Generated {
			t.Error("a recording is generated")
		}
		w.Generated = generated
		r, err := Run(w, &s, "ext4", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if thinks := r.Ledger[Thinks] > 0; thinks != generated {
			t.Errorf("generated %v: programs compute %v", generated, r.Ledger[Thinks])
		}
	}
	s = machine.Default()
	if w := recipe(t, "stat", &s); !w.Generated {
		t.Error("a recipe is not generated")
	}
}

// What is not there fails: it is answered and counted, but it is no latency.
func TestFailedCalls(t *testing.T) {
	s := machine.Default()
	read := call.Call{Code: call.Read, Node: 1, Length: 100}
	w := recorded(t, &s, 1, 100, [][]call.Call{{read, {Code: call.Unlink, Node: 1}, read, read}})
	r, err := Run(w, &s, "ext4", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Calls != 4 || r.Failed != 2 || r.Tallies[call.Read].Count != 1 {
		t.Errorf("%d calls, %d failed, %d reads", r.Calls, r.Failed, r.Tallies[call.Read].Count)
	}
}

// Threads with the same file commit together: more of them are answered faster, as those
// with files of their own.
func TestGroupCommit(t *testing.T) {
	s := machine.Default()
	s.Scale = 1
	s.Device.Capacity = unit.GiB
	rate := func(threads int, shared bool) float64 {
		list := make([][]call.Call, threads)
		for i := range list {
			node := int32(1)
			if !shared {
				node += int32(i)
			}
			for range 40 {
				list[i] = append(list[i],
					call.Call{Code: call.Write, Node: node, Flags: call.Append, Length: 4096, Changed: call.Unknown},
					call.Call{Code: call.Fsync, Node: node})
			}
		}
		r, err := Run(recorded(t, &s, threads, 0, list), &s, "ext4", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return float64(r.Calls) / float64(r.Time) * float64(unit.Millisecond)
	}
	one, few, many, own := rate(1, true), rate(16, true), rate(128, true), rate(128, false)
	t.Logf("one file: %.1f, %.1f, %.1f thousand calls a second with 1, 16 and 128 threads; files of their own: %.1f", one, few, many, own)
	if few < 2*one || many < few || many < own/2 {
		t.Errorf("one file: %.1f, %.1f, %.1f thousand calls a second with 1, 16 and 128 threads; files of their own: %.1f", one, few, many, own)
	}
}

// Sums over threads do not overflow: a run that is too long for them is given up.
func TestLongRecording(t *testing.T) {
	s := machine.Default()
	s.OpenLoop = true
	const hour = 3600 * unit.Second
	for threads, refused := range map[int]bool{100: false, 200: true} {
		list := make([][]call.Call, threads)
		for i := range list {
			list[i] = []call.Call{{Code: call.Stat, Node: 1}, {Code: call.Stat, Node: 1, At: 24 * hour}}
		}
		r, err := Run(recorded(t, &s, 1, 100, list), &s, "nova", nil, nil)
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "open_loop off") {
			t.Errorf("%d threads: %v", threads, err)
		}
		if err == nil && (r.Ledger[Thinks] < 0 || r.Ledger[Thinks] > unit.Time(threads)*25*hour) {
			t.Errorf("%d threads think %v", threads, r.Ledger[Thinks])
		}
	}
}

// Files with holes are limited by what memory they take, and a full SSD says what is
// wanted, what is left and why.
func TestFull(t *testing.T) {
	s := machine.Default()
	s.Scale = 1
	s.Device.Capacity = unit.GiB
	var holes []call.Call
	for i := range int32(20) {
		holes = append(holes, call.Call{Code: call.Truncate, Node: i + 1, Length: int64(unit.GiB)})
	}
	write := []call.Call{
		{Code: call.Write, Node: 1, Length: int64(unit.GiB) - 1<<24, Changed: call.Unknown},
		{Code: call.Fsync, Node: 1},
	}
	for want, calls := range map[string][]call.Call{
		"files with holes have more than":                   holes,
		"besides other data and what collection keeps free": write,
	} {
		_, err := Run(recorded(t, &s, 20, 0, [][]call.Call{calls}), &s, "ext4", nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "gc_stop") {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := Run(recorded(t, &s, 20, 0, [][]call.Call{holes[:2]}), &s, "ext4", nil, nil); err != nil {
		t.Errorf("two holes: %v", err)
	}
}

// What the background has begun is counted to its end.
func TestEndOfBackground(t *testing.T) {
	s := machine.Default()
	for _, system := range []string{"ext4", "f2fs", "bytefs"} {
		for _, name := range []string{"fileserver", "create"} {
			w := recipe(t, name, &s)
			m := s.Scaled()
			sys, err := Find(system)
			if err != nil {
				t.Fatal(err)
			}
			r, err := newRun(w, &m, sys, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.play(); err != nil {
				t.Fatal(err)
			}
			for i := range r.clients[r.threads:] {
				c := &r.clients[r.threads:][i]
				if c.phase != sleeps && c.next < len(c.thread.Steps) {
					t.Errorf("%s, %s: actor %d has %d steps left", name, system, i, len(c.thread.Steps)-c.next)
				}
			}
			if len(r.sending) > 0 {
				t.Errorf("%s, %s: %d files are being written", name, system, len(r.sending))
			}
		}
	}
}

// TestWaitsForOthers: what a recording says that a thread waited for others is idle where its times are kept, and no time of the
// program, whatever the system; the rest of a pause is the program's.
func TestWaitsForOthers(t *testing.T) {
	s := machine.Default()
	s.Scale, s.OpenLoop = 1, true
	s.Device.Capacity = unit.GiB
	const ms = unit.Millisecond
	stat := func(at, waits unit.Time) call.Call { return call.Call{Code: call.Stat, Node: 1, At: at, Waits: waits} }
	for _, system := range Systems {
		thinks := func(waits unit.Time) (program, others unit.Time) {
			r, err := Run(recorded(t, &s, 1, 100, [][]call.Call{{stat(0, 0), stat(10*ms, waits), stat(20*ms, 0)}}), &s, system.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r.Ledger[Thinks] - r.Idle, r.Idle
		}
		program, others := thinks(0)
		if others != 0 || program < 19*ms {
			t.Errorf("%s: %v of the program, %v of others", system.Name, program, others)
		}
		if p, o := thinks(4 * ms); o != 4*ms || p != program-4*ms {
			t.Errorf("%s: of 4 ms that it waits %v are idle, and of %v of the program %v are left", system.Name, o, program, p)
		}
		if p, o := thinks(10 * ms); o > 10*ms || p+o != program || p > 10*ms {
			t.Errorf("%s: of a pause in which it waits all the time %v are idle; %v are the program's", system.Name, o, p)
		}
	}
}
