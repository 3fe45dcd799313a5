package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/system"
	"spillway/sim/train/system/ideal"
)

// A grid is what the old form of sweep asks for.
type grid struct {
	workloads, systems, vary, mode, artifact string
	set                                      assignments
}

// trainingSweep is the old form of sweep.
func (s *shell) trainingSweep(o *grid) error {
	q := train.Request{Machine: machine.G10(), Options: system.Published()}
	for _, a := range o.set {
		if err := assign(&q, a); err != nil {
			return err
		}
	}
	var names []string
	if o.systems == "" {
		for i := range train.Systems {
			names = append(names, train.Systems[i].Name)
		}
	} else {
		for name := range strings.SplitSeq(o.systems, ",") {
			name = strings.TrimSpace(name)
			if _, err := train.Find(name); err != nil {
				return err
			}
			names = append(names, name)
		}
	}
	key, list, _ := strings.Cut(o.vary, "=")
	values := strings.Split(list, ",")

	tw := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "workload\tkernel times\tsystem\t%s\titeration\tof ideal\tSSD written\n", key)
	for path := range strings.SplitSeq(o.workloads, ",") {
		j, err := open(strings.TrimSpace(path), &options{artifact: o.artifact, mode: o.mode, system: ideal.System.Name})
		if err != nil {
			return err
		}
		w := j.w
		q.Options.Quirks = j.q.Options.Quirks
		for _, name := range names {
			for _, v := range values {
				q.System = name
				if key != "" {
					if err := assign(&q, key+"="+v); err != nil {
						return err
					}
				}
				if problem := much(s.within(&job{w: w, q: q})); problem != "" {
					fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t\t\n", w.Name, w.Times, name, v, problem)
					continue
				}
				r, err := train.Run(w, q, nil)
				if err != nil {
					return err
				}
				if !r.Fits {
					fmt.Fprintf(tw, "%s\t%s\t%s\t%s\tdoes not fit\t\t\n", w.Name, w.Times, name, v)
					continue
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%v\t%.2f %%\t%v\n", w.Name, w.Times, name, v, r.Clock.Time(r.Time()),
					100*float64(r.Ideal)/float64(r.Time()), r.Main().Traffic.SSDOut)
			}
		}
	}
	return tw.Flush()
}

// assign applies key=value to q.
func assign(q *train.Request, assignment string) error {
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
