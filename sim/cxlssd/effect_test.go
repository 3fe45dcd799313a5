package cxlssd

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spillway/build/golden"
	"spillway/sim/cxlssd/stream"
	"spillway/sim/quirk"
	"spillway/sim/unit"
)

// fig14 are the designs of Figure 14 that have flash.
var fig14 = []string{"base-cssd", "skybyte-p", "skybyte-c", "skybyte-w", "skybyte-cp", "skybyte-wp", "skybyte-full"}

// An effectTable measures what changes of the setup do to designs.
type effectTable struct {
	workloads []string
	scale     func(name string) int64
	streams   map[string]*stream.Workload
	done      map[string]*Result // of the artifact's setup
}

func newEffectTable(scale func(string) int64, workloads ...string) *effectTable {
	e := &effectTable{workloads: workloads, scale: scale, streams: map[string]*stream.Workload{}, done: map[string]*Result{}}
	for _, w := range stream.Recipes() {
		if slices.Contains(workloads, w.Name) {
			e.streams[w.Name] = &w
		}
	}
	return e
}

func (e *effectTable) run(t *testing.T, workload, system string, s Setup) *Result {
	t.Helper()
	s.Scale = e.scale(workload)
	r, err := Run(e.streams[workload], &s, system, nil, nil)
	if err != nil {
		t.Fatalf("%s on %s: %v", workload, system, err)
	}
	return r
}

// base is the run with the artifact's setup.
func (e *effectTable) base(t *testing.T, workload, system string) *Result {
	key := workload + " " + system
	if e.done[key] == nil {
		e.done[key] = e.run(t, workload, system, Default())
	}
	return e.done[key]
}

func pages(r *Result) int64 {
	return r.EvictionPrograms + r.CompactionPrograms + r.DemotionPrograms
}

// percent writes a ratio as a change. The smallest that is shown is a tenth of a percent.
func percent(x float64) string {
	p := math.Round(1000*(x-1)) / 10
	switch {
	case x >= 10:
		return fmt.Sprintf("× %.0f", x)
	case p > 0:
		return fmt.Sprintf("+%.1f %%", p)
	case p < 0:
		return fmt.Sprintf("−%.1f %%", -p)
	}
	return "0"
}

// changes writes the lines of a table: of each workload the time of systems with a setup
// by that of the artifact's, the mean, which it returns, and the mean of the pages that
// are programmed.
func (e *effectTable) changes(t *testing.T, b *bytes.Buffer, systems []string, s Setup) []string {
	fmt.Fprintf(b, "| Time |%s\n|---|%s\n", header(systems), strings.Repeat("--:|", len(systems)))
	times, programs := make([]float64, len(systems)), make([]float64, len(systems))
	for _, w := range e.workloads {
		fmt.Fprintf(b, "| %s |", w)
		for i, x := range systems {
			before, after := e.base(t, w, x), e.run(t, w, x, s)
			ratio := float64(after.Time) / float64(before.Time)
			times[i] += math.Log(ratio)
			programs[i] += math.Log(float64(1+pages(after)) / float64(1+pages(before)))
			fmt.Fprintf(b, " %s |", percent(ratio))
		}
		fmt.Fprintln(b)
	}
	n := float64(len(e.workloads))
	fmt.Fprintf(b, "| **mean** |")
	means := make([]string, len(times))
	for i, x := range times {
		means[i] = percent(math.Exp(x / n))
		fmt.Fprintf(b, " **%s** |", means[i])
	}
	fmt.Fprintf(b, "\n| pages programmed, mean |")
	for _, x := range programs {
		fmt.Fprintf(b, " %s |", percent(math.Exp(x/n)))
	}
	fmt.Fprint(b, "\n\n")
	return means
}

func header(systems []string) string {
	var text strings.Builder
	for _, x := range systems {
		s, err := Find(x)
		if err != nil {
			panic(err)
		}
		text.WriteString(" " + strings.TrimPrefix(s.Title, "SkyByte-") + " |")
	}
	return text.String()
}

// concerned are the designs that a switch concerns, of those of Figure 14 and, if there
// are none, of Figure 23.
func concerned(bit quirk.Set) []string {
	s := Default()
	var list []string
	for _, name := range append(slices.Clone(fig14), "skybyte-ct", "skybyte-wct") {
		x, _ := Find(name)
		if s.concerns(x.Design).Has(bit) && (slices.Contains(fig14, name) || bit == StayArmed) {
			list = append(list, name)
		}
	}
	return list
}

// unlike is the table of what Paper has otherwise than Default.
func unlike() string {
	var b strings.Builder
	a, p := Default(), Paper()
	fmt.Fprintf(&b, "| Setting | Artifact | Paper | Where from |\n|---|---|---|---|\n")
	for _, k := range Knobs() {
		if was, is := k.Text(&a), k.Text(&p); was != is {
			fmt.Fprintf(&b, "| %s (`%s`) | %s | %s | %s |\n", k.Label, k.Key, withUnit(was, k.Unit), withUnit(is, k.Unit), k.Source)
		}
	}
	fmt.Fprintf(&b, "| Switches | all %d | none | below |\n", len(Quirks))
	return b.String()
}

func withUnit(text, unit string) string { return strings.TrimSpace(text + " " + unit) }

// switches is the list of switches with what they do.
func switches() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | Switch | On: the artifact | Off: the paper |\n|--:|---|---|---|\n")
	for i, q := range Quirks {
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", i+1, q.Key, q.Text, q.Paper)
	}
	return b.String()
}

// document is QUIRKS.md.
func document(t *testing.T) []byte {
	scales := map[string]int64{"bfs-dense": 1, "tpcc": 1, "srad": 4, "dlrm": 16, "bc": 16, "radix": 16, "ycsb-a": 16}
	e := newEffectTable(func(name string) int64 { return scales[name] }, "bc", "bfs-dense", "dlrm", "radix", "srad", "tpcc", "ycsb-a")
	var b bytes.Buffer
	b.WriteString(`# Switches between artifact and paper

Written by ` + "`go test ./sim/cxlssd -run TestQuirks -update`" + `.

The published simulator of SkyByte does some things that the paper does not say, or says
otherwise. Each is a switch, on in the setup *artifact* and off in *paper*. What else
differs between the two is in the second table.

`)
	b.WriteString(switches() + "\n## Settings\n\n" + unlike())
	b.WriteString(`
The paper says that garbage is collected from 80 % used on, but not how full of valid
pages its device is, and names no cost of a promotion: both are 0 in either setup, and
measured below.

## Each switch alone

Change of the time of the slowest core when the switch alone is turned off, and of the
pages that are programmed. Scales: bfs-dense and tpcc run in full, srad at 1/4, the others at 1/16.
Means are geometric, over the seven workloads of Figure 14. A design that is not in a
table does not have the part that the switch is of.

Some change nothing here. true-latency: flash takes 3 µs to read and the threshold is
2 µs, so that every read switches by either rule; it matters from thresholds of some
10 µs on. free-index: writes into the log wait in the store buffer, not the core.
unlimited-misses: threads never have as many as 2048 under way.

`)
	s := Default()
	var parts bytes.Buffer
	all := append(slices.Clone(fig14), "skybyte-ct", "skybyte-wct")
	line := func(name string, systems, means []string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, x := range all {
			text := ""
			if i := slices.Index(systems, x); i >= 0 {
				text = means[i]
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintf(&b, "| Mean of times |%s\n|---|%s\n", header(all), strings.Repeat("--:|", len(all)))
	for i, q := range Quirks {
		fmt.Fprintf(&parts, "### %d. %s\n\n", i+1, q.Key)
		s.Quirks = Quirks.All() &^ (1 << i)
		systems := concerned(1 << i)
		line(q.Key, systems, e.changes(t, &parts, systems, s))
		if 1<<i == DemotionLost {
			parts.WriteString(foreignText)
			clean := newEffectTable(e.scale, e.workloads...)
			for _, w := range clean.streams {
				w.Recipe.DemoteDirty = min(w.Recipe.DemoteDirty, 1)
			}
			line("demotion-lost, clean foreign pages", systems, clean.changes(t, &parts, systems, s))
		}
	}
	parts.WriteString("### one-log and run-ahead\n\nA compaction that is booked at once is the same with one log and with two.\n\n")
	s.Quirks = Quirks.All() &^ (OneLog | RunAhead)
	logged := concerned(OneLog)
	line("one-log and run-ahead", logged, e.changes(t, &parts, logged, s))
	s.Quirks = 0
	parts.WriteString("## All switches together\n\nAll are off; settings are the artifact's.\n\n")
	line("**all**", fig14, e.changes(t, &parts, fig14, s))
	parts.WriteString("## The paper's setup\n\nAll switches are off, and settings are the paper's.\n\n")
	line("**the paper's setup**", fig14, e.changes(t, &parts, fig14, Paper()))
	fmt.Fprintf(&b, "\n%s", parts.Bytes())
	b.WriteString("## What neither setup charges\n\nEach against the artifact's setup, but the last, which has all of the paper.\n\n")
	for _, k := range extras {
		s := Default()
		if k.paper {
			s = Paper()
		}
		k.set(&s)
		fmt.Fprintf(&b, "### %s\n\n", k.title)
		e.changes(t, &b, fig14, s)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// foreignText says what a part of the effect of demotion-lost comes from.
const foreignText = `Most of this is pages of other footprints. They fill host DRAM before the run, leave it
first, and are dirty as often as the workload's recipe says; the log has no slots for
their lines, so that each is programmed on its own. If only one in a thousand of them is
dirty, with the switch on and off, what is left is that of the workload's own pages:

`

// extras are costs that neither setup has.
var extras = []struct {
	title string
	paper bool
	set   func(*Setup)
}{
	{"A promotion copies its page in 1 µs", false, func(s *Setup) { s.Copy = unit.Microsecond }},
	{"A promotion stops every core for 1 µs", false, func(s *Setup) { s.Shootdown = unit.Microsecond }},
	{"A link of 16 GB/s", false, func(s *Setup) { s.LinkRate = 16 * unit.GBps }},
	{"A link of 4 GB/s", false, func(s *Setup) { s.LinkRate = 4 * unit.GBps }},
	{"Half full of old pages, collection about to begin", false, func(s *Setup) { s.Preconditioned = 500 }},
	{"The paper's setup, half full of old pages", true, func(s *Setup) { s.Preconditioned = 500 }},
}

// TestQuirks checks the effects of all switches at a small scale, and that QUIRKS.md has
// every switch and every difference of settings as they are.
func TestQuirks(t *testing.T) {
	if golden.Update() {
		if err := os.WriteFile("QUIRKS.md", document(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := os.ReadFile("QUIRKS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{switches(), unlike()} {
		if !strings.Contains(string(doc), part) {
			t.Errorf("QUIRKS.md does not have this table as it is now; go test ./sim/cxlssd -run TestQuirks -update writes it:\n%s", part)
		}
	}
	if testing.Short() {
		return
	}
	e := newEffectTable(func(name string) int64 { return map[string]int64{"tpcc": 8, "srad": 32, "dlrm": 64}[name] }, "dlrm", "srad", "tpcc")
	var b bytes.Buffer
	s := Default()
	for i, q := range Quirks {
		fmt.Fprintf(&b, "%s off\n\n", q.Key)
		s.Quirks = Quirks.All() &^ (1 << i)
		e.changes(t, &b, concerned(1<<i), s)
	}
	fmt.Fprint(&b, "the paper's setup\n\n")
	e.changes(t, &b, fig14, Paper())
	golden.Compare(t, "testdata/quirks.txt", b.Bytes())
}

// TestConcerns runs what should make no difference, and checks that each switch makes one
// somewhere.
func TestConcerns(t *testing.T) {
	e := newEffectTable(func(string) int64 { return 32 }, "srad", "tpcc")
	matters := quirk.Set(0)
	for _, name := range e.workloads {
		for i := range Systems {
			x := &Systems[i]
			if x.Own || testing.Short() && i%3 != 0 {
				continue
			}
			s := Default()
			s.Scale = e.scale(name)
			r := e.base(t, name, x.Name)
			effects, err := Effects(e.streams[name], &s, x, r, nil)
			if err != nil {
				t.Fatal(err)
			}
			others := s
			for _, f := range effects {
				if !f.Concerned {
					others.Quirks &^= 1 << f.Switch
				}
				if f.Result.Time != r.Time || pages(f.Result) != pages(r) || f.Result.Bill != r.Bill {
					matters |= 1 << f.Switch
				}
			}
			without := e.run(t, name, x.Name, others)
			if without.Time != r.Time || without.Bill != r.Bill || pages(without) != pages(r) {
				t.Errorf("%s on %s: switches said not to concern it change the time from %v to %v", name, x.Name, r.Time, without.Time)
			}
		}
	}
	// Some matter little where the artifact's setup has everything else.
	for _, c := range []struct {
		bit              quirk.Set
		workload, system string
		change           func(*Setup)
	}{
		// With reads of 3 µs and a threshold of 2 µs every read switches, however it is estimated.
		{TrueLatency, "srad", "skybyte-c", func(s *Setup) { s.Threshold = 10 * unit.Microsecond }},
		// What is booked at once needs no second log.
		{OneLog, "srad", "skybyte-w", func(s *Setup) { s.Quirks &^= RunAhead }},
	} {
		on := Default()
		c.change(&on)
		off := on
		off.Quirks &^= c.bit
		if e.run(t, c.workload, c.system, on).Time != e.run(t, c.workload, c.system, off).Time {
			matters |= c.bit
		}
	}
	// No workload comes near 2048 misses; TestMissesAreLimited has them.
	if dead := Quirks.All() &^ UnlimitedMisses &^ matters; dead != 0 && !testing.Short() {
		t.Errorf("nothing depends on %s", Quirks.Format(dead))
	}
}

// TestMissesAreLimited has 2048 reads wait at one of two channels: the next one, at the
// other, begins when the first of them is done.
func TestMissesAreLimited(t *testing.T) {
	e := newEffectTable(func(string) int64 { return 4 }, "srad")
	for _, limited := range []bool{true, false} {
		s := Default()
		s.Channels, s.Scale = 2, 4
		if limited {
			s.Quirks &^= UnlimitedMisses
		}
		w := e.streams["srad"].At(s.Scale)
		requests, err := w.Streams(8)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDevice(w, &s, s.Scale, Design{}, requests, &Result{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.ways {
			d.ways[i].page = nothing
		}
		for page := range uint32(2048) {
			d.access(stream.NewRequest(2*page, 0, false, 0), 0)
		}
		want := s.Access + s.Link + s.Index + s.Read
		if limited {
			want += s.Read
		}
		if got := d.access(stream.NewRequest(1, 0, false, 0), 0).latency; got != want {
			t.Errorf("limited %v: after 2048 reads of one channel one of the other takes %v; want %v", limited, got, want)
		}
	}
}

// In Base-CSSD requests wait for flash about as often as in the artifact's reports
// (594005b:output/*-8-baseType3, acc_cache_miss), merged ones among them: within a fifth.
func TestWaitsAreAsReported(t *testing.T) {
	if testing.Short() {
		t.Skip("whole workloads")
	}
	for _, x := range []struct {
		workload string
		waits    float64
	}{
		{"bc", 80677},
		{"bfs-dense", 8578},
		{"dlrm", 340002},
		{"radix", 35665},
		{"srad", 23141},
		{"tpcc", 5927},
		{"ycsb-a", 162371},
		{"ycsb-b", 181932},
	} {
		w, err := stream.Find(x.workload)
		if err != nil {
			t.Fatal(err)
		}
		s := Default()
		s.Scale = 1
		r, err := Run(w, &s, "base-cssd", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(r.Requests[Missed]+r.Requests[Merged]) / x.waits; got < 0.8 || got > 1.2 {
			t.Errorf("%s waits %.2f times as often as reported", x.workload, got)
		}
	}
}

// Waits of bc for a read of flash are as in three reports (594005b:output/bc-8-*, acc_cache_miss over
// nand_rd_user) because a thread has one visit under way: with two it has few.
func TestWaitsOfARead(t *testing.T) {
	if testing.Short() {
		t.Skip("whole workloads")
	}
	w, err := stream.Find("bc")
	if err != nil {
		t.Fatal(err)
	}
	two := *w
	two.Recipe.Visits = 2
	s := Default()
	s.Scale = 4
	ratio := func(w *stream.Workload, system string) float64 {
		r, err := Run(w, &s, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return float64(r.Requests[Missed]+r.Requests[Merged]) / float64(r.UserReads)
	}
	for _, x := range []struct {
		system       string
		waits, reads float64
	}{{"base-cssd", 80677, 65995}, {"skybyte-p", 5059, 3334}, {"skybyte-w", 182700, 159127}} {
		one, two, want := ratio(w, x.system), ratio(&two, x.system), x.waits/x.reads
		if math.Abs(one-want) > 0.1 || two > 1.15 {
			t.Errorf("%s: %.3f waits a read, with two visits %.3f; want %.3f, and hardly more than one", x.system, one, two, want)
		}
	}
}
