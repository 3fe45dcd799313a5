package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"text/tabwriter"

	"spillway/sim/train"
	study "spillway/sim/train/papers/g10"
	"spillway/sim/train/result"
	"spillway/traces/g10"
)

func verifyCommand(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("verify", flag.ContinueOnError)
	fs.SetOutput(stderr)
	artifact := fs.String("artifact", "", "folder of the G10 artifact (its traces are needed for exact comparison)")
	figures := fs.String("figures", "", "comma-separated figures, like 11,18; all without it")
	all := fs.Bool("all", false, "print every point, not only those that are not exact")
	if err := noMore(parse(fs, args)); err != nil {
		return err
	}
	if *artifact == "" {
		return errors.New("verify: name the folder of the G10 artifact with -artifact; its authors' repository has it")
	}
	if _, err := os.Stat(filepath.Join(*artifact, "src", "configs")); err != nil {
		return fmt.Errorf("verify: no G10 artifact at %s; get it from its authors' repository and name its folder with -artifact", *artifact)
	}
	points, err := pick(*figures)
	if err != nil {
		return err
	}
	rows, err := compareAll(points, *artifact, stderr)
	if err != nil {
		return err
	}
	if err := printRows(stdout, rows, *all); err != nil {
		return err
	}
	if err := printClaims(stdout, rows); err != nil {
		return err
	}
	if unexpected := study.Unexpected(rows); len(unexpected) > 0 {
		return failed{fmt.Errorf("%d points are not as recorded, the first: %v", len(unexpected), unexpected[0].String())}
	}
	return nil
}

func pick(figures string) ([]study.Point, error) {
	all := study.Published()
	if figures == "" {
		return all, nil
	}
	var points []study.Point
	for f := range strings.SplitSeq(figures, ",") {
		n := len(points)
		for _, p := range all {
			if p.Figure == f {
				points = append(points, p)
			}
		}
		if len(points) == n {
			return nil, fmt.Errorf("verify: no published points for figure %q; there are 11, 12 and 14 to 19", f)
		}
	}
	return points, nil
}

// compareAll runs what the points need, each run once, on all processors.
func compareAll(points []study.Point, artifact string, progress io.Writer) ([]study.Row, error) {
	runs := map[string]*outcome{}
	var order []*outcome
	for i := range points {
		if key := points[i].Run(); runs[key] == nil {
			runs[key] = &outcome{point: &points[i]}
			order = append(order, runs[key])
		}
	}
	next := make(chan *outcome)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for o := range next {
				o.result, o.err = runPoint(o.point, artifact)
				o.done = true
			}
		})
	}
	for i, o := range order {
		next <- o
		if i%20 == 19 {
			fmt.Fprintf(progress, "%d of %d runs\n", i+1, len(order))
		}
	}
	close(next)
	wg.Wait()
	rows := make([]study.Row, len(points))
	for i := range points {
		o := runs[points[i].Run()]
		if o.err != nil {
			return nil, o.err
		}
		rows[i] = study.Compare(points[i], o.result)
	}
	return rows, nil
}

// An outcome is one run that several points may share.
type outcome struct {
	point  *study.Point
	result *result.Result
	err    error
	done   bool
}

func runPoint(p *study.Point, artifact string) (*result.Result, error) {
	_, w, err := g10.Load(os.DirFS(artifact), p.Source)
	if err != nil {
		return nil, err
	}
	return train.Run(w, p.Request(), nil)
}

func printRows(w io.Writer, rows []study.Row, all bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "figure\tmetric\tworkload\tsystem\thost GiB\tSSD GB/s\tpublished\tours\tdifference\tstatus")
	for i := range rows {
		r := &rows[i]
		if !all && r.Status == study.Exact {
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%s-%d\t%s\t%d\t%.1f\t%s\t%s\t%+.5f %%\t%s\n", r.Figure, r.Quantity, r.Model, r.Batch, r.System,
			r.HostGiB, float64(r.SSD)/1e9, quantity(r.Fits, r.Value), quantity(r.OursFits, r.Ours), 100*r.Diff, r.Status)
	}
	fmt.Fprintln(tw)
	fmt.Fprintln(tw, "figure\tpoints\texact\twithin 0.5 %\tgap\tworst")
	for _, s := range summarize(rows) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%.3f %%\n", s.name, s.n, s.count[study.Exact], s.count[study.Within], s.count[study.Gap], 100*s.worst)
	}
	return errors.Join(tw.Flush())
}

// printClaims computes the numbers that the paper's text states, from what it
// published and from ours, as far as the rows have the points for it.
func printClaims(w io.Writer, rows []study.Row) error {
	ours, figures := map[study.Point]*study.Row{}, map[string]bool{}
	points := make([]study.Point, len(rows))
	for i := range rows {
		points[i] = rows[i].Point
		ours[rows[i].Point] = &rows[i]
		figures[rows[i].Figure] = true
	}
	look := func(p *study.Point) (float64, bool, bool) {
		r := ours[*p]
		if r == nil {
			return 0, false, false
		}
		return r.Ours, r.OursFits, true
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "\nclaim\tstated\tpublished values\tours\tverdict")
	for _, c := range study.Claims() {
		value, known := c.Value(points, look)
		if !known || !figures[c.Figure] {
			continue
		}
		published, _ := c.Value(points, study.AsPublished)
		fmt.Fprintf(tw, "%s: %s\t%s\t%.4g %s\t%.4g %s\t%s\n", c.Section, c.Text, c.Stated, published, c.Unit, value, c.Unit, c.Judge(value, study.ClaimTolerance))
	}
	return tw.Flush()
}

func quantity(fits bool, v float64) string {
	if !fits {
		return "does not fit"
	}
	return fmt.Sprintf("%.10g", v)
}

type summary struct {
	name  string
	n     int
	count map[study.Status]int
	worst float64
}

func summarize(rows []study.Row) []*summary {
	by := map[string]*summary{}
	add := func(name string, r *study.Row) {
		s := by[name]
		if s == nil {
			s = &summary{name: name, count: map[study.Status]int{}}
			by[name] = s
		}
		s.n++
		s.count[r.Status]++
		s.worst = max(s.worst, r.Diff, -r.Diff)
	}
	for i := range rows {
		add("Figure "+rows[i].Figure, &rows[i])
		add("all", &rows[i])
	}
	out := make([]*summary, 0, len(by))
	for _, s := range by {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}
