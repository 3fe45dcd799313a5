// Suites runs the tests: what shows in minutes that all is well (test), the rest of what a
// change must pass (rest), both (full), what a change can reach (quick), all that there is
// (nightly). It runs side by side what does not need each
// other, cheap things first, says at once what fails with the line that repeats it
// alone, and keeps how long everything took (times). Run it from the repository root;
// the Makefile does.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "measure" {
		os.Exit(measure(os.Args[2:]))
	}
	base := flag.String("base", "", "quick: the commit to compare with; what is not committed counts, too (default: where the branch left its upstream, else the last commit)")
	stop := flag.Bool("stop", false, "end everything once something failed")
	list := flag.Bool("list", false, "only say what would run")
	only := flag.String("only", "", "names of tasks, comma between them: only these, whatever they need")
	tests := flag.Bool("tests", false, "times: every test, not only the longest")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: suites [flags] test | rest | full | quick | nightly | times | mutants")
		flag.PrintDefaults()
	}
	flag.Parse()
	ok, err := command(flag.Arg(0), *base, *only, *stop, *list, *tests)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func command(mode, base, only string, stop, list, tests bool) (bool, error) {
	if mode == "times" {
		return true, printTimes(os.Stdout, tests)
	}
	if mode == "mutants" {
		return tryMutants(os.Stdout, flag.Args()[1:])
	}
	s := &schedule{lanes: max(2, runtime.NumCPU()), out: os.Stdout, logs: logs}
	if stop {
		interrupted, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer cancel()
		s.stop, s.cancel = context.WithCancel(interrupted)
	}
	p := &planner{out: s.out, stop: stop, nightly: mode == "nightly", outsider: strings.Contains(only, "outsider")}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	p.self = self
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return false, err
	}
	p.goroot = strings.TrimSpace(string(out))
	if out, err = exec.Command("go", "tool", "-n", "gotestsum").Output(); err != nil {
		return false, err
	}
	p.gotestsum = strings.TrimSpace(string(out))
	if p.house, err = listHouse(); err != nil {
		return false, err
	}
	rec, err := readRecord()
	if err != nil {
		return false, err
	}
	var r run
	switch mode {
	case "full":
		r = p.full(rec)
	case "test", "rest":
		r = p.full(rec).part(mode == "rest")
	case "nightly":
		if r, _, err = rec.due(p.full(rec)); err != nil {
			return false, err
		}
		s.passed = rec.keepNightly
	case "quick":
		if base == "" {
			base = usualBase()
		}
		files, err := differing(base)
		if err != nil {
			return false, err
		}
		if len(files) == 0 {
			fmt.Printf("Nothing differs from %s.\n", base)
			return true, nil
		}
		fmt.Printf("%d files differ from %s.\n", len(files), base)
		if r, err = p.quick(p.house.reach(files)); err != nil {
			return false, err
		}
	default:
		flag.Usage()
		return false, fmt.Errorf("unknown mode %q", mode)
	}
	if only != "" {
		if r, err = r.only(strings.Split(only, ",")); err != nil {
			return false, err
		}
		mode = "only"
	}
	if list {
		for i := range r.tasks {
			fmt.Printf("%-14s %s\n", r.tasks[i].name, strings.Join(r.tasks[i].command, " "))
		}
		return true, nil
	}
	// The first task writes what is generated; make, which others call, leaves it alone.
	if err := os.Setenv("SPILLWAY_GENERATED", "1"); err != nil {
		return false, err
	}
	s.usual = usual(mode)
	begun := time.Now()
	suites := s.run(r.tasks)
	if err := keepTimes(mode, time.Since(begun), suites); err != nil {
		return false, err
	}
	failed := conclude(suites, r.left, time.Since(begun))
	if mode == "full" || mode == "rest" {
		p.nightly = true
		_, names, err := rec.due(p.full(rec))
		if err != nil {
			return false, err
		}
		if len(names) > 0 {
			fmt.Printf("note: these have not passed at night with the engines as they are; run make nightly before an issue on engines is resolved: %s\n", strings.Join(names, ", "))
		}
	}
	printCounts(suites)
	if !failed {
		err = keepRecord(rec, suites)
	}
	return !failed, err
}

// usualBase is the commit that quick compares with when none is named.
func usualBase() string {
	if out, err := git("merge-base", "HEAD", "@{upstream}"); err == nil {
		return strings.TrimSpace(out)
	}
	return "HEAD"
}

// conclude repeats what failed and says what was left out.
func conclude(suites []suite, left []string, took time.Duration) (failed bool) {
	fmt.Println()
	processor := 0.0
	for i := range suites {
		s := &suites[i]
		processor += s.CPU
		for _, f := range s.failures {
			failed = true
			fmt.Printf("FAILED  %s\n        %s\n", f.what, f.repeat)
		}
		failed = failed || s.Failed > 0 || s.blocked
	}
	for _, s := range left {
		fmt.Println("left out:", s)
	}
	if failed {
		fmt.Printf("Everything that was printed is in %s, pictures of failed browser tests are in %s.\n", logs, failures)
	}
	fmt.Printf("%.1f minutes, %.1f minutes of processor; make times has the table\n", took.Minutes(), processor/60)
	return failed
}

// printCounts ends a run with the line that tools look for.
func printCounts(suites []suite) {
	var pass, fail, skip int
	for i := range suites {
		pass, fail, skip = pass+suites[i].Passed, fail+suites[i].Failed, skip+suites[i].Skipped
		if suites[i].blocked {
			fail++
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", pass, fail, skip)
}

// keepRecord notes what passed of that which does not run each time.
func keepRecord(rec *record, suites []suite) error {
	changed := false
	for i := range suites {
		if s := &suites[i]; s.Name == "test-outsider" && s.Failed == 0 && s.Passed > 0 {
			var err error
			if rec.Outsider, err = now(seams, "passed", time.Duration(s.Wall*float64(time.Second))); err != nil {
				return err
			}
			changed = true
		}
	}
	if !changed {
		return nil
	}
	fmt.Printf("%s is new; commit it\n", recordFile)
	return rec.write()
}

// timesFile keeps how long the last run of each mode took.
func timesFile(mode string) string { return filepath.Join("build/out/times", mode+".json") }

// times is the content of timesFile.
type times struct {
	Mode   string  `json:"mode"`
	Commit string  `json:"commit"`
	Begun  string  `json:"begun"`
	Wall   float64 `json:"wall_s"`
	Cores  int     `json:"cores"`
	Suites []suite `json:"suites"`
}

func keepTimes(mode string, took time.Duration, suites []suite) error {
	commit, _ := git("rev-parse", "--short", "HEAD")
	t := times{mode, strings.TrimSpace(commit), time.Now().Add(-took).UTC().Format(time.RFC3339), took.Seconds(), runtime.NumCPU(), suites}
	data, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	f, err := create(timesFile(mode))
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
