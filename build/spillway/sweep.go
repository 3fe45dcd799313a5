package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
)

func sweepCommand(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("sweep", flag.ContinueOnError)
	fs.SetOutput(stderr)
	workloads := fs.String("workloads", "bert-base@256", "comma-separated: MODEL@BATCH[@as-paper|@GPU], .config files or Spillway traces")
	systems := fs.String("systems", "", "comma-separated systems; all without it")
	vary := fs.String("vary", "", "one key and its values: key=v1,v2,v3")
	mode := fs.String("mode", "published", "published, corrected, or a comma-separated list of quirks")
	artifact := fs.String("artifact", "", "folder of the G10 artifact that .config files refer to")
	var set assignments
	fs.Var(&set, "set", "override a key for all runs: key=value; may be repeated")
	if err := noMore(parse(fs, args)); err != nil {
		return err
	}
	q := train.Request{Machine: machine.G10(), Options: system.Published()}
	quirks, err := quirk.Parse(*mode)
	if err != nil {
		return err
	}
	q.Options.Quirks = quirks
	for _, s := range set {
		if err := configure(&q, s); err != nil {
			return err
		}
	}
	var names []string
	if *systems == "" {
		for _, s := range train.Systems {
			names = append(names, s.Name)
		}
	} else {
		for name := range strings.SplitSeq(*systems, ",") {
			name = strings.TrimSpace(name)
			if _, err := train.Find(name); err != nil {
				return err
			}
			names = append(names, name)
		}
	}
	key, list, _ := strings.Cut(*vary, "=")
	values := strings.Split(list, ",")

	tw := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "workload\tkernel times\tsystem\t%s\titeration\tof ideal\tSSD written\n", key)
	for name := range strings.SplitSeq(*workloads, ",") {
		w, err := openWorkload(strings.TrimSpace(name), *artifact)
		if err != nil {
			return err
		}
		for _, s := range names {
			for _, v := range values {
				q.System = s
				if key != "" {
					if err := configure(&q, key+"="+v); err != nil {
						return err
					}
				}
				r, err := train.Run(w, q, nil)
				if err != nil {
					return err
				}
				if !r.Fits {
					fmt.Fprintf(tw, "%s\t%s\t%s\t%s\tdoes not fit\t\t\n", w.Name, w.Times, s, v)
					continue
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%v\t%.2f %%\t%v\n", w.Name, w.Times, s, v, r.Clock.Time(r.Time()),
					100*float64(r.Ideal)/float64(r.Time()), r.Main().Traffic.SSDOut)
			}
		}
	}
	return tw.Flush()
}

// configure applies key=value to q.
func configure(q *train.Request, assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	known, err := train.Configure(q, key, value)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", assignment, err)
	case !ok || !known:
		return fmt.Errorf("%s: no such key; want key=value with a hardware or system key, like ssd_read=6.4", assignment)
	}
	return nil
}
