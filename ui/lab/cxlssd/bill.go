package cxlssd

import (
	"fmt"
	"slices"
	"strings"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/latency"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
)

// Choices of what the bill of the design in focus is compared with.
const (
	billWith  = "bill_with"
	withFew   = "few"
	withAll   = "all"
	withFocus = "focus"
)

func billKnobs() []knob.Info {
	return []knob.Info{{
		Key: billWith, Label: "Beside", Help: "Which designs stand beside the one in focus.", Kind: knob.One, Default: withFew,
		Choices: []knob.Choice{{Key: withFew, Label: "Base-CSSD and SkyByte-Full"}, {Key: withAll, Label: "all designs"}, {Key: withFocus, Label: "none"}},
	}}
}

// beside are the designs that are compared, the one in focus among them.
func (v *view) beside(with string) (list []*core.System) {
	for i := range core.Systems {
		x := &core.Systems[i]
		if x == v.system || with == withAll && !x.Off || with == withFew && (x.Base || x.Main) {
			list = append(list, x)
		}
	}
	if !slices.Contains(list, v.system) { // which is what somebody wrote
		list = append(list, v.system)
	}
	return list
}

// bill says what a request costs, and what bounds the run.
func (v *view) bill() (*report.Section, error) {
	systems := v.beside(v.look.Text(billWith))
	var threads []unit.Time
	results, err := v.each(systems, &core.Watch{Span: func(_, thread int, what core.Cause, from, to unit.Time) {
		if thread < 0 || what == core.Idle {
			return
		}
		for thread >= len(threads) {
			threads = append(threads, 0)
		}
		threads[thread] += to - from
	}})
	if err != nil {
		return nil, err
	}
	r := results[slices.Index(systems, v.system)]
	b := boundsOf(r, v.s, v.design(), threads)
	return &report.Section{
		Text:   []string{v.average(r), v.slowest(r), v.system.Title + ": " + b.says()},
		Tables: []report.Table{v.served(r), byDesign(systems, results), tails(systems, results), works(systems, results), law(systems, results), b.table()},
		Notes:  []string{"Measured time is below the sum where loads overlap, and where stores wait in the store buffer while the core goes on.", "Latencies are those of requests that retired. One that switched threads counts when it is issued again, so its wait before that is not in the bill: another thread ran then.", "Percentiles are off by a fifth at most. What flash does for compaction counts from when it is asked for, as if no later request put it off."},
	}, nil
}

// quantiles of latencies are told, in thousandths.
var quantiles = []struct {
	key, label string
	part       int64
}{{"p50", "half", 500}, {"p95", "95 %", 950}, {"p99", "99 %", 990}, {"p999", "99.9 %", 999}}

// quantileHeads are those of a table of them, behind some others.
func quantileHeads(before ...string) []string {
	for i, q := range quantiles {
		head := prose.Capital(q.label)
		if i == 0 {
			head += " within"
		}
		before = append(before, head)
	}
	return append(before, "Longest")
}

// within are cells of how long so many take.
func within(c *latency.Counts, longest unit.Time) (cells []report.Cell) {
	for _, q := range quantiles {
		cells = append(cells, report.TimeCell(c.Quantile(q.part, longest)))
	}
	return append(cells, report.TimeCell(longest))
}

// tails is how long requests take, those that read and those that write apart, by design.
func tails(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "requests", Title: "How long requests take: so many of them at most, and why the longest does", Head: append(quantileHeads("Design", "Requests"), "The longest")}
	if slices.ContainsFunc(results, func(r *core.Result) bool { return r.Switches > 0 }) {
		t.Title = "How long requests take from when they were issued last, without what they waited before a switch of threads: so many of them at most, and why the longest does"
	}
	for i, r := range results {
		for _, x := range []struct {
			what string
			n    int64
			tail *core.Tail
		}{{"reads", requests(r) - r.Writes, &r.ReadTail}, {"writes", r.Writes, &r.WriteTail}} {
			if x.n == 0 {
				continue
			}
			row := report.Row{Head: systems[i].Title + ", " + x.what, Cells: []report.Cell{report.CountCell(x.n)}}
			row.Cells = append(append(row.Cells, within(&x.tail.Latency, x.tail.Longest)...), report.Textf("%s", because(x.tail)))
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// because says what the longest request waited for.
func because(t *core.Tail) string {
	said := kindNames[t.Of]
	switch {
	case t.Of == core.LogWrite && t.Queued > 0:
		said += fmt.Sprintf(", %v for room in the log", t.Queued)
	case t.Queued > t.Flash:
		said += fmt.Sprintf(", %v behind other work of its channel", t.Queued)
	case t.Flash > 0:
		said += fmt.Sprintf(", %v of flash", t.Flash)
	}
	return said
}

// works is how long the flash takes for a page, its queue included, by who asked and design.
func works(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "flash", Title: "How long flash takes for a page, its queue included", Head: quantileHeads("Design", "Pages")}
	for i, r := range results {
		for _, x := range []struct {
			what string
			n    int64
			of   core.Work
		}{
			{"reads for requests", r.UserReads, r.ReadWork},
			{"programs of what leaves the cache or host DRAM", r.EvictionPrograms + r.DemotionPrograms, r.ProgramWork},
			{"reads of compaction", r.CompactionReads, r.CompactReadWork},
			{"programs of compaction", r.CompactionPrograms, r.CompactProgramWork},
		} {
			if x.n > 0 {
				row := report.Row{Head: systems[i].Title + ", " + x.what, Cells: []report.Cell{report.CountCell(x.n)}}
				row.Cells = append(row.Cells, within(&x.of.Latency, x.of.Longest)...)
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// slowest says what the tail is, and what the longest request waited for.
func (v *view) slowest(r *core.Result) string {
	if requests(r) == 0 {
		return "No request is served, so none is the longest."
	}
	at := func(part int64) string { return fmt.Sprint(r.Latency.Quantile(part, r.Longest)) }
	text := fmt.Sprintf("Half of the requests take at most %s, 95 %% %s, 99 %% %s, 99.9 %% %s. The longest takes %v: %s", at(500), at(950), at(990), at(999), r.Longest, kindNames[r.LongestOf])
	if r.LongestQueue > 0 {
		text += fmt.Sprintf(", which waits %v for earlier work of its channel, programs and erases included", r.LongestQueue)
	}
	if r.Switches > 0 {
		return text + fmt.Sprintf(". But threads are switched %s times, %s for every hundred requests, and what a request waits from then until it is issued again is in none of these.", prose.Grouped(r.Switches), prose.ThreeDigits(100*part(r.Switches, requests(r))))
	}
	return text + "."
}

// average says what the mean request costs and what most of that is.
func (v *view) average(r *core.Result) string {
	n, sum := requests(r), billed(r)
	if n == 0 || sum == 0 {
		return v.system.Title + " serves no request here."
	}
	most := core.Part(0)
	for p, t := range r.Bill {
		if t > r.Bill[most] {
			most = core.Part(p)
		}
	}
	words := [core.Parts]string{"host DRAM", "the link", "the look-up in the device", "the device's DRAM", "flash itself", "the queue before flash or the log"}
	return fmt.Sprintf("%s: on average each of %s requests takes %s ns, of which %s is %s.",
		v.system.Title, prose.Grouped(n), prose.Fixed(nanoseconds(float64(sum)/float64(n)), 1), prose.Percent(part(int64(r.Bill[most]), int64(sum))), words[most])
}

// served is how requests were served, and what each way costs.
func (v *view) served(r *core.Result) report.Table {
	t := report.Table{Key: "served", Title: "How " + v.system.Title + " serves requests; times in ns a request", Head: []string{"Served", "Requests", "Share"}}
	t.Head = append(append(t.Head, partNames[:]...), "Latency", "Of all latency")
	n, sum := requests(r), billed(r)
	row := func(head string, count int64, bill *[core.Parts]unit.Time) {
		if count == 0 {
			return
		}
		x := report.Row{Head: head, Cells: []report.Cell{report.CountCell(count), shareCell(count, n)}}
		var all unit.Time
		for _, p := range bill {
			all += p
			x.Cells = append(x.Cells, perRequest(p, count))
		}
		x.Cells = append(x.Cells, perRequest(all, count), shareCell(int64(all), int64(sum)))
		t.Rows = append(t.Rows, x)
	}
	for k := range r.Requests {
		row(kindNames[k], r.Requests[k], &r.BillOf[k])
	}
	row("all", n, &r.Bill)
	return t
}

// perRequest is a sum of times over requests, in ns.
func perRequest(t unit.Time, n int64) report.Cell {
	x := nanoseconds(float64(t) / float64(max(n, 1)))
	if t == 0 {
		return report.DashCell().With(x, "ns")
	}
	return report.Textf("%s", prose.Fixed(x, 1)).With(x, "ns")
}

// byDesign is the mean request of every design.
func byDesign(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{Key: "designs", Title: "The mean request by design, in ns", Head: []string{"Design", "Requests"}}
	t.Head = append(append(t.Head, partNames[:]...), "AMAT", "Of it: host, link, index and DRAM, flash, queue")
	for i, r := range results {
		n, sum := requests(r), billed(r)
		x := report.Row{Head: systems[i].Title, Cells: []report.Cell{report.CountCell(n)}}
		for _, p := range r.Bill {
			x.Cells = append(x.Cells, perRequest(p, n))
		}
		of := func(t unit.Time) float64 { return part(int64(t), int64(sum)) }
		b := &r.Bill
		stack := []float64{of(b[core.PartHost]), of(b[core.PartLink]), of(b[core.PartIndex] + b[core.PartDRAM]), of(b[core.PartFlash]), of(b[core.PartQueue])}
		said := make([]string, len(stack))
		for k, s := range stack {
			said[k] = prose.Fixed(100*s, 0)
		}
		x.Cells = append(x.Cells, perRequest(sum, n), report.Cell{Text: strings.Join(said, " / ") + " %", Stack: stack})
		t.Rows = append(t.Rows, x)
	}
	return t
}

// law compares the time of a mean core with what its bill adds up to.
func law(systems []*core.System, results []*core.Result) report.Table {
	t := report.Table{
		Key:   "law",
		Title: "A core's time as a sum: AMAT × requests ÷ cores, what it computes, what requests cost on the chip and what it switches",
		Head:  []string{"Design", "Computes", "Requests on the chip", "Switches", "AMAT × requests ÷ cores", "Sum", "Mean core, measured", "Measured of sum", "Slowest core"},
	}
	for i, r := range results {
		l := lawOf(r)
		x := report.Row{Head: systems[i].Title}
		for _, time := range []unit.Time{l.computes, l.chip, l.switches, l.waits, l.sum(), l.measured} {
			x.Cells = append(x.Cells, report.TimeCell(time))
		}
		ratio := part(int64(l.measured), int64(l.sum()))
		x.Cells = append(x.Cells, report.Cell{Text: prose.Percent(ratio), Share: min(1, ratio)}.WithShare(ratio), report.TimeCell(r.Time))
		t.Rows = append(t.Rows, x)
	}
	return t
}

// A sumOf is the law of a run: what a mean core computes, what requests cost it on the
// chip, what it switches, what it would wait if every request were waited for alone, and
// what it took.
type sumOf struct{ computes, chip, switches, waits, measured unit.Time }

func lawOf(r *core.Result) sumOf {
	n := unit.Time(max(1, r.Cores))
	return sumOf{(r.Ledger[core.Computes] - r.OnChip) / n, r.OnChip / n, (r.Ledger[core.Switches] + r.Ledger[core.Stopped]) / n, billed(r) / n, coreTime(r) / n}
}

func (l *sumOf) sum() unit.Time { return l.computes + l.chip + l.switches + l.waits }

// A bounds is what the run would take if only one thing mattered. With a log flash may
// be behind when the run ends: nobody waits for its programs.
type bounds struct {
	time     unit.Time // of the run
	behind   bool      // programs may end after the run
	programs unit.Time // flash programs, spread evenly
	channel  unit.Time // work of the busiest channel, spread evenly over its dies
	balanced unit.Time // the mean core
	slowest  unit.Time // the thread that was on cores longest
	thread   int
	waits    unit.Time // for memory and the log, of the mean core
	law      sumOf
}

func boundsOf(r *core.Result, s *core.Setup, d core.Design, threads []unit.Time) *bounds {
	b := &bounds{time: r.Time, behind: d.Log, balanced: coreTime(r) / unit.Time(max(1, r.Cores)), law: lawOf(r)}
	b.waits = (r.Ledger[core.WaitsDRAM] + r.Ledger[core.WaitsSSD] + r.Ledger[core.WaitsLog]) / unit.Time(max(1, r.Cores))
	units := s.Channels
	if !s.Quirks.Has(core.OneLUN) {
		units *= s.Dies * s.Planes
	}
	b.programs = unit.Time(programs(r)) * s.Program / unit.Time(max(1, units))
	for _, t := range r.ChannelBusy {
		b.channel = max(b.channel, t*unit.Time(max(1, s.Channels))/unit.Time(max(1, units)))
	}
	for i, t := range threads {
		if t > b.slowest {
			b.slowest, b.thread = t, i
		}
	}
	return b
}

// says is the sentence about what bounds the run.
func (b *bounds) says() string {
	if b.behind && b.channel > b.time {
		return b.cores() + fmt.Sprintf(" Flash lags behind at the end: its busiest channel was given work for %v, which would hold up a longer run.", b.channel)
	}
	return b.cores()
}

// cores is says without what is left for flash.
func (b *bounds) cores() string {
	of := func(t unit.Time) float64 { return part(int64(t), int64(b.time)) }
	switch {
	case b.time == 0:
		return "nothing runs."
	case of(b.channel) >= 0.9 && !b.behind:
		return fmt.Sprintf("flash bounds this run: its busiest channel has work for %v in the %v that the run takes. Programs, spread evenly, are %v of it.", b.channel, b.time, b.programs)
	case of(b.slowest) >= 0.9 && of(b.balanced) < 0.85:
		return fmt.Sprintf("one thread bounds this run: thread %d is on a core for %v of %v, while the mean core has work for %v.", b.thread+1, b.slowest, b.time, b.balanced)
	case of(b.balanced) >= 0.85:
		spent := []string{fmt.Sprintf("computes %v", b.law.computes), fmt.Sprintf("spends %v on the chip for requests", b.law.chip), fmt.Sprintf("waits %v", b.waits)}
		if b.law.switches > 0 {
			spent = append(spent, fmt.Sprintf("switches %v", b.law.switches))
		}
		return fmt.Sprintf("%s bounds this run: the mean core is busy for %v of %v, of which it %s.", b.most(), b.balanced, b.time, prose.List(spent))
	}
	return fmt.Sprintf("work is spread unevenly: the mean core is busy for %v of %v, and no single thread or channel explains it.", b.balanced, b.time)
}

// most is what the mean core does most. What requests cost on the chip and in memory
// counts together before one of both is named.
func (b *bounds) most() string {
	l := &b.law
	switch {
	case l.switches > max(l.computes, l.chip+b.waits):
		return "switching threads"
	case l.computes > l.chip+b.waits:
		return "computing"
	case l.chip > b.waits:
		return "what requests cost on the chip"
	}
	return "waiting for memory"
}

// table lists the bounds beside the time.
func (b *bounds) table() report.Table {
	t := report.Table{Key: "limits", Title: "What the run would take if only one thing mattered", Head: []string{"Only", "Time", "Of the run"}}
	flash := "all work of one channel, spread evenly over its dies"
	if b.behind {
		flash += "; some may end after the run"
	}
	for _, x := range []struct {
		head, sub string
		t         unit.Time
	}{
		{"Flash programs, spread evenly", "programs × their time ÷ what works in parallel", b.programs},
		{"The busiest channel", flash, b.channel},
		{"Every request waited for alone", "what a mean core computes, spends on the chip and switches, and AMAT × requests ÷ cores", b.law.sum()},
		{"The mean core", "if work lay evenly on the cores", b.balanced},
		{fmt.Sprintf("The slowest thread, number %d", b.thread+1), "time on cores of one thread", b.slowest},
		{"The run", "", b.time},
	} {
		t.Rows = append(t.Rows, report.Row{Head: x.head, Sub: x.sub, Cells: []report.Cell{report.TimeCell(x.t), shareCell(int64(x.t), int64(b.time))}})
	}
	return t
}
