package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A task is one command of a run: a check, a build, or a suite of tests.
type task struct {
	name    string
	command []string
	env     []string // besides the environment
	needs   []string // tasks that must have passed before
	rest    bool     // for make rest, not for make test
	alone   bool     // nothing runs beside it: its tests measure time
	reader  reader   // of what it prints; nil: its exit status is its only result
	repeat  string   // a line for the shell that does it again; empty: the command itself
}

// A reader makes outcomes of what a task prints while it runs. Its methods are called
// from one goroutine.
type reader interface {
	io.Writer
	// begin is called before the task runs: files of the last run go.
	begin()
	// close is called when the task has ended and returns what it was about. What
	// failed has been said by then, through the function that the reader was made with.
	close() suite
}

// A suite is what came of a task, as `make times` shows it.
type suite struct {
	Name     string      `json:"name"`
	Wall     float64     `json:"wall_s"`
	CPU      float64     `json:"cpu_s"` // user and system, of all its processes
	Passed   int         `json:"passed"`
	Failed   int         `json:"failed"`
	Skipped  int         `json:"skipped"`
	Packages []container `json:"packages,omitempty"` // Go packages, or files of browser tests

	failures []failure
	blocked  bool // did not run, because what it needs failed
}

// A container is a Go package or a file of tests.
type container struct {
	Name  string     `json:"name"`
	Wall  float64    `json:"wall_s"`
	CPU   float64    `json:"cpu_s,omitempty"` // 0: not known, or its result came from Go's cache
	Tests []testTime `json:"tests,omitempty"` // the outermost ones
}

// A testTime is how long a test took, from its beginning to its end.
type testTime struct {
	Name string  `json:"name"`
	Wall float64 `json:"wall_s"`
}

// A failure is one failed test, or a failed task that has no tests.
type failure struct {
	what   string
	output string // the last of what it said
	repeat string // a line for the shell that does only this again
}

// logs is where everything that tasks print is kept.
const logs = "build/out/tests"

// A schedule runs tasks: those that nothing holds back, in their order, as many at once
// as there are lanes.
type schedule struct {
	lanes  int
	stop   context.Context // begin nothing more once something failed, and end what runs; nil: go on
	cancel context.CancelFunc
	out    io.Writer
	logs   string // folder for what tasks print
	// usual is the processor time in seconds that tasks took the last time, by name.
	usual map[string]float64
	// passed is told of every task that has passed, one at a time; nil: nobody asks.
	passed func(name string, took time.Duration) error

	mu      sync.Mutex
	results map[string]*suite
	running map[string]time.Time
}

// run carries out all tasks and returns what came of them, in the order of the tasks.
func (s *schedule) run(tasks []task) []suite {
	s.results = map[string]*suite{}
	s.running = map[string]time.Time{}
	ended := make(chan struct{}, len(tasks))
	begun := map[string]bool{}
	beat := time.NewTicker(time.Minute)
	defer beat.Stop()
	for {
		s.mu.Lock()
		for i := range tasks {
			t := &tasks[i]
			if begun[t.name] || !s.mayBegin(t, tasks) {
				continue
			}
			begun[t.name] = true
			if why := s.held(t); why != "" {
				s.results[t.name] = &suite{Name: t.name, blocked: true}
				fmt.Fprintf(s.out, "%s  %-10s left out: %s\n", clock(), t.name, why)
				ended <- struct{}{}
				continue
			}
			s.running[t.name] = time.Now()
			go func() {
				r := s.carryOut(t)
				s.mu.Lock()
				delete(s.running, t.name)
				s.results[t.name] = &r
				if s.passed != nil && r.Failed == 0 && !r.blocked {
					if err := s.passed(t.name, time.Duration(r.Wall*float64(time.Second))); err != nil {
						fmt.Fprintln(s.out, err)
					}
				}
				s.mu.Unlock()
				ended <- struct{}{}
			}()
		}
		done := len(s.results) == len(tasks)
		s.mu.Unlock()
		if done {
			break
		}
		select {
		case <-ended:
		case <-beat.C:
			s.mu.Lock()
			var names []string
			for i := range tasks {
				if since, ok := s.running[tasks[i].name]; ok {
					names = append(names, fmt.Sprintf("%s (%.0f s)", tasks[i].name, time.Since(since).Seconds()))
				}
			}
			fmt.Fprintf(s.out, "%s  %d of %d done%s; under way: %s\n", clock(), len(s.results), len(tasks), s.remaining(tasks), strings.Join(names, ", "))
			s.mu.Unlock()
		}
	}
	list := make([]suite, len(tasks))
	for i := range tasks {
		list[i] = *s.results[tasks[i].name]
	}
	return list
}

// remaining says how long the rest takes if it takes as long as the last time; nothing
// if a task has not run here before.
func (s *schedule) remaining(tasks []task) string {
	left := 0.0
	for i := range tasks {
		name := tasks[i].name
		took, known := s.usual[name]
		switch since, runs := s.running[name]; {
		case s.results[name] != nil:
		case !known:
			return ""
		case runs:
			left += max(0, took-time.Since(since).Seconds())
		default:
			left += took
		}
	}
	return fmt.Sprintf(", about %.0f minutes left", math.Ceil(left/60/float64(s.lanes)))
}

// mayBegin reports whether a task's turn has come: what it needs has ended, a lane is
// free, and whoever wants to be alone is.
func (s *schedule) mayBegin(t *task, tasks []task) bool {
	for _, name := range t.needs {
		if s.results[name] == nil {
			return false
		}
	}
	if len(s.running) >= s.lanes || t.alone && len(s.running) > 0 {
		return false
	}
	for i := range tasks {
		if _, runs := s.running[tasks[i].name]; runs && tasks[i].alone {
			return false
		}
	}
	return true
}

// held says why a task whose turn has come does not run, or "".
func (s *schedule) held(t *task) string {
	for _, name := range t.needs {
		if r := s.results[name]; r.Failed > 0 || r.blocked {
			return name + " has failed"
		}
	}
	if s.stop != nil && s.stop.Err() != nil {
		return "something has failed"
	}
	return ""
}

// command is a task's; with stop it can be ended with all that it has begun.
func (s *schedule) command(t *task) *exec.Cmd {
	if s.stop == nil {
		return exec.Command(t.command[0], t.command[1:]...)
	}
	cmd := exec.CommandContext(s.stop, t.command[0], t.command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func clock() string { return time.Now().Format("15:04:05") }

// carryOut runs one task.
func (s *schedule) carryOut(t *task) suite {
	fmt.Fprintf(s.out, "%s  %-10s begins\n", clock(), t.name)
	begun := time.Now()
	log, err := create(filepath.Join(s.logs, t.name+".log"))
	if err != nil {
		return suite{Name: t.name, Failed: 1, failures: []failure{{t.name, err.Error(), t.again()}}}
	}
	defer log.Close()
	var last tail
	to := io.MultiWriter(log, &last)
	cmd := s.command(t)
	cmd.Env = append(os.Environ(), t.env...)
	cmd.Stderr, cmd.Stdout = to, to
	if t.reader != nil {
		t.reader.begin()
		cmd.Stdout = io.MultiWriter(log, t.reader)
	}
	err = cmd.Run()
	r := suite{}
	if t.reader != nil {
		r = t.reader.close()
	}
	r.Name, r.Wall = t.name, time.Since(begun).Seconds()
	if p := cmd.ProcessState; p != nil {
		r.CPU = (p.UserTime() + p.SystemTime()).Seconds()
	}
	switch {
	case err == nil && r.Passed+r.Failed+r.Skipped == 0:
		r.Passed = 1
	case err != nil && r.Failed == 0 && s.stop != nil && s.stop.Err() != nil:
		r.blocked = true
	case err != nil && r.Failed == 0: // it did not come to its tests
		r.Failed = 1
		r.failures = append(r.failures, failure{t.name, fmt.Sprintf("%s\n%v", last.String(), err), t.again()})
	}
	if r.Failed > 0 && s.stop != nil {
		s.cancel()
	}
	verdict := "passed"
	switch {
	case r.Failed > 0:
		verdict = "FAILED"
	case r.blocked:
		verdict = "ended"
	}
	fmt.Fprintf(s.out, "%s  %-10s %s, %.0f s (%.0f s of processor)\n", clock(), t.name, verdict, r.Wall, r.CPU)
	if t.reader == nil {
		for _, f := range r.failures {
			f.print(s.out)
		}
	}
	return r
}

// again is the line that repeats a task.
func (t *task) again() string {
	if t.repeat != "" {
		return t.repeat
	}
	return strings.Join(append(append([]string{}, t.env...), t.command...), " ")
}

func (f *failure) print(w io.Writer) {
	fmt.Fprintf(w, "\nFAILED  %s\n", f.what)
	for line := range strings.Lines(strings.TrimRight(f.output, "\n")) {
		fmt.Fprint(w, "    ", strings.TrimSuffix(line, "\n"), "\n")
	}
	fmt.Fprintf(w, "again:  %s\n\n", f.repeat)
}

func create(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return os.Create(name)
}

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

const tailSize = 6000

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
	return len(p), nil
}

// String is the last of it, from the beginning of a line.
func (t *tail) String() string {
	kept := t.kept
	if len(kept) > tailSize {
		kept = kept[len(kept)-tailSize:]
		if i := bytes.IndexByte(kept, '\n'); i >= 0 {
			kept = kept[i+1:]
		}
	}
	return string(kept)
}
