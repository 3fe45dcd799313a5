package session_test

import (
	"fmt"
	"strings"
	"testing"

	"spillway/ui/lab"
	"spillway/ui/model/form"
)

// What reloading loses comes back: the ways back and forth and what was typed.
func TestMemory(t *testing.T) {
	h := newHost(t, "v=3&lab=train&model=bert-base&batch=16&times=as-paper")
	h.Type("gpu_memory", "20")
	h.Choose("mode", "corrected")
	h.Type("ssd_read", "7 apples")
	h.Go("bakery")
	h.enter()
	h.Choose("dish", "cake")
	h.Go("train")
	h.Undo()
	h.Undo()
	h.Redo()
	if h.State.Setup.Text("mode") != "corrected" || !h.CanUndo() || !h.CanRedo() {
		t.Fatalf("the test begins with %s", h.State.Setup)
	}
	text, link := h.Memory(), h.Link()

	again := visit(t, link)
	again.Recall(text)
	if got := again.Memory(); !strings.Contains(text, strings.TrimPrefix(got, "spillway memory 1\n")) {
		t.Errorf("it remembers\n%s\nof\n%s", got, text)
	}
	again.Redo()
	if f := again.field("ssd_read"); f.Text != "7 apples" || f.Error == "" {
		t.Errorf("what was typed wrong is %+v", f)
	}
	again.Undo()
	again.Undo()
	again.want("mode", "published")
	again.want("gpu_memory", "20")
	again.Undo()
	again.want("gpu_memory", "40")
	if again.CanUndo() {
		t.Error("there is more than there was")
	}
	again.Go("bakery")
	again.enter()
	again.want("dish", "cake")
	again.Undo()
	again.want("dish", "rye")
}

// Another link, another version and damage are as if nothing were remembered.
func TestMemoryOfOthers(t *testing.T) {
	const link = "v=3&lab=train&model=bert-base&batch=16&times=as-paper"
	h := newHost(t, link)
	h.Type("gpu_memory", "20")
	text, now := h.Memory(), h.Link()
	for name, text := range map[string]string{
		"empty": "", "another version": strings.Replace(text, "memory 1", "memory 2", 1), "noise": "\x00\xff\nundo",
		"too long": text + strings.Repeat("undo x\n", 1<<18), "no laboratory": "spillway memory 1\nundo v=3\n",
		"damaged steps": strings.ReplaceAll(text, "undo v=4", "undo v=%%"), "another room": strings.ReplaceAll(text, "train", "oven"),
	} {
		again := visit(t, now)
		again.Recall(text)
		if again.CanUndo() || again.Link() != now {
			t.Errorf("%s: %s", name, again.Link())
		}
	}
	other := visit(t, link)
	other.Recall(text)
	if other.CanUndo() {
		t.Error("another link has the way back of this one")
	}
	right := visit(t, now)
	right.Recall(text)
	if !right.CanUndo() {
		t.Error("the test forgets everything")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	h := newHost(t, "")
	for i := range 300 {
		h.Change("", func() { _ = h.State.Setup.Set("gpu_memory", fmt.Sprint(20+i)) })
	}
	if n := strings.Count(h.Memory(), "\nundo "); n != 100 {
		t.Errorf("%d steps", n)
	}
}

func FuzzRecall(f *testing.F) {
	f.Add("spillway memory 1\nlab train\nnow v=2\ndrafts a=b\nundo v=3&lab=train gpu_memory=x\nfile name=a")
	f.Add("undo")
	f.Fuzz(func(t *testing.T, text string) {
		h := visit(t, "v=3")
		h.Recall(text)
		h.Undo()
		h.Redo()
		h.Go("bakery")
		h.enter()
		_ = h.Memory()
	})
}

// What another choice took away comes back with it, and both are said.
func TestWishes(t *testing.T) {
	h := newHost(t, "v=3&lab=train&model=senet-154&batch=512&times=as-paper")
	h.Choose("model", "resnet-50")
	h.want("times", "estimated")
	if want := `Kernel times: now Estimated, because there is no "As the paper measured" with ResNet-50.`; h.SideEffects != want {
		t.Errorf("told %q, want %q", h.SideEffects, want)
	}
	h.Type("gpu_memory", "30")
	if h.SideEffects != "" {
		t.Errorf("told %q", h.SideEffects)
	}
	h.Choose("model", "senet-154")
	h.want("times", "as-paper")
	if want := "Kernel times: As the paper measured again, as chosen before."; h.SideEffects != want {
		t.Errorf("told %q, want %q", h.SideEffects, want)
	}
	// Not when it was chosen since.
	h.Choose("model", "resnet-50")
	h.Choose("times", "estimated")
	h.Choose("model", "senet-154")
	h.want("times", "estimated")
	if h.SideEffects != "" {
		t.Errorf("told %q", h.SideEffects)
	}
}

func TestDial(t *testing.T) {
	h := newHost(t, "")
	d := h.Form.Dial("ssd_read", "part-ssd")
	if len(d.Marks) != 6 || d.Marks[0].Label != "Z-NAND (G10)" || d.Marks[0].At != d.At || d.Marks[0].At >= d.Marks[5].At {
		t.Errorf("%+v", d)
	}
	last := -1
	for at := 0; at <= form.SliderSteps; at += 50 { // turned up, it grows, and stands where it was turned to
		h.Form.Turn("ssd_read", "part-ssd", at)
		now := h.Form.Dial("ssd_read", "part-ssd")
		if now.At <= last || now.At < at-form.SliderSteps/100 || now.At > at+form.SliderSteps/100 || now.Error != "" {
			t.Errorf("turned to %d it is at %d: %+v", at, now.At, now)
		}
		last = now.At
	}
	h.Form.Turn("ssd_read", "part-ssd", d.Marks[2].At+3) // close to a product
	if got := h.State.Setup.Text("part-ssd"); h.State.Setup.Text("ssd_read") != "7.2" {
		t.Errorf("SSD read is %s, the drive %q", h.State.Setup.Text("ssd_read"), got)
	}
	for _, i := range []*lab.Info{h.Info} { // every number of every laboratory can be turned
		for _, k := range i.Knobs {
			if k.Kind != 0 || k.Key == "batch" {
				continue
			}
			for _, at := range []int{-5, 0, 300, form.SliderSteps, form.SliderSteps + 5} {
				h.Form.Turn(k.Key, "", at)
				if f := h.Form.Field(k.Key); f.Error != "" {
					t.Errorf("%s at %d: %s", k.Key, at, f.Error)
				}
			}
		}
	}
}

func TestStep(t *testing.T) {
	h := newHost(t, "")
	for _, c := range []struct {
		key, from string
		by        int
		want      string
	}{
		{"gpu_memory", "40", 1, "41"},
		{"gpu_memory", "40", -1, "39"},
		{"gpu_memory", "40", 10, "50"},
		{"ssd_read", "3.2", 1, "3.3"},
		{"ssd_read", "3.2", -10, "2.2"},
		{"gpu_link", "15.754", 1, "16"},
		{"gpu_link", "15.754", -1, "15"},
		{"gpu_memory", "4096", 1, "4096"},
		{"gpu_memory", "0.015625", -1, "0.015625"},
		{"host_memory", "0", 1, "1"},
		{"host_memory", "0", -1, "0"},
		{"batch", "16", 1, "17"},
		{"batch", "2", -10, "1"},
		{"alloc_rate", "0.000000814", 1, "0.00000082"},
	} {
		h.Type(c.key, c.from)
		h.Form.Step(c.key, c.by)
		if got := h.State.Setup.Text(c.key); got != c.want {
			t.Errorf("%s %s by %d: %s, want %s", c.key, c.from, c.by, got, c.want)
		}
	}
	h.Form.Step("model", 1) // no number
	h.Form.Step("nonsense", 1)
	h.want("model", "bert-base")
}

// However long the steps are, the newest come back: Memory says no more than
// Recall reads.
func TestMemoryOfLongSteps(t *testing.T) {
	h := newHost(t, kitchen)
	h.do()
	long := strings.Repeat("9", (1<<20)/40)
	for i := range 60 {
		h.Type([]string{"watts", "portions"}[i%2], fmt.Sprint(i, long))
	}
	text, link := h.Memory(), h.Link()
	if len(text) > (1<<20) || len(text) < (1<<20)/2 {
		t.Errorf("%d bytes", len(text))
	}
	again := newHost(t, link)
	again.Recall(text)
	again.Undo()
	if got, want := again.field("portions").Text, fmt.Sprint(57, long); got != want {
		t.Errorf("one step back %.20s, want %.20s", got, want)
	}
}
