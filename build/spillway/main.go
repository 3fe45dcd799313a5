// Command spillway runs the simulator natively: the same laboratories and the
// same bytes as in the browser. public/docs/command.md is its interface.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"spillway/ui/lab/all"
	"spillway/ui/model/output"
)

const usage = `spillway simulates memory expansion systems.

usage: spillway COMMAND [ARGUMENTS]

  list     the laboratories with their systems, quantities, settings and papers
  run      run systems of a laboratory: lab=LAB system=NAME key=value ...
           or, as ever, workloads of training: a .config file of the G10
           artifact, a trace, MODEL@BATCH
  verify   compare with every published number of the papers
  sweep    run systems of a laboratory with many values of its settings, all of
           them or one part of many
  merge    join the parts of a sweep
  solve    look for the smallest or largest value of a setting that will do, or
           turn every setting a little
  why      why a system is slower or faster than another: what makes it wait
  section  what else a laboratory finds out: which recipe fits which GPU, what to
           buy next, what a crash destroys
  figure   write a chart of a link, or of a laboratory's settings, as SVG
  export   write what happens in one run for other programs: timelines, stalls,
           loads and stores
  bundle   write a reproducibility bundle: what ran, what came out, and hashes
  check    compute what is in a bundle again and compare
  reproduce everything of a paper into a folder: figures, tables, report, bundle, and
           what is left; goes on where it was stopped
  report   an HTML file for reviewers: all claims and numbers with verdicts
  policy   write a policy of your own: what it may know, whether it is right
  cite     the papers that systems are from, as BibTeX
  estimate how long a kernel or an iteration takes on a GPU, what bounds it, and
           how sure that is; or of every row of a table
  models   training: the bundled models, the GPUs and the systems
  inspect  training: what recordings of a job hold, before anything runs
  convert  training: write a workload as a Spillway trace
  version  name, version with the hash of the sources, Go version, platform

spillway COMMAND -h explains a command and its JSON. Exit code: 0 done, 1 a
number is not as recorded or a run broke off, 2 wrong use or unreadable input.
That a system cannot run something is a result: 0.
`

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(start())
}

// start is main with an exit code. The first interrupt ends what runs in good order,
// a second one at once.
func start() int {
	collectLater()
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(stop, cancel)
	info, err := os.Stderr.Stat()
	s := shell{
		labs: all.Labs, out: os.Stdout, errs: os.Stderr, stop: stop, now: time.Now, version: version(),
		terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	}
	s.program = output.Program(s.version)
	if info, err := os.Stdout.Stat(); err == nil {
		s.screen = info.Mode()&os.ModeCharDevice != 0
	}
	return s.command(os.Args[1:])
}

// collectLater lets a short run end before garbage is collected: the first collection comes
// with 64 MB instead of 4, which takes BERT-256 from 50 to 37 ms of processor; all others as usual.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(1600)
	runtime.AddCleanup(new([16]byte), func(usual int) { debug.SetGCPercent(usual) }, 100)
}

// A shell is where command lines run.
type shell struct {
	labs      []all.Entry
	out, errs io.Writer
	stop      context.Context  // ends what runs; nil if nothing does
	now       func() time.Time // for progress on errs; nil if there is none
	terminal  bool             // errs is one
	screen    bool             // out is one
	force     bool             // runs may be any work
	forcible  bool             // the command has --force
	version   string           // of the command, empty if unknown
	program   string           // the same with name, Go version and platform
	// What files say goes to out and errs, once a command runs; only what other programs
	// read, and progress, goes past them.
	data, lines io.Writer
}

// context returns what ends the shell's work.
func (s *shell) context() context.Context {
	if s.stop == nil {
		return context.Background()
	}
	return s.stop
}

// command runs one command line and returns the exit code.
func (s *shell) command(args []string) int {
	s.data, s.lines = s.out, s.errs
	s.out, s.errs = &plainWriter{to: s.out}, &plainWriter{to: s.errs}
	if s.screen {
		s.data = s.out
	}
	if len(args) == 0 {
		fmt.Fprint(s.errs, usage)
		return exitUsage
	}
	commands := map[string]func([]string) error{
		"list": s.list, "run": s.run, "verify": s.verify, "sweep": s.sweep, "merge": s.merge, "solve": s.solve, "why": s.why, "section": s.section, "figure": s.figure, "export": s.export, "bundle": s.bundle, "check": s.check, "report": s.report, "policy": s.policy, "reproduce": s.reproduce, "cite": s.cite, "models": s.models, "convert": s.convert, "inspect": s.inspect, "estimate": s.estimate,
		"version": s.printVersion, "--version": s.printVersion, "-version": s.printVersion, "-v": s.printVersion,
	}
	switch run, ok := commands[args[0]]; {
	case args[0] == "help" || args[0] == "-h" || args[0] == "--help":
		fmt.Fprint(s.out, usage)
		return exitOK
	case !ok:
		fmt.Fprintf(s.errs, "spillway: unknown command %q\n\n%s", args[0], usage)
		return exitUsage
	default:
		return exitCode(run(args[1:]), s.errs)
	}
}

// flags returns a command's flag set. Its help is on standard output: form says
// what follows the command's name, about explains it, and of every value in docs
// the JSON is described.
func (s *shell) flags(name, form, about string, docs ...doc) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(s.out)
	fs.Usage = func() {
		fmt.Fprintf(s.out, "usage: spillway %s\n\n%s\n", strings.TrimSpace(name+" "+form), strings.TrimSpace(about))
		fs.VisitAll(func(f *flag.Flag) {
			value, text := flag.UnquoteUsage(f)
			if value != "" {
				value = " " + value
			}
			if f.DefValue != "" && f.DefValue != "false" {
				text += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(s.out, "\n  --%s%s\n%s", f.Name, value, wrap(text, "      "))
		})
		for i := range docs {
			fmt.Fprintf(s.out, "\n%s", docs[i].text())
		}
	}
	return fs
}

// parse reads flags, which may come before, between and after the other
// arguments, and returns the others.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	out, usage := fs.Output(), fs.Usage
	fs.SetOutput(io.Discard) // of an error it would print the text and all flags
	fs.Usage = func() {}
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			fs.SetOutput(out)
			usage()
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%s: %w; spillway %s -h lists the flags", fs.Name(), err, fs.Name())
		}
		if fs.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// noMore refuses arguments that a command does not take.
func noMore(rest []string, err error) error {
	if err == nil && len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	return err
}

// failed marks an error that is about a run, not about how the command was used.
type failed struct{ error }

func (f failed) Unwrap() error { return f.error }

func exitCode(err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	fmt.Fprintln(stderr, "spillway:", err)
	if errors.As(err, &failed{}) {
		return exitFailed
	}
	return exitUsage
}
