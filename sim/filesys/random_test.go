package filesys

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/load"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/knob"
	"spillway/sim/unit"
)

// pick returns one of some values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomCalls are threads that call whatever they like, of a few files and directories:
// what is not there, or there already, too.
func randomCalls(r *rand.Rand) *call.Workload {
	w := &call.Workload{Name: "random", Scale: 1, Loads: true, Threads: 1 + r.IntN(pick(r, 2, 12)), Nodes: []call.Node{{Parent: -1, Dir: true}}}
	for i := int32(1); i < 1+r.Int32N(pick[int32](r, 3, 60)); i++ {
		parent := r.Int32N(i)
		for !w.Nodes[parent].Dir {
			parent = r.Int32N(i)
		}
		n := call.Node{Parent: parent, Dir: r.IntN(4) == 0}
		if !n.Dir {
			n.Size = r.Int64N(pick[int64](r, 1, 5000, 200_000))
		}
		w.Nodes = append(w.Nodes, n)
	}
	w.Most = int32(len(w.Nodes)) + r.Int32N(60)
	w.Generated = r.IntN(2) == 0
	per, seed := r.Int64N(pick[int64](r, 1, 20, 300)), r.Uint64()
	w.Calls = per * int64(w.Threads)
	if w.Calls > 0 && r.IntN(3) == 0 {
		w.Warm = r.Int64N(w.Calls)
	}
	w.Start = func() call.Source {
		return &randomSource{r: rand.New(rand.NewPCG(seed, 1)), w: w, left: w.Calls, parked: make([]bool, w.Threads)}
	}
	return w
}

// A randomSource draws calls, parks threads and wakes them.
type randomSource struct {
	r      *rand.Rand
	w      *call.Workload
	left   int64
	parked []bool
	many   int
	woken  []int32
}

func (s *randomSource) Next(thread int32, now unit.Time, c *call.Call) call.State {
	s.woken = s.woken[:0]
	if s.left == 0 || s.r.IntN(5) == 0 {
		for t, is := range s.parked {
			if is {
				s.woken, s.parked[t] = append(s.woken, int32(t)), false
			}
		}
		s.many = 0
	}
	if s.left == 0 {
		return call.Done
	}
	if s.many+1 < s.w.Threads && s.r.IntN(10) == 0 {
		s.many++
		s.parked[thread] = true
		return call.Parked
	}
	s.left--
	r := s.r
	*c = call.Call{
		Code: call.Code(r.IntN(int(call.Codes))), Changed: int16(r.IntN(102) - 1),
		Node: r.Int32N(s.w.Most), Dir: r.Int32N(s.w.Most),
		Offset: r.Int64N(pick[int64](r, 1, 5000, 300_000)), Length: r.Int64N(pick[int64](r, 1, 5000, 300_000)),
	}
	c.Flags = pick(r, 0, 0, 0, call.Direct, call.Sync, call.Append, call.Sync|call.Append, call.Direct|call.Sync)
	if r.IntN(8) == 0 {
		c.Think = unit.Time(r.Int64N(int64(unit.Millisecond)))
	}
	if r.IntN(3) == 0 {
		c.Dir = 0
	}
	if c.Code == call.Rename && r.IntN(2) == 0 {
		c.Over = r.Int32N(s.w.Most)
	}
	if r.IntN(20) == 0 {
		c.At = now + unit.Time(r.Int64N(int64(unit.Millisecond)))
	}
	return call.Ready
}

func (s *randomSource) Woken() []int32 { return s.woken }

// randomSetup is a small machine, so that everything that can happen does.
func randomSetup(r *rand.Rand) machine.Setup {
	s := machine.Default()
	s.Scale, s.Seed, s.OpenLoop = 1, r.Int64N(100), r.IntN(2) == 0
	s.Payload, s.Changed = pick(r, machine.Zeros, machine.Random, machine.Share), r.Int64N(101)
	s.Fresh, s.Ack = r.IntN(2) == 0, pick(r, machine.OnBuffer, machine.OnProgram, machine.AsArtifact)
	d := &s.Device
	d.Channels, d.Pages = pick[int64](r, 1, 2, 8), pick[int64](r, 8, 32)
	d.Capacity = unit.GiB / unit.Bytes(pick(r, 1, 8))
	s.Scale = 1
	d.Read, d.Program = unit.Time(r.IntN(50))*unit.Microsecond, unit.Time(1+r.IntN(80))*unit.Microsecond
	d.Erase = unit.Time(pick(r, 0, 2000)) * unit.Microsecond
	for _, t := range []*unit.Time{&d.Submit, &d.Firmware, &d.Transfer, &d.Complete, &d.LineRead, &d.LineWrite, &d.Persist, &d.Commit} {
		if r.IntN(4) == 0 {
			*t = 0
		}
	}
	d.Buffer = pick[int64](r, 1, 4, 64)
	d.Cache = pick(r, machine.Protected, machine.Protected, machine.Volatile)
	d.DRAM = unit.Bytes(pick(r, 128, 256, 4096)) * unit.KiB
	d.Shared, d.Single, d.ReadsFirst = r.IntN(4) == 0, r.IntN(4) == 0, r.IntN(4) == 0
	d.LogAt = pick[int64](r, 20, 85, 100)
	d.Old = pick[int64](r, 0, 0, 60)
	h := &s.Host
	h.Cores = pick[int64](r, 1, 2, 28)
	h.Cache = unit.Bytes(pick(r, 512, 1024, 65536)) * unit.KiB
	h.MetaShare = 1 + r.Int64N(99)
	for _, t := range []*unit.Time{&h.Generator, &h.Serial, &h.Open, &h.Close, &h.ReadCall, &h.ReadPage, &h.WriteCall, &h.WritePage, &h.Fsync, &h.Section, &h.NamespaceByteFS, &h.NamespaceExt4, &h.NamespaceF2FS, &h.NamespaceNOVA, &h.NamespacePMFS, &h.Handle, &h.Wake, &h.Copy, &h.Duplicate, &h.Compare} {
		if r.IntN(4) == 0 {
			*t = 0
		}
	}
	h.Background = 1 + r.Int64N(20)
	h.Limit = h.Background + r.Int64N(20)
	h.Expire = unit.Time(1+r.IntN(20)) * unit.Millisecond
	h.Commit, h.Checkpoint = unit.Time(1+r.IntN(20))*unit.Millisecond, unit.Time(1+r.IntN(50))*unit.Millisecond
	h.Journal = unit.Bytes(pick(r, 128, 1024)) * unit.KiB
	h.ByteLimit, h.DirectLimit = r.Int64N(66), unit.Bytes(pick(r, 0, 512, 4096))
	if r.IntN(4) == 0 {
		for i := range machine.Quirks {
			if r.IntN(3) == 0 {
				s.Quirks |= 1 << i
			}
		}
	}
	h.InPlace, h.AsIssued, d.CountsEmpty = r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(3) == 0
	s.Loaded = r.IntN(3) == 0
	h.Inline, h.Batch = r.IntN(2) == 0, int64(pick(r, 1, 32, 1024))
	return s
}

// random runs random calls on a system and a random machine, twice, and with somebody who
// watches, and returns what is wrong.
func random(t testing.TB, seed uint64, sys *System) {
	r := rand.New(rand.NewPCG(seed, 0))
	w, s := randomCalls(r), randomSetup(r)
	name := fmt.Sprintf("seed %d on %s", seed, sys.Name)
	var trace strings.Builder
	res, err := runOf(w, &s, sys, nil)
	if err != nil {
		if !strings.Contains(err.Error(), "is full") {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	if broken := laws(&s, w, res); broken != "" {
		t.Errorf("%s:%s", name, broken)
	}
	if w.Warm == 0 && res.Calls != w.Calls {
		t.Errorf("%s: %d calls of %d are answered", name, res.Calls, w.Calls)
	}
	if s.Host.InPlace || s.Host.AsIssued || s.Host.Inline { // of which a run that is recorded does not feel all
		s.Host.InPlace, s.Host.AsIssued, s.Host.Inline = false, false, false
		if res, err = runOf(w, &s, sys, nil); err != nil {
			return // full, for it takes more pages
		}
	}
	began, answered, at := int64(0), int64(0), unit.Time(0)
	watch := &Watch{Record: func(e plan.Event) {
		if e.At < at || e.Moment >= plan.Moments {
			fmt.Fprintf(&trace, "\n\tevent %+v after %d", e, at)
		}
		at = e.At
		switch e.Moment {
		case plan.Began:
			began++
		case plan.Answered:
			answered++
		}
	}}
	again, err := runOf(w, &s, sys, watch)
	if err != nil || !reflect.DeepEqual(res, again) {
		t.Errorf("%s: another result when it is watched: %v", name, err)
	}
	if began != answered {
		t.Errorf("%s: %d calls began, %d are answered", name, began, answered)
	}
	if trace.Len() > 0 {
		t.Errorf("%s:%s", name, trace.String()[:min(400, trace.Len())])
	}
}

// plains are the test's own file system on every memory.
var plains = []*System{plainOf(device.NoMemory), plainOf(device.WriteLog), plainOf(device.PageBuffer)}

func TestRandomPlain(t *testing.T) {
	for seed := range uint64(400) {
		random(t, seed, plains[seed%3])
	}
}

// FuzzRun draws machines and calls from a seed.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		random(t, seed, &Systems[seed%uint64(len(Systems))])
	})
}

func TestRandomSystems(t *testing.T) {
	for seed := range uint64(400) {
		random(t, seed, &Systems[seed%uint64(len(Systems))])
	}
}

// TestRandomKnobs: whatever a form lets one choose runs, or is refused with a reason.
func TestRandomKnobs(t *testing.T) {
	knobs, recipes := machine.Knobs(), load.Recipes()
	ran := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		s := machine.Default()
		s.Scale = 256
		var changed strings.Builder
		for range 1 + r.IntN(6) {
			k := &knobs[r.IntN(len(knobs))]
			switch {
			case k.Key == "scale" || k.Key == "threads":
				continue
			case k.Kind == knob.Many:
				if err := k.Parse(&s, pick(r, k.Sets[0].Key, k.Sets[1].Key, pick(r, k.Choices...).Key+","+pick(r, k.Choices...).Key)); err != nil {
					t.Fatal(err)
				}
			case k.Kind == knob.One:
				if err := k.Parse(&s, pick(r, k.Choices...).Key); err != nil {
					t.Fatal(err)
				}
			default:
				v := pick(r, k.Min, k.Max, k.Min+r.Int64N(k.Max-k.Min+1), min(k.Max, max(k.Min, k.Get(&s)/(1+r.Int64N(20)))), min(k.Max, k.Get(&s)*(1+r.Int64N(20))))
				k.Set(&s, v)
			}
			changed.WriteString(" " + k.Key + "=" + k.Text(&s))
		}
		w, err := load.Generate(&recipes[seed%uint64(len(recipes))], &s)
		if err != nil {
			continue
		}
		res, err := Run(w, &s, Systems[r.IntN(len(Systems))].Name, &Watch{Until: 3000}, nil)
		if err != nil {
			if len(err.Error()) < 40 {
				t.Errorf("seed %d, %s with%s: %v", seed, w.Name, changed.String(), err)
			}
			continue
		}
		ran++
		if broken := laws(&s, w, res); broken != "" {
			t.Errorf("seed %d, %s on %s with%s:%s", seed, w.Name, res.System, changed.String(), broken)
		}
	}
	if ran < 100 {
		t.Errorf("only %d of 200 ran", ran)
	}
}
