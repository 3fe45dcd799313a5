package session_test

import (
	"slices"
	"strings"
	"testing"

	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/model/state"
	"spillway/ui/model/workspace"
)

// kitchen is a link to the invented laboratory.
const kitchen = "v=2&lab=bakery&dish=rye&portions=4&systems=dream,oven"

func (h *host) wantBefore(system string, speed float64) {
	h.Helper()
	r := h.Baseline.Before(system)
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
	if h.Baseline.Pinned() || h.Baseline.Base() != nil || h.Baseline.Note() != "" || strings.Contains(h.Link(), "base=") {
		t.Error("there is a baseline from the start")
	}
	started := len(h.jobs)
	h.Baseline.Pin()
	if len(h.jobs) != started || h.Baseline.Base() != nil || !h.Baseline.Pinned() {
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
	if h.of("kiln").Setup == h.open(exec.Run)[1].Setup || !h.Baseline.Pending() {
		t.Error("no run of the baseline waits")
	}
	for _, j := range h.open(exec.Run) {
		if j.Lean || h.bulk[j.ID] != !strings.Contains(j.Setup, "watts") {
			t.Errorf("%+v, bulk %t: what is shown comes first", j, h.bulk[j.ID])
		}
	}
	h.do()
	h.wantBefore("kiln", 25)
	h.Undo()
	h.Undo()
	if h.Baseline.Base() != nil || !h.Baseline.Pinned() {
		t.Error("back at the baseline it is compared with itself")
	}
	h.wantBefore("oven", 0)
	h.Undo()
	if h.Baseline.Pinned() {
		t.Error("undo does not unpin")
	}
	h.Redo()
	h.Redo()
	h.wantBefore("oven", 25)
	h.Baseline.Return()
	h.want("watts", "100")
	h.Baseline.Unpin()
	if h.Baseline.Pinned() || h.Baseline.Before("oven") != nil {
		t.Error("it is still pinned")
	}
	h.Undo()
	if !h.Baseline.Pinned() {
		t.Error("undo does not pin again")
	}
}

// The baseline of another workload is kept, and compared with nothing.
func TestBaselineOfAnotherWorkload(t *testing.T) {
	h := newHost(t, kitchen)
	h.Baseline.Pin()
	h.Choose("dish", "cake")
	h.do()
	h.wantBefore("oven", 0)
	if got := h.Baseline.Note(); !strings.Contains(got, "another workload, Rye;") || h.Baseline.Base() != nil {
		t.Errorf("note: %s", got)
	}
	h.Choose("dish", "rye")
	h.Type("watts", "200")
	h.do()
	h.wantBefore("oven", 25)
	if got := h.Baseline.Note(); got != "" {
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
	if got, want := h.Baseline.Note(), "The baseline does not run with Kiln."; strings.ReplaceAll(got, "kiln", "Kiln") != want {
		t.Errorf("note: %s", got)
	}
	for set, want := range map[string]string{"watts%3D14": "the fuse is gone", "watts%3D2000+portions%3D2": "too hot; too few"} {
		h = newHost(t, "v=2&lab=bakery&dish=rye&portions=4&systems=oven&base="+set)
		h.do()
		if got := h.Baseline.Note(); !strings.Contains(got, "cannot be computed: "+want+".") || h.run("oven").Report == nil {
			t.Errorf("%s: note: %s", set, got)
		}
	}
}

// A link shows the same before and after; its baseline's runs wait for the others.
func TestBaselineInLink(t *testing.T) {
	h := newHost(t, kitchen)
	h.Baseline.Pin()
	h.Type("watts", "200")
	h.Choose("oven", "gas")
	link := h.Link()
	if !strings.Contains(link, "&base=oven=wood+watts=100") {
		t.Errorf("link %s", link)
	}
	g := newHost(t, link)
	if got := g.Link(); got != link {
		t.Errorf("read again %s, want %s", got, link)
	}
	list := g.open(exec.Run)
	if len(list) != 4 || g.bulk[list[0].ID] || g.bulk[list[1].ID] || !g.bulk[list[2].ID] {
		t.Errorf("%d runs", len(list))
	}
	g.do()
	g.wantBefore("oven", 25)
	// What is left is stopped.
	g = newHost(t, link)
	g.SetView(state.Reproduce)
	if n := len(g.open(exec.Run)); n != 0 {
		t.Errorf("%d runs wait in another view", n)
	}
	g.SetView(state.Explore)
	if n := len(g.open(exec.Run)); n != 4 {
		t.Errorf("%d runs wait when it is back", n)
	}
	g.Go("train")
	g.enter()
	for _, j := range g.open(exec.Run) {
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
		if !strings.Contains(g.Notice, want) || g.Baseline.Pinned() {
			t.Errorf("%s: notice %q, pinned %t", fragment, g.Notice, g.Baseline.Pinned())
		}
	}
}

func (h *host) wantKept(names ...string) {
	h.Helper()
	var got []string
	for _, k := range h.State.Kept {
		got = append(got, k.Name)
	}
	if strings.Join(got, "|") != strings.Join(names, "|") {
		h.Errorf("kept %q, want %q", got, names)
	}
}

func (h *host) wantShown(names ...string) {
	h.Helper()
	var got []string
	for _, k := range h.State.Shown {
		got = append(got, k.Name)
	}
	if strings.Join(got, "|") != strings.Join(names, "|") {
		h.Errorf("shown %q, want %q", got, names)
	}
}

func TestKeptRuns(t *testing.T) {
	h := newHost(t, kitchen)
	h.do()
	h.Saved.Keep(" cold ", []string{"oven"})
	h.Type("watts", "200")
	h.Saved.Keep("cold", []string{"oven"})
	h.do()
	h.Choose("dish", "cake")
	h.Saved.Keep("a & b, 5 %", []string{"dream", "oven"})
	names := []string{"cold", "cold (2)", "Dream: a & b, 5 %", "Oven: a & b, 5 %"}
	h.wantKept(names...)
	h.wantShown()
	stored := h.stored["spillway-runs-bakery"]
	if !strings.HasPrefix(stored, "spillway runs 1\n") || strings.Count(stored, "\n") != 5 {
		t.Errorf("stored %q", stored)
	}
	h.do()
	n := len(h.jobs)
	for _, k := range slices.Backward(slices.Clone(h.State.Kept)) {
		h.Saved.Against(k)
	}
	if len(h.jobs) != n {
		t.Errorf("%d runs again that are known", len(h.jobs)-n)
	}
	h.wantShown(names...)
	for i, x := range h.Saved.Beside() {
		if x.Run.Report == nil || x.Run.Report.Values[0] != []float64{25, 50, 200. / 12, 200. / 12}[i] {
			t.Errorf("%s: %+v", x.Name, x.Run)
		}
	}
	// Another tab, or the same after a reload, has them and computes them.
	g := newHostWith(t, "v=2&lab=bakery&dish=rye&portions=4&systems=oven", h.stored)
	g.wantShown()
	g.do()
	for _, k := range slices.Backward(slices.Clone(g.State.Kept)) {
		g.Saved.Against(k)
	}
	g.wantShown(names...)
	if list := g.open(exec.Run); len(list) != 3 || !g.bulk[list[0].ID] { // one is that at hand
		t.Errorf("%d runs wait", len(list))
	}
	if !g.Saved.Busy() {
		t.Error("nothing is under way")
	}
	g.Saved.Cancel()
	if g.Saved.Busy() || len(g.open(exec.Run)) > 0 || !g.Saved.CanRunAgain() || g.Saved.Beside()[1].Run.RunState() != "cancelled" {
		t.Error("it goes on after cancelling")
	}
	g.Saved.RunAgain()
	g.do()
	if x := g.Saved.Beside()[1]; x.Run.Report == nil || x.Run.Report.Values[0] != 50 {
		t.Errorf("%+v", x)
	}
	g.Saved.Rename(g.State.Kept[0], "icy")
	g.wantKept("icy", "cold (2)", names[2], names[3])
	g.Saved.Delete(g.State.Kept[1])
	g.wantShown("icy", names[2], names[3])
	// The first tab keeps one more; what the second did is not undone by that.
	h.Saved.Keep("third", []string{"kiln"})
	h.wantKept("icy", names[2], names[3], "third")
	h.Undo()
	h.wantKept("icy", names[2], names[3])
	g.Saved.Look()
	g.wantKept("icy", names[2], names[3])
	g.Undo()
	g.wantKept("icy", "cold (2)", names[2], names[3])
	g.wantShown("icy", "cold (2)", names[2], names[3])
	if !strings.Contains(h.stored["spillway-runs-bakery"], "cold+(2)") && !strings.Contains(h.stored["spillway-runs-bakery"], "cold+%282%29") {
		t.Errorf("undo does not store: %q", h.stored["spillway-runs-bakery"])
	}
	g.Saved.Against(g.State.Shown[2])
	g.wantShown(names[2], "icy", "cold (2)", names[3])
	g.Saved.Release(g.State.Shown[1])
	g.wantShown(names[2], "cold (2)", names[3])
	if list := g.Saved.All(); len(list) != 4 || list[3].Name != "icy" {
		t.Errorf("listed %v", list)
	}
	g.Saved.Visit(g.State.Shown[1])
	g.want("watts", "200")
	g.want("dish", "rye")
	if g.State.View != state.Explore || g.Focus() != "oven" {
		t.Errorf("view %s, focus %s", g.State.View, g.Focus())
	}
}

// A link carries the runs that the one at hand is compared with.
func TestShownInLink(t *testing.T) {
	h := newHost(t, kitchen)
	h.Saved.Keep("50 % = x & y\nz", []string{"oven"})
	h.Type("watts", "200")
	h.Saved.Keep("hot", []string{"kiln"})
	if link := h.Link(); strings.Contains(link, "run=") {
		t.Errorf("link %s", link)
	}
	h.Saved.Against(h.State.Kept[1])
	h.Saved.Against(h.State.Kept[0])
	link := h.Link()
	g := newHost(t, link)
	g.wantShown("50 % = x & y\nz", "hot")
	g.wantKept()
	g.do()
	if x := g.Saved.Beside()[0]; x.Run.Report.Values[0] != 25 || x.Setup.Text("watts") != "100" || x.Title != "Oven" {
		t.Errorf("%+v", x)
	}
	if g.Saved.IsKept(g.State.Shown[1]) {
		t.Error("a link's run is kept at once")
	}
	g.Saved.Adopt(g.State.Shown[1])
	g.wantKept("hot")
	if got := g.Link(); got != link {
		t.Errorf("read again %s, want %s", got, link)
	}
	g.Saved.Rename(g.State.Shown[0], "hot")
	g.wantShown("hot (2)", "hot")
	// More than there is room for, and what is damaged, is left out.
	var many strings.Builder
	many.WriteString("v=2&lab=bakery&dish=rye&portions=4&view=compare")
	for name := range strings.SplitSeq("a b c d e f g h i", " ") {
		many.WriteString("&run=name%3D" + name + "+system%3Doven+dish%3Drye+portions%3D4")
	}
	g = newHost(t, many.String()+"&run=name%3Dx+system%3Dgrill+dish%3Drye&run=dish%3Drye&run=name%3Dx+system%3Doven+dish%3Dstone")
	if len(g.State.Shown) != state.MostShown-1 || g.State.Shown[0].Name != "a" || !strings.Contains(g.Notice, `more than 8 runs; "i" is left out`) { // the second is at hand
		t.Errorf("%d shown, notice %s", len(g.State.Shown), g.Notice)
	}
	for _, want := range []string{"unknown system \"grill\"", "does not begin with a name", "unknown dish"} {
		if !strings.Contains(g.Notice, want) {
			t.Errorf("notice %s lacks %q", g.Notice, want)
		}
	}
	g.Saved.Keep("j", []string{"dream"})
	if len(g.State.Shown) != state.MostShown-1 || len(g.State.Kept) != 1 {
		t.Errorf("%d shown, %d kept", len(g.State.Shown), len(g.State.Kept))
	}
}

func TestDamagedShelf(t *testing.T) {
	const good = "name=x system=oven dish=rye"
	key := "spillway-runs-bakery"
	for _, x := range []struct {
		text, problem string
		kept          int
	}{
		{"", "", 0},
		{"spillway runs 1\n", "", 0},
		{"spillway runs 1\n" + good + "\n" + good + "\n", "", 1},
		{"spillway runs 1\n" + good + "\nname=y system=oven dish=stone\n", "1 of the runs that this browser keeps cannot be read (unknown dish", 1},
		{"spillway runs 1\n" + good[:20] + "\nname=%zz system=oven\n\x00\xff\n" + good, "3 of the runs", 1},
		{"{\"runs\": 3}\nsomething", "2 of the runs", 0},
	} {
		h := newHostWith(t, kitchen, map[string]string{key: x.text})
		if !strings.Contains(h.Saved.Problem, x.problem) || x.problem == "" && h.Saved.Problem != "" || len(h.State.Kept) != x.kept {
			t.Errorf("%q: %d kept, %q", x.text, len(h.State.Kept), h.Saved.Problem)
		}
		if h.stored[key] != x.text {
			t.Errorf("%q: looking wrote %q", x.text, h.stored[key])
		}
		h.Saved.Keep("new", []string{"kiln"})
		for line := range strings.Lines(x.text) {
			if line = strings.TrimSuffix(line, "\n"); !strings.Contains(h.stored[key], line) {
				t.Errorf("%q: %q is lost: %q", x.text, line, h.stored[key])
			}
		}
		if !strings.Contains(h.stored[key], "name=new") {
			t.Errorf("%q: nothing new in %q", x.text, h.stored[key])
		}
		g := newHostWith(t, kitchen, h.stored)
		if g.Saved.Damaged() != h.Saved.Damaged() || len(g.State.Kept) != x.kept+1 {
			t.Errorf("%q: read again %d kept, damaged %q", x.text, len(g.State.Kept), g.Saved.Damaged())
		}
	}
	// What a newer version wrote is left alone.
	newer := "spillway runs 2\n" + good + "\n"
	h := newHostWith(t, kitchen, map[string]string{key: newer})
	h.Saved.Keep("new", []string{"kiln"})
	h.wantKept("new")
	if h.stored[key] != newer || !strings.Contains(h.Saved.Problem, "newer Spillway") {
		t.Errorf("stored %q, problem %q", h.stored[key], h.Saved.Problem)
	}
}

// Without storage what is kept lasts as long as the tab.
func TestShelfWithoutStorage(t *testing.T) {
	h := newHostWith(t, kitchen, nil)
	if h.Saved.Problem != "" {
		t.Errorf("before anything is kept: %s", h.Saved.Problem)
	}
	h.Saved.Keep("one", []string{"oven"})
	h.Saved.Keep("two", []string{"kiln"})
	h.Go("train")
	h.enter()
	h.Go("bakery")
	h.wantKept("one", "two")
	if !strings.Contains(h.Saved.Problem, "stores nothing") {
		t.Errorf("problem %q", h.Saved.Problem)
	}
	h.Undo()
	h.wantKept("one")
}

// Runs of opened files say which file they need.
func TestKeptRunOfFile(t *testing.T) {
	link := "v=2&lab=bakery&view=compare&systems=oven&run=name%3Df+system%3Doven+dish%3Drye+portions%3D4+flour%3Drye.txt&run=name%3Dg+system%3Doven+dish%3Drye+portions%3D4"
	h := newHost(t, link)
	if got := h.Saved.Lacking(); len(got) != 1 || got[0] != "rye.txt" || h.Saved.Beside()[0].Needs != "rye.txt" {
		t.Errorf("lacking %v", got)
	}
	h.do()
	if x := h.Saved.Beside(); x[0].Run.Report != nil || h.run("oven").Report == nil {
		t.Error("only the run of the file waits")
	}
	h.Open([]string{"rye.txt", "b"}, func(number, _ int) {
		h.benches["bakery"].Open(number, []lab.File{{Name: "rye.txt"}, {Name: "b"}})
	})
	h.do()
	if x := h.Saved.Beside()[0]; x.Needs != "" || x.Run.Report == nil || x.Run.Report.About != "ryerye.txt" {
		t.Errorf("%+v", x)
	}
}

// Undo that knows nothing of runs leaves them alone: a step of before a reload.
func TestStateWithoutRuns(t *testing.T) {
	h := newHost(t, kitchen)
	h.Saved.Keep("one", []string{"oven"})
	s := workspace.Step{State: h.State.Clone(), Drafts: map[string]string{}}
	s.State.Kept, s.State.Shown = nil, nil
	h.SetSteps([]workspace.Step{s}, nil)
	h.Undo()
	h.wantKept("one")
	h.wantShown()
	h.Visit(kitchen)
	h.wantKept("one")
}

// A link that differs in its baseline or in its runs alone is not thrown away, and
// can be undone.
func TestLinkOfOtherRuns(t *testing.T) {
	h := newHost(t, kitchen)
	h.do()
	h.Visit(kitchen + "&base=watts%3D200")
	if h.State.Base == nil || h.State.Base.Text("watts") != "200" {
		t.Fatal("the baseline of the link is not pinned")
	}
	h.Visit(kitchen + "&base=watts%3D300")
	if h.State.Base.Text("watts") != "300" {
		t.Error("another baseline is thrown away")
	}
	h.Visit(kitchen)
	if h.State.Base == nil {
		t.Error("a link that says nothing of a baseline unpins it")
	}
	const run = "&run=name%3D"
	compare := kitchen + "&view=compare&base=watts%3D300" + run + "a+system%3Doven+dish%3Drye"
	h.Visit(compare)
	h.wantShown("a")
	h.Visit(compare + run + "b+system%3Dkiln+dish%3Drye+watts%3D400")
	h.wantShown("a")
	if h.want("watts", "400"); h.Focus() != "kiln" {
		t.Error("the second run is not the one at hand")
	}
	h.Undo()
	h.wantShown("a")
}

// A run of the baseline that failed can be tried again; one that contradicts
// cannot. What is under way for a system stops when that is switched off.
func TestBaselineAgain(t *testing.T) {
	h := newHost(t, kitchen+"&base=watts%3D200")
	h.do()
	h.wantBefore("oven", 50)
	h.Visit(kitchen + "&base=watts%3D300")
	for _, j := range h.open(exec.Run) {
		h.say(j, exec.Answer{Error: "the worker is gone"})
	}
	if !h.Runs.CanRunAgain() || !strings.Contains(h.Baseline.Note(), "the worker is gone") {
		t.Fatalf("again %t, note %q", h.Runs.CanRunAgain(), h.Baseline.Note())
	}
	h.Runs.RunAgain()
	if !h.Baseline.Pending() {
		t.Fatal("the baseline is not tried again")
	}
	h.ToggleSystem("oven")
	if n := len(h.open(exec.Run)); n != 1 {
		t.Errorf("%d runs wait, want the other system's", n)
	}
	h.ToggleSystem("oven")
	h.do()
	h.wantBefore("oven", 75)
	if h.Runs.CanRunAgain() || h.Baseline.Note() != "" {
		t.Errorf("again %t, note %q", h.Runs.CanRunAgain(), h.Baseline.Note())
	}
	h = newHost(t, kitchen+"&base=watts%3D2000+portions%3D2")
	h.do()
	if h.Runs.CanRunAgain() {
		t.Error("what contradicts can be tried again")
	}
}

// Undo of a setting leaves alone what another tab has kept and forgotten meanwhile,
// however this tab learned of it.
func TestUndoLeavesOtherTabs(t *testing.T) {
	for what, learn := range map[string]func(*host){
		"look": func(h *host) { h.Saved.Look() },
		"keep": func(h *host) { h.Saved.Keep("mine", []string{"kiln"}); h.Undo() },
	} {
		h := newHost(t, kitchen)
		h.Saved.Keep("old", []string{"oven"})
		h.Type("watts", "200")
		h.Choose("dish", "cake")
		h.Undo()
		g := newHostWith(t, kitchen, h.stored)
		g.Type("watts", "300")
		g.Saved.Keep("theirs", []string{"oven"})
		g.Saved.Delete(g.State.Kept[0])
		learn(h)
		h.Undo() // of watts
		h.wantKept("theirs")
		if !strings.Contains(h.stored["spillway-runs-bakery"], "name=theirs") {
			t.Errorf("%s: undo of a setting forgets another tab's run: %q", what, h.stored)
		}
		h.Redo()
		h.wantKept("theirs")
	}
}
