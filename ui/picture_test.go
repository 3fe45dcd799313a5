package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spillway/sim/knob"
	"spillway/ui/lab"
	"spillway/ui/model"
)

// An empty link shows the first preset, and says which holds.
func TestOpening(t *testing.T) {
	s := newStage(t, "")
	s.finish()
	presets := s.root.Info.Presets
	s.want("preset-"+presets[0].Key, `aria-pressed="true"`)
	s.want("lead", "GiB")
	u := s.root.Info.Setup()
	pairs, _ := knob.Pairs(presets[0].Set)
	if err := u.Apply(pairs); err != nil || !u.Equal(s.root.State.Setup) {
		t.Errorf("it shows %s, %v", s.root.State.Setup, err)
	}
	s.click("preset-" + presets[1].Key)
	s.want("preset-"+presets[0].Key, `aria-pressed="false"`)
	s.want("preset-"+presets[1].Key, `aria-pressed="true"`)
	s.fire("f-gpu_memory", "input", "33")
	s.want("preset-"+presets[1].Key, `aria-pressed="false"`)
	s.click("undo", "undo")
	s.want("preset-"+presets[0].Key, `aria-pressed="true"`)
	// A link that names nothing has the meaning it always had.
	s = newStage(t, "v=3&lab=train")
	if !s.root.State.Setup.Equal(s.root.Info.Setup()) {
		t.Errorf("a link without settings shows %s", s.root.State.Setup)
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
		at := slices.IndexFunc(s.root.Runs, func(r model.Run) bool { return r.System.Name == system })
		v, ok := s.root.Runs[at].Report.Value(s.root.Info.Quantity("gpu_link_in_busy"))
		if !ok || v <= 0 {
			t.Fatalf("%s: %v, %v", system, v, ok)
		}
		s.want("draw-gpu-link", fmt.Sprintf("--busy:%.3f", v))
		s.want("story", s.root.Runs[at].System.Title)
	}
	s.click("show-ideal")
	s.want("story", "moves nothing")
	if strings.Contains(s.html("drawing"), "flows") {
		t.Error("nothing moves, and yet something flows")
	}
}

// A place in use whose size is said to be 0 is one that nothing bounds.
func TestPictureWithoutSize(t *testing.T) {
	s := newStage(t, "v=4-by-hand&lab=compress&contents=alexnet")
	s.finish()
	if text := s.html("draw-gpu"); strings.Contains(text, ">0 GiB<") || !strings.Contains(text, "GiB used") {
		t.Error(text)
	}
	s.click("draw-gpu")
	s.fire("p-gpu_memory", "input", "12")
	s.finish()
	s.want("draw-gpu", ">12 GiB<")
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
	at := s.root.Dial("ssd_read", "part-ssd").At
	s.fire("s-ssd_read", "input", fmt.Sprint(at+200))
	if d := s.root.Dial("ssd_read", "part-ssd"); d.Text == "7.45" || d.At < at+195 || d.At > at+205 {
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
	for _, x := range p.parts {
		got = append(got, x.Key+" "+strings.NewReplacer("grid-column:", "", ";grid-row:", " ").Replace(x.Place))
	}
	want := []string{"a 1 1/3", "ah 2 1/3", "hub 3 1/3", "hb 4 1/2", "b 5 1/2", "ab 6 1/2", "hc 4 2/3", "c 5 2/3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
