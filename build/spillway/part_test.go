package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spillway/ui/lab/all"
)

// boxSweep is a sweep of 24 runs, some of which cannot run or contradict.
var boxSweep = []string{"sweep", "lab=tiny", "system=arms,cart", "tricks=run", "--vary", "road=*", "--vary", "boxes=5..30/6"}

// shards makes the parts of a sweep, except those in without, in a new folder.
func shards(t *testing.T, args []string, of int, without ...int) string {
	t.Helper()
	folder := t.TempDir()
	for i := 1; i <= of; i++ {
		if len(without) > 0 && i == without[0] {
			without = without[1:]
			continue
		}
		code, out, errs := try(tinyLab(1), append(args, "--shard", fmt.Sprintf("%d/%d", i, of), "--parts", folder)...)
		if file := strings.TrimSpace(out); code != exitOK || filepath.Dir(file) != folder {
			t.Fatalf("shard %d/%d: exit code %d, %s%s", i, of, code, out, errs)
		} else if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestMain lets the tests' program be the command, for scripts that need one.
func TestMain(m *testing.M) {
	if os.Getenv("SPILLWAY_TEST_COMMAND") != "" {
		os.Exit(start())
	}
	os.Exit(m.Run())
}

// TestSlurmRecipe runs the tasks of the Slurm recipe without Slurm; with it, make
// test-slurm does.
func TestSlurmRecipe(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	sweep := []string{"lab=train", "system=ideal,uvm", "model=bert-base", "batch=8", "--vary", "part-ssd=*"}
	for i := 3; i >= 1; i-- {
		task := exec.Command(bash, append([]string{"../recipes/slurm/sweep.sbatch"}, sweep...)...)
		task.Env = append(os.Environ(), "SPILLWAY_TEST_COMMAND=1", "SPILLWAY="+self, "SHARDS=3", "PARTS="+folder, fmt.Sprint("SLURM_ARRAY_TASK_ID=", i))
		if out, err := task.CombinedOutput(); err != nil {
			t.Fatalf("task %d: %v: %s", i, err, out)
		}
	}
	_, whole, _ := run(t, append([]string{"sweep", "--json"}, sweep...)...)
	if code, merged, errs := run(t, "merge", "--json", folder); code != exitOK || merged != whole {
		t.Errorf("exit code %d, %s\n%s\nwant\n%s", code, errs, merged, whole)
	}
}

// one returns the only file that the pattern fits.
func one(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files[0]
}

// TestMergedIsWhole checks that merged parts are the bytes of an unsharded run, in
// every form, with one part and with more parts than setups.
func TestMergedIsWhole(t *testing.T) {
	for _, form := range [][]string{nil, {"--csv"}, {"--json"}} {
		code, whole, _ := try(tinyLab(1), append(boxSweep, form...)...)
		if code != exitOK || !strings.Contains(whole, "7") {
			t.Fatalf("exit code %d, %s", code, whole)
		}
		for _, of := range []int{1, 2, 3, 5, 13} {
			code, merged, errs := try(tinyLab(1), append([]string{"merge", shards(t, boxSweep, of)}, form...)...)
			if code != exitOK || errs != "" || merged != whole {
				t.Errorf("%v, %d parts: exit code %d, %s\n%s\nwant\n%s", form, of, code, errs, merged, whole)
			}
		}
	}
}

// TestMergeFolderIsNoPattern: a folder's name is a name, whatever is in it.
func TestMergeFolderIsNoPattern(t *testing.T) {
	_, whole, _ := try(tinyLab(1), boxSweep...)
	for _, name := range []string{"q[1]", "[", "a*b", "what?"} {
		folder := filepath.Join(t.TempDir(), name)
		if err := os.Rename(shards(t, boxSweep, 2), folder); err != nil {
			t.Fatal(err)
		}
		if code, merged, errs := try(tinyLab(1), "merge", folder); code != exitOK || merged != whole {
			t.Errorf("%s: exit code %d, %s%s", name, code, merged, errs)
		}
	}
}

// TestMergeNames checks that every part that is wrong is named.
func TestMergeNames(t *testing.T) {
	const of = 4
	first := func(folder string) string { return one(t, filepath.Join(folder, "*-1-of-4.part")) }
	change := func(t *testing.T, file string, f func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, f(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, folder string)
		says  []string // @ stands for the first part's name
	}{
		{"lost", func(t *testing.T, folder string) {
			if err := os.Remove(first(folder)); err != nil {
				t.Fatal(err)
			}
		}, []string{"@ is missing: make it with sweep --shard 1/4"}},
		{"doubled", func(t *testing.T, folder string) {
			data, err := os.ReadFile(first(folder))
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "copy.part"), data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, []string{"copy.part and ", "@", "are the same part, 1 of 4; name one of them"}},
		{"cut off inside a line", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return b[:len(b)/2] })
		}, []string{"@ is cut off after ", "of 6 runs", "@ is missing"}},
		{"cut off after a line", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return append(bytes.Join(bytes.Split(b, []byte("\n"))[:4], []byte("\n")), '\n') })
		}, []string{"@ is cut off after 3 of 6 runs"}},
		{"without its last line", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return b[:bytes.LastIndex(b, []byte(`{"rows"`))] })
		}, []string{"@ is cut off after 6 of 6 runs"}},
		{"a line lost", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte {
				lines := bytes.Split(b, []byte("\n"))
				return bytes.Join(append(lines[:2], lines[3:]...), []byte("\n"))
			})
		}, []string{"@ is damaged: line 3 is not run 1"}},
		{"a digit changed", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return bytes.Replace(b, []byte(`"time_s":11`), []byte(`"time_s":12`), 1) })
		}, []string{"@ is damaged: its checksum"}},
		{"a run that cannot be read, with its checksum", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte {
				last := bytes.LastIndex(b, []byte(`{"rows"`))
				text := bytes.Replace(b[:last], []byte(`"time_s":11`), []byte(`"time_s":[]`), 1)
				return fmt.Appendf(text, `{"rows":6,"sha256":"%x"}`+"\n", sha256.Sum256(text))
			})
		}, []string{"@:2: "}},
		{"something behind it", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return append(b, "\n"...) })
		}, []string{"@ is damaged: something stands behind its end"}},
		{"head changed", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return bytes.Replace(b, []byte(`tricks=run`), []byte(`tricks=`), 1) })
		}, []string{"@ is damaged: its first line contradicts itself"}},
		{"a later format", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte {
				return bytes.Replace(b, []byte(`{"spillway_part":1,`), []byte(`{"spillway_part":2,`), 1)
			})
		}, []string{"@ has format 2, and this program knows format 1"}},
		{"no part", func(t *testing.T, folder string) {
			change(t, first(folder), func(b []byte) []byte { return []byte("hello\n") })
		}, []string{"@ is no part of a sweep"}},
		{"of other settings", func(t *testing.T, folder string) {
			other := one(t, filepath.Join(shards(t, append([]string{"sweep", "lab=tiny", "boxes=3"}, boxSweep[2:]...), of, 2, 3, 4), "*.part"))
			if err := os.Rename(other, filepath.Join(folder, "other.part")); err != nil {
				t.Fatal(err)
			}
		}, []string{`other.part is of another sweep: settings: "boxes=3 tricks=run", and the others have "tricks=run"`}},
		{"of another number of parts", func(t *testing.T, folder string) {
			other := one(t, filepath.Join(shards(t, boxSweep, 2, 2), "*.part"))
			if err := os.Rename(other, filepath.Join(folder, "other.part")); err != nil {
				t.Fatal(err)
			}
		}, []string{`other.part is of another sweep: shards: "2", and the others have "4"`}},
		{"of a program that computes something else", func(t *testing.T, folder string) {
			elsewhere := t.TempDir()
			if code, _, errs := try(tinyLab(2), append(boxSweep, "--shard", "1/4", "--parts", elsewhere)...); code != exitOK {
				t.Fatal(errs)
			}
			if err := os.Rename(one(t, filepath.Join(elsewhere, "*.part")), first(folder)); err != nil {
				t.Fatal(err)
			}
		}, []string{"@ is of another sweep: it was made by a program that computes other results", "@ is missing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := shards(t, boxSweep, of)
			name := first(folder)
			tt.spoil(t, folder)
			code, out, errs := try(tinyLab(1), "merge", folder, "--csv")
			if code != exitUsage || out != "" {
				t.Errorf("exit code %d, %s", code, out)
			}
			for _, want := range tt.says {
				if want = strings.ReplaceAll(want, "@", filepath.Base(name)); !strings.Contains(errs, want) {
					t.Errorf("says\n%swant %q", errs, want)
				}
			}
		})
	}
}

// TestPartsOfFiles: parts know what was in the files that they are about, and not
// where these lay.
func TestPartsOfFiles(t *testing.T) {
	args := func(dir string) []string {
		return []string{"sweep", "lab=tiny", "system=arms", "file=" + dir, "--vary", "load=ten.txt", "--vary", "load=twenty.txt", "--vary", "load=bad.txt", "--vary", "road=*"}
	}
	dir, elsewhere, other := loads(t), loads(t), loads(t)
	if err := os.WriteFile(filepath.Join(other, "a", "ten.txt"), []byte("11"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := shards(t, args(dir), 2, 2)
	merge := func(want string) {
		t.Helper()
		code, out, errs := try(tinyLab(1), "merge", folder, "--csv")
		if want == "" {
			_, whole, _ := try(tinyLab(1), append(args(dir), "--csv")...)
			if code != exitOK || out != whole || !strings.Contains(out, "bad.txt,flat,arms,contradicts,bad.txt: no number") {
				t.Errorf("exit code %d, %s%s\nwant\n%s", code, errs, out, whole)
			}
		} else if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, %s want %q", code, errs, want)
		}
	}
	code, out, errs := try(tinyLab(1), append(args(other), "--shard", "2/2", "--parts", folder)...)
	if code != exitOK {
		t.Fatal(errs)
	}
	merge(" is of another sweep: its files have other content") // of which is said, names decide
	if err := os.Remove(strings.TrimSpace(out)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := try(tinyLab(1), append(args(elsewhere), "--shard", "2/2", "--parts", folder)...); code != exitOK {
		t.Fatal(errs)
	}
	merge("")
}

// TestPartIsMadeOnce: a whole part stays, a damaged one is made again, the same.
func TestPartIsMadeOnce(t *testing.T) {
	folder := shards(t, boxSweep, 3, 2, 3)
	file := one(t, filepath.Join(folder, "*"))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	again := func() (out, errs string) {
		t.Helper()
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
		code, out, errs := try(tinyLab(1), append(boxSweep, "--shard", "1/3", "--parts", folder)...)
		if data, err := os.ReadFile(file); code != exitOK || err != nil || !bytes.Equal(data, before) || out != file+"\n" {
			t.Errorf("exit code %d, %s%s, %v", code, out, errs, err)
		}
		return out, errs
	}
	if _, errs := again(); errs != "note: "+file+" is there already\n" {
		t.Errorf("says %s", errs)
	}
	if info, err := os.Stat(file); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("it was made again: %v", err)
	}
	if err := os.WriteFile(file, before[:len(before)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs := again(); !strings.HasPrefix(errs, "note: "+file+" is cut off after 8 of 8 runs; ") || !strings.Contains(errs, "it is made again\n") {
		t.Errorf("says %s", errs)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestStopped checks that what is stopped leaves no part, and says so.
func TestStopped(t *testing.T) {
	stop, cancel := context.WithCancel(t.Context())
	folder := t.TempDir()
	var out, errs bytes.Buffer
	s := shell{labs: []all.Entry{tinyLab(1)}, out: &out, errs: &errs, stop: stop}
	cancel()
	code := s.command(append(boxSweep, "--shard", "1/2", "--parts", folder))
	if left, err := os.ReadDir(folder); code != exitFailed || errs.String() != "spillway: stopped\n" || out.Len() > 0 || err != nil || len(left) > 0 {
		t.Errorf("exit code %d, %s%s, left %v, %v", code, &out, &errs, left, err)
	}
}

// TestProgress checks what is said after a second, and that a quick thing says
// nothing.
func TestProgress(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var errs bytes.Buffer
		now := time.Unix(100, 0)
		s := &shell{errs: &errs, lines: &errs, now: func() time.Time { return now }, terminal: terminal}
		p := s.crew(all.Entry{}).progress(40)
		p.done = 1
		p.show()
		now = now.Add(2 * time.Second)
		p.done = 10
		p.show()
		now = now.Add(time.Second)
		p.show()
		p.end()
		want := "10 of 40 runs, 2s, about 6s left\n"
		if terminal {
			want = "\r\x1b[K10 of 40 runs, 2s, about 6s left\r\x1b[K10 of 40 runs, 3s, about 9s left\r\x1b[K"
		}
		if errs.String() != want {
			t.Errorf("terminal %t: says %q, want %q", terminal, errs.String(), want)
		}
	}
	var errs bytes.Buffer
	c := (&shell{errs: &errs, lines: &errs, now: func() time.Time { return time.Unix(0, 0) }}).crew(all.Entry{})
	c.told = &progress{shell: c.shell}
	c.told.done = 3
	c.told.start = time.Unix(-5, 0)
	c.progress(10).show()
	if got := errs.String(); got != "3 runs, 5s\n" {
		t.Errorf("says %q", got)
	}
}
