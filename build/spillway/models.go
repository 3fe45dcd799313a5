package main

import (
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim"
	"spillway/sim/workload"
	"spillway/traces/zoo"
)

func modelsCommand(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("models", flag.ContinueOnError)
	fs.SetOutput(stderr)
	if err := noMore(parse(fs, args)); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "MODEL\tBATCH\tDESCRIPTION")
	for _, m := range zoo.Models {
		fmt.Fprintf(tw, "%s\t%d\t%s\n", m.ID, m.DefaultBatch, m.Title)
	}
	fmt.Fprintln(tw, "\nSYSTEM\t\tDESCRIPTION")
	for _, s := range sim.Systems {
		fmt.Fprintf(tw, "%s\t\t%s (%s)\n", s.Name, s.About, s.Paper)
	}
	return tw.Flush()
}

// openWorkload builds a workload from a .config file, a Spillway trace, or
// MODEL@BATCH of the zoo;
// MODEL@BATCH@as-paper has the paper's profiling effects.
func openWorkload(name, artifact string) (*workload.Workload, error) {
	model, rest, ok := strings.Cut(name, "@")
	if !ok {
		j, err := open(name, artifact, "published", "ideal", nil)
		if err != nil {
			return nil, err
		}
		return j.w, nil
	}
	batch, source, _ := strings.Cut(rest, "@")
	n, err := strconv.Atoi(batch)
	if err != nil {
		return nil, fmt.Errorf("%s: batch %q is not a number; write MODEL@BATCH, like bert-base@256", name, batch)
	}
	if source == "" {
		source = string(workload.Estimated)
	}
	return zoo.Build(model, n, zoo.TimeModel{Source: workload.TimeSource(source)})
}
