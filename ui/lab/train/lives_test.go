package train

import (
	"testing"

	"spillway/sim/timeline"
	"spillway/ui/lab"
)

// What lives on the GPU is its memory in use whenever a kernel ends: in a memory of pages, an arena
// and one that holds everything.
func TestLives(t *testing.T) {
	l := New()
	u, err := l.Read("model=bert-base batch=32 gpu_memory=4 host_memory=4")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"ideal", "uvm", "g10", "flashneuron", "lms"} {
		h, err := l.Timeline(u, system, nil, lab.Window{}, nil)
		if err != nil {
			t.Fatal(system, err)
		}
		if err := h.Check(); err != nil || len(h.Lives) != 1 {
			t.Fatal(system, len(h.Lives), err)
		}
		used, lives := &h.Counters[0], &h.Lives[0]
		if used.Name != "GPU memory in use" {
			t.Fatal(used.Name)
		}
		for i, when := range used.At[:len(used.At)-1] { // when the last kernel ends, all ends
			sum := int64(0)
			for k := range lives.Begin {
				if lives.Begin[k] <= when && when < lives.End[k] {
					sum += lives.Amount[k]
				}
			}
			if sum != used.Value[i] {
				t.Fatalf("%s: at %d tensors have %d, %d are in use", system, when, sum, used.Value[i])
			}
		}
		if got := float64(lives.High) / float64(topmost(used)); got < 1 || got > 1.5 {
			t.Errorf("%s: lives stand %.2f times as high as the most in use", system, got)
		}
	}
}

func topmost(c *timeline.Counter) (most int64) {
	for _, v := range c.Value {
		most = max(most, v)
	}
	return most
}
