package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/exec"
	"spillway/ui/lab"
	"spillway/ui/lab/compress"
	"spillway/ui/lab/filesys"
	"spillway/ui/model/runs"
	"spillway/ui/model/session"
)

// An empty link shows the first preset, and says which holds.
func TestOpening(t *testing.T) {
	s := newStage(t, "")
	s.finish()
	presets := s.root.Info.Presets
	s.want("given-preset", presets[0].Title)
	s.want("lead", "GiB")
	u := s.root.Info.Setup()
	pairs, _ := knob.Pairs(presets[0].Set)
	if err := u.Apply(pairs); err != nil || !u.Equal(s.root.State.Setup) {
		t.Errorf("it shows %s, %v", s.root.State.Setup, err)
	}
	s.click("given-preset")
	s.want("preset-"+presets[0].Key, `aria-current="true"`)
	s.want("preset-"+presets[1].Key, `aria-current="false"`)
	s.click("preset-" + presets[1].Key)
	if s.want("given-preset", presets[1].Title); s.there("preset-"+presets[0].Key) || s.page.focused != "given-preset" {
		t.Errorf("the menu stays open, or the focus is on %q", s.page.focused)
	}
	s.fire("f-gpu_memory", "input", "33")
	s.want("given-preset", ">"+presets[1].Title+", changed<")
	s.click("given-preset")
	s.click("preset-" + presets[0].Key)
	s.want("given-preset", ">"+presets[0].Title+"<")
	s.click("undo")
	s.want("given-preset", ">"+presets[1].Title+", changed<")
	s.click("undo")
	s.want("given-preset", ">"+presets[1].Title+"<")
	// A link that names nothing has the meaning it always had.
	s = newStage(t, "v=3&lab=train")
	if !s.root.State.Setup.Equal(s.root.Info.Setup()) {
		t.Errorf("a link without settings shows %s", s.root.State.Setup)
	}
}

// What is given is a sentence whose pieces are menus of what else it could be.
func TestGiven(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=4&systems=ideal,uvm,g10")
	s.finish()
	s.want("given-0", "BERT-base, batch 16")
	s.click("given-0")
	s.want("given-menu", "Batch")
	if got := s.html("give-batch-16"); !strings.Contains(got, `aria-pressed="true"`) || s.there("give-batch-4") {
		t.Errorf("the batch is %s", got)
	}
	s.click("give-batch-32")
	s.want("given-0", "BERT-base, batch 32")
	if s.there("given-menu") || s.page.focused != "given-0" {
		t.Errorf("the menu stays open, or the focus is on %q", s.page.focused)
	}
	s.click("given-0")
	s.click("give-model-resnet-152")
	s.want("given-0", "ResNet-152")
	s.click("given-0")
	s.click("given-0")
	if s.there("given-menu") {
		t.Error("pressed again it stays open")
	}
	s.click("given-0")
	s.click("jump-batch")
	if s.there("given-menu") || s.page.shown != "f-batch" {
		t.Errorf("it leads to %q", s.page.shown)
	}
}

func TestPictureShowsTheSystemInFocus(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=1&systems=ideal,uvm,g10")
	s.want("story", "no numbers yet")
	s.finish()
	s.want("draw-gpu", "1 GiB")
	s.want("draw-ssd-link", "3.2 GB/s")
	for _, system := range []string{"uvm", "g10"} {
		s.click("show-" + system)
		s.want("show-"+system, `aria-pressed="true"`)
		at := slices.IndexFunc(s.root.Runs.List, func(r runs.Run) bool { return r.System.Name == system })
		v, ok := s.root.Runs.List[at].Report.Value(s.root.Info.Quantity("gpu_link_in_busy"))
		if !ok || v <= 0 {
			t.Fatalf("%s: %v, %v", system, v, ok)
		}
		s.want("draw-gpu-link", fmt.Sprintf("--busy:%.3f", v))
		s.want("story", s.root.Runs.List[at].System.Title)
	}
	s.click("show-ideal")
	s.want("story", "moves nothing")
	if strings.Contains(s.html("drawing"), "flows") {
		t.Error("nothing moves, and yet something flows")
	}
}

// compressStage is a page of the laboratory of compressed memory.
func compressStage(t *testing.T, fragment string) *stage {
	t.Helper()
	return labStage(t, compress.New(), fragment)
}

// labStage is a page of a laboratory.
func labStage(t *testing.T, l lab.Lab, fragment string) *stage {
	t.Helper()
	s := emptyStage(t, fragment, &silent{})
	s.runner.bench = exec.Executor{Lab: l}
	s.root.Session = session.New([]session.Tab{{Name: l.Name, Title: l.Title}}, fragment, s.runner)
	s.root.Enter(&l.Info, "")
	s.draw()
	return s
}

// A place in use whose size is said to be 0 is one that nothing bounds.
func TestPictureWithoutSize(t *testing.T) {
	s := compressStage(t, "v=3&lab=compress&contents=alexnet")
	s.finish()
	if text := s.html("draw-gpu"); strings.Contains(text, ">0 GiB<") || !strings.Contains(text, " used<") {
		t.Error(text)
	}
	s.click("draw-gpu")
	s.fire("p-gpu_memory", "input", "12")
	s.finish()
	s.want("draw-gpu", ">12 GiB<")
}

// Where 0 is a size as others, it is drawn as such.
func TestPictureOfNothing(t *testing.T) {
	s := newStage(t, small+"&host_memory=0")
	s.finish()
	s.want("draw-host", ">0 GiB<")
	if text := s.html("draw-host"); strings.Contains(text, "as much as it takes") {
		t.Error(text)
	}
}

// A place without a size is drawn with what lies there, and has knobs to turn.
func TestPictureTurnsWhatDecides(t *testing.T) {
	s := compressStage(t, "v=3&lab=compress&contents=alexnet")
	s.finish()
	s.want("draw-buddy", " used<")
	if text := s.html("drawing"); strings.Contains(text, "30px") || strings.Contains(text, "hub") {
		t.Error(text)
	}
	s.click("draw-buddy")
	s.fire("p-threshold", "input", "10")
	if got := s.root.State.Setup.Text("threshold"); got != "10" {
		t.Errorf("the threshold is %s", got)
	}
}

// What goes over links that are not drawn is said beside the busiest of those that are.
func TestPictureSaysWhatIsApart(t *testing.T) {
	s := newStage(t, small+"&gpu_memory=1&systems=g10,buddy-g10&buddy_contents=paper")
	s.finish()
	for system, want := range map[string]string{"g10": "With G10 the busiest link is ", "buddy-g10": " MB go over one that is not drawn."} {
		s.click("show-" + system)
		if text := s.html("turn"); !strings.Contains(text, want) {
			t.Errorf("%s: %s", system, text)
		}
	}
}

func TestPictureTurnsKnobs(t *testing.T) {
	s := newStage(t, small)
	s.finish()
	if s.there("p-ssd_read") {
		t.Fatal("the knobs are there before anything was pressed")
	}
	s.click("draw-ssd-link")
	s.fire("p-ssd_read", "input", "2500 MB/s")
	if got := s.root.State.Setup.Text("ssd_read"); got != "2.5" {
		t.Errorf("SSD read is %s", got)
	}
	s.want("draw-ssd-link", "2.5 GB/s")
	s.click("product-990-pro")
	s.want("product-990-pro", `aria-pressed="true"`)
	s.want("p-ssd_read", `.value="7.45"`)
	at := s.root.Form.Dial("ssd_read", "part-ssd").At
	s.fire("s-ssd_read", "input", fmt.Sprint(at+200))
	if d := s.root.Form.Dial("ssd_read", "part-ssd"); d.Text == "7.45" || d.At < at+195 || d.At > at+205 {
		t.Errorf("turned from %d by 200 it is at %d, %s", at, d.At, d.Text)
	}
	s.click("undo")
	s.want("p-ssd_read", `.value="7.45"`)
	s.click("turn-close")
	if s.there("p-ssd_read") || s.page.focused != "draw-ssd-link" {
		t.Errorf("it does not close, or the focus is on %q", s.page.focused)
	}
	s.click("draw-ssd") // a place without a size: what its products set
	s.find("p-ssd_latency")
	s.click("draw-ssd", "draw-gpu")
	s.fire("p-gpu_memory", "input", "x")
	s.want("p-err-gpu_memory", "not a number")
	s.find("jump-gpu_memory")
}

// The drawing puts links between what they join, and branches below each other;
// a link that closes a ring stands beside its second place.
func TestPictureLayout(t *testing.T) {
	i := lab.Info{Name: "train", Picture: &lab.Picture{
		Places: []lab.Place{{Key: "a", Size: "n"}, {Key: "hub"}, {Key: "b", Size: "n"}, {Key: "c", Size: "n"}},
		Links:  []lab.Link{{Key: "ah", From: "a", To: "hub"}, {Key: "hb", From: "hub", To: "b"}, {Key: "hc", From: "c", To: "hub"}, {Key: "ab", From: "a", To: "b"}},
	}, Knobs: []knob.Info{{Key: "n", Label: "N", Scale: 1, Max: 9, Default: "1"}}}
	s := emptyStage(t, "v=2&lab=train", &silent{})
	s.root.Enter(&i, "")
	p := &Picture{App: s.root.App}
	p.Compute()
	var got []string
	for _, x := range p.view.Parts {
		got = append(got, x.Key+" "+strings.NewReplacer("grid-column:", "", ";grid-row:", " ").Replace(x.Place))
	}
	want := []string{"a 1 1/3", "ah 2 1/3", "hub 3 1/3", "hb 4 1/2", "b 5 1/2", "ab 6 1/2", "hc 4 2/3", "c 5 2/3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The drawing and its words name what bytes go from and to, all at the scale of the run.
func TestPictureOfFiles(t *testing.T) {
	s := labStage(t, filesys.New(), "v=4-by-hand&lab=filesys&workload=create&scale=256&systems=bytefs")
	s.finish()
	s.want("draw-host", ">4 MiB<") // of 1024
	s.want("draw-dram", ">1 MiB<") // of 256
	s.want("turn", "1/256")
	s.want("story", "from DRAM of the SSD to Flash")
	s.want("lead", "at 1/256 of full scale")
	if f := s.root.Form.Field("threads"); f.Text != "" || f.Mark != "as the workload has them" {
		t.Errorf("as many threads as the workload has are %+v", f)
	}
	for _, typed := range []string{"5", "", "0"} {
		s.root.Type("threads", typed)
		if f := s.root.Form.Field("threads"); f.Text != typed || f.Error != "" || (f.Mark == "") != (typed == "5") {
			t.Errorf("typed %q it is %+v", typed, f)
		}
	}
}

// Systems that are refused for the same reason stand together, in the plural.
func TestRefusedTogether(t *testing.T) {
	s := compressStage(t, "v=3&lab=compress&contents=alexnet&gpu_memory=1")
	s.finish()
	said := 0
	for _, x := range s.root.Runs.Troubles() {
		said++
		if many := strings.Contains(x.Title, ", "); x.Text != map[bool]string{true: "do not fit", false: "does not fit"}[many] || x.Why == "" {
			t.Errorf("%s %s: %s", x.Title, x.Text, x.Why)
		}
	}
	var titles []string
	s.root.Runs.List[1].Report.Reason, s.root.Runs.List[2].Report.Reason = "the same", "the same"
	for _, x := range s.root.Runs.Troubles() {
		if x.Why == "the same" {
			titles = append(titles, x.Title+" "+x.Text)
		}
	}
	if said == 0 || len(titles) != 1 || !strings.HasSuffix(titles[0], " do not fit") {
		t.Errorf("%d refused, %q", said, titles)
	}
}

// A bar is there where a run says how much is in use: an empty one would say that nothing is.
func TestPictureLeavesBarsOut(t *testing.T) {
	s := labStage(t, filesys.New(), "v=4-by-hand&lab=filesys&workload=varmail&scale=256&systems=bytefs,ext4&focus=bytefs")
	s.finish()
	const none = "visibility:hidden"
	for system, want := range map[string]bool{"bytefs": false, "ext4": true} {
		s.click("show-" + system)
		if bar := s.html("draw-dram"); strings.Contains(bar, none) != want {
			t.Errorf("%s: no bar: %v; %s", system, want, bar)
		}
		if bar := s.html("draw-host"); strings.Contains(bar, none) {
			t.Errorf("%s: no bar of the host: %s", system, bar)
		}
	}
}
