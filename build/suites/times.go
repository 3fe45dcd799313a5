package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// longest is how many packages and tests a table has.
const longest = 25

// printTimes prints tables of the last runs: suites, packages, tests.
func printTimes(w io.Writer, all bool) error {
	found := false
	for _, mode := range []string{"nightly", "full", "test", "rest", "quick"} {
		data, err := os.ReadFile(timesFile(mode))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var t times
		if err := json.Unmarshal(data, &t); err != nil {
			return fmt.Errorf("%s: %w", timesFile(mode), err)
		}
		found = true
		t.print(w, all)
	}
	if !found {
		return errors.New("nothing has been measured here yet; make test or make quick does it")
	}
	return nil
}

// usual are the seconds of processor that the tasks of a mode took the last time, by name;
// nil if it has not run here.
func usual(mode string) map[string]float64 {
	data, err := os.ReadFile(timesFile(mode))
	var t times
	if err != nil || json.Unmarshal(data, &t) != nil {
		return nil
	}
	list := map[string]float64{}
	for i := range t.Suites {
		list[t.Suites[i].Name] = t.Suites[i].CPU
	}
	return list
}

func (t *times) print(w io.Writer, all bool) {
	fmt.Fprintf(w, "%s at %s, %s: %.0f s on %d processors\n\n", t.Mode, t.Commit, t.Begun, t.Wall, t.Cores)
	fmt.Fprintf(w, "%-16s %8s %8s %7s %7s %7s\n", "suite", "wall s", "cpu s", "passed", "failed", "skipped")
	total := suite{Name: "all"}
	type row struct {
		suite, name string
		wall, cpu   float64
	}
	var packages, tests []row
	for _, s := range t.Suites {
		fmt.Fprintf(w, "%-16s %8.1f %8.1f %7d %7d %7d\n", s.Name, s.Wall, s.CPU, s.Passed, s.Failed, s.Skipped)
		total.Wall, total.CPU, total.Passed, total.Failed, total.Skipped = total.Wall+s.Wall, total.CPU+s.CPU, total.Passed+s.Passed, total.Failed+s.Failed, total.Skipped+s.Skipped
		for _, p := range s.Packages {
			packages = append(packages, row{s.Name, p.Name, p.Wall, p.CPU})
			for _, x := range p.Tests {
				tests = append(tests, row{s.Name, p.Name + " " + x.Name, x.Wall, 0})
			}
		}
	}
	fmt.Fprintf(w, "%-16s %8.1f %8.1f %7d %7d %7d\n", total.Name, total.Wall, total.CPU, total.Passed, total.Failed, total.Skipped)
	table := func(title string, rows []row) {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(max(b.wall, b.cpu), max(a.wall, a.cpu)) })
		if !all {
			rows = rows[:min(len(rows), longest)]
		}
		fmt.Fprintf(w, "\n%8s %8s  %s\n", "wall s", "cpu s", title)
		for _, r := range rows {
			processor := "       -"
			if r.cpu > 0 {
				processor = fmt.Sprintf("%8.1f", r.cpu)
			}
			fmt.Fprintf(w, "%8.1f %s  %s: %s\n", r.wall, processor, r.suite, r.name)
		}
	}
	table("packages and files of browser tests", packages)
	table("tests", tests)
	fmt.Fprintln(w)
}
