package host

import (
	"testing"

	"spillway/sim/filesys/call"
	"spillway/sim/filesys/machine"
	"spillway/sim/filesys/plan"
	"spillway/sim/unit"
)

// writer writes every page back to a page of its own choice.
type writer struct {
	h    *Host
	list []int32
}

func (w *writer) Plan(*plan.Thread, *call.Call, unit.Time)      {}
func (w *writer) Wait(*plan.Thread, *plan.Step, unit.Time) bool { return true }
func (w *writer) Marked(*plan.Thread, *plan.Step, unit.Time)    {}
func (w *writer) Actors() int                                   { return 0 }
func (w *writer) Act(*plan.Thread, int, unit.Time)              {}
func (w *writer) Finish(*plan.Thread, unit.Time)                {}
func (w *writer) WriteBack(t *plan.Thread, frames []plan.Frame, _ unit.Time) {
	for _, f := range frames {
		p := w.h.Page(f)
		if p.Home == None {
			w.list = w.h.Alloc(1, None, w.list[:0])
			p.Home = w.list[0]
		}
		t.Add(plan.Step{Kind: plan.BlockWrite, Page: p.Home, N: 1})
		w.h.Clean(f, p.Home)
	}
}

func TestSmoke(t *testing.T) {
	m := &machine.Setup{Scale: 1, Payload: machine.Random}
	m.Host.Cache, m.Host.MetaShare = 64*PageSize, 25
	w := &call.Workload{Nodes: []call.Node{{Dir: true}, {Size: 100 * PageSize}, {Size: 5}}, Most: 10}
	h := New(m, w, 1000, nil)
	fs := &writer{h: h}
	if h.Reserve(10) != 0 {
		t.Fatal()
	}
	h.Place()
	var th plan.Thread
	h.Read(&th, fs, 1, 0, 100*PageSize, 0)
	t.Log(th.Steps)
	th.Steps = nil
	h.Read(&th, fs, 1, 0, 100*PageSize, 0)
	t.Log(th.Steps)
	th.Steps = nil
	t.Log(h.Write(&th, fs, &call.Call{Code: call.Write, Changed: call.Unknown, Node: 1, Offset: 100, Length: 60 * PageSize}, 5), th.Steps)
	th.Steps = nil
	t.Log(h.Write(&th, fs, &call.Call{Code: call.Write, Changed: call.Unknown, Node: 2, Offset: 100, Length: 40 * PageSize}, 5), th.Steps)
	t.Log(h.cache.used, h.cache.dirty)
}
