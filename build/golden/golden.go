// Package golden compares what tests computed with files of the repository: tables of
// gaps, documents of validation. With the flag -update a test writes them instead.
package golden

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"strings"
	"testing"

	"spillway/sim/study"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the diff before you commit it")

// Update reports whether files are to be written.
func Update() bool { return *update }

// Compare compares a file with what a test computed, and says the first line that
// differs; or writes it.
func Compare(t testing.TB, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Errorf("%s:%d differs; read the difference, then run with -update\ngot  %s\nwant %s", path, i+1, at(g, i), at(w, i))
			return
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// Gaps compares gaps.csv, which begins with head and study.GapColumns, with the gaps among
// rows. Each must have a reason, and must be there with the value that it has.
func Gaps(t testing.TB, head string, rows []study.Row, reason func(r *study.Row) string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(head + study.GapColumns + "\n")
	w := csv.NewWriter(&b)
	for i := range rows {
		r := &rows[i]
		if r.Status != study.Gap {
			continue
		}
		if reason(r) == "" {
			t.Errorf("nobody knows why: %v", r.String())
		}
		gap := study.GapOf(r)
		if err := w.Write(gap[:]); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	Compare(t, "gaps.csv", b.Bytes())
	if *update {
		return
	}
	for _, gap := range study.Unexpected(rows) {
		t.Errorf("not as recorded: %v", gap.String())
	}
}
