package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"spillway/sim/kerneltime"
	"spillway/sim/train"
	"spillway/sim/train/system/ideal"
	"spillway/sim/workload"
	"spillway/traces/eager"
	"spillway/traces/networks"
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
	for i := range eager.Models {
		m := &eager.Models[i]
		fmt.Fprintf(tw, "%s\t%d\t%s\n", m.ID, m.DefaultBatch, m.Title)
	}
	for _, n := range networks.Networks() {
		fmt.Fprintf(tw, "%s\t\t%s\n", n.Name, n.Title)
	}
	fmt.Fprintln(tw, "\nGPU\t\tDESCRIPTION")
	for _, g := range kerneltime.GPUs() {
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
	j, err := open(name, &options{artifact: artifact, mode: "published", system: ideal.System.Name})
	if err != nil {
		return nil, err
	}
	return j.w, nil
}

// fromZoo builds MODEL@BATCH, with kernel times by the law in TF32 on an A100 with 40 GB;
// MODEL@BATCH@GPU has them on another GPU, MODEL@BATCH@as-paper as the G10 paper measured them.
// Networks of package eager have the usual length of a sequence and their usual optimizer. ok is
// false when the name has no @.
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
	asPaper := times == string(workload.ColdModel)
	if times == "" || times == string(workload.Estimated) || asPaper {
		times = "a100-40"
	}
	gpu := kerneltime.Find(times)
	if gpu == nil {
		return nil, true, fmt.Errorf("no kernel times can be estimated for GPU %q; there are a100-40, rtx-4090 and all others that \"spillway models\" lists", times)
	}
	if m, err := eager.Find(model); err == nil {
		if asPaper {
			return nil, true, fmt.Errorf("%s: the G10 paper has not profiled PyTorch's kernels; write %s@%d", name, model, n)
		}
		w, err = eager.Build(model, n, 0, m.Optimizer, eager.Law{GPU: gpu, Precision: kerneltime.TF32})
		return w, true, err
	}
	t := zoo.ByLaw(gpu, kerneltime.TF32)
	if asPaper {
		t = zoo.AsPaper()
	}
	w, err = zoo.Build(model, n, t)
	return w, true, err
}
