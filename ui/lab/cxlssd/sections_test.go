package cxlssd

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	core "spillway/sim/cxlssd"
	"spillway/sim/knob"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
)

// small is a workload of all kinds of visits that runs in no time.
const small = "workload=tpcc scale=16"

func setOf(t *testing.T, l *lab.Lab, set string) *knob.Setup {
	t.Helper()
	u := l.Setup()
	pairs, err := knob.Pairs(set)
	if err == nil {
		err = u.Apply(pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// shown computes a section.
func shown(t *testing.T, l *lab.Lab, key, knobs, set, system string) *report.Section {
	t.Helper()
	view := knob.NewSetup(l.Info.Section(key).Knobs)
	pairs, err := knob.Pairs(knobs)
	if err == nil {
		err = view.Apply(pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Section(key, view, setOf(t, l, set), system, nil, nil)
	if err != nil {
		t.Fatalf("%s of %s, %s: %v", key, system, set, err)
	}
	return s
}

// resultOf runs a system.
func resultOf(t *testing.T, l *lab.Lab, set, system string) *core.Result {
	t.Helper()
	_, raw, err := l.Run(setOf(t, l, set), system, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw.(*result).Result
}

// What sections say of settings and knobs that matter to them.
func TestSectionsSay(t *testing.T) {
	l := New()
	for _, x := range []struct{ key, view, set, system, want string }{
		{localityKey, "locality_in=16", small, "skybyte-w", "1/16 of the footprint"},
		{billKey, "bill_with=all", small, "base-cssd", "SkyByte-CP"},
		{billKey, "bill_with=focus", "workload=srad scale=16", "skybyte-c", "flash bounds this run"},
		{billKey, "bill_with=focus", "workload=srad scale=16", "base-cssd", "one thread bounds this run"},
		{billKey, "bill_with=focus", "workload=ycsb-a scale=64", "base-cssd", "waiting for memory bounds this run"},
		{billKey, "bill_with=focus", small, "skybyte-full", "what requests cost on the chip bounds this run"},
		{logKey, "", small, "base-cssd", "has no write log"},
		{logKey, "", small, "skybyte-w", "appended to a log"},
		{threadsKey, "", small, "base-cssd", "No thread is switched"},
		{threadsKey, "", small, "skybyte-full", "24 threads on 8 cores"},
		{threadsKey, "", small + " threads=100", "skybyte-c", "The first 96 of 100 threads"},
		{pageKey, "page_of=99999999", small, "base-cssd", "There is no page"},
		{pageKey, "page_of=first-promoted", small, "base-cssd", "No page moves to host DRAM"},
		{pageKey, "page_of=first-promoted", small, "skybyte-p", "moves to host DRAM once"},
		{pageKey, "page_of=most-written", small, "skybyte-w", "appended to the log"},
		{profileKey, "", small, "base-cssd", "Beside what was published of the original"},
		{profileKey, "", small, "base-cssd", "15.77 GB"},
		{profileKey, "", small, "base-cssd", "15\u202f950"},
		{profileKey, "", small, "base-cssd", "The recipe is fitted to the window."},
		{profileKey, "", small, "base-cssd", "stores among all loads and stores, before the caches"},
		{profileKey, "", small + " cpi=2", "base-cssd", "The recipe was changed"},
		{localityKey, "", small, "dram-only", "nothing was counted"},
	} {
		got := shown(t, &l, x.key, x.view, x.set, x.system)
		if !strings.Contains(fmt.Sprintf("%+v", got), x.want) {
			t.Errorf("%s of %s with %q: no %q in %+v", x.key, x.system, x.view, x.want, got)
		}
	}
}

// count reads a number with spaces between thousands.
func countIn(t *testing.T, typed string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.ReplaceAll(typed, "\u202f", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The ways in which requests are served add up to all requests, and their shares of
// all latency to all of it.
func TestBillAddsUp(t *testing.T) {
	l := New()
	for _, system := range []string{"dram-only", "base-cssd", "skybyte-wp", "skybyte-full"} {
		r := resultOf(t, &l, small, system)
		rows := shown(t, &l, billKey, "bill_with=focus", small, system).Tables[0].Rows
		var sum, all int64
		for _, x := range rows {
			n := countIn(t, x.Cells[0].Text)
			if x.Head == "all" {
				all = n
			} else {
				sum += n
			}
		}
		if sum != all || all != requests(r) {
			t.Errorf("%s: rows are %d requests, all are %d, the run has %d", system, sum, all, requests(r))
		}
	}
}

// Without overlap and without switches a core's time is what it computes and the
// latency of its requests.
func TestLaw(t *testing.T) {
	l := New()
	const alone = small + " overlap=0 outstanding=1"
	for _, system := range []string{"dram-only", "base-cssd", "skybyte-p"} {
		r := resultOf(t, &l, alone, system)
		x := lawOf(r)
		if ratio := part(int64(x.measured), int64(x.sum())); ratio < 0.99 || ratio > 1.01 {
			t.Errorf("%s: %v is %v of the sum %v", system, x.measured, ratio, x.sum())
		}
	}
}

// Each page that a compaction programs is in one range of lines.
func TestMergedLines(t *testing.T) {
	l := New()
	r := resultOf(t, &l, "workload=srad scale=4", "skybyte-w")
	if r.CompactionPrograms == 0 {
		t.Fatal("nothing is compacted")
	}
	var pages, lines int64
	for n, of := range r.Merged {
		pages, lines = pages+of, lines+int64(n)*of
	}
	sums, all, in := inRanges(&r.Merged)
	var sum int64
	for _, n := range sums {
		sum += n
	}
	if sum != pages || all != pages || in != lines || pages != r.CompactionPrograms-r.WarmPrograms {
		t.Errorf("%d pages in ranges, %d in all, %d programmed; %d lines of %d", sum, all, r.CompactionPrograms, in, lines)
	}
	typed := strings.Join(shown(t, &l, logKey, "", "workload=srad scale=4", "skybyte-w").Text, " ")
	if !strings.Contains(typed, prose.Grouped(pages)+" pages") || !strings.Contains(typed, prose.Fixed(part(lines, pages), 1)+" lines") {
		t.Errorf("%q has not the %d programs of the run", typed, pages)
	}
}

// The life of a page has as many requests as the workload makes of it, and the events
// of the run.
func TestPageLife(t *testing.T) {
	l := New()
	uneven := 0
	for _, x := range [][2]string{{"base-cssd", small}, {"skybyte-p", small}, {"skybyte-full", small}, {"skybyte-c", "workload=srad scale=16"}, {"skybyte-full", "workload=srad scale=16"}} {
		system, set := x[0], x[1]
		s := shown(t, &l, pageKey, "page_of=0", set, system)
		var asked, writes, misses, hits, answers int
		u := setOf(t, &l, set)
		_, raw, err := l.Run(u, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := raw.(*result)
		requests, err := r.w.At(r.setup.Scale).Streams(r.Threads)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range requests.Threads {
			for _, q := range list {
				if q.Page() == 0 {
					if asked++; q.Write() {
						writes++
					}
				}
			}
		}
		m := r.setup
		if _, err := core.Run(r.w.Workload, &m, system, &core.Watch{Page: func(p uint32, what string, _ unit.Time) {
			if p == 0 && (what == "miss" || what == "hit" || what == "host" || what == "append") {
				answers++
			}
			switch {
			case p != 0:
			case what == "miss":
				misses++
			case what == "hit":
				hits++
			}
		}}, nil); err != nil {
			t.Fatal(err)
		}
		typed := strings.Join(s.Text, " ")
		want := []string{fmt.Sprintf("Page 0 is asked for %s times, %s of them writes", prose.Grouped(int64(asked)), prose.Grouped(int64(writes)))}
		if misses == 1 {
			want = append(want, "misses once")
		} else if misses > 1 {
			want = append(want, fmt.Sprintf("misses %d times", misses))
		}
		if hits > 1 {
			want = append(want, fmt.Sprintf("in the cache %d times", hits))
		}
		for _, x := range want {
			if !strings.Contains(typed, x) {
				t.Errorf("%s: no %q in %q", system, x, typed)
			}
		}
		said := fmt.Sprintf("It is asked for %s times and answers %s times here.", prose.Grouped(int64(asked)), prose.Grouped(int64(answers)))
		if got := strings.Contains(strings.Join(s.Notes, " "), said); got != (answers != asked) {
			t.Errorf("%s: %d of %d answers, notes %q", system, answers, asked, s.Notes)
		}
		uneven += min(1, max(answers-asked, asked-answers))
	}
	if uneven == 0 {
		t.Error("answers are as many as requests everywhere: nothing was tried")
	}
}

// What a mean core does most: what requests cost on the chip is no computing.
func TestMost(t *testing.T) {
	for _, x := range []struct {
		computes, chip, waits, switches unit.Time
		want                            string
	}{
		{50, 30, 10, 10, "computing"},
		{40, 30, 25, 5, "what requests cost on the chip"},
		{40, 25, 30, 5, "waiting for memory"},
		{10, 20, 20, 50, "switching threads"},
	} {
		b := bounds{law: sumOf{computes: x.computes, chip: x.chip, switches: x.switches}, waits: x.waits}
		if got := b.most(); got != x.want {
			t.Errorf("%+v: %q", x, got)
		}
	}
}

// TestDropped: both ends are runs with the switch and without, whichever is set, and no design
// without a log, or without promotion, has two.
func TestDropped(t *testing.T) {
	l := New()
	kept := strings.ReplaceAll(quirkKeys(modeArtifact), ",demotion-lost", "")
	for _, mode := range []string{modeArtifact, kept} {
		s := shown(t, &l, droppedKey, "", small+" mode="+mode, "skybyte-full")
		apart := 0
		for _, row := range s.Tables[0].Rows {
			if row.Cells[0].Text != row.Cells[1].Text {
				apart++
			}
			if row.Head != "SkyByte-Full" {
				continue
			}
			for k, m := range []string{modeArtifact, kept} {
				want := prose.Grouped(programs(resultOf(t, &l, small+" mode="+m, "skybyte-full")))
				if got := row.Cells[2+k].Text; got != want {
					t.Errorf("%s: %s programs with %s; want %s", mode, got, m, want)
				}
			}
		}
		if apart > len(s.Text) || len(s.Text) < 2 || !strings.Contains(s.Text[len(s.Text)-1], "where it writes it") {
			t.Errorf("%s: %d designs have two ends: %q", mode, apart, s.Text)
		}
	}
}

// TestTails: reads and writes of a design are its requests, in both tables of the bill.
func TestTails(t *testing.T) {
	l := New()
	r := resultOf(t, &l, small, "skybyte-full")
	s := shown(t, &l, billKey, billWith+"="+withFocus, small, "skybyte-full")
	found := map[string]string{}
	for _, table := range s.Tables {
		for _, row := range table.Rows {
			found[row.Head] = row.Cells[0].Text
		}
	}
	for head, n := range map[string]int64{
		"SkyByte-Full, reads": requests(r) - r.Writes, "SkyByte-Full, writes": r.Writes,
		"SkyByte-Full, reads for requests": r.UserReads, "SkyByte-Full, programs of compaction": r.CompactionPrograms,
	} {
		if want := prose.Grouped(n); n == 0 || found[head] != want {
			t.Errorf("%s: %q; want %s", head, found[head], want)
		}
	}
}

// TestLasts: a log that only fills says nothing of how long flash lasts, one that is compacted does.
func TestLasts(t *testing.T) {
	l := New()
	for _, x := range []struct {
		set, system string
		says        bool
	}{
		{"workload=ycsb-a scale=16", "base-cssd", true},
		{"workload=ycsb-a scale=16", "skybyte-w", false},
		{"workload=srad scale=4 log=7", "skybyte-w", true},
	} {
		set := setOf(t, &l, x.set)
		r, raw, err := l.Run(set, x.system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Value(l.Quantity("life_years")); ok != x.says || raw.(*result).Lasts() != x.says {
			t.Errorf("%s on %s: it says how long flash lasts: %v", x.system, x.set, ok)
		}
		if _, ok := r.Value(l.Quantity("write_amplification")); ok != x.says {
			t.Errorf("%s on %s: it says how much is programmed for what is written: %v", x.system, x.set, ok)
		}
		if text := strings.Join(shown(t, &l, "log", "", x.set, x.system).Text, " "); strings.Contains(text, "they say nothing of what it saves") == x.says {
			t.Errorf("%s on %s: %s", x.system, x.set, text)
		}
	}
}

// TestSwitched: what a request that switches threads waits before it is issued again is not known, so that no
// percentile is told that leaves out fewer requests than switch.
func TestSwitched(t *testing.T) {
	l := New()
	for _, x := range []struct {
		system string
		tells  []bool // of p50, p95, p99, p99.9 and the longest
	}{
		{"base-cssd", []bool{true, true, true, true, true}},
		{"skybyte-c", []bool{true, false, false, false, false}},
		{"skybyte-full", []bool{true, true, true, false, false}},
	} {
		r, raw, err := l.Run(setOf(t, &l, "workload=bc scale=16"), x.system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, key := range []string{"request_p50_ns", "request_p95_ns", "request_p99_ns", "request_p999_ns", "request_worst_us"} {
			if _, ok := r.Value(l.Quantity(key)); ok != x.tells[i] {
				t.Errorf("%s, of which %d of %d requests switch, tells %s: %v", x.system, raw.(*result).Switches, requests(raw.(*result).Result), key, ok)
			}
		}
		text := strings.Join(shown(t, &l, "bill", "", "workload=bc scale=16", x.system).Text, " ")
		if strings.Contains(text, "is issued again is in none of these") == x.tells[4] {
			t.Errorf("%s: %s", x.system, text)
		}
	}
}
