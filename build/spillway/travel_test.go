package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPolicyTravels: a policy is in what a run is written as: JSON, and a bundle, which is
// replayed.
func TestPolicyTravels(t *testing.T) {
	const text = "policy=#Mine@evict=size*p1@fetch=-next"
	const joined = "policy=%23Mine@evict=size*p1@fetch=-next"
	args := []string{"lab=store", "workload=late-clock", "system=own,lru", text, "p1=3"}
	code, out, errs := run(t, append([]string{"run", "--json"}, args...)...)
	if code != exitOK || !strings.Contains(out, "Mine") || !strings.Contains(out, "evict") {
		t.Errorf("JSON: exit code %d, %s\n%.2000s", code, errs, out)
	}
	name := filepath.Join(t.TempDir(), "mine.spillway.zip")
	if code, _, errs := run(t, append([]string{"bundle", "-o", name}, args...)...); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	found := false
	for _, content := range unzip(t, name) {
		found = found || strings.Contains(content, joined)
	}
	if !found {
		t.Error("no file of the bundle has the policy")
	}
	if code, out, errs := run(t, "check", name); code != exitOK {
		t.Errorf("check: exit code %d: %s%s", code, out, errs)
	}
}
