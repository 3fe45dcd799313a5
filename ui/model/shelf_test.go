package model

import (
	"strings"
	"testing"

	"spillway/ui/work"
)

// kitchen is a link to the invented laboratory.
const kitchen = "v=2&lab=bakery&dish=rye&portions=4&systems=dream,oven"

func (h *host) wantBefore(system string, speed float64) {
	h.Helper()
	r := h.Shelf.Before(system)
	switch {
	case r == nil && speed > 0:
		h.Errorf("%s has no baseline", system)
	case r != nil && r.Values[0] != speed:
		h.Errorf("%s was %v before, want %v", system, r.Values[0], speed)
	}
}

func TestBaseline(t *testing.T) {
	h := newHost(t, kitchen)
	h.do()
	if h.Shelf.Pinned() || h.Shelf.Base() != nil || h.Shelf.Note() != "" || strings.Contains(h.State.Encode(h.Info), "base=") {
		t.Error("there is a baseline from the start")
	}
	started := len(h.jobs)
	h.Shelf.Pin()
	if len(h.jobs) != started || h.Shelf.Base() != nil || !h.Shelf.Pinned() {
		t.Errorf("%d jobs for a baseline that is what is shown", len(h.jobs)-started)
	}
	h.wantBefore("oven", 0)
	h.Type("watts", "200")
	if n := len(h.jobs) - started; n != 2 {
		t.Errorf("%d jobs; the baseline's reports are known", n)
	}
	h.wantBefore("oven", 25)
	h.do()
	h.wantBefore("oven", 25)
	if h.run("oven").Report.Values[0] != 50 {
		t.Error("what is shown is not what was set")
	}
	// Another system's baseline is computed when it is compared.
	h.ToggleSystem("kiln")
	if h.of("kiln").Setup == h.open(work.Run)[1].Setup || !h.Shelf.Pending() {
		t.Error("no run of the baseline waits")
	}
	for _, j := range h.open(work.Run) {
		if j.Lean || h.bulk[j.ID] != !strings.Contains(j.Setup, "watts") {
			t.Errorf("%+v, bulk %t: what is shown comes first", j, h.bulk[j.ID])
		}
	}
	h.do()
	h.wantBefore("kiln", 25)
	h.Undo()
	h.Undo()
	if h.Shelf.Base() != nil || !h.Shelf.Pinned() {
		t.Error("back at the baseline it is compared with itself")
	}
	h.wantBefore("oven", 0)
	h.Undo()
	if h.Shelf.Pinned() {
		t.Error("undo does not unpin")
	}
	h.Redo()
	h.Redo()
	h.wantBefore("oven", 25)
	h.Shelf.Return()
	h.want("watts", "100")
	h.Shelf.Unpin()
	if h.Shelf.Pinned() || len(h.Shelf.base) != 0 {
		t.Error("it is still pinned")
	}
	h.Undo()
	if !h.Shelf.Pinned() {
		t.Error("undo does not pin again")
	}
}

// The baseline of another workload is kept, and compared with nothing.
func TestBaselineOfAnotherWorkload(t *testing.T) {
	h := newHost(t, kitchen)
	h.Shelf.Pin()
	h.Choose("dish", "cake")
	h.do()
	h.wantBefore("oven", 0)
	if got := h.Shelf.Note(); !strings.Contains(got, "another workload, Rye;") || h.Shelf.Base() != nil {
		t.Errorf("note: %s", got)
	}
	h.Choose("dish", "rye")
	h.Type("watts", "200")
	h.do()
	h.wantBefore("oven", 25)
	if got := h.Shelf.Note(); got != "" {
		t.Errorf("note: %s", got)
	}
	h.Go("train")
	h.enter()
	h.Go("bakery")
	h.wantBefore("oven", 25)
}

func TestBaselineThatCannotRun(t *testing.T) {
	h := newHost(t, "v=2&lab=bakery&dish=rye&portions=12&systems=dream,oven,kiln&base=portions%3D4")
	h.do()
	h.wantBefore("kiln", 25)
	h = newHost(t, "v=2&lab=bakery&dish=rye&portions=4&systems=oven,kiln&base=portions%3D12")
	h.do()
	if got, want := h.Shelf.Note(), "The baseline does not run with Kiln."; strings.ReplaceAll(got, "kiln", "Kiln") != want {
		t.Errorf("note: %s", got)
	}
	for set, want := range map[string]string{"watts%3D14": "the fuse is gone", "watts%3D2000+portions%3D2": "too hot; too few"} {
		h = newHost(t, "v=2&lab=bakery&dish=rye&portions=4&systems=oven&base="+set)
		h.do()
		if got := h.Shelf.Note(); !strings.Contains(got, "cannot be computed: "+want+".") || h.run("oven").Report == nil {
			t.Errorf("%s: note: %s", set, got)
		}
	}
}

// A link shows the same before and after; its baseline's runs wait for the others.
func TestBaselineInLink(t *testing.T) {
	h := newHost(t, kitchen)
	h.Shelf.Pin()
	h.Type("watts", "200")
	h.Choose("oven", "gas")
	link := h.State.Encode(h.Info)
	if !strings.Contains(link, "&base=oven%3Dwood+watts%3D100") {
		t.Errorf("link %s", link)
	}
	g := newHost(t, link)
	if got := g.State.Encode(g.Info); got != link {
		t.Errorf("read again %s, want %s", got, link)
	}
	list := g.open(work.Run)
	if len(list) != 4 || g.bulk[list[0].ID] || g.bulk[list[1].ID] || !g.bulk[list[2].ID] {
		t.Errorf("%d runs", len(list))
	}
	g.do()
	g.wantBefore("oven", 25)
	// What is left is stopped.
	g = newHost(t, link)
	g.SetView(Reproduce)
	if n := len(g.open(work.Run)); n != 0 {
		t.Errorf("%d runs wait in another view", n)
	}
	g.SetView(Explore)
	if n := len(g.open(work.Run)); n != 4 {
		t.Errorf("%d runs wait when it is back", n)
	}
	g.Go("train")
	g.enter()
	for _, j := range g.open(work.Run) {
		if j.Lab == "bakery" {
			t.Errorf("in another laboratory %+v still waits", j)
		}
	}
	for fragment, want := range map[string]string{
		"&base=watts%3D9999999": "baseline: ",
		"&base=broken":          "baseline: \"broken\"",
		"&base=wat%3D1":         "unknown setting",
	} {
		g := newHost(t, kitchen+fragment)
		if !strings.Contains(g.Notice, want) || g.Shelf.Pinned() {
			t.Errorf("%s: notice %q, pinned %t", fragment, g.Notice, g.Shelf.Pinned())
		}
	}
}
