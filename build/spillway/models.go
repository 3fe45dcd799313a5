package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/train"
	"spillway/sim/workload"
	"spillway/traces/zoo"
)

func (s *shell) models(args []string) error {
	fs := s.flags("models", "", "Lists the bundled models, the GPUs that kernel times are estimated for, and the systems of training.")
	if err := noMore(parse(fs, args)); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "MODEL\tBATCH\tDESCRIPTION")
	for _, m := range zoo.Models {
		fmt.Fprintf(tw, "%s\t%d\t%s\n", m.ID, m.DefaultBatch, m.Title)
	}
	fmt.Fprintln(tw, "\nGPU\t\tDESCRIPTION")
	for _, g := range zoo.GPUs {
		fmt.Fprintf(tw, "%s\t\t%s\n", g.Key, g.Name)
	}
	fmt.Fprintln(tw, "\nSYSTEM\t\tDESCRIPTION")
	for _, s := range train.All() {
		fmt.Fprintf(tw, "%s\t\t%s (%s)\n", s.Name, s.About, s.Paper)
	}
	return tw.Flush()
}

// openWorkload builds a workload from a file or the zoo.
func openWorkload(name, artifact string) (*workload.Workload, error) {
	j, err := open(name, &options{artifact: artifact, mode: "published", system: "ideal"})
	if err != nil {
		return nil, err
	}
	return j.w, nil
}

// fromZoo builds MODEL@BATCH, with clean kernel times on an A100;
// MODEL@BATCH@GPU has them on another GPU, MODEL@BATCH@as-paper as the G10
// paper measured them. ok is false when the name has no @.
func fromZoo(name string) (w *workload.Workload, ok bool, err error) {
	model, rest, ok := strings.Cut(name, "@")
	if !ok {
		return nil, false, nil
	}
	batch, times, _ := strings.Cut(rest, "@")
	n, err := strconv.Atoi(batch)
	if err != nil {
		return nil, true, fmt.Errorf("%s: batch %q is not a number; write MODEL@BATCH, like bert-base@256", name, batch)
	}
	t := zoo.Clean(zoo.GPUs[0])
	switch times {
	case "", string(workload.Estimated):
	case string(workload.ColdModel):
		t = zoo.AsPaper()
	default:
		gpu, err := zoo.FindGPU(times)
		if err != nil {
			return nil, true, err
		}
		t = zoo.Clean(gpu)
	}
	w, err = zoo.Build(model, n, t)
	return w, true, err
}
