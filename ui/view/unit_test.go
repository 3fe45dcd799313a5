package view

import "testing"

// TestUnparted keeps numbers and units together, and leaves everything else as it is.
func TestUnparted(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"1.5× with 2.9 % more time.":     "1.5× with 2.9\u00a0% more time.",
		"at 504 k calls/s, 3.3× as fast": "at 504\u00a0k\u00a0calls/s, 3.3× as fast",
		"54 ms of its 66 ms, 12 GiB.":    "54\u00a0ms of its 66\u00a0ms, 12\u00a0GiB.",
		"of 16, s":                       "of 16, s",
		"In 2024 B wins  twice":          "In 2024\u00a0B wins  twice",
		"5 GB/s":                         "5\u00a0GB/s",
	} {
		if got := unparted(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
