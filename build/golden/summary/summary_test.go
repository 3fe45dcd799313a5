package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSummarize(t *testing.T) {
	pair := func(h1, h2, v1, v2 string) []file {
		return []file{{"a/testdata/hashes.golden", []byte(h1), []byte(h2)}, {"a/testdata/values.golden", []byte(v1), []byte(v2)}}
	}
	const (
		hashed = "11 one\n22 two\n33 three\n"
		valued = "one\n  time_s 2\n  faults 0\ntwo\n  time_s 4\n  faults 7\nthree\n  time_s 5\n  faults 8\n"
	)
	for _, x := range []struct {
		what  string
		files []file
		want  string
	}{
		{"nothing", pair(hashed, hashed, valued, valued), "Golden files are as in HEAD.\n"},
		{
			"values", pair(hashed, "1x one\n2x two\n33 three\n", valued, "one\n  time_s 2.01\n  faults 1\ntwo\n  time_s 3.9\n  faults 7\nthree\n  time_s 5\n  faults 8\n"),
			`a/testdata/values.golden: lines +3 -3; a/testdata/hashes.golden: lines +2 -2
  2 runs with other values
    time_s  2, -2.5 % to +0.5 %: 4 → 3.9 in two
    faults  1 from 0: 0 → 1 in one

2 golden files changed since HEAD, lines +5 -5.
Largest relative change: time_s 4 → 3.9 (-2.5 %) of two in a/testdata/values.golden
`,
		},
		{
			"hashes alone, new and gone runs", pair(hashed, "1x one\n33 three\n44 four\n", valued, "one\n  time_s 2\n  faults 0\nthree\n  time_s 5\n  faults 8\nfour\n  time_s 1\n"),
			`a/testdata/values.golden: lines +2 -3; a/testdata/hashes.golden: lines +2 -2
  1 new run: four
  1 run that is gone: two
  1 hash changed though no value did: one

2 golden files changed since HEAD, lines +4 -5.
1 hash changed though no value beside did.
`,
		},
		{
			"hashes whose values are the same file", pair(hashed, "1x one\n2x two\n33 three\n", valued, valued),
			`a/testdata/hashes.golden: lines +2 -2
  2 hashes changed though no value did: one; two

1 golden file changed since HEAD, lines +2 -2.
2 hashes changed though no value beside did.
`,
		},
		{
			"text",
			[]file{{"b.txt", []byte("drive  read\nA  100\nB  200\n"), []byte("drive  read\nA  110\nB  200\nC  1\n")}, {"new.txt", nil, []byte("x\n")}, {"bin", []byte("a\x00"), []byte("b\x00")}},
			`b.txt: lines +2 -1
  1 line with other values
    A  1, +10 %: 100 → 110 in line 2, A
  1 new line: C 1
new.txt: a new file, lines +1 -0
bin: lines +1 -1

3 golden files changed since HEAD, lines +4 -2.
Largest relative change: A 100 → 110 (+10 %) of line 2, A in b.txt
`,
		},
	} {
		if got := summarize("HEAD", x.files); got != x.want {
			t.Errorf("%s: got\n%swant\n%s", x.what, got, x.want)
		}
	}
}

// What changed is what git says: files of the commit, deleted and new ones, no others.
func TestChanged(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do := func(args ...string) {
		t.Helper()
		if _, err := git(dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	do("init", "-q")
	write("sim/a/testdata/hashes.golden", "11 one\n")
	write("sim/a/testdata/values.golden", "one\n  time_s 2\n")
	write("sim/a/NOTES.md", "a\n")
	write("sim/a/a.go", "package a\n")
	write("README.md", "a\n")
	do("add", ".")
	do("commit", "-q", "-m", "a")
	if files, err := changed("HEAD"); err != nil || len(files) > 0 {
		t.Errorf("nothing changed, but %v, %v", files, err)
	}
	write("sim/a/testdata/values.golden", "one\n  time_s 3\n")
	write("sim/b/testdata/new.txt", "b\n")
	write("sim/a/a.go", "package a // new\n")
	write("README.md", "b\n")
	if err := os.Remove("sim/a/NOTES.md"); err != nil {
		t.Fatal(err)
	}
	t.Chdir("sim")
	files, err := changed("HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.path+" "+string(f.was)+"→"+string(f.is))
	}
	want := "sim/a/NOTES.md a\n→|sim/a/testdata/hashes.golden 11 one\n→11 one\n|sim/a/testdata/values.golden one\n  time_s 2\n→one\n  time_s 3\n|sim/b/testdata/new.txt →b\n"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %q\nwant %q", strings.Join(got, "|"), want)
	}
}
