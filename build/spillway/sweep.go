package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"spillway/sim/knob"
	"spillway/sim/train"
	"spillway/sim/train/machine"
	"spillway/sim/train/quirk"
	"spillway/sim/train/system"
	"spillway/ui/lab"
)

const sweepForm = `lab=LAB [system=NAME,...] [file=PATH ...] [KEY=VALUE ...] --vary KEY=V1,V2 ... [--json]
       spillway sweep [FLAGS]`

const sweepAbout = `The first form runs systems of any laboratory, as run does, with every value of a
setting; --vary may be repeated, for another setting or further values. It prints
the quantities that --of names.

The second form runs workloads of training on systems, once for every value of one
setting. Its flags are those that the first does not name.
`

func (s *shell) sweep(args []string) error {
	fs := s.flags("sweep", sweepForm, sweepAbout, doc{"With lab=, --json prints an array of objects, one a run, as run does:", labRun{}})
	var vary variations
	fs.Var(&vary, "vary", "a setting and its values: `KEY=V1,V2,V3`")
	of := fs.String("of", "", "comma-separated `KEYS` of quantities; without it the one that the laboratory's headline is about")
	asJSON := fs.Bool("json", false, "print all quantities of all runs as JSON")
	var o grid
	fs.StringVar(&o.workloads, "workloads", "bert-base@256", "comma-separated `LIST`: MODEL@BATCH[@as-paper|@GPU], .config files or traces")
	fs.StringVar(&o.systems, "systems", "", "comma-separated `NAMES` of systems; all without it")
	fs.StringVar(&o.mode, "mode", "published", "`MODE`: published, corrected, or a comma-separated list of quirks")
	fs.StringVar(&o.artifact, "artifact", "", "`FOLDER` of the G10 artifact that .config files refer to")
	fs.Var(&o.set, "set", "override a key for all runs: `KEY=VALUE`; may be repeated")
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	q, err := readRequest("", rest)
	if q.lab == "" {
		if *asJSON || *of != "" {
			return errors.New("sweep: --json and --of need lab=LAB")
		}
		if len(vary) > 0 {
			o.vary = vary[len(vary)-1]
		}
		if err := noMore(rest, nil); err != nil {
			return err
		}
		return s.trainingSweep(&o)
	}
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if err := only(fs, "vary", "of", "json"); err != nil {
		return err
	}
	return s.labSweep(q, vary, *of, *asJSON)
}

// variations collects repeated --vary flags.
type variations []string

func (v *variations) String() string { return strings.Join(*v, " ") }

func (v *variations) Set(s string) error {
	*v = append(*v, s)
	return nil
}

// labSweep runs q with every combination of the values of vary.
func (s *shell) labSweep(q request, vary variations, of string, asJSON bool) error {
	door, err := s.door(q.lab)
	if err != nil {
		return err
	}
	info := door.New().Info
	keys, variants, err := combine(&info, vary)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	columns, err := quantities(&info, of)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	runs, l, err := s.runLab(q, variants)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(s.out, records(l, runs))
	}
	tw := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, key := range keys {
		fmt.Fprintf(tw, "%s\t", key)
	}
	fmt.Fprint(tw, "system")
	for _, at := range columns {
		fmt.Fprintf(tw, "\t%s", l.Quantities[at].Key)
	}
	fmt.Fprintln(tw)
	for i := range runs {
		r := &runs[i]
		for _, key := range keys {
			fmt.Fprintf(tw, "%s\t", r.setup.Text(key))
		}
		fmt.Fprint(tw, r.system.Name)
		for _, at := range columns {
			text := "–"
			if v, ok := r.report.Value(at); ok {
				text = fmt.Sprintf("%.10g", v)
			} else if !r.report.Fits {
				text = "cannot run"
			}
			fmt.Fprintf(tw, "\t%s", text)
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// combine returns the keys that are varied and every combination of their values,
// the last key's changing fastest. Values of a setting that takes several have
// their own --vary each.
func combine(i *lab.Info, vary variations) (keys []string, variants [][]knob.Pair, err error) {
	u := i.Setup()
	values := map[string][]string{}
	for _, v := range vary {
		key, list, ok := strings.Cut(v, "=")
		k := u.Knob(key)
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("--vary %s: want KEY=V1,V2", v)
		case k == nil:
			return nil, nil, fmt.Errorf("unknown setting %q; spillway list %s has the settings", key, i.Name)
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		if k.Kind == knob.Many || k.Kind == knob.Word {
			values[key] = append(values[key], list)
		} else {
			values[key] = append(values[key], strings.Split(list, ",")...)
		}
	}
	variants = [][]knob.Pair{nil}
	for _, key := range keys {
		var next [][]knob.Pair
		for _, before := range variants {
			for _, text := range values[key] {
				next = append(next, append(slices.Clone(before), knob.Pair{Key: key, Text: text}))
			}
		}
		variants = next
	}
	return keys, variants, nil
}

// quantities returns the places of those with these keys; without keys that of
// the one that the headline is about.
func quantities(i *lab.Info, list string) ([]int, error) {
	if list == "" {
		return []int{i.Quantity(i.Say.Quantity)}, nil
	}
	var places []int
	for key := range strings.SplitSeq(list, ",") {
		at := i.Quantity(strings.TrimSpace(key))
		if at < 0 {
			return nil, fmt.Errorf("unknown quantity %q; spillway list %s has the quantities", key, i.Name)
		}
		places = append(places, at)
	}
	return places, nil
}

// A grid is what the old form of sweep asks for.
type grid struct {
	workloads, systems, vary, mode, artifact string
	set                                      assignments
}

// trainingSweep is the old form of sweep.
func (s *shell) trainingSweep(o *grid) error {
	q := train.Request{Machine: machine.G10(), Options: system.Published()}
	quirks, err := quirk.Parse(o.mode)
	if err != nil {
		return err
	}
	q.Options.Quirks = quirks
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
		w, err := openWorkload(strings.TrimSpace(path), o.artifact)
		if err != nil {
			return err
		}
		for _, name := range names {
			for _, v := range values {
				q.System = name
				if key != "" {
					if err := assign(&q, key+"="+v); err != nil {
						return err
					}
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
