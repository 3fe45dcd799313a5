// Command spillway runs the simulator natively: the same engine and the same
// bytes as in the browser.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `spillway simulates training workloads that do not fit in GPU memory.

usage: spillway COMMAND [ARGUMENTS]

  run WORKLOAD...    run .config files of the G10 artifact, Spillway traces, or
                     bundled models as MODEL@BATCH, MODEL@BATCH@GPU (estimated
                     kernel times) or MODEL@BATCH@as-paper
  sweep              run a grid of models, batches, systems and settings
  verify             compare with every published number of the G10 artifact
  models             list the bundled models, their GPUs and the systems
  convert            write a workload as a Spillway trace

spillway COMMAND -h explains a command. Exit code: 0 done, 1 a claim failed or a
run broke off, 2 wrong use or unreadable input. That a workload does not fit is a
result: 0.
`

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(command(os.Args[1:], os.Stdout, os.Stderr)) }

// command runs one command line and returns the exit code.
func command(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	commands := map[string]func([]string, io.Writer, io.Writer) error{
		"run": runCommand, "sweep": sweepCommand, "models": modelsCommand, "convert": convertCommand, "verify": verifyCommand,
	}
	switch run, ok := commands[args[0]]; {
	case args[0] == "help" || args[0] == "-h" || args[0] == "--help":
		fmt.Fprint(stdout, usage)
		return exitOK
	case !ok:
		fmt.Fprintf(stderr, "spillway: unknown command %q\n\n%s", args[0], usage)
		return exitUsage
	default:
		return exitCode(run(args[1:], stdout, stderr), stderr)
	}
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
