package filesys

import (
	"spillway/sim/filesys/call"
	"spillway/sim/filesys/device"
	"spillway/sim/filesys/host"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// plain is a file system that is as simple as can be and still uses every kind of step:
// metadata are a line of a page for each file, data are blocks, an fsync waits for a
// thread of its own (the actor) that commits for all who wait.
type plain struct {
	h       *host.Host
	table   int32
	freed   []int32
	frames  []plan.Frame
	tx      int32
	waiting []int32
	byBytes bool
}

// plainOf returns a system of it: over blocks only, or over a log.
func plainOf(memory device.Memory) *System {
	return &System{Name: "plain", Title: "Plain", Memory: memory, New: func(h *host.Host) plan.FS {
		f := &plain{h: h, byBytes: memory != device.NoMemory}
		f.table = h.Reserve(len(h.Files)/64 + 1)
		h.Place()
		h.Mounted = append(h.Mounted, f.table)
		return f
	}}
}

func (f *plain) meta(t *plan.Thread, node int32, write bool) {
	page, lines := f.table+node/64, uint64(1)<<(node%64)
	s := plan.Step{Structure: plan.Inode, Page: page, Lines: lines}
	switch {
	case f.byBytes && write:
		s.Kind = plan.ByteWrite
	case f.byBytes:
		s.Kind = plan.ByteRead
	case write:
		s.Kind, s.N = plan.BlockWrite, 1
	default:
		f.h.Meta(t, plan.Inode, page, true)
		return
	}
	t.Add(s)
}

func (f *plain) Plan(t *plan.Thread, c *call.Call, now unit.Time) {
	f.h.Charge(t, c)
	switch c.Code {
	case call.Create, call.Mkdir:
		f.h.Make(c.Node, c.Dir, c.Code == call.Mkdir)
		t.Add(plan.Step{Kind: plan.Hold, Page: c.Dir})
		t.Add(plan.Step{Kind: plan.CPU, For: f.h.Setup.Host.Section})
		f.meta(t, c.Dir, true)
		f.meta(t, c.Node, true)
		t.Add(plan.Step{Kind: plan.Release, Page: c.Dir})
	case call.Unlink, call.Rmdir:
		parent := f.h.Files[c.Node].Parent
		f.freed = f.h.Remove(c.Node, f.freed[:0])
		t.Add(plan.Step{Kind: plan.Hold, Page: parent})
		t.Add(plan.Step{Kind: plan.CPU, For: f.h.Setup.Host.Section})
		t.Add(plan.Step{Kind: plan.Release, Page: parent})
		f.meta(t, c.Node, true)
		for _, page := range f.freed {
			t.Add(plan.Step{Kind: plan.Trim, Page: page, N: 1})
		}
		f.h.Free(f.freed)
	case call.Rename:
		if c.Over != 0 {
			f.freed = f.h.Remove(c.Over, f.freed[:0])
			for _, page := range f.freed {
				t.Add(plan.Step{Kind: plan.Trim, Page: page, N: 1})
			}
			f.h.Free(f.freed)
		}
		f.h.Files[c.Node].Parent = c.Dir
		f.meta(t, c.Node, true)
	case call.Open, call.Stat:
		f.meta(t, c.Node, false)
	case call.Read:
		f.h.Read(t, f, c.Node, c.Offset, c.Length, now)
	case call.Write:
		f.h.Write(t, f, c, now)
		if c.Flags&call.Sync != 0 {
			f.sync(t, c.Node, now)
		}
	case call.Fsync, call.Fdatasync:
		f.sync(t, c.Node, now)
	case call.Truncate:
		f.freed = f.h.Resize(c.Node, c.Length, f.freed[:0])
		f.h.Free(f.freed)
		f.meta(t, c.Node, true)
	}
}

func (f *plain) sync(t *plan.Thread, node int32, now unit.Time) {
	f.frames = f.h.Dirty(node, f.frames[:0])
	f.WriteBack(t, f.frames, now)
	f.meta(t, node, true)
	t.Add(plan.Step{Kind: plan.Wait, With: node%2 == 0})
}

func (f *plain) WriteBack(t *plan.Thread, frames []plan.Frame, now unit.Time) {
	for i, frame := range frames {
		p := f.h.Page(frame)
		if p.Home == host.None {
			f.freed = f.h.Alloc(1, host.None, f.freed[:0])
			p.Home = f.freed[0]
		}
		t.Add(plan.Step{Kind: plan.BlockWrite, Structure: plan.Data, Page: p.Home, N: 1, With: i+1 < len(frames)})
		f.h.Clean(frame, p.Home)
		f.h.Counts.SentBlocks++
	}
}

func (f *plain) Wait(t *plan.Thread, s *plan.Step, now unit.Time) bool {
	f.waiting = append(f.waiting, t.ID)
	f.h.Env.Start(0, now+5*unit.Microsecond)
	return false
}

func (f *plain) Marked(t *plan.Thread, n plan.Note, now unit.Time) {
	for _, id := range f.waiting[:n.To] {
		f.h.Env.Wake(id, now+unit.Microsecond)
	}
	f.waiting = f.waiting[:copy(f.waiting, f.waiting[n.To:])]
	f.h.Counts.Commits++
}

func (f *plain) Actors() int { return 1 }

func (f *plain) Act(t *plan.Thread, actor int, now unit.Time) {
	if len(f.waiting) == 0 {
		return
	}
	f.tx++
	if f.byBytes {
		t.Add(plan.Step{Kind: plan.Commit, Tx: f.tx})
	} else {
		t.Add(plan.Step{Kind: plan.BlockWrite, Structure: plan.Journal, Page: f.table, N: 1})
	}
	t.Add(plan.Note{To: int32(len(f.waiting))}.Step())
}

func (f *plain) Finish(t *plan.Thread, now unit.Time) {
	f.frames = f.h.Oldest(1<<30, now, f.frames[:0])
	f.WriteBack(t, f.frames, now)
}
