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
	r.event(plan.Event{Moment: plan.Joined, Call: number, Tx: tx, Page: 5, Node: node})
}

// lines writes both lines of a node's inode.
func (r *tale) lines(tx, node int32) {
	r.event(plan.Event{Moment: plan.Appended, Structure: plan.Inode, Page: 5, Lines: 3 << (2 * node), Tx: tx})
}

// entry writes the line of a name.
func (r *tale) entry(tx int32) {
	r.event(plan.Event{Moment: plan.Appended, Structure: plan.Dentry, Page: 6, Lines: 1, Tx: tx})
}

// commits writes so many blocks of Ext4's journal, and says that a transaction is durable.
func (r *tale) commits(tx int32, blocks int) {
	for range blocks {
		r.event(plan.Event{Moment: plan.Stored, Structure: plan.Journal, Page: 20})
	}
	r.event(plan.Event{Moment: plan.Durable, Tx: tx})
}

func (r *tale) placed(node, index, from, page int32) {
	r.event(plan.Event{Moment: plan.Placed, Page: page, Lines: ^uint64(0), Place: plan.Place{Node: node, Index: int32(index), Before: from}})
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
	r.lines(1, 3)
	r.entry(1)
	rep := r.cut(t)
	if l := left(rep, 3); l == nil || !l.Before || l.After || rep.Open != 1 || rep.Thrown != 3 || rep.Applied != 0 || rep.Fates[call.Create][Discarded] != 1 {
		t.Errorf("before COMMIT: %+v of %+v", l, rep)
	}
	r.event(plan.Event{Moment: plan.Committed, Tx: 1})
	rep = r.cut(t)
	if l := left(rep, 3); l != nil || rep.Open != 0 || rep.Applied != 3 || rep.Lines != 3 || rep.Fates[call.Create][Replayed] != 1 || rep.Wrong != 0 {
		t.Errorf("after COMMIT: %+v of %+v", l, rep)
	}
	// The published recovery of 256 MB, of which three lines are in use, at scale.
	if want := loaded / 64; rep.Recovery < want || rep.Recovery > want+3*unit.Microsecond {
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
	r.lines(1, 2)
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
	r.commits(7, 3)
	if rep := r.cut(t); left(rep, 3) != nil || left(rep, 2).Moved || rep.Fates[call.Rename][Replayed] != 1 || rep.Orphans != 0 {
		t.Errorf("after the commit: %+v", rep)
	}
	// A file that is durable in a directory that is not.
	r = tell("ext4")
	r.began(call.Call{Code: call.Mkdir, Node: 3, Dir: 0})
	c := r.began(call.Call{Code: call.Create, Node: 4, Dir: 3})
	r.joined(c, 1, 4)
	r.commits(1, 3)
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
		r.lines(1, 3)
		if rep := r.cut(t); rep.Fates[call.Create][c.want] != 1 {
			t.Errorf("%s: fates of create are %v; want fate %d", c.system, rep.Fates[call.Create], c.want)
		}
	}
}

func TestBefore(t *testing.T) {
	r := tell("pmfs")
	for range 4 {
		r.lines(1, 2)
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

func TestAPageIsThereWithAllItsLines(t *testing.T) {
	for arrived, broken := range map[uint64]int64{0b11111: 0, 0b1: 1, 0b10000: 1, 0: 1} {
		r := tell("bytefs")
		r.answered(r.began(call.Call{Code: call.Write, Node: 2, Length: 300}))
		f := r.began(call.Call{Code: call.Fsync, Node: 2})
		r.event(plan.Event{Moment: plan.Placed, Page: 9, Lines: 0b11111, Place: plan.Place{Node: 2, Before: 9}})
		if arrived != 0 {
			r.event(plan.Event{Moment: plan.Appended, Page: 9, Lines: arrived})
		}
		r.answered(f)
		if rep := r.cut(t); rep.Broken != broken || rep.Promises != 1 || rep.Fates[call.Write][Kept] != 1-broken {
			t.Errorf("5 lines have changed, %#b arrived: %+v", arrived, rep)
		}
	}
}

func TestOthersCommitIsNotEnough(t *testing.T) {
	r := tell("bytefs")
	c := r.began(call.Call{Code: call.Truncate, Node: 2, Length: 100})
	r.joined(c, 1, 2)
	r.lines(1, 2)
	m := r.began(call.Call{Code: call.Rename, Node: 2, Dir: 0})
	r.joined(m, 2, 2)
	r.lines(2, 2)
	r.entry(2)
	r.event(plan.Event{Moment: plan.Committed, Tx: 2})
	rep := r.cut(t)
	if l := left(rep, 2); l == nil || l.Moved || l.Size != 100 || l.Recovered != 8192 || rep.Fates[call.Truncate][Discarded] != 1 || rep.Fates[call.Rename][Replayed] != 1 || rep.Thrown != 2 {
		t.Errorf("a rename has committed and a truncate has not: %+v of %+v", l, rep)
	}
	r.event(plan.Event{Moment: plan.Committed, Tx: 1})
	if rep := r.cut(t); len(rep.Nodes) != 0 || rep.Fates[call.Truncate][Replayed] != 1 {
		t.Errorf("both have committed: %+v", rep)
	}
}

// A promise is kept until the unlink or the truncate after it is durable, whatever is
// made in its place.
func TestPromisesOutliveTheirFile(t *testing.T) {
	for _, c := range []struct {
		name                  string
		code                  call.Code
		again, trimmed, ended bool
		promises, broken      int64
	}{
		{"unlinked", call.Unlink, false, false, false, 1, 0},
		{"unlinked, and a page is gone", call.Unlink, false, true, false, 1, 1},
		{"made again", call.Unlink, true, false, false, 1, 0},
		{"made again, and a page is gone", call.Unlink, true, true, false, 1, 1},
		{"the unlink is durable", call.Unlink, true, true, true, 0, 0},
		{"cut", call.Truncate, false, false, false, 1, 0},
		{"cut, and a page is gone", call.Truncate, false, true, false, 1, 1},
		{"the cut is durable", call.Truncate, false, true, true, 1, 0},
	} {
		r := tell("ext4")
		r.answered(r.began(call.Call{Code: call.Write, Node: 2, Length: 4096}))
		f := r.began(call.Call{Code: call.Fsync, Node: 2})
		r.placed(2, 0, 9, 9)
		r.stored(9)
		r.answered(f)
		u := r.began(call.Call{Code: c.code, Node: 2, Dir: 1})
		r.joined(u, 1, 2)
		r.answered(u)
		if c.again {
			r.answered(r.began(call.Call{Code: call.Create, Node: 2, Dir: 1}))
		}
		if c.ended {
			r.commits(1, 3)
		}
		if c.trimmed {
			r.event(plan.Event{Moment: plan.Trimmed, Page: 9})
		}
		if rep := r.cut(t); rep.Promises != c.promises || rep.Broken != c.broken {
			t.Errorf("%s: %d promises, %d broken; want %d and %d", c.name, rep.Promises, rep.Broken, c.promises, c.broken)
		}
	}
}

func TestACommitIsWholeInTheJournal(t *testing.T) {
	for blocks, durable := range []bool{false, false, false, true, true} {
		r := tell("ext4")
		c := r.began(call.Call{Code: call.Create, Node: 3, Dir: 1})
		r.joined(c, 1, 3)
		r.commits(1, blocks)
		if rep := r.cut(t); (left(rep, 3) == nil) != durable {
			t.Errorf("%d blocks for an inode, its descriptor and the commit block: %+v", blocks, rep)
		}
	}
}
