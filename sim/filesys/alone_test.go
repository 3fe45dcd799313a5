package filesys

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/unit"
)

// pattern returns a generated workload of requests.
func pattern(t testing.TB, name string, s *machine.Setup) *call.Workload {
	t.Helper()
	p, ok := load.FindPattern(name)
	if !ok {
		t.Fatalf("there is no pattern %s", name)
	}
	w, err := load.Requests(p, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// alone runs the SSD by itself.
func alone(t testing.TB, w *call.Workload, s *machine.Setup) *Result {
	t.Helper()
	r, err := Run(w, s, Alone.Name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if broken := laws(s, w, r) + lawsAlone(w, r); broken != "" {
		t.Errorf("%s:%s", w.Name, broken)
	}
	return r
}

// lawsAlone returns what is broken of what holds for an SSD by itself.
func lawsAlone(w *call.Workload, r *Result) string {
	var b strings.Builder
	if r.Calls != w.Calls || r.Failed != 0 {
		b.WriteString("\n\trequests are missing")
	}
	for way, code := range []call.Code{device.Reads: call.Read, device.Writes: call.Write} {
		x, took := &r.Requests.Of[way], unit.Time(0)
		for i := range x.Took {
			if took += x.Took[i]; x.Collecting[i] < 0 || x.Collecting[i] > x.Took[i] {
				b.WriteString("\n\tcollection takes longer than requests")
			}
		}
		if took != r.Tallies[code].Time || x.WorstCollecting > x.Worst {
			b.WriteString("\n\tlatencies are not those of the requests")
		}
	}
	if r.Collecting[device.Writes] > r.Ledger[WritesBlocks] || r.Collecting[device.Reads] > r.Behind[device.Block] {
		b.WriteString("\n\tthreads wait longer for collection than they wait")
	}
	q := r.Requests
	if late := q.Erases - r.Device.Erases; late < 0 || late > int64(len(r.Device.Busy)) || // what is being copied is not erased yet
		q.Least*q.Blocks > q.Erases || q.Most*q.Blocks < q.Erases {
		b.WriteString("\n\tblocks are worn otherwise than they are erased")
	}
	return b.String()
}

// amplified is pages programmed over pages that requests wrote.
func amplified(r *Result) float64 {
	by := r.Device.FlashPrograms
	return float64(by[device.ByHost]+by[device.ByCollection]) / float64(by[device.ByHost])
}

// TestSteadyState: at random the write amplification of the whole SSD, with its history and its
// timed collection, is that of the closed form (see sim/flash), by over-provisioning and for blocks
// of 128 pages; within 5 %, since a channel has only some 140 blocks here. In a row it is 1.
func TestSteadyState(t *testing.T) {
	for i, tt := range []struct {
		spare int64
		want  float64
	}{{70, 7.392}, {150, 3.905}, {280, 2.441}, {500, 1.698}} {
		for k, own := range []bool{false, true} {
			if !effort.Takes(2*i+k, 3) {
				continue
			}
			s := machine.Default()
			s.Device.Spare, s.Device.CollectOwn = tt.spare, own
			r := alone(t, pattern(t, "block-uniform", &s), &s)
			got := amplified(r)
			t.Logf("%d thousandths, own %v: %.3f, closed form %.3f", tt.spare, own, got, tt.want)
			if math.Abs(got-tt.want) > 0.05*tt.want {
				t.Errorf("%d thousandths, own %v: %.3f; the closed form is %.3f", tt.spare, own, got, tt.want)
			}
		}
	}
	s := machine.Default()
	if got := amplified(alone(t, pattern(t, "block-sequential", &s), &s)); got != 1 {
		t.Errorf("in a row: %v", got)
	}
}

// TestToldApart: hot and cold data amplify less where they are told apart, whoever tells, and that
// shows in what requests wait for.
func TestToldApart(t *testing.T) {
	run := func(change func(*machine.Device)) *Result {
		s := machine.Default()
		change(&s.Device)
		return alone(t, pattern(t, "block-hot-cold", &s), &s)
	}
	shared := run(func(*machine.Device) {})
	for name, r := range map[string]*Result{
		"own":  run(func(d *machine.Device) { d.CollectOwn = true }),
		"told": run(func(d *machine.Device) { d.Streams = 2 }),
		"heat": run(func(d *machine.Device) { d.Streams, d.StreamsBy = 2, machine.ByHeat }),
	} {
		t.Logf("%s: %.2f and %v, shared %.2f and %v", name, amplified(r), r.Time, amplified(shared), shared.Time)
		if amplified(r) > 0.8*amplified(shared) || r.Time > shared.Time*8/10 {
			t.Errorf("%s: %.2f and %v; shared %.2f and %v", name, amplified(r), r.Time, amplified(shared), shared.Time)
		}
	}
}

// TestWaitsForCollection: of the time of writes at random most goes by in waiting for collection;
// where nothing has to be collected nothing does, and the rest is what is left.
func TestWaitsForCollection(t *testing.T) {
	s := machine.Default()
	w := pattern(t, "block-uniform", &s)
	r := alone(t, w, &s)
	share := float64(r.Collecting[device.Writes]) / float64(r.Ledger[WritesBlocks])
	s.Device.Spare, s.Device.History = 4000, machine.Empty
	free := alone(t, w, &s)
	if free.Device.Erases != 0 || free.Collecting != [device.Directions]unit.Time{} || free.Requests.Of[device.Writes].Beyond(0) != 0 {
		t.Fatalf("without collection %d blocks are erased, and requests wait %v", free.Device.Erases, free.Collecting)
	}
	without := 1 - float64(free.Time)/float64(r.Time)
	t.Logf("%.3f of the time is collection; without it the run is shorter by %.3f", share, without)
	if math.Abs(share-without) > 0.1 {
		t.Errorf("%.3f of the time is said to be collection; without it the run is shorter by %.3f", share, without)
	}
}

// one makes a workload of some requests of a device.
func one(depth int, size int64, calls ...call.Call) (*call.Workload, *machine.Setup) {
	s := machine.Default()
	s.Scale, s.Device.Capacity, s.Device.Room, s.Device.Depth, s.Device.History = 1, unit.GiB, unit.Bytes(size), int64(depth), machine.Filled
	rec := &load.Recording{Blocks: true, Nodes: []call.Node{{Parent: -1, Dir: true}, {Size: size}}, Most: 2, Threads: [][]call.Call{calls}, Order: make([]int32, len(calls))}
	w, err := load.Replay(rec, &s)
	if err != nil {
		panic(err)
	}
	return w, &s
}

// TestOneRequest: what a request takes on an idle SSD is the sum of its parts.
func TestOneRequest(t *testing.T) {
	const size = 64 * unit.MiB
	d := machine.Default().Device
	command := d.Submit + d.Firmware + d.Complete
	for name, tt := range map[string]struct {
		of   call.Call
		want unit.Time
	}{
		"read":           {call.Call{Code: call.Read, Node: 1, Length: 4096}, command + d.Read + d.Transfer},
		"read of a part": {call.Call{Code: call.Read, Node: 1, Offset: 512, Length: 512}, command + d.Read + d.Transfer},
		"write":          {call.Call{Code: call.Write, Node: 1, Length: 4096}, command + d.Transfer},
		"flush":          {call.Call{Code: call.Fdatasync, Node: 1}, 0},
	} {
		w, s := one(1, int64(size), tt.of)
		if r := alone(t, w, s); r.Time != tt.want {
			t.Errorf("%s: %v, want %v", name, r.Time, tt.want)
		}
	}
	// Of a part of a page the rest is read; then it is programmed.
	w, s := one(1, int64(size), call.Call{Code: call.Write, Node: 1, Offset: 512, Length: 1024})
	if r := alone(t, w, s); r.Device.FlashReads[device.ByHost] != 1 || r.Device.FlashPrograms[device.ByHost] != 1 {
		t.Errorf("a write of a part: %+v", r.Device)
	}
	// What was discarded is read without flash.
	w, s = one(1, int64(size), call.Call{Code: call.Truncate, Node: 1, Length: 8192}, call.Call{Code: call.Read, Node: 1, Length: 8192})
	if r := alone(t, w, s); r.Device.FlashReads[device.ByHost] != 0 {
		t.Errorf("a read of what was discarded: %+v", r.Device.FlashReads)
	}
}

// TestOpenLoop: a request that comes while all places of the queue are taken waits from its time on.
func TestOpenLoop(t *testing.T) {
	at := 10 * unit.Microsecond
	calls := []call.Call{{Code: call.Read, Node: 1, Length: 4096}, {Code: call.Read, Node: 1, Length: 4096, At: at}}
	w, s := one(1, 64<<20, calls...)
	alone(t, w, s)
	s.OpenLoop = true
	w, err := load.Replay(&load.Recording{Blocks: true, Nodes: w.Nodes, Most: 2, Threads: [][]call.Call{calls}, Order: []int32{0, 0}}, s)
	if err != nil {
		t.Fatal(err)
	}
	r := alone(t, w, s)
	if want := r.Time - at; r.Longest != want {
		t.Errorf("the second read takes %v; it comes at %v and is answered at %v", r.Longest, at, r.Time)
	}
}

// TestUnfit: file systems do not take requests, nor the SSD alone calls.
func TestUnfit(t *testing.T) {
	s := machine.Default()
	s.Scale = 256
	for i := range Systems {
		_, err := Run(pattern(t, "block-uniform", &s), &s, Systems[i].Name, nil, nil)
		if unfit := new(UnfitError); !errors.As(err, &unfit) || !strings.Contains(err.Error(), "system=raw") {
			t.Errorf("%s: %v", Systems[i].Name, err)
		}
	}
	_, err := Run(recipe(t, "create", &s), &s, Alone.Name, nil, nil)
	if unfit := new(UnfitError); !errors.As(err, &unfit) || !strings.Contains(err.Error(), "choose a file system") {
		t.Errorf("the SSD alone: %v", err)
	}
}

// TestRandomAlone: laws hold, twice the same, on random machines and requests; and with all times
// doubled everything takes exactly twice as long.
func TestRandomAlone(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := randomSetup(r)
		d := &s.Device
		s.OpenLoop = false
		d.Capacity = unit.Bytes(1+r.Int64N(64)) * unit.MiB
		d.Capacity = max(d.Capacity, 8*unit.Bytes(d.Channels*d.Pages)*unit.Page)
		d.Spare, d.Depth = pick[int64](r, 20, 70, 500), pick[int64](r, 1, 4, 64)
		d.Streams, d.CollectOwn, d.StreamsBy = pick[int64](r, 1, 2, 8), r.IntN(2) == 0, pick(r, machine.Told, machine.ByHeat)
		d.History = pick(r, machine.Empty, machine.Filled, machine.Scattered, machine.ByItself)
		d.Frontier = pick(r, machine.Striped, machine.Striped, machine.OneBlock)
		p := load.Patterns()[r.IntN(3)]
		p.Requests, p.Reads, p.Size = 200+r.Int64N(4000), pick[int64](r, 0, 30, 100), unit.Bytes(pick[int64](r, 512, 4096, 12288))
		w, err := load.Requests(&p, &s)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := runOf(w, &s, &Alone, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if broken := laws(&s, w, got) + lawsAlone(w, got); broken != "" {
			t.Errorf("seed %d, %+v:%s", seed, p, broken)
		}
		again, err := runOf(w, &s, &Alone, &Watch{Span: func(Span) {}, Called: func(Called) {}, Flash: func(int32, unit.Time, unit.Time) {}})
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("seed %d: another result when it is watched: %v", seed, err)
		}
		for _, x := range []*unit.Time{&d.Read, &d.Program, &d.Erase, &d.Submit, &d.Firmware, &d.Transfer, &d.Complete} {
			*x *= 2
		}
		if twice, err := runOf(w, &s, &Alone, nil); err != nil || twice.Time != 2*got.Time || twice.Device.Erases != got.Device.Erases || twice.Collecting[device.Writes] != 2*got.Collecting[device.Writes] {
			t.Errorf("seed %d: with times doubled %v, not twice %v: %v", seed, twice.Time, got.Time, err)
		}
	}
}
