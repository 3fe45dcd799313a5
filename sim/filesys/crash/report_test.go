package crash

import (
	"strings"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// A tale is a run made by hand. Node 1 is a directory, 2 a file of two pages.
type tale struct {
	Run
	calls int64
}

func tell(system string) *tale {
	return &tale{Run: Run{System: system, Nodes: []call.Node{{Dir: true}, {Dir: true}, {Parent: 1, Size: 8192}}, Most: 8}}
}

func (r *tale) event(e plan.Event) {
	e.At = unit.Time(len(r.Events)) * unit.Microsecond
	r.Events = append(r.Events, e)
}

// began begins a call and returns its number.
func (r *tale) began(c call.Call) int64 {
	r.calls++
	r.event(plan.Event{Moment: plan.Began, Call: r.calls, Of: c})
	return r.calls
}

func (r *tale) answered(number int64) { r.event(plan.Event{Moment: plan.Answered, Call: number}) }

func (r *tale) joined(number int64, tx, node int32) {
	r.event(plan.Event{Moment: plan.Joined, Call: number, Tx: tx, Of: call.Call{Node: node}})
}

func (r *tale) inode(tx int32) {
	r.event(plan.Event{Moment: plan.Appended, Structure: plan.Inode, Page: 5, Lines: 3, Tx: tx})
}

func (r *tale) placed(node, index, from, page int32) {
	r.event(plan.Event{Moment: plan.Placed, Page: page, Lines: ^uint64(0), Of: call.Call{Node: node, Dir: from, Offset: int64(index)}})
}

func (r *tale) stored(page int32) {
	r.event(plan.Event{Moment: plan.Stored, Structure: plan.Data, Page: page})
}

// cut is the report of a failure at the end.
func (r *tale) cut(t *testing.T) *Report {
	t.Helper()
	s := machine.Default()
	rep, err := Crash(&r.Run, len(r.Events), &s, Correct)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// left is what is left of a node.
func left(rep *Report, node int32) *Lost {
	for i := range rep.Nodes {
		if rep.Nodes[i].Node == node {
			return &rep.Nodes[i]
		}
	}
	return nil
}

func TestCreateIsThereOnceItHasCommitted(t *testing.T) {
	r := tell("bytefs")
	c := r.began(call.Call{Code: call.Create, Node: 3, Dir: 1})
	r.joined(c, 1, 3)
	r.inode(1)
	rep := r.cut(t)
	if l := left(rep, 3); l == nil || !l.Before || l.After || rep.Open != 1 || rep.Thrown != 2 || rep.Applied != 0 || rep.Fates[call.Create][Discarded] != 1 {
		t.Errorf("before COMMIT: %+v of %+v", l, rep)
	}
	r.event(plan.Event{Moment: plan.Committed, Tx: 1})
	rep = r.cut(t)
	if l := left(rep, 3); l != nil || rep.Open != 0 || rep.Applied != 2 || rep.Lines != 2 || rep.Fates[call.Create][Replayed] != 1 || rep.Wrong != 0 {
		t.Errorf("after COMMIT: %+v of %+v", l, rep)
	}
	// The published recovery of 256 MB, of which two lines are in use, at scale.
	if want := loaded / 64; rep.Recovery < want || rep.Recovery > want+2*unit.Microsecond {
		t.Errorf("recovery takes %v; want about %v", rep.Recovery, want)
	}
}

func TestDataNeedTheirInode(t *testing.T) {
	r := tell("bytefs")
	w := r.began(call.Call{Code: call.Write, Node: 2, Offset: 8192, Length: 4096})
	r.answered(w)
	f := r.began(call.Call{Code: call.Fsync, Node: 2})
	r.placed(2, 2, -1, 9)
	r.stored(9)
	rep := r.cut(t)
	if l := left(rep, 2); l == nil || l.Size != 12288 || l.Recovered != 8192 || l.Pages != 1 || l.Missing != 1 || l.Broken || rep.Fates[call.Write][Discarded] != 1 {
		t.Errorf("the page is there, the size is not: %+v of %+v", l, rep)
	}
	r.joined(f, 1, 2)
	r.inode(1)
	r.event(plan.Event{Moment: plan.Committed, Tx: 1})
	if rep := r.cut(t); len(rep.Nodes) != 0 || rep.Promises != 0 {
		t.Errorf("committed: %+v", rep)
	}
	r.answered(f)
	if rep := r.cut(t); len(rep.Nodes) != 0 || rep.Promises != 1 || rep.Broken != 0 {
		t.Errorf("answered: %+v", rep)
	}
}

func TestBrokenPromisesAreSeen(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(r *tale)
	}{
		{"an fsync that does nothing", func(r *tale) {
			r.answered(r.began(call.Call{Code: call.Write, Node: 2, Length: 4096}))
			r.answered(r.began(call.Call{Code: call.Fsync, Node: 2}))
		}},
		{"an fsync before its data", func(r *tale) {
			r.answered(r.began(call.Call{Code: call.Write, Node: 2, Length: 4096}))
			f := r.began(call.Call{Code: call.Fsync, Node: 2})
			r.placed(2, 0, 9, 9)
			r.answered(f)
		}},
		{"a size that is not durable", func(r *tale) {
			r.answered(r.began(call.Call{Code: call.Write, Node: 2, Offset: 8000, Length: 4096}))
			f := r.began(call.Call{Code: call.Fsync, Node: 2})
			r.placed(2, 1, 9, 9)
			r.placed(2, 2, -1, 10)
			r.stored(9)
			r.stored(10)
			r.answered(f)
		}},
		{"a page that is another file's by then", func(r *tale) {
			r.answered(r.began(call.Call{Code: call.Write, Node: 2, Length: 4096}))
			f := r.began(call.Call{Code: call.Fsync, Node: 2})
			r.placed(2, 0, 9, 9)
			r.stored(9)
			r.answered(f)
			u := r.began(call.Call{Code: call.Unlink, Node: 2, Dir: 1}) // not durable
			r.answered(u)
			r.placed(4, 0, -1, 9)
			r.stored(9)
		}},
		{"a page that is trimmed too soon", func(r *tale) {
			r.answered(r.began(call.Call{Code: call.Write, Node: 2, Length: 4096}))
			f := r.began(call.Call{Code: call.Fsync, Node: 2})
			r.placed(2, 0, 9, 9)
			r.stored(9)
			r.answered(f)
			r.began(call.Call{Code: call.Unlink, Node: 2, Dir: 1})
			r.event(plan.Event{Moment: plan.Trimmed, Page: 9})
		}},
	} {
		r := tell("ext4")
		c.make(r)
		if rep := r.cut(t); rep.Broken != 1 || rep.Promises != 1 || rep.Nodes[0].Node != 2 || !rep.Nodes[0].Broken {
			t.Errorf("%s: %+v", c.name, rep)
		}
	}
}

func TestWhatNothingPromisedMayBeLost(t *testing.T) {
	r := tell("ext4")
	r.answered(r.began(call.Call{Code: call.Mkdir, Node: 3, Dir: 0}))
	m := r.began(call.Call{Code: call.Rename, Node: 2, Dir: 3})
	r.joined(m, 7, 3)
	r.joined(m, 7, 2)
	r.answered(m)
	w := r.began(call.Call{Code: call.Write, Node: 2, Length: 8192})
	r.placed(2, 0, 8, 8)
	r.placed(2, 1, 9, 9)
	r.stored(8)
	r.answered(w)
	rep := r.cut(t)
	if l := left(rep, 2); l == nil || !l.Moved || l.Missing != 1 || l.Pages != 2 || rep.Broken != 0 || rep.Promises != 0 || rep.Fates[call.Write][Torn] != 1 || rep.Fates[call.Rename][Discarded] != 1 || rep.Open != 1 {
		t.Errorf("%+v of %+v", l, rep)
	}
	r.event(plan.Event{Moment: plan.Durable, Tx: 7})
	if rep := r.cut(t); left(rep, 3) != nil || left(rep, 2).Moved || rep.Fates[call.Rename][Replayed] != 1 || rep.Orphans != 0 {
		t.Errorf("after the commit: %+v", rep)
	}
	// A file that is durable in a directory that is not.
	r = tell("ext4")
	r.began(call.Call{Code: call.Mkdir, Node: 3, Dir: 0})
	c := r.began(call.Call{Code: call.Create, Node: 4, Dir: 3})
	r.joined(c, 1, 4)
	r.event(plan.Event{Moment: plan.Durable, Tx: 1})
	if rep := r.cut(t); rep.Orphans != 1 {
		t.Errorf("a file in no directory: %+v", rep)
	}
}

func TestPMFSIsTorn(t *testing.T) {
	for _, c := range []struct {
		system string
		want   Fate
	}{{"pmfs", Torn}, {"nova", Discarded}, {"bytefs", Discarded}, {"bytefs-dual", Torn}} {
		r := tell(c.system)
		n := r.began(call.Call{Code: call.Create, Node: 3, Dir: 1})
		r.joined(n, 1, 3)
		r.inode(1)
		if rep := r.cut(t); rep.Fates[call.Create][c.want] != 1 {
			t.Errorf("%s: fates of create are %v; want fate %d", c.system, rep.Fates[call.Create], c.want)
		}
	}
}

func TestBefore(t *testing.T) {
	r := tell("pmfs")
	for range 4 {
		r.inode(1)
	}
	for i, want := range []int{0, 1, 2, 3, 4} {
		if got := r.Before(unit.Time(i) * unit.Microsecond); got != want {
			t.Errorf("the first event from %d µs on is %d; want %d", i, got, want)
		}
	}
	if r.Time() != 3*unit.Microsecond || tell("pmfs").Time() != 0 {
		t.Error("the run ends with its last event")
	}
	s := machine.Default()
	r.System = "fat"
	if _, err := Crash(&r.Run, 0, &s, Correct); err == nil || !strings.Contains(err.Error(), `"fat"`) {
		t.Errorf("an unknown system: %v", err)
	}
}
