package session_test

import (
	"strings"
	"testing"

	"spillway/ui/lab/store"
	"spillway/ui/model/question"
	"spillway/ui/model/state"
)

// TestChallenge: the preset of a challenge opens on its question, and What if says the score that
// the command prints (public/docs/policies.md has the numbers); it says none once something else is
// set.
func TestChallenge(t *testing.T) {
	h := hostOf(t, "v=4&lab=store", map[string]string{}, store.New())
	h.UsePreset("challenge-store")
	if h.State.View != state.WhatIf {
		t.Fatalf("the view is %s", h.State.View)
	}
	h.do()
	says := func() string {
		var c question.Shown
		c.Follow(h.Question)
		c.Conclude()
		return c.Says()
	}
	if got := says(); !strings.Contains(got, "Score of Yours: 1.1198, the mean of its times over those of the best known; less is better. Size-aware has 1.0131.") {
		t.Errorf("LRU: %s", got)
	}
	for _, c := range [][2]string{{"policy", "evict=next*min(size,short)*(p1 if mine else 1)@fetch=-next"}, {"p1", "4"}} {
		if err := h.State.Setup.Set(c[0], c[1]); err != nil {
			t.Fatal(err)
		}
	}
	h.Question.Run()
	h.do()
	if got := says(); !strings.Contains(got, "Score of Yours: 1.0133,") {
		t.Errorf("whoever asks: %s", got)
	}
	if err := h.State.Setup.Set("gpu_memory", "9"); err != nil {
		t.Fatal(err)
	}
	h.Question.Run()
	h.do()
	if got := says(); strings.Contains(got, "Score") {
		t.Errorf("with less memory: %s", got)
	}
}
