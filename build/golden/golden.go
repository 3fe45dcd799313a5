// Package golden compares what tests computed with files of the repository: tables of
// gaps, documents of validation, hashes of runs with the values they stand for. With the
// flag -update a test writes them instead.
package golden

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/build/golden/change"
	"spillway/sim/study"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the diff before you commit it")

// Update reports whether files are to be written.
func Update() bool { return *update }

// Compare compares a file with what a test computed, and says what differs; or writes it.
func Compare(t testing.TB, path string, got []byte) {
	t.Helper()
	if *update {
		write(t, path, string(got))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; it is written with: %s", err, command(t))
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	i := 0
	for i < min(len(g), len(w)) && g[i] == w[i] {
		i++
	}
	one, other := apart(at(g, i), at(w, i))
	t.Errorf("%s:%d differs:\ngot  %s\nwant %s%s\n%s", path, i+1, one, other, say(change.Text(string(want), string(got))), meant(t))
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// apart returns two lines around what differs first, where they are long.
func apart(a, b string) (one, other string) {
	const before, most = 60, 300
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	from := 0
	if max(len(a), len(b)) > most {
		from = max(0, same-before)
	}
	part := func(s string) string {
		text := strings.ToValidUTF8(s[from:min(len(s), from+most)], "")
		if from > 0 {
			text = "… " + text
		}
		if len(s) > from+most {
			text += " …"
		}
		return text
	}
	return part(a), part(b)
}

// A Run is one of which a test computed the hash: its line in hashes.golden, which is
// empty of one that was not made now, and what values.golden says of it.
type Run struct {
	Line string
	change.Run
}

// The files of Runs.
const (
	hashes = "testdata/hashes.golden"
	values = "testdata/values.golden"
)

// Runs compares the runs of a test, in their order, with testdata/hashes.golden and
// testdata/values.golden, and says what each was before; or writes both.
func Runs(t testing.TB, runs []Run) {
	t.Helper()
	got := &change.File{}
	made, names := 0, map[string]bool{}
	for i := range runs {
		got.Lines, got.Runs = append(got.Lines, runs[i].Line), append(got.Runs, runs[i].Run)
		if runs[i].Line != "" {
			made++
		}
		if names[runs[i].Name] {
			t.Errorf("two runs are called %q", runs[i].Name)
		}
		names[runs[i].Name] = true
	}
	if *update {
		if made < len(runs) {
			t.Fatalf("%d of %d runs were made; all must be, with -update", made, len(runs))
		}
		write(t, hashes, strings.Join(got.Lines, "\n")+"\n")
		write(t, values, change.Format(got.Runs))
		return
	}
	lines, err := os.ReadFile(hashes)
	var text []byte
	if err == nil {
		text, err = os.ReadFile(values)
	}
	var want *change.File
	if err == nil {
		want, err = change.Read(string(lines), string(text))
	}
	if err == nil && !want.Paired() {
		err = fmt.Errorf("%s has %d runs, %s %d", hashes, len(want.Lines), values, len(want.Runs))
	}
	if err != nil {
		t.Fatalf("%v; both are written with: %s", err, command(t))
	}
	list := change.Between(want, got)
	if effort.WithExamples() {
		list = slices.DeleteFunc(list, func(c change.Change) bool { return c.New })
	}
	if len(list) > 0 {
		t.Errorf("%d of %d runs are not as in %s and the values beside it, on %s/%s:%s\n%s", len(list), made, hashes, runtime.GOOS, runtime.GOARCH, say(list), meant(t))
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// say lists the first changes, a line each, and counts the others.
func say(list []change.Change) string {
	const few = 8
	var b strings.Builder
	for i := range list[:min(few, len(list))] {
		b.WriteString("\n  " + list[i].String())
	}
	if n := len(list) - few; n > 0 {
		fmt.Fprintf(&b, "\n  and %d more", n)
	}
	return b.String()
}

func meant(t testing.TB) string {
	return "If that is right: " + command(t) + "; then read the diff (make golden writes all)."
}

// command is what writes the golden files of a test.
func command(t testing.TB) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("go test %s -run '^%s$' -update", folder(), name)
}

// folder returns that of the test's package, as the go command reads it in the module's.
func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			if in, err := filepath.Rel(top, dir); err == nil {
				return "./" + filepath.ToSlash(in)
			}
		}
		if top == filepath.Dir(top) {
			return "."
		}
	}
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

// Explained takes every recorded gap (rows of gaps.csv) and returns their points: each is a
// point of the paper, is there once and has a reason, which it loses with another value.
func Explained(t testing.TB, p *study.Paper, recorded [][]string) []*study.Point {
	t.Helper()
	var list []*study.Point
	for _, f := range recorded {
		at := slices.IndexFunc(p.Points, func(x study.Point) bool {
			return x.Figure == f[0] && x.System == f[1] && x.Of == f[2] && x.At == f[3] && x.Quantity == f[4]
		})
		switch {
		case at < 0:
			t.Errorf("the gap %q is no point", f[:5])
			continue
		case slices.Contains(list, &p.Points[at]):
			t.Errorf("the gap %q is there twice", f[:5])
		}
		list = append(list, &p.Points[at])
		r := study.Row{Point: &p.Points[at], Status: study.Gap}
		if f[5] != "-" {
			r.OursFits, r.Ours = true, study.Number(f[5])
		}
		if p.Why(&r) == "" {
			t.Errorf("the gap %q has no reason", f[:5])
		}
		r.OursFits, r.Ours = true, 1.1*r.Ours+1
		if p.Why(&r) != "" {
			t.Errorf("the gap %q has a reason whatever its value", f[:5])
		}
	}
	return list
}
