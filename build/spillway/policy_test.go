package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written writes a policy into a file.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mine.policy")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// A policy of a file runs as the same text does, under its title, and as what the record's setup
// says; what is wrong has file, line and column.
func TestPolicyOfAFile(t *testing.T) {
	file := written(t, "# Whoever asks\n\nevict = next * min(size, short) * (p1 if mine else 1) # mine\nfetch = -next\n")
	const joined = "#Whoever asks@evict=next*min(size,short)*(p1 if mine else 1)@fetch=-next"
	_, want, _ := run(t, "run", "lab=store", "system=own,lru", "policy="+joined, "p1=4")
	code, got, errs := run(t, "run", "lab=store", "system=own,lru", "policy=@"+file, "p1=4")
	if code != exitOK || got != want || !strings.Contains(got, "Whoever asks  LRU") || !strings.Contains(got, "policy=%23Whoever+asks@evict=next*min(size,short)*(p1+if+mine+else+1)@fetch=-next p1=4") {
		t.Errorf("exit code %d, %s\n%s\nwant\n%s", code, errs, got, want)
	}
	if !strings.Contains(got, "The policy Whoever asks (565e04f8) was asked ") {
		t.Error("no note of the policy")
	}
	for _, args := range [][]string{{"figure", "lab=store", "workload=pairs", "systems=own,lru"}, {"figure", "v=4-by-hand&lab=store&workload=pairs", "systems=own,lru"}} {
		if code, out, errs := run(t, append(args, "policy=@"+file)...); code != exitOK || !strings.Contains(out, "Whoever asks") {
			t.Errorf("%q: exit code %d, %s", args, code, errs)
		}
	}
	wrong := written(t, "# Mine\nevict = agee\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "lab=store", "system=own", "policy=@" + written(t, "evict = 3 % 2")}, ":1:11: '%' means nothing here\n"},
		{[]string{"run", "lab=store", "system=own", "policy=@" + wrong}, "Policy 2:7: agee is unknown; do you mean age? (in \"evict=agee\")\n"},
		{[]string{"run", "lab=store", "system=own", "policy=evict=due+1@evict=2"}, "Policy 2:1: evict is there already, in line 1 (in \"evict=2\")\n"},
		{[]string{"run", "lab=store", "system=own", "policy=@" + wrong + "x"}, "no such file or directory\n"},
		{[]string{"policy", "check", "lab=store", wrong}, wrong + ":2:9: agee is unknown; do you mean age?\n"},
		{[]string{"policy", "check", wrong}, "policy check: want lab=LAB, one of "},
		{[]string{"policy", "list", "lab=filesys"}, "policy: filesys runs no policies of one's own; there are "},
		{[]string{"policy", "fmt", written(t, "evict = \x00")}, ":1:9: '\\x00' means nothing here\n"},
		{[]string{"policy", "brew"}, "policy: unknown \"brew\"; want list, check, fmt or score\n"},
	} {
		if code, out, errs := run(t, c.args...); code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, %s%s\nwant %s", c.args, code, out, errs, c.want)
		}
	}
}

// What is listed is what can be written, and fmt prints what means the same.
func TestPolicyCommands(t *testing.T) {
	code, out, errs := run(t, "policy", "list", "lab=store")
	for _, want := range []string{"\n  evict ", "\n  put ", "\n  truth, s (live, future)", "\n  mine (condition, live)", "keep NAME of tensor = 0"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s\nwithout %q", code, out, errs, want)
		}
	}
	code, out, errs = run(t, "policy", "list", "lab=cxlssd")
	for _, want := range []string{"\n  promote ", "\n  hit ", "\n  wait, s ", "\n  latency_known (condition)\n    ", "\n  total (future)", "keep NAME of page = 0", "What there is to know. What reads the future"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s\nwithout %q", code, out, errs, want)
		}
	}
	file := written(t, "promote = hits > 3\n")
	if code, out, errs := run(t, "policy", "check", "lab=cxlssd", file); code != exitOK || !strings.HasPrefix(out, file+": right; no title, ") || !strings.HasSuffix(out, "\n  promote: 2 operations and numbers read; asked about one page each time\n") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	file = written(t, "# Mine\nevict=-truth #why\n")
	if code, out, errs := run(t, "policy", "fmt", file); code != exitOK || out != "# Mine\nevict = -truth # why\n" {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	want := file + ": right; Mine, b777f39a, 18 bytes in a link\n  evict: 2 operations and numbers read; asked of all that wait, each time\n  fetch: 3 operations and numbers read; by default; asked of all that wait, each time\n  It knows the future, so it is a bound.\n"
	if code, out, errs := run(t, "policy", "check", "lab=store", file); code != exitOK || out != want {
		t.Errorf("exit code %d, %s%s\nwant %s", code, out, errs, want)
	}
}

// A score is of a fixed set: LRU as a text has that of LRU, a better one less, and the link leads
// to a page with the same settings.
func TestScore(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all mixes")
	}
	_, lru, errs := run(t, "policy", "score", "lab=store", written(t, "evict = -last\nfetch = last"))
	if !strings.Contains(lru, "Score 1.") || !strings.Contains(lru, "&systems=lru,own,best-known&view=whatif&focus=own&ask-vary=workload") {
		t.Fatal(lru, errs)
	}
	_, rest, _ := strings.Cut(lru, "Score ")
	if score := rest[:6]; !strings.Contains(rest, "lru has "+score) {
		t.Error(lru)
	}
	for _, args := range [][]string{{"policy", "score", "lab=store", written(t, "evict = -last"), "gpu_memory=4"}, {"policy", "score", "lab=store", written(t, "evict = -last"), "policy=evict=size"}, {"policy", "score", "lab=store", "prefetch=0"}, {"policy", "score", "lab=cxlssd", written(t, "promote = hits >= 1")}} {
		if code, out, errs := run(t, args...); code != exitUsage || !strings.Contains(errs, "fixed") {
			t.Errorf("%q: %d, %s%s", args, code, out, errs)
		}
	}
}

// A dial is a setting like others: it is varied, and the best value of it is searched.
func TestDials(t *testing.T) {
	args := []string{"lab=store", "workload=table-and-blocks", "system=own", "policy=evict=next*min(size,short)*(p1 if mine else 1)"}
	_, lines, errs := run(t, append(append([]string{"sweep"}, args...), "--vary", "p1=1,4", "--csv")...)
	rows := strings.Split(strings.TrimSpace(lines), "\n")
	if len(rows) != 3 || !strings.Contains(rows[0], "p1") || rows[1][strings.LastIndex(rows[1], ","):] == rows[2][strings.LastIndex(rows[2], ","):] {
		t.Errorf("%s%s", lines, errs)
	}
	if _, found, errs := run(t, append(append([]string{"solve"}, args...), "--smallest", "p1=1..8", "--at-most", "19.5")...); !strings.Contains(found, "p1") || strings.Contains(found, "No dial 1") {
		t.Errorf("%s%s", found, errs)
	}
}
