package llm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spillway/sim/knob"
	core "spillway/sim/llm"
	"spillway/sim/llm/job"
	"spillway/sim/llm/recipe"
	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/report"
)

// recipes ranks ways to train the model on the machine as it is, and on it with other GPUs. It is closed formulas, so
// it takes no time.
func recipes(x *seen) (*report.Section, error) {
	s := &x.Workload.setup
	if job.LawOf(&s.Node.GPU) == nil {
		return &report.Section{Text: []string{fmt.Sprintf("The law of kernel times does not know the %s, so nothing can be said of recipes on it.", s.Node.GPU.Title)}}, nil
	}
	here := core.Rank(s, &s.Node)
	out := &report.Section{
		Tables: []report.Table{waysHere(x, here)},
		Notes: []string{
			fmt.Sprintf("Each row is the fastest variant that fits, of all losses, recomputations and micro-batches up to the batch; sequences have %s tokens. A row opens it: compare One GPU, DDP or FSDP there.", prose.Grouped(s.Layout.Sequence)),
			fmt.Sprintf("Speeds are from and to: eight of ten of the 31 recipes that an H200 ran, to which one number was fitted, lie within ± %d %% of the formulas. Memory was within 8 %% for nine of ten.", recipe.Band),
			"A dollar pays for electricity and for the machine, spread over the years under Prices.",
		},
	}
	table, best := waysElsewhere(x, here)
	out.Tables = append(out.Tables, table)
	out.Text = append([]string{ranked(s, here)}, best...)
	return out, nil
}

// ranked is the finding on the machine as it is.
func ranked(s *core.Setup, list []core.Ranked) string {
	on := fmt.Sprintf("%d × %s", s.Node.GPUs, s.Node.GPU.Title)
	best := &list[0]
	if !best.Fits {
		if best.Reason != "" {
			return prose.Capital(best.Reason) + "."
		}
		return fmt.Sprintf("No recipe fits %s on %s: %s comes nearest, %s short. Share it among more GPUs, or take a system that moves tensors.", s.Arch.Title, on, inner(best), lacks(best))
	}
	said := fmt.Sprintf("%s is fastest on %s: %s tokens/s, %s of %s GiB.", best.Way.Title, on, between(best), tenth(gib(best.Memory.Peak)), tenth(gib(best.Job.Memory)))
	all := slices.IndexFunc(list, func(r core.Ranked) bool { return r.Way.Method == recipe.Full })
	switch r := &list[all]; {
	case all == 0:
	case r.Fits:
		said += fmt.Sprintf(" All weights can be trained, too: with %s, %s tokens/s.", inner(r), between(r))
	case r.Reason == "":
		said += fmt.Sprintf(" All weights do not fit: at least %s are missing.", lacks(r))
	}
	return said
}

// inner is what a way is called inside a sentence.
func inner(r *core.Ranked) string {
	return strings.TrimPrefix(strings.Replace(r.Way.Title, "All weights, ", "", 1), "All weights")
}

// between is the band of a speed: its lowest and highest.
func between(r *core.Ranked) string {
	v := float64(r.Step.Milli) / 1000
	return twoDigits(v*(1-recipe.Band/100.)) + " to " + twoDigits(v*(1+recipe.Band/100.))
}

// betweenCell is the band as a cell.
func betweenCell(r *core.Ranked, top int64) report.Cell {
	v := float64(r.Step.Milli) / 1000
	return report.Cell{Text: between(r), Share: part(r.Step.Milli, top)}.
		Part("low", v*(1-recipe.Band/100.), "tokens/s").Part("high", v*(1+recipe.Band/100.), "tokens/s")
}

// short is a cell that says how much memory is missing.
func short(format string, r *core.Ranked) report.Cell {
	b := r.Memory.Peak - r.Job.Memory
	if b <= 0 {
		b = r.Memory.Host - r.Job.Host
	}
	return report.Textf(format, lacks(r)).Part("short", float64(b), "B")
}

// twoDigits writes a number with two digits that count.
func twoDigits(x float64) string {
	if x < 10 {
		return prose.Fixed(x, 1)
	}
	return prose.Grouped(int64(roundedToTwo(x)))
}

// roundedToTwo is a number from 10 on, of which the first two digits are left.
func roundedToTwo(x float64) float64 {
	unit := 1.0
	for x/unit >= 100 {
		unit *= 10
	}
	return unit * math.Round(x/unit)
}

// lacks is how much memory a GPU, or else the host, has too little.
func lacks(r *core.Ranked) string {
	if m, j := &r.Memory, &r.Job; m.Peak <= j.Memory {
		return tenth(gib(m.Host-j.Host)) + " GiB of host memory"
	}
	return tenth(max(0.1, gib(r.Memory.Peak-r.Job.Memory))) + " GiB"
}

// tenth writes a number with one place, or none where it is large.
func tenth(x float64) string {
	if x >= 100 {
		return prose.Grouped(int64(x + 0.5))
	}
	return strings.TrimSuffix(prose.Fixed(x, 1), ".0")
}

// costing runs what was found, so that its cost is that of a run.
func costing(s *core.Setup, r *core.Ranked) (days, usd report.Cell) {
	t := r.Setup(s)
	got, err := core.Run(&t, r.System(), false, nil)
	if err != nil || !got.Ran() {
		return report.DashCell(), report.DashCell()
	}
	return aBillion(got)
}

// aBillion is what a billion tokens of a run take and cost.
func aBillion(r *core.Result) (days, usd report.Cell) {
	const billion = 1e9
	d := billion / float64(r.Tokens) * inSeconds(r.Time) / day
	takes := prose.ThreeDigits(24*d) + " hours"
	if d >= 2 {
		takes = twoDigits(d) + " days"
	}
	x := billion / float64(r.Tokens) * dollars(r)
	shown := x
	if x >= 10 {
		shown = roundedToTwo(x)
	}
	return report.Textf("%s", takes).With(d, "days"), report.Textf("%s", report.Dollars(shown)).With(x, "$")
}

// details are what of a variant is not its way.
func details(j *recipe.Job) string {
	return strings.Join([]string{
		[...]string{recipe.Whole: "all logits", recipe.Chunked: "chunked loss", recipe.Fused: "fused loss"}[j.Loss],
		"recomputes " + [...]string{"nothing", "some", "all"}[j.Recompute],
		prose.Count(j.Micro, "sequence"),
	}, ", ")
}

// waysHere is the table of the machine as it is.
func waysHere(x *seen, list []core.Ranked) report.Table {
	s := &x.Workload.setup
	t := report.Table{
		Key:   "recipes",
		Title: fmt.Sprintf("%s on %d × %s", s.Arch.Title, s.Node.GPUs, s.Node.GPU.Title),
		Head:  []string{"Recipe", "Fits", "Needs", "Tokens/s", "A billion tokens take", "and cost", "Variant"},
	}
	top := list[0].Step.Milli
	for i := range list {
		r := &list[i]
		row := report.Row{Head: r.Way.Title, Set: opening(x.Settings, r)}
		needs := report.Textf("%s of %s GiB", tenth(gib(r.Memory.Peak)), tenth(gib(r.Job.Memory))).With(float64(r.Memory.Peak), "B").Part("of", float64(r.Job.Memory), "B")
		switch {
		case r.Reason != "":
			row.Sub, row.Set = r.Reason, ""
			row.Cells = []report.Cell{report.Textf("cannot be"), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell(), report.DashCell()}
		case !r.Fits:
			row.Cells = []report.Cell{short("no, %s short", r), needs, report.DashCell(), report.DashCell(), report.DashCell(), report.Textf("%s", details(&r.Job))}
		default:
			days, usd := costing(s, r)
			row.Cells = []report.Cell{
				report.Textf("yes"), needs,
				betweenCell(r, top),
				days, usd, report.Textf("%s", details(&r.Job)),
			}
			row.Cells[2].Best = i == 0
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// trains are what is trained, by method: columns of the table of machines.
var trains = [...]string{recipe.Full: "All weights", recipe.LoRA: "LoRA", recipe.QLoRA: "QLoRA"}

// A place is a machine with the best way of each method.
type place struct {
	node machine.Config
	ways [len(trains)]*core.Ranked
}

// waysElsewhere is the table of machines with other GPUs: the fastest way of each method, and what is said of it.
func waysElsewhere(x *seen, here []core.Ranked) (t report.Table, says []string) {
	s := &x.Workload.setup
	best := func(node *machine.Config, list []core.Ranked) place {
		p := place{node: *node}
		for k := range trains {
			at := slices.IndexFunc(list, func(r core.Ranked) bool { return int(r.Way.Method) == k }) // the first is the best
			p.ways[k] = &list[at]
		}
		return p
	}
	places := []place{best(&s.Node, here)}
	others := core.Others(&s.Node)
	for i := range others {
		places = append(places, best(&others[i], core.Rank(s, &others[i])))
		if x.Progress != nil {
			x.Progress(i+1, len(others))
		}
	}
	at := int(s.Recipe.Method)     // they are in the order of methods
	rate := func(p *place) int64 { // of what is trained now
		if r := p.ways[at]; r.Fits {
			return r.Step.Milli
		}
		return -int64(p.ways[at].Memory.Peak-p.ways[at].Job.Memory) / 1000
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(rate(&b), rate(&a)) })
	t = report.Table{Key: "gpus", Title: fmt.Sprintf("%s on other GPUs, %d of each", s.Arch.Title, s.Node.GPUs), Head: []string{"GPU", "Memory", "Machine"}}
	for _, m := range trains {
		t.Head = append(t.Head, m+", tokens/s")
	}
	t.Head = append(t.Head, "A billion tokens cost, "+lowered(trains[at]))
	var tops [len(trains)]int64
	for i := range places {
		for k, r := range places[i].ways {
			if r.Fits {
				tops[k] = max(tops[k], r.Step.Milli)
			}
		}
	}
	var cheapest *place
	for i := range places {
		p := &places[i]
		g := &p.node.GPU
		row := report.Row{Head: g.Title, Set: opening(x.Settings, p.ways[at]), Cells: []report.Cell{report.Textf("%v", g.Memory), report.Textf("%s", money(p.node.Price())).With(float64(p.node.Price())/100, "$")}}
		if g.Key == s.Node.GPU.Key {
			row.Sub = "as it is"
		}
		for k, r := range p.ways {
			switch {
			case r.Reason != "":
				row.Cells = append(row.Cells, report.DashCell())
			case !r.Fits:
				row.Cells = append(row.Cells, short("%s short", r))
			default:
				c := betweenCell(r, tops[k])
				c.Best = r.Step.Milli == tops[k]
				row.Cells = append(row.Cells, c)
			}
		}
		usd := report.DashCell()
		if p.ways[at].Fits {
			_, usd = costing(s, p.ways[at])
			if cheapest == nil || p.node.Price() < cheapest.node.Price() {
				cheapest = p
			}
		}
		row.Cells = append(row.Cells, usd)
		t.Rows = append(t.Rows, row)
	}
	if cheapest == nil {
		return t, []string{fmt.Sprintf("%s: no GPU of the list holds %s.", trains[at], s.Arch.Title)}
	}
	r := cheapest.ways[at]
	return t, []string{fmt.Sprintf("The cheapest machine that fits, with %s: %d × %s for %s, %s tokens/s.", lowered(trains[at]), cheapest.node.GPUs, cheapest.node.GPU.Title, money(cheapest.node.Price()), between(r))}
}

// lowered begins small, but for names.
func lowered(s string) string {
	if s == trains[0] {
		return prose.Lower(s)
	}
	return s
}

// opening are the settings of what was found, as a setup text.
func opening(s *settings, r *core.Ranked) string {
	t := *s
	j := &r.Job
	t.GPU = r.Node.GPU.Key
	t.apart(&r.Node)
	t.Method, t.Optimizer, t.Loss, t.State = methods[j.Method], optimizers[j.Optimizer], losses[j.Loss], states[0]
	t.Recipe = j.Choice
	t.Layout.Micro, t.Recompute = j.Micro, recomputes[j.Recompute]
	var list []knob.Pair
	for _, k := range everyKnob() {
		if !k.Derived {
			list = append(list, knob.Pair{Key: k.Key, Text: k.Text(&t)})
		}
	}
	return knob.Join(list, " ")
}

// everyKnob lists the settings in the order of the form.
func everyKnob() (list []setting) {
	all := knobs()
	for _, panel := range []string{"workload", "training", "arch", "machine", "prices", "options"} {
		list = append(list, all[panel]...)
	}
	return list
}
