// Command fuzz runs every fuzz test below the folders that it is given, one
// after the other, counts what each executed, and goes on after a failure.
//
// It fails if a test failed or executed less than the floor: a target that
// executes next to nothing protects nothing, however green it is.
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A target is one fuzz test: its package as a folder ("./sim/hash"), its name,
// and what came of it.
type target struct {
	folder, name string

	executions int
	took       time.Duration
	failure    string // what the test said last when it failed; "" if it passed
}

// A budget says how long each target runs.
type budget struct {
	time  time.Duration // if executions is 0
	count int           // executions
	limit time.Duration // after which a target that counts executions is ended; what it executed counts
	floor int           // executions below which a target fails
}

func main() {
	var b budget
	flag.DurationVar(&b.time, "time", 30*time.Second, "how long each target runs")
	flag.IntVar(&b.count, "runs", 0, "how many executions each target makes, instead of -time")
	flag.DurationVar(&b.limit, "limit", time.Hour, "with -runs, when a target is ended that is not through")
	flag.IntVar(&b.floor, "floor", 1000, "executions below which a target fails")
	only := flag.String("only", "", "a pattern (regexp) of FOLDER NAME: only these targets")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *only, b); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, folders []string, only string, b budget) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	targets, err := findTargets(folders)
	if err != nil {
		return err
	}
	targets = slices.DeleteFunc(targets, func(t target) bool { return !pattern.MatchString(t.folder + " " + t.name) })
	if len(targets) == 0 {
		return fmt.Errorf("no fuzz test below %s", strings.Join(folders, ", "))
	}
	for i := range targets {
		t := &targets[i]
		t.fuzz(b)
		fmt.Fprintf(out, "%d of %d  %s\n", i+1, len(targets), t.line(b))
		if t.failure != "" {
			fmt.Fprintln(out, t.failure)
		}
	}
	return summarize(out, targets, b)
}

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// findTargets returns the fuzz tests below the folders, by folder and name.
func findTargets(folders []string) ([]target, error) {
	var found []target
	for _, root := range folders {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata"):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			for _, m := range declaration.FindAllSubmatch(text, -1) {
				folder := "./" + filepath.ToSlash(filepath.Dir(path))
				found = append(found, target{folder: folder, name: string(m[1])})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b target) int {
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.name, b.name))
	})
	return slices.CompactFunc(found, func(a, b target) bool { return a.folder == b.folder && a.name == b.name }), nil
}

// fuzz runs the target.
func (t *target) fuzz(b budget) {
	ctx := context.Background()
	length := b.time.String()
	if b.count > 0 {
		length = strconv.Itoa(b.count) + "x"
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.limit)
		defer cancel()
	}
	// Go minimizes every input that it finds interesting, for up to a minute
	// each by default: all of the time that a target has. One try is enough.
	c := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$",
		"-fuzztime", length, "-fuzzminimizetime", "1x", t.folder)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) } // go test's workers, too
	c.WaitDelay = 10 * time.Second
	start := time.Now()
	said, err := c.StdoutPipe()
	if err == nil {
		c.Stderr = c.Stdout
		err = c.Start()
	}
	if err != nil {
		t.failure = err.Error()
		return
	}
	t.listen(said)
	if err := c.Wait(); err == nil || ctx.Err() != nil {
		t.failure = ""
	} else if t.failure == "" {
		t.failure = err.Error()
	}
	t.took = time.Since(start)
}

var executed = regexp.MustCompile(`^fuzz: elapsed: .* execs: (\d+)`)

// listen reads what go test says: how much was executed, and, since the last
// of that, what may be a failure.
func (t *target) listen(said io.Reader) {
	var rest []string
	for lines := bufio.NewScanner(said); lines.Scan(); {
		line := lines.Text()
		if m := executed.FindStringSubmatch(line); m != nil {
			t.executions, _ = strconv.Atoi(m[1])
			continue
		}
		if rest = append(rest, "    "+line); len(rest) > 40 {
			rest = rest[1:]
		}
	}
	t.failure = strings.Join(rest, "\n")
	_, _ = io.Copy(io.Discard, said) // after a line that is too long
}

func (t *target) line(b budget) string {
	verdict := "passed"
	if t.failure != "" {
		verdict = "FAILED"
	} else if t.executions < b.floor {
		verdict = "TOO FEW"
	}
	return fmt.Sprintf("%-32s %-26s %10d executions %8.1f s  %s", t.folder, t.name, t.executions, t.took.Seconds(), verdict)
}

// summarize prints the targets that did not pass, and the sum.
func summarize(out io.Writer, targets []target, b budget) error {
	failed, few, sum := 0, 0, 0
	for _, t := range targets {
		sum += t.executions
		switch {
		case t.failure != "":
			failed++
		case t.executions < b.floor:
			few++
		default:
			continue
		}
		fmt.Fprintln(out, t.line(b))
	}
	fmt.Fprintf(out, "%d targets, %d executions, %d failed, %d below %d executions\n", len(targets), sum, failed, few, b.floor)
	if failed+few > 0 {
		return fmt.Errorf("%d of %d targets failed, %d executed too little", failed, len(targets), few)
	}
	return nil
}
