package golden

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"spillway/build/golden/change"
)

// A recorder keeps what a test would say.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return "TestRuns/first" }
func (r *recorder) Errorf(format string, args ...any) {
	r.said += fmt.Sprintf(format, args...) + "\n"
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

func run(name, hash string, time int64) Run {
	return Run{hash + " " + name, change.Run{Name: name, Values: []change.Value{change.Int("time_ps", time)}}}
}

// What is written with -update is as it should be, and without -update a test says which
// runs are not, what they were and what writes them.
func TestRuns(t *testing.T) {
	if Update() {
		t.Skip("writes no file of the repository")
	}
	t.Chdir(t.TempDir())
	runs := []Run{run("one", "11", 100), run("two", "22", 200), run("three", "33", 300)}
	*update = true
	Runs(t, runs)
	Compare(t, "doc.txt", []byte("a 1\nb 2\n"))
	*update = false
	Runs(t, runs)
	Compare(t, "doc.txt", []byte("a 1\nb 2\n"))
	if text, err := os.ReadFile(values); err != nil || string(text) != "one\n  time_ps 100\ntwo\n  time_ps 200\nthree\n  time_ps 300\n" {
		t.Errorf("values are %s, %v", text, err)
	}
	part := []Run{{"", change.Run{Name: "one"}}, run("two", "22", 200), {"", change.Run{Name: "three"}}}
	Runs(t, part)

	check := func(what string, wants []string, do func(r *recorder)) {
		t.Helper()
		r := &recorder{TB: t}
		do(r)
		for _, want := range wants {
			if !strings.Contains(r.said, want) {
				t.Errorf("%s: %q is not in what the test says:\n%s", what, want, r.said)
			}
		}
	}
	check("values", []string{"2 of 3 runs", "\n  one: time_ps 100 → 101 (+1 %)\n", "\n  three: another hash", "go test . -run '^TestRuns$' -update"}, func(r *recorder) {
		Runs(r, []Run{run("one", "1x", 101), run("two", "22", 200), run("three", "3x", 300)})
	})
	check("names", []string{`two runs are called "one"`}, func(r *recorder) { Runs(r, []Run{run("one", "11", 100), run("one", "11", 100)}) })
	check("text", []string{"doc.txt:2 differs", "line 2, b: b 2 → 3 (+50 %)", "-update"}, func(r *recorder) { Compare(r, "doc.txt", []byte("a 1\nb 3\n")) })
}

func TestApart(t *testing.T) {
	if a, b := apart("one 1", "one 2"); a != "one 1" || b != "one 2" {
		t.Errorf("short lines become %q, %q", a, b)
	}
	long := strings.Repeat("ä", 500)
	a, b := apart(long+"1"+long, long+"2")
	if !strings.HasPrefix(a, "… ä") || !strings.HasSuffix(a, "ä …") || !strings.Contains(a, "ä1ä") || !strings.HasSuffix(b, "ä2") || len(a) > 320 {
		t.Errorf("long lines become %q, %q", a, b)
	}
}
