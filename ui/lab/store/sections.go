package store

import (
	"fmt"
	"slices"
	"strconv"

	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	core "spillway/sim/store"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

func sections() []section {
	return []section{
		{Show: oneEviction, Section: lab.Section{
			Key: "eviction", Title: "One eviction", Run: true,
			About: "Pick a dot in the memory chart, or type a number.",
			Knobs: []knob.Info{{Key: "eviction", Label: "Eviction", Help: "Number of the eviction, from 1.", Kind: knob.Number, Scale: 1, Min: 1, Max: 1 << 20, Default: "1"}},
		}},
		{Show: fairness, Section: lab.Section{
			Key: "fairness", Title: "Fairness: each client against running alone", Run: true, Folded: true,
			About: "How long each client takes among the others, and alone with the whole GPU.",
		}},
		{Show: byClients, Section: lab.Section{
			Key: "clients", Title: "Policies by number of clients", Run: true, Folded: true,
			About: "How long 1, 2, 4 and 8 copies of the network take, and how often a get hits. Only for networks that train.",
		}},
		{Show: switches, Section: lab.Section{
			Key: "prefetch", Title: "With and without prefetch, in parallel or in turn", Run: true, Folded: true,
			About: "Every policy on this workload: without prefetch, with one that yields, and with the published one.",
		}},
	}
}

// focus is the run of the system in focus, and what to show instead where it has no end.
func focus(v *view) (core.Policy, *core.Result, *report.Section, error) {
	p, _, err := v.Workload.policy(v.System, v.Settings, v.Progress)
	if err != nil {
		return p, nil, nil, err
	}
	r, err := v.Run()
	if err != nil {
		return p, nil, nil, err
	}
	if !r.Fits() {
		return p, nil, &report.Section{Text: []string{p.Title + " does not run to the end: " + r.Failure.String() + "."}}, nil
	}
	return p, r.Result, nil, nil
}

// oneEviction says what was evicted, and whether it was right.
func oneEviction(v *view) (*report.Section, error) {
	p, r, out, err := focus(v)
	if out != nil || err != nil {
		return out, err
	}
	w := v.Workload
	n, _ := strconv.Atoi(v.Look.Text("eviction"))
	kept := r.Evictions.Kept
	if len(kept) == 0 {
		return &report.Section{Text: []string{p.Title + " evicts nothing here."}}, nil
	}
	n = min(max(n, 1), len(kept))
	e := &kept[n-1]
	name := func(t int32) string { return w.Tensors[t].Name }
	next := "never again"
	if e.Next >= 0 {
		next = fmt.Sprintf("got next by operation %d of the trace", e.Next+1)
	}
	verdict := "That is as Belady's order would have it: nothing else in the store is needed later."
	if !e.Right {
		verdict = fmt.Sprintf("Belady's order would have evicted %s of %s, which is needed later.", name(e.Best), w.Clients[w.Tensors[e.Best].Client])
	}
	return &report.Section{
		Text: []string{
			fmt.Sprintf("%s, eviction %d of %d: at %s s it evicts %s (%v) of %s, because operation %d, of %s, needs room. It is %s.",
				p.Title, int64(n-1)*r.Evictions.Stride+1, r.Evictions.Count, fixed(seconds(e.Time), 4), name(e.Tensor), e.Bytes, w.Clients[e.Owner], e.Op+1, w.Clients[e.By], next),
			verdict,
		},
		Notes: []string{fmt.Sprintf("%d of %d evictions are as Belady's order would have them: what is needed last goes first, whatever its size. A policy that differs can be faster.", r.Right, r.Evictions.Count)},
	}, nil
}

func fixed(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }

// secondsCell is a time in a table of seconds.
func secondsCell(t unit.Time) report.Cell {
	return report.Textf("%s", fixed(seconds(t), 3)).Exactly(t)
}

// fairness compares every client with itself alone.
func fairness(v *view) (*report.Section, error) {
	p, r, out, err := focus(v)
	if out != nil || err != nil {
		return out, err
	}
	_, setup, err := v.Workload.policy(v.System, v.Settings, v.Progress)
	if err != nil {
		return nil, err
	}
	shares, err := core.Fairness(v.Workload.Trace, setup, p, r)
	if err != nil {
		return nil, err
	}
	t := report.Table{Key: "clients", Title: p.Title + ": times in seconds", Head: []string{"Client", "Alone", "Among the others", "Slowdown", "Waits"}}
	worst, best := int64(0), int64(1<<62)
	for i := range shares {
		x := &shares[i]
		row := report.Row{Head: x.Name}
		alone, slow := report.Textf("does not fit"), report.DashCell()
		if x.Alone > 0 {
			alone, slow = secondsCell(x.Alone), report.Textf("%s×", fixed(float64(x.Slowdown)/1000, 2)).With(float64(x.Slowdown)/1000, "")
			worst, best = max(worst, x.Slowdown), min(best, x.Slowdown)
		}
		row.Cells = []report.Cell{alone, secondsCell(x.Together), slow, secondsCell(r.Clients[i].Waiting())}
		t.Rows = append(t.Rows, row)
	}
	sec := &report.Section{Tables: []report.Table{t}}
	if worst > 0 {
		sec.Text = []string{fmt.Sprintf("Among the others, clients take %s to %s times as long as alone.", fixed(float64(best)/1000, 2), fixed(float64(worst)/1000, 2))}
	}
	return sec, nil
}

// byClients runs all policies with 1 to 8 copies of the network.
func byClients(v *view) (*report.Section, error) {
	s := v.Settings
	if s.Workload != networks || s.Entry != "" {
		return &report.Section{Text: []string{"Choose “Networks that train” under Workload: other workloads have a fixed number of clients."}}, nil
	}
	times := report.Table{Key: "times", Title: "Time until the last client ends, s", Head: []string{"Policy"}}
	hits := report.Table{Key: "hits", Title: "Hit rate of get, %", Head: []string{"Policy"}}
	policies := append(core.Policies(), core.Oracle())
	for _, p := range policies {
		times.Rows, hits.Rows = append(times.Rows, report.Row{Head: p.Title}), append(hits.Rows, report.Row{Head: p.Title})
	}
	for _, n := range []int64{1, 2, 4, 8} {
		at := *s
		at.Clients = n
		head := prose.Count(n, "client")
		times.Head, hits.Head = append(times.Head, head), append(hits.Head, head)
		w := &trace{}
		if err := w.train(&at); err != nil {
			return nil, err
		}
		for i, p := range policies {
			r, err := core.Run(w.Trace, s.Setup, p)
			if err != nil {
				return nil, err
			}
			time, hit := report.Textf("does not fit"), report.DashCell()
			if r.Fits() {
				sum := r.Sum()
				time = secondsCell(r.Time)
				if sum.Gets() > 0 {
					share := float64(sum.Hits) / float64(sum.Gets())
					hit = report.Textf("%s", fixed(100*share, 1)).WithShare(share)
				}
			}
			times.Rows[i].Cells, hits.Rows[i].Cells = append(times.Rows[i].Cells, time), append(hits.Rows[i].Cells, hit)
		}
	}
	return &report.Section{Tables: []report.Table{times, hits}}, nil
}

// switches runs all policies with the store's two switches.
func switches(v *view) (*report.Section, error) {
	t := report.Table{Key: "prefetch", Title: "Time until the last client ends, s; the best of a column is bold", Head: []string{"Policy"}}
	policies := append(core.Policies(), core.Oracle())
	var said []string
	for _, p := range policies {
		t.Rows = append(t.Rows, report.Row{Head: p.Title})
	}
	for _, x := range []struct {
		title, says                string
		prefetch, yields, parallel int64
	}{{"prefetch that yields", "With prefetch that yields", 1, 1, 0}, {"no prefetch", "Without prefetch", 0, 1, 0}, {"as published", "With prefetch as published", 1, 0, 0}, {"no prefetch, parallel eviction", "", 0, 1, 1}, {"as published, parallel eviction", "", 1, 0, 1}} {
		t.Head = append(t.Head, x.title)
		setup := v.Settings.Setup
		setup.Prefetch, setup.Yields, setup.Parallel = x.prefetch, x.yields, x.parallel
		var column []unit.Time
		for _, p := range policies {
			r, err := core.Run(v.Workload.Trace, setup, p)
			if err != nil {
				return nil, err
			}
			time := unit.Time(0)
			if r.Fits() {
				time = r.Time
			}
			column = append(column, time)
		}
		best := slices.MinFunc(column, func(a, b unit.Time) int {
			if (a == 0) != (b == 0) { // does not fit
				if a == 0 {
					return 1
				}
				return -1
			}
			return int(max(min(a-b, 1), -1))
		})
		for i, time := range column {
			cell := report.Cell{Text: "does not fit"}
			if time > 0 {
				cell = secondsCell(time)
				cell.Best = time == best
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
		if fitting := slices.DeleteFunc(column, func(time unit.Time) bool { return time == 0 }); x.says != "" && len(fitting) > 0 {
			said = append(said, fmt.Sprintf("%s policies take %s to %s s.", x.says, fixed(seconds(slices.Min(fitting)), 1), fixed(seconds(slices.Max(fitting)), 1)))
		}
	}
	return &report.Section{
		Text: said, Tables: []report.Table{t},
		Notes: []string{"Prefetch as published holds the room that it takes, and the next create evicts for it, often what was just brought back. One that yields is given up first, for nothing."},
	}, nil
}
