package knob

import "testing"

// TestOtherNames: a choice is found by other spellings of it, and its key is what is kept.
func TestOtherNames(t *testing.T) {
	i := Info{Key: "gpu", Label: "GPU", Kind: One, Choices: []Choice{{Key: "a100-80", Names: []string{"a100", "a100-sxm-80"}}, {Key: "v100"}}}
	for _, text := range []string{"a100-80", "a100", "a100-sxm-80"} {
		if key, err := i.Canon(text); err != nil || key != "a100-80" {
			t.Errorf("%s is %q, %v", text, key, err)
		}
	}
	if _, err := i.Canon("h100"); err == nil {
		t.Error("what no choice is called is taken")
	}
}
