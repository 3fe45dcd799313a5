package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spillway/ui/lab/all"
)

// TestReproduce: a folder has everything of a paper, and goes on where it was stopped.
func TestReproduce(t *testing.T) {
	folder := t.TempDir()
	reproduce := func(ctx context.Context) (int, string) {
		var out bytes.Buffer
		s := shell{labs: all.Labs, out: &out, errs: &out, version: "1.0", stop: ctx}
		return s.command([]string{"reproduce", "ravenstore", "-o", folder}), out.String()
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if code, out := reproduce(stopped); code != exitFailed || !strings.Contains(out, "12 of 12 runs are left; the same command goes on with them") {
		t.Errorf("stopped before it began: exit code %d: %s", code, out)
	}
	code, out := reproduce(context.Background())
	if code != exitOK || !strings.Contains(out, "12 of 12 runs are done") || !strings.Contains(out, "What is left:\n\n- Nothing.") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	read := func() map[string]string {
		now := map[string]string{}
		for _, name := range []string{"README.md", "report.html", "references.bib", "ravenstore.spillway.zip", "tables/claims.csv", "tables/T1.csv", "tables/T2.csv"} {
			data, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil || len(data) == 0 {
				t.Errorf("%s: %v", name, err)
			}
			now[name] = string(data)
		}
		return now
	}
	files := read()
	if !strings.HasPrefix(files["references.bib"], "@techreport{ravenstore,") {
		t.Errorf("%s", files["references.bib"])
	}
	// One run is gone, one was cut off: both are run again, and all is as before.
	kept, err := filepath.Glob(filepath.Join(folder, "runs", "*"))
	if err != nil || len(kept) != 12 {
		t.Fatalf("%q, %v", kept, err)
	}
	if err := os.Remove(kept[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(kept[1], 20); err != nil {
		t.Fatal(err)
	}
	if code, out := reproduce(context.Background()); code != exitOK || !strings.Contains(out, "10 of 12 runs are there already") {
		t.Errorf("exit code %d: %s", code, out)
	}
	for name, text := range read() {
		if text != files[name] {
			t.Errorf("%s is another after going on", name)
		}
	}
	if code, out, _ := run(t, "check", filepath.Join(folder, "ravenstore.spillway.zip")); code != exitOK {
		t.Errorf("the bundle: exit code %d: %s", code, out)
	}
	for _, args := range [][]string{{"reproduce"}, {"reproduce", "ravenstore"}, {"reproduce", "no-such-paper", "-o", folder}} {
		if code, _, _ := run(t, args...); code != exitUsage {
			t.Errorf("spillway %v: exit code %d", args, code)
		}
	}
}

// TestCite: papers are BibTeX, remarks are none.
func TestCite(t *testing.T) {
	code, out, errs := run(t, "cite", "lab=train", "system=flashneuron,spillway")
	if code != exitOK || strings.Count(out, "@inproceedings{") != 2 || !strings.HasPrefix(out, "@inproceedings{flashneuron,") || !strings.Contains(out, "@inproceedings{g10,") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if code, out, _ := run(t, "cite"); code != exitOK || strings.Count(out, "\n}\n") != strings.Count(out, "@") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code, _, _ := run(t, "cite", "system=g10"); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}

// TestSectionCSV: the numbers of a section are one table.
func TestSectionCSV(t *testing.T) {
	code, out, errs := run(t, "section", "fairness", "lab=store", "--csv")
	if code != exitOK || !strings.HasPrefix(out, "table,line,row,about,column,value,unit,text,setup\nclients,1,training,,alone,12.7") || !strings.Contains(out, ",s,,\n") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
