package serve

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spillway/sim/machine"
	"spillway/sim/prose"
	"spillway/sim/report"
	core "spillway/sim/serve"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

func sections() []section {
	return []section{
		{Show: showing(next), Section: lab.Section{Key: "next", Title: "What one more tier would bring", Run: true, About: "How many users the system in focus serves with more of each part and with less, and what that costs."}},
		{Show: showing(waterfall), Section: lab.Section{Key: "bill", Title: "The first token's bill", Run: true, Folded: true, About: "What the time to the first token goes to, step by step."}},
		{Show: showing(kneeTable), Section: lab.Section{Key: "loads", Title: "Every load", Run: true, Folded: true, About: "What the system in focus does at each rate, from a few requests to more than it gets done."}},
		{Show: showing(roofline), Section: lab.Section{Key: "steps", Title: "A step, by how many share it", Run: true, Folded: true, About: "How long a token takes and how many tokens a second there are, by the requests that are answered at once: where memory's rate ends to bound, and operations begin."}},
		{Show: showing(capacity), Section: lab.Section{Key: "capacity", Title: "Hit rate, by capacity", Run: true, Folded: true, About: "What host memory of other sizes finds of prompts (Figure 9 of the Mooncake paper has such a curve)."}},
		{Show: showing(life), Section: lab.Section{Key: "life", Title: "Life of the drives", Run: true, Folded: true, About: "How long drives of each kind live at this load, written through and on second use. What they endure is what their makers warrant, and what a day writes is what the run writes."}},
	}
}

// A look is what a section is about.
type look struct {
	*view
	r     *result
	title string
}

// showing runs the system in focus, and shows why where it cannot.
func showing(show func(*look) (*report.Section, error)) func(*view) (*report.Section, error) {
	return func(v *view) (*report.Section, error) {
		x, err := v.Settings.system(v.System)
		if err != nil {
			return nil, err
		}
		r, err := v.Run()
		if err != nil {
			return nil, err
		}
		if !r.Ran() {
			return &report.Section{Text: []string{x.Title + " cannot serve it: " + r.Refused}}, nil
		}
		return show(&look{v, r, r.title()})
	}
}

// timeCell is a time.
func timeCell(t unit.Time) report.Cell { return report.TimeCell(t) }

// rateCell is requests a second, of thousandths.
func rateCell(n int64) report.Cell {
	return report.Textf("%s", prose.ThreeDigits(float64(n)/1000)).With(float64(n)/1000, "1/s")
}

// moneyCell is dollars, of millionths.
func moneyCell(n int64) report.Cell {
	if n == 0 {
		return report.DashCell()
	}
	return report.Textf("$%s", prose.ThreeDigits(dollars(n))).With(dollars(n), "$")
}

func usersCell(k *knee) report.Cell {
	return report.Textf("%s", prose.ThreeDigits(k.users())).With(k.users(), "")
}

// kneeTable shows every load.
func kneeTable(v *look) (*report.Section, error) {
	k := v.r.knee
	if len(k.points) == 0 {
		return &report.Section{Text: []string{v.title + " gets too little done for a knee."}}, nil
	}
	t := report.Table{Key: "loads", Title: v.title, Head: []string{"Requests a second", "First token, mean", "nine in ten within", "Each further token", "Goodput", "Keep both limits", "Hit rate", "A million tokens"}}
	for _, p := range k.sorted() {
		row := report.Row{Head: prose.ThreeDigits(float64(p.rate) / 1000)}
		row.Cells = []report.Cell{
			timeCell(p.ttft), timeCell(p.ttft90), timeCell(p.tpot), rateCell(p.goodput),
			report.ShareCell(float64(p.good) / 1000), report.ShareCell(float64(p.hit) / 1e6), moneyCell(p.perMill),
		}
		if p.rate == k.best.rate {
			row.Sub = "the largest that keeps the limits"
		}
		t.Rows = append(t.Rows, row)
	}
	return &report.Section{
		Text: []string{verdict(v.title, v.r)}, Tables: []report.Table{t},
		Notes: []string{fmt.Sprintf("Each load has up to %d requests of the workload, which arrive independently, or as unevenly as they were recorded.", kneeRequests)},
	}, nil
}

// verdict says what the largest load is that keeps the limits.
func verdict(title string, r *result) string {
	b := &r.knee.best
	if b.rate == 0 {
		return fmt.Sprintf("No load keeps the limits with %s: nine in ten requests shall have their first token within %v and each further one within %v.", title, r.setting.TTFT, r.setting.TPOT)
	}
	return fmt.Sprintf("%s serves %s requests a second within the limits: %s users, for $%s a million tokens.", title, prose.ThreeDigits(float64(b.rate)/1000), prose.ThreeDigits(r.knee.users()), prose.ThreeDigits(dollars(b.perMill)))
}

// waterfall shows the bill of the first token.
func waterfall(v *look) (*report.Section, error) {
	f := report.Fall{ID: "bill", Title: "Time to the first token", Help: "Mean over the requests; each step adds what they wait for.", Unit: "s"}
	most, sum := 0, 0.0
	for p, x := range phases {
		mean := v.r.phase(core.Phase(p))
		took := seconds(mean)
		if mean > v.r.phase(core.Phase(most)) {
			most = p
		}
		sum += took
		f.Steps = append(f.Steps, report.Step{Key: x.key, Name: core.Phase(p).String(), Value: took, Text: added(mean), Color: x.color})
	}
	f.Steps = append(f.Steps, report.Step{Key: "ttft_mean_s", Name: "first token", Value: sum, Text: v.r.TTFT.Mean.String(), Total: true, Color: "ink"})
	out := &report.Section{Falls: []report.Fall{f.Told()}}
	out.Text = []string{fmt.Sprintf("With %s the first token is there after %v in the mean; most of that is %s, %s.", v.title, v.r.TTFT.Mean, core.Phase(most), prose.Percent(seconds(v.r.phase(core.Phase(most)))/max(sum, 1e-12)))}
	return out, nil
}

// added is what a step adds.
func added(t unit.Time) string {
	if t == 0 {
		return "nothing"
	}
	return "+" + t.String()
}

// roofline shows what a step takes that only answers, by how many share it: what a run with longer answers takes more than one with
// shorter, of which all prompts are computed before the shorter end.
func roofline(v *look) (*report.Section, error) {
	t := report.Table{Key: "steps", Title: v.title + ", prompts as now", Head: []string{"Answered at once", "Each token", "Tokens a second", "Of the memory's rate", "Of the operations"}}
	x := v.r.setting
	e, err := core.FindEngine(x.Engine)
	if err != nil {
		return nil, err
	}
	prompts, _ := v.Workload.Tokens()
	input := max(1, prompts/int64(len(v.Workload.Requests)))
	const steps = 64
	bend := int64(0)
	last := unit.Time(0)
	for b := int64(1); b <= 512 && b*v.r.Replicas <= 8192; b *= 2 {
		answer := steps + b*input/max(1, cmp.Or(x.Tokens, e.Small[1], e.Tokens)-b)
		short, err := answered(&x, b*v.r.Replicas, input, answer)
		if err != nil {
			return nil, err
		}
		long, err := answered(&x, b*v.r.Replicas, input, answer+steps)
		if err != nil {
			return nil, err
		}
		if short == nil || long == nil {
			break
		}
		span := long.Time - short.Time
		each, more := span/steps, func(a, b core.Work) float64 { return float64(b.Busy-a.Busy) / float64(v.r.Replicas) }
		if each <= 0 {
			break
		}
		rate := float64(b*v.r.Replicas) / seconds(each)
		t.Rows = append(t.Rows, report.Row{Head: prose.Grouped(b), Cells: []report.Cell{
			timeCell(each), report.Textf("%s", prose.ThreeDigits(rate)).With(rate, "tokens/s"),
			report.ShareCell(min(1, more(short.HBM, long.HBM)/float64(span))), report.ShareCell(min(1, more(short.Compute, long.Compute)/float64(span))),
		}})
		if last > 0 && bend == 0 && 10*each > 15*last {
			bend = b
		}
		last = each
	}
	if len(t.Rows) == 0 {
		return &report.Section{Text: []string{v.title + " answers none of these."}}, nil
	}
	said := "Twice as many requests cost less than half as much again for each token, up to all that were tried."
	if bend > 0 {
		said = fmt.Sprintf("Up to %s requests a step takes little more for twice as many; from there on each costs.", prose.Grouped(bend/2))
	}
	return &report.Section{Text: []string{said}, Tables: []report.Table{t}, Notes: []string{"Steps that only answer, no prompt among them, behind prompts of the mean length of now; by copy of the model. The last row is the last that fits into memory at once, or 512."}}, nil
}

// answered runs requests that come at once; nil where not all have a place at once, or one is longer than any may be.
func answered(x *core.Setting, n, input, answer int64) (*core.Result, error) {
	if input+answer > core.MostTokens {
		return nil, nil
	}
	w, err := (&core.Recipe{Arrivals: core.Burst, Requests: n, Input: core.Length{Mean: int32(input)}, Output: core.Length{Mean: int32(answer)}, Seed: 1}).Workload()
	if err != nil {
		return nil, err
	}
	r, err := core.Run(w, x, nil)
	if err != nil || !r.Ran() || r.Preempted > 0 || waited(r) {
		return nil, err
	}
	return r, nil
}

// waited reports whether a request had no place before another was answered: not all were answered at once.
func waited(r *core.Result) bool {
	last, first := unit.Time(0), unit.Time(math.MaxInt64)
	for i := range r.Requests {
		last, first = max(last, r.Requests[i].Admit), min(first, r.Requests[i].Done)
	}
	return last >= first
}

// A change is a machine with something more or less.
type change struct {
	name string
	set  func(s *settings)
	of   func(x *core.System) bool // whether it can matter; nil always
}

// changes are what is tried.
func changes() []change {
	host := func(x *core.System) bool { return x.Host }
	drive := func(x *core.System) bool { return x.Drive }
	link := func(x *core.System) bool { return x.Host || x.Drive || x.Stream != core.Resident }
	faster := func(s *settings, by int64) {
		if n, err := s.node(); err == nil {
			s.Link = min(10_000*unit.GBps, n.HostPath*unit.Bandwidth(by))
		}
	}
	return []change{
		{"one TB of host memory more", func(s *settings) { s.Host = min(64*1024*unit.GiB, s.Host+1024*unit.GiB) }, host},
		{"half of the host memory", func(s *settings) { s.Host /= 2 }, host},
		{"one drive more for each GPU", func(s *settings) { s.Drives = min(32, s.Drives+1) }, drive},
		{"a link twice as fast", func(s *settings) { faster(s, 2) }, link},
		{"NVLink-C2C to host memory", func(s *settings) { s.Link = 400 * unit.GBps }, link},
		{"keys and values in fp8", func(s *settings) { s.KV = "fp8" }, nil},
		{"written on second use", func(s *settings) { s.Setting.WriteOnSecond = true }, drive},
	}
}

// matters is which part of all users a change must bring to be one: less is what the search for the knee leaves open.
const matters = 100

// next compares what more of each part brings, and what each tier does.
func next(v *look) (*report.Section, error) {
	t := report.Table{Key: "next", Title: v.title + ", changed", Head: []string{"Change", "Users", "Requests a second", "Price of the machine", "A million tokens", "It pays up to"}}
	mine, _ := v.Settings.system(v.System)
	base, price := v.r.knee, v.r.setting.Node.Price()
	row := func(name string, k *knee, cents int64) {
		cells := []report.Cell{usersCell(k), rateCell(k.best.rate), report.Textf("%s", report.Dollars(float64(cents)/100)).With(float64(cents)/100, "$"), moneyCell(k.best.perMill), report.DashCell()}
		if gain := k.best.rate - base.best.rate; name != "as it is" && gain > 0 && base.best.rate > 0 {
			worth := unit.MulDiv(price, gain, base.best.rate)
			cells[4] = report.Textf("%s", report.Dollars(float64(worth)/100)).With(float64(worth)/100, "$")
		}
		t.Rows = append(t.Rows, report.Row{Head: name, Cells: cells})
	}
	row("as it is", base, price)
	best, gained, half := "", 0.0, false
	list := slices.DeleteFunc(changes(), func(c change) bool { return c.of != nil && !c.of(mine) })
	others := slices.DeleteFunc(core.Systems(), func(x core.System) bool {
		return x.Key == v.System || x.Stream != core.Resident || x.Batch || x.Free || mine.Stream != core.Resident
	})
	done, all := 0, len(list)+len(others)
	tell := func() {
		if done++; v.Progress != nil {
			v.Progress(done, all)
		}
	}
	for _, c := range list {
		s := *v.Settings
		c.set(&s)
		if same, now := kneeKey(&s, v.System), kneeKey(v.Settings, v.System); same == now {
			tell()
			continue
		}
		n, err := s.node()
		if err != nil {
			return nil, err
		}
		k, err := v.Workload.knee(&s, v.System, nil)
		if err != nil {
			return nil, err
		}
		row(c.name, k, n.Price())
		more := k.users() - base.users()
		if more > gained {
			best, gained = c.name, more
		}
		half = half || s.Host < v.Settings.Host && matters*-more <= base.users()
		tell()
	}
	tiers := report.Table{Key: "tiers", Title: "The same machine with other tiers", Head: []string{"System", "Users", "Requests a second", "First token, nine in ten within", "A million tokens"}}
	useless := ""
	for _, x := range core.Systems() {
		if x.Key != v.System && !slices.ContainsFunc(others, func(o core.System) bool { return o.Key == x.Key }) {
			continue
		}
		k, err := v.Workload.knee(v.Settings, x.Key, nil)
		if err != nil {
			return nil, err
		}
		tiers.Rows = append(tiers.Rows, report.Row{Head: x.Title, Cells: []report.Cell{usersCell(k), rateCell(k.best.rate), timeCell(k.best.ttft90), moneyCell(k.best.perMill)}})
		if x.Key != v.System {
			if mine.Drive && mine.Host && x.Host && !x.Drive && !x.Weigh && 100*k.best.rate >= 99*base.best.rate {
				useless = "Here drives behind host memory bring nothing to the load that keeps the limits."
			}
			tell()
		}
	}
	out := &report.Section{Text: []string{verdict(v.title, v.r)}, Tables: []report.Table{t, tiers}}
	switch {
	case matters*gained > base.users():
		out.Text = append(out.Text, fmt.Sprintf("Most of these changes bring would be %s: %s users more.", best, prose.ThreeDigits(gained)))
	case base.best.rate > 0 && half:
		out.Text = append(out.Text, "None of these changes brings anything; half of the host memory is enough.")
	case base.best.rate > 0:
		out.Text = append(out.Text, "None of these changes brings anything.")
	}
	if useless != "" {
		out.Text = append(out.Text, useless)
	}
	out.Notes = []string{"It pays up to: the price at which the change costs as much for each request as more machines like this one would. Prices of links and numbers of four bits are in no list."}
	return out, nil
}

// capacity shows what host memory of other sizes finds.
func capacity(v *look) (*report.Section, error) {
	x := v.r.setting
	sys, _ := v.Settings.system(v.System)
	if !sys.Host && !sys.Drive {
		return &report.Section{Text: []string{v.title + " has no tier behind GPU memory: look at another system."}}, nil
	}
	own := x.HostKV
	t := report.Table{Key: "capacity", Title: "By room for keys and values of a copy behind its GPUs", Head: []string{"Room", "Tokens", "Hit rate", "in GPU memory", "in host memory", "on drives", "First token, mean"}}
	token := v.r.Memory.KVToken
	var first, last float64
	sizes := []unit.Bytes{0, 16, 64, 256, 1024, 4096}
	for i, n := range sizes {
		size := n * unit.GiB
		if x.HostKV, x.DriveKV = own, size; sys.Host {
			x.HostKV, x.DriveKV = size, v.r.setting.DriveKV
		}
		r, err := core.Run(v.Workload.Workload, &x, nil)
		if err != nil {
			return nil, err
		}
		if !r.Ran() {
			continue
		}
		hit := float64(r.HitRate()) / 1e6
		if first == 0 {
			first = hit
		}
		last = hit
		t.Rows = append(t.Rows, report.Row{Head: size.String(), Cells: []report.Cell{
			report.CountCell(int64(size / max(1, token))), report.ShareCell(hit), report.ShareCell(float64(r.HitRateOf(core.InHBM)) / 1e6), report.ShareCell(float64(r.HitRateOf(core.InHost)) / 1e6), report.ShareCell(float64(r.HitRateOf(core.InDrive)) / 1e6), timeCell(r.TTFT.Mean),
		}})
		if v.Progress != nil {
			v.Progress(i+1, len(sizes))
		}
	}
	if len(t.Rows) == 0 {
		return &report.Section{Text: []string{v.title + " runs with none of these."}}, nil
	}
	return &report.Section{
		Text:   []string{fmt.Sprintf("From none to 4 TiB for each copy the hit rate goes from %s to %s.", prose.Percent(first), prose.Percent(last))},
		Tables: []report.Table{t},
		Notes:  []string{"Of host memory where the system has it, else of drives; everything else as it is, drives behind host memory too."},
	}, nil
}

// life shows how long drives live.
func life(v *look) (*report.Section, error) {
	sys, _ := v.Settings.system(v.System)
	if !sys.Drive {
		return &report.Section{Text: []string{v.title + " writes to no drives."}}, nil
	}
	through, second := v.r.setting, v.r.setting
	through.WriteOnSecond, second.WriteOnSecond = false, true
	a, err := core.Run(v.Workload.Workload, &through, nil)
	if err != nil {
		return nil, err
	}
	b, err := core.Run(v.Workload.Workload, &second, nil)
	if err != nil {
		return nil, err
	}
	if !a.Ran() || !b.Ran() || a.Write.Bytes == 0 {
		return &report.Section{Text: []string{v.title + " writes nothing to drives at this load."}}, nil
	}
	t := report.Table{Key: "drives", Title: "How long drives of each kind would live", Head: []string{"Drive", "Warranted", "Written through", "Written on second use"}}
	number := v.r.setting.Node.Drives * v.r.setting.Node.GPUs
	lives := func(r *core.Result, d *machine.Drive) report.Cell {
		n := r.WrittenPerDay()
		if n == 0 {
			return report.DashCell()
		}
		x := float64(d.Endurance) * float64(number) / float64(n)
		return report.Textf("%s", days(x)).With(x, "days")
	}
	list := machine.Drives()
	for i := range list {
		d := &list[i]
		t.Rows = append(t.Rows, report.Row{Head: d.Title, Cells: []report.Cell{report.Textf("%s TB", prose.ThreeDigits(float64(d.Endurance)/1e12)).With(float64(d.Endurance), "B"), lives(a, d), lives(b, d)}})
	}
	said := fmt.Sprintf("Written through, %s a day go to %s; on second use %s, and the hit rate is %s instead of %s.",
		prose.Bytes(float64(a.WrittenPerDay())), prose.Count(number, "drive"), prose.Bytes(float64(b.WrittenPerDay())), prose.Percent(float64(b.HitRate())/1e6), prose.Percent(float64(a.HitRate())/1e6))
	if d := a.DriveLife(); d != math.MaxInt64 {
		said += fmt.Sprintf(" That is %s for the drives that are set.", days(float64(d)/1000))
	}
	return &report.Section{Text: []string{said}, Tables: []report.Table{t}}, nil
}
