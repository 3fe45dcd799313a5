package golden

import (
	"os"
	"slices"
	"strings"
	"testing"

	"spillway/sim/study"
)

// Share compares what a share of a paper's runs gave, in which not every row is known,
// with a document that was written from all of them: a row that line writes stands in it
// so. Each gap has a reason and is a
// recorded one.
func Share(t testing.TB, path string, rows []study.Row, reason, line func(r *study.Row) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.DeleteFunc(slices.Clone(rows), func(r study.Row) bool { return r.Status == "" || r.NotComputed != "" })
	if len(known) == 0 {
		t.Error("no row is known")
	}
	for i := range known {
		r := &known[i]
		if r.Status == study.Gap && reason(r) == "" {
			t.Errorf("nobody knows why: %v", r.String())
		}
		if want := line(r); want != "" && !strings.Contains(string(text), "\n"+want) {
			t.Errorf("%s has no line that begins with\n%s\n%s", path, want, meant(t))
		}
	}
	for _, gap := range study.Unexpected(known) {
		t.Errorf("not as recorded: %v", gap.String())
	}
}
