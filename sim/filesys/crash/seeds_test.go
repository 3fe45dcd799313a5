package crash

import (
	"slices"
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/plan"
)

// A seed is a mistake of a file system, made in what is recorded of one without it.
type seed struct {
	name, system string
	change       func(events []plan.Event) []plan.Event
}

// without drops events.
func without(drop func(e *plan.Event) bool) func([]plan.Event) []plan.Event {
	return func(events []plan.Event) []plan.Event {
		return slices.DeleteFunc(events, func(e plan.Event) bool { return drop(&e) })
	}
}

// only keeps some lines of what is appended of a structure.
func only(s plan.Structure, mask func(lines uint64) uint64) func([]plan.Event) []plan.Event {
	return func(events []plan.Event) []plan.Event {
		for i := range events {
			if e := &events[i]; e.Moment == plan.Appended && e.Structure == s {
				e.Lines = mask(e.Lines)
			}
		}
		return without(func(e *plan.Event) bool { return e.Moment == plan.Appended && e.Lines == 0 })(events)
	}
}

// lacks drops what is written of a structure.
func lacks(s plan.Structure) func([]plan.Event) []plan.Event {
	return without(func(e *plan.Event) bool {
		return (e.Moment == plan.Appended || e.Moment == plan.Stored) && e.Structure == s
	})
}

// early has an fsync answered as soon as it is planned.
func early(events []plan.Event) []plan.Event {
	syncs := map[int64]bool{}
	var out []plan.Event
	for i := range events {
		e := events[i]
		if e.Moment == plan.Answered && syncs[e.Call] {
			continue
		}
		if out = append(out, e); e.Moment == plan.Began && (e.Of.Code == call.Fsync || e.Of.Code == call.Fdatasync) {
			syncs[e.Call] = true
			out = append(out, plan.Event{At: e.At, Moment: plan.Answered, Thread: e.Thread, Call: e.Call})
		}
	}
	return out
}

// trims has what an unlink or a truncate gives back trimmed before it is durable.
func trims(events []plan.Event) []plan.Event {
	var out []plan.Event
	trimmed := map[int64][]plan.Event{}
	for _, e := range events {
		if e.Moment == plan.Trimmed {
			trimmed[e.Call] = append(trimmed[e.Call], e)
		}
	}
	for _, e := range events {
		if e.Moment == plan.Trimmed {
			continue
		}
		if out = append(out, e); e.Moment == plan.Joined && e.Call > 0 {
			out = append(out, trimmed[e.Call]...)
			delete(trimmed, e.Call)
		}
	}
	return out
}

// unblocked drops the last block of every commit of Ext4's journal.
func unblocked(events []plan.Event) []plan.Event {
	last, drop := -1, map[int]bool{}
	for i := range events {
		switch e := &events[i]; {
		case e.Moment == plan.Stored && e.Structure == plan.Journal:
			last = i
		case e.Moment == plan.Durable && last >= 0:
			drop[last] = true
		}
	}
	var out []plan.Event
	for i, e := range events {
		if !drop[i] {
			out = append(out, e)
		}
	}
	return out
}

var seeds = []seed{
	{"one of the lines that changed", "bytefs", only(plan.Data, func(l uint64) uint64 { return l & -l })},
	{"no directory entries", "bytefs", lacks(plan.Dentry)},
	{"no inodes", "bytefs", lacks(plan.Inode)},
	{"the line of the size is not written", "bytefs", only(plan.Inode, func(l uint64) uint64 { return l & 0xaaaaaaaaaaaaaaaa })},
	{"the line of the map is not written", "bytefs", only(plan.Inode, func(l uint64) uint64 { return l & 0x5555555555555555 })},
	{"no COMMIT", "bytefs", without(func(e *plan.Event) bool { return e.Moment == plan.Committed })},
	{"data are not written", "bytefs", lacks(plan.Data)},
	{"fsync does not wait", "bytefs", early},
	{"a trim before COMMIT", "bytefs", trims},
	{"no journal", "ext4", lacks(plan.Journal)},
	{"no commit block", "ext4", unblocked},
	{"fsync does not wait", "ext4", early},
	{"no nodes", "f2fs", lacks(plan.Inode)},
	{"no checkpoint pack", "f2fs", lacks(plan.Superblock)},
	{"fsync does not wait", "f2fs", early},
	{"no log entries of writes", "nova", lacks(plan.Pointer)},
	{"no inodes", "nova", lacks(plan.Inode)},
	{"one line of a page", "nova", only(plan.Data, func(l uint64) uint64 { return l & -l })},
	{"no directory entries", "pmfs", lacks(plan.Dentry)},
	{"no inodes", "pmfs", lacks(plan.Inode)},
}

// TestSeededMistakesBreakPromises seeds mistakes into the file systems: what an fsync
// promised is not there then, after some crash of random workloads.
func TestSeededMistakesBreakPromises(t *testing.T) {
	for _, x := range seeds {
		t.Run(x.system+", "+x.name, func(t *testing.T) {
			n, broken := 0, 0
			for seed := range uint64(6) {
				s := small(seed)
				r, err := Record(mix(seed, 300), &s, x.system, 0, 0)
				if err != nil {
					t.Fatal(err)
				}
				r.Events = x.change(r.Events)
				h, err := newHistory(r, &s, Correct)
				if err != nil {
					t.Fatal(err)
				}
				for h.at < len(r.Events) {
					if h.step(); h.at%23 == 0 {
						n++
						if h.report().Broken > 0 {
							broken++
						}
					}
				}
			}
			if t.Logf("promises are broken in %d of %d crashes", broken, n); broken == 0 {
				t.Error("no promise is broken")
			}
		})
	}
}
