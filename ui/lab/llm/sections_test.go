package llm

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spillway/build/effort"
	"spillway/sim/knob"
	core "spillway/sim/llm"
	"spillway/sim/prose"
	"spillway/sim/report"
	"spillway/sim/unit"
	"spillway/ui/lab"
	"spillway/ui/lab/labtest"
)

// shown computes a section.
func shown(t *testing.T, l *lab.Lab, key, knobs, set, system string) *report.Section {
	t.Helper()
	view := knob.NewSetup(l.Info.Section(key).Knobs)
	if err := view.Read(knobs); err != nil {
		t.Fatal(err)
	}
	s, err := l.Section(key, view, labtest.Setup(t, l, set), system, nil, nil)
	if err != nil {
		t.Fatalf("%s of %s, %s: %v", key, system, set, err)
	}
	return s
}

// tables writes the tables of a section, for eyes.
func tables(s *report.Section) string {
	var b strings.Builder
	for _, t := range s.Tables {
		b.WriteString("# " + t.Title + "\n" + strings.Join(t.Head, " | ") + "\n")
		for _, r := range t.Rows {
			b.WriteString(r.Head)
			if r.Sub != "" {
				b.WriteString(" (" + r.Sub + ")")
			}
			for _, c := range r.Cells {
				b.WriteString(" | " + c.Text)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// What sections say of settings and systems that matter to them.
func TestSectionsSay(t *testing.T) {
	effort.Natively(t)
	l := New()
	large := "model=gpt3-175b node=one-4090 batch=1 micro=1"
	for _, x := range []struct{ key, view, set, system, want string }{
		{memoryKey, "", small, "teraio-mixed", "of tensors on a GPU at the most"},
		{memoryKey, "", large, "zero-offload", "cannot run it"},
		{linksKey, "", small, "ideal", "moves nothing"},
		{linksKey, "", small, "teraio-ssd", "fullest link"},
		{lifeKey, "", small + " drives=0", "fsdp-offload", "no drives"},
		{lifeKey, "", small, "teraio-ssd", "TERAIO-SSD writes"},
		{costKey, "", small, "teraio-ssd", "tokens for a dollar"},
		{costKey, "", large + " drives=0 host_memory=8", "fsdp-offload", "No system runs it"},
		{mapKey, "", small, "teraio-mixed", "of the throughput with all in memory"},
		{mapKey, "", small, "ideal", "holds everything"},
		{mapKey, "", small + " drives=0 host_memory=0", "teraio-mixed", "With no drives and no host memory TERAIO-Mixed cannot run it; with "},
		{mapKey, "", large + " host_memory=8", "zero-offload", "cannot run it with any number of drives"},
		{mapKey, "", small + " drives=8", "teraio-ssd", "With 8 drives for each GPU"},
		{rooflineKey, "", small + " host_memory=512", "fsdp-offload", "moves nothing from or to drives here, however fast"},
		{rooflineKey, "", small, "teraio-ssd", "This machine's read 13.4 GB/s"},
		{rooflineKey, "", small + " drives=0", "teraio-ssd", "has none now"},
		{rooflineKey, "", small, "ideal", "holds everything"},
		{inactiveKey, "", small + " drives=0", "teraio-ssd", "no drives to which they could go"},
		{recipesKey, "", "node=one-4090 model=llama3.1-8b batch=2 precision=bf16", "fsdp-offload", "LoRA is fastest on 1 × GeForce RTX 4090"},
		{recipesKey, "", "node=one-4090 model=llama3.1-8b batch=2 precision=bf16", "teraio-ssd", "All weights can be trained, too: with paged 8-bit AdamW, updated in the backward pass"},
		{recipesKey, "", "node=one-4090 model=llama3.1-8b batch=2 precision=bf16", "single", "1 × GeForce RTX 3090"},
		{recipesKey, "", large, "single", "No recipe fits"},
		{recipesKey, "", "node=one-4090 model=t5-11b", "single", "T5-11B has an encoder"},
		{lifeKey, "", large + " host_memory=0 gpu_memory=1", "fsdp-offload", "No system runs"},
		{nextKey, "", small, "ideal", "holds everything"},
		{nextKey, "", small + " drives=0 host_memory=0", "zero-offload", "cannot run it now"},
		{nextKey, "", small, "teraio-mixed", "It could do without: "},
		{decodeKey, "", small, "ideal", "fit into the memory of this machine's GPUs"},
		{decodeKey, "", large, "ideal", "From “All drives of this machine”"},
		{rooflineKey, "", small, "teraio-ssd", "of the throughput with all in memory"},
		{rooflineKey, "", large, "zero-offload", "cannot run it, whatever the drives"},
		{inactiveKey, "", small, "teraio-ssd", "inactive periods in an iteration"},
		{nextKey, "", small, "teraio-mixed", "TERAIO-Mixed trains"},
		{fitsKey, "", small, "teraio-mixed", "runs with"},
		{decodeKey, "decode_batch=1", small, "ideal", "for 1 request at a time"},
	} {
		s := shown(t, &l, x.key, x.view, x.set, x.system)
		if !strings.Contains(strings.Join(s.Text, " "), x.want) {
			t.Errorf("%s of %s, %s: %q lacks %q", x.key, x.system, x.set, s.Text, x.want)
		}
	}
}

// A section's runs are those of the page: the machine as it is set, its cell of the map, and what
// it trains before anything is bought.
func TestSectionsAgree(t *testing.T) {
	l := New()
	r, _, err := l.Run(labtest.Setup(t, &l, small), "teraio-mixed", nil, nil)
	if err != nil || !r.Fits {
		t.Fatal(err, r.Reason)
	}
	rate, _ := r.Value(l.Quantity("tokens_s"))
	of, _ := r.Value(l.Quantity("of_ideal"))
	if s := shown(t, &l, nextKey, "", small, "teraio-mixed"); !strings.Contains(strings.Join(s.Text, " "), "trains "+prose.ThreeDigits(rate)+" tokens/s now") {
		t.Errorf("%q, and the run has %v tokens/s", s.Text[0], rate)
	}
	s := shown(t, &l, mapKey, "", small, "teraio-mixed")
	if !strings.Contains(s.Text[0], "reaches "+prose.Percent(of)+" of the throughput with all in memory") {
		t.Errorf("%q, and the run has %s of ideal", s.Text[0], prose.Percent(of))
	}
	at := slices.Index(s.Tables[0].Head, "2 drives (now)") - 1
	for _, row := range s.Tables[0].Rows {
		if strings.Contains(row.Head, "(now)") && row.Cells[at].Text != prose.Percent(of) {
			t.Errorf("the map has %s where the run has %s", row.Cells[at].Text, prose.Percent(of))
		}
	}
}

// A section says the same to a worker that has run nothing and to one that has run everything.
func TestSectionsHaveNoHistory(t *testing.T) {
	effort.Natively(t)
	// Ideal chooses a micro-batch of four for a batch of sixteen.
	set := small + " micro=0 batch=16 layers=2"
	old := New()
	for _, x := range old.Systems {
		if _, _, err := old.Run(labtest.Setup(t, &old, set), x.Name, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range old.Sections {
		fresh := New()
		want, got := shown(t, &fresh, s.Key, "", set, "teraio-mixed"), shown(t, &old, s.Key, "", set, "teraio-mixed")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: a fresh worker says\n%q\n%s\nafter runs it says\n%q\n%s", s.Key, want.Text, tables(want), got.Text, tables(got))
		}
		if !reflect.DeepEqual(shown(t, &old, s.Key, "", set, "teraio-mixed"), want) {
			t.Errorf("%s says something else the second time", s.Key)
		}
	}
}

// A run that stands for another says what the other would: throughput, cost and life of drives.
func TestKnownRuns(t *testing.T) {
	l := New()
	_, raw, err := l.Run(labtest.Setup(t, &l, small+" array_cap=9"), "ideal", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := raw.(*result).setup
	for _, x := range core.Systems {
		v := &view{w: &work{setup: s}, s: &s, system: x}
		saved := 0
		for _, host := range []unit.Bytes{0, 64 * unit.GiB, 512 * unit.GiB} {
			for drives := range int64(5) {
				for _, shared := range []bool{false, true} {
					c := withHost(&s, host)
					c.Node.Drives, c.Node.Shared = drives, shared
					before := len(v.memo)
					got, err := v.cell(&c)
					if err != nil {
						t.Fatal(err)
					}
					if len(v.memo) == before {
						saved++
					}
					want, err := core.Run(&c, x.Name, false, nil)
					if err != nil {
						t.Fatal(err)
					}
					same := true
					if want.Ran() && got.Ran() {
						same = got.Time == want.Time && dollars(got) == dollars(want) && got.DriveLife() == want.DriveLife() && got.TokensPerKWh() == want.TokensPerKWh()
					}
					if got.Ran() != want.Ran() || want.Ran() && !same {
						t.Errorf("%s with %d drives (shared %v), %v: %d, and another run says %d thousandths of tokens a second", x.Name, drives, shared, host, got.TokenRate(), want.TokenRate())
					}
				}
			}
		}
		if saved == 0 && x.Name != "ideal" {
			t.Errorf("%s: every cell is a run", x.Name)
		}
	}
}

// The map has the machine's own column and row, none, and one drive more, whatever the machine has.
func TestMapHasNow(t *testing.T) {
	for own := range int64(65) {
		list := columnsOf(own)
		if !slices.Contains(list, own) || own < 64 && !slices.Contains(list, own+1) || own <= 4 && list[0] != 0 || len(list) > 6 {
			t.Errorf("with %d drives the columns are %v", own, list)
		}
	}
	for _, own := range []unit.Bytes{0, 128 * unit.GiB, mostGiB} {
		list := hostsOf(own)
		seen := map[unit.Bytes]bool{}
		for _, n := range list {
			seen[n] = true
		}
		if !seen[own] || !seen[0] || len(seen) != len(list) {
			t.Errorf("with %v the rows are %v", own, list)
		}
	}
}

// The fullest link is the one that is nearest to what it could carry, and what is bought and left
// out has the words of its case.
func TestSectionTables(t *testing.T) {
	l := New()
	s := shown(t, &l, linksKey, "", small, "teraio-ssd")
	if strings.Contains(s.Text[0], "PCIe") {
		t.Errorf("PCIe carries more than drives: %q", s.Text[0])
	}
	next := shown(t, &l, nextKey, "", small, "teraio-mixed")
	if len(next.Tables) != 2 {
		t.Fatalf("%d tables", len(next.Tables))
	}
	got := tables(next)
	for _, want := range []string{"All drives", "Half of the host memory", "One drive fewer", "One drive more"} {
		if !strings.Contains(got, want) {
			t.Errorf("no row %q in\n%s", want, got)
		}
	}
	for _, row := range next.Tables[1].Rows {
		if strings.Contains(row.Sub, "Slower though no part is") {
			t.Errorf("%s is less, and the table says %q", row.Head, row.Sub)
		}
	}
	for _, row := range shown(t, &l, fitsKey, "", small, "teraio-mixed").Tables[0].Rows {
		if strings.Contains(row.Cells[1].Text, "1\u202f024") && !strings.Contains(row.Cells[1].Text, "at least") {
			t.Errorf("%s has %s, where the search ends", row.Head, row.Cells[1].Text)
		}
	}
	if s := shown(t, &l, inactiveKey, "", small+" drives=0", "teraio-mixed"); len(s.Tables[0].Head) != 5 {
		t.Errorf("without drives there are %v", s.Tables[0].Head)
	}
	if s := shown(t, &l, decodeKey, "", "node=teraio model=llama3-70b", "ideal"); rateOf(t, s, "Its host memory") <= rateOf(t, s, "All drives") {
		t.Errorf("host memory is slower than drives:\n%s", tables(s))
	}
}

// rateOf is the rate in a row of the token rates, in GB/s.
func rateOf(t *testing.T, s *report.Section, head string) (rate float64) {
	t.Helper()
	for _, row := range s.Tables[0].Rows {
		if strings.HasPrefix(row.Head, head) {
			if _, err := fmt.Sscanf(row.Cells[0].Text, "%g GB/s", &rate); err != nil {
				t.Fatal(err)
			}
		}
	}
	return rate
}

// Progress of a section ends at its end and never goes back.
func TestSectionProgress(t *testing.T) {
	l := New()
	for _, s := range l.Sections {
		if s.Key == decodeKey {
			continue // it takes no time
		}
		fresh := New()
		last := 0.0
		view := knob.NewSetup(fresh.Info.Section(s.Key).Knobs)
		_, err := fresh.Section(s.Key, view, labtest.Setup(t, &fresh, small), "teraio-mixed", nil, func(done, total int) {
			now := float64(done) / float64(max(1, total))
			if now < last || now > 1 {
				t.Errorf("%s: %v after %v", s.Key, now, last)
			}
			last = now
		})
		if err != nil || last < 0.8 {
			t.Errorf("%s ends at %v: %v", s.Key, last, err)
		}
	}
}

// Steps, which bound what runs elsewhere than in the page, are near what is there.
func TestSteps(t *testing.T) {
	l := New()
	for _, set := range []string{"", "model=llama3-8b batch=64", small} {
		u := labtest.Setup(t, &l, set)
		_, raw, err := l.Run(u, "ideal", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, err := l.Steps(u, "ideal")
		got := float64(n) / ofKernel
		if want := 3 * kernelsOf(raw.(*result).Job); err != nil || math.Abs(got/float64(want)-1) > 0.5 {
			t.Errorf("%s: %.0f kernels, and %d in three iterations: %v", set, got, want, err)
		}
	}
}

// Every sweep of the tour shows something: not all values give the same.
func TestSweeps(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every value of every sweep")
	}
	l := New()
	for i := range l.Tour {
		stop := &l.Tour[i]
		pairs, err := knob.Pairs(stop.Show)
		if err != nil {
			t.Fatal(err)
		}
		show := map[string]string{}
		for _, p := range pairs {
			show[p.Key] = p.Text
		}
		if show["view"] != "whatif" {
			continue
		}
		at := slices.IndexFunc(l.Presets, func(p lab.Preset) bool { return p.Key == stop.Preset })
		got := map[string]bool{}
		for value := range strings.SplitSeq(show["ask-values"], ",") {
			_, raw, err := l.Run(labtest.Setup(t, &l, l.Presets[at].Set+" batch=16 "+show["ask-vary"]+"="+value), "teraio-ssd", nil, nil)
			if err != nil {
				t.Fatalf("stop %s, %s: %v", stop.Key, value, err)
			}
			got[l.Hash(raw)] = true
		}
		if len(got) < 2 {
			t.Errorf("stop %s: all values of %s give the same", stop.Key, show["ask-vary"])
		}
	}
}

// Numbers of parts are names for settings: choosing one sets it, and what the machine costs follows.
func TestParts(t *testing.T) {
	l := New()
	price := func(set string) float64 {
		r, _, err := l.Run(labtest.Setup(t, &l, set), "ideal", nil, nil)
		if err != nil || !r.Fits {
			t.Fatal(set, err)
		}
		x, _ := r.Value(l.Quantity("price_usd"))
		return x
	}
	const machine = small + " batch=8 layers=4"
	for _, x := range []struct{ part, same string }{{"parts-gpus=4", "gpus=4"}, {"parts-drives=0", "drives=0"}, {"parts-drives=4", "drives=4"}, {"parts-host=512", "host_memory=512"}} {
		a, b := labtest.Setup(t, &l, machine+" "+x.part), labtest.Setup(t, &l, machine+" "+x.same)
		if a.String() != b.String() {
			t.Errorf("%s is %q, want %q", x.part, a, b)
		}
		if price(machine+" "+x.part) == price(machine) {
			t.Errorf("%s costs nothing", x.part)
		}
	}
}

// TestRecipesOpen: a row of the ranking of recipes opens the run that it says.
func TestRecipesOpen(t *testing.T) {
	effort.Natively(t)
	l := New()
	s := shown(t, &l, recipesKey, "", "node=one-4090 model=llama3.1-8b batch=2 precision=bf16 method=lora", "single")
	opened := 0
	for _, table := range s.Tables {
		for _, row := range table.Rows {
			u, err := l.Read(row.Set)
			if err != nil || l.Check(u) != nil {
				t.Fatalf("%s, %s: %v, %v", row.Head, row.Set, err, l.Check(u))
			}
			r, raw, err := l.Run(u, "single", nil, nil)
			if err != nil {
				t.Fatal(row.Head, err)
			}
			if fits := !strings.Contains(row.Cells[0].Text+row.Cells[2].Text+row.Cells[3].Text, "short"); fits != r.Fits {
				continue // by a little, which estimates allow
			}
			if !r.Fits {
				continue
			}
			opened++
			x := core.Ranked{}
			x.Step.Milli = raw.(*result).TokenRate()
			if said := between(&x); !slices.ContainsFunc(row.Cells, func(c report.Cell) bool { return c.Text == said }) {
				t.Errorf("%s: %s is not in %v", row.Head, said, row.Cells)
			}
		}
	}
	if opened < 15 {
		t.Errorf("%d rows opened", opened)
	}
}
